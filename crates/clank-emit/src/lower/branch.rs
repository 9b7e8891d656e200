//! Branches as statements: `if`, `else if` chains of any length, blocks, and where their values go.

use clank::body::Goal;
use clank::ty::Ty;
use clank_syntax::ast::{Expr as Clank, ExprId};
use clank_syntax::with_stack;

use super::{Goes, Lower};
use crate::tree::{Expr, JsBlock, StmtKind};

impl Lower<'_, '_> {
    /// Lowers an expression whose value goes somewhere.
    pub(super) fn goes(&mut self, id: ExprId, to: Goes) {
        with_stack(|| {
            let is_branch = matches!(self.at.ast.expr(id), Clank::If { .. } | Clank::Match { .. });
            match to {
                _ if self.dead => {}
                Goes::Return(mut goals) if self.around.result.is_none() && is_branch => {
                    goals.extend(self.checks_at(id.node()));
                    self.goes_unchecked(id, Goes::Away);
                    self.give_back(Expr::undefined(), id, &goals);
                }
                Goes::Return(goals) => {
                    let to = self.with_goals(id, goals);
                    self.goes_unchecked(id, to);
                }
                to if self.checks_at(id.node()).is_empty() => self.goes_unchecked(id, to),
                to => {
                    let value = self.value(id);
                    self.give(value, id, to);
                }
            }
        });
    }

    fn goes_unchecked(&mut self, id: ExprId, to: Goes) {
        let ast = self.at.ast;
        match ast.expr(id) {
            Clank::Block { statements, expr } => {
                for stmt in statements {
                    self.stmt(*stmt);
                }
                match expr {
                    Some(expr) => self.goes(*expr, to),
                    None => self.give(Expr::undefined(), id, to),
                }
            }
            Clank::If { condition, then_branch, else_branch: Some(otherwise) }
                if self.is_short(id, *then_branch, *otherwise, &to) =>
            {
                let value = self.conditional(id, *condition, *then_branch, *otherwise);
                self.give(value, id, to);
            }
            Clank::If { .. } => self.if_chain(id, to),
            Clank::Match { scrutinee, arms } => self.match_arms(id, *scrutinee, arms, to),
            _ => {
                let value = self.value(id);
                self.give(value, id, to);
            }
        }
    }

    /// The way of a value that is returned, with the goals about a branch or block. Those of other nodes are checked with
    /// their value.
    fn with_goals(&self, id: ExprId, mut goals: Vec<Goal>) -> Goes {
        if let Clank::If { .. } | Clank::Match { .. } | Clank::Block { .. } = self.at.ast.expr(id) {
            goals.extend(self.checks_at(id.node()));
        }
        Goes::Return(goals)
    }

    /// Whether an `if` is better written as one expression.
    fn is_short(&self, id: ExprId, then: ExprId, otherwise: ExprId, to: &Goes) -> bool {
        let ast = self.at.ast;
        let is_value = match to {
            Goes::Away => false,
            Goes::Return(goals) => goals.is_empty() && self.around.result.is_some(),
            Goes::To(_) => true,
        };
        is_value
            && self.ty(id).base() != &Ty::UNIT
            && ![then, otherwise].iter().any(|it| {
                self.at.facts.needs_statements(*it)
                    || matches!(ast.expr(*it), Clank::If { .. })
                    || ast.subtree(*it).len() > 12
            })
    }

    /// Sends a value on its way.
    pub(super) fn give(&mut self, value: Expr, id: ExprId, to: Goes) {
        if self.dead {
            return;
        }
        let origin = self.origin(id);
        match to {
            Goes::Away => {
                if !value.is_pure() {
                    self.push(StmtKind::Expr(value), origin);
                }
            }
            Goes::To(name) => {
                self.push(StmtKind::Assign { target: Expr::ident(name), value }, origin);
            }
            Goes::Return(goals) => self.give_back(value, id, &goals),
        }
    }

    fn give_back(&mut self, value: Expr, id: ExprId, goals: &[Goal]) {
        let origin = self.origin(id);
        let value = self.checked(value, goals, id.node());
        if self.dead {
            return;
        }
        if self.around.result.is_some() {
            self.leave(StmtKind::Return(Some(value)), origin);
            return;
        }
        if !value.is_pure() {
            self.push(StmtKind::Expr(value), origin);
        }
        self.leave(StmtKind::Return(None), origin);
    }

    /// The value of an `if` or `match` that needs statements.
    pub(super) fn branches(&mut self, id: ExprId) -> Expr {
        let ty = self.ty(id);
        if matches!(ty.base(), Ty::Prim(clank::ty::Prim::Unit) | Ty::Never) {
            self.goes_unchecked(id, Goes::Away);
            return Expr::undefined();
        }
        let name = self.declare("result");
        let ty = Some(self.cx.ts(ty));
        self.push(StmtKind::Let { name: name.clone(), ty, init: None }, None);
        self.goes_unchecked(id, Goes::To(name.clone()));
        Expr::ident(name)
    }

    /// Whether every branch that comes to its end returns a value, so that what follows needs no `else`.
    pub(super) fn returns_value(&self, to: &Goes) -> bool {
        matches!(to, Goes::Return(_)) && self.around.result.is_some()
    }

    fn if_chain(&mut self, id: ExprId, to: Goes) {
        let ast = self.at.ast;
        let origin = self.origin(id);
        let mut branches: Vec<(Expr, JsBlock)> = Vec::new();
        let mut all_dead = true;
        let mut current = id;
        let otherwise = loop {
            let Clank::If { condition, then_branch, else_branch } = ast.expr(current) else {
                break Some(self.block(|this| this.goes(current, to.clone())));
            };
            if let Some(holds) = self.constant(*condition) {
                match if holds { Some(*then_branch) } else { *else_branch } {
                    Some(next) if matches!(ast.expr(next), Clank::If { .. }) => {
                        current = next;
                        continue;
                    }
                    Some(next) if branches.is_empty() => return self.goes(next, to),
                    Some(next) => break Some(self.block(|this| this.goes(next, to.clone()))),
                    None => break None,
                }
            }
            let condition = self.capture(|this| this.value(*condition));
            if !condition.statements.is_empty() || condition.is_dead {
                if !branches.is_empty() {
                    // What the condition needs must not happen before the earlier conditions fail.
                    break Some(self.block(|this| this.if_chain(current, to.clone())));
                }
                self.out.extend(condition.statements);
                if condition.is_dead {
                    self.dead = true;
                    return;
                }
            }
            let (then, is_dead) = self.block(|this| this.goes(*then_branch, to.clone()));
            all_dead &= is_dead;
            if self.returns_value(&to) && is_dead {
                self.push(
                    StmtKind::If { branches: vec![(condition.value, then)], otherwise: None },
                    self.origin(current),
                );
                match else_branch {
                    Some(next) if matches!(ast.expr(*next), Clank::If { .. }) => current = *next,
                    Some(next) => return self.goes(*next, to),
                    None => return,
                }
                continue;
            }
            branches.push((condition.value, then));
            match else_branch {
                Some(next) => current = *next,
                None => break None,
            }
        };
        if branches.is_empty() && otherwise.is_none() {
            return;
        }
        let is_dead = all_dead && otherwise.as_ref().is_some_and(|it| it.1);
        let otherwise = otherwise.map(|it| it.0).filter(|it| !it.0.is_empty());
        self.push(StmtKind::If { branches, otherwise }, origin);
        self.dead |= is_dead;
    }
}
