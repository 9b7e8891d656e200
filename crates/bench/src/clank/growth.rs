//! Programs that are large in one way, checked at a size and at twice that size: what a check costs must not grow faster
//! than what it is given.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

use super::stages::load;
use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::table::{Table, count, time};

/// How a program grows: its name, the size to start with, and the files of a size.
type Shape = (&'static str, usize, fn(usize) -> Vec<(String, String)>);

const SHAPES: [Shape; 19] = [
    ("a sum of n variants and its match", 2_000, |n| one(variants(n))),
    ("a record of n fields, all read", 2_000, |n| one(fields(n))),
    ("a function of n parameters, called", 900, |n| one(parameters(n))),
    ("n lets after one another", 4_000, |n| one(lets(n))),
    ("n imported modules", 250, imports),
    ("n names imported from one module", 2_000, imported_names),
    ("n blocks inside each other", 200, |n| one(blocks(n))),
    ("n functions, each calling the next", 4_000, |n| one(calls(n, false))),
    ("the same in one circle", 4_000, |n| one(calls(n, true))),
    ("n branches after one another", 2_000, |n| one(branches(n))),
    ("n loops after one another", 500, |n| one(loops(n))),
    ("n goals in one function", 500, |n| one(goals(n))),
    ("n unknown names (E1001), one function", 1_000, |n| {
        one(repeated(n, "  let a{i} = missing{i} + 1\n"))
    }),
    ("n unknown names (E1001), n functions", 1_000, |n| one(functions(n, "missing{i} + 1"))),
    ("n types that do not fit (E2001)", 2_000, |n| {
        one(repeated(n, "  let a{i}: Int = \"text\"\n"))
    }),
    ("n calls with one argument less (E2002)", 2_000, |n| one(repeated(n, "  let a{i} = g(1)\n"))),
    ("n records without a field (E2003)", 2_000, |n| {
        one(repeated(n, "  let a{i} = R { x: {i} }\n"))
    }),
    ("n unknown fields (E2004)", 2_000, |n| one(repeated(n, "  let a{i} = r.zz{i}\n"))),
    ("n matches with a case missing (E2015)", 2_000, |n| {
        one(repeated(n, "  let a{i} = match b { true -> {i} }\n"))
    }),
];

/// Checks every shape at a size and at twice that size, and prints how the time grows.
pub(super) fn run(scale: Scale) -> Result<()> {
    let mut table = Table::new(&["what", "n", "time", "2n", "time", "growth", "findings"]);
    for (name, n, write) in SHAPES {
        let n = scale.pick(n, n / 50);
        let ((once, n_found), (twice, n_found_in_twice)) =
            (checked(&write(n)), checked(&write(2 * n)));
        let is_right = n_found == 0 && n_found_in_twice == 0;
        ensure!(
            is_right || n_found_in_twice >= 2 * n_found,
            "{name}: other mistakes than it should have"
        );
        table.row(vec![
            name.to_owned(),
            count(n),
            time(once),
            count(2 * n),
            time(twice),
            format!("{:.2}x", twice.as_secs_f64() / once.as_secs_f64().max(1e-9)),
            count(n_found_in_twice),
        ]);
    }
    table.print(
        "A check of programs that are large in one way (goal: at most n log n, about 2.2x):",
    );
    Ok(())
}

fn checked(files: &[(String, String)]) -> (std::time::Duration, usize) {
    let program = load(files);
    let (elapsed, checked) = best_of(Clock::Processor, 5, || (), |()| clank::check(&program, None));
    (elapsed, checked.modules.iter().map(|it| it.diagnostics.len()).sum())
}

fn one(text: String) -> Vec<(String, String)> {
    vec![("long.clank".to_owned(), text)]
}

/// Texts for 0 to n, joined; `{i}` is the number.
fn numbered(n: usize, part: &str, between: &str) -> String {
    let parts: Vec<String> = (0..n).map(|it| part.replace("{i}", &it.to_string())).collect();
    parts.join(between)
}

fn variants(n: usize) -> String {
    let (declared, arms) =
        (numbered(n, "V{i}(value: Int)", ", "), numbered(n, "V{i}(value) -> value + {i}", ",\n"));
    format!(
        "sum Wide {{ {declared} }}\n\nfn long(a: Wide) -> Int {{\n  match a {{\n{arms}\n  }}\n}}\n"
    )
}

fn fields(n: usize) -> String {
    let (declared, given) = (numbered(n, "f{i}: Int", ", "), numbered(n, "f{i}: {i}", ", "));
    let read = numbered(n, "r.f{i}", " + ");
    format!(
        "rec R {{ {declared} }}\nfn make() -> R {{ R {{ {given} }} }}\nfn sum_of(r: R) -> Int {{ {read} }}\n"
    )
}

fn parameters(n: usize) -> String {
    let (declared, given) = (numbered(n, "p{i}: Int", ", "), numbered(n, "{i}", ", "));
    let read = numbered(n, "p{i}", " + ");
    format!("fn long({declared}) -> Int {{ {read} }}\nfn use_it() -> Int {{ long({given}) }}\n")
}

fn lets(n: usize) -> String {
    let mut text = "fn long(a: Int) -> Int {\n  let x0 = a\n".to_owned();
    for it in 1..n {
        let _ = writeln!(text, "  let x{it} = x{} + 1", it - 1);
    }
    let _ = writeln!(text, "  x{}\n}}", n - 1);
    text
}

fn imports(n: usize) -> Vec<(String, String)> {
    let module = |it: usize| (format!("m{it}.clank"), format!("fn f{it}() -> Int {{ {it} }}\n"));
    let mut files: Vec<(String, String)> = (0..n).map(module).collect();
    let (uses, calls) = (numbered(n, "use m{i}", "\n"), numbered(n, "m{i}.f{i}()", " + "));
    files.push(("main.clank".to_owned(), format!("{uses}\nfn all() -> Int {{ {calls} }}\n")));
    files
}

fn imported_names(n: usize) -> Vec<(String, String)> {
    let (names, calls) = (numbered(n, "f{i}", ", "), numbered(n, "f{i}()", " + "));
    vec![
        ("m.clank".to_owned(), numbered(n, "fn f{i}() -> Int { {i} }", "\n")),
        ("main.clank".to_owned(), format!("use m.{{{names}}}\nfn all() -> Int {{ {calls} }}\n")),
    ]
}

fn blocks(n: usize) -> String {
    let open = numbered(n, "{ let x{i} = a + {i}\n x{i} + ", "");
    format!("fn long(a: Int) -> Int {{\n{open}1{}\n}}\n", "}".repeat(n))
}

fn calls(n: usize, in_a_circle: bool) -> String {
    let mut text = String::new();
    for it in 0..n {
        let next = match (it + 1 < n, in_a_circle) {
            (true, _) => format!("f{}(a - 1)", it + 1),
            (false, true) => "f0(a - 1)".to_owned(),
            (false, false) => "a".to_owned(),
        };
        let _ = writeln!(text, "fn f{it}(a: Int) -> Int {{ if a > 0 {{ {next} }} else {{ a }} }}");
    }
    text
}

fn branches(n: usize) -> String {
    let body = numbered(n, "  if a > {i} { sum_so_far = sum_so_far + {i} }\n", "");
    format!("fn long(a: Int) -> Int {{\n  let mut sum_so_far = 0\n{body}  sum_so_far\n}}\n")
}

fn loops(n: usize) -> String {
    let body = numbered(n, "  for x in xs { sum_so_far = sum_so_far + x * {i} }\n", "");
    format!("fn long(xs: [Int]) -> Int {{\n  let mut sum_so_far = 0\n{body}  sum_so_far\n}}\n")
}

fn goals(n: usize) -> String {
    let body = numbered(n, "  let x{i} = if a > {i} { positive(a) } else { 0 }\n", "");
    let used = numbered(n, "x{i}", " + ");
    format!(
        "fn positive(n: Int{{n > 0}}) -> Int {{ n }}\nfn long(a: Int) -> Int {{\n{body}  {used}\n}}\n"
    )
}

/// A function with such a line for every number.
fn repeated(n: usize, line: &str) -> String {
    let body = numbered(n, line, "");
    format!(
        "rec R {{ x: Int, y: Int }}\nfn g(a: Int, b: Int) -> Int {{ a + b }}\n\
         fn long(r: R, b: Bool) -> Int {{\n{body}  g(r.x, if b {{ 1 }} else {{ r.y }})\n}}\n"
    )
}

fn functions(n: usize, body: &str) -> String {
    numbered(n, &format!("fn f{{i}}(a: Int) -> Int {{ a + {body} }}\n"), "")
}
