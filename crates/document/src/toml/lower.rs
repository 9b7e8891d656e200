//! From a draft to byte edits.
//!
//! Walks the opened containers from the root down and compares their members with the parsed ones. Tables that
//! are spelled by statements are changed line by line (`table`), arrays and inline tables between their brackets
//! (`list`). A moved table takes its own lines along, with the path respelled (`moved`).

mod list;
mod moved;
mod section;
mod table;
mod value;

use std::cell::RefCell;

use crate::hash::HashMap;
use edit::Edit;

use super::emit;
use super::layout::{InsertionRank, Layout, TextChanges};
use super::tree::{NodeForm, StatementKind, TomlTree};
use crate::draft::{Draft, LiveMember, Node};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{NodeId, SyntaxKind};

/// The edits that turn the text into one that reads as the draft.
pub(super) fn lower(tree: &TomlTree, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
    let layout = Layout::new(tree.text.bytes());
    let is_spaced = section::is_spaced(tree, &layout);
    let strings = RefCell::default();
    let mut lowering =
        TomlLowering { tree, draft, layout, is_spaced, strings, changes: TextChanges::default() };
    match draft.root() {
        Node::Base(NodeId(0)) => lowering.table(0, &Path::default())?,
        root => lowering.replace_document(root)?,
    }
    let TomlLowering { layout, changes, .. } = lowering;
    Ok(changes.finish(&layout))
}

struct TomlLowering<'a> {
    tree: &'a TomlTree,
    draft: &'a Draft,
    layout: Layout<'a>,
    /// Whether blank lines stand between sections.
    is_spaced: bool,
    /// The form of new strings by container, once it was asked for.
    strings: RefCell<HashMap<u32, NodeForm>>,
    changes: TextChanges,
}

/// The keys from the root to a table as they are spelled after the edit.
#[derive(Clone, Default)]
struct Path {
    keys: Vec<String>,
    /// How many of them the enclosing section's header spells; dotted keys spell the rest.
    n_header: usize,
}

impl Path {
    fn child(&self, key: &str, form: NodeForm) -> Path {
        let mut keys = self.keys.clone();
        keys.push(key.to_string());
        let n_header = if form == NodeForm::Dotted { self.n_header } else { keys.len() };
        Path { keys, n_header }
    }

    fn header(&self) -> String {
        self.keys.join(".")
    }

    /// A key of this table as its section's body spells it.
    fn dotted(&self, key: &str) -> String {
        let prefix = &self.keys[self.n_header..];
        if prefix.is_empty() { key.to_string() } else { [&prefix.join("."), ".", key].concat() }
    }
}

fn base(node: u32) -> Node {
    Node::Base(NodeId(node))
}

fn not_expressible(what: impl Into<String>, offset: u32) -> Refusal {
    Refusal::new(RefusalReason::NotExpressible { format: "TOML", what: what.into() }, offset)
}

impl<'a> TomlLowering<'a> {
    fn replace_document(&mut self, root: Node) -> Result<(), Refusal> {
        if self.draft.kind(root) != SyntaxKind::Object {
            return Err(not_expressible("a document that is not a table", 0));
        }
        let value = self.value_without_comments(root)?;
        let text = emit::document(&value, &self.style(0, "", ""))
            .map_err(|what| not_expressible(what, self.layout.start))?;
        self.changes.delete(self.layout.start, self.layout.end());
        self.changes.insert(self.layout.start, InsertionRank::Body, text);
        Ok(())
    }

    /// How a member of a table is spelled; `like` is the key of a neighbour.
    fn member_key(&self, member: &LiveMember<'_>, old: Option<u32>, like: Option<u32>) -> String {
        let text = |node: u32| self.tree.key_text(node);
        match (member.new_key, old) {
            (Some(key), Some(old)) => emit::key(key, Some(text(old))),
            (Some(key), None) => emit::key(key, like.map(text)),
            (None, Some(old)) => text(old).to_string(),
            (None, None) => String::new(),
        }
    }

    /// Writes `key` wherever the node's key is spelled.
    fn respell(&mut self, node: u32, key: &str) {
        for it in self.tree.key_uses(node) {
            self.changes.replace(it.start, it.end, key.to_string());
        }
    }

    /// Lowers what is inside an array or inline table that stays where it is.
    fn inside(&mut self, node: u32) -> Result<(), Refusal> {
        match self.tree.form(node) {
            NodeForm::Array => self.array(node),
            NodeForm::InlineTable => self.inline_table(node),
            _ => Ok(()),
        }
    }

    fn is_spread(&self, node: Node) -> bool {
        matches!(node, Node::Base(NodeId(id)) if self.tree.form(id).is_spread())
    }

    /// The last `key = value` line of a section's body. `section` is the root or has a header.
    fn last_line(&self, section: u32) -> Option<u32> {
        let first = self.tree.statement_of(section).map_or(0, |header| header + 1);
        let body = self.tree.statements(first..self.tree.n_statements()).zip(first..);
        body.take_while(|(it, _)| it.kind != StatementKind::Header)
            .filter(|(it, _)| it.kind == StatementKind::KeyValue)
            .last()
            .map(|(_, id)| id)
    }

    /// The statements of a table that stand before its first header: those with dotted keys.
    fn dotted_statements(&self, statements: &[u32]) -> usize {
        let is_header = |id: &u32| self.tree.statement(*id).kind == StatementKind::Header;
        statements.iter().position(is_header).unwrap_or(statements.len())
    }
}
