//! `fix` with a person who decides on each repair. What comes up only after others were made is asked about then, on
//! the tree as it is then, so that every preview shows what would really happen.
//!
//! A yes to a repair that was shown is as good as naming it by id: also a repair that may change behavior is made then.
//! "All" covers only what `fix` would make by itself.
//!
//! A yes is good for one repair. When it was made, its id may be that of another one: items move up in their list, and
//! equal texts are numbered. So the ids are given back after every pass, and who has one now is asked about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::plan::{Candidates, Policy, Ranked, Reason};
use check::{Repair, RepairClass, Safety};
use engine::{Applied, Assessment, Fixed, RejectedRepair};
use protocol::v1;

use crate::assess::previews::preview;
use crate::assess::view;
use crate::assess::{AssessedTree, Mended, repair};
use crate::commands::fix::described;
use crate::failure::Failure;
use crate::reply::{Decide, OnProgress, RepairAnswer, RepairQuestion};
use crate::session::Session;
use crate::wire;

/// A repair that somebody was asked about, and what it does about the cause.
type OfferedRepair = (Arc<Repair>, RepairClass);

/// What was said about repairs, by id.
#[derive(Default)]
pub(super) struct Answers {
    said: BTreeMap<String, (bool, OfferedRepair)>,
    /// The repairs that were agreed to and made.
    made: BTreeMap<String, OfferedRepair>,
    all: bool,
    quit: bool,
}

impl Answers {
    fn is_agreed(&self, id: &str) -> bool {
        self.said.get(id).is_some_and(|(yes, _)| *yes)
    }

    /// The ids of the repairs that were agreed to.
    pub(super) fn agreed(&self) -> BTreeSet<&str> {
        let open = self.said.iter().filter(|(_, (yes, _))| *yes).map(|(id, _)| id.as_str());
        open.chain(self.made.keys().map(String::as_str)).collect()
    }

    /// The number of those that were agreed to and not made yet.
    fn n_open(&self) -> usize {
        self.said.values().filter(|(yes, _)| *yes).count()
    }

    /// What was made on another version of the tree is still agreed to.
    fn start_again(&mut self) {
        let made = std::mem::take(&mut self.made).into_iter();
        self.said.extend(made.map(|(id, repair)| (id, (true, repair))));
    }

    fn give_back(&mut self, applied: &[Applied]) {
        for it in applied {
            self.said.remove(&it.repair.id);
            self.made.insert(it.repair.id.clone(), (Arc::clone(&it.repair), it.class));
        }
    }

    /// The repairs that were declined.
    pub(super) fn declined(&self) -> impl Iterator<Item = v1::RejectedRepair> {
        let is_declined = |it: &(&String, &(bool, _))| !it.1.0 && !self.made.contains_key(it.0);
        let declined = self.said.iter().filter(is_declined).map(|(_, it)| it);
        declined.map(|(_, (repair, class))| {
            described((repair, *class), "declined", None, "you said no".to_owned())
        })
    }
}

/// Asks, repairs, and asks again about what came up, until nothing does.
pub(super) fn mend(
    session: &Session,
    looked: &mut AssessedTree,
    answers: &mut Answers,
    decide: Decide<'_>,
    progress: OnProgress<'_>,
) -> Result<Mended, Failure> {
    answers.start_again();
    let mut start = looked.assessment.clone();
    let mut total: Option<Mended> = None;
    let typed = looked.look.policy.allow.clone();
    let mut is_moving = true;
    for _ in 0..looked.setup.config.max_passes.max(1) {
        let n_before = answers.n_open();
        ask(looked, &start, answers, decide)?;
        if !is_moving && answers.n_open() == n_before {
            break;
        }
        let agreed = answers.said.keys().filter(|id| answers.is_agreed(id)).cloned();
        looked.look.policy.allow = typed.iter().cloned().chain(agreed).collect();
        let wants = |it: &Repair| answers.is_agreed(&it.id);
        let mended = repair(session, &looked.setup, &looked.look, &start, (&wants, 1), progress)?;
        answers.give_back(&mended.fixed.applied);
        is_moving = !mended.fixed.applied.is_empty();
        start = mended.fixed.end.clone();
        total = Some(match total {
            None => mended,
            Some(earlier) => joined(earlier, mended),
        });
    }
    let mut mended = total.expect("the first round always repairs");
    mended.fixed.change = snapshot::diff(&looked.assessment.snapshot, &mended.fixed.end.snapshot);
    Ok(mended)
}

