//! Conflict-driven clause learning over linear integer arithmetic: CDCL(T) with lazy theory propagation.
//!
//! The Boolean part is that of GRASP (Marques-Silva and Sakallah, 1999) with Chaff's watched literals (Moskewicz et al.,
//! 2001): [`CdclSearch::propagate`] draws the consequences of every assigned literal, a conflict is resolved backwards along
//! the trail to its first unique implication point, the learned clause is added, and the search backjumps to the level at
//! which that clause is unit. Restarts are geometric, phases are saved (Pipatsrisawat and Darwiche, 2007).
//!
//! The theory is the simplex tableau of [`simplex`](super::simplex) for the rationals, with branch and bound (Land and
//! Doig, 1960) on top: where all literals are assigned and a variable has the value 5/2, the literal `x <= 2` is made and
//! decided, so that a branch is a decision like any other and is learned from like any other.
//!
//! A bound literal says that a variable of the arithmetic is at most a number; its negation says that it is at least the
//! next one, for all variables are integers. Between two bounds of one variable the implication is a clause.
//!
//! An example. The facts `x + y <= 3` and `x >= 2`, and the negated goal `y >= 2`: the tableau gets the row `s = x + y`,
//! and the literals `p: s <= 3`, `q: x <= 1` and `r: y <= 1` are made. The unit clauses `p`, `not q` and `not r` are
//! assigned at level 0. Propagation gives the bounds `s <= 3`, `x >= 2` and `y >= 2` to the simplex, whose check finds that
//! the row cannot follow: the explanation `{p, not q, not r}` is a conflict at level 0. No values exist, and the goal
//! `y <= 1` is discharged.

use std::collections::BTreeMap;

use super::Budget;
use super::clause::{Clauses, Literal};
use super::face;
use super::integer;
use super::order::Order;
use super::simplex::{Bound, Halt, Simplex, Variable};
use crate::rational::Rational;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchStatus {
    /// All literals have values, all variables integers, and no clause and no bound is violated.
    Satisfiable,
    Unsatisfiable,
    /// It had to branch more often than it may.
    BranchLimit,
    OutOfBudget,
}

pub(super) struct CdclSearch {
    pub(super) simplex: Simplex,
    pub(super) budget: Budget,
    clauses: Clauses,
    order: Order,
    values: Vec<Option<bool>>,
    /// What the variable was last: the saved phase.
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
    /// Where each level decisions on the trail, and the mark of the arithmetic there.
    decisions: Vec<(usize, usize)>,
    /// How much of the trail has had its consequences propagated.
    propagated: usize,
    branches: u32,
    is_unsatisfiable: bool,
}

impl CdclSearch {
    pub(super) fn new(budget: Budget) -> CdclSearch {
        CdclSearch {
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
            decisions: Vec::new(),
            propagated: 0,
            branches: 0,
            is_unsatisfiable: false,
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
        self.backjump(0);
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
            [] => self.is_unsatisfiable = true,
            [literal] => self.assign(*literal, None),
            _ => {
                self.clauses.add(&clause);
            }
        }
    }

