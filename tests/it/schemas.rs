//! `regreen schemas`: a catalogue from a folder and from a server on this machine, the lock, and what a hostile one may do.

#[cfg(feature = "https")]
#[path = "schemas/served.rs"]
mod served;

use std::fs;
use std::os::unix::fs::symlink;

use super::support::Scene;

const STORE: &str = r#"
//- store/LICENSE
Apache License
Version 2.0, January 2004
//- store/NOTICE
Somebody wrote this.
//- store/catalog.json
{"schemas": [
  {"name": "App", "url": "https://www.schemastore.org/app.json", "fileMatch": ["app.yaml", "**/apps/*.yaml"]},
  {"name": "Far", "url": "https://example.org/far.json", "fileMatch": ["far.json"]},
  {"name": "Gone", "url": "https://example.org/gone.json", "fileMatch": ["gone.json"]}
]}
//- store/schemas/app.json
{"properties": {"port": {"$ref": "https://json.schemastore.org/base.json#/port"}}}
//- store/schemas/base.json
{"port": {"type": "integer"}}
//- store/schemas/far.json
{"type": "object", "required": ["name"]}
//- ws/app.yaml
port: "80"
//- ws/far.json
{}
"#;

/// X-95, X-96: what is taken from a folder is locked, used by `check` and `fix`, and taken back by `undo`.
#[test]
fn a_catalogue_in_a_folder_is_taken_and_locked() {
    let scene = Scene::new(STORE);
    let before = scene.run("check");
    assert_eq!(before.code, 0, "{}", before.text());
    let dry = scene.run("schemas update --from store --dry-run");
    assert_eq!(dry.code, 0, "{}", dry.text());
    assert!(dry.stdout.contains("Would lock 3 schemas"), "{}", dry.text());
    assert!(!scene.path("ws/regreen.schemas.lock").exists());
    let updated = scene.run("schemas update --from store");
    assert_eq!(updated.code, 0, "{}", updated.text());
    assert!(updated.stdout.contains("not taken: https://example.org/gone.json: it does not exist"));
    assert!(updated.stdout.contains("Locked 3 schemas: 3 new or changed, 0 gone."));
    let lock = scene.read("ws/regreen.schemas.lock");
    let again = scene.run("schemas update --from store");
    assert!(again.stdout.contains("0 new or changed"), "{}", again.text());
    assert_eq!(scene.read("ws/regreen.schemas.lock"), lock, "the same bytes give the same lock");
    let found = scene.run("check");
    assert_eq!(found.code, 1, "{}", found.text());
    assert!(found.stdout.contains("schema/SCHEMA_TYPE") && found.stdout.contains("app.yaml:1"));
    assert!(found.stdout.contains("schema/SCHEMA_REQUIRED"), "{}", found.text());
    scene.write("ws/far.json", "{\"name\": \"x\"}\n");
    let fixed = scene.run("fix");
    assert_eq!(fixed.code, 0, "{}", fixed.text());
    assert_eq!(scene.read("ws/app.yaml"), "port: 80\n");
    let listed = scene.run("schemas list --format json").json();
    assert_eq!(listed["ok"], true);
    assert_eq!(listed["schemas"].as_array().unwrap().len(), 3);
    assert_eq!(listed["schemas"][1]["licence"], "Apache-2.0");
}

