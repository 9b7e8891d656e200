//! Rule packs: what is right in configuration and data files, and the repairs that can be justified when something
//! is not. Three tiers: schema (the shape of a document), semantic (what documents mean together), policy (what a
//! workspace has agreed on).
//!
//! A [`Pack`] is data: kinds of files, a JSON Schema for each, and rules about places in them. [`PackCheck`] makes a provider
//! of it. Two more providers need no pack: [`LocalSchema`] checks files against the schema that they name, and
//! [`SyntaxCheck`] says what does not parse. A repair is offered only after it was tried on a copy of the value.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use check::{Check, Input, Parses, Stop};
//! use document::Limits;
//! use edit::Text;
//! use pack::{Pack, PackCheck};
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! let manifest = r#"
//! name: shop
//! pack_version: "1.0.0"
//! description: The services of the shop
//! kinds:
//!   - { kind: service, files: ["*.yaml"] }
//! rules:
//!   - id: SEM_PORT_UNIQUE
//!     rule: unique
//!     places: [{ in: service, at: /port }]
//!     about: No two services listen on one port.
//! "#;
//! let files = BTreeMap::from([("pack.yaml".to_owned(), Text::new(manifest))]);
//! let Ok(pack) = Pack::load(&files) else { panic!("the pack has problems") };
//!
//! let entry = |text: &str| Entry::File(File::new(Text::new(text), 0o644));
//! let tree = Snapshot::new(
//!     [(RelPath::parse("cart.yaml")?, entry("port: 80\n")), (RelPath::parse("web.yaml")?, entry("port: 80\n"))]
//!         .into(),
//! )?;
//! let (parses, stop) = (Parses::new(Limits::DEFAULT), Stop::new());
//! let input = Input { snapshot: &tree, since: None, parses: &parses, stop: &stop, only: None };
//!
//! let report = PackCheck::new(Arc::new(pack)).check(&input)?;
//!
//! assert_eq!(report.diagnostics.len(), 1);
//! assert_eq!(report.diagnostics[0].rule_id, "SEM_PORT_UNIQUE");
//! assert_eq!(report.diagnostics[0].file, "web.yaml");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
