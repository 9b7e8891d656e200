//! The simulated tree: the snapshot with what the operations so far have done to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

use document::{Effect, Format, GuardedOp, Pointer};
use edit::Text;
use snapshot::{Entry, NewFile, RelPath, Rename, Snapshot, TreeChange, UnreadReason};

use super::Options;
use super::file::{How, SimulationStop, VirtualFile};
use crate::failure::{FailureCause, OpFailureCode, RefusedPaths};

/// The permission bits of files that a patch adds.
pub(crate) const NEW_FILE_MODE: u32 = 0o644;

/// A file of the tree, by position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FileId(usize);

pub(crate) struct SimulatedTree<'a> {
    snapshot: &'a Snapshot,
    refused: &'a RefusedPaths,
    how: How,
    alone: &'a Alone,
    n_units: usize,
    files: Vec<VirtualFile>,
    /// Where the files stand that the simulation has touched and not deleted.
    at: BTreeMap<RelPath, FileId>,
    /// Every spelling of the paths that arrived and of the directories above them, by its case-folded form, with the
    /// number of files that need it.
    arrived: BTreeMap<String, BTreeMap<RelPath, usize>>,
    /// Paths of the snapshot that are empty by now.
    vacated: BTreeSet<RelPath>,
    in_unit: BTreeSet<FileId>,
}

/// The units that are tried alone, because they spoiled the lowering of an earlier run.
#[derive(Clone, Default)]
pub(crate) struct Alone {
    pub(crate) all: bool,
    pub(crate) units: BTreeSet<usize>,
}

