//! Values that fit after one step that other languages make without being told: one element where an array is joined, a
//! difference for an order, a wrapper of another type, a record of one field, a field by a longer name.

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{TypeBody, TypeEntry};
use clank::exhaust::fields_of;
use clank::ty::Ty;
use clank_syntax::ast::{AstKind, BinaryOp, Decl, Expr, ExprId, Name, Type, TypeId};
use serde_json::json;

use crate::FindingId;
use crate::propose::make::{call, ident, source};
use crate::propose::scope::locals;
use crate::propose::{Candidate, RepairContext, text_fact};

/// The candidates for a mistake of that sort.
pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = match it.code {
        Code::E2001 | Code::E2016 => [
            one_element(scene, it, target),
            difference(scene, it, target),
            other_wrapper(scene, it, target),
            only_field(scene, it, target),
        ],
        Code::E2004 => [longer_field(scene, it, target), None, None, None],
        Code::E1001 => [same_field(scene, it, target), None, None, None],
        Code::E2017 => [own_parameters(scene, it, target), None, None, None],
        _ => return Vec::new(),
    };
    found.into_iter().flatten().collect()
}

/// `xs ++ x`: what is joined to an array is an array.
fn one_element(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let expr = scene.expr(it.node)?;
    let parent = scene.expr(scene.parent(expr)?)?;
    let Expr::Binary { op: BinaryOp::Concat, left, right } = ast.expr(parent) else { return None };
    let view = scene.view(parent)?;
    let is_element = |element: ExprId, array: ExprId| match view.ty(array).base() {
        Ty::Array(inner) => crate::propose::fit::may_fit(view.ty(element), inner),
        _ => false,
    };
    // The mistake is at the operand that does not fit the first one: `x ++ xs` is about `xs`.
    let element = match (is_element(*right, *left), is_element(*left, *right)) {
        (true, false) => *right,
        (false, true) => *left,
        _ => return None,
    };
    let new = json!({ "kind": "array", "elements": [scene.kept(element)] });
    Some(
        Candidate::new(scene, target, "join an array of one value")
            .because(format!("expected `{expected}`, found `{actual}`; `++` joins arrays"))
            .confidence(Confidence::Medium)
            .op(scene.replace(element, new))
            .idiom(),
    )
}

/// `\(a, b) -> a - b` where an order is expected.
fn difference(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    (text_fact(it, "expected")? == "Ordering").then_some(())?;
    let mut expr = scene.expr(it.node)?;
    while let Expr::Block { statements, expr: Some(last), .. } = ast.expr(expr)
        && statements.is_empty()
    {
        expr = *last;
    }
    let Expr::Binary { op: BinaryOp::Sub, left, right } = ast.expr(expr) else { return None };
    let new = call(ident("compare"), vec![scene.kept(*left), scene.kept(*right)]);
    Some(
        Candidate::new(scene, target, "write `compare(…)` for the difference")
            .because("an order is `Less`, `Equal` or `Greater`; `compare` returns it")
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, new))
            .idiom(),
    )
}

/// `Some(x)` where a `Result` is expected, `Ok(x)` and `Err(e)` where an `Option` is.
fn other_wrapper(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let expr = scene.expr(it.node)?;
    let Expr::Call { callee, args } = ast.expr(expr) else { return None };
    let Expr::Ident { name } = ast.expr(*callee) else { return None };
    let is_from = |from: &str, to: &str| actual.starts_with(from) && expected.starts_with(to);
    let new = match name.as_str() {
        "Some" if is_from("Option[", "Result[") => call(ident("Ok"), scene.all_kept(args)),
        "Ok" if is_from("Result[", "Option[") => call(ident("Some"), scene.all_kept(args)),
        "Err" if is_from("Result[", "Option[") => ident("None"),
        _ => return None,
    };
    Some(
        Candidate::new(scene, target, format!("write the variant of `{expected}`"))
            .because(format!("expected `{expected}`, found `{actual}`"))
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, new))
            .idiom(),
    )
}

