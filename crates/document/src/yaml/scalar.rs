//! Scalars as text: the style that was there or that the neighbours have, where it can say the value.

use super::ambiguous;
use super::tree::NodeKind;
use crate::refusal::{Refusal, RefusalReason};
use crate::value::Value;

/// A style for strings on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QuoteStyle {
    Plain,
    Single,
    Double,
}

impl QuoteStyle {
    /// The style of a scalar on one line; `None` for block scalars and what is not a scalar.
    pub(super) fn of(shape: NodeKind) -> Option<QuoteStyle> {
        match shape {
            NodeKind::Plain => Some(QuoteStyle::Plain),
            NodeKind::SingleQuoted => Some(QuoteStyle::Single),
            NodeKind::DoubleQuoted => Some(QuoteStyle::Double),
            _ => None,
        }
    }
}

/// How a scalar may be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarStyle {
    pub(super) wanted: QuoteStyle,
    /// What a string gets that cannot be plain: single or double quotes.
    pub(super) fallback: QuoteStyle,
    pub(super) in_flow: bool,
}

/// A scalar on one line.
pub(super) fn inline(value: &Value, style: ScalarStyle) -> Result<String, Refusal> {
    match value {
        Value::Null => Ok("null".to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(number) => Ok(number.text().to_string()),
        Value::String(text) => Ok(string(text, style)),
        Value::Datetime(_) => Err(not_expressible("a date-time")),
        Value::Array(_) | Value::Object(_) => Err(not_expressible("a collection as a scalar")),
    }
}

/// What it is about a scalar that YAML has no text for.
pub(super) fn inexpressible(scalar: &Value) -> Option<&'static str> {
    matches!(scalar, Value::Datetime(_)).then_some("a date-time")
}

/// A string on one line.
pub(super) fn string(text: &str, style: ScalarStyle) -> String {
    let quote = match style.wanted {
        QuoteStyle::Plain if can_be_plain(text, style.in_flow) => return text.to_string(),
        QuoteStyle::Plain => style.fallback,
        quoted => quoted,
    };
    // Single quotes save escapes; they cannot say line breaks and control characters.
    let prefers_single = quote == QuoteStyle::Single
        || (style.wanted == QuoteStyle::Plain
            && text.contains(['"', '\\'])
            && !text.contains('\''));
    if prefers_single && text.chars().all(is_printable) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

/// A key without `?` may have 1024 characters.
pub(super) fn check_key_len(key: &str) -> Result<(), Refusal> {
    if key.len() <= 1000 {
        return Ok(());
    }
    Err(not_expressible("a key of more than a thousand bytes without `?`"))
}

pub(super) fn not_expressible(what: impl Into<String>) -> Refusal {
    Refusal::new(RefusalReason::NotExpressible { format: "YAML", what: what.into() }, 0)
}

/// Whether the text means itself without quotes, to YAML 1.1 and 1.2 readers alike.
pub(super) fn can_be_plain(text: &str, in_flow: bool) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let has_bad_start = match first {
        '-' => text.len() == 1 || text.starts_with("- ") || text.starts_with("---"),
        '.' => text.starts_with("..."),
        _ => "?:,[]{}#&*!|>'\"%@` ".contains(first),
    };
    let has_indicator = text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #")
        || (in_flow && text.contains([',', '[', ']', '{', '}']));
    !has_bad_start
        && !has_indicator
        && text.chars().all(is_printable)
        && !ambiguous::is_ambiguous(text)
}

/// Printable on one line without an escape.
fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            _ if is_printable(character) => out.push(character),
            _ => {
                let code = u32::from(character);
                out.push_str(&if code <= 0xFF {
                    format!("\\x{code:02X}")
                } else {
                    format!("\\u{code:04X}")
                });
            }
        }
    }
    out.push('"');
    out
}

/// A block scalar in a container at column `parent`: its header, and its lines `deeper` columns further right.
/// `None` where neither style can say the text.
pub(super) fn block(
    text: &str,
    folded: bool,
    parent: usize,
    deeper: usize,
    eol: &str,
) -> Option<(String, String)> {
    let body = text.trim_end_matches('\n');
    let is_line = |line: &str| {
        let is_blank = line.trim_matches([' ', '\t']).is_empty();
        line.is_empty() || (!is_blank && line.chars().all(|it| it == '\t' || is_printable(it)))
    };
    if body.is_empty() || body.starts_with('\t') || !body.split('\n').all(is_line) {
        return None;
    }
    // The first line tells the indentation, unless it starts with blanks or is empty.
    let indicator = match body.starts_with([' ', '\n']) {
        true if deeper <= 9 => deeper.to_string(),
        true => return None,
        false => String::new(),
    };
    let breaks = text.len() - body.len();
    let chomping = match breaks {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let folded = folded
        && !body.starts_with('\n')
        && !body.split('\n').any(|line| line.starts_with([' ', '\t']));
    let indent = parent + deeper;
    let mut lines = String::new();
    for (count, line) in body.split('\n').enumerate() {
        // In a folded scalar one line break reads as a space, so a break between two lines of text takes two.
        if folded && count > 0 && !line.is_empty() {
            lines.push_str(eol);
        }
        if !line.is_empty() {
            lines.extend(std::iter::repeat_n(' ', indent));
            lines.push_str(line);
        }
        lines.push_str(eol);
    }
    for _ in 1..breaks {
        lines.push_str(eol);
    }
    Some((format!("{}{indicator}{chomping}", if folded { '>' } else { '|' }), lines))
}
