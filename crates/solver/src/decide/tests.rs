//! Questions with known answers, and questions that only have to end.

use super::*;
use crate::model::{Value, evaluate};
use crate::testing::parse;

/// Asks whether the facts imply the goal. `proved`, `refuted` or `open`, where open means that values were found for both.
#[track_caller]
fn check(facts: &[&str], goal: &str, expected: &str) {
    let mut terms = Terms::new();
    let mut build = |text: &str| parse(text).expect("the test is well written").build(&mut terms);
    let facts: Vec<Term> = facts.iter().map(|fact| build(fact)).collect();
    let goal = build(goal);
    let verdict = decide(&mut terms, &facts, goal, &Limits::default());
    let found = match &verdict {
        Verdict::Discharged => "proved",
        Verdict::Refuted => "refuted",
        Verdict::Unknown { reason: UnknownReason::Neither, counterexample: Some(model) } => {
            for fact in facts {
                assert_eq!(evaluate(&terms, fact, model), Some(Value::Bool(true)));
            }
            assert_eq!(evaluate(&terms, goal, model), Some(Value::Bool(false)));
            "open"
        }
        Verdict::Unknown { reason: UnknownReason::Neither, counterexample: None } => {
            "open without values"
        }
        Verdict::Unknown { reason: UnknownReason::Budget, .. } => "out of budget",
        Verdict::Unknown { reason: UnknownReason::Incomplete, .. } => "incomplete",
    };
    assert_eq!(found, expected, "{verdict:?}");
}

/// Row 27.
#[test]
fn facts_decide_or_leave_open() {
    check(&[], "(< 1 2)", "proved");
    check(&[], "(> 0 5)", "refuted");
    check(&[], "(= x x)", "proved");
    check(&[], "(> x 0)", "open");
    check(&["(> x 0)"], "(> (+ x 1) 1)", "proved");
    check(&["(> x 0)"], "(>= (- x 1) 0)", "proved");
    check(&["(> x 0)"], "(<= x 0)", "refuted");
    check(&["(>= x 3)"], "(!= x 3)", "open");
    check(&["(> x 3)"], "(> (- 5 x) 0)", "open");
    check(&["(and (>= i 0) (< i (len s)))"], "(and (>= i 0) (< i (len s)))", "proved");
    check(&["(> (len s) 0)"], "(and (<= 0 0) (< 0 (len s)))", "proved");
    check(&["(not (or (< x 0) (> x 9)))"], "(and (>= x 0) (<= x 9))", "proved");
    check(&["(<= a b)", "(<= b c)", "(< c d)", "(<= d e)"], "(< a e)", "proved");
}

/// Row 27: contradictory facts imply everything, also when they have nothing to do with the goal.
#[test]
fn contradictory_facts_imply_everything() {
    for goal in ["(> y 0)", "(<= y 0)", "false", "p"] {
        check(&["(> x 0)", "(< x 1)"], goal, "proved");
        check(&["false"], goal, "proved");
    }
}

#[test]
fn integers_lie_between_no_two_neighbours() {
    check(&[], "(= (* 2 x) (+ (* 2 y) 1))", "refuted");
    check(&[], "(= (+ (* 3 x) (* 6 y)) 4)", "refuted");
    check(&["(< 2 (* 3 x))", "(< (* 3 x) 5)"], "(= x 1)", "proved");
    check(&["(= x (* 2 a))", "(= x (+ (* 2 b) 1))"], "false", "proved");
    check(&["(= x (* 2 a))", "(= y (* 2 b))", "(= (+ x y) (+ 1 (* 2 c)))"], "false", "proved");
    check(&["(= x (* 3 a))", "(= y (* 3 b))", "(<= 1 (- x y))"], "(>= (- x y) 3)", "proved");
    check(&["(= (+ (* 6 x) (* 10 y) (* 15 z)) 1)"], "(= x 1)", "open");
    check(&["(<= 1 (- (* 3 x) (* 3 y)))", "(<= (- (* 3 x) (* 3 y)) 2)"], "false", "proved");
}

