//! Where the state of a root is: journal, undo images, registry. It lies where a clone cannot put anything.
//!
//! ```text
//! TOP/.git/regreen/NAME/         where `.git` is a real folder of this user; NAME is a hash of the root's path in TOP
//! STATE/roots/NAME/              everywhere else; NAME is a hash of the root's own path
//!   marker                       who made the folder, sealed with the user's key
//!   txn/                         the transactions, see `journal.rs`
//! STATE/runs/NAME/               copies of the tree for tools, which do not belong into a git directory
//! ```
//!
//! A folder without a marker that this user's key made for this very folder is not used, whoever put it there: an
//! archive that brings a `.git/regreen`, a copy of a repository, a folder that now stands where another one stood. The
//! next command that writes sets it aside under another name.
//!
//! What a marker is bound to is the folder's inode and the time at which it was made. Device numbers change from one start
//! of a machine to the next, and a transaction that the power failure interrupted must be found after it; they
//! count only where a file system does not keep that time.

use std::io;
use std::path::{Path, PathBuf};

use snapshot::RelPath;

use crate::fs::{EntryKind, Fs};
use crate::home::{self, Home, HomeError, Key, OpenHome, Placing};
use crate::os_fs::{OsFs, RootStat};
use crate::repository::Repository;

const MARKER: &str = "marker";
/// Two seals, one for each place, and their line ends.
const MAX_MARKER: u64 = 4096;
/// Folders of another state that stand at one name.
const MAX_ASIDE: usize = 1000;

