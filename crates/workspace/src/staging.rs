//! The index of git as part of a transaction (J13, J14): entries of files that are staged get other objects after the files
//! on disk were replaced, by one rename, while `index.lock` keeps git out.
//!
//! The lock is a file like git's own, in which it says which transaction holds it, so that recovery knows a lock that a crash
//! left from one that git holds. An index that is not the repository's own, as git makes one for `commit -a` and
//! `commit PATH`, belongs to the git process that waits for us: nobody else knows of it, and it is gone when that ends.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snapshot::RelPath;

use crate::fs::{Attributes, Fs};
use crate::git_index::patch::{self, Blob, UnknownIndex};
use crate::journal::TransactionId;
use crate::journal::v2::{self, Intent, Staged};
use crate::os_fs::OsFs;
use crate::repository::Repository;
use crate::step::{Ctx, StepError, step};

/// Larger ones are not read: two million files have an index of this size.
const MAX_INDEX: u64 = 256 << 20;
/// A lock of ours is one line.
const MAX_LOCK: u64 = 4096;

/// An entry of the index that gets another object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StagedEntry {
    /// The name of the file, from the top of the work tree.
    pub name: String,
    /// The mode as git writes it, `100644` or `100755`; it stays.
    pub mode: String,
    /// The object before, in hexadecimal digits.
    pub before: String,
    /// The object after.
    pub after: String,
}

/// Why the index was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StagingError {
    /// Somebody staged something else.
    #[error("the index changed since it was read ({})", .names.join(", "))]
    Changed {
        /// The entries, sorted.
        names: Vec<String>,
    },
    /// Another process of git is at work.
    #[error(
        "{path} exists: another git process is at work in this repository, or one was interrupted"
    )]
    Locked {
        /// The lock.
        path: String,
    },
    /// The index cannot be read for what it is.
    #[error("{path} was left alone: {reason}")]
    Unknown {
        /// The index.
        path: String,
        /// Why.
        reason: UnknownIndex,
    },
    /// An entry is not one of a file.
    #[error("{reason}")]
    Entry {
        /// What is wrong with it.
        reason: String,
    },
    /// There is no index that a transaction could find again.
    #[error("the index of this repository cannot be found")]
    Missing,
    /// The file system reported an error.
    #[error("{path} cannot be changed: {error}")]
    Step {
        /// The index.
        path: String,
        /// What failed.
        error: Box<StepError>,
    },
}

/// An index.
#[derive(Clone)]
pub struct GitIndex {
    fs: Arc<dyn Fs>,
    name: RelPath,
    is_own: bool,
}

/// Where the entries of a transaction stand.
#[derive(PartialEq, Debug)]
enum IndexState {
    /// All have their old objects.
    Old,
    /// They were exchanged; some may have been staged anew since.
    New,
    /// Some have their old objects, and these have neither.
    Mixed(Vec<String>),
}

impl GitIndex {
    /// An index on a file system of the caller's; `is_own` if it is the one that the repository works with.
    pub fn with_fs(fs: Arc<dyn Fs>, name: RelPath, is_own: bool) -> GitIndex {
        GitIndex { fs, name, is_own }
    }

    /// The one that the repository around a root works with.
    pub(crate) fn around(root: &Path) -> Option<GitIndex> {
        let folder = Repository::around(root)?.index_directory()?;
        GitIndex::open(&folder.join("index"), true)
    }

    /// The index at this path.
    pub(crate) fn open(path: &Path, is_own: bool) -> Option<GitIndex> {
        let folder = path.parent()?.canonicalize().ok()?;
        let is_ours = folder.metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
        let name = RelPath::parse(path.file_name()?.to_str()?).ok()?;
        let fs = OsFs::open(&folder).ok().filter(|_| is_ours)?;
        Some(GitIndex { fs: Arc::new(fs), name, is_own })
    }

