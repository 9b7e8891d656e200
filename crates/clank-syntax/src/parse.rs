//! From tokens to a tree.
//!
//! A text with mistakes has a tree too: what cannot be read is an error node that holds its text, as small as can be
//! told, and the rest is read as if it were alone.

mod bracket;
mod compound;
mod cursor;
mod decl;
#[cfg(test)]
mod dump;
mod expr;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod laws;
mod list;
mod literal;
#[cfg(test)]
mod mistakes;
mod parts;
mod pattern;
mod report;
mod stmt;
mod template;
#[cfg(test)]
mod tests;
mod ty;

use crate::ast::{Ast, Builder, Decl, DeclId, Expr, NodeId, Source, Stmt};
use crate::error::{SyntaxCode, SyntaxError};
use crate::lexer::{Lexed, lex_whole};
use crate::span::Span;
use crate::token::{Token, TokenKind, Tokens};
use bracket::layout;
use cursor::{Failed, Parser};
use stmt::BlockItem;

/// A text that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Parsed {
    /// The tree, with error nodes for what could not be read.
    pub ast: Ast,
    /// All tokens.
    pub tokens: Tokens,
    /// What is wrong, in the order of the text.
    pub errors: Vec<SyntaxError>,
}

/// Reads a program. `file` is its name as diagnostics show it.
pub fn parse(file: &str, text: &str) -> Parsed {
    let mut builder = Builder::new(Source { file: file.to_owned(), text: text.to_owned() });
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let ReadText { declarations, tokens, errors } = parts::read_parts(&mut builder, text)
        .unwrap_or_else(|| read(&mut builder, text, lex_whole(text), end, 1));
    let tokens = Tokens::new(text.to_owned(), tokens);
    let ast =
        builder.finish(declarations, Span::new(0, end)).expect("ids are only given in AST JSON");
    Parsed { ast: ast.marked_as_read(), tokens, errors }
}

/// What reading a text, or a part of it, gives besides nodes.
struct ReadText {
    declarations: Vec<DeclId>,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
}

/// Reads what was lexed, which ends at `end`. Makes room for the nodes of so many parts like it.
fn read(
    builder: &mut Builder,
    text: &str,
    mut lexed: Lexed,
    end: u32,
    n_like_it: usize,
) -> ReadText {
    let layout = layout(text, &lexed.tokens, end);
    // Most nodes have a token of their own.
    builder.reserve(layout.pieces.len() * n_like_it);
    let tokens = std::mem::take(&mut lexed.tokens);
    let mut parser = Parser::new(text, builder, lexed, layout);
    let declarations = parser.program(end);
    let mut errors = parser.errors;
    errors.sort_by_key(|it| (it.span, it.code));
    ReadText { declarations, tokens, errors }
}

/// What a piece of text stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fragment {
    /// One declaration.
    Decl,
    /// One expression.
    Expr,
    /// One type.
    Type,
    /// One pattern.
    Pattern,
    /// One statement, with or without `;`. An expression is one too.
    Stmt,
    /// A block in braces, or what is inside one.
    Block,
}

/// Reads a piece of text into a tree in the making. It must hold nothing else. On failure no node is left over.
pub fn parse_fragment(
    builder: &mut Builder,
    file: &str,
    text: &str,
    as_what: Fragment,
) -> Result<NodeId, Vec<SyntaxError>> {
    let outer = builder.enter(Source { file: file.to_owned(), text: text.to_owned() });
    let mark = builder.mark();
    let lexed = lex_whole(text);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let layout = layout(text, &lexed.tokens, end);
    let mut parser = Parser::new(text, builder, lexed, layout);
    let node = parser.fragment(as_what);
    if node.is_ok() && !parser.is_at_end() {
        parser.expected(SyntaxCode::E0001, "the end of the text");
    }
    parser.settle(0, u32::MAX);
    let mut errors = parser.errors;
    errors.sort_by_key(|it| (it.span, it.code));
    builder.leave(outer);
    match node {
        Ok(node) if errors.is_empty() => Ok(node),
        _ => {
            builder.rollback(mark);
            Err(errors)
        }
    }
}

