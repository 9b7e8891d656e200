//! The registry of an older regreen, which may be a stranger's: read as data, or refused.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;

use super::*;

/// A registry as an older regreen left it in a tree, and a private folder for the copy.
struct Tree {
    dir: TempDir,
}

impl Tree {
    /// One record of every status; the approved one is being run.
    fn new() -> Tree {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("private")).unwrap();
        let tree = Tree { dir };
        let mut registry = Registry::open(&Location::Sqlite(tree.file())).unwrap();
        for _ in 0..5 {
            registry.add(&proposal(), Some(b"--- a\n+++ b\n"), "ann", at(0)).unwrap();
        }
        let ids: Vec<Id> = registry.list(None).unwrap().iter().map(|it| it.id().clone()).collect();
        for id in &ids[..3] {
            happen(&mut registry, id, Expected::Any, &approve()).unwrap();
        }
        let holder = Holder::new("w", "1");
        for (id, outcome) in
            [(&ids[0], ExecutionOutcome::Success), (&ids[1], ExecutionOutcome::Failed)]
        {
            registry.claim_next(&holder, at(0), at(60)).unwrap();
            let name = || holder.name();
            happen(&mut registry, id, Expected::Any, &Event::Begin { holder: name() }).unwrap();
            if outcome == ExecutionOutcome::Success {
                let commit = Event::Commit { holder: name() };
                happen(&mut registry, id, Expected::Any, &commit).unwrap();
            }
            let report = report(id, outcome);
            let event = Event::Finish { holder: name(), outcome };
            let change = RecordChange {
                id,
                expected: Expected::Any,
                event: &event,
                actor: "w",
                now: at(1),
                report: Some(&report),
                details: None,
            };
            registry.happen(&change).unwrap();
        }
        registry.claim_next(&holder, at(0), at(60)).unwrap();
        happen(&mut registry, &ids[3], Expected::Any, &Event::Reject).unwrap();
        tree
    }

    fn file(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("registry.db")
    }

    fn sql(&self, sql: &str) {
        Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
    }

    fn read(&self) -> Result<crate::exchange::Incoming, String> {
        let before = self.seen();
        let read = read_registry(&self.file(), &self.dir.path().join("private"));
        assert_eq!(self.seen(), before, "nothing is left, nothing is touched");
        read.map_err(|error| match error {
            FormerError::Faults { faults } => faults[0].message.clone(),
            other => other.to_string(),
        })
    }

    /// Every file with its contents and its time.
    fn seen(&self) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let folders = [self.dir.path().to_owned(), self.dir.path().join("private")];
        let entries = folders.iter().flat_map(|it| fs::read_dir(it).unwrap());
        let mut seen: Vec<_> = entries
            .map(|it| it.unwrap().path())
            .filter(|it| it.is_file())
            .map(|it| {
                let time = fs::metadata(&it).unwrap().modified().unwrap();
                (it.clone(), fs::read(&it).unwrap(), time)
            })
            .collect();
        seen.sort();
        assert_eq!(fs::read_dir(&folders[1]).unwrap().count(), 0, "no copy is left");
        seen
    }
}

#[test]
fn what_has_ended_is_history_and_the_rest_is_proposed_anew() {
    let tree = Tree::new();
    let incoming = tree.read().unwrap();
    assert_eq!((incoming.proposals.len(), incoming.reports.len()), (5, 2));
    let place = AuditSubject::sqlite();
    let mut registry = place.open();
    let imported = registry.import(&incoming, "ben", at(5)).unwrap();
    assert_eq!(imported.reopened, [(imported.ids[2].clone(), "approved".to_owned())]);
    let statuses: Vec<String> =
        registry.list(None).unwrap().iter().map(|it| it.status().to_owned()).collect();
    assert_eq!(statuses, ["executed", "failed", "proposed", "rejected", "proposed"]);
    for id in &imported.ids {
        let dossier = registry.get(id).unwrap().unwrap();
        assert_eq!(dossier.approval, None, "an approval over there is none here");
        assert_eq!(dossier.patch.as_deref(), Some(b"--- a\n+++ b\n".as_slice()));
        let events: Vec<&str> = dossier.history.iter().map(|it| it.event.as_str()).collect();
        assert_eq!(events, ["import"]);
    }
    assert_eq!(registry.claim_next(&Holder::new("w", "1"), at(9), at(99)).unwrap(), None);
    assert_sound(&mut registry);
    // All of them or none: they are all there already.
    assert!(registry.import(&incoming, "ben", at(6)).is_err());
}

