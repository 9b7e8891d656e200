//! Keys that one object has more than once, and where.

use std::ops::Range;

use crate::hash::HashMap;

use crate::document::{Document, Format};
use crate::pointer::Pointer;
use crate::source::{NodeId, SyntaxKind, SyntaxTree};
use crate::value::Number;

/// A key that its object has already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepeatedKey {
    /// The object.
    pub object: Pointer,
    /// The key.
    pub key: String,
    /// Where it stands first.
    pub first: Range<u32>,
    /// Where it stands again.
    pub again: Range<u32>,
}

/// The first `limit` keys of a document that repeat another, an object before those inside it. A YAML merge may stand
/// twice, and a key in quotes is not the number that it looks like.
pub(crate) fn repeated_keys(document: &Document, limit: usize) -> Vec<RepeatedKey> {
    let mut finder = Finder { document, at: Vec::new(), found: Vec::new(), limit };
    finder.enter(document.root());
    finder.found
}

struct Finder<'a> {
    document: &'a Document,
    at: Vec<String>,
    found: Vec<RepeatedKey>,
    limit: usize,
}

impl Finder<'_> {
    fn enter(&mut self, node: NodeId) {
        let source = self.document.source();
        let kind = source.kind(node);
        if !matches!(kind, SyntaxKind::Array | SyntaxKind::Object) || self.found.len() >= self.limit
        {
            return;
        }
        let children = source.children(node);
        if kind == SyntaxKind::Object {
            let mut seen: HashMap<(bool, &str), NodeId> =
                HashMap::with_capacity_and_hasher(children.len(), Default::default());
            for child in &children {
                let Some(key) = child.key.as_deref() else { continue };
                let id = (self.is_typed(source, child.node, key), key);
                let Some(first) = seen.insert(id, child.node) else { continue };
                let spans = (source.key_span(first), source.key_span(child.node));
                let (Some(first), Some(again)) = spans else { continue };
                if self.found.len() < self.limit && !self.is_merge(key) {
                    let object = Pointer::from_segments(self.at.clone());
                    self.found.push(RepeatedKey { object, key: key.to_owned(), first, again });
                }
            }
        }
        for (index, child) in children.iter().enumerate() {
            if matches!(source.kind(child.node), SyntaxKind::Array | SyntaxKind::Object) {
                let segment = child.key.as_deref().map_or_else(|| index.to_string(), str::to_owned);
                self.at.push(segment);
                self.enter(child.node);
                self.at.pop();
            }
        }
    }

    fn is_merge(&self, key: &str) -> bool {
        self.document.format() == Format::Yaml && key == "<<"
    }

    /// Whether the key is something else than a string: only in YAML, where it has no quotes.
    fn is_typed(&self, source: &dyn SyntaxTree, node: NodeId, key: &str) -> bool {
        if self.document.format() != Format::Yaml {
            return false;
        }
        let is_special = key.is_empty()
            || Number::parse(key).is_some()
            || ["true", "false", "null", "~"].iter().any(|it| it.eq_ignore_ascii_case(key));
        is_special
            && source.key_span(node).is_some_and(|span| {
                let bytes = self.document.text().bytes();
                !matches!(bytes.get(span.start as usize), Some(b'"' | b'\''))
            })
    }
}
