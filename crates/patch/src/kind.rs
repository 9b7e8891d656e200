//! Which contract a patch document follows, and the way from its text to a value.
//!
//! The kind shows in the members (`fix_actions`, `changeset_uid`, `regreen_edits`); a caller may insist on one.
//! Dialects that other validators write are recognised here and translated by [`crate::import`].

use std::fmt;

use check::{Diagnostic, Severity};
use document::{Document, Format, Limits, Pointer, Value};
use edit::Text;

use crate::diagnose;
use crate::edits::{self, EditsDocument};
use crate::failure::{FailedOp, cap};
use crate::fixes::Fixes;
use crate::import::{self, Dialect, Foreign};
use crate::json_patch::{self, JsonPatch};
use crate::repairs::{self, Repairs};
use crate::v1::decode::Problems;
use crate::v1::{self, Changeset, FixActions, Problem, ProblemKind};

/// The contract of a patch document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PatchKind {
    /// A fix-action document.
    FixActions,
    /// A changeset.
    Changeset,
    /// An edits document.
    Edits,
    /// Our own repairs, as a list or in a report.
    Repairs,
    /// A JSON Patch (RFC 6902).
    JsonPatch,
    /// A SARIF log with fixes.
    Sarif,
    /// reviewdog's diagnostics with suggestions.
    Rdjson,
    /// A `WorkspaceEdit` of the language server protocol.
    WorkspaceEdit,
    /// clang's YAML.
    ClangReplacements,
    /// A unified diff.
    Diff,
}

