//! X-121: operations on the documents of a YAML stream.

use document::Limits;
use patch::bridge::{Context, ConvertError, to_changeset, to_fix_actions};
use patch::{OpFailureCode, Patch};

use super::support;

const FILES: &str = "//- .regreen/files.json\n{\"files\": {\"f\": \"f.yaml\"}, \"workspace_uid\": \"w\"}\n\
                     //- f.yaml\na: 1 # one\n---\na: 2 # two\nl: [1]\n---\na: 3\n";

fn fix_actions(ops: &str) -> Patch {
    let text = format!(
        r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{{"id": "one", "title": "t", "severity": "error", "targets": [{{"diagnostic_id": "d"}}], "confidence": "high", "ops": [{ops}]}}]}}"#
    );
    support::read(&text).unwrap()
}

fn changeset(ops: &str) -> Patch {
    support::read(&format!(r#"{{"changeset_uid": "cs", "ops": [{ops}]}}"#)).unwrap()
}

/// The file afterwards, or the codes of what failed.
fn outcome(patch: &Patch) -> Result<String, Vec<OpFailureCode>> {
    let (snapshot, index) = support::workspace(FILES);
    let simulation = support::simulate(patch, &snapshot, &index);
    if !simulation.ok {
        return Err(simulation.failed.iter().map(|it| it.code).collect());
    }
    let after = snapshot.apply(&simulation.change).unwrap();
    let text = after.file(&support::path("f.yaml")).unwrap().text();
    Ok(text.as_str().unwrap().to_owned())
}

const FIX_OPS: &str = r#"
    {"op": "replace_value", "file": "f.yaml", "json_pointer": "/a", "value": 10},
    {"op": "replace_value", "file": "f.yaml", "json_pointer": "/a", "value": 20, "x_document": 1},
    {"op": "insert_array_item", "file": "f.yaml", "json_pointer": "/l", "value": 9, "x_document": 1},
    {"op": "add_value", "file": "f.yaml", "json_pointer": "", "key": "z", "value": 0, "x_document": 2}"#;
const AFTER: &str = "a: 10 # one\n---\na: 20 # two\nl: [1, 9]\n---\na: 3\nz: 0\n";

#[test]
fn each_operation_names_its_document() {
    assert_eq!(outcome(&fix_actions(FIX_OPS)).as_deref(), Ok(AFTER));
    let ops = r#"{"type": "set_value", "file_uid": "f", "json_pointer": "/a", "value": 10},
        {"type": "set_value", "file_uid": "f", "json_pointer": "/a", "value": 20, "x_document": 1}"#;
    let after = "a: 10 # one\n---\na: 20 # two\nl: [1]\n---\na: 3\n";
    assert_eq!(outcome(&changeset(ops)).as_deref(), Ok(after));
}

#[test]
fn two_writes_to_one_place_of_one_document_conflict() {
    let op = |document: usize| {
        format!(
            r#"{{"type": "set_value", "file_uid": "f", "json_pointer": "/a", "value": 5, "x_document": {document}}}"#
        )
    };
    let twice = changeset(&format!("{}, {}", op(1), op(1)));
    assert_eq!(outcome(&twice), Err(vec![OpFailureCode::Conflict]));
    assert!(outcome(&changeset(&format!("{}, {}", op(1), op(2)))).is_ok());
    assert!(outcome(&changeset(&op(3))).is_err());
}

#[test]
fn a_document_is_a_number_from_0() {
    for wrong in ["-1", "\"1\"", "1.5", "null"] {
        let op = format!(
            r#"{{"type": "delete_value", "file_uid": "f", "json_pointer": "/a", "x_document": {wrong}}}"#
        );
        let text = format!(r#"{{"changeset_uid": "cs", "ops": [{op}]}}"#);
        assert!(support::read(&text).is_err(), "{wrong}");
    }
}

/// The bridge keeps it, and a strict conversion refuses it in both directions.
#[test]
fn conversions_keep_the_document_unless_they_are_strict() {
    let (snapshot, index) = support::workspace(FILES);
    let context =
        |strict| Context { snapshot: &snapshot, index: &index, limits: Limits::DEFAULT, strict };
    let Patch::FixActions(document) = fix_actions(FIX_OPS) else { panic!("fix actions") };
    let converted = to_changeset(&document, &context(false)).unwrap().document;
    assert_eq!(outcome(&Patch::Changeset(converted.clone())).as_deref(), Ok(AFTER));
    let back = to_fix_actions(&converted, &context(false)).unwrap().document;
    assert_eq!(outcome(&Patch::FixActions(back)).as_deref(), Ok(AFTER));
    let op = r#"{"op": "replace_value", "file": "f.yaml", "json_pointer": "/a", "value": 20, "x_document": 1}"#;
    let Patch::FixActions(document) = fix_actions(op) else { panic!("fix actions") };
    let notes = |error: ConvertError| match error {
        ConvertError::NotExpressible(notes) => notes[0].reason.clone(),
        other => panic!("{other:?}"),
    };
    let refused = notes(to_changeset(&document, &context(true)).unwrap_err());
    assert!(refused.contains("`x_document`"), "{refused}");
    let refused = notes(to_fix_actions(&converted, &context(true)).unwrap_err());
    assert!(refused.contains("`x_document`"), "{refused}");
}
