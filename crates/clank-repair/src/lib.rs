//! Repairs of Clank programs: for every mistake, unproved goal and hole, the changes that would make it go away, each
//! tried before it is offered.
//!
//! Generate and validate, one way: [`propose`] makes candidates from the tree, [`verify`] applies each to the tree and
//! checks the program again, [`rank`] puts those that keep their promise in the order of preference, and [`relate`] says
//! which exclude one another and which go together. A candidate that does not do what it is for, or that makes
//! something else go wrong, is not offered. Work is counted, not timed ([`Budget`]), so that the same program gets the
//! same repairs on every machine.
//!
//! ```
//! use std::sync::Arc;
//!
//! use clank::program::NoModules;
//! use clank_repair::{Budget, repairs};
//! use clank_syntax::ast::Name;
//!
//! let text = "fn area(width: Int, height: Int) -> Int { width * heigth }\n";
//! let parsed = clank_syntax::parse("main.clank", text);
//! let ast = Arc::new(parsed.ast);
//! let program = clank::Program::load(Name::new("main.clank"), ast, parsed.errors, &NoModules);
//! let checked = clank::check(&program, None);
//!
//! let found = repairs(&program, &checked, 0, &Budget::default());
//!
//! assert_eq!(found.list[0].title, "rename `heigth` to `height`");
//! assert!(found.list[0].is_verified);
//! ```
//!
//! [`ClankCheck`] puts findings and repairs together as a provider: it implements [`check::Check`], so that `.clank`
//! files are checked and repaired like any other. What it remembers of a tree ([`ClankLook`]) holds the checked program,
//! and that is what `compile` and `run` hand to the emitter: this crate does not need one.
//!
//! Knows nothing about generated code, the engine, the disk, processes or terminals.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

mod class;
mod extent;
mod findings;
mod footprint;
mod on_text;
mod order;
mod prefer;
mod progress;
mod propose;
mod provider;
mod rank;
mod relate;
mod rename;
mod repair;
mod search;
mod verify;

pub use self::order::{in_order, with_required};
pub use self::progress::{ProgramProgress, progress};
pub use self::provider::{ClankCheck, ClankLook};
pub use self::rename::{RenameError, expand};
pub use self::repair::{Budget, FindingId, ModuleRepairs, Repair, RepairRelations};
pub use self::search::repairs;
