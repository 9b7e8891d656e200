//! The study of files: public schemas and the test files that came with them, faults of nine kinds in the good ones, and
//! what is found, offered and mended.
//!
//! A mutant counts if another validator refuses it: the same engine with the schema as it was published, without anything
//! that regreen puts around it. Documents are judged alone, against the schema whose name their folder has. Faults are
//! taken from fixed seeds, so that every run prints the same table.

mod fault;
mod judge;
mod peer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use self::fault::{SeededFault, mutants};
use self::judge::{CorpusSchemas, Judge};
use crate::report;

/// Of one schema, so many good documents are changed.
const DOCUMENTS: usize = 3;
/// Larger documents take their time and say nothing new.
const MAX_BYTES: u64 = 64 * 1024;

/// What is studied and what is shown.
#[derive(Default)]
struct Options {
    /// One of so many schemas.
    every: usize,
    schema: Option<String>,
    show: bool,
    peer: bool,
    folder: Option<PathBuf>,
}

/// What became of the faults of one kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    faults: usize,
    detected: usize,
    offered: usize,
    restored: usize,
    unasked: usize,
    allowed: usize,
    comments: usize,
}

/// Runs the study and prints its tables. Fails if a fault is not detected, something is changed into something else without
/// being asked, or a comment is lost.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = options(flags)?;
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => corpus()?,
    };
    let store = CorpusSchemas::read(&folder.join("schemas"))?;
    let mut tally: BTreeMap<SeededFault, Counts> = BTreeMap::new();
    let mut documents = Documents::default();
    for (nth, name) in store.names().enumerate() {
        let is_wanted = options.schema.as_deref().is_none_or(|it| it == name);
        if !is_wanted || !nth.is_multiple_of(options.every.max(1)) {
            continue;
        }
        let Some(judge) = Judge::new(&store, name) else {
            documents.unusable += 1;
            continue;
        };
        let good = files(&folder.join("valid").join(name))?;
        let bad = files(&folder.join("invalid").join(name))?;
        documents.add(&options, &judge, name, &good, &bad)?;
        for path in good.iter().take(DOCUMENTS) {
            study(&options, &judge, name, path, &mut tally)?;
        }
    }
    documents.print();
    print(&tally);
    let all = total(&tally);
    ensure!(all.faults > 0, "no fault was made; is {} the corpus?", folder.display());
    ensure!(all.detected == all.faults, "{} faults were not detected", all.faults - all.detected);
    ensure!(all.unasked == 0, "{} documents were changed without being asked", all.unasked);
    ensure!(all.comments == 0, "{} comments were lost", all.comments);
    Ok(())
}

/// The folder of the corpus: where the other public suites are looked for.
fn corpus() -> Result<PathBuf> {
    let named = std::env::var_os("REGREEN_CORPORA").map(PathBuf::from);
    let above = crate::root();
    let mut places: Vec<PathBuf> = named.into_iter().collect();
    places.extend(above.ancestors().map(|it| it.join("shared/corpora")));
    let found = places.into_iter().map(|it| it.join("schemastore")).find(|it| it.is_dir());
    found.context("no corpus: REGREEN_CORPORA names a folder with schemastore/ in it")
}

fn options(flags: &[&str]) -> Result<Options> {
    let mut options = Options { every: 1, ..Options::default() };
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let mut value = || flags.next().with_context(|| format!("{flag} needs a value"));
        match *flag {
            "--every" => options.every = value()?.parse().context("--every takes a number")?,
            "--schema" => options.schema = Some((*value()?).to_owned()),
            "--corpus" => options.folder = Some(PathBuf::from(*value()?)),
            "--show" => options.show = true,
            "--peer" => options.peer = true,
            other => anyhow::bail!("unknown flag {other}"),
        }
    }
    Ok(options)
}

/// The documents of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.to_string_lossy();
        let is_small = path.metadata().is_ok_and(|it| it.is_file() && it.len() <= MAX_BYTES);
        if is_small && document::Format::of_path(&name).is_some() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The verdicts on the documents that came with the schemas.
#[derive(Default)]
struct Documents {
    unusable: usize,
    good: usize,
    good_clean: usize,
    bad: usize,
    bad_found: usize,
    peer_good_clean: usize,
    peer_bad_found: usize,
    peer_failed: usize,
    has_peer: bool,
}

