//! Comparisons and the connectives.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{Linear, MAX_PARTS, Node, Sort, Term, Terms};

impl Terms {
    /// Both are the same. For booleans: one if and only if the other.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        let b = self.coerced(b, sort);
        if a == b {
            return self.bool(true);
        }
        match sort {
            Sort::Int => self.eq_int(a, b),
            Sort::Bool => self.iff(a, b),
            Sort::Other => match (self.node(a), self.node(b)) {
                (Node::Constant(_), Node::Constant(_)) => self.bool(false),
                _ => self.intern(Node::Eq(a.min(b), a.max(b))),
            },
        }
    }

    /// They differ.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        let linear = self.linear(difference);
        self.at_most_zero(linear)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        let mut linear = self.linear(difference);
        linear.constant += BigInt::one();
        self.at_most_zero(linear)
    }

    /// `a >= b`.
    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// The opposite.
    pub fn not(&mut self, a: Term) -> Term {
        let a = self.coerced(a, Sort::Bool);
        match *self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a)),
        }
    }

    /// All of them.
    pub fn and(&mut self, parts: &[Term]) -> Term {
        self.junction(parts, true)
    }

    /// At least one of them.
    pub fn or(&mut self, parts: &[Term]) -> Term {
        self.junction(parts, false)
    }

    /// `b` unless `a` is false.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let without = self.not(a);
        self.or(&[without, b])
    }

    /// `a` if `condition` is true, else `b`.
    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        let condition = self.coerced(condition, Sort::Bool);
        let sort = self.sort(a);
        let b = self.coerced(b, sort);
        if a == b {
            return a;
        }
        match (self.node(condition), self.node(a), self.node(b)) {
            (Node::Bool(true), _, _) => a,
            (Node::Bool(false), _, _) => b,
            (Node::Not(inner), _, _) => {
                let inner = *inner;
                self.ite(inner, b, a)
            }
            (_, Node::Bool(true), _) => self.or(&[condition, b]),
            (_, _, Node::Bool(false)) => self.and(&[condition, a]),
            (_, Node::Bool(false), _) => {
                let opposite = self.not(condition);
                self.and(&[opposite, b])
            }
            (_, _, Node::Bool(true)) => self.implies(condition, a),
            _ => self.intern(Node::Ite(condition, a, b)),
        }
    }

    fn eq_int(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        let mut linear = self.linear(difference);
        if linear.parts.is_empty() {
            return self.bool(linear.constant.is_zero());
        }
        let mut divisor = linear.content();
        if !(&linear.constant % &divisor).is_zero() {
            return self.bool(false);
        }
        if linear.leads_negative() {
            divisor = -divisor;
        }
        let number = -(std::mem::take(&mut linear.constant) / &divisor);
        let (left, right) = (self.sum(linear.divided(&divisor)), self.int(number));
        self.intern(Node::Eq(left, right))
    }

    /// `linear <= 0`. The first unknown has a positive factor: what would have a negative one is the opposite of that, so
    /// that a comparison and its opposite are a term and its negation.
    fn at_most_zero(&mut self, mut linear: Linear) -> Term {
        if linear.parts.is_empty() {
            return self.bool(linear.constant <= BigInt::zero());
        }
        let divisor = linear.content();
        let negative = linear.leads_negative();
        let bound = floor(&-std::mem::take(&mut linear.constant), &divisor);
        if negative {
            let (left, right) = (self.sum(linear.divided(&-divisor)), self.int(-bound - 1));
            let opposite = self.intern(Node::Le(left, right));
            return self.intern(Node::Not(opposite));
        }
        let (left, right) = (self.sum(linear.divided(&divisor)), self.int(bound));
        self.intern(Node::Le(left, right))
    }

    fn iff(&mut self, a: Term, b: Term) -> Term {
        let (mut a, mut b, mut negated) = (a.min(b), a.max(b), false);
        for side in [&mut a, &mut b] {
            if let Node::Not(inner) = *self.node(*side) {
                *side = inner;
                negated = !negated;
            }
        }
        let (a, b) = (a.min(b), a.max(b));
        let same = match (self.node(a), self.node(b)) {
            _ if a == b => self.bool(true),
            (Node::Bool(true), _) => b,
            (Node::Bool(false), _) => self.not(b),
            _ => self.intern(Node::Eq(a, b)),
        };
        if negated { self.not(same) } else { same }
    }

    fn junction(&mut self, parts: &[Term], all: bool) -> Term {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.coerced(*part, Sort::Bool);
            match self.node(part) {
                Node::Bool(value) if *value != all => return part,
                Node::Bool(_) => {}
                Node::And(inner) if all && inner.len() < MAX_PARTS => {
                    flat.extend(inner.iter().copied())
                }
                Node::Or(inner) if !all && inner.len() < MAX_PARTS => {
                    flat.extend(inner.iter().copied())
                }
                _ => flat.push(part),
            }
        }
        flat.sort();
        flat.dedup();
        let opposites = |part: &Term| matches!(self.node(*part), Node::Not(inner) if flat.binary_search(inner).is_ok());
        if flat.iter().any(opposites) {
            return self.bool(!all);
        }
        match flat.as_slice() {
            [] => self.bool(all),
            [part] => *part,
            _ if all => self.intern(Node::And(flat.into())),
            _ => self.intern(Node::Or(flat.into())),
        }
    }
}

/// The quotient by a positive number, rounded down.
fn floor(number: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = number / divisor;
    if &quotient * divisor > *number { quotient - 1 } else { quotient }
}
