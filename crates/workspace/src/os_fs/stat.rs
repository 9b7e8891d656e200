//! `stat` with what decides whether a file can be replaced: on Linux the kernel also says whether a file is
//! immutable or a mount point, which would otherwise show only when the rename fails.

use std::os::fd::BorrowedFd;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::kind_of;
use crate::fs::{FileIdentity, Pinned, Stat};

pub(super) fn stat_at(directory: BorrowedFd<'_>, name: &str) -> Result<Stat, Errno> {
    imp::stat(directory, name)
}

pub(super) fn stat_fd(fd: BorrowedFd<'_>) -> Result<Stat, Errno> {
    imp::stat(fd, "")
}

/// When the file was made, in nanoseconds; `None` where the file system does not keep that.
pub(super) fn born(fd: BorrowedFd<'_>) -> Option<i128> {
    imp::born(fd)
}

#[cfg(target_os = "linux")]
mod imp {
    use super::*;
    use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, StatxTimestamp};

    pub(super) fn born(fd: BorrowedFd<'_>) -> Option<i128> {
        let found = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok()?;
        let is_known = found.stx_mask & StatxFlags::BTIME.bits() != 0;
        is_known.then(|| nanoseconds(&found.stx_btime))
    }

    fn nanoseconds(time: &StatxTimestamp) -> i128 {
        i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
    }

    pub(super) fn stat(at: BorrowedFd<'_>, name: &str) -> Result<Stat, Errno> {
        let flags = if name.is_empty() { AtFlags::EMPTY_PATH } else { AtFlags::SYMLINK_NOFOLLOW };
        let found = rustix::fs::statx(at, name, flags, StatxFlags::BASIC_STATS)?;
        let attributes = found.stx_attributes & found.stx_attributes_mask;
        let pinned = if attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND)
        {
            Some(Pinned::Immutable)
        } else {
            attributes.contains(StatxAttributes::MOUNT_ROOT).then_some(Pinned::MountPoint)
        };
        Ok(Stat {
            kind: kind_of(FileType::from_raw_mode(found.stx_mode.into())),
            mode: u32::from(found.stx_mode) & 0o7777,
            links: found.stx_nlink.into(),
            pinned,
            identity: FileIdentity {
                device: u64::from(found.stx_dev_major) << 32 | u64::from(found.stx_dev_minor),
                inode: found.stx_ino,
                size: found.stx_size,
                modified: nanoseconds(&found.stx_mtime),
                changed: nanoseconds(&found.stx_ctime),
            },
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::*;
    use rustix::fs::AtFlags;

    pub(super) fn born(_: BorrowedFd<'_>) -> Option<i128> {
        None
    }

    pub(super) fn stat(at: BorrowedFd<'_>, name: &str) -> Result<Stat, Errno> {
        let found = match name {
            "" => rustix::fs::fstat(at)?,
            name => rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?,
        };
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Ok(Stat {
            kind: kind_of(FileType::from_raw_mode(found.st_mode)),
            mode: u32::from(found.st_mode) & 0o7777,
            links: found.st_nlink.into(),
            pinned: None,
            identity: FileIdentity {
                device: found.st_dev as u64,
                inode: found.st_ino as u64,
                size: found.st_size as u64,
                modified: nanoseconds(found.st_mtime, found.st_mtime_nsec),
                changed: nanoseconds(found.st_ctime, found.st_ctime_nsec),
            },
        })
    }
}
