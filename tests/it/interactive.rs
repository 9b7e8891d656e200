//! `fix --interactive`, on a terminal.

use super::red::RED;
use super::support::{Scene, on_a_terminal};

/// What every question of `fix --interactive` ends with.
const PROMPT: &str = "[?]";

#[test]
fn each_repair_is_shown_and_only_what_was_agreed_to_is_made() {
    let scene = Scene::new(RED);
    let before = scene.read("ws/api.yaml");
    // The port, the level, the key that needs approval.
    let (shown, code) = on_a_terminal(&scene, PROMPT, "fix --interactive", &["y", "n", "y"]);
    assert_eq!(code, Some(1), "{shown}");
    let after = scene.read("ws/api.yaml");
    assert_ne!(after, before, "{shown}");
    assert!(
        after.contains("port: 8080") != after.contains("level: info"),
        "one of two: {after}\n{shown}"
    );
    assert!(scene.read("ws/web.json").contains("\"port\": 80"), "{shown}");
    assert!(shown.contains("[1/3]") && shown.contains("needs your approval"), "{shown}");
    // One transaction holds all of it.
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/api.yaml"), before);
    assert!(scene.read("ws/web.json").contains("prot"));
}

#[test]
fn quit_makes_what_was_agreed_to_and_nothing_else() {
    let scene = Scene::new(RED);
    let before = scene.read("ws/api.yaml");
    let (shown, _) = on_a_terminal(&scene, PROMPT, "fix --interactive", &["q"]);
    assert_eq!(scene.read("ws/api.yaml"), before, "{shown}");
    assert!(scene.read("ws/web.json").contains("prot"), "{shown}");
}

/// `all` covers what is safe; what needs approval is still asked about.
#[test]
fn all_does_not_cover_what_needs_approval() {
    let scene = Scene::new(RED);
    let (shown, code) = on_a_terminal(&scene, PROMPT, "fix --interactive", &["a", "n"]);
    assert_eq!(code, Some(1), "{shown}");
    let after = scene.read("ws/api.yaml");
    assert!(after.contains("port: 8080") && after.contains("level: info"), "{after}\n{shown}");
    assert!(scene.read("ws/web.json").contains("prot"), "{shown}");
}