impl PatchKind {
    /// Every kind.
    pub const ALL: [PatchKind; 10] = [
        PatchKind::FixActions,
        PatchKind::Changeset,
        PatchKind::Edits,
        PatchKind::Repairs,
        PatchKind::JsonPatch,
        PatchKind::Sarif,
        PatchKind::Rdjson,
        PatchKind::WorkspaceEdit,
        PatchKind::ClangReplacements,
        PatchKind::Diff,
    ];

    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PatchKind::FixActions => "fix-actions",
            PatchKind::Changeset => "changeset",
            PatchKind::Edits => "edits",
            PatchKind::Repairs => "repairs",
            PatchKind::JsonPatch => "json-patch",
            PatchKind::Sarif => "sarif",
            PatchKind::Rdjson => "rdjson",
            PatchKind::WorkspaceEdit => "workspace-edit",
            PatchKind::ClangReplacements => "clang-replacements",
            PatchKind::Diff => "diff",
        }
    }

    /// The kind with that name.
    pub fn from_name(name: &str) -> Option<PatchKind> {
        PatchKind::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for PatchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A patch document that follows its contract.
#[derive(Clone, PartialEq, Debug)]
pub enum Patch {
    /// A fix-action document.
    FixActions(FixActions),
    /// A changeset.
    Changeset(Changeset),
    /// An edits document.
    Edits(EditsDocument),
    /// Our own repairs.
    Repairs(Repairs),
    /// A JSON Patch and the file that it is for.
    JsonPatch(JsonPatch),
    /// Fixes that another tool proposes, in one of the formats that tools exchange.
    Fixes(Fixes),
    /// Another tool's dialect, which [`crate::import`] translates with the files at hand.
    Foreign(Foreign),
}

impl Patch {
    /// The contract that the document follows, or is translated to.
    pub fn kind(&self) -> PatchKind {
        match self {
            Patch::FixActions(_) => PatchKind::FixActions,
            Patch::Changeset(_) => PatchKind::Changeset,
            Patch::Edits(_) => PatchKind::Edits,
            Patch::Repairs(_) => PatchKind::Repairs,
            Patch::JsonPatch(_) => PatchKind::JsonPatch,
            Patch::Fixes(fixes) => fixes.kind,
            Patch::Foreign(foreign) => foreign.kind(),
        }
    }
}

/// A patch document that cannot be used; nothing of it was applied.
#[derive(Clone, PartialEq, Debug)]
pub struct PatchRejection {
    /// The kind, if it could be told.
    pub kind: Option<PatchKind>,
    /// The operations that are to blame, where it is operations.
    pub failed: Vec<FailedOp>,
    /// Every problem, with its place in the patch document.
    pub diagnostics: Vec<Diagnostic>,
}

impl PatchRejection {
    /// A document that cannot be used at all, for this reason. `name` stands for the document.
    pub fn unusable(kind: PatchKind, name: &str, reason: &str) -> PatchRejection {
        let rule = diagnose::schema_rule(Some(kind), "FORMAT");
        let it = diagnose::diagnostic(rule, Severity::Error, name, None, cap(reason, 300));
        PatchRejection::one(Some(kind), it)
    }

    pub(crate) fn one(kind: Option<PatchKind>, diagnostic: Diagnostic) -> PatchRejection {
        let mut diagnostics = vec![diagnostic];
        check::assign_ids(&mut diagnostics);
        PatchRejection { kind, failed: Vec::new(), diagnostics }
    }
}

/// Reads a patch document (FA-10: JSON or YAML). `name` stands for the document in diagnostics; `from` overrides what
/// the members say about the kind.
pub fn read(
    name: &str,
    text: &Text,
    format: Format,
    from: Option<PatchKind>,
    limits: &Limits,
) -> Result<Patch, PatchRejection> {
    if format == Format::Toml {
        let message = "expected a patch document in JSON or YAML".to_owned();
        let rule = diagnose::schema_rule(None, "FORMAT");
        return Err(PatchRejection::one(
            None,
            diagnose::diagnostic(rule, Severity::Error, name, None, message),
        ));
    }
    let document = document::parse(text, format, limits).map_err(|error| {
        let rule = diagnose::schema_rule(None, "SYNTAX");
        let message = format!(
            "the patch document is not valid {}: {}",
            format.name(),
            cap(&error.message, 200)
        );
        let mut diagnostic = diagnose::diagnostic(rule, Severity::Error, name, None, message);
        diagnostic.location = diagnose::locate_offset(text, error.offset);
        PatchRejection::one(None, diagnostic)
    })?;
    if let Some(refusal) = document.not_alone() {
        let rule = diagnose::schema_rule(None, "AMBIGUOUS");
        let message =
            format!("the patch document is ambiguous: {}", cap(&refusal.to_string(), 200));
        let mut diagnostic = diagnose::diagnostic(rule, Severity::Error, name, None, message);
        diagnostic.location = diagnose::locate_offset(text, refusal.offset);
        return Err(PatchRejection::one(None, diagnostic));
    }
    let value = document.value();
    read_value(name, &document, &value, from)
}

fn read_value(
    name: &str,
    document: &Document,
    value: &Value,
    from: Option<PatchKind>,
) -> Result<Patch, PatchRejection> {
    let kind = match from.map_or_else(|| detect(value), |kind| Ok(detected_as(value, kind))) {
        Ok(kind) => kind,
        Err(message) => {
            let rule = diagnose::schema_rule(None, "KIND");
            let root = Pointer::root();
            let it =
                diagnose::diagnostic(rule, Severity::Error, name, Some(&root), message.to_owned());
            return Err(PatchRejection::one(None, it));
        }
    };
    let mut problems = Problems::default();
    let patch = match kind {
        Detected::Native(PatchKind::FixActions) => {
            v1::decode_fix_actions(value, &mut problems).map(Patch::FixActions)
        }
        Detected::Native(PatchKind::Changeset) => {
            v1::decode_changeset(value, &mut problems).map(Patch::Changeset)
        }
        Detected::Native(PatchKind::Edits) => edits::decode(value, &mut problems).map(Patch::Edits),
        Detected::Native(PatchKind::Repairs) => {
            repairs::decode(value, &mut problems).map(Patch::Repairs)
        }
        Detected::Native(PatchKind::JsonPatch) => {
            json_patch::decode(value, &mut problems).map(Patch::JsonPatch)
        }
        Detected::Native(kind) => {
            let message = format!("a document of kind `{kind}` is read with the files it is about");
            let rule = diagnose::schema_rule(None, "KIND");
            let it = diagnose::diagnostic(rule, Severity::Error, name, None, message);
            return Err(PatchRejection::one(Some(kind), it));
        }
        Detected::Foreign(dialect) => {
            import::decode(dialect, value, &mut problems).map(Patch::Foreign)
        }
    };
    let kind = match kind {
        Detected::Native(kind) => kind,
        Detected::Foreign(dialect) => dialect.kind(),
    };
    let problems = problems.into_list();
    match patch {
        Some(patch) if problems.is_empty() => Ok(patch),
        _ => {
            let mut diagnostics = diagnose::of_problems(Some(kind), name, document, &problems);
            check::assign_ids(&mut diagnostics);
            let failed = problems.iter().filter_map(|problem| failed_op(value, problem)).collect();
            Err(PatchRejection { kind: Some(kind), failed, diagnostics })
        }
    }
}

enum Detected {
    Native(PatchKind),
    Foreign(Dialect),
}

/// What a user-given kind means for this document: a dialect of that kind is still a dialect.
fn detected_as(value: &Value, kind: PatchKind) -> Detected {
    match detect(value) {
        Ok(Detected::Foreign(dialect)) if dialect.kind() == kind => Detected::Foreign(dialect),
        _ => Detected::Native(kind),
    }
}

fn detect(value: &Value) -> Result<Detected, &'static str> {
    if value.get("regreen_edits").is_some() {
        return Ok(Detected::Native(PatchKind::Edits));
    }
    if value.get("changeset_uid").is_some() {
        return Ok(Detected::Native(PatchKind::Changeset));
    }
    if let Some(dialect) = import::detect(value) {
        return Ok(Detected::Foreign(dialect));
    }
    if value.get("fix_actions").is_some() {
        return Ok(Detected::Native(PatchKind::FixActions));
    }
    if repairs::is_one(value) {
        return Ok(Detected::Native(PatchKind::Repairs));
    }
    if json_patch::is_one(value) {
        return Ok(Detected::Native(PatchKind::JsonPatch));
    }
    Err(
        "cannot tell the kind of patch document: expected `fix_actions`, `changeset_uid` or `regreen_edits`, \
         or a format that other tools write; `--from` names it",
    )
}

