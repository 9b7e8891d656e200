//! What the crate promises, tried from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "it/changes.rs"]
mod changes;
#[path = "it/dependencies.rs"]
mod dependencies;
#[path = "it/refactor.rs"]
mod refactor;
