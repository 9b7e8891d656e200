//! Owner, mode and extended attributes of a file, carried over to the file that takes its place.
//! What the user may not set is left as it is for a new file, except that a file which could not keep its
//! owner also loses its set-id bits: they would speak for somebody else.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

pub(super) fn copy(model: &OwnedFd, file: &File) -> io::Result<()> {
    let (old, new) = (rustix::fs::fstat(model)?, rustix::fs::fstat(file)?);
    let mut mode = old.st_mode & 0o7777;
    // The owner first, because a change of owner takes set-id bits away.
    let gid_kept = old.st_gid == new.st_gid || chown(file, None, Some(Gid::from_raw(old.st_gid)))?;
    let uid_kept = old.st_uid == new.st_uid || chown(file, Some(Uid::from_raw(old.st_uid)), None)?;
    if !uid_kept || !gid_kept {
        mode &= 0o1777;
    }
    copy_xattrs(model, file)?;
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?)
}

fn chown(file: &File, uid: Option<Uid>, gid: Option<Gid>) -> io::Result<bool> {
    match rustix::fs::fchown(file, uid, gid) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn copy_xattrs(model: &OwnedFd, file: &File) -> io::Result<()> {
    let mut names = vec![0; 1024];
    let length = loop {
        match rustix::fs::flistxattr(model, names.as_mut_slice()) {
            Ok(length) => break length,
            Err(Errno::RANGE) if names.len() < 1 << 20 => names.resize(names.len() * 4, 0),
            Err(Errno::NOTSUP) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 * 1024]; // The largest value that Linux allows.
        let result = rustix::fs::fgetxattr(model, name, value.as_mut_slice()).and_then(|length| {
            rustix::fs::fsetxattr(file, name, &value[..length], XattrFlags::empty())
        });
        match result {
            // Attributes of the system may be readable and yet not ours to set.
            Ok(()) | Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NODATA) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
