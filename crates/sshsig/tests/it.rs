//! What the crate promises, tried from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests make files and run programs")]

#[cfg(not(feature = "ssh"))]
#[path = "it/absent.rs"]
mod absent;
#[cfg(feature = "live")]
#[path = "it/against_openssh.rs"]
mod against_openssh;
#[cfg(feature = "ssh")]
#[path = "it/allowed.rs"]
mod allowed;
#[cfg(feature = "ssh")]
#[path = "it/keys.rs"]
mod keys;
#[cfg(feature = "ssh")]
#[path = "it/support.rs"]
mod support;
