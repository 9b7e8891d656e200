//! `no_new_dependencies`: the set of dependencies that each manifest and lock file names, before and after.
//!
//! A dependency is a name, what it is for and where it comes from. Another version is not another dependency; the
//! same name from another registry, repository or directory is. A manifest that cannot be read after the change is
//! a violation, since nobody can say what it names. Each family of ecosystems has its file beneath this one; what none of
//! them reads is in [`table`], and never passes unseen.

mod cargo;
mod dart;
mod dotnet;
mod elixir;
mod git;
mod go;
mod gradle;
mod ini;
mod maven;
mod node;
mod node_lock;
mod php;
mod pip;
mod pyproject;
mod python;
mod ruby;
mod set;
mod setup_py;
mod structured;
mod table;
mod xml;

use std::collections::BTreeSet;

use snapshot::{Entry, RelPath, Snapshot};

use super::{ChangeKind, Finding, PathChange};
use set::{Dependencies, DependencyKind};

/// Larger manifests are not read.
const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// Files that requirements files may name with `-r`, followed from one to the next.
const MAX_INCLUDES: usize = 1_000;

/// Directories that hold what others wrote.
const VENDORED: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "vendor",
    "third_party",
    "site-packages",
    ".venv",
    "venv",
    "Pods",
    "Carthage",
];

/// What reads a manifest. `label` names the format; two files are compared only if they have the same.
#[derive(Clone, Copy)]
struct Manifest {
    label: &'static str,
    read: fn(&str) -> Result<Dependencies, String>,
}

/// The manifests and lock files that are known, by their path.
fn manifest(path: &RelPath) -> Option<Manifest> {
    let name = path.file_name();
    let families = [
        cargo::manifest,
        node::manifest,
        python::manifest,
        go::manifest,
        ruby::manifest,
        maven::manifest,
        gradle::manifest,
        php::manifest,
        dotnet::manifest,
        dart::manifest,
        elixir::manifest,
        git::manifest,
    ];
    families.iter().find_map(|family| family(path, name))
}

/// Whether the file is a manifest or a lock file, whose lines say nothing about the structure of code.
pub(super) fn is_manifest(path: &RelPath) -> bool {
    // A script may say what it needs, and is code all the same.
    let is_read = manifest(path).is_some_and(|it| it.label != python::SCRIPT);
    is_read || matches!(table::unread(path), Some((_, table::Unread::Whole)))
}

/// Everything that is named and was not named before.
pub(super) fn new_dependencies(
    changes: &[PathChange],
    before: &Snapshot,
    after: &Snapshot,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let vendored = new_vendored(changes, before);
    for directory in &vendored {
        let message = "is a new directory of vendored code".to_owned();
        findings.push((Some(directory.clone()), message));
    }
    let included = included(changes, after);
    for change in changes {
        let path = &change.path;
        if vendored.iter().any(|it| it.contains(path)) {
            continue;
        }
        let goes = matches!(
            change.kind,
            ChangeKind::Delete
                | ChangeKind::Mode
                | ChangeKind::DirectoryMade
                | ChangeKind::DirectoryRemoved
        );
        let listed = table::unread(path);
        let known = manifest(path)
            .or_else(|| included.contains(path).then_some(pip::REQUIREMENTS))
            .or_else(|| python::script(after.file(path)?.text().bytes()));
        // What a script says that it needs is read beside the lines that the table knows.
        let is_listed = known.is_none_or(|it| it.label == python::SCRIPT);
        let was = match &change.kind {
            ChangeKind::Rename { from } => Some(from),
            _ => before.get(path).is_some().then_some(path),
        };
        if let Some((ecosystem, unread)) = listed.filter(|_| is_listed && !goes) {
            let old = was.filter(|it| *it == path || table::unread(it) == listed);
            let messages = table::changed(ecosystem, unread, old, before, path, after);
            findings.extend(messages.into_iter().map(|it| (Some(path.clone()), it)));
        }
        if let Some(message) = table::shebang(was, before, path, after).filter(|_| !goes) {
            findings.push((Some(path.clone()), message));
        }
        let Some(known) = known else { continue };
        let messages = match &change.kind {
            ChangeKind::Delete
            | ChangeKind::Mode
            | ChangeKind::DirectoryMade
            | ChangeKind::DirectoryRemoved => Vec::new(),
            ChangeKind::Rename { from } => {
                let is_same = manifest(from).is_some_and(|it| it.label == known.label);
                compare(known, is_same.then_some(from), before, path, after)
            }
            _ => compare(known, before.get(path).is_some().then_some(path), before, path, after),
        };
        findings.extend(messages.into_iter().map(|it| (Some(path.clone()), it)));
    }
    findings
}

