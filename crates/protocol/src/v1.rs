//! Version 1: requests that front ends make and reports that they get.

mod baseline;
mod compile;
mod config;
mod coverage;
mod dds;
mod diagnostic;
mod edits;
mod findings;
mod recover;
mod repair;
mod report;
mod request;
mod schemas;
#[cfg(test)]
mod tests;
mod tools;
mod trust;

pub use baseline::{Baseline, BaselineEntry};
pub use compile::{
    BuildReport, BuildSummary, CompileApplied, CompileDiagnostic, CompileDiagnostics, CompileFixed,
    CompileHint, CompileOutput, CompilePosition, CompileRelated, CompileRepair, CompileResult,
    CompileSpan, CompileStats, CompileStatus, CompileTargets, Fact, FillCandidate, Hole,
    HoleContext, Members, NodeScope, Obligation, ObligationContext, ScopeBinding,
};
pub use coverage::{
    FailureCode, FileSummary, LookFailure, MOST_PLACES, PendingTransaction, SkippedFolders,
    UncheckedFiles, UncheckedReason,
};
pub use dds::{
    DdsAdd, DdsAnswer, DdsApproval, DdsDecision, DdsEntry, DdsExchange, DdsFault, DdsHappened,
    DdsLease, DdsLeft, DdsList, DdsPlan, DdsProblem, DdsReport, DdsRuns, DdsShow, DdsSigning,
    DdsTaken, DdsVerification, DdsWork,
};
pub use diagnostic::{Diagnostic, Location, Related, Severity, Tier};
pub use findings::{
    AppliedRepair, CheckReport, CheckSummary, Decision, ExplainReport, FixReport, FixSummary,
    FoundFiles, InitReport, PlanReport, PlanSummary, PlannedRepair, REASONS, RejectedRepair,
    RuleLine, RulesReport,
};
pub use recover::{RecoverReport, SettledTransaction};
pub use repair::{
    ClassCounts, Compatibility, Confidence, ExpectedDelta, Precondition, Repair, RepairClass,
    RepairEdit, RepairKind, RepairScope, RepairTargets, Safety,
};
pub use report::{
    AppliedOp, ApplyReport, ApplySummary, ConvertNote, ConvertReport, FailedOp, FailureDetail,
    FailureReport, LogEntry, LogReport, PatchKind, Recheck, RecheckFinding, RecheckProblem,
    UndoRefusal, UndoReport,
};
pub use request::{
    Build, Check, Compile, Conversion, Convert, Explain, Fix, Init, Language, Log, LookRequest,
    PatchInput, Plan, ProgramForm, ProgramRepair, Run, RunPatch, Runtime, Solver, Undo,
};
pub use schemas::{PackReport, SchemaFailure, SchemaLine, SchemasReport, SchemasUpdate, WrongCase};
pub use tools::{OtherTool, ToolState, ToolSummary};
pub use trust::{TrustItem, TrustReport, TrustState, UntrustedItem};

/// The JSON Schemas of the reports, the edits document, the configuration and the baseline, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        ("apply-report", schema_of::<ApplyReport>()),
        ("baseline", schema_of::<Baseline>()),
        ("build-report", schema_of::<BuildReport>()),
        ("check-report", schema_of::<CheckReport>()),
        ("compile-diagnostics", schema_of::<CompileDiagnostics>()),
        ("compile-result", schema_of::<CompileResult>()),
        ("config", config::schema()),
        ("convert-report", schema_of::<ConvertReport>()),
        ("dds-report", schema_of::<DdsAnswer>()),
        ("edits", edits::schema()),
        ("explain-report", schema_of::<ExplainReport>()),
        ("failure-report", schema_of::<FailureReport>()),
        ("fix-report", schema_of::<FixReport>()),
        ("init-report", schema_of::<InitReport>()),
        ("log-report", schema_of::<LogReport>()),
        ("pack-report", schema_of::<PackReport>()),
        ("plan-report", schema_of::<PlanReport>()),
        ("recover-report", schema_of::<RecoverReport>()),
        ("repairs", schema_of::<Vec<Repair>>()),
        ("rules-report", schema_of::<RulesReport>()),
        ("schemas-report", schema_of::<SchemasReport>()),
        ("trust-report", schema_of::<TrustReport>()),
        ("undo-report", schema_of::<UndoReport>()),
    ]
}

/// Reports are written, never read, so members that may be left out are optional.
fn schema_of<T: schemars::JsonSchema>() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}
