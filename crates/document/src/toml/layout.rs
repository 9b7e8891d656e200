//! The lines of a text, and a collector of changes to it.
//!
//! A last line without a line end is treated as if it had one: the position after it is one past the text.
//! [`TextChanges::finish`] turns that back, so that a text without a final line end stays without one.

use std::ops::Range;

use edit::Edit;

use super::tree::{Statement, StatementKind, TomlTree};

/// Lines, indentation and comments of a TOML text.
pub(super) struct Layout<'t> {
    bytes: &'t [u8],
    /// The line end that the text uses.
    pub(super) newline: &'static str,
    /// Where the text starts, after a BOM.
    pub(super) start: u32,
}

impl<'t> Layout<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Layout<'t> {
        let is_crlf = memchr::memchr(b'\n', bytes).is_some_and(|at| bytes[..at].ends_with(b"\r"));
        let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Layout { bytes, newline: if is_crlf { "\r\n" } else { "\n" }, start }
    }

    fn len(&self) -> u32 {
        u32::try_from(self.bytes.len()).expect("the parser has checked the length")
    }

    /// The position after the last line.
    pub(super) fn end(&self) -> u32 {
        self.len() + u32::from(self.lacks_final_newline())
    }

    fn lacks_final_newline(&self) -> bool {
        self.len() > self.start && !self.bytes.ends_with(b"\n")
    }

    /// The start of the line that holds `at`.
    pub(super) fn line_start(&self, at: u32) -> u32 {
        let at = at.min(self.len()) as usize;
        let newline = memchr::memrchr(b'\n', &self.bytes[self.start as usize..at]);
        self.start + newline.map_or(0, |it| it as u32 + 1)
    }

    /// The start of the line after the one that holds `at`.
    pub(super) fn line_end(&self, at: u32) -> u32 {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.end(), |it| at + it as u32 + 1)
    }

    /// The line that starts at `start`, without its line end.
    pub(super) fn line(&self, start: u32) -> &'t str {
        let end = self.line_end(start).min(self.len());
        let line = self.slice(start, end);
        line.trim_end_matches(['\n', '\r'])
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'t str {
        let end = (end.min(self.len())) as usize;
        let bytes = self.bytes.get(start as usize..end).unwrap_or_default();
        std::str::from_utf8(bytes).expect("lines and spans lie on character boundaries")
    }

    /// The end of the line above the one that starts at `line_start`, without its line end.
    fn content_end(&self, line_start: u32) -> u32 {
        let above = self.line_above(line_start).unwrap_or(self.start);
        above + self.line(above).len() as u32
    }

    pub(super) fn is_blank(&self, line_start: u32) -> bool {
        self.line(line_start).trim_matches([' ', '\t']).is_empty()
    }

    pub(super) fn is_comment(&self, line_start: u32) -> bool {
        self.line(line_start).trim_start_matches([' ', '\t']).starts_with('#')
    }

    /// The start of the line above.
    pub(super) fn line_above(&self, line_start: u32) -> Option<u32> {
        (line_start > self.start).then(|| self.line_start(line_start - 1))
    }

    /// The start of the blank lines right above a line.
    pub(super) fn blank_lines_above(&self, line_start: u32) -> u32 {
        let mut start = line_start;
        while let Some(above) = self.line_above(start).filter(|it| self.is_blank(*it)) {
            start = above;
        }
        start
    }

    /// The end of the blank lines from the start of a line on.
    pub(super) fn blank_lines_below(&self, line_start: u32) -> u32 {
        let mut end = line_start;
        while end < self.end() && self.is_blank(end) {
            end = self.line_end(end);
        }
        end
    }

    /// The start of the block of comment lines that stands right above a line.
    pub(super) fn attached_start(&self, line_start: u32) -> u32 {
        let mut start = line_start;
        while let Some(above) = self.line_above(start).filter(|it| self.is_comment(*it)) {
            start = above;
        }
        start
    }

    /// The blanks before the first character of the line that holds `at`.
    pub(super) fn indent(&self, at: u32) -> &'t str {
        let line = self.line(self.line_start(at));
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether only blanks stand between the start of the line and `at`.
    pub(super) fn starts_line(&self, at: u32) -> bool {
        // Lines can be as long as the text: no more of one is read than the blanks.
        let at = self.blanks_before(at.min(self.len()));
        at <= self.start || self.bytes[at as usize - 1] == b'\n'
    }

    /// Whether only blanks stand between `at` and the end of the line.
    pub(super) fn ends_line(&self, at: u32) -> bool {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        let next = rest.iter().find(|it| !matches!(it, b' ' | b'\t' | b'\r'));
        next.is_none_or(|it| *it == b'\n')
    }

    /// Whether a line ends between two positions.
    pub(super) fn breaks_between(&self, start: u32, end: u32) -> bool {
        let between = self.bytes.get(start as usize..end as usize).unwrap_or_default();
        memchr::memchr(b'\n', between).is_some()
    }

    /// What stands between `at` and the end of its line, without blanks at the end.
    pub(super) fn rest_of_line(&self, at: u32) -> &'t str {
        self.slice(at, self.line_end(at)).trim_end_matches(['\n', '\r', ' ', '\t'])
    }

    /// The end of the blanks before `at` on its line, seen from the left.
    pub(super) fn blanks_before(&self, at: u32) -> u32 {
        let end = at.min(self.len()) as usize;
        let before = self.bytes.get(self.start as usize..end).unwrap_or_default();
        at - before.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count() as u32
    }

    /// The end of the blanks from `at` on.
    pub(super) fn blanks_after(&self, at: u32) -> u32 {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        at + rest.iter().take_while(|it| matches!(it, b' ' | b'\t')).count() as u32
    }

    /// The next comma from `at` on, over blanks, line ends and comments; `None` if something else comes first.
    pub(super) fn comma_after(&self, at: u32) -> Option<u32> {
        let mut at = at as usize;
        loop {
            match self.bytes.get(at)? {
                b',' => return Some(at as u32),
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'#' => at += memchr::memchr(b'\n', &self.bytes[at..])?,
                _ => return None,
            }
        }
    }
}

