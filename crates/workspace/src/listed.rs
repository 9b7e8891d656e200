//! A tree that somebody else listed: the inputs of a build action.
//!
//! A build system puts its inputs where it likes: as links into the workspace, as copies in a sandbox, or in a folder for
//! what it generated. What it says instead is which file stands at which path, and that is the whole tree: what is not
//! listed is not there, even if it could be reached. So the same list gives the same tree in every sandbox and without one.
//!
//! Links are followed, since the list names what is behind them. Nothing can be written: every operation that would is an
//! error before it does anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use edit::ContentHash;
use rustix::io::Errno;
use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, FileIdentity, Fs, LockGuard, Share, Stat};
use crate::{Options, Store, Workspace};

/// The files of a tree, each with where it is on disk.
pub type ListedFiles = BTreeMap<RelPath, PathBuf>;

/// Why a listed tree was not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// What is listed is not a file that can be read.
    #[error("cannot read the input {path}: {source}")]
    Unreadable {
        /// The path in the tree.
        path: RelPath,
        /// What the file system said.
        source: io::Error,
    },
}

impl Workspace {
    /// The tree that is listed, with no state, to be read only. Everything that is listed must be a file.
    pub fn listed(listing: ListedFiles, options: Options) -> Result<Workspace, ListingError> {
        let mut folders = BTreeMap::<Option<RelPath>, BTreeSet<(String, bool)>>::new();
        for (path, file) in &listing {
            let unreadable = |source| ListingError::Unreadable { path: path.clone(), source };
            let metadata = file.metadata().map_err(unreadable)?;
            if !metadata.is_file() {
                let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
                return Err(ListingError::Unreadable { path: path.clone(), source });
            }
            let mut below = path.clone();
            let mut is_folder = false;
            loop {
                let above = below.ancestors().next();
                let names = folders.entry(above.clone()).or_default();
                let is_new = names.insert((below.file_name().to_owned(), is_folder));
                match above.filter(|_| is_new) {
                    Some(above) => (below, is_folder) = (above, true),
                    None => break,
                }
            }
        }
        let listing = Arc::new(listing);
        let fs = ListedFs { listing: Arc::clone(&listing), folders };
        let workspace = Workspace::over(Arc::new(fs), Store::None, options);
        Ok(Workspace { listing: Some(listing), ..workspace })
    }
}

/// The file system of a listed tree.
struct ListedFs {
    listing: Arc<ListedFiles>,
    /// The names in each folder, and whether each is a folder.
    folders: BTreeMap<Option<RelPath>, BTreeSet<(String, bool)>>,
}

impl ListedFs {
    fn place(&self, path: &RelPath) -> io::Result<&Path> {
        self.listing.get(path).map(PathBuf::as_path).ok_or_else(|| Errno::NOENT.into())
    }

    fn open(&self, path: &RelPath) -> io::Result<(File, Stat)> {
        let file = File::open(self.place(path)?)?;
        let stat = stat_of(&file.metadata()?);
        match stat.kind {
            EntryKind::File => Ok((file, stat)),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }
}

fn stat_of(metadata: &Metadata) -> Stat {
    let nanoseconds =
        |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    Stat {
        kind: if metadata.is_file() { EntryKind::File } else { EntryKind::Special },
        mode: metadata.mode() & 0o7777,
        links: metadata.nlink(),
        pinned: None,
        identity: FileIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        },
    }
}

/// What every operation says that would write.
fn read_only<T>() -> io::Result<T> {
    Err(Errno::ROFS.into())
}

impl Fs for ListedFs {
    fn absolute_root(&self) -> Option<&str> {
        None
    }

    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        if self.folders.contains_key(&Some(path.clone())) {
            let identity = FileIdentity::default();
            return Ok(Some(Stat {
                kind: EntryKind::Directory,
                mode: 0o555,
                links: 1,
                pinned: None,
                identity,
            }));
        }
        match self.listing.get(path) {
            Some(file) => Ok(Some(stat_of(&file.metadata()?))),
            None => Ok(None),
        }
    }

    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        let (file, stat) = self.open(path)?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > limit {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok((bytes, stat)),
        }
    }

    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let (mut file, _) = self.open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)> {
        let (bytes, stat) = self.read(path, u64::MAX - 1)?;
        Ok((ContentHash::of(&bytes), stat))
    }

    fn read_link(&self, _path: &RelPath) -> io::Result<String> {
        Err(Errno::INVAL.into())
    }

    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>> {
        let names = self.folders.get(&directory.cloned());
        if names.is_none() && directory.is_some() {
            return Err(Errno::NOENT.into());
        }
        let kind = |is_folder: bool| if is_folder { EntryKind::Directory } else { EntryKind::File };
        let names = names.into_iter().flatten();
        Ok(names.map(|(name, is_folder)| (name.clone(), kind(*is_folder))).collect())
    }

    fn is_writable(&self, _path: &RelPath) -> io::Result<bool> {
        Ok(false)
    }

    fn create(&self, _: &RelPath, _: &[u8], _: &Attributes) -> io::Result<()> {
        read_only()
    }

    fn append(&self, _: &RelPath, _: &[u8]) -> io::Result<()> {
        read_only()
    }

    fn create_directory(&self, _: &RelPath, _: u32) -> io::Result<()> {
        read_only()
    }

    fn rename(&self, _: &RelPath, _: &RelPath) -> io::Result<()> {
        read_only()
    }

    fn rename_new(&self, _: &RelPath, _: &RelPath) -> io::Result<()> {
        read_only()
    }

    fn exchange(&self, _: &RelPath, _: &RelPath) -> io::Result<()> {
        read_only()
    }

    fn remove_file(&self, _: &RelPath) -> io::Result<()> {
        read_only()
    }

    fn remove_directory(&self, _: &RelPath) -> io::Result<()> {
        read_only()
    }

    fn sync_files(&self, _: &[RelPath]) -> io::Result<()> {
        read_only()
    }

    fn sync_directories(&self, _: &[Option<RelPath>]) -> io::Result<()> {
        read_only()
    }

    fn lock(&self, _: Share, _: Duration) -> io::Result<Option<Box<dyn LockGuard>>> {
        read_only()
    }

    fn lock_holder(&self) -> Option<u32> {
        None
    }

    fn nonce(&self) -> io::Result<u64> {
        read_only()
    }
}
