//! Symptoms wait for cures: what `fix` does about an index that only looks unguarded.

use serde_json::Value;

use crate::support::Scene;

/// The bounds of `xs[i]` are checked, but the name of the function that says how long `xs` is has a slip in it.
const SLIP: &str = "
//- ws/regreen.toml
[fix]
//- ws/at.clank
fn at(xs: [Int], i: Int) -> Int {
  if i >= 0 && i < xs.lenn() { xs[i] } else { 0 }
}

fn main() -> Int {
  at([1, 2], 5)
}
";

fn listed(report: &Value, list: &str) -> Vec<String> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or("-").to_owned();
    let line =
        |it: &Value| format!("{} {}: {}", text(it, "class"), text(it, "title"), text(it, "reason"));
    report[list].as_array().unwrap().iter().map(line).collect()
}

fn id_of(report: &Value, class: &str) -> String {
    let mut rejected = report["rejected"].as_array().unwrap().iter();
    rejected.find(|it| it["class"] == class).unwrap()["id"].as_str().unwrap().to_owned()
}

/// No guard is put in while the cure waits for a word; with the word the program is green and has no guard.
#[test]
fn a_guard_waits_for_the_name_to_be_spelt_right() {
    let scene = Scene::new(SLIP);
    let report = scene.run("fix --format json").json();
    assert_eq!(
        listed(&report, "rejected"),
        [
            "repair call the function: `len(…)`: needs_approval",
            "stub add the guard `if i >= 0 && i < len(xs)`: waits",
            "stub access the element with `get`: waits",
            "stub insert `assert i >= 0 && i < len(xs)` before it: waits",
        ]
    );
    assert_eq!(report["rejected"][1]["with"], report["rejected"][0]["id"]);
    assert_eq!(report["transaction"], Value::Null);
    let fixed = scene.run(&format!("fix --allow {}", id_of(&report, "repair")));
    assert!(fixed.stdout.contains("Green."), "{}", fixed.text());
    assert!(!scene.read("ws/at.clank").contains("panic"));
}

/// Who names the guard gets it, and is told what it is.
#[test]
fn a_guard_that_is_named_does_not_wait() {
    let scene = Scene::new(SLIP);
    let guard = id_of(&scene.run("fix --dry-run --format json").json(), "stub");
    let report = scene.run(&format!("fix --allow {guard} --format json")).json();
    assert_eq!(listed(&report, "applied"), ["stub add the guard `if i >= 0 && i < len(xs)`: -"]);
    let counts = &report["summary"]["classes"];
    assert_eq!((&counts["repair"], &counts["stub"]), (&0.into(), &1.into()));
    scene.run("undo");
    let text = scene.run(&format!("fix --allow {guard}")).text();
    assert!(text.contains("1 fix (1 stub) in 1 file"), "{text}");
}

/// RS-33: warnings wait for errors in the file and in what it imports, and for no others.
#[test]
fn warnings_wait_for_errors_in_what_is_imported() {
    let scene = Scene::new(
        "
//- ws/regreen.toml
[fix]
//- ws/base.clank
fn one() -> Int { oen }

fn two() -> Int { 2 }
//- ws/user.clank
use base.{two}

fn three() -> Int {
  let unused = 1;
  two() + 1
}
//- ws/other.clank
fn four() -> Int {
  let unused = 1;
  4
}
",
    );
    let report = scene.run("fix --format json").json();
    assert_eq!(listed(&report, "applied"), ["repair rename `unused` to `_unused`: -"]);
    assert_eq!(report["applied"][0]["files"][0], "other.clank");
    let rejected = report["rejected"].as_array().unwrap();
    let waiting: Vec<&Value> = rejected.iter().filter(|it| it["reason"] == "waits").collect();
    assert_eq!(waiting.len(), 1, "{report:#}");
    assert_eq!(waiting[0]["files"][0], "user.clank");
    assert!(waiting[0]["detail"].as_str().unwrap().starts_with("E1001 at base.clank:1:19"));
}
