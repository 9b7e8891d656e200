//! What regreen leaves alone, and says so: folders that a tool filled, repositories in the repository, files that are
//! read-only, paths that are too long.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::git::{files, git, run};
use super::red::RED;
use super::support::{Ran, Scene};

/// The files of the workspace, and the same ones in a folder of it.
fn scene_with(folder: &str) -> Scene {
    Scene::new(&format!("{RED}{}", RED.replace("//- ws/", &format!("//- ws/{folder}/"))))
}

#[test]
fn folders_that_a_tool_filled_are_counted_and_looked_at_when_they_are_named() {
    let scene = scene_with("node_modules/p");
    let before = run(&scene, "check --format json");
    assert_eq!(files(&before).len(), 4, "{}", before.text());
    scene.write("ws/package.json", "{}\n");
    let ran = run(&scene, "check --format json");
    assert_eq!(files(&ran), ["api.yaml", "web.json"], "{}", ran.text());
    let ran = run(&scene, "check");
    assert!(ran.stdout.contains("1 folder passed over; -v shows which.\n"), "{}", ran.text());
    let ran = run(&scene, "check -v");
    assert!(
        ran.stdout.contains("1 folder passed over: node_modules (dependencies).\n"),
        "{}",
        ran.text()
    );
    let named = ["node_modules/p/api.yaml", "node_modules/p/web.json"];
    for path in ["ws/node_modules", "ws/node_modules/p", "ws/node_modules/p/"] {
        let ran = run(&scene, &format!("check {path} --format json"));
        assert_eq!(files(&ran), named, "{path}: {}", ran.text());
    }
    let ran = run(&scene, "check ws/node_modules/p/web.json --format json");
    assert_eq!(files(&ran), named[1..], "{}", ran.text());
    // `fix` looks at the same files as `check`.
    let inside = scene.read("ws/node_modules/p/api.yaml");
    run(&scene, "fix");
    assert!(scene.read("ws/api.yaml").contains("port: 8080"));
    assert_eq!(scene.read("ws/node_modules/p/api.yaml"), inside);
    let ran = run(&scene, "fix ws/node_modules/p");
    assert!(scene.read("ws/node_modules/p/api.yaml").contains("port: 8080"), "{}", ran.text());
    // What is tracked is a source.
    git(&scene, "init -q");
    assert!(run(&scene, "check").stdout.contains("passed over"));
    git(&scene, "add node_modules/p/web.json");
    let ran = run(&scene, "check --format json");
    assert_eq!(files(&ran), ["node_modules/p/web.json", "web.json"], "{}", ran.text());
}

fn codes(ran: &Ran) -> Vec<Value> {
    let report = ran.json();
    report["failed"].as_array().unwrap().iter().map(|it| it["code"].clone()).collect()
}

const INTO_SUB: [&str; 5] = [
    "type: set_value, file_uid: 'path:sub/web.json', json_pointer: /name, value: new",
    "type: add_file, file_uid: n, path: sub/new.yaml, content: 'a: 1'",
    "type: add_file, file_uid: n, path: sub/new/folder/new.yaml, content: 'a: 1'",
    "type: delete_file, file_uid: 'path:sub/notes/free.toml'",
    "type: rename_file, file_uid: 'path:web.json', new_path: sub/moved.json",
];

fn changeset(op: &str) -> String {
    format!("changeset_uid: sub\nops:\n  - {{{op}}}\n")
}

