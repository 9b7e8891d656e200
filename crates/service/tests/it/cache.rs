//! The user's cache: a second process says what the first one said, and what one without a cache says.

use std::fs;

use protocol::v1;
use service::{CheckReply, SessionAccess};

use super::setting::Setting;

/// A pack with a schema and rules across files; one file of no kind, one with a fault of its own, one that names what is
/// not there.
const MODULES: &str = r#"
//- regreen.toml
[[pack]]
path = "pack"
//- pack/pack.yaml
name: app
pack_version: '1'
kinds:
  - {kind: module, files: 'modules/*', has: /name, schema: module.json}
rules:
  - {id: SEM_NAME, rule: unique, places: {in: module, at: /name}, about: Names.}
  - {id: SEM_USES, rule: reference, from: {in: module, at: /uses/*}, to: {in: module, at: /name}, about: Uses.}
//- pack/module.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- modules/a.yaml
name: a
uses: [b]
//- modules/b.yaml
name: b
uses: [sees]
//- modules/c.json
{"name": "seas", "port": "80"}
//- modules/d.toml
name = "d"
uses = ["a", "b"]
//- modules/plain.yaml
nothing: here
"#;

fn setting() -> Setting {
    Setting::new(MODULES)
}

fn request() -> v1::Check {
    v1::Check { strict: true, with_diffs: true, ..v1::Check::default() }
}

/// All that a reply says.
fn said(reply: &CheckReply) -> String {
    format!("{reply:#?}")
}

fn outcome(setting: &Setting) -> String {
    match setting.try_check(&request()) {
        Ok(reply) => said(&reply),
        Err(failure) => failure.to_string(),
    }
}

/// What a check says of the same files where regreen has never been.
fn said_elsewhere(setting: &Setting) -> String {
    let copy = Setting::new("");
    for (path, (bytes, _)) in setting.state() {
        let short = path.strip_prefix(setting.root()).unwrap();
        if path.is_file() {
            copy.write(short.to_str().unwrap(), std::str::from_utf8(&bytes).unwrap());
        }
    }
    let (before, outcome) = (copy.state(), outcome(&copy));
    assert_eq!(copy.state(), before, "AE-26: a check leaves no trace in the tree");
    outcome
}

/// AE-26, X-7: bytes and order are the same with and without; and nothing is written if nothing changed.
#[test]
fn a_second_process_says_the_same_and_writes_nothing() {
    let setting = setting();
    let first = said(&setting.check(&request()));
    assert_eq!(first, said_elsewhere(&setting));
    let written = || fs::metadata(setting.cache_file()).unwrap().modified().unwrap();
    let (state, cache) = (setting.state(), written());
    assert_eq!(said(&setting.check(&request())), first);
    // A look that was not found again would have been written down.
    assert_eq!((setting.state(), written()), (state, cache));
    assert_eq!(setting.check(&request()).report.summary.error, 2);
}

#[test]
fn every_change_of_files_packs_and_configuration_is_seen() {
    let setting = setting();
    let changes = [
        ("modules/a.yaml", "name: b\n"),
        ("modules/a.yaml", "name: a\nuses: [b, missing]\n"),
        ("modules/c.json", "{\"name\": \"sees\", \"port\": 80}\n"),
        ("modules/plain.yaml", "name: plain\nport: '1'\n"),
        ("modules/plain.yaml", "name: plain\n# regreen: ignore SCHEMA_TYPE\nport: '1'\n"),
        ("pack/module.json", "{\"required\": [\"port\"]}"),
        ("regreen.toml", "[[pack]]\npath = \"pack\"\n[rules]\nSEM_USES = \"off\"\n"),
        ("regreen.toml", "[workspace]\nmax_file_size = 10\n[[pack]]\npath = \"pack\"\n"),
        ("regreen.toml", "[[pack]]\npath = \"pack\"\n"),
    ];
    setting.check(&request());
    for (path, text) in changes {
        setting.write(path, text);
        let elsewhere = said_elsewhere(&setting);
        assert_eq!(outcome(&setting), elsewhere, "{path}: {text}");
        assert_eq!(outcome(&setting), elsewhere, "{path}: {text}, again");
    }
}

#[test]
fn a_damaged_cache_is_no_cache() {
    let setting = setting();
    let first = said(&setting.check(&request()));
    let cache = setting.cache_file();
    let whole = fs::read(&cache).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&cache, &damaged).unwrap();
        assert_eq!(said(&setting.check(&request())), first, "byte {at}");
        assert_eq!(fs::read(&cache).unwrap(), whole, "it is written anew");
    }
    fs::write(&cache, b"").unwrap();
    assert_eq!(said(&setting.check(&request())), first);
    // It cannot be written: nobody minds.
    fs::remove_file(&cache).unwrap();
    fs::create_dir_all(cache.join("in the way")).unwrap();
    assert_eq!(said(&setting.check(&request())), first);
    fs::remove_dir_all(setting.cache_folder()).unwrap();
    assert_eq!(said(&setting.check(&request())), first);
    assert_eq!(fs::read(&cache).unwrap(), whole);
}

#[test]
fn what_is_gone_from_the_tree_is_gone_from_the_cache() {
    let setting = setting();
    setting.check(&request());
    let size = || fs::metadata(setting.cache_file()).unwrap().len();
    let full = size();
    fs::remove_file(setting.path("modules/d.toml")).unwrap();
    setting.check(&request());
    assert!(size() < full);
    // Old contents are forgotten, so that it does not grow with every edit.
    for n in 0..5 {
        setting.write("modules/d.toml", &format!("name = \"d\"\nuses = [\"a\", \"b\"] # {n}\n"));
        setting.check(&request());
        assert_eq!(size(), full);
    }
}

/// Contents that stand in for those on disk are not what the next process will find; a build keeps and reads nothing.
#[test]
fn nothing_is_written_for_an_overlay_or_by_a_build() {
    let setting = setting();
    let mut overlaid = request();
    overlaid.look.overlay.insert("modules/a.yaml".to_owned(), b"name: b\n".to_vec());
    let fresh = said(&setting.check(&overlaid));
    assert!(!setting.cache_folder().exists());
    let build = || {
        let session = setting.session_to(SessionAccess::Build);
        said(&service::check(&session, &request(), &mut |_| {}).unwrap())
    };
    let bare = build();
    assert!(!setting.cache_folder().exists());
    assert_eq!(said(&setting.check(&request())), bare);
    let cache = fs::read(setting.cache_file()).unwrap();
    assert_eq!(said(&setting.check(&overlaid)), fresh);
    assert_eq!(build(), bare);
    setting.write("modules/d.toml", "name = \"e\"\n");
    build();
    assert_eq!(fs::read(setting.cache_file()).unwrap(), cache);
}

#[test]
fn repairs_are_the_same_with_a_warm_cache() {
    let (cold, warm) = (Setting::new(MODULES), setting());
    warm.check(&request());
    let request = v1::Fix {
        look: v1::LookRequest {
            safety: Some(v1::Safety::BehaviorChanging),
            ..v1::LookRequest::default()
        },
        with_diffs: true,
        ..v1::Fix::default()
    };
    let (without, with) = (cold.fix(&request), warm.fix(&request));
    assert!(!with.report.applied.is_empty());
    assert_eq!(format!("{with:#?}"), format!("{without:#?}"));
    assert_eq!(said(&warm.check(&self::request())), said_elsewhere(&warm));
}
