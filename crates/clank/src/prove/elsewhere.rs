//! Goals that our own solver leaves open, asked of another one.
//!
//! It is believed where it says that something is impossible. Values that it gives are a counterexample only if they are
//! one by our own evaluation (row 27).

use solver::Term;
use solver::smt::{Answer, Query};

use super::walk::Walk;
use crate::oracle::Oracle;
use crate::proof::{Doubt, Proof};

impl Walk<'_> {
    /// What the other solver makes of a goal, all of whose parts must hold; `doubt` is why it is open.
    pub(super) fn asked_elsewhere(
        &mut self,
        oracle: &dyn Oracle,
        index: usize,
        parts: &[Term],
        doubt: Doubt,
    ) -> Proof {
        let goal = self.symbols.terms.and(parts);
        let opposite = self.symbols.terms.not(goal);
        let known = self.known(goal);
        let mut claims = known.facts.clone();
        claims.retain(|it| self.symbols.terms.sort(*it) == solver::Sort::Bool);
        claims.push(opposite);
        let model = match self.put_to(oracle, &claims) {
            Answer::Impossible => return Proof::Discharged,
            Answer::Possible(model) => Some(model),
            Answer::Unknown => None,
        };
        // Values that contradict the goal and nothing that is known: so what is known can be true.
        let is_possible =
            known.is_everything && model.is_some() || self.is_possible() == Some(true);
        claims.pop();
        claims.push(goal);
        let is_refuted = is_possible && self.put_to(oracle, &claims) == Answer::Impossible;
        let found = model.and_then(|it| self.example(index, goal, &known, &it));
        let counterexample = doubt.counterexample.or(found);
        if is_refuted {
            let text = &self.goal(index).text;
            let reason = format!("`{text}` contradicts what is known");
            return Proof::Refuted(Doubt { reason, counterexample, facts: doubt.facts });
        }
        Proof::Unknown(Doubt { counterexample, ..doubt })
    }

    fn put_to(&self, oracle: &dyn Oracle, claims: &[Term]) -> Answer {
        let terms = &self.symbols.terms;
        let Some(query) = Query::new(terms, claims) else { return Answer::Unknown };
        oracle.ask(query.text()).map_or(Answer::Unknown, |reply| query.answer(terms, &reply))
    }
}