/// X-96: without the bytes, a file is not checked, and the command is named that takes exactly what is locked.
#[test]
fn an_absent_schema_is_unchecked_and_taken_as_locked() {
    let scene = Scene::new(STORE);
    assert_eq!(scene.run("schemas update --from store").code, 0);
    fs::remove_dir_all(scene.path("home/.cache/regreen/schemas")).unwrap();
    let absent = scene.run("check");
    assert_eq!(absent.code, 0, "{}", absent.text());
    assert!(absent.stdout.contains("absent_schema: 2"), "{}", absent.text());
    assert!(absent.stdout.contains("regreen schemas update --locked"), "{}", absent.text());
    assert_eq!(scene.run("check --deny-unchecked").code, 1);
    assert_eq!(scene.run("schemas list").code, 1);
    // The lock names a server that is not the public one: that is a stranger's word.
    let untrusted = scene.run("schemas update --locked");
    assert_eq!(untrusted.code, 1, "{}", untrusted.text());
    assert!(untrusted.stderr.contains("regreen trust"), "{}", untrusted.text());
    let lock = scene.read("ws/regreen.schemas.lock");
    let taken = scene.run("schemas update --locked --from store");
    assert_eq!(taken.code, 0, "{}", taken.text());
    assert_eq!(scene.read("ws/regreen.schemas.lock"), lock);
    assert_eq!(scene.run("check").code, 1);
    // Other bytes than those that are locked are not taken.
    fs::remove_dir_all(scene.path("home/.cache/regreen/schemas")).unwrap();
    scene.write("store/schemas/far.json", "{}");
    let other = scene.run("schemas update --locked --from store");
    assert_eq!(other.code, 1, "{}", other.text());
    assert!(other.stdout.contains("other bytes than were locked"), "{}", other.text());
    // Nor are bytes in the cache that somebody changed.
    let cache = scene.path("home/.cache/regreen/schemas");
    for entry in fs::read_dir(&cache).unwrap() {
        fs::write(entry.unwrap().path(), "{}").unwrap();
    }
    assert!(scene.run("check").stdout.contains("absent_schema: 2"));
    let no_lock = Scene::new("//- ws/a.yaml\na: 1\n");
    assert_eq!(no_lock.run("schemas update --locked --from .").code, 2);
}

