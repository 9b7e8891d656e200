//! `check`: what it says, what it exits with, and that it writes nothing.

use super::red::{RED, sources};
use super::support::Scene;

const ACTION: (&str, &str) = ("REGREEN_ACTION", "1");

#[test]
fn findings_are_shown_in_their_place_with_the_edit_that_repairs_them() {
    insta::assert_snapshot!(Scene::new(RED).run("check").text());
}

#[test]
fn with_v_the_reasons_are_told_too() {
    let text = Scene::new(RED).run("check ws/api.yaml -v").stdout;
    insta::assert_snapshot!(text);
}

#[test]
fn a_green_run_is_one_line_and_nothing_with_q() {
    let scene = Scene::new(
        "//- ws/a.yaml\n# yaml-language-server: $schema=a.json\na: 1\n//- ws/a.json\n{\"type\": \"object\"}\n",
    );
    insta::assert_snapshot!(scene.run("check").text(), @r"
    Green. Nothing is wrong in 1 file.
    --- exit 0
    ");
    assert_eq!(scene.run("check -q").text(), "--- exit 0\n");
}

/// Nothing but that they parse is claimed about files that no rule has looked at.
#[test]
fn a_workspace_without_rules_is_not_called_green() {
    let scene = Scene::new("//- ws/a.yaml\na: 1\n");
    insta::assert_snapshot!(scene.run("check").text(), @r"
    Nothing to check. No rule applies to any file here, only their syntax was checked: see regreen init.
    --- exit 0
    ");
}

/// AE-25: not a byte, not a time, not a mode of a source changes.
#[test]
fn check_and_plan_touch_no_source() {
    let scene = Scene::new(RED);
    let before = sources(&scene);
    for format in ["text", "json", "fix-actions", "repairs", "diff", "sarif", "github"] {
        scene.run(&format!("check --strict --format {format}"));
        assert_eq!(sources(&scene), before, "{format}");
    }
    for format in ["text", "json", "repairs", "diff"] {
        scene.run(&format!("plan --format {format}"));
        assert_eq!(sources(&scene), before, "{format}");
    }
}

/// AE-27, AE-38: an action writes its declared output and nothing else, `.regreen` included.
#[test]
fn an_action_writes_only_its_output() {
    let scene = Scene::new(RED);
    let before = scene.tree();
    for line in [
        "check",
        "check --strict --format json",
        "plan",
        "fix --dry-run",
        "fix --diff",
        "explain",
        "init --dry-run",
    ] {
        scene.run_with(line, &[ACTION], "");
        assert_eq!(scene.tree(), before, "{line}");
    }
    for line in ["fix", "init", "check --write-baseline", "fix --allow r_000000000000"] {
        let ran = scene.run_with(line, &[ACTION], "");
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
    let ran = scene.run_with("check --format sarif -o out.sarif", &[ACTION], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.text());
    let mut after = scene.tree();
    assert!(after.remove(&scene.path("out.sarif")).is_some());
    assert_eq!(after, before);
}

#[track_caller]
fn check(files: &str, line: &str, code: i32) {
    let ran = Scene::new(files).run(line);
    assert_eq!(ran.code, code, "{line}: {}", ran.text());
}

/// X-35: the table of exit codes.
#[test]
fn exit_codes_are_those_of_the_table() {
    let fine = "//- ws/a.yaml\na: 1\n";
    check(fine, "check", 0);
    check(fine, "check --strict", 0);
    check(RED, "check", 1);
    check(RED, "check ws/notes", 0);
    check(RED, "check --only SCHEMA_REQUIRED", 0);
    check(RED, "check --only SCHEMA_TYPE", 1);
    check(RED, "check --tier policy", 0);
    check(RED, "check --tier schema", 1);
    check(RED, "check --source schema", 1);
    check(RED, "plan", 0);
    check(RED, "fix", 1);
    check(RED, "fix ws/api.yaml", 0);
    check(RED, "fix --safety behavior_changing", 0);
    check(RED, "fix --safety behavior_preserving", 1);
    check(RED, "explain", 0);
    check(RED, "init", 0);
    check(RED, "check --tier something", 2);
    check(RED, "check --format yaml", 2);
    check(RED, "check --jobs 0", 2);
    check(RED, "check nothing-here.yaml", 2);
    check(RED, "check ..", 2);
    check(RED, "check --staged --changed", 2);
    check(RED, "check --watch --format sarif", 2);
    check(RED, "fix --interactive", 2);
    check(RED, "fix --safety high", 2);
    check(RED, "explain NO_SUCH_RULE", 2);
}

/// X-19: warnings fail only if they are denied; what is off is not found; a severity can be given to any rule.
#[test]
fn severities_are_those_of_the_configuration() {
    let with = |rules: &str| format!("{RED}//- ws/regreen.toml\n[rules]\n{rules}\n");
    let quiet =
        "SCHEMA_TYPE = \"warning\"\nSCHEMA_ENUM = \"off\"\nSCHEMA_UNKNOWN_KEY = \"warning\"";
    check(&with(quiet), "check", 0);
    check(&with(quiet), "check --deny-warnings", 1);
    let report = Scene::new(&with(quiet)).run("check --format json").json();
    assert_eq!(report["summary"]["warning"], 2, "{report:#}");
    assert_eq!(report["summary"]["error"], 0, "{report:#}");
}

/// A configuration that is wrong says where, what, and the nearest thing that would be right.
#[test]
fn a_broken_configuration_is_3_and_names_every_place() {
    let broken = format!(
        "{RED}//- ws/regreen.toml\n[fxi]\nsafety = 3\n\n[fix]\nsaftey = \"likely_preserving\"\n"
    );
    let scene = Scene::new(&broken);
    let ran = scene.run("check");
    insta::assert_snapshot!(ran.text());
    let report = scene.run("fix --format json");
    assert_eq!(report.code, 3, "{}", report.text());
    assert_eq!(report.json()["error"]["code"], "bad_config");
    assert_eq!(report.json()["diagnostics"][0]["json_pointer"], "/fxi", "{}", report.text());
}

/// Hostile configurations are refused in bounded time, whatever they hold.
#[test]
fn hostile_configurations_are_refused() {
    let deep = format!("a = {}1{}\n", "[".repeat(5000), "]".repeat(5000));
    let huge_key = format!("{} = 1\n", "k".repeat(100_000));
    let terminal = "\"\\u001b[2J\" = 1\n".to_owned();
    let escape = "[[pack]]\npath = \"../../etc\"\n".to_owned();
    let absolute = "[[pack]]\npath = \"/etc\"\n".to_owned();
    for text in [deep, huge_key, terminal, escape, absolute, "\u{0}".to_owned(), "[".to_owned()] {
        let scene = Scene::new(RED);
        scene.write("ws/regreen.toml", &text);
        let ran = scene.run("check");
        assert_eq!(ran.code, 3, "{}", ran.text());
        assert!(!ran.text().contains('\u{1b}'), "{}", ran.text());
        assert!(ran.text().len() < 250_000);
    }
}

#[test]
fn what_is_more_than_the_cap_is_counted() {
    let scene = Scene::new(RED);
    let ran = scene.run("check --max-findings 1");
    insta::assert_snapshot!(ran.stdout);
    let report = scene.run("check --max-findings 1 --format json").json();
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(report["summary"]["not_shown"], 2);
    assert_eq!(report["summary"]["error"], 3);
}

/// A baseline accepts what is there: only what is new fails.
#[test]
fn with_a_baseline_only_new_findings_fail() {
    let scene = Scene::new(RED);
    let ran = scene.run("check --write-baseline");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let ran = scene.run("check");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("3 in the baseline"), "{}", ran.text());
    assert_eq!(scene.run("check --no-baseline").code, 1);
    scene.write("ws/new.yaml", "# yaml-language-server: $schema=service.schema.json\nname: 5\n");
    let report = scene.run("check --format json");
    assert_eq!(report.code, 1, "{}", report.text());
    assert_eq!(report.json()["summary"]["error"], 1, "{}", report.text());
}

/// A comment ignores what it names, and one that ignores nothing is a warning.
#[test]
fn a_comment_can_ignore_a_rule_and_a_needless_one_is_told() {
    let scene = Scene::new(RED);
    let text = scene.read("ws/api.yaml");
    let text =
        text.replace("# behind the proxy", "# regreen: ignore SCHEMA_TYPE -- it is a template");
    scene.write(
        "ws/api.yaml",
        &text.replace("level: Info", "level: info # regreen: ignore SCHEMA_ENUM"),
    );
    let ran = scene.run("check ws/api.yaml");
    assert_eq!(ran.code, 0, "{}", ran.text());
    insta::assert_snapshot!(ran.stdout);
}

/// What an editor holds is checked as if it were the file.
#[test]
fn one_buffer_comes_from_standard_input() {
    let scene = Scene::new(RED);
    let fixed = scene.read("ws/api.yaml").replace("\"8080\"", "8080").replace("Info", "info");
    let ran = scene.run_with("check --stdin-path ws/api.yaml", &[], &fixed);
    assert_eq!(ran.code, 0, "{}", ran.text());
    let ran = scene.run_with(
        "check --stdin-path ws/api.yaml --format json",
        &[],
        &scene.read("ws/api.yaml"),
    );
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(ran.json()["summary"]["error"], 2, "only the buffer is reported: {}", ran.text());
    let text = "# yaml-language-server: $schema=service.schema.json\nname: 5\n";
    let ran = scene.run_with("check --stdin-path ws/new.yaml --format json", &[], text);
    assert_eq!(ran.json()["diagnostics"][0]["file"], "new.yaml", "{}", ran.text());
    assert!(!scene.path("ws/new.yaml").exists());
}

/// As somebody sees it who has never used regreen: init, check, fix, undo.
#[test]
fn first_steps_in_a_workspace_that_has_never_seen_regreen() {
    let scene = Scene::new(RED);
    insta::assert_snapshot!(scene.run("init").text());
    let before = scene.read("ws/api.yaml");
    assert_eq!(scene.run("check").code, 1);
    assert_eq!(scene.run("fix").code, 1);
    assert_ne!(scene.read("ws/api.yaml"), before);
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/api.yaml"), before);
    let ran = scene.run("init");
    assert!(ran.stdout.contains("a configuration already"), "{}", ran.text());
}

#[test]
fn every_rule_that_is_found_can_be_explained() {
    let scene = Scene::new(RED);
    let report = scene.run("check --format json").json();
    for diagnostic in report["diagnostics"].as_array().unwrap() {
        let rule = diagnostic["rule_id"].as_str().unwrap();
        let ran = scene.run(&format!("explain {rule}"));
        assert_eq!(ran.code, 0, "{}", ran.text());
        for part in ["What", "Why", "Example", "Repair", "Safety"] {
            assert!(
                ran.stdout.contains(&format!("\n{part}\n")),
                "{rule} has no {part}: {}",
                ran.text()
            );
        }
    }
    assert!(scene.run("explain").stdout.contains("SCHEMA_ENUM"));
}

/// A name that would move the cursor or start another command of GitHub's is shown, not obeyed.
#[test]
fn hostile_file_names_and_contents_reach_no_terminal() {
    let scene = Scene::new(RED);
    let text = "# yaml-language-server: $schema=service.schema.json\nname: 5 # \u{202e}\n";
    scene.write("ws/a\n::error::x\u{1b}[2J%,:.yaml", text);
    for line in ["check", "check -v", "plan", "fix --dry-run", "check --format github"] {
        let ran = scene.run(line);
        assert!(!ran.text().contains(['\u{1b}', '\u{202e}']), "{line}: {}", ran.text());
    }
    let ran = scene.run("check --only SCHEMA_TYPE --format github");
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.text());
    assert!(ran.stdout.lines().all(|it| it.starts_with("::error file=a")), "{}", ran.text());
}

/// A wall of text helps nobody: the first findings are shown, the others counted, and `-v` shows all.
#[test]
fn of_many_findings_the_first_are_shown_and_the_others_counted() {
    let head = "# yaml-language-server: $schema=service.schema.json";
    let many: String = (0..70)
        .map(|n| {
            format!("//- ws/many/{n}.yaml\n{}\nname: {n}\n", head.replace("service", "../service"))
        })
        .collect();
    let scene = Scene::new(&format!("{RED}{many}"));
    let shown = scene.run("check ws/many").stdout;
    assert_eq!(shown.matches("error[schema/SCHEMA_TYPE]").count(), 50, "{shown}");
    assert!(
        shown.contains("20 findings more; -v shows all.") && shown.contains("70 errors"),
        "{shown}"
    );
    assert_eq!(
        scene.run("check ws/many -v").stdout.matches("error[schema/SCHEMA_TYPE]").count(),
        70
    );
}
