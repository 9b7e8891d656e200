//! The validator on documents as they are, without a copy of their values.
//!
//! A validator of `serde_json` values needs the whole document once more, with a hash table for every object. Most
//! documents are valid, and of those nothing is needed but that they are: this asks the same question of the parsed text
//! itself. What is not valid is explained by way of the copy, as before. Both judge alike; every document of the tests
//! is put to both.

use std::borrow::Cow;

use document::{Content, Number, View};
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
    Value(View<'a>),
    /// The top of a document whose `$schema` is nothing to the schema.
    WithoutSchemaKey(View<'a>),
    Name(&'a str),
}

impl<'a> ExactNode<'a> {
    fn view(&self) -> Option<View<'a>> {
        match *self {
            ExactNode::Value(view) | ExactNode::WithoutSchemaKey(view) => Some(view),
            ExactNode::Name(_) => None,
        }
    }

    fn content(&self) -> Content<'a> {
        match *self {
            ExactNode::Name(name) => Content::String(Cow::Borrowed(name)),
            ExactNode::Value(view) | ExactNode::WithoutSchemaKey(view) => view.content(),
        }
    }
}

impl<'a> Node<'a, Exact> for ExactNode<'a> {
    type Object = ExactObject<'a>;
    type Array = ExactArray<'a>;
    type Number = ExactNumber;

    fn as_object(&self) -> Option<ExactObject<'a>> {
        let members = self.view().filter(View::is_object)?;
        let hides_schema_key = matches!(self, ExactNode::WithoutSchemaKey(_));
        Some(ExactObject { members, hides_schema_key })
    }

    fn as_array(&self) -> Option<ExactArray<'a>> {
        self.view().filter(View::is_array).map(ExactArray)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self.content() {
            Content::String(text) => Some(text),
            // What JSON cannot write is a string to the validator.
            Content::Number(number) if !number.is_finite() => {
                Some(Cow::Owned(number.text().to_owned()))
            }
            _ => None,
        }
    }

    fn as_number(&self) -> Option<ExactNumber> {
        match self.content() {
            Content::Number(number) if number.is_finite() => Some(ExactNumber(number)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.content() {
            Content::Bool(it) => Some(it),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.content(), Content::Null)
    }

    fn json_type(&self) -> JsonType {
        match self.content() {
            Content::Null => JsonType::Null,
            Content::Bool(_) => JsonType::Boolean,
            Content::Number(number) if number.is_finite() => JsonType::Number,
            Content::Number(_) | Content::String(_) => JsonType::String,
            Content::Array => JsonType::Array,
            Content::Object => JsonType::Object,
        }
    }

    fn to_value(&self) -> Cow<'a, JsonValue> {
        Cow::Owned(match *self {
            ExactNode::Value(view) => to_json(&view.to_value()),
            ExactNode::WithoutSchemaKey(view) => {
                let mut json = to_json(&view.to_value());
                if let Some(members) = json.as_object_mut() {
                    members.shift_remove("$schema");
                }
                json
            }
            ExactNode::Name(name) => JsonValue::String(name.to_owned()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        // No name lies at an address that is the number of a value.
        Some(NodeIdentity::new(match *self {
            ExactNode::Value(view) | ExactNode::WithoutSchemaKey(view) => view.id() as usize + 1,
            ExactNode::Name(name) => usize::MAX - name.as_ptr().addr() / 2,
        }))
    }
}

/// The members of an object. No key stands twice.
#[derive(Clone, Copy)]
pub(super) struct ExactObject<'a> {
    members: View<'a>,
    hides_schema_key: bool,
}

impl ExactObject<'_> {
    fn is_hidden(&self, key: &str) -> bool {
        self.hides_schema_key && key == "$schema"
    }
}

impl<'a> Object<'a, Exact> for ExactObject<'a> {
    type Node = ExactNode<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = DirectMembers<'a>;

    fn len(&self) -> usize {
        self.members().count()
    }

    fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }

    fn get(&self, key: &Box<str>) -> Option<ExactNode<'a>> {
        if self.is_hidden(key) {
            return None;
        }
        self.members.get(key).map(ExactNode::Value)
    }

    fn members(&self) -> DirectMembers<'a> {
        DirectMembers { rest: self.members.members(), hides_schema_key: self.hides_schema_key }
    }
}

/// The members of an object in order.
pub(super) struct DirectMembers<'a> {
    rest: document::ViewMembers<'a>,
    hides_schema_key: bool,
}

impl<'a> Iterator for DirectMembers<'a> {
    type Item = (Cow<'a, str>, ExactNode<'a>);

    fn next(&mut self) -> Option<(Cow<'a, str>, ExactNode<'a>)> {
        let hides = self.hides_schema_key;
        let (key, value) = self.rest.find(|it| !hides || it.0 != "$schema")?;
        Some((key, ExactNode::Value(value)))
    }
}

/// The items of an array.
#[derive(Clone, Copy)]
pub(super) struct ExactArray<'a>(View<'a>);

impl<'a> Array<'a, Exact> for ExactArray<'a> {
    type Node = ExactNode<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        self.0.items().count()
    }

    fn elements(&self) -> Elements<'a> {
        Elements(self.0.members())
    }
}

/// The items of an array in order.
pub(super) struct Elements<'a>(document::ViewMembers<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = ExactNode<'a>;

    fn next(&mut self) -> Option<ExactNode<'a>> {
        Some(ExactNode::Value(self.0.next()?.1))
    }
}

/// A number, which is text until somebody asks for more.
pub(super) struct ExactNumber(Number);

impl ExactNumber {
    fn number(&self) -> serde_json::Number {
        match number_to_json(&self.0) {
            JsonValue::Number(number) => number,
            _ => 0.into(),
        }
    }
}

impl JsonNumber for ExactNumber {
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

impl<'i> Keyword<'i, Exact> for budget::StepKeyword {
    fn validate(&self, _: ExactNode<'i>) -> Result<(), ValidationError<'i>> {
        budget::pay_step();
        Ok(())
    }

    fn is_valid(&self, _: ExactNode<'i>) -> bool {
        budget::pay_step();
        true
    }
}
