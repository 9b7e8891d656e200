//! The span tree of a YAML stream, as the reader gives it, and what edits ask about it.
//!
//! A node is looked up in the reader's arena whenever it is needed; nothing is copied. All documents of a stream
//! are in one arena, each with a root of its own.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

pub(super) use ::yaml::NodeKind;
use ::yaml::{Node, Span, Tree};
use edit::Text;

use super::duplicates;
use super::expansion::Aliases;
use super::scan::offset;
use crate::refusal::{Refusal, RefusalReason};
use crate::source::NodeId;

/// No offset.
pub(super) const NONE: u32 = u32::MAX;

/// What a tag says about the value under it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TagKind {
    Str,
    /// Base64, which is a string to everybody who asks for values.
    Binary,
    Int,
    Float,
    Bool,
    Null,
    Seq,
    Map,
    /// A tag of the application; the value underneath is read as if it were not there.
    Custom,
}

impl TagKind {
    fn of(name: &str) -> TagKind {
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("binary") => TagKind::Binary,
            Some("int") => TagKind::Int,
            Some("float") => TagKind::Float,
            Some("bool") => TagKind::Bool,
            Some("null") => TagKind::Null,
            Some("seq") => TagKind::Seq,
            Some("map") => TagKind::Map,
            // Types that only YAML 1.1 knows (`!!timestamp`, `!!set`) are strings.
            Some(_) => TagKind::Str,
            // The non-specific tag makes a scalar a string.
            None if name == "!" => TagKind::Str,
            None => TagKind::Custom,
        }
    }
}

/// The anchor and tag before a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Props {
    pub(super) anchor: Option<Range<u32>>,
    pub(super) tag: Option<(Range<u32>, TagKind)>,
}

impl Props {
    /// The byte after the last property.
    pub(super) fn end(&self) -> u32 {
        let anchor = self.anchor.as_ref().map_or(0, |it| it.end);
        anchor.max(self.tag.as_ref().map_or(0, |it| it.0.end))
    }

    pub(super) fn start(&self) -> u32 {
        let anchor = self.anchor.as_ref().map_or(NONE, |it| it.start);
        anchor.min(self.tag.as_ref().map_or(NONE, |it| it.0.start))
    }
}

/// A node of the arena with what the arena keeps beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeData {
    pub(super) shape: NodeKind,
    /// The first byte of the value itself: `|` of a block scalar, the first `-`, `?` or key of a block collection.
    pub(super) start: u32,
    /// The byte after the value; after the line break for block scalars.
    pub(super) end: u32,
    /// Where `-` or `:` stands that introduces this node; for a key, where its `?` stands.
    pub(super) indicator: u32,
    /// The id of the first node that is not inside this one.
    pub(super) skip: u32,
}

/// A parsed YAML stream: the documents of a text.
pub(crate) struct YamlTree {
    text: Text,
    tree: Tree,
    aliases: Aliases,
    /// Why a document may not be edited, found out when somebody asks.
    blocked: Vec<OnceLock<Option<Refusal>>>,
    /// Why none of them may be edited, whatever is in it.
    all_blocked: OnceLock<Option<Refusal>>,
}

/// A member of a container: the id of its key, for maps, and of its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberNodes {
    pub(super) key: Option<u32>,
    pub(super) value: u32,
}

impl YamlTree {
    pub(super) fn new(text: Text, tree: Tree, aliases: Aliases) -> YamlTree {
        let n_documents = tree.documents().len().max(1);
        let blocked = std::iter::repeat_with(OnceLock::new).take(n_documents).collect();
        YamlTree { text, tree, aliases, blocked, all_blocked: OnceLock::new() }
    }

    /// How many documents there are. A stream without any reads as a null at its end.
    pub(super) fn n_documents(&self) -> usize {
        self.blocked.len()
    }

    pub(super) fn root_of(&self, document: usize) -> Option<u32> {
        match self.tree.documents().get(document) {
            Some(document) => Some(document.root),
            None => (document == 0).then_some(0),
        }
    }

