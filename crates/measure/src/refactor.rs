//! `no_refactor`: whether code was restructured, measured on its structure and not by the number of files.
//!
//! It is a refactoring if a file was moved or renamed; if more than half of the lines of a file went that had at
//! least 20, or more than 30 % over several files; if many lines changed in nothing but white space; or if a
//! top-level definition was renamed, moved to another file or put into another order. New definitions, changed
//! bodies and deleted files are none.

mod definitions;
mod items;
mod lines;

use edit::Text;
use snapshot::{RelPath, Snapshot};

use super::changes::renames_may_be_missed;
use super::{ChangeKind, Finding, PathChange};

/// Files beyond this size are not compared.
const MAX_BYTES: usize = 8 << 20;

/// Everything about the change that restructures.
pub(super) fn refactorings(
    changes: &[PathChange],
    before: &Snapshot,
    after: &Snapshot,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for change in changes {
        if let ChangeKind::Rename { from } = &change.kind {
            findings.push((Some(change.path.clone()), format!("was moved or renamed from {from}")));
        }
    }
    if renames_may_be_missed(changes, before, after) {
        let message =
            "so many files were removed and added that renames cannot be judged".to_owned();
        findings.push((None, message));
    }
    findings.extend(lines::rewritten(&versions(changes, before, after)));
    findings.extend(definitions::restructured(&versions(changes, before, after)));
    findings
}

/// A file with its text before and after the change, as far as there was one.
struct Version<'a> {
    path: &'a RelPath,
    old: Option<Text>,
    new: Option<Text>,
}

/// The regular files among the changes. A renamed one is told of above, and compared with what it was.
fn versions<'a>(
    changes: &'a [PathChange],
    before: &Snapshot,
    after: &Snapshot,
) -> Vec<Version<'a>> {
    let versions = changes.iter().map(|change| {
        let old = match &change.kind {
            ChangeKind::Rename { from } => from,
            _ => &change.path,
        };
        let text = |snapshot: &Snapshot, path: &RelPath| snapshot.file(path).map(|it| it.text());
        Version { path: &change.path, old: text(before, old), new: text(after, &change.path) }
    });
    versions.filter(|it| it.old != it.new).collect()
}

/// Whether a file holds no text.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|it| *it == 0)
}
