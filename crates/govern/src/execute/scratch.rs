//! The place where a tool works: a copy of the workspace in which only the record's scope can be written, and the tree
//! as the tool left it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use snapshot::{Entry, RelPath, Snapshot};
use workspace::{Access, Extent, Options, Workspace};

use crate::scope::ScopeEntry;

/// A copy of the workspace, removed when it goes out of use.
pub(super) struct Scratch {
    directory: PathBuf,
    /// The tree before the tool ran, as it is in the copy.
    pub(super) before: Snapshot,
    /// What the tool may write.
    pub(super) writable: Vec<PathBuf>,
    /// Empty files that stand where the scope names a file that does not exist: a file can be made writable only if it
    /// is there.
    placeholders: BTreeSet<RelPath>,
    max_file_size: u64,
}

/// Why there is no copy, or nothing can be said about what became of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum ScratchError {
    #[error("cannot make a copy of the workspace in {}: {source}", .directory.display())]
    Directory { directory: PathBuf, source: io::Error },
    #[error(transparent)]
    Copy(#[from] workspace::ScratchError),
    #[error("the copy of the workspace cannot be read: {0}")]
    Scan(#[from] workspace::ScanError),
    #[error("the scope {entry} leads through {link}, which is a link")]
    ThroughLink { entry: ScopeEntry, link: RelPath },
    #[error("the scope {entry} leads through {file}, which is no directory")]
    ThroughFile { entry: ScopeEntry, file: RelPath },
    #[error("the tool left something that cannot be judged: {path}: {reason}")]
    Unreadable { path: String, reason: String },
}

impl Scratch {
    /// Copies the tree into a fresh directory and opens the scope.
    pub(super) fn new(
        directory: PathBuf,
        tree: &Snapshot,
        scope: &[ScopeEntry],
        max_file_size: u64,
    ) -> Result<Scratch, ScratchError> {
        let failed = |source| ScratchError::Directory { directory: directory.clone(), source };
        remove(&directory).map_err(failed)?;
        for folder in ["tree", "home", "tmp"] {
            fs::create_dir_all(directory.join(folder)).map_err(failed)?;
        }
        // A scope is named without links on the way to it, wherever the workspace was reached from.
        let directory = fs::canonicalize(&directory).map_err(failed)?;
        workspace::write_copy(tree, &directory.join("tree"))?;
        let mut scratch = Scratch {
            directory,
            before: Snapshot::default(),
            writable: Vec::new(),
            placeholders: BTreeSet::new(),
            max_file_size,
        };
        for entry in scope {
            scratch.open(entry, tree)?;
        }
        scratch.writable.sort();
        scratch.writable.dedup();
        scratch.before = scratch.read()?;
        Ok(scratch)
    }

    /// The copy of the workspace.
    pub(super) fn tree(&self) -> PathBuf {
        self.directory.join("tree")
    }

    /// An empty directory of the tool's own.
    pub(super) fn home(&self) -> PathBuf {
        self.directory.join("home")
    }

    /// Another one, for what is temporary.
    pub(super) fn temporary(&self) -> PathBuf {
        self.directory.join("tmp")
    }

    /// The trees before and after, without the placeholders that were not used.
    pub(super) fn compare(&self) -> Result<(Snapshot, Snapshot), ScratchError> {
        let after = self.read()?;
        let (mut old, mut new) = (self.before.to_entries(), after.to_entries());
        for path in &self.placeholders {
            if new.get(path) == old.get(path) {
                new.remove(path);
            }
            old.remove(path);
        }
        let tree = |entries| Snapshot::new(entries).expect("fewer entries are a tree as well");
        Ok((tree(old), tree(new)))
    }

    fn open(&mut self, entry: &ScopeEntry, tree: &Snapshot) -> Result<(), ScratchError> {
        for place in entry.path().ancestors().chain([entry.path().clone()]) {
            match tree.get(&place) {
                Some(Entry::Link { .. }) => {
                    return Err(ScratchError::ThroughLink { entry: entry.clone(), link: place });
                }
                Some(Entry::File(_) | Entry::Unread { .. })
                    if entry.is_directory() || &place != entry.path() =>
                {
                    return Err(ScratchError::ThroughFile { entry: entry.clone(), file: place });
                }
                _ => {}
            }
        }
        let target = self.tree().join(entry.path().as_str());
        let failed = |source| ScratchError::Directory { directory: target.clone(), source };
        if entry.is_directory() {
            fs::create_dir_all(&target).map_err(failed)?;
        } else if tree.get(entry.path()).is_none() && !tree.is_directory(entry.path()) {
            fs::create_dir_all(target.parent().unwrap_or(&target)).map_err(failed)?;
            fs::File::create_new(&target).map_err(failed)?;
            self.placeholders.insert(entry.path().clone());
        }
        self.writable.push(target);
        Ok(())
    }

    fn read(&self) -> Result<Snapshot, ScratchError> {
        let failed = |source| ScratchError::Directory { directory: self.tree(), source };
        let options =
            Options { max_file_size: self.max_file_size, ..Options::new(Access::ReadOnly) };
        let copy = Workspace::open(&self.tree(), None, options).map_err(failed)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let scanned = copy.scan_extent(jobs, Extent::Everything)?;
        match scanned.skipped.into_iter().next() {
            None => Ok(scanned.snapshot),
            Some(it) => Err(ScratchError::Unreadable { path: it.path, reason: it.reason }),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is removed by the next run of the same record.
        let _ = remove(&self.directory);
    }
}

/// Removes a copy that was left behind, also where the tool took its own permissions away.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_directories(directory)?;
            fs::remove_dir_all(directory)
        }
        result => result,
    }
}

/// Gives the owner access to every directory. Links are not followed.
fn open_directories(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        fs::set_permissions(&next, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    Ok(())
}
