//! What no edit may do to a file, whoever proposes it.

use std::sync::Arc;

use check::{Repair, Report};
use edit::Edit;
use engine::Sieve;
use plan::Reason;

use super::kit::*;

/// Replaces `find` by `put` in a file, to resolve a finding that any edit resolves, and says what became of it.
#[track_caller]
fn check(name: &str, before: &str, find: &str, put: &str, expected: &str) {
    let mut entries = std::collections::BTreeMap::new();
    let file = snapshot::File::new(edit::Text::new(before), 0o755);
    entries.insert(path(name), snapshot::Entry::File(file));
    let tree = snapshot::Snapshot::new(entries).unwrap();
    let provider = fake("words", |input: &check::Input<'_>| {
        let text = &input.snapshot.file(&path(name)).unwrap().text();
        if text.bytes() != before.as_bytes() {
            return Ok(Report::default());
        }
        let at = before.find(find).expect("the text is there") as u32;
        let anywhere = patterns("words", vec![rule("R_ANY", &before[..1], "").without_repair()]);
        let mut report = check::Check::report(&anywhere, input)?;
        report.diagnostics.truncate(1);
        let edits = [(name, Edit::replace(at, at + find.len() as u32, put))];
        let resolves = [report.diagnostics[0].diagnostic_id.as_str()];
        let made = repair("words", "R_ANY", &resolves, input.snapshot, &edits);
        report.repairs = vec![Arc::new(Repair { id: "r_any".into(), ..made })];
        Ok(report)
    });
    // Whoever names a repair does not get more than those who do not.
    let fixed = fix_allowing(&[&provider], &tree, ["r_any".to_owned()].into());
    let found = match fixed.rejected.first() {
        None => {
            let file = fixed.end.snapshot.file(&path(name)).unwrap();
            assert_eq!(file.mode, 0o755);
            assert_eq!(fixed.applied.len(), 1);
            "applied".to_owned()
        }
        Some(it) => {
            assert_eq!(it.rejection.reason, Reason::Invalid);
            assert!(fixed.change.is_empty());
            assert_eq!(fixed.rechecks, 0, "the providers need not be asked");
            it.rejection.detail.clone()
        }
    };
    let (wanted, found) = (expected.trim(), found.trim());
    assert!(found == wanted || !wanted.is_empty() && found.starts_with(wanted), "{found}");
}

#[test]
fn a_file_that_parsed_still_parses() {
    check("a.yaml", "a: 1\nb: 2\n", "1", "[1", "a.yaml would no longer be valid YAML");
    check("a.json", "{\"a\": 1}\n", "1", "", "a.json would no longer be valid JSON");
    check("a.toml", "a = 1\n", "1", "", "a.toml would no longer be valid TOML");
    check("a.json", "{\"a\": 1, \"b\": 2}\n", "b", "a", "a.json could not be edited any more");
    check("a.json", "{\"a\": 1\n", "1", "2", "applied");
    check(
        "a.prog",
        "let a = 1\n",
        "let",
        "lot",
        "a.prog would no longer be valid Prog: `lot a = 1`",
    );
    check("a.prog", "lot a = 1\n", "1", "2", "applied");
    check("a.prog", "let a = 1\n", "1", "2", "applied");
    check("a.json", "{\"a\": 1\n", "1", "1}", "applied");
    check("a.txt", "{\"a\": 1}\n", "1", "", "applied");
}

#[test]
fn a_comment_stays_unless_its_construct_goes() {
    check(
        "a.yaml",
        "a: \"1\" # why\nb: 2\n",
        "\"1\" # why",
        "1",
        "a.yaml would lose the comment `# why`",
    );
    check("a.yaml", "a: \"1\" # why\nb: 2\n", "\"1\"", "1", "applied");
    check("a.yaml", "a: 1 # why\nb: 2\n", "a: 1 # why\n", "", "applied");
    check(
        "a.yaml",
        "a: 1 # why\nb: 2\n",
        "a: 1 # why",
        "a: 3",
        "a.yaml would lose the comment `# why`",
    );
    check("a.yaml", "z: 0\n# about a\na: 1\n", "# about a\n", "", "a.yaml would lose the comment");
    check(
        "a.yaml",
        "z: 0\n# about a\na: 1\n",
        "z: 0\n# about a\n",
        "",
        "a.yaml would lose the comment",
    );
    check("a.yaml", "z: 0\n# about a\na: 1\n", "# about a\na: 1\n", "", "applied");
    check(
        "a.yaml",
        "k:\n  a: 1\n  # end of k\nn: 2\n",
        "k:\n  a: 1\n  # end of k\n",
        "",
        "applied",
    );
    check("a.yaml", "k:\n  # in k\n  a: 1\nn: 2\n", "k:\n  # in k\n  a: 1\n", "", "applied");
    check("a.yaml", "l:\n- x # one\n- x # two\n", "- x # two\n", "", "applied");
    check("a.yaml", "l:\n- x # one\n- x # two\n- y\n", "- x # one\n", "", "applied");
    check(
        "a.yaml",
        "a: 1 # why\nb: 2\n",
        "# why",
        "# because",
        "a.yaml would lose the comment `# why`",
    );
    check("a.json", "{\"a\": [1, // one\n2]}\n", "1, // one\n2", "3", "applied");
    check(
        "a.json",
        "{\"a\": 1, // one\n\"b\": 2}\n",
        "1, // one\n\"b\": 2",
        "1, \"b\": 3",
        "a.json would lose the comment",
    );
    check("a.toml", "a = 1 # why\nb = 2\n", " # why", "", "a.toml would lose the comment `# why`");
    check(
        "a.toml",
        "a = 1 # why\nb = 2\n",
        "a = 1 # why\nb = 2",
        "b = 3\na = 1",
        "a.toml would lose the comment",
    );
}

