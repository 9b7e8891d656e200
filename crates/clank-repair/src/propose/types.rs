//! E2001, E2016: values of another type than the one that is needed.
//!
//! In the order in which they are tried: a literal of the wrong kind, here or where it comes from; a conversion; another
//! value in scope; another annotation.

mod annotations;
mod blocks;
mod literals;

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{TypeBody, TypeEntry};
use clank::similar::{distance, similar};
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, NodeId, Stmt};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::json;

pub(super) use self::literals::{converted, placeholder};
use super::make::{call, ident, source};
use super::scope::{binder_of, let_of, locals};
use super::{Candidate, RepairContext, text_fact};
use crate::FindingId;

/// What is needed at an expression, and what is there.
struct Mismatch {
    target: FindingId,
    expr: ExprId,
    expected: String,
    actual: String,
}

impl Mismatch {
    fn wanted(&self) -> Option<Prim> {
        prim_named(&self.expected)
    }

    fn found(&self) -> Option<Prim> {
        prim_named(&self.actual)
    }
}

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let Some(expr) = scene.expr(it.node) else { return Vec::new() };
    let (Some(expected), Some(actual)) = (text_fact(it, "expected"), text_fact(it, "actual"))
    else {
        return Vec::new();
    };
    let mut expected = expected.to_owned();
    let mut found = Vec::new();
    if it.code == Code::E2016 {
        found = joins(scene, target, expr);
        expected = needed_operand(scene, expr, &expected).unwrap_or(expected);
    }
    let it = Mismatch { target, expr, expected, actual: actual.to_owned() };
    if let Expr::Block { .. } = scene.ast().expr(expr) {
        return blocks::without_value(scene, &it);
    }
    found.extend(literals_changed(scene, &it));
    let is_sure = |it: &Candidate| it.confidence == Confidence::High;
    if literals::literal_at(scene, it.expr).is_none() || !found.iter().any(is_sure) {
        found.extend(conversions(scene, &it, found.is_empty()));
    }
    // What fits elsewhere in the call is in the wrong place, and not of the wrong type.
    if is_one_of_several(scene, it.expr) && super::idioms::typed::fits_elsewhere(scene, it.expr) {
        found.iter_mut().for_each(|it| it.confidence = Confidence::Low);
    }
    if it.expected == "Unit" {
        found.extend(super::idioms::typed::assigned(scene, target, it.expr));
    }
    found.extend(other_values(scene, &it));
    found.extend(blocks::around(scene, &it));
    found.extend(annotations::changed(scene, &it));
    found
}

/// The primitive that a type is, but for its predicate.
pub(super) fn prim_named(ty: &str) -> Option<Prim> {
    let base = ty.split('{').next()?;
    Prim::ALL.into_iter().find(|it| it.name() == base)
}

/// The type that the other operand asks for.
fn needed_operand(scene: RepairContext<'_>, expr: ExprId, expected: &str) -> Option<String> {
    let other = other_operand(scene, expr).and_then(|(_, other)| {
        let ty = scene.view(expr)?.ty(other).base().to_string();
        prim_named(&ty).filter(|it| it.is_integer() || *it == Prim::Float)
    });
    let prim = match (expected, other) {
        ("integer", Some(Prim::Float)) | ("integer", None) => Prim::Int,
        (_, Some(Prim::Nat)) => Prim::Int,
        (_, Some(prim)) => prim,
        ("numeric", None) => Prim::Int,
        _ => return None,
    };
    Some(prim.name().to_owned())
}

/// The operation that an expression is an operand of, and the other operand.
fn other_operand(scene: RepairContext<'_>, expr: ExprId) -> Option<(ExprId, ExprId)> {
    let parent = scene.expr(scene.parent(expr)?)?;
    match scene.ast().expr(parent) {
        Expr::Binary { left, right, .. } if *left == expr => Some((parent, *right)),
        Expr::Binary { left, right, .. } if *right == expr => Some((parent, *left)),
        _ => None,
    }
}

