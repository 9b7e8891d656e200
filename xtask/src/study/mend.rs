//! What `compile --fix --safety behavior_changing` does to a program, and whether repairs do what they say.

use std::collections::{BTreeMap, BTreeSet};

use check::Confidence;
use clank::repair::{Budget, Repair, Repairs, Target, all_compatible, next_batch, repairs};
use clank_syntax::patch::PatchOp;

use super::subject::Subject;

/// After so many rounds what is left is left.
const MAX_ROUNDS: usize = 5;

/// What became of a program.
pub(super) struct Mended {
    pub(super) after: Subject,
    pub(super) n_rounds: usize,
    /// The titles of what was applied, in order.
    pub(super) applied: Vec<String>,
}

pub(super) fn offered(subject: &Subject) -> Repairs {
    let asked = subject.checked.asked.expect("the program has the module that it was loaded for");
    repairs(&subject.program, &subject.checked, asked, &Budget::default())
}

/// Applies the best repairs, round by round. `first` is what is offered for the program.
pub(super) fn mend(mutant: Subject, first: Repairs) -> Mended {
    let mut now = mutant;
    let mut offer = first;
    let mut applied = Vec::new();
    let mut useless: BTreeSet<String> = BTreeSet::new();
    let mut n_rounds = 0;
    while n_rounds < MAX_ROUNDS {
        let list = &offer.list;
        let is_allowed = |place: usize| {
            let it = &list[place];
            it.is_verified
                && it.confidence <= Confidence::Medium
                && !useless.contains(&it.title)
                && it.edits.iter().all(|it| it.0 == now.module().file)
        };
        let batch = next_batch(list, is_allowed);
        if batch.is_empty() {
            break;
        }
        n_rounds += 1;
        let together = all_compatible(list, is_allowed);
        let mut attempts = vec![&together[..], &batch[..], &batch[..1]];
        attempts.dedup();
        let helped =
            attempts.into_iter().find_map(|places| Some((places, attempt(&now, list, places)?)));
        match helped {
            Some((places, next)) => {
                applied.extend(places.iter().map(|it| list[*it].title.clone()));
                now = next;
                offer = offered(&now);
            }
            None => {
                useless.insert(list[batch[0]].title.clone());
            }
        }
    }
    Mended { after: now, n_rounds, applied }
}

/// The program with these repairs, if it is nearer to green by all that they promise.
fn attempt(now: &Subject, list: &[Repair], places: &[usize]) -> Option<Subject> {
    let ops: Vec<PatchOp> = places.iter().flat_map(|it| ops(&list[*it])).collect();
    let next = Subject::new(&now.patched(&ops).ok()?);
    let promised: BTreeSet<Target> =
        places.iter().flat_map(|it| list[*it].resolves.iter().copied()).collect();
    let (before, after) = (now.progress(), next.progress());
    let total = |counts: [usize; 4]| counts.iter().sum::<usize>();
    (after < before && total(after) + promised.len() <= total(before)).then_some(next)
}

fn ops(repair: &Repair) -> Vec<PatchOp> {
    repair.edits.iter().flat_map(|it| it.1.iter().cloned()).collect()
}

/// What is wrong with a repair that says it was tried: it is applied to the text, and the result is checked afresh. What
/// it promises is gone, no mistake comes up, and nothing else does unless a mistake went for it.
pub(super) fn broken_promise(subject: &Subject, repair: &Repair) -> Option<String> {
    if !repair.is_verified {
        return None;
    }
    let after = match subject.patched(&ops(repair)) {
        Ok(text) => Subject::new(&text),
        Err(error) => return Some(format!("cannot be applied: {error}")),
    };
    let module = subject.module();
    let mut promised: BTreeMap<&str, usize> = BTreeMap::new();
    let mut n_goals = 0;
    let mut mends_mistake = false;
    let goals: Vec<bool> = module
        .goals()
        .map(|(_, _, proof)| matches!(proof, clank::proof::Proof::Unknown(_)))
        .collect();
    for target in &repair.resolves {
        match *target {
            Target::Diagnostic(index) => {
                let code = module.diagnostics[index].code;
                mends_mistake |= code.is_error();
                *promised.entry(code.name()).or_default() += 1;
            }
            Target::Goal(index) => n_goals += usize::from(goals[index]),
            Target::Hole(_) => {}
        }
    }
    let (before_codes, after_codes) = (subject.codes(), after.codes());
    for (code, count) in after_codes {
        let before = before_codes.get(code).copied().unwrap_or(0);
        let expected = before.saturating_sub(promised.get(code).copied().unwrap_or(0));
        let may_come = code.starts_with('W') && mends_mistake;
        if count > expected && !may_come {
            let found = after.findings().join("; ");
            return Some(format!("{code} is there {count} times, not {expected}: {found}"));
        }
    }
    let expected = subject.progress()[1] - n_goals;
    if after.progress()[1] > expected && !mends_mistake {
        let found = after.findings().join("; ");
        return Some(format!(
            "{} goals are not proved, not {expected}: {found}",
            after.progress()[1]
        ));
    }
    None
}
