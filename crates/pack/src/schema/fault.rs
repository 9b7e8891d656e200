//! One thing that a schema finds wrong, in our own words: what the validator says, flattened and sorted.
//!
//! Where no branch of `anyOf` or `oneOf` fits, the errors of the branch that was meant stand in the place of the
//! choice (see `branch.rs`).

use std::collections::HashMap;

use check::Safety;
use document::{JsonType, Pointer};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value as Json;

use super::branch;
use crate::typo;

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct SchemaFault {
    /// The value that is wrong; for a key that is missing or must not be there, the object.
    pub(crate) at: Pointer,
    /// How validation came to the keyword, through references.
    pub(crate) evaluation_path: Pointer,
    /// Whether the branch of a choice that it belongs to was a guess.
    pub(crate) is_guess: bool,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum FaultKind {
    Missing { key: String },
    Dependent { key: String },
    UnknownKey { key: String },
    KeyName { key: String, reason: String, options: Vec<String> },
    Type { allowed: Vec<JsonType> },
    Enum { options: Vec<Json> },
    Const { expected: Json },
    UniqueItems,
    Pattern { pattern: String },
    PatternUndecided,
    Format { format: String },
    Range { reason: String },
    Length { reason: String },
    NoBranch { reasons: Vec<String> },
    ManyBranches { branches: Vec<usize> },
    Contains,
    Forbidden,
    Deprecated { key: String, replacement: String, safety: Safety },
}

impl SchemaFault {
    pub(crate) fn rule_id(&self) -> &'static str {
        match &self.kind {
            FaultKind::Missing { .. } => "SCHEMA_REQUIRED",
            FaultKind::Dependent { .. } => "SCHEMA_DEPENDENT",
            FaultKind::UnknownKey { .. } => "SCHEMA_UNKNOWN_KEY",
            FaultKind::KeyName { .. } => "SCHEMA_KEY_NAME",
            FaultKind::Type { .. } => "SCHEMA_TYPE",
            FaultKind::Enum { .. } => "SCHEMA_ENUM",
            FaultKind::Const { .. } => "SCHEMA_CONST",
            FaultKind::UniqueItems => "SCHEMA_UNIQUE_ITEMS",
            FaultKind::Pattern { .. } | FaultKind::PatternUndecided => "SCHEMA_PATTERN",
            FaultKind::Format { .. } => "SCHEMA_FORMAT",
            FaultKind::Range { .. } => "SCHEMA_RANGE",
            FaultKind::Length { .. } => "SCHEMA_LENGTH",
            FaultKind::NoBranch { .. } => "SCHEMA_NO_BRANCH",
            FaultKind::ManyBranches { .. } => "SCHEMA_MANY_BRANCHES",
            FaultKind::Contains => "SCHEMA_CONTAINS",
            FaultKind::Forbidden => "SCHEMA_FORBIDDEN",
            FaultKind::Deprecated { .. } => "SCHEMA_DEPRECATED_KEY",
        }
    }

    /// The key that it is about, if it is about one.
    pub(crate) fn key(&self) -> Option<&str> {
        match &self.kind {
            FaultKind::Missing { key }
            | FaultKind::Dependent { key }
            | FaultKind::UnknownKey { key }
            | FaultKind::KeyName { key, .. }
            | FaultKind::Deprecated { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Whether it is a key that no part of the schema has looked at.
    pub(crate) fn is_unevaluated_key(&self) -> bool {
        let keyword = self.evaluation_path.segments().last().map(String::as_str);
        matches!(self.kind, FaultKind::UnknownKey { .. })
            && keyword == Some("unevaluatedProperties")
    }

    /// The place that a finding names. A missing key has the place where it would be, so that two missing keys of one
    /// object are two places.
    pub(crate) fn place(&self) -> Pointer {
        match self.key() {
            Some(key) => self.at.join(key),
            None => self.at.clone(),
        }
    }
}

/// All faults and those that are `known` already, the same one only once, in the order of place, path through the
/// schema, rule.
pub(crate) fn collect<'a>(
    errors: impl Iterator<Item = ValidationError<'a>>,
    known: Vec<SchemaFault>,
) -> Vec<SchemaFault> {
    let mut faults = known;
    for error in errors {
        flatten(&error, &mut faults);
    }
    faults.sort_by_cached_key(|it| (it.place(), it.evaluation_path.clone(), it.rule_id()));
    let mut kept: Vec<SchemaFault> = Vec::with_capacity(faults.len());
    for fault in faults {
        let place = fault.place();
        let same_place = kept.iter().rev().take_while(|it| it.place() == place);
        if !same_place.into_iter().any(|it| it.kind == fault.kind) {
            kept.push(fault);
        }
    }
    kept
}

/// Of a value that has the wrong type and is none of the allowed ones, one thing is said: that the type is wrong, if
/// that is all; else which values are allowed, which implies their type.
pub(crate) fn without_twins(mut faults: Vec<SchemaFault>, json: &Json) -> Vec<SchemaFault> {
    let mut is_kept = vec![true; faults.len()];
    for (idx, fault) in faults.iter().enumerate() {
        let FaultKind::Type { allowed } = &fault.kind else { continue };
        // Faults are in the order of places, and those at one value next to each other.
        let before = (0..idx).rev().take_while(|it| faults[*it].at == fault.at);
        let after = (idx + 1..faults.len()).take_while(|it| faults[*it].at == fault.at);
        for twin in before.chain(after) {
            let options = match &faults[twin].kind {
                FaultKind::Enum { options } => options.as_slice(),
                FaultKind::Const { expected } => std::slice::from_ref(expected),
                _ => continue,
            };
            let is_allowed = |it: &Json| allowed.iter().any(|to| json_type(it).satisfies(*to));
            if !options.iter().all(is_allowed) {
                continue;
            }
            let value = json.pointer(&fault.at.to_string()).and_then(spelling);
            let is_spelled = value.is_some() && options.iter().any(|it| spelling(it) == value);
            is_kept[if is_spelled { twin } else { idx }] = false;
        }
    }
    let mut is_kept = is_kept.into_iter();
    faults.retain(|_| is_kept.next().unwrap_or(true));
    faults
}

/// A key that is misspelled is one thing that is wrong: that the object lacks the key that was meant follows from it.
pub(crate) fn without_consequences(mut faults: Vec<SchemaFault>) -> Vec<SchemaFault> {
    let mut strangers: HashMap<&Pointer, Vec<&str>> = HashMap::new();
    let mut missing: HashMap<&Pointer, Vec<&str>> = HashMap::new();
    for fault in &faults {
        match &fault.kind {
            FaultKind::UnknownKey { key } => strangers.entry(&fault.at).or_default().push(key),
            FaultKind::Missing { key } => missing.entry(&fault.at).or_default().push(key),
            _ => {}
        }
    }
    let only_near = |text: &str, among: Option<&Vec<&str>>| {
        let mut near = among.into_iter().flatten().filter(|it| typo::nearness(text, it).is_some());
        let first = near.next().map(|it| (*it).to_owned());
        first.filter(|_| near.next().is_none())
    };
    let is_kept: Vec<bool> = faults
        .iter()
        .map(|fault| {
            let FaultKind::Missing { key } = &fault.kind else { return true };
            let meant = only_near(key, strangers.get(&fault.at));
            meant.is_none_or(|it| only_near(&it, missing.get(&fault.at)).is_none())
        })
        .collect();
    let mut is_kept = is_kept.into_iter();
    faults.retain(|_| is_kept.next().unwrap_or(true));
    faults
}

/// How a scalar is written, whatever its type.
fn spelling(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Number(_) => Some(json.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn json_type(json: &Json) -> JsonType {
    super::json::from_json(json).json_type()
}

pub(crate) fn flatten(error: &ValidationError<'_>, faults: &mut Vec<SchemaFault>) {
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            faults.extend(branch::best(error, context));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let keys = unexpected.iter().cloned();
            faults.extend(keys.map(|key| fault(error, FaultKind::UnknownKey { key })));
        }
        kind => faults.push(fault(error, single(kind, error))),
    }
}

pub(crate) fn fault(error: &ValidationError<'_>, kind: FaultKind) -> SchemaFault {
    SchemaFault {
        at: pointer(error.instance_path().as_str()),
        evaluation_path: pointer(error.evaluation_path().as_str()),
        is_guess: false,
        kind,
    }
}

/// The validator writes pointers itself, so they are well-formed.
fn pointer(text: &str) -> Pointer {
    text.parse().unwrap_or_default()
}

fn single(kind: &Kind, error: &ValidationError<'_>) -> FaultKind {
    let range = |what: &str, limit: String| FaultKind::Range { reason: format!("{what} {limit}") };
    let length = |what: String| FaultKind::Length { reason: what };
    match kind {
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default().to_owned();
            let path = error.evaluation_path().as_str();
            let is_dependent =
                path.ends_with("/dependentRequired") || path.contains("/dependencies");
            if is_dependent && !path.ends_with("/required") {
                FaultKind::Dependent { key }
            } else {
                FaultKind::Missing { key }
            }
        }
        Kind::PropertyNames { error: inner } => FaultKind::KeyName {
            key: inner.instance().as_str().unwrap_or_default().to_owned(),
            reason: key_reason(inner),
            options: match inner.kind() {
                Kind::Enum { options } => {
                    let options = options.as_array().into_iter().flatten();
                    options.filter_map(Json::as_str).map(str::to_owned).collect()
                }
                _ => Vec::new(),
            },
        },
        Kind::Type { kind } => FaultKind::Type { allowed: allowed_types(kind) },
        Kind::Enum { options } => {
            FaultKind::Enum { options: options.as_array().cloned().unwrap_or_default() }
        }
        Kind::Constant { expected_value } => {
            FaultKind::Const { expected: Json::clone(expected_value) }
        }
        Kind::UniqueItems => FaultKind::UniqueItems,
        Kind::Pattern { pattern } => FaultKind::Pattern { pattern: pattern.clone() },
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            FaultKind::PatternUndecided
        }
        Kind::Format { format } => FaultKind::Format { format: format.clone() },
        Kind::ContentEncoding { content_encoding } => {
            FaultKind::Format { format: content_encoding.clone() }
        }
        Kind::ContentMediaType { content_media_type } => {
            FaultKind::Format { format: content_media_type.clone() }
        }
        Kind::FromUtf8 { .. } => FaultKind::Format { format: "UTF-8".into() },
        Kind::Minimum { limit } => range("at least", limit.to_string()),
        Kind::Maximum { limit } => range("at most", limit.to_string()),
        Kind::ExclusiveMinimum { limit } => range("greater than", limit.to_string()),
        Kind::ExclusiveMaximum { limit } => range("less than", limit.to_string()),
        Kind::MultipleOf { multiple_of } => range("a multiple of", multiple_of.to_string()),
        Kind::MinLength { limit } => length(format!("at least {}", count(*limit, "character"))),
        Kind::MaxLength { limit } => length(format!("at most {}", count(*limit, "character"))),
        Kind::MinItems { limit } => length(format!("at least {}", count(*limit, "item"))),
        Kind::MaxItems { limit } => length(format!("at most {}", count(*limit, "item"))),
        Kind::MinProperties { limit } => length(format!("at least {}", count(*limit, "key"))),
        Kind::MaxProperties { limit } => length(format!("at most {}", count(*limit, "key"))),
        Kind::AdditionalItems { limit } => {
            length(format!("at most {}", count(u64::try_from(*limit).unwrap_or(u64::MAX), "item")))
        }
        Kind::UnevaluatedItems { unexpected } => {
            let n_extra = u64::try_from(unexpected.len()).unwrap_or(u64::MAX);
            length(format!("{} less", count(n_extra, "item")))
        }
        Kind::OneOfMultipleValid { context } => {
            let fitting = context.iter().enumerate().filter(|(_, errors)| errors.is_empty());
            FaultKind::ManyBranches { branches: fitting.map(|(idx, _)| idx).collect() }
        }
        Kind::Contains => FaultKind::Contains,
        // `AnyOf` and the like never get here; what a later version of the validator adds is at least not lost.
        _ => FaultKind::Forbidden,
    }
}

fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

fn key_reason(error: &ValidationError<'_>) -> String {
    match single(error.kind(), error) {
        FaultKind::Pattern { pattern } => {
            format!("does not match `{}`", super::message::cut(&pattern))
        }
        FaultKind::Length { reason } => format!("must have {reason}"),
        FaultKind::Enum { options } => {
            let names = options.iter().filter_map(Json::as_str);
            let key = error.instance().as_str().unwrap_or_default().to_owned();
            format!("is not one of {}", super::message::list(&key, names))
        }
        FaultKind::Format { format } => format!("is not in the format `{format}`"),
        _ => "is not allowed".to_owned(),
    }
}

fn allowed_types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(it) => JsonType::from_name(&it.to_string()).into_iter().collect(),
        TypeKind::Multiple(set) => {
            let mut allowed: Vec<JsonType> =
                set.iter().filter_map(|it| JsonType::from_name(&it.to_string())).collect();
            allowed.sort_unstable();
            allowed
        }
    }
}
