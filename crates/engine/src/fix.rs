//! The loop: plan, apply, look again, keep what is proved, until nothing is left to apply.
//!
//! A repair that failed is put aside, and gets another chance only when nothing else is left and the tree is not the
//! one that it failed in. So the end is a fixed point: another run would find nothing to do.
//!
//! Every kept tree is remembered. If one comes back, repairs undo one another: the best tree so far is kept, and those
//! that went round are out for the rest of the run. A provider that answers differently when it is asked again is not
//! believed, and the run starts over without its repairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Repair, Severity, StopCause};
use plan::{Candidates, Plan, Policy, Reason, Rejection};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::assessment::{Assessment, ProviderFailure, complete, garbled};
use crate::count::Count;
use crate::cures;
use crate::erratic::find_erratic;
use crate::outcome::{Applied, Ending, Fixed, Options, Progress};
use crate::run::Run;
use crate::search::{Batch, Searched, search};
use crate::words::RepairNotes;

/// Applies all that may be applied, keeps what is proved, and says what became of the rest. `start` was made in the
/// same run.
pub fn fix(
    run: &Run<'_>,
    start: &Assessment,
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Fixed {
    let mut distrusted = floods(start);
    distrusted.extend(start.thieves.iter().cloned());
    let mut n_rechecks = 0;
    loop {
        let mut session = Session::new(run, start, options, &distrusted);
        session.run_passes(progress);
        n_rechecks += session.n_rechecks;
        let end = &session.last().assessment;
        let mut erratic = match session.n_rechecks {
            0 => BTreeSet::new(),
            _ => find_erratic(run, end, &session.touched, &session.objecting),
        };
        erratic.retain(|it| !distrusted.contains(it));
        if erratic.is_empty() {
            return session.finish(n_rechecks);
        }
        distrusted.extend(erratic);
    }
}

/// The sources that said more than is taken: what they say of two trees cannot be compared.
fn floods(assessment: &Assessment) -> BTreeSet<String> {
    let floods = assessment.looks.iter().filter(|it| it.1.is_flood);
    floods.map(|it| it.0.clone()).collect()
}

/// A tree that was kept.
struct KeptTree {
    assessment: Assessment,
    /// What takes the first tree here.
    change: TreeChange,
    count: Count,
    /// How many of the applied repairs led here.
    n_applied: usize,
    state: blake3::Hash,
}

/// A repair that is out of the question.
struct Quarantined {
    source: String,
    rejection: Rejection,
    /// The tree in which it failed; `None` if it is out for the rest of the run.
    failed_in: Option<blake3::Hash>,
}

struct Session<'a> {
    run: &'a Run<'a>,
    options: &'a Options<'a>,
    distrusted: &'a BTreeSet<String>,
    /// The first one is the tree at the start.
    kept: Vec<KeptTree>,
    applied: Vec<Applied>,
    words: RepairNotes,
    /// Repairs that are out of the question, by their ids.
    quarantine: BTreeMap<String, Quarantined>,
    /// Repairs that others wait for and that work in the last tree, if somebody says so.
    cures: BTreeSet<String>,
    /// The files that were edited in a trial.
    touched: BTreeSet<RelPath>,
    /// The providers that run elsewhere and objected to something.
    objecting: BTreeSet<String>,
    /// The sources of which too much failed.
    unreliable: BTreeSet<String>,
    n_passes: usize,
    n_rechecks: usize,
    ending: Ending,
    notes: Vec<String>,
    /// Who could not do their work at the start. They may be able to at the end, but that is not the whole story.
    start_failures: Vec<ProviderFailure>,
}

