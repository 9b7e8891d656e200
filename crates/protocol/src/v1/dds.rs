//! What the commands about proposals report.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::trust::UntrustedItem;

/// What a `dds` command prints.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsAnswer {
    /// The report itself.
    #[serde(flatten)]
    pub report: DdsReport,
    /// What of the configuration does not count here, because the user has not trusted it.
    pub untrusted: Vec<UntrustedItem>,
    /// What came by git and was taken over.
    pub taken: Vec<DdsTaken>,
    /// The files that came by git and do not hold; nothing is done with them.
    pub unheld: Vec<DdsProblem>,
}

/// Something that came by git and was taken over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsTaken {
    /// The record.
    pub id: String,
    /// What happened to it elsewhere.
    pub what: String,
}

/// What a `dds` command reports; `command` says which one it was.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum DdsReport {
    /// A record was added, or refused with all of its faults.
    Add(DdsAdd),
    /// The records.
    List(DdsList),
    /// One record, with all that is known about it.
    Show(Box<DdsShow>),
    /// What a tool would do.
    Plan(DdsPlan),
    /// A person's decision.
    Decide(DdsDecision),
    /// What was carried out.
    Run(DdsRuns),
    /// What the worker made of a failure.
    Worker(DdsWork),
    /// Whether all that is stored holds.
    Verify(DdsVerification),
    /// What went into or out of a file.
    Exchange(DdsExchange),
    /// What was set up for signing.
    Signing(DdsSigning),
}

/// A fault of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsFault {
    /// The rule that it breaks.
    pub rule: String,
    /// Where, as a pointer into the record or the file.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// What became of a record that was to be added.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsAdd {
    /// Whether it was stored.
    pub ok: bool,
    /// Its name; null if it was refused before it had one.
    pub id: Option<String>,
    /// Everything that is wrong with it, in the order of the rules.
    pub faults: Vec<DdsFault>,
}

/// Where a record stands.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsEntry {
    /// The record as it was stored, its status as it is.
    pub record: Map<String, Value>,
    /// How often it changed; what a decision was made for.
    pub version: u64,
    /// Who runs it; null if nobody does.
    pub lease: Option<DdsLease>,
    /// The hash of the patch that is attached; null if there is none.
    pub patch: Option<String>,
    /// Whether it is of an older version, which can be read and nothing else.
    pub legacy: bool,
}

/// Who runs a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsLease {
    /// Who.
    pub holder: String,
    /// When it may be taken over.
    pub until: String,
    /// How far the run came: claimed, running or committing.
    pub phase: String,
}

/// The records, in the order in which they were added.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsList {
    /// True.
    pub ok: bool,
    /// The records.
    pub records: Vec<DdsEntry>,
}

/// One record, with all that is known about it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsShow {
    /// Whether its approval, if it has one, holds.
    pub ok: bool,
    /// The record.
    #[serde(flatten)]
    pub entry: DdsEntry,
    /// What the attached patch would change now, as a unified diff; null if there is none or it does not apply.
    pub diff: Option<String>,
    /// Why the attached patch does not apply now; null if it does or there is none.
    pub stale: Option<String>,
    /// What an approval says: an in-toto Statement v1; null if there is nothing to approve any more.
    pub statement: Option<Value>,
    /// The SHA-256 of the statement's canonical JSON, which is what is signed; `approve --expect` takes it.
    pub statement_hash: Option<String>,
    /// Why it cannot be approved here and now; null if it can.
    pub unsignable: Option<String>,
    /// Its approval; null if it has none.
    pub approval: Option<DdsApproval>,
    /// The report of its run; null if it has not run.
    pub report: Option<Value>,
    /// The correction that its failure led to; null if there is none.
    pub correction: Option<String>,
    /// How often it was approved and could not be carried out; why is in the history.
    pub refusals: usize,
    /// Everything that happened to it, oldest first.
    pub history: Vec<DdsHappened>,
}

/// An approval, judged anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsApproval {
    /// Whether it is an approval of these bytes by somebody who may give one.
    pub holds: bool,
    /// Who gave it.
    pub by: Vec<String>,
    /// Whether it is signed.
    pub signed: bool,
    /// Why it does not hold; empty if it does.
    pub problem: String,
}

/// Something that happened to a record.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsHappened {
    /// When.
    pub at: String,
    /// By whom.
    pub actor: String,
    /// What.
    pub event: String,
    /// What the status was then; null before the record was stored.
    pub from: Option<String>,
    /// What it became; null if the event was refused.
    pub to: Option<String>,
    /// What else is known; null if nothing is.
    pub details: Value,
}

/// What a tool would do, found out on a copy and attached to the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsPlan {
    /// Whether it was attached.
    pub ok: bool,
    /// The record.
    pub id: String,
    /// Whether the tool had the network, the variables and the files that its configuration gives it.
    pub as_configured: bool,
    /// What held the tool in its scope; null if nothing on this machine does.
    pub sandbox: Option<String>,
    /// What will be written if it is approved, as a unified diff; null if nothing was attached.
    pub diff: Option<String>,
    /// The hash of what an approval says now; null if it cannot be approved here.
    pub statement_hash: Option<String>,
    /// Why nothing was attached; empty if it was.
    pub problem: String,
}

/// A person's decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsDecision {
    /// Whether it counts.
    pub ok: bool,
    /// The record.
    pub id: String,
    /// Its status after the decision.
    pub status: String,
    /// The file of the approval, relative to the root; null if there is none.
    pub file: Option<String>,
    /// Who decided.
    pub by: Vec<String>,
    /// Why it does not count, or what is still missing; empty if nothing is.
    pub problem: String,
}

/// What was carried out in one pass.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DdsRuns {
    /// Whether everything that ran succeeded, and nothing was left out.
    pub ok: bool,
    /// The reports, in the order of the runs.
    pub reports: Vec<Value>,
    /// How many of them were refused: these records stay approved and can be run again.
    pub refused: usize,
    /// What is approved and was not carried out, because it needs something that the user has not trusted.
    pub left: Vec<DdsLeft>,
}

/// An approved record that was not carried out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsLeft {
    /// The record; it stays approved.
    pub id: String,
    /// What is not trusted, and the command that allows it.
    pub reason: String,
}

/// What the worker made of a failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsWork {
    /// True.
    pub ok: bool,
    /// The correction that was proposed; null if there was nothing to correct.
    pub proposed: Option<String>,
    /// The failure that it corrects.
    pub source: Option<String>,
}

/// Whether all that is stored holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsVerification {
    /// Whether nothing was found.
    pub ok: bool,
    /// How many records were looked at.
    pub records: usize,
    /// How many lines the audit trail has.
    pub audit_lines: usize,
    /// How many approvals were checked.
    pub approvals: usize,
    /// The hash of the last line of the audit trail; null if there is none. Kept elsewhere, it shows later that history was
    /// only appended to (`verify --against`).
    pub head: Option<String>,
    /// What does not hold, each with its place.
    pub problems: Vec<DdsProblem>,
}

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsProblem {
    /// The record, the line of the audit trail or the file.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

/// What went into or out of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsExchange {
    /// Whether it was done.
    pub ok: bool,
    /// How many records.
    pub records: usize,
    /// How many reports.
    pub reports: usize,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// Why nothing was taken in.
    pub faults: Vec<DdsFault>,
}

/// What was set up for signing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DdsSigning {
    /// True.
    pub ok: bool,
    /// The file of those who may approve, relative to the root.
    pub file: String,
    /// Who was added, or was there already.
    pub principal: String,
    /// The fingerprint of the key.
    pub fingerprint: String,
    /// Whether the file changed.
    pub changed: bool,
}
