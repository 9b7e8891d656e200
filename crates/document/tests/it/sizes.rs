//! Long arrays and deep values: what is quick or safe only by care must still mean the same.

use std::sync::Arc;

use document::{
    Document, Format, GuardedOp, JsonType, Limits, Number, Op, OpError, Pointer, Preconditions,
    Value, parse,
};
use edit::Text;

fn document(text: &str, format: Format) -> Arc<Document> {
    parse(&Text::new(text), format, &Limits::DEFAULT).unwrap()
}

fn number(number: i64) -> Value {
    Value::Number(Number::from_integer(number.into()))
}

fn object(value: &[i64]) -> Value {
    Value::Object(vec![(
        "a".to_string(),
        Value::Array(value.iter().map(|&it| number(it)).collect()),
    )])
}

/// A change to the array and to its model. Most fall into one half, so that parts are emptied and others grow.
fn change(random: u64, nth: i64, model: &mut Vec<i64>) -> Op {
    let at = Pointer::root().join("a");
    let index = (random >> 8) as usize % (model.len() / 2 + 1);
    match random % 8 {
        0 => {
            model.push(nth);
            Op::InsertItem { at, index: None, value: number(nth) }
        }
        1..3 => {
            model.insert(index, nth);
            Op::InsertItem { at, index: Some(index), value: number(nth) }
        }
        3 if index < model.len() => {
            model[index] = nth;
            Op::ReplaceItem { at, index, value: number(nth) }
        }
        _ if index < model.len() => {
            model.remove(index);
            Op::DeleteItem { at, index }
        }
        _ => Op::SetValue { at, value: object(model).get("a").unwrap().clone() },
    }
}

#[test]
fn a_long_array_changes_anywhere_and_changes_back() {
    let items: Vec<String> = (0..1_800).map(|item| item.to_string()).collect();
    let items = items.join(",\n");
    let texts = [
        (format!("{{\"a\": [{items}]}}\n"), Format::Json),
        (format!("a:\n- {}\n", items.replace(",\n", "\n- ")), Format::Yaml),
        (format!("a = [{items}]\n"), Format::Toml),
    ];
    for (text, format) in texts {
        let document = document(&text, format);
        let mut draft = document.draft();
        let mut model: Vec<i64> = (0..1_800).collect();
        let mut states = vec![(draft.savepoint(), model.clone())];
        let mut random = 1u64;
        for nth in 0..2_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            draft.apply(&change(random >> 32, -nth, &mut model).into()).unwrap();
            if nth % 800 == 400 {
                states.push((draft.savepoint(), model.clone()));
            }
        }
        assert_eq!(draft.value(), object(&model), "{format:?}");
        let (_, edited) = draft.lower_and_apply().unwrap();
        let reread = parse(&edited, format, &Limits::DEFAULT).unwrap();
        assert_eq!(reread.value(), object(&model), "{format:?}");
        for (savepoint, model) in states.into_iter().rev() {
            draft.roll_back(savepoint);
            assert_eq!(draft.value(), object(&model), "{format:?}");
            assert_eq!(draft.len_at(&Pointer::root().join("a")), Some(model.len()));
        }
        assert!(draft.is_untouched());
        assert!(draft.lower().unwrap().edits().is_empty());
    }
}

/// A run of members with comments between them that stay goes in as many pieces. Each takes the blank lines above it
/// along if others follow.
#[test]
fn a_removed_run_leaves_its_comments() {
    let text = "[\n  0,\n\n  // one\n\n  1,\n\n  // two\n\n  2,\n\n  // three\n\n  3\n]\n";
    let delete = |index| GuardedOp::from(Op::DeleteItem { at: Pointer::root(), index });
    let check = |indexes: &[usize], expected: &str| {
        let mut draft = document(text, Format::Json).draft();
        indexes.iter().for_each(|&index| drop(draft.apply(&delete(index)).unwrap()));
        let (_, edited) = draft.lower_and_apply().unwrap();
        assert_eq!(std::str::from_utf8(edited.bytes()).unwrap(), expected, "{indexes:?}");
    };
    check(&[1, 1], "[\n  0,\n\n  // one\n\n  // two\n\n  // three\n\n  3\n]\n");
    check(&[1, 1, 1], "[\n  0\n\n  // one\n\n  // two\n\n  // three\n]\n");
    check(&[0, 0], "[\n  // one\n\n\n  // two\n\n  2,\n\n  // three\n\n  3\n]\n");
}

/// FA-40: the length is that of the array as the operations before have left it.
#[test]
fn an_expected_length_follows_the_draft() {
    let text = "a: &a [1, 2]\nb: *a\nc: [1, 2]\nd: {}\n";
    let insert = |at: &str, length: usize| {
        let at = at.parse::<Pointer>().unwrap();
        let json_type = Some(JsonType::Array);
        GuardedOp {
            op: Op::InsertItem { at, index: None, value: Value::Array(vec![Value::Null]) },
            document: 0,
            expects: Preconditions { json_type, length: Some(length), ..Preconditions::default() },
            expects_parent: None,
        }
    };
    let mut draft = document(text, Format::Yaml).draft();
    draft.apply(&insert("/c", 2)).unwrap();
    draft.apply(&insert("/c", 3)).unwrap();
    draft.apply(&insert("/c/2", 1)).unwrap();
    draft.apply(&insert("/c/2", 2)).unwrap();
    for at in ["/c", "/c/2", "/c/3/0", "/a", "/b", "/d", "/e"] {
        let error = draft.apply(&insert(at, 5)).unwrap_err();
        assert!(matches!(error, OpError::Unexpected { .. }), "{at}: {error}");
    }
    // The precondition holds, and then the array has another reader.
    for at in ["/a", "/b"] {
        let error = draft.apply(&insert(at, 2)).unwrap_err();
        assert!(matches!(error, OpError::Refused(_)), "{at}: {error}");
    }
}

