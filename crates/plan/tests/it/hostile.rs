//! Candidates that nobody should send: they are refused with a reason, and never harm the others.

use std::fmt::Write;
use std::sync::Arc;

use check::RepairOp;
use document::{GuardedOp, Op, Pointer};
use plan::{Reason, lower, preview};
use snapshot::RelPath;

use super::notation::{Case, accepted, assert_laws, check, diagnostic, parse, repair, value};

fn document_op(file: &str, op: Op) -> RepairOp {
    RepairOp::Document { file: RelPath::parse(file).unwrap(), step: GuardedOp::from(op) }
}

fn add(case: &mut Case, ops: Vec<RepairOp>) {
    let number = case.repairs.len();
    let (id, finding) = (format!("r{number:05}"), format!("e{number:05}"));
    case.diagnostics.push(Arc::new(diagnostic(&finding, "a.json")));
    case.repairs.push(Arc::new(repair(&id, &[&finding], ops)));
}

#[test]
fn pointers_that_lead_nowhere_are_refused() {
    check(
        r#"
        //- a.json
        {"list": [1, 2], "n": {"x": 1}}
        == r1 e1
        a.json replace /list/- 1
        == r2 e2
        a.json replace /list/01 1
        == r3 e3
        a.json replace /list/99999999999999999999999 1
        == r4 e4
        a.json drop /list 18446744073709551615
        == r5 e5
        a.json insert /list 18446744073709551615 1
        == r6 e6
        a.json delete .
        == r7 e7
        a.json insert /n 0 1
        == r8 e8
        a.json move /n /n/x
        == r9 e9
        a.json set /n/y/z 1
        == ra ea
        a.json move /n /n
        == rb eb
        a.json drop /list 0
        a.json drop /list 0
        a.json drop /list 0
        == rc ec
        a.json replace /list/1 9
        "#,
        r#"
        r1 invalid: a.json: expected a decimal index of an array at `/list/-`
        r2 invalid: a.json: expected a decimal index of an array at `/list/01`
        r3 invalid: a.json: expected a decimal index of an array at `/list/99999999999999999999999`
        r5 invalid: a.json: index 18446744073709551615 is out of range, the array at `/list` has 2 item(s)
        r7 invalid: a.json: `/n` is an object, not an array
        r8 invalid: a.json: `/n` cannot be moved into itself
        r9 invalid: a.json: there is nothing at `/n/y`
        ra invalid: a.json: its operations change nothing
        rc 1/1
        r4 invalid: a.json: index 18446744073709551615 is out of range, the array at `/list` has 2 item(s)
        r6 invalid: a.json: the root of a document cannot be deleted or moved
        rb invalid: a.json: index 0 is out of range, the array at `/list` has 0 item(s)
        //- a.json
        {"list": [1, 9], "n": {"x": 1}}
        "#,
    );
}

