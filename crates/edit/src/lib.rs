//! Byte edits to one text: what they are, when two of them clash, and how they are applied, undone and shown.
//!
//! Everything regreen changes ends as an [`EditSet`] on one [`Text`]: sorted, disjoint byte replacements
//! that are bound to the hash of the text they were made for.
//!
//! Knows nothing about files, formats, diagnostics or serde.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod character;
mod compose;
mod diff;
mod edit_set;
mod invert;
#[cfg(test)]
mod laws;
mod line_index;
mod merge;
mod normal;
mod position_map;
mod text;
mod unified;

pub use diff::diff;
pub use edit_set::{Edit, EditError, EditSet};
pub use line_index::{LineIndex, Position, Unit};
pub use merge::{Clash, ClashKind, Merge, Merged, Proposal, Refusal, Rejected, merge};
pub use position_map::{Bias, Mapped, PositionMap};
pub use text::{ContentHash, ContentHasher, ParseHashError, Text, WeakText};
pub use unified::{FileDiff, FileMode, unified};
