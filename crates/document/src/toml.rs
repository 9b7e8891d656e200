//! TOML 1.0 and 1.1: a tree of spans with a parser of its own, and lowering to byte edits.
//!
//! One table of TOML may be spelled in several places: by a header, by the headers of its sub-tables, by dotted
//! keys. The tree therefore keeps *statements* (headers, `key = value` lines and the entries of inline tables)
//! beside the nodes, and every place where a key is spelled (its *uses*). Lowering works on statements: it
//! removes, inserts and respells whole lines, and never writes a document anew.

mod comments;
mod emit;
mod layout;
mod lower;
mod parse;
mod scalar;
mod tree;

pub(crate) use parse::parse;

use std::ops::Range;

use edit::Edit;

use crate::draft::Draft;
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{Child, ItemSpans, NodeId, SyntaxKind, SyntaxTree};
use crate::value::Value;
use crate::view::Content;
use tree::{NONE, NodeForm, TomlTree};

impl SyntaxTree for TomlTree {
    fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn kind(&self, node: NodeId) -> SyntaxKind {
        match self.form(node.0) {
            NodeForm::Array | NodeForm::ArrayOfTables => SyntaxKind::Array,
            form if form.is_table() => SyntaxKind::Object,
            _ => SyntaxKind::Scalar,
        }
    }

    fn children(&self, node: NodeId) -> Vec<Child<'_>> {
        let has_keys = self.form(node.0).is_table();
        self.child_ids(node.0)
            .map(|child| Child { key: has_keys.then(|| self.key(child)), node: NodeId(child) })
            .collect()
    }

    fn next_child(&self, container: NodeId, at: &mut u32) -> Option<Child<'_>> {
        let last = self.node(container.0).last_child;
        // The root is nobody's child, so that 0 is the start, and the last child is where it ends.
        let child = match *at {
            _ if last == NONE => return None,
            0 => self.node(last).next,
            before if before == last => return None,
            before => self.node(before).next,
        };
        *at = child;
        let key = self.form(container.0).is_table().then(|| self.key(child));
        Some(Child { key, node: NodeId(child) })
    }

    fn scalar_content(&self, node: NodeId) -> Content<'_> {
        scalar::content(self.form(node.0), self.slice(self.value_span(node.0)))
    }

    fn scalar(&self, node: NodeId) -> Value {
        scalar::value(self.form(node.0), self.slice(self.value_span(node.0)))
    }

    fn span(&self, node: NodeId) -> Range<u32> {
        self.value_span(node.0)
    }

    fn key_span(&self, node: NodeId) -> Option<Range<u32>> {
        self.key_use(node.0).map(|it| it.start..it.end)
    }

    fn blocked(&self, _document: usize) -> Option<Refusal> {
        None
    }

    fn comments(&self) -> Vec<Range<u32>> {
        comments::comments(self.text.bytes())
    }

    fn items(&self, array: NodeId) -> Option<ItemSpans> {
        if self.form(array.0) == NodeForm::ArrayOfTables {
            let spans = layout::section_spans(self, array.0)?;
            return Some(ItemSpans { spans, is_listed: false });
        }
        let spans = self.child_ids(array.0).map(|item| self.value_span(item)).collect();
        Some(ItemSpans { spans, is_listed: true })
    }

    fn keeps_key_order(&self) -> bool {
        false
    }

    fn refuses_value(&self, value: &Value) -> Option<RefusalReason> {
        let what = value.find_in_scalars(emit::inexpressible)?;
        Some(RefusalReason::NotExpressible { format: "TOML", what: what.to_string() })
    }

    fn lower(&self, draft: &Draft) -> Result<Vec<Edit>, Refusal> {
        lower::lower(self, draft)
    }
}
