//! `undo` and `log`.

use super::support::{SHOP, Scene};

/// Modes and contents of the workspace, without times.
fn sources(scene: &Scene) -> Vec<(String, String)> {
    let strip = |(path, text): (std::path::PathBuf, String)| {
        let mode = text.split(' ').next().unwrap_or_default().to_owned();
        let contents = text.rsplit_once(") ").map(|it| it.1.to_owned()).unwrap_or_default();
        (path.to_string_lossy().into_owned(), mode + &contents)
    };
    super::support::tree(&scene.path("ws")).into_iter().map(strip).collect()
}

#[test]
fn apply_and_undo_is_the_identity() {
    let scene = Scene::new(SHOP);
    let before = sources(&scene);
    assert_eq!(scene.run("apply good.changeset.yaml").code, 0);
    assert_ne!(sources(&scene), before);
    insta::assert_snapshot!(scene.run("undo").text());
    assert_eq!(sources(&scene), before);
}

#[test]
fn the_log_tells_what_was_done_and_undone() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    scene.run("undo");
    scene.run("apply half.fix-actions.json");
    insta::assert_snapshot!(scene.run("log").text() + &scene.run("log -v").text());
}

#[test]
fn an_undo_can_be_undone_by_its_id() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    let applied = sources(&scene);
    scene.run("undo");
    assert_eq!(scene.run("undo").code, 0);
    let ran = scene.run("undo t_000002");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(sources(&scene), applied);
}

/// `undo` refuses if a file changed since, names it, and writes nothing.
#[test]
fn undo_refuses_if_a_file_changed_since() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    scene.write("ws/api.toml", "workers = 9\n");
    let before = sources(&scene);
    insta::assert_snapshot!(scene.run("undo").text());
    let report = scene.run("undo --format json").json();
    assert_eq!(report["refused"]["code"], "changed_since");
    assert_eq!(report["refused"]["file"], "api.toml");
    assert_eq!(sources(&scene), before);
}

#[test]
fn undo_of_a_transaction_that_is_undone_or_unknown_is_refused() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    scene.run("undo");
    insta::assert_snapshot!(scene.run("undo t_000001").text() + &scene.run("undo t_000007").text());
}

#[test]
fn a_dry_run_of_undo_names_the_files_and_writes_nothing() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    let before = scene.tree();
    insta::assert_snapshot!(scene.run("undo --dry-run").text());
    assert_eq!(scene.tree(), before);
}

/// A dry run says no where the undo would, in the same words.
#[test]
fn a_dry_run_of_undo_refuses_what_undo_refuses() {
    type Damage = fn(&Scene);
    let cases: [(&str, Damage, i32); 4] = [
        ("changed since", |it| it.write("ws/app.yaml", "mine: 1\n"), 1),
        (
            "another hard link",
            |it| std::fs::hard_link(it.path("ws/app.yaml"), it.path("ws/other.yaml")).unwrap(),
            1,
        ),
        (
            "a damaged image",
            |it| std::fs::write(it.state().join("txn/t_000001/undo"), "x").unwrap(),
            3,
        ),
        (
            "a damaged journal",
            |it| std::fs::write(it.state().join("txn/t_000001/journal"), "").unwrap(),
            3,
        ),
    ];
    for (name, damage, code) in cases {
        let scene = Scene::new(SHOP);
        assert_eq!(scene.run("apply good.changeset.yaml").code, 0);
        damage(&scene);
        let before = scene.tree();
        let planned = scene.run("undo --dry-run");
        assert_eq!(planned.code, code, "{name}: {}", planned.text());
        assert_eq!(scene.tree(), before, "{name}");
        assert_eq!(planned, scene.run("undo"), "{name}");
    }
}

#[test]
fn pruning_keeps_the_newest() {
    let scene = Scene::new(SHOP);
    scene.run("apply good.changeset.yaml");
    scene.run("apply half.fix-actions.json");
    insta::assert_snapshot!(scene.run("log --prune 1").text());
    assert_eq!(scene.run("undo t_000001").code, 1);
    assert_eq!(scene.run("undo").code, 0);
}

/// Processes that write to one file at the same time wait, try again or fail clearly, and nothing is lost.
#[test]
fn concurrent_runs_lose_nothing() {
    let scene = Scene::new("//- ws/a.yaml\nstart: 0\n");
    let names: Vec<String> = (0..6).map(|n| format!("k{n}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let op = format!(
                "{{type: set_value, file_uid: 'path:a.yaml', json_pointer: /{name}, value: 1}}"
            );
            scene.write(
                &format!("{name}.yaml"),
                &format!("changeset_uid: {name}\nops:\n  - {op}\n"),
            );
            scene.command(&format!("apply {name}.yaml -q"), &[]).spawn().unwrap()
        })
        .collect();
    let codes: Vec<i32> =
        children.into_iter().map(|mut it| it.wait().unwrap().code().unwrap()).collect();
    let text = scene.read("ws/a.yaml");
    for (name, code) in names.iter().zip(&codes) {
        assert!(matches!(code, 0 | 3), "{codes:?}");
        assert_eq!(text.contains(&format!("{name}: 1\n")), *code == 0, "{codes:?}\n{text}");
    }
    assert!(codes.contains(&0));
    let n_logged = scene.run("log --format json").json()["transactions"].as_array().unwrap().len();
    assert_eq!(n_logged, codes.iter().filter(|it| **it == 0).count());
}
