//! The parsed text: nodes with spans, the statements that spell them, and the uses of every key.
//! Everything is an index into a flat array; a node's children are a linked list.

use std::borrow::Cow;
use std::ops::Range;

use edit::Text;

use super::scalar;

/// No node, statement or use.
pub(super) const NONE: u32 = u32::MAX;

/// How a node is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeForm {
    Basic,
    Literal,
    MultilineBasic,
    MultilineLiteral,
    Integer,
    Float,
    Bool,
    Datetime,
    /// `[1, 2]`
    Array,
    /// `{ a = 1 }`
    InlineTable,
    /// The document itself.
    Root,
    /// A table with a header of its own.
    Header,
    /// A table that exists only because headers of its sub-tables name it.
    Implicit,
    /// A table that dotted keys spell, in a section's body or inside an inline table.
    Dotted,
    /// One `[[name]]` section.
    Item,
    /// All the `[[name]]` sections.
    ArrayOfTables,
}

impl NodeForm {
    pub(super) fn is_string(self) -> bool {
        matches!(
            self,
            NodeForm::Basic
                | NodeForm::Literal
                | NodeForm::MultilineBasic
                | NodeForm::MultilineLiteral
        )
    }

    pub(super) fn is_table(self) -> bool {
        matches!(
            self,
            NodeForm::InlineTable
                | NodeForm::Root
                | NodeForm::Header
                | NodeForm::Implicit
                | NodeForm::Dotted
                | NodeForm::Item
        )
    }

    /// Whether it is spelled by statements, not by one span.
    pub(super) fn is_spread(self) -> bool {
        matches!(
            self,
            NodeForm::Root
                | NodeForm::Header
                | NodeForm::Implicit
                | NodeForm::Dotted
                | NodeForm::Item
                | NodeForm::ArrayOfTables
        )
    }

    /// Whether it has a header line and a body.
    pub(super) fn is_section(self) -> bool {
        matches!(self, NodeForm::Header | NodeForm::Item)
    }
}

/// A value or a table. What it holds, and the places of its key, are rings: a link to the last one, which leads to
/// the first.
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) parent: u32,
    pub(super) last_child: u32,
    /// The member after this one; after the last, the first.
    pub(super) next: u32,
    /// The latest use of its key.
    pub(super) last_use: u32,
    pub(super) form: NodeForm,
}

/// One place where a key is spelled, as it is kept; where it ends is read from the text.
#[derive(Clone, Copy)]
pub(super) struct Spelling {
    pub(super) start: u32,
    pub(super) node: u32,
    /// The next use of the same node's key; after the last, the first.
    pub(super) next: u32,
}

/// One place where a key is spelled.
#[derive(Clone, Copy)]
pub(super) struct KeyUse {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) node: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StatementKind {
    /// `[a.b]` or `[[a.b]]`
    Header,
    /// `a.b = 1` on lines of its own
    KeyValue,
    /// `a.b = 1` inside an inline table
    Entry,
}

/// A statement as it is kept: the rest stands in its node and its keys.
#[derive(Clone, Copy)]
pub(super) struct Lead {
    /// The first of the keys that it spells; the highest bit says whether it is an entry of an inline table.
    first_use: u32,
    node: u32,
}

const IS_ENTRY: u32 = 1 << 31;

impl Lead {
    pub(super) fn new(first_use: u32, is_entry: bool) -> Lead {
        Lead { first_use: if is_entry { first_use | IS_ENTRY } else { first_use }, node: NONE }
    }

    pub(super) fn ends_in(&mut self, node: u32) {
        self.node = node;
    }

    fn first_use(self) -> u32 {
        self.first_use & !IS_ENTRY
    }
}

/// A header, a `key = value` line or an entry of an inline table.
#[derive(Clone, Copy)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// From the first bracket or key to the last bracket or the end of the value.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The keys that it spells, as a range of uses.
    first_use: u32,
    end_use: u32,
    /// The node that it ends in.
    pub(super) node: u32,
}

/// A parsed TOML document.
pub(crate) struct TomlTree {
    pub(super) text: Text,
    pub(super) nodes: Vec<Node>,
    pub(super) uses: Vec<Spelling>,
    /// In the order of the text, an entry after the statement whose value holds it.
    pub(super) leads: Vec<Lead>,
}

impl TomlTree {
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn form(&self, id: u32) -> NodeForm {
        self.node(id).form
    }

