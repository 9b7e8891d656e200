//! The reader as its users see it.
#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "it/suite.rs"]
mod suite;
