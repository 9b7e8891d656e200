//! YAML 1.2, block and flow.
//!
//! Plain scalars are read by the core schema. Keys are their characters whatever their type, so `1: a` has the
//! key `1`. A key that is not a scalar is shown as it is written, and its map is not edited. A stream of several
//! documents has a tree for each.

mod ambiguous;
mod anchors;
mod block;
mod duplicates;
mod expansion;
mod flow;
mod lower;
mod moved;
mod read;
mod render;
mod replace;
mod resolve;
mod scalar;
mod scan;
mod splice;
mod style;
mod tree;

pub(crate) use read::parse;

use std::ops::Range;

use edit::Edit;

use crate::draft::Draft;
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{Child, ItemSpans, NodeId, SyntaxKind, SyntaxTree};
use crate::value::Value;
use crate::view::Content;
use tree::{NodeKind, YamlTree};

impl SyntaxTree for YamlTree {
    fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn n_documents(&self) -> usize {
        YamlTree::n_documents(self)
    }

    fn root_of(&self, document: usize) -> Option<NodeId> {
        YamlTree::root_of(self, document).map(NodeId)
    }

    fn kind(&self, node: NodeId) -> SyntaxKind {
        match self.shape(YamlTree::id(node)) {
            NodeKind::Alias => SyntaxKind::Alias,
            shape if shape.is_mapping() => SyntaxKind::Object,
            shape if shape.is_sequence() => SyntaxKind::Array,
            _ => SyntaxKind::Scalar,
        }
    }

    fn children(&self, node: NodeId) -> Vec<Child<'_>> {
        let mut children = Vec::new();
        self.each_entry(YamlTree::id(node), |entry| {
            let key = entry.key.map(|key| self.key_text(key));
            children.push(Child { key, node: NodeId(entry.value) });
        });
        children
    }

    fn next_child(&self, container: NodeId, at: &mut u32) -> Option<Child<'_>> {
        let container = YamlTree::id(container);
        let shape = self.shape(container);
        let next = if *at == 0 { container + 1 } else { *at };
        if !shape.is_collection() || next >= self.skip(container) {
            return None;
        }
        let value = if shape.is_mapping() { self.skip(next) } else { next };
        *at = self.skip(value);
        let key = shape.is_mapping().then(|| self.key_text(next));
        Some(Child { key, node: NodeId(value) })
    }

    fn scalar_content(&self, node: NodeId) -> Content<'_> {
        let id = YamlTree::id(node);
        match self.props(id).and_then(|props| props.tag) {
            None => resolve::untagged(self.scalar_text(id), self.shape(id)),
            Some(_) => self.scalar(node).into(),
        }
    }

    fn scalar(&self, node: NodeId) -> Value {
        let id = YamlTree::id(node);
        let tag = self.props(id).and_then(|props| props.tag).map(|(_, kind)| kind);
        resolve::resolve(&self.scalar_text(id), self.shape(id), tag)
    }

    fn merged_value(&self, node: NodeId) -> Value {
        match self.kind(node) {
            SyntaxKind::Scalar => self.scalar(node),
            SyntaxKind::Alias => {
                self.alias_target(node).map_or(Value::Null, |it| self.merged_value(it))
            }
            SyntaxKind::Array => {
                let items = self.children(node).into_iter();
                Value::Array(items.map(|it| self.merged_value(it.node)).collect())
            }
            SyntaxKind::Object => {
                let merges = anchors::merges(self, YamlTree::id(node));
                let mut merged = Some(self.merged(node)).filter(|_| !merges.is_empty());
                let mut members = Vec::new();
                for child in self.children(node) {
                    let brought = match merges.contains(&child.node.0) {
                        true => merged.take().unwrap_or_default(),
                        false => vec![child],
                    };
                    members.extend(brought.into_iter().map(|it| {
                        (it.key.unwrap_or_default().into_owned(), self.merged_value(it.node))
                    }));
                }
                Value::Object(members)
            }
        }
    }

    fn merged(&self, object: NodeId) -> Vec<Child<'_>> {
        anchors::merged(self, YamlTree::id(object))
    }

    fn is_merge(&self, member: NodeId) -> bool {
        self.key_of(YamlTree::id(member)).is_some_and(|key| self.is_merge_key(key))
    }

    fn alias_target(&self, node: NodeId) -> Option<NodeId> {
        self.target(YamlTree::id(node)).map(NodeId)
    }

    fn span(&self, node: NodeId) -> Range<u32> {
        let node = self.node(YamlTree::id(node));
        node.start..scan::before_break(self.bytes(), node.start, node.end)
    }

    fn key_span(&self, node: NodeId) -> Option<Range<u32>> {
        self.key_of(YamlTree::id(node)).map(|key| self.span(NodeId(key)))
    }

    fn blocked(&self, document: usize) -> Option<Refusal> {
        YamlTree::blocked(self, document)
    }

    fn comments(&self) -> Vec<Range<u32>> {
        self.arena().comments().iter().map(|it| it.start..it.end).collect()
    }

    fn items(&self, array: NodeId) -> Option<ItemSpans> {
        let id = YamlTree::id(array);
        let is_block = self.shape(id) == NodeKind::BlockSequence;
        let span = |entry: tree::MemberNodes| {
            let (start, end) = (self.entry_start(entry, is_block), self.entry_end(entry));
            if is_block { start..block::end_with_comments(self, start, end) } else { start..end }
        };
        let spans = self.entries(id).into_iter().map(span).collect();
        Some(ItemSpans { spans, is_listed: !is_block })
    }

    fn refuses_change_inside(&self, node: NodeId) -> Option<Refusal> {
        anchors::refuses_change_inside(self, YamlTree::id(node))
    }

    fn refuses_removal(&self, node: NodeId) -> Option<Refusal> {
        anchors::refuses_removal(self, YamlTree::id(node))
    }

    fn refuses_new_key(&self, object: NodeId, key: &str) -> Option<Refusal> {
        anchors::refuses_new_key(self, YamlTree::id(object), key)
    }

    fn refuses_value(&self, value: &Value) -> Option<RefusalReason> {
        let what = value.find_in_scalars(scalar::inexpressible)?;
        Some(RefusalReason::NotExpressible { format: "YAML", what: what.to_string() })
    }

    fn lower(&self, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
        lower::lower(self, draft)
    }
}
