//! What `compile --fix --safety behavior_changing` does to a program, and whether repairs do what they say.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::convert::Infallible;

use check::Confidence;
use clank::Checked;
use clank::repair::{self, Budget, Mendable, Repair, Repairs, Target, repairs};
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

/// A program with what is offered for it, which is found out when it is asked for.
struct Offered {
    subject: Subject,
    offer: OnceCell<Repairs>,
}

impl Mendable for Offered {
    type Error = Infallible;

    fn checked(&self) -> &Checked {
        &self.subject.checked
    }

    fn repairs(&self) -> &[Repair] {
        &self.offer.get_or_init(|| offered(&self.subject)).list
    }

    fn after(&self, ops: &[PatchOp]) -> Result<Option<Self>, Infallible> {
        let next = self.subject.patched(ops).ok().map(|it| Subject::new(&it));
        Ok(next.map(|subject| Offered { offer: OnceCell::new(), subject }))
    }
}

/// Applies the best repairs, round by round. `offer` is what is offered for the program.
pub(super) fn mend(subject: Subject, offer: Repairs) -> Mended {
    let mut applied = Vec::new();
    let is_allowed = |it: &Repair| it.is_verified && it.confidence <= Confidence::Medium;
    let mended = repair::mend(
        Offered { subject, offer: offer.into() },
        MAX_ROUNDS,
        is_allowed,
        |step, place, _| {
            applied.push(step.repairs()[place].title.clone());
        },
    );
    let Ok(mended) = mended;
    Mended { after: mended.end.subject, n_rounds: mended.n_rounds, applied }
}

fn ops(repair: &Repair) -> Vec<PatchOp> {
    repair.edits.iter().flat_map(|it| it.1.iter().cloned()).collect()
}

/// What is wrong with a repair that says it was tried: it is applied to the text, after what it requires, and the result is
/// checked afresh. What they promise is gone, no mistake comes up, and nothing else does unless a mistake went for it.
pub(super) fn broken_promise(subject: &Subject, list: &[Repair], place: usize) -> Option<String> {
    if !list[place].is_verified {
        return None;
    }
    let Some(places) = repair::with_required(list, place) else {
        return Some("requires what is not there".to_owned());
    };
    let all: Vec<PatchOp> = places.iter().flat_map(|it| ops(&list[*it])).collect();
    let after = match subject.patched(&all) {
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
    for target in places.iter().flat_map(|it| &list[*it].resolves) {
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
