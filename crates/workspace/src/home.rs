//! The user's own folders: where regreen keeps what no repository may bring along. The state folder holds a key, which
//! nobody else can read, and the records that are worth something only here: state of roots outside git, what the
//! user trusts. The cache folder holds what can be found out again.
//!
//! The folders are resolved once; below them no link is followed. Nothing here is used that belongs to somebody else, and
//! nothing that lies in the workspace itself, because a clone could have put it there.

use std::io;
use std::path::{Path, PathBuf};

use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, Fs};
use crate::os_fs::{OsFs, fill_random};

const KEY: &str = "key";
const KEY_BYTES: usize = 32;
/// The most bytes of a record that is kept for the user.
const MAX_RECORD: u64 = 4 * 1024 * 1024;

/// The user's folders for state and caches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Home {
    /// Where state goes: `$XDG_STATE_HOME/regreen` or what stands in for it.
    pub state: Option<PathBuf>,
    /// Where caches go: `$XDG_CACHE_HOME/regreen`.
    pub cache: Option<PathBuf>,
}

/// Why the user's own folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// There is none.
    #[error("there is no home folder to keep state in")]
    Missing,
    /// It lies in the workspace, or the workspace in it.
    #[error("of the state folder {} and the workspace, one contains the other", .path.display())]
    Inside {
        /// The folder.
        path: PathBuf,
    },
    /// It belongs to somebody else.
    #[error("the state folder {} belongs to another user", .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Something in it is not what regreen wrote.
    #[error("{} in the state folder is not what regreen wrote", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file system reported an error.
    #[error("cannot use the state folder {}: {source}", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

/// A secret of this user on this machine.
#[derive(Clone, Copy)]
pub(crate) struct Key([u8; KEY_BYTES]);

impl Key {
    /// What nobody can write down who does not know the key.
    pub(crate) fn seal(&self, purpose: &str, parts: &[&[u8]]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// The state folder of the user, open.
pub(crate) struct OpenHome {
    pub(crate) fs: OsFs,
}

impl Home {
    /// The state folder if it is there and can be used for this root; `None` if it is not there.
    pub(crate) fn open(&self, root: &Path) -> Result<Option<OpenHome>, HomeError> {
        let path = self.state.clone().ok_or(HomeError::Missing)?;
        check_apart(&path, root)?;
        match OsFs::open(&path) {
            Ok(fs) => check_owner(fs, path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(HomeError::Io { path, source }),
        }
    }

    /// The state folder, made if it is not there.
    pub(crate) fn open_or_create(&self, root: &Path) -> Result<OpenHome, HomeError> {
        if let Some(home) = self.open(root)? {
            return Ok(home);
        }
        let path = self.state.clone().ok_or(HomeError::Missing)?;
        use std::os::unix::fs::DirBuilderExt;
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&path).map_err(|source| HomeError::Io { path: path.clone(), source })?;
        // Whoever made a folder on the way could have led it into the workspace.
        check_apart(&path, root)?;
        let fs =
            OsFs::open(&path).map_err(|source| HomeError::Io { path: path.clone(), source })?;
        check_owner(fs, path)
    }
}

impl Home {
    /// The cache folder, if it is there, is this user's own and lies apart from the root.
    pub(crate) fn open_cache(folder: &Path, root: &Path) -> Option<OsFs> {
        check_apart(folder, root).ok()?;
        let fs = OsFs::open(folder).ok()?;
        let stat = fs.root_stat().ok()?;
        (stat.owner == rustix::process::geteuid().as_raw()).then_some(fs)
    }
}

/// The folder must lie outside the root, and the root outside the folder, both without links.
pub(crate) fn check_apart(path: &Path, root: &Path) -> Result<(), HomeError> {
    let inside = || HomeError::Inside { path: path.to_owned() };
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let path = canonical_start(path);
    if path.starts_with(&root) || root.starts_with(&path) { Err(inside()) } else { Ok(()) }
}

/// The path without links, as far as it exists.
fn canonical_start(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|it| Some((it, it.canonicalize().ok()?)));
    match existing {
        Some((start, canonical)) => {
            path.strip_prefix(start).map_or_else(|_| canonical.clone(), |rest| canonical.join(rest))
        }
        None => path.to_owned(),
    }
}

fn check_owner(fs: OsFs, path: PathBuf) -> Result<OpenHome, HomeError> {
    let stat = fs.root_stat().map_err(|source| HomeError::Io { path: path.clone(), source })?;
    if stat.owner != rustix::process::geteuid().as_raw() {
        return Err(HomeError::Foreign { path });
    }
    Ok(OpenHome { fs })
}

fn name(text: &str) -> RelPath {
    RelPath::parse(text).expect("the names of this module are paths")
}

impl OpenHome {
    pub(crate) fn path(&self) -> &Path {
        self.fs.root()
    }

