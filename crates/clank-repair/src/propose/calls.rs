//! E2002, E2005, E2012: calls with the wrong number of arguments, calls of what is not a function, and `?` where nothing
//! can fail.

mod align;

use check::{Confidence, RepairKind};
use clank::body::{BodyView, Resolution};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{Env, Signature, TypeBody, Value};
use clank::resolve::substitute;
use clank::similar::similar;
use clank::ty::Ty;
use clank_syntax::ast::{BinaryOp, Expr, ExprId, Name, NodeId};
use serde_json::{Value as Json, json};

use self::align::{Alignment, Argument};
use super::fit::{Filling, FillingKind, fillings, name_at};
use super::make::call;
use super::{Candidate, RepairContext};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let Some(expr) = scene.expr(it.node) else { return Vec::new() };
    match it.code {
        Code::E2002 => arity(scene, target, expr),
        Code::E2005 => not_callable(scene, target, expr),
        _ => nothing_fails(scene, target, expr),
    }
}

/// A call as its callee and arguments; what is piped is the only argument.
fn parts(scene: RepairContext<'_>, expr: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
    match scene.ast().expr(expr) {
        Expr::Call { callee, args } => Some((*callee, args.to_vec())),
        Expr::Binary { op: BinaryOp::Pipe, left, right } => Some((*right, vec![*left])),
        _ => None,
    }
}

fn arity(scene: RepairContext<'_>, target: FindingId, expr: ExprId) -> Vec<Candidate> {
    let Some((callee, args)) = parts(scene, expr) else { return Vec::new() };
    let Some(view) = scene.view(expr) else { return Vec::new() };
    let Some(params) = parameters(scene, callee) else { return Vec::new() };
    let mut found: Vec<Candidate> =
        piped(scene, target, expr, callee, &args, &params).into_iter().collect();
    let ways = ways(scene, view, &args, &params);
    if args.len() < params.len() {
        found.extend(added(scene, target, expr, (callee, &args), &params, &ways));
    } else {
        let dropped = ways.iter().enumerate().map(|(place, way)| {
            let confidence = if place == 0 { Confidence::Medium } else { Confidence::Low };
            dropped(scene, target, expr, callee, &args, way).confidence(confidence)
        });
        found.extend(dropped);
    }
    found
}

/// The ways to give the arguments that are there to the parameters.
fn ways(
    scene: RepairContext<'_>,
    view: BodyView<'_>,
    args: &[ExprId],
    params: &[(Option<Name>, Ty)],
) -> Vec<Alignment> {
    let texts: Vec<String> =
        args.iter().map(|it| clank::resolve::one_line(scene.ast(), *it)).collect();
    let argument = |(index, arg): (usize, &ExprId)| Argument {
        ty: view.ty(*arg),
        name: name_at(scene, arg.node()),
        is_repeated: texts.iter().filter(|it| **it == texts[index]).count() > 1,
        is_literal: matches!(scene.ast().expr(*arg), Expr::Literal(_)),
    };
    let arguments: Vec<Argument<'_>> = args.iter().enumerate().map(argument).collect();
    align::align(&arguments, params)
}

/// Which argument of a call with one too many may be the one, the likeliest first.
pub(super) fn left_out(scene: RepairContext<'_>, expr: ExprId) -> Vec<usize> {
    let found = || {
        let (callee, args) = parts(scene, expr)?;
        let params = parameters(scene, callee)?;
        let ways = ways(scene, scene.view(expr)?, &args, &params);
        let out = |way: Alignment| (0..args.len()).find(|it| !way.0.contains(&Some(*it)));
        Some(ways.into_iter().filter_map(out).collect())
    };
    found().unwrap_or_default()
}

/// The signature of the function that a callee is.
pub(super) fn signature_of(scene: RepairContext<'_>, callee: ExprId) -> Option<&Signature> {
    signature_in(&scene.module.env, scene.view(callee)?.resolution(callee)?)
}

