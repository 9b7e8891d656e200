//! Many processes on one registry, and writers that are killed. The other processes are this test binary, told by a
//! variable of the environment what to do.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

const JOB: &str = "REGREEN_TEST_REGISTRY_JOB";
const N_PROCESSES: usize = 64;
const N_RECORDS: usize = 2;

/// Starts another process that does a job on the same registry.
fn start(place: &AuditSubject, job: &str, name: &str) -> Child {
    let location = match &place.location {
        Location::Sqlite(path) => format!("sqlite {}", path.display()),
        Location::Postgres(url) => format!("postgres {url}"),
    };
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "registry::tests::race::another_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(JOB, format!("{job} {name} {location}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What another process does. Without a job it does the whole of one alone, so it is a test of its own too.
#[test]
fn another_process() {
    let Ok(job) = std::env::var(JOB) else {
        let place = AuditSubject::sqlite();
        let shared = shared_record(&mut place.open());
        work(&place, "alone");
        let mut registry = place.open();
        assert_eq!(registry.list(Some("executed")).unwrap().len(), N_RECORDS);
        assert_eq!(registry.get(&shared).unwrap().unwrap().history.len(), 4);
        return;
    };
    let parts: Vec<&str> = job.splitn(4, ' ').collect();
    let location = match parts[2] {
        "sqlite" => Location::Sqlite(parts[3].into()),
        _ => Location::Postgres(parts[3].to_owned()),
    };
    let place = AuditSubject { location, _dir: None };
    match parts[0] {
        "work" => work(&place, parts[1]),
        "write" => write_for_ever(&place, parts[1]),
        other => panic!("no such job: {other}"),
    }
}

fn say(words: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nsaid {words}").unwrap();
    out.flush().unwrap();
}

/// A record that everybody renews, and nobody else may claim.
fn shared_record(registry: &mut Registry) -> Id {
    after(registry, &[approve(), claim("everybody", 0, 1_000_000)])
}

/// Adds and approves records, changes the shared one, then runs whatever is there to run.
fn work(place: &AuditSubject, name: &str) {
    let mut registry = place.open();
    for _ in 0..N_RECORDS {
        let added = registry.add(&proposal(), Some(b"patch"), name, at(0)).unwrap();
        happen(&mut registry, &added.record.id, Expected::Version(1), &approve()).unwrap();
        say(&format!("added {}", added.record.id));
    }
    let shared = id("DDS-20260202-CODE-001");
    let renew = Event::Renew { holder: "everybody".to_owned(), until: at(2_000_000) };
    loop {
        let Some(RegistryEntry::Current(seen)) = registry.entry(&shared).unwrap() else {
            panic!("it is of today")
        };
        match happen(&mut registry, &shared, Expected::Version(seen.version), &renew) {
            Ok(_) => break,
            Err(HappenError::Conflict { .. }) => say("conflict"),
            Err(error) => panic!("{error}"),
        }
    }
    let holder = Holder::new(name, "1");
    let name = &holder.name();
    while let Some(claimed) = registry.claim_next(&holder, at(5), at(500)).unwrap() {
        let id = claimed.record.id;
        say(&format!("claimed {id}"));
        for event in [begin(name), commit(name), finish(name, ExecutionOutcome::Success)] {
            happen(&mut registry, &id, Expected::Any, &event).unwrap();
        }
        say(&format!("finished {id}"));
    }
}

/// Says what is committed, after it is.
fn write_for_ever(place: &AuditSubject, name: &str) {
    let mut registry = place.open();
    loop {
        let id = registry.add(&proposal(), Some(&[7; 9_000]), name, at(0)).unwrap().record.id;
        say(&format!("added {id}"));
        happen(&mut registry, &id, Expected::Version(1), &approve()).unwrap();
        say(&format!("approved {id}"));
    }
}

pub(super) fn sixty_four_processes_lose_nothing(place: &AuditSubject) {
    let shared = shared_record(&mut place.open());
    let started = Instant::now();
    let children: Vec<Child> =
        (0..N_PROCESSES).map(|idx| start(place, "work", &format!("worker-{idx}"))).collect();
    let mut said: Vec<String> = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
        said.extend(text.lines().filter_map(|it| it.strip_prefix("said ")).map(str::to_owned));
    }
    let seconds = started.elapsed().as_secs_f64();
    let expected: BTreeSet<String> =
        (2..=N_PROCESSES * N_RECORDS + 1).map(|n| format!("DDS-20260202-CODE-{n:03}")).collect();
    for word in ["added ", "claimed ", "finished "] {
        let ids: Vec<String> =
            said.iter().filter_map(|it| it.strip_prefix(word)).map(str::to_owned).collect();
        assert_eq!(ids.len(), expected.len(), "{word}");
        assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), expected, "{word}");
    }
    let mut registry = place.open();
    let executed = registry.list(Some("executed")).unwrap();
    assert_eq!(executed.len(), expected.len());
    for entry in &executed {
        let RegistryEntry::Current(stored) = entry else { panic!("it is of today") };
        assert_eq!(stored.version, 6);
    }
    let Some(RegistryEntry::Current(seen)) = registry.entry(&shared).unwrap() else {
        panic!("it is of today")
    };
    assert_eq!(seen.version, 3 + i64::try_from(N_PROCESSES).unwrap());
    let verified = assert_sound(&mut registry);
    let n_changes = expected.len() * 6 + N_PROCESSES;
    assert_eq!(verified.n_lines, n_changes + 3);
    let n_conflicts = said.iter().filter(|it| *it == "conflict").count();
    let engine =
        if matches!(place.location, Location::Sqlite(_)) { "SQLite" } else { "PostgreSQL" };
    let alone = alone_per_second(&mut registry);
    writeln!(
        std::io::stderr(),
        "{engine}: {N_PROCESSES} processes, {n_changes} changes and {n_conflicts} conflicts in {seconds:.2} s, \
         {:.0} changes per second; {alone:.0} by one process alone",
        n_changes as f64 / seconds
    )
    .unwrap();
}

