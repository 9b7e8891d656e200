//! Paths inside a workspace. A path is refused, never repaired: two spellings of one file would let two
//! changes to it pass for changes to different files (CS-36, CS-37, CS-56, CS-58, FA-34).

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// A path relative to the workspace root, with `/` between segments. Never empty or longer than file systems
/// allow; no segment is empty, `.` or `..`; no backslash, NUL or drive prefix. Ordered by its bytes; cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Arc<str>);

const MAX_PATH: usize = 4096;
const MAX_SEGMENT: usize = 255;

/// Why a string is not a path inside the workspace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The empty string.
    #[error("a path must not be empty")]
    Empty,
    /// It starts at a root of its own: `/x`, `//server/share`.
    #[error("{path:?} is absolute, a path must be relative to the workspace root")]
    Absolute {
        /// The refused string.
        path: String,
    },
    /// It starts with a drive: `C:`.
    #[error("{path:?} starts with a drive letter, a path must be relative to the workspace root")]
    Drive {
        /// The refused string.
        path: String,
    },
    /// It has a backslash, which separates segments on some systems and names a file on others.
    #[error("{path:?} has a backslash, segments are separated by `/`")]
    Backslash {
        /// The refused string.
        path: String,
    },
    /// It has a NUL byte.
    #[error("{path:?} has a NUL byte")]
    Nul {
        /// The refused string.
        path: String,
    },
    /// A segment is `.` or `..`.
    #[error("{path:?} has a `{segment}` segment")]
    Dots {
        /// The refused string.
        path: String,
        /// The segment, `.` or `..`.
        segment: &'static str,
    },
    /// No file system has such a path, and work on it grows with its length.
    #[error(
        "a path of {length} bytes or one of its segments is too long, the limits are {MAX_PATH} and {MAX_SEGMENT}"
    )]
    TooLong {
        /// The length of the path in bytes.
        length: usize,
    },
    /// `//` in the middle or `/` at the end.
    #[error("{path:?} has an empty segment")]
    EmptySegment {
        /// The refused string.
        path: String,
    },
}

impl RelPath {
    /// Takes the string as it is, or says why it is not a path inside a workspace.
    pub fn parse(path: &str) -> Result<RelPath, PathError> {
        let owned = || path.to_owned();
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.len() > MAX_PATH {
            return Err(PathError::TooLong { length: path.len() });
        }
        if path.contains('\0') {
            return Err(PathError::Nul { path: owned() });
        }
        // Before the backslash, so that `C:\x` is called what it is.
        if let [letter, b':', ..] = path.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(PathError::Drive { path: owned() });
        }
        if path.contains('\\') {
            return Err(PathError::Backslash { path: owned() });
        }
        if path.starts_with('/') {
            return Err(PathError::Absolute { path: owned() });
        }
        for segment in path.split('/') {
            match segment {
                "" => return Err(PathError::EmptySegment { path: owned() }),
                "." => return Err(PathError::Dots { path: owned(), segment: "." }),
                ".." => return Err(PathError::Dots { path: owned(), segment: ".." }),
                long if long.len() > MAX_SEGMENT => {
                    return Err(PathError::TooLong { length: path.len() });
                }
                _ => {}
            }
        }
        Ok(RelPath(path.into()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of the directory that holds this one; `None` when that is the root.
    pub fn parent(&self) -> Option<RelPath> {
        self.0.rsplit_once('/').map(|(parent, _)| RelPath(parent.into()))
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// The segments, from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// What follows the last dot of the file name, unless the dot is its first character.
    pub fn extension(&self) -> Option<&str> {
        self.file_name()
            .rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, extension)| extension)
    }

    /// This path followed by `/` and `tail`, checked like any other path.
    pub fn join(&self, tail: &str) -> Result<RelPath, PathError> {
        let tail = RelPath::parse(tail)?;
        RelPath::parse(&format!("{self}/{tail}"))
    }

    /// The directories that hold this path, nearest first, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = RelPath> {
        let path = self.0.clone();
        let ends: Vec<usize> = path.rmatch_indices('/').map(|(at, _)| at).collect();
        ends.into_iter().map(move |end| RelPath(path[..end].into()))
    }

