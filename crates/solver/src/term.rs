//! Terms: every term stands once, so that what is shared costs nothing.
//!
//! Building a term brings it into normal form: sums are linear forms, products are distributed, comparisons have their
//! unknowns on the left and a number on the right, constants are folded. So things that are the same up to arithmetic are
//! mostly the same term, and a goal that is true for everybody is the term `true`.
//!
//! Normal forms are kept small: what would grow beyond the limits below stays a nested term, which means the same and only
//! shares less. So building costs about the same for every step, whatever was built before.

mod arithmetic;
mod linear;
mod logic;

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use num_bigint::BigInt;
use rustc_hash::FxHasher;

pub(crate) use linear::{Linear, gcd};

/// The most parts of a sum, or operands of a conjunction that another one takes in.
const MAX_PARTS: usize = 64;
/// The most factors of a product.
const MAX_FACTORS: usize = 8;
/// The most bits of a number that folding constants makes.
pub(crate) const MAX_BITS: u64 = 4096;

/// The function that turns a term of one sort into another; nothing is known about it. See [`Terms`].
pub const COERCION: u32 = u32::MAX;

/// What a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// An integer of any size.
    Int,
    /// True or false. Goals and facts are of this sort.
    Bool,
    /// A value that can only be compared for equality: a text, an array, a record. There are endlessly many.
    Other,
}

/// A term of one [`Terms`]. Two terms are the same if and only if they were built the same way, up to what normal forms
/// identify: the order of sums, products, conjunctions and disjunctions, arithmetic on constants, and the like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

/// All terms that goals and facts are about. The parts of a term are always older than the term.
///
/// An operand of the wrong sort is not an error: it is read as the result of [`COERCION`], of which nothing is known.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: HashTable<Term>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Bool(bool),
    Int(BigInt),
    Constant(u32),
    Atom(u32, Sort),
    Apply(u32, Box<[Term]>, Sort),
    Sum(Linear),
    Product(Box<[Term]>),
    Div(Term, Term),
    Rem(Term, Term),
    Le(Term, Term),
    Eq(Term, Term),
    Not(Term),
    And(Box<[Term]>),
    Or(Box<[Term]>),
    Ite(Term, Term, Term),
}

