//! Blocks and statements.

use super::cursor::{ParseResult, Parser};
use super::expr::{binary_op, starts_expr};
use super::pattern::starts_pattern;
use crate::ast::{Expr, ExprId, Stmt, StmtId};
use crate::error::SyntaxCode;
use crate::span::Span;
use crate::token::TokenKind;

/// What a block is made of.
pub(super) enum BlockItem {
    Stmt(StmtId),
    /// An expression that is a statement if something follows and the block's value if nothing does.
    Expr(ExprId),
}

impl Parser<'_> {
    pub(super) fn block(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected_opening("`{`"));
        }
        let (statements, expr) = self.inside(|it| Ok(it.block_items()))?;
        let span = self.span_from(from);
        Ok(self.builder.expr(Expr::Block { statements: statements.into(), expr }, span))
    }

    /// The statements and the value up to the end of the block.
    pub(super) fn block_items(&mut self) -> (Vec<StmtId>, Option<ExprId>) {
        let mut statements = Vec::new();
        let mut is_aftermath = false;
        loop {
            while self.eat(TokenKind::Semi) {
                is_aftermath = false;
            }
            if self.is_at_end() {
                return (statements, None);
            }
            let (from, mark) = (self.pos, self.builder.mark());
            let n_found = self.found.len();
            is_aftermath &= !self.layout.pieces[from].is_first_on_line;
            let item = self.item();
            if is_aftermath {
                // What is wrong with this line was reported.
                self.found.truncate(n_found);
            }
            is_aftermath |= self.found.len() > n_found;
            let item = match item {
                Ok(item) if !self.has_stray(from) => item,
                item => {
                    self.builder.rollback(mark);
                    if item.is_err() {
                        self.skip_statement(from);
                    }
                    let (_, span) = self.source_from(from);
                    let span = match self.is_in_block() {
                        true => Span::new(span.start, span.end.max(self.last_stray_end())),
                        false => span,
                    };
                    let source = self.text[span.start as usize..span.end as usize].to_owned();
                    self.covered = self.covered.max(span.end);
                    BlockItem::Expr(self.builder.expr(Expr::Error { source }, span))
                }
            };
            match item {
                BlockItem::Stmt(statement) => statements.push(statement),
                BlockItem::Expr(expr) if self.is_at_end() => return (statements, Some(expr)),
                BlockItem::Expr(expr) => {
                    let span = self.span_from(from).to(self.builder.node(expr).span);
                    statements.push(self.builder.stmt(Stmt::Expr { expr }, span));
                }
            }
        }
    }

    /// Whether what is before the piece here is in the block, up to the last byte.
    fn is_in_block(&self) -> bool {
        let next = self.layout.pieces.get(self.pos);
        !self.is_at_end() || next.is_some_and(|it| it.kind == TokenKind::RBrace)
    }

    /// Passes over the rest of a statement that cannot be read: up to a `;` or to a line that looks like another one.
    fn skip_statement(&mut self, from: usize) {
        if self.kind() == TokenKind::Arrow {
            // These are the arms of a `match`, or something else that is not a block.
            self.pos = self.limit;
        }
        if self.pos <= from && self.kind() != TokenKind::Semi {
            self.pos = from;
            self.skip();
        }
        // What has commas between its parts has been a list.
        let is_list = self.layout.pieces[from].kind == TokenKind::Comma;
        while !self.is_at_end() && self.kind() != TokenKind::Semi {
            let kind = self.kind();
            let starts_statement = kind.is_statement()
                || !is_list
                    && matches!(
                        kind,
                        TokenKind::Ident | TokenKind::TypeIdent | TokenKind::If | TokenKind::Match
                    );
            if starts_statement && self.layout.pieces[self.pos].is_first_on_line {
                return;
            }
            self.skip();
        }
    }

    /// One statement or expression, without the `;` after it.
    pub(super) fn item(&mut self) -> ParseResult<BlockItem> {
        let from = self.pos;
        let stmt = match self.kind() {
            TokenKind::Let => self.let_stmt()?,
            TokenKind::For => {
                self.bump();
                let pattern = self.pattern()?;
                self.expect_before(TokenKind::In, "`in`", starts_expr)?;
                let iterable = self.head()?;
                Stmt::For { pattern, iterable, body: self.block()? }
            }
            TokenKind::While => {
                self.bump();
                let condition = self.head()?;
                Stmt::While { condition, body: self.block()? }
            }
            TokenKind::Loop => {
                self.bump();
                Stmt::Loop { body: self.block()? }
            }
            TokenKind::Return => {
                self.bump();
                let is_bare = self.is_at_end() || self.kind() == TokenKind::Semi;
                Stmt::Return { value: if is_bare { None } else { Some(self.expr()?) } }
            }
            TokenKind::Break => {
                self.bump();
                Stmt::Break
            }
            TokenKind::Continue => {
                self.bump();
                Stmt::Continue
            }
            TokenKind::Assert => {
                self.bump();
                let condition = self.expr()?;
                let message = match self.eat(TokenKind::Colon) {
                    true => Some(self.string_literal("a message in quotes")?),
                    false => None,
                };
                Stmt::Assert { condition, message }
            }
            _ => return self.expr_or_assignment(),
        };
        let span = self.span_from(from);
        Ok(BlockItem::Stmt(self.builder.stmt(stmt, span)))
    }

    fn let_stmt(&mut self) -> ParseResult<Stmt> {
        self.bump();
        let mutable = self.eat(TokenKind::Mut);
        let pattern = match starts_pattern(self.kind()) || !starts_expr(self.kind()) {
            true => self.pattern()?,
            false => return Err(self.expected(SyntaxCode::E0007, "a pattern")),
        };
        let ty = match self.eat(TokenKind::Colon) {
            true => Some(self.type_before(|it| matches!(it, TokenKind::Eq | TokenKind::Semi))),
            false => None,
        };
        self.expect_before(TokenKind::Eq, "`=`", starts_expr)?;
        let (from, mark) = (self.pos, self.builder.mark());
        let init = match self.expr() {
            Ok(init) => init,
            Err(_) => {
                self.builder.rollback(mark);
                if self.pos > from {
                    self.skip_statement(from);
                } else {
                    self.skip_unstarted();
                }
                let (source, span) = self.source_from(from);
                self.builder.expr(Expr::Error { source }, span)
            }
        };
        Ok(Stmt::Let { pattern, ty, init, mutable })
    }

    /// Passes over what stands where an expression is missing, unless it starts a statement.
    fn skip_unstarted(&mut self) {
        if !self.is_at_end() && !self.kind().is_statement() {
            self.skip_statement(self.pos);
        }
    }

    fn expr_or_assignment(&mut self) -> ParseResult<BlockItem> {
        let from = self.pos;
        let kind = self.kind();
        if !starts_expr(kind) && binary_op(kind).is_none() {
            return Err(self.expected(SyntaxCode::E0001, "a statement"));
        }
        let target = self.expr()?;
        if !self.eat(TokenKind::Eq) {
            return Ok(BlockItem::Expr(target));
        }
        let value = self.expr()?;
        let span = self.span_from(from);
        Ok(BlockItem::Stmt(self.builder.stmt(Stmt::Assign { target, value }, span)))
    }
}
