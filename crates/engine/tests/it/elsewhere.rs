//! Sources that run elsewhere, and every way in which they can fail: slow, hanging, dying at the first look or in a
//! trial, garbled, lying about rules, flooding, cancelled. Nothing of the others is lost, and the culprit is named.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use check::{
    Card, Check as _, Cost, Coverage, Diagnostic, Environment, FailureKind, Input, Interest,
    LookError, Looker, Opened, Page, Provider, Report, RuleInfo, RuleSet, Safety, Severity, Stop,
    StopCause, Tier,
};
use engine::{Ending, Fixed, Options, Run, Sieve, Sources};
use plan::Policy;
use snapshot::Snapshot;

use super::kit::*;

/// What a look does instead of answering.
#[derive(Clone, Debug)]
enum Deed {
    Answer,
    /// Does not come back, and does not listen.
    Hang,
    /// Comes back when it is told to.
    Wait,
    Fail(FailureKind),
    Panic,
    /// Says the first thing again and again.
    Flood(usize),
    /// Says something else of a finding than is so.
    Distort(fn(&mut Diagnostic)),
}

/// What to do at which look, from 0, at which tree.
type Script = dyn Fn(usize, &Snapshot) -> Deed + Send + Sync;

/// A tool that finds words, with a script of what it does at each look. Clones of its state are shared by its lookers.
#[derive(Clone)]
struct Tool {
    card: Card,
    words: Arc<Patterns>,
    script: Arc<Script>,
    n_looks: Arc<AtomicUsize>,
    n_opened: Arc<AtomicUsize>,
    n_repairs_asked: Arc<AtomicUsize>,
    /// What it was asked about, by the paths that changed.
    asked: Arc<Mutex<Vec<Option<usize>>>>,
}

fn tool(
    name: &str,
    rules: Vec<Pattern>,
    script: impl Fn(usize, &Snapshot) -> Deed + Send + Sync + 'static,
) -> Tool {
    Tool {
        card: card(name, Cost::Process),
        words: Arc::new(patterns(name, rules)),
        script: Arc::new(script),
        n_looks: Arc::default(),
        n_opened: Arc::default(),
        n_repairs_asked: Arc::default(),
        asked: Arc::default(),
    }
}

impl Provider for Tool {
    fn card(&self) -> &Card {
        &self.card
    }

    fn open(&self, _: &Environment) -> Result<Opened<'_>, LookError> {
        self.n_opened.fetch_add(1, Ordering::SeqCst);
        Ok(Opened::Elsewhere(Box::new(self.clone())))
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        check::Check::coverage(&*self.words, snapshot, report)
    }

    fn page(&self, _: &str) -> Option<Page> {
        None
    }
}

impl Looker for Tool {
    fn look(&mut self, input: &Input<'_>) -> Result<Report, LookError> {
        let n = self.n_looks.fetch_add(1, Ordering::SeqCst);
        self.asked.lock().unwrap().push(input.since.map(|it| it.changed.len()));
        let mut times = 1;
        let deed = (self.script)(n, input.snapshot);
        match deed {
            Deed::Answer => {}
            Deed::Flood(n) => times = n,
            Deed::Distort(_) => {}
            Deed::Hang => std::thread::sleep(Duration::from_secs(3600)),
            Deed::Wait => {
                while !input.stop.is_set() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(LookError::stopped());
            }
            Deed::Fail(kind) => return Err(LookError::new(kind, "as the script says")),
            Deed::Panic => panic!("as the script says"),
        }
        let mut report = self.words.check(&Input { since: None, ..*input })?;
        if let Deed::Distort(distort) = deed {
            for diagnostic in &mut report.diagnostics {
                distort(Arc::make_mut(diagnostic));
            }
        }
        let Some(first) = report.diagnostics.first().cloned() else { return Ok(report) };
        report.diagnostics.extend((1..times).map(|n| {
            let diagnostic_id = format!("{}_{n}", first.diagnostic_id);
            Arc::new(Diagnostic { diagnostic_id, ..(*first).clone() })
        }));
        Ok(report)
    }

