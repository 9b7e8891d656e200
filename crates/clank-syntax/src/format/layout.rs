//! From groups and gaps to lines, in one pass: a group stays on its line if it fits there together with what follows it
//! up to the next place where the line can be cut.

mod measure;

use std::ops::Range;

use super::guide::{Break, Guide, TokenGap};
use super::items::{FormatComment, FormatTokens, NONE, characters};
use crate::token::TokenKind;
use measure::Measures;

/// How wide a line may be, in characters.
const WIDTH: u64 = 100;

/// How many blanks a step of indentation is.
const STEP: u32 = 2;

/// A run of blanks that is to be something else: line ends, then blanks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlankChange {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) lines: u8,
    pub(super) blanks: u32,
}

/// How a group is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Flat,
    Broken,
    /// Flat but for the inside of the last argument.
    Hugging,
}

#[derive(Clone, Copy, Debug)]
struct State {
    mode: Mode,
    /// The indentation of the line that the group starts on.
    base: u32,
}

struct Layout<'a> {
    items: &'a FormatTokens<'a>,
    guide: &'a Guide,
    measures: Measures,
    /// By group.
    states: Vec<State>,
    /// The groups that the current item is in.
    open: Vec<u32>,
    /// The first item of a group that has to break because its parent hugs it.
    hugged: u32,
    column: u64,
    indent: u32,
    changes: Vec<BlankChange>,
}

/// The runs that change.
pub(super) fn layout(items: &FormatTokens<'_>, guide: &Guide) -> Vec<BlankChange> {
    let mut layout = Layout {
        items,
        guide,
        measures: Measures::new(items, guide),
        states: vec![State { mode: Mode::Flat, base: 0 }; guide.groups.len()],
        open: Vec::new(),
        hugged: NONE,
        column: 0,
        indent: 0,
        changes: Vec::new(),
    };
    for item in 0..items.items.len() as u32 {
        layout.gap(item);
        layout.open_groups(item);
        let it = items.items[item as usize];
        layout.write(it.start..it.end, it.width, it.spans_lines);
        let ends = guide.ends[item as usize] as usize;
        layout.open.truncate(layout.open.len().saturating_sub(ends));
    }
    layout.changes
}

/// The space that goes into a run.
#[derive(Clone, Copy)]
enum Space {
    Blanks(u32),
    /// Line ends, and the indentation of the next line.
    Lines(u8, u32),
}

