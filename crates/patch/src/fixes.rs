//! Fixes that somebody else proposes: byte edits and file operations that were already found to fit the texts at hand.
//!
//! Each fix applies whole or not at all. Fixes are taken in their order; one that says what another said is the same
//! fix, and one that clashes with another is refused. A document that is one change, as a diff is, applies whole or not
//! at all over all its fixes.

use std::collections::{BTreeMap, BTreeSet};

use check::Severity;
use edit::{ContentHash, Merge, MergeError};
use snapshot::{FileIndex, NewFile, RelPath, Rename, Snapshot, TreeChange};

use crate::diagnose;
use crate::edits::{self, EditsDocument, Parts};
use crate::failure::{FailedOp, FailureCause, OpFailureCode, RefusedPaths, cap};
use crate::kind::PatchKind;
use crate::simulate::{AppliedOp, Simulation};

/// Proposed fixes.
#[derive(Clone, PartialEq, Debug)]
pub struct Fixes {
    /// What they were written as.
    pub kind: PatchKind,
    /// The fixes, in the order in which they are taken.
    pub fixes: Vec<ProposedFix>,
    /// What does not fit the files, and why.
    pub refused: Vec<RefusedFix>,
    /// What was left out on purpose, and why: the file and the reason.
    pub left_out: Vec<(String, String)>,
    /// Whether it is one change, which applies whole or not at all.
    pub is_whole: bool,
}

/// One fix.
#[derive(Clone, PartialEq, Debug)]
pub struct ProposedFix {
    /// Its name in reports.
    pub name: String,
    /// What it is about, for people.
    pub about: String,
    /// What it does.
    pub edits: EditsDocument,
}

/// A fix that does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedFix {
    /// Its name in reports.
    pub name: String,
    /// What it is about, for people.
    pub about: String,
    /// The file, as far as it is known.
    pub file: String,
    /// Why, for programs.
    pub code: OpFailureCode,
    /// Why, for people.
    pub reason: String,
}

impl Fixes {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.fixes.iter().flat_map(|it| it.edits.paths())
    }
}

pub(crate) fn simulate(
    document: &Fixes,
    snapshot: &Snapshot,
    index: &FileIndex,
    refused: &RefusedPaths,
) -> Simulation {
    let mut simulation = Simulation::nothing(document.kind, index);
    let mut pool = Pool::default();
    for it in &document.refused {
        let failure = FailureCause::new(it.code, &it.reason);
        refuse(&mut simulation, (&it.name, &it.about), &it.file, &failure);
    }
    for (nth, fix) in document.fixes.iter().enumerate() {
        let file = fix.edits.paths().next().map(ToString::to_string).unwrap_or_default();
        match pool.take(nth, &document.fixes, snapshot, refused) {
            Ok(()) => simulation.applied.extend(applied(fix)),
            Err(failure) => refuse(&mut simulation, (&fix.name, &fix.about), &file, &failure),
        }
    }
    for (file, reason) in &document.left_out {
        let rule = diagnose::semantic_rule(document.kind, "left_out");
        let it = diagnose::diagnostic(rule, Severity::Info, file, None, cap(reason, 300));
        simulation.diagnostics.push(it);
    }
    if document.is_whole && !simulation.ok {
        return simulation;
    }
    if let Err(refused) = pool.finish(snapshot, &mut simulation) {
        let (file, failure) = *refused;
        refuse(&mut simulation, ("document", "the whole"), &file, &failure);
    }
    simulation
}

fn applied(fix: &ProposedFix) -> impl Iterator<Item = AppliedOp> {
    fix.edits.ops().enumerate().map(|(op_index, (op, path))| AppliedOp {
        action_id: Some(fix.name.clone()),
        op_index,
        op,
        file: path.to_string(),
        json_pointer: None,
    })
}

fn refuse(
    simulation: &mut Simulation,
    (name, about): (&str, &str),
    file: &str,
    failure: &FailureCause,
) {
    simulation.ok = false;
    let rule = diagnose::semantic_rule(simulation.kind, failure.code.name());
    let about = cap(about, 120);
    let message = format!("{name} ({about}) is refused: {}", failure.message);
    simulation.diagnostics.push(diagnose::diagnostic(rule, Severity::Error, file, None, message));
    simulation.failed.push(FailedOp {
        action_id: Some(name.to_owned()),
        op_index: 0,
        code: failure.code,
        file: file.to_owned(),
        json_pointer: None,
        expected: failure.expected.clone(),
        found: failure.found.clone(),
    });
}

