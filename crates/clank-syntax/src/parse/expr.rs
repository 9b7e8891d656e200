//! Expressions: operators, what follows an operand, and operands.
//!
//! Chains of operators, calls and `else if`s are read in loops, so that their length needs no stack.

use super::bracket::after;
use super::cursor::{Failed, ParseResult, Parser};
use super::list::ListOf;
use super::literal::is_literal;
use super::report::SyntaxFault;
use crate::ast::{BinaryOp, Expr, ExprId, Literal, Name, UnaryOp};
use crate::error::{SyntaxCode, SyntaxError};
use crate::span::Span;
use crate::stack::with_stack;
use crate::token::TokenKind;

/// Whether an expression can start with it.
pub(super) fn starts_expr(kind: TokenKind) -> bool {
    is_literal(kind)
        || matches!(
            kind,
            TokenKind::Template
                | TokenKind::Ident
                | TokenKind::TypeIdent
                | TokenKind::Underscore
                | TokenKind::Question
                | TokenKind::Lambda
                | TokenKind::If
                | TokenKind::Match
                | TokenKind::LBrace
                | TokenKind::LBracket
                | TokenKind::LParen
                | TokenKind::Minus
                | TokenKind::Not
        )
}

pub(super) fn binary_op(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::PipeGt => BinaryOp::Pipe,
        TokenKind::Or => BinaryOp::Or,
        TokenKind::And => BinaryOp::And,
        TokenKind::EqEq => BinaryOp::Eq,
        TokenKind::NotEq => BinaryOp::Ne,
        TokenKind::Lt => BinaryOp::Lt,
        TokenKind::Gt => BinaryOp::Gt,
        TokenKind::LtEq => BinaryOp::Le,
        TokenKind::GtEq => BinaryOp::Ge,
        TokenKind::PlusPlus => BinaryOp::Concat,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Sub,
        TokenKind::Star => BinaryOp::Mul,
        TokenKind::Slash => BinaryOp::Div,
        TokenKind::Percent => BinaryOp::Rem,
        TokenKind::Caret => BinaryOp::Pow,
        _ => return None,
    })
}

fn unary_op(kind: TokenKind) -> Option<UnaryOp> {
    match kind {
        TokenKind::Minus => Some(UnaryOp::Neg),
        TokenKind::Not => Some(UnaryOp::Not),
        _ => None,
    }
}

impl<'p> Parser<'p> {
    pub(super) fn expr(&mut self) -> ParseResult<ExprId> {
        with_stack(|| self.binary(0))
    }

    /// The head of an `if`, `while` and so on, where a `{` after a name is the block that follows.
    pub(super) fn head(&mut self) -> ParseResult<ExprId> {
        if let Some(missing) = self.missing_head() {
            return Ok(missing);
        }
        let outer = std::mem::replace(&mut self.in_head, true);
        let expr = self.expr();
        self.in_head = outer;
        expr
    }

    /// Reports a head that is missing: the block is there, but nothing before it.
    pub(super) fn missing_head(&mut self) -> Option<ExprId> {
        if self.kind() != TokenKind::LBrace || self.is_followed_by_block() {
            return None;
        }
        self.expected(SyntaxCode::E0005, "an expression");
        let (source, span) = self.source_from(self.pos);
        Some(self.builder.expr(Expr::Error { source }, span))
    }

