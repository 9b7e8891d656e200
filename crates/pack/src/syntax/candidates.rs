//! Single edits near the place where a text stopped making sense that may make it parse.
//!
//! Nothing here is certain: every candidate is tried by parsing, and those that do not parse are dropped. They only add
//! or remove what separates values, so that no value is lost.

use std::collections::BTreeSet;
use std::ops::Range;

use document::Format;
use edit::Edit;

use super::ErrorSite;
use super::json::{self, Token, partner};
use super::lines::{line_around, line_starts};
use super::slips;

/// A candidate: its title and its edits. Most have one; tabs are replaced wherever they indent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TextCandidate {
    pub(super) title: String,
    pub(super) edits: Vec<Edit>,
    /// Whether it decides what a value is, and not only where it ends.
    pub(super) is_guess: bool,
}

impl TextCandidate {
    fn new(title: &str, edits: Vec<Edit>) -> TextCandidate {
        TextCandidate { title: title.to_owned(), edits, is_guess: false }
    }

    /// Closes a bracket at a place of the text. Where nothing stands in it yet, something may be missing.
    fn closing(title: &str, bytes: &[u8], at: usize, text: &str) -> TextCandidate {
        let is_guess = matches!(bytes[..at].trim_ascii_end().last(), Some(b'[' | b'{'));
        TextCandidate { is_guess, ..TextCandidate::new(title, insert(at, text)) }
    }
}

/// How far back lines are looked at: an error is often noticed below the line that it is in.
const LINES_BACK: usize = 3;

/// How many brackets are looked at to find the one that is open.
const MAX_OPENERS: usize = 64;

/// How many places are tried for one missing bracket.
const MAX_PLACES: usize = 48;

/// The candidates for a text, the likeliest first.
pub(super) fn candidates(fault: &ErrorSite<'_>, format: Format) -> Vec<TextCandidate> {
    let mut found = match format {
        Format::Json => of_json(fault),
        Format::Yaml => of_yaml(fault),
        Format::Toml => of_toml(fault),
    };
    let mut seen = BTreeSet::new();
    found.retain(|it| seen.insert(it.edits.clone()));
    found
}

pub(super) fn insert(at: usize, text: &str) -> Vec<Edit> {
    u32::try_from(at).map(|at| vec![Edit::insert(at, text)]).unwrap_or_default()
}

pub(super) fn replace(range: Range<usize>, text: &str) -> Vec<Edit> {
    match (u32::try_from(range.start), u32::try_from(range.end)) {
        (Ok(start), Ok(end)) => vec![Edit::replace(start, end, text)],
        _ => Vec::new(),
    }
}

