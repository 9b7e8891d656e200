//! `validate` and `apply`: what is said and what is written.

use super::support::{SHOP, Scene};

/// CS-2: validate says that nothing was written, and what to type next.
#[test]
fn validate_tells_what_would_happen() {
    insta::assert_snapshot!(Scene::new(SHOP).run("validate good.changeset.yaml").text());
}

#[test]
fn validate_with_v_lists_every_operation_and_note() {
    insta::assert_snapshot!(Scene::new(SHOP).run("validate good.changeset.yaml -v").text());
}

#[test]
fn apply_shows_what_changed_and_how_to_take_it_back() {
    let scene = Scene::new(SHOP);
    insta::assert_snapshot!(scene.run("apply good.changeset.yaml").text());
    assert_eq!(
        scene.read("ws/app.yaml"),
        "# What runs.\nname: shop   # shown\nport: 8080\nmodules: [cart, search]\n"
    );
    assert_eq!(scene.read("ws/api.toml"), "workers = 8 # one per core\n");
    assert_eq!(scene.read("ws/conf/new.yaml"), "a: 1\n");
    assert!(!scene.path("ws/old.json").exists());
}

/// CS-15, CS-16, CS-17: a changeset stops at the operation that fails, names it, and nothing is written.
#[test]
fn a_failing_changeset_shows_the_operation_and_the_file() {
    let scene = Scene::new(SHOP);
    let before = scene.tree();
    insta::assert_snapshot!(scene.run("apply failing.changeset.yaml").text());
    assert_eq!(scene.tree(), before);
}

/// FA-40, FA-41, X-4: an action that fails is reported, the others are written.
#[test]
fn fix_actions_that_fit_are_written_and_the_others_are_reported() {
    let scene = Scene::new(SHOP);
    insta::assert_snapshot!(scene.run("apply half.fix-actions.json").text());
    assert!(scene.read("ws/app.yaml").contains("port: 1\n"));
    assert_eq!(scene.read("ws/api.toml"), "workers = 4 # one per core\n");
}

/// values are shown only when they are asked for.
#[test]
fn values_are_shown_on_request_only() {
    let scene = Scene::new(SHOP);
    let hidden = scene.run("validate half.fix-actions.json --format json").json();
    let shown = scene.run("validate half.fix-actions.json --format json --show-values").json();
    assert_eq!(shown["failed"][0]["expected"], "equals 99");
    assert_eq!(shown["failed"][0]["found"], "4");
    let hidden = hidden["failed"][0]["found"].as_str().unwrap();
    assert!(hidden.starts_with("integer#") || hidden.starts_with("number#"), "{hidden}");
}

#[test]
fn a_document_that_breaks_its_contract_shows_every_problem_in_its_place() {
    insta::assert_snapshot!(Scene::new(SHOP).run("apply bad.changeset.yaml").text());
}

#[test]
fn a_document_of_no_known_kind_is_told_what_was_expected() {
    let scene = Scene::new("//- odd.json\n{\"hello\": 1}\n//- broken.json\n{\"fix_actions\": [}\n");
    let odd = scene.run("validate odd.json").text();
    let broken = scene.run("validate broken.json").text();
    insta::assert_snapshot!(odd + &broken);
}

/// CS-65: a changeset may name the state of the workspace it was made for, and the report tells the present one.
#[test]
fn a_changeset_for_another_state_of_the_workspace_is_refused() {
    let scene = Scene::new(SHOP);
    let op = "{type: set_value, file_uid: 'path:api.toml', json_pointer: /workers, value: 8}";
    let patch = |base: &str| format!("changeset_uid: x\nbase: {base}\nops:\n  - {op}\n");
    let ran =
        scene.run_with("apply - --format json", &[], &patch(&format!("blake3:{}", "0".repeat(64))));
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(ran.json()["diagnostics"][0]["rule_id"], "SEM_CHANGESET_STALE");
    let present = ran.json()["workspace_hash"].as_str().unwrap().to_owned();
    assert_eq!(scene.run_with("apply -", &[], &patch(&present)).code, 0);
    assert_eq!(scene.run_with("apply -", &[], &patch(&present)).code, 1);
}

