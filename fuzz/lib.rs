//! What the fuzz targets share: reading a document, drawing operations, and the laws that must hold of both.

pub mod clank;
pub mod repair;

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Result, Unstructured};
use document::{Document, Format, Limits, Number, Op, Pointer, GuardedOp, Value};
use edit::Text;
use snapshot::{Entry, File, RelPath, Snapshot};

/// Parses `data` and reads all of it: no panic, bounded time, and spans that lie in the text.
pub fn read(format: Format, data: &[u8]) {
    let text = Text::new(data);
    if let Ok(document) = document::parse(&text, format, &Limits::DEFAULT) {
        let value = document.value();
        visit(&value, &Pointer::root(), &mut |at| {
            if let Some(found) = document.locate(at) {
                assert!(found.span.start <= found.span.end && found.span.end as usize <= text.len());
            }
        });
    }
}

/// A tree of files.
pub fn tree(files: &[(&str, &[u8])]) -> Snapshot {
    let file = |bytes: &[u8]| Entry::File(File::new(Text::new(bytes), 0o644));
    let entries: BTreeMap<RelPath, Entry> = files
        .iter()
        .map(|(path, bytes)| (RelPath::parse(path).expect("a plain name"), file(bytes)))
        .collect();
    Snapshot::new(entries).expect("no file is a folder")
}

/// Draws operations on a document that is read from the rest of the data, and checks that lowering either refuses
/// or gives a text that reads as the draft.
pub fn lower(data: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(data);
    let format = *input.choose(&[Format::Json, Format::Yaml, Format::Toml])?;
    let count = input.int_in_range(1..=4)?;
    let seeds: Vec<[u8; 12]> = (0..count).map(|_| input.arbitrary()).collect::<Result<_>>()?;
    let text = Text::new(input.take_rest());
    let Ok(document) = document::parse(&text, format, &Limits::DEFAULT) else { return Ok(()) };
    let mut draft = document.draft();
    for seed in &seeds {
        let op = draw_op(&document, &mut Unstructured::new(seed))?;
        let before = draft.value();
        if draft.apply(&GuardedOp::from(op)).is_err() {
            assert!(draft.value().is_same(&before), "a failed operation left a trace");
        }
    }
    if let Ok(edits) = draft.lower() {
        let after = edits.apply(&text).expect("made for this text");
        let reread = document::parse(&after, format, &Limits::DEFAULT).expect("verified");
        assert!(reread.value().is_same(&draft.value()));
    }
    Ok(())
}

fn draw_op(document: &Document, input: &mut Unstructured<'_>) -> Result<Op> {
    let mut places = Vec::new();
    visit(&document.value(), &Pointer::root(), &mut |at| {
        if places.len() < 256 {
            places.push(at.clone());
        }
    });
    let at = input.choose(&places)?.clone();
    let to = input.choose(&places)?.clone();
    let key = input.choose(&["a", "new", "x y", "", "0", "#", "true"])?.to_string();
    let index = usize::from(u8::arbitrary(input)? % 5);
    let value = draw_value(input)?;
    Ok(match input.int_in_range(0..=9)? {
        0 => Op::ReplaceValue { at, value },
        1 => Op::AddKey { at, key, value },
        2 => Op::RemoveKey { at, key },
        3 => match at.split_last() {
            Some((parent, from)) => Op::RenameKey { at: parent, from: from.to_string(), to: key },
            None => Op::DeleteValue { at },
        },
        4 => Op::InsertItem { at, index: Some(index), value },
        5 => Op::ReplaceItem { at, index, value },
        6 => Op::DeleteItem { at, index },
        7 => Op::SetValue { at: at.join(key), value },
        8 => Op::DeleteValue { at },
        _ => Op::MoveValue { from: at, to: to.join(key), keep_position: false },
    })
}

fn draw_value(input: &mut Unstructured<'_>) -> Result<Value> {
    let string = |text: &str| Value::String(text.to_string());
    Ok(match input.int_in_range(0..=8)? {
        0 => Value::Null,
        1 => Value::Bool(input.arbitrary()?),
        2 => Value::Number(Number::from_integer(input.arbitrary::<i32>()?.into())),
        3 => string(""),
        4 => string("two\nlines"),
        5 => string("- # : {"),
        6 => Value::Array(vec![string("x"), Value::Object(vec![])]),
        7 => Value::Object(vec![("k".to_string(), Value::Array(vec![Value::Bool(true)]))]),
        _ => string("plain"),
    })
}

fn visit(value: &Value, at: &Pointer, visitor: &mut dyn FnMut(&Pointer)) {
    visitor(at);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().take(32) {
                visit(item, &at.join(index.to_string()), visitor);
            }
        }
        Value::Object(members) => {
            for (key, member) in members.iter().take(32) {
                visit(member, &at.join(key), visitor);
            }
        }
        _ => {}
    }
}
