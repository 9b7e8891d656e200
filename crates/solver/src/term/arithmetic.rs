//! Sums, products, quotients and remainders.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Linear, MAX_BITS, MAX_FACTORS, Node, Sort, Term, Terms};

/// The most parts that distributing a product makes.
const MAX_DISTRIBUTED: usize = 16;

impl Terms {
    /// The sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.combined(a, b, &BigInt::one())
    }

    /// The difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.combined(a, b, &-BigInt::one())
    }

    /// The opposite number.
    pub fn neg(&mut self, a: Term) -> Term {
        let zero = self.int(0);
        self.sub(zero, a)
    }

    /// The product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.coerced(a, Sort::Int), self.coerced(b, Sort::Int));
        let (left, right) = (self.linear(a), self.linear(b));
        let product = if right.parts.is_empty() {
            left.scaled(&right.constant)
        } else if left.parts.is_empty() {
            right.scaled(&left.constant)
        } else if (left.parts.len() + 1) * (right.parts.len() + 1) <= MAX_DISTRIBUTED {
            self.distributed(&left, &right)
        } else {
            return self.product(vec![a, b]);
        };
        if product.is_small() { self.sum(product) } else { self.product(vec![a, b]) }
    }

    /// The quotient, rounded toward zero. By zero it is some number, the same for the same operands.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.coerced(a, Sort::Int), self.coerced(b, Sort::Int));
        let Some(divisor) = self.divisor(b) else {
            return self.intern(Node::Div(a, b));
        };
        let linear = self.linear(a);
        if divisor.is_negative() {
            let positive = self.int(-divisor);
            let quotient = self.div(a, positive);
            return self.neg(quotient);
        }
        if linear.parts.is_empty() {
            return self.int(linear.constant / divisor);
        }
        if is_multiple(&linear, &divisor) {
            return self.sum(linear.divided(&divisor));
        }
        if linear.leads_negative() {
            let positive = self.neg(a);
            let quotient = self.intern_div(positive, b, &divisor);
            return self.neg(quotient);
        }
        self.intern_div(a, b, &divisor)
    }

    /// The remainder, with the sign of `a`. By zero it is some number, the same for the same operands.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.coerced(a, Sort::Int), self.coerced(b, Sort::Int));
        let Some(divisor) = self.divisor(b).map(|divisor| divisor.abs()) else {
            return self.intern(Node::Rem(a, b));
        };
        let linear = self.linear(a);
        if linear.parts.is_empty() {
            return self.int(linear.constant % divisor);
        }
        if is_multiple(&linear, &divisor) {
            return self.int(0);
        }
        let b = self.int(divisor);
        if linear.leads_negative() {
            let positive = self.neg(a);
            let remainder = self.intern(Node::Rem(positive, b));
            return self.neg(remainder);
        }
        self.intern(Node::Rem(a, b))
    }

    /// `a + factor * b`, for a factor of one or minus one.
    pub(super) fn combined(&mut self, a: Term, b: Term, factor: &BigInt) -> Term {
        let (a, b) = (self.coerced(a, Sort::Int), self.coerced(b, Sort::Int));
        let linear = self.linear(a).plus(factor, &self.linear(b));
        if linear.is_small() {
            return self.sum(linear);
        }
        let nested = Linear::one(a).plus(factor, &Linear::one(b));
        self.sum(nested)
    }

    /// A number that can be divided by.
    fn divisor(&self, term: Term) -> Option<BigInt> {
        match self.node(term) {
            Node::Int(value) if !value.is_zero() => Some(value.clone()),
            _ => None,
        }
    }

    fn intern_div(&mut self, a: Term, b: Term, divisor: &BigInt) -> Term {
        if let Node::Div(inner, by) = *self.node(a)
            && let Some(by) = self.divisor(by)
            && by.bits() + divisor.bits() <= MAX_BITS
        {
            let by = self.int(by * divisor);
            return self.intern(Node::Div(inner, by));
        }
        self.intern(Node::Div(a, b))
    }

    fn distributed(&mut self, left: &Linear, right: &Linear) -> Linear {
        let mut constant = BigInt::zero();
        let mut parts: BTreeMap<Term, BigInt> = BTreeMap::new();
        let summands = |linear: &Linear| {
            let mut all: Vec<(Option<Term>, BigInt)> =
                linear.parts.iter().map(|(term, by)| (Some(*term), by.clone())).collect();
            all.push((None, linear.constant.clone()));
            all
        };
        for (x, by_x) in summands(left) {
            for (y, by_y) in summands(right) {
                let by = &by_x * by_y;
                match (x, y) {
                    (Some(x), Some(y)) => *parts.entry(self.product(vec![x, y])).or_default() += by,
                    (Some(term), None) | (None, Some(term)) => {
                        *parts.entry(term).or_default() += by
                    }
                    (None, None) => constant += by,
                }
            }
        }
        parts.retain(|_, by| !by.is_zero());
        Linear { constant, parts: parts.into_iter().collect() }
    }

    fn product(&mut self, factors: Vec<Term>) -> Term {
        let mut flat = Vec::new();
        for factor in &factors {
            match self.node(*factor) {
                Node::Product(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(*factor),
            }
        }
        let mut factors = if flat.len() <= MAX_FACTORS { flat } else { factors };
        factors.sort();
        self.intern(Node::Product(factors.into()))
    }
}

fn is_multiple(linear: &Linear, divisor: &BigInt) -> bool {
    (&linear.constant % divisor).is_zero()
        && linear.parts.iter().all(|(_, by)| (by % divisor).is_zero())
}
