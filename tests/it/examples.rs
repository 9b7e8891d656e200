//! The shipped example does what the README says, and leaves the checked-in files alone.

use std::fs;
use std::path::Path;

use super::support::Scene;

/// A copy of the example beside an empty workspace.
fn storefront() -> Scene {
    let scene = Scene::new("");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut folders = vec![examples.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".regreen") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&examples).unwrap().to_str().unwrap();
                scene.write(name, &fs::read_to_string(&path).unwrap());
            }
        }
    }
    scene
}

#[test]
fn the_changeset_shows_a_real_before_and_after_and_writes_nothing() {
    let scene = storefront();
    let before = scene.tree();
    let ran = scene.run("apply storefront.changeset.yaml --root storefront --diff");
    assert_eq!(ran.code, 0, "{}", ran.text());
    insta::assert_snapshot!(ran.stdout);
    assert_eq!(scene.tree(), before);
}

#[test]
fn the_changeset_applies_and_can_be_taken_back() {
    let scene = storefront();
    let contents = |scene: &Scene| {
        scene.read("storefront/app/manifest.yaml") + &scene.read("storefront/services/api.toml")
    };
    let before = contents(&scene);
    let ran = scene.run("apply storefront.changeset.yaml --root storefront");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(scene.path("storefront/services/payments.toml").exists());
    assert_ne!(contents(&scene), before);
    assert_eq!(scene.run("undo --root storefront").code, 0);
    assert_eq!(contents(&scene), before);
    assert!(!scene.path("storefront/services/payments.toml").exists());
}

/// One of the fix actions is stale on purpose: it is refused, and the others are written.
#[test]
fn the_fix_actions_show_what_a_refusal_looks_like() {
    let scene = storefront();
    let ran = scene.run("apply storefront.fix-actions.json --root storefront");
    insta::assert_snapshot!(ran.text());
    // The numbers of the changeset then fit no longer, and it says which operation.
    let ran = scene.run("validate storefront.changeset.yaml --root storefront --format json");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert_eq!(ran.json()["failed"][0]["code"], "pointer_missing");
}

/// The README shows a finding in the example workspace, word for word.
#[test]
fn check_prints_what_the_readme_shows() {
    let scene = storefront();
    let ran = scene.run("check --root app-workspace");
    assert_eq!(ran.code, 1, "{}", ran.text());
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let shown = readme.split("```\n").find(|it| it.starts_with("error[app/SCHEMA_TYPE]")).unwrap();
    for finding in shown.split("\n\n") {
        assert!(ran.stdout.contains(finding.trim_end()), "not printed any more:\n{finding}");
    }
}

/// RS-17: `fix` repairs seven places, waits for a person with three, and undo gives every byte back.
#[test]
fn the_example_workspace_is_fixed_as_far_as_a_machine_may() {
    let scene = storefront();
    let contents = |scene: &Scene| {
        let files = ["app.lock.json", "app/app-core.yaml", "config/production.toml"];
        files.map(|it| scene.read(&format!("app-workspace/{it}")))
    };
    let before = contents(&scene);
    let fixed = scene.run("fix --format json --root app-workspace");
    assert_eq!(fixed.code, 1, "{}", fixed.text());
    let report: serde_json::Value = serde_json::from_str(&fixed.stdout).unwrap();
    assert_eq!(report["summary"]["applied"], 7);
    let rejected = report["rejected"].as_array().unwrap();
    assert!(rejected.iter().all(|it| it["reason"] == "needs_approval"), "{rejected:?}");
    assert_eq!(rejected.len(), 3);
    assert_ne!(contents(&scene), before);
    assert_eq!(scene.run("undo --root app-workspace").code, 0);
    assert_eq!(contents(&scene), before);
}

/// The shipped Clank programs are right, canonical, and run.
#[test]
fn the_clank_examples_are_green_and_run() {
    let scene = storefront();
    let ran = scene.run("check --strict --root clank --format json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    for program in ["lights.clank", "words.clank", "inventory/main.clank"] {
        let ran = scene.run_with(&format!("run clank/{program} --root clank"), &[], "a b a\n");
        assert_eq!(ran.code, 0, "{program}: {}", ran.text());
        assert!(!ran.stdout.is_empty(), "{program}");
    }
}
