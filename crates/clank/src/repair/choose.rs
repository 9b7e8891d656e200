//! Which repairs to apply together: the best one, and those that are said to commute with it (RS-41, RS-56).

use std::collections::BTreeSet;

use super::Repair;

/// The places of the repairs to apply next, in rank order: the best that is allowed, what it requires, and every other
/// with its batch key that excludes none of them. None if nothing is allowed.
pub fn next_batch(repairs: &[Repair], is_allowed: impl Fn(usize) -> bool) -> Vec<usize> {
    let Some(best) = (0..repairs.len()).find_map(|it| with_required(repairs, it, &is_allowed))
    else {
        return Vec::new();
    };
    let mut chosen: BTreeSet<usize> = best.iter().copied().collect();
    let mut excluded: BTreeSet<usize> = exclusions(repairs, &chosen);
    let Some(key) = repairs[best[0]].compatibility.batch_key.as_ref() else {
        return chosen.into_iter().collect();
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
    chosen.into_iter().collect()
}

/// The places of all repairs that are allowed and exclude none before them, with what they require, in rank order. They
/// touch different nodes, but nobody has said that they commute: what they do together must be looked at.
pub fn all_compatible(repairs: &[Repair], is_allowed: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut excluded: BTreeSet<usize> = BTreeSet::new();
    for place in 0..repairs.len() {
        if chosen.contains(&place) || excluded.contains(&place) {
            continue;
        }
        let Some(all) = with_required(repairs, place, &is_allowed) else { continue };
        let more: BTreeSet<usize> = all.into_iter().collect();
        let exclusions = exclusions(repairs, &more);
        if more.is_disjoint(&excluded) && exclusions.is_disjoint(&chosen) {
            chosen.extend(more);
            excluded.extend(exclusions);
        }
    }
    chosen.into_iter().collect()
}

/// A repair and all that it requires, itself first; `None` if one of them is not allowed or they exclude one another.
fn with_required(
    repairs: &[Repair],
    place: usize,
    is_allowed: &impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut all = vec![place];
    let mut next = 0;
    while let Some(&it) = all.get(next) {
        if !is_allowed(it) {
            return None;
        }
        for &required in &repairs.get(it)?.compatibility.requires {
            if !all.contains(&required) {
                all.push(required);
            }
        }
        next += 1;
    }
    let chosen: BTreeSet<usize> = all.iter().copied().collect();
    exclusions(repairs, &chosen).is_disjoint(&chosen).then_some(all)
}

fn exclusions(repairs: &[Repair], chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
    chosen.iter().flat_map(|it| repairs[*it].compatibility.conflicts_with.iter().copied()).collect()
}
