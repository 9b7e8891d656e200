//! A file system on which something happens before every operation, as if another process were at work: for tests.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use edit::ContentHash;
use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, Fs, LockGuard, Share, Stat};

/// What is called with the number of an operation, counted from 0, and its name.
type Hook = Box<dyn Fn(usize, &'static str) + Send + Sync>;

/// Calls a function before every operation on another file system.
pub struct HookFs {
    fs: Arc<dyn Fs>,
    hook: Hook,
    n_operations: AtomicUsize,
}

impl HookFs {
    /// Calls `hook` with the number of every operation, counted from 0, and its name.
    pub fn new(
        fs: Arc<dyn Fs>,
        hook: impl Fn(usize, &'static str) + Send + Sync + 'static,
    ) -> HookFs {
        HookFs { fs, hook: Box::new(hook), n_operations: AtomicUsize::new(0) }
    }

    /// How many operations there were.
    pub fn n_operations(&self) -> usize {
        self.n_operations.load(Ordering::SeqCst)
    }

    fn operate(&self, name: &'static str) -> &dyn Fs {
        (self.hook)(self.n_operations.fetch_add(1, Ordering::SeqCst), name);
        &*self.fs
    }
}

impl Fs for HookFs {
    fn absolute_root(&self) -> Option<&str> {
        self.fs.absolute_root()
    }
    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        self.operate("stat").stat(path)
    }
    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        self.operate("read").read(path, limit)
    }
    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.operate("read_part").read_part(path, offset, length)
    }
    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)> {
        self.operate("hash").hash(path)
    }
    fn read_link(&self, path: &RelPath) -> io::Result<String> {
        self.operate("read_link").read_link(path)
    }
    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>> {
        self.operate("list").list(directory)
    }
    fn is_writable(&self, path: &RelPath) -> io::Result<bool> {
        self.operate("is_writable").is_writable(path)
    }
    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()> {
        self.operate("create").create(path, bytes, attributes)
    }
    fn append(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.operate("append").append(path, bytes)
    }
    fn create_directory(&self, path: &RelPath, mode: u32) -> io::Result<()> {
        self.operate("create_directory").create_directory(path, mode)
    }
    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.operate("rename").rename(from, to)
    }
    fn rename_new(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.operate("rename_new").rename_new(from, to)
    }
    fn exchange(&self, a: &RelPath, b: &RelPath) -> io::Result<()> {
        self.operate("exchange").exchange(a, b)
    }
    fn remove_file(&self, path: &RelPath) -> io::Result<()> {
        self.operate("remove_file").remove_file(path)
    }
    fn remove_directory(&self, path: &RelPath) -> io::Result<()> {
        self.operate("remove_directory").remove_directory(path)
    }
    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()> {
        self.operate("sync_files").sync_files(paths)
    }
    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()> {
        self.operate("sync_directories").sync_directories(directories)
    }
    fn lock(&self, share: Share, wait: Duration) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.operate("lock").lock(share, wait)
    }
    fn lock_holder(&self) -> Option<u32> {
        self.fs.lock_holder()
    }
    fn nonce(&self) -> io::Result<u64> {
        self.operate("nonce").nonce()
    }
}
