//! How large the crates are: `cargo xtask lines` counts the lines of each without tests, comments and blank lines.
//!
//! A line with code and a comment counts; the text of a string that spans lines counts as what it looks like.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report;
use crate::tidy::source_files;

/// Files and folders of tests, examples and benchmarks.
const LEFT_OUT: &[&str] =
    &["/tests/", "/tests.rs", "/laws.rs", "/testing", "/benches/", "/examples/"];

/// Prints the counts, the largest crate first.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in source_files(root)? {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let Some(krate) = crate_of(&name) else { continue };
        let text = fs::read_to_string(&path).with_context(|| name.clone())?;
        *counts.entry(krate.to_owned()).or_default() += count(&text);
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (krate, lines) in &counts {
        report(&format!("{lines:>7}  {krate}"));
    }
    report(&format!("{:>7}  all", counts.iter().map(|it| it.1).sum::<usize>()));
    Ok(())
}

/// The crate of a source that is not a test.
fn crate_of(path: &str) -> Option<&str> {
    let krate = match path.split('/').collect::<Vec<_>>()[..] {
        ["crates", krate, "src", ..] => krate,
        ["src", ..] => "regreen",
        ["xtask", "src", ..] => "xtask",
        _ => return None,
    };
    (!LEFT_OUT.iter().any(|it| path.contains(it))).then_some(krate)
}

/// The lines of code before the tests of a file.
fn count(text: &str) -> usize {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_counted_and_nothing_else() {
        let text = "//! A file.\n\nfn f() { // a comment\n}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n";
        assert_eq!(count(text), 2);
    }

    #[test]
    fn tests_belong_to_no_crate() {
        assert_eq!(crate_of("crates/plan/src/class/words.rs"), Some("plan"));
        assert_eq!(crate_of("crates/plan/src/class/tests.rs"), None);
        assert_eq!(crate_of("crates/plan/tests/it/main.rs"), None);
    }
}
