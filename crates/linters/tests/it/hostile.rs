//! Output that no tool should write: it is refused with words, or what does not fit is dropped, and nothing panics.

use linters::{Garbled, Output, Texts};

use super::support::{path, read, recorded, shown, tree};

/// Every fixture cut at every eightieth of its length is refused or read without a panic.
#[test]
fn truncated_output_is_refused_or_read() {
    for name in ["ruff", "eslint", "shellcheck", "typos", "clippy", "clang-format"] {
        let mut fixture = recorded(name);
        for nth in 0..fixture.shapes.len() {
            let whole = fixture.shapes[nth].output.stdout.clone();
            let text = fixture.shapes[nth].text.clone();
            let snapshot = tree(&[(fixture.file.as_str(), text.as_str())]);
            let mut n_refused = 0;
            for part in 0..80 {
                let cut = whole.len() * part / 80;
                fixture.shapes[nth].output.stdout = whole[..cut].to_vec();
                n_refused += usize::from(read(&fixture, &fixture.shapes[nth], &snapshot).is_err());
            }
            assert!(n_refused > 40, "{name} {n_refused}");
        }
    }
}

/// Numbers that are negative, huge or swapped, and texts where others belong.
#[test]
fn numbers_that_make_no_sense_drop_the_fix_and_keep_the_finding() {
    let ruff = linters::adapter("ruff").unwrap();
    let snapshot = tree(&[("a.py", "x = 1\n😀 = 2\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let check = |edit: &str| {
        let item = format!(
            r#"[{{"filename":"a.py","code":"X1","message":"m","location":{{"row":1,"column":1}},
            "end_location":{{"row":1,"column":2}},"fix":{{"applicability":"safe","message":"f","edits":[{edit}]}}}}]"#
        );
        let report = ruff.parse(&Output::printed(1, item), &texts).unwrap();
        shown(&report, &snapshot)
    };
    let edit = |from: (i64, i64), to: (i64, i64)| {
        format!(
            r#"{{"content":"y","location":{{"row":{},"column":{}}},"end_location":{{"row":{},"column":{}}}}}"#,
            from.0, from.1, to.0, to.1
        )
    };
    insta::assert_snapshot!(
        [
            check(&edit((1, 1), (1, 2))),
            check(&edit((1, 2), (1, 1))),
            check(&edit((9, 1), (9, 2))),
            check(&edit((1, 1), (1, 99))),
            check(&edit((1, 1), (1, i64::MAX))),
            check(&edit((0, 1), (1, 1))),
            check(&edit((-1, 1), (1, 1))),
            check(&format!("{},{}", edit((1, 1), (1, 3)), edit((1, 2), (1, 4)))),
            check(&edit((1, 1), (1, 1)).replace("\"y\"", "\"\"")),
        ]
        .join("--\n")
    );
}

#[test]
fn paths_out_of_the_root_are_counted_and_not_followed() {
    let typos = linters::adapter("typos").unwrap();
    let mut entries = tree(&[("a.md", "teh\n")]).to_entries();
    entries.insert(path("link.md"), snapshot::Entry::Link { target: "/etc/passwd".to_owned() });
    let snapshot = snapshot::Snapshot::new(entries).unwrap();
    let texts = Texts::new(&snapshot, "/workspace");
    for (named, n_elsewhere) in [
        ("a.md", 0),
        ("/workspace/a.md", 0),
        ("../a.md", 1),
        ("/etc/passwd", 1),
        ("link.md", 1),
        ("missing.md", 1),
        ("/workspace/../etc/passwd", 1),
        ("file:///etc/passwd", 1),
        ("a.md/../../x", 1),
    ] {
        let line = format!(
            r#"{{"type":"typo","path":"{named}","line_num":1,"byte_offset":0,"typo":"teh","corrections":["the"]}}"#
        );
        let report = typos.parse(&Output::printed(2, line), &texts).unwrap();
        assert_eq!(report.n_elsewhere, n_elsewhere, "{named}");
        assert_eq!(report.findings.len(), 1 - n_elsewhere, "{named}");
    }
}

#[test]
fn a_flood_is_bounded() {
    let typos = linters::adapter("typos").unwrap();
    let snapshot = tree(&[("a.md", "teh\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let huge = Output::printed(2, vec![b' '; (64 << 20) + 1]);
    assert!(matches!(typos.parse(&huge, &texts), Err(Garbled::TooLarge { .. })));
    let line = r#"{"type":"typo","path":"a.md","line_num":1,"byte_offset":0,"typo":"teh","corrections":["the"]}"#;
    let many = format!("{line}\n").repeat(60_000);
    let report = typos.parse(&Output::printed(2, many), &texts).unwrap();
    // Equal findings are one.
    assert_eq!((report.findings.len(), report.n_more), (1, 10_000));
    let deep = "[".repeat(100_000);
    let ruff = linters::adapter("ruff").unwrap();
    assert!(ruff.parse(&Output::printed(1, deep), &texts).is_err());
}

#[test]
fn a_word_that_is_not_there_is_not_replaced() {
    let typos = linters::adapter("typos").unwrap();
    // The offset counts code points where bytes are meant.
    let snapshot = tree(&[("a.md", "h\u{e9}\u{1f600} teh teh\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let line = r#"{"type":"typo","path":"a.md","line_num":1,"byte_offset":4,"typo":"teh","corrections":["the"]}"#;
    let report = typos.parse(&Output::printed(2, line), &texts).unwrap();
    assert_eq!(report.n_misplaced, 1);
    assert_eq!(report.findings[0].range, None);
    assert!(report.findings[0].fixes.is_empty());
    assert_eq!(report.dropped.len(), 1);
}

#[test]
fn a_tool_that_failed_is_quoted() {
    let ruff = linters::adapter("ruff").unwrap();
    let snapshot = tree(&[]);
    let texts = Texts::new(&snapshot, "/workspace");
    let mut output = Output::printed(2, "");
    output.stderr = b"\x1b[31mruff failed\x1b[0m\n  Cause: no such option\n".to_vec();
    let error = ruff.parse(&output, &texts).unwrap_err();
    assert_eq!(error.to_string(), "exit status 2: Cause: no such option");
    output.status = None;
    assert!(matches!(ruff.parse(&output, &texts), Err(Garbled::Failed { status: -1, .. })));
}
