//! Type arguments, where TypeScript would make out others than Clank: from literals alone, from several constructors, or
//! from nothing.

use clank_syntax::ast::{Expr as Clank, ExprId, Literal, Name};

use super::Lower;
use crate::body::Resolution;
use crate::emit::tree::{Expr, ExprKind};
use crate::env::{Signature, Value};
use crate::runtime::{self, Dialect};
use crate::ty::{FnTy, Ty};

impl Lower<'_, '_> {
    /// The callee with type arguments, if they must be written.
    pub(super) fn instantiated(&mut self, called: Expr, callee: ExprId, args: &[ExprId]) -> Expr {
        let Ty::Fn(ty) = self.ty(callee).base() else { return called };
        let types = match self.at.view.resolution(callee) {
            Some(Resolution::Builtin(name)) => self.builtin_arguments(name, ty, args),
            Some(Resolution::Fn { module, name }) => {
                let signature = self.cx.program.shown.signature(module, name);
                signature.and_then(|it| self.needed_arguments(it, ty, args))
            }
            Some(Resolution::Variant { ty: key, .. } | Resolution::Record { ty: key })
                if !key.module.is_empty() =>
            {
                self.constructor_arguments(ty, args)
            }
            _ => None,
        };
        match types {
            Some(types) => {
                let types: Vec<String> = types.iter().map(|it| self.cx.ts(it)).collect();
                called.instantiated(&types)
            }
            None => called,
        }
    }

    fn builtin_arguments(&self, name: &Name, ty: &FnTy, args: &[ExprId]) -> Option<Vec<Ty>> {
        let Some(Value::Builtin { signature, .. }) = self.cx.source().env.values.get(name) else {
            return None;
        };
        let helper = runtime::helper_of(name)?;
        let text = runtime::helpers(Dialect::TypeScript).iter().find(|it| it.name == helper)?.text;
        let start = format!("function {helper}<{}>(", signature.type_params.join(", "));
        if signature.type_params.is_empty() || !text.contains(&start) {
            return None;
        }
        self.needed_arguments(signature, ty, args)
    }

    /// The type arguments of a function that has a type parameter for which there are only literals, or nothing.
    fn needed_arguments(
        &self,
        signature: &Signature,
        ty: &FnTy,
        args: &[ExprId],
    ) -> Option<Vec<Ty>> {
        let is_open = |param: &Name| {
            let mut naked = 0;
            for ((_, declared), arg) in signature.params.iter().zip(args) {
                match declared.base() {
                    Ty::Param(it) if it == param && self.is_number_or_text(*arg) => naked += 1,
                    declared if mentions(declared, param) => return false,
                    _ => {}
                }
            }
            let is_result = matches!(signature.result.base(), Ty::Param(it) if it == param);
            naked == 0 || is_result
        };
        if !signature.type_params.iter().any(is_open) {
            return None;
        }
        let found = crate::emit::shown::arguments(signature, ty);
        let types = signature.type_params.iter().map(|it| found.get(it).map(|it| (*it).clone()));
        let types: Option<Vec<Ty>> = types.collect();
        types.filter(|it| !it.iter().any(|it| matches!(it, Ty::Error | Ty::Var(_))))
    }

    /// The type arguments of a constructor of which several arguments are made by constructors.
    fn constructor_arguments(&self, ty: &FnTy, args: &[ExprId]) -> Option<Vec<Ty>> {
        let Ty::Adt(made) = ty.result.base() else { return None };
        let is_made = |it: &&ExprId| match self.at.ast.expr(**it) {
            Clank::Call { callee, .. } => match self.at.view.resolution(*callee) {
                Some(Resolution::Variant { ty, .. } | Resolution::Record { ty }) => {
                    self.cx.def(ty).is_some_and(|it| !it.params.is_empty())
                }
                _ => false,
            },
            Clank::Literal(Literal::Int { .. } | Literal::Str(_) | Literal::Float(_)) => true,
            _ => false,
        };
        let n_made = args.iter().filter(is_made).count();
        let is_clear = made.args.is_empty() || n_made < 2;
        let is_known = !made.args.iter().any(|it| matches!(it, Ty::Error | Ty::Var(_)));
        (!is_clear && is_known).then(|| made.args.clone())
    }

    fn is_number_or_text(&self, id: ExprId) -> bool {
        match self.at.ast.expr(id) {
            Clank::Literal(it) => !matches!(it, Literal::Bool(_) | Literal::Unit),
            Clank::Unary { operand, .. } => matches!(self.at.ast.expr(*operand), Clank::Literal(_)),
            _ => false,
        }
    }

    /// Arguments for parameters of open record types: a literal with more fields must not look like one.
    pub(super) fn with_more_fields(&mut self, callee: ExprId, ids: &[ExprId], args: &mut [Expr]) {
        let Ty::Fn(ty) = self.ty(callee).base() else { return };
        for ((arg, id), param) in args.iter_mut().zip(ids).zip(&ty.params) {
            let is_open = matches!(param.base(), Ty::Record(it) if it.open);
            if is_open && matches!(arg.kind, ExprKind::Object(_)) {
                let literal = std::mem::replace(arg, Expr::undefined());
                *arg = literal.typed(self.cx.ts(self.ty(*id)));
            }
        }
    }
}

/// Whether a type has a type parameter in it.
fn mentions(ty: &Ty, param: &Name) -> bool {
    clank_syntax::with_stack(|| match ty {
        Ty::Param(name) => name == param,
        Ty::Adt(adt) => adt.args.iter().any(|it| mentions(it, param)),
        Ty::Fn(it) => it.params.iter().chain([&it.result]).any(|it| mentions(it, param)),
        Ty::Tuple(elements) => elements.iter().any(|it| mentions(it, param)),
        Ty::Array(element) => mentions(element, param),
        Ty::Record(record) => record.fields.iter().any(|it| mentions(&it.1, param)),
        Ty::Refined(it) => mentions(&it.base, param),
        Ty::Prim(_) | Ty::Var(_) | Ty::Never | Ty::Error => false,
    })
}
