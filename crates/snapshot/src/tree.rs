//! A tree of files at one moment. Partial trees are normal: a snapshot holds what was loaded, and what it does not
//! hold is unknown, not absent, except where it was made by a scan.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use edit::{ContentHash, Text};

use crate::path::RelPath;

/// A regular file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its bytes and their hash.
    pub text: Text,
    /// Its permission bits.
    pub mode: u32,
}

/// Why a file's bytes are not in the snapshot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnreadReason {
    /// It is larger than the limit.
    TooLarge,
    /// Only its name was wanted.
    Listed,
    /// It is a pipe, a socket or a device.
    Special,
}

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A regular file that was read.
    File(File),
    /// A symbolic link, with the text of its target.
    Link {
        /// The target as the link spells it.
        target: String,
    },
    /// A directory. Directories that hold entries need no entry of their own.
    Directory,
    /// Something that was seen and not read.
    Unread {
        /// Its size in bytes, as far as known.
        size: u64,
        /// Why it was not read.
        reason: UnreadReason,
    },
}

/// Something stands beneath an entry that is not a directory.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file} is not a directory, but {beneath} lies beneath it")]
pub struct FileAsDirectory {
    /// The entry that is not a directory.
    pub file: RelPath,
    /// The entry beneath it.
    pub beneath: RelPath,
}

/// The entries of a workspace at one moment, by path. Only directories have entries beneath them.
#[derive(Clone, Default)]
pub struct Snapshot {
    entries: Arc<BTreeMap<RelPath, Entry>>,
    /// For lookup only: case-folded path → every spelling of it, directories that are only implied included.
    folded: OnceLock<Arc<BTreeMap<String, Vec<RelPath>>>>,
}

impl Snapshot {
    /// Takes the entries, or names an entry that lies beneath a file.
    pub fn new(entries: BTreeMap<RelPath, Entry>) -> Result<Snapshot, FileAsDirectory> {
        for path in entries.keys() {
            if let Some(file) = blocking_ancestor(&entries, path) {
                return Err(FileAsDirectory { file, beneath: path.clone() });
            }
        }
        Ok(Snapshot { entries: Arc::new(entries), folded: OnceLock::new() })
    }

    /// What stands at the path.
    pub fn get(&self, path: &RelPath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// The file at the path, if it was read.
    pub fn file(&self, path: &RelPath) -> Option<&File> {
        match self.entries.get(path) {
            Some(Entry::File(file)) => Some(file),
            _ => None,
        }
    }

    /// The entries in the order of their paths.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&RelPath, &Entry)> {
        self.entries.iter()
    }

    /// The files that were read, in the order of their paths.
    pub fn files(&self) -> impl DoubleEndedIterator<Item = (&RelPath, &File)> {
        self.iter().filter_map(|(path, entry)| match entry {
            Entry::File(file) => Some((path, file)),
            _ => None,
        })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a directory stands at the path, by its own entry or because something lies beneath it.
    pub fn is_directory(&self, path: &RelPath) -> bool {
        match self.get(path) {
            Some(entry) => *entry == Entry::Directory,
            None => has_beneath(&self.entries, path),
        }
    }

    /// The nearest ancestor of the path that is known not to be a directory.
    pub fn blocking_ancestor(&self, path: &RelPath) -> Option<RelPath> {
        blocking_ancestor(&self.entries, path)
    }

    /// A path in the snapshot that a case-insensitive file system would take for `path`, or for one of the
    /// directories above it, although it is spelled differently (CS-35).
    pub fn case_collision(&self, path: &RelPath) -> Option<&RelPath> {
        let folded = self.folded();
        let spellings =
            |it: &RelPath| folded.get(&it.case_folded()).map(Vec::as_slice).unwrap_or_default();
        std::iter::once(path.clone())
            .chain(path.ancestors())
            // What exists with this very spelling is not new, and neither is anything above it.
            .take_while(|it| !spellings(it).contains(it))
            .filter_map(|it| spellings(&it).first())
            .last()
    }

    /// Like [`Snapshot::case_collision`], for a path that is itself in the snapshot.
    pub(crate) fn case_twin(&self, path: &RelPath) -> Option<&RelPath> {
        let folded = self.folded();
        std::iter::once(path.clone())
            .chain(path.ancestors())
            .filter_map(|it| folded.get(&it.case_folded())?.iter().find(|other| **other != it))
            .last()
    }

    fn folded(&self) -> &BTreeMap<String, Vec<RelPath>> {
        self.folded.get_or_init(|| Arc::new(fold_all(&self.entries)))
    }

    /// A hash of the links and files with their modes, whatever else was listed. Equal trees have equal hashes in
    /// every version that writes the same tag.
    pub fn hash(&self) -> ContentHash {
        let mut bytes = b"regreen snapshot v1\n".to_vec();
        for (path, entry) in self.iter() {
            let mut field = |tag: u8, mode: u32, content: &[u8]| {
                bytes.push(tag);
                bytes.extend_from_slice(&(path.as_str().len() as u64).to_le_bytes());
                bytes.extend_from_slice(path.as_str().as_bytes());
                bytes.extend_from_slice(&mode.to_le_bytes());
                bytes.extend_from_slice(ContentHash::of(content).as_bytes());
            };
            match entry {
                Entry::File(file) => field(b'f', file.mode, file.text.hash().as_bytes()),
                Entry::Link { target } => field(b'l', 0, target.as_bytes()),
                Entry::Unread { size, reason: UnreadReason::TooLarge } => {
                    field(b'u', 0, &size.to_le_bytes())
                }
                Entry::Directory | Entry::Unread { .. } => {}
            }
        }
        ContentHash::of(&bytes)
    }

    /// The same entries as a map, to make another snapshot from.
    pub fn to_entries(&self) -> BTreeMap<RelPath, Entry> {
        (*self.entries).clone()
    }
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Snapshot {}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn blocking_ancestor(entries: &BTreeMap<RelPath, Entry>, path: &RelPath) -> Option<RelPath> {
    let ends = path.as_str().rmatch_indices('/').map(|(at, _)| at);
    ends.filter_map(|end| entries.get_key_value(&path.as_str()[..end]))
        .find(|(_, entry)| **entry != Entry::Directory)
        .map(|(ancestor, _)| ancestor.clone())
}

fn has_beneath(entries: &BTreeMap<RelPath, Entry>, path: &RelPath) -> bool {
    let from = format!("{path}/");
    entries
        .range::<str, _>((Bound::Included(from.as_str()), Bound::Unbounded))
        .next()
        .is_some_and(|(first, _)| path.contains(first))
}

fn fold_all(entries: &BTreeMap<RelPath, Entry>) -> BTreeMap<String, Vec<RelPath>> {
    let mut folded: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
    for path in entries.keys() {
        for it in std::iter::once(path.clone()).chain(path.ancestors()) {
            let spellings = folded.entry(it.case_folded()).or_default();
            if spellings.contains(&it) {
                break; // The directories above a known one are known too.
            }
            spellings.push(it);
        }
    }
    folded
}
