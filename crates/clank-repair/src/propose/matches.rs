//! E2009, E2015: patterns that cannot match, and matches that do not cover every case.

use check::{Confidence, Safety};
use clank::body::Resolution;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::TypeBody;
use clank::ty::Ty;
use clank_syntax::ast::{ArmId, AstKind, Expr, Name, NodeId, Pattern, PatternId, Stmt};
use clank_syntax::patch::PatchOp;
use serde_json::{Value as Json, json};

use super::make::{call, ident, source, string};
use super::scope::n_uses;
use super::types::{converted, prim_named};
use super::{Candidate, RepairContext, fact, text_fact};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    match it.code {
        Code::E2015 => missing_arms(scene, it, target),
        _ => match PatternId::of(scene.ast(), it.node) {
            Some(pattern) => mismatch(scene, target, pattern),
            None => Vec::new(),
        },
    }
}

/// How many arms are added one by one.
const MAX_ARMS: usize = 20;

/// How many patterns a title names.
const MAX_NAMED: usize = 3;

/// An arm for every missing case, and one for all of them.
fn missing_arms(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let Some(expr) = scene.expr(it.node) else { return Vec::new() };
    let Expr::Match { scrutinee, arms } = scene.ast().expr(expr) else { return Vec::new() };
    let with_arms = |new: Vec<Json>| {
        let mut all = scene.all_kept::<ArmId>(arms);
        all.extend(new);
        scene.replace(
            expr,
            json!({ "kind": "match", "scrutinee": scene.kept(*scrutinee), "arms": all }),
        )
    };
    let missing: Vec<&str> = fact(it, "missing_patterns")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("description")?.as_str())
        .collect();
    let is_named = !missing.is_empty() && missing.len() <= MAX_ARMS && !missing.contains(&"_");
    let mut found = Vec::new();
    if is_named {
        let arm = |pattern: &&str| {
            let body = call(ident("todo"), vec![string(&format!("handle {}", short(pattern)))]);
            json!({ "pattern": source(pattern), "body": body })
        };
        let mut shown: Vec<String> =
            missing.iter().take(MAX_NAMED).map(|it| format!("`{it}`")).collect();
        if missing.len() > MAX_NAMED {
            shown.push(format!("{} more", missing.len() - MAX_NAMED));
        }
        let words = if missing.len() == 1 { "arm" } else { "arms" };
        found.push(
            Candidate::new(scene, target, format!("add the missing {words} {}", shown.join(", ")))
                .confidence(Confidence::High)
                .safety(Safety::LikelyPreserving)
                .because("every case needs an arm; what it does is still to be written")
                .op(with_arms(missing.iter().map(arm).collect())),
        );
    }
    let body = call(ident("panic"), vec![string("no arm for this value")]);
    let confidence = if is_named { Confidence::Low } else { Confidence::Medium };
    found.push(
        Candidate::new(scene, target, "add a wildcard arm that panics: `_ -> panic(…)`")
            .confidence(confidence)
            .safety(Safety::LikelyPreserving)
            .because("without it, the other values have no arm")
            .op(with_arms(vec![json!({ "pattern": { "kind": "wildcard" }, "body": body })])),
    );
    found
}

/// A pattern without parts that say nothing: `Amber` for `Amber(_, _)`.
fn short(pattern: &str) -> &str {
    match pattern.split_once('(') {
        Some((name, parts)) if !name.is_empty() && parts.chars().all(|it| "_, )".contains(it)) => {
            name
        }
        _ => pattern,
    }
}

/// A pattern that cannot match its value: another kind of literal, or another number of parts.
fn mismatch(scene: RepairContext<'_>, target: FindingId, pattern: PatternId) -> Vec<Candidate> {
    let ast = scene.ast();
    let Some(view) = scene.view(pattern) else { return Vec::new() };
    match ast.pattern(pattern) {
        Pattern::Literal(literal) => {
            let wanted = prim_named(&view.ty(pattern).base().to_string());
            let Some(new) = wanted.and_then(|it| converted(literal, it)) else { return Vec::new() };
            vec![
                Candidate::new(scene, target, format!("write `{}`", new.text))
                    .confidence(new.confidence)
                    .because(format!("the value is a `{}`", view.ty(pattern)))
                    .op(scene.replace(pattern, source(&new.text))),
            ]
        }
        Pattern::Tuple { elements } => match view.ty(pattern).base() {
            Ty::Tuple(types) => {
                let names = vec![None; types.len()];
                other_parts(
                    scene,
                    target,
                    pattern,
                    elements,
                    &names,
                    &|parts| json!({ "kind": "tuple", "elements": parts }),
                )
            }
            _ => Vec::new(),
        },
        Pattern::Variant { name, payload } => {
            let Some(names) = variant_fields(scene, pattern) else { return Vec::new() };
            other_parts(
                scene,
                target,
                pattern,
                payload,
                &names,
                &|parts| json!({ "kind": "variant", "name": name.as_str(), "payload": parts }),
            )
        }
        _ => Vec::new(),
    }
}

/// The names of the fields of the variant that a pattern is.
fn variant_fields(scene: RepairContext<'_>, pattern: PatternId) -> Option<Vec<Option<Name>>> {
    let Resolution::Variant { ty, variant } = scene.view(pattern)?.resolution(pattern)? else {
        return None;
    };
    let TypeBody::Sum(variants) = &scene.module.env.def(ty)?.shape else { return None };
    let fields = &variants.get(*variant as usize)?.fields;
    Some(fields.iter().map(|it| it.0.clone()).collect())
}

