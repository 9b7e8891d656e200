//! Which branch of `anyOf` or `oneOf` was meant, when none fits.
//!
//! A branch is ruled out by the type of the value, and by a constant, an enumeration or a pattern for one of its
//! members, which is how schemas tell branches apart. Of those that are left, the one whose errors lie deepest, and then the one with
//! the fewest, was meant, if it is the only one. If every branch wants another constant in the same member, that
//! member is what is wrong; if every branch wants another type, the type is.

use std::collections::HashSet;

use document::{JsonType, Pointer};
use jsonschema::ValidationError;
use serde_json::Value as Json;

use super::fault::{FaultKind, SchemaFault, fault, flatten};
use super::message;
use crate::typo;

/// What is wrong, in the terms of the branch that was meant.
pub(crate) fn best(
    choice: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> Vec<SchemaFault> {
    let here = fault(choice, FaultKind::Forbidden);
    let branches: Vec<Vec<SchemaFault>> = branches
        .iter()
        .map(|errors| {
            let mut faults = Vec::new();
            errors.iter().for_each(|it| flatten(it, &mut faults));
            faults
        })
        .collect();
    if let Some(kind) = one_type_of_all(&here.at, &branches) {
        return vec![SchemaFault { kind, ..here }];
    }
    let tags: Vec<Option<&SchemaFault>> = branches
        .iter()
        .map(|it| wrong_tag(&here.at, it).or_else(|| wrong_pattern(&here.at, it, &branches)))
        .collect();
    let standings: Vec<BranchRank> = branches
        .iter()
        .zip(&tags)
        .map(|(faults, tag)| standing(&here.at, faults, *tag, choice))
        .collect();
    let n_fitting = standings.iter().filter(|it| it.class == Class::Fits).count();
    if n_fitting == 0
        && let Some(merged) = one_tag_of_all(&here, &branches, &tags)
    {
        return vec![merged];
    }
    let Some(top) = standings.iter().min() else { return vec![no_branch(here, &branches)] };
    let is_only = standings.iter().filter(|it| *it == top).count() == 1;
    if !is_only || top.class > Class::NearTag {
        return vec![no_branch(here, &branches)];
    }
    let is_guess = top.class == Class::Fits && n_fitting > 1;
    let chosen =
        standings.iter().position(|it| it == top).and_then(|idx| branches.into_iter().nth(idx));
    let chosen = chosen.unwrap_or_default().into_iter();
    chosen.map(|it| SchemaFault { is_guess: it.is_guess || is_guess, ..it }).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Fits,
    /// The member that tells branches apart is a slip away from what this branch wants.
    NearTag,
    OtherTag,
    OtherType,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct BranchRank {
    class: Class,
    depth: std::cmp::Reverse<usize>,
    n_faults: usize,
}

fn standing(
    at: &Pointer,
    faults: &[SchemaFault],
    tag: Option<&SchemaFault>,
    choice: &ValidationError<'_>,
) -> BranchRank {
    let is_other_type =
        faults.iter().any(|it| it.at == *at && matches!(it.kind, FaultKind::Type { .. }));
    let class = match tag {
        _ if is_other_type => Class::OtherType,
        Some(tag) if is_near(at, tag, choice) => Class::NearTag,
        Some(_) => Class::OtherTag,
        None => Class::Fits,
    };
    let depth = faults.iter().map(|it| it.at.segments().len()).max().unwrap_or_default();
    BranchRank { class, depth: std::cmp::Reverse(depth), n_faults: faults.len() }
}

/// The fault of a branch that shows that another one was meant: a constant in a member, or the whole value is one.
fn wrong_tag<'a>(at: &Pointer, faults: &'a [SchemaFault]) -> Option<&'a SchemaFault> {
    let depth = at.segments().len();
    faults.iter().find(|it| {
        let is_tag = match &it.kind {
            FaultKind::Const { .. } => true,
            // A long enumeration is a type of its own, not a name for a branch.
            FaultKind::Enum { options } => options.len() <= 3,
            _ => false,
        };
        is_tag && it.at.segments().len() == depth + 1
    })
}

