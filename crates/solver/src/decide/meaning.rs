//! What quotients, remainders and products mean, as clauses of linear terms.

use num_bigint::BigInt;

use crate::term::{Node, Term, Terms};

/// The clauses that say what `a / b` and `a % b` are. For a number `b` they are all that there is to say.
pub(super) fn of_division(terms: &mut Terms, a: Term, b: Term) -> Vec<Vec<Term>> {
    let (quotient, remainder) = (terms.div(a, b), terms.rem(a, b));
    let zero = terms.int(0);
    let minus_b = terms.neg(b);
    let by_zero = terms.eq(b, zero);
    let (not_above, not_below) = (terms.le(b, zero), terms.ge(b, zero));
    let (a_negative, a_positive) = (terms.lt(a, zero), terms.gt(a, zero));

    let product = terms.mul(b, quotient);
    let sum = terms.add(product, remainder);
    let mut clauses = vec![vec![by_zero, terms.eq(a, sum)]];
    for (excluded, low, high) in [(not_above, minus_b, b), (not_below, b, minus_b)] {
        let (above, below) = (terms.gt(remainder, low), terms.lt(remainder, high));
        clauses.extend([vec![excluded, above], vec![excluded, below]]);
    }
    clauses.push(vec![by_zero, a_negative, terms.ge(remainder, zero)]);
    clauses.push(vec![by_zero, a_positive, terms.le(remainder, zero)]);
    if !matches!(terms.node(b), Node::Int(_)) {
        bound_quotient(terms, a, quotient, [not_above, not_below], &mut clauses);
    }
    simplified(terms, clauses)
}

/// The quotient lies between zero and `a` or its opposite.
fn bound_quotient(
    terms: &mut Terms,
    a: Term,
    quotient: Term,
    wrong_signs: [Term; 2],
    clauses: &mut Vec<Vec<Term>>,
) {
    let zero = terms.int(0);
    let minus_a = terms.neg(a);
    let (a_negative, a_positive) = (terms.lt(a, zero), terms.gt(a, zero));
    let [not_above, not_below] = wrong_signs;
    for (wrong_a, wrong_b, low, high) in [
        (a_negative, not_above, zero, a),
        (a_positive, not_above, a, zero),
        (a_negative, not_below, minus_a, zero),
        (a_positive, not_below, zero, minus_a),
    ] {
        let (above, below) = (terms.ge(quotient, low), terms.le(quotient, high));
        clauses.extend([vec![wrong_a, wrong_b, above], vec![wrong_a, wrong_b, below]]);
    }
}

/// Clauses that hold for every product `x * y` and that are tight at `x = a` and `y = b`.
pub(super) fn of_product(
    terms: &mut Terms,
    product: Term,
    x: Term,
    y: Term,
    a: &BigInt,
    b: &BigInt,
) -> Vec<Vec<Term>> {
    let (at_a, at_b) = (terms.int(a.clone()), terms.int(b.clone()));
    let (a_times_y, b_times_x) = (terms.mul(at_a, y), terms.mul(at_b, x));
    let corner = terms.mul(at_a, at_b);
    let sum = terms.add(a_times_y, b_times_x);
    let plane = terms.sub(sum, corner);

    let mut clauses = vec![
        vec![terms.ne(x, at_a), terms.eq(product, a_times_y)],
        vec![terms.ne(y, at_b), terms.eq(product, b_times_x)],
    ];
    let (x_low, x_high) = (terms.lt(x, at_a), terms.gt(x, at_a));
    let (y_low, y_high) = (terms.lt(y, at_b), terms.gt(y, at_b));
    let (above, below) = (terms.ge(product, plane), terms.le(product, plane));
    clauses.extend([
        vec![x_low, y_low, above],
        vec![x_high, y_high, above],
        vec![x_low, y_high, below],
        vec![x_high, y_low, below],
    ]);
    if x == y {
        // (x - a) * (x - a - 1) is never negative for integers.
        let (slope, next) = (terms.int(a * 2 + 1), terms.int(a * (a + 1)));
        let line = terms.mul(slope, x);
        let line = terms.sub(line, next);
        clauses.push(vec![terms.ge(product, line)]);
    }
    simplified(terms, clauses)
}

/// Without the clauses that are true anyway, and without the literals that are false.
fn simplified(terms: &mut Terms, mut clauses: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
    let (always, never) = (terms.bool(true), terms.bool(false));
    clauses.retain(|clause| !clause.contains(&always));
    for clause in &mut clauses {
        clause.retain(|term| *term != never);
    }
    clauses
}
