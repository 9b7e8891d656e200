//! Documents that want to hurt: nothing panics, everything is bounded, and what is wrong is said.

use document::{Format, Limits};
use edit::Text;
use patch::Patch;
use proptest::prelude::*;
use snapshot::{FileIndex, Snapshot};

use super::support::{self, file, path};

fn read(bytes: &[u8], format: Format) -> Result<Patch, patch::PatchRejection> {
    patch::read("p", &Text::new(bytes), format, None, &Limits::DEFAULT)
}

fn one_file(text: &str) -> Snapshot {
    Snapshot::new([(path("f.json"), file(text))].into_iter().collect()).unwrap()
}

#[test]
fn deep_nesting_is_refused() {
    for deep in ["[".repeat(100_000), "{\"a\":".repeat(100_000)] {
        assert!(read(deep.as_bytes(), Format::Json).is_err());
        assert!(read(deep.as_bytes(), Format::Yaml).is_err());
    }
    // A value that is fine by itself may be too deep where it goes; that is a refusal, not a crash.
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let before = one_file(&format!("{{\"a\": {}}}", deep(200)));
    let pointer = format!("/a{}", "/0".repeat(199));
    let text = format!(
        r#"{{"changeset_uid": "u", "ops": [{{"type": "insert_into_array", "file_uid": "path:f.json", "json_pointer": "{pointer}", "index": 0, "value": {}}}]}}"#,
        deep(200)
    );
    let simulation =
        support::simulate(&support::read(&text).unwrap(), &before, &FileIndex::default());
    assert_eq!(simulation.failed[0].code, patch::OpFailureCode::RefusedByDocument);
}

#[test]
fn aliases_that_expand_without_end_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let uses = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{uses}]\n");
    }
    assert!(read(bomb.as_bytes(), Format::Yaml).is_err());
}

#[test]
fn a_document_that_is_wrong_everywhere_is_told_so_in_bounded_space() {
    let ops = vec!["7"; 100_000].join(",");
    let rejection =
        support::read(&format!(r#"{{"changeset_uid": "u", "ops": [{ops}]}}"#)).unwrap_err();
    assert_eq!(rejection.diagnostics.len(), 101);
    assert_eq!(rejection.diagnostics[100].message, "99900 more problem(s) are not listed");
}

#[test]
fn long_names_are_cut() {
    let long = "n".repeat(1 << 20);
    let rejection =
        support::read(&format!(r#"{{"changeset_uid": "u", "ops": [], "{long}": 1}}"#)).unwrap_err();
    assert!(rejection.diagnostics[0].message.len() < 400);
    let rejection =
        support::read(&format!(r#"{{"changeset_uid": "u", "ops": [{{"type": "rename_file", "file_uid": "u", "new_path": "../{long}"}}]}}"#)).unwrap_err();
    assert!(rejection.diagnostics[0].message.len() < 400 && rejection.failed[0].file.len() < 400);
    let before = one_file("{}");
    let text = format!(
        r#"{{"changeset_uid": "u", "ops": [{{"type": "delete_value", "file_uid": "{long}", "json_pointer": "/a"}}]}}"#
    );
    let simulation =
        support::simulate(&support::read(&text).unwrap(), &before, &FileIndex::default());
    assert!(simulation.diagnostics.iter().all(|it| it.message.len() < 500));
}

/// 10^5 operations on one file are one parse and one lowering.
#[test]
fn a_hundred_thousand_operations_take_one_batch() {
    let op = |nth: usize| {
        format!(
            r#"{{"type": "set_value", "file_uid": "path:f.json", "json_pointer": "/k{nth}", "value": {nth}}}"#
        )
    };
    let ops: Vec<String> = (0..100_000).map(op).collect();
    let patch =
        support::read(&format!(r#"{{"changeset_uid": "u", "ops": [{}]}}"#, ops.join(","))).unwrap();
    let before = one_file("{}\n");
    let simulation =
        patch::simulate(&patch, &before, &FileIndex::default(), &patch::Options::DEFAULT);
    assert!(simulation.ok);
    assert_eq!(simulation.applied.len(), 100_000);
    assert!(before.apply(&simulation.change).is_ok());
}

/// Many writes to one place are as many conflicts less one, and no more work than that.
#[test]
fn thousands_of_conflicts_are_all_reported() {
    let op =
        r#"{"type": "set_value", "file_uid": "path:f.json", "json_pointer": "/k", "value": 1}"#;
    let ops = vec![op; 20_000].join(",");
    let patch = support::read(&format!(r#"{{"changeset_uid": "u", "ops": [{ops}]}}"#)).unwrap();
    let options = patch::Options::DEFAULT;
    let simulation = patch::simulate(&patch, &one_file("{}\n"), &FileIndex::default(), &options);
    assert_eq!((simulation.applied.len(), simulation.failed.len()), (1, 19_999));
}

/// Many actions that all fail are as many failures, and no more work than that.
#[test]
fn thousands_of_failing_actions_are_all_reported() {
    let action = |nth: usize| {
        format!(
            r#"{{"id": "a{nth}", "title": "t", "severity": "info", "targets": [{{"diagnostic_id": "d"}}],
                "ops": [{{"op": "remove_key", "file": "f.json", "json_pointer": "", "key": "k{nth}"}}]}}"#
        )
    };
    let actions: Vec<String> = (0..20_000).map(action).collect();
    let text = format!(
        r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{}]}}"#,
        actions.join(",")
    );
    let patch = support::read(&text).unwrap();
    let before = one_file("{}\n");
    let simulation =
        patch::simulate(&patch, &before, &FileIndex::default(), &patch::Options::DEFAULT);
    assert_eq!(simulation.failed.len(), 20_000);
    assert!(simulation.change.is_empty());
}

proptest! {
    #![proptest_config(support::config(300))]
    /// Any bytes in either format: a patch or a rejection with at least one error.
    #[test]
    fn nothing_panics_on_any_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        tokens in proptest::collection::vec(prop_oneof![
            Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\"ops\""), Just("\"changeset_uid\""),
            Just("\"fix_actions\""), Just("\"op\""), Just("\"changes\""), Just("\"regreen_edits\""), Just("1"), Just("\n"), Just("- "), Just("null"),
            Just("\"diagnostics\""), Just("\"fix_hint\""), Just("\"files\"")
        ], 0..40),
    ) {
        let text = tokens.concat();
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            for format in [Format::Json, Format::Yaml, Format::Toml] {
                if let Err(rejection) = read(bytes, format) {
                    prop_assert!(!rejection.diagnostics.is_empty());
                }
            }
        }
    }
}
