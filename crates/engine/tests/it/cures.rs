//! Symptoms wait for cures that work.

use std::sync::Arc;

use check::{Check, Input, Repair, Report, Safety, assign_repair_ids};
use edit::Edit;
use engine::Sieve;

use super::kit::*;

/// A provider that finds `bad`, offers a stub for it, and a cure that needs approval and writes `cure`.
fn provider(cure: &'static str) -> impl Check {
    fake("words", move |input: &Input<'_>| {
        let anywhere = patterns("words", vec![rule("R_BAD", "bad", "").without_repair()]);
        let mut report: Report = anywhere.check(input)?;
        let mut repairs = Vec::new();
        for it in &report.diagnostics {
            let (resolves, at) = ([it.diagnostic_id.as_str()], it.location.unwrap());
            let (start, end) = (at.start_byte, at.end_byte);
            let made = |title: &str, put: &str, safety| {
                let edits = [(it.file.as_str(), Edit::replace(start, end, put))];
                let made = repair("words", "R_BAD", &resolves, input.snapshot, &edits);
                Repair { title: title.into(), safety, ..made }
            };
            repairs.push(made("stub", "todo! ()", Safety::LikelyPreserving));
            repairs.push(made("cure", cure, Safety::BehaviorChanging));
        }
        assign_repair_ids(&mut repairs, input.snapshot);
        report.repairs = repairs.into_iter().map(Arc::new).collect();
        Ok(report)
    })
}

fn run(cure: &'static str) -> String {
    let tree = tree("//- a.rs\nbad; bad;\n");
    let fixed = fix(&[&provider(cure)], &Sieve::default(), &tree);
    let reasons: Vec<String> = fixed
        .rejected
        .iter()
        .map(|it| {
            format!("{} ({}): {}", it.repair.title, it.class.name(), it.rejection.reason.name())
        })
        .collect();
    format!("{}{}", show(&tree, &fixed), reasons.join("\n"))
}

/// The cures were tried once, all together, and nothing of it was kept.
#[test]
fn a_stub_waits_as_long_as_its_cure_works() {
    insta::assert_snapshot!(run("good"), @"
    passes 0, rechecks 1, settled
    rejected R_BAD: waits: cure comes first
    rejected R_BAD: waits: cure comes first
    rejected R_BAD: needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
    rejected R_BAD: needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
    error R_BAD at a.rs:1
    error R_BAD at a.rs:1
    stub (stub): waits
    stub (stub): waits
    cure (repair): needs_approval
    cure (repair): needs_approval
    ");
}

/// "until that one is rejected": a cure that does not do what it claims keeps nobody waiting.
#[test]
fn a_stub_gets_its_turn_when_its_cure_does_not_work() {
    insta::assert_snapshot!(run("worse bad"), @"
    passes 1, rechecks 4, settled
    applied R_BAD in a.rs (pass 1)
    applied R_BAD in a.rs (pass 1)
    rejected R_BAD: unverified: R_BAD at a.rs:1:1 is still there
    rejected R_BAD: unverified: R_BAD at a.rs:1:6 is still there
    //- a.rs
    todo! (); todo! ();
    cure (repair): unverified
    cure (repair): unverified
    ");
}
