//! Programs repaired in memory, by the same loop and the same provider as `fix`.

use std::collections::BTreeSet;

use ::clank::ClankCheck;
use check::{Check, Parses, Safety};
use document::Limits;
use edit::Text;
use engine::{Assessment, Fixed, Run, Sieve};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::commands::RECHECKS_PER_PASS;
use crate::config::Config;
use crate::failure::Failure;

/// A tree of programs, as it is and as `fix` would leave it.
pub(super) struct Repaired {
    /// What is wrong with the files as they are.
    pub(super) start: Assessment,
    /// What `fix` would make of them.
    pub(super) fixed: Fixed,
}

/// The tree of these files.
pub(super) fn tree(texts: impl IntoIterator<Item = (RelPath, Text)>) -> Result<Snapshot, Failure> {
    let entry = |(path, text)| (path, Entry::File(File { text, mode: 0o644 }));
    let snapshot = Snapshot::new(texts.into_iter().map(entry).collect());
    snapshot.map_err(|error| workspace::LoadError::Moving(error).into())
}

/// Looks at a tree and repairs it as far as that is as safe as this.
pub(super) fn repaired(
    config: &Config,
    clank: &ClankCheck,
    snapshot: &Snapshot,
    safety: Safety,
    is_editable: &dyn Fn(&RelPath) -> bool,
) -> Repaired {
    let checks: [&dyn Check; 1] = [clank];
    let parses = Parses::new(Limits::DEFAULT).with_language("clank", super::LANGUAGE);
    let sieve = Sieve { levels: config.levels(), baseline: BTreeSet::new() };
    let run = Run { checks: &checks, parses: &parses, sieve: &sieve };
    let start = engine::assess(&run, snapshot, None);
    let policy = Policy { safety, allow: BTreeSet::new() };
    let options = engine::Options {
        policy: &policy,
        is_editable,
        wants: &|_| true,
        max_passes: config.max_passes,
        max_rechecks: config.max_passes.saturating_mul(RECHECKS_PER_PASS),
    };
    let fixed = engine::fix(&run, &start, &options, &mut |_| {});
    Repaired { start, fixed }
}

impl Repaired {
    /// Why the provider could not do its work, if it could not.
    pub(super) fn failure(&self) -> Option<Failure> {
        let first = self.start.failures.first()?;
        Some(Failure::Unusable { path: first.source.clone(), reason: first.message.clone() })
    }
}
