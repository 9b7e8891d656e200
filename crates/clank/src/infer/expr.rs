//! Expressions.

use std::sync::Arc;

use clank_syntax::ast::{ArmId, Expr, ExprId, IntSuffix, LambdaParamId, Literal, TemplatePart};
use clank_syntax::with_stack;
use num_bigint::BigInt;

use super::wording::operand_text;
use super::{Frame, FrameKind, Infer, Want};
use crate::body::{GoalKind, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::resolve::TypePosition;
use crate::ty::{Effects, FnTy, Prim, Ty};

impl Infer<'_> {
    /// The type of an expression. If the value must have a type, every part that it may come from is held against it.
    pub(super) fn expr(&mut self, expr: ExprId, want: Want<'_>) -> Ty {
        with_stack(|| {
            let ty = match self.ast.expr(expr) {
                Expr::If { .. } => self.if_chain(expr, want),
                Expr::Match { scrutinee, arms } => self.match_expr(*scrutinee, arms, want),
                Expr::Block { statements, expr: last } => self.block(expr, statements, *last, want),
                _ => {
                    let ty = self.plain(expr, want.hint());
                    // What is too large must not get into a variable.
                    let ty = self.set_type(expr.node(), &ty);
                    if let Want::Must(expected, site) = want {
                        self.flow(expr, &ty, expected, site);
                    }
                    return ty;
                }
            };
            self.set_type(expr.node(), &ty)
        })
    }

    /// Expressions whose value is their own.
    fn plain(&mut self, expr: ExprId, hint: Option<&Ty>) -> Ty {
        match self.ast.expr(expr) {
            Expr::Literal(it) => self.literal(expr, it, hint),
            Expr::Template { parts } => {
                for part in parts {
                    if let TemplatePart::Expr(part) = part {
                        self.expr(*part, Want::Any);
                    }
                }
                Ty::STR
            }
            Expr::Ident { name } => self.name(expr, name, hint, None).0,
            Expr::Unary { op, operand } => self.unary(expr, *op, *operand),
            Expr::Binary { .. } => self.binary_chain(expr, hint),
            Expr::Call { callee, args } => self.call(expr, *callee, args, hint),
            Expr::Index { object, index } => self.index(expr, *object, *index),
            Expr::Field { object, field } => self.field(expr, *object, field, None).0,
            Expr::Lambda { params, body } => self.lambda(params, *body, hint),
            Expr::Array { elements } => self.array(elements, hint),
            Expr::Tuple { elements } => self.tuple(elements, hint),
            Expr::Record { fields } => self.anonymous_record(expr, fields, hint),
            Expr::RecordLit { name, fields } => self.nominal_record(expr, name, fields, hint),
            Expr::Range { start, end, .. } => self.range(*start, *end, hint),
            Expr::Propagate { expr: operand } => self.propagate(expr, *operand),
            Expr::Hole { .. } => self.hole(expr, hint),
            Expr::Error { .. } => Ty::Error,
            Expr::If { .. } | Expr::Match { .. } | Expr::Block { .. } => {
                unreachable!("these are handled by their only caller")
            }
        }
    }

    fn literal(&mut self, expr: ExprId, literal: &Literal, hint: Option<&Ty>) -> Ty {
        match literal {
            Literal::Int { value, suffix: Some(suffix) } => {
                self.fixed_literal(expr, value, *suffix);
                match suffix {
                    IntSuffix::I32 => Ty::Prim(Prim::Int32),
                    IntSuffix::I64 => Ty::Prim(Prim::Int64),
                }
            }
            Literal::Int { suffix: None, .. } => match hint.map(|it| self.table.base(it)) {
                Some(Ty::Prim(Prim::Nat)) => Ty::NAT,
                _ => Ty::INT,
            },
            Literal::Float(_) => Ty::FLOAT,
            Literal::Str(_) => Ty::STR,
            Literal::Bool(_) => Ty::BOOL,
            Literal::Unit => Ty::UNIT,
        }
    }

    /// A number with a suffix must fit the type that it states.
    pub(super) fn fixed_literal(&mut self, expr: ExprId, value: &BigInt, suffix: IntSuffix) {
        let (name, fits) = match suffix {
            IntSuffix::I32 => ("Int32", i32::try_from(value).is_ok()),
            IntSuffix::I64 => ("Int64", i64::try_from(value).is_ok()),
        };
        if !fits {
            self.report(
                Diagnostic::new(Code::E2001, expr, format!("`{value}` does not fit `{name}`"))
                    .with(
                        Structured::new("type_mismatch")
                            .member("expected", name)
                            .member("actual", "Int"),
                    ),
            );
        }
    }

    /// `if … else if … else`, which may be long.
    fn if_chain(&mut self, expr: ExprId, want: Want<'_>) -> Ty {
        let mut chain = Vec::new();
        let mut at = Some(expr);
        let mut last = None;
        while let Some(link) = at {
            let Expr::If { condition, then_branch, else_branch } = self.ast.expr(link) else {
                last = Some(link);
                break;
            };
            chain.push((link, *condition, *then_branch));
            at = *else_branch;
        }
        let has_value = match want {
            Want::Must(expected, _) if last.is_none() => {
                self.table.relate(&Ty::UNIT, expected).is_err()
            }
            _ => false,
        };
        let mut branches = Branches::new();
        for (_, condition, then_branch) in &chain {
            self.expr(*condition, Want::Must(&Ty::BOOL, &Site::Other));
            if last.is_some() {
                self.branch(*then_branch, want, &mut branches);
            } else if has_value {
                self.expr(*then_branch, want.hint().map_or(Want::Any, Want::Hint));
            } else {
                self.expr(*then_branch, Want::Must(&Ty::UNIT, &Site::Other));
            }
        }
        let ty = match last {
            Some(last) => {
                self.branch(last, want, &mut branches);
                branches.result(want)
            }
            None => {
                match want {
                    Want::Must(expected, _) if has_value => self.report_no_else(expr, expected),
                    Want::Must(expected, site) => {
                        self.note_flow(expr.node(), &Ty::UNIT, expected, site);
                    }
                    _ => {}
                }
                Ty::UNIT
            }
        };
        for (link, ..) in chain.iter().skip(1) {
            self.set_type(link.node(), &ty);
        }
        ty
    }

    fn report_no_else(&mut self, expr: ExprId, expected: &Ty) {
        let shown = self.show(expected);
        let message = format!(
            "expected `{}`, but an `if` without `else` has no value",
            super::report::short(&shown)
        );
        self.report(
            Diagnostic::new(Code::E2001, expr, message).help("add an `else`").with(
                Structured::new("type_mismatch")
                    .member("expected", shown.to_string())
                    .member("actual", "Unit"),
            ),
        );
    }

    fn match_expr(&mut self, scrutinee: ExprId, arms: &[ArmId], want: Want<'_>) -> Ty {
        let scrutinee = self.expr(scrutinee, Want::Any);
        let mut branches = Branches::new();
        for arm in arms {
            let arm = self.ast.arm(*arm);
            let mark = self.enter();
            self.pattern(arm.pattern, &scrutinee, false, "match");
            if let Some(guard) = arm.guard {
                self.expr(guard, Want::Must(&Ty::BOOL, &Site::Other));
            }
            self.branch(arm.body, want, &mut branches);
            self.leave(mark);
        }
        if matches!(self.table.shallow(&scrutinee), Ty::Never) {
            return Ty::Never;
        }
        branches.result(want)
    }

    /// One of several expressions that the value may come from.
    fn branch(&mut self, branch: ExprId, want: Want<'_>, branches: &mut Branches) {
        let known = branches.ty.clone();
        let inner = match (want, &known) {
            (Want::Any, Some(known)) => Want::Hint(known),
            _ => want,
        };
        let ty = self.expr(branch, inner);
        branches.all_leave &= matches!(self.table.shallow(&ty), Ty::Never);
        if matches!(want, Want::Must(..)) {
            return;
        }
        branches.ty = Some(match known {
            None => ty,
            Some(known) => match self.table.join(&known, &ty) {
                Ok(joined) => joined,
                Err(clash) => {
                    let node = self.tail(branch).node();
                    self.report_clash(clash, node, &known, &ty);
                    Ty::Error
                }
            },
        });
    }

    fn index(&mut self, expr: ExprId, object: ExprId, index: ExprId) -> Ty {
        let object_ty = self.expr(object, Want::Any);
        let index_ty = self.expr(index, Want::Any);
        match self.table.base(&index_ty) {
            Ty::Prim(prim) if prim.is_integer() => {}
            Ty::Error | Ty::Never => {}
            Ty::Var(_) => {
                self.flow(index, &index_ty, &Ty::INT, &Site::Other);
            }
            other => {
                let shown = self.show(&other);
                let message = format!("an index must be an integer, found `{shown}`");
                self.report_operand(index, "integer", &other, message);
            }
        }
        let element = match self.table.base(&object_ty) {
            Ty::Array(element) => Ty::clone(&element),
            Ty::Var(_) => {
                let element = self.table.fresh();
                self.flow(object, &object_ty, &Ty::array(element.clone()), &Site::Other);
                element
            }
            Ty::Error => return Ty::Error,
            Ty::Never => return Ty::Never,
            other => {
                let shown = self.show(&other);
                let message = format!("`{shown}` cannot be indexed");
                let diagnostic = Diagnostic::new(Code::E2006, expr, message)
                    .with(Structured::new("not_indexable"));
                self.report(match other {
                    Ty::Tuple(_) => {
                        diagnostic.help("reach the parts of a tuple with `.0`, `.1`, …")
                    }
                    Ty::Prim(Prim::Str) => diagnostic.help("use `slice` or `chars`"),
                    _ => diagnostic,
                });
                return Ty::Error;
            }
        };
        let text = match (operand_text(self.ast, index), operand_text(self.ast, object)) {
            (Some(index), Some(object)) => {
                super::wording::simplified(&format!("{index} >= 0 && {index} < len({object})"))
            }
            _ => "index | index >= 0 && index < len(array)".to_owned(),
        };
        self.goal(GoalKind::Bounds, expr, Site::Operation, None, format!("({text})"));
        element
    }

    fn lambda(&mut self, params: &[LambdaParamId], body: ExprId, hint: Option<&Ty>) -> Ty {
        let expected = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Fn(it)) if it.params.len() == params.len() => Some(it),
            _ => None,
        };
        let mark = self.enter();
        let mut types = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let it = self.ast.lambda_param(*param);
            let ty = match (it.ty, &expected) {
                (Some(ty), _) => {
                    let ty = self.written_type(ty, Some(&it.name), TypePosition::Parameter);
                    self.type_predicates(&ty);
                    ty
                }
                (None, Some(expected)) => expected.params[index].clone(),
                (None, None) => self.table.fresh(),
            };
            self.set_type(param.node(), &ty);
            if it.name != "_" {
                if params[..index].iter().any(|it2| self.ast.lambda_param(*it2).name == it.name) {
                    self.report_duplicate(param.node(), &it.name);
                }
                self.bind(&it.name, param.node(), ty.clone(), false, "parameter");
            }
            types.push(ty);
        }
        let result = match &expected {
            Some(expected) => expected.result.clone(),
            None => self.table.fresh(),
        };
        self.frames.push(Frame {
            kind: FrameKind::Lambda,
            result: result.clone(),
            allowed: Effects::PURE,
            effects: Effects::PURE,
            any_effects: false,
            raises: expected.as_ref().is_some_and(|it| it.effects.has(Effects::ERR)),
            raised: None,
            postcondition: None,
            loops: Vec::new(),
        });
        self.expr(body, Want::Must(&result, &Site::Return));
        let frame = self.frames.pop().expect("the frame was pushed above");
        self.leave(mark);
        Ty::Fn(Arc::new(FnTy {
            params: types,
            result,
            effects: frame.effects,
            any_effects: frame.any_effects,
        }))
    }

    fn array(&mut self, elements: &[ExprId], hint: Option<&Ty>) -> Ty {
        let mark = self.table.mark();
        let element = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Array(element)) => Ty::clone(&element),
            _ => self.table.fresh(),
        };
        for it in elements {
            self.expr(*it, Want::Must(&element, &Site::Other));
        }
        Ty::array(self.table.close(&element, mark))
    }

    fn tuple(&mut self, elements: &[ExprId], hint: Option<&Ty>) -> Ty {
        let expected = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Tuple(expected)) if expected.len() == elements.len() => Some(expected),
            _ => None,
        };
        let mut types = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            types.push(match &expected {
                Some(expected) => {
                    self.expr(*element, Want::Must(&expected[index], &Site::Other));
                    expected[index].clone()
                }
                None => self.expr(*element, Want::Any),
            });
        }
        Ty::Tuple(types.into())
    }

    /// `a..b` counts from an integer to another; in natural numbers if it starts with one and ends with one.
    fn range(&mut self, start: ExprId, end: ExprId, hint: Option<&Ty>) -> Ty {
        let wants_nat = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Array(element)) => self.table.base(&element) == Ty::NAT,
            _ => false,
        };
        if wants_nat {
            self.expr(start, Want::Must(&Ty::NAT, &Site::Other));
            self.expr(end, Want::Must(&Ty::INT, &Site::Other));
            return Ty::array(Ty::NAT);
        }
        let start_ty = self.expr(start, Want::Must(&Ty::INT, &Site::Other));
        let end_ty = self.expr(end, Want::Must(&Ty::INT, &Site::Other));
        let is_literal = super::operator::literal(self.ast, start).is_some();
        let ends_with_nat = self.is_nat(&end_ty);
        let starts_with_nat = self.is_nat(&start_ty) || is_literal;
        Ty::array(if ends_with_nat && starts_with_nat { Ty::NAT } else { Ty::INT })
    }
}

/// The expressions that a value may come from, seen so far.
struct Branches {
    ty: Option<Ty>,
    all_leave: bool,
}

impl Branches {
    fn new() -> Branches {
        Branches { ty: None, all_leave: true }
    }

    fn result(self, want: Want<'_>) -> Ty {
        match want {
            _ if self.all_leave => Ty::Never,
            Want::Must(expected, _) => expected.clone(),
            _ => self.ty.unwrap_or(Ty::Never),
        }
    }
}
