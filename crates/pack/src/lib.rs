//! Rule packs: what is right in configuration and data files, and the repairs that can be justified when something
//! is not. Three tiers: schema (the shape of a document), semantic (what documents mean together), policy (what a
//! workspace has agreed on).
//!
//! Knows nothing about the layout of text, which repairs are chosen, or the disk.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.

mod builtin;
mod cache;
mod catalogue;
mod conditions;
mod deep_stack;
mod finding;
mod github;
mod globs;
#[cfg_attr(not(feature = "cel"), path = "no_guard.rs")]
mod guard;
mod legible;
mod load;
mod local_schema;
mod pack;
mod page;
mod path_glob;
mod pattern;
mod problem;
mod provider;
mod report;
mod rules;
mod schema;
mod selector;
mod syntax;
mod template;
#[cfg(test)]
mod testing;
mod tree;
mod typo;

pub use catalogue::{
    Catalogue, CatalogueEntry, LOCK, LockedSchema, MappedSchema, Mapping, SchemaBytes, SchemaLock,
    content_hash, read_catalogue, references_of,
};
pub use conditions::Conditions;
pub use globs::FileGlobs;
pub use load::manifest_schema;
pub use local_schema::{LocalSchema, SCHEMA_SIGN};
pub use pack::{Pack, RuleSummary};
pub use page::{page, rule_ids};
pub use problem::PackProblem;
pub use provider::PackCheck;
pub use syntax::SyntaxCheck;

/// Whether rules may be CEL expressions: the feature `cel`.
pub const HAS_CEL: bool = cfg!(feature = "cel");
