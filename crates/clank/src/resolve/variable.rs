//! Which value a refinement is about (row 8).
//!
//! In this order: the name that is written before `|`; the name that gets the type, if it occurs; `result` in the result
//! of a function, if it occurs; the only name that nothing around the type binds. The choice is made where the type
//! is written, so an alias means the same wherever it is used.

use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, Name, NodeId, Pattern};
use rustc_hash::FxHashSet;
use serde_json::Value as Json;

use super::{Binder, TypePosition, TypeScope};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};

/// Why no variable can be chosen.
pub(super) struct Unclear {
    message: String,
    help: String,
    predicate: String,
    candidates: Vec<Name>,
}

impl Unclear {
    /// E3005 at the refined type.
    pub(super) fn at(self, node: NodeId) -> Diagnostic {
        let candidates: Vec<Json> =
            self.candidates.iter().map(|it| Json::from(it.as_str())).collect();
        Diagnostic::new(Code::E3005, node, self.message).help(self.help).with(
            Structured::new("invalid_refinement")
                .member("predicate", self.predicate)
                .member("candidates", candidates),
        )
    }
}

/// The variable; `Err(None)` if the predicate itself could not be read.
pub(super) fn choose(
    scope: &TypeScope<'_>,
    explicit: Option<&Name>,
    predicate: ExprId,
    binder: Binder<'_>,
) -> Result<Name, Option<Unclear>> {
    let Some(names) = names_of(scope, predicate) else { return Err(None) };
    let text = || super::one_line(scope.ast, predicate);
    if let Some(explicit) = explicit {
        return match names.has(explicit) {
            true => Ok(explicit.clone()),
            false => Err(Some(Unclear {
                message: format!("the predicate does not say anything about `{explicit}`"),
                help: format!("use `{explicit}` in the predicate, or leave the predicate out"),
                predicate: text(),
                candidates: Vec::new(),
            })),
        };
    }
    if let Some(own) = binder.name
        && names.has(own)
    {
        return Ok(Name::new(own));
    }
    if binder.position == TypePosition::Result && names.has("result") {
        return Ok(Name::new_static("result"));
    }
    let free = |list: &[Name]| -> Vec<Name> {
        list.iter().filter(|it| (binder.in_scope)(it).is_none()).cloned().collect()
    };
    let is_global = |name: &Name| scope.env.values.contains_key(name);
    let (values, callees) = (free(&names.values), free(&names.callees));
    let (globals, unbound): (Vec<Name>, Vec<Name>) = values.into_iter().partition(is_global);
    let callees = callees.into_iter().filter(|it| !is_global(it)).collect();
    for candidates in [unbound, globals, callees] {
        match candidates.as_slice() {
            [] => {}
            [only] => return Ok(only.clone()),
            _ => {
                let quoted: Vec<_> = candidates.iter().map(|it| format!("`{it}`")).collect();
                return Err(Some(Unclear {
                    message: format!("the predicate may be about {}", quoted.join(" or ")),
                    help: format!("say which one is the value: `{{{} | …}}`", candidates[0]),
                    predicate: text(),
                    candidates,
                }));
            }
        }
    }
    Err(Some(Unclear {
        message: match binder.name {
            Some(own) => format!("the predicate does not say anything about `{own}`"),
            None => "the predicate does not say anything about the value".to_owned(),
        },
        help: "name the value and use the name: `{v | …}`".to_owned(),
        predicate: text(),
        candidates: Vec::new(),
    }))
}

/// The names of a predicate that may stand for values, each once, in the order in which they are written.
#[derive(Default)]
struct Names {
    values: Vec<Name>,
    /// Names that are only called.
    callees: Vec<Name>,
}

impl Names {
    fn has(&self, name: &str) -> bool {
        self.values.iter().chain(&self.callees).any(|it| it == name)
    }
}

/// `None` if a part of the predicate could not be read. Names that the predicate itself binds are left out.
fn names_of(scope: &TypeScope<'_>, predicate: ExprId) -> Option<Names> {
    let ast = scope.ast;
    let nodes = ast.subtree(predicate);
    let mut called = FxHashSet::default();
    let mut bound: FxHashSet<&str> = FxHashSet::default();
    for index in nodes.clone() {
        match &ast.node(NodeId(index)).kind {
            AstKind::Expr(Expr::Error { .. })
            | AstKind::Type(clank_syntax::ast::Type::Error { .. }) => {
                return None;
            }
            AstKind::Expr(Expr::Call { callee, .. }) => {
                called.insert(callee.node());
            }
            AstKind::Expr(Expr::Binary { op: BinaryOp::Pipe, right, .. }) => {
                called.insert(right.node());
            }
            AstKind::Pattern(Pattern::Ident { name }) => {
                bound.insert(name);
            }
            AstKind::LambdaParam(it) => {
                bound.insert(&it.name);
            }
            AstKind::FieldPattern(it) if it.pattern.is_none() => {
                bound.insert(&it.name);
            }
            _ => {}
        }
    }
    let mut names = Names::default();
    let mut seen = FxHashSet::default();
    for index in nodes {
        let node = NodeId(index);
        let AstKind::Expr(Expr::Ident { name }) = &ast.node(node).kind else { continue };
        let is_constructor = name.chars().next().is_some_and(char::is_uppercase);
        let is_called = called.contains(&node);
        if is_constructor || bound.contains(name.as_str()) || !seen.insert((name, is_called)) {
            continue;
        }
        match is_called {
            true => names.callees.push(name.clone()),
            false => names.values.push(name.clone()),
        }
    }
    Some(names)
}
