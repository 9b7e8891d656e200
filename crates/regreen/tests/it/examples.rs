//! The shipped example does what the README says, and leaves the checked-in files alone.

use std::fs;
use std::path::Path;

use super::support::Scene;

/// A copy of the example beside an empty workspace.
fn storefront() -> Scene {
    let scene = Scene::new("");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
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
