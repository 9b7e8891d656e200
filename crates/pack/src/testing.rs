//! What the tests of several modules need: documents, packs and workspaces from text, and a report as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use check::{
    Cache, CacheKey, Check as _, Diagnostic, Input, Parses, Repair, RepairOp, Report, Since, Stop,
};
use document::{Format, Limits, Value};
use edit::Text;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::pack::Pack;
use crate::problem::PackProblem;
use crate::provider::PackCheck;

/// Keeps everything, and counts what it was good for.
#[derive(Default)]
pub(crate) struct MemoryCache {
    pub(crate) entries: Mutex<BTreeMap<CacheKey, Arc<[u8]>>>,
    n_hits: AtomicUsize,
    n_puts: AtomicUsize,
}

impl Cache for MemoryCache {
    fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>> {
        let found = self.entries.lock().unwrap().get(key).cloned()?;
        self.n_hits.fetch_add(1, Ordering::Relaxed);
        Some(found)
    }

    fn put(&self, key: CacheKey, bytes: Vec<u8>) {
        self.n_puts.fetch_add(1, Ordering::Relaxed);
        self.entries.lock().unwrap().insert(key, bytes.into());
    }
}

impl MemoryCache {
    /// How many hits and puts there were since the last time.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.n_hits.swap(0, Ordering::Relaxed), self.n_puts.swap(0, Ordering::Relaxed))
    }
}

/// The value of a YAML text.
#[track_caller]
pub(crate) fn yaml(text: &str) -> Value {
    document::parse(&Text::new(text), Format::Yaml, &Limits::DEFAULT)
        .expect("the test's YAML parses")
        .value()
}

/// Files from `//- PATH` lines, each followed by the file's text.
pub(crate) fn files(text: &str) -> BTreeMap<String, String> {
    let parts = text.split("//- ").skip(1).map(|it| it.split_once('\n').unwrap_or((it, "")));
    parts.map(|(path, body)| (path.trim().to_owned(), body.to_owned())).collect()
}

/// The pack with this `pack.yaml`; what follows a `//- ` line is another file of it.
pub(crate) fn load(manifest: &str) -> Result<Pack, Vec<PackProblem>> {
    let all = files(&format!("//- pack.yaml\n{manifest}"));
    Pack::load(&all.into_iter().map(|(path, text)| (path, Text::new(text))).collect())
}

/// The head of a pack with two kinds: `a` (`a/*`) and `b` (`b/*`), and the start of its rules.
pub(crate) const HEAD: &str = "\
name: test
pack_version: '1'
kinds:
  - {kind: a, files: 'a/*'}
  - {kind: b, files: 'b/*'}
rules:
";

/// A pack of [`HEAD`] and one rule, whose own members are given as a flow map without braces.
#[track_caller]
pub(crate) fn one_rule(members: &str) -> Arc<Pack> {
    let rule = format!("{HEAD}  - {{id: SEM_X, about: because, {members}}}\n");
    match load(&rule) {
        Ok(pack) => Arc::new(pack),
        Err(problems) => {
            panic!("{}", problems.iter().map(|it| format!("{it}\n")).collect::<String>())
        }
    }
}

pub(crate) fn snapshot(files: &BTreeMap<String, String>) -> Snapshot {
    let entry = |text: &String| Entry::File(File::new(Text::new(text.as_str()), 0o644));
    let entries =
        files.iter().map(|(path, text)| (RelPath::parse(path).expect("a path"), entry(text)));
    Snapshot::new(entries.collect()).expect("no file lies beneath a file")
}

/// What the pack says of a tree.
pub(crate) fn run(
    pack: &Arc<Pack>,
    snapshot: &Snapshot,
    since: Option<(&Report, &BTreeSet<RelPath>)>,
) -> Report {
    let since = since.map(|(report, changed)| Since { report, changed });
    let parses = Parses::new(Limits::DEFAULT);
    PackCheck::new(Arc::clone(pack))
        .report(&Input { snapshot, since, parses: &parses, stop: &Stop::new(), only: None })
        .expect("the check runs")
}

