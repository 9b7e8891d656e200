//! Many places of one document at once: a tree of their segments, so that nothing is looked for from the root twice.

use std::collections::HashMap;

use document::{Pointer, Value};

/// Places, each with who has claimed it.
#[derive(Default)]
pub(crate) struct PointerTrie<'p> {
    nodes: Vec<Node<'p>>,
}

#[derive(Default)]
struct Node<'p> {
    longer: HashMap<&'p str, usize>,
    owner: Option<usize>,
}

impl<'p> PointerTrie<'p> {
    pub(crate) fn new() -> PointerTrie<'p> {
        PointerTrie { nodes: vec![Node::default()] }
    }

    /// Whether no place that is claimed is the same, around it or inside it.
    pub(crate) fn is_free(&self, place: &Pointer) -> bool {
        let mut node = &self.nodes[0];
        for segment in place.segments() {
            if node.owner.is_some() {
                return false;
            }
            match node.longer.get(segment.as_str()) {
                Some(next) => node = &self.nodes[*next],
                None => return true,
            }
        }
        node.owner.is_none() && node.longer.is_empty()
    }

    pub(crate) fn claim(&mut self, place: &'p Pointer, owner: usize) {
        let node = self.insert(place);
        self.nodes[node].owner = Some(owner);
    }

    /// Who has claimed the place or one around it.
    pub(crate) fn owner_of(&self, place: &Pointer) -> Option<usize> {
        let mut node = &self.nodes[0];
        for segment in place.segments() {
            if node.owner.is_some() {
                break;
            }
            node = &self.nodes[*node.longer.get(segment.as_str())?];
        }
        node.owner
    }

    fn insert(&mut self, place: &'p Pointer) -> usize {
        let mut at = 0;
        for segment in place.segments() {
            let next = self.nodes.len();
            at = *self.nodes[at].longer.entry(segment).or_insert(next);
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        at
    }
}

/// The values at places. Of a repeated key the last one counts, as for the validator.
pub(crate) fn find_all<'a>(value: &'a Value, places: &[&Pointer]) -> Vec<Option<&'a Value>> {
    let mut tree = PointerTrie::new();
    let ends: Vec<usize> = places.iter().map(|it| tree.insert(it)).collect();
    let mut found: Vec<Option<&Value>> = vec![None; tree.nodes.len()];
    found[0] = Some(value);
    // A place is longer than the one it goes on from, and was added after it.
    for (at, node) in tree.nodes.iter().enumerate().filter(|it| !it.1.longer.is_empty()) {
        match found[at] {
            Some(Value::Object(members)) => {
                for (key, member) in members {
                    if let Some(next) = node.longer.get(key.as_str()) {
                        found[*next] = Some(member);
                    }
                }
            }
            Some(Value::Array(items)) =>
            {
                #[expect(clippy::iter_over_hash_type, reason = "each has a place of its own")]
                for (segment, next) in &node.longer {
                    found[*next] = segment.parse::<usize>().ok().and_then(|it| items.get(it));
                }
            }
            _ => {}
        }
    }
    ends.into_iter().map(|it| found[it]).collect()
}
