//! Anchors, aliases and merges: what an edit may not do because other places read the same node.

use std::borrow::Cow;

use crate::hash::HashSet;

use super::tree::{NodeKind, YamlTree};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{Child, NodeId};

/// Why nothing may be changed inside this node.
pub(super) fn refuses_change_inside(tree: &YamlTree, id: u32) -> Option<Refusal> {
    let node = tree.node(id);
    if node.shape == NodeKind::Alias {
        let anchor = tree.slice(node.start..node.end).trim_start_matches('*').to_string();
        return Some(Refusal::new(RefusalReason::ThroughAlias { anchor }, node.start));
    }
    if let Some(refusal) = shared(tree, id) {
        return Some(refusal);
    }
    tree.has_complex_key(id).then(|| Refusal::new(RefusalReason::ComplexKey, node.start))
}

/// Why this node may not be replaced, removed or moved.
pub(super) fn refuses_removal(tree: &YamlTree, id: u32) -> Option<Refusal> {
    if let Some(refusal) = shared(tree, id) {
        return Some(refusal);
    }
    let subtree = id..tree.node(id).skip;
    // An alias stands behind its anchor, so only aliases behind the subtree can be outside of it.
    let uses = tree.aliases().uses_of(subtree.clone()).iter();
    let used = uses.filter(|it| it.1 >= subtree.end).min_by_key(|it| it.1);
    used.map(|&(node, _)| {
        let anchor = tree.anchor_name(node);
        Refusal::new(RefusalReason::AnchorInUse { anchor }, tree.outer_start(node))
    })
}

/// Why this key may not be created: a merge provides it.
pub(super) fn refuses_new_key(tree: &YamlTree, id: u32, key: &str) -> Option<Refusal> {
    let merged = merged_maps(tree, id);
    let provided = merged.into_iter().any(|map| provides(tree, map, key));
    provided.then(|| {
        Refusal::new(RefusalReason::MergedKey { key: key.to_string() }, tree.node(id).start)
    })
}

fn shared(tree: &YamlTree, id: u32) -> Option<Refusal> {
    let uses = tree.aliases().n_uses(id);
    (uses > 0).then(|| {
        let anchor = tree.anchor_name(id);
        Refusal::new(RefusalReason::SharedAnchor { anchor, uses }, tree.outer_start(id))
    })
}

/// Whether a map has the key, by itself or by a merge. Ends, because no alias stands inside its own target and
/// the depth after expansion is limited.
fn provides(tree: &YamlTree, map: u32, key: &str) -> bool {
    tree.entries(map).iter().filter_map(|entry| entry.key).any(|it| tree.key_text(it) == key)
        || merged_maps(tree, map).into_iter().any(|merged| provides(tree, merged, key))
}

/// The members that merges bring into a map, those that it has itself left out. Of two with one key the first counts.
pub(super) fn merged(tree: &YamlTree, map: u32) -> Vec<Child<'_>> {
    let maps = merged_maps(tree, map);
    if maps.is_empty() {
        return Vec::new();
    }
    let mut seen: HashSet<Cow<'_, str>> = HashSet::default();
    tree.each_entry(map, |entry| seen.extend(entry.key.map(|key| tree.key_text(key))));
    let mut members = Vec::new();
    let mut open: Vec<u32> = maps.into_iter().rev().collect();
    // What a map has itself comes before what it merges in.
    while let Some(map) = open.pop() {
        tree.each_entry(map, |entry| {
            let Some(key) = entry.key.filter(|&key| !tree.is_merge_key(key)) else { return };
            let key = tree.key_text(key);
            if seen.insert(key.clone()) {
                members.push(Child { key: Some(key), node: NodeId(entry.value) });
            }
        });
        open.extend(merged_maps(tree, map).into_iter().rev());
    }
    members
}

/// The values of the keys `<<` of a map that name maps.
pub(super) fn merges(tree: &YamlTree, map: u32) -> Vec<u32> {
    let mut values = Vec::new();
    tree.each_entry(map, |entry| {
        let is_merge = entry.key.is_some_and(|key| tree.is_merge_key(key));
        if is_merge && !maps_of(tree, entry.value).is_empty() {
            values.push(entry.value);
        }
    });
    values
}

/// The maps that `<<` names: one, or a list of them.
fn merged_maps(tree: &YamlTree, map: u32) -> Vec<u32> {
    merges(tree, map).into_iter().flat_map(|value| maps_of(tree, value)).collect()
}

/// The maps that the value of a merge names.
fn maps_of(tree: &YamlTree, value: u32) -> Vec<u32> {
    let value = follow(tree, value);
    let named = match tree.shape(value) {
        shape if shape.is_mapping() => return vec![value],
        shape if shape.is_sequence() => tree.entries(value),
        _ => return Vec::new(),
    };
    let maps = named.into_iter().map(|entry| follow(tree, entry.value));
    maps.filter(|&it| tree.shape(it).is_mapping()).collect()
}

/// The node that an alias stands for, or the node itself. An alias never stands for an alias.
fn follow(tree: &YamlTree, id: u32) -> u32 {
    tree.target(id).unwrap_or(id)
}
