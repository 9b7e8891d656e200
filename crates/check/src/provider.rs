//! What every provider of findings implements: packs, compilers, linters.
//!
//! A provider is a pure function of a snapshot. What it wants to remember between two snapshots travels in its
//! [`Report`], not in the provider, so that the same provider can look at many versions of a tree in any order.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use snapshot::{RelPath, Snapshot};

use crate::coverage::Coverage;
use crate::diagnostic::Diagnostic;
use crate::parses::Parses;
use crate::repair::Repair;

/// Finds what is wrong in a tree and says what would repair it. Never writes.
pub trait Check: Send + Sync {
    /// The provider's plain name: the `source` of all it says.
    fn name(&self) -> &str;

    /// The names of its phases, in the order in which they look at a file. A later phase may need that the earlier
    /// ones succeeded.
    fn phases(&self) -> &[&'static str];

    /// Looks at the tree. The answer depends on the snapshot alone: `since` only saves work. May use the threads of
    /// the current rayon pool.
    fn check(&self, input: &Input<'_>) -> Result<Report, CheckError>;

    /// Which files of the tree it is about and how far it looked at each. The report is what it said of the same tree.
    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage;
}

/// What a provider gets to look at.
pub struct Input<'a> {
    /// The tree.
    pub snapshot: &'a Snapshot,
    /// An earlier look of the same provider, if there was one.
    pub since: Option<Since<'a>>,
    /// Parsed documents, shared by all providers.
    pub parses: &'a Parses,
}

/// An earlier look at another version of the tree.
#[derive(Clone, Copy)]
pub struct Since<'a> {
    /// What the provider said of it.
    pub report: &'a Report,
    /// The paths that are not as they were then: changed, added and removed ones.
    pub changed: &'a BTreeSet<RelPath>,
}

/// What a provider remembers about a tree it has looked at.
pub type Memory = Arc<dyn Any + Send + Sync>;

/// What a provider says about a tree. The order of the lists has no meaning.
#[derive(Clone, Default)]
pub struct Report {
    /// What is wrong, with ids assigned. All of it, not only what is new.
    pub diagnostics: Vec<Arc<Diagnostic>>,
    /// What would repair it, with ids assigned.
    pub repairs: Vec<Arc<Repair>>,
    /// The files in which not every phase could run, and the first phase that could not. What such a phase says later
    /// was hidden before, and is not new.
    pub blocked: BTreeMap<RelPath, &'static str>,
    /// For the provider's own use with the next version of the tree.
    pub memory: Option<Memory>,
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("diagnostics", &self.diagnostics)
            .field("repairs", &self.repairs)
            .field("blocked", &self.blocked)
            .finish_non_exhaustive()
    }
}

/// Why a provider could not do its work. Never what is wrong with the tree (AE-48).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CheckError {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened and what to do.
    pub message: String,
}

/// The ways in which a provider can fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// It is not there, or cannot be started.
    Unavailable,
    /// It did not answer in time.
    TimedOut,
    /// It ended before it had answered.
    Died,
    /// Its answer does not make sense.
    Garbled,
    /// It panicked. A defect.
    Panicked,
}

impl FailureKind {
    /// Whether the machine may be the reason rather than a defect: what a user can decide to put up with.
    pub fn is_absence(self) -> bool {
        matches!(self, FailureKind::Unavailable | FailureKind::TimedOut | FailureKind::Died)
    }
}
