//! Values of another shape than the one that is needed: an array for a tuple, one part of a tuple, a value for a function
//! without parameters, numbers where texts are joined, and values that other languages take for true or false.

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::Value;
use clank::exhaust::fields_of;
use clank::ty::Ty;
use clank_syntax::ast::{AstKind, BinaryOp, Decl, Expr, ExprId, Name, Stmt, UnaryOp};
use serde_json::{Value as Json, json};

use super::methods::On;
use crate::FindingId;
use crate::propose::make::{call, ident, source, string};
use crate::propose::scope::locals;
use crate::propose::types::is_type;
use crate::propose::{Candidate, RepairContext, text_fact};

/// The candidates for a mistake of that sort.
pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = match it.code {
        Code::E2001 => vec![
            thunk(scene, it, target),
            brackets(scene, it, target),
            part_of_tuple(scene, it, target),
            raised(scene, it, target),
            counted(scene, it, target),
            shown_each(scene, it, target),
            joined_text(scene, it, target),
            truth(scene, it, target),
            otherwise(scene, it, target),
            narrowed(scene, it, target),
        ],
        Code::E2016 => vec![chained(scene, it, target)],
        Code::E2004 => vec![by_place(scene, it, target)],
        Code::E1005 => vec![variant(scene, it, target)],
        Code::E2013 => vec![bound_pattern(scene, it, target)],
        _ => return Vec::new(),
    };
    found.into_iter().flatten().collect()
}

/// The parts of the type of a tuple, as it is written.
fn parts_of(ty: &str) -> Option<Vec<&str>> {
    let inner = ty.strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, sign) in inner.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            // The brackets at both ends belong to two types: `(A) -> (B)`.
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    (parts.len() > 1).then_some(parts)
}

/// `try(f(x))`: a function without parameters is expected.
fn thunk(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let expected = text_fact(it, "expected")?;
    let is_wanted = expected.starts_with("() -> ")
        && !matches!(ast.expr(expr), Expr::Lambda { .. })
        && !text_fact(it, "actual")?.contains("->");
    is_wanted.then_some(())?;
    // What it does is charged to the function around as long as it is no function of its own.
    let is_inside = |other: &Diagnostic| {
        other.code == Code::E4001 && ast.subtree(expr.node()).contains(&other.node.0)
    };
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_inside(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    let new = json!({ "kind": "lambda", "params": [], "body": scene.kept(expr) });
    Some(
        Candidate::new(scene, target, "make a function of it: `\\() -> …`")
            .because(format!("expected `{expected}`: what is to be done is given as a function"))
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(expr, new))
            .idiom(),
    )
}

/// `[a, b]` where a tuple of two is expected, `(a, b)` where an array is.
fn brackets(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let expected = text_fact(it, "expected")?;
    let (title, new) = match ast.expr(expr) {
        Expr::Array { elements } if parts_of(expected)?.len() == elements.len() => (
            "write the tuple in parentheses",
            json!({ "kind": "tuple", "elements": scene.all_kept(elements) }),
        ),
        Expr::Tuple { elements } if expected.starts_with('[') => (
            "write the array in brackets",
            json!({ "kind": "array", "elements": scene.all_kept(elements) }),
        ),
        _ => return None,
    };
    Some(
        Candidate::new(scene, target, title)
            .because(format!(
                "expected `{expected}`: tuples are in parentheses, arrays in brackets"
            ))
            .confidence(Confidence::High)
            .op(scene.replace(expr, new))
            .idiom(),
    )
}

