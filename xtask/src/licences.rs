//! Every dependency has a licence that ours can live with, and comes from the registry.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo;

/// Licences that may be combined with `MIT OR Apache-2.0`. One of those a package offers must be here.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Fails with every package that is not allowed.
pub(crate) fn check(root: &Path) -> Result<()> {
    let output = cargo(root).args(["metadata", "--format-version", "1", "--locked"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let mut findings: Vec<String> = metadata["packages"]
        .as_array()
        .context("cargo metadata has no packages")?
        .iter()
        .filter(|package| !package["source"].is_null())
        .filter_map(finding)
        .collect();
    findings.sort();
    if findings.is_empty() { Ok(()) } else { bail!("dependencies:\n  {}", findings.join("\n  ")) }
}

fn finding(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("?");
    let licence = package["license"].as_str().unwrap_or("none");
    if !package["source"].as_str().is_some_and(|source| source.starts_with("registry+")) {
        return Some(format!("{name} does not come from the registry"));
    }
    (!is_allowed(licence)).then(|| format!("{name} has the licence {licence}"))
}

/// An SPDX expression, read as far as packages use it: any side of an `OR`, all sides of an `AND`.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|name| ALLOWED.contains(&name.trim())))
}

#[cfg(test)]
mod tests {
    #[test]
    fn dependencies_are_free_to_use() {
        super::check(&crate::root()).unwrap();
    }

    #[test]
    fn expressions_are_read_as_packages_write_them() {
        for allowed in
            ["MIT", "MIT/Apache-2.0", "GPL-2.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            assert!(super::is_allowed(allowed), "{allowed}");
        }
        for refused in ["GPL-3.0", "none", "MIT AND GPL-2.0"] {
            assert!(!super::is_allowed(refused), "{refused}");
        }
    }
}
