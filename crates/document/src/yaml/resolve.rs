//! What a scalar means by the core schema of YAML 1.2 and its tag.

use std::borrow::Cow;

use super::tree::{NodeKind, TagKind};
use crate::value::{Number, Value};
use crate::view::Content;

/// The value of a scalar with these characters.
pub(super) fn resolve(text: &str, shape: NodeKind, tag: Option<TagKind>) -> Value {
    let is_plain = matches!(shape, NodeKind::Plain | NodeKind::Empty);
    match tag {
        None | Some(TagKind::Custom) if is_plain => plain(text),
        Some(TagKind::Int) => integer(text).map_or_else(|| string(text), Value::Number),
        Some(TagKind::Float) => {
            let number = integer(text).and_then(|it| to_float(&it)).or_else(|| float(text));
            number.map_or_else(|| string(text), Value::Number)
        }
        Some(TagKind::Bool) => boolean(text).map_or_else(|| string(text), Value::Bool),
        Some(TagKind::Null) if is_null(text) => Value::Null,
        _ => string(text),
    }
}

/// The value of a scalar without a tag, not copied if it is a string.
pub(super) fn untagged(text: Cow<'_, str>, shape: NodeKind) -> Content<'_> {
    if !matches!(shape, NodeKind::Plain | NodeKind::Empty) {
        return Content::String(text);
    }
    match other_than_string(&text) {
        None => Content::String(text),
        Some(value) => value.into(),
    }
}

/// The value of a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Value {
    other_than_string(text).unwrap_or_else(|| string(text))
}

fn other_than_string(text: &str) -> Option<Value> {
    if is_null(text) {
        return Some(Value::Null);
    }
    if let Some(value) = boolean(text) {
        return Some(Value::Bool(value));
    }
    if !text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | '.')) {
        return None;
    }
    integer(text).or_else(|| float(text)).map(Value::Number)
}

fn string(text: &str) -> Value {
    Value::String(text.to_string())
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Decimal integers of any length; octal and hexadecimal ones of up to 127 bits. Longer ones stay strings.
fn integer(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix: u32| {
        let is_digit = |it: char| it.is_digit(radix);
        (!digits.is_empty() && digits.chars().all(is_digit))
            .then(|| i128::from_str_radix(digits, radix).ok())
            .flatten()
            .map(Number::from_integer)
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let (sign, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Number::parse(&format!("{sign}{}", without_leading_zeros(digits)))
}

/// Floats by the core schema, brought to JSON's grammar without a change of value.
fn float(text: &str) -> Option<Number> {
    let (sign, rest) = split_sign(text);
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(Number::infinity(sign == "-")),
        ".nan" | ".NaN" | ".NAN" if rest.len() == text.len() => return Some(Number::nan()),
        _ => {}
    }
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { without_leading_zeros(whole) };
    let fraction = match fraction {
        None => Cow::Borrowed(""),
        Some("") => Cow::Borrowed(".0"),
        Some(digits) => Cow::Owned(format!(".{digits}")),
    };
    Number::parse(&format!("{sign}{whole}{fraction}{exponent}"))
}

fn to_float(integer: &Number) -> Option<Number> {
    Number::parse(&format!("{}.0", integer.text()))
}

fn split_sign(text: &str) -> (&'static str, &str) {
    match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    }
}

fn without_leading_zeros(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.starts_with(|it: char| it.is_ascii_digit()) {
        trimmed
    } else {
        // Only zeros, or zeros before something that is not a digit, which the number's grammar will refuse.
        &digits[digits.len() - trimmed.len() - usize::from(digits.len() > trimmed.len())..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_resolve_by_the_core_schema() {
        let cases = [
            ("", "null"),
            ("~", "null"),
            ("Null", "null"),
            ("nULL", "\"nULL\""),
            ("TRUE", "true"),
            ("yes", "\"yes\""),
            ("0", "0"),
            ("-0", "-0"),
            ("007", "7"),
            ("000", "0"),
            ("+1", "1"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0x", "\"0x\""),
            ("-0x1", "\"-0x1\""),
            ("0b1", "\"0b1\""),
            ("1_000", "\"1_000\""),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1.e5", "1.0e5"),
            ("+00.50e-3", "0.50e-3"),
            ("1e5", "1e5"),
            (".", "\".\""),
            ("+", "\"+\""),
            ("-", "\"-\""),
            ("e5", "\"e5\""),
            ("1e", "\"1e\""),
            ("1.2.3", "\"1.2.3\""),
            ("12:30", "\"12:30\""),
            (".inf", "\".inf\""),
            ("-.INF", "\"-.inf\""),
            (".NaN", "\".nan\""),
            ("-.nan", "\"-.nan\""),
            ("0é", "\"0é\""),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ];
        for (text, expected) in cases {
            assert_eq!(resolve(text, NodeKind::Plain, None).to_json(), expected, "{text}");
        }
        assert!(matches!(plain(".inf"), Value::Number(_)));
        assert!(matches!(plain(&format!("0x{}", "f".repeat(40))), Value::String(_)));
    }

    #[test]
    fn tags_decide_over_the_spelling() {
        let read = |text, shape, tag| resolve(text, shape, Some(tag)).to_json();
        assert_eq!(read("5", NodeKind::Plain, TagKind::Str), "\"5\"");
        assert_eq!(read("5", NodeKind::DoubleQuoted, TagKind::Int), "5");
        assert_eq!(read("5", NodeKind::Plain, TagKind::Float), "5.0");
        assert_eq!(read("", NodeKind::Empty, TagKind::Str), "\"\"");
        assert_eq!(read("", NodeKind::Empty, TagKind::Null), "null");
        assert_eq!(read("5", NodeKind::Plain, TagKind::Custom), "5");
        assert_eq!(read("5", NodeKind::DoubleQuoted, TagKind::Custom), "\"5\"");
        assert_eq!(read("x", NodeKind::Plain, TagKind::Int), "\"x\"");
    }
}
