//! Repairs are tried with the solver that was asked about the goals that ours leaves open.

use std::sync::Arc;

use clank::testing::program;
use clank::{Oracle, check_with};
use clank_repair::{Budget, repairs};

/// Says that everything is impossible.
#[derive(Debug)]
struct Unsat;

impl Oracle for Unsat {
    fn ask(&self, _: &str) -> Option<String> {
        Some("unsat\n".to_owned())
    }
}

/// Our own solver does not know that squares are never negative in this shape.
const OPEN: &str = "fn f(x: Int, y: Int) -> (Int{result >= 0}) { x * x - 2 * x * y + y * y }\n";

/// A goal that only the other solver proves does not come up again.
#[test]
fn repairs_are_tried_with_the_same_solver() {
    let text = format!("{OPEN}fn g(a: Int) -> Int {{ f(a, aa) }}\n");
    let program = program(&text);
    let checked = check_with(&program, None, Some(Arc::new(Unsat)));
    let found = repairs(&program, &checked, 0, &Budget::default());
    let rename = found.list.iter().find(|it| it.title == "rename `aa` to `a`").unwrap();
    assert!(rename.is_verified);
}
