//! Expressions as SMT-LIB text, and one Z3 process that answers about many of them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use solver::Sort;
use solver::testing::{Expr, Op, Question};

/// What generated questions are about. Division rounds toward zero there and down here.
const PRELUDE: &str = "
(set-option :timeout 150)
(set-logic ALL)
(declare-sort U 0)
(define-fun tdiv ((a Int) (b Int)) Int (ite (>= a 0) (div a b) (- (div (- a) b))))
(define-fun trem ((a Int) (b Int)) Int (ite (>= a 0) (mod a b) (- (mod (- a) b))))
(declare-fun f7 (U) Int)
(declare-fun f8 (Int) Int)
(declare-fun f9 (Int Int) Int)
(declare-fun f10 (Bool) Int)
(declare-fun f11 (Int) Bool)
(declare-fun f12 (U) U)
(declare-fun f13 (Int U) U)
(declare-const k0 U) (declare-const k1 U) (declare-const k2 U)
(assert (distinct k0 k1 k2))
";

/// Whether the facts can be true together with the goal's opposite, and with the goal. Nothing where Z3 does not know.
pub(crate) type Possible = (Option<bool>, Option<bool>);

/// The answers of one Z3 process to all questions.
pub(crate) fn ask_all(questions: &[Question]) -> Vec<Possible> {
    let mut text = String::from(PRELUDE);
    for number in 0..12 {
        text.push_str(&format!("(declare-const x{number} Int)\n"));
    }
    for number in 0..10 {
        text.push_str(&format!(
            "(declare-const x{} U)\n(declare-const x{} Bool)\n",
            100 + number,
            200 + number
        ));
    }
    for question in questions {
        text.push_str("(push)\n");
        for fact in &question.facts {
            text.push_str(&format!("(assert {})\n", smt(fact)));
        }
        let goal = smt(&question.goal);
        text.push_str(&format!("(push)\n(assert (not {goal}))\n(check-sat)\n(pop)\n"));
        text.push_str(&format!("(push)\n(assert {goal})\n(check-sat)\n(pop)\n(pop)\n"));
    }
    text.push_str("(exit)\n");
    let mut z3 = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 is installed where the feature `live` is used");
    let mut stdin = z3.stdin.take().expect("stdin is piped");
    let writer =
        std::thread::spawn(move || stdin.write_all(text.as_bytes()).expect("z3 reads all"));
    let answers: Vec<Option<bool>> = BufReader::new(z3.stdout.take().expect("stdout is piped"))
        .lines()
        .map(|line| match line.expect("z3 writes text").as_str() {
            "sat" => Some(true),
            "unsat" => Some(false),
            "unknown" | "timeout" => None,
            other => panic!("z3 says {other}"),
        })
        .collect();
    writer.join().expect("the writer ends");
    z3.wait().expect("z3 ends");
    assert_eq!(answers.len(), questions.len() * 2);
    answers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

fn smt(expr: &Expr) -> String {
    match expr {
        Expr::Int(value) if *value < 0 => format!("(- {})", value.unsigned_abs()),
        Expr::Int(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Constant(number) => format!("k{number}"),
        Expr::Atom(number, Sort::Int | Sort::Bool | Sort::Other) => format!("x{number}"),
        Expr::Apply(function, args, _) => list(&format!("f{function}"), args),
        Expr::Op(Op::Ne, operands) => format!("(not {})", list("=", operands)),
        Expr::Op(op, operands) => list(name(*op), operands),
    }
}

fn list(head: &str, operands: &[Expr]) -> String {
    let operands: Vec<String> = operands.iter().map(smt).collect();
    format!("({head} {})", operands.join(" "))
}

fn name(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub | Op::Neg => "-",
        Op::Mul => "*",
        Op::Div => "tdiv",
        Op::Rem => "trem",
        Op::Eq | Op::Ne => "=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Implies => "=>",
        Op::Ite => "ite",
    }
}
