//! Governed repairs: what may change behaviour is proposed as a record, approved by a person for exactly these bytes,
//! run inside a scope that the kernel enforces, measured, and written down.
//!
//! The path of a proposal: [`shape::read`] makes a [`Record`] of JSON, [`accept()`] holds it against the ten rules,
//! [`lifecycle::step`] is the only way from one status to the next. [`approval`] verifies who signed what, [`registry`] keeps
//! records, reports and the audit trail, and [`execute`] carries out what is approved.
//!
//! ```
//! use govern::Status;
//! use govern::lifecycle::{Event, RecordState, step};
//! use govern::shape;
//!
//! let record = shape::read(&serde_json::json!({
//!     "version": 2,
//!     "type": "code_change",
//!     "id": "DDS-20260202-CODE-001",
//!     "project": "shop",
//!     "goal": "Return the right total",
//!     "instructions": ["Return the sum"],
//!     "allowed_paths": ["src/total.py"],
//!     "tool": "mend",
//!     "constraints": {"max_files_changed": 1},
//!     "status": "proposed"
//! }));
//! assert!(record.faults.is_empty());
//!
//! // A rejected record is final; and nothing but an `Approved`, which only `approval` makes, leads to `approved`.
//! let proposed = RecordState { status: Status::Proposed, lease: None };
//! let rejected = step(&proposed, &Event::Reject)?;
//! assert_eq!(rejected.status, Status::Rejected);
//! assert!(step(&rejected, &Event::Sign).is_err());
//! # Ok::<(), govern::lifecycle::TransitionRefusal>(())
//! ```
//!
//! Knows nothing about checks, plans, command lines or how records are shown.
#![warn(missing_docs)]

mod accept;
pub mod approval;
pub mod audit;
mod derive;
pub mod exchange;
pub mod execute;
mod id;
pub mod legacy;
pub mod lifecycle;
#[cfg(all(test, feature = "live"))]
mod live_server;
mod members;
mod pointer;
mod record;
pub mod registry;
mod report;
mod sanitize;
mod schema;
pub mod shape;
mod stores;
mod time;
pub mod travel;

pub use accept::{Surroundings, accept};
pub use derive::correction;
pub use id::{Id, IdError, IdForm, NoFreeId, mint, minted_prefix};
pub use measure::{Constraints, ScopeEntry, ScopeError};
pub use record::{ErrorContext, MAX_FIX_FILES, Record, RecordKind, Status, canonical};
pub use report::{Report, ReportedChange};
pub use sanitize::{MAX_MESSAGE, is_sanitized, sanitize};
pub use schema::schemas;
pub use time::{Moment, NotAMoment};

/// Whether a registry may be on a PostgreSQL server: the feature `postgres`.
pub const HAS_POSTGRES: bool = cfg!(feature = "postgres");

/// Whether approvals may be signed: the feature `ssh`.
pub const HAS_SSH: bool = cfg!(feature = "ssh");