    pub(crate) fn error(&self, source: io::Error) -> HomeError {
        HomeError::Io { path: self.path().to_owned(), source }
    }

    /// The user's key; `None` if there is none yet.
    pub(crate) fn key(&self) -> Result<Option<Key>, HomeError> {
        let Some(bytes) = self.read(&name(KEY))? else { return Ok(None) };
        let text = std::str::from_utf8(&bytes).unwrap_or_default().trim_end();
        match parse_key(text) {
            Some(key) => Ok(Some(key)),
            None => Err(HomeError::Damaged { path: self.path().join(KEY) }),
        }
    }

    /// The user's key, made if there is none yet.
    pub(crate) fn key_or_create(&self) -> Result<Key, HomeError> {
        if let Some(key) = self.key()? {
            return Ok(key);
        }
        let mut bytes = [0; KEY_BYTES];
        fill_random(&mut bytes).map_err(|source| self.error(source))?;
        let text: String =
            bytes.iter().map(|it| format!("{it:02x}")).chain(["\n".into()]).collect();
        // Under its name only when it is whole; whoever was faster made the key that counts.
        match self.place(&name(KEY), text.as_bytes(), Placing::New) {
            Ok(()) => Ok(Key(bytes)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.key()?.ok_or(HomeError::Damaged { path: self.path().join(KEY) })
            }
            Err(error) => Err(self.error(error)),
        }
    }

    /// A record; `None` if it is not there.
    pub(crate) fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, HomeError> {
        match self.fs.read(path, MAX_RECORD) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Replaces a record, all of it or nothing.
    pub(crate) fn write(&self, path: &RelPath, bytes: &[u8]) -> Result<(), HomeError> {
        if let Some(folder) = path.parent() {
            self.make_folder(&folder)?;
        }
        self.place(path, bytes, Placing::Replace).map_err(|source| self.error(source))
    }

    /// Removes a record; `false` if it was not there.
    pub(crate) fn remove(&self, path: &RelPath) -> Result<bool, HomeError> {
        match self.fs.remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.error(error)),
        }
    }

    pub(crate) fn make_folder(&self, folder: &RelPath) -> Result<(), HomeError> {
        make_folder(&self.fs, folder).map_err(|source| self.error(source))
    }

    fn place(&self, path: &RelPath, bytes: &[u8], placing: Placing) -> io::Result<()> {
        place(&self.fs, path, bytes, placing)
    }
}

/// What becomes of a file that already exists.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Placing {
    New,
    Replace,
}

/// Writes a small private file under its name only when all of it is on stable storage.
pub(crate) fn place(fs: &OsFs, path: &RelPath, bytes: &[u8], placing: Placing) -> io::Result<()> {
    let temporary = format!(".{}.{:016x}", path.file_name(), fs.nonce()?);
    let temporary = crate::commit::beside(path, &temporary);
    let placed = fs
        .create(&temporary, bytes, &Attributes::Exact { mode: 0o600 })
        .and_then(|()| fs.sync_files(std::slice::from_ref(&temporary)))
        .and_then(|()| match placing {
            Placing::Replace => fs.rename(&temporary, path),
            Placing::New => match fs.rename_new(&temporary, path) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => match fs.stat(path)? {
                    Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    None => fs.rename(&temporary, path),
                },
                placed => placed,
            },
        })
        .and_then(|()| fs.sync_directories(&[path.parent()]));
    if placed.is_err() {
        // The first error is the one to tell; the file may not even be there.
        let _ = fs.remove_file(&temporary);
    }
    placed
}

/// Makes a private folder and those above it, as far as they are missing.
pub(crate) fn make_folder(fs: &OsFs, folder: &RelPath) -> io::Result<()> {
    let mut missing: Vec<RelPath> = folder.ancestors().collect();
    missing.reverse();
    missing.push(folder.clone());
    for path in missing {
        match fs.stat(&path)?.map(|it| it.kind) {
            Some(EntryKind::Directory) => continue,
            Some(_) => return Err(io::ErrorKind::NotADirectory.into()),
            None => {}
        }
        match fs.create_directory(&path, 0o700) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => fs.sync_directories(&[path.parent()])?,
        }
    }
    Ok(())
}

fn parse_key(text: &str) -> Option<Key> {
    let digits = text.as_bytes();
    if digits.len() != 2 * KEY_BYTES {
        return None;
    }
    let mut bytes = [0; KEY_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(Key(bytes))
}
