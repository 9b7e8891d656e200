//! `reference`: a value names something that exists. Repair: the one name that is near, if there is exactly one.

use std::collections::HashSet;

use check::{Confidence, RepairKind, Safety};
use document::Value;

use super::Within;
use super::nearest::Names;
use crate::found::{Found, Mend, op};
use crate::place::{Fact, Place, Sited, shown, stricter, words};
use crate::typo::Nearness;

#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) from: Vec<Place>,
    pub(crate) to: Vec<Place>,
    pub(crate) within: Within,
}

impl Reference {
    pub(crate) fn look(
        &self,
        floor: Option<Safety>,
        from: &[Sited<'_>],
        to: &[Sited<'_>],
    ) -> Vec<Found> {
        missing(floor, from, to).into_iter().map(|it| names_nothing(it, &self.to)).collect()
    }
}

pub(super) fn names_nothing(missing: Missing<'_>, to: &[Place]) -> Found {
    let Missing { sited: (file, fact), mend, .. } = missing;
    let near = near_words(&mend);
    let message =
        format!("{} names nothing: no such value at {}{near}", shown(&fact.value), words(to));
    Found::at_fact(file, fact, message).with(mend)
}

/// A name that leads nowhere, and the repair if one is near.
pub(super) struct Missing<'a> {
    pub(super) sited: Sited<'a>,
    pub(super) near: Option<&'a str>,
    pub(super) mend: Option<Mend>,
}

/// What is left to do, for the end of a message.
pub(super) fn near_words(mend: &Option<Mend>) -> String {
    match mend {
        Some(mend) => format!("; {}", mend.rationale),
        None => "; define it or name one that exists".to_owned(),
    }
}

/// The names that no target has.
fn missing<'a>(floor: Option<Safety>, from: &[Sited<'a>], to: &[Sited<'a>]) -> Vec<Missing<'a>> {
    let targets: HashSet<&str> = to.iter().map(|(_, fact)| &*fact.key).collect();
    let is_dangling = |fact: &Fact| fact.is_name() && !targets.contains(&*fact.key);
    let dangling = from.iter().filter(|(_, fact)| is_dangling(fact)).copied().collect();
    with_near_ones(floor, dangling, to)
}

/// Names that no target has, each with the one target that is near.
pub(super) fn with_near_ones<'a>(
    floor: Option<Safety>,
    dangling: Vec<Sited<'a>>,
    to: &[Sited<'a>],
) -> Vec<Missing<'a>> {
    if dangling.is_empty() {
        return Vec::new();
    }
    let names = Names::new(to.iter().filter_map(|(_, fact)| fact.value.as_str()), dangling.len());
    let missing = |sited: Sited<'a>| {
        let near = sited.1.value.as_str().and_then(|it| names.nearest(it));
        let mend = near.and_then(|(name, nearness)| mend(floor, sited, name, nearness));
        Missing { sited, near: near.map(|it| it.0), mend }
    };
    dangling.into_iter().map(missing).collect()
}

/// Replaces a name by the one it was meant to be.
pub(super) fn mend(
    floor: Option<Safety>,
    sited: Sited<'_>,
    name: &str,
    nearness: Nearness,
) -> Option<Mend> {
    let (file, fact) = sited;
    let value = Value::String(name.to_owned());
    let (confidence, how) = match nearness {
        Nearness::Variant => (Confidence::High, "differs in case or spacing only"),
        Nearness::Typo => (Confidence::Medium, "is one keystroke away"),
    };
    Some(Mend {
        title: format!("Change {} to {}", shown(&fact.value), shown(&value)),
        rationale: format!("{} exists and {how}", shown(&value)),
        safety: stricter(Safety::BehaviorChanging, floor),
        confidence,
        kind: RepairKind::LocalFix,
        ops: vec![op(file, fact.set(&value)?)],
    })
}
