//! Whole lines: where new ones go, what a removed statement takes with it, and the blank lines between sections.

use super::table::{Additions, KeyValueLine, Rest};
use super::{Path, TomlLowering};
use crate::toml::emit::Style;
use crate::toml::layout::{InsertionRank, Layout};
use crate::toml::tree::{NodeForm, StatementKind, TomlTree};

/// How many headers are looked at to see whether blank lines stand between sections.
const N_SAMPLES: usize = 8;

impl<'a> TomlLowering<'a> {
    /// Inserts the new lines and sections of a table. `is_empty` says that nothing is left in it.
    pub(super) fn write_additions(
        &mut self,
        table: u32,
        path: &Path,
        additions: Additions,
        is_empty: bool,
    ) {
        let Additions { lines, sections } = additions;
        match self.tree.form(table) {
            NodeForm::Dotted if is_empty => {
                // Without a line below it, only an empty inline table keeps it there.
                let (key, parent) = split_last(path);
                let rest = Rest::Value("{}".to_string());
                self.insert_dotted_line(
                    table,
                    &parent,
                    &KeyValueLine { key, rest, tail: String::new() },
                );
            }
            NodeForm::Dotted => {
                for line in &lines {
                    self.insert_dotted_line(table, path, line);
                }
            }
            NodeForm::Implicit if is_empty || !lines.is_empty() => {
                self.insert_header(table, path, &lines);
            }
            _ if !lines.is_empty() => self.insert_lines(table, path, &lines, !sections.is_empty()),
            _ => {}
        }
        for section in sections {
            self.insert_after(table, &section);
        }
    }

    /// Puts new lines after the last one of a section's body.
    fn insert_lines(
        &mut self,
        section: u32,
        path: &Path,
        lines: &[KeyValueLine],
        has_sections: bool,
    ) {
        let neighbour = self.last_line(section);
        let header = self.tree.statement_of(section);
        let text: String =
            lines.iter().map(|it| self.line_text(it, path, neighbour, header)).collect();
        if let Some(anchor) = neighbour.or(header) {
            let at = self.layout.line_end(self.tree.statement(anchor).end);
            self.changes.insert(at, InsertionRank::Body, text);
            return;
        }
        let Some(first) = self.tree.statements(0..self.tree.n_statements().min(1)).next() else {
            let gap = if has_sections { self.layout.newline } else { "" };
            self.changes.insert(self.layout.end(), InsertionRank::Body, text + gap);
            return;
        };
        let at = self.before_header(self.layout.line_start(first.start));
        let gap = if self.layout.is_blank(at) { "" } else { self.layout.newline };
        self.changes.insert(at, InsertionRank::Body, text + gap);
    }

    /// Puts a line after the last one that spells a dotted table; `path` is the one the line's key belongs to.
    pub(super) fn insert_dotted_line(&mut self, table: u32, path: &Path, line: &KeyValueLine) {
        let statements = self.tree.statements_in(table);
        let n_dotted = self.dotted_statements(&statements);
        let Some(anchor) = statements[..n_dotted].last().copied() else { return };
        let text = self.line_text(line, path, Some(anchor), None);
        let at = self.layout.line_end(self.tree.statement(anchor).end);
        self.changes.insert(at, InsertionRank::Body, text);
    }

    /// Gives an implicit table a header of its own, before the first of its sub-tables.
    fn insert_header(&mut self, table: u32, path: &Path, lines: &[KeyValueLine]) {
        let statements = self.tree.statements_in(table);
        let Some(first) = statements.first().map(|id| self.tree.statement(*id)) else { return };
        let indent = self.layout.indent(first.start);
        let newline = self.layout.newline;
        let mut text = [indent, "[", &path.header(), "]", newline].concat();
        let path = Path { keys: path.keys.clone(), n_header: path.keys.len() };
        let header = statements.first().copied();
        text.extend(lines.iter().map(|it| self.line_text(it, &path, None, header)));
        let line = self.layout.line_start(first.start);
        let stays = self.draft.members(super::base(table)).is_some_and(|it| !it.is_empty());
        // Where everything else goes, the blank lines below it go too.
        let above = self.layout.line_above(line);
        if self.is_spaced && (stays || above.is_none_or(|it| self.layout.is_blank(it))) {
            text.push_str(newline);
        }
        let at = if stays { self.before_header(line) } else { line };
        self.changes.insert(at, InsertionRank::Before, text);
    }

    /// Where something goes that is to stand before a header: above the comment that is about it. A comment at
    /// the top of the file is about the file.
    fn before_header(&self, line: u32) -> u32 {
        let attached = self.layout.attached_start(line);
        if attached == self.layout.start { line } else { attached }
    }

