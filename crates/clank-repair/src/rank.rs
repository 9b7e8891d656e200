//! The order of preference of repairs: a total order (RS-33, RS-35 to RS-40).

use std::cmp::Reverse;

use check::{Class, Confidence, RepairKind, Safety, Scope};
use clank::CheckedModule;
use clank_syntax::Span;
use clank_syntax::ast::NodeId;
use rustc_hash::FxHashMap;

use super::findings::class_of;
use super::propose::Candidate;
use super::{FindingId, Repair};
use crate::extent::{nodes, scope};
use crate::search::edits_key;

type Key = (Class, Safety, Confidence, RepairKind, Scope, Reverse<usize>, u32, String, String);

/// Puts repairs in order: what they resolve, then safety, confidence, kind, scope, how much they resolve, and the
/// position. The rest only makes the order total. Says where each of them went.
pub(super) fn rank(module: &CheckedModule, list: &mut Vec<Repair>) -> Vec<usize> {
    let positions = positions(module);
    let mut keyed: Vec<(Key, usize, Repair)> = std::mem::take(list)
        .into_iter()
        .enumerate()
        .map(|(before, it)| {
            let class = it.resolves.iter().map(|it| class_of(module, *it)).min();
            let target = it.resolves.first().copied();
            let position = target.and_then(|it| positions.get(&it).copied()).unwrap_or(0);
            let key = (
                class.unwrap_or(Class::Warning),
                it.safety,
                it.confidence,
                it.kind,
                it.scope,
                Reverse(it.resolves.len()),
                position,
                it.title.clone(),
                format!("{:?}", it.edits),
            );
            (key, before, it)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    let mut moved = vec![0; keyed.len()];
    for (place, (_, before, repair)) in keyed.into_iter().enumerate() {
        moved[before] = place;
        list.push(repair);
    }
    moved
}

/// The order in which candidates are tried: as far as the order of preference is known before.
pub(super) fn first_key(
    module: &CheckedModule,
    it: &Candidate,
) -> (Class, Safety, Confidence, RepairKind, Scope, String, String) {
    let class = it.targets.iter().map(|it| class_of(module, *it)).min();
    let nodes = nodes(&module.ast, &it.edits, &module.file);
    let scope = scope(module, &it.edits, &nodes);
    let class = class.unwrap_or(Class::Warning);
    (class, it.safety, it.confidence, it.kind, scope, it.title.clone(), edits_key(it))
}

/// Where every target is in the text; in AST JSON, which node it is.
fn positions(module: &CheckedModule) -> FxHashMap<FindingId, u32> {
    let is_text = module.ast.sources().first().is_some_and(|it| !it.text.is_empty());
    let at = |node: NodeId, span: Option<Span>| match is_text {
        true => span.unwrap_or_else(|| module.ast.span(node)).start,
        false => node.0,
    };
    let diagnostics = module.diagnostics.iter().enumerate();
    let diagnostics =
        diagnostics.map(|(index, it)| (FindingId::Diagnostic(index), at(it.node, it.span)));
    let goals = module.goals().enumerate();
    let goals = goals.map(|(index, it)| (FindingId::Goal(index), at(it.0, None)));
    let holes = module.holes().enumerate();
    let holes = holes.map(|(index, it)| (FindingId::Hole(index), at(it.0, None)));
    diagnostics.chain(goals).chain(holes).collect()
}
