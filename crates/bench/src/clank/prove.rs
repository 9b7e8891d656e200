//! `clank-prove`: how many goals are decided in a second, beside one Z3 process that answers the same questions, and how
//! time grows with what is hard for a prover: definitions that double, deep conjunctions, many facts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clank::proof::Proof;
use solver::testing::smt::{answers, script};
use solver::testing::{Dice, KINDS, Question, question};
use solver::{Limits, Terms, Verdict, decide};

use super::stages::load;
use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::table::{Table, count, ratio, say, time};

/// How long Z3 thinks about one question, in milliseconds.
const Z3_TIMEOUT: u32 = 150;

/// Runs and prints `clank-prove`.
pub(crate) fn run(scale: Scale) -> Result<()> {
    beside_z3(scale)?;
    growth(scale)
}

/// The same questions, goal and negation both, in one run.
fn beside_z3(scale: Scale) -> Result<()> {
    let z3 = Command::new("z3").arg("-version").stdout(Stdio::null()).status();
    let has_z3 = z3.is_ok_and(|it| it.success());
    if !has_z3 {
        say("PEER MISSING: z3 was not found (Debian package z3)\n");
    }
    let mut table = Table::new(&[
        "questions about",
        "asked",
        "decided",
        "regreen",
        "goals per second",
        "z3, one process",
        "goals per second",
        "ratio",
    ]);
    let (mut all_ours, mut all_theirs, mut all_asked) = (Duration::ZERO, Duration::ZERO, 0);
    for kind in KINDS {
        let numbers = 0..scale.pick(500, 5);
        let questions: Vec<Question> =
            numbers.map(|seed| question(kind, &mut Dice::new(seed))).collect();
        let (ours, decided) = best_of(
            Clock::Wall,
            scale.pick(3, 1),
            || (),
            |()| {
                questions
                    .iter()
                    .map(|it| {
                        usize::from(is_decided(it, false)) + usize::from(is_decided(it, true))
                    })
                    .sum::<usize>()
            },
        );
        let n_asked = questions.len() * 2;
        let mut cells = vec![
            format!("{kind:?}"),
            count(n_asked),
            count(decided),
            time(ours),
            rate(n_asked, ours),
        ];
        if has_z3 {
            let start = Instant::now();
            ask_z3(&questions)?;
            let theirs = start.elapsed();
            cells.extend([time(theirs), rate(n_asked, theirs), ratio(theirs, ours)]);
            all_theirs += theirs;
        }
        all_ours += ours;
        all_asked += n_asked;
        table.row(cells);
    }
    let mut cells = vec![
        "all".to_owned(),
        count(all_asked),
        String::new(),
        time(all_ours),
        rate(all_asked, all_ours),
    ];
    if has_z3 {
        cells.extend([time(all_theirs), rate(all_asked, all_theirs), ratio(all_theirs, all_ours)]);
    }
    table.row(cells);
    table.print("Generated goals, each and its opposite, terms built included:");
    Ok(())
}

/// Has one Z3 process answer all questions.
fn ask_z3(questions: &[Question]) -> Result<()> {
    let script = script(questions, Z3_TIMEOUT);
    let mut z3 =
        Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = z3.stdin.take().context("stdin is piped")?;
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = z3.wait_with_output()?;
    writer.join().map_err(|_| anyhow!("the writer panicked"))??;
    let answers =
        answers(&String::from_utf8(output.stdout)?).map_err(|it| anyhow!("z3 says {it}"))?;
    ensure!(answers.len() == questions.len(), "z3 answered {} questions", answers.len());
    Ok(())
}

fn rate(n_asked: usize, elapsed: Duration) -> String {
    count((n_asked as f64 / elapsed.as_secs_f64().max(1e-9)) as usize)
}

fn is_decided(question: &Question, is_negated: bool) -> bool {
    let mut terms = Terms::new();
    let facts: Vec<_> = question.facts.iter().map(|it| it.build(&mut terms)).collect();
    let mut goal = question.goal.build(&mut terms);
    if is_negated {
        goal = terms.not(goal);
    }
    let verdict = decide(&mut terms, &facts, goal, &Limits::default());
    !matches!(
        verdict,
        Verdict::Unknown {
            reason: solver::UnknownReason::Budget | solver::UnknownReason::Incomplete,
            ..
        }
    )
}

