//! New text: keys, values and whole sections, in a given style.

use super::parse::is_datetime;
use super::tree::NodeForm;
use crate::value::Value;

/// What TOML has no text for, in words.
pub(super) type Inexpressible = String;

/// How new text is written.
#[derive(Clone, Copy)]
pub(super) struct Style<'t> {
    pub(super) newline: &'static str,
    /// The form of new strings.
    pub(super) string: NodeForm,
    /// Whether a multi-line string has a line end after its opening quotes.
    pub(super) opens_with_newline: bool,
    /// The indentation of headers.
    pub(super) header: &'t str,
    /// The indentation of the lines below a header.
    pub(super) body: &'t str,
    /// Whether a blank line stands before a section.
    pub(super) is_spaced: bool,
}

/// A key, bare where it can be, unless `like`, the text of another key, is quoted without need.
pub(super) fn key(key: &str, like: Option<&str>) -> String {
    let is_bare = |key: &str| {
        !key.is_empty()
            && key.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
    };
    let quote = like.and_then(|it| it.chars().next()).filter(|it| matches!(it, '"' | '\''));
    let is_habit = quote.is_some() && like.is_some_and(|it| is_bare(&it[1..it.len() - 1]));
    if is_bare(key) && !is_habit {
        return key.to_string();
    }
    if quote == Some('\'') && is_literal(key) { format!("'{key}'") } else { basic(key) }
}

/// An array with every item on a line of its own.
pub(super) fn block_array(
    items: &[Value],
    style: &Style<'_>,
    ends_with_comma: bool,
    closing_indent: &str,
) -> Result<String, Inexpressible> {
    let mut out = format!("[{}", style.newline);
    for (index, item) in items.iter().enumerate() {
        let comma = if ends_with_comma || index + 1 < items.len() { "," } else { "" };
        let item = inline(item, &inner(style))?;
        out.push_str(&[style.body, &item, comma, style.newline].concat());
    }
    out.push_str(closing_indent);
    out.push(']');
    Ok(out)
}

/// A value without line breaks of its own, except in a multi-line string that the style asks for.
pub(super) fn inline(value: &Value, style: &Style<'_>) -> Result<String, Inexpressible> {
    let mut out = String::new();
    write_inline(value, style, &mut out)?;
    Ok(out)
}

fn write_inline(value: &Value, style: &Style<'_>, out: &mut String) -> Result<(), Inexpressible> {
    match value {
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::String(text) => out.push_str(&string(text, style)),
        Value::Null | Value::Number(_) | Value::Datetime(_) => match inexpressible(value) {
            Some(what) => return Err(what.to_string()),
            None => out.push_str(&literal(value)),
        },
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_inline(item, &inner(style), out)?;
            }
            out.push(']');
        }
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "{ " });
                out.push_str(&key(name, None));
                out.push_str(" = ");
                write_inline(value, &inner(style), out)?;
            }
            out.push_str(" }");
        }
    }
    Ok(())
}

/// The style of values inside a new container: their strings stay on one line.
fn inner<'t>(style: &Style<'t>) -> Style<'t> {
    let string = match style.string {
        NodeForm::Literal | NodeForm::MultilineLiteral => NodeForm::Literal,
        _ => NodeForm::Basic,
    };
    Style { string, ..*style }
}

/// What it is about a scalar that TOML has no text for.
pub(super) fn inexpressible(scalar: &Value) -> Option<&'static str> {
    match scalar {
        Value::Null => Some("null"),
        Value::Number(it) if it.is_integer_literal() && it.text().parse::<i64>().is_err() => {
            Some("an integer beyond 64 bits")
        }
        Value::Number(it)
            if it.is_finite() && it.text().parse::<f64>().is_ok_and(f64::is_infinite) =>
        {
            Some("a number beyond the range of a double")
        }
        Value::Datetime(text) if !is_datetime(text) => Some("this date-time"),
        _ => None,
    }
}

/// A number or a date-time.
fn literal(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_finite() => number.text().to_string(),
        Value::Number(number) => number.text().replace('.', ""),
        Value::Datetime(text) => text.clone(),
        _ => String::new(),
    }
}