/// How many changes one process makes in a second where nobody else does.
fn alone_per_second(registry: &mut Registry) -> f64 {
    let started = Instant::now();
    let n_records = 40;
    for _ in 0..n_records {
        after(registry, &[approve()]);
    }
    f64::from(n_records * 2) / started.elapsed().as_secs_f64()
}

pub(super) fn a_killed_writer_leaves_a_prefix(place: &AuditSubject) {
    drop(place.open());
    let n_rounds = 24;
    let (mut n_added, mut n_approved) = (0, 0);
    for round in 0..n_rounds {
        let mut child = start(place, "write", &format!("round-{round}"));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut count = |line: &str| {
            n_added += usize::from(line.starts_with("said added"));
            n_approved += usize::from(line.starts_with("said approved"));
            line.starts_with("said ")
        };
        let mut n_said = 0;
        while n_said <= round % 4 {
            let line = lines.next().expect("the writer ended by itself").unwrap();
            n_said += usize::from(count(&line));
        }
        std::thread::sleep(Duration::from_micros(u64::try_from(round).unwrap() * 211));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines {
            count(&line.unwrap());
        }
        // What was said is there; of what was not said there is at most one step for each writer that was killed.
        let mut registry = place.open();
        let n_records = assert_sound(&mut registry).n_records;
        assert!((n_added..=n_added + round + 1).contains(&n_records), "{n_added} {n_records}");
        let found = registry.list(Some("approved")).unwrap().len();
        assert!((n_approved..=n_approved + round + 1).contains(&found), "{n_approved} {found}");
        // A server may still finish what a killed writer sent it, so that what was counted before may have grown.
        let all = registry.list(None).unwrap();
        let last = all.last().unwrap();
        assert_eq!(last.id().as_str(), format!("DDS-20260202-CODE-{:03}", all.len()));
    }
}
