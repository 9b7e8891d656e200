//! What tells a document apart by what it says: a value, or one of several, at each of some places.

use document::{Pointer, Value};

use crate::pattern::resolve;

const MAX_CONDITIONS: usize = 32;
const MAX_VALUES: usize = 256;

/// Conditions that all must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conditions(Vec<(Pointer, Vec<Value>)>);

impl Conditions {
    /// Reads an object of places and what may stand there: a string, a number, a boolean, null, or a list of them. An
    /// error has the member that it is about.
    pub fn read(value: &Value) -> Result<Conditions, (Option<String>, String)> {
        let Value::Object(members) = value else {
            return Err((None, "expected an object that maps places to values".to_owned()));
        };
        if members.is_empty() || members.len() > MAX_CONDITIONS {
            return Err((None, format!("expected 1 to {MAX_CONDITIONS} places")));
        }
        let mut conditions = Vec::new();
        for (key, value) in members {
            let refuse = |message: String| Err((Some(key.clone()), message));
            let at = match key.parse::<Pointer>() {
                Ok(at) if !at.is_root() => at,
                Ok(_) => {
                    return refuse(
                        "expected a place that starts with `/`, as in `/kind`".to_owned(),
                    );
                }
                Err(error) => return refuse(error.to_string()),
            };
            let values = match value {
                Value::Array(items) => items.clone(),
                value => vec![value.clone()],
            };
            if values.is_empty() || values.len() > MAX_VALUES {
                return refuse(format!("expected 1 to {MAX_VALUES} values"));
            }
            if values.iter().any(|it| matches!(it, Value::Array(_) | Value::Object(_))) {
                return refuse("expected a string, a number, a boolean or null".to_owned());
            }
            conditions.push((at, values));
        }
        Ok(Conditions(conditions))
    }

    /// Whether a document is meant.
    pub fn hold_for(&self, document: &Value) -> bool {
        self.0.iter().all(|(at, values)| {
            resolve(document, at).is_some_and(|found| values.iter().any(|it| it.equals(found)))
        })
    }

    /// Whether there is nothing to hold.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
