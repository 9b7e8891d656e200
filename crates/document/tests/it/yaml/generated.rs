//! The laws over generated documents: random structure in random style, and many operations in one draft.

use document::{GuardedOp, Limits, Op, RefusalReason, parse};
use edit::Text;
use proptest::prelude::*;

use super::super::laws::{Tally, check_every_op, check_sequence, ops};
use super::{FORMAT, judge};

/// A small generator of numbers, so that a document is a function of one seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % sides
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

const SCALARS: [&str; 24] = [
    "1",
    "-2.50",
    "true",
    "null",
    "~",
    "",
    "plain",
    "two words",
    "http://x.org/a#b",
    "'single'",
    "'it''s'",
    "\"double\"",
    "\"esc \\n \\\"q\\\"\"",
    "'no'",
    "0x1F",
    "a: b",
    "é → ü",
    "\"\"",
    "''",
    "-dash",
    "key:value",
    "1.2.3",
    "\"# no comment\"",
    "x, y",
];

fn document(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut out = String::new();
    out.push_str(dice.pick(&[
        "",
        "",
        "",
        "---\n",
        "# head\n",
        "# head\n\n",
        "%YAML 1.2\n---\n",
        "\u{feff}",
    ]));
    let unit = [2, 2, 2, 4, 3][dice.roll(5)];
    block(&mut dice, 0, unit, 0, false, &mut out);
    out.push_str(dice.pick(&["", "", "# tail\n", "\n\n", "...\n"]));
    if dice.roll(4) == 0 {
        out = out.trim_end().to_string();
    }
    if dice.roll(4) == 0 {
        out = out.replace('\n', "\r\n");
    }
    out
}

/// A block collection at `indent`; its first line may stand behind an indicator.
fn block(
    dice: &mut Dice,
    indent: usize,
    unit: usize,
    depth: usize,
    is_compact: bool,
    out: &mut String,
) {
    let is_map = dice.roll(3) > 0;
    let count = 1 + dice.roll(4);
    for position in 0..count {
        if position > 0 || !is_compact {
            if dice.roll(6) == 0 {
                out.push_str(&format!("{:indent$}# note {position}\n", ""));
            }
            if dice.roll(9) == 0 {
                out.push('\n');
            }
            out.push_str(&" ".repeat(indent));
        }
        if is_map {
            let quote = dice.pick(&["", "", "", "'", "\""]);
            out.push_str(&format!("{quote}k{position}{quote}:"));
        } else {
            out.push('-');
        }
        value(dice, indent, unit, depth, is_map, out);
    }
}

fn value(
    dice: &mut Dice,
    indent: usize,
    unit: usize,
    depth: usize,
    is_map: bool,
    out: &mut String,
) {
    let comment = dice.pick(&["", "", "", " # c", "  # it's", "\t# t"]).to_string();
    match dice.roll(if depth < 3 { 10 } else { 6 }) {
        0..=3 => {
            let scalar = match dice.pick(&SCALARS) {
                "a: b" => "'a: b'",
                other => other,
            };
            let blank = if scalar.is_empty() { "" } else { " " };
            out.push_str(&format!("{blank}{scalar}{comment}\n"));
        }
        4 => {
            let header = dice.pick(&["|", ">", "|-", ">-", "|+"]);
            out.push_str(&format!(" {header}\n"));
            for _ in 0..=dice.roll(2) {
                out.push_str(&format!("{:indent$}  some text\n", ""));
            }
            out.push_str(dice.pick(&["", "\n"]));
        }
        5 => {
            out.push(' ');
            flow(dice, indent, depth, out);
            out.push_str(&format!("{comment}\n"));
        }
        6 if !is_map => {
            out.push(' ');
            block(dice, indent + 2, unit, depth + 1, true, out);
        }
        _ => {
            out.push_str(&format!("{comment}\n"));
            let inner = indent + if is_map { unit } else { 2 };
            block(dice, inner, unit, depth + 1, false, out);
        }
    }
}

