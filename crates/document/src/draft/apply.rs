//! The operations, one by one. Each has all of its effect or none.

use super::{Draft, Effect, Node, Walk, Write, WriteKind};
use crate::limits::Limits;
use crate::op::{GuardedOp, Op, OpError, Preconditions};
use crate::pointer::{Pointer, parse_index};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::SyntaxKind;
use crate::value::{JsonType, Value};

impl Draft {
    /// Applies one operation to the draft. On failure the draft is as before.
    pub fn apply(&mut self, step: &GuardedOp) -> Result<Effect, OpError> {
        self.turn_to(step.document)?;
        if let Some(refusal) = self.document.source().blocked(step.document) {
            return Err(refusal.into());
        }
        guard_value_depth(step)?;
        let savepoint = self.savepoint();
        let refusal = self.refuses_value(&step.op);
        let result = self.check_expectations(step).and_then(|()| self.perform(&step.op));
        // A value that does not fit is the last thing to be said of an operation that cannot be done anyway.
        let result = match refusal {
            Some(refusal) => result.and(Err(refusal.into())),
            None => result,
        };
        if result.is_err() {
            self.roll_back(savepoint);
        }
        result
    }

    fn perform(&mut self, op: &Op) -> Result<Effect, OpError> {
        match op {
            Op::ReplaceValue { at, value } => {
                let walk = self.walk_to(at)?;
                self.overwrite(&walk, value)
            }
            Op::AddKey { at, key, value } => {
                let walk = self.walk_to_object(at)?;
                if self.position_of(walk.node(), key).is_some() {
                    return Err(OpError::KeyExists { at: at.join(key) });
                }
                let node = self.import(value);
                self.create_key(&walk, key, node)
            }
            Op::RemoveKey { at, key } => {
                let walk = self.walk_to_object(at)?;
                let slot = self.literal(at).join(key);
                if self.position_of(walk.node(), key).is_none() {
                    return Err(self.missing_key(&walk, slot, key));
                }
                self.delete(&slot)
            }
            Op::RenameKey { at, from, to } => self.rename_key(at, from, to),
            Op::InsertItem { at, index, value } => self.insert(at, *index, value),
            Op::ReplaceItem { at, index, value } => {
                self.walk_to_item(at, *index)?;
                let item = item_pointer(&self.literal(at), *index);
                let walk = self.walk_to(&item)?;
                self.overwrite(&walk, value)
            }
            Op::DeleteItem { at, index } => {
                self.walk_to_item(at, *index)?;
                let item = item_pointer(&self.literal(at), *index);
                self.delete(&item)
            }
            Op::SetValue { at, value } => {
                let walk = self.walk(at)?;
                if walk.is_complete {
                    return self.overwrite(&walk, value);
                }
                let node = self.import(value);
                self.set(at, node).map(|(effect, _)| effect)
            }
            Op::DeleteValue { at } => self.delete(at),
            Op::MoveValue { from, to, keep_position } => {
                let (from, to) = (self.literal(from), self.literal(to));
                self.move_value(&from, &to, *keep_position)
            }
        }
    }

    fn insert(
        &mut self,
        at: &Pointer,
        index: Option<usize>,
        value: &Value,
    ) -> Result<Effect, OpError> {
        let walk = self.walk_to_array(at)?;
        let len = self.opened[&walk.node()].len();
        let index = index.unwrap_or(len);
        if index > len {
            return Err(OpError::OutOfRange { at: at.clone(), index, len });
        }
        self.guard_change_inside(&walk.nodes)?;
        let node = self.import(value);
        self.guard_depth(walk.nodes.len(), node)?;
        let slot = self.insert_item(walk.node(), index, node);
        Ok(effect(&walk.slots, Some(slot), WriteKind::Create))
    }

    fn rename_key(&mut self, at: &Pointer, from: &str, to: &str) -> Result<Effect, OpError> {
        let walk = self.walk_to_object(at)?;
        let Some(position) = self.position_of(walk.node(), from) else {
            return Err(self.missing_key(&walk, at.join(from), from));
        };
        // FA-32: `to` is absent, so a key is not renamed to itself.
        if self.position_of(walk.node(), to).is_some() {
            return Err(OpError::KeyExists { at: at.join(to) });
        }
        self.guard_change_inside(&walk.nodes)?;
        self.guard_new_key(walk.node(), to)?;
        let slot = self.opened[&walk.node()].members[position].id;
        let removed_before = self.opened[&walk.node()].removed_keys.get(to).copied();
        let gone = self.rename(walk.node(), position, from, to);
        let mut done = effect(&walk.slots, Some(gone), WriteKind::Remove);
        // The renamed key keeps its slot. If the new name was removed before, that slot is written to as well.
        for slot in [Some(slot), removed_before].into_iter().flatten() {
            done.writes.extend(effect(&walk.slots, Some(slot), WriteKind::Create).writes);
        }
        Ok(done)
    }

