//! What code generation wants to know about a declaration before it starts: how often locals are read, which of them may
//! be changed in place, and which expressions need statements.
//!
//! Values are immutable to everyone who shares them, so an element or a field is assigned by changing a copy. A local
//! that nobody shares is changed in place instead. It is *owned* when every read of it is of a kind that cannot keep the
//! value: an element or field is read, a builtin looks at it, it is compared, or it leaves the function. An owned local
//! gets a copy of its own where it is bound to a value that is not fresh.

use clank::body::{BodyView, GoalKind, Resolution};
use clank_syntax::ast::{Ast, AstKind, BinaryOp, Decl, Expr, ExprId, NodeId, Stmt};
use rustc_hash::FxHashMap;

/// Expressions with more nodes than this may be taken apart, which needs statements.
const MAX_SIMPLE: u32 = 150;

/// Builtins that look at their first argument and keep nothing of it but its elements.
const LOOKS: &[&str] = &[
    "len", "is_empty", "get", "map", "filter", "fold", "reduce", "find", "any", "all", "join",
    "reverse", "take", "drop", "sort", "sort_by", "push", "set_from", "map_from",
];

/// Builtins that keep nothing of any argument but its elements.
const LOOKS_AT_ALL: &[&str] = &["contains", "concat", "zip", "compare", "to_string"];

/// Builtins and operators whose result nobody else has.
const FRESH: &[&str] = &[
    "map",
    "filter",
    "reverse",
    "take",
    "drop",
    "zip",
    "sort",
    "sort_by",
    "push",
    "concat",
    "range",
    "split",
    "chars",
    "map_keys",
    "map_values",
    "map_entries",
    "set_to_array",
];

/// What is known about one local.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LocalUses {
    pub(crate) reads: u32,
    /// Whether a lambda inside its scope reads or assigns it.
    pub(crate) captured: bool,
    /// Whether it is assigned to, whole or in part.
    pub(crate) assigned: bool,
    /// Whether it is assigned to as a whole.
    pub(crate) replaced: bool,
    /// Whether an element or a field of it is assigned to.
    pub(crate) updated: bool,
    /// Whether its value may be kept by someone else.
    escapes: bool,
}

impl LocalUses {
    /// Whether its elements and fields are assigned in place.
    pub(crate) fn is_owned(self) -> bool {
        self.updated && !self.escapes && !self.captured
    }
}

/// What is known about one declaration.
#[derive(Debug)]
pub(crate) struct Facts {
    first: u32,
    parents: Vec<Option<NodeId>>,
    locals: FxHashMap<NodeId, LocalUses>,
    /// By node: whether an expression cannot be written as one in JavaScript.
    needs_statements: Vec<bool>,
}

impl Facts {
    pub(crate) fn new(ast: &Ast, decl: NodeId, view: BodyView<'_>) -> Facts {
        let range = ast.subtree(decl);
        let first = range.start;
        let count = range.len();
        let mut facts = Facts {
            first,
            parents: vec![None; count],
            locals: FxHashMap::default(),
            needs_statements: vec![false; count],
        };
        for node in range.clone().map(NodeId) {
            ast.for_each_child(node, &mut |child| {
                facts.parents[(child.0 - first) as usize] = Some(node);
            });
        }
        facts.find_statements(ast, view, range.clone());
        let lambdas = facts.lambdas(ast);
        for node in range.clone().map(NodeId) {
            if let Some(Resolution::Local(local)) = view.resolution(node)
                && matches!(ast.node(node).kind, AstKind::Expr(_))
            {
                facts.read(ast, view, decl, node, view.local(*local), &lambdas);
            }
        }
        facts
    }

