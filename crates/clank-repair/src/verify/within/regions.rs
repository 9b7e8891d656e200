//! Which statements of one function a candidate changes, and whether it may be tried with others there.

use std::collections::BTreeSet;

use clank::CheckedModule;
use clank::code::Code;
use clank_syntax::ast::{AstKind, Decl, NodeId, Pattern};
use clank_syntax::patch::PatchOp;
use rustc_hash::FxHashMap;

use super::{LinearTypes, Region};
use crate::FindingId;
use crate::extent::declaration;
use crate::footprint::Footprint;
use crate::propose::Candidate;
use crate::verify::items::BlockItems;

/// Finds the regions of candidates for one module.
pub(in super::super) struct Regions<'a> {
    module: &'a CheckedModule,
    place: usize,
    items: &'a BlockItems,
    linear: &'a LinearTypes,
    suitable: FxHashMap<NodeId, bool>,
}

impl<'a> Regions<'a> {
    pub(in super::super) fn new(
        module: &'a CheckedModule,
        place: usize,
        items: &'a BlockItems,
        linear: &'a LinearTypes,
    ) -> Regions<'a> {
        Regions { module, place, items, linear, suitable: FxHashMap::default() }
    }

    /// The region of a candidate that concerns this.
    pub(in super::super) fn region(
        &mut self,
        candidate: &Candidate,
        footprint: &Footprint,
    ) -> Option<Region> {
        let Footprint::Some { writes, reads, .. } = footprint else { return None };
        let [(file, ops)] = &candidate.edits[..] else { return None };
        let decl = match writes.first() {
            Some((module, decl)) if *module == self.place && writes.len() == 1 => *decl,
            _ => return None,
        };
        if !reads.is_empty() || *file != self.module.file || !self.is_suitable(decl) {
            return None;
        }
        if let Some(item) = self.unused_name(candidate, ops) {
            return Some(Region { items: vec![item], is_quiet: true });
        }
        let mut items = BTreeSet::new();
        for op in ops {
            items.extend(self.changed(op)?);
        }
        let is_own = |it: &FindingId| match it {
            FindingId::Diagnostic(index) => {
                let it = &self.module.diagnostics[*index];
                let item = self.items.of(it.node);
                it.code.is_error() && item.is_some_and(|it| items.contains(&it))
            }
            FindingId::Goal(_) | FindingId::Hole(_) => false,
        };
        let is_known = candidate.targets.iter().all(is_own);
        is_known.then(|| Region { items: items.into_iter().collect(), is_quiet: false })
    }

    /// The statement that binds a name that nothing uses, nor assigns, if all that a candidate does is to give it another.
    fn unused_name(&self, candidate: &Candidate, ops: &[PatchOp]) -> Option<NodeId> {
        let ([FindingId::Diagnostic(index)], [PatchOp::ReplaceNode { node_id, .. }]) =
            (&candidate.targets[..], ops)
        else {
            return None;
        };
        let it = &self.module.diagnostics[*index];
        let ast = &self.module.ast;
        let is_binder = matches!(ast.node(it.node).kind, AstKind::Pattern(Pattern::Ident { .. }));
        let is_it = it.code == Code::W0001 && ast.ids().node(node_id) == Some(it.node);
        self.items.of(it.node).filter(|_| is_binder && is_it)
    }

    /// The statements that an operation is about; none if it may bind names, or is about a statement as a whole.
    fn changed(&self, op: &PatchOp) -> Option<BTreeSet<NodeId>> {
        let is_within = matches!(
            op,
            PatchOp::ReplaceNode { .. }
                | PatchOp::Wrap { .. }
                | PatchOp::DeleteNode { .. }
                | PatchOp::RenameSymbol { .. }
                | PatchOp::RenameField { .. }
        );
        let ast = &self.module.ast;
        let mut items = BTreeSet::new();
        for id in op.node_ids() {
            let node = ast.ids().node(&id)?;
            let is_target = id == *op.target();
            let is_value = matches!(
                ast.node(node).kind,
                AstKind::Expr(_) | AstKind::FieldInit(_) | AstKind::Type(_)
            );
            if !is_within || is_target && !is_value {
                return None;
            }
            items.insert(self.items.of(node)?);
        }
        Some(items)
    }

    /// Whether candidates for a declaration can be tried together at all.
    fn is_suitable(&mut self, decl: NodeId) -> bool {
        let (module, linear) = (self.module, self.linear);
        *self.suitable.entry(decl).or_insert_with(|| {
            let id = declaration(&module.ast, decl);
            let is_function = id.is_some_and(|it| matches!(module.ast.decl(it), Decl::Fn(_)));
            let view = id.and_then(|it| module.view(it));
            is_function && view.is_some_and(|it| it.body.goals.is_empty() && !linear.are_in(it))
        })
    }
}
