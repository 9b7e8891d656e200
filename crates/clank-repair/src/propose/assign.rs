//! E2013, E2014: assignments to what is not `mut`, and `break` or `continue` outside a loop.

use check::{Confidence, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::ast::{AstKind, Decl, Expr, ExprId, Name, NodeId, Stmt, StmtId};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::json;

use super::scope::name_of;
use super::{Candidate, RepairContext};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    match it.code {
        Code::E2013 => immutable(scene, it, target).into_iter().collect(),
        _ => vec![
            Candidate::new(scene, target, "remove the statement")
                .because(it.message.clone())
                .op(scene.delete(it.node)),
        ],
    }
}

/// The `let` that binds the name gets its `mut`; anything else that binds it is copied first.
fn immutable(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let binder = it.related.first()?.node;
    let name = name_of(scene, binder)?;
    let all = same_binder(scene, binder);
    if all.first() != Some(&target) {
        return None;
    }
    if let Some(statement) = let_around(scene, binder)
        && let Stmt::Let { pattern, ty, init, .. } = scene.ast().stmt(statement)
    {
        let mut new = json!({
            "kind": "let",
            "pattern": scene.kept(*pattern),
            "init": scene.kept(*init),
            "mutable": true,
        });
        if let Some(ty) = ty {
            new["type"] = scene.kept(*ty);
        }
        return Some(
            Candidate::new(scene, target, format!("make `{name}` mutable: `let mut`"))
                .confidence(Confidence::High)
                .safety(Safety::BehaviorPreserving)
                .because(format!("`{name}` is assigned to"))
                .also_for(all)
                .op(scene.replace(statement, new)),
        );
    }
    let body = body_of(scene, binder)?;
    // A copy of the same name would hide the original.
    let is_free = |it: &Name| !super::warnings::mentions(scene, binder, it);
    let own = COPIES.iter().map(|it| Name::new_static(it)).find(is_free);
    let own = own.filter(|_| super::warnings::is_followed(scene, binder, &name));
    let copy = own.as_ref().unwrap_or(&name);
    let new = json!({
        "kind": "let",
        "pattern": { "kind": "ident", "name": copy.as_str() },
        "init": { "kind": "ident", "name": name.as_str() },
        "mutable": true,
    });
    let mut candidate =
        Candidate::new(scene, target, format!("assign to a copy: `let mut {copy} = {name}`"))
            .safety(Safety::LikelyPreserving)
            .because(format!("`{name}` itself cannot be assigned to"))
            .also_for(all)
            .op(PatchOp::InsertBefore {
                target_id: scene.id(first_in(scene, body)?),
                new_statement: Payload(new),
            });
    if own.is_some() {
        for node in super::warnings::mentioned(scene, binder) {
            candidate = candidate.op(scene.rename(node, &name, copy));
        }
    }
    Some(candidate)
}

/// What a copy that is changed may be called.
const COPIES: [&str; 3] = ["copy", "changed", "updated"];

/// All assignments to the same local.
fn same_binder(scene: RepairContext<'_>, binder: NodeId) -> Vec<FindingId> {
    let all = scene.module.diagnostics.iter().enumerate();
    let same = all.filter(|(_, it)| {
        it.code == Code::E2013 && it.related.first().is_some_and(|it| it.node == binder)
    });
    same.map(|it| FindingId::Diagnostic(it.0)).collect()
}

/// The `let` whose pattern a binder is in.
fn let_around(scene: RepairContext<'_>, binder: NodeId) -> Option<StmtId> {
    let ast = scene.ast();
    let mut at = binder;
    loop {
        at = scene.parent(at)?;
        match &ast.node(at).kind {
            AstKind::Pattern(_) | AstKind::FieldPattern(_) => {}
            AstKind::Stmt(Stmt::Let { .. }) => return StmtId::of(ast, at),
            _ => return None,
        }
    }
}

/// Where the names of a parameter, loop, arm or lambda can be used.
fn body_of(scene: RepairContext<'_>, binder: NodeId) -> Option<ExprId> {
    let mut at = binder;
    loop {
        at = scene.parent(at)?;
        match &scene.ast().node(at).kind {
            AstKind::Pattern(_) | AstKind::FieldPattern(_) => {}
            AstKind::Stmt(Stmt::For { body, .. }) | AstKind::Expr(Expr::Lambda { body, .. }) => {
                return Some(*body);
            }
            AstKind::Arm(it) => return Some(it.body),
            AstKind::Decl(decl) => match &**decl {
                Decl::Fn(it) => return Some(it.body),
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// What comes first in a body.
fn first_in(scene: RepairContext<'_>, body: ExprId) -> Option<NodeId> {
    match scene.ast().expr(body) {
        Expr::Block { statements, expr } => {
            statements.first().map(|it| it.node()).or(expr.map(|it| it.node()))
        }
        _ => Some(body.node()),
    }
}