/// One part of a tuple where all of it is expected, and a local for each of the others.
fn part_of_tuple(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let expr = scene.expr(it.node)?;
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let parts = parts_of(expected)?;
    let own = parts.iter().position(|it| *it == actual)?;
    let all = locals(scene, it.node);
    let mut is_only = parts.iter().filter(|it| **it == actual).count() == 1;
    let mut elements = Vec::new();
    let mut shown = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        if place == own {
            elements.push(scene.kept(expr));
            shown.push("…".to_owned());
            continue;
        }
        let mut fitting = all.iter().filter(|it| is_type(&it.ty, part));
        let first = fitting.next()?;
        is_only &= fitting.next().is_none();
        elements.push(ident(&first.name));
        shown.push(first.name.to_string());
    }
    let new = json!({ "kind": "tuple", "elements": elements });
    Some(
        Candidate::new(scene, target, format!("make the tuple `({})`", shown.join(", ")))
            .because(format!("expected `{expected}`, found `{actual}`"))
            .confidence(if is_only { Confidence::Medium } else { Confidence::Low })
            .op(scene.replace(expr, new)),
    )
}

/// `Err(e)` as a statement or an arm of a function that fails by `?`.
fn raised(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let Expr::Call { callee, .. } = ast.expr(expr) else { return None };
    let is_failure = matches!(ast.expr(*callee), Expr::Ident { name } if name == "Err")
        && actual.starts_with("Result[")
        && !expected.starts_with("Result[")
        && !expected.starts_with("Option[");
    let decl = scene.declaration(expr)?;
    let signature = scene.module.env.signature(decl)?;
    let raises = signature.effects.names().any(|it| it == "Err");
    let fails = On::of(&signature.result) == On::Result;
    (is_failure && (raises || fails)).then(|| {
        let new = json!({ "kind": "propagate", "expr": scene.kept(expr) });
        Candidate::new(scene, target, "fail with it: `Err(…)?`")
            .because("`?` behind an `Err` leaves the function with it")
            .confidence(if raises { Confidence::High } else { Confidence::Medium })
            .op(scene.replace(expr, new))
            .idiom()
    })
}

/// `return i` where an `Option[Int]` is expected and `i` counts: a `Nat` is an `Int`.
fn counted(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let expr = scene.expr(it.node)?;
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let base = actual.split('{').next()?;
    let is_whole = base == "Nat" || base == "Int" && actual.contains('{');
    let wrapper = match expected {
        "Option[Int]" => "Some",
        _ if expected.starts_with("Result[Int, ") => "Ok",
        _ => return None,
    };
    is_whole.then(|| {
        let title = format!("convert to `{expected}` with `{wrapper}`");
        Candidate::new(scene, target, title)
            .because(format!("expected `{expected}`, found `{actual}`"))
            .confidence(Confidence::High)
            .op(scene.wrap_in_call(expr, wrapper))
    })
}

/// `join(numbers, ", ")`: each of them is turned into a text.
fn shown_each(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let expr = scene.expr(it.node)?;
    let (expected, actual) = (text_fact(it, "expected")?, text_fact(it, "actual")?);
    let is_it = expected == "[Str]"
        && actual.starts_with('[')
        && !actual.contains("->")
        && !matches!(scene.ast().expr(expr), Expr::Array { .. });
    is_it.then(|| {
        let new = call(ident("map"), vec![scene.kept(expr), ident("to_string")]);
        Candidate::new(scene, target, "turn each of them into a string with `to_string`")
            .because(format!("expected `{expected}`, found `{actual}`"))
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, new))
    })
}

/// Strings where one is expected, and it is not just to be written.
fn joined_text(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let is_it = text_fact(it, "expected")? == "Str" && text_fact(it, "actual")? == "[Str]";
    let is_written = scene.parent(expr).and_then(|it| scene.expr(it)).is_some_and(
        |parent| matches!(ast.expr(parent), Expr::Call { args, .. } if args.contains(&expr)),
    );
    (is_it && !is_written).then(|| {
        let new = call(ident("join"), vec![scene.kept(expr), string("")]);
        Candidate::new(scene, target, "join the strings with `join(…, \"\")`")
            .because("expected `Str`, found `[Str]`")
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, new))
            .idiom()
    })
}

