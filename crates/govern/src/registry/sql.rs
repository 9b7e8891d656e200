//! The little of SQL that the registry needs, the same on both engines: statements with `$1` parameters, rows of plain
//! values, and two kinds of transaction. Whoever writes is alone from the start of the transaction, so what was read in
//! it still holds when it writes.

use super::RegistryError;

/// A value that goes into a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param<'a> {
    Text(&'a str),
    MaybeText(Option<&'a str>),
    Int(i64),
    MaybeInt(Option<i64>),
    Bytes(&'a [u8]),
}

/// A value that comes out of one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Null,
    Text(String),
    Int(i64),
    Bytes(Vec<u8>),
}

/// One row of a result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row(pub(crate) Vec<Cell>);

impl Row {
    pub(crate) fn text(&self, idx: usize) -> Result<String, RegistryError> {
        self.maybe_text(idx)?.ok_or_else(|| self.damaged(idx, "a text"))
    }

    pub(crate) fn maybe_text(&self, idx: usize) -> Result<Option<String>, RegistryError> {
        match self.0.get(idx) {
            Some(Cell::Text(text)) => Ok(Some(text.clone())),
            Some(Cell::Null) => Ok(None),
            _ => Err(self.damaged(idx, "a text")),
        }
    }

    pub(crate) fn int(&self, idx: usize) -> Result<i64, RegistryError> {
        self.maybe_int(idx)?.ok_or_else(|| self.damaged(idx, "a number"))
    }

    pub(crate) fn maybe_int(&self, idx: usize) -> Result<Option<i64>, RegistryError> {
        match self.0.get(idx) {
            Some(Cell::Int(n)) => Ok(Some(*n)),
            Some(Cell::Null) => Ok(None),
            _ => Err(self.damaged(idx, "a number")),
        }
    }

    pub(crate) fn bytes(&self, idx: usize) -> Result<Vec<u8>, RegistryError> {
        match self.0.get(idx) {
            Some(Cell::Bytes(bytes)) => Ok(bytes.clone()),
            _ => Err(self.damaged(idx, "bytes")),
        }
    }

    /// SQLite stores any type in any column, so a file that someone edited has any of them.
    fn damaged(&self, idx: usize, wanted: &str) -> RegistryError {
        let row = match self.0.iter().find_map(|it| match it {
            Cell::Text(text) => Some(text.chars().take(60).collect::<String>()),
            _ => None,
        }) {
            Some(text) => format!("the row of {text:?}"),
            None => "a row".to_owned(),
        };
        RegistryError::Damaged { place: row, reason: format!("value {idx} is not {wanted}") }
    }
}

/// A connection to one of the engines.
pub(crate) trait Database: Send {
    /// Starts a transaction that sees one state of the database.
    fn begin_read(&mut self) -> Result<(), RegistryError>;
    /// Starts a transaction that no other writer runs beside.
    fn begin_write(&mut self) -> Result<(), RegistryError>;
    fn commit(&mut self) -> Result<(), RegistryError>;
    /// Gives the transaction up. That this fails has no consequence: the engine drops what was not committed.
    fn rollback(&mut self);
    /// The number of rows that changed.
    fn execute(&mut self, sql: &'static str, values: &[Param<'_>]) -> Result<u64, RegistryError>;
    fn query(&mut self, sql: &'static str, values: &[Param<'_>])
    -> Result<Vec<Row>, RegistryError>;
    /// Whether a registry was made here before.
    fn has_registry(&mut self) -> Result<bool, RegistryError>;
    /// What the engine itself finds wrong with how the data is stored.
    fn integrity(&mut self) -> Result<Vec<String>, RegistryError>;
    /// Where the database is, fit to be shown: never with a password.
    fn place(&self) -> &str;
}

/// Does the work in one transaction that writes: all of it, or nothing if it fails.
pub(crate) fn write<T, E: From<RegistryError>>(
    db: &mut dyn Database,
    work: impl FnOnce(&mut dyn Database) -> Result<T, E>,
) -> Result<T, E> {
    db.begin_write()?;
    finish(db, work)
}

/// Does the work in one transaction that only reads.
pub(crate) fn read<T, E: From<RegistryError>>(
    db: &mut dyn Database,
    work: impl FnOnce(&mut dyn Database) -> Result<T, E>,
) -> Result<T, E> {
    db.begin_read()?;
    finish(db, work)
}

fn finish<T, E: From<RegistryError>>(
    db: &mut dyn Database,
    work: impl FnOnce(&mut dyn Database) -> Result<T, E>,
) -> Result<T, E> {
    let done = work(db).and_then(|value| {
        db.commit()?;
        Ok(value)
    });
    if done.is_err() {
        db.rollback();
    }
    done
}
