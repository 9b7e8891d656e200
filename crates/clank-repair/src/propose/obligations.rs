//! Goals that are not proved (row 19), refinements that are refuted (row 36), and predicates that are not about their
//! value (E3005).
//!
//! A goal becomes a condition that is checked where it must hold (a guard, an assertion), or that whoever calls the
//! function has to see to (a refinement of a parameter). None of them invents a value.

use check::{Confidence, RepairKind, Safety};
use clank::body::{Goal, GoalKind};
use clank::diagnostic::Diagnostic;
use clank::proof::Proof;
use clank::ty::{Predicate, Ty};
use clank_syntax::ast::{
    Ast, AstKind, BinaryOp, Builder, Decl, Expr, ExprId, Literal, Name, NodeId, ParamId, Source,
    Stmt, StmtId, Type, TypeId,
};
use clank_syntax::patch::{PatchOp, Payload};
use clank_syntax::{Fragment, Span, TokenKind, lex, parse_fragment, print_expr};
use serde_json::{Value as Json, json};

use super::make::{call, ident, source, string};
use super::{Candidate, RepairContext};
use crate::FindingId;

/// What may be done about a goal that is neither proved nor refuted.
pub(super) fn propose(
    scene: RepairContext<'_>,
    node: NodeId,
    goal: &Goal,
    target: FindingId,
) -> Vec<Candidate> {
    let Some(condition) = condition(scene, node, goal) else { return Vec::new() };
    let refinement = refine_parameter(scene, node, &condition, target);
    let guard = guard(scene, node, &condition, target);
    let access = checked_access(scene, node, goal, &condition, target);
    let assertion = assert_before(scene, node, &condition, target);
    refinement.into_iter().chain(guard).chain(access).chain(assertion).collect()
}

/// A goal as a Clank expression that can stand where it must hold; `None` if it cannot be written.
fn condition(scene: RepairContext<'_>, node: NodeId, goal: &Goal) -> Option<String> {
    let text = match goal.kind {
        GoalKind::Assertion => return None,
        GoalKind::Bounds => bounds(scene, node).unwrap_or_else(|| goal.text.clone()),
        _ => goal.text.clone(),
    };
    plain_expression(&text)
}

/// `i >= 0 && i < len(xs)`, without what goes without saying.
fn bounds(scene: RepairContext<'_>, node: NodeId) -> Option<String> {
    let ast = scene.ast();
    let Expr::Index { object, index } = ast.expr(scene.expr(node)?) else { return None };
    let (object, shown) = (print_expr(ast, *object), print_expr(ast, *index));
    let below = format!("{shown} < len({object})");
    Some(match ast.expr(*index) {
        Expr::Literal(Literal::Int { .. }) => below,
        _ => format!("{shown} >= 0 && {below}"),
    })
}

/// The text without parentheses around it and without what goes without saying, if it is an expression on one line.
fn plain_expression(text: &str) -> Option<String> {
    if text.contains(['…', '\n']) {
        return None;
    }
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let node = parse_fragment(&mut builder, "", text, Fragment::Expr).ok()?;
    let ast = builder.finish(Vec::new(), Span::default()).ok()?;
    let whole = ExprId::of(&ast, node)?;
    Some(without_truisms(&ast, whole).unwrap_or_else(|| print_expr(&ast, whole)))
}

/// A conjunction of comparisons without those of something with itself, as putting in arguments makes them: `lo >= lo`.
fn without_truisms(ast: &Ast, whole: ExprId) -> Option<String> {
    let mut kept = Vec::new();
    let mut waiting = vec![whole];
    let mut n_left_out = 0;
    while let Some(part) = waiting.pop() {
        let Expr::Binary { op, left, right } = ast.expr(part) else { return None };
        match op {
            BinaryOp::And => waiting.extend([*right, *left]),
            BinaryOp::Ge | BinaryOp::Le | BinaryOp::Eq
                if matches!(ast.expr(*left), Expr::Ident { .. } | Expr::Literal(_))
                    && print_expr(ast, *left) == print_expr(ast, *right) =>
            {
                n_left_out += 1;
            }
            BinaryOp::Ge
            | BinaryOp::Le
            | BinaryOp::Eq
            | BinaryOp::Gt
            | BinaryOp::Lt
            | BinaryOp::Ne => {
                kept.push(print_expr(ast, part));
            }
            _ => return None,
        }
    }
    (n_left_out > 0 && !kept.is_empty()).then(|| kept.join(" && "))
}

fn panic_about(condition: &str) -> Json {
    call(ident("panic"), vec![string(&format!("`{condition}` does not hold"))])
}

