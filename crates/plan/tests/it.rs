//! What the plan promises, through its public functions only.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod cases;
    mod classes;
    mod files;
    mod gates;
    mod hostile;
    mod laws;
    mod layout;
    mod model;
    mod notation;
}
