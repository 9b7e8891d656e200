//! What we depend on: licences that are compatible with ours, sources that are the registry, and no crate twice in the binary
//! without a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
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

/// Crates that the binary may contain in several incompatible versions, with the reason. An entry without such versions is
/// an error too.
const DUPLICATES: &[(&[&str], &str)] = &[
    (
        &[
            "block-buffer",
            "chacha20",
            "const-oid",
            "cpufeatures",
            "crypto-common",
            "digest",
            "hmac",
            "rand",
            "rand_core",
            "sha2",
        ],
        "ssh-key 0.6 is built on digest 0.10 and rand 0.8, postgres and blake3 on their successors; ssh-key 0.7 is not released yet",
    ),
    (
        &["getrandom"],
        "0.2 by way of rand 0.8 (ssh-key), 0.3 by way of ahash (jsonschema), 0.4 by tempfile",
    ),
    (&["bit-set", "bit-vec"], "0.8 by fancy-regex (jsonschema), 0.11 by antlr4rust (cel)"),
    (&["base64"], "0.22 by postgres-protocol, 0.23 by ureq"),
    (&["fallible-iterator"], "0.2 by postgres, 0.3 by rusqlite"),
];

/// Fails with everything that is not allowed.
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
    let allowed: Vec<&str> = DUPLICATES.iter().flat_map(|(names, _)| *names).copied().collect();
    findings.extend(duplicates(&load_graph(root)?, &allowed));
    findings.sort();
    if findings.is_empty() { Ok(()) } else { bail!("dependencies:\n  {}", findings.join("\n  ")) }
}

/// The packages of the binary on Linux, one `NAME vVERSION` a line. What runs only while it is compiled is not among them.
fn load_graph(root: &Path) -> Result<String> {
    let flags = ["--package", "regreen", "--edges", "normal,no-proc-macro", "--locked"];
    let form = ["--target", "x86_64-unknown-linux-gnu", "--prefix", "none", "--format", "{p}"];
    let output = cargo(root).arg("tree").args(flags).args(form).output()?;
    ensure!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let graph = String::from_utf8(output.stdout)?;
    ensure!(graph.lines().count() > 100, "cargo tree lists hardly any dependency:\n{graph}");
    Ok(graph)
}

/// Crates in several incompatible versions that are not allowed, and those that are allowed and are not there.
fn duplicates(graph: &str, allowed: &[&str]) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in graph.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(compatible(version.trim_start_matches('v')));
        }
    }
    let several = |name: &str| versions.get(name).is_some_and(|it| it.len() > 1);
    let new = versions.iter().filter(|(name, _)| several(name) && !allowed.contains(name));
    let stale = allowed.iter().filter(|name| !several(name));
    let new = new.map(|(name, versions)| {
        let versions: Vec<&str> = versions.iter().copied().collect();
        format!("{name} is in the binary in the versions {}", versions.join(" and "))
    });
    new.chain(stale.map(|name| {
        format!("{name} is allowed in several versions, but the binary does not have them")
    }))
    .collect()
}

/// The part of a version that two compatible versions share: up to its first number that is not zero.
fn compatible(version: &str) -> &str {
    let digit = version.find(|it| matches!(it, '1'..='9')).unwrap_or(version.len());
    let end = version[digit..].find(['.', '-', '+']).map_or(version.len(), |it| digit + it);
    &version[..end]
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
    fn dependencies_are_allowed() {
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

    #[test]
    fn a_new_duplicate_and_a_stale_entry_are_both_reported() {
        let graph =
            "a v1.2.0\nb v0.3.1\na v1.9.0\nb v0.4.0 (*)\nc v0.0.3\nc v0.0.4\nregreen v0.1.0 (/x)\n";
        let found = super::duplicates(graph, &["a", "b", "gone"]);
        assert_eq!(
            found,
            [
                "c is in the binary in the versions 0.0.3 and 0.0.4",
                "a is allowed in several versions, but the binary does not have them",
                "gone is allowed in several versions, but the binary does not have them",
            ]
        );
    }

    #[test]
    fn compatible_versions_share_their_first_number_that_counts() {
        for (version, expected) in [
            ("1.2.3", "1"),
            ("0.10.4", "0.10"),
            ("0.0.7", "0.0.7"),
            ("10.0.0", "10"),
            ("2.0.0-rc.1", "2"),
        ] {
            assert_eq!(super::compatible(version), expected);
        }
    }
}
