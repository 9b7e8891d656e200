//! Scalars and keys: from their text to a value. The parser has checked the grammar, so nothing here fails.

use std::borrow::Cow;

use super::tree::NodeForm;
use crate::value::{Number, Value};
use crate::view::Content;

/// The value of a scalar of this form.
pub(super) fn value(form: NodeForm, text: &str) -> Value {
    match form {
        NodeForm::Basic => Value::String(unescape(inner(text, 1)).into_owned()),
        NodeForm::Literal => Value::String(inner(text, 1).to_string()),
        NodeForm::MultilineBasic => Value::String(unescape(multiline(text).as_ref()).into_owned()),
        NodeForm::MultilineLiteral => Value::String(multiline(text).into_owned()),
        NodeForm::Integer => {
            Value::Number(integer(text).map_or_else(Number::nan, Number::from_integer))
        }
        NodeForm::Float => Value::Number(float(text)),
        NodeForm::Bool => Value::Bool(text == "true"),
        NodeForm::Datetime => Value::Datetime(text.to_string()),
        _ => Value::Null,
    }
}

/// The same, not copied where that can be.
pub(super) fn content(form: NodeForm, text: &str) -> Content<'_> {
    match form {
        NodeForm::Basic => Content::String(unescape(inner(text, 1))),
        NodeForm::Literal => Content::String(Cow::Borrowed(inner(text, 1))),
        NodeForm::Datetime => Content::String(Cow::Borrowed(text)),
        _ => value(form, text).into(),
    }
}

/// The decoded text of a key.
pub(super) fn key(text: &str) -> Cow<'_, str> {
    match text.as_bytes().first() {
        Some(b'"') => unescape(inner(text, 1)),
        Some(b'\'') => Cow::Borrowed(inner(text, 1)),
        _ => Cow::Borrowed(text),
    }
}

/// Where the key that starts at `start` ends, quotes included.
pub(super) fn key_end(bytes: &[u8], start: u32) -> u32 {
    let rest = bytes.get(start as usize..).unwrap_or_default();
    let len = match rest.first() {
        Some(b'\'') => 2 + memchr::memchr(b'\'', &rest[1..]).unwrap_or_default(),
        Some(b'"') => {
            let mut at = 1;
            while let Some(found) = memchr::memchr2(b'"', b'\\', rest.get(at..).unwrap_or_default())
            {
                at += found;
                if rest[at] == b'"' {
                    break;
                }
                at += 2;
            }
            at + 1
        }
        _ => rest.iter().take_while(|it| is_bare_key_byte(**it)).count(),
    };
    start + len.min(rest.len()) as u32
}

/// Whether a key without quotes may hold it.
pub(super) fn is_bare_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// The value of an integer that fits 64 bits, in any of the four bases.
pub(super) fn integer(text: &str) -> Option<i128> {
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let value = match digits.as_bytes() {
        [b'0', b'x', ..] => i128::from_str_radix(&digits[2..], 16),
        [b'0', b'o', ..] => i128::from_str_radix(&digits[2..], 8),
        [b'0', b'b', ..] => i128::from_str_radix(&digits[2..], 2),
        _ => digits.parse(),
    };
    value.ok().filter(|value| i64::try_from(*value).is_ok())
}

/// A float in JSON's grammar: no plus sign, no underscores.
fn float(text: &str) -> Number {
    let negative = text.starts_with('-');
    match text.trim_start_matches(['+', '-']) {
        "inf" => Number::infinity(negative),
        "nan" => Number::nan(),
        _ => {
            let digits = text.strip_prefix('+').unwrap_or(text).replace('_', "");
            Number::parse(&digits).unwrap_or_else(Number::nan)
        }
    }
}

fn inner(text: &str, quotes: usize) -> &str {
    text.get(quotes..text.len().saturating_sub(quotes)).unwrap_or_default()
}

/// The inside of a multi-line string: without the line end that may follow the opening quotes, line ends as LF.
fn multiline(text: &str) -> Cow<'_, str> {
    let inside = inner(text, 3);
    let inside =
        inside.strip_prefix('\n').or_else(|| inside.strip_prefix("\r\n")).unwrap_or(inside);
    if inside.contains('\r') { inside.replace("\r\n", "\n").into() } else { inside.into() }
}

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let Some(code) = escaped.chars().next() else { break };
        let simple = match code {
            'b' => Some('\u{8}'),
            't' => Some('\t'),
            'n' => Some('\n'),
            'f' => Some('\u{c}'),
            'r' => Some('\r'),
            'e' => Some('\u{1b}'),
            '"' => Some('"'),
            '\\' => Some('\\'),
            _ => None,
        };
        if let Some(character) = simple {
            out.push(character);
            rest = &escaped[1..];
            continue;
        }
        let digits = match code {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            // A backslash at the end of a line joins it with the next text.
            _ => {
                rest = escaped.trim_start_matches([' ', '\t', '\n', '\r']);
                continue;
            }
        };
        let hex = escaped.get(1..=digits).unwrap_or_default();
        out.extend(u32::from_str_radix(hex, 16).ok().and_then(char::from_u32));
        rest = escaped.get(1 + digits..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}
