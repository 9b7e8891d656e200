//! Blanks, comments and the ends of lines.

use super::{Error, Next, Parser};
use crate::class::{BLANK, BREAK, is};
use crate::tree::Span;

const SPACES: u64 = 0x2020_2020_2020_2020;

impl Parser<'_> {
    /// How many spaces stand from `at` on, eight at a time.
    #[inline]
    pub(super) fn count_spaces(&self, at: usize) -> usize {
        let mut end = at;
        while let Some(&chunk) = self.bytes.get(end..).and_then(|it| it.first_chunk::<8>()) {
            let other = u64::from_le_bytes(chunk) ^ SPACES;
            if other != 0 {
                return end + other.trailing_zeros() as usize / 8 - at;
            }
            end += 8;
        }
        while self.at(end) == b' ' {
            end += 1;
        }
        end - at
    }

    /// The first byte from `at` on that is not a space or a tab.
    #[inline]
    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        while is(self.at(at), BLANK) {
            at += 1;
        }
        at
    }

    /// The line break at or behind `at`, or the end of the text.
    #[inline]
    pub(super) fn find_break(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let found = if self.has_carriage_return {
            memchr::memchr2(b'\n', b'\r', rest)
        } else {
            memchr::memchr(b'\n', rest)
        };
        found.map_or(self.bytes.len(), |found| at + found)
    }

    /// The start of the line behind the line break at `at`.
    #[inline]
    pub(super) fn after_break(&self, at: usize) -> usize {
        match self.at(at) {
            b'\r' if self.at(at + 1) == b'\n' => at + 2,
            0 => at,
            _ => at + 1,
        }
    }

    /// Moves from the start of a line to the first byte that is not a blank or part of a comment, and says whether
    /// there is one.
    #[inline]
    pub(super) fn next_line(&mut self) -> bool {
        loop {
            let line = self.pos;
            self.n_spaces = self.count_spaces(line);
            let mut at = line + self.n_spaces;
            if self.at(at) == b'\t' {
                at = self.skip_blanks(at);
            }
            match self.at(at) {
                b'\n' | b'\r' => self.pos = self.after_break(at),
                b'#' => self.comment(at),
                byte => {
                    self.line = line;
                    self.pos = at;
                    return byte != 0;
                }
            }
        }
    }

    /// Takes note of a comment, and moves to the line behind it.
    pub(super) fn comment(&mut self, at: usize) {
        let end = self.find_break(at);
        self.tree.comments.push(Span::new(at, end));
        self.pos = self.after_break(end);
    }

    /// Nothing but blanks and a comment may follow on the line.
    #[inline]
    pub(super) fn end_line(&mut self) -> Result<(), Error> {
        let at = self.skip_blanks(self.pos);
        match self.at(at) {
            b'\n' | b'\r' | 0 => self.pos = self.after_break(at),
            b'#' if at > self.pos || at == self.line => self.comment(at),
            b'#' => return Err(self.fail(at, "expected a blank before the `#` of a comment")),
            _ => {
                let found = self.found(at);
                return Err(self.fail(at, format!("expected the end of the line, found {found}")));
            }
        }
        Ok(())
    }

    /// Reads on behind an indicator or `---`, at `pos`: on the line, or on one of the next.
    #[inline]
    pub(super) fn after_indicator(&mut self, is_compact: bool) -> Result<Next, Error> {
        let mut at = self.pos;
        let mut has_tab = false;
        while is(self.at(at), BLANK) {
            has_tab |= self.at(at) == b'\t';
            at += 1;
        }
        let byte = self.at(at);
        if is(byte, BREAK) {
            self.pos = self.after_break(at);
            return Ok(Next::Line);
        }
        if byte == b'#' {
            self.comment(at);
            return Ok(Next::Line);
        }
        self.pos = at;
        Ok(Next::Inline(is_compact && !has_tab))
    }

    /// Skips a byte order mark before a document.
    pub(super) fn skip_byte_order_mark(&mut self) {
        if self.bytes.get(self.pos..).is_some_and(|it| it.starts_with(b"\xEF\xBB\xBF")) {
            self.pos += 3;
        }
    }
}
