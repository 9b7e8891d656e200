//! Statements that are not loops.

use clank_syntax::ast::{Expr, ExprId, Name, Stmt, StmtId};
use clank_syntax::with_stack;
use solver::{Sort, Term};

use super::assigned::root;
use super::predicate::Changed;
use super::symbols::sort;
use super::walk::{Path, Walk, Why};
use crate::body::{GoalKind, Resolution};
use crate::env::TypeBody;
use crate::ty::Ty;

/// A step from a value to a part of it.
enum Projection {
    Index(Term),
    Field(Name),
}

impl<'a> Walk<'a> {
    pub(super) fn statement(&mut self, id: StmtId) {
        if self.is_dead {
            self.skip(id);
            return;
        }
        self.n_nodes += 1;
        with_stack(|| match self.at.ast.stmt(id) {
            Stmt::Let { pattern, ty: _, init, mutable: _ } => {
                let value = self.expr(*init);
                if !self.is_dead {
                    self.bind_pattern(*pattern, value, self.ty(*pattern));
                }
            }
            Stmt::Assign { target, value } => self.assign(id, *target, *value),
            Stmt::Expr { expr } => {
                self.expr(*expr);
            }
            Stmt::For { pattern, iterable, body } => self.for_loop(id, *pattern, *iterable, *body),
            Stmt::While { condition, body } => self.while_loop(id, Some(*condition), *body),
            Stmt::Loop { body } => self.while_loop(id, None, *body),
            Stmt::Return { value } => {
                let value = match value {
                    Some(value) => self.expr(*value),
                    None => self.symbols.unit(),
                };
                self.after(id.node(), value);
                self.is_dead = true;
            }
            Stmt::Break => self.leave_body(true),
            Stmt::Continue => self.leave_body(false),
            Stmt::Assert { condition, .. } => {
                let holds = self.expr(*condition);
                let parts = self.parts_of_condition(*condition, holds);
                if self.is_dead {
                    return self.skip(id);
                }
                for index in self.goals_at(id) {
                    if self.goal(index).kind == GoalKind::Assertion {
                        self.judge(index, &parts);
                    }
                }
                self.assume(holds, Why::Assert(*condition));
            }
        });
    }

    /// The operands of a condition that is a run of `&&`s, which was just evaluated; else the condition.
    pub(super) fn parts_of_condition(&mut self, condition: ExprId, holds: Term) -> Vec<Term> {
        let is_run = matches!(
            self.at.ast.expr(condition),
            Expr::Binary { op: clank_syntax::ast::BinaryOp::And, .. }
        );
        let parts = std::mem::take(&mut self.conjuncts);
        let is_whole = is_run && !parts.is_empty() && self.symbols.terms.and(&parts) == holds;
        if is_whole { parts } else { vec![holds] }
    }

    fn leave_body(&mut self, is_break: bool) {
        let Some(around) = self.loops.last_mut() else {
            self.is_dead = true;
            return;
        };
        let path = Path {
            vars: self.vars.clone(),
            facts: self.facts[around.mark.min(self.facts.len())..].to_vec(),
            is_dead: false,
        };
        match is_break {
            true => around.breaks.push(path),
            false => around.continues.push(path),
        }
        self.is_dead = true;
    }

    /// A local gets another value; an element or a field of one, and it gets a value that differs there (row 38).
    fn assign(&mut self, id: StmtId, target: ExprId, value: ExprId) {
        let ast = self.at.ast;
        let place = root(ast, target);
        let mut steps = Vec::new();
        let mut at = target;
        loop {
            at = match ast.expr(at) {
                Expr::Index { object, index } => {
                    steps.push((Some(*index), None, at));
                    *object
                }
                Expr::Field { object, field } => {
                    steps.push((None, Some(field.clone()), at));
                    *object
                }
                _ => break,
            };
        }
        steps.reverse();
        let mut path: Vec<(Projection, ExprId)> = Vec::with_capacity(steps.len());
        for (index, field, node) in steps {
            let step = match (index, field) {
                (Some(index), _) => Projection::Index(self.expr(index)),
                (None, field) => Projection::Field(field.unwrap_or_default()),
            };
            path.push((step, node));
        }
        let given = self.expr(value);
        self.after(id.node(), given);
        if self.is_dead {
            return self.skip(target);
        }
        let Some(Resolution::Local(local)) = self.at.view.resolution(place) else { return };
        let local = self.at.view.local(*local);
        let old = self.local(local);
        let mut around = Vec::new();
        let new = self.updated(old, &path, given, self.ty(place), &mut around);
        if self.is_dead {
            return;
        }
        self.after(target.node(), given);
        self.around_goals(id, &around);
        if !self.assigned.is_shared(local) {
            self.vars.insert(local, new);
        }
    }

    /// The value with another part at the end of a path, whose bounds are looked at on the way. `around` gets every value
    /// on the way as it is afterwards, the innermost first.
    fn updated(
        &mut self,
        old: Term,
        path: &[(Projection, ExprId)],
        given: Term,
        ty: &'a Ty,
        around: &mut Vec<Changed<'a>>,
    ) -> Term {
        let Some(((step, node), rest)) = path.split_first() else { return given };
        let part_ty = self.ty(*node);
        let new = with_stack(|| match step {
            Projection::Index(index) => {
                self.bounds(*node, old, *index);
                let part = self.symbols.index(old, *index, sort(part_ty));
                self.assume_lasting(part, part_ty);
                let part = self.updated(part, rest, given, part_ty, around);
                self.symbols.store(old, *index, part)
            }
            Projection::Field(field) => {
                let part = self.symbols.field(old, field, sort(part_ty));
                self.assume_lasting(part, part_ty);
                let part = self.updated(part, rest, given, part_ty, around);
                self.with_field(old, field, part, ty)
            }
        });
        around.push(Changed { old, new, ty });
        new
    }

    /// The record or tuple with another field.
    fn with_field(&mut self, old: Term, field: &Name, part: Term, ty: &Ty) -> Term {
        let fields: Vec<(Name, Sort)> = match ty.base() {
            Ty::Tuple(parts) => {
                let names = (0..parts.len()).map(|it| Name::from(it.to_string()));
                names.zip(parts.iter().map(sort)).collect()
            }
            Ty::Record(it) if !it.open => {
                it.fields.iter().map(|it| (it.0.clone(), sort(&it.1))).collect()
            }
            Ty::Adt(adt) => match self.world.shape(self.at.env, &adt.key) {
                Some(TypeBody::Record(_)) => {
                    let fields = self.world.record_fields(self.at.env, adt);
                    fields.iter().map(|it| (it.0.clone(), sort(&it.1))).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if fields.is_empty() {
            return self.symbols.unknown(Sort::Other);
        }
        let values: Vec<(Name, Term)> = fields
            .into_iter()
            .map(|(name, sort)| {
                let value =
                    if name == *field { part } else { self.symbols.field(old, &name, sort) };
                (name, value)
            })
            .collect();
        match ty.base() {
            Ty::Tuple(_) => {
                let parts: Vec<Term> = values.into_iter().map(|it| it.1).collect();
                self.symbols.tuple(&parts)
            }
            _ => self.symbols.record(values),
        }
    }
}