/// A submodule belongs to its own repository: nothing is reported, nothing is written, from outside.
#[test]
fn repositories_in_the_repository_are_not_edited_from_outside() {
    let scene = scene_with("sub");
    scene.write("ws/sub/.git", "gitdir: ../.git/modules/sub\n");
    // Where the root is in no repository, it is a folder like any other.
    assert_eq!(files(&run(&scene, "check --format json")).len(), 4);
    for op in INTO_SUB {
        let ran = scene.run_with("validate -", &[], &changeset(op));
        assert_eq!(ran.code, 0, "{op}: {}", ran.text());
    }
    git(&scene, "init -q");
    let before = scene.tree();
    let ran = run(&scene, "check --format json");
    assert_eq!(files(&ran), ["api.yaml", "web.json"], "{}", ran.text());
    assert!(run(&scene, "check -v").stdout.contains("sub (nested_repository)"));
    let report = run(&scene, "check --format json").json();
    let skipped = &report["summary"]["files"]["skipped"][0];
    assert_eq!((&skipped["reason"], &skipped["count"]), (&"nested_repository".into(), &1.into()));
    for op in INTO_SUB {
        for line in ["validate - --format json", "apply - --format json"] {
            let ran = scene.run_with(line, &[], &changeset(op));
            assert_eq!(ran.code, 1, "{line} {op}: {}", ran.text());
            assert_eq!(codes(&ran), [Value::from("nested_repository")], "{op}: {}", ran.text());
        }
    }
    let ran = scene.run_with("apply -", &[], &changeset(INTO_SUB[0]));
    assert!(ran.text().contains("sub is a git repository of its own"), "{}", ran.text());
    assert!(ran.text().contains("run regreen in that repository"), "{}", ran.text());
    // Named, it is looked at, and not edited.
    let ran = run(&scene, "check ws/sub --format json");
    assert_eq!(files(&ran), ["sub/api.yaml", "sub/web.json"], "{}", ran.text());
    let ran = run(&scene, "fix ws/sub --format json");
    let rejected = &ran.json()["rejected"];
    assert!(
        rejected.as_array().unwrap().iter().any(|it| it["reason"] == "nested_repository"),
        "{}",
        ran.text()
    );
    let mut after = scene.tree();
    after.retain(|path, _| !path.starts_with(scene.path("ws/.regreen")));
    let mut before = before;
    // The folder itself got a store.
    before.remove(&scene.path("ws"));
    after.remove(&scene.path("ws"));
    assert_eq!(before, after);
    // A link into it leads there, too.
    std::os::unix::fs::symlink("sub/web.json", scene.path("ws/link.json")).unwrap();
    let op = INTO_SUB[0].replace("sub/web.json", "link.json");
    let ran = scene.run_with("validate - --format json", &[], &changeset(&op));
    assert_eq!(codes(&ran)[0], "nested_repository", "{}", ran.text());
    // From inside, it is what is worked on.
    let ran = run(&scene, "fix --root ws/sub");
    assert!(scene.read("ws/sub/api.yaml").contains("port: 8080"), "{}", ran.text());
}

#[test]
fn read_only_files_have_a_code_of_their_own() {
    let scene = Scene::new(RED);
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(scene.path("ws/api.yaml"), read_only).unwrap();
    scene.write(
        "p.yaml",
        "changeset_uid: p\nops:\n  - {type: set_value, file_uid: 'path:api.yaml', json_pointer: /port, value: 1}\n",
    );
    for line in ["validate p.yaml --format json", "apply p.yaml --format json"] {
        let ran = run(&scene, line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.text());
        assert_eq!(codes(&ran), ["read_only"].map(Value::from), "{line}: {}", ran.text());
    }
    let ran = run(&scene, "fix --format json");
    let rejected = ran.json()["rejected"].clone();
    let reasons: Vec<&str> = rejected
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["files"][0] == "api.yaml")
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["read_only", "read_only"], "{}", ran.text());
}

/// Too long for the contract, for the kernel, or for the temporary file beside it: never an I/O failure.
#[test]
fn paths_that_are_too_long_have_a_code_of_their_own() {
    let folders = |n: usize| "d/".repeat(n / 2) + &"e".repeat(n % 2 + 1);
    let paths = [
        "x".repeat(256),
        format!("{}/a.yaml", "x".repeat(300)),
        folders(4094),
        folders(4095),
        folders(5000),
        // The name fits, that of a temporary file beside it does not.
        folders(4080),
    ];
    for path in paths {
        let scene = Scene::new(RED);
        let before = scene.tree();
        let op = format!("{{type: add_file, file_uid: n, path: {path}, content: 'a: 1'}}");
        let patch = format!("changeset_uid: p\nops:\n  - {op}\n");
        for line in ["validate - --format json", "apply - --format json"] {
            let ran = scene.run_with(line, &[], &patch);
            assert_eq!(ran.code, 1, "{line} {}: {}", path.len(), ran.text());
            assert_eq!(codes(&ran), ["path_too_long"].map(Value::from), "{line}: {}", ran.text());
        }
        assert_eq!(scene.tree(), before, "{}", path.len());
        let ran = scene.run_with("apply -", &[], &patch);
        assert!(ran.text().contains("choose a shorter path"), "{}", ran.text());
    }
    // What just fits is written, in full.
    let scene = Scene::new(RED);
    let path = format!("{}/{}", "y".repeat(255), "z".repeat(255));
    let patch = format!(
        "changeset_uid: p\nops:\n  - {{type: add_file, file_uid: n, path: {path}, content: 'a: 1'}}\n"
    );
    let ran = scene.run_with("apply -", &[], &patch);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(scene.read(&format!("ws/{path}")), "a: 1");
}
