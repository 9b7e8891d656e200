//! A copy of a tree in a directory of our own, for programs that want files and not values. What such a program does
//! to the copy reaches the workspace only as a change that is compared, judged and committed.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use snapshot::{Entry, RelPath, Snapshot};

/// A file that could not be copied.
#[derive(Debug, thiserror::Error)]
#[error("cannot copy {path}: {source}")]
pub struct ScratchError {
    /// The file.
    pub path: RelPath,
    /// What the file system said.
    pub source: io::Error,
}

/// Writes the files and links of a snapshot into an empty directory that nobody else writes to. Files that were not
/// read are left out. Links are copied as they are: where they lead is for whoever confines the reader to judge.
pub fn write_copy(snapshot: &Snapshot, directory: &Path) -> Result<(), ScratchError> {
    for (path, entry) in snapshot.iter() {
        write_entry(&directory.join(path.as_str()), entry)
            .map_err(|source| ScratchError { path: path.clone(), source })?;
    }
    Ok(())
}

fn write_entry(target: &Path, entry: &Entry) -> io::Result<()> {
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    match entry {
        Entry::File(file) => {
            let mut options = fs::OpenOptions::new();
            let mut copy = options.write(true).create_new(true).mode(0o600).open(target)?;
            copy.write_all(file.text.bytes())?;
            // Bits that change whom a program runs as have no place in a copy.
            copy.set_permissions(fs::Permissions::from_mode(file.mode & 0o777))
        }
        Entry::Link { target: text } => symlink(text, target),
        Entry::Directory => fs::create_dir_all(target),
        Entry::Unread { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use edit::Text;
    use snapshot::File;

    use super::*;
    use crate::{Access, Extent, Options, Workspace};

    #[test]
    fn a_copy_is_read_back_as_it_was() {
        let path = |it: &str| RelPath::parse(it).unwrap();
        let file = |text: &str, mode| {
            Entry::File(File { text: Text::new(text.as_bytes().to_vec()), mode })
        };
        let entries = BTreeMap::from([
            (path(".gitignore"), file("build/\n", 0o644)),
            (path("build/out"), file("ignored\n", 0o644)),
            (path("src/tool.sh"), file("#!/bin/sh\n", 0o755)),
            (path("src/locked"), file("", 0o444)),
            (path("link"), Entry::Link { target: "src/tool.sh".to_owned() }),
            (path("away"), Entry::Link { target: "/nowhere".to_owned() }),
        ]);
        let snapshot = Snapshot::new(entries).unwrap();
        let directory = tempfile::tempdir().unwrap();
        write_copy(&snapshot, directory.path()).unwrap();
        let workspace =
            Workspace::open(directory.path(), None, Options::new(Access::ReadOnly)).unwrap();
        let everything = workspace.scan_extent(2, Extent::Everything).unwrap();
        assert_eq!(everything.snapshot.to_entries(), snapshot.to_entries());
        let sources = workspace.scan(2).unwrap();
        assert!(sources.snapshot.file(&path("build/out")).is_none());
    }

    #[test]
    fn what_stands_there_is_never_written_over() {
        let entry = Entry::File(File { text: Text::new(b"new".to_vec()), mode: 0o644 });
        let path = RelPath::parse("a").unwrap();
        let snapshot = Snapshot::new(BTreeMap::from([(path, entry)])).unwrap();
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a"), "old").unwrap();
        assert!(write_copy(&snapshot, directory.path()).is_err());
        assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"old");
    }
}