#[test]
fn quotients_round_toward_zero_and_remainders_follow_the_dividend() {
    check(&[], "(= (/ -7 2) -3)", "proved");
    check(&[], "(= (% -7 2) -1)", "proved");
    check(
        &["(= x -7)"],
        "(and (= (/ x 2) -3) (= (% x 2) -1) (= (/ x -2) 3) (= (% x -2) -1))",
        "proved",
    );
    check(&["(>= x 0)"], "(and (<= 0 (% x 10)) (< (% x 10) 10))", "proved");
    check(&[], "(>= (% x 10) 0)", "open");
    check(
        &["(<= 0 lo)", "(< lo hi)"],
        "(and (<= lo (/ (+ lo hi) 2)) (< (/ (+ lo hi) 2) hi))",
        "proved",
    );
    check(&[], "(= x (+ (* 7 (/ x 7)) (% x 7)))", "proved");
    check(&[], "(= (/ (/ x 2) 3) (/ x 6))", "proved");
    check(&["(= (% x 4) 3)"], "(= (% x 2) 1)", "proved");
    check(&["(= (% x 2) 0)", "(= (% x 3) 0)"], "(= (% x 6) 0)", "proved");
    check(&["(>= h 0)", "(> n 0)"], "(and (<= 0 (% h n)) (< (% h n) n))", "proved");
    check(&["(!= n 0)", "(= x y)"], "(= (/ x n) (/ y n))", "proved");
    check(&["(>= x 0)", "(> n 0)"], "(<= (/ x n) x)", "proved");
}

/// Row 24.
#[test]
fn equal_arguments_have_equal_results() {
    check(&["(<= x y)", "(<= y x)"], "(= (f x) (f y))", "proved");
    check(&["(= (f x) 1)", "(= (f y) 2)"], "(= x y)", "refuted");
    check(&["(= s s3)", "(= s3 s2)"], "(= (len s) (len s2))", "proved");
    check(&[], "(= (f x) (f y))", "open");
    check(&["(= x 1)"], "(= (f x) (f 1))", "proved");
    check(&["(= (f (f (f x))) x)", "(= (f (f (f (f (f x))))) x)"], "(= (f x) x)", "proved");
    check(&["(pf x)", "(not (pf y))"], "(= x y)", "refuted");
    check(&["(= p1 p2)"], "(= (f p1) (f p2))", "proved");
    check(&["(= s1 #1)", "(= s2 #2)"], "(= s1 s2)", "refuted");
    check(&["(!= s1 #1)", "(!= s1 s2)", "(!= s2 #1)"], "(= s1 #2)", "open");
    check(&["(or (= s1 #1) (= s1 #2))", "(!= s1 #1)"], "(= (f s1) (f #2))", "proved");
}

#[test]
fn conditions_choose() {
    check(&["(= m (if (< x y) y x))"], "(and (>= m x) (>= m y))", "proved");
    check(&["(= s1 (if p s2 s3))", "(not p)"], "(= s1 s3)", "proved");
    check(&["(if p (> x 0) (< x 0))"], "(!= x 0)", "proved");
    check(&["(= p1 (not p2))", "(= p2 (not p3))"], "(= p1 p3)", "proved");
    check(&["(or p1 p2)", "(=> p1 p3)", "(=> p2 p3)"], "p3", "proved");
}

#[test]
fn products_keep_what_linear_clauses_say_of_them() {
    check(&[], "(= (* (+ x 1) y) (+ y (* y x)))", "proved");
    check(&[], "(>= (* x x) 0)", "proved");
    check(&["(>= x 1)", "(>= y 1)"], "(>= (* x y) 1)", "proved");
    check(&["(>= x 1)", "(>= y 1)"], "(>= (* x y) x)", "proved");
    check(&["(= x 3)"], "(= (* x y) (+ y y y))", "proved");
    check(&["(= (* x y) 12)", "(= x 4)"], "(= y 3)", "proved");
    check(&["(> (* x y) 0)", "(> x 0)"], "(> y 0)", "proved");
    check(&["(= (* x y) 6)"], "(= x 2)", "open");
}

