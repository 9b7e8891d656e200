//! Trying a batch of repairs, and finding those that are to blame if it fails: delta debugging (Zeller and Hildebrandt,
//! "Simplifying and isolating failure-inducing input", 2002) over repairs, with ranks and suspicions instead of equal
//! chunks.
//!
//! The whole batch is tried first. If something is wrong with the result, the batch is split: those whom nothing speaks
//! against go first, else the better ranked half; what passes is accepted, and the rest is tried on top of it. One that
//! fails alone on top of what was accepted is condemned. With k to blame among n that is O(k log n) trials.
//!
//! An example. Eight repairs, of which the fifth breaks something that nobody suspects it of:
//!
//! ```text
//! 1 2 3 4 5 6 7 8   fails     the whole batch
//! 1 2 3 4           passes    the better ranked half: accepted
//!         5 6       fails     on top of it, half of the rest
//!         5         fails     alone on top of what was accepted: condemned
//!           6 7 8   passes    the rest: accepted
//! ```
//!
//! Suspicion can be wrong: a good repair fails if another one spoils its work. So one that fails is also tried without
//! any other, and if it passes then, the search starts again in rank order without suspicions. There the better
//! ranked of two that do not go together is accepted first, and the other one is condemned.
//!
//! A source whose repairs fail one after another is put off: the others are settled and kept first, and what is left of it
//! gets half of the work that may still be done, in a batch of its own, so that its failures cost nobody else anything.
//!
//! Only functions in this process are asked in every trial. What they accept is put to all the others once. If one of
//! those objects, the batch is searched again, and from then on that one is asked in every trial too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{Cost, Interest, Repair};
use plan::{Reason, Rejection};
use snapshot::{RelPath, TreeChange};

use crate::assessment::{Assessment, assess_rest};
use crate::judge::{DiagnosticsById, Member, Objection, TrialContext};
use crate::outcome::Progress;
use crate::run::Run;

mod trial;

use trial::{BatchTrial, TrialOutcome};

/// What a search is about.
pub(crate) struct Batch<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) before: &'a Assessment,
    /// What the plan accepted together, the best first.
    pub(crate) repairs: &'a [Arc<Repair>],
    /// What they do together.
    pub(crate) change: &'a TreeChange,
    pub(crate) distrusted: &'a BTreeSet<String>,
    /// Sources that had a bad record in an earlier batch.
    pub(crate) unreliable: &'a BTreeSet<String>,
    /// How much work it may be to ask the providers.
    pub(crate) max_rechecks: usize,
}

/// What came of a batch.
pub(crate) struct Searched {
    /// The repairs that work together, what they do, and the tree they make; `None` if there are none.
    pub(crate) kept: Option<(Vec<Arc<Repair>>, TreeChange, Assessment)>,
    pub(crate) condemned: Vec<(Arc<Repair>, Rejection)>,
    /// Those for which there was no time.
    pub(crate) undecided: Vec<Arc<Repair>>,
    /// Those of sources with a bad record, which used up what was left for them.
    pub(crate) abandoned: Vec<Arc<Repair>>,
    /// The sources of those that wait for a batch of their own.
    pub(crate) unreliable: BTreeSet<String>,
    pub(crate) n_rechecks: usize,
    /// The providers that run elsewhere and had something against what all others accepted.
    pub(crate) objecting: BTreeSet<String>,
}

