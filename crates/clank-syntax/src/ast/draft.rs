//! A tree that is being changed.
//!
//! It starts as the nodes of a tree, in their places. Nodes come and go, lists grow, and a node's place may be taken by
//! another one; in the end what can be reached from the program is put in order again. A node that comes from the tree
//! before keeps its id, its span and its comments.

use std::collections::{BTreeMap, HashMap};

use super::ids::{Inherited, LazyIds};
use super::{
    Ast, AstKind, Comments, GivenSpan, Name, Node, NodeId, ProgramId, Source, SourceId,
    for_each_child, for_each_slot,
};
use crate::span::Span;

/// A tree that is being changed. Its nodes have places, the first ones those of the tree before.
#[derive(Debug)]
pub(crate) struct AstDraft<'a> {
    old: &'a Ast,
    nodes: Vec<Node>,
    parents: Vec<Option<NodeId>>,
    /// Which node of the tree before it is, by place.
    origins: Vec<Option<NodeId>>,
    /// Where a node of the tree before is, if not in its own place.
    moved: HashMap<NodeId, NodeId>,
    sources: Vec<Source>,
    ids: BTreeMap<NodeId, Name>,
    comments: BTreeMap<NodeId, Comments>,
    given_spans: BTreeMap<NodeId, GivenSpan>,
}

/// Why a draft is not a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DraftError {
    /// A node would stand at two places.
    TwoPlaces(Name),
    /// An id would be given to two nodes.
    TwoNodes(Name),
}

/// A draft put in order.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ast: Ast,
    /// Which node of the tree before each node is.
    pub(crate) origins: Vec<Option<NodeId>>,
    /// Whether a place of the draft is in the tree.
    pub(crate) is_reached: Vec<bool>,
}

impl<'a> AstDraft<'a> {
    pub(crate) fn new(old: &'a Ast) -> AstDraft<'a> {
        AstDraft {
            old,
            nodes: old.nodes.clone(),
            parents: old.parents(),
            origins: (0..old.nodes.len() as u32).map(|it| Some(NodeId(it))).collect(),
            moved: HashMap::new(),
            sources: old.sources.clone(),
            ids: BTreeMap::new(),
            comments: old.comments.clone(),
            given_spans: old.given_spans.clone(),
        }
    }

    /// The tree before.
    pub(crate) fn old(&self) -> &'a Ast {
        self.old
    }

    /// Where a node of the tree before is now.
    pub(crate) fn place(&self, old: NodeId) -> NodeId {
        self.moved.get(&old).copied().unwrap_or(old)
    }

    pub(crate) fn kind(&self, at: NodeId) -> &AstKind {
        &self.nodes[at.index()].kind
    }

    /// What a node is, to be changed. After its children changed, call [`AstDraft::adopt`].
    pub(crate) fn kind_mut(&mut self, at: NodeId) -> &mut AstKind {
        &mut self.nodes[at.index()].kind
    }

    pub(crate) fn parent(&self, at: NodeId) -> Option<NodeId> {
        self.parents[at.index()]
    }

    /// Adds a node that is in no text.
    pub(crate) fn add(&mut self, kind: AstKind) -> NodeId {
        self.push(Node { kind, span: Span::default(), source: SourceId(0) })
    }

    fn push(&mut self, node: Node) -> NodeId {
        let at = NodeId(u32::try_from(self.nodes.len()).expect("a patch is smaller than 4 GiB"));
        self.nodes.push(node);
        self.parents.push(None);
        self.origins.push(None);
        self.adopt(at);
        at
    }

    /// Makes a node the parent of its children.
    pub(crate) fn adopt(&mut self, at: NodeId) {
        let parents = &mut self.parents;
        for_each_child(&self.nodes[at.index()].kind, &mut |it| parents[it.index()] = Some(at));
    }

    /// Adds all nodes of another tree, with their ids, spans and comments. Returns how far their places are from those
    /// that they have there.
    pub(crate) fn graft(&mut self, other: Ast) -> u32 {
        let shift = self.nodes.len() as u32;
        let first_source = self.sources.len() as u32;
        self.sources.extend(other.sources);
        for mut node in other.nodes {
            node.source.0 += first_source;
            for_each_slot(&mut node.kind, &mut |it| it.0 += shift);
            self.push(node);
        }
        let there = |it: NodeId| NodeId(it.0 + shift);
        self.ids.extend(other.ids.given().iter().map(|(at, id)| (there(*at), id.clone())));
        self.comments.extend(other.comments.into_iter().map(|(at, it)| (there(at), it)));
        self.given_spans.extend(other.given_spans.into_iter().map(|(at, it)| (there(at), it)));
        shift
    }

    /// Forgets an id that a new node was given.
    pub(crate) fn take_id(&mut self, at: NodeId) -> Option<Name> {
        self.ids.remove(&at)
    }

    /// Puts other nodes in place of children, in all nodes from `first` on.
    pub(crate) fn put_children_from(&mut self, first: NodeId, put: &HashMap<NodeId, NodeId>) {
        if put.is_empty() {
            return;
        }
        for index in first.index()..self.nodes.len() {
            for_each_slot(&mut self.nodes[index].kind, &mut |slot| {
                if let Some(other) = put.get(slot) {
                    *slot = *other;
                }
            });
            self.adopt(NodeId(index as u32));
        }
    }

    /// Puts what is at `new` at `at`. What was there goes; the new one inherits its id.
    pub(crate) fn replace(&mut self, at: NodeId, new: NodeId) {
        let node = self.nodes[new.index()].clone();
        self.nodes[at.index()] = node;
        self.ids.remove(&new);
        self.given_spans.remove(&at);
        if let Some(span) = self.given_spans.remove(&new) {
            self.given_spans.insert(at, span);
        }
        if let Some(comments) = self.comments.remove(&new) {
            self.add_comments(at, comments);
        }
        self.adopt(at);
    }

