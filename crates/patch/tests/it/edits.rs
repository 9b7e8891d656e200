//! The edits document: bound to hashes, all or nothing, and exact.

use patch::{OpFailureCode, Patch};
use snapshot::{FileIndex, Snapshot};

use super::support::{self, file, path};

fn before() -> Snapshot {
    let entries = [(path("a.txt"), file("one two\n")), (path("b.txt"), file("b\n"))];
    Snapshot::new(entries.into_iter().collect()).unwrap()
}

fn hash(name: &str) -> String {
    before().file(&path(name)).unwrap().hash().to_string()
}

#[track_caller]
fn check(rest: &str, expected: &[(usize, OpFailureCode)]) -> Option<Snapshot> {
    let rest = rest.replace("$A", &hash("a.txt")).replace("$B", &hash("b.txt"));
    let text = format!(r#"{{"regreen_edits": 1, {rest}}}"#);
    let patch = support::read(&text).unwrap_or_else(|it| panic!("{:?}", it.diagnostics));
    let simulation = support::simulate(&patch, &before(), &FileIndex::default());
    let failed: Vec<(usize, OpFailureCode)> =
        simulation.failed.iter().map(|it| (it.op_index, it.code)).collect();
    assert_eq!(failed, expected);
    simulation.ok.then(|| before().apply(&simulation.change).unwrap())
}

/// AE-8, AE-9: edits, adds, deletes and renames in one change.
#[test]
fn a_document_does_what_it_says() {
    let after = check(
        r#""files": [{"path": "a.txt", "base": "$A", "edits": [{"start": 0, "end": 3, "text": "1"}, {"start": 7, "end": 7, "text": "!"}]}],
           "adds": [{"path": "n/c.txt", "text": "c"}], "deletes": [{"path": "b.txt", "base": "$B"}],
           "renames": [{"path": "a.txt", "to": "b.txt", "base": "$A"}], "repairs": [], "x_note": 1"#,
        &[],
    );
    insta::assert_snapshot!(support::render(&after.unwrap(), &FileIndex::default()), @r"
    //- b.txt
    1 two!
    //- n/c.txt
    c
    ");
}

/// AE-9, AE-10, AE-11: everything that does not hold is named, and nothing is applied.
#[test]
fn what_does_not_hold_is_refused() {
    check(
        r#""files": [{"path": "a.txt", "base": "$B", "edits": []}]"#,
        &[(0, OpFailureCode::Stale)],
    );
    check(
        r#""files": [{"path": "a.txt", "base": "$A", "edits": [{"start": 5, "end": 3, "text": ""}]},
                     {"path": "c.txt", "base": "$A", "edits": []}]"#,
        &[(0, OpFailureCode::InvalidEdit), (1, OpFailureCode::FileMissing)],
    );
    check(
        r#""files": [{"path": "a.txt", "base": "$A", "edits": [{"start": 0, "end": 3, "text": ""}, {"start": 2, "end": 4, "text": "x"}]}]"#,
        &[(0, OpFailureCode::InvalidEdit)],
    );
    check(
        r#""files": [{"path": "a.txt", "base": "$A", "edits": [{"start": 0, "end": 99, "text": ""}]}]"#,
        &[(0, OpFailureCode::InvalidEdit)],
    );
    check(
        r#""files": [], "adds": [{"path": "new.txt", "text": ""}, {"path": "b.txt", "text": ""}]"#,
        &[(1, OpFailureCode::FileExists)],
    );
    check(
        r#""files": [], "adds": [{"path": "A.txt", "text": ""}]"#,
        &[(0, OpFailureCode::CaseCollision)],
    );
    check(
        r#""files": [], "adds": [{"path": "a.txt/x", "text": ""}]"#,
        &[(0, OpFailureCode::NotADirectory)],
    );
    check(
        r#""files": [], "deletes": [{"path": "b.txt", "base": "$A"}]"#,
        &[(0, OpFailureCode::Stale)],
    );
    check(
        r#""files": [], "deletes": [{"path": "b.txt", "base": "$B"}, {"path": "b.txt", "base": "$B"}]"#,
        &[(1, OpFailureCode::InvalidDocument)],
    );
    check(
        r#""files": [], "deletes": [{"path": "b.txt", "base": "$B"}], "renames": [{"path": "b.txt", "to": "c.txt", "base": "$B"}]"#,
        &[(0, OpFailureCode::InvalidDocument)],
    );
}

/// The shape is as closed as that of the other kinds, and the version is checked.
#[test]
fn the_shape_is_checked() {
    let rules = |text: &str| -> Vec<String> {
        let rejection = support::read(text).unwrap_err();
        rejection
            .diagnostics
            .into_iter()
            .map(|it| it.rule_id + " " + &it.json_pointer.unwrap_or_default())
            .collect()
    };
    assert_eq!(
        rules(r#"{"regreen_edits": 2, "files": []}"#),
        ["SCHEMA_EDITS_FORMAT /regreen_edits"]
    );
    assert_eq!(rules(r#"{"regreen_edits": 1}"#), ["SCHEMA_EDITS_REQUIRED "]);
    assert_eq!(
        rules(
            r#"{"regreen_edits": 1, "files": [{"path": "../a", "base": "x", "edits": [{"start": 4294967296, "end": "1"}]}], "more": 1}"#
        ),
        [
            "SEM_EDITS_OUTSIDE_ROOT /files/0/path",
            "SCHEMA_EDITS_FORMAT /files/0/base",
            "SCHEMA_EDITS_FORMAT /files/0/edits/0/start",
            "SCHEMA_EDITS_TYPE /files/0/edits/0/end",
            "SCHEMA_EDITS_REQUIRED /files/0/edits/0",
            "SCHEMA_EDITS_UNKNOWN_MEMBER /more",
        ]
    );
}

/// Bytes that JSON cannot hold are refused with the file's name, never approximated.
#[test]
fn bytes_that_are_no_text_are_refused() {
    let raw = snapshot::NewFile { text: edit::Text::new(vec![0xff]), mode: 0o644 };
    let adds = [(path("raw.bin"), raw)].into_iter().collect();
    let change =
        snapshot::TreeChange::new(Default::default(), adds, Default::default(), Default::default());
    let error = patch::edits::EditsDocument::from_change(&change.unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the new bytes of raw.bin are not UTF-8, which an edits document cannot hold"
    );
}

/// CS-34: uids follow renames, also when two files swap their paths.
#[test]
fn uids_follow_a_swap() {
    let index = FileIndex::parse(r#"{"files": {"a": "a.txt", "b": "b.txt"}}"#).unwrap();
    let text = format!(
        r#"{{"regreen_edits": 1, "files": [], "renames": [{{"path": "a.txt", "to": "b.txt", "base": "{}"}}, {{"path": "b.txt", "to": "a.txt", "base": "{}"}}]}}"#,
        hash("a.txt"),
        hash("b.txt")
    );
    let patch = support::read(&text).unwrap();
    assert!(matches!(patch, Patch::Edits(_)));
    let simulation = support::simulate(&patch, &before(), &index);
    assert!(simulation.ok);
    assert_eq!(simulation.index.path_of("a"), Some(path("b.txt")));
    assert_eq!(simulation.index.path_of("b"), Some(path("a.txt")));
}
