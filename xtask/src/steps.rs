//! Steps of a long task: says what is being done, and how long each step took.
//!
//! With `REGREEN_TIMES` set to a file, a line per step is added to it: the seconds and the name. `.ci/run` compares them
//! with those of `.ci/times`.

use std::io::Write as _;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::report;

/// Does one step of a task.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    report(&format!("\n== {name}"));
    let start = Instant::now();
    let done = work().with_context(|| format!("step `{name}`"))?;
    let seconds = start.elapsed().as_secs();
    report(&format!("== {name}: {seconds} s"));
    if let Some(path) = std::env::var_os("REGREEN_TIMES") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
        writeln!(file, "{seconds}\t{name}")?;
    }
    Ok(done)
}
