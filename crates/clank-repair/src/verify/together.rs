//! Which candidates are tried together, and what each of them did.

use check::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clank::{Checked, CheckedModule};
use clank_syntax::ast::NodeId;
use rustc_hash::FxHashMap;

use super::super::findings::{FindingDiff, Origins, TrackedFinding};
use super::super::footprint::{DeclRef, Footprint};
use super::items::BlockItems;
use super::within::{FunctionVersions, Region};
use super::{FindingId, Trials};

/// What was gone and what came up because of one candidate.
pub(super) type TrialResult = (BTreeSet<FindingId>, Vec<TrackedFinding>);

/// Puts candidates into as few batches as there must be: those of one batch concern different declarations, or different
/// statements of one. A candidate comes after all better ones that concern the same.
pub(super) fn batches(
    order: &[usize],
    footprints: &[Footprint],
    regions: &[Option<Region>],
    module: &CheckedModule,
) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut alone = Vec::new();
    let mut taken: FxHashMap<&DeclRef, BatchUse> = FxHashMap::default();
    for &index in order {
        let (writes, reads, only_adds) = match &footprints[index] {
            Footprint::Everything => {
                alone.push(vec![index]);
                continue;
            }
            Footprint::Some { writes, reads, only_adds } => (writes, reads, *only_adds),
        };
        let statements = regions[index].as_ref().map(|region| Statements {
            ranges: region.items.iter().map(|it| module.ast.subtree(*it)).collect(),
            is_quiet: region.is_quiet,
        });
        let first = |it: &DeclRef| taken.get(it).map_or(0, |it| it.by_any);
        let first_for_more = |it: &DeclRef| taken.get(it).map_or(0, |it| it.by_one);
        let first_write = match (&statements, writes.first()) {
            (Some(wanted), Some(place)) => taken.get(place).map_or(0, |it| it.first_free(wanted)),
            _ => writes.iter().map(first).max().unwrap_or(0),
        };
        let first_read = match only_adds {
            true => reads.iter().map(first_for_more).max(),
            false => reads.iter().map(first).max(),
        };
        let batch = first_write.max(first_read.unwrap_or(0));
        for place in writes {
            taken.entry(place).or_default().write(batch, statements.as_ref());
        }
        for place in reads {
            taken.entry(place).or_default().read(batch, only_adds);
        }
        // A candidate may leave out batches that others of its declaration are in.
        if batch >= batches.len() {
            batches.resize(batch + 1, Vec::new());
        }
        batches[batch].push(index);
    }
    batches.retain(|it| !it.is_empty());
    batches.extend(alone);
    batches
}

/// Statements of a function that a candidate changes.
struct Statements {
    ranges: Vec<Range<u32>>,
    is_quiet: bool,
}

/// How many batches a declaration is taken in.
#[derive(Default)]
struct BatchUse {
    /// By those that must be the only one.
    by_one: usize,
    by_any: usize,
    /// By those that change the whole declaration, or need it not to be changed.
    as_a_whole: usize,
    /// By batch, the nodes of the statements that are changed: the first of each, and where it ends.
    statements: Vec<BTreeMap<u32, u32>>,
    /// Whether the last of these only gave other names to what nothing uses.
    is_quiet: bool,
}

impl BatchUse {
    /// The first batch in which none of these statements is taken.
    fn first_free(&self, wanted: &Statements) -> usize {
        if self.is_quiet != wanted.is_quiet {
            return self.by_any;
        }
        let ranges = &wanted.ranges;
        let is_free = |batch: &usize| {
            self.statements.get(*batch).is_none_or(|taken| {
                ranges.iter().all(|range| {
                    let before = taken.range(..range.end).next_back();
                    before.is_none_or(|it| *it.1 <= range.start)
                })
            })
        };
        let end = self.statements.len().max(self.as_a_whole);
        (self.as_a_whole..end).find(is_free).unwrap_or(end)
    }

    fn write(&mut self, batch: usize, statements: Option<&Statements>) {
        self.by_one = self.by_one.max(batch + 1);
        self.by_any = self.by_any.max(batch + 1);
        let Some(Statements { ranges, is_quiet }) = statements else {
            self.as_a_whole = self.as_a_whole.max(batch + 1);
            return;
        };
        if self.is_quiet != *is_quiet {
            self.is_quiet = *is_quiet;
            self.as_a_whole = self.as_a_whole.max(batch);
        }
        if self.statements.len() <= batch {
            self.statements.resize(batch + 1, BTreeMap::new());
        }
        self.statements[batch].extend(ranges.iter().map(|it| (it.start, it.end)));
    }

