//! Run-time checks of goals that are not proved: predicates of types, `pre`, `post`, and the range of `Nat`.
//!
//! Arguments of Clank's functions are checked by the function when it is entered and fields by the constructor; all else
//! is checked where the goal is.

use clank::body::{Goal, GoalKind};
use clank::ty::{GivenValue, Predicate, Prim, Ty};
use clank_syntax::ast::{ExprId, Name, NodeId};
use rustc_hash::FxHashMap;

use super::{Lower, LoweredDecl};
use crate::names;
use crate::tree::{Expr, ExprKind, NodeOrigin, StmtKind};

impl Lower<'_, '_> {
    /// The goals about the value of a node that are checked there.
    pub(super) fn checks_at(&self, node: NodeId) -> Vec<Goal> {
        let is_checked_here = |goal: &&&Goal| match goal.kind {
            GoalKind::Postcondition => true,
            GoalKind::Refinement => !goal.site.is_asked_by_callee(),
            _ => false,
        };
        self.at.goals_at(node).iter().filter(is_checked_here).map(|it| (*it).clone()).collect()
    }

    /// The value after the checks of these goals.
    pub(super) fn checked(&mut self, value: Expr, goals: &[Goal], node: NodeId) -> Expr {
        self.checked_named(value, goals, node, None)
    }

    /// The same, where a constant that is needed gets this name.
    pub(super) fn checked_named(
        &mut self,
        value: Expr,
        goals: &[Goal],
        node: NodeId,
        name: Option<&str>,
    ) -> Expr {
        let mut value = value;
        for goal in goals {
            if self.dead {
                return Expr::undefined();
            }
            let origin = self.origin(node);
            match (&goal.kind, &goal.expected) {
                (GoalKind::Postcondition, _) => {
                    value = self.check_postcondition(value, goal, origin);
                }
                (_, Some(expected)) => {
                    value = self.checked_as(value, expected, Some(&goal.text), name, origin);
                }
                (_, None) => {}
            }
        }
        value
    }

    fn check_postcondition(
        &mut self,
        value: Expr,
        goal: &Goal,
        origin: Option<NodeOrigin>,
    ) -> Expr {
        let Some(condition) = self.around.postcondition.clone() else { return value };
        let value = self.keep_unless_literal(value, "result", origin);
        let text = if condition.text.is_empty() { &goal.text } else { &condition.text };
        let message = format!("the postcondition `{text}` does not hold");
        self.check_condition("result", value.clone(), condition.expr, &message, origin);
        value
    }

    /// The value after the checks that a type asks for.
    pub(super) fn checked_as(
        &mut self,
        value: Expr,
        expected: &Ty,
        goal: Option<&str>,
        name: Option<&str>,
        origin: Option<NodeOrigin>,
    ) -> Expr {
        let value = match expected.base() {
            Ty::Prim(prim @ (Prim::Nat | Prim::Int32 | Prim::Int64)) => {
                self.checked_range(value, *prim, origin)
            }
            _ => value,
        };
        let Ty::Refined(refined) = expected else { return value };
        let variable = refined.predicates.first().map(|it| it.variable.as_str());
        let name = name.or(variable).unwrap_or("value");
        let value = self.keep_unless_literal(value, name, origin);
        for predicate in &refined.predicates {
            let text = goal.filter(|_| refined.predicates.len() == 1);
            self.check_predicate(&value, predicate, text, origin);
        }
        value
    }

    fn checked_range(&mut self, value: Expr, prim: Prim, origin: Option<NodeOrigin>) -> Expr {
        let is_natural_literal =
            matches!(&value.kind, ExprKind::Int(digits) if !digits.starts_with('-'));
        let helper = match prim {
            Prim::Nat if is_natural_literal => return value,
            Prim::Nat => "nat",
            Prim::Int32 => "int32",
            _ => "int64",
        };
        self.cx.call(helper, vec![value], origin)
    }

    fn keep_unless_literal(&mut self, value: Expr, name: &str, origin: Option<NodeOrigin>) -> Expr {
        match &value.kind {
            ExprKind::Int(_) | ExprKind::Str(_) | ExprKind::Float(_) => {
                let ty = match &value.kind {
                    ExprKind::Int(_) => Ty::INT,
                    ExprKind::Str(_) => Ty::STR,
                    _ => Ty::FLOAT,
                };
                self.keep(value, name, Some(&ty), origin)
            }
            // Nothing is assigned between the check and what the value is for.
            ExprKind::Ident(_) => value,
            _ => self.keep_unless_stable(value, name, origin),
        }
    }

    /// A statement that checks a predicate of a value.
    pub(super) fn check_predicate(
        &mut self,
        value: &Expr,
        predicate: &Predicate,
        goal: Option<&str>,
        origin: Option<NodeOrigin>,
    ) {
        let message = format!("`{}` does not hold", goal.unwrap_or(&predicate.text));
        self.check_saying(value, predicate, &message, origin);
    }

    /// The same, with this message.
    pub(crate) fn check_saying(
        &mut self,
        value: &Expr,
        predicate: &Predicate,
        message: &str,
        origin: Option<NodeOrigin>,
    ) {
        let Some((module, decl)) = self.cx.predicate_home(&predicate.module, predicate.expr) else {
            return;
        };
        let is_here = module as u32 == self.at.module && decl == self.at.decl;
        if is_here && predicate.given.is_none() {
            let (variable, value) = (predicate.variable.clone(), value.clone());
            self.check_condition(&variable, value, predicate.expr, message, origin);
            return;
        }
        let mut home = LoweredDecl::new(self.cx, module, decl);
        match (&predicate.given, self.owner.clone()) {
            (Some(given), _) => {
                for (name, value) in &given.values {
                    // What cannot be evaluated again is an error.
                    let Some(GivenValue { expr, field }) = value else { return };
                    let value = self.value(*expr);
                    let value = match field {
                        Some(field) => value.member(names::legal(field)),
                        None => value,
                    };
                    home.values.push((name.clone(), value, 0..0));
                }
            }
            (None, Some(owner)) => {
                let fields = home.fields_named(predicate).into_iter();
                let field = |it: Name| (it.clone(), owner.clone().member(names::legal(&it)), 0..0);
                home.values.extend(fields.map(field));
            }
            (None, None) => {}
        }
        let here = std::mem::replace(&mut self.at, home);
        let shapes = self.cx.shapes.enter(FxHashMap::default());
        let variable = predicate.written_variable();
        self.check_condition(variable, value.clone(), predicate.expr, message, origin);
        self.cx.shapes.enter(shapes);
        self.at = here;
    }

    /// A statement that checks a condition in which a name stands for a value.
    pub(super) fn check_condition(
        &mut self,
        variable: &str,
        value: Expr,
        condition: ExprId,
        message: &str,
        origin: Option<NodeOrigin>,
    ) {
        let inside = self.at.ast.subtree(condition);
        self.at.values.push((variable.into(), value, inside));
        let holds = self.value(condition);
        self.at.values.pop();
        self.require(holds, message, origin);
    }

    /// `requires(holds, message)`
    pub(super) fn require(&mut self, holds: Expr, message: &str, origin: Option<NodeOrigin>) {
        let call = self.cx.call("requires", vec![holds, Expr::str(message)], origin);
        self.push(StmtKind::Expr(call), origin);
    }
}
