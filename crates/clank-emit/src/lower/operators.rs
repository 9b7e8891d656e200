//! Operators: exact integers, checked division and powers, structural equality, short circuits.

use clank::ty::{Prim, Ty};
use clank_syntax::ast::{BinaryOp, ExprId, UnaryOp};

use super::Lower;
use super::expr::item;
use crate::tree::{ArrayItem, Expr, ExprKind, JsBlock, NodeOrigin, Stmt, StmtKind, TemplatePart};

impl Lower<'_, '_> {
    pub(super) fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> Expr {
        let value = self.value(operand);
        match op {
            UnaryOp::Not => value.negated(),
            UnaryOp::Neg => {
                let ty = self.ty(operand).clone();
                let negative = Expr::unary("-", value);
                self.in_width(negative, &ty, self.origin(id))
            }
        }
    }

    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Expr {
        match op {
            BinaryOp::Pipe => return self.call(id, right, &[left]),
            BinaryOp::And | BinaryOp::Or => return self.short_circuit(op, left, right),
            _ => {}
        }
        let ty = self.ty(left).clone();
        let mut operands = self.operands(&[left, right]).into_iter();
        let (Some(left), Some(right)) = (operands.next(), operands.next()) else {
            return Expr::undefined();
        };
        if self.dead {
            return Expr::undefined();
        }
        let origin = self.origin(id);
        match op {
            BinaryOp::Eq => self.equal(left, right, &ty, origin),
            BinaryOp::Ne => self.equal(left, right, &ty, origin).negated(),
            BinaryOp::Concat => concat(left, right, &ty),
            _ => self.arithmetic(op, left, right, &ty, origin),
        }
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        ty: &Ty,
        origin: Option<NodeOrigin>,
    ) -> Expr {
        let is_float = ty.base() == &Ty::FLOAT;
        let is_comparison = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let value = match op {
            BinaryOp::Div if !is_float => self.cx.call("div", vec![left, right], origin),
            BinaryOp::Rem if !is_float => self.cx.call("rem", vec![left, right], origin),
            BinaryOp::Pow if !is_float => self.cx.call("pow", vec![left, right], origin),
            BinaryOp::Pow => Expr::binary("**", left, right),
            BinaryOp::Sub => Expr::binary("-", left, right),
            BinaryOp::Mul => Expr::binary("*", left, right),
            BinaryOp::Div => Expr::binary("/", left, right),
            BinaryOp::Rem => Expr::binary("%", left, right),
            BinaryOp::Lt => Expr::binary("<", left, right),
            BinaryOp::Le => Expr::binary("<=", left, right),
            BinaryOp::Gt => Expr::binary(">", left, right),
            BinaryOp::Ge => Expr::binary(">=", left, right),
            _ => Expr::binary("+", left, right),
        };
        if is_comparison || op == BinaryOp::Rem { value } else { self.in_width(value, ty, origin) }
    }

    /// The result of arithmetic, which must fit a type of fixed width.
    fn in_width(&mut self, value: Expr, ty: &Ty, origin: Option<NodeOrigin>) -> Expr {
        let helper = match ty.base() {
            Ty::Prim(Prim::Int32) => "int32",
            Ty::Prim(Prim::Int64) => "int64",
            _ => return value,
        };
        self.cx.call(helper, vec![value], origin)
    }

    /// `left == right`, structural.
    fn equal(&mut self, left: Expr, right: Expr, ty: &Ty, origin: Option<NodeOrigin>) -> Expr {
        let Ty::Prim(prim) = ty.base() else {
            return self.cx.call("equals", vec![left, right], origin);
        };
        match (prim, &left.kind, &right.kind) {
            (Prim::Unit, _, _) => self.cx.call("equals", vec![left, right], origin),
            (_, ExprKind::Bool(value), _) => {
                if *value {
                    right
                } else {
                    right.negated()
                }
            }
            (_, _, ExprKind::Bool(value)) => {
                if *value {
                    left
                } else {
                    left.negated()
                }
            }
            // TypeScript refuses to compare what it knows to be different.
            _ if is_literal(&left) && is_literal(&right) => {
                self.cx.call("equals", vec![left, right], origin)
            }
            (Prim::Bool, _, ExprKind::Ident(_)) => {
                Expr::binary("===", left, right.typed("boolean".into()))
            }
            _ => Expr::binary("===", left, right),
        }
    }

