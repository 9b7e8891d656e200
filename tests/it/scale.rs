//! Text output of very many findings, of very long lines and of values that are not to be shown.

use std::fmt::Write;

use super::support::Scene;

/// A file with `n` findings, each with a repair, and the schema that it breaks.
fn wrong_types(n: usize) -> Scene {
    let mut text = "# yaml-language-server: $schema=s.json\n".to_owned();
    for idx in 0..n {
        let _ = writeln!(text, "k{}: \"{idx}\"", n - idx);
    }
    let scene = Scene::new("");
    scene.write("ws/s.json", r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#);
    scene.write("ws/a.yaml", &text);
    scene
}

/// The places that the text names, in its order.
fn lines_of(text: &str) -> Vec<usize> {
    let headers = text.lines().filter_map(|it| it.trim_start().strip_prefix("--> a.yaml:"));
    headers.map(|it| it.split(':').next().unwrap().parse().unwrap()).collect()
}

/// Lowering a repair of its own for each finding of this file would take minutes in a debug build.
#[test]
fn many_findings_of_one_file_are_capped_and_in_line_order() {
    let scene = wrong_types(5_000);
    let check = scene.run("check").stdout;
    assert_eq!(lines_of(&check), (2..52).collect::<Vec<_>>());
    assert!(check.contains("4950 findings more; -v shows all."), "{check}");
    assert_eq!(check.matches("fix: Write").count(), 50);
    assert_eq!(check.matches("\n     - k").count(), 50);
    let few = scene.run("check --max-findings 60").stdout;
    assert_eq!(lines_of(&few).len(), 60);
    assert!(lines_of(&few).is_sorted());
    assert!(few.contains("4940 findings more; --max-findings shows more."), "{few}");
    assert_eq!(scene.run("check -q").stdout.lines().count(), 5_000);
    let sarif = scene.run("check --format sarif").json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() == 5_000 && results.iter().all(|it| it["fixes"][0].is_object()));
    let plan = scene.run("plan").stdout;
    assert!(plan.contains("4950 repairs more; -v shows all."), "{plan}");
    let report = scene.run("fix --dry-run --safety behavior_preserving --format json").json();
    assert_eq!(report["remaining"].as_array().unwrap().len(), 5_000);
    let fix = scene.run("fix --dry-run --safety behavior_preserving").stdout;
    assert_eq!(lines_of(&fix), (2..52).collect::<Vec<_>>());
    assert!(fix.contains("4950 findings more; -v shows all."), "{fix}");
    let few = scene.run("fix --dry-run --safety behavior_preserving --max-findings 55").stdout;
    assert_eq!(lines_of(&few).len(), 55);
    assert!(few.contains("4945 findings more; --max-findings shows more."), "{few}");
}

