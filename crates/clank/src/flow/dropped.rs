//! W0007: values that nobody uses, where nothing but the value comes of them. A text in quotes with a `${…}` in it, which
//! is not read there, is one too.

use clank_syntax::ast::{Ast, AstKind, DeclId, Expr, ExprId, FnDecl, Literal, NodeId, Stmt};
use clank_syntax::{Fragment, TokenKind, parse_fragment};
use rustc_hash::FxHashSet;

use super::binding;
use super::mode::{Mode, Modes};
use crate::body::{BodyView, Resolution};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{Env, Value};
use crate::ty::{Prim, Ty};

/// The longest text in which values are looked for.
const MAX_TEXT: usize = 4_000;

/// The values that nobody uses, in the order in which they are written.
pub(super) fn dropped(
    ast: &Ast,
    (decl, function): (DeclId, &FnDecl),
    env: &Env,
    view: BodyView<'_>,
    modes: &mut Modes<'_>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // The last statement of a body that lacks its value: that is what is said.
    let wants_value =
        env.signature(decl).is_none_or(|it| *it.result.base() != Ty::Prim(Prim::Unit));
    let last = match ast.expr(function.body) {
        Expr::Block { statements, expr: None } if wants_value => statements.last().copied(),
        _ => None,
    };
    let mut names = None;
    for node in ast.subtree(function.body).map(NodeId) {
        match &ast.node(node).kind {
            AstKind::Stmt(Stmt::Expr { .. }) if last.is_some_and(|it| it.node() == node) => {}
            AstKind::Stmt(Stmt::Expr { expr }) => {
                found.extend(unused_value(ast, env, view, modes, *expr))
            }
            AstKind::Stmt(
                Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body },
            ) => {
                if let Expr::Block { expr: Some(last), .. } = ast.expr(*body) {
                    found.extend(unused_value(ast, env, view, modes, *last));
                }
            }
            AstKind::Expr(Expr::Literal(Literal::Str(text))) if text.contains("${") => {
                let names = names.get_or_insert_with(|| bound_names(ast, function));
                // A name that is unused on purpose may be so because it is used here only.
                let is_known = |it: &str| {
                    names.contains(it)
                        || env.values.contains_key(it)
                        || names.contains(format!("_{it}").as_str())
                };
                if is_interpolated(ast.text(node), text, &is_known) {
                    let structured = Structured::new("dropped_value").member("interpolation", true);
                    let message = "`${…}` is not interpolated in a quoted string".to_owned();
                    let help = "write the text in backticks: `` `…${x}…` ``";
                    found.push(
                        Diagnostic::new(Code::W0007, node, message).help(help).with(structured),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

fn unused_value(
    ast: &Ast,
    env: &Env,
    view: BodyView<'_>,
    modes: &mut Modes<'_>,
    expr: ExprId,
) -> Option<Diagnostic> {
    let ty = view.ty(expr);
    if matches!(ty.base(), Ty::Prim(Prim::Unit) | Ty::Never | Ty::Error | Ty::Var(_)) {
        return None;
    }
    if modes.of(ty) == Mode::Linear || !is_pure(ast, env, view, expr.node()) {
        return None;
    }
    let written = crate::resolve::one_line(ast, expr);
    let message = format!("the value of `{written}` is not used");
    let help = "assign it or use it, or bind it: `let _ = …`";
    let structured = Structured::new("dropped_value").member("type", ty.to_string());
    Some(Diagnostic::new(Code::W0007, expr.node(), message).help(help).with(structured))
}

/// Whether nothing but a value comes of an expression.
fn is_pure(ast: &Ast, env: &Env, view: BodyView<'_>, node: NodeId) -> bool {
    let has_externals = || env.values.values().any(|it| matches!(it, Value::External { .. }));
    ast.subtree(node).map(NodeId).all(|node| match &ast.node(node).kind {
        AstKind::Stmt(Stmt::Let { .. } | Stmt::Expr { .. }) => true,
        AstKind::Stmt(_) => false,
        AstKind::Expr(Expr::Error { .. } | Expr::Hole { .. } | Expr::Propagate { .. }) => false,
        AstKind::Expr(Expr::Call { callee, .. }) => {
            matches!(ast.expr(*callee), Expr::Ident { .. } | Expr::Field { .. })
                && !matches!(view.resolution(*callee), None | Some(Resolution::Local(_)))
        }
        AstKind::Expr(Expr::Ident { name }) => match view.resolution(node) {
            None | Some(Resolution::External { .. }) => false,
            Some(Resolution::Fn { .. }) => !has_externals() && is_without_effects(env, name),
            Some(Resolution::Builtin(name)) => {
                !matches!(name.as_str(), "consume" | "discard" | "linear" | "affine" | "try")
                    && is_without_effects(env, name)
            }
            Some(_) => true,
        },
        AstKind::Expr(Expr::Field { .. }) => !matches!(
            view.resolution(node),
            Some(Resolution::Fn { .. } | Resolution::External { .. })
        ),
        _ => true,
    })
}

fn is_without_effects(env: &Env, name: &str) -> bool {
    match env.values.get(name) {
        Some(Value::Fn { signature, .. } | Value::Builtin { signature, .. }) => {
            signature.effects.is_pure()
        }
        _ => false,
    }
}

/// The names that a function binds anywhere.
fn bound_names<'a>(ast: &'a Ast, function: &FnDecl) -> FxHashSet<&'a str> {
    let params = function.params.iter().map(|it| ast.param(*it).name.as_str());
    let bound =
        ast.subtree(function.body).map(NodeId).filter_map(|node| match &ast.node(node).kind {
            AstKind::LambdaParam(it) => Some(it.name.as_str()),
            _ => binding(ast, node).map(|it| it.1.as_str()),
        });
    params.chain(bound).collect()
}

/// Whether a text in quotes has expressions in it whose names are all known.
fn is_interpolated(written: &str, text: &str, is_known: &dyn Fn(&str) -> bool) -> bool {
    if !written.starts_with('"') || text.len() > MAX_TEXT {
        return false;
    }
    let mut n_found = 0;
    for part in text.split("${").skip(1) {
        let Some((inner, _)) = part.split_once('}') else { return false };
        let mut builder = clank_syntax::ast::Builder::new(clank_syntax::ast::Source {
            file: String::new(),
            text: String::new(),
        });
        if parse_fragment(&mut builder, "", inner, Fragment::Expr).is_err() {
            return false;
        }
        let mut is_field = false;
        let mut n_names = 0;
        for (kind, word) in clank_syntax::lex(inner).0.iter() {
            if kind == TokenKind::Ident && !is_field {
                if !is_known(word) {
                    return false;
                }
                n_names += 1;
            }
            is_field = kind == TokenKind::Dot;
        }
        n_found += usize::from(n_names > 0);
    }
    n_found > 0
}
