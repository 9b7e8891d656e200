//! The transactions that are done: listing them, undoing one, forgetting old ones.

use std::collections::{BTreeMap, BTreeSet};

use edit::{ContentHash, Edit, EditError, EditSet, Text};
use snapshot::{ApplyError, ChangeError, NewFile, RelPath, Rename, TreeChange};

use crate::commit::{CommitError, Meta, OwnWrite, UndoOf, commit, rehearse};
use crate::fs::EntryKind;
use crate::images::{self, ImageError};
use crate::journal::v2::{Intent, Staged, WirePath};
use crate::journal::{self, JournalError, JournalState, TransactionId};
use crate::recover::remove_transaction;
use crate::staging::{StagedEntry, StagingError};
use crate::step::{Ctx, StepError, step};

/// What a transaction did to one file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Touched {
    /// A new file.
    Added(RelPath),
    /// New contents.
    Edited(RelPath),
    /// The file is gone.
    Deleted(RelPath),
    /// Another path, and perhaps new contents.
    Renamed {
        /// The path before.
        from: RelPath,
        /// The path after.
        to: RelPath,
    },
}

/// A transaction that is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// Its number.
    pub id: TransactionId,
    /// What was recorded with it.
    pub meta: Meta,
    /// The transaction that it undoes, if it is an undo.
    pub undoes: Option<TransactionId>,
    /// The transaction that undid it, if that one is not undone itself.
    pub undone_by: Option<TransactionId>,
    /// What it did, sorted.
    pub touched: Vec<Touched>,
    /// The entries of git's index that it changed, sorted by name.
    pub staged: Vec<StagedEntry>,
    /// The size of its undo images in bytes.
    pub undo_bytes: u64,
}

/// How many finished transactions are kept for undoing. The newest one always is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// At most this many.
    pub transactions: usize,
    /// With at most this many bytes of undo images in all.
    pub bytes: u64,
}