/// How many ways to change the parts of a pattern are offered.
const MAX_WAYS: usize = 4;

/// The pattern with as many parts as the value has.
fn other_parts(
    scene: RepairContext<'_>,
    target: FindingId,
    pattern: PatternId,
    parts: &[PatternId],
    fields: &[Option<Name>],
    make: &dyn Fn(Vec<Json>) -> Json,
) -> Vec<Candidate> {
    let candidate = |title: String, parts: Vec<Json>, confidence: Confidence| {
        let op: PatchOp = scene.replace(pattern, make(parts));
        Candidate::new(scene, target, title)
            .confidence(confidence)
            .because(format!("the value has {} parts", fields.len()))
            .op(op)
    };
    if fields.is_empty() {
        let title = "remove the parts of the pattern".to_owned();
        return vec![candidate(title, Vec::new(), Confidence::Medium)];
    }
    let kept = scene.all_kept(parts);
    let mut found = Vec::new();
    if parts.len() + 1 == fields.len() {
        for name in unknown_names(scene, pattern) {
            let mut places: Vec<usize> = (0..fields.len()).collect();
            places.sort_by_key(|it| (fields[*it].as_ref() != Some(&name), fields.len() - it));
            for place in places.into_iter().take(MAX_WAYS) {
                let is_its_name = fields[place].as_ref() == Some(&name);
                let confidence = if is_its_name { Confidence::High } else { Confidence::Medium };
                let mut all = kept.clone();
                all.insert(place, json!({ "kind": "ident", "name": name.as_str() }));
                found.push(candidate(
                    format!("bind part {} to `{name}`", place + 1),
                    all,
                    confidence,
                ));
            }
        }
        let mut places: Vec<usize> = (0..fields.len()).rev().collect();
        places.sort_by_key(|it| std::cmp::Reverse(n_named(scene, parts, fields, *it)));
        for (rank, place) in places.into_iter().take(MAX_WAYS).enumerate() {
            let is_named = rank == 0 && n_named(scene, parts, fields, place) > 0;
            let confidence = if is_named { Confidence::High } else { Confidence::Medium };
            let mut all = kept.clone();
            all.insert(place, json!({ "kind": "wildcard" }));
            found.push(candidate(format!("add `_` for part {}", place + 1), all, confidence));
        }
    } else if parts.len() < fields.len() {
        let mut all = kept;
        all.resize(fields.len(), json!({ "kind": "wildcard" }));
        found.push(candidate("add `_` for the missing parts".to_owned(), all, Confidence::Medium));
    } else if parts.len() == fields.len() + 1 {
        let mut places: Vec<usize> = (0..parts.len()).rev().collect();
        places.sort_by_key(|it| !binds_nothing(scene, parts[*it]));
        for place in places.into_iter().take(MAX_WAYS) {
            let text = clank::resolve::one_line(scene.ast(), parts[place]);
            let mut all = kept.clone();
            all.remove(place);
            found.push(candidate(format!("remove the part `{text}`"), all, Confidence::Medium));
        }
    } else if parts.len() > fields.len() {
        let mut all = kept;
        all.truncate(fields.len());
        found.push(candidate("remove the last parts".to_owned(), all, Confidence::Medium));
    }
    found
}

/// How many parts are called like their fields if one is put in at a place.
fn n_named(
    scene: RepairContext<'_>,
    parts: &[PatternId],
    fields: &[Option<Name>],
    place: usize,
) -> usize {
    let others = fields.iter().enumerate().filter(|it| it.0 != place).map(|it| it.1);
    let is_named = |(part, field): &(&PatternId, &Option<Name>)| match scene.ast().pattern(**part) {
        Pattern::Ident { name } => field.as_ref() == Some(name),
        _ => false,
    };
    parts.iter().zip(others).filter(is_named).count()
}

/// Whether nobody would miss what a pattern binds.
fn binds_nothing(scene: RepairContext<'_>, pattern: PatternId) -> bool {
    let mut bound = Vec::new();
    super::scope::bound_by(scene, pattern, &mut bound);
    bound.into_iter().all(|it| n_uses(scene, it) == 0)
}

/// The names that nothing has where the names of a pattern can be used, each once.
fn unknown_names(scene: RepairContext<'_>, pattern: PatternId) -> Vec<Name> {
    let ast = scene.ast();
    let mut at = pattern.node();
    let scope: NodeId = loop {
        let Some(parent) = scene.parent(at) else { return Vec::new() };
        match &ast.node(parent).kind {
            AstKind::Arm(_) | AstKind::Stmt(Stmt::For { .. }) => break parent,
            AstKind::Stmt(Stmt::Let { .. }) => match scene.parent(parent) {
                Some(block) => break block,
                None => return Vec::new(),
            },
            AstKind::Pattern(_) | AstKind::FieldPattern(_) => at = parent,
            _ => return Vec::new(),
        }
    };
    let nodes = ast.subtree(scope);
    let mut names: Vec<Name> = Vec::new();
    for other in &scene.module.diagnostics {
        if other.code != Code::E1001 || !nodes.contains(&other.node.0) {
            continue;
        }
        if let Some(name) = text_fact(other, "name")
            && !names.iter().any(|it| it == name)
        {
            names.push(Name::new(name));
        }
    }
    names.truncate(2);
    names
}
