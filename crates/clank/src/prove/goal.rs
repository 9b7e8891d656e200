//! Goals against what is known (row 27).

use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Limits, Model, Term, TermKind, UnknownReason, Verdict};

use super::walk::{Walk, Why};
use crate::proof::{Doubt, Proof};

/// How much work the goals of one declaration may take together, in questions of a usual size.
const MAX_WORK: u64 = 6_000;
/// How much work is done for the bounds of the loops of one declaration.
const MAX_TRIALS: u64 = 6_000;
/// How much work a question may take that is given up.
const GIVEN_UP: u64 = 40;
/// How much work one goal may take, in steps of the solver.
const GOAL_STEPS: u64 = 60_000;
/// How much work is done to find out whether a bound of a loop holds.
const TRIAL_STEPS: u64 = 20_000;
/// How many facts are considered for one goal, those first that are about the same things.
const MAX_FACTS: usize = 48;
/// How many of the latest facts are looked at.
const MAX_LOOKED_AT: usize = 400;
/// Goals with at most so many parts are proved part by part.
const MAX_PARTS: usize = 24;
/// How much of one term is looked at for what it is about.
const MAX_ABOUT: usize = 400;

/// What a goal is held against.
pub(super) struct Hypotheses {
    pub(super) facts: Vec<Term>,
    /// Whether nothing that has to do with the goal was left out.
    pub(super) is_all: bool,
    /// Whether nothing at all was left out.
    pub(super) is_everything: bool,
}

