//! Type arguments, where TypeScript would make out others than Clank: from literals alone, from several constructors, or
//! from nothing.

use clank::body::Resolution;
use clank::env::{Signature, TypeBody, Value};
use clank::ty::{FnTy, Ty};
use clank_syntax::ast::{Expr as Clank, ExprId, Name};

use super::Lower;
use crate::runtime::{self, OutputLanguage};
use crate::shown;
use crate::tree::{Expr, ExprKind};

impl Lower<'_, '_> {
    /// The callee with type arguments, if they must be written.
    pub(super) fn instantiated(&mut self, called: Expr, callee: ExprId, args: &[ExprId]) -> Expr {
        let Ty::Fn(ty) = self.ty(callee).base() else { return called };
        let types =
            match self.at.view.resolution(callee) {
                Some(Resolution::Builtin(name)) => self.builtin_arguments(name, ty, args),
                Some(Resolution::Fn { module, name }) => {
                    let signature = self.cx.program.shown.signature(module, name);
                    signature.and_then(|it| self.needed_arguments(it, ty, args))
                }
                Some(Resolution::External { module, namespace, name }) => {
                    let name = shown::external(namespace.as_ref(), name);
                    let signature = self.cx.program.shown.signature(module, &name);
                    signature.and_then(|it| self.needed_arguments(it, ty, args))
                }
                Some(
                    made @ (Resolution::Variant { ty: key, .. } | Resolution::Record { ty: key }),
                ) if !key.module.is_empty() => self.constructor_arguments(made, ty, args),
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
        let text =
            runtime::helpers(OutputLanguage::TypeScript).iter().find(|it| it.name == helper)?.text;
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
                    Ty::Param(it) if it == param && self.is_literal(*arg) => naked += 1,
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
        let found = clank::resolve::arguments(signature, ty);
        let types = signature.type_params.iter().map(|it| found.get(it).map(|it| (*it).clone()));
        let types: Option<Vec<Ty>> = types.collect();
        types.filter(|it| !it.iter().any(|it| matches!(it, Ty::Error | Ty::Var(_))))
    }

    /// The type arguments of a constructor for which several arguments are literals or made by constructors.
    fn constructor_arguments(
        &self,
        constructor: &Resolution,
        ty: &FnTy,
        args: &[ExprId],
    ) -> Option<Vec<Ty>> {
        let Ty::Adt(made) = ty.result.base() else { return None };
        let is_made = |it: &ExprId| match self.at.ast.expr(*it) {
            Clank::Call { callee, .. } => match self.at.view.resolution(*callee) {
                Some(Resolution::Variant { ty, .. } | Resolution::Record { ty }) => {
                    self.cx.def(ty).is_some_and(|it| !it.params.is_empty())
                }
                _ => false,
            },
            Clank::Array { .. } | Clank::Tuple { .. } | Clank::Record { .. } => true,
            _ => self.is_literal(*it),
        };
        let fields = self.field_types(constructor);
        let open = fields.into_iter().zip(args).filter(|it| has_param(it.0, &|_| true));
        let n_made = open.filter(|it| is_made(it.1)).count();
        let is_clear = made.args.is_empty() || n_made < 2;
        let is_known = !made.args.iter().any(|it| matches!(it, Ty::Error | Ty::Var(_)));
        (!is_clear && is_known).then(|| made.args.clone())
    }

    /// The types of a constructor's fields as they are declared.
    fn field_types(&self, constructor: &Resolution) -> Vec<&Ty> {
        let (key, variant) = match constructor {
            Resolution::Variant { ty, variant } => (ty, *variant as usize),
            Resolution::Record { ty } => (ty, 0),
            _ => return Vec::new(),
        };
        match self.cx.def(key).map(|it| &it.shape) {
            Some(TypeBody::Record(fields)) => fields.iter().map(|it| &it.1).collect(),
            Some(TypeBody::Sum(variants)) => {
                let fields = variants.get(variant).map_or(&[][..], |it| &it.fields);
                fields.iter().map(|it| &it.1).collect()
            }
            _ => Vec::new(),
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

/// Whether a type has this type parameter in it.
fn mentions(ty: &Ty, param: &Name) -> bool {
    has_param(ty, &|it| it == param)
}

/// Whether a type has a type parameter in it of which that is true.
fn has_param(ty: &Ty, is: &dyn Fn(&Name) -> bool) -> bool {
    clank_syntax::with_stack(|| match ty {
        Ty::Param(name) => is(name),
        Ty::Adt(adt) => adt.args.iter().any(|it| has_param(it, is)),
        Ty::Fn(it) => it.params.iter().chain([&it.result]).any(|it| has_param(it, is)),
        Ty::Tuple(elements) => elements.iter().any(|it| has_param(it, is)),
        Ty::Array(element) => has_param(element, is),
        Ty::Record(record) => record.fields.iter().any(|it| has_param(&it.1, is)),
        Ty::Refined(it) => has_param(&it.base, is),
        Ty::Prim(_) | Ty::Var(_) | Ty::Never | Ty::Error => false,
    })
}
