//! Keys that appear twice in one map.

use std::collections::HashSet;

use super::tree::YamlTree;
use crate::refusal::{Reason, Refusal};

/// Comparing every pair is quicker than hashing up to this many keys.
const FEW: usize = 12;

/// The first key, in document order of the maps, that its map has already.
pub(super) fn find(tree: &YamlTree) -> Option<Refusal> {
    let mut keys: Vec<(u32, &str)> = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if !node.shape.is_mapping() {
            continue;
        }
        keys.clear();
        let mut key = u32::try_from(index).ok()? + 1;
        while key < node.skip {
            keys.push((key, tree.key_text(key)));
            key = tree.node(tree.node(key).skip).skip;
        }
        if let Some((key, text)) = repeated(&keys) {
            let reason = Reason::DuplicateKey { key: text.to_string() };
            return Some(Refusal::new(reason, tree.outer_start(key)));
        }
    }
    None
}

fn repeated<'t>(keys: &[(u32, &'t str)]) -> Option<(u32, &'t str)> {
    if keys.len() <= FEW {
        let is_repeated = |&(count, (_, text)): &(usize, &(u32, &str))| {
            keys[..count].iter().any(|it| it.1 == *text)
        };
        return keys.iter().enumerate().find(is_repeated).map(|(_, key)| *key);
    }
    let mut seen = HashSet::with_capacity(keys.len());
    keys.iter().find(|key| !seen.insert(key.1)).copied()
}
