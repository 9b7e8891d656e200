//! The declaration that was probably misspelt, when its name is used nowhere.

use clank_syntax::ast::{Ast, Decl, Expr, Kind, Name, NodeId, Pattern, Type};

use super::spelling::Words;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::repair::Target;
use crate::repair::propose::scope::{locals, n_uses};
use crate::repair::propose::{Scene, text_fact};
use crate::similar::distance;

/// A declaration that nobody uses.
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) node: NodeId,
    /// `parameter`, `function`, …
    pub(super) what: &'static str,
    /// The uses of the name that it would give a meaning to.
    pub(super) uses: Vec<Target>,
    /// Whether it is likelier to be the mistake than the uses.
    pub(super) is_likelier: bool,
}

/// The nearest declaration that nobody uses and that `name` could mean. It is looked for once: for the first of the
/// diagnostics about that name in its scope.
pub(super) fn misspelt(
    scene: Scene<'_>,
    it: &Diagnostic,
    name: &Name,
    all: &[(Target, &Diagnostic)],
) -> Option<Declared> {
    if !is_plain_name(&scene.ast().node(it.node).kind) {
        return None;
    }
    let is_first = |uses: &[(Target, &Diagnostic)]| {
        uses.first().is_some_and(|first| std::ptr::eq(first.1, it))
    };
    let here = scene.declaration(it.node);
    let in_declaration: Vec<(Target, &Diagnostic)> =
        all.iter().filter(|other| scene.declaration(other.1.node) == here).copied().collect();
    let mut near: Vec<(usize, NodeId, &'static str, Name)> = Vec::new();
    let mut add = |candidate: &Name, node: NodeId, what: &'static str| {
        if let Some(distance) = distance(name, candidate) {
            near.push((distance, node, what, candidate.clone()));
        }
    };
    if it.code == Code::E1001 && is_first(&in_declaration) {
        for local in locals(scene, it.node) {
            let what = match scene.ast().node(local.node).kind {
                Kind::Param(_) | Kind::LambdaParam(_) => "parameter",
                Kind::Pattern(_) => "variable",
                _ => continue,
            };
            add(&local.name, local.node, what);
        }
    }
    if is_first(all) {
        globals(scene.ast(), it.code, &mut add);
    }
    near.sort_by_key(|it| it.0);
    let (_, node, what, old) = near.into_iter().find(|it| is_unused(scene, it.1, &it.3))?;
    let is_global = matches!(scene.ast().node(node).kind, Kind::Decl(_) | Kind::Variant(_));
    let uses: Vec<Target> = match is_global {
        true => all_uses(scene, name),
        false => in_declaration.iter().map(|it| it.0).collect(),
    };
    let words = Words::of(scene.ast());
    let (used, declared) = ((name.as_str(), all_uses(scene, name).len()), (old.as_str(), 1));
    let is_likelier = match uses.len() {
        1 => words.prefer(used, declared),
        _ => !words.prefer(declared, used),
    };
    Some(Declared { name: old, node, what, uses, is_likelier })
}

/// Everything that is said about a name that nothing has: a constructor is used as a value, a pattern and a type.
fn all_uses(scene: Scene<'_>, name: &str) -> Vec<Target> {
    let all = scene.module.diagnostics.iter().enumerate();
    let uses = all.filter(|(_, it)| {
        matches!(it.code, Code::E1001 | Code::E1005 | Code::E1006)
            && text_fact(it, "name") == Some(name)
            && is_plain_name(&scene.ast().node(it.node).kind)
    });
    uses.map(|it| Target::Diagnostic(it.0)).collect()
}

/// Whether a name stands there that is not looked for in a module.
fn is_plain_name(kind: &Kind) -> bool {
    match kind {
        Kind::Expr(Expr::Ident { name } | Expr::RecordLit { name, .. })
        | Kind::Type(Type::Named { name, .. })
        | Kind::Pattern(Pattern::Variant { name, .. }) => !name.contains('.'),
        _ => false,
    }
}

/// The declarations of the module that a name could mean where it is not known.
fn globals(ast: &Ast, code: Code, add: &mut impl FnMut(&Name, NodeId, &'static str)) {
    for decl in ast.declarations() {
        let node = decl.node();
        match ast.decl(*decl) {
            Decl::Fn(it) if code == Code::E1001 && it.name != "main" => {
                add(&it.name, node, "function");
            }
            Decl::ExternalFn(it) if code == Code::E1001 => add(&it.name, node, "function"),
            Decl::Rec { name, .. } if code != Code::E1006 => add(name, node, "record"),
            Decl::TypeAlias { name, .. } if code == Code::E1005 => add(name, node, "type"),
            Decl::Sum { name, .. } if code == Code::E1005 => add(name, node, "type"),
            Decl::Sum { variants, .. } => {
                for id in variants {
                    add(&ast.variant(*id).name, id.node(), "variant");
                }
            }
            _ => {}
        }
    }
}

fn is_unused(scene: Scene<'_>, node: NodeId, name: &Name) -> bool {
    match scene.ast().node(node).kind {
        Kind::Decl(_) | Kind::Variant(_) => {
            scene.checked.modules.iter().all(|module| !is_mentioned(&module.ast, name))
        }
        _ => n_uses(scene, node) == 0,
    }
}

/// Whether a global name is used somewhere in a module, whatever it means there.
fn is_mentioned(ast: &Ast, wanted: &Name) -> bool {
    let is_it = |name: &Name| {
        name == wanted || name.rsplit_once('.').is_some_and(|it| it.1 == wanted.as_str())
    };
    ast.nodes().iter().any(|node| match &node.kind {
        Kind::Expr(Expr::Ident { name } | Expr::RecordLit { name, .. })
        | Kind::Expr(Expr::Field { field: name, .. })
        | Kind::Type(Type::Named { name, .. })
        | Kind::Pattern(Pattern::Variant { name, .. }) => is_it(name),
        Kind::Decl(decl) => {
            matches!(&**decl, Decl::Use(import) if import.items.contains(wanted))
        }
        _ => false,
    })
}
