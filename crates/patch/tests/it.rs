//! What the crate promises, seen from outside: fixture folders, laws over generated documents, hostile documents.
#![expect(clippy::disallowed_methods, reason = "tests read files")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod bridge;
    mod edits;
    mod fixtures;
    mod generate;
    mod hostile;
    mod import;
    mod reading;
    mod refused;
    mod schema;
    mod simulation;
    mod stream;
    mod support;
}
