//! What a question says, before anything is normalised.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;

use crate::{Sort, Term, Terms, Value};

/// An expression, as it would be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// A known value of the sort [`Sort::Other`].
    Constant(u32),
    /// An unknown.
    Atom(u32, Sort),
    /// A function of which nothing is known.
    Apply(u32, Vec<Expr>, Sort),
    /// An operator and its operands.
    Op(Op, Vec<Expr>),
}

/// The operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the functions of `Terms`")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Neg,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Not,
    And,
    Or,
    Implies,
    Ite,
}

impl Expr {
    /// The term that says the same.
    pub fn build(&self, terms: &mut Terms) -> Term {
        match self {
            Expr::Int(value) => terms.int(*value),
            Expr::Bool(value) => terms.bool(*value),
            Expr::Constant(number) => terms.constant(*number),
            Expr::Atom(number, sort) => terms.atom(*number, *sort),
            Expr::Apply(function, args, sort) => {
                let args: Vec<Term> = args.iter().map(|arg| arg.build(terms)).collect();
                terms.apply(*function, &args, *sort)
            }
            Expr::Op(op, operands) => {
                let operands: Vec<Term> =
                    operands.iter().map(|operand| operand.build(terms)).collect();
                built(terms, *op, &operands)
            }
        }
    }

    /// What the expression is under values of atoms. An application is zero, false or `Other(0)`, as if every function were
    /// constant. Nothing if something is divided by zero or has no value.
    pub fn value(&self, atoms: &BTreeMap<u32, Value>) -> Option<Value> {
        Some(match self {
            Expr::Int(value) => Value::Int((*value).into()),
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Constant(number) => Value::Other(*number),
            Expr::Atom(number, _) => atoms.get(number)?.clone(),
            Expr::Apply(_, _, Sort::Int) => Value::Int(BigInt::zero()),
            Expr::Apply(_, _, Sort::Bool) => Value::Bool(false),
            Expr::Apply(_, _, Sort::Other) => Value::Other(0),
            Expr::Op(op, operands) => {
                let values: Option<Vec<Value>> =
                    operands.iter().map(|operand| operand.value(atoms)).collect();
                computed(*op, &values?)?
            }
        })
    }
}

fn built(terms: &mut Terms, op: Op, operands: &[Term]) -> Term {
    match (op, operands) {
        (Op::Add, [first, rest @ ..]) => {
            rest.iter().fold(*first, |sum, operand| terms.add(sum, *operand))
        }
        (Op::Mul, [first, rest @ ..]) => {
            rest.iter().fold(*first, |product, operand| terms.mul(product, *operand))
        }
        (Op::Sub, [a, b]) => terms.sub(*a, *b),
        (Op::Neg, [a]) => terms.neg(*a),
        (Op::Div, [a, b]) => terms.div(*a, *b),
        (Op::Rem, [a, b]) => terms.rem(*a, *b),
        (Op::Eq, [a, b]) => terms.eq(*a, *b),
        (Op::Ne, [a, b]) => terms.ne(*a, *b),
        (Op::Lt, [a, b]) => terms.lt(*a, *b),
        (Op::Le, [a, b]) => terms.le(*a, *b),
        (Op::Gt, [a, b]) => terms.gt(*a, *b),
        (Op::Ge, [a, b]) => terms.ge(*a, *b),
        (Op::Not, [a]) => terms.not(*a),
        (Op::And, all) => terms.and(all),
        (Op::Or, all) => terms.or(all),
        (Op::Implies, [a, b]) => terms.implies(*a, *b),
        (Op::Ite, [c, a, b]) => terms.ite(*c, *a, *b),
        _ => terms.bool(false),
    }
}

fn computed(op: Op, operands: &[Value]) -> Option<Value> {
    let int = |at: usize| match operands.get(at) {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    };
    let bool = |at: usize| match operands.get(at) {
        Some(Value::Bool(value)) => Some(*value),
        _ => None,
    };
    Some(match op {
        Op::Add => Value::Int((0..operands.len()).map(int).sum::<Option<BigInt>>()?),
        Op::Mul => Value::Int((0..operands.len()).map(int).product::<Option<BigInt>>()?),
        Op::Sub => Value::Int(int(0)? - int(1)?),
        Op::Neg => Value::Int(-int(0)?.clone()),
        Op::Div | Op::Rem if int(1)?.is_zero() => return None,
        Op::Div => Value::Int(int(0)? / int(1)?),
        Op::Rem => Value::Int(int(0)? % int(1)?),
        Op::Eq => Value::Bool(operands.first()? == operands.get(1)?),
        Op::Ne => Value::Bool(operands.first()? != operands.get(1)?),
        Op::Lt => Value::Bool(int(0)? < int(1)?),
        Op::Le => Value::Bool(int(0)? <= int(1)?),
        Op::Gt => Value::Bool(int(0)? > int(1)?),
        Op::Ge => Value::Bool(int(0)? >= int(1)?),
        Op::Not => Value::Bool(!bool(0)?),
        Op::And => Value::Bool(!operands.contains(&Value::Bool(false))),
        Op::Or => Value::Bool(operands.contains(&Value::Bool(true))),
        Op::Implies => Value::Bool(!bool(0)? || bool(1)?),
        Op::Ite => operands.get(if bool(0)? { 1 } else { 2 })?.clone(),
    })
}
