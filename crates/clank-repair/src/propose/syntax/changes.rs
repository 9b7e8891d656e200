//! The changes of a text that are worth trying where it cannot be read, the likeliest first.

use std::borrow::Cow;

/// What may be missing.
const MISSING: [&str; 11] = [")", "]", "}", ",", "->", "=", ":", "(", "{", "\"", "*/"];

/// What is written for something else.
const MISTAKEN: [(&str, &str); 8] = [
    ("=", "=="),
    ("=>", "->"),
    ("&", "&&"),
    ("|", "||"),
    (":=", "="),
    ("===", "=="),
    (";", ","),
    (",", ";"),
];

/// Statements that are written where a value is wanted, and can stand in a block.
const STATEMENTS: [&str; 4] = ["return", "break", "continue", "assert"];

/// At how many ends of lines a bracket may be missing.
const MAX_LINES: usize = 24;

/// Where a text cannot be read.
#[derive(Default)]
pub(super) struct Mistake {
    /// Where that shows.
    pub(super) at: (usize, usize),
    /// Whether it is about brackets that do not belong together. As long as they do not, what is between them is not
    /// looked at.
    pub(super) is_bracket: bool,
    /// The first bracket that is not closed, and where that shows.
    pub(super) unclosed: Option<(usize, usize)>,
}

/// A change of a text in one place.
pub(super) struct Replacement {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) new: Cow<'static, str>,
}

impl Replacement {
    fn new(start: usize, end: usize, new: &'static str) -> Replacement {
        Replacement { start, end, new: Cow::Borrowed(new) }
    }

    pub(super) fn title(&self, text: &str) -> String {
        let old = text.get(self.start..self.end).unwrap_or_default();
        let is_around = !old.is_empty() && self.new.len() > old.len() && self.new.contains(old);
        match (old.is_empty(), self.new.is_empty()) {
            (true, _) => format!("add `{}`", self.new),
            (false, true) => format!("remove `{old}`"),
            (false, false) if is_around && self.new.starts_with('{') => {
                format!("put `{}` in a block", old.split_whitespace().next().unwrap_or(old))
            }
            (false, false) => format!("write `{}` for `{old}`", self.new),
        }
    }
}