/// CS-66: the report ends with what a second look at the written files found.
#[test]
fn apply_looks_at_the_result_again() {
    let scene = Scene::new(SHOP);
    let report = scene.run("apply good.changeset.yaml --format json").json();
    assert_eq!(report["recheck"], serde_json::json!({"ok": true, "checked": 4, "findings": []}));
    scene.write(
        "odd.yaml",
        "changeset_uid: odd\nops:\n  - {type: add_file, file_uid: odd, path: odd.json, content: '{no json'}\n",
    );
    let ran = scene.run("apply odd.yaml");
    assert_eq!(
        ran.code,
        0,
        "what a check would say of the result is reported, not counted: {}",
        ran.text()
    );
    assert!(ran.stdout.contains("odd.json cannot be parsed"), "{}", ran.text());
}

#[test]
fn what_is_asked_for_and_already_so_makes_no_transaction() {
    let scene = Scene::new(SHOP);
    scene.write(
        "same.yaml",
        "changeset_uid: same\nops:\n  - {type: set_value, file_uid: 'path:api.toml', json_pointer: /workers, value: 4}\n",
    );
    let before = scene.tree();
    let ran = scene.run("apply same.yaml");
    insta::assert_snapshot!(ran.text());
    assert_eq!(scene.tree(), before);
}

/// FA-10: JSON and YAML are one thing, also on standard input, where there is no name to tell them apart.
#[test]
fn a_patch_may_come_from_standard_input() {
    let scene = Scene::new(SHOP);
    let ran = scene.run_with("validate -", &[], &scene.read("good.changeset.yaml"));
    assert_eq!(ran.code, 0, "{}", ran.text());
    let ran = scene.run_with("apply - --format json", &[], &scene.read("half.fix-actions.json"));
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(ran.json()["kind"], "fix-actions");
    assert!(ran.stdout.contains("<stdin>"), "{}", ran.text());
}

/// A link inside the workspace is edited at its target, stays a link, and the report names the target.
#[test]
fn a_link_is_edited_at_its_target() {
    let scene = Scene::new(SHOP);
    std::os::unix::fs::symlink("api.toml", scene.path("ws/link.toml")).unwrap();
    std::fs::create_dir(scene.path("ws/deep")).unwrap();
    std::os::unix::fs::symlink("../ws", scene.path("ws/deep/up")).unwrap_or_default();
    let op = "{type: set_value, file_uid: 'path:link.toml', json_pointer: /workers, value: 6}";
    scene.write("link.yaml", &format!("changeset_uid: link\nops:\n  - {op}\n"));
    let ran = scene.run("apply link.yaml --format json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(ran.json()["applied"][0]["file"], "api.toml");
    assert_eq!(scene.read("ws/api.toml"), "workers = 6 # one per core\n");
    assert!(scene.path("ws/link.toml").is_symlink());
}

#[test]
fn a_folder_that_is_a_link_is_passed_through_if_it_stays_inside() {
    let scene = Scene::new("//- ws/real/a.yaml\nn: 1\n//- secret/a.yaml\nn: 1\n");
    std::os::unix::fs::symlink("real", scene.path("ws/in")).unwrap();
    std::os::unix::fs::symlink("../secret", scene.path("ws/out")).unwrap();
    let patch = |file: &str| {
        format!(
            "changeset_uid: x\nops:\n  - {{type: set_value, file_uid: 'path:{file}', json_pointer: /n, value: 2}}\n"
        )
    };
    let ran = scene.run_with("apply - --format json", &[], &patch("in/a.yaml"));
    assert_eq!(ran.json()["applied"][0]["file"], "real/a.yaml", "{}", ran.text());
    assert_eq!(scene.read("ws/real/a.yaml"), "n: 2\n");
    let ran = scene.run_with("apply - --format json", &[], &patch("out/a.yaml"));
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(scene.read("secret/a.yaml"), "n: 1\n");
}

/// The root is the nearest folder with a `regreen.toml`, else the top of the git repository, else here.
#[test]
fn the_root_is_found_from_where_the_user_stands() {
    let scene = Scene::new(SHOP);
    scene.write("ws/regreen.toml", "");
    scene.write("ws/deep/er/x", "");
    let mut command = scene.command("validate ../../../good.changeset.yaml --root .", &[]);
    let from_here = command.current_dir(scene.path("ws/deep/er")).output().unwrap();
    assert_eq!(from_here.status.code(), Some(1));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_regreen"));
    let found = command
        .args(["validate", "../../../good.changeset.yaml"])
        .current_dir(scene.path("ws/deep/er"));
    assert_eq!(found.output().unwrap().status.code(), Some(0));
}
