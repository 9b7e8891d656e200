//! A tree of files at one moment. Partial trees are normal: a snapshot holds what was loaded, and what it does not
//! hold is unknown, not absent, except where it was made by a scan.
//!
//! What was only listed is looked at when it is asked for, and its bytes are read when those are. A snapshot answers every
//! question in the same way whether its files were listed or read; only what it costs is different.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use edit::ContentHash;

use crate::file::{Contents, File};
use crate::path::RelPath;

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
    /// A regular file that can be read.
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

/// An entry, or the place of one in a listing. Small, because most files of a tree are never looked at.
#[derive(Clone)]
pub(crate) enum Slot {
    Known(Box<Entry>),
    Listed { listing: Arc<Listing>, nth: u32 },
}

const _: () = assert!(size_of::<Slot>() == 16);

/// Files that were listed, each with what was found at its path when somebody first asked.
pub(crate) struct Listing {
    source: Arc<dyn Contents>,
    found: Vec<OnceLock<Option<Box<Entry>>>>,
}

impl Slot {
    pub(crate) fn known(entry: Entry) -> Slot {
        Slot::Known(Box::new(entry))
    }

    /// What stands there; `None` if it went away since it was listed.
    fn entry(&self, path: &RelPath) -> Option<&Entry> {
        match self {
            Slot::Known(entry) => Some(entry),
            Slot::Listed { listing, nth } => listing.found[*nth as usize]
                .get_or_init(|| Arc::clone(&listing.source).entry(path).map(Box::new))
                .as_deref(),
        }
    }

    fn file(&self, path: &RelPath) -> Option<&File> {
        match self.entry(path) {
            Some(Entry::File(file)) => Some(file),
            _ => None,
        }
    }

    /// Whether it is a directory. What was listed is none.
    fn is_directory(&self) -> bool {
        matches!(self, Slot::Known(entry) if **entry == Entry::Directory)
    }

    /// Whether both are the same place of one listing.
    fn is_twin(&self, other: &Slot) -> bool {
        match (self, other) {
            (
                Slot::Listed { listing, nth },
                Slot::Listed { listing: other_listing, nth: other_nth },
            ) => Arc::ptr_eq(listing, other_listing) && nth == other_nth,
            _ => false,
        }
    }

    fn is_same(&self, path: &RelPath, other: &Slot) -> bool {
        self.is_twin(other) || self.entry(path) == other.entry(path)
    }

    /// Whether it is as another was that stood at the same path, as far as anybody looked at that.
    fn is_as(&self, path: &RelPath, before: &Slot) -> bool {
        if self.is_twin(before) {
            return true;
        }
        if let Slot::Listed { listing, nth } = before
            && listing.found[*nth as usize].get().is_none()
        {
            return match self {
                Slot::Listed { .. } => true,
                Slot::Known(entry) => matches!(&**entry, Entry::File(file) if file.is_lazy()),
            };
        }
        match (self.entry(path), before.entry(path)) {
            (Some(Entry::File(file)), Some(Entry::File(before))) => file.is_as(before),
            (entry, before) => entry == before,
        }
    }
}

/// The entries of a workspace at one moment, by path. Only directories have entries beneath them.
#[derive(Clone, Default)]
pub struct Snapshot {
    pub(crate) slots: Arc<BTreeMap<RelPath, Slot>>,
    /// For lookup only: case-folded path → every spelling of it, directories that are only implied included.
    folded: OnceLock<Arc<BTreeMap<String, Vec<RelPath>>>>,
}

impl Snapshot {
    /// Takes the entries, or names an entry that lies beneath a file.
    pub fn new(entries: BTreeMap<RelPath, Entry>) -> Result<Snapshot, FileAsDirectory> {
        let slots = entries.into_iter().map(|(path, entry)| (path, Slot::known(entry)));
        Snapshot::of_slots(slots.collect())
    }

    /// Takes the entries, and the paths of files that the source looks at when somebody asks.
    pub fn listed(
        entries: BTreeMap<RelPath, Entry>,
        listed: Vec<RelPath>,
        source: Arc<dyn Contents>,
    ) -> Result<Snapshot, FileAsDirectory> {
        let found = listed.iter().map(|_| OnceLock::new()).collect();
        let listing = Arc::new(Listing { source, found });
        let slot = |nth| Slot::Listed { listing: Arc::clone(&listing), nth };
        let listed = listed.into_iter().zip(0..).map(|(path, nth)| (path, slot(nth)));
        let known = entries.into_iter().map(|(path, entry)| (path, Slot::known(entry)));
        Snapshot::of_slots(listed.chain(known).collect())
    }

