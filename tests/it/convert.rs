//! `convert`: the result is a document that does the same.

use super::support::{SHOP, Scene};

/// Applying the converted document gives the same files as applying the original.
#[track_caller]
fn check_same_effect(patch: &str, to: &str) {
    let (left, right) = (Scene::new(SHOP), Scene::new(SHOP));
    assert_eq!(left.run(&format!("apply {patch}")).code, 0);
    let ran = right.run(&format!("convert {patch} --to {to} --output converted.json"));
    assert_eq!(ran.code, 0, "{}", ran.text());
    let ran = right.run("apply converted.json");
    assert_eq!(ran.code, 0, "{}\n{}", right.read("converted.json"), ran.text());
    for file in ["ws/app.yaml", "ws/api.toml"] {
        assert_eq!(left.read(file), right.read(file), "{patch} to {to}");
    }
}

const PLAIN: &str = "changeset_uid: plain\nops:\n  \
    - {type: set_value, file_uid: 'path:app.yaml', json_pointer: /port, value: 1}\n  \
    - {type: insert_into_array, file_uid: 'path:app.yaml', json_pointer: /modules, index: 2, value: pay}\n";

#[test]
fn a_converted_document_does_the_same() {
    check_same_effect("good.changeset.yaml", "edits");
    let scene = Scene::new(SHOP);
    scene.write("plain.yaml", PLAIN);
    let there = scene.run("convert plain.yaml --to fix-actions --output there.json");
    assert_eq!(there.code, 0, "{}", there.text());
    let back = scene.run("convert there.json --to changeset --output back.json");
    assert_eq!(back.code, 0, "{}", back.text());
    assert_eq!(scene.run("apply back.json").code, 0);
    assert_eq!(
        scene.read("ws/app.yaml"),
        "# What runs.\nname: shop   # shown\nport: 1\nmodules: [cart, search, pay]\n"
    );
}

/// What the other kind cannot express is refused and listed (B-2).
#[test]
fn what_cannot_be_expressed_is_listed() {
    let scene = Scene::new(SHOP);
    insta::assert_snapshot!(scene.run("convert good.changeset.yaml --to fix-actions").text());
    scene.write("kept.json", "as it was");
    assert_eq!(
        scene.run("convert good.changeset.yaml --to fix-actions --output kept.json").code,
        1
    );
    assert_eq!(scene.read("kept.json"), "as it was");
    let report = scene.run("convert good.changeset.yaml --to fix-actions --format json").json();
    assert_eq!(report["ok"], false);
    assert_eq!(report["output"], serde_json::Value::Null);
    let refused: Vec<_> =
        report["refused"].as_array().unwrap().iter().map(|it| it["op_index"].clone()).collect();
    assert_eq!(refused, [2, 3]);
}

/// `--strict` refuses to write members that only regreen understands (B-1).
#[test]
fn strict_refuses_extensions() {
    let scene = Scene::new(SHOP);
    scene.write("plain.yaml", PLAIN);
    assert_eq!(scene.run("convert plain.yaml --to fix-actions --output there.json").code, 0);
    let ran = scene.run("convert there.json --to changeset --strict");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("expects"), "{}", ran.text());
}

/// The diff is one that `git apply` takes.
#[test]
fn a_diff_is_taken_by_git() {
    let scene = Scene::new(SHOP);
    assert_eq!(scene.run("convert good.changeset.yaml --to diff --output good.diff").code, 0);
    let mut git = std::process::Command::new("git");
    let Ok(output) = git.args(["apply", "../good.diff"]).current_dir(scene.path("ws")).output()
    else {
        return; // Only where git is installed.
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(scene.read("ws/api.toml"), "workers = 8 # one per core\n");
}

/// Every refusal says which operation it is about: its number, its name, its file and its place.
#[test]
fn the_refused_operation_is_named() {
    let scene = Scene::new(SHOP);
    let ran = scene.run("convert good.changeset.yaml --to fix-actions --format json");
    let refused = &ran.json()["refused"][0];
    assert_eq!(refused["op_index"], 2, "{}", ran.text());
    assert_eq!((&refused["op"], &refused["file"]), (&"add_file".into(), &"conf/new.yaml".into()));
    // One place written twice is fine in an action and a conflict in a changeset.
    let op = |value: u32| {
        format!(
            r#"{{"op": "replace_value", "file": "app.yaml", "json_pointer": "/port", "value": {value}}}"#
        )
    };
    let noise =
        r#"{"op": "replace_value", "file": "api.toml", "json_pointer": "/workers", "value": 9}"#;
    let document = format!(
        r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{{"id": "A", "title": "t", "severity": "error",
            "targets": [{{"file": "app.yaml", "json_pointer": "/port", "rule_id": "R"}}],
            "ops": [{noise}, {}, {}]}}]}}"#,
        op(1),
        op(2)
    );
    scene.write("twice.json", &document);
    let ran = scene.run("convert twice.json --to changeset");
    insta::assert_snapshot!(ran.text());
    let report = scene.run("convert twice.json --to changeset --format json").json();
    let refused = &report["refused"][0];
    assert_eq!((&refused["action_id"], &refused["op_index"]), (&"A".into(), &2.into()));
    assert_eq!(refused["json_pointer"], "/port");
    assert_eq!(report["refused"].as_array().unwrap().len(), 1, "{report:#}");
}
