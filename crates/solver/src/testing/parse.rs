//! Expressions from text, for tests that are tables: `(<= (+ x 1) (f y))`.
//!
//! Names are unknowns: of booleans if they start with `p`, of other things if they start with `s`, else of integers. `#3` is a
//! constant. Any other word at the head of a list is a function: to booleans if it starts with `p`, to other things if it
//! starts with `s`, else to integers.

use super::{Expr, Op};
use crate::Sort;

/// The expression that the text says, if it says one.
pub fn parse(text: &str) -> Option<Expr> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Expr>> = vec![Vec::new()];
    let mut heads: Vec<&str> = Vec::new();
    let mut words = spaced.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "(" => {
                heads.push(words.next()?);
                open.push(Vec::new());
            }
            ")" => {
                let operands = open.pop()?;
                let list = list(heads.pop()?, operands);
                open.last_mut()?.push(list);
            }
            _ => open.last_mut()?.push(leaf(word)?),
        }
    }
    match open.as_mut_slice() {
        [whole] if whole.len() == 1 => whole.pop(),
        _ => None,
    }
}

fn leaf(word: &str) -> Option<Expr> {
    if let Some(number) = word.strip_prefix('#') {
        return Some(Expr::Constant(number.parse().ok()?));
    }
    Some(match word {
        "true" => Expr::Bool(true),
        "false" => Expr::Bool(false),
        _ => match word.parse() {
            Ok(number) => Expr::Int(number),
            Err(_) => Expr::Atom(number_of(word), sort_of(word)),
        },
    })
}

fn list(head: &str, operands: Vec<Expr>) -> Expr {
    let op = match head {
        "+" => Op::Add,
        "-" if operands.len() == 1 => Op::Neg,
        "-" => Op::Sub,
        "*" => Op::Mul,
        "/" => Op::Div,
        "%" => Op::Rem,
        "=" => Op::Eq,
        "!=" => Op::Ne,
        "<" => Op::Lt,
        "<=" => Op::Le,
        ">" => Op::Gt,
        ">=" => Op::Ge,
        "not" => Op::Not,
        "and" => Op::And,
        "or" => Op::Or,
        "=>" => Op::Implies,
        "if" => Op::Ite,
        _ => return Expr::Apply(number_of(head), operands, sort_of(head)),
    };
    Expr::Op(op, operands)
}

fn sort_of(word: &str) -> Sort {
    match word.as_bytes().first() {
        Some(b'p') => Sort::Bool,
        Some(b's') => Sort::Other,
        _ => Sort::Int,
    }
}

/// A number for the name. Names of up to five letters have different ones.
fn number_of(word: &str) -> u32 {
    word.bytes().fold(0, |number, byte| number.wrapping_mul(64).wrapping_add(u32::from(byte & 63)))
}
