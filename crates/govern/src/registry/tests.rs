//! The registry on both engines: one suite, run on a SQLite file here and on a PostgreSQL server in the live tier.

#[cfg(feature = "live")]
mod encrypted;
mod former;
mod laws;
mod life;
mod open;
mod race;
mod tamper;
mod travel;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::sql::{Database, Param};
use super::*;
use crate::approval::Approved;
use crate::execute::Holder;
use crate::lifecycle::ExecutionOutcome;
use crate::report::ReportedChange;

/// A registry of its own for one test.
struct AuditSubject {
    location: Location,
    _dir: Option<TempDir>,
}

impl AuditSubject {
    fn sqlite() -> AuditSubject {
        let dir = TempDir::new().unwrap();
        let location = Location::Sqlite(dir.path().join("registry.db"));
        AuditSubject { location, _dir: Some(dir) }
    }

    fn open(&self) -> Registry {
        Registry::open(&self.location).unwrap()
    }

    /// Changes the database behind the registry's back and gives the number of rows that changed.
    #[track_caller]
    fn raw(&self, sql: &'static str, values: &[Param<'_>]) -> u64 {
        let mut db: Box<dyn Database> = match &self.location {
            Location::Sqlite(path) => Box::new(sqlite::Sqlite::open(path).unwrap()),
            Location::Postgres(url) => postgres::open(url).unwrap(),
        };
        db.execute(sql, values).unwrap()
    }
}

/// Tests that hold on both engines. Each has a registry of its own.
macro_rules! suite {
    ($($module:ident::$name:ident,)*) => {
        mod on_sqlite {
            $(#[test] fn $name() { super::$module::$name(&super::AuditSubject::sqlite()); })*
        }
        #[cfg(feature = "live")]
        const SUITE: &[(&str, fn(&AuditSubject))] = &[$((stringify!($name), $module::$name),)*];
    };
}

suite! {
    life::a_record_comes_back_as_it_was_added,
    life::ids_are_minted_without_gaps_or_repeats,
    life::all_faults_are_said_and_nothing_is_stored,
    life::a_taken_id_is_refused_also_with_equal_bytes,
    life::a_life_from_proposal_to_execution,
    life::a_refused_event_leaves_one_line_and_nothing_else,
    life::an_old_version_is_a_conflict_and_leaves_nothing,
    life::a_report_comes_with_the_end_and_only_then,
    life::a_failure_gets_one_correction_ever,
    life::the_oldest_failure_is_corrected_first,
    life::a_record_is_that_of_its_repository,
    life::names_are_each_repositorys_own,
    life::what_is_attached_is_replaced_before_the_decision,
    life::a_lease_that_ended_is_taken_over_with_its_phase,
    life::each_claim_takes_the_oldest_that_may_be_taken,
    life::the_database_itself_refuses_a_second_correction,
    life::texts_of_every_kind_are_kept,
    open::a_newer_registry_is_refused,
    open::many_open_a_new_registry_at_once,
    tamper::a_trail_is_anchored_by_the_hash_of_its_end,
    tamper::every_tampering_is_found_with_its_place,
    travel::files_come_back_as_they_went_in,
    travel::an_import_approves_nothing,
    travel::one_bad_record_refuses_the_whole_import,
    travel::records_of_before_are_kept_and_never_change,
    laws::random_lives_are_those_of_the_model,
    laws::an_import_is_lossless_or_nothing,
    race::sixty_four_processes_lose_nothing,
    race::a_killed_writer_leaves_a_prefix,
}

/// The same suite on a server that is really started.
#[cfg(feature = "live")]
#[test]
fn the_same_on_postgresql() {
    let server = crate::live_server::Server::start();
    for (name, test) in SUITE {
        use std::io::Write as _;
        writeln!(std::io::stderr(), "on PostgreSQL: {name}").unwrap();
        test(&AuditSubject { location: Location::Postgres(server.new_database(name)), _dir: None });
    }
    open::passwords_are_never_shown(&server.new_database_with_scram());
}

fn at(seconds: i64) -> Moment {
    Moment::parse("2026-02-02T12:00:00Z").unwrap().plus_seconds(seconds)
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

/// A proposal without an id.
fn proposal() -> Value {
    json!({
        "version": 2,
        "type": "code_change",
        "project": "shop",
        "goal": "Add a calculator",
        "instructions": ["Write it"],
        "allowed_paths": ["src/", "tests/"],
        "tool": "script",
        "constraints": { "max_files_changed": 5 },
        "status": "proposed",
        "x_order": { "b": 1, "a": [1.5, null] }
    })
}

fn approve() -> Event {
    Event::Approve(Approved::for_tests("ann"))
}

fn claim(holder: &str, now: i64, until: i64) -> Event {
    Event::Claim { holder: holder.to_owned(), now: at(now), until: at(until) }
}

fn begin(holder: &str) -> Event {
    Event::Begin { holder: holder.to_owned() }
}

fn commit(holder: &str) -> Event {
    Event::Commit { holder: holder.to_owned() }
}

fn finish(holder: &str, outcome: ExecutionOutcome) -> Event {
    Event::Finish { holder: holder.to_owned(), outcome }
}

fn report(id: &Id, outcome: ExecutionOutcome) -> Report {
    Report {
        dds: id.clone(),
        outcome,
        started_at: at(10),
        finished_at: at(20),
        tool: "script".to_owned(),
        sandbox: None,
        exit_code: Some(1),
        error: if outcome == ExecutionOutcome::Success {
            ""
        } else {
            "src/calc.py: 'int' and 'str'"
        }
        .to_owned(),
        changes: vec![ReportedChange {
            path: "src/calc.py".to_owned(),
            kind: "modify".to_owned(),
            from: None,
        }],
        transaction: None,
    }
}

/// Lets an event happen, with the report or document that belongs to it.
fn happen(
    registry: &mut Registry,
    id: &Id,
    expected: Expected,
    event: &Event,
) -> Result<Stored, HappenError> {
    let report = match event {
        Event::Finish { outcome, .. } => Some(report(id, *outcome)),
        _ => None,
    };
    let document = json!({ "regreen_approval": 1, "dds": id.as_str() });
    let details = matches!(event, Event::Approve(_)).then_some(&document);
    let now = at(30);
    registry.happen(&RecordChange {
        id,
        expected,
        event,
        actor: "ann",
        now,
        report: report.as_ref(),
        details,
    })
}

/// Takes a new record through the events; all of them must be taken.
#[track_caller]
fn after(registry: &mut Registry, events: &[Event]) -> Id {
    let id = registry.add(&proposal(), Some(b"a patch\n"), "ann", at(0)).unwrap().record.id;
    for event in events {
        happen(registry, &id, Expected::Any, event).unwrap();
    }
    id
}

fn failing() -> Vec<Event> {
    vec![approve(), claim("w", 1, 100), begin("w"), finish("w", ExecutionOutcome::Failed)]
}

#[track_caller]
fn assert_sound(registry: &mut Registry) -> Verified {
    let verified = registry.verify().unwrap();
    assert_eq!(verified.flaws, []);
    verified
}
