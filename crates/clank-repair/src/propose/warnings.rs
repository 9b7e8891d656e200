//! Names that nothing uses (W0001), imports that nothing uses (W0002), code that nothing reaches (W0003), names that hide
//! others (W0004).

use check::{Confidence, Safety};
use clank::body::Resolution;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::ast::{
    ArmId, AstKind, Decl, DeclId, Expr, ExprId, Literal, Name, NodeId, Pattern, PatternId, UseDecl,
};
use clank_syntax::patch::PatchOp;
use serde_json::{Value as Json, json};

use super::make::ident;
use super::{Candidate, RepairContext, names_fact, text_fact};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let found = match it.code {
        Code::W0001 => unused_name(scene, it, target),
        Code::W0002 => unused_import(scene, it, target),
        Code::W0003 => unreached(scene, it, target),
        Code::W0004 => another_name(scene, it, target),
        Code::W0007 => return dropped_value(scene, it, target),
        _ => None,
    };
    found.into_iter().collect()
}

/// A value that nobody uses is assigned to what it was made from, or bound to `_`. A text becomes a template.
fn dropped_value(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let Some(expr) = scene.expr(it.node) else { return Vec::new() };
    if super::fact(it, "interpolation").is_some() {
        let text = ast.text(expr.node());
        let Some(inner) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
            return Vec::new();
        };
        let new = format!("`{}`", inner.replace('`', "\\`"));
        return vec![
            Candidate::new(scene, target, "write the string as a template, in backticks")
                .because("`${…}` is read in templates only")
                .confidence(Confidence::High)
                .op(scene.replace(expr, super::make::source(&new))),
        ];
    }
    let mut found = super::idioms::typed::assigned(scene, target, expr);
    let bound = json!({
        "kind": "let",
        "pattern": { "kind": "wildcard" },
        "init": scene.kept(expr),
        "mutable": false,
    });
    if let Some(op) = super::idioms::typed::instead_of_statement(scene, expr, bound) {
        found.push(
            Candidate::new(scene, target, "bind the value: `let _ = …`")
                .because("it says that the value is not needed")
                .confidence(Confidence::Low)
                .safety(Safety::BehaviorPreserving)
                .op(op),
        );
    }
    found
}

/// `x` becomes `_x` where it is bound and wherever it is assigned.
fn unused_name(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let binder = it.node;
    let name = text_fact(it, "name")?;
    let is_meant = is_written_in_text(scene, binder, name) || covers_arms(scene, binder);
    // It is only assigned there, or it would be in use.
    let assigned = mentioned(scene, binder);
    let new_name = Name::from(format!("_{name}"));
    let is_taken = mentions(scene, binder, &new_name);
    let (op, shown) = match &ast.node(binder).kind {
        AstKind::FieldPattern(_) if !assigned.is_empty() => return None,
        AstKind::FieldPattern(_) => {
            let wildcard = json!({ "name": name, "pattern": { "kind": "wildcard" } });
            (scene.replace(binder, wildcard), format!("{name}: _"))
        }
        _ if is_taken && !assigned.is_empty() => return None,
        AstKind::Pattern(Pattern::Ident { .. }) if is_taken => {
            (scene.replace(binder, json!({ "kind": "wildcard" })), "_".to_owned())
        }
        AstKind::Pattern(Pattern::Ident { .. }) => {
            (scene.replace(binder, ident(&new_name)), new_name.to_string())
        }
        AstKind::LambdaParam(_) if !is_taken => {
            (scene.rename(binder, name, &new_name), new_name.to_string())
        }
        _ => return None,
    };
    let mut candidate = Candidate::new(scene, target, format!("rename `{name}` to `{shown}`"))
        .because(format!("`{name}` is never read"))
        .confidence(if is_meant { Confidence::Low } else { Confidence::High })
        .safety(Safety::BehaviorPreserving)
        .op(op);
    for node in assigned {
        candidate = candidate.op(scene.rename(node, name, &new_name));
    }
    Some(candidate)
}

