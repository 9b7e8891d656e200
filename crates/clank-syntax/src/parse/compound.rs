//! Expressions with parts of their own kinds: lambdas, `if`, `match` and records.

use super::cursor::{Failed, ParseResult, Parser};
use super::expr::starts_expr;
use super::list::ListOf;
use super::pattern::starts_pattern;
use super::report::SyntaxFault;
use crate::ast::{
    Arm, ArmId, Expr, ExprId, FieldInit, FieldInitId, LambdaParam, LambdaParamId, Name,
};
use crate::error::{SyntaxCode, SyntaxError};
use crate::span::Span;
use crate::token::TokenKind;

impl<'p> Parser<'p> {
    pub(super) fn lambda(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        self.bump();
        let params = match self.kind() {
            TokenKind::LParen => self.inside(|it| {
                it.list(&ListOf {
                    element: Self::lambda_param,
                    can_start: |kind| matches!(kind, TokenKind::Ident | TokenKind::Underscore),
                    broken: None,
                    code: SyntaxCode::E0001,
                    separators: "`,` or `)`",
                })
            })?,
            TokenKind::Arrow => (Vec::new(), false),
            _ => (self.bare_lambda_params()?, false),
        };
        self.expect_before(TokenKind::Arrow, "`->`", starts_expr)?;
        let body = self.deeper(1, Self::expr)?;
        let span = self.span_from(from);
        Ok(self.builder.expr(Expr::Lambda { params: params.0.into(), body }, span))
    }

    /// A parameter without parentheses. More of them before the arrow are reported as one mistake and read.
    fn bare_lambda_params(&mut self) -> ParseResult<Vec<LambdaParamId>> {
        let mut params = vec![self.bare_lambda_param()?];
        let is_name = |kind| matches!(kind, TokenKind::Ident | TokenKind::Underscore);
        let mut ahead = 0;
        while is_name(self.kind_at(ahead))
            || self.kind_at(ahead) == TokenKind::Comma && is_name(self.kind_at(ahead + 1))
        {
            ahead += 1;
        }
        if ahead == 0 || self.kind_at(ahead) != TokenKind::Arrow {
            return Ok(params);
        }
        self.expected(SyntaxCode::E0001, "`->`");
        if let Some(found) = self.found.last_mut() {
            found.error.help =
                Some("put several parameters in parentheses: `\\(a, b) -> …`".into());
        }
        while self.kind() != TokenKind::Arrow {
            self.eat(TokenKind::Comma);
            params.push(self.bare_lambda_param()?);
        }
        Ok(params)
    }

    fn bare_lambda_param(&mut self) -> ParseResult<LambdaParamId> {
        let from = self.pos;
        let name = self.lambda_param_name()?;
        let span = self.span_from(from);
        Ok(self.builder.lambda_param(LambdaParam { name, ty: None }, span))
    }

    fn lambda_param_name(&mut self) -> ParseResult<Name> {
        if self.eat(TokenKind::Underscore) {
            return Ok(Name::new("_"));
        }
        self.value_name("the name of a parameter")
    }

    fn lambda_param(&mut self) -> ParseResult<LambdaParamId> {
        let from = self.pos;
        let name = self.lambda_param_name()?;
        let ty = match self.eat(TokenKind::Colon) {
            true => Some(self.type_before(|it| it == TokenKind::Comma)),
            false => None,
        };
        let span = self.span_from(from);
        Ok(self.builder.lambda_param(LambdaParam { name, ty }, span))
    }

