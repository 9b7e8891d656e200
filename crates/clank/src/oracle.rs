//! Whoever answers what our own solver leaves open. What is asked and what an answer means is decided here; how the asked
//! one is reached is the business of whoever gives it.

use std::fmt::Debug;

use check::Stop;

/// Another solver, which is asked in SMT-LIB.
pub trait Oracle: Debug + Send + Sync {
    /// What it says to a whole script; nothing if it does not know.
    fn ask(&self, script: &str) -> Option<String>;

    /// The same, until somebody wants to stop.
    fn ask_until(&self, script: &str, stop: &Stop) -> Option<String> {
        if stop.is_set() { None } else { self.ask(script) }
    }
}
