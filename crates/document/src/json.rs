//! JSON, also with comments and trailing commas (JSONC).
//!
//! The tree is an array of spans in document order; everything else (keys, strings, commas, comments, style) is
//! read from the text when someone asks. A byte order mark at the start is kept; a text that is only whitespace
//! and comments is not a document.

mod carry;
mod comments;
mod dupes;
mod gap;
mod insert;
mod lower;
mod parse;
mod remove;
mod render;
mod string;
mod style;

use std::borrow::Cow;
use std::ops::Range;

use edit::{Edit, Text};

use crate::draft::Draft;
use crate::limits::Limits;
use crate::refusal::{ParseError, Refusal, RefusalReason};
use crate::source::{Child, ItemSpans, NodeId, SyntaxKind, SyntaxTree};
use crate::value::{Number, Value};
use crate::view::Content;

/// Where a value stands, and where its key starts.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
    key: Option<u32>,
}

/// A value in the 12 bytes that it takes to find the rest in the text.
#[derive(Clone, Copy)]
struct Node {
    /// The start of the key, or of the value if it has none.
    start: u32,
    /// The end of the value.
    end: u32,
    /// The first node that is not inside this one; the highest bit says whether this one has a key.
    next: u32,
}

const HAS_KEY: u32 = 1 << 31;

pub(crate) struct JsonTree {
    text: Text,
    nodes: Vec<Node>,
    repeated_key: Option<u32>,
}

pub(crate) fn parse(text: &Text, limits: &Limits) -> Result<JsonTree, ParseError> {
    let parse::ParsedJson { nodes, repeated_key } = parse::parse(text.bytes(), limits)?;
    Ok(JsonTree { text: text.clone(), nodes, repeated_key })
}

impl JsonTree {
    fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    fn at(&self, node: NodeId) -> Span {
        let Node { start, end, next } = self.nodes[node.0 as usize];
        if next & HAS_KEY == 0 {
            return Span { start, end, key: None };
        }
        Span { start: self.value_start(start), end, key: Some(start) }
    }

    /// Where a member starts: its key, or its value if it has none.
    fn member_start(&self, node: NodeId) -> usize {
        self.nodes[node.0 as usize].start as usize
    }

    fn end(&self, node: NodeId) -> usize {
        self.nodes[node.0 as usize].end as usize
    }

    /// Where the value of the key at `key` starts.
    fn value_start(&self, key: u32) -> u32 {
        self.skip_to_value(self.key_end(key)) as u32
    }

    fn skip_to_value(&self, key_end: usize) -> usize {
        let bytes = self.bytes();
        let mut at = key_end;
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n' | b':') => at += 1,
                Some(b'/') => at = parse::end_of_comment(bytes, at).unwrap_or(bytes.len()),
                _ => return at,
            }
        }
    }

    /// The members of a container.
    fn child_ids(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let next_of = |node: u32| self.nodes[node as usize].next & !HAS_KEY;
        let end = next_of(node.0);
        let mut next = node.0 + 1;
        std::iter::from_fn(move || {
            let child = NodeId(next);
            (next < end).then(|| {
                next = next_of(next);
                child
            })
        })
    }

    /// The value of a node that starts at `start`. Every key is read once, where asking for a member's kind, key and
    /// value apart would read it three times.
    fn value_from(&self, node: NodeId, start: usize) -> Value {
        match self.bytes()[start] {
            b'{' => {
                let mut members = Vec::with_capacity(self.child_ids(node).count());
                for child in self.child_ids(node) {
                    let key = self.member_start(child);
                    let key_end = self.key_end(key as u32);
                    let name = string::decode(self.slice(key + 1, key_end - 1)).into_owned();
                    let value = self.value_from(child, self.skip_to_value(key_end));
                    members.push((name, value));
                }
                Value::Object(members)
            }
            b'[' => {
                let mut items = Vec::with_capacity(self.child_ids(node).count());
                let item = |child| self.value_from(child, self.member_start(child));
                items.extend(self.child_ids(node).map(item));
                Value::Array(items)
            }
            _ => scalar(self.slice(start, self.end(node))),
        }
    }

    /// The text between two offsets that stand on character boundaries.
    fn slice(&self, start: usize, end: usize) -> &str {
        let bytes = self.bytes().get(start..end).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The offset after the closing quote of the key that starts at `key`.
    fn key_end(&self, key: u32) -> usize {
        string::end_of_string(self.bytes(), key as usize + 1)
            .expect("the parser has read this key to its end")
            .end
    }

    fn key_text(&self, key: u32) -> Cow<'_, str> {
        string::decode(self.slice(key as usize + 1, self.key_end(key) - 1))
    }
}

