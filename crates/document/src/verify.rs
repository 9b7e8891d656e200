//! The last word on every lowering: the edited text is parsed again and must read as the draft.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::hash::HashSet;
use edit::{EditSet, Text};

use crate::document::{self, Document};
use crate::draft::{Draft, Node};
use crate::limits::Limits;
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{Child, NodeId, SyntaxKind};

/// The edited text; refuses edits whose result does not read as `draft`.
pub(crate) fn check(draft: &Draft, edits: &EditSet) -> Result<Text, Refusal> {
    let document = draft.document();
    let offset = edits.edits().first().map_or(0, |edit| edit.start);
    let (edited, reread) =
        reread(document, edits).map_err(|reason| Refusal::new(reason, offset))?;
    let comparison = Comparison {
        draft,
        old: document,
        new: &reread,
        compared_targets: RefCell::default(),
        differs_at: Cell::new(None),
    };
    if comparison.documents() {
        Ok(edited)
    } else {
        let offset = comparison.differs_at.get().unwrap_or(offset);
        Err(Refusal::new(RefusalReason::NotVerified, offset))
    }
}

/// The edited text, parsed again.
pub(crate) fn reread(
    document: &Document,
    edits: &EditSet,
) -> Result<(Text, Arc<Document>), RefusalReason> {
    let edited = edits.apply(document.text()).map_err(RefusalReason::Edits)?;
    // The text was accepted under its own limits; an edit may add to it, but not without bound.
    let limits = Limits { max_bytes: usize::MAX, ..Limits::DEFAULT };
    let reread = document::parse(&edited, document.format(), &limits)
        .map_err(|error| RefusalReason::NotParsed { message: error.message })?;
    Ok((edited, reread))
}

struct Comparison<'a> {
    draft: &'a Draft,
    old: &'a Document,
    new: &'a Document,
    compared_targets: RefCell<HashSet<(NodeId, NodeId)>>,
    /// Where the innermost parsed node stands that does not read as the draft has it.
    differs_at: Cell<Option<u32>>,
}

impl Comparison<'_> {
    /// Whether every document reads as the draft has it, and none that was changed is beyond editing now.
    fn documents(&self) -> bool {
        let (old, new) = (self.old.source(), self.new.source());
        let is_equal = |(index, &root): (usize, &Node)| {
            let is_blocked = || new.blocked(index).is_some() && old.blocked(index).is_none();
            let found = new.root_of(index);
            found.is_some_and(|found| self.node(root, found)) && !is_blocked()
        };
        new.n_documents() == old.n_documents()
            && self.draft.roots().iter().enumerate().all(is_equal)
    }

    fn node(&self, expected: Node, found: NodeId) -> bool {
        let is_equal = self.is_equal(expected, found);
        if let Node::Base(base) = expected
            && !is_equal
            && self.differs_at.get().is_none()
        {
            self.differs_at.set(Some(self.old.source().span(base).start));
        }
        is_equal
    }

    fn is_equal(&self, expected: Node, found: NodeId) -> bool {
        if let Some(scalar) = self.draft.new_scalar(expected) {
            return self.new.source().kind(found) == SyntaxKind::Scalar
                && self.new.source().scalar(found) == *scalar;
        }
        let Some(members) = self.draft.members(expected) else {
            return match expected {
                Node::Base(base) => self.parsed(base, found),
                Node::New(_) => false,
            };
        };
        let kind = self.draft.kind(expected);
        let children = self.new.source().children(found);
        if self.new.source().kind(found) != kind || children.len() != members.len() {
            return false;
        }
        if kind == SyntaxKind::Array {
            return members
                .iter()
                .zip(&children)
                .all(|(member, child)| self.node(member.node, child.node));
        }
        if !self.new.source().keeps_key_order() {
            let keys = self.draft.keys(expected, &members).into_iter();
            let expected = keys.zip(members.iter().map(|it| it.node)).collect();
            return self.match_members(expected, children, |node, found| self.node(node, found));
        }
        // Large maps are common and mostly as they were: nothing is collected here.
        let parsed = match expected {
            Node::Base(base) => self.old.source().children(base),
            Node::New(_) => Vec::new(),
        };
        members.iter().zip(&children).all(|(member, child)| {
            let origin = member.origin.and_then(|origin| parsed.get(origin as usize));
            let key = member.new_key.or_else(|| origin.and_then(|it| it.key.as_deref()));
            child.key.as_deref() == key && self.node(member.node, child.node)
        })
    }

    /// Pairs the members of two objects by key and compares each pair.
    fn match_members<T>(
        &self,
        mut expected: Vec<(Cow<'_, str>, T)>,
        mut found: Vec<Child<'_>>,
        is_equal: impl Fn(T, NodeId) -> bool,
    ) -> bool {
        if !self.new.source().keeps_key_order() {
            expected.sort_by(|left, right| left.0.cmp(&right.0));
            found.sort_by(|left, right| left.key.cmp(&right.key));
        }
        expected.len() == found.len()
            && expected.into_iter().zip(found).all(|((key, expected), found)| {
                found.key.as_deref().unwrap_or_default() == key && is_equal(expected, found.node)
            })
    }

    /// Whether a node that no operation came near reads as before.
    fn parsed(&self, expected: NodeId, found: NodeId) -> bool {
        let (old, new) = (self.old.source(), self.new.source());
        let kind = old.kind(expected);
        if kind != new.kind(found) {
            return false;
        }
        if old.bytes_decide() && self.bytes(self.old, expected) == self.bytes(self.new, found) {
            return true;
        }
        match kind {
            SyntaxKind::Scalar => old.scalar(expected) == new.scalar(found),
            SyntaxKind::Alias => match (old.alias_target(expected), new.alias_target(found)) {
                // Each pair of targets is compared once: aliases of aliases would take exponential time.
                (Some(expected), Some(found)) => {
                    !self.compared_targets.borrow_mut().insert((expected, found))
                        || self.node(Node::Base(expected), found)
                }
                _ => false,
            },
            SyntaxKind::Array => {
                let (expected, found) = (old.children(expected), new.children(found));
                expected.len() == found.len()
                    && expected.iter().zip(&found).all(|(old, new)| self.parsed(old.node, new.node))
            }
            SyntaxKind::Object => {
                let expected = old.children(expected).into_iter();
                let expected = expected.map(|it| (it.key.unwrap_or_default(), it.node)).collect();
                self.match_members(expected, new.children(found), |old, new| self.parsed(old, new))
            }
        }
    }

    fn bytes<'d>(&self, document: &'d Document, node: NodeId) -> Option<&'d [u8]> {
        let span = document.source().span(node);
        document.text().bytes().get(span.start as usize..span.end as usize)
    }
}
