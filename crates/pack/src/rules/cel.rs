//! `cel`: an expression holds. No repair: the expression says that something is wrong, not what.

use check::Severity;
use document::Value;

use super::FileView;
use crate::finding::{MemberPart, RuleFinding, UNDECIDED};
use crate::guard::{Guard, Scope, Undecided};
use crate::selector::Selector;

#[derive(Debug)]
pub(crate) struct Cel {
    pub(crate) at: Selector,
    pub(crate) assert: Guard,
    pub(crate) when: Option<Guard>,
    /// How the assertion is written, for messages.
    pub(crate) text: String,
}

impl Cel {
    /// To be called on a deep stack.
    pub(crate) fn look(&self, view: &FileView<'_>) -> Vec<RuleFinding> {
        let matches = self.at.pattern.select(view.value);
        let mut found = Vec::new();
        if matches.is_empty() {
            return found;
        }
        let mut scope = Scope::new(view.value);
        for it in matches {
            let message = match self.holds(&mut scope, it.value) {
                Ok(true) => continue,
                Ok(false) => {
                    format!("`{}` does not hold; change the value so that it does", self.text)
                }
                Err(why) => {
                    found.push(undecided(view, it.at, &self.text, &why.to_string()));
                    if why.is_last() {
                        break;
                    }
                    continue;
                }
            };
            let one = RuleFinding::new(view.file, it.at, MemberPart::Key, message);
            found.push(one.detail("assert", &self.text));
        }
        found
    }

    fn holds(&self, scope: &mut Scope<'_>, value: &Value) -> Result<bool, Undecided> {
        let is_asked = self.when.as_ref().map_or(Ok(true), |when| when.holds(scope, value))?;
        if is_asked { self.assert.holds(scope, value) } else { Ok(true) }
    }
}

fn undecided(view: &FileView<'_>, at: document::Pointer, text: &str, why: &str) -> RuleFinding {
    let message = format!("`{text}` could not be decided: {why}");
    let found = RuleFinding::new(view.file, at, MemberPart::Key, message);
    RuleFinding { severity: Some(Severity::Warning), ..found.detail(UNDECIDED, why) }
}
