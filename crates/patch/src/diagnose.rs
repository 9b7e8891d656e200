//! Diagnostics about patch documents. Rule ids say which contract is broken: `SCHEMA_…` for the shape of a document,
//! `SEM_FIX_ACTION_…`, `SEM_CHANGESET_…`, `SEM_EDITS_…`, `SEM_JSON_PATCH_…`, `SEM_REPAIRS_…` and, for
//! what other tools write, `SEM_FIXES_…` for what it means.

use check::{Diagnostic, Location, RuleOrigin, Severity, Tier};
use document::{Document, Number, Pointer, Value};
use edit::{LineIndex, Text};
use snapshot::PathError;

use crate::failure::{FailedOp, OpFailureCode};
use crate::kind::PatchKind;
use crate::v1::{Problem, ProblemKind};

/// The provider's name in every diagnostic of this crate.
const SOURCE: &str = "patch";

pub(crate) fn diagnostic(
    rule_id: String,
    severity: Severity,
    file: &str,
    pointer: Option<&Pointer>,
    message: String,
) -> Diagnostic {
    let is_schema = rule_id.starts_with("SCHEMA_");
    let (phase, tier) =
        if is_schema { ("read", Tier::Schema) } else { ("simulate", Tier::Semantic) };
    let rule = RuleOrigin { source: SOURCE, phase, tier, rule_id: &rule_id };
    Diagnostic {
        json_pointer: pointer.map(Pointer::to_string),
        ..Diagnostic::new(rule, severity, file, message)
    }
}

/// The rule id of something that is wrong with what a document of this kind means.
pub(crate) fn semantic_rule(kind: PatchKind, name: &str) -> String {
    let contract = match kind {
        PatchKind::FixActions => "FIX_ACTION",
        PatchKind::Changeset => "CHANGESET",
        PatchKind::Edits => "EDITS",
        PatchKind::JsonPatch => "JSON_PATCH",
        PatchKind::Repairs => "REPAIRS",
        _ => "FIXES",
    };
    format!("SEM_{contract}_{}", name.to_ascii_uppercase())
}

/// The rule id of something that is wrong with the shape of a document of this kind.
pub(crate) fn schema_rule(kind: Option<PatchKind>, name: &str) -> String {
    let contract = match kind {
        Some(PatchKind::FixActions) => "FIX_ACTION",
        Some(PatchKind::Changeset) => "CHANGESET",
        Some(PatchKind::Edits) => "EDITS",
        Some(PatchKind::JsonPatch) => "JSON_PATCH",
        Some(PatchKind::Repairs) => "REPAIRS",
        Some(_) => "FIXES",
        None => "PATCH",
    };
    format!("SCHEMA_{contract}_{name}")
}

/// The diagnostic of a failed operation: the file and place are those of the operation's target.
pub(crate) fn of_failed(kind: PatchKind, failed: &FailedOp, op: &str, message: &str) -> Diagnostic {
    let subject = match &failed.action_id {
        Some(id) => format!("operation {} ({op}) of action `{id}`", failed.op_index),
        None => format!("operation {} ({op})", failed.op_index),
    };
    let message = format!("{subject} cannot be applied: {message}; {}", failed.code.advice());
    let rule_id = semantic_rule(kind, failed.code.name());
    let mut diagnostic = diagnostic(rule_id, Severity::Error, &failed.file, None, message);
    diagnostic.json_pointer.clone_from(&failed.json_pointer);
    add_op(&mut diagnostic, failed.action_id.as_deref(), failed.op_index);
    for (name, text) in [("expected", &failed.expected), ("found", &failed.found)] {
        if let Some(text) = text {
            diagnostic.details.insert(name.to_owned(), Value::String(text.clone()));
        }
    }
    diagnostic
}

/// Says which operation a diagnostic is about (CS-16).
pub(crate) fn add_op(diagnostic: &mut Diagnostic, action_id: Option<&str>, op_index: usize) {
    let index = Number::from_integer(i128::try_from(op_index).unwrap_or(i128::MAX));
    diagnostic.details.insert("op_index".to_owned(), Value::Number(index));
    if let Some(id) = action_id {
        let id = Value::String(crate::failure::cap(id, 200));
        diagnostic.details.insert("action_id".to_owned(), id);
    }
}

/// The diagnostics of a document that could not be read, with their places in it.
pub(crate) fn of_problems(
    kind: Option<PatchKind>,
    name: &str,
    document: &Document,
    problems: &[Problem],
) -> Vec<Diagnostic> {
    let lines = LineIndex::new(document.text().bytes());
    let place = |problem: &Problem| {
        let rule_id = match (&problem.kind, kind) {
            (ProblemKind::UnsafePath(error), Some(kind)) => {
                semantic_rule(kind, code_of_path(error).name())
            }
            (ProblemKind::DuplicateId, Some(kind)) => semantic_rule(kind, "duplicate_id"),
            (problem, kind) => schema_rule(kind, rule_name(problem)),
        };
        let mut message = crate::failure::cap(&problem.kind.to_string(), 300);
        if let ProblemKind::UnsafePath(error) = &problem.kind {
            message = format!("{message}; {}", code_of_path(error).advice());
        }
        let mut it = diagnostic(rule_id, Severity::Error, name, Some(&problem.at), message);
        it.location = locate(document, &lines, &problem.at);
        it
    };
    problems.iter().map(place).collect()
}

/// The code for a path that no workspace has.
pub(crate) fn code_of_path(error: &PathError) -> OpFailureCode {
    match error {
        PathError::TooLong { .. } => OpFailureCode::PathTooLong,
        _ => OpFailureCode::OutsideRoot,
    }
}

fn rule_name(problem: &ProblemKind) -> &'static str {
    match problem {
        ProblemKind::WrongType { .. } => "TYPE",
        ProblemKind::MissingMember { .. } => "REQUIRED",
        ProblemKind::UnknownMember { .. } => "UNKNOWN_MEMBER",
        ProblemKind::UnknownName { .. } => "ENUM",
        ProblemKind::Malformed { .. } => "FORMAT",
        ProblemKind::BadPointer(_) => "POINTER",
        ProblemKind::NotJson => "NOT_JSON",
        ProblemKind::UnsafePath(_) => "PATH",
        ProblemKind::DuplicateId => "DUPLICATE_ID",
        ProblemKind::More { .. } => "MORE",
    }
}

/// The place of the pointer, or of the nearest container of it that is there.
pub(crate) fn locate(document: &Document, lines: &LineIndex, at: &Pointer) -> Option<Location> {
    let n_segments = at.segments().len();
    let found = (0..=n_segments).rev().find_map(|count| document.locate(&at.prefix(count)))?;
    let start = found.key_span.map_or(found.span.start, |key| key.start.min(found.span.start));
    let location = Location::new(lines, start..found.span.end.max(start));
    location.map(|it| it.in_document(document))
}

/// One place in a text.
pub(crate) fn locate_offset(text: &Text, offset: u32) -> Option<Location> {
    Location::new(&LineIndex::new(text.bytes()), offset..offset)
}
