//! The text of one value: new, or taken along from where it stood, and the comments that must not get lost.

use std::ops::Range;

use super::{TomlLowering, base, not_expressible};
use crate::draft::Node;
use crate::refusal::Refusal;
use crate::source::NodeId;
use crate::toml::emit;
use crate::toml::layout::InsertionRank;
use crate::toml::tree::{NodeForm, Statement, StatementKind};
use crate::value::Value;

impl<'a> TomlLowering<'a> {
    /// The text of a value: like `old`, which it replaces, or in the style of the members of `container`.
    pub(super) fn value_text(
        &self,
        node: Node,
        old: Option<u32>,
        container: u32,
    ) -> Result<String, Refusal> {
        if let Node::Base(id) = node
            && !self.tree.form(id.0).is_spread()
            && self.draft.is_as_parsed(id)
        {
            return Ok(self.tree.slice(self.tree.value_span(id.0)).to_string());
        }
        let value = self.value_without_comments(node)?;
        if let (Some(old), Value::Array(items)) = (old, &value)
            && !items.is_empty()
            && let Some(text) = self.block_array_text(items, old)
        {
            return text;
        }
        let mut style = self.style(container, "", "");
        let place = old.unwrap_or(container);
        if let Some(old) = old.filter(|it| self.tree.form(*it).is_string()) {
            let text = self.tree.slice(self.tree.value_span(old));
            style.string = self.tree.form(old);
            style.opens_with_newline =
                text.get(3..).is_some_and(|it| it.starts_with('\n') || it.starts_with("\r\n"));
            // A text that had several lines and has one now needs no quotes on lines of their own.
            let is_one_line =
                text.contains('\n') && value.as_str().is_some_and(|it| !it.contains('\n'));
            style.string = match style.string {
                NodeForm::MultilineBasic if is_one_line => NodeForm::Basic,
                NodeForm::MultilineLiteral if is_one_line => NodeForm::Literal,
                form => form,
            };
        }
        emit::inline(&value, &style)
            .map_err(|what| not_expressible(what, self.tree.value_span(place).start))
    }

    /// New items in the lines of an array that has one for each item.
    fn block_array_text(&self, items: &[Value], old: u32) -> Option<Result<String, Refusal>> {
        if self.tree.form(old) != NodeForm::Array {
            return None;
        }
        let span = self.tree.value_span(old);
        let first = self.tree.value_span(self.tree.child_ids(old).next()?);
        let last = self.tree.value_span(self.tree.child_ids(old).last()?);
        if !self.has_own_lines((first.start, first.end)) || !self.layout.starts_line(span.end - 1) {
            return None;
        }
        let style = self.style(old, "", self.layout.indent(first.start));
        let ends_with_comma = self.layout.comma_after(last.end).is_some();
        let closing_indent = self.layout.indent(span.end - 1);
        let text = emit::block_array(items, &style, ends_with_comma, closing_indent);
        Some(text.map_err(|what| not_expressible(what, span.start)))
    }

    /// The value of a node, for writing it anew. Refuses if a comment would get lost by that.
    pub(super) fn value_without_comments(&self, node: Node) -> Result<Value, Refusal> {
        match self.comment_in(node) {
            Some(offset) => {
                Err(not_expressible("this value here with the comments inside it", offset))
            }
            None => Ok(self.draft.value_of(node)),
        }
    }

    /// Where a comment stands inside a node or what was put into it.
    fn comment_in(&self, node: Node) -> Option<u32> {
        if let Node::Base(NodeId(id)) = node
            && self.has_comment(id)
        {
            return Some(self.tree.value_span(id).start);
        }
        let members = self.draft.members(node)?;
        members.iter().find_map(|it| self.comment_in(it.node))
    }

