//! What `compile` gives back: the agent protocol of the Clank compiler.
//!
//! The spelling is that of the programs that speak it already, mixed as it is: `compilerVersion`, `stats`,
//! `solverResult` and `expectedType` in camel case, the rest in snake case.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::coverage::PendingTransaction;
use super::diagnostic::{Diagnostic, Severity};
use super::repair::{
    ClassCounts, Compatibility, Confidence, ExpectedDelta, RepairClass, RepairKind, Safety,
};

/// How a compilation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompileStatus {
    /// Nothing is wrong and nothing is left to prove or to write.
    Success,
    /// No error, but something is not proved or not written yet. There is output; what is not proved is checked when the
    /// program runs.
    Incomplete,
    /// Something is wrong.
    Error,
}

/// What `compile` gives back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompileResult {
    /// How it ended.
    pub status: CompileStatus,
    /// The version of the compiler.
    #[serde(rename = "compilerVersion")]
    pub compiler_version: String,
    /// The hash of the program that was compiled: its text, or its AST JSON as it was given. A repair is for this program
    /// only.
    pub program_hash: String,
    /// The desugared tree, with the ids that diagnostics name; null if the input is not AST JSON.
    #[schemars(with = "Option<Value>")]
    pub canonical_ast: Option<Box<RawValue>>,
    /// The program in the language that was asked for; left out if there is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<CompileOutput>,
    /// What is wrong, and what is worth a warning.
    pub diagnostics: Vec<CompileDiagnostic>,
    /// What must hold at run time.
    pub obligations: Vec<Obligation>,
    /// What is not written yet.
    pub holes: Vec<Hole>,
    /// What would repair it, the best first.
    pub repairs: Vec<CompileRepair>,
    /// With `--apply` or `--fix`: what was done. The rest of the result is about the program after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<CompileFixed>,
    /// Counts.
    pub stats: CompileStats,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// What `--apply` and `--fix` did.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompileFixed {
    /// The hash of the program as it was given.
    pub from_hash: String,
    /// How many times repairs were tried and the program was compiled again.
    pub rounds: usize,
    /// The repairs, in the order in which they were applied. Ids are those of the round.
    pub applied: Vec<CompileApplied>,
    /// Those, by class.
    pub classes: ClassCounts,
    /// The program after it as text, if it was given as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A repair that was applied.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompileApplied {
    /// From 1.
    pub round: usize,
    /// `rc1`, …: what it was called in that round; `format` is the canonical layout, which is not among the repairs.
    pub id: String,
    /// What it did.
    pub title: String,
    /// What it may have done to the meaning.
    pub safety: Safety,
    /// What it did about the cause, computed from its edits.
    pub class: RepairClass,
    /// The mistakes that it resolved, as `code` and message.
    pub resolved: Vec<String>,
}

/// A repair of a program: the repair candidate of the repair reference.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompileRepair {
    /// `rc1`, `rc2`, … by rank: the first is the best.
    pub id: String,
    /// A short label.
    pub title: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What kind of change it is.
    pub kind: RepairKind,
    /// What it does about the cause, computed from its edits.
    pub class: RepairClass,
    /// How much it touches, computed from its edits.
    pub scope: NodeScope,
    /// What it is about.
    pub targets: CompileTargets,
    /// Patch operations, in order; all or nothing.
    #[schemars(with = "Vec<Value>")]
    pub edits: Vec<Value>,
    /// What will be gone.
    pub expected_delta: ExpectedDelta,
    /// The codes of mistakes that can only be seen then, each as often as there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<String>,
    /// Why this is the repair.
    pub rationale: String,
    /// Whether it was applied and the program checked again before it was offered.
    pub verified: bool,
    /// The program that the ids of its nodes are about.
    pub program_hash: String,
    /// What it can be combined with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<Compatibility>,
}

/// How much a repair of a program touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NodeScope {
    /// How many nodes are written.
    pub node_count: u32,
    /// Whether more than one function is touched.
    pub crosses_function: bool,
}

/// What a repair of a program is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CompileTargets {
    /// The nodes that it touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_ids: Vec<String>,
    /// The codes of the mistakes that it resolves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostic_codes: Vec<String>,
    /// The obligations that it discharges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obligation_ids: Vec<String>,
    /// The holes that it fills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hole_ids: Vec<String>,
}

/// The reply of `compile --emit diagnostics`: small, for a loop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompileDiagnostics {
    /// How it ended.
    pub status: CompileStatus,
    /// The hash of the program.
    pub program_hash: String,
    /// What is wrong, and what is worth a warning.
    pub diagnostics: Vec<CompileDiagnostic>,
    /// How many goals are not proved.
    pub unproved: usize,
    /// How many holes there are.
    pub holes: usize,
}

/// Generated code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct CompileOutput {
    /// JavaScript, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub js: Option<String>,
    /// TypeScript, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
    /// Its source map, if it was asked for.
    #[serde(rename = "jsMap", skip_serializing_if = "Option::is_none")]
    pub js_map: Option<String>,
    /// The files of the modules that it imports, by path, if there are any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, String>,
}

