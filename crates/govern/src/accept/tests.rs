//! Every rule broken alone and all of them together, on the example of the contract.

use serde_json::json;

use super::*;

fn source_json() -> Value {
    json!({
        "id": "DDS-20260202-CODE-001",
        "version": 2,
        "type": "code_change",
        "project": "ai_system",
        "goal": "Add calculator functionality",
        "instructions": ["Create calculator module", "Add comprehensive tests"],
        "allowed_paths": ["src/", "tests/"],
        "tool": "aider",
        "constraints": { "max_files_changed": 5, "no_new_dependencies": true, "no_refactor": false },
        "status": "failed"
    })
}

fn source() -> Record {
    shape::read(&source_json()).record.expect("the contract's own example")
}

fn fix_json() -> Value {
    json!({
        "id": "DDS-FIX-20260202-001",
        "version": 2,
        "type": "code_fix",
        "project": "ai_system",
        "goal": "Fix execution failure in DDS-20260202-CODE-001: TypeError in calculator.py",
        "instructions": ["Analyze error: TypeError at src/calculator.py line 42"],
        "allowed_paths": ["src/calculator.py", "tests/test_calculator.py"],
        "tool": "aider",
        "constraints": { "max_files_changed": 2, "no_new_dependencies": true, "no_refactor": true },
        "status": "proposed",
        "source_dds": "DDS-20260202-CODE-001",
        "error_context": {
            "original_dds": "DDS-20260202-CODE-001",
            "error_message": "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
            "failed_at": "2026-02-02T15:30:45.123456"
        }
    })
}

/// DF-35: what the rules accept fits the schema, and what breaks the form of a member does not.
fn fits_schema(value: &Value) -> bool {
    let schemas = crate::schemas();
    let (_, schema) = schemas.iter().find(|it| it.0 == "dds").unwrap();
    jsonschema::validator_for(schema).unwrap().is_valid(value)
}

/// The faults of the correction with some members replaced, as `rule pointer`; a null takes the member away.
fn check(changes: &[(&str, Value)]) -> Vec<String> {
    check_with(changes, Surroundings { source: Some(&source()), ..Surroundings::default() })
}

fn check_with(changes: &[(&str, Value)], around: Surroundings<'_>) -> Vec<String> {
    let mut value = fix_json();
    for (pointer, replacement) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let members = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match replacement {
            Value::Null => members.shift_remove(name),
            _ => members.insert(name.to_owned(), replacement.clone()),
        };
    }
    match accept(&value, around) {
        Ok(record) => {
            assert_eq!(record.to_json(), value, "a record is written as it was read");
            assert!(fits_schema(&value));
            Vec::new()
        }
        Err(faults) => {
            faults.iter().map(|it| format!("{} {}", it.rule.name(), it.pointer)).collect()
        }
    }
}

#[test]
fn the_example_of_the_contract_is_accepted() {
    assert_eq!(check(&[]), [""; 0]);
    assert_eq!(check(&[("/x_ticket", json!({ "n": 17 }))]), [""; 0]);
}

