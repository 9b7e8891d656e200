//! The reader as its users see it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests read files, and tell what they read"
)]

#[path = "it/differential.rs"]
mod differential;
#[path = "it/errors.rs"]
mod errors;
#[path = "it/hostile.rs"]
mod hostile;
#[path = "it/suite.rs"]
mod suite;
#[path = "it/tree.rs"]
mod tree;
