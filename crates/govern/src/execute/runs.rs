//! The folders in which tools work, beneath one base directory.
//!
//! What lies there was made by programs of strangers, so no name is trusted twice. The base is opened once, and is
//! not a link; everything beneath it is reached from an open directory, name by name, without following a link. A
//! folder belongs to the process that holds its lock: the kernel lets go of the lock when the process ends, however
//! that happens. Removed are only folders whose names are ours and whose lock is free.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// What the name of a folder begins with; a number follows.
const PREFIX: &str = "run-";
const MOST_FOLDERS: u32 = 99_999;
const PRIVATE: Mode = Mode::RWXU;

/// The base directory.
pub(super) struct RunFolders {
    base: OwnedFd,
    path: PathBuf,
}

/// A folder of this process, removed when it goes out of use.
pub(super) struct RunFolder {
    base: OwnedFd,
    name: String,
    /// Holds the lock.
    opened: OwnedFd,
    path: PathBuf,
}

impl RunFolders {
    /// Opens the base, and makes it if it is not there. Links above it are the caller's own and are followed.
    pub(super) fn open(path: &Path) -> io::Result<RunFolders> {
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        let (above, above_path, name) = above(path)?;
        match rustix::fs::mkdirat(&above, name, PRIVATE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        RunFolders::beneath(&above, &above_path, name)
    }

    /// Opens the base if it is there.
    pub(super) fn existing(path: &Path) -> io::Result<RunFolders> {
        let (above, above_path, name) = above(path)?;
        RunFolders::beneath(&above, &above_path, name)
    }

    fn beneath(above: &OwnedFd, above_path: &Path, name: &Path) -> io::Result<RunFolders> {
        let base = open_directory(above.as_fd(), name).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => {
                io::Error::new(io::ErrorKind::NotADirectory, "it is a link or a file; remove it")
            }
            error => error.into(),
        })?;
        let about = rustix::fs::fstat(&base)?;
        if about.st_uid != rustix::process::geteuid().as_raw() {
            let message = "it belongs to another user; remove it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        // Copies of sources, and what tools make of them, are for nobody else to read or to run.
        rustix::fs::fchmod(&base, PRIVATE)?;
        Ok(RunFolders { base, path: above_path.join(name) })
    }

    /// Makes an empty folder and takes its lock.
    pub(super) fn create(&self) -> io::Result<RunFolder> {
        for number in 1..=MOST_FOLDERS {
            let name = format!("{PREFIX}{number}");
            match rustix::fs::mkdirat(&self.base, &name, PRIVATE) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            }
            // Whoever removes what was left behind may have been faster.
            if let Some(folder) = self.take(&name)? {
                return Ok(folder);
            }
        }
        Err(io::Error::other("there are too many folders of other runs"))
    }

    /// Removes what processes left behind that are gone. What cannot be removed does not keep the rest.
    pub(super) fn sweep(&self) -> io::Result<()> {
        for name in names(self.base.as_fd())? {
            let Some(name) = name.to_str().ok().filter(|name| is_ours(name)) else { continue };
            if let Ok(Some(folder)) = self.take(name) {
                drop(folder);
            }
        }
        Ok(())
    }

    /// The folder, if it is one, is the user's own, and nobody else holds its lock.
    fn take(&self, name: &str) -> io::Result<Option<RunFolder>> {
        let opened = match open_directory(self.base.as_fd(), name) {
            Ok(opened) => opened,
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let about = rustix::fs::fstat(&opened)?;
        if about.st_uid != rustix::process::geteuid().as_raw() {
            return Ok(None);
        }
        match rustix::fs::flock(&opened, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        // The one that was locked may have been removed between being opened and being locked.
        let still = match rustix::fs::statat(&self.base, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => (named.st_dev, named.st_ino) == (about.st_dev, about.st_ino),
            Err(_) => false,
        };
        if !still {
            return Ok(None);
        }
        let base = self.base.try_clone()?;
        Ok(Some(RunFolder { base, path: self.path.join(name), name: name.to_owned(), opened }))
    }
}

impl RunFolder {
    /// Its path, without links as it was when the base was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory in it.
    pub(super) fn make(&self, name: &str) -> io::Result<OwnedFd> {
        rustix::fs::mkdirat(&self.opened, name, PRIVATE)?;
        Ok(open_directory(self.opened.as_fd(), name)?)
    }

    /// Whether its path still leads to it.
    pub(super) fn is_in_place(&self) -> bool {
        let identity = |it: rustix::fs::Stat| (it.st_dev, it.st_ino);
        let named = rustix::fs::lstat(&self.path).map(identity);
        named.is_ok() && named == rustix::fs::fstat(&self.opened).map(identity)
    }

    fn remove(&self) -> io::Result<()> {
        empty(self.opened.as_fd())?;
        Ok(rustix::fs::unlinkat(&self.base, self.name.as_str(), AtFlags::REMOVEDIR)?)
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // What is left is removed by the next run, because nobody holds its lock then.
        let _ = self.remove();
    }
}

/// The directory that holds the path, its path without links, and the name in it.
fn above(path: &Path) -> io::Result<(OwnedFd, PathBuf, &Path)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let above = fs::canonicalize(path.parent().unwrap_or(Path::new("/")))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&above, flags, Mode::empty())?;
    Ok((opened, above, Path::new(name)))
}

