//! What could mend a fault, and how safe it would be. Only candidates: `trial.rs` tries each before it is proposed.
//!
//! The same value in another spelling or type, the only value that a missing key can have and an exact duplicate are
//! likely to preserve the meaning. The nearest key or value is a guess; so are a default that somebody would have to
//! have left out on purpose, a constant in the place of another value, text in the place of a value that a format with
//! explicit types holds, and everything in a branch that was a guess. Where a branch applies only because of something
//! else that is wrong in the same object, that comes first, and nothing is proposed.

use std::collections::HashMap;

use check::{Confidence, Safety};
use document::{Format, GuardedOp, JsonType, Number, Op, Pointer, Preconditions, Value};
use serde_json::Value as Json;

use super::cause;
use super::family;
use super::fault::{FaultKind, SchemaFault};
use super::fault_context::{Family, FaultContext};
use super::json::{from_json, to_json};
use super::library::{ResolvedSchema, SchemaLibrary};
use super::message::{plain, quoted, shown};
use crate::finding::SchemaRepair;
use crate::typo::{self, Nearness};

/// Numbers of more digits may not come through a double unharmed.
const MAX_SAFE_DIGITS: usize = 15;

/// The one thing that could mend the fault, and the schemas in force there.
pub(crate) fn candidate(context: &FaultContext<'_>, idx: usize) -> Option<SchemaRepair> {
    let fault = &context.faults[idx];
    if cause::has_one(context.faults, idx) {
        return None;
    }
    let family = context.family(fault);
    let value = context.value(idx)?;
    let mut proposal = match &fault.kind {
        FaultKind::Missing { key } | FaultKind::Dependent { key } => {
            missing(context, &family, fault, value, key)
        }
        FaultKind::UnknownKey { key } => unknown_key(context, &family, fault, value, key),
        FaultKind::Type { allowed } => converted(context, idx, value, allowed),
        FaultKind::Enum { options } => allowed_value(context, idx, value, options),
        FaultKind::Const { expected } => {
            let spelled = allowed_value(context, idx, value, std::slice::from_ref(expected));
            let is_certain = !cause::is_conditional(&fault.evaluation_path);
            spelled.or_else(|| is_certain.then(|| constant(fault, value, expected)))
        }
        FaultKind::KeyName { key, options, .. } => named_key(fault, value, key, options),
        FaultKind::UniqueItems => without_duplicates(fault, value),
        FaultKind::Deprecated { key, replacement, safety } => {
            let proposal = renamed_alias(fault, value, key, replacement);
            proposal.map(|it| SchemaRepair { safety: *safety, ..it })
        }
        _ => None,
    }?;
    if fault.is_guess {
        proposal.safety = Safety::BehaviorChanging;
        proposal.confidence = proposal.confidence.max(Confidence::Medium);
    }
    let mut about = family.schemas.clone();
    if let Some(key) = fault.key() {
        about.extend(family::of_member(context.library, &about, key));
    }
    proposal.safety = about.iter().filter_map(stated_safety).fold(proposal.safety, Safety::max);
    let is_expressible = context.document.format() != Format::Toml
        || !proposal.steps.iter().filter_map(|it| it.op.value()).any(has_null);
    is_expressible.then_some(proposal)
}

/// What a missing key stands for: its constant, or its default; and whether it can be nothing else.
pub(crate) fn declared<'a>(
    library: &'a SchemaLibrary,
    family: &[ResolvedSchema<'a>],
    key: &str,
) -> Option<(&'a Json, bool)> {
    let member = family::of_member(library, family, key);
    let constant = family::agreed(&member, "const").map(|it| (it, true));
    constant.or_else(|| family::agreed(&member, "default").map(|it| (it, false)))
}

/// Whether a default says nothing: it is there for somebody to replace it.
fn is_placeholder(value: &Json) -> bool {
    const WORDS: [&str; 9] = [
        "changeme",
        "fixme",
        "placeholder",
        "replaceme",
        "string",
        "tbd",
        "todo",
        "unknown",
        "xxx",
    ];
    match value {
        Json::Null => true,
        Json::String(text) => {
            let folded = typo::fold(text);
            let is_bracketed = text.starts_with('<') && text.ends_with('>');
            folded.is_empty()
                || is_bracketed
                || text.contains("...")
                || WORDS.contains(&folded.as_str())
                || folded.starts_with("your")
        }
        _ => false,
    }
}