/// Programs have no entries, so a comment belongs to a line of code.
#[test]
fn a_comment_of_a_program_stays_unless_its_line_goes() {
    let lost = "a.py would lose the comment `# why`";
    check("a.py", "x = 1  # why\ny = 2\n", "  # why", "", lost);
    check("a.py", "x = 1  # why\ny = 2\n", "1  # why", "3", lost);
    check("a.py", "x = 1  # why\ny = 2\n", "1", "3", "applied");
    check("a.py", "x = 1  # why\ny = 2\n", "x = 1  # why\n", "", "applied");
    check("a.py", "import os  # why\ny = 2\n", "import os  # why\ny = 2", "y = 3", lost);
    check("a.py", "x = 1\n# why\ny = 2\n", "x = 1\n# why\n", "", lost);
    check("a.py", "x = 1\n# why\ny = 2\n", "# why\ny = 2\n", "", "applied");
    check("a.py", "x = 1\n\n# why\n\ny = 2\n", "# why\n\ny = 2\n", "", "applied");
    // The last comment of a block is deeper than what comes next.
    check("a.py", "f()\n  g()\n  # why\nh()\n", "  # why\nh()\n", "", lost);
    check("a.py", "f()\n  g()\n  # why\nh()\n", "  g()\n  # why\n", "", "applied");
    check("a.py", "\n# why\n", "# why\n", "", lost);
    // Code that is moved takes its comments along.
    check(
        "a.py",
        "import b  # why\nimport a\n",
        "import b  # why\nimport a\n",
        "import a\nimport b\n",
        lost,
    );
    check(
        "a.py",
        "import b  # why\nimport a\n",
        "import b  # why\nimport a\n",
        "import a\nimport b  # why\n",
        "applied",
    );
    // Some of many lines are removed.
    check(
        "a.py",
        "a()\nm()\nx()  # why\nb()\nc()\n",
        "a()\nm()\nx()  # why\nb()\nc",
        "a(1)\nm()\nb()\nd",
        "applied",
    );
    // Other blanks make no other comment.
    check("a.py", "x = 1 #why\n", " #why", "  # why", "applied");
    check(
        "a.js",
        "e()\n/*\n  a\n  b\n*/\nf()\n",
        "/*\n  a\n  b\n*/",
        "/*\n * a\n * b\n */",
        "a.js would lose",
    );
    check(
        "a.js",
        "  /*\n     a\n     b */\n  f()\n",
        "  /*\n     a\n     b */\n  f",
        "/*\n   a\n   b */\nf",
        "applied",
    );
    check("a.rs", "let s = \"// why\";\n", "// why", "", "applied");
    check("a.go", "f() /* why */ + g()\n", "f() /* why */ + g()", "", "applied");
    check(
        "a.go",
        "f() /* why */ + g()\n",
        "f() /* why */ + ",
        "",
        "a.go would lose the comment `/* why */`",
    );
    check("a.tsx", "<a>\n  {/* why */}\n  <b/>\n</a>\n", "  {/* why */}\n", "", "a.tsx would lose");
    check("a.tsx", "<a>\n  {/* why */}\n  <b/>\n</a>\n", "  {/* why */}\n  <b/>\n", "", "applied");
    check(
        "Dockerfile",
        "FROM a\n# why\nRUN b\n",
        "# why\n",
        "",
        "Dockerfile would lose the comment",
    );
    check("run", "#!/bin/sh\nx=1 # why\n", " # why", "", "run would lose the comment `# why`");
    check("a.txt", "x = 1  # why\n", "  # why", "", "applied");
}

