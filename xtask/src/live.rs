//! The live tier: tests against real tools. Installs what it needs by package name, then runs; nothing is skipped.

mod hooks;
mod workflows;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::{cargo, command, crash, execute, fuzz, report, study};

pub(crate) use hooks::{Program, run as hooks};
pub(crate) use workflows::run as workflows;

/// Debian packages, with the program that each is needed for.
const PACKAGES: [(&str, &str); 10] = [
    ("strace", "strace"),
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

/// Installs, then runs the tests behind the `live` features, the hooks, the mutation study, the repair study, a sample of the
/// crash matrix, the fuzz targets, and the benchmarks beside their peers.
pub(crate) fn run(root: &Path) -> Result<()> {
    install(root)?;
    report("live: tests against git, patch and strace");
    execute(cargo(root).args(["test", "--package", "regreen-edit", "--features", "live"]))?;
    report("live: the command line, and SARIF against its published schema");
    execute(cargo(root).args(["test", "--package", "regreen", "--features", "live"]))?;
    report("live: zizmor and shellcheck on what GitHub runs");
    workflows(root)?;
    report("live: both hooks, run by pre-commit and prek");
    hooks(root, Program::Built)?;
    report("live: the solver beside Z3");
    execute(cargo(root).args(["test", "--package", "regreen-solver", "--features", "live"]))?;
    report("live: hostile tools under bubblewrap and Landlock");
    execute(cargo(root).args(["test", "--package", "regreen-sandbox", "--features", "live"]))?;
    report("live: proposals on PostgreSQL, signatures beside ssh-keygen and the SSH agent");
    execute(cargo(root).args(["test", "--package", "regreen-govern", "--features", "live"]))?;
    report("live: Clank programs on Node, from JavaScript and from TypeScript after tsc --strict");
    execute(cargo(root).args(["test", "--package", "regreen-clank-run", "--features", "live"]))?;
    let tsc = typescript(root)?;
    execute(
        cargo(root)
            .args(["test", "--package", "regreen-clank", "--features", "live"])
            .env("CLANK_TSC", &tsc),
    )?;
    report("live: comments beside the lexers of Rust, Python and TypeScript");
    let modules = tsc.ancestors().nth(2).context("tsc is in node_modules/.bin")?;
    execute(
        cargo(root)
            .args(["test", "--package", "regreen-check", "--features", "live"])
            .env("CHECK_NODE_MODULES", modules),
    )?;
    report("live: the mutation study, on the first workspaces");
    execute(cargo(root).args([
        "run",
        "--quiet",
        "--package",
        "bench",
        "--",
        "--mutation",
        "--quick",
    ]))?;
    report("live: the repair study, a part of its mutants");
    study::run(root, &["--per-kind", "2"])?;
    report("live: fix and compile --fix on the programs of the tests");
    study::run(root, &["--cases"])?;
    crash::run(root, crash::Points::Sample(120))?;
    fuzz::run(root, fuzz::Length::Inputs(250))?;
    peers(root)
}

/// Where cargo builds.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
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

/// Installs the TypeScript compiler that generated code is tried with, and says where it is.
fn typescript(root: &Path) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("typescript");
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
    report("live: benchmarks beside their peers");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("peers");
    execute(command("apt-get", root).args(["update", "-qq"]))?;
    execute(command("sh", root).arg("crates/bench/peers.sh").arg(&folder))?;
    let mut bench = cargo(root);
    bench
        .args(["run", "--quiet", "--package", "bench", "--", "--quick"])
        .env("BENCH_PEERS", &folder);
    let output = bench.output().context("cargo run --package bench")?;
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
