//! Patterns: when they match, and what they bind.

use clank_syntax::ast::{ArmId, ExprId, Literal, Name, Pattern, PatternId};
use clank_syntax::with_stack;
use solver::{Sort, Term};

use super::symbols::sort;
use super::walk::{Hypothesis, Path, Walk, Why};
use crate::body::Resolution;
use crate::env::TypeBody;
use crate::ty::Ty;

/// Of matches with at most so many arms it is remembered after them which arms were not taken.
const MAX_LISTED: usize = 24;

impl Walk<'_> {
    pub(super) fn match_expr(&mut self, id: ExprId, scrutinee: ExprId, arms: &[ArmId]) -> Term {
        let value = self.expr(scrutinee);
        let ty = self.ty(scrutinee);
        let ast = self.at.ast;
        let mut results: Vec<(Term, Term, Path)> = Vec::with_capacity(arms.len());
        let start = self.facts.len();
        // What an arm leaves to the next ones is only that it was not taken.
        self.branch(|this| {
            for arm in arms {
                let arm = ast.arm(*arm);
                let matches = this.matches(arm.pattern, value, ty);
                let mut taken = matches;
                let before: Vec<Hypothesis> = match arms.len() <= MAX_LISTED {
                    true => this.facts[start..].to_vec(),
                    false => Vec::new(),
                };
                let (result, mut path) = this.branch(|this| {
                    this.assume(matches, Why::Implied);
                    if !this.is_dead {
                        this.bind_pattern(arm.pattern, value, ty);
                    }
                    if let Some(guard) = arm.guard {
                        let holds = this.expr(guard);
                        taken = this.symbols.terms.and(&[matches, holds]);
                        this.assume(holds, Why::Condition(guard, true));
                    }
                    this.expr(arm.body)
                });
                if let Some(guard) = arm.guard {
                    this.forget(ast.subtree(guard));
                }
                path.facts.splice(0..0, before);
                results.push((taken, result, path));
                this.assume_not(taken, Why::Implied);
            }
        });
        self.join_arms(id, results)
    }

    /// Goes on after the arms, of which the first that was taken counts. That one was taken is seen to elsewhere.
    fn join_arms(&mut self, id: ExprId, results: Vec<(Term, Term, Path)>) -> Term {
        let mut alive = results.into_iter().rev().filter(|it| !it.2.is_dead);
        let Some((_, mut value, mut path)) = alive.next() else {
            self.is_dead = true;
            return self.symbols.unknown(sort(self.ty(id)));
        };
        for (taken, other_value, other) in alive {
            value = self.symbols.either(taken, other_value, value);
            let mark = self.facts.len();
            let vars = std::mem::replace(&mut self.vars, path.vars.clone());
            self.join(taken, other, path);
            path = Path {
                vars: std::mem::replace(&mut self.vars, vars),
                facts: self.facts.split_off(mark),
                is_dead: false,
            };
        }
        self.vars = path.vars;
        self.facts.extend(path.facts);
        value
    }

    /// Whether a pattern matches.
    fn matches(&mut self, pattern: PatternId, value: Term, ty: &Ty) -> Term {
        with_stack(|| match self.at.ast.pattern(pattern) {
            Pattern::Wildcard | Pattern::Ident { .. } => self.symbols.terms.bool(true),
            Pattern::Error { .. } | Pattern::Literal(Literal::Float(_)) => {
                self.symbols.unknown(Sort::Bool)
            }
            Pattern::Literal(literal) => {
                let wanted = self.literal(literal);
                match self.symbols.terms.sort(wanted) == self.symbols.terms.sort(value) {
                    true => self.symbols.terms.eq(value, wanted),
                    false => self.symbols.unknown(Sort::Bool),
                }
            }
            _ => {
                let mut all: Vec<Term> = self.own_test(pattern, value, ty).into_iter().collect();
                for (part, inner, ty) in self.parts_of(pattern, value, ty) {
                    if let Some(inner) = inner {
                        all.push(self.matches(inner, part, &ty));
                    }
                }
                self.symbols.terms.and(&all)
            }
        })
    }

    /// Whether the value is the variant that the pattern names.
    fn own_test(&mut self, pattern: PatternId, value: Term, ty: &Ty) -> Option<Term> {
        let Pattern::Variant { .. } = self.at.ast.pattern(pattern) else { return None };
        let (Some(Resolution::Variant { variant, .. }), Ty::Adt(adt)) =
            (self.at.view.resolution(pattern), ty.base())
        else {
            return Some(self.symbols.unknown(Sort::Bool));
        };
        let Some(TypeBody::Sum(variants)) = self.world.shape(self.at.env, &adt.key) else {
            return Some(self.symbols.unknown(Sort::Bool));
        };
        let n_variants = variants.len();
        let tag = self.symbols.tag(value, n_variants);
        let wanted = self.symbols.int(*variant);
        Some(self.symbols.terms.eq(tag, wanted))
    }

    /// The parts that a pattern looks at, each with its own pattern (a field may have none) and type.
    fn parts_of(
        &mut self,
        pattern: PatternId,
        value: Term,
        ty: &Ty,
    ) -> Vec<(Term, Option<PatternId>, Ty)> {
        let ast = self.at.ast;
        let view = self.at.view;
        match ast.pattern(pattern) {
            Pattern::Tuple { elements } => elements
                .iter()
                .enumerate()
                .map(|(index, inner)| {
                    let ty = view.ty(*inner).clone();
                    let name = Name::from(index.to_string());
                    (self.symbols.field(value, &name, sort(&ty)), Some(*inner), ty)
                })
                .collect(),
            Pattern::Record { fields } => fields
                .iter()
                .map(|id| {
                    let field = ast.field_pattern(*id);
                    let ty = view.ty(*id).clone();
                    (self.symbols.field(value, &field.name, sort(&ty)), field.pattern, ty)
                })
                .collect(),
            Pattern::Variant { payload, .. } => {
                let variant = match view.resolution(pattern) {
                    Some(Resolution::Variant { variant, .. }) => Some(*variant),
                    _ => None,
                };
                let is_sum = matches!(ty.base(), Ty::Adt(_));
                payload
                    .iter()
                    .enumerate()
                    .map(|(index, inner)| {
                        let ty = view.ty(*inner).clone();
                        let part = match variant.filter(|_| is_sum) {
                            Some(variant) => {
                                self.symbols.payload(value, variant, index as u32, sort(&ty))
                            }
                            None => self.symbols.unknown(sort(&ty)),
                        };
                        (part, Some(*inner), ty)
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Binds the names of a pattern that matches.
    pub(super) fn bind_pattern(&mut self, pattern: PatternId, value: Term, ty: &Ty) {
        with_stack(|| {
            let ast = self.at.ast;
            if let Pattern::Ident { .. } = ast.pattern(pattern) {
                self.assume_type(value, self.ty(pattern));
                self.bind(pattern.node(), value);
                return;
            }
            for (part, inner, ty) in self.parts_of(pattern, value, ty) {
                if let Some(inner) = inner {
                    self.bind_pattern(inner, part, &ty);
                }
            }
            if let Pattern::Record { fields } = ast.pattern(pattern) {
                for id in fields {
                    let field = ast.field_pattern(*id);
                    if field.pattern.is_none() {
                        let ty = self.ty(*id);
                        let part = self.symbols.field(value, &field.name, sort(ty));
                        self.assume_type(part, ty);
                        self.bind(id.node(), part);
                    }
                }
            }
        });
    }
}
