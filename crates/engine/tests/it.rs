//! The engine against providers that tell the truth and providers that do not.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod adversaries;
    mod cures;
    mod elsewhere;
    mod files;
    mod findings;
    mod impostors;
    mod invariants;
    mod kit;
    mod laws;
    mod steps;
    mod verified;
}
