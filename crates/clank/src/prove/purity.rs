//! Which functions of a program give the same result for the same arguments (rows 24, 34, 52).
//!
//! A function is pure unless it declares an effect, calls or passes on a function that is a value, or may reach an
//! external function or one that is not pure.

use clank_syntax::ast::{Ast, Decl, DeclId, Expr, Kind, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::WorldModule;
use crate::body::{BodyView, Resolution};
use crate::ty::Ty;

/// The functions that are not pure, by file and name.
pub(super) struct Impure(FxHashSet<(Name, Name)>);

impl Impure {
    pub(super) fn new(modules: &[WorldModule<'_>]) -> Impure {
        let mut callers: FxHashMap<(Name, Name), Vec<(Name, Name)>> = FxHashMap::default();
        let mut waiting = Vec::new();
        for module in modules {
            for (decl, body) in module.bodies {
                let Decl::Fn(function) = module.ast.decl(*decl) else { continue };
                let own = (module.file.clone(), function.name.clone());
                let view = body.view();
                let has_effects =
                    module.env.signature(*decl).is_none_or(|it| !it.effects.is_pure());
                if has_effects || may_differ(module.ast, *decl, view) {
                    waiting.push(own.clone());
                }
                for (_, resolution) in &view.body.resolutions {
                    if let Resolution::Fn { module, name } = resolution {
                        let called = (module.clone(), name.clone());
                        callers.entry(called).or_default().push(own.clone());
                    }
                }
            }
        }
        let mut impure = FxHashSet::default();
        while let Some(function) = waiting.pop() {
            if let Some(callers) = callers.get(&function) {
                waiting.extend(callers.iter().filter(|it| !impure.contains(*it)).cloned());
            }
            impure.insert(function);
        }
        Impure(impure)
    }

    pub(super) fn is_pure(&self, module: &Name, name: &Name) -> bool {
        !self.0.contains(&(module.clone(), name.clone()))
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
    let Kind::Expr(expr) = &ast.node(node).kind else { return false };
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