    pub(crate) fn local(&self, binder: NodeId) -> LocalUses {
        self.locals.get(&binder).copied().unwrap_or_default()
    }

    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        *self.parents.get(node.0.checked_sub(self.first)? as usize)?
    }

    pub(crate) fn needs_statements(&self, node: impl Into<NodeId>) -> bool {
        let index = node.into().0.checked_sub(self.first).map(|it| it as usize);
        index.and_then(|it| self.needs_statements.get(it)).copied().unwrap_or(false)
    }

    /// By node: the innermost lambda around it.
    fn lambdas(&self, ast: &Ast) -> Vec<Option<NodeId>> {
        let mut lambdas = vec![None; self.parents.len()];
        for index in (0..self.parents.len()).rev() {
            let Some(parent) = self.parents[index] else { continue };
            lambdas[index] = match ast.node(parent).kind {
                AstKind::Expr(Expr::Lambda { .. }) => Some(parent),
                _ => lambdas[(parent.0 - self.first) as usize],
            };
        }
        lambdas
    }

    fn read(
        &mut self,
        ast: &Ast,
        view: BodyView<'_>,
        decl: NodeId,
        node: NodeId,
        binder: NodeId,
        lambdas: &[Option<NodeId>],
    ) {
        let lambda = |it: NodeId| {
            it.0.checked_sub(self.first).and_then(|it| lambdas.get(it as usize)).copied().flatten()
        };
        let captured = lambda(node) != lambda(binder);
        let using = match (self.using(ast, view, decl, node), self.parent(node)) {
            // Statements of a later operand could change what an earlier one has only looked up.
            (Using::Look, Some(parent)) if self.needs_statements(parent) => {
                match self.is_result(ast, decl, node) {
                    true => Using::Look,
                    false => Using::Keep,
                }
            }
            (using, _) => using,
        };
        let local = self.locals.entry(binder).or_default();
        local.captured |= captured;
        match using {
            Using::Assign => {
                local.assigned = true;
                local.replaced = true;
            }
            Using::Update => {
                local.assigned = true;
                local.updated = true;
                local.reads += 1;
            }
            Using::Look => local.reads += 1,
            Using::Keep => {
                local.reads += 1;
                local.escapes = true;
            }
        }
    }

    fn using(&self, ast: &Ast, view: BodyView<'_>, decl: NodeId, node: NodeId) -> Using {
        let Some(parent) = self.parent(node) else { return Using::Keep };
        match &ast.node(parent).kind {
            AstKind::Stmt(Stmt::Assign { target, .. }) if target.node() == node => Using::Assign,
            AstKind::Stmt(Stmt::Return { .. }) => Using::Look,
            AstKind::Expr(Expr::Index { object, .. } | Expr::Field { object, .. })
                if object.node() == node =>
            {
                match self.is_target(ast, parent) {
                    true => Using::Update,
                    false => Using::Look,
                }
            }
            AstKind::Expr(Expr::Binary {
                op: BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Concat,
                ..
            }) => Using::Look,
            AstKind::Expr(Expr::Call { callee, args }) => match view.resolution(*callee) {
                Some(Resolution::Builtin(name)) => {
                    let is_first = args.first().is_some_and(|it| it.node() == node);
                    let looks = (is_first && LOOKS.contains(&name.as_str()))
                        || LOOKS_AT_ALL.contains(&name.as_str());
                    if looks { Using::Look } else { Using::Keep }
                }
                _ => Using::Keep,
            },
            AstKind::Expr(Expr::Template { .. }) => Using::Look,
            _ if self.is_result(ast, decl, node) => Using::Look,
            _ => Using::Keep,
        }
    }

    /// Whether the place is what an assignment assigns to, or a part of the way there.
    fn is_target(&self, ast: &Ast, place: NodeId) -> bool {
        let mut node = place;
        while let Some(parent) = self.parent(node) {
            match &ast.node(parent).kind {
                AstKind::Stmt(Stmt::Assign { target, .. }) => return target.node() == node,
                AstKind::Expr(Expr::Index { object, .. } | Expr::Field { object, .. })
                    if object.node() == node =>
                {
                    node = parent;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the value of a node is what the function returns, without being kept before.
    fn is_result(&self, ast: &Ast, decl: NodeId, node: NodeId) -> bool {
        let AstKind::Decl(declaration) = &ast.node(decl).kind else { return false };
        let Decl::Fn(function) = &**declaration else { return false };
        let mut node = node;
        for _ in 0..MAX_SIMPLE {
            if node == function.body.node() {
                return true;
            }
            let Some(parent) = self.parent(node) else { return false };
            let passes = match &ast.node(parent).kind {
                AstKind::Expr(Expr::Block { expr, .. }) => expr.is_some_and(|it| it.node() == node),
                AstKind::Expr(Expr::If { condition, .. }) => condition.node() != node,
                AstKind::Expr(Expr::Match { scrutinee, .. }) => scrutinee.node() != node,
                AstKind::Arm(arm) => arm.body.node() == node,
                _ => false,
            };
            if !passes {
                return false;
            }
            node = parent;
        }
        false
    }

    fn find_statements(&mut self, ast: &Ast, view: BodyView<'_>, range: std::ops::Range<u32>) {
        for goal in view.open_goals() {
            let is_checked = matches!(goal.kind, GoalKind::Refinement | GoalKind::Postcondition);
            if is_checked && let Some(needs) = self.needs_statements.get_mut(goal.node as usize) {
                *needs = true;
            }
        }
        for node in range.map(NodeId) {
            let AstKind::Expr(expr) = &ast.node(node).kind else { continue };
            let mut needs = match expr {
                Expr::Match { .. } | Expr::Propagate { .. } | Expr::Hole { .. } => true,
                Expr::Block { statements, expr } => !statements.is_empty() || expr.is_none(),
                Expr::If { else_branch, .. } => match else_branch {
                    Some(it) => matches!(ast.expr(*it), Expr::If { .. }),
                    None => true,
                },
                Expr::Lambda { .. } => continue,
                _ => view.ty(node) == &clank::ty::Ty::Never,
            };
            ast.for_each_child(node, &mut |child| {
                needs |= self.needs_statements[(child.0 - self.first) as usize];
            });
            self.needs_statements[(node.0 - self.first) as usize] |= needs;
        }
    }
}

/// Whether an expression is small enough to stay one.
pub(crate) fn is_small(ast: &Ast, expr: ExprId) -> bool {
    ast.subtree(expr).len() as u32 <= MAX_SIMPLE
}

/// Whether nobody else has the value of an expression.
pub(crate) fn is_fresh(ast: &Ast, view: BodyView<'_>, expr: ExprId) -> bool {
    match ast.expr(expr) {
        Expr::Array { .. } | Expr::Tuple { .. } | Expr::Record { .. } | Expr::RecordLit { .. } => {
            true
        }
        Expr::Range { .. } | Expr::Binary { op: BinaryOp::Concat, .. } => true,
        Expr::Call { callee, .. } => match view.resolution(*callee) {
            Some(Resolution::Builtin(name)) => FRESH.contains(&name.as_str()),
            Some(Resolution::Record { .. }) => true,
            _ => false,
        },
        Expr::Block { expr: Some(expr), statements } if statements.is_empty() => {
            clank_syntax::with_stack(|| is_fresh(ast, view, *expr))
        }
        _ => false,
    }
}

/// What a use of a local does with its value.
enum Using {
    /// Replaces it.
    Assign,
    /// Replaces a part of it.
    Update,
    /// Reads what it needs at once.
    Look,
    /// May keep it.
    Keep,
}