impl Layout<'_> {
    fn open_groups(&mut self, item: u32) {
        let mut group = self.guide.starts[item as usize];
        while group != NONE {
            let is_hugged = self.hugged == item;
            if is_hugged {
                self.hugged = NONE;
            }
            let mode = self.mode(group, is_hugged);
            self.states[group as usize] = State { mode, base: self.indent };
            self.open.push(group);
            group = self.guide.groups[group as usize].next;
        }
    }

    fn mode(&mut self, group: u32, is_hugged: bool) -> Mode {
        let it = self.guide.groups[group as usize];
        let outer = self.open.last().map(|&outer| self.states[outer as usize].mode);
        if outer == Some(Mode::Flat) {
            return Mode::Flat;
        }
        if !is_hugged
            && !self.measures.is_cut(it.first, it.last)
            && self.column + self.measures.width(it.first, it.reach) + self.measures.tail(it.reach)
                <= WIDTH
        {
            return Mode::Flat;
        }
        let Some((bracket, inner)) = it.hug else { return Mode::Broken };
        let is_cut =
            self.measures.is_cut(it.first, bracket) || self.measures.is_cut(it.last - 1, it.last);
        if is_cut || self.column + self.measures.width(it.first, bracket) > WIDTH {
            return Mode::Broken;
        }
        self.hugged = inner;
        Mode::Hugging
    }

    /// Writes what is between the item before and this one.
    fn gap(&mut self, item: u32) {
        let gap = self.guide.gaps[item as usize];
        let comments = self.items.comments_before(item);
        if item == 0 && comments.is_empty() {
            return self.run(0, Space::Blanks(0));
        }
        // What no group owns goes on deeper than the parts of the innermost group.
        let (base, is_broken) = match (gap.owner, self.open.last()) {
            (NONE, None) => (0, false),
            (NONE, Some(&group)) => (self.states[group as usize].base + STEP, false),
            (owner, _) => {
                let state = self.states[owner as usize];
                (state.base, state.mode == Mode::Broken)
            }
        };
        let is_line = match gap.when {
            Break::Never => false,
            Break::WithGroup | Break::AfterGroup => is_broken,
            Break::Always => item > 0,
        };
        let target = base + STEP * u32::from(gap.steps);
        if comments.is_empty() {
            self.plain_gap(item, gap, is_line, target);
        } else {
            let at_comment = base + STEP * u32::from(gap.comment_steps);
            self.commented_gap(item, gap, is_line, [at_comment, target]);
        }
    }

    fn plain_gap(&mut self, item: u32, gap: TokenGap, is_line: bool, target: u32) {
        let it = self.items.items[item as usize];
        let start = self.items.items[item as usize - 1].end;
        let space = if it.kind == TokenKind::End {
            Space::Lines(1, 0)
        } else if is_line {
            let may_skip = gap.may_lead && gap.may_trail;
            let is_spread = it.lines_before > 1 || self.measures.is_spread(item);
            Space::Lines(1 + u8::from(may_skip && is_spread), target)
        } else {
            Space::Blanks(gap.blanks.into())
        };
        self.run_from(start, it.start, space);
    }

    /// Every comment stays where it is among the items, on its own line or behind something. Line ends between them
    /// stay if there is one behind a comment; otherwise all of them stand on the line of the item.
    fn commented_gap(
        &mut self,
        item: u32,
        gap: TokenGap,
        is_line: bool,
        [at_comment, target]: [u32; 2],
    ) {
        let it = self.items.items[item as usize];
        let comments = self.items.comments_before(item);
        let is_first = item == 0;
        let mut start = match item.checked_sub(1) {
            Some(before) => self.items.items[before as usize].end,
            None => self.items.start,
        };
        // Before a closing bracket comments stand behind what they follow.
        let is_behind = is_line && !gap.is_cut && is_closing(it.kind);
        let has_blank_line = comments.iter().any(|it| it.lines_before > 1) || it.lines_before > 1;
        let mut owes_blank_line = self.measures.is_spread(item) && !has_blank_line;
        for (index, comment) in comments.iter().enumerate() {
            let is_lead = index == 0;
            let ends_line = if is_lead {
                !is_first
                    && if gap.is_cut { comment.lines_before > 0 } else { is_line && !is_behind }
            } else {
                gap.is_cut && (comments[index - 1].is_line || comment.lines_before > 0)
            };
            let space = if is_lead && is_first {
                Space::Blanks(0)
            } else if ends_line {
                let is_blank = comment.lines_before > 1 && (!is_lead || gap.may_lead);
                let lines = 1 + u8::from(is_blank || std::mem::take(&mut owes_blank_line));
                Space::Lines(lines, at_comment)
            } else {
                Space::Blanks(self.blanks_before_comment(item, index))
            };
            self.run_from(start, comment.start, space);
            self.write(comment.start..comment.end, comment.width, comment.spans_lines);
            start = comment.end;
        }
        let last = comments[comments.len() - 1];
        let space = if it.kind == TokenKind::End {
            Space::Lines(1, 0)
        } else if is_behind || last.is_line || gap.is_cut && it.lines_before > 0 {
            let is_blank = it.lines_before > 1 && gap.may_trail;
            Space::Lines(1 + u8::from(is_blank || owes_blank_line), target)
        } else {
            Space::Blanks(blanks_after_comment(it.kind))
        };
        self.run_from(start, it.start, space);
    }

    fn blanks_before_comment(&self, item: u32, index: usize) -> u32 {
        let gap = self.guide.gaps[item as usize];
        let is_inside = index == 0
            && !gap.is_cut
            && item > 0
            && matches!(self.items.kind(item - 1), TokenKind::LParen | TokenKind::LBracket);
        u32::from(!is_inside)
    }

    fn run(&mut self, item: u32, space: Space) {
        self.run_from(self.items.start, self.items.items[item as usize].start, space);
    }

    fn run_from(&mut self, start: u32, end: u32, space: Space) {
        let (lines, blanks) = match space {
            Space::Blanks(blanks) => (0, blanks),
            Space::Lines(lines, indent) => {
                self.indent = indent;
                self.column = 0;
                (lines, indent)
            }
        };
        self.column += u64::from(blanks);
        let old = &self.items.text.as_bytes()[start as usize..end as usize];
        if !is_space(old, lines, self.items.is_crlf, blanks) {
            self.changes.push(BlankChange { start, end, lines, blanks });
        }
    }

    fn write(&mut self, bytes: Range<u32>, width: u32, spans_lines: bool) {
        if !spans_lines {
            self.column += u64::from(width);
            return;
        }
        let text = &self.items.text[bytes.start as usize..bytes.end as usize];
        let last = text.rsplit('\n').next().unwrap_or_default();
        self.column = characters(last).into();
    }
}

fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace)
}

fn blanks_after_comment(next: TokenKind) -> u32 {
    let is_tight = matches!(
        next,
        TokenKind::RParen | TokenKind::RBracket | TokenKind::Comma | TokenKind::Semi
    );
    u32::from(!is_tight)
}

/// Whether the bytes are these line ends and then these blanks.
fn is_space(mut bytes: &[u8], lines: u8, is_crlf: bool, blanks: u32) -> bool {
    let end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
    for _ in 0..lines {
        match bytes.strip_prefix(end) {
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    bytes.len() == blanks as usize && bytes.iter().all(|&it| it == b' ')
}

/// The widths of comments in a gap that is one line.
fn inline_width(items: &FormatTokens<'_>, item: u32, comments: &[FormatComment]) -> u64 {
    let is_inside =
        item > 0 && matches!(items.kind(item - 1), TokenKind::LParen | TokenKind::LBracket);
    let lead = u64::from(!is_inside);
    let trail = u64::from(blanks_after_comment(items.kind(item)));
    let widths: u64 = comments.iter().map(|it| u64::from(it.width)).sum();
    lead + widths + (comments.len() as u64).saturating_sub(1) + trail
}
