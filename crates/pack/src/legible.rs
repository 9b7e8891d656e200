//! What a text that does not parse still shows: which keys it mentions, and which schema it names.
//!
//! Whose business a file is must not depend on whether it is right. All of this looks at bytes and refuses nothing.

use std::borrow::Cow;

/// How many bytes of a text in another encoding are looked at.
const MAX_BYTES: usize = 1 << 20;

/// The bytes in which ASCII can be found. A text in UTF-16 or UTF-32 has zeros between them.
pub(crate) fn legible(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_wide = bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
        || bytes.iter().take(4).any(|it| *it == 0);
    if !is_wide {
        return Cow::Borrowed(bytes);
    }
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    Cow::Owned(bytes.iter().copied().filter(|it| *it != 0).collect())
}

/// The schema that a text names by a key, as far as that can be told without parsing it; empty if it has the key and no
/// schema can be made out. A mention in a sentence is not a key.
pub(crate) fn named_schema(bytes: &[u8]) -> Option<String> {
    ["$schema", "\\u0024schema"].into_iter().find_map(|key| {
        memchr::memmem::find_iter(bytes, key)
            .find_map(|start| value_after(&bytes[..start], &bytes[start + key.len()..]))
    })
}

/// What follows a key, if it is one.
fn value_after(before: &[u8], after: &[u8]) -> Option<String> {
    let quote = before.last().copied().filter(|it| is_quote(*it));
    let is_start =
        before.last().is_none_or(|it| b" \t\r\n{,".contains(it) || it.is_ascii_control());
    let closed = after.first().is_some_and(|it| quote == Some(*it));
    let rest = after[usize::from(closed)..].trim_ascii_start();
    let is_assigned = rest.first().is_some_and(|it| b":=".contains(it));
    let is_key = match quote {
        // The key itself may be what is broken.
        Some(_) => closed || is_assigned || rest.is_empty() || after.starts_with(b"\n"),
        None => is_start && is_assigned,
    };
    if !is_key {
        return None;
    }
    let value = rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"=")).unwrap_or(rest);
    let value = value.trim_ascii_start();
    let value = match value.split_first() {
        Some((first, rest)) if is_quote(*first) => {
            rest.split(|it| it == first || *it == b'\n').next()
        }
        _ => value.split(|it| b" \t\r\n,}#".contains(it)).next(),
    };
    // The slashes of an address may be escaped.
    let value = String::from_utf8_lossy(value.unwrap_or_default()).replace("\\/", "/");
    Some(value.trim().to_owned())
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_named_by_a_key_however_broken_the_text_is() {
        for (text, expected) in [
            ("{\"$schema\": \"./s.json\", \"a\": \"x\"", Some("./s.json")),
            ("{\"a\": {\"$schema\" : \"s.json", Some("s.json")),
            ("{\"\\u0024schema\": \"s.json\"", Some("s.json")),
            ("{\"$schema\" \"s.json\"", Some("s.json")),
            ("{\"$schema: \"s.json\"", Some("s.json")),
            ("{\"$schema", Some("")),
            ("{\"$schema\": }", Some("")),
            (
                "{\"$schema\": \"https:\\/\\/json-schema.org\\/schema#\"",
                Some("https://json-schema.org/schema#"),
            ),
            ("{$schema: s.json, a: [", Some("s.json")),
            ("$schema: s.json # what\na: [\n", Some("s.json")),
            ("a: [\n'$schema': 's.json'\n", Some("s.json")),
            ("\"$schema\" = \"s.json\"\na = \n", Some("s.json")),
            ("# see the $schema of it\na: [\n", None),
            ("a: see $schema\nb: [\n", None),
            ("{\"a\": \"$schemas\"", None),
            ("{\"a\": \"x.$schema: y\"", None),
            ("", None),
        ] {
            assert_eq!(named_schema(text.as_bytes()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_text_in_utf_16_shows_its_ascii() {
        let text = "{\"$schema\": \"s.json\"}";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = [0xFE, 0xFF]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        for bytes in [little, big] {
            assert_eq!(named_schema(&legible(&bytes)).as_deref(), Some("s.json"));
        }
        assert_eq!(&*legible(b"plain"), b"plain");
    }
}
