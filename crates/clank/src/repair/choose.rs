//! Which repairs to apply together: the best one, and those that are said to commute with it (RS-41, RS-56); and
//! in which order (RS-49, RS-55).

use std::collections::BTreeSet;

use clank_syntax::patch::PatchOp;

use super::{Repair, Target};
use crate::driver::CheckedModule;

/// The places of the repairs to apply next, in the order in which they are applied: the best that is allowed, what it requires, and every other
/// with its batch key that excludes none of them. None if nothing is allowed.
pub(super) fn next_batch(repairs: &[Repair], is_allowed: impl Fn(usize) -> bool) -> Vec<usize> {
    let Some(best) = (0..repairs.len()).find_map(|it| with_allowed(repairs, it, &is_allowed))
    else {
        return Vec::new();
    };
    let mut chosen: BTreeSet<usize> = best.1.iter().copied().collect();
    let mut excluded: BTreeSet<usize> = exclusions(repairs, &chosen);
    let Some(key) = repairs[best.0].compatibility.batch_key.as_ref() else {
        return best.1;
    };
    for (place, repair) in repairs.iter().enumerate() {
        let goes_with = repair.compatibility.batch_key.as_ref() == Some(key);
        if !goes_with || chosen.contains(&place) || excluded.contains(&place) || !is_allowed(place)
        {
            continue;
        }
        if repair.compatibility.requires.iter().all(|it| chosen.contains(it)) {
            chosen.insert(place);
            excluded.extend(&repair.compatibility.conflicts_with);
        }
    }
    in_order(repairs, &chosen).unwrap_or_default()
}

/// The places of all repairs that are allowed and exclude none before them, with what they require, in the order in which
/// they are applied. They touch different nodes, but nobody has said that they commute: what they do together must be
/// looked at. Where the best for something has to wait because of another one, so does the second best: once that is
/// done, the best may not be possible any more.
pub(super) fn all_compatible(repairs: &[Repair], is_allowed: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut excluded: BTreeSet<usize> = BTreeSet::new();
    let mut waiting: BTreeSet<Target> = BTreeSet::new();
    for place in 0..repairs.len() {
        let first = repairs[place].resolves.first();
        if chosen.contains(&place) || first.is_some_and(|it| waiting.contains(it)) {
            continue;
        }
        if excluded.contains(&place) {
            waiting.extend(first.filter(|_| is_allowed(place)));
            continue;
        }
        let Some((_, all)) = with_allowed(repairs, place, &is_allowed) else { continue };
        let more: BTreeSet<usize> = all.into_iter().collect();
        let exclusions = exclusions(repairs, &more);
        if more.is_disjoint(&excluded) && exclusions.is_disjoint(&chosen) {
            chosen.extend(more);
            excluded.extend(exclusions);
        }
    }
    in_order(repairs, &chosen).unwrap_or_default()
}

/// A repair with all that it requires, in the order in which they are applied; `None` if it requires what is not there, or
/// what requires it.
pub fn with_required(repairs: &[Repair], place: usize) -> Option<Vec<usize>> {
    let mut all = BTreeSet::new();
    let mut open = vec![place];
    while let Some(it) = open.pop() {
        let repair = repairs.get(it)?;
        if all.insert(it) {
            open.extend(&repair.compatibility.requires);
        }
    }
    in_order(repairs, &all)
}

/// Repairs in rank order, but each after those of them that it requires; `None` if they require one another.
pub fn in_order(repairs: &[Repair], chosen: &BTreeSet<usize>) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::with_capacity(chosen.len());
    let mut done: BTreeSet<usize> = BTreeSet::new();
    let mut left: Vec<usize> = chosen.iter().copied().collect();
    while !left.is_empty() {
        let n_before = left.len();
        left.retain(|&it| {
            let mut required = repairs[it].compatibility.requires.iter();
            let is_ready = required.all(|it| done.contains(it) || !chosen.contains(it));
            if is_ready {
                done.insert(it);
                order.push(it);
            }
            !is_ready
        });
        if left.len() == n_before {
            return None;
        }
    }
    Some(order)
}