/// Whether a string says `${name}` or `{name}`: it was to be put there.
fn is_written_in_text(scene: RepairContext<'_>, binder: NodeId, name: &str) -> bool {
    let ast = scene.ast();
    let Some(decl) = scene.declaration(binder) else { return false };
    let text = ast.text(decl.node());
    let is_in = |it: NodeId| match &ast.node(it).kind {
        AstKind::Expr(Expr::Literal(Literal::Str(_))) => {
            let text = ast.text(it);
            text.match_indices(name).any(|(at, _)| {
                let behind = text[at + name.len()..].chars().next();
                text[..at].ends_with('{') && behind.is_some_and(|it| "}.:[(+-*/ ".contains(it))
            })
        }
        _ => false,
    };
    text.contains(&format!("{{{name}")) && ast.subtree(decl).map(NodeId).any(is_in)
}

/// Whether a name that nothing reads is the pattern of an arm with others behind it, which it keeps from being reached: a
/// variant or `_` was meant.
fn covers_arms(scene: RepairContext<'_>, binder: NodeId) -> bool {
    let ast = scene.ast();
    let found = || {
        let arm = scene.parent(binder)?;
        let AstKind::Arm(_) = &ast.node(arm).kind else { return None };
        let whole = scene.expr(scene.parent(arm)?)?;
        let Expr::Match { arms, .. } = ast.expr(whole) else { return None };
        Some(arms.last()?.node() != arm)
    };
    found().unwrap_or(false)
}

/// The arm before one that is never reached, which takes every value by a name that nothing reads.
fn is_covered_by_name(scene: RepairContext<'_>, arm: NodeId) -> bool {
    let ast = scene.ast();
    let found = || {
        let whole = scene.expr(scene.parent(arm)?)?;
        let Expr::Match { arms, .. } = ast.expr(whole) else { return None };
        Some(arms.iter().take_while(|it| it.node() != arm).any(|it| {
            let pattern = ast.arm(*it).pattern;
            matches!(ast.pattern(pattern), Pattern::Ident { .. })
                && super::scope::n_uses(scene, pattern.node()) == 0
        }))
    };
    found().unwrap_or(false)
}

/// A local that hides another gets a name of its own, wherever it is meant. The name is made up, so it is only offered.
fn another_name(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let binder = it.node;
    let name = text_fact(it, "name")?;
    if !is_followed(scene, binder, name) {
        return None;
    }
    let mut fresh = (2..100).map(|it| Name::from(format!("{name}_{it}")));
    let new_name = fresh.find(|it| !mentions(scene, binder, it))?;
    let op = match &ast.node(binder).kind {
        AstKind::FieldPattern(_) => {
            scene.replace(binder, json!({ "name": name, "pattern": ident(&new_name) }))
        }
        AstKind::Pattern(Pattern::Ident { .. }) => scene.replace(binder, ident(&new_name)),
        AstKind::LambdaParam(_) => scene.rename(binder, name, &new_name),
        _ => return None,
    };
    let title = format!("rename the `{name}` that hides another to `{new_name}`");
    let mut candidate = Candidate::new(scene, target, title)
        .because(format!("both can be reached if this `{name}` has a name of its own"))
        .confidence(Confidence::Low)
        .safety(Safety::BehaviorPreserving)
        .op(op);
    for node in mentioned(scene, binder) {
        candidate = candidate.op(scene.rename(node, name, &new_name));
    }
    Some(candidate)
}

/// Whether it is known of every use of a name in a declaration what it means: one that was passed over would mean another
/// local afterwards, and nobody would notice.
pub(super) fn is_followed(scene: RepairContext<'_>, node: NodeId, name: &str) -> bool {
    let ast = scene.ast();
    let (Some(decl), Some(view)) = (scene.declaration(node), scene.view(node)) else {
        return false;
    };
    let mut uses = ast.subtree(decl).map(NodeId).filter(
        |it| matches!(&ast.node(*it).kind, AstKind::Expr(Expr::Ident { name: it }) if it == name),
    );
    uses.all(|it| view.resolution(it).is_some())
}

