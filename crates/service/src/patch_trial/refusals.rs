//! The paths that a patch must not touch, in the words of patches.

use patch::{OpFailureCode, Refused, RefusedPaths};
use snapshot::RelPath;
use workspace::{Loaded, Refusal};

/// The name of a refusal that has one of its own, everywhere.
pub(crate) fn own_name(refusal: &Refusal) -> Option<&'static str> {
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
    let refused = |(path, refusal): (&RelPath, &Refusal)| {
        (path.clone(), Refused { code: code(refusal), reason: refusal.to_string() })
    };
    unchangeable.chain(&loaded.refused).map(refused).collect()
}

fn code(refusal: &Refusal) -> OpFailureCode {
    match refusal {
        Refusal::OutsideRoot | Refusal::Reserved => OpFailureCode::OutsideRoot,
        Refusal::LinkLoop | Refusal::DanglingLink | Refusal::Link => OpFailureCode::Link,
        Refusal::NotADirectory { .. } => OpFailureCode::NotADirectory,
        Refusal::TooLarge { .. } => OpFailureCode::TooLarge,
        Refusal::Special => OpFailureCode::NotAFile,
        Refusal::ReadOnly => OpFailureCode::ReadOnly,
        Refusal::PathTooLong { .. } => OpFailureCode::PathTooLong,
        Refusal::NestedRepository { .. } => OpFailureCode::NestedRepository,
        // Hard links, marks and mounts, and whatever else keeps a file as it is.
        _ => OpFailureCode::Protected,
    }
}