    /// Puts another node of the draft where one is, which goes.
    pub(crate) fn redirect(&mut self, at: NodeId, to: NodeId) {
        let Some(parent) = self.parent(at) else { return };
        for_each_slot(&mut self.nodes[parent.index()].kind, &mut |slot| {
            if *slot == at {
                *slot = to;
            }
        });
        self.adopt(parent);
    }

    /// Makes room for a node around another: what is at `at` goes to a new place, which is returned, and keeps its id.
    /// The node that comes to `at` is a new one.
    pub(crate) fn make_room(&mut self, at: NodeId) -> NodeId {
        let inner = self.push(self.nodes[at.index()].clone());
        if let Some(origin) = self.origins[at.index()].take() {
            self.origins[inner.index()] = Some(origin);
            self.moved.insert(origin, inner);
        }
        if let Some(id) = self.ids.remove(&at) {
            self.ids.insert(inner, id);
        }
        if let Some(comments) = self.comments.remove(&at) {
            self.comments.insert(inner, comments);
        }
        if let Some(span) = self.given_spans.remove(&at) {
            self.given_spans.insert(inner, span);
        }
        inner
    }

    /// Puts a new node where [`AstDraft::make_room`] made room.
    pub(crate) fn fill(&mut self, at: NodeId, new: NodeId) {
        self.nodes[at.index()] = self.nodes[new.index()].clone();
        if let Some(id) = self.ids.remove(&new) {
            self.ids.insert(at, id);
        }
        if let Some(comments) = self.comments.remove(&new) {
            self.comments.insert(at, comments);
        }
        if let Some(span) = self.given_spans.remove(&new) {
            self.given_spans.insert(at, span);
        }
        self.adopt(at);
    }

    /// Adds comments to those that a node has.
    pub(crate) fn add_comments(&mut self, at: NodeId, more: Comments) {
        let comments = self.comments.entry(at).or_default();
        comments.leading.extend(more.leading);
        comments.trailing.extend(more.trailing);
    }

    /// Takes the comments of a node and of those below it, in the order in which they are written.
    pub(crate) fn take_comments(&mut self, at: NodeId) -> Vec<(NodeId, Comments)> {
        let mut all = Vec::new();
        if self.comments.is_empty() {
            return all;
        }
        let mut work = vec![at];
        while let Some(at) = work.pop() {
            all.extend(self.comments.remove(&at).map(|it| (at, it)));
            let n_before = work.len();
            for_each_child(self.kind(at), &mut |it| work.push(it));
            work[n_before..].reverse();
        }
        all
    }

    /// The tree that can be reached from the program, in order.
    pub(crate) fn finish(mut self) -> Result<Finished, DraftError> {
        let order = self.order()?;
        let old_ids = self.old.ids();
        let mut new_places = vec![0; self.nodes.len()];
        let mut is_reached = vec![false; self.nodes.len()];
        let mut nodes = Vec::with_capacity(order.len());
        let mut origins = Vec::with_capacity(order.len());
        let mut given = BTreeMap::new();
        let mut numbers = Vec::with_capacity(order.len());
        let (mut comments, mut given_spans) = (BTreeMap::new(), BTreeMap::new());
        for (index, at) in order.into_iter().enumerate() {
            let new = NodeId(index as u32);
            new_places[at.index()] = new.0;
            is_reached[at.index()] = true;
            let mut kind = std::mem::replace(
                &mut self.nodes[at.index()].kind,
                AstKind::Program(super::Program { declarations: Box::new([]) }),
            );
            for_each_slot(&mut kind, &mut |it| it.0 = new_places[it.index()]);
            nodes.push(Node { kind, ..self.nodes[at.index()] });
            let origin = self.origins[at.index()];
            origins.push(origin);
            numbers.push(origin.map_or(0, |it| old_ids.number(it)));
            let old_id = origin.and_then(|it| old_ids.given().get(&it).cloned());
            if let Some(id) = old_id.or_else(|| self.ids.remove(&at)) {
                given.insert(new, id);
            }
            if let Some(it) = self.comments.remove(&at) {
                comments.insert(new, it);
            }
            if let Some(it) = self.given_spans.remove(&at) {
                given_spans.insert(new, it);
            }
        }
        let root = ProgramId::assume(NodeId(nodes.len() as u32 - 1));
        let inherited = Inherited { numbers, next: old_ids.next_number() };
        let ids = LazyIds::inheriting(given, inherited).map_err(DraftError::TwoNodes)?;
        let sources = self.sources;
        let ast = Ast { nodes, root, sources, ids, comments, given_spans, is_as_read: false };
        Ok(Finished { ast, origins, is_reached })
    }

    /// The places that can be reached from the program, children before parents.
    fn order(&self) -> Result<Vec<NodeId>, DraftError> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut work = vec![(self.old.root.0, false)];
        while let Some((at, is_done)) = work.pop() {
            if is_done {
                order.push(at);
                continue;
            }
            if std::mem::replace(&mut is_seen[at.index()], true) {
                return Err(DraftError::TwoPlaces(self.id_of(at).unwrap_or_default()));
            }
            work.push((at, true));
            let n_before = work.len();
            for_each_child(&self.nodes[at.index()].kind, &mut |it| work.push((it, false)));
            work[n_before..].reverse();
        }
        Ok(order)
    }

    /// The id by which a place is known, for messages.
    fn id_of(&self, at: NodeId) -> Option<Name> {
        match self.origins[at.index()] {
            Some(origin) => Some(self.old.ids().id(origin)),
            None => self.ids.get(&at).cloned(),
        }
    }
}