impl<'a> Session<'a> {
    fn new(
        run: &'a Run<'a>,
        start: &Assessment,
        options: &'a Options<'a>,
        distrusted: &'a BTreeSet<String>,
    ) -> Session<'a> {
        let first = KeptTree {
            assessment: start.clone(),
            change: TreeChange::default(),
            count: Count::of(start, |it| distrusted.contains(it)),
            n_applied: 0,
            state: state_of(&start.snapshot, &start.snapshot, &BTreeSet::new()),
        };
        Session {
            run,
            options,
            distrusted,
            kept: vec![first],
            applied: Vec::new(),
            words: RepairNotes::default(),
            quarantine: BTreeMap::new(),
            cures: BTreeSet::new(),
            touched: BTreeSet::new(),
            objecting: BTreeSet::new(),
            unreliable: BTreeSet::new(),
            n_passes: 0,
            n_rechecks: 0,
            ending: Ending::Settled,
            notes: Vec::new(),
            start_failures: start.failures.clone(),
        }
    }

    fn last(&self) -> &KeptTree {
        self.kept.last().expect("the first tree is never taken away")
    }

    fn run_passes(&mut self, progress: &mut dyn FnMut(Progress)) {
        loop {
            let plan = self.plan();
            self.words.record(&plan, &self.kept[self.kept.len() - 1].assessment.diagnostics);
            let accepted = |it: &&plan::Ranked| it.rejection.is_none();
            let batch: Vec<Arc<Repair>> =
                plan.ranked.iter().filter(accepted).map(|it| Arc::clone(&it.repair)).collect();
            if batch.is_empty() {
                if self.release() || self.try_cures(&plan, progress) {
                    continue;
                }
                return;
            }
            if self.n_passes >= self.options.max_passes {
                self.ending = Ending::PassBudget;
                let n = self.options.max_passes;
                self.give_up(&batch, &format!("there were {n} passes, which is the limit"));
                return;
            }
            self.n_passes += 1;
            let current = &self.last().assessment;
            progress(Progress::Pass {
                number: self.n_passes,
                errors: current.n_of(Severity::Error),
                warnings: current.n_of(Severity::Warning),
            });
            let left = self.options.max_rechecks.saturating_sub(self.n_rechecks);
            let batch = Batch {
                run: self.run,
                before: current,
                repairs: &batch,
                change: &plan.change,
                distrusted: self.distrusted,
                unreliable: &self.unreliable,
                max_rechecks: left,
            };
            let searched = search(&batch, progress);
            self.touched.extend(plan.change.paths());
            if !self.take_over(searched) {
                return;
            }
        }
    }

    fn put_away(&mut self, repair: &Repair, rejection: Rejection, failed_in: Option<blake3::Hash>) {
        let source = repair.source.clone();
        self.quarantine.insert(repair.id.clone(), Quarantined { source, rejection, failed_in });
    }

    /// Gives another chance to those that failed in another tree, if there is time and not too much of their source failed.
    /// Says whether there are any.
    fn release(&mut self) -> bool {
        let has_time =
            self.n_passes < self.options.max_passes && self.n_rechecks < self.options.max_rechecks;
        let state = self.last().state;
        let n_before = self.quarantine.len();
        let unreliable = &self.unreliable;
        self.quarantine.retain(|_, it| {
            !has_time
                || unreliable.contains(&it.source)
                || it.failed_in.is_none_or(|it| it == state)
        });
        self.quarantine.len() < n_before
    }

    /// Tries what others wait for. Says whether something did not work, so that there is more to choose from.
    fn try_cures(&mut self, plan: &Plan, progress: &mut dyn FnMut(Progress)) -> bool {
        let n_before = self.quarantine.len();
        loop {
            let ids = cures::untried(plan, &self.cures);
            let ids: BTreeSet<String> =
                ids.into_iter().filter(|it| !self.quarantine.contains_key(it)).collect();
            if ids.is_empty() {
                return self.quarantine.len() > n_before;
            }
            let current = &self.last().assessment;
            let repairs = cures::with_required(&current.repairs, &ids);
            let named = repairs.iter().map(|it| it.id.clone()).collect();
            let plan = self.plan_of(&repairs, &named);
            let is_accepted = |it: &&plan::Ranked| it.rejection.is_none();
            let chosen: Vec<Arc<Repair>> =
                plan.ranked.iter().filter(is_accepted).map(|it| Arc::clone(&it.repair)).collect();
            let batch = Batch {
                run: self.run,
                before: current,
                repairs: &chosen,
                change: &plan.change,
                distrusted: self.distrusted,
                unreliable: &self.unreliable,
                max_rechecks: self.options.max_rechecks.saturating_sub(self.n_rechecks),
            };
            let searched = search(&batch, progress);
            self.touched.extend(plan.change.paths());
            self.n_rechecks += searched.n_rechecks;
            self.objecting.extend(searched.objecting);
            let failed_in = Some(self.last().state);
            for (repair, rejection) in searched.condemned {
                self.words.add(&repair.id, rejection.clone());
                self.put_away(&repair, rejection, failed_in);
            }
            // What excludes another one has its turn later; whatever else was not tried is given the benefit of doubt.
            let is_late = |it: &plan::Ranked| {
                let rejection = it.rejection.as_ref();
                rejection.is_some_and(|it| it.reason == Reason::Conflict)
            };
            let late = plan.ranked.iter().filter(|it| is_late(it)).map(|it| it.repair.id.as_str());
            let late: BTreeSet<&str> =
                if chosen.is_empty() { BTreeSet::new() } else { late.collect() };
            self.cures.extend(ids.iter().filter(|it| !late.contains(it.as_str())).cloned());
        }
    }

    fn plan(&self) -> Plan {
        let wanted = |it: &&Arc<Repair>| (self.options.wants)(it);
        let repairs = self.last().assessment.repairs.iter();
        let repairs: Vec<Arc<Repair>> = repairs.filter(wanted).cloned().collect();
        self.plan_of(&repairs, &BTreeSet::new())
    }

    /// The plan for some of the repairs, of which those that are `named` need no further word.
    fn plan_of(&self, repairs: &[Arc<Repair>], named: &BTreeSet<String>) -> Plan {
        let current = &self.last().assessment;
        let quarantine = self.quarantine.iter();
        let mut barred: BTreeMap<String, Rejection> =
            quarantine.map(|(id, it)| (id.clone(), it.rejection.clone())).collect();
        for repair in repairs {
            let doubt = repair.resolves.iter().find_map(|it| current.doubtful.get(it));
            let detail = match doubt {
                _ if self.distrusted.contains(&repair.source) => self.distrust(&repair.source),
                Some(silent) => {
                    format!("{silent} did not answer, so it may not be a problem at all")
                }
                None => continue,
            };
            let rejection = Rejection { reason: Reason::Unverified, with: None, detail };
            barred.insert(repair.id.clone(), rejection);
        }
        let applied: BTreeSet<String> =
            self.applied.iter().map(|it| it.repair.id.clone()).collect();
        // An id numbers equal repairs, and the numbers move up when one is made: a name is good for one repair.
        let Policy { safety, allow } = self.options.policy;
        let allow = allow.difference(&applied).chain(named).cloned().collect();
        let policy = Policy { safety: *safety, allow };
        plan::plan(&Candidates {
            snapshot: &current.snapshot,
            diagnostics: &current.diagnostics,
            repairs,
            parses: self.run.parses,
            policy: &policy,
            is_editable: self.options.is_editable,
            barred: &barred,
            applied: &applied,
        })
    }

    /// Why the source is not believed.
    fn distrust(&self, source: &str) -> String {
        let start = &self.kept[0].assessment;
        if start.looks.get(source).is_some_and(|it| it.is_flood) {
            format!("{source} reports more than can be compared")
        } else if start.thieves.contains(source) {
            format!("{source} uses the ids of another provider")
        } else {
            format!("{source} answers differently when it is asked again")
        }
    }

    /// Says of all of them that there was no time for them.
    fn give_up(&mut self, repairs: &[Arc<Repair>], detail: &str) {
        for repair in repairs {
            let detail = detail.to_owned();
            self.words.add(&repair.id, Rejection { reason: Reason::Budget, with: None, detail });
        }
    }

    /// Takes repairs out of the run, the others go on: their source failed too often.
    fn abandon(&mut self, repairs: &[Arc<Repair>]) {
        if repairs.is_empty() {
            return;
        }
        self.ending = Ending::RecheckBudget;
        let detail = "too many repairs of this source failed";
        self.give_up(repairs, detail);
        for repair in repairs {
            let detail = detail.to_owned();
            let rejection = Rejection { reason: Reason::Budget, with: None, detail };
            self.put_away(repair, rejection, None);
        }
    }

    /// Keeps what a batch has proved and puts away what it has refuted. Says whether there is a point in another pass.
    fn take_over(&mut self, searched: Searched) -> bool {
        self.n_rechecks += searched.n_rechecks;
        self.objecting.extend(searched.objecting);
        self.unreliable.extend(searched.unreliable);
        let has_news = searched.kept.is_some() || !searched.condemned.is_empty();
        self.abandon(&searched.abandoned);
        let failed_in = Some(self.last().state);
        for (repair, rejection) in searched.condemned {
            self.words.add(&repair.id, rejection.clone());
            self.put_away(&repair, rejection, failed_in);
        }
        if let Some((repairs, change, mut assessment)) = searched.kept {
            complete(self.run, &mut assessment);
            self.keep(repairs, &change, assessment);
            self.break_cycle();
        }
        if !searched.undecided.is_empty() {
            let n = self.options.max_rechecks;
            let stop = self.run.stop;
            let cause = stop.cause().or(stop.is_late().then_some(StopCause::OutOfTime));
            let (ending, detail) = match cause {
                Some(StopCause::OutOfTime) => {
                    (Ending::TimeBudget, "the time limit for repairs was reached".to_owned())
                }
                Some(StopCause::Cancelled) => {
                    (Ending::Cancelled, "the run was cancelled".to_owned())
                }
                None => {
                    let detail =
                        format!("the tree was checked again {n} times, which is the limit");
                    (Ending::RecheckBudget, detail)
                }
            };
            self.give_up(&searched.undecided, &detail);
            self.ending = ending;
            return false;
        }
        has_news
    }

    fn keep(&mut self, repairs: Vec<Arc<Repair>>, change: &TreeChange, assessment: Assessment) {
        for repair in repairs {
            let files = repair.files().into_iter().cloned().collect();
            let class = self.words.class(&repair.id);
            let (pass, tree) = (self.n_passes, self.kept.len() - 1);
            self.applied.push(Applied { repair, class, pass, tree, files, verified: true });
        }
        self.cures.clear();
        self.touched.extend(change.paths());
        let first = &self.kept[0].assessment.snapshot;
        let composed = self.last().change.compose(first, change);
        self.kept.push(KeptTree {
            change: composed.unwrap_or_else(|_| snapshot::diff(first, &assessment.snapshot)),
            count: Count::of(&assessment, |it| self.distrusted.contains(it)),
            n_applied: self.applied.len(),
            state: state_of(first, &assessment.snapshot, &self.touched),
            assessment,
        });
    }

    /// If the last tree was there before: goes back to the best one, and bars the repairs that led round.
    fn break_cycle(&mut self) {
        let last = self.kept.len() - 1;
        let Some(entry) = self.kept[..last].iter().position(|it| it.state == self.last().state)
        else {
            return;
        };
        let best = (0..=last).min_by_key(|idx| (&self.kept[*idx].count, *idx)).unwrap_or(0);
        let round = &self.applied[self.kept[entry].n_applied..];
        let sources: BTreeSet<&str> = round.iter().map(|it| it.repair.source.as_str()).collect();
        let rule = |it: &Applied| match sources.len() {
            1 => it.repair.rule_id.clone(),
            // Two formatters have one rule each, and it has the same name.
            _ => format!("{}/{}", it.repair.source, it.repair.rule_id),
        };
        let rules: BTreeSet<String> = round.iter().map(rule).collect();
        let period = last - entry;
        let names = rules.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let detail =
            format!("{names} undo one another: the tree is the same after every {period} passes");
        for applied in round {
            let detail = detail.clone();
            let rejection = Rejection { reason: Reason::Cycle, with: None, detail };
            self.words.add(&applied.repair.id, rejection.clone());
            let source = applied.repair.source.clone();
            let quarantined = Quarantined { source, rejection, failed_in: None };
            self.quarantine.insert(applied.repair.id.clone(), quarantined);
        }
        self.notes.push(detail);
        self.kept.truncate(best + 1);
        self.applied.truncate(self.last().n_applied);
        if self.ending == Ending::Settled {
            self.ending = Ending::Cycle { rules, period };
        }
    }

    fn finish(mut self, rechecks: usize) -> Fixed {
        let KeptTree { assessment: mut end, change, .. } =
            self.kept.pop().expect("the first tree is never taken away");
        end.failures.extend(self.start_failures);
        let mut known = floods(&end);
        known.extend(end.thieves.iter().cloned());
        let first = self.kept.first().map_or(&end, |it| &it.assessment);
        known.extend(first.thieves.iter().cloned());
        for source in self.distrusted.iter().filter(|it| !known.contains(*it)) {
            let message =
                "answers differently when it is asked again, so none of its repairs is applied";
            end.failures.push(garbled(source, message.to_owned()));
        }
        end.failures.sort();
        end.failures.dedup();
        let applied_ids: BTreeSet<&str> =
            self.applied.iter().map(|it| it.repair.id.as_str()).collect();
        let rejected = self.words.into_rejected(&applied_ids);
        Fixed {
            end,
            change,
            trees: self.kept.into_iter().map(|it| it.assessment).collect(),
            rejected,
            applied: self.applied,
            passes: self.n_passes,
            rechecks,
            ending: self.ending,
            notes: self.notes,
        }
    }
}

/// What makes a tree of this run different from the first one. Only the `touched` files can.
fn state_of(first: &Snapshot, tree: &Snapshot, touched: &BTreeSet<RelPath>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("regreen engine state v1");
    for path in touched.iter().filter(|path| first.get(path) != tree.get(path)) {
        hasher.update(&(path.as_str().len() as u64).to_be_bytes()).update(path.as_str().as_bytes());
        match tree.file(path) {
            Some(file) => hasher.update(file.hash().as_bytes()).update(&file.mode.to_be_bytes()),
            None => hasher.update(b"gone"),
        };
    }
    hasher.finalize()
}
