//! The verified loop: asks the providers what is wrong, tries the best repairs together in memory, asks again, and
//! keeps only what did what it claimed and made nothing worse.
//!
//! Everything happens on snapshots. [`assess`] says what is known of one version of a tree; [`fix`] goes from one
//! assessment to a better one and gives the change between them. Providers are not trusted: one that lies, panics,
//! never settles or changes its mind is contained and named.
//!
//! Knows nothing about the disk, about how findings are shown, or about what any provider checks.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod ask;
mod assessment;
mod comments;
mod compare;
mod count;
mod cures;
mod erratic;
mod fix;
mod ignore;
mod invariants;
mod judge;
mod lines;
mod outcome;
mod run;
mod search;
mod sources;
mod words;

pub use assessment::{Assessment, ProviderFailure, assess, reach};
pub use fix::fix;
pub use ignore::{IGNORE_SIGN, IGNORE_WITHOUT_RULE, OWN_SOURCE, UNUSED_IGNORE};
pub use outcome::{Applied, Ending, Fixed, Options, Progress, RejectedRepair};
pub use run::{RuleLevel, Run, Sieve};
pub use sources::Sources;
