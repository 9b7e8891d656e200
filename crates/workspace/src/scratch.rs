//! A copy of a tree in a directory of our own, for programs that want files and not values. What such a program does
//! to the copy reaches the workspace only as a change that is compared, judged and committed.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
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
///
/// Nothing is written outside of the directory: every name is reached from the open directory above it, and no link
/// is followed. A link that the snapshot itself plants has nothing beneath it, because a [`Snapshot`] has entries
/// beneath directories only; one that stands there already is an error.
pub fn write_copy(snapshot: &Snapshot, directory: BorrowedFd<'_>) -> Result<(), ScratchError> {
    let mut above = Above { root: directory, open: None };
    for (path, entry) in snapshot.iter() {
        write_entry(&mut above, path, entry)
            .map_err(|source| ScratchError { path: path.clone(), source })?;
    }
    Ok(())
}

fn write_entry(above: &mut Above<'_>, path: &RelPath, entry: &Entry) -> io::Result<()> {
    let (parent, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    match entry {
        Entry::File(file) => {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let copy =
                rustix::fs::openat(above.open(parent)?, name, flags, Mode::RUSR | Mode::WUSR)?;
            let mut copy = fs::File::from(copy);
            copy.write_all(file.text().bytes())?;
            // Bits that change whom a program runs as have no place in a copy.
            copy.set_permissions(fs::Permissions::from_mode(file.mode & 0o777))
        }
        Entry::Link { target } => Ok(rustix::fs::symlinkat(target, above.open(parent)?, name)?),
        Entry::Directory => above.open(path.as_str()).map(drop),
        Entry::Unread { .. } => Ok(()),
    }
}

/// The directory of the last entry, which is mostly that of the next one too.
struct Above<'a> {
    root: BorrowedFd<'a>,
    open: Option<(String, OwnedFd)>,
}

impl Above<'_> {
    /// Opens the directory, name by name, and makes what is not there.
    fn open(&mut self, path: &str) -> io::Result<BorrowedFd<'_>> {
        if path.is_empty() {
            return Ok(self.root);
        }
        if self.open.as_ref().is_none_or(|(last, _)| last != path) {
            let mut opened: Option<OwnedFd> = None;
            for name in path.split('/') {
                let above = opened.as_ref().map_or(self.root, AsFd::as_fd);
                opened = Some(enter(above, name)?);
            }
            self.open = opened.map(|it| (path.to_owned(), it));
        }
        Ok(self.open.as_ref().map_or(self.root, |(_, opened)| opened.as_fd()))
    }
}