    fn repairs(
        &mut self,
        input: &Input<'_>,
        of: &BTreeSet<String>,
        report: &mut Report,
    ) -> Result<(), LookError> {
        self.n_repairs_asked.fetch_add(1, Ordering::SeqCst);
        check::Check::repairs(&*self.words, input, report)?;
        report.repairs.retain(|it| it.resolves.iter().all(|id| of.contains(id)));
        Ok(())
    }
}

const LIMIT: Duration = Duration::from_millis(200);

fn run_with<T>(
    providers: &[&dyn Provider],
    (stop, limit): (&Stop, Duration),
    work: impl FnOnce(&Run<'_>) -> T,
) -> T {
    let sources = Sources::new(providers, Environment::default()).with_limit(limit);
    let (parses, sieve) =
        (Arc::new(check::Parses::new(document::Limits::DEFAULT)), Sieve::default());
    work(&Run { sources: &sources, parses: &parses, sieve: &sieve, stop, only: None })
}

fn fixed(providers: &[&dyn Provider], before: &Snapshot) -> Fixed {
    fixed_until(providers, before, (&Stop::new(), LIMIT), 1000)
}

fn fixed_until(
    providers: &[&dyn Provider],
    before: &Snapshot,
    until: (&Stop, Duration),
    max_rechecks: usize,
) -> Fixed {
    let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: 10,
        max_rechecks,
    };
    run_with(providers, until, |run| fix_in(run, before, &options))
}

fn words() -> Patterns {
    patterns("words", vec![rule("R_BAD", "bad", "good")])
}

fn odd() -> Vec<Pattern> {
    vec![rule("R_ODD", "odd", "even")]
}

const TREE: &str = "//- a.txt\nbad\n//- b.txt\nodd\n";

