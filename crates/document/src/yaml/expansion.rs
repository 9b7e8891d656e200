//! Aliases: which nodes they stand for, and how large a document becomes when each is replaced by its target.

use ::yaml::{NodeKind, Tree};

use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};

/// The aliases of a stream.
#[derive(Default)]
pub(super) struct Aliases {
    /// (id of the alias, id of its target), by id of the alias.
    pairs: Vec<(u32, u32)>,
    /// The same the other way round, by id of the target.
    by_target: Vec<(u32, u32)>,
}

impl Aliases {
    /// Finds the aliases of a stream.
    ///
    /// # Errors
    /// If an alias stands inside its own target, or makes a document too deep or too large.
    pub(super) fn of(tree: &Tree, limits: &Limits) -> Result<Aliases, ParseError> {
        if tree.all_properties().iter().all(|it| it.anchor.is_empty()) {
            return Ok(Aliases::default());
        }
        let mut aliases = Aliases::default();
        for document in tree.documents() {
            let range = document.root..tree.skip(document.root);
            Expansion { tree, limits, open: Vec::new(), extents: Vec::new(), n_nodes: 0 }
                .read(range, &mut aliases.pairs)?;
        }
        aliases.by_target = aliases.pairs.iter().map(|it| (it.1, it.0)).collect();
        aliases.by_target.sort_unstable();
        Ok(aliases)
    }

    /// How many aliases stand for this node.
    pub(super) fn n_uses(&self, target: u32) -> usize {
        self.uses_of(target..target + 1).len()
    }

    /// The (target, alias) pairs of the targets in a range of ids.
    pub(super) fn uses_of(&self, targets: std::ops::Range<u32>) -> &[(u32, u32)] {
        range_of(&self.by_target, &targets)
    }
}

fn range_of<'a>(pairs: &'a [(u32, u32)], ids: &std::ops::Range<u32>) -> &'a [(u32, u32)] {
    let start = pairs.partition_point(|pair| pair.0 < ids.start);
    let end = start + pairs[start..].partition_point(|pair| pair.0 < ids.end);
    &pairs[start..end]
}

/// The size of a node after expansion.
#[derive(Clone, Copy, Default)]
struct Extent {
    n_nodes: usize,
    height: usize,
}

/// One document on the way through its nodes.
struct Expansion<'a> {
    tree: &'a Tree,
    limits: &'a Limits,
    /// The open collections, with what they hold so far.
    open: Vec<(u32, Extent)>,
    /// The complete nodes that have an anchor, with their extents, by id.
    extents: Vec<(u32, Extent)>,
    /// The nodes so far, after expansion.
    n_nodes: usize,
}

impl Expansion<'_> {
    fn read(
        mut self,
        ids: std::ops::Range<u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) -> Result<(), ParseError> {
        for id in ids.clone() {
            self.close_before(id);
            let Some(node) = self.tree.nodes().get(id as usize) else { break };
            let extent = match self.tree.target(id) {
                None => Extent { n_nodes: 1, height: 0 },
                Some(target) => {
                    pairs.push((id, target));
                    self.alias(node.span().start, target)?
                }
            };
            self.n_nodes = self.n_nodes.saturating_add(extent.n_nodes);
            if node.kind() == NodeKind::Alias {
                self.check(node.span().start, (id - ids.start) as usize + 1)?;
            }
            match node.kind().is_collection() {
                true => self.open.push((id, Extent { n_nodes: 1, height: 1 })),
                false => self.complete(id, extent),
            }
        }
        Ok(())
    }

    /// Completes the collections that end before a node.
    fn close_before(&mut self, id: u32) {
        while let Some((open, extent)) = self.open.pop_if(|it| self.tree.skip(it.0) <= id) {
            self.complete(open, extent);
        }
    }

    fn complete(&mut self, id: u32, extent: Extent) {
        if self.tree.nodes().get(id as usize).is_some_and(|node| node.has_properties()) {
            let at = self.extents.partition_point(|it| it.0 < id);
            self.extents.insert(at, (id, extent));
        }
        if let Some((_, outer)) = self.open.last_mut() {
            outer.n_nodes = outer.n_nodes.saturating_add(extent.n_nodes);
            outer.height = outer.height.max(extent.height + 1);
        }
    }

    fn alias(&self, at: u32, target: u32) -> Result<Extent, ParseError> {
        let Ok(index) = self.extents.binary_search_by_key(&target, |it| it.0) else {
            return Err(too_large(at, "the alias is inside the node that it refers to".into()));
        };
        let extent = self.extents[index].1;
        if self.open.len() + extent.height > self.limits.max_depth {
            let limit = self.limits.max_depth;
            let message = format!("collections are nested more than {limit} levels deep");
            return Err(too_large(at, message));
        }
        Ok(extent)
    }

    /// Aliases may not make a document of more nodes than the limit; a long document without them may have more.
    fn check(&self, at: u32, n_written: usize) -> Result<(), ParseError> {
        let limit = self.limits.max_expanded_nodes;
        if self.n_nodes <= limit || self.n_nodes <= n_written {
            return Ok(());
        }
        let message = format!("the aliases would expand the document to more than {limit} nodes");
        Err(too_large(at, message))
    }
}

fn too_large(offset: u32, message: String) -> ParseError {
    ParseError { kind: ParseErrorKind::TooLarge, offset, message }
}
