//! `.clank` files are a provider of `check` and `fix` like any other.

use super::{CLEAN, RED, crooked};
use crate::support::Scene;

fn rules(report: &serde_json::Value) -> Vec<String> {
    let of = |it: &serde_json::Value| {
        let place = &it["location"];
        let (file, rule) = (it["file"].as_str().unwrap(), it["rule_id"].as_str().unwrap());
        format!("{file}:{}:{} {rule}", place["start_line"], place["start_col"])
    };
    report["diagnostics"].as_array().unwrap().iter().map(of).collect()
}

/// The missing case is named, in the program's own words.
#[test]
fn findings_of_programs_and_documents_are_shown_together() {
    insta::assert_snapshot!(Scene::new(RED).run("check").text());
}

#[test]
fn programs_that_are_fine_are_counted_as_looked_at() {
    insta::assert_snapshot!(Scene::new(CLEAN).run("check").text(), @r"
    Green. Nothing is wrong in 3 files.
    --- exit 0
    ");
    let scene = Scene::new(CLEAN);
    assert!(scene.run("init").stdout.contains("2  clank program"), "{}", scene.run("init").text());
}

/// The facts of a finding are in its `details`.
#[test]
fn the_json_report_has_the_facts() {
    let report = Scene::new(RED).run("check ws/light.clank --format json").json();
    let missing = &report["diagnostics"].as_array().unwrap().iter();
    let missing = missing.clone().find(|it| it["rule_id"] == "E2015").unwrap();
    assert_eq!(missing["source"], "clank");
    assert_eq!(missing["phase"], "types");
    assert_eq!(missing["details"]["kind"], "non_exhaustive_match", "{missing:#}");
    let pattern = &missing["details"]["missing_patterns"][0];
    assert_eq!(pattern["variant_name"], "Amber", "{missing:#}");
    assert_eq!(pattern["has_payload"], true, "{missing:#}");
}

#[test]
fn rules_can_be_chosen_turned_off_and_made_worse() {
    let scene = Scene::new(RED);
    let only = |line: &str| rules(&scene.run(&format!("check {line} --format json")).json());
    assert_eq!(only("--only E2015"), ["light.clank:5:3 E2015"]);
    assert_eq!(only("--only E2015 ws/api.yaml"), Vec::<String>::new());
    let all = ["light.clank:4:7 W0001", "light.clank:5:3 E2015", "light.clank:8:33 E3001"];
    assert_eq!(only("--source clank"), all);
    scene.write("ws/regreen.toml", "[rules]\nW0001 = \"off\"\nE3001 = \"error\"\n");
    let report = scene.run("check --source clank --format json").json();
    assert_eq!(rules(&report), all[1..]);
    assert_eq!(report["summary"]["error"], 2, "{report:#}");
}

/// Row 58: what is not proved is a warning.
#[test]
fn warnings_fail_only_if_they_are_denied() {
    let scene = Scene::new("//- ws/a.clank\nfn third(items: [Int]) -> Int { items[2] }\n");
    assert_eq!(scene.run("check").code, 0);
    assert_eq!(scene.run("check --deny-warnings").code, 1);
}

/// AE-6, AE-33, AE-40, AE-51: a layout is told, and fails only where it is asked for.
#[test]
fn a_layout_of_its_own_is_told_and_fails_with_strict() {
    let scene = Scene::new(&crooked());
    insta::assert_snapshot!(scene.run("check").text());
    assert_eq!(scene.run("check --strict").code, 1);
    assert_eq!(Scene::new(CLEAN).run("check --strict").code, 0);
    scene.write("ws/regreen.toml", "[fix]\nformatter = false\n");
    assert_eq!(scene.run("check --strict").code, 0);
    scene.write("ws/regreen.toml", "[fix]\nformatter = false\n[rules]\nCLANK_FORMAT = \"error\"\n");
    assert_eq!(scene.run("check").code, 1);
}

/// AE-6, AE-20, AE-51, RS-15: one transaction, which undo takes back to the byte; a second `fix` has nothing to do.
#[test]
fn fix_lays_out_and_undo_gives_every_byte_back() {
    let scene = Scene::new(&crooked());
    let before = scene.read("ws/main.clank");
    let report = scene.run("fix --format json").json();
    assert_eq!(report["applied"][0]["rule_id"], "CLANK_FORMAT", "{report:#}");
    assert_eq!(report["applied"][0]["safety"], "behavior_preserving", "{report:#}");
    assert_eq!(report["transaction"], "t_000001", "{report:#}");
    let clean = Scene::new(CLEAN).read("ws/main.clank");
    assert_eq!(scene.read("ws/main.clank"), clean.replace("fn main", "// Says it.\nfn main"));
    assert_eq!(scene.run("check --strict").code, 0);
    assert_eq!(scene.run("fix --format json").json()["transaction"], serde_json::Value::Null);
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/main.clank"), before);
}

/// Line ends and a byte order mark are not layout: they stay.
#[test]
fn fix_keeps_line_ends_and_byte_order_marks() {
    let scene = Scene::new("");
    scene.write("ws/a.clank", "\u{feff}fn f( )->Int{1}\r\n// é\r\n");
    assert_eq!(scene.run("fix").code, 0);
    assert_eq!(scene.read("ws/a.clank"), "\u{feff}fn f() -> Int { 1 }\r\n// é\r\n");
}

/// Mistakes and layout do not wait for each other, and a file that cannot be read is left alone.
#[test]
fn fix_leaves_what_cannot_be_read_alone() {
    let broken = "fn f( -> Int { 1 }\n";
    let scene =
        Scene::new(&format!("//- ws/broken.clank\n{broken}//- ws/wide.clank\nfn g( )->Int{{x}}\n"));
    let report = scene.run("fix --format json");
    assert_eq!(report.code, 1, "{}", report.text());
    assert_eq!(scene.read("ws/broken.clank"), broken);
    assert_eq!(scene.read("ws/wide.clank"), "fn g() -> Int { x }\n");
    scene.write("ws/binary.clank", "");
    std::fs::write(scene.path("ws/binary.clank"), b"fn f\xff\n").unwrap();
    let found = rules(&scene.run("check ws/binary.clank --format json").json());
    assert_eq!(found, ["binary.clank:1:5 E0001"]);
}

/// `// regreen: ignore` works in programs as it does in documents.
#[test]
fn a_comment_can_ignore_a_rule() {
    let scene = Scene::new(
        "//- ws/a.clank\nfn f() -> Int {\n  let x = 1 // regreen: ignore W0001 -- for later\n  /* regreen: ignore W0001 */\n  let y = 2\n  let z = 3\n  // regreen: ignore E2015\n  4\n}\n",
    );
    let report = scene.run("check --format json").json();
    assert_eq!(
        rules(&report),
        ["a.clank:5:7 W0001", "a.clank:6:3 SEM_UNUSED_IGNORE"],
        "{report:#}"
    );
    assert_eq!(report["summary"]["ignored"], 2, "{report:#}");
}

#[test]
fn with_a_baseline_only_new_mistakes_fail() {
    let scene = Scene::new(RED);
    assert_eq!(scene.run("check --write-baseline").code, 0);
    let ran = scene.run("check");
    assert_eq!(ran.code, 0, "{}", ran.text());
    // A line above it moves the mistake, and it is still the one that is known.
    scene.write("ws/light.clank", &format!("// Lights.\n{}", scene.read("ws/light.clank")));
    assert_eq!(scene.run("check").code, 0);
    scene.write("ws/new.clank", "fn f() -> Int { missing }\n");
    let report = scene.run("check --format json");
    assert_eq!(rules(&report.json()), ["new.clank:1:17 E1001"]);
}

/// What an editor holds is checked as if it were the file, with the modules that are on disk.
#[test]
fn a_buffer_is_checked_with_the_modules_on_disk() {
    let scene = Scene::new(CLEAN);
    let check =
        |text: &str| scene.run_with("check --stdin-path ws/main.clank --format json", &[], text);
    assert_eq!(check(&scene.read("ws/main.clank")).code, 0);
    let found = check("use geo.shapes.{area}\n\nfn f() -> Float { area(1) }\n");
    assert_eq!(rules(&found.json()), ["main.clank:3:24 E2001"], "{}", found.text());
    let ran = scene.run_with("fix --stdin-path ws/new.clank", &[], "fn f( )->Int{1}\n");
    assert_eq!(ran.stdout, "fn f() -> Int { 1 }\n", "{}", ran.text());
    assert!(!scene.path("ws/new.clank").exists());
}

#[test]
fn sarif_and_github_take_findings_of_programs() {
    let scene = Scene::new(RED);
    let sarif = scene.run("check --source clank --format sarif").json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let missing = results.iter().find(|it| it["ruleId"] == "clank/E2015").unwrap();
    let region = &missing["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&5.into(), &3.into()), "{sarif:#}");
    let github = scene.run("check --only E2015 --format github").stdout;
    assert!(github.starts_with("::error file=light.clank,line=5,col=3,"), "{github}");
}

/// Every code has a page, and the list names every code.
#[test]
fn every_code_can_be_explained() {
    let scene = Scene::new("");
    let report = scene.run("explain --format json").json();
    let rules = report["rules"].as_array().unwrap().iter();
    let codes: Vec<&str> = rules
        .filter(|it| it["source"] == "clank")
        .map(|it| it["rule_id"].as_str().unwrap())
        .collect();
    assert!(
        codes.len() > 50 && codes.contains(&"E2015") && codes.contains(&"CLANK_FORMAT"),
        "{codes:?}"
    );
    for code in codes {
        let ran = scene.run(&format!("explain {code}"));
        assert_eq!(ran.code, 0, "{}", ran.text());
        for part in ["What", "Why", "Example", "Repair", "Safety"] {
            assert!(
                ran.stdout.contains(&format!("\n{part}\n")),
                "{code} has no {part}: {}",
                ran.text()
            );
        }
    }
    insta::assert_snapshot!(scene.run("explain E2015").text());
}

/// A file can keep its layout: then nothing asks for another, neither `check` nor a build.
#[test]
fn a_file_can_keep_its_layout() {
    let text =
        "// regreen: ignore-file CLANK_FORMAT -- a table\nfn main( )->IO+Unit{println(\"x\")}\n";
    let scene = Scene::new(&format!("//- ws/main.clank\n{text}"));
    for line in
        ["check --strict", "fix", "build --strict --out-dir out", "run --strict ws/main.clank"]
    {
        let ran = scene.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.text());
    }
    assert_eq!(scene.read("ws/main.clank"), text);
}

#[test]
fn reports_about_programs_validate_against_their_schemas() {
    for files in [RED.to_owned(), crooked()] {
        let scene = Scene::new(&files);
        for (line, name) in [
            ("check --format json", "check-report"),
            ("plan --format json", "plan-report"),
            ("explain E2015 --format json", "explain-report"),
            ("build --format json --out-dir out", "build-report"),
            ("build nothing.clank --format json", "failure-report"),
            ("fix --format json", "fix-report"),
        ] {
            let schema = scene.run(&format!("schema {name}")).json();
            let report = scene.run(line).json();
            let validator = jsonschema::validator_for(&schema).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&report).map(|it| it.to_string()).collect();
            assert!(errors.is_empty(), "{line}: {errors:?}\n{report:#}");
        }
    }
}
