//! Records, patches, reports, approvals and audit lines as rows.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::sql::{Database, Param, Row};
use super::{Listed, RegistryEntry, RegistryError, Scope, Stored};
use crate::audit::{AuditLine, content_hash};
use crate::id::{Id, minted_prefix};
use crate::legacy;
use crate::lifecycle::{Lease, Phase, RecordState};
use crate::record::Status;
use crate::shape;
use crate::time::Moment;

/// A row of `dds_records`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RecordRow {
    pub(crate) ord: i64,
    /// What the tables know it by: its name, or, where a record of another repository has that, its own repository and its
    /// name. Names are each repository's own.
    pub(crate) key: String,
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) is_legacy: bool,
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) version: i64,
    pub(crate) source: Option<String>,
    pub(crate) series: Option<String>,
    pub(crate) number: Option<i64>,
    pub(crate) lease_holder: Option<String>,
    pub(crate) lease_until: Option<i64>,
    pub(crate) lease_phase: Option<String>,
    pub(crate) changed: i64,
    pub(crate) repository: Option<String>,
    pub(crate) nonce: Option<String>,
}

impl RecordRow {
    /// Reads the columns in the order in which the migrations made them, which is that of `*`.
    fn read(row: &Row) -> Result<RecordRow, RegistryError> {
        Ok(RecordRow {
            ord: row.int(0)?,
            id: name_of(&row.text(1)?).to_owned(),
            key: row.text(1)?,
            body: row.text(2)?,
            is_legacy: row.int(3)? != 0,
            kind: row.text(4)?,
            status: row.text(5)?,
            version: row.int(6)?,
            source: row.maybe_text(7)?,
            series: row.maybe_text(8)?,
            number: row.maybe_int(9)?,
            lease_holder: row.maybe_text(10)?,
            lease_until: row.maybe_int(11)?,
            lease_phase: row.maybe_text(12)?,
            changed: row.int(13)?,
            repository: row.maybe_text(14)?,
            nonce: row.maybe_text(15)?,
        })
    }

    /// A row for a record that is stored for the first time. What is found by columns is taken from the text alone.
    pub(crate) fn new(id: &Id, value: &Value, status: &str) -> RecordRow {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = text("type").unwrap_or_default();
        let (series, number) = series(id);
        RecordRow {
            ord: 0,
            key: id.as_str().to_owned(),
            id: id.as_str().to_owned(),
            body: value.to_string(),
            is_legacy: legacy::is_legacy(value),
            source: match kind.as_str() {
                "code_fix" => text("source_dds").filter(|it| Id::parse(it).is_ok()),
                _ => None,
            },
            // A NUL has no place in a text column of PostgreSQL; a type of before may have one.
            kind: kind.replace('\0', ""),
            status: status.to_owned(),
            version: 1,
            series,
            number,
            lease_holder: None,
            lease_until: None,
            lease_phase: None,
            changed: 0,
            repository: None,
            nonce: None,
        }
    }

    pub(crate) fn damaged(&self, reason: &str) -> RegistryError {
        RegistryError::Damaged { place: format!("record {}", self.id), reason: reason.to_owned() }
    }

    pub(crate) fn body_hash(&self) -> String {
        content_hash(self.body.as_bytes())
    }

    pub(crate) fn lease(&self) -> Result<Option<Lease>, RegistryError> {
        match (&self.lease_holder, self.lease_until, &self.lease_phase) {
            (None, None, None) => Ok(None),
            (Some(holder), Some(until), Some(phase)) => {
                let phase = Phase::named(phase)
                    .ok_or_else(|| self.damaged("its lease has an unknown phase"))?;
                let until = Moment::from_micros(until);
                Ok(Some(Lease { holder: holder.clone(), until, phase }))
            }
            _ => Err(self.damaged("its lease is incomplete")),
        }
    }

    pub(crate) fn id(&self) -> Result<Id, RegistryError> {
        Id::parse(&self.id).map_err(|error| self.damaged(&error.to_string()))
    }

    fn value(&self) -> Result<Value, RegistryError> {
        serde_json::from_str(&self.body).map_err(|_| self.damaged("its text is not JSON"))
    }

