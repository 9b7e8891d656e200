//! Names of types: one for one idea. A name that every crate could give to something of its own is refused, and so is one that
//! two crates show to others, unless it is a term of the field or the wire form of a domain type.
//!
//! A search for a name should end at one definition. Rust needs no such rule, readers do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source_files;

/// Names that say nothing of their domain, and images that stand for roles.
const REFUSED: &[&str] = &[
    "Asked",
    "Asker",
    "At",
    "Before",
    "Bench",
    "Change",
    "Company",
    "Complaint",
    "Desk",
    "RecordDetails",
    "Found",
    "Held",
    "Kept",
    "Kind",
    "Known",
    "Look",
    "Looked",
    "Mortal",
    "Outcome",
    "Patient",
    "Place",
    "Places",
    "Scene",
    "Shape",
    "Shelf",
    "Slate",
    "Spot",
    "Standing",
    "Step",
    "Taken",
    "Target",
    "Told",
    "Voice",
    "Wanted",
    "Ward",
    "Way",
    "Wish",
    "Words",
];

/// Terms that the field uses for one thing in every language or format, and which several crates therefore show, with the reason.
const TERMS: &[(&[&str], &str)] = &[
    (&["Lexer", "Parser", "SyntaxError", "Token", "TokenKind"], "each grammar has its own"),
    (
        &["Expr", "ExprKind", "Literal", "Param", "Pattern", "Stmt", "TemplatePart", "Type"],
        "the syntax of one language",
    ),
    (&["Document", "Node", "NodeId", "Span", "Value"], "the model of one format"),
    (&["Frame", "Row", "Scope"], "of one table, stack or block"),
    (&["Context", "Ctx", "Limits", "Options", "Policy"], "what one entry point is given"),
    (
        &["Host", "Key", "Module", "Program", "Session", "Statement"],
        "what the tool it is about calls it",
    ),
    (&["Record", "Registry", "Report"], "what one store keeps, what one run says"),
    (
        &["Diagnostic", "Location", "Related", "Repair"],
        "of a language, of all sources, and on the wire",
    ),
];

/// The crate whose types repeat those of the domain: the wire form of one type has its name.
const WIRE: &str = "protocol";

/// Crates that only development needs.
const DEVELOPMENT: [&str; 2] = ["bench", "fixture"];

/// Where a type is defined.
struct Definition {
    krate: String,
    /// The file, relative to the root.
    path: String,
    is_visible: bool,
}

/// Adds the names that break the rule, each with where it stands.
pub(super) fn check(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    let mut definitions: BTreeMap<String, Vec<Definition>> = BTreeMap::new();
    for file in source_files(root)? {
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let Some(krate) = shipped_crate(&path) else { continue };
        let text = fs::read_to_string(&file).with_context(|| path.clone())?;
        for (name, is_visible) in types(&text) {
            let definition = Definition { krate: krate.to_owned(), path: path.clone(), is_visible };
            definitions.entry(name.to_owned()).or_default().push(definition);
        }
    }
    findings.extend(definitions.iter().filter_map(|(name, all)| fault(name, all)));
    Ok(())
}

/// The crate of a source that is neither a test nor for development only.
fn shipped_crate(path: &str) -> Option<&str> {
    let parts: Vec<&str> = path.split('/').collect();
    let file = *parts.last()?;
    let is_test = ["tests.rs", "laws.rs", "testing.rs"].contains(&file)
        || parts.iter().any(|it| ["tests", "testing", "examples", "benches"].contains(it));
    let krate = match parts[..] {
        ["crates", krate, "src", ..] => krate,
        ["src", ..] => "regreen",
        ["xtask", "src", ..] => "xtask",
        _ => return None,
    };
    (!is_test && !DEVELOPMENT.contains(&krate)).then_some(krate)
}

/// The types that a source defines outside functions and tests, and whether other modules can see them.
fn types(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).filter_map(|line| {
        let (is_visible, rest) = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => (true, rest.split_once(") ")?.1),
            Some(rest) => (true, rest.strip_prefix(' ')?),
            None => (false, line),
        };
        let (keyword, rest) = rest.split_once(' ')?;
        let is_type = ["enum", "struct", "trait", "type", "union"].contains(&keyword);
        let end = rest.find(|it: char| !it.is_alphanumeric()).unwrap_or(rest.len());
        is_type.then(|| (&rest[..end], is_visible))
    })
}

fn fault(name: &str, definitions: &[Definition]) -> Option<String> {
    let is_refused = REFUSED.contains(&name);
    let counted = definitions.iter().filter(|it| is_refused || it.is_visible);
    let paths: Vec<&str> = counted.clone().map(|it| it.path.as_str()).collect();
    if is_refused {
        return Some(format!(
            "the type name `{name}` says nothing of its domain: {}",
            paths.join(", ")
        ));
    }
    let mut crates: BTreeSet<&str> = counted.map(|it| it.krate.as_str()).collect();
    let is_term = TERMS.iter().any(|(names, _)| names.contains(&name));
    crates.remove(WIRE);
    (crates.len() > 1 && !is_term).then(|| {
        format!("the type name `{name}` stands in {} crates: {}", crates.len(), paths.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(path: &str, is_visible: bool) -> Definition {
        let krate = shipped_crate(path).unwrap().to_owned();
        Definition { krate, path: path.to_owned(), is_visible }
    }

    #[test]
    fn types_are_read_without_those_of_tests() {
        let text = "pub struct A;\npub(crate) enum B<T> {}\ntrait C: D {}\n    struct E;\npub fn f() {}\n\
                    type G = u8;\n#[cfg(test)]\nmod tests {}\nstruct H;\n";
        let expected = vec![("A", true), ("B", true), ("C", false), ("G", false)];
        assert_eq!(types(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_name_is_faulty_by_its_word_or_by_its_second_crate() {
        let (plan, pack) = ("crates/plan/src/a.rs", "crates/pack/src/b.rs");
        let wire = "crates/protocol/src/v1.rs";
        for (name, definitions, is_faulty) in [
            ("Place", vec![defined(plan, false)], true),
            ("Rank", vec![defined(plan, true), defined(pack, true)], true),
            ("Rank", vec![defined(plan, true), defined(pack, false)], false),
            ("Rank", vec![defined(plan, true), defined(plan, true)], false),
            ("Rank", vec![defined(plan, true), defined(wire, true)], false),
            ("Parser", vec![defined(plan, true), defined(pack, true)], false),
        ] {
            assert_eq!(fault(name, &definitions).is_some(), is_faulty, "{name}");
        }
    }

    #[test]
    fn development_and_tests_may_repeat_names() {
        for path in
            ["crates/plan/tests/it/a.rs", "crates/bench/src/a.rs", "crates/plan/src/a/laws.rs"]
        {
            assert_eq!(shipped_crate(path), None, "{path}");
        }
        assert_eq!(shipped_crate("src/main.rs"), Some("regreen"));
    }
}
