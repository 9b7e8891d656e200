//! Folders in which programs that build keep what they have built, one for every tree and kind of program.
//!
//! A folder belongs to a tree, not to a path: another repository at the same path does not build on what the first one
//! left behind. All of them together are bounded: what was not used for the longest time goes first, and nothing that was
//! used a short while ago, because somebody may be at it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use edit::ContentHash;

/// How much all folders together may hold, and how many there may be.
#[derive(Clone, Copy, Debug)]
pub struct BuildLimits {
    /// Bytes on disk.
    pub bytes: u64,
    /// Folders.
    pub folders: usize,
    /// How long a folder that was used is left alone.
    pub rest: Duration,
}

impl BuildLimits {
    /// What is right for a cache of the user.
    pub const STANDARD: BuildLimits =
        BuildLimits { bytes: 8 << 30, folders: 16, rest: Duration::from_secs(60 * 60) };
}

/// How long the size of a folder that is used again and again is taken for granted.
const MEASURED: Duration = Duration::from_secs(24 * 60 * 60);
/// The file whose time says when the folder was used last.
const USED: &str = "used";
/// The first part of the names of all folders.
const PREFIX: &str = "build-";

/// The folder for the tree at `root` and programs of a `kind`, in `base`, which is the user's own. What is too much beside
/// it is removed.
pub fn build_folder(
    base: &Path,
    root: &Path,
    kind: &str,
    limits: &BuildLimits,
) -> io::Result<PathBuf> {
    fs::create_dir_all(base)?;
    let base = fs::canonicalize(base)?;
    let folder = base.join(format!("{PREFIX}{kind}-{}", identity(root)?));
    let last = fs::metadata(folder.join(USED)).and_then(|it| it.modified()).ok();
    fs::create_dir_all(&folder)?;
    let is_fresh = last.is_some_and(|it| it.elapsed().is_ok_and(|it| it < MEASURED));
    fs::write(folder.join(USED), "")?;
    if !is_fresh {
        trim(&base, &folder, limits);
    }
    Ok(folder)
}

/// What tells a tree from another one that was at the same path before: the folder and its git directory as they were made.
fn identity(root: &Path) -> io::Result<String> {
    let mut parts = root.as_os_str().as_encoded_bytes().to_vec();
    for path in [root.to_owned(), root.join(".git")] {
        let stat = match fs::symlink_metadata(&path) {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::NotFound && path != root => continue,
            Err(error) => return Err(error),
        };
        // An inode is given away again, the time at which it was made is not.
        let made =
            stat.created().ok().and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        parts.push(0);
        parts.extend(stat.ino().to_le_bytes());
        parts.extend(made.unwrap_or_default().as_nanos().to_le_bytes());
    }
    let hash = ContentHash::of(&parts).to_string();
    Ok(hash.chars().skip_while(|it| *it != ':').skip(1).take(16).collect())
}

/// Removes folders beside `kept` until there is no more than there may be. What cannot be removed stays.
fn trim(base: &Path, kept: &Path, limits: &BuildLimits) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let mut others = Vec::new();
    let (mut n_bytes, mut n_folders) = (size(kept), 1);
    for entry in entries.flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_str().is_some_and(|it| it.starts_with(PREFIX))
            && entry.file_type().is_ok_and(|it| it.is_dir());
        if !is_ours || path == kept {
            continue;
        }
        let stat = fs::metadata(path.join(USED)).or_else(|_| entry.metadata());
        let used = stat.and_then(|it| it.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let own = size(&path);
        n_bytes += own;
        n_folders += 1;
        others.push((used, path, own));
    }
    others.sort();
    for (used, path, own) in others {
        let is_enough = n_bytes <= limits.bytes && n_folders <= limits.folders;
        let is_in_use = used.elapsed().is_ok_and(|it| it < limits.rest);
        if is_enough || is_in_use {
            return;
        }
        // No link is followed, so that nothing outside of it goes.
        if fs::remove_dir_all(&path).is_ok() {
            n_bytes -= own;
            n_folders -= 1;
        }
    }
}

/// The bytes that a folder takes on disk, without what links lead to.
fn size(folder: &Path) -> u64 {
    let mut total = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).into_iter().flatten().flatten() {
            let Ok(stat) = entry.metadata() else { continue };
            total += stat.blocks() * 512;
            if stat.is_dir() {
                open.push(entry.path());
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(base: &Path) -> Vec<String> {
        let entries = fs::read_dir(base).unwrap();
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    ///
    #[test]
    fn another_repository_at_the_same_path_starts_from_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let (base, root) = (scratch.path().join("cache"), scratch.path().join("ws"));
        let folder = || build_folder(&base, &root, "rust", &BuildLimits::STANDARD).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        let first = folder();
        assert_eq!(first, folder());
        assert_ne!(first, build_folder(&base, &root, "go", &BuildLimits::STANDARD).unwrap());
        // Cloned anew into the same folder, and into one that was made anew.
        fs::rename(root.join(".git"), scratch.path().join("old")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        let second = folder();
        assert_ne!(first, second);
        fs::rename(&root, scratch.path().join("older")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        assert!(![first, second].contains(&folder()));
    }

    ///
    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().join("cache");
        let outside = scratch.path().join("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("precious"), "x").unwrap();
        let now = SystemTime::now();
        let old = |name: &str, hours: u64, n_bytes: usize| {
            let folder = base.join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("built"), vec![b'x'; n_bytes]).unwrap();
            std::os::unix::fs::symlink(&outside, folder.join("registry")).unwrap();
            fs::write(folder.join(USED), "").unwrap();
            let file = fs::File::open(folder.join(USED)).unwrap();
            file.set_modified(now - Duration::from_secs(60 * 60 * hours)).unwrap();
        };
        old("build-rust-a", 9, 600_000);
        old("build-rust-b", 5, 600_000);
        old("build-rust-c", 2, 600_000);
        old("other", 99, 600_000);
        let root = scratch.path().join("ws");
        fs::create_dir_all(&root).unwrap();
        let limits = |bytes| BuildLimits { bytes, ..BuildLimits::STANDARD };
        let folder = build_folder(&base, &root, "go", &limits(1_500_000)).unwrap();
        let own = folder.file_name().unwrap().to_str().unwrap();
        assert_eq!(names(&base), [own, "build-rust-b", "build-rust-c", "other"]);
        // What was used a while ago is left alone, however much there is.
        fs::remove_file(folder.join(USED)).unwrap();
        old("build-rust-d", 0, 600_000);
        build_folder(&base, &root, "go", &limits(1)).unwrap();
        assert_eq!(names(&base), [own, "build-rust-d", "other"]);
        assert!(outside.join("precious").exists());
    }
}