    /// The record with its state. Only for one of today.
    pub(crate) fn stored(&self) -> Result<Stored, RegistryError> {
        let body = self.value()?;
        let status =
            Status::named(&self.status).ok_or_else(|| self.damaged("its status is unknown"))?;
        let record = shape::read(&body).record;
        let mut record = record.ok_or_else(|| self.damaged("its text is not a record"))?;
        if record.id.as_str() != self.id {
            return Err(self.damaged("its text has another id"));
        }
        record.status = status;
        Ok(Stored {
            record,
            state: RecordState { status, lease: self.lease()? },
            version: self.version,
            nonce: self.nonce.clone().unwrap_or_else(|| self.nonce_of_before()),
            body,
        })
    }

    /// A record that was stored before records had a nonce has the one that follows from its name and text.
    fn nonce_of_before(&self) -> String {
        nonce(&[b"a record of before", self.id.as_bytes(), self.body.as_bytes()])
    }

    /// The record as a list shows it: its text is not held against the rules again.
    pub(crate) fn listed(&self) -> Result<Listed, RegistryError> {
        let mut value = self.value()?;
        if let (Value::Object(members), false) = (&mut value, self.is_legacy) {
            members.insert("status".to_owned(), Value::from(self.status.as_str()));
        }
        let lease = self.lease()?;
        Ok(Listed { value, version: self.version, lease, is_legacy: self.is_legacy })
    }

    pub(crate) fn entry(&self) -> Result<RegistryEntry, RegistryError> {
        if !self.is_legacy {
            return Ok(RegistryEntry::Current(Box::new(self.stored()?)));
        }
        let legacy = legacy::read(&self.value()?);
        Ok(RegistryEntry::Legacy(
            legacy.map_err(|_| self.damaged("its text is not a record of an older version"))?,
        ))
    }
}

/// The number that approvals of a record are bound to: another one for other parts.
pub(crate) fn nonce(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"regreen nonce 1\n");
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// How many digits the identity of a repository has.
const IDENTITY: usize = 32;

/// What a record of that repository is known by where another one has its name.
fn qualified(repository: &str, id: &str) -> String {
    format!("{repository}:{id}")
}

/// The name in what a record is known by.
pub(crate) fn name_of(key: &str) -> &str {
    match key.split_at_checked(IDENTITY) {
        Some((repository, rest)) if repository.bytes().all(|it| it.is_ascii_hexdigit()) => {
            rest.strip_prefix(':').unwrap_or(key)
        }
        _ => key,
    }
}

/// Finds out what a new record is to be known by.
pub(crate) fn place(db: &mut dyn Database, row: &mut RecordRow) -> Result<(), RegistryError> {
    let taken = db.query("SELECT ord FROM dds_records WHERE id = $1", &[Param::Text(&row.id)])?;
    if let (false, Some(repository)) = (taken.is_empty(), &row.repository) {
        row.key = qualified(repository, &row.id);
    }
    Ok(())
}

/// What a minted id counts up in, and its number; nothing for the legacy form.
fn series(id: &Id) -> (Option<String>, Option<i64>) {
    if minted_prefix(id.form(), "").is_none() {
        return (None, None);
    }
    let (prefix, number) = id.as_str().split_at(id.as_str().len().saturating_sub(3));
    (Some(prefix.to_owned()), number.parse().ok())
}

fn records(rows: &[Row]) -> Result<Vec<RecordRow>, RegistryError> {
    rows.iter().map(RecordRow::read).collect()
}

/// The record in scope that has that name.
pub(crate) fn by_id(
    db: &mut dyn Database,
    scope: &Scope,
    id: &str,
) -> Result<Option<RecordRow>, RegistryError> {
    let sql = "SELECT * FROM dds_records WHERE id = $1 OR id = $2";
    in_scope(db, scope, sql, id)
}

/// The row that a name leads to, the repository's own before one that has none.
fn in_scope(
    db: &mut dyn Database,
    scope: &Scope,
    sql: &'static str,
    id: &str,
) -> Result<Option<RecordRow>, RegistryError> {
    let own = scope.own().map(|it| qualified(it, id)).unwrap_or_else(|| id.to_owned());
    let rows = records(&db.query(sql, &[Param::Text(id), Param::Text(&own)])?)?;
    let mut rows: Vec<RecordRow> = rows.into_iter().filter(|it| scope.has(it)).collect();
    rows.sort_by_key(|it| it.repository.is_none());
    Ok(rows.into_iter().next())
}

