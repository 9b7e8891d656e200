//! The bytes of a TOML text: blanks, comments, keys and strings.

use super::error;
use crate::refusal::{ParseError, ParseErrorKind};
use crate::toml::scalar::is_bare_key_byte;
use crate::toml::tree::NodeForm;

pub(super) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    /// Where the key that was read last ends.
    key_end: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, bytes: text.as_bytes(), pos: 0, key_end: 0 }
    }

    pub(super) fn pos(&self) -> u32 {
        offset(self.pos)
    }

    pub(super) fn len(&self) -> u32 {
        offset(self.bytes.len())
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    pub(super) fn key_end(&self) -> u32 {
        offset(self.key_end)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    pub(super) fn bump(&mut self) {
        self.pos += 1;
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.pos += usize::from(is_there);
        is_there
    }

    pub(super) fn skip_bom(&mut self) {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.pos = 3;
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.pos += 1;
        }
    }

    /// Skips blanks, line ends and comments.
    pub(super) fn skip_trivia(&mut self) -> Result<(), ParseError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n') => self.pos += 1,
                Some(b'\r') if self.bytes.get(self.pos + 1) == Some(&b'\n') => self.pos += 2,
                Some(b'#') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips to the next line; nothing but blanks and a comment may be in the way.
    pub(super) fn end_of_line(&mut self) -> Result<(), ParseError> {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            self.comment()?;
        }
        match self.peek() {
            None => Ok(()),
            Some(b'\n') => {
                self.pos += 1;
                Ok(())
            }
            Some(b'\r') if self.bytes.get(self.pos + 1) == Some(&b'\n') => {
                self.pos += 2;
                Ok(())
            }
            Some(_) => Err(self.unexpected("the end of the line")),
        }
    }

    fn comment(&mut self) -> Result<(), ParseError> {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return Ok(()),
                b'\r' if self.bytes.get(self.pos + 1) == Some(&b'\n') => return Ok(()),
                byte if is_control(byte) => return Err(self.control_character()),
                _ => self.pos += 1,
            }
        }
        Ok(())
    }

    /// A bare or quoted key, quotes included.
    pub(super) fn key(&mut self) -> Result<&'t str, ParseError> {
        let start = self.pos;
        match self.peek() {
            Some(b'"') => self.basic()?,
            Some(b'\'') => self.literal()?,
            _ => {
                while self.peek().is_some_and(is_bare_key_byte) {
                    self.pos += 1;
                }
            }
        }
        self.key_end = self.pos;
        if start == self.pos {
            return Err(self.unexpected("a key"));
        }
        Ok(&self.text[start..self.pos])
    }

    pub(super) fn string(&mut self) -> Result<NodeForm, ParseError> {
        let rest = &self.bytes[self.pos..];
        if rest.starts_with(b"\"\"\"") {
            self.multiline(b'"')?;
            Ok(NodeForm::MultilineBasic)
        } else if rest.starts_with(b"'''") {
            self.multiline(b'\'')?;
            Ok(NodeForm::MultilineLiteral)
        } else if rest.starts_with(b"\"") {
            self.basic()?;
            Ok(NodeForm::Basic)
        } else {
            self.literal()?;
            Ok(NodeForm::Literal)
        }
    }

    fn basic(&mut self) -> Result<(), ParseError> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(false)?,
                None | Some(b'\n' | b'\r') => return Err(self.unclosed(start)),
                Some(byte) if is_control(byte) => return Err(self.control_character()),
                Some(_) => self.pos += 1,
            }
        }
    }

    fn literal(&mut self) -> Result<(), ParseError> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.peek() {
                Some(b'\'') => {
                    self.pos += 1;
                    return Ok(());
                }
                None | Some(b'\n' | b'\r') => return Err(self.unclosed(start)),
                Some(byte) if is_control(byte) => return Err(self.control_character()),
                Some(_) => self.pos += 1,
            }
        }
    }

    fn multiline(&mut self, quote: u8) -> Result<(), ParseError> {
        let start = self.pos;
        self.pos += 3;
        loop {
            match self.peek() {
                Some(byte) if byte == quote => {
                    let run = self.bytes[self.pos..].iter().take_while(|it| **it == quote).count();
                    // Up to two quotes may stand before the closing three.
                    self.pos += run.min(5);
                    if run >= 3 {
                        return Ok(());
                    }
                }
                Some(b'\\') if quote == b'"' => self.escape(true)?,
                Some(b'\n') => self.pos += 1,
                Some(b'\r') if self.bytes.get(self.pos + 1) == Some(&b'\n') => self.pos += 2,
                None => return Err(self.unclosed(start)),
                Some(byte) if is_control(byte) => return Err(self.control_character()),
                Some(_) => self.pos += 1,
            }
        }
    }

    fn escape(&mut self, is_multiline: bool) -> Result<(), ParseError> {
        let start = self.pos;
        self.pos += 1;
        let digits = match self.peek() {
            Some(b'b' | b't' | b'n' | b'f' | b'r' | b'e' | b'"' | b'\\') => 0,
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b' ' | b'\t' | b'\n' | b'\r') if is_multiline => {
                return self.line_continuation(start);
            }
            _ => return Err(bad_escape(start)),
        };
        self.pos += 1;
        if digits > 0 {
            let hex = self.text.get(self.pos..self.pos + digits).unwrap_or_default();
            let is_hex = !hex.is_empty() && hex.bytes().all(|it| it.is_ascii_hexdigit());
            let code = u32::from_str_radix(hex, 16).ok().filter(|_| is_hex);
            if code.and_then(char::from_u32).is_none() {
                return Err(bad_escape(start));
            }
            self.pos += digits;
        }
        Ok(())
    }

    /// A backslash at the end of a line: only blanks may follow it there.
    fn line_continuation(&mut self, start: usize) -> Result<(), ParseError> {
        self.skip_blanks();
        let rest = &self.bytes[self.pos..];
        if !rest.starts_with(b"\n") && !rest.starts_with(b"\r\n") {
            return Err(bad_escape(start));
        }
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n') => self.pos += 1,
                Some(b'\r') if self.bytes.get(self.pos + 1) == Some(&b'\n') => self.pos += 2,
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        let message = match self.rest().chars().next() {
            None => format!("expected {expected}, found the end of the file"),
            Some('\n' | '\r') => format!("expected {expected}, found the end of the line"),
            Some(found) => {
                format!("expected {expected}, found `{}`", found.escape_debug())
            }
        };
        error(ParseErrorKind::Syntax, self.pos(), message)
    }

    /// A few characters of what stands at `start`, for messages.
    pub(super) fn excerpt(&self, start: u32) -> String {
        let rest = self.text.get(start as usize..self.key_end).unwrap_or_default();
        let mut excerpt: String = rest.chars().take(24).collect();
        if excerpt.len() < rest.len() {
            excerpt.push('…');
        }
        excerpt
    }

    fn unclosed(&self, start: usize) -> ParseError {
        error(ParseErrorKind::Syntax, offset(start), "unterminated string")
    }

    fn control_character(&self) -> ParseError {
        let code = self.bytes[self.pos];
        let message = format!("control character U+{code:04X} must be escaped");
        error(ParseErrorKind::Syntax, self.pos(), message)
    }
}

fn bad_escape(start: usize) -> ParseError {
    error(ParseErrorKind::Syntax, offset(start), "unknown escape sequence")
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f
}

fn offset(pos: usize) -> u32 {
    u32::try_from(pos).expect("the length of the text was checked")
}