/// Every way in which a database could do more than hold rows, or less.
#[test]
fn a_hostile_database_is_refused() {
    let cases: [(&str, &str); 14] = [
        ("DROP TABLE dds_records", "no table dds_records"),
        ("DROP TABLE dds_patches", "no table dds_patches"),
        (
            "DROP TABLE dds_records; CREATE VIEW dds_records AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 \
             FROM n) SELECT x AS ord, 'a' AS id, '{}' AS body, 'approved' AS status FROM n",
            "no table dds_records",
        ),
        (
            "DROP TABLE dds_records; CREATE TABLE dds_records (ord, id, status, body AS (printf('%1000000000d', 1)))",
            "was not made by",
        ),
        (
            "DROP TABLE dds_records; CREATE VIRTUAL TABLE dds_records USING fts5(ord, id, body, status)",
            "was not made by",
        ),
        (
            "DROP TABLE dds_reports; CREATE VIRTUAL TABLE dds_reports USING dbstat",
            "was not made by",
        ),
        ("ALTER TABLE dds_records ADD COLUMN more TEXT", "was not made by"),
        ("UPDATE dds_records SET body = x'ff'", "damaged"),
        (
            "UPDATE dds_records SET body = NULL WHERE 0; UPDATE dds_records SET body = '{'",
            "not JSON",
        ),
        ("UPDATE dds_records SET body = '{\"id\": \"a\", \"id\": \"b\"}'", "more than once"),
        ("UPDATE dds_records SET id = 'DDS-1' WHERE ord = 1", "another id"),
        ("UPDATE dds_reports SET body = '['", "not JSON"),
        ("UPDATE dds_records SET ord = 'first' WHERE ord = 1", "damaged"),
        (
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE dds_records(' WHERE name = 'dds_records'",
            "damaged",
        ),
    ];
    for (sql, because) in cases {
        let tree = Tree::new();
        tree.sql(sql);
        match tree.read() {
            Err(message) => assert!(message.contains(because), "{sql}: {message}"),
            Ok(_) => panic!("{sql} was read"),
        }
    }
}

/// What is beside the tables does not matter: nothing of it is read, nothing of it runs.
#[test]
fn what_is_beside_the_tables_is_not_looked_at() {
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON dds_records BEGIN DELETE FROM dds_records; END",
        "CREATE VIEW v AS SELECT * FROM dds_approvals",
        "CREATE TABLE other (a); CREATE INDEX evil ON dds_records (length(body))",
        "UPDATE dds_approvals SET body = 'nonsense'; DELETE FROM dds_audit; DELETE FROM dds_head",
        "PRAGMA journal_mode = WAL; CREATE TABLE more (a)",
        "PRAGMA user_version = 9; PRAGMA application_id = 9",
    ] {
        let tree = Tree::new();
        tree.sql(sql);
        let read = tree.read();
        assert_eq!(read.map(|it| it.proposals.len()), Ok(5), "{sql}");
    }
}

/// A record that the rules refuse refuses all, as in a JSON import.
#[test]
fn records_go_through_the_rules() {
    for (sql, because) in [
        ("UPDATE dds_records SET body = replace(body, 'src/', '../etc')", "segment"),
        ("DELETE FROM dds_records WHERE ord = 1", "no record"),
        ("UPDATE dds_records SET status = 'executed' WHERE ord = 2", "not the outcome"),
    ] {
        let tree = Tree::new();
        tree.sql(sql);
        let incoming = tree.read().unwrap();
        let place = AuditSubject::sqlite();
        let mut registry = place.open();
        match registry.import(&incoming, "ben", at(5)) {
            Err(ImportError::Faults { faults }) => {
                let told: Vec<String> = faults.iter().map(|it| it.message.clone()).collect();
                assert!(told.iter().any(|it| it.contains(because)), "{sql}: {told:?}");
            }
            other => panic!("{sql}: {other:?}"),
        }
        assert!(registry.list(None).unwrap().is_empty());
    }
}

#[test]
fn a_transaction_that_was_interrupted_is_not_guessed_at() {
    let tree = Tree::new();
    let journal = tree.dir.path().join("registry.db-journal");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[..8].copy_from_slice(&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(&journal, bytes).unwrap();
    let message = tree.read().unwrap_err();
    assert!(message.contains("was interrupted"), "{message}");
}

/// No file, however broken, does more than to be refused.
#[test]
fn a_broken_file_is_refused_or_read_and_nothing_else() {
    let tree = Tree::new();
    let whole = fs::read(tree.file()).unwrap();
    let mut seed = 1_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut n_refused = 0;
    for round in 0..400 {
        let mut bytes = whole.clone();
        match round % 4 {
            0 => bytes.truncate(16 + next(whole.len() - 16)),
            // The pages and cells of the trees, where a pointer can lead back to where it came from.
            1 => (0..8).for_each(|_| bytes[16 + next(whole.len() - 16)] = next(256) as u8),
            2 => {
                let page = next(whole.len() / 4096) * 4096;
                let other = next(whole.len() / 4096) * 4096;
                let copy = whole[other..other + 4096].to_vec();
                bytes[page..page + 4096].copy_from_slice(&copy);
            }
            _ => {
                let page = next(whole.len() / 4096) * 4096;
                (0..12).for_each(|n| bytes[(page + n).max(16)] = next(256) as u8);
            }
        }
        fs::write(tree.file(), bytes).unwrap();
        n_refused += usize::from(tree.read().is_err());
    }
    assert!(n_refused > 100, "{n_refused}");
    for bytes in [b"SQLite format 3\0".as_slice(), b"", b"{}"] {
        fs::write(tree.file(), bytes).unwrap();
        assert!(tree.read().is_err());
    }
}

/// A file of holes costs nothing, and one that is too large is not copied whole.
#[test]
fn a_file_that_is_too_large_is_refused() {
    let tree = Tree::new();
    let file = fs::OpenOptions::new().write(true).open(tree.file()).unwrap();
    file.set_len((1 << 30) + 4096).unwrap();
    let read = read_registry(&tree.file(), &tree.dir.path().join("private"));
    assert!(matches!(read, Err(FormerError::Faults { .. })));
    assert_eq!(fs::read_dir(tree.dir.path().join("private")).unwrap().count(), 0);
}
