//! The span tree of a YAML document: one flat array of nodes in document order, keys included.
//!
//! A map's nodes are key, value, key, value, …; `skip` leads over everything that a node holds, so the members of
//! a container are found without touching what is inside them.

use std::ops::Range;

use edit::Text;

use crate::refusal::Refusal;
use crate::source::NodeId;

/// No offset, no index.
pub(super) const NONE: u32 = u32::MAX;

/// How a node is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A scalar of no characters: the null of `key:`.
    Empty,
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    Alias,
    BlockSequence,
    FlowSequence,
    BlockMapping,
    FlowMapping,
    /// A map of one key without braces, an item of a flow sequence: `[a: b]`.
    Pair,
}

impl Shape {
    pub(super) fn is_mapping(self) -> bool {
        matches!(self, Shape::BlockMapping | Shape::FlowMapping | Shape::Pair)
    }

    pub(super) fn is_sequence(self) -> bool {
        matches!(self, Shape::BlockSequence | Shape::FlowSequence)
    }

    pub(super) fn is_block_collection(self) -> bool {
        matches!(self, Shape::BlockSequence | Shape::BlockMapping)
    }

    pub(super) fn is_flow_collection(self) -> bool {
        matches!(self, Shape::FlowSequence | Shape::FlowMapping | Shape::Pair)
    }

    pub(super) fn is_block_scalar(self) -> bool {
        matches!(self, Shape::Literal | Shape::Folded)
    }

    pub(super) fn is_scalar(self) -> bool {
        !self.is_mapping() && !self.is_sequence() && self != Shape::Alias
    }
}

/// What a tag says about the value under it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TagKind {
    Str,
    Int,
    Float,
    Bool,
    Null,
    Seq,
    Map,
    /// A tag of the application; the value underneath is read as if it were not there.
    Custom,
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

#[derive(Clone, Copy, Debug)]
pub(super) struct NodeData {
    pub(super) shape: Shape,
    /// What is special about the keys of this map.
    pub(super) keys: KeyTraits,
    /// Whether this is the value of a map's member.
    pub(super) is_member: bool,
    /// Whether there is a [`More`] about this node.
    pub(super) has_more: bool,
    /// The first byte of the value itself: `|` of a block scalar, the first `-`, `?` or key of a block collection.
    pub(super) start: u32,
    /// The byte after the value; after the line break for block scalars.
    pub(super) end: u32,
    /// Where `-` or `:` stands that introduces this node; for a key, where its `?` stands.
    pub(super) indicator: u32,
    /// The id of the first node that is not inside this one.
    pub(super) skip: u32,
}

/// What is special about the keys of a map.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct KeyTraits {
    bits: u8,
}

impl KeyTraits {
    const MERGE: u8 = 1;
    const COMPLEX: u8 = 2;

    /// Takes note of one more key.
    pub(super) fn add(&mut self, is_merge: bool, is_complex: bool) {
        self.bits |= if is_merge { KeyTraits::MERGE } else { 0 };
        self.bits |= if is_complex { KeyTraits::COMPLEX } else { 0 };
    }

    /// Whether a plain `<<` is among them.
    pub(super) fn has_merge(self) -> bool {
        self.bits & KeyTraits::MERGE != 0
    }

    /// Whether one is not a scalar.
    pub(super) fn has_complex(self) -> bool {
        self.bits & KeyTraits::COMPLEX != 0
    }
}

/// What few nodes have; kept apart, because a large file has hundreds of thousands of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    pub(super) node: u32,
    /// Scalars: index of the decoded text where it differs from the source. Aliases: the target's id.
    pub(super) extra: u32,
    /// Index of the anchor and tag.
    pub(super) props: u32,
    /// The id of the key, for the value of a map's member, if the key is not the node right before.
    pub(super) key: u32,
}

/// An anchored node with what uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) node: u32,
    pub(super) uses: u32,
}

/// A parsed YAML stream. The nodes are those of its first document.
pub(crate) struct YamlTree {
    pub(super) text: Text,
    pub(super) nodes: Vec<NodeData>,
    /// By node id.
    pub(super) more: Vec<More>,
    pub(super) decoded: Vec<Box<str>>,
    pub(super) props: Vec<Props>,
    /// By node id.
    pub(super) anchors: Vec<Anchor>,
    /// (id of the alias, id of its target), by id of the alias.
    pub(super) aliases: Vec<(u32, u32)>,
    pub(super) blocked: Option<Refusal>,
    /// The byte after `---`, if the document has one.
    pub(super) marker_end: Option<u32>,
}

/// A member of a container: the id of its key, for maps, and of its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) key: Option<u32>,
    pub(super) value: u32,
}

impl YamlTree {
    pub(super) fn node(&self, id: u32) -> &NodeData {
        &self.nodes[id as usize]
    }

