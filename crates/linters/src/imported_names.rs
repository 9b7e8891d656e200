//! Which names other files of a tree take from a module of Python. A linter that looks at one file says that an import is
//! unused; in a module that others import the name from, it is not.
//!
//! Modules are told apart by the last part of their name alone, and what is not understood counts as taken, so that a
//! fix may be held for less safe than it is.

use std::collections::{BTreeMap, BTreeSet};

use check::Safety;
use snapshot::{RelPath, Snapshot};

use crate::report::{Fix, ToolReport};

/// Takes back what fixes of `rule` say about their safety where they remove a name that another file imports from there.
pub(crate) fn hold_back_removals(report: &mut ToolReport, rule: &str, snapshot: &Snapshot) {
    let is_meant = |it: &&Fix| it.safety < Safety::BehaviorChanging;
    let findings = report.findings.iter().filter(|it| it.rule == rule);
    let fixes = findings.flat_map(|it| &it.fixes).filter(is_meant);
    let modules: BTreeSet<String> =
        fixes.flat_map(|it| it.edits.keys()).filter_map(module).map(str::to_owned).collect();
    if modules.is_empty() {
        return;
    }
    let taken = taken_names(&modules, snapshot);
    for finding in report.findings.iter_mut().filter(|it| it.rule == rule) {
        for fix in &mut finding.fixes {
            if let Some((name, by)) = removes_taken(fix, &taken, snapshot) {
                fix.safety = fix.safety.max(Safety::BehaviorChanging);
                fix.title = format!("{}; {by} imports `{name}` from here", fix.title);
            }
        }
    }
}

/// Names by the last part of the name of the module that they are taken from, with the files that take them.
type ImportedNames = BTreeMap<String, BTreeMap<String, BTreeSet<RelPath>>>;

/// A name that the fix removes and that a file which it does not edit takes, with that file.
fn removes_taken<'t>(
    fix: &Fix,
    taken: &'t ImportedNames,
    snapshot: &Snapshot,
) -> Option<(String, &'t RelPath)> {
    for (file, edits) in &fix.edits {
        let Some(taken) = module(file).and_then(|it| taken.get(it)) else { continue };
        let text = snapshot.file(file)?.text();
        for edit in edits.edits() {
            let removed = text.bytes().get(edit.start as usize..edit.end as usize)?;
            let removed = String::from_utf8_lossy(removed).into_owned();
            let added = String::from_utf8_lossy(&edit.text).into_owned();
            let stays: BTreeSet<&str> = words(&added).collect();
            for word in words(&removed).filter(|it| !stays.contains(it)) {
                let others = taken.get(word).into_iter().flatten();
                if let Some(by) = others.into_iter().find(|it| !fix.edits.contains_key(*it)) {
                    return Some((word.to_owned(), by));
                }
            }
        }
    }
    None
}

/// The last part of the name of the module that a file is.
fn module(path: &RelPath) -> Option<&str> {
    let (stem, extension) = path.file_name().rsplit_once('.')?;
    if !matches!(extension, "py" | "pyi") {
        return None;
    }
    if stem != "__init__" {
        return Some(stem);
    }
    let folder = path.as_str().rsplit('/').nth(1)?;
    Some(folder)
}

fn taken_names(modules: &BTreeSet<String>, snapshot: &Snapshot) -> ImportedNames {
    let mut taken = ImportedNames::new();
    for (path, file) in snapshot.files_at(|it| module(it).is_some()) {
        let text = file.text();
        for (module, name) in imports(&String::from_utf8_lossy(text.bytes()), modules) {
            let names = taken.entry(module.to_owned()).or_default();
            names.entry(name.to_owned()).or_default().insert(path.clone());
        }
    }
    taken
}

