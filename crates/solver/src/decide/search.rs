//! The search: literals are decided and their consequences drawn, by clauses and by arithmetic, until all are true or false
//! or a contradiction shows; a contradiction becomes a clause that keeps the search from coming back.
//!
//! A bound literal says that a variable of the arithmetic is at most a number; its opposite says that it is at least the
//! next one, for all variables are integers. Between two bounds of one variable the implication is a clause.

use std::collections::BTreeMap;

use super::Budget;
use super::clause::{Clauses, Literal};
use super::face;
use super::integer;
use super::order::Order;
use super::simplex::{Bound, Simplex, Stop, Variable};
use crate::rational::Rational;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// All literals have values, all variables integers, and no clause and no bound is violated.
    Satisfied,
    Contradiction,
    /// It had to branch more often than it may.
    Tired,
    Budget,
}

pub(super) struct Search {
    pub(super) simplex: Simplex,
    pub(super) budget: Budget,
    clauses: Clauses,
    order: Order,
    values: Vec<Option<bool>>,
    /// What the variable was last.
    phases: Vec<bool>,
    levels: Vec<u32>,
    reasons: Vec<Option<u32>>,
    bounds: Vec<Option<(Variable, Rational)>>,
    bound_literals: BTreeMap<(Variable, Rational), Literal>,
    /// Sums that were branched on.
    sums: BTreeMap<Vec<(Variable, Rational)>, Variable>,
    seen: Vec<bool>,
    /// True literals in the order in which they became true.
    trail: Vec<Literal>,
    /// Where each level starts on the trail, and the mark of the arithmetic there.
    starts: Vec<(usize, usize)>,
    /// How much of the trail has had its consequences drawn.
    drawn: usize,
    branches: u32,
    contradictory: bool,
}

impl Search {
    pub(super) fn new(budget: Budget) -> Search {
        Search {
            simplex: Simplex::default(),
            budget,
            clauses: Clauses::default(),
            order: Order::new(),
            values: Vec::new(),
            phases: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            bounds: Vec::new(),
            bound_literals: BTreeMap::new(),
            sums: BTreeMap::new(),
            seen: Vec::new(),
            trail: Vec::new(),
            starts: Vec::new(),
            drawn: 0,
            branches: 0,
            contradictory: false,
        }
    }

    pub(super) fn literal(&mut self) -> Literal {
        let literal = Literal::positive(self.values.len() as u32);
        self.clauses.add_variable();
        self.order.add_variable();
        self.values.push(None);
        self.phases.push(false);
        self.levels.push(0);
        self.reasons.push(None);
        self.bounds.push(None);
        self.seen.push(false);
        literal
    }

    /// The literal that says that `variable` is at most `bound`, an integer.
    pub(super) fn at_most(&mut self, variable: Variable, bound: Rational) -> Literal {
        if let Some(literal) = self.bound_literals.get(&(variable, bound.clone())) {
            return *literal;
        }
        let literal = self.literal();
        let key = (variable, bound);
        let tighter = self
            .bound_literals
            .range(..&key)
            .next_back()
            .filter(|((other, _), _)| *other == variable);
        let tighter = tighter.map(|(_, tighter)| *tighter);
        let looser =
            self.bound_literals.range(&key..).next().filter(|((other, _), _)| *other == variable);
        let looser = looser.map(|(_, looser)| *looser);
        self.bounds[literal.variable()] = Some(key.clone());
        self.bound_literals.insert(key, literal);
        if let Some(tighter) = tighter {
            self.add_implication(tighter, literal);
        }
        if let Some(looser) = looser {
            self.add_implication(literal, looser);
        }
        literal
    }

    /// Adds a clause for good, and gives up all decisions.
    pub(super) fn add_clause(&mut self, literals: &[Literal]) {
        self.back_to(0);
        self.budget.spend(2 + literals.len() as u64);
        let mut clause: Vec<Literal> = literals
            .iter()
            .copied()
            .filter(|literal| self.value(*literal) != Some(false))
            .collect();
        clause.sort_unstable();
        clause.dedup();
        let is_true = |literal: &Literal| self.value(*literal) == Some(true);
        if clause.iter().any(is_true) || clause.windows(2).any(|pair| pair[0].negated() == pair[1])
        {
            return;
        }
        match clause.as_slice() {
            [] => self.contradictory = true,
            [literal] => self.set(*literal, None),
            _ => {
                self.clauses.add(&clause);
            }
        }
    }

