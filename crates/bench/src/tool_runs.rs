//! `tools`: the linters and formatters of an ordinary repository, run one after the other, by regreen, and by the programs
//! that people run them with; and what each of those does where tools get into each other's way.
//!
//! Every row is a line of shell in a tree of its own, with the same tools, none of which may keep anything from one run to
//! the next. Rows that fix are followed by the tools' own checks, so that a quick runner that left something is seen.

mod behaviours;
mod runners;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tempfile::TempDir;

use self::runners::Runner;
use crate::Scale;
use crate::contender::children_time;
use crate::end_to_end::regreen;
use crate::table::{Table, count, ratio, say, time};

/// What to tell somebody who lacks the tools themselves.
pub(crate) const NO_LINTERS: &str = "PEER MISSING: the linters. Install them with `crates/linters/live/install.sh DIR python npm` and set LINTERS_TOOLS=DIR.";

/// The checks of the tools, one to a line.
const CHECKS: [&str; 5] = [
    "ruff check --no-cache --quiet .",
    "ruff format --check --no-cache --quiet .",
    "prettier --check --log-level=error .",
    "shellcheck $(git ls-files '*.sh')",
    "typos .",
];

/// The fixes of the tools, in the order in which somebody would run them.
const FIXES: [&str; 5] = [
    "typos --write-changes .",
    "ruff check --fix --no-cache --quiet .",
    "ruff format --no-cache --quiet .",
    "prettier --write --log-level=error .",
    "shellcheck --format=diff $(git ls-files '*.sh') | git apply --allow-empty",
];

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let Some(linters) = linters() else {
        say(NO_LINTERS);
        return Ok(());
    };
    let programs = Programs { linters, regreen: regreen()? };
    let runners = runners::installed();
    for n_files in scale.pick(vec![400, 6_000], vec![40]) {
        let runs = if n_files > 1_000 { 1 } else { scale.pick(3, 1) };
        compare(&programs, &runners, n_files, runs)?;
    }
    behaviours::print(&programs, &runners)
}

/// Where the linters are, if they were installed.
pub(crate) fn linters() -> Option<PathBuf> {
    let folder = std::env::var_os("LINTERS_TOOLS").map(PathBuf::from)?;
    Some(folder.join("bin")).filter(|it| it.join("ruff").exists())
}

/// The programs that all rows share.
pub(crate) struct Programs {
    /// The folder of the linters.
    pub(crate) linters: PathBuf,
    pub(crate) regreen: PathBuf,
}

/// A tree with a home of its own beside it, for whoever keeps something.
pub(crate) struct Site {
    folder: TempDir,
}

impl Site {
    /// An empty tree that git knows.
    pub(crate) fn new(programs: &Programs) -> Result<Site> {
        let site = Site { folder: tempfile::tempdir()? };
        std::fs::create_dir(site.root())?;
        std::fs::create_dir(site.home())?;
        site.shell(programs, "git init --quiet")?;
        Ok(site)
    }

    /// The tree.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    /// What a user keeps.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file of the tree.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().context("files stand in folders")?)?;
        Ok(std::fs::write(path, text)?)
    }

    /// Runs a line of shell in the tree: `regreen` and the linters are on its search path.
    pub(crate) fn shell(&self, programs: &Programs, line: &str) -> Result<Outcome> {
        let mut folders = vec![programs.linters.clone()];
        folders.extend(programs.regreen.parent().map(Path::to_path_buf));
        folders.extend(runners::folders());
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.root()).stdin(Stdio::null());
        command.env("PATH", std::env::join_paths(folders)?).env("HOME", self.home());
        command.env("XDG_CACHE_HOME", self.home().join("cache"));
        command.env("REGREEN_STATE_DIR", self.home().join("state"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("NO_COLOR", "1");
        let (start, before) = (Instant::now(), children_time());
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let wall = start.elapsed();
        let processor = children_time().saturating_sub(before);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Outcome { wall, processor, code: output.status.code().unwrap_or(-1), text })
    }
}

