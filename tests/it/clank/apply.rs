//! `apply` with repairs that `compile` offers (rows 47, 55; RS-32, RS-48).

use serde_json::{Value, json};

use super::scene_of;
use crate::support::Scene;

const BROKEN: &str = "// Areas.\nfn area(width: Int, height: Int) -> Int { width * heigth }\n\nfn twice(n: Int) -> Int {\n  let m = n\n  m = m + n // again\n  m\n}\n";

/// A document with the repairs that have these ids.
fn document(scene: &Scene, file: &str, ids: &[&str]) -> Value {
    let result = scene.run(&format!("compile ws/{file}")).json();
    let repairs = result["repairs"].as_array().unwrap();
    let chosen = repairs.iter().filter(|it| ids.contains(&it["id"].as_str().unwrap()));
    json!({ "program_hash": result["program_hash"], "file": file,
        "repairs": chosen.collect::<Vec<_>>() })
}

#[test]
fn repairs_of_a_text_are_applied_as_one_transaction() {
    let scene = scene_of(BROKEN);
    let patch = document(&scene, "main.clank", &["rc1", "rc2"]);
    scene.write("fixes.json", &patch.to_string());
    let ran = scene.run("apply fixes.json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let fixed = BROKEN.replace("heigth", "height").replace("let m", "let mut m");
    assert_eq!(scene.read("ws/main.clank"), fixed);
    let again = scene.run("apply fixes.json");
    assert_ne!(again.code, 0, "{}", again.text());
    assert!(again.stderr.contains("changed since the repairs were made"), "{}", again.text());
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/main.clank"), BROKEN);
}

#[test]
fn repairs_of_a_tree_are_applied_to_the_tree() {
    let scene = scene_of(BROKEN);
    let tree = scene.run("compile ws/main.clank --emit ast").stdout;
    scene.write("ws/prog.json", &tree);
    scene.write("fixes.json", &document(&scene, "prog.json", &["rc1", "rc2"]).to_string());
    let ran = scene.run("apply fixes.json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(scene.run("compile ws/prog.json").json()["status"], "success");
}

#[test]
fn repairs_that_exclude_one_another_are_refused() {
    let scene = scene_of(BROKEN);
    scene.write("fixes.json", &document(&scene, "main.clank", &["rc2", "rc3"]).to_string());
    let ran = scene.run("apply fixes.json");
    assert_ne!(ran.code, 0, "{}", ran.text());
    assert!(ran.stderr.contains("exclude one another"), "{}", ran.text());
    assert_eq!(scene.read("ws/main.clank"), BROKEN);
}

/// `compile --apply`: the ids are typed, in a file, or on standard input, in every form the same.
#[test]
fn the_ids_of_repairs_can_be_read() {
    let scene = scene_of(BROKEN);
    let typed = scene.run("compile ws/main.clank --apply rc1,rc2 --emit clank");
    assert_eq!(typed.code, 0, "{}", typed.text());
    for ids in
        ["rc1\nrc2\n", "rc1,rc2", "rc1, rc2\r\n", "[\"rc1\", \"rc2\"]\n", " [ \"rc2\",\"rc1\" ]"]
    {
        scene.write("ids.txt", ids);
        let line = "compile ws/main.clank --emit clank --apply";
        assert_eq!(scene.run(&format!("{line} @ids.txt")), typed, "{ids}");
        assert_eq!(scene.run_with(&format!("{line} -"), &[], ids), typed, "{ids}");
    }
    scene.write("ids.txt", "rc2\n");
    assert_eq!(scene.run("compile ws/main.clank --emit clank --apply rc1,@ids.txt"), typed);
}

#[test]
fn ids_that_cannot_be_read_are_said() {
    let scene = scene_of(BROKEN);
    let refused = |line: &str, input: &str, code: i32, part: &str| {
        let ran = scene.run_with(&format!("compile {line}"), &[], input);
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert!(ran.text().contains(part), "{line}: {}", ran.text());
    };
    for nothing in ["", " \n", "[]", "[1]", "[\"rc1\""] {
        refused("ws/main.clank --apply -", nothing, 2, "standard input names no repairs");
    }
    refused("ws/main.clank --apply -", "rc99", 2, "there is no repair rc99");
    refused("ws/main.clank --apply @missing.txt", "", 3, "cannot read missing.txt");
    refused("- --apply -", BROKEN, 2, "the program must be a file");
}

/// Row 55: where nothing is offered, the reason stands on the goal or the hole itself.
#[test]
fn goals_and_holes_say_why_nothing_is_offered() {
    let text = "rec Key { secret: Key }\n\nfn make() -> Key { ?key }\n\nfn third(xs: [Int]) -> Int { xs[2] }\n";
    let result = Scene::new("").run_with("compile -", &[], text).json();
    let hole = &result["holes"][0];
    assert_eq!(hole["repair_refs"], json!([]), "{hole:#}");
    assert!(hole["no_repair"].is_string(), "{hole:#}");
    let goal = &result["obligations"][0];
    assert!(!goal["repair_refs"].as_array().unwrap().is_empty(), "{goal:#}");
    assert!(goal.get("no_repair").is_none(), "{goal:#}");
    let proved = "fn f(n: Int{n > 1}) -> (Int{result > 0}) { n }\n";
    let result = Scene::new("").run_with("compile -", &[], proved).json();
    assert!(result["obligations"][0].get("no_repair").is_none(), "{result:#}");
}

/// A misspelled module is looked for among those of the workspace.
#[test]
fn modules_with_similar_names_are_suggested() {
    let scene = Scene::new(super::CLEAN);
    scene.write(
        "ws/main.clank",
        "use geo.shape.{Square, area}\n\nfn side() -> Float { area(Square(3.0)) }\n",
    );
    let result = scene.run("compile ws/main.clank").json();
    let mistake = &result["diagnostics"][0];
    assert_eq!(mistake["code"], "E1004", "{mistake:#}");
    assert!(mistake.to_string().contains("geo.shapes"), "{mistake:#}");
}

/// What the caller divides by too: the requirement of `share` holds for all callers only after that of `both`.
const CASCADE: &str = "fn share(total: Int, n: Int) -> Int { total / n }\n\nfn both(a: Int, n: Int) -> Int { share(a, n) + 100 / n }\n";

/// RS-49, RS-55: a repair that requires another is refused without it, and comes after it whatever the order of the ids.
#[test]
fn what_a_repair_requires_comes_first_or_it_is_refused() {
    let scene = scene_of(CASCADE);
    let result = scene.run("compile ws/main.clank").json();
    let repairs = result["repairs"].as_array().unwrap();
    let child = repairs.iter().find(|it| it["compatibility"].get("requires").is_some());
    let child = child.unwrap_or_else(|| panic!("{repairs:#?}"));
    assert_eq!(child["verified"], true);
    let id = child["id"].as_str().unwrap();
    let parent = child["compatibility"]["requires"][0].as_str().unwrap();
    let alone = scene.run(&format!("compile ws/main.clank --apply {id}"));
    assert_eq!(alone.code, 2, "{}", alone.text());
    assert!(alone.text().contains(&format!("{id} requires {parent}")), "{}", alone.text());
    for ids in [format!("{id},{parent}"), format!("{parent},{id}")] {
        let both = scene.run(&format!("compile ws/main.clank --apply {ids}")).json();
        assert_eq!(both["status"], "success", "{both:#}");
        let applied: Vec<&Value> =
            both["fixed"]["applied"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(applied, [parent, id]);
    }
    // The same as a document: without it, and before it.
    scene.write("fixes.json", &document(&scene, "main.clank", &[id]).to_string());
    let refused = scene.run("apply fixes.json");
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains(&format!("{id} requires {parent}")), "{}", refused.text());
    let mut both = document(&scene, "main.clank", &[id, parent]);
    both["repairs"].as_array_mut().unwrap().reverse();
    scene.write("fixes.json", &both.to_string());
    assert_eq!(scene.run("apply fixes.json").code, 0);
    let after = scene.run("compile ws/main.clank").json();
    assert_eq!(after["status"], "success", "{after:#}");
}

/// A text with several mistakes that keep it from being read is taken to green, each repair by itself.
#[test]
fn several_syntax_errors_are_mended_in_one_call() {
    let text = "fn f(n: Int) -> Int {\n  let a = n + + 3\n  if a = 1 { 2 } else { a }\n}\n\nfn g(n: Int) -> Int { match n { 1 => 2, _ -> 3 } }\n";
    let fixed = Scene::new("").run_with("compile - --fix --safety behavior_changing", &[], text);
    let result = fixed.json();
    assert_eq!(result["status"], "success", "{result:#}");
    let is_mended = |result: &Value| {
        // A text that is not read whole keeps its layout.
        let source = result["fixed"]["source"].as_str().unwrap().replace("+  3", "+ 3");
        ["n + 3\n", "if a == 1 {", "{ 1 -> 2,"].iter().all(|it| source.contains(it))
    };
    assert!(is_mended(&result), "{result:#}");
    // One of them cannot be mended: the others are.
    let text = format!("hello world\n\n{text}");
    let fixed = Scene::new("").run_with("compile - --fix --safety behavior_changing", &[], &text);
    let result = fixed.json();
    assert!(is_mended(&result), "{result:#}");
    assert_eq!(result["fixed"]["applied"].as_array().unwrap().len(), 3, "{result:#}");
    assert_eq!(result["diagnostics"].as_array().unwrap().len(), 1, "{result:#}");
}

/// A text of which a part still cannot be read after a repair is mended as far as it goes.
#[test]
fn what_cannot_be_read_at_all_does_not_stop_the_rest() {
    let text = "fn twice(n: Int) -> Int {\n  let m = n\n  m = m + n\n  m\n}\n\n\
        fn f(n: Int) -> Int {\n  g(n, [1\n  if n = 2 {\n    h(n\n}\n";
    let fixed = Scene::new("").run_with("compile - --fix --safety behavior_changing", &[], text);
    assert_eq!(fixed.code, 1, "{}", fixed.text());
    assert!(!fixed.text().contains("defect of regreen"), "{}", fixed.text());
    assert!(fixed.text().contains("E0004"), "{}", fixed.text());
}
