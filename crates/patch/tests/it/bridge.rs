//! The bridge between the two contracts (FA-50, FA-51, B-1, B-2): there and back keeps the effect.

use document::Limits;
use patch::bridge::{Context, ConvertError, Note, to_changeset, to_fix_actions};
use patch::v1::{Changeset, FixActions};
use patch::{Patch, Simulation};
use proptest::prelude::*;
use snapshot::{FileIndex, Snapshot};

use super::generate::{action, any_dice, any_root, changeset, changeset_op, fix_actions, fix_op};
use super::support::{self, file, path};

fn context<'a>(snapshot: &'a Snapshot, index: &'a FileIndex, strict: bool) -> Context<'a> {
    Context { snapshot, index, limits: Limits::DEFAULT, strict }
}

fn workspace() -> (Snapshot, FileIndex) {
    support::workspace(
        "//- .regreen/files.json\n{\"files\": {\"f\": \"f.json\"}, \"workspace_uid\": \"w\"}\n\
         //- f.json\n{\n  \"a\": {\"x\": 1, \"y\": 2},\n  \"list\": [1, 2, 3]\n}\n",
    )
}

fn fix_document(ops: &str) -> FixActions {
    let text = format!(
        r#"{{"pack_version": "10.4", "workspace_root": ".", "x_run": 7, "fix_actions": [
            {{"id": "one", "title": "t", "severity": "error", "targets": [{{"diagnostic_id": "d"}}], "confidence": "high", "ops": [{ops}]}}]}}"#
    );
    match support::read(&text) {
        Ok(Patch::FixActions(document)) => document,
        other => panic!("{other:?}"),
    }
}

