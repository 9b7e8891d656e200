//! What no compiler checks: which crate and which module may use which, how types are named, how long files are, that every file
//! says what it is for, that every rule that is cited is defined, and that what documents name exists.

mod documents;
mod layers;
mod names;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::report;

/// The arrows between our crates: left uses right. A new arrow is a change of this table, and needs a decision note.
const ARROWS: &[(&str, &[&str])] = &[
    ("edit", &[]),
    ("protocol", &[]),
    ("spelling", &[]),
    ("yaml", &[]),
    ("document", &["edit", "yaml"]),
    ("snapshot", &["edit"]),
    ("check", &["document", "edit", "snapshot"]),
    ("patch", &["check", "document", "edit", "snapshot"]),
    ("plan", &["check", "document", "edit", "snapshot"]),
    ("engine", &["check", "document", "edit", "plan", "snapshot"]),
    ("linters", &["check", "document", "edit", "snapshot"]),
    ("pack", &["check", "document", "edit", "snapshot", "spelling"]),
    ("clank-syntax", &["edit"]),
    ("solver", &[]),
    ("clank", &["check", "clank-syntax", "edit", "solver", "spelling"]),
    ("clank-emit", &["clank", "clank-syntax", "edit"]),
    (
        "clank-repair",
        &["check", "clank", "clank-syntax", "document", "edit", "snapshot", "spelling"],
    ),
    ("clank-run", &["check", "launch"]),
    ("workspace", &["edit", "snapshot"]),
    ("fetch", &[]),
    ("measure", &["document", "edit", "snapshot"]),
    ("sandbox", &[]),
    ("sshsig", &[]),
    ("launch", &["check", "edit", "sandbox", "snapshot"]),
    (
        "govern",
        &[
            "check",
            "document",
            "edit",
            "launch",
            "measure",
            "sandbox",
            "snapshot",
            "sshsig",
            "workspace",
        ],
    ),
    (
        "service",
        &[
            "check",
            "clank",
            "clank-emit",
            "clank-repair",
            "clank-run",
            "clank-syntax",
            "document",
            "edit",
            "engine",
            "fetch",
            "fixture",
            "govern",
            "launch",
            "linters",
            "measure",
            "pack",
            "patch",
            "plan",
            "protocol",
            "sandbox",
            "snapshot",
            "spelling",
            "workspace",
        ],
    ),
    ("regreen", &["protocol", "service"]),
    ("trailing-blanks", &["check", "edit", "snapshot"]),
    ("fixture", &[]),
    (
        "bench",
        &[
            "check",
            "clank",
            "clank-emit",
            "clank-repair",
            "clank-syntax",
            "document",
            "edit",
            "engine",
            "govern",
            "pack",
            "plan",
            "protocol",
            "sandbox",
            "service",
            "snapshot",
            "solver",
            "workspace",
            "yaml",
        ],
    ),
    (
        "xtask",
        &[
            "check",
            "clank",
            "clank-emit",
            "clank-repair",
            "clank-run",
            "clank-syntax",
            "document",
            "edit",
            "engine",
            "govern",
            "pack",
            "patch",
            "plan",
            "protocol",
            "service",
            "snapshot",
        ],
    ),
];

/// Files that may pass the limit of 1500 lines, with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Crates without an interface for others: no "Knows nothing about" line is asked of them.
const TOOLS: &[&str] = &["regreen", "bench", "xtask"];

/// Fails with every finding at once.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut findings = Vec::new();
    check_arrows(root, &mut findings)?;
    for path in source_files(root)? {
        check_file(root, &path, &mut findings)?;
    }
    check_documents(root, &mut findings)?;
    documents::check(root, &mut findings)?;
    layers::check(root, &mut findings)?;
    names::check(root, &mut findings)?;
    let n_rules = rules::check(root, &mut findings)?;
    if findings.is_empty() {
        report(&format!("tidy: {n_rules} rules in docs/spec, each proved by a test"));
        return Ok(());
    }
    findings.sort();
    bail!("tidy found:\n  {}", findings.join("\n  "))
}

