//! Candidates for slips of the pen: what another language writes, a quote or a backslash that is not escaped, a line
//! that is not indented like its neighbours.
//!
//! Like all candidates they are tried by parsing. One that decides what a value is says so, and is a guess.

use std::ops::Range;

use super::candidates::{TextCandidate, content, insert, replace};
use super::json::{Token, partner};
use super::lines::line_around;

const QUOTE_ALL: &str = "write keys and strings in double quotes";
const ESCAPE_QUOTES: &str = "escape the quotes inside the string";

fn candidate(title: &str, edits: Vec<edit::Edit>, is_guess: bool) -> TextCandidate {
    TextCandidate { title: title.to_owned(), edits, is_guess }
}

/// So many quotes of one line are tried.
const MAX_QUOTES: usize = 16;

/// How JSON and TOML write a boolean that another language writes with a capital.
fn boolean(word: &[u8]) -> Option<&'static str> {
    match word {
        b"True" | b"TRUE" => Some("true"),
        b"False" | b"FALSE" => Some("false"),
        _ => None,
    }
}

pub(super) fn of_json(
    bytes: &[u8],
    at: usize,
    tokens: &[(Token, Range<usize>)],
    nth: usize,
) -> Vec<TextCandidate> {
    let mut found = Vec::new();
    let near = tokens.iter().take(nth.saturating_add(1)).skip(nth.saturating_sub(1));
    for (token, place) in near {
        let text = &bytes[place.clone()];
        match token {
            Token::Word => {
                if let Some(word) = boolean(text) {
                    let title = format!("write `{word}`");
                    found.push(candidate(&title, replace(place.clone(), word), false));
                }
                if text == b"=" {
                    let edits = replace(place.clone(), ":");
                    found.push(candidate("write `:` after the key", edits, false));
                }
            }
            Token::String if place.contains(&at) => {
                found.extend(raw_tabs(bytes, place));
                found.extend(doubled_backslashes(bytes, place));
            }
            _ => {}
        }
    }
    found.extend(wrong_bracket(tokens, nth));
    found.extend(open_at_end(bytes, tokens, nth));
    found.extend(all_quotes(bytes, tokens));
    found.extend(curly_quotes(bytes, tokens));
    found.extend(inner_quotes(bytes, &line_around(bytes, at), b": \""));
    found
}

/// Tabs in a string, as escapes.
fn raw_tabs(bytes: &[u8], place: &Range<usize>) -> Option<TextCandidate> {
    let tabs = memchr::memchr_iter(b'\t', &bytes[place.clone()]);
    let edits: Vec<_> =
        tabs.flat_map(|it| replace(place.start + it..place.start + it + 1, "\\t")).collect();
    (!edits.is_empty()).then(|| candidate("write the tab as `\\t`", edits, false))
}

/// Every backslash of a string doubled: it was meant as itself.
fn doubled_backslashes(bytes: &[u8], place: &Range<usize>) -> Option<TextCandidate> {
    let slashes = memchr::memchr_iter(b'\\', &bytes[place.clone()]);
    let edits: Vec<_> = slashes.flat_map(|it| insert(place.start + it, "\\")).collect();
    (!edits.is_empty()).then(|| candidate("escape the backslashes", edits, true))
}

/// `]` where `}` is open, and the reverse.
fn wrong_bracket(tokens: &[(Token, Range<usize>)], nth: usize) -> Option<TextCandidate> {
    let Some((Token::Close(bracket), place)) = tokens.get(nth) else { return None };
    let meant = char::from(partner(partner_of_other(*bracket))).to_string();
    let title = format!("write `{meant}` for `{}`", char::from(*bracket));
    Some(candidate(&title, replace(place.clone(), &meant), false))
}

/// The opening bracket that the closing one does not close.
fn partner_of_other(bracket: u8) -> u8 {
    if bracket == b'}' { b'[' } else { b'{' }
}

