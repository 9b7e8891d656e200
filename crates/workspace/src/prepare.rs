//! From a change to the list of files to write and to remove, with every check that can be made before anything is
//! touched: links, staleness, collisions, hard links, write protection.

use std::collections::{BTreeMap, BTreeSet};

use edit::{ContentHash, Text};
use snapshot::{Entry, NewFile, RelPath, Rename, Snapshot, TreeChange, UnreadReason};

use crate::commit::{CommitError, OwnWrite};
use crate::fs::{Attributes, EntryKind, FileIdentity, Stat};
use crate::journal;
use crate::load::Loader;
use crate::protection::{foreign, protection};
use crate::resolve::{PathRefusal, ResolveError, is_reserved, resolve_file, resolve_name};
use crate::step::{Ctx, step};

/// A file that gets new contents.
pub(crate) struct PlannedWrite {
    pub(crate) path: RelPath,
    pub(crate) from: Option<RelPath>,
    pub(crate) before: Option<ContentHash>,
    pub(crate) text: Text,
    pub(crate) attributes: Attributes,
}

/// A file as it is before the transaction.
pub(crate) struct Old {
    pub(crate) path: RelPath,
    pub(crate) text: Text,
    pub(crate) mode: u32,
    pub(crate) identity: FileIdentity,
}

/// A change, ready to be carried out. Paths have no links in them.
#[derive(Default)]
pub(crate) struct Prepared {
    pub(crate) writes: Vec<PlannedWrite>,
    pub(crate) deletes: Vec<(RelPath, ContentHash)>,
    pub(crate) olds: Vec<Old>,
    pub(crate) new_directories: Vec<RelPath>,
}

/// Whose change it is: an undo brings back modes exactly and may touch files that were read-only before.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Purpose {
    Change,
    Undo,
}

pub(crate) fn prepare(
    ctx: &Ctx<'_>,
    change: &TreeChange,
    own: &[OwnWrite],
    purpose: Purpose,
    limit: u64,
) -> Result<Prepared, CommitError> {
    let change = resolve_change(ctx, change)?;
    let mut loader = Loader::default();
    for path in change.paths() {
        step("read", &path, loader.add(ctx.fs, &path, limit))?;
    }
    let before = loader.finish()?;
    for path in change.sources() {
        check_source(ctx, &before, path, loader.stats.get(path), purpose, limit)?;
    }
    let after = before.apply(&change)?;
    let mut prepared = Prepared::default();
    for path in change.sources() {
        let file = before.file(path).expect("`apply` found a file at every source");
        let stat = loader.stats.get(path).expect("every file that was read has been looked at");
        prepared.olds.push(Old {
            path: path.clone(),
            text: file.text(),
            mode: stat.mode,
            identity: stat.identity,
        });
        if after.get(path).is_none() {
            prepared.deletes.push((path.clone(), file.hash()));
        }
    }
    plan_writes(&change, &before, &after, purpose, &mut prepared);
    for update in own {
        plan_own(ctx, update, limit, &mut prepared)?;
    }
    prepared.new_directories = missing_directories(ctx, &prepared.writes)?;
    Ok(prepared)
}

/// The same change with every path replaced by the place that it means.
fn resolve_change(ctx: &Ctx<'_>, change: &TreeChange) -> Result<TreeChange, CommitError> {
    let mut places: BTreeMap<RelPath, RelPath> = BTreeMap::new();
    let mut claimed: BTreeMap<RelPath, RelPath> = BTreeMap::new();
    for path in change.paths() {
        let only_edited = change.edits().contains_key(&path) && change.moved(&path) == Some(&path);
        let place = place_of(ctx, &path, only_edited)?;
        if let Some(first) = claimed.insert(place.clone(), path.clone()) {
            return Err(CommitError::Aliased { first, second: path, place });
        }
        places.insert(path, place);
    }
    let place = |path: &RelPath| places[path].clone();
    let edits = change.edits().iter().map(|(path, edits)| (place(path), edits.clone())).collect();
    let adds = change
        .adds()
        .iter()
        .map(|(path, file): (_, &NewFile)| (place(path), file.clone()))
        .collect();
    let deletes = change.deletes().iter().map(|(path, base)| (place(path), *base)).collect();
    let renames = change.renames().iter();
    let renames = renames
        .map(|(path, it)| (place(path), Rename { to: place(&it.to), base: it.base }))
        .collect();
    Ok(TreeChange::new(edits, adds, deletes, renames)?)
}

fn place_of(ctx: &Ctx<'_>, path: &RelPath, only_edited: bool) -> Result<RelPath, CommitError> {
    let refused = |reason| CommitError::Refused { path: path.clone(), reason };
    if is_reserved(path) {
        return Err(refused(PathRefusal::Reserved));
    }
    let place = if only_edited { resolve_file(ctx.fs, path) } else { resolve_name(ctx.fs, path) };
    match place {
        Ok(place) if place.stat.is_some_and(|stat| stat.kind == EntryKind::Link) => {
            Err(refused(PathRefusal::Link))
        }
        Ok(place) => match foreign(ctx.fs, &place.path) {
            Some(reason) => Err(refused(reason)),
            None => Ok(place.path),
        },
        Err(ResolveError::Refused(reason)) => Err(refused(reason)),
        Err(ResolveError::Io(source)) => Ok(step("stat", path, Err(source))?),
    }
}