fn of_json(fault: &ErrorSite<'_>) -> Vec<TextCandidate> {
    let ErrorSite { bytes, at } = *fault;
    let tokens = json::tokens(bytes);
    // The token that the parser did not expect, or inside of which it stopped.
    let nth = tokens.iter().position(|it| it.1.end > at).unwrap_or(tokens.len());
    let before = nth.checked_sub(1).and_then(|it| tokens.get(it));
    let here = tokens.get(nth);
    // A quote of the other kind at one end of a string explains more than one that is missing beside it.
    let mut found = slips::mixed_quotes(bytes, &line_around(bytes, at));
    if let (Some((_, before)), Some((token, _))) = (before, here)
        && !matches!(token, Token::Comma | Token::Colon | Token::Close(_))
    {
        found.push(TextCandidate::new("add the missing `,`", insert(before.end, ",")));
        found.push(TextCandidate::new("add the missing `:`", insert(before.end, ":")));
    }
    if let Some((Token::Comma, place)) = here {
        found.push(TextCandidate::new("remove the stray `,`", replace(place.clone(), "")));
    }
    if let Some((Token::Comma, place)) = before {
        found.push(TextCandidate::new("remove the stray `,`", replace(place.clone(), "")));
    }
    if let Some((Token::Close(bracket), place)) = here {
        let title = format!("remove the stray `{}`", char::from(*bracket));
        found.push(TextCandidate::new(&title, replace(place.clone(), "")));
    }
    found.extend(json_brackets(bytes, &tokens, nth));
    // A quote that is missing at the start of a string is noticed there, one at its end where the line ends.
    for (token, place) in tokens.iter().take(nth + 1).skip(nth.saturating_sub(1)) {
        match token {
            Token::OpenString => found.extend(json_quotes(bytes, place)),
            Token::Word => {
                let title = "add the missing quote";
                found.push(TextCandidate::new(title, insert(place.start, "\"")));
                let next = tokens.iter().find(|it| it.1.start >= place.end);
                let is_key = next.is_some_and(|it| it.0 == Token::Colon);
                let text = std::str::from_utf8(&bytes[place.clone()]).unwrap_or_default();
                if is_key && is_name(text) {
                    let quoted = format!("\"{text}\"");
                    let title = format!("write the key as `{quoted}`");
                    found.push(TextCandidate::new(&title, replace(place.clone(), &quoted)));
                }
            }
            Token::SingleQuoted => {
                let inner = &bytes[place.start + 1..place.end - 1];
                if let Ok(inner) = std::str::from_utf8(inner)
                    && !inner.contains(['"', '\\'])
                {
                    let edits = replace(place.clone(), &format!("\"{inner}\""));
                    found.push(TextCandidate::new("write the string in double quotes", edits));
                }
            }
            _ => {}
        }
    }
    found.extend(slips::of_json(bytes, at, &tokens, nth));
    found
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || "_-$.".contains(it))
}

/// Ends a string that runs to the end of its line: there, or before what closes or separates.
fn json_quotes(bytes: &[u8], place: &Range<usize>) -> Vec<TextCandidate> {
    let title = "add the missing quote";
    let text = &bytes[place.clone()];
    let mut ends: Vec<usize> = Vec::new();
    let mut end = text.trim_ascii_end().len();
    ends.push(end);
    while let Some(last) = end.checked_sub(1).filter(|it| *it > 0 && b",}] \t".contains(&text[*it]))
    {
        end = last;
        ends.push(end);
    }
    // A key ends before its colon.
    ends.extend(memchr::memchr(b':', text));
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter()
        .filter(|it| *it > 0)
        .map(|it| TextCandidate::new(title, insert(place.start + it, "\"")))
        .collect()
}

