//! Where records are kept: one SQLite file, or a PostgreSQL server that a team shares; the same behaviour on both.
//!
//! R1: a record's text never changes. Its state moves by [`crate::lifecycle::step`] only.
//! R2: every change is one transaction: the state, the report, the approval and the audit line, all or none.
//! R3: whoever writes is alone. Ids are minted, sources looked at and versions compared in the transaction that writes.
//! R4: a refused event leaves one audit line and nothing else. A version that is not the expected one leaves nothing.
//! R5: nothing is deleted.

mod arrive;
mod change;
mod correct;
mod former;
mod import;
#[cfg_attr(not(feature = "postgres"), path = "registry/no_postgres.rs")]
mod postgres;
mod read;
mod rows;
mod schema;
mod sql;
mod sqlite;
#[cfg(test)]
mod tests;
mod verify;

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use crate::audit::AuditLine;
use crate::id::{Id, NoFreeId};
use crate::legacy::Legacy;
use crate::lifecycle::{Event, RecordState, TransitionRefusal};
use crate::record::Record;
use crate::report::Report;
use crate::shape::RecordFault;
use crate::time::Moment;

pub use arrive::{Arrival, DuplicateCorrection};
pub use correct::CorrectError;
pub use former::{FormerError, is_database, read_registry};
pub use import::{ImportError, Imported};
pub use verify::Verified;

/// Where a registry is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file, made if it is not there. Its directory is, and no part of its path is a link.
    Sqlite(PathBuf),
    /// A server, by URL. It is never shown, because it may hold a password.
    Postgres(String),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Location::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// Where the URL leads, fit to be shown: without name and password.
pub fn shown_url(url: &str) -> String {
    postgres::shown_url(url)
}

/// An open registry. One per thread: it holds one connection.
pub struct Registry {
    db: Box<dyn sql::Database>,
    scope: Scope,
}

/// Whose records a registry is asked about. What is out of scope is not there; only [`Registry::verify`] looks at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// Everybody's: the registry belongs to nobody else.
    #[default]
    Everything,
    /// Those of the repository with this identity. Records without one can be looked at, and are never carried out.
    /// A repository without an identity has none that can be.
    Repository(Option<String>),
}

impl Scope {
    fn has(&self, row: &rows::RecordRow) -> bool {
        self.has_of(row.repository.as_deref())
    }

    /// Whether records of that repository are in scope.
    fn has_of(&self, repository: Option<&str>) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Repository(own) => repository.is_none() || repository == own.as_deref(),
        }
    }

    fn can_run(&self, row: &rows::RecordRow) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Repository(own) => own.is_some() && row.repository == *own,
        }
    }

    /// What new records belong to.
    fn own(&self) -> Option<&str> {
        match self {
            Scope::Everything => None,
            Scope::Repository(own) => own.as_deref(),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("place", &self.db.place()).finish()
    }
}

impl Registry {
    /// Opens a registry, and makes or migrates its tables where needed.
    pub fn open(location: &Location) -> Result<Registry, RegistryError> {
        let mut db: Box<dyn sql::Database> = match location {
            Location::Sqlite(path) => Box::new(sqlite::Sqlite::open(path)?),
            Location::Postgres(url) => postgres::open(url)?,
        };
        schema::migrate(&mut *db)?;
        Ok(Registry { db, scope: Scope::default() })
    }

    /// Asks about these records only from now on, and stores new ones as theirs.
    pub fn set_scope(&mut self, scope: Scope) {
        self.scope = scope;
    }

    /// Gives the records that have no repository to this one. Only for a registry that nobody shares: all of them were
    /// proposed here.
    pub fn adopt(&mut self, repository: &str) -> Result<(), RegistryError> {
        let has_strays = sql::read(&mut *self.db, |db| {
            let sql = "SELECT ord FROM dds_records WHERE repository IS NULL LIMIT 1";
            Ok::<_, RegistryError>(!db.query(sql, &[])?.is_empty())
        })?;
        if !has_strays {
            return Ok(());
        }
        sql::write(&mut *self.db, |db| {
            let sql = "UPDATE dds_records SET repository = $1 WHERE repository IS NULL";
            db.execute(sql, &[sql::Param::Text(repository)])?;
            Ok(())
        })
    }

