//! Another type where one is written: at a `let`, a parameter, the result of a function.

use check::{Confidence, RepairKind};
use clank_syntax::ast::{AstKind, Decl, ExprId, NodeId, ParamId, Stmt, Type, TypeId};

use super::{Mismatch, whose_value};
use crate::propose::make::source;
use crate::propose::scope::{binder_of, let_of};
use crate::propose::{Candidate, RepairContext};

/// The written types that would make the mismatch go away if they said something else.
pub(super) fn changed(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some((ty, what)) = asking(scene, it.expr) {
        found.extend(annotation(scene, it, ty, &it.actual, what, asking_confidence(what)));
    }
    if let Some((ty, what)) = bound(scene, it.expr) {
        found.extend(annotation(scene, it, ty, &it.expected, what, Confidence::Low));
    }
    found
}

/// What a wrong `let` says concerns nobody else; the result of a function concerns its callers.
fn asking_confidence(what: &str) -> Confidence {
    if what == "variable" { Confidence::Medium } else { Confidence::Low }
}

fn annotation(
    scene: RepairContext<'_>,
    it: &Mismatch,
    ty: TypeId,
    new: &str,
    what: &str,
    confidence: Confidence,
) -> Option<Candidate> {
    // A type that could not be made out cannot be written.
    if new.contains('?') || new == "never" {
        return None;
    }
    let written = clank::resolve::one_line(scene.ast(), ty);
    let title = format!("change the type of the {what} from `{written}` to `{new}`");
    Some(
        Candidate::new(scene, it.target, title)
            .confidence(confidence)
            .kind(RepairKind::SemanticsChange)
            .because(format!("what is written there is a `{}`", it.actual))
            .op(scene.replace(ty, source(new))),
    )
}

/// The type that asks for another one, and whose it is.
fn asking(scene: RepairContext<'_>, expr: ExprId) -> Option<(TypeId, &'static str)> {
    let ast = scene.ast();
    let (around, value) = whose_value(scene, expr)?;
    match &ast.node(around).kind {
        AstKind::Stmt(Stmt::Let { ty: Some(ty), init, .. }) if init.node() == value => {
            Some((*ty, "variable"))
        }
        AstKind::Stmt(Stmt::Return { .. }) => {
            let function = function_around(scene, around)?;
            result_type(scene, function)
        }
        AstKind::Decl(_) => result_type(scene, around),
        _ => None,
    }
}

/// The function that a `return` leaves, if it is not a lambda.
fn function_around(scene: RepairContext<'_>, mut node: NodeId) -> Option<NodeId> {
    loop {
        node = scene.parent(node)?;
        match &scene.ast().node(node).kind {
            AstKind::Expr(clank_syntax::ast::Expr::Lambda { .. }) => return None,
            AstKind::Decl(_) => return Some(node),
            _ => {}
        }
    }
}

fn result_type(scene: RepairContext<'_>, function: NodeId) -> Option<(TypeId, &'static str)> {
    let ast = scene.ast();
    let AstKind::Decl(decl) = &ast.node(function).kind else { return None };
    let Decl::Fn(it) = &**decl else { return None };
    match ast.ty(it.return_type) {
        Type::Effect { result, .. } => Some((*result, "result")),
        _ => Some((it.return_type, "result")),
    }
}

/// The written type of the local that the expression is.
fn bound(scene: RepairContext<'_>, expr: ExprId) -> Option<(TypeId, &'static str)> {
    let ast = scene.ast();
    let binder = binder_of(scene, expr)?;
    if let Some(param) = ParamId::of(ast, binder) {
        return Some((ast.param(param).ty, "parameter"));
    }
    match ast.stmt(let_of(scene, binder)?) {
        Stmt::Let { ty: Some(ty), .. } => Some((*ty, "variable")),
        _ => None,
    }
}
