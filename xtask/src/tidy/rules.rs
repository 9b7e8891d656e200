//! The rules in `docs/spec` and those who cite them: what is cited is defined, once, in a sentence, and what is said to prove
//! a rule is test code that cites it.
//!
//! A rule is cited by its id (`FA-12`), by a range (`RS-35 to RS-40`, `CS-38..CS-40`, `FA-1..4`), or, for the decisions
//! about Clank, by its row (`row 9`, `rows 9, 24 and 40`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Where rules are defined. Every page but `README.md` is read.
const PAGES: &str = "docs/spec";

/// The contracts that ids start with.
const CONTRACTS: [&str; 7] = ["AE", "B", "CS", "DF", "FA", "RS", "X"];

/// The decisions about Clank are rows of one table.
const ROW: &str = "row";

/// What is not ours to read, anywhere: built, or kept by a tool.
const SKIPPED_NAMES: [&str; 3] = [".git", ".regreen", "target"];

/// What is not ours to read, at its place: built, or made by fuzzing.
const SKIPPED_PATHS: [&str; 3] = ["dist", "fuzz/artifacts", "fuzz/corpus"];

const PROVED: &str = "Proved by ";

/// The name of a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct RuleName {
    contract: &'static str,
    number: u32,
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.contract == ROW { ' ' } else { '-' };
        write!(f, "{}{mark}{}", self.contract, self.number)
    }
}

/// A rule as its page defines it.
struct Definition {
    name: RuleName,
    /// The page and the line.
    place: String,
    /// What it says, without the last line.
    sentence: String,
    proof: Proof,
}

enum Proof {
    Files(Vec<String>),
    Missing,
}

/// A file by its path from the root, with `/`.
type Files = BTreeMap<String, String>;

/// How many rules there are.
pub(super) fn check(root: &Path, findings: &mut Vec<String>) -> Result<usize> {
    let mut files = Files::new();
    read(root, "", &mut files)?;
    Ok(check_files(&files, findings))
}

/// The texts below a folder. What is not UTF-8 cites nothing.
fn read(root: &Path, folder: &str, files: &mut Files) -> Result<()> {
    let entries = fs::read_dir(root.join(folder)).with_context(|| folder.to_owned())?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if SKIPPED_NAMES.contains(&name.as_str()) || SKIPPED_PATHS.contains(&path.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            read(root, &path, files)?;
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.insert(path, text);
        }
    }
    Ok(())
}

fn check_files(files: &Files, findings: &mut Vec<String>) -> usize {
    let mut definitions = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_page(path)) {
        read_page(path, text, &mut definitions);
    }
    let mut known: BTreeMap<RuleName, &Definition> = BTreeMap::new();
    for definition in &definitions {
        if let Some(first) = known.insert(definition.name, definition) {
            let Definition { name, place, .. } = definition;
            findings
                .push(format!("{place}: {name} is defined a second time, after {}", first.place));
        }
        check_definition(definition, files, findings);
    }
    for (path, text) in files {
        let mut missing = BTreeMap::new();
        for (name, at) in citations(text) {
            if !known.contains_key(&name) {
                missing.entry(name).or_insert(at);
            }
        }
        for (name, at) in missing {
            let line = line_of(text, at);
            findings
                .push(format!("{path}:{line}: {name} is cited, and no page of {PAGES} defines it"));
        }
    }
    known.len()
}

fn is_page(path: &str) -> bool {
    path.strip_prefix(PAGES).is_some_and(|it| it.ends_with(".md") && it != "/README.md")
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// A definition is a paragraph that starts with the name in bold, and ends with the line that tells its proof.
fn read_page(path: &str, text: &str, definitions: &mut Vec<Definition>) {
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some((name, rest)) = line.strip_prefix("**").and_then(|it| it.split_once("**")) else {
            continue;
        };
        let [(name, _)] = citations(name)[..] else { continue };
        let mut said = vec![rest.trim()];
        said.extend(lines.by_ref().map(|(_, line)| line.trim()).take_while(|it| !it.is_empty()));
        let proof = match said.last() {
            Some(last) if last.starts_with(PROVED) => {
                Proof::Files(last.split('`').skip(1).step_by(2).map(str::to_owned).collect())
            }
            _ => Proof::Missing,
        };
        if !matches!(proof, Proof::Missing) {
            said.pop();
        }
        let place = format!("{path}:{}", at + 1);
        definitions.push(Definition { name, place, sentence: said.join(" "), proof });
    }
}

