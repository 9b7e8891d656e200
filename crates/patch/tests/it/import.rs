//! Dialects of other validators (B-3): what maps is translated, the rest is refused with a reason.

use patch::{OpFailureCode, Patch};
use snapshot::FileIndex;

use super::support;

const WORKSPACE: &str = r#"//- m.json
{"module": {"uid": "mod_1", "name": "old", "tags": ["a"]}, "list": [{"uid": "e1"}, {"uid": "twin"}, {"uid": "twin"}]}
"#;

/// The translated document, or the refusals.
fn import(text: &str) -> Result<String, Vec<(usize, OpFailureCode, String)>> {
    let (snapshot, index) = support::workspace(WORKSPACE);
    let patch = support::read(text).unwrap_or_else(|it| panic!("{:?}", it.diagnostics));
    let Patch::Foreign(foreign) = &patch else { panic!("a dialect") };
    let direct = support::simulate(&patch, &snapshot, &index);
    match patch::import::import(foreign, &snapshot, &index, &patch::Options::DEFAULT) {
        Ok(native) => {
            assert_eq!(support::simulate(&native, &snapshot, &index), direct);
            assert!(direct.ok, "{:?}", direct.diagnostics);
            let after = snapshot.apply(&direct.change).unwrap();
            Ok(support::render(&after, &FileIndex::default()))
        }
        Err(rejection) => {
            assert_eq!(rejection.failed, direct.failed);
            let named = rejection.failed.iter().zip(&rejection.diagnostics);
            Err(named.map(|(it, said)| (it.op_index, it.code, said.message.clone())).collect())
        }
    }
}

#[test]
fn flat_fix_actions_become_actions_of_one_operation() {
    let text = r#"{"pack_version": "10.4", "fix_actions": [
        {"op": "replace", "file": "m.json", "json_pointer": "/module/name", "value": "new", "reason_rule_id": "SEM_X"},
        {"op": "add", "file": "m.json", "json_pointer": "/module/kind", "value": 1},
        {"op": "add", "file": "m.json", "json_pointer": "/module/tags/1", "value": "b"},
        {"op": "add", "file": "m.json", "json_pointer": "/module/tags/-", "value": "c"},
        {"op": "remove", "file": "m.json", "json_pointer": "/list"},
        {"op": "rename_key", "file": "m.json", "json_pointer": "/module", "from": "uid", "to": "id"}
    ]}"#;
    insta::assert_snapshot!(import(text).unwrap(), @r#"
    //- m.json
    {"module": {"id": "mod_1", "name": "new", "tags": ["a", "b", "c"], "kind": 1}}
    "#);
}

#[test]
fn what_has_no_equivalent_is_refused_with_its_index() {
    let text = r#"{"fix_actions": [
        {"op": "replace", "file": "m.json", "json_pointer": "/module/name", "value": "new"},
        {"type": "reorder_keys", "path": "m.json", "json_pointer": "/module", "order": ["name"]},
        {"op": "move", "file": "m.json", "json_pointer": "/module"},
        {"op": "add", "file": "gone.json", "json_pointer": "/a", "value": 1}
    ]}"#;
    let refused = import(text).unwrap_err();
    let codes: Vec<(usize, OpFailureCode)> = refused.iter().map(|it| (it.0, it.1)).collect();
    assert_eq!(
        codes,
        [
            (1, OpFailureCode::InvalidDocument),
            (2, OpFailureCode::InvalidDocument),
            (3, OpFailureCode::FileMissing)
        ]
    );
    assert!(
        refused[0].2.contains("neither contract can change the order of keys"),
        "{}",
        refused[0].2
    );
}

/// X-15: the old value of a hint becomes a precondition.
#[test]
fn fix_hints_become_guarded_replacements() {
    let hint = |old: &str| {
        format!(
            r#"{{"diagnostics": [{{"file": "m.json", "json_pointer": "/module", "rule_id": "R"}},
               {{"file": "m.json", "json_pointer": "/module/name", "rule_id": "R",
                 "fix_hint": {{"action": "replace", "old": "{old}", "new": "x", "path": "/module/name"}}}}]}}"#
        )
    };
    assert!(import(&hint("old")).unwrap().contains(r#""name": "x""#));
    let (snapshot, index) = support::workspace(WORKSPACE);
    let simulation = support::simulate(&support::read(&hint("other")).unwrap(), &snapshot, &index);
    assert_eq!(simulation.failed[0].code, OpFailureCode::PreconditionFailed);
}

/// X-122: elements may be the keys of a map, and of two operations on one place the later one is wrong.
#[test]
fn elements_may_be_keys_and_may_not_be_written_twice() {
    let files =
        "//- e.yaml\nentities:\n  target_entity_user: {name: old}\n  other: {uid: u, name: x}\n";
    let text = |second: &str| {
        format!(
            r#"{{"ptbl_changeset": 1, "id": "cs-12345678", "changes": [{{"file": "e.yaml", "file_uid": "f", "operations": [
                {{"element_uid": "target_entity_user", "op": "replace", "pointer": "/name", "value": "new"}},
                {{"element_uid": "{second}", "op": "replace", "pointer": "/name", "value": "newer"}}
            ]}}]}}"#
        )
    };
    let simulate = |second: &str| {
        let (snapshot, index) = support::workspace(files);
        support::simulate(&support::read(&text(second)).unwrap(), &snapshot, &index)
    };
    let rules = |simulation: &patch::Simulation| -> Vec<(String, usize)> {
        let errors =
            simulation.diagnostics.iter().filter(|it| it.severity == check::Severity::Error);
        let op = |it: &check::Diagnostic| match it.details.get("op_index") {
            Some(document::Value::Number(index)) => index.text().parse().unwrap(),
            other => panic!("{other:?}"),
        };
        errors.map(|it| (it.rule_id.clone(), op(it))).collect()
    };
    assert_eq!(rules(&simulate("u")), []);
    let overlapping = [("SEM_CHANGESET_OVERLAPPING_OPS".to_owned(), 1)];
    assert_eq!(rules(&simulate("target_entity_user")), overlapping);
}

/// X-37: pointers are relative to the element with the uid.
#[test]
fn changes_are_found_by_element() {
    let text = |element: &str| {
        format!(
            r#"{{"ptbl_changeset": 1, "id": "cs-12345678", "changes": [{{"file": "m.json", "file_uid": "mod_1", "operations": [
                {{"element_uid": "mod_1", "op": "replace", "pointer": "/name", "value": "new"}},
                {{"element_uid": "mod_1", "op": "add", "pointer": "/tags/1", "value": "b"}},
                {{"element_uid": "{element}", "op": "add", "pointer": "/x", "value": 1}},
                {{"op": "remove", "pointer": "/module/uid"}}
            ]}}]}}"#
        )
    };
    insta::assert_snapshot!(import(&text("e1")).unwrap(), @r#"
    //- m.json
    {"module": {"name": "new", "tags": ["a", "b"]}, "list": [{"uid": "e1", "x": 1}, {"uid": "twin"}, {"uid": "twin"}]}
    "#);
    assert_eq!(import(&text("twin")).unwrap_err()[0].1, OpFailureCode::Conflict);
    assert_eq!(import(&text("nobody")).unwrap_err()[0].1, OpFailureCode::PointerMissing);
}