/// Why a transaction was not undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// There is no such transaction, or its images were pruned.
    #[error("there is no transaction {id} to undo")]
    Unknown {
        /// The transaction.
        id: TransactionId,
    },
    /// It is undone already.
    #[error("{id} was undone by {by}")]
    UndoneAlready {
        /// The transaction.
        id: TransactionId,
        /// The transaction that undid it.
        by: TransactionId,
    },
    /// Files are not what the transaction left.
    #[error("{id} was not undone, because {} changed since", list_of(.paths))]
    Changed {
        /// The transaction.
        id: TransactionId,
        /// The files, sorted.
        paths: Vec<RelPath>,
    },
    /// Entries of git's index are not what the transaction left.
    #[error("{id} was not undone, because the index of git has something else for {} by now", .names.join(", "))]
    StagedSince {
        /// The transaction.
        id: TransactionId,
        /// The entries, sorted.
        names: Vec<String>,
    },
    /// The undo images are not what regreen wrote.
    #[error("the undo image of {path} in {id} is damaged")]
    DamagedImage {
        /// The transaction.
        id: TransactionId,
        /// The file.
        path: RelPath,
    },
    /// A file is too large to be edited back.
    #[error("{path} cannot be restored: {source}")]
    Edit {
        /// The file.
        path: RelPath,
        /// Why.
        source: EditError,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The undo contradicts itself, so the journal is not what regreen wrote.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The undo was not committed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl From<JournalError> for UndoError {
    fn from(error: JournalError) -> UndoError {
        UndoError::Commit(error.into())
    }
}

fn list_of(paths: &[RelPath]) -> String {
    paths.iter().map(RelPath::as_str).collect::<Vec<_>>().join(", ")
}

/// The finished transactions, oldest first.
pub(crate) fn log(ctx: &Ctx<'_>) -> Result<Vec<Transaction>, JournalError> {
    Ok(read_all(ctx)?.into_values().map(|(transaction, _)| transaction).collect())
}

fn read_all(ctx: &Ctx<'_>) -> Result<BTreeMap<TransactionId, (Transaction, Intent)>, JournalError> {
    let mut all = BTreeMap::new();
    let mut undone_by: BTreeMap<TransactionId, TransactionId> = BTreeMap::new();
    for id in journal::list(ctx.state)?.into_iter().rev() {
        let JournalState::Done(intent) = journal::read_state(ctx.state, id)? else { continue };
        let undoes = intent.undoes.as_ref().and_then(|id| id.parse().ok());
        // From the newest down, so that an undo which was undone itself does not count.
        if let Some(undone) = undoes.filter(|_| !undone_by.contains_key(&id)) {
            undone_by.entry(undone).or_insert(id);
        }
        let transaction = Transaction {
            id,
            meta: Meta {
                command: intent.command.clone(),
                time: intent.time.clone(),
                notes: intent.notes.clone(),
            },
            undoes,
            undone_by: undone_by.get(&id).copied(),
            touched: touched(&intent),
            staged: staged_entries(&intent),
            undo_bytes: intent.images.iter().fold(0, |sum, image| image.length.saturating_add(sum)),
        };
        all.insert(id, (transaction, intent));
    }
    Ok(all)
}

fn staged_entries(intent: &Intent) -> Vec<StagedEntry> {
    let entries = intent.staged.iter().flat_map(|it| &it.entries);
    let mut entries: Vec<StagedEntry> = entries
        .map(|it| StagedEntry {
            name: it.name.clone(),
            mode: it.mode.clone(),
            before: it.before.clone(),
            after: it.after.clone(),
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

fn touched(intent: &Intent) -> Vec<Touched> {
    let mut moved = BTreeSet::new();
    let mut touched = Vec::new();
    for write in &intent.writes {
        let path = write.path.0.clone();
        touched.push(match write.from.as_ref().map(|from| from.0.clone()) {
            None => Touched::Added(path),
            Some(from) if from == path => Touched::Edited(path),
            Some(from) => {
                moved.insert(from.clone());
                Touched::Renamed { from, to: path }
            }
        });
    }
    let gone = intent.deletes.iter().map(|delete| delete.path.0.clone());
    touched.extend(gone.filter(|path| !moved.contains(path)).map(Touched::Deleted));
    touched.sort();
    touched
}

/// What undoing a transaction would do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndoPlan {
    /// The transaction.
    pub id: TransactionId,
    /// What would change in the tree; the file index is not part of it.
    pub change: TreeChange,
}

/// An undo that is ready to be committed.
struct Inverse {
    change: TreeChange,
    own: Vec<OwnWrite>,
    staged: Option<Staged>,
    undo: UndoOf,
}

/// Undoes a transaction, by default the newest that is neither undone nor an undo itself.
pub(crate) fn undo(
    ctx: &Ctx<'_>,
    id: Option<TransactionId>,
    meta: &Meta,
    limit: u64,
) -> Result<Option<(TransactionId, TransactionId)>, UndoError> {
    let Some(Inverse { change, own, staged, undo }) = invert(ctx, id)? else { return Ok(None) };
    match commit(ctx, &change, &own, meta, Some(&undo), limit, staged.as_ref()) {
        Ok(undoing) => Ok(undoing.map(|undoing| (undo.id, undoing))),
        Err(error) => Err(not_committed(undo.id, error)),
    }
}

/// Everything that [`undo`] does but write: what it would refuse is refused here too.
pub(crate) fn plan_undo(
    ctx: &Ctx<'_>,
    id: Option<TransactionId>,
    limit: u64,
) -> Result<Option<UndoPlan>, UndoError> {
    let Some(Inverse { change, own, staged, undo }) = invert(ctx, id)? else { return Ok(None) };
    match rehearse(ctx, &change, &own, &undo, limit, staged.as_ref()) {
        Ok(()) => Ok(Some(UndoPlan { id: undo.id, change })),
        Err(error) => Err(not_committed(undo.id, error)),
    }
}

fn not_committed(id: TransactionId, error: CommitError) -> UndoError {
    match error {
        CommitError::Apply(
            ApplyError::Stale { path, .. }
            | ApplyError::Exists { path }
            | ApplyError::Missing { path }
            | ApplyError::NotAFile { path },
        ) => UndoError::Changed { id, paths: vec![path] },
        error => error.into(),
    }
}

fn invert(ctx: &Ctx<'_>, id: Option<TransactionId>) -> Result<Option<Inverse>, UndoError> {
    let all = read_all(ctx)?;
    let newest = || {
        all.values()
            .rev()
            .map(|(it, _)| it)
            .find(|it| it.undone_by.is_none() && it.undoes.is_none())
    };
    let Some(id) = id.or_else(|| newest().map(|it| it.id)) else { return Ok(None) };
    let Some((transaction, intent)) = all.get(&id) else { return Err(UndoError::Unknown { id }) };
    if let Some(by) = transaction.undone_by {
        return Err(UndoError::UndoneAlready { id, by });
    }
    let (change, own) = inverse(ctx, id, intent)?;
    let directories = intent.new_directories.iter().rev().map(|it| it.0.clone()).collect();
    let staged = inverse_staged(ctx, id, intent)?;
    Ok(Some(Inverse { change, own, staged, undo: UndoOf { id, directories } }))
}

/// The entries of the index that are to be put back: all, or none where an alternate index was changed and the one of the
/// repository never got to know of it.
fn inverse_staged(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Option<Staged>, UndoError> {
    let Some(staged) = &intent.staged else { return Ok(None) };
    let failed = |error| UndoError::Commit(CommitError::Staging(error));
    let index = ctx.index.ok_or_else(|| failed(StagingError::Missing))?;
    let (names, is_old) = index.look_back(staged).map_err(failed)?;
    match (names.is_empty(), is_old) {
        (false, _) => Err(UndoError::StagedSince { id, names }),
        (true, true) => Ok(None),
        (true, false) => Ok(Some(staged.inverse())),
    }
}

/// The change that takes the tree back, and what becomes of the files of our own.
fn inverse(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(TreeChange, Vec<OwnWrite>), UndoError> {
    let images = images::read(ctx, id, intent).map_err(|error| match error {
        ImageError::Gone => UndoError::Unknown { id },
        ImageError::Damaged(path) => UndoError::DamagedImage { id, path },
        ImageError::Step(error) => error.into(),
    })?;
    let (mut edits, mut adds) = (BTreeMap::new(), BTreeMap::new());
    let (mut deletes, mut renames) = (BTreeMap::new(), BTreeMap::new());
    let mut changed = BTreeSet::new();
    let mut own: Vec<OwnWrite> = Vec::new();
    let mut heirs = BTreeSet::new();
    for write in &intent.writes {
        let (path, after) = (&write.path.0, write.after.0);
        let old = write.from.as_ref().and_then(|from| Some((&from.0, images.get(&from.0)?)));
        let Some(present) = present_text(ctx, path, after, write.length)? else {
            changed.insert(path.clone());
            continue;
        };
        if journal::is_own_target(path) {
            own.push(OwnWrite {
                path: path.clone(),
                base: Some(after),
                text: old.map(|(_, (text, _))| text.clone()),
            });
            continue;
        }
        let Some((from, (text, _))) = old else {
            deletes.insert(path.clone(), after);
            continue;
        };
        heirs.insert(from);
        if path != from {
            renames.insert(path.clone(), Rename { to: from.clone(), base: after });
        }
        if text.hash() != after {
            edits.insert(path.clone(), whole_edit(&present, text, path)?);
        }
    }
    for WirePath(path) in intent.deletes.iter().map(|delete| &delete.path) {
        if step("stat", path, ctx.fs.stat(path))?.is_some() {
            changed.insert(path.clone());
        }
    }
    for (path, (text, mode)) in images.iter().filter(|(path, _)| !heirs.contains(path)) {
        if journal::is_own_target(path) {
            if !own.iter().any(|it| it.path == *path) {
                own.push(OwnWrite { path: path.clone(), base: None, text: Some(text.clone()) });
            }
        } else {
            adds.insert(path.clone(), NewFile { text: text.clone(), mode: *mode });
        }
    }
    if !changed.is_empty() {
        return Err(UndoError::Changed { id, paths: changed.into_iter().collect() });
    }
    Ok((TreeChange::new(edits, adds, deletes, renames)?, own))
}

/// The file at the path, if it still is what the transaction left.
fn present_text(
    ctx: &Ctx<'_>,
    path: &RelPath,
    expected: ContentHash,
    length: u64,
) -> Result<Option<Text>, UndoError> {
    match step("stat", path, ctx.fs.stat(path))? {
        Some(stat) if stat.kind == EntryKind::File && stat.identity.size == length => {
            match ctx.fs.read(path, length) {
                Ok((bytes, _)) => Ok(Some(Text::new(bytes)).filter(|it| it.hash() == expected)),
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Ok(None),
                Err(source) => Ok(step("read", path, Err(source))?),
            }
        }
        _ => Ok(None),
    }
}

fn whole_edit(present: &Text, text: &Text, path: &RelPath) -> Result<EditSet, UndoError> {
    let failed = |source| UndoError::Edit { path: path.clone(), source };
    let length = u32::try_from(present.len())
        .map_err(|_| failed(EditError::TooLarge { len: present.len() }))?;
    EditSet::new(present, vec![Edit::replace(0, length, text.bytes())]).map_err(failed)
}

/// Forgets the oldest transactions until the rest is within the limits. Returns what was forgotten.
pub(crate) fn prune(
    ctx: &Ctx<'_>,
    retention: Retention,
) -> Result<Vec<TransactionId>, CommitError> {
    let mut pruned = Vec::new();
    let (mut n_kept, mut bytes) = (0, 0u64);
    for (n, id) in journal::list(ctx.state)?.into_iter().rev().enumerate() {
        let undo = journal::undo_of(id);
        let size = step("stat", &undo, ctx.state.stat(&undo))?.map_or(0, |stat| stat.identity.size);
        bytes = bytes.saturating_add(size);
        // The newest stays, because the next number follows from it.
        if n == 0 || (n_kept < retention.transactions && bytes <= retention.bytes) {
            n_kept += 1;
            continue;
        }
        remove_transaction(ctx, id)?;
        pruned.push(id);
    }
    pruned.reverse();
    Ok(pruned)
}