    /// A new line in the style of `neighbour`, a line, or else of the `header` above it.
    fn line_text(
        &self,
        line: &KeyValueLine,
        path: &Path,
        neighbour: Option<u32>,
        header: Option<u32>,
    ) -> String {
        let place = neighbour.or(header).map(|id| self.tree.statement(id).start);
        let indent = place.map_or("", |start| self.layout.indent(start));
        let key = path.dotted(&line.key);
        let rest = match &line.rest {
            Rest::Moved(rest) => rest.clone(),
            Rest::Value(value) => self.equals_sign(&key, neighbour) + value,
        };
        [indent, &key, &rest, &line.tail, self.layout.newline].concat()
    }

    /// The equals sign with the blanks that a neighbour has; aligned with it where that one is padded.
    pub(super) fn equals_sign(&self, key: &str, neighbour: Option<u32>) -> String {
        let Some(statement) = neighbour.map(|id| self.tree.statement(id)) else {
            return " = ".to_string();
        };
        let (Some(last), value) =
            (self.tree.uses_of(&statement).next_back(), self.tree.value_span(statement.node))
        else {
            return " = ".to_string();
        };
        let between = self.tree.slice(last.end..value.start);
        let (before, after) = between.split_once('=').unwrap_or((" ", " "));
        if before.len() < 2 {
            return [before, "=", after].concat();
        }
        let spelled = self.tree.slice(statement.start..last.end);
        let width = spelled.chars().count() + before.chars().count();
        let padding = width.saturating_sub(key.chars().count()).max(1);
        [&" ".repeat(padding), "=", after].concat()
    }

    /// Puts a section after the last statement of `node`.
    pub(super) fn insert_after(&mut self, node: u32, section: &str) {
        let at = self.section_end(node);
        let newline = if self.is_spaced { self.layout.newline } else { "" };
        let is_blank = |line: u32| self.layout.is_blank(line);
        let before = self.layout.line_above(at).filter(|it| !is_blank(*it)).map_or("", |_| newline);
        let after = if at < self.layout.end() && !is_blank(at) { newline } else { "" };
        self.changes.insert(at, InsertionRank::After, [before, section, after].concat());
    }

    /// Puts a section before the header of `item`, and before the comment above it if that header stays.
    pub(super) fn insert_before(&mut self, item: u32, item_stays: bool, section: &str) {
        let line = self.layout.line_start(self.tree.value_span(item).start);
        let at = if item_stays { self.before_header(line) } else { line };
        let newline = if self.is_spaced { self.layout.newline } else { "" };
        self.changes.insert(at, InsertionRank::Before, [section, newline].concat());
    }

    /// Where a section that follows `node` goes: after its last statement and the comments right below that.
    fn section_end(&self, node: u32) -> u32 {
        if node == 0 {
            return self.layout.end();
        }
        let Some(last) = self.tree.statements_in(node).last().copied() else {
            return self.layout.end();
        };
        let mut later = self.tree.statements(last + 1..self.tree.n_statements());
        if !later.any(|it| it.kind != StatementKind::Entry) {
            return self.layout.end();
        }
        let end = self.layout.line_end(self.tree.statement(last).end);
        let mut after = end;
        while self.layout.is_comment(after) {
            after = self.layout.line_end(after);
        }
        if self.layout.is_blank(after) { after } else { end }
    }

    /// Deletes whole lines. Lines of one key go alone; a section goes with everything up to its last line,
    /// and with the blank lines that would be left over if `closes_gaps`. The first section keeps its place
    /// if not.
    pub(super) fn delete_statements(
        &mut self,
        statements: &[u32],
        closes_gaps: bool,
        keeps_comment_above: bool,
    ) {
        let n_dotted = self.dotted_statements(statements);
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for id in &statements[..n_dotted] {
            let statement = self.tree.statement(*id);
            if statement.kind == StatementKind::KeyValue {
                let start = self.layout.line_start(statement.start);
                let end = self.layout.line_end(statement.end);
                match lines.last_mut() {
                    Some(last) if last.1 == start => last.1 = end,
                    _ => lines.push((start, end)),
                }
            }
        }
        for (start, end) in lines {
            let (start, end) =
                if closes_gaps { self.with_blank_lines(start, end) } else { (start, end) };
            self.changes.delete(start, end);
        }
        for (nth, (first, last)) in self.runs(&statements[n_dotted..]).into_iter().enumerate() {
            let mut start = self.layout.line_start(self.tree.statement(first).start);
            if !keeps_comment_above {
                start = self.layout.attached_start(start);
            }
            let end = self.layout.line_end(self.tree.statement(last).end);
            let (start, end) =
                if closes_gaps || nth > 0 { self.close_gap(start, end) } else { (start, end) };
            self.changes.delete(start, end);
        }
    }

