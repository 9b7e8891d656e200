//! The words for candidates and for the nodes that they bring.

use check::{Confidence, RepairKind, Safety};
use clank_syntax::ast::{Name, NodeId};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::{Value as Json, json};

use super::{Candidate, RepairContext};
use crate::FindingId;

impl Candidate {
    /// A change of one place that may change what the program does. What it does is added with [`Candidate::op`].
    pub(super) fn new(
        scene: RepairContext<'_>,
        target: FindingId,
        title: impl Into<String>,
    ) -> Candidate {
        Candidate {
            title: title.into(),
            rationale: String::new(),
            confidence: Confidence::Medium,
            safety: Safety::BehaviorChanging,
            kind: RepairKind::LocalFix,
            edits: vec![(scene.module.file.clone(), Vec::new())],
            targets: vec![target],
            is_idiom: false,
            is_guess: false,
        }
    }

    /// The same, as what a habit of another language means.
    pub(super) fn idiom(self) -> Candidate {
        Candidate { is_idiom: true, ..self }
    }

    /// The same with one more operation on the module's own file.
    pub(super) fn op(mut self, op: PatchOp) -> Candidate {
        if let Some((_, ops)) = self.edits.first_mut() {
            ops.push(op);
        }
        self
    }

    /// The same with the reason for it.
    pub(super) fn because(self, rationale: impl Into<String>) -> Candidate {
        Candidate { rationale: rationale.into(), ..self }
    }

    /// The same, as sure as this.
    pub(super) fn confidence(self, confidence: Confidence) -> Candidate {
        Candidate { confidence, ..self }
    }

    /// The same, as safe as this.
    pub(super) fn safety(self, safety: Safety) -> Candidate {
        Candidate { safety, ..self }
    }

    /// The same, of this kind.
    pub(super) fn kind(self, kind: RepairKind) -> Candidate {
        Candidate { kind, ..self }
    }

    /// The same, also for these.
    pub(super) fn also_for(mut self, targets: impl IntoIterator<Item = FindingId>) -> Candidate {
        for target in targets {
            if !self.targets.contains(&target) {
                self.targets.push(target);
            }
        }
        self
    }
}

impl RepairContext<'_> {
    /// Puts another node in the place of one.
    pub(super) fn replace(&self, node: impl Into<NodeId>, new_node: Json) -> PatchOp {
        PatchOp::ReplaceNode { node_id: self.id(node), new_node: Payload(new_node) }
    }

    /// Changes the name at one place.
    pub(super) fn rename(&self, node: impl Into<NodeId>, old: &str, new: &str) -> PatchOp {
        let (old_name, new_name) = (Name::new(old), Name::new(new));
        PatchOp::RenameSymbol { node_id: self.id(node), old_name, new_name }
    }

    /// Changes the name of a field at one place.
    pub(super) fn rename_field(&self, node: impl Into<NodeId>, old: &str, new: &str) -> PatchOp {
        let (old_name, new_name) = (Name::new(old), Name::new(new));
        PatchOp::RenameField { node_id: self.id(node), old_name, new_name }
    }

    /// Puts a call of a function of one argument around an expression.
    pub(super) fn wrap_in_call(&self, node: impl Into<NodeId>, function: &str) -> PatchOp {
        let hole = json!({ "kind": "hole", "ref": "value" });
        PatchOp::Wrap {
            node_id: self.id(node),
            wrapper: Payload(call(ident(function), vec![hole])),
            hole_ref: Name::new("value"),
        }
    }

    /// Takes a node out of its list.
    pub(super) fn delete(&self, node: impl Into<NodeId>) -> PatchOp {
        PatchOp::DeleteNode { node_id: self.id(node) }
    }

    /// A node that is there, moved to where this is put.
    pub(super) fn kept(&self, node: impl Into<NodeId>) -> Json {
        json!({ "node": self.id(node).as_str() })
    }

    /// Nodes that are there.
    pub(super) fn all_kept<T: Copy + Into<NodeId>>(&self, nodes: &[T]) -> Vec<Json> {
        nodes.iter().map(|it| self.kept(*it)).collect()
    }
}

/// What a text says.
pub(super) fn source(text: &str) -> Json {
    json!({ "source": text })
}

/// A name as an expression.
pub(super) fn ident(name: &str) -> Json {
    json!({ "kind": "ident", "name": name })
}

/// A call.
pub(super) fn call(callee: Json, args: Vec<Json>) -> Json {
    json!({ "kind": "call", "callee": callee, "args": args })
}

/// A text as an expression.
pub(super) fn string(text: &str) -> Json {
    json!({ "kind": "literal", "value": { "kind": "string", "value": text } })
}

/// High for the first of a list, medium for the others.
pub(super) fn by_place(place: usize) -> Confidence {
    if place == 0 { Confidence::High } else { Confidence::Medium }
}