/// Why there is no place for state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The user's own folder cannot be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// Something that is not a folder stands in the way.
    #[error("{} is not a folder of its own", .path.display())]
    NotAFolder {
        /// What stands there.
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

/// Where the state of one root is, whether or not there is any.
#[derive(Clone, Debug)]
pub(crate) struct StatePlace {
    /// Without links.
    root: PathBuf,
    home: Home,
    repository: Option<Repository>,
}

/// State that is this user's own.
pub(crate) struct StateFolder {
    pub(crate) fs: OsFs,
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Git,
    Own,
}

impl StatePlace {
    pub(crate) fn new(root: &Path, home: Home) -> io::Result<StatePlace> {
        let root = root.canonicalize()?;
        let repository = Repository::around(&root);
        Ok(StatePlace { root, home, repository })
    }

    /// The folder that the lock is taken on.
    pub(crate) fn lock_folder(&self) -> &Path {
        self.repository.as_ref().map_or(&self.root, |it| &it.top)
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// The state that is there. Whatever keeps it from being used, a reader goes on without it.
    pub(crate) fn open_existing(&self) -> Option<StateFolder> {
        let home = self.home.open(&self.root).ok()??;
        let key = home.key().ok()??;
        let folder = self.open_in_git(&key).or_else(|| self.open_own(&home, &key))?;
        Some(StateFolder { fs: folder })
    }

    /// The state, made if there is none. The caller holds the lock.
    pub(crate) fn open_or_create(&self) -> Result<StateFolder, StateError> {
        let home = self.home.open_or_create(&self.root)?;
        let key = home.key_or_create()?;
        let Some(git) = self.repository.as_ref().and_then(Repository::own_git_directory) else {
            let parent = RelPath::parse("roots").expect("the constant is a path");
            home.make_folder(&parent)?;
            let at = |source| StateError::Io { path: home.path().to_owned(), source };
            let roots = home.fs.beneath(&parent).map_err(at)?;
            return self.open_or_create_in(&roots, &self.own_name(), &key, Layout::Own);
        };
        let at = |source| StateError::Io { path: git.clone(), source };
        let parent = RelPath::parse("regreen").expect("the constant is a path");
        let base = OsFs::open_real(&git).map_err(at)?;
        match home::make_folder(&base, &parent) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(StateError::NotAFolder { path: git.join("regreen") });
            }
            made => made.map_err(at)?,
        }
        let regreen = base.beneath(&parent).map_err(at)?;
        let name = self.git_name();
        if self.open_in_git(&key).is_none()
            && let Some(own) = self.open_own(&home, &key)
        {
            self.move_over(&home, &own, &regreen, &name, &key)?;
        }
        self.open_or_create_in(&regreen, &name, &key, Layout::Git)
    }

    /// What stands where the state belongs and is not this user's own, so that it is not used.
    pub(crate) fn foreign(&self) -> Option<PathBuf> {
        if self.open_existing().is_some() {
            return None;
        }
        let git = self.repository.as_ref().and_then(Repository::own_git_directory);
        let place = match git {
            Some(git) => git.join("regreen").join(self.git_name()),
            None => self.home.state.as_ref()?.join("roots").join(self.own_name()),
        };
        place.symlink_metadata().is_ok().then_some(place)
    }

    /// The folder for copies of the tree, made if it is not there.
    pub(crate) fn runs(&self) -> Result<PathBuf, StateError> {
        let home = self.home.open_or_create(&self.root)?;
        let folder =
            RelPath::parse(&format!("runs/{}", self.own_name())).expect("hex digits are a segment");
        home.make_folder(&folder)?;
        Ok(home.path().join(folder.as_str()))
    }

    /// The name of what is kept about this root in the user's own folders.
    pub(crate) fn own_name(&self) -> String {
        hashed(self.root.as_os_str().as_encoded_bytes())
    }

    fn git_name(&self) -> String {
        let top = self.repository.as_ref().map_or(self.root.as_path(), |it| &it.top);
        let inner = self.root.strip_prefix(top).unwrap_or(&self.root);
        hashed(inner.as_os_str().as_encoded_bytes())
    }

    fn open_in_git(&self, key: &Key) -> Option<OsFs> {
        let git = self.repository.as_ref()?.own_git_directory()?;
        let path = RelPath::parse(&format!("regreen/{}", self.git_name())).ok()?;
        let folder = OsFs::open_real(&git).ok()?.beneath(&path).ok()?;
        self.is_ours(&folder, key, Layout::Git).then_some(folder)
    }

    fn open_own(&self, home: &OpenHome, key: &Key) -> Option<OsFs> {
        let path = RelPath::parse(&format!("roots/{}", self.own_name())).ok()?;
        let folder = home.fs.beneath(&path).ok()?;
        self.is_ours(&folder, key, Layout::Own).then_some(folder)
    }

    fn open_or_create_in(
        &self,
        parent: &OsFs,
        name: &str,
        key: &Key,
        layout: Layout,
    ) -> Result<StateFolder, StateError> {
        let at = |source| StateError::Io { path: parent.root().join(name), source };
        let path = RelPath::parse(name).expect("hex digits are a segment");
        match parent.stat(&path).map_err(at)?.map(|it| it.kind) {
            Some(EntryKind::Directory) => {
                let folder = parent.beneath(&path).map_err(at)?;
                if self.is_ours(&folder, key, layout) {
                    return Ok(StateFolder { fs: folder });
                }
                set_aside(parent, &path).map_err(at)?;
            }
            Some(_) => set_aside(parent, &path).map_err(at)?,
            None => {}
        }
        parent.create_directory(&path, 0o700).map_err(at)?;
        let folder = parent.beneath(&path).map_err(at)?;
        self.mark(&folder, key, &[layout]).map_err(at)?;
        parent.sync_directories(&[None]).map_err(at)?;
        Ok(StateFolder { fs: folder })
    }

    fn is_ours(&self, folder: &OsFs, key: &Key, layout: Layout) -> bool {
        let Ok(stat) = folder.root_stat() else { return false };
        if stat.owner != rustix::process::geteuid().as_raw() {
            return false;
        }
        let Ok(seal) = self.seal(&stat, key, layout) else { return false };
        let marker = RelPath::parse(MARKER).expect("the constant is a path");
        let Ok((bytes, _)) = folder.read(&marker, MAX_MARKER) else { return false };
        let text = String::from_utf8_lossy(&bytes);
        text.lines().any(|it| it == seal)
    }

    fn mark(&self, folder: &OsFs, key: &Key, layouts: &[Layout]) -> io::Result<()> {
        let stat = folder.root_stat()?;
        let mut text = String::new();
        for layout in layouts {
            text.push_str(&self.seal(&stat, key, *layout)?);
            text.push('\n');
        }
        let marker = RelPath::parse(MARKER).expect("the constant is a path");
        home::place(folder, &marker, text.as_bytes(), Placing::Replace)
    }

    fn seal(&self, folder: &RootStat, key: &Key, layout: Layout) -> io::Result<String> {
        Ok(match layout {
            // The root may move together with its repository.
            Layout::Git => key.seal("state in a git directory", &[&identity(folder)]),
            Layout::Own => {
                let root = OsFs::open(&self.root)?.root_stat()?;
                let path = self.root.as_os_str().as_encoded_bytes();
                key.seal("state of a root", &[&identity(folder), path, &identity(&root)])
            }
        })
    }

    /// The state of a root that has become part of a repository. At every moment one of the two places has a marker that
    /// holds.
    fn move_over(
        &self,
        home: &OpenHome,
        own: &OsFs,
        regreen: &OsFs,
        name: &str,
        key: &Key,
    ) -> Result<(), StateError> {
        let at = |source| StateError::Io { path: regreen.root().join(name), source };
        let path = RelPath::parse(name).expect("hex digits are a segment");
        if regreen.stat(&path).map_err(at)?.is_some() {
            set_aside(regreen, &path).map_err(at)?;
        }
        self.mark(own, key, &[Layout::Own, Layout::Git]).map_err(at)?;
        let from = home.path().join("roots").join(self.own_name());
        match std::fs::rename(&from, regreen.root().join(name)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let moving = RelPath::parse(&format!("{name}.moving")).expect("it is a segment");
                let target = regreen.root().join(moving.as_str());
                if regreen.stat(&moving).map_err(at)?.is_some() {
                    std::fs::remove_dir_all(&target).map_err(at)?;
                }
                copy_folder(&from, &target).map_err(at)?;
                let copied = regreen.beneath(&moving).map_err(at)?;
                self.mark(&copied, key, &[Layout::Git]).map_err(at)?;
                regreen.rename(&moving, &path).map_err(at)?;
                regreen.sync_directories(&[None]).map_err(at)?;
                return std::fs::remove_dir_all(&from).map_err(at);
            }
            Err(error) => return Err(at(error)),
        }
        regreen.sync_directories(&[None]).map_err(at)
    }
}

/// Gives what stands at the name another one.
fn set_aside(parent: &OsFs, path: &RelPath) -> io::Result<()> {
    for n in 1..=MAX_ASIDE {
        let aside = crate::commit::beside(path, &format!("{}.aside-{n}", path.file_name()));
        if parent.stat(&aside)?.is_none() {
            parent.rename(path, &aside)?;
            parent.sync_directories(&[None])?;
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too much was set aside here"))
}

/// Copies the files and folders of a state folder, on stable storage when this returns. There are no links in one; what
/// is one all the same stays behind.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &target)?;
            std::fs::File::open(&target)?.sync_all()?;
        }
    }
    std::fs::File::open(to)?.sync_all()
}

pub(crate) fn identity(stat: &RootStat) -> Vec<u8> {
    let mut bytes = stat.identity.inode.to_le_bytes().to_vec();
    match stat.born {
        Some(born) => bytes.extend(born.to_le_bytes()),
        None => bytes.extend(stat.identity.device.to_le_bytes()),
    }
    bytes
}

pub(crate) fn hashed(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().as_str()[..32].to_owned()
}
