//! Does the goal follow from the facts, does its opposite, or neither?

mod clause;
mod encode;
mod face;
mod integer;
mod meaning;
mod order;
mod question;
mod relevance;
mod search;
mod simplex;
#[cfg(test)]
mod tests;

use crate::model::Model;
use crate::term::{Sort, Term, Terms};
use question::{Answer, SatQuery};

/// How much work a question may cost. Work is counted, never timed: the same question has the same answer everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elementary steps of the search, each about a tenth of a microsecond at most.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 400_000 }
    }
}

/// What follows from the facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The goal. Facts that contradict each other imply everything.
    Discharged,
    /// The opposite of the goal, and there are values that satisfy the facts.
    Refuted,
    /// Neither, or it was not found out.
    Unknown {
        /// Why.
        reason: UnknownReason,
        /// Values that satisfy the facts and falsify the goal. They were checked by [`crate::evaluate`].
        counterexample: Option<Model>,
    },
}

/// Why a goal is neither discharged nor refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The facts allow both.
    Neither,
    /// The work allowed did not suffice.
    Budget,
    /// The question goes beyond linear arithmetic, and the search could not tell.
    Incomplete,
}

/// What follows from the facts: the goal, its opposite, or neither. Terms that are made on the way are forgotten, so that
/// the answer does not depend on what was asked before.
pub fn decide(terms: &mut Terms, facts: &[Term], goal: Term, limits: &Limits) -> Verdict {
    let count = terms.count();
    let mut verdict = decided(terms, facts, goal, limits);
    terms.forget_after(count);
    if let Verdict::Unknown { counterexample: Some(model), .. } = &mut verdict {
        model.forget_unknown(terms);
    }
    verdict
}

fn decided(terms: &mut Terms, facts: &[Term], goal: Term, limits: &Limits) -> Verdict {
    let goal = terms.coerced(goal, Sort::Bool);
    let facts: Vec<Term> = facts.iter().map(|fact| terms.coerced(*fact, Sort::Bool)).collect();
    if goal == terms.bool(true) || facts.contains(&goal) {
        return Verdict::Discharged;
    }
    let (near, far) = relevance::split(terms, &facts, goal);
    let mut question = SatQuery::new(terms, Budget { left: limits.steps });
    near.iter().for_each(|fact| question.assume(*fact));
    let goal_literal = question.literal(goal);
    let opposite = goal_literal.negated();
    let mut answer = question.ask(opposite);
    if !far.is_empty() && !matches!(answer, Answer::Impossible) {
        far.iter().for_each(|fact| question.assume(*fact));
        answer = question.ask(opposite);
    }
    let counterexample = match answer {
        Answer::Impossible => return Verdict::Discharged,
        Answer::Unclear(reason) => return Verdict::Unknown { reason, counterexample: None },
        Answer::Possible(model) => {
            let falsified = question.terms().not(goal);
            if !question.confirms(&model, falsified) {
                return Verdict::Unknown {
                    reason: UnknownReason::Incomplete,
                    counterexample: None,
                };
            }
            model
        }
    };
    let reason = match question.ask(goal_literal) {
        Answer::Impossible => return Verdict::Refuted,
        Answer::Unclear(reason) => reason,
        Answer::Possible(model) if question.confirms(&model, goal) => UnknownReason::Neither,
        Answer::Possible(_) => UnknownReason::Incomplete,
    };
    Verdict::Unknown { reason, counterexample: Some(counterexample) }
}

/// The steps that are left.
#[derive(Clone, Copy, Debug)]
struct Budget {
    left: u64,
}

impl Budget {
    /// Whether there was enough left.
    fn spend(&mut self, steps: u64) -> bool {
        let enough = self.left > steps;
        self.left = self.left.saturating_sub(steps);
        enough
    }

    fn is_spent(self) -> bool {
        self.left == 0
    }
}
