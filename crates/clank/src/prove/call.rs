//! Calls: what callees ask for, and what they give.

use clank_syntax::ast::{Expr, ExprId, Name};
use solver::{Sort, Term};

use super::predicate::{Params, Scope};
use super::symbols::{FunctionSymbol, sort};
use super::walk::{Walk, Why};
use crate::body::{GoalKind, Resolution, Site};
use crate::ty::{Predicate, Ty, TypeKey};

/// How many ends of an argument that branches are looked at.
const MAX_TAILS: usize = 2_000;

impl<'a> Walk<'a> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> Term {
        let resolution = self.at.view.resolution(callee);
        let is_global = matches!(self.at.ast.expr(callee), Expr::Ident { .. } | Expr::Field { .. })
            && !matches!(resolution, None | Some(Resolution::Local(_)));
        if !is_global {
            self.expr(callee);
        }
        let values: Vec<(ExprId, Term)> = args.iter().map(|it| (*it, self.expr(*it))).collect();
        self.apply(id, callee, resolution.filter(|_| is_global), &values)
    }

    /// `x |> f` is `f(x)`.
    pub(super) fn pipe(&mut self, id: ExprId, left: ExprId, piped: Term, callee: ExprId) -> Term {
        let resolution = self.at.view.resolution(callee);
        let is_global = matches!(self.at.ast.expr(callee), Expr::Ident { .. } | Expr::Field { .. })
            && !matches!(resolution, None | Some(Resolution::Local(_)));
        if !is_global {
            self.expr(callee);
        }
        self.apply(id, callee, resolution.filter(|_| is_global), &[(left, piped)])
    }

    fn apply(
        &mut self,
        id: ExprId,
        callee: ExprId,
        resolution: Option<&'a Resolution>,
        args: &[(ExprId, Term)],
    ) -> Term {
        if self.is_dead {
            return self.symbols.unknown(sort(self.ty(id)));
        }
        let terms: Vec<Term> = args.iter().map(|it| it.1).collect();
        let value = match resolution {
            Some(Resolution::Builtin(name)) => {
                self.ask(id, resolution, args);
                self.builtin(id, callee, name, &terms)
            }
            Some(Resolution::Fn { module, name }) => {
                self.ask(id, resolution, args);
                let is_pure = self.world.is_pure(module, name);
                self.asked.insert((module.clone(), name.clone(), is_pure));
                let value = match is_pure {
                    true => {
                        let function = FunctionSymbol::Call(module.clone(), name.clone());
                        self.symbols.apply(function, &terms, sort(self.ty(id)))
                    }
                    false => self.symbols.unknown(sort(self.ty(id))),
                };
                self.promised(resolution, &terms, value);
                value
            }
            Some(Resolution::External { .. }) => {
                self.ask(id, resolution, args);
                let value = self.symbols.unknown(sort(self.ty(id)));
                self.promised(resolution, &terms, value);
                value
            }
            Some(Resolution::Variant { ty, variant }) => {
                self.ask(id, resolution, args);
                self.symbols.variant(ty, *variant, &terms)
            }
            Some(Resolution::Record { ty }) => {
                self.ask(id, resolution, args);
                self.constructed(ty, &terms)
            }
            _ => self.symbols.unknown(sort(self.ty(id))),
        };
        if matches!(self.ty(id), Ty::Never) {
            self.is_dead = true;
            return value;
        }
        self.assume_type(value, self.ty(id));
        value
    }

    fn constructed(&mut self, ty: &TypeKey, args: &[Term]) -> Term {
        match self.world.shape(self.at.env, ty) {
            Some(crate::env::TypeBody::Record(fields)) => {
                let fields = fields.iter().map(|it| it.0.clone()).zip(args.iter().copied());
                let fields = fields.collect();
                self.symbols.record(fields)
            }
            _ => self.symbols.unknown(Sort::Other),
        }
    }

    /// A function that is not called asks only what needs no arguments.
    pub(super) fn ask_uncalled(&mut self, id: ExprId) {
        if let resolution @ Some(Resolution::Fn { .. }) = self.at.view.resolution(id) {
            self.ask(id, resolution, &[]);
        }
    }

    /// What a callee asks of its arguments, and its precondition.
    fn ask(&mut self, id: ExprId, resolution: Option<&Resolution>, args: &[(ExprId, Term)]) {
        let Some(resolution) = resolution else { return };
        if self.quiet > 0 {
            return;
        }
        let given: Vec<Option<(ExprId, Term)>> = args.iter().map(|it| Some(*it)).collect();
        self.argument_goals(resolution, &given);
        for index in self.goals_at(id) {
            if self.goal(index).kind != GoalKind::Precondition {
                continue;
            }
            let parts = self.precondition(resolution, args);
            match parts {
                Some(parts) => self.judge(index, &parts),
                None => self.give_up(index),
            }
        }
    }

    fn precondition(
        &mut self,
        resolution: &Resolution,
        args: &[(ExprId, Term)],
    ) -> Option<Vec<Term>> {
        let (signature, params) = self.world.callee(resolution)?;
        self.read.insert((params.place.module, params.place.decl));
        let condition = signature.precondition.as_ref()?;
        let values = Params::new(&params, args.iter().map(|it| Some(it.1)));
        self.condition(params.place, condition.expr, None, Scope::Params(&values))
    }

    /// The goals about arguments, in which the names of parameters mean the arguments (row 9).
    pub(super) fn argument_goals(
        &mut self,
        resolution: &Resolution,
        args: &[Option<(ExprId, Term)>],
    ) {
        if self.quiet > 0 {
            return;
        }
        let params = self.world.params(self.at.env, resolution);
        for (place, arg) in args.iter().enumerate() {
            let Some((expr, value)) = arg else { continue };
            for tail in self.tails(*expr) {
                for index in self.goals_at(tail) {
                    let Site::Argument { index: wanted, callee: Some(callee) } =
                        &self.goal(index).site
                    else {
                        continue;
                    };
                    if *wanted as usize != place || callee != resolution {
                        continue;
                    }
                    let (declared, values) = match &params {
                        Some(params) => {
                            let values = args.iter().map(|it| it.map(|it| it.1));
                            (params.types.get(place), Some(Params::new(params, values)))
                        }
                        None => (None, None),
                    };
                    let declared = declared.map(predicates).unwrap_or_default();
                    // In the text of the expected one names were replaced, and its variable with them.
                    let parts = self.expected_parts(index, *value, &|it| {
                        let own = declared.iter().find(|own| own.expr == it.expr);
                        match (own, &values) {
                            (Some(own), Some(values)) => (own, Scope::Params(values)),
                            _ => (it, Scope::Closed),
                        }
                    });
                    match parts {
                        Some(parts) => self.judge(index, &parts),
                        None => self.give_up(index),
                    }
                }
            }
        }
    }

    /// The expressions that a value may come from.
    fn tails(&self, expr: ExprId) -> Vec<ExprId> {
        let ast = self.at.ast;
        let mut tails = Vec::new();
        let mut work = vec![expr];
        while let Some(at) = work.pop() {
            match ast.expr(at) {
                Expr::Block { expr: Some(last), .. } => work.push(*last),
                Expr::If { then_branch, else_branch: Some(other), .. } => {
                    work.push(*other);
                    work.push(*then_branch);
                }
                Expr::Match { arms, .. } => {
                    work.extend(arms.iter().rev().map(|it| ast.arm(*it).body));
                }
                _ => {}
            }
            tails.push(at);
            if tails.len() > MAX_TAILS {
                break;
            }
        }
        tails
    }

    /// What holds of a result because the callee says so.
    fn promised(&mut self, resolution: Option<&Resolution>, args: &[Term], value: Term) {
        if self.quiet > 0 {
            return;
        }
        let Some((signature, params)) = resolution.and_then(|it| self.world.callee(it)) else {
            return;
        };
        self.read.insert((params.place.module, params.place.decl));
        let values = Params::new(&params, args.iter().map(|it| Some(*it)));
        let source = format!("result of {}", params.name);
        for predicate in predicates(&signature.result) {
            let holds = self.predicate(predicate, value, Scope::Params(&values));
            self.assume_all(holds, &predicate.text, &source);
        }
        if let Some(condition) = &signature.postcondition {
            let result = Some((Name::new("result"), value));
            let holds =
                self.condition(params.place, condition.expr, result, Scope::Params(&values));
            self.assume_all(holds, &condition.text, &source);
        }
    }

    pub(super) fn assume_all(&mut self, parts: Option<Vec<Term>>, text: &str, source: &str) {
        for part in parts.unwrap_or_default() {
            self.assume(part, Why::Said(text.into(), source.into()));
        }
    }

    // The prelude

    fn builtin(&mut self, id: ExprId, callee: ExprId, name: &Name, args: &[Term]) -> Term {
        let result = sort(self.ty(id));
        let symbols = &mut self.symbols;
        let is_integer = |symbols: &super::symbols::Symbols| {
            args.iter().all(|it| symbols.terms.sort(*it) == Sort::Int)
        };
        match (name.as_str(), args) {
            ("len", [array]) => return symbols.len(*array),
            ("is_empty", [array]) => {
                let (length, zero) = (symbols.len(*array), symbols.int(0));
                return symbols.terms.eq(length, zero);
            }
            ("push", [array, item]) => return symbols.push(*array, *item),
            ("range", [start, end]) => return symbols.range(*start, *end),
            ("to_int" | "to_int32" | "to_int64", [value]) if is_integer(symbols) => {
                let value = *value;
                self.overflow(id, value);
                return value;
            }
            ("linear" | "affine" | "consume", [value]) => return *value,
            ("abs", [value]) if is_integer(symbols) => {
                let zero = symbols.int(0);
                let negative = symbols.terms.neg(*value);
                let is_positive = symbols.terms.ge(*value, zero);
                return symbols.terms.ite(is_positive, *value, negative);
            }
            ("min", [a, b]) if is_integer(symbols) => {
                let is_less = symbols.terms.le(*a, *b);
                return symbols.terms.ite(is_less, *a, *b);
            }
            ("max", [a, b]) if is_integer(symbols) => {
                let is_less = symbols.terms.le(*a, *b);
                return symbols.terms.ite(is_less, *b, *a);
            }
            ("get", [array, index]) => return self.got(id, *array, *index),
            _ => {}
        }
        let value = match self.gives_the_same(callee) {
            true => self.symbols.apply(FunctionSymbol::Builtin(name.clone()), args, result),
            false => self.symbols.unknown(result),
        };
        self.length_of(name, args, value);
        value
    }

    /// Whether a function of the prelude gives the same for the same: it does nothing and takes no functions.
    fn gives_the_same(&self, callee: ExprId) -> bool {
        match self.ty(callee) {
            Ty::Fn(it) => {
                it.effects.is_pure()
                    && it.params.iter().all(|param| !matches!(param.base(), Ty::Fn(_)))
            }
            _ => false,
        }
    }

    /// `get(xs, i)`: the element if there is one.
    fn got(&mut self, id: ExprId, array: Term, index: Term) -> Term {
        let element = match self.ty(id).base() {
            Ty::Adt(adt) => adt.args.first().cloned().unwrap_or(Ty::Error),
            _ => Ty::Error,
        };
        let symbols = &mut self.symbols;
        let key = TypeKey::prelude("Option");
        let zero = symbols.int(0);
        let length = symbols.len(array);
        let (at_least, below) = (symbols.terms.ge(index, zero), symbols.terms.lt(index, length));
        let is_there = symbols.terms.and(&[at_least, below]);
        let element = symbols.index(array, index, sort(&element));
        let some = symbols.variant(&key, 0, &[element]);
        let none = symbols.variant(&key, 1, &[]);
        symbols.terms.ite(is_there, some, none)
    }

    /// What is known of the length of an array that the prelude makes.
    fn length_of(&mut self, name: &str, args: &[Term], value: Term) {
        let symbols = &mut self.symbols;
        let length = match (name, args) {
            ("map" | "reverse" | "sort" | "sort_by", [array, ..]) => symbols.len(*array),
            ("concat", [a, b]) => {
                let (a, b) = (symbols.len(*a), symbols.len(*b));
                symbols.terms.add(a, b)
            }
            ("zip", [a, b]) => {
                let (a, b) = (symbols.len(*a), symbols.len(*b));
                let is_less = symbols.terms.le(a, b);
                symbols.terms.ite(is_less, a, b)
            }
            ("take", [array, count]) => {
                let length = symbols.len(*array);
                let is_less = symbols.terms.le(*count, length);
                symbols.terms.ite(is_less, *count, length)
            }
            ("drop", [array, count]) => {
                let length = symbols.len(*array);
                let zero = symbols.int(0);
                let rest = symbols.terms.sub(length, *count);
                let is_less = symbols.terms.le(*count, length);
                symbols.terms.ite(is_less, rest, zero)
            }
            ("filter", [array, ..]) => {
                let (all, kept) = (symbols.len(*array), symbols.len(value));
                let holds = symbols.terms.le(kept, all);
                return self.assume(holds, Why::Implied);
            }
            _ => return,
        };
        symbols.set_len(value, length);
    }
}

/// The predicates of a type itself.
pub(super) fn predicates(ty: &Ty) -> &[Predicate] {
    match ty {
        Ty::Refined(it) => &it.predicates,
        _ => &[],
    }
}
