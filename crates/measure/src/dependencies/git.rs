//! Submodules: `.gitmodules`.

use snapshot::RelPath;

use super::Manifest;
use super::ini;
use super::set::{Dependencies, DependencyKind, address};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    (name == ".gitmodules").then_some(Manifest { label: ".gitmodules", read })
}

fn read(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for entry in ini::indented_entries(text)?.iter().filter(|it| it.key == "url") {
        found.add(DependencyKind::Normal, entry.section.clone(), address(&entry.value));
    }
    Ok(found)
}
