//! Takes back a transaction that is committed and cannot be completed: some file can be neither replaced nor removed, or
//! somebody else saved one in the meantime. Files that were replaced get their old contents back: the file that was
//! displaced, or, where it is gone already, its undo image.
//!
//! The journal is renamed to `aborted` first (J9), so that a crash in between goes on here. Every step looks at what is
//! there and can be repeated. What somebody else saved stays (J12).

use std::collections::{BTreeMap, BTreeSet};

use snapshot::RelPath;

use crate::commit::{beside, parents};
use crate::displace::{Attempt, ExpectedContents, PathContents, held, place_new, replace, take};
use crate::fs::Attributes;
use crate::images::{self, ImageError};
use crate::journal::v2::{DeleteEntry, Image, Intent, WriteEntry};
use crate::journal::{self, JournalError, TransactionId};
use crate::publish::after;
use crate::recover::{RecoverError, forget, remove_if_there, sync_present};
use crate::step::{Ctx, StepError, step};

/// Makes sure that nobody completes the transaction any more.
pub(crate) fn abort(ctx: &Ctx<'_>, id: TransactionId) -> Result<(), StepError> {
    let (path, aborted) = (journal::journal_of(id), journal::aborted_of(id));
    step("rename", &path, ctx.state.rename(&path, &aborted))?;
    ctx.sync_state_directories(&[Some(journal::directory_of(id))])
}

/// The old tree from an aborted transaction, however far it got. Returns what somebody else saved and was left alone.
pub(crate) fn take_back(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Vec<RelPath>, RecoverError> {
    let failed = |error| RecoverError::Step { id, error };
    let mut back = Back {
        ctx,
        id,
        intent,
        images: intent.images.iter().enumerate().map(|(n, it)| (&it.path.0, (n, it))).collect(),
        kept: BTreeSet::new(),
    };
    back.check_images()?;
    // What an earlier attempt left goes first, so that its names are free.
    for n in 0..intent.images.len() {
        remove_if_there(ctx, &back.restore_temp(n)).map_err(failed)?;
    }
    for write in &intent.writes {
        match write.before {
            Some(before) => back.put_back(write, before.0)?,
            None => back.remove_new(write).map_err(failed)?,
        }
    }
    for delete in &intent.deletes {
        back.bring_back(delete)?;
    }
    let kept = back.kept;
    if let Some(index) = ctx.index {
        index.take_back(ctx, intent).map_err(|error| error.of(id))?;
    }
    sync_present(ctx, parents(intent.targets())).map_err(failed)?;
    forget(ctx, id, intent).map_err(failed)?;
    Ok(kept.into_iter().collect())
}

struct Back<'a> {
    ctx: &'a Ctx<'a>,
    id: TransactionId,
    intent: &'a Intent,
    images: BTreeMap<&'a RelPath, (usize, &'a Image)>,
    kept: BTreeSet<RelPath>,
}

