//! The second look after `apply` (CS-66): do the files hold what was written, and are they what their names say?
//!
//! The transaction is done whatever is found here, so nothing here fails.

use document::{Format, Limits};
use edit::Text;
use patch::PatchKind;
use protocol::v1::{Recheck, RecheckFinding, RecheckProblem};
use snapshot::RelPath;

use crate::patch_trial::Simulated;
use crate::session::Session;

/// Reads every path that was written or removed and compares it with what should be there.
pub(crate) fn recheck(session: &Session, simulated: &Simulated) -> Recheck {
    let paths = simulated.simulation.change.paths();
    let finding = |path: &RelPath| {
        let problem = problem(session, simulated, path)?;
        Some(RecheckFinding { file: path.to_string(), problem })
    };
    let findings: Vec<RecheckFinding> = paths.iter().filter_map(finding).collect();
    Recheck { ok: findings.is_empty(), checked: paths.len(), findings }
}

fn problem(session: &Session, simulated: &Simulated, path: &RelPath) -> Option<RecheckProblem> {
    let Ok(loaded) = session.workspace.load(std::slice::from_ref(path)) else {
        return Some(RecheckProblem::Unreadable);
    };
    let present = loaded.snapshot.file(loaded.resolved.get(path).unwrap_or(path));
    match (wanted(simulated, path), present) {
        (None, None) => None,
        (None, Some(_)) => Some(RecheckProblem::StillThere),
        (Some(wanted), Some(present)) if wanted.hash() == present.hash() => {
            let is_bad = is_unparsed(simulated, path) && !is_document(path, &present.text());
            is_bad.then_some(RecheckProblem::DoesNotParse)
        }
        (Some(_), _) => Some(RecheckProblem::Differs),
    }
}

/// The text that the change leaves at the path.
fn wanted(simulated: &Simulated, path: &RelPath) -> Option<Text> {
    let change = &simulated.simulation.change;
    if let Some(added) = change.adds().get(path) {
        return Some(added.text.clone());
    }
    let from = change.renames().iter().find(|(_, rename)| rename.to == *path).map(|it| it.0);
    let source = match from {
        Some(from) => from,
        None => change.moved(path).filter(|it| *it == path)?,
    };
    let text = &simulated.snapshot.file(source)?.text();
    change.edits().get(source).map_or_else(|| Some(text.clone()), |edits| edits.apply(text).ok())
}

/// Document operations are lowered to texts that were parsed again there and then; other texts were not.
fn is_unparsed(simulated: &Simulated, path: &RelPath) -> bool {
    let simulation = &simulated.simulation;
    !matches!(simulation.kind, PatchKind::FixActions | PatchKind::Changeset | PatchKind::JsonPatch)
        || simulation.change.adds().contains_key(path)
}

/// Whether the text is what the file's name says; a name that says nothing asks for nothing.
fn is_document(path: &RelPath, text: &Text) -> bool {
    Format::of_path(path.as_str())
        .is_none_or(|format| document::parse(text, format, &Limits::DEFAULT).is_ok())
}