fn check_source(
    ctx: &Ctx<'_>,
    before: &Snapshot,
    path: &RelPath,
    stat: Option<&Stat>,
    purpose: Purpose,
    limit: u64,
) -> Result<(), CommitError> {
    // What is missing or a directory is `apply`'s to report.
    let (Some(stat), Some(entry)) = (stat, before.get(path)) else { return Ok(()) };
    let refused = |reason| Err(CommitError::Refused { path: path.clone(), reason });
    match entry {
        Entry::Unread { reason: UnreadReason::Special, .. } => {
            return refused(PathRefusal::Special);
        }
        Entry::Unread { size, .. } => return refused(PathRefusal::TooLarge { size: *size, limit }),
        Entry::Link { .. } => return refused(PathRefusal::Link),
        Entry::Directory => return Ok(()),
        Entry::File(_) => {}
    }
    match step("stat", path, protection(ctx.fs, path, stat))? {
        None => Ok(()),
        Some(PathRefusal::ReadOnly) if purpose == Purpose::Undo => Ok(()),
        Some(reason) => refused(reason),
    }
}

fn plan_writes(
    change: &TreeChange,
    before: &Snapshot,
    after: &Snapshot,
    purpose: Purpose,
    prepared: &mut Prepared,
) {
    let mut origins: BTreeMap<&RelPath, Option<&RelPath>> = BTreeMap::new();
    for path in change.edits().keys().filter(|path| !change.renames().contains_key(*path)) {
        origins.insert(path, Some(path));
    }
    origins.extend(change.renames().iter().map(|(from, rename)| (&rename.to, Some(from))));
    origins.extend(change.adds().keys().map(|path| (path, None)));
    for (path, from) in origins {
        let file = after.file(path).expect("`apply` put a file at every target");
        let attributes = match (from, purpose) {
            (Some(from), _) => Attributes::Like(from.clone()),
            (None, Purpose::Change) => Attributes::New { mode: file.mode },
            (None, Purpose::Undo) => Attributes::Exact { mode: file.mode },
        };
        prepared.writes.push(PlannedWrite {
            path: path.clone(),
            from: from.cloned(),
            before: before.file(path).map(|file| file.hash()),
            text: file.text(),
            attributes,
        });
    }
}

fn plan_own(
    ctx: &Ctx<'_>,
    update: &OwnWrite,
    limit: u64,
    prepared: &mut Prepared,
) -> Result<(), CommitError> {
    let path = update.path.clone();
    let present = match step("stat", &path, ctx.fs.stat(&path))? {
        Some(_) => Some(step("read", &path, ctx.fs.read(&path, limit))?),
        None => None,
    };
    let present = present.map(|(bytes, stat)| (Text::new(bytes), stat));
    let found = present.as_ref().map(|(text, _)| text.hash());
    if found != update.base {
        return Err(match path == journal::index_path() {
            true => CommitError::StaleIndex,
            false => CommitError::ChangedMeanwhile { path },
        });
    }
    if found == update.text.as_ref().map(Text::hash) {
        return Ok(());
    }
    if let Some((text, stat)) = &present {
        let identity = stat.identity;
        prepared.olds.push(Old {
            path: path.clone(),
            text: text.clone(),
            mode: stat.mode,
            identity,
        });
    }
    match (update.text.clone(), found) {
        (Some(text), None) => {
            let attributes = Attributes::New { mode: 0o644 };
            prepared.writes.push(PlannedWrite { path, from: None, before: None, text, attributes });
        }
        (Some(text), Some(_)) => {
            let (from, attributes) = (Some(path.clone()), Attributes::Like(path.clone()));
            prepared.writes.push(PlannedWrite { path, from, before: found, text, attributes });
        }
        (None, Some(found)) => prepared.deletes.push((path, found)),
        (None, None) => {}
    }
    Ok(())
}

/// The directories above the files that do not exist yet, parents first.
fn missing_directories(
    ctx: &Ctx<'_>,
    writes: &[PlannedWrite],
) -> Result<Vec<RelPath>, CommitError> {
    let (mut missing, mut present) = (BTreeSet::new(), BTreeSet::new());
    for write in writes {
        for directory in write.path.ancestors() {
            if present.contains(&directory) || missing.contains(&directory) {
                break;
            }
            match step("stat", &directory, ctx.fs.stat(&directory))? {
                Some(_) => present.insert(directory),
                None => missing.insert(directory),
            };
        }
    }
    Ok(missing.into_iter().collect())
}
