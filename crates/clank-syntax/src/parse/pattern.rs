//! Patterns.

use super::cursor::{ParseResult, Parser};
use super::list::ListOf;
use super::literal::is_literal;
use crate::ast::{FieldPattern, FieldPatternId, Literal, Name, Pattern, PatternId};
use crate::error::SyntaxCode;
use crate::stack::with_stack;
use crate::token::TokenKind;

/// Whether a pattern can start with it.
pub(super) fn starts_pattern(kind: TokenKind) -> bool {
    is_literal(kind)
        || matches!(
            kind,
            TokenKind::Underscore
                | TokenKind::Ident
                | TokenKind::TypeIdent
                | TokenKind::Minus
                | TokenKind::LParen
                | TokenKind::LBrace
        )
}

impl<'p> Parser<'p> {
    pub(super) fn pattern(&mut self) -> ParseResult<PatternId> {
        with_stack(|| self.pattern_step())
    }

    fn pattern_step(&mut self) -> ParseResult<PatternId> {
        let from = self.pos;
        let pattern = match self.kind() {
            TokenKind::Underscore => {
                self.bump();
                Pattern::Wildcard
            }
            TokenKind::Ident if self.kind_at(1) == TokenKind::Dot => return self.variant(),
            TokenKind::Ident => Pattern::Ident { name: self.value_name("a name")? },
            TokenKind::TypeIdent => return self.variant(),
            TokenKind::Minus => {
                self.bump();
                self.negative_literal(from)?
            }
            kind if is_literal(kind) => match self.literal() {
                Some(literal) => Pattern::Literal(literal),
                None => Pattern::Error { source: self.source_from(from).0 },
            },
            TokenKind::LParen => return self.tuple_pattern(),
            TokenKind::LBrace => {
                let (fields, _) = self.inside(|it| {
                    it.list(&ListOf {
                        element: Self::field_pattern,
                        can_start: |kind| kind == TokenKind::Ident,
                        broken: None,
                        code: SyntaxCode::E0001,
                        separators: "`,` or `}`",
                    })
                })?;
                Pattern::Record { fields: fields.into() }
            }
            _ => return Err(self.expected(SyntaxCode::E0007, "a pattern")),
        };
        let span = self.span_from(from);
        Ok(self.builder.pattern(pattern, span))
    }

    fn negative_literal(&mut self, from: usize) -> ParseResult<Pattern> {
        if !matches!(self.kind(), TokenKind::Int | TokenKind::Float) {
            return Err(self.expected(SyntaxCode::E0007, "a number"));
        }
        Ok(match self.literal() {
            Some(Literal::Int { value, suffix }) => {
                Pattern::Literal(Literal::Int { value: -value, suffix })
            }
            Some(Literal::Float(value)) => Pattern::Literal(Literal::Float(-value)),
            _ => Pattern::Error { source: self.source_from(from).0 },
        })
    }

    fn variant(&mut self) -> ParseResult<PatternId> {
        let from = self.pos;
        let name = self.qualified_name("the name of a variant", SyntaxCode::E0007)?;
        let payload = match self.kind() {
            TokenKind::LParen => self.inside(Self::patterns)?.0,
            _ => Vec::new(),
        };
        let span = self.span_from(from);
        Ok(self.builder.pattern(Pattern::Variant { name, payload: payload.into() }, span))
    }

    fn tuple_pattern(&mut self) -> ParseResult<PatternId> {
        let from = self.pos;
        let (elements, ends_with_comma) = self.inside(Self::patterns)?;
        let span = self.span_from(from);
        Ok(match elements.as_slice() {
            [] => self.builder.pattern(Pattern::Literal(Literal::Unit), span),
            [single] if !ends_with_comma => *single,
            _ => self.builder.pattern(Pattern::Tuple { elements: elements.into() }, span),
        })
    }

    fn patterns(&mut self) -> ParseResult<(Vec<PatternId>, bool)> {
        self.list(&ListOf {
            element: Self::pattern,
            can_start: starts_pattern,
            broken: Some(|builder, source, span| builder.pattern(Pattern::Error { source }, span)),
            code: SyntaxCode::E0001,
            separators: "`,` or `)`",
        })
    }

    fn field_pattern(&mut self) -> ParseResult<FieldPatternId> {
        let from = self.pos;
        let name = self.value_name("the name of a field")?;
        let pattern = match self.eat(TokenKind::Colon) {
            true => Some(self.pattern_before(|it| it == TokenKind::Comma)),
            false => None,
        };
        let span = self.span_from(from);
        Ok(self.builder.field_pattern(FieldPattern { name, pattern }, span))
    }

    /// The pattern here, or, if there is none, an error node of what is before the next `stop`.
    pub(super) fn pattern_before(&mut self, stop: fn(TokenKind) -> bool) -> PatternId {
        let (from, mark) = (self.pos, self.builder.mark());
        if let Ok(pattern) = self.pattern() {
            return pattern;
        }
        self.builder.rollback(mark);
        self.skip_to(stop);
        let (source, span) = self.source_from(from);
        self.builder.pattern(Pattern::Error { source }, span)
    }

    /// `Name` or `m.Name`
    pub(super) fn qualified_name(&mut self, what: &str, code: SyntaxCode) -> ParseResult<Name> {
        let module = match self.kind() {
            TokenKind::Ident => {
                self.pos += 2;
                Some(self.text_at(self.pos - 2))
            }
            _ => None,
        };
        if self.kind() != TokenKind::TypeIdent {
            return Err(self.expected(code, what));
        }
        let name = self.type_name(what)?;
        Ok(match module {
            Some(module) => Name::from(format!("{module}.{name}")),
            None => name,
        })
    }
}
