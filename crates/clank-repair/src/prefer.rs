//! Repairs that are less likely to be wanted because there are others: they are less sure than they are by themselves.

use std::collections::BTreeSet;

use check::{Confidence, RepairKind};
use clank::code::Code;
use clank_syntax::patch::PatchOp;
use rustc_hash::FxHashMap;

use super::findings::is_syntax;
use super::{FindingId, Repair};

/// A check when the program runs is second to a requirement that every caller is proved to see to.
pub(super) fn proofs(list: &mut [Repair]) {
    let is_goal = |it: &&FindingId| matches!(it, FindingId::Goal(_));
    let proved: BTreeSet<FindingId> = list
        .iter()
        .filter(|it| it.kind == RepairKind::BoundaryValidation && it.is_verified)
        .filter(|it| it.compatibility.requires.is_empty())
        .flat_map(|it| it.resolves.iter().filter(is_goal).copied())
        .collect();
    for repair in list.iter_mut().filter(|it| it.kind == RepairKind::LocalFix) {
        let is_check = repair.resolves.first().is_some_and(|it| proved.contains(it));
        if is_check && repair.confidence == Confidence::High {
            repair.confidence = Confidence::Medium;
        }
    }
}

/// What goes away by itself when a name is spelt right, or a text can be read, is not a mistake of its own: it is left to that
/// repair, and another way to be rid of it is not taken unless somebody asks for it. `n_own` says by repair how many of
/// the things that it resolves it was made for.
pub(super) fn causes(list: &mut [Repair], n_own: &[usize]) {
    let is_rename =
        |it: &PatchOp| matches!(it, PatchOp::RenameSymbol { .. } | PatchOp::RenameField { .. });
    let mut by_target: FxHashMap<FindingId, Vec<usize>> = FxHashMap::default();
    for (place, it) in list.iter().enumerate() {
        let is_spelling = it.edits.iter().flat_map(|it| &it.1).all(is_rename);
        let is_unread = it.codes.iter().any(|it| is_syntax(*it));
        let is_used = it.codes.contains(&Code::W0007);
        if (is_spelling || is_unread || is_used)
            && it.is_verified
            && it.confidence == Confidence::High
        {
            for target in it.resolves.iter().skip(n_own[place]) {
                by_target.entry(*target).or_default().push(place);
            }
        }
    }
    for place in 0..list.len() {
        let resolves = &list[place].resolves;
        let by_first = resolves.first().and_then(|it| by_target.get(it)).map_or(&[][..], |it| it);
        let is_cause = |cause: &usize| {
            let follows = &list[*cause].resolves[n_own[*cause]..];
            *cause != place && resolves.iter().all(|it| follows.contains(it))
        };
        if by_first.iter().any(is_cause) {
            list[place].confidence = Confidence::Low;
        }
    }
}