/// The operation that a problem about an unsafe path belongs to: such an operation fails, not only the document.
fn failed_op(value: &Value, problem: &Problem) -> Option<FailedOp> {
    let ProblemKind::UnsafePath(error) = &problem.kind else { return None };
    let segments: Vec<&str> = problem.at.segments().iter().map(String::as_str).collect();
    let (action, op_index) = match segments.as_slice() {
        ["ops", op_index, ..] => (None, op_index),
        ["fix_actions", action, "ops", op_index, ..] => (Some(*action), op_index),
        _ => return None,
    };
    let at = |list: &Value, index: &str| match list {
        Value::Array(items) => items.get(index.parse::<usize>().ok()?).cloned(),
        _ => None,
    };
    let action = action.and_then(|index| at(value.get("fix_actions")?, index));
    let owner = action.as_ref().unwrap_or(value);
    let op = at(owner.get("ops")?, op_index)?;
    let file = op.get(segments.last()?).and_then(Value::as_str).unwrap_or_default();
    Some(FailedOp {
        action_id: action.as_ref().and_then(|it| it.get("id")?.as_str()).map(|id| cap(id, 200)),
        op_index: op_index.parse().ok()?,
        code: diagnose::code_of_path(error),
        file: cap(file, 200),
        json_pointer: None,
        expected: None,
        found: None,
    })
}