/// Closes everything that is open where the text ends. It may have been cut off, so this is a guess.
fn open_at_end(
    bytes: &[u8],
    tokens: &[(Token, Range<usize>)],
    nth: usize,
) -> Option<TextCandidate> {
    let mut open = Vec::new();
    for (token, place) in tokens {
        match token {
            Token::Open(bracket) => open.push((*bracket, place.start)),
            Token::Close(_) => drop(open.pop()?),
            _ => {}
        }
    }
    if nth < tokens.len() || open.len() < 2 {
        return None;
    }
    let last = tokens.last()?.1.end;
    let newline = if memchr::memmem::find(bytes, b"\r\n").is_some() { "\r\n" } else { "\n" };
    let closers = open.iter().rev().map(|(bracket, start)| {
        let closer = char::from(partner(*bracket));
        let line = line_around(bytes, *start);
        match line.contains(&(last - 1)) {
            true => closer.to_string(),
            false => format!("{newline}{}{closer}", indent_of(bytes, &line)),
        }
    });
    let text: String = closers.collect();
    Some(candidate("close what is open", insert(last, &text), true))
}

fn indent_of(bytes: &[u8], line: &Range<usize>) -> String {
    let blanks = bytes[line.clone()].iter().take_while(|it| b" \t".contains(it));
    blanks.map(|it| char::from(*it)).collect()
}

/// Where a bracket is missing inside the text, as the indentation shows it: the closing bracket that stands further to
/// the left than the line of its opening one belongs to another.
pub(super) fn by_indentation(
    bytes: &[u8],
    tokens: &[(Token, Range<usize>)],
) -> Option<TextCandidate> {
    let indent_at = |at: usize| {
        let line = line_around(bytes, at);
        let indent = indent_of(bytes, &line);
        (line.start + indent.len() == at, indent)
    };
    let mut open: Vec<usize> = Vec::new();
    let mut opener = None;
    for (idx, (token, place)) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => open.push(idx),
            Token::Close(_) => {
                let last = open.pop()?;
                let (is_first, indent) = indent_at(place.start);
                let (_, owner) = indent_at(tokens[last].1.start);
                if is_first && indent.len() < owner.len() {
                    opener = Some((last, owner));
                    break;
                }
            }
            _ => {}
        }
    }
    let (opener, indent) = opener?;
    let Token::Open(bracket) = tokens[opener].0 else { return None };
    let next = tokens.iter().enumerate().skip(opener + 2).find(|(_, (token, place))| {
        let (is_first, own) = indent_at(place.start);
        *token == Token::String && is_first && own.len() <= indent.len()
    });
    let comma = next?.0 - 1;
    if tokens[comma].0 != Token::Comma {
        return None;
    }
    let closer = char::from(partner(bracket));
    let newline = if memchr::memmem::find(bytes, b"\r\n").is_some() { "\r\n" } else { "\n" };
    let text = format!("{newline}{indent}{closer}");
    let edits = insert(tokens[comma].1.start, &text);
    Some(candidate(&format!("add the missing `{closer}`"), edits, true))
}

/// An object as JavaScript writes it: every key and string in double quotes.
fn all_quotes(bytes: &[u8], tokens: &[(Token, Range<usize>)]) -> Option<TextCandidate> {
    let mut edits = Vec::new();
    for (idx, (token, place)) in tokens.iter().enumerate() {
        let is_key = tokens.get(idx + 1).is_some_and(|it| it.0 == Token::Colon);
        let text = std::str::from_utf8(&bytes[place.clone()]).ok()?;
        let inner = match token {
            Token::SingleQuoted => &text[1..text.len() - 1],
            Token::Word if is_key => text,
            _ => continue,
        };
        if inner.contains(['"', '\\']) {
            return None;
        }
        edits.extend(replace(place.clone(), &format!("\"{inner}\"")));
    }
    (edits.len() > 1).then(|| candidate(QUOTE_ALL, edits, false))
}

/// Typographic quotes, which a word processor makes of straight ones.
fn curly_quotes(bytes: &[u8], tokens: &[(Token, Range<usize>)]) -> Option<TextCandidate> {
    let mut edits = Vec::new();
    for (_, place) in tokens.iter().filter(|it| it.0 == Token::Word) {
        let text = std::str::from_utf8(&bytes[place.clone()]).ok()?;
        for (nth, mark) in text.match_indices(['\u{201c}', '\u{201d}', '\u{201e}']) {
            let start = place.start + nth;
            edits.extend(replace(start..start + mark.len(), "\""));
        }
    }
    (!edits.is_empty()).then(|| candidate("write straight quotes", edits, false))
}

