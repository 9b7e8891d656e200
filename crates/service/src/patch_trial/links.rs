//! Links as the simulation should see them: every path that passes through one leads to the place it means.

use std::collections::BTreeMap;

use snapshot::{Entry, RelPath, Snapshot};
use workspace::{LoadError, Loaded};

type Entries = BTreeMap<RelPath, Entry>;

/// The snapshot with a link at every path that passes through one.
pub(crate) fn with_links(loaded: &Loaded) -> Result<Snapshot, LoadError> {
    if loaded.resolved.is_empty() {
        return Ok(loaded.snapshot.clone());
    }
    let mut entries = loaded.snapshot.to_entries();
    let (present, absent): (Vec<_>, Vec<_>) =
        loaded.resolved.iter().partition(|(_, place)| entries.contains_key(*place));
    for (path, place) in present {
        make_room(&mut entries, path);
        entries.insert(path.clone(), Entry::Link { target: from_directory_of(path, place) });
    }
    for (path, _) in absent {
        name_link_above(&mut entries, path);
    }
    Ok(Snapshot::new(entries)?)
}

/// What was only listed above the path is a link to a directory, and nothing lies beneath it by its own name.
fn make_room(entries: &mut Entries, path: &RelPath) {
    for above in path.ancestors() {
        if is_no_directory(entries.get(&above)) {
            entries.remove(&above);
        }
    }
}

/// A new file cannot be made through a link; what was only listed above it is that link.
fn name_link_above(entries: &mut Entries, path: &RelPath) {
    for above in path.ancestors() {
        if is_no_directory(entries.get(&above)) {
            entries.insert(above, Entry::Link { target: ".".to_owned() });
        }
    }
}

fn is_no_directory(entry: Option<&Entry>) -> bool {
    matches!(entry, Some(Entry::Link { .. } | Entry::Unread { .. }))
}

/// The way from the directory that `path` lies in to `place`, which is how links are spelled.
fn from_directory_of(path: &RelPath, place: &RelPath) -> String {
    let depth = path.ancestors().count();
    format!("{}{place}", "../".repeat(depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_spelled_from_its_own_directory() {
        let path = |it: &str| RelPath::parse(it).unwrap();
        assert_eq!(from_directory_of(&path("a/b/c.yaml"), &path("d/e.yaml")), "../../d/e.yaml");
        assert_eq!(from_directory_of(&path("c.yaml"), &path("d.yaml")), "d.yaml");
    }
}
