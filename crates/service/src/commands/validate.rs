//! `validate`: what a patch would do. Writes nothing (CS-2).

use protocol::v1::RunPatch;

use crate::PatchReply;
use crate::failure::Failure;
use crate::patch_trial;
use crate::patch_trial::{PatchTrial, Simulated, TrialPurpose};
use crate::session::Session;
use crate::wire::changes::{FileChange, file_changes, list_changes};

/// Tries the patch in memory and reports what came of it.
pub fn validate(session: &Session, request: &RunPatch) -> Result<PatchReply, Failure> {
    let request = &crate::compiler::repair_document::lowered(session, request)?;
    let trial =
        patch_trial::run(session, &request.patch, TrialPurpose::Change, request.show_values)?;
    let mut reply = reply(&trial, request)?;
    reply.report.pending_transaction = session.pending_transaction();
    reply.report.ok &= reply.report.pending_transaction.is_none();
    Ok(reply)
}

/// The reply with nothing written yet.
pub(crate) fn reply(trial: &PatchTrial, request: &RunPatch) -> Result<PatchReply, Failure> {
    let changes = match trial {
        PatchTrial::Rejected { .. } => Vec::new(),
        PatchTrial::Simulated(it) if request.with_diffs => changes(it)?,
        PatchTrial::Simulated(it) => list_changes(&it.simulation.change),
    };
    Ok(PatchReply {
        report: trial.report(),
        changes,
        frames: trial.frames(&request.patch, request.show_values),
        retried: None,
    })
}

/// What the simulated change does to each file.
pub(crate) fn changes(simulated: &Simulated) -> Result<Vec<FileChange>, Failure> {
    file_changes(&simulated.snapshot, &simulated.simulation.change)
}
