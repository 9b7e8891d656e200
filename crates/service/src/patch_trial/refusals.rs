//! The paths that a patch must not touch, in the words of patches.

use patch::{OpFailureCode, Refused, RefusedPaths};
use snapshot::RelPath;
use workspace::{Loaded, PathRefusal};

/// The name of a refusal that has one of its own, everywhere.
pub(crate) fn own_name(refusal: &PathRefusal) -> Option<&'static str> {
    match code(refusal) {
        code @ (OpFailureCode::ReadOnly
        | OpFailureCode::PathTooLong
        | OpFailureCode::NestedRepository) => Some(code.name()),
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

fn code(refusal: &PathRefusal) -> OpFailureCode {
    match refusal {
        PathRefusal::OutsideRoot | PathRefusal::Reserved => OpFailureCode::OutsideRoot,
        PathRefusal::LinkLoop | PathRefusal::DanglingLink | PathRefusal::Link => {
            OpFailureCode::Link
        }
        PathRefusal::NotADirectory { .. } => OpFailureCode::NotADirectory,
        PathRefusal::TooLarge { .. } => OpFailureCode::TooLarge,
        PathRefusal::Special => OpFailureCode::NotAFile,
        PathRefusal::ReadOnly => OpFailureCode::ReadOnly,
        PathRefusal::PathTooLong { .. } => OpFailureCode::PathTooLong,
        PathRefusal::NestedRepository { .. } => OpFailureCode::NestedRepository,
        // Hard links, marks and mounts, and whatever else keeps a file as it is.
        _ => OpFailureCode::Protected,
    }
}
