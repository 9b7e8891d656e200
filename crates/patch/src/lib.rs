//! Patch documents: fix actions, changesets and edits. They are read from text, simulated against a snapshot, lowered
//! to one [`snapshot::TreeChange`], and converted into each other as far as the contracts allow.
//!
//! The path of a patch: [`read`] makes a [`Patch`] of a text or says everything that is wrong with it; [`needs`] names
//! the files to load; [`simulate()`] applies the operations in memory and returns the change with a report.
//!
//! Knows nothing about disks, transactions, where a patch came from or how reports are rendered.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

pub mod bridge;
mod diagnose;
pub mod edits;
mod failure;
pub mod import;
mod kind;
mod needs;
mod simulate;
pub mod v1;

pub use failure::{Code, FailedOp, Refused, RefusedPaths};
pub use kind::{Kind, Patch, Rejection, read};
pub use needs::{needs, needs_whole_tree};
pub use simulate::{AppliedOp, Options, Simulation, resolve_links, simulate};
