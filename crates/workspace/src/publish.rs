//! The part of a transaction that changes the tree: new files take the places of old ones, and the old ones go when all
//! of that has happened (J4, J11). The same steps serve a commit and its recovery; what is done already is seen from
//! what the files hold.

use std::collections::BTreeMap;

use snapshot::RelPath;

use crate::commit::parents;
use crate::displace::{Attempt, ExpectedContents, PathContents, held, place_new, replace, take};
use crate::fs::FileIdentity;
use crate::journal::v2::{DeleteEntry, Intent, WriteEntry};
use crate::recover::{remove_if_empty, sync_present};
use crate::step::{Ctx, StepError, step};

/// How far it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Published {
    /// The tree is the new one.
    All,
    /// Somebody else saved this file in the meantime; the tree is in between.
    Faster(RelPath),
}

/// The files as they were when their contents were compared with the change.
pub(crate) type ComparedFiles = BTreeMap<RelPath, FileIdentity>;

/// Changes the tree. With `known`, nothing of it has happened yet.
pub(crate) fn publish(
    ctx: &Ctx<'_>,
    intent: &Intent,
    known: Option<&ComparedFiles>,
) -> Result<Published, StepError> {
    let lengths = intent.lengths_before();
    let length = |path: &RelPath| lengths.get(path).copied().unwrap_or_default();
    for write in &intent.writes {
        if let Attempt::Faster = put(ctx, write, length(&write.path.0), known)? {
            return Ok(Published::Faster(write.path.0.clone()));
        }
    }
    for delete in &intent.deletes {
        if let Attempt::Faster = remove(ctx, delete, length(&delete.path.0), known)? {
            return Ok(Published::Faster(delete.path.0.clone()));
        }
    }
    let mut displaced = Vec::new();
    for write in &intent.writes {
        let path = &write.path.0;
        let before = write.before.map(|it| ExpectedContents { hash: it.0, length: length(path) });
        let mut expected = vec![after(write)];
        expected.extend(before);
        displaced.push((path, &write.temp.0, expected));
    }
    for delete in &intent.deletes {
        let path = &delete.path.0;
        let expected = vec![ExpectedContents { hash: delete.before.0, length: length(path) }];
        displaced.push((path, &delete.temp.0, expected));
    }
    if let Some(path) = discard(ctx, &displaced)? {
        return Ok(Published::Faster(path));
    }
    Ok(Published::All)
}

/// What a write leaves at its path.
pub(crate) fn after(write: &WriteEntry) -> ExpectedContents {
    ExpectedContents { hash: write.after.0, length: write.length }
}

fn put(
    ctx: &Ctx<'_>,
    write: &WriteEntry,
    length: u64,
    known: Option<&ComparedFiles>,
) -> Result<Attempt, StepError> {
    let (path, temp) = (&write.path.0, &write.temp.0);
    let before = write.before.map(|it| ExpectedContents { hash: it.0, length });
    if let Some(known) = known {
        return match before {
            Some(before) => replace(ctx, temp, path, before, known.get(path)),
            None => place_new(ctx, temp, path),
        };
    }
    let Some(before) = before else {
        let wanted = [after(write)];
        return match (held(ctx, path, &wanted)?, held(ctx, temp, &wanted)?) {
            (PathContents::Nothing, PathContents::One(_)) => place_new(ctx, temp, path),
            // Nothing to put there, or something that is not ours.
            (PathContents::Nothing, _) | (PathContents::Other, PathContents::One(_)) => {
                Ok(Attempt::Faster)
            }
            // It is there, and perhaps somebody has edited it since.
            (PathContents::One(_) | PathContents::Other, _) => Ok(Attempt::Done),
        };
    };
    let wanted = [after(write), before];
    match (held(ctx, path, &wanted)?, held(ctx, temp, &wanted)?) {
        (PathContents::One(0), _) => Ok(Attempt::Done),
        (PathContents::One(_), PathContents::One(0)) => replace(ctx, temp, path, before, None),
        // The new contents are lost, or somebody was faster.
        (PathContents::One(_), _)
        | (PathContents::Nothing | PathContents::Other, PathContents::One(0)) => {
            Ok(Attempt::Faster)
        }
        // It was replaced, and somebody has edited or removed it since.
        (PathContents::Nothing | PathContents::Other, _) => Ok(Attempt::Done),
    }
}

fn remove(
    ctx: &Ctx<'_>,
    delete: &DeleteEntry,
    length: u64,
    known: Option<&ComparedFiles>,
) -> Result<Attempt, StepError> {
    let (path, temp) = (&delete.path.0, &delete.temp.0);
    let before = ExpectedContents { hash: delete.before.0, length };
    if let Some(known) = known {
        return take(ctx, path, temp, before, known.get(path));
    }
    match (held(ctx, path, &[before])?, held(ctx, temp, &[before])?) {
        (PathContents::Nothing, _) => Ok(Attempt::Done),
        (PathContents::One(_), PathContents::Nothing) => take(ctx, path, temp, before, None),
        // Somebody has made a new file since.
        (PathContents::One(_) | PathContents::Other, PathContents::One(_)) => Ok(Attempt::Done),
        (PathContents::Other, PathContents::Nothing) | (_, PathContents::Other) => {
            Ok(Attempt::Faster)
        }
    }
}

/// J11: removes what was displaced, if all of it is still what it was; otherwise names a file that is not.
fn discard(
    ctx: &Ctx<'_>,
    displaced: &[(&RelPath, &RelPath, Vec<ExpectedContents>)],
) -> Result<Option<RelPath>, StepError> {
    let mut present = Vec::with_capacity(displaced.len());
    for (path, temp, expected) in displaced {
        match held(ctx, temp, expected)? {
            PathContents::Nothing => {}
            PathContents::One(_) => {
                let stat = step("stat", temp, ctx.fs.stat(temp))?;
                present.push((*path, *temp, stat.map(|it| it.identity)));
            }
            PathContents::Other => return Ok(Some((*path).clone())),
        }
    }
    for (path, temp, identity) in present {
        if step("stat", temp, ctx.fs.stat(temp))?.map(|it| it.identity) != identity {
            return Ok(Some(path.clone()));
        }
        step("remove", temp, ctx.fs.remove_file(temp))?;
    }
    Ok(None)
}

/// The last steps of a transaction whose tree is the new one: empty directories go, and J4.
pub(crate) fn settle(ctx: &Ctx<'_>, intent: &Intent) -> Result<(), StepError> {
    for directory in &intent.old_directories {
        remove_if_empty(ctx, directory)?;
    }
    let directories = intent.old_directories.iter().map(|directory| &directory.0);
    sync_present(ctx, parents(intent.targets().chain(directories)))
}
