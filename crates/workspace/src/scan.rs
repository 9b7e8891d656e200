//! Lists the whole tree once. Ignore files inside the root are obeyed, with or without git, and no others; hidden
//! files are taken; links are listed and never followed. The result does not depend on the order of
//! directories or the number of threads.
//!
//! A scan reads everything at once. A survey reads nothing: it asks the file system about the files that somebody is
//! interested in, and the rest is a list of names until somebody asks (`reader.rs`).
//!
//! Passed over, and listed, are folders that a tool filled (`evidence.rs`), unless git tracks files in them or that is not
//! known; and repositories in a root that lies in a repository itself: they are not this repository's, as git sees it.

mod evidence;
pub(crate) mod tracked;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use edit::Text;
use ignore::{DirEntry, WalkBuilder, WalkState};
use snapshot::{Entry, File, FileAsDirectory, RelPath, Snapshot, UnreadReason};

use self::evidence::filled_by;
use self::tracked::{Tracked, is_repository};
use crate::Workspace;
use crate::fs::{EntryKind, Fs};
use crate::journal::is_temp_name;
use crate::listed::ListedFiles;
use crate::reader::Reader;
use crate::stat_cache;

/// Why a repository in a repository is passed over.
const NESTED: &str = "nested_repository";

/// How to scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScanOptions {
    /// Files larger than this are listed and not read.
    pub max_file_size: u64,
    /// How many threads read files.
    pub jobs: usize,
    /// What belongs to the tree.
    pub extent: Extent,
}

/// What a scan takes for the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// What is neither ignored nor a store of git or ours.
    Sources,
    /// Every file there is: what somebody else's program did to a copy hides from nothing.
    Everything,
}

/// Something that a scan could not take, or did not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SkippedEntry {
    /// Its path, with what is not UTF-8 replaced.
    pub path: String,
    /// Why it is left out.
    pub reason: String,
    /// Whether its name is the reason: no path of ours can have it.
    pub has_bad_name: bool,
    /// Whether it may be a folder, so that what is in it is left out too.
    pub may_be_folder: bool,
}

/// A folder that a scan passes over because what is in it is not the user's to look at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PassedOver {
    /// The folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The tree, and what is not in it.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// The tree.
    pub snapshot: Snapshot,
    /// What could not be read, or has a name that no path of ours can have; sorted.
    pub skipped: Vec<SkippedEntry>,
    /// The folders that were passed over because a tool filled them or because they are repositories of their own; sorted.
    /// The reason is `dependencies`, `build_output`, `cache`, `virtual_environment` or `nested_repository`.
    pub passed_over: Vec<PassedOver>,
}

/// Why a scan failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The root itself cannot be read.
    #[error("cannot read the workspace root: {0}")]
    Root(io::Error),
    /// A file became a directory, or the reverse, while it was read.
    #[error("the tree changed while it was read: {0}")]
    Moving(#[from] FileAsDirectory),
}

/// What a survey is to find out.
#[derive(Clone, Copy)]
pub struct Survey<'a> {
    /// How many threads look.
    pub jobs: usize,
    /// Of which files it is found out at once what they are; of the others when somebody asks.
    pub is_of_interest: &'a (dyn Fn(&RelPath) -> bool + Sync),
    /// Files that did not hold still before. They are read at once, and what cannot be read is skipped.
    pub suspects: &'a BTreeSet<RelPath>,
    /// The files and folders that are wanted; `None` is the whole tree.
    pub only: Option<&'a BTreeSet<RelPath>>,
}

impl Workspace {
    /// Reads files for who asks, and knows what an earlier process was told about them.
    pub fn reader(&self) -> Arc<Reader> {
        let cache = self.read_cache(stat_cache::NAME);
        Arc::new(Reader::new(Arc::clone(&self.fs), self.options.max_file_size, cache))
    }

    /// Lists the tree of sources and reads nothing. What is listed is read by the reader.
    pub fn survey(&self, reader: &Arc<Reader>, survey: &Survey<'_>) -> Result<Scanned, ScanError> {
        if let Some(listing) = &self.listing {
            return look_at(listed(listing, survey), reader, survey);
        }
        self.survey_from(self.root.as_deref().ok_or_else(no_root)?, reader, survey)
    }

