//! The one place where other programs are started: linters, formatters, git, Node, Z3.
//!
//! Two kinds of programs are told apart. What the user named or installed, and what is run on the user's behalf, is run with
//! the user's rights by [`run`], [`stream`], [`run_attached`] or, to be asked many questions, a [`Session`]: in a process group
//! of its own, within limits, stopped when somebody asks for it. What looks at somebody else's files is confined:
//! [`run_confined`] and [`TreeView::run`] start it without network, with an empty home, and with no way to change the tree.
//!
//! A [`TreeView`] is the tree as such a program sees it: a [`snapshot::Snapshot`] may differ from the disk, and a linter wants
//! files. It shows the real tree where both are the same, an overlay where the machine has one, or else a mirror, and says what
//! a program that rewrites files has written.
//!
//! [`which`] finds programs, and never in the repository; [`install()`] says what belongs to one, and an [`ProgramIdentity`] which
//! program it was.
//!
//! ```no_run
//! use launch::{Access, Isolation, Program, TreeView};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (root, disk, wanted) = (std::path::Path::new("/r"), snapshot::Snapshot::default(), snapshot::Snapshot::default());
//! # let cache = std::path::Path::new("/c");
//! let mut view = TreeView::new(root, disk, cache, Isolation::best())?;
//! view.show(&wanted)?;
//! let ruff = Program::new("/usr/bin/ruff", view.root()).args(["check", "--output-format=json", "."]);
//! let output = view.run(&ruff, &Access::default(), &check::Stop::new())?;
//! # drop(output); Ok(()) }
//! ```
//!
//! Knows nothing about which tools there are, what they print, or when they are asked.
#![warn(missing_docs)]

mod builds;
mod changes;
mod direct;
mod error;
mod identity;
mod install;
mod isolation;
mod layer;
mod mirror;
mod program;
mod session;
mod shims;
mod view;
mod which;

pub use builds::{BuildLimits, build_folder};
pub use changes::{Capture, WrittenChanges, Wrote};
pub use direct::{Stream, run, run_attached, stream};
pub use error::LaunchError;
pub use identity::{FileStamp, ProgramIdentity};
pub use install::{Install, install, rust_toolchain};
pub use isolation::{Access, Isolation, run_confined};
pub use program::{Limits, ProcessExit, Program, ProgramOutput};
pub use sandbox::SandboxLevel;
pub use session::{Patience, Session, Silence};
pub use view::{TreeExposure, TreeView, ViewError};
pub use which::{Search, SkipReason, Skipped, which};
