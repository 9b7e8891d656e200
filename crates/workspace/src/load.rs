//! Reads just the files that a patch names, with what is needed to judge the patch: where links lead, what already
//! stands at a new path, and which names beside it differ only in case.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use edit::Text;
use snapshot::{Entry, File, FileAsDirectory, RelPath, Snapshot, UnreadReason};

use crate::fs::{EntryKind, Fs, Stat};
use crate::protection::{foreign, protection};
use crate::resolve::{PathRefusal, ResolveError, is_reserved, resolve_file, resolve_name};

/// What was found at the paths that were asked for.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The files, and the names beside those that do not exist. Places, not links: see `resolved`.
    pub snapshot: Snapshot,
    /// For every path that passes through a link: the place in the root that it means.
    pub resolved: BTreeMap<RelPath, RelPath>,
    /// The paths that are links themselves. What they point to can be edited; they cannot be renamed or deleted.
    pub links: BTreeSet<RelPath>,
    /// The paths that were refused; nothing was read for them.
    pub refused: BTreeMap<RelPath, PathRefusal>,
    /// The paths whose file cannot be changed, renamed or deleted, or made where it is not there yet: a commit would
    /// refuse it.
    pub unchangeable: BTreeMap<RelPath, PathRefusal>,
}

/// Why files could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file system reported an error.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: RelPath,
        /// What the file system said.
        source: io::Error,
    },
    /// A file became a directory, or the reverse, while it was read.
    #[error("the tree changed while it was read: {0}")]
    Moving(#[from] FileAsDirectory),
}

/// A snapshot under construction, with what was seen of every file.
#[derive(Default)]
pub(crate) struct Loader {
    entries: BTreeMap<RelPath, Entry>,
    pub(crate) stats: BTreeMap<RelPath, Stat>,
    listed: BTreeSet<Option<RelPath>>,
}

/// Loads the paths. A path that does not exist is not an error, it is just not in the snapshot.
pub(crate) fn load(fs: &dyn Fs, paths: &[RelPath], limit: u64) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    let mut loaded = Loaded::default();
    for path in paths {
        match load_one(fs, path, limit, &mut loader, &mut loaded) {
            Ok(()) => {}
            Err(ResolveError::Refused(refusal)) => {
                loaded.refused.insert(path.clone(), refusal);
            }
            Err(ResolveError::Io(source)) => {
                return Err(LoadError::Io { path: path.clone(), source });
            }
        }
    }
    loaded.snapshot = loader.finish()?;
    Ok(loaded)
}

fn load_one(
    fs: &dyn Fs,
    path: &RelPath,
    limit: u64,
    loader: &mut Loader,
    loaded: &mut Loaded,
) -> Result<(), ResolveError> {
    if is_reserved(path) {
        return Err(PathRefusal::Reserved.into());
    }
    let name = resolve_name(fs, path)?;
    if name.stat.is_some_and(|stat| stat.kind == EntryKind::Link) {
        loaded.links.insert(path.clone());
        loader.entries.insert(name.path.clone(), Entry::Link { target: fs.read_link(&name.path)? });
    }
    let place = resolve_file(fs, path)?;
    loader.add(fs, &place.path, limit)?;
    if let Some(stat) = loader.stats.get(&place.path)
        && let Some(refusal) = protection(fs, &place.path, stat)?
    {
        loaded.unchangeable.insert(path.clone(), refusal);
    }
    if let Some(refusal) = foreign(fs, &place.path) {
        loaded.unchangeable.insert(path.clone(), refusal);
    }
    if place.path != *path {
        loaded.resolved.insert(path.clone(), place.path);
    }
    Ok(())
}

impl Loader {
    /// Adds what stands at a path without links in it, or, if nothing does, the names it could be confused with.
    pub(crate) fn add(&mut self, fs: &dyn Fs, place: &RelPath, limit: u64) -> io::Result<()> {
        let Some(stat) = fs.stat(place)? else { return self.add_names(fs, place) };
        let size = stat.identity.size;
        let (entry, stat) = match stat.kind {
            EntryKind::Directory => (Entry::Directory, stat),
            EntryKind::Link => (Entry::Link { target: fs.read_link(place)? }, stat),
            EntryKind::Special => (Entry::Unread { size: 0, reason: UnreadReason::Special }, stat),
            EntryKind::File if size > limit => {
                (Entry::Unread { size, reason: UnreadReason::TooLarge }, stat)
            }
            EntryKind::File => {
                let (bytes, stat) = fs.read(place, limit)?;
                (Entry::File(File::new(Text::new(bytes), stat.mode)), stat)
            }
        };
        self.entries.insert(place.clone(), entry);
        self.stats.insert(place.clone(), stat);
        Ok(())
    }

    /// Adds the names in every directory above the path that exists.
    fn add_names(&mut self, fs: &dyn Fs, place: &RelPath) -> io::Result<()> {
        let above: Vec<RelPath> = place.ancestors().collect();
        let directories = std::iter::once(None).chain(above.into_iter().rev().map(Some));
        for directory in directories {
            if let Some(path) = &directory
                && fs.stat(path)?.is_none_or(|stat| stat.kind != EntryKind::Directory)
            {
                return Ok(());
            }
            if !self.listed.insert(directory.clone()) {
                continue;
            }
            for (name, kind) in fs.list(directory.as_ref())? {
                let path =
                    directory.as_ref().map_or_else(|| RelPath::parse(&name), |it| it.join(&name));
                // A name that no path of ours can have cannot be confused with one either.
                let Ok(path) = path else { continue };
                let entry = match kind {
                    EntryKind::Directory => Entry::Directory,
                    _ => Entry::Unread { size: 0, reason: UnreadReason::Listed },
                };
                self.entries.entry(path).or_insert(entry);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Snapshot, FileAsDirectory> {
        Snapshot::new(std::mem::take(&mut self.entries))
    }
}
