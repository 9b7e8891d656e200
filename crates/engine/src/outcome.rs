//! What a run of [`crate::fix`] is asked for and what it says.

use std::collections::BTreeSet;
use std::sync::Arc;

use check::{Repair, RepairClass};
use plan::{Policy, Rejection};
use snapshot::{RelPath, TreeChange};

use crate::assessment::Assessment;

/// What may be done, and how much work it may cost.
pub struct Options<'a> {
    /// Which repairs may be applied.
    pub policy: &'a Policy,
    /// Which files may be edited.
    pub is_editable: &'a dyn Fn(&RelPath) -> bool,
    /// Which repairs are wanted at all; the others are not even reported as rejected.
    pub wants: &'a dyn Fn(&Repair) -> bool,
    /// How often a batch of repairs may be tried.
    pub max_passes: usize,
    /// How much work it may be to ask the providers about new versions of the tree. The unit is a look in this process;
    /// others weigh more ([`check::Cost::weight`]). A run that starts over because a provider changed its mind counts from
    /// the beginning, so that the others do not pay for it.
    pub max_rechecks: usize,
}

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// A batch is about to be tried.
    Pass {
        /// Which one, from 1.
        number: usize,
        /// How many errors are left.
        errors: usize,
        /// How many warnings are left.
        warnings: usize,
    },
    /// A batch failed, and those who are to blame are looked for.
    Isolating {
        /// How many repairs of the batch are settled.
        tried: usize,
        /// How many there are.
        of: usize,
    },
}

/// A repair that was applied and did what it claimed.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The repair.
    pub repair: Arc<Repair>,
    /// What it does about the cause.
    pub class: RepairClass,
    /// In which pass, from 1.
    pub pass: usize,
    /// The place among [`Fixed::trees`] of the tree that it was applied to.
    pub tree: usize,
    /// The files that it touched, in order.
    pub files: Vec<RelPath>,
    /// Whether all that it claimed to resolve is gone and nothing got worse. What is applied is verified.
    pub verified: bool,
}

/// A repair that was not applied.
#[derive(Clone, Debug)]
pub struct RejectedRepair {
    /// The repair.
    pub repair: Arc<Repair>,
    /// What it does about the cause.
    pub class: RepairClass,
    /// Why.
    pub rejection: Rejection,
}

/// Why there was no further pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nothing was left to apply.
    Settled,
    /// Repairs undid one another in turn. The best version of the tree was kept.
    Cycle {
        /// The rules whose repairs did.
        rules: BTreeSet<String>,
        /// After how many passes the tree was the same again.
        period: usize,
    },
    /// As many batches were tried as may be.
    PassBudget,
    /// The providers were asked as often as they may be.
    RecheckBudget,
    /// The time was over.
    TimeBudget,
    /// Somebody did not want the result any more.
    Cancelled,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// What is known of the tree after it.
    pub end: Assessment,
    /// What takes the tree there.
    pub change: TreeChange,
    /// What is known of the trees that led there, in order; the first is the one at the start.
    pub trees: Vec<Assessment>,
    /// What was applied, in order.
    pub applied: Vec<Applied>,
    /// The last word on every other repair, the best ranked first.
    pub rejected: Vec<RejectedRepair>,
    /// How many batches were tried.
    pub passes: usize,
    /// How often the providers were asked about a new version of the tree.
    pub rechecks: usize,
    /// Why there was no further pass.
    pub ending: Ending,
    /// What else people should know.
    pub notes: Vec<String>,
}
