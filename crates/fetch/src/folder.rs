//! Documents of a folder that somebody named. Nothing outside of it is read, wherever names and links lead.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::FetchError;

/// A folder of documents.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder at a path.
    pub fn open(path: &Path) -> Result<Folder, FetchError> {
        let failed = |it: std::io::Error| FetchError::Failed { message: it.to_string() };
        let root = path.canonicalize().map_err(failed)?;
        if !root.is_dir() {
            return Err(FetchError::Failed { message: "it is no folder".to_owned() });
        }
        Ok(Folder { root })
    }

    /// The bytes of a file in it, by its path with `/` between names.
    pub fn read(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, FetchError> {
        let relative = Path::new(path);
        let is_inside = relative.components().all(|it| matches!(it, Component::Normal(_)));
        if path.is_empty() || path.contains(['\\', '\0']) || !is_inside {
            return Err(FetchError::Outside);
        }
        let failed = |it: std::io::Error| match it.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                FetchError::NotFound
            }
            _ => FetchError::Failed { message: it.to_string() },
        };
        let place = self.root.join(relative).canonicalize().map_err(failed)?;
        if !place.starts_with(&self.root) {
            return Err(FetchError::Outside);
        }
        // A pipe would never end, or never begin.
        if !place.metadata().map_err(failed)?.is_file() {
            return Err(FetchError::NotFound);
        }
        let mut bytes = Vec::new();
        let file = File::open(&place).map_err(failed)?;
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > max_bytes {
            return Err(FetchError::TooLarge { max_bytes });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_outside_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("in");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/b.json"), "{}").unwrap();
        std::fs::write(scratch.path().join("secret"), "x").unwrap();
        symlink("../../secret", root.join("a/link.json")).unwrap();
        symlink("b.json", root.join("a/inner.json")).unwrap();
        let folder = Folder::open(&root).unwrap();
        assert_eq!(folder.read("a/b.json", 9), Ok(b"{}".to_vec()));
        assert_eq!(folder.read("a/inner.json", 9), Ok(b"{}".to_vec()));
        assert_eq!(folder.read("a/b.json", 1), Err(FetchError::TooLarge { max_bytes: 1 }));
        for outside in ["../secret", "/etc/passwd", "a/../../secret", "a/link.json", "", "./a"] {
            assert_eq!(folder.read(outside, 9), Err(FetchError::Outside), "{outside}");
        }
        for absent in ["a", "c.json", "a/b.json/c"] {
            assert_eq!(folder.read(absent, 9), Err(FetchError::NotFound), "{absent}");
        }
        assert!(Folder::open(&root.join("a/b.json")).is_err());
        assert!(Folder::open(&root.join("none")).is_err());
    }
}