    /// Whether it is the one that the repository works with.
    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        Path::new(self.fs.absolute_root().unwrap_or_default()).join(self.name.as_str())
    }

    fn shown(&self, name: &RelPath) -> String {
        crate::journal::shown(&*self.fs, name)
    }

    fn lock_name(&self) -> RelPath {
        self.beside(".lock")
    }

    /// Where the new index is written before it takes the place of the old one.
    fn temp_name(&self, intent: &Intent) -> RelPath {
        self.beside(&format!(".regreen-{}-{:016x}", intent.id, intent.nonce))
    }

    fn beside(&self, suffix: &str) -> RelPath {
        let name = format!("{}{suffix}", self.name);
        RelPath::parse(&name).expect("a name stays one with letters after it")
    }

    fn step<T>(
        &self,
        action: &'static str,
        name: &RelPath,
        result: io::Result<T>,
    ) -> Result<T, StagingError> {
        step(action, name, result).map_err(|error| self.failed(error))
    }

    fn read(&self) -> Result<Vec<u8>, StagingError> {
        Ok(self.step("read", &self.name, self.fs.read(&self.name, MAX_INDEX))?.0)
    }

    fn failed(&self, error: StepError) -> StagingError {
        StagingError::Step { path: self.shown(&self.name), error: Box::new(error) }
    }

    fn unknown(&self, reason: UnknownIndex) -> StagingError {
        StagingError::Unknown { path: self.shown(&self.name), reason }
    }

    fn blobs(&self, index: &[u8], staged: &Staged) -> Result<BTreeMap<String, Blob>, StagingError> {
        let names: Vec<&str> = staged.entries.iter().map(|it| it.name.as_str()).collect();
        patch::entries(index, &names).map_err(|reason| self.unknown(reason))
    }

    fn standing(&self, index: &[u8], staged: &Staged) -> Result<IndexState, StagingError> {
        let blobs = self.blobs(index, staged)?;
        let (mut n_old, mut others) = (0, Vec::new());
        for entry in &staged.entries {
            let found = blobs.get(&entry.name);
            match found {
                Some(found) if *found == entry.blob_before() => n_old += 1,
                Some(found) if *found == entry.blob_after() => others.push(None),
                _ => others.push(Some(entry.name.clone())),
            }
        }
        Ok(match (n_old, others) {
            (0, _) => IndexState::New,
            (_, others) if others.is_empty() => IndexState::Old,
            (_, others) => IndexState::Mixed(others.into_iter().flatten().collect()),
        })
    }

    /// That every entry is as the transaction expects it.
    pub(crate) fn check(&self, staged: &Staged) -> Result<(), StagingError> {
        let index = self.read()?;
        let blobs = self.blobs(&index, staged)?;
        let changed = staged.entries.iter();
        let changed = changed.filter(|it| blobs.get(&it.name) != Some(&it.blob_before()));
        let names: Vec<String> = changed.map(|it| it.name.clone()).collect();
        if names.is_empty() { Ok(()) } else { Err(StagingError::Changed { names }) }
    }

    /// Which entries have neither the object that the transaction put there nor, if that is fine too, the old one; and
    /// whether all have the old one.
    pub(crate) fn look_back(&self, staged: &Staged) -> Result<(Vec<String>, bool), StagingError> {
        let blobs = self.blobs(&self.read()?, staged)?;
        let is_old = |it: &v2::StagedEntry| blobs.get(&it.name) == Some(&it.blob_before());
        let is_new = |it: &v2::StagedEntry| blobs.get(&it.name) == Some(&it.blob_after());
        if staged.is_alternate && staged.entries.iter().all(is_old) {
            return Ok((Vec::new(), true));
        }
        let changed = staged.entries.iter().filter(|it| !is_new(it));
        Ok((changed.map(|it| it.name.clone()).collect(), false))
    }

    /// Keeps git out, and makes sure that nobody was faster.
    pub(crate) fn begin(&self, ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
        let Some(staged) = &intent.staged else { return Ok(()) };
        self.lock(ctx, intent)?;
        self.check(staged)
    }

    fn lock(&self, ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
        if !self.is_own {
            return Ok(());
        }
        let name = self.lock_name();
        // It gets its name when it is whole, so that no crash leaves a lock that does not say whose it is.
        let temp = self.temp_name(intent);
        self.remove(&temp)?;
        let attributes = Attributes::New { mode: 0o644 };
        self.step("write", &temp, self.fs.create(&temp, &marker(intent), &attributes))?;
        self.sync(ctx, std::slice::from_ref(&temp))?;
        let placed = match self.fs.rename_new(&temp, &name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.fs.create(&name, &marker(intent), &attributes)
            }
            placed => placed,
        };
        match placed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match self.holds_lock(intent)? {
                    true => Ok(()),
                    false => Err(StagingError::Locked { path: self.shown(&name) }),
                }
            }
            placed => {
                self.step("create", &name, placed)?;
                self.sync(ctx, &[name])
            }
        }
    }

    /// Whether the lock is there and says that it is this transaction's.
    fn holds_lock(&self, intent: &Intent) -> Result<bool, StagingError> {
        let name = self.lock_name();
        if self.step("stat", &name, self.fs.stat(&name))?.is_none() {
            return Ok(false);
        }
        match self.fs.read(&name, MAX_LOCK) {
            Ok((bytes, _)) => Ok(bytes == marker(intent)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(false),
            Err(error) => self.step("read", &name, Err(error)),
        }
    }

    /// J13: the entries get their new objects, unless they have them.
    pub(crate) fn publish(&self, ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
        let Some(staged) = &intent.staged else { return Ok(()) };
        if staged.is_alternate == self.is_own {
            // The index that it was meant for is gone.
            return Err(StagingError::Missing);
        }
        let index = self.read()?;
        match self.standing(&index, staged)? {
            IndexState::New => Ok(()),
            IndexState::Mixed(names) => Err(StagingError::Changed { names }),
            IndexState::Old => {
                // A user may have removed the lock that a crash left, as git says to do.
                self.lock(ctx, intent)?;
                let objects = staged.entries.iter();
                let objects = objects.map(|it| (it.name.as_str(), it.blob_after().object));
                self.replace(ctx, intent, &index, &objects.collect())
            }
        }
    }

    /// J14: what has the new object gets the old one; what somebody staged since stays.
    pub(crate) fn take_back(&self, ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
        let Some(staged) = &intent.staged else { return Ok(()) };
        if self.step("stat", &self.name, self.fs.stat(&self.name))?.is_some() {
            let blobs = self.blobs(&self.read()?, staged)?;
            let is_new = |it: &&v2::StagedEntry| blobs.get(&it.name) == Some(&it.blob_after());
            if staged.entries.iter().any(|it| is_new(&it)) {
                self.lock(ctx, intent)?;
                // Only now nobody else can change it.
                let index = self.read()?;
                let blobs = self.blobs(&index, staged)?;
                let is_new = |it: &&v2::StagedEntry| blobs.get(&it.name) == Some(&it.blob_after());
                let back = staged.entries.iter().filter(is_new);
                let back = back.map(|it| (it.name.as_str(), it.blob_before().object));
                self.replace(ctx, intent, &index, &back.collect())?;
            }
        }
        self.unlock(ctx, intent)
    }

    fn replace(
        &self,
        ctx: &Ctx<'_>,
        intent: &Intent,
        index: &[u8],
        objects: &BTreeMap<&str, Vec<u8>>,
    ) -> Result<(), StagingError> {
        let new = patch::with_objects(index, objects).map_err(|reason| self.unknown(reason))?;
        let temp = self.temp_name(intent);
        self.remove(&temp)?;
        let attributes = Attributes::Like(self.name.clone());
        self.step("write", &temp, self.fs.create(&temp, &new, &attributes))?;
        self.sync(ctx, std::slice::from_ref(&temp))?;
        self.step("replace", &self.name, self.fs.rename(&temp, &self.name))?;
        self.sync(ctx, &[])
    }

    /// Lets git in again and leaves nothing behind.
    pub(crate) fn unlock(&self, ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
        if intent.staged.is_none() {
            return Ok(());
        }
        self.remove(&self.temp_name(intent))?;
        if self.is_own && self.holds_lock(intent)? {
            self.remove(&self.lock_name())?;
        }
        self.sync(ctx, &[])
    }

    fn remove(&self, name: &RelPath) -> Result<(), StagingError> {
        match self.step("stat", name, self.fs.stat(name))? {
            Some(_) => self.step("remove", name, self.fs.remove_file(name)),
            None => Ok(()),
        }
    }

    /// Files and the names in the folder reach stable storage.
    fn sync(&self, ctx: &Ctx<'_>, files: &[RelPath]) -> Result<(), StagingError> {
        let synced = ctx.sync_files_of(&*self.fs, files);
        let synced = synced.and_then(|()| ctx.sync_directories_of(&*self.fs, &[None]));
        synced.map_err(|error| self.failed(error))
    }
}

