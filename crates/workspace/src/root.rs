//! Where a workspace begins.

use std::io;
use std::path::{Path, PathBuf};

/// The nearest directory at or above `start` that holds `regreen.toml`, else the nearest that holds `.git`, else
/// `start` itself; without links.
pub fn find_root(start: &Path) -> io::Result<PathBuf> {
    let start = start.canonicalize()?;
    let nearest =
        |name: &str| start.ancestors().find(|it| it.join(name).symlink_metadata().is_ok());
    Ok(nearest("regreen.toml").or_else(|| nearest(".git")).unwrap_or(&start).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_configuration_wins_over_git_and_git_over_here() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("a/b/c")).unwrap();
        assert_eq!(find_root(&base.join("a/b/c")).unwrap(), base.join("a/b/c"));
        fs::create_dir(base.join("a/b/.git")).unwrap();
        assert_eq!(find_root(&base.join("a/b/c")).unwrap(), base.join("a/b"));
        fs::write(base.join("a/regreen.toml"), "").unwrap();
        assert_eq!(find_root(&base.join("a/b/c")).unwrap(), base.join("a"));
        assert!(find_root(&base.join("missing")).is_err());
    }
}
