//! Whether a change stayed where the record may write (X-11, DF-36): both ends of a rename, the path of everything
//! else, and for a link also the place that it leads to.

use std::collections::VecDeque;

use snapshot::{Entry, RelPath, Snapshot, UnreadReason};

use super::{ChangeKind, Finding, PathChange};
use crate::scope::ScopeEntry;

/// Links that lead to links are followed this often.
const MAX_HOPS: usize = 40;
/// Segments walked while one link is followed.
const MAX_STEPS: usize = 10_000;

/// Everything that lies or leads outside the scope, and what could not be measured at all.
pub(super) fn outside(
    changes: &[PathChange],
    before: &Snapshot,
    after: &Snapshot,
    scope: &[ScopeEntry],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for change in changes {
        let mut find =
            |path: &RelPath, message: String| findings.push((Some(path.clone()), message));
        let is_directory =
            matches!(change.kind, ChangeKind::DirectoryMade | ChangeKind::DirectoryRemoved);
        if !admitted(&change.path, is_directory, before, scope) {
            find(&change.path, "is outside the scope".to_owned());
        }
        match &change.kind {
            ChangeKind::Rename { from } if !admitted(from, false, before, scope) => {
                find(from, format!("is outside the scope, and was renamed to {}", change.path));
            }
            ChangeKind::Special => {
                find(&change.path, "a pipe, a socket or a device is never allowed".to_owned())
            }
            _ => {}
        }
        match after.get(&change.path) {
            Some(Entry::Link { target }) => {
                let problem = match resolve(&change.path, target, after) {
                    Err(problem) => Some(problem),
                    Ok(reached) => {
                        let leads_to_directory = after.is_directory(&reached);
                        (!admitted(&reached, leads_to_directory, before, scope))
                            .then(|| format!("the link leads to {reached}, outside the scope"))
                    }
                };
                if let Some(problem) = problem {
                    find(&change.path, problem);
                }
            }
            Some(Entry::Unread {
                reason: UnreadReason::TooLarge | UnreadReason::Listed, ..
            }) => {
                find(
                    &change.path,
                    "was not read, so what changed in it cannot be judged".to_owned(),
                );
            }
            _ => {}
        }
    }
    findings
}

/// `src/` admits only what lies beneath; a directory is admitted by its own name too.
fn admitted(path: &RelPath, is_directory: bool, before: &Snapshot, scope: &[ScopeEntry]) -> bool {
    scope.iter().any(|entry| {
        (is_directory && entry.is_directory() && entry.path() == path)
            || entry.admits(path, |it| before.is_directory(it))
    })
}

/// Where the link at `path` leads to in the end, other links on the way followed.
fn resolve(path: &RelPath, target: &str, tree: &Snapshot) -> Result<RelPath, String> {
    let leaves = || "the link leads out of the workspace".to_owned();
    let mut reached: Vec<String> = segments_of(path.parent().as_ref());
    let mut waiting = queue(target).ok_or_else(leaves)?;
    let (mut n_hops, mut n_steps) = (0, 0);
    while let Some(segment) = waiting.pop_front() {
        n_steps += 1;
        match segment.as_str() {
            "" | "." => continue,
            ".." => {
                reached.pop().ok_or_else(leaves)?;
                continue;
            }
            _ => reached.push(segment),
        }
        let here = RelPath::parse(&reached.join("/"))
            .map_err(|error| format!("the link does not lead to a path of a workspace: {error}"))?;
        if let Some(Entry::Link { target }) = tree.get(&here) {
            n_hops += 1;
            if n_hops > MAX_HOPS || n_steps > MAX_STEPS {
                return Err("the link leads through too many links".to_owned());
            }
            reached.pop();
            let mut next = queue(target).ok_or_else(leaves)?;
            next.append(&mut waiting);
            waiting = next;
        }
    }
    RelPath::parse(&reached.join("/"))
        .map_err(|_| "the link leads to the root of the workspace".to_owned())
}

fn segments_of(path: Option<&RelPath>) -> Vec<String> {
    path.map(|it| it.segments().map(str::to_owned).collect()).unwrap_or_default()
}

/// The segments of a target; nothing if it starts at a root of its own.
fn queue(target: &str) -> Option<VecDeque<String>> {
    (!target.starts_with('/')).then(|| target.split('/').map(str::to_owned).collect())
}
