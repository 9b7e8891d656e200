//! Changesets: in order, all or nothing, stop at the first failing operation (CS-14..CS-17, CS-64).

use std::collections::{BTreeMap, BTreeSet};

use check::Severity;
use document::{Effect, GuardedOp, JsonType, Op, Pointer};
use edit::Text;
use snapshot::{FileIndex, RelPath, Snapshot};

use super::conflict::{WriteConflict, WriteLocation, Writes};
use super::file::SimulationStop;
use super::tree::{FileId, SimulatedTree, resolve_links};
use super::{AppliedOp, Options, Simulation, failed_op};
use crate::diagnose;
use crate::failure::{FailedOp, FailureCause, OpFailureCode};
use crate::kind::PatchKind;
use crate::v1::{Changeset, ChangesetOp, ChangesetOpKind};

pub(super) fn simulate(
    changeset: &Changeset,
    tree: SimulatedTree<'_>,
    snapshot: &Snapshot,
    index: &FileIndex,
    options: &Options<'_>,
    n_units: usize,
) -> Result<Simulation, SimulationStop> {
    let mut simulation = Simulation::nothing(PatchKind::Changeset, index);
    if let Some(failure) = wrong_workspace(changeset, snapshot, index, options) {
        simulation.ok = false;
        let rule = diagnose::semantic_rule(PatchKind::Changeset, failure.code.name());
        let message = format!("{}; {}", failure.message, failure.code.advice());
        simulation.diagnostics.push(diagnose::diagnostic(rule, Severity::Error, "", None, message));
        return Ok(simulation);
    }
    let mut run = Run {
        tree,
        snapshot,
        index: index.clone(),
        given: index,
        writes: Writes::default(),
        clashes: Vec::new(),
        former_paths: BTreeMap::new(),
        deleted_uids: BTreeMap::new(),
        seen_unstable: BTreeSet::new(),
    };
    for (op_index, op) in changeset.ops.iter().enumerate().take(n_units) {
        run.report_unstable(op_index, op, &mut simulation);
        let path = run.index.path_of(&op.file_uid).filter(|_| !is_add(op));
        let failure = match run.apply(op_index, op, &mut simulation) {
            Ok(()) => {
                run.tree.keep_unit();
                continue;
            }
            Err(SimulationStop::Failed(failure, _)) => failure,
            Err(restart) => return Err(restart),
        };
        run.fail(op_index, op, path, &failure, &mut simulation);
        break;
    }
    run.report_clashes(changeset, &mut simulation);
    run.tree.undo_unit();
    // Also after a failure: an earlier operation that cannot be lowered failed before it.
    let change = run.tree.into_change()?;
    if simulation.ok {
        simulation.change = change;
        simulation.index = run.index;
    }
    Ok(simulation)
}

fn is_add(op: &ChangesetOp) -> bool {
    matches!(op.kind, ChangesetOpKind::AddFile { .. })
}

/// CS-13, CS-65: checked before operation 0.
fn wrong_workspace(
    changeset: &Changeset,
    snapshot: &Snapshot,
    index: &FileIndex,
    options: &Options<'_>,
) -> Option<FailureCause> {
    if let Some(target) = &changeset.target_workspace_uid
        && index.workspace_uid() != Some(target)
    {
        let message = "the changeset is for another workspace than this one";
        return Some(FailureCause::new(OpFailureCode::WorkspaceMismatch, message));
    }
    let base = changeset.base?;
    let found = options.workspace_hash.unwrap_or_else(|| snapshot.hash());
    let message = "the workspace is not in the state that the changeset was made for";
    (found != base).then(|| FailureCause::new(OpFailureCode::Stale, message))
}

struct Run<'a> {
    tree: SimulatedTree<'a>,
    snapshot: &'a Snapshot,
    index: FileIndex,
    /// The index before the changeset.
    given: &'a FileIndex,
    writes: Writes,
    clashes: Vec<WriteConflict>,
    /// Paths that a file had before a rename of this changeset.
    former_paths: BTreeMap<FileId, Vec<RelPath>>,
    /// By which operation, and where the file was.
    deleted_uids: BTreeMap<String, (usize, RelPath)>,
    seen_unstable: BTreeSet<String>,
}

