//! `edits-memory`: byte edits to texts in memory.
//!
//! The peer is `rustfix`, the engine of `cargo fix`, fed with the same edits. It is used in two ways: one
//! suggestion per edit, which is how `cargo fix` uses it, and one suggestion per file with all the edits in it,
//! which is the cheapest way it offers. rustfix hashes nothing, so it is compared with regreen before anyone has
//! asked for the hash of a result. The limit is a plain copy of the results and their BLAKE3: whoever writes new
//! contents and binds the next edit to them cannot do less. It is compared with regreen including the hash.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use edit::{ContentHash, EditProposal, EditSet, Merged, Text};
use rustfix::{LinePosition, LineRange, Replacement, Snippet, Solution, Suggestion};

use crate::Scale;
use crate::measure::{Clock, best_of};
use crate::random::Random;
use crate::sources::{Source, source, sources};
use crate::table::{Table, count, ratio, size, time};

/// Makes the allocator of glibc keep what is freed.
const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_TRIM_THRESHOLD_", "4000000000"), ("MALLOC_MMAP_THRESHOLD_", "4000000000")];

/// The argument that makes this program the process in which the benchmark runs.
pub(crate) const FLAG: &str = "--edits-memory";

/// Runs the benchmark in a process whose allocator keeps what is freed: otherwise every run pays for getting its
/// memory from the kernel again, which costs more than the work and differs from run to run.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.envs(KEEP_MEMORY).arg(FLAG).args(scale.pick([].as_slice(), ["--quick"].as_slice()));
    let status = command.status()?;
    ensure!(status.success(), "the process for edits-memory ended with {status}");
    Ok(())
}

/// The other side of [`run`]: measures and prints.
pub(crate) fn serve(scale: Scale) -> Result<()> {
    many_files(scale)?;
    one_text(scale)?;
    merge(scale)
}

const EDITS_PER_FILE: usize = 100;

fn many_files(scale: Scale) -> Result<()> {
    let runs = scale.pick(9, 2);
    let mut table = Table::new(&[
        "files x edits",
        "output",
        "regreen",
        "rustfix, 1 per edit",
        "rustfix, 1 per file",
        "1 per edit/regreen",
        "1 per file/regreen",
        "regreen + BLAKE3",
        "copy + BLAKE3",
        "with hash/limit",
    ]);
    let sizes = scale.pick([20, 200, 2_000], [2, 5, 20]);
    for (files, order) in [(sizes[0], ""), (sizes[1], ""), (sizes[2], ""), (sizes[2], ", shuffled")]
    {
        let mut sources = sources(1, files, EDITS_PER_FILE);
        if !order.is_empty() {
            sources = sources.into_iter().map(|it| it.shuffled(5)).collect();
        }
        let FileTimes { output, ours, hashed, per_edit, per_file, limit } =
            time_files(&sources, runs)?;
        table.row(vec![
            format!("{} x {EDITS_PER_FILE}{order}", count(files)),
            size(output as u64),
            time(ours),
            time(per_edit),
            time(per_file),
            ratio(per_edit, ours),
            ratio(per_file, ours),
            time(hashed),
            time(limit),
            ratio(hashed, limit),
        ]);
    }
    table.print(
        "Edits over many texts, processor time on one core (goals: rustfix/regreen at least 3, with hash/limit at \
         most 3):",
    );
    Ok(())
}

/// What one set of files took.
struct FileTimes {
    /// The bytes of all results.
    output: usize,
    ours: Duration,
    /// Ours, and the hashes of the results.
    hashed: Duration,
    /// rustfix with a suggestion for every edit.
    per_edit: Duration,
    /// rustfix with one suggestion for all edits of a file.
    per_file: Duration,
    /// Copy and hash.
    limit: Duration,
}