/// The value of a scalar as it is written.
fn scalar(text: &str) -> Value {
    match text.as_bytes().first() {
        Some(b'"') => Value::String(string::decode(&text[1..text.len() - 1]).into_owned()),
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') => Value::Null,
        _ => Value::Number(Number::parse(text).expect("the parser has checked the number")),
    }
}

impl SyntaxTree for JsonTree {
    fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn kind(&self, node: NodeId) -> SyntaxKind {
        match self.bytes()[self.at(node).start as usize] {
            b'{' => SyntaxKind::Object,
            b'[' => SyntaxKind::Array,
            _ => SyntaxKind::Scalar,
        }
    }

    fn children(&self, node: NodeId) -> Vec<Child<'_>> {
        self.child_ids(node)
            .map(|child| {
                let Node { start, next, .. } = self.nodes[child.0 as usize];
                Child { key: (next & HAS_KEY != 0).then(|| self.key_text(start)), node: child }
            })
            .collect()
    }

    fn next_child(&self, container: NodeId, at: &mut u32) -> Option<Child<'_>> {
        let next_of = |node: u32| self.nodes[node as usize].next & !HAS_KEY;
        let id = if *at == 0 { container.0 + 1 } else { *at };
        if id >= next_of(container.0) {
            return None;
        }
        *at = next_of(id);
        let Node { start, next, .. } = self.nodes[id as usize];
        let key = (next & HAS_KEY != 0).then(|| self.key_text(start));
        Some(Child { key, node: NodeId(id) })
    }

    fn scalar_content(&self, node: NodeId) -> Content<'_> {
        let span = self.at(node);
        let text = self.slice(span.start as usize, span.end as usize);
        match text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
            Some(inside) => Content::String(string::decode(inside)),
            None => scalar(text).into(),
        }
    }

    fn scalar(&self, node: NodeId) -> Value {
        let span = self.at(node);
        scalar(self.slice(span.start as usize, span.end as usize))
    }

    fn value(&self, node: NodeId) -> Value {
        self.value_from(node, self.at(node).start as usize)
    }

    fn span(&self, node: NodeId) -> Range<u32> {
        let span = self.at(node);
        span.start..span.end
    }

    fn key_span(&self, node: NodeId) -> Option<Range<u32>> {
        self.at(node).key.map(|key| key..self.key_end(key) as u32)
    }

    fn blocked(&self, _document: usize) -> Option<Refusal> {
        let offset = self.repeated_key?;
        let key = self.key_text(offset).into_owned();
        Some(Refusal::new(RefusalReason::DuplicateKey { key }, offset))
    }

    fn comments(&self) -> Vec<Range<u32>> {
        comments::comments(self.bytes())
    }

    fn items(&self, array: NodeId) -> Option<ItemSpans> {
        let spans = self.child_ids(array).map(|item| self.span(item)).collect();
        Some(ItemSpans { spans, is_listed: true })
    }

    fn bytes_decide(&self) -> bool {
        true
    }

    fn refuses_value(&self, value: &Value) -> Option<RefusalReason> {
        let what = value.find_in_scalars(render::inexpressible)?;
        Some(RefusalReason::NotExpressible { format: "JSON", what: what.to_string() })
    }

    fn lower(&self, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
        lower::lower(self, draft)
    }
}
