//! Literals as they are written.

use crate::ast::Literal;
use crate::json::{float_text, suffix_text};

pub(super) fn literal(it: &Literal) -> String {
    match it {
        Literal::Int { value, suffix } => {
            format!("{value}{}", suffix.map(suffix_text).unwrap_or_default())
        }
        Literal::Float(value) => float_text(*value),
        Literal::Str(value) => string(value),
        Literal::Bool(true) => "true".into(),
        Literal::Bool(false) => "false".into(),
        Literal::Unit => "()".into(),
    }
}

/// A string literal. Characters that have no escape stand for themselves.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    escape(&mut out, text, '"');
    out.push('"');
    out
}

/// The text of a template between its expressions.
pub(super) fn template_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(&mut out, text, '`');
    out
}

fn escape(out: &mut String, text: &str, quote: char) {
    for it in text.chars() {
        match it {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            '\\' => out.push_str("\\\\"),
            '$' if quote == '`' => out.push_str("\\$"),
            _ if it == quote => {
                out.push('\\');
                out.push(it);
            }
            _ => out.push(it),
        }
    }
}