fn marker(intent: &Intent) -> Vec<u8> {
    format!("regreen {} {:016x}; `regreen recover` removes this\n", intent.id, intent.nonce)
        .into_bytes()
}

impl Staged {
    /// The same in the other direction, in the repository's own index.
    pub(crate) fn inverse(&self) -> Staged {
        let back = |it: &v2::StagedEntry| v2::StagedEntry {
            before: it.after.clone(),
            after: it.before.clone(),
            ..it.clone()
        };
        Staged { is_alternate: false, entries: self.entries.iter().map(back).collect() }
    }

    /// J8 for entries of the index.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for entry in &self.entries {
            let is_object = |it: &str| {
                matches!(it.len(), 40 | 64)
                    && it.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
            };
            let is_same_kind = entry.before.len() == entry.after.len();
            let is_file = matches!(entry.mode.as_str(), "100644" | "100755");
            if !is_object(&entry.before) || !is_object(&entry.after) || !is_same_kind || !is_file {
                return Err(format!("the entry of {} is not that of a file", entry.name));
            }
            let is_git = |it: &RelPath| it.segments().any(|it| it.eq_ignore_ascii_case(".git"));
            if !RelPath::parse(&entry.name).is_ok_and(|it| !is_git(&it)) {
                return Err(format!("{} is not a file of the index", entry.name));
            }
            if !seen.insert(&entry.name) {
                return Err(format!("{} has two entries", entry.name));
            }
        }
        if self.entries.is_empty() {
            Err("it changes no entry of the index".to_owned())
        } else {
            Ok(())
        }
    }
}

