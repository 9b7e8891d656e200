//! Where the output goes and what it is made of.

use std::io::Read;
use std::process::Stdio;

use super::support::{SHOP, Scene};

/// Every JSON report validates against the schema that `regreen schema` prints.
#[test]
fn reports_validate_against_their_schemas() {
    let scene = Scene::new(SHOP);
    for (line, name) in [
        ("validate good.changeset.yaml --format json", "apply-report"),
        ("validate bad.changeset.yaml --format json", "apply-report"),
        ("validate failing.changeset.yaml --format json", "apply-report"),
        ("apply half.fix-actions.json --format json", "apply-report"),
        ("apply good.changeset.yaml --format json", "apply-report"),
        ("convert half.fix-actions.json --to changeset --format json", "convert-report"),
        ("log --format json", "log-report"),
        ("undo --format json", "undo-report"),
        ("undo t_000099 --format json", "undo-report"),
        ("validate missing.json --format json", "failure-report"),
    ] {
        let schema = scene.run(&format!("schema {name}")).json();
        let report = scene.run(line).json();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&report).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}\n{report:#}");
    }
}

/// The edits document that `convert` writes validates too, and its schema is closed.
#[test]
fn an_edits_document_validates_against_its_schema() {
    let scene = Scene::new(SHOP);
    let validator = jsonschema::validator_for(&scene.run("schema edits").json()).unwrap();
    let mut document = scene.run("convert good.changeset.yaml --to edits").json();
    assert!(validator.is_valid(&document), "{document:#}");
    document["x_note"] = "fine".into();
    assert!(validator.is_valid(&document));
    document["note"] = "not fine".into();
    assert!(!validator.is_valid(&document));
}

/// The shipped patch documents validate against the schemas, too.
#[test]
fn the_examples_validate_against_the_schema() {
    let scene = Scene::new("");
    let schema = scene.run("schema fix-actions").json();
    let text = include_str!("../../examples/storefront.fix-actions.json");
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document));
    // The changeset is in YAML; written as JSON it is the same document.
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let line = format!(
        "convert {examples}/storefront.changeset.yaml --to changeset --root {examples}/storefront"
    );
    let document = scene.run(&line).json();
    let schema = scene.run("schema changeset").json();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document), "{document:#}");
}

#[test]
fn schema_lists_all_names() {
    insta::assert_snapshot!(Scene::new("").run("schema").text());
}

#[test]
fn help_is_short_and_shows_examples() {
    let scene = Scene::new("");
    insta::assert_snapshot!(scene.run("--help").text());
    insta::assert_snapshot!(scene.run("apply --help").text());
}

