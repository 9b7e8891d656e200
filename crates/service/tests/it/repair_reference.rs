//! Every example of the repair reference, run: the patch operations, the candidates, and the compatibility.
//!
//! The programs are AST JSON, in which ids are free, so the operations are those of the reference to the letter. What the
//! compiler offers says the same as the reference does, but for what it must call by other names: repairs are `rc1`, `rc2`,
//! … by rank (row 35), mistakes `d1`, goals `OBL1`; titles and reasons are in its own words.

use std::sync::Arc;

use clank::program::{NoModules, Program};
use clank_syntax::patch::{self, PatchOp};
use protocol::v1;
use serde_json::{Value, json};

fn compile(program: &Value, repair: v1::ProgramRepair) -> Result<Value, String> {
    let request = v1::Compile {
        file: None,
        name: "prog.json".to_owned(),
        bytes: program.to_string().into_bytes(),
        form: v1::ProgramForm::Ast,
        language: None,
        with_map: false,
        with_repairs: true,
        repair,
        solver: None,
    };
    match service::compile(None, &request) {
        Ok(reply) => Ok(serde_json::to_value(reply.result).unwrap()),
        Err(failure) => Err(failure.to_string()),
    }
}

/// The program after operations that are written as in the reference, as text.
#[track_caller]
fn patched(program: &Value, edits: &Value) -> (Value, String) {
    let (ast, problems) = clank_syntax::json::read_lenient(&program.to_string());
    assert!(problems.is_empty(), "{problems:?}");
    let ast = Arc::new(ast.unwrap());
    let program = Program::load("prog".into(), Arc::clone(&ast), Vec::new(), &NoModules);
    let checked = clank::check(&program, None);
    let ops = edits.as_array().unwrap().iter().map(|it| PatchOp::from_json(it).unwrap());
    let ops: Vec<PatchOp> = ops.collect();
    let ops = clank_repair::expand(&program, &checked, 0, &ops).unwrap();
    let after = patch::apply(&ast, &ops).unwrap();
    let options = clank_syntax::json::WriteOptions { ids: true, spans: false, pretty: false };
    let tree = serde_json::from_str(&clank_syntax::json::write(&after, &options)).unwrap();
    (tree, clank_syntax::print(&after))
}

/// A program whose nodes have the ids that the operations of the reference name.
fn every_node() -> Value {
    let int = json!({ "kind": "named", "name": "Int" });
    json!({ "kind": "program", "declarations": [
        { "kind": "rec", "id": "rec_user", "name": "User", "fields": [
            { "name": "name", "type": { "source": "Str" } } ] },
        { "kind": "rec", "name": "Config", "fields": [ { "name": "depth", "type": int } ] },
        { "kind": "fn", "id": "fn_process", "name": "process",
          "params": [ { "name": "x", "type": { "kind": "named", "id": "type_42", "name": "Int" } },
                      { "name": "d", "type": int } ],
          "returnType": int,
          "body": { "kind": "block", "statements": [
              { "kind": "let", "id": "stmt_10", "pattern": { "kind": "ident", "id": "sym_1", "name": "once" },
                "init": { "kind": "ident", "id": "n42", "name": "x" } },
              { "kind": "expr", "id": "stmt_15", "expr": { "source": "once" } } ],
            "expr": { "kind": "binary", "id": "expr_42", "op": "/",
              "left": { "kind": "ident", "name": "once" }, "right": { "kind": "ident", "name": "d" } } } },
        { "kind": "fn", "name": "hello", "params": [], "returnType": int, "body": { "source": "1" } },
        { "kind": "fn", "id": "fn_main", "name": "main",
          "params": [ { "name": "user", "type": { "source": "User" } } ],
          "returnType": { "source": "Str" },
          "body": { "kind": "block", "statements": [
              { "kind": "let", "pattern": { "source": "_" },
                "init": { "kind": "call", "callee": { "kind": "ident", "id": "n5", "name": "helo" }, "args": [] } } ],
            "expr": { "kind": "field", "id": "n10", "object": { "source": "user" }, "field": "nmae" } } } ] })
}

