//! Output that no tool should write: it is refused with words, or what does not fit is dropped, and nothing panics.

use linters::{Garbled, Texts, ToolOutput};
use proptest::prelude::*;

use super::support::{path, read, recorded, shown, tree};

const ALL: [&str; 27] = [
    "ast-grep",
    "biome",
    "clang-format",
    "clang-tidy",
    "clippy",
    "codespell",
    "eslint",
    "go-fix",
    "go-vet",
    "hadolint",
    "markdownlint",
    "mypy",
    "oxlint",
    "prettier",
    "pyright",
    "ruff",
    "rumdl",
    "semgrep",
    "shellcheck",
    "sqlfluff",
    "stylelint",
    "taplo",
    "tsc",
    "ty",
    "typos",
    "typos-code",
    "yamllint",
];

/// What a tool said of one text, read against another: nothing panics, what is offered fits, and a tool that says what
/// it replaces has nothing to offer that replaces something else.
#[test]
fn an_answer_about_another_text_does_no_harm() {
    for name in ALL {
        let fixture = recorded(name);
        let other_texts = ["", "x", "\u{1f600}\u{1f600}\n\u{e9}\r\n\t", "\n\n\n\n\n\n\n\n\n\n\n\n"];
        let own_texts = fixture.shapes.iter().map(|it| it.text.as_str());
        for text in own_texts.chain(other_texts) {
            let snapshot = tree(&[(fixture.file.as_str(), text)]);
            for shape in &fixture.shapes {
                let Ok(report) = read(&fixture, shape, &snapshot) else { continue };
                shown(&report, &snapshot);
                for fix in report.findings.iter().flat_map(|it| &it.fixes) {
                    for (file, set) in &fix.edits {
                        let text = snapshot.file(file).unwrap().text();
                        assert!(set.apply(&text).is_ok(), "{name}");
                        let is_checked = name.starts_with("typos") || name == "codespell";
                        let replaced = |it: &edit::Edit| {
                            String::from_utf8_lossy(
                                &text.bytes()[it.start as usize..it.end as usize],
                            )
                            .into_owned()
                        };
                        let words = ["teh", "recieve", "langauge", "wnat"];
                        assert!(
                            !is_checked
                                || set
                                    .edits()
                                    .iter()
                                    .all(|it| words.contains(&replaced(it).as_str())),
                            "{name}"
                        );
                    }
                }
                let (diagnostics, repairs) = report.to_check(name, &snapshot);
                assert_eq!(diagnostics.len(), report.findings.len(), "{name}");
                assert!(repairs.iter().all(|it| !it.resolves.is_empty()), "{name}");
            }
        }
    }
}

