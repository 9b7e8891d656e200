//! Verdicts together and alone, and what trying a thousand candidates takes.

use std::fmt::Write as _;
use std::sync::OnceLock;

use super::*;
use crate::driver::check;
use crate::repair::propose::Scene;
use crate::repair::{Repairs, candidates, repairs, targets};
use crate::testing::{program, program_of};

fn all_repairs(program: &Program, budget: &Budget) -> Repairs {
    let checked = check(program, None);
    repairs(program, &checked, program.modules().len() - 1, budget)
}

/// Many functions that are wrong in different ways, some of which use one another.
const MIXED: &str = r#"
rec Point { x: Int, y: Int }
sum Shape { Dot, Line(Point, Point), Text(Str) }
fn a(n: Int) -> Int { let unused = 1; nn + 1 }
fn b(n: Int) -> Unit { println(to_string(n)) }
fn c(n: Int) -> Unit { b(n); println("c") }
fn d(p: Point) -> Int { p.xx + p.y }
fn e(s: Shape) -> Int { match s { Dot -> 0, Line(p, q) -> p.x } }
fn f(xs: [Int]) -> Int { let total = 0; for x in xs { total = total + x; } total }
fn g(n: Int) -> Str { n }
fn h(n: Int, m: Int) -> Int { h(n) }
fn i(t: Linear[Int]) -> Int { return 1; }
fn j(n: Int) -> Int { ?hole }
fn k(n: Int) -> Float { 1 + 2.0 }
fn l(r: Result[Int, Str]) -> Int { r? }
fn m(r: Result[Int, Str]) -> Int { l(r) + a(1) }
fn o(n: Itn) -> Int { n }
fn main() -> IO + Unit { b(1); println(to_string(m(Ok(1)))) }
"#;

/// Trying candidates together says the same as trying each alone, in a program that is checked from the start.
#[test]
fn candidates_that_are_tried_together_get_the_verdicts_that_they_get_alone() {
    let two_files = format!(
        "//- lib.clank\nfn helper() -> Unit {{ println(\"x\") }}\n//- main.clank\nuse lib.{{helper}}\nuse lib\n{MIXED}\nfn z() -> Unit {{ helper() }}\n"
    );
    for program in [program(MIXED), program_of(&two_files)] {
        let checked = check(&program, None);
        for module in 0..checked.modules.len() {
            let in_module = &checked.modules[module];
            let parents = in_module.ast.parents();
            let (users, names) = (OnceLock::new(), OnceLock::new());
            let scene = Scene {
                checked: &checked,
                module: in_module,
                parents: &parents,
                users: &users,
                names: &names,
            };
            let budget = Budget::default();
            let all = candidates(scene, &targets(in_module), &budget);
            let together = verify(&program, &checked, module, &all, &budget);
            let is_small = together.n_checks * 3 < all.len() || all.len() < 10;
            assert!(is_small, "{} checks for {} candidates", together.n_checks, all.len());
            for (index, candidate) in all.iter().enumerate() {
                let mut alone = Trials {
                    program: &program,
                    checked: &checked,
                    module,
                    before: Before::new(&checked),
                    nodes_left: usize::MAX,
                    n_checks: 0,
                    blocked: Vec::new(),
                    verdicts: vec![Verdict::Untried; all.len()],
                    footprints: vec![Footprint::Everything; all.len()],
                    candidates: &all,
                    users: Users::new(&checked),
                };
                assert!(alone.try_batch(&[index]));
                let (found, expected) = (&together.verdicts[index], &alone.verdicts[index]);
                // What an addition of effects does for others is not told apart when several are tried.
                let same = match (found, expected) {
                    (Verdict::Kept { resolves: a, .. }, Verdict::Kept { resolves: b, .. }) => {
                        a.iter().all(|it| b.contains(it))
                    }
                    _ => found == expected,
                };
                assert!(same, "{}: {found:?}, alone {expected:?}", candidate.title);
            }
        }
    }
}

/// The number of checks does not grow with the number of functions (RS-63).
#[test]
fn a_thousand_mistakes_take_a_few_checks() {
    let mut text = String::new();
    for index in 0..1_000 {
        let _ = match index % 4 {
            0 => writeln!(text, "fn f{index}(price: Int) -> Int {{ prcie + {index} }}"),
            1 => writeln!(text, "fn f{index}() -> Int {{ let total = 1; total = 2; total }}"),
            2 => writeln!(text, "fn f{index}() -> Unit {{ println(\"a\") }}"),
            _ => writeln!(text, "fn f{index}(n: Int) -> Str {{ n + {index} }}"),
        };
    }
    let offered = all_repairs(&program(&text), &Budget::default());
    assert!(offered.list.iter().all(|it| it.is_verified));
    assert!(offered.list.len() >= 1_000, "{}", offered.list.len());
    assert!(offered.n_checks <= 12, "{} checks", offered.n_checks);
    assert_eq!(offered.without, []);
}

/// What the budget does not reach is offered, but nobody is told that it works.
#[test]
fn what_was_not_tried_is_not_called_verified_and_is_at_most_medium() {
    let text: String =
        (0..20).map(|it| format!("fn f{it}(price: Int) -> Int {{ prcie }}\n")).collect();
    let small = Budget { candidates: 5, ..Budget::default() };
    let offered = all_repairs(&program(&text), &small);
    let verified = offered.list.iter().filter(|it| it.is_verified).count();
    assert_eq!(verified, 5);
    let untried = offered.list.iter().filter(|it| !it.is_verified);
    assert!(untried.clone().count() >= 15);
    assert!(untried.into_iter().all(|it| it.confidence != check::Confidence::High));
    let none = Budget { nodes: 0, ..Budget::default() };
    let offered = all_repairs(&program(&text), &none);
    assert_eq!(offered.n_checks, 0);
    assert!(!offered.list.is_empty() && offered.list.iter().all(|it| !it.is_verified));
}
