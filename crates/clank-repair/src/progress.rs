//! How far a program is from green, in the order in which the work is done (RS-33).

use clank::body::{Goal, GoalKind};
use clank::proof::Proof;
use clank::{Checked, CheckedModule};

/// Errors, then what is not proved, then holes, then warnings.
pub type ProgramProgress = [usize; 4];

/// How far a program is from green.
pub fn progress(checked: &Checked) -> ProgramProgress {
    let mut counts = [0; 4];
    for module in &checked.modules {
        let of_module = progress_of(module);
        counts.iter_mut().zip(of_module).for_each(|(count, more)| *count += more);
    }
    counts
}

/// How far a module is from green.
pub(super) fn progress_of(module: &CheckedModule) -> ProgramProgress {
    let n_errors = module.diagnostics.iter().filter(|it| it.code.is_error()).count();
    let is_open = |goal: &Goal, proof: &Proof| {
        goal.kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
    };
    let n_open = module.goals().filter(|(_, goal, proof)| is_open(goal, proof)).count();
    [n_errors, n_open, module.holes().count(), module.diagnostics.len() - n_errors]
}