/// Every fixture cut at every eightieth of its length is refused or read without a panic.
#[test]
fn truncated_output_is_refused_or_read() {
    for name in ALL {
        let mut fixture = recorded(name);
        for nth in 0..fixture.shapes.len() {
            let whole = fixture.shapes[nth].output.stdout.clone();
            let text = fixture.shapes[nth].text.clone();
            let snapshot = tree(&[(fixture.file.as_str(), text.as_str())]);
            let mut n_refused = 0;
            for part in 0..40 {
                let cut = whole.len() * part / 40;
                fixture.shapes[nth].output.stdout = whole[..cut].to_vec();
                n_refused += usize::from(read(&fixture, &fixture.shapes[nth], &snapshot).is_err());
            }
            // What is one value of JSON is refused unless it is whole.
            let is_one_value = whole.starts_with(b"[") || whole.starts_with(b"{\n");
            assert!(n_refused >= 39 || !is_one_value, "{name} {n_refused}");
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
        let report = ruff.parse(&ToolOutput::printed(1, item), &texts).unwrap();
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
        let report = typos.parse(&ToolOutput::printed(2, line), &texts).unwrap();
        assert_eq!(report.n_elsewhere, n_elsewhere, "{named}");
        assert_eq!(report.findings.len(), 1 - n_elsewhere, "{named}");
    }
}

/// X-86.
#[test]
fn a_flood_is_bounded() {
    let typos = linters::adapter("typos").unwrap();
    let snapshot = tree(&[("a.md", "teh\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let huge = ToolOutput::printed(2, vec![b' '; (64 << 20) + 1]);
    assert!(matches!(typos.parse(&huge, &texts), Err(Garbled::TooLarge { .. })));
    let line = r#"{"type":"typo","path":"a.md","line_num":1,"byte_offset":0,"typo":"teh","corrections":["the"]}"#;
    let many = format!("{line}\n").repeat(60_000);
    let report = typos.parse(&ToolOutput::printed(2, many), &texts).unwrap();
    // Equal findings are one.
    assert_eq!((report.findings.len(), report.n_more), (1, 0));
    // What is left out is left out whatever the order in which it is said, and the files are named.
    let line = |file: &str, nth: usize| {
        let place = format!(r#""line_num":{},"byte_offset":0"#, nth + 1);
        format!(r#"{{"type":"typo","path":"{file}",{place},"typo":"teh","corrections":["the"]}}"#)
    };
    let text = "teh\n".repeat(30_000);
    let snapshot = tree(&[("a.md", &text), ("b.md", &text)]);
    let texts = Texts::new(&snapshot, "/workspace");
    let said = |files: [&str; 2]| -> String {
        let lines = files.iter().flat_map(|file| (0..30_000).map(move |nth| (file, nth)));
        lines.map(|(file, nth)| line(file, nth) + "\n").collect()
    };
    let parse = |files| typos.parse(&ToolOutput::printed(2, said(files)), &texts).unwrap();
    let report = parse(["a.md", "b.md"]);
    assert_eq!((report.findings.len(), report.n_more), (50_000, 10_000));
    assert_eq!(report.cut.iter().map(|it| it.as_str()).collect::<Vec<_>>(), ["b.md"]);
    assert_eq!(report, parse(["b.md", "a.md"]));
    let deep = "[".repeat(100_000);
    let ruff = linters::adapter("ruff").unwrap();
    assert!(ruff.parse(&ToolOutput::printed(1, deep), &texts).is_err());
}

#[test]
fn a_word_that_is_not_there_is_not_replaced() {
    let typos = linters::adapter("typos").unwrap();
    // The offset counts code points where bytes are meant.
    let snapshot = tree(&[("a.md", "h\u{e9}\u{1f600} teh teh\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let line = r#"{"type":"typo","path":"a.md","line_num":1,"byte_offset":4,"typo":"teh","corrections":["the"]}"#;
    let report = typos.parse(&ToolOutput::printed(2, line), &texts).unwrap();
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
    let mut output = ToolOutput::printed(2, "");
    output.stderr = b"\x1b[31mruff failed\x1b[0m\n  Cause: no such option\n".to_vec();
    let error = ruff.parse(&output, &texts).unwrap_err();
    assert_eq!(error.to_string(), "exit status 2: Cause: no such option");
    output.status = None;
    assert!(matches!(ruff.parse(&output, &texts), Err(Garbled::Failed { status: -1, .. })));
}

/// What a person has to know stands somewhere in what a tool prints when it fails.
#[test]
fn the_reason_of_a_failure_is_what_is_quoted() {
    let check = |name: &str, stderr: &str, expected: &str| {
        let snapshot = tree(&[]);
        let mut output = ToolOutput::printed(3, "");
        output.stderr = stderr.as_bytes().to_vec();
        let adapter = linters::adapter(name).unwrap();
        let error = adapter.parse(&output, &Texts::new(&snapshot, "/workspace")).unwrap_err();
        assert_eq!(error.to_string(), format!("exit status 3: {expected}"));
    };
    check(
        "rustc",
        "error: no matching package named `nosuch` found\nlocation searched: crates.io index\nAs a reminder, you're using offline mode\n",
        "error: no matching package named `nosuch` found",
    );
    check(
        "eslint",
        "\nOops! Something went wrong! :(\n\nESLint: 10.14.0\n\nESLint couldn't find an eslint.config.(js|mjs|cjs) file.\n\nIf you still have problems, please stop by\nhttps://eslint.org/chat/help to chat with the team.\n",
        "ESLint couldn't find an eslint.config.(js|mjs|cjs) file.",
    );
    let missing =
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /a/eslint.config.js";
    check(
        "eslint",
        &format!(
            "Oops! Something went wrong! :(\n\nESLint: 10.14.0\n\n{missing}\n    at f (node:x:1:2)\n"
        ),
        missing,
    );
    check(
        "stylelint",
        &format!(
            "node:internal/x:1\n  throw it;\n  ^\n\n{missing}\n    at f (node:x:1:2)\n}}\n\nNode.js v22.0.0\n"
        ),
        missing,
    );
    check(
        "sqlfluff",
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'x'\n",
        "ModuleNotFoundError: No module named 'x'",
    );
    check("typos", "it is late\nso I stop\n    at f (x:1:2)\n", "so I stop");
    check("typos", "\n\n", "no output");
}

/// An answer with one of its numbers or texts changed to something that no tool should write.
fn distorted(bytes: &[u8], nth: usize, with: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|it| {
            it.1.is_ascii_digit() && !text[..it.0].ends_with(|it: char| it.is_ascii_digit())
        })
        .map(|it| it.0)
        .collect();
    let Some(start) = starts.get(nth % starts.len().max(1)) else { return bytes.to_vec() };
    let end = start + text[*start..].bytes().take_while(u8::is_ascii_digit).count();
    format!("{}{with}{}", &text[..*start], &text[end..]).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing panics, and what is offered fits the text.
    #[test]
    fn a_number_that_is_wrong_does_no_harm(
        name in proptest::sample::select(&ALL[..]),
        nth in 0usize..2_000,
        with in proptest::sample::select(&["-1", "0", "1", "7", "4294967296", "99999999999999999999", "1e99", "null", "\\u0000", ""][..]),
    ) {
        let mut fixture = recorded(name);
        for at in 0..fixture.shapes.len() {
            let shape = &mut fixture.shapes[at];
            shape.output.stdout = distorted(&shape.output.stdout, nth, with);
            shape.output.stderr = distorted(&shape.output.stderr, nth, with);
            for text in shape.output.changed.values_mut().flatten() {
                *text = edit::Text::new(distorted(text.bytes(), nth, with));
            }
            let snapshot = tree(&[(fixture.file.as_str(), fixture.shapes[at].text.as_str())]);
            let Ok(report) = read(&fixture, &fixture.shapes[at], &snapshot) else { continue };
            shown(&report, &snapshot);
            for (file, set) in report.findings.iter().flat_map(|it| &it.fixes).flat_map(|it| &it.edits) {
                prop_assert!(set.apply(&snapshot.file(file).unwrap().text()).is_ok());
            }
        }
    }
}

/// By the source of the format: the tool cannot be installed as a package.
#[test]
fn golangci_lint_names_bytes_or_lines() {
    let snapshot = tree(&[("a.go", "package a\n\nvar h\u{e9} = \"\u{1f600}\"; var unused int\n")]);
    let texts = Texts::new(&snapshot, "/workspace");
    let output = r#"{"Issues":[
        {"FromLinter":"unused","Text":"var unused is unused","Severity":"","Pos":{"Filename":"a.go","Offset":33,"Line":3,"Column":23}},
        {"FromLinter":"lll","Text":"too long","Severity":"warning","Pos":{"Filename":"a.go","Offset":0,"Line":3,"Column":0}},
        {"FromLinter":"x","Text":"outside","Pos":{"Filename":"../b.go","Offset":0,"Line":1,"Column":0}}
    ]}"#;
    let golangci = linters::adapter("golangci-lint").unwrap();
    let report = golangci.parse(&ToolOutput::printed(1, output), &texts).unwrap();
    insta::assert_snapshot!(shown(&report, &snapshot));
    let none = golangci.parse(&ToolOutput::printed(0, r#"{"Issues":null}"#), &texts).unwrap();
    assert!(none.findings.is_empty());
}
