//! The loop of repair (RS-41 to RS-43, RS-47): applies what is offered, looks again, and keeps it if the program is nearer to
//! green by what was promised.
//!
//! How a program is changed and looked at again is the caller's: a text, a tree, a copy.

use std::collections::BTreeSet;

use clank_syntax::patch::PatchOp;

use super::choose::{all_compatible, next_batch, ops, with_required};
use super::{Repair, Target};
use crate::body::{Goal, GoalKind};
use crate::driver::{Checked, CheckedModule};
use crate::proof::Proof;

/// How far a program is from green: errors, then what is not proved, then holes, then warnings (RS-33).
pub type Progress = [usize; 4];

/// A program that can be mended, at one step.
pub trait Mendable: Sized {
    /// Why it could not be looked at again at all.
    type Error;

    /// What is known about it.
    fn checked(&self) -> &Checked;

    /// What is offered for it.
    fn repairs(&self) -> &[Repair];

    /// The same after operations; nothing if they cannot be applied.
    fn after(&self, ops: &[PatchOp]) -> Result<Option<Self>, Self::Error>;
}

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mended<T> {
    /// The program at the end.
    pub end: T,
    /// How often something was applied, or tried in vain.
    pub n_rounds: usize,
}

/// Applies repairs that are allowed, the best first, until none is left that helps, but not for more than so many rounds.
/// `applied` hears of every repair that stays: the program that it was made for, its place there, and the round.
pub fn mend<T: Mendable>(
    start: T,
    max_rounds: usize,
    is_allowed: impl Fn(&Repair) -> bool,
    mut applied: impl FnMut(&T, usize, usize),
) -> Result<Mended<T>, T::Error> {
    let mut now = start;
    let mut n_rounds = 0;
    // What did not help is not tried again, whatever it is called in the next round.
    let mut useless: BTreeSet<String> = BTreeSet::new();
    while n_rounds < max_rounds {
        let Some(module) = now.checked().asked() else { break };
        let list = now.repairs();
        let is_chosen = |place: usize| {
            let it = &list[place];
            is_allowed(it) && is_own(it, module) && !useless.contains(&it.title)
        };
        let batch = next_batch(list, is_chosen);
        let Some(&best) = batch.iter().min() else { break };
        n_rounds += 1;
        match helped(&now, module, &attempts(list, batch, is_chosen))? {
            Some((places, next)) => {
                places.iter().for_each(|it| applied(&now, *it, n_rounds));
                now = next;
            }
            None => {
                useless.insert(list[best].title.clone());
            }
        }
    }
    Ok(Mended { end: now, n_rounds })
}

/// What to try: everything that excludes nothing before it, in one go; if that does not do what the parts promise, the
/// best batch that is said to commute; if not even that, its best part with what that requires.
fn attempts(
    list: &[Repair],
    batch: Vec<usize>,
    is_chosen: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let best = batch.iter().min().and_then(|it| with_required(list, *it));
    let mut attempts = vec![all_compatible(list, is_chosen), batch];
    attempts.extend(best);
    attempts.dedup();
    attempts
}

fn helped<T: Mendable>(
    now: &T,
    module: &CheckedModule,
    attempts: &[Vec<usize>],
) -> Result<Option<(Vec<usize>, T)>, T::Error> {
    for places in attempts {
        let Some(next) = now.after(&ops(now.repairs(), places, module))? else { continue };
        let promised = promised(module, now.repairs(), places);
        if keeps_promise(progress(now.checked()), progress(next.checked()), promised) {
            return Ok(Some((places.clone(), next)));
        }
    }
    Ok(None)
}

/// Whether a repair changes nothing but the module that it is for.
fn is_own(repair: &Repair, module: &CheckedModule) -> bool {
    repair.edits.iter().all(|it| it.0 == module.file)
}

/// Whether a program is nearer to green by what was promised. Of the first kind of finding that a repair resolves all
/// must be gone; it may bring to light what could not be looked at before, which is of a later kind.
fn keeps_promise(before: Progress, after: Progress, promised: Progress) -> bool {
    let first = promised.iter().position(|it| *it > 0).unwrap_or(0);
    after < before && after[first] + promised[first] <= before[first]
}

/// How many findings of each kind some repairs promise to resolve.
fn promised(module: &CheckedModule, repairs: &[Repair], places: &[usize]) -> Progress {
    let targets: BTreeSet<Target> =
        places.iter().flat_map(|it| repairs[*it].resolves.iter().copied()).collect();
    let mut counts = [0; 4];
    for target in targets {
        counts[match target {
            Target::Diagnostic(it) if module.diagnostics[it].code.is_error() => 0,
            Target::Diagnostic(_) => 3,
            Target::Goal(_) => 1,
            Target::Hole(_) => 2,
        }] += 1;
    }
    counts
}

/// How far a program is from green.
pub fn progress(checked: &Checked) -> Progress {
    let mut counts = [0; 4];
    for module in &checked.modules {
        let of_module = progress_of(module);
        counts.iter_mut().zip(of_module).for_each(|(count, more)| *count += more);
    }
    counts
}

/// How far a module is from green.
pub(super) fn progress_of(module: &CheckedModule) -> Progress {
    let n_errors = module.diagnostics.iter().filter(|it| it.code.is_error()).count();
    let is_open = |goal: &Goal, proof: &Proof| {
        goal.kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
    };
    let n_open = module.goals().filter(|(_, goal, proof)| is_open(goal, proof)).count();
    [n_errors, n_open, module.holes().count(), module.diagnostics.len() - n_errors]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_kept_if_its_first_kind_is_gone_and_all_is_better() {
        for (before, after, promised, is_kept) in [
            ([1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], true),
            // What could not be looked at before comes to light.
            ([1, 0, 0, 0], [0, 3, 0, 2], [1, 0, 0, 1], true),
            ([2, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], false),
            ([1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], false),
            ([0, 2, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], true),
            ([0, 2, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], false),
            ([0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], false),
        ] {
            assert_eq!(keeps_promise(before, after, promised), is_kept, "{before:?} {after:?}");
        }
    }
}
