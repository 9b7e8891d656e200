//! What regreen says to other programs: versioned wire types and their JSON Schemas.
//!
//! Formats carry a version, members are added and never reused, and golden files of every version stay in the tests.
//! The two patch documents have wire types of their own in `patch::v1`.
//!
//! Knows nothing about every other crate: wire needs cannot shape the core.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

pub mod v1;
