//! Tries candidates: applies them to the tree, checks the program again, and compares what there is to be done.
//!
//! Candidates that concern different declarations are tried together, in one patched tree: a thousand mistakes in a
//! thousand functions take a few checks. So are candidates that change different statements of one function, if what
//! they do can be told apart ([`within`]). If something changes where no candidate of such a batch should have changed
//! anything, half of them are tried together, and in the end each alone.

mod cascade;
mod dropped;
mod items;
mod revealed;
mod together;
mod within;

use std::collections::BTreeSet;
use std::sync::Arc;

use cascade::Blocked;
use check::{Class, RepairKind};
use clank::code::Code;
use clank::program::Program;
use clank::{Checked, check_with};
use clank_syntax::ast::Name;
use clank_syntax::patch::{self, PatchOp};
use items::BlockItems;
use rustc_hash::{FxHashMap, FxHashSet};
use within::{LinearTypes, Region, Regions};

use super::findings::{FindingSet, Origins, TrackedFinding, class_of};
use super::footprint::{DeclRef, Footprint, Users};
use super::propose::Candidate;
use super::{Budget, FindingId, rank};

/// What came of a candidate.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum CandidateVerdict {
    /// It does what it is for.
    Kept {
        /// What is gone, the one that it was made for first.
        resolves: Vec<FindingId>,
        /// Whether it mends a mistake at the price of goals that are not proved.
        costs_obligations: bool,
        /// The mistakes in a text that could not be read before, which can be seen now.
        reveals: Vec<Code>,
    },
    /// It does what it is for after another one.
    KeptAfter {
        /// The place of the other one among the candidates.
        first: usize,
        /// What is gone then, and would not be by the other one alone; the one that it was made for first.
        resolves: Vec<FindingId>,
    },
    /// It does not, for this reason.
    Failed(&'static str),
    /// The budget was used up.
    Untried,
}

const CANNOT_BE_APPLIED: &str = "the change that would fix it cannot be made";
const DOES_NOT_HELP: &str = "the change that was tried does not fix it";
const MAKES_A_MISTAKE: &str = "the change that was tried introduces another mistake";
const MAKES_AN_OBLIGATION: &str = "the change that was tried leaves something else unproved";
const MAKES_A_HOLE: &str = "the change that was tried leaves a hole";
const BETWEEN_BRACKETS: &str = "the structure is known only once the brackets are balanced";
const MEANT_OTHERWISE: &str = "another repair shows what was meant";
const WAITS_FOR_READING: &str = "the code around it cannot be parsed yet";
const DROPS_A_VALUE: &str = "the change that was tried leaves a value that is never used";
const MAKES_A_WARNING: &str = "the change that was tried introduces another warning";

/// So few candidates that cannot be told apart are not tried together again.
const FEW: usize = 16;

/// So many nodes that are taken over take the time of one that is looked at: they are copied, compared and moved. Measured
/// with 14,000 and 144,000 nodes: 7 to 32, the more the functions promise.
const TAKEN_OVER: usize = 8;

/// So many nodes that are looked at take the time of a question that the prover asks.
const NODES_OF_A_QUESTION: usize = 24;

/// What came of trying candidates.
pub(super) struct Tried {
    /// One for each candidate.
    pub(super) verdicts: Vec<CandidateVerdict>,
    /// How often the program was checked again.
    pub(super) n_checks: usize,
}

