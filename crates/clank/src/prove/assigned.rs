//! Which locals of a declaration are assigned to, where, and which of them lambdas assign.

use std::ops::Range;

use clank_syntax::ast::{Ast, AstKind, DeclId, Expr, ExprId, NodeId, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::{BodyView, Resolution};

/// The assignments of a declaration.
#[derive(Default)]
pub(super) struct Assigned {
    /// The node of the assignment and the local, by the former.
    places: Vec<(u32, NodeId)>,
    locals: FxHashSet<NodeId>,
    shared: FxHashSet<NodeId>,
}

impl Assigned {
    pub(super) fn new(ast: &Ast, decl: DeclId, view: BodyView<'_>) -> Assigned {
        let mut assigned = Assigned::default();
        let range = ast.subtree(decl);
        for node in range.clone() {
            if let AstKind::Stmt(Stmt::Assign { target, .. }) = &ast.node(NodeId(node)).kind
                && let Some(Resolution::Local(local)) = view.resolution(root(ast, *target))
            {
                assigned.places.push((node, view.local(*local)));
                assigned.locals.insert(view.local(*local));
            }
        }
        let wanted = assigned.places.iter().flat_map(|it| [it.0, it.1.0]).collect();
        let around = lambdas_around(ast, decl, &wanted);
        let inside = |node: u32| around.get(&node).copied();
        for (place, local) in &assigned.places {
            if inside(*place) != inside(local.0) {
                assigned.shared.insert(*local);
            }
        }
        assigned
    }

    pub(super) fn is_assigned(&self, local: NodeId) -> bool {
        self.locals.contains(&local)
    }

    /// Whether a lambda assigns it that it is not a local of.
    pub(super) fn is_shared(&self, local: NodeId) -> bool {
        self.shared.contains(&local)
    }

    /// The locals that are assigned to in these nodes, in the order of the nodes that bind them.
    pub(super) fn within(&self, nodes: Range<u32>) -> Vec<NodeId> {
        let start = self.places.partition_point(|it| it.0 < nodes.start);
        let end = self.places.partition_point(|it| it.0 < nodes.end);
        let mut locals: Vec<NodeId> = self.places[start..end].iter().map(|it| it.1).collect();
        locals.sort_unstable();
        locals.dedup();
        locals
    }
}

/// The local that an assignment changes, or changes a part of.
pub(super) fn root(ast: &Ast, target: ExprId) -> ExprId {
    let mut at = target;
    while let Expr::Index { object, .. } | Expr::Field { object, .. } = ast.expr(at) {
        at = *object;
    }
    at
}

/// The innermost lambda around each of these nodes, if there is one. Subtrees are ranges, so lambdas are intervals.
fn lambdas_around(ast: &Ast, decl: DeclId, wanted: &FxHashSet<u32>) -> FxHashMap<u32, u32> {
    let mut around = FxHashMap::default();
    // A later lambda that holds an earlier one is outside it: the first that is found is the innermost.
    for node in ast.subtree(decl) {
        if let AstKind::Expr(Expr::Lambda { .. }) = &ast.node(NodeId(node)).kind {
            let range = ast.subtree(NodeId(node));
            for inner in wanted_in(wanted, &range) {
                around.entry(inner).or_insert(node);
            }
        }
    }
    around
}

fn wanted_in(wanted: &FxHashSet<u32>, range: &Range<u32>) -> Vec<u32> {
    if wanted.is_empty() {
        return Vec::new();
    }
    range.clone().filter(|it| wanted.contains(it)).collect()
}
