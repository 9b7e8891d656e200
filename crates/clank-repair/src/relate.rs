//! Which repairs exclude one another, and which commute (RS-48 to RS-57).
//!
//! Two repairs exclude one another if they resolve the same thing, touch the same node, or if one takes away a node that
//! the other touches. Nodes and targets are looked up, so that the work grows with what there is to say.
//!
//! What a repair requires was found out when it was tried. One that excludes what it requires is of no use and goes.

use std::collections::{BTreeMap, BTreeSet};

use clank::CheckedModule;
use clank_syntax::ast::{Ast, AstKind, Expr, Name, NodeId};
use clank_syntax::patch::PatchOp;
use rustc_hash::FxHashMap;

use super::propose::RepairContext;
use super::{FindingId, Repair, RepairRelations};

/// Says of every repair what it excludes, and gives those that can be applied together a common key.
pub(super) fn relate(scene: RepairContext<'_>, list: &mut Vec<Repair>) {
    let mut conflicts = conflicts(scene.module, list);
    if drop_useless(list, &conflicts) {
        conflicts = self::conflicts(scene.module, list);
    }
    let keys = batch_keys(scene, list, &conflicts);
    for ((repair, conflicts), batch_key) in list.iter_mut().zip(conflicts).zip(keys) {
        repair.compatibility = RepairRelations {
            conflicts_with: conflicts.into_iter().collect(),
            requires: std::mem::take(&mut repair.compatibility.requires),
            batch_key,
        };
    }
}

/// Takes out repairs that exclude what they require; whether there were any. None of them is required by another.
fn drop_useless(list: &mut Vec<Repair>, conflicts: &[BTreeSet<usize>]) -> bool {
    let is_useless = |place: usize, it: &Repair| {
        it.compatibility.requires.iter().any(|it| conflicts[place].contains(it))
    };
    let useless: BTreeSet<usize> =
        list.iter().enumerate().filter(|it| is_useless(it.0, it.1)).map(|it| it.0).collect();
    if useless.is_empty() {
        return false;
    }
    let mut place = 0;
    list.retain(|_| {
        place += 1;
        !useless.contains(&(place - 1))
    });
    for required in list.iter_mut().flat_map(|it| &mut it.compatibility.requires) {
        *required -= useless.range(..*required).count();
    }
    true
}

fn conflicts(module: &CheckedModule, list: &[Repair]) -> Vec<BTreeSet<usize>> {
    let mut by_target: FxHashMap<FindingId, Vec<usize>> = FxHashMap::default();
    let mut by_node: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    let mut by_foreign: FxHashMap<(&Name, Name), Vec<usize>> = FxHashMap::default();
    for (index, repair) in list.iter().enumerate() {
        for target in &repair.resolves {
            by_target.entry(*target).or_default().push(index);
        }
        for node in &repair.nodes {
            by_node.entry(*node).or_default().push(index);
        }
        for (file, ops) in repair.edits.iter().filter(|it| it.0 != module.file) {
            let ids: BTreeSet<Name> = ops.iter().flat_map(PatchOp::node_ids).collect();
            for id in ids {
                by_foreign.entry((file, id)).or_default().push(index);
            }
        }
    }
    let mut conflicts = vec![BTreeSet::new(); list.len()];
    let mut exclude = |one: usize, other: usize| {
        if one != other {
            conflicts[one].insert(other);
            conflicts[other].insert(one);
        }
    };
    for (index, repair) in list.iter().enumerate() {
        let same_target = repair.resolves.iter().filter_map(|it| by_target.get(it));
        let same_node = repair.nodes.iter().filter_map(|it| by_node.get(it));
        same_target.chain(same_node).flatten().for_each(|other| exclude(index, *other));
        for (file, ops) in repair.edits.iter().filter(|it| it.0 != module.file) {
            let ids = ops.iter().flat_map(PatchOp::node_ids);
            let same = ids.filter_map(|id| by_foreign.get(&(file, id)));
            same.flatten().for_each(|other| exclude(index, *other));
        }
        for gone in own_ops(module, repair).flat_map(|it| taken_away(&module.ast, it)) {
            for (_, others) in by_node.range(NodeId(gone.start)..NodeId(gone.end)) {
                others.iter().for_each(|other| exclude(index, *other));
            }
        }
    }
    conflicts
}

