//! Clank in builds: nothing is written but what was declared (AE-31, AE-34, AE-36, AE-38, AE-52, AE-56).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::build::contents;
use super::{ACTION, CLEAN, crooked};
use crate::support::Scene;

/// AE-52, AE-56: what would write a source, or something that was not declared, is refused.
#[test]
fn an_action_refuses_what_it_must_not_do() {
    let scene = Scene::new(&crooked());
    let before = scene.tree();
    for (line, code, said) in [
        ("build", 2, "names its outputs"),
        ("build ws/main.clank --strict", 2, "names its outputs"),
        ("fix", 3, "build action"),
        ("run ws/main.clank --runtime node", 2, "must not reach the host"),
    ] {
        let ran = scene.run_with(line, &[ACTION], "");
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert!(ran.stderr.contains(said), "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
    for (line, code) in [
        ("build --dry-run", 0),
        ("run ws/main.clank", 0),
        ("run ws/main.clank --strict", 1),
        ("compile ws/main.clank", 0),
        ("check --strict", 1),
        ("fix --diff", 0),
    ] {
        let ran = scene.run_with(line, &[ACTION], "");
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
}

/// AE-38: the folder for outputs and the fixes are all that appears, also if the build fails.
#[test]
fn an_action_writes_its_declared_outputs_and_nothing_else() {
    let scene = Scene::new(&crooked());
    let before = scene.tree();
    let line = "build --out-dir out --fixes-json fixes.json --fixes-diff fixes.diff";
    for (line, code, has_out) in
        [(format!("{line} --strict"), 1, false), (line.to_owned(), 0, true)]
    {
        let ran = scene.run_with(&line, &[ACTION], "");
        assert_eq!(ran.code, code, "{}", ran.text());
        let mut after = scene.tree();
        let out = scene.path("out");
        assert_eq!(after.keys().any(|it| it.starts_with(&out)), has_out);
        after.retain(|path, _| !path.starts_with(&out));
        assert!(after.remove(&scene.path("fixes.json")).is_some());
        assert!(after.remove(&scene.path("fixes.diff")).is_some());
        assert_eq!(after, before);
    }
    let diff = scene.read("fixes.diff");
    assert!(diff.starts_with("diff --git a/main.clank b/main.clank\n"), "{diff}");
    assert!(diff.contains("\n+fn main() -> IO + Unit {"), "{diff}");
}

/// The fixes of a build are what `fix` does: `apply` takes them, and then there are none.
#[test]
fn the_fixes_of_a_build_can_be_applied() {
    let scene = Scene::new(&crooked());
    let line = "build --out-dir out --fixes-json fixes.json --fixes-diff fixes.diff";
    assert_eq!(scene.run_with(line, &[ACTION], "").code, 0);
    let validator = jsonschema::validator_for(&scene.run("schema edits").json()).unwrap();
    assert!(validator.is_valid(&serde_json::from_str(&scene.read("fixes.json")).unwrap()));
    let ran = scene.run("apply fixes.json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let applied = scene.read("ws/main.clank");
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.run("fix").code, 0);
    assert_eq!(scene.read("ws/main.clank"), applied);
    assert_eq!(scene.run_with(&format!("{line} --strict"), &[ACTION], "").code, 0);
    assert_eq!(scene.read("fixes.diff"), "");
}

/// AE-34, AE-35: the same bytes for a person, in an action, and from a copy that cannot be written, elsewhere.
#[test]
fn the_same_bytes_come_out_everywhere() {
    let scene = Scene::new(&crooked());
    let options =
        "--source-maps --fixes-json OUT/fixes.json --fixes-diff OUT/fixes.diff --format json";
    let build = |scene: &Scene, out: &str, variables: &[(&str, &str)], root: &str| {
        let line = format!("build {options} --out-dir OUT/files --root {root}").replace("OUT", out);
        fs::create_dir_all(scene.path(out)).unwrap();
        let ran = scene.run_with(&line, variables, "");
        assert_eq!(ran.code, 0, "{}", ran.text());
        (ran.stdout, contents(&scene.path(out)))
    };
    let person = build(&scene, "one", &[], "ws");
    assert_eq!(person.1.len(), 2 * 2 + 2 + usize::from(person.1.contains_key("files/clank.ts")));
    let action = build(&scene, "two", &[ACTION], "ws");
    assert_eq!(action, person);
    let copy = Scene::new(&crooked().replace("//- ws/", "//- a/deep/ws/"));
    let folder = copy.path("a/deep/ws");
    let lock = |mode: u32| {
        for path in [folder.join("geo"), folder.clone()] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    lock(0o555);
    let sandboxed = build(&copy, "a/deep/three", &[ACTION], "a/deep/ws");
    lock(0o755);
    assert_eq!(sandboxed, person);
    assert!(!copy.path("a/deep/ws/.regreen").exists());
}

/// AE-31, AE-33: running in an action works on the canonical text and leaves no trace.
#[test]
fn a_program_runs_in_an_action() {
    for files in [CLEAN.to_owned(), crooked()] {
        let scene = Scene::new(&files);
        let before = scene.tree();
        let ran = scene.run_with("run ws/main.clank", &[ACTION], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "9.0\n"), "{}", ran.text());
        assert_eq!(scene.tree(), before);
    }
}
