//! The program, declarations and statements.

use super::node::WireForm;
use super::{NOWHERE, Reader};
use crate::ast::{
    Decl, DeclId, ExternalFn, Field, FieldId, FnDecl, Name, Param, ParamId, ProgramId, Stmt,
    StmtId, TypeId, TypeParam, TypeParamId, UseDecl, Variant, VariantField, VariantFieldId,
    VariantId,
};
use crate::json::value::ValueId;
use crate::parse::Fragment;

pub(super) const DECLS: [&str; 8] =
    ["fn", "externalFn", "typeAlias", "rec", "sum", "mod", "use", "externalMod"];
pub(super) const STMTS: [&str; 10] =
    ["let", "assign", "expr", "for", "while", "loop", "return", "break", "continue", "assert"];

impl Reader<'_> {
    pub(super) fn program(&mut self, at: ValueId) -> Option<ProgramId> {
        self.expect_object(at, "a program (an object with `kind`: \"program\")")?;
        let kind = self.string(at, "kind")?;
        if kind != "program" {
            self.error(at, format!("expected a program, found an object of kind {kind:?}"));
            return None;
        }
        let declarations = self.elements(at, "declarations");
        let declarations = self.each(declarations, Self::decl)?;
        let program = self.builder.program(declarations.into_vec(), NOWHERE);
        Some(self.dress(at, program))
    }

    pub(super) fn decl(&mut self, at: ValueId) -> Option<DeclId> {
        let node = match self.form(at, "a declaration")? {
            WireForm::Fragment(text) => {
                let node = self.fragment(at, text, Fragment::Decl)?;
                DeclId::made(&self.builder, node)?
            }
            WireForm::Kind(kind) => {
                let it = match kind {
                    "fn" => self.function(at),
                    "externalFn" => self.external_fn(at),
                    "typeAlias" => self.type_alias(at),
                    "rec" => self.rec(at),
                    "sum" => self.sum(at),
                    "mod" => self.value_name(at, "name").map(|name| Decl::Mod { name }),
                    "use" => self.use_decl(at).map(|it| Decl::Use(Box::new(it))),
                    "externalMod" => self.external_mod(at),
                    other => {
                        self.unknown_kind(at, "declaration", other, &DECLS);
                        None
                    }
                }?;
                self.builder.decl(it, NOWHERE)
            }
        };
        Some(self.dress(at, node))
    }

    fn function(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.value_name(at, "name");
        let type_params = self.type_params(at);
        let params = self.params(at);
        let return_type = self.type_member(at, "returnType");
        let precondition = self.expr_if_any(at, "precondition");
        let postcondition = self.expr_if_any(at, "postcondition");
        let body = self.block_member(at, "body");
        Some(Decl::Fn(Box::new(FnDecl {
            name: name?,
            type_params: type_params?,
            params: params?,
            return_type: return_type?,
            precondition: precondition?,
            postcondition: postcondition?,
            body: body?,
        })))
    }

    fn external_fn(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.value_name(at, "name");
        let (type_params, params, return_type) = self.signature(at);
        let js_name = self.string(at, "jsName").map(str::to_owned);
        Some(Decl::ExternalFn(Box::new(ExternalFn {
            name: name?,
            type_params: type_params?,
            params: params?,
            return_type: return_type?,
            js_name: js_name?,
        })))
    }

    #[expect(
        clippy::type_complexity,
        reason = "three parts that are read whether or not one is wrong"
    )]
    fn signature(
        &mut self,
        at: ValueId,
    ) -> (Option<Box<[TypeParamId]>>, Option<Box<[ParamId]>>, Option<TypeId>) {
        (self.type_params(at), self.params(at), self.type_member(at, "returnType"))
    }

    fn external_mod(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.value_name(at, "name");
        let js_module = self.string(at, "jsModule").map(str::to_owned);
        let functions = self.elements(at, "functions");
        let functions = self.each(functions, Self::module_function);
        Some(Decl::ExternalMod { name: name?, js_module: js_module?, functions: functions? })
    }

    /// A function of an external module, which is called by its own name.
    pub(super) fn module_function(&mut self, at: ValueId) -> Option<DeclId> {
        self.expect_object(at, "a function (an object with `kind`: \"externalFn\")")?;
        if let Some(kind) = self.string_if_any(at, "kind")?
            && kind != "externalFn"
        {
            self.unknown_kind(at, "function of an external module", kind, &["externalFn"]);
            return None;
        }
        let name = self.value_name(at, "name");
        let (type_params, params, return_type) = self.signature(at);
        let js_name = self.string_if_any(at, "jsName")?;
        let name = name?;
        if js_name.is_some_and(|it| it != name) {
            let message =
                format!("a function of an external module is called by its name, `{name}`");
            self.error_at_member(at, "jsName", message);
            return None;
        }
        let function = Decl::ExternalFn(Box::new(ExternalFn {
            js_name: name.to_string(),
            name,
            type_params: type_params?,
            params: params?,
            return_type: return_type?,
        }));
        let function = self.builder.decl(function, NOWHERE);
        Some(self.dress(at, function))
    }

    fn type_alias(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.type_name(at, "name");
        let type_params = self.type_params(at);
        let ty = self.type_member(at, "type");
        Some(Decl::TypeAlias { name: name?, type_params: type_params?, ty: ty? })
    }

    fn rec(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.type_name(at, "name");
        let type_params = self.type_params(at);
        let fields = self.elements(at, "fields");
        let fields = self.each(fields, Self::field);
        Some(Decl::Rec { name: name?, type_params: type_params?, fields: fields? })
    }

    fn sum(&mut self, at: ValueId) -> Option<Decl> {
        let name = self.type_name(at, "name");
        let type_params = self.type_params(at);
        let variants = self.elements(at, "variants");
        let variants = self.each(variants, Self::variant);
        Some(Decl::Sum { name: name?, type_params: type_params?, variants: variants? })
    }

    fn use_decl(&mut self, at: ValueId) -> Option<UseDecl> {
        let is_external = self.flag(at, "isExternal")?;
        let path = self.elements(at, "path");
        let path = self.each(path, |it, at| match is_external {
            true => it.string_value(at).map(Name::from),
            false => it.any_name(at),
        });
        let items = self.elements_if_any(at, "items");
        let items = self.each(items, Self::any_name);
        let alias = match is_external && self.doc.text_member(at, "alias") == Some("_") {
            true => Some(Some(Name::from("_"))),
            false => self.value_name_if_any(at, "alias"),
        };
        let it = UseDecl { path: path?, items: items?, alias: alias?, is_external };
        let wrong = if is_external && it.path.len() != 1 {
            Some(("path", "the path of an external module has exactly one element, its name"))
        } else if it.path.is_empty() {
            Some(("path", "the path of a module has at least one element"))
        } else if is_external && !it.items.is_empty() {
            Some(("items", "an external module is used as a whole, without `items`"))
        } else if it.alias.is_some() && !it.items.is_empty() {
            Some(("alias", "with `items` there is no `alias`"))
        } else {
            None
        };
        if let Some((key, message)) = wrong {
            self.error_at_member(at, key, message.into());
            return None;
        }
        Some(it)
    }

    fn type_params(&mut self, of: ValueId) -> Option<Box<[TypeParamId]>> {
        let elements = self.elements_if_any(of, "typeParams");
        self.each(elements, Self::type_param)
    }

    pub(super) fn type_param(&mut self, at: ValueId) -> Option<TypeParamId> {
        self.expect_object(at, "a type parameter (an object with `name`)")?;
        let name = self.type_name(at, "name");
        let constraint = self.type_if_any(at, "constraint");
        let param = TypeParam { name: name?, constraint: constraint? };
        let param = self.builder.type_param(param, NOWHERE);
        Some(self.dress(at, param))
    }

    fn params(&mut self, of: ValueId) -> Option<Box<[ParamId]>> {
        let elements = self.elements(of, "params");
        self.each(elements, Self::param)
    }

    pub(super) fn param(&mut self, at: ValueId) -> Option<ParamId> {
        self.expect_object(at, "a parameter (an object with `name` and `type`)")?;
        let name = self.value_name(at, "name");
        let ty = self.type_member(at, "type");
        let param = self.builder.param(Param { name: name?, ty: ty? }, NOWHERE);
        Some(self.dress(at, param))
    }

    pub(super) fn field(&mut self, at: ValueId) -> Option<FieldId> {
        self.expect_object(at, "a field (an object with `name` and `type`)")?;
        let name = self.value_name(at, "name");
        let ty = self.type_member(at, "type");
        let field = self.builder.field(Field { name: name?, ty: ty? }, NOWHERE);
        Some(self.dress(at, field))
    }

    pub(super) fn variant(&mut self, at: ValueId) -> Option<VariantId> {
        self.expect_object(at, "a variant (an object with `name`)")?;
        let name = self.type_name(at, "name");
        let fields = self.elements_if_any(at, "fields");
        let fields = self.each(fields, Self::variant_field);
        let variant = self.builder.variant(Variant { name: name?, fields: fields? }, NOWHERE);
        Some(self.dress(at, variant))
    }

    pub(super) fn variant_field(&mut self, at: ValueId) -> Option<VariantFieldId> {
        self.expect_object(at, "a field (an object with `type`)")?;
        let name = self.value_name_if_any(at, "name");
        let ty = self.type_member(at, "type");
        let field = self.builder.variant_field(VariantField { name: name?, ty: ty? }, NOWHERE);
        Some(self.dress(at, field))
    }

    pub(super) fn stmt(&mut self, at: ValueId) -> Option<StmtId> {
        self.nested(at, |it| it.stmt_node(at))
    }

    fn stmt_node(&mut self, at: ValueId) -> Option<StmtId> {
        let node = match self.form(at, "a statement")? {
            WireForm::Fragment(text) => {
                let node = self.fragment(at, text, Fragment::Stmt)?;
                StmtId::made(&self.builder, node)?
            }
            WireForm::Kind(kind) => {
                let it = self.stmt_kind(at, kind)?;
                self.builder.stmt(it, NOWHERE)
            }
        };
        Some(self.dress(at, node))
    }

    fn stmt_kind(&mut self, at: ValueId, kind: &str) -> Option<Stmt> {
        match kind {
            "let" => self.let_stmt(at),
            "assign" => {
                let target = self.expr_member(at, "target");
                let value = self.expr_member(at, "value");
                Some(Stmt::Assign { target: target?, value: value? })
            }
            "expr" => self.expr_member(at, "expr").map(|expr| Stmt::Expr { expr }),
            "for" => {
                let pattern = self.pattern_member(at, "pattern");
                let iterable = self.expr_member(at, "iterable");
                let body = self.block_member(at, "body");
                Some(Stmt::For { pattern: pattern?, iterable: iterable?, body: body? })
            }
            "while" => {
                let condition = self.expr_member(at, "condition");
                let body = self.block_member(at, "body");
                Some(Stmt::While { condition: condition?, body: body? })
            }
            "loop" => self.block_member(at, "body").map(|body| Stmt::Loop { body }),
            "return" => self.expr_if_any(at, "value").map(|value| Stmt::Return { value }),
            "break" => Some(Stmt::Break),
            "continue" => Some(Stmt::Continue),
            "assert" => {
                let condition = self.expr_member(at, "condition");
                let message = self.string_if_any(at, "message");
                Some(Stmt::Assert { condition: condition?, message: message?.map(str::to_owned) })
            }
            other => {
                self.unknown_kind(at, "statement", other, &STMTS);
                None
            }
        }
    }

    fn let_stmt(&mut self, at: ValueId) -> Option<Stmt> {
        let pattern = self.pattern_member(at, "pattern");
        let ty = self.type_if_any(at, "type");
        let has_other_name =
            self.doc.member(at, "init").is_none() && self.doc.member(at, "value").is_some();
        let init = self.expr_member(at, if has_other_name { "value" } else { "init" });
        let mutable = self.flag(at, "mutable");
        Some(Stmt::Let { pattern: pattern?, ty: ty?, init: init?, mutable: mutable? })
    }
}
