//! Runs every folder under `tests/fixtures/changeset` and `tests/fixtures/fix-actions` (CS-1, CS-62, CS-63, FA-52..FA-56).
//!
//! A case is `<category>/<case>/` with the patch document, `workspace.txt`, `expected.json` (the report: at least rule,
//! tier, severity, file and pointer of every diagnostic), `after.txt` if files change, and `notes.md` with the
//! requirements it proves. `BLESS=1` writes what is expected from what is found.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::support;
use patch::{Patch, Simulation};

#[test]
fn every_changeset_folder_gives_its_report() {
    assert!(run_all("changeset", "changeset.json") >= 50);
}

#[test]
fn every_fix_action_folder_gives_its_report() {
    assert!(run_all("fix-actions", "fix-actions.json") >= 25);
}

/// Every code of a failure is shown by a folder, but for those that a folder cannot show.
#[test]
fn every_failure_code_has_a_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut reports = String::new();
    for case in folders(&root).iter().flat_map(|kind| folders(kind)).flat_map(|it| folders(&it)) {
        reports += &fs::read_to_string(case.join("expected.json")).unwrap();
    }
    // Budgets need bulk, protection needs a disk, the next three belong to edits documents and dialects, the last two to
    // no operation.
    let elsewhere = [
        "budget",
        "protected",
        "read_only",
        "nested_repository",
        "path_too_long",
        "invalid_edit",
        "invalid_document",
        "overlapping_ops",
        "stale",
        "workspace_mismatch",
    ];
    for code in patch::OpFailureCode::ALL {
        let is_shown = reports.contains(&format!("\"code\": \"{}\"", code.name()));
        assert_eq!(is_shown, !elsewhere.contains(&code.name()), "{}", code.name());
        assert!(!code.advice().is_empty());
    }
}

fn run_all(kind: &str, document: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(kind);
    let mut cases: Vec<PathBuf> =
        folders(&root).iter().flat_map(|category| folders(category)).collect();
    cases.sort();
    let mut wrong = Vec::new();
    for case in &cases {
        let found = std::panic::catch_unwind(|| run(case, document));
        match found {
            Ok(Ok(())) => {}
            Ok(Err(message)) => wrong.push(format!("{}: {message}", case.display())),
            Err(_) => wrong.push(format!("{}: panicked", case.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    cases.len()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

fn run(case: &Path, document: &str) -> Result<(), String> {
    let text = fs::read_to_string(case.join(document)).unwrap();
    let (before, index) =
        support::workspace(&fs::read_to_string(case.join("workspace.txt")).unwrap());
    assert!(!fs::read_to_string(case.join("notes.md")).unwrap().is_empty());
    let (report, after) = match support::read(&text) {
        Err(rejection) => (report(false, &[], &rejection.failed, &rejection.diagnostics), None),
        Ok(patch) => {
            let found = support::simulate(&patch, &before, &index);
            shuffled_actions_do_the_same(&patch, &found, &before, &index);
            let changed = !found.change.is_empty() || found.index != index;
            let after = changed.then(|| {
                let after = before.apply(&found.change).unwrap();
                support::render(&after, &found.index)
            });
            (report(found.ok, &found.applied, &found.failed, &found.diagnostics), after)
        }
    };
    let category = case.parent().and_then(Path::file_name).unwrap().to_str();
    match category {
        Some("keep") => assert!(report["ok"] == true && after.is_none()),
        Some("fix") => assert!(report["ok"] == true && after.is_some()),
        Some("refuse") => assert!(report["ok"] == false),
        _ => {}
    }
    compare(&case.join("expected.json"), Some(format!("{report:#}\n")))?;
    compare(&case.join("after.txt"), after)
}

/// FA-46, FA-54: the order in which actions were found has no effect.
fn shuffled_actions_do_the_same(
    patch: &Patch,
    found: &Simulation,
    before: &snapshot::Snapshot,
    index: &snapshot::FileIndex,
) {
    let Patch::FixActions(document) = patch else { return };
    let mut reversed = document.clone();
    reversed.fix_actions.reverse();
    let again = support::simulate(&Patch::FixActions(reversed), before, index);
    assert_eq!(
        (&again.change, &again.applied, &again.failed),
        (&found.change, &found.applied, &found.failed)
    );
}

fn report(
    ok: bool,
    applied: &[patch::AppliedOp],
    failed: &[patch::FailedOp],
    diagnostics: &[check::Diagnostic],
) -> Value {
    let applied = applied.iter().map(|it| {
        json!({"action_id": it.action_id, "op_index": it.op_index, "op": it.op, "file": it.file, "json_pointer": it.json_pointer})
    });
    let failed = failed.iter().map(|it| {
        json!({
            "action_id": it.action_id, "op_index": it.op_index, "code": it.code.name(), "file": it.file,
            "json_pointer": it.json_pointer, "expected": it.expected, "found": it.found,
        })
    });
    let diagnostics = diagnostics.iter().map(|it| {
        let place = it.location.map(|at| format!("{}:{}-{}:{}", at.start_line, at.start_col, at.end_line, at.end_col));
        json!({
            "rule_id": it.rule_id, "tier": it.tier.name(), "severity": it.severity.name(), "file": it.file,
            "json_pointer": it.json_pointer, "location": place, "message": it.message,
        })
    });
    let mut report = json!({"ok": ok});
    report["applied"] = applied.map(without_nulls).collect();
    report["failed"] = failed.map(without_nulls).collect();
    report["diagnostics"] = diagnostics.map(without_nulls).collect();
    report
}

fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, value| !value.is_null());
    }
    value
}

fn compare(path: &Path, found: Option<String>) -> Result<(), String> {
    if std::env::var_os("BLESS").is_some() {
        match &found {
            Some(found) => fs::write(path, found).unwrap(),
            None if path.exists() => fs::remove_file(path).unwrap(),
            None => {}
        }
    }
    let expected = fs::read_to_string(path).ok();
    if expected == found {
        return Ok(());
    }
    let shown = |it: Option<String>| it.unwrap_or_else(|| "(nothing)".to_owned());
    Err(format!(
        "{} differs\nexpected:\n{}\nfound:\n{}",
        path.display(),
        shown(expected),
        shown(found)
    ))
}
