//! Every operation at every place of a document, checked against the model and, where there is one, a second
//! parser that shares no code with the first.

use std::collections::BTreeMap;
use std::sync::Arc;

use document::{
    Content, Document, Format, GuardedOp, Limits, Number, Op, Pointer, Value, View, parse,
};
use edit::Text;

use super::model;

/// How the operations on some documents ended.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Operations that the contract refuses (missing key, wrong type, …), and that failed.
    pub(crate) failed: usize,
    /// Operations that gave the expected value.
    pub(crate) done: usize,
    /// Operations that the document refused, by reason.
    pub(crate) refused: BTreeMap<String, usize>,
}

/// Reads a text with a second parser; `None` where that parser cannot.
pub(crate) type Judge<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// Tries every operation at every place of `text` and checks the laws on each result. A text that does not parse
/// or may not be edited counts nothing.
pub(crate) fn check_every_op(
    name: &str,
    format: Format,
    text: &str,
    judge: Judge<'_>,
    tally: &mut Tally,
) {
    let source = Text::new(text);
    let Ok(stream) = parse(&source, format, &Limits::DEFAULT) else { return };
    // The second judge has a say only where it reads the original as we do.
    let judge = judge(text).is_some_and(|it| it.equals(&stream.value())).then_some(judge);
    for document in stream.all() {
        let (viewed, value) = (read(document.view()), document.value());
        assert!(viewed.equals(&value), "{name}: {viewed:?} is not {value:?}");
        check_every_op_in(name, &document, judge, tally);
    }
}

/// what is read when somebody asks is what a copy says.
fn read(view: View<'_>) -> Value {
    match view.content() {
        Content::Null => Value::Null,
        Content::Bool(it) => Value::Bool(it),
        Content::Number(number) => Value::Number(number),
        Content::String(text) => Value::String(text.into_owned()),
        Content::Array => Value::Array(view.items().map(read).collect()),
        Content::Object => {
            let members = view.members().map(|(key, it)| (key.into_owned(), read(it)));
            Value::Object(members.collect())
        }
    }
}

fn check_every_op_in(
    name: &str,
    document: &Arc<Document>,
    judge: Option<Judge<'_>>,
    tally: &mut Tally,
) {
    let (source, value) = (document.text(), document.value());
    let text = source.as_str().unwrap();
    for op in ops(&value) {
        let mut draft = document.draft();
        let expected = model::apply(&value, &op);
        let step = GuardedOp { document: document.index(), ..GuardedOp::from(op.clone()) };
        let outcome = draft.apply(&step);
        let context = || format!("{name}: {op:?}\n--- before\n{text}\n---");
        let edits = match (outcome, &expected) {
            (Err(document::OpError::Refused(refusal)), _) => {
                *tally.refused.entry(refusal.to_string()).or_default() += 1;
                continue;
            }
            (Err(_), None) => {
                tally.failed += 1;
                continue;
            }
            (Err(error), Some(_)) => panic!("failed, but should apply: {error}\n{}", context()),
            (Ok(_), None) => panic!("applied, but should fail\n{}", context()),
            (Ok(_), Some(_)) => draft.lower(),
        };
        let edits = match edits {
            Ok(edits) => edits,
            Err(refusal) => {
                *tally.refused.entry(refusal.to_string()).or_default() += 1;
                continue;
            }
        };
        let after = edits.apply(source).unwrap();
        let result = std::str::from_utf8(after.bytes()).unwrap();
        let expected = expected.unwrap();
        check_result(document, &after, &expected, &|| {
            format!("{}\n--- after\n{result}\n---", context())
        });
        if let Some(judged) = judge.and_then(|judge| judge(result)) {
            assert!(
                judged.equals(&expected),
                "the second judge reads {judged:?}\n{}\n{result}",
                context()
            );
        }
        tally.done += 1;
    }
}

/// Applies many operations in one draft and one at a time; both must end with the same value.
pub(crate) fn check_sequence(name: &str, format: Format, text: &str, ops: &[Op]) {
    let source = Text::new(text);
    let Ok(document) = parse(&source, format, &Limits::DEFAULT) else { return };
    let mut expected = document.value();
    let mut draft = document.draft();
    for op in ops {
        if let (Ok(_), Some(value)) =
            (draft.apply(&GuardedOp::from(op.clone())), model::apply(&expected, op))
        {
            expected = value;
        }
    }
    assert!(
        draft.value().is_same(&expected),
        "{name}: the draft differs from the model\n{text}\n{ops:?}\n{}\n{}",
        draft.value().to_json(),
        expected.to_json()
    );
    if let Ok(edits) = draft.lower() {
        let after = edits.apply(&source).unwrap();
        let context =
            || format!("{name}: {ops:?}\n{text}\n---\n{}", String::from_utf8_lossy(after.bytes()));
        check_result(&document, &after, &expected, &context);
    }
}

fn check_result(
    before: &Arc<Document>,
    after: &Text,
    expected: &Value,
    context: &dyn Fn() -> String,
) {
    let reread = parse(after, before.format(), &Limits::DEFAULT);
    let reread = reread.unwrap_or_else(|error| panic!("does not parse: {error}\n{}", context()));
    assert_eq!(reread.n_documents(), before.n_documents(), "{}", context());
    for (old, new) in before.all().zip(reread.all()) {
        let is_changed = old.index() == before.index();
        let expected = if is_changed { expected.clone() } else { old.value() };
        assert!(new.value().is_same(&expected), "reads as {:?}\n{}", new.value(), context());
    }
    let (old, new) = (before.text().bytes(), after.bytes());
    let bom = |bytes: &[u8]| bytes.starts_with(b"\xEF\xBB\xBF");
    assert_eq!(bom(old), bom(new), "BOM\n{}", context());
    // A text of nothing but a BOM has no last line either.
    let is_empty = |bytes: &[u8]| bytes.len() == if bom(bytes) { 3 } else { 0 };
    if !is_empty(old) && !is_empty(new) {
        assert_eq!(old.ends_with(b"\n"), new.ends_with(b"\n"), "final newline\n{}", context());
    }
    if old.contains(&b'\n') && count(old, b"\r\n") == count(old, b"\n") {
        assert_eq!(count(new, b"\r\n"), count(new, b"\n"), "line ends\n{}", context());
    }
    if !old.contains(&b'\r') {
        assert!(!new.contains(&b'\r'), "line ends\n{}", context());
    }
}

