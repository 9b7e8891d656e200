//! Ways to go on from a goal that is not proved: a guard, a requirement of a parameter, an assertion, and
//! what is known.

use std::collections::BTreeSet;

use clank::body::Goal;
use clank::proof::Proof;
use clank_syntax::TokenKind;
use protocol::v1::{CompileHint, Confidence};

/// The hints of a goal, the best first; none if it is proved. What cannot hold can only be explained.
pub(super) fn hints(goal: &Goal, proof: &Proof) -> Vec<CompileHint> {
    let Some(doubt) = proof.doubt() else { return Vec::new() };
    let mut hints = Vec::new();
    if matches!(proof, Proof::Unknown(_)) {
        hints.extend(ways(goal));
    }
    let facts: Vec<String> =
        doubt.facts.iter().map(|it| format!("`{}` ({})", it.proposition, it.source)).collect();
    if !facts.is_empty() {
        let description = format!("known here: {}", facts.join(", "));
        hints.push(hint("info", description, None, Confidence::Low));
    }
    hints
}

fn ways(goal: &Goal) -> Vec<CompileHint> {
    let condition = plain(&goal.text);
    let guard = format!("if {condition} {{ ... }}");
    let description = format!("do this only if `{condition}`");
    let mut ways = vec![hint("guard", description, Some(guard), Confidence::High)];
    let names = names(condition);
    for it in goal.context.iter() {
        if it.source != "parameter" || !names.contains(it.name.as_str()) {
            continue;
        }
        let ty = it.ty.to_string();
        // A type that has a predicate already needs more than text to get another.
        let template = (!ty.contains('{')).then(|| format!("{}: {ty}{{{condition}}}", it.name));
        let description = format!("require `{condition}` of `{}`", it.name);
        ways.push(hint("refine_param", description, template, Confidence::Medium));
    }
    let description = format!("state that `{condition}`; it is checked when the program runs");
    let assert = format!("assert {condition}");
    ways.push(hint("assert", description, Some(assert), Confidence::Medium));
    ways
}

fn hint(
    strategy: &str,
    description: String,
    template: Option<String>,
    confidence: Confidence,
) -> CompileHint {
    CompileHint { strategy: strategy.to_owned(), description, template, confidence }
}

/// The goal without parentheses around all of it.
fn plain(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0_i64;
    for byte in inner.bytes() {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inner
}

/// The names in a goal.
fn names(text: &str) -> BTreeSet<&str> {
    let (tokens, _) = clank_syntax::lex(text);
    let names = (0..tokens.len()).filter(|it| tokens.kind(*it) == TokenKind::Ident);
    let spans = names.map(|it| tokens.span(it));
    spans.filter_map(|it| text.get(it.start as usize..it.end as usize)).collect()
}
