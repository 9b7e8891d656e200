//! Candidates for repairs are tried before they are proposed: on a copy of the document, what a candidate is for must
//! be gone, and nothing may come.
//!
//! A few are tried one by one. Many are tried in groups that touch different places, for a trial looks at the whole
//! document: what comes or goes is put down to the one that touches the place, or to the only one of the group in the
//! same object. Who is to blame is tried again without the others; what cannot be put down to anybody splits the group.

use std::collections::{BTreeSet, HashMap};

use document::{Op, Pointer};
use serde_json::Value as Json;

use super::CompiledSchema;
use super::budget::DocumentSize;
use super::fault::SchemaFault;
use super::json;
use super::pointer_trie::PointerTrie;
use crate::finding::SchemaRepair;

/// Up to so many candidates are tried one by one, if that is no more than so much work.
const MAX_ALONE: usize = 64;
const MAX_COST_ALONE: usize = 2_000_000;
/// How much work all trials of one document may be.
const MAX_COST: usize = 40_000_000;
/// What a fault costs more than a value without one.
const COST_OF_FAULT: usize = 10;
/// A group of no more than so many falls apart into single ones.
const SMALL: usize = 8;
/// Up to so many in one object are tried in different groups if they cannot be told apart.
const MAX_COMPANIONS: usize = 16;

/// Something that could mend a fault.
pub(crate) struct RepairCandidate {
    /// The fault, by position.
    pub(crate) fault: usize,
    pub(crate) proposal: SchemaRepair,
    touched: Vec<Pointer>,
    /// The object or array that something is done in.
    container: Pointer,
}

impl RepairCandidate {
    pub(crate) fn new(fault: usize, proposal: SchemaRepair) -> RepairCandidate {
        let mut touched = Vec::new();
        let mut container = Pointer::root();
        for step in &proposal.steps {
            container = match &step.op {
                Op::ReplaceValue { at, .. } | Op::DeleteItem { at, .. } => {
                    touched.push(at.clone());
                    at.split_last().map_or_else(Pointer::root, |it| it.0)
                }
                Op::AddKey { at, key, .. } | Op::RemoveKey { at, key } => {
                    touched.push(at.join(key.as_str()));
                    at.clone()
                }
                Op::RenameKey { at, from, to } => {
                    touched.extend([at.join(from.as_str()), at.join(to.as_str())]);
                    at.clone()
                }
                _ => {
                    touched.push(Pointer::root());
                    Pointer::root()
                }
            };
        }
        touched.sort();
        touched.dedup();
        RepairCandidate { fault, proposal, touched, container }
    }
}

/// What came of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TrialVerdict {
    /// It is good, and these other faults are gone too.
    Good(Vec<usize>),
    Failed,
    NotTried,
}

/// The document that candidates are tried on.
pub(crate) struct TrialDocument<'a> {
    pub(crate) schema: &'a CompiledSchema,
    pub(crate) json: &'a Json,
    pub(crate) extent: DocumentSize,
    pub(crate) faults: &'a [SchemaFault],
}

/// What came of each candidate, in their order.
pub(crate) fn try_all(
    trial_document: &TrialDocument<'_>,
    candidates: &[RepairCandidate],
) -> Vec<TrialVerdict> {
    let cost = trial_document.extent.n_nodes + COST_OF_FAULT * trial_document.faults.len();
    let is_little = cost.saturating_mul(candidates.len()) <= MAX_COST_ALONE;
    let way = if candidates.len() <= MAX_ALONE && is_little {
        TrialMode::Alone
    } else {
        TrialMode::Together
    };
    run(trial_document, candidates, way)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrialMode {
    Alone,
    Together,
}

pub(crate) fn run(
    trial_document: &TrialDocument<'_>,
    candidates: &[RepairCandidate],
    way: TrialMode,
) -> Vec<TrialVerdict> {
    let cost = trial_document.extent.n_nodes + COST_OF_FAULT * trial_document.faults.len();
    let mut trials = Trials {
        trial_document,
        candidates,
        verdicts: vec![TrialVerdict::NotTried; candidates.len()],
        open: Vec::new(),
        crowded: Vec::new(),
    };
    let mut waiting: Vec<usize> = Vec::new();
    match way {
        TrialMode::Alone => trials.open = (0..candidates.len()).rev().map(|it| vec![it]).collect(),
        TrialMode::Together => waiting = (0..candidates.len()).collect(),
    }
    for _ in 0..MAX_COST / cost.max(1) {
        if trials.open.is_empty() {
            let in_crowd = waiting.is_empty();
            let from = if in_crowd { &mut trials.crowded } else { &mut waiting };
            let (group, rest) = apart(candidates, std::mem::take(from), in_crowd);
            *from = rest;
            trials.open.push(group);
        }
        match trials.open.pop() {
            Some(group) if !group.is_empty() => trials.try_group(group),
            _ => break,
        }
    }
    trials.verdicts
}

/// The first of the candidates that touch different places, or are in different containers, and the others.
fn apart(
    candidates: &[RepairCandidate],
    waiting: Vec<usize>,
    by_container: bool,
) -> (Vec<usize>, Vec<usize>) {
    let mut places = PointerTrie::new();
    waiting.into_iter().partition(|idx| {
        let candidate = &candidates[*idx];
        let claimed = match by_container {
            true => std::slice::from_ref(&candidate.container),
            false => &candidate.touched,
        };
        let is_free = claimed.iter().all(|it| places.is_free(it));
        if is_free {
            claimed.iter().for_each(|it| places.claim(it, *idx));
        }
        is_free
    })
}

struct Trials<'a> {
    trial_document: &'a TrialDocument<'a>,
    candidates: &'a [RepairCandidate],
    verdicts: Vec<TrialVerdict>,
    /// Groups that are to be tried; in each, all touch different places.
    open: Vec<Vec<usize>>,
    /// Candidates that could not be told apart from others in the same object.
    crowded: Vec<usize>,
}