/// What a text takes from modules: `from a.b import c` and, where the module itself is imported, `b.c`.
fn imports<'t>(text: &'t str, modules: &BTreeSet<String>) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    let mut aliases: BTreeMap<&str, &str> = BTreeMap::new();
    let mut end_of_last = 0;
    for (at, _) in text.match_indices("import") {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        if start < end_of_last {
            continue;
        }
        end_of_last = at;
        let statement = statement(&text[start..]);
        for (at, token) in statement.iter().enumerate() {
            let rest = &statement[at + 1..];
            let (module, names) = match *token {
                "from" => match rest.iter().take(MAX_PARTS).position(|it| *it == "import") {
                    Some(end) => (rest[..end].iter().rfind(|it| is_word(it)), &rest[end + 1..]),
                    None => continue,
                },
                "import" => (None, rest),
                _ => continue,
            };
            for (name, alias) in items(names) {
                if let Some(module) = module.filter(|it| modules.contains(**it)) {
                    found.push((*module, name));
                }
                if modules.contains(name) {
                    aliases.insert(alias, name);
                }
            }
        }
    }
    if !aliases.is_empty() {
        let tokens: Vec<&str> = tokens(text).collect();
        for window in tokens.windows(3) {
            if let [module, ".", name] = window
                && let Some(module) = aliases.get(module).filter(|_| is_word(name))
            {
                found.push((module, name));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The tokens of the statement that a text starts with: up to the end of a line outside of brackets.
fn statement(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for token in tokens(text).take(MAX_TOKENS) {
        match token {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "\n" if depth == 0 => break,
            _ => {}
        }
        found.push(token);
    }
    found
}

/// Tokens of a statement beyond which it is not read.
const MAX_TOKENS: usize = 20_000;
/// Tokens of the name of a module beyond which it is none.
const MAX_PARTS: usize = 64;

/// The names of an import list with what they are called then: `(a as b, c.d)`. Of a name with dots the last part.
fn items<'t>(tokens: &[&'t str]) -> Vec<(&'t str, &'t str)> {
    let mut items: Vec<(&str, &str)> = Vec::new();
    let is_open = tokens.first() == Some(&"(");
    let (mut is_alias, mut joins) = (false, false);
    for token in &tokens[usize::from(is_open)..] {
        match *token {
            ")" | ";" => break,
            "\n" if !is_open => break,
            "\n" | "," => joins = false,
            "." => joins = true,
            "as" => is_alias = true,
            word if is_word(word) => match items.last_mut() {
                Some(last) if std::mem::take(&mut is_alias) => last.1 = word,
                Some(last) if std::mem::take(&mut joins) => *last = (word, word),
                _ => items.push((word, word)),
            },
            _ => break,
        }
    }
    items
}

/// Words and marks of a text, without blanks and comments. A line that goes on has no line end.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let code = line.split('#').next().unwrap_or_default().trim_end();
        let (code, end) = match code.strip_suffix('\\') {
            Some(code) => (code, None),
            None => (code, Some("\n")),
        };
        split_words(code).filter(|it| !it.trim().is_empty()).chain(end)
    })
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_word_character(first) {
            true => rest.find(|it| !is_word_character(it)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    split_words(text).filter(|it| is_word(it))
}

fn is_word_character(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

fn is_word(token: &str) -> bool {
    token.starts_with(is_word_character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let modules = ["compat", "b"].map(str::to_owned).into();
        assert_eq!(imports(text, &modules), expected, "{text}");
    }

    /// what other files take from a module is found in all ways of importing.
    #[test]
    fn what_is_taken_from_a_module() {
        check("from .compat import a, c as d\nx = 1\n", &[("compat", "a"), ("compat", "c")]);
        check(
            "from x.compat import (  # why\n  a,\n  c as d,\n)\n",
            &[("compat", "a"), ("compat", "c")],
        );
        check("from compat import a, \\\n    c\nd\n", &[("compat", "a"), ("compat", "c")]);
        check("if x: from . import compat\ncompat.a(1)\nother.c\n", &[("compat", "a")]);
        check("import x.compat as y, z\ny.a\nz.c\n", &[("compat", "a")]);
        check("try: from compat import a\nexcept ImportError: pass\n", &[("compat", "a")]);
        check("import compat\ndef f():\n    return compat.a.z\n", &[("compat", "a")]);
        check("from compatible import a\nfrom x import compatible\nraise X from b.c\n", &[]);
        check("# from compat import a\n", &[]);
        check("from compat import *\n", &[]);
    }
}
