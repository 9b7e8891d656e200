//! The simplex method for linear arithmetic in a solver: variables, equations between them, and bounds that come and go.
//!
//! This is the general simplex of Dutertre and de Moura ("A fast linear-arithmetic solver for DPLL(T)", 2006). The tableau
//! has one row for each basic variable, which is a linear combination of nonbasic ones; no basic variable occurs in another
//! row. A nonbasic variable lies within its bounds at any time. [`Simplex::check`] looks for a basic variable outside its
//! bounds, takes a nonbasic variable of its row that can move in the right direction, and pivots: the two change places,
//! and the one that was basic gets the value of its bound. Where no variable of the row can move, the bounds that hold them
//! are the explanation of the conflict. Bland's rule (the smallest variable leaves, the smallest enters) keeps the check
//! from going in circles. Every bound carries the literal that it comes from, so that an explanation is a list of literals;
//! backtracking restores bounds and never the tableau.
//!
//! An example: `s = x + y` with `x >= 2`, `y >= 2`, all values 0 at first. `x` and `y` are nonbasic and go to 2 at once, so
//! `s` is 4. Now `s <= 3` comes in. `s` is basic and violated: it must fall, `x` and `y` have positive coefficients, so one
//! of them must fall too, but both are at their lower bounds. The explanation is `s <= 3`, `x >= 2`, `y >= 2`. Without
//! `y >= 2`, `y` could fall: the pivot makes the row `y = s - x` and gives `s` the value 3, and `y` gets 1.

use super::Budget;
use super::clause::Literal;
use crate::rational::Rational;

/// A variable of the arithmetic.
pub(super) type Variable = u32;

/// Why the search cannot go on.
pub(super) enum Halt {
    /// These literals are true and contradict each other.
    Conflict(Vec<Literal>),
    OutOfBudget,
}

#[derive(Clone)]
pub(super) struct Bound {
    pub(super) value: Rational,
    pub(super) literal: Literal,
}

/// A basic variable as a linear combination of nonbasic ones.
pub(super) struct Row {
    pub(super) basic: Variable,
    /// Nonbasic variables and their coefficients, in the order of variables, without zeros.
    pub(super) terms: Vec<(Variable, Rational)>,
}

/// The tableau, the bounds and an assignment that satisfies the rows.
#[derive(Default)]
pub(super) struct Simplex {
    rows: Vec<Row>,
    row_of: Vec<Option<u32>>,
    values: Vec<Rational>,
    /// Each variable as a sum of those that were made as variables.
    definitions: Vec<Vec<(Variable, Rational)>>,
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    /// The rows that a variable may occur in; those that it does not are sorted out on the way.
    columns: Vec<Vec<u32>>,
    /// The bounds that were trail, latest last.
    trail: Vec<(Variable, Side, Option<Bound>)>,
    is_feasible: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

impl Simplex {
    pub(super) fn variable(&mut self) -> Variable {
        let variable = self.values.len() as Variable;
        self.row_of.push(None);
        self.values.push(Rational::ZERO);
        self.definitions.push(vec![(variable, Rational::ONE)]);
        self.lower.push(None);
        self.upper.push(None);
        self.columns.push(Vec::new());
        variable
    }

    /// A variable that is always the sum of others, each times a number.
    pub(super) fn sum(&mut self, terms: &[(Variable, Rational)], budget: &mut Budget) -> Variable {
        let basic = self.variable();
        let row = self.rows.len() as u32;
        let mut sum: Vec<(Variable, Rational)> = Vec::new();
        let mut definition: Vec<(Variable, Rational)> = Vec::new();
        for (part, by) in terms {
            definition = add_scaled(&definition, by, &self.definitions[*part as usize]);
            let inner: &[(Variable, Rational)] = match self.row_of[*part as usize] {
                Some(row) => &self.rows[row as usize].terms,
                None => &[(*part, Rational::ONE)],
            };
            sum = add_scaled(&sum, by, inner);
            budget.spend(sum.len() as u64);
        }
        let mut value = Rational::ZERO;
        for (part, by) in &sum {
            value = value.plus(&by.times(&self.values[*part as usize]));
            self.columns[*part as usize].push(row);
        }
        self.values[basic as usize] = value;
        self.definitions[basic as usize] = definition;
        self.row_of[basic as usize] = Some(row);
        self.rows.push(Row { basic, terms: sum });
        basic
    }

    pub(super) fn value(&self, variable: Variable) -> &Rational {
        &self.values[variable as usize]
    }

