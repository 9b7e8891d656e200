//! `clank-check` and `clank-text`: the Clank compiler on generated programs.
//!
//! The first is `regreen check` by the real binary beside `tsc --noEmit` on the TypeScript that comes out of the very
//! same program: up to 50,000 functions, and the fifty lines of a start-up; then a second look after one function
//! changed, and programs that are large in one way. The second is what each stage does in this process, and how time grows with texts that are long in one way.

mod growth;
mod program;
mod prove;
mod repairs;
mod stages;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
use tempfile::TempDir;

use self::stages::load;
use crate::Scale;
use crate::check_tree::best;
use crate::contender::{Finished, wait};
use crate::end_to_end::regreen;
use crate::measure::{Clock, best_of};
use crate::table::{Table, count, ratio, say, size, time};
use crate::tools;

pub(crate) use self::prove::run as run_prove;
pub(crate) use self::repairs::run as run_repairs;
pub(crate) use self::stages::run as run_stages;

/// Runs and prints `clank-check`.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let regreen = regreen()?;
    let tsc = tools::tsc();
    if tsc.is_none() {
        say(&format!("PEER MISSING: tsc was not found. {}\n", tools::HOW_TO_INSTALL));
    }
    large(&regreen, tsc.as_deref(), scale)?;
    start_up(&regreen, tsc.as_deref(), scale)?;
    second_look(scale)?;
    growth::run(scale)
}

/// A program on disk, as Clank and as the TypeScript that it becomes.
struct Tree {
    directory: TempDir,
    n_bytes: usize,
    n_lines: usize,
    generated: usize,
}

impl Tree {
    fn new(files: &[(String, String)]) -> Result<Tree> {
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("clank");
        let typescript = directory.path().join("typescript");
        fs::create_dir(&source)?;
        fs::create_dir(&typescript)?;
        fs::write(source.join("regreen.toml"), "")?;
        for (path, text) in files {
            fs::write(source.join(path), text)?;
        }
        fs::write(typescript.join("tsconfig.json"), TSCONFIG)?;
        let checked = clank::check(&load(files), None);
        ensure!(!checked.has_errors(), "a generated program has mistakes");
        let options = EmitOptions { dialect: OutputLanguage::TypeScript, runtime: Runtime::Inline };
        let mut generated = 0;
        for file in emit(&checked, &options).files {
            generated += file.text.len();
            fs::write(typescript.join(&file.path), file.text)?;
        }
        let n_bytes = files.iter().map(|it| it.1.len()).sum();
        let n_lines = files.iter().map(|it| it.1.lines().count()).sum();
        Ok(Tree { directory, n_bytes, n_lines, generated })
    }

    fn regreen(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = tools::regreen(program);
        command.args(arguments).current_dir(self.directory.path().join("clank"));
        command
    }

    fn tsc(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(["-p", "."]).current_dir(self.directory.path().join("typescript"));
        command
    }
}

const TSCONFIG: &str = r#"{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022",
  "module": "es2022", "moduleResolution": "bundler", "lib": ["es2022"], "types": [] }, "include": ["*.ts"] }"#;

fn finish(mut command: Command) -> Result<Finished> {
    command.stderr(Stdio::null());
    let finished = wait(&mut command, None)?;
    let said: String = finished.output.chars().take(2_000).collect();
    ensure!(finished.timed_out || finished.success, "{command:?} failed:\n{said}");
    Ok(finished)
}

fn large(regreen: &Path, tsc: Option<&Path>, scale: Scale) -> Result<()> {
    let mut table = Table::new(&[
        "functions",
        "files",
        "lines",
        "bytes",
        "regreen check",
        "peak memory",
        "per function",
        "TypeScript",
        "tsc --noEmit",
        "its memory",
        "ratio",
    ]);
    let sizes: &[usize] = scale.pick(&[1_000, 5_000, 50_000], &[50]);
    for &n_functions in sizes {
        let one_file = vec![("program.clank".to_owned(), program::program(n_functions))];
        for files in [one_file, program::modules(n_functions)] {
            let tree = Tree::new(&files)?;
            let runs = if n_functions > 10_000 { 2 } else { scale.pick(7, 1) };
            let ours = best(runs, || finish(tree.regreen(regreen, &["check"])))?;
            let mut cells = vec![
                count(n_functions),
                count(files.len()),
                count(tree.n_lines),
                size(tree.n_bytes as u64),
                time(ours.elapsed),
                size(ours.peak),
                time(ours.elapsed / n_functions as u32),
                size(tree.generated as u64),
            ];
            if let Some(tsc) = tsc {
                let theirs = best(if runs > 2 { 2 } else { 1 }, || finish(tree.tsc(tsc)))?;
                let sign = if theirs.timed_out { "> " } else { "" };
                cells.extend([
                    format!("{sign}{}", time(theirs.elapsed)),
                    size(theirs.peak),
                    format!("{sign}{}", ratio(theirs.elapsed, ours.elapsed)),
                ]);
            }
            table.row(cells);
        }
    }
    table.print(
        "A cold check by the real binary, layout and obligations included, beside tsc --strict --noEmit on the \
         TypeScript that the same program becomes (goal for 5,000 functions: 150 ms, 150 MB):",
    );
    Ok(())
}