fn time_files(sources: &[Source], runs: usize) -> Result<FileTimes> {
    let texts: Vec<Text> = sources.iter().map(|it| Text::new(it.text.as_str())).collect();
    let edits = || sources.iter().map(|it| it.edits.clone()).collect::<Vec<_>>();
    let (ours, results) = best_of(Clock::Processor, runs, edits, |edits| {
        texts.iter().zip(edits).map(|(text, edits)| apply(text, edits)).collect::<Result<Vec<_>>>()
    });
    let results: Vec<Text> = results?.into_iter().map(|(_, text)| text).collect();
    let (hashed, hashes) = best_of(Clock::Processor, runs, edits, |edits| {
        let hash = |(text, edits)| apply(text, edits).map(|it| (it.1.hash(), it));
        texts.iter().zip(edits).map(hash).collect::<Result<Vec<_>>>()
    });
    hashes?;
    let singly: Vec<_> = sources.iter().map(suggestion_per_edit).collect();
    let at_once: Vec<_> = sources.iter().map(|it| vec![suggestion_of_all(it)]).collect();
    let rustfix = |suggestions: &[Vec<Suggestion>]| -> Result<Duration> {
        let (elapsed, fixed) =
            best_of(Clock::Processor, runs, || (), |()| fix_all(sources, suggestions));
        let is_same = results.iter().zip(&fixed?).all(|(ours, it)| ours.bytes() == it.as_bytes());
        ensure!(is_same, "regreen and rustfix disagree");
        Ok(elapsed)
    };
    Ok(FileTimes {
        output: results.iter().map(Text::len).sum(),
        ours,
        hashed,
        per_edit: rustfix(&singly)?,
        per_file: rustfix(&at_once)?,
        limit: copy_and_hash(runs, &results),
    })
}

fn one_text(scale: Scale) -> Result<()> {
    let mut table = Table::new(&[
        "edits in one text",
        "output",
        "regreen",
        "growth",
        "copy + BLAKE3",
        "regreen/limit",
        "rustfix, 1 per file",
        "rustfix/regreen",
    ]);
    let mut before: Option<Duration> = None;
    for edits in scale.pick([10_000, 100_000, 1_000_000], [100, 1_000, 10_000]) {
        let runs = scale.pick(5, 2);
        let source = source(2, edits).shuffled(5);
        let text = Text::new(source.text.as_str());
        let (ours, result) = best_of(
            Clock::Processor,
            runs,
            || source.edits.clone(),
            |edits| apply(&text, edits).map(|it| (it.1.hash(), it.1, it.0)),
        );
        let (_, result, _) = result?;
        let limit = copy_and_hash(runs, std::slice::from_ref(&result));
        // Its insertion into a sorted list moves what comes after, so that a million edits would take hours.
        let peer = (edits <= 100_000).then(|| {
            let suggestions = vec![suggestion_of_all(&source)];
            best_of(
                Clock::Processor,
                1,
                || (),
                |()| rustfix::apply_suggestions(&source.text, &suggestions),
            )
            .0
        });
        table.row(vec![
            count(edits),
            size(result.len() as u64),
            time(ours),
            before.map_or("".to_string(), |before| ratio(ours, before)),
            time(limit),
            ratio(ours, limit),
            peer.map_or("not run".to_string(), time),
            peer.map_or("".to_string(), |peer| ratio(peer, ours)),
        ]);
        before = Some(ours);
    }
    table.print("Shuffled edits to one text; growth is for ten times the edits and the text:");
    Ok(())
}