/// X-96: `--vendor` puts the schemas, and what their licence asks for, into the workspace; nothing else is needed then.
#[test]
fn vendored_schemas_need_no_cache() {
    let scene = Scene::new(STORE);
    let vendored = scene.run("schemas update --from store --vendor");
    assert_eq!(vendored.code, 0, "{}", vendored.text());
    assert_eq!(scene.read("ws/regreen.schemas/NOTICE"), "Somebody wrote this.\n");
    assert!(scene.read("ws/regreen.schemas.lock").contains("\"licence\": \"Apache-2.0\""));
    fs::remove_dir_all(scene.path("home/.cache")).unwrap();
    assert_eq!(scene.run("schemas list").code, 0);
    let found = scene.run("check ws/app.yaml");
    assert!(found.stdout.contains("SCHEMA_TYPE"), "{}", found.text());
    let names: Vec<String> = fs::read_dir(scene.path("ws/regreen.schemas"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    let far = names.iter().find(|it| it.starts_with("far-")).unwrap();
    scene.write(&format!("ws/regreen.schemas/{far}"), "{}");
    let changed = scene.run("check ws/far.json");
    assert!(
        changed.stdout.contains("does not have the hash in regreen.schemas.lock"),
        "{}",
        changed.text()
    );
    let undone = scene.run("undo");
    assert_ne!(undone.code, 0, "a file changed since");
    scene.write("ws/regreen.schemas.lock", "{");
    let broken = scene.run("check");
    assert_eq!(broken.code, 3, "{}", broken.text());
    assert!(broken.stderr.contains("regreen.schemas.lock"), "{}", broken.text());
}

/// X-95: `[[schema]]` maps by glob and by content; what a workspace names is fetched only if it is trusted.
#[test]
fn the_configuration_maps_files_to_schemas() {
    let scene = Scene::new(STORE);
    scene.write("ws/s/kind.json", "{\"required\": [\"name\"]}");
    scene.write("ws/conf/a.yaml", "kind: A\n");
    scene.write("ws/conf/b.yaml", "kind: B\n");
    scene.write("ws/conf/skip.yaml", "kind: A\n");
    scene.write(
        "ws/regreen.toml",
        "[[schema]]\nfiles = [\"conf/*.yaml\", \"!conf/skip.yaml\"]\npath = \"s/kind.json\"\nwhere = {\"/kind\" = \"A\"}\n\n\
         [[schema]]\nfiles = [\"app.yaml\"]\nurl = \"https://example.org/mine.json\"\n",
    );
    let found = scene.run("check");
    assert_eq!(found.code, 1, "{}", found.text());
    assert!(found.stdout.contains("conf/a.yaml") && !found.stdout.contains("conf/b.yaml"));
    assert!(!found.stdout.contains("conf/skip.yaml"), "{}", found.text());
    assert!(found.stdout.contains("remote_schema: 1"), "{}", found.text());
    scene.write("store/schemas/mine.json", "{\"required\": [\"mine\"]}");
    let untrusted = scene.run("schemas update --from store");
    assert!(untrusted.stdout.contains("mine.json: the schema address"), "{}", untrusted.text());
    scene.trust();
    let trusted = scene.run("schemas update --from store");
    assert!(!trusted.stdout.contains("mine.json"), "{}", trusted.text());
    let found = scene.run("check ws/app.yaml");
    assert!(found.stdout.contains("`mine`"), "the configuration wins: {}", found.text());
    for (bad, said) in [
        ("[[schema]]\nfiles = [\"a\"]\n", "either `path`"),
        ("[[schema]]\npath = \"a.json\"\n", "`files` is missing"),
        ("[[schema]]\nfiles = [\"/a\"]\npath = \"a.json\"\n", "relative to the root"),
        ("[[schema]]\nfiles = [\"a\"]\npath = \"../a.json\"\n", "relative to the root"),
        ("[[schema]]\nfiles = [\"a\"]\nurl = \"http://example.org/\"\n", "https address"),
        ("[[schema]]\nfiles = [\"a\"]\nurl = \"file:///etc/passwd\"\n", "https address"),
        ("[[schema]]\nfiles = [\"a\"]\npath = \"a\"\nwhere = {\"kind\" = 1}\n", "`/`"),
        ("[schemas]\ncatalog = \"x\"\n", "`catalogue`"),
    ] {
        scene.write("ws/regreen.toml", bad);
        let ran = scene.run("check");
        assert_eq!(ran.code, 3, "{bad}");
        assert!(ran.stderr.contains(said), "{bad}: {}", ran.text());
    }
}

/// X-97: names and links of a folder lead nowhere else; schemas that are bombs cost little and are named.
#[test]
fn a_hostile_folder_does_no_harm() {
    let scene = Scene::new(
        "//- ws/a.json\n{\"x\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}\n//- secret/s.json\n{\"const\": 1}\n",
    );
    let nest = |n: usize| format!("{}{}{}", "{\"allOf\": [".repeat(n), "true", "]}".repeat(n));
    let bomb = (0..30).fold(String::from("{\"$defs\": {\"d30\": true"), |text, n| {
        text + &format!(", \"d{n}\": {{\"allOf\": [{{\"$ref\": \"#/$defs/d{0}\"}}, {{\"$ref\": \"#/$defs/d{0}\"}}]}}", n + 1)
    }) + "}, \"$ref\": \"#/$defs/d0\"}";
    for (name, schema) in [
        ("regex", r#"{"properties": {"x": {"pattern": "^(a|aa|(a+)+)+$"}}}"#.to_owned()),
        ("size", r#"{"properties": {"x": {"pattern": "((a{1000}){1000}){1000}"}}}"#.to_owned()),
        ("nested", nest(90)),
        ("deep", nest(5000)),
        ("bomb", bomb),
        ("cycle", r##"{"$ref": "#"}"##.to_owned()),
        ("mutual", r#"{"$ref": "mutual.json"}"#.to_owned()),
        ("escape", r#"{"$ref": "../../secret/s.json"}"#.to_owned()),
    ] {
        let store = format!("store-{name}");
        scene.write(
            &format!("{store}/catalog.json"),
            &format!(
                r#"{{"schemas": [{{"url": "https://example.org/{name}.json", "fileMatch": ["a.json"]}},
                   {{"url": "https://example.org/../../secret/s.json"}}, {{"url": "https://example.org/link.json"}}]}}"#
            ),
        );
        scene.write(&format!("{store}/schemas/{name}.json"), &schema);
        symlink("../../secret/s.json", scene.path(&format!("{store}/schemas/link.json"))).unwrap();
        let updated = scene.run(&format!("schemas update --from {store}"));
        let text = updated.text();
        assert!([0, 3].contains(&updated.code), "{name}: {text}");
        assert!(
            !scene.path("ws/regreen.schemas.lock").exists()
                || !scene.read("ws/regreen.schemas.lock").contains("secret"),
            "{name}"
        );
        if updated.code == 0 {
            assert!(text.contains("link.json: it leads out of the folder"), "{name}: {text}");
            let found = scene.run("check");
            assert!([0, 1].contains(&found.code), "{name}: {}", found.text());
        }
    }
}
