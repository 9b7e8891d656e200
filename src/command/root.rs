//! Which folder is the workspace.

use std::path::{Path, PathBuf};

use crate::environment::ProcessEnvironment;

/// The root that was named is not a folder.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a folder that can be opened", .0.display())]
pub(crate) struct RootError(PathBuf);

/// What was typed, else what `bazel run` says, else what is found from where the user stands.
pub(crate) fn find(
    environment: &ProcessEnvironment,
    typed: Option<&Path>,
) -> Result<PathBuf, RootError> {
    let named =
        typed.or(environment.bazel_run_root.as_deref()).map(|it| environment.directory.join(it));
    let root = named.unwrap_or_else(|| service::find_root(&environment.directory));
    if root.is_dir() { Ok(root) } else { Err(RootError(typed.map_or(root, Path::to_owned))) }
}

/// What `bazel run` says, else the workspace that a file lies in, else here, if the file lies here, else its folder.
pub(crate) fn find_from(
    environment: &ProcessEnvironment,
    file: &Path,
) -> Result<PathBuf, RootError> {
    let file = environment.directory.join(file);
    let folder = file.parent().filter(|it| it.is_dir()).unwrap_or(&environment.directory);
    let around = || {
        let root = service::find_root(folder);
        let here = service::find_root(&environment.directory);
        if !is_marked(&root) && root.starts_with(&here) { here } else { root }
    };
    let root = environment.bazel_run_root.clone().unwrap_or_else(around);
    if root.is_dir() { Ok(root) } else { Err(RootError(root)) }
}

/// Whether something says that it is a workspace.
fn is_marked(root: &Path) -> bool {
    ["regreen.toml", ".git"].iter().any(|it| root.join(it).symlink_metadata().is_ok())
}
