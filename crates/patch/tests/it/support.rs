//! Workspaces as text, and the one caller of the crate's API for fixtures.
//!
//! A workspace is a list of files, each under a line `//- path`; `//- path -> target` is a link, and
//! `//- path (too large)` a file that was not read. `.regreen/files.json` is the file index.

use std::collections::BTreeMap;

use document::{Format, Limits};
use edit::Text;
use patch::{Options, Patch, PatchRejection, Simulation};
use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use snapshot::{Entry, File, FileIndex, RelPath, Snapshot, UnreadReason};

pub(crate) const INDEX: &str = ".regreen/files.json";

/// The same cases in every run; `CASES` asks for that many times more.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let factor = std::env::var("CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(1);
    ProptestConfig {
        cases: cases * factor,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(u64::from(factor)),
        ..ProptestConfig::default()
    }
}

pub(crate) fn path(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

pub(crate) fn file(text: &str) -> Entry {
    Entry::File(File::new(Text::new(text.as_bytes()), 0o644))
}

pub(crate) fn workspace(text: &str) -> (Snapshot, FileIndex) {
    let mut entries = BTreeMap::new();
    let mut index = FileIndex::default();
    for part in text.split("//- ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        if head == INDEX {
            index = FileIndex::parse(body).unwrap();
        } else if let Some((from, to)) = head.split_once(" -> ") {
            entries.insert(path(from), Entry::Link { target: to.to_owned() });
        } else if let Some(name) = head.strip_suffix(" (too large)") {
            let entry = Entry::Unread { size: 1 << 40, reason: UnreadReason::TooLarge };
            entries.insert(path(name), entry);
        } else {
            entries.insert(path(head), file(body));
        }
    }
    (Snapshot::new(entries).unwrap(), index)
}

/// The files and the index as text again.
pub(crate) fn render(snapshot: &Snapshot, index: &FileIndex) -> String {
    let mut out = String::new();
    if *index != FileIndex::default() {
        out += &format!("//- {INDEX}\n{}", index.render());
    }
    for (path, file) in snapshot.files() {
        out += &format!("//- {path}\n{}", String::from_utf8_lossy(file.text().bytes()));
    }
    out
}

/// What simulations in tests are told.
const OPTIONS: Options<'static> = Options { document_name: "patch.json", ..Options::DEFAULT };

pub(crate) fn read(text: &str) -> Result<Patch, PatchRejection> {
    patch::read("patch.json", &Text::new(text.as_bytes()), Format::Json, None, &Limits::DEFAULT)
}

/// Reads and simulates, and checks on the way what holds of every simulation.
#[track_caller]
pub(crate) fn simulate(patch: &Patch, before: &Snapshot, index: &FileIndex) -> Simulation {
    let simulation = patch::simulate(patch, before, index, &OPTIONS);
    let again = patch::simulate(patch, before, index, &OPTIONS);
    assert_eq!(simulation, again, "the same input gives the same report (FA-3, CS-44)");
    let change = &simulation.change;
    let after = before.apply(change).expect("the change can be made to the snapshot it is for");
    let inverse = change.invert(before).unwrap();
    assert_eq!(after.apply(&inverse).as_ref(), Ok(before), "apply then undo is the identity");
    if simulation.kind != patch::PatchKind::FixActions && !simulation.ok {
        assert!(change.is_empty(), "all or nothing (CS-17)");
        assert_eq!(simulation.index, *index);
    }
    assert_eq!(
        simulation.ok,
        simulation.diagnostics.iter().all(|it| it.severity != check::Severity::Error)
    );
    for failed in &simulation.failed {
        let has_diagnostic = simulation.diagnostics.iter().any(|it| {
            let file = if failed.file.is_empty() { OPTIONS.document_name } else { &failed.file };
            it.rule_id.to_ascii_lowercase().ends_with(failed.code.name()) && it.file == file
        });
        assert!(has_diagnostic, "every failed operation has its diagnostic: {failed:?}");
    }
    partial_snapshot_is_enough(patch, before, index, &simulation);
    edits_document_says_the_same(before, index, &simulation);
    simulation
}

fn partial_snapshot_is_enough(
    patch: &Patch,
    before: &Snapshot,
    index: &FileIndex,
    whole: &Simulation,
) {
    if patch::needs_whole_tree(patch)
        || before.iter().any(|(_, entry)| matches!(entry, Entry::Link { .. }))
    {
        return;
    }
    let named = patch::needs(patch, index);
    // What is above a new path and what differs from it in case is the business of whoever loads.
    let beside = before.iter().map(|(path, _)| path).filter(|it| {
        named.iter().any(|path| it.contains(path) || it.case_folded() == path.case_folded())
    });
    let needed: Vec<RelPath> = named.iter().chain(beside).cloned().collect();
    let load = |path: RelPath| match before.get(&path) {
        Some(entry) => Some((path, entry.clone())),
        None => before.is_directory(&path).then_some((path, Entry::Directory)),
    };
    let part = needed.into_iter().filter_map(load);
    let part = Snapshot::new(part.collect()).unwrap();
    let simulation = patch::simulate(patch, &part, index, &OPTIONS);
    assert_eq!(&simulation, whole, "`needs` names every file that matters");
}

fn edits_document_says_the_same(before: &Snapshot, index: &FileIndex, simulation: &Simulation) {
    let document = patch::edits::EditsDocument::from_change(&simulation.change).unwrap();
    let again = read(&document.render()).unwrap();
    assert_eq!(again, Patch::Edits(document.clone()), "what is written is read back");
    let again = patch::simulate(&again, before, index, &OPTIONS);
    assert!(again.ok, "{:?}", again.diagnostics);
    assert_eq!(again.change, simulation.change);
}
