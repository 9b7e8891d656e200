//! In which order repairs are applied together (RS-49, RS-55).

use std::collections::BTreeSet;

use super::Repair;

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

#[cfg(test)]
mod tests {
    use check::{Confidence, RepairClass, RepairKind, Safety, Scope};

    use super::*;
    use crate::RepairRelations;

    fn repair(requires: &[usize], conflicts_with: &[usize]) -> Repair {
        Repair {
            title: String::new(),
            rationale: String::new(),
            confidence: Confidence::High,
            safety: Safety::LikelyPreserving,
            kind: RepairKind::LocalFix,
            class: RepairClass::Repair,
            scope: Scope { crosses_function: false, files: 1, node_count: 1 },
            nodes: Vec::new(),
            codes: Vec::new(),
            edits: Vec::new(),
            resolves: Vec::new(),
            reveals: Vec::new(),
            is_verified: true,
            compatibility: RepairRelations {
                conflicts_with: conflicts_with.to_vec(),
                requires: requires.to_vec(),
                batch_key: None,
            },
        }
    }

    /// RS-49, RS-55: what is required comes first, whatever its rank, and a circle is not an order.
    #[test]
    fn what_is_required_is_applied_first() {
        let list = [repair(&[2], &[]), repair(&[], &[]), repair(&[3], &[]), repair(&[], &[1])];
        assert_eq!(with_required(&list, 0), Some(vec![3, 2, 0]));
        assert_eq!(with_required(&list, 1), Some(vec![1]));
        let circle = [repair(&[1], &[]), repair(&[0], &[]), repair(&[9], &[])];
        assert_eq!(with_required(&circle, 0), None);
        assert_eq!(with_required(&circle, 2), None, "what is not there");
    }
}
