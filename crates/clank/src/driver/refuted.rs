//! Goals that cannot hold are errors: E3001 to E3004 (row 27).

use serde_json::{Map, Value as Json};

use crate::body::{BodyView, Goal, GoalKind};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::proof::{Counterexample, Doubt, Proof};

/// One for every goal that was refuted.
pub(super) fn diagnostics(view: BodyView<'_>, proofs: &[Proof]) -> Vec<Diagnostic> {
    let goals = view.body.goals.iter().zip(proofs);
    goals
        .filter_map(|(goal, proof)| match proof {
            Proof::Refuted(doubt) => Some(diagnostic(view, goal, doubt)),
            Proof::Discharged | Proof::Unknown(_) => None,
        })
        .collect()
}

fn diagnostic(view: BodyView<'_>, goal: &Goal, doubt: &Doubt) -> Diagnostic {
    let (code, what) = match goal.kind {
        GoalKind::Refinement => (Code::E3001, "this value breaks the predicate of its type"),
        GoalKind::Bounds => (Code::E3001, "this index is out of bounds"),
        GoalKind::Division => (Code::E3001, "this divides by zero"),
        GoalKind::Exponent => (Code::E3001, "this exponent is negative"),
        GoalKind::Overflow => (Code::E3001, "this does not fit its type"),
        GoalKind::Precondition => (Code::E3002, "this call breaks the precondition"),
        GoalKind::Postcondition => (Code::E3003, "this result breaks the postcondition"),
        GoalKind::Assertion => (Code::E3004, "this assertion cannot hold"),
    };
    let example = doubt.counterexample.as_ref();
    let at = example.filter(|it| !it.values.is_empty()).map(shown).unwrap_or_default();
    let message = format!("{what}: `{}` is false{at}", goal.text);
    let kind = match goal.kind {
        GoalKind::Bounds => "bounds_error",
        _ => "refinement_violation",
    };
    let structured = Structured::new(kind)
        .member("predicate", goal.text.as_str())
        .member("counterexample", example.map_or(Json::Null, |it| Json::Object(members(it))));
    Diagnostic::new(code, view.local(goal.node), message).with(structured)
}

fn shown(example: &Counterexample) -> String {
    let values = example.values.iter().map(|(name, value)| format!("`{name} = {value}`"));
    format!(", as for {}", values.collect::<Vec<_>>().join(", "))
}

fn members(example: &Counterexample) -> Map<String, Json> {
    let values = example.values.iter();
    values.map(|(name, value)| (name.clone(), Json::String(value.clone()))).collect()
}
