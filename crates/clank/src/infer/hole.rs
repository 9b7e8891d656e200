//! Holes: what is needed there, what is in scope, and what would fit.
//!
//! The best come first: locals of exactly the type (the innermost first), locals that fit without a check, variants and
//! literals, then calls of functions whose result fits, with holes for their arguments.

use std::sync::Arc;

use clank_syntax::ast::{ExprId, Name};
use clank_syntax::with_stack;

use super::settle::fits_freely;
use super::{FrameKind, Infer};
use crate::body::{Binding, Hole, HoleFit};
use crate::env::{Signature, TypeBody, Value};
use crate::resolve::substitute;
use crate::ty::{Effects, FnTy, Prim, Ty};

/// How many candidates a hole has.
const MAX_CANDIDATES: usize = 10;

/// A hole whose type is not solved yet.
#[derive(Debug)]
pub(super) struct PendingHole {
    expr: ExprId,
    expected: Ty,
    effects: Effects,
    scope: Option<u32>,
    /// Whether it stands before arguments.
    is_callee: bool,
}

impl Infer<'_> {
    pub(super) fn hole(&mut self, expr: ExprId, hint: Option<&Ty>) -> Ty {
        let expected = match hint {
            Some(hint) => hint.clone(),
            None => self.table.fresh(),
        };
        let is_in_predicate = self.frames.last().is_some_and(|it| it.kind == FrameKind::Predicate);
        let function = self.frames.iter().rev().find(|it| it.kind == FrameKind::Function);
        let effects = match function {
            Some(function) if !is_in_predicate => function.allowed,
            _ => Effects::PURE,
        };
        let scope = self.scope();
        let is_callee = false;
        self.holes.push(PendingHole {
            expr,
            expected: expected.clone(),
            effects,
            scope,
            is_callee,
        });
        expected
    }

    /// The last hole is called.
    pub(super) fn hole_is_called(&mut self) {
        if let Some(hole) = self.holes.last_mut() {
            hole.is_callee = true;
        }
    }

    pub(super) fn finish_holes(&mut self) -> Vec<Hole> {
        let mut pending = std::mem::take(&mut self.holes);
        pending.sort_by_key(|it| it.expr);
        pending
            .into_iter()
            .map(|it| {
                let expected = self.table.solve(&it.expected, &Ty::Error);
                let context = self.context(it.scope);
                let mut candidates = match expected {
                    Ty::Error => Vec::new(),
                    _ => self.candidates(&expected, &context, it.effects),
                };
                if it.is_callee {
                    parenthesise_lambdas(&mut candidates);
                }
                let node = self.relative(it.expr.node());
                Hole { node, expected, context, effects: it.effects, candidates }
            })
            .collect()
    }

    fn candidates(&mut self, expected: &Ty, context: &[Binding], effects: Effects) -> Vec<HoleFit> {
        let mut found = Vec::new();
        for exactly in [true, false] {
            for it in context {
                let is_exact = it.ty == *expected;
                if is_exact == exactly && (is_exact || fits(&it.ty, expected)) {
                    let description = format!("`{}` is a `{}`", it.name, it.ty);
                    push(&mut found, it.name.to_string(), check::Confidence::High, description);
                }
            }
        }
        self.variants_and_literals(expected, &mut found);
        if let Ty::Fn(it) = expected.base() {
            self.functions(expected, context, &mut found);
            let text = match it.params.len() {
                1 => "\\x -> _".to_owned(),
                count => {
                    let names: Vec<String> = (1..=count).map(|it| format!("x{it}")).collect();
                    format!("\\({}) -> _", names.join(", "))
                }
            };
            push(&mut found, text, check::Confidence::Low, "a lambda".to_owned());
        }
        for it in context {
            let Ty::Fn(function) = it.ty.base() else { continue };
            if effects.has(function.effects) && fits(&function.result, expected) {
                let text = format!("{}({})", it.name, vec!["_"; function.params.len()].join(", "));
                let description = format!("`{}` returns a `{}`", it.name, function.result);
                push(&mut found, text, check::Confidence::Low, description);
            }
        }
        if found.len() < MAX_CANDIDATES {
            self.calls(expected, effects, context, &mut found);
        }
        found.truncate(MAX_CANDIDATES);
        found
    }

    fn variants_and_literals(&self, expected: &Ty, found: &mut Vec<HoleFit>) {
        let literals: &[&str] = match expected.base() {
            // A literal need not satisfy a predicate.
            _ if matches!(expected, Ty::Refined(_)) => &[],
            Ty::Prim(Prim::Int | Prim::Nat) => &["0"],
            Ty::Prim(Prim::Int32) => &["0i32"],
            Ty::Prim(Prim::Int64) => &["0i64"],
            Ty::Prim(Prim::Float) => &["0.0"],
            Ty::Prim(Prim::Bool) => &["true", "false"],
            Ty::Prim(Prim::Str) => &["\"\""],
            Ty::Prim(Prim::Unit) => &["()"],
            Ty::Array(_) => &["[]"],
            _ => &[],
        };
        for literal in literals {
            push(found, (*literal).to_owned(), check::Confidence::Low, "a literal".to_owned());
        }
        let Ty::Adt(adt) = expected.base() else { return };
        let Some(def) = self.env.def(&adt.key) else { return };
        match &def.shape {
            TypeBody::Sum(variants) => {
                for variant in variants {
                    let text = with_holes(&variant.name, variant.fields.len());
                    let description = format!("a variant of `{}`", def.key.name);
                    push(found, text, check::Confidence::Medium, description);
                }
            }
            TypeBody::Record(fields) => {
                let description = format!("the constructor of `{}`", def.key.name);
                let text = format!("{}({})", def.key.name, vec!["_"; fields.len()].join(", "));
                push(found, text, check::Confidence::Medium, description);
            }
            TypeBody::Opaque => {}
        }
    }

    /// Functions that fit themselves, by name.
    fn functions(&mut self, expected: &Ty, context: &[Binding], found: &mut Vec<HoleFit>) {
        self.findings.uses.everything();
        let mut fitting: Vec<(bool, &Name, Ty)> = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "they are sorted below")]
        for (name, value) in &self.env.values {
            let (is_prelude, signature) = match value {
                Value::Fn { signature, .. } | Value::External { signature, .. } => {
                    (false, signature)
                }
                Value::Builtin { signature, .. } => (true, signature),
                _ => continue,
            };
            let any = vec![Ty::Error; signature.type_params.len()];
            let inst = |ty: &Ty| substitute(ty, &signature.type_params, &any);
            let ty = Ty::Fn(Arc::new(FnTy {
                params: signature.params.iter().map(|it| inst(&it.1)).collect(),
                result: inst(&signature.result),
                effects: signature.effects,
                any_effects: false,
            }));
            if *name != self.name && !is_hidden(name, context) && fits(&ty, expected) {
                fitting.push((is_prelude, name, ty));
            }
        }
        fitting.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        for (_, name, ty) in fitting {
            push(
                found,
                name.to_string(),
                check::Confidence::Medium,
                format!("`{name}` is a `{ty}`"),
            );
        }
    }

    /// Functions whose result fits: those of the program first, then the prelude's, by name.
    fn calls(
        &mut self,
        expected: &Ty,
        effects: Effects,
        context: &[Binding],
        found: &mut Vec<HoleFit>,
    ) {
        self.findings.uses.everything();
        let mut fitting: Vec<(bool, &Name, &Signature)> = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "they are sorted below")]
        for (name, value) in &self.env.values {
            let (is_prelude, signature) = match value {
                Value::Fn { signature, .. } | Value::External { signature, .. } => {
                    (false, signature)
                }
                Value::Builtin { signature, .. } => (true, signature),
                _ => continue,
            };
            if *name != self.name
                && !is_hidden(name, context)
                && effects.has(signature.effects)
                && result_fits(signature, expected)
            {
                fitting.push((is_prelude, name, signature));
            }
        }
        fitting.sort_by_key(|it| (it.0, it.1));
        for (_, name, signature) in fitting {
            if found.len() >= MAX_CANDIDATES {
                return;
            }
            let text = format!("{name}({})", vec!["_"; signature.params.len()].join(", "));
            let description = format!("`{name}` returns a `{}`", signature.result);
            push(found, text, check::Confidence::Low, description);
        }
    }
}

