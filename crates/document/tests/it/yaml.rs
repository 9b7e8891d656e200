//! YAML: exact texts, the laws over the corpora, and hostile input.

mod cases;
mod generated;
mod hostile;
#[cfg(test)]
mod suite;

use document::{Format, Number, Value};

/// Reads YAML with the port of libyaml, which shares no code with the parser behind this crate. `None` where it
/// cannot read the text, or where the two have different ideas of what the text means (tags, keys that are not
/// strings).
fn judge(text: &str) -> Option<Value> {
    if text.contains("%TAG") {
        return None;
    }
    convert(&serde_norway::from_str(text).ok()?)
}

fn convert(value: &serde_norway::Value) -> Option<Value> {
    use serde_norway::Value as Read;
    Some(match value {
        Read::Null => Value::Null,
        Read::Bool(value) => Value::Bool(*value),
        Read::Number(number) => Value::Number(Number::parse(&number.to_string())?),
        Read::String(text) => Value::String(text.clone()),
        Read::Sequence(items) => Value::Array(items.iter().map(convert).collect::<Option<_>>()?),
        Read::Mapping(members) => {
            let member =
                |(key, value): (&Read, &Read)| Some((key.as_str()?.to_string(), convert(value)?));
            Value::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
        Read::Tagged(_) => return None,
    })
}

/// A JSON value as the crate has it.
fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            Value::Number(Number::parse(&number.to_string()).unwrap())
        }
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(from_json).collect()),
        serde_json::Value::Object(members) => {
            let member = |(key, value): (&String, _)| (key.clone(), from_json(value));
            Value::Object(members.iter().map(member).collect())
        }
    }
}

const FORMAT: Format = Format::Yaml;