    /// Whether the braces here are a head, because a block or the rest of the head comes after them.
    fn is_followed_by_block(&self) -> bool {
        let next = after(&self.layout.pieces, self.pos);
        let kind = self.kind_at(next - self.pos);
        binary_op(kind).is_some()
            || matches!(
                kind,
                TokenKind::LBrace
                    | TokenKind::LParen
                    | TokenKind::LBracket
                    | TokenKind::Dot
                    | TokenKind::DotDot
                    | TokenKind::DotDotEq
                    | TokenKind::Question
                    | TokenKind::Post
            )
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`.
    fn binary(&mut self, loosest: u8) -> ParseResult<ExprId> {
        let from = self.pos;
        let mut left = self.prefixed()?;
        let mut n_links = 0;
        loop {
            let kind = self.kind();
            if matches!(kind, TokenKind::DotDot | TokenKind::DotDotEq) {
                if BinaryOp::RANGE < loosest {
                    return Ok(left);
                }
                left = self.range(from, left)?;
                continue;
            }
            let Some(op) = binary_op(kind).filter(|it| it.precedence() >= loosest) else {
                return Ok(left);
            };
            self.check_chain(n_links)?;
            n_links += 1;
            if op == BinaryOp::Pow {
                left = self.power(from, left)?;
                continue;
            }
            self.bump();
            let right = self.binary(op.precedence() + 1)?;
            let span = self.span_from(from);
            left = self.builder.expr(Expr::Binary { op, left, right }, span);
        }
    }

    fn range(&mut self, from: usize, start: ExprId) -> ParseResult<ExprId> {
        let inclusive = self.kind() == TokenKind::DotDotEq;
        self.bump();
        let end = self.binary(BinaryOp::RANGE + 1)?;
        let span = self.span_from(from);
        let range = self.builder.expr(Expr::Range { start, end, inclusive }, span);
        if matches!(self.kind(), TokenKind::DotDot | TokenKind::DotDotEq) {
            return Err(self.range_of_ranges());
        }
        Ok(range)
    }

    fn range_of_ranges(&mut self) -> Failed {
        let piece = self.layout.pieces[self.pos];
        let error = SyntaxError {
            code: SyntaxCode::E0001,
            span: Span::new(piece.start, piece.end),
            message: "a range cannot start with another range".into(),
            help: Some("put one of them in parentheses".into()),
            related: None,
        };
        self.push(error, SyntaxFault::Plain);
        Failed
    }

    /// `a ^ b ^ c` is `a ^ (b ^ c)`.
    fn power(&mut self, from: usize, first: ExprId) -> ParseResult<ExprId> {
        let mut bases = vec![(from, first)];
        while self.eat(TokenKind::Caret) {
            self.check_chain(bases.len() as u32 - 1)?;
            let from = self.pos;
            bases.push((from, self.prefixed()?));
        }
        let mut right = bases.pop().map_or(first, |(_, last)| last);
        for (from, left) in bases.into_iter().rev() {
            let span = self.span_from(from);
            right = self.builder.expr(Expr::Binary { op: BinaryOp::Pow, left, right }, span);
        }
        Ok(right)
    }

    fn prefixed(&mut self) -> ParseResult<ExprId> {
        if unary_op(self.kind()).is_none() {
            return self.postfixed();
        }
        let mut ops = Vec::new();
        while let Some(op) = unary_op(self.kind()) {
            ops.push((self.pos, op));
            self.bump();
        }
        let levels = u32::try_from(ops.len()).unwrap_or(u32::MAX / 2);
        let mut operand = self.deeper(levels, Self::postfixed)?;
        for (from, op) in ops.into_iter().rev() {
            let span = self.span_from(from);
            operand = self.builder.expr(Expr::Unary { op, operand }, span);
        }
        Ok(operand)
    }

    fn postfixed(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        let mut operand = self.operand()?;
        let mut n_links = 0;
        loop {
            let expr = match self.kind() {
                TokenKind::LParen => {
                    let (args, _) = self.inside(|it| it.exprs("`,` or `)`"))?;
                    Expr::Call { callee: operand, args: args.into() }
                }
                TokenKind::LBracket => {
                    Expr::Index { object: operand, index: self.inside(Self::expr)? }
                }
                TokenKind::Dot => Expr::Field { object: operand, field: self.field_name()? },
                TokenKind::Question => {
                    self.bump();
                    Expr::Propagate { expr: operand }
                }
                _ => return Ok(operand),
            };
            self.check_chain(n_links)?;
            n_links += 1;
            let span = self.span_from(from);
            operand = self.builder.expr(expr, span);
        }
    }

    fn field_name(&mut self) -> ParseResult<Name> {
        self.bump();
        let is_digit = |it: u8| it.is_ascii_digit();
        let is_name = match self.kind() {
            TokenKind::Ident | TokenKind::TypeIdent => true,
            TokenKind::Int => {
                let text = self.text_at(self.pos);
                if !text.bytes().all(|it| is_digit(it) || it == b'_') {
                    // A malformed number was reported when it was found.
                    return Err(Failed);
                }
                text.bytes().all(is_digit)
            }
            _ => false,
        };
        if !is_name {
            return Err(self.expected(SyntaxCode::E0001, "the name of a field"));
        }
        self.bump();
        Ok(Name::new(self.text_at(self.pos - 1)))
    }

    fn operand(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        let expr = match self.kind() {
            kind if is_literal(kind) => match self.literal() {
                Some(literal) => Expr::Literal(literal),
                None => Expr::Error { source: self.source_from(from).0 },
            },
            TokenKind::Template => return self.template(),
            TokenKind::Ident => match self.qualifies_record() {
                true => return self.record_literal(),
                false => Expr::Ident { name: self.value_name("a name")? },
            },
            TokenKind::TypeIdent if self.is_record_literal(1) => return self.record_literal(),
            TokenKind::TypeIdent => Expr::Ident { name: self.type_name("a name")? },
            TokenKind::Underscore => {
                self.bump();
                Expr::Hole { name: None }
            }
            TokenKind::Question => {
                self.bump();
                Expr::Hole { name: Some(self.value_name("the name of a hole")?) }
            }
            TokenKind::Lambda => return self.lambda(),
            TokenKind::If => return self.if_expr(),
            TokenKind::Match => return self.match_expr(),
            TokenKind::LBrace if self.is_record_start(0) => return self.record(),
            TokenKind::LBrace => return self.block(),
            TokenKind::LBracket => {
                let (elements, _) = self.inside(|it| it.exprs("`,` or `]`"))?;
                Expr::Array { elements: elements.into() }
            }
            TokenKind::LParen => return self.parenthesised(),
            _ => return Err(self.expected_expr()),
        };
        let span = self.span_from(from);
        Ok(self.builder.expr(expr, span))
    }

    fn expected_expr(&mut self) -> Failed {
        let kind = self.kind();
        let failed = self.expected(SyntaxCode::E0005, "an expression");
        // At the start of a line it is more likely the next statement than a part of this one.
        let is_part = kind.is_statement()
            && (!self.layout.pieces[self.pos].is_first_on_line
                || self.pos > 0 && self.layout.pieces[self.pos - 1].kind == TokenKind::Arrow);
        if is_part && let Some(found) = self.found.last_mut() {
            let piece = self.layout.pieces[self.pos];
            let word = &self.text[piece.start as usize..piece.end as usize];
            let rest = match kind {
                TokenKind::Break | TokenKind::Continue => "",
                _ => " …",
            };
            found.error.help = Some(format!("a statement goes into a block: `{{ {word}{rest} }}`"));
        }
        failed
    }

    fn parenthesised(&mut self) -> ParseResult<ExprId> {
        let from = self.pos;
        let (elements, ends_with_comma) = self.inside(|it| it.exprs("`,` or `)`"))?;
        let span = self.span_from(from);
        Ok(match elements.as_slice() {
            [] => self.builder.expr(Expr::Literal(Literal::Unit), span),
            [single] if !ends_with_comma => *single,
            _ => self.builder.expr(Expr::Tuple { elements: elements.into() }, span),
        })
    }

    fn exprs(&mut self, separators: &'static str) -> ParseResult<(Vec<ExprId>, bool)> {
        self.list(&ListOf {
            element: Self::expr,
            can_start: starts_expr,
            broken: Some(|builder, source, span| builder.expr(Expr::Error { source }, span)),
            code: SyntaxCode::E0001,
            separators,
        })
    }
}
