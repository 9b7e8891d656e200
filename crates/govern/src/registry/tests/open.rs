//! Opening: what is made, and what is refused.

use super::*;

pub(super) fn a_newer_registry_is_refused(place: &AuditSubject) {
    drop(place.open());
    assert_eq!(place.raw("INSERT INTO dds_schema_version VALUES (99)", &[]), 1);
    let refused = Registry::open(&place.location).map(drop);
    assert!(
        matches!(refused, Err(RegistryError::Newer { found: 99, known: 3, .. })),
        "{refused:?}"
    );
}

pub(super) fn many_open_a_new_registry_at_once(place: &AuditSubject) {
    let n_threads = 12;
    std::thread::scope(|scope| {
        for idx in 0..n_threads {
            scope.spawn(move || {
                place.open().add(&proposal(), None, &format!("thread {idx}"), at(0)).unwrap();
            });
        }
    });
    let mut registry = place.open();
    assert_eq!(assert_sound(&mut registry).n_records, n_threads);
    let last = registry.list(None).unwrap().pop().unwrap();
    assert_eq!(last.id().as_str(), "DDS-20260202-CODE-012");
}

#[track_caller]
fn refused(location: &Location) -> String {
    Registry::open(location).map(drop).unwrap_err().to_string()
}

#[test]
fn a_file_that_is_no_registry_is_a_clear_error() {
    let dir = TempDir::new().unwrap();
    let garbage = dir.path().join("garbage.db");
    std::fs::write(
        &garbage,
        "no database, only a text that is long enough to be looked at\n".repeat(90),
    )
    .unwrap();
    let error = refused(&Location::Sqlite(garbage));
    assert!(error.contains("is damaged (file is not a database); move the file aside"), "{error}");

    let foreign = dir.path().join("foreign.db");
    let other = rusqlite::Connection::open(&foreign).unwrap();
    other.execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
    let error = refused(&Location::Sqlite(foreign));
    assert!(error.contains("is a database, but not a registry"), "{error}");

    let error = refused(&Location::Sqlite(dir.path().join("no/such/directory.db")));
    assert!(error.contains("cannot open the registry in"), "{error}");
}

#[test]
fn a_damaged_page_is_found() {
    let place = AuditSubject::sqlite();
    let Location::Sqlite(path) = &place.location else { unreachable!("it is a file") };
    let mut registry = place.open();
    for _ in 0..40 {
        after(&mut registry, &[approve()]);
    }
    drop(registry);
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 64].fill(0xa5);
    std::fs::write(path, &bytes).unwrap();
    let found = Registry::open(&place.location).and_then(|mut it| it.verify());
    match found {
        Err(RegistryError::Corrupt { .. }) => {}
        Ok(verified) => assert!(!verified.flaws.is_empty()),
        Err(error) => panic!("{error}"),
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = AuditSubject::sqlite();
    let Location::Sqlite(path) = &place.location else { unreachable!("it is a file") };
    after(&mut place.open(), &[]);
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", file.file_name());
    }
}

#[test]
fn a_url_that_cannot_be_served_is_refused_without_its_password() {
    for (url, words) in [
        ("postgres://ann:hunter2@localhost/db?sslmode=verify-full", "needs sslrootcert"),
        ("postgres://ann:hunter2@localhost/db?sslmode=hunter2", "sslmode must be disable"),
        ("host=localhost user=ann password=hunter2 sslmode=verify-full", "cannot be read"),
        ("postgres://ann:hunter2@localhost:port/db", "cannot be read"),
        ("postgres://ann:hunter2@localhost/db?hunter2=1", "cannot be read"),
        ("hunter2", "cannot be read"),
        (
            "postgres://ann:hunter2@127.0.0.1:1/db?connect_timeout=2",
            "cannot open the registry in PostgreSQL at 127.0.0.1:1/db",
        ),
        ("postgres://ann:x@hunter2@127.0.0.1:1/db?connect_timeout=2", "cannot"),
    ] {
        let location = Location::Postgres(url.to_owned());
        let error = refused(&location);
        assert!(error.contains(words), "{error}");
        let shown = format!("{error} {location:?} {:?}", Registry::open(&location).map(drop));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

/// With a server that really refuses the password.
#[cfg(feature = "live")]
pub(super) fn passwords_are_never_shown(url: &str) {
    let wrong = url.replace("s3cret", "wr0ng");
    assert_ne!(wrong, url);
    let error = refused(&Location::Postgres(wrong));
    assert!(error.contains("password authentication failed"), "{error}");
    assert!(!error.contains("wr0ng"), "{error}");
    let registry = Registry::open(&Location::Postgres(url.to_owned())).unwrap();
    assert!(!format!("{registry:?} {}", registry.place()).contains("s3cret"));
}