fn merge(scale: Scale) -> Result<()> {
    let mut table = Table::new(&[
        "proposals for one text",
        "accepted",
        "regreen",
        "growth",
        "rustfix, clashes skipped",
        "rustfix/regreen",
    ]);
    let mut before: Option<Duration> = None;
    for proposals in scale.pick([1_000, 10_000, 100_000], [50, 500, 2_000]) {
        let runs = scale.pick(5, 2);
        // Twice as many edits as places: every second proposal meets another one's place.
        let first = source(3, proposals / 2).shuffled(5);
        let second = clashing(&first);
        let text = Text::new(first.text.as_str());
        let sets: Result<Vec<EditSet>, _> = first
            .edits
            .iter()
            .chain(&second)
            .map(|edit| EditSet::new(&text, vec![edit.clone()]))
            .collect();
        let list = |sets: &[EditSet]| -> Vec<EditProposal> {
            let proposal = |(id, edits): (usize, &EditSet)| EditProposal {
                id,
                priority: id as u64,
                edits: edits.clone(),
            };
            sets.iter().enumerate().map(proposal).collect()
        };
        let sets = sets?;
        let (ours, merged): (_, Merged) = best_of(
            Clock::Processor,
            runs,
            || list(&sets),
            |proposals| edit::merge(&text, proposals),
        );
        let suggestions: Vec<_> = first
            .edits
            .iter()
            .chain(&second)
            .map(|edit| suggestion(vec![replacement(edit)]))
            .collect();
        let peer = (proposals <= 10_000).then(|| {
            best_of(
                Clock::Processor,
                1,
                || rustfix::CodeFix::new(&first.text),
                |mut fix| suggestions.iter().filter(|it| fix.apply(it).is_ok()).count(),
            )
            .0
        });
        table.row(vec![
            count(proposals),
            count(merged.accepted.len()),
            time(ours),
            before.map_or("".to_string(), |before| ratio(ours, before)),
            peer.map_or("not run".to_string(), time),
            peer.map_or("".to_string(), |peer| ratio(peer, ours)),
        ]);
        before = Some(ours);
    }
    table.print("Atomic proposals of one edit each, half of them competing for a place:");
    Ok(())
}

/// The set and the text; the set is kept, because a program that applies edits also wants to invert and show them.
fn apply(text: &Text, edits: Vec<edit::Edit>) -> Result<(EditSet, Text)> {
    let edits = EditSet::new(text, edits)?;
    let result = edits.apply(text)?;
    Ok((edits, result))
}

/// Edits at the places of the source's own, each shifted by a byte or two.
fn clashing(source: &Source) -> Vec<edit::Edit> {
    let mut random = Random::new(4);
    let shift = |it: &edit::Edit| {
        edit::Edit::replace(it.start + random.below(2) as u32, it.end + 2, "other")
    };
    source.edits.iter().map(shift).collect()
}

fn copy_and_hash(runs: usize, results: &[Text]) -> Duration {
    let copy = |result: &Text| {
        let copy = result.bytes().to_vec();
        (ContentHash::of(&copy), copy)
    };
    best_of(Clock::Processor, runs, || (), |()| results.iter().map(copy).collect::<Vec<_>>()).0
}

fn fix_all(sources: &[Source], suggestions: &[Vec<Suggestion>]) -> Result<Vec<String>> {
    let fix = |(source, suggestions): (&Source, &Vec<Suggestion>)| {
        Ok(rustfix::apply_suggestions(&source.text, suggestions)?)
    };
    sources.iter().zip(suggestions).map(fix).collect()
}

fn suggestion_per_edit(source: &Source) -> Vec<Suggestion> {
    source.edits.iter().map(|edit| suggestion(vec![replacement(edit)])).collect()
}

fn suggestion_of_all(source: &Source) -> Suggestion {
    suggestion(source.edits.iter().map(replacement).collect())
}

fn suggestion(replacements: Vec<Replacement>) -> Suggestion {
    let message = String::new();
    let solutions = vec![Solution { message: message.clone(), replacements }];
    Suggestion { message, snippets: Vec::new(), solutions }
}

fn replacement(edit: &edit::Edit) -> Replacement {
    let position = LinePosition { line: 1, column: 1 };
    let snippet = Snippet {
        file_name: String::new(),
        line_range: LineRange { start: position, end: position },
        range: edit.start as usize..edit.end as usize,
    };
    Replacement { snippet, replacement: String::from_utf8_lossy(&edit.text).into_owned() }
}
