//! The Clank checker: modules, names, types, effects, patterns and goals in; diagnostics, holes, proofs and a canonical
//! tree out.
//!
//! The path of a program, one way: [`program`] finds the modules that belong together, `collect` what they declare
//! ([`env`]), `infer` gives every expression its type ([`body`]), `flow` and `exhaust` look at paths and patterns,
//! `prove` at what must hold ([`proof`]), [`canon`] desugars. Nothing is thrown away on a mistake: a program with errors
//! has types and proofs where it can, so that repairs can be tried on it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use clank::Program;
//! use clank::program::NoModules;
//! use clank_syntax::ast::Name;
//!
//! let text = "fn half(n: Int) -> Int { n / 2 }\n\nfn main() -> Str { half(4) }\n";
//! let parsed = clank_syntax::parse("main.clank", text);
//! let ast = Arc::new(parsed.ast);
//! let program = Program::load(Name::new("main.clank"), ast, parsed.errors, &NoModules);
//!
//! let checked = clank::check(&program, None);
//!
//! let module = checked.asked().unwrap();
//! assert_eq!(module.diagnostics[0].code, clank::code::Code::E2001);
//! assert!(module.goals().all(|(_, _, proof)| proof.is_discharged()));
//! ```
//!
//! Knows nothing about generated code, repairs, the engine, the disk, processes or terminals.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

pub mod body;
pub mod canon;
pub mod code;
mod collect;
pub mod diagnostic;
mod driver;
pub mod env;
pub mod exhaust;
mod flow;
mod graph;
pub mod host;
mod infer;
mod language;
mod oracle;
pub mod page;
mod prelude;
pub mod program;
pub mod proof;
mod prove;
pub mod resolve;
pub mod similar;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod ty;
mod uses;

pub use driver::{Checked, CheckedBody, CheckedModule, check, check_until, check_with};
pub use language::{EXTENSION, LANGUAGE, is_program, stem};
pub use oracle::Oracle;
pub use prelude::{SIGNATURES, prelude};
pub use program::Program;
pub use uses::{NameUse, NameUses};
