//! `regreen pack`: a pack to start from, its cases, and packs that lie elsewhere.

use std::fs;

use super::support::Scene;

/// what `pack new` writes is a pack whose cases are as they say; `undo` takes it back.
#[test]
fn a_new_pack_is_green_and_finds_something() {
    let scene = Scene::new("//- ws/README.md\nx\n");
    let dry = scene.run("pack new ws/packs/app --dry-run");
    assert_eq!(dry.code, 0, "{}", dry.text());
    assert!(!scene.path("ws/packs").exists());
    let new = scene.run("pack new ws/packs/app");
    assert_eq!(new.code, 0, "{}", new.text());
    let tested = scene.run("pack test ws/packs/app");
    assert_eq!(tested.code, 0, "{}", tested.text());
    assert!(tested.stdout.contains("4 cases as expected"), "{}", tested.text());
    assert_eq!(scene.run("pack new ws/packs/app").code, 2, "it is there");
    scene.write("ws/regreen.toml", "[[pack]]\npath = \"packs/app\"\n");
    scene.write("ws/services/a.yaml", "name: a\nowner: shpo\n");
    scene.write("ws/teams/shop.yaml", "name: shop\n");
    let found = scene.run("check");
    assert!(found.stdout.contains("app/SEM_APP_OWNER_KNOWN"), "{}", found.text());
    assert_eq!(scene.run("pack test --format json").json()["cases"], 4);
    fs::remove_file(scene.path("ws/regreen.toml")).unwrap();
    assert_eq!(scene.run("pack test").code, 2, "no pack is named");
    assert_eq!(scene.run("undo").code, 0);
    assert!(!scene.path("ws/packs/app/pack.yaml").exists());
}

/// a case that came out otherwise is shown, and `--bless` writes it; one that cannot be run is never blessed.
#[test]
fn a_case_that_is_wrong_is_named() {
    let scene = Scene::new("//- ws/README.md\nx\n");
    assert_eq!(scene.run("pack new ws/p").code, 0);
    let case = "ws/p/fixtures/SEM_P_OWNER_KNOWN/fix/typo.txt";
    let text = scene.read(case);
    scene.write(case, &text.replace("Change `shpo`", "Change `shp`"));
    let wrong = scene.run("pack test ws/p");
    assert_eq!(wrong.code, 1, "{}", wrong.text());
    assert!(wrong.stdout.contains("typo.txt: the result differs"), "{}", wrong.text());
    assert!(wrong.stdout.contains("Change `shpo` to `shop`"), "{}", wrong.text());
    assert_eq!(scene.run("pack test ws/p --bless").code, 0);
    assert_eq!(scene.read(case), text);
    for (path, text, said) in [
        (
            "keep/wrong.txt",
            "//- services/a.yaml\nname: a\nowner: nobody\n",
            "must not have findings",
        ),
        ("fix/none.txt", "//- services/a.yaml\nname: a\nowner: nobody\n", "must have a repair"),
        ("refuse/none.txt", "//- teams/a.yaml\nname: a\n", "must have a finding"),
        (
            "elsewhere/a.txt",
            "//- teams/a.yaml\nname: a\n",
            "it is in none of the folders keep, fix, refuse",
        ),
        ("keep/bad.txt", "//- a loud\n", "means nothing"),
    ] {
        let path = format!("ws/p/fixtures/SEM_P_OWNER_KNOWN/{path}");
        scene.write(&path, text);
        let ran = scene.run("pack test ws/p");
        assert_eq!(ran.code, 1, "{path}");
        assert!(ran.stdout.contains(said), "{said}: {}", ran.text());
        fs::remove_file(scene.path(&path)).unwrap();
    }
    scene.write("ws/p/pack.yaml", "name: p\n");
    let broken = scene.run("pack test ws/p");
    assert_eq!(broken.code, 3, "{}", broken.text());
}

/// `!` and `where` tell kinds apart.
#[test]
fn kinds_are_told_apart_by_value() {
    let scene = Scene::new("//- ws/regreen.toml\n[[pack]]\npath = \"p\"\n");
    scene.write(
        "ws/p/pack.yaml",
        "name: p\npack_version: '1'\nkinds:\n  - {kind: a, files: ['*.yaml', '!old.yaml'], where: {/kind: A, /v: [1, 2]}, schema: schemas/a.json}\n",
    );
    scene.write("ws/p/schemas/a.json", "{\"required\": [\"name\"]}");
    for (file, text) in [
        ("one.yaml", "kind: A\nv: 1\n"),
        ("two.yaml", "kind: A\nv: 3\n"),
        ("three.yaml", "kind: B\nv: 1\n"),
        ("old.yaml", "kind: A\nv: 1\n"),
    ] {
        scene.write(&format!("ws/{file}"), text);
    }
    let found = scene.run("check");
    assert!(found.stdout.contains("one.yaml"), "{}", found.text());
    for other in ["two.yaml", "three.yaml", "old.yaml"] {
        assert!(!found.stdout.contains(other), "{}", found.text());
    }
}

/// a pack outside the workspace is read only where the user trusts it.
#[test]
fn a_pack_outside_needs_trust() {
    let scene = Scene::new(
        "//- ws/regreen.toml\n[[pack]]\npath = \"../other/rules\"\n//- ws/services/a.yaml\nname: a\nowner: nobody\n",
    );
    scene.write("other/x.md", "x");
    assert_eq!(scene.run("pack new other/rules --root other").code, 0);
    let untrusted = scene.run("check");
    assert_eq!(untrusted.code, 3, "{}", untrusted.text());
    assert!(
        untrusted.stderr.contains("the pack in ../other/rules of this repository is not trusted")
    );
    let tolerated = scene.run("check --tolerate-tools");
    assert_eq!(tolerated.code, 0, "{}", tolerated.text());
    assert!(scene.run("check --trust").stdout.contains("SEM_RULES_OWNER_KNOWN"));
    scene.trust();
    let found = scene.run("check");
    assert_eq!(found.code, 1, "{}", found.text());
    assert!(found.stdout.contains("SEM_RULES_OWNER_KNOWN"), "{}", found.text());
    scene.write("ws/regreen.toml", "[[pack]]\npath = \"../other\"\n");
    assert_eq!(scene.run("check").code, 3, "another folder asks again");
}