#[test]
fn what_runs_elsewhere_is_asked_once_for_a_batch_and_its_repairs_only_of_kept_trees() {
    let before = tree(TREE);
    let (words, linter) = (words(), tool("linter", odd(), |_, _| Deed::Answer));
    let fixed = fixed(&[&words, &linter], &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 1, rechecks 21, settled
    applied R_BAD in a.txt (pass 1)
    applied R_ODD in b.txt (pass 1)
    //- a.txt
    good
    //- b.txt
    even
    ");
    // The first look, and one that confirms; repairs once, as nothing is found in the end.
    assert_eq!(*linter.asked.lock().unwrap(), [None, Some(2)]);
    assert_eq!(linter.n_repairs_asked.load(Ordering::SeqCst), 1);
    assert_eq!(linter.n_opened.load(Ordering::SeqCst), 1);
}

/// What a finding says of itself and is not so is named, and put right where its bytes say how it is.
#[test]
fn lines_phases_and_ids_that_are_none_are_named() {
    let check = |distort: fn(&mut Diagnostic), n_found: usize, flaw: &str| {
        let linter = tool("linter", odd(), move |_, _| Deed::Distort(distort));
        let words = words();
        let assessment = run_with(&[&words, &linter], (&Stop::new(), LIMIT), |run| {
            engine::assess(run, &tree("//- a.txt\nbad\n//- b.txt\n\u{e9}\n\u{1f600}odd\n"), None)
        });
        let found = assessment.diagnostics.iter().filter(|it| it.source == "linter");
        let places: Vec<_> =
            found.map(|it| it.location.map(|it| (it.start_line, it.start_col))).collect();
        assert_eq!(places, vec![Some((2, 2)); n_found], "{flaw}");
        assert_eq!(assessment.diagnostics.len(), n_found + 1, "{flaw}");
        let named: Vec<&str> = assessment.failures.iter().map(|it| it.message.as_str()).collect();
        assert!(named.iter().any(|it| it.contains(flaw)), "{flaw}: {named:?}");
    };
    let lines = |it: &mut Diagnostic| {
        if let Some(location) = &mut it.location {
            location.start_line += 7;
            location.end_col = 0;
        }
    };
    check(lines, 1, "line and column are not those of its bytes");
    check(|it| "parsing".clone_into(&mut it.phase), 1, "phase that it does not have");
    check(|it| it.diagnostic_id.push_str("\u{1b}[2J"), 0, "id that cannot be written");
}

#[test]
fn a_linter_is_not_asked_about_a_change_that_it_has_no_interest_in() {
    let before = tree("//- a.txt\nbad\n//- b.py\nodd\n");
    let mut linter =
        tool("linter", vec![rule("R_ODD", "odd", "").without_repair()], |_, _| Deed::Answer);
    linter.card.interest = Interest::extensions(&["py"]);
    let words = words();
    let fixed = fixed(&[&words, &linter], &before);
    assert_eq!(fixed.applied.len(), 1);
    assert_eq!(findings(&fixed.end), "error R_ODD at b.py:1\n");
    assert_eq!(linter.n_looks.load(Ordering::SeqCst), 1);
}

#[test]
fn one_that_objects_is_asked_until_the_culprit_is_found() {
    let text: String = (0..16).map(|n| format!("//- f{n:02}.txt\nbad {n}\n")).collect();
    let before = tree(&text);
    let words = words();
    let linter =
        tool("linter", vec![rule("R_SEVEN", "good 7\n", "").without_repair()], |_, _| Deed::Answer);
    let fixed = fixed(&[&words, &linter], &before);
    assert_eq!(fixed.applied.len(), 15);
    assert_eq!(fixed.rejected.len(), 1);
    assert!(fixed.rejected[0].rejection.detail.contains("R_SEVEN appeared at f07.txt"));
    let n = linter.n_looks.load(Ordering::SeqCst);
    assert!(n <= 2 + 2 * 5 + 2, "{n} looks");
}

/// whatever a source offers and however long it takes to find out that nothing of it works, the repairs of the others
/// are made: they are settled and confirmed before it, and the end of the time leaves time to confirm.
#[test]
fn very_many_repairs_that_fail_cost_nobody_else_his_own() {
    let text: String = (0..60).map(|n| format!("//- f{n:02}.txt\nodd {n}\n")).collect();
    // The second one stands where another one is better ranked, until that one is out.
    let before = tree(&format!("//- a.txt\nbad\n//- b.txt\nodd bad\n{text}"));
    // What it puts there, it finds again.
    let rules = || vec![rule("R_ODD", "odd", "oddly")];
    for (hurry_at, max_rechecks, ending) in [
        (usize::MAX, 1000, Ending::RecheckBudget),
        (usize::MAX, 400, Ending::RecheckBudget),
        (4, 100_000, Ending::TimeBudget),
        (9, 100_000, Ending::TimeBudget),
    ] {
        let stop = Stop::new();
        let hurried = stop.clone();
        let linter = tool("linter", rules(), move |n, _| {
            if n >= hurry_at {
                hurried.hurry();
            }
            Deed::Answer
        });
        let words = words();
        let fixed = fixed_until(&[&words, &linter], &before, (&stop, LIMIT), max_rechecks);
        let applied: Vec<&str> =
            fixed.applied.iter().map(|it| it.repair.rule_id.as_str()).collect();
        assert_eq!(
            applied,
            ["R_BAD", "R_BAD"],
            "{hurry_at} {max_rechecks}: {}",
            show(&before, &fixed)
        );
        assert_eq!(fixed.ending, ending, "{hurry_at} {max_rechecks}: {}", show(&before, &fixed));
    }
}

/// Whatever it does at its first look, the others are not touched by it.
#[test]
fn one_that_fails_at_the_first_look_is_named_and_the_others_go_on() {
    let deeds = [
        (Deed::Hang, FailureKind::TimedOut, 1),
        (Deed::Wait, FailureKind::TimedOut, 1),
        (Deed::Fail(FailureKind::Unavailable), FailureKind::Unavailable, 1),
        (Deed::Fail(FailureKind::Garbled), FailureKind::Garbled, 1),
        (Deed::Fail(FailureKind::BrokenByTree), FailureKind::BrokenByTree, 1),
        (Deed::Fail(FailureKind::Died), FailureKind::Died, 2),
        (Deed::Panic, FailureKind::Panicked, 1),
    ];
    for (deed, kind, n_starts) in deeds {
        let before = tree(TREE);
        let (words, script) = (words(), deed.clone());
        let linter = tool("linter", odd(), move |_, _| script.clone());
        let fixed = fixed(&[&words, &linter], &before);
        assert_eq!(fixed.applied.len(), 1, "{deed:?}");
        let failed: Vec<_> =
            fixed.end.failures.iter().map(|it| (it.source.as_str(), it.kind)).collect();
        assert_eq!(failed, [("linter", kind)], "{deed:?}");
        assert_eq!(linter.n_opened.load(Ordering::SeqCst), n_starts, "{deed:?}");
    }
}

/// AE-48 and the rule that a silent source is not evidence: its own repairs are not applied, those of others are.
#[test]
fn one_that_falls_silent_in_a_trial_condemns_nobody() {
    let deeds = [
        Deed::Hang,
        Deed::Wait,
        Deed::Fail(FailureKind::Unavailable),
        Deed::Fail(FailureKind::Garbled),
        Deed::Fail(FailureKind::Died),
        Deed::Panic,
    ];
    for deed in deeds {
        let before = tree(TREE);
        let (words, script) = (words(), deed.clone());
        let linter = tool("linter", odd(), move |n, _| match n {
            0 => Deed::Answer,
            _ => script.clone(),
        });
        let fixed = fixed(&[&words, &linter], &before);
        let applied: Vec<&str> =
            fixed.applied.iter().map(|it| it.repair.rule_id.as_str()).collect();
        assert_eq!(applied, ["R_BAD"], "{deed:?}");
        let [rejected] = &fixed.rejected[..] else { panic!("{deed:?}: {:?}", fixed.rejected) };
        assert_eq!(rejected.rejection.reason, plan::Reason::Unverified, "{deed:?}");
        let detail = &rejected.rejection.detail;
        assert!(detail.starts_with("linter did not answer"), "{deed:?}: {detail}");
        assert!(fixed.end.failures.iter().all(|it| it.source == "linter"), "{deed:?}");
        assert!(!fixed.end.failures.is_empty(), "{deed:?}");
    }
}

/// One that dies is started once more, and what it says then counts.
#[test]
fn one_that_dies_once_is_started_again() {
    for when in [0, 1] {
        let before = tree(TREE);
        let words = words();
        let linter = tool("linter", odd(), move |n, _| match n == when {
            true => Deed::Fail(FailureKind::Died),
            false => Deed::Answer,
        });
        let fixed = fixed(&[&words, &linter], &before);
        assert_eq!(fixed.applied.len(), 2, "{when}");
        assert_eq!(fixed.end.failures, [], "{when}");
        assert_eq!(linter.n_opened.load(Ordering::SeqCst), 2);
    }
}

/// A file that an edit broke for it is evidence.
#[test]
fn one_that_the_change_keeps_from_working_keeps_the_change_out() {
    let before = tree(TREE);
    let words = words();
    let linter = tool("linter", odd(), |_, snapshot| {
        match snapshot.file(&path("a.txt")).unwrap().text().bytes() {
            b"bad\n" => Deed::Answer,
            _ => Deed::Fail(FailureKind::BrokenByTree),
        }
    });
    let fixed = fixed(&[&words, &linter], &before);
    let applied: Vec<&str> = fixed.applied.iter().map(|it| it.repair.rule_id.as_str()).collect();
    assert_eq!(applied, ["R_ODD"]);
    assert!(fixed.rejected[0].rejection.detail.contains("linter cannot check the result"));
}

/// A rule that a closed list does not have, and more findings than anybody takes.
#[test]
fn one_that_lies_about_rules_or_floods_is_named() {
    let before = tree(TREE);
    let words = words();
    let mut linter = tool("linter", odd(), |_, _| Deed::Answer);
    let known =
        RuleInfo { id: "R_EVEN".into(), tier: Tier::Semantic, severity: Some(Severity::Error) };
    linter.card.rules = RuleSet::closed([known]);
    let lying = fixed(&[&words, &linter], &before);
    let messages: Vec<&str> = lying.end.failures.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, ["a finding of a rule that it does not have: R_ODD in b.txt"]);
    assert_eq!(lying.applied.len(), 2);

    let linter = tool("linter", odd(), |_, _| Deed::Flood(1_000_000));
    let patiently = (&Stop::new(), Duration::from_secs(600));
    let flooded = fixed_until(&[&words, &linter], &before, patiently, 1000);
    let applied: Vec<&str> = flooded.applied.iter().map(|it| it.repair.rule_id.as_str()).collect();
    assert_eq!(applied, ["R_BAD"]);
    assert_eq!(flooded.end.failures[0].source, "linter");
    assert!(flooded.end.failures[0].message.contains("1000000 findings"));
}

