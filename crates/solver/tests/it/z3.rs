//! Generated questions, answered by both.

use std::time::{Duration, Instant};

use solver::testing::{Dice, KINDS, Question, QuestionKind, question};
use solver::{Limits, Reason, Terms, Verdict, decide};

use crate::smt::{Possible, ask_all};

/// How many of a kind. Those that Z3 often gives up on are fewer.
fn n_questions(kind: QuestionKind) -> u64 {
    match kind {
        QuestionKind::Division | QuestionKind::Choice => 500,
        _ => 1_910,
    }
}

/// Row 27: on 20,100 questions, goal and negation both, the solver never says anything that Z3 contradicts, and it decides
/// at least 99 of 100 that Z3 decides.
#[test]
fn never_contradicts_z3_and_decides_what_it_decides() {
    let (mut decided, mut decidable) = (0, 0);
    let mut contradictions = Vec::new();
    for kind in KINDS {
        let tally = compare(kind, &mut contradictions);
        println!("{tally:?}");
        decided += tally.decided;
        decidable += tally.decided_by_z3;
    }
    println!("decided {decided} of {decidable} that z3 decided");
    assert!(contradictions.is_empty(), "{contradictions:#?}");
    assert!(decided * 100 >= decidable * 99);
}

#[derive(Debug)]
#[expect(dead_code, reason = "they are printed")]
struct Tally {
    kind: QuestionKind,
    decided: usize,
    decided_by_z3: usize,
    discharged: usize,
    refuted: usize,
    neither: usize,
    time: Duration,
    time_of_z3: Duration,
}

fn compare(kind: QuestionKind, contradictions: &mut Vec<(Question, Verdict, Possible)>) -> Tally {
    let questions: Vec<Question> =
        (0..n_questions(kind)).map(|seed| question(kind, &mut Dice::new(seed))).collect();
    let start = Instant::now();
    let answers: Vec<[Verdict; 2]> = questions.iter().map(ask).collect();
    let time = start.elapsed();
    let start = Instant::now();
    let others = ask_all(&questions);
    let time_of_z3 = start.elapsed();
    let mut tally = Tally {
        kind,
        decided: 0,
        decided_by_z3: 0,
        discharged: 0,
        refuted: 0,
        neither: 0,
        time,
        time_of_z3,
    };
    for ((question, answers), (falsified, fulfilled)) in questions.iter().zip(answers).zip(others) {
        for (answer, possible) in
            answers.into_iter().zip([(falsified, fulfilled), (fulfilled, falsified)])
        {
            match answer {
                Verdict::Discharged => tally.discharged += 1,
                Verdict::Refuted => tally.refuted += 1,
                Verdict::Unknown { reason: Reason::Neither, .. } => tally.neither += 1,
                Verdict::Unknown { .. } => {}
            }
            if is_decided_by_z3(possible) {
                tally.decided_by_z3 += 1;
                tally.decided += usize::from(is_decided(&answer));
            }
            if contradicts(&answer, possible) {
                contradictions.push((question.clone(), answer, possible));
            }
        }
    }
    tally
}

/// The verdicts about the goal and about its opposite.
fn ask(question: &Question) -> [Verdict; 2] {
    let mut terms = Terms::new();
    let facts: Vec<_> = question.facts.iter().map(|fact| fact.build(&mut terms)).collect();
    let goal = question.goal.build(&mut terms);
    let opposite = terms.not(goal);
    [goal, opposite].map(|goal| decide(&mut terms, &facts, goal, &Limits::default()))
}

fn is_decided(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Discharged | Verdict::Refuted => true,
        Verdict::Unknown { reason, .. } => *reason == Reason::Neither,
    }
}

fn is_decided_by_z3((falsified, fulfilled): Possible) -> bool {
    falsified == Some(false) || falsified.is_some() && fulfilled.is_some()
}

fn contradicts(verdict: &Verdict, (falsified, fulfilled): Possible) -> bool {
    match verdict {
        Verdict::Discharged => falsified == Some(true),
        Verdict::Refuted => falsified == Some(false) || fulfilled == Some(true),
        Verdict::Unknown { reason: Reason::Neither, .. } => {
            falsified == Some(false) || fulfilled == Some(false)
        }
        Verdict::Unknown { counterexample, .. } => {
            counterexample.is_some() && falsified == Some(false)
        }
    }
}
