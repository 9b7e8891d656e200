//! What is written, what is read, and that values are believed only after they were tried.

use super::{Answer, Query};
use crate::{Sort, Terms, Value, evaluate};

fn square_at_least(bound: i64) -> (Terms, Query) {
    let mut terms = Terms::new();
    let x = terms.atom(0, Sort::Int);
    let square = terms.mul(x, x);
    let bound = terms.int(bound);
    let claim = terms.ge(square, bound);
    let query = Query::new(&terms, &[claim]).unwrap();
    (terms, query)
}

#[test]
fn a_question_is_a_whole_script_in_which_every_term_has_a_name() {
    let mut terms = Terms::new();
    let xs = terms.atom(0, Sort::Other);
    let (one, other) = (terms.constant(3), terms.constant(4));
    let length = terms.apply(7, &[xs], Sort::Int);
    let zero = terms.int(0);
    let is_empty = terms.eq(length, zero);
    let is_one = terms.eq(xs, one);
    let is_other = terms.eq(xs, other);
    let either = terms.or(&[is_one, is_other]);
    let query = Query::new(&terms, &[is_empty, either]).unwrap();
    let text = query.text();
    assert!(text.contains("(declare-fun f7_u_i (U) Int)"), "{text}");
    assert!(text.contains("(assert (distinct t1 t2))"), "{text}");
    assert!(text.contains("(define-fun t3 () Int (f7_u_i t0))"), "{text}");
    assert!(text.ends_with("(check-sat)\n(get-value (t0 t1 t2 t3))\n"), "{text}");
    // The constants are what they are, whatever the other solver calls them.
    let reply = "sat\n((t0 U!val!1) (t1 U!val!0)\n (t2 U!val!1) ((f7_u_i t0) 0))\n";
    let Answer::Possible(model) = query.answer(&terms, reply) else { panic!("it is possible") };
    assert_eq!(evaluate(&terms, xs, &model), Some(Value::Other(4)));
}

#[test]
fn a_term_that_occurs_often_is_written_once() {
    let mut terms = Terms::new();
    let mut term = terms.atom(0, Sort::Int);
    for number in 1..60 {
        let opaque = terms.apply(number, &[term, term], Sort::Int);
        term = opaque;
    }
    let zero = terms.int(0);
    let claim = terms.ge(term, zero);
    assert!(Query::new(&terms, &[claim]).unwrap().text().len() < 8_000);
}

/// Row 27: values are a counterexample only if they are one by our own evaluation.
#[test]
fn values_are_believed_only_if_every_claim_is_true_under_them() {
    let (terms, query) = square_at_least(9);
    let possible = |reply: &str| match query.answer(&terms, reply) {
        Answer::Possible(model) => Some(model),
        _ => None,
    };
    assert!(possible("sat\n((t0 (- 3)))\n").is_some());
    for wrong in [
        "sat\n((t0 2))\n",
        "sat\n((t0 (/ 7 2)))\n",
        "sat\n((t0 2.5))\n",
        "sat\n((t0 true))\n",
        "sat\n((t0 3) (t1 4))\n",
        "sat\n",
        "sat",
        "sat\n(error \"line 3\")\n",
        "sat\n((t0 3",
    ] {
        assert!(possible(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn only_unsat_is_impossible() {
    let (terms, query) = square_at_least(9);
    let reply = "unsat\n(error \"line 9 column 11: model is not available\")\n";
    assert_eq!(query.answer(&terms, reply), Answer::Impossible);
    for other in ["unknown\n", "timeout\n", "", "(error \"unsat\")\n", "unsatisfied\n"] {
        assert_eq!(query.answer(&terms, other), Answer::Unknown, "{other}");
    }
}

#[test]
fn what_is_no_claim_is_not_asked() {
    let mut terms = Terms::new();
    let x = terms.atom(0, Sort::Int);
    assert_eq!(Query::new(&terms, &[x]), None);
    let query = Query::new(&terms, &[]).unwrap();
    assert!(matches!(query.answer(&terms, "sat\n"), Answer::Possible(_)));
}

#[test]
fn replies_of_any_kind_are_read_without_harm() {
    let (terms, query) = square_at_least(1);
    for reply in
        ["sat\n)", "sat\n((", "sat\n(()", "sat\né", &format!("sat\n{}", "(".repeat(100_000))]
    {
        assert_eq!(query.answer(&terms, reply), Answer::Unknown);
    }
}