/// A string that starts with one kind of quote and ends with the other: each single quote of the line that stands where
/// a string starts or ends, as a double one.
pub(super) fn mixed_quotes(bytes: &[u8], line: &Range<usize>) -> Vec<TextCandidate> {
    let text = &bytes[line.clone()];
    let is_edge = |nth: usize| {
        let before = text[..nth].trim_ascii_end().last();
        let after = text[nth + 1..].trim_ascii_start().first();
        before.is_none_or(|it| b"[{,:".contains(it)) || after.is_none_or(|it| b"]},:".contains(it))
    };
    let places = memchr::memchr_iter(b'\'', text).filter(|it| is_edge(*it)).take(MAX_QUOTES);
    let with = |nth: usize| {
        let edits = replace(line.start + nth..line.start + nth + 1, "\"");
        candidate("write the quote as `\"`", edits, false)
    };
    places.map(with).collect()
}

/// Quotes inside of a string that ends where its line does, such as `"say "hi""`.
fn inner_quotes(bytes: &[u8], line: &Range<usize>, before: &[u8]) -> Option<TextCandidate> {
    let text = &bytes[line.clone()];
    let start = memchr::memmem::find(text, before)? + before.len();
    let end = text.trim_ascii_end();
    let end = end.strip_suffix(b",").unwrap_or(end);
    let end = end.trim_ascii_end().strip_suffix(b"\"")?.len();
    let inner = text.get(start..end)?;
    let is_one = [b"\":".as_slice(), b"\" :", b"\",", b"\\"];
    if is_one.iter().any(|it| memchr::memmem::find(inner, it).is_some()) {
        return None;
    }
    let places = memchr::memchr_iter(b'"', inner).map(|it| line.start + start + it);
    let edits: Vec<_> = places.flat_map(|it| insert(it, "\\")).collect();
    (!edits.is_empty()).then(|| candidate(ESCAPE_QUOTES, edits, true))
}

pub(super) fn of_yaml(bytes: &[u8], at: usize, near: &[Range<usize>]) -> Vec<TextCandidate> {
    let mut found = Vec::new();
    if bytes.get(at) == Some(&b'#') {
        found.push(candidate("add the missing space before `#`", insert(at, " "), false));
    }
    if bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_some_and(|it| it.is_ascii_graphic()) {
        found.push(candidate("add the missing space after `-`", insert(at + 1, " "), false));
    }
    let line = line_around(bytes, at);
    found.extend(inner_quotes(bytes, &line, b": \""));
    found.extend(apostrophes(bytes, &line));
    found.extend(in_single_quotes(bytes, &line, b": "));
    found.extend(missing_colon(bytes, near));
    found.extend(like_neighbours(bytes, &line, near));
    found
}

/// `'don't'`: apostrophes inside of single quotes are doubled.
fn apostrophes(bytes: &[u8], line: &Range<usize>) -> Option<TextCandidate> {
    let text = content(bytes, line);
    let start = memchr::memmem::find(text, b": '")? + 3;
    let inner = text.get(start..)?.strip_suffix(b"'")?;
    if memchr::memmem::find(inner, b"''").is_some() || memchr::memmem::find(inner, b"',").is_some()
    {
        return None;
    }
    let places = memchr::memchr_iter(b'\'', inner).map(|it| line.start + start + it);
    let edits: Vec<_> = places.flat_map(|it| insert(it, "'")).collect();
    (!edits.is_empty()).then(|| candidate("double the apostrophes inside the string", edits, true))
}

