//! `text-output`: what `check` prints of very many findings of one file, as text and in the formats of other tools,
//! beside JSON of the same, by the real binary from start to exit. The growth from one size to
//! the next stands beside the one of a linear program.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::Scale;
use crate::end_to_end::regreen;
use crate::table::{Table, count, ratio, time};

const RUNS: usize = 3;
const SCHEMA: &str = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
const FORMATS: [(&str, &[&str]); 6] = [
    ("check (50 shown)", &["check"]),
    ("check -v (all shown)", &["check", "-v"]),
    ("check -q (a line each)", &["check", "-q"]),
    ("check --format sarif", &["check", "--format", "sarif"]),
    ("plan (50 shown)", &["plan"]),
    ("fix --dry-run", &["fix", "--dry-run"]),
];

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let program = regreen()?;
    let sizes = scale.pick(&[1_000, 5_000, 50_000][..], &[100, 200][..]);
    let mut table = Table::new(&["findings", "what", "time", "/ JSON", "growth", "if linear"]);
    let mut before: Option<(usize, Vec<Duration>)> = None;
    for &n in sizes {
        let tree = write_tree(n)?;
        let json = best(&program, tree.path(), &["check", "--format", "json"])?;
        let mut times = vec![json];
        for (_, arguments) in FORMATS {
            times.push(best(&program, tree.path(), arguments)?);
        }
        let names = std::iter::once("check --format json").chain(FORMATS.map(|it| it.0));
        for (idx, (name, elapsed)) in names.zip(&times).enumerate() {
            let earlier = before.as_ref().and_then(|(fewer, times)| Some((fewer, times.get(idx)?)));
            let (growth, linear) = match earlier {
                Some((fewer, earlier)) => {
                    (ratio(*elapsed, *earlier), format!("{:.2}x", n as f64 / *fewer as f64))
                }
                None => (String::new(), String::new()),
            };
            let beside = ratio(*elapsed, json);
            table.row(vec![count(n), name.to_owned(), time(*elapsed), beside, growth, linear]);
        }
        before = Some((n, times));
    }
    table.print("Findings of one YAML file, each with a repair (wall time, best of 3, fork and exec included):");
    Ok(())
}

fn write_tree(n: usize) -> Result<TempDir> {
    let directory = tempfile::tempdir()?;
    let mut text = "# yaml-language-server: $schema=numbers.json\n".to_owned();
    for index in 0..n {
        writeln!(text, "key-{index:06}: \"{index}\"")?;
    }
    fs::write(directory.path().join("numbers.json"), SCHEMA)?;
    fs::write(directory.path().join("numbers.yaml"), text)?;
    fs::write(directory.path().join("regreen.toml"), "")?;
    Ok(directory)
}

fn best(program: &Path, root: &Path, arguments: &[&str]) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root).stdin(Stdio::null()).stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
        best = best.min(start.elapsed());
        // There are findings: 1 is the right end of `check`.
        ensure!(matches!(status.code(), Some(0 | 1)), "{command:?} ended with {status}");
    }
    Ok(best)
}
