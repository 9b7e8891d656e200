//! Texts that are made to break a parser: they get an answer, one error for one excess, in linear time.

use super::laws::check;
use crate::ast::{MAX_CHAIN, MAX_NESTING};
use crate::{Parsed, SyntaxCode, parse};

const DEEP: usize = 100_000;

fn in_function(body: &str) -> String {
    format!("fn f() -> Int {{\n  {body}\n}}\nfn g() -> Int {{ 1 }}\n")
}

#[track_caller]
fn check_one_error(text: &str, message: &str) -> Parsed {
    let parsed = parse("test.clank", text);
    let shown: Vec<_> = parsed.errors.iter().take(5).map(|it| (it.code, &it.message)).collect();
    assert_eq!(parsed.errors.len(), 1, "{shown:?}");
    assert_eq!(parsed.errors[0].code, SyntaxCode::E0001, "{shown:?}");
    assert!(parsed.errors[0].message.contains(message), "{shown:?}");
    parsed
}

#[track_caller]
fn check_deep(open: &str, middle: &str, close: &str) {
    let nested = format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP));
    let parsed = check_one_error(&in_function(&nested), "nested more than 500 levels deep");
    assert_eq!(parsed.ast.declarations().len(), 2);
    let unclosed = format!("fn f() -> Int {{ {}", open.repeat(DEEP));
    let parsed = parse("test.clank", &unclosed);
    assert_eq!(parsed.errors.len(), 1, "{:?}", parsed.errors.iter().take(5).collect::<Vec<_>>());
}

#[test]
fn expressions_nest_to_the_limit() {
    check_deep("(", "x", ")");
    check_deep("[", "x", "]");
    check_deep("{", "x", "}");
    check_deep("-", "x", "");
    check_deep("!", "x", "");
    check_deep("\\x -> ", "x", "");
    check_deep("f(", "x", ")");
    check_deep("a[", "x", "]");
    check_deep("if x { 1 } else { ", "x", "}");
    check_deep("if x { ", "x", "}");
    check_deep("match x { _ -> ", "x", "}");
    check_deep("P { x: ", "x", "}");
    check_deep("{ x: ", "x", "}");
    check_deep("while x { ", "x", "}");
    check_deep("1 + (2 * ", "x", ")");
}

#[test]
fn templates_nest_to_the_limit() {
    check_deep("`${", "x", "}`");
    check_deep("`a ${f(", "x", ")} b`");
    let just = format!("{}x{}", "`${".repeat(400), "}`".repeat(400));
    assert_eq!(check(&in_function(&just)).errors, []);
}

#[test]
fn types_and_patterns_nest_to_the_limit() {
    for (open, close) in [("(", ")"), ("[", "]"), ("O[", "]"), ("() -> ", ""), ("{ x: ", "}")] {
        let ty = format!("{}Int{}", open.repeat(DEEP), close.repeat(DEEP));
        check_one_error(&format!("type A = {ty}\nfn g() -> Int {{ 1 }}"), "nested more than 500");
    }
    for (open, close) in [("(", ")"), ("S(", ")"), ("{ x: ", "}")] {
        let pattern = format!("{}p{}", open.repeat(DEEP), close.repeat(DEEP));
        check_one_error(&in_function(&format!("let {pattern} = 1;")), "nested more than 500");
    }
}

#[test]
fn the_limit_itself_is_allowed() {
    let depth = MAX_NESTING as usize - 1;
    let nested = format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(check(&in_function(&nested)).errors, []);
    check_one_error(&in_function(&format!("({nested})")), "nested more than 500");
    let chain = vec!["x"; MAX_CHAIN as usize + 1].join(" + ");
    assert_eq!(parse("test.clank", &in_function(&chain)).errors, []);
    check_one_error(&in_function(&format!("{chain} + x")), "more than 100000 operators");
}

#[test]
fn chains_are_read_to_the_limit() {
    let cases = [
        ("x", " ^ x"),
        ("x", "|> f"),
        ("x", " && x == y"),
        ("f", "()"),
        ("f", ".x"),
        ("f", "[0]"),
        ("f", "?"),
        ("if x {}", " else if x {}"),
    ];
    for (first, link) in cases {
        let text = in_function(&format!("{first}{}", link.repeat(MAX_CHAIN as usize + 50_000)));
        let parsed = check_one_error(&text, "more than 100000");
        assert_eq!(parsed.ast.declarations().len(), 2);
    }
    let million = in_function(&format!("x{}", " + x".repeat(1_000_000)));
    check_one_error(&million, "more than 100000");
    check_one_error(&format!("type A = Int{}", "?".repeat(1_000_000)), "more than 100000");
}

#[test]
fn many_mistakes_take_linear_time() {
    let n_lines = 10_000;
    for line in [
        "let = 1;\n",
        "f(;\n",
        "x)\n",
        "`${\n",
        "\"\"\"\n",
        "\"\n",
        "@ x\n",
        "f(a b);\n",
        "}\n",
        "{\n",
        "fn\n",
        "fn f(\n",
        "/*\n",
        "1e\n",
        "\\q",
        "`\\q${`\n",
        "sum S { \n",
        ",",
        "->\n",
        "a..b..c\n",
        "match x { a b, }\n",
        "`${(}`\n",
        "let x: = 1;\n",
        "x = = 1\n",
        "€ ) x +\n",
    ] {
        let parsed = parse("test.clank", &in_function(&line.repeat(n_lines)));
        assert!(parsed.errors.len() <= 3 * n_lines, "{line}");
        parse("test.clank", &line.repeat(n_lines));
    }
}