/// The changes of one token that are worth trying, the likeliest first.
pub(super) fn changes(text: &str, mistake: &Mistake) -> Vec<Replacement> {
    let (start, end) = mistake.at;
    let mut found = Vec::new();
    let written = text.get(start..end).unwrap_or_default();
    if mistake.is_bracket && mistake.unclosed.is_none() && matches!(written, ")" | "]") {
        found.push(Replacement::new(start, end, ""));
    }
    for (old, new) in MISTAKEN {
        let is_it = written == old
            || old.len() > 1 && text.get(start..).is_some_and(|it| it.starts_with(old));
        if is_it {
            found.push(Replacement::new(start, start + old.len(), new));
        }
    }
    found.extend(end_of_string(text, start, written));
    let in_block = in_block(text, start, written);
    let is_statement = in_block.is_some();
    found.extend(in_block);
    let lines = closed_lines(text, mistake);
    let (likely, others) = lines.split_at(lines.len().min(1));
    let close = |it: &(usize, &'static str)| Replacement::new(it.0, it.0, it.1);
    found.extend(likely.iter().map(close));
    let before = text.get(..start).map_or(0, |it| it.trim_end().len());
    found.extend(MISSING.map(|new| Replacement::new(before, before, new)));
    if !written.is_empty() && !is_statement {
        found.push(Replacement::new(start, end, ""));
    }
    found.extend(without_operand(text, before, written));
    let line_end =
        text.get(start..).and_then(|it| it.find('\n')).map_or(text.len(), |it| start + it);
    let line_end = text.get(..line_end).map_or(0, |it| it.trim_end().len());
    for new in MISSING {
        found.push(Replacement::new(line_end, line_end, new));
        found.push(Replacement::new(text.len(), text.len(), new));
    }
    found.extend(others.iter().map(close));
    found.extend(without_bracket(text, mistake));
    found
}

/// The end of a string that has none, before the brackets and commas at the end of its line.
fn end_of_string(text: &str, start: usize, written: &str) -> Option<Replacement> {
    let inside = written.strip_prefix('"')?.lines().next()?;
    let end = start + 1 + inside.trim_end_matches(|it| ")]},; \t".contains(it)).len();
    (end < start + 1 + inside.len() && end <= text.len()).then(|| Replacement::new(end, end, "\""))
}

/// A bracket that was opened once too often. The one that follows a name is a call, but the next may be too many.
fn without_bracket(text: &str, mistake: &Mistake) -> Option<Replacement> {
    let (opened, _) = mistake.unclosed?;
    let is_call = text.get(..opened)?.ends_with(|it: char| it.is_alphanumeric() || it == '_');
    let (bracket, rest) = text.get(opened..)?.split_at_checked(1)?;
    match is_call {
        false => Some(Replacement::new(opened, opened + 1, "")),
        true => rest.starts_with(bracket).then(|| Replacement::new(opened + 1, opened + 2, "")),
    }
}

/// An operator or a comma with nothing behind it.
fn without_operand(text: &str, before: usize, written: &str) -> Option<Replacement> {
    let is_sign = |it: char| "+-*/%=<>!&|^,;:.".contains(it);
    let kept = text.get(..before)?.trim_end_matches(is_sign).len();
    let ends = written.is_empty() || written.starts_with([')', ']', '}', ',', ';']);
    (ends && kept < before && kept > 0).then(|| Replacement::new(kept, before, ""))
}

/// A statement in a block, up to where the value ends that is wanted there.
fn in_block(text: &str, start: usize, written: &str) -> Option<Replacement> {
    if !STATEMENTS.contains(&written) {
        return None;
    }
    let rest = text.get(start..)?;
    let mut depth = 0_usize;
    let mut length = rest.len();
    let mut at = 0;
    let tokens = clank_syntax::lex(rest).0;
    for (_, token) in tokens.iter() {
        let is_closing = matches!(token, ")" | "]" | "}");
        if depth == 0 && (is_closing || matches!(token, "," | ";")) {
            length = at;
            break;
        }
        depth += usize::from(matches!(token, "(" | "[" | "{"));
        depth -= usize::from(is_closing);
        at += token.len();
    }
    let statement = rest.get(..length)?.trim_end();
    let new = Cow::Owned(format!("{{ {statement} }}"));
    Some(Replacement { start, end: start + statement.len(), new })
}

/// Where a bracket that is not closed may have been meant to be closed, if that is on another line than where it shows: at
/// the end of a line, that line first behind which the text is no more indented than where the bracket was opened.
fn closed_lines(text: &str, mistake: &Mistake) -> Vec<(usize, &'static str)> {
    let Some((opened, until)) = mistake.unclosed else { return Vec::new() };
    let closing = match text.as_bytes().get(opened) {
        Some(b'(') => ")",
        Some(b'[') => "]",
        _ => return Vec::new(),
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first = text.get(..opened).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
    let Some(lines) = text.get(first..until) else { return Vec::new() };
    let lines: Vec<&str> = lines.split('\n').take(MAX_LINES).collect();
    let Some(own) = lines.first().map(|it| indent(it)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut likeliest = None;
    let mut start = first;
    for pair in lines.windows(2) {
        let line = pair[0].split("//").next().unwrap_or_default();
        let next = pair[1].trim_start();
        let is_last =
            !next.is_empty() && !next.starts_with([')', ']', '}']) && indent(pair[1]) <= own;
        let goes_on = line.trim_end().ends_with([',', '(', '[', '{']);
        if !line.trim().is_empty() && (is_last || !goes_on) {
            if is_last && likeliest.is_none() {
                likeliest = Some(found.len());
            }
            found.push((start + line.trim_end().len(), closing));
        }
        start += pair[0].len() + 1;
    }
    if let Some(likeliest) = likeliest {
        found[..=likeliest].rotate_right(1);
    }
    found
}
