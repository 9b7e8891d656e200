//! W0001: names that a body binds and never reads. Parameters of functions are part of their type and exempt (row 31).

use clank_syntax::ast::{Ast, AstKind, Expr, ExprId, FnDecl, LambdaParamId, NodeId, Stmt};
use rustc_hash::FxHashSet;

use super::mode::{Mode, Modes};
use super::{Doubts, binding, is_bare_field, is_exempt};
use crate::body::{BodyView, Resolution};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};

/// The names that are never read, in the order in which they are bound.
pub(super) fn unused(
    ast: &Ast,
    function: &FnDecl,
    view: BodyView<'_>,
    doubts: &Doubts<'_>,
    modes: &mut Modes<'_>,
) -> Vec<Diagnostic> {
    let nodes = || ast.subtree(function.body).map(NodeId);
    let roots: FxHashSet<NodeId> = nodes().filter_map(|it| assigned_root(ast, it)).collect();
    let mut read = FxHashSet::default();
    let mut assigned = FxHashSet::default();
    for node in nodes() {
        if let AstKind::Expr(Expr::Ident { .. }) = &ast.node(node).kind
            && let Some(Resolution::Local(local)) = view.resolution(node)
        {
            let set = if roots.contains(&node) { &mut assigned } else { &mut read };
            set.insert(view.local(*local));
        }
    }
    let mut found = Vec::new();
    for node in nodes() {
        let bound = match &ast.node(node).kind {
            AstKind::LambdaParam(it) => Some((node, &it.name)),
            _ => binding(ast, node),
        };
        let Some((node, name)) = bound else { continue };
        if is_exempt(name) || read.contains(&node) || doubts.may_use(name) {
            continue;
        }
        // A linear value that nothing uses is an error (E5001), which says the same and more.
        if modes.of(view.ty(node)) == Mode::Linear {
            continue;
        }
        let message = if assigned.contains(&node) {
            format!("`{name}` is assigned, but never read")
        } else {
            format!("`{name}` is never used")
        };
        let help = if is_bare_field(ast, node) {
            format!("remove the field from the pattern, or write `{name}: _`")
        } else if LambdaParamId::of(ast, node).is_some() {
            format!("rename it to `_{name}`")
        } else {
            format!("remove it, or rename it to `_{name}`")
        };
        let structured = Structured::new("unused_variable").member("name", name.as_str());
        found.push(Diagnostic::new(Code::W0001, node, message).help(help).with(structured));
    }
    found
}

/// The name at the root of what an assignment changes: it is written there, not read.
fn assigned_root(ast: &Ast, node: NodeId) -> Option<NodeId> {
    match &ast.node(node).kind {
        AstKind::Stmt(Stmt::Assign { target, .. }) => root(ast, *target),
        _ => None,
    }
}

/// The name that a place starts with: `xs` in `xs[0].name`.
pub(super) fn root(ast: &Ast, mut place: ExprId) -> Option<NodeId> {
    loop {
        match ast.expr(place) {
            Expr::Ident { .. } => return Some(place.node()),
            Expr::Index { object, .. } | Expr::Field { object, .. } => place = *object,
            _ => return None,
        }
    }
}