#[test]
fn too_little_work_says_so() {
    let mut terms = Terms::new();
    let mut build = |text: &str| parse(text).unwrap().build(&mut terms);
    let (fact, goal) = (build("(<= (+ x (* 2 y)) (f z))"), build("(> (f x) y)"));
    let verdict = decide(&mut terms, &[fact], goal, &Limits { steps: 10 });
    assert_eq!(verdict, Verdict::Unknown { reason: UnknownReason::Budget, counterexample: None });
}

#[test]
fn what_is_shared_is_worked_on_once() {
    let mut terms = Terms::new();
    let (mut sum, one) = (terms.atom(0, Sort::Int), terms.int(1));
    let positive = terms.gt(sum, one);
    let mut chosen = terms.atom(1, Sort::Int);
    for number in 0..40 {
        sum = if number < 24 { terms.add(sum, sum) } else { sum };
        let (condition, next) = (terms.atom(100 + number, Sort::Bool), terms.add(chosen, one));
        chosen = terms.ite(condition, next, chosen);
    }
    let million = terms.int(1_000_000);
    let goal = terms.gt(sum, million);
    assert_eq!(decide(&mut terms, &[positive], goal, &Limits::default()), Verdict::Discharged);
    let start = terms.atom(1, Sort::Int);
    let goal = terms.ge(chosen, start);
    assert_eq!(decide(&mut terms, &[], goal, &Limits::default()), Verdict::Discharged);
}

/// Programs build terms that are this deep; the answer may be that the work did not suffice, but there is one.
#[test]
fn deep_and_long_terms_end() {
    let depth = 100_000;
    let mut terms = Terms::new();
    let mut formula = terms.bool(true);
    let (mut sum, mut choice, mut applied) = (terms.int(0), terms.int(0), terms.int(1));
    let mut power = terms.int(3);
    for number in 0..depth {
        let (flag, int) = (terms.atom(number, Sort::Bool), terms.atom(depth + number, Sort::Int));
        let either = terms.or(&[flag, formula]);
        let opposite = terms.not(either);
        formula = terms.and(&[flag, opposite]);
        sum = terms.add(sum, int);
        choice = terms.ite(flag, choice, int);
        applied = terms.apply(7, &[applied], Sort::Int);
        power = terms.mul(power, power);
    }
    for term in [sum, choice, applied, power] {
        let goal = terms.eq(term, sum);
        let verdict = decide(&mut terms, &[formula], goal, &Limits::default());
        assert!(
            term == sum || matches!(verdict, Verdict::Unknown { .. } | Verdict::Discharged),
            "{verdict:?}"
        );
        let _ = evaluate(&terms, goal, &Model::default());
    }
}

/// The work grows with the facts that matter, not with their square.
#[test]
fn many_facts_are_no_burden() {
    let mut terms = Terms::new();
    let mut facts = Vec::new();
    for number in 0..2_000 {
        let (low, high) = (terms.atom(number, Sort::Int), terms.atom(number + 1, Sort::Int));
        facts.push(terms.le(low, high));
        let alone = terms.atom(10_000 + number, Sort::Int);
        let zero = terms.int(0);
        facts.push(terms.ge(alone, zero));
    }
    let (first, last) = (terms.atom(0, Sort::Int), terms.atom(50, Sort::Int));
    let goal = terms.le(first, last);
    let enough = Limits { steps: 20_000_000 };
    assert_eq!(decide(&mut terms, &facts, goal, &enough), Verdict::Discharged);
    let alone = terms.atom(10_007, Sort::Int);
    let minus_one = terms.int(-1);
    let goal = terms.gt(alone, minus_one);
    assert_eq!(decide(&mut terms, &facts, goal, &Limits { steps: 2_000 }), Verdict::Discharged);
}