/// Before arguments, a lambda without parentheses would take them into its body.
fn parenthesise_lambdas(candidates: &mut [HoleFit]) {
    for it in candidates.iter_mut().filter(|it| it.text.starts_with('\\')) {
        it.text = format!("({})", it.text);
    }
}

/// Whether a local has the name of a function, which then cannot be reached.
fn is_hidden(name: &Name, context: &[Binding]) -> bool {
    context.iter().any(|it| it.name == *name)
}

fn push(
    found: &mut Vec<HoleFit>,
    text: String,
    confidence: check::Confidence,
    description: String,
) {
    if !found.iter().any(|it| it.text == text) {
        found.push(HoleFit { text, confidence, description });
    }
}

fn with_holes(name: &str, count: usize) -> String {
    if count == 0 { name.to_owned() } else { format!("{name}({})", vec!["_"; count].join(", ")) }
}

/// Whether a result fits once its type parameters are chosen. One that is a parameter itself says nothing.
fn result_fits(signature: &Signature, expected: &Ty) -> bool {
    if matches!(signature.result, Ty::Param(_) | Ty::Never | Ty::Error) {
        return false;
    }
    let any = vec![Ty::Error; signature.type_params.len()];
    fits(&substitute(&signature.result, &signature.type_params, &any), expected)
}

/// Whether a value of one known type fits another without a check. [`Ty::Error`] stands for any type.
fn fits(actual: &Ty, expected: &Ty) -> bool {
    have_same_shape(actual, expected) && fits_freely(actual, expected)
}

fn have_same_shape(actual: &Ty, expected: &Ty) -> bool {
    let both_integers =
        |a: Prim, e: Prim| matches!((a, e), (Prim::Int | Prim::Nat, Prim::Int | Prim::Nat));
    with_stack(|| match (actual.base(), expected.base()) {
        (Ty::Error, _) | (_, Ty::Error) => true,
        (Ty::Prim(a), Ty::Prim(e)) => a == e || both_integers(*a, *e),
        (Ty::Param(a), Ty::Param(e)) => a == e,
        (Ty::Adt(a), Ty::Adt(e)) => a.key == e.key && all_same_shape(&a.args, &e.args),
        (Ty::Record(a), Ty::Record(e)) => {
            a.fields.len() == e.fields.len()
                && e.fields.iter().all(|(name, expected)| {
                    let found = a.fields.iter().find(|it| it.0 == *name);
                    found.is_some_and(|it| have_same_shape(&it.1, expected))
                })
        }
        (a @ (Ty::Fn(_) | Ty::Tuple(_) | Ty::Array(_)), e)
            if std::mem::discriminant(a) == std::mem::discriminant(e) =>
        {
            a.parts().count() == e.parts().count()
                && a.parts().zip(e.parts()).all(|(a, e)| have_same_shape(a, e))
        }
        _ => false,
    })
}

fn all_same_shape(actual: &[Ty], expected: &[Ty]) -> bool {
    actual.len() == expected.len()
        && actual.iter().zip(expected).all(|(a, e)| have_same_shape(a, e))
}
