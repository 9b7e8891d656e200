//! rapidyaml, the fastest parser of YAML into a tree, through its Python package. The clock runs inside Python, around
//! the parse alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::contender::wait;

const SCRIPT: &str = include_str!("rapidyaml_peer.py");

/// Whether this Python can load the library.
pub(crate) fn is_there(python: &Path) -> bool {
    let import = Command::new(python).args(["-c", "import ryml"]).stderr(Stdio::null()).status();
    import.is_ok_and(|status| status.success())
}

/// What parsing a file took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed {
    /// The first time in the process.
    pub(crate) cold: Duration,
    pub(crate) best: Duration,
}

/// Parses a file several times.
pub(crate) fn parse(python: &Path, file: &PathBuf, runs: usize) -> Result<Parsed> {
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT, &runs.to_string()]).arg(file);
    let finished = wait(&mut command, None)?;
    ensure!(finished.success, "rapidyaml cannot read {}", file.display());
    let mut times = finished.output.split_whitespace().map(str::parse::<f64>);
    let mut next = || -> Result<Duration> {
        let seconds = times.next().context("no time from rapidyaml")??;
        Ok(Duration::from_secs_f64(seconds))
    };
    Ok(Parsed { cold: next()?, best: next()? })
}