    pub(super) fn if_expr(&mut self) -> ParseResult<ExprId> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let from = self.pos;
            self.bump();
            let condition = self.head()?;
            links.push((from, condition, self.block()?));
            if !self.eat(TokenKind::Else) {
                break;
            }
            if self.kind() != TokenKind::If {
                otherwise = Some(self.block()?);
                break;
            }
            self.check_chain(links.len() as u32)?;
        }
        for (from, condition, then_branch) in links.into_iter().rev() {
            let expr = Expr::If { condition, then_branch, else_branch: otherwise };
            let span = self.span_from(from);
            otherwise = Some(self.builder.expr(expr, span));
        }
        otherwise.ok_or(Failed)
    }

    pub(super) fn match_expr(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        self.bump();
        let scrutinee = self.head()?;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected_opening("`{`"));
        }
        let (arms, _) = self.inside(|it| {
            it.list(&ListOf {
                element: Self::arm,
                can_start: starts_pattern,
                broken: None,
                code: SyntaxCode::E0001,
                separators: "`,` or `}`",
            })
        })?;
        let span = self.span_from(from);
        Ok(self.builder.expr(Expr::Match { scrutinee, arms: arms.into() }, span))
    }

    fn arm(&mut self) -> ParseResult<ArmId> {
        let from = self.pos;
        let n_found = self.found.len();
        let pattern = self
            .pattern_before(|it| matches!(it, TokenKind::If | TokenKind::Arrow | TokenKind::Comma));
        let guard = match self.eat(TokenKind::If) {
            true => Some(self.expr_before(|it| matches!(it, TokenKind::Arrow | TokenKind::Comma))),
            false => None,
        };
        let arrow = self.expect_before(TokenKind::Arrow, "`->`", starts_expr);
        let (body_from, body_mark) = (self.pos, self.builder.mark());
        let body = match arrow {
            Ok(()) => Some(self.expr_before(|it| it == TokenKind::Comma)),
            Err(_) => None,
        };
        let is_whole = self.is_at_end()
            || matches!(self.kind(), TokenKind::Comma | TokenKind::Semi)
            || starts_pattern(self.kind());
        let body = match body {
            Some(body) if is_whole => body,
            _ => {
                if self.found.len() == n_found {
                    self.expected(SyntaxCode::E0001, "`,` or `}`");
                }
                self.builder.rollback(body_mark);
                self.skip_to(|it| it == TokenKind::Comma);
                let (source, span) = self.source_from(body_from);
                self.builder.expr(Expr::Error { source }, span)
            }
        };
        let span = self.span_from(from);
        if self.builder.node(pattern).span.start < span.start {
            // A missing pattern is in the arm, not before it.
            self.builder.set_span(pattern, Span::new(span.start, span.start));
        }
        Ok(self.builder.arm(Arm { pattern, guard, body }, span))
    }

    /// Whether the `{` that is so far ahead starts the fields of a record: `{ name :`
    pub(super) fn is_record_start(&self, ahead: usize) -> bool {
        self.kind_at(ahead) == TokenKind::LBrace
            && self.kind_at(ahead + 1) == TokenKind::Ident
            && self.kind_at(ahead + 2) == TokenKind::Colon
    }

    /// Whether the `{` after a name is the start of a record literal. In a head only an evident one is.
    pub(super) fn is_record_literal(&self, ahead: usize) -> bool {
        self.kind_at(ahead) == TokenKind::LBrace && (!self.in_head || self.is_record_start(ahead))
    }

    /// Whether `m.Name {` starts here.
    pub(super) fn qualifies_record(&self) -> bool {
        self.kind_at(1) == TokenKind::Dot
            && self.kind_at(2) == TokenKind::TypeIdent
            && self.is_record_literal(3)
    }

    pub(super) fn record_literal(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        let name = self.qualified_name("the name of a record", SyntaxCode::E0009)?;
        let is_misplaced = self.in_head;
        let (fields, _) = self.inside(Self::field_inits)?;
        let span = self.span_from(from);
        if is_misplaced {
            let error = SyntaxError {
                code: SyntaxCode::E0009,
                span,
                message: format!(
                    "the record literal `{name} {{ … }}` is not allowed here, where a block follows"
                ),
                help: Some("put it in parentheses".into()),
                related: None,
            };
            self.push(error, SyntaxFault::Plain);
        }
        Ok(self.builder.expr(Expr::RecordLit { name, fields: fields.into() }, span))
    }

    pub(super) fn record(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        let (fields, _) = self.inside(Self::field_inits)?;
        let span = self.span_from(from);
        Ok(self.builder.expr(Expr::Record { fields: fields.into() }, span))
    }

    fn field_inits(&mut self) -> ParseResult<(Vec<FieldInitId>, bool)> {
        self.list(&ListOf {
            element: Self::field_init,
            can_start: |kind| kind == TokenKind::Ident,
            broken: None,
            code: SyntaxCode::E0009,
            separators: "`,` or `}`",
        })
    }

    fn field_init(&mut self) -> ParseResult<FieldInitId> {
        let from = self.pos;
        if self.kind() != TokenKind::Ident {
            return Err(self.expected(SyntaxCode::E0009, "the name of a field"));
        }
        let name = self.value_name("the name of a field")?;
        if !self.eat(TokenKind::Colon) {
            let failed = self.expected(SyntaxCode::E0009, "`:` and the value of the field");
            if !starts_expr(self.kind()) {
                return Err(failed);
            }
        }
        let value = self.expr_before(|it| it == TokenKind::Comma);
        let span = self.span_from(from);
        Ok(self.builder.field_init(FieldInit { name, value }, span))
    }
}
