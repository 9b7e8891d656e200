//! Whoever answers what our own solver leaves open. What is asked and what an answer means is decided here; how the asked
//! one is reached is the business of whoever gives it.

use std::fmt::Debug;

/// Another solver, which is asked in SMT-LIB.
pub trait Oracle: Debug + Send + Sync {
    /// What it says to a whole script; nothing if it does not know.
    fn ask(&self, script: &str) -> Option<String>;
}