fn is_ours(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|number| {
        number.parse::<u32>().is_ok_and(|it| it.to_string() == number && it <= MOST_FOLDERS)
    })
}

/// Removes everything in the folder, whatever permissions were taken away there.
///
/// A tree can be deeper than there are descriptors. So no directory is entered from another one: those that hold
/// something are moved into the folder itself first, and taken apart there one after the other. A directory that
/// something is mounted on cannot be moved, and so is never entered.
///
/// ```text
/// a/b/c/file  a/x     →  .1/b/c/file  .1/x     take .1 apart: remove x, move b
///                     →  .2/c/file             take .2 apart: move c
///                     →  .3/file               take .3 apart: remove file
/// ```
fn empty(folder: BorrowedFd<'_>) -> io::Result<()> {
    let mut moved = Moved { folder, last: 0, waiting: Vec::new() };
    moved.take_apart(folder)?;
    while let Some(name) = moved.waiting.pop() {
        match open_directory(folder, name.as_str()) {
            Ok(directory) => moved.take_apart(directory.as_fd())?,
            // Moved on under another name, or no directory any more.
            Err(Errno::NOENT) => continue,
            Err(Errno::LOOP | Errno::NOTDIR) => {
                rustix::fs::unlinkat(folder, name.as_str(), AtFlags::empty())?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        match rustix::fs::unlinkat(folder, name.as_str(), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The directories that wait in the folder to be taken apart.
struct Moved<'a> {
    folder: BorrowedFd<'a>,
    last: u64,
    waiting: Vec<String>,
}

impl Moved<'_> {
    /// Removes what the directory holds; what is not empty is moved.
    fn take_apart(&mut self, directory: BorrowedFd<'_>) -> io::Result<()> {
        for name in names(directory)? {
            match rustix::fs::unlinkat(directory, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => continue,
                Err(Errno::ISDIR | Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
            match rustix::fs::unlinkat(directory, &name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::NOTEMPTY | Errno::EXIST) => self.move_here(directory, &name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn move_here(&mut self, directory: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let mut is_opened = false;
        loop {
            let new = format!(".{}", self.last + 1);
            match rustix::fs::renameat(directory, name, self.folder, new.as_str()) {
                Ok(()) => {
                    self.last += 1;
                    self.waiting.push(new);
                    return Ok(());
                }
                Err(Errno::NOENT) => return Ok(()),
                // The name is taken.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::ISDIR) => {
                    self.last += 1
                }
                // Moving a directory changes the directory.
                Err(Errno::ACCESS) if !is_opened => {
                    make_accessible(directory, name)?;
                    is_opened = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The names in the directory, all of them before any of them is touched.
fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if ![c".", c".."].contains(&entry.file_name()) {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

/// Opens a directory by its name in another one, never through a link, so that its owner can read and change it.
fn open_directory(
    above: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match rustix::fs::openat(above, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            make_accessible(above, name)?;
            rustix::fs::openat(above, name, flags, Mode::empty())?
        }
        opened => opened?,
    };
    let mode = rustix::fs::fstat(&opened)?.st_mode;
    if !Mode::from_raw_mode(mode).contains(PRIVATE) {
        rustix::fs::fchmod(&opened, PRIVATE)?;
    }
    Ok(opened)
}

/// Gives the owner access to a directory that cannot be opened.
fn make_accessible(above: BorrowedFd<'_>, name: impl rustix::path::Arg) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = rustix::fs::openat(above, name, flags, Mode::empty())?;
    // The system call that would change the mode of such a descriptor is younger than the kernels that run this.
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    fs::set_permissions(path, fs::Permissions::from_mode(PRIVATE.bits()))
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::ACCESS))
}

#[cfg(test)]
mod tests;
