//! Runs the fuzz targets with libFuzzer on the toolchain at hand: coverage by plain compiler flags, no nightly needed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{cargo, command, execute, report};

/// LLVM's coverage instrumentation, as libFuzzer wants it.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";

const TARGETS: [&str; 20] = [
    "clank-check",
    "clank-format",
    "clank-json",
    "clank-lex-parse",
    "clank-patch",
    "clank-repair",
    "comments",
    "edits",
    "exchange",
    "fix",
    "govern",
    "json",
    "lowering",
    "pack",
    "patch",
    "recovery",
    "solver",
    "toml",
    "yaml",
    "yaml-reader",
];

/// How long a target runs.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    /// So many inputs, the same ones every time: nothing of earlier runs is used. For every commit.
    Inputs(u32),
    /// So many seconds, from where the last run ended. For finding things.
    Seconds(u32),
}

/// Runs every target. A crash fails the task and leaves its input under `fuzz/artifacts`.
pub(crate) fn run(root: &Path, length: Length) -> Result<()> {
    let folder = root.join("fuzz");
    let triple = "x86_64-unknown-linux-gnu";
    let mut build = cargo(&folder);
    build.args(["build", "--release", "--bins", "--target", triple]).env("RUSTFLAGS", FLAGS);
    if let Length::Inputs(_) = length {
        // A few hundred inputs take seconds however slow the code is; building it fast takes minutes.
        build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    }
    execute(&mut build)?;
    for target in TARGETS {
        let (corpus, length, seed) = match length {
            Length::Inputs(n_inputs) => ("corpus/fresh", format!("-runs={n_inputs}"), 1),
            Length::Seconds(seconds) => ("corpus", format!("-max_total_time={seconds}"), 0),
        };
        let corpus = folder.join(corpus).join(target);
        if seed == 1 && corpus.exists() {
            fs::remove_dir_all(&corpus)?;
        }
        let artifacts = folder.join("artifacts").join(target);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        let target_folder = cargo_target_folder(&folder);
        let program = target_folder.join(triple).join("release").join(target);
        report(&format!("fuzz {target} {length}"));
        execute(
            command(&program.to_string_lossy(), &folder)
                .arg(length)
                .arg(format!("-seed={seed}"))
                .arg("-timeout=20")
                .arg("-rss_limit_mb=4096")
                .arg(format!("-artifact_prefix={}/", artifacts.display()))
                .arg("-print_final_stats=1")
                .arg("-verbosity=0")
                .arg(corpus)
                .args(seeds(root, target)),
        )?;
    }
    Ok(())
}

/// Real documents to start from.
fn seeds(root: &Path, target: &str) -> Option<PathBuf> {
    match target {
        "json" | "toml" | "yaml" => Some(root.join("crates/fixture/corpus").join(target)),
        "yaml-reader" => Some(root.join("crates/fixture/corpus/yaml")),
        "clank-check" | "clank-format" | "clank-lex-parse" | "clank-repair" => {
            Some(root.join("crates/clank-syntax/tests/programs"))
        }
        "comments" => Some(root.join("crates/check/tests/samples")),
        "clank-json" => Some(root.join("crates/clank-syntax/tests/it/json")),
        "patch" => Some(root.join("examples")),
        "pack" => Some(root.join("crates/bench/src/mutation/pack")),
        _ => None,
    }
}

fn cargo_target_folder(folder: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(path) => path.into(),
        None => folder.join("target"),
    }
}