/// The highest number that a record in scope has in a series.
pub(crate) fn highest(
    db: &mut dyn Database,
    scope: &Scope,
    series: &str,
) -> Result<i64, RegistryError> {
    let rows = match scope.own() {
        None => db.query(
            "SELECT COALESCE(MAX(number), 0) FROM dds_records WHERE series = $1",
            &[Param::Text(series)],
        )?,
        Some(own) => db.query(
            "SELECT COALESCE(MAX(number), 0) FROM dds_records WHERE series = $1 \
             AND (repository = $2 OR repository IS NULL)",
            &[Param::Text(series), Param::Text(own)],
        )?,
    };
    rows.first().map_or(Ok(0), |it| it.int(0))
}

/// Asks for rows that may be in scope: of others that share the registry there may be many.
fn wanted(scope: &Scope) -> Param<'_> {
    Param::Text(scope.own().unwrap_or_default())
}

/// All records in scope, in the order in which they came.
pub(crate) fn all(db: &mut dyn Database, scope: &Scope) -> Result<Vec<RecordRow>, RegistryError> {
    let rows = db.query(
        "SELECT * FROM dds_records WHERE CAST($1 AS TEXT) = '' OR repository = CAST($1 AS TEXT) \
         OR repository IS NULL ORDER BY ord",
        &[wanted(scope)],
    )?;
    Ok(records(&rows)?.into_iter().filter(|it| scope.has(it)).collect())
}

/// The id of a record and its row, as far as either can be read.
pub(crate) type MaybeRow = (Option<String>, Result<RecordRow, RegistryError>);

/// The id and the row of each record, as far as either can be read, in the order in which they came.
pub(crate) fn each(db: &mut dyn Database) -> Result<Vec<MaybeRow>, RegistryError> {
    let rows = db.query("SELECT * FROM dds_records ORDER BY ord", &[])?;
    Ok(rows.iter().map(|it| (it.text(1).ok(), RecordRow::read(it))).collect())
}

/// Those with that status, in the order in which they came.
pub(crate) fn by_status(
    db: &mut dyn Database,
    scope: &Scope,
    status: &str,
) -> Result<Vec<RecordRow>, RegistryError> {
    let rows = db.query(
        "SELECT * FROM dds_records WHERE status = $1 AND (CAST($2 AS TEXT) = '' \
         OR repository = CAST($2 AS TEXT) OR repository IS NULL) ORDER BY ord",
        &[Param::Text(status), wanted(scope)],
    )?;
    Ok(records(&rows)?.into_iter().filter(|it| scope.has(it)).collect())
}

/// The names of the records in scope, each with whether somebody can still decide about it.
pub(crate) fn decidable(
    db: &mut dyn Database,
    scope: &Scope,
) -> Result<BTreeMap<String, bool>, RegistryError> {
    let rows = db.query("SELECT id, status, legacy, repository FROM dds_records", &[])?;
    let mut found = BTreeMap::new();
    for row in &rows {
        let (status, is_legacy) = (row.text(1)?, row.int(2)? != 0);
        if scope.has_of(row.maybe_text(3)?.as_deref()) {
            let is_open = !is_legacy && matches!(status.as_str(), "proposed" | "approved");
            found.insert(name_of(&row.text(0)?).to_owned(), is_open);
        }
    }
    Ok(found)
}

/// The oldest approved record after that place which nobody runs, or whose lease has ended. A change that was being written
/// is known only to the workspace that it was written to, so such a lease passes on only between holders with the same
/// prefix.
pub(crate) fn claimable(
    db: &mut dyn Database,
    scope: &Scope,
    after: i64,
    now: Moment,
    prefix: &str,
) -> Result<Option<RecordRow>, RegistryError> {
    let rows = db.query(
        "SELECT * FROM dds_records WHERE status = 'approved' AND legacy = 0 \
         AND (lease_until IS NULL OR (lease_until <= $1 AND (lease_phase <> 'committing' \
         OR substr(lease_holder, 1, length(CAST($2 AS TEXT))) = CAST($2 AS TEXT)))) AND ord > $3 \
         AND (CAST($4 AS TEXT) = '' OR repository = CAST($4 AS TEXT)) ORDER BY ord LIMIT 1",
        &[Param::Int(now.micros()), Param::Text(prefix), Param::Int(after), wanted(scope)],
    )?;
    rows.first().map(RecordRow::read).transpose()
}

