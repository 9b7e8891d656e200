//! From a tree and a change to the next tree, and back: `apply`, `diff`, `invert`, `compose`.
//!
//! The laws: `a.apply(diff(a, b))` has the files of `b`; `c.invert(a)` takes `a.apply(c)` back to `a`;
//! `c.compose(a, d)` does to `a` what `c` and then `d` do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use edit::{ContentHash, EditError};

use crate::change::{NewFile, Rename, TreeChange};
use crate::file::File;
use crate::path::RelPath;
use crate::tree::{Entry, Slot, Snapshot};

/// Why a change cannot be made to a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// There is nothing at a path that must hold a file.
    #[error("{path} does not exist")]
    Missing {
        /// The path.
        path: RelPath,
    },
    /// There is something else than a readable file at a path that must hold one.
    #[error("{path} is not a regular file that was read")]
    NotAFile {
        /// The path.
        path: RelPath,
    },
    /// A file does not hold what the change was made for (AE-9).
    #[error("{path} changed: the change was made for {expected}, the file is {found}")]
    Stale {
        /// The file.
        path: RelPath,
        /// The hash that the change was made for.
        expected: ContentHash,
        /// The hash of the file.
        found: ContentHash,
    },
    /// A new path is taken (CS-35, CS-39).
    #[error("{path} already exists")]
    Exists {
        /// The path.
        path: RelPath,
    },
    /// A new path differs from another only in case (CS-35).
    #[error("{path} differs from {with} only in case")]
    CaseCollision {
        /// The new path.
        path: RelPath,
        /// The path that it collides with.
        with: RelPath,
    },
    /// A new path lies beneath a file.
    #[error("{path} cannot be created, because {file} is not a directory")]
    NotADirectory {
        /// The new path.
        path: RelPath,
        /// The file above it.
        file: RelPath,
    },
    /// A file cannot be edited.
    #[error("{path} cannot be edited: {source}")]
    Edit {
        /// The file.
        path: RelPath,
        /// Why.
        source: EditError,
    },
}

impl Snapshot {
    /// The tree after the change. Every hash in the change is a precondition; directories and what was not read
    /// stay as they are.
    pub fn apply(&self, change: &TreeChange) -> Result<Snapshot, ApplyError> {
        let mut slots = (*self.slots).clone();
        let mut arrivals = BTreeMap::new();
        for (path, base) in change.deletes() {
            expect_file(self, path, *base)?;
            slots.remove(path);
        }
        for (path, edits) in change.edits() {
            let file = expect_file(self, path, edits.base())?;
            let text = edits
                .apply(&file.text())
                .map_err(|source| ApplyError::Edit { path: path.clone(), source })?;
            slots.insert(path.clone(), Slot::known(Entry::File(File::new(text, file.mode))));
        }
        // All sources leave before the first target arrives, so that files may swap their paths.
        for (path, rename) in change.renames() {
            expect_file(self, path, rename.base)?;
            let moved = slots.remove(path).expect("the file was found above and is not deleted");
            arrivals.insert(rename.to.clone(), moved);
        }
        for (path, file) in change.adds() {
            let file = File::new(file.text.clone(), file.mode);
            arrivals.insert(path.clone(), Slot::known(Entry::File(file)));
        }
        let cleared = Snapshot::of_slots(slots).expect("no entry came in");
        if arrivals.is_empty() {
            return Ok(cleared);
        }
        expect_free(&cleared, arrivals.keys())?;
        let mut slots = Arc::unwrap_or_clone(cleared.slots);
        slots.extend(arrivals);
        Snapshot::of_slots(slots)
            .map_err(|error| ApplyError::NotADirectory { path: error.beneath, file: error.file })
    }
}

fn expect_file<'a>(
    tree: &'a Snapshot,
    path: &RelPath,
    base: ContentHash,
) -> Result<&'a File, ApplyError> {
    match tree.get(path) {
        None if tree.is_directory(path) => Err(ApplyError::NotAFile { path: path.clone() }),
        None => Err(ApplyError::Missing { path: path.clone() }),
        Some(Entry::File(file)) if file.hash() == base => Ok(file),
        Some(Entry::File(file)) => {
            Err(ApplyError::Stale { path: path.clone(), expected: base, found: file.hash() })
        }
        Some(_) => Err(ApplyError::NotAFile { path: path.clone() }),
    }
}

fn expect_free<'a>(
    tree: &Snapshot,
    targets: impl Iterator<Item = &'a RelPath> + Clone,
) -> Result<(), ApplyError> {
    let among_targets =
        Snapshot::new(targets.clone().map(|path| (path.clone(), Entry::Directory)).collect())
            .expect("directories may have anything beneath them");
    for path in targets {
        if tree.has(path) || tree.is_directory(path) {
            return Err(ApplyError::Exists { path: path.clone() });
        }
        if let Some(file) = tree.blocking_ancestor(path) {
            return Err(ApplyError::NotADirectory { path: path.clone(), file });
        }
        if let Some(with) = tree.case_collision(path).or_else(|| among_targets.case_twin(path)) {
            return Err(ApplyError::CaseCollision { path: path.clone(), with: with.clone() });
        }
    }
    Ok(())
}