/// The one bracket that is missing: at the end, or wherever a value ends.
fn json_brackets(bytes: &[u8], tokens: &[(Token, Range<usize>)], nth: usize) -> Vec<TextCandidate> {
    let mut open: Vec<usize> = Vec::new();
    for (idx, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => open.push(idx),
            Token::Close(bracket) => {
                let opener = open.last().map(|it| &tokens[*it].0);
                if opener == Some(&Token::Open(partner(*bracket))) {
                    open.pop();
                } else if idx == nth {
                    // Something else was to be closed first.
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(opener) = open.last().copied() else { return Vec::new() };
    let Token::Open(bracket) = tokens[opener].0 else { return Vec::new() };
    let closer = char::from(partner(bracket)).to_string();
    let title = format!("add the missing `{closer}`");
    let last = tokens.last().map_or(0, |it| it.1.end);
    let line_of = |at: usize| line_around(bytes, at);
    let opener_line = line_of(tokens[opener].1.start);
    let mut found = Vec::new();
    if nth >= tokens.len() && open.len() == 1 {
        if let Some(candidate) = slips::by_indentation(bytes, tokens) {
            return vec![candidate];
        }
        let text = match opener_line.contains(&last.saturating_sub(1)) {
            true => closer.clone(),
            false => {
                let indent = bytes[opener_line.clone()].iter().take_while(|it| b" \t".contains(it));
                let indent: String = indent.map(|it| char::from(*it)).collect();
                let newline =
                    if memchr::memmem::find(bytes, b"\r\n").is_some() { "\r\n" } else { "\n" };
                format!("{newline}{indent}{closer}")
            }
        };
        found.push(TextCandidate::closing(&title, bytes, last, &text));
    }
    // Every other place where a value ends, as far as the parser came.
    let ends = tokens.iter().enumerate().skip(opener + 1).filter(|(idx, (token, _))| {
        let is_end = matches!(token, Token::String | Token::Word | Token::Close(_));
        let next = tokens.get(idx + 1).map(|it| it.0);
        is_end && *idx <= nth && matches!(next, Some(Token::Comma | Token::Close(_)))
    });
    let ends: Vec<usize> = ends.map(|(_, (_, place))| place.end).collect();
    let skipped = ends.len().saturating_sub(MAX_PLACES);
    found.extend(
        ends.into_iter().skip(skipped).map(|it| TextCandidate::new(&title, insert(it, &closer))),
    );
    found
}

/// The lines that an error may be in, the one where it was noticed first.
fn lines_near(bytes: &[u8], at: usize) -> Vec<Range<usize>> {
    let mut lines = vec![line_around(bytes, at)];
    while lines.len() <= LINES_BACK {
        let start = lines[lines.len() - 1].start;
        if start == 0 {
            break;
        }
        lines.push(line_around(bytes, start - 1));
    }
    lines
}

/// A line without the comment behind it and the blanks around that.
pub(super) fn content<'a>(bytes: &'a [u8], line: &Range<usize>) -> &'a [u8] {
    let text = &bytes[line.clone()];
    let comment = memchr::memmem::find(text, b" #").unwrap_or(text.len());
    text[..comment].trim_ascii_end()
}

fn of_yaml(fault: &ErrorSite<'_>) -> Vec<TextCandidate> {
    let ErrorSite { bytes, at } = *fault;
    let mut found = tabs(bytes);
    let near = lines_near(bytes, at);
    for line in &near {
        found.extend(colon_without_space(bytes, line));
    }
    found.extend(quotes(bytes, &near));
    found.extend(brackets(bytes, at));
    found.extend(commas(bytes, at));
    for line in near.iter().take(2) {
        found.extend(quoted_value(bytes, line, b": "));
    }
    found.extend(slips::of_yaml(bytes, at, &near));
    found
}

fn of_toml(fault: &ErrorSite<'_>) -> Vec<TextCandidate> {
    let ErrorSite { bytes, at } = *fault;
    let near = lines_near(bytes, at);
    let mut found = quotes(bytes, &near);
    for line in near.iter().take(2) {
        let text = content(bytes, line);
        if text.first() == Some(&b'[') {
            let end = line.start + text.len();
            found.push(TextCandidate::new("add the missing `]`", insert(end, "]")));
        }
    }
    found.extend(brackets(bytes, at));
    found.extend(commas(bytes, at));
    for line in near.iter().take(2) {
        found.extend(quoted_value(bytes, line, b"= "));
    }
    found.extend(slips::of_toml(bytes, at, &near));
    found
}

/// Spaces instead of the tabs that indent lines. Which width is meant shows by what parses.
fn tabs(bytes: &[u8]) -> Vec<TextCandidate> {
    let indented: Vec<Range<usize>> = line_starts(bytes)
        .filter_map(|start| {
            let rest = &bytes[start..];
            let n_blanks = rest.iter().take_while(|it| b" \t".contains(it)).count();
            let is_blank = rest.get(n_blanks).is_none_or(|it| b"\r\n".contains(it));
            let has_tab = rest[..n_blanks].contains(&b'\t');
            (has_tab && !is_blank).then_some(start..start + n_blanks)
        })
        .collect();
    // In a block scalar the tabs are part of the value.
    let has_block_scalar = line_starts(bytes).any(|start| {
        let text = content(bytes, &line_around(bytes, start));
        let text = text.strip_suffix(b"-").or_else(|| text.strip_suffix(b"+")).unwrap_or(text);
        text.ends_with(b" |") || text.ends_with(b" >")
    });
    if indented.is_empty() || (has_block_scalar && indented.len() > 1) {
        return Vec::new();
    }
    let with = |width: usize| {
        let edits = indented.iter().flat_map(|range| {
            let columns = bytes[range.clone()]
                .iter()
                .map(|it| if *it == b'\t' { width } else { 1 })
                .sum::<usize>();
            replace(range.clone(), &" ".repeat(columns))
        });
        TextCandidate::new("indent with spaces instead of tabs", edits.collect())
    };
    [2, 4, 8].into_iter().map(with).collect()
}

/// `key:value` at the start of a line.
fn colon_without_space(bytes: &[u8], line: &Range<usize>) -> Option<TextCandidate> {
    let text = &bytes[line.clone()];
    let mut start = text.len() - text.trim_ascii_start().len();
    while text[start..].starts_with(b"- ") {
        start += 2;
        start += text[start..].iter().take_while(|it| **it == b' ').count();
    }
    let is_key = |it: &u8| it.is_ascii_alphanumeric() || b"_-.".contains(it);
    let n_key = text[start..].iter().take_while(|it| is_key(it)).count();
    let after = text[start + n_key..].strip_prefix(b":")?;
    let is_value = after.first().is_some_and(|it| !b" \t\r\n:/\\".contains(it));
    (n_key > 0 && is_value).then(|| {
        let at = line.start + start + n_key + 1;
        TextCandidate::new("add the missing space after `:`", insert(at, " "))
    })
}

/// The quote that is missing in a line with an odd number of them.
fn quotes(bytes: &[u8], near: &[Range<usize>]) -> Vec<TextCandidate> {
    let is_odd = |line: &Range<usize>, quote: u8| {
        let text = &bytes[line.clone()];
        let escaped = memchr::memmem::find_iter(text, b"\\\"").count();
        let n = memchr::memchr_iter(quote, text).count();
        let n = if quote == b'"' { n.saturating_sub(escaped) } else { n };
        n % 2 == 1
    };
    let mut found = Vec::new();
    for quote in [b'"', b'\''] {
        let first =
            line_starts(bytes).map(|it| line_around(bytes, it)).find(|it| is_odd(it, quote));
        let lines: BTreeSet<(usize, usize)> = near
            .iter()
            .filter(|it| is_odd(it, quote))
            .cloned()
            .chain(first)
            .map(|it| (it.start, it.end))
            .collect();
        for (start, end) in lines {
            let text = bytes[start..end].trim_ascii_end();
            let mut ends = vec![text.len(), content(bytes, &(start..end)).len()];
            let mut last = text.len();
            while let Some(next) = last.checked_sub(1).filter(|it| b",}] \t".contains(&text[*it])) {
                last = next;
                ends.push(last);
            }
            let opening = memchr::memchr(quote, text);
            // Between brackets a string may end before everything that separates values.
            if opening.is_some_and(|it| is_in_brackets(bytes, start + it)) {
                ends.extend(memchr::memchr3_iter(b',', b'}', b']', text));
            }
            ends.retain(|it| opening.is_some_and(|opening| *it > opening));
            ends.sort_unstable();
            ends.dedup();
            let mark = char::from(quote).to_string();
            let title = "add the missing quote";
            found.extend(
                ends.into_iter().map(|it| TextCandidate::new(title, insert(start + it, &mark))),
            );
        }
    }
    found
}

/// The bracket that is missing behind one that is open: at the end of its line or of one of the next.
fn brackets(bytes: &[u8], at: usize) -> Vec<TextCandidate> {
    let mut found = Vec::new();
    let before = &bytes[..bytes.len().min(at + 1)];
    for (opener, closer) in [(b'[', "]"), (b'{', "}")] {
        // The last one before the place that its line does not close.
        let open = memchr::memrchr_iter(opener, before).take(MAX_OPENERS).find(|it| {
            let line = line_around(bytes, *it);
            let text = content(bytes, &line);
            let count = |byte: u8| memchr::memchr_iter(byte, text).count();
            count(opener) > count(partner(opener))
        });
        let Some(open) = open else { continue };
        let title = format!("add the missing `{closer}`");
        let mut line = line_around(bytes, open);
        for _ in 0..6 {
            let text = content(bytes, &line);
            let text = text.strip_suffix(b",").unwrap_or(text);
            if !text.trim_ascii().is_empty() {
                found.push(TextCandidate::closing(&title, bytes, line.start + text.len(), closer));
            }
            let Some(next) = memchr::memchr(b'\n', &bytes[line.end..]) else { break };
            if line.end + next + 1 >= bytes.len() {
                break;
            }
            line = line_around(bytes, line.end + next + 1);
        }
    }
    found
}

/// How far back an open bracket is looked for.
const MAX_FLOW: usize = 4096;

/// Whether a bracket is open at the place, as far as the text before it shows.
fn is_in_brackets(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(MAX_FLOW)..at];
    let count = |set: &[u8]| before.iter().filter(|it| set.contains(it)).count();
    count(b"[{") > count(b"]}")
}

