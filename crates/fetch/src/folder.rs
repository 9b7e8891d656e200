//! Documents of a folder that somebody named. Nothing outside of it is read, wherever names and links lead.

use std::collections::BTreeMap;
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
            return Err(FetchError::Failed { message: "it is not a folder".to_owned() });
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

    /// The files beneath it, by their paths with `/` between names. Links to folders are not followed, and those to files
    /// that lie elsewhere are passed over.
    pub fn files(
        &self,
        max_files: usize,
        max_bytes: u64,
    ) -> Result<BTreeMap<String, Vec<u8>>, FetchError> {
        let failed = |it: std::io::Error| FetchError::Failed { message: it.to_string() };
        let mut found = BTreeMap::new();
        let mut folders = vec![String::new()];
        let mut n_entries = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(self.root.join(&folder)).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                n_entries += 1;
                if n_entries > max_files {
                    let message = format!("there are more than {max_files} files in it");
                    return Err(FetchError::Failed { message });
                }
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                if entry.file_type().map_err(failed)?.is_dir() {
                    folders.push(path);
                    continue;
                }
                match self.read(&path, max_bytes) {
                    Ok(bytes) => {
                        found.insert(path, bytes);
                    }
                    Err(FetchError::NotFound | FetchError::Outside) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    ///
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
        let files = folder.files(9, 9).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a/b.json", "a/inner.json"]);
        assert!(folder.files(2, 9).is_err(), "the folder and three entries");
        assert!(Folder::open(&root.join("a/b.json")).is_err());
        assert!(Folder::open(&root.join("none")).is_err());
    }
}
