//! The second judges: parsers that share no code with ours.

use document::{Number, Value};
use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};

/// What `jsonc-parser` reads, number texts kept; where `serde_json` can read the text too, both must agree.
pub(crate) fn judge(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let value = convert(parse_to_value(text, &options).ok()??)?;
    if let Ok(other) = serde_json::from_str::<serde_json::Value>(text) {
        assert!(is_alike(&value, &other), "the two judges differ on {text}");
    }
    Some(value)
}

fn convert(value: JsonValue<'_>) -> Option<Value> {
    Some(match value {
        JsonValue::Null => Value::Null,
        JsonValue::Boolean(value) => Value::Bool(value),
        JsonValue::Number(text) => Value::Number(Number::parse(text)?),
        JsonValue::String(text) => Value::String(text.into_owned()),
        JsonValue::Array(items) => {
            Value::Array(items.into_iter().map(convert).collect::<Option<_>>()?)
        }
        JsonValue::Object(members) => {
            let members = members.into_iter();
            let members = members.map(|(key, value)| Some((key.to_string(), convert(value)?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
    })
}

/// Equal but for numbers, which `serde_json` rounds to 64 bits.
fn is_alike(left: &Value, right: &serde_json::Value) -> bool {
    match (left, right) {
        (Value::Null, serde_json::Value::Null)
        | (Value::Number(_), serde_json::Value::Number(_)) => true,
        (Value::Bool(left), serde_json::Value::Bool(right)) => left == right,
        (Value::String(left), serde_json::Value::String(right)) => left == right,
        (Value::Array(left), serde_json::Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_alike(left, right))
        }
        (Value::Object(left), serde_json::Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|it| is_alike(value, it)))
        }
        _ => false,
    }
}
