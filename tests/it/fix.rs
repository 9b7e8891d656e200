//! `fix` and `plan`: what is made, what is left alone, and that it can be taken back.

use super::red::{RED, rename_id, sources};
use super::support::Scene;

#[test]
fn fix_shows_what_it_made_what_is_left_and_how_to_take_it_back() {
    let scene = Scene::new(RED);
    insta::assert_snapshot!(scene.run("fix").text());
    insta::assert_snapshot!(scene.read("ws/api.yaml"), @r"
    # yaml-language-server: $schema=service.schema.json
    # What answers.
    name: api      # shown
    port: 8080   # behind the proxy
    level: info
    ");
}

#[test]
fn plan_ranks_every_repair_and_says_what_would_become_of_it() {
    insta::assert_snapshot!(Scene::new(RED).run("plan").text());
}

/// A second `fix` changes nothing, and makes no transaction.
#[test]
fn fix_is_idempotent() {
    let scene = Scene::new(RED);
    scene.run("fix");
    let before = sources(&scene);
    let report = scene.run("fix --format json").json();
    assert_eq!(report["transaction"], serde_json::Value::Null, "{report:#}");
    assert_eq!(report["summary"]["applied"], 0);
    assert_eq!(sources(&scene), before);
}

/// AE-7, X-38: what would be made is found out without writing it.
#[test]
fn a_dry_run_and_a_diff_write_nothing() {
    let scene = Scene::new(RED);
    let before = scene.tree();
    let dry = scene.run("fix --dry-run");
    insta::assert_snapshot!(dry.text());
    let diff = scene.run("fix --diff");
    insta::assert_snapshot!(diff.stdout, @r#"
    diff --git a/api.yaml b/api.yaml
    --- a/api.yaml
    +++ b/api.yaml
    @@ -1,5 +1,5 @@
     # yaml-language-server: $schema=service.schema.json
     # What answers.
     name: api      # shown
    -port: "8080"   # behind the proxy
    +port: 8080   # behind the proxy
    -level: Info
    +level: info
    "#);
    let mut after = scene.tree();
    after.retain(|path, _| !path.starts_with(scene.path("ws/.regreen")));
    let mut before = before;
    for tree in [&mut before, &mut after] {
        tree.remove(&scene.path("ws"));
    }
    assert_eq!(after, before);
    assert_eq!(scene.run("check --format diff").stdout, diff.stdout, "check shows the same diff");
}

/// What may change the meaning waits for a word, and the transaction remembers that it was given.
#[test]
fn a_repair_that_needs_approval_is_made_when_it_is_named() {
    let scene = Scene::new(RED);
    let id = rename_id(&scene);
    let report = scene.run(&format!("fix --allow {id} --format json")).json();
    assert_eq!(report["ok"], true, "{report:#}");
    assert!(scene.read("ws/web.json").contains("\"port\": 80"), "{}", scene.read("ws/web.json"));
    assert_eq!(scene.run("check --strict").code, 0);
    let scene = Scene::new(RED);
    assert_eq!(scene.run("fix --safety behavior_changing").code, 0);
    assert_eq!(scene.run("check --strict").code, 0);
}

/// Configuration may only narrow what is applied.
#[test]
fn configuration_narrows_and_never_widens() {
    let narrow = format!("{RED}//- ws/regreen.toml\n[fix]\nsafety = \"behavior_preserving\"\n");
    let report = Scene::new(&narrow).run("fix --format json").json();
    assert_eq!(report["summary"]["applied"], 0, "{report:#}");
    let wide = format!("{RED}//- ws/regreen.toml\n[fix]\nsafety = \"behavior_changing\"\n");
    let ran = Scene::new(&wide).run("fix");
    assert_eq!(ran.code, 3, "{}", ran.text());
}

/// Paths limit what is edited.
#[test]
fn only_the_named_files_are_edited() {
    let scene = Scene::new(RED);
    let other = scene.read("ws/api.yaml");
    let report = scene.run("fix ws/web.json --safety behavior_changing --format json").json();
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(scene.read("ws/api.yaml"), other);
    assert!(scene.read("ws/web.json").contains("port"));
}

#[test]
fn undo_after_fix_gives_back_every_byte() {
    let scene = Scene::new(RED);
    let before = scene.read("ws/api.yaml") + &scene.read("ws/web.json");
    scene.run("fix --safety behavior_changing");
    assert_ne!(scene.read("ws/api.yaml") + &scene.read("ws/web.json"), before);
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/api.yaml") + &scene.read("ws/web.json"), before);
}

/// For editors: the fixed text on standard output, the words on standard error, nothing on disk.
#[test]
fn a_buffer_is_fixed_on_standard_output() {
    let scene = Scene::new(RED);
    let before = sources(&scene);
    let text = scene.read("ws/api.yaml");
    let ran = scene.run_with("fix --stdin-path ws/api.yaml", &[], &text);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(ran.stdout, text.replace("\"8080\"", "8080").replace("Info", "info"));
    assert!(ran.stderr.contains("no file was written"), "{}", ran.text());
    // A buffer that needs nothing comes back as it is, and so does one that cannot be read.
    for text in ["a: 1\n", "a: [\n", ""] {
        let ran = scene.run_with("fix --stdin-path ws/other.yaml -q", &[], text);
        assert_eq!(ran.stdout, text, "{}", ran.text());
    }
    assert_eq!(sources(&scene), before);
}

/// In an action, too, because nothing is written.
#[test]
fn a_buffer_can_be_fixed_in_an_action() {
    let scene = Scene::new(RED);
    let before = scene.tree();
    let text = scene.read("ws/api.yaml");
    let ran = scene.run_with("fix --stdin-path ws/api.yaml", &[("REGREEN_ACTION", "1")], &text);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(scene.tree(), before);
}
