//! Programs on the embedded engine and, in the live tier, on Node.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod builtins;
    mod faults;
    #[cfg(feature = "live")]
    mod library;
    mod run;
    mod support;
    mod z3;
}
