//! Files that can be read and must not be replaced: what protects them, and how that is found out.

use std::io;

use snapshot::RelPath;

use crate::fs::{Fs, Kind, Pinned, Stat};
use crate::resolve::Refusal;

/// Why the file must not be changed; `None` if it may be, or if it is no file. The path has no links in it.
pub(crate) fn protection(fs: &dyn Fs, path: &RelPath, stat: &Stat) -> io::Result<Option<Refusal>> {
    if stat.kind != Kind::File {
        return Ok(None);
    }
    if let Some(pinned) = stat.pinned {
        return Ok(Some(match pinned {
            Pinned::Immutable => Refusal::Immutable,
            Pinned::MountPoint => Refusal::MountPoint,
        }));
    }
    if stat.links > 1 {
        return Ok(Some(Refusal::HardLinked { links: stat.links }));
    }
    // The administrator may write anything, and still took the bits away for a reason.
    let is_read_only = stat.mode & 0o222 == 0 || !fs.is_writable(path)?;
    Ok(is_read_only.then_some(Refusal::ReadOnly))
}
