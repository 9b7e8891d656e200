//! The git repository that a root lies in, and those that lie in the root. git itself is not run: a repository of somebody
//! else must not have anything run.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};

use crate::git_index::tracked_folders;

/// More than a `.git` file ever has.
const MAX_LINK: u64 = 16 << 10;
/// Larger ones are not read: two million files have an index of this size.
const MAX_INDEX: u64 = 256 << 20;

/// What the repository that a folder lies in tracks.
pub(crate) struct Tracked {
    git_dir: PathBuf,
    /// From the top of the work tree to the folder.
    prefix: PathBuf,
    tracked: OnceLock<Option<BTreeSet<Vec<u8>>>>,
}

impl Tracked {
    /// The nearest one at or above the folder.
    pub(crate) fn around(folder: &Path) -> Option<Tracked> {
        let folder = folder.canonicalize().ok()?;
        let (top, git_dir) = folder.ancestors().find_map(|it| Some((it, git_dir(it)?)))?;
        let prefix = folder.strip_prefix(top).ok()?.to_owned();
        Some(Tracked { git_dir, prefix, tracked: OnceLock::new() })
    }

    /// Whether nothing in the folder, which is relative to the one that the repository is around, is tracked. What is not
    /// known is no.
    pub(super) fn tracks_nothing_in(&self, folder: &Path) -> bool {
        let tracked = self.tracked.get_or_init(|| {
            let index = self.git_dir.join("index");
            match index.symlink_metadata() {
                // Before the first `git add` there is none.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    self.git_dir.is_dir().then(BTreeSet::new)
                }
                _ => tracked_folders(&read(&index, MAX_INDEX)?),
            }
        });
        let folder = self.prefix.join(folder);
        tracked.as_ref().is_some_and(|it| !it.contains(folder.as_os_str().as_bytes()))
    }
}

/// Whether the folder is the top of a repository.
pub(crate) fn is_repository(folder: &Path) -> bool {
    git_dir(folder).is_some()
}

/// Where the repository keeps what it knows: in `.git`, or where the file `.git` says, as in submodules and worktrees.
fn git_dir(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let meta = git.metadata().ok()?;
    if meta.is_dir() {
        return git.join("HEAD").symlink_metadata().is_ok().then_some(git);
    }
    let text = String::from_utf8(read(&git, MAX_LINK)?).ok()?;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The bytes of a regular file that is not larger than that.
pub(super) fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    // Without `O_NONBLOCK` a pipe of that name would hold us up for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
