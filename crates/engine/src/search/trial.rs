//! One trial: some repairs of a batch are applied together in memory, the invariants are looked at, and only if they
//! hold the providers are asked. Work is done where the trial differs from the accepted repairs, which were tried before.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use check::Repair;
use plan::{Reason, Rejection};
use snapshot::{RelPath, Snapshot, TreeChange};

use super::{Batch, Search};
use crate::assessment::{Assessment, Who, assess_since};
use crate::compare::compare;
use crate::invariants;
use crate::judge::{Checked, Objection};

/// Some repairs of the batch, applied together.
pub(super) struct BatchTrial {
    /// In order.
    pub(super) numbers: Vec<usize>,
    pub(super) change: TreeChange,
    pub(super) outcome: TrialOutcome,
}

pub(super) enum TrialOutcome {
    /// The result is wrong whatever the providers say, so they were not asked.
    Broken(Vec<Objection>),
    Checked(Box<Checked>),
}

impl BatchTrial {
    /// What the providers said, if they were asked.
    pub(super) fn checked(&self) -> Option<&Checked> {
        match &self.outcome {
            TrialOutcome::Checked(checked) => Some(checked),
            TrialOutcome::Broken(_) => None,
        }
    }
}

impl Search<'_> {
    /// Applies the repairs together and asks the providers; `None` if they may not be asked again.
    pub(super) fn try_out(
        &self,
        numbers: Vec<usize>,
        base: Option<&BatchTrial>,
    ) -> Option<BatchTrial> {
        let Batch { run, before, .. } = self.batch;
        let broken = |numbers, change, complaints| {
            Some(BatchTrial { numbers, change, outcome: TrialOutcome::Broken(complaints) })
        };
        let change = match self.lower(&numbers, base) {
            Ok(change) => change,
            Err((idx, rejection)) => {
                let suspects = idx.into_iter().collect();
                let complaint = Objection { suspects, by: None, rejection };
                return broken(numbers, TreeChange::default(), vec![complaint]);
            }
        };
        let snapshot = match before.snapshot.apply(&change) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let complaint = Objection::new(Vec::new(), Reason::Invalid, error.to_string());
                return broken(numbers, change, vec![complaint]);
            }
        };
        let complaints = self.broken_invariants(&numbers, base, &change, &snapshot);
        if !complaints.is_empty() {
            return broken(numbers, change, complaints);
        }
        if self.n_rechecks >= self.max_rechecks || run.stop.is_late() {
            return None;
        }
        let nearest = base.and_then(BatchTrial::checked).map_or(*before, |it| &it.assessment);
        let mut changed = change.paths();
        changed.extend(base.map(|trial| trial.change.paths()).unwrap_or_default());
        changed.retain(|path| nearest.snapshot.get(path) != snapshot.get(path));
        let who = Who::FunctionsAnd(&self.objecting);
        let assessment = assess_since(run, &snapshot, Some((nearest, &changed)), who);
        if assessment.is_cut_short(run.stop) {
            return None;
        }
        let checked = self.compared(&numbers, &change, assessment);
        Some(BatchTrial { numbers, change, outcome: TrialOutcome::Checked(checked) })
    }

    /// What the trial of these repairs did to the findings.
    pub(super) fn compared(
        &self,
        numbers: &[usize],
        change: &TreeChange,
        assessment: Assessment,
    ) -> Box<Checked> {
        let claims = numbers.iter().flat_map(|idx| &self.members[*idx].repair.resolves);
        let claimed: HashSet<&str> = claims.map(String::as_str).collect();
        let comparison = compare(self.batch.before, &assessment, change, &claimed);
        Box::new(Checked { assessment, comparison })
    }

    /// What the repairs do together. Only the files that the new ones have to do with are lowered again.
    fn lower(
        &self,
        numbers: &[usize],
        base: Option<&BatchTrial>,
    ) -> Result<TreeChange, (Option<usize>, Rejection)> {
        if numbers.len() == self.members.len() {
            return Ok(self.batch.change.clone());
        }
        let is_in = |list: &[usize], idx: &usize| list.binary_search(idx).is_ok();
        let is_new = |idx: &usize| !base.is_some_and(|trial| is_in(&trial.numbers, idx));
        let mut open: Vec<usize> = numbers.iter().copied().filter(is_new).collect();
        let mut again: BTreeSet<usize> = open.iter().copied().collect();
        let mut files: BTreeSet<&RelPath> = BTreeSet::new();
        while let Some(idx) = open.pop() {
            for file in self.members[idx].files.iter().filter(|file| files.insert(*file)) {
                let touching = self.by_file.get(file).map(Vec::as_slice).unwrap_or_default();
                let tried = touching.iter().filter(|idx| is_in(numbers, idx));
                open.extend(tried.copied().filter(|idx| again.insert(*idx)));
            }
        }
        let again: Vec<usize> = again.into_iter().collect();
        let repairs: Vec<Arc<Repair>> =
            again.iter().map(|idx| Arc::clone(&self.members[*idx].repair)).collect();
        let Batch { run, before, .. } = self.batch;
        let lowered = plan::lower(&before.snapshot, run.parses, &repairs)
            .map_err(|(place, rejection)| (again.get(place).copied(), rejection))?;
        let others = base.map(|trial| &trial.change);
        let edits = joined(lowered.edits(), others.map(TreeChange::edits), &files);
        let adds = joined(lowered.adds(), others.map(TreeChange::adds), &files);
        let deletes = joined(lowered.deletes(), others.map(TreeChange::deletes), &files);
        let renames = joined(lowered.renames(), others.map(TreeChange::renames), &files);
        TreeChange::new(edits, adds, deletes, renames).map_err(|error| {
            let detail = error.to_string();
            (None, Rejection { reason: Reason::Invalid, with: None, detail })
        })
    }

    fn broken_invariants(
        &self,
        numbers: &[usize],
        base: Option<&BatchTrial>,
        change: &TreeChange,
        after: &Snapshot,
    ) -> Vec<Objection> {
        let before = &self.batch.before.snapshot;
        let touching = |path: &RelPath| {
            let all = self.by_file.get(path).map(Vec::as_slice).unwrap_or_default();
            let is_tried = |idx: &&usize| numbers.binary_search(idx).is_ok();
            all.iter().filter(is_tried).copied().collect::<Vec<usize>>()
        };
        let laid_out = |path: &RelPath| {
            let repairs = touching(path).into_iter().map(|idx| &*self.members[idx].repair);
            invariants::laid_out(repairs, before, path)
        };
        // A finding in a comment is about the comment, and so is what resolves it.
        let is_meant = |path: &RelPath, range: &Range<u32>| {
            let repairs = touching(path).into_iter().map(|idx| &*self.members[idx].repair);
            let resolved: BTreeSet<&str> =
                repairs.flat_map(|it| &it.resolves).map(String::as_str).collect();
            self.batch.before.diagnostics.iter().any(|it| {
                let is_inside = it.location.is_some_and(|it| {
                    range.start <= it.start_byte
                        && it.start_byte < it.end_byte
                        && it.end_byte <= range.end
                });
                is_inside && it.file == path.as_str() && resolved.contains(&*it.diagnostic_id)
            })
        };
        // What the accepted ones did to a file was looked at when they were tried.
        let base = base.and_then(BatchTrial::checked).map(|it| &it.assessment.snapshot);
        let is_settled = |path: &RelPath| base.is_some_and(|it| it.get(path) == after.get(path));
        let parses = self.batch.run.parses;
        let broken =
            invariants::broken(parses, before, (after, change), &is_settled, &laid_out, &is_meant);
        let complaint = |(path, words)| {
            Objection::new(touching(&path), Reason::Invalid, format!("{path} {words}"))
        };
        broken.into_iter().map(complaint).collect()
    }
}

/// What was lowered again, and of what the accepted ones do what is not about those `files`.
fn joined<T: Clone>(
    lowered: &BTreeMap<RelPath, T>,
    accepted: Option<&BTreeMap<RelPath, T>>,
    files: &BTreeSet<&RelPath>,
) -> BTreeMap<RelPath, T> {
    let others = accepted.into_iter().flatten().filter(|(path, _)| !files.contains(path));
    lowered.iter().chain(others).map(|(path, it)| (path.clone(), it.clone())).collect()
}