    /// Looks for values under which the assumptions are true, with at most so many branches for the sake of integers.
    pub(super) fn solve(&mut self, assumptions: &[Literal], branches: u32) -> SearchStatus {
        self.backjump(0);
        self.branches = branches;
        let (mut conflicts, mut restart_after) = (0_u32, 100_u32);
        loop {
            if self.is_unsatisfiable {
                return SearchStatus::Unsatisfiable;
            }
            match self.propagate().and_then(|()| self.step(assumptions)) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(Halt::OutOfBudget) => return SearchStatus::OutOfBudget,
                Err(Halt::Conflict(literals)) => {
                    self.learn(literals);
                    conflicts += 1;
                    if conflicts == restart_after {
                        conflicts = 0;
                        restart_after += restart_after / 2;
                        self.backjump(0);
                    }
                }
            }
        }
    }

    pub(super) fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value != literal.is_negative())
    }

    /// Decides one literal, when all consequences are propagated; or finds that there is nothing left to decide.
    fn step(&mut self, assumptions: &[Literal]) -> Result<Option<SearchStatus>, Halt> {
        if !self.budget.spend(4) {
            return Err(Halt::OutOfBudget);
        }
        if let Some(assumption) = assumptions.get(self.decisions.len()) {
            match self.value(*assumption) {
                Some(false) => return Ok(Some(SearchStatus::Unsatisfiable)),
                // A level of its own, so that the next assumption is found by the number of levels.
                Some(true) => self.decisions.push((self.trail.len(), self.simplex.mark())),
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
            return Err(Halt::Conflict(literals));
        }
        let Some(variable) = integer::fractional(&self.simplex) else {
            return Ok(Some(SearchStatus::Satisfiable));
        };
        if self.branches == 0 {
            return Ok(Some(SearchStatus::BranchLimit));
        }
        self.branches -= 1;
        let variable = match face::fractional_sum(&self.simplex, &mut self.budget) {
            Some(parts) => self.sum(parts),
            None => variable,
        };
        self.branch(variable);
        Ok(None)
    }

    /// Decides whether a variable that is not an integer is to be less or more.
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
        self.backjump(0);
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
        self.decisions.push((self.trail.len(), self.simplex.mark()));
        self.assign(literal, None);
    }

    fn assign(&mut self, literal: Literal, reason: Option<u32>) {
        let variable = literal.variable();
        self.values[variable] = Some(!literal.is_negative());
        self.phases[variable] = !literal.is_negative();
        self.levels[variable] = self.decisions.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    fn backjump(&mut self, level: usize) {
        let Some((start, mark)) = self.decisions.get(level).copied() else { return };
        for literal in self.trail.drain(start..) {
            self.values[literal.variable()] = None;
            self.order.unassigned(literal.variable());
        }
        self.propagated = self.propagated.min(start);
        self.simplex.undo(mark);
        self.decisions.truncate(level);
    }

    /// A clause of two literals, that can be added at any time.
    fn add_implication(&mut self, from: Literal, to: Literal) {
        let clause = self.clauses.add(&[from.negated(), to]);
        match (self.value(from), self.value(to)) {
            (Some(true), None) => self.assign(to, Some(clause)),
            (None, Some(false)) => self.assign(from.negated(), Some(clause)),
            _ => {}
        }
    }

    fn propagate(&mut self) -> Result<(), Halt> {
        while let Some(literal) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            self.propagate_clauses(literal)?;
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

    /// Unit propagation: visits the clauses that watch the negation of a literal that became true.
    fn propagate_clauses(&mut self, literal: Literal) -> Result<(), Halt> {
        let falsified = literal.negated();
        let mut watching = self.clauses.take_watching(falsified);
        let (mut kept, mut at) = (0, 0);
        let mut result = Ok(());
        if !self.budget.spend(1 + watching.len() as u64) {
            result = Err(Halt::OutOfBudget);
        }
        while at < watching.len() && result.is_ok() {
            let clause = watching[at];
            at += 1;
            if self.found_new_watch(clause, falsified) {
                continue;
            }
            watching[kept] = clause;
            kept += 1;
            let first = self.clauses.literals(clause)[0];
            match self.value(first) {
                Some(true) => {}
                None => self.assign(first, Some(clause)),
                Some(false) => {
                    let literals =
                        self.clauses.literals(clause).iter().map(|literal| literal.negated());
                    result = Err(Halt::Conflict(literals.collect()));
                }
            }
        }
        watching.copy_within(at.., kept);
        watching.truncate(kept + watching.len() - at);
        self.clauses.give_back(falsified, watching);
        result
    }

    /// Whether the clause found another literal to watch. If not, the other watched one is its first.
    fn found_new_watch(&mut self, clause: u32, falsified: Literal) -> bool {
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

    /// Learns a clause from literals that are true and contradict each other, and backjumps to where it is unit.
    fn learn(&mut self, conflict: Vec<Literal>) {
        let level =
            conflict.iter().map(|literal| self.levels[literal.variable()]).max().unwrap_or(0);
        if level == 0 {
            self.is_unsatisfiable = true;
            return;
        }
        self.backjump(level as usize);
        let mut clause = self.first_uip(conflict, level);
        let latest = (1..clause.len()).max_by_key(|at| self.levels[clause[*at].variable()]);
        let Some(latest) = latest else {
            self.backjump(0);
            self.assign(clause[0], None);
            return;
        };
        clause.swap(1, latest);
        self.backjump(self.levels[clause[1].variable()] as usize);
        let reason = self.clauses.add(&clause);
        self.assign(clause[0], Some(reason));
    }

    /// Resolves the conflict along the trail until one literal of its level is left, the first unique implication point.
    /// Its negation comes first in the clause.
    fn first_uip(&mut self, conflict: Vec<Literal>, level: u32) -> Vec<Literal> {
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
