//! What counts of the findings: levels, comments that ignore, the baseline; and that a second look says what a first
//! one would have said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use check::{Check as _, Severity, Tier};
use engine::{Level, Sieve};

use super::kit::*;

/// Levels of the rules of the providers that are used here, and of the engine's own.
fn of_words(
    levels: impl IntoIterator<Item = (String, Level)>,
) -> BTreeMap<String, BTreeMap<String, Level>> {
    let levels: BTreeMap<String, Level> = levels.into_iter().collect();
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
fn look(levels: &[(&str, Level)], text: &str) -> String {
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
        ("R_BAD", Level::Off),
        ("R_ODD", Level::At(Severity::Error)),
        ("POL_TAB", Level::At(Severity::Info)),
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
    let off = |rule: &str| (rule.to_owned(), Level::Off);
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
    let off = [("SEM_UNUSED_IGNORE", Level::Off)];
    insta::assert_snapshot!(look(&off, "//- a.yaml\na: 1 # regreen: ignore R_BAD\n"), @"0 ignored, 0 repairs");
}

/// What is ignored is not repaired, and an ignore that loses its use is no harm that a repair has done.
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