/// `+` on texts or arrays: `++` joins them.
fn joins(scene: RepairContext<'_>, target: FindingId, expr: ExprId) -> Vec<Candidate> {
    let joined = || {
        let (parent, _) = other_operand(scene, expr)?;
        let Expr::Binary { op: BinaryOp::Add, left, right } = scene.ast().expr(parent) else {
            return None;
        };
        let view = scene.view(expr)?;
        let (l, r) = (view.ty(*left).base(), view.ty(*right).base());
        let side = |side: &ExprId, ty: &Ty, other: &Ty| match (ty, other) {
            (Ty::Prim(Prim::Str), _) | (Ty::Array(_), Ty::Array(_)) => Some(scene.kept(*side)),
            (Ty::Prim(_), Ty::Prim(Prim::Str)) => {
                Some(call(ident("to_string"), vec![scene.kept(*side)]))
            }
            _ => None,
        };
        let (left, right) = (side(left, l, r)?, side(right, r, l)?);
        let title = "join with `++`";
        let candidate = Candidate::new(scene, target, title)
            .confidence(Confidence::High)
            .because("`+` adds numbers; `++` joins strings and arrays");
        let both = scene.module.diagnostics.iter().enumerate().filter(|(_, it)| {
            it.code == Code::E2016 && scene.parent(it.node) == Some(parent.node())
        });
        let both: Vec<FindingId> = both.map(|it| FindingId::Diagnostic(it.0)).collect();
        let is_first = both.first() == Some(&target);
        let new = json!({ "kind": "binary", "op": "++", "left": left, "right": right });
        is_first.then(|| candidate.also_for(both).op(scene.replace(parent, new)))
    };
    joined().into_iter().collect()
}

/// The literal itself, the one that the name was bound to, or those beside it that made another type expected.
fn literals_changed(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(wanted) = it.wanted() {
        let own = literals::literal_at(scene, it.expr);
        let bound = literals::bound_literal(scene, it.expr);
        for (place, literal) in own.into_iter().chain(bound) {
            found.extend(literal_changed(scene, it.target, place, literal, wanted));
        }
    }
    if let Some(actual) = it.found() {
        for beside in beside(scene, it.expr) {
            let literal =
                literals::literal_at(scene, beside).or(literals::bound_literal(scene, beside));
            let Some((place, literal)) = literal else { continue };
            if Some(literals::prim_of(literal)) != it.wanted() {
                continue;
            }
            let changed = literal_changed(scene, it.target, place, literal, actual);
            found.extend(changed.filter(|it| it.confidence == Confidence::High));
        }
    }
    found
}

fn literal_changed(
    scene: RepairContext<'_>,
    target: FindingId,
    place: ExprId,
    literal: &clank_syntax::ast::Literal,
    wanted: Prim,
) -> Option<Candidate> {
    let converted = converted(literal, wanted)?;
    let written = clank::resolve::one_line(scene.ast(), place);
    if written == converted.text {
        return None;
    }
    Some(
        Candidate::new(scene, target, format!("write `{}`", converted.text))
            .confidence(converted.confidence)
            .because(format!("`{written}` is not a `{}`", wanted.name()))
            .op(scene.replace(place, source(&converted.text))),
    )
}

/// How many expressions beside one are looked at.
const MAX_BESIDE: usize = 8;

/// The expressions whose type decides what is expected of this one: the other operand, branches, arms, elements.
fn beside(scene: RepairContext<'_>, expr: ExprId) -> Vec<ExprId> {
    let ast = scene.ast();
    let mut at = expr.node();
    let mut found = Vec::new();
    while let Some(parent) = scene.parent(at) {
        match &ast.node(parent).kind {
            AstKind::Expr(Expr::Block { expr: Some(last), .. }) if last.node() == at => {}
            AstKind::Expr(Expr::Binary { op, left, right }) => {
                let is_pair = !matches!(op, BinaryOp::Pipe | BinaryOp::And | BinaryOp::Or);
                if is_pair {
                    let other = if left.node() == at { *right } else { *left };
                    found.push(other);
                }
                break;
            }
            AstKind::Expr(Expr::If { then_branch, else_branch, condition }) => {
                if condition.node() != at {
                    let branches = std::iter::once(*then_branch).chain(*else_branch);
                    found.extend(branches.filter(|it| it.node() != at).map(|it| tail(scene, it)));
                }
                break;
            }
            AstKind::Arm(_) => {
                let Some(AstKind::Expr(Expr::Match { arms, .. })) =
                    scene.parent(parent).map(|it| &ast.node(it).kind)
                else {
                    break;
                };
                let others = arms.iter().filter(|it| it.node() != parent);
                found.extend(others.take(MAX_BESIDE).map(|it| tail(scene, ast.arm(*it).body)));
                break;
            }
            AstKind::Expr(Expr::Array { elements }) => {
                let others = elements.iter().filter(|it| it.node() != at);
                found.extend(others.take(MAX_BESIDE).copied());
                break;
            }
            _ => break,
        }
        at = parent;
    }
    found
}

/// The expression that gives a block its value.
fn tail(scene: RepairContext<'_>, mut expr: ExprId) -> ExprId {
    while let Expr::Block { expr: Some(last), .. } = scene.ast().expr(expr) {
        expr = *last;
    }
    expr
}

