//! The values of a document, read from its text when somebody asks: for those who look at a large document once and need
//! no copy of it.

use std::borrow::Cow;

use crate::source::{NodeId, SyntaxKind, SyntaxTree};
use crate::value::{Number, Value};

/// A value of a document. Aliases are what they stand for.
#[derive(Clone, Copy)]
pub struct View<'a> {
    source: &'a (dyn SyntaxTree + Send + Sync),
    node: NodeId,
}

/// What a value is. Strings are borrowed where they are written as they are meant.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its exact digits.
    Number(Number),
    /// A string, or a TOML date or time as written.
    String(Cow<'a, str>),
    /// An array: see [`View::items`].
    Array,
    /// An object: see [`View::members`].
    Object,
}

impl From<Value> for Content<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Content::Null,
            Value::Bool(it) => Content::Bool(it),
            Value::Number(number) => Content::Number(number),
            Value::String(text) | Value::Datetime(text) => Content::String(Cow::Owned(text)),
            Value::Array(_) => Content::Array,
            Value::Object(_) => Content::Object,
        }
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(source: &'a (dyn SyntaxTree + Send + Sync), mut node: NodeId) -> View<'a> {
        // No alias stands for what it is part of: such a text is refused.
        while let Some(target) = source.alias_target(node) {
            node = target;
        }
        View { source, node }
    }

    /// A number that no other value of the same document has, but for those that are one by way of aliases.
    pub fn id(&self) -> u32 {
        self.node.0
    }

    /// What it is.
    pub fn content(&self) -> Content<'a> {
        match self.source.kind(self.node) {
            SyntaxKind::Array => Content::Array,
            SyntaxKind::Object => Content::Object,
            SyntaxKind::Alias => Content::Null,
            SyntaxKind::Scalar => self.source.scalar_content(self.node),
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.source.kind(self.node) == SyntaxKind::Array
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.source.kind(self.node) == SyntaxKind::Object
    }

    /// The members of an object, or the items of an array with empty keys; nothing for others.
    pub fn members(&self) -> ViewMembers<'a> {
        ViewMembers { container: *self, at: 0 }
    }

    /// The items of an array, or the values of an object.
    pub fn items(&self) -> impl Iterator<Item = View<'a>> + use<'a> {
        self.members().map(|it| it.1)
    }

    /// The first member with a key.
    pub fn get(&self, key: &str) -> Option<View<'a>> {
        if !self.is_object() {
            return None;
        }
        self.members().find(|it| it.0 == key).map(|it| it.1)
    }

    /// A copy.
    pub fn to_value(&self) -> Value {
        self.source.value(self.node)
    }
}

/// See [`View::members`].
#[derive(Clone)]
pub struct ViewMembers<'a> {
    container: View<'a>,
    at: u32,
}

impl<'a> Iterator for ViewMembers<'a> {
    type Item = (Cow<'a, str>, View<'a>);

    fn next(&mut self) -> Option<(Cow<'a, str>, View<'a>)> {
        let View { source, node } = self.container;
        let child = source.next_child(node, &mut self.at)?;
        Some((child.key.unwrap_or_default(), View::new(source, child.node)))
    }
}
