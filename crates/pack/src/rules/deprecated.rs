//! `deprecated`: a key has another name by now. Repair: rename it, or remove it where the new one says the same.

use check::{Confidence, Kind, Safety};
use document::{Op, Pointer, Value};

use super::View;
use crate::finding::Anchor;
use crate::found::{Found, Mend, op};
use crate::place::{Place, replace, shown, stricter};

#[derive(Debug)]
pub(crate) struct Deprecated {
    pub(crate) at: Place,
    pub(crate) key: String,
    pub(crate) replacement: String,
    /// What old values are called under the new key.
    pub(crate) value_map: Vec<(String, Value)>,
}

impl Deprecated {
    pub(crate) fn look(&self, floor: Option<Safety>, view: &View<'_>) -> Vec<Found> {
        let objects = self.at.pattern.select(view.value).into_iter();
        objects
            .filter_map(|it| {
                let Value::Object(_) = it.value else { return None };
                let old = it.value.get(&self.key)?;
                let (key, replacement) = (&self.key, &self.replacement);
                let what = match it.value.get(replacement) {
                    Some(new) if !new.equals(&self.mapped(old)) => {
                        format!(", and `{replacement}` says {}; decide which one holds and remove `{key}`", shown(new))
                    }
                    Some(_) => format!(", and `{replacement}` says the same already; remove `{key}`"),
                    None => format!("; use `{replacement}` instead"),
                };
                let message = format!("`{key}` is deprecated{what}");
                let mend = self.mend(floor, view, &it.at, old, it.value.get(replacement));
                Some(Found::new(view.file, it.at.join(key.as_str()), Anchor::Key, message).with(mend))
            })
            .collect()
    }

    fn mapped(&self, old: &Value) -> Value {
        let text = match old {
            Value::String(text) | Value::Datetime(text) => text.clone(),
            Value::Number(number) => number.text().to_owned(),
            Value::Bool(it) => it.to_string(),
            other => return other.clone(),
        };
        let mapped = self.value_map.iter().find(|it| it.0 == text);
        mapped.map_or_else(|| old.clone(), |it| it.1.clone())
    }

    fn mend(
        &self,
        floor: Option<Safety>,
        view: &View<'_>,
        object: &Pointer,
        old: &Value,
        new: Option<&Value>,
    ) -> Option<Mend> {
        let (key, replacement) = (self.key.clone(), self.replacement.clone());
        let mapped = self.mapped(old);
        let (title, steps) = match new {
            None => {
                let mut steps = Vec::new();
                if !mapped.is_same(old) {
                    steps.push(replace(object.join(key.as_str()), old, mapped));
                }
                let rename = Op::RenameKey {
                    at: object.clone(),
                    from: key.clone(),
                    to: replacement.clone(),
                };
                steps.push(rename.into());
                (format!("Rename `{key}` to `{replacement}`"), steps)
            }
            Some(new) if new.equals(&mapped) => {
                // Writing down what stays changes nothing, but nobody else can remove it meanwhile.
                let keep = replace(object.join(replacement.as_str()), new, new.clone());
                let remove = Op::RemoveKey { at: object.clone(), key: key.clone() };
                (
                    format!("Remove `{key}`, which `{replacement}` repeats"),
                    vec![keep, remove.into()],
                )
            }
            Some(_) => return None,
        };
        Some(Mend {
            title,
            rationale: format!("`{replacement}` is declared to be what `{key}` was"),
            safety: stricter(Safety::LikelyPreserving, floor),
            confidence: Confidence::High,
            kind: Kind::LocalFix,
            ops: steps.into_iter().map(|it| op(view.file, it)).collect(),
        })
    }
}