/// Functions and constructors that make the expected type of what is there.
fn conversions(scene: RepairContext<'_>, it: &Mismatch, is_first: bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut add = |function: &str, confidence: Confidence| {
        let confidence = if is_first { confidence } else { confidence.max(Confidence::Medium) };
        let title = format!("convert to `{}` with `{function}`", it.expected);
        found.push(
            Candidate::new(scene, it.target, title)
                .confidence(confidence)
                .because(format!("expected `{}`, found `{}`", it.expected, it.actual))
                .op(scene.wrap_in_call(it.expr, function)),
        );
    };
    if let Some((function, confidence)) = conversion(it) {
        let is_doubtful = function == "int_to_float" && is_divided(scene, it.expr);
        add(function, if is_doubtful { confidence.max(Confidence::Medium) } else { confidence });
    }
    if let Some(inner) = arguments(&it.expected, "Option")
        && inner == it.actual
    {
        add("Some", Confidence::High);
    }
    if let Some(inner) = arguments(&it.expected, "Result") {
        if inner.starts_with(&format!("{}, ", it.actual)) {
            add("Ok", Confidence::High);
        }
        if inner.ends_with(&format!(", {}", it.actual)) {
            add("Err", Confidence::Medium);
        }
    }
    let failing = arguments(&it.actual, "Option").or(arguments(&it.actual, "Result"));
    let is_inner = failing.is_some_and(|inner| {
        inner == it.expected || inner.starts_with(&format!("{}, ", it.expected))
    });
    if is_inner {
        let wrapper = json!({ "kind": "propagate", "expr": { "kind": "hole", "ref": "value" } });
        found.push(
            Candidate::new(scene, it.target, "pass a failure on with `?`")
                .because(format!("`?` takes the `{}` out of `{}`", it.expected, it.actual))
                .op(PatchOp::Wrap {
                    node_id: scene.id(it.expr),
                    wrapper: Payload(wrapper),
                    hole_ref: "value".into(),
                }),
        );
    }
    found
}

/// Whether integers are divided to make a value, here or where it is bound: what is cut off there does not come back when
/// the result is converted, so the operands may be what should be.
fn is_divided(scene: RepairContext<'_>, expr: ExprId) -> bool {
    let ast = scene.ast();
    let divides = |node: NodeId| {
        ast.subtree(node).map(NodeId).any(|node| {
            matches!(ast.node(node).kind, AstKind::Expr(Expr::Binary { op: BinaryOp::Div, .. }))
        })
    };
    let bound = || {
        let statement = let_of(scene, binder_of(scene, expr)?)?;
        match ast.stmt(statement) {
            Stmt::Let { init, .. } => Some(init.node()),
            _ => None,
        }
    };
    divides(expr.node()) || bound().is_some_and(divides)
}

fn conversion(it: &Mismatch) -> Option<(&'static str, Confidence)> {
    let wanted = it.wanted()?;
    let found = it.found();
    Some(match (wanted, found) {
        (Prim::Float, Some(Prim::Int | Prim::Nat)) => ("int_to_float", Confidence::High),
        (Prim::Int | Prim::Nat, Some(Prim::Float)) => ("float_to_int", Confidence::Medium),
        (Prim::Int | Prim::Nat, Some(Prim::Int32 | Prim::Int64)) => ("to_int", Confidence::High),
        (Prim::Int32, Some(found)) if found.is_integer() => ("to_int32", Confidence::Medium),
        (Prim::Int64, Some(found)) if found.is_integer() => ("to_int64", Confidence::Medium),
        (Prim::Str, Some(Prim::Unit)) => return None,
        (Prim::Str, Some(_)) => ("to_string", Confidence::Medium),
        // What may be missing is hardly meant to be written as `Some(…)`.
        (Prim::Str, None)
            if it.actual.starts_with("Option[") || it.actual.starts_with("Result[") =>
        {
            ("to_string", Confidence::Low)
        }
        (Prim::Str, None) if !it.actual.contains("->") => ("to_string", Confidence::Medium),
        _ => return None,
    })
}

/// What stands between the brackets of `name[…]`.
fn arguments<'t>(ty: &'t str, name: &str) -> Option<&'t str> {
    ty.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')
}

/// How many values of the expected type are offered.
const MAX_VALUES: usize = 3;

/// Another local or field of the expected type: those with a similar name first.
fn other_values(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let named = named_record(scene, it);
    if !named.is_empty() {
        return named;
    }
    values_in_scope(scene, it)
}

/// Whether several arguments of a call do not fit: then it is their order that is wrong, not what they are.
fn is_one_of_several(scene: RepairContext<'_>, expr: ExprId) -> bool {
    let Some(call) = scene.parent(expr) else { return false };
    let is_argument = |it: &&Diagnostic| {
        it.code == Code::E2001 && it.node != call && scene.parent(it.node) == Some(call)
    };
    matches!(scene.ast().node(call).kind, AstKind::Expr(Expr::Call { .. }))
        && scene.module.diagnostics.iter().filter(is_argument).count() > 1
}