    /// Where it is, fit to be shown.
    pub fn place(&self) -> &str {
        self.db.place()
    }
}

/// What keeps a registry from being used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The file cannot be opened, or the server not be reached.
    #[error("cannot open the registry in {place}: {reason}")]
    Open {
        /// Where.
        place: String,
        /// Why.
        reason: String,
    },
    /// The file is not a database any more.
    #[error(
        "the registry in {place} is damaged ({reason}); move the file aside, then restore a copy of it or import an export"
    )]
    Corrupt {
        /// Where.
        place: String,
        /// What the engine says.
        reason: String,
    },
    /// The file is a database of something else.
    #[error("{place} is a database, but not a registry; name another file")]
    Foreign {
        /// Where.
        place: String,
    },
    /// It was made by a newer program.
    #[error(
        "the registry in {place} has version {found}, but this regreen supports version {known}; use a newer regreen"
    )]
    Newer {
        /// Where.
        place: String,
        /// Its version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// Another process did not end its transaction in time.
    #[error("another process holds the registry in {place}; try again when it has ended")]
    Busy {
        /// Where.
        place: String,
    },
    /// The program was built without the feature `postgres`. The URL is not quoted, because it may hold a password.
    #[error(
        "this regreen was built without PostgreSQL; install it with the feature `postgres`, or use a registry on disk \
         (`sqlite:PATH`)"
    )]
    NoPostgres,
    /// The URL asks for an encrypted connection in a way that cannot be followed.
    #[error("the registry's URL asks for an encrypted connection that cannot be made: {reason}")]
    Tls {
        /// Why not.
        reason: String,
    },
    /// The URL cannot be read. It is not quoted, because it may hold a password.
    #[error(
        "the registry's URL cannot be read; write postgres://user:password@host:port/database, with % escapes in the password"
    )]
    Url,
    /// A row is not as it was written.
    #[error("{place} in the registry is damaged: {reason}; `regreen dds verify` lists the faults")]
    Damaged {
        /// Which one.
        place: String,
        /// How.
        reason: String,
    },
    /// Someone's name that could not be shown.
    #[error("{what} must be one line of 1 to 200 characters")]
    Name {
        /// Whose.
        what: &'static str,
    },
    /// The engine refused or failed.
    #[error("the registry in {place} failed: {reason}")]
    Database {
        /// Where.
        place: String,
        /// What it says.
        reason: String,
    },
}

/// How deep details may be nested: well within what readers of JSON take.
const MAX_DETAIL_LEVELS: usize = 64;

/// The version of a record that a caller saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Whatever it is: the state machine decides alone.
    Any,
    /// This one and no other.
    Version(i64),
}

/// A record as it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    /// What it says, with the status that it has.
    pub record: Record,
    /// Its status and lease.
    pub state: RecordState,
    /// How often it changed, its addition included.
    pub version: i64,
    /// The number that approvals of it are bound to. It was made when the record was stored.
    pub nonce: String,
    body: Value,
}

impl Stored {
    /// The record in the words in which it came, with the status that it has.
    pub fn to_json(&self) -> Value {
        let mut value = self.body.clone();
        if let Value::Object(members) = &mut value {
            members.insert("status".to_owned(), Value::from(self.state.status.name()));
        }
        value
    }
}

/// A record as a list shows it.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    /// The record in the words in which it came, with the status that it has.
    pub value: Value,
    /// How often it changed; what nothing happens to has none.
    pub version: i64,
    /// Who runs it.
    pub lease: Option<crate::lifecycle::Lease>,
    /// Whether it is one of before.
    pub is_legacy: bool,
}

/// A record of today, or one of before.
#[derive(Clone, PartialEq, Debug)]
pub enum RegistryEntry {
    /// It has a life.
    Current(Box<Stored>),
    /// It is only kept.
    Legacy(Legacy),
}

impl RegistryEntry {
    /// Its name.
    pub fn id(&self) -> &Id {
        match self {
            RegistryEntry::Current(stored) => &stored.record.id,
            RegistryEntry::Legacy(legacy) => &legacy.id,
        }
    }

