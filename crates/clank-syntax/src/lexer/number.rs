//! How far a number goes and whether it is one.

use super::Lexer;
use crate::error::SyntaxCode;
use crate::token::{TokenKind, continues_name};

/// How many digits an integer may have.
pub(crate) const MAX_DIGITS: usize = 20_000;

impl Lexer<'_> {
    /// A number, at its first digit or at a `.` before one.
    pub(super) fn number(&mut self) -> TokenKind {
        let start = self.pos;
        if self.last == TokenKind::Dot {
            self.digits();
            self.end_of_number(start);
            return TokenKind::Int;
        }
        if self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X' | b'b' | b'B') {
            return self.radix_integer(start);
        }
        self.digits();
        let mut kind = TokenKind::Int;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.pos += 1;
            self.digits();
            kind = TokenKind::Float;
        }
        let signs = usize::from(matches!(self.byte(1), b'+' | b'-') && self.byte(2) != b'>');
        if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + signs).is_ascii_digit() {
            self.pos += 1 + signs;
            self.digits();
            kind = TokenKind::Float;
        } else if matches!(self.byte(0), b'e' | b'E') && !self.continues_after(1) {
            self.pos += 1 + signs;
            self.error(
                SyntaxCode::E0003,
                start,
                "the exponent of this number has no digits".into(),
            );
            return TokenKind::Float;
        }
        if kind == TokenKind::Int {
            self.suffix();
        }
        let reported = self.errors.len();
        self.end_of_number(start);
        if self.errors.len() == reported {
            self.check_size(start, kind);
        }
        kind
    }

    fn radix_integer(&mut self, start: usize) -> TokenKind {
        let is_hex = matches!(self.byte(1), b'x' | b'X');
        self.pos += 2;
        let first = self.pos;
        let mut n_digits = 0;
        loop {
            match self.byte(0) {
                b'_' => {}
                b'0' | b'1' => n_digits += 1,
                it if is_hex && it.is_ascii_hexdigit() => n_digits += 1,
                _ => break,
            }
            self.pos += 1;
        }
        let is_over = self.pos - first > MAX_DIGITS;
        self.suffix();
        let reported = self.errors.len();
        self.end_of_number(start);
        if self.errors.len() > reported {
            return TokenKind::Int;
        }
        if n_digits == 0 {
            self.error(SyntaxCode::E0003, start, "this number has no digits".into());
        } else if is_over {
            self.too_many_digits(start);
        }
        TokenKind::Int
    }

    fn digits(&mut self) {
        while matches!(self.byte(0), b'0'..=b'9' | b'_') {
            self.pos += 1;
        }
    }

    fn suffix(&mut self) {
        let rest = &self.bytes[self.pos..];
        if (rest.starts_with(b"i32") || rest.starts_with(b"i64")) && !self.continues_after(3) {
            self.pos += 3;
        }
    }

    fn continues_after(&self, n_bytes: usize) -> bool {
        self.text.get(self.pos + n_bytes..).is_some_and(|it| it.starts_with(continues_name))
    }

    /// Letters right after a number belong to it and make it none.
    fn end_of_number(&mut self, start: usize) {
        let end = self.pos;
        self.rest_of_name();
        if self.pos > end {
            let letters = super::shortened(&self.text[end..self.pos]);
            let message = format!("`{letters}` cannot follow a number directly");
            self.error(SyntaxCode::E0003, start, message);
        }
    }

    fn check_size(&mut self, start: usize, kind: TokenKind) {
        let text = &self.text[start..self.pos];
        if kind == TokenKind::Int {
            if text.len() > MAX_DIGITS {
                self.too_many_digits(start);
            }
        } else if !text.replace('_', "").parse::<f64>().is_ok_and(f64::is_finite) {
            let message = "this number is too large for a `Float`".into();
            self.error(SyntaxCode::E0003, start, message);
        }
    }

    fn too_many_digits(&mut self, start: usize) {
        let message = format!("an integer has at most {MAX_DIGITS} digits");
        self.error(SyntaxCode::E0003, start, message);
    }
}
