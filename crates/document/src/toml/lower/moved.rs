//! Tables that move: their own lines go along, comments included, with the path before them respelled.

use super::table::{Additions, KeyValueLine, Rest};
use super::{Path, TomlLowering};
use crate::source::NodeId;
use crate::toml::tree::{KeyUse, NodeForm, Statement};

impl TomlLowering<'_> {
    /// Adds the lines and sections of a table that stood elsewhere. Says no if they cannot be taken as they are.
    pub(super) fn move_in(
        &mut self,
        node: u32,
        key: &str,
        path: &Path,
        additions: &mut Additions,
    ) -> bool {
        if !self.draft.is_as_parsed(NodeId(node)) {
            return false;
        }
        let statements = self.tree.statements_in(node);
        let (lines, sections) = statements.split_at(self.dotted_statements(&statements));
        for id in lines {
            let statement = self.tree.statement(*id);
            let Some(spelled) = self.use_in(node, &statement) else { return false };
            let rest = self.tree.slice(spelled.end..statement.end).to_string();
            let tail = self.tail_of(&statement).unwrap_or_default();
            let line = KeyValueLine {
                key: key.to_string(),
                rest: Rest::Moved(rest),
                tail: tail.to_string(),
            };
            additions.lines.push(line);
        }
        if let Some(text) =
            self.respelled_sections(node, sections, &path.child(key, NodeForm::Header), false)
        {
            additions.sections.push(text);
        }
        true
    }

    /// A table that stood elsewhere as a `[[path]]` section.
    pub(super) fn moved_item(&mut self, node: u32, path: &Path) -> Option<String> {
        if !self.tree.form(node).is_section() || !self.draft.is_as_parsed(NodeId(node)) {
            return None;
        }
        let statements = self.tree.statements_in(node);
        // An item's own header must come first.
        if self.tree.statement_of(node) != statements.first().copied() {
            return None;
        }
        self.respelled_sections(node, &statements, path, true)
    }

    fn respelled_sections(
        &mut self,
        node: u32,
        statements: &[u32],
        path: &Path,
        as_item: bool,
    ) -> Option<String> {
        if statements.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        for (first, last) in self.runs(statements) {
            let start = self.layout.line_start(self.tree.statement(first).start);
            let mut at = self.layout.attached_start(start);
            let mut text = String::new();
            for id in (first..=last).filter(|id| self.is_header(*id)) {
                let statement = self.tree.statement(id);
                let (from, to, spelled) = if statement.node == node {
                    let (open, close) = if as_item { ("[[", "]]") } else { ("[", "]") };
                    (statement.start, statement.end, [open, &path.header(), close].concat())
                } else {
                    let first_key = self.tree.uses_of(&statement).next()?.start;
                    (first_key, self.use_in(node, &statement)?.end, path.header())
                };
                text.push_str(self.layout.slice(at, from));
                text.push_str(&spelled);
                at = to;
            }
            let end = self.layout.line_end(self.tree.statement(last).end);
            text.push_str(self.layout.slice(at, end));
            if !text.ends_with('\n') {
                text.push_str(self.layout.newline);
            }
            parts.push(text);
        }
        // The comment above a header goes along, so it must not stay behind.
        self.delete_statements(statements, true, false);
        let gap = if self.is_spaced { self.layout.newline } else { "" };
        Some(parts.join(gap))
    }

    /// Where a statement spells the key of `node`; for an item of an array of tables, that of the array.
    fn use_in(&self, node: u32, statement: &Statement) -> Option<KeyUse> {
        let named = match self.tree.form(node) {
            NodeForm::Item => self.tree.node(node).parent,
            _ => node,
        };
        self.tree.uses_of(statement).find(|it| it.node == named)
    }
}
