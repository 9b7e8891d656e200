//! The tables and how they came to be. Migrations are numbered, applied in order under the writers' lock, and never
//! edited after a release; a database that knows more of them than this program is refused.

use super::RegistryError;
use super::sql::{self, Database, Param};

/// Each is a list of statements that both engines know. Nothing is ordered or compared by text but for equality, because
/// the order of texts is the server's.
const MIGRATIONS: &[&[&str]] = &[
    &[
        "CREATE TABLE dds_records (
        ord BIGINT PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        body TEXT NOT NULL,
        legacy BIGINT NOT NULL,
        kind TEXT NOT NULL,
        status TEXT NOT NULL,
        version BIGINT NOT NULL,
        source TEXT UNIQUE,
        series TEXT,
        number BIGINT,
        lease_holder TEXT,
        lease_until BIGINT,
        lease_phase TEXT,
        changed BIGINT NOT NULL
    )",
        "CREATE INDEX dds_records_status ON dds_records (status, ord)",
        "CREATE INDEX dds_records_series ON dds_records (series, number)",
        "CREATE TABLE dds_patches (id TEXT PRIMARY KEY, bytes BYTEA NOT NULL)",
        "CREATE TABLE dds_reports (ord BIGINT PRIMARY KEY, id TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE INDEX dds_reports_id ON dds_reports (id, ord)",
        "CREATE TABLE dds_approvals (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
        "CREATE TABLE dds_audit (seq BIGINT PRIMARY KEY, id TEXT NOT NULL, line TEXT NOT NULL)",
        "CREATE INDEX dds_audit_id ON dds_audit (id, seq)",
        // The end of the audit trail, so that lines cut off from it are missed.
        "CREATE TABLE dds_head (one BIGINT PRIMARY KEY CHECK (one = 1), seq BIGINT NOT NULL, hash TEXT NOT NULL)",
    ],
    &[
        // The repository that a record belongs to, and the number that its approvals are bound to.
        "ALTER TABLE dds_records ADD COLUMN repository TEXT",
        "ALTER TABLE dds_records ADD COLUMN nonce TEXT",
    ],
    // The files of the work tree that were written or taken over.
    &["CREATE TABLE dds_files (name TEXT PRIMARY KEY)"],
];

/// The tables of the first version whose rows can be imported: their names and how they were made. They were made with
/// these very words as long as the registry was a file in the work tree.
pub(crate) fn tables_to_import() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |name: &'static str| {
        let found = MIGRATIONS[0].iter().find(|it| {
            it.strip_prefix("CREATE TABLE ")
                .and_then(|it| it.strip_prefix(name))
                .is_some_and(|it| it.starts_with(" ("))
        });
        (name, *found.expect("the first migration makes these tables"))
    };
    ["dds_records", "dds_patches", "dds_reports"].into_iter().map(of)
}

/// The version that this program knows.
pub(crate) fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("a handful of migrations")
}

/// Brings the database to the version that this program knows.
pub(crate) fn migrate(db: &mut dyn Database) -> Result<(), RegistryError> {
    if sql::read(db, current_version)? == known_version() {
        return Ok(());
    }
    sql::write(db, |db| {
        db.execute(
            "CREATE TABLE IF NOT EXISTS dds_schema_version (version BIGINT PRIMARY KEY)",
            &[],
        )?;
        let version = current_version(db)?;
        for (number, statements) in (1..).zip(MIGRATIONS) {
            if number <= version {
                continue;
            }
            for statement in *statements {
                db.execute(statement, &[])?;
            }
            db.execute("INSERT INTO dds_schema_version VALUES ($1)", &[Param::Int(number)])?;
        }
        Ok(())
    })
}

/// 0 for a database that has no registry yet. A newer one is an error.
fn current_version(db: &mut dyn Database) -> Result<i64, RegistryError> {
    if !db.has_registry()? {
        return Ok(0);
    }
    let rows = db.query("SELECT COALESCE(MAX(version), 0) FROM dds_schema_version", &[])?;
    let found = rows.first().map_or(Ok(0), |it| it.int(0))?;
    if found > known_version() {
        let place = db.place().to_owned();
        return Err(RegistryError::Newer { place, found, known: known_version() });
    }
    Ok(found)
}
