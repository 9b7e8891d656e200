//! What `check`, `plan`, `fix`, `explain` and `init` report.

use schemars::JsonSchema;
use serde::Serialize;

use super::coverage::{FileSummary, LookFailure, PendingTransaction};
use super::diagnostic::{Diagnostic, Severity, Tier};
use super::repair::{ClassCounts, Confidence, Repair, RepairClass, Safety};
use super::tools::{OtherTool, ToolSummary};

/// What `check` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// Whether nothing fails the check: no error that is not in the baseline, with `--deny-warnings` no such warning,
    /// with `--strict` nothing that `fix` would change, with `--deny-unchecked` no file that was not checked, and no
    /// failure that is not tolerated.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// The versions of the packs that were used; left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_version: Option<String>,
    /// What is wrong and not in the baseline, in the total order of findings.
    pub diagnostics: Vec<Diagnostic>,
    /// What would repair it, the best first.
    pub repairs: Vec<Repair>,
    /// Only with `--strict`: the files that `fix` would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_change: Option<Vec<String>>,
    /// What could not be done: files that cannot be read, sources that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<LookFailure>,
    /// The tools of the workspace and what each of them did, by name; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSummary>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
    /// The counts.
    pub summary: CheckSummary,
}

/// The counts of a [`CheckReport`]. They are of all findings, shown or not, without those of the baseline.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct CheckSummary {
    /// Errors.
    pub error: usize,
    /// Warnings.
    pub warning: usize,
    /// What is good to know.
    pub info: usize,
    /// Findings that a repair would resolve, whoever has to allow it.
    pub fixable: usize,
    /// Repairs that `fix` would try now, without being told more.
    pub pending: usize,
    /// All repairs that are proposed, by class.
    pub classes: ClassCounts,
    /// Findings that the baseline knows. They are not listed, fail nothing and are not repaired.
    pub baselined: usize,
    /// Findings that a comment in the file ignores.
    pub ignored: usize,
    /// Findings that are counted and not listed.
    pub not_shown: usize,
    /// As `files.checked`.
    pub checked: usize,
    /// How far the files were looked at.
    pub files: FileSummary,
}

/// What `fix` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct FixReport {
    /// Whether what remains fails no check, in the sense of the report of `check`.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// The transaction that was written; null if nothing was.
    pub transaction: Option<String>,
    /// How many rounds of repairs were kept.
    pub passes: usize,
    /// Why it ended: `settled`, `cycle`, `pass_budget`, `recheck_budget`.
    pub stop: String,
    /// What was done, or would be with `--dry-run`.
    pub applied: Vec<AppliedRepair>,
    /// What was not done, the best first.
    pub rejected: Vec<RejectedRepair>,
    /// What is wrong after that, without what the baseline knows.
    pub remaining: Vec<Diagnostic>,
    /// What could not be done: files that cannot be read, sources that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<LookFailure>,
    /// What else is worth knowing, such as the rules of a cycle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The tools of the workspace and what each of them did, by name; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSummary>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
    /// The counts.
    pub summary: FixSummary,
}

/// A repair that was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AppliedRepair {
    /// The repair.
    pub id: String,
    /// Its label.
    pub title: String,
    /// The rule whose finding it resolves.
    pub rule_id: String,
    /// Who proposed it.
    pub source: String,
    /// The part of the source that owns the rule.
    pub phase: String,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// How sure it was that this was meant.
    pub confidence: Confidence,
    /// What it does about the cause, computed from its edits.
    pub class: RepairClass,
    /// The files it changed, relative to the root.
    pub files: Vec<String>,
    /// Whether everything that it claimed to resolve is gone and nothing got worse.
    pub verified: bool,
    /// The round it was kept in, from 1.
    pub pass: usize,
}

/// Every reason for which a repair is not done. The list is closed: a new one is a new version of the reports.
pub const REASONS: [&str; 17] = [
    "conflict",
    "needs_approval",
    "low_confidence",
    "suppression",
    "waits",
    "stale",
    "precondition_failed",
    "invalid",
    "outside_root",
    "read_only",
    "path_too_long",
    "nested_repository",
    "unverified",
    "regressed",
    "cycle",
    "budget",
    "declined",
];

