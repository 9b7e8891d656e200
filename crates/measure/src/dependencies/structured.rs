//! JSON, YAML and TOML manifests as values. A text with a repeated key is refused: tools differ in which one counts.

use document::{Format, Limits, Value, parse};
use edit::Text;

/// The value of a text, or why there is none.
pub(super) fn value(text: &str, format: Format) -> Result<Value, String> {
    let parsed =
        parse(&Text::new(text), format, &Limits::DEFAULT).map_err(|error| error.message)?;
    match parsed.not_alone() {
        Some(refusal) => Err(refusal.to_string()),
        None => Ok(parsed.value()),
    }
}

/// The object that a text must be.
pub(super) fn object(text: &str, format: Format) -> Result<Value, String> {
    match value(text, format)? {
        it @ Value::Object(_) => Ok(it),
        _ => Err("it is not an object".to_owned()),
    }
}

/// The members of an object; none of anything else.
pub(super) fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let members = match value {
        Some(Value::Object(members)) => members.as_slice(),
        _ => &[],
    };
    members.iter().map(|(name, value)| (name.as_str(), value))
}

/// The items of an array; none of anything else.
pub(super) fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let items = match value {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

/// The value at the end of a path of members.
pub(super) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// The string member of an object.
pub(super) fn string<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}
