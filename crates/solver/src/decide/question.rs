//! One question: the search, and what the arithmetic does not know, told to it as soon as it matters.
//!
//! The search takes applications and products for unknowns. Where the values that it finds give one function two results
//! for the same arguments, or a product a value that is not the product, clauses are added that rule this out, and it goes
//! on. So only what matters is ever said.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::clause::Literal;
use super::encode::Encoder;
use super::meaning;
use super::search::SearchStatus;
use super::{Budget, UnknownReason};
use crate::model::{Evaluation, Model, Value};
use crate::term::{Node, Sort, Term, Terms};

/// How often products may be told more about. Without an end, there would always be more to tell.
const MAX_PRODUCT_ROUNDS: u32 = 24;

/// How often the search branches before it looks near zero, how near that is, and how often it branches there.
const FIRST_BRANCHES: u32 = 24;
const NEARBY: [(i64, u32); 2] = [(12, 100), (500, 200)];

pub(super) enum Answer {
    Possible(Model),
    Impossible,
    Unclear(UnknownReason),
}

pub(super) struct SatQuery<'a> {
    encoder: Encoder<'a>,
    facts: Vec<Term>,
    product_rounds: u32,
}

impl<'a> SatQuery<'a> {
    pub(super) fn new(terms: &'a mut Terms, budget: Budget) -> SatQuery<'a> {
        SatQuery { encoder: Encoder::new(terms, budget), facts: Vec::new(), product_rounds: 0 }
    }

    pub(super) fn assume(&mut self, fact: Term) {
        self.facts.push(fact);
        self.encoder.assert(fact);
    }

    pub(super) fn literal(&mut self, term: Term) -> Literal {
        self.encoder.encode(term)
    }

    pub(super) fn terms(&mut self) -> &mut Terms {
        self.encoder.terms
    }

    /// Whether all facts and the wish are true under the model.
    pub(super) fn confirms(&self, model: &Model, wish: Term) -> bool {
        let mut evaluation = Evaluation::of_model(self.encoder.terms, model);
        self.facts
            .iter()
            .chain([&wish])
            .all(|term| evaluation.value(*term) == Some(Value::Bool(true)))
    }

    /// Whether the facts and the literal can be true together.
    pub(super) fn ask(&mut self, wish: Literal) -> Answer {
        loop {
            match self.solve(wish) {
                SearchStatus::Unsatisfiable => return Answer::Impossible,
                SearchStatus::OutOfBudget | SearchStatus::BranchLimit => {
                    return Answer::Unclear(UnknownReason::Budget);
                }
                SearchStatus::Satisfiable => {}
            }
            if !self.encoder.search.budget.spend(self.encoder.encoded.len() as u64) {
                return Answer::Unclear(UnknownReason::Budget);
            }
            let values = self.values();
            let clauses = self.violated(&values);
            match clauses {
                None => return Answer::Unclear(UnknownReason::Incomplete),
                Some(clauses) if clauses.is_empty() => {
                    let given = values.into_iter().filter(|(term, _)| self.is_given(*term));
                    return Answer::Possible(Model::new(self.encoder.terms, given));
                }
                Some(clauses) => {
                    clauses.into_iter().for_each(|clause| self.encoder.assert_clause(clause))
                }
            }
        }
    }

    /// Integers without bounds can keep the search branching for ever where there are solutions nearby. So when it gets
    /// tired, it looks near zero, and goes on everywhere only if nothing is there.
    fn solve(&mut self, wish: Literal) -> SearchStatus {
        let search = &mut self.encoder.search;
        let mut outcome = search.solve(&[wish], FIRST_BRANCHES);
        for (size, branches) in NEARBY {
            if outcome != SearchStatus::BranchLimit {
                return outcome;
            }
            let near = search.near_zero(size);
            outcome = search.solve(&[wish, near], branches);
            if matches!(outcome, SearchStatus::Unsatisfiable | SearchStatus::BranchLimit) {
                search.add_clause(&[near.negated()]);
                outcome = SearchStatus::BranchLimit;
            }
        }
        if outcome == SearchStatus::BranchLimit { search.solve(&[wish], u32::MAX) } else { outcome }
    }

    /// Whether a model says what the term is: it does not follow from other values.
    fn is_given(&self, term: Term) -> bool {
        match self.encoder.terms.node(term) {
            Node::Atom(..) | Node::Apply(..) => true,
            // By zero it may be anything.
            Node::Div(_, by) | Node::Rem(_, by) => {
                !matches!(self.encoder.terms.node(*by), Node::Int(_))
            }
            _ => false,
        }
    }

    /// The values that the search found for all terms that are unknowns to it.
    fn values(&self) -> BTreeMap<Term, Value> {
        let mut names = Names::new(self.encoder.terms, &self.encoder.encoded);
        let mut values = BTreeMap::new();
        for term in &self.encoder.encoded {
            if let Some(variable) = self.encoder.variable_of(*term) {
                let number = self.encoder.search.simplex.value(variable).numerator();
                let is_int = self.encoder.terms.sort(*term) == Sort::Int;
                values.insert(*term, if is_int { Value::Int(number) } else { names.value(number) });
            } else if let Some(literal) = self.encoder.literal_of(*term) {
                values.insert(*term, Value::Bool(self.encoder.search.value(literal) == Some(true)));
            }
        }
        values
    }

    /// Clauses that hold and that the values violate. Nothing if there is no end of them.
    fn violated(&mut self, values: &BTreeMap<Term, Value>) -> Option<Vec<Vec<Term>>> {
        let products = self.violated_products(values)?;
        if !products.is_empty() {
            self.product_rounds += 1;
            if self.product_rounds > MAX_PRODUCT_ROUNDS {
                return None;
            }
            let mut clauses = Vec::new();
            for (product, x, y, a, b) in products {
                if self.product_rounds == 1 {
                    for corner in [0, 1] {
                        let corner = BigInt::from(corner);
                        clauses.extend(meaning::of_product(
                            self.encoder.terms,
                            product,
                            x,
                            y,
                            &corner,
                            &corner,
                        ));
                    }
                }
                clauses.extend(meaning::of_product(self.encoder.terms, product, x, y, &a, &b));
            }
            return Some(clauses);
        }
        self.violated_functions(values)
    }

    #[expect(clippy::type_complexity, reason = "a list for one caller")]
    fn violated_products(
        &mut self,
        values: &BTreeMap<Term, Value>,
    ) -> Option<Vec<(Term, Term, Term, BigInt, BigInt)>> {
        let mut violated = Vec::new();
        for product in self.encoder.encoded.clone() {
            let Node::Product(factors) = self.encoder.terms.node(product).clone() else { continue };
            let [x, rest @ ..] = &*factors else { continue };
            let mut evaluation = Evaluation::new(self.encoder.terms, values);
            if evaluation.value(product)? == *values.get(&product)? {
                continue;
            }
            let mut y = rest.first().copied()?;
            for factor in &rest[1..] {
                y = self.encoder.terms.mul(y, *factor);
            }
            let mut evaluation = Evaluation::new(self.encoder.terms, values);
            let (Value::Int(a), Value::Int(b)) = (evaluation.value(*x)?, evaluation.value(y)?)
            else {
                return None;
            };
            violated.push((product, *x, y, a, b));
        }
        Some(violated)
    }

    /// For every two applications of one function to the same arguments that differ: that they do not.
    fn violated_functions(&mut self, values: &BTreeMap<Term, Value>) -> Option<Vec<Vec<Term>>> {
        let mut seen: BTreeMap<(Function, Vec<Value>), Term> = BTreeMap::new();
        let mut pairs = Vec::new();
        let mut evaluation = Evaluation::new(self.encoder.terms, values);
        for term in &self.encoder.encoded {
            let (function, args) = match self.encoder.terms.node(*term) {
                Node::Apply(function, args, sort) => {
                    (Function::Named(*function, args.len(), *sort), args.to_vec())
                }
                Node::Div(a, b) => (Function::Div, vec![*a, *b]),
                Node::Rem(a, b) => (Function::Rem, vec![*a, *b]),
                _ => continue,
            };
            let args: Vec<Value> =
                args.into_iter().map(|arg| evaluation.value(arg)).collect::<Option<_>>()?;
            match seen.entry((function, args)) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(*term);
                }
                std::collections::btree_map::Entry::Occupied(other) => {
                    if values.get(other.get()) != values.get(term) {
                        pairs.push((*other.get(), *term));
                    }
                }
            }
        }
        let terms = &mut *self.encoder.terms;
        let congruence = |(a, b): (Term, Term)| {
            let mut clause = vec![terms.eq(a, b)];
            for (x, y) in terms.parts(a).into_iter().zip(terms.parts(b)) {
                clause.push(terms.ne(x, y));
            }
            clause
        };
        Some(pairs.into_iter().map(congruence).collect())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Function {
    Named(u32, usize, Sort),
    Div,
    Rem,
}

/// Values of the sort `Other` for the integers that stand for them.
struct Names {
    constants: BTreeSet<u32>,
    given: BTreeMap<BigInt, u32>,
    next: u32,
}

impl Names {
    fn new(terms: &Terms, encoded: &[Term]) -> Names {
        let constants = encoded.iter().filter_map(|term| match terms.node(*term) {
            Node::Constant(number) => Some(*number),
            _ => None,
        });
        let constants: BTreeSet<u32> = constants.collect();
        let given = constants.iter().map(|number| (BigInt::from(*number), *number)).collect();
        Names { constants, given, next: u32::MAX }
    }

    fn value(&mut self, number: BigInt) -> Value {
        if let Some(name) = self.given.get(&number) {
            return Value::Other(*name);
        }
        while self.constants.contains(&self.next) {
            self.next = self.next.wrapping_sub(1);
        }
        self.given.insert(number, self.next);
        let name = self.next;
        self.next = self.next.wrapping_sub(1);
        Value::Other(name)
    }
}
