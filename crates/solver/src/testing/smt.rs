//! Generated questions as SMT-LIB text. They are written from what they say, not from terms: so another solver also has a
//! say in what [`crate::Terms`] makes of them.

use std::fmt::Write as _;

use super::{Expr, Op, Question};
use crate::Sort;
use crate::smt::{DEFINITIONS, number};

/// The functions and constants of generated questions.
const FUNCTIONS: &str = "\
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

/// Whether the facts can be true together with the goal's opposite, and with the goal. Nothing where it is not known.
pub type Possible = (Option<bool>, Option<bool>);

/// All questions in one script. Each takes at most that many milliseconds, twice.
pub fn script(questions: &[Question], milliseconds: u32) -> String {
    let mut text = format!("(set-option :timeout {milliseconds})\n(set-logic ALL)\n");
    text.push_str(DEFINITIONS);
    text.push_str(FUNCTIONS);
    for number in 0..12 {
        let _ = writeln!(text, "(declare-const x{number} Int)");
    }
    for number in 0..10 {
        let _ = writeln!(text, "(declare-const x{} U)", 100 + number);
        let _ = writeln!(text, "(declare-const x{} Bool)", 200 + number);
    }
    for question in questions {
        text.push_str("(push)\n");
        for fact in &question.facts {
            let _ = writeln!(text, "(assert {})", smt(fact));
        }
        let goal = smt(&question.goal);
        let _ = writeln!(text, "(push)\n(assert (not {goal}))\n(check-sat)\n(pop)");
        let _ = writeln!(text, "(push)\n(assert {goal})\n(check-sat)\n(pop)\n(pop)");
    }
    text
}

/// What the reply to a script says about each question; the first line that is not an answer if there is one.
pub fn answers(reply: &str) -> Result<Vec<Possible>, String> {
    let answer = |line: &str| match line {
        "sat" => Ok(Some(true)),
        "unsat" => Ok(Some(false)),
        "unknown" | "timeout" => Ok(None),
        other => Err(other.to_owned()),
    };
    let answers = reply.lines().map(answer).collect::<Result<Vec<_>, String>>()?;
    Ok(answers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

fn smt(expr: &Expr) -> String {
    match expr {
        Expr::Int(value) => number(&(*value).into()),
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
