//! One change of the tree as one transaction. The steps and why they come in this order: see [`crate::journal`].

use std::collections::{BTreeMap, BTreeSet};

use edit::{ContentHash, Text};
use snapshot::{ApplyError, ChangeError, FileAsDirectory, FileIndex, RelPath, TreeChange};

use crate::fs::Attributes;
use crate::journal::v2::{DeleteEntry, Image, Intent, Staged, WireHash, WirePath, WriteEntry};
use crate::journal::{self, JournalError, TransactionId};
use crate::lock::LockError;
use crate::prepare::{Prepared, Purpose, prepare};
use crate::publish::{ComparedFiles, Published, publish};
use crate::recover::{self, Completion, Obstacle, RecoverError};
use crate::resolve::PathRefusal;
use crate::restore;
use crate::staging::StagingError;
use crate::state::StateError;
use crate::step::{Ctx, StepError, step};

/// How often names are chosen anew because something has them.
const MOST_NAMES: usize = 16;

/// What the log says of a transaction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    /// The command that made the change.
    pub command: String,
    /// When, in the caller's words; time is an argument.
    pub time: Option<String>,
    /// Whatever else is to be recorded, such as approvals.
    pub notes: BTreeMap<String, String>,
}

/// A new file index, to be stored in the same transaction as the change that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexUpdate {
    /// The hash of the index's text when it was loaded; `None` if there was none.
    pub base: Option<ContentHash>,
    /// The new index.
    pub index: FileIndex,
}

/// Why a change was not committed. All but `Undecided` and `Incomplete` leave the old tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// The workspace was opened for reading only.
    #[error("the workspace is open for reading only")]
    ReadOnlyAccess,
    /// There is no place for state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The lock was not taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// An earlier transaction could not be finished.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A path may not be written.
    #[error("{path} was not changed: {reason}")]
    Refused {
        /// The path.
        path: RelPath,
        /// Why.
        reason: PathRefusal,
    },
    /// Two paths of the change mean one file.
    #[error("{first} and {second} are both {place}")]
    Aliased {
        /// One path.
        first: RelPath,
        /// The other path.
        second: RelPath,
        /// The file.
        place: RelPath,
    },
    /// The change does not fit the tree; `ApplyError::Stale` is a file that changed on disk.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// With its links resolved the change contradicts itself.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// A file became a directory, or the reverse, while it was read.
    #[error("the tree changed while it was read: {0}")]
    Moving(#[from] FileAsDirectory),
    /// The file index changed since it was loaded.
    #[error("the file index changed on disk since it was read; try again")]
    StaleIndex,
    /// The index of git could not be changed with the tree.
    #[error("{0}; nothing was changed")]
    Staging(#[from] StagingError),
    /// Somebody else saved a file while the transaction was at work.
    #[error("{path} changed on disk while the change was being written; nothing was changed")]
    ChangedMeanwhile {
        /// The file.
        path: RelPath,
    },
    /// A signal arrived before the point of no return.
    #[error("interrupted; nothing was changed")]
    Interrupted {
        /// The number of the signal.
        signal: i32,
    },
    /// The change is too large for one transaction.
    #[error("a transaction cannot change that many files at once ({files}); nothing was changed")]
    TooManyFiles {
        /// How many it would change.
        files: usize,
    },
    /// A step failed, and everything was taken back.
    #[error("{0}; nothing was changed")]
    Failed(#[from] StepError),
    /// A step failed, and temporary files are left.
    #[error(
        "{error}; no file was changed, and `regreen recover` removes the temporary files of {id} ({cleanup})"
    )]
    NotCleaned {
        /// The transaction.
        id: TransactionId,
        /// What failed first.
        error: StepError,
        /// What failed while taking it back.
        cleanup: Box<RecoverError>,
    },
    /// Whether the transaction is committed is for the next command to find out.
    #[error(
        "{error}; no file was changed yet, and `regreen recover` completes {id} or takes it back"
    )]
    Undecided {
        /// The transaction.
        id: TransactionId,
        /// What failed.
        error: StepError,
    },
    /// The transaction is committed, but not all files are replaced yet.
    #[error(
        "{id} is committed but not complete: {error}; `regreen recover` completes it or takes it back"
    )]
    Incomplete {
        /// The transaction.
        id: TransactionId,
        /// What failed.
        error: RecoverError,
    },
}

