//! Types that are missing where they must be written (E2007), and types with the wrong number of arguments (E2017).

use check::{Confidence, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{TypeBody, TypeEntry};
use clank_syntax::ast::{AstKind, Expr, ExprId, LambdaParam, Name, NodeId, Stmt, Type, TypeId};
use serde_json::json;

use super::make::source;
use super::scope::binder_of;
use super::{Candidate, RepairContext};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    match it.code {
        Code::E2007 => state_type(scene, it, target),
        Code::E2017 => fewer_arguments(scene, it, target)
            .into_iter()
            .chain(without_annotation(scene, it, target))
            .collect(),
        _ => Vec::new(),
    }
}

/// `\p -> p.name` where one record has such a field: that is the type of `p`.
fn state_type(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let found = || {
        let ast = scene.ast();
        let Expr::Field { object, field } = ast.expr(ExprId::of(ast, it.node)?) else {
            return None;
        };
        let binder = binder_of(scene, *object)?;
        let AstKind::LambdaParam(LambdaParam { name, ty: None }) = &ast.node(binder).kind else {
            return None;
        };
        Some((binder, name, field))
    };
    let Some((binder, name, field)) = found() else { return state_of_start(scene, it, target) };
    let records = records_with(scene, field);
    let (confidence, safety) = match records.len() {
        1 if !is_inside_another(scene, it) => (Confidence::High, Safety::LikelyPreserving),
        _ => (Confidence::Low, Safety::BehaviorChanging),
    };
    let make = |record: &Name| {
        Candidate::new(scene, target, format!("annotate `{name}` as `{record}`"))
            .because(format!("`{record}` has a field `{field}`"))
            .confidence(confidence)
            .safety(safety)
            .op(scene.replace(binder, json!({ "name": name.as_str(), "type": source(record) })))
    };
    records.iter().map(make).collect()
}

/// `let mut best = None`: what it will hold is known only further down.
fn state_of_start(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let Some(decl) = scene.declaration(it.node) else { return Vec::new() };
    let mut found = Vec::new();
    for node in ast.subtree(decl.node()).map(NodeId).filter(|node| *node < it.node) {
        let AstKind::Stmt(Stmt::Let { mutable, pattern, ty: None, init }) = &ast.node(node).kind
        else {
            continue;
        };
        let is_empty = match ast.expr(*init) {
            Expr::Ident { name } => name == "None",
            Expr::Array { elements } => elements.is_empty(),
            Expr::Call { args, .. } => args.is_empty(),
            _ => false,
        };
        let Some(view) = scene.view(*init).filter(|_| is_empty) else { continue };
        let ty = view.ty(*pattern).to_string();
        if ty.contains('?') || !ty.contains('[') {
            continue;
        }
        let name = clank::resolve::one_line(ast, *pattern);
        let new = json!({
            "kind": "let",
            "mutable": mutable,
            "pattern": scene.kept(*pattern),
            "type": source(&ty),
            "init": scene.kept(*init),
        });
        found.push(
            Candidate::new(scene, target, format!("annotate `{name}` as `{ty}`"))
                .because("that is the type of what it is assigned further down")
                .confidence(Confidence::High)
                .safety(Safety::LikelyPreserving)
                .op(scene.replace(node, new)),
        );
    }
    found.truncate(3);
    found
}

/// Whether it is inside another mistake: the type may be unknown only because of that.
fn is_inside_another(scene: RepairContext<'_>, it: &Diagnostic) -> bool {
    let ast = scene.ast();
    let is_around = |other: &Diagnostic| {
        other.code.is_error()
            && other.node != it.node
            && ast.subtree(other.node).contains(&it.node.0)
    };
    scene.module.diagnostics.iter().any(is_around)
}

/// The records without type parameters that have a field, by the names that they have here.
fn records_with(scene: RepairContext<'_>, field: &Name) -> Vec<Name> {
    let env = &scene.module.env;
    let has_it = |entry: &TypeEntry| match entry {
        TypeEntry::Def(def) => match &def.shape {
            TypeBody::Record(fields) => {
                def.params.is_empty() && fields.iter().any(|it| it.0 == *field)
            }
            TypeBody::Sum(_) | TypeBody::Opaque => false,
        },
        _ => false,
    };
    let mut names: Vec<Name> =
        env.types.iter().filter(|it| has_it(it.1)).map(|it| it.0.clone()).collect();
    names.sort();
    names
}

/// The arguments that are too many go, the last ones first.
fn fewer_arguments(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let number = |name| super::fact(it, name).and_then(serde_json::Value::as_u64);
    let expected = usize::try_from(number("expected")?).ok()?;
    let ty = TypeId::of(ast, it.node)?;
    let Type::Named { name, args } = ast.ty(ty) else { return None };
    let kept = args.get(..expected).filter(|it| it.len() < args.len())?;
    let gone: Vec<String> =
        args[expected..].iter().map(|it| clank::resolve::one_line(ast, *it)).collect();
    // Without any there is nothing to choose from.
    let confidence = if expected == 0 { Confidence::High } else { Confidence::Medium };
    let new = json!({ "kind": "named", "name": name.as_str(), "args": scene.all_kept(kept) });
    let title = format!("remove the type argument `{}`", gone.join(", "));
    Some(
        Candidate::new(scene, target, title)
            .because(it.message.clone())
            .confidence(confidence)
            .op(scene.replace(ty, new)),
    )
}

/// A `let` whose type says too little says nothing: its type follows from its value.
fn without_annotation(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let mut node: NodeId = it.node;
    let statement = loop {
        let parent = scene.parent(node)?;
        match &ast.node(parent).kind {
            AstKind::Type(_) => node = parent,
            AstKind::Stmt(Stmt::Let { ty: Some(ty), .. }) if ty.node() == node => break parent,
            _ => return None,
        }
    };
    let AstKind::Stmt(Stmt::Let { mutable, pattern, ty: Some(ty), init }) =
        &ast.node(statement).kind
    else {
        return None;
    };
    let new = json!({
        "kind": "let",
        "mutable": mutable,
        "pattern": scene.kept(*pattern),
        "init": scene.kept(*init),
    });
    let written = clank::resolve::one_line(ast, *ty);
    Some(
        Candidate::new(scene, target, format!("remove the type `{written}`"))
            .because("the type of a variable follows from its value")
            .confidence(Confidence::Medium)
            .safety(Safety::LikelyPreserving)
            .op(scene.replace(statement, new)),
    )
}
