//! Repairs as values: what a change resolves, what it may do to the meaning, and what it can be combined with.

use check::{Confidence, RepairClass, RepairKind, Safety, Scope};
use clank::code::Code;
use clank_syntax::ast::{Name, NodeId};
use clank_syntax::patch::PatchOp;

/// What a repair is about: a place in the list of the module's diagnostics, goals or holes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingId {
    /// `CheckedModule::diagnostics[i]`
    Diagnostic(usize),
    /// The i-th of `CheckedModule::goals()`.
    Goal(usize),
    /// The i-th of `CheckedModule::holes()`.
    Hole(usize),
}

/// A change that would make something go away.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// A short label: "rename `hh` to `h`".
    pub title: String,
    /// Why this is the repair.
    pub rationale: String,
    /// How sure it is. At most medium if it was not verified.
    pub confidence: Confidence,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What kind of change it is.
    pub kind: RepairKind,
    /// What it does about the cause, read off the operations.
    pub class: RepairClass,
    /// How much it touches, computed from the operations.
    pub scope: Scope,
    /// The nodes of the module that it touches.
    pub nodes: Vec<NodeId>,
    /// The codes of the mistakes that it resolves.
    pub codes: Vec<Code>,
    /// What to do, by file; the module's own file first. All or nothing.
    pub edits: Vec<(Name, Vec<PatchOp>)>,
    /// What will be gone, the one that it was made for first.
    pub resolves: Vec<FindingId>,
    /// The mistakes that can be seen when it is applied, in a text that could not be read before. They are not new.
    pub reveals: Vec<Code>,
    /// Whether it was applied and the program checked again: what it claims came true and nothing new came up.
    pub is_verified: bool,
    /// What it can be combined with, as places in the list of repairs.
    pub compatibility: RepairRelations,
}

/// What a repair can be combined with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RepairRelations {
    /// Repairs that it excludes, in either direction (RS-48, RS-51, RS-52, RS-53).
    pub conflicts_with: Vec<usize>,
    /// Repairs that come before it (RS-49, RS-55).
    pub requires: Vec<usize>,
    /// Repairs with the same key commute (RS-50, RS-54).
    pub batch_key: Option<String>,
}

/// The repairs of one module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModuleRepairs {
    /// In the order of preference; the first is the best (row 35).
    pub list: Vec<Repair>,
    /// What nothing is offered for, and why (row 55).
    pub without: Vec<(FindingId, String)>,
    /// How often the program was checked again to try them.
    pub n_checks: usize,
}

/// How much is tried. Counts, so that the same program always gets the same repairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// How many candidates are tried.
    pub candidates: usize,
    /// How many nodes are checked again: those of the declarations that a change concerns, what their proofs took, and a
    /// part of the others, which are taken over from before. Many mistakes in many functions take a few checks, many in one function whose goals
    /// depend on one another take one for each candidate.
    pub nodes: usize,
    /// How many candidates there are for one mistake, the likeliest first.
    pub per_target: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { candidates: 5_000, nodes: 3_000_000, per_target: 8 }
    }
}
