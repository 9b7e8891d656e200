//! `deprecated`: a key has another name or another place by now, or none. Repair: rename it, move it, or remove it where
//! it means nothing any more or the new one says the same.
//!
//! Where the new key is deprecated in its turn, the pack leads to the end of the chain at once (see [`follow`]).

use check::{Confidence, RepairKind, Safety};
use document::{GuardedOp, Op, Pointer, Value};

use super::{FileView, PackRule, RuleBody};
use crate::finding::{MemberPart, RuleFinding, Suggestion, op};
use crate::selector::{Selector, replace, shown, stricter};

#[derive(Debug)]
pub(crate) struct Deprecated {
    pub(crate) at: Selector,
    pub(crate) key: String,
    pub(crate) successor: Successor,
    /// What old values are called under the new key.
    pub(crate) value_map: Vec<(String, Value)>,
}

/// What has taken the place of a key.
#[derive(Clone, Debug)]
pub(crate) enum Successor {
    /// Another key of the same object.
    Key(String),
    /// A place further inside the same object.
    Place(Pointer),
    /// Nothing: the key has no effect any more.
    Nothing,
}

impl Successor {
    /// The place as people write it.
    fn name(&self) -> Option<String> {
        match self {
            Successor::Key(key) => Some(format!("`{key}`")),
            Successor::Place(at) => Some(format!("`{at}`")),
            Successor::Nothing => None,
        }
    }

    /// The place, from the object on.
    fn path(&self) -> Pointer {
        match self {
            Successor::Key(key) => Pointer::root().join(key.as_str()),
            Successor::Place(at) => at.clone(),
            Successor::Nothing => Pointer::root(),
        }
    }
}

impl Deprecated {
    pub(crate) fn look(&self, floor: Option<Safety>, view: &FileView<'_>) -> Vec<RuleFinding> {
        let objects = self.at.pattern.select(view.value).into_iter();
        objects
            .filter_map(|it| {
                let Value::Object(_) = it.value else { return None };
                let old = it.value.get(&self.key)?;
                let key = &self.key;
                let new = self.successor.name().map(|name| (name, self.new_value(it.value)));
                let what = match &new {
                    None => "; it no longer has an effect, remove it".to_owned(),
                    Some((name, Some(new))) if !new.equals(&self.mapped(old)) => format!(
                        ", and {name} says {}; decide which one holds and remove `{key}`",
                        shown(new)
                    ),
                    Some((name, Some(_))) => {
                        format!(", and {name} says the same already; remove `{key}`")
                    }
                    Some((name, None)) => format!("; use {name} instead"),
                };
                let message = format!("`{key}` is deprecated{what}");
                let suggestion = self.suggestion(floor, view, &it.at, it.value, old);
                Some(
                    RuleFinding::new(view.file, it.at.join(key.as_str()), MemberPart::Key, message)
                        .with(suggestion),
                )
            })
            .collect()
    }

