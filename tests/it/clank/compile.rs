//! `compile`: the agent protocol (rows 1-3, 21, 33, 37, 46, 47, 50, 54, 55).

use serde_json::{Value, json};

use super::{CLEAN, scene_of};
use crate::support::{Ran, Scene};

/// Compiles what is given on standard input.
fn compile(line: &str, input: &str) -> Ran {
    Scene::new("").run_with(&format!("compile - {line}"), &[], input)
}

fn result(text: &str) -> Value {
    compile("", text).json()
}

#[track_caller]
fn validate(schema: &str, document: &Value) {
    let schema = Scene::new("").run(&format!("schema {schema}")).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|it| it.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{document:#}");
}

const LIGHT: &str = "sum Light {\n  Red,\n  Amber(secs: Int),\n  Green,\n}\n\n// Seconds.\nfn wait(l: Light) -> Int {\n  match l {\n    Red -> 30,\n    Amber(s) -> s,\n    Green -> 0,\n  }\n}\n";

/// Row 1: what is left to prove or to write makes a program incomplete, with output; warnings change nothing (row 31),
/// nor does an assertion (row 10).
#[test]
fn the_status_says_what_is_left() {
    for (program, status, code) in [
        (LIGHT, "success", 0),
        ("fn f() -> Int {\n  let x = 1\n  2\n}\n", "success", 0),
        ("fn f(n: Int) -> Int {\n  assert n > 0\n  n\n}\n", "success", 0),
        ("fn f(xs: [Int]) -> Int { xs[2] }\n", "incomplete", 0),
        ("fn f(a: Int, b: Int) -> Int { a / b }\n", "incomplete", 0),
        ("fn f() -> Int { ?later }\n", "incomplete", 0),
        ("fn f() -> Int { missing }\n", "error", 1),
        ("fn f( -> Int { 1 }\n", "error", 1),
    ] {
        let ran = compile("", program);
        let result = ran.json();
        assert_eq!(
            (&result["status"], ran.code),
            (&status.into(), code),
            "{program}: {}",
            ran.text()
        );
        assert_eq!(result.get("output").is_some(), code == 0, "{program}");
        assert!(result["canonical_ast"].is_object(), "row 3: {program}");
        validate("compile-result", &result);
    }
}

/// Row 37, 55: compact off a terminal, no times, no `ast`, and the hash of what was given.
#[test]
fn a_result_is_compact_and_the_same_bytes_twice() {
    let ran = compile("", LIGHT);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(compile("", LIGHT), ran);
    let result = ran.json();
    let keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    for key in
        ["status", "compilerVersion", "program_hash", "canonical_ast", "output", "repairs", "stats"]
    {
        assert!(keys.contains(&key), "{key}: {keys:?}");
    }
    assert!(!keys.contains(&"ast") && !ran.stdout.contains("compileTimeMs"), "{keys:?}");
    assert!(result["program_hash"].as_str().unwrap().starts_with("blake3:"));
    let other = compile("", &LIGHT.replace("30", "31")).json();
    assert_ne!(other["program_hash"], result["program_hash"]);
    let timed = compile("--timings", LIGHT);
    assert_eq!(timed.stdout, ran.stdout);
    assert!(timed.stderr.starts_with("compiled in "), "{}", timed.text());
}

/// One mistake, with its node, its facts, and its place in bytes and characters (row 22).
#[test]
fn a_mistake_has_a_node_facts_and_a_place() {
    let result = result("// é\nfn area(w: Int, h: Int) -> Int { w * hh }\n");
    let mistake = &result["diagnostics"][0];
    assert_eq!(result["diagnostics"].as_array().unwrap().len(), 1, "{result:#}");
    assert_eq!(mistake["id"], "d1");
    assert_eq!(mistake["code"], "E1001");
    assert_eq!(mistake["structured"]["kind"], "unresolved_name");
    assert_eq!(mistake["structured"]["similar_names"][0], "h", "{mistake:#}");
    assert_eq!(mistake["location"]["start"], json!({"line": 2, "column": 38, "offset": 43}));
    let id = mistake["primary_node_id"].as_str().unwrap();
    let product = &result["canonical_ast"]["declarations"][0]["body"]["expr"];
    assert_eq!((&product["right"]["id"], &product["right"]["name"]), (&id.into(), &"hh".into()));
}

/// What a hole needs, what is in scope there, and what would fit.
#[test]
fn a_hole_says_what_would_fit() {
    let result = result("fn f(count: Int, name: Str) -> Int { ?later }\n");
    let hole = &result["holes"][0];
    assert_eq!((&hole["id"], &hole["expectedType"]), (&"h1".into(), &"Int".into()), "{hole:#}");
    assert_eq!(hole["fill_candidates"][0]["expr"], "count", "{hole:#}");
    let bindings = hole["context"]["bindings"].as_array().unwrap();
    let names: Vec<&Value> = bindings.iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&"count".into()) && names.contains(&&"name".into()), "{hole:#}");
    assert!(hole["node_id"].is_string());
}