    /// Its status, in its own words for one of before.
    pub fn status(&self) -> &str {
        match self {
            RegistryEntry::Current(stored) => stored.state.status.name(),
            RegistryEntry::Legacy(legacy) => &legacy.status,
        }
    }

    /// The record in the words in which it came, with the status that it has.
    pub fn to_json(&self) -> Value {
        match self {
            RegistryEntry::Current(stored) => stored.to_json(),
            RegistryEntry::Legacy(legacy) => legacy.value.clone(),
        }
    }
}

/// Everything that is known about a record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordDetails {
    /// The record.
    pub entry: RegistryEntry,
    /// The attached patch.
    pub patch: Option<Vec<u8>>,
    /// Its reports, as they came. A record of today has at most one.
    pub reports: Vec<Value>,
    /// What people said about it: an array of documents.
    pub approval: Option<Value>,
    /// Its audit lines, oldest first.
    pub history: Vec<AuditLine>,
}

impl RecordDetails {
    /// The report of its run.
    pub fn report(&self) -> Option<Report> {
        self.reports.last().and_then(Report::from_json)
    }
}

/// Something that happens to a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordChange<'a> {
    /// The record.
    pub id: &'a Id,
    /// The version that was looked at before.
    pub expected: Expected,
    /// What happens.
    pub event: &'a Event,
    /// Who does it.
    pub actor: &'a str,
    /// When.
    pub now: Moment,
    /// The report, for [`Event::Finish`] and [`Event::Close`] and nothing else.
    pub report: Option<&'a Report>,
    /// What people said about the record, all of it, for [`Event::Approve`], [`Event::Sign`] and [`Event::Withdraw`], which
    /// need it; anything else worth keeping for other events.
    pub details: Option<&'a Value>,
}

/// Why a record was not added.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// It breaks rules; all of them, in the order of reports.
    #[error("the record breaks {} of the rules", .faults.len())]
    Faults {
        /// What is wrong.
        faults: Vec<RecordFault>,
    },
    /// No name is left for today.
    #[error(transparent)]
    NoFreeId(#[from] NoFreeId),
    /// The patch is larger than what anyone reviews.
    #[error("the attached patch has more than {limit} bytes")]
    PatchTooLarge {
        /// The most that is taken.
        limit: usize,
    },
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Why something did not happen to a record.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HappenError {
    /// There is no such record.
    #[error("there is no record {id}")]
    Unknown {
        /// The name.
        id: Id,
    },
    /// The record changed since the caller looked at it.
    #[error(
        "the record changed in the meantime: expected version {expected}, found version {found}; read it again"
    )]
    Conflict {
        /// The version that the caller saw.
        expected: i64,
        /// The version that it has.
        found: i64,
    },
    /// The state machine says no. An audit line says so too.
    #[error(transparent)]
    Refused(#[from] TransitionRefusal),
    /// Nothing happens to a record of before. An audit line says that it was tried.
    #[error("{id} is a legacy record: it can only be read and exported")]
    Legacy {
        /// The name.
        id: Id,
    },
    /// The end of a run comes with its report, and with nothing else comes one.
    #[error("the end of a run, and no other event, needs a report of the same record and outcome")]
    Report,
    /// An approval comes with its document.
    #[error("an approval needs its document")]
    NoDocument,
    /// The approval is one of another record, or of other bytes. An audit line says that it was tried.
    #[error("the approval is not one of {id} as it is stored")]
    OtherBytes {
        /// The name.
        id: Id,
    },
    /// The details could be written, but not be read again.
    #[error("details may be nested at most {MAX_DETAIL_LEVELS} levels deep")]
    TooDeep,
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Names of people and processes reach every view, so they are one line each.
fn check_name(what: &'static str, name: &str) -> Result<(), RegistryError> {
    let is_fine = !name.trim().is_empty()
        && name.chars().count() <= 200
        && !name.chars().any(char::is_control);
    if is_fine { Ok(()) } else { Err(RegistryError::Name { what }) }
}
