//! Byte edits to one text: what they are, when two of them conflict, and how they are applied, undone and shown.
//!
//! Everything regreen changes ends as an [`EditSet`] on one [`Text`]: sorted, disjoint byte replacements that are bound to
//! the hash of the text they were made for. A set is checked when it is made, so applying it to its text cannot fail and
//! applying it to another text is an error, never a wrong result. Sets form a small algebra: [`EditSet::compose`] joins two
//! that follow one another, [`EditSet::invert`] undoes one, [`merge`] takes as many of several authors' sets as go together
//! and says of every other one why not, [`PositionMap`] carries a position across, [`diff`] finds a small set between two
//! texts, and [`unified`] shows one as a patch.
//!
//! ```
//! use edit::{Edit, EditProposal, EditSet, Text, merge};
//!
//! let text = Text::new("port: eighty\nhost: a\n");
//! let port = EditSet::new(&text, vec![Edit::replace(6, 12, "80")])?;
//! let host = EditSet::new(&text, vec![Edit::replace(19, 20, "example.org")])?;
//!
//! // Two authors, one text: the edits do not touch, so both are taken.
//! let propose = |id, edits| EditProposal { id, priority: 0, edits };
//! let merged = merge(&text, vec![propose(0, port), propose(1, host)]);
//! assert!(merged.rejected.is_empty());
//! let after = merged.edits.apply(&text)?;
//! assert_eq!(after.bytes(), b"port: 80\nhost: example.org\n");
//!
//! // Undone, byte for byte; and no set is ever applied to a text that it was not made for.
//! let (_, undo) = merged.edits.invert(&text)?;
//! assert_eq!(undo.apply(&after)?.bytes(), text.bytes());
//! assert!(merged.edits.apply(&after).is_err());
//! # Ok::<(), edit::EditError>(())
//! ```
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
mod order;
mod position_map;
mod text;
mod unified;

pub use diff::diff;
pub use edit_set::{Edit, EditError, EditSet};
pub use line_index::{LineIndex, Position, Unit};
pub use merge::{
    Clash, ClashKind, EditProposal, Merge, MergeError, Merged, RejectedProposal, merge,
};
pub use position_map::{Bias, Mapped, PositionMap};
pub use text::{ContentHash, ContentHasher, ParseHashError, Text, WeakText};
pub use unified::{FileDiff, FileMode, unified};
