//! `e?` (rows 11, 12 and 29).

use clank_syntax::ast::ExprId;

use super::{FrameKind, Infer, Want};
use crate::body::Site;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::ty::{Effects, Ty, TypeKey};

/// The two types that `?` takes apart.
#[derive(Clone, PartialEq)]
enum Fallible {
    Option(Ty),
    Result(Ty, Ty),
}

impl Infer<'_> {
    pub(super) fn propagate(&mut self, expr: ExprId, operand: ExprId) -> Ty {
        let ty = self.expr(operand, Want::Any);
        let base = self.table.base(&ty);
        let operand = match fallible(&base) {
            Some(it) => it,
            None if matches!(base, Ty::Error | Ty::Never) => return base,
            None if matches!(base, Ty::Var(_)) => {
                self.report_unknown(expr.node(), "use `?` on it");
                return Ty::Error;
            }
            None => {
                let shown = self.show(&base);
                let is_named_alike = matches!(&shown, Ty::Adt(it) if it.key.name == "Option" || it.key.name == "Result");
                let takes = match is_named_alike {
                    true => "the prelude's `Option` or `Result`",
                    false => "an `Option` or a `Result`",
                };
                let message =
                    format!("`?` takes {takes}, found `{}`", super::report::short(&shown));
                self.report(
                    Diagnostic::new(Code::E2012, expr, message)
                        .with(Structured::new("invalid_propagate")),
                );
                return Ty::Error;
            }
        };
        self.leave_with(expr, &base, &operand);
        match operand {
            Fallible::Option(value) | Fallible::Result(value, _) => value,
        }
    }

    /// The failing value leaves the function or lambda around it: as its result, or raised.
    fn leave_with(&mut self, expr: ExprId, ty: &Ty, operand: &Fallible) {
        let Some(frame) = self.frames.last() else { return };
        let (kind, result) = (frame.kind, frame.result.clone());
        let (raises, raised) = (frame.raises, frame.raised.clone());
        let result_base = self.table.base(&result);
        match (fallible(&result_base), operand) {
            (Some(Fallible::Option(_)), Fallible::Option(_)) => {}
            (Some(Fallible::Result(_, expected)), Fallible::Result(_, error)) => {
                self.same_error(expr, error, &expected);
            }
            (Some(_), _) if !raises => self.report_mismatch(expr.node(), &result_base, ty),
            (None, _)
                if matches!(result_base, Ty::Var(_)) && kind == FrameKind::Lambda && !raises =>
            {
                let value = self.table.fresh();
                let leaves = match operand {
                    Fallible::Option(_) => Ty::option(value),
                    Fallible::Result(_, error) => {
                        Ty::adt(TypeKey::prelude("Result"), vec![value, error.clone()])
                    }
                };
                self.flow(expr, &leaves, &result, &Site::Other);
            }
            _ if raises => {
                if let (Some(expected), Fallible::Result(_, error)) = (&raised, operand) {
                    self.same_error(expr, error, expected);
                }
                if kind == FrameKind::Lambda {
                    self.charge(expr.node(), Effects::ERR, false);
                }
            }
            _ if matches!(result_base, Ty::Error) => {}
            _ => self.report_unhandled(expr, kind),
        }
    }

    /// The error that leaves must be one that the function may leave with.
    fn same_error(&mut self, expr: ExprId, error: &Ty, expected: &Ty) {
        if self.table.relate(error, expected).is_ok() {
            self.note_flow(expr.node(), error, expected, &Site::Other);
            return;
        }
        let (expected, error) = super::report::told_apart(&self.show(expected), &self.show(error));
        let message = format!(
            "`?` returns an error of type `{}`, but `{}` is expected here",
            super::report::short(&error),
            super::report::short(&expected)
        );
        self.report(
            Diagnostic::new(Code::E2001, expr, message)
                .help("convert the error with `match`")
                .with(
                    Structured::new("type_mismatch")
                        .member("expected", expected.to_string())
                        .member("actual", error.to_string()),
                ),
        );
    }

    fn report_unhandled(&mut self, expr: ExprId, kind: FrameKind) {
        let name = self.name.clone();
        let message = match kind {
            FrameKind::Function => format!(
                "`?` needs a function that returns an `Option` or a `Result` or declares `Err`, which `{name}` does not"
            ),
            FrameKind::Lambda => {
                "`?` returns from the lambda around it, which must return an `Option` or a `Result`"
                    .to_owned()
            }
            FrameKind::Predicate => "`?` is not allowed in a predicate".to_owned(),
        };
        self.report(
            Diagnostic::new(Code::E4002, expr, message)
                .help("take the value apart with `match`, or change the result type")
                .with(
                    Structured::new("unhandled_effect")
                        .member("effect", "Err")
                        .member("function", name.as_str()),
                ),
        );
    }
}

fn fallible(ty: &Ty) -> Option<Fallible> {
    let Ty::Adt(it) = ty else { return None };
    match &it.args[..] {
        [value] if it.key.is_prelude("Option") => Some(Fallible::Option(value.clone())),
        [value, error] if it.key.is_prelude("Result") => {
            Some(Fallible::Result(value.clone(), error.clone()))
        }
        _ => None,
    }
}
