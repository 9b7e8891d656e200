//! The change set between two full snapshots.
//!
//! A rename is a guess from contents: a regular file that went and one that came, with equal bytes or with at least
//! 60 % of the lines of the larger in common. Equal bytes are paired first, then the most alike; ties go to the same
//! file name, then to the order of paths, so that the same snapshots always give the same pairs. Empty files are never
//! paired, since they say nothing.

use std::collections::{BTreeMap, BTreeSet};

use edit::{ContentHash, Text};
use snapshot::{Entry, RelPath, Snapshot, UnreadReason};

use super::similarity::{Interner, can_reach, percent};
use super::{ChangeKind, LinkChange, PathChange};

/// How alike two files must be to be one that was renamed, in percent of the lines of the larger.
const RENAME_PERCENT: usize = 60;
/// Bytes of files that went or came beyond which only equal files are paired.
const MAX_COMPARED_BYTES: usize = 32 << 20;
/// Lines looked at beyond which no more pairs are compared.
const MAX_COMPARED_LINES: usize = 20_000_000;
/// Pairs that are alike beyond which none is kept.
const MAX_CANDIDATES: usize = 100_000;

/// Everything that differs from `before` to `after`, in the order of paths. Both must be snapshots of the whole tree: what
/// is not in one is taken to be absent. A file that was too large to be read counts as changed if its size differs.
pub fn changes(before: &Snapshot, after: &Snapshot) -> Vec<PathChange> {
    let mut found = Vec::new();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let paths: BTreeSet<&RelPath> =
        before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    for path in paths {
        let (old, new) = (standing(before, path), standing(after, path));
        match (old, new) {
            (Some(Entry::File(_)), None) => gone.push(path.clone()),
            (None, Some(Entry::File(_))) => come.push(path.clone()),
            _ => {
                let kind = changed(old, new);
                found.extend(kind.map(|kind| PathChange { path: path.clone(), kind }));
            }
        }
    }
    for path in empty_directories(after).into_iter().filter(|path| !before.is_directory(path)) {
        found.push(PathChange { path, kind: ChangeKind::DirectoryMade });
    }
    for path in empty_directories(before).into_iter().filter(|path| !after.is_directory(path)) {
        found.push(PathChange { path, kind: ChangeKind::DirectoryRemoved });
    }
    for (from, to) in pair(before, after, &mut gone, &mut come).pairs {
        found.push(PathChange { path: to, kind: ChangeKind::Rename { from } });
    }
    found.extend(gone.into_iter().map(|path| PathChange { path, kind: ChangeKind::Delete }));
    found.extend(come.into_iter().map(|path| PathChange { path, kind: ChangeKind::Create }));
    found.sort();
    found
}

/// Whether so much went and came that not all of it was compared, so that renames may have been missed.
pub(super) fn renames_may_be_missed(
    changes: &[PathChange],
    before: &Snapshot,
    after: &Snapshot,
) -> bool {
    let of_kind = |kind: &ChangeKind| -> Vec<RelPath> {
        changes.iter().filter(|it| it.kind == *kind).map(|it| it.path.clone()).collect()
    };
    let mut gone = of_kind(&ChangeKind::Delete);
    gone.retain(|path| before.file(path).is_some());
    let mut come = of_kind(&ChangeKind::Create);
    come.retain(|path| after.file(path).is_some());
    !pair(before, after, &mut gone, &mut come).is_complete
}

/// What stands at the path, directories left out.
fn standing<'a>(snapshot: &'a Snapshot, path: &RelPath) -> Option<&'a Entry> {
    snapshot.get(path).filter(|entry| **entry != Entry::Directory)
}

/// The directories without anything beneath them.
fn empty_directories(snapshot: &Snapshot) -> BTreeSet<RelPath> {
    let mut holding = BTreeSet::new();
    for (path, _) in snapshot.iter() {
        for directory in path.ancestors() {
            if !holding.insert(directory) {
                break; // Those above a known one are known too.
            }
        }
    }
    let directories = snapshot.iter().filter(|(_, entry)| **entry == Entry::Directory);
    directories.map(|(path, _)| path.clone()).filter(|path| !holding.contains(path)).collect()
}

fn is_special(entry: Option<&Entry>) -> bool {
    matches!(entry, Some(Entry::Unread { reason: UnreadReason::Special, .. }))
}

fn changed(old: Option<&Entry>, new: Option<&Entry>) -> Option<ChangeKind> {
    if is_special(old) || is_special(new) {
        return (is_special(old) != is_special(new)).then_some(ChangeKind::Special);
    }
    match (old, new) {
        (None, None) => None,
        (Some(_), None) => Some(ChangeKind::Delete),
        (None, Some(Entry::Link { .. })) => Some(ChangeKind::Link(LinkChange::Created)),
        (None, Some(_)) => Some(ChangeKind::Create),
        (Some(Entry::Link { target: old }), Some(Entry::Link { target: new })) => {
            (old != new).then_some(ChangeKind::Link(LinkChange::Retargeted))
        }
        (Some(Entry::Link { .. }), Some(_)) => Some(ChangeKind::Link(LinkChange::ToFile)),
        (Some(_), Some(Entry::Link { .. })) => Some(ChangeKind::Link(LinkChange::FromFile)),
        (Some(Entry::File(old)), Some(Entry::File(new))) => {
            if old.hash() != new.hash() {
                Some(ChangeKind::Modify)
            } else {
                (old.mode != new.mode).then_some(ChangeKind::Mode)
            }
        }
        (Some(Entry::Unread { size: old, .. }), Some(Entry::Unread { size: new, .. })) => {
            (old != new).then_some(ChangeKind::Modify)
        }
        _ => Some(ChangeKind::Modify),
    }
}

