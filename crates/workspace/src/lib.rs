//! The user's files: reading them, and changing them in transactions that survive a crash and can be undone.
//!
//! A [`Workspace`] reads the disk twice at most, by [`Workspace::scan`] or [`Workspace::load`], and writes it in one way,
//! [`Workspace::commit`]. Everything happens beneath one root, reached without following links; how a commit
//! works, and why a crash cannot leave it in between, is written down in `journal.rs`. What is kept beside it only to save
//! time is in `cache.rs`.
//!
//! Knows nothing about documents, patches, diagnostics or rules.
#![expect(clippy::disallowed_methods, reason = "this is the edge where files are touched")]
#![warn(missing_docs)]

mod approvals;
mod cache;
mod commit;
mod fs;
mod history;
mod images;
mod journal;
mod load;
mod lock;
mod mem_fs;
mod os_fs;
mod prepare;
mod protection;
mod recover;
mod resolve;
mod restore;
mod root;
mod scan;
mod scratch;
mod step;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use edit::{ContentHash, Text};
use snapshot::{FileIndex, IndexError, RelPath, TreeChange};

pub use approvals::approval_path;
pub use cache::{MAX_CACHE_BYTES, program_identity};
pub use commit::{CommitError, IndexUpdate, Meta};
pub use fs::{Attributes, Fs, Held, Identity, Kind, Pinned, Stat};
pub use history::{Retention, Touched, Transaction, UndoError, UndoPlan};
pub use journal::{JournalError, ParseIdError, TransactionId};
pub use load::{LoadError, Loaded};
pub use lock::LockError;
pub use mem_fs::{Fault, MemFs, Survival};
pub use os_fs::OsFs;
pub use recover::{RecoverError, Recovered};
pub use resolve::Refusal;
pub use root::find_root;
pub use scan::{Extent, ScanError, ScanOptions, Scanned, Skipped};
pub use scratch::{ScratchError, write_copy};
pub use step::StepError;

use step::{Ctx, step};

/// Files larger than this are not read unless the user says otherwise.
pub const DEFAULT_MAX_FILE_SIZE: u64 = 64 * 1024 * 1024;

/// What the store keeps out of version control.
const GITIGNORE: &[u8] = b"*\n!.gitignore\n!files.json\n!approvals/\n!approvals/**\n";

/// What is kept without being asked for.
const DEFAULT_RETENTION: Retention = Retention { transactions: 200, bytes: 1024 * 1024 * 1024 };

/// Whether a workspace may be written, decided when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Nothing is written, `.regreen` included; an unfinished transaction is an error.
    ReadOnly,
    /// Transactions may be made and recovered.
    ReadWrite,
}

/// Whether a transaction waits for stable storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// A power failure at any point leaves the old tree or the new one.
    Full,
    /// A crash of the process does, a power failure may not. For scratch trees and measurements.
    None,
}

/// How a workspace is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether it may be written.
    pub access: Access,
    /// Whether transactions wait for stable storage.
    pub durability: Durability,
    /// How long to wait for another process.
    pub lock_wait: Duration,
    /// Files larger than this are not read.
    pub max_file_size: u64,
}

impl Options {
    /// Durable, with the default limits.
    pub fn new(access: Access) -> Options {
        let lock_wait = Duration::from_secs(10);
        Options {
            access,
            durability: Durability::Full,
            lock_wait,
            max_file_size: DEFAULT_MAX_FILE_SIZE,
        }
    }
}

/// The file index as it is on disk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoadedIndex {
    /// The hash of its text; `None` if there is no index.
    pub base: Option<ContentHash>,
    /// The index; empty if there is none.
    pub index: FileIndex,
}