/// A file of regreen's own as a transaction leaves it: the file index, or a receipt.
pub(crate) struct OwnWrite {
    pub(crate) path: RelPath,
    pub(crate) base: Option<ContentHash>,
    /// `None` removes it.
    pub(crate) text: Option<Text>,
}

/// What distinguishes the transaction of an undo.
pub(crate) struct UndoOf {
    pub(crate) id: TransactionId,
    /// Directories that the undone transaction made, children first.
    pub(crate) directories: Vec<RelPath>,
}

/// Commits the change; the caller holds the lock and has recovered. An empty change makes no transaction.
pub(crate) fn commit(
    ctx: &Ctx<'_>,
    change: &TreeChange,
    own: &[OwnWrite],
    meta: &Meta,
    undo: Option<&UndoOf>,
    limit: u64,
    staged: Option<&Staged>,
) -> Result<Option<TransactionId>, CommitError> {
    let purpose = if undo.is_some() { Purpose::Undo } else { Purpose::Change };
    let prepared = prepare(ctx, change, own, purpose, limit)?;
    if prepared.writes.is_empty() && prepared.deletes.is_empty() && staged.is_none() {
        return Ok(None);
    }
    let id = next_id(ctx)?;
    let mut intent = intend_freely(ctx, id, &prepared, meta, undo)?;
    intent.version = Intent::version_of(staged);
    intent.staged = staged.cloned();
    check_index(ctx, staged)?;
    let writing = ctx.interrupts.map(|it| it.begin());
    let begun = begin(ctx, id, &intent);
    let begun = begun.and_then(|()| stage(ctx, id, &prepared, &intent));
    // J13: the lock of git is the last thing that is taken before the point of no return.
    let lock = || ctx.index.map_or(Ok(()), |it| it.begin(ctx, &intent));
    if let Err(error) = begun.and_then(|()| Ok(lock()?)) {
        return Err(taken_back(ctx, id, &intent, error));
    }
    if let Err(error) = mark_committed(ctx, id) {
        return Err(abort(ctx, id, &intent, error));
    }
    let known: ComparedFiles =
        prepared.olds.iter().map(|it| (it.path.clone(), it.identity)).collect();
    let is_done = matches!(publish(ctx, &intent, Some(&known)), Ok(Published::All))
        && recover::publish_index(ctx, &intent).is_ok()
        && recover::finish(ctx, id, &intent).is_ok();
    if !is_done {
        // J7: what can be repeated is tried once more, with the checks of a recovery.
        match recover::complete(ctx, id, &intent) {
            Ok(Completion::Complete) => {}
            Ok(Completion::TakenBack { why: Obstacle::Step(error), .. }) => {
                return Err(CommitError::Failed(error));
            }
            Ok(Completion::TakenBack { why: Obstacle::Faster(path), .. }) => {
                return Err(CommitError::ChangedMeanwhile { path });
            }
            Ok(Completion::TakenBack { why: Obstacle::Staging(error), .. }) => {
                return Err(CommitError::Staging(error));
            }
            Err(error) => return Err(CommitError::Incomplete { id, error }),
        }
    }
    if let Some(writing) = writing {
        writing.written();
    }
    Ok(Some(id))
}

/// Every check that committing an undo makes before it writes.
pub(crate) fn rehearse(
    ctx: &Ctx<'_>,
    change: &TreeChange,
    own: &[OwnWrite],
    undo: &UndoOf,
    limit: u64,
    staged: Option<&Staged>,
) -> Result<(), CommitError> {
    check_index(ctx, staged)?;
    let prepared = prepare(ctx, change, own, Purpose::Undo, limit)?;
    intend_freely(ctx, next_id(ctx)?, &prepared, &Meta::default(), Some(undo)).map(drop)
}

/// Every entry of the index is what the change expects.
fn check_index(ctx: &Ctx<'_>, staged: Option<&Staged>) -> Result<(), StagingError> {
    match (staged, ctx.index) {
        (None, _) => Ok(()),
        (Some(staged), Some(index)) => index.check(staged),
        (Some(_), None) => Err(StagingError::Missing),
    }
}

