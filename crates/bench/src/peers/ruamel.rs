//! ruamel.yaml, the round-trip library of Python. The clock runs inside Python, without its start.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::contender::{Finished, wait};
use crate::fleet::{Case, Fleet};

const SCRIPT: &str = include_str!("ruamel_peer.py");

/// Whether this Python can load the library.
pub(crate) fn is_there(python: &Path) -> bool {
    let import =
        Command::new(python).args(["-c", "import ruamel.yaml"]).stderr(Stdio::null()).status();
    import.is_ok_and(|status| status.success())
}

/// Time and memory for all operations at once.
pub(crate) fn run(python: &Path, fleet: &Fleet) -> Result<Finished> {
    let operations: Vec<Value> = fleet.operations.iter().map(|it| it.to_json()).collect();
    let finished = ask(python, &json!({"text": fleet.text, "operations": operations}))?;
    if finished.timed_out {
        return Ok(finished);
    }
    let reply: Value =
        serde_json::from_str(&finished.output).context("no reply from ruamel.yaml")?;
    let seconds = reply["seconds"].as_f64().context("no time from ruamel.yaml")?;
    Ok(Finished { elapsed: Duration::from_secs_f64(seconds), ..finished })
}

/// The texts after each case's operation; `None` where it refuses.
pub(crate) fn edit_each(python: &Path, cases: &[Case]) -> Result<Vec<Option<String>>> {
    let cases: Vec<Value> = cases
        .iter()
        .map(|it| json!({"text": it.text, "operation": it.operation.to_json()}))
        .collect();
    let reply: Value = serde_json::from_str(&ask(python, &json!({"cases": cases}))?.output)
        .context("no reply from ruamel.yaml")?;
    let Some(results) = reply["results"].as_array() else { bail!("no results from ruamel.yaml") };
    Ok(results.iter().map(|it| it.as_str().map(str::to_string)).collect())
}

fn ask(python: &Path, request: &Value) -> Result<Finished> {
    wait(Command::new(python).args(["-c", SCRIPT]), Some(request.to_string()))
}
