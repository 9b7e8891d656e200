//! The loop of repair (RS-41 to RS-43, RS-47): applies what is offered, looks again, and keeps it if the program is nearer to
//! green by what was promised.
//!
//! How a program is changed and looked at again is the caller's: a text, a tree, a copy.

use std::collections::BTreeSet;

use clank_syntax::patch::PatchOp;

use super::choose::{all_compatible, next_batch, ops, with_required};
use super::findings::is_syntax;
use super::{Repair, Target};
use crate::body::{Goal, GoalKind};
use crate::code::Code;
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
        let promise = Promise::new(module, now.repairs(), places);
        if promise.is_kept(&State::new(now.checked()), &State::new(next.checked())) {
            return Ok(Some((places.clone(), next)));
        }
    }
    Ok(None)
}

/// Whether a repair changes nothing but the module that it is for.
fn is_own(repair: &Repair, module: &CheckedModule) -> bool {
    repair.edits.iter().all(|it| it.0 == module.file)
}

/// What keeps other mistakes from being seen: in how many places a text cannot be read, and in how many a name means
/// nothing.
type Hiding = [usize; 2];

fn hides_others(code: Code) -> Option<usize> {
    match code {
        _ if is_syntax(code) => Some(0),
        Code::E1001 => Some(1),
        _ => None,
    }
}

/// How far a program is from green.
struct State {
    hiding: Hiding,
    progress: Progress,
}

impl State {
    fn new(checked: &Checked) -> State {
        let mut hiding = Hiding::default();
        let all = checked.modules.iter().flat_map(|it| &it.diagnostics);
        all.filter_map(|it| hides_others(it.code)).for_each(|it| hiding[it] += 1);
        State { hiding, progress: progress(checked) }
    }
}

/// What some repairs promise together.
#[derive(Default)]
struct Promise {
    /// How many of the mistakes are gone that keep others from being seen.
    seen: Hiding,
    /// How many others can be seen then.
    n_revealed: usize,
    /// How many findings of each kind are gone.
    gone: Progress,
}

impl Promise {
    fn new(module: &CheckedModule, repairs: &[Repair], places: &[usize]) -> Promise {
        let all = places.iter().map(|it| &repairs[*it]);
        let targets: BTreeSet<Target> = all.clone().flat_map(|it| it.resolves.clone()).collect();
        let n_revealed = all.map(|it| it.reveals.len()).sum();
        let mut promise = Promise { n_revealed, ..Promise::default() };
        for target in targets {
            promise.gone[match target {
                Target::Diagnostic(it) => {
                    let code = module.diagnostics[it].code;
                    hides_others(code).into_iter().for_each(|it| promise.seen[it] += 1);
                    if code.is_error() { 0 } else { 3 }
                }
                Target::Goal(_) => 1,
                Target::Hole(_) => 2,
            }] += 1;
        }
        promise
    }

    /// Whether a program is nearer to green by what was promised. Of the first kind of finding that a repair resolves all
    /// must be gone; it may bring to light what could not be looked at before, which is of a later kind, or is said.
    fn is_kept(&self, before: &State, after: &State) -> bool {
        let first = self.gone.iter().position(|it| *it > 0).unwrap_or(0);
        let n_revealed = if first == 0 { self.n_revealed } else { 0 };
        let is_seen = self.seen.iter().position(|it| *it > 0).is_some_and(|it| {
            after.hiding[..it] <= before.hiding[..it]
                && after.hiding[it] + self.seen[it] <= before.hiding[it]
        });
        (is_seen || after.progress < before.progress)
            && after.hiding <= before.hiding
            && after.progress[first] + self.gone[first] <= before.progress[first] + n_revealed
    }
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
        for (before, after, gone, is_kept) in [
            ([1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], true),
            // What could not be looked at before comes to light.
            ([1, 0, 0, 0], [0, 3, 0, 2], [1, 0, 0, 1], true),
            ([2, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], false),
            ([1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], false),
            ([0, 2, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], true),
            ([0, 2, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], false),
            ([0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], false),
        ] {
            let state = |progress: Progress| State { hiding: [0; 2], progress };
            let promise = Promise { gone, ..Promise::default() };
            let found = promise.is_kept(&state(before), &state(after));
            assert_eq!(found, is_kept, "{before:?} {after:?}");
        }
    }

    #[test]
    fn what_can_be_read_may_be_wrong_as_far_as_that_was_said() {
        // Places that cannot be read and mistakes, before and after; how many mistakes were said to come to light.
        for (before, after, n_revealed, is_kept) in [
            ((1, 1), (0, 0), 0, true),
            ((1, 1), (0, 1), 1, true),
            ((1, 1), (0, 2), 2, true),
            ((1, 1), (0, 1), 0, false),
            ((1, 1), (0, 3), 2, false),
            ((2, 2), (2, 2), 1, false),
        ] {
            let state = |(n_unread, n_errors): (usize, usize)| State {
                hiding: [n_unread, 0],
                progress: [n_errors, 0, 0, 0],
            };
            let promise = Promise { seen: [1, 0], n_revealed, gone: [1, 0, 0, 0] };
            let found = promise.is_kept(&state(before), &state(after));
            assert_eq!(found, is_kept, "{before:?} {after:?} {n_revealed}");
        }
    }
}
