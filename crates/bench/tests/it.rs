//! Runs the benchmarks that need only Rust in their quick mode, so that they cannot rot. Times are not looked at.

use std::process::Command;

#[track_caller]
fn check(arguments: &[&str], expected: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments).env_remove("BENCH_PEERS").env_remove("LINTERS_TOOLS").env("PATH", "");
    let output = command.output().expect("the program that cargo built starts");
    let (report, complaints) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{report}\n{complaints}");
    for text in expected {
        assert!(report.contains(text), "no {text:?} in:\n{report}\n{complaints}");
    }
    assert!(!report.contains("failed"), "{report}\n{complaints}");
}

#[test]
fn edits_in_memory_agree_with_rustfix() {
    check(&["--quick", "edits-memory"], &["rustfix/regreen", "regreen/limit", "| 10,000 "]);
}

#[test]
fn edits_on_disk_give_the_expected_tree_and_say_which_peer_is_missing() {
    let missing = "PEER MISSING: clang-apply-replacements";
    check(&["--quick", "edits-disk"], &[missing, "regreen/loop", "| 20 x 100 "]);
}

#[test]
fn every_json_operation_is_right_to_the_byte() {
    let all_right = "| regreen                    |                24 |       0 |                   0 |           0 |";
    check(&["--quick", "json-ops"], &[all_right, "PEER MISSING: patchloom"]);
}

#[test]
fn every_yaml_operation_is_right_to_the_byte() {
    let all_right =
        "| regreen   |                24 |       0 |                   0 |           0 |";
    check(&["--quick", "yaml-ops"], &[all_right, "PEER MISSING: ruamel.yaml", "| yaml-edit"]);
}

#[test]
fn the_stages_of_the_compiler_run_on_programs_without_mistakes() {
    check(&["--quick", "clank-text"], &["TypeScript out", "n uses of one unknown name"]);
}

#[test]
fn the_list_names_every_benchmark() {
    check(&["--list"], &["edits-memory", "edits-disk", "json-ops", "yaml-ops", "end-to-end"]);
    check(&["--list"], &["check-tree", "plan-candidates", "clank-check", "clank-text"]);
    check(&["--list"], &["text-output", "check-listing", "check-workflows", "tools", "real-trees"]);
}

#[test]
fn tools_without_linters_say_how_to_install_them() {
    for name in ["tools", "real-trees"] {
        check(&["--quick", name], &["PEER MISSING: the linters", "LINTERS_TOOLS=DIR"]);
    }
}

#[test]
fn an_unknown_name_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).arg("no-such").output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no benchmark `no-such`"));
}

#[test]
fn goals_are_decided_and_z3_is_said_to_be_missing() {
    check(
        &["--quick", "clank-prove"],
        &["PEER MISSING: z3", "goals per second", "lets that double", "functions with three goals"],
    );
}

#[test]
fn repairs_of_many_mistakes_are_offered_and_tried() {
    check(&["--quick", "clank-repair"], &["mistakes of six kinds", "repairs/check"]);
}
