//! What stands between two members of a container: a comma, comments, line breaks, and whose they are.
//!
//! A comment at the end of a member's line is that member's *own*. A block comment right before a member on its
//! line is its *lead*. All other comments belong to nobody and stay where they are.

use crate::json::JsonTree;
use crate::json::parse::end_of_comment;
use crate::source::NodeId;

/// A container's members and its brackets.
pub(super) struct Entries<'t> {
    pub(super) tree: &'t JsonTree,
    pub(super) ids: Vec<NodeId>,
    /// The offset of the opening bracket.
    pub(super) open: usize,
    /// The offset of the closing bracket.
    pub(super) close: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JsonComment {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_line: bool,
}

/// The bytes between a member (or the opening bracket) and the next one (or the closing bracket).
pub(super) struct Gap<'t> {
    bytes: &'t [u8],
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) comma: Option<usize>,
    pub(super) comments: Vec<JsonComment>,
    /// Where the line of the member before ends: after its comma, if that is on the line, and its own comments.
    pub(super) own_end: usize,
    /// Where the next member starts, its lead included.
    pub(super) lead: usize,
    /// Whether the closing bracket comes next.
    pub(super) is_last: bool,
}

impl<'t> Entries<'t> {
    pub(super) fn of(tree: &'t JsonTree, container: NodeId) -> Entries<'t> {
        let span = tree.at(container);
        Entries {
            tree,
            ids: tree.child_ids(container).collect(),
            open: span.start as usize,
            close: span.end as usize - 1,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Where a member starts: its key, or its value if it has none.
    pub(super) fn start(&self, index: usize) -> usize {
        self.tree.member_start(self.ids[index])
    }

    pub(super) fn end(&self, index: usize) -> usize {
        self.tree.end(self.ids[index])
    }

    /// The gap before the member at `index`; the one before the closing bracket for `index == len()`.
    pub(super) fn gap(&self, index: usize) -> Gap<'t> {
        let from = if index == 0 { self.open + 1 } else { self.end(index - 1) };
        let is_last = index == self.len();
        let to = if is_last { self.close } else { self.start(index) };
        Gap::read(self.tree.bytes(), from, to, is_last)
    }

    /// Whether the last member is followed by a comma.
    pub(super) fn has_trailing_comma(&self) -> bool {
        self.len() > 0 && self.gap(self.len()).comma.is_some()
    }
}

impl<'t> Gap<'t> {
    pub(super) fn read(bytes: &'t [u8], from: usize, to: usize, is_last: bool) -> Gap<'t> {
        let (mut comma, mut comments, mut at) = (None, Vec::new(), from);
        while at < to {
            match bytes[at] {
                b',' => {
                    comma = Some(at);
                    at += 1;
                }
                b'/' => {
                    let end = end_of_comment(bytes, at).unwrap_or(to).min(to);
                    let is_line = bytes.get(at + 1) == Some(&b'/');
                    comments.push(JsonComment { start: at, end, is_line });
                    at = end;
                }
                _ => at += 1,
            }
        }
        let mut gap = Gap { bytes, from, to, comma, comments, own_end: from, lead: to, is_last };
        gap.own_end = gap.find_own_end();
        gap.lead = gap.find_lead();
        gap
    }

    fn find_own_end(&self) -> usize {
        let comma = self.comma.map(|at| JsonComment { start: at, end: at + 1, is_line: false });
        let mut tokens: Vec<JsonComment> = self.comments.iter().copied().chain(comma).collect();
        tokens.sort_by_key(|token| token.start);
        let mut end = self.from;
        for token in tokens {
            if self.breaks(end, token.end) {
                return end;
            }
            end = token.end;
        }
        if self.is_last || self.breaks(end, self.to) {
            return end;
        }
        // The next member follows on this line: what stands after the comma is its lead.
        self.comma.map_or(self.from, |comma| comma + 1)
    }

    fn find_lead(&self) -> usize {
        let floor = self.own_end.max(self.comma.map_or(0, |comma| comma + 1));
        let is_lead = |comment: &JsonComment, lead: usize| {
            comment.start >= floor && !comment.is_line && !self.breaks(comment.start, lead)
        };
        self.comments.iter().rev().fold(self.to, |lead, comment| {
            if is_lead(comment, lead) { comment.start } else { lead }
        })
    }

    pub(super) fn breaks(&self, from: usize, to: usize) -> bool {
        from < to && memchr::memchr2(b'\n', b'\r', &self.bytes[from..to]).is_some()
    }

    pub(super) fn has_line_break(&self) -> bool {
        self.breaks(self.from, self.to)
    }

    /// Whether one of the lines between the two members is blank.
    pub(super) fn has_blank_line(&self) -> bool {
        let lines: Vec<&[u8]> = self.bytes[self.from..self.to].split(|it| *it == b'\n').collect();
        let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
        inner.iter().any(|line| line.trim_ascii().is_empty())
    }

    /// Whether the line of the member before ends with a `//` comment.
    pub(super) fn own_line_comment(&self) -> bool {
        self.comments.iter().any(|it| it.is_line && it.end == self.own_end)
    }

    /// Whether the comma stands at the start of the next member's line.
    pub(super) fn is_comma_leading(&self) -> bool {
        self.comma
            .is_some_and(|comma| self.breaks(self.from, comma) && !self.breaks(comma, self.lead))
    }

    /// Where the last comma or comment before `at` ends.
    pub(super) fn last_token_end(&self, at: usize) -> usize {
        let comma = self.comma.map(|comma| comma + 1);
        let ends = self.comments.iter().map(|it| it.end).chain(comma);
        ends.filter(|end| *end <= at).max().unwrap_or(self.from)
    }

    /// The start of the line that `at` stands on, if only whitespace is before it there.
    pub(super) fn line_start(&self, at: usize) -> Option<usize> {
        let floor = self.last_token_end(at);
        let found = memchr::memrchr2(b'\n', b'\r', &self.bytes[floor..at])?;
        Some(floor + found + 1)
    }

    /// The start of the line after `own_end`, if nothing follows on its own line.
    pub(super) fn next_line(&self) -> Option<usize> {
        let rest = &self.bytes[self.own_end..self.to];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let width = match rest.get(blanks..)? {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return None,
        };
        Some(self.own_end + blanks + width)
    }

    /// The whitespace between the comma and the next member, if it is nothing else and on one line.
    pub(super) fn space_after_comma(&self) -> Option<&'t str> {
        let space = self.bytes.get(self.comma? + 1..self.to)?;
        let is_blank = space.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if is_blank { std::str::from_utf8(space).ok() } else { None }
    }

    /// The first line break.
    pub(super) fn line_break(&self) -> Option<&'static str> {
        first_line_break(&self.bytes[self.from..self.to])
    }
}

/// The first line break in some bytes.
pub(super) fn first_line_break(bytes: &[u8]) -> Option<&'static str> {
    let at = memchr::memchr2(b'\n', b'\r', bytes)?;
    Some(match &bytes[at..] {
        [b'\r', b'\n', ..] => "\r\n",
        [b'\r', ..] => "\r",
        _ => "\n",
    })
}
