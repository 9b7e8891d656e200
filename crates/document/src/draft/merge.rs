//! A new value in the place of a parsed container of the same kind, member by member.
//!
//! Whoever replaces an object to change one of its members did not ask to lose the comments and the layout of the
//! others. So members that read the same stay, others are replaced, the rest is added and removed. Objects are
//! matched by key, arrays by what they have in common at their ends. The draft reads exactly as if the value had
//! been replaced as a whole, the order of keys included; where that cannot be had, or where the document refuses
//! one of the steps, the value is replaced as a whole.

use std::borrow::Cow;

use crate::hash::{HashMap, HashSet};

use super::{Draft, Node, Undo, Walk};
use crate::source::SyntaxKind;
use crate::value::Value;

/// How the items of an array become those of another: the first and last ones stay, those between are exchanged.
struct Middle {
    start: usize,
    old_end: usize,
    new_end: usize,
}

impl Draft {
    /// Remembers that a node of the parsed text comes to stand in another place.
    pub(super) fn note_move(&mut self, node: Node) {
        if let Node::Base(base) = node
            && self.moved.insert(base)
        {
            self.log.push(Undo::Moved(base));
        }
    }

    /// Makes the reached node read as `value` by changes to its members. Does nothing and says so where that
    /// cannot be done.
    pub(super) fn merge(&mut self, walk: &Walk, value: &Value) -> bool {
        // A container that was moved is written anew if it changes, which it may not survive with its comments.
        if !walk.nodes.iter().all(|node| self.is_in_place(*node)) {
            return false;
        }
        let savepoint = self.savepoint();
        let is_merged = self.merge_node(walk.node(), value);
        if !is_merged {
            self.roll_back(savepoint);
        }
        is_merged
    }

    /// Whether a node is one of the parsed text, where it was.
    fn is_in_place(&self, node: Node) -> bool {
        matches!(node, Node::Base(base) if !self.moved.contains(&base))
    }

    fn merge_node(&mut self, node: Node, value: &Value) -> bool {
        let kind = self.kind(node);
        match value {
            Value::Object(new) if kind == SyntaxKind::Object && self.open(node) => {
                self.merge_object(node, new)
            }
            Value::Array(new) if kind == SyntaxKind::Array && self.open(node) => {
                self.merge_array(node, new)
            }
            _ => false,
        }
    }

    fn merge_object(&mut self, node: Node, new: &[(String, Value)]) -> bool {
        let members = self.members(node).unwrap_or_default();
        let old: Vec<(String, Node)> = self
            .keys(node, &members)
            .into_iter()
            .map(Cow::into_owned)
            .zip(members.iter().map(|member| member.node))
            .collect();
        let wanted: HashMap<&str, &Value> =
            new.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let had: HashSet<&str> = old.iter().map(|(key, _)| key.as_str()).collect();
        let is_ordered = self.document.source().keeps_key_order();
        let kept = old.iter().map(|(key, _)| key.as_str()).filter(|key| wanted.contains_key(key));
        let added = new.iter().filter(|(key, _)| !had.contains(key.as_str()));
        let order = kept.chain(added.clone().map(|(key, _)| key.as_str()));
        let keeps_some = old.iter().any(|(key, _)| wanted.contains_key(key.as_str()));
        if !keeps_some || (is_ordered && !order.eq(new.iter().map(|(key, _)| key.as_str()))) {
            return false;
        }
        for (key, member) in &old {
            let is_done = match wanted.get(key.as_str()) {
                Some(value) => self.merge_member(node, key, *member, value),
                None => self.take_out(node, key, *member),
            };
            if !is_done {
                return false;
            }
        }
        for (key, value) in added {
            if self.guard_change_inside(&[node]).is_err() || self.guard_new_key(node, key).is_err()
            {
                return false;
            }
            let value = self.import(value);
            self.push_key(node, key, value);
        }
        true
    }

    fn merge_array(&mut self, node: Node, new: &[Value]) -> bool {
        let members = self.members(node).unwrap_or_default();
        let old: Vec<Node> = members.iter().map(|member| member.node).collect();
        let Middle { start, old_end, new_end } = self.middle(&old, new);
        let is_exchange = old_end - start == new_end - start;
        let keeps_some = start > 0 || old_end < old.len();
        if is_exchange && keeps_some {
            return (start..old_end)
                .all(|at| self.merge_member(node, &at.to_string(), old[at], &new[at]));
        }
        if !keeps_some {
            // Items that have nothing in common with those before would inherit their comments.
            return is_exchange
                && old.iter().all(|node| self.is_in_place(*node))
                && (0..old.len()).all(|at| self.merge_node(old[at], &new[at]));
        }
        for at in (start..old_end).rev() {
            if !self.take_out(node, &at.to_string(), old[at]) {
                return false;
            }
        }
        if self.guard_change_inside(&[node]).is_err() {
            return false;
        }
        for (at, value) in new.iter().enumerate().take(new_end).skip(start) {
            let value = self.import(value);
            self.insert_item(node, at, value);
        }
        true
    }

    fn middle(&self, old: &[Node], new: &[Value]) -> Middle {
        let shorter = old.len().min(new.len());
        let start = (0..shorter).take_while(|&at| self.reads_as(old[at], &new[at])).count();
        let from_end =
            |&count: &usize| self.reads_as(old[old.len() - 1 - count], &new[new.len() - 1 - count]);
        let behind = (0..shorter - start).take_while(from_end).count();
        Middle { start, old_end: old.len() - behind, new_end: new.len() - behind }
    }

    fn merge_member(&mut self, container: Node, segment: &str, old: Node, new: &Value) -> bool {
        if self.reads_as(old, new) {
            return true;
        }
        let savepoint = self.savepoint();
        if self.is_in_place(old) && self.merge_node(old, new) {
            return true;
        }
        self.roll_back(savepoint);
        if self.guard_change_inside(&[container]).is_err() || self.guard_removal(old).is_err() {
            return false;
        }
        let Some(position) = self.position_of(container, segment) else {
            return false;
        };
        let node = self.import(new);
        self.replace(Some((container, position)), node);
        true
    }

    fn take_out(&mut self, container: Node, segment: &str, old: Node) -> bool {
        if self.guard_change_inside(&[container]).is_err() || self.guard_removal(old).is_err() {
            return false;
        }
        let Some(position) = self.position_of(container, segment) else {
            return false;
        };
        self.remove(container, position, segment);
        true
    }

    fn reads_as(&self, node: Node, value: &Value) -> bool {
        let found = self.value_of(node);
        let is_ordered = self.document.source().keeps_key_order();
        found.is_same(value) && (!is_ordered || has_same_order(&found, value))
    }
}

/// Whether two values that are the same have their keys in the same order.
fn has_same_order(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.iter().zip(right).all(|(left, right)| has_same_order(left, right))
        }
        (Value::Object(left), Value::Object(right)) => left
            .iter()
            .zip(right)
            .all(|(left, right)| left.0 == right.0 && has_same_order(&left.1, &right.1)),
        _ => true,
    }
}
