//! `end-to-end`: `regreen validate` and `regreen apply` of a changeset over 25 files, by the real binary, from
//! start to exit. What starting any program costs, and what replacing 25 files durably costs, stand beside it.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Scale;
use crate::contender::children_time;
use crate::fleet::{Syntax, fleet};
use crate::table::{Table, time};
use crate::tools;

const FILES: usize = 25;
const CHANGESET: &str = "changeset.json";

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let program = regreen()?;
    let runs = scale.pick(30, 2);
    let mut table = Table::new(&["what", "best", "median", "processor, mean"]);
    let bare = sample(runs, &|root| start(Path::new("true"), root, &[]))?;
    let validate = sample(runs, &|root| start(&program, root, &["validate", CHANGESET]))?;
    let dry = sample(runs, &|root| start(&program, root, &["apply", "--dry-run", CHANGESET]))?;
    let apply = sample(runs, &|root| start(&program, root, &["apply", CHANGESET]))?;
    let minimal = sample(runs, &rewrite_durably)?;
    for (what, times) in [
        ("start of a program that does nothing (`true`)", &bare),
        ("regreen validate", &validate),
        ("regreen apply --dry-run", &dry),
        ("regreen apply (journal, undo images, everything synced)", &apply),
        ("write-fsync-rename of the same 25 files, in this process", &minimal),
    ] {
        let Sample { best, median, processor } = times;
        table.row(vec![what.to_string(), time(*best), time(*median), time(*processor)]);
    }
    table.print(&format!(
        "A changeset of {} operations on {FILES} files (YAML and JSON, about 3 kB each); wall time, fork and exec \
         included (budget of the contract: 100 ms; goal: 10 ms):",
        operations().len()
    ));
    Ok(())
}

/// What several runs took, each on a fresh tree.
struct Sample {
    best: Duration,
    median: Duration,
    /// The mean processor time of the started programs; nothing for work in this process.
    processor: Duration,
}

fn sample(runs: u32, work: &dyn Fn(&Path) -> Result<()>) -> Result<Sample> {
    let before = children_time();
    let mut times = Vec::new();
    for _ in 0..runs {
        let tree = write_tree()?;
        let start = Instant::now();
        work(tree.path())?;
        times.push(start.elapsed());
    }
    times.sort();
    let processor = children_time().saturating_sub(before) / runs;
    Ok(Sample { best: times[0], median: times[times.len() / 2], processor })
}

fn start(program: &Path, root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = tools::regreen(program);
    command.args(arguments).current_dir(root).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::piped());
    let output = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {complaint}", output.status);
    Ok(())
}

fn rewrite_durably(root: &Path) -> Result<()> {
    for index in 0..FILES {
        let target = root.join(path(index));
        let contents = fs::read(&target)?;
        let temporary = target.with_extension("new");
        let mut file = File::create_new(&temporary)?;
        file.write_all(&contents)?;
        file.sync_all()?;
        fs::rename(&temporary, &target)?;
        File::open(target.parent().context("files stand in directories")?)?.sync_all()?;
    }
    Ok(())
}

fn write_tree() -> Result<TempDir> {
    let directory = tempfile::tempdir()?;
    fs::create_dir(directory.path().join(".git"))?;
    for index in 0..FILES {
        let file = directory.path().join(path(index));
        fs::create_dir_all(file.parent().context("files stand in directories")?)?;
        fs::write(&file, fleet(syntax(index), 3_000, 1).text)?;
    }
    let changeset = json!({"changeset_uid": "bench-25", "ops": operations()});
    fs::write(directory.path().join(CHANGESET), changeset.to_string())?;
    fs::write(directory.path().join("regreen.toml"), "")?;
    rustix::fs::syncfs(File::open(directory.path())?)?;
    Ok(directory)
}

/// Four operations of different kinds for every file.
fn operations() -> Vec<Value> {
    let for_file = |index: usize| {
        let uid = format!("path:{}", path(index));
        let at = |rest: &str| format!("/services/svc-000001/{rest}");
        [
            json!({"type": "set_value", "file_uid": uid, "json_pointer": at("image"), "value": "app:2.0.0"}),
            json!({"type": "set_value", "file_uid": uid, "json_pointer": at("environment/REGION"), "value": "eu"}),
            json!({
                "type": "insert_into_array", "file_uid": uid, "json_pointer": at("ports"), "index": 1,
                "value": "9000:90",
            }),
            json!({"type": "delete_value", "file_uid": uid, "json_pointer": at("restart")}),
        ]
    };
    (0..FILES).flat_map(for_file).collect()
}

fn syntax(index: usize) -> Syntax {
    if index.is_multiple_of(2) { Syntax::Yaml } else { Syntax::Json }
}

fn path(index: usize) -> String {
    let extension = match syntax(index) {
        Syntax::Json => "json",
        Syntax::Yaml => "yaml",
    };
    format!("region-{}/fleet-{index:02}.{extension}", index % 5)
}

/// The binary that `BENCH_REGREEN` names, or the one beside this one; under cargo that is built first, with the same
/// profile.
pub(crate) fn regreen() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("BENCH_REGREEN") {
        return Ok(program.into());
    }
    let this = std::env::current_exe()?;
    let directory = this.parent().context("a program stands in a directory")?;
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "regreen"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        // A profile builds into the folder of its name, but for the one whose folder is `debug`.
        let profile = directory.file_name().and_then(|it| it.to_str()).unwrap_or("debug");
        build.args(["--profile", if profile == "debug" { "dev" } else { profile }]);
        ensure!(build.status()?.success(), "regreen does not build");
    }
    let program = directory.join("regreen");
    if !program.is_file() {
        bail!("{} is missing: build it with the profile of the benchmarks", program.display());
    }
    Ok(program)
}