    /// The document that a node is part of.
    pub(super) fn document_of(&self, id: u32) -> Option<&::yaml::Document> {
        let documents = self.tree.documents();
        let behind = documents.partition_point(|it| it.root <= id);
        documents.get(behind.checked_sub(1)?)
    }

    /// The byte after the `---` of the document that a node is part of.
    pub(super) fn marker_end(&self, id: u32) -> Option<u32> {
        self.document_of(id)?.start_marker.map(|it| it.end)
    }

    /// The ids of all nodes.
    pub(super) fn ids(&self) -> Range<u32> {
        0..offset(self.tree.nodes().len())
    }

    /// Why nothing in a document may be edited.
    pub(super) fn blocked(&self, document: usize) -> Option<Refusal> {
        let find = || {
            let root = self.root_of(document)?;
            let duplicate = duplicates::find(self, root..self.node(root).skip);
            // There may be many documents, and each would look through the whole text.
            let of_all = || self.all_blocked.get_or_init(|| lone_carriage_return(self.bytes()));
            duplicate.or_else(|| of_all().clone())
        };
        self.blocked.get(document)?.get_or_init(find).clone()
    }

    pub(super) fn arena(&self) -> &Tree {
        &self.tree
    }

    pub(super) fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    fn raw(&self, id: u32) -> Option<&Node> {
        self.tree.nodes().get(id as usize)
    }

    pub(super) fn node(&self, id: u32) -> NodeData {
        let Some(node) = self.raw(id) else {
            // The null of a stream without documents.
            let end = offset(self.bytes().len());
            let (start, indicator, skip) = (end, NONE, id + 1);
            return NodeData { shape: NodeKind::Empty, start, end, indicator, skip };
        };
        let Span { start, end } = node.span();
        let indicator = self.tree.indicator(id).unwrap_or(NONE);
        NodeData { shape: node.kind(), start, end, indicator, skip: self.tree.skip(id) }
    }

    pub(super) fn shape(&self, id: u32) -> NodeKind {
        self.raw(id).map_or(NodeKind::Empty, Node::kind)
    }

