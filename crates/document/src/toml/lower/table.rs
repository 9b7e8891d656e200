//! Tables that are spelled by statements: the document, sections, dotted and implicit tables, arrays of tables.

use super::{Path, TomlLowering, base, not_expressible};
use crate::draft::{LiveMember, Node};
use crate::refusal::Refusal;
use crate::source::{NodeId, SyntaxKind};
use crate::toml::emit;
use crate::toml::layout::InsertionRank;
use crate::toml::tree::{NodeForm, StatementKind};
use crate::value::Value;

/// A new `key = value` line.
pub(super) struct KeyValueLine {
    pub(super) key: String,
    pub(super) rest: Rest,
    /// Blanks and a comment after the value.
    pub(super) tail: String,
}

/// What follows a line's key.
pub(super) enum Rest {
    /// The value; the equals sign is put as in the lines around it.
    Value(String),
    /// More keys, the equals sign and the value, from where the line stood before.
    Moved(String),
}

/// What a table gets beside what it has.
#[derive(Default)]
pub(super) struct Additions {
    pub(super) lines: Vec<KeyValueLine>,
    /// Each with a line end after its last line.
    pub(super) sections: Vec<String>,
}

impl Additions {
    pub(super) fn push_value(&mut self, key: &str, value: String, tail: String) {
        self.lines.push(KeyValueLine { key: key.to_string(), rest: Rest::Value(value), tail });
    }
}

