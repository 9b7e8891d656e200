//! The mutation study: how many injected faults are found, and how many are mended to what was there before.
//!
//! Valid workspaces are written with comments and in odd styles, in YAML, JSON and TOML. Each mutant has one fault of a
//! kind that the study's pack knows. It is checked, fixed with every safety level allowed, and compared with the
//! workspace it was made from. Everything follows from fixed seeds, so that every run prints the same table.

mod fault;
pub(crate) mod model;
pub(crate) mod style;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use check::{Environment, Parses, Safety, Stop};
use document::{Document, Format, GuardedOp, Limits, Pointer, Value};
use edit::{EditSet, Text};
use engine::{Assessment, Options, Run, Sieve, Sources};
use pack::{Pack, PackCheck};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

use self::fault::{Change, Fault};
use crate::Scale;
use crate::random::Random;
use crate::table::{Table, say};

/// The flag that runs the study instead of benchmarks.
pub(crate) const FLAG: &str = "--mutation";

const FORMATS: [Format; 3] = [Format::Yaml, Format::Json, Format::Toml];

/// The study's pack, by path.
pub(crate) const PACK: [(&str, &str); 4] = [
    ("pack.yaml", include_str!("mutation/pack/pack.yaml")),
    ("schemas/product.schema.json", include_str!("mutation/pack/schemas/product.schema.json")),
    ("schemas/module.schema.json", include_str!("mutation/pack/schemas/module.schema.json")),
    ("schemas/lock.schema.json", include_str!("mutation/pack/schemas/lock.schema.json")),
];

/// Runs the study and prints its table. Fails if a goal is missed, so that it can guard a build.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let pack = load_pack()?;
    let checker = PackCheck::new(Arc::new(pack));
    let mut tally: BTreeMap<(bool, &'static str), Counts> = BTreeMap::new();
    for seed in 0..scale.pick(10, 1) {
        for format in FORMATS {
            let original = Original::new(seed, format)?;
            original.study(&checker, &mut tally)?;
        }
    }
    let total = print(&tally);
    ensure!(total.detected == total.mutants, "a declared fault was not detected");
    ensure!(total.comments_lost == 0, "a comment was lost");
    ensure!(total.unmet == 0, "a repair is reported as applied and did not do what it claimed");
    let repairable: Vec<&Counts> =
        tally.iter().filter(|((has_repair, _), _)| *has_repair).map(|(_, counts)| counts).collect();
    let restored: usize = repairable.iter().map(|it| it.restored).sum();
    let mutants: usize = repairable.iter().map(|it| it.mutants).sum();
    let share = restored as f64 * 100.0 / mutants as f64;
    say(&format!("{restored} of {mutants} faults with a repair were restored: {share:.1} %"));
    ensure!(share >= 95.0, "fewer than 95 % were restored");
    Ok(())
}

fn load_pack() -> Result<Pack> {
    let files = PACK.iter().map(|(path, text)| (path.to_string(), Text::new(*text))).collect();
    Pack::load(&files).map_err(|problems| anyhow!("the study's pack is broken: {problems:?}"))
}

/// What became of the mutants of one kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    mutants: usize,
    detected: usize,
    green: usize,
    restored: usize,
    comments_lost: usize,
    wrong: usize,
    unmet: usize,
}

/// A valid workspace.
struct Original {
    paths: Vec<RelPath>,
    values: Vec<Value>,
    snapshot: Snapshot,
    format: Format,
    seed: u64,
}

impl Original {
    fn new(seed: u64, format: Format) -> Result<Original> {
        let extension = format.name().to_lowercase();
        let (mut paths, mut values, mut entries) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (index, page) in model::pages(seed).into_iter().enumerate() {
            let path = RelPath::parse(&format!("{}.{extension}", page.stem))?;
            let text = style::write(&page.value, format, seed * 1000 + index as u64);
            let read = parse(&Text::new(text.as_str()), format)?.value();
            ensure!(read.equals(&page.value), "{path} was not written as it was meant:\n{text}");
            entries.insert(path.clone(), file(Text::new(text)));
            paths.push(path);
            values.push(page.value);
        }
        let snapshot = Snapshot::new(entries)?;
        Ok(Original { paths, values, snapshot, format, seed })
    }

