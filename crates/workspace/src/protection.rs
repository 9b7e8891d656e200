//! Files that can be read and must not be replaced: what protects them, and how that is found out.

use std::io;
use std::path::Path;

use snapshot::RelPath;

use crate::fs::{EntryKind, Fs, Pinned, Stat};
use crate::resolve::PathRefusal;
use crate::scan::tracked::{Tracked, is_repository};

/// Why nothing is changed at the path, whether or not a file is there: it lies in a submodule or in another repository that
/// lies in the root's. The path has no links in it. Where the root is in no repository, those in it are ordinary folders.
pub(crate) fn foreign(fs: &dyn Fs, path: &RelPath) -> Option<PathRefusal> {
    let root = Path::new(fs.absolute_root()?);
    let repository = path.ancestors().find(|it| is_repository(&root.join(it.as_str())))?;
    Tracked::around(root).map(|_| PathRefusal::NestedRepository { repository })
}

/// Why the file must not be changed; `None` if it may be, or if it is not a file. The path has no links in it.
pub(crate) fn protection(
    fs: &dyn Fs,
    path: &RelPath,
    stat: &Stat,
) -> io::Result<Option<PathRefusal>> {
    if stat.kind != EntryKind::File {
        return Ok(None);
    }
    if let Some(pinned) = stat.pinned {
        return Ok(Some(match pinned {
            Pinned::Immutable => PathRefusal::Immutable,
            Pinned::MountPoint => PathRefusal::MountPoint,
        }));
    }
    if stat.links > 1 {
        return Ok(Some(PathRefusal::HardLinked { links: stat.links }));
    }
    // The administrator may write anything, and still took the bits away for a reason.
    let is_read_only = stat.mode & 0o222 == 0 || !fs.is_writable(path)?;
    Ok(is_read_only.then_some(PathRefusal::ReadOnly))
}