/// The signature of a function that a name means.
pub(crate) fn signature_in<'a>(env: &'a Env, meaning: &Resolution) -> Option<&'a Signature> {
    let value = match meaning {
        Resolution::Fn { module, name } | Resolution::External { module, name, .. } => {
            let own = || env.values.get(name);
            if *module == env.module { own() } else { env.member(module, name).or_else(own) }
        }
        Resolution::Builtin(name) => env.values.get(name),
        _ => None,
    };
    match value? {
        Value::Fn { signature, .. }
        | Value::External { signature, .. }
        | Value::Builtin { signature, .. } => Some(signature),
        _ => None,
    }
}

/// The types of what a callee takes. What a type parameter stands for is not known.
pub(super) fn parameters_of(scene: RepairContext<'_>, callee: ExprId) -> Option<Vec<Ty>> {
    Some(parameters(scene, callee)?.into_iter().map(|it| it.1).collect())
}

/// The names of what a callee takes.
pub(super) fn parameter_names(
    scene: RepairContext<'_>,
    callee: ExprId,
) -> Option<Vec<Option<Name>>> {
    Some(parameters(scene, callee)?.into_iter().map(|it| it.0).collect())
}

/// The names and types of what a callee takes. What a type parameter stands for is not known.
fn parameters(scene: RepairContext<'_>, callee: ExprId) -> Option<Vec<(Option<Name>, Ty)>> {
    let env = &scene.module.env;
    let view = scene.view(callee)?;
    let open = |type_params: &[Name], fields: &mut dyn Iterator<Item = (Option<&Name>, &Ty)>| {
        let unknown = vec![Ty::Error; type_params.len()];
        let field = |(name, ty): (Option<&Name>, &Ty)| {
            (name.cloned(), substitute(ty, type_params, &unknown))
        };
        Some(fields.map(field).collect())
    };
    match view.resolution(callee) {
        Some(Resolution::Record { ty }) => {
            let def = env.def(ty)?;
            let TypeBody::Record(fields) = &def.shape else { return None };
            return open(&def.params, &mut fields.iter().map(|it| (Some(&it.0), &it.1)));
        }
        Some(Resolution::Variant { ty, variant }) => {
            let def = env.def(ty)?;
            let TypeBody::Sum(variants) = &def.shape else { return None };
            let fields = &variants.get(*variant as usize)?.fields;
            return open(&def.params, &mut fields.iter().map(|it| (it.0.as_ref(), &it.1)));
        }
        _ => {}
    }
    match signature_of(scene, callee) {
        Some(signature) => {
            let params = signature.params.iter();
            open(&signature.type_params, &mut params.map(|it| (Some(&it.0), &it.1)))
        }
        None => match view.ty(callee).base() {
            Ty::Fn(it) => Some(it.params.iter().map(|it| (None, it.clone())).collect()),
            _ => None,
        },
    }
}

/// `x |> f(y)` for `f(x, y)`.
fn piped(
    scene: RepairContext<'_>,
    target: FindingId,
    expr: ExprId,
    callee: ExprId,
    args: &[ExprId],
    params: &[(Option<Name>, Ty)],
) -> Option<Candidate> {
    let pipe = scene.expr(scene.parent(expr)?)?;
    let Expr::Binary { op: BinaryOp::Pipe, left, right } = scene.ast().expr(pipe) else {
        return None;
    };
    if *right != expr || params.len() != args.len() + 1 {
        return None;
    }
    let mut all = vec![scene.kept(*left)];
    all.extend(scene.all_kept(args));
    let what = clank::resolve::one_line(scene.ast(), callee);
    Some(
        Candidate::new(
            scene,
            target,
            format!("pass what is piped as the first argument of `{what}`"),
        )
        .because("a pipe passes its value to a function of one argument")
        .op(scene.replace(pipe, call(scene.kept(callee), all))),
    )
}

/// How many ways to fill in arguments are offered.
const MAX_WAYS: usize = 6;

/// One way to fill in what is missing: why, which alignment, the arguments, and what was added.
type Filled = (FillingKind, usize, Vec<Json>, Vec<String>);

