//! What is worked on first: errors before everything else, in the file and in what it imports (RS-33, X-41).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Class, Diagnostic, Repair};
use clank::program::{ImportTarget, Program};
use clank::{Checked, CheckedModule};
use snapshot::RelPath;

/// How many errors of what it imports a repair is told to wait for. As long as one of them stands it waits.
const MAX_NAMED: usize = 16;

/// Which files a file imports, directly or not. Files that import each other in a circle are not followed.
pub(super) struct ImportGraph<'a> {
    by_file: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> ImportGraph<'a> {
    pub(super) fn new(program: &'a Program) -> ImportGraph<'a> {
        let modules = program.modules().iter().enumerate();
        let direct = modules.map(|(place, module)| {
            let files = program.targets(place).values().filter_map(|it| match it {
                ImportTarget::Module(file) => Some(file.as_str()),
                ImportTarget::Missing { .. }
                | ImportTarget::Unreadable
                | ImportTarget::Cycle(_) => None,
            });
            (module.file.as_str(), files.collect())
        });
        ImportGraph { by_file: direct.collect() }
    }

    /// The files that are imported, the nearest first.
    fn of(&self, file: &'a str) -> Vec<&'a str> {
        let mut seen = BTreeSet::from([file]);
        let mut found = vec![file];
        let mut at = 0;
        while let Some(file) = found.get(at) {
            let direct = self.by_file.get(file).into_iter().flatten();
            found.extend(direct.filter(|it| seen.insert(**it)).copied().collect::<Vec<_>>());
            at += 1;
        }
        found
    }
}

/// The files with errors, or that import one with errors.
pub(super) fn with_errors<'a>(
    imports: &ImportGraph<'a>,
    checked: &'a Checked,
) -> BTreeSet<&'a str> {
    let has_error = |it: &&CheckedModule| it.diagnostics.iter().any(|it| it.code.is_error());
    let wrong: BTreeSet<&str> =
        checked.modules.iter().filter(has_error).map(|it| it.file.as_str()).collect();
    if wrong.is_empty() {
        return wrong;
    }
    let files = checked.modules.iter().map(|it| it.file.as_str());
    files.filter(|file| imports.of(file).iter().any(|it| wrong.contains(it))).collect()
}

/// Lets the repairs of what is not proved, not written or only a warning wait for the errors.
pub(super) fn errors_first(
    imports: &ImportGraph<'_>,
    found: &mut [(&RelPath, Vec<Diagnostic>, Vec<Repair>)],
) {
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for it in found.iter().flat_map(|it| &it.1).filter(|it| it.class() == Class::Error) {
        errors.entry(it.file.clone()).or_default().push(it.diagnostic_id.clone());
    }
    if errors.is_empty() {
        return;
    }
    for (file, diagnostics, repairs) in found {
        let near = imports.of(file.as_str());
        let awaited = near.iter().filter_map(|it| errors.get(*it)).flatten();
        let awaited: Arc<[String]> = awaited.take(MAX_NAMED).cloned().collect();
        let classes: BTreeMap<&str, Class> =
            diagnostics.iter().map(|it| (it.diagnostic_id.as_str(), it.class())).collect();
        for repair in repairs.iter_mut().filter(|_| !awaited.is_empty()) {
            let resolved = repair.resolves.iter().filter_map(|it| classes.get(it.as_str()));
            let is_second =
                |it: &Class| matches!(it, Class::Obligation | Class::Hole | Class::Warning);
            if resolved.min().is_some_and(is_second) {
                repair.compatibility.waits_for = Arc::clone(&awaited);
            }
        }
    }
}
