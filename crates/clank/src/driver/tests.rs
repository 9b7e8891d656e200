//! How diagnostics are put together, and that taking over what is known changes nothing.

use std::sync::Arc;

use clank_syntax::json::{WriteOptions, read, write};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{Checked, check};
use crate::program::{NoModules, Program};
use crate::testing::{codes, program_of};

/// Everything that is known, for comparisons. Bodies are shown rather than compared: two predicates are equal wherever
/// they are written, and here the place counts.
fn shown(checked: &Checked) -> String {
    let mut text = String::new();
    for module in &checked.modules {
        text.push_str(&format!("{}\n", module.file));
        for diagnostic in &module.diagnostics {
            text.push_str(&format!("{diagnostic:?}\n"));
        }
        for (decl, body) in &module.bodies {
            let proofs = &body.proofs.all;
            text.push_str(&format!("{decl:?} {:?} {:?} {proofs:?}\n", body.view(), body.uses));
        }
    }
    text
}

/// Checks `after` with what is known about `before`; says how many declarations were looked at again.
#[track_caller]
fn recheck(before: &str, after: &str) -> usize {
    let before = check(&program_of(before), None);
    let program = program_of(after);
    let again = check(&program, Some(&before));
    let fresh = check(&program, None);
    assert_eq!(shown(&again), shown(&fresh), "in\n{after}");
    assert_eq!(shown(&check(&program, Some(&again))), shown(&fresh), "again, in\n{after}");
    again.n_looked_at
}

const PROGRAM: &str = "\
type Small = Int{n < 10}
rec Point { x: Int, y: Small }
sum Shape { Dot(Point), Circle(center: Point, radius: Int{radius > 0}) }
fn area(s: Shape) -> Int { match s { Dot(_) -> 0, Circle(_, r) -> r * r } }
fn double(n: Int) -> Int { n + n }
fn twice(n: Int) -> Int { double(double(n)) }
fn clamp(n: Small) -> Int { n }
fn main() -> IO + Unit { println(to_string(twice(area(Dot(Point(1, 2)))))) }
";

#[test]
fn nothing_is_looked_at_again_if_nothing_changed() {
    assert_eq!(recheck(PROGRAM, PROGRAM), 0);
    assert_eq!(recheck(PROGRAM, &format!("// a comment\n\n{PROGRAM}")), 0);
    let (first, rest) = PROGRAM.split_once("fn double").expect("it is there");
    let (double, rest) = rest.split_once('\n').expect("it is a line");
    assert_eq!(recheck(PROGRAM, &format!("fn double{double}\n{first}{rest}")), 0);
}

/// What was taken over and moved can be taken over and moved again: `clamp` knows where a predicate is written.
#[test]
fn what_moved_moves_again() {
    let second = format!("fn zero() -> Int {{ 0 }}\n{PROGRAM}");
    let third = format!("fn one() -> Int {{ 1 }}\n{second}");
    let mut known = check(&program_of(PROGRAM), None);
    for (text, n_new) in [(&second, 1), (&third, 1), (&third, 0)] {
        let program = program_of(text);
        known = check(&program, Some(&known));
        assert_eq!(known.n_looked_at, n_new, "{text}");
        assert_eq!(shown(&known), shown(&check(&program, None)), "{text}");
    }
}

#[test]
fn what_changed_and_what_depends_on_it_is_looked_at_again() {
    let edit = |from: &str, to: &str| {
        assert!(PROGRAM.contains(from), "{from}");
        recheck(PROGRAM, &PROGRAM.replacen(from, to, 1))
    };
    assert_eq!(edit("{ n + n }", "{ 2 * n }"), 1, "a body");
    assert_eq!(edit("fn double(n: Int)", "fn double(k: Int)"), 2, "a signature, and its caller");
    assert_eq!(edit("rec Point { x: Int", "rec Point { x: Nat"), 4, "Point, Shape, area, main");
    assert_eq!(recheck(PROGRAM, &PROGRAM.replace("fn clamp(n: Small) -> Int { n }\n", "")), 0);
    assert_eq!(recheck(PROGRAM, &format!("{PROGRAM}fn more() -> Int {{ 1 }}\n")), 1);
}

#[test]
fn changes_reach_other_modules() {
    let program = |body: &str, result: &str| {
        format!(
            "//- lib.clank\nrec T {{ x: {result} }}\nfn f() -> {result} {{ {body} }}\nfn g() -> Int {{ 1 }}\n\
             //- main.clank\nuse lib\nuse lib.{{g, T}}\nfn a() -> Int {{ lib.f() }}\nfn b() -> Int {{ g() }}\n\
             fn c(t: T) -> Int {{ t.x }}\n"
        )
    };
    assert_eq!(recheck(&program("1", "Int"), &program("2", "Int")), 1);
    assert_eq!(recheck(&program("1", "Int"), &program("1", "Nat")), 4, "T, f, a, c");
}

