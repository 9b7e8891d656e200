//! What a fault is called: what is wrong, where, what is allowed and what to do, in one sentence each.

use std::collections::BTreeMap;

use document::{JsonType, Number, Pointer, Value};
use serde_json::Value as Json;

use super::fault::{FaultKind, SchemaFault};
use super::json::from_json;
use crate::typo;

/// Longer values are cut. A value may be a secret or a megabyte.
const MAX_SHOWN_CHARS: usize = 60;
const MAX_LISTED: usize = 6;

/// What the schema says about the place of a fault, for its message.
pub(crate) struct Hints<'a> {
    /// The value that is wrong, or the object that the fault's key is about.
    pub(crate) value: Option<&'a Value>,
    /// The keys that the object may have.
    pub(crate) known_keys: &'a [&'a str],
    /// The value that a missing key stands for.
    pub(crate) default: Option<&'a Json>,
}

/// The message for people and the facts for machines.
pub(crate) fn message(fault: &SchemaFault, hints: &Hints<'_>) -> (String, BTreeMap<String, Value>) {
    let mut details = facts(&fault.kind);
    let message = match (&fault.kind, hints.value) {
        (FaultKind::UniqueItems, Some(Value::Array(items))) => {
            let repeated = super::repair::repeated(items);
            if let Some((first, again)) = repeated.first() {
                details.insert("first".into(), number(*first));
                details.insert("again".into(), number(*again));
            }
            repeated_message(&name(&fault.at), repeated.first())
        }
        _ => sentence(fault, hints),
    };
    if let Some(key) = fault.key() {
        details.insert("key".into(), Value::String(key.to_owned()));
    }
    (message, details)
}

fn facts(kind: &FaultKind) -> BTreeMap<String, Value> {
    let text = |it: &str| Value::String(it.to_owned());
    let facts = match kind {
        FaultKind::Type { allowed } => {
            vec![(
                "allowed_types",
                Value::Array(allowed.iter().map(|it| text(it.name())).collect()),
            )]
        }
        FaultKind::Enum { options } => {
            let listed = options.iter().take(MAX_LISTED).map(from_json);
            vec![("allowed", Value::Array(listed.collect())), ("n_allowed", number(options.len()))]
        }
        FaultKind::Const { expected } => vec![("allowed", Value::Array(vec![from_json(expected)]))],
        FaultKind::Pattern { pattern } => vec![("pattern", text(pattern))],
        FaultKind::Format { format } => vec![("format", text(format))],
        FaultKind::ManyBranches { branches } => {
            vec![("branches", Value::Array(branches.iter().map(|it| number(*it)).collect()))]
        }
        FaultKind::Deprecated { replacement, .. } => vec![("replacement", text(replacement))],
        _ => Vec::new(),
    };
    facts.into_iter().map(|(name, it)| (name.to_owned(), it)).collect()
}

fn sentence(fault: &SchemaFault, hints: &Hints<'_>) -> String {
    let name = name(&fault.at);
    let found = hints.value.map_or_else(|| "nothing".to_owned(), describe);
    match &fault.kind {
        FaultKind::Missing { key } => match hints.default {
            Some(default) => format!(
                "{name} lacks the required key {}; its declared value is {}",
                quoted(key),
                shown(&from_json(default))
            ),
            None => format!("{name} lacks the required key {}; add it", quoted(key)),
        },
        FaultKind::Dependent { key } => {
            format!(
                "{name} lacks the key {}, which another of its keys requires; add it",
                quoted(key)
            )
        }
        FaultKind::UnknownKey { key } => unknown_key_message(&name, key, hints.known_keys),
        FaultKind::KeyName { key, reason, .. } => {
            format!("key {} of {name} {reason}; rename it", quoted(key))
        }
        FaultKind::Type { allowed } => format!("{name} must be {}, but is {found}", types(allowed)),
        FaultKind::Enum { options } => enum_message(&name, hints.value, &found, options),
        FaultKind::Const { expected } => {
            format!("{name} must be {}, but is {found}", shown(&from_json(expected)))
        }
        FaultKind::UniqueItems => repeated_message(&name, None),
        FaultKind::Pattern { pattern } => {
            format!("{name} must match `{}`, but is {found}", cut(pattern))
        }
        FaultKind::PatternUndecided => format!(
            "{name} could not be compared with its pattern within the limits; simplify the pattern"
        ),
        FaultKind::Format { format } => {
            format!("{name} must be in the format `{}`, but is {found}", cut(format))
        }
        FaultKind::Range { reason } => format!("{name} must be {reason}, but is {found}"),
        FaultKind::Length { reason } => format!("{name} must have {reason}{}", length(hints.value)),
        FaultKind::NoBranch { reasons } => {
            let reasons = reasons.join("; or ");
            format!("{name} matches none of the forms allowed here: {reasons}")
        }
        FaultKind::ManyBranches { .. } => {
            format!("{name} matches more than one of the forms allowed here; expected exactly one")
        }
        FaultKind::Deprecated { key, replacement, .. } => {
            format!("key {} of {name} is deprecated; use {}", quoted(key), quoted(replacement))
        }
        FaultKind::Contains => format!("{name} lacks an item of the kind that it must contain"),
        FaultKind::Forbidden => format!("{name} is not allowed here: {found}; remove or change it"),
    }
}