/// A reader that goes away is not an error.
#[test]
fn a_broken_pipe_is_fine() {
    let scene = Scene::new(SHOP);
    let mut lines = String::new();
    for n in 0..5000 {
        lines += &format!("k{n}: 1\n");
    }
    scene.write("ws/big.yaml", &lines);
    let op = |n: u32| {
        format!(
            "  - {{type: set_value, file_uid: 'path:big.yaml', json_pointer: /k{n}, value: 2}}\n"
        )
    };
    let ops: String = (0..5000).map(op).collect();
    scene.write("big.yaml", &format!("changeset_uid: big\nops:\n{ops}"));
    let mut command = scene.command("apply big.yaml --diff", &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let scene = Scene::new(SHOP);
    let coloured = |line: &str, variables: &[(&str, &str)]| {
        scene.run_with(line, variables, "").stdout.contains('\u{1b}')
    };
    assert!(!coloured("validate good.changeset.yaml", &[]));
    assert!(!coloured("validate good.changeset.yaml --color never", &[("CLICOLOR_FORCE", "1")]));
    assert!(coloured("validate good.changeset.yaml --color always", &[("NO_COLOR", "1")]));
    assert!(coloured("validate good.changeset.yaml", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("validate good.changeset.yaml --format json --color always", &[]));
    assert!(!coloured("apply good.changeset.yaml --diff", &[]));
    assert!(coloured("apply good.changeset.yaml --diff --color always", &[]));
}

#[test]
fn quiet_says_what_is_wrong_a_line_each_and_nothing_else() {
    let scene = Scene::new(SHOP);
    assert_eq!(scene.run("validate good.changeset.yaml -q").text(), "--- exit 0\n");
    let failing = "app.yaml:2:1: error[SEM_CHANGESET_POINTER_MISSING]: operation 1 (delete_value) cannot be applied: \
                   there is nothing at `/nothing`; point at something that exists\n--- exit 1\n";
    assert_eq!(scene.run("validate failing.changeset.yaml -q").text(), failing);
    assert_eq!(scene.run("apply failing.changeset.yaml -q").text(), failing);
    assert_eq!(scene.run("log -q").text(), "--- exit 0\n");
    assert_eq!(scene.run("undo -q").text(), "--- exit 0\n");
    assert_eq!(scene.run("init --dry-run -q").text(), "--- exit 0\n");
    assert_eq!(scene.run("dds list -q").text(), "--- exit 0\n");
    assert!(!scene.run("explain -q").stdout.contains("The page of one"));
    assert_eq!(scene.run("apply good.changeset.yaml --quiet").text(), "--- exit 0\n");
    assert_eq!(scene.run("log -q").stdout.lines().count(), 1);
    let lost = scene.run("validate missing.json -q");
    assert_eq!((lost.code, lost.stdout.as_str(), lost.stderr.lines().count()), (3, "", 1));
    let red = Scene::new(super::red::RED);
    let quiet = |line: &str| {
        let ran = red.run(line);
        assert_eq!(ran.stderr, "", "{line}");
        ran.stdout
    };
    let lines = quiet("check -q");
    insta::assert_snapshot!(lines);
    assert_eq!(quiet("check -q ws/notes"), "");
    assert!(quiet("plan -q").lines().all(|it| it.starts_with("r_")));
    assert_eq!(quiet("fix -q --dry-run").lines().count(), 1);
    assert!(quiet("check -q --strict --only SCHEMA_REQUIRED").is_empty());
}

#[test]
fn output_goes_to_the_file_and_replaces_it_whole() {
    let scene = Scene::new(SHOP);
    scene.write("report.json", "old");
    let ran = scene.run("validate good.changeset.yaml --format json --output report.json");
    assert_eq!(ran.text(), "--- exit 0\n");
    let expected = scene.run("validate good.changeset.yaml --format json").stdout;
    assert_eq!(scene.read("report.json"), expected);
    let leftovers = scene
        .tree()
        .into_keys()
        .filter(|it| it.file_name().unwrap().to_string_lossy().ends_with(".tmp"))
        .count();
    assert_eq!(leftovers, 0);
}

/// Applying with a diff as the result still says, beside it, how to take it back.
#[test]
fn a_diff_of_what_was_written_comes_with_a_word_beside_it() {
    let scene = Scene::new(SHOP);
    let ran = scene.run("apply good.changeset.yaml --format diff");
    assert!(ran.stdout.starts_with("diff --git"), "{}", ran.text());
    assert!(ran.stderr.contains("regreen undo t_000001 --root ws"), "{}", ran.text());
    assert_eq!(scene.run("undo -q").code, 0);
}

/// A result that cannot be delivered does not hide that the work was done.
#[test]
fn a_result_that_cannot_be_delivered_is_3_and_says_that_the_work_was_done() {
    let scene = Scene::new(SHOP);
    let ran = scene.run("apply good.changeset.yaml --output nowhere/report");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("the command was carried out"), "{}", ran.text());
    assert_eq!(scene.run("log --format json").json()["transactions"][0]["transaction"], "t_000001");
}

/// A diff holds the bytes of the files, whatever they are: nothing is stripped or made printable in it.
#[test]
fn a_diff_is_byte_for_byte() {
    let scene = Scene::new("");
    let op = r#"{"type": "add_file", "file_uid": "n", "path": "notes.txt", "content": "\u001b[31mred\n"}"#;
    let patch = format!(r#"{{"changeset_uid": "x", "ops": [{op}]}}"#);
    let diff = scene.run_with("apply - --diff", &[], &patch).stdout;
    assert!(diff.contains("+\u{1b}[31mred\n"), "{diff}");
    let text = scene.run_with("apply - --dry-run --color always", &[], &patch).stdout;
    assert!(text.contains("␛[31mred"), "{text}");
}
