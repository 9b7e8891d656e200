//! Builds never write sources (AE-26, AE-29, AE-36, AE-38, AE-52, AE-56).

use super::support::{SHOP, Scene};

const ACTION: (&str, &str) = ("REGREEN_ACTION", "1");

/// AE-29, AE-36, AE-52: commands that write refuse before they do anything, and the tree is the same to the byte and
/// to the time of change.
#[test]
fn commands_that_write_refuse_and_write_nothing() {
    let scene = Scene::new(SHOP);
    assert_eq!(scene.run("apply good.changeset.yaml").code, 0);
    let before = scene.tree();
    for line in [
        "apply half.fix-actions.json",
        "apply half.fix-actions.json --format json",
        "apply does-not-exist.json",
        "apply half.fix-actions.json --output out.json",
        "undo",
        "undo t_000001",
        "log --prune 0",
    ] {
        let ran = scene.run_with(line, &[ACTION], "");
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        assert!(ran.stderr.contains("build action"), "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
}

/// AE-26, AE-56, CS-2: what reads only works, and leaves no trace, not even `.regreen`.
#[test]
fn commands_that_read_work_and_leave_no_trace() {
    let scene = Scene::new(SHOP);
    let before = scene.tree();
    for (line, code) in [
        ("validate good.changeset.yaml", 0),
        ("validate failing.changeset.yaml", 1),
        ("apply good.changeset.yaml --dry-run", 0),
        ("apply good.changeset.yaml --diff", 0),
        ("convert good.changeset.yaml --to diff", 0),
        ("undo --dry-run", 0),
        ("log", 0),
        ("schema apply-report", 0),
    ] {
        let ran = scene.run_with(line, &[ACTION], "");
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
}

/// CS-2, AE-26, X-38: in user mode too, what only looks writes nothing.
#[test]
fn looking_writes_nothing_for_a_user_either() {
    let scene = Scene::new(SHOP);
    let before = scene.tree();
    for line in [
        "validate good.changeset.yaml",
        "validate half.fix-actions.json -v",
        "apply good.changeset.yaml --dry-run",
        "apply good.changeset.yaml --diff",
        "apply failing.changeset.yaml",
        "apply bad.changeset.yaml",
        "convert good.changeset.yaml --to edits",
        "undo --dry-run",
        "undo",
        "log",
    ] {
        scene.run(line);
        assert_eq!(scene.tree(), before, "{line}");
    }
}

/// AE-38: a declared output is the only thing an action writes.
#[test]
fn an_action_writes_its_declared_output_and_nothing_else() {
    let scene = Scene::new(SHOP);
    let mut before = scene.tree();
    let ran = scene.run_with("apply good.changeset.yaml --diff --output out.diff", &[ACTION], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.text());
    let mut after = scene.tree();
    let diff = after.remove(&scene.path("out.diff"));
    assert!(diff.is_some());
    before.remove(&scene.path("out.diff"));
    assert_eq!(after, before);
    assert!(
        scene.read("out.diff").starts_with("diff --git a/api.toml b/api.toml\n"),
        "{}",
        scene.read("out.diff")
    );
}

/// Bazel's tests and sandbox are actions; `bazel run` is a person, with the root that it says.
#[test]
fn bazel_is_recognised() {
    let scene = Scene::new(SHOP);
    let ran = scene.run_with("apply good.changeset.yaml", &[("BAZEL_TEST", "1")], "");
    assert_eq!(ran.code, 3, "{}", ran.text());
    std::fs::create_dir_all(scene.path("execroot/main/bazel-out")).unwrap();
    let mut command = scene.command("apply ../../good.changeset.yaml --root ../../ws", &[]);
    let output = command.current_dir(scene.path("execroot/main")).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let root = scene.path("ws").to_string_lossy().into_owned();
    let variables = [("BUILD_WORKSPACE_DIRECTORY", root.as_str()), ("BAZEL_TEST", "1")];
    let ran = scene.run_with("apply good.changeset.yaml", &variables, "");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(scene.read("ws/api.toml"), "workers = 8 # one per core\n");
}

/// a transaction that is not finished is reported by commands that write nothing and settled by `recover`; a build
/// reads no state at all.
#[test]
fn an_unfinished_transaction_is_reported_and_settled_only_when_asked() {
    let scene = Scene::new(SHOP);
    assert_eq!(scene.run("apply good.changeset.yaml").code, 0);
    // Cutting the last record of the journal is what a crash before it leaves.
    let journal = scene.state().join("txn/t_000001/journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let cut = text.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&journal, &text[..cut]).unwrap();
    let before = scene.tree();
    let patch = "half.fix-actions.json";
    let build = scene.run_with(&format!("validate {patch} --format json"), &[ACTION], "");
    assert!(!build.text().contains("t_000001"), "{}", build.text());
    for line in [
        "check",
        "plan",
        "log",
        "explain",
        "validate good.changeset.yaml",
        "fix --dry-run",
        "fix --diff",
        "apply half.fix-actions.json --dry-run",
        "apply half.fix-actions.json --diff",
        "undo --dry-run",
        "init --dry-run",
        "convert good.changeset.yaml --to diff",
    ] {
        let ran = scene.run(line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.text());
        assert!(
            ran.stderr.contains("t_000001 was interrupted")
                && ran.stderr.contains("regreen recover"),
            "{line}: {}",
            ran.text()
        );
        let mut after = scene.tree();
        after.retain(|path, _| !path.to_string_lossy().contains(".cache"));
        let mut before = before.clone();
        before.retain(|path, _| after.contains_key(path) && !path.ends_with("home"));
        after.retain(|path, _| before.contains_key(path));
        assert_eq!(after, before, "{line}");
    }
    let ran = scene.run("recover --format json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let settled = &ran.json()["settled"];
    assert_eq!((&settled["id"], &settled["outcome"]), (&"t_000001".into(), &"completed".into()));
    assert_eq!(scene.run("recover").stdout, "There is nothing to settle.\n");
    assert_eq!(scene.run("log").code, 0);
}