fn repeated_message(name: &str, places: Option<&(usize, usize)>) -> String {
    let which = match places {
        Some((first, again)) => format!("the same item at {first} and {again}"),
        None => "equal items".to_owned(),
    };
    format!("{name} has {which}, but each may appear only once; remove one")
}

/// The same in a few words, for lists of reasons.
pub(crate) fn brief(fault: &SchemaFault) -> String {
    let hints = Hints { value: None, known_keys: &[], default: None };
    let name = name(&fault.at);
    match &fault.kind {
        FaultKind::Missing { key } | FaultKind::Dependent { key } => {
            format!("{name} lacks {}", quoted(key))
        }
        FaultKind::UnknownKey { key } => format!("{name} may not have {}", quoted(key)),
        FaultKind::Type { allowed } => format!("{name} must be {}", types(allowed)),
        FaultKind::Enum { options } => {
            let texts: Vec<String> = options.iter().map(|it| plain(&from_json(it))).collect();
            format!("{name} must be one of {}", list("", texts.iter().map(String::as_str)))
        }
        FaultKind::Const { expected } => {
            format!("{name} must be {}", shown(&from_json(expected)))
        }
        FaultKind::Pattern { pattern } => format!("{name} must match `{}`", cut(pattern)),
        FaultKind::Range { reason } => format!("{name} must be {reason}"),
        FaultKind::NoBranch { .. } => format!("{name} matches none of its forms"),
        _ => message(fault, &hints).0,
    }
}

fn unknown_key_message(name: &str, key: &str, known: &[&str]) -> String {
    let key_shown = quoted(key);
    if known.is_empty() {
        return format!("{name} may not have the key {key_shown}; remove it");
    }
    let allowed = list(key, known.iter().copied());
    match typo::nearest(key, known.iter().copied()) {
        Some((near, _)) => format!(
            "{name} may not have the key {key_shown}; did you mean {}? Allowed: {allowed}",
            quoted(near)
        ),
        None => format!("{name} may not have the key {key_shown}. Allowed: {allowed}"),
    }
}

fn enum_message(name: &str, value: Option<&Value>, found: &str, options: &[Json]) -> String {
    let texts: Vec<String> = options.iter().map(|it| plain(&from_json(it))).collect();
    let value = value.map(plain).unwrap_or_default();
    let allowed = list(&value, texts.iter().map(String::as_str));
    match typo::nearest(&value, texts.iter().map(String::as_str)) {
        Some((near, _)) => format!(
            "{name} is {found}, which is not allowed; did you mean {}? Allowed: {allowed}",
            quoted(near)
        ),
        None => format!("{name} is {found}, which is not allowed. Allowed: {allowed}"),
    }
}

/// Names, the nearest to `text` first, the rest counted.
pub(crate) fn list<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let n_names = names.len();
    let shown: Vec<String> =
        typo::nearest_first(text, names, MAX_LISTED).into_iter().map(quoted).collect();
    let n_more = n_names.saturating_sub(MAX_LISTED);
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The place by its own name.
pub(crate) fn name(at: &Pointer) -> String {
    match at.split_last() {
        None => "the document".to_owned(),
        Some((parent, last)) if last.bytes().all(|it| it.is_ascii_digit()) && !last.is_empty() => {
            match parent.split_last() {
                Some((_, list)) => format!("item {last} of {}", quoted(list)),
                None => format!("item {last}"),
            }
        }
        Some((_, last)) => quoted(last),
    }
}

/// A value with its type, short.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => format!("the boolean {it}"),
        Value::Number(it) if !it.is_finite() => {
            format!("`{}`, which is not a JSON number", it.text())
        }
        Value::Number(it) => format!("the number {}", cut(it.text())),
        Value::String(it) => format!("the string {}", shown_string(it)),
        Value::Datetime(it) => format!("the date or time {}", cut(it)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(members) => format!("an object of {}", members.len()),
    }
}

/// A value as JSON, short.
pub(crate) fn shown(value: &Value) -> String {
    cut(&value.to_json())
}

/// A scalar as one would type it, for comparison with others.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) | Value::Datetime(text) => text.clone(),
        other => other.to_json(),
    }
}

pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", cut(text))
}

fn shown_string(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

/// The text on one line, at most so long.
pub(crate) fn cut(text: &str) -> String {
    cut_at(text, MAX_SHOWN_CHARS)
}

/// The same for sentences of others.
pub(crate) fn cut_sentence(text: &str) -> String {
    cut_at(text, 4 * MAX_SHOWN_CHARS)
}

fn cut_at(text: &str, max_chars: usize) -> String {
    let mut characters = text.chars().map(|it| if it.is_control() { ' ' } else { it });
    let mut shown: String = characters.by_ref().take(max_chars).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

fn types(allowed: &[JsonType]) -> String {
    let names: Vec<String> = allowed.iter().map(|it| format!("{} {it}", it.article())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "of another type".to_owned(),
    }
    .replace("a null", "null")
}

fn length(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => format!(", but has {}", text.chars().count()),
        Some(Value::Array(items)) => format!(", but has {}", items.len()),
        Some(Value::Object(members)) => format!(", but has {}", members.len()),
        _ => String::new(),
    }
}

fn number(n: usize) -> Value {
    Value::Number(Number::from_integer(i128::try_from(n).unwrap_or(i128::MAX)))
}
