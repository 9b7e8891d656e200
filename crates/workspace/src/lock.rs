//! One writer at a time. The lock is advisory and belongs to an open file, so it goes with its process, however
//! that ends.
//!
//! It is taken on the repository's top folder, else on the root, and not on anything that regreen keeps: two users, or two
//! roots in one repository, have different state and exclude one another all the same. A file system that cannot lock
//! a folder (NFS) locks a file in the state folder instead, which keeps out the other processes of this user.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::fs::{Fs, LockGuard, Share};

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds it for longer than we wait.
    #[error("another regreen process{} holds the lock on this workspace", holder_text(.pid))]
    Busy {
        /// The holder, if it is known.
        pid: Option<u32>,
    },
    /// The file system reported an error.
    #[error("cannot lock the workspace: {source}")]
    Io {
        /// What the file system said.
        source: io::Error,
    },
}

fn holder_text(pid: &Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// What the lock is taken on.
#[derive(Clone, Debug)]
pub(crate) enum LockPlace {
    Folder(PathBuf),
    /// A file that is made if it is not there.
    File(PathBuf),
}

/// Takes the lock, waiting up to `wait` for another process.
pub(crate) fn lock(
    fs: &dyn Fs,
    share: Share,
    wait: Duration,
) -> Result<Box<dyn LockGuard>, LockError> {
    match fs.lock(share, wait) {
        Ok(Some(held)) => Ok(held),
        Ok(None) => Err(LockError::Busy { pid: fs.lock_holder() }),
        Err(source) => Err(LockError::Io { source }),
    }
}

/// Whether this error means that the file system has no locks on folders.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    let known = [Errno::BADF, Errno::NOTSUP, Errno::INVAL, Errno::NOLCK, Errno::NOSYS];
    known.iter().any(|it| error.raw_os_error() == Some(it.raw_os_error()))
}

/// The lock goes with the descriptor.
struct FileLock {
    _file: File,
}

impl LockGuard for FileLock {}

/// Takes the lock on the disk. Whoever waits is queued by the kernel, so that everybody gets a turn.
pub(crate) fn take(
    place: &LockPlace,
    share: Share,
    wait: Duration,
) -> io::Result<Option<Box<dyn LockGuard>>> {
    let file = match place {
        LockPlace::Folder(path) => File::open(path)?,
        LockPlace::File(path) => OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(path)?,
    };
    let (at_once, queued) = match share {
        Share::Exclusive => {
            (FlockOperation::NonBlockingLockExclusive, FlockOperation::LockExclusive)
        }
        Share::Shared => (FlockOperation::NonBlockingLockShared, FlockOperation::LockShared),
    };
    match rustix::fs::flock(&file, at_once) {
        Ok(()) => return Ok(Some(Box::new(FileLock { _file: file }))),
        Err(Errno::WOULDBLOCK) if wait.is_zero() => return Ok(None),
        Err(Errno::WOULDBLOCK) => {}
        Err(error) => return Err(error.into()),
    }
    // Only a call that blocks is in the queue, and only a thread of its own can be left waiting there. Whoever gave up
    // no longer takes the file, and it is closed as soon as the lock comes.
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().name("lock".to_owned()).spawn(move || {
        let result = loop {
            match rustix::fs::flock(&file, queued) {
                Err(Errno::INTR) => {}
                result => break result,
            }
        };
        // The receiver is gone when the wait was over before.
        let _ = sender.send(result.map(|()| file));
    })?;
    match receiver.recv_timeout(wait) {
        Ok(Ok(file)) => Ok(Some(Box::new(FileLock { _file: file }))),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// The process that holds the lock, as far as the kernel lists it.
pub(crate) fn holder(place: &LockPlace) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let (LockPlace::Folder(path) | LockPlace::File(path)) = place;
    let metadata = path.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(metadata.dev()), rustix::fs::minor(metadata.dev()));
    let wanted = format!("{major:02x}:{minor:02x}:{}", metadata.ino());
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4242 fe:00:1234 0 EOF`; those that wait have an arrow behind the number.
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, "FLOCK", _, _, pid, file, ..] if file == wanted => {
                pid.parse().ok().filter(|pid| *pid != 0)
            }
            _ => None,
        }
    })
}
