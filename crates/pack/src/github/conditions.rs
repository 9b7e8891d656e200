//! Conditions that do not depend on anything: text around `${{ }}` makes a text of them, and every text is true.

use check::{Confidence, Safety, Severity};

use super::expr::{self, Expr, ExprKind};
use super::node::Node;
use super::problem::{FixChange, ProblemFix, WorkflowProblems};

const RULE: &str = "SEM_IF_CONSTANT";

/// Says whether a condition is always true, or always the same.
pub(super) fn check(node: &Node<'_>, text: &str, problems: &mut WorkflowProblems) {
    let found = expr::placeholders(text);
    if found.is_empty() {
        if let Ok(expr) = expr::bare(text) {
            constant(node, &expr, problems);
        }
        return;
    }
    if found.iter().any(|it| it.parsed.is_err()) {
        return;
    }
    let mut outside = String::new();
    let mut from = 0;
    for it in &found {
        outside.push_str(&text[from..it.range.start]);
        from = it.range.end;
    }
    outside.push_str(&text[from..]);
    if outside.is_empty() && found.len() == 1 {
        if let [only] = found.as_slice()
            && let Ok(expr) = &only.parsed
        {
            constant(node, expr, problems);
        }
        return;
    }
    let is_blank = outside.trim().is_empty() && found.len() == 1;
    let message = match is_blank {
        true => {
            "whitespace around `${{ }}` turns the condition into a string, which is always true"
        }
        false => {
            "text around `${{ }}` turns the condition into a string, which is always true; put all of it into one `${{ }}`"
        }
    };
    let problem = problems.value(RULE, Severity::Warning, node, message);
    let mut parts = Vec::new();
    for it in &found {
        let Ok(expr) = &it.parsed else { return };
        let inner = &text[it.range.start + 3..it.range.end - 2];
        let is_joined = matches!(
            expr.kind,
            ExprKind::Logic { .. } | ExprKind::Compare { .. } | ExprKind::Not(_)
        );
        let is_alone = found.len() == 1 && is_blank;
        let new = match is_joined && !is_alone {
            true => format!("({})", inner.trim()),
            false => inner.trim().to_owned(),
        };
        parts.push((it.range.clone(), new));
    }
    // What comes out must be an expression, and a different one from a text.
    let mut after = String::new();
    let mut from = 0;
    for (range, new) in &parts {
        after.push_str(&text[from..range.start]);
        after.push_str(new);
        from = range.end;
    }
    after.push_str(&text[from..]);
    if expr::bare(&after).is_ok() && !after.trim_start().starts_with('!') {
        problem.with(Some(ProblemFix {
            title: "Make the condition one expression".to_owned(),
            safety: Safety::BehaviorChanging,
            confidence: Confidence::High,
            change: FixChange::Texts(parts),
        }));
    }
}

fn constant(node: &Node<'_>, expr: &Expr, problems: &mut WorkflowProblems) {
    match truth(expr) {
        Some(value) => always(node, value, problems),
        None if is_literal(expr) => {
            problems.value(RULE, Severity::Info, node, "the condition is always the same");
        }
        None => {}
    }
}

/// Says of a condition what it always is.
pub(super) fn always(node: &Node<'_>, value: bool, problems: &mut WorkflowProblems) {
    problems.value(RULE, Severity::Info, node, format!("the condition is always {value}"));
}

/// Whether an expression is made of literals alone.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number | ExprKind::Text(_) => true,
        ExprKind::Not(of) => is_literal(of),
        ExprKind::Compare { left, right, .. } => is_literal(left) && is_literal(right),
        ExprKind::Logic { parts, .. } => parts.iter().all(is_literal),
        _ => false,
    }
}

/// What an expression of literals alone comes to.
fn truth(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Null => Some(false),
        ExprKind::Bool(it) => Some(*it),
        ExprKind::Text(text) => Some(!text.is_empty()),
        ExprKind::Not(of) => truth(of).map(|it| !it),
        ExprKind::Logic { parts, is_and } => {
            let parts: Vec<Option<bool>> = parts.iter().map(truth).collect();
            match parts.contains(&Some(!is_and)) {
                true => Some(!is_and),
                false => parts.iter().all(Option::is_some).then_some(*is_and),
            }
        }
        _ => None,
    }
}
