//! The layers inside the large crates: which top module must not use which. The compiler lets modules of one crate use each other
//! in circles; where a layering is clear, it is kept.
//!
//! Only what is written as a path from the crate's root (`crate::fix::…`, also in a group) is seen, which is how modules of
//! different folders are named here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source_files;

/// A crate, a module of it, and the modules that it must not use. `*` as the last entry stands for all others.
const FORBIDDEN: &[(&str, &str, &[&str])] = &[
    ("clank", "collect", &["canon", "driver", "exhaust", "flow", "infer", "page", "prove"]),
    ("clank", "env", &["canon", "collect", "driver", "exhaust", "flow", "infer", "prove"]),
    ("clank", "exhaust", &["canon", "collect", "driver", "flow", "infer", "page", "prove"]),
    ("clank", "flow", &["canon", "collect", "driver", "infer", "page", "prove"]),
    ("clank", "infer", &["canon", "collect", "driver", "exhaust", "flow", "page"]),
    ("clank", "prove", &["canon", "collect", "exhaust", "flow", "infer", "page"]),
    ("clank", "resolve", &["canon", "collect", "driver", "exhaust", "flow", "infer", "prove"]),
    ("clank", "similar", &["*"]),
    ("clank-emit", "doc", &["*"]),
    ("clank-emit", "lower", &["file", "path", "print", "source_map"]),
    ("clank-emit", "print", &["context", "decl", "file", "lower"]),
    ("clank-repair", "propose", &["provider", "rank", "relate", "search", "verify"]),
    ("clank-repair", "verify", &["provider", "relate", "search"]),
    ("clank", "code", &["*"]),
    ("clank", "ty", &["*"]),
    ("govern", "id", &["*"]),
    ("govern", "sanitize", &["*"]),
    ("measure", "scope", &["*"]),
    ("govern", "record", &["approval", "execute", "lifecycle", "registry"]),
    ("govern", "lifecycle", &["execute", "registry"]),
    ("pack", "path_glob", &["*"]),
    ("pack", "pattern", &["*"]),
    ("pack", "typo", &["*"]),
    ("pack", "schema", &["load", "pack", "provider", "rules"]),
    ("pack", "rules", &["load", "pack", "page", "provider"]),
    ("service", "assess", &["commands"]),
    ("service", "compiler", &["commands"]),
    (
        "service",
        "config",
        &["assess", "commands", "compiler", "patch_trial", "reply", "session", "toolbox", "wire"],
    ),
    ("service", "patch_trial", &["assess", "commands", "compiler", "toolbox"]),
    (
        "service",
        "session",
        &["assess", "commands", "compiler", "config", "patch_trial", "setup", "toolbox"],
    ),
    ("service", "toolbox", &["compiler", "patch_trial"]),
    (
        "service",
        "wire",
        &["assess", "commands", "config", "patch_trial", "session", "setup", "toolbox"],
    ),
];

/// Adds every path that goes against the table, and every entry that names no module.
pub(super) fn check(root: &Path, findings: &mut Vec<String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for file in source_files(root)? {
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let Some((krate, module)) = module_of(&path) else { continue };
        seen.insert((krate.to_owned(), module.to_owned()));
        let text = fs::read_to_string(&file).with_context(|| path.clone())?;
        let used = used_modules(&text);
        let rows = FORBIDDEN.iter().filter(|row| row.0 == krate && row.1 == module);
        for (_, _, forbidden) in rows {
            for it in used.iter().filter(|it| **it != module && forbids(forbidden, it)) {
                findings.push(format!(
                    "{path}: `{module}` uses `{it}`: against the layers in xtask/src/tidy/layers.rs"
                ));
            }
        }
    }
    for (krate, module, forbidden) in FORBIDDEN {
        for it in std::iter::once(module).chain(*forbidden).filter(|it| **it != "*") {
            if !seen.contains(&((*krate).to_owned(), (*it).to_owned())) {
                findings.push(format!(
                    "xtask/src/tidy/layers.rs: the crate {krate} has no module `{it}`"
                ));
            }
        }
    }
    Ok(())
}

/// Types that stand in the crate's root are not modules.
fn forbids(forbidden: &[&str], used: &str) -> bool {
    let is_module = used.starts_with(|it: char| it.is_ascii_lowercase());
    forbidden.contains(&used) || (forbidden.contains(&"*") && is_module)
}

/// The crate and the top module that a source belongs to. Tests may use everything.
fn module_of(path: &str) -> Option<(&str, &str)> {
    let (krate, rest) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let is_test = rest.ends_with("tests.rs") || rest.ends_with("laws.rs");
    let module = rest.split('/').next()?;
    let module = module.strip_suffix(".rs").unwrap_or(module);
    (!is_test && module != "lib").then_some((krate, module))
}

/// The first names of the paths that start at the crate's root, outside comments and tests.
fn used_modules(text: &str) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    let code = text.find("\n#[cfg(test)]").map_or(text, |end| &text[..end]);
    for line in code.lines().filter(|it| !it.trim_start().starts_with("//")) {
        let paths = line.match_indices("crate::").filter(|(at, _)| !line[..*at].ends_with(is_word));
        used.extend(paths.map(|(at, path)| first_name(&line[at + path.len()..])));
    }
    for (at, group) in code.match_indices("use crate::{") {
        let group = &code[at + group.len()..];
        let mut depth = 0_usize;
        let mut start = true;
        for (at, it) in group.char_indices() {
            match it {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ if start && is_word(it) => {
                    used.insert(first_name(&group[at..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    used.remove("");
    used
}

fn first_name(path: &str) -> &str {
    &path[..path.find(|it| !is_word(it)).unwrap_or(path.len())]
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_groups_are_seen_without_comments_and_tests() {
        let text = "//! crate::a\nuse crate::b::C;\nuse crate::{d::{self, E}, f, G};\nfn g() { crate::h::i() }\n\
                    fn j() { mycrate::k() }\n#[cfg(test)]\nmod tests { use crate::l; }\n";
        let expected = BTreeSet::from(["b", "d", "f", "G", "h"]);
        assert_eq!(used_modules(text), expected);
    }

    #[test]
    fn a_source_belongs_to_its_top_module() {
        assert_eq!(module_of("crates/pack/src/rules/key.rs"), Some(("pack", "rules")));
        assert_eq!(module_of("crates/pack/src/rules.rs"), Some(("pack", "rules")));
        assert_eq!(module_of("crates/pack/src/rules/tests.rs"), None);
        assert_eq!(module_of("crates/pack/src/lib.rs"), None);
        assert_eq!(module_of("src/main.rs"), None);
    }
}