/// The report as text: findings in order, each with its repairs.
pub(crate) fn shown(report: &Report) -> String {
    let mut diagnostics: Vec<&Diagnostic> = report.diagnostics.iter().map(|it| &**it).collect();
    diagnostics.sort_by(|left, right| left.total_cmp(right));
    let mut text = String::new();
    for it in diagnostics {
        let pointer = it.json_pointer.as_deref().unwrap_or_default();
        let place =
            it.location.map(|at| format!("{}:{}", at.start_line, at.start_col)).unwrap_or_default();
        let _ =
            writeln!(text, "{} {}:{place} {pointer} [{}]", it.severity.name(), it.file, it.rule_id);
        let _ = writeln!(text, "  {}", it.message);
        for related in &it.related {
            let pointer = related.json_pointer.as_deref().unwrap_or_default();
            let _ = writeln!(text, "  see {} {pointer}: {}", related.file, related.message);
        }
        for repair in report.repairs.iter().filter(|repair| it.repair_refs.contains(&repair.id)) {
            let (safety, confidence) = (repair.safety.name(), repair.confidence.name());
            let _ = writeln!(text, "  + {} ({safety}, {confidence})", repair.title);
        }
    }
    for (file, phase) in &report.blocked {
        let _ = writeln!(text, "{file} is blocked from {phase} on");
    }
    text
}

/// The tree after one repair.
#[track_caller]
pub(crate) fn repaired(snapshot: &Snapshot, repair: &Repair) -> Snapshot {
    let mut entries = snapshot.to_entries();
    let touched: BTreeSet<&RelPath> = repair.ops.iter().map(RepairOp::file).collect();
    for path in touched {
        let file = snapshot.file(path).expect("the file is there");
        let format = Format::of_path(path.as_str()).expect("a document");
        let document = document::parse(&file.text(), format, &Limits::DEFAULT).expect("it parses");
        let mut draft = document.draft();
        let mut text = None;
        for op in repair.ops.iter().filter(|it| it.file() == path) {
            match op {
                RepairOp::Document { step, .. } => {
                    draft.apply(step).expect("the operation is possible");
                }
                RepairOp::Text { edits, .. } => {
                    text = Some(edits.apply(&file.text()).expect("the edits fit"))
                }
                other => panic!("a pack edits documents and does not {other:?}"),
            }
        }
        let text = text.unwrap_or_else(|| draft.lower_and_apply().expect("it can be written").1);
        entries.insert(path.clone(), Entry::File(File::new(text, file.mode)));
    }
    Snapshot::new(entries).expect("the same paths")
}

/// Checks a tree, and that every repair does what it claims: what it resolves is gone, nothing new is there, and a
/// check that builds on the earlier one says the same as one from nothing. Gives the report as text.
#[track_caller]
pub(crate) fn check(pack: &Arc<Pack>, workspace: &str) -> String {
    let before = snapshot(&files(workspace));
    let report = run(pack, &before, None);
    let ids = |report: &Report| -> BTreeSet<String> {
        report.diagnostics.iter().map(|it| it.diagnostic_id.clone()).collect()
    };
    assert_eq!(ids(&report).len(), report.diagnostics.len(), "every finding has its own id");
    for repair in &report.repairs {
        let is_named = |it: &Arc<Diagnostic>| it.repair_refs.contains(&repair.id);
        assert!(
            report.diagnostics.iter().any(is_named),
            "AE-55: {} belongs to a finding",
            repair.title
        );
        let after = repaired(&before, repair);
        let fresh = run(pack, &after, None);
        for id in &repair.resolves {
            assert!(!ids(&fresh).contains(id), "{} leaves what it should resolve", repair.title);
        }
        assert!(
            ids(&fresh).is_subset(&ids(&report)),
            "{} makes something worse: {}",
            repair.title,
            shown(&fresh)
        );
        let changed = repair.ops.iter().map(|it| it.file().clone()).collect();
        let next = run(pack, &after, Some((&report, &changed)));
        assert_eq!(shown(&next), shown(&fresh), "a check that builds on another says the same");
    }
    shown(&report)
}