impl<'a> SimulatedTree<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        options: &Options<'a>,
        alone: &'a Alone,
    ) -> SimulatedTree<'a> {
        let (limits, show_values) = (options.limits, options.show_values);
        SimulatedTree {
            snapshot,
            refused: options.refused,
            how: How { limits, show_values, alone: false },
            alone,
            n_units: 0,
            files: Vec::new(),
            at: BTreeMap::new(),
            arrived: BTreeMap::new(),
            vacated: BTreeSet::new(),
            in_unit: BTreeSet::new(),
        }
    }

    pub(crate) fn file(&self, id: FileId) -> &VirtualFile {
        &self.files[id.0]
    }

    /// The file at a path, if the simulation has come to it.
    pub(crate) fn opened(&self, path: &RelPath) -> Option<FileId> {
        self.at.get(path).copied()
    }

    /// The file that a path leads to, through links that stay in the root.
    pub(crate) fn open(&mut self, path: &RelPath) -> Result<FileId, FailureCause> {
        if let Some(refused) = self.refused.get(path) {
            return Err(FailureCause::untouchable(path, refused));
        }
        let Some(target) = resolve_links(self.snapshot, path) else {
            return Err(FailureCause::new(
                OpFailureCode::Link,
                format!("{path} leads out of the workspace"),
            ));
        };
        if let Some(id) = self.at.get(&target) {
            return Ok(*id);
        }
        if self.vacated.contains(&target) {
            return Err(missing(&target));
        }
        match self.snapshot.get(&target) {
            Some(Entry::File(file)) => Ok(self.push(target, file.text(), file.mode, false)),
            Some(Entry::Unread { size, reason: UnreadReason::TooLarge }) => {
                let message = format!("{target} has {size} bytes, which is more than the limit");
                Err(FailureCause::new(OpFailureCode::TooLarge, message))
            }
            Some(Entry::Unread { .. } | Entry::Link { .. } | Entry::Directory) => {
                Err(not_a_file(&target))
            }
            None if self.snapshot.is_directory(&target) => Err(not_a_file(&target)),
            None => Err(missing(&target)),
        }
    }

    fn push(&mut self, path: RelPath, text: Text, mode: u32, is_new: bool) -> FileId {
        let id = FileId(self.files.len());
        self.at.insert(path.clone(), id);
        self.files.push(VirtualFile::new(path, text, mode, is_new));
        id
    }

    /// `/` is the root, unless the root has an empty key.
    pub(crate) fn plain(
        &mut self,
        id: FileId,
        document: usize,
        pointer: &Pointer,
    ) -> Result<Pointer, FailureCause> {
        if !pointer.is_lone_slash() {
            return Ok(pointer.clone());
        }
        let has_empty_key = self.draft(id, document)?.has_empty_key();
        Ok(if has_empty_key { pointer.clone() } else { Pointer::root() })
    }

    /// The draft of a file, in which pointers mean one of its documents.
    pub(crate) fn draft(
        &mut self,
        id: FileId,
        document: usize,
    ) -> Result<&mut document::Draft, FailureCause> {
        let draft = self.files[id.0].draft(&self.how.limits)?;
        draft.turn_to(document).map_err(|error| FailureCause::of_op(&error, false))?;
        Ok(draft)
    }

    /// Applies a step; says in which generation of the file's slots its effect is told.
    pub(crate) fn apply(
        &mut self,
        id: FileId,
        op_index: usize,
        step: &GuardedOp,
    ) -> Result<(Effect, u32), SimulationStop> {
        self.in_unit.insert(id);
        self.how.alone = self.alone.all || self.alone.units.contains(&self.n_units);
        let file = &mut self.files[id.0];
        let before = file.generation();
        let effect = file.apply(op_index, step, &self.how)?;
        // What is applied alone is lowered at once; its slots are those of the draft before that.
        let after = file.generation();
        Ok((effect, if after == before { after } else { after - 1 }))
    }

    /// Ends the unit and keeps what it did.
    pub(crate) fn keep_unit(&mut self) {
        self.n_units += 1;
        for id in std::mem::take(&mut self.in_unit) {
            self.files[id.0].keep_unit();
        }
    }

    /// Ends the unit and undoes what it did inside files.
    pub(crate) fn undo_unit(&mut self) {
        self.n_units += 1;
        for id in std::mem::take(&mut self.in_unit) {
            self.files[id.0].undo_unit();
        }
    }

    pub(crate) fn add(&mut self, path: &RelPath, text: Text) -> Result<FileId, FailureCause> {
        self.expect_free(path)?;
        self.arrive(path);
        Ok(self.push(path.clone(), text, NEW_FILE_MODE, true))
    }

    pub(crate) fn rename(&mut self, id: FileId, to: &RelPath) -> Result<(), SimulationStop> {
        let from = self.files[id.0].path.clone();
        let was_vacated = self.vacated.contains(&from);
        let had_arrived = self.leave(&from);
        if let Err(failure) = self.expect_free(to) {
            self.at.insert(from.clone(), id);
            if had_arrived {
                self.arrive(&from);
            }
            if !was_vacated {
                self.vacated.remove(&from);
            }
            return Err(failure.into());
        }
        self.arrive(to);
        self.at.insert(to.clone(), id);
        let file = &mut self.files[id.0];
        if Format::of_path(from.as_str()) != Format::of_path(to.as_str()) {
            file.finish()?;
        }
        file.path = to.clone();
        Ok(())
    }

    pub(crate) fn delete(&mut self, id: FileId) {
        let path = self.files[id.0].path.clone();
        self.leave(&path);
        self.files[id.0].is_deleted = true;
    }

    fn arrive(&mut self, path: &RelPath) {
        for it in std::iter::once(path.clone()).chain(path.ancestors()) {
            *self.arrived.entry(it.case_folded()).or_default().entry(it).or_default() += 1;
        }
    }

    /// Takes a file away from its path. Says whether it had arrived there in this simulation.
    fn leave(&mut self, path: &RelPath) -> bool {
        let id = self.at.remove(path);
        if self.snapshot.get(path).is_some() {
            self.vacated.insert(path.clone());
        }
        let has_arrived = id.is_some_and(|id| self.files[id.0].origin.as_ref() != Some(path));
        if has_arrived {
            for it in std::iter::once(path.clone()).chain(path.ancestors()) {
                let spellings = self.arrived.entry(it.case_folded()).or_default();
                if let Some(count) = spellings.get_mut(&it) {
                    *count -= 1;
                }
                spellings.retain(|_, count| *count > 0);
            }
        }
        has_arrived
    }

    fn expect_free(&self, path: &RelPath) -> Result<(), FailureCause> {
        expect_place(self.refused, self.snapshot, path)?;
        let is_taken = self.snapshot.get(path).is_some() && !self.vacated.contains(path);
        if is_taken || self.at.contains_key(path) || self.snapshot.is_directory(path) {
            return Err(FailureCause::new(
                OpFailureCode::FileExists,
                format!("{path} already exists"),
            ));
        }
        let beneath = format!("{path}/");
        let mut after =
            self.at.range::<str, _>((Bound::Included(beneath.as_str()), Bound::Unbounded));
        if after.next().is_some_and(|(next, _)| path.contains(next)) {
            return Err(FailureCause::new(
                OpFailureCode::FileExists,
                format!("{path} is a directory"),
            ));
        }
        for above in path.ancestors() {
            let entry = self.snapshot.get(&above).filter(|_| !self.vacated.contains(&above));
            match entry {
                Some(Entry::Link { .. }) => {
                    let message = format!("{above} is a link, nothing is created beneath it");
                    return Err(FailureCause::new(OpFailureCode::Link, message));
                }
                Some(Entry::File(_) | Entry::Unread { .. }) => {
                    return Err(not_a_directory(path, &above));
                }
                Some(Entry::Directory) => break,
                None if self.at.contains_key(&above) => return Err(not_a_directory(path, &above)),
                None => {}
            }
        }
        let in_snapshot =
            self.snapshot.case_collision(path).filter(|it| !self.vacated.contains(*it));
        let own = std::iter::once(path.clone()).chain(path.ancestors());
        let among_arrived = own
            .filter_map(|it| {
                self.arrived.get(&it.case_folded())?.keys().find(|other| **other != it)
            })
            .last();
        if let Some(other) = in_snapshot.or(among_arrived) {
            let is_same_depth = path.segments().count() == other.segments().count();
            let part = if is_same_depth { "" } else { "a directory of " };
            let message = format!("{part}{path} differs from {other} only in case");
            return Err(FailureCause::new(OpFailureCode::CaseCollision, message));
        }
        Ok(())
    }

    /// The change from the snapshot to this tree.
    pub(crate) fn into_change(mut self) -> Result<TreeChange, SimulationStop> {
        for file in self.files.iter_mut().filter(|file| !file.is_deleted) {
            file.finish()?;
        }
        let (mut edits, mut adds) = (BTreeMap::new(), BTreeMap::new());
        let (mut deletes, mut renames) = (BTreeMap::new(), BTreeMap::new());
        for file in self.files {
            let (path, mode, is_deleted) = (file.path.clone(), file.mode, file.is_deleted);
            let Some(origin) = file.origin.clone() else {
                if !is_deleted {
                    adds.insert(path, NewFile { text: file.into_result().1, mode });
                }
                continue;
            };
            let base = file.base().hash();
            if is_deleted {
                deletes.insert(origin, base);
                continue;
            }
            if path != origin {
                renames.insert(origin.clone(), Rename { to: path, base });
            }
            if let (_, _, Some(made)) = file.into_result() {
                edits.insert(origin, (*made).clone());
            }
        }
        TreeChange::new(edits, adds, deletes, renames)
            .map_err(|error| FailureCause::new(OpFailureCode::Conflict, error.to_string()).into())
    }
}