    fn delete(&mut self, at: &Pointer) -> Result<Effect, OpError> {
        let walk = self.walk_to(at)?;
        let (Some((container, position)), Some(segment)) = (walk.parent(), at.segments().last())
        else {
            return Err(OpError::Root);
        };
        self.guard_change_inside(&walk.nodes[..walk.nodes.len() - 1])?;
        self.guard_removal(walk.node())?;
        self.remove(container, position, segment);
        Ok(effect(&walk.slots, None, WriteKind::Remove))
    }

    fn move_value(
        &mut self,
        from: &Pointer,
        to: &Pointer,
        keep_position: bool,
    ) -> Result<Effect, OpError> {
        let walk = self.walk_to(from)?;
        let Some((container, _)) = walk.parent() else {
            return Err(OpError::Root);
        };
        if from == to {
            return Ok(Effect::default());
        }
        if from.is_prefix_of(to) {
            return Err(OpError::IntoItself { from: from.clone() });
        }
        if keep_position {
            return match (from.split_last(), to.split_last()) {
                (Some((parent, old)), Some((target, new)))
                    if parent == target && self.kind(container) == SyntaxKind::Object =>
                {
                    self.rename_key(&parent, old, new)
                }
                _ => Err(OpError::NotARename { from: from.clone() }),
            };
        }
        let moved = walk.node();
        self.note_move(moved);
        let mut done = self.delete(from)?;
        let (set, overwrote) = self.set(to, moved)?;
        done.writes.extend(set.writes);
        done.overwrote = overwrote;
        Ok(done)
    }

    /// Replaces what is at `at`, or creates it as a new key. Says whether something was replaced.
    fn set(&mut self, at: &Pointer, node: Node) -> Result<(Effect, bool), OpError> {
        let walk = self.walk(at)?;
        if walk.is_complete {
            self.guard_overwrite(&walk)?;
            self.guard_depth(walk.nodes.len() - 1, node)?;
            self.replace(walk.parent(), node);
            return Ok((effect(&walk.slots, None, WriteKind::Replace), true));
        }
        let reached = walk.positions.len();
        match at.segments().last() {
            Some(key)
                if reached + 1 == at.segments().len()
                    && self.kind(walk.node()) == SyntaxKind::Object =>
            {
                Ok((self.create_key(&walk, key, node)?, false))
            }
            _ => Err(self.stop(at, &walk)),
        }
    }

    fn overwrite(&mut self, walk: &Walk, value: &Value) -> Result<Effect, OpError> {
        self.guard_change_inside(&walk.nodes[..walk.nodes.len() - 1])?;
        let node = self.import(value);
        self.guard_depth(walk.nodes.len() - 1, node)?;
        if !self.merge(walk, value) {
            self.guard_removal(walk.node())?;
            self.replace(walk.parent(), node);
        }
        Ok(effect(&walk.slots, None, WriteKind::Replace))
    }

    fn create_key(&mut self, walk: &Walk, key: &str, node: Node) -> Result<Effect, OpError> {
        self.guard_change_inside(&walk.nodes)?;
        self.guard_new_key(walk.node(), key)?;
        self.guard_depth(walk.nodes.len(), node)?;
        let slot = self.push_key(walk.node(), key, node);
        Ok(effect(&walk.slots, Some(slot), WriteKind::Create))
    }

    fn walk_to(&mut self, at: &Pointer) -> Result<Walk, OpError> {
        let walk = self.walk(at)?;
        if walk.is_complete { Ok(walk) } else { Err(self.stop(at, &walk)) }
    }

    fn walk_to_object(&mut self, at: &Pointer) -> Result<Walk, OpError> {
        let walk = self.walk_to(at)?;
        if self.kind(walk.node()) == SyntaxKind::Object && self.open(walk.node()) {
            return Ok(walk);
        }
        self.guard_alias(walk.node())?;
        Err(OpError::NotAnObject { at: at.clone(), found: self.type_of(walk.node()) })
    }

