//! The tree of a Clank program.
//!
//! Nodes live in one list in the order in which they were made, children before parents; a node refers to its children
//! by typed ids. The tree says what was written but not how: spelling, grouping and layout are in the tokens.
//!
//! Two laws that the [`Builder`] keeps: a child's id is smaller than its parent's, and the nodes of one declaration are
//! one range of the list.

mod build;
mod draft;
mod ids;
mod node;
mod operator;
mod slots;
mod walk;

pub use build::Builder;
pub(crate) use draft::{AstDraft, DraftError, Finished};
pub use ids::{Ids, IdsError};
pub use node::*;
pub use operator::{BinaryOp, UnaryOp};
pub(crate) use slots::for_each_slot;
pub(crate) use walk::for_each_child;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::span::Span;
use ids::LazyIds;

/// A name in a program. Short ones need no memory of their own.
pub type Name = smol_str::SmolStr;

/// How deep brackets, blocks and prefixes may be nested, in a text and in AST JSON.
pub const MAX_NESTING: u32 = 500;

/// How many operators (or `else if`s, or calls) may follow one another without brackets.
pub const MAX_CHAIN: u32 = 100_000;

/// A text that nodes come from: the file itself, or a `{ "source": … }` fragment in AST JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file's name as diagnostics show it.
    pub file: String,
    /// The text; empty for nodes that come from AST JSON itself.
    pub text: String,
}

/// Which [`Source`] a node comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u32);

/// One node: what it is and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: AstKind,
    /// Its bytes in its source, without surrounding blanks, comments or grouping parentheses.
    pub span: Span,
    /// The text that the span is about.
    pub source: SourceId,
}

/// Comments that belong to a node, each with its marks (`// …` or `/* … */`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comments {
    /// Before the node, the first one first.
    pub leading: Vec<String>,
    /// After the node.
    pub trailing: Vec<String>,
}

/// A place that AST JSON states for a node. Kept as it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenSpan {
    /// The file's name.
    pub file: String,
    /// Line from 1, column from 1, offset from 0.
    pub start: (u32, u32, u32),
    /// The same for the end.
    pub end: (u32, u32, u32),
}

/// A whole program.
#[derive(Clone, PartialEq, Debug)]
pub struct Ast {
    nodes: Vec<Node>,
    root: ProgramId,
    sources: Vec<Source>,
    ids: LazyIds,
    comments: BTreeMap<NodeId, Comments>,
    given_spans: BTreeMap<NodeId, GivenSpan>,
    is_as_read: bool,
}

impl Ast {
    /// The program node.
    pub fn root(&self) -> ProgramId {
        self.root
    }

    /// The declarations, in order.
    pub fn declarations(&self) -> &[DeclId] {
        match &self.node(self.root.node()).kind {
            AstKind::Program(program) => &program.declarations,
            _ => &[],
        }
    }

    /// Every node, children before parents.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Where a node was written.
    pub fn span(&self, id: impl Into<NodeId>) -> Span {
        self.node(id.into()).span
    }

    /// The texts that nodes come from. The first one is the file itself.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The text that a node comes from.
    pub fn source(&self, id: impl Into<NodeId>) -> &Source {
        &self.sources[self.node(id.into()).source.0 as usize]
    }

    /// The bytes that a node was written with; empty for a node from AST JSON.
    pub fn text(&self, id: impl Into<NodeId>) -> &str {
        let id = id.into();
        let span = self.span(id);
        self.source(id).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The ids that nodes have in AST JSON, diagnostics and repairs.
    pub fn ids(&self) -> &Ids {
        self.ids.all(&self.nodes)
    }

    /// The ids that were given, without making up the others.
    pub(crate) fn ids_given(&self) -> &BTreeMap<NodeId, Name> {
        self.ids.given()
    }

    /// The same tree with these ids. Fails if two nodes have one.
    pub(crate) fn with_ids(self, ids: BTreeMap<NodeId, Name>) -> Result<Ast, IdsError> {
        Ok(Ast { ids: LazyIds::new(ids)?, ..self })
    }

    /// The comments that belong to nodes.
    pub fn comments(&self) -> &BTreeMap<NodeId, Comments> {
        &self.comments
    }

    /// The places that AST JSON stated.
    pub fn given_spans(&self) -> &BTreeMap<NodeId, GivenSpan> {
        &self.given_spans
    }

    /// The same tree with these comments.
    pub fn with_comments(self, comments: BTreeMap<NodeId, Comments>) -> Ast {
        Ast { comments, ..self }
    }

    /// The same tree with the places that its nodes have in another version of the file's text. `place` takes a span of
    /// the text of now to the one in `text`; nodes of fragments stay.
    pub fn relocated(mut self, text: &str, place: impl Fn(Span) -> Span) -> Ast {
        for node in self.nodes.iter_mut().filter(|it| it.source == SourceId(0)) {
            node.span = place(node.span);
        }
        if let Some(source) = self.sources.first_mut() {
            text.clone_into(&mut source.text);
        }
        self.is_as_read = false;
        self
    }

    /// Whether it is the tree that [`crate::parse`] made of its text. Then equal texts of declarations without mistakes
    /// mean equal nodes.
    pub fn is_as_read(&self) -> bool {
        self.is_as_read
    }

    pub(crate) fn marked_as_read(self) -> Ast {
        Ast { is_as_read: true, ..self }
    }

    /// The nodes of the subtree of `id`. They are one range because children are made right before their parents.
    pub fn subtree(&self, id: impl Into<NodeId>) -> Range<u32> {
        let id = id.into();
        let mut first = id;
        loop {
            let mut child = None;
            self.for_each_child(first, &mut |it| {
                child.get_or_insert(it);
            });
            match child {
                Some(child) => first = child,
                None => return first.0..id.0 + 1,
            }
        }
    }
}