/// A repair that was not done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RejectedRepair {
    /// The repair.
    pub id: String,
    /// Its label.
    pub title: String,
    /// The rule whose finding it would resolve.
    pub rule_id: String,
    /// Who proposed it.
    pub source: String,
    /// The part of the source that owns the rule.
    pub phase: String,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What it does about the cause, computed from its edits.
    pub class: RepairClass,
    /// The files it would change, relative to the root.
    pub files: Vec<String>,
    /// Why not: `conflict`, `needs_approval`, `low_confidence`, `suppression` (it suppresses the finding, so it must be named),
    /// `waits` (another repair or an error comes first), `stale`, `precondition_failed`, `invalid`, `outside_root`,
    /// `read_only`, `path_too_long`, `nested_repository`, `unverified`, `regressed`, `cycle`, `budget`, or `declined` by the
    /// person who was asked.
    #[schemars(extend("enum" = REASONS))]
    pub reason: String,
    /// The repair it lost to or waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Why not, for people.
    pub detail: String,
}

/// The counts of a [`FixReport`]. Those of findings are of what remains, without the baseline.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct FixSummary {
    /// Repairs that were done.
    pub applied: usize,
    /// Those, by class.
    pub classes: ClassCounts,
    /// Repairs that were not.
    pub rejected: usize,
    /// Errors.
    pub error: usize,
    /// Warnings.
    pub warning: usize,
    /// What is good to know.
    pub info: usize,
    /// Findings that the baseline knows. They are not listed, fail nothing and are not repaired.
    pub baselined: usize,
    /// Findings that are counted and not listed.
    pub not_shown: usize,
    /// How far the files were looked at.
    pub files: FileSummary,
}

/// What `plan` reports: every repair, the best first, and what would become of it in the first round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PlanReport {
    /// Whether there is no failure that is not tolerated and, with `--deny-unchecked`, no file that was not checked.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// The versions of the packs that were used; left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_version: Option<String>,
    /// The repairs in rank order.
    pub repairs: Vec<PlannedRepair>,
    /// What could not be done: files that cannot be read, sources that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<LookFailure>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
    /// The counts.
    pub summary: PlanSummary,
}

/// A repair and what would become of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PlannedRepair {
    /// Its place in the order, from 1.
    pub rank: usize,
    /// What would become of it.
    pub decision: Decision,
    /// Why it would not be applied, as in the report of `fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The repair it loses to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Why it would not be applied, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The repair.
    pub repair: Repair,
}

/// What would become of a repair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It would be tried.
    Accepted,
    /// It would not be tried.
    Rejected,
}

/// The counts of a [`PlanReport`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct PlanSummary {
    /// Repairs that would be tried.
    pub accepted: usize,
    /// Those, by class.
    pub classes: ClassCounts,
    /// Repairs that would not.
    pub rejected: usize,
    /// Findings that no repair is proposed for.
    pub unfixable: usize,
    /// Repairs that are counted and not listed.
    pub not_shown: usize,
    /// How far the files were looked at.
    pub files: FileSummary,
}

/// What `explain` reports about one rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ExplainReport {
    /// The rule.
    pub rule_id: String,
    /// Its title.
    pub title: String,
    /// Who looks for it; null for what every source may find.
    pub source: Option<String>,
    /// What kind of rule it is; null if that depends on the source.
    pub tier: Option<Tier>,
    /// How bad it is in this workspace; null if it is off.
    pub severity: Option<Severity>,
    /// What it means.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// An example.
    pub example: String,
    /// What repairs it.
    pub repair: String,
    /// Why the repair has its safety.
    pub safety: String,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// What `explain` reports without a rule: all that are known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RulesReport {
    /// The rules, by id.
    pub rules: Vec<RuleLine>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// A rule in a list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct RuleLine {
    /// The rule.
    pub rule_id: String,
    /// Who looks for it; null for what every source may find.
    pub source: Option<String>,
    /// How bad it is in this workspace; null if it is off.
    pub severity: Option<Severity>,
    /// What it means, in one sentence.
    pub title: String,
}

/// What `init` reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct InitReport {
    /// Always true: that there is a configuration already is fine.
    pub ok: bool,
    /// The version of regreen that made the report.
    pub validator_version: String,
    /// The transaction that was written; null if nothing was.
    pub transaction: Option<String>,
    /// The configuration that was written; null if there is one already.
    pub written: Option<String>,
    /// The files that regreen can say something about, by pack and kind.
    pub found: Vec<FoundFiles>,
    /// How many files name a schema of their own.
    pub with_schema: usize,
    /// How many files were looked at.
    pub files: usize,
    /// The tools that take part here, or would; left out if there are none. Nothing was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSummary>,
    /// Tools that the repository does not show that it uses, and that know files of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_tools: Vec<OtherTool>,
    /// A change that an earlier run left half done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_transaction: Option<PendingTransaction>,
}

/// Files that a pack is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct FoundFiles {
    /// The pack.
    pub pack: String,
    /// The kind of file.
    pub kind: String,
    /// How many there are.
    pub files: usize,
}
