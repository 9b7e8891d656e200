//! Where a record may write. Entries are compared by segments, never by string prefix, so `src` does not admit `src2`
//! (X-11, DF-7, DF-27, DF-36).

use std::fmt;

use snapshot::{PathError, RelPath};

/// One entry of `allowed_paths`. `src/` is what lies beneath a directory; `src` is that file or, where a directory
/// of the name exists, what lies beneath it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ScopeEntry {
    path: RelPath,
    is_directory: bool,
}

/// Why a string is not a scope entry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// It is not a path inside the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A star or a question mark, which someone may expect to be expanded.
    #[error(
        "{entry:?} has a wildcard; an entry must name a file, or a directory with `/` at the end"
    )]
    Wildcard {
        /// The refused string.
        entry: String,
    },
    /// Tools would take it for an option.
    #[error("{entry:?} starts with a dash; tools would read it as an option")]
    Dash {
        /// The refused string.
        entry: String,
    },
    /// Line ends and other control characters, or characters that change how the rest reads.
    #[error("{entry:?} has a character that is displayed as another one")]
    Hidden {
        /// The refused string.
        entry: String,
    },
}

impl ScopeEntry {
    /// Reads an entry, or says why it is refused. Nothing is repaired.
    pub fn parse(entry: &str) -> Result<ScopeEntry, ScopeError> {
        let owned = || entry.to_owned();
        let is_directory = entry.len() > 1 && entry.ends_with('/');
        let path = RelPath::parse(if is_directory { &entry[..entry.len() - 1] } else { entry })?;
        if entry.contains(['*', '?']) {
            return Err(ScopeError::Wildcard { entry: owned() });
        }
        if path.segments().any(|it| it.starts_with('-')) {
            return Err(ScopeError::Dash { entry: owned() });
        }
        if entry.chars().any(is_hidden) || path.segments().any(|it| it.trim() != it) {
            return Err(ScopeError::Hidden { entry: owned() });
        }
        Ok(ScopeEntry { path, is_directory })
    }

    /// The path it names.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Whether it is written with `/` at the end: only what lies beneath, never a file of that name.
    pub fn is_directory(&self) -> bool {
        self.is_directory
    }

    /// Whether it admits the path. `exists_as_directory` is asked about the entry's own path, before anything changed.
    pub fn admits(&self, path: &RelPath, exists_as_directory: impl Fn(&RelPath) -> bool) -> bool {
        if &self.path == path {
            return !self.is_directory;
        }
        self.path.contains(path) && (self.is_directory || exists_as_directory(&self.path))
    }

    /// Whether everything that it admits may also be admitted by `wider`, by segments.
    pub fn is_within(&self, wider: &ScopeEntry) -> bool {
        if self.path == wider.path {
            // `src` would admit a file of that name, which `src/` does not.
            return self.is_directory || !wider.is_directory;
        }
        wider.path.contains(&self.path)
    }
}

impl fmt::Display for ScopeEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.path, if self.is_directory { "/" } else { "" })
    }
}

/// Control characters, and those without a width or that turn the direction of what follows: a reviewer would approve
/// another path than the one he reads.
fn is_hidden(it: char) -> bool {
    it.is_control()
        || matches!(it,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
