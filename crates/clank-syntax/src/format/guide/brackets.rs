//! Gaps inside brackets: after the opening one, between the parts, before the closing one.

use super::{Break, Guiding};
use crate::format::items::NONE;
use crate::token::TokenKind;

impl Guiding<'_> {
    /// A comma list in `(…)` or `[…]`, or in braces without blanks inside.
    pub(super) fn list(&mut self, open: u32) {
        let close = self.items.items[open as usize].mate;
        if close != NONE && close > open {
            let group = self.group(open, close);
            self.inside(open, group, 0);
            self.commas(open, close, group);
        }
    }

    /// A comma list that ends with an item, if that is the bracket.
    pub(super) fn list_ending(&mut self, last: u32, bracket: TokenKind) {
        let item = self.items.items[last as usize];
        if item.kind == bracket && item.mate != NONE {
            self.list(item.mate);
        }
    }

    /// A comma list in braces with blanks inside.
    pub(super) fn spaced_list(&mut self, open: u32) {
        let close = self.items.items[open as usize].mate;
        if close != NONE && close > open {
            let group = self.group(open, close);
            self.inside(open, group, 1);
            self.commas(open, close, group);
        }
    }

    /// The same, where the author decides about lines.
    pub(super) fn braces_ending(&mut self, last: u32) {
        let item = self.items.items[last as usize];
        if item.kind == TokenKind::RBrace && item.mate != NONE {
            self.spaced_list(item.mate);
            self.keep_lines(item.mate);
        }
    }

    /// The gaps next to the brackets. With nothing between them there is only one.
    pub(super) fn inside(&mut self, open: u32, group: u32, blanks: u8) {
        let close = self.items.items[open as usize].mate;
        if open + 1 == close {
            let gap = &mut self.guide.gaps[close as usize];
            gap.owner = group;
            (gap.steps, gap.comment_steps) = (0, 1);
            return;
        }
        self.break_with(open + 1, group, 1);
        self.break_with(close, group, 0);
        let [first, last] = [open + 1, close].map(|it| it as usize);
        self.guide.gaps[first].blanks = blanks;
        self.guide.gaps[first].may_trail = true;
        self.guide.gaps[last].blanks = blanks;
        self.guide.gaps[last].comment_steps = 1;
        self.guide.gaps[last].may_lead = true;
    }

    pub(super) fn commas(&mut self, open: u32, close: u32, group: u32) {
        let mut item = open + 1;
        while item < close {
            let it = self.items.items[item as usize];
            match it.kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace
                    if it.mate != NONE && it.mate > item =>
                {
                    item = it.mate;
                }
                TokenKind::Comma if item + 1 < close => self.separate(item + 1, group),
                _ => {}
            }
            item += 1;
        }
    }

    /// A gap between two parts.
    pub(super) fn separate(&mut self, item: u32, group: u32) {
        self.break_with(item, group, 1);
        let gap = &mut self.guide.gaps[item as usize];
        gap.blanks = 1;
        (gap.may_lead, gap.may_trail) = (true, true);
    }

    /// A bracket at the end of its line stays there, unless there is nothing inside.
    pub(super) fn keep_lines(&mut self, open: u32) {
        let is_empty = self.items.items[open as usize].mate == open + 1;
        if !is_empty && self.items.lines_after(open) > 0 {
            self.force(open + 1);
        }
    }

    pub(super) fn force(&mut self, item: u32) {
        let gap = &mut self.guide.gaps[item as usize];
        debug_assert!(gap.when != Break::Never, "a gap that is forced belongs to a group");
        gap.is_forced = true;
    }
}
