//! The registry in one file. The journal is a rollback journal, not a write-ahead log: between transactions everything
//! is in the one file, so copying it is a backup, and it needs no shared memory. A writer that is killed leaves a journal
//! that the next one to open the file rolls back. The journal's file stays, emptied by its first bytes: to make and
//! remove it every time costs more than all the rest of a transaction.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::RegistryError;
use super::sql::{Cell, Database, Param, Row};

/// How often a connection asks again for a lock that another one has, and the longest pause between two tries: two
/// minutes at least. The engine's own handler pauses ever longer, which starves a writer among many.
const MAX_TRIES: i32 = 12_000;
const MAX_PAUSE_MS: u64 = 20;

#[derive(Debug)]
pub(crate) struct Sqlite {
    connection: Connection,
    place: String,
    /// How many transactions are open, each within the one before.
    depth: usize,
}

impl Sqlite {
    /// Opens the file, or makes it, readable by its owner only. A path with a link in it is refused.
    pub(crate) fn open(path: &Path) -> Result<Sqlite, RegistryError> {
        let place = path.display().to_string();
        create_private(path).map_err(|error| RegistryError::Open {
            place: place.clone(),
            reason: error.to_string(),
        })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| {
            RegistryError::Open { place: place.clone(), reason: error.to_string() }
        })?;
        let mut database = Sqlite { connection, place, depth: 0 };
        database.prepare().map_err(|error| database.failure(&error))?;
        let others = database.connection.query_row(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'dds!_%' ESCAPE '!' \
             AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
            [],
            |row| row.get::<_, i64>(0),
        );
        if others.map_err(|error| database.failure(&error))? > 0 {
            return Err(RegistryError::Foreign { place: database.place });
        }
        Ok(database)
    }

    fn prepare(&mut self) -> rusqlite::Result<()> {
        self.connection.busy_handler(Some(wait))?;
        self.connection.pragma_update(None, "journal_mode", "PERSIST")?;
        self.connection.pragma_update(None, "journal_size_limit", 1 << 20)?;
        self.connection.pragma_update(None, "synchronous", "EXTRA")?;
        self.connection.pragma_update(None, "trusted_schema", "OFF")?;
        self.connection.pragma_update(None, "cell_size_check", "ON")
    }

    fn failure(&self, error: &rusqlite::Error) -> RegistryError {
        let place = self.place.clone();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                RegistryError::Busy { place }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                RegistryError::Corrupt { place, reason }
            }
            _ => RegistryError::Database { place, reason },
        }
    }

    /// Starts a transaction, or one within that which is open: what fails takes back only what it did itself.
    fn begin(&mut self, sql: &str) -> Result<(), RegistryError> {
        self.batch(if self.depth > 0 { "SAVEPOINT inner" } else { sql })?;
        self.depth += 1;
        Ok(())
    }

    fn batch(&self, sql: &str) -> Result<(), RegistryError> {
        self.connection.execute_batch(sql).map_err(|error| self.failure(&error))
    }

    fn rows(&self, sql: &str, values: &[Param<'_>]) -> rusqlite::Result<Vec<Row>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let n_columns = statement.column_count();
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells = (0..n_columns).map(|idx| row.get_ref(idx).map(cell));
            rows.push(Row(cells.collect::<rusqlite::Result<_>>()?));
        }
        Ok(rows)
    }
}

/// Makes the file with its mode, so that it is at no moment open to others. One that exists is left as it is.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Pauses that differ between processes, so that those who wait do not all ask at the same moment.
fn wait(n_tries: i32) -> bool {
    let spread = u64::from(std::process::id()).wrapping_add(u64::from(n_tries.unsigned_abs()) * 7);
    let longest = u64::from(n_tries.unsigned_abs()).clamp(2, MAX_PAUSE_MS);
    std::thread::sleep(Duration::from_millis(1 + spread % longest));
    n_tries < MAX_TRIES
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(n) => Cell::Int(n),
        ValueRef::Real(n) => Cell::Text(n.to_string()),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => Cell::Bytes(text.to_vec()),
        },
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Param::Text(text) | Param::MaybeText(Some(text)) => {
                ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
            }
            Param::Int(n) | Param::MaybeInt(Some(n)) => ToSqlOutput::Owned(SqlValue::Integer(*n)),
            Param::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Param::MaybeText(None) | Param::MaybeInt(None) => ToSqlOutput::Owned(SqlValue::Null),
        })
    }
}

impl Database for Sqlite {
    fn begin_read(&mut self) -> Result<(), RegistryError> {
        self.begin("BEGIN")
    }

    fn begin_write(&mut self) -> Result<(), RegistryError> {
        self.begin("BEGIN IMMEDIATE")
    }

    fn commit(&mut self) -> Result<(), RegistryError> {
        self.batch(if self.depth > 1 { "RELEASE inner" } else { "COMMIT" })?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    fn rollback(&mut self) {
        let inner = "ROLLBACK TO inner; RELEASE inner";
        let _ = self.connection.execute_batch(if self.depth > 1 { inner } else { "ROLLBACK" });
        self.depth = self.depth.saturating_sub(1);
    }

    fn execute(&mut self, sql: &'static str, values: &[Param<'_>]) -> Result<u64, RegistryError> {
        let changed = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params_from_iter(values)));
        changed.map(|n| n as u64).map_err(|error| self.failure(&error))
    }

    fn query(
        &mut self,
        sql: &'static str,
        values: &[Param<'_>],
    ) -> Result<Vec<Row>, RegistryError> {
        self.rows(sql, values).map_err(|error| self.failure(&error))
    }

    fn has_registry(&mut self) -> Result<bool, RegistryError> {
        let sql = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'dds_schema_version'";
        Ok(self.query(sql, &[])?.first().is_some_and(|it| it.0 == [Cell::Int(1)]))
    }

    fn integrity(&mut self) -> Result<Vec<String>, RegistryError> {
        let rows = self.query("PRAGMA integrity_check(20)", &[])?;
        let found: Vec<String> = rows.iter().map(|it| it.text(0)).collect::<Result<_, _>>()?;
        Ok(found.into_iter().filter(|it| it != "ok").collect())
    }

    fn place(&self) -> &str {
        &self.place
    }
}
