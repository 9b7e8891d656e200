//! Decides goals about integers: do these facts imply that goal, do they imply its opposite, or neither, and then with what
//! values? Linear integer arithmetic, booleans, equality, and applications of functions that nothing is known about, in
//! exact arithmetic and within a bound of work.
//!
//! [`Terms`] holds what is said, every term once; [`decide`] says what follows. [`smt`] writes the same questions for another
//! solver.
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

pub use decide::{Limits, Reason, Verdict, decide};
pub use model::{Model, Value, evaluate};
pub use term::{COERCION, Kind, Sort, Term, Terms};

#[cfg(any(test, feature = "testing"))]
pub mod testing;
