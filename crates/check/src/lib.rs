//! The vocabulary of findings: what a diagnostic and a repair are, how they are ordered, how they get an identity that
//! survives unrelated edits, and the trait of those who find them.
//!
//! A provider makes [`Diagnostic`]s ([`Diagnostic::new`]) and [`Repair`]s ([`Repair::resolving`]) and gives them ids; it
//! implements [`Check`] if it is a function of the tree, else [`Provider`].
//!
//! ```
//! use check::{Confidence, Diagnostic, Repair, RepairOp, RuleOrigin, Safety, Severity, Tier};
//! use check::{assign_repair_ids, sort_and_assign_ids};
//! use edit::{Edit, EditSet, Text};
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! let (path, text) = (RelPath::parse("a.txt")?, Text::new("x \n"));
//! let file = Entry::File(File::new(text.clone(), 0o644));
//! let tree = Snapshot::new([(path.clone(), file)].into())?;
//!
//! let rule =
//!     RuleOrigin { source: "blanks", phase: "lines", tier: Tier::Policy, rule_id: "BLANKS" };
//! let message = "the line ends with blanks";
//! let mut found = [Diagnostic::new(rule, Severity::Warning, path.as_str(), message)];
//! sort_and_assign_ids(&mut found);
//!
//! let edits = EditSet::new(&text, vec![Edit::delete(1, 2)])?;
//! let ops = vec![RepairOp::Text { file: path, edits }];
//! let (safety, confidence) = (Safety::BehaviorPreserving, Confidence::High);
//! let mut repairs = [Repair::resolving(&found[0], "remove the blanks", safety, confidence, ops)];
//! assign_repair_ids(&mut repairs, &tree);
//! assert_eq!(repairs[0].resolves, [found[0].diagnostic_id.clone()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