/// A value that starts with a double quote, in single quotes: with its quotes if they are part of it, without them if
/// only the backslashes in between are what cannot be read.
fn in_single_quotes(bytes: &[u8], line: &Range<usize>, before: &[u8]) -> Option<TextCandidate> {
    let text = content(bytes, line);
    let start = memchr::memmem::find(text, before)? + before.len();
    let value = text.get(start..).filter(|it| it.starts_with(b"\""))?;
    let value = std::str::from_utf8(value).ok().filter(|it| !it.contains('\''))?;
    let inner = value[1..].strip_suffix('"').filter(|it| !it.contains('"'));
    let (title, inner) = match inner {
        Some(inner) if inner.contains('\\') => ("write the string in single quotes", inner),
        None if before == b": " && value.matches('"').count() == 2 && !value.contains("\"#") => {
            ("write the value in quotes", value)
        }
        _ => return None,
    };
    let range = line.start + start..line.start + start + value.len();
    Some(candidate(title, replace(range, &format!("'{inner}'")), true))
}

/// A key that is alone on its line, above the one that cannot be read.
fn missing_colon(bytes: &[u8], near: &[Range<usize>]) -> Option<TextCandidate> {
    let above = near.iter().skip(1).find(|it| !content(bytes, it).is_empty())?;
    let text = content(bytes, above).trim_ascii_start();
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || b"_-".contains(it);
    let is_key = text.iter().all(is_name) && text.first().is_some_and(u8::is_ascii_alphabetic);
    let end = above.start + content(bytes, above).len();
    is_key.then(|| candidate("add the missing `:`", insert(end, ":"), true))
}

/// The line with the indentation that is nearest to its own of those above.
fn like_neighbours(
    bytes: &[u8],
    line: &Range<usize>,
    near: &[Range<usize>],
) -> Option<TextCandidate> {
    let width = |line: &Range<usize>| indent_of(bytes, line).len();
    let own = width(line);
    if bytes[line.start..line.start + own].contains(&b'\t') {
        return None;
    }
    // What a line with a `:` at its end opens is not its neighbour.
    let above = near.iter().skip(1).filter(|it| {
        let text = content(bytes, it).trim_ascii();
        !text.is_empty() && !text.ends_with(b":")
    });
    let mut widths: Vec<usize> = above.map(width).collect();
    widths.sort_unstable_by_key(|it| (it.abs_diff(own), *it));
    widths.dedup();
    let nearest = *widths.first().filter(|it| **it != own)?;
    if widths.get(1).is_some_and(|it| it.abs_diff(own) == nearest.abs_diff(own)) {
        return None;
    }
    let edits = replace(line.start..line.start + own, &" ".repeat(nearest));
    Some(candidate("indent the line like those above", edits, true))
}

pub(super) fn of_toml(bytes: &[u8], at: usize, near: &[Range<usize>]) -> Vec<TextCandidate> {
    let mut found = Vec::new();
    let line = line_around(bytes, at);
    let rest = &bytes[at.min(line.end)..line.end];
    let word = rest.split(|it| b" \t\r,]}#".contains(it)).next().unwrap_or_default();
    if let Some(value) = boolean(word) {
        let title = format!("write `{value}`");
        found.push(candidate(&title, replace(at..at + word.len(), value), false));
    }
    if rest.starts_with(b":") {
        let text = if rest.get(1) == Some(&b' ') { " =" } else { " = " };
        found.push(candidate("write `=` after the key", replace(at..at + 1, text), false));
    }
    let is_first = bytes[line.start..at.min(line.end)].trim_ascii().is_empty();
    for mark in [b";".as_slice(), b"//"] {
        if is_first && rest.starts_with(mark) {
            let edits = replace(at..at + mark.len(), "#");
            found.push(candidate("write the comment with `#`", edits, false));
        }
    }
    for line in near.iter().take(1) {
        found.extend(inner_quotes(bytes, line, b"= \""));
        found.extend(in_single_quotes(bytes, line, b"= "));
    }
    found
}

/// Whether a value in quotes would be another than the one that was meant, as far as one can see.
pub(super) fn is_no_string(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_word = matches!(
        lower.as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "none" | "nil" | "~"
    );
    // A version has several dots, and what starts with a digit else is a number or a date with a mistake in it.
    let is_number = value.starts_with(|it: char| it.is_ascii_digit() || "+-.".contains(it));
    let is_version = value.split('.').count() > 2 && !value.contains(['_', ':']);
    let is_alias = value.strip_prefix('*').is_some_and(|it| {
        !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || "_-".contains(it))
    });
    is_word || is_alias || (is_number && !is_version) || value.contains(" = ")
}