/// Writes a program of some size.
type Write = fn(usize) -> String;

/// Programs that are long in one way, at a size and at twice that size.
fn growth(scale: Scale) -> Result<()> {
    let shapes: [(&str, usize, Write); 5] = [
        ("lets that double", 24, doubling),
        ("parts of a conjunction", 400, conjunction),
        ("facts", 400, many_facts),
        ("asserts after one another", 200, asserts),
        ("functions with three goals", 2_000, functions),
    ];
    let mut table =
        Table::new(&["what", "n", "goals", "proved", "time", "2n", "proved", "time", "growth"]);
    for (name, n, write) in shapes {
        let n = scale.pick(n, (n / 20).max(4));
        let (once, n_goals, n_proved) = checked(&write(n))?;
        let (twice, _, n_proved_twice) = checked(&write(2 * n))?;
        table.row(vec![
            name.to_owned(),
            count(n),
            count(n_goals),
            count(n_proved),
            time(once),
            count(2 * n),
            count(n_proved_twice),
            time(twice),
            format!("{:.2}x", twice.as_secs_f64() / once.as_secs_f64().max(1e-9)),
        ]);
    }
    table.print(
        "A check of programs that are long in one way (goal: bounded, linear where all is proved):",
    );
    Ok(())
}

fn checked(text: &str) -> Result<(Duration, usize, usize)> {
    let program = load(&[("long.clank".to_owned(), text.to_owned())]);
    let (elapsed, checked) = best_of(Clock::Processor, 3, || (), |()| clank::check(&program, None));
    ensure!(!checked.has_errors(), "a generated program has mistakes");
    let proofs: Vec<&Proof> =
        checked.modules.iter().flat_map(|it| it.goals().map(|it| it.2)).collect();
    let n_proved = proofs.iter().filter(|it| it.is_discharged()).count();
    Ok((elapsed, proofs.len(), n_proved))
}

/// Every name is twice the one before: as a tree the last one has `2^n` parts.
fn doubling(n: usize) -> String {
    let mut text = "fn f(x0: Int{x0 > 0}) -> (Int{result > 0}) {\n".to_owned();
    for number in 1..=n {
        let before = number - 1;
        let _ = writeln!(text, "  let x{number} = x{before} + x{before}");
    }
    let _ = write!(text, "  x{n}\n}}\n");
    text
}

fn conjunction(n: usize) -> String {
    let parts: Vec<String> = (0..n).map(|it| format!("x > {it}")).collect();
    let parts = parts.join(" && ");
    format!("fn f(x: Int) -> Int pre {parts} {{ x }}\nfn g(y: Int{{y > {n}}}) -> Int {{ f(y) }}\n")
}

fn many_facts(n: usize) -> String {
    let params: Vec<String> = (0..n).map(|it| format!("x{it}: Int{{x{it} > {it}}}")).collect();
    let last = n - 1;
    format!("fn f({}) -> (Int{{result > {last}}}) {{ x{last} }}\n", params.join(", "))
}

fn asserts(n: usize) -> String {
    let mut text = "fn f(x0: Int, xs: [Int]) -> Int {\n".to_owned();
    for number in 0..n {
        let _ = writeln!(text, "  assert x0 > {number} && len(xs) > {number}");
    }
    let _ = write!(text, "  xs[{}]\n}}\n", n - 1);
    text
}

fn functions(n: usize) -> String {
    let mut text = String::new();
    for number in 0..n {
        let _ = writeln!(
            text,
            "fn f{number}(xs: [Int], i: Int{{i >= 0}}, d: Int{{d > 0}}) -> Int {{\n  \
             if i + 1 < len(xs) {{ xs[i] / d + xs[i + 1] % d }} else {{ 0 }}\n}}"
        );
    }
    text
}
