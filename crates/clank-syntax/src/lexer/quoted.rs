//! Where strings, templates and block comments end, and which of their escapes do not exist.

use crate::span::Span;

/// What was found between quotes.
pub(super) struct QuotedSpan {
    /// The byte after the closing quote, if there is one.
    pub(super) end: Option<usize>,
    /// Escapes that do not exist. Those of strings and templates within a template are not its own.
    pub(super) bad_escapes: Vec<Span>,
    /// How deep templates are nested.
    pub(super) depth: usize,
}

/// The length of the escape at a backslash, and whether it exists. A backslash at the end is an escape of one byte.
pub(crate) fn escape(text: &str, at: usize) -> (usize, bool) {
    let escaped = text[at + 1..].chars().next();
    let exists = escaped.is_some_and(|it| "nrt\\\"'0`$".contains(it));
    (1 + escaped.map_or(0, char::len_utf8), exists)
}

/// A string that starts at `start`, of one line or of several.
pub(super) fn string_extent(text: &str, start: usize) -> QuotedSpan {
    let bytes = text.as_bytes();
    let quote: &[u8] = if bytes[start..].starts_with(b"\"\"\"") { b"\"\"\"" } else { b"\"" };
    let mut extent = QuotedSpan { end: None, bad_escapes: Vec::new(), depth: 0 };
    let mut pos = start + quote.len();
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'"' if bytes[pos..].starts_with(quote) => {
                extent.end = Some(pos + quote.len());
                return extent;
            }
            b'\\' => {
                let (length, exists) = escape(text, pos);
                if !exists {
                    extent.bad_escapes.push(Span::new(pos as u32, (pos + length) as u32));
                }
                pos += length;
            }
            b'\n' if quote.len() == 1 => return extent,
            _ => pos += 1,
        }
    }
    extent
}

enum Inside {
    Text,
    /// Between `${` and `}`, with so many braces open.
    Code(usize),
}

/// A template that starts at `start`. Templates, strings and comments in its expressions are passed over whole.
pub(super) fn template_extent(text: &str, start: usize) -> QuotedSpan {
    extent(text, start + 1, Inside::Text)
}

/// The `}` that ends the code of a template that starts at `start`.
pub(crate) fn code_end(text: &str, start: usize) -> Option<usize> {
    extent(text, start, Inside::Code(0)).end.map(|it| it - 1)
}

fn extent(text: &str, start: usize, first: Inside) -> QuotedSpan {
    let bytes = text.as_bytes();
    let mut extent = QuotedSpan { end: None, bad_escapes: Vec::new(), depth: 1 };
    let mut inside = vec![first];
    let mut pos = start;
    while let Some(&byte) = bytes.get(pos) {
        let is_outermost = inside.len() == 1;
        let Some(top) = inside.last_mut() else { break };
        let next = bytes.get(pos + 1);
        match (top, byte) {
            (Inside::Text, b'`') => {
                inside.pop();
            }
            (Inside::Text, b'$') if next == Some(&b'{') => {
                inside.push(Inside::Code(0));
                pos += 1;
            }
            (Inside::Text, b'\\') => {
                let (length, exists) = escape(text, pos);
                if !exists && is_outermost {
                    extent.bad_escapes.push(Span::new(pos as u32, (pos + length) as u32));
                }
                pos += length - 1;
            }
            (Inside::Text, _) => {}
            (Inside::Code(braces), b'{') => *braces += 1,
            (Inside::Code(0), b'}') => {
                inside.pop();
            }
            (Inside::Code(braces), b'}') => *braces -= 1,
            (Inside::Code(_), b'`') => {
                inside.push(Inside::Text);
                extent.depth = extent.depth.max(inside.len().div_ceil(2));
            }
            (Inside::Code(_), b'"') => match string_extent(text, pos).end {
                Some(end) => pos = end - 1,
                None => return extent,
            },
            (Inside::Code(_), b'/') if next == Some(&b'/') => {
                let line = bytes[pos..].iter().position(|&it| it == b'\n');
                pos = line.map_or(bytes.len(), |it| pos + it);
            }
            (Inside::Code(_), b'/') if next == Some(&b'*') => match block_comment_end(bytes, pos) {
                Some(end) => pos = end - 1,
                None => return extent,
            },
            (Inside::Code(_), _) => {}
        }
        pos += 1;
        if inside.is_empty() {
            extent.end = Some(pos);
            return extent;
        }
    }
    extent
}

/// The byte after a block comment that starts at `start`; block comments nest.
pub(super) fn block_comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut pos = start;
    while pos < bytes.len() {
        match (bytes[pos], bytes.get(pos + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                pos += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                pos += 2;
                if depth == 0 {
                    return Some(pos);
                }
            }
            _ => pos += 1,
        }
    }
    None
}

/// Where a template or multi-line string without an end is taken to end: before the next line that starts with a
/// declaration, so that what follows is still read.
pub(super) fn given_up(bytes: &[u8], start: usize) -> usize {
    const WORDS: [&str; 8] = ["fn", "ƒ", "type", "rec", "sum", "mod", "use", "external"];
    let starts_declaration = |line: &[u8]| {
        WORDS.iter().any(|word| {
            line.strip_prefix(word.as_bytes())
                .is_some_and(|rest| rest.first().is_some_and(|it| matches!(it, b' ' | b'\t')))
        })
    };
    let mut pos = start;
    while let Some(line) = bytes[pos..].iter().position(|&it| it == b'\n') {
        pos += line + 1;
        if starts_declaration(&bytes[pos..]) {
            return pos - 1;
        }
    }
    bytes.len()
}