fn start_up(regreen: &Path, tsc: Option<&Path>, scale: Scale) -> Result<()> {
    let text = program::small();
    let n_lines = text.lines().count();
    let tree = Tree::new(&[("small.clank".to_owned(), text)])?;
    let runs = scale.pick(40, 2);
    let mut table = Table::new(&["what", "best", "median", "times `true`"]);
    let bare = sample(runs, || Command::new("/bin/true"))?;
    let mut row = |what: &str, (best, median): (Duration, Duration)| {
        table.row(vec![what.to_owned(), time(best), time(median), ratio(best, bare.0)]);
    };
    row("start of a program that does nothing (`true`)", bare);
    for (what, arguments) in [
        ("regreen check small.clank", &["check", "small.clank"][..]),
        ("regreen compile small.clank", &["compile", "small.clank"]),
        ("regreen compile small.clank --emit ts", &["compile", "small.clank", "--emit", "ts"]),
        ("regreen run small.clank", &["run", "small.clank"]),
    ] {
        row(what, sample(runs, || tree.regreen(regreen, arguments))?);
    }
    if let Some(tsc) = tsc {
        row("tsc --noEmit on its TypeScript", sample(scale.pick(5, 1), || tree.tsc(tsc))?);
    }
    table.print(&format!(
        "A program of {n_lines} lines, wall time from fork to exit (goal: at most 10 ms):"
    ));
    Ok(())
}

/// The best and the median wall time of several runs of a program.
fn sample(runs: usize, command: impl Fn() -> Command) -> Result<(Duration, Duration)> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let mut command = command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let start = Instant::now();
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        times.push(start.elapsed());
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?} ended with {}: {complaint}", output.status);
    }
    times.sort();
    Ok((times[0], times[times.len() / 2]))
}

/// What it costs to look again after one function changed, in one process.
fn second_look(scale: Scale) -> Result<()> {
    let mut table =
        Table::new(&["functions", "files", "what", "time", "looked at", "share of the first look"]);
    for n_functions in scale.pick(&[5_000, 50_000][..], &[50]) {
        second_look_at(*n_functions, scale, &mut table)?;
    }
    table.print("A second look after one function changed, in one process (goal: a share that stays small):");
    Ok(())
}

fn second_look_at(n_functions: usize, scale: Scale, table: &mut Table) -> Result<()> {
    let one_file = vec![("program.clank".to_owned(), program::program(n_functions))];
    for files in [one_file, program::modules(n_functions)] {
        let before = load(&files);
        let (parse, _) = best_of(Clock::Wall, scale.pick(5, 1), || (), |()| load(&files));
        let (full, checked) =
            best_of(Clock::Wall, scale.pick(5, 1), || (), |()| clank::check(&before, None));
        let mut round = 0;
        let place = files.len() / 2;
        let after = || {
            round += 1;
            let mut files = files.clone();
            files[place].1 = program::changed(&files[place].1, round);
            load(&files)
        };
        let (again, result) = best_of(Clock::Wall, scale.pick(9, 1), after, |program| {
            clank::check(&program, Some(&checked))
        });
        ensure!(!result.has_errors(), "a changed program has mistakes");
        for (what, elapsed, n_looked_at) in [
            ("reading all files", parse, None),
            ("checking all", full, Some(checked.n_looked_at)),
            ("checking again after one function changed", again, Some(result.n_looked_at)),
        ] {
            let share = elapsed.as_secs_f64() * 100.0 / full.as_secs_f64();
            let n_looked_at = n_looked_at.map(count).unwrap_or_default();
            table.row(vec![
                count(n_functions),
                count(files.len()),
                what.to_owned(),
                time(elapsed),
                n_looked_at,
                format!("{share:.2} %"),
            ]);
        }
    }
    Ok(())
}
