//! The solver against Z3, when the feature `live` says that it is installed.
#![cfg(feature = "live")]
#![expect(clippy::disallowed_methods, reason = "tests start Z3")]
#![expect(clippy::print_stdout, reason = "the numbers are part of the result")]

#[path = "it/z3.rs"]
mod z3;
