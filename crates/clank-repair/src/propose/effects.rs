//! Effects that are not declared (E4001, E4002, E4003).
//!
//! A function that lacks effects gets all of them at once, and so do the functions that use it, as far as they then lack
//! them too (row 48).

use std::collections::{BTreeMap, BTreeSet};

use check::{Confidence, RepairKind, Safety};
use clank::body::Resolution;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::ty::Effects;
use clank::{Checked, CheckedModule};
use clank_syntax::ast::{
    AstKind, Decl, DeclId, Expr, ExprId, Name, NodeId, Stmt, StmtId, Type, TypeId,
};
use clank_syntax::patch::PatchOp;
use serde_json::{Value as Json, json};

use super::{Candidate, RepairContext, names_fact};
use crate::FindingId;

/// More functions than this are not named in a title.
const MAX_NAMED: usize = 3;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = match it.code {
        Code::E4003 => widen_type(scene, it, target),
        _ => widen_function(scene, it, target),
    };
    found.into_iter().collect()
}

/// All effects that the function around a diagnostic lacks, for all diagnostics that say so.
fn widen_function(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let decl = scene.declaration(it.node)?;
    let Decl::Fn(function) = scene.ast().decl(decl) else { return None };
    if !scene.ast().subtree(function.body).contains(&it.node.0) {
        return None;
    }
    if it.code == Code::E4002 && is_in_lambda(scene, it.node) {
        return None;
    }
    let nodes = scene.ast().subtree(decl);
    let mut missing = Effects::PURE;
    let mut targets = vec![target];
    for (index, other) in scene.module.diagnostics.iter().enumerate() {
        let is_about_it =
            matches!(other.code, Code::E4001 | Code::E4002) && nodes.contains(&other.node.0);
        if !is_about_it || is_undecided(scene, other) {
            continue;
        }
        if FindingId::Diagnostic(index) < target {
            return None; // There is one repair for all of them, and it was made for the first.
        }
        missing = missing.and(missing_effects(other));
        targets.push(FindingId::Diagnostic(index));
    }
    if missing.is_pure() {
        return None;
    }
    let widened = with_users(scene, (scene.module.file.clone(), decl), missing);
    let own = scene.module.file.clone();
    let mut edits = vec![(own.clone(), Vec::new())];
    let mut users = BTreeSet::new();
    for ((file, fn_decl), effects) in &widened {
        let module = scene.checked.module(file)?;
        if (file, *fn_decl) != (&own, decl)
            && let Decl::Fn(it) = module.ast.decl(*fn_decl)
        {
            users.insert(it.name.clone());
        }
        let op = PatchOp::WidenEffect {
            fn_id: module.ast.ids().id(*fn_decl),
            add_effects: effects.names().map(Name::new_static).collect(),
        };
        match edits.iter_mut().find(|it| it.0 == *file) {
            Some((_, ops)) => ops.push(op),
            None => edits.push((file.clone(), vec![op])),
        }
    }
    let names: Vec<String> = missing.names().map(|it| format!("`{it}`")).collect();
    let effect = if names.len() == 1 { "effect" } else { "effects" };
    let names = names.join(" and ");
    let title = format!("add the {effect} {names} to `{}`{}", function.name, and_users(&users));
    let why =
        format!("the body of `{}` has the {effect} {names}, which it must declare", function.name);
    let candidate = Candidate::new(scene, target, title)
        .because(why)
        .confidence(Confidence::Medium)
        .safety(Safety::LikelyPreserving)
        .also_for(targets);
    Some(Candidate { edits, ..candidate })
}

/// What the functions that use a function lack if it has these effects too, by file.
pub(super) fn of_users(
    scene: RepairContext<'_>,
    decl: DeclId,
    effects: &[Name],
) -> Vec<(Name, PatchOp)> {
    let own = (scene.module.file.clone(), decl);
    let missing =
        effects.iter().filter_map(|it| Effects::from_name(it)).fold(Effects::PURE, Effects::and);
    let widened = with_users(scene, own.clone(), missing);
    let op = |((file, decl), effects): (FunctionRef, Effects)| {
        let module = scene.checked.module(&file)?;
        let op = PatchOp::WidenEffect {
            fn_id: module.ast.ids().id(decl),
            add_effects: effects.names().map(Name::new_static).collect(),
        };
        Some((file, op))
    };
    widened.into_iter().filter(|it| it.0 != own).filter_map(op).collect()
}

/// Whether a diagnostic is about a lambda or a predicate, which declare nothing.
fn is_undecided(scene: RepairContext<'_>, it: &Diagnostic) -> bool {
    let decl = scene.declaration(it.node).map(|it| scene.ast().decl(it));
    let Some(Decl::Fn(function)) = decl else { return true };
    let is_in_body = scene.ast().subtree(function.body).contains(&it.node.0);
    !is_in_body || (it.code == Code::E4002 && is_in_lambda(scene, it.node))
}

fn missing_effects(it: &Diagnostic) -> Effects {
    let names = match it.code {
        Code::E4002 => vec![Name::new_static("Err")],
        _ => names_fact(it, "effects"),
    };
    names.iter().filter_map(|it| Effects::from_name(it)).fold(Effects::PURE, Effects::and)
}

fn and_users(users: &BTreeSet<Name>) -> String {
    if users.is_empty() {
        return String::new();
    }
    if users.len() > MAX_NAMED {
        return format!(" and the {} functions that use it", users.len());
    }
    let names: Vec<String> = users.iter().map(|it| format!("`{it}`")).collect();
    format!(
        " and to {}, which {} it",
        names.join(" and "),
        if names.len() == 1 { "uses" } else { "use" }
    )
}

