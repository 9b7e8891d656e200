//! Generated questions, for tests, fuzzing and benchmarks: the same seed, the same question.
//!
//! A question is made of [`Expr`], a tree of its own, so that what [`Terms`] makes of it can be compared with what it says.

mod expr;
mod generate;
mod parse;
pub mod smt;

pub use expr::{Expr, Op};
pub use generate::{Dice, KINDS, Question, QuestionKind, question};
pub use parse::parse;

/// The same cases in every run. `PROPTEST_CASES` has no say: some laws try hundreds of values in each.
#[cfg(test)]
pub(crate) fn config() -> proptest::prelude::ProptestConfig {
    proptest::prelude::ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        cases: 120,
        ..proptest::prelude::ProptestConfig::default()
    }
}
