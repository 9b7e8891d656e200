//! From a tree and operations to the tree afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::lists::{self, InsertionPoint};
use super::names::{self, NameChange};
use super::payload::{Grafted, Inner, PayloadSource, graft};
use super::slot::{category, is_else, part_at};
use super::{PatchError, PatchOp, Payload};
use crate::ast::{
    Ast, AstDraft, AstKind, Comments, DraftError, Expr, ExprId, Finished, Name, NodeId, StmtId,
};
use crate::json::{NodeRole, is_too_deep};

/// A tree after a patch.
#[derive(Clone, PartialEq, Debug)]
pub struct Patched {
    /// The tree.
    pub ast: Ast,
    /// By node: which node of the tree before it is, with the same id. What took the place of a node is that node.
    pub origins: Vec<Option<NodeId>>,
}

/// The tree after a patch, whole or not at all. What no operation touches keeps its id, span, source and comments.
pub fn apply(ast: &Ast, ops: &[PatchOp]) -> Result<Ast, PatchError> {
    patch(ast, ops).map(|it| it.ast)
}

/// The same, with where each node comes from.
pub fn patch(ast: &Ast, ops: &[PatchOp]) -> Result<Patched, PatchError> {
    let mut all: Vec<&PatchOp> = Vec::with_capacity(ops.len());
    for (index, op) in ops.iter().enumerate() {
        if !is_idempotent(op) || !ops[..index].contains(op) {
            all.push(op);
        }
    }
    refuse_conflicts(&all)?;
    let mut patcher =
        Patcher { draft: AstDraft::new(ast), deleted: BTreeSet::new(), after: BTreeMap::new() };
    for op in &all {
        patcher.op(op)?;
    }
    patcher.finish(&all)
}

/// Refuses what cannot be done to one node: to take it away and anything else, to replace it and change what it is.
fn refuse_conflicts(ops: &[&PatchOp]) -> Result<(), PatchError> {
    let mut by_target: HashMap<&Name, Vec<&PatchOp>> = HashMap::new();
    for op in ops {
        let others = by_target.entry(op.target()).or_default();
        if others.iter().any(|it| exclude_each_other(it, op)) {
            return Err(PatchError::Conflict { id: op.target().clone() });
        }
        others.push(op);
    }
    Ok(())
}

fn exclude_each_other(a: &PatchOp, b: &PatchOp) -> bool {
    let goes_with_replacement = |it: &PatchOp| {
        matches!(
            it,
            PatchOp::Wrap { .. } | PatchOp::InsertBefore { .. } | PatchOp::InsertAfter { .. }
        )
    };
    match (a, b) {
        (PatchOp::DeleteNode { .. }, _) | (_, PatchOp::DeleteNode { .. }) => true,
        (PatchOp::ReplaceNode { .. }, it) | (it, PatchOp::ReplaceNode { .. }) => {
            !goes_with_replacement(it)
        }
        (PatchOp::RenameSymbol { .. }, PatchOp::RenameSymbol { .. }) => true,
        _ => false,
    }
}

/// Whether doing it twice is doing it once.
fn is_idempotent(op: &PatchOp) -> bool {
    !matches!(
        op,
        PatchOp::InsertBefore { .. }
            | PatchOp::InsertAfter { .. }
            | PatchOp::Wrap { .. }
            | PatchOp::AddField { .. }
            | PatchOp::AddParam { .. }
            | PatchOp::AddRefinement { .. }
    )
}

pub(super) struct Patcher<'a> {
    pub(super) draft: AstDraft<'a>,
    deleted: BTreeSet<NodeId>,
    /// The last statement that was put after a node, so that the next one follows it.
    after: BTreeMap<NodeId, NodeId>,
}