fn missing(
    context: &FaultContext<'_>,
    family: &Family<'_>,
    fault: &SchemaFault,
    object: &Value,
    key: &str,
) -> Option<SchemaRepair> {
    let Value::Object(members) = object else { return None };
    // A key that is there under a name nearby was meant, whatever the default is.
    let strangers = members.iter().map(|(it, _)| it.as_str()).filter(|it| !family.knows(it));
    let strangers: Vec<&str> = strangers.collect();
    if let Some((from, nearness)) = typo::nearest(key, strangers.iter().copied()) {
        let others = missing_keys(context, &fault.at).filter(|it| *it != key);
        let is_contested = others.into_iter().any(|it| typo::nearness(from, it).is_some());
        // Where the other key is a fault of its own, the repair is that fault's and resolves this one too.
        let is_fault = context
            .faults_at(&fault.at)
            .any(|it| matches!(&it.kind, FaultKind::UnknownKey { key } if key == from));
        return (!is_contested && !is_fault).then(|| rename(fault, from, key, nearness));
    }
    if strangers.iter().any(|it| typo::nearness(it, key).is_some()) {
        return None;
    }
    let (value, is_only) = declared(context.library, &family.schemas, key)?;
    if is_placeholder(value) {
        return None;
    }
    let is_certain = is_only && !cause::is_conditional(&fault.evaluation_path);
    let value = from_json(value);
    Some(SchemaRepair {
        title: format!("Add {} with its declared value {}", quoted(key), shown(&value)),
        rationale: match is_certain {
            true => "The schema allows this one value for the key and no other.",
            false => {
                "The schema declares this value for the key, but still requires the key; the author of the file \
                 may mean another value."
            }
        }
        .into(),
        safety: if is_certain { Safety::LikelyPreserving } else { Safety::BehaviorChanging },
        confidence: if is_certain { Confidence::High } else { Confidence::Medium },
        steps: vec![Op::AddKey { at: fault.at.clone(), key: key.into(), value }.into()],
        also_resolves: Vec::new(),
    })
}

fn missing_keys<'a>(context: &'a FaultContext<'_>, at: &Pointer) -> impl Iterator<Item = &'a str> {
    context.faults_at(at).filter_map(|it| match &it.kind {
        FaultKind::Missing { key } => Some(key.as_str()),
        _ => None,
    })
}

fn unknown_key<'a>(
    context: &FaultContext<'a>,
    family: &Family<'_>,
    fault: &'a SchemaFault,
    object: &Value,
    key: &str,
) -> Option<SchemaRepair> {
    let (to, nearness) = typo::nearest(key, family.known_keys.iter().copied())?;
    let is_contested = object.get(to).is_some() || context.n_rivals(fault, to) > 1;
    (!is_contested).then(|| rename(fault, key, to, nearness))
}

fn rename(fault: &SchemaFault, from: &str, to: &str, nearness: Nearness) -> SchemaRepair {
    SchemaRepair {
        title: format!("Rename {} to {}", quoted(from), quoted(to)),
        rationale: match nearness {
            Nearness::Variant => "The schema has the same key in another spelling.",
            Nearness::Typo => "The schema has exactly one key that is one slip away.",
        }
        .into(),
        safety: Safety::BehaviorChanging,
        confidence: confidence(nearness),
        steps: vec![
            Op::RenameKey { at: fault.at.clone(), from: from.into(), to: to.into() }.into(),
        ],
        also_resolves: Vec::new(),
    }
}

/// The one name that the schema allows and that a key is near to.
fn named_key(
    fault: &SchemaFault,
    object: &Value,
    key: &str,
    options: &[String],
) -> Option<SchemaRepair> {
    let (to, nearness) = typo::nearest(key, options.iter().map(String::as_str))?;
    object.get(to).is_none().then(|| rename(fault, key, to, nearness))
}

