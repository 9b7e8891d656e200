//! Values as JSON text, for what regreen itself writes (patch documents, digests). Files are never written this way.

use crate::value::Value;

impl Value {
    /// JSON on one line. Date-times and non-finite numbers become strings.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_value(self, None, 0, &mut out);
        out
    }

    /// JSON with two spaces of indentation and no final newline.
    pub fn to_json_pretty(&self) -> String {
        let mut out = String::new();
        write_value(self, Some(2), 0, &mut out);
        out
    }
}

fn write_value(value: &Value, indent: Option<usize>, depth: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if number.is_finite() => out.push_str(number.text()),
        Value::Number(number) => write_json_string(number.text(), out),
        Value::String(text) | Value::Datetime(text) => write_json_string(text, out),
        Value::Array(items) => {
            write_members(b"[]", items.len(), indent, depth, out, |index, out| {
                write_value(&items[index], indent, depth + 1, out);
            });
        }
        Value::Object(members) => {
            write_members(b"{}", members.len(), indent, depth, out, |index, out| {
                let (key, value) = &members[index];
                write_json_string(key, out);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write_value(value, indent, depth + 1, out);
            });
        }
    }
}

fn write_members(
    brackets: &[u8; 2],
    len: usize,
    indent: Option<usize>,
    depth: usize,
    out: &mut String,
    mut write_member: impl FnMut(usize, &mut String),
) {
    let break_line = |depth: usize, out: &mut String| {
        if let Some(width) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', width * depth));
        }
    };
    out.push(char::from(brackets[0]));
    for index in 0..len {
        if index > 0 {
            out.push(',');
        }
        break_line(depth + 1, out);
        write_member(index, out);
    }
    if len > 0 {
        break_line(depth, out);
    }
    out.push(char::from(brackets[1]));
}

/// Appends `text` as a JSON string: the escapes that JSON demands and no others.
pub(crate) fn write_json_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}
