//! Programs repaired in memory, by the same loop and the same provider as `fix`.

use std::collections::BTreeSet;
use std::sync::Arc;

use check::{Environment, Parses, Safety, Stop};
use clank_repair::ClankCheck;
use document::Limits;
use edit::Text;
use engine::{Assessment, Fixed, Run, Sieve, Sources};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::assess::RECHECKS_PER_PASS;
use crate::config::Config;
use crate::failure::Failure;
use crate::setup::registry::Registry;

/// A tree of programs, as it is and as `fix` would leave it.
pub(crate) struct RepairedProgram {
    /// What is wrong with the files as they are.
    pub(crate) start: Assessment,
    /// What `fix` would make of them.
    pub(crate) fixed: Fixed,
}

/// The tree of these files.
pub(crate) fn tree(texts: impl IntoIterator<Item = (RelPath, Text)>) -> Result<Snapshot, Failure> {
    let entry = |(path, text)| (path, Entry::File(File::new(text, 0o644)));
    let snapshot = Snapshot::new(texts.into_iter().map(entry).collect());
    snapshot.map_err(|error| workspace::LoadError::Moving(error).into())
}

/// Looks at a tree and repairs it as far as that is as safe as this.
pub(crate) fn repaired(
    config: &Config,
    clank: &ClankCheck,
    snapshot: &Snapshot,
    safety: Safety,
    is_editable: &dyn Fn(&RelPath) -> bool,
) -> RepairedProgram {
    let sources = Sources::new(&[clank], Environment::default());
    let parses = Arc::new(Parses::new(Limits::DEFAULT).with_languages([clank::LANGUAGE]));
    let registry = Registry::new(vec![Arc::new(clank.clone())]);
    // Rules of others are none of its business.
    let sieve = Sieve { levels: registry.levels(&config.levels()).0, baseline: BTreeSet::new() };
    let stop = Stop::new();
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
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
    RepairedProgram { start, fixed }
}

impl RepairedProgram {
    /// Why the provider could not do its work, if it could not.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let first = self.start.failures.first()?;
        Some(Failure::Unusable { path: first.source.clone(), reason: first.message.clone() })
    }
}
