//! Transactions on real and on failing disks: crashes, errors, escapes, undo, scan.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests make and read files")]

#[path = "it/cache.rs"]
mod cache;
#[path = "it/commit.rs"]
mod commit;
#[path = "it/crash.rs"]
mod crash;
#[path = "it/escape.rs"]
mod escape;
#[path = "it/history.rs"]
mod history;
#[path = "it/hostile_journal.rs"]
mod hostile_journal;
#[path = "it/listed.rs"]
mod listed;
#[path = "it/recovery.rs"]
mod recovery;
#[path = "it/savers.rs"]
mod savers;
#[path = "it/scan.rs"]
mod scan;
#[path = "it/staging.rs"]
mod staging;
#[path = "it/support.rs"]
mod support;
#[path = "it/survey.rs"]
mod survey;
#[path = "it/swap.rs"]
mod swap;
