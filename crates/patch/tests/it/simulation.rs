//! Laws of simulation beyond single cases: a batch does what its operations do one at a time, and reports give
//! nothing away.

use document::{Format, Limits, Value};
use patch::{OpFailureCode, Options, Patch};
use proptest::prelude::*;
use snapshot::{FileIndex, Snapshot};

use super::generate::{
    action, any_dice, any_root, changeset, changeset_op, fix_actions, fix_op, to_toml, to_yaml,
};
use super::support;

fn value_of(snapshot: &Snapshot, file: &str) -> Value {
    let text = &snapshot.file(&support::path(file)).unwrap().text();
    document::parse(text, Format::of_path(file).unwrap(), &Limits::DEFAULT).unwrap().value()
}

fn one_file(name: &str, text: &str) -> Snapshot {
    let entries = [(support::path(name), support::file(text))];
    Snapshot::new(entries.into_iter().collect()).unwrap()
}

proptest! {
    #![proptest_config(support::config(300))]
    /// CS-64, X-4: operation k sees operations 0..k-1; what works one at a time works as a batch, and what fails in
    /// a batch fails alone at the same operation for the same reason.
    #[test]
    fn a_batch_does_what_its_operations_do_one_at_a_time(
        root in any_root(),
        dice in proptest::collection::vec(any_dice(), 1..6),
        format in prop_oneof![Just(Format::Json), Just(Format::Yaml), Just(Format::Toml)],
    ) {
        let (name, text) = match format {
            Format::Json => ("f.json", root.to_json_pretty()),
            Format::Yaml => ("f.yaml", to_yaml(&root)),
            Format::Toml => ("f.toml", to_toml(&root)),
        };
        let before = one_file(name, &text);
        let index = FileIndex::default();
        let mut now = before.clone();
        let mut ops = Vec::new();
        let mut failing = None;
        for (op_index, dice) in dice.iter().enumerate() {
            let op = fix_op(&value_of(&now, name), name, dice);
            ops.push(op.clone());
            let alone = Patch::FixActions(fix_actions(vec![action("a", vec![op])]));
            let simulation = support::simulate(&alone, &now, &index);
            if !simulation.ok {
                failing = Some((op_index, simulation.failed[0].code));
                break;
            }
            now = now.apply(&simulation.change).unwrap();
        }
        let batch = Patch::FixActions(fix_actions(vec![action("a", ops)]));
        let simulation = support::simulate(&batch, &before, &index);
        let found = simulation.failed.first().map(|it| (it.op_index, it.code));
        if format == Format::Json || found.is_some() {
            prop_assert_eq!(found, failing);
        }
        if failing.is_none() {
            prop_assert!(simulation.ok);
            let after = before.apply(&simulation.change).unwrap();
            prop_assert!(value_of(&after, name).equals(&value_of(&now, name)));
        }
    }

    /// CS-47, CS-50: what a changeset accepts, it could also have done in any two halves.
    #[test]
    fn a_changeset_is_its_halves_or_refused(
        root in any_root(),
        dice in proptest::collection::vec(any_dice(), 1..6),
        cut in 0_usize..6,
    ) {
        let before = one_file("f.json", &root.to_json_pretty());
        let index = FileIndex::default();
        let ops: Vec<_> = dice.iter().map(|dice| changeset_op(&root, "path:f.json", dice)).collect();
        let whole = support::simulate(&Patch::Changeset(changeset(ops.clone())), &before, &index);
        prop_assert_eq!(whole.applied.len() == ops.len(), whole.ok);
        if whole.ok {
            let (first, second) = ops.split_at(cut.min(ops.len()));
            let mut now = before.clone();
            for half in [first, second] {
                let half = Patch::Changeset(changeset(half.to_vec()));
                let simulation = support::simulate(&half, &now, &index);
                prop_assert!(simulation.ok, "{:?}", simulation.failed);
                now = now.apply(&simulation.change).unwrap();
            }
            let after = before.apply(&whole.change).unwrap();
            prop_assert_eq!(value_of(&after, "f.json"), value_of(&now, "f.json"));
        }
    }

    /// FA-46, FA-54: actions found in another order make the same bytes and the same report.
    #[test]
    fn shuffled_actions_make_the_same_bytes(
        root in any_root(),
        dice in proptest::collection::vec(any_dice(), 1..6),
        rotate in 0_usize..6,
    ) {
        let before = one_file("f.json", &root.to_json_pretty());
        let index = FileIndex::default();
        let make = |(nth, dice)| action(&format!("a{nth}"), vec![fix_op(&root, "f.json", dice)]);
        let actions: Vec<_> = dice.iter().enumerate().map(make).collect();
        let mut shuffled = actions.clone();
        let len = shuffled.len();
        shuffled.rotate_left(rotate % len);
        let left = support::simulate(&Patch::FixActions(fix_actions(actions)), &before, &index);
        let right = support::simulate(&Patch::FixActions(fix_actions(shuffled)), &before, &index);
        prop_assert_eq!(&left.change, &right.change);
        prop_assert_eq!((&left.applied, &left.failed), (&right.applied, &right.failed));
    }
}

