//! Random operations on random documents: many in one draft end as one after the other, nothing is refused that
//! TOML can express, and comments survive.

use document::{Format, GuardedOp, Limits, Op, Pointer, RefusalReason, Value, parse};
use edit::Text;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::generate::{self, Dice};
use super::{judge, read};
use crate::it::laws;

/// The edited text, unless it was refused for a reason that TOML has.
fn lowered(text: &str, ops: &[Op]) -> Option<String> {
    let source = Text::new(text);
    let mut draft = parse(&source, Format::Toml, &Limits::DEFAULT).unwrap().draft();
    for op in ops {
        draft.apply(&GuardedOp::from(op.clone())).unwrap();
    }
    match draft.lower() {
        Ok(edits) => {
            Some(String::from_utf8(edits.apply(&source).unwrap().bytes().to_vec()).unwrap())
        }
        Err(refusal) => {
            let is_allowed = matches!(refusal.reason, RefusalReason::NotExpressible { .. });
            assert!(is_allowed, "{refusal}\n{ops:?}\n{text}\n---");
            None
        }
    }
}

fn comments(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text
        .match_indices('#')
        .filter_map(|(at, _)| {
            let end = text[at..].find('.')?;
            text.get(at + 1..at + end).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Whether an operation leaves every value in the document.
fn keeps_values(op: &Op, value: &Value) -> bool {
    match op {
        Op::AddKey { .. } | Op::RenameKey { .. } | Op::InsertItem { .. } => true,
        Op::SetValue { at, .. } => at.segments().last().map(String::as_str) == Some("new key"),
        Op::MoveValue { to, .. } => value_at(value, to.segments()).is_none(),
        _ => false,
    }
}

fn value_at<'v>(value: &'v Value, segments: &[String]) -> Option<&'v Value> {
    segments.iter().try_fold(value, |value, segment| value.get(segment))
}

/// Whether all of `part` but blanks stands in `whole`, in this order.
fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().filter(|it| !matches!(it, ' ' | '\t')).all(|it| rest.any(|other| other == it))
}

/// The same cases on every run.
fn config() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(0x746f_6d6c);
    ProptestConfig { cases: 500, failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 20..160)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn many_operations_in_one_draft_end_as_one_after_the_other(choices in choices()) {
        let mut dice = Dice::new(&choices);
        let text = generate::document(&mut dice);
        let Ok(value) = read(text.clone()) else { return Ok(()) };
        if let Some(judged) = judge(&text) {
            prop_assert!(judged.equals(&value) || text.contains('\r'), "{}", text);
        }
        let ops = generate::ops(&mut dice, value, |_| true);
        laws::check_sequence("generated", Format::Toml, &text, &ops);
        lowered(&text, &ops);
    }

    #[test]
    fn what_keeps_every_value_keeps_every_comment(choices in choices()) {
        let mut dice = Dice::new(&choices);
        let text = generate::document(&mut dice);
        let Ok(value) = read(text.clone()) else { return Ok(()) };
        let ops = generate::ops(&mut dice, value.clone(), |op| keeps_values(op, &value));
        let one = &ops[..ops.len().min(1)];
        if let Some(after) = lowered(&text, one) {
            prop_assert_eq!(comments(&text), comments(&after), "{:?}\n{}\n---\n{}", one, text, after);
        }
    }

    #[test]
    fn whatever_both_parsers_accept_they_read_alike(choices in choices()) {
        let text = generate::soup(&mut Dice::new(&choices));
        if let (Ok(value), Some(judged)) = (read(text.clone()), judge(&text)) {
            prop_assert!(judged.equals(&value) || text.contains('\r'), "{:?}", text);
        }
    }

    #[test]
    fn adding_takes_no_byte_away(choices in choices()) {
        let mut dice = Dice::new(&choices);
        let text = generate::document(&mut dice);
        let Ok(value) = read(text.clone()) else { return Ok(()) };
        let is_new_key = |at: &Pointer| at.segments().last().is_some_and(|it| it == "new key");
        let ops = generate::ops(&mut dice, value, |op| match op {
            Op::AddKey { .. } => true,
            Op::SetValue { at, .. } => is_new_key(at),
            _ => false,
        });
        if let Some(after) = lowered(&text, &ops) {
            prop_assert!(is_subsequence(&text, &after), "{:?}\n{}\n---\n{}", ops, text, after);
        }
    }
}
