//! `check-listing`: what `regreen check` costs where there is little to look at, beside a program that only lists: a tree
//! without a document, a second look at many documents of which one changed, and one file beside a large one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use document::Format;
use tempfile::TempDir;

use crate::Scale;
use crate::check_tree::{Tree, best};
use crate::contender::{Finished, wait};
use crate::end_to_end::regreen;
use crate::table::{Table, count, ratio, say, size, time};
use crate::tools;

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let program = regreen()?;
    let lister = tools::ripgrep();
    if lister.is_none() {
        say(
            "PEER MISSING: rg was not found; its directory walker, run in this process, stands in for it.\n",
        );
    }
    nothing_of_interest(&program, lister.as_deref(), scale)?;
    one_changed(&program, lister.as_deref(), scale)?;
    one_file(&program, lister.as_deref(), scale)
}

/// Files that no source is about, a hundred in each folder.
fn sources(n_files: usize) -> Result<TempDir> {
    let directory = tempfile::tempdir()?;
    for n in 0..n_files {
        let folder = directory.path().join(format!("src/{:02}/{:02}", n / 10_000, n / 100 % 100));
        if n % 100 == 0 {
            fs::create_dir_all(&folder)?;
        }
        let text = format!("pub fn f{n}() -> usize {{\n    {n}\n}}\n");
        fs::write(folder.join(format!("module_{n}.rs")), text)?;
    }
    Ok(directory)
}

/// Lists the files: by ripgrep, or by its walker in this process.
fn list(lister: Option<&Path>, root: &Path) -> Result<Finished> {
    if let Some(lister) = lister {
        let mut command = Command::new(lister);
        command.args(["--files", "--hidden"]).current_dir(root);
        return wait(&mut command, None);
    }
    let start = Instant::now();
    let walker = ignore::WalkBuilder::new(root).hidden(false).threads(2).build_parallel();
    walker.run(|| Box::new(|_| ignore::WalkState::Continue));
    let elapsed = start.elapsed();
    Ok(Finished { success: true, timed_out: false, elapsed, peak: 0, output: String::new() })
}

fn check(program: &Path, root: &Path, cache: &Path, arguments: &[&str]) -> Result<Finished> {
    let mut command = tools::regreen(program);
    command.env("XDG_CACHE_HOME", cache).arg("check").args(arguments);
    command.arg("--root").arg(root).current_dir(root);
    let finished = wait(&mut command, None)?;
    ensure!(finished.success, "{command:?} failed:\n{}", finished.output);
    Ok(finished)
}

/// The longer of nothing and the difference.
fn beyond(ours: Duration, theirs: Duration) -> String {
    time(ours.saturating_sub(theirs))
}

fn nothing_of_interest(program: &Path, lister: Option<&Path>, scale: Scale) -> Result<()> {
    let mut table =
        Table::new(&["files", "rg --files", "regreen check", "ratio", "growth", "peak memory"]);
    let mut before: Option<(usize, Duration)> = None;
    for n_files in scale.pick(&[1_000, 10_000, 100_000][..], &[100]).iter().copied() {
        let (tree, cache) = (sources(n_files)?, tempfile::tempdir()?);
        let runs = scale.pick(7, 1);
        let theirs = best(runs, || list(lister, tree.path()))?;
        let ours = best(runs, || check(program, tree.path(), cache.path(), &[]))?;
        let growth = before.map(|(n, it)| {
            let files = n_files as f64 / n as f64;
            format!("{:.2}x for {files}x", ours.elapsed.as_secs_f64() / it.as_secs_f64())
        });
        before = Some((n_files, ours.elapsed));
        table.row(vec![
            count(n_files),
            time(theirs.elapsed),
            time(ours.elapsed),
            ratio(ours.elapsed, theirs.elapsed),
            growth.unwrap_or_default(),
            size(ours.peak),
        ]);
    }
    table.print(
        "A check of a tree in which nothing is of interest, by the real binary (goals: at most twice as long as listing \
         100,000 files, and 50 MB):",
    );
    Ok(())
}

fn one_changed(program: &Path, lister: Option<&Path>, scale: Scale) -> Result<()> {
    let mut table = Table::new(&[
        "YAML files",
        "rg --files",
        "first check",
        "nothing changed",
        "one changed",
        "beyond twice the listing",
    ]);
    for n_files in scale.pick(&[1_000, 10_000][..], &[100]).iter().copied() {
        let (tree, cache) = (Tree::new(n_files, Format::Yaml, false)?, tempfile::tempdir()?);
        // A file that was just written is read again, because another save could look the same.
        std::thread::sleep(scale.pick(Duration::from_millis(2_500), Duration::ZERO));
        let runs = scale.pick(7, 1);
        let theirs = best(runs, || list(lister, tree.root()))?;
        let first = best(1, || check(program, tree.root(), cache.path(), &[]))?;
        let same = best(runs, || check(program, tree.root(), cache.path(), &[]))?;
        let mut round = 0;
        let changed = best(runs, || {
            round += 1;
            let victim: &PathBuf = tree.files.get(round * 7 % n_files).context("a file")?;
            let text = fs::read_to_string(victim)?;
            fs::write(victim, format!("{text}# {round}\n"))?;
            check(program, tree.root(), cache.path(), &[])
        })?;
        table.row(vec![
            count(n_files),
            time(theirs.elapsed),
            time(first.elapsed),
            time(same.elapsed),
            time(changed.elapsed),
            beyond(changed.elapsed, theirs.elapsed * 2),
        ]);
    }
    table.print(
        "A second check, a process of its own (goal: with one of 10,000 files changed, at most twice the listing and \
         20 ms):",
    );
    Ok(())
}

fn one_file(program: &Path, lister: Option<&Path>, scale: Scale) -> Result<()> {
    let tree = sources(scale.pick(100_000, 100))?;
    let write = |name: &str, text: &str| fs::write(tree.path().join(name), text);
    write("s.json", r#"{"properties": {"port": {"type": "integer"}}}"#)?;
    write("one.yaml", "# yaml-language-server: $schema=s.json\nport: 80\n")?;
    let item = "{\"name\": \"something\", \"values\": [1, 2, 3, 4, 5, 6, 7, 8]},\n";
    let items = item.repeat(scale.pick(15_000_000, 15_000) / item.len());
    write("large.json", &format!("{{\"$schema\": \"s.json\", \"items\": [{items}{{}}]}}\n"))?;
    let cache = tempfile::tempdir()?;
    let runs = scale.pick(7, 1);
    let theirs = best(runs, || list(lister, tree.path()))?;
    let mut table = Table::new(&["what", "time", "peak memory"]);
    table.row(vec!["rg --files".into(), time(theirs.elapsed), String::new()]);
    for (what, arguments) in [("check", &[][..]), ("check one.yaml", &["one.yaml"])] {
        let ours = best(runs, || check(program, tree.path(), cache.path(), arguments))?;
        table.row(vec![what.to_owned(), time(ours.elapsed), size(ours.peak)]);
    }
    table.print("One small file beside one of 15 MB and 100,000 that nobody is about:");
    Ok(())
}
