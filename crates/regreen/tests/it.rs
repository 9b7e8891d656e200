//! Black-box tests of the binary, in temporary folders.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "it/action_mode.rs"]
mod action_mode;
#[path = "it/apply.rs"]
mod apply;
#[path = "it/convert.rs"]
mod convert;
#[path = "it/determinism.rs"]
mod determinism;
#[path = "it/examples.rs"]
mod examples;
#[path = "it/exit_codes.rs"]
mod exit_codes;
#[path = "it/guide.rs"]
mod guide;
#[path = "it/history.rs"]
mod history;
#[path = "it/hostile.rs"]
mod hostile;
#[path = "it/output.rs"]
mod output;
#[path = "it/support.rs"]
mod support;