struct Search<'a> {
    batch: &'a Batch<'a>,
    found: DiagnosticsById<'a>,
    members: Vec<Member>,
    /// The members that touch a file.
    by_file: HashMap<RelPath, Vec<usize>>,
    /// By member: the members that it requires.
    requires: Vec<Vec<usize>>,
    /// The providers that run elsewhere and are asked in every trial, because they objected to one.
    objecting: BTreeSet<String>,
    by_rank_only: bool,
    n_rechecks: usize,
    /// How much of that there may be, so that enough is left to confirm what is accepted.
    max_rechecks: usize,
    /// In order.
    accepted: Vec<usize>,
    /// The trial of the accepted ones.
    base: Option<BatchTrial>,
    condemned: BTreeMap<usize, Rejection>,
    undecided: BTreeSet<usize>,
    /// Those that cannot go without one that was condemned. They are neither good nor bad.
    orphaned: BTreeSet<usize>,
    /// Those that are settled after all others, because their source has a bad record.
    postponed: BTreeSet<usize>,
    /// Those among them for which no work was left.
    abandoned: BTreeSet<usize>,
}

/// A source has a bad record if so many of its repairs were condemned, and more than were accepted.
const BAD_RECORD: usize = 16;

/// Tries the batch and keeps what works.
pub(crate) fn search(batch: &Batch<'_>, progress: &mut dyn FnMut(Progress)) -> Searched {
    let diagnostics = &batch.before.diagnostics;
    let found: DiagnosticsById<'_> =
        diagnostics.iter().map(|it| (it.diagnostic_id.as_str(), it)).collect();
    let (repairs, requires) = required_first(batch.repairs);
    let members: Vec<Member> =
        repairs.iter().map(|it| Member::new(it, batch.before, &found)).collect();
    let mut by_file: HashMap<RelPath, Vec<usize>> = HashMap::new();
    for (idx, member) in members.iter().enumerate() {
        for file in &member.files {
            by_file.entry(file.clone()).or_default().push(idx);
        }
    }
    let mut search = Search {
        members,
        by_file,
        batch,
        found,
        requires,
        objecting: BTreeSet::new(),
        by_rank_only: false,
        n_rechecks: 0,
        max_rechecks: 0,
        accepted: Vec::new(),
        base: None,
        condemned: BTreeMap::new(),
        undecided: BTreeSet::new(),
        orphaned: BTreeSet::new(),
        postponed: BTreeSet::new(),
        abandoned: BTreeSet::new(),
    };
    loop {
        search.settle_all(progress);
        if search.is_confirmed() {
            return search.finish();
        }
    }
}

/// The repairs in their order, but each after those that it requires, and for each one the places of those.
fn required_first(repairs: &[Arc<Repair>]) -> (Vec<Arc<Repair>>, Vec<Vec<usize>>) {
    let by_id: HashMap<&str, usize> =
        repairs.iter().enumerate().map(|(idx, it)| (it.id.as_str(), idx)).collect();
    let required = |idx: usize| {
        repairs[idx].compatibility.requires.iter().filter_map(|id| by_id.get(id.as_str()).copied())
    };
    let mut order = Vec::with_capacity(repairs.len());
    let mut is_seen = vec![false; repairs.len()];
    for first in 0..repairs.len() {
        // A repair is visited twice: to put what it requires on top of it, and to be taken once that is done.
        let mut stack = vec![(first, false)];
        while let Some((idx, is_ready)) = stack.pop() {
            if is_ready {
                order.push(idx);
            } else if !std::mem::replace(&mut is_seen[idx], true) {
                stack.push((idx, true));
                stack.extend(required(idx).filter(|it| !is_seen[*it]).map(|it| (it, false)));
            }
        }
    }
    let mut places = vec![0; repairs.len()];
    order.iter().enumerate().for_each(|(place, idx)| places[*idx] = place);
    let requires = order.iter().map(|idx| required(*idx).map(|it| places[it]).collect()).collect();
    (order.into_iter().map(|idx| Arc::clone(&repairs[idx])).collect(), requires)
}

