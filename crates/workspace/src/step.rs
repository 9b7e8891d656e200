//! One step of a transaction: an operation of the file system with a name for the error message.

use std::io;

use snapshot::RelPath;

use crate::Durability;
use crate::fs::Fs;

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

/// The file system and whether to wait for stable storage.
#[derive(Clone, Copy)]
pub(crate) struct Ctx<'a> {
    pub(crate) fs: &'a dyn Fs,
    pub(crate) durability: Durability,
}

impl Ctx<'_> {
    pub(crate) fn sync_files(&self, paths: &[RelPath]) -> Result<(), StepError> {
        if self.durability == Durability::None || paths.is_empty() {
            return Ok(());
        }
        let result = self.fs.sync_files(paths);
        result.map_err(|source| StepError {
            action: "sync files beside",
            path: paths.first().cloned(),
            source,
        })
    }

    pub(crate) fn sync_directories(
        &self,
        directories: &[Option<RelPath>],
    ) -> Result<(), StepError> {
        if self.durability == Durability::None || directories.is_empty() {
            return Ok(());
        }
        let result = self.fs.sync_directories(directories);
        result.map_err(|source| StepError {
            action: "sync the directory",
            path: directories.first().cloned().flatten(),
            source,
        })
    }
}
