//! Candidates that are tried in groups get the verdicts that they would get alone.

use std::fmt::Write as _;

use document::Format::Json;

use super::super::fault_context::FaultContext;
use super::super::repair;
use super::super::trial::{RepairCandidate, TrialDocument, TrialMode, TrialVerdict, run};
use super::{compile, parse};

/// The verdicts one by one, which must be those of groups.
#[track_caller]
fn check(schema: &str, text: &str) -> Vec<TrialVerdict> {
    let schema = compile(&[("schema.json", schema)]).unwrap();
    let document = parse(Json, text);
    let value = document.value();
    let (json, extent) = schema.seen(&value);
    let Ok(faults) = schema.all_faults(&json, extent) else { panic!("it is too much") };
    let root = schema.library.document(&schema.path).unwrap();
    let context = FaultContext::new(&schema.library, root, &value, &document, &faults);
    let candidates: Vec<RepairCandidate> = (0..faults.len())
        .filter_map(|idx| Some(RepairCandidate::new(idx, repair::candidate(&context, idx)?)))
        .collect();
    let trial_document = TrialDocument { schema: &schema, json: &json, extent, faults: &faults };
    let alone = run(&trial_document, &candidates, TrialMode::Alone);
    let together = run(&trial_document, &candidates, TrialMode::Together);
    assert_eq!(alone, together, "{text}");
    alone
}

fn n_good(verdicts: &[TrialVerdict], n_also: usize) -> usize {
    let is_such =
        |it: &&TrialVerdict| matches!(it, TrialVerdict::Good(also) if also.len() == n_also);
    verdicts.iter().filter(is_such).count()
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    let mut text = "[".to_owned();
    for idx in 0..n {
        write!(text, "{}{}", if idx > 0 { "," } else { "" }, item(idx)).unwrap();
    }
    text + "]"
}

/// Every third conversion breaks a bound; that a key is missing follows from the one that is misspelled.
#[test]
fn good_and_bad_ones_are_told_apart() {
    let schema = r#"{"items": {"additionalProperties": false, "required": ["port"], "properties": {
        "port": {"type": "integer", "maximum": 9}, "level": {"enum": ["debug", "info"]}
    }}}"#;
    let verdicts = check(
        schema,
        &list(60, |it| match it % 3 {
            0 => r#"{"port": "5", "level": "DEBUG"}"#.into(),
            1 => r#"{"port": "50"}"#.into(),
            _ => r#"{"prot": 5, "level": "INFO"}"#.into(),
        }),
    );
    assert_eq!(verdicts.len(), 100);
    assert_eq!((n_good(&verdicts, 0), n_good(&verdicts, 1)), (80, 0));
}

/// What another key of the same object stands for decides whether there is a fault at all.
#[test]
fn what_is_gone_too_is_put_down_to_the_one_that_did_it() {
    let schema = r#"{"items": {
        "properties": {"mode": {"enum": ["fast", "slow"]}, "name": {"type": "string"}, "size": {"type": "integer"}},
        "if": {"properties": {"mode": {"const": "slow"}}}, "else": {"required": ["engine"]}
    }}"#;
    let verdicts = check(
        schema,
        &list(30, |it| match it % 2 {
            0 => r#"{"mode": "Slow"}"#.into(),
            _ => r#"{"mode": "SLOW", "name": 7, "size": "1"}"#.into(),
        }),
    );
    assert_eq!((n_good(&verdicts, 0), n_good(&verdicts, 1)), (30, 30));
}

/// The number of items is right only because of the fault in each of them.
#[test]
fn what_is_nobodys_alone_splits_the_group() {
    let schema = r#"{"properties": {"list": {"items": {"enum": ["on", "off"]}, "contains": {"const": "on"}, "maxContains": 1, "minContains": 0}}}"#;
    let verdicts = check(schema, r#"{"list": ["ON", "On", "Off"]}"#);
    assert_eq!(n_good(&verdicts, 0), 3);
    let verdicts = check(schema, r#"{"list": ["ON", "on", "OFF", "oFf"]}"#);
    assert_eq!(n_good(&verdicts, 0), 2);
}

/// All fail, also where there are more than fall apart into single ones.
#[test]
fn a_group_of_bad_ones_fails() {
    let schema = r#"{"items": {"type": "integer", "maximum": 9}}"#;
    let verdicts = check(schema, &list(40, |_| r#""50""#.into()));
    assert_eq!(verdicts, vec![TrialVerdict::Failed; 40]);
}
