//! PHP: `composer.json` and `composer.lock`. What the platform itself brings (`php`, `ext-…`, `lib-…`) is not a package.

use document::Format;
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address, origin};
use super::structured::{items, members, object, string};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "composer.json" => Some(Manifest { label: "composer.json", read: read_manifest }),
        "composer.lock" => Some(Manifest { label: "composer.lock", read: read_lock }),
        _ => None,
    }
}

fn is_platform(name: &str) -> bool {
    !name.contains('/')
        && (name == "php"
            || ["php-", "ext-", "lib-", "composer"].iter().any(|it| name.starts_with(it)))
}

fn read_manifest(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (table, kind) in [("require", DependencyKind::Normal), ("require-dev", DependencyKind::Dev)]
    {
        for (name, _) in members(root.get(table)).filter(|(name, _)| !is_platform(name)) {
            found.add(kind, name.to_ascii_lowercase(), "");
        }
    }
    let repositories = root.get("repositories");
    for it in items(repositories).chain(members(repositories).map(|(_, it)| it)) {
        let url = string(it, "url").map_or_else(|| it.to_json(), address);
        found.add(DependencyKind::Source, url, string(it, "type").unwrap_or(""));
    }
    Ok(found)
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for list in ["packages", "packages-dev"] {
        for package in items(root.get(list)) {
            let name = string(package, "name").ok_or("a package has no name")?;
            // Both may be used to fetch it.
            let places = ["source", "dist"]
                .iter()
                .filter_map(|it| string(package.get(it)?, "url").map(origin));
            let source = places.collect::<Vec<String>>().join(", ");
            found.add(DependencyKind::Locked, name.to_ascii_lowercase(), source);
        }
    }
    Ok(found)
}
