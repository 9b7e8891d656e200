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
pub(super) enum Form {
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

impl Form {
    pub(super) fn is_string(self) -> bool {
        matches!(self, Form::Basic | Form::Literal | Form::MultilineBasic | Form::MultilineLiteral)
    }

    pub(super) fn is_table(self) -> bool {
        matches!(
            self,
            Form::InlineTable
                | Form::Root
                | Form::Header
                | Form::Implicit
                | Form::Dotted
                | Form::Item
        )
    }

    /// Whether it is spelled by statements, not by one span.
    pub(super) fn is_spread(self) -> bool {
        matches!(
            self,
            Form::Root
                | Form::Header
                | Form::Implicit
                | Form::Dotted
                | Form::Item
                | Form::ArrayOfTables
        )
    }

    /// Whether it has a header line and a body.
    pub(super) fn is_section(self) -> bool {
        matches!(self, Form::Header | Form::Item)
    }
}

pub(super) struct Node {
    pub(super) form: Form,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) parent: u32,
    pub(super) first_child: u32,
    pub(super) last_child: u32,
    pub(super) next: u32,
    /// The first use of its key.
    pub(super) key: u32,
    /// The latest use of its key; the others follow by [`Use::previous`].
    pub(super) last_use: u32,
    /// The statement that ends in this node: its header, or the one that gives its value.
    pub(super) statement: u32,
}

/// One place where a key is spelled.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) node: u32,
    /// The use of the same node's key before this one.
    pub(super) previous: u32,
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

/// A header, a `key = value` line or an entry of an inline table.
#[derive(Clone, Copy)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// From the first bracket or key to the last bracket or the end of the value.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The keys that it spells, as a range of uses.
    pub(super) first_use: u32,
    pub(super) end_use: u32,
    /// The node that it ends in.
    pub(super) node: u32,
}

/// A parsed TOML document.
pub(crate) struct TomlTree {
    pub(super) text: Text,
    pub(super) nodes: Vec<Node>,
    pub(super) uses: Vec<Use>,
    /// In the order of the text, an entry after the statement whose value holds it.
    pub(super) statements: Vec<Statement>,
}

impl TomlTree {
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn form(&self, id: u32) -> Form {
        self.node(id).form
    }

    pub(super) fn statement(&self, id: u32) -> &Statement {
        &self.statements[id as usize]
    }

    /// The statement that ends in this node.
    pub(super) fn statement_of(&self, node: u32) -> Option<u32> {
        Some(self.node(node).statement).filter(|it| *it != NONE)
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
        let first = Some(self.node(id).first_child).filter(|it| *it != NONE);
        std::iter::successors(first, |child| Some(self.node(*child).next).filter(|it| *it != NONE))
    }

    pub(super) fn key_use(&self, id: u32) -> Option<&Use> {
        self.uses.get(self.node(id).key as usize)
    }

    /// Every use of the node's key, the last one first.
    pub(super) fn key_uses(&self, id: u32) -> impl Iterator<Item = &Use> + '_ {
        let last = self.uses.get(self.node(id).last_use as usize);
        std::iter::successors(last, |it| self.uses.get(it.previous as usize))
    }

    /// The key as it is spelled first.
    pub(super) fn key_text(&self, id: u32) -> &str {
        self.key_use(id).map_or("", |it| self.slice(it.start..it.end))
    }

    /// The decoded key.
    pub(super) fn key(&self, id: u32) -> Cow<'_, str> {
        scalar::key(self.key_text(id))
    }

    pub(super) fn uses_of(&self, statement: &Statement) -> &[Use] {
        &self.uses[statement.first_use as usize..statement.end_use as usize]
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
