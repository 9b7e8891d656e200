//! The user's files: reading them, and changing them in transactions that survive a crash and can be undone.
//!
//! A [`Workspace`] reads the disk twice at most, by [`Workspace::scan`] or [`Workspace::load`], and writes it in one way,
//! [`Workspace::commit`]. Everything happens beneath one root, reached without following links; how a commit
//! works, and why a crash cannot leave it in between, is written down in `journal.rs`, and why nobody's save is lost in
//! `displace.rs`. What regreen keeps for itself lies outside the tree, where no clone can put anything: `state.rs`.
//!
//! The same code runs on file systems of the caller's ([`Fs`]). [`MemFs`] is one in memory that can fail or forget at every
//! step, and so the tests crash a commit wherever it can crash.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use edit::{Edit, EditSet, Text};
//! use snapshot::{RelPath, TreeChange};
//! use workspace::{Fs, MemFs, Meta, OpenMode, Options, Workspace};
//!
//! let fs = Arc::new(MemFs::new());
//! let path = RelPath::parse("app.yaml")?;
//! fs.put(&path, b"port: eighty\n", 0o644)?;
//! let state: Arc<dyn Fs> = Arc::new(fs.beneath(&RelPath::parse(".state")?)?);
//! let workspace = Workspace::with_fs(fs.clone(), state, Options::new(OpenMode::ReadWrite));
//!
//! // A change is bound to the bytes that it was made for.
//! let before = Text::new("port: eighty\n");
//! let edits = EditSet::new(&before, vec![Edit::replace(6, 12, "80")])?;
//! let none = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
//! let change = TreeChange::new([(path.clone(), edits)].into(), none.0, none.1, none.2)?;
//! let meta = Meta { command: "example".to_owned(), ..Meta::default() };
//! let id = workspace.commit(&change, None, &meta)?.ok_or("there is something to change")?;
//! assert_eq!(workspace.load(&[path.clone()])?.snapshot.file(&path).map(|it| it.text().len()), Some(9));
//!
//! // Committed twice, it is refused: the file is another one now. Undone, it is as it was.
//! assert!(workspace.commit(&change, None, &meta).is_err());
//! workspace.undo(Some(id), &meta)?;
//! let after = workspace.load(&[path.clone()])?.snapshot.file(&path).map(|it| it.text());
//! assert_eq!(after.as_ref().map(|it| it.bytes()), Some(before.bytes()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about documents, patches, diagnostics or rules.
#![expect(clippy::disallowed_methods, reason = "this is the edge where files are touched")]
#![warn(missing_docs)]

mod cache;
mod commit;
mod displace;
mod fs;
mod git_index;
mod history;
mod home;
mod hook_fs;
mod identity;
mod images;
mod interrupt;
mod journal;
mod listed;
mod load;
mod lock;
mod mem_fs;
mod os_fs;
mod prepare;
mod protection;
mod publish;
mod reader;
mod recover;
mod registries;
mod repository;
mod resolve;
mod restore;
mod root;
mod scan;
mod scratch;
mod seal;
mod shared;
mod staging;
mod stat_cache;
mod state;
mod step;
mod trust;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use edit::{ContentHash, Text};
use snapshot::{FileIndex, IndexError, RelPath, TreeChange};

pub use cache::{MAX_CACHE_BYTES, SchemaFolder, program_identity};
pub use commit::{CommitError, IndexUpdate, Meta};
pub use fs::{Attributes, EntryKind, FileIdentity, Fs, LockGuard, Pinned, Share, Stat};
pub use git_index::patch::UnknownIndex;
pub use history::{Retention, Touched, Transaction, UndoError, UndoPlan};
pub use home::{Home, HomeError};
pub use hook_fs::HookFs;
pub use identity::{random_id, repository_path};
pub use interrupt::Interrupts;
pub use journal::{JournalError, ParseIdError, TransactionId};
pub use listed::{ListedFiles, ListingError};
pub use load::{LoadError, Loaded};
pub use lock::LockError;
pub use mem_fs::{Beneath, InjectedFault, MemFs, Survival};
pub use os_fs::OsFs;
pub use reader::Reader;
pub use recover::{RecoverError, Recovered};
pub use resolve::PathRefusal;
pub use root::find_root;
pub use scan::{Extent, PassedOver, ScanError, ScanOptions, Scanned, SkippedEntry, Survey};
pub use scratch::{ScratchError, write_copy};
pub use seal::{CacheMagic, Seal};
pub use shared::shared_path;
pub use staging::{GitIndex, StagedEntry, StagingError};
pub use state::StateError;
pub use step::StepError;