    /// The variable as a sum of those that are not sums.
    pub(super) fn definition(&self, variable: Variable) -> &[(Variable, Rational)] {
        &self.definitions[variable as usize]
    }

    pub(super) fn is_sum(&self, variable: Variable) -> bool {
        self.definition(variable).first().is_none_or(|(part, _)| *part != variable)
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn lower(&self, variable: Variable) -> Option<&Bound> {
        self.lower[variable as usize].as_ref()
    }

    pub(super) fn upper(&self, variable: Variable) -> Option<&Bound> {
        self.upper[variable as usize].as_ref()
    }

    pub(super) fn variables(&self) -> std::ops::Range<Variable> {
        0..self.values.len() as Variable
    }

    /// How many bounds were trail: where [`Simplex::undo`] can come back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((variable, side, bound)) = self.trail.pop() {
                match side {
                    Side::Lower => self.lower[variable as usize] = bound,
                    Side::Upper => self.upper[variable as usize] = bound,
                }
            }
        }
    }

    pub(super) fn at_most(
        &mut self,
        variable: Variable,
        bound: Bound,
        budget: &mut Budget,
    ) -> Result<(), Halt> {
        let idx = variable as usize;
        if self.upper[idx].as_ref().is_some_and(|upper| upper.value <= bound.value) {
            return Ok(());
        }
        if let Some(lower) = self.lower[idx].as_ref().filter(|lower| lower.value > bound.value) {
            return Err(Halt::Conflict(vec![bound.literal, lower.literal]));
        }
        let moves = self.values[idx] > bound.value;
        let value = moves.then(|| bound.value.clone());
        let old = self.upper[idx].replace(bound);
        self.trail.push((variable, Side::Upper, old));
        self.update(variable, value, budget);
        Ok(())
    }

    pub(super) fn at_least(
        &mut self,
        variable: Variable,
        bound: Bound,
        budget: &mut Budget,
    ) -> Result<(), Halt> {
        let idx = variable as usize;
        if self.lower[idx].as_ref().is_some_and(|lower| lower.value >= bound.value) {
            return Ok(());
        }
        if let Some(upper) = self.upper[idx].as_ref().filter(|upper| upper.value < bound.value) {
            return Err(Halt::Conflict(vec![bound.literal, upper.literal]));
        }
        let moves = self.values[idx] < bound.value;
        let value = moves.then(|| bound.value.clone());
        let old = self.lower[idx].replace(bound);
        self.trail.push((variable, Side::Lower, old));
        self.update(variable, value, budget);
        Ok(())
    }

    /// Finds values within all bounds, or the bounds that contradict each other.
    pub(super) fn check(&mut self, budget: &mut Budget) -> Result<(), Halt> {
        if self.is_feasible {
            return Ok(());
        }
        loop {
            if !budget.spend(1 + self.rows.len() as u64 / 2) {
                return Err(Halt::OutOfBudget);
            }
            // Bland's rule, so that no state comes back.
            let violated = (0..self.rows.len())
                .filter_map(|row| self.violation(row).map(|side| (self.rows[row].basic, row, side)))
                .min_by_key(|(basic, ..)| *basic);
            let Some((basic, row, side)) = violated else {
                self.is_feasible = true;
                return Ok(());
            };
            let rises = side == Side::Lower;
            let entering = self.rows[row]
                .terms
                .iter()
                .find(|(part, by)| self.has_slack(*part, rises == by.is_positive()));
            let Some(entering) = entering.map(|(part, _)| *part) else {
                return Err(Halt::Conflict(self.explanation(row, side)));
            };
            let bound = if rises { self.lower(basic) } else { self.upper(basic) };
            let Some(target) = bound.map(|bound| bound.value.clone()) else { continue };
            self.pivot(row, entering, target, budget);
        }
    }

    fn violation(&self, row: usize) -> Option<Side> {
        let basic = self.rows[row].basic;
        let value = self.value(basic);
        if self.lower(basic).is_some_and(|lower| *value < lower.value) {
            Some(Side::Lower)
        } else if self.upper(basic).is_some_and(|upper| *value > upper.value) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    fn has_slack(&self, variable: Variable, up: bool) -> bool {
        let value = self.value(variable);
        if up {
            self.upper(variable).is_none_or(|upper| *value < upper.value)
        } else {
            self.lower(variable).is_none_or(|lower| *value > lower.value)
        }
    }

    /// The bound that the basic variable violates, and those that keep its row from following.
    fn explanation(&self, row: usize, side: Side) -> Vec<Literal> {
        let Row { basic, terms } = &self.rows[row];
        let rises = side == Side::Lower;
        let own = if rises { self.lower(*basic) } else { self.upper(*basic) };
        let others = terms.iter().map(|(part, by)| {
            if rises == by.is_positive() { self.upper(*part) } else { self.lower(*part) }
        });
        std::iter::once(own).chain(others).flatten().map(|bound| bound.literal).collect()
    }

    /// Follows a new bound: a nonbasic variable goes to it at once, a basic one waits for the check.
    fn update(&mut self, variable: Variable, value: Option<Rational>, budget: &mut Budget) {
        let Some(value) = value else { return };
        self.is_feasible = false;
        if self.row_of[variable as usize].is_some() {
            return;
        }
        let by = value.minus(self.value(variable));
        self.values[variable as usize] = value;
        for row in self.column(variable) {
            self.shift(row, variable, &by, budget);
        }
    }

    fn shift(&mut self, row: u32, variable: Variable, by: &Rational, budget: &mut Budget) {
        let Row { basic, terms } = &self.rows[row as usize];
        if let Ok(at) = terms.binary_search_by_key(&variable, |(part, _)| *part) {
            let value = &mut self.values[*basic as usize];
            *value = value.plus(&terms[at].1.times(by));
            budget.spend(value.size());
        }
    }

    /// The rows that the variable occurs in.
    fn column(&mut self, variable: Variable) -> Vec<u32> {
        let mut column = std::mem::take(&mut self.columns[variable as usize]);
        column.sort_unstable();
        column.dedup();
        column.retain(|row| {
            self.rows[*row as usize]
                .terms
                .binary_search_by_key(&variable, |(part, _)| *part)
                .is_ok()
        });
        self.columns[variable as usize].clone_from(&column);
        column
    }

    /// Makes `entering` basic in the row, and gives the variable that leaves the value `target`.
    fn pivot(&mut self, row: usize, entering: Variable, target: Rational, budget: &mut Budget) {
        let basic = self.rows[row].basic;
        let terms = std::mem::take(&mut self.rows[row].terms);
        let Ok(at) = terms.binary_search_by_key(&entering, |(part, _)| *part) else { return };
        let inverse = terms[at].1.inverted();
        let step = target.minus(self.value(basic)).times(&inverse);
        let opposite = inverse.negated();
        let mut solved: Vec<(Variable, Rational)> = Vec::with_capacity(terms.len());
        solved.extend(terms[..at].iter().map(|(part, by)| (*part, by.times(&opposite))));
        solved.extend(terms[at + 1..].iter().map(|(part, by)| (*part, by.times(&opposite))));
        let place = solved.partition_point(|(part, _)| *part < basic);
        solved.insert(place, (basic, inverse));

        self.values[basic as usize] = target;
        self.values[entering as usize] = self.value(entering).plus(&step);
        for other in self.column(entering) {
            budget.spend(4);
            self.shift(other, entering, &step, budget);
            self.substitute(other, entering, &solved, budget);
        }
        self.columns[entering as usize].clear();
        self.columns[basic as usize].push(row as u32);
        self.row_of[basic as usize] = None;
        self.row_of[entering as usize] = Some(row as u32);
        self.rows[row] = Row { basic: entering, terms: solved };
    }

    /// Puts the sum that `variable` is in its place.
    fn substitute(
        &mut self,
        row: u32,
        variable: Variable,
        sum: &[(Variable, Rational)],
        budget: &mut Budget,
    ) {
        let terms = &mut self.rows[row as usize].terms;
        let Ok(at) = terms.binary_search_by_key(&variable, |(part, _)| *part) else { return };
        let (_, by) = terms.remove(at);
        let new = add_scaled(terms, &by, sum);
        budget.spend(new.iter().map(|(_, by)| by.size()).sum());
        for (part, _) in sum {
            self.columns[*part as usize].push(row);
        }
        self.rows[row as usize].terms = new;
    }
}

/// `a + by * b`.
fn add_scaled(
    a: &[(Variable, Rational)],
    by: &Rational,
    b: &[(Variable, Rational)],
) -> Vec<(Variable, Rational)> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if j == b.len() || (i < a.len() && a[i].0 < b[j].0) {
            sum.push(a[i].clone());
            i += 1;
        } else if i == a.len() || b[j].0 < a[i].0 {
            sum.push((b[j].0, b[j].1.times(by)));
            j += 1;
        } else {
            let both = a[i].1.plus(&b[j].1.times(by));
            if !both.is_zero() {
                sum.push((a[i].0, both));
            }
            i += 1;
            j += 1;
        }
    }
    sum
}