/// DF-1 to DF-16, DF-18 to DF-20, DF-22 to DF-31, DF-49: every rule, and its place.
#[test]
fn every_rule_broken_alone() {
    let long = "x".repeat(501);
    let cases: &[(&str, Value, &str)] = &[
        ("/id", json!("DDS-FIX-2026-001"), "id_format /id"),
        ("/id", json!("DDS-20260202-CODE-002"), "id_format /id"),
        ("/id", json!(7), "id_format /id"),
        ("/id", Value::Null, "id_format /id"),
        ("/version", json!("2"), "version /version"),
        ("/version", json!(2.0), "version /version"),
        ("/version", json!(1), "version /version"),
        ("/version", Value::Null, "version /version"),
        ("/type", json!("refactor"), "type /type"),
        ("/status", json!("approved"), "status /status"),
        ("/status", json!("executed"), "status /status"),
        ("/status", json!("success"), "status /status"),
        ("/status", Value::Null, "status /status"),
        ("/source_dds", Value::Null, "source_dds /source_dds"),
        ("/allowed_paths", json!(["src2/x"]), "allowed_paths /allowed_paths/0"),
        ("/allowed_paths", json!(["src/a", "docs/"]), "allowed_paths /allowed_paths/1"),
        ("/allowed_paths", json!(["src/../etc"]), "allowed_paths /allowed_paths/0"),
        ("/allowed_paths", json!([""]), "allowed_paths /allowed_paths/0"),
        ("/allowed_paths", json!([1]), "allowed_paths /allowed_paths/0"),
        ("/allowed_paths", json!("src/"), "allowed_paths /allowed_paths"),
        ("/allowed_paths", Value::Null, "allowed_paths /allowed_paths"),
        ("/constraints/max_files_changed", json!(4), "constraints /constraints/max_files_changed"),
        ("/constraints/max_files_changed", json!(-1), "constraints /constraints/max_files_changed"),
        (
            "/constraints/max_files_changed",
            json!(1.5),
            "constraints /constraints/max_files_changed",
        ),
        (
            "/constraints/max_files_changed",
            json!("2"),
            "constraints /constraints/max_files_changed",
        ),
        (
            "/constraints/max_files_changed",
            Value::Null,
            "constraints /constraints/max_files_changed",
        ),
        ("/constraints/no_refactor", json!(false), "constraints /constraints/no_refactor"),
        (
            "/constraints/no_new_dependencies",
            json!(false),
            "constraints /constraints/no_new_dependencies",
        ),
        (
            "/constraints/no_new_dependencies",
            json!(1),
            "constraints /constraints/no_new_dependencies",
        ),
        ("/constraints/no_tests", json!(true), "constraints /constraints/no_tests"),
        ("/constraints", json!([]), "constraints /constraints"),
        ("/constraints", Value::Null, "constraints /constraints"),
        ("/error_context", Value::Null, "error_context /error_context"),
        ("/error_context", json!("TypeError"), "error_context /error_context"),
        (
            "/error_context/original_dds",
            json!("DDS-20260202-CODE-002"),
            "error_context /error_context/original_dds",
        ),
        ("/error_context/original_dds", Value::Null, "error_context /error_context/original_dds"),
        ("/error_context/error_message", json!(" "), "error_context /error_context/error_message"),
        ("/error_context/error_message", Value::Null, "error_context /error_context/error_message"),
        ("/error_context/failed_at", json!("yesterday"), "error_context /error_context/failed_at"),
        ("/error_context/failed_at", json!(""), "error_context /error_context/failed_at"),
        ("/error_context/stack", json!("…"), "error_context /error_context/stack"),
        ("/error_context/error_message", json!(long), "error_message /error_context/error_message"),
        (
            "/error_context/error_message",
            json!("a\rb"),
            "error_message /error_context/error_message",
        ),
        (
            "/error_context/error_message",
            json!("a\u{0}b"),
            "error_message /error_context/error_message",
        ),
        ("/project", json!("other"), "form /project"),
        ("/project", json!(""), "form /project"),
        ("/tool", json!("sh"), "form /tool"),
        ("/goal", json!("Fix it"), "form /goal"),
        ("/goal", json!("Fix DDS-20260202-CODE-0011"), "form /goal"),
        ("/goal", json!(""), "form /goal"),
        ("/instructions", json!([]), "form /instructions"),
        ("/instructions", json!(["do", ""]), "form /instructions/1"),
        ("/instructions", json!("do"), "form /instructions"),
        ("/priority", json!(1), "form /priority"),
        ("/a~1b", json!(1), "form /a~01b"),
        ("/x_big", json!(9_007_199_254_740_993_u64), "form /x_big"),
    ];
    for (pointer, value, fault) in cases {
        assert_eq!(check(&[(pointer, value.clone())]), [*fault], "{pointer} = {value}");
    }
}

/// DF-11, DF-26, DF-46.
#[test]
fn the_source_must_exist_have_failed_and_be_no_correction() {
    let gone = Surroundings::default();
    assert_eq!(check_with(&[], gone), ["source_dds /source_dds"]);
    for status in Status::ALL.into_iter().filter(|it| *it != Status::Failed) {
        let source = Record { status, ..source() };
        let around = Surroundings { source: Some(&source), ..Surroundings::default() };
        assert_eq!(check_with(&[], around), ["source_dds /source_dds"], "{status}");
    }
    let mut value = fix_json();
    value["status"] = json!("failed");
    let fix = Record {
        id: source().id,
        allowed_paths: source().allowed_paths,
        ..shape::read(&value).record.unwrap()
    };
    let around = Surroundings { source: Some(&fix), ..Surroundings::default() };
    assert_eq!(check_with(&[], around), ["source_dds /source_dds"]);
}

/// DF-1, DF-31, X-29.
#[test]
fn one_correction_per_source_and_one_record_per_id() {
    let (source, other) = (source(), Id::parse("DDS-FIX-20260202-007").unwrap());
    let around =
        Surroundings { source: Some(&source), sibling: Some(&other), ..Surroundings::default() };
    assert_eq!(check_with(&[], around), ["duplicate /source_dds"]);
    let around =
        Surroundings { source: Some(&source), id_is_taken: true, ..Surroundings::default() };
    assert_eq!(check_with(&[], around), ["duplicate /id"]);
}