/// The change that gives `before` the files of `after`. A file that keeps its bytes and mode under another path is a
/// rename; one that changes its mode is deleted and added. Links and what was not read are not compared.
pub fn diff(before: &Snapshot, after: &Snapshot) -> TreeChange {
    let mut change = TreeChange::default();
    let mut leaving: BTreeMap<(ContentHash, u32), BTreeSet<&RelPath>> = BTreeMap::new();
    let mut arriving: Vec<(&RelPath, &File)> = Vec::new();
    let differing = after.differs_at(before);
    for path in &differing {
        let (old, new) = match (before.file(path), after.file(path)) {
            (None, None) => continue,
            (None, Some(new)) => {
                arriving.push((path, new));
                continue;
            }
            (Some(old), new) => (old, new),
        };
        match new {
            Some(new) if new == old => continue,
            Some(new) => {
                let (old_text, new_text) = (old.text(), new.text());
                // A text beyond what offsets can reach is replaced as a whole, like one with another mode.
                if let Some(edits) =
                    edit::diff(&old_text, &new_text).ok().filter(|_| new.mode == old.mode)
                {
                    change.edits.insert(path.clone(), edits);
                    continue;
                }
                change.adds.insert(path.clone(), NewFile { text: new_text, mode: new.mode });
            }
            None => {
                leaving.entry((old.hash(), old.mode)).or_default().insert(path);
            }
        }
        change.deletes.insert(path.clone(), old.hash());
    }
    for (path, new) in arriving {
        let base = new.hash();
        match leaving.get_mut(&(base, new.mode)).and_then(BTreeSet::pop_first) {
            Some(from) => {
                change.deletes.remove(from);
                change.renames.insert(from.clone(), Rename { to: path.clone(), base });
            }
            None => {
                change.adds.insert(path.clone(), NewFile { text: new.text(), mode: new.mode });
            }
        }
    }
    change
}

impl TreeChange {
    /// The change that undoes this one, made to the tree `before`.
    pub fn invert(&self, before: &Snapshot) -> Result<TreeChange, ApplyError> {
        let after = before.apply(self)?;
        let present = |tree: &Snapshot, path: &RelPath| -> File {
            tree.file(path).expect("`apply` succeeded, so the file is there").clone()
        };
        let mut inverse = TreeChange::default();
        for (path, edits) in &self.edits {
            let moved = self.moved(path).expect("an edited file is not deleted");
            let (_, undone) = edits
                .invert(&present(before, path).text())
                .map_err(|source| failed(path, source))?;
            inverse.edits.insert(moved.clone(), undone);
        }
        for (path, file) in &self.adds {
            inverse.deletes.insert(path.clone(), file.text.hash());
        }
        for path in self.deletes.keys() {
            let file = present(before, path);
            inverse.adds.insert(path.clone(), NewFile { text: file.text(), mode: file.mode });
        }
        for (path, rename) in &self.renames {
            let base = present(&after, &rename.to).hash();
            inverse.renames.insert(rename.to.clone(), Rename { to: path.clone(), base });
        }
        Ok(inverse)
    }

    /// This change, made to the tree `before`, and then `next`, as one change.
    pub fn compose(&self, before: &Snapshot, next: &TreeChange) -> Result<TreeChange, ApplyError> {
        let after = before.apply(self)?.apply(next)?;
        let (first_origins, next_origins) = (self.origins(), next.origins());
        let mut composed = TreeChange::default();
        let mut kept = BTreeSet::new();
        let named: BTreeSet<RelPath> = self.paths().into_iter().chain(next.paths()).collect();
        for (path, file) in named.iter().filter_map(|path| Some((path, after.file(path)?))) {
            let middle = origin_of(&next_origins, path);
            let origin = middle.and_then(|middle| {
                let origin = origin_of(&first_origins, middle)?;
                Some((middle, origin, before.file(origin)?))
            });
            let Some((middle, origin, old)) = origin else {
                composed.adds.insert(path.clone(), NewFile { text: file.text(), mode: file.mode });
                continue;
            };
            kept.insert(origin.clone());
            if origin != path {
                composed
                    .renames
                    .insert(origin.clone(), Rename { to: path.clone(), base: old.hash() });
            }
            let edits = match (self.edits.get(origin), next.edits.get(middle)) {
                (Some(first), Some(second)) => {
                    first.compose(&old.text(), second).map_err(|source| failed(origin, source))?
                }
                (Some(edits), None) | (None, Some(edits)) => edits.clone(),
                (None, None) => continue,
            };
            if old.hash() != file.hash() {
                composed.edits.insert(origin.clone(), edits);
            }
        }
        for (path, old) in named.iter().filter_map(|path| Some((path, before.file(path)?))) {
            if kept.contains(path) {
                continue;
            }
            // Deleted by one and brought back by the other: what is left is an edit, or nothing.
            if let Some(new) = after.file(path).filter(|new| new.mode == old.mode)
                && composed.adds.contains_key(path)
            {
                if old.hash() != new.hash() {
                    let edits = edit::diff(&old.text(), &new.text())
                        .map_err(|source| failed(path, source))?;
                    composed.edits.insert(path.clone(), edits);
                }
                composed.adds.remove(path);
                continue;
            }
            composed.deletes.insert(path.clone(), old.hash());
        }
        Ok(composed)
    }

    /// For every path that the change fills or empties: where its file stood before, if it stood anywhere.
    fn origins(&self) -> BTreeMap<&RelPath, Option<&RelPath>> {
        let emptied = self.deletes.keys().chain(self.renames.keys()).map(|path| (path, None));
        let added = self.adds.keys().map(|path| (path, None));
        let renamed = self.renames.iter().map(|(path, rename)| (&rename.to, Some(path)));
        emptied.chain(added).chain(renamed).collect()
    }
}

fn origin_of<'a>(
    origins: &BTreeMap<&'a RelPath, Option<&'a RelPath>>,
    path: &'a RelPath,
) -> Option<&'a RelPath> {
    origins.get(path).copied().unwrap_or(Some(path))
}

fn failed(path: &RelPath, source: EditError) -> ApplyError {
    ApplyError::Edit { path: path.clone(), source }
}
