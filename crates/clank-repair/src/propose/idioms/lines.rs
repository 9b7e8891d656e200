//! Lines that go on with the one before, where somebody else would start a statement: `let a = f(x)` and `(a, b)` on the
//! next line are a call.

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::TokenKind as T;
use clank_syntax::ast::{AstKind, Expr, NodeId};

use super::pieces::{PieceEdit, Pieces, applied};
use crate::FindingId;
use crate::propose::make::source;
use crate::propose::{Candidate, RepairContext};

/// The longest declaration that is looked at.
const MAX_TEXT: usize = 40_000;

/// A `;` before the line that should start a statement.
pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let is_about_values = matches!(
        it.code,
        Code::E2001
            | Code::E2002
            | Code::E2005
            | Code::E2006
            | Code::E2010
            | Code::E2011
            | Code::E2016
    );
    if !is_about_values {
        return Vec::new();
    }
    run_on(scene, it, target).into_iter().collect()
}

fn run_on(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let (from, to) = around(scene, it.node)?;
    let decl = scene.declaration(it.node)?;
    let start = ast.span(decl.node()).start;
    let text = ast.text(decl.node());
    let inside = (from.checked_sub(start)? as usize, to.checked_sub(start)? as usize);
    if text.len() > MAX_TEXT || !text.get(inside.0..inside.1)?.contains('\n') {
        return None;
    }
    let pieces = Pieces::new(text);
    let is_between =
        |at: &usize| pieces.list[*at].start > inside.0 && pieces.list[*at].end <= inside.1;
    let places: Vec<usize> =
        (1..pieces.len()).filter(is_between).filter(|at| goes_on(&pieces, *at)).collect();
    let first = *places.first()?;
    let edits = places.iter().map(|at| {
        let end = pieces.list[at - 1].end;
        PieceEdit::new(end..end, ";")
    });
    let new = applied(text, edits.collect());
    // A sign may well go on with a sum.
    let is_clear = places.iter().all(|at| pieces.kind(*at) != T::Minus);
    Some(
        Candidate::new(
            scene,
            target,
            format!("add `;` before the line that starts with `{}`", pieces.word(first)),
        )
        .because("a line that starts with `(`, `[` or `-` goes on with the one before")
        .confidence(if is_clear { Confidence::High } else { Confidence::Medium })
        .op(scene.replace(decl, source(&new)))
        .idiom(),
    )
}

/// Where the statement is written that a mistake is in, or the last one of a block without a value.
fn around(scene: RepairContext<'_>, node: NodeId) -> Option<(u32, u32)> {
    let ast = scene.ast();
    let span = |node: NodeId| (ast.span(node).start, ast.span(node).end);
    if let AstKind::Expr(Expr::Block { statements, expr: None }) = &ast.node(node).kind {
        return statements.last().map(|it| span(it.node()));
    }
    let mut at = node;
    loop {
        let parent = scene.parent(at)?;
        let is_item = matches!(ast.node(at).kind, AstKind::Stmt(_))
            || matches!(ast.node(parent).kind, AstKind::Expr(Expr::Block { .. }));
        if is_item {
            return Some(span(at));
        }
        at = parent;
    }
}

/// Whether a line in a block starts with a piece and goes on with an expression before it.
fn goes_on(it: &Pieces<'_>, at: usize) -> bool {
    let is_sign = match it.kind(at) {
        T::LParen | T::LBracket => true,
        T::Minus => it.is_glued(at + 1) && !it.is_first(at + 1),
        _ => false,
    };
    let ends = matches!(
        it.kind_before(at),
        T::Ident
            | T::TypeIdent
            | T::Int
            | T::Float
            | T::Str
            | T::Template
            | T::True
            | T::False
            | T::RParen
            | T::RBracket
            | T::RBrace
            | T::Question
    );
    let is_in_block = it.parent(at).is_some_and(|open| it.kind(open) == T::LBrace);
    is_sign && ends && it.is_first(at) && is_in_block
}
