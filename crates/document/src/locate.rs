//! Finding many places in one walk.
//!
//! One pointer costs a look at the members of every container on its way. For many pointers that would be
//! quadratic in a large container, so they are put into a tree by their segments, and the members of each
//! container on the way are looked at once.

use crate::hash::HashMap;

use crate::pointer::{Pointer, parse_index};
use crate::source::{NodeId, SyntaxKind, SyntaxTree};

/// The pointers that share a prefix: which go on from here, and how.
#[derive(Default)]
struct Prefix<'p> {
    longer: HashMap<&'p str, usize>,
    node: Option<NodeId>,
}

/// The node at each pointer, read as [`crate::Document::locate`] reads one.
pub(crate) fn find_all(
    source: &dyn SyntaxTree,
    root: NodeId,
    pointers: &[Pointer],
) -> Vec<Option<NodeId>> {
    let mut prefixes = vec![Prefix { node: Some(root), ..Prefix::default() }];
    let ends: Vec<usize> = pointers.iter().map(|it| insert(&mut prefixes, it)).collect();
    // A prefix is longer than the one it goes on from, and was added after it.
    for at in 0..prefixes.len() {
        let longer = std::mem::take(&mut prefixes[at].longer);
        if let Some(node) = prefixes[at].node.filter(|_| !longer.is_empty()) {
            let node = source.alias_target(node).unwrap_or(node);
            enter(source, node, &longer, &mut prefixes);
        }
    }
    let node_at = |(end, pointer): (usize, &Pointer)| {
        prefixes[end].node.or_else(|| pointer.is_lone_slash().then_some(root))
    };
    ends.into_iter().zip(pointers).map(node_at).collect()
}

/// The place of the whole pointer among the prefixes.
fn insert<'p>(prefixes: &mut Vec<Prefix<'p>>, pointer: &'p Pointer) -> usize {
    let mut at = 0;
    for segment in pointer.segments() {
        let next = prefixes.len();
        at = *prefixes[at].longer.entry(segment).or_insert(next);
        if at == next {
            prefixes.push(Prefix::default());
        }
    }
    at
}

/// Tells the prefixes which members of the container they lead to.
fn enter(
    source: &dyn SyntaxTree,
    container: NodeId,
    longer: &HashMap<&str, usize>,
    prefixes: &mut [Prefix<'_>],
) {
    let children = source.children(container);
    match source.kind(container) {
        SyntaxKind::Array =>
        {
            #[expect(clippy::iter_over_hash_type, reason = "each entry has a prefix of its own")]
            for (segment, prefix) in longer {
                let child = parse_index(segment).and_then(|index| children.get(index));
                prefixes[*prefix].node = child.map(|it| it.node);
            }
        }
        SyntaxKind::Object => {
            for child in &children {
                if let Some(prefix) = child.key.as_deref().and_then(|key| longer.get(key)) {
                    // Of two members with one key, the first counts.
                    prefixes[*prefix].node.get_or_insert(child.node);
                }
            }
            for child in source.merged(container) {
                if let Some(prefix) = child.key.as_deref().and_then(|key| longer.get(key)) {
                    prefixes[*prefix].node.get_or_insert(child.node);
                }
            }
        }
        SyntaxKind::Scalar | SyntaxKind::Alias => {}
    }
}
