//! Executors of a team: each on a checkout of its own, all on one PostgreSQL server.

use std::sync::Barrier;

use super::*;
use crate::live_server::Server;

const N_RECORDS: usize = 24;
const N_EXECUTORS: usize = 2;

fn approved(registry: &mut Registry) -> Id {
    let record = json!({
        "version": 2, "type": "code_change", "project": "p", "goal": "Make a file",
        "instructions": ["Name it after the record"], "allowed_paths": ["src/"], "tool": "tool",
        "constraints": {}, "status": "proposed"
    });
    let id = registry.add(&record, None, "ana", at(0)).unwrap().record.id;
    let change = RecordChange {
        id: &id,
        expected: Expected::Any,
        event: &Event::Approve(Approved::for_tests("ana")),
        actor: "ana",
        now: at(1),
        report: None,
        details: Some(&json!({ "for": "tests" })),
    };
    registry.happen(&change).unwrap();
    id
}

/// One executor on a checkout: it runs what it gets until nothing is left.
fn run_all(case: &Case, location: &Location, name: &str, start: &Barrier) -> Vec<Report> {
    let tools = BTreeMap::from([("tool".to_owned(), shell("echo made > src/$REGREEN_DDS"))]);
    let workspace = case.workspace();
    let executor = Executor {
        workspace: &workspace,
        runs: case.directory.path().join("runs"),
        tools: &tools,
        apply: &|_| Err(String::new()),
        approval: &|_, _| Ok(()),
        spend: &|_, _| Ok(()),
        programs: &|_, _, _| Ok(()),
        unspend: &|_, _| {},
        receipt: &|_, _, _, _| None,
        is_wanted: &|_| true,
        level: sandbox::best(),
        holder: Holder::new(name, "1"),
        clock: &|| at(10),
        on_step: &|_, _| {},
    };
    let mut registry = Registry::open(location).unwrap();
    start.wait();
    let reports = || run_next(&mut registry, &executor).unwrap();
    std::iter::from_fn(reports).collect()
}

#[test]
fn two_executors_on_one_server_carry_out_each_record_once() {
    let server = Server::start();
    let location = Location::Postgres(server.new_database("team"));
    let mut registry = Registry::open(&location).unwrap();
    let ids: Vec<Id> = (0..N_RECORDS).map(|_| approved(&mut registry)).collect();
    let checkouts: Vec<Case> = (0..N_EXECUTORS).map(|_| Case::new(&["src/"], json!({}))).collect();
    let start = Barrier::new(N_EXECUTORS);
    let reports: Vec<Vec<Report>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&checkouts)
            .map(|(idx, case)| {
                let (location, start) = (&location, &start);
                scope.spawn(move || run_all(case, location, &format!("checkout-{idx}"), start))
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let mut carried_out: Vec<Id> = Vec::new();
    for (case, reports) in checkouts.iter().zip(&reports) {
        assert!(!reports.is_empty(), "both had something to do");
        assert!(reports.iter().all(|it| it.outcome == ExecutionOutcome::Success), "{reports:#?}");
        // Oldest first, and in this checkout exactly what this executor carried out.
        assert!(reports.is_sorted_by_key(|it| it.dds.as_str()), "{reports:#?}");
        let made: Vec<String> =
            case.tree().into_keys().filter(|it| it.starts_with("src/DDS-")).collect();
        let expected: Vec<String> = reports.iter().map(|it| format!("src/{}", it.dds)).collect();
        assert_eq!(made, expected);
        assert_eq!(case.workspace().log().unwrap().len(), reports.len());
        carried_out.extend(reports.iter().map(|it| it.dds.clone()));
    }
    carried_out.sort();
    assert_eq!(carried_out, ids);
    for id in &ids {
        let dossier = registry.get(id).unwrap().unwrap();
        let events: Vec<&str> = dossier.history.iter().map(|it| it.event.as_str()).collect();
        assert_eq!(events, ["add", "approve", "claim", "begin", "commit", "finish"], "{id}");
        assert_eq!((dossier.entry.status(), dossier.reports.len()), ("executed", 1), "{id}");
    }
    assert_eq!(registry.verify().unwrap().flaws, []);
}
