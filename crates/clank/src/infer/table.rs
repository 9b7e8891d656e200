//! Type variables while one body is inferred, and which types go together.
//!
//! [`Table::relate`] looks at the shape only: whether a value of one type can go where another one is expected once
//! predicates, `Nat` and effects are left aside. Those are looked at when all variables are known (see [`super::settle`]).
//!
//! A variable takes the type of the first value that flows into it and is widened by the next ones (`Nat` to `Int`, two
//! different refinements to their base), unless it was fixed by a type that is expected from outside (row 40).

use std::sync::Arc;

use clank_syntax::ast::Name;
use clank_syntax::with_stack;
use rustc_hash::FxHashMap;

use crate::ty::{Adt, FnTy, Predicate, Prim, RecordTy, RefinedTy, Ty};

/// How many parts a type may have. Types that double with every `let` are refused instead of being compared for years.
pub(super) const MAX_PARTS: usize = 2_000;

/// How many steps it may take to find out whether two types go together. Variables share their types, so that a type
/// with few parts of its own can stand for more than could ever be looked at.
const MAX_STEPS: usize = 100 * MAX_PARTS;

/// The same in a body in which that was not enough once.
const FEW_STEPS: usize = 4 * MAX_PARTS;

/// Why two types do not go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypeClash {
    /// They have different shapes.
    Different,
    /// A variable would have to contain itself.
    Infinite,
    /// A variable would become larger than [`MAX_PARTS`] allows.
    TooLarge,
}

#[derive(Clone, Debug)]
enum Slot {
    Open,
    /// The same as another variable, which is older.
    Link(u32),
    Bound {
        ty: Ty,
        /// Whether it stays as it is when a wider type flows in.
        fixed: bool,
    },
}

/// The variables of one body.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// How many calls of [`Table::step`] are under way, how many steps they have left, and whether there were ever too
    /// few.
    depth: u32,
    steps_left: usize,
    was_exhausted: bool,
    /// Whether [`Table::solve`] cut something off.
    was_cut: bool,
    /// What variables stand for, with the number of parts, until one is bound again.
    solved: FxHashMap<u32, (Ty, usize)>,
}

impl Table {
    /// A type that is not known yet.
    pub(super) fn fresh(&mut self) -> Ty {
        self.slots.push(Slot::Open);
        Ty::Var(self.slots.len() as u32 - 1)
    }

    /// How many variables there are: those made from now on are newer.
    pub(super) fn mark(&self) -> u32 {
        self.slots.len() as u32
    }

    fn root(&mut self, var: u32) -> u32 {
        let mut root = var;
        while let Slot::Link(next) = self.slots[root as usize] {
            root = next;
        }
        let mut at = var;
        while let Slot::Link(next) = self.slots[at as usize] {
            self.slots[at as usize] = Slot::Link(root);
            at = next;
        }
        root
    }