/// The bracket that is open at the place and was opened last, as far as the text before it shows.
fn innermost_open(bytes: &[u8], at: usize) -> Option<u8> {
    let before = &bytes[at.saturating_sub(MAX_FLOW)..at];
    let mut closed = 0usize;
    for byte in before.iter().rev() {
        match byte {
            b']' | b'}' => closed += 1,
            b'[' | b'{' if closed == 0 => return Some(*byte),
            b'[' | b'{' => closed -= 1,
            _ => {}
        }
    }
    None
}

/// A comma too many or too few at the place, which is between brackets.
fn commas(bytes: &[u8], at: usize) -> Vec<TextCandidate> {
    let mut found = Vec::new();
    if !is_in_brackets(bytes, at) {
        return found;
    }
    let blanks = bytes[..at].iter().rev().take_while(|it| it.is_ascii_whitespace()).count();
    let before = at - blanks;
    for place in [Some(at), before.checked_sub(1)].into_iter().flatten() {
        if bytes.get(place) == Some(&b',') {
            found.push(TextCandidate::new("remove the stray `,`", replace(place..place + 1, "")));
        }
    }
    if bytes.get(at) == Some(&b':') {
        // In `{a: 1 b: 2}` the second colon is what is not expected.
        let is_word = |it: &&u8| !b" \t\r\n,{[".contains(it);
        let n_word = bytes[..at].iter().rev().take_while(is_word).count();
        let blanks = bytes[..at - n_word].iter().rev().take_while(|it| **it == b' ').count();
        if n_word > 0 && blanks > 0 {
            found
                .push(TextCandidate::new("add the missing `,`", insert(at - n_word - blanks, ",")));
        }
    } else if before > 0 && !b",[{".contains(&bytes[before - 1]) && at < bytes.len() {
        // `{a [1]}`: what comes behind a name in braces may be its value as well as the next entry.
        if b"[{\"'".contains(&bytes[at]) && blanks > 0 && innermost_open(bytes, at) == Some(b'{') {
            found.push(TextCandidate::new("add the missing `:`", insert(before, ":")));
        }
        found.push(TextCandidate::new("add the missing `,`", insert(before, ",")));
    }
    found
}

/// The value of a line in quotes: what it holds cannot stand there without.
fn quoted_value(bytes: &[u8], line: &Range<usize>, separator: &[u8]) -> Option<TextCandidate> {
    let text = content(bytes, line);
    let start = memchr::memmem::find(text, separator)? + separator.len();
    let value = text[start..].trim_ascii_start();
    let start = line.start + text.len() - value.len();
    let value = std::str::from_utf8(value).ok()?;
    let is_plain = !value.is_empty() && !value.contains(['"', '\'', '\\', '[', ']', '{', '}', '#']);
    (is_plain && !slips::is_no_string(value)).then(|| TextCandidate {
        title: "write the value in quotes".to_owned(),
        edits: replace(start..start + value.len(), &format!("\"{value}\"")),
        is_guess: true,
    })
}
