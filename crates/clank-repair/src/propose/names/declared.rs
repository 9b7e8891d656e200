//! The declaration that was probably misspelt, when its name is used nowhere.

use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::similar::MisspeltName;
use clank_syntax::ast::{Ast, AstKind, Decl, Name, NodeId};
use spelling::Rows;

use super::NameUses;
use super::index::is_plain_name;
use crate::FindingId;
use crate::propose::RepairContext;
use crate::propose::scope::names_of_locals;

/// A declaration that nobody uses.
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) node: NodeId,
    /// `parameter`, `function`, …
    pub(super) what: &'static str,
    /// The uses of the name that it would give a meaning to.
    pub(super) uses: Vec<FindingId>,
    /// Whether it is likelier to be the mistake than the uses.
    pub(super) is_likelier: bool,
}

/// The nearest declaration that nobody uses and that `name` could mean. It is looked for once: for the first of the
/// diagnostics about that name in its scope.
pub(super) fn misspelt(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    name: &Name,
    uses: NameUses<'_>,
) -> Option<Declared> {
    if !is_plain_name(&scene.ast().node(it.node).kind) {
        return None;
    }
    let is_first = |places: &[usize]| places.first() == Some(&uses.own);
    let (wanted, mut rows) = (MisspeltName::new(name), Rows::default());
    let mut near: Vec<(usize, NodeId, &'static str, Name)> = Vec::new();
    let mut add = |candidate: &Name, node: NodeId, what: &'static str| {
        if let Some(distance) = wanted.slips(candidate, &mut rows) {
            near.push((distance, node, what, candidate.clone()));
        }
    };
    if it.code == Code::E1001 && is_first(uses.here) {
        for (local, node) in names_of_locals(scene, it.node) {
            let what = match scene.ast().node(node).kind {
                AstKind::Param(_) | AstKind::LambdaParam(_) => "parameter",
                AstKind::Pattern(_) => "variable",
                _ => continue,
            };
            add(&local, node, what);
        }
    }
    if is_first(uses.all) {
        globals(scene.ast(), it.code, &mut add);
    }
    near.sort_by_key(|it| it.0);
    let is_global = |node: NodeId| {
        matches!(scene.ast().node(node).kind, AstKind::Decl(_) | AstKind::Variant(_))
    };
    let index = uses.index;
    let is_unused = |node: NodeId, name: &Name| match is_global(node) {
        true => !index.is_mentioned(name),
        false => !index.is_used(node),
    };
    let (_, node, what, old) = near.into_iter().find(|it| is_unused(it.1, &it.3))?;
    let given = if is_global(node) { index.plain(name) } else { uses.here };
    let (used, declared) = ((name.as_str(), index.plain(name).len()), (old.as_str(), 1));
    let is_likelier = match given.len() {
        1 => index.words().prefer(used, declared),
        _ => !index.words().prefer(declared, used),
    };
    let given = given.iter().map(|it| FindingId::Diagnostic(*it)).collect();
    Some(Declared { name: old, node, what, uses: given, is_likelier })
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
