//! `large-files`: one file at a time. YAML parsed beside rapidyaml, and the whole `check` of it beside rapidyaml's bare
//! parse; TOML and JSON over a hundredfold of sizes, with memory; and what `check` of one small file takes.
//!
//! `BENCH_FILES` names more YAML files, separated by colons.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use document::{Format, Limits};
use edit::Text;

use crate::Scale;
use crate::contender::{Finished, children_time, wait};
use crate::end_to_end::regreen;
use crate::fleet::{Syntax, fleet};
use crate::measure::{Clock, best_of};
use crate::peers::rapidyaml;
use crate::table::{Table, complain, count, ratio, say, size, time};
use crate::tools;

const SCHEMA: &str = r#"{"type": "object", "properties": {"services": {"additionalProperties": {"type": "object"}}}}"#;

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let program = regreen()?;
    yaml(&program, scale)?;
    growth(&program, scale)?;
    start(&program, scale)
}

fn yaml(program: &Path, scale: Scale) -> Result<()> {
    let python = tools::python_with_rapidyaml();
    if python.is_none() {
        let how = tools::HOW_TO_INSTALL;
        say(&format!("PEER MISSING: rapidyaml was not found, so its columns are empty. {how}\n"));
        complain("bench: peer missing: rapidyaml");
    }
    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for bytes in scale.pick([150_000, 1_500_000, 15_000_000], [2_000, 20_000, 50_000]) {
        let path = folder.path().join(format!("fleet-{bytes}.yaml"));
        fs::write(&path, fleet(Syntax::Yaml, bytes, 0).text)?;
        files.push(path);
    }
    let more = std::env::var_os("BENCH_FILES").unwrap_or_default();
    files.extend(std::env::split_paths(&more).filter(|it| !it.as_os_str().is_empty()));
    let mut table = Table::new(&[
        "file",
        "bytes",
        "parse",
        "MB/s",
        "rapidyaml",
        "MB/s",
        "rapidyaml/parse",
        "into a document",
        "check",
        "check, processor",
        "rapidyaml, first parse",
        "check/first parse",
        "peak memory",
        "to file",
    ]);
    let runs = scale.pick(9, 1);
    for file in &files {
        let text = fs::read_to_string(file)?;
        let speed = |it: Duration| format!("{:.0}", text.len() as f64 / it.as_secs_f64() / 1e6);
        let (bare, tree) = best_of(
            Clock::Processor,
            runs,
            || (),
            |()| ::yaml::parse(&text, &::yaml::Options::LENIENT),
        );
        tree.with_context(|| format!("{}", file.display()))?;
        let shared = Text::new(text.as_str());
        let (whole, document) = best_of(
            Clock::Processor,
            runs,
            || (),
            |()| document::parse(&shared, Format::Yaml, &Limits::DEFAULT),
        );
        document.with_context(|| format!("{}", file.display()))?;
        let peer = python.as_ref().map(|it| rapidyaml::parse(it, file, runs)).transpose()?;
        let checked = check(program, file, runs)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let shown = |it: Option<String>| it.unwrap_or_else(|| "-".to_owned());
        table.row(vec![
            name,
            size(text.len() as u64),
            time(bare),
            speed(bare),
            shown(peer.map(|it| time(it.best))),
            shown(peer.map(|it| speed(it.best))),
            shown(peer.map(|it| ratio(it.best, bare))),
            time(whole),
            time(checked.elapsed),
            time(checked.processor),
            shown(peer.map(|it| time(it.cold))),
            shown(peer.map(|it| ratio(checked.processor, it.cold))),
            size(checked.peak),
            format!("{:.1}x", checked.peak as f64 / text.len() as f64),
        ]);
    }
    table.print(
        "YAML: the parse in processor time, best of several, and the whole `check` by the real binary without anything \
         remembered (goals: rapidyaml/parse at least 1, check/first parse at most 2.5 for large files):",
    );
    Ok(())
}

/// What checking a tree of one file took.
struct Checked {
    elapsed: Duration,
    processor: Duration,
    peak: u64,
}

