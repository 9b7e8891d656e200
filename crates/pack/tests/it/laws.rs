//! What holds for every workspace and every set of honest rules.

use std::collections::{BTreeMap, BTreeSet};

use check::{Parses, Safety};
use document::{Format, Limits};
use edit::Text;
use engine::{Assessment, Ending};
use fixture::case::Files;
use plan::{Candidates, Policy};

use super::trial::{Outcome, Trial, files_of, lines};

/// Checks every law on the workspace and gives what came of fixing it with everything allowed.
#[track_caller]
pub(crate) fn check_laws(name: &str, trial: &Trial) -> Outcome {
    let outcome = trial.run(Safety::BehaviorChanging, false);
    assert_eq!(outcome.start.failures, [], "{name}: a provider failed");
    assert_eq!(outcome.fixed.end.failures, [], "{name}: a provider failed");
    assert_eq!(outcome.fixed.ending, Ending::Settled, "{name}: it does not settle");
    are_complete(name, &outcome.start);
    keeps_its_word(name, trial, &outcome);
    is_deterministic(name, trial, &outcome);
    is_idempotent(name, trial, &outcome);
    is_the_same_in_other_clothes(name, trial, &outcome);
    Safety::ALL
        .into_iter()
        .for_each(|safety| is_strict_exactly_when_nothing_is_to_do(name, trial, safety));
    outcome
}

/// Every finding has an id of its own and one phase that owns it (AE-1). Every repair has an id of its own (FA-16),
/// belongs to findings that are there (AE-55, FA-8) and is as severe as the first of them (FA-19), says what it is in one
/// short line (FA-18) and why (RS-13), does something (RS-11), and can be made in the text as it is (FA-5).
#[track_caller]
fn are_complete(name: &str, assessment: &Assessment) {
    let ids: BTreeSet<&String> =
        assessment.diagnostics.iter().map(|it| &it.diagnostic_id).collect();
    assert_eq!(ids.len(), assessment.diagnostics.len(), "{name}: two findings have one id");
    let ids: BTreeSet<&String> = assessment.repairs.iter().map(|it| &it.id).collect();
    assert_eq!(ids.len(), assessment.repairs.len(), "{name}: two repairs have one id");
    let parses = Parses::new(Limits::DEFAULT);
    for finding in &assessment.diagnostics {
        let phases = ["parse", "schema", "semantic", "policy"];
        assert!(phases.contains(&finding.phase.as_str()), "{name}: {finding:#?}");
    }
    for repair in &assessment.repairs {
        let is_known =
            |id: &String| assessment.diagnostics.iter().any(|it| it.diagnostic_id == *id);
        assert!(
            !repair.resolves.is_empty() && repair.resolves.iter().all(is_known),
            "{name}: {repair:#?}"
        );
        let own = assessment.diagnostics.iter().find(|it| it.diagnostic_id == repair.resolves[0]);
        let own = own.expect("it was just found");
        assert_eq!(
            (&own.rule_id, &own.phase, own.severity),
            (&repair.rule_id, &repair.phase, repair.severity),
            "{name}: {repair:#?}"
        );
        let is_label = !repair.title.is_empty() && !repair.title.contains('\n');
        assert!(is_label && repair.title.chars().count() <= 120, "{name}: {repair:#?}");
        assert!(!repair.rationale.is_empty() && !repair.ops.is_empty(), "{name}: {repair:#?}");
        let preview = plan::preview(&assessment.snapshot, &parses, repair);
        assert!(preview.is_ok(), "{name}: {repair:#?} is refused: {:?}", preview.err());
    }
}

/// All that is applied is verified, what it claimed is gone, and a fresh look at the result agrees with the
/// incremental one (RS-12).
#[track_caller]
fn keeps_its_word(name: &str, trial: &Trial, outcome: &Outcome) {
    let (start, fixed) = (&outcome.start, &outcome.fixed);
    for applied in &fixed.applied {
        assert!(applied.verified, "{name}: {} is applied and not verified", applied.repair.title);
    }
    let after = start.snapshot.apply(&fixed.change).expect("the change was made for this tree");
    assert_eq!(
        files_of(&after),
        files_of(&fixed.end.snapshot),
        "{name}: the change is not what was verified"
    );
    let fresh = trial.assess(&after);
    assert_eq!(
        said(&fresh),
        said(&fixed.end),
        "{name}: a fresh look disagrees with the incremental one"
    );
    let touched: Vec<String> =
        fixed.change.paths().iter().map(|it| it.as_str().to_string()).collect();
    let (old, new) = (files_of(&start.snapshot), files_of(&after));
    let changed = old
        .iter()
        .filter(|(path, text)| new.get(*path) != Some(text))
        .map(|(path, _)| path.clone());
    assert_eq!(
        changed.collect::<Vec<_>>(),
        touched,
        "{name}: other files changed than the change says"
    );
}

