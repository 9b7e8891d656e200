//! What changes from one tree to the next, bound to the contents it was made for.
//!
//! Every edit, delete and rename carries the hash of the text it expects (AE-9). A path that goes away, because it
//! is deleted or renamed, may be taken again by an add or by another rename in the same change; that is what
//! makes changes closed under `invert` and `compose`, swaps included.

use std::collections::{BTreeMap, BTreeSet};

use edit::{ContentHash, EditSet, Text};

use crate::path::RelPath;

/// A file that comes into being.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFile {
    /// Its bytes.
    pub text: Text,
    /// Its permission bits.
    pub mode: u32,
}

/// Where a file goes, and what it holds before any edit of the same change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rename {
    /// The new path.
    pub to: RelPath,
    /// The hash of the file's bytes before the change.
    pub base: ContentHash,
}

/// Why edits, adds, deletes and renames do not make one change.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A file is deleted and also edited or renamed.
    #[error("{path} is deleted, so it cannot be edited or renamed in the same change")]
    DeletedAndKept {
        /// The file.
        path: RelPath,
    },
    /// Two new or renamed files want one path, or one wants the path of a file that stays.
    #[error("{path} is the target of two operations of the same change")]
    TargetTaken {
        /// The path.
        path: RelPath,
    },
    /// A target lies beneath another target.
    #[error("{file} becomes a file, so {beneath} cannot lie beneath it")]
    TargetBeneathTarget {
        /// The target that becomes a file.
        file: RelPath,
        /// The target beneath it.
        beneath: RelPath,
    },
    /// A file is renamed to the path it has.
    #[error("{path} is renamed to itself")]
    RenamedToItself {
        /// The file.
        path: RelPath,
    },
    /// The edits and the rename of a file expect different contents.
    #[error("the edits and the rename of {path} were made for different contents")]
    BasesDiffer {
        /// The file.
        path: RelPath,
    },
}

/// A change of a tree. Edits are keyed by the path before any rename. No deleted file is edited or renamed, every
/// target (an added path or the new path of a rename) is wanted once, and a target that is also the path of a
/// present file is one that the same change deletes or renames away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeChange {
    pub(crate) edits: BTreeMap<RelPath, EditSet>,
    pub(crate) adds: BTreeMap<RelPath, NewFile>,
    pub(crate) deletes: BTreeMap<RelPath, ContentHash>,
    pub(crate) renames: BTreeMap<RelPath, Rename>,
}

impl TreeChange {
    /// Takes the parts, drops edits that edit nothing, and fails on the first two parts that exclude each other.
    pub fn new(
        mut edits: BTreeMap<RelPath, EditSet>,
        adds: BTreeMap<RelPath, NewFile>,
        deletes: BTreeMap<RelPath, ContentHash>,
        renames: BTreeMap<RelPath, Rename>,
    ) -> Result<TreeChange, ChangeError> {
        edits.retain(|_, edits| !edits.is_empty());
        if let Some(path) =
            deletes.keys().find(|path| edits.contains_key(*path) || renames.contains_key(*path))
        {
            return Err(ChangeError::DeletedAndKept { path: path.clone() });
        }
        for (path, rename) in &renames {
            if *path == rename.to {
                return Err(ChangeError::RenamedToItself { path: path.clone() });
            }
            if edits.get(path).is_some_and(|edits| edits.base() != rename.base) {
                return Err(ChangeError::BasesDiffer { path: path.clone() });
            }
        }
        let mut targets = BTreeSet::new();
        for path in adds.keys().chain(renames.values().map(|rename| &rename.to)) {
            let stays = edits.contains_key(path) && !renames.contains_key(path);
            if stays || !targets.insert(path) {
                return Err(ChangeError::TargetTaken { path: path.clone() });
            }
        }
        for beneath in &targets {
            if let Some(file) = beneath.ancestors().find(|it| targets.contains(it)) {
                return Err(ChangeError::TargetBeneathTarget { file, beneath: (*beneath).clone() });
            }
        }
        Ok(TreeChange { edits, adds, deletes, renames })
    }

    /// The edits, by the path before any rename. None of them is empty.
    pub fn edits(&self) -> &BTreeMap<RelPath, EditSet> {
        &self.edits
    }

    /// The files that come into being.
    pub fn adds(&self) -> &BTreeMap<RelPath, NewFile> {
        &self.adds
    }

    /// The files that go away, with the hash of what they hold.
    pub fn deletes(&self) -> &BTreeMap<RelPath, ContentHash> {
        &self.deletes
    }

    /// The files that get another path, by the path before.
    pub fn renames(&self) -> &BTreeMap<RelPath, Rename> {
        &self.renames
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
            && self.adds.is_empty()
            && self.deletes.is_empty()
            && self.renames.is_empty()
    }

    /// Every path that the change names, old and new, in order.
    pub fn paths(&self) -> BTreeSet<RelPath> {
        self.sources().chain(self.targets()).cloned().collect()
    }

    /// The paths that must hold a file before the change.
    pub fn sources(&self) -> impl Iterator<Item = &RelPath> {
        let renamed = self.renames.keys().filter(|path| !self.edits.contains_key(*path));
        self.edits.keys().chain(self.deletes.keys()).chain(renamed)
    }

    /// The paths that must be free before the change, or be freed by it.
    pub fn targets(&self) -> impl Iterator<Item = &RelPath> {
        self.adds.keys().chain(self.renames.values().map(|rename| &rename.to))
    }

    /// The path after the change of a file that stands at `path` before it; `None` if it is deleted.
    pub fn moved<'a>(&'a self, path: &'a RelPath) -> Option<&'a RelPath> {
        match self.renames.get(path) {
            Some(rename) => Some(&rename.to),
            None => (!self.deletes.contains_key(path)).then_some(path),
        }
    }
}
