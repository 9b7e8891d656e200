//! Replacing and removing files that somebody else may be saving at the same moment (J11, J12).
//!
//! Between looking at a file and replacing it there is always a moment in which another program can save it. So a file is
//! never overwritten: the new one and the present one change places in one step, and only then is the present one
//! looked at. If it is not what it should be, they change places again, and whoever was faster keeps what he saved.

use std::io;

use edit::ContentHash;
use snapshot::RelPath;

use crate::fs::{EntryKind, FileIdentity};
use crate::step::{Ctx, StepError, step};

/// How often two programs may save one file between two of our steps before we leave it to them.
const MOST_TRIES: usize = 64;

/// What a file may hold: the hash of its contents and their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExpectedContents {
    pub(crate) hash: ContentHash,
    pub(crate) length: u64,
}

/// What stands at a path, compared with what may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathContents {
    Nothing,
    /// The contents with this number among those that were asked about.
    One(usize),
    /// Something else.
    Other,
}

/// Which of the contents the file holds. A file of another size is not read.
pub(crate) fn held(
    ctx: &Ctx<'_>,
    path: &RelPath,
    wanted: &[ExpectedContents],
) -> Result<PathContents, StepError> {
    let Some(stat) = step("stat", path, ctx.fs.stat(path))? else {
        return Ok(PathContents::Nothing);
    };
    if stat.kind != EntryKind::File || wanted.iter().all(|it| it.length != stat.identity.size) {
        return Ok(PathContents::Other);
    }
    match ctx.fs.hash(path) {
        Ok((hash, stat)) => {
            let length = stat.identity.size;
            let found = wanted.iter().position(|it| *it == ExpectedContents { hash, length });
            Ok(found.map_or(PathContents::Other, PathContents::One))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PathContents::Nothing),
        // It became something that is not a file.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(PathContents::Other),
        Err(source) => step("read", path, Err(source)),
    }
}

/// What becomes of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Attempt {
    /// It was made.
    Done,
    /// Somebody else's contents stand at the path, and stay.
    Faster,
}

/// Puts the file `ours` in the place of `path`, which must hold `expected`, and what stood there under the name `ours`.
/// With `known`, the identity that the file had when its contents were last looked at, it is not read again if it
/// still has it.
pub(crate) fn replace(
    ctx: &Ctx<'_>,
    ours: &RelPath,
    path: &RelPath,
    expected: ExpectedContents,
    known: Option<&FileIdentity>,
) -> Result<Attempt, StepError> {
    if !is_as_expected(ctx, path, expected, known, Moved::No)? {
        return Ok(Attempt::Faster);
    }
    let new = file_id(ctx, ours)?;
    match ctx.fs.exchange(ours, path) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            // The moment in between is as short as it can be made here.
            step("replace", path, ctx.fs.rename(ours, path))?;
            return Ok(Attempt::Done);
        }
        Err(error) if is_missing(&error) => return Ok(Attempt::Faster),
        exchanged => step("replace", path, exchanged)?,
    }
    if is_as_expected(ctx, ours, expected, known, Moved::Yes)? {
        return Ok(Attempt::Done);
    }
    give_back(ctx, ours, path, new)?;
    Ok(Attempt::Faster)
}

/// Changes the two names back until what comes out is what was put in last: then nobody saved in between, and the newest
/// save stands at the path.
fn give_back(
    ctx: &Ctx<'_>,
    ours: &RelPath,
    path: &RelPath,
    new: Option<FileId>,
) -> Result<(), StepError> {
    let mut put_in = new;
    for _ in 0..MOST_TRIES {
        let saved = file_id(ctx, ours)?;
        match ctx.fs.exchange(ours, path) {
            // The path was removed; what was saved goes back to it.
            Err(error) if is_missing(&error) => {
                let _ = place_new(ctx, ours, path)?;
                return Ok(());
            }
            exchanged => step("restore", path, exchanged)?,
        }
        if file_id(ctx, ours)? == put_in {
            return Ok(());
        }
        put_in = saved;
    }
    Ok(())
}

/// Which file it is, whatever it holds.
type FileId = (u64, u64);

fn file_id(ctx: &Ctx<'_>, path: &RelPath) -> Result<Option<FileId>, StepError> {
    let stat = step("stat", path, ctx.fs.stat(path))?;
    Ok(stat.map(|it| (it.identity.device, it.identity.inode)))
}

/// Takes the file at `path`, which must hold `expected`, away to the name `ours`, which nothing has.
pub(crate) fn take(
    ctx: &Ctx<'_>,
    path: &RelPath,
    ours: &RelPath,
    expected: ExpectedContents,
    known: Option<&FileIdentity>,
) -> Result<Attempt, StepError> {
    if !is_as_expected(ctx, path, expected, known, Moved::No)? {
        return Ok(Attempt::Faster);
    }
    match ctx.fs.rename(path, ours) {
        Err(error) if is_missing(&error) => return Ok(Attempt::Faster),
        renamed => step("remove", path, renamed)?,
    }
    if is_as_expected(ctx, ours, expected, known, Moved::Yes)? {
        return Ok(Attempt::Done);
    }
    // If there is a new file already, both are somebody's: the older one stays beside it.
    let _ = place_new(ctx, ours, path)?;
    Ok(Attempt::Faster)
}

/// Gives `ours` the name `path` unless something has it.
pub(crate) fn place_new(
    ctx: &Ctx<'_>,
    ours: &RelPath,
    path: &RelPath,
) -> Result<Attempt, StepError> {
    match ctx.fs.rename_new(ours, path) {
        Ok(()) => Ok(Attempt::Done),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Attempt::Faster),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            if step("stat", path, ctx.fs.stat(path))?.is_some() {
                return Ok(Attempt::Faster);
            }
            step("create", path, ctx.fs.rename(ours, path))?;
            Ok(Attempt::Done)
        }
        Err(source) => step("create", path, Err(source)),
    }
}

/// Whether a file was given another name since it was last looked at, which counts as a change of it.
#[derive(Clone, Copy, PartialEq)]
enum Moved {
    No,
    Yes,
}

fn is_as_expected(
    ctx: &Ctx<'_>,
    path: &RelPath,
    expected: ExpectedContents,
    known: Option<&FileIdentity>,
    moved: Moved,
) -> Result<bool, StepError> {
    if let Some(known) = known
        && let Some(stat) = step("stat", path, ctx.fs.stat(path))?
    {
        let is_same = match moved {
            Moved::No => stat.identity == *known,
            Moved::Yes => stat.identity.is_same_contents(known),
        };
        if is_same && stat.kind == EntryKind::File {
            return Ok(true);
        }
    }
    Ok(held(ctx, path, &[expected])? == PathContents::One(0))
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
