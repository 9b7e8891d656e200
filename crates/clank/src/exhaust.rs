//! Whether patterns cover what they are matched with: E2015 at a `match` that misses cases, E2009 at a `let` or `for`
//! whose pattern does not match every value, W0003 at an arm that no value reaches (row 30).
//!
//! A guard may say no, so an arm with one covers nothing. A match with a pattern that does not fit its type is left
//! alone: that mistake has been reported, and what was meant is not known.

mod lower;
mod matrix;
mod space;
mod witness;

use clank_syntax::ast::{ArmId, Ast, AstKind, DeclId, Expr, ExprId, Name, NodeId, PatternId, Stmt};
use clank_syntax::print_pattern;

use self::lower::{Mistyped, PatternLowering};
use self::matrix::{ArmCoverage, ArmPattern};
use self::space::Ctor;
use crate::body::BodyView;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::Env;
use crate::ty::Ty;

/// The names and types of what a record, tuple or anonymous record holds.
pub fn fields_of(ty: &Ty, env: &Env) -> Vec<(Option<Name>, Ty)> {
    space::fields(ty, &Ctor::Single, env)
}

/// The names and types of what a variant holds.
pub(crate) fn fields_of_variant(ty: &Ty, variant: u32, env: &Env) -> Vec<(Option<Name>, Ty)> {
    space::fields(ty, &Ctor::Variant(variant), env)
}

/// Looks at every match, `let` and `for` of a declaration.
pub(crate) fn exhaust(ast: &Ast, decl: DeclId, env: &Env, view: BodyView<'_>) -> Vec<Diagnostic> {
    let lower = PatternLowering { ast, env, view };
    let mut found = Vec::new();
    for node in ast.subtree(decl) {
        let node = NodeId(node);
        match &ast.node(node).kind {
            AstKind::Expr(Expr::Match { scrutinee, arms }) => {
                match_(lower, node, *scrutinee, arms, &mut found);
            }
            AstKind::Stmt(Stmt::Let { pattern, .. } | Stmt::For { pattern, .. }) => {
                found.extend(refutable(lower, *pattern));
            }
            _ => {}
        }
    }
    found
}

fn match_(
    lower: PatternLowering<'_>,
    node: NodeId,
    scrutinee: ExprId,
    arms: &[ArmId],
    found: &mut Vec<Diagnostic>,
) {
    let ty = lower.view.ty(scrutinee);
    if matches!(ty.base(), Ty::Error | Ty::Var(_)) {
        return;
    }
    let case = |arm: &ArmId| {
        let arm = lower.ast.arm(*arm);
        let pattern = lower.pattern(arm.pattern, ty)?;
        Ok(ArmPattern { pattern, is_guarded: arm.guard.is_some() })
    };
    let Ok(cases) = arms.iter().map(case).collect::<Result<Vec<_>, Mistyped>>() else { return };
    let outcome = matrix::explore(&cases, ty, lower.env);
    found.extend(missing_cases(&outcome, node, lower.env));
    redundant_arms(lower.ast, arms, &cases, &outcome, found);
}

fn missing_cases(outcome: &ArmCoverage, node: NodeId, env: &Env) -> Option<Diagnostic> {
    if outcome.missing.is_empty() {
        return None;
    }
    let cases = outcome.missing.cases(env);
    let words = match cases.as_slice() {
        [only] if only.is_anything() => "every other value: `_`".to_owned(),
        _ => outcome.missing.words(&cases),
    };
    let words = if outcome.is_complete { words } else { format!("{words}, and perhaps more") };
    let patterns = cases.iter().map(|it| it.json()).collect::<Vec<_>>();
    let help = match cases.as_slice() {
        [only] if only.is_anything() => "add an arm for everything else: `_ -> …`".to_owned(),
        [only] => {
            let description = &only.description;
            format!("add an arm for `{description}`, or one for everything else: `_ -> …`")
        }
        _ => "add an arm for each, or one for everything else: `_ -> …`".to_owned(),
    };
    Some(
        Diagnostic::new(Code::E2015, node, format!("this match does not cover {words}"))
            .help(help)
            .with(Structured::new("non_exhaustive_match").member("missing_patterns", patterns)),
    )
}

/// The longest pattern that a message repeats.
const MAX_SHOWN_PATTERN: usize = 60;

/// How many pairs of arms are compared to say which one covers another.
const MAX_COMPARISONS: usize = 100_000;

fn redundant_arms(
    ast: &Ast,
    arms: &[ArmId],
    cases: &[ArmPattern],
    outcome: &ArmCoverage,
    found: &mut Vec<Diagnostic>,
) {
    let mut n_comparisons = 0;
    for &index in &outcome.unreached {
        let pattern = ast.arm(arms[index]).pattern;
        let covering = cases[..index].iter().position(|case| {
            n_comparisons += 1;
            n_comparisons <= MAX_COMPARISONS
                && !case.is_guarded
                && matrix::covers(&case.pattern, &cases[index].pattern)
        });
        let structured = Structured::new("unreachable_code").member("reason", "redundant_arm");
        found.push(
            match covering.map(|it| ast.arm(arms[it]).pattern) {
                Some(first) => {
                    let text = print_pattern(ast, first);
                    let message = if text.len() > MAX_SHOWN_PATTERN {
                        "this arm is never reached: one above covers it".to_owned()
                    } else {
                        format!("this arm is never reached: `{text}` above covers it")
                    };
                    Diagnostic::new(Code::W0003, pattern, message)
                        .related(first, "this pattern matches everything that the arm would")
                }
                None => Diagnostic::new(
                    Code::W0003,
                    pattern,
                    "this arm is never reached: those above cover it",
                ),
            }
            .help("remove the arm, or move it up")
            .with(structured),
        );
    }
}

/// A `let` or `for` has nowhere to go if its pattern does not match.
fn refutable(lower: PatternLowering<'_>, pattern: PatternId) -> Option<Diagnostic> {
    let ty = lower.view.ty(pattern);
    if matches!(ty.base(), Ty::Error | Ty::Var(_)) {
        return None;
    }
    let lowered = lower.pattern(pattern, ty).ok()?;
    let outcome =
        matrix::explore(&[ArmPattern { pattern: lowered, is_guarded: false }], ty, lower.env);
    if outcome.missing.is_empty() {
        return None;
    }
    let cases = outcome.missing.cases(lower.env);
    let words = match cases.as_slice() {
        [only] if only.is_anything() => "other values".to_owned(),
        _ => outcome.missing.words(&cases),
    };
    Some(
        Diagnostic::new(
            Code::E2009,
            pattern,
            format!("this pattern does not match every value: {words} would not match"),
        )
        .help("use `match`, which can handle the other values too")
        .with(Structured::new("pattern_mismatch")),
    )
}