/// A value where a record with one field of its type is expected.
fn only_field(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let expr = scene.expr(it.node)?;
    let name = Name::new(expected.split('[').next()?);
    let TypeEntry::Def(def) = scene.module.env.types.get(&name)? else { return None };
    let TypeBody::Record(fields) = &def.shape else { return None };
    let [(_, ty)] = fields.as_slice() else { return None };
    (ty.base().to_string() == actual).then(|| {
        Candidate::new(scene, target, format!("wrap it in `{name}`"))
            .because(format!("expected `{expected}`, found `{actual}`, which its only field takes"))
            .confidence(Confidence::Medium)
            .op(scene.wrap_in_call(expr, &name))
    })
}

/// `task.done` for `task.is_done`: the only field whose name has the one that is written as its first or last words.
fn longer_field(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let expr = scene.expr(it.node)?;
    let Expr::Field { object, field } = scene.ast().expr(expr) else { return None };
    let view = scene.view(expr)?;
    let is_part = |long: &str, short: &str| {
        let rest = long.strip_suffix(short).map(|it| it.ends_with('_'));
        let behind = long.strip_prefix(short).map(|it| it.starts_with('_'));
        rest.or(behind).unwrap_or(false)
    };
    let fields = fields_of(view.ty(*object), &scene.module.env);
    let mut similar = fields
        .iter()
        .filter_map(|it| it.0.as_ref())
        .filter(|it| is_part(it, field) || is_part(field, it));
    let only = similar.next().filter(|_| similar.next().is_none())?;
    Some(
        Candidate::new(scene, target, format!("write `{only}` for `{field}`"))
            .because("no other field has these words in its name")
            .confidence(Confidence::Medium)
            .op(scene.rename_field(expr, field, only)),
    )
}

/// `Monster(name, …)` where `name` is a field of the only `Monster` in scope.
fn same_field(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let Expr::Ident { name } = ast.expr(expr) else { return None };
    let parent = scene.parent(expr)?;
    let made = match &ast.node(parent).kind {
        AstKind::Expr(Expr::Call { callee, args }) => {
            let Expr::Ident { name: made } = ast.expr(*callee) else { return None };
            args.contains(&expr).then_some(made)?
        }
        _ => return None,
    };
    let TypeEntry::Def(def) = scene.module.env.types.get(made)? else { return None };
    let TypeBody::Record(fields) = &def.shape else { return None };
    fields.iter().any(|it| it.0 == *name).then_some(())?;
    let all = locals(scene, it.node);
    let mut same = all.iter().filter(|it| match it.ty.base() {
        Ty::Adt(adt) => adt.key == def.key,
        _ => false,
    });
    let only = same.next().filter(|_| same.next().is_none())?;
    let new = json!({ "kind": "field", "object": ident(&only.name), "field": name.as_str() });
    Some(
        Candidate::new(scene, target, format!("write `{}.{name}`", only.name))
            .because(format!("`{}` is the only `{made}` in scope", only.name))
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, new)),
    )
}

/// `fn f[T](queue: Queue)`: the type takes the parameters of the function, if it takes as many.
fn own_parameters(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let decl = scene.declaration(it.node)?;
    let Decl::Fn(function) = ast.decl(decl) else { return None };
    let names: Vec<&str> =
        function.type_params.iter().map(|it| ast.type_param(*it).name.as_str()).collect();
    let expected = super::super::fact(it, "expected").and_then(serde_json::Value::as_u64)?;
    (names.len() as u64 == expected && expected > 0).then_some(())?;
    let bare = |node| {
        let ty = TypeId::of(ast, node)?;
        match ast.ty(ty) {
            Type::Named { name, args } if args.is_empty() => Some((ty, name)),
            _ => None,
        }
    };
    let (_, name) = bare(it.node)?;
    let own = scene.module.diagnostics.iter().enumerate().filter_map(|(index, other)| {
        let is_own = other.code == Code::E2017 && scene.declaration(other.node) == Some(decl);
        let (ty, other) = bare(other.node).filter(|it| is_own && it.1 == name)?;
        Some((FindingId::Diagnostic(index), ty, other))
    });
    let own: Vec<(FindingId, TypeId, &Name)> = own.collect();
    (own.first()?.0 == target).then_some(())?;
    let new = format!("{name}[{}]", names.join(", "));
    let start = Candidate::new(scene, target, format!("write `{new}`"))
        .because(it.message.clone())
        .confidence(Confidence::Medium)
        .also_for(own.iter().map(|it| it.0))
        .idiom();
    Some(own.iter().fold(start, |candidate, it| candidate.op(scene.replace(it.1, source(&new)))))
}
