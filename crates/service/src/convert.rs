//! `convert`: one kind of patch document into another, with the same effect on this workspace.

use document::Limits;
use patch::bridge::{self, Context, ConvertError, Note};
use patch::edits::EditsDocument;
use patch::{Kind, Patch};
use protocol::v1::{Conversion, Convert, ConvertNote, ConvertReport};

use crate::failure::Failure;
use crate::session::Session;
use crate::trial::{self, Purpose, Simulated, Trial};
use crate::{ConvertReply, VERSION, validate};

/// What a conversion gives: the document and what it no longer says, or what stands in the way.
type Conversed = Result<(Vec<u8>, Vec<ConvertNote>), Vec<ConvertNote>>;

/// Converts the document, or lists what cannot be expressed. A document that does not apply is not converted.
pub fn convert(session: &Session, request: &Convert) -> Result<ConvertReply, Failure> {
    let trial = trial::run(session, &request.patch, Purpose::Read, false)?;
    let converted = match &trial {
        Trial::Simulated(it) if it.simulation.ok => Some(convert_simulated(it, request)?),
        _ => None,
    };
    let (output, losses, refused) = match converted {
        Some(Ok((output, losses))) => (Some(output), losses, Vec::new()),
        Some(Err(refused)) => (None, Vec::new(), refused),
        None => (None, Vec::new(), Vec::new()),
    };
    let tried = trial.report();
    let report = ConvertReport {
        ok: output.is_some(),
        validator_version: VERSION.to_owned(),
        kind: tried.kind,
        output: output.as_ref().map(|it| String::from_utf8_lossy(it).into_owned()),
        refused,
        losses,
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
    }
}

fn to_changeset(simulated: &Simulated, context: &Context<'_>) -> Conversed {
    match native(simulated, context)? {
        Patch::Changeset(changeset) => Ok((changeset.render().into_bytes(), Vec::new())),
        Patch::FixActions(document) => {
            let converted = bridge::to_changeset(&document, context).map_err(|it| refused(&it))?;
            Ok((converted.document.render().into_bytes(), notes(&converted.losses)))
        }
        Patch::Edits(_) | Patch::Foreign(_) => Err(vec![no_operations()]),
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
        Patch::Edits(_) | Patch::Foreign(_) => Err(vec![no_operations()]),
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
        error => vec![about_the_document(error.to_string())],
    }
}

fn notes(notes: &[Note]) -> Vec<ConvertNote> {
    let note = |it: &Note| ConvertNote {
        action_id: it.action_id.clone(),
        op_index: Some(it.op_index),
        reason: it.reason.clone(),
    };
    notes.iter().map(note).collect()
}

fn no_operations() -> ConvertNote {
    about_the_document(format!(
        "byte edits say nothing of operations, so a document of kind `{}` has none to give",
        Kind::Edits
    ))
}

fn about_the_document(reason: String) -> ConvertNote {
    ConvertNote { action_id: None, op_index: None, reason }
}
