//! One writer at a time. The lock is advisory and belongs to an open file, so it goes with its process, however
//! that ends.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use snapshot::RelPath;

use crate::fs::{Fs, Held};
use crate::journal;

const POLL: Duration = Duration::from_millis(20);

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds it for longer than we wait.
    #[error("another regreen process{} holds the lock on this workspace", holder(.pid))]
    Busy {
        /// The holder, if it is known.
        pid: Option<u32>,
    },
    /// The file system reported an error.
    #[error("cannot lock {path}: {source}")]
    Io {
        /// The lock file.
        path: RelPath,
        /// What the file system said.
        source: io::Error,
    },
}

fn holder(pid: &Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// Takes the lock, waiting up to `wait` for another process.
pub(crate) fn lock(fs: &dyn Fs, wait: Duration) -> Result<Box<dyn Held>, LockError> {
    let path = journal::lock_path();
    let start = Instant::now();
    loop {
        match fs.try_lock(&path) {
            Ok(Some(held)) => return Ok(held),
            Ok(None) if start.elapsed() >= wait => {
                return Err(LockError::Busy { pid: read_holder(fs, &path) });
            }
            Ok(None) => thread::sleep(POLL),
            Err(source) => return Err(LockError::Io { path, source }),
        }
    }
}

fn read_holder(fs: &dyn Fs, path: &RelPath) -> Option<u32> {
    let (bytes, _) = fs.read(path, 64).ok()?;
    std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
}