fn string(text: &str, style: &Style<'_>) -> String {
    let opening =
        if style.opens_with_newline || text.starts_with('\n') { style.newline } else { "" };
    match style.string {
        NodeForm::Literal if is_literal(text) => format!("'{text}'"),
        NodeForm::MultilineLiteral
            if !text.contains("'''")
                && !text.ends_with('\'')
                && text.split('\n').all(|line| !line.contains(is_control)) =>
        {
            format!("'''{opening}{}'''", text.replace('\n', style.newline))
        }
        NodeForm::MultilineBasic => multiline_basic(text, opening, style.newline),
        _ => basic(text),
    }
}

fn is_control(character: char) -> bool {
    (character < ' ' && character != '\t') || character == '\u{7f}'
}

fn is_literal(text: &str) -> bool {
    !text.contains(|it| it == '\'' || is_control(it))
}

fn basic(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        push_escaped(character, &mut out);
    }
    out.push('"');
    out
}

fn multiline_basic(text: &str, opening: &str, newline: &str) -> String {
    let mut out = format!("\"\"\"{opening}");
    let mut quotes = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_closing = character == '"' && (quotes == 2 || characters.peek().is_none());
        quotes = if character == '"' && !is_closing { quotes + 1 } else { 0 };
        match character {
            '\n' => out.push_str(newline),
            '"' if !is_closing => out.push('"'),
            '\t' => out.push('\t'),
            _ => push_escaped(character, &mut out),
        }
    }
    out.push_str("\"\"\"");
    out
}

fn push_escaped(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        character if is_control(character) => {
            out.push_str(&format!("\\u{:04X}", u32::from(character)));
        }
        character => out.push(character),
    }
}

/// Whether a value can be written as `[[key]]` sections.
pub(super) fn is_array_of_tables(value: &Value) -> bool {
    matches!(value, Value::Array(items)
        if !items.is_empty() && items.iter().all(|it| matches!(it, Value::Object(_))))
}

/// An object as a `[path]` section with its sub-sections, an array of objects as `[[path]]` sections.
pub(super) fn sections(
    path: &str,
    value: &Value,
    style: &Style<'_>,
) -> Result<String, Inexpressible> {
    let mut out = String::new();
    match value {
        Value::Array(items) => {
            for item in items {
                write_section(path, true, item, style, &mut out)?;
            }
        }
        object => write_section(path, false, object, style, &mut out)?,
    }
    Ok(out)
}

/// One `[[path]]` section.
pub(super) fn item_section(
    path: &str,
    value: &Value,
    style: &Style<'_>,
) -> Result<String, Inexpressible> {
    let mut out = String::new();
    write_section(path, true, value, style, &mut out)?;
    Ok(out)
}

/// The members of an object as lines, then as sections; `path` is empty for the document itself.
fn write_section(
    path: &str,
    is_item: bool,
    value: &Value,
    style: &Style<'_>,
    out: &mut String,
) -> Result<(), Inexpressible> {
    let Value::Object(members) = value else { return Ok(()) };
    let is_section = |value: &Value| {
        is_array_of_tables(value) || matches!(value, Value::Object(inside) if !inside.is_empty())
    };
    let (sections, lines): (Vec<_>, Vec<_>) =
        members.iter().partition(|(_, value)| is_section(value));
    if !path.is_empty() && (is_item || sections.is_empty() || !lines.is_empty()) {
        start_section(style, out);
        let (open, close) = if is_item { ("[[", "]]") } else { ("[", "]") };
        out.push_str(&[style.header, open, path, close, style.newline].concat());
    }
    for (name, value) in lines {
        let value = inline(value, style)?;
        out.push_str(&[style.body, &key(name, None), " = ", &value, style.newline].concat());
    }
    for (name, value) in sections {
        let path =
            if path.is_empty() { key(name, None) } else { format!("{path}.{}", key(name, None)) };
        match value {
            Value::Array(items) => {
                for item in items {
                    write_section(&path, true, item, style, out)?;
                }
            }
            object => write_section(&path, false, object, style, out)?,
        }
    }
    Ok(())
}

fn start_section(style: &Style<'_>, out: &mut String) {
    if !out.is_empty() && style.is_spaced {
        out.push_str(style.newline);
    }
}

/// A whole document.
pub(super) fn document(value: &Value, style: &Style<'_>) -> Result<String, Inexpressible> {
    let mut out = String::new();
    write_section("", false, value, style, &mut out)?;
    Ok(out)
}