impl Walk<'_> {
    pub(super) fn is_exhausted(&self) -> bool {
        self.n_nodes > super::walk::MAX_NODES
    }

    /// Whether the goals of the declaration took all the work that they may take.
    fn is_spent(&self) -> bool {
        self.is_exhausted() || self.work > MAX_WORK
    }

    /// Holds a goal, all of whose parts must hold, against what is known. Whoever goes on knows that it holds: it was
    /// checked if it was not proved.
    pub(super) fn judge(&mut self, index: usize, parts: &[Term]) {
        if self.quiet > 0 || self.is_dead {
            return;
        }
        if self.dry == 0 {
            let is_proved = self.proved.as_ref().is_some_and(|it| it[index]);
            let proof = if is_proved { Proof::Discharged } else { self.proof(index, parts) };
            // Where bounds of loops were left out, this goal is looked at once more with them.
            let is_last_look = self.proved.is_some() || !self.has_left_out_bounds;
            let proof = match (proof, self.world.oracle) {
                (Proof::Unknown(doubt), Some(oracle)) if is_last_look && !self.is_spent() => {
                    self.asked_elsewhere(oracle, index, parts, doubt)
                }
                (proof, _) => proof,
            };
            self.record(index, proof);
        }
        for part in parts {
            self.assume(*part, Why::Checked(index));
        }
    }

    /// It cannot be told what a goal means here.
    pub(super) fn give_up(&mut self, index: usize) {
        if self.quiet == 0 && self.dry == 0 && !self.is_dead {
            let text = &self.goal(index).text;
            let reason = format!("nothing is known that decides `{text}`");
            let facts = self.facts_in_words(None);
            self.record(index, Proof::Unknown(Doubt { reason, counterexample: None, facts }));
        }
    }

    /// A goal that is met on two paths must hold on both.
    fn record(&mut self, index: usize, proof: Proof) {
        let known = &mut self.verdicts[index];
        let keeps = match (&known, &proof) {
            (None | Some(Proof::Discharged), _) => false,
            (Some(Proof::Unknown(_)), _) | (Some(Proof::Refuted(_)), Proof::Refuted(_)) => true,
            (Some(Proof::Refuted(_)), _) => {
                if let Some(Proof::Refuted(doubt)) = known.take() {
                    *known = Some(Proof::Unknown(doubt));
                }
                return;
            }
        };
        if !keeps {
            *known = Some(proof);
        }
    }

    fn proof(&mut self, index: usize, parts: &[Term]) -> Proof {
        if self.is_spent() {
            return Proof::Unknown(Doubt {
                reason: "the function is too large to be analysed as a whole".to_owned(),
                ..Doubt::default()
            });
        }
        let whole = self.symbols.terms.and(parts);
        if let TermKind::Bool(true) = self.symbols.terms.kind(whole) {
            return Proof::Discharged;
        }
        let in_parts = parts.len() > 1 && parts.len() <= MAX_PARTS;
        let single = [whole];
        let asked: &[Term] = if in_parts { parts } else { &single };
        let mut missing: Option<(usize, Term, Verdict, Hypotheses)> = None;
        for (place, part) in asked.iter().enumerate() {
            let known = self.known(*part);
            let verdict = self.decide(&known, *part, GOAL_STEPS);
            let is_worse = match (&verdict, &missing) {
                (Verdict::Discharged, _) => false,
                (_, None) => true,
                (Verdict::Refuted, Some(found)) => found.2 != Verdict::Refuted,
                _ => false,
            };
            if is_worse {
                missing = Some((place, *part, verdict, known));
            }
        }
        let Some((place, part, mut verdict, known)) = missing else { return Proof::Discharged };
        // Each part may hold without the other.
        if in_parts && verdict != Verdict::Refuted {
            let known = self.known(whole);
            if self.decide(&known, whole, GOAL_STEPS) == Verdict::Refuted {
                verdict = Verdict::Refuted;
            }
        }
        let has_model = matches!(&verdict, Verdict::Unknown { counterexample: Some(_), .. });
        let is_possible = match has_model && known.is_everything {
            true => Some(true),
            false => self.is_possible(),
        };
        match is_possible {
            Some(false) => return Proof::Discharged,
            Some(true) => {}
            None if verdict == Verdict::Refuted => {
                let place = in_parts.then_some(place);
                return self.doubted(index, place, part, &known, UnknownReason::Budget, None);
            }
            None => {}
        }
        let place = in_parts.then_some(place);
        match verdict {
            Verdict::Discharged => Proof::Discharged,
            Verdict::Refuted => self.refuted(index, place, part, &known),
            Verdict::Unknown { reason, counterexample } => {
                let model = counterexample.as_ref();
                self.doubted(index, place, part, &known, reason, model)
            }
        }
    }

    fn refuted(
        &mut self,
        index: usize,
        place: Option<usize>,
        part: Term,
        known: &Hypotheses,
    ) -> Proof {
        // Any values that agree with what is known are an example.
        let never = self.symbols.terms.bool(false);
        let model = match self.decide(known, never, GOAL_STEPS) {
            Verdict::Unknown { counterexample, .. } => counterexample,
            _ => None,
        };
        let text = self.part_text(index, place);
        Proof::Refuted(Doubt {
            reason: format!("`{text}` contradicts what is known"),
            counterexample: model.and_then(|it| self.example(index, part, known, &it)),
            facts: self.facts_in_words(Some(known)),
        })
    }

    fn doubted(
        &mut self,
        index: usize,
        place: Option<usize>,
        part: Term,
        known: &Hypotheses,
        reason: UnknownReason,
        model: Option<&Model>,
    ) -> Proof {
        let text = self.part_text(index, place);
        let reason = match reason {
            UnknownReason::Neither => format!("`{text}` does not follow from what is known"),
            UnknownReason::Budget => format!("`{text}` takes too much work to decide"),
            UnknownReason::Incomplete => format!("`{text}` is beyond linear arithmetic"),
        };
        Proof::Unknown(Doubt {
            reason,
            counterexample: model.and_then(|it| self.example(index, part, known, it)),
            facts: self.facts_in_words(Some(known)),
        })
    }

    /// A part of a goal as it is written.
    fn part_text(&self, index: usize, place: Option<usize>) -> String {
        let text = self.goal(index).text.as_str();
        let whole = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(text);
        let mut parts = vec![String::new()];
        let mut depth = 0_i32;
        for word in whole.split_inclusive(' ') {
            match word {
                "&& " if depth == 0 => parts.push(String::new()),
                _ => {
                    depth += word.matches(['(', '[', '{']).count() as i32;
                    depth -= word.matches([')', ']', '}']).count() as i32;
                    parts.last_mut().expect("there is one").push_str(word);
                }
            }
        }
        match place.and_then(|it| parts.get(it)) {
            Some(part) if parts.len() > 1 => part.trim().to_owned(),
            _ => text.to_owned(),
        }
    }

    /// Whether something follows from what is known, with little work.
    pub(super) fn follows(&mut self, term: Term) -> bool {
        match self.symbols.terms.kind(term) {
            TermKind::Bool(value) => return value,
            _ if !self.may_try() => return false,
            _ => {}
        }
        let known = self.known(term);
        let work = self.work;
        let verdict = self.decide(&known, term, TRIAL_STEPS);
        self.trials += self.work - work;
        self.work = work;
        verdict == Verdict::Discharged
    }

    /// Whether there is work left for the bounds of loops.
    pub(super) fn may_try(&self) -> bool {
        !self.is_exhausted() && self.trials < MAX_TRIALS
    }

    /// Whether what is known can be true at all; `None` if that was not found out.
    pub(super) fn is_possible(&mut self) -> Option<bool> {
        let last = self.facts.last().map(|it| it.term);
        if last.is_none()
            || (self.possible.is_some() && self.possible == Some((self.facts.len(), last)))
        {
            return Some(true);
        }
        let never = self.symbols.terms.bool(false);
        let recent = self.facts.len().saturating_sub(MAX_FACTS * 2);
        let mut known =
            Hypotheses { facts: Vec::new(), is_all: recent == 0, is_everything: recent == 0 };
        let mut about = FxHashSet::default();
        for place in recent..self.facts.len() {
            let term = self.facts[place].term;
            known.facts.push(term);
            for it in self.about(term).iter() {
                if about.insert(*it) {
                    known.facts.extend(self.symbols.axioms(*it));
                }
            }
        }
        match self.decide(&known, never, GOAL_STEPS) {
            Verdict::Discharged => Some(false),
            Verdict::Refuted => {
                self.possible = Some((self.facts.len(), last));
                Some(true)
            }
            Verdict::Unknown { counterexample: Some(_), .. } => {
                self.possible = Some((self.facts.len(), last));
                Some(true)
            }
            Verdict::Unknown { .. } => None,
        }
    }

    fn decide(&mut self, known: &Hypotheses, goal: Term, steps: u64) -> Verdict {
        // The solver does not say how much it did: a question counts by its size.
        let verdict =
            solver::decide(&mut self.symbols.terms, &known.facts, goal, &Limits { steps });
        self.work += 1 + known.facts.len() as u64 / 16;
        if matches!(verdict, Verdict::Unknown { reason: UnknownReason::Budget, .. }) {
            self.work += GIVEN_UP;
        }
        verdict
    }

    /// The facts that may have to do with a goal: those about the same things, about things that these are about, and so
    /// on, up to a limit.
    pub(super) fn known(&mut self, goal: Term) -> Hypotheses {
        let first = self.facts.len().saturating_sub(MAX_LOOKED_AT);
        let mut by_thing: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        for place in first..self.facts.len() {
            for thing in self.about(self.facts[place].term).iter() {
                by_thing.entry(*thing).or_default().push(place);
            }
        }
        let mut known = Hypotheses { facts: Vec::new(), is_all: first == 0, is_everything: false };
        let (mut seen, mut taken) = (FxHashSet::default(), FxHashSet::default());
        let mut waiting: std::collections::VecDeque<Term> = std::collections::VecDeque::new();
        waiting.extend(self.about(goal).iter());
        while let Some(thing) = waiting.pop_front() {
            if !seen.insert(thing) {
                continue;
            }
            let axioms = self.symbols.axioms(thing).to_vec();
            for axiom in &axioms {
                waiting.extend(self.about(*axiom).iter());
            }
            known.facts.extend(axioms);
            // The latest are the nearest.
            for place in by_thing.get(&thing).into_iter().flatten().rev() {
                if taken.len() >= MAX_FACTS {
                    known.is_all = false;
                    break;
                }
                if taken.insert(*place) {
                    waiting.extend(self.about(self.facts[*place].term).iter());
                }
            }
        }
        let mut taken: Vec<usize> = taken.into_iter().collect();
        taken.sort_unstable();
        known.is_everything = known.is_all && taken.len() == self.facts.len();
        known.facts.extend(taken.into_iter().map(|it| self.facts[it].term));
        known
    }

    /// The unknowns and applications that occur in a term.
    pub(super) fn about(&mut self, term: Term) -> std::rc::Rc<[Term]> {
        if let Some(known) = self.things.get(&term) {
            return known.clone();
        }
        let mut things = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![term];
        while let Some(at) = work.pop() {
            if !seen.insert(at) || seen.len() > MAX_ABOUT {
                continue;
            }
            if let TermKind::Atom(_) | TermKind::Apply(..) | TermKind::Product(_) =
                self.symbols.terms.kind(at)
            {
                things.push(at);
            }
            work.extend(self.symbols.terms.parts(at));
        }
        things.sort_unstable();
        let things: std::rc::Rc<[Term]> = things.into();
        self.things.insert(term, things.clone());
        things
    }
}
