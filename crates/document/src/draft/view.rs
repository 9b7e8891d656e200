//! What lowering and verification see of a draft: the members of its containers, and where each came from.

use std::borrow::Cow;

use super::{Draft, Node};
use crate::source::{NodeId, SyntaxKind};
use crate::value::{JsonType, Value};

/// A live member of an opened container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LiveMember<'a> {
    /// Which member of the parsed container this is; `None` for an inserted one. Ascending.
    pub(crate) origin: Option<u32>,
    /// The key of a new or renamed member of an object.
    pub(crate) new_key: Option<&'a str>,
    pub(crate) node: Node,
}

impl Draft {
    /// The root of the document that pointers mean.
    pub(crate) fn root(&self) -> Node {
        self.roots[self.current]
    }

    /// The roots of all documents of the text.
    pub(crate) fn roots(&self) -> &[Node] {
        &self.roots
    }

    /// The live members of a container that was opened or is new; `None` for scalars, aliases and containers
    /// that no operation came near.
    pub(crate) fn members(&self, node: Node) -> Option<Vec<LiveMember<'_>>> {
        let container = self.opened.get(&node)?;
        let live = container.members.iter().filter(|slot| !slot.is_removed);
        Some(
            live.map(|slot| LiveMember {
                origin: slot.origin,
                new_key: slot.new_key.as_deref(),
                node: slot.node,
            })
            .collect(),
        )
    }

    /// The value of a new scalar.
    pub(crate) fn new_scalar(&self, node: Node) -> Option<&Value> {
        match node {
            Node::New(id) => self.fresh[id as usize].as_ref(),
            Node::Base(_) => None,
        }
    }

    pub(crate) fn kind(&self, node: Node) -> SyntaxKind {
        match node {
            Node::Base(base) => self.document.source().kind(base),
            Node::New(_) => match self.opened.get(&node) {
                Some(container) if container.is_object => SyntaxKind::Object,
                Some(_) => SyntaxKind::Array,
                None => SyntaxKind::Scalar,
            },
        }
    }

    /// Whether everything in this parsed node is as it was.
    pub(crate) fn is_as_parsed(&self, base: NodeId) -> bool {
        let Some(container) = self.opened.get(&Node::Base(base)) else {
            return true;
        };
        let children = self.document.source().children(base);
        container.members.len() == children.len()
            && container.members.iter().zip(&children).all(|(slot, child)| {
                !slot.is_removed
                    && slot.origin.is_some()
                    && slot.new_key.is_none()
                    && slot.node == Node::Base(child.node)
                    && self.is_as_parsed(child.node)
            })
    }

    /// Whether no more than `room` containers are nested in a node, itself included. An alias counts as a scalar.
    pub(crate) fn fits(&self, node: Node, room: usize) -> bool {
        let kind = self.kind(node);
        if !matches!(kind, SyntaxKind::Array | SyntaxKind::Object) {
            return true;
        }
        let Some(room) = room.checked_sub(1) else {
            return false;
        };
        match (self.members(node), node) {
            (Some(members), _) => members.iter().all(|it| self.fits(it.node, room)),
            (None, Node::Base(base)) => {
                let children = self.document.source().children(base);
                children.iter().all(|it| self.fits(Node::Base(it.node), room))
            }
            (None, Node::New(_)) => true,
        }
    }

    /// The value of a node as the draft has it, aliases expanded.
    pub(crate) fn value_of(&self, node: Node) -> Value {
        if let Some(scalar) = self.new_scalar(node) {
            return scalar.clone();
        }
        let Some(members) = self.members(node) else {
            return match node {
                Node::Base(base) => self.document.value_of(base),
                Node::New(_) => Value::Null,
            };
        };
        if self.kind(node) == SyntaxKind::Array {
            return Value::Array(members.iter().map(|it| self.value_of(it.node)).collect());
        }
        let keys = self.keys(node, &members);
        Value::Object(
            keys.into_iter()
                .zip(members)
                .map(|(key, it)| (key.into_owned(), self.value_of(it.node)))
                .collect(),
        )
    }

    /// The keys of an opened object's members, as the draft has them.
    pub(crate) fn keys<'a>(&'a self, node: Node, members: &[LiveMember<'a>]) -> Vec<Cow<'a, str>> {
        let mut children = match node {
            Node::Base(base) => self.document.source().children(base),
            Node::New(_) => Vec::new(),
        };
        let mut parsed = |origin: Option<u32>| {
            let child = children.get_mut(usize::try_from(origin?).ok()?)?;
            child.key.take()
        };
        let key = |it: &LiveMember<'a>| match it.new_key {
            Some(key) => Cow::Borrowed(key),
            None => parsed(it.origin).unwrap_or_default(),
        };
        members.iter().map(key).collect()
    }

    pub(super) fn type_of(&self, node: Node) -> JsonType {
        match (self.kind(node), node) {
            (SyntaxKind::Array, _) => JsonType::Array,
            (SyntaxKind::Object, _) => JsonType::Object,
            (SyntaxKind::Alias, Node::Base(base)) => {
                match self.document.source().alias_target(base) {
                    Some(target) => self.type_of(Node::Base(target)),
                    None => JsonType::Null,
                }
            }
            _ => self.value_of(node).json_type(),
        }
    }
}
