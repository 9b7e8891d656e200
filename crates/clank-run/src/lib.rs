//! Runs the JavaScript that Clank programs become: on an embedded engine that reaches nothing but the streams it is
//! given, or on Node with all that Node can do. Both end in the same [`ProgramExit`]. [`Z3`] is the other program that may be
//! started for them, before they run.
//!
//! A program stops for one of four reasons: it is done, it panics, an error reaches `main`, or it meets a limit. None of
//! them is a [`RunError`]; that is for a program that could not be run to an end at all.
//!
//! ```
//! use clank_run::{Io, Limits, Module, Program, ProgramExit, run};
//!
//! # if !clank_run::HAS_ENGINE { return Ok(()) }
//! let text = "export function main() { throw new Error('no more lamps'); }".to_owned();
//! let program = Program::new(vec![Module { path: "main.js".to_owned(), text }], "main.js")?;
//! let (mut output, mut errors) = (Vec::new(), Vec::new());
//! let io = Io { input: &mut &b""[..], output: &mut output, errors: &mut errors };
//!
//! let exit = run(&program, &Limits::STANDARD, io)?;
//!
//! let ProgramExit::Panic { message, .. } = exit else { panic!("{exit:?}") };
//! assert!(message.contains("no more lamps"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about Clank's syntax and types, workspaces or terminals.

#[cfg_attr(not(feature = "javascript"), path = "no_embedded.rs")]
mod embedded;
mod frame;
mod io;
mod node;
mod outcome;
mod program;
mod source_map;
mod z3;

pub use embedded::{Engine, run};
pub use frame::Frame;
pub use io::Io;
pub use node::{NodeIo, run_node};
pub use outcome::{Limit, Limits, OutputStream, ProgramExit, RunError};
pub use program::{Module, Program, ProgramError};
pub use source_map::{Origin, SourceMap, SourceMapError};
pub use z3::{Z3, Z3Error, Z3Limits};

/// Whether there is an embedded engine: the feature `javascript`.
pub const HAS_ENGINE: bool = cfg!(feature = "javascript");