    /// Lists what is in one folder, although a survey of the whole tree passed it over: somebody named it. What is to be
    /// passed over in it is.
    pub fn survey_folder(
        &self,
        folder: &RelPath,
        reader: &Arc<Reader>,
        survey: &Survey<'_>,
    ) -> Result<Scanned, ScanError> {
        let start = self.root.as_deref().ok_or_else(no_root)?.join(folder.as_str());
        self.survey_from(&start, reader, survey)
    }

    fn survey_from(
        &self,
        start: &Path,
        reader: &Arc<Reader>,
        survey: &Survey<'_>,
    ) -> Result<Scanned, ScanError> {
        let Survey { jobs, is_of_interest, only, .. } = *survey;
        let root = self.root.as_deref().ok_or_else(no_root)?;
        check_start(root, start, Extent::Sources)?;
        let is_of_interest = Some(is_of_interest);
        let walk = Walk { start, jobs, only, is_of_interest, ..Walk::new(root, Extent::Sources) };
        look_at(walk.run(), reader, survey)
    }
}

/// What a walk over a tree would find that somebody listed.
fn listed(listing: &ListedFiles, survey: &Survey<'_>) -> Walked {
    let is_asked = |path: &&RelPath| {
        let is_in = |only: &BTreeSet<RelPath>| {
            only.contains(*path) || path.ancestors().any(|it| only.contains(&it))
        };
        survey.only.is_none_or(is_in)
    };
    let seen = |path: &RelPath| {
        let is_wanted = (survey.is_of_interest)(path);
        Seen { path: path.clone(), kind: EntryKind::File, is_wanted }
    };
    Walked { paths: listing.keys().filter(is_asked).map(seen).collect(), ..Walked::default() }
}

/// Finds out what the files are that are of interest, and reads those that did not hold still before.
fn look_at(
    walked: Walked,
    reader: &Arc<Reader>,
    survey: &Survey<'_>,
) -> Result<Scanned, ScanError> {
    let Survey { jobs, suspects, .. } = *survey;
    let Walked { paths, mut skipped, passed_over } = walked;
    let mut entries = BTreeMap::new();
    let mut add = |path: RelPath, found: io::Result<Option<Entry>>| match found {
        Ok(Some(entry)) => drop(entries.insert(path, entry)),
        Ok(None) => {} // It went away since it was listed.
        Err(error) => {
            let skip = unread(path.to_string(), error.to_string());
            skipped.push(SkippedEntry { may_be_folder: false, ..skip });
        }
    };
    let (mut listed, mut wanted) = (Vec::new(), Vec::new());
    for Seen { path, kind, is_wanted } in paths {
        match kind {
            _ if suspects.contains(&path) => {
                let found = reader.read_entry(&path);
                add(path, found);
            }
            EntryKind::File if is_wanted => wanted.push(path),
            EntryKind::File => listed.push(path),
            EntryKind::Link | EntryKind::Special | EntryKind::Directory => {
                let found = reader.look_at(&path);
                add(path, found);
            }
        }
    }
    let found = in_parallel(&wanted, jobs, |paths| reader.look_at_all(paths));
    wanted.into_iter().zip(found).for_each(|(path, found)| add(path, found));
    skipped.sort();
    let source = Arc::<Reader>::clone(reader);
    Ok(Scanned { snapshot: Snapshot::listed(entries, listed, source)?, skipped, passed_over })
}

fn no_root() -> ScanError {
    ScanError::Root(io::ErrorKind::Unsupported.into())
}

/// Whether the folder that a walk starts at can be read, and nothing is wrong with its ignore files.
fn check_start(root: &Path, start: &Path, extent: Extent) -> Result<(), ScanError> {
    start.read_dir().map_err(ScanError::Root)?;
    match bad_ignore_file(root, start).filter(|_| extent == Extent::Sources) {
        Some(problem) => Err(ScanError::Root(io::Error::new(io::ErrorKind::InvalidData, problem))),
        None => Ok(()),
    }
}

