//! `proposals`: storing, listing and checking records beside what the disk can do; a run of a tool beside the tool by
//! itself; signing and checking beside ssh-keygen.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use govern::registry::{Location, Registry};
use govern::{Moment, shape};
use serde_json::{Value, json};

use crate::Scale;
use crate::live_server::Server;
use crate::table::{Table, count, ratio, time};

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    registry(scale)?;
    files(scale)?;
    writers(scale)?;
    runs(scale)?;
    signatures(scale)
}

fn record(n: usize) -> Value {
    json!({
        "id": format!("DDS-{:08}-CODE-{:03}", 20_260_000 + n / 999, 1 + n % 999),
        "version": 2, "type": "code_change", "project": "bench", "goal": format!("Change number {n}"),
        "instructions": ["Do it", "Check it"], "allowed_paths": ["src/", "tests/"], "tool": "aider",
        "constraints": { "max_files_changed": 5, "no_new_dependencies": true }, "status": "proposed"
    })
}

/// Every change of the registry is durable, so a synced append to a file is the limit.
fn registry(scale: Scale) -> Result<()> {
    let mut table = Table::new(&["what", "records", "time", "each", "a synced append", "ratio"]);
    for &n in scale.pick(&[1_000, 10_000][..], &[50][..]) {
        let folder = tempfile::tempdir()?;
        let location = Location::Sqlite(folder.path().join("registry.db"));
        let mut registry = Registry::open(&location)?;
        let now = Moment::from_micros(1_770_000_000_000_000);
        let appended = synced_appends(folder.path(), n.min(1_000))?;
        let mut row = |what: &str, elapsed: Duration, per: Option<Duration>| {
            let each = elapsed / u32::try_from(n).unwrap_or(u32::MAX);
            table.row(vec![
                what.to_owned(),
                count(n),
                time(elapsed),
                time(each),
                per.map_or(String::new(), time),
                per.map_or(String::new(), |it| ratio(each, it)),
            ]);
        };
        let start = Instant::now();
        for idx in 0..n {
            registry.add(&record(idx), None, "bench", now)?;
        }
        row("add", start.elapsed(), Some(appended));
        let start = Instant::now();
        ensure!(registry.list(None)?.len() == n, "a record is missing");
        row("list all", start.elapsed(), None);
        let start = Instant::now();
        ensure!(registry.verify()?.flaws.is_empty(), "the registry does not hold");
        row("verify all", start.elapsed(), None);
    }
    table.print(
        "The registry in SQLite (every add is one durable transaction with its audit line):",
    );
    Ok(())
}

/// `dds list` where as many proposals lie as files beside the registry, waiting and then approved: what is new must be found
/// without reading what is known. The same with the registry on a server. The limit is 100 ms at 10,000.
fn files(scale: Scale) -> Result<()> {
    let server = Server::start();
    let mut table = Table::new(&["what", "registry", "proposals", "time"]);
    for &n in scale.pick(&[1_000, 10_000][..], &[20][..]) {
        let database = server.new_database("files");
        for (name, registry) in [("SQLite", None), ("PostgreSQL", Some(database.as_str()))] {
            let folder = tempfile::tempdir()?;
            let (root, state) = (folder.path().join("root"), folder.path().join("state"));
            fs::create_dir(&root)?;
            let user = service::User {
                home: service::Home { state: Some(state), cache: None },
                interrupts: service::Interrupts::new(),
                is_trusting: true,
                programs: service::Programs::default(),
                build_tools: Default::default(),
            };
            fs::write(root.join("regreen.toml"), "[tools.aider]\ncommand = [\"true\"]\n")?;
            let session = service::Session::open(&root, service::SessionAccess::Write, &user)?;
            let mut row = |what: &str, elapsed: Duration| {
                let (what, name) = (what.to_owned(), name.to_owned());
                table.row(vec![what, name, count(n), time(elapsed)]);
            };
            let list = || -> Result<Duration> {
                let mut best = Duration::MAX;
                for _ in 0..5 {
                    let start = Instant::now();
                    let desk = service::dds::ProposalRegistry::open(&session, registry)?;
                    let listed = serde_json::to_string(&desk.list(None)?)?;
                    best = best.min(start.elapsed());
                    let n_listed = listed.matches("\"lease\":").count();
                    ensure!(n_listed == n, "{n_listed} of {n} are listed");
                }
                Ok(best)
            };
            let desk = service::dds::ProposalRegistry::open(&session, registry)?;
            let start = Instant::now();
            for idx in 0..n {
                desk.add(record(idx).to_string().as_bytes(), None, "bench")?;
            }
            row("add, with its file", start.elapsed());
            row("open, look for news, list", list()?);
            if n > 1_000 {
                continue;
            }
            let start = Instant::now();
            for idx in 0..n {
                let id = record(idx)["id"].as_str().unwrap_or_default().to_owned();
                let shown = serde_json::to_value(desk.show(&id)?)?;
                let expected = shown["statement_hash"].as_str().unwrap_or_default();
                let decided =
                    serde_json::to_value(desk.approve_typed(&id, &id, expected, "bench")?)?;
                ensure!(decided["status"] == "approved", "{decided}");
            }
            row("show and approve, with its file", start.elapsed());
            drop(desk);
            row("open, look for news, list", list()?);
        }
    }
    table.print("Proposals and approvals as files beside a registry:");
    Ok(())
}

