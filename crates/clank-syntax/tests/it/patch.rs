//! Patch operations on trees and on texts (RS-19..RS-32, RS-61; rows 2, 46, 47, 54).
//!
//! `tests/patch/*.txt` are programs with operations and what they become, or why they are refused. In operations `@text`
//! is the id of the innermost node with that text, `@@text` that of the outermost one, `@text#2` that of the second.
//! `REGREEN_BLESS=1` writes what is expected from what is found; read what it wrote.
#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::path::{Path, PathBuf};

use clank_syntax::ast::{Ast, NodeId};
use clank_syntax::json::{read_lenient, write};
use clank_syntax::patch::{
    PatchError, PatchOp, Patchable, apply, edits, name_at, patch, rename_at,
};
use clank_syntax::{attach_comments, is_formatted, parse, print, same};
use edit::Text;
use fixture::case::Case;
use fixture::corpus::texts_under;
use serde_json::{Value, json};

use crate::laws::{FULL, comments_of};

#[path = "patch/laws.rs"]
mod laws;

/// The text after a patch, with every law checked on the way.
#[track_caller]
fn check(text: &str, ops: &[PatchOp]) -> Result<String, PatchError> {
    let parsed = parse("a.clank", text);
    let ast = attach_comments(&parsed);
    let patched = patch(&ast, ops)?;
    check_kept(&ast, &patched.ast, &patched.origins);
    let before = Text::new(text);
    let edits = edits(&parsed, &patched)?;
    let after = edits.apply(&before).expect("the edits fit the text");
    let after = String::from_utf8(after.bytes().to_vec()).expect("it is text");
    let again = parse("a.clank", &after);
    assert_eq!(parsed.errors.len(), again.errors.len(), "{after}\n{:?}", again.errors);
    if !same(&again.ast, &patched.ast) {
        panic!("the text is another tree\n{after}\n{}", print(&patched.ast));
    }
    if is_formatted(&parsed) == Some(true) {
        assert_eq!(is_formatted(&again), Some(true), "not in canonical layout:\n{after}");
    }
    check_comments(text, &after, ops);
    check_nearby(&Patchable::new(&parsed), ops, text, &after);
    // On AST JSON the operations make the same tree.
    let read = |it: &Ast| read_lenient(&write(it, &FULL)).0.expect("what is written is read");
    let on_json = apply(&read(&ast), ops).expect("the same operations");
    assert!(same(&on_json, &patched.ast));
    assert!(same(&read(&on_json), &on_json));
    Ok(after)
}

/// The text is `after` also if only the declarations are looked at that the operations are about; says whether that is
/// enough.
#[track_caller]
fn check_nearby(patchable: &Patchable<'_>, ops: &[PatchOp], text: &str, after: &str) -> bool {
    let Some(nearby) = patchable.edits_nearby(ops) else { return false };
    let nearby = nearby.apply(&Text::new(text)).expect("the edits fit the text");
    assert_eq!(String::from_utf8_lossy(nearby.bytes()), after, "{ops:#?}\n{text}");
    true
}

/// What is the same node has the same id, and no id is there twice (row 2, row 47).
#[track_caller]
fn check_kept(old: &Ast, new: &Ast, origins: &[Option<NodeId>]) {
    let mut seen = std::collections::BTreeSet::new();
    for (index, origin) in origins.iter().enumerate() {
        let node = NodeId(index as u32);
        let id = new.ids().id(node);
        assert_eq!(new.ids().node(&id), Some(node));
        if let Some(origin) = origin {
            assert_eq!(id, old.ids().id(*origin));
        } else {
            assert!(old.ids().node(&id).is_none(), "{id} was another node");
        }
        assert!(seen.insert(id));
    }
}

/// No comment is lost but in what is deleted (row 54).
#[track_caller]
fn check_comments(before: &str, after: &str, ops: &[PatchOp]) {
    if ops.iter().any(|it| matches!(it, PatchOp::DeleteNode { .. })) {
        return;
    }
    let found = comments(after);
    for comment in comments(before) {
        assert!(found.contains(&comment), "{comment:?} is lost\n{after}\n{ops:#?}");
    }
}

fn comments(text: &str) -> Vec<String> {
    comments_of(&attach_comments(&parse("a.clank", text)))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/patch")
}

