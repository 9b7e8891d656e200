//! Fix actions: in canonical order, each all or nothing, the next one goes on (FA-40, FA-41, FA-46, X-4).

use check::Severity;
use document::Pointer;
use snapshot::FileIndex;

use super::file::SimulationStop;
use super::tree::{FileId, SimulatedTree};
use super::{AppliedOp, Simulation, failed_op};
use crate::diagnose;
use crate::failure::FailureCause;
use crate::kind::PatchKind;
use crate::v1::{FixAction, FixActions};

/// Places in files are looked up for this many failures; a hostile document can have as many as it likes.
const MAX_LOCATED: usize = 100;

pub(super) fn simulate(
    document: &FixActions,
    mut tree: SimulatedTree<'_>,
    index: &FileIndex,
    n_units: usize,
) -> Result<Simulation, SimulationStop> {
    let mut simulation = Simulation::nothing(PatchKind::FixActions, index);
    for action in document.in_canonical_order().into_iter().take(n_units) {
        match apply_action(document, action, &mut tree) {
            Ok(applied) => simulation.applied.extend(applied),
            Err(ActionStop::Restart(stop)) => return Err(stop),
            Err(ActionStop::Failed { op_index, file, failure }) => {
                fail(document, action, op_index, file, &failure, &tree, &mut simulation);
                tree.undo_unit();
            }
        }
    }
    if !document.is_canonical() {
        let rule = diagnose::semantic_rule(PatchKind::FixActions, "order");
        let message = "the actions are not in the contract's order (severity, file, pointer, rule, title); \
                       they were applied in that order, so that the order of listing has no effect";
        simulation.diagnostics.push(diagnose::diagnostic(
            rule,
            Severity::Info,
            "",
            None,
            message.to_owned(),
        ));
    }
    simulation.change = tree.into_change()?;
    Ok(simulation)
}

enum ActionStop {
    Failed { op_index: usize, file: Option<FileId>, failure: Box<FailureCause> },
    Restart(SimulationStop),
}

fn apply_action(
    document: &FixActions,
    action: &FixAction,
    tree: &mut SimulatedTree<'_>,
) -> Result<Vec<AppliedOp>, ActionStop> {
    let mut applied = Vec::with_capacity(action.ops.len());
    for (op_index, op) in action.ops.iter().enumerate() {
        let failed =
            |file, failure| ActionStop::Failed { op_index, file, failure: Box::new(failure) };
        let path = document.resolve(&op.file);
        let id = tree.open(&path).map_err(|failure| failed(None, failure))?;
        let at = tree.plain(id, op.document, &op.json_pointer);
        let at = at.map_err(|failure| failed(Some(id), failure))?;
        let json_pointer = Some(at.to_string());
        tree.apply(id, op_index, &op.to_step(at)).map_err(|stop| match stop {
            SimulationStop::Failed(failure, other) => {
                let op_index = other.unwrap_or(op_index);
                ActionStop::Failed { op_index, file: Some(id), failure }
            }
            restart => ActionStop::Restart(restart),
        })?;
        applied.push(AppliedOp {
            action_id: Some(action.id.clone()),
            op_index,
            op: op.kind.name(),
            file: tree.file(id).path.to_string(),
            json_pointer,
        });
    }
    tree.keep_unit();
    Ok(applied)
}

fn fail(
    document: &FixActions,
    action: &FixAction,
    op_index: usize,
    file: Option<FileId>,
    failure: &FailureCause,
    tree: &SimulatedTree<'_>,
    simulation: &mut Simulation,
) {
    let op = &action.ops[op_index.min(action.ops.len() - 1)];
    let path = match file {
        Some(id) => tree.file(id).path.to_string(),
        None => document.resolve(&op.file).to_string(),
    };
    let root = Pointer::root();
    let pointer = if op.json_pointer.is_lone_slash() { &root } else { &op.json_pointer };
    let failed = failed_op(Some(&action.id), op_index, &path, Some(pointer), failure);
    simulation.fail(failed, op.kind.name(), &failure.message);
    if simulation.failed.len() <= MAX_LOCATED
        && let (Some(id), Some(diagnostic)) = (file, simulation.diagnostics.last_mut())
    {
        let at = failure.at.as_ref().unwrap_or(pointer);
        diagnostic.location = tree.file(id).locate(failure, op.document, Some(at));
    }
}
