//! Declarations and statements.

use clank_syntax::ast::{
    Decl, DeclId, Expr, ExternalFn, FieldId, FnDecl, Literal, Param, ParamId, Stmt, StmtId,
    TypeParamId, Variant, VariantField, VariantFieldId, VariantId,
};
use clank_syntax::with_stack;

use super::Canon;

impl Canon<'_> {
    pub(super) fn decl(&mut self, id: DeclId) -> DeclId {
        let new = match self.ast.decl(id) {
            Decl::Fn(it) => {
                let type_params = self.type_params(&it.type_params);
                let params = self.params(&it.params);
                let return_type = self.ty(it.return_type);
                let precondition = it.precondition.map(|it| self.expr(it));
                let postcondition = it.postcondition.map(|it| self.expr(it));
                let body = self.expr(it.body);
                Decl::Fn(Box::new(FnDecl {
                    name: it.name.clone(),
                    type_params,
                    params,
                    return_type,
                    precondition,
                    postcondition,
                    body,
                }))
            }
            Decl::ExternalFn(it) => {
                let type_params = self.type_params(&it.type_params);
                let params = self.params(&it.params);
                Decl::ExternalFn(Box::new(ExternalFn {
                    name: it.name.clone(),
                    type_params,
                    params,
                    return_type: self.ty(it.return_type),
                    js_name: it.js_name.clone(),
                }))
            }
            Decl::ExternalMod { name, js_module, functions } => Decl::ExternalMod {
                name: name.clone(),
                js_module: js_module.clone(),
                functions: functions.iter().map(|it| self.decl(*it)).collect(),
            },
            Decl::TypeAlias { name, type_params, ty } => {
                let type_params = self.type_params(type_params);
                Decl::TypeAlias { name: name.clone(), type_params, ty: self.ty(*ty) }
            }
            Decl::Rec { name, type_params, fields } => {
                let type_params = self.type_params(type_params);
                let fields = fields.iter().map(|it| self.field(*it)).collect();
                Decl::Rec { name: name.clone(), type_params, fields }
            }
            Decl::Sum { name, type_params, variants } => {
                let type_params = self.type_params(type_params);
                let variants = variants.iter().map(|it| self.variant(*it)).collect();
                Decl::Sum { name: name.clone(), type_params, variants }
            }
            leaf @ (Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. }) => leaf.clone(),
        };
        let span = self.place(id.into());
        let new = self.builder.decl(new, span);
        self.keep(id.into(), new.into());
        new
    }

    fn type_params(&mut self, ids: &[TypeParamId]) -> Box<[TypeParamId]> {
        let copy = |it: &TypeParamId| {
            let mut param = self.ast.type_param(*it).clone();
            param.constraint = param.constraint.map(|it| self.ty(it));
            let span = self.place((*it).into());
            let new = self.builder.type_param(param, span);
            self.keep((*it).into(), new.into());
            new
        };
        ids.iter().map(copy).collect()
    }

    fn params(&mut self, ids: &[ParamId]) -> Box<[ParamId]> {
        let copy = |it: &ParamId| {
            let param = self.ast.param(*it);
            let param = Param { name: param.name.clone(), ty: self.ty(param.ty) };
            let span = self.place((*it).into());
            let new = self.builder.param(param, span);
            self.keep((*it).into(), new.into());
            new
        };
        ids.iter().map(copy).collect()
    }

    pub(super) fn field(&mut self, id: FieldId) -> FieldId {
        let mut field = self.ast.field(id).clone();
        field.ty = self.ty(field.ty);
        let span = self.place(id.into());
        let new = self.builder.field(field, span);
        self.keep(id.into(), new.into());
        new
    }

    fn variant(&mut self, id: VariantId) -> VariantId {
        let variant = self.ast.variant(id);
        let copy = |it: &VariantFieldId| {
            let field = self.ast.variant_field(*it);
            let field = VariantField { name: field.name.clone(), ty: self.ty(field.ty) };
            let span = self.place((*it).into());
            let new = self.builder.variant_field(field, span);
            self.keep((*it).into(), new.into());
            new
        };
        let fields = variant.fields.iter().map(copy).collect();
        let span = self.place(id.into());
        let new = self.builder.variant(Variant { name: variant.name.clone(), fields }, span);
        self.keep(id.into(), new.into());
        new
    }

    pub(super) fn stmt(&mut self, id: StmtId) -> StmtId {
        with_stack(|| {
            let new = match self.ast.stmt(id) {
                Stmt::Let { pattern, ty, init, mutable } => {
                    let pattern = self.pattern(*pattern);
                    let ty = ty.map(|it| self.ty(it));
                    Stmt::Let { pattern, ty, init: self.expr(*init), mutable: *mutable }
                }
                Stmt::Assign { target, value } => {
                    let target = self.expr(*target);
                    Stmt::Assign { target, value: self.expr(*value) }
                }
                Stmt::Expr { expr } => Stmt::Expr { expr: self.expr(*expr) },
                Stmt::For { pattern, iterable, body } => {
                    let pattern = self.pattern(*pattern);
                    let iterable = self.expr(*iterable);
                    Stmt::For { pattern, iterable, body: self.expr(*body) }
                }
                Stmt::While { condition, body } => {
                    let condition = self.expr(*condition);
                    Stmt::While { condition, body: self.expr(*body) }
                }
                Stmt::Loop { body } => Stmt::Loop { body: self.expr(*body) },
                Stmt::Return { value: Some(value) } => {
                    Stmt::Return { value: Some(self.expr(*value)) }
                }
                Stmt::Return { value: None } => {
                    let span = self.place(id.into());
                    let unit = self.builder.expr(Expr::Literal(Literal::Unit), span);
                    Stmt::Return { value: Some(unit) }
                }
                leaf @ (Stmt::Break | Stmt::Continue) => leaf.clone(),
                Stmt::Assert { condition, message } => {
                    Stmt::Assert { condition: self.expr(*condition), message: message.clone() }
                }
            };
            let span = self.place(id.into());
            let new = self.builder.stmt(new, span);
            self.keep(id.into(), new.into());
            new
        })
    }
}
