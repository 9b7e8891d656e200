//! Files that changesets name by the uid that stands in them: a pack says at which pointer.
//!
//! Uids of the file index and those made of paths are known without reading a file. Only for one that is neither is the
//! tree read and the packs asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use document::Format;
use pack::Pack;
use patch::Patch;
use patch::v1::{Changeset, ChangesetOpKind};
use rayon::prelude::*;
use snapshot::{FileIndex, RelPath};

use crate::failure::Failure;
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::steadily;
use crate::setup;
use crate::setup::{ScannedTree, Setup, TreeOverlay};

/// The index with the files that the patch names by a uid that stands in them, and those uids.
pub(crate) fn with_declared(
    session: &Session,
    patch: &Patch,
    index: &FileIndex,
) -> Result<(FileIndex, BTreeSet<String>), Failure> {
    let mut index = index.clone();
    let wanted = match patch {
        Patch::Changeset(changeset) => unknown(changeset, &index),
        _ => BTreeSet::new(),
    };
    if wanted.is_empty() {
        return Ok((index, wanted));
    }
    let found = pool::work(None, || {
        steadily(|attempt| {
            let (setup, tree) = setup::load(session, &TreeOverlay::new(), true, attempt)?;
            Ok(find(&setup, &tree, &wanted))
        })
    })?;
    let mut declared = BTreeSet::new();
    for (uid, paths) in found {
        if let [first, second, ..] = paths.as_slice() {
            let (first, second) = (first.to_string(), second.to_string());
            return Err(Failure::TwoFiles { uid, first, second });
        }
        // A file that has another uid in the index has this one in its text, which comes first.
        for path in paths {
            index.remove(&path);
            if index.insert(&uid, &path).is_ok() {
                declared.insert(uid.clone());
            }
        }
    }
    Ok((index, declared))
}

/// The index that is stored after a change: what stands in the files themselves is not in it.
pub(crate) fn without_declared(index: &FileIndex, declared: &BTreeSet<String>) -> FileIndex {
    let mut stored = index.clone();
    for (_, path) in index.iter().filter(|(uid, _)| declared.contains(*uid)) {
        stored.remove(path);
    }
    stored
}

/// The uids that no index knows and that the changeset does not make itself.
fn unknown(changeset: &Changeset, index: &FileIndex) -> BTreeSet<String> {
    let is_made = |kind: &ChangesetOpKind| matches!(kind, ChangesetOpKind::AddFile { .. });
    let made = changeset.ops.iter().filter(|it| is_made(&it.kind));
    let made: BTreeSet<&str> = made.map(|it| it.file_uid.as_str()).collect();
    let named = changeset.ops.iter().map(|it| it.file_uid.as_str());
    let is_unknown = |it: &&str| !made.contains(it) && index.path_of(it).is_none();
    named.filter(is_unknown).map(str::to_owned).collect()
}

/// The files that have one of the uids, by uid and in the order of their paths.
fn find(
    setup: &Setup,
    tree: &ScannedTree,
    wanted: &BTreeSet<String>,
) -> BTreeMap<String, Vec<RelPath>> {
    let is_document = |path: &RelPath| Format::of_path(path.as_str()).is_some();
    let files: Vec<_> = tree.snapshot.files_at(is_document).collect();
    let uid_of = |(path, file): &(&RelPath, &snapshot::File)| -> Option<String> {
        let format = Format::of_path(path.as_str())?;
        setup.packs.iter().find(|it| it.may_concern(path.as_str()))?;
        let parsed = setup.parses.of(file, format);
        let value = parsed.document().ok()?.value();
        setup.packs.iter().find_map(|pack: &Arc<Pack>| pack.uid_of(path.as_str(), &value))
    };
    let uids: Vec<Option<String>> = files.par_iter().map(uid_of).collect();
    let mut found: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
    for ((path, _), uid) in files.into_iter().zip(uids) {
        if let Some(uid) = uid.filter(|it| wanted.contains(it)) {
            found.entry(uid).or_default().push(path.clone());
        }
    }
    found
}
