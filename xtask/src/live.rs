//! The live tier: tests against real tools. Installs what it needs by package name, then runs; nothing is skipped.

mod bazel;
mod hooks;
mod workflows;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::instructions::{self, Options};
use crate::steps::step;
use crate::{cargo, command, corpora, crash, execute, fuzz, report, study};

pub(crate) use bazel::{Scale, run as bazel, scale as bazel_scale};
pub(crate) use hooks::{Program, run as hooks};
pub(crate) use workflows::run as workflows;

/// Debian packages, with the program that each is needed for.
const PACKAGES: [(&str, &str); 12] = [
    ("bazel-bootstrap", "bazel"),
    ("strace", "strace"),
    ("valgrind", "valgrind"),
    ("patch", "patch"),
    ("git", "git"),
    ("python3", "python3"),
    ("shellcheck", "shellcheck"),
    ("npm", "npm"),
    ("z3", "z3"),
    ("bubblewrap", "bwrap"),
    ("openssh-client", "ssh-agent"),
    ("postgresql", "pg_lsclusters"),
];

/// Packages of Python that the live tier runs. Their versions are fixed: a new one may see new faults.
const PYTHON_TOOLS: [&str; 3] = ["pre-commit==4.7.0", "prek==0.5.10", "zizmor==1.32.0"];

/// What the whole tier is built with: one build for tests, studies and benchmarks. Another choice of packages would choose
/// other features of what they depend on, and build most of it again.
const BUILD: [&str; 5] = ["--workspace", "--all-targets", "--features", "live", "--locked"];

/// Installs, builds once, then runs all tests with those behind the `live` features, the hooks, the mutation study, the repair study, a
/// sample of the crash matrix, the fuzz targets, and the benchmarks beside their peers.
pub(crate) fn run(root: &Path) -> Result<()> {
    step("install", || install(root).and_then(|()| corpora::run(root)))?;
    step("build", || build(root))?;
    step("tests", || tests(root))?;
    step("workflows", || workflows(root))?;
    step("hooks", || hooks(root, Program::Built))?;
    step("bazel", || bazel(root, None))?;
    step("mutation study", || execute(bench(root).args(["--mutation", "--quick"])))?;
    step("repair study", || {
        study::run(root, &["--per-kind", "2"])?;
        study::run(root, &["--cases", "6"])
    })?;
    step("instructions", || instructions::run(root, Options::QUICK))?;
    step("crash matrix", || crash::run(root, crash::Points::Sample(120)))?;
    step("fuzz targets", || fuzz::run(root, fuzz::Length::Inputs(250)))?;
    step("benchmarks", || peers(root))
}

/// Every test there is, with the tools that the live ones ask for.
fn tests(root: &Path) -> Result<()> {
    let tsc = typescript(root)?;
    let linters = linters(root)?;
    let modules = tsc.ancestors().nth(2).context("tsc is in node_modules/.bin")?;
    let cargo_test = |flags: &[&str]| {
        let mut command = cargo(root);
        command.args(flags).args(["--workspace", "--features", "live", "--locked"]);
        command.env("CLANK_TSC", &tsc).env("CHECK_NODE_MODULES", modules);
        command.env("BENCH_REGREEN", built(root, "regreen")).env("LINTERS_TOOLS", &linters);
        command
    };
    execute(&mut cargo_test(&["test", "--all-targets", "--no-fail-fast"]))?;
    execute(&mut cargo_test(&["test", "--doc"]))
}

/// Builds everything, unless it is built.
pub(crate) fn build(root: &Path) -> Result<()> {
    execute(cargo(root).arg("build").args(BUILD))
}

/// A program of the workspace, as [`build`] made it.
pub(crate) fn built(root: &Path, name: &str) -> PathBuf {
    target(root).join("debug").join(name)
}

/// Where cargo builds.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
}

/// The benchmarks, with the binary that stands beside them.
fn bench(root: &Path) -> std::process::Command {
    let mut command = command(&built(root, "bench").to_string_lossy(), root);
    command.env("BENCH_REGREEN", built(root, "regreen"));
    command
}

/// Installs the tools of Python, and says where their programs are.
fn python_tools(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("python-tools");
    let installed = folder.join("installed");
    let wanted = PYTHON_TOOLS.join("\n");
    if std::fs::read_to_string(&installed).is_ok_and(|it| it == wanted) {
        return Ok(folder.join("bin"));
    }
    execute(command("python3", root).args(["-m", "venv", "--clear"]).arg(&folder))
        .context("python3 with venv is how the live tier installs tools of Python")?;
    let pip = folder.join("bin/pip");
    let flags = ["install", "--quiet", "--disable-pip-version-check"];
    execute(command(&pip.to_string_lossy(), root).args(flags).args(PYTHON_TOOLS))?;
    std::fs::write(installed, wanted)?;
    Ok(folder.join("bin"))
}

/// Installs the linters and formatters that adapters are tried with, and says where they are.
fn linters(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("linters");
    execute(command("sh", root).arg("crates/linters/live/install.sh").arg(&folder))
        .context("pip and npm are how the live tier installs linters")?;
    Ok(folder)
}

/// Installs the TypeScript compiler that generated code is tried with, and says where it is.
fn typescript(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("typescript");
    let tsc = folder.join("node_modules/.bin/tsc");
    if !tsc.exists() {
        std::fs::create_dir_all(&folder)?;
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        let packages = ["typescript@5.9.3", "@types/node@20"];
        execute(command("npm", root).args(npm).arg(&folder).args(packages))
            .context("npm is how the live tier installs TypeScript")?;
    }
    Ok(tsc)
}

/// The benchmarks beside the programs they are compared with, at sizes that take seconds.
fn peers(root: &Path) -> Result<()> {
    let folder = target(root).join("peers");
    execute(command("sh", root).args(["crates/bench/peers.sh", "--quick"]).arg(&folder))?;
    let mut bench = bench(root);
    bench.arg("--quick").env("BENCH_PEERS", &folder);
    let output = bench.output().context("the benchmarks")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    report(&text);
    ensure!(output.status.success(), "the benchmarks ended with {}", output.status);
    ensure!(!text.contains("PEER MISSING"), "a peer was not installed by crates/bench/peers.sh");
    Ok(())
}

/// Installs the packages whose programs are missing.
pub(crate) fn install(root: &Path) -> Result<()> {
    let is_missing = |program: &str| {
        !command("which", root).arg(program).output().is_ok_and(|it| it.status.success())
    };
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(_, program)| is_missing(program))
        .map(|(package, _)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    report(&format!("live: installing {}", missing.join(" ")));
    execute(command("apt-get", root).arg("update").arg("-qq"))
        .context("apt-get is how the live tier installs")?;
    execute(command("apt-get", root).args(["install", "-y", "-qq"]).args(&missing))
}