/// Tries candidates within the budget, the best first.
pub(super) fn verify(
    program: &Program,
    checked: &Checked,
    module: usize,
    candidates: &[Candidate],
    budget: &Budget,
) -> Tried {
    let users = Users::new(checked);
    let work = work_of(checked);
    let mut trials = Trials {
        program,
        checked,
        module,
        before: FindingSet::new(checked),
        nodes_left: budget.nodes,
        questions: work.values().sum(),
        work,
        n_checks: 0,
        verdicts: vec![CandidateVerdict::Untried; candidates.len()],
        blocked: Vec::new(),
        footprints: Vec::new(),
        items: BlockItems::new(&checked.modules[module].ast),
        linear: LinearTypes::new(&checked.modules[module].env),
        regions: Vec::new(),
        candidates,
        users,
    };
    trials.find_footprints();
    let in_module = &checked.modules[module];
    let mut order: Vec<usize> = (0..candidates.len())
        .filter(|it| trials.verdicts[*it] == CandidateVerdict::Untried)
        .collect();
    order.sort_by_cached_key(|it| rank::first_key(in_module, &candidates[*it]));
    order.truncate(budget.candidates);
    for batch in together::batches(&order, &trials.footprints, &trials.regions, in_module) {
        if !trials.try_batch(&batch) {
            break;
        }
    }
    trials.try_cascades();
    trials.keep_those_that_reveal_least();
    trials.leave_to_reading();
    trials.give_up_what_has_no_first();
    Tried { verdicts: trials.verdicts, n_checks: trials.n_checks }
}

struct Trials<'a> {
    program: &'a Program,
    checked: &'a Checked,
    module: usize,
    users: Users<'a>,
    candidates: &'a [Candidate],
    footprints: Vec<Footprint>,
    /// The statements of the module.
    items: BlockItems,
    linear: LinearTypes,
    /// By candidate: the statements of one function that it changes, if it can be tried with others there.
    regions: Vec<Option<Region>>,
    before: FindingSet,
    nodes_left: usize,
    /// How many questions the proofs of each declaration take.
    work: FxHashMap<DeclRef, usize>,
    /// How many those of the whole program take.
    questions: usize,
    n_checks: usize,
    verdicts: Vec<CandidateVerdict>,
    /// What made something else go wrong.
    blocked: Vec<Blocked>,
}

