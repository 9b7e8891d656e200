//! Keys that appear twice in one map.

use std::borrow::Cow;
use std::ops::Range;

use crate::hash::HashSet;

use super::tree::YamlTree;
use crate::refusal::{Refusal, RefusalReason};

/// Comparing every pair is quicker than hashing up to this many keys.
const FEW: usize = 12;

/// The first key, in document order of the maps, that its map has already; among these nodes.
pub(super) fn find(tree: &YamlTree, ids: Range<u32>) -> Option<Refusal> {
    let mut keys: Vec<(u32, Cow<'_, str>)> = Vec::new();
    for id in ids.filter(|&id| tree.shape(id).is_mapping()) {
        keys.clear();
        tree.each_entry(id, |entry| {
            keys.extend(entry.key.map(|key| (key, tree.key_text(key))));
        });
        if let Some((key, text)) = repeated(&keys) {
            let reason = RefusalReason::DuplicateKey { key: text.to_string() };
            return Some(Refusal::new(reason, tree.outer_start(key)));
        }
    }
    None
}

fn repeated<'k>(keys: &'k [(u32, Cow<'_, str>)]) -> Option<(u32, &'k str)> {
    if keys.len() <= FEW {
        let is_repeated = |&(count, (_, text)): &(usize, &(u32, Cow<'_, str>))| {
            keys[..count].iter().any(|it| it.1 == *text)
        };
        return keys.iter().enumerate().find(is_repeated).map(|(_, key)| (key.0, &*key.1));
    }
    let mut seen = HashSet::with_capacity_and_hasher(keys.len(), Default::default());
    keys.iter().find(|key| !seen.insert(&*key.1)).map(|key| (key.0, &*key.1))
}
