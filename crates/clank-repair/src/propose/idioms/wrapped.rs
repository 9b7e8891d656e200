//! Values that are wrapped in an `Option`, a `Result` or a tuple, and the wrapping was forgotten: where the value is
//! bound, where it is asked, and where it is made.

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::Value;
use clank::exhaust::fields_of;
use clank::ty::Ty;
use clank_syntax::ast::{AstKind, Expr, ExprId, NodeId, Pattern, PatternId, Stmt};
use serde_json::{Value as Json, json};

use super::methods::On;
use crate::FindingId;
use crate::propose::make::{call, ident};
use crate::propose::scope::{binder_of, let_of};
use crate::propose::{Candidate, RepairContext, text_fact};

/// The candidates for a mistake that a forgotten wrapper may be the cause of.
pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    match it.code {
        Code::E2001 | Code::E2016 | Code::E2004 | Code::E2011 | Code::E2006 | Code::E2010 => {
            found.extend(passed_on(scene, it, target));
            found.extend(asked_arm(scene, it, target));
            found.extend(made(scene, it, target));
            found.extend(taken_apart(scene, it, target));
        }
        Code::E2009 => {
            found.extend(passed_on_pattern(scene, it, target));
            found.extend(tuple_pattern(scene, it, target));
            found.extend(asked_element(scene, it, target));
        }
        Code::E2002 => found.extend(spread_tuple(scene, it, target)),
        Code::E1006 => found.extend(wrapped_pattern(scene, it, target)),
        _ => {}
    }
    found
}

/// What an `Option` or a `Result` holds.
fn inner(ty: &Ty) -> Option<&Ty> {
    match ty.base() {
        Ty::Adt(it) if matches!(On::of(ty), On::Option | On::Result) => it.args.first(),
        _ => None,
    }
}

/// `let x = f()` where `f` may fail and `x` is used as if it could not: `let x = f()?`.
fn passed_on(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let at = scene.expr(it.node)?;
    // A field is asked of what is before it.
    let used = match ast.expr(at) {
        Expr::Field { object, .. } | Expr::Index { object, .. } => *object,
        _ => at,
    };
    let used = match &ast.node(it.node).kind {
        AstKind::Stmt(Stmt::For { iterable, .. }) => *iterable,
        _ => used,
    };
    let view = scene.view(used)?;
    let held = inner(view.ty(used))?;
    if let Expr::Field { field, .. } = ast.expr(at)
        && it.code != Code::E2001
        && !fields_of(held, &scene.module.env).iter().any(|it| it.0.as_ref() == Some(field))
    {
        return None;
    }
    let binder = binder_of(scene, used)?;
    let statement = let_of(scene, binder)?;
    let Stmt::Let { init, ty: None, .. } = ast.stmt(statement) else { return None };
    let is_about = |other: &Diagnostic| {
        let of =
            |node: NodeId| scene.expr(node).is_some_and(|it| binder_of(scene, it) == Some(binder));
        let is_field = || match scene.expr(other.node).map(|it| ast.expr(it)) {
            Some(Expr::Field { object, .. } | Expr::Index { object, .. }) => of(object.node()),
            _ => false,
        };
        matches!(
            other.code,
            Code::E2001 | Code::E2016 | Code::E2004 | Code::E2011 | Code::E2006 | Code::E2010
        ) && (of(other.node) || is_field())
    };
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_about(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    if all.first() != Some(&target) {
        return None;
    }
    let new = json!({ "kind": "propagate", "expr": scene.kept(*init) });
    Some(
        Candidate::new(scene, target, "pass a failure on with `?` where the value is bound")
            .because("`?` takes the value out, and passes a failure on")
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(*init, new))
            .idiom(),
    )
}

/// The same where the value is taken apart: `let (a, b) = f()?`.
fn passed_on_pattern(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let pattern = PatternId::of(ast, it.node)?;
    let parent = scene.parent(pattern)?;
    let AstKind::Stmt(Stmt::Let { init, pattern: whole, .. }) = &ast.node(parent).kind else {
        return None;
    };
    let held = inner(scene.view(*init)?.ty(*init))?;
    let fits = match (ast.pattern(pattern), held.base()) {
        (Pattern::Tuple { elements }, Ty::Tuple(types)) => elements.len() == types.len(),
        (Pattern::Record { .. }, _) => true,
        _ => false,
    };
    (*whole == pattern && fits).then(|| {
        let new = json!({ "kind": "propagate", "expr": scene.kept(*init) });
        Candidate::new(scene, target, "pass a failure on with `?`")
            .because("`?` takes the value out, and passes a failure on")
            .confidence(Confidence::High)
            .op(scene.replace(*init, new))
            .idiom()
    })
}

