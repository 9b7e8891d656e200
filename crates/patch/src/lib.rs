//! Patch documents: fix actions, changesets, edits, JSON Patches, repairs, and fixes of other tools. They are read from
//! text, simulated against a snapshot, lowered to one [`snapshot::TreeChange`], and converted into each other as far as the
//! contracts allow.
//!
//! A patch document is a stranger's wish. So nothing here trusts it: [`read`] makes a [`Patch`] of a text or says everything
//! that is wrong with it; [`needs`] names the files to load; [`simulate()`] applies the operations in memory and returns the
//! change with a report of what was applied, what failed and why. Only the caller can make the change real.
//!
//! ```
//! use document::{Format, Limits};
//! use edit::Text;
//! use patch::{Options, read, simulate};
//! use snapshot::{Entry, File, FileIndex, RelPath, Snapshot};
//!
//! let path = RelPath::parse("app.yaml")?;
//! let file = Entry::File(File::new(Text::new("port: eighty # default\n"), 0o644));
//! let tree = Snapshot::new([(path.clone(), file)].into())?;
//!
//! let wish = Text::new(r#"{
//!   "pack_version": "1",
//!   "workspace_root": ".",
//!   "fix_actions": [{
//!     "id": "a1",
//!     "title": "Use a number",
//!     "severity": "error",
//!     "targets": [{"file": "app.yaml", "json_pointer": "/port", "rule_id": "PORT"}],
//!     "ops": [{"op": "replace_value", "file": "app.yaml", "json_pointer": "/port", "value": 80}]
//!   }]
//! }"#);
//! let patch = read("wish.json", &wish, Format::Json, None, &Limits::DEFAULT).expect("it follows its contract");
//! let simulation = simulate(&patch, &tree, &FileIndex::default(), &Options::DEFAULT);
//! assert!(simulation.ok);
//! assert_eq!(patch::needs(&patch, &FileIndex::default()), [path.clone()]);
//! let after = tree.apply(&simulation.change)?;
//! assert_eq!(after.file(&path).expect("it is still there").text().bytes(), b"port: 80 # default\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about disks, transactions, where a patch came from or how reports are rendered.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

pub mod bridge;
mod diagnose;
pub mod edits;
mod failure;
pub mod fixes;
pub mod import;
pub mod json_patch;
mod kind;
mod needs;
pub mod repairs;
mod simulate;
pub mod v1;

pub use failure::{FailedOp, OpFailureCode, Refused, RefusedPaths};
pub use kind::{Patch, PatchKind, PatchRejection, read};
pub use needs::{needs, needs_whole_tree};
pub use simulate::{AppliedOp, Options, Simulation, resolve_links, simulate};
