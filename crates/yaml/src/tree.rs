//! The arena: nodes in document order, keys included, sixteen bytes each.
//!
//! A mapping's nodes are key, value, key, value, …; [`Tree::skip`] leads over everything that a node holds, so the
//! members of a collection are found without touching what is inside them. What few nodes have (anchors, tags,
//! indicators far away) is kept in tables beside them, sorted by node.

use std::borrow::Cow;
use std::ops::Range;

use crate::value;

/// How a node is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A scalar of no characters: the null of `key:`.
    Empty,
    /// A scalar without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// `*name`
    Alias,
    /// Items with `-`.
    BlockSequence,
    /// `[…]`
    FlowSequence,
    /// Members on lines of their own.
    BlockMapping,
    /// `{…}`
    FlowMapping,
    /// A mapping of one key without braces, an item of a flow sequence: `[a: b]`.
    FlowPair,
}

impl NodeKind {
    /// Whether its nodes are keys and values.
    pub fn is_mapping(self) -> bool {
        matches!(self, NodeKind::BlockMapping | NodeKind::FlowMapping | NodeKind::FlowPair)
    }

    /// Whether its nodes are items.
    pub fn is_sequence(self) -> bool {
        matches!(self, NodeKind::BlockSequence | NodeKind::FlowSequence)
    }

    /// Whether its members stand on lines, without brackets.
    pub fn is_block_collection(self) -> bool {
        matches!(self, NodeKind::BlockSequence | NodeKind::BlockMapping)
    }

    /// Whether its members stand between brackets, or could.
    pub fn is_flow_collection(self) -> bool {
        matches!(self, NodeKind::FlowSequence | NodeKind::FlowMapping | NodeKind::FlowPair)
    }

    /// Whether it is `|` or `>` with lines below.
    pub fn is_block_scalar(self) -> bool {
        matches!(self, NodeKind::Literal | NodeKind::Folded)
    }

    /// Whether it holds other nodes.
    pub fn is_collection(self) -> bool {
        self.is_mapping() || self.is_sequence()
    }

    /// Whether it has a text as its value.
    pub fn is_scalar(self) -> bool {
        !self.is_collection() && self != NodeKind::Alias
    }
}

/// A half-open range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// Whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// As a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The value is the bytes of the node, without quotes.
pub(crate) const VERBATIM: u8 = 1;
/// There is an entry about this node in [`Tree::properties`].
pub(crate) const HAS_PROPERTIES: u8 = 2;
/// The node is a key.
pub(crate) const IS_KEY: u8 = 4;
/// The node is the value of a key.
pub(crate) const IS_VALUE: u8 = 8;
/// The text ends in the last line of this block scalar, and that counts as no line break.
pub(crate) const UNTERMINATED: u8 = 16;

/// An indicator too far before its node to be counted in 16 bits.
pub(crate) const FAR: u16 = u16::MAX;

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Collections: the first node behind. Aliases: the target. Block scalars: the indentation of the content.
    pub(crate) link: u32,
    /// How far before `start` the indicator stands; 0 where there is none.
    pub(crate) back: u16,
    pub(crate) kind: NodeKind,
    pub(crate) flags: u8,
}

impl Node {
    /// How it is written.
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// The bytes of the value itself, without anchor and tag.
    ///
    /// It starts at the `|` of a block scalar and at the first `-`, `?`, key or `:` of a block collection, and ends
    /// behind the line break of a block scalar.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }

    /// Whether it is the key of a mapping's member.
    pub fn is_key(&self) -> bool {
        self.flags & IS_KEY != 0
    }

    /// Whether it is the value of a mapping's member.
    pub fn is_value(&self) -> bool {
        self.flags & IS_VALUE != 0
    }

    /// Whether it has an anchor or a tag.
    pub fn has_properties(&self) -> bool {
        self.flags & HAS_PROPERTIES != 0
    }

    /// Whether the value of this scalar is a part of the source, so that [`Node::value`] borrows.
    pub fn is_verbatim(&self) -> bool {
        self.flags & VERBATIM != 0
    }

    /// Whether this is a block scalar in whose last line the text ends, and [`Options::break_at_end`] is not set.
    ///
    /// [`Options::break_at_end`]: crate::Options::break_at_end
    pub fn is_unterminated(&self) -> bool {
        self.flags & UNTERMINATED != 0
    }

