//! The repairs of the files of a tree, as edits to their texts.
//!
//! Modules that import one another belong together: a repair of one may change, and is tried on, all of them and nothing
//! else. So what is known about such a group is kept as long as none of its files changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Confidence, RepairClass, RepairOp, Safety};
use clank::program::{self, Finder, ImportTarget, Program};
use clank::{Checked, CheckedModule};
use clank_syntax::ast::{DeclId, Name};
use edit::ContentHash;
use rayon::prelude::*;
use snapshot::{RelPath, Snapshot};

use super::lowered::as_text;
use crate::{Budget, ModuleRepairs, Repair, repairs};

/// How many nodes are looked at to repair a file, however many files there are to repair in its group.
const LEAST_NODES: usize = 50_000;

/// The repairs of one file.
#[derive(Debug)]
pub(super) struct FileRepairs {
    pub(super) found: ModuleRepairs,
    /// Those of them that its text can be edited for, in the same order.
    pub(super) texts: Vec<TextRepair>,
}

/// A repair as what it does to texts.
#[derive(Debug)]
pub(super) struct TextRepair {
    /// Its place among the repairs that were found.
    pub(super) place: usize,
    pub(super) ops: Vec<RepairOp>,
}

impl FileRepairs {
    /// The repairs that texts can be edited for, with what they do to them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Repair, &[RepairOp])> {
        self.texts.iter().map(|it| (&self.found.list[it.place], it.ops.as_slice()))
    }
}

/// Whether `fix` would apply it without being asked.
fn is_pending(it: &Repair) -> bool {
    it.safety <= Safety::LikelyPreserving && it.confidence <= Confidence::Medium
}

/// What a group's repairs were made from: its files, their bytes and where their uses lead.
type Key = Vec<(Name, ContentHash, BTreeMap<DeclId, ImportTarget>)>;

/// What is known about the repairs of a tree, by group.
#[derive(Debug, Default)]
pub(super) struct KnownRepairs {
    groups: BTreeMap<Name, (Key, BTreeMap<Name, Arc<FileRepairs>>)>,
}

impl KnownRepairs {
    /// The repairs of every file that has any.
    pub(super) fn by_file(&self) -> BTreeMap<&str, &FileRepairs> {
        let files = self.groups.values().flat_map(|it| &it.1);
        files.map(|(file, repairs)| (file.as_str(), &**repairs)).collect()
    }

    /// The repairs of one file.
    pub(super) fn of_file(&self, file: &str) -> Option<&FileRepairs> {
        self.groups.values().find_map(|it| it.1.get(file)).map(|it| &**it)
    }

    /// The files that a repair changes which `fix` would apply without being asked. What is second to errors is not
    /// applied in files `with_errors`, and nothing that waits for a cure which somebody has to agree to.
    pub(super) fn pending_files(&self, with_errors: &BTreeSet<&str>) -> BTreeSet<&RelPath> {
        let mut pending = BTreeSet::new();
        for (file, repairs) in self.groups.values().flat_map(|it| &it.1) {
            let is_wrong = with_errors.contains(file.as_str());
            let is_second = |it: &Repair| is_wrong && !it.codes.iter().any(|it| it.is_error());
            let cured: BTreeSet<_> = repairs
                .iter()
                .filter(|it| it.0.class == RepairClass::Repair && !is_pending(it.0))
                .flat_map(|it| &it.0.resolves)
                .collect();
            let waits = |it: &Repair| {
                matches!(it.class, RepairClass::Stub | RepairClass::Delete)
                    && it.resolves.iter().any(|it| cured.contains(it))
            };
            let chosen =
                repairs.iter().filter(|(it, _)| is_pending(it) && !is_second(it) && !waits(it));
            pending.extend(chosen.flat_map(|it| it.1).map(RepairOp::file));
        }
        pending
    }
}

