//! Which folder is the workspace.

use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// The root that was named is no folder.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a folder that can be opened", .0.display())]
pub(crate) struct RootError(PathBuf);

/// What was typed, else what `bazel run` says, else what is found from where the user stands.
pub(crate) fn find(environment: &Environment, typed: Option<&Path>) -> Result<PathBuf, RootError> {
    let named =
        typed.or(environment.bazel_run_root.as_deref()).map(|it| environment.directory.join(it));
    let root = named.unwrap_or_else(|| service::find_root(&environment.directory));
    if root.is_dir() { Ok(root) } else { Err(RootError(typed.map_or(root, Path::to_owned))) }
}
