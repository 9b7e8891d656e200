//! Which program it is, for the keys of caches: an answer of another binary is another answer.
//!
//! A program that is a script is only itself here; whoever runs one adds the identity of its interpreter and its packages.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use edit::{ContentHash, ContentHasher};

/// A program as it is on disk. Two are equal if nothing that the file system says about them differs.
#[derive(Clone, Debug)]
pub struct ProgramIdentity {
    /// Its path without links.
    pub path: PathBuf,
    /// What the file system says about it.
    pub stamp: FileStamp,
    hash: OnceLock<ContentHash>,
}

/// What a file system says about a file, by which a change is noticed without reading it. The time of the last change of
/// the inode cannot be set by programs, so a file that was written and given its old time back is noticed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileStamp {
    /// The number of the file system.
    pub device: u64,
    /// The number of the file in it.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// Its kind and permission bits.
    pub mode: u32,
    /// When it was last written: seconds and nanoseconds.
    pub mtime: (i64, i64),
    /// When it or what is known about it last changed.
    pub ctime: (i64, i64),
}

impl FileStamp {
    /// The stamp of a file.
    pub fn of(about: &Metadata) -> FileStamp {
        FileStamp {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            mode: about.mode(),
            mtime: (about.mtime(), about.mtime_nsec()),
            ctime: (about.ctime(), about.ctime_nsec()),
        }
    }
}

impl ProgramIdentity {
    /// The identity of the program at the path; links are followed.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn of(path: &Path) -> io::Result<ProgramIdentity> {
        let path = fs::canonicalize(path)?;
        let stamp = FileStamp::of(&fs::metadata(&path)?);
        Ok(ProgramIdentity { path, stamp, hash: OnceLock::new() })
    }

    /// The hash of its bytes, which are read the first time.
    ///
    /// # Errors
    /// If it cannot be read, or is not the file any more that it was.
    pub fn hash(&self) -> io::Result<ContentHash> {
        if let Some(hash) = self.hash.get() {
            return Ok(*hash);
        }
        let mut file = File::open(&self.path)?;
        let mut hasher = ContentHasher::default();
        let mut chunk = vec![0; 1 << 20];
        loop {
            match file.read(&mut chunk)? {
                0 => break,
                count => hasher.update(chunk.get(..count).unwrap_or_default()),
            }
        }
        if FileStamp::of(&file.metadata()?) != self.stamp {
            let message = format!("{} changed since it was found", self.path.display());
            return Err(io::Error::other(message));
        }
        Ok(*self.hash.get_or_init(|| hasher.finish()))
    }
}

impl PartialEq for ProgramIdentity {
    fn eq(&self, other: &ProgramIdentity) -> bool {
        (&self.path, self.stamp) == (&other.path, other.stamp)
    }
}

impl Eq for ProgramIdentity {}