fn check_definition(definition: &Definition, files: &Files, findings: &mut Vec<String>) {
    let Definition { name, place, sentence, proof } = definition;
    let mut say = |what: &str| findings.push(format!("{place}: {name} {what}"));
    if sentence.split_whitespace().count() < 3 || !sentence.ends_with('.') {
        say("has no sentence that says what it asks for");
    }
    match proof {
        Proof::Missing => say(&format!("does not end with a line `{PROVED}…`")),
        Proof::Files(paths) if paths.is_empty() => say("names no test file"),
        Proof::Files(paths) => {
            for path in paths {
                match files.get(path).map(|text| test_code(path, text)) {
                    None => say(&format!("is said to be proved by `{path}`, which does not exist")),
                    Some(None) => {
                        say(&format!("is said to be proved by `{path}`, which is no test code"));
                    }
                    Some(Some(code)) if citations(code).iter().all(|it| it.0 != *name) => {
                        say(&format!("is said to be proved by `{path}`, where no test cites it"));
                    }
                    Some(Some(_)) => {}
                }
            }
        }
    }
}

/// The part of a file that is test code: all of what is in a folder of tests, or of a source with tests and nothing else; in
/// other sources what follows `#[cfg(test)]`.
fn test_code<'a>(path: &str, text: &'a str) -> Option<&'a str> {
    let is_test_folder = path.split('/').rev().skip(1).any(|it| it == "tests" || it == "fixtures");
    if is_test_folder || path.ends_with("/tests.rs") {
        return Some(text);
    }
    if !path.ends_with(".rs") {
        return None;
    }
    let inline = text.match_indices("#[cfg(test)]\n").map(|(at, _)| &text[at..]).find(|rest| {
        let mut lines = rest.lines().skip(1).skip_while(|it| it.trim_start().starts_with("#["));
        lines.next().is_some_and(|it| it.trim_start().starts_with("mod ") && it.ends_with('{'))
    });
    inline.or_else(|| text.contains("#[test]").then_some(text))
}

/// The rules that a text cites, with where.
fn citations(text: &str) -> Vec<(RuleName, usize)> {
    let mut found = Vec::new();
    let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at < bytes.len() {
        let is_start = at == 0 || !is_word(bytes[at - 1]);
        let cited = if is_start && matches!(bytes[at], b'A'..=b'X' | b'r') {
            ids(&text[at..]).or_else(|| rows(&text[at..]))
        } else {
            None
        };
        match cited {
            Some((names, rest)) => {
                found.extend(names.into_iter().map(|it| (it, at)));
                at = text.len() - rest.len();
            }
            None => at += 1,
        }
    }
    found
}

/// The id or range of ids at the start of a text, and what follows it.
fn ids(text: &str) -> Option<(Vec<RuleName>, &str)> {
    let (contract, first, rest) = id(text)?;
    let (last, rest) = range_end(contract, rest).unwrap_or((first, rest));
    let names = (first..=last.max(first)).map(|number| RuleName { contract, number });
    Some((names.collect(), rest))
}

/// The rows that are listed at the start of a text, and what follows them.
fn rows(text: &str) -> Option<(Vec<RuleName>, &str)> {
    let words = ["row ", "rows ", "Row ", "Rows "];
    let (numbers, rest) = numbers(words.iter().find_map(|it| text.strip_prefix(it))?);
    let names = numbers.into_iter().map(|number| RuleName { contract: ROW, number });
    Some((names.collect(), rest))
}

/// The id at the start of a text, and what follows it.
fn id(text: &str) -> Option<(&'static str, u32, &str)> {
    let (contract, rest) =
        CONTRACTS.iter().find_map(|it| Some((*it, text.strip_prefix(it)?.strip_prefix('-')?)))?;
    let (number, rest) = number(rest)?;
    Some((contract, number, rest))
}

/// The digits at the start of a text, if no word goes on behind them.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let goes_on = rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    digits.parse().ok().filter(|_| !goes_on).map(|it| (it, rest))
}

/// The number that a range ends with: `..FA-4`, `..4` or ` to FA-4`.
fn range_end<'a>(contract: &str, rest: &'a str) -> Option<(u32, &'a str)> {
    let (rest, is_word) = match rest.strip_prefix("..") {
        Some(rest) => (rest, false),
        None => (rest.strip_prefix(" to ")?, true),
    };
    match id(rest) {
        Some((other, number, rest)) => (other == contract).then_some((number, rest)),
        None if is_word => None,
        None => number(rest),
    }
}