    fn has_comment(&self, node: u32) -> bool {
        if !self.tree.form(node).is_spread() {
            return contains_comment(self.tree.slice(self.tree.value_span(node)));
        }
        let statements = self.tree.statements_in(node);
        let n_dotted = self.dotted_statements(&statements);
        let (lines, sections) = statements.split_at(n_dotted);
        let in_line = |id: &u32| {
            let statement = self.tree.statement(*id);
            contains_comment(self.layout.slice(statement.start, statement.end))
                || self.tail_of(&statement).is_some()
        };
        lines.iter().any(in_line)
            || self.runs(sections).into_iter().any(|(first, last)| {
                let start = self.layout.line_start(self.tree.statement(first).start);
                let start = self.layout.attached_start(start);
                let end = self.layout.line_end(self.tree.statement(last).end);
                contains_comment(self.layout.slice(start, end))
            })
    }

    /// The comment at the end of a value's line, with the blanks before it.
    pub(super) fn tail(&self, node: Node) -> Option<&'a str> {
        let Node::Base(NodeId(id)) = node else { return None };
        if self.tree.form(id).is_spread() {
            return None;
        }
        match self.tree.statement_of(id) {
            Some(statement) => self.tail_of(&self.tree.statement(statement)),
            None => self.tail_of_element(self.tree.value_span(id)),
        }
    }

    /// The comment that goes away with a statement: the one at the end of its line.
    pub(super) fn tail_of(&self, statement: &Statement) -> Option<&'a str> {
        match statement.kind {
            StatementKind::Entry => self.tail_of_element(statement.start..statement.end),
            _ => Some(self.layout.rest_of_line(statement.end)).filter(|it| !it.is_empty()),
        }
    }

    fn tail_of_element(&self, span: Range<u32>) -> Option<&'a str> {
        if !self.has_own_lines((span.start, span.end)) {
            return None;
        }
        let line_end = self.layout.line_end(span.end);
        let comma = self.layout.comma_after(span.end).filter(|comma| *comma < line_end);
        let rest = self.layout.rest_of_line(comma.map_or(span.end, |comma| comma + 1));
        Some(rest).filter(|it| !it.is_empty())
    }

    /// Takes the comment at the end of a moved value's line along to the line of `old`, which it replaces.
    pub(super) fn carry_tail(&mut self, node: Node, old: u32) -> Result<(), Refusal> {
        let Some(tail) = self.tail(node) else { return Ok(()) };
        let is_line = self
            .tree
            .statement_of(old)
            .is_some_and(|it| self.tree.statement(it).kind == StatementKind::KeyValue);
        let end = self.tree.value_span(old).end;
        if !is_line || self.tail(base(old)).is_some() {
            return Err(not_expressible("two comments at the end of one line", end));
        }
        self.changes.insert(end, InsertionRank::Body, tail.to_string());
        Ok(())
    }

    /// Refuses to put a value between brackets if the comment at its line's end has no place there.
    pub(super) fn guard_tail(&self, node: Node) -> Result<(), Refusal> {
        match (self.tail(node), node) {
            (Some(_), Node::Base(NodeId(id))) => Err(not_expressible(
                "the comment of this line inside brackets",
                self.tree.value_span(id).start,
            )),
            _ => Ok(()),
        }
    }
}

/// Whether a `#` stands outside the strings of a text.
pub(super) fn contains_comment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|it| matches!(it, b'#' | b'"' | b'\'')) {
        at += found;
        let quote = match bytes[at] {
            b'#' => return true,
            b'"' => "\"\"\"",
            _ => "'''",
        };
        let close = if text[at..].starts_with(quote) { quote } else { &quote[..1] };
        at += close.len();
        while at < bytes.len() && !bytes[at..].starts_with(close.as_bytes()) {
            at += if bytes[at] == b'\\' && quote.starts_with('"') { 2 } else { 1 };
        }
        // Quotes before the closing three belong to the string.
        at = (at + close.len()).min(bytes.len());
        while close.len() == 3 && bytes.get(at) == Some(&close.as_bytes()[0]) {
            at += 1;
        }
    }
    false
}