struct Pairing {
    pairs: Vec<(RelPath, RelPath)>,
    is_complete: bool,
}

/// Takes the pairs out of both lists, which are in the order of paths.
fn pair(
    before: &Snapshot,
    after: &Snapshot,
    gone: &mut Vec<RelPath>,
    come: &mut Vec<RelPath>,
) -> Pairing {
    let mut pairs = pair_equal(before, after, gone, come);
    let (alike, is_complete) = candidates(before, after, gone, come);
    let (mut taken, mut filled) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, from, to) in alike {
        if !taken.contains(&from) && !filled.contains(&to) {
            taken.insert(from.clone());
            filled.insert(to.clone());
            pairs.push((from, to));
        }
    }
    gone.retain(|path| !taken.contains(path));
    come.retain(|path| !filled.contains(path));
    Pairing { pairs, is_complete }
}

fn pair_equal(
    before: &Snapshot,
    after: &Snapshot,
    gone: &mut Vec<RelPath>,
    come: &mut Vec<RelPath>,
) -> Vec<(RelPath, RelPath)> {
    let mut by_hash: BTreeMap<[u8; 32], (Vec<RelPath>, Vec<RelPath>)> = BTreeMap::new();
    for path in gone.iter() {
        if let Some(hash) = content(before, path) {
            by_hash.entry(*hash.as_bytes()).or_default().0.push(path.clone());
        }
    }
    for path in come.iter() {
        if let Some(hash) = content(after, path) {
            by_hash.entry(*hash.as_bytes()).or_default().1.push(path.clone());
        }
    }
    let mut pairs = Vec::new();
    for (froms, mut tos) in by_hash.into_values() {
        let mut left = Vec::new();
        for from in froms {
            match tos.iter().position(|to| to.file_name() == from.file_name()) {
                Some(at) => pairs.push((from, tos.remove(at))),
                None => left.push(from),
            }
        }
        pairs.extend(left.into_iter().zip(tos));
    }
    let froms: BTreeSet<&RelPath> = pairs.iter().map(|(from, _)| from).collect();
    let tos: BTreeSet<&RelPath> = pairs.iter().map(|(_, to)| to).collect();
    gone.retain(|path| !froms.contains(path));
    come.retain(|path| !tos.contains(path));
    pairs
}

/// The hash of a file that is not empty.
fn content(snapshot: &Snapshot, path: &RelPath) -> Option<ContentHash> {
    snapshot.file(path).filter(|it| !it.text().is_empty()).map(|it| it.hash())
}

/// Pairs that are alike enough, the most alike first, and whether all were compared.
type Candidates = (Vec<(std::cmp::Reverse<usize>, bool, RelPath, RelPath)>, bool);

fn candidates<'a>(
    before: &Snapshot,
    after: &Snapshot,
    gone: &'a [RelPath],
    come: &'a [RelPath],
) -> Candidates {
    let bytes_of = |snapshot: &Snapshot, paths: &[RelPath]| -> usize {
        paths.iter().filter_map(|path| snapshot.file(path)).map(|it| it.text().len()).sum()
    };
    if gone.is_empty() || come.is_empty() {
        return (Vec::new(), true);
    }
    if bytes_of(before, gone) + bytes_of(after, come) > MAX_COMPARED_BYTES {
        return (Vec::new(), false);
    }
    let texts = |snapshot: &Snapshot, paths: &'a [RelPath]| -> Vec<(&'a RelPath, Text)> {
        paths.iter().filter_map(|path| Some((path, snapshot.file(path)?.text()))).collect()
    };
    let (old_texts, new_texts) = (texts(before, gone), texts(after, come));
    let mut interner = Interner::default();
    let olds: Vec<(&RelPath, Vec<u32>)> =
        old_texts.iter().map(|(path, text)| (*path, interner.lines(text.bytes()))).collect();
    let news: Vec<(&RelPath, Vec<u32>)> =
        new_texts.iter().map(|(path, text)| (*path, interner.lines(text.bytes()))).collect();
    let (mut alike, mut n_lines) = (Vec::new(), 0usize);
    for (from, old) in &olds {
        for (to, new) in &news {
            n_lines += 1;
            if can_reach(old.len(), new.len(), RENAME_PERCENT) {
                n_lines += old.len() + new.len();
                let score = percent(old, new);
                if score >= RENAME_PERCENT {
                    let has_other_name = from.file_name() != to.file_name();
                    alike.push((
                        std::cmp::Reverse(score),
                        has_other_name,
                        (*from).clone(),
                        (*to).clone(),
                    ));
                }
            }
            if n_lines > MAX_COMPARED_LINES || alike.len() > MAX_CANDIDATES {
                return (Vec::new(), false);
            }
        }
    }
    alike.sort();
    (alike, true)
}