#[test]
fn files_that_change_are_capped() {
    let scene = Scene::new("");
    scene.write("ws/s.json", r#"{"properties": {"p": {"type": "integer"}}}"#);
    for idx in 0..30 {
        let text = "# yaml-language-server: $schema=s.json\np: \"1\"\n";
        scene.write(&format!("ws/f{idx:02}.yaml"), text);
    }
    let fix = scene.run("fix --dry-run").stdout;
    assert_eq!(fix.matches("   2 + p: 1").count(), 20);
    assert!(fix.contains("10 files more; -v shows all"), "{fix}");
    assert_eq!(scene.run("fix --dry-run -v").stdout.matches("   2 + p: 1").count(), 30);
}

/// The header has the column of the report, and the caret stands under the first character of the place.
#[test]
fn columns_are_exact_in_lines_of_any_length_and_width() {
    let pads = ["x".repeat(3), "x".repeat(5_000), "日本".repeat(2_000), "e\u{301}".repeat(3_000)];
    for pad in pads {
        for space in [" ", "\t"] {
            let scene = Scene::new("");
            let schema = r#"{"properties": {"pad": {}, "p": {"type": "integer"}}}"#;
            scene.write("ws/s.json", schema);
            let text = format!(
                "{{\"$schema\": \"s.json\", \"pad\": \"{pad}\",{space}\"p\": \"no\", \"q\": \"{pad}\"}}"
            );
            scene.write("ws/a.json", &text);
            let report = scene.run("check --format json").json();
            let column = report["diagnostics"][0]["location"]["start_col"].as_u64().unwrap();
            assert_eq!(column as usize, text.split("\"no\"").next().unwrap().chars().count() + 1);
            let shown = scene.run("check").stdout;
            assert!(shown.contains(&format!("--> a.json:1:{column}\n")), "{shown}");
            let lines: Vec<&str> = shown.lines().collect();
            let at = lines.iter().position(|it| it.starts_with("1 | ")).unwrap();
            let before = lines[at].split("\"no\"").next().unwrap();
            let caret = lines[at + 1].find("^^^^").unwrap();
            assert_eq!(width(before), caret, "{shown}");
            assert!(lines[at].chars().count() < 140, "{shown}");
        }
    }
}

/// The columns that a terminal takes for these few characters.
fn width(text: &str) -> usize {
    let of = |it: char| match it {
        '\u{301}' => 0,
        '日' | '本' => 2,
        _ => 1,
    };
    text.chars().map(of).sum()
}

const SECRETS: [&str; 3] = ["hunter2-real", "hunter2-expected", "hunter2-new"];

/// X-39: what a report says by type and digest is in no frame, whatever line it stands on.
#[test]
fn values_that_the_report_hides_are_in_no_frame() {
    let workspace = "//- ws/a.yaml\nuser: ana\npassword: hunter2-real\n\
                     //- ws/b.json\n{\"user\": \"ana\", \"password\": \"hunter2-real\", \"port\": 1}\n";
    let scene = Scene::new(workspace);
    for (file, pointer) in [("a.yaml", "/password"), ("b.json", "/password"), ("b.json", "")] {
        let op = format!(
            "{{\"op\": \"replace_value\", \"file\": \"{file}\", \"json_pointer\": \"{pointer}\", \
             \"value\": \"hunter2-new\", \"expects\": {{\"equals\": \"hunter2-expected\"}}}}"
        );
        let missing = format!(
            "{{\"op\": \"replace_value\", \"file\": \"{file}\", \"json_pointer\": \"/nothing\", \"value\": 1}}"
        );
        let action = |id: &str, op: &str| {
            format!(
                "{{\"id\": \"{id}\", \"title\": \"t\", \"severity\": \"error\", \"targets\": [{{\"file\": \
                 \"{file}\", \"json_pointer\": \"\", \"rule_id\": \"R\"}}], \"ops\": [{op}]}}"
            )
        };
        let patch = format!(
            "{{\"pack_version\": \"1\", \"workspace_root\": \".\", \"fix_actions\": [{}, {}]}}",
            action("A", &op),
            action("B", &missing)
        );
        scene.write("p.json", &patch);
        for line in [
            "validate p.json",
            "apply p.json",
            "apply p.json -v",
            "apply p.json -q",
            "apply p.json --diff",
            "apply p.json --format json",
            "convert p.json --to changeset",
            "convert p.json --to edits -v",
        ] {
            let text = scene.run(line).text();
            for secret in SECRETS {
                assert!(!text.contains(secret), "{line} shows {secret}: {text}");
            }
        }
        let shown = scene.run("validate p.json --show-values").stdout;
        assert!(shown.contains("hunter2-real") && shown.contains("hunter2-expected"), "{shown}");
    }
    insta::assert_snapshot!(scene.run("validate p.json").stdout);
}

/// The lines around what an action changed, and the changed line itself, may hold what another action failed on.
#[test]
fn values_that_the_report_hides_are_not_shown_beside_what_was_written() {
    let workspace = "//- ws/a.yaml\nport: 1\npassword: hunter2-real\n\
                     //- ws/b.json\n{\"port\": 1, \"password\": \"hunter2-real\"}\n";
    for file in ["a.yaml", "b.json"] {
        let scene = Scene::new(workspace);
        let action = |id: &str, pointer: &str, rest: &str| {
            let target =
                format!("{{\"file\": \"{file}\", \"json_pointer\": \"\", \"rule_id\": \"R\"}}");
            format!(
                "{{\"id\": \"{id}\", \"title\": \"t\", \"severity\": \"error\", \"targets\": [{target}], \"ops\": \
                 [{{\"op\": \"replace_value\", \"file\": \"{file}\", \"json_pointer\": \"{pointer}\", {rest}}}]}}"
            )
        };
        let patch = format!(
            "{{\"pack_version\": \"1\", \"workspace_root\": \".\", \"fix_actions\": [{}, {}]}}",
            action("A", "/port", "\"value\": 2"),
            action(
                "B",
                "/password",
                "\"value\": 1, \"expects\": {\"equals\": \"hunter2-expected\"}"
            )
        );
        scene.write("p.json", &patch);
        let text = scene.run("apply p.json").stdout;
        assert!(text.contains("Applied.") && !text.contains("hunter2"), "{text}");
        assert!(scene.read(&format!("ws/{file}")).contains("hunter2-real"));
    }
}
