//! What a scalar stands for: folded lines, escapes and indentation taken away.
//!
//! The parser has seen to it that the text is well formed, so that nothing here fails. Every line break reads as a
//! line feed.

use std::borrow::Cow;

use crate::tree::{Node, NodeKind, UNTERMINATED, VERBATIM};

pub(crate) fn value<'a>(node: &Node, text: &'a str) -> Cow<'a, str> {
    let source = text.get(node.span().range()).unwrap_or_default();
    let inner = || source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
    match node.kind {
        NodeKind::Plain if node.flags & VERBATIM != 0 => Cow::Borrowed(source),
        NodeKind::SingleQuoted | NodeKind::DoubleQuoted if node.flags & VERBATIM != 0 => {
            Cow::Borrowed(inner())
        }
        NodeKind::Plain => Cow::Owned(fold(source, Escapes::None)),
        NodeKind::SingleQuoted => Cow::Owned(fold(inner(), Escapes::Quotes)),
        NodeKind::DoubleQuoted => Cow::Owned(fold(inner(), Escapes::Backslash)),
        NodeKind::Literal | NodeKind::Folded => {
            let breaks_at_end = node.flags & UNTERMINATED == 0;
            Cow::Owned(block(source, node.link as usize, breaks_at_end))
        }
        _ => Cow::Borrowed(""),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    /// `''`
    Quotes,
    /// `\n`
    Backslash,
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Splits a text behind its first line break.
fn split_line(text: &str) -> (&str, Option<&str>) {
    match text.find(['\n', '\r']) {
        None => (text, None),
        Some(at) => {
            let rest = &text[at..];
            let rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
            (&text[..at], Some(rest))
        }
    }
}

/// Folds the lines of a flow scalar: a line break is a space, and each further one a line feed.
fn fold(source: &str, escapes: Escapes) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let mut is_first = true;
    // Breaks since the last line that is not blank, and whether the first of them was escaped.
    let mut n_breaks = 0;
    let mut is_joined = false;
    loop {
        let (line, next) = split_line(rest);
        let mut line = if is_first { line } else { line.trim_start_matches(BLANKS) };
        let mut joins = false;
        if next.is_some() {
            if escapes == Escapes::Backslash && ends_in_escape(line) {
                line = &line[..line.len() - 1];
                joins = true;
            } else {
                line = trim_end(line, escapes);
            }
        }
        let is_blank = line.is_empty() && !joins && next.is_some();
        if is_first || !is_blank {
            match n_breaks {
                0 => {}
                1 if !is_joined => out.push(' '),
                _ => (1..n_breaks).for_each(|_| out.push('\n')),
            }
            unescape(line, escapes, &mut out);
            n_breaks = 0;
            is_joined = joins;
        }
        n_breaks += 1;
        is_first = false;
        match next {
            Some(next) => rest = next,
            None => return out,
        }
    }
}

/// Whether a line ends in a backslash that is not itself escaped.
fn ends_in_escape(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Without the blanks at the end, but for one that is escaped.
fn trim_end(line: &str, escapes: Escapes) -> &str {
    let trimmed = line.trim_end_matches(BLANKS);
    if escapes == Escapes::Backslash && trimmed.len() < line.len() && ends_in_escape(trimmed) {
        return &line[..=trimmed.len()];
    }
    trimmed
}

fn unescape(line: &str, escapes: Escapes, out: &mut String) {
    let escape = match escapes {
        Escapes::None => return out.push_str(line),
        Escapes::Quotes => '\'',
        Escapes::Backslash => '\\',
    };
    let mut rest = line;
    while let Some(at) = rest.find(escape) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if escapes == Escapes::Quotes {
            // The second quote.
            out.push('\'');
            rest = rest.strip_prefix('\'').unwrap_or(rest);
            continue;
        }
        let Some(name) = rest.chars().next() else { return };
        rest = &rest[name.len_utf8()..];
        let n_digits = match name {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if n_digits == 0 {
            out.push(simple_escape(name));
            continue;
        }
        let (code, behind) = hex(rest, n_digits);
        rest = behind;
        out.push(character(code, &mut rest));
    }
    out.push_str(rest);
}

fn hex(text: &str, n_digits: usize) -> (u32, &str) {
    let digits = text.get(..n_digits).unwrap_or_default();
    let code = u32::from_str_radix(digits, 16).unwrap_or(0xFFFD);
    (code, text.get(n_digits..).unwrap_or_default())
}

/// The character of a code; with the escape of a second surrogate behind that of a first, as in JSON.
fn character(code: u32, rest: &mut &str) -> char {
    if (0xD800..0xDC00).contains(&code)
        && let Some(second) = rest.strip_prefix("\\u")
        && let (low @ 0xDC00..0xE000, behind) = hex(second, 4)
    {
        *rest = behind;
        let code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn simple_escape(name: char) -> char {
    match name {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' => '\t',
        'n' => '\n',
        'v' => '\x0B',
        'f' => '\x0C',
        'r' => '\r',
        'e' => '\x1B',
        'N' => '\u{85}',
        '_' => '\u{A0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        other => other,
    }
}

/// A literal or folded scalar, from its header on. `breaks_at_end` says whether the end of the text ends a line as a
/// line break would.
fn block(source: &str, indent: usize, breaks_at_end: bool) -> String {
    let (header, body) = split_line(source);
    let header = header.split([' ', '\t', '#']).next().unwrap_or_default();
    let is_folded = header.starts_with('>');
    let mut out = String::with_capacity(source.len());
    let mut rest = body.filter(|it| !it.is_empty());
    // Breaks since the last line that is not empty, the one of that line included.
    let mut n_breaks = 0;
    let mut is_first = true;
    let mut was_more_indented = false;
    while let Some(text) = rest {
        let (line, next) = split_line(text);
        let n_spaces = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
        let line = &line[n_spaces..];
        if !line.is_empty() {
            let is_more_indented = line.starts_with(BLANKS);
            match n_breaks {
                0 => {}
                n if is_first || !is_folded || was_more_indented || is_more_indented => {
                    (0..n).for_each(|_| out.push('\n'));
                }
                1 => out.push(' '),
                n => (1..n).for_each(|_| out.push('\n')),
            }
            out.push_str(line);
            n_breaks = 0;
            is_first = false;
            was_more_indented = is_more_indented;
        }
        // The end of the text may end a line as well, unless it is one of spaces alone behind others.
        let is_rest = line.is_empty() && (!is_first || n_breaks > 0);
        n_breaks += usize::from(next.is_some() || (breaks_at_end && !is_rest));
        rest = next.filter(|it| !it.is_empty());
    }
    if header.contains('+') {
        (0..n_breaks).for_each(|_| out.push('\n'));
    } else if !header.contains('-') && !is_first && n_breaks > 0 {
        out.push('\n');
    }
    out
}