/// The code changes that failed and have no correction, with their last reports, in the order in which they failed:
/// that of the audit trail.
pub(crate) fn uncorrected(
    db: &mut dyn Database,
    scope: &Scope,
) -> Result<Vec<(RecordRow, String)>, RegistryError> {
    let rows = db.query(
        "SELECT failed.*, report.body FROM dds_records AS failed \
         JOIN dds_reports AS report ON report.id = failed.id \
         WHERE status = 'failed' AND legacy = 0 AND kind = 'code_change' \
         AND NOT EXISTS (SELECT 1 FROM dds_records AS other WHERE other.source = failed.id) \
         AND NOT EXISTS (SELECT 1 FROM dds_reports AS later WHERE later.id = report.id AND later.ord > report.ord) \
         AND (CAST($1 AS TEXT) = '' OR failed.repository = CAST($1 AS TEXT)) ORDER BY changed",
        &[wanted(scope)],
    )?;
    rows.iter().map(|it| Ok((RecordRow::read(it)?, it.text(16)?))).collect()
}

/// The correction in scope of that source.
pub(crate) fn sibling(
    db: &mut dyn Database,
    scope: &Scope,
    source: &str,
) -> Result<Option<RecordRow>, RegistryError> {
    let sql = "SELECT * FROM dds_records WHERE source = $1 OR source = $2";
    in_scope(db, scope, sql, source)
}

/// The number one above the highest of a column that counts rows.
fn next(db: &mut dyn Database, sql: &'static str) -> Result<i64, RegistryError> {
    let highest = db.query(sql, &[])?.first().map_or(Ok(0), |it| it.int(0))?;
    Ok(highest.saturating_add(1))
}

/// Stores a new record with its patch and its first audit line, which is drawn up without number, hash and link.
pub(crate) fn insert(
    db: &mut dyn Database,
    scope: &Scope,
    mut row: RecordRow,
    patch: Option<&[u8]>,
    line: AuditLine,
) -> Result<RecordRow, RegistryError> {
    place(db, &mut row)?;
    // A correction is found by what its source is known by; the source may come after it.
    if let Some(source) = row.source.take() {
        let known = by_id(db, scope, &source)?.map(|it| it.key);
        row.source = Some(known.unwrap_or(source));
    }
    if let (true, Some(repository)) = (row.key != row.id, &row.repository) {
        let values = [&row.key, &row.id, repository].map(|it| Param::Text(it));
        let sql = "UPDATE dds_records SET source = $1 WHERE source = $2 AND repository = $3";
        db.execute(sql, &values)?;
    }
    row.changed = append(db, &row.key, line)?;
    row.ord = next(db, "SELECT COALESCE(MAX(ord), 0) FROM dds_records")?;
    db.execute(
        "INSERT INTO dds_records (ord, id, body, legacy, kind, status, version, source, series, number, changed, \
         repository, nonce) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        &[
            Param::Int(row.ord),
            Param::Text(&row.key),
            Param::Text(&row.body),
            Param::Int(i64::from(row.is_legacy)),
            Param::Text(&row.kind),
            Param::Text(&row.status),
            Param::Int(row.version),
            Param::MaybeText(row.source.as_deref()),
            Param::MaybeText(row.series.as_deref()),
            Param::MaybeInt(row.number),
            Param::Int(row.changed),
            Param::MaybeText(row.repository.as_deref()),
            Param::MaybeText(row.nonce.as_deref()),
        ],
    )?;
    if let Some(bytes) = patch {
        let values = [Param::Text(&row.key), Param::Bytes(bytes)];
        db.execute("INSERT INTO dds_patches (id, bytes) VALUES ($1, $2)", &values)?;
    }
    Ok(row)
}

/// Moves a record on, if it still has the version that was read.
pub(crate) fn advance(
    db: &mut dyn Database,
    row: &RecordRow,
    state: &RecordState,
    changed: i64,
) -> Result<(), RegistryError> {
    let lease = state.lease.as_ref();
    let n_rows = db.execute(
        "UPDATE dds_records SET status = $1, version = $2, lease_holder = $3, lease_until = $4, lease_phase = $5, \
         changed = $6 WHERE id = $7 AND version = $8",
        &[
            Param::Text(state.status.name()),
            Param::Int(row.version.saturating_add(1)),
            Param::MaybeText(lease.map(|it| it.holder.as_str())),
            Param::MaybeInt(lease.map(|it| it.until.micros())),
            Param::MaybeText(lease.map(|it| it.phase.name())),
            Param::Int(changed),
            Param::Text(&row.key),
            Param::Int(row.version),
        ],
    )?;
    if n_rows == 1 { Ok(()) } else { Err(row.damaged("it changed during a transaction")) }
}

