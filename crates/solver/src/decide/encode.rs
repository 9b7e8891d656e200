//! From terms to literals, clauses, variables and rows.
//!
//! Every boolean term gets a literal, every other one that is not a sum a variable of the arithmetic. Terms of the sort
//! `Other` are integers too: there are endlessly many of both, and equality is all that is asked. What a choice, a quotient
//! or a remainder means is said by clauses of terms, which are encoded like facts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Budget;
use super::clause::Literal;
use super::search::CdclSearch;
use super::simplex::Variable;
use crate::rational::Rational;
use crate::term::{Node, Sort, Term, Terms};

pub(super) struct Encoder<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) search: CdclSearch,
    literals: FxHashMap<Term, Literal>,
    variables: FxHashMap<Term, Variable>,
    /// The sums that are a part of other sums, or of a comparison: their variable, and the number to add to it.
    sums: FxHashMap<Term, (Option<Variable>, Rational)>,
    /// The variables of differences between terms of the sort `Other`.
    differences: FxHashMap<(Term, Term), Variable>,
    known: FxHashSet<Term>,
    /// Clauses of terms that are yet to be encoded.
    pending: Vec<Vec<Term>>,
    /// All terms that are encoded, in the order in which they were.
    pub(super) encoded: Vec<Term>,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(terms: &'a mut Terms, budget: Budget) -> Encoder<'a> {
        Encoder {
            terms,
            search: CdclSearch::new(budget),
            literals: FxHashMap::default(),
            variables: FxHashMap::default(),
            sums: FxHashMap::default(),
            differences: FxHashMap::default(),
            known: FxHashSet::default(),
            pending: Vec::new(),
            encoded: Vec::new(),
        }
    }

    /// The term is true from here on.
    pub(super) fn assert(&mut self, fact: Term) {
        let mut open = vec![fact];
        while let Some(fact) = open.pop() {
            match self.terms.node(fact) {
                Node::And(parts) => open.extend(parts.iter().copied()),
                Node::Or(parts) => self.pending.push(parts.to_vec()),
                Node::Not(inner) => match self.terms.node(*inner).clone() {
                    Node::Or(parts) => open.extend(parts.iter().map(|part| self.terms.not(*part))),
                    Node::And(parts) => {
                        let opposites = parts.iter().map(|part| self.terms.not(*part)).collect();
                        self.pending.push(opposites);
                    }
                    _ => self.pending.push(vec![fact]),
                },
                _ => self.pending.push(vec![fact]),
            }
        }
        self.encode_pending();
    }

    /// At least one of the terms is true from here on.
    pub(super) fn assert_clause(&mut self, clause: Vec<Term>) {
        self.pending.push(clause);
        self.encode_pending();
    }

    /// The literal of a boolean term.
    pub(super) fn encode(&mut self, term: Term) -> Literal {
        self.require(term);
        self.encode_pending();
        self.literal(term)
    }

    pub(super) fn variable_of(&self, term: Term) -> Option<Variable> {
        self.variables.get(&term).copied()
    }

    pub(super) fn literal_of(&self, term: Term) -> Option<Literal> {
        self.literals.get(&term).copied()
    }

    fn encode_pending(&mut self) {
        while let Some(clause) = self.pending.pop() {
            for term in &clause {
                self.require(*term);
            }
            let literals: Vec<Literal> = clause.iter().map(|term| self.literal(*term)).collect();
            self.search.add_clause(&literals);
        }
    }

    /// Encodes what the term is made of and the term, oldest first.
    fn require(&mut self, term: Term) {
        let mut open = vec![term];
        let mut new = Vec::new();
        while let Some(term) = open.pop() {
            if self.known.insert(term) {
                new.push(term);
                open.extend(self.terms.parts(term));
            }
        }
        new.sort_unstable();
        for term in new {
            self.search.budget.spend(4);
            if self.search.budget.is_spent() {
                return;
            }
            self.encode_one(term);
            self.encoded.push(term);
        }
    }

    /// The literal of a term whose parts are encoded.
    fn literal(&mut self, term: Term) -> Literal {
        if let Node::Not(inner) = *self.terms.node(term) {
            return self.literal(inner).negated();
        }
        match self.literals.get(&term) {
            Some(literal) => *literal,
            // Only when the budget ran out on the way, and then nothing is concluded from it.
            None => self.new_literal(term),
        }
    }

    fn new_literal(&mut self, term: Term) -> Literal {
        let literal = self.search.literal();
        self.literals.insert(term, literal);
        literal
    }

    fn encode_one(&mut self, term: Term) {
        match self.terms.node(term).clone() {
            Node::Bool(value) => {
                let literal = self.new_literal(term);
                self.search.add_clause(&[if value { literal } else { literal.negated() }]);
            }
            Node::Atom(_, Sort::Bool) | Node::Apply(_, _, Sort::Bool) => {
                self.new_literal(term);
            }
            Node::Not(_) | Node::Int(_) | Node::Constant(_) => {}
            Node::Atom(..) | Node::Apply(..) | Node::Product(_) => {
                self.variable(term);
            }
            Node::And(parts) => self.encode_junction(term, &parts, true),
            Node::Or(parts) => self.encode_junction(term, &parts, false),
            Node::Sum(linear) => {
                for (part, _) in &linear.parts {
                    if matches!(self.terms.node(*part), Node::Sum(_)) {
                        self.sum(*part);
                    }
                }
            }
            Node::Le(left, right) => {
                let literal = self.at_most(left, right, &Rational::ZERO);
                self.literals.insert(term, literal);
            }
            Node::Eq(left, right) if self.terms.sort(left) == Sort::Bool => {
                self.encode_iff(term, left, right)
            }
            Node::Eq(left, right) => self.encode_eq(term, left, right),
            Node::Ite(condition, a, b) if self.terms.sort(term) == Sort::Bool => {
                let (t, c) = (self.new_literal(term), self.literal(condition));
                let (a, b) = (self.literal(a), self.literal(b));
                self.search.add_clause(&[c.negated(), a.negated(), t]);
                self.search.add_clause(&[c.negated(), a, t.negated()]);
                self.search.add_clause(&[c, b.negated(), t]);
                self.search.add_clause(&[c, b, t.negated()]);
            }
            Node::Ite(condition, a, b) => {
                self.variable(term);
                let without = self.terms.not(condition);
                for (unless, branch) in [(without, a), (condition, b)] {
                    let same = match self.terms.sort(term) {
                        // Two bounds, where an equation would ask to be decided also when the other branch is taken.
                        Sort::Int => vec![self.terms.le(term, branch), self.terms.ge(term, branch)],
                        _ => vec![self.terms.eq(term, branch)],
                    };
                    self.pending.extend(same.into_iter().map(|same| vec![unless, same]));
                }
            }
            Node::Div(a, b) | Node::Rem(a, b) => {
                self.variable(term);
                let meaning = super::meaning::of_division(self.terms, a, b);
                self.pending.extend(meaning);
            }
        }
    }

    fn encode_junction(&mut self, term: Term, parts: &[Term], all: bool) {
        let whole = self.new_literal(term);
        let whole = if all { whole } else { whole.negated() };
        let mut clause = vec![whole];
        for part in parts {
            let part = self.literal(*part);
            let part = if all { part } else { part.negated() };
            self.search.add_clause(&[whole.negated(), part]);
            clause.push(part.negated());
        }
        self.search.add_clause(&clause);
    }

    fn encode_iff(&mut self, term: Term, left: Term, right: Term) {
        let (t, a, b) = (self.new_literal(term), self.literal(left), self.literal(right));
        self.search.add_clause(&[t.negated(), a.negated(), b]);
        self.search.add_clause(&[t.negated(), a, b.negated()]);
        self.search.add_clause(&[t, a, b]);
        self.search.add_clause(&[t, a.negated(), b.negated()]);
    }

    /// Equal is at most and not less.
    fn encode_eq(&mut self, term: Term, left: Term, right: Term) {
        let equal = self.new_literal(term);
        let at_most = self.at_most(left, right, &Rational::ZERO);
        let less = self.at_most(left, right, &Rational::ONE);
        self.search.add_clause(&[equal.negated(), at_most]);
        self.search.add_clause(&[equal.negated(), less.negated()]);
        self.search.add_clause(&[equal, at_most.negated(), less]);
    }

    /// The literal that says `left + by <= right`.
    fn at_most(&mut self, left: Term, right: Term, by: &Rational) -> Literal {
        let mut parts = Vec::new();
        let constant = self.add_parts(&mut parts, left, &Rational::ONE);
        let constant = constant.plus(&self.add_parts(&mut parts, right, &Rational::ONE.negated()));
        let bound = constant.plus(by).negated();
        let variable = match parts.as_slice() {
            [] => {
                // Two constants, one of them a number that is too long to fold.
                let literal = self.search.literal();
                let holds = Rational::ZERO <= bound;
                self.search.add_clause(&[if holds { literal } else { literal.negated() }]);
                return literal;
            }
            [(variable, factor)] if *factor == Rational::ONE => *variable,
            _ => match self.differences.get(&(left, right)) {
                Some(variable) => *variable,
                None => {
                    let variable = self.search.simplex.sum(&parts, &mut self.search.budget);
                    self.differences.insert((left, right), variable);
                    variable
                }
            },
        };
        self.search.at_most(variable, bound)
    }

    /// Adds the parts of `by * term`, and returns the number to add to them.
    fn add_parts(
        &mut self,
        parts: &mut Vec<(Variable, Rational)>,
        term: Term,
        by: &Rational,
    ) -> Rational {
        match self.terms.node(term) {
            Node::Int(value) => by.times(&Rational::of_int(value)),
            Node::Constant(number) => by.times(&Rational::of_int(&(*number).into())),
            Node::Sum(_) => {
                let (variable, constant) = self.sum(term);
                parts.extend(variable.map(|variable| (variable, by.clone())));
                by.times(&constant)
            }
            _ => {
                parts.push((self.variable(term), by.clone()));
                Rational::ZERO
            }
        }
    }

    /// The variable of a sum without its number, and the number. Sums that are parts of it are encoded already.
    fn sum(&mut self, term: Term) -> (Option<Variable>, Rational) {
        if let Some(sum) = self.sums.get(&term) {
            return sum.clone();
        }
        let linear = self.terms.linear(term);
        let mut constant = Rational::of_int(&linear.constant);
        let mut parts: Vec<(Variable, Rational)> = Vec::new();
        for (part, by) in &linear.parts {
            let by = Rational::of_int(by);
            constant = constant.plus(&self.add_parts(&mut parts, *part, &by));
        }
        let variable = match parts.as_slice() {
            [] => None,
            [(variable, by)] if *by == Rational::ONE => Some(*variable),
            _ => Some(self.search.simplex.sum(&parts, &mut self.search.budget)),
        };
        self.sums.insert(term, (variable, constant.clone()));
        (variable, constant)
    }

    fn variable(&mut self, term: Term) -> Variable {
        if let Some(variable) = self.variables.get(&term) {
            return *variable;
        }
        let variable = self.search.simplex.variable();
        self.variables.insert(term, variable);
        variable
    }
}
