//! Formats of exchange: samples of real tools, and texts that nobody should trust.

use linters::formats::{self, Exchange, Options};
use linters::positions::PositionUnit;
use linters::{Garbled, Texts, ToolReport};
use serde_json::json;

use super::support::{path, shown, tree};

fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/samples");
    std::fs::read(format!("{folder}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(name: &str) -> String {
    String::from_utf8(sample(name)).unwrap()
}

/// A text in a format that must be recognised as such, about a file.
fn read(format: Exchange, bytes: &[u8], file: (&str, &str)) -> Result<String, Garbled> {
    let snapshot = tree(&[file]);
    assert_eq!(formats::recognise(bytes), Some(format));
    let report = formats::read(format, bytes, &Texts::new(&snapshot, "/ws"), &Options::default())?;
    Ok(shown(&report, &snapshot))
}

#[test]
fn sarif_of_ruff_counts_code_points_without_saying_so() {
    let found = read(Exchange::Sarif, &sample("ruff.sarif"), ("input.py", &text("ruff.py.txt")));
    insta::assert_snapshot!(found.unwrap());
}

#[test]
fn sarif_of_typos_says_what_it_counts() {
    let found = read(Exchange::Sarif, &sample("typos.sarif"), ("input.txt", &text("typos.txt")));
    insta::assert_snapshot!(found.unwrap());
}

/// Its content is the whole line and its region only the match: applied as it is, the line would start twice.
#[test]
fn sarif_of_semgrep_has_wrong_fixes() {
    let found =
        read(Exchange::Sarif, &sample("semgrep.sarif"), ("input.py", &text("semgrep.py.txt")));
    insta::assert_snapshot!(found.unwrap());
}

#[test]
fn rdjson_of_biome_counts_code_points() {
    let found = read(Exchange::Rdjson, &sample("biome.rdjson"), ("input.js", &text("biome.js")));
    insta::assert_snapshot!(found.unwrap());
}

#[test]
fn yaml_of_an_old_clang_tidy() {
    let found = read(
        Exchange::ClangReplacements,
        &sample("clang-tidy.yaml"),
        ("input.cpp", &text("clang-tidy.cpp")),
    );
    insta::assert_snapshot!(found.unwrap());
}

#[test]
fn diff_of_shellcheck() {
    let found = read(
        Exchange::UnifiedDiff,
        &sample("shellcheck.diff"),
        ("input.sh", &text("shellcheck.sh")),
    );
    insta::assert_snapshot!(found.unwrap());
}

#[test]
fn json_of_an_old_shellcheck() {
    let snapshot = tree(&[("input.sh", &text("shellcheck.sh"))]);
    let output = linters::ToolOutput::printed(1, sample("shellcheck-0.9.json"));
    let shellcheck = linters::adapter("shellcheck").unwrap();
    let report = shellcheck.parse(&output, &Texts::new(&snapshot, "/ws")).unwrap();
    insta::assert_snapshot!(shown(&report, &snapshot));
}

#[test]
fn code_actions_of_a_server() {
    let all: serde_json::Value = serde_json::from_slice(&sample("ruff-server.json")).unwrap();
    let found = read(
        Exchange::WorkspaceEdit,
        &serde_json::to_vec(&all["codeActions"]["result"]).unwrap(),
        ("input.py", &text("ruff.py.txt")),
    );
    insta::assert_snapshot!(found.unwrap());
}

fn sarif(run: serde_json::Value) -> Vec<u8> {
    json!({"version": "2.1.0", "runs": [run]}).to_string().into_bytes()
}

fn sarif_fix(region: serde_json::Value, content: &str, uri: &str) -> serde_json::Value {
    json!({"tool": {"driver": {"name": "mine"}}, "results": [{
        "ruleId": "R1", "message": {"text": "m"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1}}}],
        "fixes": [{"artifactChanges": [{"artifactLocation": {"uri": uri}, "replacements": [
            {"deletedRegion": region, "insertedContent": {"text": content}}]}]}],
    }]})
}

