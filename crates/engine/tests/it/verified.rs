//! Runs in which everybody means well: batches, passes, phases, levels.

use std::sync::atomic::Ordering;

use check::Check as _;
use engine::{Ending, Sieve};

use super::kit::*;

#[track_caller]
fn run(before: &str, rules: Vec<Pattern>) -> String {
    let tree = tree(before);
    let provider = patterns("words", rules);
    show(&tree, &fix(&[&provider], &Sieve::default(), &tree))
}

/// RS-41, RS-56, RS-63: what is compatible is tried together, and costs one look.
#[test]
fn many_compatible_repairs_cost_one_recheck() {
    let text: String = (0..50).map(|n| format!("//- f{n:02}.txt\nbad and bad\n")).collect();
    let tree = tree(&text);
    let provider = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let fixed = fix(&[&provider], &Sieve::default(), &tree);
    assert_eq!((fixed.applied.len(), fixed.passes, fixed.rechecks), (100, 1, 1));
    assert_eq!(fixed.ending, Ending::Settled);
    assert!(fixed.end.diagnostics.is_empty() && fixed.rejected.is_empty());
    // At the start, after the only pass, and once more to see whether the answer stands.
    assert_eq!(provider.n_calls.load(Ordering::Relaxed), 3);
}

/// RS-42, RS-47: the next pass sees the fresh state only.
#[test]
fn what_a_repair_uncovers_is_repaired_in_the_next_pass() {
    let found = run(
        "//- a.txt\none two\n",
        vec![rule("R_ONE", "one", "1"), rule("R_MIX", "1 two", "1 2").warns()],
    );
    insta::assert_snapshot!(found, @"
    passes 2, rechecks 2, settled
    applied R_ONE in a.txt (pass 1)
    applied R_MIX in a.txt (pass 2)
    //- a.txt
    1 2
    ");
}

/// AE-17: the loser waits, and if it never gets its turn it is reported with what it lost to.
#[test]
fn overlapping_repairs_take_turns() {
    let rules = vec![rule("R_LEFT", "ab", "xb"), rule("R_RIGHT", "bc", "y").warns()];
    insta::assert_snapshot!(run("//- a.txt\nabc\n", rules), @"
    passes 2, rechecks 2, settled
    applied R_LEFT in a.txt (pass 1)
    applied R_RIGHT in a.txt (pass 2)
    //- a.txt
    xy
    ");
    let rules = vec![rule("R_LEFT", "ab", "x"), rule("R_RIGHT", "bc", "y").warns()];
    insta::assert_snapshot!(run("//- a.txt\nabc\n", rules), @"
    passes 1, rechecks 1, settled
    applied R_LEFT in a.txt (pass 1)
    rejected R_RIGHT: conflict: a.txt: the edits overlap, bytes 1..3 against 0..2
    //- a.txt
    xc
    ");
}

/// What a phase says that could not run before is revealed, not new.
#[test]
fn a_blocked_phase_may_reveal_any_number_of_findings() {
    let tree = tree("//- a.txt\nbroken type type\n//- b.txt\ntype\n");
    let mut provider = patterns(
        "words",
        vec![
            rule("R_SYNTAX", "broken", "whole"),
            rule("R_TYPE", "type", "").late().without_repair(),
        ],
    );
    provider.blocker = Some("broken".into());
    let fixed = fix(&[&provider], &Sieve::default(), &tree);
    insta::assert_snapshot!(show(&tree, &fixed), @"
    passes 1, rechecks 1, settled
    applied R_SYNTAX in a.txt (pass 1)
    error R_TYPE at a.txt:1
    error R_TYPE at a.txt:1
    error R_TYPE at b.txt:1
    //- a.txt
    whole type type
    ");
}

/// What a repair says it brings to light is not its doing, by rule and number; that no more is wrong is not for it to say.
#[test]
fn a_repair_may_reveal_what_it_says_as_long_as_no_more_is_wrong() {
    let text = "//- a.txt\nitme itmes\n";
    let typo = |put: &str, reveals: &[&str]| {
        vec![
            rule("R_NAME", "itme", put).reveals(reveals),
            rule("R_FIELD", "prize", "price"),
            rule("R_OTHER", "other", "").without_repair(),
        ]
    };
    insta::assert_snapshot!(run(text, typo("prize", &["R_FIELD"])), @"
    passes 2, rechecks 2, settled
    applied R_NAME in a.txt (pass 1)
    applied R_NAME in a.txt (pass 1)
    applied R_FIELD in a.txt (pass 2)
    applied R_FIELD in a.txt (pass 2)
    //- a.txt
    price prices
    ");
    insta::assert_snapshot!(run(text, typo("prize", &[])), @"
    passes 1, rechecks 3, settled
    rejected R_NAME: regressed: R_FIELD appeared at a.txt:1:1
    rejected R_NAME: regressed: R_FIELD appeared at a.txt:1:6
    error R_NAME at a.txt:1
    error R_NAME at a.txt:1
    ");
    insta::assert_snapshot!(run(text, typo("other", &["R_FIELD"])), @"
    passes 1, rechecks 3, settled
    rejected R_NAME: regressed: R_OTHER appeared at a.txt:1:6
    rejected R_NAME: regressed: R_OTHER appeared at a.txt:1:1
    error R_NAME at a.txt:1
    error R_NAME at a.txt:1
    ");
    insta::assert_snapshot!(run(text, typo("prize prize", &["R_FIELD", "R_FIELD"])), @"
    passes 1, rechecks 3, settled
    rejected R_NAME: regressed: it leaves more findings, counted phase by phase, than there were without it
    rejected R_NAME: regressed: it leaves more findings, counted phase by phase, than there were without it
    error R_NAME at a.txt:1
    error R_NAME at a.txt:1
    ");
}

/// A finding about two files is hidden as long as one of them cannot be looked at.
#[test]
fn what_was_hidden_by_another_file_is_revealed_too() {
    let before = tree("//- a.txt\nbroken uid\n//- b.txt\nuid\n");
    let mut words = patterns("words", vec![rule("R_SYNTAX", "broken", "whole")]);
    words.blocker = Some("broken".into());
    let unique = fake("words", |input| {
        let mut report = words.report(input)?;
        if report.blocked.is_empty() {
            let uids = patterns("words", vec![rule("R_UID", "uid", "").late().without_repair()]);
            let mut second = (*uids.check(input)?.diagnostics[1]).clone();
            second.related.push(check::Related {
                file: "a.txt".into(),
                json_pointer: None,
                location: None,
                message: "first used here".into(),
            });
            report.diagnostics.push(std::sync::Arc::new(second));
        }
        Ok(report)
    });
    let fixed = fix(&[&unique], &Sieve::default(), &before);
    assert_eq!((fixed.applied.len(), fixed.end.diagnostics.len()), (1, 1), "{fixed:?}");
}

/// RS-33: the count never rises, not even for findings that were hidden, if nothing that counts was resolved for it.
#[test]
fn a_note_is_not_worth_the_errors_behind_it() {
    let tree = tree("//- a.txt\nfog type\n");
    let rules = vec![
        rule("R_FOG", "fog", "air").informs(),
        rule("R_TYPE", "type", "").late().without_repair(),
    ];
    let mut provider = patterns("words", rules);
    provider.blocker = Some("fog".into());
    let fixed = fix(&[&provider], &Sieve::default(), &tree);
    insta::assert_snapshot!(show(&tree, &fixed), @"
    passes 1, rechecks 1, settled
    rejected R_FOG: regressed: it leaves more findings, counted phase by phase, than there were without it
    info R_FOG at a.txt:1
    ");
}

/// Without a phase that was blocked, the same findings are new.
#[test]
fn the_same_findings_are_a_regression_if_the_phase_could_run() {
    let found = run(
        "//- a.txt\nbroken\n",
        vec![
            rule("R_SYNTAX", "broken", "whole type"),
            rule("R_TYPE", "type", "").late().without_repair(),
        ],
    );
    insta::assert_snapshot!(found, @"
    passes 1, rechecks 1, settled
    rejected R_SYNTAX: regressed: R_TYPE appeared at a.txt:1:7
    error R_SYNTAX at a.txt:1
    ");
}

/// A price below what was resolved is paid; RS-33 decides what is below.
#[test]
fn an_error_may_be_resolved_at_the_price_of_a_warning() {
    let found = run(
        "//- a.txt\nbad\n//- b.txt\nmeh\n",
        vec![
            rule("R_BAD", "bad", "odd"),
            rule("R_ODD", "odd", "").warns().without_repair(),
            rule("R_MEH", "meh", "fine").warns(),
        ],
    );
    insta::assert_snapshot!(found, @"
    passes 1, rechecks 2, settled
    applied R_BAD in a.txt (pass 1)
    applied R_MEH in b.txt (pass 1)
    warning R_ODD at a.txt:1
    //- a.txt
    odd
    //- b.txt
    fine
    ");
}

/// A warning of an earlier phase weighs more than an error of a later one.
#[test]
fn no_earlier_phase_pays_for_a_later_one() {
    let found = run(
        "//- a.txt\nbad\n",
        vec![rule("R_BAD", "bad", "odd").late(), rule("R_ODD", "odd", "").warns().without_repair()],
    );
    insta::assert_snapshot!(found, @"
    passes 1, rechecks 1, settled
    rejected R_BAD: regressed: R_ODD appeared at a.txt:1:1
    error R_BAD at a.txt:1
    ");
}

/// Equal findings are numbered in their ids, and the numbers move up when one of them goes.
#[test]
fn one_of_several_equal_findings_can_be_resolved() {
    let tree = tree("//- a.txt\nbad\nbad\nbad\n");
    let provider = patterns("words", vec![rule("R_BAD", "bad", "good")]);
    let start = assess(&[&provider], &Sieve::default(), &tree);
    let policy =
        plan::Policy { safety: check::Safety::BehaviorPreserving, allow: Default::default() };
    let second = start.repairs[1].id.clone();
    let options = engine::Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|it| it.id == second,
        max_passes: 1,
        max_rechecks: 10,
    };
    let fixed = with_run(&[&provider], &Sieve::default(), |run| fix_in(run, &tree, &options));
    assert_eq!(fixed.applied.len(), 1, "{fixed:?}");
    assert_eq!(
        fixed.end.snapshot.file(&path("a.txt")).unwrap().text().bytes(),
        b"bad\ngood\nbad\n"
    );
}

/// Nothing is done to what is not to be edited, and the reason is given.
#[test]
fn budgets_have_their_own_reason() {
    let tree = tree("//- a.txt\na\n//- b.txt\nbad bad\n");
    let provider =
        patterns("words", vec![rule("R_A", "a\n", "aa\n"), rule("R_BAD", "bad", "good")]);
    let none = fix_within(&[&provider], &Sieve::default(), &tree, 0, 10);
    assert_eq!((none.ending, none.applied.len()), (Ending::PassBudget, 0));
    assert!(none.rejected.iter().all(|it| it.rejection.reason == plan::Reason::Budget));
    assert_eq!(none.rejected.len(), 3);
    let none = fix_within(&[&provider], &Sieve::default(), &tree, 10, 0);
    assert_eq!((none.ending, none.applied.len(), none.rechecks), (Ending::RecheckBudget, 0, 0));
    assert!(none.rejected.iter().all(|it| it.rejection.reason == plan::Reason::Budget));
}

/// Finds items that are `bad` in the list of a.yaml, and proposes to delete them.
fn bad_items(input: &check::Input<'_>) -> Result<check::Report, check::LookError> {
    let file = path("a.yaml");
    let text = &input.snapshot.file(&file).unwrap().text();
    let parsed = input.parses.get(text, document::Format::Yaml);
    let document = parsed.document().unwrap();
    let list = document::Pointer::root().join("items");
    let mut diagnostics = Vec::new();
    for index in 0.. {
        let at = list.join(index.to_string());
        let (Some(value), Some(found)) = (document.value_at(&at), document.locate(&at)) else {
            break;
        };
        if value.as_str() == Some("bad") {
            let plain = patterns("lists", vec![rule("R_ITEM", "bad", "").without_repair()]);
            let mut it = (*plain.check(input)?.diagnostics[0]).clone();
            it.json_pointer = Some(at.to_string());
            it.location = check::Location::new(parsed.lines(), found.span);
            it.details.insert("index".into(), document::Value::String(index.to_string()));
            diagnostics.push(it);
        }
    }
    check::sort_and_assign_ids(&mut diagnostics);
    let mut repairs: Vec<check::Repair> = Vec::new();
    for it in &diagnostics {
        let index = it.details["index"].as_str().unwrap().parse().unwrap();
        let op = document::Op::DeleteItem { at: list.clone(), index };
        let mut made = repair("lists", "R_ITEM", &[&it.diagnostic_id], input.snapshot, &[]);
        made.ops = vec![check::RepairOp::Document { file: file.clone(), step: op.into() }];
        repairs.push(made);
    }
    check::assign_repair_ids(&mut repairs, input.snapshot);
    Ok(check::Report {
        diagnostics: diagnostics.into_iter().map(std::sync::Arc::new).collect(),
        repairs: repairs.into_iter().map(std::sync::Arc::new).collect(),
        ..check::Report::default()
    })
}

/// Pointers with indexes move when items go: the findings behind them are still the same ones.
#[test]
fn items_of_a_list_are_repaired_together_though_their_pointers_move() {
    let before =
        tree("//- a.yaml\nitems:\n- bad # first\n- ok\n- bad\n# about the last\n- bad\nend: 1\n");
    let lists = fake("lists", bad_items);
    let fixed = fix(&[&lists], &Sieve::default(), &before);
    insta::assert_snapshot!(show(&before, &fixed), @"
    passes 1, rechecks 1, settled
    applied R_ITEM in a.yaml (pass 1)
    applied R_ITEM in a.yaml (pass 1)
    applied R_ITEM in a.yaml (pass 1)
    //- a.yaml
    items:
    - ok
    # about the last
    end: 1
    ");
    // Only one of them may go; the others move up and are not new.
    let start = assess(&[&lists], &Sieve::default(), &before);
    for wanted in start.repairs.iter().map(|it| it.id.clone()) {
        let policy =
            plan::Policy { safety: check::Safety::BehaviorPreserving, allow: Default::default() };
        let options = engine::Options {
            policy: &policy,
            is_editable: &|_| true,
            wants: &|it| it.id == wanted,
            max_passes: 1,
            max_rechecks: 10,
        };
        let fixed = with_run(&[&lists], &Sieve::default(), |run| fix_in(run, &before, &options));
        assert_eq!(fixed.applied.len(), 1, "{wanted}: {:?}", fixed.rejected);
        assert_eq!(fixed.end.diagnostics.len(), 2);
    }
}

/// Says which of the wanted keys a.yaml does not have, all at one place, and proposes to add `added`.
fn missing_keys(
    input: &check::Input<'_>,
    says_which: bool,
    added: &str,
) -> Result<check::Report, check::LookError> {
    let file = path("a.yaml");
    let text = &input.snapshot.file(&file).unwrap().text();
    let parsed = input.parses.get(text, document::Format::Yaml);
    let value = parsed.document().unwrap().value();
    let missing = ["one", "two"].into_iter().filter(|key| value.get(key).is_none());
    let mut diagnostics: Vec<check::Diagnostic> = missing
        .map(|key| {
            // Once without the end of the text, so that not even the place is quite the same after the edit.
            let end = text.len() as u32 - u32::from(text.len() < 10);
            let mut it = diagnostic("keys", &rule("R_KEY", "", ""), &file, text, 0..end);
            it.json_pointer = Some(String::new());
            it.message =
                if says_which { format!("`{key}` is missing") } else { "a key is missing".into() };
            it
        })
        .collect();
    check::sort_and_assign_ids(&mut diagnostics);
    let op = document::Op::AddKey {
        at: document::Pointer::root(),
        key: added.into(),
        value: document::Value::Null,
    };
    let first = diagnostics.first().map(|it| it.diagnostic_id.as_str()).unwrap_or_default();
    let mut made = repair("keys", "R_KEY", &[first], input.snapshot, &[]);
    made.ops = vec![check::RepairOp::Document { file, step: op.into() }];
    made.id = "r_key".into();
    let is_done = diagnostics.len() < 2;
    Ok(check::Report {
        diagnostics: diagnostics.into_iter().map(std::sync::Arc::new).collect(),
        repairs: if is_done { Vec::new() } else { vec![std::sync::Arc::new(made)] },
        ..check::Report::default()
    })
}

/// Two findings of one rule at one place have numbers in their ids, and the second gets the first one's when that goes.
#[test]
fn findings_at_one_place_are_told_apart_by_what_they_say() {
    let run = |says_which: bool, added: &str| {
        let before = tree("//- a.yaml\nzero: 0\n");
        let keys = fake("keys", |input| missing_keys(input, says_which, added));
        show(&before, &fix(&[&keys], &Sieve::default(), &before))
    };
    let applied = "passes 1, rechecks 1, settled\napplied R_KEY in a.yaml (pass 1)\nerror R_KEY at a.yaml:1\n";
    assert!(run(true, "one").starts_with(applied));
    // Where nobody can tell which one is gone, it is the one that was claimed.
    assert!(run(false, "one").starts_with(applied));
    assert!(run(false, "two").starts_with(applied));
    insta::assert_snapshot!(run(true, "two"), @r"
    passes 1, rechecks 1, settled
    rejected R_KEY: unverified: R_KEY at a.yaml:1:1 is still there
    error R_KEY at a.yaml:1
    error R_KEY at a.yaml:1
    ");
}