fn is_in_lambda(scene: RepairContext<'_>, node: NodeId) -> bool {
    let mut next = scene.parent(node);
    while let Some(node) = next {
        if let AstKind::Expr(Expr::Lambda { .. }) = scene.ast().node(node).kind {
            return true;
        }
        next = scene.parent(node);
    }
    false
}

/// Where a function is: its file and its declaration.
type FunctionRef = (Name, DeclId);

/// The effects that a function and those that use it, directly or not, lack if it has more of them.
fn with_users(
    scene: RepairContext<'_>,
    start: FunctionRef,
    missing: Effects,
) -> BTreeMap<FunctionRef, Effects> {
    let checked = scene.checked;
    let mut all = BTreeMap::from([(start.clone(), missing)]);
    let users = scene.users.get_or_init(|| Users::new(checked));
    let mut waiting = vec![(start, missing)];
    while let Some((place, added)) = waiting.pop() {
        for (user, is_caught) in users.of(checked, &place) {
            let Some(declared) = declared(checked, user) else { continue };
            let caught = if *is_caught { Effects::ERR } else { Effects::PURE };
            let lacks = added.without(caught).without(declared);
            let known = all.get(user).copied().unwrap_or(Effects::PURE);
            let more = lacks.without(known);
            if !more.is_pure() {
                all.insert(user.clone(), known.and(more));
                waiting.push((user.clone(), more));
            }
        }
    }
    all
}

fn declared(checked: &Checked, (file, decl): &FunctionRef) -> Option<Effects> {
    checked.module(file)?.env.signature(*decl).map(|it| it.effects)
}

/// Which functions mention a function, and whether each mention is where an error is caught.
#[derive(Debug)]
pub(crate) struct Users(BTreeMap<(Name, Name), Vec<(FunctionRef, bool)>>);

impl Users {
    fn new(checked: &Checked) -> Users {
        let mut all: BTreeMap<(Name, Name), Vec<(FunctionRef, bool)>> = BTreeMap::new();
        for module in &checked.modules {
            let parents = module.ast.parents();
            for (decl, body) in &module.bodies {
                let view = body.view();
                for (node, resolution) in &view.body.resolutions {
                    let Resolution::Fn { module: file, name } = resolution else { continue };
                    let is_caught = is_caught(module, &parents, view.local(*node));
                    let place = (module.file.clone(), *decl);
                    all.entry((file.clone(), name.clone())).or_default().push((place, is_caught));
                }
            }
        }
        Users(all)
    }

    fn of(&self, checked: &Checked, (file, decl): &FunctionRef) -> &[(FunctionRef, bool)] {
        let module = checked.module(file);
        let Some(Decl::Fn(it)) = module.map(|it| it.ast.decl(*decl)) else { return &[] };
        self.0.get(&(file.clone(), it.name.clone())).map_or(&[], Vec::as_slice)
    }
}

/// Whether a function is called in what `try` is given.
fn is_caught(module: &CheckedModule, parents: &[Option<NodeId>], node: NodeId) -> bool {
    let mut next = parents[node.index()];
    while let Some(node) = next {
        if let AstKind::Expr(Expr::Call { callee, .. }) = &module.ast.node(node).kind
            && let Expr::Ident { name } = module.ast.expr(*callee)
            && name == "try"
        {
            return true;
        }
        next = parents[node.index()];
    }
    false
}

/// The effects stated in the function type that is written where the function goes: the annotation of a `let`, or the
/// result of the function around.
fn widen_type(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let effects = missing_effects(it);
    if effects.is_pure() {
        return None;
    }
    let result = expected_result(scene, it.node)?;
    let names: Vec<&str> = effects.names().collect();
    let mut all: Vec<Json> = Vec::new();
    let inner = match scene.ast().ty(result) {
        Type::Effect { effects, result } => {
            all.extend(effects.iter().map(|it| scene.kept(*it)));
            *result
        }
        _ => result,
    };
    all.extend(names.iter().map(|it| json!({ "kind": "named", "name": it })));
    let new = json!({ "kind": "effect", "effects": all, "resultType": scene.kept(inner) });
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    let effect = if names.len() == 1 { "effect" } else { "effects" };
    let title = format!("add the {effect} {} to the expected type", quoted.join(" and "));
    Some(
        Candidate::new(scene, target, title)
            .because("the function that is passed there has more effects than the expected type")
            .safety(Safety::LikelyPreserving)
            .kind(RepairKind::LocalFix)
            .op(scene.replace(result, new)),
    )
}

/// The result in the function type that is written for a value.
fn expected_result(scene: RepairContext<'_>, node: NodeId) -> Option<TypeId> {
    let ast = scene.ast();
    let expr = ExprId::of(ast, node)?;
    let mut child = expr.node();
    while let Some(parent) = scene.parent(child) {
        let written = match &ast.node(parent).kind {
            AstKind::Stmt(Stmt::Let { ty, init, .. }) if init.node() == child => (*ty)?,
            AstKind::Stmt(Stmt::Return { .. }) => result_of(scene, parent)?,
            AstKind::Decl(it) => match &**it {
                Decl::Fn(it) if it.body.node() == child => it.return_type,
                _ => return None,
            },
            AstKind::Expr(Expr::Block { expr: Some(it), .. }) if it.node() == child => {
                child = parent;
                continue;
            }
            _ => return None,
        };
        return match ast.ty(written) {
            Type::Function { result, .. } => Some(*result),
            _ => None,
        };
    }
    None
}

/// What the function around a `return` gives; nothing in a lambda.
fn result_of(scene: RepairContext<'_>, statement: NodeId) -> Option<TypeId> {
    StmtId::of(scene.ast(), statement)?;
    if is_in_lambda(scene, statement) {
        return None;
    }
    match scene.ast().decl(scene.declaration(statement)?) {
        Decl::Fn(it) => Some(it.return_type),
        _ => None,
    }
}
