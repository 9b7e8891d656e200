//! What a document says, apart from how it is written: the model against which every edit is checked.

mod number;
pub(crate) mod write;

pub use number::Number;

use std::fmt;

use crate::hash::HashMap;

/// A value of the JSON data model, and the two things that the formats have beyond it: date-times and
/// non-finite numbers (see [`Number`]).
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its exact digits.
    Number(Number),
    /// A string.
    String(String),
    /// A TOML date or time, as written. JSON sees it as a string.
    Datetime(String),
    /// An array.
    Array(Vec<Value>),
    /// An object in document order. Keys are unique.
    Object(Vec<(String, Value)>),
}

/// The type names of the patch contracts. `Integer` is a number without a fraction, and is a `Number` too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum JsonType {
    String,
    Number,
    Integer,
    Boolean,
    Null,
    Object,
    Array,
}

impl JsonType {
    /// Every type, in the order of the contract.
    pub const ALL: [JsonType; 7] = [
        JsonType::String,
        JsonType::Number,
        JsonType::Integer,
        JsonType::Boolean,
        JsonType::Null,
        JsonType::Object,
        JsonType::Array,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            JsonType::String => "string",
            JsonType::Number => "number",
            JsonType::Integer => "integer",
            JsonType::Boolean => "boolean",
            JsonType::Null => "null",
            JsonType::Object => "object",
            JsonType::Array => "array",
        }
    }

    /// The type with that name on the wire.
    pub fn from_name(name: &str) -> Option<JsonType> {
        JsonType::ALL.into_iter().find(|it| it.name() == name)
    }

    /// `a` or `an`, for messages.
    pub fn article(self) -> &'static str {
        match self {
            JsonType::Integer | JsonType::Object | JsonType::Array => "an",
            _ => "a",
        }
    }

    /// Whether a value of this exact type is what `expected` asks for.
    pub fn satisfies(self, expected: JsonType) -> bool {
        self == expected || (self == JsonType::Integer && expected == JsonType::Number)
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Value {
    /// The most exact type name: a number without a fraction is an `Integer`.
    pub fn json_type(&self) -> JsonType {
        match self {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(number) if number.is_integral() => JsonType::Integer,
            Value::Number(_) => JsonType::Number,
            Value::String(_) | Value::Datetime(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => {
                members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether no more than `room` containers are nested in this value, itself included. Looks no deeper than that,
    /// so that it can be asked of any value.
    pub(crate) fn fits(&self, room: usize) -> bool {
        let room_inside = room.checked_sub(1);
        match self {
            Value::Array(items) => {
                room_inside.is_some_and(|room| items.iter().all(|it| it.fits(room)))
            }
            Value::Object(members) => {
                room_inside.is_some_and(|room| members.iter().all(|(_, it)| it.fits(room)))
            }
            _ => true,
        }
    }

    /// The first thing that `find` says of a scalar in this value.
    pub(crate) fn find_in_scalars<T>(&self, find: fn(&Value) -> Option<T>) -> Option<T> {
        match self {
            Value::Array(items) => items.iter().find_map(|it| it.find_in_scalars(find)),
            Value::Object(members) => members.iter().find_map(|(_, it)| it.find_in_scalars(find)),
            scalar => find(scalar),
        }
    }

    /// Equality as the `equals` precondition means it: object order ignored, numbers by value, so that `1`
    /// equals `1.0`; a date-time equals the string it is written as.
    pub fn equals(&self, other: &Value) -> bool {
        equal(self, other, Number::equals, true)
    }

    /// Equality as the check of an edited text means it: like [`Value::equals`], but an integer is not a
    /// float and a date-time is not a string.
    pub fn is_same(&self, other: &Value) -> bool {
        equal(self, other, Number::is_same, false)
    }
}

fn equal(
    left: &Value,
    right: &Value,
    numbers: fn(&Number, &Number) -> bool,
    dates_are_strings: bool,
) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right))
        | (Value::Datetime(left), Value::Datetime(right)) => left == right,
        (Value::String(left), Value::Datetime(right))
        | (Value::Datetime(left), Value::String(right)) => dates_are_strings && left == right,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right, numbers, dates_are_strings))
        }
        (Value::Object(left), Value::Object(right)) => {
            if left.len() != right.len() {
                return false;
            }
            // Mostly the order is the same; and a file that repeats a key must still equal itself.
            if left.iter().zip(right).all(|(left, right)| left.0 == right.0) {
                let mut pairs = left.iter().zip(right);
                return pairs
                    .all(|(left, right)| equal(&left.1, &right.1, numbers, dates_are_strings));
            }
            let by_key: HashMap<&str, &Value> =
                right.iter().map(|(key, value)| (key.as_str(), value)).collect();
            left.iter().all(|(key, value)| {
                by_key
                    .get(key.as_str())
                    .is_some_and(|other| equal(value, other, numbers, dates_are_strings))
            })
        }
        _ => false,
    }
}

/// By [`Value::is_same`].
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.is_same(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FA-38: object order is ignored. A file with a repeated key can be read, and equals itself.
    #[test]
    fn objects_are_equal_in_any_order_and_to_themselves() {
        let object = |members: &[(&str, bool)]| {
            Value::Object(
                members.iter().map(|(key, it)| (key.to_string(), Value::Bool(*it))).collect(),
            )
        };
        let value = object(&[("a", true), ("b", false)]);
        assert!(value.equals(&object(&[("b", false), ("a", true)])));
        assert!(!value.equals(&object(&[("b", true), ("a", false)])));
        assert!(!value.equals(&object(&[("a", true)])));
        let repeated = object(&[("a", true), ("a", false)]);
        assert!(repeated.is_same(&repeated.clone()));
    }
}
