//! Documents of other tools, given to `validate`, `apply` and `convert`: what fits is applied, the rest is named.

use super::red::RED;
use super::support::Scene;

const FILES: &str = "//- ws/a.txt\nh\u{e9}\u{1f600} teh end\nsecond line\n//- ws/old.txt\nold\n//- ws/c.json\n{\"a\": [1, 2], \"b\": 1} // kept\n";
const TEXT: &str = "h\u{e9}\u{1f600} teh end\nsecond line\n";

fn sarif(kind: &str, uri: &str, region: &str, text: &str) -> String {
    format!(
        r#"{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "t"}}}}{kind}, "results": [{{"ruleId": "R", "message": {{"text": "m"}},
        "fixes": [{{"artifactChanges": [{{"artifactLocation": {{"uri": "{uri}"}}, "replacements": [
        {{"deletedRegion": {{{region}}}, "insertedContent": {{"text": "{text}"}}}}]}}]}}]}}]}}]}}"#
    )
}

/// One document, what becomes of `a.txt`, and the exit code.
#[track_caller]
fn check(name: &str, document: &str, expected: &str, code: i32, says: &str) {
    let scene = Scene::new(FILES);
    scene.write("document", document);
    let ran = scene.run("apply document");
    assert_eq!(scene.read("ws/a.txt"), expected, "{name}: {}", ran.text());
    assert_eq!(ran.code, code, "{name}: {}", ran.text());
    assert!(ran.text().contains(says), "{name}: {}", ran.text());
    if expected != TEXT {
        assert_eq!(scene.run("undo").code, 0, "{name}");
        assert_eq!(scene.read("ws/a.txt"), TEXT, "{name}: undo");
    }
    assert_eq!(scene.read("ws/old.txt"), "old\n", "{name}");
}

