//! What a source said, looked through before anyone relies on it. What is wrong with an answer is put in words; the
//! rest of the answer is kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use check::{Card, Cost, Diagnostic, Location, Repair, Report};
use edit::LineIndex;
use snapshot::{RelPath, Snapshot};

use crate::assessment::is_plain;

/// How many findings of one source are taken. Nobody reads more, and nobody should pay for more.
const MAX_FINDINGS: usize = 200_000;

/// How many repairs of one source are taken.
const MAX_REPAIRS: usize = 100_000;

/// What a source said about a tree, as far as it makes sense.
#[derive(Clone, Debug)]
pub(crate) struct SourceAnswer {
    /// What it said, for itself.
    pub(crate) report: Arc<Report>,
    phases: Arc<[String]>,
    /// In the total order.
    pub(crate) diagnostics: Vec<Arc<Diagnostic>>,
    /// In the order of their ids; `None` if it was not asked for them.
    pub(crate) repairs: Option<Vec<Arc<Repair>>>,
    /// What did not make sense, in words.
    pub(crate) flaws: Vec<String>,
    /// Whether it said more than is taken: what is missing cannot be compared.
    pub(crate) is_flood: bool,
}

impl SourceAnswer {
    /// Looks through the findings of a report.
    pub(crate) fn new(card: &Card, report: Report, snapshot: &Snapshot) -> SourceAnswer {
        let mut flaws = Flaws::default();
        let mut diagnostics = sound_diagnostics(card, &report, snapshot, &mut flaws);
        let is_flood = diagnostics.len() > MAX_FINDINGS;
        let mut flaws = flaws.into_words();
        if is_flood {
            let n = diagnostics.len();
            flaws.push(format!("{n} findings, of which the first {MAX_FINDINGS} are taken"));
            diagnostics.truncate(MAX_FINDINGS);
        }
        let phases = card.phases.as_slice().into();
        SourceAnswer {
            report: Arc::new(report),
            phases,
            diagnostics,
            repairs: None,
            flaws,
            is_flood,
        }
    }

    /// The same with the repairs of a later report about the same tree.
    pub(crate) fn with_repairs(mut self, source: &str, report: Report) -> SourceAnswer {
        let mut flaws = Flaws::default();
        let mut repairs = sound_repairs(source, &report, &mut flaws);
        self.flaws.extend(flaws.into_words());
        if repairs.len() > MAX_REPAIRS {
            let n = repairs.len();
            self.flaws.push(format!("{n} repairs, of which the first {MAX_REPAIRS} are taken"));
            repairs.truncate(MAX_REPAIRS);
        }
        self.repairs = Some(repairs);
        self.report = Arc::new(report);
        self
    }

    /// Whether two answers say the same.
    pub(crate) fn agrees_with(&self, other: &SourceAnswer) -> bool {
        self.finds_as(other) && self.repairs == other.repairs && self.flaws == other.flaws
    }

    /// Whether two answers find the same.
    pub(crate) fn finds_as(&self, other: &SourceAnswer) -> bool {
        self.diagnostics == other.diagnostics && self.report.blocked == other.report.blocked
    }

    /// Whether this is the id of one of its findings, made as ids are made.
    pub(crate) fn has_made_finding_id(&self, id: &str) -> bool {
        let mut made: Vec<Diagnostic> =
            self.report.diagnostics.iter().map(|it| (**it).clone()).collect();
        check::assign_ids(&mut made);
        made.iter().any(|it| it.diagnostic_id == id)
    }

    /// Whether this is the id of one of its repairs, made as ids are made.
    pub(crate) fn has_made_repair_id(&self, id: &str, snapshot: &Snapshot) -> bool {
        let mut made: Vec<Repair> = self.report.repairs.iter().map(|it| (**it).clone()).collect();
        check::assign_repair_ids(&mut made, snapshot);
        made.iter().any(|it| it.id == id)
    }

    /// Whether the source has a phase with this name.
    pub(crate) fn has_phase(&self, phase: &str) -> bool {
        self.phases.iter().any(|it| it == phase)
    }

    /// The place of a phase in the order of phases; an unknown one comes last.
    pub(crate) fn phase_index(&self, phase: &str) -> usize {
        self.phases.iter().position(|it| it == phase).unwrap_or(self.phases.len())
    }
}

/// What is wrong with an answer: each kind once, with its number and its first case.
#[derive(Default)]
struct Flaws {
    cases: BTreeMap<&'static str, (usize, String)>,
}

impl Flaws {
    fn add(&mut self, what: &'static str, case: impl FnOnce() -> String) {
        self.cases.entry(what).or_insert_with(|| (0, case())).0 += 1;
    }

    fn into_words(self) -> Vec<String> {
        let in_words = |(what, (n, first)): (&str, (usize, String))| match n {
            1 => format!("{what}: {first}"),
            _ => format!("{what}: {first}, and {} more", n - 1),
        };
        self.cases.into_iter().map(in_words).collect()
    }
}

