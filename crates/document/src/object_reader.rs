//! Reading an object whose members are known: what is there, and what nobody knows.

use crate::value::Value;

/// The members of a closed object, taken one by one.
///
/// It knows no places and no problems: whoever reads says where the object is and what is wrong with it.
///
/// ```
/// use document::{ObjectReader, Value};
///
/// let value = Value::Object(vec![
///     ("name".to_owned(), Value::String("a".to_owned())),
///     ("nmae".to_owned(), Value::Null),
/// ]);
/// let mut reader = ObjectReader::open(&value).expect("it is an object");
/// assert_eq!(reader.take("name").and_then(Value::as_str), Some("a"));
/// let unknown: Vec<&str> = reader.rest().map(|it| it.0).collect();
/// assert_eq!(unknown, ["nmae"]);
/// ```
#[derive(Clone, Debug)]
pub struct ObjectReader<'a> {
    members: &'a [(String, Value)],
    is_taken: Vec<bool>,
}

impl<'a> ObjectReader<'a> {
    /// The reader of an object; `None` for any other value.
    pub fn open(value: &'a Value) -> Option<ObjectReader<'a>> {
        match value {
            Value::Object(members) => {
                Some(ObjectReader { members, is_taken: vec![false; members.len()] })
            }
            _ => None,
        }
    }

    /// The member with that name. All members with it count as taken, should there be several; the first one is meant.
    pub fn take(&mut self, name: &str) -> Option<&'a Value> {
        let mut found = None;
        for ((key, value), is_taken) in self.members.iter().zip(&mut self.is_taken) {
            if key == name {
                *is_taken = true;
                found = found.or(Some(value));
            }
        }
        found
    }

    /// The member with that name, which does not count as taken.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.iter().find(|it| it.0 == name).map(|it| &it.1)
    }

    /// The members that were not taken, in order.
    pub fn rest(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + '_ {
        let members = self.members.iter().zip(&self.is_taken);
        members.filter(|it| !it.1).map(|((name, value), _)| (name.as_str(), value))
    }

    /// The names that are not among those that are known, in order.
    pub fn unknown(&self, known: &[&str]) -> Vec<&'a str> {
        let names = self.members.iter().map(|it| it.0.as_str());
        names.filter(|it| !known.contains(it)).collect()
    }
}