impl Run<'_> {
    fn apply(
        &mut self,
        op_index: usize,
        op: &ChangesetOp,
        simulation: &mut Simulation,
    ) -> Result<(), SimulationStop> {
        if let ChangesetOpKind::AddFile { path, content } = &op.kind {
            self.add_file(op_index, op, path, content)?;
            simulation.applied.push(applied(op_index, op, path, None));
            return Ok(());
        }
        let (id, path) = self.find(op)?;
        self.check_path(op, id, &path)?;
        match &op.kind {
            ChangesetOpKind::RenameFile { new_path } => {
                self.rename_file(op_index, id, &path, new_path)?;
            }
            ChangesetOpKind::DeleteFile => self.delete_file(op_index, op, id, &path)?,
            _ => {
                let at = self.edit(op_index, op, id, simulation)?;
                let path = &self.tree.file(id).path;
                simulation.applied.push(applied(op_index, op, path, Some(&at)));
                return Ok(());
            }
        }
        simulation.applied.push(applied(op_index, op, &path, None));
        Ok(())
    }

    /// CS-52: the file that a uid stands for by now.
    fn find(&mut self, op: &ChangesetOp) -> Result<(FileId, RelPath), FailureCause> {
        let Some(path) = self.index.path_of(&op.file_uid) else {
            return Err(self.unknown(&op.file_uid));
        };
        let id = self.tree.open(&path)?;
        Ok((id, path))
    }

    fn unknown(&self, uid: &str) -> FailureCause {
        let shown = crate::failure::cap(uid, 64);
        if let Some((earlier, path)) = self.deleted_uids.get(uid) {
            let message = format!("{path} was deleted by operation {earlier}");
            return FailureCause::new(OpFailureCode::FileMissing, message);
        }
        let path = uid.strip_prefix("path:").and_then(|path| RelPath::parse(path).ok());
        match path.as_ref().and_then(|path| self.index.indexed_uid(path)) {
            Some(own) => {
                let own = crate::failure::cap(own, 64);
                FailureCause::new(
                    OpFailureCode::UidUnknown,
                    format!("the file of `{shown}` has the uid `{own}`"),
                )
            }
            None => FailureCause::new(
                OpFailureCode::UidUnknown,
                format!("no file has the uid `{shown}`"),
            ),
        }
    }

    /// CS-5, CS-49: a path on an operation is only compared.
    fn check_path(&self, op: &ChangesetOp, id: FileId, path: &RelPath) -> Result<(), FailureCause> {
        match &op.path {
            Some(given) if given != path => {
                let former = self.former_paths.get(&id);
                if former.is_some_and(|former| former.contains(given)) {
                    let message = format!("{given} was renamed to {path} by an earlier operation");
                    return Err(FailureCause::new(OpFailureCode::Conflict, message));
                }
                let message = format!("the uid stands for {path}, not for {given}");
                Err(FailureCause::new(OpFailureCode::PathMismatch, message))
            }
            _ => Ok(()),
        }
    }

    fn add_file(
        &mut self,
        op_index: usize,
        op: &ChangesetOp,
        path: &RelPath,
        content: &str,
    ) -> Result<(), FailureCause> {
        let uid = &op.file_uid;
        let is_own_path = uid.strip_prefix("path:") == Some(path.as_str());
        let known = self.index.path_of(uid);
        let in_use = known.as_ref().is_some_and(|known| {
            self.index.indexed_uid(known) == Some(uid) || self.tree.open(known).is_ok()
        });
        if in_use && !(is_own_path && known.as_ref() == Some(path)) {
            return Err(FailureCause::new(OpFailureCode::UidInUse, "another file has this uid"));
        }
        let id = self.tree.add(path, Text::new(content.as_bytes()))?;
        if !is_own_path {
            self.index
                .insert(uid, path)
                .map_err(|error| FailureCause::new(OpFailureCode::UidInUse, error.to_string()))?;
        }
        self.writes.file_moved(id, op_index);
        if let Some(first) = self.deleted_uids.get(uid).map(|(first, _)| *first) {
            self.clash(first, op_index, path, None);
        }
        Ok(())
    }

    fn rename_file(
        &mut self,
        op_index: usize,
        id: FileId,
        path: &RelPath,
        new_path: &RelPath,
    ) -> Result<(), SimulationStop> {
        self.expect_no_link(path)?;
        if path == new_path {
            return Err(FailureCause::new(
                OpFailureCode::FileExists,
                "the file already has this path",
            )
            .into());
        }
        self.tree.rename(id, new_path)?;
        self.index
            .rename(path, new_path)
            .map_err(|error| FailureCause::new(OpFailureCode::UidInUse, error.to_string()))?;
        self.former_paths.entry(id).or_default().push(path.clone());
        if let Some(first) = self.writes.file_moved(id, op_index) {
            self.clash(first, op_index, path, None);
        }
        Ok(())
    }

    fn delete_file(
        &mut self,
        op_index: usize,
        op: &ChangesetOp,
        id: FileId,
        path: &RelPath,
    ) -> Result<(), FailureCause> {
        self.expect_no_link(path)?;
        self.tree.delete(id);
        self.index.remove(path);
        self.deleted_uids.insert(op.file_uid.clone(), (op_index, path.clone()));
        if let Some(first) = self.writes.file_deleted(id, op_index) {
            self.clash(first, op_index, path, None);
        }
        Ok(())
    }

    /// A link is never renamed or deleted through.
    fn expect_no_link(&self, path: &RelPath) -> Result<(), FailureCause> {
        if resolve_links(self.snapshot, path).as_ref() == Some(path) {
            return Ok(());
        }
        Err(FailureCause::new(OpFailureCode::Link, format!("{path} is a link or lies beneath one")))
    }

    /// An operation inside a file. Returns the place it is about.
    fn edit(
        &mut self,
        op_index: usize,
        op: &ChangesetOp,
        id: FileId,
        simulation: &mut Simulation,
    ) -> Result<Pointer, SimulationStop> {
        let mut step = op.to_step().expect("the operations on files are handled by the caller");
        let (at, to) = self.make_plain(id, &mut step)?;
        let places = self.places(id, &step)?;
        let (effect, generation) = self.tree.apply(id, op_index, &step)?;
        let clash = self
            .writes
            .record((id, step.document), op_index, &effect, generation, places)
            .map_err(|_| {
                FailureCause::new(
                    OpFailureCode::Budget,
                    "too many operations on a file that had to be parsed again",
                )
            })?;
        let path = self.tree.file(id).path.clone();
        if let Some((first, pointer)) = clash {
            self.clash(first, op_index, &path, Some(pointer));
        }
        if let Some(to) = to {
            report_move(op_index, &path, &at, &to, &effect, simulation);
        }
        Ok(at)
    }

    /// Reads `/` as the root where it is; returns the pointer that the operation is about and where it moves to.
    fn make_plain(
        &mut self,
        id: FileId,
        step: &mut GuardedOp,
    ) -> Result<(Pointer, Option<Pointer>), FailureCause> {
        let document = step.document;
        match &mut step.op {
            Op::SetValue { at, .. } | Op::DeleteValue { at } | Op::InsertItem { at, .. } => {
                *at = self.tree.plain(id, document, at)?;
                Ok((at.clone(), None))
            }
            Op::MoveValue { from, to, .. } => {
                *from = self.tree.plain(id, document, from)?;
                *to = self.tree.plain(id, document, to)?;
                Ok((from.clone(), Some(to.clone())))
            }
            _ => Ok((Pointer::root(), None)),
        }
    }

    /// The places that an operation writes to, in the order of its effect.
    fn places(&mut self, id: FileId, step: &GuardedOp) -> Result<Vec<WriteLocation>, FailureCause> {
        let draft = self.tree.draft(id, step.document)?;
        let mut place = |pointer: &Pointer| {
            let parent = pointer.split_last().map(|(parent, _)| parent);
            let is_item = parent.is_some_and(|it| draft.type_at(&it) == Some(JsonType::Array));
            WriteLocation::new(pointer.clone(), is_item)
        };
        Ok(match &step.op {
            Op::InsertItem { at, index, .. } => {
                vec![WriteLocation::new(at.join(index.unwrap_or_default().to_string()), true)]
            }
            Op::MoveValue { from, to, .. } => vec![place(from), place(to)],
            Op::SetValue { at, .. } | Op::DeleteValue { at } => vec![place(at)],
            _ => Vec::new(),
        })
    }

    fn clash(&mut self, first: usize, second: usize, path: &RelPath, pointer: Option<Pointer>) {
        self.clashes.push(WriteConflict { first, second, pointer, file: path.to_string() });
    }

    /// usable, but not stable over renames by other tools.
    fn report_unstable(&mut self, op_index: usize, op: &ChangesetOp, simulation: &mut Simulation) {
        let uid = &op.file_uid;
        if !self.given.is_unstable(uid) || !self.seen_unstable.insert(uid.clone()) {
            return;
        }
        let file = uid.strip_prefix("path:").unwrap_or_default();
        let message = "the uid is only the file's path and does not survive a rename by another tool; \
                       give the file a uid in `.regreen/files.json`";
        let rule = diagnose::semantic_rule(PatchKind::Changeset, "uid_unstable");
        let file = crate::failure::cap(file, 200);
        let mut it = diagnose::diagnostic(rule, Severity::Info, &file, None, message.to_owned());
        diagnose::add_op(&mut it, None, op_index);
        simulation.diagnostics.push(it);
    }

    fn fail(
        &self,
        op_index: usize,
        op: &ChangesetOp,
        path: Option<RelPath>,
        failure: &FailureCause,
        simulation: &mut Simulation,
    ) {
        let named = match &op.kind {
            ChangesetOpKind::AddFile { path, .. } => Some(path.clone()),
            _ => path
                .or_else(|| self.deleted_uids.get(&op.file_uid).map(|(_, path)| path.clone()))
                .or_else(|| op.path.clone()),
        };
        let file = named.as_ref().map_or("", RelPath::as_str);
        let root = Pointer::root();
        let pointer = op.kind.pointer().map(|it| if it.is_lone_slash() { &root } else { it });
        let failed = failed_op(None, op_index, file, pointer, failure);
        simulation.fail(failed, op.kind.name(), &failure.message);
        if let (Some(id), Some(diagnostic)) =
            (named.and_then(|path| self.tree.opened(&path)), simulation.diagnostics.last_mut())
        {
            let at = failure.at.as_ref().or(pointer);
            diagnostic.location = self.tree.file(id).locate(failure, op.document, at);
        }
    }

    /// CS-46: after the diagnostics of the operations.
    fn report_clashes(&mut self, changeset: &Changeset, simulation: &mut Simulation) {
        let clashes = std::mem::take(&mut self.clashes);
        // The dialect has a name of its own for it.
        let is_foreign = changeset.extra.iter().any(|it| it.0 == crate::import::DIALECT_MEMBER);
        let losers: BTreeSet<usize> = clashes.iter().map(|clash| clash.second).collect();
        simulation.applied.retain(|it| !losers.contains(&it.op_index));
        for clash in clashes {
            let op = &changeset.ops[clash.second];
            let failed = FailedOp {
                action_id: None,
                op_index: clash.second,
                code: if is_foreign {
                    OpFailureCode::OverlappingOps
                } else {
                    OpFailureCode::Conflict
                },
                file: clash.file,
                json_pointer: clash.pointer.map(|it| it.to_string()),
                expected: None,
                found: None,
            };
            let message = format!("operation {} already wrote to this place", clash.first);
            simulation.fail(failed, op.kind.name(), &message);
        }
    }
}

fn applied(op_index: usize, op: &ChangesetOp, path: &RelPath, at: Option<&Pointer>) -> AppliedOp {
    AppliedOp {
        action_id: None,
        op_index,
        op: op.kind.name(),
        file: path.to_string(),
        json_pointer: at.map(Pointer::to_string),
    }
}

/// X-14, CS-33: a move that replaces something, and one that goes nowhere.
fn report_move(
    op_index: usize,
    path: &RelPath,
    from: &Pointer,
    to: &Pointer,
    effect: &Effect,
    simulation: &mut Simulation,
) {
    let (name, severity, message) = if effect.overwrote {
        ("move_overwrites", Severity::Warning, "the move replaces a value that was there")
    } else if from == to {
        ("no_effect", Severity::Info, "the value is moved to where it already is")
    } else {
        return;
    };
    let rule = diagnose::semantic_rule(PatchKind::Changeset, name);
    let message = format!("operation {op_index}: {message}");
    let mut it = diagnose::diagnostic(rule, severity, path.as_str(), Some(to), message);
    diagnose::add_op(&mut it, None, op_index);
    simulation.diagnostics.push(it);
}
