//! Takes back a transaction that is committed and cannot be completed: some file can be neither replaced nor removed, and
//! trying again did not help. The files that were replaced already get their old contents from the undo images.
//!
//! The journal is renamed to `aborted` first (J9), so that a crash in between goes on here. Every step looks at what is
//! there and can be repeated.

use std::collections::{BTreeMap, BTreeSet};

use edit::ContentHash;
use snapshot::RelPath;

use crate::commit::{beside, parents};
use crate::fs::Attributes;
use crate::images::{self, ImageError, Images};
use crate::journal::v1::{Image, Intent, Write};
use crate::journal::{self, JournalError, TransactionId};
use crate::recover::{RecoverError, hash_of, roll_back, sync_present};
use crate::step::{Ctx, StepError, step};

/// Makes sure that nobody completes the transaction any more.
pub(crate) fn abort(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let (path, aborted) = (journal::journal_of(id), journal::aborted_of(id));
    step("rename", &path, ctx.fs.rename(&path, &aborted))?;
    ctx.sync_directories(&[Some(journal::directory_of(id))])
}

/// The old tree from an aborted transaction, however far it got.
pub(crate) fn take_back(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(), RecoverError> {
    let failed = |error| RecoverError::Step { id, error };
    let written: BTreeMap<&RelPath, &Write> =
        intent.writes.iter().map(|it| (&it.path.0, it)).collect();
    let olds = olds_to_restore(ctx, id, intent, &written)?;
    if !olds.is_empty() {
        let images = images::read(ctx, id, intent).map_err(|error| image_failed(id, error))?;
        restore(ctx, id, intent, &olds, &images).map_err(failed)?;
    }
    for write in intent.writes.iter().filter(|write| write.before.is_none()) {
        let path = &write.path.0;
        if hash_of(ctx, path).map_err(failed)? == Some(write.after.0) {
            step("remove", path, ctx.fs.remove_file(path)).map_err(failed)?;
        }
    }
    remove_restore_temps(ctx, id, intent).map_err(failed)?;
    let touched =
        intent.writes.iter().map(|it| &it.path.0).chain(intent.deletes.iter().map(|it| &it.path.0));
    sync_present(ctx, parents(touched)).map_err(failed)?;
    roll_back(ctx, id, intent).map_err(failed)
}

fn image_failed(id: TransactionId, error: ImageError) -> RecoverError {
    let path = journal::undo_of(id);
    match error {
        ImageError::Step(error) => RecoverError::Step { id, error },
        ImageError::Gone => {
            JournalError::Corrupt { path, reason: "it is missing".to_owned() }.into()
        }
        ImageError::Damaged(file) => {
            JournalError::Corrupt { path, reason: format!("the image of {file} is wrong") }.into()
        }
    }
}

/// The files that are not what they were; one that is neither old nor new was changed by somebody else.
fn olds_to_restore(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
    written: &BTreeMap<&RelPath, &Write>,
) -> Result<BTreeSet<RelPath>, RecoverError> {
    let mut olds = BTreeSet::new();
    for image in &intent.images {
        let path = &image.path.0;
        let found = hash_of(ctx, path).map_err(|error| RecoverError::Step { id, error })?;
        if found == Some(image.hash.0) {
            continue;
        }
        let new: Option<ContentHash> = written.get(path).map(|write| write.after.0);
        if found != new {
            return Err(RecoverError::Changed { id, path: path.clone() });
        }
        olds.insert(path.clone());
    }
    Ok(olds)
}

fn restore(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
    olds: &BTreeSet<RelPath>,
    images: &Images,
) -> Result<(), StepError> {
    remove_restore_temps(ctx, id, intent)?;
    let mut temps = Vec::new();
    for (n, image) in
        intent.images.iter().enumerate().filter(|(_, image)| olds.contains(&image.path.0))
    {
        let (path, temp) = (&image.path.0, restore_temp(id, intent, n));
        let Some((text, mode)) = images.get(path) else { continue };
        let attributes = match heir(ctx, intent, image)? {
            Some(heir) => Attributes::Like(heir),
            None => Attributes::Exact { mode: *mode },
        };
        step("write", &temp, ctx.fs.create(&temp, text.bytes(), &attributes))?;
        temps.push((temp, path.clone()));
    }
    ctx.sync_files(&temps.iter().map(|(temp, _)| temp.clone()).collect::<Vec<_>>())?;
    for (temp, path) in temps {
        step("restore", &path, ctx.fs.rename(&temp, &path))?;
    }
    Ok(())
}

/// The file that took over owner and attributes: still under its temporary path, or under its new one unless
/// something else is there again.
fn heir(ctx: &Ctx<'_>, intent: &Intent, image: &Image) -> Result<Option<RelPath>, StepError> {
    let is_heir = |write: &&Write| write.from.as_ref() == Some(&image.path);
    let Some(write) = intent.writes.iter().find(is_heir) else { return Ok(None) };
    for place in [&write.temp.0, &write.path.0] {
        let stat = step("look at", place, ctx.fs.stat(place))?;
        if stat.is_some_and(|stat| stat.mode == image.mode)
            && hash_of(ctx, place)? == Some(write.after.0)
        {
            return Ok(Some(place.clone()));
        }
    }
    Ok(None)
}

/// Temporary files of a restore come after those of the transaction.
fn restore_temp(id: TransactionId, intent: &Intent, n: usize) -> RelPath {
    beside(&intent.images[n].path.0, &journal::temp_name(id, intent.writes.len() + n))
}

fn remove_restore_temps(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<(), StepError> {
    for n in 0..intent.images.len() {
        let temp = restore_temp(id, intent, n);
        if step("look at", &temp, ctx.fs.stat(&temp))?.is_some() {
            step("remove", &temp, ctx.fs.remove_file(&temp))?;
        }
    }
    Ok(())
}
