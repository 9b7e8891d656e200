//! Templates: text with expressions in it, which are read where they stand in the file.

use super::bracket::layout;
use super::cursor::{ParseResult, Parser};
use super::literal::unescaped;
use crate::ast::{Expr, ExprId, TemplatePart};
use crate::error::SyntaxCode;
use crate::lexer::{code_end, escape, lex_part};
use crate::span::Span;
use crate::stack::with_stack;

impl Parser<'_> {
    pub(super) fn template(&mut self) -> ParseResult<ExprId> {
        let piece = self.layout.pieces[self.pos];
        self.bump();
        let span = Span::new(piece.start, piece.end);
        let mark = self.builder.mark();
        let parts = match self.unreadable.binary_search(&piece.start) {
            Ok(_) => None,
            Err(_) => self.deeper(1, |it| Ok(with_stack(|| it.template_parts(span))))?,
        };
        Ok(match parts {
            Some(parts) => self.builder.expr(Expr::Template { parts: parts.into() }, span),
            None => {
                self.builder.rollback(mark);
                let source = self.text_of(piece).to_owned();
                self.builder.expr(Expr::Error { source }, span)
            }
        })
    }

    /// The parts between the quotes; none if an escape does not exist.
    fn template_parts(&mut self, span: Span) -> Option<Vec<TemplatePart>> {
        let (text, end) = (self.text, span.end as usize - 1);
        let mut parts = Vec::new();
        let mut is_good = true;
        let mut pos = span.start as usize + 1;
        while pos < end {
            let stop = text_end(&text[..end], pos);
            match unescaped(&text[pos..stop]) {
                Some(written) if !written.is_empty() => parts.push(TemplatePart::Text(written)),
                Some(_) => {}
                None => is_good = false,
            }
            pos = stop;
            if pos < end {
                let close = code_end(&text[..end], pos + 2).unwrap_or(end);
                let code = Span::new(pos as u32 + 2, close as u32);
                parts.push(TemplatePart::Expr(self.template_expr(code)));
                pos = close + 1;
            }
        }
        is_good.then_some(parts)
    }

    fn template_expr(&mut self, code: Span) -> ExprId {
        let lexed = lex_part(self.text, code);
        let layout = layout(self.text, &lexed.tokens, code.end);
        let outer_limit = std::mem::replace(&mut self.limit, layout.pieces.len());
        let outer_layout = std::mem::replace(&mut self.layout, layout);
        let outer_found = std::mem::take(&mut self.found);
        let outer_origin = std::mem::replace(&mut self.origin, code.start);
        let outer_end = std::mem::replace(&mut self.end_name, "`}`");
        let outer_flags = (self.pos, self.in_head, self.in_result);
        let outer_lexed = (
            std::mem::take(&mut self.strays),
            std::mem::take(&mut self.unterminated),
            std::mem::take(&mut self.unreadable),
        );
        (self.pos, self.in_head, self.in_result) = (0, false, false);
        self.take(lexed);

        let mark = self.builder.mark();
        let expr = self.expr();
        if expr.is_ok() && !self.is_at_end() {
            self.expected(SyntaxCode::E0001, "`}`");
        }
        let is_whole = self.is_at_end() && !self.has_stray(0);
        let expr = match expr {
            Ok(expr) if is_whole => expr,
            _ => {
                self.builder.rollback(mark);
                self.pos = self.limit;
                let (source, span) = self.source_from(0);
                self.builder.expr(Expr::Error { source }, span)
            }
        };
        self.settle(code.start, u32::MAX);

        (self.strays, self.unterminated, self.unreadable) = outer_lexed;
        (self.pos, self.in_head, self.in_result) = outer_flags;
        self.layout = outer_layout;
        self.limit = outer_limit;
        self.found = outer_found;
        self.origin = outer_origin;
        self.end_name = outer_end;
        expr
    }
}

/// Where the text of a template from `pos` on ends: at the next `${`, or at the end.
fn text_end(text: &str, mut pos: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'$' if bytes.get(pos + 1) == Some(&b'{') => return pos,
            b'\\' => pos += escape(text, pos).0,
            _ => pos += 1,
        }
    }
    text.len()
}