    pub(super) fn n_statements(&self) -> u32 {
        self.leads.len() as u32
    }

    pub(super) fn statement(&self, id: u32) -> Statement {
        let lead = self.leads[id as usize];
        let end_use = self.leads.get(id as usize + 1).map(|it| it.first_use());
        let node = self.node(lead.node);
        let (start, kind) = match () {
            () if node.form.is_section() => (node.start, StatementKind::Header),
            () if lead.first_use & IS_ENTRY != 0 => (self.lead_start(lead), StatementKind::Entry),
            () => (self.lead_start(lead), StatementKind::KeyValue),
        };
        Statement {
            kind,
            start,
            end: node.end,
            first_use: lead.first_use(),
            end_use: end_use.unwrap_or(self.uses.len() as u32),
            node: lead.node,
        }
    }

    /// Some of the statements in order.
    pub(super) fn statements(&self, ids: Range<u32>) -> impl Iterator<Item = Statement> + '_ {
        ids.map(|id| self.statement(id))
    }

    fn lead_start(&self, lead: Lead) -> u32 {
        let node = self.node(lead.node);
        if node.form.is_section() {
            return node.start;
        }
        self.uses[lead.first_use() as usize].start
    }

    /// The statement that ends in this node: the last one that starts no later than its header or value.
    pub(super) fn statement_of(&self, id: u32) -> Option<u32> {
        let node = self.node(id);
        let is_spelled = match node.form {
            NodeForm::Header | NodeForm::Item => true,
            form if form.is_spread() => false,
            _ => self.form(node.parent).is_table(),
        };
        if !is_spelled {
            return None;
        }
        let behind = self.leads.partition_point(|it| self.lead_start(*it) <= node.start);
        Some(behind.checked_sub(1)? as u32)
    }

    pub(super) fn value_span(&self, id: u32) -> Range<u32> {
        let node = self.node(id);
        node.start..node.end
    }

    /// The text of a span of the tree.
    pub(super) fn slice(&self, span: Range<u32>) -> &str {
        let text = self.text.as_str().unwrap_or_default();
        &text[span.start as usize..span.end as usize]
    }

    pub(super) fn child_ids(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        ring(self.node(id).last_child, |it| self.node(it).next)
    }

    fn use_of(&self, spelling: Spelling) -> KeyUse {
        let Spelling { start, node, .. } = spelling;
        KeyUse { start, end: scalar::key_end(self.text.bytes(), start), node }
    }

    pub(super) fn key_use(&self, id: u32) -> Option<KeyUse> {
        let last = self.uses.get(self.node(id).last_use as usize)?;
        Some(self.use_of(self.uses[last.next as usize]))
    }

    /// Every use of the node's key.
    pub(super) fn key_uses(&self, id: u32) -> impl Iterator<Item = KeyUse> + '_ {
        ring(self.node(id).last_use, |it| self.uses[it as usize].next)
            .map(|it| self.use_of(self.uses[it as usize]))
    }

    /// The key as it is spelled first.
    pub(super) fn key_text(&self, id: u32) -> &str {
        self.key_use(id).map_or("", |it| self.slice(it.start..it.end))
    }

    /// The decoded key.
    pub(super) fn key(&self, id: u32) -> Cow<'_, str> {
        scalar::key(self.key_text(id))
    }

    pub(super) fn uses_of(
        &self,
        statement: &Statement,
    ) -> impl DoubleEndedIterator<Item = KeyUse> + '_ {
        let uses = &self.uses[statement.first_use as usize..statement.end_use as usize];
        uses.iter().map(|it| self.use_of(*it))
    }

    /// The headers and `key = value` lines that spell the node and what it holds, in the order of the text.
    /// For nodes inside an inline table: its entries.
    pub(super) fn statements_in(&self, id: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut pending = vec![id];
        while let Some(node) = pending.pop() {
            found.extend(self.statement_of(node));
            if self.form(node).is_spread() {
                pending.extend(self.child_ids(node));
            }
        }
        found.sort_unstable();
        found
    }
}

/// The parts of a ring from the first to the last, which it is given.
pub(super) fn ring(last: u32, next: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    let mut upcoming = Some(last).filter(|it| *it != NONE).map(&next);
    std::iter::from_fn(move || {
        let part = upcoming?;
        upcoming = (part != last).then(|| next(part));
        Some(part)
    })
}
