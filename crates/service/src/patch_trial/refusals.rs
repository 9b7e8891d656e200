//! The paths that a patch must not touch, in the words of patches.

use patch::{FailureCode, Refused, RefusedPaths};
use snapshot::RelPath;
use workspace::{Loaded, PathRefusal};

/// The name of a refusal that has one of its own, everywhere.
pub(crate) fn own_name(refusal: &PathRefusal) -> Option<&'static str> {
    match code(refusal) {
        code @ (FailureCode::ReadOnly
        | FailureCode::PathTooLong
        | FailureCode::NestedRepository) => Some(code.name()),
        _ => None,
    }
}

/// What was refused; with `to_change`, also what may be read but not changed.
pub(crate) fn paths(loaded: &Loaded, to_change: bool) -> RefusedPaths {
    let unchangeable = loaded.unchangeable.iter().filter(|_| to_change);
    let refused = |(path, refusal): (&RelPath, &PathRefusal)| {
        (path.clone(), Refused { code: code(refusal), reason: refusal.to_string() })
    };
    unchangeable.chain(&loaded.refused).map(refused).collect()
}

fn code(refusal: &PathRefusal) -> FailureCode {
    match refusal {
        PathRefusal::OutsideRoot | PathRefusal::Reserved => FailureCode::OutsideRoot,
        PathRefusal::LinkLoop | PathRefusal::DanglingLink | PathRefusal::Link => FailureCode::Link,
        PathRefusal::NotADirectory { .. } => FailureCode::NotADirectory,
        PathRefusal::TooLarge { .. } => FailureCode::TooLarge,
        PathRefusal::Special => FailureCode::NotAFile,
        PathRefusal::ReadOnly => FailureCode::ReadOnly,
        PathRefusal::PathTooLong { .. } => FailureCode::PathTooLong,
        PathRefusal::NestedRepository { .. } => FailureCode::NestedRepository,
        // Hard links, marks and mounts, and whatever else keeps a file as it is.
        _ => FailureCode::Protected,
    }
}