    /// Whether `other` lies somewhere beneath this path.
    pub fn contains(&self, other: &RelPath) -> bool {
        other.0.strip_prefix(&*self.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The path with differences of case removed, for comparing as a case-insensitive file system would.
    pub fn case_folded(&self) -> String {
        if self.0.is_ascii() {
            return self.0.to_ascii_lowercase();
        }
        // Through upper case first, so that `ß`, `ſ` and the two small sigmas meet their partners.
        self.0.to_uppercase().to_lowercase()
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

// Ordering, equality and hash of a `RelPath` are those of its text, which is what `Borrow` asks for.
impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for RelPath {
    type Err = PathError;

    fn from_str(path: &str) -> Result<RelPath, PathError> {
        RelPath::parse(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let found = match RelPath::parse(path) {
            Ok(path) => {
                format!("{:?} in {:?}", path.file_name(), path.parent().map(|it| it.to_string()))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn paths_inside_the_workspace_are_taken_as_they_are() {
        check("a", r#""a" in None"#);
        check("a/b.yaml", r#""b.yaml" in Some("a")"#);
        check(".github/workflows/ci.yml", r#""ci.yml" in Some(".github/workflows")"#);
        check("a..b/...", r#""..." in Some("a..b")"#);
        check("sp ace/ü:x", r#""ü:x" in Some("sp ace")"#);
    }

    /// FA-34, CS-36, CS-37, CS-56, CS-58, X-10.
    #[test]
    fn anything_else_is_refused_and_never_repaired() {
        check("", "a path must not be empty");
        check(".", r#""." has a `.` segment"#);
        check("..", r#"".." has a `..` segment"#);
        check("a/../b", r#""a/../b" has a `..` segment"#);
        check("./a", r#""./a" has a `.` segment"#);
        check(
            "/etc/passwd",
            r#""/etc/passwd" is absolute, a path must be relative to the workspace root"#,
        );
        check(
            "//server/share",
            r#""//server/share" is absolute, a path must be relative to the workspace root"#,
        );
        check(
            "C:",
            r#""C:" starts with a drive letter, a path must be relative to the workspace root"#,
        );
        check(
            "c:/x",
            r#""c:/x" starts with a drive letter, a path must be relative to the workspace root"#,
        );
        check(
            r"C:\x",
            r#""C:\\x" starts with a drive letter, a path must be relative to the workspace root"#,
        );
        check(
            r"\\server\share",
            r#""\\\\server\\share" has a backslash, segments are separated by `/`"#,
        );
        check(r"a\b", r#""a\\b" has a backslash, segments are separated by `/`"#);
        check("a\0b", r#""a\0b" has a NUL byte"#);
        check("a//b", r#""a//b" has an empty segment"#);
        check("a/", r#""a/" has an empty segment"#);
        let too_long =
            "a path of 256 bytes or one of its segments is too long, the limits are 4096 and 255";
        check(&"a".repeat(256), too_long);
        assert!(RelPath::parse(&"a".repeat(255)).is_ok());
        assert!(RelPath::parse(&"a/".repeat(2048)[..4095]).is_ok());
        assert!(RelPath::parse(&"a/".repeat(3000)[..5999]).is_err());
    }

    #[test]
    fn ancestors_come_nearest_first() {
        let path = RelPath::parse("a/b/c").unwrap();
        let ancestors: Vec<String> = path.ancestors().map(|it| it.to_string()).collect();
        assert_eq!(ancestors, ["a/b", "a"]);
        assert!(RelPath::parse("a").unwrap().contains(&path));
        assert!(!RelPath::parse("a/b/c").unwrap().contains(&path));
        assert!(!RelPath::parse("a/bb").unwrap().contains(&path));
    }

    #[test]
    fn join_checks_the_tail() {
        let path = RelPath::parse("a").unwrap();
        assert_eq!(path.join("b/c").unwrap().as_str(), "a/b/c");
        assert!(path.join("../b").is_err());
        assert!(path.join("/b").is_err());
    }

    #[test]
    fn case_folding_meets_across_alphabets() {
        let fold = |path: &str| RelPath::parse(path).unwrap().case_folded();
        assert_eq!(fold("SRC/Main.RS"), fold("src/main.rs"));
        assert_eq!(fold("STRASSE"), fold("straße"));
        assert_eq!(fold("ΣΑΣ"), fold("σας"));
        assert_ne!(fold("a"), fold("b"));
    }
}
