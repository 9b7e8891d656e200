//! What becomes of alternatives, of one fix for many findings, and of fixes that only hide.

use std::collections::BTreeMap;

use check::Severity;
use edit::{Edit, Text};
use snapshot::{Entry, File};

use super::*;

const TEXT: &str = "import os\nteh end\n";

fn tree() -> (Snapshot, RelPath) {
    let file = RelPath::parse("a.py").unwrap();
    let entry = Entry::File(File::new(Text::new(TEXT), 0o644));
    (Snapshot::new(BTreeMap::from([(file.clone(), entry)])).unwrap(), file)
}

fn fix(file: &RelPath, safety: Safety, edit: Edit) -> Fix {
    let set = EditSet::new(&Text::new(TEXT), vec![edit]).unwrap();
    Fix {
        title: "do it".to_owned(),
        safety,
        edits: [(file.clone(), set)].into(),
        files: Vec::new(),
        is_layout: false,
    }
}

fn finding(file: &RelPath, rule: &str, fixes: Vec<Fix>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity: Severity::Warning,
        message: "m".to_owned(),
        file: file.clone(),
        range: Some(10..13),
        url: None,
        fixes,
    }
}

#[test]
fn alternatives_exclude_each_other_and_the_first_is_preferred() {
    let (snapshot, file) = tree();
    let the = fix(&file, Safety::BehaviorChanging, Edit::replace(10, 13, "the"));
    let ten = fix(&file, Safety::BehaviorChanging, Edit::replace(10, 13, "ten"));
    let report = ToolReport {
        findings: vec![finding(&file, "typo", vec![the, ten])],
        ..ToolReport::default()
    };
    let (diagnostics, repairs) = report.to_check("typos", &snapshot);
    assert_eq!(diagnostics[0].location.unwrap().start_line, 2);
    assert_eq!(repairs.len(), 2);
    assert_eq!(repairs[0].compatibility.conflicts_with, [repairs[1].id.clone()]);
    assert_eq!(repairs[1].compatibility.conflicts_with, [repairs[0].id.clone()]);
    assert!(repairs[0].confidence < repairs[1].confidence);
    assert_eq!(repairs[1].confidence, Confidence::Low);
    assert!(repairs.iter().all(|it| it.resolves == [diagnostics[0].diagnostic_id.clone()]));
}

#[test]
fn one_fix_of_many_findings_is_one_repair_with_the_stricter_safety() {
    let (snapshot, file) = tree();
    let delete = |safety| fix(&file, safety, Edit::delete(0, 10));
    let findings = vec![
        finding(&file, "F401", vec![delete(Safety::LikelyPreserving)]),
        finding(&file, "I001", vec![delete(Safety::BehaviorChanging)]),
    ];
    let (diagnostics, repairs) =
        ToolReport { findings, ..ToolReport::default() }.to_check("ruff", &snapshot);
    assert_eq!(repairs.len(), 1);
    assert_eq!(repairs[0].safety, Safety::BehaviorChanging);
    let ids: Vec<String> = diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect();
    assert_eq!(repairs[0].resolves, ids);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn a_fix_that_hides_is_a_suppression_whatever_its_title() {
    let (snapshot, file) = tree();
    let noqa = fix(&file, Safety::LikelyPreserving, Edit::insert(9, "  # noqa: F401"));
    let report =
        ToolReport { findings: vec![finding(&file, "F401", vec![noqa])], ..ToolReport::default() };
    let (_, repairs) = report.to_check("ruff", &snapshot);
    assert_eq!(repairs[0].grounds.at_least, Some(RepairClass::Suppress));
}