/// How a term is made, in its normal form.
#[derive(Clone, Copy, Debug)]
pub enum TermKind<'a> {
    /// A number.
    Int(&'a BigInt),
    /// True or false.
    Bool(bool),
    /// A known value of the sort [`Sort::Other`].
    Constant(u32),
    /// An unknown.
    Atom(u32),
    /// The result of a function of which nothing is known but that it is one.
    Apply(u32, &'a [Term]),
    /// A number plus terms, each times a number that is not zero.
    Sum(&'a BigInt, &'a [(Term, BigInt)]),
    /// The product of two or more terms.
    Product(&'a [Term]),
    /// The quotient, rounded toward zero.
    Div(Term, Term),
    /// The remainder, with the sign of the first operand.
    Rem(Term, Term),
    /// The first is at most the second, a number.
    Le(Term, Term),
    /// Both are the same. Of integers, the second is a number.
    Eq(Term, Term),
    /// The opposite.
    Not(Term),
    /// All of them.
    And(&'a [Term]),
    /// At least one of them.
    Or(&'a [Term]),
    /// The second if the first is true, else the third.
    Ite(Term, Term, Term),
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// No terms but `false` and `true`.
    pub fn new() -> Terms {
        let mut terms = Terms { nodes: Vec::new(), sorts: Vec::new(), known: HashTable::new() };
        terms.intern(Node::Bool(false));
        terms.intern(Node::Bool(true));
        terms
    }

    /// What the term stands for.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.0 as usize]
    }

    /// How the term is made.
    pub fn kind(&self, term: Term) -> TermKind<'_> {
        match self.node(term) {
            Node::Bool(value) => TermKind::Bool(*value),
            Node::Int(value) => TermKind::Int(value),
            Node::Constant(number) => TermKind::Constant(*number),
            Node::Atom(number, _) => TermKind::Atom(*number),
            Node::Apply(function, args, _) => TermKind::Apply(*function, args),
            Node::Sum(linear) => TermKind::Sum(&linear.constant, &linear.parts),
            Node::Product(factors) => TermKind::Product(factors),
            Node::Div(a, b) => TermKind::Div(*a, *b),
            Node::Rem(a, b) => TermKind::Rem(*a, *b),
            Node::Le(a, b) => TermKind::Le(*a, *b),
            Node::Eq(a, b) => TermKind::Eq(*a, *b),
            Node::Not(a) => TermKind::Not(*a),
            Node::And(parts) => TermKind::And(parts),
            Node::Or(parts) => TermKind::Or(parts),
            Node::Ite(c, a, b) => TermKind::Ite(*c, *a, *b),
        }
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) -> Term {
        Term(u32::from(value))
    }

    /// A number.
    pub fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.intern(Node::Int(value.into()))
    }

    /// A known value of the sort [`Sort::Other`]. Different numbers are different values.
    pub fn constant(&mut self, number: u32) -> Term {
        self.intern(Node::Constant(number))
    }

    /// An unknown. The caller gives out the numbers: the same number and sort is the same unknown.
    pub fn atom(&mut self, number: u32, sort: Sort) -> Term {
        self.intern(Node::Atom(number, sort))
    }

    /// The result of a function of which nothing is known but that equal arguments have equal results.
    pub fn apply(&mut self, function: u32, args: &[Term], sort: Sort) -> Term {
        self.intern(Node::Apply(function, args.into(), sort))
    }

    /// The terms that this one is made of, at most one step down.
    pub fn parts(&self, term: Term) -> Vec<Term> {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Constant(_) | Node::Atom(..) => Vec::new(),
            Node::Apply(_, parts, _)
            | Node::Product(parts)
            | Node::And(parts)
            | Node::Or(parts) => parts.to_vec(),
            Node::Sum(linear) => linear.parts.iter().map(|(part, _)| *part).collect(),
            Node::Div(a, b) | Node::Rem(a, b) | Node::Le(a, b) | Node::Eq(a, b) => vec![*a, *b],
            Node::Not(a) => vec![*a],
            Node::Ite(c, a, b) => vec![*c, *a, *b],
        }
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn contains(&self, term: Term) -> bool {
        (term.0 as usize) < self.nodes.len()
    }

    /// Forgets all terms but the oldest ones.
    pub(crate) fn forget_after(&mut self, count: usize) {
        for idx in (count..self.nodes.len()).rev() {
            let hash = hash_of(&self.nodes[idx]);
            if let Ok(entry) = self.known.find_entry(hash, |term| term.0 as usize == idx) {
                entry.remove();
            }
        }
        self.nodes.truncate(count);
        self.sorts.truncate(count);
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    fn sort_of(&self, node: &Node) -> Sort {
        match node {
            Node::Atom(_, sort) | Node::Apply(_, _, sort) => *sort,
            Node::Constant(_) => Sort::Other,
            Node::Int(_) | Node::Sum(_) | Node::Product(_) | Node::Div(..) | Node::Rem(..) => {
                Sort::Int
            }
            Node::Ite(_, then, _) => self.sort(*then),
            Node::Bool(_)
            | Node::Le(..)
            | Node::Eq(..)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_) => Sort::Bool,
        }
    }

    /// `term` if it is of this sort, else what [`COERCION`] makes of it.
    pub(crate) fn coerced(&mut self, term: Term, sort: Sort) -> Term {
        if self.sort(term) == sort { term } else { self.apply(COERCION, &[term], sort) }
    }

    fn intern(&mut self, node: Node) -> Term {
        let nodes = &self.nodes;
        let hash = hash_of(&node);
        if let Some(term) = self.known.find(hash, |term| nodes[term.0 as usize] == node) {
            return *term;
        }
        let term = Term(u32::try_from(nodes.len()).expect("memory ends before four billion terms"));
        self.sorts.push(self.sort_of(&node));
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.known.insert_unique(hash, term, |term| hash_of(&nodes[term.0 as usize]));
        term
    }
}

fn hash_of(node: &Node) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}