/// `match o { n -> n + 1, None -> 0 }`: the arm asks for `Some(n)`.
fn asked_arm(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let at = scene.expr(it.node)?;
    let used = match ast.expr(at) {
        Expr::Field { object, .. } => *object,
        _ => at,
    };
    let binder = PatternId::of(ast, binder_of(scene, used)?)?;
    let arm = scene.parent(binder)?;
    let AstKind::Arm(arm_node) = &ast.node(arm).kind else { return None };
    let whole = scene.parent(arm)?;
    let AstKind::Expr(Expr::Match { scrutinee, arms }) = &ast.node(whole).kind else { return None };
    if arm_node.pattern != binder || arms.first().map(|it| it.node()) != Some(arm) {
        return None;
    }
    let name = match On::of(scene.view(*scrutinee)?.ty(*scrutinee)) {
        On::Option => "Some",
        On::Result => "Ok",
        _ => return None,
    };
    let new = json!({ "kind": "variant", "name": name, "payload": [scene.kept(binder)] });
    Some(
        Candidate::new(scene, target, format!("match `{name}(…)` in the arm"))
            .because(format!("the value is in a `{name}`"))
            .confidence(Confidence::High)
            .op(scene.replace(binder, new))
            .idiom(),
    )
}

/// `best = x` where an `Option` of something that is not known yet is expected, and `return` where it is `None`.
fn made(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    if actual == "Unit"
        && let AstKind::Stmt(Stmt::Return { value: None }) = &ast.node(it.node).kind
        && expected.starts_with("Option[")
    {
        let new = json!({ "kind": "return", "value": ident("None") });
        return Some(
            Candidate::new(scene, target, "return `None`")
                .because(format!("the result is `{expected}`"))
                .confidence(Confidence::High)
                .op(scene.replace(it.node, new)),
        );
    }
    let expr = scene.expr(it.node)?;
    let is_open = expected == "Option[?]";
    (is_open && !actual.starts_with("Option[") && actual != "Unit").then(|| {
        Candidate::new(scene, target, "convert to an `Option` with `Some`")
            .because(format!("expected `{expected}`, found `{actual}`"))
            .confidence(Confidence::High)
            .op(scene.wrap_in_call(expr, "Some"))
    })
}

/// `\(a, b) -> e` where a function of one tuple is expected: its parameter is taken apart.
fn taken_apart(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let Expr::Lambda { params, body } = ast.expr(expr) else { return None };
    let expected = text_fact(it, "expected")?;
    if params.len() < 2 || !expected.starts_with("((") {
        return None;
    }
    let names: Vec<&str> = params.iter().map(|it| ast.lambda_param(*it).name.as_str()).collect();
    let pattern: Vec<Json> = names
        .iter()
        .map(|it| match *it {
            "_" => json!({ "kind": "wildcard" }),
            name => json!({ "kind": "ident", "name": name }),
        })
        .collect();
    let name = ["pair", "parts", "entry"].into_iter().find(|it| !names.contains(it))?;
    let binding = json!({
        "kind": "let",
        "pattern": { "kind": "tuple", "elements": pattern },
        "init": ident(name),
    });
    let body = json!({ "kind": "block", "statements": [binding], "expr": scene.kept(*body) });
    let new = json!({ "kind": "lambda", "params": [{ "name": name }], "body": body });
    Some(
        Candidate::new(scene, target, "take the tuple apart in the function")
            .because("one tuple is passed, and a parameter cannot be a pattern")
            .confidence(Confidence::High)
            .op(scene.replace(expr, new))
            .idiom(),
    )
}