/// The repairs of all modules of a program. What is known about a group that is the same as before is taken over.
pub(super) fn of_program(
    program: &Program,
    checked: &Checked,
    finder: &(dyn Finder + Sync),
    snapshot: &Snapshot,
    known: &KnownRepairs,
) -> KnownRepairs {
    let groups: Vec<_> = groups(program, finder)
        .into_par_iter()
        .filter(|it| it.iter().any(|it| needs_work(&checked.modules[*it])))
        .filter_map(|members| {
            let key = key(program, &members, snapshot)?;
            let first = key.first()?.0.clone();
            let same = known.groups.get(&first).filter(|it| it.0 == key);
            let repairs = match same {
                Some((_, repairs)) => repairs.clone(),
                None => of_group(program, checked, &members, finder, snapshot),
            };
            Some((first, (key, repairs)))
        })
        .collect();
    KnownRepairs { groups: groups.into_iter().collect() }
}

fn needs_work(module: &CheckedModule) -> bool {
    let is_open = |it: &clank::proof::Proof| !it.is_discharged();
    !module.diagnostics.is_empty()
        || module.goals().any(|it| is_open(it.2))
        || module.holes().next().is_some()
}

/// The places of modules, by what they import, directly or not, in either direction. What may have been meant where a
/// module does not exist belongs to them too, so that it can be tried whether it was.
fn groups(program: &Program, finder: &dyn Finder) -> Vec<Vec<usize>> {
    let modules = program.modules();
    let places: BTreeMap<&str, usize> =
        modules.iter().enumerate().map(|(place, it)| (it.file.as_str(), place)).collect();
    let mut leads: Vec<usize> = (0..modules.len()).collect();
    let root = |leads: &mut Vec<usize>, mut at: usize| {
        while leads[at] != at {
            leads[at] = leads[leads[at]];
            at = leads[at];
        }
        at
    };
    for (place, module) in modules.iter().enumerate() {
        for target in program.targets(place).values() {
            let near: Vec<Name>;
            let files = match target {
                ImportTarget::Module(file) => std::slice::from_ref(file),
                ImportTarget::Cycle(files) => files,
                ImportTarget::Missing { similar } => {
                    near = program::files(&module.file, similar, finder).collect();
                    &near
                }
                ImportTarget::Unreadable => &[],
            };
            for other in files.iter().filter_map(|it| places.get(it.as_str())) {
                let (left, right) = (root(&mut leads, place), root(&mut leads, *other));
                leads[left.max(right)] = left.min(right);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for place in 0..modules.len() {
        groups.entry(root(&mut leads, place)).or_default().push(place);
    }
    groups.into_values().collect()
}

/// `None` if one of the files is not in the tree.
fn key(program: &Program, members: &[usize], snapshot: &Snapshot) -> Option<Key> {
    let part = |place: &usize| {
        let file = &program.modules()[*place].file;
        let text = &snapshot.file(&RelPath::parse(file).ok()?)?.text();
        Some((file.clone(), text.hash(), program.targets(*place).clone()))
    };
    members.iter().map(part).collect()
}

/// The repairs of the modules of one group, by file. Together they take about as much work as one file alone may.
fn of_group(
    program: &Program,
    checked: &Checked,
    members: &[usize],
    finder: &(dyn Finder + Sync),
    snapshot: &Snapshot,
) -> BTreeMap<Name, Arc<FileRepairs>> {
    let modules = members.iter().map(|it| program.modules()[*it].clone()).collect();
    let program = Program::link(modules, finder);
    let by_file: BTreeMap<&str, usize> =
        members.iter().map(|it| (checked.modules[*it].file.as_str(), *it)).collect();
    let modules = program.modules().iter();
    let modules = modules.filter_map(|it| by_file.get(it.file.as_str()));
    let checked = Checked {
        modules: modules.map(|it| checked.modules[*it].clone()).collect(),
        oracle: checked.oracle.clone(),
        ..Checked::default()
    };
    let open: Vec<usize> =
        (0..checked.modules.len()).filter(|it| needs_work(&checked.modules[*it])).collect();
    let whole = Budget::default();
    let share = whole.nodes / open.len().max(1);
    let budget = Budget { nodes: share.max(LEAST_NODES), ..whole };
    let of_module = |place: &usize| {
        let found = repairs(&program, &checked, *place, &budget);
        let texts = as_text(&found.list, snapshot);
        (checked.modules[*place].file.clone(), Arc::new(FileRepairs { found, texts }))
    };
    open.par_iter().map(of_module).collect()
}