fn check_arrows(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for manifest in manifests(root)? {
        let text = fs::read_to_string(&manifest)?;
        let folder = manifest.parent().filter(|it| *it != root).and_then(Path::file_name);
        let folder = folder.map_or(Some("regreen"), |it| it.to_str()).unwrap_or_default();
        let Some(allowed_here) = allowed.get(folder) else {
            findings.push(format!("{folder}: not in the table of arrows in xtask/src/tidy.rs"));
            continue;
        };
        let used: BTreeSet<&str> = dependencies(&text).collect();
        for used in &used {
            if allowed.contains_key(used) && !allowed_here.contains(used) {
                findings.push(format!(
                    "{folder} uses {used}: not an allowed arrow (see xtask/src/tidy.rs)"
                ));
            }
        }
        for stale in allowed_here.iter().filter(|it| !used.contains(*it)) {
            findings.push(format!(
                "{folder} does not use {stale}: remove the arrow from xtask/src/tidy.rs"
            ));
        }
    }
    Ok(())
}

/// The names in `[dependencies]`; development dependencies may point anywhere.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let end = section.find("\n[").unwrap_or(section.len());
    section[..end]
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
}

fn check_file(root: &Path, path: &Path, findings: &mut Vec<String>) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    if !text.starts_with("//!") && !text.starts_with("#!") {
        findings.push(format!("{name}: the first line does not say what the file is for (`//!`)"));
    }
    let crate_name = name.split('/').nth(1).unwrap_or_default();
    if name.ends_with("/src/lib.rs")
        && !TOOLS.contains(&crate_name)
        && !text.contains("Knows nothing about")
    {
        findings.push(format!("{name}: no line that starts \"Knows nothing about\""));
    }
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
    if lines > 1500 && !LONG_FILES.iter().any(|(long, _)| *long == name) {
        findings.push(format!("{name}: {lines} lines, the limit is 1500"));
    }
    let marks = ["#[ign".to_string() + "ore", "to".to_string() + "do!(", "/wo".to_string() + "rk/"];
    for mark in marks.iter().filter(|mark| text.contains(mark.as_str())) {
        findings.push(format!("{name}: contains `{mark}`"));
    }
    Ok(())
}

fn check_documents(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    for (name, limit) in [("README.md", 120), ("ARCHITECTURE.md", 300)] {
        let text = fs::read_to_string(root.join(name)).with_context(|| name.to_string())?;
        if text.lines().count() > limit {
            findings.push(format!("{name}: more than {limit} lines"));
        }
        for entry in fs::read_dir(root.join("crates"))? {
            let folder = entry?.file_name().to_string_lossy().into_owned();
            if name == "ARCHITECTURE.md" && !text.contains(&format!("`{folder}`")) {
                findings.push(format!("{name}: does not mention the crate `{folder}`"));
            }
        }
    }
    Ok(())
}

fn manifests(root: &Path) -> Result<Vec<PathBuf>> {
    let outside = ["Cargo.toml", "xtask/Cargo.toml", "examples/trailing-blanks/Cargo.toml"];
    let mut found = outside.map(|it| root.join(it)).to_vec();
    for entry in fs::read_dir(root.join("crates"))? {
        let manifest = entry?.path().join("Cargo.toml");
        if manifest.exists() {
            found.push(manifest);
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) fn source_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let folders = ["src", "tests", "crates", "examples/trailing-blanks", "xtask", "fuzz"];
    let mut folders = folders.map(|it| root.join(it)).to_vec();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    /// AE-5, AE-43, AE-44, AE-45: the table of arrows is what the crates know of one another.
    #[test]
    fn the_tree_is_tidy() {
        super::run(&crate::root()).unwrap();
    }
}