impl Search<'_> {
    fn settle_all(&mut self, progress: &mut dyn FnMut(Progress)) {
        let mut open: Vec<(Vec<usize>, Option<BatchTrial>)> = vec![(self.uncondemned(), None)];
        let mut is_last = false;
        self.max_rechecks = self.batch.max_rechecks.saturating_sub(self.weight_to_confirm());
        loop {
            let Some((mut added, known)) = open.pop() else {
                // What was accepted is kept before anything is done for those with a bad record.
                if self.postponed.is_empty() || !self.accepted.is_empty() {
                    return;
                }
                open.push((std::mem::take(&mut self.postponed).into_iter().collect(), None));
                self.max_rechecks -= self.max_rechecks.saturating_sub(self.n_rechecks) / 2;
                is_last = true;
                continue;
            };
            if !is_last {
                self.postpone(&mut added);
            }
            self.drop_orphans(&mut added);
            if added.is_empty() {
                continue;
            }
            let numbers = union(&self.accepted, &added);
            let known = known.filter(|trial| trial.numbers == numbers);
            let Some(trial) = known.or_else(|| self.try_on_accepted(numbers)) else {
                match is_last && !self.batch.run.stop.is_late() {
                    true => self.abandoned.extend(added),
                    false => self.undecided.extend(added),
                }
                continue;
            };
            let complaints = self.judge(&trial, self.base.as_ref(), &self.accepted, &added);
            if complaints.is_empty() {
                self.accepted.clone_from(&trial.numbers);
                self.base = Some(trial);
                continue;
            }
            let tried = self.accepted.len() + self.condemned.len();
            progress(Progress::Isolating { tried, of: self.members.len() });
            if let [only] = added[..] {
                if self.works_alone(only) {
                    open = vec![(self.start_again(), None)];
                    is_last = false;
                } else {
                    self.condemn(only, complaints);
                }
                continue;
            }
            let (first, second) = self.split(added, &complaints);
            open.push((second, Some(trial)));
            open.push((first, None));
        }
    }

    /// Takes out those of sources with a bad record, and those that require one of them, until all others are settled.
    fn postpone(&mut self, added: &mut Vec<usize>) {
        let mut records: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for idx in self.condemned.keys() {
            records.entry(&self.members[*idx].repair.source).or_default().0 += 1;
        }
        for idx in &self.accepted {
            records.entry(&self.members[*idx].repair.source).or_default().1 += 1;
        }
        records.retain(|_, it| it.0 >= BAD_RECORD && it.0 > it.1);
        records.extend(self.batch.unreliable.iter().map(|it| (it.as_str(), (BAD_RECORD, 0))));
        if records.is_empty() {
            return;
        }
        let (members, requires) = (&self.members, &self.requires);
        let postponed = &mut self.postponed;
        // Those that are required stand before those that require them.
        added.retain(|idx| {
            let is_late = records.contains_key(members[*idx].repair.source.as_str())
                || requires[*idx].iter().any(|it| postponed.contains(it));
            if is_late {
                postponed.insert(*idx);
            }
            !is_late
        });
    }

    /// The work of asking those about what was accepted who are not asked in every trial.
    fn weight_to_confirm(&self) -> usize {
        let paths = self.batch.change.paths();
        let is_touched = |it: &Interest| paths.iter().any(|path| it.is_touched_by(path));
        let sources = self.batch.run.sources.iter();
        let sources = sources.filter(|it| it.card.cost != Cost::InProcess);
        let sources = sources.filter(|it| is_touched(&it.card.interest));
        let names = sources.map(|it| it.card.name.clone());
        self.weight(&names.filter(|it| !self.objecting.contains(it)).collect())
    }

    /// Takes out those that require one that will not be there, and remembers them.
    fn drop_orphans(&mut self, added: &mut Vec<usize>) {
        added.retain(|idx| {
            let is_missing = |it: &usize| {
                self.condemned.contains_key(it)
                    || self.undecided.contains(it)
                    || self.orphaned.contains(it)
                    || self.abandoned.contains(it)
            };
            let is_orphan = self.requires[*idx].iter().any(is_missing);
            if is_orphan {
                self.orphaned.insert(*idx);
            }
            !is_orphan
        });
    }

    fn try_on_accepted(&mut self, numbers: Vec<usize>) -> Option<BatchTrial> {
        let trial = self.try_out(numbers, self.base.as_ref())?;
        self.n_rechecks += self.cost(&trial);
        Some(trial)
    }

    /// The work that a trial was.
    fn cost(&self, trial: &BatchTrial) -> usize {
        match trial.outcome {
            TrialOutcome::Checked(_) => 1 + self.weight(&self.objecting),
            TrialOutcome::Broken(_) => 0,
        }
    }

    fn weight(&self, names: &BTreeSet<String>) -> usize {
        let sources = names.iter().filter_map(|it| self.batch.run.sources.get(it));
        // Who is not asked any more costs nothing.
        let sources = sources.filter(|it| !it.is_given_up());
        sources.map(|it| it.card.cost.weight()).sum()
    }

    /// Puts what was accepted to those who were not asked yet. If one of them objects, everything is forgotten but who is
    /// to be asked from now on.
    fn is_confirmed(&mut self) -> bool {
        let Some(BatchTrial { numbers, change, outcome: TrialOutcome::Checked(checked) }) =
            &self.base
        else {
            return true;
        };
        let unasked = &checked.assessment.unasked;
        if unasked.is_empty() {
            return true;
        }
        let weight = self.weight(unasked);
        let Batch { run, before, .. } = self.batch;
        let whole = (self.n_rechecks + weight <= self.batch.max_rechecks)
            .then(|| assess_rest(run, &checked.assessment, before, &change.paths()))
            .filter(|it| !it.is_cut_short(run.stop));
        let Some(whole) = whole else {
            // Nobody knows what they would have said.
            self.undecided.extend(std::mem::take(&mut self.accepted));
            self.base = None;
            return true;
        };
        let (numbers, change) = (numbers.clone(), change.clone());
        let checked = self.compared(&numbers, &change, whole);
        let asked = unasked.clone();
        let trial = BatchTrial { numbers, change, outcome: TrialOutcome::Checked(checked) };
        self.n_rechecks += weight;
        let complaints = self.judge(&trial, None, &[], &trial.numbers);
        if complaints.is_empty() {
            self.base = Some(trial);
            return true;
        }
        let whole = trial.checked().map(|it| &it.assessment);
        let is_silent = |source: &String| {
            whole.is_some_and(|it| !it.looks.contains_key(source) && !it.is_broken(source))
        };
        let n_condemned = self.condemned.len();
        for complaint in &complaints {
            match (&complaint.by, &complaint.suspects[..]) {
                // Asking again would not help: nobody else can confirm the repair.
                (Some(source), [only]) if is_silent(source) => {
                    self.condemned.insert(*only, complaint.rejection.clone());
                }
                (Some(source), _) => drop(self.objecting.insert(source.clone())),
                (None, _) => {}
            }
        }
        if self.objecting.is_disjoint(&asked) && self.condemned.len() == n_condemned {
            self.objecting.extend(asked);
        }
        self.forget();
        false
    }

    /// Whether the repair, with only those that it requires, does what it claims. Without time for another trial it
    /// does not. Of one that has the worst rank of all it is not asked: then it is the one to give way.
    fn works_alone(&mut self, only: usize) -> bool {
        let mut numbers = BTreeSet::from([only]);
        let mut open = vec![only];
        while let Some(idx) = open.pop() {
            open.extend(self.requires[idx].iter().filter(|it| numbers.insert(**it)));
        }
        if self.by_rank_only || self.accepted.last().is_none_or(|last| *last < only) {
            return false;
        }
        let Some(trial) = self.try_out(numbers.into_iter().collect(), None) else { return false };
        self.n_rechecks += self.cost(&trial);
        let others: Vec<usize> = trial.numbers.iter().copied().filter(|it| *it != only).collect();
        self.judge(&trial, None, &others, &[only]).is_empty()
    }

    /// Forgets what was accepted, and gives all that are not condemned.
    fn start_again(&mut self) -> Vec<usize> {
        self.by_rank_only = true;
        self.forget();
        self.uncondemned()
    }

    fn forget(&mut self) {
        self.accepted.clear();
        self.base = None;
        self.undecided.clear();
        self.orphaned.clear();
        self.postponed.clear();
        self.abandoned.clear();
    }

    fn uncondemned(&self) -> Vec<usize> {
        (0..self.members.len()).filter(|idx| !self.condemned.contains_key(idx)).collect()
    }

    fn condemn(&mut self, idx: usize, complaints: Vec<Objection>) {
        let severity = |it: &Objection| match it.rejection.reason {
            Reason::Regressed if it.rejection.with.is_none() => 1,
            Reason::Unverified => 2,
            Reason::Regressed => 3,
            _ => 0,
        };
        let worst = complaints.into_iter().min_by_key(severity);
        let worst = worst.expect("a repair is only condemned because of a complaint");
        self.condemned.insert(idx, worst.rejection);
    }

    /// Those to go first and those to go on top of them. Neither is empty.
    fn split(&self, added: Vec<usize>, complaints: &[Objection]) -> (Vec<usize>, Vec<usize>) {
        let mut suspects: BTreeSet<usize> = BTreeSet::new();
        if !self.by_rank_only {
            suspects.extend(complaints.iter().flat_map(|it| &it.suspects));
            for idx in &added {
                if self.requires[*idx].iter().any(|it| suspects.contains(it)) {
                    suspects.insert(*idx);
                }
            }
        }
        let (second, first): (Vec<usize>, Vec<usize>) =
            added.iter().partition(|idx| suspects.contains(*idx));
        if !first.is_empty() && !second.is_empty() {
            return (first, second);
        }
        let mut first = added;
        let second = first.split_off(first.len() / 2);
        (first, second)
    }

    /// What is wrong with `added`, compared with the accepted ones alone, which is what `base` tried.
    fn judge(
        &self,
        trial: &BatchTrial,
        base: Option<&BatchTrial>,
        accepted: &[usize],
        added: &[usize],
    ) -> Vec<Objection> {
        let checked = match &trial.outcome {
            TrialOutcome::Checked(checked) => checked,
            TrialOutcome::Broken(complaints) => return complaints.clone(),
        };
        let base = base.and_then(BatchTrial::checked);
        let mut context = TrialContext {
            before: self.batch.before,
            found: &self.found,
            members: &self.members,
            distrusted: self.batch.distrusted,
            paid: &BTreeMap::new(),
            base: base.map_or(self.batch.before, |it| &it.assessment),
        };
        let paid = base.map(|it| context.prices(it)).unwrap_or_default();
        context.paid = &paid;
        context.judge(checked, accepted, added)
    }

    fn finish(self) -> Searched {
        let repairs = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.map(|idx| Arc::clone(&self.members[idx].repair)).collect::<Vec<_>>()
        };
        let undecided = repairs(&mut self.undecided.iter().copied());
        let abandoned = repairs(&mut self.abandoned.iter().copied());
        let postponed = self.postponed.iter().map(|idx| &self.members[*idx].repair.source);
        let unreliable = postponed.cloned().collect();
        let objecting = self.objecting.clone();
        let accepted = repairs(&mut self.accepted.iter().copied());
        let condemned = self.condemned.into_iter();
        let condemned =
            condemned.map(|(idx, it)| (Arc::clone(&self.members[idx].repair), it)).collect();
        let kept = self.base.and_then(|trial| match trial.outcome {
            TrialOutcome::Checked(checked) => Some((accepted, trial.change, checked.assessment)),
            TrialOutcome::Broken(_) => None,
        });
        let n_rechecks = self.n_rechecks;
        Searched { kept, condemned, undecided, abandoned, unreliable, n_rechecks, objecting }
    }
}

/// Two sorted lists as one.
fn union(left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> = left.iter().chain(right).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
