//! Laws over generated documents and repairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Confidence, Repair, RepairClass, RepairOp, Safety};
use document::{Draft, Format, GuardedOp, Limits, Op, Pointer, Value};
use edit::{Edit, EditSet, Text};
use plan::Reason;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use snapshot::{Entry, File, RelPath, Snapshot};

use super::model::Model;
use super::notation::{Case, accepted, assert_laws, diagnostic, parse, repair, value};

const DOCUMENT: &str = r#"{
  "list": [10, 11, [0, 1, 2], {"a": 1, "b": [5, 6]}, 14],
  "map": {"x": [1, 2, 3], "y": {"z": 1}},
  "one": 1
}
"#;

/// An operation that is possible in the draft, made from numbers.
fn choose_op(draft: &mut Draft, numbers: [u8; 4]) -> Option<Op> {
    let [place, kind, index, fresh] = numbers.map(usize::from);
    let mut places = Vec::new();
    collect(&draft.value(), &Pointer::root(), &mut places);
    let (at, found) = places[place % places.len()].clone();
    let new = match fresh % 3 {
        0 => value(&format!("{}", 100 + fresh)),
        1 => value(&format!("[{fresh}, 1]")),
        _ => value(&format!("{{\"k\": {fresh}}}")),
    };
    if kind % 7 == 6 && !at.is_root() {
        let (mut to, target) = places[index % places.len()].clone();
        if matches!(target, Value::Object(_)) {
            to = to.join("moved");
        }
        let is_inside = at.is_prefix_of(&to);
        return (!is_inside).then_some(Op::MoveValue { from: at, to, keep_position: false });
    }
    match (found, kind % 5) {
        (Value::Object(members), 4) if !members.is_empty() => {
            let from = members[index % members.len()].0.clone();
            Some(Op::RenameKey { at, from, to: format!("renamed{}", fresh % 2) })
        }
        (Value::Array(items), 0) => {
            let index = (index % 3 != 0).then_some(index % (items.len() + 1));
            Some(Op::InsertItem { at, index, value: new })
        }
        (Value::Array(items), 1) if !items.is_empty() => {
            Some(Op::DeleteItem { at, index: index % items.len() })
        }
        (Value::Array(items), 2) if !items.is_empty() => {
            Some(Op::ReplaceItem { at, index: index % items.len(), value: new })
        }
        (Value::Object(members), 0) => {
            let key = format!("new{}", index % 3);
            let is_there = members.iter().any(|(it, _)| *it == key);
            Some(if is_there {
                Op::RemoveKey { at, key }
            } else {
                Op::AddKey { at, key, value: new }
            })
        }
        (Value::Object(members), 1) if !members.is_empty() => {
            Some(Op::RemoveKey { at, key: members[index % members.len()].0.clone() })
        }
        (Value::Object(_), 2) => Some(Op::SetValue { at: at.join("set"), value: new }),
        (_, 3) if !at.is_root() && index % 2 == 0 => Some(Op::DeleteValue { at }),
        // Mostly something small, so that there is room for others.
        (Value::Array(_) | Value::Object(_), _) if index % 4 != 0 => None,
        _ if !at.is_root() => Some(Op::ReplaceValue { at, value: new }),
        _ => None,
    }
}

fn collect(value: &Value, at: &Pointer, places: &mut Vec<(Pointer, Value)>) {
    places.push((at.clone(), value.clone()));
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &at.join(index.to_string()), places);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                collect(member, &at.join(key), places);
            }
        }
        _ => {}
    }
}

/// Every repair is possible by itself; whether they go together is for the plan to find out.
fn generated(seeds: &[Vec<[u8; 4]>], format: Format) -> Case {
    let (name, text) = match format {
        Format::Yaml => ("a.yaml", DOCUMENT.to_owned()),
        _ => ("a.json", DOCUMENT.to_owned()),
    };
    let mut case = parse("");
    let text = Text::new(text);
    let path = RelPath::parse(name).unwrap();
    let file = Entry::File(File::new(text.clone(), 0o644));
    case.snapshot = Snapshot::new(BTreeMap::from([(path.clone(), file)])).unwrap();
    let document = document::parse(&text, format, &Limits::DEFAULT).unwrap();
    for (number, ops) in seeds.iter().enumerate() {
        let mut draft = document.draft();
        let mut steps = Vec::new();
        for numbers in ops {
            let Some(step) = choose_op(&mut draft, *numbers).map(GuardedOp::from) else { continue };
            if draft.apply(&step).is_ok() {
                steps.push(RepairOp::Document { file: path.clone(), step });
            }
        }
        let (id, finding) = (format!("r{number:02}"), format!("e{number:02}"));
        case.diagnostics.push(Arc::new(diagnostic(&finding, name)));
        case.repairs.push(Arc::new(repair(&id, &[&finding], steps)));
    }
    case
}

fn op_numbers() -> impl Strategy<Value = Vec<Vec<[u8; 4]>>> {
    proptest::collection::vec(proptest::collection::vec(any::<[u8; 4]>(), 1..5), 1..9)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(3),
        ..ProptestConfig::default()
    }
}