/// Reads the tree.
pub(crate) fn scan(fs: &dyn Fs, root: &Path, options: &ScanOptions) -> Result<Scanned, ScanError> {
    check_start(root, root, options.extent)?;
    let walked = Walk { jobs: options.jobs, ..Walk::new(root, options.extent) }.run();
    let Walked { paths, mut skipped, passed_over } = walked;
    let paths: Vec<RelPath> = paths.into_iter().map(|it| it.path).collect();
    let read = in_parallel(&paths, options.jobs, |paths| {
        paths.iter().map(|it| read_entry(fs, it, options.max_file_size)).collect()
    });
    let mut entries = BTreeMap::new();
    for (path, result) in paths.into_iter().zip(read) {
        match result {
            Ok(Some(entry)) => {
                entries.insert(path, entry);
            }
            Ok(None) => {} // It went away between being listed and being read.
            Err(error) => {
                let skip = unread(path.to_string(), error.to_string());
                skipped.push(SkippedEntry { may_be_folder: false, ..skip });
            }
        }
    }
    skipped.sort();
    Ok(Scanned { snapshot: Snapshot::new(entries)?, skipped, passed_over })
}

/// The paths of everything but directories, sorted; `None` if there are more than `limit`. Nothing is read.
pub(crate) fn list(root: &Path, limit: usize) -> Option<Vec<RelPath>> {
    let limit_and_one = limit.saturating_add(1);
    let paths = Walk { limit: limit_and_one, ..Walk::new(root, Extent::Sources) }.run().paths;
    (paths.len() <= limit).then(|| paths.into_iter().map(|it| it.path).collect())
}

/// What a walk came to.
struct Seen {
    path: RelPath,
    /// What it was when its directory was read.
    kind: EntryKind,
    is_wanted: bool,
}

/// What a walk found.
#[derive(Default)]
struct Walked {
    /// Everything but directories, in order.
    paths: Vec<Seen>,
    skipped: Vec<SkippedEntry>,
    passed_over: Vec<PassedOver>,
}

/// What one thread of a walk found, which is handed over when the thread is done.
struct Share<'a> {
    found: Walked,
    all: &'a Mutex<Walked>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.paths.append(&mut self.found.paths);
        all.skipped.append(&mut self.found.skipped);
    }
}

/// A walk over a tree.
#[derive(Clone, Copy)]
struct Walk<'a> {
    root: &'a Path,
    start: &'a Path,
    extent: Extent,
    /// If there are more files, some of them are found.
    limit: usize,
    jobs: usize,
    /// The files and folders that are wanted, if not all.
    only: Option<&'a BTreeSet<RelPath>>,
    is_of_interest: Option<&'a (dyn Fn(&RelPath) -> bool + Sync)>,
}

