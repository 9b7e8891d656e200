//! The paths that a patch must not touch, in the words of patches.

use patch::{FailureCode, Refused, RefusedPaths};
use snapshot::RelPath;
use workspace::{Loaded, Refusal};

/// The name of a refusal that has one of its own, everywhere.
pub(crate) fn own_name(refusal: &Refusal) -> Option<&'static str> {
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
    let refused = |(path, refusal): (&RelPath, &Refusal)| {
        (path.clone(), Refused { code: code(refusal), reason: refusal.to_string() })
    };
    unchangeable.chain(&loaded.refused).map(refused).collect()
}

fn code(refusal: &Refusal) -> FailureCode {
    match refusal {
        Refusal::OutsideRoot | Refusal::Reserved => FailureCode::OutsideRoot,
        Refusal::LinkLoop | Refusal::DanglingLink | Refusal::Link => FailureCode::Link,
        Refusal::NotADirectory { .. } => FailureCode::NotADirectory,
        Refusal::TooLarge { .. } => FailureCode::TooLarge,
        Refusal::Special => FailureCode::NotAFile,
        Refusal::ReadOnly => FailureCode::ReadOnly,
        Refusal::PathTooLong { .. } => FailureCode::PathTooLong,
        Refusal::NestedRepository { .. } => FailureCode::NestedRepository,
        // Hard links, marks and mounts, and whatever else keeps a file as it is.
        _ => FailureCode::Protected,
    }
}
