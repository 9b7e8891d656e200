//! From a path that may pass through links to the place it means, beneath the root or nowhere (CS-59, X-11).
//!
//! Links are followed here, by hand, and only as far as they stay beneath the root. The place that comes out has no
//! link in it; every later operation on it refuses links, so a link that is swapped in afterwards is an error.

use std::io;

use snapshot::RelPath;

use crate::fs::{EntryKind, Fs, Stat};

/// As many links as Linux itself follows in one path.
const MAX_LINKS: usize = 40;
/// What Linux takes for a path, less the NUL at its end.
const MAX_PATH: usize = 4095;
/// The longest name that a temporary file beside the target gets.
const MAX_TEMP_NAME: usize = 64;

/// Why a path is not read or written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathRefusal {
    /// A link on the way leads out of the root.
    #[error("a link leads out of the workspace root")]
    OutsideRoot,
    /// Links lead in a circle, or there are very many of them.
    #[error("its links form a cycle")]
    LinkLoop,
    /// A link on the way has no target.
    #[error("a link on its path has no target")]
    DanglingLink,
    /// The path lies in `.git` or `.regreen`.
    #[error("`.git` and `.regreen` are not for patches to change")]
    Reserved,
    /// The path lies beneath something that is not a directory.
    #[error("{file} is not a directory")]
    NotADirectory {
        /// What stands above the path.
        file: RelPath,
    },
    /// It is a link, which can neither be replaced, renamed nor deleted; only what it points to can be edited.
    #[error("it is a link, name its target instead")]
    Link,
    /// The file has other names, which would keep the old contents.
    #[error("it has {links} hard links, and the others would keep the old contents")]
    HardLinked {
        /// The number of names the file has.
        links: u64,
    },
    /// The path lies in a git repository of its own, which the root's repository does not track.
    #[error("{repository} is a git repository of its own")]
    NestedRepository {
        /// The top of that repository.
        repository: RelPath,
    },
    /// The path, or a name in it, is longer than the file system takes.
    #[error("its path of {length} bytes, or a name in it, is too long for the file system")]
    PathTooLong {
        /// The length of the path in bytes.
        length: usize,
    },
    /// The file is write-protected.
    #[error("it is read-only, make it writable first")]
    ReadOnly,
    /// The file is marked immutable or append-only.
    #[error("it is marked immutable or append-only")]
    Immutable,
    /// Something is mounted on the file.
    #[error("something is mounted on it")]
    MountPoint,
    /// The file is larger than the limit.
    #[error("it has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is a pipe, a socket or a device.
    #[error("it is not a regular file")]
    Special,
}

/// Why a path could not be resolved.
#[derive(Debug)]
pub(crate) enum ResolveError {
    Refused(PathRefusal),
    Io(io::Error),
}

impl From<PathRefusal> for ResolveError {
    fn from(refusal: PathRefusal) -> ResolveError {
        ResolveError::Refused(refusal)
    }
}

impl From<io::Error> for ResolveError {
    fn from(error: io::Error) -> ResolveError {
        ResolveError::Io(error)
    }
}

/// A path without links in it, and what stands there.
#[derive(Debug)]
pub(crate) struct ResolvedPath {
    pub(crate) path: RelPath,
    /// `None` if nothing stands there; some of the directories above may be missing too.
    pub(crate) stat: Option<Stat>,
}

/// The place of the file that the path means, through a link at its end too.
pub(crate) fn resolve_file(fs: &dyn Fs, path: &RelPath) -> Result<ResolvedPath, ResolveError> {
    walk_within_limits(fs, path, Last::Follow)
}

/// The place of the name itself: links are followed on the way to it, not at its end.
pub(crate) fn resolve_name(fs: &dyn Fs, path: &RelPath) -> Result<ResolvedPath, ResolveError> {
    walk_within_limits(fs, path, Last::Keep)
}

/// The walk, with a refusal for what is too long: before anything is written, and where the limits of the file system are
/// narrower than those of the kernel too.
fn walk_within_limits(
    fs: &dyn Fs,
    path: &RelPath,
    last: Last,
) -> Result<ResolvedPath, ResolveError> {
    let too_long = |path: &RelPath| PathRefusal::PathTooLong { length: path.as_str().len() };
    match walk(fs, path, last) {
        Ok(place) => {
            let folder = place.path.as_str().len() - place.path.file_name().len();
            let longest = folder + place.path.file_name().len().max(MAX_TEMP_NAME);
            if longest > MAX_PATH { Err(too_long(&place.path).into()) } else { Ok(place) }
        }
        Err(ResolveError::Io(error)) if is_too_long(&error) => Err(too_long(path).into()),
        result => result,
    }
}

fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NAMETOOLONG.raw_os_error())
}

/// Whether the path belongs to git or to regreen. Case is ignored, as some file systems do.
pub(crate) fn is_reserved(path: &RelPath) -> bool {
    path.segments().any(|segment| segment.eq_ignore_ascii_case(".git"))
        || path.segments().next().is_some_and(|first| first.eq_ignore_ascii_case(".regreen"))
}

#[derive(Clone, Copy, PartialEq)]
enum Last {
    Follow,
    Keep,
}

/// A segment still to be walked, and whether a link put it there.
struct Pending {
    segment: String,
    from_link: bool,
}

fn walk(fs: &dyn Fs, path: &RelPath, last: Last) -> Result<ResolvedPath, ResolveError> {
    // Next segment last, so that a link's target can be put in its place.
    let mut pending = reversed(path.as_str(), false);
    let mut resolved: Option<RelPath> = None;
    // Of the place that `resolved` names; not known after a step up.
    let mut last_stat = None;
    let mut links = 0;
    while let Some(Pending { segment, from_link }) = pending.pop() {
        if segment == ".." {
            // Real directories only: `resolved` has no links in it.
            resolved = resolved.ok_or(PathRefusal::OutsideRoot)?.parent();
            last_stat = None;
            continue;
        }
        let place = child(resolved.as_ref(), &segment)?;
        let stat = fs.stat(&place)?;
        match stat.map(|stat| stat.kind) {
            Some(EntryKind::Link) if last == Last::Follow || !pending.is_empty() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(PathRefusal::LinkLoop.into());
                }
                let target = fs.read_link(&place)?;
                // The link is not the place; what it leads to comes next.
                last_stat = None;
                let target = if target.starts_with('/') {
                    resolved = None;
                    beneath_root(fs, &target)?
                } else {
                    &target
                };
                pending.extend(reversed(target, true));
                continue;
            }
            Some(EntryKind::Directory) => {}
            Some(_) if !pending.is_empty() => {
                return Err(PathRefusal::NotADirectory { file: place }.into());
            }
            Some(_) => {}
            None if from_link => return Err(PathRefusal::DanglingLink.into()),
            None => return missing(place, &pending),
        }
        (resolved, last_stat) = (Some(place), stat);
    }
    // Without a segment left it is the root itself, which holds `.git` and `.regreen`.
    let path = resolved.filter(|path| !is_reserved(path)).ok_or(PathRefusal::Reserved)?;
    let stat = if last_stat.is_some() { last_stat } else { fs.stat(&path)? };
    Ok(ResolvedPath { path, stat })
}

fn reversed(path: &str, from_link: bool) -> Vec<Pending> {
    let segments = path.split('/').rev().filter(|it| !matches!(*it, "" | "."));
    segments.map(|segment| Pending { segment: segment.to_owned(), from_link }).collect()
}

fn child(directory: Option<&RelPath>, segment: &str) -> Result<RelPath, PathRefusal> {
    let child = match directory {
        Some(directory) => directory.join(segment),
        None => RelPath::parse(segment),
    };
    // A link's target may have segments that no path of ours has: a backslash, a drive.
    child.map_err(|_| PathRefusal::OutsideRoot)
}

fn beneath_root<'a>(fs: &dyn Fs, target: &'a str) -> Result<&'a str, PathRefusal> {
    let root = fs.absolute_root().ok_or(PathRefusal::OutsideRoot)?.trim_end_matches('/');
    target
        .strip_prefix(root)
        .filter(|rest| rest.starts_with('/') || rest.is_empty())
        .ok_or(PathRefusal::OutsideRoot)
}

/// The path from its first missing segment on; all of the rest was spelled by the user.
fn missing(place: RelPath, pending: &[Pending]) -> Result<ResolvedPath, ResolveError> {
    let path = pending.iter().rev().try_fold(place, |path, it| child(Some(&path), &it.segment))?;
    if is_reserved(&path) {
        return Err(PathRefusal::Reserved.into());
    }
    Ok(ResolvedPath { path, stat: None })
}