/// What the plan makes of the document, and what the model makes of it.
fn both(case: &Case) -> (Value, Value) {
    let plan = case.plan();
    let accepted = accepted(&plan);
    let after = case.snapshot.apply(&plan.change).unwrap();
    let (path, file) = after.files().next().unwrap();
    let format = Format::of_path(path.as_str()).unwrap();
    let found = document::parse(&file.text(), format, &Limits::DEFAULT).unwrap().value();
    let mut model = Model::new(&value(DOCUMENT));
    for (who, repair) in accepted.iter().enumerate() {
        for op in &repair.ops {
            if let RepairOp::Document { step, .. } = op {
                model.apply(who, &step.op);
            }
        }
    }
    (found, model.value())
}

proptest! {
    #![proptest_config(config(250))]

    /// Lowering compatible repairs together is applying them one by one, each pointer led to where its place is then.
    #[test]
    fn together_is_one_by_one(seeds in op_numbers()) {
        for format in [Format::Json, Format::Yaml] {
            let (found, expected) = both(&generated(&seeds, format));
            prop_assert_eq!(found.to_json(), expected.to_json());
        }
    }
}

proptest! {
    #![proptest_config(config(40))]

    /// AE-13: any order of candidates, the same plan; and the other laws of every case.
    #[test]
    fn the_laws_hold_for_generated_documents(seeds in op_numbers()) {
        let case = generated(&seeds, Format::Json);
        assert_laws(&case, &case.plan());
    }

    #[test]
    fn the_laws_hold_for_generated_texts_and_declarations(
        parts in proptest::collection::vec((0_u32..12, 0_u32..4, 0_usize..3, any::<[u8; 5]>()), 0..12),
    ) {
        let mut case = parse("//- a.txt\n0123456789abcdef\n//- b.txt\n0123456789abcdef\n");
        for (number, (start, len, new, numbers)) in parts.iter().enumerate() {
            let file = RelPath::parse(["a.txt", "b.txt"][usize::from(numbers[0] % 2)]).unwrap();
            let text = &case.snapshot.file(&file).unwrap().text();
            let edit = Edit::replace(*start, start + len, ["", "x", "yy"][*new]);
            let edits = EditSet::new(text, vec![edit]).unwrap();
            let finding = format!("e{}", numbers[1] % 9);
            case.diagnostics.push(Arc::new(diagnostic(&finding, file.as_str())));
            let mut it: Repair =
                repair(&format!("r{number:02}"), &[&finding], vec![RepairOp::Text { file, edits }]);
            it.safety = Safety::ALL[usize::from(numbers[2] % 3)];
            it.confidence = Confidence::ALL[usize::from(numbers[2] / 3 % 3)];
            it.grounds.is_stated = numbers[0] % 3 != 0;
            it.grounds.at_least = RepairClass::ALL.get(usize::from(numbers[1] / 9 % 8)).copied();
            if numbers[4] % 5 == 0 {
                it.compatibility.waits_for = Arc::new([format!("e{}", numbers[3] % 9)]);
            }
            let other = |number: u8| format!("r{:02}", number % 14);
            if numbers[3] % 3 == 0 {
                it.compatibility.requires.push(other(numbers[3] / 3));
            }
            if numbers[4] % 3 == 0 {
                it.compatibility.conflicts_with.push(other(numbers[4] / 3));
            }
            case.repairs.push(Arc::new(it));
        }
        case.policy.allow.insert("r01".to_owned());
        let plan = case.plan();
        assert_laws(&case, &plan);
        // X-41: no symptom is accepted beside a cure that may be made, and what hides a message only if it is named.
        for it in plan.ranked.iter().filter(|it| it.rejection.is_none() && it.repair.id != "r01") {
            prop_assert_ne!(it.class, RepairClass::Suppress);
            let is_symptom = matches!(it.class, RepairClass::Delete | RepairClass::Stub);
            let is_cure = |other: &&plan::Ranked| {
                let reason = other.rejection.as_ref().map(|it| it.reason);
                other.class == RepairClass::Repair
                    && other.repair.resolves == it.repair.resolves
                    && other.repair.compatibility.requires.is_empty()
                    && matches!(reason, None | Some(Reason::NeedsApproval | Reason::LowConfidence))
            };
            prop_assert!(!is_symptom || plan.ranked.iter().find(is_cure).is_none());
        }
        // RS-49, RS-51: what is required is there, and no finding is resolved twice.
        let accepted = accepted(&plan);
        for it in &accepted {
            let is_there = |id: &String| accepted.iter().any(|other| other.id == *id);
            prop_assert!(it.compatibility.requires.iter().all(is_there));
            let is_other = |id: &String| *id != it.id && is_there(id);
            prop_assert!(!it.compatibility.conflicts_with.iter().any(is_other));
            let same = accepted.iter().filter(|other| other.resolves == it.resolves).count();
            prop_assert_eq!(same, 1);
        }
    }
}
