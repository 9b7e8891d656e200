//! `apply`: writes what a patch asks for, as one transaction, and looks at the result (CS-66).

use std::collections::BTreeMap;

use patch::Patch;
use protocol::v1::RunPatch;
use snapshot::ApplyError;
use workspace::{CommitError, IndexUpdate, Meta, TransactionId};

use crate::PatchReply;
use crate::commands::log::TITLE;
use crate::commands::validate::reply;
use crate::failure::Failure;
use crate::patch_trial;
use crate::patch_trial::recheck::recheck;
use crate::patch_trial::{PatchTrial, Simulated, TrialPurpose};
use crate::session::Session;

/// Applies the patch. If a file changed on disk in between, the patch is tried once more on the new contents.
pub fn apply(session: &Session, request: &RunPatch) -> Result<PatchReply, Failure> {
    let request = &crate::compiler::repair_document::lowered(session, request)?;
    // From the first look at the files on, no other regreen writes to them: each of many that want to gets its turn.
    let _hold = session.workspace.hold()?;
    let mut retried = None;
    loop {
        let trial =
            patch_trial::run(session, &request.patch, TrialPurpose::Change, request.show_values)?;
        let mut reply = reply(&trial, request)?;
        reply.retried.clone_from(&retried);
        let PatchTrial::Simulated(simulated) = trial else { return Ok(reply) };
        match commit(session, request, &simulated) {
            Ok(None) => return Ok(reply),
            Ok(Some(id)) => {
                reply.report.transaction = Some(id.to_string());
                reply.report.recheck = Some(recheck(session, &simulated));
                return Ok(reply);
            }
            Err(error) => match (stale_path(&error), retried.take()) {
                (Some(path), None) => retried = Some(path),
                (Some(path), Some(_)) => return Err(Failure::KeepsChanging { path }),
                (None, _) => return Err(error.into()),
            },
        }
    }
}

fn commit(
    session: &Session,
    request: &RunPatch,
    simulated: &Simulated,
) -> Result<Option<TransactionId>, CommitError> {
    let change = &simulated.simulation.change;
    let index = simulated
        .new_index
        .as_ref()
        .map(|it| IndexUpdate { base: simulated.index.base, index: it.clone() });
    session.workspace.commit(change, index.as_ref(), &meta(request, simulated))
}

/// What the log keeps: running `apply` is itself the approval of the document, so its hash is recorded.
fn meta(request: &RunPatch, simulated: &Simulated) -> Meta {
    let n_applied = simulated.simulation.applied.len();
    let title = match &simulated.patch {
        Patch::Changeset(changeset) => format!("changeset {}", changeset.changeset_uid),
        Patch::Edits(_) => "edits document".to_owned(),
        Patch::Repairs(_) | Patch::JsonPatch(_) | Patch::Fixes(_) => {
            let word = if n_applied == 1 { "operation" } else { "operations" };
            format!("{}, {n_applied} {word}", simulated.patch.kind())
        }
        Patch::FixActions(_) | Patch::Foreign(_) if n_applied == 1 => {
            "fix actions, 1 operation".to_owned()
        }
        Patch::FixActions(_) | Patch::Foreign(_) => format!("fix actions, {n_applied} operations"),
    };
    let hash = edit::ContentHash::of(&request.patch.bytes).to_string();
    let notes = [
        (TITLE, title),
        ("approved", "apply was run with this document".to_owned()),
        ("patch", hash),
    ];
    let notes: BTreeMap<String, String> =
        notes.into_iter().map(|(name, note)| (name.to_owned(), note)).collect();
    Meta { command: "apply".to_owned(), time: None, notes }
}

/// The file that another program changed between our reading and our writing it.
pub(crate) fn stale_path(error: &CommitError) -> Option<String> {
    match error {
        CommitError::Apply(
            ApplyError::Stale { path, .. }
            | ApplyError::Exists { path }
            | ApplyError::Missing { path },
        )
        | CommitError::ChangedMeanwhile { path } => Some(path.to_string()),
        CommitError::StaleIndex => Some(".regreen/files.json".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
