//! How far the operations of a repair reach: nodes, declarations, files.

use std::collections::BTreeSet;

use check::Scope;
use clank::CheckedModule;
use clank_syntax::ast::{Ast, DeclId, Name, NodeId};
use clank_syntax::patch::PatchOp;

/// The nodes of the module that operations are about or move, each once, in order.
pub(crate) fn nodes(ast: &Ast, edits: &[(Name, Vec<PatchOp>)], file: &Name) -> Vec<NodeId> {
    let own = edits.iter().filter(|it| it.0 == *file).flat_map(|it| &it.1);
    let nodes: BTreeSet<NodeId> =
        own.flat_map(PatchOp::node_ids).filter_map(|it| ast.ids().node(&it)).collect();
    nodes.into_iter().collect()
}

/// How much operations touch (RS-8): every node that one is about is a place.
pub(crate) fn scope(
    module: &CheckedModule,
    edits: &[(Name, Vec<PatchOp>)],
    nodes: &[NodeId],
) -> Scope {
    let places: BTreeSet<(&Name, &Name)> = edits
        .iter()
        .flat_map(|(file, ops)| ops.iter().map(move |it| (file, it.target())))
        .collect();
    let files = edits.iter().filter(|it| !it.1.is_empty()).count();
    let declarations: BTreeSet<Option<DeclId>> =
        nodes.iter().map(|it| declaration(&module.ast, *it)).collect();
    Scope {
        crosses_function: files > 1 || declarations.len() > 1,
        files: files as u32,
        node_count: places.len() as u32,
    }
}

/// The declaration that a node is in; the program itself is in none.
pub(crate) fn declaration(ast: &Ast, node: NodeId) -> Option<DeclId> {
    let declarations = ast.declarations();
    let place = declarations.partition_point(|it| it.node() < node);
    declarations.get(place).copied()
}
