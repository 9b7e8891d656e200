//! Declarations.

use super::cursor::{Failed, ParseResult, Parser};
use super::list::ListOf;
use super::ty::starts_type;
use crate::ast::{
    Builder, Decl, DeclId, ExprId, ExternalFn, Field, FieldId, FnDecl, Name, Param, ParamId, Type,
    TypeId, TypeParam, TypeParamId, UseDecl, Variant, VariantField, VariantFieldId, VariantId,
};
use crate::error::SyntaxCode;
use crate::lexer::lex;
use crate::span::Span;
use crate::token::TokenKind;

/// What functions start with, of the program and of the host.
struct Signature {
    name: Name,
    type_params: Box<[TypeParamId]>,
    params: Box<[ParamId]>,
    return_type: TypeId,
}

impl<'p> Parser<'p> {
    /// The declaration whose first word is here.
    pub(super) fn decl(&mut self) -> ParseResult<DeclId> {
        let from = self.pos;
        let decl = match self.kind() {
            TokenKind::Fn => self.fn_decl()?,
            TokenKind::External if self.kind_at(1) == TokenKind::Mod => self.external_mod()?,
            TokenKind::External => self.external_fn()?,
            TokenKind::Type => self.alias()?,
            TokenKind::Rec => self.rec()?,
            TokenKind::Sum => self.sum()?,
            TokenKind::Mod => {
                self.bump();
                Decl::Mod { name: self.value_name("the name of the module")? }
            }
            TokenKind::Use => self.use_decl()?,
            _ => return Err(self.expected(SyntaxCode::E0008, "a declaration")),
        };
        let span = self.span_from(from);
        Ok(self.builder.decl(decl, span))
    }

    fn fn_decl(&mut self) -> ParseResult<Decl> {
        let from = self.pos;
        self.bump();
        let signature = self.signature(true)?;
        let stop = |it| matches!(it, TokenKind::LBrace | TokenKind::Post);
        let precondition = self.condition(TokenKind::Pre, stop);
        let postcondition = self.condition(TokenKind::Post, stop);
        if self.has_stray(from) {
            return Err(Failed);
        }
        let body = self.block()?;
        let Signature { name, type_params, params, return_type } = signature;
        Ok(Decl::Fn(Box::new(FnDecl {
            name,
            type_params,
            params,
            return_type,
            precondition,
            postcondition,
            body,
        })))
    }

    fn condition(&mut self, word: TokenKind, stop: fn(TokenKind) -> bool) -> Option<ExprId> {
        if !self.eat(word) {
            return None;
        }
        if let Some(missing) = self.missing_head() {
            return Some(missing);
        }
        let outer = std::mem::replace(&mut self.in_head, true);
        let condition = self.expr_before(stop);
        self.in_head = outer;
        Some(condition)
    }

    /// `f[T](x: T) -> T`; if a body follows, the result type takes no refinement.
    fn signature(&mut self, has_body: bool) -> ParseResult<Signature> {
        let name = self.value_name("the name of the function")?;
        let type_params = self.type_params()?;
        if self.kind() != TokenKind::LParen {
            return Err(self.expected_opening("`(`"));
        }
        let (params, _) = self.inside(|it| {
            it.list(&ListOf {
                element: Self::param,
                can_start: |kind| kind == TokenKind::Ident,
                broken: Some(broken_param),
                code: SyntaxCode::E0001,
                separators: "`,` or `)`",
            })
        })?;
        let outer = std::mem::replace(&mut self.in_result, has_body);
        let return_type = self.result_type();
        self.in_result = outer;
        Ok(Signature { name, type_params, params: params.into(), return_type: return_type? })
    }

    fn result_type(&mut self) -> ParseResult<TypeId> {
        if !self.eat(TokenKind::Arrow) {
            let is_typeless = !starts_type(self.kind()) || self.kind() == TokenKind::LBrace;
            let code = if is_typeless { SyntaxCode::E0006 } else { SyntaxCode::E0001 };
            self.expected(code, "`->` and the result type");
            if is_typeless && self.kind() == TokenKind::LBrace {
                let (source, span) = self.source_from(self.pos);
                return Ok(self.builder.ty(Type::Error { source }, span));
            }
        }
        Ok(self.type_before(|it| {
            matches!(it, TokenKind::LBrace | TokenKind::Pre | TokenKind::Post | TokenKind::Eq)
                || it.is_declaration()
        }))
    }

    fn param(&mut self) -> ParseResult<ParamId> {
        let from = self.pos;
        let name = self.name_before_type("the name of a parameter")?;
        let ty = self.stated_type()?;
        let span = self.span_from(from);
        Ok(self.builder.param(Param { name, ty }, span))
    }