/// Row 17.
#[test]
fn diagnostics_are_said_once_and_in_order() {
    let found = codes("fn f(b: Foo, a: Foo) -> Bar { _ }\nsum A { X, X }\ntype B = B\n");
    assert_eq!(found, ["E1005@1:9", "E1005@1:17", "E1005@1:25", "E1002@2:12", "E2008@3:1"]);
}

#[test]
fn what_cannot_be_read_is_said_at_the_innermost_node() {
    let checked = crate::testing::check_text("fn f() -> Int { 1 + }\nfn g() -> Int { 2 }\n");
    let module = &checked.modules[0];
    assert!(!module.is_readable && checked.has_errors());
    let [only] = module.diagnostics.as_slice() else { panic!("{:?}", module.diagnostics) };
    assert_eq!(only.code, crate::code::Code::E0005);
    assert_eq!(only.structured.kind, "syntax_error");
    let node = module.ast.span(only.node);
    assert!(node.holds(only.span.expect("a place of its own")) && node.len() < 20, "{node:?}");
}

#[test]
fn two_mistakes_in_one_call_are_two() {
    assert_eq!(codes("fn f() -> Int { max(1 + , 2 + ) }\n"), ["E0005@1:25", "E0005@1:31"]);
}

/// Row 17: one diagnostic for every code and node. Both are in one error node, so the second is at the one around it.
#[test]
fn two_mistakes_in_one_error_node_have_two_nodes() {
    let checked = crate::testing::check_text("fn f() Int");
    let module = &checked.modules[0];
    let [first, second] = module.diagnostics.as_slice() else { panic!("{:?}", module.diagnostics) };
    assert_eq!((first.code.name(), second.code.name()), ("E0001", "E0001"));
    assert_ne!(first.node, second.node);
    for it in [first, second] {
        assert!(module.ast.span(it.node).holds(it.span.expect("a place of its own")), "{it:?}");
    }
}

#[test]
fn many_mistakes_take_linear_time() {
    let text = "fn f() -> Int { let x = ; 1 }\n".repeat(2_000);
    assert!(codes(&text).len() >= 2_000);
}

/// Trees from AST JSON have nodes without text; their order is that of the nodes.
#[test]
fn programs_from_ast_json_are_checked_and_taken_over_too() {
    let load = |text: &str| {
        let tree = clank_syntax::parse("main.clank", text).ast;
        let options = WriteOptions { ids: true, spans: false, pretty: false };
        let ast = read(&write(&tree, &options)).expect("what was written can be read");
        Program::load("main.clank".into(), Arc::new(ast), Vec::new(), &NoModules)
    };
    let before = check(&load(PROGRAM), None);
    assert_eq!(before.modules[0].diagnostics, []);
    assert_eq!(check(&load(PROGRAM), Some(&before)).n_looked_at, 0);
    let changed = load(&PROGRAM.replacen("{ n + n }", "{ n + m }", 1));
    let again = check(&changed, Some(&before));
    assert_eq!(shown(&again), shown(&check(&changed, None)));
    assert_eq!(again.n_looked_at, 1);
    let found: Vec<_> = again.modules[0].diagnostics.iter().map(|it| it.code.name()).collect();
    assert_eq!(found, ["E1001"]);
}

