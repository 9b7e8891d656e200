//! The place where a tool works: a copy of the workspace in which only the record's scope can be written, and the tree
//! as the tool left it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use edit::Text;
use snapshot::{Entry, File, RelPath, Snapshot};
use workspace::{Extent, OpenMode, Options, Workspace};

use super::runs::{RunFolder, RunFolders};
use measure::ScopeEntry;

const TREE: &str = "tree";
const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
const PLACEHOLDER_MODE: u32 = 0o644;

/// A copy of the workspace, removed when it goes out of use.
pub(super) struct Scratch {
    folder: RunFolder,
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
pub(super) enum TreeCopyError {
    #[error("cannot make a copy of the workspace in {}: {source}", .directory.display())]
    Directory { directory: PathBuf, source: io::Error },
    #[error(transparent)]
    Copy(#[from] workspace::ScratchError),
    #[error("the copy of the workspace cannot be read: {0}")]
    Scan(#[from] workspace::ScanError),
    #[error("the scope {entry} leads through {link}, which is a link")]
    ThroughLink { entry: ScopeEntry, link: RelPath },
    #[error("the scope {entry} leads through {file}, which is not a directory")]
    ThroughFile { entry: ScopeEntry, file: RelPath },
    #[error("the tool left something that cannot be measured: {path}: {reason}")]
    Unreadable { path: String, reason: String },
}

impl Scratch {
    /// Copies the tree into a fresh folder beneath `runs` and opens the scope.
    pub(super) fn new(
        runs: &Path,
        tree: &Snapshot,
        scope: &[ScopeEntry],
        max_file_size: u64,
    ) -> Result<Scratch, TreeCopyError> {
        let failed = |source| TreeCopyError::Directory { directory: runs.to_owned(), source };
        let mut opened = Opened { entries: tree.to_entries(), placeholders: BTreeSet::new() };
        for entry in scope {
            opened.open(entry)?;
        }
        let folder = RunFolders::open(runs).and_then(|runs| runs.create()).map_err(failed)?;
        for name in [HOME, TEMPORARY] {
            folder.make(name).map_err(failed)?;
        }
        let directory = folder.make(TREE).map_err(failed)?;
        let copied = Snapshot::new(opened.entries)
            .map_err(|error| failed(io::Error::new(io::ErrorKind::NotADirectory, error)))?;
        workspace::write_copy(&copied, directory.as_fd())?;
        let mut scratch = Scratch {
            folder,
            before: Snapshot::default(),
            writable: Vec::new(),
            placeholders: opened.placeholders,
            max_file_size,
        };
        let tree = scratch.tree();
        scratch.writable = scope.iter().map(|entry| tree.join(entry.path().as_str())).collect();
        scratch.writable.sort();
        scratch.writable.dedup();
        scratch.before = scratch.read()?;
        Ok(scratch)
    }

    /// The copy of the workspace.
    pub(super) fn tree(&self) -> PathBuf {
        self.folder.path().join(TREE)
    }

    /// An empty directory of the tool's own.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join(HOME)
    }

    /// Another one, for what is temporary.
    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.path().join(TEMPORARY)
    }

    /// The trees before and after, without the placeholders that were not used.
    pub(super) fn compare(&self) -> Result<(Snapshot, Snapshot), TreeCopyError> {
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

    fn read(&self) -> Result<Snapshot, TreeCopyError> {
        let failed = |source| TreeCopyError::Directory { directory: self.tree(), source };
        let options =
            Options { max_file_size: self.max_file_size, ..Options::new(OpenMode::ReadOnly) };
        if !self.folder.is_in_place() {
            return Err(failed(io::Error::other("it was moved away during the run")));
        }
        let copy = Workspace::open(&self.tree(), None, options).map_err(failed)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let scanned = copy.scan_extent(jobs, Extent::Everything)?;
        match scanned.skipped.into_iter().next() {
            None => Ok(scanned.snapshot),
            Some(it) => Err(TreeCopyError::Unreadable { path: it.path, reason: it.reason }),
        }
    }
}

/// What the copy holds: the tree, and what must stand in it so that the scope can be written.
struct Opened {
    entries: BTreeMap<RelPath, Entry>,
    placeholders: BTreeSet<RelPath>,
}

impl Opened {
    fn open(&mut self, entry: &ScopeEntry) -> Result<(), TreeCopyError> {
        let path = entry.path();
        for place in path.ancestors().chain([path.clone()]) {
            match self.entries.get(&place) {
                Some(Entry::Link { .. }) => {
                    return Err(TreeCopyError::ThroughLink { entry: entry.clone(), link: place });
                }
                Some(Entry::File(_) | Entry::Unread { .. })
                    if entry.is_directory() || &place != path =>
                {
                    return Err(TreeCopyError::ThroughFile { entry: entry.clone(), file: place });
                }
                _ => {}
            }
        }
        if self.entries.contains_key(path) || self.is_implied(path) {
            return Ok(());
        }
        let needed = if entry.is_directory() {
            Entry::Directory
        } else {
            self.placeholders.insert(path.clone());
            Entry::File(File::new(Text::new(Vec::new()), PLACEHOLDER_MODE))
        };
        self.entries.insert(path.clone(), needed);
        Ok(())
    }

    /// Whether something lies beneath the path.
    fn is_implied(&self, path: &RelPath) -> bool {
        let beneath = format!("{path}/");
        let mut after =
            self.entries.range::<str, _>((Bound::Included(beneath.as_str()), Bound::Unbounded));
        after.next().is_some_and(|(next, _)| next.as_str().starts_with(&beneath))
    }
}
