//! The paths that a patch must not touch, in the words of patches.

use patch::{Code, Refused, RefusedPaths};
use snapshot::RelPath;
use workspace::{Loaded, Refusal};

/// What was refused; with `to_change`, also what may be read but not changed.
pub(crate) fn paths(loaded: &Loaded, to_change: bool) -> RefusedPaths {
    let unchangeable = loaded.unchangeable.iter().filter(|_| to_change);
    let refused = |(path, refusal): (&RelPath, &Refusal)| {
        (path.clone(), Refused { code: code(refusal), reason: refusal.to_string() })
    };
    unchangeable.chain(&loaded.refused).map(refused).collect()
}

fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::OutsideRoot | Refusal::Reserved => Code::OutsideRoot,
        Refusal::LinkLoop | Refusal::DanglingLink | Refusal::Link => Code::Link,
        Refusal::NotADirectory { .. } => Code::NotADirectory,
        Refusal::TooLarge { .. } => Code::TooLarge,
        Refusal::Special => Code::NotAFile,
        // Hard links, write protection, marks and mounts, and whatever else keeps a file as it is.
        _ => Code::Protected,
    }
}
