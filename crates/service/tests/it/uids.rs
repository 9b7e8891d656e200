//! Changesets that name files by the uid that stands in them (X-10).

use protocol::v1;

use super::setting::Setting;

const NOTES: &str = r#"
//- regreen.toml
[[pack]]
path = "packs/app"
//- packs/app/pack.yaml
name: app
pack_version: "1"
description: Notes
kinds:
  - kind: note
    files: ["notes/*.yaml"]
    uid: /uid
rules: []
//- notes/a.yaml
uid: note_a
title: A
//- notes/b.yaml
uid: note_b
title: B
"#;

fn apply(setting: &Setting, op: &str) -> Result<service::PatchReply, service::Failure> {
    let patch = v1::PatchInput {
        name: "change.yaml".to_owned(),
        bytes: format!("changeset_uid: x\nops:\n  - {op}\n").into_bytes(),
        kind: None,
        file: None,
    };
    let request = v1::RunPatch { patch, show_values: false, with_diffs: false };
    service::apply(&setting.session(), &request)
}

#[test]
fn a_file_is_found_by_the_uid_that_a_pack_declares() {
    let setting = Setting::new(NOTES);
    let set = "{type: set_value, file_uid: note_b, json_pointer: /title, value: C}";
    let reply = apply(&setting, set).unwrap();
    assert!(reply.report.ok, "{:?}", reply.report);
    assert_eq!(setting.read("notes/b.yaml"), "uid: note_b\ntitle: C\n");
    let rename = "{type: rename_file, file_uid: note_b, new_path: notes/c.yaml}";
    assert!(apply(&setting, rename).unwrap().report.ok);
    assert_eq!(setting.read("notes/c.yaml"), "uid: note_b\ntitle: C\n");
    // What stands in the file is not in the index.
    assert!(!setting.path(".regreen/files.json").exists());
    assert!(apply(&setting, set).unwrap().report.ok, "it is found at its new path");
}

#[test]
fn two_files_with_one_uid_are_both_named() {
    let setting = Setting::new(NOTES);
    setting.write("notes/c.yaml", "uid: note_b\n");
    let set = "{type: set_value, file_uid: note_b, json_pointer: /title, value: C}";
    let failure = apply(&setting, set).unwrap_err();
    assert_eq!(failure.code(), "duplicate_uid");
    let text = failure.to_string();
    assert!(text.contains("notes/b.yaml") && text.contains("notes/c.yaml"), "{text}");
    // A changeset that is about another file is not in the way.
    assert!(apply(&setting, &set.replace("note_b", "note_a")).unwrap().report.ok);
}

#[test]
fn a_uid_that_no_file_has_is_refused_as_before() {
    let setting = Setting::new(NOTES);
    let set = "{type: set_value, file_uid: note_z, json_pointer: /title, value: C}";
    let report = apply(&setting, set).unwrap().report;
    assert_eq!(report.failed[0].code, "uid_unknown");
}
