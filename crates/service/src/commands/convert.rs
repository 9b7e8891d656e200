//! `convert`: one kind of patch document into another, with the same effect on this workspace.

use document::Limits;
use linters::formats::{self, Written};
use patch::bridge::{self, Context, ConvertError, Note};
use patch::edits::EditsDocument;
use patch::{AppliedOp, FailedOp, Patch, PatchKind};
use protocol::v1::{Conversion, Convert, ConvertNote, ConvertReport};

use crate::commands::validate;
use crate::failure::Failure;
use crate::patch_trial;
use crate::patch_trial::{PatchTrial, Simulated, TrialPurpose};
use crate::session::Session;
use crate::{ConvertReply, VERSION};

/// What a conversion gives: the document and what it no longer says, or what stands in the way.
type Conversed = Result<(Vec<u8>, Vec<ConvertNote>), Vec<ConvertNote>>;

/// Converts the document, or lists what cannot be expressed. A document that does not apply is not converted.
pub fn convert(session: &Session, request: &Convert) -> Result<ConvertReply, Failure> {
    let trial = patch_trial::run(session, &request.patch, TrialPurpose::Read, false)?;
    let converted = match &trial {
        PatchTrial::Simulated(it) if it.simulation.ok => Some(convert_simulated(it, request)?),
        _ => None,
    };
    let applied = match &trial {
        PatchTrial::Simulated(it) => it.simulation.applied.as_slice(),
        PatchTrial::Rejected { .. } => &[],
    };
    let name_all = |notes: Vec<ConvertNote>| -> Vec<ConvertNote> {
        notes.into_iter().map(|it| with_operation(it, applied)).collect()
    };
    let (output, losses, refused) = match converted {
        Some(Ok((output, losses))) => (Some(output), losses, Vec::new()),
        Some(Err(refused)) => (None, Vec::new(), refused),
        None => (None, Vec::new(), Vec::new()),
    };
    let tried = trial.report();
    let report = ConvertReport {
        pending_transaction: session.pending_transaction(),
        ok: output.is_some() && session.pending_transaction().is_none(),
        validator_version: VERSION.to_owned(),
        kind: tried.kind,
        output: output.as_ref().map(|it| String::from_utf8_lossy(it).into_owned()),
        refused: name_all(refused),
        losses: name_all(losses),
        diagnostics: tried.diagnostics,
    };
    Ok(ConvertReply { report, output, frames: trial.frames(&request.patch, false) })
}

fn convert_simulated(simulated: &Simulated, request: &Convert) -> Result<Conversed, Failure> {
    let context = Context {
        snapshot: &simulated.snapshot,
        index: &simulated.index.index,
        limits: Limits::DEFAULT,
        strict: request.strict,
    };
    match request.to {
        Conversion::Changeset => Ok(to_changeset(simulated, &context)),
        Conversion::FixActions => Ok(to_fix_actions(simulated, &context)),
        Conversion::Edits => Ok(match EditsDocument::from_change(&simulated.simulation.change) {
            Ok(document) => Ok((document.render().into_bytes(), Vec::new())),
            Err(error) => Err(vec![about_the_document(error.to_string())]),
        }),
        Conversion::Diff => Ok(Ok((
            validate::changes(simulated)?.into_iter().flat_map(|it| it.diff).collect(),
            Vec::new(),
        ))),
        Conversion::Sarif => Ok(written(Written::Sarif, simulated)),
        Conversion::Rdjson => Ok(written(Written::Rdjson, simulated)),
        Conversion::Github => Ok(written(Written::Github, simulated)),
        Conversion::Suggestions => Ok(written(Written::Suggestions, simulated)),
    }
}

/// The change in a format that other tools read.
fn written(format: Written, simulated: &Simulated) -> Conversed {
    match formats::write(format, &simulated.simulation.change, &simulated.snapshot, VERSION) {
        Ok(text) => Ok((text.into_bytes(), Vec::new())),
        Err(refused) => Err(refused.into_iter().map(about_the_document).collect()),
    }
}

fn to_changeset(simulated: &Simulated, context: &Context<'_>) -> Conversed {
    match native(simulated, context)? {
        Patch::Changeset(changeset) => Ok((changeset.render().into_bytes(), Vec::new())),
        Patch::FixActions(document) => {
            let converted = bridge::to_changeset(&document, context).map_err(|it| refused(&it))?;
            Ok((converted.document.render().into_bytes(), notes(&converted.losses)))
        }
        _ => Err(vec![no_operations()]),
    }
}

fn to_fix_actions(simulated: &Simulated, context: &Context<'_>) -> Conversed {
    match native(simulated, context)? {
        Patch::FixActions(document) => Ok((document.render().into_bytes(), Vec::new())),
        Patch::Changeset(changeset) => {
            let converted =
                bridge::to_fix_actions(&changeset, context).map_err(|it| refused(&it))?;
            Ok((converted.document.render().into_bytes(), notes(&converted.losses)))
        }
        _ => Err(vec![no_operations()]),
    }
}

/// The document in its contract's own words; a dialect is translated first.
fn native(simulated: &Simulated, context: &Context<'_>) -> Result<Patch, Vec<ConvertNote>> {
    let Patch::Foreign(foreign) = &simulated.patch else { return Ok(simulated.patch.clone()) };
    let options = patch::Options { limits: context.limits, ..patch::Options::DEFAULT };
    patch::import::import(foreign, context.snapshot, context.index, &options)
        .map_err(|it| it.diagnostics.into_iter().map(|it| about_the_document(it.message)).collect())
}

fn refused(error: &ConvertError) -> Vec<ConvertNote> {
    match error {
        ConvertError::NotExpressible(list) => notes(list),
        ConvertError::Inapplicable(simulation) if !simulation.failed.is_empty() => {
            failures(&simulation.failed, "it cannot be applied")
        }
        ConvertError::DifferentEffect(failed) if !failed.is_empty() => {
            failures(failed, "once converted it cannot be applied")
        }
        error => vec![about_the_document(error.to_string())],
    }
}

fn failures(failed: &[FailedOp], what: &str) -> Vec<ConvertNote> {
    let note = |it: &FailedOp| ConvertNote {
        action_id: it.action_id.clone(),
        op_index: Some(it.op_index),
        ..about_the_document(format!("{what} (`{}`); {}", it.code.name(), it.code.advice()))
    };
    failed.iter().map(note).collect()
}

fn notes(notes: &[Note]) -> Vec<ConvertNote> {
    let note = |it: &Note| ConvertNote {
        action_id: it.action_id.clone(),
        op_index: Some(it.op_index),
        ..about_the_document(it.reason.clone())
    };
    notes.iter().map(note).collect()
}

/// Adds which operation it is: its name, its file and its place.
fn with_operation(note: ConvertNote, applied: &[AppliedOp]) -> ConvertNote {
    let is_it =
        |it: &&AppliedOp| it.action_id == note.action_id && Some(it.op_index) == note.op_index;
    match applied.iter().find(is_it) {
        Some(it) => ConvertNote {
            op: Some(it.op.to_owned()),
            file: Some(it.file.clone()),
            json_pointer: it.json_pointer.clone(),
            ..note
        },
        None => note,
    }
}

fn no_operations() -> ConvertNote {
    about_the_document(format!(
        "byte edits cannot be converted to operations; use `{}` or `{}`",
        PatchKind::Edits,
        PatchKind::Diff
    ))
}

fn about_the_document(reason: String) -> ConvertNote {
    ConvertNote {
        action_id: None,
        op_index: None,
        op: None,
        file: None,
        json_pointer: None,
        reason,
    }
}
