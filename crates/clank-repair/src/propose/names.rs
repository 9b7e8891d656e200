//! E1001, E1005, E1006: names that nothing has.
//!
//! Either the use is misspelt or the declaration is. A declaration that nobody uses and whose name is near is probably
//! the mistake if several uses agree on another name, or if the words of that name occur elsewhere.

mod declared;
mod index;
mod spelling;

use check::Confidence;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::prelude;
use clank::similar::{distance, similar};
use clank_syntax::ast::{AstKind, Decl, DeclId, Expr, Name, NodeId, Pattern, Type};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::json;

use super::make::by_place;
use super::{Candidate, RepairContext, names_fact, text_fact};
use crate::FindingId;
pub(crate) use index::Index;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let Some(name) = text_fact(it, "name").map(Name::new) else { return Vec::new() };
    let FindingId::Diagnostic(own) = target else { return Vec::new() };
    let index = scene.names.get_or_init(|| Index::new(scene));
    let uses = NameUses {
        index,
        own,
        all: index.about(it.code, &name),
        here: index.about_in(it.code, &name, scene.declaration(it.node)),
    };
    let mut suggestions = suggestions(it, &name);
    prefer_used(&name, index, &mut suggestions);
    let declared = declared::misspelt(scene, it, &name, uses);
    if let Some(declared) = &declared {
        prefer_unused(&name, &declared.name, &mut suggestions);
    }
    let declaration_first = declared.as_ref().is_some_and(|it| it.is_likelier);
    let mut found = Vec::new();
    for (place, near) in suggestions.iter().enumerate() {
        let place = place + usize::from(declaration_first);
        found.extend(renames(scene, &name, near, uses, by_place(place)));
    }
    if let Some(declared) = declared {
        let title = format!("rename the {} `{}` to `{name}`", declared.what, declared.name);
        let reason = format!("`{}` is never used, but `{name}` is", declared.name);
        let candidate = Candidate::new(scene, target, title)
            .confidence(by_place(usize::from(!declaration_first)))
            .because(reason)
            .also_for(declared.uses)
            .op(scene.rename(declared.node, &declared.name, &name));
        let place = if declaration_first { 0 } else { found.len().min(1) };
        found.insert(place, candidate);
    }
    if matches!(it.code, Code::E1001 | Code::E1005 | Code::E1006) {
        found.extend(from_modules(scene, it, target, &name, uses));
        found.extend(module_itself(scene, it, target, &name, uses));
    }
    found
}

/// What is said about one name: by one diagnostic, by all in the module, and by those in the same declaration. Places in
/// the module's list.
#[derive(Clone, Copy)]
struct NameUses<'a> {
    index: &'a Index,
    own: usize,
    all: &'a [usize],
    here: &'a [usize],
}

/// The names that were probably meant. A type may also be a misspelt effect.
fn suggestions(it: &Diagnostic, name: &str) -> Vec<Name> {
    if it.code != Code::E1005 {
        return names_fact(it, "similar_names");
    }
    let mut types = names_fact(it, "similar_types");
    let effects = ["IO", "Err", "Async", "Mut"].into_iter().map(|it| (it, true));
    let effects = similar(name, effects);
    types.extend(effects.into_iter().filter(|it| !types.contains(it)).collect::<Vec<_>>());
    types
}

/// What everybody has and nobody uses here is not the likeliest of those that are equally near.
fn prefer_used(name: &str, index: &Index, suggestions: &mut [Name]) {
    let Some(first) = suggestions.first() else { return };
    let prelude = prelude();
    let is_builtin = prelude.values.contains_key(first) || prelude.types.contains_key(first);
    if !is_builtin || index.is_mentioned(first) {
        return;
    }
    let is_as_near = |it: &&Name| distance(name, it) <= distance(name, first);
    let used = suggestions.iter().filter(is_as_near).find(|it| index.is_mentioned(it));
    if let Some(place) = used.and_then(|used| suggestions.iter().position(|it| it == used)) {
        suggestions[..=place].rotate_right(1);
    }
}

/// A declaration that nobody uses is the likeliest of those that are equally near.
fn prefer_unused(name: &str, unused: &Name, suggestions: &mut [Name]) {
    let Some(place) = suggestions.iter().position(|it| it == unused) else { return };
    if distance(name, unused) <= distance(name, &suggestions[0]) {
        suggestions[..=place].rotate_right(1);
    }
}

/// All uses of a name that mean another one, in one repair; and, if they are in several declarations, those of this
/// declaration alone. Each is made for the first of its diagnostics only.
fn renames(
    scene: RepairContext<'_>,
    name: &str,
    near: &Name,
    uses: NameUses<'_>,
    confidence: Confidence,
) -> Vec<Candidate> {
    let node = |place: usize| scene.module.diagnostics[place].node;
    let renamed = |place: &usize| {
        if !suggestions(&scene.module.diagnostics[*place], name).contains(near) {
            return None;
        }
        Some((FindingId::Diagnostic(*place), rename_at(scene, node(*place), name, near)?))
    };
    let is_first = |places: &[usize]| {
        places.iter().find(|it| renamed(it).is_some()).is_some_and(|it| *it == uses.own)
    };
    let mut found = Vec::new();
    let mut add = |places: &[usize], confidence: Confidence| {
        let all: Vec<(FindingId, PatchOp)> = places.iter().filter_map(renamed).collect();
        let target = FindingId::Diagnostic(uses.own);
        found.push(rename_all(scene, target, name, near, &all).confidence(confidence));
    };
    if is_first(uses.all) {
        add(uses.all, confidence);
    }
    let here = scene.declaration(node(uses.own));
    let is_elsewhere = |it: &usize| scene.declaration(node(*it)) != here && renamed(it).is_some();
    if is_first(uses.here) && uses.all.iter().any(is_elsewhere) {
        add(uses.here, Confidence::Medium);
    }
    found
}

