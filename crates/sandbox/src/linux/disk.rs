//! How much lies beneath the writable paths.
//!
//! A walk sees names; files that have none any more are found where a process holds them open. What cannot be
//! looked at counts as too much, because a job could hide behind it. One file alone is bounded by a limit of
//! the kernel too.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::process::Pid;

use super::processes;

/// What an entry counts at least: names and empty files fill a disk too.
const ENTRY: u64 = 4096;

/// Bytes beneath the paths, symbolic links not followed. Stops as soon as there are more than `most`; `None`
/// means more than that, or a place that cannot be looked at.
pub(crate) fn bytes(paths: &[PathBuf], most: u64) -> Option<u64> {
    let mut sum: u64 = 0;
    let mut waiting: Vec<PathBuf> = outermost(paths);
    while let Some(path) = waiting.pop() {
        let about = match fs::symlink_metadata(&path) {
            Ok(about) => about,
            Err(error) if is_gone(error.kind()) => continue,
            Err(_) => return None,
        };
        sum = sum.saturating_add(about.len().max(about.blocks().saturating_mul(512)).max(ENTRY));
        if sum > most {
            return None;
        }
        if !about.is_dir() {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.flatten().map(|entry| entry.path())),
            Err(error) if is_gone(error.kind()) => {}
            Err(_) => return None,
        }
    }
    Some(sum)
}

/// Bytes of the files that the processes hold open and that have no name any more, those in memory included.
pub(crate) fn nameless(members: &[Pid]) -> u64 {
    let mut seen = BTreeSet::new();
    let mut sum: u64 = 0;
    for pid in members {
        let Ok(files) = fs::read_dir(processes::place(*pid).join("fd")) else { continue };
        for file in files.flatten().map(|file| file.path()) {
            let has_no_name = fs::read_link(&file)
                .is_ok_and(|name| name.as_os_str().as_bytes().ends_with(b" (deleted)"));
            let Some(about) = has_no_name.then(|| fs::metadata(&file).ok()).flatten() else {
                continue;
            };
            if about.nlink() == 0 && seen.insert((about.dev(), about.ino())) {
                sum = sum.saturating_add(about.blocks().saturating_mul(512));
            }
        }
    }
    sum
}

/// The paths without those that lie beneath another one.
fn outermost(paths: &[PathBuf]) -> Vec<PathBuf> {
    let beneath =
        |path: &PathBuf| paths.iter().any(|other| other != path && path.starts_with(other));
    let mut outermost: Vec<PathBuf> = paths.iter().filter(|path| !beneath(path)).cloned().collect();
    outermost.sort();
    outermost.dedup();
    outermost
}

fn is_gone(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
