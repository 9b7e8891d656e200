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
use clank_syntax::ast::{Ast, AstKind, Decl, DeclId, Expr, Name, NodeId, Pattern, Type, UseDecl};
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
        // What another module has by that very name is likelier than any near one.
        if declared_by(scene, it, &name).is_some() {
            found.iter_mut().for_each(|it| it.confidence = Confidence::Low);
        }
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

/// What a module is asked for that is not imported from it.
struct MissingImports<'a> {
    /// The module's file.
    file: &'a Name,
    /// Its names, in the order of the diagnostics about them.
    names: Vec<Name>,
    targets: Vec<FindingId>,
}

/// The name in another module of the program, if exactly one declares it: through the import of that module, or
/// through a new one. All names of that module at once.
fn from_modules(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &Name,
    uses: NameUses<'_>,
) -> Vec<Candidate> {
    if uses.all.first() != Some(&uses.own) {
        return Vec::new();
    }
    let Some(file) = declared_by(scene, it, name) else { return Vec::new() };
    let mut wanted = MissingImports { file, names: Vec::new(), targets: Vec::new() };
    for (index, other) in scene.module.diagnostics.iter().enumerate() {
        if !matches!(other.code, Code::E1001 | Code::E1005 | Code::E1006) {
            continue;
        }
        let Some(name) = text_fact(other, "name").map(Name::new) else { continue };
        if declared_by(scene, other, &name) != Some(file) {
            continue;
        }
        wanted.targets.push(FindingId::Diagnostic(index));
        if !wanted.names.contains(&name) {
            wanted.names.push(name);
        }
    }
    let is_first = wanted.targets.first() == Some(&target);
    let is_type = |it: &FindingId| matches!(it, FindingId::Diagnostic(it) if scene.module.diagnostics[*it].code != Code::E1001);
    let has_types = wanted.targets.iter().any(is_type);
    let ast = scene.ast();
    let imports = ast.declarations().iter().filter_map(|decl| match ast.decl(*decl) {
        Decl::Use(import) if !import.is_external => {
            let path = import.path.join("/");
            let stem = file.strip_suffix(".clank")?;
            let is_it = stem == path || stem.ends_with(&format!("/{path}"));
            is_it.then_some((*decl, import))
        }
        _ => None,
    });
    let imports: Vec<_> = imports.collect();
    let with_items = imports.iter().find(|it| !it.1.items.is_empty());
    let whole = imports.iter().find(|it| it.1.items.is_empty());
    // Values of a module that is imported as a whole go by its name.
    if let (None, Some((_, import)), false) = (with_items, whole, has_types) {
        return through_module(scene, it, target, name, uses, import).into_iter().collect();
    }
    if !is_first {
        return Vec::new();
    }
    if let Some((decl, import)) = with_items {
        let items = import.items.iter().chain(&wanted.names);
        let items: Vec<&str> = items.map(|it| it.as_str()).collect();
        let path: Vec<&str> = import.path.iter().map(|it| it.as_str()).collect();
        let mut new = json!({ "kind": "use", "path": path, "items": items });
        if let Some(alias) = &import.alias {
            new["alias"] = json!(alias.as_str());
        }
        let candidate = imported(scene, target, &wanted, &path.join("."));
        return vec![candidate.op(scene.replace(*decl, new))];
    }
    if let Some((decl, import)) = whole {
        let path: Vec<&str> = import.path.iter().map(|it| it.as_str()).collect();
        let items: Vec<&str> = wanted.names.iter().map(|it| it.as_str()).collect();
        let new = json!({ "kind": "use", "path": path, "items": items });
        let candidate = imported(scene, target, &wanted, &path.join("."));
        return vec![candidate.op(PatchOp::InsertBefore {
            target_id: scene.id(*decl),
            new_statement: Payload(new),
        })];
    }
    new_import(scene, target, &wanted).into_iter().collect()
}

/// The only module that declares what a diagnostic does not find. One that the file imports comes first.
fn declared_by<'a>(scene: RepairContext<'a>, it: &Diagnostic, name: &Name) -> Option<&'a Name> {
    let is_type = it.code == Code::E1005;
    let env = &scene.module.env;
    let mut files = env.modules.iter().filter(|(_, exports)| match is_type {
        true => exports.types.contains_key(name),
        false => exports.values.contains_key(name),
    });
    if let Some((file, _)) = files.next() {
        return files.next().is_none().then_some(file);
    }
    let others = scene
        .checked
        .modules
        .iter()
        .filter(|it| it.file != scene.module.file && !env.modules.contains_key(&it.file));
    let mut files = others.filter(|it| declares(&it.ast, is_type, name)).map(|it| &it.file);
    files.next().filter(|_| files.next().is_none())
}

