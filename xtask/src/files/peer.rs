//! check-jsonschema, which other people use for the same thing: its verdict on the same documents, in the same run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

/// The documents that it refuses; `None` if it cannot use the schema. The program is on the PATH, or `CHECK_JSONSCHEMA` names it.
pub(super) fn wrong_documents(
    schema: &Path,
    documents: &[PathBuf],
) -> Result<Option<BTreeSet<PathBuf>>> {
    if documents.is_empty() {
        return Ok(Some(BTreeSet::new()));
    }
    let program = std::env::var_os("CHECK_JSONSCHEMA").unwrap_or_else(|| "check-jsonschema".into());
    let output = Command::new(&program)
        .args(["--no-cache", "--output-format", "json", "--verbose", "--schemafile"])
        .arg(schema)
        .args(documents)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else { return Ok(None) };
    let lists = ["errors", "parse_errors"];
    let entries = lists.iter().filter_map(|it| json.get(*it)?.as_array()).flatten();
    let wrong = entries.filter_map(|it| it.get("filename")?.as_str()).map(PathBuf::from);
    Ok(Some(wrong.collect()))
}
