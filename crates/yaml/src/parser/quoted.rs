//! Scalars in quotes: where they end, and whether they mean what is written.

use super::{Error, Parser};
use crate::class::{BREAK, is};
use crate::tree::{NodeKind, VERBATIM};

/// A scalar in quotes.
pub(super) struct Quoted {
    pub(super) kind: NodeKind,
    pub(super) end: usize,
    pub(super) flags: u8,
    pub(super) is_multiline: bool,
}

impl Parser<'_> {
    /// Scans the quoted scalar at `pos`, in a block collection at column `indent`.
    pub(super) fn quoted(&mut self, indent: i32, is_flow: bool) -> Result<Quoted, Error> {
        let start = self.pos;
        let quote = self.at(start);
        let is_double = quote == b'"';
        let kind = if is_double { NodeKind::DoubleQuoted } else { NodeKind::SingleQuoted };
        let mut flags = VERBATIM;
        let mut is_multiline = false;
        let mut at = start + 1;
        loop {
            at = self.find_in_quotes(at, quote);
            let byte = self.at(at);
            if byte == quote {
                at += 1;
                if is_double || self.at(at) != quote {
                    return Ok(Quoted { kind, end: at, flags, is_multiline });
                }
                flags = 0;
                at += 1;
            } else if byte == b'\\' {
                flags = 0;
                at = self.escape(at)?;
            } else if byte == 0 {
                return Err(self.unclosed(self.bytes.len(), start));
            } else {
                flags = 0;
                is_multiline = true;
                at = self.line_in_quotes(at, start, indent, is_flow)?;
            }
        }
    }

    /// The next quote, line break, or, in double quotes, backslash; the end of the text.
    #[inline]
    fn find_in_quotes(&self, at: usize, quote: u8) -> usize {
        let escape = if quote == b'"' { b'\\' } else { quote };
        // Most scalars are short: a search in vectors pays only behind the first bytes.
        let near = (at + 24).min(self.bytes.len());
        for (index, &byte) in self.bytes[at..near].iter().enumerate() {
            if byte == quote || byte == escape || byte == b'\n' || byte == b'\r' {
                return at + index;
            }
        }
        let rest = &self.bytes[near..];
        let found = memchr::memchr3(quote, escape, b'\n', rest).unwrap_or(rest.len());
        if !self.has_carriage_return {
            return near + found;
        }
        near + memchr::memchr(b'\r', &rest[..found]).unwrap_or(found)
    }

    /// The byte after the escape at `at`; the line break itself where that is escaped.
    fn escape(&self, at: usize) -> Result<usize, Error> {
        let n_digits = match self.at(at + 1) {
            b'0' | b'a' | b'b' | b't' | b'\t' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"'
            | b'/' | b'\\' | b'N' | b'_' | b'L' | b'P' => return Ok(at + 2),
            b'\n' | b'\r' => return Ok(at + 1),
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ if at + 1 >= self.bytes.len() => return Ok(at + 1),
            _ => {
                let found = self.found(at + 1);
                let message = format!("expected an escape after `\\`, found {found}");
                return Err(self.fail(at, message));
            }
        };
        let end = at + 2 + n_digits;
        let Some(code) = self.hex(at + 2, n_digits) else {
            return Err(self.fail(at, format!("expected {n_digits} hexadecimal digits")));
        };
        if char::from_u32(code).is_some() {
            return Ok(end);
        }
        // As in JSON, two escapes may stand for one character.
        let is_first = n_digits == 4 && (0xD800..0xDC00).contains(&code);
        if is_first && self.at(end) == b'\\' && self.at(end + 1) == b'u' {
            let second = self.hex(end + 2, 4);
            if second.is_some_and(|it| (0xDC00..0xE000).contains(&it)) {
                return Ok(end + 6);
            }
        }
        Err(self.fail(at, format!("expected a character, found the escape of U+{code:04X}")))
    }

    /// The number that so many hexadecimal digits give.
    fn hex(&self, at: usize, n_digits: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + n_digits)?;
        digits.iter().try_fold(0, |code: u32, byte| {
            let digit = char::from(*byte).to_digit(16)?;
            Some((code << 4) | digit)
        })
    }

    /// The first character of the next line that is not blank, behind the line break at `at`.
    fn line_in_quotes(
        &mut self,
        at: usize,
        start: usize,
        indent: i32,
        is_flow: bool,
    ) -> Result<usize, Error> {
        let mut line = self.after_break(at);
        loop {
            let n_spaces = self.count_spaces(line);
            let next = self.skip_blanks(line + n_spaces);
            let byte = self.at(next);
            if byte == 0 {
                return Err(self.unclosed(next, start));
            }
            let is_indented = n_spaces as i64 > i64::from(indent);
            let has_tab = self.at(line + n_spaces) == b'\t';
            if is(byte, BREAK) {
                if has_tab && !is_indented && self.options.strict_indentation {
                    let message = "expected spaces as indentation, found a tab";
                    return Err(self.fail_in(line + n_spaces, message, "the scalar began", start));
                }
                line = self.after_break(next);
                continue;
            }
            if next == line && self.is_marker_at(line) {
                return Err(self.unclosed(next, start));
            }
            let is_lenient =
                !self.options.strict_indentation && !has_tab && (is_flow || byte == self.at(start));
            if !is_indented && !is_lenient {
                let column = indent + 2;
                let message = format!(
                    "expected the lines of the scalar in column {column} or further right, indented with spaces"
                );
                return Err(self.fail_in(next, &message, "it began", start));
            }
            self.line = line;
            return Ok(next);
        }
    }

    #[cold]
    fn unclosed(&self, at: usize, start: usize) -> Error {
        let quote = char::from(self.at(start));
        let found = if at < self.bytes.len() { "a document marker" } else { "the end of the text" };
        let message = format!("expected a closing `{quote}`, found {found}");
        self.fail_in(at, &message, "the quoted scalar began", start)
    }
}
