//! Where strings, numbers and comments end.

use super::{SourceLanguage, Token, TokenKind};

/// Regular expressions are looked for no further than this, so that a line of slashes costs no more than its length.
const MAX_PATTERN: usize = 2_000;

/// The length of the string that starts here, and whether it is closed. Nothing if no string starts here.
pub(super) fn string(
    rest: &str,
    language: SourceLanguage,
    previous: Option<&Token<'_>>,
) -> Option<(usize, bool)> {
    use SourceLanguage::{C, Clank, Elixir, Go, Gradle, Java, JavaScript, Python, Ruby, Rust};
    let (prefix, at_quote) = split_prefix(rest, language);
    let quote = at_quote.chars().next()?;
    if let Some(found) = raw(rest, prefix, at_quote, language) {
        return Some(found);
    }
    let has_triple = matches!(language, Python | Java | Clank | Gradle | Elixir);
    for triple in ["\"\"\"", "'''"] {
        if has_triple
            && at_quote.starts_with(triple)
            && (triple == "\"\"\"" || matches!(language, Python | Gradle | Elixir))
        {
            return Some(offset(prefix, until(&at_quote[3..], triple, 3)));
        }
    }
    match (quote, language) {
        ('\'', Rust) => rust_character(at_quote).map(|len| (prefix + len, true)),
        ('\'', Clank) => None,
        ('"' | '\'', Rust | Ruby | Clank) => Some(offset(prefix, quoted(at_quote, quote, true))),
        ('"' | '\'', _) => Some(offset(prefix, quoted(at_quote, quote, false))),
        ('`', JavaScript) => Some(template(at_quote)),
        ('`', Ruby | Clank) => Some(quoted(at_quote, quote, true)),
        ('`', Go) => Some(until(&at_quote[1..], "`", 1)),
        ('/', JavaScript | Ruby) if may_start_pattern(previous) => {
            pattern(rest).map(|len| (len, true))
        }
        ('%', Ruby) => percent_literal(rest),
        (_, C | Java | Elixir | Python | Gradle | Go | JavaScript | Rust | Ruby | Clank) => None,
    }
}

fn offset(by: usize, (len, is_closed): (usize, bool)) -> (usize, bool) {
    (by + len, is_closed)
}

/// The length of the letters before a quote that belong to the string, and what follows them.
fn split_prefix(rest: &str, language: SourceLanguage) -> (usize, &str) {
    let letters: &[u8] = match language {
        SourceLanguage::Python => b"rRbBfFuUtT",
        SourceLanguage::Rust => b"bcr",
        SourceLanguage::C => b"LuU8R",
        _ => b"",
    };
    let len = rest.bytes().take(3).take_while(|it| letters.contains(it)).count();
    let after = rest.get(len..).unwrap_or("");
    // A lifetime may follow such a letter, but only a byte character starts with one.
    let is_string = after.starts_with('"')
        || (after.starts_with('\'')
            && (language != SourceLanguage::Rust || rest.starts_with("b'")))
        || (language == SourceLanguage::Rust
            && rest.get(..len).is_some_and(|it| it.ends_with('r'))
            && after.starts_with('#'));
    if is_string { (len, after) } else { (0, rest) }
}

/// Strings without escapes: `r#"…"#` and `R"x(…)x"`.
fn raw(
    rest: &str,
    prefix: usize,
    at_quote: &str,
    language: SourceLanguage,
) -> Option<(usize, bool)> {
    let letters = rest.get(..prefix)?;
    match language {
        SourceLanguage::Rust if letters.ends_with('r') => {
            let hashes = at_quote.bytes().take_while(|it| *it == b'#').count();
            let body = at_quote.get(hashes..)?.strip_prefix('"')?;
            let end = format!("\"{}", "#".repeat(hashes));
            Some(offset(prefix, until(body, &end, hashes + 1)))
        }
        SourceLanguage::C if letters.ends_with('R') => {
            let (delimiter, body) =
                at_quote.strip_prefix('"')?.split_once('(').filter(|(it, _)| it.len() <= 16)?;
            let end = format!("){delimiter}\"");
            Some(offset(prefix, until(body, &end, delimiter.len() + 2)))
        }
        _ => None,
    }
}

/// The length of a string whose opening has `opening` bytes, which end before `body`.
fn until(body: &str, end: &str, opening: usize) -> (usize, bool) {
    let mut from = 0;
    while let Some(at) = body.get(from..).and_then(|it| it.find(end)) {
        let found = from + at;
        let escapes = body
            .as_bytes()
            .get(..found)
            .unwrap_or_default()
            .iter()
            .rev()
            .take_while(|it| **it == b'\\')
            .count();
        // Raw strings end at the first closing mark; those with three quotes may escape one of them.
        if escapes % 2 == 0 || !end.starts_with("\"\"\"") && !end.starts_with("'''") {
            return (opening + found + end.len(), true);
        }
        from = found + 1;
    }
    (opening + body.len(), false)
}