    /// `a && b`, `a || b`: the right side is evaluated only if the left one does not decide.
    fn short_circuit(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Expr {
        let left = self.value(left);
        if self.dead {
            return Expr::undefined();
        }
        let right = self.capture(|this| this.value(right));
        let text = if op == BinaryOp::And { "&&" } else { "||" };
        if right.statements.is_empty() && !right.is_dead {
            return match (&left.kind, &right.value.kind) {
                (ExprKind::Bool(value), _) if *value == (op == BinaryOp::And) => right.value,
                (_, ExprKind::Bool(value)) if *value == (op == BinaryOp::And) => left,
                _ => Expr::binary(text, left, right.value),
            };
        }
        let name = self.declare("holds");
        let ty = Some("boolean".to_owned());
        self.push(StmtKind::Let { name: name.clone(), ty, init: Some(left) }, None);
        let mut statements = right.statements;
        if !right.is_dead {
            let kind = StmtKind::Assign { target: Expr::ident(name.clone()), value: right.value };
            statements.push(Stmt { kind, origin: None });
        }
        let holds = Expr::ident(name);
        let condition = if op == BinaryOp::And { holds.clone() } else { holds.clone().negated() };
        let branches = vec![(condition, JsBlock(statements))];
        self.push(StmtKind::If { branches, otherwise: None }, None);
        holds
    }

    /// `if c { a } else { b }` as one expression, or as a statement if a branch turns out to need one.
    pub(super) fn conditional(
        &mut self,
        id: ExprId,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Expr {
        if let Some(holds) = self.constant(condition) {
            return self.value(if holds { then } else { otherwise });
        }
        let condition = self.value(condition);
        if self.dead {
            return Expr::undefined();
        }
        let then = self.capture(|this| this.value(then));
        let otherwise = self.capture(|this| this.value(otherwise));
        let is_simple = |it: &super::Captured<Expr>| it.statements.is_empty() && !it.is_dead;
        if is_simple(&then) && is_simple(&otherwise) {
            return Expr::conditional(condition, then.value, otherwise.value);
        }
        let name = self.declare("result");
        let ty = Some(self.cx.ts(self.ty(id)));
        self.push(StmtKind::Let { name: name.clone(), ty, init: None }, None);
        let block = |it: super::Captured<Expr>| {
            let mut statements = it.statements;
            if !it.is_dead {
                let target = Expr::ident(name.clone());
                let kind = StmtKind::Assign { target, value: it.value };
                statements.push(Stmt { kind, origin: None });
            }
            JsBlock(statements)
        };
        let is_dead = then.is_dead && otherwise.is_dead;
        let branches = vec![(condition, block(then))];
        let otherwise = Some(block(otherwise));
        self.push(StmtKind::If { branches, otherwise }, self.origin(id));
        self.dead |= is_dead;
        Expr::ident(name)
    }
}

/// Whether TypeScript knows the very value.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary { operand, .. } => is_literal(operand),
        ExprKind::Conditional { then, otherwise, .. } => is_literal(then) && is_literal(otherwise),
        ExprKind::Template(parts) => parts.iter().all(|it| match it {
            TemplatePart::Text(_) => true,
            TemplatePart::Expr(expr) => is_literal(expr),
        }),
        _ => false,
    }
}

/// `left ++ right`
fn concat(left: Expr, right: Expr, ty: &Ty) -> Expr {
    if !matches!(ty.base(), Ty::Array(_)) {
        return Expr::binary("+", left, right);
    }
    let mut items = spread(left);
    items.append(&mut spread(right));
    Expr::array(items)
}

/// The elements of an array that is written out, or all of another one.
fn spread(array: Expr) -> Vec<ArrayItem> {
    match array.kind {
        ExprKind::Array(items) => items,
        kind => vec![ArrayItem { spread: true, ..item(Expr { kind, depth: array.depth }) }],
    }
}
