//! Reads the whole tree once. Ignore files inside the root are obeyed, with or without git, and no others; hidden
//! files are taken; links are listed and never followed. The result does not depend on the order of
//! directories or the number of threads.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use edit::Text;
use ignore::WalkBuilder;
use snapshot::{Entry, File, FileAsDirectory, RelPath, Snapshot, UnreadReason};

use crate::fs::{Fs, Kind};
use crate::journal::is_temp_name;

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

/// Something that a scan could not take.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skipped {
    /// Its path, with what is not UTF-8 replaced.
    pub path: String,
    /// Why it is left out.
    pub reason: String,
    /// Whether its name is the reason: no path of ours can have it.
    pub has_bad_name: bool,
    /// Whether it may be a folder, so that what is in it is left out too.
    pub may_be_folder: bool,
}

/// The tree, and what is not in it.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// The tree.
    pub snapshot: Snapshot,
    /// What could not be read, or has a name that no path of ours can have; sorted.
    pub skipped: Vec<Skipped>,
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

pub(crate) fn scan(fs: &dyn Fs, root: &Path, options: &ScanOptions) -> Result<Scanned, ScanError> {
    root.read_dir().map_err(ScanError::Root)?;
    let (paths, mut skipped) = walk(root, options.extent, usize::MAX);
    let read = read_all(fs, &paths, options);
    let mut entries = BTreeMap::new();
    for (path, result) in paths.into_iter().zip(read) {
        match result {
            Ok(Some(entry)) => {
                entries.insert(path, entry);
            }
            Ok(None) => {} // It went away between being listed and being read.
            Err(error) => {
                let skip = unread(path.to_string(), error.to_string());
                skipped.push(Skipped { may_be_folder: false, ..skip });
            }
        }
    }
    skipped.sort();
    Ok(Scanned { snapshot: Snapshot::new(entries)?, skipped })
}

/// The paths of everything but directories, sorted; `None` if there are more than `limit`. Nothing is read.
pub(crate) fn list(root: &Path, limit: usize) -> Option<Vec<RelPath>> {
    let (paths, _) = walk(root, Extent::Sources, limit.saturating_add(1));
    (paths.len() <= limit).then_some(paths)
}

/// The paths of everything but directories, sorted; some of them if there are more than `limit`.
fn walk(root: &Path, extent: Extent, limit: usize) -> (Vec<RelPath>, Vec<Skipped>) {
    let sources = extent == Extent::Sources;
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).parents(false).ignore(sources).git_ignore(sources).require_git(false);
    builder.git_global(false).git_exclude(false).follow_links(false);
    builder.filter_entry(move |entry| {
        let name = entry.file_name();
        let is_store = name == ".git" || (entry.depth() == 1 && name == ".regreen");
        entry.depth() == 0 || !(sources && is_store)
    });
    let (mut paths, mut skipped) = (Vec::new(), Vec::new());
    for entry in builder.build() {
        if paths.len() >= limit {
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                skipped.push(describe(root, &error));
                continue;
            }
        };
        if entry.depth() == 0 || entry.file_type().is_some_and(|it| it.is_dir()) {
            continue;
        }
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        match relative.to_str().map(RelPath::parse) {
            Some(Ok(path)) if sources && is_temp_name(path.file_name()) => {}
            Some(Ok(path)) => paths.push(path),
            Some(Err(error)) => {
                skipped.push(Skipped {
                    path: relative.display().to_string(),
                    reason: error.to_string(),
                    has_bad_name: true,
                    may_be_folder: false,
                });
            }
            None => {
                let reason = "its name is not UTF-8".to_owned();
                let path = relative.display().to_string();
                skipped.push(Skipped { path, reason, has_bad_name: true, may_be_folder: false });
            }
        }
    }
    paths.sort();
    (paths, skipped)
}

fn unread(path: String, reason: String) -> Skipped {
    Skipped { path, reason, has_bad_name: false, may_be_folder: true }
}

/// The error without the absolute path of the root, which must not reach an output.
fn describe(root: &Path, error: &ignore::Error) -> Skipped {
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

/// The entries in the order of the paths, read by several threads.
fn read_all(
    fs: &dyn Fs,
    paths: &[RelPath],
    options: &ScanOptions,
) -> Vec<io::Result<Option<Entry>>> {
    const BATCH: usize = 32;
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut read = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(rest) = paths.get(start..).filter(|rest| !rest.is_empty()) else {
                return read;
            };
            let batch = rest.iter().take(BATCH).enumerate();
            read.extend(
                batch.map(|(n, path)| (start + n, read_entry(fs, path, options.max_file_size))),
            );
        }
    };
    let jobs = options.jobs.clamp(1, 64).min(paths.len().div_ceil(BATCH).max(1));
    let mut read = if jobs == 1 {
        worker()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().flat_map(|it| it.join().expect("reading does not panic")).collect()
        })
    };
    read.sort_by_key(|(n, _)| *n);
    read.into_iter().map(|(_, entry)| entry).collect()
}

fn read_entry(fs: &dyn Fs, path: &RelPath, limit: u64) -> io::Result<Option<Entry>> {
    let Some(stat) = fs.stat(path)? else { return Ok(None) };
    let size = stat.identity.size;
    Ok(Some(match stat.kind {
        Kind::Directory => Entry::Directory,
        Kind::Link => Entry::Link { target: fs.read_link(path)? },
        Kind::Special => Entry::Unread { size: 0, reason: UnreadReason::Special },
        Kind::File if size > limit => Entry::Unread { size, reason: UnreadReason::TooLarge },
        Kind::File => {
            let (bytes, stat) = fs.read(path, limit)?;
            Entry::File(File { text: Text::new(bytes), mode: stat.mode })
        }
    }))
}
