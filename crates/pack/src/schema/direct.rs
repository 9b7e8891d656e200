//! The validator on the exact values of documents, without a copy as JSON.
//!
//! A validator of `serde_json` values needs the whole document once more, with a hash table for every object. Most
//! documents are valid, and of those nothing is needed but that they are: this asks the same question of the value
//! itself. What is not valid is explained by way of the copy, as before. Both judge alike; every document of the tests
//! is put to both.

use std::borrow::Cow;

use document::{Number, Value};
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use jsonschema::{JsonType, Keyword, ValidationError};
use serde_json::Value as JsonValue;

use super::budget;
use super::json::{number_to_json, to_json};

/// Documents as they are.
pub(super) struct Exact;

impl Json for Exact {
    type Node<'a> = ExactNode<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    /// A lookup goes through the members as well.
    const KEYS_PER_LOOKUP: usize = 1 << 20;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(ExactNode<'_>) -> T) -> T {
        f(ExactNode::Name(string))
    }
}

/// A value of a document, or the name of a member.
#[derive(Clone, Copy)]
pub(super) enum ExactNode<'a> {
    Value(&'a Value),
    /// The top of a document whose `$schema` is nothing to the schema.
    WithoutSchemaKey(&'a Value),
    Name(&'a str),
}

impl<'a> ExactNode<'a> {
    fn value(&self) -> Option<&'a Value> {
        match *self {
            ExactNode::Value(value) | ExactNode::WithoutSchemaKey(value) => Some(value),
            ExactNode::Name(_) => None,
        }
    }
}

impl<'a> Node<'a, Exact> for ExactNode<'a> {
    type Object = ExactObject<'a>;
    type Array = &'a [Value];
    type Number = ExactNumber<'a>;

    fn as_object(&self) -> Option<ExactObject<'a>> {
        match self.value()? {
            Value::Object(members) => {
                let hides_schema_key = matches!(self, ExactNode::WithoutSchemaKey(_));
                Some(ExactObject { members, hides_schema_key })
            }
            _ => None,
        }
    }

    fn as_array(&self) -> Option<&'a [Value]> {
        match self.value()? {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match *self {
            ExactNode::Name(name) => Some(Cow::Borrowed(name)),
            ExactNode::Value(value) | ExactNode::WithoutSchemaKey(value) => match value {
                Value::String(text) | Value::Datetime(text) => Some(Cow::Borrowed(text)),
                // What JSON cannot write is a string to the validator.
                Value::Number(number) if !number.is_finite() => Some(Cow::Borrowed(number.text())),
                _ => None,
            },
        }
    }

    fn as_number(&self) -> Option<ExactNumber<'a>> {
        match self.value()? {
            Value::Number(number) if number.is_finite() => Some(ExactNumber(number)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.value()? {
            Value::Bool(it) => Some(*it),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.value(), Some(Value::Null))
    }

    fn json_type(&self) -> JsonType {
        match self.value() {
            Some(Value::Null) => JsonType::Null,
            Some(Value::Bool(_)) => JsonType::Boolean,
            Some(Value::Number(number)) if number.is_finite() => JsonType::Number,
            Some(Value::Array(_)) => JsonType::Array,
            Some(Value::Object(_)) => JsonType::Object,
            _ => JsonType::String,
        }
    }

    fn to_value(&self) -> Cow<'a, JsonValue> {
        Cow::Owned(match *self {
            ExactNode::Value(value) => to_json(value),
            ExactNode::WithoutSchemaKey(value) => {
                let mut json = to_json(value);
                if let Some(members) = json.as_object_mut() {
                    members.shift_remove("$schema");
                }
                json
            }
            ExactNode::Name(name) => JsonValue::String(name.to_owned()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let address = match *self {
            ExactNode::Value(value) | ExactNode::WithoutSchemaKey(value) => {
                std::ptr::from_ref(value).addr()
            }
            ExactNode::Name(name) => name.as_ptr().addr(),
        };
        Some(NodeIdentity::new(address))
    }
}

/// The members of an object. No key stands twice.
#[derive(Clone, Copy)]
pub(super) struct ExactObject<'a> {
    members: &'a [(String, Value)],
    hides_schema_key: bool,
}

impl ExactObject<'_> {
    fn is_hidden(&self, key: &str) -> bool {
        self.hides_schema_key && key == "$schema"
    }
}

impl<'a> Object<'a, Exact> for ExactObject<'a> {
    type Node = ExactNode<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        let n_hidden = if self.hides_schema_key {
            self.members.iter().filter(|it| self.is_hidden(&it.0)).count()
        } else {
            0
        };
        self.members.len() - n_hidden
    }

    fn get(&self, key: &Box<str>) -> Option<ExactNode<'a>> {
        if self.is_hidden(key) {
            return None;
        }
        let found = self.members.iter().find(|it| it.0 == **key);
        found.map(|it| ExactNode::Value(&it.1))
    }

    fn members(&self) -> Members<'a> {
        Members { rest: self.members.iter(), hides_schema_key: self.hides_schema_key }
    }
}

/// The members of an object in order.
pub(super) struct Members<'a> {
    rest: std::slice::Iter<'a, (String, Value)>,
    hides_schema_key: bool,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, ExactNode<'a>);

    fn next(&mut self) -> Option<(&'a str, ExactNode<'a>)> {
        let hides = self.hides_schema_key;
        let (key, value) = self.rest.find(|it| !hides || it.0 != "$schema")?;
        Some((key, ExactNode::Value(value)))
    }
}

impl<'a> Array<'a, Exact> for &'a [Value] {
    type Node = ExactNode<'a>;
    type ElementsIter = std::iter::Map<std::slice::Iter<'a, Value>, fn(&'a Value) -> ExactNode<'a>>;

    fn len(&self) -> usize {
        <[Value]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter().map(ExactNode::Value)
    }
}

/// A number, which is text until somebody asks for more.
pub(super) struct ExactNumber<'a>(&'a Number);

impl ExactNumber<'_> {
    fn number(&self) -> serde_json::Number {
        match number_to_json(self.0) {
            JsonValue::Number(number) => number,
            _ => 0.into(),
        }
    }
}

impl JsonNumber for ExactNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.number().as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.number().as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        self.number().as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.number().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.number())
    }
}

impl<'i> Keyword<'i, Exact> for budget::Step {
    fn validate(&self, _: ExactNode<'i>) -> Result<(), ValidationError<'i>> {
        budget::pay_step();
        Ok(())
    }

    fn is_valid(&self, _: ExactNode<'i>) -> bool {
        budget::pay_step();
        true
    }
}
