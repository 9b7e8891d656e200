//! Operators (rows 5, 6, 7, 13, 49, 51).

use clank_syntax::ast::{Ast, BinaryOp, Expr, ExprId, Literal, UnaryOp};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use super::settle::Arithmetic;
use super::{Infer, Want};
use crate::body::Site;
use crate::env::TypeBody;
use crate::resolve::substitute;
use crate::ty::{Prim, Ty, TypeKey};

/// An operand with its type.
#[derive(Clone, Copy)]
struct Side<'t> {
    expr: ExprId,
    ty: &'t Ty,
}

/// What an operand is as a number.
enum Number {
    Integer(Prim),
    Float,
    /// Not known yet.
    Open,
    /// Nothing to complain about.
    Any,
    /// Not a number.
    None,
}

impl Infer<'_> {
    /// A chain of operators to the left is as deep as it is long: it is walked from its innermost operand outwards.
    pub(super) fn binary_chain(&mut self, expr: ExprId, hint: Option<&Ty>) -> Ty {
        let mut chain = Vec::new();
        let mut at = expr;
        while let Expr::Binary { op, left, right } = self.ast.expr(at) {
            chain.push((at, *op, *left, *right));
            at = *left;
        }
        let is_concat = chain.iter().all(|it| it.1 == BinaryOp::Concat);
        let hint = hint.filter(|_| is_concat);
        let mut ty = self.expr(at, hint.map_or(Want::Any, Want::Hint));
        while let Some((node, op, left, right)) = chain.pop() {
            ty = self.binary(node, op, Side { expr: left, ty: &ty }, right, hint);
            ty = self.set_type(node.node(), &ty);
        }
        ty
    }

    fn binary(
        &mut self,
        node: ExprId,
        op: BinaryOp,
        left: Side<'_>,
        right: ExprId,
        hint: Option<&Ty>,
    ) -> Ty {
        match op {
            BinaryOp::Pipe => return self.pipe(node, (left.expr, left.ty), right),
            BinaryOp::And | BinaryOp::Or => {
                let tail = self.tail(left.expr);
                self.flow(tail, left.ty, &Ty::BOOL, &Site::Other);
                self.expr(right, Want::Must(&Ty::BOOL, &Site::Other));
                return Ty::BOOL;
            }
            BinaryOp::Concat => return self.concat(left, right, hint),
            _ => {}
        }
        let right_ty = self.expr(right, Want::Any);
        let right = Side { expr: right, ty: &right_ty };
        match op {
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op, left, right),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.comparison(node, op, left, right);
            }
            _ => return self.arithmetic(node, op, left, right),
        }
        Ty::BOOL
    }

    fn concat(&mut self, left: Side<'_>, right: ExprId, hint: Option<&Ty>) -> Ty {
        match self.table.base(left.ty) {
            Ty::Array(element) => {
                let right_ty = self.expr(right, Want::Hint(hint.unwrap_or(left.ty)));
                let left_ty = Ty::Array(element);
                let right_base = self.table.base(&right_ty);
                match self.table.join(&left_ty, &right_base) {
                    Ok(joined) => joined,
                    Err(clash) => {
                        let tail = self.tail(right).node();
                        self.report_clash(clash, tail, &left_ty, &right_ty);
                        left_ty
                    }
                }
            }
            Ty::Var(_) => {
                let right_ty = self.expr(right, Want::Any);
                let ty = match self.table.base(&right_ty) {
                    it @ Ty::Array(_) => it,
                    _ => {
                        self.flow(right, &right_ty, &Ty::STR, &Site::Other);
                        Ty::STR
                    }
                };
                self.flow(left.expr, left.ty, &ty, &Site::Other);
                ty
            }
            _ => {
                let tail = self.tail(left.expr);
                self.flow(tail, left.ty, &Ty::STR, &Site::Other);
                self.expr(right, Want::Must(&Ty::STR, &Site::Other));
                Ty::STR
            }
        }
    }

    fn number(&mut self, ty: &Ty) -> Number {
        match self.table.base(ty) {
            Ty::Prim(prim) if prim.is_integer() => Number::Integer(prim),
            Ty::Prim(Prim::Float) => Number::Float,
            Ty::Var(_) => Number::Open,
            Ty::Error | Ty::Never => Number::Any,
            _ => Number::None,
        }
    }

    /// Whether the value is known to be a natural number, for good.
    pub(super) fn is_nat(&mut self, ty: &Ty) -> bool {
        self.table.is_settled(ty) && self.table.base(ty) == Ty::NAT
    }

    fn arithmetic(&mut self, node: ExprId, op: BinaryOp, left: Side<'_>, right: Side<'_>) -> Ty {
        let Some((l, r)) = self.numbers(op, left, right) else { return Ty::Error };
        let ty = match (l, r) {
            (Number::Open, Number::Open) => {
                self.flow(right.expr, right.ty, left.ty, &Site::Other);
                left.ty.clone()
            }
            (Number::Integer(l), Number::Integer(r)) => {
                match self.integers(op, left, right, l, r) {
                    Some(prim) => Ty::Prim(prim),
                    None => return Ty::Error,
                }
            }
            (Number::Any, Number::Any | Number::None) | (Number::None, _) => return Ty::Error,
            (Number::Integer(prim), _) | (_, Number::Integer(prim)) => Ty::Prim(match prim {
                Prim::Nat => Prim::Int,
                other => other,
            }),
            _ => return Ty::FLOAT,
        };
        let has_goals = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow);
        if has_goals || !matches!(ty, Ty::Prim(Prim::Int | Prim::Nat)) {
            let (left, scope) = (left.expr, self.scope());
            let exponent_is_nat = op == BinaryOp::Pow && self.is_nat(right.ty);
            let ty = if exponent_is_nat { Ty::NAT } else { ty.clone() };
            let op = Some(op);
            self.arithmetic.push(Arithmetic { node, op, left, right: right.expr, ty, scope });
        }
        ty
    }

    /// Both operands as numbers that go together; `None` if that was reported not to be so.
    fn numbers(
        &mut self,
        op: BinaryOp,
        left: Side<'_>,
        right: Side<'_>,
    ) -> Option<(Number, Number)> {
        let mut is_bad = false;
        for side in [left, right] {
            if let Number::None = self.number(side.ty) {
                let shown = self.show(side.ty);
                let help = match (op, shown.base()) {
                    (BinaryOp::Add, Ty::Prim(Prim::Str) | Ty::Array(_)) => "; `++` joins",
                    _ => "",
                };
                let shown = super::report::short(&shown);
                let message = format!("`{}` takes numbers, found `{shown}`{help}", op.text());
                self.report_operand(side.expr, "numeric", side.ty, message);
                is_bad = true;
            }
        }
        if is_bad {
            return None;
        }
        for (open, known) in [(left, right), (right, left)] {
            if let Number::Open = self.number(open.ty) {
                let ty = match self.number(known.ty) {
                    Number::Integer(Prim::Nat) => Ty::INT,
                    Number::Integer(prim) => Ty::Prim(prim),
                    Number::Float => Ty::FLOAT,
                    _ => continue,
                };
                self.flow(open.expr, open.ty, &ty, &Site::Other);
            }
        }
        let found = (self.number(left.ty), self.number(right.ty));
        let needed = match found {
            (Number::Integer(_), Number::Float) => ("integer", "an integer"),
            (Number::Float, Number::Integer(_)) => ("numeric", "a `Float`"),
            _ => return Some(found),
        };
        let shown = self.show(right.ty);
        let message = format!(
            "`{}` takes two integers or two floats: expected {}, found `{shown}`",
            op.text(),
            needed.1
        );
        self.report_operand(right.expr, needed.0, right.ty, message);
        None
    }

    /// The type of arithmetic on two integers.
    fn integers(
        &mut self,
        op: BinaryOp,
        left: Side<'_>,
        right: Side<'_>,
        l: Prim,
        r: Prim,
    ) -> Option<Prim> {
        let is_fixed = |it: Prim| matches!(it, Prim::Int32 | Prim::Int64);
        if is_fixed(l) || is_fixed(r) {
            if l == r {
                return Some(l);
            }
            let left_is_literal = !is_fixed(l) && literal(self.ast, left.expr).is_some();
            let (wrong, expected) = if left_is_literal { (left, r) } else { (right, l) };
            let node = self.tail(wrong.expr).node();
            self.report_mismatch(node, &Ty::Prim(expected), wrong.ty);
            return None;
        }
        if op == BinaryOp::Sub {
            return Some(Prim::Int);
        }
        let (l_nat, r_nat) = (self.is_nat(left.ty), self.is_nat(right.ty));
        let l_fits = l_nat || literal(self.ast, left.expr).is_some();
        let r_fits = r_nat || literal(self.ast, right.expr).is_some();
        Some(if (l_nat || r_nat) && l_fits && r_fits { Prim::Nat } else { Prim::Int })
    }

    fn comparison(&mut self, node: ExprId, op: BinaryOp, left: Side<'_>, right: Side<'_>) {
        if let Some((Number::Open, Number::Open)) = self.numbers(op, left, right) {
            self.flow(right.expr, right.ty, left.ty, &Site::Other);
            let scope = self.scope();
            self.arithmetic.push(Arithmetic {
                node,
                op: Some(op),
                left: left.expr,
                right: right.expr,
                ty: left.ty.clone(),
                scope,
            });
        }
    }

    /// `==` compares values of one type, and any two integers; functions cannot be compared (row 13).
    fn equality(&mut self, op: BinaryOp, left: Side<'_>, right: Side<'_>) {
        let both_integers = matches!(
            (self.number(left.ty), self.number(right.ty)),
            (Number::Integer(_), Number::Integer(_))
        );
        if !both_integers && let Err(clash) = self.table.join(left.ty, right.ty) {
            let node = self.tail(right.expr).node();
            self.report_clash(clash, node, left.ty, right.ty);
            return;
        }
        let shown = self.show(left.ty);
        if self.holds_function(&shown, &mut FxHashSet::default()) {
            let message = format!(
                "`{}` cannot compare functions, found `{}`",
                op.text(),
                super::report::short(&shown)
            );
            self.report_operand(left.expr, "comparable", left.ty, message);
        }
    }

    fn holds_function(&self, ty: &Ty, seen: &mut FxHashSet<TypeKey>) -> bool {
        match ty {
            Ty::Fn(_) => true,
            Ty::Adt(it) => {
                if it.args.iter().any(|arg| self.holds_function(arg, seen)) {
                    return true;
                }
                let Some(def) = self.env.def(&it.key) else { return false };
                if !seen.insert(it.key.clone()) {
                    return false;
                }
                let part = |ty: &Ty| substitute(ty, &def.params, &it.args);
                let parts: Vec<Ty> = match &def.shape {
                    TypeBody::Record(fields) => fields.iter().map(|field| part(&field.1)).collect(),
                    TypeBody::Sum(variants) => {
                        let fields = variants.iter().flat_map(|variant| &variant.fields);
                        fields.map(|field| part(&field.1)).collect()
                    }
                    TypeBody::Opaque => Vec::new(),
                };
                parts.iter().any(|it| self.holds_function(it, seen))
            }
            _ => ty.parts().any(|it| self.holds_function(it, seen)),
        }
    }

    pub(super) fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Ty {
        if op == UnaryOp::Not {
            self.expr(operand, Want::Must(&Ty::BOOL, &Site::Other));
            return Ty::BOOL;
        }
        // The least number of a fixed width is written as the negation of one that does not fit.
        if let Expr::Literal(Literal::Int { value, suffix: Some(suffix) }) = self.ast.expr(operand)
        {
            self.fixed_literal(operand, &-value, *suffix);
            let ty = Ty::Prim(match suffix {
                clank_syntax::ast::IntSuffix::I32 => Prim::Int32,
                clank_syntax::ast::IntSuffix::I64 => Prim::Int64,
            });
            return self.set_type(operand.node(), &ty);
        }
        let ty = self.expr(operand, Want::Any);
        match self.number(&ty) {
            Number::Integer(Prim::Int | Prim::Nat) => Ty::INT,
            Number::Float => Ty::FLOAT,
            Number::Any => self.table.base(&ty),
            Number::None => {
                let shown = self.show(&ty);
                let shown = super::report::short(&shown);
                let message = format!("`-` takes a number, found `{shown}`");
                self.report_operand(operand, "numeric", &ty, message);
                Ty::Error
            }
            Number::Open | Number::Integer(_) => {
                let scope = self.scope();
                self.arithmetic.push(Arithmetic {
                    node: expr,
                    op: None,
                    left: operand,
                    right: operand,
                    ty: ty.clone(),
                    scope,
                });
                self.table.base(&ty)
            }
        }
    }
}

/// The value of an integer literal without a suffix. It is never negative.
pub(super) fn literal(ast: &Ast, expr: ExprId) -> Option<&BigInt> {
    match ast.expr(expr) {
        Expr::Literal(Literal::Int { value, suffix: None }) => Some(value),
        _ => None,
    }
}
