//! The text of trees: parentheses, separators and comments (rows 21, 41, 42, 54).
#![expect(clippy::disallowed_methods, reason = "tests read files")]

use clank_syntax::json::{read, write};
use clank_syntax::{TokenKind, attach_comments, parse, print, print_node, print_string, same};

use crate::laws::{PLAIN, check_tree, comments_of};

/// The text that a program has after it was read, with all laws checked on the way.
#[track_caller]
fn printed(text: &str) -> String {
    let parsed = parse("a.clank", text);
    assert_eq!(parsed.errors, [], "{text}");
    check_tree(&parsed.ast);
    let attached = attach_comments(&parsed);
    check_tree(&attached);
    print(&attached)
}

/// An expression stays as it is.
#[track_caller]
fn check(expr: &str) {
    check_to(expr, expr);
}

#[track_caller]
fn check_to(expr: &str, expected: &str) {
    let text = format!("fn f() -> Int {{ {expr} }}");
    let printed = printed(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(printed, format!("fn f() -> Int {{ {expected} }}"));
    let parsed = parse("a.clank", &text);
    assert_eq!(print_node(&parsed.ast, parsed.ast.declarations()[0]), printed);
}

#[test]
fn parentheses_are_written_where_they_are_needed() {
    for expr in [
        "a + b * c",
        "(a + b) * c",
        "a - (b - c)",
        "a - b - c",
        "a ^ b ^ c",
        "(a ^ b) ^ c",
        "(-a) ^ b",
        "-(a ^ b)",
        "-(-a)",
        "!!a",
        "!-a",
        "-a.b",
        "(-a).b",
        "a..b + 1",
        "(a..b)..c",
        "a < (b < c)",
        "a |> f |> g",
        "(\\x -> x)(1)",
        "f(\\x -> x)",
        "a |> (\\x -> x)",
        "\\() -> ()",
        "\\(x, y: Int) -> x",
        "(if a { b }) + 1",
        "-(match a {})",
        "({ a })(b)",
        "({ a: 1 }).0",
        "{ a: 1 }.a",
        "P { a: 1 }.a",
        "(1).a",
        "(1).0",
        "a.0.1",
        "a()[b].0?.c",
        "a??",
        "(a, b)",
        "(a,)",
        "()",
        "[]",
        "[(a, b), c]",
        "?h + _",
        "`a${b}c${`${d}`}`",
        "if (P { a: 1 }).a == b { c }",
        "if (P {}) { c }",
        "if f(P {}) { c } else if d {} else { e }",
        "match ({ a: 1 }) { { a: b, c } if d -> e, (f,) -> g, -1 -> h, }",
    ] {
        check(expr);
    }
    for (expr, expected) in [
        ("((a) + (b))", "a + b"),
        ("-2 ^ 2", "(-2) ^ 2"),
        ("a |> \\x -> x", "a |> (\\x -> x)"),
        ("1 + if a { b } else { c }", "1 + (if a { b } else { c })"),
        ("1_000i64 + 0xff + 1e3 + .5", "1000i64 + 255 + 1000.0 + 0.5"),
        ("λx → x ≤ y ∧ ¬z", "\\x -> x <= y && !z"),
        ("\"\"\"\na\n\\\"b\"\"\"", "\"a\\n\\\"b\""),
    ] {
        check_to(expr, expected);
    }
}

#[test]
fn statements_end_where_they_must() {
    for expr in [
        "if a {} let b = 1; b",
        "if a {} b",
        "if a {}; (b, c)",
        "if a {}; -b",
        "if a {}; [b]",
        "if a {};",
        "if a {}; (match b {})(c)",
        "if a {}; (if b {}) = c;",
        "if a {} if b {}",
        "if a {} b.c(d)",
        "{}; {}; {}",
        "for x in xs {} (a, b)",
        "while a {} -b; loop {} [b];",
        "a = b; a[0].c = d; return; return a; break; continue; assert a : \"b\"; assert a;",
        "let mut (a, b): (Int, Int) = c;",
    ] {
        check(expr);
    }
    check_to("match a {} if b {} {}", "match a {} if b {}; {}");
}

#[test]
fn types_and_declarations_have_one_text() {
    let text = r#"mod m

use a.b.{f, T}

use a.B as c

use external "x/y" as _

type A[T: Int] = (T, [T]{len(v) > 0}, () -> IO + Int{v | v > 0}, {}, { .. }, { x: T, .. })

type B = IO + ((A) -> B) + m.C[(A,)]

type C = (Int{a}){b}

type D = ((A) -> B){c}

rec R {
  x: Int,
}

sum S {
  A,
  B(Int, x: Int),
}

external fn e(x: Int) -> Int = "a.b"

external mod h = "x" {
  fn f() -> Int
  fn g[T](x: T) -> (Int{v > 0})
}

fn f() -> (Int{v > 0}) pre (P {}) == q post true {}

fn g() -> (Int) -> ({ x: Int }) {}

fn h() -> IO + (Int{v > 0}) {}

fn i() -> [Int{v > 0}] {}
"#;
    assert_eq!(printed(text), text);
}

#[test]
fn comments_stay_at_their_nodes() {
    let text = "// top\n// second\nuse a // after\n\n/* doc */\nfn f(\n  a: Int, // first\n  /* b */ b: Int,\n) -> Int {\n  // before\n  let x = a; // tail\n  x + /* mid */ b // value\n  // last\n}\n// end\n";
    insta::assert_snapshot!(printed(text), @r"
    // top
    // second
    use a // after

    /* doc */
    fn f(a: Int, // first
    /* b */ b: Int) -> Int {
      // before
      let x = a; // tail
      x + /* mid */ b // value
      // last
    }
    // end
    ");
}

// Row 54: no comment is lost or doubled, wherever it stands.
#[test]
fn every_gap_of_a_program_can_hold_a_comment() {
    let text = "use a.{b} rec R { x: Int } fn f(a: Int?) -> (Int{v | v > 0}) pre a { if a { } else { \
                `t${ a }${b}` } ; match a { X(_) if b -> \\x -> 1, { y } -> [1, (2,)], } }";
    let (tokens, _) = clank_syntax::lex(text);
    let gaps: Vec<usize> = (0..tokens.len()).map(|it| tokens.span(it).start as usize).collect();
    let template = text.find("${").unwrap() + 2;
    for gap in gaps.into_iter().chain([text.len(), template]) {
        for comment in ["/* c */", "// c\n", "\n// c\n", "\n/* c\n */\n", "/* a *//* b */ // c\r\n"]
        {
            let text = [&text[..gap], comment, &text[gap..]].concat();
            let parsed = parse("a.clank", &text);
            assert_eq!(parsed.errors, [], "{text}");
            let attached = attach_comments(&parsed);
            let expected = comment.matches("/*").count() + comment.matches("//").count()
                - comment.matches("*//*").count();
            assert_eq!(comments_of(&attached).len(), expected, "{text}");
            let again = read(&write(&attached, &PLAIN)).unwrap();
            let again = attach_comments(&parse("a.clank", &print(&again)));
            assert_eq!(comments_of(&again), comments_of(&attached), "{text}");
        }
    }
}

// Row 46: what could not be read is printed as it was written, and its comments with it.
#[test]
fn what_could_not_be_read_is_kept() {
    let text = "// a\nfn f( // b\n\nfn g() -> Int { h(1 + // c\n) } // d\n";
    let parsed = parse("a.clank", text);
    assert!(!parsed.errors.is_empty());
    let printed = print(&attach_comments(&parsed));
    for comment in ["// a", "// b", "// c", "// d"] {
        assert_eq!(printed.matches(comment).count(), 1, "{printed}");
    }
    let again = parse("a.clank", &printed);
    assert_eq!(again.errors.len(), parsed.errors.len(), "{printed}");
}

// Row 54: real programs on the way from text to JSON and back.
#[test]
fn programs_keep_their_comments_and_meaning() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let mut n_programs = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let attached = attach_comments(&parse("a.clank", &text));
        let again = read(&write(&attached, &PLAIN)).unwrap();
        assert!(same(&attached, &again));
        let back = attach_comments(&parse("a.clank", &print(&again)));
        assert!(same(&attached, &back));
        assert_eq!(comments_of(&back), comments_of(&attached));
        let (tokens, _) = clank_syntax::lex(&text);
        let is_comment =
            |it: &TokenKind| matches!(it, TokenKind::LineComment | TokenKind::BlockComment);
        let n_comments = tokens.iter().filter(|(kind, _)| is_comment(kind)).count();
        assert_eq!(comments_of(&attached).len(), n_comments);
        n_programs += 1;
    }
    assert!(n_programs > 0);
}

#[test]
fn a_string_has_one_text() {
    assert_eq!(print_string("a\"b\\\n\u{1}'${"), "\"a\\\"b\\\\\\n\u{1}'${\"");
}
