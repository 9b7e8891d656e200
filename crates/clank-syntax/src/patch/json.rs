//! Operations as JSON, as repairs carry them.

use serde_json::{Map, Value, json};

use super::{PatchError, PatchOp, Payload};
use crate::ast::Name;

/// The names of all operations.
const OPS: [&str; 12] = [
    "replace_node",
    "insert_before",
    "insert_after",
    "wrap",
    "delete_node",
    "widen_effect",
    "rename_symbol",
    "rename",
    "rename_field",
    "add_field",
    "add_param",
    "add_refinement",
];

impl PatchOp {
    /// The operation's name, as in `replace_node`.
    pub fn op(&self) -> &'static str {
        match self {
            PatchOp::ReplaceNode { .. } => "replace_node",
            PatchOp::InsertBefore { .. } => "insert_before",
            PatchOp::InsertAfter { .. } => "insert_after",
            PatchOp::Wrap { .. } => "wrap",
            PatchOp::DeleteNode { .. } => "delete_node",
            PatchOp::WidenEffect { .. } => "widen_effect",
            PatchOp::RenameSymbol { .. } => "rename_symbol",
            PatchOp::Rename { .. } => "rename",
            PatchOp::RenameField { .. } => "rename_field",
            PatchOp::AddField { .. } => "add_field",
            PatchOp::AddParam { .. } => "add_param",
            PatchOp::AddRefinement { .. } => "add_refinement",
        }
    }

    /// The id of the node that it is about.
    pub fn target(&self) -> &Name {
        match self {
            PatchOp::ReplaceNode { node_id: id, .. }
            | PatchOp::InsertBefore { target_id: id, .. }
            | PatchOp::InsertAfter { target_id: id, .. }
            | PatchOp::Wrap { node_id: id, .. }
            | PatchOp::DeleteNode { node_id: id }
            | PatchOp::WidenEffect { fn_id: id, .. }
            | PatchOp::RenameSymbol { node_id: id, .. }
            | PatchOp::Rename { symbol_id: id, .. }
            | PatchOp::RenameField { node_id: id, .. }
            | PatchOp::AddField { type_id: id, .. }
            | PatchOp::AddParam { fn_id: id, .. }
            | PatchOp::AddRefinement { type_id: id, .. } => id,
        }
    }

    /// What it brings, if anything.
    pub fn payload(&self) -> Option<&Payload> {
        match self {
            PatchOp::ReplaceNode { new_node: it, .. }
            | PatchOp::InsertBefore { new_statement: it, .. }
            | PatchOp::InsertAfter { new_statement: it, .. }
            | PatchOp::Wrap { wrapper: it, .. }
            | PatchOp::AddField { field: it, .. }
            | PatchOp::AddParam { param: it, .. }
            | PatchOp::AddRefinement { predicate: it, .. } => Some(it),
            _ => None,
        }
    }

    /// The ids of the nodes that it touches: the target first, then those that its payload moves.
    pub fn node_ids(&self) -> Vec<Name> {
        let mut ids = vec![self.target().clone()];
        if let Some(payload) = self.payload() {
            super::payload::for_each_moved(&payload.0, &mut |id| ids.push(Name::from(id)));
        }
        ids
    }

    /// The operation as repairs carry it.
    pub fn to_json(&self) -> Value {
        let mut object = match self {
            PatchOp::ReplaceNode { node_id, new_node } => {
                json!({ "node_id": &**node_id, "new_node": new_node.0 })
            }
            PatchOp::InsertBefore { target_id, new_statement }
            | PatchOp::InsertAfter { target_id, new_statement } => {
                json!({ "target_id": &**target_id, "new_statement": new_statement.0 })
            }
            PatchOp::Wrap { node_id, wrapper, hole_ref } => {
                json!({ "node_id": &**node_id, "wrapper": wrapper.0, "hole_ref": &**hole_ref })
            }
            PatchOp::DeleteNode { node_id } => json!({ "node_id": &**node_id }),
            PatchOp::WidenEffect { fn_id, add_effects } => {
                let effects: Vec<&str> = add_effects.iter().map(|it| &**it).collect();
                json!({ "fn_id": &**fn_id, "add_effects": effects })
            }
            PatchOp::RenameSymbol { node_id, old_name, new_name }
            | PatchOp::RenameField { node_id, old_name, new_name } => json!({
                "node_id": &**node_id, "old_name": &**old_name, "new_name": &**new_name,
            }),
            PatchOp::Rename { symbol_id, new_name } => {
                json!({ "symbol_id": &**symbol_id, "new_name": &**new_name })
            }
            PatchOp::AddField { type_id, field } => {
                json!({ "type_id": &**type_id, "field": field.0 })
            }
            PatchOp::AddParam { fn_id, param, position } => {
                let mut object = json!({ "fn_id": &**fn_id, "param": param.0 });
                if let Some(position) = position {
                    object["position"] = (*position).into();
                }
                object
            }
            PatchOp::AddRefinement { type_id, predicate } => {
                json!({ "type_id": &**type_id, "predicate": predicate.0 })
            }
        };
        object["op"] = self.op().into();
        object
    }

    /// Reads an operation. Members that it does not know are not mistakes.
    pub fn from_json(value: &Value) -> Result<PatchOp, PatchError> {
        let Value::Object(members) = value else {
            return Err(unreadable("$", "expected an operation (an object with `op`)".into()));
        };
        let it = Members(members);
        Ok(match it.text("op")? {
            "replace_node" => PatchOp::ReplaceNode {
                node_id: it.id("node_id")?,
                new_node: it.payload("new_node")?,
            },
            "insert_before" => PatchOp::InsertBefore {
                target_id: it.id("target_id")?,
                new_statement: it.payload("new_statement")?,
            },
            "insert_after" => PatchOp::InsertAfter {
                target_id: it.id("target_id")?,
                new_statement: it.payload("new_statement")?,
            },
            "wrap" => PatchOp::Wrap {
                node_id: it.id("node_id")?,
                wrapper: it.payload("wrapper")?,
                hole_ref: it.id("hole_ref")?,
            },
            "delete_node" => PatchOp::DeleteNode { node_id: it.id("node_id")? },
            "widen_effect" => {
                PatchOp::WidenEffect { fn_id: it.id("fn_id")?, add_effects: it.effects()? }
            }
            "rename_symbol" => PatchOp::RenameSymbol {
                node_id: it.id("node_id")?,
                old_name: it.id("old_name")?,
                new_name: it.id("new_name")?,
            },
            "rename" => {
                PatchOp::Rename { symbol_id: it.id("symbol_id")?, new_name: it.id("new_name")? }
            }
            "rename_field" => PatchOp::RenameField {
                node_id: it.id("node_id")?,
                old_name: it.id("old_name")?,
                new_name: it.id("new_name")?,
            },
            "add_field" => {
                PatchOp::AddField { type_id: it.id("type_id")?, field: it.payload("field")? }
            }
            "add_param" => PatchOp::AddParam {
                fn_id: it.id("fn_id")?,
                param: it.payload("param")?,
                position: it.position()?,
            },
            "add_refinement" => PatchOp::AddRefinement {
                type_id: it.id("type_id")?,
                predicate: it.payload("predicate")?,
            },
            other => {
                let shown: String = other.chars().take(60).collect();
                let message =
                    format!("{shown:?} is not an operation; expected one of {}", OPS.join(", "));
                return Err(unreadable("$.op", message));
            }
        })
    }
}

