//! Base64 with the standard alphabet and padding, for patches that are no text. Exactly one text for the same bytes.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for idx in 0..4_usize {
            let sextet = (bits >> (18 - 6 * idx)) & 0x3f;
            let symbol = if idx <= chunk.len() { ALPHABET[sextet as usize] } else { b'=' };
            text.push(char::from(symbol));
        }
    }
    text
}

/// The bytes of a text that [`encode`] could have written; `None` for every other one.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0;
        for idx in 0..4 {
            let sextet = match chunk.get(idx) {
                Some(symbol) => ALPHABET.iter().position(|it| it == symbol)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(sextet).ok()?;
        }
        let [_, first, second, third] = bits.to_be_bytes();
        bytes.extend(&[first, second, third][..chunk.len().saturating_sub(1)]);
    }
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_have_one_text() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff\xfe\x00", "//4A"),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zg===", "=", "Zm9v\n", "Zm 9v", "é==="] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
