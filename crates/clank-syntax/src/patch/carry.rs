//! Operations for another tree that says the same: a text and its tree as JSON have nodes with different ids.

use serde_json::Value;

use super::{PatchOp, payload};
use crate::ast::{Ast, NodeId};
use crate::same::same;

/// The members of operations that name the node that they are about.
const TARGETS: [&str; 5] = ["node_id", "target_id", "fn_id", "type_id", "symbol_id"];

/// The same operations by the ids of the other tree; `None` if the trees do not say the same, or an operation names a node
/// that is not there.
pub fn carry(ops: &[PatchOp], from: &Ast, to: &Ast) -> Option<Vec<PatchOp>> {
    if !same(from, to) {
        return None;
    }
    let there = counterparts(from, to);
    let id = |id: &str| Some(to.ids().id(there[from.ids().node(id)?.index()]));
    let one = |op: &PatchOp| {
        let mut json = op.to_json();
        for (name, member) in json.as_object_mut()? {
            if TARGETS.contains(&name.as_str()) {
                *member = Value::from(id(op.target())?.as_str());
            }
            payload::replace_moved(member, &|it| Some(id(it)?.to_string()))?;
        }
        PatchOp::from_json(&json).ok()
    };
    ops.iter().map(one).collect()
}

/// By node of the one tree, the node of the other that stands where it stands.
fn counterparts(from: &Ast, to: &Ast) -> Vec<NodeId> {
    let mut there = vec![to.root().node(); from.nodes().len()];
    let mut open = vec![(from.root().node(), to.root().node())];
    while let Some((here, other)) = open.pop() {
        there[here.index()] = other;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        from.for_each_child(here, &mut |it| left.push(it));
        to.for_each_child(other, &mut |it| right.push(it));
        open.extend(left.into_iter().zip(right));
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read_lenient;
    use crate::parse::parse;
    use crate::patch::apply;

    /// Row 2: the nodes of the tree keep the ids that it gave them, whatever they are called in the text.
    #[test]
    fn operations_find_their_nodes_in_a_tree_with_other_ids() {
        let text = parse("main.clank", "fn f(a: Int) -> Int { a + b }\n").ast;
        let tree = r#"{ "kind": "program", "declarations": [ { "kind": "fn", "id": "the_fn", "name": "f",
            "params": [ { "name": "a", "type": { "source": "Int" } } ], "returnType": { "source": "Int" },
            "body": { "kind": "block", "statements": [], "expr": { "kind": "binary", "op": "+",
              "left": { "kind": "ident", "id": "left", "name": "a" },
              "right": { "kind": "ident", "id": "right", "name": "b" } } } } ] }"#;
        let tree = read_lenient(tree).0.expect("a tree");
        let by_text = |name: &str| {
            let nodes = (0..text.nodes().len() as u32).map(NodeId);
            let id = nodes.filter(|it| text.text(*it) == name).map(|it| text.ids().id(it)).last();
            id.expect("a node").to_string()
        };
        let ops = [
            serde_json::json!({ "op": "rename_symbol", "node_id": by_text("b"), "old_name": "b", "new_name": "a" }),
            serde_json::json!({ "op": "replace_node", "node_id": by_text("a + b"),
                "new_node": { "kind": "binary", "op": "*", "left": { "node": by_text("b") },
                    "right": { "node": by_text("a") } } }),
        ];
        for (op, expected) in ops.iter().zip(["right", "left"]) {
            let op = PatchOp::from_json(op).expect("an operation");
            let carried = carry(std::slice::from_ref(&op), &text, &tree).expect("carried");
            assert!(carried[0].node_ids().iter().any(|it| it == expected), "{carried:?}");
            let (there, here) = (apply(&tree, &carried), apply(&text, &[op]));
            assert!(same(&there.expect("applied"), &here.expect("applied")));
        }
        let other = parse("main.clank", "fn f(a: Int) -> Int { a + c }\n").ast;
        assert_eq!(carry(&[], &text, &other), None);
    }
}