    /// Statements that follow each other without another one between, as first and last.
    pub(super) fn runs(&self, statements: &[u32]) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &id in statements {
            match runs.last_mut() {
                Some((_, last)) if self.follows(*last, id) => *last = id,
                _ => runs.push((id, id)),
            }
        }
        runs
    }

    fn follows(&self, earlier: u32, later: u32) -> bool {
        let mut between = self.tree.statements(earlier + 1..later);
        between.all(|it| it.kind == StatementKind::Entry)
    }

    /// Extends the lines of a key over the blank lines above, if others follow or nothing does. Below a header it
    /// is those that follow, if more keys do.
    fn with_blank_lines(&self, start: u32, end: u32) -> (u32, u32) {
        let above = self.layout.blank_lines_above(start);
        let below = self.layout.blank_lines_below(end);
        let starts_with_bracket =
            |line: u32| self.layout.line(line).trim_start_matches([' ', '\t']).starts_with('[');
        if above < start && (below > end || end == self.layout.end()) {
            return (above, end);
        }
        let is_below_header = self.layout.line_above(start).is_some_and(starts_with_bracket);
        let has_more = below < self.layout.end() && !starts_with_bracket(below);
        let next_is_key = has_more && !self.layout.is_comment(below);
        (start, if is_below_header && next_is_key { below } else { end })
    }

    /// Extends a range of whole lines over the blank lines on one side of it.
    fn close_gap(&self, mut start: u32, mut end: u32) -> (u32, u32) {
        let file_end = self.layout.end();
        if self.layout.line_above(start).is_none_or(|above| self.layout.is_blank(above)) {
            end = self.layout.blank_lines_below(end);
        }
        if end == file_end {
            start = self.layout.blank_lines_above(start);
        }
        (start, end)
    }

    /// The style of a new sub-section of `table`: indented as the last one, or as the table's own lines.
    pub(super) fn section_style(&self, table: u32) -> Style<'a> {
        let is_section = |node: &u32| self.tree.form(*node).is_section();
        let items = |node: u32| match self.tree.form(node) {
            NodeForm::ArrayOfTables => self.tree.child_ids(node).last(),
            _ => Some(node),
        };
        let last = self.tree.child_ids(table).filter_map(items).filter(is_section).last();
        match last.or(Some(table).filter(is_section)) {
            Some(section) => self.style_of_section(table, section),
            None => self.style(table, "", ""),
        }
    }

    /// The style of `container`, indented as `section` is.
    pub(super) fn style_of_section(&self, container: u32, section: u32) -> Style<'a> {
        let header = self.layout.indent(self.tree.value_span(section).start);
        let line = self.last_line(section).map(|id| self.tree.statement(id).start);
        let body = line.map_or(header, |start| self.layout.indent(start));
        self.style(container, header, body)
    }

    /// How new text beside the members of `container` is written.
    pub(super) fn style(&self, container: u32, header: &'a str, body: &'a str) -> Style<'a> {
        let string = *self.strings.borrow_mut().entry(container).or_insert_with(|| {
            let forms = self.tree.child_ids(container).map(|child| self.tree.form(child));
            match forms.filter(|form| form.is_string()).last() {
                Some(NodeForm::Literal) => NodeForm::Literal,
                _ => NodeForm::Basic,
            }
        });
        let newline = self.layout.newline;
        Style {
            newline,
            string,
            opens_with_newline: false,
            header,
            body,
            is_spaced: self.is_spaced,
        }
    }
}

/// Whether blank lines stand between sections. A document with one section or none does not say no.
pub(super) fn is_spaced(tree: &TomlTree, layout: &Layout<'_>) -> bool {
    let statements = tree.statements(1.min(tree.n_statements())..tree.n_statements());
    let headers = statements.filter(|it| it.kind == StatementKind::Header);
    let samples: Vec<bool> = headers
        .take(N_SAMPLES)
        .map(|header| {
            let line = layout.attached_start(layout.line_start(header.start));
            layout.line_above(line).is_some_and(|above| layout.is_blank(above))
        })
        .collect();
    samples.is_empty() || samples.contains(&true)
}

/// The last key of a path, and the path of the table that holds it.
fn split_last(path: &Path) -> (String, Path) {
    let mut parent = path.clone();
    let key = parent.keys.pop().unwrap_or_default();
    (key, parent)
}
