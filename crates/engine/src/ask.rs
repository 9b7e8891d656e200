//! Asking one provider: a panic stops at this file, and what the provider says is looked through before anyone relies
//! on it. What is wrong with an answer is put in words; the rest of the answer is kept.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use check::{Check, CheckError, Coverage, Diagnostic, FailureKind, Input, Repair, Report};
use snapshot::{RelPath, Snapshot};

/// A provider with what it says about itself.
pub(crate) struct Provider<'a> {
    pub(crate) name: String,
    pub(crate) phases: Vec<&'static str>,
    check: &'a dyn Check,
}

/// What a provider said about a tree, as far as it makes sense.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// What it said, for itself.
    pub(crate) report: Arc<Report>,
    pub(crate) phases: Vec<&'static str>,
    /// In the total order.
    pub(crate) diagnostics: Vec<Arc<Diagnostic>>,
    /// In the order of their ids.
    pub(crate) repairs: Vec<Arc<Repair>>,
    /// What did not make sense, in words.
    pub(crate) flaws: Vec<String>,
}

impl Look {
    /// Whether two answers say the same.
    pub(crate) fn agrees_with(&self, other: &Look) -> bool {
        self.diagnostics == other.diagnostics
            && self.repairs == other.repairs
            && self.report.blocked == other.report.blocked
            && self.flaws == other.flaws
    }

    /// The place of a phase in the order of phases; an unknown one comes last.
    pub(crate) fn phase_index(&self, phase: &str) -> usize {
        self.phases.iter().position(|it| *it == phase).unwrap_or(self.phases.len())
    }
}

/// The providers in the order of their names, and what is wrong with the others. Two with one name could not be told
/// apart, so neither is asked.
pub(crate) fn by_name<'a>(
    checks: &[&'a dyn Check],
) -> (Vec<Provider<'a>>, Vec<(String, CheckError)>) {
    let unasked = |message: String| CheckError { kind: FailureKind::Unavailable, message };
    let mut providers: BTreeMap<String, Vec<Provider<'a>>> = BTreeMap::new();
    let mut failures = Vec::new();
    for check in checks {
        match caught(|| (check.name().to_owned(), check.phases().to_vec())) {
            Ok((name, phases)) => {
                let provider = Provider { name: name.clone(), phases, check: *check };
                providers.entry(name).or_default().push(provider);
            }
            Err(error) => failures.push((String::from("unknown"), error)),
        }
    }
    let mut unique = Vec::new();
    for (name, mut same) in providers {
        match same.pop() {
            Some(_) if name == crate::OWN_SOURCE => {
                let message = "this name is reserved, so the provider is not asked";
                failures.push((name, unasked(message.to_owned())));
            }
            Some(provider) if same.is_empty() => unique.push(provider),
            _ => {
                let message =
                    format!("{} providers have this name, so none is asked", same.len() + 1);
                failures.push((name, unasked(message)));
            }
        }
    }
    (unique, failures)
}

impl Provider<'_> {
    /// What the provider says of the tree, or why it says nothing.
    pub(crate) fn look(&self, input: &Input<'_>) -> Result<Look, CheckError> {
        let report = caught(|| self.check.check(input))??;
        let mut flaws = Flaws::default();
        let diagnostics = sound_diagnostics(&self.name, &report, input.snapshot, &mut flaws);
        let repairs = sound_repairs(&self.name, &report, &mut flaws);
        let (phases, report) = (self.phases.clone(), Arc::new(report));
        Ok(Look { report, phases, diagnostics, repairs, flaws: flaws.into_words() })
    }

    /// Which files the provider looked at when it said this of the tree.
    pub(crate) fn coverage(
        &self,
        snapshot: &Snapshot,
        report: &Report,
    ) -> Result<Coverage, CheckError> {
        caught(|| self.check.coverage(snapshot, report))
    }
}

fn caught<T>(ask: impl FnOnce() -> T) -> Result<T, CheckError> {
    // What the provider was changing when it panicked is not used again: reports are values.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|payload| CheckError {
        kind: FailureKind::Panicked,
        message: format!("panicked: {}", words(&*payload)),
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
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
    name: &str,
    report: &Report,
    snapshot: &Snapshot,
    flaws: &mut Flaws,
) -> Vec<Arc<Diagnostic>> {
    let mut sorted = report.diagnostics.clone();
    sorted.sort_by(|left, right| left.total_cmp(right));
    let mut ids = HashSet::new();
    let mut last: Option<(String, Option<RelPath>)> = None;
    let mut sound = Vec::with_capacity(sorted.len());
    for diagnostic in sorted {
        let case = || format!("{} in {}", diagnostic.rule_id, diagnostic.file);
        if last.as_ref().is_none_or(|(file, _)| *file != diagnostic.file) {
            let path = RelPath::parse(&diagnostic.file).ok();
            let known = path.filter(|it| snapshot.get(it).is_some() || snapshot.is_directory(it));
            last = Some((diagnostic.file.clone(), known));
        }
        let path = last.as_ref().and_then(|(_, path)| path.as_ref());
        let Some(path) = path else {
            flaws.add("a finding about a file that is not there", case);
            continue;
        };
        if diagnostic.source != name {
            flaws.add("a finding under another provider's name", case);
        } else if diagnostic.diagnostic_id.is_empty() {
            flaws.add("a finding without an id", case);
        } else if !ids.insert(diagnostic.diagnostic_id.clone()) {
            flaws.add("two findings with one id", case);
        } else if is_placed(&diagnostic, path, snapshot) {
            sound.push(diagnostic);
        } else {
            flaws.add("a finding whose place is not in its file", case);
            sound.push(Arc::new(Diagnostic { location: None, ..(*diagnostic).clone() }));
        }
    }
    sound
}

/// Whether the place of a finding, if it has one, lies in the text of its file and cuts no character.
fn is_placed(diagnostic: &Diagnostic, path: &RelPath, snapshot: &Snapshot) -> bool {
    let Some(location) = diagnostic.location else { return true };
    let text = snapshot.file(path).map(|file| file.text.bytes()).unwrap_or_default();
    let is_boundary =
        |offset: u32| offset as usize <= text.len() && !cuts_character(text, offset as usize);
    location.start_byte <= location.end_byte
        && is_boundary(location.start_byte)
        && is_boundary(location.end_byte)
}

/// Whether the place lies inside a character. Bytes that are not UTF-8 are no characters.
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
