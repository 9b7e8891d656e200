//! Elements between brackets with commas between them, and an optional comma at the end.

use super::cursor::{ParseResult, Parser};
use crate::ast::Builder;
use crate::error::SyntaxCode;
use crate::span::Span;
use crate::token::TokenKind;

/// What a list is made of.
pub(super) struct ListOf<'p, T> {
    pub(super) element: fn(&mut Parser<'p>) -> ParseResult<T>,
    /// Whether an element can start with it: then a comma before it was forgotten.
    pub(super) can_start: fn(TokenKind) -> bool,
    /// What stands for an element that cannot be read; without it the whole list cannot.
    pub(super) broken: Option<fn(&mut Builder, String, Span) -> T>,
    /// The code for a missing comma.
    pub(super) code: SyntaxCode,
    /// What may follow an element.
    pub(super) separators: &'static str,
}

impl<'p> Parser<'p> {
    /// The elements up to the end of the brackets, and whether there is a comma after the last.
    pub(super) fn list<T>(&mut self, list: &ListOf<'p, T>) -> ParseResult<(Vec<T>, bool)> {
        let mut elements = Vec::new();
        let mut ends_with_comma = true;
        while !self.is_at_end() {
            let (from, mark) = (self.pos, self.builder.mark());
            let n_found = self.found.len();
            let element = (list.element)(self);
            if !ends_with_comma && !elements.is_empty() {
                // The comma may not be what was forgotten, and that was reported.
                self.found.truncate(n_found);
            }
            let mut is_followed = self.is_at_end() || self.kind() == TokenKind::Comma;
            if element.is_ok() && !is_followed {
                self.expected(list.code, list.separators);
                // The only thing that it can mean here is a comma.
                is_followed = self.kind() == TokenKind::Semi;
            }
            match element {
                Ok(element) if is_followed || (list.can_start)(self.kind()) => {
                    elements.push(element);
                }
                element => {
                    let Some(broken) = list.broken else {
                        return Err(element.err().unwrap_or(super::cursor::Failed));
                    };
                    self.builder.rollback(mark);
                    self.skip_to(|it| it == TokenKind::Comma);
                    let (source, span) = self.source_from(from);
                    elements.push(broken(self.builder, source, span));
                }
            }
            ends_with_comma = self.eat(TokenKind::Comma) || self.eat(TokenKind::Semi);
        }
        let ends_with_comma = ends_with_comma && !elements.is_empty();
        Ok((elements, ends_with_comma))
    }
}