/// DF-9, DF-17, DF-28, X-12.
#[test]
fn limits_of_the_source_hold_below_three() {
    for (limit, given, faults) in [(5, 3, 0), (2, 2, 0), (2, 3, 1), (0, 0, 0), (0, 1, 1), (1, 4, 1)]
    {
        let mut source = source();
        source.constraints.max_files_changed = Some(limit);
        let around = Surroundings { source: Some(&source), ..Surroundings::default() };
        let found = check_with(&[("/constraints/max_files_changed", json!(given))], around);
        assert_eq!(found.len(), faults, "source {limit}, correction {given}: {found:?}");
    }
    // DF-21: a source that states no limit has corrections of three files.
    let mut source = source();
    source.constraints = Constraints::default();
    assert_eq!(crate::record::inherited(&source.constraints).max_files_changed, Some(3));
    let around = Surroundings { source: Some(&source), ..Surroundings::default() };
    assert_eq!(check_with(&[("/constraints/max_files_changed", json!(3))], around), [""; 0]);
}

/// DF-32.
#[test]
fn all_ten_together_in_the_order_of_the_rules() {
    let (source, other) = (source(), Id::parse("DDS-FIX-20260202-007").unwrap());
    let around = Surroundings { source: Some(&source), sibling: Some(&other), id_is_taken: true };
    let faults = check_with(
        &[
            ("/error_context/error_message", json!("x".repeat(501))),
            ("/error_context/failed_at", Value::Null),
            ("/constraints/max_files_changed", json!(9)),
            ("/allowed_paths", json!(["src2"])),
            ("/source_dds", json!("")),
            ("/status", json!("approved")),
            ("/version", json!("2")),
            ("/id", json!("DDS-1")),
            ("/goal", json!("")),
        ],
        around,
    );
    assert_eq!(
        faults,
        [
            "id_format /id",
            "version /version",
            "status /status",
            "source_dds /source_dds",
            "allowed_paths /allowed_paths/0",
            "constraints /constraints/max_files_changed",
            "error_context /error_context/failed_at",
            "error_message /error_context/error_message",
            "duplicate /id",
            "duplicate /source_dds",
            "form /goal",
        ]
    );
}

#[test]
fn a_change_is_closed_too_and_old_types_are_not_made() {
    let check = |change: &dyn Fn(&mut Value)| {
        let mut value = source_json();
        value["status"] = json!("proposed");
        change(&mut value);
        match accept(&value, Surroundings::default()) {
            Ok(_) => Vec::new(),
            Err(faults) => faults
                .iter()
                .map(|it| format!("{} {}", it.rule.name(), it.pointer))
                .collect::<Vec<_>>(),
        }
    };
    assert_eq!(check(&|_| {}), [""; 0]);
    assert!(fits_schema(&source_json()));
    // A change need not limit itself.
    assert_eq!(check(&|it| it["constraints"] = json!({})), [""; 0]);
    assert_eq!(
        check(&|it| it["source_dds"] = json!("DDS-20260202-CODE-001")),
        ["form /source_dds"]
    );
    assert_eq!(check(&|it| it["id"] = json!("DDS-FIX-20260202-001")), ["id_format /id"]);
    assert_eq!(check(&|it| it["id"] = json!("DDS-20260202153045")), ["id_format /id"]);
    for old in ["touch_file", "noop"] {
        assert_eq!(check(&|it| it["type"] = json!(old)), ["type /type"]);
    }
}

#[test]
fn hostile_values_are_faults_and_no_panic() {
    for value in [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({ "type": "code_fix" }),
        json!({ "type": {} }),
    ] {
        assert!(accept(&value, Surroundings::default()).is_err());
    }
}

/// DF-35: a correction with the constraints of a change is read as a change's, never the other way round.
#[test]
fn the_schema_refuses_what_breaks_the_form() {
    for (pointer, value) in [
        ("/id", json!("DDS-1")),
        ("/version", json!("2")),
        ("/type", json!("noop")),
        ("/status", json!("success")),
        ("/instructions", json!([])),
        ("/allowed_paths", json!(["/etc"])),
        ("/constraints/max_files_changed", json!(4)),
        ("/constraints/no_refactor", json!(false)),
        ("/constraints/no_tests", json!(true)),
        ("/error_context/error_message", json!("x".repeat(501))),
        ("/error_context/failed_at", json!("")),
        ("/priority", json!(1)),
        ("/goal", json!(" ")),
    ] {
        let mut fix = fix_json();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let members = fix.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        members.insert(name.to_owned(), value.clone());
        assert!(!fits_schema(&fix), "{pointer} = {value}");
    }
    // Every constraint of a correction is one of a change.
    let mut change = source_json();
    change["constraints"] = fix_json()["constraints"].clone();
    assert!(fits_schema(&change));
}