/// What was taken so far.
#[derive(Default)]
struct Pool {
    merges: BTreeMap<RelPath, Merge>,
    /// Where something is put in, and by which fix.
    insertions: BTreeMap<(RelPath, u32), usize>,
    adds: BTreeMap<RelPath, NewFile>,
    deletes: BTreeMap<RelPath, ContentHash>,
    renames: BTreeMap<RelPath, Rename>,
    /// The hashes of what was taken.
    known: BTreeSet<ContentHash>,
}

impl Pool {
    fn take(
        &mut self,
        nth: usize,
        fixes: &[ProposedFix],
        snapshot: &Snapshot,
        refused: &RefusedPaths,
    ) -> Result<(), FailureCause> {
        let fix = &fixes[nth];
        let hash = ContentHash::of(fix.edits.render().as_bytes());
        if self.known.contains(&hash) {
            return Ok(());
        }
        let (parts, failures) = edits::to_change(&fix.edits, snapshot, refused);
        if let Some((_, failure)) = failures.into_iter().next() {
            return Err(failure);
        }
        edits::check_alone(&fix.edits, &parts, snapshot).map_err(|(_, failure)| failure)?;
        self.check_files(&parts)?;
        for (path, set) in &parts.edits {
            if self.deletes.contains_key(path) {
                return Err(clash(format!("another fix deletes {path}")));
            }
            let insertion = set.edits().iter().find(|it| {
                it.start == it.end && self.insertions.contains_key(&(path.clone(), it.start))
            });
            if let Some(edit) = insertion {
                let with = &fixes[self.insertions[&(path.clone(), edit.start)]].name;
                return Err(clash(format!("{with} inserts at the same place in {path}")));
            }
            if let Some(merge) = self.merges.get(path) {
                merge.check(set).map_err(|refusal| match refusal {
                    MergeError::Clash(it) => {
                        clash(format!("{} with {} in {path}", it.kind, fixes[it.with].name))
                    }
                    other => FailureCause::new(OpFailureCode::InvalidEdit, other.to_string()),
                })?;
            }
        }
        self.keep(nth, parts, snapshot)?;
        self.known.insert(hash);
        Ok(())
    }

    /// Whether the files that come and go are those of no other fix.
    fn check_files(&self, parts: &Parts) -> Result<(), FailureCause> {
        let is_moved = |path: &RelPath| {
            self.deletes.contains_key(path)
                || self.renames.contains_key(path)
                || self.adds.contains_key(path)
                || self.renames.values().any(|it| it.to == *path)
        };
        let targets = parts.adds.keys().chain(parts.renames.values().map(|it| &it.to));
        let taken = targets.chain(parts.renames.keys()).find(|it| is_moved(it));
        let deleted = parts.deletes.keys().find(|it| is_moved(it) || self.merges.contains_key(*it));
        match taken.or(deleted) {
            Some(path) => Err(clash(format!("another fix changes {path} too"))),
            None => Ok(()),
        }
    }

    fn keep(&mut self, nth: usize, parts: Parts, snapshot: &Snapshot) -> Result<(), FailureCause> {
        for (path, set) in parts.edits {
            for edit in set.edits().iter().filter(|it| it.start == it.end) {
                self.insertions.insert((path.clone(), edit.start), nth);
            }
            let text = snapshot.file(&path).map(|it| it.text()).unwrap_or_default();
            let merge = self.merges.entry(path).or_insert_with(|| Merge::new(&text));
            merge
                .accept(nth, &set)
                .map_err(|it| FailureCause::new(OpFailureCode::InvalidEdit, it.to_string()))?;
        }
        self.adds.extend(parts.adds);
        self.deletes.extend(parts.deletes);
        self.renames.extend(parts.renames);
        Ok(())
    }

    fn finish(
        self,
        snapshot: &Snapshot,
        simulation: &mut Simulation,
    ) -> Result<(), Box<(String, FailureCause)>> {
        let edits = self.merges.into_iter().map(|(path, it)| (path, it.finish())).collect();
        let change = TreeChange::new(edits, self.adds, self.deletes, self.renames);
        let change = change.map_err(|error| {
            Box::new((
                String::new(),
                FailureCause::new(OpFailureCode::InvalidDocument, error.to_string()),
            ))
        })?;
        edits::check_moves(&change, snapshot).map_err(|error| {
            let (code, path) = edits::code_of(&error);
            let file = path.map(|it| it.to_string()).unwrap_or_default();
            Box::new((file, FailureCause::new(code, error.to_string())))
        })?;
        edits::move_uids(&change, &mut simulation.index)
            .map_err(|failure| Box::new((String::new(), failure)))?;
        simulation.change = change;
        Ok(())
    }
}

fn clash(message: String) -> FailureCause {
    FailureCause::new(OpFailureCode::Conflict, message)
}