    fn read(&mut self, batch: usize, only_adds: bool) {
        self.by_any = self.by_any.max(batch + 1);
        self.as_a_whole = self.as_a_whole.max(batch + 1);
        if !only_adds {
            self.by_one = self.by_one.max(batch + 1);
        }
    }
}

impl Trials<'_> {
    /// The candidates of a batch that are the only ones for what they concern, and those that share a function, by its
    /// declaration.
    pub(super) fn by_declaration(
        &self,
        batch: &[usize],
    ) -> (Vec<usize>, Vec<(NodeId, Vec<usize>)>) {
        let mut shared: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        let mut alone = Vec::new();
        for &index in batch {
            match (&self.regions[index], &self.footprints[index]) {
                (Some(_), Footprint::Some { writes, .. }) => {
                    let decl = writes.first().map(|it| it.1);
                    shared.entry(decl.unwrap_or(NodeId(0))).or_default().push(index);
                }
                _ => alone.push(index),
            }
        }
        alone.extend(shared.extract_if(.., |_, it| it.len() == 1).flat_map(|it| it.1));
        (alone, shared.into_iter().collect())
    }

    /// Decides about the candidates that share a function, as far as that can be told; the others are given back.
    pub(super) fn settle_in_functions(
        &mut self,
        shared: &[(NodeId, Vec<usize>)],
        (after, origins): (&Checked, &Origins),
        difference: &FindingDiff,
    ) -> Vec<usize> {
        let mut doubtful = Vec::new();
        if shared.is_empty() {
            return doubtful;
        }
        let in_after = &after.modules[self.module];
        let items_after = BlockItems::new(&in_after.ast);
        for (decl, members) in shared {
            let function = FunctionVersions {
                before: &self.checked.modules[self.module],
                after: in_after,
                origins: origins.get(&self.module).map_or(&[], |it| it),
                items: &self.items,
                items_after: &items_after,
                linear: &self.linear,
                decl: *decl,
            };
            let Some(outcomes) = self.in_function(&function, members, difference) else {
                doubtful.extend(members);
                continue;
            };
            for (index, outcome) in outcomes {
                match outcome {
                    Some((gone, new)) => self.settle(index, &gone, &new),
                    None => doubtful.push(index),
                }
            }
        }
        doubtful
    }

    /// What each candidate of one function did; nothing for one of which that cannot be told, nothing at all if it can be
    /// told of none.
    fn in_function(
        &self,
        function: &FunctionVersions<'_>,
        members: &[usize],
        difference: &FindingDiff,
    ) -> Option<Vec<(usize, Option<TrialResult>)>> {
        let regions: Option<Vec<(usize, &Region)>> =
            members.iter().map(|it| Some((*it, self.regions[*it].as_ref()?))).collect();
        let mut islands = function.islands(&regions?)?;
        let mut outcomes: BTreeMap<usize, TrialResult> = BTreeMap::new();
        for &index in members {
            let item = *self.regions[index].as_ref()?.items.first()?;
            if islands.owner(item) == Some(Some(index)) {
                outcomes.insert(index, TrialResult::default());
            }
        }
        let place = (self.module, function.decl);
        let is_quiet = |it: usize| self.regions[it].as_ref().is_some_and(|it| it.is_quiet);
        for (finding, target) in self.before.gone_from(&place, &difference.is_gone) {
            let owner = function.items.of(finding.at).and_then(|it| islands.owner(it));
            if finding.class != Class::Error {
                let own =
                    |it: &usize| is_quiet(*it) && self.candidates[*it].targets.contains(&target);
                if let Some(outcome) =
                    owner.flatten().filter(own).and_then(|it| outcomes.get_mut(&it))
                {
                    outcome.0.insert(target);
                }
                continue;
            }
            // A mistake that is gone where nothing was touched is not understood.
            if let Some(outcome) = owner?.and_then(|it| outcomes.get_mut(&it)) {
                outcome.0.insert(target);
            }
        }
        let any_quiet = members.iter().any(|it| is_quiet(*it));
        for finding in difference.new.iter().filter(|it| it.place() == Some(place)) {
            if any_quiet {
                return None;
            }
            let owner = function.item_of_after(finding.at).and_then(|it| islands.owner(it));
            match owner {
                Some(owner) => {
                    if let Some(outcome) = owner.and_then(|it| outcomes.get_mut(&it)) {
                        outcome.1.push(finding.clone());
                    }
                }
                None if finding.class == Class::Warning => {}
                None => return None,
            }
        }
        Some(members.iter().map(|it| (*it, outcomes.remove(it))).collect())
    }
}
