//! The reports as they are written: what is in these texts is a promise.

use std::collections::BTreeMap;

use super::*;

fn diagnostic() -> Diagnostic {
    let location = Location {
        start_byte: 3,
        end_byte: 5,
        start_line: 1,
        start_col: 4,
        end_line: 1,
        end_col: 6,
    };
    Diagnostic {
        diagnostic_id: "d_0123456789ab".into(),
        rule_id: "SEM_CHANGESET_CONFLICT".into(),
        source: "patch".into(),
        phase: "simulate".into(),
        tier: Tier::Semantic,
        severity: Severity::Error,
        message: "a message".into(),
        file: "app.yaml".into(),
        json_pointer: None,
        location: Some(location.clone()),
        related: vec![Related {
            file: "patch.json".into(),
            json_pointer: Some("/ops/1".into()),
            location: Some(location),
            message: "operation 1".into(),
        }],
        details: BTreeMap::from([("op_index".into(), 1.into())]),
        repair_refs: Vec::new(),
    }
}

/// Version 1 of the report of `validate` and `apply`, every member used.
#[test]
fn the_apply_report_is_written_like_this() {
    let report = ApplyReport {
        ok: false,
        validator_version: "0.0.0".into(),
        kind: Some(PatchKind::FixActions),
        transaction: Some("t_000001".into()),
        workspace_hash: Some("blake3:00".into()),
        applied: vec![AppliedOp {
            action_id: Some("A".into()),
            op_index: 0,
            op: "replace_value".into(),
            file: "app.yaml".into(),
            json_pointer: Some("/port".into()),
        }],
        failed: vec![FailedOp {
            action_id: None,
            op_index: 1,
            code: "precondition_failed".into(),
            file: "app.yaml".into(),
            json_pointer: None,
            expected: Some("type string".into()),
            found: None,
        }],
        diagnostics: vec![diagnostic()],
        recheck: Some(Recheck {
            ok: false,
            checked: 1,
            findings: vec![RecheckFinding {
                file: "app.yaml".into(),
                problem: RecheckProblem::DoesNotParse,
            }],
        }),
        summary: ApplySummary { applied: 1, failed: 1 },
    };
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn the_other_reports_are_written_like_this() {
    let undo = UndoReport {
        ok: false,
        undone: None,
        transaction: None,
        files: Vec::new(),
        refused: Some(UndoRefusal {
            code: "changed_since".into(),
            message: "why".into(),
            file: Some("a".into()),
        }),
    };
    let entry = LogEntry {
        transaction: "t_000001".into(),
        command: "apply".into(),
        title: "changeset x".into(),
        undone_by: None,
        can_undo: true,
        files: vec!["a".into()],
    };
    let log = LogReport { transactions: vec![entry], pruned: Vec::new() };
    let note = ConvertNote { action_id: None, op_index: Some(2), reason: "why".into() };
    let convert = ConvertReport {
        ok: false,
        validator_version: "0.0.0".into(),
        kind: Some(PatchKind::Changeset),
        output: None,
        refused: vec![note],
        losses: Vec::new(),
        diagnostics: Vec::new(),
    };
    let error = FailureDetail { code: "io".into(), message: "why".into(), help: None };
    let failure = FailureReport { ok: false, validator_version: "0.0.0".into(), error };
    let lines = [
        serde_json::to_string(&undo),
        serde_json::to_string(&log),
        serde_json::to_string(&convert),
        serde_json::to_string(&failure),
    ];
    insta::assert_snapshot!(lines.map(Result::unwrap).join("\n"));
}

#[test]
fn every_schema_is_draft_2020_12_and_has_a_name_of_its_own() {
    let schemas = schemas();
    for (name, schema) in &schemas {
        let dialect = schema.get("$schema").and_then(serde_json::Value::as_str);
        assert_eq!(dialect, Some("https://json-schema.org/draft/2020-12/schema"), "{name}");
    }
    let names: std::collections::BTreeSet<_> = schemas.iter().map(|it| it.0).collect();
    assert_eq!(names.len(), schemas.len());
}
