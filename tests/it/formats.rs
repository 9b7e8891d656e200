//! What programs read: JSON reports, fix actions, repairs, SARIF, annotations.

use serde_json::Value;

use super::red::RED;
use super::support::Scene;

/// Every report validates against the schema that `regreen schema` prints.
#[test]
fn reports_of_check_plan_and_fix_validate_against_their_schemas() {
    let scene = Scene::new(RED);
    for (line, name) in [
        ("check --format json", "check-report"),
        ("check --strict --format json", "check-report"),
        ("check --format repairs", "repairs"),
        ("check --format fix-actions", "fix-actions"),
        ("plan --format json", "plan-report"),
        ("plan --format repairs", "repairs"),
        ("explain SCHEMA_ENUM --format json", "explain-report"),
        ("explain --format json", "rules-report"),
        ("fix --format json", "fix-report"),
        ("fix --dry-run --format json", "fix-report"),
        ("init --format json", "init-report"),
        ("check nothing --format json", "failure-report"),
    ] {
        let schema = scene.run(&format!("schema {name}")).json();
        let report = scene.run(line).json();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&report).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}\n{report:#}");
    }
}

#[test]
fn the_json_report_of_check_is_like_this() {
    insta::assert_snapshot!(Scene::new(RED).run("check --format json").text());
}

#[test]
fn the_json_report_of_fix_is_like_this() {
    insta::assert_snapshot!(Scene::new(RED).run("fix --format json").text());
}

/// FA: what `check` hands out as fix actions, `apply` makes, and that is what `fix` makes.
#[test]
fn fix_actions_do_what_fix_does() {
    let (scene, other) = (Scene::new(RED), Scene::new(RED));
    let document = scene.run("check --format fix-actions");
    assert_eq!(document.code, 1);
    scene.write("fixes.json", &document.stdout);
    let ran = scene.run("apply fixes.json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    other.run("fix");
    assert_eq!(scene.read("ws/api.yaml"), other.read("ws/api.yaml"));
    assert_eq!(scene.read("ws/web.json"), other.read("ws/web.json"));
}

#[test]
fn annotations_for_github_are_one_line_each() {
    insta::assert_snapshot!(Scene::new(RED).run("check --format github").stdout);
}

#[test]
fn sarif_is_like_this() {
    let mut log = Scene::new(RED).run("check --format sarif").json();
    // The pages of the rules are held by `explain`.
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        assert!(rule["help"]["text"].as_str().unwrap().len() > 50, "{rule:#}");
        rule.as_object_mut().unwrap().retain(|name, _| name == "id");
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
}

/// applying the `fixes` of the log by its own rules gives the text that `fix` gives: the columns are code points, the
/// regions are those of the unmodified file, and nothing around them is repeated.
#[test]
fn sarif_fixes_applied_by_the_letter_do_what_fix_does() {
    let red =
        RED.replace("name: api ", "name: 'äpi 😀' ").replace("port: \"8080\"", "\"port\": '8080'");
    let (scene, other) = (Scene::new(&red), Scene::new(&red));
    let log = scene.run("check ws/api.yaml --format sarif").json();
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let text = scene.read("ws/api.yaml");
    let mut edits = Vec::new();
    for result in run["results"].as_array().unwrap() {
        for change in result["fixes"][0]["artifactChanges"].as_array().unwrap() {
            assert_eq!(change["artifactLocation"]["uri"], "api.yaml");
            edits.extend(
                change["replacements"].as_array().unwrap().iter().map(|it| edit(&text, it)),
            );
        }
    }
    edits.sort();
    let mut fixed = text.clone();
    for (start, end, new) in edits.into_iter().rev() {
        fixed.replace_range(start..end, &new);
    }
    assert_ne!(fixed, text);
    other.run("fix ws/api.yaml");
    assert_eq!(fixed, other.read("ws/api.yaml"));
}

fn edit(text: &str, replacement: &Value) -> (usize, usize, String) {
    let region = &replacement["deletedRegion"];
    let offset = |line: &str, column: &str| {
        let number = |name: &str| region[name].as_u64().unwrap() as usize;
        let line_start: usize =
            text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
        let columns = text[line_start..].chars().take(number(column) - 1);
        line_start + columns.map(char::len_utf8).sum::<usize>()
    };
    let new = replacement["insertedContent"]["text"].as_str().unwrap_or_default();
    (offset("startLine", "startColumn"), offset("endLine", "endColumn"), new.to_owned())
}

/// The rules of the standard that readers trip over: every result names its rule by id and index, every place is a
/// relative reference with a base that the run declares, every region has positive numbers.
#[test]
fn sarif_holds_the_rules_of_the_standard() {
    let odd = format!(
        "{RED}//- ws/odd name ü%.yaml\n# yaml-language-server: $schema=service.schema.json\nname: 5\n"
    );
    let log = Scene::new(&odd).run("check --format sarif").json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{log:#}");
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].as_str().is_some_and(|it| !it.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        let base = place["artifactLocation"]["uriBaseId"].as_str().unwrap();
        assert!(run["originalUriBaseIds"][base].is_object());
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with('/') && !uri.contains([' ', 'ü', ':']), "{uri}");
        for name in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(place["region"][name].as_u64().is_some_and(|it| it > 0), "{place:#}");
        }
    }
    assert!(log.to_string().contains("odd%20name%20%C3%BC%25.yaml"));
}

/// The log against the schema that the standard publishes, as a package of npm carries it.
#[cfg(feature = "live")]
#[test]
fn sarif_validates_against_the_published_schema() {
    let folder = tempfile::tempdir().unwrap();
    let script = "npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 && tar xzf *.tgz";
    let status = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(status.success());
    let schema = folder.path().join("package/lib/schemas/sarif-2.1.0-rtm.5.json");
    let schema = std::fs::read_to_string(schema).unwrap();
    // One bracket too many: the pattern for languages, as it is published, is not a regular expression.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/app-workspace");
    let scene = Scene::new(RED);
    for line in ["check --format sarif", &format!("check --format sarif --root {examples}")] {
        let log = scene.run_with(line, &[("REGREEN_ACTION", "1")], "").json();
        assert!(!log["runs"][0]["results"].as_array().unwrap().is_empty());
        let errors: Vec<String> = validator.iter_errors(&log).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
    }
}