/// `{ x: 1, y: 2 }` where a record with these fields is needed: its name is missing.
fn named_record(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    let Expr::Record { fields, .. } = scene.ast().expr(it.expr) else { return Vec::new() };
    let def = match scene.module.env.types.get(it.expected.as_str()) {
        Some(TypeEntry::Def(def)) => def,
        _ => return Vec::new(),
    };
    let TypeBody::Record(declared) = &def.shape else { return Vec::new() };
    let is_declared =
        |field: &_| declared.iter().any(|it| it.0 == scene.ast().field_init(*field).name);
    if fields.len() != declared.len() || !fields.iter().all(is_declared) {
        return Vec::new();
    }
    let text = format!("{} {}", it.expected, scene.ast().text(it.expr.node()));
    vec![
        Candidate::new(scene, it.target, format!("make it a `{}`", it.expected))
            .confidence(Confidence::High)
            .because(format!("it has the fields of `{}`", it.expected))
            .op(scene.replace(it.expr, source(&text))),
    ]
}

fn values_in_scope(scene: RepairContext<'_>, it: &Mismatch) -> Vec<Candidate> {
    match scene.ast().expr(it.expr) {
        Expr::Ident { name } => {
            let mut fitting: Vec<_> = locals(scene, it.expr.node())
                .into_iter()
                .filter(|local| local.name != *name && is_type(&local.ty, &it.expected))
                .collect();
            // Sorting is stable: the innermost of those that are not similar come first.
            fitting.sort_by_key(|local| distance(name, &local.name).unwrap_or(usize::MAX));
            let make = |local: super::scope::LocalBinding| {
                let is_similar = distance(name, &local.name).is_some();
                let confidence = match is_similar && !is_one_of_several(scene, it.expr) {
                    true => Confidence::Medium,
                    false => Confidence::Low,
                };
                let title = format!("use `{}` instead of `{name}`", local.name);
                Candidate::new(scene, it.target, title)
                    .confidence(confidence)
                    .because(format!("`{}` is a `{}`", local.name, it.expected))
                    .op(scene.rename(it.expr, name, &local.name))
            };
            fitting.into_iter().take(MAX_VALUES).map(make).collect()
        }
        Expr::Field { object, field } => {
            let Some(view) = scene.view(it.expr) else { return Vec::new() };
            let fields = clank::exhaust::fields_of(view.ty(*object), &scene.module.env);
            let fitting = fields.iter().filter(|it2| is_type(&it2.1, &it.expected));
            let names: Vec<_> = fitting.filter_map(|it| it.0.clone()).collect();
            let near = similar(field, names.iter().map(|it| (it.as_str(), true)));
            let make = |near: clank_syntax::ast::Name| {
                Candidate::new(scene, it.target, format!("use the field `{near}`"))
                    .because(format!("`{near}` is a `{}`", it.expected))
                    .op(scene.rename_field(it.expr, field, &near))
            };
            near.into_iter().map(make).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a type reads like that, but for predicates.
pub(super) fn is_type(ty: &Ty, wanted: &str) -> bool {
    let base = ty.base().to_string();
    match (prim_named(&base), prim_named(wanted)) {
        (Some(ty), Some(wanted)) => {
            ty == wanted || matches!((ty, wanted), (Prim::Nat, Prim::Int) | (Prim::Int, Prim::Nat))
        }
        _ => match (wanted.split_once('?'), wanted.rsplit_once('?')) {
            // What is not known fits.
            (Some((start, _)), Some((_, end))) => {
                !start.is_empty() && base.starts_with(start) && base.ends_with(end)
            }
            _ => base == wanted,
        },
    }
}

/// The node around an expression whose value it is, through blocks, branches and arms.
fn whose_value(scene: RepairContext<'_>, expr: ExprId) -> Option<(NodeId, NodeId)> {
    let ast = scene.ast();
    let mut at = expr.node();
    loop {
        let parent = scene.parent(at)?;
        let goes_on = match &ast.node(parent).kind {
            AstKind::Expr(Expr::Block { expr: Some(last), .. }) => last.node() == at,
            AstKind::Expr(Expr::If { condition, .. }) => condition.node() != at,
            AstKind::Expr(Expr::Match { scrutinee, .. }) => scrutinee.node() != at,
            AstKind::Arm(it) => it.body.node() == at,
            _ => false,
        };
        if !goes_on {
            return Some((parent, at));
        }
        at = parent;
    }
}