fn changeset_document(ops: &str) -> Changeset {
    match support::read(&format!(r#"{{"changeset_uid": "cs", "ops": [{ops}]}}"#)) {
        Ok(Patch::Changeset(document)) => document,
        other => panic!("{other:?}"),
    }
}

/// The operations of a changeset, one line each.
fn lines(document: &Changeset) -> String {
    let value = document.to_value();
    let Some(document::Value::Array(ops)) = value.get("ops") else { panic!("ops") };
    ops.iter().map(|op| op.to_json() + "\n").collect()
}

const EVERY_FIX_OP: &str = r#"
    {"op": "replace_value", "file": "f.json", "json_pointer": "/a/x", "value": 5},
    {"op": "add_value", "file": "f.json", "json_pointer": "/", "key": "new/key", "value": null},
    {"op": "remove_key", "file": "f.json", "json_pointer": "/a", "key": "y"},
    {"op": "insert_array_item", "file": "f.json", "json_pointer": "/list", "value": 0, "index": 0},
    {"op": "insert_array_item", "file": "f.json", "json_pointer": "/list", "value": 9},
    {"op": "replace_array_item", "file": "f.json", "json_pointer": "/list", "index": 1, "value": 7, "expects": {"equals": 1}},
    {"op": "rename_key", "file": "f.json", "json_pointer": "/a", "from": "x", "to": "z"}"#;

/// B-1, row by row.
#[test]
fn every_fix_operation_has_its_changeset_operation() {
    let (snapshot, index) = workspace();
    let all = EVERY_FIX_OP.replace(
        r#""replace_value", "file": "f.json", "json_pointer": "/a/x""#,
        r#""replace_value", "file": "f.json", "json_pointer": "/list/2""#,
    );
    let document = fix_document(&all);
    let converted = to_changeset(&document, &context(&snapshot, &index, false)).unwrap();
    assert!(converted.losses.is_empty());
    insta::assert_snapshot!(lines(&converted.document), @r#"
    {"type":"set_value","file_uid":"f","json_pointer":"/list/2","value":5,"expects":{"exists":true}}
    {"type":"set_value","file_uid":"f","json_pointer":"/new~1key","value":null,"expects":{"exists":false}}
    {"type":"delete_value","file_uid":"f","json_pointer":"/a/y","expects_parent":{"type":"object"}}
    {"type":"insert_into_array","file_uid":"f","json_pointer":"/list","index":0,"value":0}
    {"type":"insert_into_array","file_uid":"f","json_pointer":"/list","index":4,"value":9,"expects":{"length":4}}
    {"type":"set_value","file_uid":"f","json_pointer":"/list/1","value":7,"expects":{"equals":1},"expects_parent":{"type":"array"}}
    {"type":"move_value","file_uid":"f","from_pointer":"/a/x","to_pointer":"/a/z","keep_position":true}
    "#);
    insta::assert_snapshot!(converted.document.extra[0].1.to_json(), @r#"{"from":"fix-actions","pack_version":"10.4","workspace_root":".","actions":[{"id":"one","title":"t","severity":"error","targets":[{"diagnostic_id":"d"}],"confidence":"high","n_ops":7}],"x_run":7}"#);
    let back = to_fix_actions(&converted.document, &context(&snapshot, &index, false)).unwrap();
    let [only] = back.document.fix_actions.as_slice() else { panic!("one action") };
    assert_eq!((only.id.as_str(), only.confidence), ("one", document.fix_actions[0].confidence));
}

/// One slot written twice is fine in an action and a conflict in a changeset (X-33), so it cannot be converted.
#[test]
fn an_action_that_writes_one_place_twice_is_refused() {
    let (snapshot, index) = workspace();
    let error =
        to_changeset(&fix_document(EVERY_FIX_OP), &context(&snapshot, &index, false)).unwrap_err();
    let ConvertError::DifferentEffect(failed) = error else { panic!("{error:?}") };
    assert_eq!(failed[0].code, patch::OpFailureCode::Conflict);
}

fn indexes(notes: &[Note]) -> Vec<usize> {
    notes.iter().map(|note| note.op_index).collect()
}

/// A strict conversion writes no extension: only what is exact goes through.
#[test]
fn strict_conversion_lists_what_needs_an_extension() {
    let (snapshot, index) = workspace();
    let strict = context(&snapshot, &index, true);
    let error = to_changeset(&fix_document(EVERY_FIX_OP), &strict).unwrap_err();
    let ConvertError::NotExpressible(notes) = error else { panic!("{error:?}") };
    assert_eq!(indexes(&notes), [0, 1, 2, 4, 5, 6]);
    assert_eq!(
        notes[5].reason,
        "`rename_key` needs the extension `keep_position`, which a strict conversion does not write"
    );
    let exact = r#"{"op": "insert_array_item", "file": "f.json", "json_pointer": "/list", "value": 0, "index": 0}"#;
    let converted = to_changeset(&fix_document(exact), &strict).unwrap();
    assert!(converted.document.extra.is_empty());
    insta::assert_snapshot!(lines(&converted.document), @r#"{"type":"insert_into_array","file_uid":"f","json_pointer":"/list","index":0,"value":0}"#);
}

/// FA-3, FA-44, FA-53, FA-55: the same bytes every time, and nothing in them of the clock, the machine or chance.
#[test]
fn converted_documents_are_reproducible() {
    let (snapshot, index) = workspace();
    let op = r#"{"op": "replace_value", "file": "f.json", "json_pointer": "/a/x", "value": 5}"#;
    let render = || {
        let converted =
            to_changeset(&fix_document(op), &context(&snapshot, &index, false)).unwrap();
        converted.document.render()
    };
    assert_eq!(render(), render());
    insta::assert_snapshot!(render(), @r#"
    {
      "changeset_uid": "fix-actions-17fd0d7de01eb59f",
      "target_workspace_uid": "w",
      "ops": [
        {
          "type": "set_value",
          "file_uid": "f",
          "json_pointer": "/a/x",
          "value": 5,
          "expects": {
            "exists": true
          }
        }
      ],
      "x_provenance": {
        "from": "fix-actions",
        "pack_version": "10.4",
        "workspace_root": ".",
        "actions": [
          {
            "id": "one",
            "title": "t",
            "severity": "error",
            "targets": [
              {
                "diagnostic_id": "d"
              }
            ],
            "confidence": "high",
            "n_ops": 1
          }
        ],
        "x_run": 7
      }
    }
    "#);
}

/// B-2, row by row.
#[test]
fn every_changeset_operation_inside_a_file_has_its_fix_operation() {
    let (snapshot, index) = workspace();
    let document = changeset_document(
        r#"{"type": "set_value", "file_uid": "f", "json_pointer": "/a/x", "value": 5},
           {"type": "set_value", "file_uid": "f", "json_pointer": "/list/0", "value": 5},
           {"type": "set_value", "file_uid": "f", "json_pointer": "/a/new", "value": 5},
           {"type": "insert_into_array", "file_uid": "f", "json_pointer": "/list", "index": 1, "value": 6},
           {"type": "move_value", "file_uid": "f", "from_pointer": "/a/y", "to_pointer": "/y"}"#,
    );
    let converted = to_fix_actions(&document, &context(&snapshot, &index, false)).unwrap();
    assert_eq!(indexes(&converted.losses), [4]);
    insta::assert_snapshot!(converted.document.render(), @r#"
    {
      "pack_version": "regreen",
      "workspace_root": ".",
      "fix_actions": [
        {
          "id": "cs",
          "title": "set_value /a/x and 4 more",
          "severity": "info",
          "targets": [
            {
              "file": "f.json",
              "json_pointer": "/a/x",
              "rule_id": "CHANGESET"
            }
          ],
          "ops": [
            {
              "op": "replace_value",
              "file": "f.json",
              "json_pointer": "/a/x",
              "value": 5,
              "expects": {
                "exists": true
              }
            },
            {
              "op": "replace_array_item",
              "file": "f.json",
              "json_pointer": "/list",
              "index": 0,
              "value": 5
            },
            {
              "op": "add_value",
              "file": "f.json",
              "json_pointer": "/a",
              "key": "new",
              "value": 5
            },
            {
              "op": "insert_array_item",
              "file": "f.json",
              "json_pointer": "/list",
              "value": 6,
              "index": 1
            },
            {
              "op": "remove_key",
              "file": "f.json",
              "json_pointer": "/a",
              "key": "y"
            },
            {
              "op": "add_value",
              "file": "f.json",
              "json_pointer": "",
              "key": "y",
              "value": 2
            }
          ],
          "x_synthetic": true
        }
      ],
      "x_provenance": {
        "from": "changeset",
        "changeset_uid": "cs"
      }
    }
    "#);
    let error = to_fix_actions(&document, &context(&snapshot, &index, true)).unwrap_err();
    assert!(matches!(error, ConvertError::NotExpressible(notes) if indexes(&notes) == [4]));
}

/// B-2: what has no equivalent is refused, every operation with its index.
#[test]
fn operations_without_an_equivalent_are_listed() {
    let (snapshot, index) = workspace();
    let normal = context(&snapshot, &index, false);
    let files = changeset_document(
        r#"{"type": "set_value", "file_uid": "f", "json_pointer": "/a/x", "value": 5},
           {"type": "add_file", "file_uid": "g", "path": "g.json", "content": "{}"},
           {"type": "rename_file", "file_uid": "f", "new_path": "h.json"}"#,
    );
    let error = to_fix_actions(&files, &normal).unwrap_err();
    assert!(matches!(error, ConvertError::NotExpressible(notes) if indexes(&notes) == [1, 2]));
    for op in [
        r#"{"type": "delete_value", "file_uid": "f", "json_pointer": "/list/0"}"#,
        r#"{"type": "move_value", "file_uid": "f", "from_pointer": "/list/0", "to_pointer": "/b"}"#,
        r#"{"type": "set_value", "file_uid": "f", "json_pointer": "/list", "value": 1, "expects": {"length": 3}}"#,
    ] {
        let error = to_fix_actions(&changeset_document(op), &normal).unwrap_err();
        assert!(
            matches!(error, ConvertError::NotExpressible(notes) if indexes(&notes) == [0]),
            "{op}"
        );
    }
    let failing = changeset_document(
        r#"{"type": "delete_value", "file_uid": "f", "json_pointer": "/nothing"}"#,
    );
    assert!(matches!(to_fix_actions(&failing, &normal), Err(ConvertError::Inapplicable(_))));
}

fn simulate(patch: Patch, snapshot: &Snapshot, index: &FileIndex) -> Simulation {
    let simulation = support::simulate(&patch, snapshot, index);
    assert!(simulation.ok, "{:?}", simulation.failed);
    simulation
}

proptest! {
    #![proptest_config(support::config(300))]
    /// Fix actions there and back: the same bytes at every station.
    #[test]
    fn fix_actions_keep_their_effect(root in any_root(), dice in proptest::collection::vec(any_dice(), 1..5)) {
        let snapshot = Snapshot::new([(path("f.json"), file(&root.to_json_pretty()))].into_iter().collect()).unwrap();
        let index = FileIndex::default();
        let normal = context(&snapshot, &index, false);
        let make = |(nth, dice)| action(&format!("a{nth}"), vec![fix_op(&root, "f.json", dice)]);
        let document = fix_actions(dice.iter().enumerate().map(make).collect());
        match to_changeset(&document, &normal) {
            Ok(there) => {
                let original = simulate(Patch::FixActions(document), &snapshot, &index);
                let changed = simulate(Patch::Changeset(there.document.clone()), &snapshot, &index);
                prop_assert_eq!(&changed.change, &original.change);
                let back = to_fix_actions(&there.document, &normal).unwrap();
                let restored = simulate(Patch::FixActions(back.document), &snapshot, &index);
                prop_assert!(back.losses.is_empty());
                prop_assert_eq!(&restored.change, &original.change);
            }
            Err(ConvertError::DifferentEffect(failed)) => {
                prop_assert!(failed.iter().any(|it| it.code == patch::OpFailureCode::Conflict), "{:?}", failed);
            }
            Err(ConvertError::Inapplicable(simulation)) => prop_assert!(!simulation.ok),
            Err(error) => prop_assert!(false, "{:?}", error),
        }
    }

    /// Changesets there and back: the same bytes, or the same values where a moved value was written out.
    #[test]
    fn changesets_keep_their_effect(root in any_root(), dice in proptest::collection::vec(any_dice(), 1..4)) {
        let snapshot = Snapshot::new([(path("f.json"), file(&root.to_json_pretty()))].into_iter().collect()).unwrap();
        let index = FileIndex::default();
        let normal = context(&snapshot, &index, false);
        let ops = dice.iter().map(|dice| changeset_op(&root, "path:f.json", dice)).collect();
        let document = changeset(ops);
        let Ok(there) = to_fix_actions(&document, &normal) else { return Ok(()) };
        let original = simulate(Patch::Changeset(document), &snapshot, &index);
        let fixed = simulate(Patch::FixActions(there.document.clone()), &snapshot, &index);
        let value = |simulation: &Simulation| {
            let after = snapshot.apply(&simulation.change).unwrap();
            let text = &after.file(&path("f.json")).unwrap().text();
            document::parse(text, document::Format::Json, &Limits::DEFAULT).unwrap().value()
        };
        prop_assert_eq!(value(&fixed), value(&original));
        if there.losses.is_empty() {
            prop_assert_eq!(&fixed.change, &original.change);
            if let Ok(back) = to_changeset(&there.document, &normal) {
                let again = simulate(Patch::Changeset(back.document), &snapshot, &index);
                prop_assert_eq!(&again.change, &original.change);
            }
        }
    }
}
