//! The commands, a file or folder each. What several share is in the rooms beside this one.
//!
//! `check`, `plan` and `pack` are `…_command` here: those names are crates. `hook` writes a file of git and nothing else, and is
//! in the binary.

pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod check_command;
pub(crate) mod compile;
pub(crate) mod convert;
pub mod dds;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod pack_command;
pub(crate) mod plan_command;
pub(crate) mod recover;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod schemas;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod validate;
pub(crate) mod watch;