fn check(program: &Path, file: &Path, runs: usize) -> Result<Checked> {
    let folder = tempfile::tempdir()?;
    let name = file.file_name().context("a file has a name")?;
    fs::copy(file, folder.path().join(name))?;
    fs::write(folder.path().join("s.json"), SCHEMA)?;
    let config = format!("[[schema]]\nfiles = [\"*.{}\"]\npath = \"s.json\"\n", extension(file));
    fs::write(folder.path().join("regreen.toml"), config)?;
    let mut best: Option<Checked> = None;
    for _ in 0..runs {
        let before = children_time();
        let mut command = tools::regreen(program);
        command.arg("check").arg("--root").arg(folder.path()).current_dir(folder.path());
        let start = std::time::Instant::now();
        let Finished { peak, .. } = wait(&mut command, None)?;
        let (elapsed, processor) = (start.elapsed(), children_time().saturating_sub(before));
        let known = best.get_or_insert(Checked { elapsed, processor, peak });
        known.elapsed = known.elapsed.min(elapsed);
        known.processor = known.processor.min(processor);
        known.peak = known.peak.max(peak);
    }
    best.context("there was a run")
}

fn extension(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().into_owned()
}

fn growth(program: &Path, scale: Scale) -> Result<()> {
    let mut table =
        Table::new(&["format", "bytes", "check, processor", "growth", "peak memory", "to file"]);
    let folder = tempfile::tempdir()?;
    for extension in ["toml", "json", "yaml"] {
        let mut before: Option<(usize, Duration)> = None;
        for bytes in scale.pick([600_000, 6_000_000, 60_000_000], [6_000, 12_000, 60_000]) {
            let text = match extension {
                "toml" => toml(bytes),
                "json" => fleet(Syntax::Json, bytes, 0).text,
                _ => fleet(Syntax::Yaml, bytes, 0).text,
            };
            let path: PathBuf = folder.path().join(format!("large.{extension}"));
            fs::write(&path, &text)?;
            let checked = check(program, &path, scale.pick(3, 1))?;
            let exponent = before.map(|(fewer, earlier)| {
                let grown = checked.processor.as_secs_f64() / earlier.as_secs_f64().max(1e-3);
                grown.ln() / (text.len() as f64 / fewer as f64).ln()
            });
            table.row(vec![
                extension.to_uppercase(),
                size(text.len() as u64),
                time(checked.processor),
                exponent.map_or(String::new(), |it| format!("{it:.2}")),
                size(checked.peak),
                format!("{:.1}x", checked.peak as f64 / text.len() as f64),
            ]);
            before = Some((text.len(), checked.processor));
        }
    }
    table.print(
        "One large file; growth is the exponent, 1 is linear (goal for TOML: linear, at most 6 times the file):",
    );
    Ok(())
}

/// Tables, arrays of tables, inline tables, strings of several lines and dates, with comments.
fn toml(bytes: usize) -> String {
    let mut text = "# The fleet.\ntitle = \"fleet\"\n".to_owned();
    let mut index = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            "\n# Service {index}.\n[[service]]\nname = \"service-{index}\"\nport = {} # assigned\nweight = 1.50\nsince = 2024-05-0{}T07:32:00Z\ntags = [\"web\", 'blue', \"zone-{}\"]\nlimits = {{ cpu = 2, memory = \"512M\" }}\n[service.env]\nLOG_LEVEL = \"info\"\nNOTE = \"\"\"\ntwo\nlines\"\"\"\n",
            1024 + index % 60_000,
            1 + index % 9,
            index % 7,
        );
        index += 1;
    }
    text
}

fn start(program: &Path, scale: Scale) -> Result<()> {
    let runs = scale.pick(200, 2);
    let mut table = Table::new(&["what", "wall, best", "processor, mean"]);
    for (name, text) in [("a.yaml", "a: 1\n"), ("a.json", "{\"a\": 1}\n"), ("a.toml", "a = 1\n")] {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join(name), text)?;
        let before = children_time();
        let mut best = Duration::MAX;
        for _ in 0..runs {
            let start = std::time::Instant::now();
            let mut command = tools::regreen(program);
            command.arg("check").current_dir(folder.path()).stdout(std::process::Stdio::null());
            command.status()?;
            best = best.min(start.elapsed());
        }
        let processor = children_time().saturating_sub(before) / runs;
        table.row(vec![format!("check of {name}"), time(best), time(processor)]);
    }
    table.print(&format!(
        "One small file, {} runs (goal: at most 5 ms of processor time):",
        count(runs as usize)
    ));
    Ok(())
}
