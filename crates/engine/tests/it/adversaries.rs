//! Providers that lie, panic, quarrel, never settle or change their mind. None of them may harm the tree or stop the
//! others, and each is named.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use check::{Check as _, Diagnostic, FailureKind, LookError, Provider, Repair, Report, Unchecked};
use edit::Edit;
use engine::{Ending, Sieve};
use plan::Reason;

use super::kit::*;

#[track_caller]
fn run(before: &str, rules: Vec<Pattern>) -> String {
    let tree = tree(before);
    let provider = patterns("words", rules);
    show(&tree, &fix(&[&provider], &Sieve::default(), &tree))
}

/// The ids of all that the provider finds in the trees.
fn ids_of(provider: &dyn Provider, trees: &[&str]) -> BTreeSet<String> {
    let found =
        trees.iter().map(|it| assess(&[provider], &Sieve::default(), &tree(it)).diagnostics);
    found.flatten().map(|it| it.diagnostic_id.clone()).collect()
}

#[test]
fn one_bad_repair_among_200_good_ones_in_one_file() {
    for at in [0, 1, 77, 199, 200] {
        let words: Vec<String> =
            (0..201).map(|n| if n == at { "poison" } else { "bad" }.to_owned()).collect();
        let tree = tree(&format!("//- a.txt\n{}\n", words.join("\n")));
        let provider = patterns(
            "words",
            vec![
                rule("R_BAD", "bad", "good"),
                rule("R_POISON", "poison", "venom"),
                rule("R_VENOM", "venom", "").without_repair(),
            ],
        );
        let fixed = fix(&[&provider], &Sieve::default(), &tree);
        assert_eq!(fixed.applied.len(), 200, "bad one at {at}");
        assert_eq!(fixed.rejected.len(), 1);
        assert_eq!(fixed.rejected[0].rejection.reason, Reason::Regressed);
        assert!(fixed.rejected[0].rejection.detail.contains("R_VENOM appeared at a.txt:"));
        assert!(fixed.rechecks <= 20, "{} rechecks", fixed.rechecks);
        assert_eq!(fixed.end.diagnostics.len(), 1);
    }
}

#[test]
fn five_bad_repairs_among_200_good_ones_in_as_many_files() {
    let is_bad = |n: usize| n % 41 == 3;
    let text: String = (0..205)
        .map(|n| format!("//- f{n:03}.txt\n{}\n", if is_bad(n) { "lie" } else { "bad" }))
        .collect();
    let tree = tree(&text);
    let provider =
        patterns("words", vec![rule("R_BAD", "bad", "good"), rule("R_LIE", "lie", "belief")]);
    let fixed = fix(&[&provider], &Sieve::default(), &tree);
    assert_eq!((fixed.applied.len(), fixed.rejected.len()), (200, 5));
    assert!(fixed.rejected.iter().all(|it| it.rejection.reason == Reason::Unverified));
    assert!(fixed.rechecks <= 5 * 8, "{} rechecks", fixed.rechecks);
    // Work is proportional to what changed: the good ones are looked at a few times, not once per trial.
    let n_changed = provider.n_changed.load(Ordering::Relaxed);
    assert!(n_changed <= 5 * 205, "{n_changed} files looked at again");
}

/// The cost of liars grows with their number, not with that of the others.
#[test]
fn ten_liars_among_500_are_found_in_one_file_and_in_many() {
    let word = |n: usize| if n % 50 == 7 { "lie" } else { "bad" };
    let one: String = (0..500).map(|n| format!("{}\n", word(n))).collect();
    let many: String = (0..500).map(|n| format!("//- f{n:04}.txt\n{}\n", word(n))).collect();
    for text in [format!("//- a.txt\n{one}"), many] {
        let rules = vec![rule("R_BAD", "bad", "good"), rule("R_LIE", "lie", "belief")];
        let tree = tree(&text);
        let fixed = fix(&[&patterns("words", rules)], &Sieve::default(), &tree);
        assert_eq!((fixed.applied.len(), fixed.rejected.len()), (490, 10));
        assert!(fixed.rechecks <= 10 * 5, "{} rechecks", fixed.rechecks);
    }
}

