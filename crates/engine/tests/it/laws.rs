//! What holds for any workspace and any provider: over random words and random rules, most of which lie, quarrel or make
//! things worse.

use std::sync::Arc;

use check::{
    Diagnostic, Input, LookError, Provider, Repair, RepairOp, Report, Severity, assign_repair_ids,
    sort_and_assign_ids,
};
use document::{Format, Op, Pointer, Value};
use engine::{Ending, Fixed, Sieve};
use proptest::prelude::*;
use snapshot::Snapshot;

use super::kit::*;

fn words() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..4)
        .prop_map(|it| it.concat())
}

fn any_rule() -> impl Strategy<Value = Pattern> {
    let find = prop::sample::select(vec!["a", "b", "c", "ab", "bc", "cd", "aa"]);
    let put = prop::sample::select(vec!["", "d", "a", "b", "c", "dd", "ab", "bd"]);
    let severity = prop::sample::select(Severity::ALL.to_vec());
    (find, put, severity, any::<bool>()).prop_map(|(find, put, severity, is_late)| {
        let it = Pattern { severity, ..rule(&format!("R_{find}_{put}"), find, put) };
        if is_late { it.late() } else { it }
    })
}

fn any_tree() -> impl Strategy<Value = Snapshot> {
    proptest::collection::vec(words(), 1..4).prop_map(|files| {
        let text: String =
            files.iter().enumerate().map(|(n, it)| format!("//- f{n}.txt\n{it}\n")).collect();
        tree(&text)
    })
}

fn any_rules() -> impl Strategy<Value = Vec<Pattern>> {
    proptest::collection::vec(any_rule(), 1..4)
}

/// Errors, warnings of the early phase, then of the late one.
fn count(assessment: &engine::Assessment) -> Vec<usize> {
    let of = |phase: &str, severity: Severity| {
        assessment
            .diagnostics
            .iter()
            .filter(|it| it.phase == phase && it.severity == severity)
            .count()
    };
    let severities = [Severity::Error, Severity::Warning];
    PHASES.iter().flat_map(|phase| severities.map(|it| of(phase, it))).collect()
}

/// Wants the values `good`, and no key that starts with `x`, in every map of every YAML file.
fn tidy_maps(input: &Input<'_>) -> Result<Report, LookError> {
    let mut found: Vec<(Diagnostic, Op)> = Vec::new();
    for (file, content) in input.snapshot.files() {
        let parsed = input.parses.get(&content.text(), Format::Yaml);
        let document = parsed.document().unwrap();
        let mut open = vec![(Pointer::root(), document.value())];
        while let Some((at, value)) = open.pop() {
            let Value::Object(members) = value else { continue };
            for (key, value) in members {
                let place = at.join(key.as_str());
                let (rule_id, op) = if key.starts_with('x') {
                    ("R_KEY", Op::RemoveKey { at: at.clone(), key })
                } else if value.as_str() == Some("bad") {
                    (
                        "R_VALUE",
                        Op::ReplaceValue { at: place.clone(), value: Value::String("good".into()) },
                    )
                } else {
                    open.push((place, value));
                    continue;
                };
                let span = document.locate(&place).unwrap().span;
                let mut it =
                    diagnostic("maps", &rule(rule_id, "", ""), file, &content.text(), span);
                it.json_pointer = Some(place.to_string());
                found.push((it, op));
            }
        }
    }
    found.sort_by(|left, right| left.0.total_cmp(&right.0));
    let (mut diagnostics, ops): (Vec<Diagnostic>, Vec<Op>) = found.into_iter().unzip();
    sort_and_assign_ids(&mut diagnostics);
    let repair_of = |(it, op): (&Diagnostic, Op)| {
        let mut made = repair("maps", &it.rule_id, &[&it.diagnostic_id], input.snapshot, &[]);
        made.ops = vec![RepairOp::Document { file: path(&it.file), step: op.into() }];
        made
    };
    let mut repairs: Vec<Repair> = diagnostics.iter().zip(ops).map(repair_of).collect();
    assign_repair_ids(&mut repairs, input.snapshot);
    Ok(Report {
        diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
        repairs: repairs.into_iter().map(Arc::new).collect(),
        ..Report::default()
    })
}

