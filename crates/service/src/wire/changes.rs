//! What a change does to each file, as diffs that people and programs read.

use std::collections::BTreeSet;

use edit::{FileDiff, FileMode, unified};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::failure::Failure;

/// What happens to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileChangeKind {
    /// It comes into being.
    Added,
    /// It goes away.
    Deleted,
    /// It gets new contents, another path, or both.
    Edited,
}

/// What happens to one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// What happens.
    pub kind: FileChangeKind,
    /// Its path before, or its only one.
    pub file: String,
    /// Its path after, if that is another.
    pub new_file: Option<String>,
    /// The unified diff; empty if none was asked for.
    pub diff: Vec<u8>,
}

/// The changes by path, without their diffs.
pub(crate) fn list_changes(change: &TreeChange) -> Vec<FileChange> {
    let plain = |kind, path: &RelPath| {
        let new_file = change.renames().get(path).map(|it| it.to.to_string());
        FileChange { kind, file: path.to_string(), new_file, diff: Vec::new() }
    };
    let kept: BTreeSet<&RelPath> = change.edits().keys().chain(change.renames().keys()).collect();
    let edited = kept.into_iter().map(|it| plain(FileChangeKind::Edited, it));
    // A path that is renamed away may be taken by a new file.
    let added = change
        .adds()
        .keys()
        .map(|it| FileChange { new_file: None, ..plain(FileChangeKind::Added, it) });
    let deleted = change.deletes().keys().map(|it| plain(FileChangeKind::Deleted, it));
    let mut changes: Vec<FileChange> = edited.chain(added).chain(deleted).collect();
    changes.sort_by(|left, right| left.file.cmp(&right.file));
    changes
}

/// The changes by path, with their diffs.
pub(crate) fn file_changes(
    before: &Snapshot,
    change: &TreeChange,
) -> Result<Vec<FileChange>, Failure> {
    let mut changes = Vec::new();
    for path in change
        .edits()
        .keys()
        .chain(change.renames().keys().filter(|it| !change.edits().contains_key(*it)))
    {
        changes.push(edited(before, change, path)?);
    }
    for (path, added) in change.adds() {
        let diff =
            FileDiff::Added { path: path.as_str(), mode: file_mode(added.mode), text: &added.text };
        changes.push(file_change(FileChangeKind::Added, path, None, &diff)?);
    }
    for path in change.deletes().keys() {
        let file = file_of(before, path)?;
        let diff = FileDiff::Deleted {
            path: path.as_str(),
            mode: file_mode(file.mode),
            text: &file.text(),
        };
        changes.push(file_change(FileChangeKind::Deleted, path, None, &diff)?);
    }
    changes.sort_by(|left, right| left.file.cmp(&right.file));
    Ok(changes)
}

fn edited(before: &Snapshot, change: &TreeChange, path: &RelPath) -> Result<FileChange, Failure> {
    let file = file_of(before, path)?;
    let mode = file_mode(file.mode);
    let nothing;
    let edits = match change.edits().get(path) {
        Some(edits) => edits,
        None => {
            nothing = edit::EditSet::new(&file.text(), Vec::new())
                .map_err(|source| not_shown(path, source))?;
            &nothing
        }
    };
    let renamed = change.renames().get(path).map(|it| &it.to);
    let new_path = renamed.unwrap_or(path);
    let diff = FileDiff::Changed {
        old: (path.as_str(), mode),
        new: (new_path.as_str(), mode),
        text: &file.text(),
        edits,
    };
    file_change(FileChangeKind::Edited, path, renamed, &diff)
}

fn file_change(
    kind: FileChangeKind,
    path: &RelPath,
    renamed: Option<&RelPath>,
    diff: &FileDiff<'_>,
) -> Result<FileChange, Failure> {
    let diff = unified(diff).map_err(|source| not_shown(path, source))?;
    Ok(FileChange {
        kind,
        file: path.to_string(),
        new_file: renamed.map(ToString::to_string),
        diff,
    })
}

fn file_of<'a>(before: &'a Snapshot, path: &RelPath) -> Result<&'a snapshot::File, Failure> {
    before.file(path).ok_or_else(|| snapshot::ApplyError::Missing { path: path.clone() }.into())
}

fn not_shown(path: &RelPath, source: edit::EditError) -> Failure {
    Failure::Diff { path: path.to_string(), source }
}

fn file_mode(mode: u32) -> FileMode {
    if mode & 0o100 == 0 { FileMode::Regular } else { FileMode::Executable }
}
