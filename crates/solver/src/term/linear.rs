//! Linear forms: a number plus terms, each times a number.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{MAX_BITS, MAX_PARTS, Node, Term, Terms};

/// A number plus terms, each times a number. The terms are in order and differ, and no factor is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) constant: BigInt,
    pub(crate) parts: Vec<(Term, BigInt)>,
}

impl Linear {
    pub(super) fn one(term: Term) -> Linear {
        Linear { constant: BigInt::zero(), parts: vec![(term, BigInt::one())] }
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, factor: &BigInt, other: &Linear) -> Linear {
        let constant = &self.constant + factor * &other.constant;
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (None, None) => return Linear { constant, parts },
                (Some((a, _)), Some((b, _))) if a == b => {
                    let sum = left.next().map_or_else(BigInt::zero, |(_, by)| by.clone())
                        + right.next().map_or_else(BigInt::zero, |(_, by)| factor * by);
                    if !sum.is_zero() {
                        parts.push((*a, sum));
                    }
                }
                (Some((a, by)), other) if other.is_none_or(|(b, _)| a < b) => {
                    parts.push((*a, by.clone()));
                    left.next();
                }
                _ => {
                    if let Some((b, by)) = right.next() {
                        parts.push((*b, factor * by));
                    }
                }
            }
        }
    }

    pub(super) fn scaled(mut self, factor: &BigInt) -> Linear {
        if factor.is_zero() {
            return Linear::default();
        }
        self.constant *= factor;
        for (_, by) in &mut self.parts {
            *by *= factor;
        }
        self
    }

    /// All numbers divided by one that divides them.
    pub(super) fn divided(mut self, divisor: &BigInt) -> Linear {
        self.constant /= divisor;
        for (_, by) in &mut self.parts {
            *by /= divisor;
        }
        self
    }

    pub(super) fn is_small(&self) -> bool {
        self.parts.len() <= MAX_PARTS
            && self.constant.bits() <= MAX_BITS
            && self.parts.iter().all(|(_, by)| by.bits() <= MAX_BITS)
    }

    /// What divides all factors, the number apart not counted. Zero if there are none.
    pub(super) fn content(&self) -> BigInt {
        self.parts.iter().fold(BigInt::zero(), |divisor, (_, by)| {
            if divisor.is_one() { divisor } else { gcd(&divisor, by) }
        })
    }

    pub(super) fn leads_negative(&self) -> bool {
        self.parts.first().is_some_and(|(_, by)| by.is_negative())
    }
}

impl Terms {
    pub(crate) fn linear(&self, term: Term) -> Linear {
        match self.node(term) {
            Node::Int(value) => Linear { constant: value.clone(), parts: Vec::new() },
            Node::Sum(linear) => linear.clone(),
            _ => Linear::one(term),
        }
    }

    pub(super) fn sum(&mut self, linear: Linear) -> Term {
        match linear.parts.as_slice() {
            [] => self.int(linear.constant),
            [(term, by)] if by.is_one() && linear.constant.is_zero() => *term,
            _ => self.intern(Node::Sum(linear)),
        }
    }
}

/// The greatest common divisor, never negative.
pub(crate) fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}