/// What a trial has changed.
struct TrialEffect {
    is_gone: Vec<bool>,
    /// Where faults are that were not there.
    came: Vec<Pointer>,
}

/// Who it was.
enum Culprit {
    /// The one that touches the place.
    Sure(usize),
    /// The only one in the same object.
    Likely(usize),
    /// One of those in the same object.
    Among(Vec<usize>),
    Unknown,
}

impl Trials<'_> {
    fn try_group(&mut self, group: Vec<usize>) {
        let Some((json, group)) = self.applied(group) else { return };
        let candidates = self.candidates;
        let mut places = PointerTrie::new();
        for idx in &group {
            candidates[*idx].touched.iter().for_each(|it| places.claim(it, *idx));
        }
        let Some(outcome) = self.outcome(&json, &group, &places) else {
            return self.split(group);
        };
        match group.as_slice() {
            [] => {}
            [alone] => self.judge_alone(*alone, &outcome),
            _ => self.judge(group, &places, &outcome),
        }
    }

    /// The document with the candidates of the group that can be applied.
    fn applied(&mut self, mut group: Vec<usize>) -> Option<(Json, Vec<usize>)> {
        let mut json = self.trial_document.json.clone();
        let mut half_done = None;
        group.retain(|idx| {
            let steps = &self.candidates[*idx].proposal.steps;
            let n_done = steps.iter().take_while(|it| json::apply(&mut json, it)).count();
            let is_done = n_done == steps.len();
            if !is_done {
                self.verdicts[*idx] = TrialVerdict::Failed;
                half_done = half_done.or((n_done > 0).then_some(*idx));
            }
            is_done
        });
        if half_done.is_some() {
            self.open.extend((!group.is_empty()).then_some(group));
            return None;
        }
        (!group.is_empty()).then_some((json, group))
    }

    fn outcome(
        &self,
        json: &Json,
        group: &[usize],
        places: &PointerTrie<'_>,
    ) -> Option<TrialEffect> {
        let faults = self.trial_document.faults;
        let mut is_own = vec![false; faults.len()];
        group.iter().for_each(|it| is_own[self.candidates[*it].fault] = true);
        // Their own faults come first, so that they are the last to be taken for those that are still there.
        let own = (0..faults.len()).filter(|it| is_own[*it]);
        let others = (0..faults.len()).filter(|it| !is_own[*it]);
        let mut expected: HashMap<(Pointer, &str), Vec<usize>> = HashMap::new();
        for idx in own.chain(others) {
            let place = faults[idx].place();
            let steps = places.owner_of(&place).map(|it| &self.candidates[it].proposal.steps);
            let mut ops = steps.into_iter().flatten().map(|it| &it.op);
            if let Some(place) = ops.try_fold(place, |at, op| json::moved(&at, op)) {
                expected.entry((place, faults[idx].rule_id())).or_default().push(idx);
            }
        }
        let after = self.trial_document.schema.faults(json, self.trial_document.extent).ok()?;
        let mut outcome = TrialEffect { is_gone: vec![true; faults.len()], came: Vec::new() };
        for fault in after {
            let key = (fault.place(), fault.rule_id());
            match expected.get_mut(&key).and_then(Vec::pop) {
                Some(known) => outcome.is_gone[known] = false,
                None => outcome.came.push(key.0),
            }
        }
        Some(outcome)
    }

    fn judge_alone(&mut self, alone: usize, outcome: &TrialEffect) {
        let own = self.candidates[alone].fault;
        self.verdicts[alone] = if outcome.is_gone[own] && outcome.came.is_empty() {
            let also = (0..outcome.is_gone.len()).filter(|it| outcome.is_gone[*it] && *it != own);
            TrialVerdict::Good(also.collect())
        } else {
            TrialVerdict::Failed
        };
    }

    fn judge(&mut self, group: Vec<usize>, places: &PointerTrie<'_>, outcome: &TrialEffect) {
        let fault_of = |it: &usize| self.candidates[*it].fault;
        let mut blamed: BTreeSet<usize> =
            group.iter().copied().filter(|it| !outcome.is_gone[fault_of(it)]).collect();
        let own: BTreeSet<usize> = group.iter().map(fault_of).collect();
        let by_container = by_container(self.candidates, &group);
        let culprit = |place: &Pointer| match places.owner_of(place) {
            Some(owner) => Culprit::Sure(owner),
            None => nearby(&by_container, place),
        };
        let mut is_unclear = false;
        let mut crowded: BTreeSet<usize> = BTreeSet::new();
        let mut also: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut likely: BTreeSet<usize> = BTreeSet::new();
        for place in &outcome.came {
            match culprit(place) {
                Culprit::Sure(it) | Culprit::Likely(it) => _ = blamed.insert(it),
                Culprit::Among(them) => crowded.extend(them),
                Culprit::Unknown => is_unclear = true,
            }
        }
        let n_faults = outcome.is_gone.len();
        for gone in (0..n_faults).filter(|it| outcome.is_gone[*it] && !own.contains(it)) {
            match culprit(&self.trial_document.faults[gone].place()) {
                Culprit::Sure(it) => also.entry(it).or_default().push(gone),
                Culprit::Likely(it) => {
                    also.entry(it).or_default().push(gone);
                    likely.insert(it);
                }
                Culprit::Among(them) => crowded.extend(them),
                Culprit::Unknown => is_unclear = true,
            }
        }
        if !blamed.is_empty() {
            self.retry(group, &blamed);
        } else if is_unclear || crowded.len() == group.len() {
            self.split(group);
        } else if !crowded.is_empty() {
            self.crowded.extend(&crowded);
            self.open.push(group.into_iter().filter(|it| !crowded.contains(it)).collect());
        } else {
            self.accept(group, &likely, also);
        }
    }

    /// Those who did it and those who did not, without each other.
    fn retry(&mut self, group: Vec<usize>, blamed: &BTreeSet<usize>) {
        let (blamed, rest): (Vec<usize>, Vec<usize>) =
            group.into_iter().partition(|it| blamed.contains(it));
        if !rest.is_empty() {
            self.open.extend([blamed, rest]);
        } else if blamed.len() <= SMALL {
            self.split(blamed);
        } else {
            blamed.into_iter().for_each(|it| self.verdicts[it] = TrialVerdict::Failed);
        }
    }

    fn split(&mut self, mut group: Vec<usize>) {
        match group.len() {
            0 => {}
            1 => self.verdicts[group[0]] = TrialVerdict::Failed,
            2..=SMALL => self.open.extend(group.into_iter().map(|it| vec![it])),
            n => {
                let half = group.split_off(n / 2);
                self.open.extend([half, group]);
            }
        }
    }

    /// Where more is gone than was wanted, those who are only likely to have done it show it once more without others.
    fn accept(
        &mut self,
        group: Vec<usize>,
        likely: &BTreeSet<usize>,
        mut also: HashMap<usize, Vec<usize>>,
    ) {
        let is_shown = likely.len() == group.len();
        let (likely, sure): (Vec<usize>, Vec<usize>) =
            group.into_iter().partition(|it| !is_shown && likely.contains(it));
        for idx in sure {
            self.verdicts[idx] = TrialVerdict::Good(also.remove(&idx).unwrap_or_default());
        }
        self.open.extend((!likely.is_empty()).then_some(likely));
    }
}

fn by_container<'a>(
    candidates: &'a [RepairCandidate],
    group: &[usize],
) -> HashMap<&'a Pointer, Vec<usize>> {
    let mut by_container: HashMap<&Pointer, Vec<usize>> = HashMap::new();
    for idx in group {
        by_container.entry(&candidates[*idx].container).or_default().push(*idx);
    }
    by_container
}

/// Those who do something in the object that is at the place, or that has it.
fn nearby(by_container: &HashMap<&Pointer, Vec<usize>>, place: &Pointer) -> Culprit {
    let around = place.split_last().map(|it| it.0);
    let found = by_container.get(place).or_else(|| by_container.get(&around?));
    match found.map(Vec::as_slice) {
        None => Culprit::Unknown,
        Some([only]) => Culprit::Likely(*only),
        Some(many) if many.len() <= MAX_COMPANIONS => Culprit::Among(many.to_vec()),
        Some(_) => Culprit::Unknown,
    }
}
