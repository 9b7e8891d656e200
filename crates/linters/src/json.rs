//! Reading what tools print as JSON: bounded, and with errors that name what was expected.

use serde_json::Value;

use crate::limits::{MAX_OUTPUT, tidy_message};
use crate::report::Garbled;

/// The value of a whole output.
pub(crate) fn whole(bytes: &[u8]) -> Result<Value, Garbled> {
    check_size(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| Garbled::format("JSON", describe(bytes, &error)))
}

/// One value for every line that is not blank.
pub(crate) fn lines(bytes: &[u8]) -> Result<Vec<Value>, Garbled> {
    check_size(bytes)?;
    let lines = bytes.split(|it| *it == b'\n').filter(|it| !it.trim_ascii().is_empty());
    let read = |line: &[u8]| {
        serde_json::from_slice(line)
            .map_err(|error| Garbled::format("one JSON value per line", describe(line, &error)))
    };
    lines.map(read).collect()
}

pub(crate) fn check_size(bytes: &[u8]) -> Result<(), Garbled> {
    if bytes.len() > MAX_OUTPUT {
        return Err(Garbled::TooLarge { bytes: bytes.len(), limit: MAX_OUTPUT });
    }
    Ok(())
}

/// UTF-8 text within the bound.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Garbled> {
    check_size(bytes)?;
    std::str::from_utf8(bytes).map_err(|_| Garbled::format("UTF-8 text", "other bytes"))
}

fn describe(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.trim_ascii().is_empty() {
        return "nothing".to_owned();
    }
    let start: String = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    format!("`{}` ({error})", tidy_message(&start))
}

/// Short ways to read a member.
pub(crate) trait Members {
    /// The text of a member.
    fn str(&self, name: &str) -> Option<&str>;
    /// The number of a member, if it is not negative.
    fn num(&self, name: &str) -> Option<u64>;
    /// The items of a member; none if it is not an array.
    fn list(&self, name: &str) -> &[Value];
    /// The items of an array that must be there.
    fn required_list(&self, name: &str) -> Result<&[Value], Garbled>;
}

impl Members for Value {
    fn str(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn num(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::as_u64)
    }

    fn list(&self, name: &str) -> &[Value] {
        self.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn required_list(&self, name: &str) -> Result<&[Value], Garbled> {
        let found = self.get(name).and_then(Value::as_array).map(Vec::as_slice);
        found.ok_or_else(|| Garbled::format(format!("an array `{name}`"), kind_of(self.get(name))))
    }
}

/// The items of a value that must be an array.
pub(crate) fn array(value: &Value) -> Result<&[Value], Garbled> {
    let found = value.as_array().map(Vec::as_slice);
    found.ok_or_else(|| Garbled::format("an array", kind_of(Some(value))))
}

pub(crate) fn kind_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
    }
}