/// The operations with the ids that `@…` stands for.
#[track_caller]
fn operations(ast: &Ast, text: &str) -> Result<Vec<PatchOp>, PatchError> {
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|it| panic!("{it}\n{text}"));
    resolve(ast, &mut value);
    match &value {
        Value::Array(all) => all.iter().map(PatchOp::from_json).collect(),
        one => Ok(vec![PatchOp::from_json(one)?]),
    }
}

fn resolve(ast: &Ast, value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with('@') => *text = id_of(ast, text),
        Value::Array(elements) => elements.iter_mut().for_each(|it| resolve(ast, it)),
        Value::Object(members) => members.values_mut().for_each(|it| resolve(ast, it)),
        _ => {}
    }
}

#[track_caller]
fn id_of(ast: &Ast, reference: &str) -> String {
    let text = reference.trim_start_matches('@');
    let (text, nth) = match text.rsplit_once('#') {
        Some((text, nth)) => (text, nth.parse::<usize>().expect("a number after #")),
        None => (text, 1),
    };
    let mut found: Vec<NodeId> = (0..ast.nodes().len() as u32).map(NodeId).collect();
    found.retain(|it| ast.text(*it) == text);
    if reference.starts_with("@@") {
        found.reverse();
    }
    found.sort_by_key(|it| ast.span(*it).start);
    found.dedup_by_key(|it| ast.span(*it).start);
    let node = found.get(nth - 1).unwrap_or_else(|| panic!("no node {reference}"));
    ast.ids().id(*node).to_string()
}

