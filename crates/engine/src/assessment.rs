//! All that is known of one version of a tree: what every provider says, less what does not count here.

use std::any::Any;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use check::{
    Check, Coverage, Diagnostic, FailureKind, Input, Interests, LookError, Reach, Repair, RuleSet,
    Severity, Since, Stop,
};
use snapshot::{RelPath, Snapshot};

use crate::ask::SourceAnswer;
use crate::ignore::{self, Ignores, OWN_SOURCE};
use crate::run::Run;
use crate::sources::{Question, QuestionKind, SourceSlot, caught};

/// A provider that could not do its work, or whose answer did not make sense. Never what is wrong with the tree
/// (AE-48).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProviderFailure {
    /// The provider's plain name.
    pub source: String,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened.
    pub message: String,
}

impl ProviderFailure {
    pub(crate) fn new(source: &str, error: LookError) -> ProviderFailure {
        let LookError { kind, file, message } = error;
        let message = match file {
            Some(file) => format!("{file}: {message}"),
            None => message,
        };
        ProviderFailure { source: source.to_owned(), kind, message }
    }

    /// The same, of one that was asked within this stop. Nobody can be stopped whom nobody stopped.
    pub(crate) fn of(source: &str, error: LookError, stop: &Stop) -> ProviderFailure {
        match error.kind {
            FailureKind::Stopped if !stop.is_set() => {
                garbled(source, "stopped without being asked to".to_owned())
            }
            _ => ProviderFailure::new(source, error),
        }
    }
}

/// All that is known of one version of a tree.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The tree.
    pub snapshot: Snapshot,
    /// What is wrong in it, in the total order, with the severities of this workspace and without what is ignored.
    pub diagnostics: Vec<Arc<Diagnostic>>,
    /// What would repair it, in the order of the findings that the repairs belong to.
    pub repairs: Vec<Arc<Repair>>,
    /// The ids of those findings that were there before and are put up with.
    pub baselined: BTreeSet<String>,
    /// The findings that somebody could have settled who did not answer, by id, with the name of that source.
    pub doubtful: BTreeMap<String, String>,
    /// How many findings are ignored by comments, by file.
    pub ignored: BTreeMap<String, usize>,
    /// Who could not do their work, in order.
    pub failures: Vec<ProviderFailure>,
    /// What the providers said, by their names. One that failed, or was not asked, is missing.
    pub(crate) looks: BTreeMap<String, SourceAnswer>,
    /// Who was not asked.
    pub(crate) unasked: BTreeSet<String>,
    /// Whom the tree itself keeps from working.
    broken: BTreeSet<String>,
    /// What those said of an earlier tree who did not answer about this one, as far as it is about files that are the same.
    earlier: BTreeMap<String, Vec<Arc<Diagnostic>>>,
    /// Who used the id of another's finding: what they find cannot be told apart from one tree to the next.
    pub(crate) thieves: BTreeSet<String>,
    /// The largest number of phases that a provider has.
    pub(crate) n_phases: usize,
    ignores: Ignores,
    /// The files that were asked about, if not all.
    part: Option<Snapshot>,
}

/// Asks every provider about the tree: what is wrong, and what would repair it. With an earlier assessment, made in the
/// same run, they only look at what is different; the answer is the same.
pub fn assess(run: &Run<'_>, snapshot: &Snapshot, before: Option<&Assessment>) -> Assessment {
    let mut assessment = match before {
        None => assess_since(run, snapshot, None, Who::All),
        Some(before) => {
            let changed = snapshot.changed_since(&before.snapshot);
            assess_since(run, snapshot, Some((before, &changed)), Who::All)
        }
    };
    complete(run, &mut assessment);
    assessment
}

/// What of the tree an assessment of the files of [`Run::only`] depends on, as far as this part of it tells.
pub fn reach(run: &Run<'_>, snapshot: &Snapshot) -> Reach {
    let input = run.input(snapshot, None);
    let mut reach = Reach::Files(BTreeSet::new());
    for source in run.sources.iter() {
        if reach == Reach::Tree {
            break;
        }
        reach = reach.and(source.reach(&input));
    }
    reach
}