impl v2::StagedEntry {
    fn blob_before(&self) -> Blob {
        self.blob(&self.before)
    }

    fn blob_after(&self) -> Blob {
        self.blob(&self.after)
    }

    fn blob(&self, object: &str) -> Blob {
        let digits: Vec<u8> =
            object.chars().filter_map(|it| u8::try_from(it.to_digit(16)?).ok()).collect();
        let object =
            digits.as_chunks::<2>().0.iter().map(|[high, low]| (high << 4) | low).collect();
        Blob { mode: u32::from_str_radix(&self.mode, 8).unwrap_or_default(), object }
    }
}

impl StagingError {
    /// As a failure of recovery.
    pub(crate) fn of(self, id: TransactionId) -> crate::recover::RecoverError {
        crate::recover::RecoverError::Staging { id, error: self }
    }
}

/// The entries as a journal records them.
pub(crate) fn record(entries: &[StagedEntry], is_alternate: bool) -> Result<Staged, StagingError> {
    let entry = |it: &StagedEntry| v2::StagedEntry {
        name: it.name.clone(),
        mode: it.mode.clone(),
        before: it.before.clone(),
        after: it.after.clone(),
    };
    let staged = Staged { is_alternate, entries: entries.iter().map(entry).collect() };
    match staged.check() {
        Ok(()) => Ok(staged),
        Err(reason) => Err(StagingError::Entry { reason }),
    }
}