fn failing_precondition() -> (Patch, Snapshot) {
    let long = "secret ".repeat(200);
    let before = one_file("f.json", &format!("{{\"token\": \"{long}\"}}"));
    let text = r#"{"changeset_uid": "u", "ops": [{"type": "set_value", "file_uid": "path:f.json", "json_pointer": "/token", "value": 1, "expects": {"equals": "hunter2"}}]}"#;
    (support::read(text).unwrap(), before)
}

/// CS-60, X-39: neither what the file holds nor what the patch expects is echoed.
#[test]
fn reports_show_digests_and_no_contents() {
    let (patch, before) = failing_precondition();
    let report = format!("{:?}", support::simulate(&patch, &before, &FileIndex::default()));
    assert!(!report.contains("secret") && !report.contains("hunter2"), "{report}");
    assert!(report.contains("string#"));
}

/// CS-61, X-39: values are shown when asked for, and cut at a fixed length with a mark.
#[test]
fn shown_values_are_cut_at_a_fixed_length() {
    let (patch, before) = failing_precondition();
    let options = Options { show_values: true, ..Options::DEFAULT };
    let simulation = patch::simulate(&patch, &before, &FileIndex::default(), &options);
    let failed = &simulation.failed[0];
    assert_eq!(failed.expected.as_deref(), Some("equals \"hunter2\""));
    let found = failed.found.as_deref().unwrap();
    assert!(found.starts_with("\"secret ") && found.ends_with('…') && found.len() < 210, "{found}");
}

/// CS-65: the right state is accepted, given or computed.
#[test]
fn a_changeset_for_this_very_state_applies() {
    let before = one_file("f.json", "{}\n");
    for given in [None, Some(before.hash())] {
        let text = format!(
            r#"{{"changeset_uid": "u", "base": "{}", "ops": [{{"type": "set_value", "file_uid": "path:f.json", "json_pointer": "/a", "value": 1}}]}}"#,
            before.hash()
        );
        let patch = support::read(&text).unwrap();
        assert!(patch::needs_whole_tree(&patch));
        let options = Options { workspace_hash: given, ..Options::DEFAULT };
        assert!(patch::simulate(&patch, &before, &FileIndex::default(), &options).ok);
    }
}

