//! How trees are made: children first, then their parent.

use std::collections::BTreeMap;

use super::ids::LazyIds;
use super::slots::for_each_slot;
use super::{
    Arm, ArmId, Ast, AstKind, Comments, Decl, DeclId, Expr, ExprId, Field, FieldId, FieldInit,
    FieldInitId, FieldPattern, FieldPatternId, GivenSpan, IdsError, LambdaParam, LambdaParamId,
    Name, Node, NodeId, Param, ParamId, Pattern, PatternId, Program, ProgramId, Source, SourceId,
    Stmt, StmtId, Type, TypeId, TypeParam, TypeParamId, Variant, VariantField, VariantFieldId,
    VariantId,
};
use crate::span::Span;

/// A tree in the making.
#[derive(Debug)]
pub struct Builder {
    nodes: Vec<Node>,
    sources: Vec<Source>,
    source: SourceId,
    given_ids: BTreeMap<NodeId, Name>,
    comments: BTreeMap<NodeId, Comments>,
    given_spans: BTreeMap<NodeId, GivenSpan>,
}

/// A point to come back to with [`Builder::rollback`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint(usize);

impl Builder {
    /// Nothing yet; nodes come from `source` until another one is entered.
    pub fn new(source: Source) -> Builder {
        Builder {
            nodes: Vec::new(),
            sources: vec![source],
            source: SourceId(0),
            given_ids: BTreeMap::new(),
            comments: BTreeMap::new(),
            given_spans: BTreeMap::new(),
        }
    }

    /// From now on nodes come from `source`. Returns where they came from before.
    pub fn enter(&mut self, source: Source) -> SourceId {
        self.sources.push(source);
        let id = u32::try_from(self.sources.len() - 1).expect("there are fewer sources than bytes");
        std::mem::replace(&mut self.source, SourceId(id))
    }

    /// Goes back to a source that was entered before.
    pub fn leave(&mut self, source: SourceId) {
        self.source = source;
    }

    /// The text that nodes come from now.
    pub fn text(&self) -> &str {
        &self.sources[self.source.0 as usize].text
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Makes room for about so many more nodes.
    pub fn reserve(&mut self, n_nodes: usize) {
        self.nodes.reserve(n_nodes);
    }

    /// Puts the nodes of a tree in the making behind those of this one: by so much their ids grow. Nothing was stated about
    /// them, and they come from where this tree's nodes come from now.
    pub(crate) fn append(&mut self, other: Builder) -> u32 {
        let n_before = u32::try_from(self.nodes.len()).expect("a text has fewer nodes than bytes");
        if n_before == 0 {
            self.nodes = other.nodes;
            return 0;
        }
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            for_each_slot(&mut node.kind, &mut |child| child.0 += n_before);
            node
        }));
        n_before
    }

    /// A node that was made.
    pub fn node(&self, id: impl Into<NodeId>) -> &Node {
        &self.nodes[id.into().index()]
    }

    /// The point to come back to.
    pub fn mark(&self) -> Checkpoint {
        Checkpoint(self.nodes.len())
    }

    /// Forgets every node made since.
    pub fn rollback(&mut self, mark: Checkpoint) {
        self.nodes.truncate(mark.0);
        let first_gone = NodeId(mark.0 as u32);
        self.given_ids.split_off(&first_gone);
        self.comments.split_off(&first_gone);
        self.given_spans.split_off(&first_gone);
    }

    /// Moves the end of a node that was just made, for constructs whose last token is read later.
    pub fn set_span(&mut self, id: impl Into<NodeId>, span: Span) {
        self.nodes[id.into().index()].span = span;
    }

    /// States the id of a node, as AST JSON gave it.
    pub fn set_id(&mut self, node: impl Into<NodeId>, id: Name) {
        self.given_ids.insert(node.into(), id);
    }

    /// States the comments of a node.
    pub fn set_comments(&mut self, node: impl Into<NodeId>, comments: Comments) {
        self.comments.insert(node.into(), comments);
    }

    /// States the place of a node, as AST JSON gave it.
    pub fn set_given_span(&mut self, node: impl Into<NodeId>, span: GivenSpan) {
        self.given_spans.insert(node.into(), span);
    }

    /// The finished tree: a program of these declarations. Fails if an id was given twice.
    pub fn finish(mut self, declarations: Vec<DeclId>, span: Span) -> Result<Ast, IdsError> {
        let root = ProgramId(
            self.push(AstKind::Program(Program { declarations: declarations.into() }), span),
        );
        self.finish_at(root)
    }

    /// The finished tree whose program node was made with [`Builder::program`].
    pub fn finish_at(self, root: ProgramId) -> Result<Ast, IdsError> {
        let ids = LazyIds::new(self.given_ids)?;
        Ok(Ast {
            nodes: self.nodes,
            root,
            sources: self.sources,
            ids,
            comments: self.comments,
            given_spans: self.given_spans,
            is_as_read: false,
        })
    }

    /// Adds a program node.
    pub fn program(&mut self, declarations: Vec<DeclId>, span: Span) -> ProgramId {
        ProgramId(self.push(AstKind::Program(Program { declarations: declarations.into() }), span))
    }

    fn push(&mut self, kind: AstKind, span: Span) -> NodeId {
        let id = u32::try_from(self.nodes.len()).expect("a text has fewer nodes than bytes");
        self.nodes.push(Node { kind, span, source: self.source });
        NodeId(id)
    }
}

macro_rules! make {
    ($($name:ident $kind:ident $id:ident;)*) => {
        impl Builder {
            $(
                #[doc = concat!("Adds a [`", stringify!($kind), "`], after all its children.")]
                pub fn $name(&mut self, it: $kind, span: Span) -> $id {
                    $id(self.push(AstKind::$kind(it.into()), span))
                }
            )*
        }
    };
}

make! {
    decl Decl DeclId;
    stmt Stmt StmtId;
    expr Expr ExprId;
    ty Type TypeId;
    pattern Pattern PatternId;
    param Param ParamId;
    lambda_param LambdaParam LambdaParamId;
    type_param TypeParam TypeParamId;
    field Field FieldId;
    variant Variant VariantId;
    variant_field VariantField VariantFieldId;
    arm Arm ArmId;
    field_init FieldInit FieldInitId;
    field_pattern FieldPattern FieldPatternId;
}
