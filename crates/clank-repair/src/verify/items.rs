//! The statements of functions, and the values that blocks end with: what a function's body is made of.

use clank_syntax::ast::{Ast, AstKind, Expr, NodeId};

/// By node of a tree: the innermost statement or last value of a block that it is in. What is in a lambda belongs to what
/// the lambda is in.
pub(super) struct BlockItems {
    items: Vec<Option<NodeId>>,
    parents: Vec<Option<NodeId>>,
}

impl BlockItems {
    pub(super) fn new(ast: &Ast) -> BlockItems {
        let parents = ast.parents();
        let mut items: Vec<Option<NodeId>> = vec![None; parents.len()];
        let mut in_lambda = vec![false; parents.len()];
        // Parents come after their children.
        for index in (0..parents.len()).rev() {
            let Some(parent) = parents[index] else { continue };
            let above = &ast.node(parent).kind;
            let is_lambda = matches!(above, AstKind::Expr(Expr::Lambda { .. }));
            let is_block = matches!(above, AstKind::Expr(Expr::Block { .. }));
            in_lambda[index] = in_lambda[parent.index()] || is_lambda;
            items[index] = match is_block && !in_lambda[index] {
                true => Some(NodeId(index as u32)),
                false => items[parent.index()],
            };
        }
        BlockItems { items, parents }
    }

    /// The one that a node is in, which may be the node itself; none for what is not in a block.
    pub(super) fn of(&self, node: NodeId) -> Option<NodeId> {
        self.items.get(node.index()).copied().flatten()
    }

    /// The parent of a node.
    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parents.get(node.index()).copied().flatten()
    }

    /// Whether a node is one.
    pub(super) fn is_one(&self, node: NodeId) -> bool {
        self.of(node) == Some(node)
    }

    /// The one that another one is in.
    pub(super) fn around(&self, item: NodeId) -> Option<NodeId> {
        self.of(self.parent(item)?)
    }
}