fn rename_all(
    scene: RepairContext<'_>,
    target: FindingId,
    name: &str,
    near: &str,
    all: &[(FindingId, PatchOp)],
) -> Candidate {
    let title = match all.len() {
        1 => format!("rename `{name}` to `{near}`"),
        n => format!("rename `{name}` to `{near}` in {n} places"),
    };
    let slips = match distance(name, near) {
        Some(1) => "one edit away".to_owned(),
        Some(n) => format!("{n} edits away"),
        None => "near".to_owned(),
    };
    let reason = format!("cannot find `{name}`, but `{near}` is {slips}");
    let candidate = Candidate::new(scene, target, title).because(reason);
    let candidate = candidate.also_for(all.iter().map(|it| it.0));
    all.iter().fold(candidate, |acc, it| acc.op(it.1.clone()))
}

/// The operation that changes a name where it is used.
fn rename_at(scene: RepairContext<'_>, node: NodeId, old: &str, new: &str) -> Option<PatchOp> {
    match &scene.ast().node(node).kind {
        AstKind::Expr(Expr::Ident { name } | Expr::RecordLit { name, .. })
        | AstKind::Type(Type::Named { name, .. })
        | AstKind::Pattern(Pattern::Variant { name, .. })
            if name == old =>
        {
            Some(scene.rename(node, old, new))
        }
        AstKind::Expr(Expr::Field { field, .. }) if field == old => {
            Some(scene.rename_field(node, old, new))
        }
        _ => None,
    }
}

/// The name in another module of the program, if exactly one declares it: through the import of that module, or
/// through a new one.
fn from_modules(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &Name,
    uses: NameUses<'_>,
) -> Vec<Candidate> {
    let is_first = uses.all.first() == Some(&uses.own);
    let is_value = matches!(scene.ast().node(it.node).kind, AstKind::Expr(Expr::Ident { .. }));
    if !is_first || !is_value && it.code != Code::E1005 {
        return Vec::new();
    }
    let env = &scene.module.env;
    let mut files = env.modules.iter().filter(|(_, exports)| match is_value {
        true => exports.values.contains_key(name),
        false => exports.types.contains_key(name),
    });
    let (Some((file, _)), None) = (files.next(), files.next()) else { return Vec::new() };
    let ast = scene.ast();
    for decl in ast.declarations() {
        let Decl::Use(import) = ast.decl(*decl) else { continue };
        let path = import.path.join("/");
        let is_it = !import.is_external
            && file
                .strip_suffix(".clank")
                .is_some_and(|it| it == path || it.ends_with(&format!("/{path}")));
        if !is_it {
            continue;
        }
        let targets = uses.all.iter().map(|it| FindingId::Diagnostic(*it));
        let reason =
            format!("`{name}` is declared in `{}`, which is imported", import.path.join("."));
        if !import.items.is_empty() {
            let mut items: Vec<&str> = import.items.iter().map(|it| it.as_str()).collect();
            items.push(name);
            let path: Vec<&str> = import.path.iter().map(|it| it.as_str()).collect();
            let mut new = json!({ "kind": "use", "path": path, "items": items });
            if let Some(alias) = &import.alias {
                new["alias"] = json!(alias.as_str());
            }
            let title = format!("import `{name}` from `{}`", import.path.join("."));
            let candidate = Candidate::new(scene, target, title).because(reason).also_for(targets);
            return vec![candidate.op(scene.replace(*decl, new))];
        }
        if !is_value {
            continue;
        }
        let module = import.alias.as_ref().or(import.path.last());
        let Some(module) = module else { continue };
        let title = format!("write `{module}.{name}`");
        let candidate = Candidate::new(scene, target, title).because(reason).also_for(targets);
        let nodes = uses.all.iter().map(|it| scene.module.diagnostics[*it].node);
        return vec![nodes.filter_map(|it| scene.expr(it)).fold(candidate, |acc, it| {
            let object = json!({ "kind": "ident", "name": module.as_str() });
            acc.op(scene
                .replace(it, json!({ "kind": "field", "object": object, "field": name.as_str() })))
        })];
    }
    Vec::new()
}

/// `m.f` where `m` is a module of the program that is not imported by its name.
fn module_itself(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &Name,
    uses: NameUses<'_>,
) -> Option<Candidate> {
    let ast = scene.ast();
    let expr = scene.expr(it.node)?;
    let parent = scene.expr(scene.parent(expr)?)?;
    matches!(ast.expr(parent), Expr::Field { object, .. } if *object == expr).then_some(())?;
    (uses.all.first() == Some(&uses.own)).then_some(())?;
    let is_it = |decl: &&DeclId| match ast.decl(**decl) {
        Decl::Use(import) => !import.is_external && import.path.last() == Some(name),
        _ => false,
    };
    let decl = ast.declarations().iter().find(is_it)?;
    let Decl::Use(import) = ast.decl(*decl) else { return None };
    let path: Vec<&str> = import.path.iter().map(|it| it.as_str()).collect();
    let title = format!("import the module `{}`", path.join("."));
    Some(
        Candidate::new(scene, target, title)
            .because(format!("names of `{name}` are imported, but not `{name}` itself"))
            .confidence(Confidence::High)
            .also_for(uses.all.iter().map(|it| FindingId::Diagnostic(*it)))
            .op(PatchOp::InsertBefore {
                target_id: scene.id(*decl),
                new_statement: Payload(json!({ "kind": "use", "path": path })),
            }),
    )
}