/// `if xs {`, `if !name {`, `while n {`: what is asked of the value is written out.
fn truth(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    (text_fact(it, "expected")? == "Bool").then_some(())?;
    let parent = scene.parent(expr)?;
    let (whole, is_negated) = match &ast.node(parent).kind {
        AstKind::Expr(Expr::Unary { op: UnaryOp::Not, .. }) => (ExprId::of(ast, parent)?, true),
        _ => (expr, false),
    };
    let is_condition = match &ast.node(scene.parent(whole)?).kind {
        AstKind::Expr(Expr::If { condition, .. }) => *condition == whole,
        AstKind::Expr(Expr::Binary { op: BinaryOp::And | BinaryOp::Or, .. }) => true,
        AstKind::Stmt(Stmt::While { condition, .. }) => *condition == whole,
        _ => is_negated,
    };
    let against = |op: &str, other: &str| json!({ "kind": "binary", "op": op, "left": scene.kept(expr), "right": source(other) });
    let op = if is_negated { "==" } else { "!=" };
    let sized = |function: &str| {
        let left = call(ident(function), vec![scene.kept(expr)]);
        json!({ "kind": "binary", "op": op, "left": left, "right": source("0") })
    };
    let new = match On::of(scene.view(expr)?.ty(expr)) {
        On::Number => against(op, "0"),
        On::Text => against(op, "\"\""),
        On::Option => against(op, "None"),
        On::Array if is_negated => call(ident("is_empty"), vec![scene.kept(expr)]),
        On::Array => {
            let asked = call(ident("is_empty"), vec![scene.kept(expr)]);
            json!({ "kind": "unary", "op": "!", "operand": asked })
        }
        On::Map => sized("map_size"),
        On::Set => sized("set_size"),
        _ => return None,
    };
    Some(
        Candidate::new(scene, target, "ask what the value must be")
            .because("a condition is a `Bool`: no other value is true or false")
            .confidence(if is_condition { Confidence::Medium } else { Confidence::Low })
            .op(scene.replace(whole, new))
            .idiom(),
    )
}

/// `found || other`, where what is found may be missing.
fn otherwise(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let at = scene.expr(scene.parent(expr)?)?;
    let whole = match ast.expr(expr) {
        Expr::Binary { op: BinaryOp::Or, .. } => expr,
        _ => at,
    };
    let Expr::Binary { op: BinaryOp::Or, left, right } = ast.expr(whole) else { return None };
    let on = On::of(scene.view(whole)?.ty(*left));
    if !matches!(on, On::Option | On::Result) || matches!(ast.expr(*right), Expr::Binary { .. }) {
        return None;
    }
    let is_own = |other: &Diagnostic| {
        other.code == Code::E2001 && [whole.node(), left.node(), right.node()].contains(&other.node)
    };
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_own(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    (all.first() == Some(&target)).then(|| {
        let new = or_else(scene, whole, scene.kept(*left), on, scene.kept(*right));
        Candidate::new(scene, target, "ask with `match` what may be missing")
            .because(
                "`||` takes two values of type `Bool`; a value that may be missing is tested with `match`",
            )
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(whole, new))
            .idiom()
    })
}

/// What an `Option` or a `Result` holds, or another value. The name for it hides no other one.
pub(super) fn or_else(
    scene: RepairContext<'_>,
    at: ExprId,
    value: Json,
    on: On,
    other: Json,
) -> Json {
    let name = free_name(scene, at);
    let (yes, no) = match on {
        On::Result => (format!("Ok({name})"), "Err(_)"),
        _ => (format!("Some({name})"), "None"),
    };
    json!({ "kind": "match", "scrutinee": value, "arms": [
        { "pattern": source(&yes), "body": source(name) },
        { "pattern": source(no), "body": other },
    ] })
}

/// A name for a value that no local has.
pub(super) fn free_name(scene: RepairContext<'_>, at: ExprId) -> &'static str {
    let taken: Vec<Name> = locals(scene, at.node()).into_iter().map(|it| it.name).collect();
    let is_free = |name: &&&str| taken.iter().all(|it| it != **name);
    ["value", "found", "inner", "held"].iter().find(is_free).copied().unwrap_or("value")
}

fn compares(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge)
}