/// `if goal { e } else { panic("…") }`
fn guard(
    scene: RepairContext<'_>,
    node: NodeId,
    condition: &str,
    target: FindingId,
) -> Option<Candidate> {
    let expr = scene.expr(node)?;
    let block = |value: Json| json!({ "kind": "block", "statements": [], "expr": value });
    let wrapper = json!({
        "kind": "if",
        "condition": source(condition),
        "thenBranch": block(json!({ "kind": "hole", "ref": "value" })),
        "elseBranch": block(panic_about(condition)),
    });
    let op = PatchOp::Wrap {
        node_id: scene.id(expr),
        wrapper: Payload(wrapper),
        hole_ref: Name::new_static("value"),
    };
    Some(
        Candidate::new(scene, target, format!("add the guard `if {condition}`"))
            .because("it makes the check at run time explicit")
            .confidence(Confidence::High)
            .safety(Safety::LikelyPreserving)
            .op(op),
    )
}

/// `match get(xs, i) { Some(value) -> value, None -> panic("…") }`
fn checked_access(
    scene: RepairContext<'_>,
    node: NodeId,
    goal: &Goal,
    condition: &str,
    target: FindingId,
) -> Option<Candidate> {
    if goal.kind != GoalKind::Bounds {
        return None;
    }
    let ast = scene.ast();
    let Expr::Index { object, index } = ast.expr(scene.expr(node)?) else { return None };
    let got = call(ident("get"), vec![scene.kept(*object), scene.kept(*index)]);
    let some = json!({ "kind": "variant", "name": "Some", "payload": [ident("value")] });
    let none = json!({ "kind": "variant", "name": "None" });
    let new = json!({
        "kind": "match",
        "scrutinee": got,
        "arms": [
            { "pattern": some, "body": ident("value") },
            { "pattern": none, "body": panic_about(condition) },
        ],
    });
    Some(
        Candidate::new(scene, target, "access the element with `get`")
            .because("`get` returns an `Option`")
            .confidence(Confidence::Medium)
            .safety(Safety::LikelyPreserving)
            .op(scene.replace(node, new)),
    )
}

/// `assert goal` before the statement, if the statement always comes to where the goal must hold.
fn assert_before(
    scene: RepairContext<'_>,
    node: NodeId,
    condition: &str,
    target: FindingId,
) -> Option<Candidate> {
    if !is_always_reached(scene, node) {
        return None;
    }
    let new_statement = Payload(json!({ "kind": "assert", "condition": source(condition) }));
    let op = PatchOp::InsertBefore { target_id: scene.id(node), new_statement };
    Some(
        Candidate::new(scene, target, format!("insert `assert {condition}` before it"))
            .because("what is asserted is known afterwards")
            .confidence(Confidence::Medium)
            .safety(Safety::LikelyPreserving)
            .op(op),
    )
}

/// Whether a node is evaluated, once, whenever the statement around it is.
fn is_always_reached(scene: RepairContext<'_>, node: NodeId) -> bool {
    let ast = scene.ast();
    let mut child = node;
    loop {
        if StmtId::of(ast, child).is_some() {
            return true;
        }
        let Some(parent) = scene.parent(child) else { return false };
        match &ast.node(parent).kind {
            AstKind::Expr(Expr::Binary { op: BinaryOp::And | BinaryOp::Or, right, .. })
                if right.node() == child =>
            {
                return false;
            }
            AstKind::Arm(it) => return it.body.node() == child,
            AstKind::Expr(Expr::Block { .. } | Expr::Lambda { .. }) => return true,
            AstKind::Stmt(Stmt::While { .. }) => return false,
            AstKind::Decl(_) | AstKind::Type(_) => return false,
            _ => child = parent,
        }
    }
}

/// The goal as a refinement of the last parameter that it speaks of, if it speaks of parameters only.
fn refine_parameter(
    scene: RepairContext<'_>,
    node: NodeId,
    condition: &str,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let decl = scene.declaration(node)?;
    let Decl::Fn(function) = ast.decl(decl) else { return None };
    let names = value_names(condition);
    let mentioned = function.params.iter().map(|it| ast.param(*it));
    let mentioned: Vec<_> = mentioned.filter(|it| names.contains(&it.name)).collect();
    if names.iter().any(|name| !mentioned.iter().any(|it| it.name == *name)) {
        return None;
    }
    let param = mentioned.last()?;
    let predicate = Payload(source(condition));
    let op = PatchOp::AddRefinement { type_id: scene.id(param.ty), predicate };
    Some(
        Candidate::new(scene, target, format!("require `{condition}` of `{}`", param.name))
            .because(format!(
                "`{}` needs it, and every caller is known to satisfy it",
                function.name
            ))
            .confidence(Confidence::High)
            .safety(Safety::LikelyPreserving)
            .kind(RepairKind::BoundaryValidation)
            .op(op),
    )
}

