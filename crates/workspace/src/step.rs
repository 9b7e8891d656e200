//! One step of a transaction: an operation of the file system with a name for the error message.

use std::io;

use snapshot::RelPath;

use crate::Durability;
use crate::fs::Fs;
use crate::interrupt::Interrupts;
use crate::staging::GitIndex;

/// An operation that the file system refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", .path.as_ref().map_or(".", RelPath::as_str))]
pub struct StepError {
    /// What was tried.
    pub action: &'static str,
    /// On which path; `None` is the root.
    pub path: Option<RelPath>,
    /// What the file system said.
    pub source: io::Error,
}

/// Names the operation in its error.
pub(crate) fn step<T>(
    action: &'static str,
    path: &RelPath,
    result: io::Result<T>,
) -> Result<T, StepError> {
    result.map_err(|source| StepError { action, path: Some(path.clone()), source })
}

/// The tree, the state folder, and how a transaction works on them.
#[derive(Clone, Copy)]
pub(crate) struct Ctx<'a> {
    pub(crate) fs: &'a dyn Fs,
    pub(crate) state: &'a dyn Fs,
    pub(crate) durability: Durability,
    pub(crate) interrupts: Option<&'a Interrupts>,
    /// The index of git that goes with the tree.
    pub(crate) index: Option<&'a GitIndex>,
}

impl Ctx<'_> {
    /// Files of the tree reach stable storage.
    pub(crate) fn sync_files(&self, paths: &[RelPath]) -> Result<(), StepError> {
        self.sync_files_of(self.fs, paths)
    }

    /// Files of the state folder reach stable storage.
    pub(crate) fn sync_state(&self, paths: &[RelPath]) -> Result<(), StepError> {
        self.sync_files_of(self.state, paths)
    }

    /// Names in folders of the tree reach stable storage.
    pub(crate) fn sync_directories(
        &self,
        directories: &[Option<RelPath>],
    ) -> Result<(), StepError> {
        self.sync_directories_of(self.fs, directories)
    }

    /// Names in folders of the state folder reach stable storage.
    pub(crate) fn sync_state_directories(
        &self,
        directories: &[Option<RelPath>],
    ) -> Result<(), StepError> {
        self.sync_directories_of(self.state, directories)
    }

    /// The signal that arrived since files are being written.
    pub(crate) fn interrupted(&self) -> Option<i32> {
        self.interrupts?.received()
    }

    pub(crate) fn sync_files_of(&self, fs: &dyn Fs, paths: &[RelPath]) -> Result<(), StepError> {
        if self.durability == Durability::None || paths.is_empty() {
            return Ok(());
        }
        fs.sync_files(paths).map_err(|source| StepError {
            action: "sync files beside",
            path: paths.first().cloned(),
            source,
        })
    }

    pub(crate) fn sync_directories_of(
        &self,
        fs: &dyn Fs,
        directories: &[Option<RelPath>],
    ) -> Result<(), StepError> {
        if self.durability == Durability::None || directories.is_empty() {
            return Ok(());
        }
        fs.sync_directories(directories).map_err(|source| StepError {
            action: "sync the directory",
            path: directories.first().cloned().flatten(),
            source,
        })
    }
}
