//! The laws over documents that ship with the project, over public suites where they are, and over generated ones.

use document::{Format, Limits, Op, Value, parse};
use edit::Text;
use proptest::prelude::*;

use super::generate::{Choices, document as generate_document};
use super::judge::judge;
use super::locality;
use crate::it::laws::{self, Tally};

/// JSON can express everything that the samples ask for: nothing is refused.
fn check_nothing_refused(name: &str, text: &str, tally: &mut Tally) {
    laws::check_every_op(name, Format::Json, text, &judge, tally);
    locality::check_every_op(name, text);
    assert!(tally.refused.is_empty(), "{name}: {:?}", tally.refused);
}

#[test]
fn every_operation_keeps_the_laws_on_the_shipped_corpus() {
    let mut tally = Tally::default();
    for (name, text) in fixture::corpus::shipped("json") {
        assert!(judge(&text).is_some(), "{name} is not read by the second judge");
        check_nothing_refused(&name, &text, &mut tally);
    }
    assert!(tally.done > 1_800 && tally.failed > 400, "{tally:?}");
}

/// Both line ends, with and without a final newline, with a byte order mark.
#[test]
fn the_laws_hold_for_every_variant_of_a_text() {
    let mut tally = Tally::default();
    for (name, text) in fixture::corpus::shipped("json") {
        let unix = text.replace("\r\n", "\n");
        let bare = unix.trim_end();
        let variants = [
            unix.replace('\n', "\r\n"),
            bare.to_string(),
            format!("\u{feff}{}", unix.trim_start_matches('\u{feff}')),
        ];
        for variant in variants.iter().filter(|variant| **variant != text) {
            check_nothing_refused(&name, variant, &mut tally);
        }
    }
    assert!(tally.done > 4_000, "{tally:?}");
}

#[test]
fn every_operation_keeps_the_laws_on_the_public_suites() {
    let toml = fixture::corpus::public_suite("toml-test");
    let (Some(toml), Some(yaml_cases)) = (toml, fixture::yaml_suite::cases()) else { return };
    let mut tally = Tally::default();
    let tagged = fixture::corpus::texts_under(&toml.join("tests/valid"), ".json");
    let meanings = yaml_cases.into_iter().filter_map(|case| Some((case.name, case.json?)));
    let mut count = 0;
    for (name, text) in tagged.into_iter().chain(meanings) {
        if parse(&Text::new(text.as_str()), Format::Json, &Limits::DEFAULT).is_err() {
            continue; // Several documents in one file, or none.
        }
        count += 1;
        // Large ones repeat the shapes of small ones: there, sequences of operations do.
        if text.len() <= 400 {
            laws::check_every_op(&name, Format::Json, &text, &judge, &mut tally);
        } else {
            (0..6).for_each(|seed| {
                check_picked(&text, &spread_picks(seed));
            });
        }
    }
    assert!(tally.refused.is_empty(), "{:?}", tally.refused);
    assert!(count > 400 && tally.done > 10_000, "{count} {tally:?}");
}

/// Operations that each see the ones before, picked from all that the value at that point admits.
fn pick_ops(text: &str, picks: &[u16]) -> Vec<Op> {
    let document = parse(&Text::new(text), Format::Json, &Limits::DEFAULT).unwrap();
    let mut draft = document.draft();
    let mut ops = Vec::new();
    for pick in picks {
        let pool = laws::ops(&draft.value());
        let op = pool[usize::from(*pick) % pool.len()].clone();
        let _ = draft.apply(&op.clone().into());
        ops.push(op);
    }
    ops
}

/// Ten picks that are far from each other.
fn spread_picks(seed: u16) -> Vec<u16> {
    (0..10).map(|nth| seed.wrapping_mul(7919).wrapping_add(nth * 4801)).collect()
}

fn check_picked(text: &str, picks: &[u16]) -> Value {
    let ops = pick_ops(text, picks);
    laws::check_sequence("generated", Format::Json, text, &ops);
    let document = parse(&Text::new(text), Format::Json, &Limits::DEFAULT).unwrap();
    let mut draft = document.draft();
    for op in ops {
        let _ = draft.apply(&op.into());
    }
    let edits = draft.lower().unwrap_or_else(|refusal| panic!("refused: {refusal}\n{text}"));
    let after = edits.apply(document.text()).unwrap();
    let judged = judge(std::str::from_utf8(after.bytes()).unwrap());
    if let Some(judged) = judged {
        assert!(judged.equals(&draft.value()), "the second judge reads {judged:?}");
    }
    draft.value()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn sequences_on_generated_documents_come_out_as_meant(
        choices in proptest::collection::vec(any::<u8>(), 0..160),
        picks in proptest::collection::vec(any::<u16>(), 1..12),
    ) {
        let text = generate_document(&mut Choices::new(&choices));
        check_picked(&text, &picks);
    }

    #[test]
    fn single_operations_on_generated_documents_touch_only_their_place(
        choices in proptest::collection::vec(any::<u8>(), 0..80),
        pick in any::<u16>(),
    ) {
        let text = generate_document(&mut Choices::new(&choices));
        let ops = pick_ops(&text, &[pick]);
        let document = parse(&Text::new(text.as_str()), Format::Json, &Limits::DEFAULT).unwrap();
        locality::check("generated", &document, &ops[0]);
    }

    #[test]
    fn any_text_is_parsed_or_refused_without_a_panic(text in "[\\[\\]{}:,\"/* \n\\\\0-9a-eu.tn-]{0,40}") {
        if let Ok(document) = parse(&Text::new(text.clone()), Format::Json, &Limits::DEFAULT) {
            let judged = judge(&text);
            prop_assert!(
                document.blocked().is_some() || judged.is_none_or(|it| it.equals(&document.value())),
                "{text}"
            );
        } else {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_err(), "{text}");
        }
    }
}

#[test]
fn sequences_on_the_shipped_corpus_come_out_as_meant() {
    for (name, text) in fixture::corpus::shipped("json") {
        for seed in 0..12u16 {
            let value = check_picked(&text, &spread_picks(seed));
            assert!(!matches!(value, Value::Datetime(_)), "{name}");
        }
    }
}