    /// What the type is as far as is known: a variable only if nothing is known.
    pub(super) fn shallow(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Var(var) => {
                let root = self.root(*var);
                match &self.slots[root as usize] {
                    Slot::Bound { ty, .. } => {
                        let ty = ty.clone();
                        self.shallow(&ty)
                    }
                    _ => Ty::Var(root),
                }
            }
            _ => ty.clone(),
        }
    }

    /// The same without the predicates of the whole.
    pub(super) fn base(&mut self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Refined(it) => self.shallow(&it.base),
            other => other,
        }
    }

    /// Whether the type was written or is known for good: a variable may still be widened.
    pub(super) fn is_settled(&mut self, ty: &Ty) -> bool {
        match ty {
            Ty::Var(var) => {
                let root = self.root(*var);
                matches!(self.slots[root as usize], Slot::Bound { fixed: true, .. })
            }
            _ => true,
        }
    }

    fn set(&mut self, var: u32, slot: Slot) {
        self.slots[var as usize] = slot;
        self.solved.clear();
    }

    /// One step of a comparison. The outermost one says how many there may be.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut Table) -> Result<T, TypeClash>,
    ) -> Result<T, TypeClash> {
        if self.depth == 0 {
            self.steps_left = if self.was_exhausted { FEW_STEPS } else { MAX_STEPS };
        }
        let Some(left) = self.steps_left.checked_sub(1) else {
            self.was_exhausted = true;
            return Err(TypeClash::TooLarge);
        };
        self.steps_left = left;
        self.depth += 1;
        let result = with_stack(|| step(self));
        self.depth -= 1;
        result
    }

    /// Makes an open variable this type. Says no if the type contains the variable.
    fn bind(&mut self, var: u32, ty: Ty, fixed: bool) -> Result<(), TypeClash> {
        self.not_in(var, &ty)?;
        self.set(var, Slot::Bound { ty, fixed });
        Ok(())
    }

    /// Whether the variable may stand for the type: it is not in it.
    fn not_in(&mut self, var: u32, ty: &Ty) -> Result<(), TypeClash> {
        self.not_in_parts(var, ty, &mut { MAX_PARTS * 4 })
    }

    fn not_in_parts(&mut self, var: u32, ty: &Ty, left: &mut usize) -> Result<(), TypeClash> {
        *left = left.checked_sub(1).ok_or(TypeClash::TooLarge)?;
        match self.shallow(ty) {
            Ty::Var(other) if other == var => Err(TypeClash::Infinite),
            other => other
                .parts()
                .try_for_each(|part| self.step(|table| table.not_in_parts(var, part, left))),
        }
    }

    /// Fixes open variables in `ty` to what `expected` has in their place. Anything that does not go together is left
    /// for later.
    pub(super) fn push_expected(&mut self, ty: &Ty, expected: &Ty) {
        let is_whole = matches!(ty, Ty::Var(_));
        let expected = self.shallow(expected);
        // A goal about the whole value is checked on the value; pushed inwards it would be asked of every argument.
        if is_whole
            && matches!(expected, Ty::Refined(_) | Ty::Prim(Prim::Nat) | Ty::Var(_) | Ty::Error)
        {
            return;
        }
        // What is too large is found again, and reported, when the value arrives.
        let _ = self.step(|table| table.push_inner(ty, &expected));
    }

    fn push_inner(&mut self, ty: &Ty, expected: &Ty) -> Result<(), TypeClash> {
        let ty = self.shallow(ty);
        let expected = self.shallow(expected);
        match (&ty, &expected) {
            (_, Ty::Error | Ty::Never | Ty::Var(_)) => Ok(()),
            (Ty::Var(var), _) => match self.bind(*var, expected.clone(), true) {
                // So is an infinite type.
                Err(TypeClash::Infinite) => Ok(()),
                bound => bound,
            },
            (Ty::Refined(it), _) => self.push_inner(&it.base, &expected),
            (_, Ty::Refined(it)) => self.push_inner(&ty, &it.base),
            (Ty::Fn(_), _) | (_, Ty::Fn(_)) => Ok(()),
            _ if same_head(&ty, &expected) => {
                let mut pairs = ty.parts().zip(expected.parts());
                pairs.try_for_each(|(part, expected)| {
                    self.step(|table| table.push_inner(part, expected))
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether a value of type `actual` can go where `expected` is needed, as far as shapes go. Binds variables.
    pub(super) fn relate(&mut self, actual: &Ty, expected: &Ty) -> Result<(), TypeClash> {
        self.step(|table| table.relate_here(actual, expected))
    }

    fn relate_here(&mut self, actual: &Ty, expected: &Ty) -> Result<(), TypeClash> {
        match (actual, expected) {
            (Ty::Error | Ty::Never, _) | (_, Ty::Error) => Ok(()),
            (Ty::Var(a), Ty::Var(e)) => self.relate_vars(*a, *e),
            (_, Ty::Var(var)) => {
                let root = self.root(*var);
                match self.slots[root as usize].clone() {
                    Slot::Bound { ty, fixed: true } => self.relate(actual, &ty),
                    Slot::Bound { ty, fixed: false } => {
                        let joined = self.join(&ty, actual)?;
                        self.not_in(root, &joined)?;
                        self.set(root, Slot::Bound { ty: joined, fixed: false });
                        Ok(())
                    }
                    _ => self.bind(root, lasting_on_top(actual), false),
                }
            }
            (Ty::Var(var), _) => {
                let root = self.root(*var);
                match self.slots[root as usize].clone() {
                    Slot::Bound { ty, .. } => self.relate(&ty, expected),
                    _ => self.bind(root, without_demands(expected), false),
                }
            }
            (Ty::Refined(it), _) => self.relate(&it.base, expected),
            (_, Ty::Refined(it)) => self.relate(actual, &it.base),
            (Ty::Prim(a), Ty::Prim(e)) => (a == e || are_int_and_nat(*a, *e)).into_result(),
            (Ty::Param(a), Ty::Param(e)) => (a == e).into_result(),
            (Ty::Fn(a), Ty::Fn(e)) if a.params.len() == e.params.len() => {
                for (a, e) in a.params.iter().zip(&e.params) {
                    self.relate(e, a)?;
                }
                self.relate(&a.result, &e.result)
            }
            (Ty::Fn(_), Ty::Fn(_)) => Err(TypeClash::Different),
            (Ty::Record(a), Ty::Record(e)) => self.relate_records(a, e),
            _ if same_head(actual, expected) => {
                for (a, e) in actual.parts().zip(expected.parts()) {
                    self.relate(a, e)?;
                }
                Ok(())
            }
            _ => Err(TypeClash::Different),
        }
    }

    fn relate_vars(&mut self, actual: u32, expected: u32) -> Result<(), TypeClash> {
        let (a, e) = (self.root(actual), self.root(expected));
        if a == e {
            return Ok(());
        }
        let (older, newer) = (a.min(e), a.max(e));
        match (self.slots[older as usize].clone(), self.slots[newer as usize].clone()) {
            (Slot::Bound { .. }, Slot::Bound { ty, .. }) if newer == a => {
                self.relate(&ty, &Ty::Var(older))
            }
            (Slot::Bound { ty, .. }, Slot::Bound { .. }) => self.relate(&ty, &Ty::Var(newer)),
            (Slot::Open, Slot::Bound { ty, fixed }) => {
                self.bind(older, ty, fixed)?;
                self.set(newer, Slot::Link(older));
                Ok(())
            }
            (Slot::Bound { ty, .. }, _) => {
                self.not_in(newer, &ty)?;
                self.set(newer, Slot::Link(older));
                Ok(())
            }
            _ => {
                self.set(newer, Slot::Link(older));
                Ok(())
            }
        }
    }

    fn relate_records(&mut self, actual: &RecordTy, expected: &RecordTy) -> Result<(), TypeClash> {
        for (name, expected) in &expected.fields {
            let found =
                actual.fields.iter().find(|it| it.0 == *name).ok_or(TypeClash::Different)?;
            self.relate(&found.1, expected)?;
        }
        let is_known = |name: &Name| expected.fields.iter().any(|it| it.0 == *name);
        (expected.open || !actual.open && actual.fields.iter().all(|it| is_known(&it.0)))
            .into_result()
    }

    /// The narrowest type that both fit.
    pub(super) fn join(&mut self, left: &Ty, right: &Ty) -> Result<Ty, TypeClash> {
        self.step(|table| table.join_here(left, right))
    }

    fn join_here(&mut self, left: &Ty, right: &Ty) -> Result<Ty, TypeClash> {
        match (left, right) {
            (Ty::Never, other) | (other, Ty::Never) => Ok(other.clone()),
            (Ty::Error, _) | (_, Ty::Error) => Ok(Ty::Error),
            (Ty::Var(_), _) | (_, Ty::Var(_)) => {
                let (left, right) = (self.shallow(left), self.shallow(right));
                match (&left, &right) {
                    (Ty::Var(_), _) => self.relate(&right, &left).map(|()| right),
                    (_, Ty::Var(_)) => self.relate(&left, &right).map(|()| left),
                    _ => self.join(&left, &right),
                }
            }
            (Ty::Refined(a), Ty::Refined(b)) if a.predicates == b.predicates => {
                let base = self.join(&a.base, &b.base)?;
                let predicates = a.predicates.clone();
                Ok(Ty::Refined(Arc::new(RefinedTy { base, predicates })))
            }
            (Ty::Refined(it), other) | (other, Ty::Refined(it)) => self.join(&it.base, other),
            (Ty::Prim(a), Ty::Prim(b)) if are_int_and_nat(*a, *b) => Ok(Ty::INT),
            (Ty::Fn(a), Ty::Fn(b)) if a.params.len() == b.params.len() => {
                let params = a.params.iter().zip(&b.params);
                let params = params.map(|(a, b)| self.meet(a, b)).collect::<Result<_, _>>()?;
                Ok(Ty::Fn(Arc::new(FnTy {
                    params,
                    result: self.join(&a.result, &b.result)?,
                    effects: a.effects.and(b.effects),
                    any_effects: a.any_effects || b.any_effects,
                })))
            }
            (Ty::Record(a), Ty::Record(b)) => self.join_records(a, b),
            (Ty::Fn(_), Ty::Fn(_)) => Err(TypeClash::Different),
            _ if is_shared(left, right) => Ok(left.clone()),
            _ if same_head(left, right) => {
                let pairs = left.parts().zip(right.parts());
                let joined = pairs.map(|(a, b)| self.join(a, b)).collect::<Result<Vec<_>, _>>()?;
                Ok(made_of(left, joined))
            }
            _ => Err(TypeClash::Different),
        }
    }

    fn join_records(&mut self, left: &RecordTy, right: &RecordTy) -> Result<Ty, TypeClash> {
        if left.fields.len() != right.fields.len() || left.open != right.open {
            return Err(TypeClash::Different);
        }
        let mut fields = Vec::with_capacity(left.fields.len());
        for (name, ty) in &left.fields {
            let other = right.fields.iter().find(|it| it.0 == *name).ok_or(TypeClash::Different)?;
            fields.push((name.clone(), self.join(ty, &other.1)?));
        }
        Ok(Ty::Record(Arc::new(RecordTy { fields, open: left.open })))
    }

    /// The widest type that fits both, for parameters of functions that are joined.
    fn meet(&mut self, left: &Ty, right: &Ty) -> Result<Ty, TypeClash> {
        self.relate(left, right)?;
        let (l, r) = (self.shallow(left), self.shallow(right));
        Ok(match (&l, &r) {
            (Ty::Prim(Prim::Int), Ty::Prim(Prim::Nat)) => r,
            (Ty::Refined(_), _) => l,
            (_, Ty::Refined(_)) => r,
            _ => l,
        })
    }

    /// Replaces variables that were made since `mark` by what they are bound to: nothing flows into them any more.
    pub(super) fn close(&mut self, ty: &Ty, mark: u32) -> Ty {
        self.close_parts(ty, mark, &mut { MAX_PARTS * 4 })
    }

    fn close_parts(&mut self, ty: &Ty, mark: u32, left: &mut usize) -> Ty {
        if *left == 0 {
            // The variables that stay mean the same.
            return ty.clone();
        }
        *left -= 1;
        match ty {
            Ty::Var(var) => {
                let root = self.root(*var);
                match &self.slots[root as usize] {
                    Slot::Bound { ty, .. } if root >= mark => {
                        let ty = ty.clone();
                        with_stack(|| self.close_parts(&ty, mark, left))
                    }
                    _ => Ty::Var(root),
                }
            }
            _ => self.map(ty, &mut |table, part| table.close_parts(part, mark, left)),
        }
    }

    /// The type with all variables replaced; `open` stands for those that nothing is known about. What is too large is
    /// cut off, and [`Table::take_cut`] says so.
    pub(super) fn solve(&mut self, ty: &Ty, open: &Ty) -> Ty {
        if is_known(ty, &mut { MAX_PARTS }) {
            return ty.clone();
        }
        self.solve_parts(ty, open, &mut { MAX_PARTS * 4 })
    }

    fn solve_parts(&mut self, ty: &Ty, open: &Ty, left: &mut usize) -> Ty {
        let Some(less) = left.checked_sub(1) else {
            self.was_cut = true;
            return Ty::Error;
        };
        *left = less;
        let Ty::Var(var) = ty else {
            return self.map(ty, &mut |table, part| table.solve_parts(part, open, left));
        };
        let root = self.root(*var);
        if let Some((known, n_parts)) = self.solved.get(&root).filter(|_| *open == Ty::UNIT)
            && let Some(less) = left.checked_sub(*n_parts)
        {
            *left = less;
            return known.clone();
        }
        let Slot::Bound { ty, .. } = &self.slots[root as usize] else { return open.clone() };
        let (ty, before, was_cut) = (ty.clone(), *left, std::mem::take(&mut self.was_cut));
        let known = with_stack(|| self.solve_parts(&ty, open, left));
        if *open == Ty::UNIT && !self.was_cut {
            self.solved.insert(root, (known.clone(), before - *left));
        }
        self.was_cut |= was_cut;
        known
    }

    /// Whether something was cut off since this was asked last.
    pub(super) fn take_cut(&mut self) -> bool {
        std::mem::take(&mut self.was_cut)
    }

    /// Whether the type is small enough to go on with.
    pub(super) fn is_reasonable(&mut self, ty: &Ty) -> bool {
        self.count(ty, &mut { MAX_PARTS })
    }

    fn count(&mut self, ty: &Ty, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if is_simple(ty) {
            return true;
        }
        let ty = self.shallow(ty);
        ty.parts().all(|it| with_stack(|| self.count(it, left)))
    }

    fn map(&mut self, ty: &Ty, change: &mut dyn FnMut(&mut Table, &Ty) -> Ty) -> Ty {
        if is_simple(ty) {
            return ty.clone();
        }
        if let Ty::Refined(it) = ty {
            let base = with_stack(|| change(self, &it.base));
            return crate::resolve::refined(base, it.predicates.clone());
        }
        let new: Vec<Ty> = ty.parts().map(|it| with_stack(|| change(self, it))).collect();
        made_of(ty, new)
    }
}

trait IntoResult {
    fn into_result(self) -> Result<(), TypeClash>;
}

impl IntoResult for bool {
    fn into_result(self) -> Result<(), TypeClash> {
        if self { Ok(()) } else { Err(TypeClash::Different) }
    }
}

fn are_int_and_nat(a: Prim, b: Prim) -> bool {
    matches!((a, b), (Prim::Int, Prim::Nat) | (Prim::Nat, Prim::Int))
}

/// The type without predicates of the whole value that speak of other names.
pub(super) fn closed_on_top(ty: &Ty) -> Ty {
    kept_on_top(ty, Predicate::is_closed)
}

/// The type without predicates of the whole value that may mean something else where what is inferred is used.
fn lasting_on_top(ty: &Ty) -> Ty {
    kept_on_top(ty, Predicate::is_lasting)
}

fn kept_on_top(ty: &Ty, is_kept: fn(&Predicate) -> bool) -> Ty {
    match ty {
        Ty::Refined(it) if !it.predicates.iter().all(is_kept) => {
            let predicates = it.predicates.iter().filter(|it| is_kept(it));
            crate::resolve::refined(it.base.clone(), predicates.cloned().collect())
        }
        _ => ty.clone(),
    }
}

/// The type without what only goals can ask for: the predicates of the whole, and that a function may do anything.
fn without_demands(ty: &Ty) -> Ty {
    match ty {
        Ty::Refined(it) => without_demands(&it.base),
        Ty::Fn(it) if it.any_effects => {
            Ty::Fn(Arc::new(FnTy { any_effects: false, ..FnTy::clone(it) }))
        }
        _ => ty.clone(),
    }
}

/// Whether two types are made by the same constructor with as many parts.
fn same_head(left: &Ty, right: &Ty) -> bool {
    match (left, right) {
        (Ty::Adt(a), Ty::Adt(b)) => a.key == b.key && a.args.len() == b.args.len(),
        (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len(),
        (Ty::Array(_), Ty::Array(_)) | (Ty::Never, Ty::Never) => true,
        (Ty::Record(a), Ty::Record(b)) => {
            a.open == b.open && a.fields.iter().map(|it| &it.0).eq(b.fields.iter().map(|it| &it.0))
        }
        (Ty::Prim(a), Ty::Prim(b)) => a == b,
        (Ty::Param(a), Ty::Param(b)) => a == b,
        _ => false,
    }
}

/// Whether there is no variable in a type. What is too large to tell is not known.
fn is_known(ty: &Ty, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match ty {
        Ty::Var(_) => false,
        _ if is_simple(ty) => true,
        _ => ty.parts().all(|it| with_stack(|| is_known(it, left))),
    }
}

/// Whether it is neither a variable nor made of parts, as most types are.
fn is_simple(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => true,
        Ty::Adt(it) => it.args.is_empty(),
        Ty::Var(_) | Ty::Fn(_) | Ty::Tuple(_) | Ty::Array(_) | Ty::Record(_) | Ty::Refined(_) => {
            false
        }
    }
}

/// Whether two types are one because they are in the same place, which takes no look at their parts.
pub(super) fn is_shared(left: &Ty, right: &Ty) -> bool {
    match (left.address(), right.address()) {
        (None, None) => left == right,
        (left, right) => left == right,
    }
}

/// The same type made of these parts; the type itself if they are its own.
fn made_of(ty: &Ty, parts: Vec<Ty>) -> Ty {
    let is_own = parts.iter().zip(ty.parts()).all(|(new, old)| is_shared(new, old));
    if is_own { ty.clone() } else { with_parts(ty, parts) }
}

/// The same type made of other parts.
pub(super) fn with_parts(ty: &Ty, mut parts: Vec<Ty>) -> Ty {
    match ty {
        Ty::Adt(it) => Ty::Adt(Arc::new(Adt { key: it.key.clone(), args: parts })),
        Ty::Fn(it) => {
            let result = parts.pop().unwrap_or(Ty::Error);
            let FnTy { effects, any_effects, .. } = **it;
            Ty::Fn(Arc::new(FnTy { params: parts, result, effects, any_effects }))
        }
        Ty::Tuple(_) => Ty::Tuple(parts.into()),
        Ty::Array(_) => Ty::array(parts.pop().unwrap_or(Ty::Error)),
        Ty::Record(it) => {
            let names = it.fields.iter().map(|field| field.0.clone());
            Ty::Record(Arc::new(RecordTy { fields: names.zip(parts).collect(), open: it.open }))
        }
        _ => ty.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::codes;

    #[test]
    fn types_that_double_again_and_again_are_refused_without_being_written_out() {
        let mut text = String::new();
        for index in 0..60 {
            text.push_str(&format!("fn g{index}[T](x: T) -> (T, T) {{ (x, x) }}\n"));
        }
        let calls: String = (0..60).map(|it| format!("g{it}(")).collect();
        text.push_str(&format!("fn f() -> Unit {{ let _y = {calls}1{} }}\n", ")".repeat(60)));
        let found = codes(&text);
        assert!(!found.is_empty() && found.iter().all(|it| it.starts_with("E2007")), "{found:?}");
    }

    #[test]
    fn types_that_grow_through_variables_are_refused_without_being_written_out() {
        let mut text = String::from("fn g[T](x: T) -> (T, T) { (x, x) }\nfn f() -> Unit {\n");
        for index in 0..12 {
            text.push_str(&format!("let mut a{index} = [];\n"));
        }
        for index in (0..11).rev() {
            let next = index + 1;
            text.push_str(&format!("a{index} = [g(g(g(g(g(g(g(g(a{next}))))))))];\n"));
        }
        text.push_str("}\n");
        let found = codes(&text);
        assert!(found.iter().any(|it| it.starts_with("E2007")), "{found:?}");
    }

    /// Each statement is small: only what `a0` stands for in the end is not.
    #[test]
    fn types_that_grow_from_the_outside_in_are_refused_without_being_written_out() {
        let mut text = String::from("fn g[T](x: T) -> (T, T) { (x, x) }\nfn f() -> Unit {\n");
        for index in 0..41 {
            text.push_str(&format!("let mut a{index} = [];\n"));
        }
        for index in 0..40 {
            let next = index + 1;
            text.push_str(&format!("a{index} = [g(g(g(g(g(g(g(g(a{next}))))))))];\n"));
        }
        text.push_str("}\n");
        let found = codes(&text);
        let too_large: Vec<_> = found.iter().filter(|it| it.starts_with("E2007")).collect();
        assert_eq!(too_large.len(), 1, "{found:?}");
    }

    /// Neither of the two is ever written out, but every part of the one meets every part of the other.
    #[test]
    fn types_that_share_their_parts_are_not_compared_part_by_part() {
        let mut text = String::from("fn g[T](x: T) -> (T, T) { (x, x) }\nfn f() -> Unit {\n");
        for index in 0..41 {
            text.push_str(&format!("let mut a{index} = [];\nlet mut b{index} = [];\n"));
        }
        for index in 0..40 {
            let next = index + 1;
            text.push_str(&format!("a{index} = [g(g(a{next}))];\nb{index} = [g(g(b{next}))];\n"));
        }
        text.push_str("a0 = b0;\nb0 = a0\n}\n");
        let found = codes(&text);
        assert!(found.iter().any(|it| it.starts_with("E2007")), "{found:?}");
    }
}
