//! Links as the simulation should see them: every path that passes through one leads to the place it means, and one
//! that must not be followed leads nowhere.

use std::collections::BTreeMap;

use check::Diagnostic;
use patch::{Code, Simulation};
use snapshot::{Entry, RelPath, Snapshot, UnreadReason};
use workspace::{LoadError, Loaded, Refusal};

type Entries = BTreeMap<RelPath, Entry>;

/// The snapshot with a link at every path that was resolved or refused because of one.
pub(crate) fn with_links(loaded: &Loaded) -> Result<Snapshot, LoadError> {
    if loaded.resolved.is_empty() && loaded.refused.is_empty() {
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
    for (path, refusal) in &loaded.refused {
        make_room(&mut entries, path);
        let entry = match refusal {
            Refusal::NotADirectory { file } => {
                let listed = Entry::Unread { size: 0, reason: UnreadReason::Listed };
                entries.entry(file.clone()).or_insert(listed);
                continue;
            }
            Refusal::TooLarge { size, .. } => {
                Entry::Unread { size: *size, reason: UnreadReason::TooLarge }
            }
            _ => Entry::Link { target: "/".to_owned() },
        };
        entries.insert(path.clone(), entry);
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

/// Says why a path was refused, in place of what the simulation can see of it.
pub(crate) fn explain(loaded: &Loaded, simulation: &mut Simulation) {
    if loaded.refused.is_empty() {
        return;
    }
    let refusal_of = |file: &str| loaded.refused.get(&RelPath::parse(file).ok()?);
    for failed in &mut simulation.failed {
        if let Some(code) = refusal_of(&failed.file).and_then(code) {
            failed.code = code;
        }
    }
    for diagnostic in &mut simulation.diagnostics {
        let Some(refusal) = refusal_of(&diagnostic.file) else { continue };
        let Some((subject, _)) = diagnostic.message.split_once(" cannot be applied: ") else {
            continue;
        };
        let path = &diagnostic.file;
        diagnostic.message =
            format!("{subject} cannot be applied: {path} is not touched, because {refusal}");
        if let Some(code) = code(refusal) {
            recode(diagnostic, code);
        }
    }
    check::assign_ids(&mut simulation.diagnostics);
}

/// The code that fits the refusal better than what the simulation sees.
fn code(refusal: &Refusal) -> Option<Code> {
    match refusal {
        Refusal::OutsideRoot | Refusal::Reserved => Some(Code::OutsideRoot),
        Refusal::LinkLoop | Refusal::DanglingLink => Some(Code::Link),
        Refusal::NotADirectory { .. } => Some(Code::NotADirectory),
        _ => None,
    }
}

/// Puts the code at the end of the rule's id, in place of the one that is there.
fn recode(diagnostic: &mut Diagnostic, new: Code) {
    let rule_id = &diagnostic.rule_id;
    let names = Code::ALL.iter().map(|it| it.name().to_ascii_uppercase());
    // `LINK` could be the end of a longer name, `NOT_A_LINK` say, so the longest that fits is the one.
    let contract =
        names.filter_map(|it| rule_id.strip_suffix(&format!("_{it}"))).min_by_key(|it| it.len());
    if let Some(contract) = contract {
        diagnostic.rule_id = format!("{contract}_{}", new.name().to_ascii_uppercase());
    }
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