#[test]
fn every_format_is_recognised_and_applied() {
    let fixed = TEXT.replace("teh", "the");
    let points = r#", "columnKind": "unicodeCodePoints""#;
    let at = r#""startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 8"#;
    check("sarif", &sarif(points, "a.txt", at, "the"), &fixed, 0, "Applied.");
    let rdjson = r#"{"message": "m", "location": {"path": "a.txt"}, "suggestions": [{"range": {"start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 12}}, "text": "the"}]}"#;
    check("rdjsonl", rdjson, &fixed, 0, "Applied.");
    check(
        "rdjson",
        &format!(r#"{{"source": {{"name": "t"}}, "diagnostics": [{rdjson}]}}"#),
        &fixed,
        0,
        "Applied.",
    );
    let edit = r#"{"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 8}}, "newText": "the"}"#;
    check("changes", &format!(r#"{{"changes": {{"a.txt": [{edit}]}}}}"#), &fixed, 0, "Applied.");
    let clang = "---\nMainSourceFile: a.txt\nReplacements:\n  - FilePath: a.txt\n    Offset: 8\n    Length: 3\n    ReplacementText: the\n...\n";
    check("clang", clang, &fixed, 0, "Applied.");
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-h\u{e9}\u{1f600} teh end\n+h\u{e9}\u{1f600} the end\n second line\n";
    check("diff", diff, &fixed, 0, "Applied.");
}

/// What does not fit leaves the tree as it was.
#[test]
fn hostile_documents_change_nothing() {
    let at = r#""startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 8"#;
    let points = r#", "columnKind": "unicodeCodePoints""#;
    check(
        "no unit",
        &sarif("", "a.txt", at, "the"),
        TEXT,
        1,
        "does not say what its columns count",
    );
    check("outside", &sarif(points, "../a.txt", at, "the"), TEXT, 1, "not inside the root");
    check(
        "absolute",
        &sarif(points, "file:///etc/passwd", at, "the"),
        TEXT,
        1,
        "not inside the root",
    );
    check(
        "missing",
        &sarif(points, "b.txt", at, "the"),
        TEXT,
        1,
        "b.txt is not a file of the tree",
    );
    let far = r#""startLine": 9, "startColumn": 1, "endLine": 9, "endColumn": 2"#;
    check("no line", &sarif(points, "a.txt", far, "x"), TEXT, 1, "line 9 is not in the file");
    let inside = r#""byteOffset": 2, "byteLength": 1"#;
    check("inside", &sarif(points, "a.txt", inside, "x"), TEXT, 1, "inside a character");
    let askew = r#""startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 12"#;
    check(
        "askew",
        &sarif(points, "a.txt", askew, "second lines"),
        TEXT,
        1,
        "repeats what surrounds",
    );
    let other = format!(r#"{at}, "snippet": {{"text": "foo"}}"#);
    check("snippet", &sarif(points, "a.txt", &other, "the"), TEXT, 1, "expected `foo`");
    check("truncated", r#"{"version": "2.1.0", "runs": [{"#, TEXT, 1, "not valid JSON");
    let deep = format!(r#"{{"runs": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    check("deep", &deep, TEXT, 1, "Nothing was written.");
    check("two kinds", r#"{"runs": [], "changes": {}}"#, TEXT, 1, "cannot tell the kind");
    check("own and other", r#"{"runs": [], "regreen_edits": 1}"#, TEXT, 1, "Nothing was written.");
    let stale =
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-other\n+x\n@@ -2 +2 @@\n-second line\n+y\n";
    check("a diff is whole", stale, TEXT, 1, "expected `other`");
    let binary = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\nGIT binary patch\nliteral 1\n";
    check("binary", binary, TEXT, 1, "binary changes are not read");
    let out =
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n";
    check("a new file outside", out, TEXT, 1, "not inside the root");
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n";
    check("a link", link, TEXT, 1, "links are not read");
}

/// A fix that does not fit takes no other with it, and one that is there ten times is made once.
#[test]
fn fixes_are_taken_one_by_one() {
    let item = |start: u32, end: u32, text: &str| {
        format!(
            "  - DiagnosticName: c\n    DiagnosticMessage:\n      Message: m{start}\n      FilePath: a.txt\n      FileOffset: {start}\n      Replacements:\n        - FilePath: a.txt\n          Offset: {start}\n          Length: {}\n          ReplacementText: {text}\n",
            end - start
        )
    };
    let head = "---\nMainSourceFile: a.txt\nDiagnostics:\n";
    let fixed = TEXT.replace("teh", "the");
    check("ten times", &format!("{head}{}", item(8, 11, "the").repeat(10)), &fixed, 0, "Applied.");
    let clash = format!("{head}{}{}", item(8, 11, "the"), item(9, 14, "x"));
    check("clash", &clash, &fixed, 1, "the edits overlap with fix 1");
    let misfit = format!("{head}{}{}", item(8, 11, "the"), item(900, 901, "x"));
    check("misfit", &misfit, &fixed, 1, "offset 900 is not in the file");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let scene = Scene::new(FILES);
    scene.write("outside.txt", "teh\n");
    std::os::unix::fs::symlink("../outside.txt", scene.path("ws/link.txt")).unwrap();
    let range = r#"{"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}"#;
    scene.write(
        "document",
        &format!(r#"{{"changes": {{"link.txt": [{{"range": {range}, "newText": "the"}}]}}}}"#),
    );
    let ran = scene.run("apply document");
    assert_eq!((ran.code, scene.read("outside.txt").as_str()), (1, "teh\n"), "{}", ran.text());
}

#[test]
fn files_come_go_and_move() {
    let git = "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n\
        diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\
        diff --git a/a.txt b/b.txt\nsimilarity index 90%\nrename from a.txt\nrename to b.txt\n--- a/a.txt\n+++ b/b.txt\n@@ -2 +2 @@\n-second line\n+2\n";
    let range = r#"{"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 11}}"#;
    let start = r#"{"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}"#;
    let lsp = format!(
        r#"{{"documentChanges": [{{"kind": "create", "uri": "new.txt"}},
        {{"textDocument": {{"uri": "new.txt", "version": null}}, "edits": [{{"range": {start}, "newText": "new"}}]}},
        {{"kind": "delete", "uri": "old.txt"}}, {{"kind": "rename", "oldUri": "a.txt", "newUri": "b.txt"}},
        {{"textDocument": {{"uri": "b.txt", "version": null}}, "edits": [{{"range": {range}, "newText": "2"}}]}}]}}"#
    );
    for document in [git, &lsp] {
        let scene = Scene::new(FILES);
        scene.write("document", document);
        let ran = scene.run("apply document");
        assert_eq!(ran.code, 0, "{}", ran.text());
        assert_eq!(scene.read("ws/new.txt"), "new");
        assert_eq!(scene.read("ws/b.txt"), TEXT.replace("second line", "2"));
        assert!(!scene.path("ws/old.txt").exists() && !scene.path("ws/a.txt").exists());
        assert_eq!(scene.run("undo").code, 0);
        assert_eq!(
            (scene.read("ws/a.txt").as_str(), scene.read("ws/old.txt").as_str()),
            (TEXT, "old\n")
        );
    }
}

#[test]
fn a_json_patch_needs_its_file_and_is_all_or_nothing() {
    let scene = Scene::new(FILES);
    let before = scene.read("ws/c.json");
    scene.write("p.json", r#"[{"op": "test", "path": "/b", "value": 1}, {"op": "add", "path": "/a/1", "value": 9}, {"op": "move", "from": "/b", "path": "/c"}]"#);
    assert_eq!(scene.run("apply p.json").code, 1);
    assert_eq!(scene.run("apply p.json --file ../c.json").code, 1);
    assert_eq!(scene.read("ws/c.json"), before);
    let ran = scene.run("apply p.json --file c.json");
    assert_eq!(
        (ran.code, scene.read("ws/c.json").as_str()),
        (0, "{\"a\": [1, 9, 2], \"c\": 1} // kept\n"),
        "{}",
        ran.text()
    );
    // Now `/b` is gone, so that the test fails and nothing is done.
    assert_eq!(scene.run("apply p.json --file c.json").code, 1);
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/c.json"), before);
}

/// What `check` says, `apply` makes, and that is what `fix` makes.
#[test]
fn repairs_of_a_report_do_what_fix_does() {
    let (scene, other) = (Scene::new(RED), Scene::new(RED));
    scene.run("check --format json --output report");
    let ran = scene.run("apply report");
    other.run("fix");
    for file in ["ws/api.yaml", "ws/web.json"] {
        assert_eq!(scene.read(file), other.read(file), "{}", ran.text());
    }
}

#[test]
fn a_document_is_converted_into_each_format_and_back() {
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-second line\n+2\n";
    for to in ["sarif", "rdjson", "edits", "diff"] {
        let scene = Scene::new(FILES);
        scene.write("d.diff", diff);
        let ran = scene.run(&format!("convert d.diff --to {to} --output there"));
        assert_eq!(ran.code, 0, "{to}: {}", ran.text());
        assert_eq!(scene.run("apply there").code, 0, "{to}: {}", scene.read("there"));
        assert_eq!(scene.read("ws/a.txt"), TEXT.replace("second line", "2"), "{to}");
    }
    let scene = Scene::new(FILES);
    scene.write("d.diff", diff);
    let said = |to: &str| scene.run(&format!("convert d.diff --to {to}")).stdout;
    assert_eq!(said("suggestions"), "`a.txt` line 2:\n\n```suggestion\n2\n```\n");
    assert!(said("github").starts_with("::notice file=a.txt,line=2,col=1,"), "{}", said("github"));
}