fn sound_diagnostics(
    card: &Card,
    report: &Report,
    snapshot: &Snapshot,
    flaws: &mut Flaws,
) -> Vec<Arc<Diagnostic>> {
    let mut sorted = report.diagnostics.clone();
    sorted.sort_by(|left, right| left.total_cmp(right));
    let mut ids = HashSet::new();
    let mut last: Option<(String, Option<RelPath>)> = None;
    let mut lines: Option<(RelPath, LineIndex)> = None;
    let mut sound = Vec::with_capacity(sorted.len());
    for mut diagnostic in sorted {
        let case = || format!("{} in {}", diagnostic.rule_id, diagnostic.file);
        if last.as_ref().is_none_or(|(file, _)| *file != diagnostic.file) {
            let path = RelPath::parse(&diagnostic.file).ok();
            let known = path.filter(|it| snapshot.get(it).is_some() || snapshot.is_directory(it));
            last = Some((diagnostic.file.clone(), known));
        }
        let path = last.as_ref().and_then(|(_, path)| path.as_ref());
        let Some(path) = path else {
            flaws.add("a finding about a file that does not exist", case);
            continue;
        };
        if !card.rules.allows(&diagnostic.rule_id) && diagnostic.source == card.name {
            // What it found is worth knowing all the same.
            flaws.add("a finding of a rule that it does not have", case);
        }
        if !card.phases.is_empty() && !card.phases.contains(&diagnostic.phase) {
            flaws.add("a finding of a phase that it does not have", case);
        }
        if diagnostic.source != card.name {
            flaws.add("a finding under another provider's name", case);
        } else if diagnostic.diagnostic_id.is_empty() {
            flaws.add("a finding without an id", case);
        } else if !is_plain(&diagnostic.diagnostic_id) {
            flaws.add("a finding with an id that cannot be written", || diagnostic.file.clone());
        } else if !ids.insert(diagnostic.diagnostic_id.clone()) {
            flaws.add("two findings with one id", case);
        } else if is_placed(&diagnostic, path, snapshot) {
            // Functions of this process count lines by the same index.
            if card.cost != Cost::InProcess
                && let Some(location) = counted(&diagnostic, path, snapshot, &mut lines)
            {
                flaws.add("a finding whose line and column are not those of its bytes", case);
                diagnostic = Arc::new(Diagnostic { location, ..(*diagnostic).clone() });
            }
            sound.push(diagnostic);
        } else {
            flaws.add("a finding whose span is outside its file", case);
            sound.push(Arc::new(Diagnostic { location: None, ..(*diagnostic).clone() }));
        }
    }
    sound
}

/// Whether the place of a finding, if it has one, lies in the text of its file and cuts no character.
fn is_placed(diagnostic: &Diagnostic, path: &RelPath, snapshot: &Snapshot) -> bool {
    let Some(location) = diagnostic.location else { return true };
    let text = snapshot.file(path).map(|file| file.text()).unwrap_or_default();
    let text = text.bytes();
    let is_boundary =
        |offset: u32| offset as usize <= text.len() && !cuts_character(text, offset as usize);
    location.start_byte <= location.end_byte
        && is_boundary(location.start_byte)
        && is_boundary(location.end_byte)
}

/// The location by the bytes of the text, where the lines and columns of the finding are others. The index is that of the
/// last file that was asked about.
fn counted(
    diagnostic: &Diagnostic,
    path: &RelPath,
    snapshot: &Snapshot,
    lines: &mut Option<(RelPath, LineIndex)>,
) -> Option<Option<Location>> {
    let said = diagnostic.location?;
    if lines.as_ref().is_none_or(|it| it.0 != *path) {
        let text = snapshot.file(path).map(|file| file.text()).unwrap_or_default();
        *lines = Some((path.clone(), LineIndex::new(text.bytes())));
    }
    let index = &lines.as_ref()?.1;
    let counted = Location::new(index, said.start_byte..said.end_byte);
    (counted != Some(said)).then_some(counted)
}

/// Whether the place lies inside a character. Bytes that are not UTF-8 are not characters.
fn cuts_character(text: &[u8], offset: usize) -> bool {
    let starts = (1..=3).filter_map(|it| offset.checked_sub(it));
    starts.into_iter().any(|start| {
        let ends = (offset + 1)..=(start + 4).min(text.len());
        ends.into_iter().any(|end| {
            let character = std::str::from_utf8(&text[start..end]);
            character.is_ok_and(|it| it.chars().count() == 1)
        })
    })
}

fn sound_repairs(name: &str, report: &Report, flaws: &mut Flaws) -> Vec<Arc<Repair>> {
    let mut sorted = report.repairs.clone();
    // Equal ids are put next to each other; which of them comes first does not matter, as none of them is kept.
    sorted.sort_by(|left, right| (&left.id, &left.title).cmp(&(&right.id, &right.title)));
    sorted.dedup_by(|left, right| left == right);
    let mut twice = BTreeSet::new();
    for pair in sorted.windows(2) {
        if pair[0].id == pair[1].id && twice.insert(pair[0].id.clone()) {
            flaws.add("different repairs with one id", || pair[0].id.clone());
        }
    }
    let mut sound = Vec::with_capacity(sorted.len());
    for repair in sorted {
        let case = || format!("{} ({})", repair.id, repair.rule_id);
        if repair.source != name {
            flaws.add("a repair under another provider's name", case);
        } else if repair.id.is_empty() {
            flaws.add("a repair without an id", || repair.rule_id.clone());
        } else if !twice.contains(&repair.id) {
            sound.push(repair);
        }
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_may_lie_between_characters_and_anywhere_in_what_is_no_text() {
        let text = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=text.len()).filter(|it| cuts_character(text, *it)).collect();
        assert_eq!(cuts, [2, 4, 5, 7, 8, 9]);
        let broken = b"\x85\xe2\x82x";
        assert!((0..=broken.len()).all(|it| !cuts_character(broken, it)));
    }
}
