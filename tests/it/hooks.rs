//! The hooks of `.pre-commit-hooks.yaml`, run as pre-commit and prek would run them. `cargo xtask live` has both run them.

use std::process::Command;

use serde_json::{Value, json};

use super::git::{git, variables};
use super::support::{Scene, ours, yaml};

/// A file of every kind that regreen reads, each with an error that `fix` mends.
const EVERY_KIND: &str = r##"
//- ws/s.schema.json
{ "properties": { "port": { "type": "integer" } } }
//- ws/a.yaml
# yaml-language-server: $schema=s.schema.json
port: "8080"
//- ws/b c.yml
# yaml-language-server: $schema=s.schema.json
port: "8080"
//- ws/sub/c.json
{ "$schema": "../s.schema.json", "port": "8080" }
//- ws/d.jsonc
{ "$schema": "./s.schema.json", "port": "8080" } // as a string
//- ws/e.webmanifest
{ "$schema": "./s.schema.json", "port": "8080" }
//- ws/f.code-workspace
{ "$schema": "./s.schema.json", "port": "8080" }
//- ws/g.toml
#:schema ./s.schema.json
port = "8080"
//- ws/h.clank
fn main() -> Unit {
  println("8080")
}
//- ws/--quiet.yaml
# yaml-language-server: $schema=s.schema.json
port: "8080"
//- ws/notes.txt
port: "8080"
"##;

fn hooks() -> Vec<Value> {
    let hooks = yaml(&ours(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().unwrap();
    let ids: Vec<&str> = hooks.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["regreen-fix", "regreen-check"], "configurations name them");
    hooks.clone()
}

/// The tracked files that the hook is run on.
fn selected(scene: &Scene, hook: &Value) -> Vec<String> {
    let pattern = jsonschema::validator_for(&json!({ "pattern": hook["files"] })).unwrap();
    let files = git(scene, "ls-files -z");
    files
        .split_terminator('\0')
        .filter(|it| pattern.is_valid(&json!(it)))
        .map(str::to_owned)
        .collect()
}

/// Runs the hook: its entry, its arguments and the files, at the top of the repository.
fn run(scene: &Scene, hook: &Value) -> (i32, String) {
    let entry = hook["entry"].as_str().unwrap().strip_prefix("regreen ").unwrap();
    let arguments = hook["args"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_regreen"))
        .current_dir(scene.path("ws"))
        .env_clear()
        .envs(variables(scene))
        .args(entry.split(' '))
        .args(arguments)
        .args(selected(scene, hook))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn every_kind() -> Scene {
    let scene = Scene::new(EVERY_KIND);
    git(&scene, "init -q -b main");
    git(&scene, "add .");
    scene
}

/// AE-42: both hooks look at every kind of file that regreen reads, whatever its name starts with.
#[test]
fn the_hooks_check_and_fix_every_kind_of_file() {
    let scene = every_kind();
    let [fix, check] = &hooks()[..] else { panic!("there are two hooks") };
    let faulty = ["a.yaml", "b c.yml", "sub/c.json", "d.jsonc", "e.webmanifest", "h.clank"];
    let faulty = [&faulty[..], &["f.code-workspace", "g.toml", "--quiet.yaml"]].concat();
    let before: Vec<String> = faulty.iter().map(|it| scene.read(&format!("ws/{it}"))).collect();

    let (code, text) = run(&scene, check);
    assert_eq!(code, 1, "{text}");
    for name in &faulty {
        assert!(text.contains(&format!("--> {name}:")), "{name} is not checked:\n{text}");
    }
    assert_eq!(git(&scene, "diff --name-only"), "", "a check changes nothing");

    let (code, text) = run(&scene, fix);
    assert_eq!(code, 0, "{text}");
    for (name, before) in faulty.iter().zip(before) {
        assert_ne!(scene.read(&format!("ws/{name}")), before, "{name} is not fixed:\n{text}");
    }
    // The second run of both passes, and changes nothing.
    git(&scene, "add .");
    for hook in [fix, check] {
        let (code, text) = run(&scene, hook);
        assert_eq!(code, 0, "{text}");
        assert_eq!(git(&scene, "diff --name-only"), "", "{text}");
    }
}

#[test]
fn the_hooks_leave_other_files_alone() {
    let scene = every_kind();
    for name in ["ws/yaml", "ws/a.yaml.orig", "ws/toml.rs", "ws/clank"] {
        scene.write(name, "port: \"8080\"\n");
    }
    git(&scene, "add .");
    for hook in hooks() {
        let selected = selected(&scene, &hook);
        assert_eq!(selected.len(), 10, "{selected:?}");
    }
}

/// `language: rust` has the runners install the package at the top of the clone, and run a program of it.
#[test]
fn the_package_at_the_top_has_the_program_that_the_hooks_run() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let manifest = format!("{}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let packages = metadata["packages"].as_array().unwrap();
    let top = packages.iter().find(|it| it["manifest_path"] == manifest.as_str()).unwrap();
    let targets = top["targets"].as_array().unwrap().iter();
    let programs = targets.filter(|it| it["kind"] == json!(["bin"]));
    let programs: Vec<&str> = programs.map(|it| it["name"].as_str().unwrap()).collect();
    for hook in hooks() {
        assert_eq!(hook["language"], "rust");
        let program = hook["entry"].as_str().unwrap().split(' ').next().unwrap();
        assert!(programs.contains(&program), "{program} is none of {programs:?}");
    }
}
