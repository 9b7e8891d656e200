//! `clank-repair`: what it costs to offer repairs that were tried, beside a check alone, and how that grows.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clank_repair::{Budget, ModuleRepairs, repairs};

use super::stages::load;
use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::table::{Table, count, ratio, time};

/// Writes a program with so many mistakes.
type Write = fn(usize) -> String;

/// Runs and prints `clank-repair`.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let shapes: [(&str, Write); 4] = [
        ("a typo in each function", typos),
        ("mistakes of six kinds", mixed),
        ("an unguarded index in each function", indices),
        ("all typos in one function", one_function),
    ];
    let mut table = Table::new(&[
        "program",
        "mistakes",
        "check",
        "repairs",
        "offered",
        "tried",
        "checks again",
        "repairs/check",
        "growth of 2x",
    ]);
    for (name, write) in shapes {
        let n = scale.pick(1_000, 20);
        let mut before: Option<Duration> = None;
        for n in [n / 2, n] {
            let (checked, mended, n_mistakes, offered) = measured(&write(n))?;
            let n_tried = offered.list.iter().filter(|it| it.is_verified).count();
            table.row(vec![
                name.to_owned(),
                count(n_mistakes),
                time(checked),
                time(mended),
                count(offered.list.len()),
                count(n_tried),
                count(offered.n_checks),
                ratio(mended, checked),
                before.map_or_else(String::new, |it| ratio(mended, it)),
            ]);
            before = Some(mended);
        }
    }
    table.print("A check, and the repairs after it, each tried by checking again:");
    Ok(())
}

fn measured(text: &str) -> Result<(Duration, Duration, usize, ModuleRepairs)> {
    let program = load(&[("wrong.clank".to_owned(), text.to_owned())]);
    let (check_time, checked) =
        best_of(Clock::Processor, 3, || (), |()| clank::check(&program, None));
    let module = checked.modules.first().context("there is one module")?;
    let n_open = module.goals().filter(|it| !it.2.is_discharged()).count();
    let n_mistakes = module.diagnostics.len().max(n_open);
    ensure!(n_mistakes > 0, "a generated program has no mistakes");
    let (repair_time, offered) = best_of(
        Clock::Processor,
        2,
        || (),
        |()| repairs(&program, &checked, 0, &Budget::default()),
    );
    ensure!(!offered.list.is_empty(), "nothing is offered");
    Ok((check_time, repair_time, n_mistakes, offered))
}

fn typos(n: usize) -> String {
    let mut text = String::new();
    for it in 0..n {
        let _ =
            writeln!(text, "fn f{it}(width: Int, height: Int) -> Int {{ width * heihgt + {it} }}");
    }
    text
}

fn mixed(n: usize) -> String {
    let mut text =
        "rec Point { across: Int, down: Int }\nsum Sign { Plus, Minus, Zero }\n".to_owned();
    for it in 0..n {
        let _ = match it % 6 {
            0 => writeln!(text, "fn f{it}(p: Point) -> Int {{ p.acros + {it} }}"),
            1 => writeln!(
                text,
                "fn f{it}(sign: Sign) -> Int {{ match sign {{ Plus -> 1, Zero -> 0 }} }}"
            ),
            2 => writeln!(text, "fn f{it}(n: Int) -> Int {{ let m = n; m = m + 1; m }}"),
            3 => writeln!(text, "fn f{it}(n: Int) -> Unit {{ println(to_string(n)) }}"),
            4 => writeln!(text, "fn f{it}(n: Int) -> Str {{ n + {it} }}"),
            _ => writeln!(text, "fn f{it}(n: Itn) -> Int {{ max(n, {it}, 1) }}"),
        };
    }
    text
}

fn indices(n: usize) -> String {
    let mut text = String::new();
    for it in 0..n {
        let _ = writeln!(text, "fn f{it}(xs: [Int], at: Int) -> Int {{ xs[at] + {it} }}");
    }
    text
}

fn one_function(n: usize) -> String {
    let mut text = "fn f(width: Int) -> Int {\n".to_owned();
    for it in 0..n {
        let _ = writeln!(text, "  let x{it} = widht{it} + width");
    }
    text.push_str("  width\n}\nfn g(width0: Int) -> Int { widht0 }\n");
    text
}
