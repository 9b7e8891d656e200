//! From the files of a pack's folder to a [`Pack`], or everything that is wrong with it at once.

mod kinds;
mod loops;
mod manifest_schema;
mod reader;
mod rule;
mod schema_files;

use std::collections::BTreeMap;
use std::sync::Arc;

use document::{Document, Format, Limits, Pointer};
use edit::Text;

use crate::finding::MemberPart;
use crate::pack::{FileKind, Pack, PathKinds};
use crate::problem::PackProblem;
use crate::rules::{PackRule, RuleBody, deprecated};
pub use manifest_schema::manifest_schema;
use reader::{ManifestObject, ManifestProblems};
pub(crate) use schema_files::{CompileWhen, KindSchema};

/// The file that says what a pack is.
const MANIFEST: &str = "pack.yaml";

const MEMBERS: [&str; 5] = ["name", "pack_version", "description", "kinds", "rules"];

/// Bounds on what one pack may ask for: every file is held against all of it.
const MAX_KINDS: usize = 5000;
const MAX_RULES: usize = 10_000;

/// Reads a pack from its files, by their paths inside its folder.
pub(crate) fn load(
    files: &BTreeMap<String, Text>,
    compile: CompileWhen,
) -> Result<Pack, Vec<PackProblem>> {
    let manifest = read(files, MANIFEST).map_err(|problem| vec![problem])?;
    let mut problems = ManifestProblems::new(MANIFEST, Some(Arc::clone(&manifest)));
    if let Some(refusal) = manifest.not_alone() {
        problems.at_offset(refusal.offset, refusal.to_string());
    }
    let pack = read_pack(&mut problems, files, &manifest, compile);
    let list = problems.into_list();
    match pack {
        Some(pack) if list.is_empty() => Ok(pack),
        _ => Err(list),
    }
}

/// Parses a file of the pack.
fn read(files: &BTreeMap<String, Text>, path: &str) -> Result<Arc<Document>, PackProblem> {
    let problem = |message: String| PackProblem {
        file: path.to_owned(),
        pointer: None,
        location: None,
        message,
    };
    let text =
        files.get(path).ok_or_else(|| problem(format!("cannot find `{path}` in the pack")))?;
    let format = Format::of_path(path)
        .ok_or_else(|| problem("expected a JSON, YAML or TOML file".to_owned()))?;
    document::parse(text, format, &Limits::DEFAULT).map_err(|error| {
        let lines = edit::LineIndex::new(text.bytes());
        let location = check::Location::new(&lines, error.offset..error.offset);
        PackProblem { location, ..problem(format!("cannot be read: {error}")) }
    })
}

fn read_pack(
    problems: &mut ManifestProblems<'_>,
    files: &BTreeMap<String, Text>,
    manifest: &Document,
    compile: CompileWhen,
) -> Option<Pack> {
    let value = manifest.value();
    let members = ManifestObject::new(problems, Pointer::root(), &value, &MEMBERS)?;
    let name = members.required_text(problems, "name");
    if let Some((at, name)) = &name
        && !is_name(name, false)
    {
        problems.value(
            at,
            "expected a name of lower-case letters, digits and `-` that starts with a letter",
        );
    }
    let version = members.required_text(problems, "pack_version").map(|it| it.1.to_owned());
    let description = members.text(problems, "description").map(|it| it.1.to_owned());
    let kinds = read_kinds(problems, &members, files, compile);
    let rules = read_rules(problems, &members, &kinds, compile);
    if problems.has_any() {
        return None;
    }
    let paths = PathKinds::new(&kinds);
    Some(Pack::new(
        name?.1.to_owned(),
        version?,
        description.unwrap_or_default(),
        kinds.into_iter().flatten().collect(),
        paths,
        rules,
        pages(files),
    ))
}

/// The kinds, with a gap for one that could not be read.
fn read_kinds(
    problems: &mut ManifestProblems<'_>,
    members: &ManifestObject<'_>,
    files: &BTreeMap<String, Text>,
    compile: CompileWhen,
) -> Vec<Option<FileKind>> {
    let Some((at, value)) = members.required(problems, "kinds") else { return Vec::new() };
    let items = reader::items(problems, &at, value);
    if items.len() > MAX_KINDS {
        problems.value(&at, format!("expected at most {MAX_KINDS} kinds"));
        return Vec::new();
    }
    kinds::read(problems, items, files, compile)
}

fn read_rules(
    problems: &mut ManifestProblems<'_>,
    members: &ManifestObject<'_>,
    kinds: &[Option<FileKind>],
    compile: CompileWhen,
) -> Vec<PackRule> {
    let Some((at, value)) = members.get("rules") else { return Vec::new() };
    let items = reader::items(problems, &at, value);
    if items.len() > MAX_RULES {
        problems.value(&at, format!("expected at most {MAX_RULES} rules"));
        return Vec::new();
    }
    let mut rules: Vec<PackRule> = Vec::new();
    let mut places = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (at, value) in items {
        let Some(rule) = rule::read(problems, at.clone(), value, kinds, compile) else { continue };
        if !seen.insert(rule.id.clone()) {
            problems.value(&at.join("id"), format!("duplicate rule id `{}`", rule.id));
        }
        rules.push(rule);
        places.push(at);
    }
    loops::refuse(problems, &rules, &places);
    share(&mut rules);
    deprecated::follow(&mut rules);
    rules
}

/// Finds the derived values that rules which compare files look at too: setting one of those concerns other files.
fn share(rules: &mut [PackRule]) {
    let compared: Vec<_> = rules
        .iter()
        .filter(|it| it.body.is_about_the_tree())
        .flat_map(|it| it.body.places().into_iter().map(|it| it.1.clone()).collect::<Vec<_>>())
        .collect();
    for rule in rules {
        if let RuleBody::Derived(derived) = &mut rule.body {
            derived.is_shared = compared.iter().any(|it| it.meets(&derived.at));
        }
    }
}

/// `docs/<RULE_ID>.md`, by rule.
fn pages(files: &BTreeMap<String, Text>) -> BTreeMap<String, String> {
    let pages = files.iter().filter_map(|(path, text)| {
        let rule = path.strip_prefix("docs/")?.strip_suffix(".md")?;
        let text = std::str::from_utf8(text.bytes()).ok()?;
        Some((rule.to_owned(), text.to_owned()))
    });
    pages.collect()
}

/// `[a-z][a-z0-9-]*`, with `_` for kinds.
fn is_name(text: &str, with_underscore: bool) -> bool {
    let is_part = |it: char| {
        it.is_ascii_lowercase()
            || it.is_ascii_digit()
            || it == '-'
            || (with_underscore && it == '_')
    };
    text.len() <= 64
        && text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(is_part)
}

/// A key that must stand in an object: shown at its value.
fn refuse(problems: &mut ManifestProblems<'_>, at: &Pointer, message: String) {
    problems.add(at, MemberPart::Value, message);
}

#[cfg(test)]
mod tests;