    fn type_params(&mut self) -> ParseResult<Box<[TypeParamId]>> {
        if self.kind() != TokenKind::LBracket {
            return Ok([].into());
        }
        let (params, _) = self.inside(|it| {
            if it.is_at_end() {
                return Err(it.expected(SyntaxCode::E0001, "the name of a type parameter"));
            }
            it.list(&ListOf {
                element: Self::type_param,
                can_start: |kind| kind == TokenKind::TypeIdent,
                broken: None,
                code: SyntaxCode::E0001,
                separators: "`,` or `]`",
            })
        })?;
        Ok(params.into())
    }

    fn type_param(&mut self) -> ParseResult<TypeParamId> {
        let from = self.pos;
        let name = self.type_name("the name of a type parameter")?;
        let constraint = match self.eat(TokenKind::Colon) {
            true => Some(self.type_before(|it| it == TokenKind::Comma)),
            false => None,
        };
        let span = self.span_from(from);
        Ok(self.builder.type_param(TypeParam { name, constraint }, span))
    }

    /// `external fn f(x: T) -> T = "host.expression"`
    fn external_fn(&mut self) -> ParseResult<Decl> {
        self.bump();
        if !self.eat(TokenKind::Fn) {
            return Err(self.expected(SyntaxCode::E0001, "`fn` or `mod`"));
        }
        let Signature { name, type_params, params, return_type } = self.signature(false)?;
        self.expect_before(TokenKind::Eq, "`=`", |it| it == TokenKind::Str)?;
        let js_name = self.string_literal("the host's expression in quotes")?;
        Ok(Decl::ExternalFn(Box::new(ExternalFn {
            name,
            type_params,
            params,
            return_type,
            js_name,
        })))
    }