    pub(super) fn shape(&self, id: u32) -> Shape {
        self.node(id).shape
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    pub(super) fn slice(&self, range: Range<u32>) -> &str {
        let bytes = self.bytes().get(range.start as usize..range.end as usize).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn props(&self, id: u32) -> Option<&Props> {
        self.props.get(self.more(id)?.props as usize)
    }

    /// What an alias stands for.
    pub(super) fn target(&self, alias: u32) -> Option<u32> {
        self.more(alias).map(|it| it.extra).filter(|_| self.shape(alias) == Shape::Alias)
    }

    /// The key of the value of a map's member.
    pub(super) fn key_of(&self, id: u32) -> Option<u32> {
        if !self.node(id).is_member {
            return None;
        }
        self.more(id).map(|it| it.key).filter(|key| *key != NONE).or(id.checked_sub(1))
    }

    fn more(&self, id: u32) -> Option<&More> {
        if !self.node(id).has_more {
            return None;
        }
        self.more.binary_search_by_key(&id, |it| it.node).ok().map(|index| &self.more[index])
    }

    /// For the node that was added last: what few nodes have.
    pub(super) fn more_mut(&mut self, id: u32) -> &mut More {
        if self.more.last().is_none_or(|it| it.node != id) {
            self.nodes[id as usize].has_more = true;
            self.more.push(More { node: id, extra: NONE, props: NONE, key: NONE });
        }
        self.more.last_mut().expect("it has just been added if it was not there")
    }

    /// The first byte that belongs to the node, its anchor and tag included.
    pub(super) fn outer_start(&self, id: u32) -> u32 {
        let start = self.node(id).start;
        self.props(id).map_or(start, |props| props.start().min(start))
    }

    /// The members of a container; none for scalars and aliases.
    pub(super) fn entries(&self, id: u32) -> Vec<Entry> {
        let node = self.node(id);
        let mut entries = Vec::new();
        let mut next = id + 1;
        if node.shape.is_mapping() {
            while next < node.skip {
                let value = self.node(next).skip;
                entries.push(Entry { key: Some(next), value });
                next = self.node(value).skip;
            }
        } else if node.shape.is_sequence() {
            while next < node.skip {
                entries.push(Entry { key: None, value: next });
                next = self.node(next).skip;
            }
        }
        entries
    }

    /// The first byte of a member: its `-` or `?`, or its key, or its `:` where the key is empty.
    pub(super) fn entry_start(&self, entry: Entry, is_block: bool) -> u32 {
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
    pub(super) fn entry_end(&self, entry: Entry) -> u32 {
        let value = self.node(entry.value);
        match entry.key {
            Some(key) if value.shape == Shape::Empty && value.indicator == NONE => {
                value.end.max(self.node(key).end)
            }
            _ => value.end,
        }
    }

    /// The characters that a scalar stands for, before its type is known.
    pub(super) fn scalar_text(&self, id: u32) -> &str {
        let node = self.node(id);
        if let Some(decoded) = self.more(id).and_then(|it| self.decoded.get(it.extra as usize)) {
            return decoded;
        }
        match node.shape {
            Shape::Empty => "",
            Shape::SingleQuoted | Shape::DoubleQuoted => self.slice(node.start + 1..node.end - 1),
            _ => self.slice(node.start..node.end),
        }
    }

    /// Whether a block scalar takes the blank lines behind it into its value: `|+`.
    pub(super) fn keeps_blank_lines(&self, id: u32) -> bool {
        let node = self.node(id);
        let header = self.bytes().get(node.start as usize..).unwrap_or_default();
        node.shape.is_block_scalar()
            && header
                .iter()
                .take_while(|byte| !byte.is_ascii_whitespace())
                .any(|&byte| byte == b'+')
    }

    /// The key as a pointer names it: a scalar's characters whatever its type, any other key as it is written.
    pub(super) fn key_text(&self, key: u32) -> &str {
        let node = self.node(key);
        match node.shape {
            shape if shape.is_scalar() => self.scalar_text(key),
            Shape::Alias => match self.target(key) {
                Some(target) if self.shape(target).is_scalar() => self.scalar_text(target),
                _ => self.slice(self.outer_start(key)..node.end),
            },
            _ => self.slice(self.outer_start(key)..node.end),
        }
    }

    /// The name of the anchor on a node.
    pub(super) fn anchor_name(&self, id: u32) -> String {
        let range = self.props(id).and_then(|props| props.anchor.clone()).unwrap_or_default();
        self.slice(range).trim_start_matches('&').to_string()
    }

    /// How many aliases stand for this node.
    pub(super) fn uses(&self, id: u32) -> u32 {
        let found = self.anchors.binary_search_by_key(&id, |anchor| anchor.node);
        found.map_or(0, |index| self.anchors[index].uses)
    }

    pub(super) fn id(node: NodeId) -> u32 {
        node.0
    }
}
