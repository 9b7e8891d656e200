//! How far a tree is from green (RS-33): the errors, obligations, holes and warnings of each phase, earlier ones first.
//! What is only worth knowing, and what is put up with, is not counted.

use check::Class;

use crate::assessment::Assessment;

/// Smaller is better. Two counts of one run have the same number of phases.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Count(Vec<[usize; 4]>);

impl Count {
    /// The count of a tree, without what the providers say that `is_out` names.
    pub(crate) fn of(assessment: &Assessment, is_out: impl Fn(&str) -> bool) -> Count {
        // One place for findings of unknown phases and one for what the engine says.
        let mut phases = vec![[0; 4]; assessment.n_phases + 2];
        for diagnostic in &assessment.diagnostics {
            if is_out(&diagnostic.source)
                || assessment.baselined.contains(&diagnostic.diagnostic_id)
            {
                continue;
            }
            let column = match diagnostic.class() {
                Class::Error => 0,
                Class::Obligation => 1,
                Class::Hole => 2,
                Class::Warning => 3,
                Class::Info => continue,
            };
            phases[assessment.phase_index(diagnostic)][column] += 1;
        }
        Count(phases)
    }
}