    pub(crate) fn of_slots(slots: BTreeMap<RelPath, Slot>) -> Result<Snapshot, FileAsDirectory> {
        // Paths in one folder follow one another, for the most part: its ancestors are looked up once.
        let mut last = None;
        for path in slots.keys() {
            let folder = path.as_str().rsplit_once('/').map(|it| it.0);
            if folder == last {
                continue;
            }
            if let Some(file) = blocking_ancestor(&slots, path) {
                return Err(FileAsDirectory { file, beneath: path.clone() });
            }
            last = folder;
        }
        Ok(Snapshot { slots: Arc::new(slots), folded: OnceLock::new() })
    }

    /// The same with these entries, in place of what stood at their paths.
    pub fn with(
        self,
        entries: impl IntoIterator<Item = (RelPath, Entry)>,
    ) -> Result<Snapshot, FileAsDirectory> {
        let entries = entries.into_iter().map(|(path, entry)| (path, Slot::known(entry)));
        self.altered(|slots| slots.extend(entries))
    }

    /// The same without what stands at these paths.
    #[must_use]
    pub fn without<'a>(self, paths: impl IntoIterator<Item = &'a RelPath>) -> Snapshot {
        let remove = |slots: &mut BTreeMap<RelPath, Slot>| {
            paths.into_iter().for_each(|path| drop(slots.remove(path)));
        };
        self.altered(remove).expect("nothing came in")
    }

    /// The entries whose paths are taken.
    #[must_use]
    pub fn only(self, takes: impl Fn(&RelPath) -> bool) -> Snapshot {
        self.altered(|slots| slots.retain(|path, _| takes(path))).expect("nothing came in")
    }

    /// What stands at these paths.
    #[must_use]
    pub fn part(&self, paths: &BTreeSet<RelPath>) -> Snapshot {
        let slots = paths.iter().filter_map(|path| self.slots.get_key_value(path));
        let slots = slots.map(|(path, slot)| (path.clone(), slot.clone())).collect();
        Snapshot { slots: Arc::new(slots), folded: OnceLock::new() }
    }

    /// The same with the entries of another tree at paths at which nothing stands.
    pub fn joined(self, other: &Snapshot) -> Result<Snapshot, FileAsDirectory> {
        self.altered(|slots| {
            for (path, slot) in &*other.slots {
                slots.entry(path.clone()).or_insert_with(|| slot.clone());
            }
        })
    }

    fn altered(
        self,
        alter: impl FnOnce(&mut BTreeMap<RelPath, Slot>),
    ) -> Result<Snapshot, FileAsDirectory> {
        let mut slots = Arc::unwrap_or_clone(self.slots);
        alter(&mut slots);
        Snapshot::of_slots(slots)
    }

    /// What stands at the path.
    pub fn get(&self, path: &RelPath) -> Option<&Entry> {
        self.slots.get(path)?.entry(path)
    }

    /// The file at the path, if it can be read.
    pub fn file(&self, path: &RelPath) -> Option<&File> {
        self.slots.get(path)?.file(path)
    }

    /// The paths of everything but directories, in order. Nothing is looked at.
    pub fn paths(&self) -> impl DoubleEndedIterator<Item = &RelPath> {
        self.slots.iter().filter(|(_, slot)| !slot.is_directory()).map(|(path, _)| path)
    }

    /// The paths of everything but directories in a folder, in order. Nothing is looked at.
    pub fn paths_in(&self, folder: &RelPath) -> impl Iterator<Item = &RelPath> {
        let from = format!("{folder}/");
        let range = (Bound::Included(from.as_str()), Bound::Unbounded);
        let inside = self.slots.range::<str, _>(range);
        let inside = inside.take_while(move |(path, _)| path.as_str().starts_with(&from));
        inside.filter(|(_, slot)| !slot.is_directory()).map(|(path, _)| path)
    }

    /// The entries in the order of their paths. Everything is looked at.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&RelPath, &Entry)> {
        self.iter_at(|_| true)
    }

    /// The entries at the paths that are wanted, in the order of their paths. Nothing else is looked at.
    pub fn iter_at(
        &self,
        wants: impl Fn(&RelPath) -> bool,
    ) -> impl DoubleEndedIterator<Item = (&RelPath, &Entry)> {
        let slots = self.slots.iter().filter(move |(path, _)| wants(path));
        slots.filter_map(|(path, slot)| Some((path, slot.entry(path)?)))
    }

    /// The files that can be read, in the order of their paths. Everything is looked at.
    pub fn files(&self) -> impl DoubleEndedIterator<Item = (&RelPath, &File)> {
        self.files_at(|_| true)
    }

    /// The files at the paths that are wanted, in the order of their paths. Nothing else is looked at.
    pub fn files_at(
        &self,
        wants: impl Fn(&RelPath) -> bool,
    ) -> impl DoubleEndedIterator<Item = (&RelPath, &File)> {
        let slots = self.slots.iter().filter(move |(path, _)| wants(path));
        slots.filter_map(|(path, slot)| Some((path, slot.file(path)?)))
    }

    /// The paths at which this tree is not as an earlier one was, as far as somebody asked about that: a file that nobody
    /// looked at then, and that is still listed, is not a difference.
    pub fn changed_since(&self, before: &Snapshot) -> BTreeSet<RelPath> {
        self.differing(before, &|path, slot, before| slot.is_as(path, before))
    }

    /// The paths at which two trees differ at all. What both have from one listing is not looked at.
    pub(crate) fn differs_at(&self, other: &Snapshot) -> BTreeSet<RelPath> {
        self.differing(other, &|path, slot, other| slot.is_same(path, other))
    }

    fn differing(
        &self,
        other: &Snapshot,
        is_same: &dyn Fn(&RelPath, &Slot, &Slot) -> bool,
    ) -> BTreeSet<RelPath> {
        let mut differing = BTreeSet::new();
        if Arc::ptr_eq(&self.slots, &other.slots) {
            return differing;
        }
        let (mut own, mut others) = (self.slots.iter().peekable(), other.slots.iter().peekable());
        loop {
            let path = match (own.peek(), others.peek()) {
                (None, None) => return differing,
                (Some((path, _)), None) | (None, Some((path, _))) => *path,
                (Some((left, _)), Some((right, _))) => *left.min(right),
            };
            let left = own.next_if(|(it, _)| *it == path).map(|(_, slot)| slot);
            let right = others.next_if(|(it, _)| *it == path).map(|(_, slot)| slot);
            if !left.zip(right).is_some_and(|(left, right)| is_same(path, left, right)) {
                differing.insert(path.clone());
            }
        }
    }

    /// Whether a directory stands at the path, by its own entry or because something lies beneath it.
    pub fn is_directory(&self, path: &RelPath) -> bool {
        match self.slots.get(path) {
            Some(slot) => slot.is_directory(),
            None => has_beneath(&self.slots, path),
        }
    }

    /// Whether something stands at the path, whatever it is. Nothing is looked at.
    pub fn has(&self, path: &RelPath) -> bool {
        self.slots.contains_key(path)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The nearest ancestor of the path that is known not to be a directory.
    pub fn blocking_ancestor(&self, path: &RelPath) -> Option<RelPath> {
        blocking_ancestor(&self.slots, path)
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
        self.folded.get_or_init(|| Arc::new(fold_all(&self.slots)))
    }

    /// A hash of the links and files with their modes, whatever else was listed. Equal trees have equal hashes in
    /// every version that writes the same tag. Every file is read whose hash is not known.
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
                Entry::File(file) => field(b'f', file.mode, file.hash().as_bytes()),
                Entry::Link { target } => field(b'l', 0, target.as_bytes()),
                Entry::Unread { size, reason: UnreadReason::TooLarge } => {
                    field(b'u', 0, &size.to_le_bytes())
                }
                Entry::Directory | Entry::Unread { .. } => {}
            }
        }
        ContentHash::of(&bytes)
    }

    /// The same entries as a map, to make another snapshot from. Everything is looked at.
    pub fn to_entries(&self) -> BTreeMap<RelPath, Entry> {
        self.iter().map(|(path, entry)| (path.clone(), entry.clone())).collect()
    }
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        self.differs_at(other).is_empty()
    }
}

impl Eq for Snapshot {}

/// Shows what is known and looks at nothing.
impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_map();
        for (path, slot) in &*self.slots {
            match slot {
                Slot::Known(entry) => shown.entry(path, entry),
                Slot::Listed { .. } => shown.entry(path, &format_args!("listed")),
            };
        }
        shown.finish()
    }
}

fn blocking_ancestor(slots: &BTreeMap<RelPath, Slot>, path: &RelPath) -> Option<RelPath> {
    let ends = path.as_str().rmatch_indices('/').map(|(at, _)| at);
    ends.filter_map(|end| slots.get_key_value(&path.as_str()[..end]))
        .find(|(_, slot)| !slot.is_directory())
        .map(|(ancestor, _)| ancestor.clone())
}

fn has_beneath(slots: &BTreeMap<RelPath, Slot>, path: &RelPath) -> bool {
    let from = format!("{path}/");
    slots
        .range::<str, _>((Bound::Included(from.as_str()), Bound::Unbounded))
        .next()
        .is_some_and(|(first, _)| path.contains(first))
}

fn fold_all(slots: &BTreeMap<RelPath, Slot>) -> BTreeMap<String, Vec<RelPath>> {
    let mut folded: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
    for path in slots.keys() {
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
