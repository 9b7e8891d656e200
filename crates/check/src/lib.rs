//! The vocabulary of findings: what a diagnostic and a repair are, how they are ordered, how they get an identity that
//! survives unrelated edits, and the trait of those who find them.
//!
//! Knows nothing about who implements the trait, how findings are shown or how they are written on the wire.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod cache;
mod card;
mod coverage;
mod diagnostic;
mod identity;
mod language;
mod location;
mod parses;
mod provider;
mod repair;
mod rule_name;
mod signs;
mod stop;

pub use cache::{Cache, CacheKey, CacheKeys};
pub use card::{Card, Cost, Interest, Interests, Page, RuleInfo, RuleSet, Trust};
pub use coverage::{Coverage, Unchecked};
pub use diagnostic::{Class, Concern, Diagnostic, Related, RuleOrigin, Severity, Tier};
pub use identity::{assign_ids, assign_repair_ids, sort_and_assign_ids};
pub use language::Syntax;
pub use location::Location;
pub use parses::{Code, Language, Parsed, Parses};
pub use provider::{
    Check, Environment, FailureKind, Input, LookError, Looker, Memory, Opened, Provider, Reach,
    Report, Since,
};
pub use repair::{
    Compatibility, Confidence, Grounds, Repair, RepairClass, RepairKind, RepairOp, Safety, Scope,
};
pub use rule_name::RuleName;
pub use signs::Sign;
pub use stop::{Stop, StopCause};
