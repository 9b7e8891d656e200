//! Finishes or takes back what a crash left behind. Every step can be repeated, so a crash during recovery is no
//! different from one before it.

use std::io;

use edit::ContentHash;
use rustix::io::Errno;
use snapshot::RelPath;

use crate::commit::parents;
use crate::fs::Kind;
use crate::journal::v1::{Intent, WirePath};
use crate::journal::{self, JournalError, State, TransactionId};
use crate::lock::LockError;
use crate::resolve::is_reserved;
use crate::restore;
use crate::step::{Ctx, StepError, step};

/// What recovery found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovered {
    /// There was nothing to do.
    Clean,
    /// A transaction had not been committed; what it had begun is removed.
    RolledBack(TransactionId),
    /// A transaction had been committed; it is complete now.
    Completed(TransactionId),
}

/// Why recovery did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// The lock was not taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A transaction is unfinished and may not be finished here.
    #[error("{id} is unfinished; run a regreen command that may write to this workspace first")]
    Pending {
        /// The transaction.
        id: TransactionId,
    },
    /// A file that is still to be replaced or removed was changed after the crash.
    #[error(
        "{id} was interrupted, and {path} was changed since; to keep {path} as it is, move `.regreen/txn/{id}` aside"
    )]
    Changed {
        /// The transaction.
        id: TransactionId,
        /// The file.
        path: RelPath,
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
pub(crate) fn pending(ctx: &Ctx<'_>) -> Result<Option<(TransactionId, State)>, JournalError> {
    let Some(id) = journal::list(ctx.fs)?.pop() else { return Ok(None) };
    match journal::read_state(ctx.fs, id)? {
        State::Done(_) => Ok(None),
        state => Ok(Some((id, state))),
    }
}

/// Finishes or takes back the newest transaction; the caller holds the lock.
pub(crate) fn recover(ctx: &Ctx<'_>) -> Result<Recovered, RecoverError> {
    let Some((id, state)) = pending(ctx)? else { return Ok(Recovered::Clean) };
    let failed = |error| RecoverError::Step { id, error };
    match state {
        State::Nothing => {
            if let Some(temp) = stray_temp(ctx, id) {
                let evidence = format!("its temporary file {temp} is there");
                return Err(journal::lost_intent(journal::journal_of(id), &evidence).into());
            }
            remove_transaction(ctx, id).map_err(failed)?;
        }
        State::Intended(intent) => roll_back(ctx, id, &intent).map_err(failed)?,
        State::Aborted(intent) => restore::take_back(ctx, id, &intent)?,
        State::Committed(intent) => {
            if let Completion::Complete = complete(ctx, id, &intent)? {
                return Ok(Recovered::Completed(id));
            }
        }
        State::Done(_) => {}
    }
    Ok(Recovered::RolledBack(id))
}

/// A temporary file of the transaction somewhere in the tree: the intent that named it was there (J1) and is lost.
/// The whole tree is looked through, but only after a crash in the very first step. What cannot be listed has no say.
fn stray_temp(ctx: &Ctx<'_>, id: TransactionId) -> Option<RelPath> {
    let mut open: Vec<Option<RelPath>> = vec![None];
    while let Some(directory) = open.pop() {
        for (name, kind) in ctx.fs.list(directory.as_ref()).unwrap_or_default() {
            let path =
                directory.as_ref().map_or_else(|| RelPath::parse(&name), |it| it.join(&name));
            let Ok(path) = path else { continue };
            match kind {
                Kind::Directory if !is_reserved(&path) => open.push(Some(path)),
                Kind::File if journal::is_temp_name_of(&name, id) => return Some(path),
                _ => {}
            }
        }
    }
    None
}

/// J6: removes what the intent names, and the transaction after it.
pub(crate) fn roll_back(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(), StepError> {
    for write in &intent.writes {
        let temp = &write.temp.0;
        if step("look at", temp, is_there(ctx, temp))? {
            step("remove", temp, ctx.fs.remove_file(temp))?;
        }
    }
    for directory in intent.new_directories.iter().rev() {
        remove_if_empty(ctx, directory)?;
    }
    let mut directories = parents(intent.writes.iter().map(|write| &write.temp.0));
    directories.extend(parents(intent.new_directories.iter().map(|directory| &directory.0)));
    sync_present(ctx, directories)?;
    remove_transaction(ctx, id)
}

/// How a committed transaction ended.
pub(crate) enum Completion {
    Complete,
    /// A file could not be replaced or removed, so everything was taken back.
    TakenBack(StepError),
}

/// J7: does what is not done yet; if that is impossible, takes back what is.
pub(crate) fn complete(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Completion, RecoverError> {
    match roll_forward(ctx, id, intent) {
        Ok(()) => {}
        Err(RecoverError::Step { error, .. }) => {
            return match restore::abort(ctx, id) {
                Ok(()) => {
                    restore::take_back(ctx, id, intent).map(|()| Completion::TakenBack(error))
                }
                Err(_) => Err(RecoverError::Step { id, error }),
            };
        }
        Err(error) => return Err(error),
    }
    let finished = settle(ctx, intent).and_then(|()| mark_done(ctx, id));
    finished.map(|()| Completion::Complete).map_err(|error| RecoverError::Step { id, error })
}

/// Replaces and removes what is left to. A file that was changed after the crash is not overwritten.
fn roll_forward(ctx: &Ctx<'_>, id: TransactionId, intent: &Intent) -> Result<(), RecoverError> {
    let failed = |error| RecoverError::Step { id, error };
    let changed = |path: &RelPath| RecoverError::Changed { id, path: path.clone() };
    for write in &intent.writes {
        let (path, temp) = (&write.path.0, &write.temp.0);
        let before = write.before.map(|hash| hash.0);
        let is_staged = step("look at", temp, ctx.fs.stat(temp)).map_err(failed)?.is_some();
        let found = hash_of(ctx, path).map_err(failed)?;
        let is_replaced = found == Some(write.after.0);
        if !is_staged {
            // The temporary file goes by becoming the target, which the user may have edited since; with the old
            // target still there, or none, it went some other way.
            if is_replaced || (found.is_some() && found != before) {
                continue;
            }
            return Err(changed(path));
        }
        if found != before && !is_replaced {
            return Err(changed(path));
        }
        step("replace", path, ctx.fs.rename(temp, path)).map_err(failed)?;
    }
    for delete in &intent.deletes {
        let path = &delete.path.0;
        match hash_of(ctx, path).map_err(failed)? {
            None => {}
            Some(found) if found == delete.before.0 => {
                step("remove", path, ctx.fs.remove_file(path)).map_err(failed)?;
            }
            Some(_) => return Err(changed(path)),
        }
    }
    Ok(())
}

/// The last steps of publishing: empty directories go, and J4.
pub(crate) fn settle(ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StepError> {
    for directory in &intent.old_directories {
        remove_if_empty(ctx, directory)?;
    }
    let written = intent.writes.iter().map(|write| &write.path.0);
    let deleted = intent.deletes.iter().map(|delete| &delete.path.0);
    let directories = intent.old_directories.iter().map(|directory| &directory.0);
    sync_present(ctx, parents(written.chain(deleted).chain(directories)))
}

pub(crate) fn mark_done(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let path = journal::journal_of(id);
    step("write", &path, ctx.fs.append(&path, &journal::done_line()))?;
    ctx.sync_files(&[path])
}

/// Removes the directory of a transaction; the journal last (J10), because without it nothing is known of the rest.
pub(crate) fn remove_transaction(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let directory = journal::directory_of(id);
    if remove_if_present(ctx, &journal::undo_of(id))? {
        ctx.sync_directories(&[Some(directory.clone())])?;
    }
    remove_if_present(ctx, &journal::journal_of(id))?;
    remove_if_present(ctx, &journal::aborted_of(id))?;
    if step("look at", &directory, ctx.fs.stat(&directory))?.is_some() {
        step("remove", &directory, ctx.fs.remove_directory(&directory))?;
    }
    sync_present(ctx, [Some(journal::transactions_path())].into())
}

fn remove_if_present(ctx: &Ctx<'_>, path: &RelPath) -> Result<bool, StepError> {
    let is_present = step("look at", path, ctx.fs.stat(path))?.is_some();
    if is_present {
        step("remove", path, ctx.fs.remove_file(path))?;
    }
    Ok(is_present)
}

fn remove_if_empty(ctx: &Ctx<'_>, directory: &WirePath) -> Result<(), StepError> {
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

pub(crate) fn hash_of(ctx: &Ctx<'_>, path: &RelPath) -> Result<Option<ContentHash>, StepError> {
    if step("look at", path, ctx.fs.stat(path))?.is_none() {
        return Ok(None);
    }
    let (bytes, _) = step("read", path, ctx.fs.read(path, u64::MAX))?;
    Ok(Some(ContentHash::of(&bytes)))
}

pub(crate) fn sync_present(
    ctx: &Ctx<'_>,
    directories: std::collections::BTreeSet<Option<RelPath>>,
) -> Result<(), StepError> {
    let mut present = Vec::with_capacity(directories.len());
    for directory in directories {
        match &directory {
            Some(path) if !step("look at", path, is_there(ctx, path))? => {}
            _ => present.push(directory),
        }
    }
    ctx.sync_directories(&present)
}