fn count(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).filter(|window| *window == needle).count()
}

/// Every operation at every place, with values that are awkward to write.
pub(crate) fn ops(value: &Value) -> Vec<Op> {
    let mut places = Vec::new();
    collect(value, &Pointer::root(), &mut places);
    places.truncate(60);
    let mut ops = Vec::new();
    for (nth, (at, here)) in places.iter().enumerate() {
        let samples = samples();
        let sample = |offset: usize| samples[(nth + offset) % samples.len()].clone();
        ops.push(Op::ReplaceValue { at: at.clone(), value: sample(0) });
        ops.push(Op::ReplaceValue { at: at.clone(), value: sample(7) });
        ops.push(Op::SetValue { at: at.join("new key"), value: sample(1) });
        ops.push(Op::DeleteValue { at: at.clone() });
        if let Some((parent, last)) = at.split_last() {
            ops.push(Op::MoveValue {
                from: at.clone(),
                to: parent.join("moved"),
                keep_position: false,
            });
            ops.push(Op::MoveValue {
                from: at.clone(),
                to: Pointer::root().join("top"),
                keep_position: false,
            });
            ops.push(Op::RenameKey {
                at: parent.clone(),
                from: last.to_string(),
                to: "re: named".to_string(),
            });
            ops.push(Op::RenameKey {
                at: parent,
                from: last.to_string(),
                to: "renamed".to_string(),
            });
        }
        if nth % 3 == 0 {
            ops.extend(variants(here).map(|value| Op::ReplaceValue { at: at.clone(), value }));
        }
        match here {
            Value::Object(members) => {
                ops.push(Op::AddKey { at: at.clone(), key: "added".to_string(), value: sample(2) });
                ops.push(Op::AddKey {
                    at: at.clone(),
                    key: "a b # c".to_string(),
                    value: sample(9),
                });
                for (key, _) in members.iter().take(4) {
                    ops.push(Op::RemoveKey { at: at.clone(), key: key.clone() });
                }
            }
            Value::Array(items) => {
                for index in [0, items.len() / 2, items.len()] {
                    let index = Some(index);
                    ops.push(Op::InsertItem { at: at.clone(), index, value: sample(3) });
                    ops.push(Op::InsertItem { at: at.clone(), index, value: sample(10) });
                }
                ops.push(Op::InsertItem { at: at.clone(), index: None, value: sample(4) });
                for index in [0, items.len().saturating_sub(1), items.len()] {
                    ops.push(Op::ReplaceItem { at: at.clone(), index, value: sample(5) });
                    ops.push(Op::DeleteItem { at: at.clone(), index });
                }
            }
            _ => ops.push(Op::InsertItem { at: at.clone(), index: None, value: sample(6) }),
        }
    }
    ops
}

/// Containers much like this one: with one member more, fewer or another one in the middle.
fn variants(value: &Value) -> impl Iterator<Item = Value> {
    let new = || Value::String("new: value".to_string());
    let mut found = Vec::new();
    match value {
        Value::Object(members) if !members.is_empty() => {
            let middle = members.len() / 2;
            let (mut more, mut fewer, mut other) =
                (members.clone(), members.clone(), members.clone());
            more.retain(|(key, _)| key != "one more");
            more.push(("one more".to_string(), new()));
            fewer.remove(middle);
            other[middle].1 = new();
            found.extend([more, fewer, other].map(Value::Object));
        }
        Value::Array(items) if !items.is_empty() => {
            let middle = items.len() / 2;
            let (mut more, mut fewer, mut other) = (items.clone(), items.clone(), items.clone());
            more.insert(middle, new());
            fewer.remove(middle);
            other[middle] = new();
            found.extend([more, fewer, other].map(Value::Array));
        }
        _ => {}
    }
    found.into_iter()
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

/// Values that are awkward in one format or another.
pub(crate) fn samples() -> Vec<Value> {
    let string = |text: &str| Value::String(text.to_string());
    let number = |text: &str| Value::Number(Number::parse(text).unwrap());
    vec![
        string("plain"),
        number("8080"),
        string("true"),
        string("two\nlines\n"),
        Value::Bool(false),
        string(""),
        Value::Array(vec![number("1"), string("x: y"), Value::Array(vec![])]),
        string("# not a comment"),
        Value::Object(vec![
            ("k".to_string(), string("it's \"quoted\"")),
            ("list".to_string(), Value::Array(vec![string("- a"), Value::Object(vec![])])),
        ]),
        number("123456789012345678"),
        string(" leading and trailing "),
        number("-1.50"),
        string("ünï → 😀\t\u{1}"),
        Value::Array(vec![Value::Object(vec![("a".to_string(), number("1"))])]),
        string("*alias &anchor !tag | > % @ ` , [ ] { }"),
        string("2001-12-14"),
        string("0x1F"),
        string("trailing\n\nblank\n\n"),
        Value::Object(vec![(
            "nested".to_string(),
            Value::Object(vec![("deep".to_string(), number("1"))]),
        )]),
    ]
}
