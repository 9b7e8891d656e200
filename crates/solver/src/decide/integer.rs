//! What integers add to linear arithmetic: the divisibility test on rows of the tableau, and the variable to branch on.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::Budget;
use super::clause::Literal;
use super::simplex::{Bound, Row, Simplex, Variable};
use crate::term::gcd;

/// A row that no integers satisfy: what divides all that can vary does not divide the rest.
pub(super) fn conflict(simplex: &Simplex, budget: &mut Budget) -> Option<Vec<Literal>> {
    fractional(simplex)?;
    simplex.rows().iter().find_map(|row| {
        budget.spend(row.terms.len() as u64);
        row_conflict(simplex, row)
    })
}

/// A variable whose value is not an integer. Where there is none, all sums are integers too.
pub(super) fn fractional(simplex: &Simplex) -> Option<Variable> {
    simplex
        .variables()
        .find(|variable| !simplex.is_sum(*variable) && !simplex.value(*variable).is_integer())
}

/// Multiplied until all numbers are integers, a row says `scale * basic = fixed + sum of free`. With `g` what divides the
/// numbers of `free`, `scale * basic` is `fixed` modulo `g`: a value within its bounds must exist for which that holds.
fn row_conflict(simplex: &Simplex, row: &Row) -> Option<Vec<Literal>> {
    let scale = row.terms.iter().fold(BigInt::one(), |scale, (_, by)| {
        let denominator = by.denominator();
        &scale / gcd(&scale, &denominator) * denominator
    });
    let (mut fixed, mut modulus) = (BigInt::zero(), BigInt::zero());
    let mut literals = Vec::new();
    for (part, by) in &row.terms {
        let by = by.numerator() * (&scale / by.denominator());
        match fixed_by(simplex, *part) {
            Some((lower, upper)) => {
                fixed += by * lower.value.numerator();
                literals.extend([lower.literal, upper.literal]);
            }
            None => modulus = gcd(&modulus, &by),
        }
    }
    if modulus.is_zero() {
        // Everything is fixed: the value is what it is, and an integer or not.
        return (!(&fixed % &scale).is_zero()).then_some(literals);
    }
    let all = gcd(&scale, &modulus);
    if !(&fixed % &all).is_zero() {
        return Some(literals);
    }
    let (lower, upper) = (simplex.lower(row.basic)?, simplex.upper(row.basic)?);
    let modulus = modulus / &all;
    let residue = fixed / &all * inverse(&(scale / all), &modulus);
    if next_congruent(&lower.value.numerator(), &residue, &modulus) <= upper.value.numerator() {
        return None;
    }
    literals.extend([lower.literal, upper.literal]);
    Some(literals)
}

fn fixed_by(simplex: &Simplex, variable: Variable) -> Option<(&Bound, &Bound)> {
    let (lower, upper) = (simplex.lower(variable)?, simplex.upper(variable)?);
    (lower.value == upper.value).then_some((lower, upper))
}

/// The first number from `from` on that leaves the same remainder as `like`.
fn next_congruent(from: &BigInt, like: &BigInt, modulus: &BigInt) -> BigInt {
    let mut distance = (like - from) % modulus;
    if distance.is_negative() {
        distance += modulus;
    }
    from + distance
}

/// The number that times `number` leaves the remainder one. The two have no common divisor.
fn inverse(number: &BigInt, modulus: &BigInt) -> BigInt {
    let (mut a, mut b) = (number % modulus, modulus.clone());
    let (mut x, mut y) = (BigInt::one(), BigInt::zero());
    while !b.is_zero() {
        let quotient = &a / &b;
        (a, b) = (b.clone(), a - &quotient * b);
        (x, y) = (y.clone(), x - quotient * y);
    }
    x * a.signum()
}
