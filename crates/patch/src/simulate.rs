//! What a patch document would do to a snapshot: validated, simulated in order, and lowered to one change.
//!
//! Operation k sees what operations 0..k-1 did (CS-64). A fix action is all or nothing and the next one goes on; a
//! changeset is all or nothing and stops at its first failing operation. Nothing is ever written here.

mod changeset;
mod conflict;
mod file;
mod fix_actions;
pub(crate) mod tree;

pub use tree::resolve_links;

use check::Diagnostic;
use document::Limits;
use edit::{ContentHash, Edit, EditSet};
use snapshot::{FileIndex, RelPath, Snapshot, TreeChange};

use crate::diagnose;
use crate::edits;
use crate::failure::{FailedOp, FailureCause, OpFailureCode, RefusedPaths};
use crate::fixes;
use crate::import;
use crate::json_patch;
use crate::kind::{Patch, PatchKind};
pub(crate) use file::SimulationStop;
use tree::{Alone, SimulatedTree};

/// What a simulation needs to know besides the patch and the files.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// What the patch document is called in findings about the whole of it.
    pub document_name: &'a str,
    /// Bounds on the files that are parsed.
    pub limits: Limits,
    /// Whether values of files may appear in the report.
    pub show_values: bool,
    /// The hash of the whole workspace, for changesets that name the one they were made for; `None` takes the hash of
    /// the snapshot, which is right only if the snapshot is whole (see [`crate::needs_whole_tree`]).
    pub workspace_hash: Option<ContentHash>,
    /// The paths that must not be touched: an operation on one of them fails for the reason that is given.
    pub refused: &'a RefusedPaths,
}

impl Options<'_> {
    /// Default limits, no values, the snapshot is whole, every path may be touched.
    pub const DEFAULT: Options<'static> = Options {
        document_name: "<patch>",
        limits: Limits::DEFAULT,
        show_values: false,
        workspace_hash: None,
        refused: &RefusedPaths::new(),
    };
}

/// An operation that was applied, or that would have been had a later one of its changeset not failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AppliedOp {
    /// The fix action that it belongs to.
    pub action_id: Option<String>,
    /// Its index among the operations of its action, or of the changeset.
    pub op_index: usize,
    /// The operation's name in its contract.
    pub op: &'static str,
    /// The file, where it stood before the operation.
    pub file: String,
    /// The place in the file.
    pub json_pointer: Option<String>,
}

/// What a patch document does to a snapshot.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulation {
    /// The contract of the document.
    pub kind: PatchKind,
    /// Whether every operation was applied.
    pub ok: bool,
    /// The change to make; empty if a changeset or edits document failed.
    pub change: TreeChange,
    /// The file index after the change.
    pub index: FileIndex,
    /// What was applied, in order. If a changeset failed, what would have been (CS-17).
    pub applied: Vec<AppliedOp>,
    /// What failed, in order.
    pub failed: Vec<FailedOp>,
    /// Findings: those about operations in their order, then those about the whole (CS-45, CS-46).
    pub diagnostics: Vec<Diagnostic>,
}

/// Simulates a patch document against a snapshot. `index` says which file is which.
pub fn simulate(
    patch: &Patch,
    snapshot: &Snapshot,
    index: &FileIndex,
    options: &Options<'_>,
) -> Simulation {
    let mut simulation = match patch {
        Patch::FixActions(document) => with_restarts(
            |alone, n_units| {
                let tree = new_tree(snapshot, options, alone);
                fix_actions::simulate(document, tree, index, n_units)
            },
            document.fix_actions.len(),
            PatchKind::FixActions,
            index,
        ),
        Patch::Changeset(changeset) => with_restarts(
            |alone, n_units| {
                let tree = new_tree(snapshot, options, alone);
                changeset::simulate(changeset, tree, snapshot, index, options, n_units)
            },
            changeset.ops.len(),
            PatchKind::Changeset,
            index,
        ),
        Patch::Edits(document) => edits::simulate(document, snapshot, index, options.refused),
        Patch::Repairs(repairs) => {
            let fixes = repairs.lower(snapshot, options);
            fixes::simulate(&fixes, snapshot, index, options.refused)
        }
        Patch::JsonPatch(patch) => json_patch::simulate(patch, snapshot, index, options),
        Patch::Fixes(document) => fixes::simulate(document, snapshot, index, options.refused),
        Patch::Foreign(foreign) => match import::import(foreign, snapshot, index, options) {
            Ok(patch) => return simulate(&patch, snapshot, index, options),
            Err(rejection) => {
                let mut refused = Simulation::nothing(foreign.kind(), index);
                (refused.failed, refused.diagnostics) = (rejection.failed, rejection.diagnostics);
                refused.ok = false;
                refused
            }
        },
    };
    simulation.change = without_idle_edits(simulation.change, snapshot);
    // A finding about no file is about the document, where the operation's pointer means nothing.
    for it in simulation.diagnostics.iter_mut().filter(|it| it.file.is_empty()) {
        options.document_name.clone_into(&mut it.file);
        it.json_pointer = None;
    }
    check::assign_ids(&mut simulation.diagnostics);
    simulation
}