    fn new_value<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        let path = self.successor.path();
        path.segments().iter().try_fold(object, |value, key| value.get(key))
    }

    fn mapped(&self, old: &Value) -> Value {
        mapped(&self.value_map, old)
    }

    fn suggestion(
        &self,
        floor: Option<Safety>,
        view: &FileView<'_>,
        at: &Pointer,
        object: &Value,
        old: &Value,
    ) -> Option<Suggestion> {
        let key = &self.key;
        let remove = GuardedOp::from(Op::RemoveKey { at: at.clone(), key: key.clone() });
        let (title, rationale, steps) = match self.successor.name() {
            None => {
                let rationale = format!("`{key}` is declared to have no effect");
                (format!("Remove `{key}`, which no longer has an effect"), rationale, vec![remove])
            }
            Some(name) => {
                let (title, steps) = self.replacing(at, object, old, &name, remove)?;
                (title, format!("{name} is declared to replace `{key}`"), steps)
            }
        };
        Some(Suggestion {
            title,
            rationale,
            safety: stricter(Safety::LikelyPreserving, floor),
            confidence: Confidence::High,
            kind: RepairKind::LocalFix,
            ops: steps.into_iter().map(|it| op(view.file, it)).collect(),
        })
    }

    fn replacing(
        &self,
        at: &Pointer,
        object: &Value,
        old: &Value,
        name: &str,
        remove: GuardedOp,
    ) -> Option<(String, Vec<GuardedOp>)> {
        let (key, mapped) = (&self.key, self.mapped(old));
        let path = self.successor.path();
        let target = path.segments().iter().fold(at.clone(), |at, it| at.join(it.as_str()));
        if let Some(new) = self.new_value(object) {
            // Writing down what stays changes nothing, but nobody else can remove it meanwhile.
            let keep = replace(target, new, new.clone());
            let title = format!("Remove `{key}`, which {name} repeats");
            return new.equals(&mapped).then(|| (title, vec![keep, remove]));
        }
        let mut steps = Vec::new();
        if !mapped.is_same(old) {
            steps.push(replace(at.join(key.as_str()), old, mapped));
        }
        let verb = match &self.successor {
            Successor::Key(to) => {
                let (from, to) = (key.clone(), to.clone());
                steps.push(Op::RenameKey { at: at.clone(), from, to }.into());
                "Rename"
            }
            _ => {
                steps.extend(missing_objects(at, object, &path)?);
                steps.push(
                    Op::MoveValue { from: at.join(key.as_str()), to: target, keep_position: false }
                        .into(),
                );
                "Move"
            }
        };
        Some((format!("{verb} `{key}` to {name}"), steps))
    }
}

/// The steps that make the objects on the way to a place; `None` if something else is on the way.
fn missing_objects(at: &Pointer, object: &Value, path: &Pointer) -> Option<Vec<GuardedOp>> {
    let (parents, _) = path.split_last()?;
    let mut steps = Vec::new();
    let (mut at, mut value) = (at.clone(), Some(object));
    for segment in parents.segments() {
        match value {
            Some(Value::Object(_)) | None => {}
            Some(_) => return None,
        }
        value = value.and_then(|it| it.get(segment));
        if value.is_none() {
            let (at, key) = (at.clone(), segment.clone());
            steps.push(Op::AddKey { at, key, value: Value::Object(Vec::new()) }.into());
        }
        at = at.join(segment.as_str());
    }
    matches!(value, Some(Value::Object(_)) | None).then_some(steps)
}

fn mapped(value_map: &[(String, Value)], old: &Value) -> Value {
    let text = match old {
        Value::String(text) | Value::Datetime(text) => text.clone(),
        Value::Number(number) => number.text().to_owned(),
        Value::Bool(it) => it.to_string(),
        other => return other.clone(),
    };
    let mapped = value_map.iter().find(|it| it.0 == text);
    mapped.map_or_else(|| old.clone(), |it| it.1.clone())
}

/// Leads every rule whose new key is deprecated in the same place to the end of the chain. A circle is left as it is.
pub(crate) fn follow(rules: &mut [PackRule]) {
    for idx in 0..rules.len() {
        let mut seen = vec![idx];
        while let RuleBody::Deprecated(rule) = &rules[idx].body
            && let Successor::Key(next) = &rule.successor
            && let Some(after) = rules.iter().position(|it| {
                matches!(&it.body, RuleBody::Deprecated(other)
                    if other.key == *next
                        && other.at.kind == rule.at.kind
                        && other.at.pattern == rule.at.pattern)
            })
            && !seen.contains(&after)
            && let RuleBody::Deprecated(other) = &rules[after].body
        {
            let own = rule.value_map.iter();
            let own = own.map(|(old, new)| (old.clone(), mapped(&other.value_map, new)));
            let others = other.value_map.iter();
            let others = others.filter(|it| rule.value_map.iter().all(|own| own.0 != it.0));
            let value_map = own.chain(others.cloned()).collect();
            let successor = other.successor.clone();
            if let RuleBody::Deprecated(rule) = &mut rules[idx].body {
                rule.value_map = value_map;
                rule.successor = successor;
            }
            seen.push(after);
        }
    }
}
