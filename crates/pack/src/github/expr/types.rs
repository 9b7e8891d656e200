//! The types of values in expressions, as far as they are known.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The type of a value.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::github) enum Type {
    /// Not known.
    Any,
    Null,
    Bool,
    Number,
    Text,
    Array(Arc<Type>),
    Object(Arc<ObjectType>),
}

/// What is known of the members of an object. Names are in lower case.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::github) struct ObjectType {
    pub(in crate::github) members: BTreeMap<String, Type>,
    /// The type of all other members; `None` if there are no others.
    pub(in crate::github) others: Option<Type>,
    /// Whether the members come from a table of ours, which may be too old.
    pub(in crate::github) is_table: bool,
    /// Whether there may well be others, so that even a name that is near to a known one may be right.
    pub(in crate::github) is_partial: bool,
}

impl Type {
    /// An object with these members and no others.
    pub(in crate::github) fn closed(
        members: impl IntoIterator<Item = (impl AsRef<str>, Type)>,
    ) -> Type {
        let members =
            members.into_iter().map(|(name, it)| (name.as_ref().to_ascii_lowercase(), it));
        Type::Object(Arc::new(ObjectType { members: members.collect(), ..ObjectType::default() }))
    }

    /// The same, from a table of ours.
    pub(in crate::github) fn from_table(
        members: impl IntoIterator<Item = (impl AsRef<str>, Type)>,
    ) -> Type {
        match Type::closed(members) {
            Type::Object(shape) => {
                Type::Object(Arc::new(ObjectType { is_table: true, ..ObjectType::clone(&shape) }))
            }
            other => other,
        }
    }

    /// The same, where others are likely.
    pub(in crate::github) fn partial(
        members: impl IntoIterator<Item = (impl AsRef<str>, Type)>,
    ) -> Type {
        match Type::closed(members) {
            Type::Object(shape) => {
                Type::Object(Arc::new(ObjectType { is_partial: true, ..ObjectType::clone(&shape) }))
            }
            other => other,
        }
    }

    /// An object with these members, and others that nobody knows.
    pub(in crate::github) fn open(
        members: impl IntoIterator<Item = (impl AsRef<str>, Type)>,
    ) -> Type {
        match Type::closed(members) {
            Type::Object(shape) => Type::Object(Arc::new(ObjectType {
                others: Some(Type::Any),
                ..ObjectType::clone(&shape)
            })),
            other => other,
        }
    }

    /// An object with any member of this type.
    pub(in crate::github) fn map(of: Type) -> Type {
        Type::Object(Arc::new(ObjectType { others: Some(of), ..ObjectType::default() }))
    }

    pub(in crate::github) fn array(of: Type) -> Type {
        Type::Array(Arc::new(of))
    }

    /// The type of a value that is of one of two types.
    pub(in crate::github) fn or(self, other: Type) -> Type {
        match (self, other) {
            (left, right) if left == right => left,
            (Type::Array(left), Type::Array(right)) => {
                Type::array(Type::clone(&left).or(Type::clone(&right)))
            }
            (Type::Object(left), Type::Object(right)) => {
                Type::Object(Arc::new(ObjectType::clone(&left).or(ObjectType::clone(&right))))
            }
            _ => Type::Any,
        }
    }

    /// Whether it is turned into a text without loss: everything but objects, arrays and null.
    pub(in crate::github) fn is_text_like(&self) -> bool {
        matches!(self, Type::Any | Type::Text | Type::Number | Type::Bool)
    }

    pub(super) fn is_structure(&self) -> bool {
        matches!(self, Type::Array(_) | Type::Object(_))
    }
}

impl ObjectType {
    fn or(mut self, other: ObjectType) -> ObjectType {
        for (name, it) in other.members {
            let known = self.members.remove(&name);
            let both = known.map_or_else(|| it.clone(), |known| known.or(it.clone()));
            self.members.insert(name, both);
        }
        self.others = match (self.others, other.others) {
            (Some(left), Some(right)) => Some(left.or(right)),
            (left, right) => left.or(right),
        };
        self.is_table |= other.is_table;
        self.is_partial |= other.is_partial;
        self
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Any => "any value",
            Type::Null => "null",
            Type::Bool => "a boolean",
            Type::Number => "a number",
            Type::Text => "a string",
            Type::Array(_) => "an array",
            Type::Object(_) => "an object",
        })
    }
}
