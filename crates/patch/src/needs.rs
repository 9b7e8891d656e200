//! Which files a simulation will look at, so that a caller can load them and nothing else.

use std::collections::BTreeSet;

use snapshot::{FileIndex, RelPath};

use crate::kind::Patch;
use crate::v1::{Changeset, ChangesetOpKind};

/// Every path that the simulation of the patch asks for: files to change and paths that must be free. Links among
/// them lead to files that are needed too (see [`crate::resolve_links`]).
pub fn needs(patch: &Patch, index: &FileIndex) -> Vec<RelPath> {
    let paths: BTreeSet<RelPath> = match patch {
        Patch::FixActions(document) => {
            let ops = document.fix_actions.iter().flat_map(|action| &action.ops);
            ops.map(|op| document.resolve(&op.file)).collect()
        }
        Patch::Changeset(changeset) => of_changeset(changeset, index),
        Patch::Edits(document) => document.paths().cloned().collect(),
        Patch::Repairs(repairs) => repairs.paths().cloned().collect(),
        Patch::JsonPatch(patch) => patch.file.iter().cloned().collect(),
        Patch::Fixes(fixes) => fixes.paths().cloned().collect(),
        Patch::Foreign(foreign) => foreign.paths(index),
    };
    paths.into_iter().collect()
}

/// Whether the patch names the state of the whole workspace that it was made for (CS-65), so that the hash of a part
/// of it says nothing.
pub fn needs_whole_tree(patch: &Patch) -> bool {
    matches!(patch, Patch::Changeset(changeset) if changeset.base.is_some())
}

fn of_changeset(changeset: &Changeset, index: &FileIndex) -> BTreeSet<RelPath> {
    let mut paths = BTreeSet::new();
    for op in &changeset.ops {
        paths.extend(index.path_of(&op.file_uid));
        match &op.kind {
            ChangesetOpKind::AddFile { path, .. } => paths.insert(path.clone()),
            ChangesetOpKind::RenameFile { new_path } => paths.insert(new_path.clone()),
            _ => false,
        };
    }
    paths
}
