//! The vocabulary of findings: what a diagnostic is, how diagnostics are ordered, and how they get an identity that
//! survives unrelated edits.
//!
//! Knows nothing about who finds something, how it is shown or how it is written on the wire.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod diagnostic;
mod identity;
mod location;

pub use diagnostic::{Diagnostic, Related, Severity, Tier};
pub use identity::{assign_ids, sort_and_assign_ids};
pub use location::Location;