#[test]
fn cases_become_what_is_expected() {
    let mut wrong = Vec::new();
    for (name, text) in texts_under(&folder(), ".txt") {
        let mut case = Case::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        case.after.clear();
        case.expected.clear();
        let mut refused = Vec::new();
        for (path, ops) in case.files.iter().filter(|it| it.0.ends_with(".json")) {
            let path = path.replace(".json", ".clank");
            let program = &case.files[&path];
            let ast = parse("a.clank", program).ast;
            let ops = operations(&ast, ops);
            match ops.and_then(|ops| check(program, &ops)) {
                Ok(after) => drop(case.after.insert(path, after)),
                Err(error) => refused.push(format!("{path}: {error}")),
            }
        }
        if !refused.is_empty() {
            case.expected.insert("refused".into(), refused);
        }
        let found = case.render().expect("programs are plain");
        if found != text {
            if std::env::var_os("REGREEN_BLESS").is_some() {
                std::fs::write(folder().join(&name), &found).expect("the file is writable");
            }
            wrong.push(format!("{name}\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// RS-26: a rename of what is declared is one of all places with the name, which only a resolver knows.
#[test]
fn a_rename_of_all_places_is_made_of_renames_of_each() {
    let text = "rec P { x: Int }\nfn f(p: P) -> Int { let { x } = p; x + p.x }\n";
    let ast = parse("a.clank", text).ast;
    let node = |it: &str| ast.ids().node(&id_of(&ast, it)).expect("it was found");
    let field = [node("@@x: Int"), node("@@x"), node("@p.x")];
    let ops = rename_at(&ast, &field, &"y".into()).unwrap();
    let after = "rec P { y: Int }\nfn f(p: P) -> Int { let { y: x } = p; x + p.y }\n";
    assert_eq!(check(text, &ops).unwrap(), after);
    let local = [node("@@x"), node("@x#2")];
    let ops = rename_at(&ast, &local, &"z".into()).unwrap();
    let after = "rec P { x: Int }\nfn f(p: P) -> Int { let { x: z } = p; z + p.x }\n";
    assert_eq!(check(text, &ops).unwrap(), after);
}

#[track_caller]
fn check_unreadable(op: Value, message: &str) {
    assert_eq!(PatchOp::from_json(&op).expect_err("it is wrong").to_string(), message);
}

// RS-32: nothing is applied of what cannot be read.
#[test]
fn operations_that_cannot_be_read_say_where() {
    check_unreadable(json!([]), "$: expected an operation (an object with `op`)");
    check_unreadable(json!({}), "$.op: the member `op` is missing");
    check_unreadable(json!({ "op": "delete_node" }), "$.node_id: the member `node_id` is missing");
    check_unreadable(json!({ "op": "delete_node", "node_id": 1 }), "$.node_id: expected a string");
    check_unreadable(
        json!({ "op": "wrap", "node_id": "n1", "wrapper": "f", "hole_ref": "x" }),
        "$.wrapper: expected an object",
    );
    check_unreadable(
        json!({ "op": "widen_effect", "fn_id": "n1", "add_effects": ["IO", 1] }),
        "$.add_effects[1]: expected a string",
    );
    check_unreadable(
        json!({ "op": "add_param", "fn_id": "n1", "param": {}, "position": -1 }),
        "$.position: expected an integer of 0 or more",
    );
    check_unreadable(
        json!({ "op": "move" }),
        "$.op: \"move\" is not an operation; expected one of replace_node, insert_before, insert_after, wrap, \
         delete_node, widen_effect, rename_symbol, rename, rename_field, add_field, add_param, add_refinement",
    );
}

// RS-31: a payload's mistake is told with its place, and nothing is applied, whatever else there is.
#[test]
fn one_operation_that_fails_takes_all_with_it() {
    let text = "fn f(a: Int) -> Int { a + b }\n";
    let ast = parse("a.clank", text).ast;
    let ops = json!([
        { "op": "rename_symbol", "node_id": "@b", "old_name": "b", "new_name": "a" },
        { "op": "replace_node", "node_id": "@a", "new_node": { "source": "1 1" } },
    ]);
    let ops = operations(&ast, &ops.to_string()).unwrap();
    let error = "$.new_node.source: E0001: expected the end of the text after `1`, found `1` at line 1, column 3 of the fragment";
    assert_eq!(apply(&ast, &ops).unwrap_err().to_string(), error);
}

#[test]
fn ids_that_a_payload_states_are_kept_unless_another_node_has_them() {
    let text = "fn f(a: Int) -> Int { g(a, 1) }\n";
    let ast = parse("a.clank", text).ast;
    let replaced = |id: &str| {
        let args = json!([{ "kind": "ident", "name": "b", "id": id }]);
        let call = json!({ "kind": "call", "callee": { "node": "@g" }, "args": args });
        let op = json!({ "op": "replace_node", "node_id": "@g(a, 1)", "new_node": call });
        apply(&ast, &operations(&ast, &op.to_string()).unwrap())
    };
    let own = id_of(&ast, "@a");
    let mine = replaced("mine").unwrap();
    assert_eq!(name_at(&mine, mine.ids().node("mine").unwrap()).unwrap(), "b");
    let inherited = replaced(&own).unwrap();
    assert_eq!(name_at(&inherited, inherited.ids().node(&own).unwrap()).unwrap(), "b");
    let other = id_of(&ast, "@Int");
    assert_eq!(replaced(&other), Err(PatchError::IdInUse { id: other.into() }));
}

#[test]
fn operations_on_one_tree_do_not_depend_on_their_order() {
    let text = "fn f(a: Int) -> Int {\n  let b = g(a);\n  b\n}\n";
    let ast = parse("a.clank", text).ast;
    let hole =
        json!({ "kind": "call", "callee": { "source": "h" }, "args": [{ "hole_ref": "x" }] });
    let ops = json!([
        { "op": "wrap", "node_id": "@a", "wrapper": hole, "hole_ref": "x" },
        { "op": "replace_node", "node_id": "@g(a)", "new_node":
            { "kind": "array", "elements": [{ "node": "@a" }, { "source": "2" }] } },
        { "op": "insert_before", "target_id": "@@let b = g(a)", "new_statement": { "source": "k()" } },
        { "op": "rename_symbol", "node_id": "@a", "old_name": "a", "new_name": "c" },
    ]);
    let mut ops = operations(&ast, &ops.to_string()).unwrap();
    let expected = "fn f(a: Int) -> Int {\n  k();\n  let b = [h(c), 2];\n  b\n}\n";
    for _ in 0..4 {
        assert_eq!(check(text, &ops).unwrap(), expected);
        ops.rotate_left(1);
    }
    ops.reverse();
    assert_eq!(check(text, &ops).unwrap(), expected);
}

#[test]
fn long_chains_and_long_lists_are_patched() {
    let chain = vec!["a"; 30_000].join(" + ");
    let list = vec!["b"; 10_000].join(", ");
    let text = format!("fn f(a: Int, b: Int) -> Int {{\n  g({chain}, [{list}])\n}}\n");
    let parsed = parse("a.clank", &text);
    let ops = json!([
        { "op": "rename_symbol", "node_id": "@a", "old_name": "a", "new_name": "c" },
        { "op": "delete_node", "node_id": "@b#5000" },
    ]);
    let ops = operations(&parsed.ast, &ops.to_string()).unwrap();
    let edits = edits(&parsed, &patch(&parsed.ast, &ops).unwrap()).unwrap();
    assert_eq!(edits.edits().len(), 2);
}