/// RS-19 to RS-31: the operations of the reference, and a line of the program that each makes.
#[test]
fn every_patch_operation_of_the_reference_does_what_it_says() {
    let cases = [
        (
            json!({ "op": "replace_node", "node_id": "n42", "new_node": {
                "kind": "binary", "op": "+",
                "left": { "kind": "ident", "name": "x" },
                "right": { "kind": "literal", "value": { "kind": "int", "value": "1" } } } }),
            "let once = x + 1",
        ),
        (
            json!({ "op": "insert_before", "target_id": "stmt_10", "new_statement": {
                "kind": "assert", "condition": { "source": "x > 0" } } }),
            "assert x > 0; let once = x",
        ),
        (
            json!({ "op": "insert_after", "target_id": "stmt_10", "new_statement": {
                "kind": "let", "pattern": { "kind": "ident", "name": "y" },
                "init": { "source": "x + 1" } } }),
            "let once = x; let y = x + 1",
        ),
        (
            json!({ "op": "wrap", "node_id": "expr_42", "wrapper": {
                "kind": "if", "condition": { "source": "d != 0" },
                "thenBranch": { "kind": "block", "statements": [], "expr": { "hole_ref": "wrapped_expr" } },
                "elseBranch": { "source": "{ panic(\"division by zero\") }" } },
                "hole_ref": "wrapped_expr" }),
            "if d != 0 { once / d } else { panic(\"division by zero\") }",
        ),
        (json!({ "op": "delete_node", "node_id": "stmt_15" }), "let once = x; once / d }"),
        (
            json!({ "op": "widen_effect", "fn_id": "fn_main", "add_effects": ["IO"] }),
            "fn main(user: User) -> IO + Str",
        ),
        (
            json!({ "op": "rename_symbol", "node_id": "n5", "old_name": "helo", "new_name": "hello" }),
            "let _ = hello()",
        ),
        (
            json!({ "op": "rename", "symbol_id": "sym_1", "new_name": "updated" }),
            "let updated = x; updated; updated / d",
        ),
        (
            json!({ "op": "rename_field", "node_id": "n10", "old_name": "nmae", "new_name": "name" }),
            "user.name",
        ),
        (
            json!({ "op": "add_field", "type_id": "rec_user", "field": {
                "name": "email", "type": { "kind": "named", "name": "Str" } } }),
            "rec User { name: Str, email: Str, }",
        ),
        (
            json!({ "op": "add_param", "fn_id": "fn_process", "param": {
                "name": "config", "type": { "kind": "named", "name": "Config" } }, "position": 0 }),
            "fn process(config: Config, x: Int, d: Int)",
        ),
        (
            json!({ "op": "add_refinement", "type_id": "type_42", "predicate": { "source": "x > 0" } }),
            "fn process(x: Int{x > 0}, d: Int)",
        ),
    ];
    for (op, expected) in cases {
        let (_, text) = patched(&every_node(), &json!([op]));
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ;", ";");
        assert!(line.contains(expected), "{op}\n{line}");
    }
}

/// An example: a program that has the mistake, the candidate of the reference, and what it is called there.
struct Example {
    program: Value,
    candidate: Value,
}

fn function(body: Value, more: Value) -> Value {
    let body = match body["kind"] == "block" {
        true => body,
        false => json!({ "kind": "block", "statements": [], "expr": body }),
    };
    let mut function = json!({ "kind": "fn", "name": "main", "params": [], "returnType": { "source": "Int" },
        "body": body });
    for (name, value) in more.as_object().unwrap() {
        function[name] = value.clone();
    }
    function
}

