//! Candidates that work only after another one: what they alone would make go wrong is in a declaration that the other one
//! changes, and does not go wrong after that (RS-49, RS-55).

use check::Class;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::findings::class_of;
use super::super::footprint::{DeclRef, Footprint};
use super::super::{FindingId, rank};
use super::{CandidateVerdict, TrackedFinding, Trials, check_with};
use crate::extent::nodes;

/// How many pairs are tried in all.
const MAX_PAIRS: usize = 48;
/// How many others are tried for one candidate, the best first.
const MAX_FIRST: usize = 3;

/// A candidate that made something else go wrong, and the declarations in which it did.
pub(super) struct Blocked {
    candidate: usize,
    places: BTreeSet<DeclRef>,
}

impl Blocked {
    /// Nothing if it went wrong in no declaration that was there before.
    pub(super) fn new(candidate: usize, new: &[TrackedFinding]) -> Option<Blocked> {
        let places: Option<BTreeSet<DeclRef>> = new.iter().map(TrackedFinding::place).collect();
        let places = places.filter(|it| !it.is_empty())?;
        Some(Blocked { candidate, places })
    }
}

impl Trials<'_> {
    /// Tries what failed alone on top of what did not, within what is left of the budget.
    pub(super) fn try_cascades(&mut self) {
        let mut blocked = std::mem::take(&mut self.blocked);
        let in_module = &self.checked.modules[self.module];
        blocked.sort_by_cached_key(|it| rank::first_key(in_module, &self.candidates[it.candidate]));
        let mut by_place: FxHashMap<DeclRef, Vec<usize>> = FxHashMap::default();
        for index in 0..self.candidates.len() {
            if let (
                CandidateVerdict::Kept { costs_obligations: false, .. },
                Footprint::Some { writes, .. },
            ) = (&self.verdicts[index], &self.footprints[index])
            {
                for place in writes {
                    by_place.entry(*place).or_default().push(index);
                }
            }
        }
        let mut n_left = MAX_PAIRS;
        for it in blocked {
            let there = it.places.first().and_then(|it| by_place.get(it));
            for first in self.firsts(&it, there.map_or(&[][..], |it| it)) {
                if n_left == 0 {
                    return;
                }
                n_left -= 1;
                match self.try_pair(first, it.candidate) {
                    None => return,
                    Some(None) => {}
                    Some(Some(resolves)) => {
                        self.verdicts[it.candidate] =
                            CandidateVerdict::KeptAfter { first, resolves };
                        break;
                    }
                }
            }
        }
    }

    /// The candidates of these that work alone, for something else, and change every declaration in which this one makes
    /// something go wrong; the best first.
    fn firsts(&self, blocked: &Blocked, there: &[usize]) -> Vec<usize> {
        let in_module = &self.checked.modules[self.module];
        let own = &self.candidates[blocked.candidate];
        let touched =
            |it: usize| nodes(&in_module.ast, &self.candidates[it].edits, &in_module.file);
        let own_nodes: FxHashSet<_> = touched(blocked.candidate).into_iter().collect();
        let mut firsts: Vec<usize> = there
            .iter()
            .copied()
            .filter(|it| match (&self.verdicts[*it], &self.footprints[*it]) {
                (
                    CandidateVerdict::Kept { resolves, costs_obligations: false, .. },
                    Footprint::Some { writes, .. },
                ) => {
                    blocked.places.is_subset(writes)
                        && !own.targets.iter().any(|it| resolves.contains(it))
                        && !touched(*it).iter().any(|it| own_nodes.contains(it))
                }
                _ => false,
            })
            .collect();
        firsts.sort_by_cached_key(|it| rank::first_key(in_module, &self.candidates[*it]));
        firsts.truncate(MAX_FIRST);
        firsts
    }

    /// What the second does away with after the first; nothing within if they do not do together what both are for, nothing
    /// at all if the budget is used up.
    fn try_pair(&mut self, first: usize, second: usize) -> Option<Option<Vec<FindingId>>> {
        let Some(patched) = self.patched(&[first, second]) else { return Some(None) };
        let cost = self.cost(&[first, second], &patched);
        self.nodes_left = self.nodes_left.checked_sub(cost)?;
        self.n_checks += 1;
        let oracle = self.checked.oracle.clone();
        let after = check_with(&patched.program, Some(self.checked), oracle);
        let difference = self.before.compare(&after, &patched.origins);
        let gone = self.before.gone(self.module, &Footprint::Everything, &difference.is_gone);
        let CandidateVerdict::Kept { resolves: by_first, .. } = &self.verdicts[first] else {
            return Some(None);
        };
        let own = &self.candidates[second].targets;
        let in_module = &self.checked.modules[self.module];
        let class = own.iter().map(|it| class_of(in_module, *it)).min();
        let may_warn = class == Some(Class::Error);
        let is_bad = |it: &TrackedFinding| it.class != Class::Warning || !may_warn;
        let keeps = by_first.iter().chain(own).all(|it| gone.contains(it))
            && !difference.new.iter().any(is_bad);
        let more = gone.iter().filter(|it| !by_first.contains(it) && !own.contains(it));
        Some(keeps.then(|| own.iter().chain(more).copied().collect()))
    }
}