/// YAML with nested maps, a comment at the end of some lines and above others.
fn any_yaml() -> impl Strategy<Value = String> {
    let line = (prop::sample::select(vec!["a", "b", "x", "xy", "c"]), 0..4u8, 0..4u8);
    proptest::collection::vec(line, 1..8).prop_map(|lines| {
        let mut text = String::new();
        let mut is_nested = false;
        for (n, (key, shape, comment)) in lines.into_iter().enumerate() {
            let indent = if is_nested && shape != 0 { "  " } else { "" };
            if comment == 1 {
                text += &format!("{indent}# above {n}\n");
            }
            let end = if comment == 2 { format!(" # end {n}") } else { String::new() };
            is_nested = shape == 0;
            match shape {
                0 => text += &format!("{key}{n}:{end}\n  in{n}: bad\n"),
                1 => text += &format!("{indent}{key}{n}: bad{end}\n"),
                _ => text += &format!("{indent}{key}{n}: fine{end}\n"),
            }
            is_nested |= !indent.is_empty();
        }
        text
    })
}

fn told(start: &Snapshot, fixed: &Fixed) -> String {
    show(start, fixed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: proptest::test_runner::RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    /// RS-33, RS-43: the count never rises; what is applied is verified; the end is a fixed point.
    #[test]
    fn a_run_never_makes_things_worse_and_ends_in_a_fixed_point(
        tree in any_tree(),
        first in any_rules(),
        second in any_rules(),
    ) {
        let (left, right) = (patterns("left", first), patterns("right", second));
        let checks: [&dyn Provider; 2] = [&left, &right];
        let fixed = fix_within(&checks, &Sieve::default(), &tree, 30, 1000);
        let start = assess(&checks, &Sieve::default(), &tree);
        prop_assert!(count(&fixed.end) <= count(&start));
        prop_assert!(fixed.end.failures.is_empty(), "{:?}", fixed.end.failures);
        let cold = assess(&checks, &Sieve::default(), &fixed.end.snapshot);
        prop_assert_eq!(&cold.diagnostics, &fixed.end.diagnostics);
        if fixed.ending == Ending::Settled {
            let again = fix_within(&checks, &Sieve::default(), &fixed.end.snapshot, 30, 1000);
            prop_assert!(again.change.is_empty(), "{}\n{}", told(&tree, &fixed), told(&fixed.end.snapshot, &again));
        }
    }

    /// The order of the providers and of their lists does not matter.
    #[test]
    fn the_order_of_providers_and_of_their_lists_does_not_matter(
        tree in any_tree(),
        first in any_rules(),
        second in any_rules(),
    ) {
        let (left, right) = (patterns("left", first.clone()), patterns("right", second.clone()));
        let one = fix(&[&left, &right], &Sieve::default(), &tree);
        let reversed = |name: &str, mut rules: Vec<Pattern>| {
            rules.reverse();
            Patterns { is_reversed: true, ..patterns(name, rules) }
        };
        let (left, right) = (reversed("left", first), reversed("right", second));
        let other = fix(&[&right, &left], &Sieve::default(), &tree);
        prop_assert_eq!(told(&tree, &one), told(&tree, &other));
    }

    /// Honest repairs of documents all land, whatever is removed around them, and comments stay with what stays.
    #[test]
    fn honest_repairs_of_documents_all_land(
        first in any_yaml(),
        second in any_yaml(),
        is_crlf in any::<bool>(),
        is_cut in any::<bool>(),
    ) {
        let first = if is_crlf { first.replace('\n', "\r\n") } else { first };
        let second = if is_cut { second.trim_end() } else { &second };
        let before = tree(&format!("//- a.yaml\n{first}//- b.yaml\n{second}"));
        let maps = fake("maps", tidy_maps);
        let fixed = fix(&[&maps], &Sieve::default(), &before);
        let text = told(&before, &fixed);
        prop_assert_eq!(fixed.ending, Ending::Settled);
        prop_assert!(fixed.end.diagnostics.is_empty(), "{}", text);
        prop_assert!(fixed.end.failures.is_empty(), "{}", text);
        prop_assert!(fixed.passes <= 3, "{}", text);
    }
}
