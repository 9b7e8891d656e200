//! The canonical tree: what it desugars, and that doing it again changes nothing (row 3).
#![expect(
    clippy::disallowed_methods,
    reason = "the laws are tried on the programs of the other suites"
)]

use std::path::Path;
use std::sync::Arc;

use clank::Program;
use clank::canon::canonicalize;
use clank::program::NoModules;
use clank_syntax::ast::{Ast, Name};

fn canonical(program: &str) -> (Arc<Ast>, Ast, Ast) {
    let parsed = clank_syntax::parse("main.clank", program);
    let main = Name::new("main.clank");
    let program = Program::load(main, Arc::new(parsed.ast), parsed.errors, &NoModules);
    let checked = clank::check(&program, None);
    let module = &checked.modules[0];
    let once = canonicalize(&module.ast, &module.env);
    let twice = canonicalize(&once, &module.env);
    (module.ast.clone(), once, twice)
}

/// Checks the canonical form of a program, given as a program without sugar.
#[track_caller]
fn check(sugared: &str, plain: &str) {
    let (_, once, _) = canonical(sugared);
    let expected = clank_syntax::parse("main.clank", plain);
    assert!(expected.errors.is_empty(), "{:?}", expected.errors);
    assert!(clank_syntax::same(&once, &expected.ast), "{once:#?}");
}

#[test]
fn sugar_is_taken_away() {
    check("fn f(x: Int) -> Int { x |> g |> h(1) }", "fn f(x: Int) -> Int { h(1)(g(x)) }");
    check(
        "fn f(b: Bool) -> Unit { if b { } }",
        "fn f(b: Bool) -> Unit { if b { () } else { () } }",
    );
    check("fn f() -> Unit { return }", "fn f() -> Unit { return () }");
    check(
        "fn f(n: Int{n |> ok}) -> Int pre n |> ok post result |> ok { n }",
        "fn f(n: Int{ok(n)}) -> Int pre ok(n) post ok(result) { n }",
    );
    check("type T = Int{v | v |> ok}", "type T = Int{v | ok(v)}");
}

#[test]
fn record_literals_become_constructors_where_the_order_of_evaluation_stays_row_41() {
    let rec = "rec P { x: Int, y: Int }\n";
    let both = |a: &str, b: &str| check(&format!("{rec}{a}"), &format!("{rec}{b}"));
    both("fn f() -> P { P { x: g(), y: g() } }", "fn f() -> P { P(g(), g()) }");
    both("fn f(a: Int) -> P { P { y: 1, x: a } }", "fn f(a: Int) -> P { P(a, 1) }");
    both("fn f() -> P { P { y: g(), x: g() } }", "fn f() -> P { P { y: g(), x: g() } }");
    both("fn f() -> P { P { y: 1 } }", "fn f() -> P { P { y: 1 } }");
}

#[test]
fn surviving_nodes_keep_their_ids_and_new_ones_get_their_own_row_2() {
    let (old, new, _) = canonical("fn f(b: Bool) -> Int { if b { println(\"x\") }; 1 |> g }");
    let mut seen = std::collections::BTreeSet::new();
    for index in 0..new.nodes().len() {
        let node = clank_syntax::ast::NodeId(index as u32);
        assert!(seen.insert(new.ids().id(node)), "an id occurs twice");
    }
    let kept = (0..old.nodes().len() as u32).map(clank_syntax::ast::NodeId);
    for node in kept {
        assert!(seen.contains(&old.ids().id(node)), "{:?} has lost its id", old.node(node));
    }
}

#[test]
fn canonicalising_again_changes_nothing_row_3() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
    let mut n_programs = 0;
    for suite in ["clank-emit/tests/run", "clank/tests/typing"] {
        let files = std::fs::read_dir(crates.join(suite)).expect("the folder exists");
        for file in files {
            let path = file.expect("the folder can be read").path();
            let text = std::fs::read_to_string(path).expect("the file can be read");
            for part in text.split("```clank\n").skip(1) {
                let program = part.split("```\n").next().expect("a program has an end");
                let (_, once, twice) = canonical(program);
                assert_eq!(once.nodes().len(), twice.nodes().len(), "{program}");
                assert!(clank_syntax::same(&once, &twice), "{program}");
                for index in 0..once.nodes().len() as u32 {
                    let node = clank_syntax::ast::NodeId(index);
                    assert_eq!(once.ids().id(node), twice.ids().id(node), "{program}");
                }
                n_programs += 1;
            }
        }
    }
    assert!(n_programs > 60);
}