#[test]
fn files_that_cannot_be_edited_are_refused() {
    check(
        r#"
        //- broken.json
        {"a":
        //- twice.json
        {"a": 1, "a": 2}
        //- notes.txt
        a: 1
        //- alias.yaml
        a: &x {n: 1}
        b: *x
        == r1 e1
        broken.json replace /a 1
        == r3 e3
        twice.json replace /a 2
        == r4 e4
        notes.txt replace /a 2
        == r5 e5
        alias.yaml replace /b/n 2
        == r6 e6
        alias.yaml replace /a/n 2
        == r7 e7
        broken.json 5..6 " 1}\n"
        "#,
        r#"
        r5 invalid: alias.yaml: `*x` is an alias; edit the place that defines `&x` instead
        r6 invalid: alias.yaml: `&x` is used by 1 alias(es), so an edit here would change more than one place
        r1 invalid: broken.json cannot be parsed: expected a value, found the end of the file
        r7 1/1
        r4 invalid: notes.txt is neither JSON nor YAML nor TOML by its name
        r3 invalid: twice.json: key `a` appears more than once in its map; remove one of them first
        //- broken.json
        {"a": 1}
        "#,
    );
}

/// AE-9: edits are for one text. A tree that has changed since makes them stale.
#[test]
fn edits_for_another_text_are_stale() {
    let old = parse("//- a.txt\nold\n== r1 e1\na.txt 0..1 \"x\"\n");
    let mut new = parse("//- a.txt\nnew\n== r2 e2\na.txt 0..1 \"x\"\n");
    new.repairs.extend(old.repairs);
    new.diagnostics.extend(old.diagnostics);
    let plan = new.plan();
    let reasons: Vec<_> =
        plan.ranked.iter().map(|it| it.rejection.as_ref().map(|it| it.reason)).collect();
    assert_eq!(reasons, [Some(Reason::Stale), None]);
    assert_laws(&new, &plan);
    let stale = preview(&new.snapshot, &new.parses, &new.repairs[1]);
    assert_eq!(stale.map_err(|it| it.reason), Err(Reason::Stale));
}

/// What was not accepted together is refused by `lower` as well, with the number of the one that is too much.
#[test]
fn lowering_says_which_one_is_too_much() {
    let case = parse(
        "//- a.json\n{\"a\": 1, \"b\": 2}\n== r1 e1\na.json replace /a 2\n== r2 e2\na.json replace /b 2\n\
         == r3 e3\na.json delete /a\n",
    );
    let (idx, rejection) = lower(&case.snapshot, &case.parses, &case.repairs).unwrap_err();
    assert_eq!(
        (idx, rejection.reason, rejection.with.as_deref()),
        (2, Reason::Conflict, Some("r1"))
    );
}

#[test]
fn a_pointer_deeper_than_any_document_is_refused() {
    let mut case = parse("//- a.json\n{\"a\": 1}\n");
    for depth in [250, 257, 258, 100_000] {
        let at = Pointer::from_segments((0..depth).map(|it| (it % 3).to_string()));
        add(&mut case, vec![document_op("a.json", Op::ReplaceValue { at, value: value("1") })]);
    }
    let plan = case.plan();
    assert!(plan.ranked.iter().all(|it| it.rejection.as_ref().unwrap().reason == Reason::Invalid));
    assert!(plan.change.is_empty());
}

/// One repair of thousands of operations on one array, beside others.
#[test]
fn a_repair_of_thousands_of_operations_is_one_repair() {
    let n_items = 2000;
    let mut text = "//- a.json\n[0".to_owned();
    for item in 1..n_items {
        write!(text, ", {item}").unwrap();
    }
    let mut case = parse(&(text + "]\n"));
    let at = Pointer::root;
    let mut ops = Vec::new();
    for kept in 0..n_items / 2 {
        ops.push(document_op("a.json", Op::DeleteItem { at: at(), index: kept + 1 }));
        ops.push(document_op(
            "a.json",
            Op::InsertItem { at: at(), index: Some(0), value: value(&format!("-{kept}")) },
        ));
        ops.push(document_op("a.json", Op::DeleteItem { at: at(), index: 0 }));
    }
    add(&mut case, ops);
    add(&mut case, vec![document_op("a.json", Op::DeleteItem { at: at(), index: 4 })]);
    let replaced = Op::ReplaceItem { at: at(), index: 1998, value: value("7") };
    add(&mut case, vec![document_op("a.json", replaced)]);
    let plan = case.plan();
    assert_eq!(accepted(&plan).len(), 3);
    let after = case.snapshot.apply(&plan.change).unwrap();
    let text = &after.files().next().unwrap().1.text();
    let found = value(std::str::from_utf8(text.bytes()).unwrap()).to_json();
    let kept = (0..n_items).step_by(2).filter(|it| *it != 4);
    let expected: Vec<String> =
        kept.map(|it| if it == 1998 { 7 } else { it }.to_string()).collect();
    assert_eq!(found, format!("[{}]", expected.join(",")));
}

/// RS-50, X-25: everybody claims that it commutes with everybody, and one place is written once all the same.
#[test]
fn a_thousand_rivals_leave_one_winner() {
    let mut case = parse("//- a.json\n{\"a\": 1}\n");
    for number in 0..1000 {
        let value = value(&number.to_string());
        let op = Op::ReplaceValue { at: Pointer::root().join("a"), value };
        add(&mut case, vec![document_op("a.json", op)]);
        let last = case.repairs.last_mut().unwrap();
        Arc::make_mut(last).compatibility.batch_key = Some("all".to_owned());
    }
    let plan = case.plan();
    assert_eq!(accepted(&plan).len(), 1);
    let with = |it: &plan::Ranked| it.rejection.as_ref().and_then(|it| it.with.clone());
    assert!(plan.ranked[1..].iter().all(|it| with(it).as_deref() == Some("r00000")));
}

/// Each rival is found out to be impossible only after the one before it was dropped. A few rounds of that lead to the
/// good one; many do not, and then those that had no turn wait.
#[test]
fn impossible_rivals_get_a_bounded_number_of_turns() {
    for (n_rivals, is_reached) in [(10, true), (40, false)] {
        let mut case = parse("//- a.yaml\na: !mine x\nb: 1\n");
        let at = || Pointer::root().join("a");
        for number in 0..n_rivals {
            let value = value(&format!("[{number}]"));
            add(&mut case, vec![document_op("a.yaml", Op::ReplaceValue { at: at(), value })]);
        }
        let good = Op::ReplaceValue { at: at(), value: value("\"good\"") };
        add(&mut case, vec![document_op("a.yaml", good)]);
        let other = Op::ReplaceValue { at: Pointer::root().join("b"), value: value("2") };
        add(&mut case, vec![document_op("a.yaml", other)]);
        let plan = case.plan();
        let n_invalid = plan.ranked.iter().filter_map(|it| it.rejection.as_ref());
        let n_invalid = n_invalid.filter(|it| it.reason == Reason::Invalid).count();
        assert_eq!(n_invalid, if is_reached { n_rivals } else { 16 });
        assert_eq!(accepted(&plan).len(), if is_reached { 2 } else { 1 });
        assert_laws(&case, &plan);
    }
}
