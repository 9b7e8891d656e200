//! The file system as the rest of the crate sees it: a handful of operations on paths beneath one root.
//!
//! No operation follows a symbolic link anywhere in its path. A path that may pass through links is resolved first
//! (see [`crate::resolve`]), so that a link swapped in after that makes the operation fail, not escape.
//! [`crate::OsFs`] is the disk; [`crate::MemFs`] is a disk in memory that can fail or stop at any operation.

use std::io;
use std::time::Duration;

use edit::ContentHash;
use snapshot::RelPath;

/// What stands at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// Which file it is and when it last changed: two equal identities mean that nobody touched the file in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileIdentity {
    /// The device.
    pub device: u64,
    /// The number of the file on its device.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// Last change of the contents, in nanoseconds.
    pub modified: i128,
    /// Last change of contents or attributes, in nanoseconds.
    pub changed: i128,
}

impl FileIdentity {
    /// Whether it is the same file with the same contents, whatever names it was given since.
    pub fn is_same_contents(&self, other: &FileIdentity) -> bool {
        FileIdentity { changed: 0, ..*self } == FileIdentity { changed: 0, ..*other }
    }
}

/// Why a file cannot be replaced although its directory could be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pinned {
    /// It is marked immutable or append-only.
    Immutable,
    /// Something is mounted on it.
    MountPoint,
}

/// What is known of a path without opening it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    /// What it is.
    pub kind: EntryKind,
    /// The permission bits.
    pub mode: u32,
    /// The number of names the file has.
    pub links: u64,
    /// Why it cannot be replaced, if so.
    pub pinned: Option<Pinned>,
    /// Which file it is.
    pub identity: FileIdentity,
}

/// Where the mode, the owner and the extended attributes of a new file come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attributes {
    /// These permission bits, less what the user's mask takes away.
    New {
        /// The permission bits.
        mode: u32,
    },
    /// Exactly these permission bits.
    Exact {
        /// The permission bits.
        mode: u32,
    },
    /// Those of a present file, as far as the user may set them.
    Like(RelPath),
}

/// Holds a lock until it is dropped.
pub trait LockGuard: Send {}

/// Whom a lock keeps out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Everybody else.
    Exclusive,
    /// Those who want it for themselves.
    Shared,
}

/// Operations on paths beneath one root. `None` in place of a directory is the root itself.
pub trait Fs: Send + Sync {
    /// The root's own absolute path without links, if it has one: a link that spells its target in full may still
    /// lie beneath it.
    fn absolute_root(&self) -> Option<&str>;

    /// What stands at the path; `None` if nothing does.
    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>>;

    /// What stands at each of the paths. Those in one directory are best asked about one after another.
    fn stat_all(&self, paths: &[RelPath]) -> Vec<io::Result<Option<Stat>>> {
        paths.iter().map(|it| self.stat(it)).collect()
    }

    /// The bytes of a regular file. More than `limit` bytes is an error of kind `FileTooLarge`.
    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)>;

    /// A part of a regular file; less than `length` bytes if the file ends before.
    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>>;

    /// The hash of a regular file, in bounded memory, and what was known of it when that began.
    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)>;

    /// The target of a link, as it is spelled.
    fn read_link(&self, path: &RelPath) -> io::Result<String>;

    /// The names in a directory, sorted. Names that are not UTF-8 are left out.
    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>>;

    /// Whether the user may write the file.
    fn is_writable(&self, path: &RelPath) -> io::Result<bool>;

    /// Creates a file that must not exist.
    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()>;

    /// Adds bytes at the end of a present file.
    fn append(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()>;

    /// Creates a directory that must not exist, in one that does.
    fn create_directory(&self, path: &RelPath, mode: u32) -> io::Result<()>;

    /// Gives a file another name, atomically taking the place of what has that name.
    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()>;

    /// Gives a file another name that nothing has yet; an error of kind `AlreadyExists` if something has, and of kind
    /// `Unsupported` if the file system cannot do that in one step.
    fn rename_new(&self, from: &RelPath, to: &RelPath) -> io::Result<()>;

    /// Swaps two names in one step; an error of kind `Unsupported` if the file system cannot.
    fn exchange(&self, a: &RelPath, b: &RelPath) -> io::Result<()>;

    /// Removes a name of a file.
    fn remove_file(&self, path: &RelPath) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_directory(&self, path: &RelPath) -> io::Result<()>;

    /// Returns when the contents and attributes of the files are on stable storage.
    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()>;

    /// Returns when the names in the directories are on stable storage.
    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()>;

    /// Takes the lock, waiting up to `wait` for others; `None` if one of them still holds it then.
    fn lock(&self, share: Share, wait: Duration) -> io::Result<Option<Box<dyn LockGuard>>>;

    /// The process that holds the lock, where the system tells.
    fn lock_holder(&self) -> Option<u32>;

    /// A number that nobody could have known before.
    fn nonce(&self) -> io::Result<u64>;
}
