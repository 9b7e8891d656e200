//! What class a repair of a program is of, read off its operations: what they bring is a tree, so nothing has to be
//! guessed from text.

use check::RepairClass;
use clank_syntax::ast::{Ast, Decl, DeclId, Name};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::Value as Json;

/// The builtins that never return.
const FAILING: [&str; 3] = ["panic", "todo", "unreachable"];

/// The class of operations on a tree.
pub(super) fn of_operations<'a>(
    ops: impl Iterator<Item = &'a PatchOp> + Clone,
    ast: &Ast,
) -> RepairClass {
    let mut payloads = ops.clone().filter_map(brought);
    if payloads.any(|it| is_empty_text(it) || fails(it)) {
        return RepairClass::Stub;
    }
    let is_declaration =
        |it: &PatchOp| matches!(it, PatchOp::AddField { .. } | PatchOp::AddParam { .. });
    if ops.clone().any(is_declaration) {
        return RepairClass::Declare;
    }
    let is_something = ops.clone().next().is_some();
    let only_removes = ops.clone().all(|it| removes(it, ast));
    if is_something && only_removes { RepairClass::Delete } else { RepairClass::Repair }
}

/// The node that an operation brings.
fn brought(op: &PatchOp) -> Option<&Json> {
    match op {
        PatchOp::ReplaceNode { new_node: Payload(it), .. }
        | PatchOp::InsertBefore { new_statement: Payload(it), .. }
        | PatchOp::InsertAfter { new_statement: Payload(it), .. }
        | PatchOp::Wrap { wrapper: Payload(it), .. } => Some(it),
        _ => None,
    }
}

fn is_empty_text(node: &Json) -> bool {
    (node["kind"] == "literal" && node["value"] == "") || node["source"] == "\"\""
}

/// Whether a tree has an assertion in it or a call that never returns.
fn fails(node: &Json) -> bool {
    let here = match node["kind"].as_str() {
        Some("assert") => true,
        Some("call") => FAILING.iter().any(|it| node["callee"]["name"] == *it),
        _ => false,
    };
    here || match node {
        Json::Object(members) => members.values().any(fails),
        Json::Array(items) => items.iter().any(fails),
        _ => false,
    }
}

/// Whether nothing is left of an operation but less of what was there.
fn removes(op: &PatchOp, ast: &Ast) -> bool {
    match op {
        PatchOp::DeleteNode { .. } => true,
        PatchOp::ReplaceNode { node_id, new_node: Payload(new) } => {
            (new["kind"] == "block" && is_all_kept(new)) || is_shorter_use(node_id, new, ast)
        }
        _ => false,
    }
}

/// A block of nothing but what was there.
fn is_all_kept(block: &Json) -> bool {
    let statements = block["statements"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_kept = |it: &Json| it["node"].is_string();
    !statements.is_empty() && statements.iter().chain(block.get("expr")).all(is_kept)
}

/// A `use` with some of the names that it had.
fn is_shorter_use(node_id: &Name, new: &Json, ast: &Ast) -> bool {
    let decl = ast.ids().node(node_id).and_then(|it| DeclId::of(ast, it));
    let Some(Decl::Use(old)) = decl.map(|it| ast.decl(it)) else { return false };
    let items = new["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_old = |it: &Json| old.items.iter().any(|old| it == old.as_str());
    new["kind"] == "use" && items.len() < old.items.len() && items.iter().all(is_old)
}
