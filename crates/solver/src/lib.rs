//! A solver for quantifier-free linear integer arithmetic with Booleans, equality and uninterpreted functions: do these
//! facts imply that goal, do they imply its negation, or neither, and then with what values?
//!
//! It is an SMT solver in the small: conflict-driven clause learning over a simplex tableau, with branch and bound and cuts
//! for the integers, in exact arithmetic. Each module of `decide` names the algorithm that it implements and where it was
//! published. Three things are different from a large one. Work is counted and bounded, never timed, so that the same
//! question has the same answer on every machine. Counterexamples are evaluated against every fact before they are given
//! out. And a question is asked once: there is no incremental interface.
//!
//! [`Terms`] holds what is said, every term once and in normal form; [`decide`] says what follows; [`smt`] writes the same
//! questions for another solver.
//!
//! ```
//! use solver::{Limits, Sort, Terms, Verdict, decide};
//!
//! let mut terms = Terms::new();
//! let (x, y) = (terms.atom(0, Sort::Int), terms.atom(1, Sort::Int));
//! let (two, three) = (terms.int(2), terms.int(3));
//!
//! // From x + y <= 3 and x >= 2 follows y < 2.
//! let sum = terms.add(x, y);
//! let facts = [terms.le(sum, three), terms.ge(x, two)];
//! let goal = terms.lt(y, two);
//! assert_eq!(decide(&mut terms, &facts, goal, &Limits::default()), Verdict::Discharged);
//!
//! // Without the second fact it does not, and there are values that show it.
//! let verdict = decide(&mut terms, &facts[..1], goal, &Limits::default());
//! let Verdict::Unknown { counterexample: Some(model), .. } = verdict else { panic!() };
//! assert!(model.value(y).is_some());
//! ```
//!
//! Knows nothing about programs, texts, types or files.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod decide;
#[cfg(test)]
mod laws;
mod model;
mod rational;
pub mod smt;
mod term;

pub use decide::{Limits, UnknownReason, Verdict, decide};
pub use model::{Model, Value, evaluate};
pub use term::{COERCION, Sort, Term, TermKind, Terms};

#[cfg(any(test, feature = "testing"))]
pub mod testing;
