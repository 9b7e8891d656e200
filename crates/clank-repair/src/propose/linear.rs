//! Linear values that are not used on some path (E5001), used twice (E5002), or used in a lambda (E5003) (row 26).

use check::{Confidence, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::ast::{AstKind, Decl, Expr, ExprId, Name, NodeId, Stmt, StmtId};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::{Value as Json, json};

use super::make::{call, ident};
use super::warnings::mentions;
use super::{Candidate, RepairContext, text_fact};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = match it.code {
        Code::E5001 => use_it(scene, it, target),
        Code::E5002 => drop_second_use(scene, it, target),
        Code::E5003 => use_before(scene, it, target),
        _ => None,
    };
    found.into_iter().collect()
}

/// `consume(x);` where the value is left behind. What was in it is dropped there, as it is now.
fn use_it(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let name = text_fact(it, "name")?;
    let left_behind = match it.related.as_slice() {
        [] => None,
        // The call that may raise.
        _ if ExprId::of(scene.ast(), it.node).is_some() => Some(it.node),
        related => Some(related.last()?.node),
    };
    let op = match left_behind {
        None => use_at_binder(scene, it.node, name)?,
        Some(node) => use_at(scene, node, name)?,
    };
    Some(
        Candidate::new(scene, target, format!("use `{name}` with `consume({name})`"))
            .because(format!("`{name}` is linear: it has to be used on every path"))
            .confidence(Confidence::Medium)
            .safety(Safety::LikelyPreserving)
            .op(op),
    )
}

fn consume(name: &str) -> Json {
    json!({ "kind": "expr", "expr": call(ident("consume"), vec![ident(name)]) })
}

/// The use at the start of what a name is bound for.
fn use_at_binder(scene: RepairContext<'_>, binder: NodeId, name: &str) -> Option<PatchOp> {
    let ast = scene.ast();
    let mut child = binder;
    loop {
        let parent = scene.parent(child)?;
        match &ast.node(parent).kind {
            AstKind::Stmt(Stmt::Let { .. }) => {
                return Some(PatchOp::InsertAfter {
                    target_id: scene.id(parent),
                    new_statement: Payload(consume(name)),
                });
            }
            AstKind::Stmt(Stmt::For { body, .. }) | AstKind::Expr(Expr::Lambda { body, .. }) => {
                return at_start(scene, *body, name);
            }
            AstKind::Arm(it) => return at_start(scene, it.body, name),
            AstKind::Decl(it) => match &**it {
                Decl::Fn(it) => return at_start(scene, it.body, name),
                _ => return None,
            },
            _ => child = parent,
        }
    }
}

/// The use on a path on which the value is left behind.
fn use_at(scene: RepairContext<'_>, node: NodeId, name: &str) -> Option<PatchOp> {
    let ast = scene.ast();
    if let Some(statement) = StmtId::of(ast, node) {
        return match ast.stmt(statement) {
            Stmt::Return { .. } | Stmt::Break | Stmt::Continue => Some(PatchOp::InsertBefore {
                target_id: scene.id(node),
                new_statement: Payload(consume(name)),
            }),
            _ => None,
        };
    }
    let expr = ExprId::of(ast, node)?;
    match ast.expr(expr) {
        Expr::If { condition, then_branch, else_branch: None } => {
            let new = json!({
                "kind": "if",
                "condition": scene.kept(*condition),
                "thenBranch": scene.kept(*then_branch),
                "elseBranch": { "kind": "block", "statements": [consume(name)] },
            });
            Some(scene.replace(expr, new))
        }
        _ => at_start(scene, expr, name),
    }
}

/// The use before everything else in an expression.
fn at_start(scene: RepairContext<'_>, body: ExprId, name: &str) -> Option<PatchOp> {
    let first = match scene.ast().expr(body) {
        Expr::Block { statements, expr } => {
            let first = statements.first().map(|it| it.node());
            match first.or(expr.map(|it| it.node())) {
                Some(first) => first,
                None => {
                    let new = json!({ "kind": "block", "statements": [consume(name)] });
                    return Some(scene.replace(body, new));
                }
            }
        }
        _ => body.node(),
    };
    let new_statement = Payload(consume(name));
    Some(PatchOp::InsertBefore { target_id: scene.id(first), new_statement })
}

/// The statement of the second use goes, if it does nothing but use the value.
fn drop_second_use(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let name = text_fact(it, "name")?;
    let call = ExprId::of(ast, scene.parent(it.node)?)?;
    let Expr::Call { args, .. } = ast.expr(call) else { return None };
    let statement = StmtId::of(ast, scene.parent(call)?)?;
    if args.len() != 1 || !matches!(ast.stmt(statement), Stmt::Expr { .. }) {
        return None;
    }
    let title = format!("remove the second use of `{name}`");
    Some(
        Candidate::new(scene, target, title)
            .because(format!("`{name}` has been used before"))
            .confidence(Confidence::Medium)
            .safety(Safety::BehaviorChanging)
            .op(scene.delete(statement)),
    )
}

/// `consume(x)` in a lambda becomes a name for what was in `x`, which is taken out before the lambda.
fn use_before(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let name = text_fact(it, "name")?;
    let binder = it.related.first()?.node;
    let use_call = ExprId::of(ast, scene.parent(it.node)?)?;
    let Expr::Call { callee, .. } = ast.expr(use_call) else { return None };
    if !matches!(ast.expr(*callee), Expr::Ident { name } if name == "consume") {
        return None;
    }
    let lambda = outermost_lambda(scene, it.node, binder)?;
    let mut fresh = (1..100).map(|it| match it {
        1 => Name::from(format!("{name}_value")),
        _ => Name::from(format!("{name}_value_{it}")),
    });
    let value = fresh.find(|it| !mentions(scene, binder, it))?;
    let new_statement = Payload(json!({
        "kind": "let",
        "pattern": ident(&value),
        "init": call(ident("consume"), vec![ident(name)]),
    }));
    let title = format!("take `{value}` out of `{name}` before the lambda");
    Some(
        Candidate::new(scene, target, title)
            .because(format!("`{name}` is used once then, however often the lambda runs"))
            .confidence(Confidence::Medium)
            .safety(Safety::LikelyPreserving)
            .op(PatchOp::InsertBefore { target_id: scene.id(lambda), new_statement })
            .op(scene.replace(use_call, ident(&value))),
    )
}

/// The outermost lambda around a use of a local that was bound outside of it.
fn outermost_lambda(scene: RepairContext<'_>, node: NodeId, binder: NodeId) -> Option<NodeId> {
    let ast = scene.ast();
    let around = std::iter::successors(scene.parent(node), |it| scene.parent(*it));
    let lambdas =
        around.filter(|it| matches!(ast.node(*it).kind, AstKind::Expr(Expr::Lambda { .. })));
    lambdas.filter(|it| !ast.subtree(*it).contains(&binder.0)).last()
}
