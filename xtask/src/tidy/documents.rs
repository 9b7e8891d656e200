//! What documents say of the tree: a decision has one number, and a path such as `check::Parses` in ARCHITECTURE or
//! CONTRIBUTING leads to something that is defined in that crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source_files;

/// Where decisions are, one in a file.
const DECISIONS: &str = "docs/decisions";

/// The documents whose paths are looked up.
const WITH_PATHS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// What defines a name.
const KEYWORDS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

/// Adds the decisions with a wrong or repeated number, and the paths that lead nowhere.
pub(super) fn check(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    let mut numbers: BTreeMap<String, String> = BTreeMap::new();
    let index = fs::read_to_string(root.join(DECISIONS).join("README.md"))?;
    for entry in fs::read_dir(root.join(DECISIONS)).context(DECISIONS)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some((number, _)) = name.split_once('-') else { continue };
        let text = fs::read_to_string(root.join(DECISIONS).join(&name))?;
        if !text.starts_with(&format!("# {}. ", number.trim_start_matches('0'))) {
            findings.push(format!("{DECISIONS}/{name}: the title does not start with its number"));
        }
        if !index.contains(&format!("({name})")) {
            findings.push(format!("{DECISIONS}/README.md: does not list {name}"));
        }
        if let Some(other) = numbers.insert(number.to_owned(), name.clone()) {
            findings.push(format!("{DECISIONS}/{name}: has the number of {other}"));
        }
    }
    let names = defined(root)?;
    for document in WITH_PATHS {
        let text = fs::read_to_string(root.join(document)).with_context(|| document.to_owned())?;
        findings.extend(dead_paths(&text, &names).map(|it| {
            format!("{document}: `{it}` leads to nothing that is defined in that crate")
        }));
    }
    Ok(())
}

/// The names that each crate defines, and those of its modules.
fn defined(root: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in source_files(root)? {
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let rest = path.strip_prefix("crates/").and_then(|it| it.split_once("/src/"));
        let Some((krate, module)) = rest else { continue };
        let of_crate = names.entry(krate.replace('-', "_")).or_default();
        of_crate.extend(module.trim_end_matches(".rs").split('/').map(str::to_owned));
        let text = fs::read_to_string(&file).with_context(|| path.clone())?;
        of_crate.extend(text.lines().filter_map(definition).map(str::to_owned));
    }
    Ok(names)
}

/// The name that a line defines, or that of a field.
fn definition(line: &str) -> Option<&str> {
    let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.find(|it| KEYWORDS.contains(it))?;
    words.next().filter(|it| !it.is_empty())
}

/// The paths in backticks that start with a crate and name something that it does not define.
fn dead_paths<'a>(
    text: &'a str,
    names: &BTreeMap<String, BTreeSet<String>>,
) -> impl Iterator<Item = &'a str> {
    text.split('`').skip(1).step_by(2).filter(|path| {
        let mut segments = path.split("::");
        let krate = segments.next().and_then(|it| names.get(it));
        let is_path = path.contains("::") && !path.contains(char::is_whitespace);
        let is_known =
            |it: &str| krate.is_some_and(|names| names.contains(it.trim_end_matches("()")));
        krate.is_some() && is_path && !segments.all(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found() {
        assert_eq!(definition("    pub(crate) fn open(&self) {"), Some("open"));
        assert_eq!(definition("pub struct Parses<'a> {"), Some("Parses"));
        assert_eq!(definition("let x = 1;"), None);
    }

    #[test]
    fn paths_lead_to_something_that_is_defined() {
        let names = BTreeMap::from([("check".to_owned(), BTreeSet::from(["Parses".to_owned()]))]);
        let text = "`check::Parses` and `check::Gone`, `std::fs::read`, `check` and `a b`";
        assert_eq!(dead_paths(text, &names).collect::<Vec<_>>(), ["check::Gone"]);
    }
}