/// Sources that answer slowly are waited for together, not one after another.
#[test]
fn slow_ones_are_asked_at_the_same_time() {
    let before = tree(TREE);
    let both = Arc::new(std::sync::Barrier::new(2));
    let slow = |name: &str| {
        let both = Arc::clone(&both);
        tool(name, odd(), move |n, _| {
            // Nobody gets past this alone.
            if n == 0 {
                both.wait();
            }
            Deed::Answer
        })
    };
    let (left, right) = (slow("left"), slow("right"));
    let sieve = Sieve::default();
    let found = assess(&[&left, &right], &sieve, &before);
    assert_eq!(found.failures, []);
    assert_eq!(found.diagnostics.len(), 2);
}

/// Cancelled or out of time at any moment: what was kept until then is whole, and the rest is said not to have been tried.
#[test]
fn a_run_that_is_cut_short_says_so_and_keeps_what_is_proved() {
    for at in 0..6 {
        for (cause, ending) in
            [(StopCause::Cancelled, Ending::Cancelled), (StopCause::OutOfTime, Ending::TimeBudget)]
        {
            let before = tree("//- a.txt\nbad\n//- b.txt\nodd\n//- c.txt\nugly\n");
            let stop = Stop::new();
            let (early, count) = (stop.clone(), Arc::new(AtomicUsize::new(0)));
            let words = fake("words", move |input| {
                if count.fetch_add(1, Ordering::SeqCst) == at {
                    early.set(cause);
                }
                let rules =
                    vec![rule("R_BAD", "bad", "ugly"), rule("R_UGLY", "ugly", "fine").warns()];
                patterns("words", rules).report(input)
            });
            let linter = tool("linter", odd(), |_, _| Deed::Answer);
            let fixed = fixed_until(&[&words, &linter], &before, (&stop, LIMIT), 1000);
            if stop.is_set() && !fixed.rejected.is_empty() {
                assert_eq!(fixed.ending, ending, "{at}");
                let is_budget = |it: &engine::RejectedRepair| {
                    matches!(it.rejection.reason, plan::Reason::Budget | plan::Reason::Unverified)
                };
                assert!(fixed.rejected.iter().all(is_budget), "{at}: {:?}", fixed.rejected);
            }
        }
    }
}

/// A budget that is too small for those that must confirm leaves the tree as it was.
#[test]
fn without_budget_to_confirm_nothing_is_kept() {
    let before = tree(TREE);
    let (words, linter) = (words(), tool("linter", odd(), |_, _| Deed::Answer));
    let fixed = fixed_until(&[&words, &linter], &before, (&Stop::new(), LIMIT), 5);
    assert_eq!((fixed.ending, fixed.applied.len()), (Ending::RecheckBudget, 0));
    assert_eq!(fixed.rejected.len(), 2);
}