/// Asks about the repairs that could be made together now, and about those that come up when one is declined.
fn ask(
    looked: &AssessedTree,
    assessment: &Assessment,
    answers: &mut Answers,
    decide: Decide<'_>,
) -> Result<(), Failure> {
    let by_id = view::by_id(&assessment.diagnostics);
    loop {
        let ranked = choose(looked, assessment, answers);
        let of = ranked.len();
        if of == 0 || answers.quit {
            return Ok(());
        }
        for (idx, it) in ranked.iter().enumerate() {
            let needs_approval = looked.look.needs_approval(&it.repair);
            let snapshot = &assessment.snapshot;
            let preview = preview(snapshot, &looked.setup.parses, &it.repair)?;
            let answer = match preview {
                _ if answers.quit => break,
                Some(_) if answers.all && !needs_approval => RepairAnswer::Yes,
                Some(preview) => {
                    let mine = it.repair.resolves.iter().filter_map(|id| by_id.get(id.as_str()));
                    let findings: Vec<_> = mine.map(|it| Arc::new((*it).clone())).collect();
                    let frames =
                        view::frames(snapshot, findings.iter(), std::iter::once(&it.repair));
                    decide(&RepairQuestion {
                        repair: &wire::repair(it, &by_id),
                        diagnostics: &findings
                            .iter()
                            .map(|it| wire::diagnostic(it))
                            .collect::<Vec<_>>(),
                        preview: &preview,
                        frames: &frames,
                        needs_approval,
                        number: idx + 1,
                        of,
                    })
                }
                // It cannot be made alone, so nobody can see what it would do.
                None => RepairAnswer::No,
            };
            answers.all |= answer == RepairAnswer::All;
            answers.quit |= answer == RepairAnswer::Quit;
            let yes = matches!(answer, RepairAnswer::Yes | RepairAnswer::All);
            if answer != RepairAnswer::Quit {
                let asked = (Arc::clone(&it.repair), it.class);
                answers.said.insert(it.repair.id.clone(), (yes, asked));
            }
        }
    }
}

/// The repairs that nobody was asked about yet and that could be made together with those agreed to, in rank order.
fn choose(looked: &AssessedTree, assessment: &Assessment, answers: &Answers) -> Vec<Ranked> {
    let AssessedTree { setup, look, .. } = looked;
    let is_open = |it: &Repair| {
        look.wants(it, setup)
            && answers.said.get(&it.id).is_none_or(|(yes, _)| *yes)
            && !(setup.config.needs_proposals() && look.needs_approval(it))
    };
    let repairs: Vec<Arc<Repair>> =
        assessment.repairs.iter().filter(|it| is_open(it)).cloned().collect();
    let plan = |repairs: &[Arc<Repair>], allow: BTreeSet<String>| {
        ::plan::plan(&Candidates {
            snapshot: &assessment.snapshot,
            diagnostics: &assessment.diagnostics,
            repairs,
            parses: &setup.parses,
            policy: &Policy { safety: Safety::BehaviorChanging, allow },
            is_editable: &|path| look.is_editable(path),
            barred: &BTreeMap::new(),
            applied: &BTreeSet::new(),
        })
    };
    // A symptom is asked about when its cure was declined, and what hides a message is not asked about at all.
    let agreed = answers.said.keys().filter(|id| answers.is_agreed(id));
    let named = look.policy.allow.iter().chain(agreed).cloned().collect();
    let is_askable = |it: &Ranked| {
        let reason = it.rejection.as_ref().map(|it| it.reason);
        !matches!(reason, Some(Reason::Waits | Reason::Suppression))
    };
    let ranked = plan(&repairs, named).ranked.into_iter();
    let askable: Vec<Arc<Repair>> = ranked.filter(is_askable).map(|it| it.repair).collect();
    let all = askable.iter().map(|it| it.id.clone()).collect();
    let is_new = |it: &Ranked| it.rejection.is_none() && !answers.said.contains_key(&it.repair.id);
    plan(&askable, all).ranked.into_iter().filter(is_new).collect()
}

/// Two rounds as one: the later one has the last word on every repair.
fn joined(earlier: Mended, later: Mended) -> Mended {
    let (n_passes, n_trees) = (earlier.fixed.passes, earlier.fixed.trees.len());
    let mut applied = earlier.fixed.applied;
    applied.extend(later.fixed.applied.into_iter().map(|mut it| {
        it.pass += n_passes;
        it.tree += n_trees;
        it
    }));
    let mut trees = earlier.fixed.trees;
    trees.extend(later.fixed.trees);
    let done: BTreeSet<&str> = applied.iter().map(|it| it.repair.id.as_str()).collect();
    let said: BTreeSet<&str> =
        later.fixed.rejected.iter().map(|it| it.repair.id.as_str()).collect();
    // That there was no further pass is not the last word on anything.
    let is_last = |it: &RejectedRepair| {
        let id = it.repair.id.as_str();
        !done.contains(id) && !said.contains(id) && it.rejection.reason != Reason::Budget
    };
    let kept = earlier.fixed.rejected.into_iter().filter(is_last);
    let rejected = later.fixed.rejected.iter().cloned().chain(kept).collect();
    let mut notes = earlier.fixed.notes;
    notes.extend(later.fixed.notes);
    let mut protected = earlier.protected;
    protected.extend(later.protected);
    Mended {
        protected,
        fixed: Fixed {
            end: later.fixed.end,
            change: later.fixed.change,
            trees,
            rejected,
            passes: n_passes + later.fixed.passes,
            rechecks: earlier.fixed.rechecks + later.fixed.rechecks,
            ending: later.fixed.ending,
            notes,
            applied,
        },
    }
}