/// Adds a report of that record.
pub(crate) fn add_report(
    db: &mut dyn Database,
    key: &str,
    body: &str,
) -> Result<(), RegistryError> {
    let ord = next(db, "SELECT COALESCE(MAX(ord), 0) FROM dds_reports")?;
    let values = [Param::Int(ord), Param::Text(key), Param::Text(body)];
    db.execute("INSERT INTO dds_reports (ord, id, body) VALUES ($1, $2, $3)", &values)?;
    Ok(())
}

/// The texts of its reports, oldest first.
pub(crate) fn reports(db: &mut dyn Database, key: &str) -> Result<Vec<String>, RegistryError> {
    let sql = "SELECT body FROM dds_reports WHERE id = $1 ORDER BY ord";
    db.query(sql, &[Param::Text(key)])?.iter().map(|it| it.text(0)).collect()
}

/// Names and texts of all reports, oldest first.
pub(crate) fn all_reports(db: &mut dyn Database) -> Result<Vec<(String, String)>, RegistryError> {
    let rows = db.query("SELECT id, body FROM dds_reports ORDER BY ord", &[])?;
    rows.iter().map(|it| Ok((it.text(0)?, it.text(1)?))).collect()
}

/// Keeps the document of an approval, in place of an earlier one.
pub(crate) fn set_approval(
    db: &mut dyn Database,
    key: &str,
    body: &str,
) -> Result<(), RegistryError> {
    let values = [Param::Text(body), Param::Text(key)];
    if db.execute("UPDATE dds_approvals SET body = $1 WHERE id = $2", &values)? == 0 {
        db.execute("INSERT INTO dds_approvals (body, id) VALUES ($1, $2)", &values)?;
    }
    Ok(())
}

/// Keeps the bytes of a patch, in place of earlier ones.
pub(crate) fn set_patch(
    db: &mut dyn Database,
    key: &str,
    bytes: &[u8],
) -> Result<(), RegistryError> {
    let values = [Param::Bytes(bytes), Param::Text(key)];
    if db.execute("UPDATE dds_patches SET bytes = $1 WHERE id = $2", &values)? == 0 {
        db.execute("INSERT INTO dds_patches (bytes, id) VALUES ($1, $2)", &values)?;
    }
    Ok(())
}

/// Gives a record another name and text, with all that belongs to it but its approvals; its place is the last one then.
pub(crate) fn rename(
    db: &mut dyn Database,
    old: &str,
    new: &RecordRow,
) -> Result<(), RegistryError> {
    let ord = next(db, "SELECT COALESCE(MAX(ord), 0) FROM dds_records")?;
    db.execute(
        "UPDATE dds_records SET ord = $1, id = $2, body = $3, status = $4, version = 1, series = $5, number = $6, \
         changed = $7 WHERE id = $8",
        &[
            Param::Int(ord),
            Param::Text(&new.key),
            Param::Text(&new.body),
            Param::Text(&new.status),
            Param::MaybeText(new.series.as_deref()),
            Param::MaybeInt(new.number),
            Param::Int(new.changed),
            Param::Text(old),
        ],
    )?;
    let values = [Param::Text(&new.key), Param::Text(old)];
    db.execute("UPDATE dds_patches SET id = $1 WHERE id = $2", &values)?;
    db.execute("UPDATE dds_reports SET id = $1 WHERE id = $2", &values)?;
    db.execute("DELETE FROM dds_approvals WHERE id = $1", &[Param::Text(old)])?;
    Ok(())
}

/// Lets a correction be found by its source no more.
pub(crate) fn forget_source(db: &mut dyn Database, key: &str) -> Result<(), RegistryError> {
    db.execute("UPDATE dds_records SET source = NULL WHERE id = $1", &[Param::Text(key)])?;
    Ok(())
}

