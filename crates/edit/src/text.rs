//! A text and its hash. Every edit names the hash of the text it was made for, so that applying it to
//! other bytes is an error and never a guess.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock, Weak};

/// BLAKE3 of a text's bytes. Written as `blake3:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// The hash with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> ContentHash {
        ContentHash(bytes)
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes bytes that come in parts, to the same hash as all of them at once.
#[derive(Clone, Debug, Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of everything so far.
    pub fn finish(&self) -> ContentHash {
        ContentHash(*self.0.finalize().as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("blake3:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A string that is not `blake3:` and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a content hash: `blake3:` and 64 lower-case hex digits")]
pub struct ParseHashError;

impl FromStr for ContentHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<ContentHash, ParseHashError> {
        let digits = text.strip_prefix("blake3:").ok_or(ParseHashError)?.as_bytes();
        if digits.len() != 64 {
            return Err(ParseHashError);
        }
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(ParseHashError),
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(ContentHash(bytes))
    }
}

/// Immutable bytes with their hash; cheap to clone. Any bytes are a text, valid UTF-8 or not; which of the two is found
/// out once, when the text is made.
///
/// The hash is computed when it is first asked for: many texts only live between two steps of a computation,
/// and hashing one costs more than copying it.
#[derive(Clone)]
pub struct Text {
    shared: Arc<Shared>,
}

struct Shared {
    content: Content,
    hash: OnceLock<ContentHash>,
}

enum Content {
    Utf8(String),
    Other(Vec<u8>),
}

impl Text {
    /// Takes the bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Text {
        let content = match String::from_utf8(bytes.into()) {
            Ok(text) => Content::Utf8(text),
            Err(error) => Content::Other(error.into_bytes()),
        };
        Text { shared: Arc::new(Shared { content, hash: OnceLock::new() }) }
    }

    /// Takes the characters.
    pub(crate) fn from_string(text: String) -> Text {
        Text { shared: Arc::new(Shared { content: Content::Utf8(text), hash: OnceLock::new() }) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.shared.content {
            Content::Utf8(text) => text.as_bytes(),
            Content::Other(bytes) => bytes,
        }
    }

    /// The characters, if the bytes are UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.shared.content {
            Content::Utf8(text) => Some(text),
            Content::Other(_) => None,
        }
    }

    /// The hash of the bytes.
    pub fn hash(&self) -> ContentHash {
        *self.shared.hash.get_or_init(|| ContentHash::of(self.bytes()))
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// The text for as long as somebody else holds it.
    pub fn downgrade(&self) -> WeakText {
        WeakText { shared: Arc::downgrade(&self.shared) }
    }
}

/// A text that does not keep its bytes in memory.
#[derive(Clone, Default)]
pub struct WeakText {
    shared: Weak<Shared>,
}

impl WeakText {
    /// The text, if somebody holds it.
    pub fn upgrade(&self) -> Option<Text> {
        Some(Text { shared: self.shared.upgrade()? })
    }
}

/// No bytes.
impl Default for Text {
    fn default() -> Text {
        Text::new(Vec::new())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.bytes() == other.bytes()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({:?})", String::from_utf8_lossy(self.bytes()))
    }
}