/// A pattern that a member does not match, where another branch has nothing to say about the member.
fn wrong_pattern<'a>(
    at: &Pointer,
    faults: &'a [SchemaFault],
    branches: &[Vec<SchemaFault>],
) -> Option<&'a SchemaFault> {
    let depth = at.segments().len();
    let is_fine = |branch: &[SchemaFault], member: &Pointer| {
        branch.iter().all(|it| {
            let is_other_type = it.at == *at && matches!(it.kind, FaultKind::Type { .. });
            !is_other_type && !it.place().segments().starts_with(member.segments())
        })
    };
    faults.iter().find(|it| {
        matches!(it.kind, FaultKind::Pattern { .. })
            && it.at.segments().len() == depth + 1
            && branches.iter().any(|branch| is_fine(branch, &it.at))
    })
}

fn is_near(at: &Pointer, tag: &SchemaFault, choice: &ValidationError<'_>) -> bool {
    let segments = &tag.at.segments()[at.segments().len().min(tag.at.segments().len())..];
    let instance = choice.instance();
    let found = segments.iter().try_fold(instance.as_ref(), |it, segment| match it {
        Json::Object(members) => members.get(segment),
        Json::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    });
    let Some(text) = found.and_then(Json::as_str) else { return false };
    wanted(tag).iter().filter_map(|it| it.as_str()).any(|it| typo::nearness(text, it).is_some())
}

fn wanted(tag: &SchemaFault) -> Vec<&Json> {
    match &tag.kind {
        FaultKind::Const { expected } => vec![expected],
        FaultKind::Enum { options } => options.iter().collect(),
        _ => Vec::new(),
    }
}

/// Every branch that has the right type wants another value in the same member.
fn one_tag_of_all(
    here: &SchemaFault,
    branches: &[Vec<SchemaFault>],
    tags: &[Option<&SchemaFault>],
) -> Option<SchemaFault> {
    let mut options: Vec<Json> = Vec::new();
    let mut place: Option<&SchemaFault> = None;
    for (faults, tag) in branches.iter().zip(tags) {
        let Some(tag) = tag else {
            let is_other_type = faults
                .iter()
                .any(|it| it.at == here.at && matches!(it.kind, FaultKind::Type { .. }));
            if is_other_type {
                continue;
            }
            return None;
        };
        if place.is_some_and(|it| it.at != tag.at) {
            return None;
        }
        place = Some(place.unwrap_or(tag));
        options.extend(wanted(tag).into_iter().cloned());
    }
    let place = place?;
    Some(SchemaFault {
        at: place.at.clone(),
        evaluation_path: here.evaluation_path.clone(),
        is_guess: false,
        kind: FaultKind::Enum { options: distinct(options) },
    })
}

fn distinct(options: Vec<Json>) -> Vec<Json> {
    let mut seen = HashSet::new();
    options.into_iter().filter(|it| seen.insert(it.to_string())).collect()
}

/// Every branch has nothing to say but that the type is another, or a value of the same kind.
fn one_type_of_all(at: &Pointer, branches: &[Vec<SchemaFault>]) -> Option<FaultKind> {
    let mut types: Vec<JsonType> = Vec::new();
    let mut options: Vec<Json> = Vec::new();
    for faults in branches {
        let only = match faults.as_slice() {
            [only] if only.at == *at => only,
            _ => return None,
        };
        match &only.kind {
            FaultKind::Type { allowed } => types.extend(allowed),
            FaultKind::Enum { options: more } => options.extend(more.iter().cloned()),
            FaultKind::Const { expected } => options.push(expected.clone()),
            _ => return None,
        }
    }
    types.sort_unstable();
    types.dedup();
    match (types.is_empty(), options.is_empty()) {
        (false, true) => Some(FaultKind::Type { allowed: types }),
        (true, false) => Some(FaultKind::Enum { options: distinct(options) }),
        _ => None,
    }
}

fn no_branch(here: SchemaFault, branches: &[Vec<SchemaFault>]) -> SchemaFault {
    const MAX_REASONS: usize = 5;
    let mut seen = HashSet::new();
    let reasons = branches.iter().filter_map(|it| it.first()).map(message::brief);
    let reasons = reasons.filter(|it| seen.insert(it.clone())).take(MAX_REASONS);
    SchemaFault { kind: FaultKind::NoBranch { reasons: reasons.collect() }, ..here }
}