/// The lines of each `[[name]]` section of an array with all its sub-tables, from the header to the end of the last
/// statement and the comments right below it. `None` if statements of something else stand between.
pub(super) fn section_spans(tree: &TomlTree, array: u32) -> Option<Vec<Range<u32>>> {
    let layout = Layout::new(tree.text.bytes());
    tree.child_ids(array).map(|item| section_span(tree, &layout, item)).collect()
}

fn section_span(tree: &TomlTree, layout: &Layout<'_>, item: u32) -> Option<Range<u32>> {
    let statements = tree.statements_in(item);
    let (first, last) = (*statements.first()?, *statements.last()?);
    let is_own_line = |it: &Statement| it.kind != StatementKind::Entry;
    let between = tree.statements(first..last + 1);
    if between.filter(is_own_line).count() != statements.len() {
        return None;
    }
    let mut end = tree.statement(last).end;
    let mut line = layout.line_end(end);
    while line < layout.end() && layout.is_comment(line) {
        line = layout.line_end(line);
    }
    // Comments that touch the next header are about that.
    if line >= layout.end() || layout.is_blank(line) {
        end = end.max(layout.blanks_before(layout.content_end(line)));
    }
    Some(tree.statement(first).start..end)
}

/// Where an insertion stands among others at the same place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InsertionRank {
    /// Lines of the section above.
    Body,
    /// Sections that follow the one above.
    After,
    /// Sections that come before the one below.
    Before,
}

/// Changes to a text, in any order. A replacement inside a deletion has no effect; an insertion has.
#[derive(Default)]
pub(super) struct TextChanges {
    deletions: Vec<(u32, u32)>,
    replacements: Vec<(u32, u32, String)>,
    insertions: Vec<(u32, InsertionRank, String)>,
}

impl TextChanges {
    pub(super) fn delete(&mut self, start: u32, end: u32) {
        if start < end {
            self.deletions.push((start, end));
        }
    }

    pub(super) fn replace(&mut self, start: u32, end: u32, text: String) {
        self.replacements.push((start, end, text));
    }