/// The ways to fill in what is missing in a call, for each alignment.
fn filled_in(
    scene: RepairContext<'_>,
    expr: ExprId,
    args: &[ExprId],
    params: &[(Option<Name>, Ty)],
    ways: &[Alignment],
) -> Vec<Filled> {
    let texts: Vec<String> =
        args.iter().map(|it| clank::resolve::one_line(scene.ast(), *it)).collect();
    let mut options: Vec<Filled> = Vec::new();
    for (place, way) in ways.iter().enumerate() {
        let filled: Vec<Vec<Filling>> = params
            .iter()
            .zip(&way.0)
            .map(|((name, ty), given)| match given {
                Some(_) => Vec::new(),
                None => {
                    let mut all = fillings(scene, expr.node(), name.as_ref(), ty);
                    // What is given already is hardly given twice; a placeholder is nothing that was meant.
                    let is_guess = |it: &Filling| {
                        !matches!(
                            it.kind,
                            FillingKind::Unused | FillingKind::SameName | FillingKind::Placeholder
                        )
                    };
                    let is_given = |it: &Filling| is_guess(it) && texts.contains(&it.text);
                    all.retain(|it| !is_given(it));
                    all
                }
            })
            .collect();
        let mut choices = vec![fill(scene, args, way, &filled, |it| it.first())];
        if way.0.iter().filter(|it| it.is_none()).count() == 1 {
            let n_more = filled.iter().map(Vec::len).max().unwrap_or(0);
            choices.extend((1..n_more).map(|n| fill(scene, args, way, &filled, |it| it.get(n))));
        } else {
            choices.push(fill(scene, args, way, &filled, |it| it.last()));
        }
        for (kind, nodes, texts) in choices.into_iter().flatten() {
            options.push((kind, place, nodes, texts));
        }
    }
    options
}

/// The call with what is missing, where the types say that it is missing.
fn added(
    scene: RepairContext<'_>,
    target: FindingId,
    expr: ExprId,
    (callee, args): (ExprId, &[ExprId]),
    params: &[(Option<Name>, Ty)],
    ways: &[Alignment],
) -> Vec<Candidate> {
    let mut options = filled_in(scene, expr, args, params, ways);
    // Placeholders differ only in where they stand: the best place is enough.
    let best = options.iter().filter(|it| it.0 == FillingKind::Placeholder).map(|it| it.1).min();
    options.retain(|it| it.0 != FillingKind::Placeholder || Some(it.1) == best);
    options.sort_by_key(|it| (it.0, it.1));
    options.dedup_by(|a, b| a.2 == b.2);
    options.truncate(MAX_WAYS);
    let best = options.first().map(|it| it.2.clone());
    let what = clank::resolve::one_line(scene.ast(), callee);
    let make = |(kind, _, nodes, texts): Filled| {
        let shown = texts.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" and ");
        let words = if texts.len() == 1 { "argument" } else { "arguments" };
        let (title, reason, change) = match kind {
            FillingKind::Placeholder => (
                format!("add the placeholder {words} {shown} to the call of `{what}`"),
                format!(
                    "`{what}` takes {} arguments; what is added is only a placeholder",
                    params.len()
                ),
                RepairKind::SemanticsChange,
            ),
            _ => (
                format!("add the {words} {shown} to the call of `{what}`"),
                format!(
                    "`{what}` takes {} arguments, and {shown} fits what is missing",
                    params.len()
                ),
                RepairKind::LocalFix,
            ),
        };
        let is_best = best.as_ref() == Some(&nodes) || kind == FillingKind::Placeholder;
        Candidate::new(scene, target, title)
            .confidence(if is_best { Confidence::Medium } else { Confidence::Low })
            .kind(change)
            .because(reason)
            .op(scene.replace(expr, call(scene.kept(callee), nodes)))
    };
    options.into_iter().map(make).collect()
}

/// The arguments of a call with one filling for each that is missing, the worst reason among them, and what was added.
fn fill<'f>(
    scene: RepairContext<'_>,
    args: &[ExprId],
    way: &Alignment,
    filled: &'f [Vec<Filling>],
    choose: impl Fn(&'f [Filling]) -> Option<&'f Filling>,
) -> Option<(FillingKind, Vec<Json>, Vec<String>)> {
    let (mut nodes, mut texts) = (Vec::new(), Vec::new());
    let mut kind = FillingKind::Unused;
    for (given, fillings) in way.0.iter().zip(filled) {
        match given {
            Some(index) => nodes.push(scene.kept(args[*index])),
            None => {
                let filling = choose(fillings)?;
                kind = kind.max(filling.kind);
                texts.push(filling.text.clone());
                nodes.push(filling.node.clone());
            }
        }
    }
    Some((kind, nodes, texts))
}