    fn walk_to_array(&mut self, at: &Pointer) -> Result<Walk, OpError> {
        let walk = self.walk_to(at)?;
        if self.kind(walk.node()) == SyntaxKind::Array && self.open(walk.node()) {
            return Ok(walk);
        }
        self.guard_alias(walk.node())?;
        Err(OpError::NotAnArray { at: at.clone(), found: self.type_of(walk.node()) })
    }

    fn walk_to_item(&mut self, at: &Pointer, index: usize) -> Result<Walk, OpError> {
        let walk = self.walk_to_array(at)?;
        let len = self.opened[&walk.node()].len();
        if index < len { Ok(walk) } else { Err(OpError::OutOfRange { at: at.clone(), index, len }) }
    }

    /// Why a walk along `at` ended early.
    fn stop(&self, at: &Pointer, walk: &Walk) -> OpError {
        let reached = walk.positions.len();
        let array = at.prefix(reached);
        match (self.opened.get(&walk.node()), parse_index(&at.segments()[reached])) {
            (Some(container), Some(index)) if !container.is_object => {
                OpError::OutOfRange { at: array, index, len: container.len() }
            }
            (Some(container), None) if !container.is_object => {
                OpError::BadIndex { at: at.prefix(reached + 1) }
            }
            _ => OpError::Missing { at: at.prefix(reached + 1) },
        }
    }

    fn missing_key(&self, walk: &Walk, at: Pointer, key: &str) -> OpError {
        match self.guard_new_key(walk.node(), key) {
            Err(refused) => refused,
            Ok(()) => OpError::Missing { at },
        }
    }

    /// Why the format has no text for the value that an operation brings in, with the place it was meant for.
    fn refuses_value(&mut self, op: &Op) -> Option<Refusal> {
        let reason = self.document.source().refuses_value(op.value()?)?;
        let slot = self.addressed_slot(op);
        let nodes = self.walk_literally(&slot).map(|walk| walk.nodes).unwrap_or_default();
        let offset = nodes.iter().rev().find_map(|node| match node {
            Node::Base(base) => Some(self.document.source().span(*base).start),
            Node::New(_) => None,
        });
        Some(Refusal::new(reason, offset.unwrap_or(0)))
    }

    fn guard_overwrite(&self, walk: &Walk) -> Result<(), OpError> {
        self.guard_change_inside(&walk.nodes[..walk.nodes.len() - 1])?;
        self.guard_removal(walk.node())
    }

