//! What counts of the findings: levels, comments that ignore, the baseline; and that a second look says what a first
//! one would have said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use check::{Check as _, LookError, Severity, Tier};
use engine::{RuleLevel, Sieve};

use super::kit::*;

/// Levels of the rules of the providers that are used here, and of the engine's own.
fn of_words(
    levels: impl IntoIterator<Item = (String, RuleLevel)>,
) -> BTreeMap<String, BTreeMap<String, RuleLevel>> {
    let levels: BTreeMap<String, RuleLevel> = levels.into_iter().collect();
    ["words", "regreen"].map(|it| (it.to_owned(), levels.clone())).into()
}

fn providers() -> [Patterns; 1] {
    let policy = Pattern { tier: Tier::Policy, ..rule("POL_TAB", "tab", "space") };
    [patterns(
        "words",
        vec![rule("R_BAD", "bad", "good"), rule("R_ODD", "odd", "even").warns(), policy],
    )]
}

#[track_caller]
fn look(levels: &[(&str, RuleLevel)], text: &str) -> String {
    let sieve = Sieve {
        levels: of_words(levels.iter().map(|(rule, level)| ((*rule).to_owned(), *level))),
        baseline: BTreeSet::new(),
    };
    let [words] = providers();
    let found = assess(&[&words], &sieve, &tree(text));
    let mut out = findings(&found);
    writeln!(out, "{} ignored, {} repairs", found.n_ignored(&|_| true), found.repairs.len())
        .unwrap();
    out
}

