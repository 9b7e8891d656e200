//! The part of a transaction that changes the tree: new files take the places of old ones, and the old ones go when all
//! of that has happened (J4, J11). The same steps serve a commit and its recovery; what is done already is seen from
//! what the files hold.

use std::collections::BTreeMap;

use snapshot::RelPath;

use crate::commit::parents;
use crate::displace::{Attempt, Contents, Held, held, place_new, replace, take};
use crate::fs::Identity;
use crate::journal::v2::{Delete, Intent, Write};
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
pub(crate) type Known = BTreeMap<RelPath, Identity>;

/// Changes the tree. With `known`, nothing of it has happened yet.
pub(crate) fn publish(
    ctx: &Ctx<'_>,
    intent: &Intent,
    known: Option<&Known>,
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
        let before = write.before.map(|it| Contents { hash: it.0, length: length(path) });
        let mut expected = vec![after(write)];
        expected.extend(before);
        displaced.push((path, &write.temp.0, expected));
    }
    for delete in &intent.deletes {
        let path = &delete.path.0;
        let expected = vec![Contents { hash: delete.before.0, length: length(path) }];
        displaced.push((path, &delete.temp.0, expected));
    }
    if let Some(path) = discard(ctx, &displaced)? {
        return Ok(Published::Faster(path));
    }
    Ok(Published::All)
}

/// What a write leaves at its path.
pub(crate) fn after(write: &Write) -> Contents {
    Contents { hash: write.after.0, length: write.length }
}

fn put(
    ctx: &Ctx<'_>,
    write: &Write,
    length: u64,
    known: Option<&Known>,
) -> Result<Attempt, StepError> {
    let (path, temp) = (&write.path.0, &write.temp.0);
    let before = write.before.map(|it| Contents { hash: it.0, length });
    if let Some(known) = known {
        return match before {
            Some(before) => replace(ctx, temp, path, before, known.get(path)),
            None => place_new(ctx, temp, path),
        };
    }
    let Some(before) = before else {
        let wanted = [after(write)];
        return match (held(ctx, path, &wanted)?, held(ctx, temp, &wanted)?) {
            (Held::Nothing, Held::One(_)) => place_new(ctx, temp, path),
            // Nothing to put there, or something that is not ours.
            (Held::Nothing, _) | (Held::Other, Held::One(_)) => Ok(Attempt::Faster),
            // It is there, and perhaps somebody has edited it since.
            (Held::One(_) | Held::Other, _) => Ok(Attempt::Done),
        };
    };
    let wanted = [after(write), before];
    match (held(ctx, path, &wanted)?, held(ctx, temp, &wanted)?) {
        (Held::One(0), _) => Ok(Attempt::Done),
        (Held::One(_), Held::One(0)) => replace(ctx, temp, path, before, None),
        // The new contents are lost, or somebody was faster.
        (Held::One(_), _) | (Held::Nothing | Held::Other, Held::One(0)) => Ok(Attempt::Faster),
        // It was replaced, and somebody has edited or removed it since.
        (Held::Nothing | Held::Other, _) => Ok(Attempt::Done),
    }
}

fn remove(
    ctx: &Ctx<'_>,
    delete: &Delete,
    length: u64,
    known: Option<&Known>,
) -> Result<Attempt, StepError> {
    let (path, temp) = (&delete.path.0, &delete.temp.0);
    let before = Contents { hash: delete.before.0, length };
    if let Some(known) = known {
        return take(ctx, path, temp, before, known.get(path));
    }
    match (held(ctx, path, &[before])?, held(ctx, temp, &[before])?) {
        (Held::Nothing, _) => Ok(Attempt::Done),
        (Held::One(_), Held::Nothing) => take(ctx, path, temp, before, None),
        // Somebody has made a new file since.
        (Held::One(_) | Held::Other, Held::One(_)) => Ok(Attempt::Done),
        (Held::Other, Held::Nothing) | (_, Held::Other) => Ok(Attempt::Faster),
    }
}

/// J11: removes what was displaced, if all of it is still what it was; otherwise names a file that is not.
fn discard(
    ctx: &Ctx<'_>,
    displaced: &[(&RelPath, &RelPath, Vec<Contents>)],
) -> Result<Option<RelPath>, StepError> {
    let mut present = Vec::with_capacity(displaced.len());
    for (path, temp, expected) in displaced {
        match held(ctx, temp, expected)? {
            Held::Nothing => {}
            Held::One(_) => {
                let stat = step("look at", temp, ctx.fs.stat(temp))?;
                present.push((*path, *temp, stat.map(|it| it.identity)));
            }
            Held::Other => return Ok(Some((*path).clone())),
        }
    }
    for (path, temp, identity) in present {
        if step("look at", temp, ctx.fs.stat(temp))?.map(|it| it.identity) != identity {
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
