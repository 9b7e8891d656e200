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
        document: None,
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
        pending_transaction: None,
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
        pending_transaction: None,
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
    let log =
        LogReport { transactions: vec![entry], pruned: Vec::new(), pending_transaction: None };
    let note = ConvertNote {
        action_id: None,
        op_index: Some(2),
        op: Some("add_file".into()),
        file: Some("a".into()),
        json_pointer: None,
        reason: "why".into(),
    };
    let convert = ConvertReport {
        pending_transaction: None,
        ok: false,
        validator_version: "0.0.0".into(),
        kind: Some(PatchKind::Changeset),
        output: None,
        refused: vec![note],
        losses: Vec::new(),
        diagnostics: Vec::new(),
    };
    let error = FailureDetail { code: "io".into(), message: "why".into(), help: None };
    let failure = FailureReport {
        ok: false,
        validator_version: "0.0.0".into(),
        error,
        diagnostics: Vec::new(),
    };
    let lines = [
        serde_json::to_string(&undo),
        serde_json::to_string(&log),
        serde_json::to_string(&convert),
        serde_json::to_string(&failure),
    ];
    insta::assert_snapshot!(lines.map(Result::unwrap).join("\n"));
}

fn repair() -> Repair {
    let edit = |op: fn(String, String) -> RepairEdit| op("app.yaml".into(), "/port".into());
    Repair {
        id: "r_0123456789ab".into(),
        title: "Write `port` as 8080".into(),
        rationale: "why".into(),
        source: "app".into(),
        phase: "schema".into(),
        rule_id: "SCHEMA_TYPE".into(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::LikelyPreserving,
        kind: RepairKind::LocalFix,
        class: RepairClass::Repair,
        scope: RepairScope { node_count: 1, crosses_function: false, files: 1 },
        targets: RepairTargets {
            diagnostic_codes: vec!["SCHEMA_TYPE".into()],
            obligation_ids: Vec::new(),
            hole_ids: Vec::new(),
        },
        preconditions: vec![Precondition {
            file: "app.yaml".into(),
            json_pointer: "/port".into(),
            x_document: None,
            json_type: Some("string".into()),
            equals: Some("8080".into()),
            exists: None,
            length: None,
        }],
        edits: vec![
            edit(|file, json_pointer| RepairEdit::ReplaceValue {
                file,
                json_pointer,
                x_document: None,
                value: 8080.into(),
            }),
            edit(|file, json_pointer| RepairEdit::AddValue {
                file,
                json_pointer,
                x_document: None,
                key: "k".into(),
                value: true.into(),
            }),
            edit(|file, json_pointer| RepairEdit::RemoveKey {
                file,
                json_pointer,
                x_document: None,
                key: "k".into(),
            }),
            edit(|file, json_pointer| RepairEdit::RenameKey {
                file,
                json_pointer,
                x_document: None,
                from: "a".into(),
                to: "b".into(),
            }),
            edit(|file, json_pointer| RepairEdit::InsertArrayItem {
                file,
                json_pointer,
                x_document: None,
                index: None,
                value: 1.into(),
            }),
            edit(|file, json_pointer| RepairEdit::ReplaceArrayItem {
                file,
                json_pointer,
                x_document: None,
                index: 0,
                value: 1.into(),
            }),
            edit(|file, json_pointer| RepairEdit::RemoveArrayItem {
                file,
                json_pointer,
                x_document: None,
                index: 0,
            }),
            edit(|file, json_pointer| RepairEdit::SetValue {
                file,
                json_pointer,
                x_document: None,
                value: 1.into(),
            }),
            edit(|file, json_pointer| RepairEdit::DeleteValue {
                file,
                json_pointer,
                x_document: None,
            }),
            edit(|file, json_pointer| RepairEdit::MoveValue {
                file,
                json_pointer,
                x_document: None,
                to_pointer: "/x".into(),
                keep_position: false,
            }),
            edit(|file, _| RepairEdit::ReplaceText {
                file,
                base: "blake3:00".into(),
                start: 1,
                end: 2,
                text: "x".into(),
            }),
        ],
        expected_delta: ExpectedDelta {
            diagnostics_resolved: vec!["d_0123456789ab".into()],
            obligations_discharged: Vec::new(),
            holes_filled: Vec::new(),
        },
        reveals: Vec::new(),
        compatibility: Some(Compatibility {
            conflicts_with: vec!["r_1".into()],
            requires: Vec::new(),
            batch_key: Some("batch:local_fix:replace_value".into()),
        }),
    }
}

fn tool() -> ToolSummary {
    ToolSummary {
        name: "ruff".into(),
        version: Some("0.17.4".into()),
        state: ToolState::Ran,
        reason: "pyproject.toml has [tool.ruff]".into(),
        message: Some("why not".into()),
        files: 9,
        findings: 8,
        fixed: 7,
        conflicts: 1,
        refused: 2,
        unverified: 3,
        silencing: 4,
        notes: vec!["a note".into()],
    }
}

fn failure() -> LookFailure {
    LookFailure {
        source: "regreen".into(),
        code: FailureCode::Unreadable,
        file: Some("locked.yaml".into()),
        message: "why".into(),
        tolerated: false,
    }
}

fn files() -> FileSummary {
    let places = vec!["big.json".into()];
    let unchecked = UncheckedFiles { reason: UncheckedReason::TooLarge, count: 1, places };
    FileSummary { checked: 2, parsed: 3, unchecked: vec![unchecked], skipped: Vec::new() }
}

/// The name of a value is the one that is written.
#[test]
fn names_are_those_on_the_wire() {
    let codes = [FailureCode::Unreadable, FailureCode::UnsupportedName, FailureCode::Unavailable];
    let codes = codes.into_iter().chain([
        FailureCode::TimedOut,
        FailureCode::Died,
        FailureCode::Garbled,
        FailureCode::Panicked,
    ]);
    for code in codes {
        assert_eq!(serde_json::to_value(code).unwrap(), code.name());
    }
    let schema = serde_json::to_value(schemars::schema_for!(UncheckedReason)).unwrap();
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), 12);
    for reason in [UncheckedReason::Template, UncheckedReason::NotAFile, UncheckedReason::Blocked] {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.name());
    }
}

