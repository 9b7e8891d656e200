//! RFC 6901 pointers: where in a document a value stands.
//!
//! The root is the empty string. `"/"` is the empty key by the RFC, but the changeset contract writes the root
//! that way; a [`crate::Draft`] therefore reads it as the root unless the root really has an empty key.

use std::fmt;
use std::str::FromStr;

/// A parsed pointer: its segments, unescaped.
///
/// ```
/// use document::Pointer;
///
/// let pointer: Pointer = "/paths/~1users/get".parse()?;
/// assert_eq!(pointer.segments(), ["paths", "/users", "get"]);
/// assert_eq!(Pointer::root().join("a/b").to_string(), "/a~1b");
/// # Ok::<(), document::PointerError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pointer {
    segments: Vec<String>,
}

/// A string that is not a pointer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointerError {
    /// It does not start with `/`.
    #[error("expected a JSON pointer that is empty or starts with `/`")]
    NoLeadingSlash,
    /// `~` is followed by something other than `0` or `1`.
    #[error("`~` at byte {offset} of the JSON pointer is not followed by `0` or `1`")]
    BadEscape {
        /// Byte offset of the `~`.
        offset: usize,
    },
}

impl Pointer {
    /// The pointer to the whole document.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// The pointer with these unescaped segments.
    pub fn from_segments(segments: impl IntoIterator<Item = String>) -> Pointer {
        Pointer { segments: segments.into_iter().collect() }
    }

    /// The unescaped segments.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Whether this is the whole document.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether this is `"/"`, which names the root or its empty key.
    pub fn is_lone_slash(&self) -> bool {
        matches!(self.segments.as_slice(), [only] if only.is_empty())
    }

    /// This pointer and one more segment.
    pub fn join(&self, segment: impl Into<String>) -> Pointer {
        let mut segments = self.segments.clone();
        segments.push(segment.into());
        Pointer { segments }
    }

    /// The pointer to the container, and the last segment; `None` for the root.
    pub fn split_last(&self) -> Option<(Pointer, &str)> {
        let (last, parents) = self.segments.split_last()?;
        Some((Pointer { segments: parents.to_vec() }, last))
    }

    /// The first `count` segments.
    pub fn prefix(&self, count: usize) -> Pointer {
        Pointer { segments: self.segments[..count.min(self.segments.len())].to_vec() }
    }

    /// Whether `self` is `other` or a container of it.
    pub fn is_prefix_of(&self, other: &Pointer) -> bool {
        other.segments.starts_with(&self.segments)
    }
}

/// An array index: decimal digits without a sign or a leading zero. `-` is not an index.
pub(crate) fn parse_index(segment: &str) -> Option<usize> {
    let canonical = segment == "0" || !segment.starts_with('0');
    let digits = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { segment.parse().ok() } else { None }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Pointer, PointerError> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(PointerError::NoLeadingSlash);
        };
        let mut segments = vec![String::new()];
        let mut characters = rest.char_indices();
        while let Some((offset, character)) = characters.next() {
            let segment = segments.last_mut().expect("starts with one segment and only grows");
            match character {
                '/' => segments.push(String::new()),
                '~' => match characters.next() {
                    Some((_, '0')) => segment.push('~'),
                    Some((_, '1')) => segment.push('/'),
                    _ => return Err(PointerError::BadEscape { offset: offset + 1 }),
                },
                _ => segment.push(character),
            }
        }
        Ok(Pointer { segments })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            write!(f, "/{}", segment.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FA-35, CS-6, CS-8, CS-9: the escapes and nothing else.
    #[test]
    fn pointers_round_trip_and_bad_ones_are_refused() {
        for text in ["", "/", "/a", "/a/0/b", "/a~1b", "/m~0n", "//", "/ü/\u{1F600}", "/-", "/01"]
        {
            assert_eq!(text.parse::<Pointer>().map(|it| it.to_string()), Ok(text.to_string()));
        }
        assert_eq!("/a~1b~0".parse::<Pointer>().unwrap().segments(), ["a/b~"]);
        assert_eq!("a".parse::<Pointer>(), Err(PointerError::NoLeadingSlash));
        assert_eq!("/a~2".parse::<Pointer>(), Err(PointerError::BadEscape { offset: 2 }));
        assert_eq!("/a~".parse::<Pointer>(), Err(PointerError::BadEscape { offset: 2 }));
    }

    /// X-2: no sign, no leading zero, no `-`.
    #[test]
    fn indexes_are_plain_decimals() {
        assert_eq!(parse_index("0"), Some(0));
        assert_eq!(parse_index("120"), Some(120));
        for text in ["", "-", "-1", "+1", "01", "00", "1e3", "٣", "99999999999999999999999"] {
            assert_eq!(parse_index(text), None, "{text}");
        }
    }
}
