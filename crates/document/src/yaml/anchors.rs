//! Anchors, aliases and merges: what an edit may not do because other places read the same node.

use std::ops::Range;

use super::tree::{Shape, YamlTree};
use crate::refusal::{Reason, Refusal};

/// Why nothing may be changed inside this node.
pub(super) fn refuses_change_inside(tree: &YamlTree, id: u32) -> Option<Refusal> {
    let node = tree.node(id);
    if node.shape == Shape::Alias {
        let anchor = tree.slice(node.start..node.end).trim_start_matches('*').to_string();
        return Some(Refusal::new(Reason::ThroughAlias { anchor }, node.start));
    }
    if let Some(refusal) = shared(tree, id) {
        return Some(refusal);
    }
    node.keys.has_complex().then(|| Refusal::new(Reason::ComplexKey, node.start))
}

/// Why this node may not be replaced, removed or moved.
pub(super) fn refuses_removal(tree: &YamlTree, id: u32) -> Option<Refusal> {
    if let Some(refusal) = shared(tree, id) {
        return Some(refusal);
    }
    let subtree = id..tree.node(id).skip;
    // Counting takes no longer than the subtree is; looking for an alias behind it takes as long as the text is.
    if n_uses(tree, &subtree) == n_uses_inside(tree, &subtree) {
        return None;
    }
    // An alias stands behind its anchor, so only aliases behind the subtree can be outside of it.
    let behind = tree.aliases.partition_point(|alias| alias.0 < subtree.end);
    let used = tree.aliases[behind..].iter().find(|alias| subtree.contains(&alias.1));
    used.map(|&(_, node)| {
        let anchor = tree.anchor_name(node);
        Refusal::new(Reason::AnchorInUse { anchor }, tree.outer_start(node))
    })
}

/// How many aliases stand for nodes of a subtree.
fn n_uses(tree: &YamlTree, subtree: &Range<u32>) -> usize {
    let first = tree.anchors.partition_point(|anchor| anchor.node < subtree.start);
    let anchors = tree.anchors[first..].iter().take_while(|anchor| anchor.node < subtree.end);
    anchors.map(|anchor| anchor.uses as usize).sum()
}

/// How many of them stand in the subtree.
fn n_uses_inside(tree: &YamlTree, subtree: &Range<u32>) -> usize {
    let first = tree.aliases.partition_point(|alias| alias.0 < subtree.start);
    let aliases = tree.aliases[first..].iter().take_while(|alias| alias.0 < subtree.end);
    aliases.filter(|alias| subtree.contains(&alias.1)).count()
}

/// Why this key may not be created: a merge provides it.
pub(super) fn refuses_new_key(tree: &YamlTree, id: u32, key: &str) -> Option<Refusal> {
    if !tree.shape(id).is_mapping() || !tree.node(id).keys.has_merge() {
        return None;
    }
    let merged = merged_maps(tree, id);
    let provided = merged.into_iter().any(|map| provides(tree, map, key));
    provided.then(|| Refusal::new(Reason::MergedKey { key: key.to_string() }, tree.node(id).start))
}

fn shared(tree: &YamlTree, id: u32) -> Option<Refusal> {
    let uses = tree.uses(id) as usize;
    (uses > 0).then(|| {
        let anchor = tree.anchor_name(id);
        Refusal::new(Reason::SharedAnchor { anchor, uses }, tree.outer_start(id))
    })
}

/// Whether a map has the key, by itself or by a merge. Ends, because no alias stands inside its own target and
/// the depth after expansion is limited.
fn provides(tree: &YamlTree, map: u32, key: &str) -> bool {
    tree.entries(map).iter().filter_map(|entry| entry.key).any(|it| tree.key_text(it) == key)
        || merged_maps(tree, map).into_iter().any(|merged| provides(tree, merged, key))
}

/// The maps that `<<` names: one, or a list of them.
fn merged_maps(tree: &YamlTree, map: u32) -> Vec<u32> {
    if !tree.node(map).keys.has_merge() {
        return Vec::new();
    }
    let is_merge = |key: u32| tree.shape(key) == Shape::Plain && tree.scalar_text(key) == "<<";
    let merges = tree.entries(map).into_iter().filter(|it| it.key.is_some_and(is_merge));
    let values: Vec<u32> = merges.map(|entry| follow(tree, entry.value)).collect();
    let items = |value: u32| match tree.shape(value) {
        shape if shape.is_mapping() => vec![value],
        _ => tree.entries(value).iter().map(|entry| follow(tree, entry.value)).collect(),
    };
    values.into_iter().flat_map(items).filter(|&it| tree.shape(it).is_mapping()).collect()
}

/// The node that an alias stands for, or the node itself. An alias never stands for an alias.
fn follow(tree: &YamlTree, id: u32) -> u32 {
    tree.target(id).unwrap_or(id)
}
