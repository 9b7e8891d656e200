//! Descriptions of type arguments: generic functions that show values of a type parameter get them after their arguments.

use clank::body::Resolution;
use clank::ty::Ty;
use clank_syntax::ast::{ExprId, Name};
use rustc_hash::FxHashMap;

use super::Lower;
use crate::shown;
use crate::tree::{Arrow, ArrowBody, Expr};

impl Lower<'_, '_> {
    /// Declares the hidden parameters of a function of the file.
    pub(crate) fn shape_params(&mut self, function: &Name) -> Vec<Name> {
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
        match self.at.view.resolution(function) {
            Some(Resolution::Fn { module, name }) => {
                let types = self.cx.program.shown.passed(module, name, self.ty(function));
                let types = types.into_iter().map(|it| it.unwrap_or(&Ty::Error));
                types.map(|it| self.cx.argument_shape(it)).collect()
            }
            Some(Resolution::External { module, namespace, name }) => {
                let name = shown::external(namespace.as_ref(), name);
                let types = self.cx.program.shown.passed(module, &name, self.ty(function));
                // What a type parameter stands for is not known here: such a value only goes out, as it is.
                let outer = self.cx.shapes.enter(FxHashMap::default());
                let types = types.into_iter().map(|it| it.unwrap_or(&Ty::Error));
                let shapes = types.map(|it| self.cx.host_shape(it)).collect();
                self.cx.shapes.enter(outer);
                shapes
            }
            _ => Vec::new(),
        }
    }

    /// A function as a value: itself, or a lambda that passes what it needs besides its arguments.
    pub(super) fn function_value(&mut self, id: ExprId, module: &Name, name: &Name) -> Expr {
        let function = Expr::ident(self.cx.global(module, name, true));
        self.with_shapes(id, function, module, name)
    }

    /// A function of the host in the same way.
    pub(super) fn external_value(&mut self, id: ExprId, resolution: &Resolution) -> Expr {
        let Resolution::External { module, namespace, name } = resolution else {
            return Expr::undefined();
        };
        let function = self.external(module, namespace.as_ref(), name);
        self.with_shapes(id, function, module, &shown::external(namespace.as_ref(), name))
    }

    /// The function that stands for one of the host.
    pub(super) fn external(
        &mut self,
        module: &Name,
        namespace: Option<&Name>,
        name: &Name,
    ) -> Expr {
        let exported = match namespace {
            Some(namespace) => self.cx.member(module, namespace, name),
            None => name.clone(),
        };
        Expr::ident(self.cx.global(module, &exported, true))
    }

    fn with_shapes(&mut self, id: ExprId, function: Expr, module: &Name, name: &Name) -> Expr {
        let shapes = self.passed_shapes(id);
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
