//! The tree as a value: paths, files, and changes from one tree to the next.
//!
//! A [`Snapshot`] and a [`TreeChange`] are duals: `apply` makes a snapshot from a snapshot and a change,
//! `diff` makes a change from two snapshots, and both are plain values that nothing on disk can alter.
//! [`FileIndex`] is the value of `.regreen/files.json`, which gives files an identity that outlives renames.
//!
//! Knows nothing about disks, formats, diagnostics or rules.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod apply;
mod change;
mod file;
mod index;
mod path;
mod tree;

pub use apply::{ApplyError, diff};
pub use change::{ChangeError, NewFile, Rename, TreeChange};
pub use file::{Contents, File};
pub use index::{FileIndex, IndexError};
pub use path::{PathError, RelPath};
pub use tree::{Entry, FileAsDirectory, Snapshot, UnreadReason};