impl Trials<'_> {
    /// Finds out what each candidate concerns.
    fn find_footprints(&mut self) {
        let in_module = &self.checked.modules[self.module];
        let mut regions = Regions::new(in_module, self.module, &self.items, &self.linear);
        for (index, candidate) in self.candidates.iter().enumerate() {
            let footprint = self.users.footprint(candidate);
            if footprint.is_none() {
                self.verdicts[index] = CandidateVerdict::Failed(CANNOT_BE_APPLIED);
            }
            let footprint = footprint.unwrap_or(Footprint::Everything);
            self.regions.push(regions.region(candidate, &footprint));
            self.footprints.push(footprint);
        }
    }

    /// Tries the candidates of a batch; `false` if the budget is used up.
    fn try_batch(&mut self, batch: &[usize]) -> bool {
        let Some(patched) = self.patched(batch) else {
            return match batch {
                [only] => {
                    self.verdicts[*only] = CandidateVerdict::Failed(CANNOT_BE_APPLIED);
                    true
                }
                _ => self.try_fewer(batch),
            };
        };
        let cost = self.cost(batch, &patched);
        let Some(nodes_left) = self.nodes_left.checked_sub(cost) else { return false };
        self.nodes_left = nodes_left;
        self.n_checks += 1;
        let after = check_with(&patched.program, Some(self.checked), self.checked.oracle.clone());
        let difference = self.before.compare(&after, &patched.origins);
        if let [only] = batch {
            let footprint = &self.footprints[*only];
            let gone = self.before.gone(self.module, footprint, &difference.is_gone);
            self.settle(*only, &gone, &difference.new);
            return true;
        }
        let (alone, shared) = self.by_declaration(batch);
        let changed = (&after, &patched.origins);
        let mut doubtful = self.settle_in_functions(&shared, changed, &difference);
        let own: FxHashSet<DeclRef> = shared.iter().map(|it| (self.module, it.0)).collect();
        let is_other = |it: &TrackedFinding| it.place().is_none_or(|it| !own.contains(&it));
        let new: Vec<TrackedFinding> = difference.new.into_iter().filter(is_other).collect();
        let Some(mut news) = self.by_candidate(&alone, new) else {
            doubtful.extend(alone);
            return self.try_fewer(&doubtful);
        };
        for index in alone {
            let findings = match news.remove(&index) {
                Some(New::Own(findings)) => findings,
                Some(New::Shared) => {
                    doubtful.push(index);
                    continue;
                }
                None => Vec::new(),
            };
            let footprint = &self.footprints[index];
            let gone = self.before.gone(self.module, footprint, &difference.is_gone);
            self.settle(index, &gone, &findings);
        }
        self.try_fewer(&doubtful)
    }

    /// What came up, by the candidate of a batch that it came up because of; `None` if it was because of none.
    fn by_candidate(
        &self,
        batch: &[usize],
        new: Vec<TrackedFinding>,
    ) -> Option<FxHashMap<usize, New>> {
        let mut by_place: FxHashMap<&DeclRef, Vec<usize>> = FxHashMap::default();
        for &index in batch {
            if let Footprint::Some { writes, reads, .. } = &self.footprints[index] {
                for place in writes.iter().chain(reads) {
                    by_place.entry(place).or_default().push(index);
                }
            }
        }
        let mut news: FxHashMap<usize, New> = FxHashMap::default();
        for finding in new {
            match by_place.get(&finding.place()?)?.as_slice() {
                [only] => match news.entry(*only).or_insert_with(|| New::Own(Vec::new())) {
                    New::Own(findings) => findings.push(finding),
                    New::Shared => {}
                },
                several => {
                    for index in several {
                        news.insert(*index, New::Shared);
                    }
                }
            }
        }
        Some(news)
    }

    /// Decides about a candidate when this was gone and that came up.
    fn settle(&mut self, index: usize, gone: &BTreeSet<FindingId>, new: &[TrackedFinding]) {
        self.verdicts[index] = self.verdict(index, gone, new);
        if let CandidateVerdict::Failed(_) = self.verdicts[index] {
            self.blocked.extend(Blocked::new(index, new));
        }
    }

    /// What came of a candidate when this was gone and that came up.
    fn verdict(
        &self,
        index: usize,
        gone: &BTreeSet<FindingId>,
        new: &[TrackedFinding],
    ) -> CandidateVerdict {
        let candidate = &self.candidates[index];
        let in_module = &self.checked.modules[self.module];
        let class = candidate.targets.iter().map(|it| class_of(in_module, *it)).min();
        let class = class.unwrap_or(Class::Warning);
        let mut costs_obligations = false;
        let mut reveals = Vec::new();
        for finding in new {
            match finding.class {
                Class::Error if self.is_revealed(index, finding) => reveals.extend(finding.code()),
                Class::Error => return CandidateVerdict::Failed(MAKES_A_MISTAKE),
                // What changes the meaning has to be worth it (row 36).
                Class::Obligation
                    if class == Class::Error && candidate.kind != RepairKind::SemanticsChange =>
                {
                    costs_obligations = true;
                }
                Class::Obligation => return CandidateVerdict::Failed(MAKES_AN_OBLIGATION),
                Class::Hole => return CandidateVerdict::Failed(MAKES_A_HOLE),
                // What is left of what was written must mean something.
                Class::Warning if self.is_dropped_by(index, finding) => {
                    return CandidateVerdict::Failed(DROPS_A_VALUE);
                }
                Class::Warning if class == Class::Error => {}
                Class::Info => {}
                Class::Warning => return CandidateVerdict::Failed(MAKES_A_WARNING),
            }
        }
        if candidate.targets.iter().any(|it| !gone.contains(it)) {
            return CandidateVerdict::Failed(DOES_NOT_HELP);
        }
        if self.is_between_brackets(index) {
            return CandidateVerdict::Failed(BETWEEN_BRACKETS);
        }
        let is_error = |it: &&FindingId| class_of(in_module, **it) == Class::Error;
        let is_unread = candidate.targets.iter().any(|it| self.is_unread(*it));
        if candidate.is_idiom && !is_unread && reveals.len() > gone.iter().filter(is_error).count()
        {
            return CandidateVerdict::Failed(MAKES_A_MISTAKE);
        }
        let mut resolves = candidate.targets.clone();
        resolves.extend(gone.iter().filter(|it| !candidate.targets.contains(it)));
        CandidateVerdict::Kept { resolves, costs_obligations, reveals }
    }

    /// Gives up candidates that work only after one that was given up.
    fn give_up_what_has_no_first(&mut self) {
        for index in 0..self.verdicts.len() {
            if let CandidateVerdict::KeptAfter { first, .. } = self.verdicts[index]
                && !matches!(self.verdicts[first], CandidateVerdict::Kept { .. })
            {
                self.verdicts[index] = CandidateVerdict::Failed(DOES_NOT_HELP);
            }
        }
    }

    /// Tries candidates again that could not be told apart: a few one by one, many in two batches of every other one, as
    /// neighbours are the likeliest to have to do with one another.
    fn try_fewer(&mut self, batch: &[usize]) -> bool {
        if batch.len() <= FEW {
            return batch.iter().all(|index| self.try_batch(&[*index]));
        }
        let half =
            |rest: usize| -> Vec<usize> { batch.iter().skip(rest).step_by(2).copied().collect() };
        self.try_batch(&half(0)) && self.try_batch(&half(1))
    }

    /// How much work it is to look at a program with the changes of a batch, in nodes that are looked at.
    fn cost(&self, batch: &[usize], changed: &Changed) -> usize {
        let mut declarations: BTreeSet<&DeclRef> = BTreeSet::new();
        for index in batch {
            match &self.footprints[*index] {
                Footprint::Everything => {
                    return changed.n_nodes + self.questions * NODES_OF_A_QUESTION;
                }
                Footprint::Some { writes, reads, .. } => {
                    declarations.extend(writes.iter().chain(reads));
                }
            }
        }
        let work = |it: &&DeclRef| {
            let module = &self.checked.modules[it.0];
            let questions = self.work.get(*it).copied().unwrap_or_default();
            module.ast.subtree(it.1).len() + questions * NODES_OF_A_QUESTION
        };
        declarations.iter().map(work).sum::<usize>() + changed.n_nodes / TAKEN_OVER
    }

    /// The program with the changes of all candidates of a batch; `None` if they cannot be made.
    fn patched(&self, batch: &[usize]) -> Option<Changed> {
        let mut by_file: Vec<(&Name, Vec<PatchOp>)> = Vec::new();
        for index in batch {
            for (file, ops) in &self.candidates[*index].edits {
                match by_file.iter_mut().find(|it| it.0 == file) {
                    Some((_, all)) => all.extend(ops.iter().cloned()),
                    None => by_file.push((file, ops.clone())),
                }
            }
        }
        let mut trees = Vec::with_capacity(by_file.len());
        let mut origins = Origins::default();
        let mut n_nodes = 0;
        for (file, ops) in by_file {
            let module = self.users.module(file)?;
            let patched = patch::patch(&self.checked.modules[module].ast, &ops).ok()?;
            n_nodes += patched.ast.nodes().len();
            trees.push((module, Arc::new(patched.ast)));
            origins.insert(module, patched.origins);
        }
        Some(Changed { program: self.program.with_trees(trees), origins, n_nodes })
    }
}

/// How many questions the proofs of each declaration take.
fn work_of(checked: &Checked) -> FxHashMap<DeclRef, usize> {
    let modules = checked.modules.iter().enumerate();
    let bodies = modules.flat_map(|(index, it)| it.bodies.iter().map(move |it| (index, it)));
    bodies.map(|(module, (decl, body))| ((module, decl.node()), body.work())).collect()
}

/// A program with changes.
struct Changed {
    program: Program,
    origins: Origins,
    /// How many nodes the changed trees have.
    n_nodes: usize,
}

/// What came up because of one candidate of a batch.
enum New {
    /// Because of this one alone.
    Own(Vec<TrackedFinding>),
    /// Because of several together, or of one of them.
    Shared,
}

#[cfg(test)]
mod tests;
