//! Which function parameters a function keeps: stores, returns, or puts into a lambda that it stores or returns.
//!
//! A parameter of function type that is written without effects accepts any, and the call that passes a function is
//! charged with its effects (row 39). That cannot hold for a function that outlives the call, so a parameter that is kept
//! must be pure. Looked at by name alone, so that a signature does not depend on what types say: a name that is
//! shadowed may be taken for kept when it is not.

use clank_syntax::ast::{Ast, AstKind, BinaryOp, Expr, ExprId, Name, NodeId, Pattern, Stmt};
use rustc_hash::FxHashSet;

/// The names among `params` that the body keeps.
pub(super) fn kept_params(ast: &Ast, body: ExprId, params: &[Name]) -> FxHashSet<Name> {
    let range = ast.subtree(body);
    let first = range.start;
    let mut parents = vec![None; range.len()];
    for node in range.clone().map(NodeId) {
        ast.for_each_child(node, &mut |child| parents[(child.0 - first) as usize] = Some(node));
    }
    let tree = Tree { ast, first, parents };
    let keeps = |param: &&Name| {
        let mut names = vec![(*param).clone()];
        let mut seen: FxHashSet<Name> = names.iter().cloned().collect();
        while let Some(name) = names.pop() {
            for node in range.clone().map(NodeId) {
                let is_use = matches!(&ast.node(node).kind,
                    AstKind::Expr(Expr::Ident { name: used }) if *used == name);
                if !is_use {
                    continue;
                }
                match tree.fate(node) {
                    Fate::Kept => return true,
                    Fate::Named(other) if seen.insert(other.clone()) => names.push(other),
                    Fate::Named(_) | Fate::Gone => {}
                }
            }
        }
        false
    };
    params.iter().filter(keeps).cloned().collect()
}

/// What becomes of a function value.
enum Fate {
    /// Called, or handed on: whoever gets it says what he does with it.
    Gone,
    /// Bound to a local.
    Named(Name),
    /// Stored or returned.
    Kept,
}

struct Tree<'a> {
    ast: &'a Ast,
    first: u32,
    parents: Vec<Option<NodeId>>,
}

impl Tree<'_> {
    /// What becomes of the value at a node, and of the lambdas around it if it is called in one.
    fn fate(&self, node: NodeId) -> Fate {
        let mut node = node;
        loop {
            match self.own_fate(node) {
                Fate::Gone => {}
                other => return other,
            }
            match self.lambda_around(node) {
                Some(lambda) => node = lambda,
                None => return Fate::Gone,
            }
        }
    }

    fn own_fate(&self, node: NodeId) -> Fate {
        let Some(parent) = self.parents[(node.0 - self.first) as usize] else { return Fate::Kept };
        match &self.ast.node(parent).kind {
            AstKind::Expr(Expr::Call { callee, .. }) if callee.node() == node => Fate::Gone,
            AstKind::Expr(Expr::Call { callee, .. }) if self.is_constructor(*callee) => Fate::Kept,
            AstKind::Expr(Expr::Call { .. } | Expr::Binary { op: BinaryOp::Pipe, .. }) => {
                Fate::Gone
            }
            AstKind::Stmt(Stmt::Expr { .. }) => Fate::Gone,
            AstKind::Stmt(Stmt::Let { pattern, .. }) => match self.ast.pattern(*pattern) {
                Pattern::Ident { name } => Fate::Named(name.clone()),
                _ => Fate::Kept,
            },
            _ => Fate::Kept,
        }
    }

    fn is_constructor(&self, callee: ExprId) -> bool {
        match self.ast.expr(callee) {
            Expr::Ident { name } | Expr::Field { field: name, .. } => {
                name.chars().next().is_some_and(char::is_uppercase)
            }
            _ => false,
        }
    }

    fn lambda_around(&self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        loop {
            node = self.parents[(node.0 - self.first) as usize]?;
            if matches!(self.ast.node(node).kind, AstKind::Expr(Expr::Lambda { .. })) {
                return Some(node);
            }
        }
    }
}
