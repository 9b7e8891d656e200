//! What the commands report.

use schemars::JsonSchema;
use serde::Serialize;

use super::coverage::PendingTransaction;
use super::diagnostic::Diagnostic;

/// What kind of patch document was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatchKind {
    /// A list of fix actions.
    FixActions,
    /// A changeset.
    Changeset,
    /// Byte edits.
    Edits,
    /// Our own repairs.
    Repairs,
    /// A JSON Patch (RFC 6902).
    JsonPatch,
    /// A SARIF log.
    Sarif,
    /// reviewdog's diagnostics.
    Rdjson,
    /// A `WorkspaceEdit` of the language server protocol.
    WorkspaceEdit,
    /// clang's YAML.
    ClangReplacements,
    /// A unified diff.
    Diff,
}

/// What `validate` and `apply` report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ApplyReport {
    /// Whether every operation applied (or would apply).
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// What kind of document was given; null if it could not be told.
    pub kind: Option<PatchKind>,
    /// The transaction that was written; null if nothing was.
    pub transaction: Option<String>,
    /// The hash of the whole workspace before the change; only for a changeset that names the one it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_hash: Option<String>,
    /// The operations that applied, in order. If a changeset failed, those that would have.
    pub applied: Vec<AppliedOp>,
    /// The operations that did not, in order.
    pub failed: Vec<FailedOp>,
    /// What was found on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// What a second look at the written files found; null if nothing was written.
    pub recheck: Option<Recheck>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
    /// The counts.
    pub summary: ApplySummary,
}

/// What a second look at the written files found. It does not count for `ok`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Recheck {
    /// Whether every file holds what was written and is a document if its name says so.
    pub ok: bool,
    /// How many paths were looked at.
    pub checked: usize,
    /// What is not as it should be, by file.
    pub findings: Vec<RecheckFinding>,
}

/// A written file that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RecheckFinding {
    /// The file, relative to the root.
    pub file: String,
    /// What is wrong with it.
    pub problem: RecheckProblem,
}

/// What can be wrong with a written file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecheckProblem {
    /// It does not hold what was written: another program wrote to it since.
    Differs,
    /// It was deleted or renamed away, and is there again.
    StillThere,
    /// Its contents cannot be parsed as what its name says.
    DoesNotParse,
    /// It cannot be read.
    Unreadable,
}

/// An operation that applied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AppliedOp {
    /// The fix action it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Its position in the action or changeset, from 0.
    pub op_index: usize,
    /// Its type.
    pub op: String,
    /// The file, relative to the root.
    pub file: String,
    /// The place in the document.
    pub json_pointer: Option<String>,
}

/// An operation that did not apply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct FailedOp {
    /// The fix action it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Its position in the action or changeset, from 0.
    pub op_index: usize,
    /// Why, as a stable name.
    pub code: String,
    /// The file, relative to the root.
    pub file: String,
    /// The place in the document.
    pub json_pointer: Option<String>,
    /// What was asked for: types and 16-digit digests, values only with `--show-values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there, shown in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// The counts of an [`ApplyReport`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct ApplySummary {
    /// Operations that applied.
    pub applied: usize,
    /// Operations that did not.
    pub failed: usize,
}

/// What `undo` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct UndoReport {
    /// Whether the transaction was undone, or there was none to undo.
    pub ok: bool,
    /// The transaction that was undone; null if there was none.
    pub undone: Option<String>,
    /// The transaction that undid it; null if nothing was written.
    pub transaction: Option<String>,
    /// The files that were written, relative to the root.
    pub files: Vec<String>,
    /// Why nothing was undone; null unless it was refused.
    pub refused: Option<UndoRefusal>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// Why a transaction was not undone. Nothing was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct UndoRefusal {
    /// A stable name.
    pub code: String,
    /// What, why, and what to do.
    pub message: String,
    /// The file it is about, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What `log` reports, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LogReport {
    /// The transactions.
    pub transactions: Vec<LogEntry>,
    /// The transactions that were just forgotten; they can no longer be undone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pruned: Vec<String>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// A transaction in the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LogEntry {
    /// Its id.
    pub transaction: String,
    /// The command that made it.
    pub command: String,
    /// What it was about.
    pub title: String,
    /// The transaction that undid it.
    pub undone_by: Option<String>,
    /// Whether it can still be undone: its images are there and nothing undid it.
    pub can_undo: bool,
    /// The files it wrote, relative to the root.
    pub files: Vec<String>,
}

/// What `convert` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ConvertReport {
    /// Whether the document was converted.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// What kind of document was given; null if it could not be told.
    pub kind: Option<PatchKind>,
    /// The converted document; null if it was refused.
    pub output: Option<String>,
    /// What the other kind cannot express, in order; if there is any, nothing was converted.
    pub refused: Vec<ConvertNote>,
    /// What the converted document no longer says, in order.
    pub losses: Vec<ConvertNote>,
    /// What was found on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// A remark about a part of the document that was converted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ConvertNote {
    /// The fix action it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Its position in the action or changeset, from 0; null if it is about the document as a whole.
    pub op_index: Option<usize>,
    /// The operation's name in its contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// The file that the operation is about, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_pointer: Option<String>,
    /// The remark.
    pub reason: String,
}

/// What every command reports when it could not do its work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct FailureReport {
    /// Always false.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// What happened.
    pub error: FailureDetail,
    /// Everything that is wrong with the configuration or a pack, where that is the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

/// Why the work could not be done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct FailureDetail {
    /// A stable name.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
