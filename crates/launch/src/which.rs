//! Finds programs on the user's `PATH`, and never in the repository that is looked at.
//!
//! A clone can bring a `node_modules/.bin/ruff`, and a `PATH` with `.` or `node_modules/.bin` in it is not rare. An entry
//! that is relative, that lies in a forbidden root, or that leads there through a link is passed over, and so is a program
//! that is a link into one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::shims::{self, Followed};

/// What was found on a `PATH`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The program, as the `PATH` names it.
    pub found: Option<PathBuf>,
    /// What was passed over before it, in the order of the `PATH`.
    pub skipped: Vec<Skipped>,
}

/// A place that was not looked at, or not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The entry of the `PATH`, or the program in it.
    pub path: PathBuf,
    /// Why.
    pub reason: SkipReason,
}

/// Why something on a `PATH` does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// The entry is relative, so that it depends on where regreen is started.
    Relative,
    /// It lies in this root, or leads there.
    InRoot {
        /// The root.
        root: PathBuf,
    },
    /// It is a shim of a version manager that only the manager can follow.
    Shim,
}

/// Looks for the program `name` in the entries of `path_var`; a shim is followed. A name with a slash is not looked for.
pub fn which(name: &OsStr, path_var: &OsStr, forbidden_roots: &[PathBuf]) -> Search {
    let mut search = Search::default();
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return search;
    }
    let roots: Vec<(&PathBuf, PathBuf)> = forbidden_roots
        .iter()
        .map(|root| (root, fs::canonicalize(root).unwrap_or_else(|_| root.clone())))
        .collect();
    for entry in std::env::split_paths(path_var) {
        if !entry.is_absolute() {
            search.skipped.push(Skipped { path: entry, reason: SkipReason::Relative });
            continue;
        }
        if let Some(reason) = in_root(&entry, &roots) {
            search.skipped.push(Skipped { path: entry, reason });
            continue;
        }
        let candidate = entry.join(name);
        if !is_program(&candidate) {
            continue;
        }
        if let Some(reason) = in_root(&candidate, &roots) {
            search.skipped.push(Skipped { path: candidate, reason });
            continue;
        }
        search.found = Some(match shims::follow(&candidate, name) {
            None => candidate,
            Some(Followed::Program(program)) => program,
            Some(Followed::System) => continue,
            Some(Followed::Unknown) => {
                search.skipped.push(Skipped { path: candidate, reason: SkipReason::Shim });
                continue;
            }
        });
        break;
    }
    search
}

fn in_root(path: &Path, roots: &[(&PathBuf, PathBuf)]) -> Option<SkipReason> {
    let real = fs::canonicalize(path).ok();
    let lies_in = |root: &Path| {
        path.starts_with(root) || real.as_ref().is_some_and(|real| real.starts_with(root))
    };
    let (root, _) = roots.iter().find(|(root, real)| lies_in(root) || lies_in(real))?;
    Some(SkipReason::InRoot { root: (*root).clone() })
}

pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file())
        && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}