#[test]
fn a_level_turns_a_rule_off_or_changes_its_severity() {
    let text = "//- a.txt\nbad odd tab\n";
    insta::assert_snapshot!(look(&[], text), @"
    error R_BAD at a.txt:1
    warning R_ODD at a.txt:1
    0 ignored, 2 repairs
    ");
    let levels = [
        ("R_BAD", RuleLevel::Off),
        ("R_ODD", RuleLevel::At(Severity::Error)),
        ("POL_TAB", RuleLevel::At(Severity::Info)),
    ];
    insta::assert_snapshot!(look(&levels, text), @"
    error R_ODD at a.txt:1
    info POL_TAB at a.txt:1
    0 ignored, 2 repairs
    ");
}

/// A repair follows the findings that it resolves, and has the severity of the one that it belongs to.
#[test]
fn a_repair_claims_only_what_counts() {
    let before = tree("//- a.txt\nbad odd\n");
    let [words] = providers();
    let both = fake("words", |input| {
        let mut report = words.report(input)?;
        let ids: Vec<String> =
            report.diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect();
        for it in &mut report.repairs {
            std::sync::Arc::make_mut(it).resolves = ids.clone();
        }
        Ok(report)
    });
    let off = |rule: &str| (rule.to_owned(), RuleLevel::Off);
    let sieve = Sieve { levels: of_words([off("R_BAD")]), ..Sieve::default() };
    let found = assess(&[&both], &sieve, &before);
    let left = &found.diagnostics[0];
    assert_eq!((found.diagnostics.len(), found.repairs.len()), (1, 2));
    for it in &found.repairs {
        assert_eq!(
            (&it.resolves, it.severity),
            (&vec![left.diagnostic_id.clone()], Severity::Warning)
        );
    }
    let refs: BTreeSet<&str> = left.repair_refs.iter().map(String::as_str).collect();
    assert_eq!(refs, found.repairs.iter().map(|it| it.id.as_str()).collect());
    let sieve = Sieve { levels: of_words([off("R_BAD"), off("R_ODD")]), ..Sieve::default() };
    assert!(assess(&[&both], &sieve, &before).repairs.is_empty());
}

#[test]
fn comments_ignore_a_line_or_a_file() {
    insta::assert_snapshot!(look(&[], "\
//- end.yaml
a: bad # regreen: ignore R_BAD
b: bad
//- above.yaml
# regreen: ignore R_BAD, R_ODD -- they are meant

# another comment
a: bad odd
b: odd
//- file.toml
x = 'bad'
# regreen: ignore-file R_BAD
y = 'bad odd'
//- slashes.json
{
  // regreen: ignore R_BAD
  \"a\": \"bad\",
  \"b\": \"bad\" /** regreen:ignore R_BAD R_ODD --why */
}
//- stars.json
{
  /*
   * regreen: ignore R_BAD
   */
  \"a\": \"bad\"
}
//- lines.prog
let a = bad // regreen: ignore R_BAD
let b = bad
// regreen: ignore R_BAD
let c = bad
//- lines.unknown
let a = bad // regreen: ignore R_BAD
"), @"
    warning R_ODD at above.yaml:5
    error R_BAD at end.yaml:2
    warning R_ODD at file.toml:3
    error R_BAD at lines.prog:2
    error R_BAD at lines.unknown:1
    warning SEM_UNUSED_IGNORE at slashes.json:4
    10 ignored, 5 repairs
    ");
}

#[test]
fn an_ignore_that_names_or_ignores_nothing_is_a_finding() {
    insta::assert_snapshot!(look(&[], "\
//- a.yaml
# regreen: ignore
a: bad
# regreen: ignore R_ODD
b: bad
c: bad # regreen: ignore R_ODD, R_BAD
# regreen: ignore-file R_NONE
# regreen: ignore R_BAD
//- not-a-comment.yaml
a: 'x # regreen: ignore R_BAD'
b: |
  # regreen: ignore R_BAD
//- plain.txt
# regreen: ignore R_BAD
"), @"
    warning SEM_IGNORE_WITHOUT_RULE at a.yaml:1
    error R_BAD at a.yaml:2
    warning SEM_UNUSED_IGNORE at a.yaml:3
    error R_BAD at a.yaml:4
    warning SEM_UNUSED_IGNORE at a.yaml:5
    warning SEM_UNUSED_IGNORE at a.yaml:6
    warning SEM_UNUSED_IGNORE at a.yaml:7
    1 ignored, 2 repairs
    ");
    let off = [("SEM_UNUSED_IGNORE", RuleLevel::Off)];
    insta::assert_snapshot!(look(&off, "//- a.yaml\na: 1 # regreen: ignore R_BAD\n"), @"0 ignored, 0 repairs");
}

/// The same words in the comments of any language, at the end of a line, on a line of their own, in any line of a block.
#[test]
fn comments_ignore_in_every_language() {
    let samples: &[(&str, &str)] = &[
        ("a.py", "x = bad  # regreen: ignore R_BAD\n"),
        ("a.py", "# regreen: ignore R_BAD -- it is meant\n\n# more\nx = bad\n"),
        ("a.py", "\"\"\"bad\"\"\"  # regreen: ignore R_BAD\n"),
        ("a.js", "/* why\n * regreen: ignore R_BAD\n * and more\n */\nbad();\n"),
        ("a.js", "bad(); /* regreen: ignore R_BAD */\n"),
        ("a.tsx", "<a>\n  {/* regreen: ignore R_BAD */}\n  bad</a>\n"),
        ("a.tsx", "<a>{/* regreen: ignore R_BAD */} bad</a>\n"),
        ("a.rs", "let x = bad; // regreen: ignore R_BAD\n"),
        ("a.rs", "/// regreen: ignore R_BAD\nfn bad() {}\n"),
        ("a.sql", "-- regreen: ignore R_BAD\nSELECT bad;\n"),
        ("a.lua", "--[[ regreen: ignore R_BAD ]] bad()\n"),
        ("a.lua", "--[==[\nregreen: ignore R_BAD]==]\nbad()\n"),
        ("a.hs", "{- regreen: ignore R_BAD -}\nf = bad\n"),
        ("a.html", "<!-- regreen: ignore R_BAD -->\n<p>bad</p>\n"),
        ("a.html", "<!--regreen: ignore R_BAD-->\n<p>bad</p>\n"),
        ("a.html", "<script>\nbad() // regreen: ignore R_BAD\n</script>\n"),
        ("a.md", "<!-- regreen: ignore-file R_BAD -->\n\nbad\n\nbad\n"),
        ("a.ini", "; regreen: ignore R_BAD\na = bad\n"),
        ("a.tex", "bad % regreen: ignore R_BAD\n"),
        ("a.ml", "(* regreen: ignore R_BAD *)\nlet x = bad\n"),
        ("a.bat", "@rem regreen: ignore R_BAD\nbad\n"),
        ("a.vb", "x = bad ' regreen: ignore R_BAD\n"),
        ("a.j2", "{# regreen: ignore R_BAD #}\nbad\n"),
        ("a.ps1", "<#\nregreen: ignore R_BAD\n#>\nbad\n"),
        ("a.php", "<?php bad(); # regreen: ignore R_BAD ?>\n"),
        ("a.rb", "=begin\nregreen: ignore R_BAD\n=end\nbad\n"),
        ("Dockerfile", "# regreen: ignore R_BAD\nRUN bad\n"),
        ("Makefile", "all: # regreen: ignore R_BAD\n# regreen: ignore R_BAD\n\tbad\n"),
        ("run", "#!/usr/bin/env bash\nbad # regreen: ignore R_BAD\n"),
        ("a.prog", "let a = bad // regreen: ignore R_BAD\n"),
    ];
    for (name, text) in samples {
        let found = look(&[], &format!("//- {name}\n{text}"));
        let unused = found.lines().filter(|it| it.contains("UNUSED")).count();
        let expected = usize::from(*name == "Makefile");
        assert!(!found.contains("R_BAD") && unused == expected, "{name}: {text}{found}");
    }
    // What only looks like a comment ignores nothing; neither does one that quotes the words.
    for (name, text) in [
        ("a.py", "x = 'bad # regreen: ignore R_BAD'\n"),
        ("a.rs", "let x = r#\"bad \" // regreen: ignore R_BAD\"#;\n"),
        ("a.md", "`<!-- regreen: ignore R_BAD -->` bad\n"),
        ("a.rs", "// `regreen: ignore R_BAD` covers the next line.\nbad();\n"),
        ("a.txt", "bad # regreen: ignore R_BAD\n"),
        ("Dockerfile", "RUN bad # regreen: ignore R_BAD\n"),
    ] {
        let found = look(&[], &format!("//- {name}\n{text}"));
        assert!(found.contains("error R_BAD") && !found.contains("SEM_"), "{name}: {text}{found}");
    }
}

/// A bare id means every source that knows its rules; where they are open, it takes the source.
#[test]
fn an_ignore_may_name_the_source_of_a_rule() {
    let closed = patterns("pack", vec![rule("R_BAD", "bad", "good"), rule("a/b", "slash", "/")]);
    let open = patterns("open", vec![rule("R_BAD", "bad", "well"), rule("x/y", "slash", "/")]);
    let look = |text: &str| {
        let found =
            assess(&[&closed, &open], &Sieve::default(), &tree(&format!("//- a.py\n{text}")));
        let words = |it: &Arc<check::Diagnostic>| match it.source.as_str() {
            "regreen" => it.message.clone(),
            source => format!("{source}/{}", it.rule_id),
        };
        let mut found: Vec<String> = found.diagnostics.iter().map(words).collect();
        found.sort();
        found.join("; ")
    };
    let cases = [
        ("bad", "", "open/R_BAD; pack/R_BAD"),
        ("bad", "pack/R_BAD, open/R_BAD", ""),
        ("bad", "pack/R_BAD", "open/R_BAD"),
        ("bad", "open/R_BAD", "pack/R_BAD"),
        ("bad", "R_BAD", "open/R_BAD"),
        ("bad", "R_BAD pack/R_BAD", "open/R_BAD"),
        ("slash", "a/b open/x/y", ""),
        ("slash", "pack/a/b", "open/x/y"),
        ("slash", "x/y a/b", "open/x/y; x/y alone does not name a rule of open; write open/x/y"),
        ("x", "pack/R_BAD", "nothing here breaks pack/R_BAD, so this comment can go"),
        ("x", "open/R_BAD", "nothing here breaks open/R_BAD, so this comment can go"),
        ("x", "other/R_BAD", "nothing here breaks other/R_BAD, so this comment can go"),
    ];
    for (line, rules, expected) in cases {
        let comment =
            if rules.is_empty() { String::new() } else { format!(" # regreen: ignore {rules}") };
        assert_eq!(look(&format!("{line}{comment}\n")), expected, "{line} {rules}");
    }
}

/// Whether an ignore has a use depends on its source alone, if it names one.
#[test]
fn an_ignore_of_a_source_that_was_not_heard_is_not_called_unused() {
    let heard = patterns("heard", vec![rule("R_BAD", "bad", "good")]);
    let failing =
        fake("failing", |_| Err(LookError::new(check::FailureKind::TimedOut, "no answer")));
    let found = |text: &str| {
        let found =
            assess(&[&heard, &failing], &Sieve::default(), &tree(&format!("//- a.py\n{text}")));
        findings(&found)
    };
    assert_eq!(found("x # regreen: ignore R_BAD\n"), "");
    assert_eq!(found("x # regreen: ignore failing/R_BAD\n"), "");
    assert_eq!(found("x # regreen: ignore heard/R_BAD\n"), "warning SEM_UNUSED_IGNORE at a.py:1\n");
}

/// Files that no source looks at are not read for comments.
#[test]
fn a_file_that_nobody_looks_at_has_no_ignores() {
    let mut nobody = fake("nobody", |_| Ok(check::Report::default()));
    nobody.0.interest = check::Interest::documents();
    let text = "//- a.py\nx # regreen: ignore R_BAD\n//- a.yaml\nx: 1 # regreen: ignore R_BAD\n";
    let found = assess(&[&nobody], &Sieve::default(), &tree(text));
    assert_eq!(findings(&found), "warning SEM_UNUSED_IGNORE at a.yaml:1\n");
}

/// What is ignored is not repaired, and an ignore that loses its use is not a harm that a repair has done.
#[test]
fn an_ignored_finding_stays_as_it_is() {
    let before =
        tree("//- a.yaml\n# regreen: ignore R_ODD\na: odd # regreen: ignore R_BAD\nb: odd bad\n");
    let [words] = providers();
    let fixed = fix(&[&words], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 1, rechecks 1, settled
    applied R_BAD in a.yaml (pass 1)
    applied R_ODD in a.yaml (pass 1)
    warning SEM_UNUSED_IGNORE at a.yaml:2
    //- a.yaml
    # regreen: ignore R_ODD
    a: odd # regreen: ignore R_BAD
    b: even good
    ");
}

/// Nobody says that an ignore has no use in a file that could not be looked at.
#[test]
fn an_ignore_is_not_called_unused_where_a_phase_could_not_run() {
    let mut words = patterns("words", vec![rule("R_TYPE", "type", "").late()]);
    words.blocker = Some("broken".into());
    let found = |text: &str| findings(&assess(&[&words], &Sieve::default(), &tree(text)));
    assert_eq!(found("//- a.yaml\na: broken # regreen: ignore R_TYPE\n"), "");
    assert_eq!(
        found("//- a.yaml\na: whole # regreen: ignore R_TYPE\n"),
        "warning SEM_UNUSED_IGNORE at a.yaml:1\n"
    );
}

/// A finding of the baseline is shown and may be repaired; it neither counts nor makes a repair fail.
#[test]
fn the_baseline_is_put_up_with() {
    let [words] = providers();
    let before = tree("//- a.txt\nbad\n//- b.txt\nbad\n");
    let all = assess(&[&words], &Sieve::default(), &before);
    let baseline = BTreeSet::from([all.diagnostics[0].diagnostic_id.clone()]);
    let sieve = Sieve { baseline, ..Sieve::default() };
    let found = assess(&[&words], &sieve, &before);
    assert_eq!(findings(&found), "error R_BAD at a.txt:1 (known)\nerror R_BAD at b.txt:1\n");
    assert_eq!((found.n_of(Severity::Error), found.repairs.len()), (1, 2));
    assert_eq!(fix(&[&words], &sieve, &before).applied.len(), 2);
}

/// A look at what changed says what a look at everything would have said.
#[test]
fn a_second_look_equals_a_first_one() {
    let [words] = providers();
    let trees = [
        "//- a.yaml\na: bad # regreen: ignore R_BAD\n//- b.yaml\nb: 1 # regreen: ignore R_BAD\n",
        "//- a.yaml\na: good # regreen: ignore R_BAD\n//- c.yaml\nb: odd\n",
        "//- b.yaml\nb: bad # regreen: ignore R_BAD\n",
        "",
    ];
    with_run(&[&words], &Sieve::default(), |run| {
        let mut before = engine::assess(run, &tree(""), None);
        for text in trees {
            let (warm, cold) = (
                engine::assess(run, &tree(text), Some(&before)),
                engine::assess(run, &tree(text), None),
            );
            assert_eq!(findings(&warm), findings(&cold));
            assert_eq!((&warm.ignored, &warm.repairs), (&cold.ignored, &cold.repairs));
            before = warm;
        }
    });
}