use lock::LockPlace;
use state::StatePlace;
use step::{Ctx, step};

/// Files larger than this are not read unless the user says otherwise.
pub const DEFAULT_MAX_FILE_SIZE: u64 = 64 * 1024 * 1024;

/// What is kept without being asked for.
const DEFAULT_RETENTION: Retention = Retention { transactions: 200, bytes: 1024 * 1024 * 1024 };

/// Whether a workspace may be written, decided when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenMode {
    /// Nothing is written; an unfinished transaction stays as it is.
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
    pub access: OpenMode,
    /// Whether transactions wait for stable storage.
    pub durability: Durability,
    /// How long to wait for another process.
    pub lock_wait: Duration,
    /// Files larger than this are not read.
    pub max_file_size: u64,
}

impl Options {
    /// Durable, with the default limits.
    pub fn new(access: OpenMode) -> Options {
        let lock_wait = Duration::from_secs(30);
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

/// Where what regreen keeps for itself is.
#[derive(Clone)]
enum Store {
    /// Nowhere: a build keeps nothing and reads nothing.
    None,
    /// Where the caller says.
    Given(Arc<dyn Fs>),
    /// In the git directory or the user's own folder.
    Place(Box<StatePlace>),
}

/// The files beneath one root.
#[derive(Clone)]
pub struct Workspace {
    fs: Arc<dyn Fs>,
    root: Option<PathBuf>,
    /// The files, if somebody listed them.
    listing: Option<Arc<ListedFiles>>,
    store: Store,
    interrupts: Option<Interrupts>,
    options: Options,
    /// The index of git that goes with the tree, if the caller says which.
    index: Option<Arc<GitIndex>>,
    /// The thread that holds the lock over several steps.
    holder: Arc<Mutex<Option<ThreadId>>>,
}

/// Keeps every other process from writing to the workspace until it is dropped. See [`Workspace::hold`].
pub struct Hold<'a> {
    workspace: &'a Workspace,
    _lock: Box<dyn LockGuard>,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        *self.workspace.holder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The lock, and the state that may be written while it is held.
type Begun = (Box<dyn LockGuard>, Arc<dyn Fs>);

/// Stands for a lock that is held already.
struct HeldAlready;

impl LockGuard for HeldAlready {}

impl Workspace {
    /// Opens the directory, for a user with these folders; without any, no state is read or kept. Nothing is created,
    /// recovered or locked yet.
    pub fn open(root: &Path, home: Option<&Home>, options: Options) -> io::Result<Workspace> {
        let fs = OsFs::open(root)?;
        let (fs, store) = match home {
            None => (fs, Store::None),
            Some(home) => {
                let place = StatePlace::new(root, home.clone())?;
                let lock = LockPlace::Folder(place.lock_folder().to_owned());
                (fs.with_lock(lock), Store::Place(Box::new(place)))
            }
        };
        let index = home.and_then(|_| GitIndex::around(&root.canonicalize().ok()?));
        Ok(Workspace {
            root: Some(root.to_owned()),
            index: index.map(Arc::new),
            ..Workspace::over(Arc::new(fs), store, options)
        })
    }

    /// Works on file systems of the caller's, one for the tree, which cannot be scanned, and one for the state.
    pub fn with_fs(fs: Arc<dyn Fs>, state: Arc<dyn Fs>, options: Options) -> Workspace {
        Workspace::over(fs, Store::Given(state), options)
    }

    fn over(fs: Arc<dyn Fs>, store: Store, options: Options) -> Workspace {
        Workspace {
            fs,
            root: None,
            listing: None,
            store,
            interrupts: None,
            options,
            index: None,
            holder: Arc::default(),
        }
    }

    /// What a transaction did is written down where everybody finds it: a signal may end the process again. Returns the
    /// signal that arrived while files were being written.
    pub fn told(&self) -> Option<i32> {
        let interrupts = self.interrupts.as_ref()?;
        interrupts.set_idle();
        interrupts.received()
    }

    /// The same workspace with another limit for the size of files.
    pub fn with_max_file_size(&self, max_file_size: u64) -> Workspace {
        Workspace { options: Options { max_file_size, ..self.options }, ..self.clone() }
    }

    /// The same workspace, whose transactions end whole when a signal arrives.
    pub fn with_interrupts(self, interrupts: Interrupts) -> Workspace {
        Workspace { interrupts: Some(interrupts), ..self }
    }

    /// The same workspace, on which something happens before every operation on its files, as if another process were at
    /// work: for tests.
    #[must_use]
    pub fn with_hook(
        self,
        hook: impl Fn(usize, &'static str) + Send + Sync + 'static,
    ) -> Workspace {
        let fs: Arc<dyn Fs> = Arc::new(HookFs::new(Arc::clone(&self.fs), hook));
        Workspace { fs, ..self }
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
        if let Some(listing) = &self.listing {
            let is_few = listing.len() <= limit;
            return listing.keys().filter(|_| is_few).cloned().collect();
        }
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
        if step("stat", &path, self.fs.stat(&path))?.is_none() {
            return Ok(LoadedIndex::default());
        }
        let (bytes, _) = step("read", &path, self.fs.read(&path, self.options.max_file_size))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| IndexLoadError::NotUtf8)?;
        Ok(LoadedIndex { base: Some(ContentHash::of(&bytes)), index: FileIndex::parse(text)? })
    }

    /// The transaction that a crash left unfinished. Writes nothing. One that another process is at work on is waited
    /// for.
    pub fn pending(&self) -> Result<Option<TransactionId>, RecoverError> {
        let Some(state) = self.state() else { return Ok(None) };
        let ctx = self.ctx(&*state);
        if recover::pending(&ctx)?.is_none() {
            return Ok(None);
        }
        // Whoever is at work holds the lock; with a shared one, readers do not keep one another out.
        let _lock = match lock::lock(&*self.fs, Share::Shared, self.options.lock_wait) {
            Err(LockError::Io { source }) if lock::is_unsupported(&source) => None,
            locked => Some(locked?),
        };
        Ok(recover::pending(&ctx)?.map(|(id, _)| id))
    }

    /// Finishes or takes back what a crash left behind. Writes nothing if there is nothing to do; with
    /// [`OpenMode::ReadOnly`] an unfinished transaction is an error.
    pub fn recover(&self) -> Result<Recovered, RecoverError> {
        let Some(state) = self.state() else { return Ok(Recovered::Clean) };
        let Some((id, _)) = recover::pending(&self.ctx(&*state))? else {
            return Ok(Recovered::Clean);
        };
        if self.options.access == OpenMode::ReadOnly {
            return Err(RecoverError::Pending { id });
        }
        // What looks unfinished may be a transaction at work; its lock is waited for.
        let _lock = self.lock()?;
        recover::recover(&self.ctx(&*self.writable_state()?))
    }

    /// Makes the change, all of it or none, and returns the number of the transaction; `None` if there was nothing to
    /// change. Every hash in the change is compared with the disk first.
    pub fn commit(
        &self,
        change: &TreeChange,
        index: Option<&IndexUpdate>,
        meta: &Meta,
    ) -> Result<Option<TransactionId>, CommitError> {
        self.commit_with_receipt(change, index, None, meta)
    }

    /// The same with a receipt of what was carried out, a file that is not there yet: all of it or nothing.
    pub fn commit_with_receipt(
        &self,
        change: &TreeChange,
        index: Option<&IndexUpdate>,
        receipt: Option<&(RelPath, Vec<u8>)>,
        meta: &Meta,
    ) -> Result<Option<TransactionId>, CommitError> {
        self.check_access()?;
        if change.is_empty() && index.is_none() {
            return Ok(None);
        }
        let (_lock, state) = self.begin_writing()?;
        let ctx = self.ctx(&*state);
        let index = index.map(|update| commit::OwnWrite {
            path: journal::index_path(),
            base: update.base,
            text: Some(Text::new(update.index.render()))
                .filter(|_| update.base.is_some() || !update.index.is_empty()),
        });
        let receipt = receipt.filter(|(path, _)| journal::is_own_target(path));
        let receipt = receipt.map(|(path, bytes)| commit::OwnWrite {
            path: path.clone(),
            base: None,
            text: Some(Text::new(bytes.clone())),
        });
        let own: Vec<commit::OwnWrite> = index.into_iter().chain(receipt).collect();
        let id = commit::commit(&ctx, change, &own, meta, None, self.options.max_file_size, None)?;
        self.prune_quietly(&ctx, id);
        Ok(id)
    }

    /// Makes the change, and after it gives entries of git's index other objects: all of both or nothing. The index is that
    /// of the repository, unless `at` is the path of another one.
    pub fn commit_staged(
        &self,
        change: &TreeChange,
        entries: &[StagedEntry],
        at: Option<&Path>,
        meta: &Meta,
    ) -> Result<Option<TransactionId>, CommitError> {
        self.check_access()?;
        let (_lock, state) = self.begin_writing()?;
        let own = self.index_path();
        let is_own = |it: &Path| own.as_deref() == Some(it);
        let alternate = match at {
            Some(path) if !is_own(path) => {
                Some(GitIndex::open(path, false).ok_or(StagingError::Missing)?)
            }
            _ => None,
        };
        let index = alternate.as_ref().or(self.index.as_deref());
        let is_alternate = index.is_some_and(|it| !it.is_own());
        let staged = staging::record(entries, is_alternate)?;
        let ctx = Ctx { index, ..self.ctx(&*state) };
        let limit = self.options.max_file_size;
        let id = commit::commit(&ctx, change, &[], meta, None, limit, Some(&staged))?;
        self.prune_quietly(&ctx, id);
        Ok(id)
    }

    /// Where the index of the repository around the root is, as far as a transaction can find it again.
    pub fn index_path(&self) -> Option<PathBuf> {
        self.index.as_ref().map(|it| it.path())
    }

    /// The same workspace with an index of the caller's, for tests.
    #[must_use]
    pub fn with_git_index(self, index: GitIndex) -> Workspace {
        Workspace { index: Some(Arc::new(index)), ..self }
    }

    /// Undoes a transaction, by default the newest that is neither undone nor an undo, in a transaction of its own.
    /// Returns the undone one and the new one; `None` if there is nothing to undo. Refuses if a file changed since.
    pub fn undo(
        &self,
        id: Option<TransactionId>,
        meta: &Meta,
    ) -> Result<Option<(TransactionId, TransactionId)>, UndoError> {
        self.check_access()?;
        if id.is_none() && self.has_no_transaction()? {
            return Ok(None);
        }
        let (_lock, state) = self.begin_writing()?;
        let ctx = self.ctx(&*state);
        let undone = history::undo(&ctx, id, meta, self.options.max_file_size)?;
        self.prune_quietly(&ctx, undone.map(|(_, id)| id));
        Ok(undone)
    }

    /// What [`Workspace::undo`] would do, with all of its refusals. Writes nothing and takes no lock, so that it works
    /// with [`OpenMode::ReadOnly`]; what another process does meanwhile is for the undo itself to find.
    pub fn plan_undo(&self, id: Option<TransactionId>) -> Result<Option<UndoPlan>, UndoError> {
        match self.state() {
            Some(state) => history::plan_undo(&self.ctx(&*state), id, self.options.max_file_size),
            None => id.map_or(Ok(None), |id| Err(UndoError::Unknown { id })),
        }
    }

    /// The transactions that are done and not forgotten, oldest first.
    pub fn log(&self) -> Result<Vec<Transaction>, JournalError> {
        match self.state() {
            Some(state) => history::log(&self.ctx(&*state)),
            None => Ok(Vec::new()),
        }
    }

    /// Forgets the oldest transactions until the rest is within the limits. Returns what was forgotten.
    pub fn prune(&self, retention: Retention) -> Result<Vec<TransactionId>, CommitError> {
        self.check_access()?;
        if self.has_no_transaction()? {
            return Ok(Vec::new());
        }
        let (_lock, state) = self.begin_writing()?;
        history::prune(&self.ctx(&*state), retention)
    }

    /// The folder that the state of this root is in, made if there is none. The lock is taken for that.
    pub fn state_folder(&self) -> Result<PathBuf, CommitError> {
        self.check_access()?;
        let _lock = self.lock()?;
        match &self.store {
            Store::Place(place) => Ok(place.open_or_create()?.fs.root().to_owned()),
            Store::None | Store::Given(_) => Err(StateError::Home(HomeError::Missing).into()),
        }
    }

    /// The folder that the state of this root is in; `None` if there is no state that is this user's own.
    pub fn existing_state_folder(&self) -> Option<PathBuf> {
        match &self.store {
            Store::Place(place) => place.open_existing().map(|it| it.fs.root().to_owned()),
            Store::None | Store::Given(_) => None,
        }
    }

    /// The folder for copies of the tree, made if it is not there. It is the user's own and lies in no repository.
    pub fn runs_folder(&self) -> Result<PathBuf, CommitError> {
        self.check_access()?;
        match &self.store {
            Store::Place(place) => Ok(place.runs()?),
            Store::None | Store::Given(_) => Err(StateError::Home(HomeError::Missing).into()),
        }
    }

    /// What stands where the state belongs and is not this user's own. It is not used; the next transaction gives it
    /// another name.
    pub fn foreign_state(&self) -> Option<PathBuf> {
        match &self.store {
            Store::Place(place) => place.foreign(),
            Store::None | Store::Given(_) => None,
        }
    }

    /// What an older regreen kept in the tree, which nobody reads any more: names in `.regreen`, sorted.
    pub fn former_state(&self) -> Vec<String> {
        const FORMER: [&str; 5] = ["cache", "lock", "registry.db", "runs", "txn"];
        let folder = journal::shared_folder();
        let is_present =
            |it: &str| folder.join(it).is_ok_and(|path| matches!(self.fs.stat(&path), Ok(Some(_))));
        FORMER.into_iter().filter(|it| is_present(it)).map(str::to_owned).collect()
    }

    fn ctx<'a>(&'a self, state: &'a dyn Fs) -> Ctx<'a> {
        Ctx {
            fs: &*self.fs,
            state,
            durability: self.options.durability,
            interrupts: self.interrupts.as_ref(),
            index: self.index.as_deref(),
        }
    }

    /// The state that is there.
    fn state(&self) -> Option<Arc<dyn Fs>> {
        match &self.store {
            Store::None => None,
            Store::Given(state) => Some(Arc::clone(state)),
            Store::Place(place) => place.open_existing().map(|it| Arc::new(it.fs) as Arc<dyn Fs>),
        }
    }

    /// The state, made if there is none; the caller holds the lock.
    fn writable_state(&self) -> Result<Arc<dyn Fs>, StateError> {
        match &self.store {
            Store::None => Err(HomeError::Missing.into()),
            Store::Given(state) => Ok(Arc::clone(state)),
            Store::Place(place) => Ok(Arc::new(place.open_or_create()?.fs)),
        }
    }

    fn has_no_transaction(&self) -> Result<bool, JournalError> {
        Ok(match self.state() {
            Some(state) => journal::list(&*state)?.is_empty(),
            None => true,
        })
    }

    fn check_access(&self) -> Result<(), CommitError> {
        match self.options.access {
            OpenMode::ReadOnly => Err(CommitError::ReadOnlyAccess),
            OpenMode::ReadWrite => Ok(()),
        }
    }

    /// Takes the lock for more than one step of this thread: what is read is what will be written to. Whoever waits is
    /// queued, so that everybody who applies a patch to the same file gets a turn.
    pub fn hold(&self) -> Result<Hold<'_>, CommitError> {
        self.check_access()?;
        let lock = self.lock()?;
        let thread = std::thread::current().id();
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(Hold { workspace: self, _lock: lock })
    }

    /// Takes the lock, on a file of the state folder where folders cannot be locked.
    fn lock(&self) -> Result<Box<dyn LockGuard>, RecoverError> {
        let holder = *self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if holder == Some(std::thread::current().id()) {
            return Ok(Box::new(HeldAlready));
        }
        match lock::lock(&*self.fs, Share::Exclusive, self.options.lock_wait) {
            Err(LockError::Io { source }) if lock::is_unsupported(&source) => {
                let Store::Place(place) = &self.store else {
                    return Err(LockError::Io { source }.into());
                };
                let file = place.open_or_create()?.fs.root().join("lock");
                let root = OsFs::open(place.root()).map_err(|source| LockError::Io { source })?;
                let root = root.with_lock(LockPlace::File(file));
                Ok(lock::lock(&root, Share::Exclusive, self.options.lock_wait)?)
            }
            locked => Ok(locked?),
        }
    }

    /// Takes the lock, makes the state if need be, and recovers.
    fn begin_writing(&self) -> Result<Begun, CommitError> {
        let lock = self.lock()?;
        let state = self.writable_state()?;
        let ctx = self.ctx(&*state);
        let transactions = journal::transactions_path();
        if step("stat", &transactions, state.stat(&transactions))?.is_none() {
            step("create", &transactions, state.create_directory(&transactions, 0o700))?;
            ctx.sync_state_directories(&[None])?;
        }
        recover::recover(&ctx)?;
        Ok((lock, state))
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
    match step("stat", path, ctx.fs.stat(path))?.map(|stat| stat.kind) {
        Some(EntryKind::Directory) => Ok(()),
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
