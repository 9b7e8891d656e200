//! What git knows about its user: the key, the name and the repository. Git is asked, its files are not read.

use std::path::Path;

use check::Stop;
use launch::LaunchError;
use sshsig::{SignError, SigningKey, named_by_git};

/// Why git did not name a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitConfigError {
    /// Git could not be asked.
    #[error("git config could not be read")]
    Git(#[source] LaunchError),
    /// The value of `user.signingkey` is not an SSH key.
    #[error(transparent)]
    Key(#[from] SignError),
}

/// The key that git signs with in the repository at `root`, if git signs with SSH keys there (`gpg.format` is `ssh`).
/// Git is asked; a relative path is one from the root.
pub fn git_signing_key(root: &Path) -> Result<Option<SigningKey>, GitConfigError> {
    if git_config(root, &["--get", "gpg.format"])?.as_deref() != Some("ssh") {
        return Ok(None);
    }
    // As a path, so that git itself puts in home directories; a literal key stays as it is.
    let Some(value) = git_config(root, &["--type=path", "--get", "user.signingkey"])? else {
        return Ok(None);
    };
    match named_by_git(&value, None)? {
        SigningKey::File(path) => Ok(Some(SigningKey::File(root.join(path)))),
        literal => Ok(Some(literal)),
    }
}

/// Git's `user.email` in the repository at `root`: the name under which its user approves unless another is given.
pub fn git_email(root: &Path) -> Result<Option<String>, GitConfigError> {
    git_config(root, &["--get", "user.email"])
}

/// The URL of git's remote `origin` in the repository at `root`.
pub fn git_origin(root: &Path) -> Result<Option<String>, GitConfigError> {
    git_config(root, &["--get", "remote.origin.url"])
}

fn git_config(root: &Path, args: &[&str]) -> Result<Option<String>, GitConfigError> {
    let git = launch::Program::inheriting("git", ".").arg("-C").arg(root).arg("config").args(args);
    let output = launch::run(&git, &Stop::new()).map_err(GitConfigError::Git)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value = text.strip_suffix('\n').unwrap_or(&text);
    Ok((output.status.is_success() && !value.is_empty()).then(|| value.to_owned()))
}