/// The order of providers and of reading, and the number of threads, change nothing (FA-46, CS-44).
#[track_caller]
fn is_deterministic(name: &str, trial: &Trial, outcome: &Outcome) {
    for n_threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .expect("threads can be started");
        let again = pool.install(|| trial.run(Safety::BehaviorChanging, true));
        assert_eq!(said(&again.start), said(&outcome.start), "{name}: {n_threads} threads, before");
        assert_eq!(
            said(&again.fixed.end),
            said(&outcome.fixed.end),
            "{name}: {n_threads} threads, after"
        );
        assert_eq!(
            files_of(&again.fixed.end.snapshot),
            files_of(&outcome.fixed.end.snapshot),
            "{name}: {n_threads} threads, bytes"
        );
    }
}

/// A second `fix` changes nothing.
#[track_caller]
fn is_idempotent(name: &str, trial: &Trial, outcome: &Outcome) {
    let again =
        trial.on(files_of(&outcome.fixed.end.snapshot)).run(Safety::BehaviorChanging, false);
    assert!(
        again.fixed.change.is_empty(),
        "{name}: a second fix changes {:?}",
        again.fixed.change.paths()
    );
}

/// The same files as another system or editor writes them have the same findings and get the same edits.
#[track_caller]
fn is_the_same_in_other_clothes(name: &str, trial: &Trial, outcome: &Outcome) {
    let clothes: [fn(&str) -> String; 3] = [
        |text| text.replace("\r\n", "\n").replace('\n', "\r\n"),
        |text| format!("\u{feff}{}", text.trim_start_matches('\u{feff}')),
        |text| text.trim_end_matches(['\r', '\n']).to_string(),
    ];
    let end = files_of(&outcome.fixed.end.snapshot);
    for dress in clothes {
        let dressed = |files: &Files| -> Files {
            files.iter().map(|(path, text)| (path.clone(), dress(text))).collect()
        };
        let again = trial.on(dressed(&trial.files)).run(Safety::BehaviorChanging, false);
        assert_eq!(lines(&again.start), lines(&outcome.start), "{name}: findings in other clothes");
        assert_eq!(
            files_of(&again.fixed.end.snapshot),
            dressed(&end),
            "{name}: edits in other clothes"
        );
    }
}

/// `check --strict` looks at the plan; `fix` carries it out. Both must say the same (AE-33, AE-40). What needs approval
/// is not applied without it (RS-17).
#[track_caller]
fn is_strict_exactly_when_nothing_is_to_do(name: &str, trial: &Trial, safety: Safety) {
    let Outcome { start, fixed } = trial.run(safety, false);
    let candidates = Candidates {
        snapshot: &start.snapshot,
        diagnostics: &start.diagnostics,
        repairs: &start.repairs,
        parses: &Parses::new(Limits::DEFAULT),
        policy: &Policy { safety, allow: BTreeSet::new() },
        is_editable: &|_| true,
        barred: &BTreeMap::new(),
        applied: &BTreeSet::new(),
    };
    let is_planned = !plan::plan(&candidates).change.is_empty();
    assert_eq!(
        !fixed.change.is_empty(),
        is_planned,
        "{name}: strict and fix disagree at {safety:?}"
    );
    for applied in &fixed.applied {
        assert!(applied.repair.safety <= safety, "{name}: {} needs approval", applied.repair.title);
    }
}

/// Everything a report would show, as text.
fn said(assessment: &Assessment) -> Vec<String> {
    let findings = assessment.diagnostics.iter().map(|it| format!("{it:?}"));
    findings
        .chain(assessment.repairs.iter().map(|it| format!("{it:?}")))
        .chain(lines(assessment))
        .collect()
}

/// The comments of the old files that are in no new one, each with its file.
pub(crate) fn lost_comments(before: &Files, after: &Files) -> Vec<String> {
    let mut lost = Vec::new();
    for (path, text) in before {
        let mut left = after.get(path).map(|text| comments(path, text)).unwrap_or_default();
        for (comment, count) in comments(path, text) {
            let kept = left.remove(&comment).unwrap_or(0);
            lost.extend((kept..count).map(|_| format!("{path} {comment}")));
        }
    }
    lost
}

fn comments(path: &str, text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let Some(format) = Format::of_path(path) else { return found };
    let parsed = Parses::new(Limits::DEFAULT).get(&Text::new(text), format);
    if let Ok(document) = parsed.document() {
        for range in document.comments() {
            let comment = &text[range.start as usize..range.end as usize];
            *found.entry(comment.trim_end().to_string()).or_insert(0) += 1;
        }
    }
    found
}
