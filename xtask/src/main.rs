//! The project's one tool: `cargo xtask TASK`. Tasks that check something also run inside `cargo test`.

mod codegen;
mod corpora;
mod crash;
mod dependencies;
mod dist;
mod files;
mod fuzz;
mod instructions;
mod lines;
mod live;
mod messages;
mod steps;
mod study;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::crash::Points;

const USAGE: &str = "\
cargo xtask TASK

  tidy               crate arrows, file sizes, module docs, stray marks, rules that are cited, dependencies
  codegen [--check]  write the JSON Schemas under docs/formats (or check that they are current)
  corpora            fetch the public suites that conformance is tested with, where they are not there
  bench [NAME…]      build as for a release and run the benchmarks of crates/bench
  instructions       count the instructions of every capability under valgrind, and compare with docs/instructions.json:
                     of a release with growth, or [--quick] of what tests use; [--bless] [--program FILE]
  mutants [--quick]  inject faults into valid workspaces and count what is found and mended
  repair-study       make mistakes in Clank programs and count what is found and mended
                     [--program NAME] [--kind KIND] [--per-kind N] [--show]
  mistakes           repair what people and models write wrong in the programs of tests/mistakes, and count
                     [--program NAME] [--kind KIND] [--every N] [--show]
  files              make faults in documents with public schemas and count what is found and mended
                     [--every N] [--schema NAME] [--show] [--peer] [--corpus DIR]
  messages           print every message that users can see, to be read in one go
  lines              print how many lines each crate has without tests, comments and blank lines
  crash [--sample N | --changing] kill the real binary at every write-class system call of an apply (needs strace)
  fuzz [SECONDS]     run every fuzz target (needs the nightly toolchain or RUSTC_BOOTSTRAP)
  hooks [--built]    have pre-commit and prek install regreen from a clone, which takes minutes, and run both hooks
                     (or run them with the binary of this build)
  workflows          zizmor and shellcheck on what GitHub runs
  bazel [--program FILE] have Bazel build, test and run with the rules of bazel/, here and remotely
                     [--scale FILES TARGETS] generates a workspace of that size and times its builds instead
  dist               build what is released into dist/: archive, wheel, npm and Debian packages, provenance
                     [--verify] builds twice and compares, [--install] tries each package, [--lint] runs linters
  live               everything that needs more than Rust: installs it, then runs it
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["tidy"] => tidy::run(&root()).and_then(|()| dependencies::check(&root())),
        ["codegen"] => codegen::write(&root()),
        ["codegen", "--check"] => codegen::check(&root()),
        ["corpora"] => corpora::run(&root()),
        ["bench", names @ ..] => bench(names),
        ["instructions", flags @ ..] => {
            instructions::run(&root(), instructions::Options::parse(flags)?)
        }
        ["mutants", flags @ ..] => bench(&[&["--mutation"], flags].concat()),
        ["repair-study", flags @ ..] => study::run(&root(), flags),
        ["mistakes", flags @ ..] => study::mistakes::run(&root(), flags),
        ["files", flags @ ..] => files::run(flags),
        ["messages"] => messages::run(&root()),
        ["lines"] => lines::run(&root()),
        ["crash"] => crash::run(&root(), Points::All),
        ["crash", "--changing"] => crash::run(&root(), Points::Changing),
        ["crash", "--sample", count] => {
            crash::run(&root(), Points::Sample(count.parse().context("--sample takes a number")?))
        }
        ["fuzz"] => fuzz::run(&root(), fuzz::Length::Inputs(400)),
        ["fuzz", seconds] => {
            let seconds = seconds.parse().context("SECONDS is a number")?;
            fuzz::run(&root(), fuzz::Length::Seconds(seconds))
        }
        ["hooks"] => live::hooks(&root(), live::Program::Installed),
        ["hooks", "--built"] => live::hooks(&root(), live::Program::Built),
        ["workflows"] => live::workflows(&root()),
        ["bazel"] => live::install(&root()).and_then(|()| live::bazel(&root(), None)),
        ["bazel", "--program", file] => live::bazel(&root(), Some(Path::new(file))),
        ["bazel", "--scale", files, targets] => {
            live::bazel_scale(&root(), None, live::Scale::parse(files, targets)?)
        }
        ["bazel", "--program", file, "--scale", files, targets] => {
            let scale = live::Scale::parse(files, targets)?;
            live::bazel_scale(&root(), Some(Path::new(file)), scale)
        }
        ["dist", flags @ ..] => dist::run(&root(), flags),
        ["live"] => live::run(&root()),
        _ => bail!("unknown task\n\n{USAGE}"),
    }
}

fn bench(names: &[&str]) -> Result<()> {
    let mut command = cargo(&root());
    // What is shipped is what is measured.
    command.args(["run", "--profile", "dist", "--package", "bench", "--"]).args(names);
    execute(&mut command)
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the root").to_path_buf()
}

fn command(program: &str, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

fn cargo(root: &Path) -> Command {
    // Not the one that built this program: where that is called by itself, each crate could choose its own toolchain.
    let program = std::env::var("CARGO");
    command(program.as_deref().unwrap_or("cargo"), root)
}

fn execute(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if status.success() { Ok(()) } else { bail!("{shown} ended with {status}") }
}

#[expect(clippy::print_stderr, reason = "the tool's only output")]
fn report(line: &str) {
    eprintln!("{line}");
}