/// Whether a module declares a type or a value of that name.
fn declares(ast: &Ast, is_type: bool, name: &Name) -> bool {
    ast.declarations().iter().any(|it| match ast.decl(*it) {
        Decl::Fn(it) => !is_type && it.name == *name && name != "main",
        Decl::ExternalFn(it) => !is_type && it.name == *name,
        Decl::Rec { name: own, .. } => own == name,
        Decl::TypeAlias { name: own, .. } => is_type && own == name,
        Decl::Sum { name: own, variants, .. } => {
            is_type && own == name
                || !is_type && variants.iter().any(|it| ast.variant(*it).name == *name)
        }
        _ => false,
    })
}

fn imported(
    scene: RepairContext<'_>,
    target: FindingId,
    wanted: &MissingImports<'_>,
    path: &str,
) -> Candidate {
    let names: Vec<String> = wanted.names.iter().map(|it| format!("`{it}`")).collect();
    let (names, verb) = match names.len() {
        1 => (names[0].clone(), "is"),
        n if n > 3 => (format!("{n} names"), "are"),
        _ => (names.join(" and "), "are"),
    };
    Candidate::new(scene, target, format!("import {names} from `{path}`"))
        .because(format!("{names} {verb} declared in `{path}` and nowhere else"))
        .confidence(Confidence::High)
        .also_for(wanted.targets.iter().copied())
}

/// `m.f` for a value of a module that is imported as a whole.
fn through_module(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    name: &Name,
    uses: NameUses<'_>,
    import: &UseDecl,
) -> Option<Candidate> {
    let module = import.alias.as_ref().or(import.path.last())?;
    let is_value = matches!(scene.ast().node(it.node).kind, AstKind::Expr(Expr::Ident { .. }));
    let nodes: Vec<NodeId> = uses.all.iter().map(|it| scene.module.diagnostics[*it].node).collect();
    let is_plain = nodes.iter().all(|it| scene.expr(*it).is_some());
    (is_value && is_plain).then(|| {
        let candidate = Candidate::new(scene, target, format!("write `{module}.{name}`"))
            .because(format!("`{name}` is declared in `{module}`, which is imported"))
            .also_for(uses.all.iter().map(|it| FindingId::Diagnostic(*it)));
        nodes.into_iter().fold(candidate, |acc, it| {
            let object = json!({ "kind": "ident", "name": module.as_str() });
            let new = json!({ "kind": "field", "object": object, "field": name.as_str() });
            acc.op(scene.replace(it, new))
        })
    })
}

/// A `use` of a module that the file does not import.
fn new_import(
    scene: RepairContext<'_>,
    target: FindingId,
    wanted: &MissingImports<'_>,
) -> Option<Candidate> {
    let ast = scene.ast();
    let own = scene.module.file.rsplit_once('/').map_or("", |it| it.0);
    let stem = wanted.file.strip_suffix(".clank")?;
    let inside = stem.strip_prefix(own).and_then(|it| it.strip_prefix('/'));
    let path: Vec<&str> = inside.unwrap_or(stem).split('/').collect();
    let is_name = |it: &&str| {
        it.starts_with(|it: char| it.is_ascii_lowercase())
            && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
    };
    path.iter().all(is_name).then_some(())?;
    // A module that imports this one would close a circle.
    let is_before = |it: &clank::CheckedModule| it.file == *wanted.file;
    let own = scene.checked.modules.iter().position(|it| it.file == scene.module.file)?;
    scene.checked.modules[..own].iter().any(is_before).then_some(())?;
    let items: Vec<&str> = wanted.names.iter().map(|it| it.as_str()).collect();
    let new = json!({ "kind": "use", "path": path, "items": items });
    let first = ast.declarations().first()?;
    let candidate = imported(scene, target, wanted, &path.join("."));
    Some(
        candidate
            .op(PatchOp::InsertBefore { target_id: scene.id(*first), new_statement: Payload(new) }),
    )
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