    fn study(
        &self,
        checker: &PackCheck,
        tally: &mut BTreeMap<(bool, &'static str), Counts>,
    ) -> Result<()> {
        let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
        let sieve = Sieve { levels: BTreeMap::new(), baseline: Default::default() };
        let sources = Sources::new(&[checker], Environment::default());
        let run =
            Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
        let valid = engine::assess(&run, &self.snapshot, None);
        ensure!(
            valid.diagnostics.is_empty() && valid.failures.is_empty(),
            "the workspace {} in {} is not valid: {:?} {:?}",
            self.seed,
            self.format.name(),
            valid.diagnostics,
            valid.failures
        );
        let mut random = Random::new(self.seed + 99);
        for fault in fault::faults(&self.values, &mut random) {
            let counts = tally.entry((fault.has_repair, fault.kind)).or_default();
            self.try_mutant(&run, &valid, &fault, counts)?;
        }
        Ok(())
    }

    fn try_mutant(
        &self,
        run: &Run<'_>,
        valid: &Assessment,
        fault: &Fault,
        counts: &mut Counts,
    ) -> Result<()> {
        let mutant = self.mutate(fault)?;
        counts.mutants += 1;
        let path = &self.paths[fault.page];
        let found = engine::assess(run, &mutant, Some(valid));
        let is_detected = found.diagnostics.iter().any(|it| it.rule_id == fault.rule);
        counts.detected += usize::from(is_detected);
        if !is_detected {
            say(&format!("not detected: {} in {path} of {}", fault.kind, self.seed));
        }
        let policy = Policy { safety: Safety::BehaviorChanging, allow: Default::default() };
        let options = Options {
            policy: &policy,
            is_editable: &|_| true,
            wants: &|_| true,
            max_passes: 20,
            max_rechecks: 1000,
        };
        let fixed = engine::fix(run, &found, &options, &mut |_| {});
        let is_green = fixed.end.diagnostics.is_empty();
        let is_restored = self.paths.iter().zip(&self.values).all(|(path, value)| {
            self.value(&fixed.end.snapshot, path).is_some_and(|it| it.equals(value))
        });
        counts.green += usize::from(is_green);
        counts.restored += usize::from(is_restored);
        counts.wrong += usize::from(!is_restored && !fixed.applied.is_empty());
        counts.unmet += fixed.applied.iter().filter(|it| !it.verified).count();
        if fault.has_repair && !is_restored {
            let rejected = fixed.rejected.first().map(|it| it.rejection.detail.as_str());
            say(&format!("not restored: {} in {path} of {}: {rejected:?}", fault.kind, self.seed));
        }
        for path in &self.paths {
            let kept = self.comments(&mutant, path)? == self.comments(&fixed.end.snapshot, path)?;
            counts.comments_lost += usize::from(!kept);
        }
        Ok(())
    }

    fn mutate(&self, fault: &Fault) -> Result<Snapshot> {
        let path = &self.paths[fault.page];
        let text = &self.snapshot.file(path).context("the file is there")?.text();
        let document = parse(text, self.format)?;
        let edits = match &fault.change {
            Change::Ops(ops) => {
                let mut draft = document.draft();
                for op in ops {
                    draft.apply(&GuardedOp::from(op.clone()))?;
                }
                draft.lower().map_err(|it| anyhow!("{}: {it}", fault.kind))?
            }
            Change::Reorder(at, order) => reorder(&document, at, order)?,
        };
        let mut entries = self.snapshot.to_entries();
        entries.insert(path.clone(), file(edits.apply(text)?));
        Ok(Snapshot::new(entries)?)
    }

    fn value(&self, snapshot: &Snapshot, path: &RelPath) -> Option<Value> {
        parse(&snapshot.file(path)?.text(), self.format).ok().map(|it| it.value())
    }

    /// The comments of a file, sorted: a repair may move a line.
    fn comments(&self, snapshot: &Snapshot, path: &RelPath) -> Result<Vec<Vec<u8>>> {
        let text = &snapshot.file(path).context("the file is there")?.text();
        let ranges = parse(text, self.format)?.comments();
        let mut comments: Vec<Vec<u8>> = ranges
            .into_iter()
            .map(|it| text.bytes()[it.start as usize..it.end as usize].to_vec())
            .collect();
        comments.sort();
        Ok(comments)
    }
}

fn reorder(document: &Document, at: &Pointer, order: &[usize]) -> Result<EditSet> {
    document.reorder_items(at, order).map_err(|it| anyhow!("cannot reorder {at}: {it}"))
}

fn parse(text: &Text, format: Format) -> Result<Arc<Document>> {
    document::parse(text, format, &Limits::DEFAULT)
        .map_err(|it| anyhow!("{}\n{}", it.message, String::from_utf8_lossy(text.bytes())))
}

fn file(text: Text) -> Entry {
    Entry::File(File::new(text, 0o644))
}

fn print(tally: &BTreeMap<(bool, &'static str), Counts>) -> Counts {
    let mut table = Table::new(&[
        "fault",
        "mutants",
        "detected",
        "green",
        "restored",
        "comments lost",
        "wrong",
        "unmet claims",
    ]);
    let mut total = Counts::default();
    let cells = |name: &str, it: &Counts| {
        let counts =
            [it.mutants, it.detected, it.green, it.restored, it.comments_lost, it.wrong, it.unmet];
        std::iter::once(name.to_owned()).chain(counts.iter().map(usize::to_string)).collect()
    };
    for ((has_repair, kind), counts) in tally.iter().rev() {
        let name = if *has_repair { (*kind).to_owned() } else { format!("{kind} (no repair)") };
        table.row(cells(&name, counts));
        total.mutants += counts.mutants;
        total.detected += counts.detected;
        total.green += counts.green;
        total.restored += counts.restored;
        total.comments_lost += counts.comments_lost;
        total.wrong += counts.wrong;
        total.unmet += counts.unmet;
    }
    table.row(cells("all", &total));
    table.print("Mutation study");
    total
}