/// What a line of shell took and gave.
pub(crate) struct Outcome {
    wall: Duration,
    processor: Duration,
    pub(crate) code: i32,
    pub(crate) text: String,
}

/// A row of the table: what is prepared without being timed, what is timed, and whether the tree is fixed after it.
struct Row {
    name: String,
    before: String,
    line: String,
    fixes: bool,
}

impl Row {
    fn new(name: &str, before: &str, line: &str, fixes: bool) -> Row {
        let own = |text: &str| text.to_owned();
        Row { name: own(name), before: own(before), line: own(line), fixes }
    }
}

fn compare(programs: &Programs, runners: &[Runner], n_files: usize, runs: usize) -> Result<()> {
    let (checks, fixes) = (CHECKS.join("; "), FIXES.join("; "));
    let check = "regreen check --trust";
    let fix = "regreen fix --trust --safety behavior_changing";
    let mut rows = vec![
        Row::new("the tools in sequence: check", "", &checks, false),
        Row::new("regreen check, cold", "", check, false),
        Row::new("regreen check, nothing changed", check, check, false),
        Row::new(
            "the tools in sequence: fix, then check again",
            "",
            &format!("{fixes}; {checks}"),
            true,
        ),
        Row::new("the tools in sequence: fix, no check", "", &fixes, true),
        Row::new("regreen fix, cold (every fix verified)", "", fix, true),
        Row::new("regreen fix, after a check", check, fix, true),
    ];
    for runner in runners {
        let name = format!("{} {}, no check", runner.name, runner.version(programs)?);
        rows.push(Row::new(&name, "", runner.run_all, true));
    }
    let mut table =
        Table::new(&["what", "wall", "ratio", "processor", "ratio", "tools that still complain"]);
    let mut base: Option<(Duration, Duration)> = None;
    for row in &rows {
        let mut best: Option<(Duration, Duration)> = None;
        let mut left = String::new();
        for _ in 0..runs {
            let site = Site::new(programs)?;
            tree::write(&site, n_files)?;
            runners.iter().try_for_each(|it| it.configure(&site, runners::TOOLS))?;
            site.shell(programs, "git add --all")?;
            if !row.before.is_empty() {
                site.shell(programs, &row.before)?;
            }
            let done = site.shell(programs, &row.line)?;
            let so_far = best.unwrap_or((done.wall, done.processor));
            best = Some((so_far.0.min(done.wall), so_far.1.min(done.processor)));
            if row.fixes {
                left = complaints(programs, &site)?;
            }
        }
        let (wall, processor) = best.context("there is at least one run")?;
        // Checks are compared with checks, and fixes with fixes that are checked.
        if row.name.starts_with("the tools in sequence") && !row.name.ends_with("no check") {
            base = Some((wall, processor));
        }
        let (base_wall, base_processor) = base.unwrap_or((wall, processor));
        table.row(vec![
            row.name.clone(),
            time(wall),
            ratio(wall, base_wall),
            time(processor),
            ratio(processor, base_processor),
            left,
        ]);
    }
    table.print(&format!(
        "{} files of Python, JavaScript, CSS, Markdown and shell for ruff, ruff format, prettier, shellcheck and typos; \
         ratios are to the tools in sequence, checks to \"check\", fixes to \"fix, then check again\":",
        count(n_files)
    ));
    Ok(())
}

/// Which tools find something in a tree that was fixed.
fn complaints(programs: &Programs, site: &Site) -> Result<String> {
    let mut names = Vec::new();
    for check in CHECKS {
        if site.shell(programs, check)?.code != 0 {
            let words = check.split(' ').take_while(|it| !it.starts_with(['-', '.', '$']));
            names.push(words.collect::<Vec<_>>().join(" "));
        }
    }
    Ok(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}