#[test]
fn a_claim_that_is_not_met_leaves_the_tree_as_it_was() {
    insta::assert_snapshot!(run("//- a.txt\nlie\n", vec![rule("R_LIE", "lie", "a lie")]), @"
    passes 1, rechecks 1, settled
    rejected R_LIE: unverified: R_LIE at a.txt:1:1 is still there
    error R_LIE at a.txt:1
    ");
}

#[test]
fn a_claim_about_more_than_is_resolved_is_not_met() {
    let tree = tree("//- a.txt\nbad\n//- b.txt\nbad\n");
    let honest = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let boaster = fake("words", |input| {
        let mut report = honest.report(input)?;
        let all: Vec<String> =
            report.diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect();
        report.repairs.truncate(1);
        for it in &mut report.repairs {
            Arc::make_mut(it).resolves = all.clone();
        }
        Ok(report)
    });
    let fixed = fix(&[&boaster], &Sieve::default(), &tree);
    insta::assert_snapshot!(show(&tree, &fixed), @"
    passes 1, rechecks 1, settled
    rejected R_BAD: unverified: R_BAD at b.txt:1:1 is still there
    error R_BAD at a.txt:1
    error R_BAD at b.txt:1
    ");
}

#[test]
fn a_repair_that_breaks_something_in_another_file_is_found() {
    let tree = tree("//- a.txt\nbad\n//- b.txt\nbad\n//- c.txt\ncalm\n//- d.txt\nbad\n");
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    // Somebody else relies on b.txt.
    let reader = fake("reader", |input| {
        let is_broken = input.snapshot.file(&path("b.txt")).unwrap().text().bytes() != b"bad\n";
        let calm = patterns("reader", vec![rule("R_CALM", "calm", "").without_repair()]);
        if is_broken { calm.check(input) } else { Ok(Report::default()) }
    });
    let fixed = fix(&[&words, &reader], &Sieve::default(), &tree);
    insta::assert_snapshot!(show(&tree, &fixed), @"
    passes 2, rechecks 5, settled
    applied R_BAD in a.txt (pass 1)
    applied R_BAD in d.txt (pass 1)
    rejected R_BAD: regressed: R_CALM appeared at c.txt:1:1
    error R_BAD at b.txt:1
    //- a.txt
    good
    //- d.txt
    good
    ");
}

#[test]
fn rules_that_undo_one_another_do_not_touch_the_tree() {
    let pair = vec![rule("R_X", "x", "y"), rule("R_Y", "y", "x")];
    insta::assert_snapshot!(run("//- a.txt\nx\n", pair), @"
    passes 1, rechecks 1, settled
    rejected R_X: regressed: R_Y appeared at a.txt:1:1
    error R_X at a.txt:1
    ");
    let triple = vec![rule("R_X", "x", "y"), rule("R_Y", "y", "z"), rule("R_Z", "z", "x")];
    insta::assert_snapshot!(run("//- a.txt\nx\n//- b.txt\nz\n", triple), @"
    passes 1, rechecks 3, settled
    rejected R_X: regressed: R_Y appeared at a.txt:1:1
    rejected R_Z: regressed: R_X appeared at b.txt:1:1
    error R_X at a.txt:1
    error R_Z at b.txt:1
    ");
}

/// RS-47: findings that are put up with do not make a repair fail, so nothing but the state tells that it goes round.
#[test]
fn a_cycle_of_any_period_is_seen_and_named() {
    let pair = patterns(
        "words",
        vec![rule("R_X", "x", "y"), rule("R_Y", "y", "x"), rule("R_BAD", "bad", "good")],
    );
    let baseline = ids_of(&pair, &["//- a.txt\nx\n", "//- a.txt\ny\n"]);
    let sieve = Sieve { baseline, ..Sieve::default() };
    let before = tree("//- a.txt\nx\n//- b.txt\nbad\n");
    let fixed = fix(&[&pair], &sieve, &before);
    insta::assert_snapshot!(show(&before, &fixed), @r#"
    passes 3, rechecks 3, cycle of {"R_X", "R_Y"} every 2
    applied R_X in a.txt (pass 1)
    applied R_BAD in b.txt (pass 1)
    rejected R_Y: cycle: R_X, R_Y undo one another: the tree is the same after every 2 passes
    error R_Y at a.txt:1 (known)
    //- a.txt
    y
    //- b.txt
    good
    "#);
    let triple = patterns(
        "words",
        vec![rule("R_X", "x", "y"), rule("R_Y", "y", "z"), rule("R_Z", "z", "x")],
    );
    let baseline = ids_of(&triple, &["//- a.txt\nx\n", "//- a.txt\ny\n", "//- a.txt\nz\n"]);
    let sieve = Sieve { baseline, ..Sieve::default() };
    let before = tree("//- a.txt\nx\n");
    let fixed = fix(&[&triple], &sieve, &before);
    insta::assert_snapshot!(show(&before, &fixed), @r#"
    passes 3, rechecks 3, cycle of {"R_X", "R_Y", "R_Z"} every 3
    rejected R_X: cycle: R_X, R_Y, R_Z undo one another: the tree is the same after every 3 passes
    rejected R_Y: cycle: R_X, R_Y, R_Z undo one another: the tree is the same after every 3 passes
    rejected R_Z: cycle: R_X, R_Y, R_Z undo one another: the tree is the same after every 3 passes
    error R_X at a.txt:1 (known)
    "#);
}

/// RS-47: the number of passes is bounded.
#[test]
fn a_provider_that_never_settles_runs_out_of_passes() {
    // Every repair makes place for the next finding, which nobody counts.
    let endless = |input: &check::Input<'_>| {
        let text = &input.snapshot.file(&path("a.txt")).unwrap().text();
        let n = text.len();
        let provider = patterns("words", vec![rule(&format!("R_{n}"), "!", "!!").informs()]);
        let mut report = provider.report(input)?;
        report.diagnostics.truncate(1);
        report.repairs.truncate(1);
        Ok(report)
    };
    let provider = fake("words", endless);
    let sieve = Sieve { baseline: endless_ids(&provider), ..Sieve::default() };
    let before = tree("//- a.txt\n!\n");
    let fixed = fix_within(&[&provider], &sieve, &before, 4, 100);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 4, rechecks 4, out of passes
    applied R_2 in a.txt (pass 1)
    applied R_3 in a.txt (pass 2)
    applied R_4 in a.txt (pass 3)
    applied R_5 in a.txt (pass 4)
    rejected R_6: budget: there were 4 passes, which is the limit
    info R_6 at a.txt:1 (known)
    //- a.txt
    !!!!!
    ");
    let fixed = fix_within(&[&provider], &sieve, &before, 100, 3);
    assert_eq!((fixed.ending, fixed.rechecks), (Ending::RecheckBudget, 3));
}

fn endless_ids(provider: &dyn Provider) -> BTreeSet<String> {
    let trees: Vec<String> = (1..20).map(|n| format!("//- a.txt\n{}\n", "!".repeat(n))).collect();
    ids_of(provider, &trees.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Each works, but not with the other: the better ranked one stays.
#[test]
fn of_two_that_do_not_go_together_the_better_ranked_one_is_kept() {
    let before = tree("//- a.txt\nodd\n//- b.txt\nbad\n//- c.txt\nfine\n//- d.txt\nbad\n");
    let words =
        patterns("words", vec![rule("R_BAD", "bad", "good").warns(), rule("R_ODD", "odd", "good")]);
    // At most two files may say `good`.
    let counter = fake("counter", |input| {
        let is_good = |it: &snapshot::File| it.text().bytes() == b"good\n";
        let n_good = input.snapshot.files().filter(|(_, it)| is_good(it)).count();
        let fine = patterns("counter", vec![rule("R_MANY", "fine", "").without_repair()]);
        if n_good > 2 { fine.report(input) } else { Ok(Report::default()) }
    });
    let fixed = fix(&[&words, &counter], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 2, rechecks 4, settled
    applied R_ODD in a.txt (pass 1)
    applied R_BAD in b.txt (pass 1)
    rejected R_BAD: regressed: R_MANY appeared at c.txt:1:1
    warning R_BAD at d.txt:1
    //- a.txt
    good
    //- b.txt
    good
    ");
}

/// The worse ranked one spoils the claim of the better ranked one: suspicion falls on the victim, the blame does not.
#[test]
fn a_victim_is_not_condemned_for_its_spoiler() {
    let before = tree("//- a.txt\nodd\n//- b.txt\nbad\n");
    let words = fake("words", |input| {
        let text = |name: &str| input.snapshot.file(&path(name)).unwrap().text().bytes().to_vec();
        // Once both are repaired, the first one counts as broken again, at the same place.
        let spoiled = text("a.txt") == b"even\n" && text("b.txt") == b"good\n";
        let find = if spoiled { "even" } else { "odd" };
        patterns("words", vec![rule("R_ODD", find, "even"), rule("R_BAD", "bad", "good").warns()])
            .report(input)
    });
    let fixed = fix(&[&words], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 2, rechecks 6, settled
    applied R_ODD in a.txt (pass 1)
    rejected R_BAD: regressed: R_ODD appeared at a.txt:1:1
    warning R_BAD at b.txt:1
    //- a.txt
    even
    ");
}

/// AE-48: a failure is not a finding.
#[test]
fn a_provider_that_panics_or_fails_does_not_stop_the_others() {
    let before = tree("//- a.txt\nbad\n");
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let panics = fake("panics", |_| panic!("no idea"));
    let fails = fake("fails", |_| {
        Err(LookError::new(FailureKind::Unavailable, "the tool is not installed"))
    });
    let fixed = fix(&[&panics, &words, &fails], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 1, rechecks 1, settled
    applied R_BAD in a.txt (pass 1)
    failure of fails (Unavailable): the tool is not installed
    failure of panics (Panicked): panicked: no idea
    //- a.txt
    good
    ");
}

/// What a provider does not look at completely, another may; one that cannot say what it looked at has failed.
#[test]
fn files_are_covered_by_who_was_heard() {
    let before = tree("//- a.txt\nbad\n");
    let nothing = |_: &check::Input<'_>| Ok(Report::default());
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let (partial, shy) = (fake("partial", nothing), fake("shy", nothing));
    let panics = fake("panics", |_| panic!("no idea"));
    let sieve = Sieve::default();
    let covered = |providers: &[&dyn Provider], wanted: &str| {
        let (coverage, failures) = with_run(providers, &sieve, |run| {
            engine::assess(run, &before, None)
                .coverage(run, &|name| wanted.is_empty() || wanted == name)
        });
        let reasons = coverage.iter().map(|it| it.1.iter().copied().collect::<Vec<_>>());
        let failures: Vec<_> = failures.into_iter().map(|it| (it.source, it.kind)).collect();
        (reasons.collect::<Vec<_>>(), failures)
    };
    let undecided = vec![vec![Unchecked::UndecidedRule]];
    assert_eq!(covered(&[&words, &partial], ""), (vec![vec![]], vec![]));
    assert_eq!(covered(&[&words, &partial], "partial"), (undecided, vec![]));
    assert_eq!(covered(&[&panics], ""), (vec![], vec![]));
    let failed = vec![("shy".to_owned(), FailureKind::Panicked)];
    assert_eq!(covered(&[&shy], ""), (vec![], failed));
}

/// If it falls silent because of an edit, what it said before is not resolved.
#[test]
fn a_provider_that_panics_at_the_result_of_an_edit_keeps_it_out() {
    let before = tree("//- a.txt\nbad\n//- b.txt\nodd\n");
    let words = patterns("words", vec![rule("R_BAD", "bad", "good"), rule("R_ODD", "odd", "even")]);
    let panics = fake("panics", |input| {
        let text = &input.snapshot.file(&path("a.txt")).unwrap().text();
        assert_eq!(text.bytes(), b"bad\n", "only bad is expected");
        Ok(Report::default())
    });
    let fixed = fix(&[&words, &panics], &Sieve::default(), &before);
    let text = show(&before, &fixed);
    assert!(text.contains("applied R_ODD") && !text.contains("applied R_BAD"), "{text}");
    assert!(text.contains("rejected R_BAD: regressed: panics cannot check the result"), "{text}");
}

#[test]
fn a_provider_that_changes_its_mind_is_named_and_its_repairs_are_not_applied() {
    let before = tree("//- a.txt\nbad\nodd\nstay\n");
    let n_calls = AtomicUsize::new(0);
    let moody = fake("moody", |input| {
        let n = n_calls.fetch_add(1, Ordering::Relaxed);
        let whim = rule(&format!("R_WHIM_{n}"), "stay", "").without_repair();
        patterns("moody", vec![rule("R_MOOD", "odd", "even"), whim]).report(input)
    });
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let fixed = fix(&[&moody, &words], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 1, rechecks 4, settled
    applied R_BAD in a.txt (pass 1)
    rejected R_MOOD: unverified: moody answers differently when it is asked again
    failure of moody (Garbled): answers differently when it is asked again, so none of its repairs is applied
    error R_MOOD at a.txt:2
    error R_WHIM_5 at a.txt:3
    //- a.txt
    good
    odd
    stay
    ");
}

/// AE-2, AE-55, and what else does not make sense: contained, named, and the rest is kept.
#[test]
fn answers_that_make_no_sense_are_named_and_the_rest_is_kept() {
    let before = tree("//- a.txt\nbad\nbad\n");
    let honest = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let sloppy = fake("words", |input| {
        let mut report = honest.report(input)?;
        let Some(first) = report.diagnostics.first().cloned() else { return Ok(report) };
        let changed = |change: &dyn Fn(&mut Diagnostic)| {
            let mut it = (*first).clone();
            it.rule_id = "R_SLOPPY".into();
            change(&mut it);
            Arc::new(it)
        };
        report.diagnostics.push(changed(&|it| it.file = "gone.txt".into()));
        report.diagnostics.push(changed(&|it| it.file = "../a.txt".into()));
        report.diagnostics.push(changed(&|it| it.source = "other".into()));
        report.diagnostics.push(changed(&|_| {}));
        report.diagnostics.push(changed(&|it| {
            it.diagnostic_id = "d_far".into();
            it.location.as_mut().unwrap().end_byte = 4000;
        }));
        let mut orphan = (*report.repairs[0]).clone();
        orphan.id = "r_orphan".into();
        orphan.resolves = vec!["d_unknown".into()];
        report.repairs.push(Arc::new(orphan));
        Ok(report)
    });
    let fixed = fix(&[&sloppy], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @r#"
    passes 1, rechecks 1, settled
    applied R_BAD in a.txt (pass 1)
    applied R_BAD in a.txt (pass 1)
    rejected R_BAD: invalid: it resolves "d_unknown", which does not exist
    failure of words (Garbled): a finding about a file that does not exist: R_SLOPPY in ../a.txt, and 1 more
    failure of words (Garbled): a finding under another provider's name: R_SLOPPY in a.txt
    failure of words (Garbled): a finding whose span is outside its file: R_SLOPPY in a.txt
    failure of words (Garbled): two findings with one id: R_SLOPPY in a.txt
    //- a.txt
    good
    good
    "#);
}

/// AE-3: nobody finds anything under the name of the engine, or of another provider.
#[test]
fn providers_that_cannot_be_told_apart_are_not_asked() {
    let before = tree("//- a.txt\nbad\n");
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let twin = patterns("words", vec![rule("R_BAD", "bad", "worse")]);
    let own = patterns("regreen", vec![rule("R_BAD", "bad", "worse")]);
    let found = assess(&[&words, &twin, &own], &Sieve::default(), &before);
    assert!(found.diagnostics.is_empty());
    let names: Vec<&str> = found.failures.iter().map(|it| it.source.as_str()).collect();
    assert_eq!(names, ["regreen", "words"]);
}

/// A repair for a file that is not there any more is refused, and says so.
#[test]
fn repairs_to_files_that_vanish_or_changed_are_refused() {
    let other = tree("//- a.txt\nbad\n//- gone.txt\nbad\n");
    let before = tree("//- a.txt\nbad!\n");
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let stale = fake("words", |input| {
        let mut report = words.report(input)?;
        let Some(id) = report.diagnostics.first().map(|it| it.diagnostic_id.clone()) else {
            return Ok(report);
        };
        report.repairs.clear();
        for (file, id_of_repair) in [("a.txt", "r_stale"), ("gone.txt", "r_gone")] {
            let edits = [(file, Edit::replace(0, 3, "good"))];
            let made = repair("words", "R_BAD", &[&id], &other, &edits);
            report.repairs.push(Arc::new(Repair { id: id_of_repair.into(), ..made }));
        }
        Ok(report)
    });
    let fixed = fix(&[&stale], &Sieve::default(), &before);
    assert!(fixed.applied.is_empty());
    assert_eq!(fixed.rejected.len(), 2, "{fixed:?}");
    assert!(fixed.rejected.iter().all(|it| {
        matches!(it.rejection.reason, Reason::Stale | Reason::Invalid | Reason::OutsideRoot)
    }));
}

/// RS-49: what requires a repair that failed cannot go either, and is not blamed for it.
#[test]
fn a_repair_that_requires_a_bad_one_is_not_applied() {
    let before = tree("//- a.txt\nlie\n//- b.txt\nbad\n//- c.txt\nodd\n");
    let words = patterns(
        "words",
        vec![
            rule("R_LIE", "lie", "belief").warns(),
            rule("R_BAD", "bad", "good"),
            rule("R_ODD", "odd", "even"),
        ],
    );
    let chained = fake("words", |input| {
        let mut report = words.report(input)?;
        let lie = report.repairs.iter().find(|it| it.rule_id == "R_LIE").map(|it| it.id.clone());
        for it in report.repairs.iter_mut().filter(|it| it.rule_id == "R_BAD") {
            Arc::make_mut(it).compatibility.requires.extend(lie.clone());
        }
        Ok(report)
    });
    let fixed = fix(&[&chained], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 2, rechecks 6, settled
    applied R_ODD in c.txt (pass 1)
    rejected R_BAD: precondition_failed: it requires r_6dffa6035da8, which is not applied
    rejected R_LIE: unverified: R_LIE at a.txt:1:1 is still there
    warning R_LIE at a.txt:1
    error R_BAD at b.txt:1
    //- c.txt
    even
    ");
}

/// A provider that says nothing because it cannot look has not said that nothing is wrong.
#[test]
fn a_finding_is_not_resolved_by_keeping_its_phase_from_running() {
    let early = rule("R_EARLY", "bad", "fog");
    let late = rule("R_LATE", "bad", "fog").late();
    for (rule, name) in [(early, "R_EARLY"), (late, "R_LATE")] {
        let others = rule_of_another_phase();
        let mut provider = patterns("words", vec![rule, others]);
        provider.blocker = Some("fog".into());
        let tree = tree("//- a.txt\nbad other\n//- b.txt\nfog\n");
        let fixed = fix(&[&provider], &Sieve::default(), &tree);
        assert_eq!(
            show(&tree, &fixed),
            format!(
                "passes 1, rechecks 1, settled\n\
                 rejected {name}: regressed: words can no longer look at a.txt as far as before\n\
                 error {name} at a.txt:1\nerror R_OTHER at a.txt:1\n"
            )
        );
    }
}

fn rule_of_another_phase() -> Pattern {
    rule("R_OTHER", "other", "").late().without_repair()
}

/// RS-17: equal repairs are numbered, and the second one has the first one's number after that was made.
#[test]
fn a_name_allows_one_repair_and_not_its_equals() {
    let words = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let guess = fake("words", |input| {
        let mut report = words.report(input)?;
        for repair in &mut report.repairs {
            Arc::make_mut(repair).safety = check::Safety::BehaviorChanging;
        }
        Ok(report)
    });
    let tree = tree("//- a.txt\nbad\nbad\nbad\n");
    let start = assess(&[&guess], &Sieve::default(), &tree);
    for (at, expected) in
        ["good\nbad\nbad\n", "bad\ngood\nbad\n", "bad\nbad\ngood\n"].iter().enumerate()
    {
        let allow = BTreeSet::from([start.repairs[at].id.clone()]);
        let fixed = fix_allowing(&[&guess], &tree, allow);
        let text = &fixed.end.snapshot.file(&path("a.txt")).unwrap().text();
        assert_eq!(String::from_utf8_lossy(text.bytes()), **expected);
    }
}
