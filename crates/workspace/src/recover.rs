//! Finishes or takes back what a crash left behind. Every step can be repeated, so a crash during recovery is no
//! different from one before it.

use std::collections::BTreeSet;
use std::io;

use rustix::io::Errno;
use snapshot::RelPath;

use crate::commit::parents;
use crate::journal::v2::{Intent, WirePath};
use crate::journal::{self, JournalError, JournalState, TransactionId};
use crate::lock::LockError;
use crate::publish::{Published, publish, settle};
use crate::restore;
use crate::staging::StagingError;
use crate::state::StateError;
use crate::step::{Ctx, StepError, step};

/// What recovery found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recovered {
    /// There was nothing to do.
    Clean,
    /// What a transaction had begun is taken back.
    RolledBack {
        /// The transaction.
        id: TransactionId,
        /// Files that somebody else has saved since, which are as they were saved; sorted.
        kept: Vec<RelPath>,
    },
    /// A transaction had been committed; it is complete now.
    Completed(TransactionId),
}

/// Why recovery did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// There is no place for state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The lock was not taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A transaction is unfinished and may not be finished here.
    #[error("{id} is unfinished, and this workspace is open for reading only")]
    Pending {
        /// The transaction.
        id: TransactionId,
    },
    /// The index of git stands in the way.
    #[error("cannot finish {id}: {error}")]
    Staging {
        /// The transaction.
        id: TransactionId,
        /// What is wrong with the index.
        error: StagingError,
    },
    /// A step failed.
    #[error("cannot finish {id}: {error}")]
    Step {
        /// The transaction.
        id: TransactionId,
        /// What failed.
        error: StepError,
    },
}

/// The newest transaction, if it is unfinished (J5).
pub(crate) fn pending(
    ctx: &Ctx<'_>,
) -> Result<Option<(TransactionId, JournalState)>, JournalError> {
    let Some(id) = journal::list(ctx.state)?.pop() else { return Ok(None) };
    match journal::read_state(ctx.state, id)? {
        JournalState::Done(_) => Ok(None),
        state => Ok(Some((id, state))),
    }
}

/// Finishes or takes back the newest transaction; the caller holds the lock.
pub(crate) fn recover(ctx: &Ctx<'_>) -> Result<Recovered, RecoverError> {
    let Some((id, state)) = pending(ctx)? else { return Ok(Recovered::Clean) };
    let failed = |error| RecoverError::Step { id, error };
    let kept = match state {
        JournalState::Nothing => {
            remove_transaction(ctx, id).map_err(failed)?;
            Vec::new()
        }
        JournalState::Intended(intent) => {
            roll_back(ctx, id, &intent)?;
            Vec::new()
        }
        JournalState::Aborted(intent) => restore::take_back(ctx, id, &intent)?,
        JournalState::Committed(intent) => match complete(ctx, id, &intent)? {
            Completion::Complete => return Ok(Recovered::Completed(id)),
            Completion::TakenBack { kept, .. } => kept,
        },
        JournalState::Done(_) => Vec::new(),
    };
    Ok(Recovered::RolledBack { id, kept })
}