/// The call without what is too much.
fn dropped(
    scene: RepairContext<'_>,
    target: FindingId,
    expr: ExprId,
    callee: ExprId,
    args: &[ExprId],
    way: &Alignment,
) -> Candidate {
    let kept: Vec<ExprId> = way.0.iter().flatten().map(|it| args[*it]).collect();
    let gone: Vec<String> = args
        .iter()
        .filter(|it| !kept.contains(it))
        .map(|it| format!("`{}`", clank::resolve::one_line(scene.ast(), *it)))
        .collect();
    let words = if gone.len() == 1 { "argument" } else { "arguments" };
    let what = clank::resolve::one_line(scene.ast(), callee);
    let title = format!("remove the extra {words} {} of `{what}`", gone.join(" and "));
    Candidate::new(scene, target, title)
        .because(format!("`{what}` takes {}", kept.len()))
        .op(scene.replace(expr, call(scene.kept(callee), scene.all_kept(&kept))))
}

/// A call of a value: without arguments it is the value, with one on an array it is an element; or another name was
/// meant.
fn not_callable(scene: RepairContext<'_>, target: FindingId, expr: ExprId) -> Vec<Candidate> {
    let ast = scene.ast();
    let mut found = Vec::new();
    let Some((callee, args)) = parts(scene, expr) else { return found };
    let Some(view) = scene.view(expr) else { return found };
    let is_pipe = matches!(ast.expr(expr), Expr::Binary { .. });
    let what = clank::resolve::one_line(ast, callee);
    let ty = view.ty(callee);
    if args.is_empty() {
        found.push(
            Candidate::new(scene, target, format!("write `{what}` without `()`"))
                .confidence(Confidence::High)
                .because(format!("`{what}` is a `{ty}`, not a function"))
                .op(scene.replace(expr, scene.kept(callee))),
        );
    }
    if let (Ty::Array(_), [index], false) = (ty.base(), &args[..], is_pipe) {
        let new = json!({
            "kind": "index",
            "object": scene.kept(callee),
            "index": scene.kept(*index),
        });
        found.push(
            Candidate::new(scene, target, format!("index `{what}` with `[…]`"))
                .confidence(Confidence::High)
                .because(format!("`{what}` is an array"))
                .op(scene.replace(expr, new)),
        );
    }
    if let Expr::Ident { name } = ast.expr(callee) {
        let functions = callable(scene, args.len());
        let near = similar(name, functions.iter().map(|it| (it.as_str(), true)));
        found.extend(near.into_iter().map(|near| {
            Candidate::new(scene, target, format!("rename `{name}` to `{near}`"))
                .because(format!("`{name}` is not a function, but `{near}` is"))
                .op(scene.rename(callee, name, &near))
        }));
    }
    found
}

/// The global functions that take so many arguments, sorted.
pub(super) fn callable(scene: RepairContext<'_>, n_args: usize) -> Vec<Name> {
    let takes = |value: &Value| match value {
        Value::Fn { signature, .. }
        | Value::External { signature, .. }
        | Value::Builtin { signature, .. } => signature.params.len() == n_args,
        _ => false,
    };
    let values = scene.module.env.values.iter();
    let mut names: Vec<Name> = values.filter(|it| takes(it.1)).map(|it| it.0.clone()).collect();
    names.sort_unstable();
    names
}

/// `?` after what cannot fail.
fn nothing_fails(scene: RepairContext<'_>, target: FindingId, expr: ExprId) -> Vec<Candidate> {
    let Expr::Propagate { expr: inner } = scene.ast().expr(expr) else { return Vec::new() };
    let inner: NodeId = inner.node();
    vec![
        Candidate::new(scene, target, "remove the `?`")
            .confidence(Confidence::High)
            .because("the expression before it is neither an Option nor a Result")
            .op(scene.replace(expr, scene.kept(inner))),
    ]
}
