//! A value of a document and where it stands.

use document::{Pointer, Value};

/// A value and the pointer to it.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    pub(super) at: Pointer,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Node<'a> {
        Node { value, at: Pointer::root() }
    }

    /// A member of an object.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        Some(Node { value: self.value.get(key)?, at: self.at.join(key) })
    }

    /// A member of an object, that of an object, and so on.
    pub(super) fn get_in(&self, keys: &[&str]) -> Option<Node<'a>> {
        keys.iter().try_fold(self.clone(), |node, key| node.get(key))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    /// The keys of an object, in order; none for anything else.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let members = match self.value {
            Value::Object(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(|it| it.0.as_str())
    }

    /// The members of an object, in order; none for anything else.
    pub(super) fn members(&self) -> Vec<(&'a str, Node<'a>)> {
        let Value::Object(members) = self.value else { return Vec::new() };
        let member = |(key, value): &'a (String, Value)| {
            (key.as_str(), Node { value, at: self.at.join(key.as_str()) })
        };
        members.iter().map(member).collect()
    }

    /// The items of an array, in order; none for anything else.
    pub(super) fn items(&self) -> Vec<Node<'a>> {
        let Value::Array(items) = self.value else { return Vec::new() };
        let item = |(idx, value)| Node { value, at: self.at.join(idx_text(idx)) };
        items.iter().enumerate().map(item).collect()
    }

    /// The items of an array, or the one value that stands for an array of one.
    pub(super) fn one_or_many(&self) -> Vec<Node<'a>> {
        match self.value {
            Value::Array(_) => self.items(),
            Value::Null => Vec::new(),
            _ => vec![self.clone()],
        }
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Whether it is a text with a placeholder, whose value is not known.
    pub(super) fn is_dynamic(&self) -> bool {
        self.text().is_some_and(|it| it.contains("${{"))
    }

    /// A scalar as the text that GitHub makes of it.
    pub(super) fn scalar(&self) -> Option<String> {
        match self.value {
            Value::String(text) | Value::Datetime(text) => Some(text.clone()),
            Value::Number(number) => Some(number.text().to_owned()),
            Value::Bool(it) => Some(it.to_string()),
            _ => None,
        }
    }
}

fn idx_text(idx: usize) -> String {
    idx.to_string()
}
