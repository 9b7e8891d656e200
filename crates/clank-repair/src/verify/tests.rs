//! Verdicts together and alone, and what trying a thousand candidates takes.

use std::fmt::Write as _;
use std::sync::OnceLock;

use clank::check;
use clank::testing::{program, program_of};

use super::*;
use crate::propose::RepairContext;
use crate::search::{candidates, targets};
use crate::{ModuleRepairs, repairs};

fn all_repairs(program: &Program, budget: &Budget) -> ModuleRepairs {
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

/// The verdict about one candidate that is tried alone.
fn alone(
    program: &Program,
    checked: &Checked,
    module: usize,
    all: &[Candidate],
    index: usize,
) -> CandidateVerdict {
    let mut trials = Trials {
        program,
        checked,
        module,
        before: FindingSet::new(checked),
        nodes_left: usize::MAX,
        questions: 0,
        work: FxHashMap::default(),
        n_checks: 0,
        blocked: Vec::new(),
        verdicts: vec![CandidateVerdict::Untried; all.len()],
        footprints: vec![Footprint::Everything; all.len()],
        items: BlockItems::new(&checked.modules[module].ast),
        linear: LinearTypes::new(&checked.modules[module].env),
        regions: vec![None; all.len()],
        candidates: all,
        users: Users::new(checked),
    };
    assert!(trials.try_batch(&[index]));
    trials.verdicts[index].clone()
}

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
            let scene = RepairContext {
                program: &program,
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
                let alone = alone(&program, &checked, module, &all, index);
                let (found, expected) = (&together.verdicts[index], &alone);
                // What an addition of effects does for others is not told apart when several are tried.
                let same = match (found, expected) {
                    (
                        CandidateVerdict::Kept { resolves: a, .. },
                        CandidateVerdict::Kept { resolves: b, .. },
                    ) => a.iter().all(|it| b.contains(it)),
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

/// One statement that may be wrong in some way; `#` is its number, `@` a name that was bound before or a parameter.
const STATEMENTS: [&str; 30] = [
    "let v# = widht + #",
    "let v# = @ + cuont",
    "let v# = @ + 1",
    "let v#: Int = @",
    "let v# = max(@, cuont)",
    "let v# = max(width, @, 1)",
    "let v# = nmae ++ \"x\"",
    "let v# = abs(@ + widht)",
    "let v# = point.acros + point.down",
    "let v# = Point { across: @, donw: count }",
    "let v# = @.across",
    "let v# = lenn(items) + @",
    "let v# = map(itmes, \\x -> x + @)",
    "let v# = map(@, \\x -> x.across)",
    "let v# = map(items, \\x -> { let y = x + widht; y + cuont })",
    "let v# = \\x -> x + widht",
    "let v# = if width > 0 { cuont } else { widht }",
    "let v# = if @ > 0 { cuont } else { count }",
    "if widht > 0 { let w# = cuont + @; println(to_string(w#)) }",
    "for i in 0..cuont { println(to_string(i + @)) }",
    "let mut v# = []",
    "let mut v# = widht",
    "v% = push(v%, cuont)",
    "v% = cuont",
    "let v# = match @ { 0 -> widht, _ -> cuont }",
    "println(@, @)",
    "if @ > 1 { return cuont }",
    "let v# = first(itmes, @)",
    "let v# = None",
    "let v# = items[0] / @",
];

/// A function with many mistakes. `choices` say which statements it has, and which names they use.
fn one_function(choices: &[(usize, usize)], has_goals: bool) -> String {
    let mut text = "rec Point { across: Int, down: Int }\n\
        fn first[T](xs: [T], other: T) -> T { for x in xs { return x } other }\n\
        fn f(width: Int, count: Int, name: Str, items: [Int], point: Point) -> IO + Int {\n"
        .to_owned();
    let params = ["width", "count", "name", "items", "point"];
    let n_kinds = STATEMENTS.len() - usize::from(!has_goals);
    for (number, (kind, used)) in choices.iter().enumerate() {
        let name = |seed: usize| match seed % (number + params.len()) {
            it if it < number => format!("v{it}"),
            it => params[it - number].to_owned(),
        };
        let mut statement = STATEMENTS[kind % n_kinds].replace('#', &number.to_string());
        statement = statement.replace('%', &(used % (number + 1)).to_string());
        for place in 0..2 {
            statement = statement.replacen('@', &name(used / (place + 1)), 1);
        }
        let _ = writeln!(text, "  {statement}");
    }
    text.push_str("  cuont\n}\n");
    text
}

/// What is verified with others in one function is verified alone, and does at least what was said (RS-12).
#[test]
fn what_is_verified_together_in_one_function_is_verified_alone() {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};

    let config = ProptestConfig {
        cases: 24,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let choices = (prop::collection::vec((0_usize..1_000, 0_usize..1_000), 2..24), 0_usize..8);
    let result = TestRunner::new(config).run(&choices, |(choices, goals)| {
        let text = one_function(&choices, goals == 0);
        let program = program(&text);
        let checked = check(&program, None);
        let (all, together) = tried(&program, &checked);
        for (index, candidate) in all.iter().enumerate() {
            let CandidateVerdict::Kept { resolves, costs_obligations, .. } =
                &together.verdicts[index]
            else {
                continue;
            };
            let found = alone(&program, &checked, 0, &all, index);
            let CandidateVerdict::Kept { resolves: expected, costs_obligations: costs, .. } =
                &found
            else {
                prop_assert!(false, "{}: alone {found:?} in\n{text}", candidate.title);
                continue;
            };
            prop_assert_eq!(costs_obligations, costs, "{} in\n{}", candidate.title, &text);
            let is_less = resolves.iter().all(|it| expected.contains(it));
            prop_assert!(is_less, "{}: more than alone in\n{text}", candidate.title);
        }
        Ok(())
    });
    result.expect("no verdict differs");
}

fn tried(program: &Program, checked: &Checked) -> (Vec<Candidate>, Tried) {
    let in_module = &checked.modules[0];
    let parents = in_module.ast.parents();
    let (users, names) = (OnceLock::new(), OnceLock::new());
    let scene = RepairContext {
        program,
        checked,
        module: in_module,
        parents: &parents,
        users: &users,
        names: &names,
    };
    let budget = Budget::default();
    let all = candidates(scene, &targets(in_module), &budget);
    let together = verify(program, checked, 0, &all, &budget);
    (all, together)
}

/// Hundreds of mistakes in one function take a few checks, and all of them are tried (RS-63).
#[test]
fn hundreds_of_mistakes_in_one_function_take_a_few_checks() {
    // Values that must be used once are no matter to functions that have none.
    let mut text = "rec Ticket { number: Linear[Int] }\n\
        rec Journey { ticket: Ticket }\n\
        fn f(width: Int, height: Int) -> Int {\n"
        .to_owned();
    for index in 0..150 {
        let _ = writeln!(text, "  let number{index} = height * {index} + width");
        let _ = writeln!(text, "  let next{index} = number{index} + {index}");
    }
    for index in 0..150 {
        let _ = writeln!(text, "  let x{index} = nubmer{index} + {index}");
    }
    text.push_str("  width\n}\n");
    let offered = all_repairs(&program(&text), &Budget::default());
    assert!(offered.list.iter().all(|it| it.is_verified));
    assert!(offered.list.len() >= 300, "{}", offered.list.len());
    assert!(offered.n_checks <= 40, "{} checks", offered.n_checks);
    assert_eq!(offered.without, []);
}

/// Uses of values that must be used once are counted over a whole function, so that each candidate there is tried alone.
#[test]
fn mistakes_in_a_function_with_linear_values_are_tried_one_by_one() {
    for types in ["journey: Journey", "ticket: Linear[Int]"] {
        let text = format!(
            "rec Ticket {{ number: Linear[Int] }}\nrec Journey {{ ticket: Ticket }}\n\
             fn f({types}, width: Int, height: Int) -> Int {{\n  let a = widht\n  let b = heigth\n  a + b\n}}\n"
        );
        let program = program(&text);
        let checked = check(&program, None);
        let (all, together) = tried(&program, &checked);
        let mut n_alone = 0;
        for (index, candidate) in all.iter().enumerate() {
            n_alone += usize::from(candidate.title.contains("rename"));
            let alone = alone(&program, &checked, 0, &all, index);
            assert_eq!(together.verdicts[index], alone, "{}", candidate.title);
        }
        assert!(together.n_checks >= n_alone && n_alone >= 2, "{} checks", together.n_checks);
    }
}

/// What is taken over costs less than what is looked at: in a long file one function gets all its candidates tried.
#[test]
fn a_function_with_goals_gets_its_candidates_tried_in_a_long_file() {
    let mut text: String = (0..300)
        .map(|it| format!("fn f{it}(a: Int, b: Int) -> Int {{ if a > b {{ a * 2 + {it} }} else {{ b - 1 }} }}\n"))
        .collect();
    text.push_str("fn g(price: Int, count: Int, xs: [Int]) -> Int {\n  let first = if len(xs) > 0 { xs[0] } else { 0 }\n");
    for index in 0..12 {
        let _ = writeln!(text, "  let v{index} = prcie + cuont + {index}");
    }
    text.push_str("  first\n}\n");
    let program = program(&text);
    let n_nodes = check(&program, None).modules[0].ast.nodes().len();
    // Six whole trees are far less than one for each candidate.
    let budget = Budget { nodes: 6 * n_nodes, ..Budget::default() };
    let offered = all_repairs(&program, &budget);
    assert!(offered.n_checks > 12, "{} checks", offered.n_checks);
    assert!(offered.list.iter().all(|it| it.is_verified), "{} nodes", n_nodes);
}