    /// The characters that a scalar stands for, in the text it was read from; nothing for other nodes.
    pub fn value<'a>(&self, text: &'a str) -> Cow<'a, str> {
        value::value(self, text)
    }

    /// How many columns the lines of a block scalar are indented.
    pub fn content_indent(&self) -> Option<u32> {
        self.kind.is_block_scalar().then_some(self.link)
    }
}

/// The anchor and tag before a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The node they are on.
    pub node: u32,
    /// `&name`, or nothing.
    pub anchor: Span,
    /// `!tag`, or nothing.
    pub tag: Span,
}

impl Properties {
    /// The first byte of the first of them.
    pub fn start(&self) -> u32 {
        match (self.anchor.is_empty(), self.tag.is_empty()) {
            (false, false) => self.anchor.start.min(self.tag.start),
            (false, true) => self.anchor.start,
            _ => self.tag.start,
        }
    }

    /// The byte after the last of them.
    pub fn end(&self) -> u32 {
        self.anchor.end.max(self.tag.end)
    }
}

/// A line that starts with `%`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directive {
    /// The line, without blanks and comment at its end.
    pub span: Span,
    /// What it says.
    pub kind: DirectiveKind,
}

/// What a directive says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectiveKind {
    /// `%YAML 1.2`
    Yaml,
    /// `%TAG handle prefix`
    Tag {
        /// `!name!`, with its exclamation marks.
        handle: Span,
        /// What stands for it in tags.
        prefix: Span,
    },
    /// Reserved for later versions of YAML; it means nothing.
    Reserved,
}

/// A document of the stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Its directives, as a range of [`Tree::directives`].
    pub directives: Range<usize>,
    /// `---`
    pub start_marker: Option<Span>,
    /// The node that holds all others of this document. Every document has one.
    pub root: u32,
    /// `...`
    pub end_marker: Option<Span>,
}

/// What a YAML stream holds, by places in its text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) properties: Vec<Properties>,
    /// (node, place of its indicator), where that is far from the node.
    pub(crate) far: Vec<(u32, u32)>,
    pub(crate) documents: Vec<Document>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) comments: Vec<Span>,
}

impl Tree {
    /// All nodes, by document and place.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The documents in order.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The directives of all documents in order.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    /// The comments in order, from `#` to the end of the line.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The anchors and tags, by node.
    pub fn all_properties(&self) -> &[Properties] {
        &self.properties
    }

    /// The anchor and tag of a node.
    pub fn properties(&self, id: u32) -> Option<&Properties> {
        self.nodes.get(id as usize).filter(|node| node.has_properties())?;
        let index = self.properties.binary_search_by_key(&id, |it| it.node).ok()?;
        self.properties.get(index)
    }

    /// The first node that is not inside this one.
    pub fn skip(&self, id: u32) -> u32 {
        match self.nodes.get(id as usize) {
            Some(node) if node.kind.is_collection() => node.link,
            _ => id + 1,
        }
    }

    /// What an alias stands for. The target may be a collection that the alias is part of.
    pub fn target(&self, alias: u32) -> Option<u32> {
        let node = self.nodes.get(alias as usize)?;
        (node.kind == NodeKind::Alias).then_some(node.link)
    }

    /// Where the `-` or `:` stands that introduces a node; for a key, where its `?` stands.
    pub fn indicator(&self, id: u32) -> Option<u32> {
        let node = self.nodes.get(id as usize)?;
        match node.back {
            0 => None,
            FAR => {
                let index = self.far.binary_search_by_key(&id, |it| it.0).ok()?;
                Some(self.far[index].1)
            }
            back => Some(node.start - u32::from(back)),
        }
    }

    /// The first byte that belongs to a node, its anchor and tag included.
    pub fn outer_start(&self, id: u32) -> u32 {
        let start = self.nodes.get(id as usize).map_or(0, |node| node.start);
        self.properties(id).map_or(start, |it| it.start().min(start))
    }

    /// The nodes right inside a collection: items, or keys and values by turns.
    pub fn children(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.skip(id);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.skip(child);
            Some(child)
        })
    }
}
