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