fn own_ops<'a>(module: &'a CheckedModule, repair: &'a Repair) -> impl Iterator<Item = &'a PatchOp> {
    repair.edits.iter().filter(|it| it.0 == module.file).flat_map(|it| &it.1)
}

/// The nodes that an operation takes away: those below its target, without those that it moves.
fn taken_away(ast: &Ast, op: &PatchOp) -> Vec<std::ops::Range<u32>> {
    if !matches!(op, PatchOp::ReplaceNode { .. } | PatchOp::DeleteNode { .. }) {
        return Vec::new();
    }
    let mut nodes = op.node_ids().into_iter().filter_map(|it| ast.ids().node(&it));
    let Some(target) = nodes.next() else { return Vec::new() };
    let mut kept: Vec<_> = nodes.map(|it| ast.subtree(it)).collect();
    kept.sort_by_key(|it| it.start);
    let whole = ast.subtree(target);
    let mut gone = Vec::new();
    let mut start = whole.start;
    for range in kept.into_iter().filter(|it| it.start >= whole.start && it.end <= whole.end) {
        gone.push(start..range.start.max(start));
        start = start.max(range.end);
    }
    gone.push(start..whole.end);
    gone.retain(|it| !it.is_empty());
    gone
}

/// Repairs of one kind with the same operations have a common key if nothing better excludes them (RS-57): then no two of
/// them touch the same node, and they can be applied in any order.
fn batch_keys(
    scene: RepairContext<'_>,
    list: &[Repair],
    conflicts: &[BTreeSet<usize>],
) -> Vec<Option<String>> {
    let mut keys: Vec<Option<String>> = Vec::with_capacity(list.len());
    let mut members: FxHashMap<String, usize> = FxHashMap::default();
    let mut anchors: FxHashMap<NodeId, usize> = FxHashMap::default();
    for (index, repair) in list.iter().enumerate() {
        let is_beaten = conflicts[index].range(..index).next().is_some();
        // What is put before or after one statement comes in the order in which it is put there.
        let own_anchors: BTreeSet<NodeId> =
            own_ops(scene.module, repair).filter_map(|it| anchor(scene, it)).collect();
        let is_contested =
            own_anchors.iter().any(|it| *anchors.entry(*it).or_insert(index) != index);
        if is_beaten || is_contested || !repair.is_verified || requires_one(repair) {
            keys.push(None);
            continue;
        }
        let ops: BTreeSet<&str> =
            repair.edits.iter().flat_map(|it| &it.1).map(PatchOp::op).collect();
        let ops: Vec<&str> = ops.into_iter().collect();
        let key = format!("batch:{}:{}", repair.kind.name(), ops.join(","));
        *members.entry(key.clone()).or_default() += 1;
        keys.push(Some(key));
    }
    for key in &mut keys {
        if key.as_ref().is_some_and(|it| members[it] < 2) {
            *key = None;
        }
    }
    keys
}

/// What only works after another one commutes with nothing.
fn requires_one(repair: &Repair) -> bool {
    !repair.compatibility.requires.is_empty()
}

/// The statement, or the value of a block or an arm, that something is put before or after.
fn anchor(scene: RepairContext<'_>, op: &PatchOp) -> Option<NodeId> {
    let (PatchOp::InsertBefore { target_id, .. } | PatchOp::InsertAfter { target_id, .. }) = op
    else {
        return None;
    };
    let ast = &scene.module.ast;
    let mut node = ast.ids().node(target_id)?;
    loop {
        let parent = scene.parents[node.index()]?;
        if matches!(
            ast.node(parent).kind,
            AstKind::Expr(Expr::Block { .. } | Expr::Lambda { .. }) | AstKind::Arm(_)
        ) {
            return Some(node);
        }
        node = parent;
    }
}