/// `Some(a, b)` in a pattern, where the value is a tuple; `Pair((a, b))` where there are two.
fn tuple_pattern(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let pattern = PatternId::of(ast, it.node)?;
    let Pattern::Variant { name, payload } = ast.pattern(pattern) else { return None };
    let new = match payload.as_ref() {
        [only] => match ast.pattern(*only) {
            Pattern::Tuple { elements } if elements.len() > 1 => scene.all_kept(elements),
            _ => return None,
        },
        parts if parts.len() > 1 => {
            vec![json!({ "kind": "tuple", "elements": scene.all_kept(parts) })]
        }
        _ => return None,
    };
    let new = json!({ "kind": "variant", "name": name.as_str(), "payload": new });
    Some(
        Candidate::new(scene, target, format!("write the parts of `{name}` as they are declared"))
            .because(it.message.clone())
            .confidence(Confidence::High)
            .op(scene.replace(pattern, new))
            .idiom(),
    )
}

/// `Pair((a, b))` where `Pair` takes two values.
fn spread_tuple(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let whole = scene.expr(it.node)?;
    let Expr::Call { callee, args } = ast.expr(whole) else { return None };
    let [only] = args.as_ref() else { return None };
    let Expr::Tuple { elements } = ast.expr(*only) else { return None };
    let params = crate::propose::calls::parameters_of(scene, *callee)?;
    (params.len() == elements.len()).then(|| {
        let new = call(scene.kept(*callee), scene.all_kept(elements));
        Candidate::new(scene, target, "give the values one by one, not as a tuple")
            .because(it.message.clone())
            .confidence(Confidence::High)
            .op(scene.replace(whole, new))
            .idiom()
    })
}

/// `match map_get(m, k) { Red -> …`: the variant is in a `Some`.
fn wrapped_pattern(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let pattern = PatternId::of(ast, it.node)?;
    let Pattern::Variant { name, .. } = ast.pattern(pattern) else { return None };
    let arm = scene.parent(pattern)?;
    let whole = scene.parent(arm)?;
    let AstKind::Expr(Expr::Match { scrutinee, arms }) = &ast.node(whole).kind else { return None };
    let view = scene.view(*scrutinee)?;
    let ty = view.ty(*scrutinee);
    let held = inner(ty)?;
    let wrapper = if On::of(ty) == On::Option { "Some" } else { "Ok" };
    let Some(Value::Variant { def, .. }) = scene.module.env.values.get(name) else { return None };
    matches!(held.base(), Ty::Adt(it) if it.key == def.key).then_some(())?;
    let all = scene.module.diagnostics.iter().enumerate().filter(|(_, other)| {
        other.code == Code::E1006 && arms.iter().any(|it| ast.arm(*it).pattern.node() == other.node)
    });
    let all: Vec<(FindingId, PatternId)> = all
        .filter_map(|it| Some((FindingId::Diagnostic(it.0), PatternId::of(ast, it.1.node)?)))
        .collect();
    (all.first()?.0 == target).then_some(())?;
    let start = Candidate::new(scene, target, format!("match `{wrapper}(…)` in the arms"))
        .because(format!("the value is in a `{wrapper}`"))
        .confidence(Confidence::High)
        .also_for(all.iter().map(|it| it.0))
        .idiom();
    Some(all.iter().fold(start, |candidate, (_, pattern)| {
        let new = json!({ "kind": "variant", "name": wrapper, "payload": [scene.kept(*pattern)] });
        candidate.op(scene.replace(*pattern, new))
    }))
}

/// `match xs[i] { Some(x) -> …, None -> … }`: `get` says whether there is an element.
fn asked_element(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let pattern = PatternId::of(ast, it.node)?;
    let Pattern::Variant { name, .. } = ast.pattern(pattern) else { return None };
    matches!(name.as_str(), "Some" | "None").then_some(())?;
    let whole = scene.parent(scene.parent(pattern)?)?;
    let AstKind::Expr(Expr::Match { scrutinee, arms }) = &ast.node(whole).kind else { return None };
    let Expr::Index { object, index } = ast.expr(*scrutinee) else { return None };
    matches!(On::of(scene.view(*object)?.ty(*object)), On::Array).then_some(())?;
    let is_own = |other: &Diagnostic| {
        other.code == Code::E2009 && arms.iter().any(|it| ast.arm(*it).pattern.node() == other.node)
    };
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_own(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    (all.first() == Some(&target)).then(|| {
        let args: Vec<ExprId> = vec![*object, *index];
        let new = call(ident("get"), scene.all_kept(&args));
        Candidate::new(scene, target, "write `get(…)` for the element")
            .because("`get` returns an `Option`")
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(*scrutinee, new))
            .idiom()
    })
}