    /// Insertions at one place and of one rank keep their order.
    pub(super) fn insert(&mut self, at: u32, rank: InsertionRank, text: String) {
        if !text.is_empty() {
            self.insertions.push((at, rank, text));
        }
    }

    /// Blank lines below what stood at the top of the file separate nothing once that is gone.
    fn drop_blank_lines_at_the_top(&mut self, layout: &Layout<'_>) {
        let mut end = layout.start;
        for (start, stop) in &self.deletions {
            if *start > end {
                break;
            }
            end = end.max(*stop);
        }
        if end == layout.start || self.insertions.iter().any(|(at, ..)| *at <= end) {
            return;
        }
        let start = end;
        end = layout.blank_lines_below(end);
        if layout.line_start(start) == start {
            self.delete(start, end);
            self.deletions.sort_unstable();
        }
    }

    pub(super) fn finish(mut self, layout: &Layout<'_>) -> Vec<Edit> {
        self.deletions.sort_unstable();
        self.drop_blank_lines_at_the_top(layout);
        let mut parts: Vec<(u32, u32, String)> = Vec::new();
        for (start, end) in self.deletions {
            match parts.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => parts.push((start, end, String::new())),
            }
        }
        let n_deletions = parts.len();
        let holding = |parts: &[(u32, u32, String)], start: u32, end: u32| {
            let nth = parts[..n_deletions].partition_point(|part| part.1 < start);
            (nth < n_deletions && parts[nth].0 <= start && end <= parts[nth].1).then_some(nth)
        };
        for (start, end, text) in self.replacements {
            if holding(&parts, start, end).is_none() {
                parts.push((start, end, text));
            }
        }
        self.insertions.sort_by_key(|(at, rank, _)| (*at, *rank));
        let mut inserted: Vec<(u32, u32, String)> = Vec::new();
        for (at, _, text) in self.insertions {
            if let Some(nth) = holding(&parts, at, at) {
                parts[nth].2.push_str(&text);
            } else if let Some(last) = inserted.last_mut().filter(|last| last.0 == at) {
                last.2.push_str(&text);
            } else {
                inserted.push((at, at, text));
            }
        }
        parts.extend(inserted);
        parts.sort_by_key(|(start, end, _)| (*start, *end));
        if let Some((_, _, text)) = parts.last_mut().filter(|it| it.1 == layout.end()) {
            // A blank line that was to stand before what follows: nothing does.
            let blank = layout.newline.repeat(2);
            while text.ends_with(&blank) {
                text.truncate(text.len() - layout.newline.len());
            }
        }
        if layout.lacks_final_newline() {
            settle_last_line(&mut parts, layout);
        }
        parts.into_iter().map(|(start, end, text)| Edit::replace(start, end, text)).collect()
    }
}

/// Moves a change that reaches past the text back into it.
fn settle_last_line(parts: &mut Vec<(u32, u32, String)>, layout: &Layout<'_>) {
    let Some((mut start, _, mut text)) = parts.pop_if(|it| it.1 > layout.len()) else { return };
    if start > layout.len() {
        text.insert_str(0, layout.newline);
        start = layout.len();
    }
    if let Some(shorter) = text.strip_suffix(layout.newline).map(str::len) {
        text.truncate(shorter);
    } else {
        start = end_of_last_line(parts, start, layout);
    }
    parts.push((start, layout.len(), text));
}

/// Where the last line ends if nothing from `start` on is left. Changes that end there are made part of that.
fn end_of_last_line(
    parts: &mut Vec<(u32, u32, String)>,
    mut start: u32,
    layout: &Layout<'_>,
) -> u32 {
    loop {
        let kept = layout.slice(layout.start, start).trim_end_matches(['\n', '\r']).len();
        let end = layout.start + u32::try_from(kept).expect("shorter than the text");
        match parts.last_mut().filter(|it| it.1 >= end) {
            Some((_, stop, text)) if !text.is_empty() => {
                text.truncate(text.trim_end_matches(['\n', '\r']).len());
                return *stop;
            }
            Some((earlier, ..)) => {
                start = *earlier;
                parts.pop();
            }
            None => return end,
        }
    }
}
