//! Version 1: requests that front ends make and reports that they get.

mod diagnostic;
mod edits;
mod report;
mod request;
#[cfg(test)]
mod tests;

pub use diagnostic::{Diagnostic, Location, Related, Severity, Tier};
pub use report::{
    AppliedOp, ApplyReport, ApplySummary, ConvertNote, ConvertReport, FailedOp, FailureDetail,
    FailureReport, LogEntry, LogReport, PatchKind, Recheck, RecheckFinding, RecheckProblem,
    UndoRefusal, UndoReport,
};
pub use request::{Conversion, Convert, Log, PatchInput, RunPatch, Undo};

/// The JSON Schemas of the reports and of the edits document, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        ("apply-report", schema_of::<ApplyReport>()),
        ("convert-report", schema_of::<ConvertReport>()),
        ("edits", edits::schema()),
        ("failure-report", schema_of::<FailureReport>()),
        ("log-report", schema_of::<LogReport>()),
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
