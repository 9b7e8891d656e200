//! Laws that hold for every question, over generated ones and all values in a small range.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::testing::{Dice, Expr, KINDS, Question, config, question};
use crate::{Limits, Model, Sort, Term, Terms, UnknownReason, Value, Verdict, decide, evaluate};

/// The values that an atom is tried with.
fn tried(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Int => (-4..=4).map(|number| Value::Int(number.into())).collect(),
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Other => (0..4).map(Value::Other).collect(),
    }
}

/// Every atom of the expressions.
fn atoms<'a>(exprs: impl Iterator<Item = &'a Expr>) -> BTreeMap<u32, Sort> {
    let mut atoms = BTreeMap::new();
    let mut open: Vec<&Expr> = exprs.collect();
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Atom(number, sort) => {
                atoms.insert(*number, *sort);
            }
            Expr::Apply(_, parts, _) | Expr::Op(_, parts) => open.extend(parts),
            Expr::Int(_) | Expr::Bool(_) | Expr::Constant(_) => {}
        }
    }
    atoms
}

/// Some hundred choices of values: all that there are of few atoms, a sample of those of many.
fn choices(question: &Question) -> Vec<BTreeMap<u32, Value>> {
    let mut all = vec![BTreeMap::new()];
    for (number, sort) in atoms(question.facts.iter().chain([&question.goal])) {
        let mut next = Vec::new();
        for choice in &all {
            for value in tried(sort) {
                let mut choice = choice.clone();
                choice.insert(number, value);
                next.push(choice);
            }
        }
        let step = next.len().div_ceil(300);
        all = next.into_iter().step_by(step).collect();
    }
    all
}

struct LawQuestion {
    terms: Terms,
    facts: Vec<Term>,
    goal: Term,
    verdict: Verdict,
}

fn ask(question: &Question) -> LawQuestion {
    let mut terms = Terms::new();
    let facts: Vec<Term> = question.facts.iter().map(|fact| fact.build(&mut terms)).collect();
    let goal = question.goal.build(&mut terms);
    let verdict = decide(&mut terms, &facts, goal, &Limits { steps: 100_000 });
    LawQuestion { terms, facts, goal, verdict }
}

fn is_true(value: Option<Value>) -> bool {
    value == Some(Value::Bool(true))
}

fn generated() -> impl Strategy<Value = Question> {
    (prop::sample::select(KINDS.to_vec()), any::<u64>())
        .prop_map(|(kind, seed)| question(kind, &mut Dice::new(seed)))
}

/// What a verdict says, apart from the values found.
fn gist(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Discharged => "discharged",
        Verdict::Refuted => "refuted",
        Verdict::Unknown { reason: UnknownReason::Neither, .. } => "neither",
        Verdict::Unknown { .. } => "not found out",
    }
}

proptest! {
    #![proptest_config(config())]

    /// Row 27, by trying: no values satisfy the facts and falsify a goal that is discharged, or fulfil one that is refuted.
    #[test]
    fn no_values_contradict_a_verdict(question in generated()) {
        let verdict = ask(&question).verdict;
        for choice in choices(&question) {
            if question.facts.iter().all(|fact| is_true(fact.value(&choice))) {
                match (&verdict, question.goal.value(&choice)) {
                    (Verdict::Discharged, Some(goal)) => prop_assert_eq!(goal, Value::Bool(true)),
                    (Verdict::Refuted, Some(goal)) => prop_assert_eq!(goal, Value::Bool(false)),
                    _ => {}
                }
            }
        }
    }

    /// Building a term keeps its meaning.
    #[test]
    fn normal_forms_mean_what_was_written(question in generated()) {
        let mut terms = Terms::new();
        let goal = question.goal.build(&mut terms);
        let atoms = atoms([&question.goal].into_iter());
        for choice in choices(&question).into_iter().step_by(12) {
            let given: Vec<(Term, Value)> = atoms
                .iter()
                .map(|(number, sort)| (terms.atom(*number, *sort), choice[number].clone()))
                .collect();
            let model = Model::new(&terms, given);
            let written = question.goal.value(&choice);
            // Functions to other values are constant there and here, but not the same constant.
            let comparable = !format!("{:?}", question.goal).contains("Apply");
            if comparable && written.is_some() {
                prop_assert_eq!(evaluate(&terms, goal, &model), written);
            }
        }
    }

    /// A counterexample satisfies the facts and falsifies the goal, whatever the reason.
    #[test]
    fn counterexamples_are_what_they_say(question in generated()) {
        let asked = ask(&question);
        if let Verdict::Unknown { counterexample: Some(model), .. } = &asked.verdict {
            for fact in &asked.facts {
                prop_assert!(is_true(evaluate(&asked.terms, *fact, model)));
            }
            prop_assert_eq!(evaluate(&asked.terms, asked.goal, model), Some(Value::Bool(false)));
        }
    }

    /// The order of facts and the opposite of the goal change nothing but the side.
    #[test]
    fn order_does_not_matter_and_opposites_are_opposite(question in generated()) {
        let LawQuestion { mut terms, mut facts, goal, verdict } = ask(&question);
        facts.reverse();
        let backward = decide(&mut terms, &facts, goal, &Limits { steps: 100_000 });
        let opposite = terms.not(goal);
        let opposite = decide(&mut terms, &facts, opposite, &Limits { steps: 100_000 });
        let known = |verdict: &Verdict| gist(verdict) != "not found out";
        if known(&verdict) && known(&backward) {
            prop_assert_eq!(gist(&verdict), gist(&backward));
        }
        match (&verdict, &opposite) {
            (Verdict::Refuted, Verdict::Unknown { reason, .. }) => prop_assert!(*reason != UnknownReason::Neither),
            (Verdict::Refuted, Verdict::Refuted) => prop_assert!(false, "both are refuted"),
            (Verdict::Unknown { reason: UnknownReason::Neither, .. }, _) => {
                let open = matches!(opposite, Verdict::Unknown { .. });
                prop_assert!(open);
            }
            _ => {}
        }
    }

    /// The same question has the same answer, with the same values, also after others.
    #[test]
    fn answers_do_not_change(question in generated()) {
        let LawQuestion { mut terms, facts, goal, verdict } = ask(&question);
        prop_assert_eq!(&decide(&mut terms, &facts, goal, &Limits { steps: 100_000 }), &verdict);
        prop_assert_eq!(&ask(&question).verdict, &verdict);
    }
}
