//! Whether the type of a name is known where the name is bound, whatever comes later.

use clank::CheckedModule;
use clank::body::{BodyView, Resolution};
use clank::ty::Ty;
use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, NodeId, ParamId, Stmt};
use clank_syntax::with_stack;
use rustc_hash::FxHashMap;

use crate::propose::calls::signature_in;
use crate::verify::items::BlockItems;

/// What is known about the names of one function.
pub(super) struct Settled<'a> {
    module: &'a CheckedModule,
    view: BodyView<'a>,
    items: &'a BlockItems,
    known: FxHashMap<NodeId, bool>,
}

impl<'a> Settled<'a> {
    pub(super) fn new(
        module: &'a CheckedModule,
        view: BodyView<'a>,
        items: &'a BlockItems,
    ) -> Settled<'a> {
        Settled { module, view, items, known: FxHashMap::default() }
    }

    /// Whether the type of what a node binds is settled there.
    pub(super) fn is_settled(&mut self, binder: NodeId) -> bool {
        if let Some(known) = self.known.get(&binder) {
            return *known;
        }
        let is_settled = self.find_out(binder);
        self.known.insert(binder, is_settled);
        is_settled
    }

    fn find_out(&mut self, binder: NodeId) -> bool {
        let ast = &self.module.ast;
        if ParamId::of(ast, binder).is_some() {
            return true;
        }
        let mut at = binder;
        while let Some(parent) = self.items.parent(at) {
            match &ast.node(parent).kind {
                AstKind::Stmt(Stmt::Let { ty, init, .. }) => {
                    return ty.is_some() || self.is_known(*init);
                }
                AstKind::Stmt(Stmt::For { iterable, .. }) => return self.is_known(*iterable),
                AstKind::Arm(_) => {
                    let around = self.items.parent(parent).map(|it| &ast.node(it).kind);
                    return match around {
                        Some(AstKind::Expr(Expr::Match { scrutinee, .. })) => {
                            self.is_known(*scrutinee)
                        }
                        _ => false,
                    };
                }
                AstKind::Pattern(_) | AstKind::FieldPattern(_) => at = parent,
                _ => return false,
            }
        }
        false
    }

    /// Whether the type of an expression is known once it was looked at.
    fn is_known(&mut self, expr: ExprId) -> bool {
        with_stack(|| match self.module.ast.expr(expr) {
            Expr::Literal(_) | Expr::Template { .. } => true,
            Expr::Unary { operand, .. } => self.is_known(*operand),
            Expr::Binary { op: BinaryOp::Pipe, right, .. } => self.is_plain(*right),
            Expr::Binary { left, right, .. } => self.is_known(*left) && self.is_known(*right),
            Expr::Call { callee, .. } => self.is_plain(*callee),
            Expr::Ident { .. } => match self.view.resolution(expr) {
                Some(Resolution::Local(it)) => {
                    let binder = self.view.local(*it);
                    self.is_settled(binder)
                }
                Some(_) => self.is_plain(expr),
                None => false,
            },
            Expr::Field { object, .. } | Expr::Index { object, .. } => self.is_known(*object),
            Expr::Range { start, end, .. } => self.is_known(*start) && self.is_known(*end),
            Expr::Array { elements } => elements.first().is_some_and(|it| self.is_known(*it)),
            Expr::Tuple { elements } => elements.iter().all(|it| self.is_known(*it)),
            Expr::RecordLit { .. } => match self.view.resolution(expr) {
                Some(Resolution::Record { ty }) => {
                    self.module.env.def(ty).is_some_and(|it| it.params.is_empty())
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether a function or constructor gives a type without any parameters in it.
    fn is_plain(&self, callee: ExprId) -> bool {
        let env = &self.module.env;
        let Some(resolution) = self.view.resolution(callee) else { return false };
        match resolution {
            Resolution::Record { ty } | Resolution::Variant { ty, .. } => {
                env.def(ty).is_some_and(|it| it.params.is_empty())
            }
            _ => signature_in(env, resolution).is_some_and(|it| !has_parameter(&it.result)),
        }
    }
}

fn has_parameter(ty: &Ty) -> bool {
    with_stack(|| matches!(ty, Ty::Param(_)) || ty.parts().any(has_parameter))
}
