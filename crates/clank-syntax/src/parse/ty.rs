//! Types.

use super::cursor::{ParseResult, Parser};
use super::list::ListOf;
use crate::ast::{Field, FieldId, Name, Type, TypeId};
use crate::error::SyntaxCode;
use crate::stack::with_stack;
use crate::token::TokenKind;

/// Whether a type can start with it.
pub(super) fn starts_type(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::TypeIdent
            | TokenKind::Ident
            | TokenKind::LParen
            | TokenKind::LBracket
            | TokenKind::LBrace
    )
}

impl<'p> Parser<'p> {
    pub(super) fn ty(&mut self) -> ParseResult<TypeId> {
        with_stack(|| self.effects_and_result())
    }

    /// The type here, or, if there is none, an error node of what is before the next `stop`.
    pub(super) fn type_before(&mut self, stop: fn(TokenKind) -> bool) -> TypeId {
        let (from, mark) = (self.pos, self.builder.mark());
        if let Ok(ty) = self.ty() {
            return ty;
        }
        self.builder.rollback(mark);
        self.skip_to(stop);
        let (source, span) = self.source_from(from);
        self.builder.ty(Type::Error { source }, span)
    }

    fn effects_and_result(&mut self) -> ParseResult<TypeId> {
        let from = self.pos;
        let mut effects = Vec::new();
        let mut result = self.type_without_effects()?;
        while self.eat(TokenKind::Plus) {
            effects.push(result);
            result = self.type_without_effects()?;
        }
        if effects.is_empty() {
            return Ok(result);
        }
        let span = self.span_from(from);
        Ok(self.builder.ty(Type::Effect { effects: effects.into(), result }, span))
    }

    fn type_without_effects(&mut self) -> ParseResult<TypeId> {
        let from = self.pos;
        if self.kind() != TokenKind::LParen {
            let ty = self.type_without_suffix()?;
            return self.suffixes(from, ty);
        }
        let (elements, ends_with_comma) = self.inside(|it| it.types("`,` or `)`"))?;
        if self.eat(TokenKind::Arrow) {
            let result = self.deeper(1, Self::ty)?;
            let span = self.span_from(from);
            return Ok(self.builder.ty(Type::Function { params: elements.into(), result }, span));
        }
        let span = self.span_from(from);
        let ty = match elements.as_slice() {
            [] => self.builder.ty(Type::Named { name: Name::new("Unit"), args: [].into() }, span),
            [single] if !ends_with_comma => *single,
            _ => self.builder.ty(Type::Tuple { elements: elements.into() }, span),
        };
        self.suffixes(from, ty)
    }

    fn type_without_suffix(&mut self) -> ParseResult<TypeId> {
        let from = self.pos;
        let ty = match self.kind() {
            TokenKind::TypeIdent => self.named_type()?,
            TokenKind::Ident if self.kind_at(1) == TokenKind::Dot => self.named_type()?,
            TokenKind::Ident if self.text_at(from) == "never" => {
                self.bump();
                Type::Named { name: Name::new("never"), args: [].into() }
            }
            TokenKind::LBracket => Type::Array { element: self.inside(Self::ty)? },
            TokenKind::LBrace if self.is_record_type() => self.inside(Self::record_type)?,
            _ => return Err(self.expected_type()),
        };
        let span = self.span_from(from);
        Ok(self.builder.ty(ty, span))
    }

    fn expected_type(&mut self) -> super::cursor::Failed {
        let is_small = self.kind() == TokenKind::Ident;
        let failed = self.expected(SyntaxCode::E0006, "a type");
        if is_small && let Some(found) = self.found.last_mut() {
            found.error.help = Some("names of types start with a capital".into());
        }
        failed
    }

    fn named_type(&mut self) -> ParseResult<Type> {
        let name = self.qualified_name("the name of a type", SyntaxCode::E0006)?;
        let args = match self.kind() {
            TokenKind::LBracket => self.inside(|it| {
                if it.is_at_end() {
                    return Err(it.expected(SyntaxCode::E0006, "a type"));
                }
                it.types("`,` or `]`")
            })?,
            _ => (Vec::new(), false),
        };
        Ok(Type::Named { name, args: args.0.into() })
    }

    fn types(&mut self, separators: &'static str) -> ParseResult<(Vec<TypeId>, bool)> {
        self.list(&ListOf {
            element: Self::ty,
            can_start: starts_type,
            broken: Some(|builder, source, span| builder.ty(Type::Error { source }, span)),
            code: SyntaxCode::E0001,
            separators,
        })
    }

    /// Whether `{` starts a record type rather than the body of a function whose result type is missing.
    fn is_record_type(&self) -> bool {
        match (self.kind_at(1), self.kind_at(2)) {
            (TokenKind::Ident, TokenKind::Colon) | (TokenKind::DotDot, _) => true,
            (TokenKind::RBrace, next) => {
                !self.in_result
                    || matches!(next, TokenKind::LBrace | TokenKind::Pre | TokenKind::Post)
            }
            _ => false,
        }
    }

    fn record_type(&mut self) -> ParseResult<Type> {
        let mut fields = Vec::new();
        let mut open = false;
        while !self.is_at_end() {
            if self.eat(TokenKind::DotDot) {
                open = true;
                self.eat(TokenKind::Comma);
                break;
            }
            fields.push(self.field()?);
            if !self.eat(TokenKind::Comma) && !self.is_at_end() {
                self.expect_before(TokenKind::Comma, "`,` or `}`", |it| it == TokenKind::Ident)?;
            }
        }
        Ok(Type::Record { fields: fields.into(), open })
    }

    /// `x: T`
    pub(super) fn field(&mut self) -> ParseResult<FieldId> {
        let from = self.pos;
        let name = self.name_before_type("the name of a field")?;
        let ty = self.stated_type()?;
        let span = self.span_from(from);
        Ok(self.builder.field(Field { name, ty }, span))
    }

    /// `: T` after a name in a list.
    pub(super) fn stated_type(&mut self) -> ParseResult<TypeId> {
        if !self.eat(TokenKind::Colon) {
            let is_typeless = self.is_at_end() || self.kind() == TokenKind::Comma;
            let code = if is_typeless { SyntaxCode::E0006 } else { SyntaxCode::E0001 };
            let failed = self.expected(code, "`:` and a type");
            if !is_typeless && !starts_type(self.kind()) {
                return Err(failed);
            }
        }
        Ok(self.type_before(|it| it == TokenKind::Comma))
    }

    /// Refinements and `?` after a type that starts at `from`.
    fn suffixes(&mut self, from: usize, mut ty: TypeId) -> ParseResult<TypeId> {
        let mut n_suffixes = 0;
        loop {
            let suffixed = match self.kind() {
                TokenKind::Question => {
                    self.bump();
                    Type::Named { name: Name::new("Option"), args: [ty].into() }
                }
                TokenKind::LBrace if !self.in_result => {
                    let (variable, predicate) = self.inside(|it| {
                        let is_named =
                            it.kind() == TokenKind::Ident && it.kind_at(1) == TokenKind::Pipe;
                        let variable = match is_named {
                            true => Some(it.value_name("a name")?),
                            false => None,
                        };
                        if variable.is_some() {
                            it.bump();
                        }
                        Ok((variable, it.expr()?))
                    })?;
                    Type::Refined { base: ty, variable, predicate }
                }
                _ => return Ok(ty),
            };
            self.check_chain(n_suffixes)?;
            n_suffixes += 1;
            let span = self.span_from(from);
            ty = self.builder.ty(suffixed, span);
        }
    }
}