/// An anchor may go with all that refers to it, and only so.
#[test]
fn an_anchor_goes_only_with_all_of_its_aliases() {
    let cases = [
        ("- {a: &x 1, b: *x, c: *x}\n- 1\n", true),
        ("- {a: &x 1, b: *x, c: *x}\n- *x\n", false),
        ("- {a: &x 1, b: &y 2}\n- *y\n", false),
        ("- {a: &x 1, b: &y 2}\n- &y 3\n- *y\n", true),
        ("- [&x 1, *x, &x 2, *x]\n- 1\n", true),
        ("- [&x 1, *x, &x 2]\n- *x\n", false),
        ("- &x 1\n- *x\n", false),
    ];
    for (text, is_allowed) in cases {
        let mut draft = document(text, Format::Yaml).draft();
        let op = Op::DeleteItem { at: Pointer::root(), index: 0 };
        let result = draft.apply(&op.into());
        assert_eq!(result.is_ok(), is_allowed, "{text}");
        assert!(draft.lower().is_ok(), "{text}");
    }
    // What is around the removed item does not count.
    let mut draft = document("- &x 1\n- *x\n- *x\n", Format::Yaml).draft();
    for _ in 0..2 {
        draft.apply(&Op::DeleteItem { at: Pointer::root(), index: 1 }.into()).unwrap();
    }
    draft.lower().unwrap();
}

fn nested(levels: usize, is_object: bool) -> Value {
    (0..levels).fold(Value::Null, |inner, _| match is_object {
        true => Value::Object(vec![("a".to_string(), inner)]),
        false => Value::Array(vec![inner]),
    })
}

/// Dropping a value recurses, which a value this deep would not survive.
fn take_apart(mut value: Value) {
    loop {
        value = match value {
            Value::Array(mut items) => items.pop().unwrap_or(Value::Null),
            Value::Object(mut members) => members.pop().map_or(Value::Null, |it| it.1),
            _ => return,
        }
    }
}

fn into_values(step: GuardedOp) -> Vec<Value> {
    let brought = match step.op {
        Op::ReplaceValue { value, .. }
        | Op::AddKey { value, .. }
        | Op::InsertItem { value, .. }
        | Op::ReplaceItem { value, .. }
        | Op::SetValue { value, .. } => Some(value),
        _ => None,
    };
    brought.into_iter().chain(step.expects.equals).collect()
}

/// Values that callers make are bounded as those in texts are, before anything looks into them.
#[test]
fn a_value_deeper_than_any_text_is_refused() {
    let (root, key, index) = (Pointer::root, "new".to_string(), 0);
    let list = || root().join("l");
    let texts = [
        ("{\"l\": [[0], 1]}", Format::Json),
        ("l: [[0], 1]\n", Format::Yaml),
        ("l = [[0], 1]\n", Format::Toml),
    ];
    for (text, format) in texts {
        for is_object in [false, true] {
            let deep = || nested(100_000, is_object);
            let equals = Preconditions { equals: Some(deep()), ..Preconditions::default() };
            let delete = Op::DeleteItem { at: list(), index };
            let steps = [
                Op::ReplaceValue { at: list(), value: deep() }.into(),
                Op::AddKey { at: root(), key: key.clone(), value: deep() }.into(),
                Op::InsertItem { at: list(), index: None, value: deep() }.into(),
                Op::ReplaceItem { at: list(), index, value: deep() }.into(),
                Op::SetValue { at: root().join("new"), value: deep() }.into(),
                GuardedOp { expects: equals, ..GuardedOp::from(delete) },
            ];
            let mut draft = document(text, format).draft();
            for step in steps {
                let error = draft.apply(&step).unwrap_err();
                assert!(matches!(error, OpError::Refused(_)), "{error}");
                assert!(error.to_string().ends_with("nested deeper than 256 levels"), "{error}");
                into_values(step).into_iter().for_each(take_apart);
            }
            assert!(draft.is_untouched());
        }
    }
}

/// The deepest value that a place takes, and one level more.
#[test]
fn a_value_as_deep_as_a_text_is_taken() {
    for (levels, is_taken) in [(255, true), (256, false), (257, false)] {
        let mut draft = document("[0]", Format::Json).draft();
        let op = Op::ReplaceItem { at: Pointer::root(), index: 0, value: nested(levels, false) };
        assert_eq!(draft.apply(&op.into()).is_ok(), is_taken, "{levels}");
        draft.lower().unwrap();
    }
}