/// Version 1 of the report of `check`, every member used (RS-3..RS-14).
#[test]
fn the_check_report_is_written_like_this() {
    let report = CheckReport {
        ok: false,
        validator_version: "0.0.0".into(),
        pack_version: Some("1.0.0".into()),
        diagnostics: vec![diagnostic()],
        repairs: vec![repair()],
        would_change: Some(vec!["app.yaml".into()]),
        failures: vec![failure()],
        tools: vec![tool()],
        pending_transaction: Some(PendingTransaction {
            id: "t_000001".into(),
            settle: "regreen recover".into(),
        }),
        summary: CheckSummary {
            error: 1,
            fixable: 1,
            pending: 1,
            files: files(),
            ..CheckSummary::default()
        },
    };
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

/// Version 1 of the report of `fix`, every member used.
#[test]
fn the_fix_report_is_written_like_this() {
    let report = FixReport {
        ok: true,
        validator_version: "0.0.0".into(),
        transaction: Some("t_000001".into()),
        passes: 1,
        stop: "settled".into(),
        applied: vec![AppliedRepair {
            id: "r_0123456789ab".into(),
            title: "Write `port` as 8080".into(),
            rule_id: "SCHEMA_TYPE".into(),
            source: "app".into(),
            phase: "schema".into(),
            safety: Safety::LikelyPreserving,
            confidence: Confidence::High,
            class: RepairClass::Repair,
            files: vec!["app.yaml".into()],
            verified: true,
            pass: 1,
        }],
        rejected: vec![RejectedRepair {
            id: "r_1".into(),
            title: "t".into(),
            rule_id: "SCHEMA_ENUM".into(),
            source: "app".into(),
            phase: "schema".into(),
            safety: Safety::BehaviorChanging,
            class: RepairClass::Stub,
            files: vec!["app.yaml".into()],
            reason: "conflict".into(),
            with: Some("r_0123456789ab".into()),
            detail: "why".into(),
        }],
        remaining: Vec::new(),
        failures: vec![failure()],
        notes: vec!["a note".into()],
        tools: vec![tool()],
        pending_transaction: None,
        summary: FixSummary {
            applied: 1,
            classes: ClassCounts { repair: 1, ..ClassCounts::default() },
            rejected: 1,
            ..FixSummary::default()
        },
    };
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn the_plan_the_pages_and_the_baseline_are_written_like_this() {
    let plan = PlanReport {
        ok: true,
        validator_version: "0.0.0".into(),
        pack_version: None,
        repairs: vec![PlannedRepair {
            rank: 1,
            decision: Decision::Rejected,
            reason: Some("conflict".into()),
            with: Some("r_1".into()),
            detail: Some("why".into()),
            repair: Repair { edits: Vec::new(), compatibility: None, ..repair() },
        }],
        failures: Vec::new(),
        pending_transaction: None,
        summary: PlanSummary {
            accepted: 0,
            classes: ClassCounts::default(),
            rejected: 1,
            unfixable: 2,
            not_shown: 3,
            files: files(),
        },
    };
    let page = ExplainReport {
        rule_id: "SEM_X".into(),
        title: "t".into(),
        source: Some("app".into()),
        tier: Some(Tier::Semantic),
        severity: None,
        what: "what".into(),
        why: "why".into(),
        example: "example".into(),
        repair: "repair".into(),
        safety: "safety".into(),
        pending_transaction: None,
    };
    let line = RuleLine {
        rule_id: "SEM_X".into(),
        source: None,
        severity: Some(Severity::Warning),
        title: "t".into(),
    };
    let init = InitReport {
        ok: true,
        validator_version: "0.0.0".into(),
        transaction: Some("t_000001".into()),
        written: Some("regreen.toml".into()),
        found: vec![FoundFiles { pack: "app".into(), kind: "module".into(), files: 3 }],
        with_schema: 1,
        files: 9,
        tools: vec![tool()],
        other_tools: vec![OtherTool {
            name: "shfmt".into(),
            files: 2,
            install: Some("how".into()),
        }],
        pending_transaction: None,
    };
    let baseline = Baseline {
        regreen_baseline: 1,
        findings: vec![BaselineEntry {
            file: "a".into(),
            rule_id: "SEM_X".into(),
            source: "app".into(),
            json_pointer: None,
            diagnostic_id: "d_0123456789ab".into(),
        }],
    };
    let lines = [
        serde_json::to_string(&plan),
        serde_json::to_string(&page),
        serde_json::to_string(&RulesReport { rules: vec![line], pending_transaction: None }),
        serde_json::to_string(&init),
        serde_json::to_string(&baseline),
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