impl<'a> Walk<'a> {
    /// Over everything, by one thread.
    fn new(root: &'a Path, extent: Extent) -> Walk<'a> {
        let (start, limit, jobs) = (root, usize::MAX, 1);
        Walk { root, start, extent, limit, jobs, only: None, is_of_interest: None }
    }

    /// The paths of everything but directories, sorted.
    fn run(&self) -> Walked {
        let Walk { root, start, extent, limit, jobs, only, .. } = *self;
        let sources = extent == Extent::Sources;
        let mut builder = WalkBuilder::new(start);
        builder.hidden(false).parents(false).ignore(sources).git_ignore(sources).require_git(false);
        builder.git_global(false).git_exclude(false).follow_links(false);
        let passed_over = Arc::new(Mutex::new(Vec::new()));
        let unsafe_folders = Arc::new(Mutex::new(Vec::new()));
        if sources {
            let (root, unsafe_folders) = (root.to_owned(), Arc::clone(&unsafe_folders));
            let judge = Judge::new(&root, Arc::clone(&passed_over));
            let only = only.cloned();
            builder.filter_entry(move |entry| {
                if entry.depth() == 0 {
                    return true;
                }
                let is_wanted = |only: &BTreeSet<RelPath>| is_on_the_way(only, &root, entry);
                if !only.as_ref().is_none_or(is_wanted) || !judge.takes(entry) {
                    return false;
                }
                let is_folder = entry.file_type().is_some_and(|it| it.is_dir());
                let Some(problem) =
                    is_folder.then(|| bad_ignore_file(&root, entry.path())).flatten()
                else {
                    return true;
                };
                let path = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                let skipped = unread(path.display().to_string(), problem);
                unsafe_folders.lock().unwrap_or_else(PoisonError::into_inner).push(skipped);
                false
            });
        }
        let all = Mutex::new(Walked::default());
        let n_paths = AtomicUsize::new(0);
        builder.threads(jobs.clamp(1, 64)).build_parallel().run(|| {
            let mut share = Share { found: Walked::default(), all: &all };
            let n_paths = &n_paths;
            Box::new(move |entry| {
                let n_before = share.found.paths.len();
                self.take(entry, &mut share.found);
                let n_new = share.found.paths.len() - n_before;
                match n_paths.fetch_add(n_new, Ordering::Relaxed) + n_new >= limit {
                    true => WalkState::Quit,
                    false => WalkState::Continue,
                }
            })
        });
        let mut walked = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        walked.paths.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let mut folders = unsafe_folders.lock().unwrap_or_else(PoisonError::into_inner);
        walked.skipped.append(&mut folders);
        let mut passed_over = passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        walked.passed_over = std::mem::take(&mut *passed_over);
        walked.passed_over.sort();
        walked
    }

    /// Takes what the walk came to, unless it is a directory.
    fn take(&self, entry: Result<DirEntry, ignore::Error>, found: &mut Walked) {
        let (root, sources) = (self.root, self.extent == Extent::Sources);
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return found.skipped.push(describe(root, &error)),
        };
        let kind = match entry.file_type() {
            Some(it) if it.is_dir() => return,
            Some(it) if it.is_file() => EntryKind::File,
            Some(it) if it.is_symlink() => EntryKind::Link,
            _ => EntryKind::Special,
        };
        if entry.depth() == 0 {
            return;
        }
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        match relative.to_str().map(RelPath::parse) {
            Some(Ok(path)) if sources && is_temp_name(path.file_name()) => {}
            Some(Ok(path)) => {
                let is_wanted = self.is_of_interest.is_some_and(|it| it(&path));
                found.paths.push(Seen { path, kind, is_wanted });
            }
            Some(Err(error)) => {
                found.skipped.push(SkippedEntry {
                    path: relative.display().to_string(),
                    reason: error.to_string(),
                    has_bad_name: true,
                    may_be_folder: false,
                });
            }
            None => {
                let reason = "its name is not UTF-8".to_owned();
                let path = relative.display().to_string();
                found.skipped.push(SkippedEntry {
                    path,
                    reason,
                    has_bad_name: true,
                    may_be_folder: false,
                });
            }
        }
    }
}

/// Whether what the walk came to is wanted, lies in something that is, or leads to it.
fn is_on_the_way(only: &BTreeSet<RelPath>, root: &Path, entry: &DirEntry) -> bool {
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_string_lossy();
    let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
    if ends.into_iter().any(|end| only.contains(&relative[..end])) {
        return true;
    }
    let inside = format!("{relative}/");
    let range = (Bound::Included(inside.as_str()), Bound::Unbounded);
    let next = only.range::<str, _>(range).next();
    entry.file_type().is_some_and(|it| it.is_dir())
        && next.is_some_and(|it| it.as_str().starts_with(&inside))
}

/// Ignore files larger than this are nobody's.
const MAX_IGNORE_BYTES: u64 = 4 << 20;

/// What is wrong with an ignore file of the folder, if something is: the walk reads it whole, whatever it is, and a
/// repository could bring a device, a pipe, a link to one, or a file without end.
fn bad_ignore_file(root: &Path, folder: &Path) -> Option<String> {
    [".gitignore", ".ignore"].into_iter().find_map(|name| {
        let path = folder.join(name);
        let metadata = path.symlink_metadata().ok()?;
        let is_inside = || {
            let (target, root) = (path.canonicalize().ok()?, root.canonicalize().ok()?);
            target.starts_with(root).then_some(())
        };
        let metadata = match metadata.is_symlink() {
            // A link without a target is as good as nothing.
            true => match path.metadata() {
                Ok(metadata) if is_inside().is_some() => metadata,
                Ok(_) => {
                    return Some(format!("its {name} is a link that leads out of the workspace"));
                }
                Err(_) => return None,
            },
            false => metadata,
        };
        if metadata.is_dir() {
            None
        } else if !metadata.is_file() {
            Some(format!("its {name} is not a regular file"))
        } else if metadata.len() > MAX_IGNORE_BYTES {
            Some(format!("its {name} has more than {MAX_IGNORE_BYTES} bytes"))
        } else {
            None
        }
    })
}

