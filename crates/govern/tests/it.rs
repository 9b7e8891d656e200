//! What the crate promises, tried from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![cfg_attr(
    feature = "live",
    expect(clippy::disallowed_methods, reason = "tests make files and run programs")
)]

#[cfg(feature = "ssh")]
#[path = "it/approval.rs"]
mod approval;
#[cfg(not(feature = "ssh"))]
#[path = "it/approval_absent.rs"]
mod approval_absent;
#[cfg(feature = "ssh")]
#[path = "it/approval_document.rs"]
mod approval_document;
#[cfg(feature = "ssh")]
#[path = "it/approval_events.rs"]
mod approval_events;
#[cfg(feature = "live")]
#[path = "it/approval_live.rs"]
mod approval_live;
#[cfg(feature = "ssh")]
#[path = "it/approval_protected.rs"]
mod approval_protected;
#[cfg(feature = "ssh")]
#[path = "it/approval_support.rs"]
mod approval_support;