/// The five candidates of the reference, with the ids of their nodes; ids of mistakes and goals are left out.
fn examples() -> Vec<Example> {
    let call = |id: &str, name: &str, args: Value| json!({ "kind": "call", "callee": { "kind": "ident", "id": id, "name": name }, "args": args });
    let user = json!({ "source": "type User = { name: Str, age: Int, email: Str }" });
    let program = |declarations: Value| json!({ "kind": "program", "declarations": declarations });
    let local = json!({ "node_count": 1, "crosses_function": false });
    vec![
        Example {
            program: program(json!([
                { "source": "fn hello() -> Int { 1 }" },
                { "source": "fn other() -> Int { hello() }" },
                function(call("n5", "helo", json!([])), json!({})),
            ])),
            candidate: json!({
                "confidence": "high", "safety": "behavior_changing", "kind": "local_fix", "scope": local,
                "targets": { "node_ids": ["n5"], "diagnostic_codes": ["E1001"] },
                "edits": [{ "op": "rename_symbol", "node_id": "n5", "old_name": "helo", "new_name": "hello" }],
            }),
        },
        Example {
            program: program(json!([function(
                json!({ "kind": "block",
                    "statements": [{ "source": "let y = x - 3;" }],
                    "expr": { "kind": "binary", "id": "expr_50", "op": "/",
                        "left": { "source": "x" }, "right": { "source": "y" } } }),
                json!({ "params": [{ "name": "x", "type": { "source": "Int" } }] }),
            )])),
            candidate: json!({
                "confidence": "high", "safety": "likely_preserving", "kind": "local_fix",
                "scope": { "node_count": 2, "crosses_function": false },
                "targets": { "obligation_ids": ["OBL1"] },
                "edits": [{ "op": "wrap", "node_id": "expr_50", "wrapper": {
                    "kind": "if", "condition": { "source": "y != 0" },
                    "thenBranch": { "kind": "block", "statements": [], "expr": { "hole_ref": "wrapped" } },
                    "elseBranch": { "source": "{ panic(\"y must not be zero\") }" } },
                    "hole_ref": "wrapped" }],
            }),
        },
        Example {
            program: program(json!([function(
                call("callee", "println", json!([{ "source": "\"hi\"" }])),
                json!({ "id": "fn_001", "returnType": { "source": "Unit" } }),
            )])),
            candidate: json!({
                "confidence": "medium", "safety": "likely_preserving", "kind": "local_fix", "scope": local,
                "targets": { "diagnostic_codes": ["E4001"], "node_ids": ["fn_001"] },
                "edits": [{ "op": "widen_effect", "fn_id": "fn_001", "add_effects": ["IO"] }],
            }),
        },
        Example {
            program: program(json!([
                user,
                function(
                    json!({ "kind": "record", "id": "record_42", "fields": [
                    { "name": "name", "value": { "source": "\"John\"" } },
                    { "name": "age", "value": { "source": "30" } } ] }),
                    json!({ "params": [{ "name": "email", "type": { "source": "Str" } }],
                    "returnType": { "source": "User" } }),
                )
            ])),
            candidate: json!({
                "confidence": "high", "safety": "behavior_changing", "kind": "local_fix", "scope": local,
                "targets": { "diagnostic_codes": ["E2003"], "node_ids": ["record_42"] },
                "edits": [{ "op": "replace_node", "node_id": "record_42", "new_node": {
                    "kind": "record", "fields": [
                        { "name": "name", "value": { "source": "\"John\"" } },
                        { "name": "age", "value": { "source": "30" } },
                        { "name": "email", "value": { "source": "\"\"" } } ] } }],
            }),
        },
        Example {
            program: program(json!([function(
                json!({ "kind": "block", "statements": [
                    { "kind": "let", "id": "let_x", "pattern": { "kind": "ident", "name": "x" },
                      "value": { "source": "0" } },
                    { "source": "x = 1;" } ], "expr": { "source": "x" } }),
                json!({}),
            )])),
            candidate: json!({
                "confidence": "high", "safety": "behavior_preserving", "kind": "local_fix", "scope": local,
                "targets": { "diagnostic_codes": ["E2013"], "node_ids": ["let_x"] },
                "edits": [{ "op": "replace_node", "node_id": "let_x", "new_node": {
                    "kind": "let", "pattern": { "kind": "ident", "name": "x" }, "mutable": true,
                    "value": { "source": "0" } } }],
            }),
        },
    ]
}

/// RS-31, RS-61: the edits of the reference, to the letter, make the program right.
#[test]
fn the_edits_of_every_example_resolve_what_they_are_for() {
    for Example { program, candidate } in examples() {
        let before = compile(&program, v1::ProgramRepair::Keep).unwrap();
        assert_ne!(before["status"], "success", "{program}");
        let (tree, text) = patched(&program, &candidate["edits"]);
        let after = compile(&tree, v1::ProgramRepair::Keep).unwrap();
        assert_eq!(after["status"], "success", "{text}\n{after:#}");
    }
}

