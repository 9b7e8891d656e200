//! The parser's place in the text, what it remembers, and how it reports and passes over mistakes.
//!
//! A construct that cannot be read is reported once where that is found, and [`Failed`] goes up to the next construct
//! that can stand for it as an error node: an element of a list, a statement, a declaration.

use super::bracket::{BracketLayout, ParserToken, after, partner};
use super::report::{ParseFault, SyntaxFault, settle};
use crate::ast::{Builder, Expr, ExprId, MAX_CHAIN, MAX_NESTING, Name};
use crate::error::{SyntaxCode, SyntaxError};
use crate::lexer::{Lexed, shortened};
use crate::span::Span;
use crate::token::TokenKind;

/// Something could not be read; that was reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type ParseResult<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) builder: &'a mut Builder,
    pub(super) layout: BracketLayout,
    /// What is in the text but not in the pieces: runs of characters that are not tokens, and closing brackets without
    /// partners.
    pub(super) strays: Vec<Span>,
    pub(super) unterminated: Vec<u32>,
    /// Where templates start that must not be read.
    pub(super) unreadable: Vec<u32>,
    /// Where the text that is read starts, and what comes after its end.
    pub(super) origin: u32,
    pub(super) end_name: &'static str,
    pub(super) pos: usize,
    /// The piece before which what is being read must end.
    pub(super) limit: usize,
    pub(super) depth: u32,
    /// Whether a `{` after a name is a block: in the heads of `if`, `while` and so on.
    pub(super) in_head: bool,
    /// Whether a `{` after a type is a block: in the result type of a function.
    pub(super) in_result: bool,
    pub(super) found: Vec<ParseFault>,
    pub(super) errors: Vec<SyntaxError>,
    /// Strays before this offset are in an error node.
    pub(super) covered: u32,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        text: &'a str,
        builder: &'a mut Builder,
        lexed: Lexed,
        layout: BracketLayout,
    ) -> Parser<'a> {
        let mut parser = Parser {
            text,
            builder,
            limit: layout.pieces.len(),
            layout,
            strays: Vec::new(),
            unterminated: Vec::new(),
            unreadable: Vec::new(),
            origin: 0,
            end_name: "the end of the text",
            pos: 0,
            depth: 0,
            in_head: false,
            in_result: false,
            found: Vec::new(),
            errors: Vec::new(),
            covered: 0,
        };
        parser.take(lexed);
        parser
    }

    /// Takes over what the lexer found besides tokens.
    pub(super) fn take(&mut self, lexed: Lexed) {
        self.strays = lexed.strays;
        let unmatched = self.layout.unmatched.iter().filter(|it| !it.is_opening);
        self.strays.extend(unmatched.map(|it| it.error.span));
        self.strays.sort_unstable();
        self.unterminated = lexed.unterminated;
        self.unreadable = lexed.unreadable;
        self.errors.extend(lexed.errors);
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.kind_at(0)
    }

    pub(super) fn kind_at(&self, ahead: usize) -> TokenKind {
        match self.layout.pieces.get(self.pos + ahead) {
            Some(piece) if self.pos + ahead < self.limit => piece.kind,
            _ => TokenKind::End,
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.pos >= self.limit
    }

    pub(super) fn bump(&mut self) {
        debug_assert!(!self.is_at_end(), "there is a piece to move past");
        self.pos += 1;
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let is_there = self.kind() == kind;
        if is_there {
            self.pos += 1;
        }
        is_there
    }

    /// Moves past one piece, or past all that a bracket holds.
    pub(super) fn skip(&mut self) {
        self.pos = after(&self.layout.pieces, self.pos).min(self.limit);
    }

    pub(super) fn text_of(&self, piece: ParserToken) -> &'a str {
        &self.text[piece.start as usize..piece.end as usize]
    }

    /// The text of a piece that is there.
    pub(super) fn text_at(&self, index: usize) -> &'a str {
        self.text_of(self.layout.pieces[index])
    }

    /// The bytes from a piece to here.
    pub(super) fn span_from(&self, from: usize) -> Span {
        match (self.layout.pieces.get(from), self.layout.pieces.get(self.pos.wrapping_sub(1))) {
            (Some(first), Some(last)) if from < self.pos => Span::new(first.start, last.end),
            _ => self.here(),
        }
    }

    /// An empty span after the last piece that was read.
    fn here(&self) -> Span {
        let at = match self.pos.checked_sub(1).and_then(|it| self.layout.pieces.get(it)) {
            Some(piece) => piece.end,
            None => self.layout.pieces.first().map_or(self.origin, |it| it.start),
        };
        Span::new(at, at)
    }

    /// The text from a piece to here, as an error node keeps it. Strays in it are accounted for.
    pub(super) fn source_from(&mut self, from: usize) -> (String, Span) {
        let span = self.span_from(from);
        self.covered = self.covered.max(span.end);
        (self.text[span.start as usize..span.end as usize].to_owned(), span)
    }

    /// Whether there are strays from a piece to the piece here.
    pub(super) fn has_stray(&self, from: usize) -> bool {
        if self.strays.is_empty() {
            return false;
        }
        let offset =
            |index| self.layout.pieces.get(index).map_or(u32::MAX, |it: &ParserToken| it.start);
        let start = offset(from).max(self.covered);
        let end = offset(self.pos);
        let first = self.strays.partition_point(|it| it.start < start);
        self.strays.get(first).is_some_and(|it| it.start < end)
    }

    /// The end of the last stray before the piece here.
    pub(super) fn last_stray_end(&self) -> u32 {
        let end = self.layout.pieces.get(self.pos).map_or(u32::MAX, |it| it.start);
        let after = self.strays.partition_point(|it| it.start < end);
        after.checked_sub(1).map_or(0, |it| self.strays[it].end)
    }

    /// Runs `read` between the brackets that open here, and moves past them.
    pub(super) fn inside<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let open = self.pos;
        let close = (self.layout.pieces[open].close as usize).min(self.limit);
        let end = after(&self.layout.pieces, open).min(self.limit);
        let outer = (self.limit, self.in_head, self.in_result);
        self.pos = open + 1;
        let read = self.deeper(1, |it| {
            (it.limit, it.in_head, it.in_result) = (close, false, false);
            let read = read(it)?;
            if it.is_at_end() {
                return Ok(read);
            }
            let closing = match partner(it.layout.pieces[open].kind) {
                Some(TokenKind::RParen) => "`)`",
                Some(TokenKind::RBracket) => "`]`",
                _ => "`}`",
            };
            Err(it.expected(SyntaxCode::E0001, closing))
        });
        (self.limit, self.in_head, self.in_result) = outer;
        self.pos = end;
        read
    }

    /// Runs `read` that many levels deeper, unless that is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        levels: u32,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        if self.depth + levels > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Err(self.limit_reached(message));
        }
        self.depth += levels;
        let read = read(self);
        self.depth -= levels;
        read
    }

    /// Fails if a chain has more links than it may.
    pub(super) fn check_chain(&mut self, n_links: u32) -> ParseResult<()> {
        if n_links < MAX_CHAIN {
            return Ok(());
        }
        Err(self.limit_reached(format!("more than {MAX_CHAIN} operators in a row")))
    }

    fn limit_reached(&mut self, message: String) -> Failed {
        let last = self.pos.saturating_sub(1);
        let span = match self.layout.pieces.get(last) {
            Some(piece) => Span::new(piece.start, piece.end),
            None => self.here(),
        };
        let help = Some("move a part of it into a declaration of its own".into());
        let error = SyntaxError { code: SyntaxCode::E0001, span, message, help, related: None };
        self.found.push(ParseFault {
            error,
            sort: SyntaxFault::Limit,
            after: span.start,
            until: span.start,
        });
        Failed
    }

    /// Reports that something else is expected here.
    pub(super) fn expected(&mut self, code: SyntaxCode, what: &str) -> Failed {
        self.report(code, what, SyntaxFault::Plain)
    }

    /// Reports that a bracket must open here.
    pub(super) fn expected_opening(&mut self, what: &str) -> Failed {
        self.report(SyntaxCode::E0001, what, SyntaxFault::Opening)
    }

    fn report(&mut self, code: SyntaxCode, what: &str, sort: SyntaxFault) -> Failed {
        let before = self.pos.checked_sub(1).map(|it| self.layout.pieces[it]);
        let piece = self.layout.pieces.get(self.pos).copied();
        let found = match piece {
            Some(piece) => format!("`{}`", shortened(self.text_of(piece))),
            None => self.end_name.into(),
        };
        let message = match before {
            Some(it) => {
                format!("expected {what} after `{}`, found {found}", shortened(self.text_of(it)))
            }
            None => format!("expected {what}, found {found}"),
        };
        let span = match piece {
            Some(piece) => Span::new(piece.start, piece.end),
            None => self.here(),
        };
        let help = piece
            .filter(|it| it.kind.is_keyword() && (what.contains("name") || what == "a pattern"))
            .filter(|it| !matches!(it.kind, TokenKind::In | TokenKind::If | TokenKind::Else))
            .map(|_| format!("{found} is a reserved word and cannot be a name"));
        let error = SyntaxError { code, span, message, help, related: None };
        self.push(error, sort);
        Failed
    }

    /// Reports a mistake here, unless one was reported for the same bytes.
    pub(super) fn push(&mut self, error: SyntaxError, sort: SyntaxFault) {
        let after = self.here().end;
        if self.found.last().is_some_and(|it| it.error.span.start >= error.span.start) {
            return;
        }
        let until = self.layout.pieces.get(self.pos).map_or(u32::MAX, |it| it.start);
        self.found.push(ParseFault { error, sort, after, until });
    }

    /// Moves past `kind`. If it is not there but what follows it is, it counts as forgotten and reading goes on.
    pub(super) fn expect_before(
        &mut self,
        kind: TokenKind,
        what: &str,
        starts_next: fn(TokenKind) -> bool,
    ) -> ParseResult<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let failed = self.expected(SyntaxCode::E0001, what);
        if starts_next(self.kind()) { Ok(()) } else { Err(failed) }
    }

    pub(super) fn value_name(&mut self, what: &str) -> ParseResult<Name> {
        if self.kind() != TokenKind::Ident {
            return Err(self.expected(SyntaxCode::E0001, what));
        }
        self.bump();
        Ok(Name::new(self.text_at(self.pos - 1)))
    }

    /// The name before a `: T` in a declaration. A word that cannot be one is reported and taken for it, so that the
    /// rest of the declaration can be read; so is a name after `mut`.
    pub(super) fn name_before_type(&mut self, what: &str) -> ParseResult<Name> {
        let kind = self.kind();
        if kind == TokenKind::Mut && self.kind_at(1) == TokenKind::Ident {
            self.expected(SyntaxCode::E0001, what);
            if let Some(found) = self.found.last_mut() {
                found.error.help = Some("only a `let` can be `mut`".into());
            }
            self.bump();
            return self.value_name(what);
        }
        let is_word = kind.is_keyword()
            || matches!(kind, TokenKind::TypeIdent | TokenKind::Underscore | TokenKind::Int);
        if !is_word || self.kind_at(1) != TokenKind::Colon {
            return self.value_name(what);
        }
        self.expected(SyntaxCode::E0001, what);
        self.bump();
        Ok(Name::new(self.text_at(self.pos - 1)))
    }

    pub(super) fn type_name(&mut self, what: &str) -> ParseResult<Name> {
        if self.kind() != TokenKind::TypeIdent {
            return Err(self.expected(SyntaxCode::E0001, what));
        }
        self.bump();
        Ok(Name::new(crate::token::type_name(self.text_at(self.pos - 1))))
    }

    /// The expression here, or, if there is none, an error node of what is before the next `stop`.
    pub(super) fn expr_before(&mut self, stop: fn(TokenKind) -> bool) -> ExprId {
        let (from, mark) = (self.pos, self.builder.mark());
        if let Ok(expr) = self.expr() {
            return expr;
        }
        self.builder.rollback(mark);
        self.skip_to(stop);
        let (source, span) = self.source_from(from);
        self.builder.expr(Expr::Error { source }, span)
    }

    pub(super) fn skip_to(&mut self, stop: fn(TokenKind) -> bool) {
        while !self.is_at_end() && !stop(self.kind()) {
            self.skip();
        }
    }

    /// Decides which of the mistakes found from `start` to `end` are mistakes of their own.
    pub(super) fn settle(&mut self, start: u32, end: u32) {
        let found = std::mem::take(&mut self.found);
        let mut brackets = Vec::new();
        while self.layout.unmatched.last().is_some_and(|it| it.offset < end) {
            brackets.extend(self.layout.unmatched.pop());
        }
        let first = self.unterminated.partition_point(|&it| it < start);
        let hides_end = self.unterminated.get(first).is_some_and(|&it| it < end);
        self.errors.extend(settle(found, brackets, &self.strays, hides_end));
    }
}
