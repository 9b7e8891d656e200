//! Literals of the wrong kind.

use check::Confidence;
use clank::ty::Prim;
use clank_syntax::ast::{Expr, ExprId, IntSuffix, Literal, Stmt, UnaryOp};
use clank_syntax::print_string;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::propose::RepairContext;
use crate::propose::scope::{binder_of, let_of};

/// A literal as another kind of literal.
pub(in super::super) struct ConvertedLiteral {
    /// As it is written.
    pub(in super::super) text: String,
    /// High if it says the same.
    pub(in super::super) confidence: Confidence,
}

/// The literal that an expression is, but for a sign.
pub(super) fn literal_at<'a>(
    scene: RepairContext<'a>,
    expr: ExprId,
) -> Option<(ExprId, &'a Literal)> {
    let ast = scene.ast();
    let expr = match ast.expr(expr) {
        Expr::Unary { op: UnaryOp::Neg, operand } => *operand,
        _ => expr,
    };
    match ast.expr(expr) {
        Expr::Literal(it) => Some((expr, it)),
        _ => None,
    }
}

/// The literal that a name was bound to in a `let` without a type.
pub(super) fn bound_literal<'a>(
    scene: RepairContext<'a>,
    expr: ExprId,
) -> Option<(ExprId, &'a Literal)> {
    let statement = let_of(scene, binder_of(scene, expr)?)?;
    match scene.ast().stmt(statement) {
        Stmt::Let { init, ty: None, .. } => literal_at(scene, *init),
        _ => None,
    }
}

/// A literal that says the same in another type, or the nearest that there is.
pub(in super::super) fn converted(literal: &Literal, wanted: Prim) -> Option<ConvertedLiteral> {
    let sure = |text: String| Some(ConvertedLiteral { text, confidence: Confidence::High });
    let guess = |text: &str| {
        Some(ConvertedLiteral { text: text.to_owned(), confidence: Confidence::Medium })
    };
    match (literal, wanted) {
        (Literal::Int { value, suffix }, Prim::Float) if suffix.is_none() => {
            let value = value.to_f64().filter(|it| it.is_finite())?;
            sure(float_text(value))
        }
        (Literal::Int { value, .. }, Prim::Int | Prim::Nat | Prim::Int32 | Prim::Int64) => {
            sure(int_text(value, wanted))
        }
        (Literal::Int { value, .. }, Prim::Bool) => match value.to_u8() {
            Some(0) => guess("false"),
            Some(1) => guess("true"),
            _ => None,
        },
        (Literal::Float(value), Prim::Int | Prim::Nat | Prim::Int32 | Prim::Int64) => {
            let whole = int_text(&BigInt::from(value.trunc() as i64), wanted);
            if value.trunc().abs() > 1e15 {
                return None;
            }
            if value.fract() == 0.0 { sure(whole) } else { guess(&whole) }
        }
        (Literal::Int { value, .. }, Prim::Str) => sure(print_string(&value.to_string())),
        (Literal::Float(value), Prim::Str) => sure(print_string(&float_text(*value))),
        (Literal::Bool(value), Prim::Str) => sure(print_string(&value.to_string())),
        (Literal::Bool(value), Prim::Int | Prim::Nat) => guess(if *value { "1" } else { "0" }),
        (Literal::Str(text), _) => from_text(text, wanted),
        _ => None,
    }
}

fn from_text(text: &str, wanted: Prim) -> Option<ConvertedLiteral> {
    let text = text.trim();
    let is_number = text.starts_with(|it: char| it.is_ascii_digit());
    let read = match wanted {
        Prim::Int | Prim::Nat | Prim::Int32 | Prim::Int64 if is_number => {
            text.parse::<BigInt>().ok().map(|it| int_text(&it, wanted))
        }
        Prim::Float if is_number => {
            text.parse::<f64>().ok().filter(|it| it.is_finite()).map(float_text)
        }
        Prim::Bool => text.parse::<bool>().ok().map(|it| it.to_string()),
        _ => None,
    };
    match read {
        Some(text) => Some(ConvertedLiteral { text, confidence: Confidence::High }),
        None => {
            let text = placeholder(wanted)?;
            Some(ConvertedLiteral { text: text.to_owned(), confidence: Confidence::Low })
        }
    }
}

fn int_text(value: &BigInt, wanted: Prim) -> String {
    match wanted {
        Prim::Int32 => format!("{value}i32"),
        Prim::Int64 => format!("{value}i64"),
        _ => value.to_string(),
    }
}

fn float_text(value: f64) -> String {
    format!("{value:?}")
}

/// The plainest value of a primitive type, as it is written.
pub(in super::super) fn placeholder(prim: Prim) -> Option<&'static str> {
    Some(match prim {
        Prim::Int | Prim::Nat => "0",
        Prim::Int32 => "0i32",
        Prim::Int64 => "0i64",
        Prim::Float => "0.0",
        Prim::Bool => "false",
        Prim::Str => "\"\"",
        Prim::Unit => "()",
    })
}

/// The primitive that a literal has the type of.
pub(super) fn prim_of(literal: &Literal) -> Prim {
    match literal {
        Literal::Int { suffix: None, .. } => Prim::Int,
        Literal::Int { suffix: Some(IntSuffix::I32), .. } => Prim::Int32,
        Literal::Int { suffix: Some(IntSuffix::I64), .. } => Prim::Int64,
        Literal::Float(_) => Prim::Float,
        Literal::Str(_) => Prim::Str,
        Literal::Bool(_) => Prim::Bool,
        Literal::Unit => Prim::Unit,
    }
}
