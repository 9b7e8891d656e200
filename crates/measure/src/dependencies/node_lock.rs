//! The lock files of JavaScript: npm (all three versions), Yarn (both formats), pnpm and Bun.
//!
//! What a package is for is left to the manifest: in lock files that changes whenever another package comes or goes.

use document::{Format, Value};

use super::Manifest;
use super::node::{resolved, without_version};
use super::set::{Dependencies, DependencyKind, address, origin};
use super::structured::{items, members, object, string};

pub(super) fn manifest(name: &str) -> Option<Manifest> {
    match name {
        "package-lock.json" | "npm-shrinkwrap.json" => {
            Some(Manifest { label: "package-lock.json", read: read_package_lock })
        }
        "yarn.lock" => Some(Manifest { label: "yarn.lock", read: read_yarn }),
        "pnpm-lock.yaml" => Some(Manifest { label: "pnpm-lock.yaml", read: read_pnpm }),
        "bun.lock" => Some(Manifest { label: "bun.lock", read: read_bun }),
        "bun.lockb" => {
            Some(Manifest { label: "bun.lockb", read: |_| Err("it is a binary format".to_owned()) })
        }
        _ => None,
    }
}

/// Where a package of that name comes from. The registry's own hosts need no name, unless the address is of another
/// package.
fn source(name: &str, url: &str) -> String {
    if let Some((package, _)) = url.split_once("/-/")
        && !package
            .to_ascii_lowercase()
            .replace("%2f", "/")
            .ends_with(&format!("/{}", name.to_ascii_lowercase()))
    {
        return address(package);
    }
    let origin = origin(url);
    let is_default = matches!(origin.as_str(), "registry.npmjs.org" | "registry.yarnpkg.com");
    if is_default { String::new() } else { origin }
}

fn read_package_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (place, package) in members(root.get("packages")) {
        // Without `node_modules` it is a directory of this repository.
        let Some((_, name)) = place.rsplit_once("node_modules/") else { continue };
        let name = string(package, "name").unwrap_or(name);
        found.add(
            DependencyKind::Locked,
            name,
            string(package, "resolved").map(|url| source(name, url)).unwrap_or_default(),
        );
    }
    if root.get("packages").is_some() {
        return Ok(found); // The tree of version 1 is repeated there for old readers.
    }
    let mut waiting: Vec<(&str, &Value)> = members(root.get("dependencies")).collect();
    while let Some((name, package)) = waiting.pop() {
        let version = string(package, "version").unwrap_or("");
        let (name, from_version) = resolved(name, version);
        let source = match string(package, "resolved") {
            Some(url) if from_version.is_empty() => source(&name, url),
            _ => from_version,
        };
        found.add(DependencyKind::Locked, name, source);
        waiting.extend(members(package.get("dependencies")));
    }
    Ok(found)
}

fn read_yarn(text: &str) -> Result<Dependencies, String> {
    let is_new = text.lines().any(|line| line.starts_with("__metadata:"));
    if is_new { read_yarn_new(text) } else { read_yarn_old(text) }
}

fn read_yarn_new(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for (key, package) in members(Some(&root)).filter(|(key, _)| *key != "__metadata") {
        let resolution = string(package, "resolution").unwrap_or(key);
        let name = without_version(resolution);
        let place = resolution.get(name.len() + 1..).unwrap_or("");
        let scheme = place.split(':').next().unwrap_or("");
        match scheme {
            "npm" => found.add(DependencyKind::Locked, name, ""),
            "workspace" => {} // A directory of this repository.
            _ => found.add(DependencyKind::Locked, name, origin(place)),
        }
    }
    Ok(found)
}

fn read_yarn_old(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    let mut current: Option<(String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            let (name, from_key) = current.as_ref().ok_or_else(|| broken(number))?;
            if let Some(url) = line.strip_prefix("  resolved ") {
                let from_url = source(name, url.trim().trim_matches('"'));
                let source = if from_key.is_empty() { from_url } else { from_key.clone() };
                found.add(DependencyKind::Locked, name.clone(), source);
            }
            continue;
        }
        let keys = line.strip_suffix(':').ok_or_else(|| broken(number))?;
        let first = keys.split(',').next().unwrap_or(keys).trim().trim_matches('"');
        let name = without_version(first);
        if name.is_empty() || name.len() == first.len() {
            return Err(broken(number));
        }
        let (name, from_key) = resolved(name, &first[name.len() + 1..]);
        current = Some((name, from_key));
    }
    Ok(found)
}

fn broken(number: usize) -> String {
    format!("line {} is not an entry", number + 1)
}

fn read_pnpm(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for (key, package) in members(root.get("packages")) {
        let resolution = package.get("resolution");
        let place = resolution.and_then(|it| {
            ["tarball", "repo", "directory"].iter().find_map(|name| string(it, name))
        });
        let name = string(package, "name").map_or_else(|| pnpm_name(key), str::to_owned);
        let source = place.map(|url| source(&name, url)).unwrap_or_default();
        found.add(DependencyKind::Locked, name, source);
    }
    let importers: Vec<&Value> =
        members(root.get("importers")).map(|(_, it)| it).chain([&root]).collect();
    for importer in importers {
        for table in ["dependencies", "devDependencies", "optionalDependencies"] {
            for (name, it) in members(importer.get(table)) {
                let version = it.as_str().or_else(|| string(it, "version")).unwrap_or("");
                if version.starts_with("link:") || version.starts_with("file:") {
                    found.add(DependencyKind::Locked, name, version);
                }
            }
        }
    }
    for (name, it) in members(root.get("overrides")) {
        let (name, source) = resolved(without_version(name), it.as_str().unwrap_or(""));
        found.add(DependencyKind::Override, name, source);
    }
    Ok(found)
}

/// `/a/1.0.0`, `/@s/a/1.0.0_peer`, `/a@1.0.0(peer)`, `a@1.0.0` and addresses, in the order in which the format grew.
fn pnpm_name(key: &str) -> String {
    let Some(old) = key.strip_prefix('/') else {
        let name = without_version(key);
        return if name.len() == key.len() { origin(key) } else { name.to_owned() };
    };
    let depth = if old.starts_with('@') { 2 } else { 1 };
    let name: Vec<&str> = old.split('/').take(depth).collect();
    without_version(&name.join("/")).to_owned()
}

fn read_bun(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (_, package) in members(root.get("packages")) {
        let mut fields = items(Some(package));
        let resolution =
            fields.next().and_then(Value::as_str).ok_or("a package has no resolution")?;
        let registry = fields.next().and_then(Value::as_str).unwrap_or("");
        let name = without_version(resolution);
        let place = resolution.get(name.len() + 1..).unwrap_or("");
        let (_, from_place) = resolved(name, place);
        found.add(
            DependencyKind::Locked,
            name,
            if from_place.is_empty() { source(name, registry) } else { from_place },
        );
    }
    Ok(found)
}