impl Back<'_> {
    /// Every image that will be needed is whole: nothing is touched if one is not.
    fn check_images(&self) -> Result<(), RecoverError> {
        let id = self.id;
        let failed = |error| RecoverError::Step { id, error };
        let mut needed = Vec::new();
        for write in self.intent.writes.iter().filter(|it| it.before.is_some()) {
            let (path, temp) = (&write.path.0, &write.temp.0);
            if held(self.ctx, path, &[after(write)]).map_err(failed)? == PathContents::One(0)
                && held(self.ctx, temp, &[]).map_err(failed)? == PathContents::Nothing
            {
                needed.push(path);
            }
        }
        for delete in &self.intent.deletes {
            let both = [&delete.path.0, &delete.temp.0];
            let is_gone = |path: &RelPath| Ok(held(self.ctx, path, &[])? == PathContents::Nothing);
            if is_gone(both[0]).map_err(failed)? && is_gone(both[1]).map_err(failed)? {
                needed.push(both[0]);
            }
        }
        for (_, image) in needed.into_iter().filter_map(|path| self.images.get(path)) {
            images::read_one(self.ctx, id, image)
                .map_err(|error| image_failed(self.ctx, id, error))?;
        }
        Ok(())
    }

    /// A file that got new contents gets its old ones.
    fn put_back(
        &mut self,
        write: &WriteEntry,
        before: edit::ContentHash,
    ) -> Result<(), RecoverError> {
        let id = self.id;
        let failed = |error| RecoverError::Step { id, error };
        let (path, temp) = (&write.path.0, &write.temp.0);
        let length = self.images.get(path).map_or(0, |(_, it)| it.length);
        let wanted = [after(write), ExpectedContents { hash: before, length }];
        let at_path = held(self.ctx, path, &wanted).map_err(failed)?;
        let at_temp = held(self.ctx, temp, &wanted).map_err(failed)?;
        match (at_path, at_temp) {
            // The file that was displaced, whatever somebody has written to it since, goes back.
            (PathContents::One(0), PathContents::One(1) | PathContents::Other) => {
                if at_temp == PathContents::Other {
                    self.kept.insert(path.clone());
                }
                match replace(self.ctx, temp, path, after(write), None).map_err(failed)? {
                    Attempt::Done => remove_if_there(self.ctx, temp).map_err(failed)?,
                    Attempt::Faster => self.leave(path, temp, &wanted).map_err(failed)?,
                }
            }
            (PathContents::One(0), PathContents::Nothing) => {
                self.restore(path, Some(after(write)))?
            }
            // It was never replaced, or is back already.
            (PathContents::One(_), PathContents::One(_)) => {
                remove_if_there(self.ctx, temp).map_err(failed)?
            }
            (PathContents::One(_), PathContents::Nothing) => {}
            (PathContents::One(_), PathContents::Other) => {
                self.kept.insert(temp.clone());
            }
            (PathContents::Nothing | PathContents::Other, _) => {
                self.leave(path, temp, &wanted).map_err(failed)?
            }
        }
        Ok(())
    }

    /// A file that was made goes, unless somebody has written to it since.
    fn remove_new(&mut self, write: &WriteEntry) -> Result<(), StepError> {
        let (path, temp) = (&write.path.0, &write.temp.0);
        let wanted = after(write);
        match (held(self.ctx, path, &[wanted])?, held(self.ctx, temp, &[wanted])?) {
            (PathContents::One(_), PathContents::Nothing) => {
                match take(self.ctx, path, temp, wanted, None)? {
                    Attempt::Done => remove_if_there(self.ctx, temp)?,
                    Attempt::Faster => self.leave(path, temp, &[wanted])?,
                }
            }
            // It was never there, or what is there is not ours.
            (_, PathContents::One(_)) => remove_if_there(self.ctx, temp)?,
            (PathContents::Nothing, PathContents::Nothing) => {}
            (_, PathContents::Nothing) => {
                self.kept.insert(path.clone());
            }
            (_, PathContents::Other) => {
                self.kept.insert(temp.clone());
            }
        }
        Ok(())
    }

    /// A file that was removed comes back.
    fn bring_back(&mut self, delete: &DeleteEntry) -> Result<(), RecoverError> {
        let id = self.id;
        let failed = |error| RecoverError::Step { id, error };
        let (path, temp) = (&delete.path.0, &delete.temp.0);
        let length = self.images.get(path).map_or(0, |(_, it)| it.length);
        let wanted = [ExpectedContents { hash: delete.before.0, length }];
        let at_path = held(self.ctx, path, &wanted).map_err(failed)?;
        let at_temp = held(self.ctx, temp, &wanted).map_err(failed)?;
        match (at_path, at_temp) {
            (PathContents::Nothing, PathContents::Nothing) => self.restore(path, None)?,
            (PathContents::Nothing, PathContents::One(_) | PathContents::Other) => {
                if at_temp == PathContents::Other {
                    self.kept.insert(path.clone());
                }
                if let Attempt::Faster = place_new(self.ctx, temp, path).map_err(failed)? {
                    self.leave(path, temp, &wanted).map_err(failed)?;
                }
            }
            (PathContents::One(_), PathContents::Nothing) => {}
            (PathContents::One(_), PathContents::One(_)) => {
                remove_if_there(self.ctx, temp).map_err(failed)?
            }
            (PathContents::One(_) | PathContents::Other, _) => {
                self.leave(path, temp, &wanted).map_err(failed)?
            }
        }
        Ok(())
    }

    /// Somebody else's file stands at the path. What is under the temporary name goes if it is known, and stays if it
    /// is somebody's, too.
    fn leave(
        &mut self,
        path: &RelPath,
        temp: &RelPath,
        known: &[ExpectedContents],
    ) -> Result<(), StepError> {
        self.kept.insert(path.clone());
        match held(self.ctx, temp, known)? {
            PathContents::Nothing => {}
            PathContents::One(_) => remove_if_there(self.ctx, temp)?,
            PathContents::Other => {
                self.kept.insert(temp.clone());
            }
        }
        Ok(())
    }

    /// Brings a file back from its image, to a path that must hold `expected`, or nothing.
    fn restore(
        &mut self,
        path: &RelPath,
        expected: Option<ExpectedContents>,
    ) -> Result<(), RecoverError> {
        let id = self.id;
        let failed = |error| RecoverError::Step { id, error };
        let Some((n, image)) = self.images.get(path).copied() else { return Ok(()) };
        let text = images::read_one(self.ctx, self.id, image)
            .map_err(|error| image_failed(self.ctx, self.id, error))?;
        let temp = self.restore_temp(n);
        let attributes = match self.heir(image).map_err(failed)? {
            Some(heir) => Attributes::Like(heir),
            None => Attributes::Exact { mode: image.mode },
        };
        let created = self.ctx.fs.create(&temp, text.bytes(), &attributes);
        step("write", &temp, created).map_err(failed)?;
        self.ctx.sync_files(std::slice::from_ref(&temp)).map_err(failed)?;
        let placed = match expected {
            Some(expected) => replace(self.ctx, &temp, path, expected, None),
            None => place_new(self.ctx, &temp, path),
        };
        let image = ExpectedContents { hash: image.hash.0, length: image.length };
        let known: Vec<ExpectedContents> = std::iter::once(image).chain(expected).collect();
        match placed.map_err(failed)? {
            Attempt::Done => remove_if_there(self.ctx, &temp).map_err(failed),
            Attempt::Faster => self.leave(path, &temp, &known).map_err(failed),
        }
    }

    /// The file that took over owner and attributes: still under its temporary path, or under its new one unless
    /// something else is there again.
    fn heir(&self, image: &Image) -> Result<Option<RelPath>, StepError> {
        let is_heir = |write: &&WriteEntry| write.from.as_ref() == Some(&image.path);
        let Some(write) = self.intent.writes.iter().find(is_heir) else { return Ok(None) };
        for place in [&write.temp.0, &write.path.0] {
            let stat = step("stat", place, self.ctx.fs.stat(place))?;
            if stat.is_some_and(|stat| stat.mode & 0o1777 == image.mode)
                && held(self.ctx, place, &[after(write)])? == PathContents::One(0)
            {
                return Ok(Some(place.clone()));
            }
        }
        Ok(None)
    }

    /// Temporary files of a restore come after those of the transaction.
    fn restore_temp(&self, n: usize) -> RelPath {
        let Intent { writes, deletes, images, nonce, .. } = self.intent;
        let name = journal::temp_name(self.id, *nonce, writes.len() + deletes.len() + n);
        beside(&images[n].path.0, &name)
    }
}

fn image_failed(ctx: &Ctx<'_>, id: TransactionId, error: ImageError) -> RecoverError {
    let path = journal::shown(ctx.state, &journal::undo_of(id));
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
