//! The JSON Schemas and the decoder say the same about the shape of a document (FA-6, FA-15, CS-67), and the examples
//! of the contracts follow both.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support;

fn validator(name: &str) -> Validator {
    let schema = patch::v1::schemas().into_iter().find(|(it, _)| *it == name).unwrap().1;
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Whether the decoder finds nothing that a schema could see.
fn decoder_accepts(document: &Value, kind: patch::PatchKind) -> bool {
    let text = edit::Text::new(document.to_string());
    let limits = document::Limits::DEFAULT;
    match patch::read("patch.json", &text, document::Format::Json, Some(kind), &limits) {
        Ok(_) => true,
        Err(rejection) => rejection.diagnostics.iter().all(|it| it.tier != check::Tier::Schema),
    }
}

static FIX_ACTIONS: LazyLock<Validator> = LazyLock::new(|| validator("fix-actions"));
static CHANGESET: LazyLock<Validator> = LazyLock::new(|| validator("changeset"));

#[track_caller]
fn check(name: &str, document: &Value) -> bool {
    let kind = patch::PatchKind::from_name(name).unwrap();
    let validator = if name == "changeset" { &CHANGESET } else { &FIX_ACTIONS };
    let by_schema = validator.is_valid(document);
    let by_decoder = decoder_accepts(document, kind);
    assert_eq!(by_schema, by_decoder, "schema and decoder disagree about {document:#}");
    by_schema
}

/// The examples of the fix-action contract, one operation each.
fn example_fix_ops() -> Vec<Value> {
    let file = "app/app-core.yaml";
    vec![
        json!({"op": "replace_value", "file": file, "json_pointer": "/app/name", "value": "my_app"}),
        json!({"op": "add_value", "file": file, "json_pointer": "/app", "key": "expression_language", "value": "cel"}),
        json!({"op": "remove_key", "file": file, "json_pointer": "/app", "key": "deprecated_field"}),
        json!({"op": "insert_array_item", "file": file, "json_pointer": "/app/modules", "value": {"uid": "mod_1", "ref": "..."}, "index": 0}),
        json!({"op": "replace_array_item", "file": file, "json_pointer": "/app/modules", "index": 2, "value": {"uid": "mod_3", "ref": "..."}}),
        json!({"op": "rename_key", "file": file, "json_pointer": "/app", "from": "old_name", "to": "new_name", "expects": {"type": "string", "equals": "old_value", "exists": true}}),
    ]
}

fn example_fix_actions() -> Value {
    json!({
        "pack_version": "10.4",
        "workspace_root": ".",
        "fix_actions": [{
            "id": "FIX_000123",
            "title": "Short human label",
            "severity": "error",
            "targets": [{"file": "app/app-core.yaml", "json_pointer": "/app/name", "rule_id": "SEM_IDENTITY_SINGLE_SOURCE"}],
            "ops": example_fix_ops(),
            "notes": "Optional short note",
            "confidence": "high",
        }],
    })
}

fn example_changeset() -> Value {
    json!({
        "changeset_uid": "cs_1",
        "target_workspace_uid": "ws_1",
        "ops": [
            {"type": "set_value", "file_uid": "f1", "json_pointer": "/", "value": null, "path": "a.yaml"},
            {"type": "delete_value", "file_uid": "f1", "json_pointer": "/items/0/name"},
            {"type": "insert_into_array", "file_uid": "f1", "json_pointer": "/items", "index": 0, "value": {"a~b": "c/d"}},
            {"type": "move_value", "file_uid": "f1", "from_pointer": "/a~0b", "to_pointer": "/a~1b", "keep_position": true},
            {"type": "rename_file", "file_uid": "f1", "new_path": "b.yaml"},
            {"type": "add_file", "file_uid": "f2", "path": "c.yaml", "content": "a: 1\n"},
            {"type": "delete_file", "file_uid": "f2"},
            {"type": "set_value", "file_uid": "f1", "json_pointer": "", "value": 1, "expects": {"length": 2, "exists": true}, "expects_parent": {"type": "object"}},
        ],
        "x_provenance": {"by": "hand"},
    })
}

/// FA-12..FA-24, FA-26..FA-29, FA-31, FA-32, CS-12..CS-18: every example of the contracts is valid.
#[test]
fn the_examples_of_the_contracts_are_valid() {
    assert!(check("fix-actions", &example_fix_actions()));
    assert!(check("changeset", &example_changeset()));
    for op in example_fix_ops() {
        let mut document = example_fix_actions();
        document["fix_actions"][0]["ops"] = json!([op]);
        assert!(check("fix-actions", &document));
    }
    assert!(check(
        "fix-actions",
        &json!({"pack_version": "10.4", "workspace_root": ".", "fix_actions": []})
    ));
    assert!(check("changeset", &json!({"changeset_uid": "u", "ops": []})));
    // X-28: a version is any text.
    for version in ["1.2.3", "10.4+v10_4_c", "spring cleaning"] {
        let mut document = example_fix_actions();
        document["pack_version"] = json!(version);
        assert!(check("fix-actions", &document));
    }
}

/// What is written is read back, and is the same text again.
#[test]
fn documents_survive_writing_and_reading() {
    let mut with_extras = example_fix_actions();
    with_extras["x_top"] = json!([1, {"deep": null}]);
    with_extras["fix_actions"][0]["x_action"] = json!(1.50);
    with_extras["fix_actions"][0]["targets"][0]["x_target"] = json!("t");
    with_extras["fix_actions"][0]["ops"][0]["expects"] = json!({"x_expects": 1});
    let first = support::read(&with_extras.to_string()).unwrap();
    let patch::Patch::FixActions(document) = &first else { panic!("fix actions") };
    assert_eq!(support::read(&document.render()).unwrap(), first);
    assert!(serde_json::from_str::<Value>(&document.render()).unwrap() == with_extras);

    let first = support::read(&example_changeset().to_string()).unwrap();
    let patch::Patch::Changeset(document) = &first else { panic!("a changeset") };
    assert_eq!(support::read(&document.render()).unwrap(), first);
    assert_eq!(serde_json::from_str::<Value>(&document.render()).unwrap(), example_changeset());
}

/// The canonical text: the contract's member order, two spaces, a final newline.
#[test]
fn the_canonical_text_has_the_order_of_the_contract() {
    let text = r#"{"ops": [{"value": 1.0, "json_pointer": "/a", "file_uid": "f", "type": "set_value"}], "changeset_uid": "u"}"#;
    let patch::Patch::Changeset(document) = support::read(text).unwrap() else {
        panic!("a changeset")
    };
    insta::assert_snapshot!(document.render(), @r#"
    {
      "changeset_uid": "u",
      "ops": [
        {
          "type": "set_value",
          "file_uid": "f",
          "json_pointer": "/a",
          "value": 1.0
        }
      ]
    }
    "#);
}

/// One change to a document: at a random place, a member goes, comes, is renamed, or gets another value.
fn mutate(value: &mut Value, path: &[usize], change: usize, with: &Value) {
    let n_children = match value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    let [first, rest @ ..] = path else { return apply(value, change, with) };
    if n_children == 0 {
        return apply(value, change, with);
    }
    let child = match value {
        Value::Object(members) => members.values_mut().nth(first % n_children).unwrap(),
        Value::Array(items) => &mut items[first % n_children],
        _ => return,
    };
    mutate(child, rest, change, with);
}

fn apply(value: &mut Value, change: usize, with: &Value) {
    const NAMES: [&str; 10] = [
        "x_any",
        "value",
        "path",
        "expects",
        "index",
        "op",
        "type",
        "from",
        "unknown",
        "json_pointer",
    ];
    match value {
        Value::Object(members) => match change % 3 {
            0 => {
                members.insert(NAMES[change / 3 % NAMES.len()].to_owned(), with.clone());
            }
            1 => {
                let name = members.keys().nth(change / 3 % members.len().max(1)).cloned();
                name.and_then(|name| members.remove(&name));
            }
            _ => *value = with.clone(),
        },
        Value::Array(items) if change.is_multiple_of(2) => items.clear(),
        other => *other = with.clone(),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![
            Just(json!(-1)),
            Just(json!(0)),
            Just(json!(1.0)),
            Just(json!(1.5)),
            Just(json!(9_007_199_254_740_992_u64))
        ],
        prop_oneof![
            Just(""),
            Just("/a"),
            Just("a"),
            Just("/a~2"),
            Just("/~"),
            Just("/a//b~0"),
            Just("set_value"),
            Just("add_file"),
            Just("remove_key"),
            Just("string"),
            Just("high"),
            Just("warning"),
            Just("two\nlines"),
            Just("blake3:00")
        ]
        .prop_map(Value::from),
        Just(json!("x".repeat(121))),
        Just(json!("ä".repeat(120))),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"type": "array"})),
        Just(json!({"type": "list", "equals": null, "exists": 1})),
        Just(json!({"x_": 1, "length": 2})),
        Just(json!([{"diagnostic_id": "d"}])),
    ]
}

proptest! {
    #![proptest_config(support::config(1500))]
    #[test]
    fn schema_and_decoder_agree_on_damaged_documents(
        is_changeset in any::<bool>(),
        changes in proptest::collection::vec(
            (proptest::collection::vec(0_usize..12, 0..6), 0_usize..60, any_value()), 1..3),
    ) {
        let (name, mut document) = match is_changeset {
            true => ("changeset", example_changeset()),
            false => ("fix-actions", example_fix_actions()),
        };
        for (path, change, with) in &changes {
            mutate(&mut document, path, *change, with);
        }
        // A dialect of another tool is not what the schema is about.
        prop_assume!(is_changeset || document.pointer("/fix_actions/0/op").is_none());
        prop_assume!(is_changeset || document.pointer("/fix_actions/0/type").is_none());
        check(name, &document);
    }
}