fn enter(above: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    match rustix::fs::mkdirat(above, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(above, name, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use edit::Text;
    use snapshot::File;

    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;
    use crate::{Extent, OpenMode, Options, Workspace};

    #[test]
    fn a_copy_is_read_back_as_it_was() {
        let path = |it: &str| RelPath::parse(it).unwrap();
        let file =
            |text: &str, mode| Entry::File(File::new(Text::new(text.as_bytes().to_vec()), mode));
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
        write_copy(&snapshot, open(directory.path()).as_fd()).unwrap();
        let workspace =
            Workspace::open(directory.path(), None, Options::new(OpenMode::ReadOnly)).unwrap();
        let everything = workspace.scan_extent(2, Extent::Everything).unwrap();
        assert_eq!(everything.snapshot.to_entries(), snapshot.to_entries());
        let sources = workspace.scan(2).unwrap();
        assert!(sources.snapshot.file(&path("build/out")).is_none());
    }

    #[test]
    fn what_stands_there_is_never_written_over() {
        let entry = Entry::File(File::new(Text::new(b"new".to_vec()), 0o644));
        let path = RelPath::parse("a").unwrap();
        let snapshot = Snapshot::new(BTreeMap::from([(path, entry)])).unwrap();
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a"), "old").unwrap();
        assert!(write_copy(&snapshot, open(directory.path()).as_fd()).is_err());
        assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"old");
    }

    fn open(directory: &Path) -> fs::File {
        fs::File::open(directory).unwrap()
    }

    fn path(path: &str) -> RelPath {
        RelPath::parse(path).unwrap()
    }

    fn file(text: &str) -> Entry {
        Entry::File(File::new(Text::new(text.as_bytes().to_vec()), 0o644))
    }

    /// What would be written through a link is in no snapshot: there is none with a link and something beneath it.
    #[test]
    fn a_snapshot_has_nothing_beneath_its_own_links() {
        for target in ["/tmp/x", "..", ".", "elsewhere", ""] {
            for beneath in ["a/b", "a/b/c", "a/a"] {
                for entry in [file("x"), Entry::Directory, Entry::Link { target: "y".to_owned() }] {
                    let link = Entry::Link { target: target.to_owned() };
                    let entries = BTreeMap::from([(path("a"), link), (path(beneath), entry)]);
                    let error = Snapshot::new(entries).unwrap_err();
                    assert_eq!((error.file, error.beneath), (path("a"), path(beneath)));
                }
            }
        }
    }

    /// Links that lead out are copied, and nothing is written through them, wherever they sort.
    #[test]
    fn links_that_a_snapshot_plants_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let (copy, outside) = (home.path().join("copy"), home.path().join("outside"));
        fs::create_dir(&copy).unwrap();
        fs::create_dir(&outside).unwrap();
        let link = |target: &str| Entry::Link { target: target.to_owned() };
        let entries = BTreeMap::from([
            (path("a"), link("../outside")),
            (path("a-"), link(outside.to_str().unwrap())),
            (path("a.b/c"), file("beside")),
            (path("a0/a"), link("../../outside")),
            (path("a0/a-/b"), file("beside")),
            (path("A/b"), file("beside")),
            (path("z/a"), link("..")),
            (path("z/a1/b"), file("beside")),
        ]);
        let snapshot = Snapshot::new(entries).unwrap();
        write_copy(&snapshot, open(&copy).as_fd()).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
        assert_eq!(fs::read_link(copy.join("a")).unwrap(), Path::new("../outside"));
        assert_eq!(fs::read(copy.join("z/a1/b")).unwrap(), b"beside");
    }

    /// A link that stands there already, at any level of the path, is an error and leads nowhere.
    #[test]
    fn links_that_stand_there_are_not_followed() {
        for (entry_path, standing) in
            [("a", "a"), ("a/b", "a"), ("a/b/c", "a"), ("a/b/c", "a/b"), ("a/b/c", "a/b/c")]
        {
            for entry in [file("x"), Entry::Directory, Entry::Link { target: "y".to_owned() }] {
                let home = tempfile::tempdir().unwrap();
                let (copy, outside) = (home.path().join("copy"), home.path().join("outside"));
                fs::create_dir_all(copy.join(standing).parent().unwrap()).unwrap();
                fs::create_dir_all(outside.join("b")).unwrap();
                symlink(&outside, copy.join(standing)).unwrap();
                let entries = BTreeMap::from([(path(entry_path), entry)]);
                let snapshot = Snapshot::new(entries).unwrap();
                let error = write_copy(&snapshot, open(&copy).as_fd()).unwrap_err();
                assert_eq!(error.path, path(entry_path));
                assert_eq!(fs::read_dir(outside.join("b")).unwrap().count(), 0, "{entry_path}");
                assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{entry_path}");
                assert_eq!(fs::read_link(copy.join(standing)).unwrap(), outside);
            }
        }
    }

    /// The directory is the one that was opened, whatever becomes of its name.
    #[test]
    fn a_name_that_is_swapped_leads_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let (copy, outside) = (home.path().join("copy"), home.path().join("outside"));
        fs::create_dir(&copy).unwrap();
        fs::create_dir(&outside).unwrap();
        let opened = open(&copy);
        fs::rename(&copy, home.path().join("moved")).unwrap();
        symlink(&outside, &copy).unwrap();
        let snapshot = Snapshot::new(BTreeMap::from([(path("a/b"), file("x"))])).unwrap();
        write_copy(&snapshot, opened.as_fd()).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert_eq!(fs::read(home.path().join("moved/a/b")).unwrap(), b"x");
    }

    #[test]
    fn no_bit_that_changes_whom_a_program_runs_as_is_copied() {
        let entry = Entry::File(File::new(Text::new(Vec::new()), 0o106_755));
        let snapshot = Snapshot::new(BTreeMap::from([(path("a"), entry)])).unwrap();
        let directory = tempfile::tempdir().unwrap();
        write_copy(&snapshot, open(directory.path()).as_fd()).unwrap();
        let mode = fs::metadata(directory.path().join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o755);
    }
}
