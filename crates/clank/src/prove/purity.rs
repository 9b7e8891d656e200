//! Which functions of a program give the same result for the same arguments (rows 24, 34, 52).
//!
//! A function is pure unless it declares an effect, calls or passes on a function that is a value, or may reach an
//! external function or one that is not pure.

use clank_syntax::ast::{Ast, AstKind, Decl, DeclId, Expr, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::WorldModule;
use crate::body::{BodyView, Resolution};
use crate::ty::Ty;

/// The functions that are not pure, by file and name.
pub(super) struct Impure<'a>(FxHashSet<(&'a str, &'a str)>);

impl<'a> Impure<'a> {
    pub(super) fn new(modules: &[WorldModule<'a>]) -> Impure<'a> {
        let mut callers: FxHashMap<(&str, &str), Vec<(&str, &str)>> = FxHashMap::default();
        let mut waiting = Vec::new();
        for module in modules {
            for (decl, body) in module.bodies {
                let Decl::Fn(function) = module.ast.decl(*decl) else { continue };
                let own = (module.file.as_str(), function.name.as_str());
                let view = body.view();
                let has_effects =
                    module.env.signature(*decl).is_none_or(|it| !it.effects.is_pure());
                if has_effects || may_differ(module.ast, *decl, view) {
                    waiting.push(own);
                }
                for (_, resolution) in &view.body.resolutions {
                    if let Resolution::Fn { module, name } = resolution {
                        let callers = callers.entry((module, name)).or_default();
                        if callers.last() != Some(&own) {
                            callers.push(own);
                        }
                    }
                }
            }
        }
        let mut impure = FxHashSet::default();
        while let Some(function) = waiting.pop() {
            if let Some(callers) = callers.get(&function) {
                waiting.extend(callers.iter().filter(|it| !impure.contains(*it)));
            }
            impure.insert(function);
        }
        Impure(impure)
    }

    pub(super) fn is_pure(&self, module: &Name, name: &Name) -> bool {
        !self.0.contains(&(module.as_str(), name.as_str()))
    }
}

/// Whether something in a declaration may give different results each time: an external, or a function that is a value.
fn may_differ(ast: &Ast, decl: DeclId, view: BodyView<'_>) -> bool {
    let externals = view.body.resolutions.iter();
    let mut externals = externals.filter(|it| matches!(it.1, Resolution::External { .. }));
    externals.next().is_some()
        || ast.subtree(decl).any(|it| is_function_value(ast, view, NodeId(it)))
}

fn is_function_value(ast: &Ast, view: BodyView<'_>, node: NodeId) -> bool {
    let AstKind::Expr(expr) = &ast.node(node).kind else { return false };
    if !matches!(view.ty(node).base(), Ty::Fn(_)) {
        return false;
    }
    let is_known = match expr {
        Expr::Lambda { .. } => true,
        Expr::Ident { .. } | Expr::Field { .. } => {
            !matches!(view.resolution(node), None | Some(Resolution::Local(_)))
        }
        _ => false,
    };
    !is_known
}
