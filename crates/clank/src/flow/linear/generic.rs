//! Linear values that a type parameter would stand for: a generic function may drop and copy what it is given.

use clank_syntax::ast::{Expr, ExprId};
use clank_syntax::with_stack;

use super::{NOT_USED, USED_TWICE, Walk};
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::Value;
use crate::flow::mode::Mode;
use crate::ty::Ty;

/// The prelude's functions that use everything they are given exactly once.
const USE_ONCE: &[&str] =
    &["affine", "concat", "consume", "fold", "linear", "map", "push", "reduce", "reverse", "try"];

/// Those that use it at most once.
const USE_AT_MOST_ONCE: &[&str] = &["discard", "drop", "get", "is_empty", "len", "take", "zip"];

impl<'a> Walk<'a> {
    /// A function is named, to be called or passed on: what its type parameters stand for must be plain.
    pub(super) fn instance(&mut self, id: ExprId) {
        let (name, signature, keeps) = match self.global(id) {
            Some(Value::Fn { name, signature, .. } | Value::External { name, signature, .. }) => {
                (name, signature, Mode::Plain)
            }
            Some(Value::Builtin { name, signature }) => {
                (name, signature, mode_of_builtin(name.as_str()))
            }
            _ => return,
        };
        let Ty::Fn(function) = self.view.ty(id) else { return };
        if signature.type_params.is_empty() || self.doubts.is_unfinished {
            return;
        }
        let pairs = signature.params.iter().zip(&function.params);
        let mut worst = None;
        for ((_, declared), actual) in pairs {
            self.stands_for(declared, actual, &mut worst);
        }
        let Some((mode, param, ty)) = worst.filter(|it| it.0 > keeps) else { return };
        let (code, kind, how_often) = match mode {
            Mode::Linear => (NOT_USED, "linear_not_used", "exactly once"),
            _ => (USED_TWICE, "linear_used_twice", "at most once"),
        };
        let message = format!(
            "a value of type `{ty}` must be used {how_often}, but `{name}` takes it as a `{param}`, which may be used any number of times"
        );
        let structured = Structured::new(kind)
            .member("name", name.as_str())
            .member("type", ty.to_string())
            .member("mode", mode.word());
        self.found.push(
            Diagnostic::new(code, id, message)
                .help("pass the result of `consume`, or use a function that names the type instead of a type parameter")
                .with(structured),
        );
    }

    /// The global value that a name or a member of a module means.
    fn global(&self, id: ExprId) -> Option<&'a Value> {
        match self.ast.expr(id) {
            Expr::Ident { name } => self.env.values.get(name),
            Expr::Field { object, field } => {
                let Expr::Ident { name } = self.ast.expr(*object) else { return None };
                match self.env.values.get(name)? {
                    Value::Module { file } => self.env.member(file, field),
                    Value::HostModule { name } => self.env.host.get(&(name.clone(), field.clone())),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Finds the type parameter that stands for what may be used least often.
    fn stands_for(&mut self, declared: &Ty, actual: &Ty, worst: &mut Option<(Mode, Ty, Ty)>) {
        let (declared, actual) = (declared.base(), actual.base());
        if let Ty::Param(_) = declared {
            let mode = self.modes.of(actual);
            if worst.as_ref().map_or(Mode::Plain, |it| it.0) < mode {
                *worst = Some((mode, declared.clone(), actual.clone()));
            }
            return;
        }
        for (declared, actual) in declared.parts().zip(actual.parts()) {
            with_stack(|| self.stands_for(declared, actual, worst));
        }
    }
}

/// How seldom what a function of the prelude is given may be used.
fn mode_of_builtin(name: &str) -> Mode {
    if USE_ONCE.contains(&name) {
        Mode::Linear
    } else if USE_AT_MOST_ONCE.contains(&name) {
        Mode::Affine
    } else {
        Mode::Plain
    }
}
