//! What stands for the names of a predicate that is asked elsewhere than where it is written: the arguments for the
//! parameters of a callee, the fields of a record for those of its type (row 9).
//!
//! A part of an argument is asked where it is made, while the callee's parameters are not there yet. What they will be is
//! evaluated again for that, so it must give the same once more.

use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, Name, NodeId, Stmt};

use super::wording::{MAX_NODES, Substitution, UNSPOKEN, operand_text};
use super::{Infer, Local};
use crate::body::{Resolution, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::Value;
use crate::ty::{GivenValue, Meaning, Predicate};

/// Functions of the prelude that take as long as an operator.
const CHEAP: [&str; 4] = ["abs", "len", "max", "min"];

/// In arguments with more nodes than this, assignments are not looked for.
const MAX_LOOKED_AT: usize = 1_000;

/// Why a predicate cannot be asked where it would have to be.
pub(super) enum Unasked {
    /// What stands for this name cannot be evaluated again.
    Once(Name),
    /// This name means nothing there.
    Unknown(Name),
}

impl Infer<'_> {
    /// Expressions of the body that are evaluated together, each put in for a name.
    pub(super) fn replacements_by<'n>(
        &self,
        pairs: impl Iterator<Item = (&'n Name, ExprId)>,
    ) -> Vec<Substitution> {
        let pairs: Vec<(&Name, ExprId)> = pairs.collect();
        let is_local = |it: &(&Name, ExprId)| self.names_mutable(it.1);
        let is_quiet = !(pairs.iter().any(is_local) && pairs.iter().any(|it| self.assigns(it.1)));
        let replacement = |&(name, expr): &(&Name, ExprId)| {
            let (text, names) = match operand_text(self.ast, expr) {
                Some(text) => (text, self.meanings_in(expr)),
                None => (UNSPOKEN.to_owned(), vec![(Name::default(), Meaning::Unclear)]),
            };
            let value = self.can_be_repeated(expr, is_quiet);
            let value = value.then_some(GivenValue { expr, field: None });
            Substitution { name: name.clone(), text, names, value }
        };
        pairs.iter().map(replacement).collect()
    }

    /// The fields of a value, each put in for its name.
    pub(super) fn field_replacements<'n>(
        &self,
        object: ExprId,
        fields: impl Iterator<Item = &'n Name>,
    ) -> Option<Vec<Substitution>> {
        let text = operand_text(self.ast, object)?;
        let names = self.meanings_in(object);
        let can_be_repeated = self.can_be_repeated(object, true);
        let replacement = |name: &Name| Substitution {
            name: name.clone(),
            text: format!("{text}.{name}"),
            names: names.clone(),
            value: can_be_repeated.then(|| GivenValue { expr: object, field: Some(name.clone()) }),
        };
        Some(fields.map(replacement).collect())
    }

    /// What the names in an expression mean here. The same call may give something else the next time.
    fn meanings_in(&self, expr: ExprId) -> Vec<(Name, Meaning)> {
        let mut found = Vec::new();
        for node in self.ast.subtree(expr) {
            match &self.ast.node(NodeId(node)).kind {
                AstKind::Expr(Expr::Ident { name }) => {
                    let local = self.local(name).map(|it| &self.locals[it as usize]);
                    let meaning = match local {
                        Some(local) => local.meaning(&self.env.module),
                        None => crate::resolve::global(self.env, name),
                    };
                    found.push((name.clone(), meaning));
                }
                kind if is_plain(kind) => {}
                _ => found.push((Name::default(), Meaning::Unclear)),
            }
        }
        found
    }

    /// Whether an expression does nothing, costs little and gives the same when it is evaluated again, unless a local is
    /// assigned in between: nothing is if `is_quiet`.
    fn can_be_repeated(&self, expr: ExprId, is_quiet: bool) -> bool {
        let nodes = self.ast.subtree(expr);
        nodes.len() <= MAX_NODES
            && nodes.map(NodeId).all(|node| match &self.ast.node(node).kind {
                AstKind::Expr(Expr::Ident { name }) => match self.local(name) {
                    Some(local) => is_quiet || !self.locals[local as usize].mutable,
                    None => true,
                },
                AstKind::Expr(Expr::Call { callee, .. }) => match self.ast.expr(*callee) {
                    Expr::Ident { name } => {
                        self.local(name).is_none()
                            && CHEAP.contains(&name.as_str())
                            && matches!(self.env.values.get(name), Some(Value::Builtin { .. }))
                    }
                    _ => false,
                },
                kind => is_plain(kind),
            })
    }

    fn names_mutable(&self, expr: ExprId) -> bool {
        let nodes = self.ast.subtree(expr);
        nodes.len() <= MAX_NODES
            && nodes.map(NodeId).any(|node| match &self.ast.node(node).kind {
                AstKind::Expr(Expr::Ident { name }) => {
                    self.local(name).is_some_and(|it| self.locals[it as usize].mutable)
                }
                _ => false,
            })
    }

    /// Whether a local may be assigned while an expression is evaluated: in a block, or by a lambda that anything may call.
    fn assigns(&self, expr: ExprId) -> bool {
        let is_call = |node: u32| {
            let kind = &self.ast.node(NodeId(node)).kind;
            matches!(
                kind,
                AstKind::Expr(Expr::Call { .. } | Expr::Binary { op: BinaryOp::Pipe, .. })
            )
        };
        let inside = self.ast.subtree(expr);
        inside.len() > MAX_LOOKED_AT
            || inside.clone().any(|it| self.is_assignment(it))
            || inside.clone().any(is_call) && self.lambdas_assign()
    }

    fn is_assignment(&self, node: u32) -> bool {
        matches!(self.ast.node(NodeId(node)).kind, AstKind::Stmt(Stmt::Assign { .. }))
    }

    /// Whether some lambda of the declaration assigns something.
    fn lambdas_assign(&self) -> bool {
        let is_lambda = |node: &u32| {
            matches!(self.ast.node(NodeId(*node)).kind, AstKind::Expr(Expr::Lambda { .. }))
        };
        *self.lambdas_assign.get_or_init(|| {
            let mut inside = (self.first..self.end)
                .filter(is_lambda)
                .flat_map(|it| self.ast.subtree(NodeId(it)));
            inside.any(|it| self.is_assignment(it))
        })
    }

    // Where it is asked

    /// Why a predicate cannot be asked where this scope is the innermost.
    pub(super) fn unasked(
        &mut self,
        predicate: &Predicate,
        site: &Site,
        scope: Option<u32>,
    ) -> Option<Unasked> {
        if site.is_asked_by_callee() {
            return None;
        }
        let Some(given) = &predicate.given else {
            return self.unasked_as_written(predicate, scope);
        };
        for (name, value) in &given.values {
            let Some(value) = value else {
                let is_put_in = !predicate.names.iter().any(|it| it.0 == *name);
                let name = name.clone();
                return Some(if is_put_in { Unasked::Once(name) } else { Unasked::Unknown(name) });
            };
            if let Some(local) = self.out_of_scope(value.expr, None, scope) {
                return Some(Unasked::Unknown(local));
            }
        }
        None
    }

    fn unasked_as_written(&mut self, predicate: &Predicate, scope: Option<u32>) -> Option<Unasked> {
        if self.is_written_here(predicate) {
            let variable = Some(&predicate.variable);
            return self.out_of_scope(predicate.expr, variable, scope).map(Unasked::Unknown);
        }
        let is_bound = |it: &&(Name, Meaning)| matches!(it.1, Meaning::Fixed(..) | Meaning::Local);
        predicate.names.iter().find(is_bound).map(|it| Unasked::Unknown(it.0.clone()))
    }

    fn is_written_here(&self, predicate: &Predicate) -> bool {
        predicate.given.is_none()
            && predicate.module == self.env.module
            && (self.first..self.end).contains(&predicate.expr.node().0)
    }

    /// Whether a name in the text of a predicate means something else in a scope.
    pub(super) fn is_hidden(&mut self, predicate: &Predicate, scope: Option<u32>) -> bool {
        let locals = match &predicate.given {
            Some(given) => {
                let values = given.values.iter().filter_map(|it| it.1.as_ref());
                values.flat_map(|it| self.locals_in(it.expr, None)).collect()
            }
            None if self.is_written_here(predicate) => {
                self.locals_in(predicate.expr, Some(&predicate.variable))
            }
            None => Vec::new(),
        };
        let is_global = |it: &&(Name, Meaning)| matches!(it.1, Meaning::Global(..));
        locals.iter().any(|(name, binder)| self.visible(name, scope) != Some(*binder))
            || predicate
                .names
                .iter()
                .filter(is_global)
                .any(|it| self.visible(&it.0, scope).is_some())
    }

    /// A local that an expression names and that is not in scope.
    fn out_of_scope(
        &mut self,
        expr: ExprId,
        variable: Option<&Name>,
        scope: Option<u32>,
    ) -> Option<Name> {
        let mut locals = self.locals_in(expr, variable).into_iter();
        let is_gone = |it: &(Name, NodeId)| !self.in_scope(scope).any(|local| local.node == it.1);
        locals.find(is_gone).map(|it| it.0)
    }

    /// The locals that an expression names and does not bind itself, and where they are bound.
    fn locals_in(&mut self, expr: ExprId, variable: Option<&Name>) -> Vec<(Name, NodeId)> {
        let inside = self.ast.subtree(expr);
        let mut found = Vec::new();
        for node in inside.clone() {
            if let AstKind::Expr(Expr::Ident { name }) = &self.ast.node(NodeId(node)).kind
                && Some(name) != variable
                && let Some(binder) = self.binder_of(NodeId(node))
                && !inside.contains(&binder.0)
            {
                found.push((name.clone(), binder));
            }
        }
        found
    }

    /// Where the local that a name means is bound.
    fn binder_of(&mut self, ident: NodeId) -> Option<NodeId> {
        if self.binders.is_empty() {
            let local = |(node, meaning): &(u32, Resolution)| match meaning {
                Resolution::Local(binder) => Some((*node, *binder)),
                _ => None,
            };
            self.binders = self.resolutions.iter().filter_map(local).collect();
        }
        let binder = self.binders.get(&self.relative(ident))?;
        Some(NodeId(self.first + binder))
    }

    /// The locals in a scope, the innermost first.
    fn in_scope(&self, scope: Option<u32>) -> impl Iterator<Item = &Local> {
        let local = |index: u32| &self.locals[index as usize];
        std::iter::successors(scope.map(local), move |it| it.outer.map(local))
    }

    /// Where the local is bound that a name means in a scope.
    fn visible(&self, name: &str, scope: Option<u32>) -> Option<NodeId> {
        self.in_scope(scope).find(|it| it.name == name).map(|it| it.node)
    }

    /// E3001: what must hold cannot be asked.
    pub(super) fn report_unasked(&mut self, node: NodeId, predicate: &Predicate, why: &Unasked) {
        let text = &predicate.text;
        let (message, help) = match why {
            Unasked::Once(name) => (
                format!(
                    "this must satisfy `{text}`, but the argument for `{name}` is evaluated only once"
                ),
                format!("bind the argument for `{name}` with `let` first"),
            ),
            Unasked::Unknown(name) => (
                format!("this must satisfy `{text}`, but `{name}` is not in scope here"),
                "use a type whose predicates name only what is in scope here".to_owned(),
            ),
        };
        self.report(Diagnostic::new(Code::E3001, node, message).help(help).with(refuted(text)));
    }
}

/// Whether a node only puts together what is in it, and calls nothing.
fn is_plain(kind: &AstKind) -> bool {
    match kind {
        AstKind::Expr(Expr::Binary { op, .. }) => *op != BinaryOp::Pipe,
        AstKind::Expr(
            Expr::Literal(_)
            | Expr::Field { .. }
            | Expr::Index { .. }
            | Expr::Unary { .. }
            | Expr::Array { .. }
            | Expr::Tuple { .. },
        ) => true,
        _ => false,
    }
}

/// What every E3001 says of its predicate.
pub(super) fn refuted(predicate: &str) -> Structured {
    Structured::new("refinement_violation")
        .member("predicate", predicate)
        .member("counterexample", serde_json::Value::Null)
}
