//! The table of exit codes, seen from outside (X-35).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::support::{SHOP, Scene};

#[track_caller]
fn check(code: i32, line: &str) {
    let ran = Scene::new(SHOP).run(line);
    assert_eq!(ran.code, code, "{line}: {}", ran.text());
}

#[test]
fn clean_is_0() {
    check(0, "validate good.changeset.yaml");
    check(0, "apply good.changeset.yaml");
    check(0, "apply good.changeset.yaml --dry-run");
    check(0, "apply good.changeset.yaml --diff");
    check(0, "convert good.changeset.yaml --to diff");
    check(0, "convert good.changeset.yaml --to edits");
    check(0, "log");
    check(0, "schema");
    check(0, "schema changeset");
    check(0, "completions bash");
    check(0, "man");
    check(0, "man dds approve");
    check(0, "man --list");
    check(0, "--help");
    check(0, "--version");
}

/// `undo` with nothing to undo is clean and says so.
#[test]
fn nothing_to_do_is_0() {
    let ran = Scene::new(SHOP).run("undo");
    insta::assert_snapshot!(ran.text(), @r"
    There is nothing to undo: no transaction is left that is not undone.
    --- exit 0
    ");
}

#[test]
fn findings_are_1() {
    check(1, "validate failing.changeset.yaml");
    check(1, "apply failing.changeset.yaml");
    check(1, "apply failing.changeset.yaml --diff");
    check(1, "validate half.fix-actions.json");
    check(1, "apply half.fix-actions.json");
    check(1, "convert good.changeset.yaml --to fix-actions");
    check(1, "undo t_000009");
}

/// A patch document that fails its schema is 1, not 3: the work was done, and this is its result.
#[test]
fn a_patch_that_fails_its_schema_is_1() {
    check(1, "validate bad.changeset.yaml");
    check(1, "apply bad.changeset.yaml");
    check(1, "convert bad.changeset.yaml --to diff");
    check(1, "validate good.changeset.yaml --from fix-actions");
}

#[test]
fn usage_is_2() {
    check(2, "aply good.changeset.yaml");
    check(2, "apply");
    check(2, "apply good.changeset.yaml --format yaml");
    check(2, "apply good.changeset.yaml --diff --format json");
    check(2, "apply good.changeset.yaml -q -v");
    check(2, "convert good.changeset.yaml");
    check(2, "schema nothing");
    check(2, "man nothing");
    check(2, "undo seven");
    check(2, "log --prune few");
}

#[test]
fn work_that_cannot_be_done_is_3() {
    check(3, "validate missing.json");
    check(3, "validate ws");
    check(3, "validate good.changeset.yaml --root nowhere");
    check(3, "validate good.changeset.yaml --root good.changeset.yaml");
    check(3, "validate good.changeset.yaml --output nowhere/report");
}

/// An unreadable file is 3. (Nothing is unreadable for root, so the file is a patch in a folder that is a file.)
#[test]
fn an_unreadable_file_is_3() {
    check(3, "validate ws/app.yaml/fix.json");
    let scene = Scene::new(SHOP);
    fs::set_permissions(scene.path("ws/app.yaml"), fs::Permissions::from_mode(0o000)).unwrap();
    let can_read_all = fs::read(scene.path("ws/app.yaml")).is_ok();
    let ran = scene.run("validate good.changeset.yaml");
    // Who may read it all the same finds a file that is read-only.
    assert_eq!(ran.code, if can_read_all { 1 } else { 3 }, "{}", ran.text());
}

/// A damaged store is a clear error that says what to do, never a guess.
#[test]
fn a_damaged_store_is_3() {
    let scene = Scene::new(SHOP);
    assert_eq!(scene.run("apply good.changeset.yaml").code, 0);
    let transactions = scene.state().join("txn");
    for file in fs::read_dir(transactions.join("t_000001")).unwrap() {
        fs::write(file.unwrap().path(), "garbage\n").unwrap();
    }
    let ran = scene.run("log --format json");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert_eq!(ran.json()["error"]["code"], "damaged_store", "{}", ran.text());
    assert!(ran.stderr.contains("move the folder `txn` that holds it aside"), "{}", ran.text());
    assert!(ran.stderr.contains(transactions.to_str().unwrap()), "{}", ran.text());
    scene.write("ws/.regreen/files.json", "[");
    fs::remove_dir_all(transactions).unwrap();
    let ran = scene.run("validate half.fix-actions.json --format json");
    assert_eq!(ran.json()["error"]["code"], "bad_file_index", "{}", ran.text());
}

/// The failure is JSON for a program that asked for JSON, and text for people beside it.
#[test]
fn a_failure_is_told_in_the_format_that_was_asked_for() {
    let ran = Scene::new(SHOP).run("apply missing.json --format json");
    insta::assert_snapshot!(ran.text());
}
