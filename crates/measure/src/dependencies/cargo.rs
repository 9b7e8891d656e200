//! Rust: `Cargo.toml`, `Cargo.lock` and the parts of `.cargo/config.toml` that say where packages come from.

use document::{Format, Value};
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, INHERITED, address};
use super::structured::{at, items, members, object, string};

pub(super) fn manifest(path: &RelPath, name: &str) -> Option<Manifest> {
    let is_config = path.as_str() == format!(".cargo/{name}")
        || path.as_str().ends_with(&format!("/.cargo/{name}"));
    match name {
        "Cargo.toml" => Some(Manifest { label: "Cargo.toml", read: read_manifest }),
        "Cargo.lock" => Some(Manifest { label: "Cargo.lock", read: read_lock }),
        "config.toml" | "config" if is_config => {
            Some(Manifest { label: "Cargo configuration", read: read_config })
        }
        _ => None,
    }
}

/// The tables of dependencies, in both spellings that Cargo reads.
const TABLES: &[(&str, DependencyKind)] = &[
    ("dependencies", DependencyKind::Normal),
    ("dev-dependencies", DependencyKind::Dev),
    ("dev_dependencies", DependencyKind::Dev),
    ("build-dependencies", DependencyKind::Build),
    ("build_dependencies", DependencyKind::Build),
];

fn read_manifest(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    tables(&mut found, &root);
    for (_, target) in members(root.get("target")) {
        tables(&mut found, target);
    }
    for (key, it) in members(at(&root, &["workspace", "dependencies"])) {
        found.add(DependencyKind::Managed, name(key, it), source(it));
    }
    patches(&mut found, &root);
    Ok(found)
}

fn tables(found: &mut Dependencies, table: &Value) {
    for (table_name, kind) in TABLES {
        for (key, it) in members(table.get(table_name)) {
            found.add(*kind, name(key, it), source(it));
        }
    }
}

fn patches(found: &mut Dependencies, root: &Value) {
    for (_, registry) in members(root.get("patch")) {
        for (key, it) in members(Some(registry)) {
            found.add(DependencyKind::Override, name(key, it), source(it));
        }
    }
    for (key, it) in members(root.get("replace")) {
        let replaced =
            key.rsplit('#').next().unwrap_or(key).split([':', '@']).next().unwrap_or(key);
        found.add(DependencyKind::Override, name(replaced, it), source(it));
    }
}

/// The name of the package, which need not be the key. Registries take `-` and `_` for the same.
fn name(key: &str, dependency: &Value) -> String {
    string(dependency, "package").unwrap_or(key).to_ascii_lowercase().replace('_', "-")
}

fn source(dependency: &Value) -> String {
    let named =
        |member: &str| string(dependency, member).map(|it| format!("{member} {}", address(it)));
    if matches!(dependency.get("workspace"), Some(Value::Bool(true))) {
        return INHERITED.to_owned();
    }
    let sources: Vec<String> =
        ["git", "path", "registry", "registry-index"].into_iter().filter_map(named).collect();
    sources.join(", ")
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    let unused = at(&root, &["patch", "unused"]);
    for package in items(root.get("package")).chain(items(unused)) {
        let name = string(package, "name").ok_or("a package has no name")?;
        // Packages without a source are those of the workspace itself and of paths that a manifest names.
        if let Some(source) = string(package, "source") {
            let is_default = source.starts_with("registry+")
                && source.ends_with("github.com/rust-lang/crates.io-index")
                || source == "sparse+https://index.crates.io/";
            let source = if is_default { String::new() } else { address(source) };
            found.add(DependencyKind::Locked, name.to_ascii_lowercase(), source);
        }
    }
    Ok(found)
}

fn read_config(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    patches(&mut found, &root);
    for it in items(root.get("paths")).filter_map(Value::as_str) {
        found.add(DependencyKind::Override, it, "paths");
    }
    for table in ["source", "registries"] {
        for (name, it) in members(root.get(table)) {
            for (member, value) in members(Some(it)) {
                found.add(
                    DependencyKind::Source,
                    format!("{table}.{name}"),
                    format!("{member} {}", value.to_json()),
                );
            }
        }
    }
    Ok(found)
}
