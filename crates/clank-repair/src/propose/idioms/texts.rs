//! Texts and comments, as other languages write them.

use clank_syntax::TokenKind as T;

use super::pieces::{PieceEdit, Pieces};
use super::table::IdiomContext;

/// `'text'` is `"text"`.
pub(super) fn quotes(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let text = it.text;
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'`' => at = skipped(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |it| at + it);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at..].find("*/").map_or(bytes.len(), |it| at + it + 2);
            }
            b'\'' => {
                let end = skipped(bytes, at);
                let is_closed = end > at + 1 && bytes.get(end - 1) == Some(&b'\'');
                if is_closed {
                    let inner = text[at + 1..end - 1].replace("\\'", "'").replace('"', "\\\"");
                    edits.push(PieceEdit::new(at..end, format!("\"{inner}\"")));
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    edits
}

/// Behind a text that starts here: behind its end, or at the end of the line.
fn skipped(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if quote != b'`' => return at,
            it if it == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `# text` is `// text`.
pub(super) fn comments(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    let mut until = 0;
    for piece in it.list.iter().filter(|it| it.kind == T::Error) {
        let is_hash =
            it.text[piece.start..].starts_with("# ") || it.text[piece.start..].starts_with("#\n");
        if is_hash && piece.start >= until {
            edits.push(PieceEdit::new(piece.start..piece.start + 1, "//"));
            until =
                it.text[piece.start..].find('\n').map_or(it.text.len(), |end| piece.start + end);
        }
    }
    edits
}

/// `f"a {x}"` and `$"a {x}"` are templates: `` `a ${x}` ``.
pub(super) fn formats(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 1..it.len() {
        let is_marked = matches!(it.word(at - 1), "f" | "F" | "$" | "s") && it.is_glued(at);
        if it.kind(at) != T::Str || !is_marked {
            continue;
        }
        if let Some(new) = template(it.word(at), "{", it.word(at - 1) == "s") {
            edits.extend(it.put(at - 1..at + 1, new));
        }
    }
    edits
}

/// `print(f"a {x}")` and `print(x for x in xs)`, as Python writes a line.
pub(super) fn prints(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_format = matches!(it.word(at + 2), "f" | "F")
            && it.kind(at + 3) == T::Str
            && it.is_glued(at + 3);
        let close = it.partner(at + 1).unwrap_or(at);
        let is_made_by_loop = || (at + 2..close).any(|place| it.kind(place) == T::For);
        let is_print = it.word(at) == "print" && it.kind(at + 1) == T::LParen;
        if is_print && (is_format || is_made_by_loop()) {
            edits.extend(it.put(at..at + 1, "println"));
        }
    }
    edits
}

/// The text in quotes as a template; nothing if what is put in says more than a value.
pub(super) fn template(quoted: &str, open: &str, has_dollar: bool) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let inner = inner.replace('`', "\\`");
    if has_dollar || open == "${" {
        return Some(format!("`{inner}`"));
    }
    let mut out = String::from("`");
    let mut rest = inner.as_str();
    while let Some(start) = rest.find(['{', '}']) {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        if tail.starts_with("{{") || tail.starts_with("}}") {
            out.push_str(&tail[..1]);
            rest = &tail[2..];
            continue;
        }
        let end = tail.find('}')?;
        let value = tail.get(1..end)?;
        if value.is_empty() || value.contains(':') && !value.contains('"') {
            return None;
        }
        out.push_str(&format!("${{{value}}}"));
        rest = &tail[end + 1..];
    }
    out.push_str(rest);
    out.push('`');
    Some(out)
}

/// `println!("a {}", x)`, `format!(…)`, `vec![…]`, `panic!(…)`, `assert!(c)`.
pub(super) fn macros(it: &Pieces<'_>, _: &IdiomContext<'_>) -> Vec<PieceEdit> {
    let mut edits = Vec::new();
    for at in 0..it.len() {
        let is_macro = it.kind(at + 1) == T::Not && it.is_glued(at + 1) && it.is_glued(at + 2);
        let Some(close) = it.partner(at + 2).filter(|_| is_macro) else { continue };
        let inner = at + 3..close;
        match (it.word(at), it.kind(at + 2)) {
            ("vec", T::LBracket) => edits.extend(it.put(at..at + 3, "[")),
            ("assert", T::LParen) => {
                let mut end = inner.start;
                while end < close && it.kind(end) != T::Comma {
                    end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
                }
                edits.extend(
                    it.put(at..close + 1, format!("assert {}", it.words(inner.start..end))),
                );
            }
            (name, T::LParen) if it.kind(at) == T::Ident => {
                let Some(text) = formatted(it, inner) else { continue };
                let new = match name {
                    "format" => text,
                    _ => format!("{name}({text})"),
                };
                edits.extend(it.put(at..close + 1, new));
            }
            _ => {}
        }
    }
    edits
}

/// `format("a {}", x)` and `"a {}".format(x)`.
pub(super) fn format_calls(it: &Pieces<'_>, cx: &IdiomContext<'_>) -> Vec<PieceEdit> {
    (0..it.len()).filter_map(|at| format_call(it, cx, at)).collect()
}

/// A call of `format` that is not a macro: with the text as its first argument, or called on it.
fn format_call(it: &Pieces<'_>, context: &IdiomContext<'_>, at: usize) -> Option<PieceEdit> {
    if context.is_known("format") {
        return None;
    }
    let is_function =
        ["format", "sprintf"].contains(&it.word(at)) || it.word(at) == "String.format";
    if is_function && it.kind(at + 1) == T::LParen && it.kind(at + 2) == T::Str {
        let close = it.partner(at + 1)?;
        let has_places = it.word(at + 2).contains("{}") && it.kind_before(at) != T::Dot;
        return has_places
            .then(|| formatted(it, at + 2..close))
            .flatten()
            .and_then(|text| it.put(at..close + 1, text));
    }
    let is_method =
        it.kind(at) == T::Str && it.kind(at + 1) == T::Dot && it.word(at + 2) == "format";
    if is_method && it.kind(at + 3) == T::LParen {
        let close = it.partner(at + 3)?;
        let mut text = it.word(at).to_owned();
        let mut start = at + 4;
        while start < close {
            let mut end = start;
            while end < close && it.kind(end) != T::Comma {
                end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
            }
            text = text.replacen("{}", &format!("{{{}}}", it.words(start..end)), 1);
            start = end + 1;
        }
        return it.put(at..close + 1, template(&text, "{", false)?);
    }
    None
}

/// A text with `{}` and the values for it, as a template.
fn formatted(it: &Pieces<'_>, range: std::ops::Range<usize>) -> Option<String> {
    if it.kind(range.start) != T::Str {
        return Some(it.words(range).to_owned());
    }
    let mut values = Vec::new();
    let mut at = range.start + 1;
    while at < range.end {
        let start = at + 1;
        let mut end = start;
        while end < range.end && it.kind(end) != T::Comma {
            end = it.partner(end).filter(|it| *it > end).unwrap_or(end) + 1;
        }
        values.push(it.words(start..end));
        at = end;
    }
    let text = it.word(range.start);
    if values.is_empty() && !text.contains('{') {
        return Some(text.to_owned());
    }
    let mut text = text.to_owned();
    for value in values {
        text = text.replacen("{}", &format!("{{{value}}}"), 1);
    }
    template(&text, "{", false)
}
