//! Reads the registry of an older regreen, a file in the work tree, which can be a stranger's: `.regreen/registry.db` may
//! come with a clone. It is read as data and as nothing else.
//!
//! - The file is copied to a private folder first, and the copy is opened as one that never changes: no lock, journal or
//!   log is made or looked for, and a journal that a stranger wrote is not played back.
//! - Only tables are read whose definition is, letter for letter, the one that regreen gives them. So no view, virtual
//!   table, trigger or computed column runs anything.
//! - Records, patches and reports are counted and bounded as they are read; what the engine itself allocates is bounded
//!   too. Approvals, leases and the audit trail are not read at all.
//!
//! What was read goes the way of every import: the same rules, all of it or nothing, nothing approved.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use serde_json::{Value, json};

use super::schema;
use crate::exchange::{self, FileFault, Incoming};
use crate::legacy;
use crate::pointer::below;

/// How every SQLite database starts.
const HEADER: &[u8; 16] = b"SQLite format 3\0";
/// How the journal of a transaction starts that was not ended.
const HOT_JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

const MAX_FILE: u64 = 1 << 30;
/// All texts and patches together.
const MAX_BYTES: usize = 256 << 20;
/// The rows of one table.
const MAX_ROWS: usize = 100_000;
/// What the engine may allocate, in bytes.
const MAX_HEAP: &str = "536870912";
/// Copies that other processes make at this moment.
const MAX_COPIES: u32 = 1000;

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormerError {
    /// The file cannot be read, or the copy not be written.
    #[error("cannot copy the registry: {0}")]
    Io(#[from] io::Error),
    /// It is not a registry, or one with faults.
    #[error("the registry has {} faults, nothing was imported", .faults.len())]
    Faults {
        /// What is wrong, and where.
        faults: Vec<FileFault>,
    },
}

/// Reads the registry in the file. The copy is made in `folder`, which nobody else writes to, and is gone afterwards.
pub fn read_registry(file: &Path, folder: &Path) -> Result<Incoming, FormerError> {
    if is_hot(file) {
        return Err(fault(
            "",
            "its last transaction was interrupted; let the regreen that wrote it open it once (`regreen dds list`), \
             then import it again",
        ));
    }
    let copy = Copy::make(file, folder)?;
    let connection = open(&copy.file()).map_err(|it| damaged(&it))?;
    // The engine has the file open; whatever happens to this process, no copy stays behind.
    drop(copy);
    read(&connection)
}

fn fault(pointer: &str, message: impl Into<String>) -> FormerError {
    let (pointer, message) = (pointer.to_owned(), message.into());
    FormerError::Faults {
        faults: vec![FileFault { file: exchange::ExchangeFile::Proposals, pointer, message }],
    }
}

fn damaged(error: &rusqlite::Error) -> FormerError {
    match error.sqlite_error_code() {
        Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => {
            fault("", "a value in the database is too large")
        }
        _ => fault("", format!("the database is damaged: {error}")),
    }
}

fn is_hot(file: &Path) -> bool {
    let mut journal = file.as_os_str().to_owned();
    journal.push("-journal");
    starts_with(Path::new(&journal), &HOT_JOURNAL)
}

/// Whether it is a file, and not a pipe that never answers, and starts with these bytes.
fn starts_with<const N: usize>(file: &Path, bytes: &[u8; N]) -> bool {
    let mut start = [0; N];
    fs::metadata(file).is_ok_and(|it| it.is_file())
        && File::open(file).is_ok_and(|mut it| it.read_exact(&mut start).is_ok())
        && &start == bytes
}

/// A private copy, removed when it is dropped.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn make(from: &Path, parent: &Path) -> Result<Copy, FormerError> {
        if !fs::metadata(from)?.is_file() {
            return Err(fault("", "it is not a file"));
        }
        let from = File::open(from)?;
        let copy = Copy { folder: new_folder(&parent.canonicalize()?)? };
        let mut options = OpenOptions::new();
        let mut to = options.write(true).create_new(true).mode(0o600).open(copy.file())?;
        let n_bytes = io::copy(&mut from.take(MAX_FILE + 1), &mut to)?;
        if n_bytes > MAX_FILE {
            return Err(fault("", format!("it has more than {} MB", MAX_FILE >> 20)));
        }
        Ok(copy)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("registry.db")
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.file());
        let _ = fs::remove_dir(&self.folder);
    }
}

fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    for n in 0..MAX_COPIES {
        let folder = parent.join(format!("import-{}-{n}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn open(copy: &Path) -> rusqlite::Result<Connection> {
    let is_plain = |it: &u8| it.is_ascii_alphanumeric() || b"/._-".contains(it);
    let path = copy.as_os_str().as_bytes().iter().map(|it| match is_plain(it) {
        true => char::from(*it).to_string(),
        false => format!("%{it:02X}"),
    });
    let uri = format!("file:{}?immutable=1", path.collect::<String>());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.pragma_update(None, "hard_heap_limit", MAX_HEAP)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "cell_size_check", "ON")?;
    Ok(connection)
}

fn read(connection: &Connection) -> Result<Incoming, FormerError> {
    check_tables(connection)?;
    let mut budget = MAX_BYTES;
    let mut records = rows(
        connection,
        "SELECT ord, id, body, status FROM dds_records NOT INDEXED",
        |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        |(_, id, body, status): &(i64, String, String, String)| {
            id.len() + body.len() + status.len()
        },
        &mut budget,
    )?;
    records.sort();
    let patches = rows(
        connection,
        "SELECT id, bytes FROM dds_patches NOT INDEXED",
        |row| Ok((row.get(0)?, row.get(1)?)),
        |(id, bytes): &(String, Vec<u8>)| id.len() + bytes.len(),
        &mut budget,
    )?;
    let mut reports = rows(
        connection,
        "SELECT ord, id, body FROM dds_reports NOT INDEXED",
        |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?)),
        |(_, id, body): &(i64, String, String)| id.len() + body.len(),
        &mut budget,
    )?;
    reports.sort();

    let mut faults = Vec::new();
    let mut incoming = Incoming::default();
    for (_, id, body, status) in records {
        let pointer = below("/dds_records", &id);
        match record(&id, &body, &status) {
            Ok(value) => incoming.proposals.push((pointer, value)),
            Err(message) => {
                faults.push(FileFault {
                    file: exchange::ExchangeFile::Proposals,
                    pointer,
                    message,
                });
            }
        }
    }
    for (id, bytes) in patches {
        let pointer = below("/dds_patches", &id);
        incoming.patches.insert(id, (pointer, bytes));
    }
    for (_, id, body) in reports {
        let pointer = below("/dds_reports", &id);
        match exchange::parse_json(&body) {
            Ok(value) => incoming.reports.push((pointer, value)),
            Err(message) => {
                faults.push(FileFault { file: exchange::ExchangeFile::Reports, pointer, message });
            }
        }
    }
    if faults.is_empty() { Ok(incoming) } else { Err(FormerError::Faults { faults }) }
}

/// The record as an export has it: what it said, with the status that it had.
fn record(id: &str, body: &str, status: &str) -> Result<Value, String> {
    let mut value = exchange::parse_json(body)?;
    if value.get("id").and_then(Value::as_str) != Some(id) {
        return Err("its text has another id".to_owned());
    }
    if !legacy::is_legacy(&value)
        && let Value::Object(members) = &mut value
    {
        members.insert("status".to_owned(), json!(status));
    }
    Ok(value)
}

/// Every table that is read must be one that regreen made, by its own words.
fn check_tables(connection: &Connection) -> Result<(), FormerError> {
    for (name, definition) in schema::tables_to_import() {
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 LIMIT 2";
        let mut statement = connection.prepare(sql).map_err(|it| damaged(&it))?;
        let found = statement.query_map([name], |row| row.get::<_, Option<String>>(0));
        let found: Result<Vec<_>, _> = found.and_then(Iterator::collect);
        match found.map_err(|it| damaged(&it))?.as_slice() {
            [Some(sql)] if sql == definition || without_later_columns(sql) == definition => {}
            [] => {
                return Err(fault(
                    "",
                    format!("it is a database, but not a registry: no table {name}"),
                ));
            }
            _ => {
                let message =
                    format!("its table {name} was not made by an older version of regreen");
                return Err(fault("", message));
            }
        }
    }
    Ok(())
}

/// The words of the first version, for a table that was made with them and got columns since, as the engine writes that.
fn without_later_columns(sql: &str) -> String {
    sql.replacen(", repository TEXT, nonce TEXT)", ")", 1)
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    size: impl Fn(&T) -> usize,
    budget: &mut usize,
) -> Result<Vec<T>, FormerError> {
    let mut statement = connection.prepare(sql).map_err(|it| damaged(&it))?;
    let mut found = statement.query([]).map_err(|it| damaged(&it))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(|it| damaged(&it))? {
        let row = read(row).map_err(|it| damaged(&it))?;
        let rest = budget.checked_sub(size(&row)).filter(|_| rows.len() < MAX_ROWS);
        let Some(rest) = rest else {
            let message = format!(
                "it holds more than {MAX_ROWS} records or {} MB; take it over in parts: `dds export` with the regreen \
                 that wrote it, then `dds import`",
                MAX_BYTES >> 20
            );
            return Err(fault("", message));
        };
        *budget = rest;
        rows.push(row);
    }
    Ok(rows)
}

/// Whether the file starts as a database does.
pub fn is_database(file: &Path) -> bool {
    starts_with(file, HEADER)
}
