//! Predicates in types, and the conditions of functions: they must be `Bool` and pure (row 52).

use clank_syntax::ast::{ExprId, NodeId, Type, TypeId};

use super::{Frame, FrameKind, Infer, Want};
use crate::body::Site;
use crate::ty::{Effects, Predicate, Ty};

impl Infer<'_> {
    /// Types the predicates that are written in a type of this declaration. Those of aliases are typed where the alias
    /// is declared.
    pub(super) fn type_predicates(&mut self, ty: &Ty) {
        match ty {
            Ty::Refined(it) => {
                self.type_predicates(&it.base);
                for predicate in &it.predicates {
                    self.type_predicate(predicate, &it.base);
                }
            }
            Ty::Prim(_) | Ty::Param(_) | Ty::Var(_) | Ty::Never | Ty::Error => {}
            _ => {
                for part in ty.parts() {
                    clank_syntax::with_stack(|| self.type_predicates(part));
                }
            }
        }
    }

    fn type_predicate(&mut self, predicate: &Predicate, base: &Ty) {
        let node = predicate.expr.node();
        let is_here =
            predicate.module == self.env.module && (self.first..self.end).contains(&node.0);
        let is_done = self.types.get(self.relative(node) as usize).is_none_or(Option::is_some);
        if !is_here || is_done {
            return;
        }
        let mark = self.enter();
        let binder = self.refined_node(predicate.expr).unwrap_or(node);
        self.bind(&predicate.variable, binder, base.clone(), false, "parameter");
        self.condition(predicate.expr);
        self.leave(mark);
    }

    /// The refined type that a predicate belongs to: its parent is made right after it.
    fn refined_node(&self, predicate: ExprId) -> Option<NodeId> {
        let next = NodeId(predicate.node().0.checked_add(1)?);
        let parent = (next.0 < self.end).then(|| TypeId::of(self.ast, next))??;
        match self.ast.ty(parent) {
            Type::Refined { predicate: it, .. } if *it == predicate => Some(next),
            _ => None,
        }
    }

    /// A condition over what is in scope.
    pub(super) fn condition(&mut self, condition: ExprId) {
        self.frames.push(Frame {
            kind: FrameKind::Predicate,
            result: Ty::Error,
            allowed: Effects::PURE,
            effects: Effects::PURE,
            any_effects: false,
            raises: false,
            raised: None,
            postcondition: None,
            loops: Vec::new(),
        });
        self.expr(condition, Want::Must(&Ty::BOOL, &Site::Other));
        self.frames.pop();
    }
}