/// A string that ends at the next quote without a backslash before it, and unless it may span lines, on its line.
fn quoted(text: &str, quote: char, spans_lines: bool) -> (usize, bool) {
    let mut is_escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if it == '\\' {
            is_escaped = true;
        } else if it == quote {
            return (at + 1, true);
        } else if it == '\n' && !spans_lines {
            return (at, false);
        }
    }
    (text.len(), false)
}

/// `'a'` and `'\n'`, but not the lifetime `'a`.
fn rust_character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        let (len, is_closed) = quoted(text.get(..text.len().min(16)).unwrap_or(text), '\'', false);
        return is_closed.then_some(len);
    }
    chars.next().filter(|(_, it)| *it == '\'').map(|(at, _)| at + 1)
}

/// A template of JavaScript: code in `${…}` may hold further templates.
fn template(text: &str) -> (usize, bool) {
    // Of each open template, how many braces are open in the code inside it; `None` in its text.
    let mut open: Vec<Option<usize>> = vec![None];
    let bytes = text.as_bytes();
    let mut at = 1;
    while let (Some(top), Some(byte)) = (open.last_mut(), bytes.get(at)) {
        match (byte, top.as_mut()) {
            (b'\\', _) => at += 1,
            (b'`', None) => {
                open.pop();
            }
            (b'$', None) if bytes.get(at + 1) == Some(&b'{') => {
                *top = Some(1);
                at += 1;
            }
            (_, None) => {}
            (b'`', Some(_)) => open.push(None),
            (b'"' | b'\'', Some(_)) => at += inner_string(bytes, at),
            (b'{', Some(depth)) => *depth += 1,
            (b'}', Some(depth)) => {
                *depth -= 1;
                if *depth == 0 {
                    *top = None;
                }
            }
            (_, Some(_)) => {}
        }
        at += 1;
    }
    (floor(text, at), open.is_empty())
}

/// How far behind the quote at `at` the one that closes it stands; 0 if none does on the line.
fn inner_string(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let mut is_escaped = false;
    for (idx, byte) in rest.iter().enumerate().skip(1).take(MAX_PATTERN) {
        match byte {
            b'\n' => return 0,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if rest.first() == Some(byte) => return idx,
            _ => {}
        }
    }
    0
}

/// The nearest place at or before `at` where a character starts.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

/// After a value a `/` divides; elsewhere it starts a regular expression.
fn may_start_pattern(previous: Option<&Token<'_>>) -> bool {
    let Some(previous) = previous else { return true };
    match previous.kind {
        TokenKind::Number | TokenKind::Text | TokenKind::Broken => false,
        TokenKind::Mark => !matches!(previous.text, ")" | "]" | "}"),
        TokenKind::Word => {
            matches!(
                previous.text,
                "return"
                    | "if"
                    | "unless"
                    | "when"
                    | "and"
                    | "or"
                    | "not"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "do"
                    | "else"
            )
        }
    }
}

/// The length of a regular expression, if it ends on its line.
fn pattern(text: &str) -> Option<usize> {
    let (mut is_escaped, mut is_in_class) = (false, false);
    for (at, it) in text.char_indices().skip(1).take(MAX_PATTERN) {
        match it {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '/' if !is_in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// `%w[…]`, `%i(…)`, `%q{…}`.
fn percent_literal(rest: &str) -> Option<(usize, bool)> {
    let mut chars = rest.chars().skip(1);
    chars.next().filter(|it| "wWiIqQ".contains(*it))?;
    let end = match chars.next()? {
        '(' => ")",
        '[' => "]",
        '{' => "}",
        '<' => ">",
        '|' => "|",
        _ => return None,
    };
    Some(until(rest.get(3..)?, end, 3))
}

/// Digits, letters, points between digits, and the separators of C++.
pub(super) fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let mut at = 0;
    while bytes.get(at).is_some_and(|it| {
        it.is_ascii_alphanumeric()
            || *it == b'_'
            || (matches!(it, b'.' | b'\'') && is_digit(at + 1))
    }) {
        at += 1;
    }
    at
}

/// The length of a comment that starts here.
pub(super) fn block_comment(text: &str, nests: bool) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1usize);
    while let (Some(first), Some(second)) = (bytes.get(at), bytes.get(at + 1)) {
        match (first, second) {
            (b'*', b'/') => {
                (at, depth) = (at + 2, depth - 1);
                if depth == 0 {
                    return at;
                }
            }
            (b'/', b'*') if nests => (at, depth) = (at + 2, depth + 1),
            _ => at += 1,
        }
    }
    text.len()
}
