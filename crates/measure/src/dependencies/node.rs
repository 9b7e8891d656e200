//! JavaScript: `package.json`, `pnpm-workspace.yaml` and `.npmrc`; the lock files are in [`super::node_lock`].

use document::{Format, Value};
use snapshot::RelPath;

use super::Manifest;
use super::node_lock;
use super::set::{Dependencies, DependencyKind, address};
use super::structured::{at, items, members, object};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "package.json" => Some(Manifest { label: "package.json", read: read_manifest }),
        "pnpm-workspace.yaml" => {
            Some(Manifest { label: "pnpm-workspace.yaml", read: read_pnpm_workspace })
        }
        ".npmrc" => Some(Manifest { label: ".npmrc", read: read_npmrc }),
        _ => node_lock::manifest(name),
    }
}

const TABLES: &[(&str, DependencyKind)] = &[
    ("dependencies", DependencyKind::Normal),
    ("devDependencies", DependencyKind::Dev),
    ("optionalDependencies", DependencyKind::Optional),
    ("peerDependencies", DependencyKind::Peer),
];

fn read_manifest(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (table, kind) in TABLES {
        for (name, spec) in members(root.get(table)) {
            let (name, source) = resolved(name, spec.as_str().unwrap_or(""));
            found.add(*kind, name, source);
        }
    }
    for table in ["bundledDependencies", "bundleDependencies"] {
        for name in items(root.get(table)).filter_map(Value::as_str) {
            found.add(DependencyKind::Bundled, name, "");
        }
        if matches!(root.get(table), Some(Value::Bool(true))) {
            found.add(DependencyKind::Bundled, "*", "");
        }
    }
    for table in [&["overrides"][..], &["resolutions"], &["pnpm", "overrides"]] {
        overrides(&mut found, at(&root, table));
    }
    for (name, patch) in members(at(&root, &["pnpm", "patchedDependencies"])) {
        found.add(DependencyKind::Override, without_version(name), patch.to_json());
    }
    // The tool that installs all the others, which may come from anywhere.
    if let Some(manager) = root.get("packageManager").and_then(Value::as_str) {
        let (name, version) = manager.split_once('@').unwrap_or((manager, ""));
        let source = if version.contains(':') { address(version) } else { String::new() };
        found.add(DependencyKind::Plugin, name, source);
    }
    for place in [&["catalog"][..], &["workspaces", "catalog"]] {
        for (name, _) in members(at(&root, place)) {
            found.add(DependencyKind::Managed, name, "");
        }
    }
    for place in [&["catalogs"][..], &["workspaces", "catalogs"]] {
        for (catalog, names) in members(at(&root, place)) {
            for (name, _) in members(Some(names)) {
                found.add(DependencyKind::Managed, name, catalog);
            }
        }
    }
    let workspaces = root.get("workspaces");
    let nested = workspaces.and_then(|it| it.get("packages"));
    for pattern in items(workspaces).chain(items(nested)).filter_map(Value::as_str) {
        found.add(DependencyKind::Local, pattern, "workspaces");
    }
    Ok(found)
}

/// `overrides` nest: a package that stands inside another is overridden only there. The nesting is no deeper than the
/// reader of documents allows.
fn overrides(found: &mut Dependencies, table: Option<&Value>) {
    let mut waiting: Vec<(&str, &Value)> = members(table).collect();
    while let Some((key, value)) = waiting.pop() {
        match value {
            Value::String(spec) => {
                let last = key.rsplit('>').next().unwrap_or(key);
                let (name, source) = resolved(without_version(last), spec);
                found.add(DependencyKind::Override, name, source);
            }
            _ => waiting.extend(
                members(Some(value))
                    .map(|(inner, it)| (if inner == "." { key } else { inner }, it)),
            ),
        }
    }
}

/// `a@1` is `a`, and `@s/a@1` is `@s/a`.
pub(super) fn without_version(name: &str) -> &str {
    match name.char_indices().skip(1).find(|(_, it)| *it == '@') {
        Some((at, _)) => &name[..at],
        None => name,
    }
}

/// The name and source of what a specifier stands for: an alias stands for another package.
pub(super) fn resolved(name: &str, spec: &str) -> (String, String) {
    let spec = spec.trim();
    if let Some(alias) = spec.strip_prefix("npm:") {
        let is_range =
            !alias.starts_with('@') && alias.starts_with(|it: char| !it.is_ascii_alphabetic());
        let target = if is_range { name } else { without_version(alias) };
        return (target.to_owned(), String::new());
    }
    // `workspace:` and `catalog:` name packages and versions of the same repository.
    if let Some((scheme @ ("workspace" | "catalog"), _)) = spec.split_once(':') {
        return (name.to_owned(), scheme.to_owned());
    }
    let is_path =
        ["file:", "link:", "portal:", "./", "../", "~/", "/"].iter().any(|it| spec.starts_with(it));
    let is_address = spec.contains(':') || (spec.contains('/') && !spec.contains(' '));
    let source = if is_path || is_address { address(spec) } else { String::new() };
    (name.to_owned(), source)
}

fn read_pnpm_workspace(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for pattern in items(root.get("packages")).filter_map(Value::as_str) {
        found.add(DependencyKind::Local, pattern, "packages");
    }
    let named = members(root.get("catalogs")).flat_map(|(_, catalog)| members(Some(catalog)));
    for (name, spec) in members(root.get("catalog")).chain(named) {
        let (name, source) = resolved(name, spec.as_str().unwrap_or(""));
        found.add(DependencyKind::Managed, name, source);
    }
    overrides(&mut found, root.get("overrides"));
    Ok(found)
}

/// Only where packages come from; the rest of the settings names none.
fn read_npmrc(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for line in text.lines().map(str::trim).filter(|it| !it.starts_with(['#', ';'])) {
        if let Some((key, value)) = line.split_once('=')
            && key.trim().ends_with("registry")
        {
            found.add(DependencyKind::Source, key.trim(), address(value.trim()));
        }
    }
    Ok(found)
}
