//! `together`: an object has all of some keys or none of them. No repair: the missing values are not known.

use document::Value;

use super::FileView;
use crate::finding::{MemberPart, RuleFinding};
use crate::selector::Selector;

#[derive(Debug)]
pub(crate) struct Together {
    pub(crate) at: Selector,
    pub(crate) keys: Vec<String>,
}

impl Together {
    pub(crate) fn look(&self, view: &FileView<'_>) -> Vec<RuleFinding> {
        let objects = self.at.pattern.select(view.value).into_iter();
        objects
            .filter_map(|it| {
                let Value::Object(_) = it.value else { return None };
                let (there, missing): (Vec<&String>, Vec<&String>) =
                    self.keys.iter().partition(|key| it.value.get(key).is_some());
                if there.is_empty() || missing.is_empty() {
                    return None;
                }
                let message = format!(
                    "{} without {}: they belong together; add what is missing or remove the rest",
                    quoted(&there),
                    quoted(&missing),
                );
                let names = missing.iter().map(|it| Value::String(it.to_string())).collect();
                let mut found = RuleFinding::new(view.file, it.at, MemberPart::Key, message);
                found.details.insert("missing".to_owned(), Value::Array(names));
                Some(found)
            })
            .collect()
    }
}

fn quoted(keys: &[&String]) -> String {
    keys.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}