impl Patcher<'_> {
    fn op(&mut self, op: &PatchOp) -> Result<(), PatchError> {
        let id = op.target();
        let old = self.draft.old().ids().node(id);
        let old = old.ok_or_else(|| PatchError::Unknown { id: id.clone() })?;
        let target = OpTarget { id, old, at: self.draft.place(old) };
        match op {
            PatchOp::ReplaceNode { new_node, .. } => self.replace(&target, new_node),
            PatchOp::InsertBefore { new_statement, .. } => {
                self.insert(&target, new_statement, false)
            }
            PatchOp::InsertAfter { new_statement, .. } => self.insert(&target, new_statement, true),
            PatchOp::Wrap { wrapper, hole_ref, .. } => self.wrap(&target, wrapper, hole_ref),
            PatchOp::DeleteNode { .. } => self.delete(&target),
            PatchOp::WidenEffect { add_effects, .. } => self.widen_effect(&target, add_effects),
            PatchOp::RenameSymbol { old_name, new_name, .. } => names::rename_symbol(
                &mut self.draft,
                target.at,
                &NameChange { id, old_name, new_name },
            ),
            PatchOp::RenameField { old_name, new_name, .. } => names::rename_field(
                &mut self.draft,
                target.at,
                &NameChange { id, old_name, new_name },
            ),
            PatchOp::Rename { .. } => Err(PatchError::NeedsNames { symbol_id: id.clone() }),
            PatchOp::AddField { field, .. } => self.add_field(&target, field),
            PatchOp::AddParam { param, position, .. } => self.add_param(&target, param, *position),
            PatchOp::AddRefinement { predicate, .. } => self.add_refinement(&target, predicate),
        }
    }

    pub(super) fn graft(
        &mut self,
        payload: &Payload,
        member: &'static str,
        part: NodeRole,
        inner: Option<Inner<'_>>,
    ) -> Result<Grafted, PatchError> {
        graft(&mut self.draft, &PayloadSource { value: &payload.0, member, part, inner })
    }

    /// Reads what comes to a node's place. Where only a block can stand, another expression gets one around it.
    fn graft_at(
        &mut self,
        target: &OpTarget<'_>,
        payload: &Payload,
        member: &'static str,
        inner: Option<Inner<'_>>,
    ) -> Result<Grafted, PatchError> {
        let Some(part) = part_at(&self.draft, target.at) else {
            let reason = "is the program, which cannot be replaced";
            return Err(PatchError::Refused { id: target.id.clone(), reason });
        };
        if part != NodeRole::Block || payload.0.get("source").is_some() {
            return self.graft(payload, member, part, inner);
        }
        let mut grafted = self.graft(payload, member, NodeRole::Expr, inner)?;
        let may_stand = match self.draft.kind(grafted.root) {
            AstKind::Expr(Expr::Block { .. }) => true,
            AstKind::Expr(Expr::If { .. }) => is_else(&self.draft, target.at),
            _ => false,
        };
        if !may_stand {
            grafted.root = self.block_around(grafted.root);
        }
        Ok(grafted)
    }

    fn block_around(&mut self, value: NodeId) -> NodeId {
        let expr = Some(ExprId::assume(value));
        self.draft.add(AstKind::Expr(Expr::Block { statements: Box::new([]), expr }))
    }

    fn replace(&mut self, target: &OpTarget<'_>, payload: &Payload) -> Result<(), PatchError> {
        let mut moves_itself = false;
        super::payload::for_each_moved(&payload.0, &mut |id| moves_itself |= id == target.id);
        if moves_itself {
            return self.enclose(target, payload, "new_node", None);
        }
        let grafted = self.graft_at(target, payload, "new_node", None)?;
        // Comments stay with what is moved; the others go to what comes, so that none is lost.
        let moved = &grafted.moved;
        let kept: Vec<_> = moved.iter().flat_map(|it| self.draft.take_comments(*it)).collect();
        let mut left = self.draft.take_comments(target.at);
        let own = left.iter().position(|(at, _)| *at == target.at).map(|it| left.remove(it).1);
        // A node that is moved here as it is keeps its own id.
        let is_moved = moved.contains(&grafted.root);
        let place = if is_moved { grafted.root } else { target.at };
        match is_moved {
            true => self.draft.redirect(target.at, grafted.root),
            false => self.draft.replace(target.at, grafted.root),
        }
        for (at, comments) in kept {
            self.draft.add_comments(at, comments);
        }
        let mut own = own.unwrap_or_default();
        for (_, comments) in left {
            own.leading.extend(comments.leading);
            own.leading.extend(comments.trailing);
        }
        if own != Comments::default() {
            self.draft.add_comments(place, own);
        }
        if is_moved {
            self.deleted.insert(target.old);
        }
        Ok(())
    }

    fn wrap(
        &mut self,
        target: &OpTarget<'_>,
        wrapper: &Payload,
        hole_ref: &Name,
    ) -> Result<(), PatchError> {
        self.enclose(target, wrapper, "wrapper", Some(hole_ref))
    }

    /// Puts a node around the target, which stands in it as the hole or by its id.
    fn enclose(
        &mut self,
        target: &OpTarget<'_>,
        payload: &Payload,
        member: &'static str,
        hole_ref: Option<&Name>,
    ) -> Result<(), PatchError> {
        let inner = self.draft.make_room(target.at);
        let around = Inner { hole_ref: hole_ref.map(Name::as_str), node: target.old, at: inner };
        let grafted = self.graft_at(target, payload, member, Some(around))?;
        if grafted.root == inner {
            return Err(PatchError::TwoPlaces { id: target.id.clone() });
        }
        self.draft.fill(target.at, grafted.root);
        Ok(())
    }

    fn insert(
        &mut self,
        target: &OpTarget<'_>,
        payload: &Payload,
        after: bool,
    ) -> Result<(), PatchError> {
        let member = "new_statement";
        let refused = |reason| PatchError::Refused { id: target.id.clone(), reason };
        let part = part_at(&self.draft, target.at);
        let is_statement = matches!(part, Some(NodeRole::Stmt | NodeRole::Expr | NodeRole::Block));
        if !is_statement && !matches!(part, None | Some(NodeRole::Type | NodeRole::Pattern)) {
            let part = part.unwrap_or(NodeRole::Decl);
            let new = self.graft(payload, member, part, None)?.root;
            let next_to = self.next_to(target.at, new, after);
            return match lists::insert(&mut self.draft, next_to, new, after) {
                true => Ok(()),
                false => Err(refused("is in no list")),
            };
        }
        let Some(spot) = lists::spot(&self.draft, target.at) else {
            return Err(refused("is in no list of statements"));
        };
        let new = self.graft(payload, member, NodeRole::Stmt, None)?.root;
        match spot {
            InsertionPoint::Beside(statement) => {
                let next_to = self.next_to(statement, new, after);
                lists::insert(&mut self.draft, next_to, new, after);
            }
            InsertionPoint::Value { block, value } => {
                if !lists::insert_at_value(&mut self.draft, block, value, new, after) {
                    return Err(refused(
                        "is the value of its block, so that nothing can follow it",
                    ));
                }
            }
            InsertionPoint::Around(_) if after => {
                return Err(refused(
                    "is the value of an arm or lambda, so that nothing can follow it",
                ));
            }
            InsertionPoint::Around(body) => {
                let inner = self.draft.make_room(body);
                let block = Expr::Block {
                    statements: Box::new([StmtId::assume(new)]),
                    expr: Some(ExprId::assume(inner)),
                };
                let block = self.draft.add(AstKind::Expr(block));
                self.draft.fill(body, block);
            }
        }
        Ok(())
    }

    /// What a new element goes next to: of several that are put after one node, each goes after the one before.
    fn next_to(&mut self, at: NodeId, new: NodeId, after: bool) -> NodeId {
        match after {
            true => self.after.insert(at, new).unwrap_or(at),
            false => at,
        }
    }

    fn delete(&mut self, target: &OpTarget<'_>) -> Result<(), PatchError> {
        lists::delete(&mut self.draft, target.at)
            .map_err(|reason| PatchError::Refused { id: target.id.clone(), reason })?;
        self.deleted.insert(target.old);
        Ok(())
    }

    pub(super) fn wrong(&self, target: &OpTarget<'_>, expected: &'static str) -> PatchError {
        let found = category(self.draft.kind(target.at));
        PatchError::Category { id: target.id.clone(), found, expected }
    }

    fn finish(self, ops: &[&PatchOp]) -> Result<Patched, PatchError> {
        let Patcher { draft, deleted, .. } = self;
        let old = draft.old();
        let targets: Vec<(NodeId, &Name)> = ops
            .iter()
            .filter_map(|op| Some((old.ids().node(op.target())?, op.target())))
            .filter(|(node, _)| !deleted.contains(node))
            .map(|(node, id)| (draft.place(node), id))
            .collect();
        let finished = draft.finish().map_err(|error| match error {
            DraftError::TwoPlaces(id) => PatchError::TwoPlaces { id },
            DraftError::TwoNodes(id) => PatchError::IdInUse { id },
        })?;
        // What an operation is about must still be there, or the operation was lost.
        if let Some((_, id)) = targets.iter().find(|(at, _)| !finished.is_reached[at.index()]) {
            return Err(PatchError::Conflict { id: (*id).clone() });
        }
        let brings_something = ops.iter().any(|op| op.payload().is_some());
        if brings_something && is_too_deep(old, &finished.ast) {
            return Err(PatchError::TooDeep);
        }
        let Finished { ast, mut origins, .. } = finished;
        // A new node may state the id of one that went, and so be that node.
        for (node, id) in ast.ids_given() {
            if origins[node.index()].is_none() {
                origins[node.index()] = old
                    .ids()
                    .node(id)
                    .filter(|it| category(&old.node(*it).kind) == category(&ast.node(*node).kind));
            }
        }
        Ok(Patched { ast, origins })
    }
}

/// The node that an operation is about.
pub(super) struct OpTarget<'a> {
    pub(super) id: &'a Name,
    /// In the tree before.
    old: NodeId,
    /// In the draft.
    pub(super) at: NodeId,
}