/// Fails if nothing may be put at the path. A file that was read and must not be changed is merely in the way.
pub(crate) fn expect_place(
    refused: &RefusedPaths,
    snapshot: &Snapshot,
    path: &RelPath,
) -> Result<(), FailureCause> {
    match refused.get(path).filter(|_| snapshot.file(path).is_none()) {
        Some(refused) => Err(FailureCause::untouchable(path, refused)),
        None => Ok(()),
    }
}

fn missing(path: &RelPath) -> FailureCause {
    FailureCause::new(OpFailureCode::FileMissing, format!("{path} does not exist"))
}

fn not_a_file(path: &RelPath) -> FailureCause {
    FailureCause::new(
        OpFailureCode::NotAFile,
        format!("{path} is not a regular file that was read"),
    )
}

fn not_a_directory(path: &RelPath, above: &RelPath) -> FailureCause {
    let message = format!("{path} cannot be created, because {above} is not a directory");
    FailureCause::new(OpFailureCode::NotADirectory, message)
}

/// How many links a path may lead through.
const MAX_LINKS: usize = 40;

/// The path that `path` stands for when every link of the snapshot on the way is followed; `None` if that leaves the
/// root or never ends. Links that the snapshot does not hold are not seen.
pub fn resolve_links(snapshot: &Snapshot, path: &RelPath) -> Option<RelPath> {
    let mut pending: VecDeque<String> = path.segments().map(str::to_owned).collect();
    let mut resolved: Vec<String> = Vec::new();
    let mut n_links = 0;
    while let Some(segment) = pending.pop_front() {
        match segment.as_str() {
            "" | "." => continue,
            ".." => {
                resolved.pop()?;
                continue;
            }
            _ => resolved.push(segment),
        }
        let so_far = RelPath::parse(&resolved.join("/")).ok()?;
        if let Some(Entry::Link { target }) = snapshot.get(&so_far) {
            n_links += 1;
            if n_links > MAX_LINKS || target.starts_with('/') {
                return None;
            }
            resolved.pop();
            for segment in target.split('/').rev() {
                pending.push_front(segment.to_owned());
            }
        }
    }
    RelPath::parse(&resolved.join("/")).ok()
}
