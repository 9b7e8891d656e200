//! Paths that must not be touched (CS-59, X-11): whoever loads the files says which and why, and an operation on one of
//! them fails with that code and that reason (AE-4: never by reading a message).

use edit::ContentHash;
use patch::{OpFailureCode, Options, Refused, RefusedPaths, Simulation};
use snapshot::{FileIndex, Snapshot};

use super::support::{self, file, path};

const REASON: &str = "the loader said so";

fn before() -> Snapshot {
    let entries =
        [(path("free.json"), file("{\"n\": 1}\n")), (path("held.json"), file("{\"n\": 1}\n"))];
    Snapshot::new(entries.into_iter().collect()).unwrap()
}

fn run(text: &str) -> Simulation {
    let refused = |code| Refused { code, reason: REASON.to_owned() };
    let refused = RefusedPaths::from([
        (path("held.json"), refused(OpFailureCode::Protected)),
        (path("out/x.json"), refused(OpFailureCode::OutsideRoot)),
    ]);
    let options = Options { document_name: "p.json", refused: &refused, ..Options::DEFAULT };
    let text = text.replace("$H", &ContentHash::of(b"{\"n\": 1}\n").to_string());
    let patch = support::read(&text).unwrap_or_else(|it| panic!("{:?}", it.diagnostics));
    patch::simulate(&patch, &before(), &FileIndex::default(), &options)
}

#[track_caller]
fn check(text: &str, code: OpFailureCode) {
    let simulation = run(text);
    let failed: Vec<OpFailureCode> = simulation.failed.iter().map(|it| it.code).collect();
    assert_eq!(failed, [code], "{text}");
    assert!(simulation.change.is_empty(), "{text}");
    let diagnostic = simulation.diagnostics.iter().find(|it| it.severity == check::Severity::Error);
    let diagnostic = diagnostic.unwrap();
    assert!(diagnostic.rule_id.ends_with(&code.name().to_ascii_uppercase()), "{diagnostic:?}");
    if code != OpFailureCode::FileExists {
        assert!(diagnostic.message.contains(REASON), "{}", diagnostic.message);
        assert!(diagnostic.message.ends_with(code.advice()), "{}", diagnostic.message);
    }
}

fn changeset(op: &str) -> String {
    format!(r#"{{"changeset_uid": "u", "ops": [{{{op}}}]}}"#)
}

fn edits(rest: &str) -> String {
    let files = if rest.contains("\"files\"") { "" } else { "\"files\": [], " };
    format!(r#"{{"regreen_edits": 1, {files}{rest}}}"#)
}

#[test]
fn changesets_do_not_touch_what_is_refused() {
    for (file, code) in
        [("held.json", OpFailureCode::Protected), ("out/x.json", OpFailureCode::OutsideRoot)]
    {
        for rest in [
            r#""type": "set_value", "json_pointer": "/n", "value": 2"#,
            r#""type": "delete_file""#,
            r#""type": "rename_file", "new_path": "new.json""#,
        ] {
            check(&changeset(&format!(r#""file_uid": "path:{file}", {rest}"#)), code);
        }
    }
    let add = |path: &str| {
        changeset(&format!(
            r#""type": "add_file", "file_uid": "u", "path": "{path}", "content": """#
        ))
    };
    let rename = |to: &str| {
        changeset(&format!(
            r#""type": "rename_file", "file_uid": "path:free.json", "new_path": "{to}""#
        ))
    };
    for (to, code) in
        [("held.json", OpFailureCode::FileExists), ("out/x.json", OpFailureCode::OutsideRoot)]
    {
        check(&add(to), code);
        check(&rename(to), code);
    }
}

#[test]
fn fix_actions_and_dialects_do_not_touch_what_is_refused() {
    for (file, code) in
        [("held.json", OpFailureCode::Protected), ("out/x.json", OpFailureCode::OutsideRoot)]
    {
        let op =
            format!(r#""op": "replace_value", "file": "{file}", "json_pointer": "/n", "value": 2"#);
        let action = format!(
            r#"{{"id": "A", "title": "t", "severity": "error", "ops": [{{{op}}}],
                "targets": [{{"file": "{file}", "json_pointer": "/n", "rule_id": "R"}}]}}"#
        );
        check(
            &format!(
                r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{action}]}}"#
            ),
            code,
        );
        let flat = format!(
            r#"{{"op": "add", "file": "{file}", "json_pointer": "/m", "value": 2, "reason_rule_id": "R"}}"#
        );
        check(&format!(r#"{{"fix_actions": [{flat}]}}"#), code);
    }
}

#[test]
fn edits_documents_do_not_touch_what_is_refused() {
    for (file, code) in
        [("held.json", OpFailureCode::Protected), ("out/x.json", OpFailureCode::OutsideRoot)]
    {
        check(
            &edits(&format!(
                r#""files": [{{"path": "{file}", "base": "$H", "edits": [{{"start": 0, "end": 0, "text": " "}}]}}]"#
            )),
            code,
        );
        check(&edits(&format!(r#""deletes": [{{"path": "{file}", "base": "$H"}}]"#)), code);
        check(
            &edits(&format!(r#""renames": [{{"path": "{file}", "to": "new", "base": "$H"}}]"#)),
            code,
        );
    }
    for (to, code) in
        [("held.json", OpFailureCode::FileExists), ("out/x.json", OpFailureCode::OutsideRoot)]
    {
        check(&edits(&format!(r#""adds": [{{"path": "{to}", "text": ""}}]"#)), code);
        check(
            &edits(&format!(r#""renames": [{{"path": "free.json", "to": "{to}", "base": "$H"}}]"#)),
            code,
        );
    }
}

#[test]
fn other_paths_are_touched_as_ever() {
    let set =
        r#""type": "set_value", "file_uid": "path:free.json", "json_pointer": "/n", "value": 2"#;
    let simulation = run(&changeset(set));
    assert!(simulation.ok, "{:?}", simulation.diagnostics);
    assert_eq!(simulation.change.edits().len(), 1);
}

#[test]
fn an_operation_that_asks_for_what_is_there_is_applied_and_changes_nothing() {
    let set =
        r#""type": "set_value", "file_uid": "path:free.json", "json_pointer": "/n", "value": 1"#;
    let edit = r#""files": [{"path": "free.json", "base": "$H", "edits": [{"start": 6, "end": 7, "text": "1"}]}]"#;
    for text in [changeset(set), edits(edit)] {
        let simulation = run(&text);
        assert!(simulation.ok && simulation.applied.len() == 1, "{:?}", simulation.diagnostics);
        assert!(simulation.change.is_empty(), "{text}");
    }
}

/// A finding that is about no file names the document.
#[test]
fn what_is_wrong_with_the_whole_document_names_the_document() {
    let other = r#"{"changeset_uid": "u", "target_workspace_uid": "elsewhere", "ops": []}"#;
    let set = r#""type": "set_value", "file_uid": "nobody", "json_pointer": "/n", "value": 1"#;
    for text in [other.to_owned(), changeset(set)] {
        let diagnostics = run(&text).diagnostics;
        assert_eq!(
            (diagnostics[0].file.as_str(), &diagnostics[0].json_pointer),
            ("p.json", &None),
            "{text}"
        );
    }
}