fn reasons(report: &ToolReport) -> Vec<&str> {
    report.dropped.iter().map(|it| it.reason.as_str()).collect()
}

#[test]
fn sarif_that_does_not_fit_is_dropped_with_its_reason() {
    let snapshot = tree(&[("a.txt", "\u{1f600}ab cd ef\nx\n")]);
    let texts = Texts::new(&snapshot, "/ws");
    let check = |region: serde_json::Value, content: &str, uri: &str, expected: &str| {
        let log = sarif(sarif_fix(region.clone(), content, uri));
        let report = formats::read(Exchange::Sarif, &log, &texts, &Options::default()).unwrap();
        assert_eq!(report.findings.len(), 1, "{region}");
        if expected.is_empty() {
            assert_eq!((reasons(&report), report.findings[0].fixes.len()), (vec![], 1), "{region}");
        } else {
            assert_eq!(
                (reasons(&report), report.findings[0].fixes.len()),
                (vec![expected], 0),
                "{region}"
            );
        }
    };
    let region = |line: u64, from: u64, to: u64| json!({"startLine": line, "startColumn": from, "endColumn": to});
    check(region(2, 1, 2), "y", "a.txt", "");
    check(
        region(1, 3, 4),
        "y",
        "a.txt",
        "the tool does not say what its columns count, and it makes a difference here",
    );
    check(json!({"byteOffset": 4, "byteLength": 2}), "y", "a.txt", "");
    check(
        json!({"byteOffset": 1, "byteLength": 2}),
        "y",
        "a.txt",
        "the position is inside a character",
    );
    check(json!({"byteOffset": 99}), "y", "a.txt", "offset 99 is not in the file");
    check(json!({}), "y", "a.txt", "the range ends before it starts");
    check(
        json!({"byteOffset": 4, "byteLength": 2, "snippet": {"text": "zz"}}),
        "y",
        "a.txt",
        "expected `zz` at the position, found `ab`",
    );
    check(region(2, 1, 2), "y", "../a.txt", "`../a.txt` is not inside the root");
    check(
        region(2, 1, 2),
        "y",
        "file:///etc/passwd",
        "`file:///etc/passwd` is not inside the root",
    );
    check(
        region(2, 1, 2),
        "y",
        "https://example.com/a.txt",
        "`https://example.com/a.txt` is not inside the root",
    );
    check(region(2, 1, 2), "y", "%2e%2e/a.txt", "`%2e%2e/a.txt` is not inside the root");
    check(region(2, 1, 2), "y", "b.txt", "b.txt is not a file of the tree");
    check(
        json!({"byteOffset": 7, "byteLength": 2}),
        "\u{1f600}ab CD ef",
        "a.txt",
        "the content repeats what surrounds its region",
    );
    check(region(2, 1, 2), "x", "a.txt", "the fix changes nothing");
}

#[test]
fn whoever_says_what_columns_count_is_believed() {
    let snapshot = tree(&[("a.txt", "\u{1f600}ab\n")]);
    let texts = Texts::new(&snapshot, "/ws");
    let run = sarif_fix(json!({"startLine": 1, "startColumn": 2, "endColumn": 3}), "y", "a.txt");
    let replaced = |run: &serde_json::Value, options: Options| {
        let report = formats::read(Exchange::Sarif, &sarif(run.clone()), &texts, &options).unwrap();
        let fix = report.findings[0].fixes.first().cloned();
        fix.map(|it| it.edits[&path("a.txt")].edits()[0].start)
    };
    let mut points = run.clone();
    points["columnKind"] = "unicodeCodePoints".into();
    let mut utf16 = run.clone();
    utf16["columnKind"] = "utf16CodeUnits".into();
    assert_eq!(replaced(&run, Options::default()), None);
    assert_eq!(replaced(&points, Options::default()), Some(4));
    assert_eq!(replaced(&utf16, Options::default()), None);
    assert_eq!(
        replaced(&run, Options { unit: Some(PositionUnit::CodePoint), safety: None }),
        Some(4)
    );
}

