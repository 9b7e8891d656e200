//! A patch document tried on the workspace, in memory: what `validate`, `apply` and `convert` have in common.

use std::collections::BTreeMap;

use check::Diagnostic;
use document::{Format, Limits};
use edit::{ContentHash, Text};
use patch::{FailedOp, Patch, PatchKind, Simulation};
use protocol::v1::{ApplyReport, ApplySummary, PatchInput};
use snapshot::{FileIndex, RelPath, Snapshot};
use workspace::LoadedIndex;

use crate::failure::Failure;
use crate::session::{Session, SessionAccess};
use crate::wire;
use crate::{Frames, VERSION};

pub(crate) mod exchange;
mod hidden;
mod links;
mod places;
pub(crate) mod recheck;
pub(crate) mod refusals;
pub(crate) mod uids;

const SCAN_JOBS: usize = 4;

/// What came of trying a patch document.
pub(crate) enum PatchTrial {
    /// The document cannot be used.
    Rejected { kind: Option<PatchKind>, failed: Vec<FailedOp>, diagnostics: Vec<Diagnostic> },
    /// The document was simulated.
    Simulated(Box<Simulated>),
}

/// A simulation, and what it ran on.
pub(crate) struct Simulated {
    pub(crate) patch: Patch,
    pub(crate) snapshot: Snapshot,
    /// Which file is which, those included that say it themselves.
    pub(crate) index: LoadedIndex,
    pub(crate) simulation: Simulation,
    /// The index that the change leaves, if it is another.
    pub(crate) new_index: Option<FileIndex>,
    workspace_hash: Option<ContentHash>,
}

/// What the patch is tried for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TrialPurpose {
    /// To know what it would do, whether or not this user may do it.
    Read,
    /// To do it: files that must not be changed are refused.
    Change,
}

/// Reads the document, loads the files it names and simulates it.
pub(crate) fn run(
    session: &Session,
    input: &PatchInput,
    purpose: TrialPurpose,
    show_values: bool,
) -> Result<PatchTrial, Failure> {
    let text = Text::new(input.bytes.clone());
    let format = format_of(input);
    let from = input.kind.map(wire::kind_from_wire);
    let patch = match exchange::read(session, input, from)? {
        Some(read) => read,
        None => patch::read(&input.name, &text, format, from, &Limits::DEFAULT),
    };
    let patch = match patch.and_then(|it| exchange::with_file(it, input)) {
        Ok(patch) => patch,
        Err(rejection) => {
            let (kind, failed, diagnostics) =
                (rejection.kind, rejection.failed, rejection.diagnostics);
            return Ok(PatchTrial::Rejected { kind, failed, diagnostics });
        }
    };
    let mut index = session.workspace.load_index()?;
    let stored_index = index.index.clone();
    let declared;
    (index.index, declared) = uids::with_declared(session, &patch, &stored_index)?;
    let loaded = session.workspace.load(&patch::needs(&patch, &index.index))?;
    let snapshot = links::with_links(&loaded)?;
    // Where nothing may be written, who may write what is not the question.
    let may_write = session.access() != SessionAccess::Build;
    let refused = refusals::paths(&loaded, may_write && purpose == TrialPurpose::Change);
    // Only a document that names the whole tree it was made for is worth reading the whole tree (CS-65).
    let workspace_hash = match patch::needs_whole_tree(&patch) {
        true => Some(session.workspace.scan(SCAN_JOBS)?.snapshot.hash()),
        false => None,
    };
    let options = patch::Options {
        document_name: &input.name,
        limits: Limits::DEFAULT,
        show_values,
        workspace_hash,
        refused: &refused,
    };
    let mut simulation = patch::simulate(&patch, &snapshot, &index.index, &options);
    places::point_into_patch(
        &input.name,
        &text,
        format,
        &simulation.failed,
        &mut simulation.diagnostics,
    );
    let new_index = Some(uids::without_declared(&simulation.index, &declared));
    // Fix actions address files by path and never move one.
    let may_differ = simulation.kind != PatchKind::FixActions && !simulation.change.is_empty();
    let new_index = new_index.filter(|it| may_differ && *it != stored_index);
    let simulated = Simulated { patch, snapshot, index, simulation, new_index, workspace_hash };
    Ok(PatchTrial::Simulated(Box::new(simulated)))
}

impl PatchTrial {
    /// The report, with nothing written yet.
    pub(crate) fn report(&self) -> ApplyReport {
        let (kind, ok, applied, failed, diagnostics) = match self {
            PatchTrial::Rejected { kind, failed, diagnostics } => {
                (*kind, false, &[][..], failed, diagnostics)
            }
            PatchTrial::Simulated(it) => {
                let it = &it.simulation;
                (Some(it.kind), it.ok, it.applied.as_slice(), &it.failed, &it.diagnostics)
            }
        };
        let workspace_hash = match self {
            PatchTrial::Rejected { .. } => None,
            PatchTrial::Simulated(it) => it.workspace_hash.map(|it| it.to_string()),
        };
        ApplyReport {
            pending_transaction: None,
            ok,
            validator_version: VERSION.to_owned(),
            kind: kind.map(wire::kind),
            transaction: None,
            workspace_hash,
            applied: applied.iter().map(wire::applied).collect(),
            failed: failed.iter().map(wire::failed).collect(),
            diagnostics: diagnostics.iter().map(wire::diagnostic).collect(),
            recheck: None,
            summary: ApplySummary { applied: applied.len(), failed: failed.len() },
        }
    }

    /// The texts that the diagnostics are about, and what to do about them. Without `show_values` nothing is shown that
    /// the report says only by type and digest.
    pub(crate) fn frames(&self, input: &PatchInput, show_values: bool) -> Frames {
        let (diagnostics, failed, snapshot) = match self {
            PatchTrial::Rejected { diagnostics, failed, .. } => (diagnostics, failed, None),
            PatchTrial::Simulated(it) => {
                (&it.simulation.diagnostics, &it.simulation.failed, Some(&it.snapshot))
            }
        };
        let mut sources = BTreeMap::new();
        let names = diagnostics.iter().flat_map(|it| {
            std::iter::once(&it.file).chain(it.related.iter().map(|related| &related.file))
        });
        for name in names {
            if sources.contains_key(name) {
                continue;
            }
            if *name == input.name {
                sources.insert(name.clone(), input.bytes.clone());
            } else if let Some(file) = snapshot.and_then(|it| it.file(&RelPath::parse(name).ok()?))
            {
                sources.insert(name.clone(), file.text().bytes().to_vec());
            }
        }
        let mut hidden = BTreeMap::new();
        if !show_values {
            if let Some(snapshot) = snapshot {
                hidden = hidden::in_files(diagnostics, snapshot);
            }
            if sources.contains_key(&input.name) {
                let text = Text::new(input.bytes.clone());
                hidden.insert(input.name.clone(), hidden::in_patch(&text, format_of(input)));
            }
        }
        Frames { sources, help: places::help(diagnostics, failed), hidden }
    }
}

/// By the name; a document without a telling name is JSON if it starts like JSON.
fn format_of(input: &PatchInput) -> Format {
    let starts_like_json = || {
        let text = input.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&input.bytes);
        matches!(text.trim_ascii_start().first(), Some(b'{' | b'[' | b'"') | None)
            || text.trim_ascii_start().starts_with(b"//")
            || text.trim_ascii_start().starts_with(b"/*")
    };
    match Format::of_path(&input.name) {
        Some(format) => format,
        None if starts_like_json() => Format::Json,
        None => Format::Yaml,
    }
}