fn compare(
    known: Manifest,
    old: Option<&RelPath>,
    before: &Snapshot,
    new: &RelPath,
    after: &Snapshot,
) -> Vec<String> {
    let now = match read(known, after, new) {
        Ok(now) => now,
        Err(reason) => return vec![format!("{reason}, so its dependencies cannot be judged")],
    };
    let was = match old.map(|path| read(known, before, path)).transpose() {
        Ok(was) => was.unwrap_or_default(),
        Err(reason) => {
            let message =
                format!("before the change it {reason}, so its dependencies cannot be compared");
            return vec![message];
        }
    };
    now.added_to(&was).map(|it| it.describe(known.label)).collect()
}

fn read(known: Manifest, snapshot: &Snapshot, path: &RelPath) -> Result<Dependencies, String> {
    let Some(Entry::File(file)) = snapshot.get(path) else {
        return Err("is not a file that was read".to_owned());
    };
    let text = file.text();
    if text.len() > MAX_MANIFEST_BYTES {
        let (len, label) = (text.len(), known.label);
        return Err(format!(
            "is too large for {label} ({len} bytes, the limit is {MAX_MANIFEST_BYTES})"
        ));
    }
    let text = std::str::from_utf8(text.bytes())
        .map_err(|_| format!("cannot be read as {}: it is not UTF-8", known.label))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (known.read)(text).map_err(|reason| format!("cannot be read as {}: {reason}", known.label))
}

/// The directories of vendored code that are new, or new beneath one.
fn new_vendored(changes: &[PathChange], before: &Snapshot) -> BTreeSet<RelPath> {
    let mut found: BTreeSet<RelPath> = BTreeSet::new();
    for change in changes {
        let comes = matches!(
            change.kind,
            ChangeKind::Create
                | ChangeKind::Rename { .. }
                | ChangeKind::Link(_)
                | ChangeKind::DirectoryMade
        );
        if !comes || !change.path.segments().any(|it| VENDORED.contains(&it)) {
            continue;
        }
        let mut directories: Vec<RelPath> = change.path.ancestors().collect();
        directories.reverse();
        // A link or an empty directory of such a name is one itself.
        if !matches!(change.kind, ChangeKind::Create | ChangeKind::Rename { .. }) {
            directories.push(change.path.clone());
        }
        let is_vendored = |it: &RelPath| it.segments().any(|segment| VENDORED.contains(&segment));
        found
            .extend(directories.into_iter().find(|it| is_vendored(it) && !before.is_directory(it)));
    }
    found
}

/// The changed files that are not manifests by name, but that a requirements file includes.
fn included(changes: &[PathChange], after: &Snapshot) -> BTreeSet<RelPath> {
    let is_open = |change: &PathChange| {
        manifest(&change.path).is_none()
            && matches!(change.path.extension(), Some("txt" | "in" | "pip"))
            && after.file(&change.path).is_some()
    };
    let open: BTreeSet<&RelPath> =
        changes.iter().filter(|it| is_open(it)).map(|it| &it.path).collect();
    let mut found = BTreeSet::new();
    if open.is_empty() {
        return found;
    }
    let python = |path: &&RelPath| python::manifest(path, path.file_name()).is_some();
    let mut waiting: Vec<(RelPath, Manifest)> = after
        .files()
        .map(|(path, _)| path)
        .filter(python)
        .filter_map(|path| Some((path.clone(), manifest(path)?)))
        .take(MAX_INCLUDES)
        .collect();
    while let Some((path, known)) = waiting.pop() {
        let Ok(dependencies) = read(known, after, &path) else { continue };
        for include in dependencies.iter().filter(|it| it.kind == DependencyKind::Include) {
            let Some(target) = beside(&path, &include.name) else { continue };
            if found.len() < MAX_INCLUDES && found.insert(target.clone()) {
                waiting.push((target, pip::REQUIREMENTS));
            }
        }
    }
    found.retain(|path| open.contains(path));
    found
}

/// The path that a file names, relative to the directory that it stands in.
fn beside(file: &RelPath, named: &str) -> Option<RelPath> {
    let mut segments: Vec<String> =
        file.parent().map(|it| it.segments().map(str::to_owned).collect()).unwrap_or_default();
    for segment in named.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment.to_owned()),
        }
    }
    RelPath::parse(&segments.join("/")).ok()
}