/// Lets a correction be found by what its source is known by.
pub(crate) fn remember_source(
    db: &mut dyn Database,
    key: &str,
    source: &str,
) -> Result<(), RegistryError> {
    let values = [Param::Text(source), Param::Text(key)];
    db.execute("UPDATE dds_records SET source = $1 WHERE id = $2", &values)?;
    Ok(())
}

/// The files that were written or taken over.
pub(crate) fn files(db: &mut dyn Database) -> Result<Vec<String>, RegistryError> {
    db.query("SELECT name FROM dds_files", &[])?.iter().map(|it| it.text(0)).collect()
}

/// Writes down that a file was written or taken over.
pub(crate) fn note_file(db: &mut dyn Database, name: &str) -> Result<(), RegistryError> {
    let known = db.query("SELECT name FROM dds_files WHERE name = $1", &[Param::Text(name)])?;
    if known.is_empty() {
        db.execute("INSERT INTO dds_files (name) VALUES ($1)", &[Param::Text(name)])?;
    }
    Ok(())
}

/// The text of its approval.
pub(crate) fn approval(db: &mut dyn Database, key: &str) -> Result<Option<String>, RegistryError> {
    let rows = db.query("SELECT body FROM dds_approvals WHERE id = $1", &[Param::Text(key)])?;
    rows.first().map(|it| it.text(0)).transpose()
}

/// The bytes of its patch.
pub(crate) fn patch(db: &mut dyn Database, key: &str) -> Result<Option<Vec<u8>>, RegistryError> {
    let rows = db.query("SELECT bytes FROM dds_patches WHERE id = $1", &[Param::Text(key)])?;
    rows.first().map(|it| it.bytes(0)).transpose()
}

/// The lines about a record, oldest first.
pub(crate) fn history(db: &mut dyn Database, key: &str) -> Result<Vec<AuditLine>, RegistryError> {
    let sql = "SELECT seq, line FROM dds_audit WHERE id = $1 ORDER BY seq";
    let rows = db.query(sql, &[Param::Text(key)])?;
    rows.iter()
        .map(|row| {
            let (seq, text) = (row.int(0)?, row.text(1)?);
            AuditLine::parse(&text).ok_or_else(|| RegistryError::Damaged {
                place: format!("audit line {seq}"),
                reason: "it cannot be read".to_owned(),
            })
        })
        .collect()
}

/// The number and hash of the last line.
pub(crate) fn head(db: &mut dyn Database) -> Result<Option<(i64, String)>, RegistryError> {
    let rows = db.query("SELECT seq, hash FROM dds_head WHERE one = 1", &[])?;
    rows.first().map(|it| Ok((it.int(0)?, it.text(1)?))).transpose()
}

/// Writes a line about what is known by that key at the end of the trail, and gives its number.
pub(crate) fn append(
    db: &mut dyn Database,
    key: &str,
    line: AuditLine,
) -> Result<i64, RegistryError> {
    let head = head(db)?;
    let is_first = head.is_none();
    let (seq, previous) = match head {
        None => (1, None),
        Some((seq, hash)) => (seq.saturating_add(1), Some(hash)),
    };
    let line = AuditLine { seq, previous, ..line }.sealed();
    db.execute(
        "INSERT INTO dds_audit (seq, id, line) VALUES ($1, $2, $3)",
        &[Param::Int(seq), Param::Text(key), Param::Text(&line.text())],
    )?;
    let values = [Param::Int(seq), Param::Text(&line.hash)];
    if is_first {
        db.execute("INSERT INTO dds_head (one, seq, hash) VALUES (1, $1, $2)", &values)?;
    } else {
        db.execute("UPDATE dds_head SET seq = $1, hash = $2 WHERE one = 1", &values)?;
    }
    Ok(seq)
}

/// A line about a record, without what [`append`] adds.
pub(crate) fn draft(
    row: &RecordRow,
    actor: &str,
    now: Moment,
    event: &str,
    details: Map<String, Value>,
) -> Result<AuditLine, RegistryError> {
    Ok(AuditLine {
        seq: 0,
        at: now,
        actor: actor.to_owned(),
        dds: row.id()?,
        event: event.to_owned(),
        from: Some(row.status.clone()),
        to: row.status.clone(),
        details,
        body_hash: row.body_hash(),
        previous: None,
        hash: String::new(),
    })
}
