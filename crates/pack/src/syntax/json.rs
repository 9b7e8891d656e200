//! JSON as tokens, also where it is not JSON: what candidates for a repair are found by.

use std::borrow::Cow;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    Comma,
    Colon,
    /// A string with both quotes.
    String,
    /// A string that its line ends before it does.
    OpenString,
    /// A string in single quotes.
    SingleQuoted,
    /// Anything else without blanks: numbers, names.
    Word,
}

/// The tokens of a text with their places. Never fails: what is not a token is a word.
pub(super) fn tokens(bytes: &[u8]) -> Vec<(Token, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    while let Some(byte) = bytes.get(at) {
        let (token, end) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                at = end_of_comment(bytes, at);
                continue;
            }
            b'{' | b'[' => (Token::Open(*byte), at + 1),
            b'}' | b']' => (Token::Close(*byte), at + 1),
            b',' => (Token::Comma, at + 1),
            b':' => (Token::Colon, at + 1),
            b'"' => match end_of_string(bytes, at, b'"') {
                Ok(end) => (Token::String, end),
                Err(end) => (Token::OpenString, end),
            },
            b'\'' => match end_of_string(bytes, at, b'\'') {
                Ok(end) => (Token::SingleQuoted, end),
                Err(end) => (Token::Word, end),
            },
            _ => (Token::Word, end_of_word(bytes, at)),
        };
        found.push((token, at..end));
        at = end;
    }
    found
}

/// The bracket that closes an opening one, and the reverse.
pub(super) fn partner(bracket: u8) -> u8 {
    match bracket {
        b'{' => b'}',
        b'[' => b']',
        b'}' => b'{',
        _ => b'[',
    }
}

fn end_of_comment(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at + 2..];
    if bytes[at + 1] == b'/' {
        memchr::memchr(b'\n', rest).map_or(bytes.len(), |it| at + 2 + it)
    } else {
        memchr::memmem::find(rest, b"*/").map_or(bytes.len(), |it| at + 4 + it)
    }
}

/// The end of the string after its quote, or of its line if that comes first.
fn end_of_string(bytes: &[u8], at: usize, quote: u8) -> Result<usize, usize> {
    let mut next = at + 1;
    loop {
        match bytes.get(next) {
            None | Some(b'\n') => {
                let end = next.min(bytes.len());
                return Err(if bytes[end - 1] == b'\r' && end - 1 > at { end - 1 } else { end });
            }
            Some(b'\\') if bytes.get(next + 1).is_some_and(|it| *it != b'\n') => next += 2,
            Some(byte) if *byte == quote => return Ok(next + 1),
            Some(_) => next += 1,
        }
    }
}

fn end_of_word(bytes: &[u8], at: usize) -> usize {
    let is_end = |it: &u8| b" \t\r\n{}[],:\"'/".contains(it);
    let rest = bytes[at + 1..].iter().position(is_end);
    rest.map_or(bytes.len(), |it| at + 1 + it)
}

/// The commas of a text that parses that stand before a closing bracket.
pub(super) fn trailing_commas(bytes: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut last_comma = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(bytes, at, b'"').unwrap_or_else(|it| it);
                last_comma = None;
                continue;
            }
            b'/' if at + 1 < bytes.len() => {
                at = end_of_comment(bytes, at);
                continue;
            }
            b',' => last_comma = Some(at),
            b'}' | b']' => found.extend(last_comma.take()),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => last_comma = None,
        }
        at += 1;
    }
    found
}

/// The text with every escape that is half of a surrogate pair replaced; `None` if it has none.
pub(super) fn without_lone_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut text: Cow<'_, [u8]> = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += next;
        match unit(at) {
            Some(0xD800..0xDC00) if matches!(unit(at + 6), Some(0xDC00..0xE000)) => at += 12,
            Some(0xD800..0xE000) => {
                text.to_mut()[at + 2..at + 6].copy_from_slice(b"FFFD");
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_before_a_closing_bracket_are_found_outside_of_strings_and_comments() {
        for (text, expected) in [
            ("[1, 2]", vec![]),
            ("[1, 2,]", vec![5]),
            ("{\"a,}\": [1 /* ,] */, // ,]\n], }", vec![19, 28]),
            ("[\"x\", \"\\\"\"]", vec![]),
        ] {
            assert_eq!(trailing_commas(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        let replaced = |text: &str| without_lone_surrogates(text.as_bytes());
        assert_eq!(replaced("\"\\ud83d\\ude00\""), None);
        assert_eq!(replaced("\"\\\\ud83d\""), None);
        assert_eq!(replaced("\"\\ud83d\"").as_deref(), Some(&b"\"\\uFFFD\""[..]));
        assert_eq!(replaced("\"\\ude00 \\u12\"").as_deref(), Some(&b"\"\\uFFFD \\u12\""[..]));
        assert_eq!(replaced("\"\\"), None);
    }

    #[test]
    fn tokens_cover_any_text() {
        let kinds =
            |text: &str| tokens(text.as_bytes()).into_iter().map(|it| it.0).collect::<Vec<_>>();
        use Token::{Close, Colon, Comma, Open, OpenString, SingleQuoted, String, Word};
        assert_eq!(kinds("{\"a\": 1,"), [Open(b'{'), String, Colon, Word, Comma]);
        assert_eq!(kinds("a' \"x\r\n]"), [Word, Word, Close(b']')]);
        assert_eq!(kinds("'a' \"x\r\n]"), [SingleQuoted, OpenString, Close(b']')]);
        assert_eq!(kinds("\"a\\"), [OpenString]);
        assert_eq!(kinds("/* x"), []);
        assert_eq!(kinds("'"), [Word]);
    }
}
