//! `forbidden`: an object does not have a key. No repair: what stands there may be needed elsewhere.

use document::Value;

use super::View;
use crate::finding::Anchor;
use crate::found::Found;
use crate::place::Place;

#[derive(Debug)]
pub(crate) struct Forbidden {
    pub(crate) at: Place,
    pub(crate) key: String,
}

impl Forbidden {
    pub(crate) fn look(&self, view: &View<'_>) -> Vec<Found> {
        let objects = self.at.pattern.select(view.value).into_iter();
        objects
            .filter(|it| matches!(it.value, Value::Object(_)) && it.value.get(&self.key).is_some())
            .map(|it| {
                let message = format!("`{}` is not allowed here; remove it", self.key);
                Found::new(view.file, it.at.join(self.key.as_str()), Anchor::Key, message)
            })
            .collect()
    }
}