impl TomlLowering<'_> {
    pub(super) fn table(&mut self, table: u32, path: &Path) -> Result<(), Refusal> {
        let draft = self.draft;
        let Some(members) = draft.members(base(table)) else { return Ok(()) };
        let children: Vec<u32> = self.tree.child_ids(table).collect();
        let mut is_settled = vec![false; children.len()];
        let mut additions = Additions::default();
        for member in &members {
            let old = member.origin.and_then(|origin| children.get(origin as usize).copied());
            if let Some(child) = self.staying_child(table, old, member.node) {
                let key = match (old, member.new_key) {
                    (Some(old), None) if old != child => self.tree.key_text(old).to_string(),
                    _ => self.member_key(member, Some(child), None),
                };
                if old != Some(child) || member.new_key.is_some() {
                    self.respell(child, &key);
                }
                if let Ok(position) = children.binary_search(&child) {
                    is_settled[position] = true;
                }
                self.kept(child, &key, path, &mut additions)?;
                continue;
            }
            let key = self.member_key(member, old, children.last().copied());
            match (old, member.origin) {
                (Some(old), Some(origin)) => {
                    let is_renamed = member.new_key.is_some();
                    is_settled[origin as usize] = self.replaced(
                        table,
                        old,
                        is_renamed,
                        &key,
                        member.node,
                        path,
                        &mut additions,
                    )?;
                }
                _ => self.added(table, &key, member.node, path, &mut additions)?,
            }
        }
        for (child, _) in children.iter().zip(&is_settled).filter(|(_, settled)| !**settled) {
            self.remove(*child);
        }
        self.write_additions(table, path, additions, members.is_empty());
        Ok(())
    }

    /// The parsed child that a member is: the one that stood in its place, or a section of the same table, which
    /// moves by respelling its headers.
    fn staying_child(&self, table: u32, old: Option<u32>, node: Node) -> Option<u32> {
        let Node::Base(NodeId(id)) = node else { return None };
        if old == Some(id) {
            return old;
        }
        let is_sections = matches!(
            self.tree.form(id),
            NodeForm::Header | NodeForm::Implicit | NodeForm::ArrayOfTables
        );
        let moves_in_place = is_sections
            && self.tree.node(id).parent == table
            && self.dotted_statements(&self.tree.statements_in(id)) == 0;
        moves_in_place.then_some(id)
    }

    fn kept(
        &mut self,
        child: u32,
        key: &str,
        path: &Path,
        additions: &mut Additions,
    ) -> Result<(), Refusal> {
        if self.draft.members(base(child)).is_none() {
            return Ok(());
        }
        let form = self.tree.form(child);
        match form {
            NodeForm::ArrayOfTables => {
                if let Some(value) = self.array_of_tables(child, &path.child(key, form))? {
                    additions.push_value(key, value, String::new());
                }
                Ok(())
            }
            form if form.is_spread() => self.table(child, &path.child(key, form)),
            _ => self.inside(child),
        }
    }

    /// Puts `node` where `old` stood. Says whether the statements of `old` are dealt with.
    #[expect(clippy::too_many_arguments, reason = "one call, and no two of them belong together")]
    fn replaced(
        &mut self,
        table: u32,
        old: u32,
        is_renamed: bool,
        key: &str,
        node: Node,
        path: &Path,
        additions: &mut Additions,
    ) -> Result<bool, Refusal> {
        let form = self.tree.form(old);
        if !form.is_spread() && !self.is_spread(node) {
            let text = self.value_text(node, Some(old), table)?;
            self.carry_tail(node, old)?;
            let span = self.tree.value_span(old);
            self.changes.replace(span.start, span.end, text);
            if is_renamed {
                self.respell(old, key);
            }
            return Ok(true);
        }
        if let Node::New(_) = node {
            let value = self.value_without_comments(node)?;
            let fits = match form {
                NodeForm::Header | NodeForm::Implicit => matches!(value, Value::Object(_)),
                NodeForm::ArrayOfTables => emit::is_array_of_tables(&value),
                _ => false,
            };
            if fits {
                self.replace_sections(old, &path.child(key, form), &value)?;
                return Ok(true);
            }
            if form == NodeForm::Dotted {
                let text = self.value_text(node, None, table)?;
                let line = KeyValueLine {
                    key: key.to_string(),
                    rest: Rest::Value(text),
                    tail: String::new(),
                };
                self.insert_dotted_line(old, path, &line);
                return Ok(false);
            }
        }
        self.added(table, key, node, path, additions)?;
        Ok(false)
    }

    /// Writes new sections where the sections of `old` start, and removes those.
    fn replace_sections(&mut self, old: u32, path: &Path, value: &Value) -> Result<(), Refusal> {
        let statements = self.tree.statements_in(old);
        let Some(first) = statements.first().map(|id| self.tree.statement(*id).start) else {
            return Ok(());
        };
        let style = match self.tree.form(old) {
            NodeForm::Header => self.style_of_section(old, old),
            _ => self.section_style(old),
        };
        let text = emit::sections(&path.header(), value, &style)
            .map_err(|what| not_expressible(what, first))?;
        self.changes.insert(self.layout.line_start(first), InsertionRank::Before, text);
        self.delete_statements(&statements, false, true);
        Ok(())
    }

    /// Adds a member that the table does not have.
    fn added(
        &mut self,
        table: u32,
        key: &str,
        node: Node,
        path: &Path,
        additions: &mut Additions,
    ) -> Result<(), Refusal> {
        if let Node::Base(NodeId(id)) = node
            && self.tree.form(id).is_spread()
            && self.move_in(id, key, path, additions)
        {
            return Ok(());
        }
        if self.writes_sections(table, node) {
            let value = self.value_without_comments(node)?;
            let style = self.section_style(table);
            let path = path.child(key, NodeForm::Header);
            let text = emit::sections(&path.header(), &value, &style)
                .map_err(|what| not_expressible(what, self.tree.value_span(table).start))?;
            additions.sections.push(text);
            return Ok(());
        }
        let text = self.value_text(node, None, table)?;
        let tail = self.tail(node).unwrap_or_default().to_string();
        additions.push_value(key, text, tail);
        Ok(())
    }

    /// Whether a new value is written as sections: it is an object or an array of objects, and most siblings of
    /// its kind are sections; if there are none of its kind, the last sibling of the other.
    fn writes_sections(&self, table: u32, node: Node) -> bool {
        if matches!(node, Node::Base(NodeId(id)) if !self.tree.form(id).is_spread()) {
            return false;
        }
        let is_object = self.draft.kind(node) == SyntaxKind::Object;
        let items = self.draft.members(node).unwrap_or_default();
        let is_item = |it: &LiveMember<'_>| self.draft.kind(it.node) == SyntaxKind::Object;
        let is_array_of_objects = self.draft.kind(node) == SyntaxKind::Array
            && !items.is_empty()
            && items.iter().all(is_item);
        if !is_object && !is_array_of_objects {
            return false;
        }
        if self.tree.form(table) == NodeForm::Dotted {
            return false;
        }
        let votes = self.tree.child_ids(table).filter_map(|child| match self.tree.form(child) {
            NodeForm::Header | NodeForm::Implicit => Some((true, true)),
            NodeForm::ArrayOfTables => Some((false, true)),
            NodeForm::InlineTable | NodeForm::Dotted => Some((true, false)),
            NodeForm::Array
                if self.tree.child_ids(child).any(|it| self.tree.form(it).is_table()) =>
            {
                Some((false, false))
            }
            _ => None,
        });
        let votes: Vec<(bool, bool)> = votes.collect();
        let of_kind: Vec<bool> =
            votes.iter().filter(|(object, _)| *object == is_object).map(|it| it.1).collect();
        let n_sections = of_kind.iter().filter(|in_sections| **in_sections).count();
        match of_kind.last().or(votes.last().map(|it| &it.1)) {
            Some(last) if n_sections * 2 == of_kind.len() => *last,
            Some(_) => n_sections * 2 > of_kind.len(),
            None => matches!(self.tree.form(table), NodeForm::Root | NodeForm::Implicit),
        }
    }

    /// Removes every statement that spells the node.
    pub(super) fn remove(&mut self, node: u32) {
        let statements = self.tree.statements_in(node);
        self.delete_statements(&statements, true, true);
    }

    /// Lowers the `[[…]]` sections of an array. Returns the value to write instead if sections cannot hold it;
    /// they are removed then.
    fn array_of_tables(&mut self, array: u32, path: &Path) -> Result<Option<String>, Refusal> {
        let draft = self.draft;
        let Some(members) = draft.members(base(array)) else { return Ok(None) };
        if members.is_empty() || members.iter().any(|it| draft.kind(it.node) != SyntaxKind::Object)
        {
            let value = if members.is_empty() {
                Value::Array(Vec::new())
            } else {
                self.value_without_comments(base(array))?
            };
            let offset = self.tree.value_span(array).start;
            let text = emit::inline(&value, &self.style(array, "", ""))
                .map_err(|what| not_expressible(what, offset))?;
            self.remove(array);
            return Ok(Some(text));
        }
        let items: Vec<u32> = self.tree.child_ids(array).collect();
        let mut is_settled = vec![false; items.len()];
        let mut last_kept = None;
        for member in &members {
            let old = member.origin.and_then(|origin| items.get(origin as usize).copied());
            match (old, member.origin) {
                (Some(old), Some(origin)) if member.node == base(old) => {
                    is_settled[origin as usize] = true;
                    last_kept = Some(old);
                    self.table(old, path)?;
                }
                (Some(old), Some(origin)) => {
                    is_settled[origin as usize] = true;
                    let text = self.item_text(array, member.node, path)?;
                    let statements = self.tree.statements_in(old);
                    let header = self.tree.value_span(old).start;
                    self.changes.insert(
                        self.layout.line_start(header),
                        InsertionRank::Before,
                        text,
                    );
                    self.delete_statements(&statements, false, true);
                    last_kept = Some(old);
                }
                _ => {
                    let text = self.item_text(array, member.node, path)?;
                    let first_stays =
                        members.iter().any(|it| it.origin == Some(0) && it.node == base(items[0]));
                    match last_kept {
                        Some(item) => self.insert_after(item, &text),
                        None => self.insert_before(items[0], first_stays, &text),
                    }
                }
            }
        }
        for (item, _) in items.iter().zip(&is_settled).filter(|(_, settled)| !**settled) {
            self.remove(*item);
        }
        Ok(None)
    }

    /// An object as a `[[path]]` section.
    fn item_text(&mut self, array: u32, node: Node, path: &Path) -> Result<String, Refusal> {
        if let Node::Base(NodeId(id)) = node
            && let Some(text) = self.moved_item(id, path)
        {
            return Ok(text);
        }
        let value = self.value_without_comments(node)?;
        let offset = self.tree.value_span(array).start;
        let first = self.tree.child_ids(array).next().unwrap_or(array);
        let style = self.style_of_section(first, first);
        emit::item_section(&path.header(), &value, &style)
            .map_err(|what| not_expressible(what, offset))
    }

    pub(super) fn is_header(&self, statement: u32) -> bool {
        self.tree.statement(statement).kind == StatementKind::Header
    }
}