fn next_id(ctx: &Ctx<'_>) -> Result<TransactionId, JournalError> {
    let last = journal::list(ctx.state)?.last().map_or(0, |id| id.0);
    Ok(TransactionId(last.saturating_add(1)))
}

/// The intent, with names for its temporary files that nothing has: taking back removes what it names.
fn intend_freely(
    ctx: &Ctx<'_>,
    id: TransactionId,
    prepared: &Prepared,
    meta: &Meta,
    undo: Option<&UndoOf>,
) -> Result<Intent, CommitError> {
    let mut taken = None;
    for _ in 0..MOST_NAMES {
        let nonce = ctx.fs.nonce().map_err(|source| StepError {
            action: "choose a name in",
            path: None,
            source,
        })?;
        let intent = intend(id, nonce, prepared, meta, undo);
        match first_taken(ctx, &intent)? {
            None => return Ok(intent),
            Some(path) => taken = Some(path),
        }
    }
    let source = std::io::ErrorKind::AlreadyExists.into();
    Err(StepError { action: "use the name", path: taken, source }.into())
}

/// A temporary name of the intent that something has.
fn first_taken(ctx: &Ctx<'_>, intent: &Intent) -> Result<Option<RelPath>, StepError> {
    for temp in intent.temporaries() {
        if step("stat", temp, ctx.fs.stat(temp))?.is_some() {
            return Ok(Some(temp.clone()));
        }
    }
    Ok(None)
}

fn intend(
    id: TransactionId,
    nonce: u64,
    prepared: &Prepared,
    meta: &Meta,
    undo: Option<&UndoOf>,
) -> Intent {
    let mut offset = 0;
    let mut images = Vec::with_capacity(prepared.olds.len());
    for old in &prepared.olds {
        let length = old.text.len() as u64;
        let hash = WireHash(old.text.hash());
        images.push(Image {
            path: WirePath(old.path.clone()),
            hash,
            // Bits that change whom a program runs as do not come back from an image.
            mode: old.mode & 0o1777,
            offset,
            length,
        });
        offset += length;
    }
    let write = |(n, write): (usize, &crate::prepare::PlannedWrite)| WriteEntry {
        path: WirePath(write.path.clone()),
        temp: WirePath(beside(&write.path, &journal::temp_name(id, nonce, n))),
        from: write.from.clone().map(WirePath),
        before: write.before.map(WireHash),
        after: WireHash(write.text.hash()),
        length: write.text.len() as u64,
    };
    let n_writes = prepared.writes.len();
    let delete = |(n, (path, before)): (usize, &(RelPath, ContentHash))| DeleteEntry {
        path: WirePath(path.clone()),
        temp: WirePath(beside(path, &journal::temp_name(id, nonce, n_writes + n))),
        before: WireHash(*before),
    };
    let old_directories = undo.map(|undo| undo.directories.as_slice()).unwrap_or_default();
    Intent {
        version: Intent::version_of(None),
        id: id.to_string(),
        nonce,
        command: meta.command.clone(),
        time: meta.time.clone(),
        notes: meta.notes.clone(),
        undoes: undo.map(|undo| undo.id.to_string()),
        writes: prepared.writes.iter().enumerate().map(write).collect(),
        deletes: prepared.deletes.iter().enumerate().map(delete).collect(),
        images,
        new_directories: prepared.new_directories.iter().cloned().map(WirePath).collect(),
        old_directories: old_directories.iter().cloned().map(WirePath).collect(),
        staged: None,
    }
}

pub(crate) fn beside(path: &RelPath, name: &str) -> RelPath {
    let sibling = path.parent().map_or_else(|| RelPath::parse(name), |parent| parent.join(name));
    sibling.expect("the name is a constant pattern without separators")
}

/// J1: the intent reaches the disk, with the names of all directories above it.
fn begin(ctx: &Ctx<'_>, id: TransactionId, intent: &Intent) -> Result<(), CommitError> {
    let line = journal::intent_line(intent);
    // Room for the marks.
    if line.len() as u64 + 4096 > journal::MAX_JOURNAL {
        let files = intent.writes.len() + intent.deletes.len();
        return Err(CommitError::TooManyFiles { files });
    }
    let (directory, path) = (journal::directory_of(id), journal::journal_of(id));
    step("create", &directory, ctx.state.create_directory(&directory, 0o700))?;
    let attributes = Attributes::Exact { mode: 0o600 };
    step("write", &path, ctx.state.create(&path, &line, &attributes))?;
    ctx.sync_state(&[path])?;
    Ok(ctx.sync_state_directories(&[Some(directory), Some(journal::transactions_path())])?)
}

