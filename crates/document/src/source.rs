//! What a parsed text tells the rest of the crate, whatever its format.

use std::borrow::Cow;
use std::ops::Range;

use edit::Edit;

use crate::draft::Draft;
use crate::refusal::{Refusal, RefusalReason};
use crate::value::Value;
use crate::view::Content;

/// A node of a parsed text. Ids are in document order: a container comes before what it holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyntaxKind {
    Scalar,
    Array,
    Object,
    /// A YAML alias: stands for another node.
    Alias,
}

/// A member of a container. `key` is there exactly for members of objects.
#[derive(Clone, Debug)]
pub(crate) struct Child<'a> {
    pub(crate) key: Option<Cow<'a, str>>,
    pub(crate) node: NodeId,
}

/// How the items of an array stand in the text.
pub(crate) struct ItemSpans {
    /// In order and disjoint.
    pub(crate) spans: Vec<Range<u32>>,
    /// Whether they stand between brackets, with commas. If not, each has lines of its own, and its span takes in
    /// the comment lines below that are about it.
    pub(crate) is_listed: bool,
}

/// A parsed text as a tree of nodes, and the way back from an overlay of it to byte edits.
pub(crate) trait SyntaxTree {
    /// The node that holds all others.
    fn root(&self) -> NodeId;

    /// How many documents the text holds: one, but for YAML streams.
    fn n_documents(&self) -> usize {
        1
    }

    /// The root of one of the documents.
    fn root_of(&self, document: usize) -> Option<NodeId> {
        (document == 0).then(|| self.root())
    }

    fn kind(&self, node: NodeId) -> SyntaxKind;

    /// The members of an array or object in document order; empty for scalars and aliases.
    fn children(&self, node: NodeId) -> Vec<Child<'_>>;

    /// The members of an array or object one by one: `at` says where to go on, and is 0 at first.
    fn next_child(&self, container: NodeId, at: &mut u32) -> Option<Child<'_>>;

    /// The value of a scalar. Callers never pass another kind.
    fn scalar(&self, node: NodeId) -> Value;

    /// The value of a scalar, borrowed where that can be. Callers never pass another kind.
    fn scalar_content(&self, node: NodeId) -> Content<'_> {
        self.scalar(node).into()
    }

    /// The value of any node, aliases expanded.
    fn value(&self, node: NodeId) -> Value {
        match self.kind(node) {
            SyntaxKind::Scalar => self.scalar(node),
            SyntaxKind::Alias => self.alias_target(node).map_or(Value::Null, |it| self.value(it)),
            SyntaxKind::Array => {
                Value::Array(self.children(node).iter().map(|it| self.value(it.node)).collect())
            }
            SyntaxKind::Object => {
                let children = self.children(node).into_iter();
                let member =
                    |it: Child<'_>| (it.key.unwrap_or_default().into_owned(), self.value(it.node));
                Value::Object(children.map(member).collect())
            }
        }
    }

    /// The value of any node, aliases expanded and YAML merges (`<<`) resolved.
    fn merged_value(&self, node: NodeId) -> Value {
        self.value(node)
    }

    /// The members that a YAML merge (`<<`) brings into an object, those that it has itself left out; in order.
    fn merged(&self, _object: NodeId) -> Vec<Child<'_>> {
        Vec::new()
    }

    /// Whether the key of this member is a YAML merge.
    fn is_merge(&self, _member: NodeId) -> bool {
        false
    }

    /// What an alias stands for. `None` for every other kind.
    fn alias_target(&self, _node: NodeId) -> Option<NodeId> {
        None
    }

    /// The bytes of the value (for a TOML table that is spread out: its header or first key).
    fn span(&self, node: NodeId) -> Range<u32>;

    /// The bytes of the key of a member of an object.
    fn key_span(&self, node: NodeId) -> Option<Range<u32>>;

    /// The bytes of every comment, in order; a comment to the end of its line is without the line end.
    fn comments(&self) -> Vec<Range<u32>>;

    /// Where the items of an array stand; `None` if they are spread among other things.
    fn items(&self, array: NodeId) -> Option<ItemSpans>;

    /// Why nothing in this document of the text may be edited structurally.
    fn blocked(&self, document: usize) -> Option<Refusal>;

    /// Why nothing may be changed inside this container or alias, though it may be replaced as a whole.
    fn refuses_change_inside(&self, _node: NodeId) -> Option<Refusal> {
        None
    }

    /// Why this node, with all it holds, may not be replaced, removed or moved.
    fn refuses_removal(&self, _node: NodeId) -> Option<Refusal> {
        None
    }

    /// Why a key that the object does not have may not be created (a YAML merge provides it).
    fn refuses_new_key(&self, _object: NodeId, _key: &str) -> Option<Refusal> {
        None
    }

    /// Why no text of this format can hold the value, whatever its place.
    fn refuses_value(&self, _value: &Value) -> Option<RefusalReason> {
        None
    }

    /// Whether equal bytes of two nodes of this format mean equal values wherever they stand.
    fn bytes_decide(&self) -> bool {
        false
    }

    /// Whether the members of an object stand in the text in the order of the draft. TOML puts a table's own
    /// keys before its sub-tables, whatever the order they were added in.
    fn keeps_key_order(&self) -> bool {
        true
    }

    /// The edits that turn the text into one that reads as the draft.
    fn lower(&self, draft: &Draft) -> Result<Vec<Edit>, Refusal>;
}
