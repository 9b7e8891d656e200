//! Descriptions of type arguments: generic functions that show values of a type parameter get them after their arguments.

use clank_syntax::ast::{ExprId, Name};

use super::Lower;
use crate::body::Resolution;
use crate::emit::tree::{Arrow, ArrowBody, Expr};
use crate::ty::Ty;

impl Lower<'_, '_> {
    /// Declares the hidden parameters of a function of the file.
    pub(in crate::emit) fn shape_params(&mut self, function: &Name) -> Vec<Name> {
        let shown = self.cx.program.shown.of(self.cx.source().file, function);
        let params: Vec<Name> =
            shown.iter().map(|it| self.declare(&format!("shapeOf{it}"))).collect();
        if !params.is_empty() {
            self.cx.helpers.insert("Shape");
        }
        self.cx.shapes.enter(shown.into_iter().zip(params.iter().cloned()).collect());
        params
    }

    /// What a use of a function passes for its hidden parameters.
    pub(super) fn passed_shapes(&mut self, function: ExprId) -> Vec<Expr> {
        let Some(Resolution::Fn { module, name }) = self.at.view.resolution(function) else {
            return Vec::new();
        };
        let types = self.cx.program.shown.passed(module, name, self.ty(function));
        let shapes = types.into_iter().map(|ty| self.cx.argument_shape(ty.unwrap_or(&Ty::Error)));
        shapes.collect()
    }

    /// A function as a value: itself, or a lambda that passes what it needs besides its arguments.
    pub(super) fn function_value(&mut self, id: ExprId, module: &Name, name: &Name) -> Expr {
        let shapes = self.passed_shapes(id);
        let function = Expr::ident(self.cx.global(module, name, true));
        let signature = self.cx.program.shown.signature(module, name);
        let (false, Some(signature), Ty::Fn(ty)) =
            (shapes.is_empty(), signature, self.ty(id).base())
        else {
            return function;
        };
        self.scopes.enter();
        let mut params = Vec::new();
        for ((written, _), ty) in signature.params.iter().zip(&ty.params) {
            params.push((self.declare(written), Some(self.cx.ts(ty))));
        }
        self.scopes.leave();
        let args = params.iter().map(|it| Expr::ident(it.0.clone())).chain(shapes).collect();
        let body = ArrowBody::Expr(Expr::call(function, args, self.origin(id)));
        Expr::arrow(Arrow { params, result: None, body })
    }
}
