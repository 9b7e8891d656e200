//! Laws on TOML documents.

mod cases;
mod corpus;
mod generate;
mod hostile;
mod sequence;
mod suite;

use document::{Format, Limits, Number, ParseError, Value, parse};
use edit::Text;
use toml_spanner::{Arena, Item, Table};

/// What our parser reads.
fn read(text: impl Into<Vec<u8>>) -> Result<Value, ParseError> {
    parse(&Text::new(text), Format::Toml, &Limits::DEFAULT).map(|document| document.value())
}

/// What the second parser reads. Numbers with a fraction and dates are taken from the text at the place that it
/// names, since it keeps no digits.
fn judge(text: &str) -> Option<Value> {
    let arena = Arena::new();
    let document = toml_spanner::parse(text, &arena).ok()?;
    Some(judged_table(document.table(), text))
}

fn judged_table(table: &Table<'_>, text: &str) -> Value {
    let members = table.entries().iter();
    Value::Object(
        members.map(|(key, item)| (key.name.to_string(), judged_item(item, text))).collect(),
    )
}

fn judged_item(item: &Item<'_>, text: &str) -> Value {
    let span = item.span();
    let spelled = || text[span.start as usize..span.end as usize].to_string();
    match item.value() {
        toml_spanner::Value::String(text) => Value::String(text.to_string()),
        toml_spanner::Value::Integer(_) => {
            Value::Number(Number::from_integer(item.as_i128().unwrap()))
        }
        toml_spanner::Value::Float(value) if value.is_nan() => Value::Number(Number::nan()),
        toml_spanner::Value::Float(value) if value.is_infinite() && spelled().contains("inf") => {
            Value::Number(Number::infinity(*value < 0.0))
        }
        toml_spanner::Value::Float(_) => {
            Value::Number(Number::parse(&spelled().replace(['_', '+'], "")).unwrap())
        }
        toml_spanner::Value::Boolean(value) => Value::Bool(*value),
        toml_spanner::Value::DateTime(_) => Value::Datetime(spelled()),
        toml_spanner::Value::Table(table) => judged_table(table, text),
        toml_spanner::Value::Array(items) => {
            Value::Array(items.iter().map(|item| judged_item(item, text)).collect())
        }
    }
}
