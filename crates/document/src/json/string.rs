//! JSON strings: finding their end, decoding them, writing them.

use std::borrow::Cow;

use crate::value::write::write_json_string;

/// Why a string cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BadString {
    Unterminated,
    ControlCharacter,
    BadEscape,
    LoneSurrogate,
}

/// How a string ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StringEnd {
    /// The offset after the closing quote.
    pub(super) end: usize,
    pub(super) has_escapes: bool,
}

/// The end of the string whose first byte after the opening quote is at `at`, or what is wrong with it and where.
pub(super) fn end_of_string(bytes: &[u8], mut at: usize) -> Result<StringEnd, (BadString, usize)> {
    let mut has_escapes = false;
    loop {
        at = next_special(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(StringEnd { end: at + 1, has_escapes }),
            Some(b'\\') => {
                has_escapes = true;
                at = end_of_escape(bytes, at)?;
            }
            Some(_) => return Err((BadString::ControlCharacter, at)),
            None => return Err((BadString::Unterminated, at)),
        }
    }
}

/// The offset of the first quote, backslash or control character from `at` on, or the length.
fn next_special(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        // Eight bytes at once. A flag may be wrong above a true one, never below it, and the lowest counts.
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let special = zero_bytes(word ^ (ONES * u64::from(b'"')))
            | zero_bytes(word ^ (ONES * u64::from(b'\\')))
            | control;
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    found.map_or(bytes.len(), |found| at + found)
}

/// The offset after the escape at `at`; a surrogate pair is one escape.
fn end_of_escape(bytes: &[u8], at: usize) -> Result<usize, (BadString, usize)> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match hex_unit(bytes, at) {
            None => Err((BadString::BadEscape, at)),
            Some(0xD800..0xDC00) => match hex_unit(bytes, at + 6) {
                Some(0xDC00..0xE000) => Ok(at + 12),
                _ => Err((BadString::LoneSurrogate, at)),
            },
            Some(0xDC00..0xE000) => Err((BadString::LoneSurrogate, at)),
            Some(_) => Ok(at + 6),
        },
        Some(_) => Err((BadString::BadEscape, at)),
        None => Err((BadString::Unterminated, bytes.len())),
    }
}

/// The code unit of the `\uXXXX` at `at`.
fn hex_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

/// What the string between two quotes says. `raw` has been checked by [`end_of_string`].
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut text = String::with_capacity(raw.len());
    let (mut rest, mut escape) = (raw, first);
    loop {
        text.push_str(&rest[..escape]);
        let (character, len) = decode_escape(&rest.as_bytes()[escape..]);
        text.push(character);
        rest = &rest[escape + len..];
        match memchr::memchr(b'\\', rest.as_bytes()) {
            Some(next) => escape = next,
            None => break,
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of a checked escape, and the escape's length.
fn decode_escape(escape: &[u8]) -> (char, usize) {
    match escape.get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => {
            let unit = hex_unit(escape, 0).unwrap_or_default();
            match hex_unit(escape, 6) {
                Some(low @ 0xDC00..0xE000) if (0xD800..0xDC00).contains(&unit) => {
                    let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                _ => (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            }
        }
        Some(other) => (char::from(*other), 2),
        None => (char::REPLACEMENT_CHARACTER, escape.len()),
    }
}

/// Appends `text` as a string; with `ascii_only`, what is not ASCII becomes `\u` escapes.
pub(super) fn write(text: &str, ascii_only: bool, out: &mut String) {
    if !ascii_only || text.is_ascii() {
        return write_json_string(text, out);
    }
    let mut plain = String::with_capacity(text.len() + 2);
    write_json_string(text, &mut plain);
    for character in plain.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_decode_and_bad_ones_are_named() {
        let good = [
            (r#""""#, ""),
            (r#""a\/b\\\"""#, "a/b\\\""),
            (r#""\u00e9\ud83d\ude00\b\f\n\r\t""#, "é😀\u{8}\u{c}\n\r\t"),
            (r#""0123456789\u0041bcdefgh😀""#, "0123456789Abcdefgh😀"),
        ];
        for (raw, text) in good {
            assert_eq!(end_of_string(raw.as_bytes(), 1).map(|it| it.end), Ok(raw.len()), "{raw}");
            assert_eq!(decode(&raw[1..raw.len() - 1]), text);
        }
        let bad = [
            ("\"abc", BadString::Unterminated, 4),
            ("\"abc\\", BadString::Unterminated, 5),
            ("\"12345678\n\"", BadString::ControlCharacter, 9),
            ("\"a\0\"", BadString::ControlCharacter, 2),
            (r#""\x""#, BadString::BadEscape, 1),
            (r#""\u12g4""#, BadString::BadEscape, 1),
            (r#""\ud800""#, BadString::LoneSurrogate, 1),
            (r#""\ud800\u0041""#, BadString::LoneSurrogate, 1),
            (r#""x\udc00""#, BadString::LoneSurrogate, 2),
        ];
        for (raw, kind, offset) in bad {
            assert_eq!(end_of_string(raw.as_bytes(), 1), Err((kind, offset)), "{raw}");
        }
    }
}