impl Parser<'_> {
    fn program(&mut self, end: u32) -> Vec<DeclId> {
        let mut declarations = Vec::new();
        let n_pieces = self.layout.pieces.len();
        let starts = std::mem::take(&mut self.layout.starts);
        let mut starts = starts.into_iter().peekable();
        let mut region_start = 0;
        while self.pos < n_pieces {
            while starts.next_if(|&it| it <= self.pos).is_some() {}
            self.limit = starts.peek().copied().unwrap_or(n_pieces);
            self.declaration(&mut declarations);
            self.pos = self.limit;
            let next = self.layout.pieces.get(self.pos);
            // A bracket that nothing closes at the very end is still in the last declaration.
            let region_end = next.map_or(end.saturating_add(1), |it| it.start);
            self.settle(region_start, region_end);
            region_start = region_end;
        }
        self.settle(region_start, u32::MAX);
        declarations
    }

    /// One declaration and what follows it up to the next one.
    fn declaration(&mut self, declarations: &mut Vec<DeclId>) {
        let (from, mark) = (self.pos, self.builder.mark());
        let n_found = self.found.len();
        let decl = self.decl();
        match decl {
            Ok(decl) if !self.has_stray_within(from) => {
                self.cover_what_closes_nothing(decl, from);
                declarations.push(decl);
            }
            _ => {
                self.explain_missing_declaration();
                self.builder.rollback(mark);
                self.pos = self.limit;
                declarations.push(self.error_decl(from));
                return;
            }
        }
        if self.is_at_end() {
            return;
        }
        if self.found.len() == n_found {
            self.expected(SyntaxCode::E0008, "a declaration");
            self.explain_missing_declaration();
            if self.kind() == TokenKind::LBrace
                && self.layout.pieces[from].kind == TokenKind::Fn
                && let Some(found) = self.found.last_mut()
            {
                found.error.help = Some("put a refined result type in parentheses".into());
            }
        }
        let from = self.pos;
        self.pos = self.limit;
        declarations.push(self.error_decl(from));
    }

    /// A bracket behind a declaration that closes nothing belongs to its text: whoever writes the declaration anew writes it
    /// without the bracket.
    fn cover_what_closes_nothing(&mut self, decl: DeclId, from: usize) {
        let span = self.span_from(from);
        let next = self.layout.pieces.get(self.pos).map_or(u32::MAX, |it| it.start);
        let behind = self.layout.unmatched.iter().rev().skip_while(|it| it.offset < span.end);
        let behind = behind.take_while(|it| it.offset < next).filter(|it| !it.is_opening);
        if let Some(end) = behind.map(|it| it.error.span.end).max() {
            self.builder.set_span(decl, Span::new(span.start, end));
        }
    }

    /// Whether there are strays among the pieces from `from` to the last one that was read.
    fn has_stray_within(&mut self, from: usize) -> bool {
        self.pos -= 1;
        let has_stray = self.has_stray(from);
        self.pos += 1;
        has_stray
    }

    fn explain_missing_declaration(&mut self) {
        if let Some(found) = self.found.last_mut()
            && found.error.code == SyntaxCode::E0008
        {
            let words = "`fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`";
            found.error.help = Some(format!("a declaration starts with {words}"));
        }
    }

    fn error_decl(&mut self, from: usize) -> DeclId {
        let (source, span) = self.source_from(from);
        self.builder.decl(Decl::Error { source }, span)
    }

    fn fragment(&mut self, as_what: Fragment) -> Result<NodeId, Failed> {
        Ok(match as_what {
            Fragment::Decl => self.decl()?.into(),
            Fragment::Expr => self.expr()?.into(),
            Fragment::Type => self.ty()?.into(),
            Fragment::Pattern => self.pattern()?.into(),
            Fragment::Stmt => {
                let item = self.item()?;
                let span = self.span_from(0);
                self.eat(TokenKind::Semi);
                match item {
                    BlockItem::Stmt(stmt) => stmt.into(),
                    BlockItem::Expr(expr) => self.builder.stmt(Stmt::Expr { expr }, span).into(),
                }
            }
            Fragment::Block => {
                let is_block = self.kind() == TokenKind::LBrace
                    && !self.is_record_start(0)
                    && bracket::after(&self.layout.pieces, 0) == self.limit;
                if is_block {
                    return Ok(self.block()?.into());
                }
                let (statements, expr) = self.block_items();
                let span = self.span_from(0);
                let block = Expr::Block { statements: statements.into(), expr };
                self.builder.expr(block, span).into()
            }
        })
    }
}
