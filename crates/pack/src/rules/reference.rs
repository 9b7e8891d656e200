//! `reference`: a value names something that exists. Repair: the one name that is near, if there is exactly one.

use std::collections::HashSet;

use check::{Confidence, RepairKind, Safety};
use document::Value;

use super::Within;
use super::nearest::Names;
use crate::finding::{RuleFinding, Suggestion, op};
use crate::selector::{FileOccurrence, Occurrence, Selector, shown, stricter, words};
use crate::typo::Nearness;

#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) from: Vec<Selector>,
    pub(crate) to: Vec<Selector>,
    pub(crate) within: Within,
}

impl Reference {
    pub(crate) fn look(
        &self,
        floor: Option<Safety>,
        from: &[FileOccurrence<'_>],
        to: &[FileOccurrence<'_>],
    ) -> Vec<RuleFinding> {
        missing(floor, from, to).into_iter().map(|it| names_nothing(it, &self.to)).collect()
    }
}

pub(super) fn names_nothing(missing: MissingName<'_>, to: &[Selector]) -> RuleFinding {
    let MissingName { located: (file, occurrence), suggestion, .. } = missing;
    let near = near_words(&suggestion);
    let message =
        format!("cannot find {}: no such value at {}{near}", shown(&occurrence.value), words(to));
    RuleFinding::at_occurrence(file, occurrence, message).with(suggestion)
}

/// A name that leads nowhere, and the repair if one is near.
pub(super) struct MissingName<'a> {
    pub(super) located: FileOccurrence<'a>,
    pub(super) near: Option<&'a str>,
    pub(super) suggestion: Option<Suggestion>,
}

/// What is left to do, for the end of a message.
pub(super) fn near_words(suggestion: &Option<Suggestion>) -> String {
    match suggestion {
        Some(suggestion) => format!("; {}", suggestion.rationale),
        None => "; define it or name one that exists".to_owned(),
    }
}

/// The names that no target has.
fn missing<'a>(
    floor: Option<Safety>,
    from: &[FileOccurrence<'a>],
    to: &[FileOccurrence<'a>],
) -> Vec<MissingName<'a>> {
    let targets: HashSet<&str> = to.iter().map(|(_, occurrence)| &*occurrence.key).collect();
    let is_dangling =
        |occurrence: &Occurrence| occurrence.is_name() && !targets.contains(&*occurrence.key);
    let dangling = from.iter().filter(|(_, occurrence)| is_dangling(occurrence)).copied().collect();
    with_near_ones(floor, dangling, to)
}

/// Names that no target has, each with the one target that is near.
pub(super) fn with_near_ones<'a>(
    floor: Option<Safety>,
    dangling: Vec<FileOccurrence<'a>>,
    to: &[FileOccurrence<'a>],
) -> Vec<MissingName<'a>> {
    if dangling.is_empty() {
        return Vec::new();
    }
    let names = Names::new(
        to.iter().filter_map(|(_, occurrence)| occurrence.value.as_str()),
        dangling.len(),
    );
    let missing = |located: FileOccurrence<'a>| {
        let near = located.1.value.as_str().and_then(|it| names.nearest(it));
        let suggestion =
            near.and_then(|(name, nearness)| suggestion(floor, located, name, nearness));
        MissingName { located, near: near.map(|it| it.0), suggestion }
    };
    dangling.into_iter().map(missing).collect()
}

/// Replaces a name by the one it was meant to be.
pub(super) fn suggestion(
    floor: Option<Safety>,
    located: FileOccurrence<'_>,
    name: &str,
    nearness: Nearness,
) -> Option<Suggestion> {
    let (file, occurrence) = located;
    let value = Value::String(name.to_owned());
    let (confidence, how) = match nearness {
        Nearness::Variant => (Confidence::High, "differs in case or spacing only"),
        Nearness::Typo => (Confidence::Medium, "is one keystroke away"),
    };
    Some(Suggestion {
        title: format!("Change {} to {}", shown(&occurrence.value), shown(&value)),
        rationale: format!("{} exists and {how}", shown(&value)),
        safety: stricter(Safety::BehaviorChanging, floor),
        confidence,
        kind: RepairKind::LocalFix,
        ops: vec![op(file, occurrence.set(&value)?)],
    })
}
