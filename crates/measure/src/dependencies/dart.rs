//! Dart: `pubspec.yaml`, `pubspec_overrides.yaml` and `pubspec.lock`.

use document::{Format, Value};
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use super::structured::{members, object, string};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "pubspec.yaml" | "pubspec_overrides.yaml" => {
            Some(Manifest { label: "pubspec.yaml", read: read_manifest })
        }
        "pubspec.lock" => Some(Manifest { label: "pubspec.lock", read: read_lock }),
        _ => None,
    }
}

const TABLES: &[(&str, DependencyKind)] = &[
    ("dependencies", DependencyKind::Normal),
    ("dev_dependencies", DependencyKind::Dev),
    ("dependency_overrides", DependencyKind::Override),
];

fn read_manifest(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for (table, kind) in TABLES {
        for (name, it) in members(root.get(table)) {
            found.add(*kind, name, place(it));
        }
    }
    Ok(found)
}

fn place(value: &Value) -> String {
    let named = ["git", "path", "hosted", "sdk"].iter().filter_map(|member| {
        let it = value.get(member)?;
        let address_of = it.as_str().or_else(|| string(it, "url")).unwrap_or("");
        Some(format!("{member} {}", address(address_of)))
    });
    named.collect::<Vec<String>>().join(", ")
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for (name, package) in members(root.get("packages")) {
        let description = package.get("description");
        let place = description
            .and_then(|it| string(it, "url").or_else(|| string(it, "path")))
            .map(address);
        let place = place.filter(|it| it != "https://pub.dev" && it != "https://pub.dartlang.org");
        found.add(DependencyKind::Locked, name, place.unwrap_or_default());
    }
    Ok(found)
}
