//! Sources that take what belongs to others: their ids, their names, their time, the end of the run. Whatever one of them
//! does, the honest repairs are made and it is the one who is named.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use check::{
    Card, Check, Cost, Coverage, Diagnostic, Environment, FailureKind, Input, LookError, Looker,
    Opened, Page, Provider, Report, Safety, Stop, StopCause,
};
use engine::{Fixed, Options, Run, Sieve, Sources};
use plan::Policy;
use snapshot::Snapshot;

use super::kit::*;

/// `bad` is the business of the honest `words`, `odd` that of the impostor `aaa`, which comes first by its name.
const TREE: &str = "//- a.txt\nbad\n//- b.txt\nodd\n";

fn words() -> Patterns {
    patterns("words", vec![rule("R_BAD", "bad", "good")])
}

/// Does something with what a source gets that is asked about the tree for the first time.
fn asked_first<T>(snapshot: &Snapshot, work: impl FnOnce(&Input<'_>) -> T) -> T {
    let (parses, stop) = (check::Parses::new(document::Limits::DEFAULT), Stop::new());
    work(&Input { snapshot, since: None, parses: &parses, stop: &stop, only: None })
}

fn own_report(input: &Input<'_>) -> Report {
    let odd = patterns("aaa", vec![rule("R_ODD", "odd", "even").without_repair()]);
    Check::check(&odd, &Input { since: None, ..*input }).unwrap()
}

/// The honest repair is made, and these are the sources that are named.
#[track_caller]
fn check(fixed: &Fixed, named: &[&str]) {
    let applied: Vec<&str> = fixed.applied.iter().map(|it| it.repair.rule_id.as_str()).collect();
    assert_eq!(applied, ["R_BAD"], "{:?}", fixed.rejected);
    let failed: BTreeSet<&str> = fixed.end.failures.iter().map(|it| it.source.as_str()).collect();
    assert_eq!(failed, named.iter().copied().collect(), "{:?}", fixed.end.failures);
}

#[track_caller]
fn check_function(
    named: &[&str],
    look: impl Fn(&Input<'_>) -> Result<Report, LookError> + Send + Sync,
) {
    let (words, impostor) = (words(), fake("aaa", look));
    let fixed = fix(&[&words, &impostor], &Sieve::default(), &tree(TREE));
    check(&fixed, named);
}

/// AE-48: nobody can be stopped whom nobody stopped, and the run goes on.
#[test]
fn one_that_stops_by_itself_has_failed() {
    check_function(&["aaa"], |_| Err(LookError::stopped()));
    check_function(&["aaa"], |input| match input.since {
        None => Ok(own_report(input)),
        Some(_) => Err(LookError::stopped()),
    });
    check_function(&["oracle"], |input| {
        let unheard = BTreeMap::from([("oracle".to_owned(), LookError::stopped())]);
        Ok(Report { unheard, ..own_report(input) })
    });
}

/// What a source is given to listen to ends its own work at most.
#[test]
fn one_cannot_stop_the_others() {
    check_function(&[], |input| {
        input.stop.set(StopCause::Cancelled);
        Ok(own_report(input))
    });
}

/// RS-3: an id is made from what it stands for, and whoever made it so keeps it.
#[test]
fn a_stolen_id_costs_the_thief() {
    let honest = asked_first(&tree(TREE), |it| Check::check(&words(), it)).unwrap();
    let stolen = honest.diagnostics[0].diagnostic_id.clone();
    check_function(&["aaa"], move |input| {
        let own = own_report(input).diagnostics.into_iter();
        let renamed =
            own.map(|it| Arc::new(Diagnostic { diagnostic_id: stolen.clone(), ..(*it).clone() }));
        Ok(Report { diagnostics: renamed.collect(), ..Report::default() })
    });
}

/// A report is about its own findings, and about those whom the source asked in turn.
#[test]
fn one_speaks_for_itself() {
    let honest = asked_first(&tree(TREE), |it| Check::check(&words(), it)).unwrap();
    let doubted: BTreeSet<String> =
        honest.diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect();
    check_function(&["aaa"], move |input| {
        Ok(Report { doubtful: doubted.clone(), ..own_report(input) })
    });
    for name in ["words", "regreen", "", "a\nb", "a/b"] {
        check_function(&["aaa"], move |input| {
            let error = LookError::new(FailureKind::Unavailable, "it says");
            let unheard = BTreeMap::from([(name.to_owned(), error)]);
            Ok(Report { unheard, ..own_report(input) })
        });
    }
}

/// A silent source is not evidence, and what it says later cannot be compared with anything.
#[test]
fn one_that_answers_only_later_is_no_evidence() {
    let kinds = [FailureKind::Unavailable, FailureKind::Garbled, FailureKind::TimedOut];
    for kind in kinds {
        let n_asked = AtomicUsize::new(0);
        check_function(&["aaa"], move |input| match n_asked.fetch_add(1, Ordering::SeqCst) {
            0 => Err(LookError::new(kind, "not yet")),
            _ => Ok(own_report(input)),
        });
    }
}

#[test]
fn a_name_is_one_that_people_can_write() {
    for name in ["", "a/b", "a\nb", "a b", "\u{1b}[31m"] {
        let (words, mut impostor) = (words(), fake("aaa", |input| Ok(own_report(input))));
        impostor.0.name = name.to_owned();
        let fixed = fix(&[&words, &impostor], &Sieve::default(), &tree(TREE));
        check(&fixed, &["unknown"]);
    }
}

/// A source that runs elsewhere, and is strange in one way.
#[derive(Clone)]
struct Strange {
    card: Card,
    open: fn(),
    drop: fn(),
    /// What it finds at the nth look.
    look: fn(usize, &Input<'_>) -> Report,
    n_looks: Arc<AtomicUsize>,
}

impl Strange {
    fn new() -> Strange {
        let look = |_: usize, input: &Input<'_>| own_report(input);
        let n_looks = Arc::default();
        Strange { card: card("aaa", Cost::Process), open: || {}, drop: || {}, look, n_looks }
    }
}

impl Provider for Strange {
    fn card(&self) -> &Card {
        &self.card
    }

    fn open(&self, _: &Environment) -> Result<Opened<'_>, LookError> {
        (self.open)();
        Ok(Opened::Elsewhere(Box::new(StrangeLooker(self.clone()))))
    }

    fn coverage(&self, _: &Snapshot, _: &Report) -> Coverage {
        Coverage::default()
    }

    fn page(&self, _: &str) -> Option<Page> {
        None
    }
}

struct StrangeLooker(Strange);

impl Looker for StrangeLooker {
    fn look(&mut self, input: &Input<'_>) -> Result<Report, LookError> {
        Ok((self.0.look)(self.0.n_looks.fetch_add(1, Ordering::SeqCst), input))
    }

    fn repairs(
        &mut self,
        _: &Input<'_>,
        _: &BTreeSet<String>,
        _: &mut Report,
    ) -> Result<(), LookError> {
        Ok(())
    }
}

impl Drop for StrangeLooker {
    fn drop(&mut self) {
        (self.0.drop)();
    }
}

fn fixed_beside(strange: Strange) -> Fixed {
    let sources: Vec<Arc<dyn Provider>> = vec![Arc::new(words()), Arc::new(strange)];
    let limit = Duration::from_millis(200);
    let sources = Sources::sharing(sources, Environment::default()).with_limit(limit);
    let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: 10,
        max_rechecks: 1000,
    };
    let (parses, sieve) =
        (Arc::new(check::Parses::new(document::Limits::DEFAULT)), Sieve::default());
    let stop = Stop::new();
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
    fix_in(&run, &tree(TREE), &options)
}

/// One that runs elsewhere and objects is asked again about the same tree: whoever changes its mind is not believed.
#[test]
fn one_that_objects_and_changes_its_mind_is_not_believed() {
    let look = |n: usize, input: &Input<'_>| {
        let text = format!("//- b.txt\n{}", "odd\n".repeat(n + 1));
        let known = input.snapshot.file(&path("b.txt")).is_some();
        let odd = patterns("aaa", vec![rule("R_ODD", "odd", "even").without_repair()]);
        let more = tree(&text);
        let report = asked_first(&more, |it| Check::check(&odd, it)).unwrap();
        assert!(known);
        // Every look finds one more, all of them in a file that has one line.
        let placed = report
            .diagnostics
            .into_iter()
            .map(|it| Arc::new(Diagnostic { location: None, ..(*it).clone() }));
        Report { diagnostics: placed.collect(), ..Report::default() }
    };
    check(&fixed_beside(Strange { look, ..Strange::new() }), &["aaa"]);
}