fn renamed_alias(fault: &SchemaFault, object: &Value, key: &str, to: &str) -> Option<SchemaRepair> {
    if object.get(to).is_some() {
        return None;
    }
    Some(SchemaRepair {
        title: format!("Rename the deprecated {} to {}", quoted(key), quoted(to)),
        rationale: "The schema declares the new name to be the replacement of the old one.".into(),
        safety: Safety::LikelyPreserving,
        confidence: Confidence::High,
        steps: vec![Op::RenameKey { at: fault.at.clone(), from: key.into(), to: to.into() }.into()],
        also_resolves: Vec::new(),
    })
}

fn constant(fault: &SchemaFault, value: &Value, expected: &Json) -> SchemaRepair {
    let expected = from_json(expected);
    SchemaRepair {
        title: format!("Set {} to {}", super::message::name(&fault.at), shown(&expected)),
        rationale: "The schema allows only this value; the rest of the file may depend on the value that is there \
                    now."
            .into(),
        safety: Safety::BehaviorChanging,
        confidence: Confidence::Medium,
        steps: vec![replace(&fault.at, value, expected)],
        also_resolves: Vec::new(),
    }
}

fn converted(
    context: &FaultContext<'_>,
    idx: usize,
    value: &Value,
    allowed: &[JsonType],
) -> Option<SchemaRepair> {
    let fault = &context.faults[idx];
    let format = context.document.format();
    let converted = match value {
        Value::String(text) => {
            let converted =
                from_text(text).filter(|it| allowed.iter().any(|to| it.json_type().satisfies(*to)));
            if converted.is_none() && allowed.contains(&JsonType::Boolean) {
                return boolean(fault, value, text, &[true, false]);
            }
            converted
        }
        _ if allowed.contains(&JsonType::String) => as_written(context, idx, value),
        _ => None,
    }?;
    Some(conversion(fault, format, value, converted))
}

/// `ture` where a boolean is asked for.
fn boolean(
    fault: &SchemaFault,
    value: &Value,
    text: &str,
    options: &[bool],
) -> Option<SchemaRepair> {
    let (near, nearness) = typo::nearest(text, ["true", "false"])?;
    let new = near == "true";
    options.contains(&new).then(|| nearby(fault, value, Value::Bool(new), near, nearness))
}

fn conversion(
    fault: &SchemaFault,
    format: Format,
    value: &Value,
    converted: Value,
) -> SchemaRepair {
    // JSON and TOML have quotes around text and none around anything else, so who left them out meant it.
    let is_explicit =
        format != Format::Yaml && matches!(converted, Value::String(_)) && value.as_str().is_none();
    SchemaRepair {
        title: format!("Write {} as {}", super::message::name(&fault.at), shown(&converted)),
        rationale: match is_explicit {
            true => "The same spelling in the type that the schema asks for; its readers may take it for another value.",
            false => "The same value in the type that the schema asks for; nothing is lost.",
        }
        .into(),
        safety: if is_explicit { Safety::BehaviorChanging } else { Safety::LikelyPreserving },
        confidence: if is_explicit { Confidence::Medium } else { Confidence::High },
        steps: vec![replace(&fault.at, value, converted)],
        also_resolves: Vec::new(),
    }
}

fn allowed_value(
    context: &FaultContext<'_>,
    idx: usize,
    value: &Value,
    options: &[Json],
) -> Option<SchemaRepair> {
    let fault = &context.faults[idx];
    let other_type = match value {
        Value::String(text) => from_text(text),
        _ => as_written(context, idx, value),
    };
    if let Some(converted) = other_type.filter(|it| options.contains(&to_json(it))) {
        return Some(conversion(fault, context.document.format(), value, converted));
    }
    let text = value.as_str()?;
    let booleans: Vec<bool> = options.iter().filter_map(Json::as_bool).collect();
    let Some((near, nearness)) = typo::nearest(text, options.iter().filter_map(Json::as_str))
    else {
        return boolean(fault, value, text, &booleans);
    };
    Some(nearby(fault, value, Value::String(near.to_owned()), near, nearness))
}

