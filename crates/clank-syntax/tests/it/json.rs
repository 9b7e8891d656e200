//! AST JSON: what is read, what is refused and where (rows 2, 21, 41, 42, 46, 47, 54; RS-61).

use clank_syntax::ast::{AstKind, Expr, MAX_CHAIN, NodeId};
use clank_syntax::json::{WriteOptions, read, read_lenient, write};
use clank_syntax::{attach_comments, parse, print, same};

use crate::laws::{FULL, PLAIN, check_tree, comments_of, validator};

/// A program whose only function has this body.
fn with_body(body: &str) -> String {
    format!(
        r#"{{"kind":"program","declarations":[{{"kind":"fn","name":"f","params":[],
        "returnType":{{"source":"Int"}},"body":{body}}}]}}"#
    )
}

/// A program whose only function's body has this value.
fn with_expr(expr: &str) -> String {
    with_body(&format!(r#"{{"kind":"block","statements":[],"expr":{expr}}}"#))
}

/// Reads JSON, checks the laws and gives its text without line breaks.
#[track_caller]
fn check(json: &str) -> String {
    let ast = read(json).unwrap_or_else(|it| panic!("{it:#?}\n{json}"));
    check_tree(&ast);
    let value = serde_json::from_str(json).expect("what was read is JSON");
    assert!(validator().is_valid(&value), "the schema refuses {json}");
    print(&ast).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_expr(json: &str, text: &str) {
    assert_eq!(check(&with_expr(json)), format!("fn f() -> Int {{ {text} }}"));
}

/// The mistakes, one in a line; the schema refuses them too unless `beyond_schema`.
#[track_caller]
fn refused(json: &str, beyond_schema: bool) -> String {
    let errors = read(json).expect_err(json);
    if let Ok(value) = serde_json::from_str(json) {
        assert_eq!(validator().is_valid(&value), beyond_schema, "{json}");
    }
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check_refused(json: &str, expected: &str) {
    assert_eq!(refused(json, false), expected);
}

#[track_caller]
fn check_refused_expr(expr: &str, expected: &str) {
    check_refused(&with_expr(expr), &format!("$.declarations[0].body.expr{expected}"));
}

#[track_caller]
fn check_beyond_schema(expr: &str, expected: &str) {
    let expected = format!("$.declarations[0].body.expr{expected}");
    assert_eq!(refused(&with_expr(expr), true), expected);
}

const X: &str = r#"{"kind":"ident","name":"x"}"#;

#[test]
fn the_worked_example_is_one_program_as_text_and_as_json() {
    // The JSON names the variable of one refinement, which the text leaves to the rule for it.
    let text = include_str!("json/example.clank");
    let json = include_str!("json/example.json");
    for (text, json) in [
        (text.replace("Int{n >= 2}", "Int{n | n >= 2}"), json.to_owned()),
        (text.to_owned(), json.replace("\"varName\": \"n\",", "")),
    ] {
        let parsed = parse("a.clank", &text);
        assert_eq!(parsed.errors, []);
        assert!(same(&parsed.ast, &read(&json).unwrap()), "{}", print(&read(&json).unwrap()));
        check(&json);
    }
    assert!(!same(&parse("a.clank", text).ast, &read(json).unwrap()));
}

#[test]
fn every_kind_of_expression_is_read() {
    for (json, text) in [
        (r#"{"kind":"literal","value":{"kind":"int","value":5}}"#, "5"),
        (r#"{"kind":"literal","value":{"kind":"int","value":"0xff","suffix":"i32"}}"#, "255i32"),
        (r#"{"kind":"literal","value":{"kind":"int","value":"-5","suffix":null}}"#, "-5"),
        (r#"{"kind":"literal","value":{"kind":"float","value":1}}"#, "1.0"),
        (r#"{"kind":"literal","value":{"kind":"float","value":-0.0}}"#, "-0.0"),
        (
            r#"{"kind":"literal","value":{"kind":"string","value":"a\u0001\n\"$`"}}"#,
            "\"a\u{1}\\n\\\"$`\"",
        ),
        (r#"{"kind":"literal","value":{"kind":"bool","value":true}}"#, "true"),
        (r#"{"kind":"literal","value":{"kind":"unit"}}"#, "()"),
        // Row 42: a raw template is parsed, as a literal and as a node.
        (r#"{"kind":"literal","value":{"kind":"template","value":"a ${x+1}"}}"#, "`a ${x + 1}`"),
        (r#"{"kind":"template","value":"${ {x} }"}"#, "`${{ x }}`"),
        (r#"{"kind":"template","parts":["a","b",{"source":"x"},"","$c"]}"#, "`ab${x}\\$c`"),
        (r#"{"kind":"template","parts":[]}"#, "``"),
        // Row 21: holes, ranges and records have a text.
        (r#"{"kind":"hole"}"#, "_"),
        (r#"{"kind":"hole","name":"todo_later"}"#, "?todo_later"),
        (r#"{"kind":"range","start":{"source":"1"},"end":{"source":"2"}}"#, "1..2"),
        (
            r#"{"kind":"range","start":{"source":"1"},"end":{"source":"2"},"inclusive":true}"#,
            "1..=2",
        ),
        (r#"{"kind":"record","fields":[{"name":"a","value":{"source":"1"}}]}"#, "{ a: 1 }"),
        // Row 41: a nominal literal has its own node.
        (
            r#"{"kind":"recordLit","name":"m.P","fields":[{"name":"a","value":{"source":"1"}}]}"#,
            "m.P { a: 1 }",
        ),
        (r#"{"kind":"unary","op":"¬","operand":{"source":"x"}}"#, "!x"),
        (r#"{"kind":"binary","op":"≤","left":{"source":"x"},"right":{"source":"y"}}"#, "x <= y"),
        (
            r#"{"kind":"binary","op":"*","left":{"source":"x + 1"},"right":{"source":"(y)"}}"#,
            "(x + 1) * y",
        ),
        (r#"{"kind":"field","object":{"source":"x"},"field":"0"}"#, "x.0"),
        (
            r#"{"kind":"if","condition":{"source":"x"},"thenBranch":{"source":"1"},"elseBranch":null}"#,
            "if x { 1 }",
        ),
        (
            r#"{"kind":"match","scrutinee":{"source":"x"},"arms":[{"pattern":{"source":"-1"},"body":{"source":"x"},"extra":[]}]}"#,
            "match x { -1 -> x, }",
        ),
    ] {
        check_expr(json, text);
    }
}

// RS-61, X-30: `let` takes its value under either name.
#[test]
fn let_has_init_or_value() {
    for key in ["init", "value"] {
        let json = with_body(&format!(
            r#"{{"kind":"block","statements":[{{"kind":"let","pattern":{{"source":"x"}},"{key}":{{"source":"1"}}}},
            {{"source":"x"}},{{"source":"return x;"}}]}}"#
        ));
        assert_eq!(check(&json), "fn f() -> Int { let x = 1; x; return x; }");
    }
    let json =
        with_body(r#"{"kind":"block","statements":[{"kind":"let","pattern":{"source":"x"}}]}"#);
    check_refused(&json, "$.declarations[0].body.statements[0].init: the member `init` is missing");
}

#[test]
fn external_modules_are_read() {
    let json = r#"{"kind":"program","declarations":[{"kind":"externalMod","name":"m","jsModule":"fs","functions":[
        {"kind":"externalFn","name":"read","params":[{"name":"p","type":{"source":"Str"}}],"returnType":{"source":"IO + Str"}}]}]}"#;
    assert_eq!(check(json), "external mod m = \"fs\" { fn read(p: Str) -> IO + Str }");
    let other_name = json.replace("\"returnType\"", "\"jsName\":\"other\",\"returnType\"");
    assert_eq!(
        refused(&other_name, true),
        "$.declarations[0].functions[0].jsName: a function of an external module is called by its name, `read`"
    );
}

#[test]
fn names_of_types_are_read() {
    for (name, text) in [("ℤ32", "Int32"), ("ℕ", "Nat"), ("never", "never"), ("m.T", "m.T")] {
        let json = format!(
            r#"{{"kind":"program","declarations":[{{"kind":"typeAlias","name":"A","type":{{"kind":"named","name":"{name}"}}}}]}}"#
        );
        assert_eq!(check(&json), format!("type A = {text}"));
    }
}

#[test]
fn mistakes_have_the_path_of_the_member() {
    check_refused(
        "[]",
        "$: expected a program (an object with `kind`: \"program\"), found an array",
    );
    check_refused(r#"{"kind":"fn"}"#, "$: expected a program, found an object of kind \"fn\"");
    check_refused(r#"{"kind":"program"}"#, "$.declarations: the member `declarations` is missing");
    check_refused(
        r#"{"kind":"program","declarations":[{"kind":"fn"}]}"#,
        "$.declarations[0].name: the member `name` is missing\n\
         $.declarations[0].params: the member `params` is missing\n\
         $.declarations[0].returnType: the member `returnType` is missing\n\
         $.declarations[0].body: the member `body` is missing",
    );
    check_refused(
        r#"{"kind":"program","declarations":[{"kind":"function"},{"kind":"Sum"},7]}"#,
        "$.declarations[0].kind: \"function\" is not a kind of declaration; did you mean `fn`?\n\
         $.declarations[1].kind: \"Sum\" is not a kind of declaration; did you mean `sum`?\n\
         $.declarations[2]: expected a declaration (an object with `kind`, or with `source`), found a number",
    );
    check_refused(
        &with_body(X),
        "$.declarations[0].body.kind: \"ident\" is not a kind of block; did you mean `block`?",
    );
}

#[test]
fn mistakes_in_expressions_have_the_path_of_the_member() {
    check_refused_expr(
        r#"{"kind":"idnt","name":"x"}"#,
        ".kind: \"idnt\" is not a kind of expression; did you mean `ident`?",
    );
    check_refused_expr(r#"{"kind":"call","args":[]}"#, ".callee: the member `callee` is missing");
    check_refused_expr(
        r#"{"kind":"tuple","elements":[]}"#,
        ".elements: expected at least one element; the value `()` is a literal of kind `unit`",
    );
    check_refused_expr(
        r#"{"kind":"record","fields":[]}"#,
        ".fields: expected at least one element; `{}` is a block",
    );
    check_refused_expr(
        r#"{"kind":"literal","value":5}"#,
        ".value: expected an object such as {\"kind\": \"int\", \"value\": \"1\"}, found a number",
    );
    check_refused_expr(
        r#"{"kind":"literal","value":{"kind":"int","value":"abc"}}"#,
        ".value.value: not an integer: expected decimal digits, `0x…` or `0b…`",
    );
    check_refused_expr(
        r#"{"kind":"literal","value":{"kind":"int","value":1.5}}"#,
        ".value.value: not an integer: expected decimal digits, `0x…` or `0b…`",
    );
    check_refused_expr(r#"{"source":5}"#, ".source: expected a string, found a number");
    check_refused_expr(
        r#"{"kind":"binary","op":"**","left":{"source":"x"},"right":{"source":"x"}}"#,
        ".op: \"**\" is not a binary operator; expected one of |> || && == != < > <= >= ++ + - * / % ^",
    );
    check_refused_expr(
        r#"{"kind":"unary","op":"+","operand":{"source":"x"}}"#,
        ".op: \"+\" is not a unary operator; expected - or !",
    );
    check_refused_expr(
        r#"{"kind":"ident","name":"x","id":5}"#,
        ".id: expected a string, found a number",
    );
    check_refused_expr(
        r#"{"kind":"ident","name":"x","span":{"start":{"line":-1}}}"#,
        ".span.start.line: expected an integer from 0 to 4294967295",
    );
    check_refused_expr(
        r#"{"kind":"ident","name":"x","comments":{"leading":["no"]}}"#,
        ".comments.leading[0]: a comment is one line `// …`, or `/* … */`",
    );
    check_beyond_schema(
        r#"{"kind":"ident","name":"x","comments":{"trailing":["// a\nb"]}}"#,
        ".comments.trailing[0]: a comment is one line `// …`, or `/* … */`",
    );
    check_beyond_schema(
        r#"{"kind":"literal","value":{"kind":"float","value":1e999}}"#,
        ".value.value: the number is too large for a `Float`",
    );
}

#[test]
fn illegal_names_are_refused() {
    check_beyond_schema(
        r#"{"kind":"ident","name":"fn"}"#,
        ".name: `fn` is a reserved word and cannot be a name",
    );
    check_beyond_schema(
        r#"{"kind":"ident","name":"a b"}"#,
        ".name: \"a b\" cannot be a name here: a name starts with a letter or `_` and continues with letters, digits and `_`",
    );
    check_beyond_schema(
        r#"{"kind":"ident","name":"a\u0000"}"#,
        ".name: \"a\\0\" cannot be a name here: a name starts with a letter or `_` and continues with letters, digits and `_`",
    );
    check_beyond_schema(
        r#"{"kind":"hole","name":"X"}"#,
        ".name: \"X\" cannot be a name here: a name of a value starts with a lowercase letter or `_` and continues with letters, digits and `_`",
    );
    check_beyond_schema(
        r#"{"kind":"recordLit","name":"p","fields":[]}"#,
        ".name: \"p\" cannot be a name here: a name of a type or constructor starts with a capital and continues with letters, digits and `_`",
    );
    check_beyond_schema(
        r#"{"kind":"field","object":{"source":"x"},"field":"007"}"#,
        ".field: \"007\" cannot be a name here: a name starts with a letter or `_` and continues with letters, digits and `_`",
    );
}

// A fragment is read completely, and what is wrong in it has a path and a place.
#[test]
fn fragments_are_read_completely() {
    check_beyond_schema(
        r#"{"source":"x y"}"#,
        ".source: E0001: expected the end of the text after `x`, found `y` at line 1, column 3 of the fragment",
    );
    for (position, fragment) in [("returnType", "Int Int"), ("body", "}"), ("precondition", "")] {
        let json = r#"{"kind":"program","declarations":[{"kind":"fn","name":"f","params":[],
            "returnType":{"source":"Int"},"body":{"source":"1"},"precondition":{"source":"x"}}]}"#;
        let mut value: serde_json::Value = serde_json::from_str(json).unwrap();
        value["declarations"][0][position]["source"] = fragment.into();
        let errors = read(&value.to_string()).unwrap_err();
        assert_eq!(errors[0].path, format!("$.declarations[0].{position}.source"));
        assert!(errors[0].message.ends_with("of the fragment"), "{errors:?}");
    }
}

// Row 47: ids are unique; the message says where both are.
#[test]
fn an_id_that_is_given_twice_is_refused() {
    let json =
        with_expr(r#"{"kind":"tuple","id":"a","elements":[{"kind":"ident","name":"x","id":"a"}]}"#);
    assert_eq!(
        refused(&json, true),
        "$.declarations[0].body.expr.id: the id \"a\" is also given at $.declarations[0].body.expr.elements[0].id"
    );
}

// Row 2: ids that are given stay, the others do not take theirs.
#[test]
fn given_ids_are_kept_and_not_given_again() {
    let ast = read(&with_expr(r#"{"source":"x + y","id":"n1"}"#)).unwrap();
    let node = ast.ids().node("n1").unwrap();
    assert!(matches!(ast.node(node).kind, AstKind::Expr(Expr::Binary { .. })));
    let all: std::collections::BTreeSet<_> =
        (0..ast.nodes().len()).map(|it| ast.ids().id(NodeId(it as u32))).collect();
    assert_eq!(all.len(), ast.nodes().len());
    let again = read(&write(&ast, &FULL)).unwrap();
    assert_eq!(again.ids().id(node), "n1");
}

// Row 46: what does not parse is in the tree, as its fragment.
#[test]
fn lenient_reading_keeps_what_does_not_parse() {
    let json = r#"{"kind":"program","declarations":[{"source":"fn f("},
        {"kind":"fn","name":"g","params":[{"name":"x","type":{"source":"[","id":"t"}}],"returnType":{"source":"Int"},
         "body":{"kind":"block","statements":[{"source":"let = 1"}],"expr":{"source":"1 +"}}},
        {"kind":"fn","name":"h","params":[],"returnType":{"source":"Int"},"body":{"source":")"}}]}"#;
    let (ast, errors) = read_lenient(json);
    let ast = ast.unwrap();
    let mut paths: Vec<_> = errors.iter().map(|it| it.path.as_str()).collect();
    paths.dedup();
    assert_eq!(
        paths,
        [
            "$.declarations[0].source",
            "$.declarations[1].params[0].type.source",
            "$.declarations[1].body.statements[0].source",
            "$.declarations[1].body.expr.source",
            "$.declarations[2].body.source",
        ]
    );
    let written = write(&ast, &WriteOptions { ids: true, spans: false, pretty: false });
    assert!(written.contains(r#"{"id":"t","source":"["}"#), "{written}");
    let (again, _) = read_lenient(&written);
    assert!(same(&ast, &again.unwrap()));
    assert!(read(json).is_err());
    assert_eq!(read_lenient(&with_expr("5")).0, None);
}

#[test]
fn text_that_is_not_json_has_a_place() {
    for (json, expected) in [
        ("", "$: not JSON: the JSON text ends where a value is expected at line 1, column 1"),
        ("{\n  \"é\": x", "$: not JSON: expected a JSON value at line 2, column 8"),
        ("{\"a\":1,}", "$: not JSON: expected a key in double quotes at line 1, column 8"),
        ("[1,]", "$: not JSON: expected a JSON value at line 1, column 4"),
        ("[1 2]", "$: not JSON: expected `,` or `]` at line 1, column 4"),
        (
            "{\"a\":1,\"a\":2}",
            "$: not JSON: the key \"a\" is given twice in one object at line 1, column 8",
        ),
        (
            "\"\\ud800\"",
            "$: not JSON: half of a surrogate pair is not a character at line 1, column 4",
        ),
        ("\"\\x\"", "$: not JSON: this escape does not exist in JSON at line 1, column 3"),
        ("\"a", "$: not JSON: unterminated string at line 1, column 3"),
        ("01", "$: not JSON: there is more after the end of the JSON value at line 1, column 2"),
        ("{} {}", "$: not JSON: there is more after the end of the JSON value at line 1, column 4"),
    ] {
        let errors = read(json).unwrap_err();
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}

/// `inner` in so many layers of `before` and `after`.
fn layers(n: usize, before: &str, inner: &str, after: &str) -> String {
    [before.repeat(n), inner.to_owned(), after.repeat(n)].concat()
}

#[test]
fn nesting_has_a_limit_and_no_depth_is_a_crash() {
    let limit = 400;
    for (before, after) in [
        (r#"{"kind":"unary","op":"!","operand":"#, "}"),
        (r#"{"kind":"array","elements":["#, "]}"),
        (r#"{"kind":"lambda","params":[],"body":"#, "}"),
        (
            r#"{"kind":"block","statements":[{"kind":"loop","body":{"kind":"block","statements":[],"expr":"#,
            "}}]}",
        ),
        (r#"{"kind":"template","parts":["#, "]}"),
        (r#"{"kind":"binary","op":"+","left":{"kind":"ident","name":"x"},"right":"#, "}"),
    ] {
        let few = read(&with_expr(&layers(limit / 2 - 2, before, X, after))).unwrap();
        assert!(parse("a", &print(&few)).errors.is_empty());
        let errors = read(&with_expr(&layers(10_000, before, X, after))).unwrap_err();
        assert_eq!(errors[0].message, "nested more than 500 levels deep");
    }
    let deep = 100_000;
    for nested in [layers(deep, "[", "", "]"), layers(deep, "{\"a\":", "1", "}"), "[".repeat(deep)]
    {
        assert!(["$", "$.kind"].contains(&&*read(&nested).unwrap_err()[0].path));
    }
}

// A tree is accepted exactly if its text is within the limits of texts.
#[test]
fn the_limit_of_trees_is_the_limit_of_texts() {
    let tree = |n| {
        let (before, after) = (r#"{"kind":"unary","op":"-","operand":"#, "}");
        read(&with_expr(&layers(n, before, X, after)))
    };
    let most = (1..700).rev().find(|n| tree(*n).is_ok()).unwrap();
    assert!((200..600).contains(&most), "{most}");
    assert!(parse("a", &print(&tree(most).unwrap())).errors.is_empty());
    assert_eq!(tree(most + 1).unwrap_err()[0].message, "nested more than 500 levels deep");
}

/// The longest chain.
const LONGEST: usize = MAX_CHAIN as usize - 1;

// A fragment may use up the nesting that the tree around it leaves.
#[test]
fn fragments_count_for_the_nesting_of_the_whole() {
    let tree = |n: usize| {
        let fragment = format!(r#"{{"source":"{}"}}"#, layers(300, "[", "", "]"));
        read(&with_expr(&layers(n, r#"{"kind":"array","elements":["#, &fragment, "]}")))
    };
    assert!(parse("a", &print(&tree(150).unwrap())).errors.is_empty());
    assert_eq!(tree(250).unwrap_err()[0].message, "nested more than 500 levels deep");
}

#[test]
fn long_chains_are_no_nesting() {
    for (n, before, inner, after) in [
        (
            LONGEST,
            r#"{"kind":"binary","op":"+","left":"#,
            X,
            r#","right":{"kind":"ident","name":"x"}}"#,
        ),
        (
            20_000,
            r#"{"kind":"binary","op":"^","left":{"kind":"ident","name":"x"},"right":"#,
            X,
            "}",
        ),
        (20_000, r#"{"kind":"call","callee":"#, X, r#","args":[]}"#),
        (20_000, r#"{"kind":"field","object":"#, X, r#","field":"y"}"#),
        (20_000, r#"{"kind":"propagate","expr":"#, X, "}"),
        (
            20_000,
            r#"{"kind":"if","condition":{"kind":"ident","name":"x"},"thenBranch":{"kind":"block","statements":[]},"elseBranch":"#,
            r#"{"kind":"block","statements":[]}"#,
            "}",
        ),
    ] {
        let chain = |n| read(&with_expr(&layers(n, before, inner, after)));
        let ast = chain(n).unwrap();
        let again = parse("a", &print(&ast));
        assert!(again.errors.is_empty(), "{:?}", again.errors);
        assert!(same(&ast, &again.ast));
        assert!(same(&ast, &read(&write(&ast, &PLAIN)).unwrap()));
        if n == LONGEST {
            let errors = chain(n + 2).unwrap_err();
            assert_eq!(errors.len(), 1);
            assert!(errors[0].message.starts_with("a chain of more than 100000"), "{errors:?}");
        }
    }
}

#[test]
fn many_mistakes_deep_in_a_chain_take_little_space() {
    let json =
        layers(50_000, r#"{"kind":"binary","op":"+","left":"#, X, r#","right":{"kind":"?"}}"#);
    let errors = read(&with_expr(&json)).unwrap_err();
    assert!(errors.last().unwrap().message.ends_with("more mistakes are not listed"));
    assert!(errors.iter().map(|it| it.path.len()).sum::<usize>() < 4 << 20);
}

#[test]
fn huge_integers_are_read_up_to_a_limit() {
    let int =
        |n| format!(r#"{{"kind":"literal","value":{{"kind":"int","value":"{}"}}}}"#, "9".repeat(n));
    check_expr(&int(20_000), &"9".repeat(20_000));
    check_beyond_schema(&int(20_001), ".value.value: an integer has at most 20000 digits");
}

// Row 22: offsets are bytes, columns code points.
#[test]
fn spans_are_bytes_and_code_points() {
    let ast = parse("a.clank", "fn f() -> Str {\n  \"é😀\" ++ x\n}").ast;
    let written: serde_json::Value = serde_json::from_str(&write(&ast, &FULL)).unwrap();
    let span = &written["declarations"][0]["body"]["expr"]["right"]["span"];
    let expected = serde_json::json!({
        "file": "a.clank",
        "start": { "line": 2, "column": 11, "offset": 30 },
        "end": { "line": 2, "column": 12, "offset": 31 },
    });
    assert_eq!(*span, expected);
}

#[test]
fn given_spans_and_comments_are_kept() {
    let json = with_expr(
        r#"{"kind":"ident","name":"x","span":{"file":"f","start":{"line":3}},"comments":{"leading":["/* a */"],"trailing":["// b"]}}"#,
    );
    let ast = read(&json).unwrap();
    assert_eq!(print(&ast), "fn f() -> Int {\n  /* a */ x // b\n}\n");
    let written = write(&ast, &FULL);
    assert!(written.contains("\"line\": 3"), "{written}");
    assert_eq!(write(&read(&written).unwrap(), &FULL), written);
}

// Row 54, for fragments.
#[test]
fn comments_in_fragments_are_kept() {
    let ast = read(&with_expr(r#"{"source":"/* a */ f(/* b */ x) // c"}"#)).unwrap();
    assert_eq!(comments_of(&ast), ["/* a */", "/* b */", "// c"]);
}

#[test]
fn the_output_has_one_order_of_members() {
    let ast = parse("a.clank", "/* c */ fn f[T](x: T) -> T pre true { let mut y: T = x; y }").ast;
    let options = WriteOptions { ids: true, spans: false, pretty: false };
    insta::assert_snapshot!(write(&ast, &options), @r#"{"kind":"program","id":"n11","declarations":[{"kind":"fn","id":"n10","name":"f","typeParams":[{"id":"n12","name":"T"}],"params":[{"id":"n13","name":"x","type":{"kind":"named","id":"n1","name":"T"}}],"returnType":{"kind":"named","id":"n2","name":"T"},"precondition":{"kind":"literal","id":"n3","value":{"kind":"bool","value":true}},"body":{"kind":"block","id":"n9","statements":[{"kind":"let","id":"n7","pattern":{"kind":"ident","id":"n4","name":"y"},"init":{"kind":"ident","id":"n6","name":"x"},"type":{"kind":"named","id":"n5","name":"T"},"mutable":true}],"expr":{"kind":"ident","id":"n8","name":"y"}}}]}"#);
    let attached = attach_comments(&parse("a.clank", "/* c */ use a // d"));
    insta::assert_snapshot!(write(&attached, &FULL), @r#"
    {
      "kind": "program",
      "id": "n2",
      "declarations": [
        {
          "kind": "use",
          "id": "n1",
          "path": [
            "a"
          ],
          "span": {
            "file": "a.clank",
            "start": {
              "line": 1,
              "column": 9,
              "offset": 8
            },
            "end": {
              "line": 1,
              "column": 14,
              "offset": 13
            }
          },
          "comments": {
            "leading": [
              "/* c */"
            ],
            "trailing": [
              "// d"
            ]
          }
        }
      ],
      "span": {
        "file": "a.clank",
        "start": {
          "line": 1,
          "column": 1,
          "offset": 0
        },
        "end": {
          "line": 1,
          "column": 19,
          "offset": 18
        }
      }
    }
    "#);
}