/// Every goal is listed, with what is in scope.
#[test]
fn goals_are_listed_with_what_is_in_scope() {
    let result = result("fn third(xs: [Int]) -> Int { xs[2] }\n");
    let goal = &result["obligations"][0];
    assert_eq!(goal["id"], "OBL1");
    assert_eq!(goal["goal"], "(2 >= 0 && 2 < len(xs))", "{goal:#}");
    assert_eq!(goal["solverResult"], "unknown");
    assert_eq!(goal["context"]["bindings"][0]["name"], "xs", "{goal:#}");
    assert_eq!(result["stats"]["obligationsTotal"], 1);
    let small = compile("--emit diagnostics", "fn third(xs: [Int]) -> Int { xs[2] }\n").json();
    assert_eq!((&small["unproved"], &small["status"]), (&1.into(), &"incomplete".into()));
    validate("compile-diagnostics", &small);
}

/// Every `--emit`, from text and from AST JSON, and what they are.
#[test]
fn a_program_can_be_had_in_every_form() {
    let ast = compile("--emit ast", LIGHT);
    validate("clank-ast", &ast.json());
    for (input, form) in [(LIGHT, "source"), (ast.stdout.as_str(), "ast")] {
        let emit = |what: &str| compile(&format!("--input {form} --emit {what}"), input).stdout;
        assert!(emit("ts").contains("export function wait(l: Light): bigint {"), "{}", emit("ts"));
        assert!(emit("js").contains("export function wait(l) {"), "{}", emit("js"));
        assert_eq!(emit("clank"), LIGHT, "row 54: comments stay");
        assert_eq!(emit("json").lines().count(), 1);
        validate("clank-ast", &serde_json::from_str(&emit("ast")).unwrap());
        let maps = compile(&format!("--input {form} --source-map"), input).json();
        assert!(maps["output"]["jsMap"].as_str().unwrap().contains("\"version\":3"), "{maps:#}");
    }
    // Who asks for code and gets none sees why, on the other stream.
    let ran = compile("--emit ts", "fn f() -> Int { missing }\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.text());
    assert!(ran.stderr.starts_with("error[clank/E1001]"), "{}", ran.text());
    // A program that cannot be read has no layout.
    let ran = compile("--emit clank", "fn f( -> Int { 1 }\n");
    assert_eq!(ran.code, 1, "{}", ran.text());
}

/// Rows 2, 47: ids that are given stay, the others are assigned around them, and a tree can make the round.
#[test]
fn ids_are_kept() {
    let program = json!({"kind": "program", "id": "root", "declarations": [{
        "kind": "fn", "id": "n1", "name": "f", "params": [], "returnType": {"source": "Int"},
        "body": {"kind": "block", "statements": [], "expr": {"kind": "ident", "id": "here", "name": "missing"}}
    }]});
    let result = compile("--input ast", &program.to_string()).json();
    assert_eq!(result["diagnostics"][0]["primary_node_id"], "here", "{result:#}");
    let tree = &result["canonical_ast"];
    assert_eq!((&tree["id"], &tree["declarations"][0]["id"]), (&"root".into(), &"n1".into()));
    let again = compile("--input ast", &tree.to_string()).json();
    assert_eq!(&again["canonical_ast"], tree, "row 3");
    assert_eq!(again["diagnostics"][0]["primary_node_id"], "here");
    let written = compile("--input ast --emit ast", &tree.to_string()).json();
    validate("clank-ast", &written);
    validate("clank-ast", tree);
    let twice = program.to_string().replace("\"here\"", "\"n1\"");
    let ran = compile("--input ast", &twice);
    assert_eq!((ran.code, &ran.json()["status"]), (1, &"error".into()), "{}", ran.text());
    assert!(ran.stdout.contains("n1"), "{}", ran.text());
}

/// Row 46: a fragment that does not parse stays what it is; the rest is still looked at.
#[test]
fn what_does_not_parse_stays_a_fragment() {
    let program = json!({"kind": "program", "declarations": [
        {"source": "fn broken( -> Int"},
        {"source": "fn f() -> Int { missing }"},
    ]});
    let ran = compile("--input ast", &program.to_string());
    let result = ran.json();
    assert_eq!((ran.code, &result["status"]), (1, &"error".into()), "{}", ran.text());
    assert_eq!(result["canonical_ast"]["declarations"][0]["source"], "fn broken( -> Int");
    let paths: Vec<&Value> = result["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["structured"]["path"])
        .collect();
    assert_eq!(*paths[0], "$.declarations[0].source", "{result:#}");
    let id = &result["canonical_ast"]["declarations"][0]["id"];
    assert!(id.is_string());
    assert_eq!(&result["diagnostics"][0]["primary_node_id"], id, "row 49: {result:#}");
    assert!(ran.stdout.contains("E1001"), "{}", ran.text());
    validate("compile-result", &result);
}

/// Row 46: what is not AST JSON has no tree, and every mistake has its path.
#[test]
fn what_is_no_program_has_no_tree() {
    for (input, path, said) in [
        ("{\"kind\":", "$", "not JSON"),
        ("[]", "$", ""),
        ("{\"kind\": \"fn\"}", "$", "program"),
        ("", "$", "not JSON"),
    ] {
        let ran = compile("--input ast", input);
        let result = ran.json();
        assert_eq!(
            (ran.code, &result["canonical_ast"]),
            (1, &Value::Null),
            "{input}: {}",
            ran.text()
        );
        let mistake = &result["diagnostics"][0];
        assert!(
            mistake["structured"]["path"].as_str().unwrap().starts_with(path),
            "{input}: {mistake:#}"
        );
        assert!(mistake["message"].as_str().unwrap().contains(said), "{input}: {mistake:#}");
        validate("compile-result", &result);
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(compile("--input ast", &deep).code, 1);
    let nested = format!("fn f() -> Int {{ {}1{} }}\n", "(".repeat(100_000), ")".repeat(100_000));
    let ran = compile("--emit diagnostics", &nested);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let chain = format!("fn f() -> Int {{ 1{} }}\n", " + 1".repeat(20_000));
    let ran = compile("--emit diagnostics", &chain);
    assert_eq!(ran.code, 0, "{}", ran.text());
}

#[test]
fn bytes_that_are_no_text_are_a_diagnostic() {
    let scene = Scene::new("");
    std::fs::write(scene.path("ws/a.clank"), b"// \xc3\xa9\nfn f\xff").unwrap();
    let ran = scene.run("compile ws/a.clank");
    let result = ran.json();
    assert_eq!((ran.code, &result["canonical_ast"]), (1, &Value::Null), "{}", ran.text());
    assert_eq!(
        result["diagnostics"][0]["location"]["start"],
        json!({"line": 2, "column": 5, "offset": 10})
    );
    validate("compile-result", &result);
}

/// Row 50: imports are read from disk, standard input has the prelude only; row 33: a file compiles on its own.
#[test]
fn imports_are_found_from_the_file() {
    let scene = Scene::new(CLEAN);
    let result = scene.run("compile ws/main.clank --ts").json();
    assert_eq!(
        (&result["status"], &result["stats"]["sourceFiles"]),
        (&"success".into(), &2.into())
    );
    let modules = result["output"]["modules"].as_object().unwrap();
    assert!(modules.contains_key("geo/shapes.ts"), "{modules:?}");
    assert_eq!(
        result["canonical_ast"]["declarations"][0]["kind"], "use",
        "the tree is of the file asked for"
    );
    let alone = scene.run_with("compile -", &[], &scene.read("ws/main.clank")).json();
    assert_eq!(alone["diagnostics"][0]["code"], "E1004", "{alone:#}");
    scene.write("lonely/solo.clank", LIGHT);
    let mut command = scene.command("-q", &[]);
    let file = scene.path("lonely/solo.clank");
    let output = command
        .args(["compile", "--emit", "diagnostics"])
        .arg(&file)
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // What is wrong in a module is told with the module's file.
    scene.write(
        "ws/geo/shapes.clank",
        &scene.read("ws/geo/shapes.clank").replace("side * side", "1"),
    );
    let result = scene.run("compile ws/main.clank").json();
    assert_eq!(result["diagnostics"][0]["location"]["file"], "geo/shapes.clank", "{result:#}");
}

/// A file that ends in `.json` is AST JSON unless the command line says otherwise.
#[test]
fn the_form_is_known_by_the_name() {
    let scene = scene_of(LIGHT);
    let ast = scene.run("compile ws/main.clank --emit ast").stdout;
    scene.write("ws/main.json", &ast);
    assert_eq!(scene.run("compile ws/main.json --emit clank").stdout, LIGHT);
    assert_eq!(scene.run("compile ws/main.json --input source").code, 1);
    assert_eq!(scene.run("compile ws/main.clank --input ast").code, 1);
}

#[test]
fn the_command_line_is_checked() {
    let scene = scene_of(LIGHT);
    let ran = scene.run("compile ws/nothing.clank");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert_eq!(ran.json()["error"]["code"], "program_unreadable", "{}", ran.text());
    assert_eq!(scene.run("compile ws/main.clank --emit all").code, 2);
    assert_eq!(scene.run("compile").code, 2);
    let before = scene.tree();
    assert_eq!(scene.run("compile ws/main.clank").code, 0);
    assert_eq!(scene.tree(), before, "nothing is written");
    assert_eq!(scene.run("compile ws/main.clank --emit js -o out.js").text(), "--- exit 0\n");
    assert_eq!(scene.read("out.js"), scene.run("compile ws/main.clank --emit js").stdout);
}

/// Rows 2, 3 and 47: whatever names a node names one of the tree that comes back, in which ids are unique, and which
/// gives itself when it is compiled again.
#[test]
fn everything_that_names_a_node_names_one_of_the_tree() {
    for program in [
        "fn f(xs: [Int]) -> Int { xs |> missing }\n",
        "fn f(xs: [Int]) -> Int { xs |> len |> \\n -> n / 0 }\n",
        "fn f() -> Unit {\n  for i in 0..x { }\n  return\n}\n",
        "rec P { x: Int }\n\nfn f() -> P { P { y: 1 } }\n",
        "fn f(n: Int) -> Str { `${n + \"a\"} ${?hole}` }\n",
        "fn f(n: Int) -> Int { if n ≤ 0 { 1 } }\n",
        "sum S { A, A(x: Missing) }\n\nfn f(s: S, s: Int) -> Int { match s { A -> 1 } }\n",
        "use nothing.{f}\n\nfn g(n: Int{n > 0}) -> (Int{result > m}) pre n > z { g(1) }\n",
        "fn f(x: Int) -> Int?\n  post result == x\n{\n  let y = x\n  Some(x? + {})\n}\n",
        "fn broken( -> Int { }\n\nfn f() -> Int { broken(1) }\n",
    ] {
        let ran = compile("", program);
        let result = ran.json();
        let mut ids = Vec::new();
        collect_ids(&result["canonical_ast"], &mut ids);
        let n_ids = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_ids, "ids are unique: {program}: {}", ran.text());
        let named = |list: &str, key: &str| -> Vec<String> {
            let all = result[list].as_array().unwrap().iter();
            all.map(|it| it[key].as_str().unwrap_or("none").to_owned()).collect()
        };
        let named = [
            named("diagnostics", "primary_node_id"),
            named("obligations", "primary_node_id"),
            named("holes", "node_id"),
        ];
        assert!(named.iter().any(|it| !it.is_empty()), "{program}");
        for id in named.iter().flatten() {
            assert!(ids.contains(&id.as_str()), "{id}: {program}: {}", ran.text());
        }
        let tree = result["canonical_ast"].to_string();
        let again = compile("--input ast", &tree).json();
        assert_eq!(again["canonical_ast"].to_string(), tree, "{program}");
    }
}

fn collect_ids<'a>(value: &'a Value, ids: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            ids.extend(members.get("id").and_then(Value::as_str));
            members.values().for_each(|it| collect_ids(it, ids));
        }
        Value::Array(items) => items.iter().for_each(|it| collect_ids(it, ids)),
        _ => {}
    }
}
