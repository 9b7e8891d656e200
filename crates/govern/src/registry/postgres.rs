//! The registry on a PostgreSQL server, for those who share one. A connection is encrypted where the URL asks for it.

mod tls;

use std::collections::HashMap;
use std::error::Error as _;
use std::str::FromStr;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::RegistryError;
use super::sql::{Cell, Database, Param, Row};
use tls::TlsMode;

/// Writers queue for an advisory lock of this number, which ends with their transaction or their connection. The level is
/// named because a database may have another default, under which a writer would see the state before its turn.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(7310314462116341)";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A client that stops answering in the middle of a transaction does not hold up the others for ever.
const SESSION: &str = "SET lock_timeout = '120s'; SET idle_in_transaction_session_timeout = '60s'; \
                       SET standard_conforming_strings = on";

/// Connects to the server.
pub(crate) fn open(url: &str) -> Result<Box<dyn Database>, RegistryError> {
    Ok(Box::new(Postgres::open(url)?))
}

struct Postgres {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    client: Client,
    statements: HashMap<&'static str, Statement>,
    place: String,
}

impl Postgres {
    fn open(url: &str) -> Result<Postgres, RegistryError> {
        // The reader's own words may quote the URL, and with it the password.
        let (url, mode) = tls::split(url)?;
        let mut config = Config::from_str(&url).map_err(|_| RegistryError::Url)?;
        // The driver also reads a list of names and values, and names with escapes in them.
        let mode = match (mode, config.get_ssl_mode()) {
            (TlsMode::Default, SslMode::Require) => TlsMode::Encrypted,
            (mode, _) => mode,
        };
        let tls = tls::connector(&mode)?;
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        if config.get_application_name().is_none() {
            config.application_name("regreen");
        }
        let place = place(&config);
        let client = connect(&config, tls.as_ref(), &place)?;
        Ok(Postgres { config, tls, client, statements: HashMap::new(), place })
    }

    fn begin(&mut self, sql: &str) -> Result<(), RegistryError> {
        if self.client.is_closed() {
            self.client = connect(&self.config, self.tls.as_ref(), &self.place)?;
            self.statements.clear();
        }
        self.batch(sql)
    }

    fn batch(&mut self, sql: &str) -> Result<(), RegistryError> {
        self.client.batch_execute(sql).map_err(|error| failure(&self.place, &error))
    }

    fn prepared(&mut self, sql: &'static str) -> Result<Statement, RegistryError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).map_err(|error| failure(&self.place, &error))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

fn connect(
    config: &Config,
    tls: Option<&MakeRustlsConnect>,
    place: &str,
) -> Result<Client, RegistryError> {
    let open = |error: postgres::Error| RegistryError::Open {
        place: place.to_owned(),
        reason: words(&error),
    };
    let connected = match tls {
        Some(tls) => config.connect(tls.clone()),
        None => config.connect(NoTls),
    };
    let mut client = connected.map_err(open)?;
    client.batch_execute(SESSION).map_err(open)?;
    Ok(client)
}

/// Every host of the URL, with its port, and the database. Nothing is looked up.
pub(crate) fn shown_url(url: &str) -> String {
    let config = tls::split(url).ok().and_then(|(url, _)| Config::from_str(&url).ok());
    let Some(config) = config else { return "a PostgreSQL server".to_owned() };
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(host) if is_plain(host) => host.clone(),
        Host::Tcp(_) => "a host that cannot be shown".to_owned(),
        _ => "a local socket".to_owned(),
    });
    let addresses = config.get_hostaddrs().iter().map(ToString::to_string);
    let ports = config.get_ports().iter().map(|it| format!("port {it}"));
    let places: Vec<String> = hosts.chain(addresses).chain(ports).collect();
    let database = config.get_dbname().filter(|it| is_plain(it)).unwrap_or("its database");
    format!("PostgreSQL, {} ({database})", places.join(", "))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-:/".contains(&it))
}

