//! The tools that people already have, as sources of findings: how each of them is recognised, run and understood.
//!
//! An [`Adapter`] is what regreen knows of one tool: the files it is about, what shows that a repository uses it, how
//! it is found, the versions that are understood, whether it is sealed, and its two pure functions.
//! [`Adapter::invocation`] says which command answers a [`ToolJob`]; [`Adapter::parse`] reads what the command said.
//! Starting it is somebody else's work, between the two:
//!
//! ```text
//! ToolJob ──► Invocation ──► (a process in a sandbox) ──► ToolOutput ──► ToolReport ──► check::Report
//! ```
//!
//! What a tool says is not trusted. Every position is converted from the tool's unit to bytes of the text that was
//! looked at ([`positions`]), every edit must lie in that text, on character boundaries, and must replace what the tool
//! says it replaces, where it says so. A fix of which one edit does not fit is dropped as a whole, with a reason; the
//! finding stays. Paths outside the root and files that are not in the snapshot are refused. All input is bounded.
//!
//! ```
//! use std::collections::BTreeMap;
//! use linters::{Texts, ToolJob, ToolOutput};
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! let file = RelPath::parse("notes.md").unwrap();
//! let text = edit::Text::new("h\u{e9}\u{1f600} teh end\n");
//! let entries = BTreeMap::from([(file.clone(), Entry::File(File::new(text, 0o644)))]);
//! let snapshot = Snapshot::new(entries).unwrap();
//!
//! let typos = linters::adapter("typos").unwrap();
//! let invocation = typos.invocation(&ToolJob::Check { files: &[file] }).unwrap();
//! assert_eq!(invocation.program, "typos");
//!
//! let line = r#"{"type":"typo","path":"notes.md","line_num":1,"byte_offset":8,"typo":"teh","corrections":["the"]}"#;
//! let report = typos.parse(&ToolOutput::printed(2, line), &Texts::new(&snapshot, "/workspace")).unwrap();
//! assert_eq!(report.findings[0].range, Some(8..11));
//! ```
//!
//! Knows nothing about processes, the disk, which repairs are chosen, or how findings are shown.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod adapter;
mod adapters;
mod collect;
mod convert;
pub mod formats;
mod hunks;
mod imported_names;
mod json;
mod limits;
mod paths;
pub mod positions;
mod probe;
mod report;
mod silence;
mod uses;
mod version;

pub use adapter::{
    Adapter, Files, Invocation, LocalPrograms, RulePage, Scope, TimeClass, ToolJob, ToolKind,
    ToolOutput, Toolchain,
};
pub use adapters::{adapter, all};
pub use collect::Texts;
pub use hunks::{hunks, rewrites};
pub use probe::{Landmark, Probe};
pub use report::{Dropped, FileOp, Finding, Fix, Garbled, Lost, ToolReport};
pub use silence::silences;
pub use uses::{Evidence, Signs, ToolUses, is_settings_name};
pub use version::{Version, Versions};