impl Documents {
    fn add(
        &mut self,
        options: &Options,
        judge: &Judge<'_>,
        name: &str,
        good: &[PathBuf],
        bad: &[PathBuf],
    ) -> Result<()> {
        for path in good {
            let is_clean =
                !judge.is_wrong(path, &std::fs::read_to_string(path).unwrap_or_default());
            self.good += 1;
            self.good_clean += usize::from(is_clean);
            if options.show && !is_clean {
                report(&format!("a good document is called wrong: {}", path.display()));
            }
        }
        for path in bad {
            let is_found = judge.is_wrong(path, &std::fs::read_to_string(path).unwrap_or_default());
            self.bad += 1;
            self.bad_found += usize::from(is_found);
            if options.show && !is_found {
                report(&format!("a bad document is not found: {}", path.display()));
            }
        }
        if options.peer {
            self.has_peer = true;
            match peer::wrong_documents(&judge.schema_file(name), &[good, bad].concat())? {
                Some(wrong) => {
                    self.peer_good_clean += good.iter().filter(|it| !wrong.contains(*it)).count();
                    self.peer_bad_found += bad.iter().filter(|it| wrong.contains(*it)).count();
                }
                None => self.peer_failed += good.len() + bad.len(),
            }
        }
        Ok(())
    }

    fn print(&self) {
        report(&format!(
            "good documents: {} of {} clean; bad documents: {} of {} found; {} schemas cannot be used",
            self.good_clean, self.good, self.bad_found, self.bad, self.unusable
        ));
        if self.has_peer {
            report(&format!(
                "check-jsonschema: {} of {} clean; {} of {} found; {} documents under schemas that it cannot use",
                self.peer_good_clean, self.good, self.peer_bad_found, self.bad, self.peer_failed
            ));
        }
    }
}

/// Makes faults in one document, and counts what becomes of each.
fn study(
    options: &Options,
    judge: &Judge<'_>,
    name: &str,
    path: &Path,
    tally: &mut BTreeMap<SeededFault, Counts>,
) -> Result<()> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(()) };
    // Only what is right by both can be made wrong.
    let is_right = !judge.is_wrong(path, &text) && !judge.is_refused(path, &text);
    if !is_right || !judge.is_compared(path, &text) {
        return Ok(());
    }
    for (fault, place, mutant) in mutants(name, path, &text) {
        if !judge.is_refused(path, &mutant) {
            continue;
        }
        let counts = tally.entry(fault).or_default();
        let outcome = judge.outcome(path, &text, &mutant);
        counts.faults += 1;
        counts.detected += usize::from(outcome.is_detected);
        counts.offered += usize::from(outcome.is_offered);
        counts.restored += usize::from(outcome.is_restored);
        counts.unasked += usize::from(outcome.is_changed_unasked);
        counts.allowed += usize::from(outcome.is_changed_allowed);
        counts.comments += outcome.n_comments_lost;
        if options.show
            && (!outcome.is_detected || outcome.is_changed_unasked || outcome.is_changed_allowed)
        {
            let what = match (outcome.is_detected, outcome.is_changed_unasked) {
                (false, _) => "not detected",
                (_, true) => "changed without being asked",
                _ => "changed to something else",
            };
            report(&format!(
                "{what}: {} {} at {place}\n{}",
                fault.name(),
                path.display(),
                outcome.shown
            ));
        }
    }
    Ok(())
}

fn total(tally: &BTreeMap<SeededFault, Counts>) -> Counts {
    tally.values().fold(Counts::default(), |all, it| Counts {
        faults: all.faults + it.faults,
        detected: all.detected + it.detected,
        offered: all.offered + it.offered,
        restored: all.restored + it.restored,
        unasked: all.unasked + it.unasked,
        allowed: all.allowed + it.allowed,
        comments: all.comments + it.comments,
    })
}

fn print(tally: &BTreeMap<SeededFault, Counts>) {
    let head = ["faults", "detected", "offered", "restored", "unasked", "allowed", "comments"];
    let head: String = head.iter().map(|it| format!("{it:>10}")).collect();
    report(&format!("{:<16}{head}", "kind"));
    let line = |name: &str, it: &Counts| {
        let numbers =
            [it.faults, it.detected, it.offered, it.restored, it.unasked, it.allowed, it.comments];
        let numbers: String = numbers.iter().map(|it| format!("{it:>10}")).collect();
        report(&format!("{name:<16}{numbers}"));
    };
    tally.iter().for_each(|(fault, counts)| line(fault.name(), counts));
    line("all", &total(tally));
    report(
        "unasked: changed to something else by a plain fix; allowed: the same with every repair allowed",
    );
}
