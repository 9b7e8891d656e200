//! E1002, E1003, E1004: what is declared twice, and imports of what does not exist.

use check::{Confidence, RepairKind, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank_syntax::ast::{AstKind, Decl, DeclId, Expr, Name, NodeId, Pattern, Type, UseDecl};
use clank_syntax::patch::PatchOp;
use serde_json::{Value as Json, json};

use super::make::by_place;
use super::{Candidate, RepairContext, names_fact, text_fact};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    match it.code {
        Code::E1002 => twice(scene, it, target).into_iter().collect(),
        Code::E1003 => no_item(scene, it, target),
        _ => no_module(scene, it, target),
    }
}

/// The import at a node.
fn import<'a>(scene: RepairContext<'a>, node: NodeId) -> Option<(DeclId, &'a UseDecl)> {
    let decl = DeclId::of(scene.ast(), node)?;
    match scene.ast().decl(decl) {
        Decl::Use(it) => Some((decl, it)),
        _ => None,
    }
}

/// The import with another path or other items.
fn with<'n>(
    it: &UseDecl,
    path: impl Iterator<Item = &'n str>,
    items: impl Iterator<Item = &'n str>,
) -> Json {
    let mut new = json!({ "kind": "use", "path": path.collect::<Vec<_>>() });
    let items: Vec<&str> = items.collect();
    if !items.is_empty() {
        new["items"] = json!(items);
    }
    if let Some(alias) = &it.alias {
        new["alias"] = json!(alias.as_str());
    }
    new
}

/// A second declaration that says what the first one says is not needed; a name that an import or a pattern has twice is
/// needed once.
fn twice(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Option<Candidate> {
    let ast = scene.ast();
    let name = text_fact(it, "name")?;
    if let Some((decl, import)) = import(scene, it.node) {
        let mut seen = rustc_hash::FxHashSet::default();
        let items = import.items.iter().filter(|it| seen.insert(*it)).map(|it| it.as_str());
        let new = with(import, import.path.iter().map(|it| it.as_str()), items);
        let n_items = new["items"].as_array().map_or(0, Vec::len);
        return (n_items < import.items.len()).then(|| {
            Candidate::new(scene, target, format!("import `{name}` once"))
                .confidence(Confidence::High)
                .safety(Safety::BehaviorPreserving)
                .because(it.message.clone())
                .op(scene.replace(decl, new))
        });
    }
    let removed = |title: String| {
        Candidate::new(scene, target, title).because(it.message.clone()).op(scene.delete(it.node))
    };
    match &ast.node(it.node).kind {
        AstKind::Decl(_) | AstKind::Variant(_) | AstKind::Field(_) => {
            let first = it.related.first()?.node;
            let line = |node: NodeId| clank::resolve::one_line(ast, node);
            let is_same = line(first) == line(it.node);
            is_same.then(|| {
                removed(format!("remove the second `{name}`, which says the same"))
                    .confidence(Confidence::High)
                    .safety(Safety::BehaviorPreserving)
            })
        }
        AstKind::FieldInit(_) => Some(removed(format!("remove the second `{name}`"))),
        AstKind::Pattern(Pattern::Ident { .. }) => Some(
            Candidate::new(scene, target, format!("write `_` for the second `{name}`"))
                .because(it.message.clone())
                .op(scene.replace(it.node, json!({ "kind": "wildcard" }))),
        ),
        _ => None,
    }
}

/// An item that the module does not have: another one was meant, or none.
fn no_item(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let Some((decl, import)) = import(scene, it.node) else { return Vec::new() };
    let Some(name) = text_fact(it, "name") else { return Vec::new() };
    let path = || import.path.iter().map(|it| it.as_str());
    let mut found = Vec::new();
    let uses = uses_of(scene, name);
    let similar = names_fact(it, "similar");
    for (place, near) in similar.iter().enumerate() {
        let items = import.items.iter().map(|it| if it == name { near.as_str() } else { it });
        let new = with(import, path(), items);
        let candidate = Candidate::new(scene, target, format!("rename `{name}` to `{near}`"))
            .confidence(by_place(place))
            .because(it.message.clone())
            .op(scene.replace(decl, new));
        let renames = uses.iter().map(|node| scene.rename(*node, name, near));
        found.push(renames.fold(candidate, Candidate::op));
    }
    if uses.is_empty() {
        let op: PatchOp = match import.items.len() {
            0 | 1 => scene.delete(decl),
            _ => {
                let others = import.items.iter().filter(|it| *it != name).map(|it| it.as_str());
                scene.replace(decl, with(import, path(), others))
            }
        };
        found.push(
            Candidate::new(scene, target, format!("remove the import of `{name}`"))
                .because("nothing uses it")
                .op(op),
        );
    }
    found
}

/// Where a global name is used.
fn uses_of(scene: RepairContext<'_>, name: &str) -> Vec<NodeId> {
    let nodes = scene.ast().nodes().iter().enumerate();
    let is_use = |kind: &AstKind| match kind {
        AstKind::Expr(Expr::Ident { name: it } | Expr::RecordLit { name: it, .. })
        | AstKind::Type(Type::Named { name: it, .. })
        | AstKind::Pattern(Pattern::Variant { name: it, .. }) => it == name,
        _ => false,
    };
    let uses = nodes.filter(|it| is_use(&it.1.kind)).map(|it| NodeId(it.0 as u32));
    uses.filter(|it| scene.view(*it).is_none_or(|view| view.resolution(*it).is_none())).collect()
}

/// A module that does not exist: another one was meant, or none.
fn no_module(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let Some((decl, import)) = import(scene, it.node) else { return Vec::new() };
    let mut found = Vec::new();
    let written = import.path.join(".");
    let similar = names_fact(it, "similar");
    for (place, near) in similar.iter().enumerate() {
        let items = import.items.iter().map(|it| it.as_str());
        let mut new = with(import, near.split('.'), items);
        let bound = import.path.last();
        let is_bound = import.items.is_empty() && import.alias.is_none();
        let uses = bound.map(|it| uses_of(scene, it)).unwrap_or_default();
        if let Some(bound) = bound.filter(|_| is_bound && !uses.is_empty())
            && near.split('.').next_back() != Some(bound)
        {
            new["alias"] = json!(bound.as_str());
        }
        let plain = with(import, near.split('.'), import.items.iter().map(|it| it.as_str()));
        let mut add = |new: Json, confidence: Confidence| {
            found.push(
                Candidate::new(scene, target, format!("rename the module `{written}` to `{near}`"))
                    .confidence(confidence)
                    .because(it.message.clone())
                    .op(scene.replace(decl, new)),
            );
        };
        if new != plain {
            add(new, Confidence::Medium);
        }
        add(plain, by_place(place));
    }
    let names: Vec<&Name> = match (&import.alias, &*import.items) {
        (Some(alias), _) => vec![alias],
        (None, []) => import.path.last().into_iter().collect(),
        (None, items) => items.iter().collect(),
    };
    if names.iter().all(|it| uses_of(scene, it).is_empty()) {
        found.push(
            Candidate::new(scene, target, format!("remove the import of `{written}`"))
                .kind(RepairKind::SemanticsChange)
                .because("nothing uses it")
                .op(scene.delete(decl)),
        );
    }
    found
}
