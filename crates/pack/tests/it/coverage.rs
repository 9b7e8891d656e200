//! Nothing is forgotten: every rule has its page and its cases, and no page or case is about a rule that is gone.

use std::collections::BTreeSet;

use document::{Format, Limits};
use edit::Text;
use fixture::corpus::texts_under;

use super::cases::{SUITES, pack_files, repository};
use super::trial::load_pack;

/// The kinds of rules that a pack can use.
const KINDS: [&str; 10] = [
    "cel",
    "deprecated",
    "derived",
    "forbidden",
    "imports",
    "ordered",
    "reference",
    "same_as",
    "together",
    "unique",
];

/// What has a repair at all. The others have no `fix/`.
const REPAIRABLE: [&str; 17] = [
    "SCHEMA_CONST",
    "SCHEMA_DEPRECATED_KEY",
    "SCHEMA_ENUM",
    "SCHEMA_JSON_DIALECT",
    "SCHEMA_KEY_NAME",
    "SCHEMA_PARSE",
    "SCHEMA_REQUIRED",
    "SCHEMA_TYPE",
    "SCHEMA_UNIQUE_ITEMS",
    "SCHEMA_UNKNOWN_KEY",
    "deprecated",
    "derived",
    "forbidden",
    "imports",
    "ordered",
    "reference",
    "same_as",
];

/// The ids of the rules that are built in, as the code spells them.
fn built_in() -> BTreeSet<String> {
    let sources = texts_under(&repository().join("crates/pack/src"), ".rs");
    let mut ids = BTreeSet::new();
    for (_, text) in sources.iter().filter(|(name, _)| !name.contains("tests")) {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
        let literals =
            code.split('"').filter_map(|it| it.strip_prefix("SCHEMA_").map(|tail| (it, tail)));
        let is_id = |tail: &str| {
            !tail.is_empty() && tail.bytes().all(|it| it.is_ascii_uppercase() || it == b'_')
        };
        ids.extend(literals.filter(|(_, tail)| is_id(tail)).map(|(id, _)| id.to_string()));
    }
    assert!(ids.len() > 15, "the ids are not where they were: {ids:?}");
    ids
}

/// AE-23: what makes the repairs of a rule as safe as they are is written down, rule by rule.
#[test]
fn every_rule_has_its_page_and_every_page_its_rule() {
    let wanted: BTreeSet<String> = built_in().into_iter().chain(KINDS.map(String::from)).collect();
    let pages = texts_under(&repository().join("crates/pack/pages"), ".md");
    let found: BTreeSet<String> =
        pages.iter().map(|(name, _)| name.trim_end_matches(".md").to_string()).collect();
    assert_eq!(found, wanted);
    assert_eq!(
        pack::rule_ids(&[]),
        built_in().into_iter().collect::<Vec<_>>(),
        "`explain` knows the same rules"
    );
    for (name, text) in &pages {
        let sections: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(sections, ["What", "Why", "Example", "Repair", "Safety"], "{name}");
        assert!(text.starts_with("# "), "{name} has no title");
    }
}

/// What stands between ``` and ```, with the name behind the first one.
fn code_blocks(page: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.chunks_exact(2).filter_map(|pair| pair[1].split_once('\n')).collect()
}

#[test]
fn the_examples_of_the_pages_can_be_read() {
    for (name, text) in texts_under(&repository().join("crates/pack/pages"), ".md") {
        let blocks = code_blocks(&text);
        assert!(!blocks.is_empty(), "{name} has no example");
        // The first example of this page is about a text that cannot be read.
        let skipped =
            usize::from(["SCHEMA_PARSE.md", "SCHEMA_MERGE_CONFLICT.md"].contains(&name.as_str()));
        for (language, code) in blocks.into_iter().skip(skipped) {
            let format = Format::of_path(&format!("x.{language}")).expect("examples are documents");
            let parsed = document::parse(&Text::new(code), format, &Limits::DEFAULT);
            assert!(parsed.is_ok(), "{name}: {:?}\n{code}", parsed.err());
        }
    }
}

/// AE-53.
#[test]
fn every_rule_has_cases_for_what_it_does() {
    let wanted: BTreeSet<String> = built_in().into_iter().chain(KINDS.map(String::from)).collect();
    let folders = folders(SUITES[0].0);
    let found: BTreeSet<String> = folders.iter().map(|(rule, _)| rule.clone()).collect();
    assert_eq!(found, wanted);
    for rule in &wanted {
        let has = |verdict: &str| folders.contains(&(rule.clone(), verdict.to_string()));
        assert!(has("keep") && has("refuse"), "{rule} has no case in keep or in refuse");
        assert_eq!(has("fix"), REPAIRABLE.contains(&rule.as_str()), "{rule}: fix");
    }
}

#[test]
fn every_rule_of_a_shipped_pack_has_cases_and_uses_a_kind() {
    let mut kinds = BTreeSet::new();
    for (suite, pack) in SUITES {
        let Some(pack) = pack else { continue };
        let folders = folders(suite);
        let pack = load_pack(&pack_files(pack));
        for rule in pack.rules() {
            kinds.insert(rule.kind.to_string());
            let has = |verdict: &str| folders.contains(&(rule.id.to_string(), verdict.to_string()));
            assert!(has("keep"), "{suite}/{} has no case in keep", rule.id);
            assert!(
                has("fix") || has("refuse"),
                "{suite}/{} has no case that finds something",
                rule.id
            );
        }
        let ids: BTreeSet<String> = pack.rules().iter().map(|it| it.id.to_string()).collect();
        let orphans: Vec<_> =
            folders.iter().filter(|(rule, _)| rule.contains("_") && !ids.contains(rule)).collect();
        assert!(orphans.is_empty(), "{suite}: {orphans:?}");
    }
    assert_eq!(
        kinds,
        BTreeSet::from(KINDS.map(String::from)),
        "the shipped packs use every kind of rule"
    );
}

#[test]
fn the_packs_in_the_binary_are_those_in_the_folders() {
    let built_in = pack::Pack::builtin();
    let names: Vec<String> =
        built_in.iter().map(|it| format!("crates/pack/builtin/{}", it.name())).collect();
    let folders: Vec<&str> = SUITES[2..].iter().filter_map(|it| it.1).collect();
    assert_eq!(names, folders);
    for (built_in, folder) in built_in.iter().zip(folders) {
        let files = pack_files(folder);
        let texts =
            files.iter().map(|(path, text)| (path.clone(), Text::new(text.as_str()))).collect();
        let loaded = pack::Pack::load(&texts).unwrap();
        assert_eq!(built_in.fingerprint(), loaded.fingerprint(), "{folder}");
        for rule in loaded.rules() {
            let page =
                pack::page(&rule.id, std::slice::from_ref(&loaded)).expect("a rule has a page");
            assert!(!page.what.is_empty() && !page.why.is_empty(), "{}", rule.id);
        }
    }
}

/// The folders that hold cases: rule and verdict.
fn folders(suite: &str) -> BTreeSet<(String, String)> {
    let cases = texts_under(&repository().join(suite), ".txt");
    let folder = |path: &str| {
        let mut parts = path.split('/').map(str::to_string);
        Some((parts.next()?, parts.next()?))
    };
    cases.iter().filter_map(|(path, _)| folder(path)).collect()
}