/// A repair of a finding in a comment is about the comment.
#[test]
fn a_comment_may_go_if_it_is_what_the_repair_is_about() {
    for (name, before, after) in [
        ("a.py", "x = 1  # noqa\n", "x = 1  \n"),
        ("a.py", "x = 1  # noqa, why\n", "x = 1  # , why\n"),
        ("a.yaml", "x: 1  # noqa\n", "x: 1  \n"),
    ] {
        let start = tree(&format!("//- {name}\n{before}"));
        let find = if before.contains("why") { "noqa" } else { "# noqa" };
        let put = "";
        let provider = patterns("words", vec![rule("R_NOQA", find, put)]);
        let fixed = fix(&[&provider], &Sieve::default(), &start);
        let file = fixed.end.snapshot.file(&path(name)).unwrap();
        assert_eq!(file.text().bytes(), after.as_bytes());
    }
    // A finding elsewhere is not a reason.
    let start = tree("//- a.py\nx = 1  # noqa\n");
    let provider = patterns("words", vec![rule("R_ONE", "1  # noqa", "2")]);
    assert!(fix(&[&provider], &Sieve::default(), &start).change.is_empty());
}

#[test]
fn a_finding_is_not_repaired_by_ignoring_it() {
    let words = "a.yaml would have findings ignored instead of repaired";
    check("a.yaml", "a: 1\nb: 2\n", "1", "1 # regreen: ignore R_ANY", words);
    check("a.yaml", "a: 1\nb: 2\n", "1", "1 # a reason", "applied");
    check("a.yaml", "a: 1 # regreen: ignore R_OTHER\nb: 2\n", "1", "3", "applied");
    let words = "a.prog would have findings ignored instead of repaired";
    check("a.prog", "let a = 1\n", "1", "1 // regreen: ignore R_ANY", words);
    check("a.prog", "let a = 1\n", "1", "1 // a reason", "applied");
    let words = "a.c would have findings ignored instead of repaired";
    check("a.c", "int a = 1;\n", "1;", "1; /* b\n * regreen: ignore c/R_ANY */", words);
    check("a.c", "int a = 1;\n", "1;", "\"// regreen: ignore R_ANY\";", "applied");
}

#[test]
fn line_ends_bom_and_final_newline_stay_unless_they_are_the_repair() {
    check("a.txt", "a\r\nb\r\n", "a", "x\ny", "a.txt would change its line endings");
    check("a.txt", "a\r\nb\r\n", "a", "x\r\ny", "applied");
    check("a.txt", "a\nb\n", "a", "x\r\ny", "a.txt would change its line endings");
    check("a.txt", "a\r\nb\r\n", "\r\n", "\n", "applied");
    check("a.txt", "a\nb\r\n", "a", "x\ny", "applied");
    check("a.txt", "a\nb\n", "b\n", "c", "a.txt would gain or lose its final newline");
    check("a.txt", "a\nb", "b", "c\n", "a.txt would gain or lose its final newline");
    check("a.txt", "a\nb\n\n", "\n\n", "\n", "applied");
    check("a.txt", "a b", " b", " b\n", "a.txt would gain or lose its final newline");
    check("a.txt", "ab ", " ", "\n", "applied");
    check("a.txt", "x\u{feff}a\n", "x", "", "a.txt would gain or lose its byte order mark");
}

/// A bad edit in one file does not keep the good ones out, also not those in the same file.
#[test]
fn one_broken_file_is_isolated_without_asking_the_providers() {
    let tree = tree("//- a.yaml\na: bad\nb: odd\n//- b.yaml\nc: bad\n");
    let provider = patterns("words", vec![rule("R_BAD", "bad", "good"), rule("R_ODD", "odd", "[")]);
    let fixed = fix(&[&provider], &Sieve::default(), &tree);
    insta::assert_snapshot!(show(&tree, &fixed), @"
    passes 2, rechecks 2, settled
    applied R_BAD in a.yaml (pass 1)
    applied R_BAD in b.yaml (pass 1)
    rejected R_ODD: invalid: a.yaml would no longer be valid YAML: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 2, column 4
    error R_ODD at a.yaml:2
    //- a.yaml
    a: good
    b: odd
    //- b.yaml
    c: good
    ");
}

/// That somebody may change the line ends does not let somebody else do it in the same pass.
#[test]
fn a_repair_of_the_layout_is_no_cover_for_another() {
    let tree = tree("//- a.txt\nbad \nodd\n");
    let blank = || rule("R_BLANK", " \n", "\n");
    for (put, n_applied) in [("even\r\neven", 1), ("even\neven", 2)] {
        let provider = patterns("words", vec![blank(), rule("R_ODD", "odd", put)]);
        assert_eq!(fix(&[&provider], &Sieve::default(), &tree).applied.len(), n_applied);
    }
}