/// The places where a local is mentioned.
pub(super) fn mentioned(scene: RepairContext<'_>, binder: NodeId) -> Vec<NodeId> {
    let Some(view) = scene.view(binder) else { return Vec::new() };
    let resolutions = view.body.resolutions.iter();
    resolutions
        .filter(|it| matches!(it.1, Resolution::Local(local) if view.local(local) == binder))
        .map(|it| view.local(it.0))
        .collect()
}

/// Whether a name occurs in the declaration around a node.
pub(super) fn mentions(scene: RepairContext<'_>, node: NodeId, name: &Name) -> bool {
    let ast = scene.ast();
    let Some(decl) = scene.declaration(node) else { return true };
    ast.subtree(decl).any(|it| match &ast.node(NodeId(it)).kind {
        AstKind::Expr(Expr::Ident { name: it }) | AstKind::Pattern(Pattern::Ident { name: it }) => {
            it == name
        }
        AstKind::Param(it) => it.name == *name,
        AstKind::LambdaParam(it) => it.name == *name,
        AstKind::FieldPattern(it) => it.pattern.is_none() && it.name == *name,
        _ => false,
    })
}

/// The `use` without the names that nothing uses, or no `use` at all.
fn unused_import(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Option<Candidate> {
    let ast = scene.ast();
    let decl = DeclId::of(ast, it.node)?;
    let Decl::Use(import) = ast.decl(decl) else { return None };
    let unused = names_fact(it, "names");
    let used: Vec<&Name> = import.items.iter().filter(|it| !unused.contains(it)).collect();
    let quoted: Vec<String> = unused.iter().map(|it| format!("`{it}`")).collect();
    let op = match used.is_empty() {
        true => scene.delete(decl),
        false => scene.replace(decl, use_of(import, &used)),
    };
    Some(
        Candidate::new(scene, target, format!("remove the import of {}", quoted.join(", ")))
            .because("nothing uses it")
            .confidence(Confidence::High)
            .safety(Safety::BehaviorPreserving)
            .op(op),
    )
}

fn use_of(import: &UseDecl, items: &[&Name]) -> Json {
    let names = |list: &mut dyn Iterator<Item = &Name>| -> Vec<Json> {
        list.map(|it| Json::from(it.as_str())).collect()
    };
    let mut new = json!({
        "kind": "use",
        "path": names(&mut import.path.iter()),
        "items": names(&mut items.iter().copied()),
    });
    if let Some(alias) = &import.alias {
        new["alias"] = alias.as_str().into();
    }
    if import.is_external {
        new["isExternal"] = true.into();
    }
    new
}

/// What is not reached goes: an arm, or everything in the block from there on.
fn unreached(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let parent = scene.parent(it.node)?;
    let (title, ops) = if PatternId::of(ast, it.node).is_some() {
        ("remove the arm that is never reached", vec![scene.delete(ArmId::of(ast, parent)?)])
    } else {
        let block = ExprId::of(ast, parent)?;
        ("remove what is never reached", without_rest(scene, block, it.node)?)
    };
    let is_meant = is_covered_by_name(scene, parent);
    let candidate = Candidate::new(scene, target, title)
        .because("no execution reaches it")
        .confidence(if is_meant { Confidence::Low } else { Confidence::Medium })
        .safety(Safety::LikelyPreserving);
    Some(ops.into_iter().fold(candidate, Candidate::op))
}

fn without_rest(scene: RepairContext<'_>, block: ExprId, first: NodeId) -> Option<Vec<PatchOp>> {
    let Expr::Block { statements, expr } = scene.ast().expr(block) else { return None };
    let (kept, gone): (Vec<NodeId>, Vec<NodeId>) =
        statements.iter().map(|it| it.node()).partition(|it| *it < first);
    Some(match expr {
        None => gone.into_iter().map(|it| scene.delete(it)).collect(),
        Some(_) => {
            let new = json!({ "kind": "block", "statements": scene.all_kept(&kept) });
            vec![scene.replace(block, new)]
        }
    })
}