    /// Looks for values under which the assumptions are true, with at most so many branches for the sake of integers.
    pub(super) fn solve(&mut self, assumptions: &[Literal], branches: u32) -> Outcome {
        self.back_to(0);
        self.branches = branches;
        let (mut conflicts, mut patience) = (0_u32, 100_u32);
        loop {
            if self.contradictory {
                return Outcome::Contradiction;
            }
            match self.draw_consequences().and_then(|()| self.step(assumptions)) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(Stop::Budget) => return Outcome::Budget,
                Err(Stop::Conflict(literals)) => {
                    self.learn(literals);
                    conflicts += 1;
                    if conflicts == patience {
                        conflicts = 0;
                        patience += patience / 2;
                        self.back_to(0);
                    }
                }
            }
        }
    }

    pub(super) fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value != literal.is_negative())
    }

    /// Decides one literal, when all consequences are drawn; or finds that there is nothing left to decide.
    fn step(&mut self, assumptions: &[Literal]) -> Result<Option<Outcome>, Stop> {
        if !self.budget.spend(4) {
            return Err(Stop::Budget);
        }
        if let Some(assumption) = assumptions.get(self.starts.len()) {
            match self.value(*assumption) {
                Some(false) => return Ok(Some(Outcome::Contradiction)),
                // A level of its own, so that the next assumption is found by the number of levels.
                Some(true) => self.starts.push((self.trail.len(), self.simplex.mark())),
                None => self.decide(*assumption),
            }
            return Ok(None);
        }
        let values = &self.values;
        if let Some(variable) = self.order.next(|variable| values[variable].is_some()) {
            let literal = Literal::positive(variable as u32);
            let positive = match &self.bounds[variable] {
                Some((bounded, bound)) => self.simplex.value(*bounded) <= bound,
                None => self.phases[variable],
            };
            self.decide(if positive { literal } else { literal.negated() });
            return Ok(None);
        }
        if let Some(literals) = integer::conflict(&self.simplex, &mut self.budget) {
            return Err(Stop::Conflict(literals));
        }
        let Some(variable) = integer::fractional(&self.simplex) else {
            return Ok(Some(Outcome::Satisfied));
        };
        if self.branches == 0 {
            return Ok(Some(Outcome::Tired));
        }
        self.branches -= 1;
        let variable = match face::fractional_sum(&self.simplex, &mut self.budget) {
            Some(parts) => self.sum(parts),
            None => variable,
        };
        self.branch(variable);
        Ok(None)
    }

    /// Decides whether a variable that is no integer is to be less or more.
    fn branch(&mut self, variable: Variable) {
        let value = self.simplex.value(variable);
        let floor = value.floor();
        let part = value.minus(&floor);
        let upward = part > Rational::ONE.minus(&part);
        let below = self.at_most(variable, floor);
        if self.value(below).is_none() {
            self.decide(if upward { below.negated() } else { below });
        }
    }

    fn sum(&mut self, parts: Vec<(Variable, Rational)>) -> Variable {
        match (parts.as_slice(), self.sums.get(&parts)) {
            ([(variable, by)], _) if *by == Rational::ONE => *variable,
            (_, Some(variable)) => *variable,
            _ => {
                let variable = self.simplex.sum(&parts, &mut self.budget);
                self.sums.insert(parts, variable);
                variable
            }
        }
    }

    /// A literal under which no variable is further from zero than `size`.
    pub(super) fn near_zero(&mut self, size: i64) -> Literal {
        self.back_to(0);
        let near = self.literal();
        for variable in self.simplex.variables() {
            if self.simplex.is_sum(variable) {
                continue;
            }
            let at_most = self.at_most(variable, Rational::Small(size, 1));
            let less = self.at_most(variable, Rational::Small(-size - 1, 1));
            self.add_clause(&[near.negated(), at_most]);
            self.add_clause(&[near.negated(), less.negated()]);
        }
        near
    }

    fn decide(&mut self, literal: Literal) {
        self.starts.push((self.trail.len(), self.simplex.mark()));
        self.set(literal, None);
    }

    fn set(&mut self, literal: Literal, reason: Option<u32>) {
        let variable = literal.variable();
        self.values[variable] = Some(!literal.is_negative());
        self.phases[variable] = !literal.is_negative();
        self.levels[variable] = self.starts.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    fn back_to(&mut self, level: usize) {
        let Some((start, mark)) = self.starts.get(level).copied() else { return };
        for literal in self.trail.drain(start..) {
            self.values[literal.variable()] = None;
            self.order.unassigned(literal.variable());
        }
        self.drawn = self.drawn.min(start);
        self.simplex.undo(mark);
        self.starts.truncate(level);
    }

    /// A clause of two literals, that can be added at any time.
    fn add_implication(&mut self, from: Literal, to: Literal) {
        let clause = self.clauses.add(&[from.negated(), to]);
        match (self.value(from), self.value(to)) {
            (Some(true), None) => self.set(to, Some(clause)),
            (None, Some(false)) => self.set(from.negated(), Some(clause)),
            _ => {}
        }
    }

    fn draw_consequences(&mut self) -> Result<(), Stop> {
        while let Some(literal) = self.trail.get(self.drawn).copied() {
            self.drawn += 1;
            self.draw_from_clauses(literal)?;
            if let Some((variable, bound)) = self.bounds[literal.variable()].clone() {
                if literal.is_negative() {
                    let bound = Bound { value: bound.plus(&Rational::ONE), literal };
                    self.simplex.at_least(variable, bound, &mut self.budget)?;
                } else {
                    self.simplex.at_most(
                        variable,
                        Bound { value: bound, literal },
                        &mut self.budget,
                    )?;
                }
            }
        }
        self.simplex.check(&mut self.budget)
    }

    /// Visits the clauses that watch the opposite of a literal that became true.
    fn draw_from_clauses(&mut self, literal: Literal) -> Result<(), Stop> {
        let falsified = literal.negated();
        let mut watching = self.clauses.take_watching(falsified);
        let (mut kept, mut at) = (0, 0);
        let mut result = Ok(());
        if !self.budget.spend(1 + watching.len() as u64) {
            result = Err(Stop::Budget);
        }
        while at < watching.len() && result.is_ok() {
            let clause = watching[at];
            at += 1;
            if self.watched_elsewhere(clause, falsified) {
                continue;
            }
            watching[kept] = clause;
            kept += 1;
            let first = self.clauses.literals(clause)[0];
            match self.value(first) {
                Some(true) => {}
                None => self.set(first, Some(clause)),
                Some(false) => {
                    let literals =
                        self.clauses.literals(clause).iter().map(|literal| literal.negated());
                    result = Err(Stop::Conflict(literals.collect()));
                }
            }
        }
        watching.copy_within(at.., kept);
        watching.truncate(kept + watching.len() - at);
        self.clauses.give_back(falsified, watching);
        result
    }

    /// Whether the clause found another literal to watch. If not, the other watched one is its first.
    fn watched_elsewhere(&mut self, clause: u32, falsified: Literal) -> bool {
        let literals = self.clauses.literals_mut(clause);
        if literals[0] == falsified {
            literals.swap(0, 1);
        }
        let values = &self.values;
        let is_false = |literal: Literal| values[literal.variable()] == Some(literal.is_negative());
        if values[literals[0].variable()] == Some(!literals[0].is_negative()) {
            return false;
        }
        let Some(other) = literals[2..].iter().position(|literal| !is_false(*literal)) else {
            return false;
        };
        literals.swap(1, other + 2);
        let watched = literals[1];
        self.clauses.watch(watched, clause);
        true
    }

    /// Makes a clause of literals that are true and contradict each other, and goes back to where it has a consequence.
    fn learn(&mut self, conflict: Vec<Literal>) {
        let level =
            conflict.iter().map(|literal| self.levels[literal.variable()]).max().unwrap_or(0);
        if level == 0 {
            self.contradictory = true;
            return;
        }
        self.back_to(level as usize);
        let mut clause = self.clause_of(conflict, level);
        let latest = (1..clause.len()).max_by_key(|at| self.levels[clause[*at].variable()]);
        let Some(latest) = latest else {
            self.back_to(0);
            self.set(clause[0], None);
            return;
        };
        clause.swap(1, latest);
        self.back_to(self.levels[clause[1].variable()] as usize);
        let reason = self.clauses.add(&clause);
        self.set(clause[0], Some(reason));
    }

    /// Resolves the conflict until only one literal of its last level is left, which comes first.
    fn clause_of(&mut self, conflict: Vec<Literal>, level: u32) -> Vec<Literal> {
        let mut clause = Vec::new();
        let mut open = 0;
        let mut visited = Vec::new();
        let mut literals = conflict;
        let mut at = self.trail.len();
        let last = loop {
            self.budget.spend(literals.len() as u64);
            for literal in &literals {
                let variable = literal.variable();
                if self.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                visited.push(variable);
                self.order.bump(variable, self.values[variable].is_some());
                if self.levels[variable] == level {
                    open += 1;
                } else {
                    clause.push(literal.negated());
                }
            }
            let found = self.trail[..at].iter().rposition(|literal| {
                self.seen[literal.variable()] && self.levels[literal.variable()] == level
            });
            at = found.expect("a conflict has literals of its own level");
            let literal = self.trail[at];
            open -= 1;
            if open == 0 {
                break literal;
            }
            let reason = self.reasons[literal.variable()]
                .expect("the decision of a level is its first literal");
            let because = self.clauses.literals(reason).iter().filter(|other| **other != literal);
            literals = because.map(|other| other.negated()).collect();
        };
        for variable in visited {
            self.seen[variable] = false;
        }
        clause.insert(0, last.negated());
        clause
    }
}
