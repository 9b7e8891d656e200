//! Faults in documents, as people make them: slips in names and values, quotes too many, keys too few and too many.

use std::path::Path;

use document::{Document, Format, Limits, Op, Pointer, Value};
use edit::Text;

use crate::study::random::Random;

/// So many faults of a kind are made in one document.
const PER_KIND: usize = 2;

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SeededFault {
    KeyTypo,
    ValueTypo,
    ValueCase,
    NumberQuoted,
    BooleanQuoted,
    BooleanTypo,
    MissingKey,
    UnknownKey,
    WrongType,
}

const ALL: [SeededFault; 9] = [
    SeededFault::KeyTypo,
    SeededFault::ValueTypo,
    SeededFault::ValueCase,
    SeededFault::NumberQuoted,
    SeededFault::BooleanQuoted,
    SeededFault::BooleanTypo,
    SeededFault::MissingKey,
    SeededFault::UnknownKey,
    SeededFault::WrongType,
];

impl SeededFault {
    pub(super) fn name(self) -> &'static str {
        match self {
            SeededFault::KeyTypo => "key typo",
            SeededFault::ValueTypo => "value typo",
            SeededFault::ValueCase => "value case",
            SeededFault::NumberQuoted => "number quoted",
            SeededFault::BooleanQuoted => "boolean quoted",
            SeededFault::BooleanTypo => "boolean typo",
            SeededFault::MissingKey => "missing key",
            SeededFault::UnknownKey => "unknown key",
            SeededFault::WrongType => "wrong type",
        }
    }
}

/// Documents with one fault each: the kind, the place and the text. Whether it is one is for others to say.
pub(super) fn mutants(schema: &str, path: &Path, text: &str) -> Vec<(SeededFault, String, String)> {
    let name = path.to_string_lossy();
    let Some(format) = Format::of_path(&name) else { return Vec::new() };
    let Ok(document) = document::parse(&Text::new(text), format, &Limits::DEFAULT) else {
        return Vec::new();
    };
    if document.blocked().is_some() {
        return Vec::new();
    }
    let mut places = Vec::new();
    walk(&document.value(), &Pointer::root(), &mut places);
    let file = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let mut found = Vec::new();
    for fault in ALL {
        let mut random = Random::new(&[schema, &file, fault.name()]);
        let mut open: Vec<&(Pointer, Value)> = places.iter().collect();
        let mut n_made = 0;
        while n_made < PER_KIND && !open.is_empty() {
            let (at, value) = open.swap_remove(random.below(open.len()));
            let Some(op) = operation(fault, at, value, &mut random) else { continue };
            let Some(mutant) = apply(&document, op) else { continue };
            found.push((fault, at.to_string(), mutant));
            n_made += 1;
        }
    }
    found
}

/// Every value but the root, in order.
fn walk(value: &Value, at: &Pointer, places: &mut Vec<(Pointer, Value)>) {
    if !at.is_root() {
        places.push((at.clone(), value.clone()));
    }
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| walk(value, &at.join(key.as_str()), places));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(nth, value)| walk(value, &at.join(nth.to_string()), places));
        }
        _ => {}
    }
}

fn operation(fault: SeededFault, at: &Pointer, value: &Value, random: &mut Random) -> Option<Op> {
    let (parent, key) = at.split_last()?;
    let is_item = key.bytes().all(|it| it.is_ascii_digit());
    let replaced = |value: Value| Some(Op::SetValue { at: at.clone(), value });
    match fault {
        SeededFault::KeyTypo if !is_item => {
            let to = slip(key, random)?;
            Some(Op::RenameKey { at: parent, from: key.to_owned(), to })
        }
        SeededFault::ValueTypo => replaced(Value::String(slip(word(value)?, random)?)),
        SeededFault::ValueCase => {
            let text = word(value)?;
            let upper = text.to_ascii_uppercase();
            let other = if upper == text { text.to_ascii_lowercase() } else { upper };
            replaced(Value::String(other))
        }
        SeededFault::NumberQuoted => match value {
            Value::Number(number) => replaced(Value::String(number.text().to_owned())),
            _ => None,
        },
        SeededFault::BooleanQuoted => match value {
            Value::Bool(it) => replaced(Value::String(it.to_string())),
            _ => None,
        },
        SeededFault::BooleanTypo => match value {
            Value::Bool(true) => replaced(Value::String("ture".to_owned())),
            Value::Bool(false) => replaced(Value::String("flase".to_owned())),
            _ => None,
        },
        SeededFault::MissingKey if !is_item => {
            Some(Op::RemoveKey { at: parent, key: key.to_owned() })
        }
        SeededFault::UnknownKey => match value {
            Value::Object(members) if !members.is_empty() => Some(Op::AddKey {
                at: at.clone(),
                key: "zqUnheardOf".to_owned(),
                value: Value::String("x".to_owned()),
            }),
            _ => None,
        },
        SeededFault::WrongType => match value {
            Value::String(_) | Value::Bool(_) | Value::Number(_) => {
                replaced(Value::Array(Vec::new()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A short text that looks like a name.
fn word(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    ((3..=24).contains(&text.len()) && text.chars().all(is_word)).then_some(text)
}

/// Two neighbours swapped, or one letter left out.
fn slip(text: &str, random: &mut Random) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < 4 || !chars.iter().any(char::is_ascii_alphabetic) {
        return None;
    }
    let at = random.below(chars.len() - 1);
    let mut slipped = chars.clone();
    if chars[at] == chars[at + 1] {
        slipped.remove(at);
    } else {
        slipped.swap(at, at + 1);
    }
    Some(slipped.into_iter().collect())
}

fn apply(document: &std::sync::Arc<Document>, op: Op) -> Option<String> {
    let mut draft = document.draft();
    draft.apply(&op.into()).ok()?;
    let (_, text) = draft.lower_and_apply().ok()?;
    String::from_utf8(text.bytes().to_vec()).ok()
}
