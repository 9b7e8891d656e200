//! `patchloom`, a program that edits JSON, YAML and TOML by selector. It gets all operations as one plan.
//!
//! What it has no operation for (insert at an index) counts as refused; a rename is its `doc.move`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::contender::{Finished, wait};
use crate::operation::Operation;

/// Carries out the plan on a file of the directory and gives time and memory, start of the process included.
pub(crate) fn run(
    program: &Path,
    directory: &Path,
    file: &str,
    operations: &[Operation],
) -> Result<Finished> {
    let operations: Vec<Value> = operations.iter().filter_map(|it| plan(file, it)).collect();
    let plan = json!({"version": 1, "operations": operations});
    std::fs::write(directory.join("plan.json"), plan.to_string())?;
    let mut command = Command::new(program);
    command.arg("--cwd").arg(directory).args(["tx", "plan.json", "--apply"]);
    wait(command.stdout(Stdio::null()).stderr(Stdio::null()), None)
}

/// The text after one operation; `None` if there is no such operation or the program refuses.
pub(crate) fn edit(
    program: &Path,
    directory: &Path,
    file: &str,
    text: &str,
    operation: &Operation,
) -> Result<Option<String>> {
    if plan(file, operation).is_none() {
        return Ok(None);
    }
    std::fs::write(directory.join(file), text)?;
    let finished = run(program, directory, file, std::slice::from_ref(operation))?;
    if !finished.success {
        return Ok(None);
    }
    Ok(Some(std::fs::read_to_string(directory.join(file))?))
}

/// The version that the program reports.
pub(crate) fn version(program: &Path) -> Result<String> {
    let output =
        Command::new(program).arg("--version").output().context("cannot start patchloom")?;
    ensure!(output.status.success(), "patchloom --version failed");
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn plan(file: &str, operation: &Operation) -> Option<Value> {
    let selector = |path: &[String]| path.join(".");
    let member = |path: &[String], key: &str| format!("{}.{key}", selector(path));
    Some(match operation {
        Operation::Replace { at, value } => {
            json!({"op": "doc.set", "path": file, "selector": selector(at), "value": value})
        }
        Operation::AddKey { at, key, value } => {
            json!({"op": "doc.set", "path": file, "selector": member(at, key), "value": value})
        }
        Operation::RemoveKey { at, key } => {
            json!({"op": "doc.delete", "path": file, "selector": member(at, key)})
        }
        Operation::RenameKey { at, from, to } => {
            json!({"op": "doc.move", "path": file, "from": member(at, from), "to": member(at, to)})
        }
        Operation::InsertItem { .. } => return None,
        Operation::AppendItem { at, value } => {
            json!({"op": "doc.append", "path": file, "selector": selector(at), "value": value})
        }
        Operation::DeleteItem { at, index } => {
            json!({"op": "doc.delete", "path": file, "selector": member(at, &index.to_string())})
        }
        Operation::MoveKey { from, to, key } => {
            json!({"op": "doc.move", "path": file, "from": member(from, key), "to": member(to, key)})
        }
    })
}
