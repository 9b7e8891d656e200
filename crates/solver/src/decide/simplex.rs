//! Linear arithmetic over the rationals: variables, equations between them, and bounds that come and go.
//!
//! A row says that one variable, its owner, is a sum of others, each times a number. No owner occurs in another row. A
//! variable that owns no row lies within its bounds at any time; [`Simplex::check`] moves such variables, and lets them
//! change places with owners, until the owners lie within theirs, or finds a row that cannot. Every bound carries the
//! literal that it comes from, so that a contradiction is a list of literals.

use super::Budget;
use super::clause::Literal;
use crate::rational::Rational;

/// A variable of the arithmetic.
pub(super) type Variable = u32;

/// Why the search cannot go on.
pub(super) enum Stop {
    /// These literals are true and contradict each other.
    Conflict(Vec<Literal>),
    Budget,
}

#[derive(Clone)]
pub(super) struct Bound {
    pub(super) value: Rational,
    pub(super) literal: Literal,
}

pub(super) struct Row {
    pub(super) owner: Variable,
    /// In the order of variables, without zeros.
    pub(super) parts: Vec<(Variable, Rational)>,
}

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
    /// The bounds that were replaced, latest last.
    replaced: Vec<(Variable, Side, Option<Bound>)>,
    settled: bool,
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
    pub(super) fn sum(&mut self, parts: &[(Variable, Rational)], budget: &mut Budget) -> Variable {
        let owner = self.variable();
        let row = self.rows.len() as u32;
        let mut sum: Vec<(Variable, Rational)> = Vec::new();
        let mut definition: Vec<(Variable, Rational)> = Vec::new();
        for (part, by) in parts {
            definition = merged(&definition, by, &self.definitions[*part as usize]);
            let inner: &[(Variable, Rational)] = match self.row_of[*part as usize] {
                Some(row) => &self.rows[row as usize].parts,
                None => &[(*part, Rational::ONE)],
            };
            sum = merged(&sum, by, inner);
            budget.spend(sum.len() as u64);
        }
        let mut value = Rational::ZERO;
        for (part, by) in &sum {
            value = value.plus(&by.times(&self.values[*part as usize]));
            self.columns[*part as usize].push(row);
        }
        self.values[owner as usize] = value;
        self.definitions[owner as usize] = definition;
        self.row_of[owner as usize] = Some(row);
        self.rows.push(Row { owner, parts: sum });
        owner
    }

    pub(super) fn value(&self, variable: Variable) -> &Rational {
        &self.values[variable as usize]
    }

    /// The variable as a sum of those that are no sums.
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

    /// How many bounds were replaced: where [`Simplex::undo`] can come back to.
    pub(super) fn mark(&self) -> usize {
        self.replaced.len()
    }

    pub(super) fn undo(&mut self, mark: usize) {
        while self.replaced.len() > mark {
            if let Some((variable, side, bound)) = self.replaced.pop() {
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
    ) -> Result<(), Stop> {
        let idx = variable as usize;
        if self.upper[idx].as_ref().is_some_and(|upper| upper.value <= bound.value) {
            return Ok(());
        }
        if let Some(lower) = self.lower[idx].as_ref().filter(|lower| lower.value > bound.value) {
            return Err(Stop::Conflict(vec![bound.literal, lower.literal]));
        }
        let moves = self.values[idx] > bound.value;
        let value = moves.then(|| bound.value.clone());
        let old = self.upper[idx].replace(bound);
        self.replaced.push((variable, Side::Upper, old));
        self.moved(variable, value, budget);
        Ok(())
    }

    pub(super) fn at_least(
        &mut self,
        variable: Variable,
        bound: Bound,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let idx = variable as usize;
        if self.lower[idx].as_ref().is_some_and(|lower| lower.value >= bound.value) {
            return Ok(());
        }
        if let Some(upper) = self.upper[idx].as_ref().filter(|upper| upper.value < bound.value) {
            return Err(Stop::Conflict(vec![bound.literal, upper.literal]));
        }
        let moves = self.values[idx] < bound.value;
        let value = moves.then(|| bound.value.clone());
        let old = self.lower[idx].replace(bound);
        self.replaced.push((variable, Side::Lower, old));
        self.moved(variable, value, budget);
        Ok(())
    }

    /// Finds values within all bounds, or the bounds that contradict each other.
    pub(super) fn check(&mut self, budget: &mut Budget) -> Result<(), Stop> {
        if self.settled {
            return Ok(());
        }
        loop {
            if !budget.spend(1 + self.rows.len() as u64 / 2) {
                return Err(Stop::Budget);
            }
            // The smallest variable of all that could leave and of all that could enter: so no state comes back.
            let violated = (0..self.rows.len())
                .filter_map(|row| self.violation(row).map(|side| (self.rows[row].owner, row, side)))
                .min_by_key(|(owner, ..)| *owner);
            let Some((owner, row, side)) = violated else {
                self.settled = true;
                return Ok(());
            };
            let rises = side == Side::Lower;
            let entering = self.rows[row]
                .parts
                .iter()
                .find(|(part, by)| self.can_move(*part, rises == by.is_positive()));
            let Some(entering) = entering.map(|(part, _)| *part) else {
                return Err(Stop::Conflict(self.explained(row, side)));
            };
            let bound = if rises { self.lower(owner) } else { self.upper(owner) };
            let Some(target) = bound.map(|bound| bound.value.clone()) else { continue };
            self.exchange(row, entering, target, budget);
        }
    }

    fn violation(&self, row: usize) -> Option<Side> {
        let owner = self.rows[row].owner;
        let value = self.value(owner);
        if self.lower(owner).is_some_and(|lower| *value < lower.value) {
            Some(Side::Lower)
        } else if self.upper(owner).is_some_and(|upper| *value > upper.value) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    fn can_move(&self, variable: Variable, up: bool) -> bool {
        let value = self.value(variable);
        if up {
            self.upper(variable).is_none_or(|upper| *value < upper.value)
        } else {
            self.lower(variable).is_none_or(|lower| *value > lower.value)
        }
    }

    /// The bound that the owner violates, and those that keep the row from following it.
    fn explained(&self, row: usize, side: Side) -> Vec<Literal> {
        let Row { owner, parts } = &self.rows[row];
        let rises = side == Side::Lower;
        let own = if rises { self.lower(*owner) } else { self.upper(*owner) };
        let others = parts.iter().map(|(part, by)| {
            if rises == by.is_positive() { self.upper(*part) } else { self.lower(*part) }
        });
        std::iter::once(own).chain(others).flatten().map(|bound| bound.literal).collect()
    }

    /// Follows a new bound: a variable that owns no row goes to it at once, the others wait for the check.
    fn moved(&mut self, variable: Variable, value: Option<Rational>, budget: &mut Budget) {
        let Some(value) = value else { return };
        self.settled = false;
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
        let Row { owner, parts } = &self.rows[row as usize];
        if let Ok(at) = parts.binary_search_by_key(&variable, |(part, _)| *part) {
            let value = &mut self.values[*owner as usize];
            *value = value.plus(&parts[at].1.times(by));
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
                .parts
                .binary_search_by_key(&variable, |(part, _)| *part)
                .is_ok()
        });
        self.columns[variable as usize].clone_from(&column);
        column
    }

    /// Makes `entering` the owner of the row, and gives the old owner the value `target`.
    fn exchange(&mut self, row: usize, entering: Variable, target: Rational, budget: &mut Budget) {
        let owner = self.rows[row].owner;
        let parts = std::mem::take(&mut self.rows[row].parts);
        let Ok(at) = parts.binary_search_by_key(&entering, |(part, _)| *part) else { return };
        let inverse = parts[at].1.inverted();
        let step = target.minus(self.value(owner)).times(&inverse);
        let opposite = inverse.negated();
        let mut solved: Vec<(Variable, Rational)> = Vec::with_capacity(parts.len());
        solved.extend(parts[..at].iter().map(|(part, by)| (*part, by.times(&opposite))));
        solved.extend(parts[at + 1..].iter().map(|(part, by)| (*part, by.times(&opposite))));
        let place = solved.partition_point(|(part, _)| *part < owner);
        solved.insert(place, (owner, inverse));

        self.values[owner as usize] = target;
        self.values[entering as usize] = self.value(entering).plus(&step);
        for other in self.column(entering) {
            budget.spend(4);
            self.shift(other, entering, &step, budget);
            self.replace(other, entering, &solved, budget);
        }
        self.columns[entering as usize].clear();
        self.columns[owner as usize].push(row as u32);
        self.row_of[owner as usize] = None;
        self.row_of[entering as usize] = Some(row as u32);
        self.rows[row] = Row { owner: entering, parts: solved };
    }

    /// Puts the sum that `variable` is in its place.
    fn replace(
        &mut self,
        row: u32,
        variable: Variable,
        sum: &[(Variable, Rational)],
        budget: &mut Budget,
    ) {
        let parts = &mut self.rows[row as usize].parts;
        let Ok(at) = parts.binary_search_by_key(&variable, |(part, _)| *part) else { return };
        let (_, by) = parts.remove(at);
        let new = merged(parts, &by, sum);
        budget.spend(new.iter().map(|(_, by)| by.size()).sum());
        for (part, _) in sum {
            self.columns[*part as usize].push(row);
        }
        self.rows[row as usize].parts = new;
    }
}

/// `a + by * b`.
fn merged(
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
