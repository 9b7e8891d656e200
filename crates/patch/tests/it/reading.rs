//! From text to a patch: both formats, all kinds, and every problem with its place.

use document::{Format, Limits};
use edit::Text;
use patch::{Patch, PatchKind};

use super::support;

#[track_caller]
fn problems(text: &str) -> Vec<String> {
    let rejection = support::read(text).unwrap_err();
    let show = |it: &check::Diagnostic| {
        let line = it.location.map(|at| at.start_line).unwrap_or_default();
        format!("{} {} line {line}", it.rule_id, it.json_pointer.as_deref().unwrap_or("-"))
    };
    rejection.diagnostics.iter().map(show).collect()
}

/// CS-45: one reading names every problem, in the order of the document.
#[test]
fn all_problems_are_named_with_their_places() {
    let text = r#"{
  "pack_version": 1,
  "workspace_root": ".",
  "fix_actions": [
    {"id": "a", "title": "", "severity": "error", "targets": [{"file": "f"}], "ops": [
      {"op": "replace_value", "file": "../f", "json_pointer": "/a", "value": 1}
    ]}
  ],
  "more": true
}"#;
    assert_eq!(
        problems(text),
        [
            "SCHEMA_FIX_ACTION_TYPE /pack_version line 2",
            "SCHEMA_FIX_ACTION_UNKNOWN_MEMBER /more line 9",
            "SCHEMA_FIX_ACTION_FORMAT /fix_actions/0/title line 5",
            "SCHEMA_FIX_ACTION_REQUIRED /fix_actions/0/targets/0 line 5",
            "SCHEMA_FIX_ACTION_REQUIRED /fix_actions/0/targets/0 line 5",
            "SEM_FIX_ACTION_OUTSIDE_ROOT /fix_actions/0/ops/0/file line 6",
        ]
    );
}

/// A given kind wins over the members, and is then held to its contract.
#[test]
fn the_kind_can_be_insisted_on() {
    let text = Text::new(br#"{"changeset_uid": "u", "ops": []}"#.to_vec());
    let read = |kind| patch::read("p", &text, Format::Json, kind, &Limits::DEFAULT);
    assert_eq!(read(None).unwrap().kind(), PatchKind::Changeset);
    assert_eq!(read(Some(PatchKind::FixActions)).unwrap_err().kind, Some(PatchKind::FixActions));
    for kind in [PatchKind::FixActions, PatchKind::Changeset, PatchKind::Edits] {
        assert_eq!(PatchKind::from_name(kind.name()), Some(kind));
    }
}

/// FA-10, X-36: YAML is read to the same structure as JSON, or not at all.
#[test]
fn yaml_reads_as_the_same_document() {
    let yaml = "changeset_uid: u\nops:\n- type: set_value\n  file_uid: f\n  json_pointer: /a\n  value: {k: [1, 2.50, text]}\n";
    let json = r#"{"changeset_uid": "u", "ops": [{"type": "set_value", "file_uid": "f", "json_pointer": "/a", "value": {"k": [1, 2.50, "text"]}}]}"#;
    let read = |text: &str, format| {
        patch::read("p", &Text::new(text.as_bytes()), format, None, &Limits::DEFAULT)
    };
    let (Ok(Patch::Changeset(from_yaml)), Ok(Patch::Changeset(from_json))) =
        (read(yaml, Format::Yaml), read(json, Format::Json))
    else {
        panic!("both are changesets");
    };
    assert_eq!(from_yaml.render(), from_json.render());
    let infinite = yaml.replace("2.50", ".inf");
    let rejection = read(&infinite, Format::Yaml).unwrap_err();
    assert_eq!(rejection.diagnostics[0].rule_id, "SCHEMA_CHANGESET_NOT_JSON");
    assert!(read("a = 1", Format::Toml).is_err());
}
