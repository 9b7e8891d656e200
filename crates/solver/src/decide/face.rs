//! Cuts from proofs (Dillig, Dillig and Aiken, 2009): a linear combination to branch on that the face of the polyhedron at
//! the present assignment shows to be fractional.
//!
//! The bounds that hold with equality are a system of linear Diophantine equations. They are solved one after the other: an
//! equation with a coefficient of one or minus one is solved for that unknown; in any other, one unknown is exchanged for a
//! sum with it, so that the coefficients become smaller, as in Euclid's algorithm. An equation whose coefficients have a
//! common divisor that does not divide its constant has no integer solution, and divided by that divisor its left side is
//! the combination sought. Numbers have 128 bits; where they do not suffice, nothing is found.

use std::collections::BTreeMap;

use super::Budget;
use super::simplex::{Simplex, Variable};
use crate::rational::Rational;

/// The most unknowns of equations that are tried.
const MAX_UNKNOWNS: usize = 200;

/// The most terms of a combination that is worth branching on, and the greatest coefficient in it.
const MAX_PARTS: usize = 8;
const MAX_FACTOR: i128 = 100;

/// Unknowns, each times a number that is not zero.
type Form = BTreeMap<usize, i128>;

/// A combination of variables with integer coefficients whose value is not an integer, if the equations show one.
pub(super) fn fractional_sum(
    simplex: &Simplex,
    budget: &mut Budget,
) -> Option<Vec<(Variable, Rational)>> {
    let mut system = System { meanings: Vec::new(), solved: Vec::new() };
    let mut unknown_of: BTreeMap<Variable, usize> = BTreeMap::new();
    for variable in simplex.variables() {
        let Some(number) = number_at_bound(simplex, variable) else { continue };
        let mut equation = Form::new();
        for (part, by) in simplex.definition(variable) {
            let next = system.meanings.len();
            let unknown = *unknown_of.entry(*part).or_insert(next);
            if unknown == next {
                system.meanings.push(BTreeMap::from([(*part as usize, 1)]));
            }
            equation.insert(unknown, whole(by)?);
        }
        if system.meanings.len() > MAX_UNKNOWNS || !budget.spend(8 + equation.len() as u64 * 4) {
            return None;
        }
        if let Some(sum) = system.add(equation, number, budget)? {
            if sum.len() > MAX_PARTS || sum.values().any(|by| by.abs() > MAX_FACTOR) {
                return None;
            }
            let sum =
                sum.into_iter().map(|(part, by)| (part as Variable, Rational::of_int(&by.into())));
            return Some(sum.collect());
        }
    }
    None
}

fn number_at_bound(simplex: &Simplex, variable: Variable) -> Option<i128> {
    let value = simplex.value(variable);
    let bounds = [simplex.lower(variable), simplex.upper(variable)];
    bounds
        .into_iter()
        .flatten()
        .find(|bound| bound.value == *value)
        .and_then(|bound| whole(&bound.value))
}

fn whole(number: &Rational) -> Option<i128> {
    match number {
        Rational::Small(number, 1) => Some(i128::from(*number)),
        _ => None,
    }
}

struct System {
    /// What each unknown is in terms of variables.
    meanings: Vec<Form>,
    /// Unknowns that others stand for, in the order in which they are to be replaced.
    solved: Vec<(usize, Form, i128)>,
}

impl System {
    /// Adds the equation that the form is the number. The inner result is the sum sought; nothing if numbers got too long.
    #[expect(clippy::option_option, reason = "one is failure, the other is what was found")]
    fn add(
        &mut self,
        mut form: Form,
        mut number: i128,
        budget: &mut Budget,
    ) -> Option<Option<Form>> {
        for (unknown, by, constant) in &self.solved {
            if let Some(factor) = form.remove(unknown) {
                add_times(&mut form, factor, by)?;
                number = number.checked_sub(factor.checked_mul(*constant)?)?;
                budget.spend(by.len() as u64);
            }
        }
        loop {
            let divisor = form.values().fold(0, |divisor, by| gcd(divisor, *by));
            if divisor == 0 {
                return Some(None);
            }
            if number % divisor != 0 {
                let mut sum = Form::new();
                for (unknown, by) in &form {
                    add_times(&mut sum, by / divisor, &self.meanings[*unknown])?;
                }
                return Some(Some(sum));
            }
            form.values_mut().for_each(|by| *by /= divisor);
            number /= divisor;
            let (unknown, least) =
                form.iter().map(|(unknown, by)| (*unknown, *by)).min_by_key(|(_, by)| by.abs())?;
            form.remove(&unknown);
            if least.abs() == 1 {
                let others = form.into_iter().map(|(other, by)| (other, -by * least)).collect();
                self.solved.push((unknown, others, number * least));
                return Some(None);
            }
            // `fresh` is `unknown` plus the whole parts of the others.
            let fresh = self.meanings.len();
            let mut meaning = self.meanings[unknown].clone();
            let mut instead = Form::from([(fresh, 1)]);
            let mut rest = Form::from([(fresh, least)]);
            for (other, by) in form {
                let (quotient, remainder) = (by.div_euclid(least), by.rem_euclid(least));
                add_times(&mut meaning, quotient, &self.meanings[other])?;
                if quotient != 0 {
                    instead.insert(other, -quotient);
                }
                if remainder != 0 {
                    rest.insert(other, remainder);
                }
            }
            budget.spend(rest.len() as u64 + meaning.len() as u64);
            self.meanings.push(meaning);
            self.solved.push((unknown, instead, 0));
            form = rest;
        }
    }
}

/// `form += factor * other`, unless the numbers get too long.
fn add_times(form: &mut Form, factor: i128, other: &Form) -> Option<()> {
    for (unknown, by) in other {
        let entry = form.entry(*unknown).or_insert(0);
        *entry = entry.checked_add(factor.checked_mul(*by)?)?;
        // Far from the end, so that negation and the like never overflow.
        if entry.abs() > i128::MAX / 4 {
            return None;
        }
        if *entry == 0 {
            form.remove(unknown);
        }
    }
    Some(())
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
