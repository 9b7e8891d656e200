//! regreen: parse, all operations in one draft, lower, verify by parsing again, apply.

use anyhow::Result;
use document::{Format, Limits, Number, Op, Pointer, Value};
use edit::Text;

use crate::fleet::Syntax;
use crate::operation::Operation;

/// The text after the operations.
pub(crate) fn edit(syntax: Syntax, text: &Text, operations: &[Operation]) -> Result<Text> {
    let document = document::parse(text, format(syntax), &Limits::DEFAULT)?;
    let mut draft = document.draft();
    for operation in operations {
        draft.apply(&lower(operation).into())?;
    }
    let (_, edited) = draft.lower_and_apply()?;
    Ok(edited)
}

/// Only parses, and gives back where the document ends.
pub(crate) fn parse(syntax: Syntax, text: &Text) -> Result<usize> {
    let document = document::parse(text, format(syntax), &Limits::DEFAULT)?;
    Ok(document.locate(&Pointer::root()).map_or(0, |root| root.span.end as usize))
}

fn format(syntax: Syntax) -> Format {
    match syntax {
        Syntax::Json => Format::Json,
        Syntax::Yaml => Format::Yaml,
    }
}

fn lower(operation: &Operation) -> Op {
    let at = |path: &[String]| Pointer::from_segments(path.iter().cloned());
    match operation {
        Operation::Replace { at: path, value } => {
            Op::ReplaceValue { at: at(path), value: convert(value) }
        }
        Operation::AddKey { at: path, key, value } => {
            Op::AddKey { at: at(path), key: key.clone(), value: convert(value) }
        }
        Operation::RemoveKey { at: path, key } => Op::RemoveKey { at: at(path), key: key.clone() },
        Operation::RenameKey { at: path, from, to } => {
            Op::RenameKey { at: at(path), from: from.clone(), to: to.clone() }
        }
        Operation::InsertItem { at: path, index, value } => {
            Op::InsertItem { at: at(path), index: Some(*index), value: convert(value) }
        }
        Operation::AppendItem { at: path, value } => {
            Op::InsertItem { at: at(path), index: None, value: convert(value) }
        }
        Operation::DeleteItem { at: path, index } => Op::DeleteItem { at: at(path), index: *index },
        Operation::MoveKey { from, to, key } => {
            Op::MoveValue { from: at(from).join(key), to: at(to).join(key), keep_position: false }
        }
    }
}

fn convert(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(it) => Value::Bool(*it),
        serde_json::Value::Number(it) => {
            Number::parse(&it.to_string()).map_or(Value::Null, Value::Number)
        }
        serde_json::Value::String(it) => Value::String(it.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(convert).collect()),
        serde_json::Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), convert(value))).collect(),
        ),
    }
}
