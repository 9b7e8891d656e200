//! `forbidden`: an object does not have a key. Repair: none, for what stands there may be needed elsewhere, unless the
//! pack declares that the key is to be removed.

use check::{Confidence, RepairKind, Safety};
use document::{Op, Value};

use super::FileView;
use crate::finding::{MemberPart, RuleFinding, Suggestion, op};
use crate::selector::{Selector, stricter};

#[derive(Debug)]
pub(crate) struct Forbidden {
    pub(crate) at: Selector,
    pub(crate) key: String,
    /// Whether removing the key is declared to be the repair.
    pub(crate) remove: bool,
}

impl Forbidden {
    pub(crate) fn look(&self, floor: Option<Safety>, view: &FileView<'_>) -> Vec<RuleFinding> {
        let objects = self.at.pattern.select(view.value).into_iter();
        objects
            .filter(|it| matches!(it.value, Value::Object(_)) && it.value.get(&self.key).is_some())
            .map(|it| {
                let message = format!("`{}` is not allowed here; remove it", self.key);
                let suggestion = self.remove.then(|| Suggestion {
                    title: format!("Remove `{}`", self.key),
                    rationale: format!(
                        "`{}` is declared to be removed wherever it occurs",
                        self.key
                    ),
                    safety: stricter(Safety::BehaviorChanging, floor),
                    confidence: Confidence::Medium,
                    kind: RepairKind::LocalFix,
                    ops: {
                        let key = self.key.clone();
                        vec![op(view.file, Op::RemoveKey { at: it.at.clone(), key }.into())]
                    },
                });
                RuleFinding::new(view.file, it.at.join(self.key.as_str()), MemberPart::Key, message)
                    .with(suggestion)
            })
            .collect()
    }
}