/// Numbers that are listed (`9, 24 and 40`) or stand for a range (`1-3`), and what follows them.
fn numbers(text: &str) -> (BTreeSet<u32>, &str) {
    let (mut found, mut rest, mut next) = (BTreeSet::new(), text, text);
    while let Some((first, tail)) = number(next) {
        let range = tail.strip_prefix('-').and_then(number);
        let (last, tail) = range.unwrap_or((first, tail));
        found.extend(first..=last.max(first));
        rest = tail;
        match [", and ", ", ", " and "].iter().find_map(|it| tail.strip_prefix(it)) {
            Some(tail) => next = tail,
            None => break,
        }
    }
    (found, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(text: &str) -> String {
        let names: Vec<String> = citations(text).iter().map(|it| it.0.to_string()).collect();
        names.join(" ")
    }

    #[test]
    fn ids_ranges_and_rows_are_understood() {
        for (text, expected) in [
            ("/// FA-1, X-2: both", "FA-1 X-2"),
            ("(RS-41 to RS-43)", "RS-41 RS-42 RS-43"),
            ("CS-38..CS-40: raw", "CS-38 CS-39 CS-40"),
            ("FA-1..3.", "FA-1 FA-2 FA-3"),
            ("FA-3 to be sure, AE-4 to RS-5", "FA-3 AE-4 RS-5"),
            ("FA-3..FA-1", "FA-3"),
            ("`B-1`", "B-1"),
            ("Row 9, 38; rows 9, 24 and 40; (row 1)", "row 9 row 38 row 9 row 24 row 40 row 1"),
            ("rows 1-3, 21", "row 1 row 2 row 3 row 21"),
            ("éFA-1", "FA-1"),
            ("UTF-8 UCS-2 DDS-FIX-20260202-001 P-X-1 FA-1a FA-x X-Y row by row, arrow 3", ""),
        ] {
            assert_eq!(cited(text), expected, "{text}");
        }
    }

    /// What is found in a tree of one page and other files.
    fn found(page: &str, others: &[(&str, &str)]) -> Vec<String> {
        let pages =
            [("docs/spec/fix-actions.md", page), ("docs/spec/README.md", "**FA-1** twice.\n")];
        let files: Files =
            pages.iter().chain(others).map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        let mut findings = Vec::new();
        check_files(&files, &mut findings);
        findings
    }

    const TEST: (&str, &str) = ("crates/a/tests/it/b.rs", "/// FA-1.\n#[test]\n");

    #[track_caller]
    fn check_found(page: &str, others: &[(&str, &str)], expected: &[&str]) {
        let found = found(page, others);
        let fits = found.len() == expected.len()
            && found.iter().zip(expected).all(|(it, part)| it.contains(part));
        assert!(fits, "{page}\n{found:#?}");
    }

    #[test]
    fn a_rule_with_a_sentence_and_a_proof_is_fine() {
        let page = "# T\n\n**FA-1** It is so.\nAnd so.\nProved by `crates/a/tests/it/b.rs`.\n";
        check_found(page, &[TEST], &[]);
    }

    #[test]
    fn every_fault_of_a_definition_is_named() {
        for (page, fault) in [
            ("**FA-1** Proved by `crates/a/tests/it/b.rs`.\n", "FA-1 has no sentence"),
            ("**FA-1** So.\nProved by `crates/a/tests/it/b.rs`.\n", "FA-1 has no sentence"),
            ("**FA-1** It is so.\n", "FA-1 does not end with a line"),
            ("**FA-1** It is so.\nProved by tests.\n", "names no test file"),
            (
                "**FA-1** It is so.\nProved by `crates/gone.rs`.\n",
                "`crates/gone.rs`, which does not exist",
            ),
            ("**FA-1** It is so.\nProved by `crates/a/src/b.rs`.\n", "which is no test code"),
            ("**FA-1** It is so.\nProved by `crates/a/tests/c.md`.\n", "where no test cites it"),
        ] {
            let others = [TEST, ("crates/a/src/b.rs", "// FA-1\n"), ("crates/a/tests/c.md", "x\n")];
            check_found(page, &others, &[fault]);
        }
    }

    #[test]
    fn a_rule_is_defined_once_and_before_it_is_cited() {
        let rule = "**FA-1** It is so.\nProved by `crates/a/tests/it/b.rs`.\n";
        check_found(&format!("{rule}\n{rule}"), &[TEST], &["md:4: FA-1 is defined a second time"]);
        // No number that is not defined may stand in this file.
        let cited = format!("x\n// FA-1, FA-{0}, then FA-{0} again\n// row {0}\n", 900);
        let expected = [format!("b.rs:2: FA-{} is cited", 900), format!("b.rs:3: row {} is", 900)];
        check_found(rule, &[TEST, ("crates/b.rs", &cited)], &expected.each_ref().map(|it| &**it));
    }

    #[test]
    fn tests_in_a_source_begin_behind_the_code() {
        let source = "// FA-1\nfn a() {}\n#[cfg(test)]\nmod tests {\n    // X-2\n}\n";
        assert_eq!(cited(test_code("crates/a/src/b.rs", source).unwrap()), "X-2");
        assert_eq!(test_code("crates/a/src/b.rs", "// FA-1\n#[cfg(test)]\nmod tests;\n"), None);
        assert_eq!(cited(test_code("crates/a/src/laws.rs", "// X-2\n#[test]\n").unwrap()), "X-2");
        assert_eq!(test_code("docs/a.md", "#[test]"), None);
    }
}
