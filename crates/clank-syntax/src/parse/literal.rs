//! The values of literals.

use num_bigint::BigInt;

use super::cursor::{Failed, ParseResult, Parser};
use crate::ast::{IntSuffix, Literal};
use crate::error::SyntaxCode;
use crate::lexer::{MAX_DIGITS, escape};
use crate::token::TokenKind;

/// Whether it is a literal by itself.
pub(super) fn is_literal(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Int
            | TokenKind::Float
            | TokenKind::Str
            | TokenKind::MultilineStr
            | TokenKind::True
            | TokenKind::False
    )
}

impl Parser<'_> {
    /// The value of the literal here. There is none if the lexer reported it.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let (kind, text) = (self.kind(), self.text_at(self.pos));
        self.bump();
        match kind {
            TokenKind::True => Some(Literal::Bool(true)),
            TokenKind::False => Some(Literal::Bool(false)),
            TokenKind::Int => integer(text),
            TokenKind::Float => {
                let value = text.replace('_', "").parse::<f64>().ok()?;
                value.is_finite().then_some(Literal::Float(value))
            }
            TokenKind::Str => string(text).map(Literal::Str),
            _ => multiline_string(text).map(Literal::Str),
        }
    }

    /// A plain string, for places where no other expression can stand.
    pub(super) fn string_literal(&mut self, what: &str) -> ParseResult<String> {
        if !matches!(self.kind(), TokenKind::Str | TokenKind::MultilineStr) {
            return Err(self.expected(SyntaxCode::E0001, what));
        }
        match self.literal() {
            Some(Literal::Str(text)) => Ok(text),
            _ => Err(Failed),
        }
    }
}

/// The value of an integer as it is written, if it is one.
pub(super) fn integer(text: &str) -> Option<Literal> {
    let (digits, suffix) = match (text.strip_suffix("i32"), text.strip_suffix("i64")) {
        (Some(digits), _) => (digits, Some(IntSuffix::I32)),
        (_, Some(digits)) => (digits, Some(IntSuffix::I64)),
        _ => (text, None),
    };
    if digits.len() > MAX_DIGITS + 2 {
        return None;
    }
    if digits.len() < 19 && digits.bytes().all(|it| it.is_ascii_digit()) {
        let value = digits.parse::<u64>().ok()?;
        return Some(Literal::Int { value: BigInt::from(value), suffix });
    }
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) || digits.len() > MAX_DIGITS {
        return None;
    }
    let value = BigInt::parse_bytes(digits.replace('_', "").as_bytes(), radix)?;
    Some(Literal::Int { value, suffix })
}

fn string(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    unescaped(inside)
}

/// A line end right after the opening quotes is not part of the value.
fn multiline_string(text: &str) -> Option<String> {
    let inside = text.strip_prefix("\"\"\"")?.strip_suffix("\"\"\"")?;
    let inside = inside.strip_prefix("\r\n").or(inside.strip_prefix('\n')).unwrap_or(inside);
    unescaped(inside)
}

/// The text with its escapes resolved, unless one does not exist or the last one lacks its character.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        let (length, exists) = escape(rest, at);
        if !exists {
            return None;
        }
        value.push(match rest.as_bytes()[at + 1] {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'0' => '\0',
            other => other as char,
        });
        rest = &rest[at + length..];
    }
    value.push_str(rest);
    Some(value)
}