/// RS-1, RS-3 to RS-13, RS-58, RS-59, row 45: the compiler offers what the reference shows: how sure, how safe, what kind, about what, and by
/// which operation on which node. Its `targets.node_ids` may name nodes that are moved too.
#[test]
fn the_candidate_of_every_example_is_offered() {
    for Example { program, candidate } in examples() {
        let result = compile(&program, v1::ProgramRepair::Keep).unwrap();
        let edit = &candidate["edits"][0];
        let target = |edit: &Value| {
            let ids = ["node_id", "fn_id"].into_iter().map(|it| edit[it].clone());
            (edit["op"].clone(), ids.collect::<Vec<_>>())
        };
        let offered = result["repairs"].as_array().unwrap();
        let found = offered.iter().find(|it| target(&it["edits"][0]) == target(edit));
        let found = found.unwrap_or_else(|| panic!("{candidate:#}\n{offered:#?}"));
        for member in ["confidence", "safety", "kind"] {
            assert_eq!(found[member], candidate[member], "{member}: {found:#}");
        }
        assert_eq!(found["scope"]["crosses_function"], false);
        assert_eq!(found["verified"], true);
        assert_eq!(found["program_hash"], result["program_hash"]);
        let codes = &candidate["targets"]["diagnostic_codes"];
        assert_eq!(found["targets"]["diagnostic_codes"], *codes, "{found:#}");
        let resolved = match codes.is_null() {
            false => ("diagnostics_resolved", "d1"),
            true => ("obligations_discharged", "OBL1"),
        };
        assert_eq!(found["expected_delta"][resolved.0], json!([resolved.1]), "{found:#}");
        assert!(!found["title"].as_str().unwrap().is_empty());
        assert!(!found["rationale"].as_str().unwrap().is_empty());
        let id = found["id"].as_str().unwrap().to_owned();
        let after = compile(&program, v1::ProgramRepair::Apply(vec![id])).unwrap();
        assert_eq!(after["status"], "success", "{after:#}");
        assert_eq!(after["fixed"]["from_hash"], result["program_hash"]);
    }
}

/// RS-48, RS-50, RS-54, RS-57: two ways to mend one name exclude one another, two names are mended together. By rank the
/// one for `bet` comes before the second one for `alph`, so `rc2` and `rc3` change places.
#[test]
fn the_compatibility_example_is_what_the_compiler_says() {
    let sum = |left: Value, right: Value| json!({ "kind": "binary", "op": "+", "left": left, "right": right });
    let ident = |id: &str, name: &str| json!({ "kind": "ident", "id": id, "name": name });
    let known = json!({ "source": "alpha + alps + beta" });
    let params =
        ["alpha", "alps", "beta"].map(|it| json!({ "name": it, "type": { "source": "Int" } }));
    let body = sum(sum(ident("n5", "alph"), ident("n8", "bet")), known);
    let program = json!({ "kind": "program",
        "declarations": [function(body, json!({ "params": params }))] });
    let result = compile(&program, v1::ProgramRepair::Keep).unwrap();
    let parts = |it: &Value| json!({ "id": it["id"], "edits": it["edits"], "compatibility": it["compatibility"] });
    let offered: Vec<Value> = result["repairs"].as_array().unwrap().iter().map(parts).collect();
    let rename = |node: &str, old: &str, new: &str| json!([{ "op": "rename_symbol", "node_id": node, "old_name": old, "new_name": new }]);
    let key = "batch:local_fix:rename_symbol";
    let expected = [
        json!({ "id": "rc1", "edits": rename("n5", "alph", "alpha"),
            "compatibility": { "conflicts_with": ["rc3"], "batch_key": key } }),
        json!({ "id": "rc2", "edits": rename("n8", "bet", "beta"), "compatibility": { "batch_key": key } }),
        json!({ "id": "rc3", "edits": rename("n5", "alph", "alps"),
            "compatibility": { "conflicts_with": ["rc1"] } }),
    ];
    assert_eq!(offered, expected, "{offered:#?}");
    let apply = |ids: &[&str]| {
        let ids = ids.iter().map(ToString::to_string).collect();
        compile(&program, v1::ProgramRepair::Apply(ids))
    };
    let refusal = apply(&["rc1", "rc3"]).unwrap_err();
    assert!(refusal.contains("rc1 and rc3 exclude one another"), "{refusal}");
    let after = apply(&["rc1", "rc2"]).unwrap();
    assert_eq!((&after["status"], &after["fixed"]["rounds"]), (&"success".into(), &1.into()));
    // RS-56, RS-63: the batch is one round.
    let fixed =
        compile(&program, v1::ProgramRepair::Fix(Some(v1::Safety::BehaviorChanging))).unwrap();
    assert_eq!(fixed["status"], "success");
    assert_eq!(fixed["fixed"]["rounds"], 1, "{:#}", fixed["fixed"]);
}