/// What some repairs do to a module, in their order.
pub(super) fn ops(repairs: &[Repair], places: &[usize], module: &CheckedModule) -> Vec<PatchOp> {
    let edits = places.iter().flat_map(|it| &repairs[*it].edits);
    edits.filter(|it| it.0 == module.file).flat_map(|it| it.1.iter().cloned()).collect()
}

/// A repair, and it with all that it requires; `None` if one of them is not allowed or they exclude one another.
fn with_allowed(
    repairs: &[Repair],
    place: usize,
    is_allowed: &impl Fn(usize) -> bool,
) -> Option<(usize, Vec<usize>)> {
    // Most are not allowed, or require nothing.
    if !is_allowed(place) {
        return None;
    }
    let all = with_required(repairs, place)?;
    let chosen: BTreeSet<usize> = all.iter().copied().collect();
    let fits = exclusions(repairs, &chosen).is_disjoint(&chosen);
    (fits && all.iter().all(|it| is_allowed(*it))).then_some((place, all))
}

fn exclusions(repairs: &[Repair], chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
    chosen.iter().flat_map(|it| repairs[*it].compatibility.conflicts_with.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use check::{Confidence, Kind, RepairClass, Safety, Scope};

    use super::*;
    use crate::repair::Compatibility;

    fn repair(requires: &[usize], conflicts_with: &[usize]) -> Repair {
        Repair {
            title: String::new(),
            rationale: String::new(),
            confidence: Confidence::High,
            safety: Safety::LikelyPreserving,
            kind: Kind::LocalFix,
            class: RepairClass::Repair,
            scope: Scope { crosses_function: false, files: 1, node_count: 1 },
            nodes: Vec::new(),
            codes: Vec::new(),
            edits: Vec::new(),
            resolves: Vec::new(),
            reveals: Vec::new(),
            is_verified: true,
            compatibility: Compatibility {
                conflicts_with: conflicts_with.to_vec(),
                requires: requires.to_vec(),
                batch_key: None,
            },
        }
    }

    /// The second best for something does not come before the best one.
    #[test]
    fn what_is_second_best_waits_with_the_best() {
        let for_target = |it: usize, conflicts: &[usize]| {
            let resolves = vec![Target::Diagnostic(it)];
            Repair { resolves, ..repair(&[], conflicts) }
        };
        let list =
            [for_target(0, &[1]), for_target(1, &[0, 2]), for_target(1, &[1]), for_target(2, &[])];
        assert_eq!(all_compatible(&list, |_| true), [0, 3]);
        assert_eq!(all_compatible(&list, |it| it != 1), [0, 2, 3], "the best is not wanted");
    }

    /// RS-49, RS-55: what is required comes first, whatever its rank, and a circle is no order.
    #[test]
    fn what_is_required_is_applied_first() {
        let list = [repair(&[2], &[]), repair(&[], &[]), repair(&[3], &[]), repair(&[], &[1])];
        assert_eq!(with_required(&list, 0), Some(vec![3, 2, 0]));
        assert_eq!(with_required(&list, 1), Some(vec![1]));
        assert_eq!(next_batch(&list, |_| true), [3, 2, 0]);
        assert_eq!(next_batch(&list, |it| it != 3), [1], "what it requires is not allowed");
        assert_eq!(all_compatible(&list, |it| it != 0), [1], "what excludes the better one waits");
        let circle = [repair(&[1], &[]), repair(&[0], &[]), repair(&[9], &[])];
        assert_eq!(with_required(&circle, 0), None);
        assert_eq!(with_required(&circle, 2), None, "what is not there");
        assert_eq!(next_batch(&circle, |_| true), Vec::<usize>::new());
    }
}