#[test]
fn edits_of_a_workspace_keep_their_order_and_fit_or_are_refused() {
    let snapshot = tree(&[("a.txt", "ab\r\ncd\n")]);
    let texts = Texts::new(&snapshot, "/ws");
    let edit = |line: u64, from: u64, to: u64, text: &str| json!({"range": {"start": {"line": line, "character": from}, "end": {"line": line, "character": to}}, "newText": text});
    let read = |value: serde_json::Value| {
        formats::read(
            Exchange::WorkspaceEdit,
            value.to_string().as_bytes(),
            &texts,
            &Options::default(),
        )
        .unwrap()
    };
    let report = read(
        json!({"changes": {"file:///ws/a.txt": [edit(1, 1, 1, "1"), edit(1, 1, 2, "D"), edit(1, 1, 1, "2")]}}),
    );
    let set = &report.findings[0].fixes[0].edits[&path("a.txt")];
    let result = set.apply(&edit::Text::new("ab\r\ncd\n")).unwrap();
    assert_eq!(result, edit::Text::new("ab\r\nc12D\n"));
    let report = read(json!({"documentChanges": [
        {"textDocument": {"uri": "file:///ws/a.txt", "version": null}, "edits": [edit(0, 0, 1, "x")]},
        {"kind": "delete", "uri": "file:///ws/b.txt"},
    ]}));
    assert_eq!(reasons(&report), ["b.txt is not a file of the tree"]);
    let report = read(
        json!({"changes": {"file:///ws/a.txt": [edit(0, 0, 1, "x")], "file:///etc/passwd": [edit(0, 0, 1, "x")]}}),
    );
    assert_eq!(reasons(&report), ["`file:///etc/passwd` is not inside the root"]);
    let report = read(json!({"changes": {"file:///etc/passwd": [edit(0, 0, 1, "x")]}}));
    assert_eq!((report.findings.len(), report.n_elsewhere), (0, 1));
}

#[test]
fn a_hunk_stands_where_it_says_or_nowhere() {
    let snapshot = tree(&[("a b.txt", "one\ntwo\r\nthree")]);
    let texts = Texts::new(&snapshot, "/ws");
    let read = |diff: &str| {
        formats::read(Exchange::UnifiedDiff, diff.as_bytes(), &texts, &Options::default())
    };
    let result = |diff: &str| {
        let report = read(diff).unwrap();
        let Some(fix) = report.findings.first().and_then(|it| it.fixes.first()) else {
            return report
                .dropped
                .first()
                .map(|it| &it.reason)
                .or(report.lost.first().map(|it| &it.reason))
                .cloned()
                .unwrap_or_default();
        };
        let text = snapshot.file(&path("a b.txt")).unwrap().text();
        let made = fix.edits[&path("a b.txt")].apply(&text).unwrap();
        String::from_utf8(made.bytes().to_vec()).unwrap()
    };
    let head = "--- a/a b.txt\t2026-01-01\n+++ b/a b.txt\n";
    assert_eq!(result(&format!("{head}@@ -2 +2 @@\n-two\r\n+TWO\r\n")), "one\nTWO\r\nthree");
    assert_eq!(result(&format!("{head}@@ -2 +2 @@\n-two\n+TWO\n")), "expected `two`, found `two`");
    assert_eq!(
        result(&format!("{head}@@ -1 +1 @@\n-two\r\n+TWO\r\n")),
        "expected `two`, found `one`"
    );
    assert_eq!(
        result(&format!("{head}@@ -9 +9 @@\n-two\n+TWO\n")),
        "line 9 is not in the file, which has 3"
    );
    assert_eq!(
        result(&format!(
            "{head}@@ -3 +3 @@\n-three\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n"
        )),
        "one\ntwo\r\n3"
    );
    assert_eq!(result(&format!("{head}@@ -0,0 +1 @@\n+zero\n")), "zero\none\ntwo\r\nthree");
    assert_eq!(result(&format!("{head}@@ -1,0 +2,2 @@\n+a\n+b\n")), "one\na\nb\ntwo\r\nthree");
    assert_eq!(
        result("--- \"a/a\\040b.txt\"\n+++ \"b/a b.txt\"\n@@ -1 +1 @@\n-one\n+1\n"),
        "1\ntwo\r\nthree"
    );
    let report = read("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n").unwrap();
    let added = linters::FileOp::Add { path: path("new"), text: "x\n".to_owned() };
    assert_eq!(report.findings[0].fixes[0].files, [added]);
    assert_eq!(
        result("--- /dev/null\n+++ b/a b.txt\n@@ -0,0 +1 @@\n+x\n"),
        "a b.txt already exists"
    );
    assert_eq!(
        result("--- a/a b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"),
        "a b.txt does not hold what the diff deletes"
    );
    assert_eq!(
        result("--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n"),
        "`../../x` is not a file of the tree"
    );
    assert!(read(&format!("{head}@@ -1,5 +1,5 @@\n-one\n")).is_err());
    assert!(read(&format!("{head}@@ -x +y @@\n")).is_err());
    assert!(read("@@ -1 +1 @@\n-a\n+b\n").is_err());
    assert!(read("hello\n").is_err());
    assert!(read(&format!("{head}@@ -1,18446744073709551615 +1 @@\n-one\n")).is_err());
}