fn nearby(
    fault: &SchemaFault,
    value: &Value,
    new: Value,
    near: &str,
    nearness: Nearness,
) -> SchemaRepair {
    SchemaRepair {
        title: format!("Change {} to {}", quoted(&plain(value)), quoted(near)),
        rationale: match nearness {
            Nearness::Variant => "The value is an allowed one in another case or spacing.",
            Nearness::Typo => "Exactly one allowed value is one slip away.",
        }
        .into(),
        safety: match nearness {
            Nearness::Variant => Safety::LikelyPreserving,
            Nearness::Typo => Safety::BehaviorChanging,
        },
        confidence: confidence(nearness),
        steps: vec![replace(&fault.at, value, new)],
        also_resolves: Vec::new(),
    }
}

fn without_duplicates(fault: &SchemaFault, value: &Value) -> Option<SchemaRepair> {
    let Value::Array(items) = value else { return None };
    let later = repeated(items).into_iter().rev();
    let ops = later.map(|(_, index)| Op::DeleteItem { at: fault.at.clone(), index });
    let steps: Vec<GuardedOp> = ops.map(GuardedOp::from).collect();
    let name = super::message::name(&fault.at);
    (!steps.is_empty()).then(|| SchemaRepair {
        title: match steps.len() {
            1 => format!("Remove the repeated item of {name}"),
            n => format!("Remove {n} repeated items of {name}"),
        },
        rationale: "An equal item comes before it; the schema allows it once.".into(),
        safety: Safety::LikelyPreserving,
        confidence: Confidence::High,
        steps,
        also_resolves: Vec::new(),
    })
}

/// The items that stand before already: where first, and where again.
pub(crate) fn repeated(items: &[Value]) -> Vec<(usize, usize)> {
    let mut first_of: HashMap<String, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for (idx, item) in items.iter().enumerate() {
        let first = *first_of.entry(sorted(item).to_json()).or_insert(idx);
        if first != idx {
            repeated.push((first, idx));
        }
    }
    repeated
}

/// The value with its keys in order, so that equal ones have equal texts.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.iter().map(|(key, it)| (key.clone(), sorted(it))).collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(members)
        }
        scalar => scalar.clone(),
    }
}

fn confidence(nearness: Nearness) -> Confidence {
    match nearness {
        Nearness::Variant => Confidence::High,
        Nearness::Typo => Confidence::Medium,
    }
}

fn replace(at: &Pointer, old: &Value, new: Value) -> GuardedOp {
    let is_scalar = !matches!(old, Value::Array(_) | Value::Object(_));
    let expects =
        Preconditions { equals: is_scalar.then(|| old.clone()), ..Preconditions::default() };
    GuardedOp { expects, ..GuardedOp::from(Op::ReplaceValue { at: at.clone(), value: new }) }
}

/// The number or boolean that a string is the plain spelling of.
fn from_text(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    let number = Number::parse(text)?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let n_digits = digits.bytes().filter(u8::is_ascii_digit).count();
    // `1.10` may be a version, and `1e3` or `-0` would not come back as they were.
    let is_zero = digits.bytes().all(|it| matches!(it, b'0' | b'.'));
    let is_negative_zero = text.starts_with('-') && is_zero;
    let has_padding = text.contains('.') && text.ends_with('0');
    let is_plain = !text.contains(['e', 'E']) && !has_padding && !is_negative_zero;
    (is_plain && n_digits <= MAX_SAFE_DIGITS).then_some(Value::Number(number))
}

/// An integer or boolean as a string, if it is written in the file the way the string would be.
fn as_written(context: &FaultContext<'_>, idx: usize, value: &Value) -> Option<Value> {
    let text = match value {
        Value::Bool(it) => it.to_string(),
        Value::Number(it) if it.is_integer_literal() => it.text().to_owned(),
        _ => return None,
    };
    let span = context.span(idx)?;
    let written = context.document.text().bytes().get(span.start as usize..span.end as usize)?;
    (written == text.as_bytes()).then_some(Value::String(text))
}

/// A schema may ask for more care than its keywords do; a laxer wish has no effect.
pub(crate) fn stated_safety(schema: &ResolvedSchema<'_>) -> Option<Safety> {
    schema.schema.get("x-safety")?.as_str().and_then(Safety::from_name)
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.iter().any(|(_, it)| has_null(it)),
        _ => false,
    }
}
