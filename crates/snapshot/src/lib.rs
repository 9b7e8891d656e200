//! The tree as a value: paths, files, and changes from one tree to the next.
//!
//! A [`Snapshot`] and a [`TreeChange`] are duals: `apply` makes a snapshot from a snapshot and a change,
//! `diff` makes a change from two snapshots, and both are plain values that nothing on disk can alter.
//! A change is bound to the hash of every file that it touches, so that it applies to the tree it was made for or fails.
//! [`FileIndex`] is the value of `.regreen/files.json`, which gives files an identity that outlives renames.
//!
//! ```
//! use edit::Text;
//! use snapshot::{Entry, File, RelPath, Snapshot, diff};
//!
//! let tree = |text: &str| {
//!     let file = Entry::File(File::new(Text::new(text), 0o644));
//!     Snapshot::new([(RelPath::parse("src/app.yaml").expect("it is relative"), file)].into())
//! };
//! let (before, after) = (tree("port: 1\n")?, tree("port: 80\n")?);
//! let change = diff(&before, &after);
//! assert_eq!(before.apply(&change)?.hash(), after.hash());
//! assert_eq!(after.apply(&change.invert(&before)?)?.hash(), before.hash());
//! // A change never applies to another tree, and a path never leads out of one.
//! assert!(after.apply(&change).is_err());
//! assert!(RelPath::parse("../secret").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