/// What it found in a file that is the same is still there when it has fallen silent.
#[test]
fn what_is_known_is_not_forgotten() {
    let n_asked = AtomicUsize::new(0);
    let silent = fake("aaa", move |input| match n_asked.fetch_add(1, Ordering::SeqCst) {
        0 => Ok(own_report(input)),
        _ => Err(LookError::new(FailureKind::Unavailable, "gone")),
    });
    let words = words();
    let fixed = fix(&[&words, &silent], &Sieve::default(), &tree(TREE));
    check(&fixed, &["aaa"]);
    assert_eq!(findings(&fixed.end), "error R_ODD at b.txt:1\n");
}

/// To open one, and to let go of it, may take for ever or panic.
#[test]
fn doors_do_not_hold_anybody_up() {
    let for_ever = || std::thread::sleep(Duration::from_secs(3600));
    let start = Instant::now();
    check(&fixed_beside(Strange { open: for_ever, ..Strange::new() }), &["aaa"]);
    check(&fixed_beside(Strange { open: || panic!("as it likes"), ..Strange::new() }), &["aaa"]);
    check(&fixed_beside(Strange { drop: for_ever, ..Strange::new() }), &[]);
    check(&fixed_beside(Strange { drop: || panic!("as it likes"), ..Strange::new() }), &[]);
    assert!(start.elapsed() < Duration::from_secs(600));
}

/// Repairs of one source that fail one by one do not use up what may be tried of the others, in this pass or a later one.
#[test]
fn failing_repairs_of_one_source_cost_the_others_nothing() {
    // Each of them makes a word worse, and only the tree as a whole tells.
    let spoiler = patterns("aaa", vec![rule("R_FINE", "fine", "dire")]);
    let censor = patterns("mmm", vec![rule("R_DIRE", "dire", "").without_repair()]);
    let later = rule("R_TWO", "two", "three").informs();
    let words = patterns("zzz", vec![rule("R_ONE", "one", "two"), later]);
    let mut text = String::new();
    for n in 0..400 {
        writeln!(text, "//- a{n}.txt\nfine").unwrap();
    }
    text.push_str("//- b.txt\none\n//- a250b.txt\none\n");
    let fixed = fix_within(&[&spoiler, &censor, &words], &Sieve::default(), &tree(&text), 10, 120);
    let read = |name: &str| fixed.end.snapshot.file(&path(name)).unwrap().text();
    for (name, expected) in [("b.txt", "three\n"), ("a250b.txt", "three\n"), ("a7.txt", "fine\n")] {
        assert_eq!(read(name), edit::Text::new(expected), "{name}");
    }
    assert_eq!(fixed.ending, engine::Ending::RecheckBudget);
}