    pub(super) fn guard_change_inside(&self, nodes: &[Node]) -> Result<(), OpError> {
        let source = self.document.source();
        let refusal = nodes.iter().find_map(|node| match node {
            Node::Base(base) => self.unless_meant(source.refuses_change_inside(*base)),
            Node::New(_) => None,
        });
        refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    /// A refusal, but for that of a change to an anchor that is meant for all its aliases.
    fn unless_meant(&self, refusal: Option<Refusal>) -> Option<Refusal> {
        let is_meant = |it: &Refusal| {
            self.edits_anchors && matches!(it.reason, RefusalReason::SharedAnchor { .. })
        };
        refusal.filter(|it| !is_meant(it))
    }

    pub(super) fn guard_removal(&self, node: Node) -> Result<(), OpError> {
        match node {
            Node::Base(base) => {
                match self.unless_meant(self.document.source().refuses_removal(base)) {
                    Some(refusal) => Err(refusal.into()),
                    None => Ok(()),
                }
            }
            Node::New(_) => Ok(()),
        }
    }

    pub(super) fn guard_new_key(&self, node: Node, key: &str) -> Result<(), OpError> {
        match node {
            Node::Base(base) => match self.document.source().refuses_new_key(base, key) {
                Some(refusal) => Err(refusal.into()),
                None => Ok(()),
            },
            Node::New(_) => Ok(()),
        }
    }

    /// Operations on operations could nest without bound, and everything below here recurses.
    fn guard_depth(&self, containers_above: usize, node: Node) -> Result<(), OpError> {
        let room = Limits::DEFAULT.max_depth.checked_sub(containers_above);
        if room.is_some_and(|room| self.fits(node, room)) {
            return Ok(());
        }
        Err(too_deep())
    }

    /// An alias to a container could be meant; say so instead of naming its type.
    fn guard_alias(&self, node: Node) -> Result<(), OpError> {
        if self.kind(node) == SyntaxKind::Alias {
            self.guard_change_inside(&[node])
        } else {
            Ok(())
        }
    }

    fn check_expectations(&mut self, step: &GuardedOp) -> Result<(), OpError> {
        if step.expects == Preconditions::default() && step.expects_parent.is_none() {
            return Ok(());
        }
        let slot = self.addressed_slot(&step.op);
        let walk = self.walk_literally(&slot)?;
        if let Some(expected) = step.expects_parent {
            let found = self.parent_type(&slot, &walk);
            if !found.is_some_and(|found| found.satisfies(expected)) {
                return Err(OpError::UnexpectedParent { at: slot, expected, found });
            }
        }
        let node = walk.is_complete.then(|| walk.node());
        if self.holds(&step.expects, node) {
            return Ok(());
        }
        let found = node.map(|node| self.value_of(node));
        Err(OpError::Unexpected { at: slot, expects: step.expects.clone(), found })
    }

    /// Reads the value only to compare it: the array that an item is inserted into may be long.
    fn holds(&self, expects: &Preconditions, found: Option<Node>) -> bool {
        let Some(node) = found else {
            let is_about_a_value =
                expects.json_type.is_some() || expects.equals.is_some() || expects.length.is_some();
            return !is_about_a_value && expects.exists != Some(true);
        };
        expects.exists != Some(false)
            && expects.json_type.is_none_or(|expected| self.type_of(node).satisfies(expected))
            && expects.length.is_none_or(|expected| self.array_len(node) == Some(expected))
            && expects.equals.as_ref().is_none_or(|expected| self.value_of(node).equals(expected))
    }

    fn array_len(&self, node: Node) -> Option<usize> {
        let source = self.document.source();
        let parsed = match node {
            Node::Base(base) => Some(source.alias_target(base).unwrap_or(base)),
            Node::New(_) => None,
        };
        if self.type_of(node) != JsonType::Array {
            return None;
        }
        match self.opened.get(&node) {
            Some(container) => Some(container.len()),
            None => parsed.map(|base| source.children(base).len()),
        }
    }

    /// FA-42: what the preconditions of an operation are about.
    fn addressed_slot(&mut self, op: &Op) -> Pointer {
        match op {
            Op::ReplaceValue { at, .. }
            | Op::InsertItem { at, .. }
            | Op::SetValue { at, .. }
            | Op::DeleteValue { at } => self.literal(at),
            Op::AddKey { at, key, .. }
            | Op::RemoveKey { at, key }
            | Op::RenameKey { at, from: key, .. } => self.literal(at).join(key),
            Op::ReplaceItem { at, index, .. } | Op::DeleteItem { at, index } => {
                item_pointer(&self.literal(at), *index)
            }
            Op::MoveValue { from, .. } => self.literal(from),
        }
    }

    fn parent_type(&self, slot: &Pointer, walk: &Walk) -> Option<JsonType> {
        match walk.parent() {
            Some((container, _)) if walk.is_complete => Some(self.type_of(container)),
            None if walk.is_complete => None,
            _ if walk.positions.len() + 1 == slot.segments().len() => {
                Some(self.type_of(walk.node()))
            }
            _ => None,
        }
    }
}

fn item_pointer(array: &Pointer, index: usize) -> Pointer {
    array.join(index.to_string())
}

/// Callers can make values that no text holds. What is too deep anywhere is not looked into.
fn guard_value_depth(step: &GuardedOp) -> Result<(), OpError> {
    let values = [step.op.value(), step.expects.equals.as_ref()];
    let do_fit = values.into_iter().flatten().all(|it| it.fits(Limits::DEFAULT.max_depth));
    if do_fit { Ok(()) } else { Err(too_deep()) }
}

fn too_deep() -> OpError {
    let message = format!("nested deeper than {} levels", Limits::DEFAULT.max_depth);
    Refusal::new(RefusalReason::NotParsed { message }, 0).into()
}

fn effect(path: &[super::SlotId], last: Option<super::SlotId>, kind: WriteKind) -> Effect {
    let path = path.iter().copied().chain(last).collect();
    Effect { writes: vec![Write { path, kind }], overwrote: false }
}