/// The names of values in an expression; those of functions that are called and of fields left out.
fn value_names(text: &str) -> Vec<Name> {
    let tokens = lex(text).0;
    let shown: Vec<usize> = (0..tokens.len()).filter(|it| !tokens.kind(*it).is_trivia()).collect();
    let mut names = Vec::new();
    for (place, &index) in shown.iter().enumerate() {
        let next = shown.get(place + 1).map(|it| tokens.kind(*it));
        let before = place.checked_sub(1).map(|it| tokens.kind(shown[it]));
        let is_value = tokens.kind(index) == TokenKind::Ident
            && next != Some(TokenKind::LParen)
            && before != Some(TokenKind::Dot);
        let name = Name::from(tokens.text(index));
        if is_value && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What may be done about a goal that is refuted: its predicate is taken back, if everything else still holds.
pub(super) fn refuted(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let goals = scene.module.goals();
    let mut refuted = goals.filter(|(node, goal, proof)| {
        *node == it.node && goal.kind == GoalKind::Refinement && matches!(proof, Proof::Refuted(_))
    });
    let Some(Ty::Refined(expected)) = refuted.next().and_then(|it| it.1.expected.clone()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for predicate in &expected.predicates {
        found.extend(drop_predicate(scene, predicate, target));
    }
    found
}

/// The type without a predicate.
fn drop_predicate(
    scene: RepairContext<'_>,
    predicate: &Predicate,
    target: FindingId,
) -> Option<Candidate> {
    let module = scene.checked.module(&predicate.module)?;
    // The type is made right after the last of its parts.
    let ty = TypeId::of(&module.ast, NodeId(predicate.expr.node().0.checked_add(1)?))?;
    let Type::Refined { base, predicate: written, .. } = module.ast.ty(ty) else { return None };
    if *written != predicate.expr {
        return None;
    }
    let ids = module.ast.ids();
    let op = PatchOp::ReplaceNode {
        node_id: ids.id(ty),
        new_node: Payload(json!({ "node": ids.id(*base).as_str() })),
    };
    let candidate =
        Candidate::new(scene, target, format!("drop the requirement `{}`", predicate.text))
            .because("the value that is given does not satisfy it, and nothing else relies on it")
            .confidence(Confidence::Low)
            .safety(Safety::BehaviorChanging)
            .kind(RepairKind::SemanticsChange);
    Some(match module.file == scene.module.file {
        true => candidate.op(op),
        false => Candidate {
            edits: vec![(scene.module.file.clone(), Vec::new()), (module.file.clone(), vec![op])],
            ..candidate
        },
    })
}

/// A predicate that is about another parameter goes there; one that says nothing goes.
pub(super) fn misplaced(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = move_predicate(scene, it, target).or_else(|| drop_truth(scene, it, target));
    found.into_iter().collect()
}

fn move_predicate(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let ty = TypeId::of(ast, it.node)?;
    let Type::Refined { base, predicate, .. } = ast.ty(ty) else { return None };
    let own = ParamId::of(ast, scene.parent(ty)?)?;
    let Decl::Fn(function) = ast.decl(scene.declaration(ty)?) else { return None };
    let text = print_expr(ast, *predicate);
    let names = value_names(&text);
    let params = function.params.iter().filter(|it| **it != own).map(|it| ast.param(*it));
    let others: Vec<_> = params.filter(|it| names.contains(&it.name)).collect();
    let to = others.last().filter(|_| others.len() == names.len())?;
    let predicate = Payload(scene.kept(*predicate));
    Some(
        Candidate::new(scene, target, format!("require `{text}` of `{}`", to.name))
            .because(format!("it says nothing about `{}`", ast.param(own).name))
            .safety(Safety::LikelyPreserving)
            .op(scene.replace(ty, scene.kept(*base)))
            .op(PatchOp::AddRefinement { type_id: scene.id(to.ty), predicate }),
    )
}

fn drop_truth(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let ty = TypeId::of(ast, it.node)?;
    let Type::Refined { base, predicate, .. } = ast.ty(ty) else { return None };
    if *ast.expr(*predicate) != Expr::Literal(Literal::Bool(true)) {
        return None;
    }
    Some(
        Candidate::new(scene, target, "remove the predicate `true`")
            .because("it has no text")
            .confidence(Confidence::High)
            .safety(Safety::BehaviorPreserving)
            .op(scene.replace(ty, scene.kept(*base))),
    )
}