/// `0 <= x < n`: two comparisons.
fn chained(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let inner = scene.expr(it.node)?;
    let whole = scene.expr(scene.parent(inner)?)?;
    let Expr::Binary { op: second, left, right } = ast.expr(whole) else { return None };
    let Expr::Binary { op: first, left: low, right: middle } = ast.expr(inner) else { return None };
    (*left == inner && compares(*first) && compares(*second)).then_some(())?;
    let has_call = ast
        .subtree(middle.node())
        .any(|it| matches!(ast.nodes()[it as usize].kind, AstKind::Expr(Expr::Call { .. })));
    let text = |it: &ExprId| ast.text(it.node());
    let new = format!(
        "({} {} {} && {} {} {})",
        text(low),
        first.text(),
        text(middle),
        text(middle),
        second.text(),
        text(right)
    );
    Some(
        Candidate::new(scene, target, "compare twice, joined with `&&`")
            .because("a comparison is a `Bool`, which is not compared with a number")
            .confidence(if has_call { Confidence::Medium } else { Confidence::High })
            .op(scene.replace(whole, source(&new)))
            .idiom(),
    )
}

/// `pair.0` of a record: its first field.
fn by_place(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let expr = scene.expr(it.node)?;
    let Expr::Field { object, field } = scene.ast().expr(expr) else { return None };
    let place: usize = field.parse().ok()?;
    let fields = fields_of(scene.view(expr)?.ty(*object), &scene.module.env);
    let name = fields.get(place)?.0.clone()?;
    Some(
        Candidate::new(scene, target, format!("write `{name}` for `{field}`"))
            .because("the fields of a record go by their names")
            .confidence(Confidence::Medium)
            .op(scene.rename_field(expr, field, &name)),
    )
}

/// `Circle { radius: 1 }` of a variant: its parts are in parentheses, in their order.
fn variant(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let Expr::RecordLit { name, fields } = ast.expr(expr) else { return None };
    let Value::Variant { def, variant } = scene.module.env.values.get(name)? else { return None };
    let clank::env::TypeBody::Sum(variants) = &def.shape else { return None };
    let parts = &variants.get(*variant as usize)?.fields;
    (parts.len() == fields.len()).then_some(())?;
    let mut args = Vec::new();
    for (place, (part, _)) in parts.iter().enumerate() {
        let given = match part {
            Some(part) => fields.iter().find(|it| ast.field_init(**it).name == *part)?,
            None => fields.get(place)?,
        };
        args.push(scene.kept(ast.field_init(*given).value));
    }
    Some(
        Candidate::new(scene, target, format!("write `{name}(…)`"))
            .because("the parts of a variant are in parentheses, in their order")
            .confidence(Confidence::High)
            .op(scene.replace(expr, call(ident(name), args)))
            .idiom(),
    )
}

/// `(a, b) = f()`, where nothing is called `a` or `b`: it binds both.
fn bound_pattern(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let AstKind::Stmt(Stmt::Assign { target: place, value }) = &ast.node(it.node).kind else {
        return None;
    };
    let elements = match ast.expr(*place) {
        Expr::Tuple { elements } | Expr::Array { elements } => elements,
        _ => return None,
    };
    let known = locals(scene, it.node);
    let mut names: Vec<&Name> = Vec::new();
    let mut patterns: Vec<Json> = Vec::new();
    for element in elements {
        let Expr::Ident { name } = ast.expr(*element) else { return None };
        if name != "_" && known.iter().any(|it| it.name == *name) {
            return None;
        }
        names.push(name);
        patterns.push(match name.as_str() {
            "_" => json!({ "kind": "wildcard" }),
            name => json!({ "kind": "ident", "name": name }),
        });
    }
    let decl = scene.declaration(it.node)?;
    let is_one = |other: &Diagnostic| {
        other.code == Code::E1001
            && names.iter().any(|it| text_fact(other, "name") == Some(it.as_str()))
            && scene.declaration(other.node) == Some(decl)
    };
    matches!(ast.decl(decl), Decl::Fn(_)).then_some(())?;
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_one(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    let new = json!({
        "kind": "let",
        "pattern": { "kind": "tuple", "elements": patterns },
        "init": scene.kept(*value),
    });
    let shown: Vec<&str> = names.iter().map(|it| it.as_str()).collect();
    Some(
        Candidate::new(scene, target, format!("bind them: `let ({}) = …`", shown.join(", ")))
            .because("nothing has these names yet: `let` binds them")
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(it.node, new))
            .idiom(),
    )
}

