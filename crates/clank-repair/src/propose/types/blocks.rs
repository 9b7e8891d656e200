//! Blocks that should have a value, and blocks that should have none.

use check::Confidence;
use clank_syntax::ast::{AstKind, Expr, Stmt};
use serde_json::json;

use super::{Mismatch, is_type};
use crate::propose::make::{call, ident, string};
use crate::propose::{Candidate, RepairContext};

/// A block without a value where one is needed: its last statement is the value, or it is not written yet.
pub(super) fn without_value(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let ast = scene.ast();
    let Expr::Block { statements, expr: None } = ast.expr(it.expr) else { return Vec::new() };
    let empty = [("Map[", "map_new"), ("Set[", "set_new")];
    if let Some((_, new)) = empty.iter().find(|made| it.expected.starts_with(made.0))
        && statements.is_empty()
    {
        return vec![
            Candidate::new(scene, it.target, format!("write `{new}()` for `{{}}`"))
                .confidence(Confidence::High)
                .because("`{}` is a block without a value")
                .op(scene.replace(it.expr, call(ident(new), Vec::new()))),
        ];
    }
    if let Some((last, others)) = statements.split_last()
        && let Stmt::Expr { expr } = ast.stmt(*last)
        && scene.view(*expr).is_some_and(|view| is_type(view.ty(*expr), &it.expected))
    {
        let new = json!({
            "kind": "block",
            "statements": scene.all_kept(others),
            "expr": scene.kept(*expr),
        });
        return vec![
            Candidate::new(scene, it.target, "remove the last `;`")
                .confidence(Confidence::High)
                .because("the `;` discards the value")
                .op(scene.replace(it.expr, new)),
        ];
    }
    let todo = call(ident("todo"), vec![string(&format!("give a value of type {}", it.expected))]);
    let new = json!({
        "kind": "block",
        "statements": scene.all_kept(statements),
        "expr": todo,
    });
    vec![
        Candidate::new(
            scene,
            it.target,
            format!("end the block with a `todo` for the `{}`", it.expected),
        )
        .because("every path needs a value")
        .op(scene.replace(it.expr, new)),
    ]
}

/// A value where a block should have none, and a branch that lacks its `else`.
pub(super) fn around(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let ast = scene.ast();
    let mut found = Vec::new();
    if it.expected == "Unit"
        && let Some(parent) = scene.parent(it.expr)
        && let AstKind::Expr(Expr::Block { statements, expr: Some(last) }) = &ast.node(parent).kind
        && *last == it.expr
    {
        let mut all = scene.all_kept(statements);
        all.push(json!({ "kind": "expr", "expr": scene.kept(*last) }));
        let new = json!({ "kind": "block", "statements": all });
        found.push(
            Candidate::new(scene, it.target, "discard the value with `;`")
                .because("no value is needed here")
                .op(scene.replace(parent, new)),
        );
    }
    if let Expr::If { condition, then_branch, else_branch: None } = ast.expr(it.expr) {
        let todo = call(ident("todo"), vec![string("handle the other case")]);
        let new = json!({
            "kind": "if",
            "condition": scene.kept(*condition),
            "thenBranch": scene.kept(*then_branch),
            "elseBranch": { "kind": "block", "statements": [], "expr": todo },
        });
        found.push(
            Candidate::new(scene, it.target, "add an `else` with a `todo`")
                .because("without `else` there is no value if the condition is false")
                .op(scene.replace(it.expr, new)),
        );
    }
    found
}