    /// `external mod m = "module" { fn f(x: T) -> T }`
    fn external_mod(&mut self) -> ParseResult<Decl> {
        self.pos += 2;
        let name = self.value_name("the name of the module")?;
        self.expect_before(TokenKind::Eq, "`=`", |it| it == TokenKind::Str)?;
        let js_module = self.string_literal("the host's module in quotes")?;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected_opening("`{`"));
        }
        let functions = self.inside(|it| {
            let mut functions = Vec::new();
            while !it.is_at_end() {
                functions.push(it.module_fn());
            }
            Ok(functions)
        })?;
        Ok(Decl::ExternalMod { name, js_module, functions: functions.into() })
    }

    fn module_fn(&mut self) -> DeclId {
        let (from, mark) = (self.pos, self.builder.mark());
        let signature = match self.eat(TokenKind::Fn) {
            true => self.signature(false),
            false => Err(self.expected(SyntaxCode::E0008, "`fn`")),
        };
        match signature {
            Ok(Signature { name, type_params, params, return_type })
                if self.is_at_end() || self.kind() == TokenKind::Fn =>
            {
                let js_name = name.to_string();
                let decl = ExternalFn { name, type_params, params, return_type, js_name };
                let span = self.span_from(from);
                self.builder.decl(Decl::ExternalFn(Box::new(decl)), span)
            }
            signature => {
                if signature.is_ok() {
                    self.expected(SyntaxCode::E0001, "`fn` or `}`");
                }
                self.builder.rollback(mark);
                self.pos = self.pos.max(from + 1);
                self.skip_to(|it| it == TokenKind::Fn);
                let (source, span) = self.source_from(from);
                self.builder.decl(Decl::Error { source }, span)
            }
        }
    }

    fn alias(&mut self) -> ParseResult<Decl> {
        self.bump();
        let name = self.type_name("the name of the type")?;
        let type_params = self.type_params()?;
        self.expect_before(TokenKind::Eq, "`=`", starts_type)?;
        let ty = self.type_before(|_| false);
        Ok(Decl::TypeAlias { name, type_params, ty })
    }

    fn rec(&mut self) -> ParseResult<Decl> {
        self.bump();
        let name = self.type_name("the name of the record")?;
        let type_params = self.type_params()?;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected_opening("`{`"));
        }
        let (fields, _) = self.inside(|it| {
            it.list(&ListOf {
                element: Self::field,
                can_start: |kind| kind == TokenKind::Ident,
                broken: Some(broken_field),
                code: SyntaxCode::E0001,
                separators: "`,` or `}`",
            })
        })?;
        Ok(Decl::Rec { name, type_params, fields: fields.into() })
    }

    fn sum(&mut self) -> ParseResult<Decl> {
        self.bump();
        let name = self.type_name("the name of the sum")?;
        let type_params = self.type_params()?;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected_opening("`{`"));
        }
        let (variants, _) = self.inside(|it| {
            it.list(&ListOf {
                element: Self::variant_decl,
                can_start: |kind| kind == TokenKind::TypeIdent,
                broken: None,
                code: SyntaxCode::E0001,
                separators: "`,` or `}`",
            })
        })?;
        Ok(Decl::Sum { name, type_params, variants: variants.into() })
    }

    fn variant_decl(&mut self) -> ParseResult<VariantId> {
        let from = self.pos;
        let name = match self.kind() {
            TokenKind::Ident => {
                self.expected(SyntaxCode::E0001, "the name of a variant");
                if let Some(found) = self.found.last_mut() {
                    found.error.help = Some("names of variants start with a capital".into());
                }
                self.value_name("the name of a variant")?
            }
            _ => self.type_name("the name of a variant")?,
        };
        let fields = match self.kind() {
            TokenKind::LParen => self.inside(|it| {
                it.list(&ListOf {
                    element: Self::variant_field,
                    can_start: starts_type,
                    broken: None,
                    code: SyntaxCode::E0001,
                    separators: "`,` or `)`",
                })
            })?,
            _ => (Vec::new(), false),
        };
        let span = self.span_from(from);
        Ok(self.builder.variant(Variant { name, fields: fields.0.into() }, span))
    }

    fn variant_field(&mut self) -> ParseResult<VariantFieldId> {
        let from = self.pos;
        let is_named = self.kind() == TokenKind::Ident && self.kind_at(1) == TokenKind::Colon;
        let name = match is_named {
            true => Some(self.value_name("the name of a field")?),
            false => None,
        };
        if is_named {
            self.bump();
        }
        let ty = self.type_before(|it| it == TokenKind::Comma);
        let span = self.span_from(from);
        Ok(self.builder.variant_field(VariantField { name, ty }, span))
    }

    fn use_decl(&mut self) -> ParseResult<Decl> {
        self.bump();
        if self.eat(TokenKind::External) {
            let module = self.string_literal("the host's module in quotes")?;
            return Ok(Decl::Use(Box::new(UseDecl {
                path: [Name::from(module)].into(),
                items: [].into(),
                alias: self.alias_name(true)?,
                is_external: true,
            })));
        }
        let mut path = vec![self.import_name("the name of a module")?];
        let mut items = Vec::new();
        while self.eat(TokenKind::Dot) {
            if self.kind() == TokenKind::LBrace {
                items = self.inside(Self::import_names)?;
                break;
            }
            path.push(self.import_name("the name of a module or `{`")?);
        }
        let alias = if items.is_empty() { self.alias_name(false)? } else { None };
        Ok(Decl::Use(Box::new(UseDecl {
            path: path.into(),
            items: items.into(),
            alias,
            is_external: false,
        })))
    }

    fn import_names(&mut self) -> ParseResult<Vec<Name>> {
        if self.is_at_end() {
            return Err(self.expected(SyntaxCode::E0001, "a name"));
        }
        let (names, _) = self.list(&ListOf {
            element: |it| it.import_name("a name"),
            can_start: |kind| matches!(kind, TokenKind::Ident | TokenKind::TypeIdent),
            broken: None,
            code: SyntaxCode::E0001,
            separators: "`,` or `}`",
        })?;
        Ok(names)
    }

    fn import_name(&mut self, what: &str) -> ParseResult<Name> {
        match self.kind() {
            TokenKind::TypeIdent => self.type_name(what),
            _ => self.value_name(what),
        }
    }

    /// `as name`; `as` is a word of its own only here.
    fn alias_name(&mut self, may_be_wildcard: bool) -> ParseResult<Option<Name>> {
        if self.kind() != TokenKind::Ident || self.text_at(self.pos) != "as" {
            return Ok(None);
        }
        self.bump();
        if may_be_wildcard && self.eat(TokenKind::Underscore) {
            return Ok(Some(Name::new("_")));
        }
        self.import_name("a name").map(Some)
    }
}

/// A parameter that cannot be read: its name if there is one, and all of it in place of its type.
fn broken_param(builder: &mut Builder, source: String, span: Span) -> ParamId {
    let name = first_name(&source);
    let ty = builder.ty(Type::Error { source }, span);
    builder.param(Param { name, ty }, span)
}

/// The same for a field.
fn broken_field(builder: &mut Builder, source: String, span: Span) -> FieldId {
    let name = first_name(&source);
    let ty = builder.ty(Type::Error { source }, span);
    builder.field(Field { name, ty }, span)
}

fn first_name(source: &str) -> Name {
    let (tokens, _) = lex(source);
    let first = (0..tokens.len()).find(|&it| tokens.kind(it) == TokenKind::Ident);
    first.map_or(Name::new("_"), |it| Name::new(tokens.text(it)))
}
