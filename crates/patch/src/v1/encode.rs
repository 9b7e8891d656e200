//! Values in the contract's member order, for the canonical text of patch documents.

use document::{JsonType, Number, Value};

use super::{Expects, Extra};

/// An object from the members that are there, `x_` members last.
pub(crate) fn members(fixed: Vec<(&'static str, Option<Value>)>, extra: &Extra) -> Value {
    let fixed = fixed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fixed.chain(extra.iter().cloned()).collect())
}

pub(crate) fn string(text: impl AsRef<str>) -> Option<Value> {
    Some(Value::String(text.as_ref().to_owned()))
}

pub(crate) fn integer(value: usize) -> Option<Value> {
    Some(Value::Number(Number::from_integer(i128::try_from(value).unwrap_or(i128::MAX))))
}

/// The document of a stream, if it is not the first.
pub(crate) fn document_value(document: usize) -> Option<Value> {
    if document == 0 { None } else { integer(document) }
}

pub(crate) fn json_type(value: JsonType) -> Option<Value> {
    string(value.name())
}

pub(crate) fn expects(expects: &Expects) -> Value {
    members(
        vec![
            ("type", expects.json_type.and_then(json_type)),
            ("equals", expects.equals.clone()),
            ("exists", expects.exists.map(Value::Bool)),
            ("length", expects.length.and_then(integer)),
        ],
        &expects.extra,
    )
}
