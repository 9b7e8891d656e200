//! Statements.

use clank::body::{Goal, GoalKind, Resolution};
use clank::env::Condition;
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{Expr as Clank, ExprId, Pattern, PatternId, Stmt as ClankStmt, StmtId};
use clank_syntax::with_stack;

use super::{Frame, Goes, Lower};
use crate::facts;
use crate::tree::{BindingTarget, Expr, ExprKind, JsBlock, Stmt, StmtKind};

impl Lower<'_, '_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        if self.dead {
            return;
        }
        let origin = self.origin(id);
        let ast = self.at.ast;
        with_stack(|| match ast.stmt(id) {
            ClankStmt::Let { pattern, init, mutable, .. } => {
                self.binding(id, *pattern, *init, *mutable);
            }
            ClankStmt::Assign { target, value } => self.assign(id, *target, *value),
            ClankStmt::Expr { expr } => self.goes(*expr, Goes::Away),
            ClankStmt::For { pattern, iterable, body } => {
                self.for_loop(id, *pattern, *iterable, *body)
            }
            ClankStmt::While { condition, body } => self.while_loop(id, *condition, *body),
            ClankStmt::Loop { body } => {
                let (body, label, is_left) = self.loop_body(*body);
                let condition = Expr::bool(true);
                self.push(StmtKind::While { label, condition, body }, origin);
                self.dead |= !is_left;
            }
            ClankStmt::Return { value: Some(value) } => {
                let goals = self.checks_at(id.node());
                self.goes(*value, Goes::Return(goals));
            }
            ClankStmt::Return { value: None } => self.leave(StmtKind::Return(None), origin),
            ClankStmt::Break => self.jump(id, true),
            ClankStmt::Continue => self.jump(id, false),
            ClankStmt::Assert { condition, message } => {
                let holds = self.value(*condition);
                let text = match message {
                    Some(message) => message.clone(),
                    None => format!(
                        "the assertion `{}` does not hold",
                        self.assertion_text(id, *condition)
                    ),
                };
                self.require(holds, &text, origin);
            }
        });
    }

    fn assertion_text(&self, id: StmtId, condition: ExprId) -> String {
        let goals = self.at.goals_at(id.node()).iter();
        let goal = goals
            .chain(self.at.goals_at(condition.node()))
            .find(|it| it.kind == GoalKind::Assertion)
            .map(|it| it.text.clone());
        let written =
            || self.at.ast.text(condition).split_whitespace().collect::<Vec<_>>().join(" ");
        goal.unwrap_or_else(written)
    }

    fn binding(&mut self, id: StmtId, pattern: PatternId, init: ExprId, mutable: bool) {
        let mut goals = self.checks_at(id.node());
        goals.extend(self.checks_at(pattern.node()));
        let ast = self.at.ast;
        match ast.pattern(pattern) {
            Pattern::Ident { name } if self.at.facts.local(pattern.node()).reads > 0 => {
                self.let_name(id, pattern, name, init, mutable, &goals);
            }
            Pattern::Ident { .. } | Pattern::Wildcard if goals.is_empty() => {
                self.goes(init, Goes::Away);
            }
            _ => self.let_parts(id, pattern, init, mutable, &goals),
        }
    }

    fn let_name(
        &mut self,
        id: StmtId,
        pattern: PatternId,
        name: &str,
        init: ExprId,
        mutable: bool,
        goals: &[Goal],
    ) {
        let origin = self.origin(id);
        let local = self.at.facts.local(pattern.node());
        let ty = self.ty(pattern);
        let is_branch = matches!(self.at.ast.expr(init), Clank::If { .. } | Clank::Match { .. });
        let has_goals = !goals.is_empty() || !self.checks_at(init.node()).is_empty();
        let stays_branch = is_branch
            && self.at.facts.needs_statements(init)
            && !has_goals
            && !local.is_owned()
            && !matches!(ty.base(), Ty::Prim(Prim::Unit) | Ty::Never);
        if stays_branch {
            let name = self.declare(name);
            let ty = Some(self.cx.ts(ty));
            self.push(StmtKind::Let { name: name.clone(), ty, init: None }, origin);
            self.goes(init, Goes::To(name.clone()));
            self.bound(pattern, name, local.assigned);
            return;
        }
        let is_variable = mutable && (local.replaced || local.updated && !local.is_owned());
        let mut goals = goals.to_vec();
        goals.extend(self.checks_at(init.node()));
        let before = self.out.len();
        let value = self.unchecked(init);
        let value = self.checked_named(value, &goals, init.node(), (!is_variable).then_some(name));
        if self.dead {
            return;
        }
        let value = match local.is_owned() && !facts::is_fresh(self.at.ast, self.at.view, init) {
            true => self.cx.call("copy", vec![value], origin),
            false => value,
        };
        if let (ExprKind::Ident(kept), false) = (&value.kind, is_variable || goals.is_empty())
            && self.out[before..].iter().any(|it| it.declares(kept))
        {
            // The check has put the value into a constant already.
            self.at.locals.insert(pattern.node(), value);
            return;
        }
        let annotation = match is_variable {
            true => match ty.base() {
                // TypeScript takes `a || true` for `true`, and knows what a name was found to be.
                Ty::Prim(Prim::Bool) => (!is_wide(&value)).then_some(ty),
                Ty::Prim(_) => None,
                _ => Some(ty),
            },
            false => self.annotation(init).map(|_| ty),
        };
        let annotation = annotation.map(|it| self.cx.ts(it));
        let name = self.declare(name);
        let kind = match is_variable {
            true => StmtKind::Let { name: name.clone(), ty: annotation, init: Some(value) },
            false => {
                let target = BindingTarget::Name(name.clone());
                StmtKind::Const { mutable: false, target, ty: annotation, init: value }
            }
        };
        self.push(kind, origin);
        self.bound(pattern, name, local.assigned);
    }

    fn bound(&mut self, pattern: PatternId, name: clank_syntax::ast::Name, assigned: bool) {
        if assigned {
            self.mutable.insert(name.clone());
        }
        self.at.locals.insert(pattern.node(), Expr::ident(name));
    }

    fn let_parts(
        &mut self,
        id: StmtId,
        pattern: PatternId,
        init: ExprId,
        mutable: bool,
        goals: &[Goal],
    ) {
        let origin = self.origin(id);
        let value = self.value(init);
        let value = self.checked(value, goals, init.node());
        if self.dead {
            return;
        }
        if !self.is_target(pattern) {
            let value = self.keep_unless_stable(value, "value", origin);
            self.bind_parts(pattern, value);
            return;
        }
        match self.target(pattern) {
            Some(target) => {
                let kind = StmtKind::Const { mutable, target, ty: None, init: untyped(value) };
                self.push(kind, origin);
            }
            None if value.is_pure() => {}
            None => self.push(StmtKind::Expr(value), origin),
        }
    }

    fn for_loop(&mut self, id: StmtId, pattern: PatternId, iterable: ExprId, body: ExprId) {
        let ast = self.at.ast;
        if let Clank::Range { start, end, inclusive } = ast.expr(iterable)
            && matches!(ast.pattern(pattern), Pattern::Ident { .. } | Pattern::Wildcard)
        {
            return self.count(id, pattern, *start, *end, *inclusive, body);
        }
        let origin = self.origin(id);
        let iterable = self.value(iterable);
        if self.dead {
            return;
        }
        self.scopes.enter();
        let is_target = self.is_target(pattern);
        let target = if is_target { self.target(pattern) } else { None };
        let (target, whole) = match target {
            Some(target) => (target, None),
            None => {
                let name = self.declare("_item");
                (BindingTarget::Name(name.clone()), Some(name))
            }
        };
        let (body, label, _) = self.loop_body_after(body, |this| {
            if let (Some(whole), false) = (whole, is_target) {
                this.bind_parts(pattern, Expr::ident(whole));
            }
        });
        self.scopes.leave();
        self.push(StmtKind::ForOf { label, target, iterable, body }, origin);
    }

    /// A loop over a range counts.
    fn count(
        &mut self,
        id: StmtId,
        pattern: PatternId,
        start: ExprId,
        end: ExprId,
        inclusive: bool,
        body: ExprId,
    ) {
        let origin = self.origin(id);
        let end_id = end;
        let operands = self.operands(&[start, end]);
        let [start, end] = <[Expr; 2]>::try_from(operands)
            .unwrap_or_else(|_| [Expr::undefined(), Expr::undefined()]);
        if self.dead {
            return;
        }
        let end = match self.is_stable(&end) || self.is_stable_length(end_id, &end) {
            true => (start, end),
            false => {
                let start = match self.is_stable(&start) {
                    true => start,
                    false => self.keep(start, "start", None, origin),
                };
                (start, self.keep(end, "end", None, origin))
            }
        };
        let (start, end) = end;
        self.scopes.enter();
        let name = match self.at.ast.pattern(pattern) {
            Pattern::Ident { name } => self.declare(name),
            _ => self.declare("i"),
        };
        self.at.locals.insert(pattern.node(), Expr::ident(name.clone()));
        let (body, label, _) = self.loop_body(body);
        self.scopes.leave();
        self.push(StmtKind::Count { label, name, start, end, inclusive, body }, origin);
    }

    /// `len(xs)` of something that stays as it is.
    fn is_stable_length(&self, id: ExprId, expr: &Expr) -> bool {
        let is_len = match self.at.ast.expr(id) {
            Clank::Call { callee, .. } => matches!(
                self.at.view.resolution(*callee),
                Some(Resolution::Builtin(name)) if name == "len"
            ),
            _ => false,
        };
        match &expr.kind {
            ExprKind::Call { args, .. } => is_len && args.iter().all(|it| self.is_path(it)),
            _ => false,
        }
    }

    fn while_loop(&mut self, id: StmtId, condition: ExprId, body: ExprId) {
        let origin = self.origin(id);
        let constant = self.constant(condition);
        if constant == Some(false) {
            return;
        }
        let test = self.capture(|this| match constant {
            Some(value) => Expr::bool(value),
            None => this.value(condition),
        });
        if test.statements.is_empty() && !test.is_dead {
            let (body, label, is_left) = self.loop_body(body);
            let never_ends = matches!(test.value.kind, ExprKind::Bool(true));
            self.push(StmtKind::While { label, condition: test.value, body }, origin);
            self.dead |= never_ends && !is_left;
            return;
        }
        let (body, label, _) = self.loop_body_after(body, |this| {
            this.out.extend(test.statements);
            if test.is_dead {
                this.dead = true;
                return;
            }
            let leave = Stmt { kind: StmtKind::Break(None), origin: None };
            let branches = vec![(test.value.negated(), JsBlock(vec![leave]))];
            this.push(StmtKind::If { branches, otherwise: None }, origin);
        });
        self.push(StmtKind::While { label, condition: Expr::bool(true), body }, origin);
    }

    fn loop_body(&mut self, body: ExprId) -> (JsBlock, Option<clank_syntax::ast::Name>, bool) {
        self.loop_body_after(body, |_| {})
    }

    /// The body of a loop, the loop's label if one is needed, and whether it is left by `break`.
    fn loop_body_after(
        &mut self,
        body: ExprId,
        before: impl FnOnce(&mut Self),
    ) -> (JsBlock, Option<clank_syntax::ast::Name>, bool) {
        self.frames.push(Frame::Loop { label: None, is_left: false });
        let (block, _) = self.block(|this| {
            before(this);
            this.goes(body, Goes::Away);
        });
        match self.frames.pop() {
            Some(Frame::Loop { label, is_left }) => (block, label, is_left),
            _ => (block, None, false),
        }
    }

    fn jump(&mut self, id: StmtId, is_break: bool) {
        let origin = self.origin(id);
        let Some(index) = self.frames.iter().rposition(|it| matches!(it, Frame::Loop { .. }))
        else {
            return;
        };
        let needs_label = is_break && index + 1 < self.frames.len();
        let free = match index {
            0 => "loop".to_owned(),
            _ => format!("loop{}", index + 1),
        };
        let Frame::Loop { label, is_left } = &mut self.frames[index] else { return };
        *is_left |= is_break;
        let label = needs_label.then(|| label.get_or_insert_with(|| free.into()).clone());
        let kind = if is_break { StmtKind::Break(label) } else { StmtKind::Continue(label) };
        self.leave(kind, origin);
    }

    /// The body of a function.
    pub(crate) fn function_body(
        &mut self,
        body: ExprId,
        result: &Ty,
        postcondition: Option<Condition>,
    ) {
        let is_unit = result.base() == &Ty::UNIT;
        self.around.result = (!is_unit).then(|| result.clone());
        self.around.postcondition = postcondition;
        self.goes(body, Goes::Return(Vec::new()));
        if is_unit {
            strip_returns(&mut self.out);
        }
    }

    /// Checks `pre` where the function is entered.
    pub(crate) fn precondition(&mut self, condition: &Condition) {
        let origin = self.origin(condition.expr);
        let message = format!("the precondition `{}` does not hold", condition.text);
        let holds = self.value(condition.expr);
        self.require(holds, &message, origin);
    }

    /// Says that the name of a field stands for a parameter, in the predicates of other fields.
    pub(crate) fn field_value(&mut self, field: &str, param: &str) {
        self.at.values.push((field.into(), Expr::ident(param), 0..0));
    }

    /// Says what a parameter is called that has its name already.
    pub(crate) fn known_param(&mut self, node: clank_syntax::ast::NodeId, name: &str) {
        self.scopes.add(name.into());
        self.at.locals.insert(node, Expr::ident(name));
    }

    /// Says what a parameter is called.
    pub(crate) fn param(
        &mut self,
        node: clank_syntax::ast::NodeId,
        name: &str,
    ) -> clank_syntax::ast::Name {
        let name = self.declare(name);
        self.at.locals.insert(node, Expr::ident(name.clone()));
        name
    }
}

/// Whether TypeScript takes the value of a variable for any `boolean`.
fn is_wide(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Bool(_) | ExprKind::Call { .. } | ExprKind::Unary { .. } => true,
        ExprKind::Binary { op, .. } => !matches!(*op, "&&" | "||"),
        _ => false,
    }
}

/// Takes away a `return` at the end, where the function ends anyway.
pub(super) fn strip_returns(statements: &mut Vec<Stmt>) {
    if let Some(Stmt { kind: StmtKind::Return(None), .. }) = statements.last() {
        statements.pop();
    }
}

/// A value that is taken apart at once needs no type.
fn untyped(value: Expr) -> Expr {
    match value.kind {
        ExprKind::As { operand, .. } => *operand,
        kind => Expr { kind, depth: value.depth },
    }
}