#[test]
fn plain_replacements_are_one_fix_and_equal_ones_are_one() {
    let snapshot = tree(&[("a.c", "abcdef")]);
    let texts = Texts::new(&snapshot, "/ws");
    let item = "  - FilePath: /ws/a.c\n    Offset: 2\n    Length: 0\n    ReplacementText: X\n";
    let yaml = format!("---\nMainSourceFile: ''\nReplacements:\n{item}{item}...\n");
    let report =
        formats::read(Exchange::ClangReplacements, yaml.as_bytes(), &texts, &Options::default())
            .unwrap();
    let set = &report.findings[0].fixes[0].edits[&path("a.c")];
    assert_eq!(set.apply(&edit::Text::new("abcdef")).unwrap(), edit::Text::new("abXcdef"));
    let bad = yaml.replace("Offset: 2", "Offset: -2");
    let report =
        formats::read(Exchange::ClangReplacements, bad.as_bytes(), &texts, &Options::default())
            .unwrap();
    assert_eq!(reasons(&report), ["offset -2 is not in the file"]);
}

#[test]
fn what_is_in_no_format_is_refused_with_what_was_expected() {
    let snapshot = tree(&[]);
    let texts = Texts::new(&snapshot, "/ws");
    for bytes in [
        &b""[..],
        b"{",
        b"[]",
        b"null",
        b"{\"runs\": 7}",
        b"\xff\xfe",
        b"- a\n",
        b"Diagnostics: 7\n",
    ] {
        for format in [Exchange::Sarif, Exchange::WorkspaceEdit, Exchange::ClangReplacements] {
            let result = formats::read(format, bytes, &texts, &Options::default());
            if let Ok(report) = result {
                assert!(report.findings.is_empty(), "{format:?} {bytes:?}");
            }
        }
    }
    let error =
        formats::read(Exchange::Sarif, b"{\"runs\": 7}", &texts, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "expected an array `runs`, found a number");
    let error = formats::read(Exchange::Sarif, b"oops", &texts, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected JSON, found `oops` (expected value at line 1 column 1)"
    );
    for format in Exchange::ALL {
        assert_eq!(Exchange::from_name(format.name()), Some(format));
    }
}