/// J2: everything that publishing needs reaches the disk.
fn stage(
    ctx: &Ctx<'_>,
    id: TransactionId,
    prepared: &Prepared,
    intent: &Intent,
) -> Result<(), CommitError> {
    for directory in &prepared.new_directories {
        step("create", directory, ctx.fs.create_directory(directory, 0o777))?;
    }
    let mut files = Vec::with_capacity(prepared.writes.len());
    for (planned, write) in prepared.writes.iter().zip(&intent.writes) {
        check_interrupted(ctx)?;
        let temp = &write.temp.0;
        step("write", temp, ctx.fs.create(temp, planned.text.bytes(), &planned.attributes))?;
        files.push(temp.clone());
    }
    let undo = journal::undo_of(id);
    let images = prepared.olds.iter().map(|old| old.text.bytes()).collect::<Vec<_>>().concat();
    step("write", &undo, ctx.state.create(&undo, &images, &Attributes::Exact { mode: 0o600 }))?;
    ctx.sync_files(&files)?;
    ctx.sync_state(&[undo])?;
    let mut directories = parents(intent.writes.iter().map(|write| &write.path.0));
    directories.extend(parents(prepared.new_directories.iter()));
    directories.extend(prepared.new_directories.iter().cloned().map(Some));
    ctx.sync_directories(&directories.into_iter().collect::<Vec<_>>())?;
    ctx.sync_state_directories(&[Some(journal::directory_of(id))])?;
    check_unchanged(ctx, prepared)?;
    check_interrupted(ctx)
}

fn check_interrupted(ctx: &Ctx<'_>) -> Result<(), CommitError> {
    match ctx.interrupted() {
        Some(signal) => Err(CommitError::Interrupted { signal }),
        None => Ok(()),
    }
}

/// The last look before the point of no return: no other program may have come in between.
fn check_unchanged(ctx: &Ctx<'_>, prepared: &Prepared) -> Result<(), CommitError> {
    for old in &prepared.olds {
        let stat = step("stat", &old.path, ctx.fs.stat(&old.path))?;
        if stat.is_none_or(|stat| stat.identity != old.identity) {
            return Err(CommitError::ChangedMeanwhile { path: old.path.clone() });
        }
    }
    for write in prepared.writes.iter().filter(|write| write.before.is_none()) {
        if step("stat", &write.path, ctx.fs.stat(&write.path))?.is_some() {
            return Err(CommitError::ChangedMeanwhile { path: write.path.clone() });
        }
    }
    Ok(())
}

/// J3.
fn mark_committed(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let path = journal::journal_of(id);
    step("write", &path, ctx.state.append(&path, &journal::committed_line()))?;
    ctx.sync_state(&[path])
}

/// The directories that hold the paths.
pub(crate) fn parents<'a>(paths: impl Iterator<Item = &'a RelPath>) -> BTreeSet<Option<RelPath>> {
    paths.map(RelPath::parent).collect()
}

/// Rolls back after an error before the mark and says how that went.
fn taken_back(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
    error: CommitError,
) -> CommitError {
    match (recover::roll_back(ctx, id, intent), error) {
        (Ok(()), error) => error,
        (Err(cleanup), CommitError::Failed(error)) => {
            CommitError::NotCleaned { id, error, cleanup: Box::new(cleanup) }
        }
        // The next command cleans up; what the user must know is the first error.
        (Err(_), error) => error,
    }
}

/// The mark may or may not have reached the disk: J9 makes sure that nobody acts on it, if that can be made sure.
fn abort(ctx: &Ctx<'_>, id: TransactionId, intent: &Intent, error: StepError) -> CommitError {
    match restore::abort(ctx, id) {
        Ok(()) => taken_back(ctx, id, intent, CommitError::Failed(error)),
        Err(_) => CommitError::Undecided { id, error },
    }
}