/// J6: removes what the intent names, and the transaction after it.
pub(crate) fn roll_back(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(), RecoverError> {
    let failed = |error| RecoverError::Step { id, error };
    for temp in intent.writes.iter().map(|it| &it.temp.0) {
        remove_if_there(ctx, temp).map_err(failed)?;
    }
    unlock_index(ctx, id, intent)?;
    forget(ctx, id, intent).map_err(failed)
}

/// Lets git at its index again.
fn unlock_index(ctx: &Ctx<'_>, id: TransactionId, intent: &Intent) -> Result<(), RecoverError> {
    let unlocked = ctx.index.map_or(Ok(()), |it| it.unlock(ctx, intent));
    unlocked.map_err(|error| error.of(id))
}

/// J13: the entries of the index follow the tree.
pub(crate) fn publish_index(ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StagingError> {
    match (&intent.staged, ctx.index) {
        (None, _) => Ok(()),
        (Some(_), Some(index)) => index.publish(ctx, intent),
        (Some(_), None) => Err(StagingError::Missing),
    }
}

/// The last steps back: new directories go, and the transaction after them.
pub(crate) fn forget(ctx: &Ctx<'_>, id: TransactionId, intent: &Intent) -> Result<(), StepError> {
    for directory in intent.new_directories.iter().rev() {
        remove_if_empty(ctx, directory)?;
    }
    let mut directories = parents(intent.temporaries());
    directories.extend(parents(intent.new_directories.iter().map(|directory| &directory.0)));
    sync_present(ctx, directories)?;
    remove_transaction(ctx, id)
}

/// How a committed transaction ended.
pub(crate) enum Completion {
    Complete,
    /// Everything was taken back.
    TakenBack {
        why: Obstacle,
        kept: Vec<RelPath>,
    },
}

/// Why a committed transaction could not be completed.
pub(crate) enum Obstacle {
    /// A file could not be replaced or removed.
    Step(StepError),
    /// Somebody else saved this file in the meantime.
    Faster(RelPath),
    /// The entries of the index could not be exchanged.
    Staging(StagingError),
}

/// J7: does what is not done yet; if that is impossible, takes back what is.
pub(crate) fn complete(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Completion, RecoverError> {
    let why = match publish(ctx, intent, None) {
        Ok(Published::All) => match publish_index(ctx, intent) {
            Ok(()) => return finish(ctx, id, intent).map(|()| Completion::Complete),
            Err(error) => Obstacle::Staging(error),
        },
        Ok(Published::Faster(path)) => Obstacle::Faster(path),
        Err(error) => Obstacle::Step(error),
    };
    match (restore::abort(ctx, id), why) {
        (Ok(()), why) => {
            let kept = restore::take_back(ctx, id, intent)?;
            Ok(Completion::TakenBack { why, kept })
        }
        (Err(_), Obstacle::Step(error)) => Err(RecoverError::Step { id, error }),
        (Err(error), Obstacle::Faster(_) | Obstacle::Staging(_)) => {
            Err(RecoverError::Step { id, error })
        }
    }
}

/// Settles a transaction whose tree is the new one, and marks it done.
pub(crate) fn finish(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(), RecoverError> {
    let failed = |error| RecoverError::Step { id, error };
    settle(ctx, intent).map_err(failed)?;
    // Before the mark: of a transaction that is done nobody looks for a lock.
    unlock_index(ctx, id, intent)?;
    let path = journal::journal_of(id);
    let marked = step("write", &path, ctx.state.append(&path, &journal::done_line()));
    marked.and_then(|()| ctx.sync_state(&[path])).map_err(failed)
}

/// Removes the directory of a transaction; the journal last (J10), because without it nothing is known of the rest.
pub(crate) fn remove_transaction(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let directory = journal::directory_of(id);
    let undo = journal::undo_of(id);
    if step("stat", &undo, ctx.state.stat(&undo))?.is_some() {
        step("remove", &undo, ctx.state.remove_file(&undo))?;
        ctx.sync_state_directories(&[Some(directory.clone())])?;
    }
    for path in [journal::journal_of(id), journal::aborted_of(id)] {
        if step("stat", &path, ctx.state.stat(&path))?.is_some() {
            step("remove", &path, ctx.state.remove_file(&path))?;
        }
    }
    if step("stat", &directory, ctx.state.stat(&directory))?.is_some() {
        step("remove", &directory, ctx.state.remove_directory(&directory))?;
    }
    ctx.sync_state_directories(&[Some(journal::transactions_path())])
}

/// Removes a file of the tree if it is there.
pub(crate) fn remove_if_there(ctx: &Ctx<'_>, path: &RelPath) -> Result<(), StepError> {
    if step("stat", path, is_there(ctx, path))? {
        step("remove", path, ctx.fs.remove_file(path))?;
    }
    Ok(())
}

pub(crate) fn remove_if_empty(ctx: &Ctx<'_>, directory: &WirePath) -> Result<(), StepError> {
    match ctx.fs.remove_directory(&directory.0) {
        Ok(()) => Ok(()),
        // Somebody else's files in our directory: then it is theirs.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound
            ) =>
        {
            Ok(())
        }
        Err(error) if is_gone(&error) => Ok(()),
        Err(source) => step("remove", &directory.0, Err(source)),
    }
}

/// Whether there is something to remove. A directory that was replaced by a link or a file took its contents along.
fn is_there(ctx: &Ctx<'_>, path: &RelPath) -> io::Result<bool> {
    match ctx.fs.stat(path) {
        Ok(stat) => Ok(stat.is_some()),
        Err(error) if is_gone(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_gone(error: &io::Error) -> bool {
    [Errno::LOOP, Errno::NOTDIR]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Syncs those of the tree's directories that are there.
pub(crate) fn sync_present(
    ctx: &Ctx<'_>,
    directories: BTreeSet<Option<RelPath>>,
) -> Result<(), StepError> {
    let mut present = Vec::with_capacity(directories.len());
    for directory in directories {
        match &directory {
            Some(path) if !step("stat", path, is_there(ctx, path))? => {}
            _ => present.push(directory),
        }
    }
    ctx.sync_directories(&present)
}