fn flow(dice: &mut Dice, indent: usize, depth: usize, out: &mut String) {
    let is_map = dice.roll(2) == 0;
    let is_long = dice.roll(3) == 0;
    let count = dice.roll(4);
    let pad = dice.pick(&["", " "]);
    out.push(if is_map { '{' } else { '[' });
    for position in 0..count {
        if is_long {
            out.push_str(&format!("{}\n{:indent$}    ", dice.pick(&["", " # f"]), ""));
        } else {
            out.push_str(pad);
        }
        if is_map {
            out.push_str(&format!("f{position}: "));
        }
        if depth < 4 && dice.roll(5) == 0 {
            flow(dice, indent + 4, depth + 2, out);
        } else {
            out.push_str(dice.pick(&["1", "x", "'q'", "\"d\"", "null", "http://a.b/c"]));
        }
        if position + 1 < count || dice.roll(4) == 0 {
            out.push(',');
        }
    }
    if is_long {
        out.push_str(&format!("\n{:indent$}  ", ""));
    } else {
        out.push_str(pad);
    }
    out.push(if is_map { '}' } else { ']' });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// CS-10: every operation, at every place, of documents that nobody wrote.
    #[test]
    fn every_operation_on_generated_documents_is_right_or_refused(seed in any::<u64>()) {
        let text = document(seed);
        let mut tally = Tally::default();
        check_every_op("generated", FORMAT, &text, &judge, &mut tally);
        let refused: Vec<&String> = tally.refused.keys().collect();
        prop_assert!(refused.iter().all(|it| it.contains("YAML cannot express")), "{text}\n{refused:?}");
    }

    /// What an operation does not name stays: new members only insert, a moved value takes its comments along.
    #[test]
    fn new_members_only_insert_and_moved_values_keep_their_comments(seed in any::<u64>()) {
        let text = document(seed);
        let source = Text::new(text.as_str());
        let Ok(parsed) = parse(&source, FORMAT, &Limits::DEFAULT) else { return Ok(()) };
        let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'#').count();
        for op in ops(&parsed.value()) {
            let mut draft = parsed.draft();
            if draft.apply(&GuardedOp::from(op.clone())).is_err() {
                continue;
            }
            let Ok(edits) = draft.lower() else { continue };
            let after = edits.apply(&source).unwrap();
            let context = || format!("{op:?}\n{text}\n---\n{}", String::from_utf8_lossy(after.bytes()));
            match &op {
                Op::AddKey { at, .. } | Op::InsertItem { at, .. } => {
                    let is_empty = parsed.draft().len_at(at) == Some(0);
                    // a text that ended in a block scalar gets another header for it.
                    let is_header = |edit: &edit::Edit| {
                        !text.ends_with('\n') && matches!(edit.text.first(), Some(b'|' | b'>'))
                    };
                    let is_insert = |edit: &edit::Edit| edit.start == edit.end || is_header(edit);
                    let only_inserts = edits.edits().iter().all(is_insert);
                    prop_assert!(is_empty || only_inserts, "{}", context());
                }
                Op::MoveValue { .. } => {
                    prop_assert_eq!(count(source.bytes()), count(after.bytes()), "{}", context());
                }
                Op::RenameKey { .. } => prop_assert!(edits.edits().len() <= 1, "{}", context()),
                _ => {}
            }
        }
    }

    /// FA-49, CS-14: operations of one draft see each other and land together.
    #[test]
    fn many_operations_at_once_give_what_they_give_one_by_one(seed in any::<u64>(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..30)) {
        let text = document(seed);
        let source = Text::new(text.as_str());
        let parsed = parse(&source, FORMAT, &Limits::DEFAULT);
        prop_assert!(parsed.is_ok(), "{parsed:?}\n{text}");
        let Ok(parsed) = parsed else { return Ok(()) };
        let all = ops(&parsed.value());
        let chosen: Vec<Op> = picks.iter().map(|pick| pick.get(&all).clone()).collect();
        check_sequence("generated", FORMAT, &text, &chosen);
        let mut draft = parsed.draft();
        for op in &chosen {
            let _ = draft.apply(&GuardedOp::from(op.clone()));
        }
        if let Err(refusal) = draft.lower() {
            let is_named = matches!(refusal.reason, RefusalReason::NotExpressible { .. });
            prop_assert!(is_named, "{refusal}\n{chosen:?}\n{text}");
        }
    }
}
