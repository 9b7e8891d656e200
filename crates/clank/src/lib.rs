//! The Clank compiler: modules, names, types, effects, patterns and goals in; diagnostics, holes, a canonical tree and
//! TypeScript or JavaScript out. Implements [`check::Check`], so that `.clank` files are checked and repaired like
//! any other.
//!
//! The path of a program, one way: [`program`] finds the modules that belong together, [`collect`] what they declare
//! ([`env`]), [`infer`] gives every expression its type ([`body`]), [`flow`] and [`exhaust`] look at paths and patterns,
//! [`prove`] at what must hold ([`proof`]), [`canon`] desugars, [`emit`] writes TypeScript and JavaScript.
//!
//! Knows nothing about the engine, the disk, processes or terminals.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

pub mod body;
pub mod canon;
pub mod code;
mod collect;
pub mod diagnostic;
mod driver;
pub mod emit;
pub mod env;
mod exhaust;
mod flow;
mod graph;
mod host;
mod infer;
mod language;
mod oracle;
pub mod page;
mod prelude;
pub mod program;
pub mod proof;
mod prove;
mod provider;
pub mod repair;
mod resolve;
pub mod runtime;
mod similar;
#[cfg(test)]
mod testing;
pub mod ty;
mod uses;

pub use driver::{Checked, CheckedBody, CheckedModule, check, check_with};
pub use language::{EXTENSION, LANGUAGE, is_program, stem};
pub use oracle::Oracle;
pub use prelude::prelude;
pub use program::Program;
pub use provider::{ClankCheck, ClankLook};
pub use uses::{Use, Uses};
