//! Goals that our own solver leaves open are put to another one, whose values are believed only after they were tried.

use std::sync::{Arc, Mutex};

use clank::proof::Proof;
use clank::{Checked, Oracle, Program, check_with};
use clank_syntax::ast::Name;

/// Says the same to everything, and remembers what it was asked.
#[derive(Debug)]
struct Parrot {
    replies: &'static [&'static str],
    asked: Mutex<Vec<String>>,
}

impl Oracle for Parrot {
    fn ask(&self, script: &str) -> Option<String> {
        let mut asked = self.asked.lock().expect("nobody panics");
        let reply = self.replies.get(asked.len() % self.replies.len()).map(|it| (*it).to_owned());
        asked.push(script.to_owned());
        reply.filter(|it| !it.is_empty())
    }
}

fn program(text: &str) -> Program {
    let parsed = clank_syntax::parse("main.clank", text);
    let ast = Arc::new(parsed.ast);
    Program::load(Name::new("main.clank"), ast, parsed.errors, &clank::program::NoModules)
}

/// What is found out about the last goal when these are the replies, and how often somebody was asked.
fn told(text: &str, replies: &'static [&'static str]) -> (Checked, Proof, usize) {
    let parrot = Arc::new(Parrot { replies, asked: Mutex::default() });
    let checked = check_with(&program(text), None, Some(Arc::<Parrot>::clone(&parrot)));
    let proof = checked.modules[0].goals().last().expect("there is a goal").2.clone();
    let n_asked = parrot.asked.lock().expect("nobody panics").len();
    (checked, proof, n_asked)
}

/// Our own solver does not know that squares are never negative in this shape.
const OPEN: &str = "fn f(x: Int, y: Int) -> (Int{result >= 0}) { x * x - 2 * x * y + y * y }\n";

#[test]
fn what_is_impossible_elsewhere_is_proved() {
    let (checked, proof, n_asked) = told(OPEN, &["unsat\n"]);
    assert_eq!((proof, n_asked), (Proof::Discharged, 1));
    assert!(!checked.has_errors());
}

#[test]
fn what_our_own_solver_decides_is_asked_of_nobody() {
    for text in [
        "fn f(n: Int{n > 1}) -> (Int{result > 0}) { n - 1 }\n",
        "fn f(n: Int{n > 1}) -> (Int{result > 5}) { 1 }\n",
    ] {
        assert_eq!(told(text, &["sat\n"]).2, 0, "{text}");
    }
}

/// Row 27: values that are not counterexamples by our own evaluation are none.
#[test]
fn values_from_elsewhere_are_tried_before_they_are_told() {
    let text = "fn f(x: Int{x > 9}, y: Int) -> (Int{result != 1729}) { x * x * x + y * y * y }\n";
    let values = |replies| match told(text, replies).1 {
        Proof::Unknown(doubt) => doubt.counterexample.map(|it| it.values),
        other => panic!("{other:?}"),
    };
    assert_eq!(values(&[""]), None, "our own solver finds none");
    let pair = vec![("x".into(), "12".into()), ("y".into(), "1".into())];
    assert_eq!(values(&["sat\n((t0 12) (t1 1))\n", "unknown\n"]), Some(pair));
    // The first breaks what is known of `x`, the second fulfils the goal.
    assert_eq!(values(&["sat\n((t0 9) (t1 10))\n", "unknown\n"]), None);
    assert_eq!(values(&["sat\n((t0 10) (t1 10))\n", "unknown\n"]), None);
    assert_eq!(values(&["(error \"no\")\n"]), None);
}

/// A goal is refuted only if it is impossible and what is known is not.
#[test]
fn what_cannot_be_true_is_refuted() {
    let text = "fn f(x: Int, y: Int) -> (Int{result < 0}) { x * x - 2 * x * y + y * y }\n";
    let (checked, proof, _) = told(text, &["unknown\n", "unsat\n"]);
    assert!(matches!(proof, Proof::Refuted(_)), "{proof:?}");
    assert!(checked.has_errors());
}