/// Whether a type is a tuple of so many values, or is not known.
pub(super) fn takes_tuple(ty: &Ty, n: usize) -> bool {
    match ty.base() {
        Ty::Tuple(parts) => parts.len() == n,
        Ty::Error | Ty::Var(_) => true,
        _ => false,
    }
}

/// `if o != None { o } else { b }`, where `o` is used as what it holds: a `match` takes it out.
fn narrowed(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let view = scene.view(expr)?;
    let is_path = matches!(ast.expr(expr), Expr::Ident { .. } | Expr::Field { .. });
    (is_path && On::of(view.ty(expr)) == On::Option).then_some(())?;
    let asked = ast.text(expr.node());
    // The nearest `if` that asks whether it is there.
    let mut at = expr.node();
    let (whole, is_there, then_branch, else_branch) = loop {
        let parent = scene.parent(at)?;
        if let AstKind::Expr(Expr::If { condition, then_branch, else_branch }) =
            &ast.node(parent).kind
            && let Expr::Binary { op, left, right } = ast.expr(*condition)
            && matches!(op, BinaryOp::Ne | BinaryOp::Eq)
            && ast.text(left.node()) == asked
            && ast.text(right.node()) == "None"
        {
            break (ExprId::of(ast, parent)?, *op == BinaryOp::Ne, *then_branch, *else_branch);
        }
        at = parent;
    };
    let (some, none) = match (is_there, else_branch) {
        (true, other) => (then_branch, other),
        (false, Some(other)) => (other, Some(then_branch)),
        (false, None) => return None,
    };
    ast.subtree(some.node()).contains(&expr.node().0).then_some(())?;
    let name = free_name(scene, whole);
    // Every mention of it in the branch, the last one first.
    let span = ast.span(some.node());
    let mut text = ast.text(some.node()).to_owned();
    let mut nodes: Vec<_> = ast
        .subtree(some.node())
        .map(clank_syntax::ast::NodeId)
        .filter(|it| matches!(ast.node(*it).kind, AstKind::Expr(_)) && ast.text(*it) == asked)
        .map(|it| ast.span(it))
        .collect();
    nodes.sort_by_key(|it| std::cmp::Reverse(it.start));
    nodes.dedup();
    for it in nodes {
        let start = it.start.checked_sub(span.start)? as usize;
        text.replace_range(start..start + asked.len(), name);
    }
    let other = none.map_or("()", |it| ast.text(it.node()));
    let is_own = |other: &Diagnostic| {
        other.code == Code::E2001
            && ast.subtree(some.node()).contains(&other.node.0)
            && ast.text(other.node) == asked
    };
    let all = scene.module.diagnostics.iter().enumerate().filter(|it| is_own(it.1));
    let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
    (all.first() == Some(&target)).then_some(())?;
    let new = format!("match {asked} {{ Some({name}) -> {text}, None -> {other} }}");
    Some(
        Candidate::new(scene, target, format!("take the value out of `{asked}` with `match`"))
            .because("asking whether it is there does not change its type; a `match` takes it out")
            .confidence(Confidence::High)
            .also_for(all)
            .op(scene.replace(whole, source(&new)))
            .idiom(),
    )
}