/// As many writers as a team has, all at once.
fn writers(scale: Scale) -> Result<()> {
    const N_WRITERS: usize = 64;
    let each = scale.pick(20, 1);
    let server = Server::start();
    let folder = tempfile::tempdir()?;
    let places = [
        ("SQLite", Location::Sqlite(folder.path().join("registry.db"))),
        ("PostgreSQL", Location::Postgres(server.new_database("writers"))),
    ];
    let mut table = Table::new(&["registry", "writers", "records", "time", "each"]);
    for (name, location) in places {
        let now = Moment::from_micros(1_770_000_000_000_000);
        Registry::open(&location)?;
        let start = Instant::now();
        let write = |writer: usize| -> Result<()> {
            let mut registry = Registry::open(&location)?;
            for idx in 0..each {
                registry.add(&record(writer * each + idx), None, "bench", now)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| -> Result<()> {
            let threads: Vec<_> = (0..N_WRITERS)
                .map(|writer| {
                    scope.spawn({
                        let write = &write;
                        move || write(writer)
                    })
                })
                .collect();
            for thread in threads {
                thread.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
            }
            Ok(())
        })?;
        let elapsed = start.elapsed();
        let mut registry = Registry::open(&location)?;
        let n = N_WRITERS * each;
        ensure!(registry.list(None)?.len() == n, "a record is missing");
        ensure!(registry.verify()?.flaws.is_empty(), "the registry does not hold");
        let per = elapsed / u32::try_from(n).unwrap_or(u32::MAX);
        table.row(vec![name.to_owned(), N_WRITERS.to_string(), count(n), time(elapsed), time(per)]);
    }
    table.print("Writers at the same time, each with a connection of its own:");
    Ok(())
}

fn synced_appends(folder: &Path, n: usize) -> Result<Duration> {
    let mut file = fs::File::create(folder.join("appended"))?;
    let line = record(0).to_string();
    let start = Instant::now();
    for _ in 0..n {
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
    }
    Ok(start.elapsed() / u32::try_from(n).unwrap_or(u32::MAX))
}

/// What it costs to hold a program in a scope.
fn runs(scale: Scale) -> Result<()> {
    let n = scale.pick(50, 3);
    let folder = tempfile::tempdir()?;
    let mut table = Table::new(&["what", "runs", "each", "ratio"]);
    let start = Instant::now();
    for _ in 0..n {
        Command::new("/bin/true").status()?;
    }
    let plain = start.elapsed() / n;
    table.row(vec![
        "/bin/true by itself".to_owned(),
        n.to_string(),
        time(plain),
        ratio(plain, plain),
    ]);
    let levels = [
        sandbox::SandboxLevel::Unconfined,
        sandbox::SandboxLevel::Landlock,
        sandbox::SandboxLevel::Bubblewrap,
    ];
    for level in levels {
        let job = sandbox::Job {
            program: "/bin/true".into(),
            args: Vec::new(),
            directory: folder.path().to_owned(),
            writable: vec![folder.path().to_owned()],
            readable: Vec::new(),
            overlay: None,
            environment: std::collections::BTreeMap::new(),
            stdin: Vec::new(),
            network: false,
            limits: sandbox::Limits {
                time: Duration::from_secs(10),
                memory: 1 << 30,
                output: 1 << 16,
                output_total: 1 << 20,
                disk: 1 << 20,
                processes: 16,
            },
        };
        let start = Instant::now();
        for _ in 0..n {
            sandbox::run(&job, level, &mut || sandbox::Tick::Continue)
                .with_context(|| format!("PEER MISSING: {level}"))?;
        }
        let each = start.elapsed() / n;
        table.row(vec![
            format!("at the level {level}"),
            n.to_string(),
            time(each),
            ratio(each, plain),
        ]);
    }
    table.print("A program that does nothing, held in a scope:");
    Ok(())
}

fn signatures(scale: Scale) -> Result<()> {
    let n = scale.pick(50, 3);
    let folder = tempfile::tempdir()?;
    let key = folder.path().join("key");
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    ensure!(made.is_ok_and(|it| it.success()), "PEER MISSING: ssh-keygen");
    let read = shape::read(&record(0)).record.context("the record has a good form")?;
    let until = govern::approval::expiry(govern::Moment::from_micros(0), 30);
    let context = govern::approval::Context::default();
    let bytes = govern::approval::Statement::new(&read, None, &context, until).bytes();
    let signing = govern::approval::SigningKey::File(key.clone());
    let start = Instant::now();
    for _ in 0..n {
        let signed = govern::approval::sign(&signing, &bytes, None, &mut || None)?;
        govern::approval::check_signature(&signed.armored, &bytes)?;
    }
    let ours = start.elapsed() / n;
    let payload = folder.path().join("payload");
    fs::write(&payload, &bytes)?;
    let start = Instant::now();
    for _ in 0..n {
        let signature = folder.path().join("payload.sig");
        let _ = fs::remove_file(&signature);
        let keygen = |args: &[&str]| {
            let mut command = Command::new("ssh-keygen");
            command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let signed =
            keygen(&["-Y", "sign", "-n", "regreen-dds", "-f"]).arg(&key).arg(&payload).status()?;
        ensure!(signed.success(), "ssh-keygen did not sign");
        let checked = keygen(&["-Y", "check-novalidate", "-n", "regreen-dds", "-s"])
            .arg(&signature)
            .stdin(fs::File::open(&payload)?)
            .status()?;
        ensure!(checked.success(), "ssh-keygen did not take its own signature");
    }
    let theirs = start.elapsed() / n;
    let mut table = Table::new(&["what", "times", "each", "ratio"]);
    table.row(vec!["sign and check".to_owned(), n.to_string(), time(ours), ratio(ours, ours)]);
    table.row(vec![
        "ssh-keygen, two processes".to_owned(),
        n.to_string(),
        time(theirs),
        ratio(theirs, ours),
    ]);
    table.print("An approval, with an Ed25519 key in a file:");
    Ok(())
}