/// What a batch refuses, one operation at a time may allow: the anchor is free once its last alias is gone.
#[test]
fn a_refusal_is_never_taken_from_a_draft_with_changes() {
    let before = one_file("f.yaml", "base: &b\n  x: 1\nuse: *b\nlast: 1\n");
    let op = |kind: &str, rest: &str| {
        format!(r#"{{"type": "{kind}", "file_uid": "path:f.yaml", {rest}}}"#)
    };
    let ops = [
        op("set_value", r#""json_pointer": "/last", "value": 2"#),
        op("delete_value", r#""json_pointer": "/use""#),
        op("set_value", r#""json_pointer": "/base/x", "value": 3"#),
        op("set_value", r#""json_pointer": "/new", "value": {}"#),
        op("set_value", r#""json_pointer": "/new/k", "value": 1"#),
    ];
    let run = |ops: &[String]| {
        let text = format!(r#"{{"changeset_uid": "u", "ops": [{}]}}"#, ops.join(", "));
        support::simulate(&support::read(&text).unwrap(), &before, &FileIndex::default())
    };
    let simulation = run(&ops);
    assert!(simulation.ok, "{:?}", simulation.failed);
    let after = before.apply(&simulation.change).unwrap();
    let text =
        String::from_utf8_lossy(after.file(&support::path("f.yaml")).unwrap().text().bytes())
            .into_owned();
    insta::assert_snapshot!(text, @r"
    base: &b
      x: 3
    last: 2
    new:
      k: 1
    ");
    assert_eq!(run(&ops[2..]).failed[0].code, OpFailureCode::RefusedByDocument);

    // X-33: a place written before the file was parsed again is still known.
    let mut twice = ops.to_vec();
    twice.push(op("set_value", r#""json_pointer": "/last", "value": 4"#));
    let failed = run(&twice).failed;
    assert_eq!((failed[0].op_index, failed[0].code), (5, OpFailureCode::Conflict));
    let mut back = ops.to_vec();
    back.push(op("set_value", r#""json_pointer": "/use", "value": 4"#));
    assert_eq!(run(&back).failed[0].code, OpFailureCode::Conflict);
}

/// X-4: an action that failed is undone also where the file was parsed again in the middle of it, and what came before
/// and comes after it stays.
#[test]
fn an_action_is_undone_over_a_second_parse() {
    let entries = [
        (support::path("f.yaml"), support::file("base: &b\n  x: 1\nuse: *b\nlast: 1\n")),
        (support::path("g.json"), support::file("{\"a\": 1}\n")),
    ];
    let before = Snapshot::new(entries.into_iter().collect()).unwrap();
    let replace = |file: &str, at: &str| {
        format!(
            r#"{{"op": "replace_value", "file": "{file}", "json_pointer": "{at}", "value": 7}}"#
        )
    };
    let action = |id: &str, ops: &[String]| {
        format!(
            r#"{{"id": "{id}", "title": "{id}", "severity": "info", "targets": [{{"diagnostic_id": "d"}}], "ops": [{}]}}"#,
            ops.join(", ")
        )
    };
    let remove =
        r#"{"op": "remove_key", "file": "f.yaml", "json_pointer": "", "key": "use"}"#.to_owned();
    let failing = [
        replace("g.json", "/a"),
        replace("f.yaml", "/last"),
        replace("f.yaml", "/base/x"),
        replace("f.yaml", "/last"),
        replace("g.json", "/nothing"),
    ];
    let actions = [
        action("a", &[remove]),
        action("b", &failing),
        action("c", &[replace("f.yaml", "/base/x")]),
        action("d", &[replace("g.json", "/a")]),
    ];
    let text = format!(
        r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{}]}}"#,
        actions.join(", ")
    );
    let simulation =
        support::simulate(&support::read(&text).unwrap(), &before, &FileIndex::default());
    let failed: Vec<_> =
        simulation.failed.iter().map(|it| (it.action_id.as_deref(), it.op_index)).collect();
    assert_eq!(failed, [(Some("b"), 4)]);
    let after = before.apply(&simulation.change).unwrap();
    insta::assert_snapshot!(support::render(&after, &FileIndex::default()), @r#"
    //- f.yaml
    base: &b
      x: 7
    last: 1
    //- g.json
    {"a": 7}
    "#);
}

/// Places are carried over a second parse one by one, so there is a bound on how many.
#[test]
fn too_many_writes_before_a_second_parse_are_refused() {
    let before = one_file("f.yaml", "base: &b\n  x: 1\nuse: *b\n");
    let op = |kind: &str, at: &str| {
        format!(
            r#"{{"type": "{kind}", "file_uid": "path:f.yaml", "json_pointer": "{at}", "value": 1}}"#
        )
    };
    let mut ops: Vec<String> =
        (0..10_001).map(|nth| op("set_value", &format!("/k{nth}"))).collect();
    ops.push(op("delete_value", "/use").replace(r#", "value": 1"#, ""));
    ops.push(op("set_value", "/base/x"));
    let patch =
        support::read(&format!(r#"{{"changeset_uid": "u", "ops": [{}]}}"#, ops.join(","))).unwrap();
    let simulation = patch::simulate(&patch, &before, &FileIndex::default(), &Options::DEFAULT);
    let failed = &simulation.failed[0];
    assert_eq!((failed.op_index, failed.code), (10_002, OpFailureCode::Budget));
}

/// A file that can take plain items, but not ones that are themselves nested deeply: only lowering finds that out.
fn deep_file() -> (Snapshot, String, String) {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let pointer = format!("/a{}", "/0".repeat(199));
    (one_file("f.json", &format!("{{\"a\": {}}}\n", nested(200))), pointer, nested(100))
}

/// Every unit that spoils the lowering is found, also when there are more than are searched for one by one.
#[test]
fn every_spoiler_is_named_and_the_rest_is_applied() {
    let (before, pointer, too_deep) = deep_file();
    let action = |nth: usize| {
        let value = if nth.is_multiple_of(3) { too_deep.as_str() } else { "1" };
        format!(
            r#"{{"id": "a{nth:02}", "title": "t{nth:02}", "severity": "info", "targets": [{{"diagnostic_id": "d"}}],
                "ops": [{{"op": "insert_array_item", "file": "f.json", "json_pointer": "{pointer}", "index": 0, "value": {value}}}]}}"#
        )
    };
    for count in [10, 20] {
        let actions: Vec<String> = (0..count).map(action).collect();
        let text = format!(
            r#"{{"pack_version": "1", "workspace_root": ".", "fix_actions": [{}]}}"#,
            actions.join(",")
        );
        let patch = support::read(&text).unwrap();
        let simulation = support::simulate(&patch, &before, &FileIndex::default());
        let failed: Vec<String> =
            simulation.failed.iter().filter_map(|it| it.action_id.clone()).collect();
        let expected: Vec<String> = (0..count).step_by(3).map(|nth| format!("a{nth:02}")).collect();
        assert_eq!(failed, expected);
        assert_eq!(simulation.applied.len(), count - expected.len());
    }
}

/// CS-15: an operation that cannot be lowered fails before a later one that cannot be applied.
#[test]
fn the_first_failing_operation_is_the_one_that_is_named() {
    let (before, pointer, too_deep) = deep_file();
    let text = format!(
        r#"{{"changeset_uid": "u", "ops": [
        {{"type": "set_value", "file_uid": "path:f.json", "json_pointer": "/b", "value": 1}},
        {{"type": "insert_into_array", "file_uid": "path:f.json", "json_pointer": "{pointer}", "index": 0, "value": {too_deep}}},
        {{"type": "delete_value", "file_uid": "path:f.json", "json_pointer": "/nothing"}}]}}"#
    );
    let simulation =
        support::simulate(&support::read(&text).unwrap(), &before, &FileIndex::default());
    let failed: Vec<_> = simulation.failed.iter().map(|it| (it.op_index, it.code)).collect();
    assert_eq!(failed, [(1, OpFailureCode::RefusedByDocument)]);
}