struct Members<'a>(&'a Map<String, Value>);

impl<'a> Members<'a> {
    fn get(&self, key: &str) -> Result<&'a Value, PatchError> {
        let member = self.0.get(key);
        member.ok_or_else(|| {
            unreadable(&format!("$.{key}"), format!("the member `{key}` is missing"))
        })
    }

    fn text(&self, key: &str) -> Result<&'a str, PatchError> {
        let text = self.get(key)?.as_str();
        text.ok_or_else(|| unreadable(&format!("$.{key}"), "expected a string".into()))
    }

    fn id(&self, key: &str) -> Result<Name, PatchError> {
        self.text(key).map(Name::from)
    }

    fn payload(&self, key: &str) -> Result<Payload, PatchError> {
        match self.get(key)? {
            value @ Value::Object(_) => Ok(Payload(value.clone())),
            _ => Err(unreadable(&format!("$.{key}"), "expected an object".into())),
        }
    }

    fn effects(&self) -> Result<Vec<Name>, PatchError> {
        let Value::Array(elements) = self.get("add_effects")? else {
            return Err(unreadable("$.add_effects", "expected an array".into()));
        };
        let name = |(index, it): (usize, &Value)| match it.as_str() {
            Some(name) => Ok(Name::from(name)),
            None => Err(unreadable(&format!("$.add_effects[{index}]"), "expected a string".into())),
        };
        elements.iter().enumerate().map(name).collect()
    }

    fn position(&self) -> Result<Option<u32>, PatchError> {
        match self.0.get("position") {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().and_then(|it| u32::try_from(it).ok()) {
                Some(position) => Ok(Some(position)),
                None => Err(unreadable("$.position", "expected an integer of 0 or more".into())),
            },
        }
    }
}

fn unreadable(path: &str, message: String) -> PatchError {
    PatchError::Unreadable { path: path.to_owned(), message }
}
