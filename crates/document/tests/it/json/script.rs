//! Operations as one line of text: `set /a/b {"x": 1}`, `rename "" old new`, `insert /list 0 true`.

use document::{Format, GuardedOp, Limits, Op, Pointer, Value, parse};
use edit::Text;

/// The operation that a line stands for. `""` is the root.
pub(crate) fn op(line: &str) -> Op {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (at, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let at = pointer(at);
    let word_and_value = || {
        let (word, text) = rest.split_once(' ').unwrap_or((rest, ""));
        (word.to_string(), value(text))
    };
    match name {
        "replace" => Op::ReplaceValue { at, value: value(rest) },
        "set" => Op::SetValue { at, value: value(rest) },
        "delete" => Op::DeleteValue { at },
        "remove" => Op::RemoveKey { at, key: rest.to_string() },
        "append" => Op::InsertItem { at, index: None, value: value(rest) },
        "drop" => Op::DeleteItem { at, index: rest.parse().unwrap() },
        "move" => Op::MoveValue { from: at, to: pointer(rest), keep_position: false },
        "keep" => Op::MoveValue { from: at, to: pointer(rest), keep_position: true },
        "rename" => {
            let (from, to) = rest.split_once(' ').unwrap();
            Op::RenameKey { at, from: from.to_string(), to: to.to_string() }
        }
        "add" => {
            let (key, value) = word_and_value();
            Op::AddKey { at, key, value }
        }
        "insert" => {
            let (index, value) = word_and_value();
            Op::InsertItem { at, index: Some(index.parse().unwrap()), value }
        }
        "item" => {
            let (index, value) = word_and_value();
            Op::ReplaceItem { at, index: index.parse().unwrap(), value }
        }
        other => panic!("no operation `{other}`"),
    }
}

pub(crate) fn step(line: &str) -> GuardedOp {
    GuardedOp::from(op(line))
}

pub(crate) fn pointer(text: &str) -> Pointer {
    text.trim_matches('"').parse().unwrap()
}

pub(crate) fn value(text: &str) -> Value {
    let document = parse(&Text::new(text), Format::Json, &Limits::DEFAULT);
    document.unwrap_or_else(|error| panic!("{error} in `{text}`")).value()
}