/// Why the file index was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexLoadError {
    /// Its text is not an index.
    #[error("`.regreen/files.json`: {0}")]
    Invalid(#[from] IndexError),
    /// Its text is not UTF-8.
    #[error("`.regreen/files.json` is not UTF-8")]
    NotUtf8,
    /// The file system reported an error.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// The files beneath one root.
pub struct Workspace {
    fs: Arc<dyn Fs>,
    root: Option<PathBuf>,
    options: Options,
}

impl Workspace {
    /// Opens the directory. Nothing is created, recovered or locked yet.
    pub fn open(root: &Path, options: Options) -> io::Result<Workspace> {
        let fs = Arc::new(OsFs::open(root)?);
        Ok(Workspace { fs, root: Some(root.to_owned()), options })
    }

    /// Works on a file system of the caller's, which cannot be scanned.
    pub fn with_fs(fs: Arc<dyn Fs>, options: Options) -> Workspace {
        Workspace { fs, root: None, options }
    }

    /// How it was opened.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Reads the tree of sources, by `jobs` threads.
    pub fn scan(&self, jobs: usize) -> Result<Scanned, ScanError> {
        self.scan_extent(jobs, Extent::Sources)
    }

    /// Reads the tree, as far as the caller takes it to go, by `jobs` threads.
    pub fn scan_extent(&self, jobs: usize, extent: Extent) -> Result<Scanned, ScanError> {
        let no_root = || ScanError::Root(io::ErrorKind::Unsupported.into());
        let root = self.root.as_deref().ok_or_else(no_root)?;
        let options = ScanOptions { max_file_size: self.options.max_file_size, jobs, extent };
        scan::scan(&*self.fs, root, &options)
    }

    /// The paths of all files, sorted, and nothing of what is in them; none if there are more than `limit`, which would be
    /// some of them in no order, or if there is no folder to list.
    pub fn list(&self, limit: usize) -> Vec<RelPath> {
        self.root.as_deref().and_then(|root| scan::list(root, limit)).unwrap_or_default()
    }

    /// Reads just these files, with what is needed to judge a change of them. A path that does not exist is not an
    /// error; one that must not be read is in [`Loaded::refused`].
    pub fn load(&self, paths: &[RelPath]) -> Result<Loaded, LoadError> {
        load::load(&*self.fs, paths, self.options.max_file_size)
    }

    /// Reads the file index.
    pub fn load_index(&self) -> Result<LoadedIndex, IndexLoadError> {
        let path = journal::index_path();
        if step("look at", &path, self.fs.stat(&path))?.is_none() {
            return Ok(LoadedIndex::default());
        }
        let (bytes, _) = step("read", &path, self.fs.read(&path, self.options.max_file_size))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| IndexLoadError::NotUtf8)?;
        Ok(LoadedIndex { base: Some(ContentHash::of(&bytes)), index: FileIndex::parse(text)? })
    }

    /// Finishes or takes back what a crash left behind. Writes nothing if there is nothing to do; with
    /// [`Access::ReadOnly`] an unfinished transaction is an error.
    pub fn recover(&self) -> Result<Recovered, RecoverError> {
        let ctx = self.ctx();
        let Some((id, _)) = recover::pending(&ctx)? else { return Ok(Recovered::Clean) };
        if self.options.access == Access::ReadOnly {
            return Err(RecoverError::Pending { id });
        }
        // What looks unfinished may be a transaction at work; its lock is waited for.
        let _lock = lock::lock(&*self.fs, self.options.lock_wait)?;
        recover::recover(&ctx)
    }

    /// Makes the change, all of it or none, and returns the number of the transaction; `None` if there was nothing to
    /// change. Every hash in the change is compared with the disk first.
    pub fn commit(
        &self,
        change: &TreeChange,
        index: Option<&IndexUpdate>,
        meta: &Meta,
    ) -> Result<Option<TransactionId>, CommitError> {
        let ctx = self.ctx();
        self.check_access()?;
        if change.is_empty() && index.is_none() {
            return Ok(None);
        }
        let _lock = self.begin_writing(&ctx)?;
        let index = index.map(|update| commit::IndexWrite {
            base: update.base,
            text: Some(Text::new(update.index.render()))
                .filter(|_| update.base.is_some() || !update.index.is_empty()),
        });
        let id =
            commit::commit(&ctx, change, index.as_ref(), meta, None, self.options.max_file_size)?;
        self.prune_quietly(&ctx, id);
        Ok(id)
    }

    /// Undoes a transaction, by default the newest that is neither undone nor an undo, in a transaction of its own.
    /// Returns the undone one and the new one; `None` if there is nothing to undo. Refuses if a file changed since.
    pub fn undo(
        &self,
        id: Option<TransactionId>,
        meta: &Meta,
    ) -> Result<Option<(TransactionId, TransactionId)>, UndoError> {
        let ctx = self.ctx();
        self.check_access()?;
        if id.is_none() && journal::list(&*self.fs)?.is_empty() {
            return Ok(None);
        }
        let _lock = self.begin_writing(&ctx)?;
        let undone = history::undo(&ctx, id, meta, self.options.max_file_size)?;
        self.prune_quietly(&ctx, undone.map(|(_, id)| id));
        Ok(undone)
    }

    /// What [`Workspace::undo`] would do, with all of its refusals. Writes nothing and takes no lock, so that it works
    /// with [`Access::ReadOnly`]; what another process does meanwhile is for the undo itself to find.
    pub fn plan_undo(&self, id: Option<TransactionId>) -> Result<Option<UndoPlan>, UndoError> {
        history::plan_undo(&self.ctx(), id, self.options.max_file_size)
    }

    /// The transactions that are done and not forgotten, oldest first.
    pub fn log(&self) -> Result<Vec<Transaction>, JournalError> {
        history::log(&self.ctx())
    }

    /// Forgets the oldest transactions until the rest is within the limits. Returns what was forgotten.
    pub fn prune(&self, retention: Retention) -> Result<Vec<TransactionId>, CommitError> {
        let ctx = self.ctx();
        self.check_access()?;
        if journal::list(&*self.fs)?.is_empty() {
            return Ok(Vec::new());
        }
        let _lock = self.begin_writing(&ctx)?;
        history::prune(&ctx, retention)
    }

    fn ctx(&self) -> Ctx<'_> {
        Ctx { fs: &*self.fs, durability: self.options.durability }
    }

    fn check_access(&self) -> Result<(), CommitError> {
        match self.options.access {
            Access::ReadOnly => Err(CommitError::ReadOnlyAccess),
            Access::ReadWrite => Ok(()),
        }
    }

    /// Makes the store if need be, takes the lock and recovers.
    fn begin_writing(&self, ctx: &Ctx<'_>) -> Result<Box<dyn Held>, CommitError> {
        let store = journal::store_path();
        make_directory(ctx, &store, 0o755)?;
        let lock = lock::lock(&*self.fs, self.options.lock_wait)?;
        let (ignore, transactions) = (journal::ignore_path(), journal::transactions_path());
        if step("look at", &transactions, self.fs.stat(&transactions))?.is_none() {
            if step("look at", &ignore, self.fs.stat(&ignore))?.is_none() {
                let attributes = Attributes::New { mode: 0o644 };
                step("write", &ignore, self.fs.create(&ignore, GITIGNORE, &attributes))?;
                ctx.sync_files(&[ignore])?;
                ctx.sync_directories(&[Some(store.clone())])?;
            }
            // Last, so that the store is whole once this is there.
            make_directory(ctx, &transactions, 0o700)?;
            ctx.sync_directories(&[Some(store), None])?;
        }
        recover::recover(ctx)?;
        Ok(lock)
    }

    /// Keeps the undo images within bounds. The transaction is done whatever comes of this, so an error waits for the
    /// next one to show it.
    fn prune_quietly(&self, ctx: &Ctx<'_>, id: Option<TransactionId>) {
        if id.is_some() {
            let _ = history::prune(ctx, DEFAULT_RETENTION);
        }
    }
}

/// Two processes may get here at once; it is fine if the other one was first.
fn make_directory(ctx: &Ctx<'_>, path: &RelPath, mode: u32) -> Result<(), StepError> {
    match step("look at", path, ctx.fs.stat(path))?.map(|stat| stat.kind) {
        Some(Kind::Directory) => Ok(()),
        Some(_) => step(
            "use",
            path,
            Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory")),
        ),
        None => match ctx.fs.create_directory(path, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => step("create", path, result),
        },
    }
}