/// Decides which folders belong to the tree.
struct Judge {
    root: PathBuf,
    tracked: Option<Tracked>,
    passed_over: Arc<Mutex<Vec<PassedOver>>>,
}

impl Judge {
    fn new(root: &Path, passed_over: Arc<Mutex<Vec<PassedOver>>>) -> Judge {
        Judge { root: root.to_owned(), tracked: Tracked::around(root), passed_over }
    }

    fn takes(&self, entry: &DirEntry) -> bool {
        let name = entry.file_name();
        let path = entry.path();
        if name == ".git" || (name == ".regreen" && path.parent() == Some(&self.root)) {
            return false;
        }
        // Nothing is looked up for files.
        if !entry.file_type().is_some_and(|it| it.is_dir()) {
            return true;
        }
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let reason = match &self.tracked {
            Some(_) if is_repository(path) => Some(NESTED),
            Some(tracked) => filled_by(path, &name.to_string_lossy())
                .filter(|_| tracked.tracks_nothing_in(relative)),
            None => filled_by(path, &name.to_string_lossy()),
        };
        if let Some(reason) = reason {
            let path = relative.display().to_string();
            let mut passed_over = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
            passed_over.push(PassedOver { path, reason: reason.to_owned() });
        }
        reason.is_none()
    }
}

fn unread(path: String, reason: String) -> SkippedEntry {
    SkippedEntry { path, reason, has_bad_name: false, may_be_folder: true }
}

/// The error without the absolute path of the root, which must not reach an output.
fn describe(root: &Path, error: &ignore::Error) -> SkippedEntry {
    let (mut path, mut inner) = (String::new(), error);
    loop {
        inner = match inner {
            ignore::Error::WithPath { path: found, err } => {
                path = found.strip_prefix(root).unwrap_or(found).display().to_string();
                err
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => err,
            ignore::Error::Io(error) => {
                let kind = error.kind().to_string();
                return unread(path, kind);
            }
            other => return unread(path, other.to_string()),
        };
    }
}

/// What is found at the paths, in their order, by several threads.
fn in_parallel<T: Send>(
    paths: &[RelPath],
    jobs: usize,
    find: impl Fn(&[RelPath]) -> Vec<T> + Sync,
) -> Vec<T> {
    const BATCH: usize = 32;
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut found = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(rest) = paths.get(start..).filter(|rest| !rest.is_empty()) else {
                return found;
            };
            found.push((start, find(&rest[..rest.len().min(BATCH)])));
        }
    };
    let jobs = jobs.clamp(1, 64).min(paths.len().div_ceil(BATCH).max(1));
    let mut found = if jobs == 1 {
        worker()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().flat_map(|it| it.join().expect("looking does not panic")).collect()
        })
    };
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().flat_map(|(_, found)| found).collect()
}

fn read_entry(fs: &dyn Fs, path: &RelPath, limit: u64) -> io::Result<Option<Entry>> {
    let Some(stat) = fs.stat(path)? else { return Ok(None) };
    let size = stat.identity.size;
    Ok(Some(match stat.kind {
        EntryKind::Directory => Entry::Directory,
        EntryKind::Link => Entry::Link { target: fs.read_link(path)? },
        EntryKind::Special => Entry::Unread { size: 0, reason: UnreadReason::Special },
        EntryKind::File if size > limit => Entry::Unread { size, reason: UnreadReason::TooLarge },
        EntryKind::File => {
            let (bytes, stat) = fs.read(path, limit)?;
            Entry::File(File::new(Text::new(bytes), stat.mode))
        }
    }))
}