/// Host and database, as far as they cannot be a piece of a password that was not escaped in the URL.
fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) if is_plain(host) => host.clone(),
        Some(Host::Tcp(_)) => return "the PostgreSQL server of the URL".to_owned(),
        _ => "a local socket".to_owned(),
    };
    let port = config.get_ports().first().map_or(String::new(), |it| format!(":{it}"));
    let database = config.get_dbname().filter(|it| is_plain(it)).unwrap_or_default();
    format!("PostgreSQL at {host}{port}/{database}")
}

/// The server's own words, or those of the operating system beneath the driver's.
fn words(error: &postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(db), _) => db.message().to_owned(),
        (None, Some(source)) => source.to_string(),
        (None, None) => error.to_string(),
    }
}

fn failure(place: &str, error: &postgres::Error) -> RegistryError {
    let place = place.to_owned();
    // 55P03 is a lock that could not be had in time.
    if error.code().is_some_and(|it| it.code() == "55P03") {
        return RegistryError::Busy { place };
    }
    RegistryError::Database { place, reason: words(error) }
}

fn boxed<'a>(values: &[Param<'a>]) -> Vec<Box<dyn ToSql + Sync + 'a>> {
    values
        .iter()
        .map(|it| match *it {
            Param::Text(text) => Box::new(text) as Box<dyn ToSql + Sync + 'a>,
            Param::MaybeText(text) => Box::new(text),
            Param::Int(n) => Box::new(n),
            Param::MaybeInt(n) => Box::new(n),
            Param::Bytes(bytes) => Box::new(bytes),
        })
        .collect()
}

fn cells(row: &postgres::Row) -> Result<Row, postgres::Error> {
    let cells = row.columns().iter().enumerate().map(|(idx, column)| {
        Ok(match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(idx)?.map_or(Cell::Null, Cell::Int),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(idx)?.map_or(Cell::Null, Cell::Bytes),
            _ => row.try_get::<_, Option<String>>(idx)?.map_or(Cell::Null, Cell::Text),
        })
    });
    Ok(Row(cells.collect::<Result<_, postgres::Error>>()?))
}

impl Database for Postgres {
    fn begin_read(&mut self) -> Result<(), RegistryError> {
        self.begin(BEGIN_READ)
    }

    fn begin_write(&mut self) -> Result<(), RegistryError> {
        let begun = self.begin(BEGIN_WRITE);
        if begun.is_err() {
            // The transaction was started and only the lock was not had.
            self.rollback();
        }
        begun
    }

    fn commit(&mut self) -> Result<(), RegistryError> {
        self.batch("COMMIT")
    }

    fn rollback(&mut self) {
        let _ = self.client.batch_execute("ROLLBACK");
    }

    fn execute(&mut self, sql: &'static str, values: &[Param<'_>]) -> Result<u64, RegistryError> {
        let statement = self.prepared(sql)?;
        let boxed = boxed(values);
        let values: Vec<&(dyn ToSql + Sync)> = boxed.iter().map(|it| &**it).collect();
        self.client.execute(&statement, &values).map_err(|error| failure(&self.place, &error))
    }

    fn query(
        &mut self,
        sql: &'static str,
        values: &[Param<'_>],
    ) -> Result<Vec<Row>, RegistryError> {
        let statement = self.prepared(sql)?;
        let boxed = boxed(values);
        let values: Vec<&(dyn ToSql + Sync)> = boxed.iter().map(|it| &**it).collect();
        let rows = self
            .client
            .query(&statement, &values)
            .and_then(|rows| rows.iter().map(cells).collect::<Result<Vec<Row>, _>>());
        rows.map_err(|error| failure(&self.place, &error))
    }

    fn has_registry(&mut self) -> Result<bool, RegistryError> {
        let sql = "SELECT COUNT(*) FROM pg_catalog.pg_tables WHERE tablename = 'dds_schema_version' \
                   AND schemaname = ANY(current_schemas(false))";
        Ok(self.query(sql, &[])?.first().is_some_and(|it| it.0 != [Cell::Int(0)]))
    }

    /// The server checks its own pages.
    fn integrity(&mut self) -> Result<Vec<String>, RegistryError> {
        Ok(Vec::new())
    }

    fn place(&self) -> &str {
        &self.place
    }
}