/// Declarations that depend on one another, in several versions, right and wrong ones.
const POOL: &[&[&str]] = &[
    &[
        "type Small = Int{n < 10}",
        "type Small = Int{n < 11}",
        "type Small = Int",
        "type Small = Smal",
    ],
    &["rec Point { x: Int, y: Small }", "rec Point { x: Nat, y: Small }", "rec Point { x: Int }"],
    &[
        "sum Shape { Dot(Point), Line(Point, Point) }",
        "sum Shape { Dot(Point) }",
        "sum Shape { Dott }",
    ],
    &["type Shapes = [Shape]", "type Shapes = Shapes", "type Shapes = [Shape]{len(s) > 0}"],
    &[
        "fn area(s: Shape) -> Int { match s { Dot(p) -> p.x, Line(_, _) -> 0 } }",
        "fn area(s: Shape) -> Nat { match s { Dot(_) -> 0, _ -> 1 } }",
        "fn area(s: Shape, k: Int) -> Int { match s { Dot(p) -> p.y } }",
    ],
    &[
        "fn total(all: Shapes) -> Int { fold(all, 0, \\(n, s) -> n + area(s)) }",
        "fn total(all: Shapes) -> IO + Int { println(\"x\"); area(all[0]) }",
    ],
    &["fn small(n: Small) -> Small { n }", "fn small(n: Small) -> Small { n + 1 }"],
    &["fn use_small() -> Int { small(3) }", "fn use_small() -> Int { small(ara(Dot(1))) }"],
    &["fn guarded(n: Int) -> Int pre n > 0 { n }", "fn guarded(n: Int) -> Int pre n > 1 { n }"],
    &[
        "fn call_guarded(k: Int) -> Int { guarded(k) }",
        "fn call_guarded(k: Int) -> Int { guarded(_) }",
    ],
    &["fn id[T](x: T) -> T { x }", "fn id[T](x: T) -> [T] { [x] }"],
    &["fn use_id() -> Int { let y = id(1); y }"],
    &["fn len(n: Int) -> Int { n }"],
    &[
        "fn use_len(xs: [Int]) -> Int { len(xs) }",
        "fn use_len(xs: [Int]) -> Int { xs[len(xs) - 1] }",
    ],
    &["external fn now() -> IO + Int = \"Date.now\"", "external fn now() -> Int = \"Date.now\""],
    &["fn ask() -> Int { now() }", "fn ask() -> IO + Int { let now2 = now(); nov() }"],
    &[
        "external mod host = \"host\" { fn f(x: Small) -> Int }",
        "external mod host = \"host\" { fn g(x: Int) -> Int }",
    ],
    &["fn call_host() -> Int { host.f(1) }"],
    &["fn own(l: Linear[Small]) -> Int { consume(l) }", "fn own(l: Linear[Int]) -> Int { 1 }"],
    &["fn broken( -> Int { 1 }", "fn unclosed() -> Int { (1 }"],
];

const PROGRAMS: &[&str] = &[
    include_str!("../../../clank-syntax/tests/programs/bank.clank"),
    include_str!("../../../clank-syntax/tests/programs/evaluator.clank"),
    include_str!("../../../clank-syntax/tests/programs/heap.clank"),
    include_str!("../../../clank-syntax/tests/programs/tokenizer.clank"),
];

fn program() -> impl Strategy<Value = String> {
    let choice = (0..4_usize, 0..6_usize, 0..8_u8);
    proptest::collection::vec(choice, POOL.len()).prop_map(|choices| {
        let mut declarations = Vec::new();
        for (versions, (version, blanks, place)) in POOL.iter().zip(choices) {
            // Broken declarations are rare, because nothing is taken over beside them.
            let is_broken = versions[0].starts_with("fn broken");
            if place == 0 || (is_broken && place < 7) {
                continue;
            }
            let version = if version < 3 { 0 } else { blanks };
            let text = versions[version % versions.len()];
            let gap = "\n".repeat(blanks);
            match place {
                1 => declarations.insert(0, format!("{text}\n{gap}")),
                2 => declarations.push(format!("// {version}\n{text}\n{gap}")),
                _ => declarations.push(format!("{text}\n")),
            }
        }
        declarations.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4),
        ..ProptestConfig::default()
    })]
    /// Whatever is known, the result is that of knowing nothing.
    #[test]
    fn what_is_known_does_not_show(before in program(), after in program()) {
        recheck(&before, &after);
    }

    #[test]
    fn what_is_known_does_not_show_after_a_change_anywhere(
        program in 0..PROGRAMS.len(), start in 0.0..1.0, n_bytes in 0..12_usize,
        insert in "[ a-c0-2(){}+,.;:=|>-]{0,3}",
    ) {
        let text = PROGRAMS[program];
        let start = text.floor_char_boundary((text.len() as f64 * start) as usize);
        let end = text.floor_char_boundary((start + n_bytes).min(text.len()));
        let changed = format!("{}{insert}{}", &text[..start], &text[end.max(start)..]);
        recheck(text, &changed);
        recheck(&changed, text);
    }

    #[test]
    fn what_is_known_of_other_modules_does_not_show(
        one in program(), two in program(), other in program(), changed in program(),
    ) {
        let fixture = |lib: &str, main: &str| {
            format!("//- lib.clank\n{lib}//- main.clank\nuse lib\nuse lib.{{Shape, id}}\n{main}\
                     fn qualified(p: lib.Point) -> Int {{ lib.small(p.x) }}\n")
        };
        recheck(&fixture(&one, &two), &fixture(&other, &two));
        recheck(&fixture(&one, &two), &fixture(&other, &changed));
    }
}