/// Who is asked about a tree.
#[derive(Clone, Copy)]
pub(crate) enum Who<'a> {
    All,
    /// The functions in this process, and of the others only these.
    FunctionsAnd(&'a BTreeSet<String>),
}

impl Who<'_> {
    fn includes(self, name: &str) -> bool {
        match self {
            Who::All => true,
            Who::FunctionsAnd(names) => names.contains(name),
        }
    }
}

/// What is wrong in the tree, when it is known what changed since the earlier assessment. Nobody is asked for repairs.
pub(crate) fn assess_since(
    run: &Run<'_>,
    snapshot: &Snapshot,
    before: Option<(&Assessment, &BTreeSet<RelPath>)>,
    who: Who<'_>,
) -> Assessment {
    let mut failures = run.sources.unusable().to_vec();
    let mut looks = BTreeMap::new();
    let (mut unasked, mut broken) = (BTreeSet::new(), BTreeSet::new());
    let mut questions: Vec<(&SourceSlot<'_>, Question)> = Vec::new();
    let mut shared: Option<Arc<BTreeSet<RelPath>>> = None;
    // Nobody who is asked can stop the others.
    let stop = run.stop.part();
    for source in run.sources.iter() {
        let name = &source.card.name;
        let known = before.and_then(|(before, changed)| Some((before.looks.get(name)?, changed)));
        if let Some(function) = source.function(run.sources) {
            let since = known.map(|(look, changed)| Since { report: &look.report, changed });
            let input = Input { stop: &stop, ..run.input(snapshot, since) };
            match function.and_then(|it| look(source, it, &input)) {
                Ok(look) => drop(looks.insert(name.clone(), look)),
                Err(error) => {
                    // A function panics because of what it was given.
                    if error.kind.is_evidence() || error.kind == FailureKind::Panicked {
                        broken.insert(name.clone());
                    }
                    failures.push(ProviderFailure::of(name, error, run.stop));
                }
            }
            continue;
        }
        let interest = &source.card.interest;
        if let Some((look, changed)) = known
            && !changed.iter().any(|it| interest.is_touched_by(it))
        {
            looks.insert(name.clone(), look.clone());
        } else if who.includes(name) {
            let since = known.map(|(look, changed)| {
                let changed = shared.get_or_insert_with(|| Arc::new(changed.clone()));
                (Arc::clone(&look.report), Arc::clone(changed))
            });
            let (snapshot, parses) = (snapshot.clone(), Arc::clone(run.parses));
            let asked = QuestionKind::Findings;
            let only = run.only.map(|it| Arc::new(it.clone()));
            questions.push((source, Question { snapshot, since, parses, asked, only }));
        } else {
            unasked.insert(name.clone());
        }
    }
    hear(run, snapshot, questions, &mut looks, &mut failures);
    let interests: Interests<'_> = run.sources.iter().map(|it| &it.card.interest).collect();
    let is_read = |path: &RelPath| interests.cover(path.as_str());
    let part = run.only.map(|it| snapshot.part(it));
    let ignored_before = before.map(|(it, changed)| (&it.ignores, changed));
    let part = part.as_ref().unwrap_or(snapshot);
    let ignores = ignore::update(run.parses, part, ignored_before, &is_read);
    let earlier = before.map(|(it, _)| it.said_earlier(snapshot, &looks, &unasked));
    let (snapshot, earlier) = (snapshot.clone(), earlier.unwrap_or_default());
    assemble(run, Parts { snapshot, looks, unasked, broken, failures, ignores, earlier })
}

/// Puts a tree of which not everybody was asked to the rest of them. `before` is the tree that they know.
pub(crate) fn assess_rest(
    run: &Run<'_>,
    partly: &Assessment,
    before: &Assessment,
    changed: &BTreeSet<RelPath>,
) -> Assessment {
    let snapshot = &partly.snapshot;
    let changed = Arc::new(changed.clone());
    let question = |name: &String| {
        let known = before.looks.get(name);
        let since = known.map(|it| (Arc::clone(&it.report), Arc::clone(&changed)));
        let (snapshot, parses) = (snapshot.clone(), Arc::clone(run.parses));
        let asked = QuestionKind::Findings;
        let question = Question { snapshot, since, parses, asked, only: None };
        Some((run.sources.get(name)?, question))
    };
    let questions = partly.unasked.iter().filter_map(question).collect();
    let (mut looks, mut failures) = (partly.looks.clone(), partly.failures.clone());
    hear(run, snapshot, questions, &mut looks, &mut failures);
    let (unasked, broken) = (BTreeSet::new(), partly.broken.clone());
    let earlier = before.said_earlier(snapshot, &looks, &unasked);
    let (snapshot, ignores) = (snapshot.clone(), partly.ignores.clone());
    assemble(run, Parts { snapshot, looks, unasked, broken, failures, ignores, earlier })
}

/// Asks those that run elsewhere, and takes down what they say.
fn hear(
    run: &Run<'_>,
    snapshot: &Snapshot,
    questions: Vec<(&SourceSlot<'_>, Question)>,
    looks: &mut BTreeMap<String, SourceAnswer>,
    failures: &mut Vec<ProviderFailure>,
) {
    for (name, answer) in run.sources.ask(questions, run.stop) {
        match (answer, run.sources.get(&name)) {
            (Ok(report), Some(source)) => {
                let look = SourceAnswer::new(&source.card, report, snapshot);
                looks.insert(name, look);
            }
            (Ok(_), None) => {}
            (Err(error), _) => failures.push(ProviderFailure::of(&name, error, run.stop)),
        }
    }
}

/// What an assessment is made of.
struct Parts {
    snapshot: Snapshot,
    looks: BTreeMap<String, SourceAnswer>,
    unasked: BTreeSet<String>,
    broken: BTreeSet<String>,
    failures: Vec<ProviderFailure>,
    ignores: Ignores,
    earlier: BTreeMap<String, Vec<Arc<Diagnostic>>>,
}

fn assemble(run: &Run<'_>, parts: Parts) -> Assessment {
    let Parts { snapshot, looks, unasked, mut broken, mut failures, ignores, earlier } = parts;
    let by_tree = failures.iter().filter(|it| it.kind.is_evidence());
    broken.extend(by_tree.map(|it| it.source.clone()));
    let mut doubtful = BTreeMap::new();
    for (name, look) in &looks {
        failures.extend(look.flaws.iter().map(|it| garbled(name, it.clone())));
        // Whom it asked in turn is its own affair; for the sources of the run, and about their findings, only they speak.
        let is_own = |it: &str| it == OWN_SOURCE || run.sources.get(it).is_some();
        let (others, unheard): (Vec<_>, Vec<_>) =
            look.report.unheard.iter().partition(|it| is_own(it.0) || !is_plain(it.0));
        if let Some((other, _)) = others.first() {
            failures
                .push(garbled(name, format!("answers for {other:?}, which is another provider")));
        }
        failures.extend(unheard.iter().map(|it| ProviderFailure::of(it.0, it.1.clone(), run.stop)));
        let names = unheard.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { name.clone() } else { names };
        let found = look.diagnostics.iter().map(|it| &it.diagnostic_id);
        let found: Vec<_> = found.filter(|it| look.report.doubtful.contains(*it)).collect();
        if found.len() < look.report.doubtful.len() && !look.is_flood {
            failures.push(garbled(name, "doubts findings of another provider".to_owned()));
        }
        doubtful.extend(found.into_iter().map(|it| (it.clone(), names.clone())));
    }
    let all_asked = looks.len() == run.sources.n_all();
    let part = run.only.map(|it| snapshot.part(it));
    let mut assessment = Assessment {
        snapshot,
        diagnostics: Vec::new(),
        repairs: Vec::new(),
        baselined: BTreeSet::new(),
        doubtful,
        ignored: BTreeMap::new(),
        failures,
        looks,
        unasked,
        broken,
        earlier,
        thieves: BTreeSet::new(),
        n_phases: run.sources.n_phases(),
        ignores,
        part,
    };
    sift(run, &mut assessment, all_asked);
    assessment.failures.sort();
    assessment.failures.dedup();
    assessment
}

fn look(
    source: &SourceSlot<'_>,
    check: &dyn Check,
    input: &Input<'_>,
) -> Result<SourceAnswer, LookError> {
    let report = caught(|| check.check(input))??;
    Ok(SourceAnswer::new(&source.card, report, input.snapshot))
}

/// Asks everybody who said something about the tree for repairs, once.
pub(crate) fn complete(run: &Run<'_>, assessment: &mut Assessment) {
    let Assessment { snapshot, looks, failures, .. } = assessment;
    let stop = run.stop.part();
    let input = Input { stop: &stop, ..run.input(snapshot, None) };
    let mut questions: Vec<(&SourceSlot<'_>, Question)> = Vec::new();
    for (name, look) in looks.iter_mut().filter(|it| it.1.repairs.is_none()) {
        let Some(source) = run.sources.get(name) else { continue };
        let Some(function) = source.function(run.sources) else {
            let found = assessment.diagnostics.iter().filter(|it| it.source == *name);
            let of: BTreeSet<String> = found.map(|it| it.diagnostic_id.clone()).collect();
            if of.is_empty() || look.is_flood {
                look.repairs = Some(Vec::new());
                continue;
            }
            let asked = QuestionKind::Repairs(Arc::clone(&look.report), of);
            let (snapshot, parses) = (snapshot.clone(), Arc::clone(run.parses));
            let question = Question { snapshot, since: None, parses, asked, only: None };
            questions.push((source, question));
            continue;
        };
        let mut report = (*look.report).clone();
        match function.and_then(|it| caught(|| it.repairs(&input, &mut report))?) {
            Ok(()) => *look = look.clone().with_repairs(name, report),
            Err(error) => {
                look.repairs = Some(Vec::new());
                failures.push(ProviderFailure::of(name, error, run.stop));
            }
        }
    }
    for (name, answer) in run.sources.ask(questions, run.stop) {
        let Some(look) = looks.get_mut(&name) else { continue };
        match answer {
            Ok(report) => *look = look.clone().with_repairs(&name, report),
            Err(error) => {
                look.repairs = Some(Vec::new());
                failures.push(ProviderFailure::of(&name, error, run.stop));
            }
        }
    }
    for (name, look) in looks.iter() {
        failures.extend(look.flaws.iter().map(|it| garbled(name, it.clone())));
    }
    attach_repairs(assessment);
    assessment.failures.sort();
    assessment.failures.dedup();
}

/// An answer that did not make sense.
pub(crate) fn garbled(source: &str, message: String) -> ProviderFailure {
    ProviderFailure { source: source.to_owned(), kind: FailureKind::Garbled, message }
}

/// Takes over what counts of all that the providers found.
fn sift(run: &Run<'_>, assessment: &mut Assessment, all_asked: bool) {
    // An id stands for one finding in the whole run.
    let ids = assessment.looks.iter().map(|(source, look)| {
        (source.as_str(), look.diagnostics.iter().map(|it| it.diagnostic_id.as_str()))
    });
    let stolen = stolen(ids, &|source, id| {
        assessment.looks.get(source).is_some_and(|it| it.has_made_finding_id(id))
    });
    let mut said = Vec::new();
    for (source, look) in &assessment.looks {
        for diagnostic in &look.diagnostics {
            if stolen.contains(&(source.as_str(), diagnostic.diagnostic_id.as_str())) {
                let message = format!(
                    "{} is the id of a finding of another provider",
                    diagnostic.diagnostic_id
                );
                assessment.failures.push(garbled(source, message));
                assessment.thieves.insert(source.clone());
            } else {
                said.push(diagnostic);
            }
        }
    }
    // What somebody knew of a file is not forgotten because he is silent now.
    let ids: HashSet<&str> = said.iter().map(|it| it.diagnostic_id.as_str()).collect();
    let earlier = assessment.earlier.values().flatten();
    let earlier: Vec<_> = earlier.filter(|it| !ids.contains(it.diagnostic_id.as_str())).collect();
    said.extend(earlier);
    let leveled = said.into_iter().filter_map(|diagnostic| {
        let severity = run.sieve.severity(diagnostic)?;
        Some(with_severity(diagnostic, severity))
    });
    let is_whole = |path: &RelPath, source: Option<&str>| {
        let is_blocked = |look: &SourceAnswer| look.report.blocked.contains_key(path);
        match source {
            Some(OWN_SOURCE) => true,
            Some(source) => assessment.looks.get(source).is_some_and(|it| !is_blocked(it)),
            None => all_asked && !assessment.looks.values().any(is_blocked),
        }
    };
    // Who cannot be asked has rules all the same.
    let mut sources: BTreeMap<&str, bool> =
        run.sources.unusable().iter().map(|it| (it.source.as_str(), false)).collect();
    let is_open = |it: &SourceSlot<'_>| it.card.rules == RuleSet::Open;
    sources.extend(run.sources.iter().map(|it| (it.card.name.as_str(), is_open(it))));
    let sifted = ignore::sift(&assessment.ignores, leveled.collect(), &sources, &is_whole);
    let own = sifted.own.into_iter().filter_map(|mut diagnostic| {
        diagnostic.severity = run.sieve.severity(&diagnostic)?;
        Some(Arc::new(diagnostic))
    });
    let mut diagnostics: Vec<Arc<Diagnostic>> = sifted.kept.into_iter().chain(own).collect();
    diagnostics.sort_by(|left, right| left.total_cmp(right));
    let is_baselined = |it: &&Arc<Diagnostic>| run.sieve.baseline.contains(&it.diagnostic_id);
    assessment.baselined =
        diagnostics.iter().filter(is_baselined).map(|it| it.diagnostic_id.clone()).collect();
    assessment.ignored = sifted.ignored;
    assessment.diagnostics = diagnostics;
}

/// Of the ids that several sources use, the uses by those who have no right to them. Ids are made from what they stand
/// for, the source among it (`check::assign_ids`): whoever made it so has the right, and else the first.
fn stolen<'a, I: Iterator<Item = &'a str>>(
    ids: impl Iterator<Item = (&'a str, I)>,
    has_made: &dyn Fn(&str, &str) -> bool,
) -> HashSet<(&'a str, &'a str)> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut shared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (source, ids) in ids {
        for id in ids {
            match first.entry(id) {
                Entry::Vacant(place) => drop(place.insert(source)),
                Entry::Occupied(place) => {
                    shared.entry(id).or_insert_with(|| vec![*place.get()]).push(source);
                }
            }
        }
    }
    let mut stolen = HashSet::new();
    for (id, users) in shared {
        let owner = users.iter().position(|it| has_made(it, id)).unwrap_or(0);
        let others = users.iter().enumerate().filter(|it| it.0 != owner);
        stolen.extend(others.map(|(_, source)| (*source, id)));
    }
    stolen
}

/// Whether a name can be shown and written.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(|it: char| it.is_control() || it.is_whitespace() || it == '/')
}

/// Takes over the repairs of what counts.
fn attach_repairs(assessment: &mut Assessment) {
    let mut repairs = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    let ids = assessment.looks.iter().map(|(source, look)| {
        (source.as_str(), look.repairs.iter().flatten().map(|it| it.id.as_str()))
    });
    let stolen = stolen(ids, &|source, id| {
        let look = assessment.looks.get(source);
        look.is_some_and(|it| it.has_made_repair_id(id, &assessment.snapshot))
    });
    for (source, look) in &assessment.looks {
        known.extend(look.diagnostics.iter().map(|it| it.diagnostic_id.as_str()));
        for repair in look.repairs.iter().flatten() {
            if stolen.contains(&(source.as_str(), repair.id.as_str())) {
                let message = format!("{} is the id of a repair of another provider", repair.id);
                assessment.failures.push(garbled(source, message));
            } else {
                repairs.push(repair);
            }
        }
    }
    let repairs = attach(&mut assessment.diagnostics, &repairs, &known);
    assessment.repairs = repairs;
}

fn with_severity(diagnostic: &Arc<Diagnostic>, severity: Severity) -> Arc<Diagnostic> {
    if diagnostic.severity == severity {
        return Arc::clone(diagnostic);
    }
    Arc::new(Diagnostic { severity, ..(**diagnostic).clone() })
}

/// The repairs of the findings that are left, and the references from those to the repairs. What a repair resolves of
/// the `known` findings that do not count is no longer part of its claim; ids that nobody knows stay in it, because a
/// claim about nothing is for the plan to refuse.
fn attach(
    diagnostics: &mut [Arc<Diagnostic>],
    repairs: &[&Arc<Repair>],
    known: &HashSet<&str>,
) -> Vec<Arc<Repair>> {
    let at: HashMap<&str, usize> =
        diagnostics.iter().enumerate().map(|(idx, it)| (it.diagnostic_id.as_str(), idx)).collect();
    let mut placed: Vec<(usize, Arc<Repair>)> = Vec::with_capacity(repairs.len());
    for repair in repairs {
        let counts = |id: &&String| at.contains_key(id.as_str()) || !known.contains(id.as_str());
        let resolves: Vec<String> = repair.resolves.iter().filter(counts).cloned().collect();
        if resolves.is_empty() && !repair.resolves.is_empty() {
            continue;
        }
        let owner = resolves.iter().find_map(|id| at.get(id.as_str()).copied());
        let severity = owner.map_or(repair.severity, |idx| diagnostics[idx].severity);
        let is_same = severity == repair.severity && resolves.len() == repair.resolves.len();
        let repair = match is_same {
            true => Arc::clone(repair),
            false => Arc::new(Repair { severity, resolves, ..(***repair).clone() }),
        };
        placed.push((owner.unwrap_or(usize::MAX), repair));
    }
    placed.sort_by(|left, right| (left.0, &left.1.id).cmp(&(right.0, &right.1.id)));
    let mut refs: Vec<Vec<String>> = vec![Vec::new(); diagnostics.len()];
    for (_, repair) in &placed {
        let resolved: BTreeSet<usize> =
            repair.resolves.iter().filter_map(|id| at.get(id.as_str()).copied()).collect();
        resolved.into_iter().for_each(|idx| refs[idx].push(repair.id.clone()));
    }
    drop(at);
    for (diagnostic, refs) in diagnostics.iter_mut().zip(refs) {
        if diagnostic.repair_refs != refs {
            Arc::make_mut(diagnostic).repair_refs = refs;
        }
    }
    placed.into_iter().map(|(_, repair)| repair).collect()
}

impl Assessment {
    /// What the provider with this name made of the tree besides findings, by its own type: who needs it as well does not
    /// make it again. `None` if it made nothing of the kind.
    pub fn product<T: Any>(&self, source: &str) -> Option<&T> {
        self.looks.get(source)?.report.memory.as_ref()?.downcast_ref()
    }

    /// What is still to be said of another tree by those who were asked about it and did not answer.
    fn said_earlier(
        &self,
        snapshot: &Snapshot,
        looks: &BTreeMap<String, SourceAnswer>,
        unasked: &BTreeSet<String>,
    ) -> BTreeMap<String, Vec<Arc<Diagnostic>>> {
        let is_silent = |it: &&String| !looks.contains_key(*it) && !unasked.contains(*it);
        let is_same = |it: &&Arc<Diagnostic>| {
            let path = RelPath::parse(&it.file);
            path.is_ok_and(|it| snapshot.get(&it) == self.snapshot.get(&it))
        };
        let said = self.looks.iter().map(|(name, look)| (name, &look.diagnostics));
        let said = said.chain(&self.earlier).filter(|(name, _)| is_silent(name));
        let kept = said.map(|(name, found)| {
            (name.clone(), found.iter().filter(is_same).cloned().collect::<Vec<_>>())
        });
        kept.collect()
    }

    /// The providers of the tree before whose word on this one is missing: they were not asked, or did not answer, and the
    /// reason says nothing about the tree.
    pub(crate) fn unheard<'a>(&'a self, before: &'a Assessment) -> BTreeSet<&'a str> {
        let is_missing = |it: &&String| !self.looks.contains_key(*it) && !self.is_broken(it);
        before.looks.keys().filter(is_missing).map(String::as_str).collect()
    }

    /// Whether the tree itself keeps the provider from working.
    pub(crate) fn is_broken(&self, source: &str) -> bool {
        self.broken.contains(source)
    }

    /// Why the provider did not answer.
    pub(crate) fn silence(&self, source: &str) -> Option<&ProviderFailure> {
        self.failures.iter().find(|it| it.source == source)
    }

    /// Whether somebody stopped because the answer is not wanted any more. One that stops by itself has only failed.
    pub(crate) fn is_cut_short(&self, stop: &Stop) -> bool {
        stop.is_set() && self.failures.iter().any(|it| it.kind == FailureKind::Stopped)
    }

    /// The place of a finding's phase in the order of phases, the same for all assessments of a run. What the engine
    /// itself says about comments comes after all.
    pub(crate) fn phase_index(&self, diagnostic: &Diagnostic) -> usize {
        let look = self.looks.get(&diagnostic.source);
        let index = look.map_or(self.n_phases + 1, |it| it.phase_index(&diagnostic.phase));
        if diagnostic.source == OWN_SOURCE { self.n_phases + 1 } else { index.min(self.n_phases) }
    }

    /// Whether the finding could not have been found in this tree, because its phase did not run in its file, or in
    /// another one that it has to do with.
    pub(crate) fn hides(&self, diagnostic: &Diagnostic) -> bool {
        let Some(look) = self.looks.get(&diagnostic.source) else { return true };
        let related = diagnostic.related.iter().map(|it| it.file.as_str());
        std::iter::once(diagnostic.file.as_str()).chain(related).any(|file| {
            look.report.blocked.get(file).is_some_and(|first| {
                look.has_phase(first)
                    && look.phase_index(&diagnostic.phase) >= look.phase_index(first)
            })
        })
    }

    /// Which files were looked at, by the providers with these names, in the run that made this. One that cannot even
    /// say that has failed.
    pub fn coverage(
        &self,
        run: &Run<'_>,
        wants: &dyn Fn(&str) -> bool,
    ) -> (Coverage, Vec<ProviderFailure>) {
        let (mut coverage, mut failures) = (Coverage::default(), Vec::new());
        for (name, look) in self.looks.iter().filter(|it| wants(it.0)) {
            let Some(source) = run.sources.get(name) else { continue };
            match source.coverage(self.part.as_ref().unwrap_or(&self.snapshot), &look.report) {
                Ok(it) => coverage.merge(it),
                Err(error) => failures.push(ProviderFailure::new(name, error)),
            }
        }
        (coverage, failures)
    }

    /// How many findings are ignored by comments in the files that count.
    pub fn n_ignored(&self, counts: &dyn Fn(&str) -> bool) -> usize {
        self.ignored.iter().filter(|it| counts(it.0)).map(|it| it.1).sum()
    }

    /// How many findings have this severity and are not put up with.
    pub fn n_of(&self, severity: Severity) -> usize {
        let counts = |it: &&Arc<Diagnostic>| {
            it.severity == severity && !self.baselined.contains(&it.diagnostic_id)
        };
        self.diagnostics.iter().filter(counts).count()
    }
}