    pub(super) fn skip(&self, id: u32) -> u32 {
        self.tree.skip(id)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    fn source(&self) -> &str {
        // The parser took it as one.
        self.text.as_str().unwrap_or_default()
    }

    pub(super) fn slice(&self, range: Range<u32>) -> &str {
        self.source().get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    pub(super) fn props(&self, id: u32) -> Option<Props> {
        let properties = self.tree.properties(id)?;
        let range = |span: Span| (!span.is_empty()).then_some(span.start..span.end);
        let tag = range(properties.tag).map(|range| {
            let name = self.document_of(id).and_then(|it| self.tree.tag(it, id, self.source()));
            (range, name.map_or(TagKind::Custom, |it| TagKind::of(&it)))
        });
        Some(Props { anchor: range(properties.anchor), tag })
    }

    /// What an alias stands for.
    pub(super) fn target(&self, alias: u32) -> Option<u32> {
        self.tree.target(alias)
    }

    /// The key of the value of a map's member.
    pub(super) fn key_of(&self, id: u32) -> Option<u32> {
        self.raw(id).filter(|node| node.is_value())?;
        // A key that is a collection ends right before its value; what it holds comes in between.
        let is_key =
            |key: &u32| self.raw(*key).is_some_and(|node| node.is_key()) && self.skip(*key) == id;
        (0..id).rev().find(is_key)
    }

    /// The first byte that belongs to the node, its anchor and tag included.
    pub(super) fn outer_start(&self, id: u32) -> u32 {
        match self.raw(id) {
            Some(_) => self.tree.outer_start(id),
            None => self.node(id).start,
        }
    }

    /// The members of a container; none for scalars and aliases.
    pub(super) fn entries(&self, id: u32) -> Vec<MemberNodes> {
        let mut entries = Vec::new();
        self.each_entry(id, |entry| entries.push(entry));
        entries
    }

    /// Visits the members of a container.
    pub(super) fn each_entry(&self, id: u32, mut visit: impl FnMut(MemberNodes)) {
        let shape = self.shape(id);
        let end = if shape.is_collection() { self.skip(id) } else { id };
        let mut next = id + 1;
        if shape.is_mapping() {
            while next < end {
                let value = self.skip(next);
                visit(MemberNodes { key: Some(next), value });
                next = self.skip(value);
            }
        } else {
            while next < end {
                visit(MemberNodes { key: None, value: next });
                next = self.skip(next);
            }
        }
    }

    /// The first byte of a member: its `-` or `?`, or its key, or its `:` where the key is empty.
    pub(super) fn entry_start(&self, entry: MemberNodes, is_block: bool) -> u32 {
        match entry.key {
            Some(key) => match self.node(key).indicator {
                NONE => self.outer_start(key),
                question_mark => question_mark,
            },
            None if is_block => self.node(entry.value).indicator,
            None => self.outer_start(entry.value),
        }
    }

    /// The byte after a member.
    pub(super) fn entry_end(&self, entry: MemberNodes) -> u32 {
        let value = self.node(entry.value);
        match entry.key {
            Some(key) if value.shape == NodeKind::Empty && value.indicator == NONE => {
                value.end.max(self.node(key).end)
            }
            _ => value.end,
        }
    }

    /// The characters that a scalar stands for, before its type is known.
    pub(super) fn scalar_text(&self, id: u32) -> Cow<'_, str> {
        let Some(node) = self.raw(id) else { return Cow::Borrowed("") };
        node.value(self.source())
    }

    /// The `|` or `>` of a block scalar with its indicators; nothing for other nodes.
    pub(super) fn header(&self, id: u32) -> &str {
        let node = self.node(id);
        let written = if node.shape.is_block_scalar() { node.start..node.end } else { 0..0 };
        self.slice(written).split([' ', '\t', '\r', '\n']).next().unwrap_or_default()
    }

    /// Whether a block scalar takes the blank lines behind it into its value: `|+`.
    pub(super) fn keeps_blank_lines(&self, id: u32) -> bool {
        self.header(id).contains('+')
    }

    /// Whether the text ends in the last line of a block scalar, without a line break.
    pub(super) fn is_unterminated(&self, id: u32) -> bool {
        self.raw(id).is_some_and(Node::is_unterminated)
    }

    /// The key as a pointer names it: a scalar's characters whatever its type, any other key as it is written.
    pub(super) fn key_text(&self, key: u32) -> Cow<'_, str> {
        let shape = self.shape(key);
        if shape.is_scalar() {
            return self.scalar_text(key);
        }
        match self.target(key).filter(|&target| self.shape(target).is_scalar()) {
            Some(target) => self.scalar_text(target),
            None => Cow::Borrowed(self.slice(self.outer_start(key)..self.node(key).end)),
        }
    }

    /// Whether a key is a plain `<<`.
    pub(super) fn is_merge_key(&self, key: u32) -> bool {
        self.raw(key).is_some_and(|node| node.kind() == NodeKind::Plain && node.is_verbatim())
            && self.scalar_text(key) == "<<"
    }

    /// Whether a map has a key that is not a scalar.
    pub(super) fn has_complex_key(&self, id: u32) -> bool {
        let mut found = false;
        self.each_entry(id, |entry| {
            found |= entry.key.is_some_and(|key| !self.shape(key).is_scalar());
        });
        found
    }

    /// The name of the anchor on a node.
    pub(super) fn anchor_name(&self, id: u32) -> String {
        let range = self.props(id).and_then(|props| props.anchor).unwrap_or_default();
        self.slice(range).trim_start_matches('&').to_string()
    }

    pub(super) fn id(node: NodeId) -> u32 {
        node.0
    }
}

/// Such a line break is legal and next to unknown: what is found between the nodes relies on `\n`.
fn lone_carriage_return(bytes: &[u8]) -> Option<Refusal> {
    let at = memchr::memchr_iter(b'\r', bytes).find(|at| bytes.get(at + 1) != Some(&b'\n'))?;
    Some(Refusal::new(RefusalReason::LoneCarriageReturn, offset(at)))
}
