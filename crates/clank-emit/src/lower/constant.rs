//! What is known before the program runs: conditions that always have the same value, and values that TypeScript takes for
//! a type of their own. TypeScript makes nothing out in code that it sees is never reached, and refuses to compare values
//! that it knows to be different.

use clank::body::Resolution;
use clank_syntax::ast::{BinaryOp, Expr as Clank, ExprId, Literal, TemplatePart, UnaryOp};
use clank_syntax::with_stack;

use super::Lower;

/// What is known about a condition.
#[derive(Clone, Copy)]
struct ConditionValue {
    value: Option<bool>,
    /// Whether it can be left out.
    is_pure: bool,
}

impl ConditionValue {
    const NOTHING: ConditionValue = ConditionValue { value: None, is_pure: false };

    fn value(value: bool) -> ConditionValue {
        ConditionValue { value: Some(value), is_pure: true }
    }
}

impl Lower<'_, '_> {
    /// The value of a condition that always has the same one and can be left out.
    pub(super) fn constant(&self, condition: ExprId) -> Option<bool> {
        self.known(condition).value
    }

    /// A condition that is left out is one without calls, indices and arithmetic, which may not come back.
    fn known(&self, id: ExprId) -> ConditionValue {
        let ast = self.at.ast;
        with_stack(|| match ast.expr(id) {
            Clank::Literal(Literal::Bool(value)) => ConditionValue::value(*value),
            Clank::Literal(_) => ConditionValue { value: None, is_pure: true },
            Clank::Ident { .. } => {
                let is_local = matches!(self.at.view.resolution(id), Some(Resolution::Local(_)));
                ConditionValue { value: None, is_pure: is_local }
            }
            Clank::Block { statements, expr: Some(expr) } if statements.is_empty() => {
                self.known(*expr)
            }
            Clank::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.known(*operand);
                ConditionValue { value: operand.value.map(|it| !it), ..operand }
            }
            Clank::Binary { op, left, right } => {
                let (left, right) = match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Eq | BinaryOp::Ne => {
                        (self.known(*left), self.known(*right))
                    }
                    _ => return ConditionValue::NOTHING,
                };
                both(*op, left, right)
            }
            Clank::If { condition, then_branch, else_branch: Some(otherwise) } => {
                match self.known(*condition).value {
                    Some(true) => self.known(*then_branch),
                    Some(false) => self.known(*otherwise),
                    None => ConditionValue::NOTHING,
                }
            }
            _ => ConditionValue::NOTHING,
        })
    }

    /// Whether TypeScript knows the very value of a number or text, or that it is one of a few.
    pub(super) fn is_literal(&self, id: ExprId) -> bool {
        let ast = self.at.ast;
        with_stack(|| match ast.expr(id) {
            Clank::Literal(it) => !matches!(it, Literal::Bool(_) | Literal::Unit),
            Clank::Unary { operand, .. } => self.is_literal(*operand),
            Clank::Block { expr: Some(expr), .. } => self.is_literal(*expr),
            Clank::If { then_branch, else_branch: Some(otherwise), .. } => {
                self.is_literal(*then_branch) && self.is_literal(*otherwise)
            }
            Clank::Template { parts } => parts.iter().all(|it| match it {
                TemplatePart::Text(_) => true,
                TemplatePart::Expr(expr) => self.is_literal(*expr),
            }),
            _ => false,
        })
    }
}

fn both(op: BinaryOp, left: ConditionValue, right: ConditionValue) -> ConditionValue {
    let is_pure = left.is_pure && right.is_pure;
    let value = match (op, left.value, right.value) {
        (BinaryOp::And, Some(false), _) => return ConditionValue::value(false),
        (BinaryOp::Or, Some(true), _) => return ConditionValue::value(true),
        (BinaryOp::And | BinaryOp::Or, Some(_), right) => right,
        (BinaryOp::And, None, Some(false)) if is_pure => Some(false),
        (BinaryOp::Or, None, Some(true)) if is_pure => Some(true),
        (BinaryOp::Eq, Some(left), Some(right)) => Some(left == right),
        (BinaryOp::Ne, Some(left), Some(right)) => Some(left != right),
        _ => None,
    };
    ConditionValue { value, is_pure }
}