/// A place: line and column from 1, columns in code points; offset in bytes from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CompilePosition {
    /// From 1.
    pub line: u32,
    /// In code points, from 1.
    pub column: u32,
    /// In bytes, from 0.
    pub offset: u32,
}

/// A range of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CompileSpan {
    /// The file's name.
    pub file: String,
    /// Its first character.
    pub start: CompilePosition,
    /// After its last character.
    pub end: CompilePosition,
}

/// One mistake.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompileDiagnostic {
    /// `d1`, `d2`, … by place.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of mistake it is: `E2001`. For AST JSON that cannot be read: `AST`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub location: CompileSpan,
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_node_id: Option<String>,
    /// Facts, by the kind of mistake.
    pub structured: Members,
    /// Ways to go on.
    pub hints: Vec<CompileHint>,
    /// Other places.
    pub related: Vec<CompileRelated>,
    /// The repairs that claim to resolve it.
    pub repair_refs: Vec<String>,
    /// Why no repair is offered, if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_repair: Option<String>,
}

/// Members in a fixed order.
pub type Members = serde_json::Map<String, Value>;

/// A way to go on.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompileHint {
    /// Its name.
    pub strategy: String,
    /// What to do.
    pub description: String,
    /// What it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A place that belongs to a mistake.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CompileRelated {
    /// What it has to do with it.
    pub message: String,
    /// Where.
    pub location: CompileSpan,
}

/// Something that must hold.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Obligation {
    /// `OBL1`, `OBL2`, …
    pub id: String,
    /// `refinement`, `precondition`, `postcondition` or `assertion`.
    pub kind: String,
    /// What must hold, as a Clank expression.
    pub goal: String,
    /// Where.
    pub location: CompileSpan,
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_node_id: Option<String>,
    /// What is known there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ObligationContext>,
    /// Ways to go on.
    pub hints: Vec<CompileHint>,
    /// Whether somebody tried to prove it.
    #[serde(rename = "solverAttempted")]
    pub solver_attempted: bool,
    /// `discharged`, `refuted` or `unknown`.
    #[serde(rename = "solverResult")]
    pub solver_result: String,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_reason: Option<String>,
    /// Values that agree with what is known and for which it does not hold, by name; `_candidate` is there and true if only
    /// a run can tell whether they occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Members>,
    /// The repairs that claim to discharge it.
    pub repair_refs: Vec<String>,
    /// Why no repair is offered, if it is open and none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_repair: Option<String>,
}

/// What is known where something must hold.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ObligationContext {
    /// The names in scope.
    pub bindings: Vec<ScopeBinding>,
    /// What is known to hold.
    pub facts: Vec<Fact>,
}

/// A name in scope.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ScopeBinding {
    /// The name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it can be assigned to.
    pub mutable: bool,
    /// `parameter`, `let`, `for`, `match`, `function` or `external`.
    pub source: String,
}

/// Something that is known to hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Fact {
    /// What holds.
    pub proposition: String,
    /// Why.
    pub source: String,
}

/// An expression that is not written yet.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Hole {
    /// `h1`, `h2`, …
    pub id: String,
    /// Where.
    pub location: CompileSpan,
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// The type of what is needed.
    #[serde(rename = "expectedType")]
    pub expected_type: String,
    /// What is in scope.
    pub context: HoleContext,
    /// The effects that what fills it may have.
    pub allowed_effects: Vec<String>,
    /// What would fit, the best first.
    pub fill_candidates: Vec<FillCandidate>,
    /// The repairs that claim to fill it.
    pub repair_refs: Vec<String>,
    /// Why no repair is offered, if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_repair: Option<String>,
}

/// What is in scope at a hole.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct HoleContext {
    /// The names in scope.
    pub bindings: Vec<ScopeBinding>,
}

/// What would fill a hole.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct FillCandidate {
    /// Clank text; may hold holes.
    pub expr: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Why it fits.
    pub description: String,
}

/// Counts of one compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompileStats {
    /// Files that were read: the program and the modules that it imports.
    pub source_files: usize,
    /// Lines of the program; 0 for AST JSON.
    pub source_lines: usize,
    /// Tokens of the program; 0 for AST JSON.
    pub source_tokens: usize,
    /// Lines of the output.
    pub output_lines: usize,
    /// Bytes of the output.
    pub output_bytes: usize,
    /// Goals.
    pub obligations_total: usize,
    /// Goals that are proved.
    pub obligations_discharged: usize,
}

/// What `build` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct BuildReport {
    /// Whether there is output: no error, and with `--strict` every source is canonical.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// The files that were written, or would be with `--dry-run`, relative to the folder for outputs.
    pub outputs: Vec<String>,
    /// The sources that `fix` would change, relative to the root.
    pub not_canonical: Vec<String>,
    /// What is wrong, and what is worth a warning, in the total order of findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The counts.
    pub summary: BuildSummary,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// The counts of a [`BuildReport`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct BuildSummary {
    /// Errors.
    pub error: usize,
    /// Warnings, those about what is not proved included.
    pub warning: usize,
    /// What is good to know.
    pub info: usize,
}