/// The change without edits that put in place what already exists: what changes nothing is not a change.
fn without_idle_edits(change: TreeChange, snapshot: &Snapshot) -> TreeChange {
    let is_idle = |path: &RelPath, edits: &EditSet| {
        let text = snapshot.file(path).map(|it| it.text()).unwrap_or_default();
        let bytes = text.bytes();
        let is_there = |it: &Edit| bytes.get(it.start as usize..it.end as usize) == Some(&*it.text);
        edits.edits().iter().all(is_there)
    };
    if !change.edits().iter().any(|(path, edits)| is_idle(path, edits)) {
        return change;
    }
    let edits = change.edits().iter().filter(|(path, edits)| !is_idle(path, edits));
    let edits = edits.map(|(path, edits)| (path.clone(), edits.clone())).collect();
    let (adds, deletes) = (change.adds().clone(), change.deletes().clone());
    TreeChange::new(edits, adds, deletes, change.renames().clone())
        .expect("a part of a change is a change")
}

fn new_tree<'a>(
    snapshot: &'a Snapshot,
    options: &Options<'a>,
    alone: &'a Alone,
) -> SimulatedTree<'a> {
    SimulatedTree::new(snapshot, options, alone)
}

impl Simulation {
    pub(crate) fn nothing(kind: PatchKind, index: &FileIndex) -> Simulation {
        Simulation {
            kind,
            ok: true,
            change: TreeChange::default(),
            index: index.clone(),
            applied: Vec::new(),
            failed: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Notes a failed operation and its diagnostic.
    pub(crate) fn fail(&mut self, failed: FailedOp, op: &str, message: &str) {
        self.ok = false;
        self.diagnostics.push(diagnose::of_failed(self.kind, &failed, op, message));
        self.failed.push(failed);
    }
}

/// After this many units that spoil the lowering, every unit is tried alone.
const MAX_SPOILERS: usize = 4;

/// Runs the simulation. Where what was gathered cannot be lowered together, finds the first unit that spoils it by
/// running ever smaller parts, and starts over with that unit tried alone: it then fails by itself and is named, or
/// it is fine on the lowered text.
fn with_restarts(
    run: impl Fn(&Alone, usize) -> Result<Simulation, SimulationStop>,
    n_units: usize,
    kind: PatchKind,
    index: &FileIndex,
) -> Simulation {
    let mut alone = Alone::default();
    loop {
        let failure = match run(&alone, n_units) {
            Ok(simulation) => return simulation,
            Err(SimulationStop::Restart(_)) if !alone.all => {
                let spoiler = first_spoiler(&run, &alone, n_units);
                alone.all = alone.units.len() >= MAX_SPOILERS || !alone.units.insert(spoiler);
                continue;
            }
            Err(SimulationStop::Restart(path)) => FailureCause::new(
                OpFailureCode::RefusedByDocument,
                format!("{path} cannot take the changes together"),
            ),
            Err(SimulationStop::Failed(failure, _)) => *failure,
        };
        let mut simulation = Simulation::nothing(kind, index);
        simulation.ok = false;
        let rule = diagnose::semantic_rule(kind, failure.code.name());
        let severity = check::Severity::Error;
        simulation.diagnostics.push(diagnose::diagnostic(
            rule,
            severity,
            "",
            None,
            failure.message,
        ));
        return simulation;
    }
}

/// The last unit of the shortest part that cannot be lowered.
fn first_spoiler(
    run: &impl Fn(&Alone, usize) -> Result<Simulation, SimulationStop>,
    alone: &Alone,
    n_units: usize,
) -> usize {
    let (mut fine, mut spoiled) = (0, n_units);
    while spoiled - fine > 1 {
        let middle = fine + (spoiled - fine) / 2;
        match run(alone, middle) {
            Err(SimulationStop::Restart(_)) => spoiled = middle,
            _ => fine = middle,
        }
    }
    fine
}

/// The report's view of a failure of an operation on a file.
fn failed_op(
    action_id: Option<&str>,
    op_index: usize,
    file: &str,
    pointer: Option<&document::Pointer>,
    failure: &FailureCause,
) -> FailedOp {
    FailedOp {
        action_id: action_id.map(str::to_owned),
        op_index,
        code: failure.code,
        file: file.to_owned(),
        json_pointer: failure.at.as_ref().or(pointer).map(document::Pointer::to_string),
        expected: failure.expected.clone(),
        found: failure.found.clone(),
    }
}
