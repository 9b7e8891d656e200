//! A pack as a provider of findings.
//!
//! First every file of a kind is looked at alone, in parallel: parse, schema, rules about one file, and the occurrences that
//! other rules compare. Then the rules about the tree compare occurrences. A file that did not change is not looked at again;
//! a rule is asked again only if occurrences changed that it or a rule about the same places uses; and what it says is placed
//! in the text again only where a file that it names has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{
    Cache, Card, Check, Cost, Coverage, Diagnostic, FailureKind, Input, Interest, LookError, Page,
    Parses, Reach, Repair, Report, RuleSet, Since, Tier, Trust, Unchecked, assign_ids,
};
use document::{Document, Format, Pointer, Value};
use rayon::prelude::*;
use snapshot::{Entry, File, RelPath, Snapshot, UnreadReason};

use crate::cache;
use crate::deep_stack::on_a_deep_stack;
use crate::finding::{MemberPart, RuleFinding, SchemaViolation};
use crate::legible::legible;
use crate::pack::{MergeKeys, Pack};
use crate::report::rules::RuleReporter;
use crate::report::{ReportContext, finding, into_findings, not_whole, unreadable};
use crate::rules::{FileView, PackRule, RuleBody};
use crate::schema::{self, CompiledSchema};
use crate::syntax::without_syntax;
use crate::tree::{FileAnalysis, OccurrenceList, PackTree};

/// The order in which a file is looked at.
const PHASES: [&str; 4] = ["parse", "schema", "semantic", "policy"];

/// How many files one thread takes at once: enough to be worth a stack of its own.
const FILES_AT_ONCE: usize = 32;

/// Finds what breaks the rules of one pack.
pub struct PackCheck {
    card: Card,
    pack: Arc<Pack>,
    cache: Option<Arc<dyn Cache>>,
    leaves_syntax: bool,
}

impl PackCheck {
    /// The provider for a pack.
    pub fn new(pack: Arc<Pack>) -> PackCheck {
        PackCheck { card: card(&pack), pack, cache: None, leaves_syntax: false }
    }

    /// The provider for a pack, which asks the cache before it looks at a file. It says what one without a cache says.
    pub fn with_cache(pack: Arc<Pack>, cache: Arc<dyn Cache>) -> PackCheck {
        PackCheck { cache: Some(cache), ..PackCheck::new(pack) }
    }

    /// The same, and it leaves to [`SyntaxCheck`](crate::SyntaxCheck) to say which files do not parse and which keys stand
    /// twice.
    #[must_use]
    pub fn leaving_syntax(self) -> PackCheck {
        PackCheck { leaves_syntax: true, ..self }
    }

    /// The pack.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.pack
    }
}

fn card(pack: &Arc<Pack>) -> Card {
    let rules = pack.rules().into_iter().map(|it| check::RuleInfo {
        severity: Some(it.severity).filter(|_| it.tier != Tier::Policy),
        tier: it.tier,
        id: it.id,
    });
    let concerned = Arc::clone(pack);
    Card {
        name: pack.name().to_owned(),
        phases: PHASES.map(str::to_owned).to_vec(),
        rules: RuleSet::closed(rules.chain(schema::rules())),
        interest: Interest::matching(move |path| {
            Format::of_path(path).is_some() && concerned.may_concern(path)
        }),
        cost: Cost::InProcess,
        trust: Trust::Sealed,
        languages: Vec::new(),
    }
}

impl Check for PackCheck {
    fn card(&self) -> &Card {
        &self.card
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        crate::page(rule_id, std::slice::from_ref(&*self.pack))
    }

    /// A file that cannot be read as a document is of no kind.
    fn kinds(&self, snapshot: &Snapshot, parses: &Parses) -> BTreeMap<String, usize> {
        let may_concern = |it: &RelPath| self.card.interest.covers(it.as_str());
        let files: Vec<_> = snapshot.files_at(may_concern).collect();
        let kinds_of = |(path, file): &(&RelPath, &File)| -> Option<Vec<String>> {
            let parsed = parses.of(file, Format::of_path(path.as_str())?);
            let documents = parsed.document().ok()?.all();
            let kinds = documents
                .filter_map(|it| Some(self.pack.kind_of(path.as_str(), &it.value())?.to_owned()));
            Some(kinds.collect::<BTreeSet<String>>().into_iter().collect())
        };
        let found: Vec<Option<Vec<String>>> = files.par_iter().map(kinds_of).collect();
        let mut kinds = BTreeMap::new();
        for kind in found.into_iter().flatten().flatten() {
            *kinds.entry(kind).or_default() += 1;
        }
        kinds
    }

    /// Rules about the tree compare the files of some kinds; without one about the kinds of the files that are asked
    /// about, each is judged by itself.
    fn reach(&self, input: &Input<'_>) -> Reach {
        match input.only.map(|files| self.pack.kinds_to_compare(files)) {
            Some(kinds) if kinds.is_empty() => Reach::Files(BTreeSet::new()),
            _ => Reach::Tree,
        }
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let pack = &*self.pack;
        let since = input.since.and_then(|since| {
            let known = since.report.memory.as_ref()?.downcast_ref::<Remembered>()?;
            // Memory of another pack says nothing about this one.
            Arc::ptr_eq(&known.pack, &self.pack).then_some((known, since))
        });
        let mut files = look_at_files(pack, self.cache.as_deref(), input, since)?;
        if self.leaves_syntax {
            // What an earlier look is shared with was left out then.
            for look in files.values_mut().filter_map(Arc::get_mut) {
                without_syntax(&mut look.diagnostics);
            }
        }
        let tree = PackTree::new(pack, input.snapshot, &files);
        let reporter = RuleReporter { pack, snapshot: input.snapshot, parses: input.parses };
        let dirty = dirty_rules(pack, &files, since);
        let look = |(nth, rule): (usize, &usize)| {
            let old = since.map(|(known, since)| (&*known.rules[nth], since.changed));
            let is_dirty = dirty.contains(&pack.comparison_group[*rule]);
            look_at_tree(*rule, &tree, &reporter, is_dirty, old).map(Arc::new)
        };
        let rules: Result<Vec<Arc<RuleReport>>, LookError> =
            pack.tree_rules.iter().enumerate().map(look).collect();
        let rules = rules?;
        Ok(report(Remembered { pack: Arc::clone(&self.pack), files, rules }))
    }

    /// Adds the repairs, which were tried when the findings were made, and left out of the report until now.
    fn repairs(&self, _: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        let memory = report.memory.clone();
        let Some(known) = memory.as_ref().and_then(|it| it.downcast_ref::<Remembered>()) else {
            return Ok(());
        };
        let of_files = known.files.values().flat_map(|it| &it.repairs);
        let groups = known.rules.iter().flat_map(|it| it.groups.values());
        report.repairs.extend(of_files.chain(groups.flat_map(|it| &it.repairs)).cloned());
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        let memory = report.remembered::<Remembered>();
        let files = || memory.into_iter().flat_map(|it| &it.files);
        let files = || files().filter(|it| snapshot.file(it.0).is_some());
        let mut coverage = Coverage::of_files(files().map(|it| it.0));
        for (path, look) in files().filter(|it| !it.1.unchecked.is_empty()) {
            look.unchecked.iter().for_each(|it| coverage.add_unchecked(path, *it));
        }
        let rules = memory.into_iter().flat_map(|it| &it.rules);
        for path in rules.flat_map(|it| &it.undecided).filter(|it| snapshot.file(it).is_some()) {
            coverage.add_unchecked(path, Unchecked::Blocked);
        }
        for (path, entry) in snapshot.iter_at(is_document) {
            if let Some(why) = never_read(entry)
                && self.pack.may_concern(path.as_str())
            {
                coverage.add_unchecked(path, why);
            }
        }
        coverage
    }
}

/// Why a path whose contents are not in the snapshot was not looked at.
pub(crate) fn never_read(entry: &Entry) -> Option<Unchecked> {
    match entry {
        Entry::Unread { reason: UnreadReason::TooLarge, .. } => Some(Unchecked::TooLarge),
        Entry::Unread { reason: UnreadReason::Special, .. } => Some(Unchecked::NotAFile),
        Entry::Link { .. } => Some(Unchecked::Link),
        // Why it was only listed is for those to say who listed it.
        Entry::Unread { .. } | Entry::File(_) | Entry::Directory => None,
    }
}

/// Whether the file is a document by its name; nothing else is looked at.
pub(crate) fn is_document(path: &RelPath) -> bool {
    Format::of_path(path.as_str()).is_some()
}

/// What is remembered of a tree.
struct Remembered {
    pack: Arc<Pack>,
    files: BTreeMap<RelPath, Arc<FileAnalysis>>,
    /// One per rule that compares files.
    rules: Vec<Arc<RuleReport>>,
}

/// What one rule says of the tree, by the file it says it of.
struct RuleReport {
    phase: &'static str,
    groups: BTreeMap<RelPath, Arc<Group>>,
    hidden: BTreeSet<RelPath>,
    undecided: BTreeSet<RelPath>,
}

/// What one rule says of one file.
struct Group {
    found: Vec<RuleFinding>,
    /// Every file that it names.
    files: BTreeSet<RelPath>,
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
}

type PreviousRun<'a> = Option<(&'a Remembered, Since<'a>)>;

fn report(remembered: Remembered) -> Report {
    let mut report = Report::default();
    for (path, look) in &remembered.files {
        report.diagnostics.extend(look.diagnostics.iter().cloned());
        if let Some(phase) = look.blocked {
            block(&mut report, path, phase);
        }
    }
    for rule in &remembered.rules {
        for group in rule.groups.values() {
            report.diagnostics.extend(group.diagnostics.iter().cloned());
        }
        for path in &rule.hidden {
            block(&mut report, path, rule.phase);
        }
    }
    report.memory = Some(Arc::new(remembered));
    report
}

/// The first phase that could not run counts.
fn block(report: &mut Report, path: &RelPath, phase: &'static str) {
    let order = |phase: &str| PHASES.iter().position(|it| *it == phase);
    let known = report.blocked.entry(path.clone()).or_insert_with(|| phase.to_owned());
    if order(phase) < order(known) {
        phase.clone_into(known);
    }
}

/// The files that are asked about, and the kinds of those that they are compared with.
struct Part<'a> {
    files: &'a BTreeSet<RelPath>,
    kinds: BTreeSet<usize>,
}

impl Part<'_> {
    fn takes(&self, path: &RelPath, kinds: &[usize]) -> bool {
        self.files.contains(path) || kinds.iter().any(|it| self.kinds.contains(it))
    }
}

/// Looks at every file of a kind, or only at those that changed.
fn look_at_files(
    pack: &Pack,
    cache: Option<&dyn Cache>,
    input: &Input<'_>,
    since: PreviousRun<'_>,
) -> Result<BTreeMap<RelPath, Arc<FileAnalysis>>, LookError> {
    let part = input.only.map(|files| Part { files, kinds: pack.kinds_to_compare(files) });
    let (mut files, paths) = match since {
        Some((known, since)) => {
            let mut files = known.files.clone();
            files.retain(|path, _| !since.changed.contains(path));
            let there = since.changed.iter().filter(|it| is_document(it));
            let there = there.filter_map(|it| Some((it, input.snapshot.get(it)?)));
            (files, there.collect::<Vec<_>>())
        }
        None => match part.as_ref().filter(|it| it.kinds.is_empty()) {
            Some(part) => {
                let there = part.files.iter().filter(|it| is_document(it));
                let there = there.filter_map(|it| Some((it, input.snapshot.get(it)?)));
                (BTreeMap::new(), there.collect())
            }
            None => (BTreeMap::new(), input.snapshot.iter_at(is_document).collect()),
        },
    };
    let paths: Vec<(&RelPath, &Entry, Vec<usize>)> = paths
        .into_par_iter()
        .map(|(path, entry)| (path, entry, pack.kinds_of_path(path.as_str())))
        .filter(|it| !it.2.is_empty())
        .filter(|it| part.as_ref().is_none_or(|part| part.takes(it.0, &it.2)))
        .collect();
    let answers = cache::of_pack(cache, pack, input.parses.limits());
    let keeps_strangers = paths.len() >= cache::WORTH_KEEPING;
    let subjects: Vec<cache::CachedFile<'_>> = paths
        .iter()
        .map(|(path, entry, kinds)| cache::CachedFile {
            pack,
            cache: &answers,
            path,
            entry,
            kinds,
            keeps_strangers,
        })
        .collect();
    let known: Vec<Option<Option<FileAnalysis>>> =
        subjects.par_iter().map(cache::CachedFile::known).collect();
    let (known, unknown): (Vec<_>, Vec<_>) =
        subjects.iter().zip(known).partition(|(_, known)| known.is_some());
    let look = |chunk: &[(&cache::CachedFile<'_>, _)]| -> Vec<Option<FileAnalysis>> {
        chunk
            .iter()
            .map(|(subject, _)| {
                if input.stop.is_set() {
                    return None;
                }
                let cache::CachedFile { path, entry, kinds, .. } = **subject;
                let found = look_at_file(pack, input, path, entry, kinds);
                subject.keep(found.as_ref());
                found
            })
            .collect()
    };
    let chunks: Option<Vec<Vec<Option<FileAnalysis>>>> = unknown
        .par_chunks(FILES_AT_ONCE)
        .map(|chunk| on_a_fitting_stack(pack, || look(chunk)))
        .collect();
    let chunks = chunks.ok_or_else(|| no_stack(pack))?;
    if input.stop.is_set() {
        return Err(LookError::stopped());
    }
    let known = known.into_iter().map(|(subject, known)| (subject, known.flatten()));
    let made = unknown.iter().map(|it| it.0).zip(chunks.into_iter().flatten());
    let looked = known.chain(made).filter_map(|(it, look)| Some((it.path.clone(), look?)));
    files.extend(looked.map(|(path, look)| (path, Arc::new(look))));
    Ok(files)
}

/// Runs what may ask the guards of the pack; `None` if no thread could be started for it.
fn on_a_fitting_stack<T: Send>(pack: &Pack, work: impl FnOnce() -> T + Send) -> Option<T> {
    if pack.has_guards() { on_a_deep_stack(work) } else { Some(work()) }
}

fn no_stack(pack: &Pack) -> LookError {
    let message = format!("cannot start a thread for the guards of pack `{}`", pack.name());
    LookError::new(FailureKind::Unavailable, message)
}

/// Looks at one file alone; `None` if it is of no kind after all. To be called on a fitting stack.
fn look_at_file(
    pack: &Pack,
    input: &Input<'_>,
    path: &RelPath,
    entry: &Entry,
    kinds: &[usize],
) -> Option<FileAnalysis> {
    let file = match entry {
        Entry::File(file) => file,
        // What was not read may be of any of the kinds, and hold anything.
        Entry::Unread { .. } => {
            return Some(FileAnalysis { dark: kinds.to_vec(), ..FileAnalysis::default() });
        }
        Entry::Link { .. } | Entry::Directory => return None,
    };
    let parsed = input.parses.get(&file.text(), Format::of_path(path.as_str())?);
    let subject = ReportContext {
        source: pack.name(),
        phase: "parse",
        tier: Tier::Schema,
        file: path,
        parsed: &parsed,
        index: 0,
        snapshot: input.snapshot,
    };
    let Ok(document) = parsed.document() else {
        let is_ours = kinds.iter().any(|it| may_be(pack, *it, file.text().bytes()));
        return is_ours.then(|| FileAnalysis {
            dark: kinds.to_vec(),
            diagnostics: unreadable(&subject).into_iter().map(Arc::new).collect(),
            blocked: Some("schema"),
            unchecked: not_whole(&parsed).into_iter().collect(),
            ..FileAnalysis::default()
        });
    };
    let mut look = FileAnalysis::default();
    for document in document.all() {
        let mut value = document.value();
        let kind = pack.kind_among(kinds, &value);
        look.kinds.push(kind);
        if let Some(kind) = kind {
            let merge_keys = pack.kinds[kind].merge_keys;
            if merge_keys == Some(MergeKeys::Resolve) && !document.merge_keys().is_empty() {
                value = document.merged_value();
            }
            let subject = ReportContext { index: document.index(), ..subject };
            let view = FileView::new(path, kind, &value, Some(&document));
            look_at_document(pack, input, &subject, &view, &mut look);
        }
    }
    if look.kinds.iter().all(Option::is_none) {
        return None;
    }
    look.occurrences.sort_by_key(|it| (it.rule, it.role));
    look.occurrences.dedup_by(|later, first| {
        let is_same = (later.rule, later.role) == (first.rule, first.role);
        if is_same {
            first.occurrences.append(&mut later.occurrences);
        }
        is_same
    });
    look.diagnostics.extend(unreadable(&subject).into_iter().map(Arc::new));
    look.unchecked.extend(not_whole(&parsed));
    Some(look)
}

/// Looks at one document of a file alone.
fn look_at_document(
    pack: &Pack,
    input: &Input<'_>,
    subject: &ReportContext<'_>,
    view: &FileView<'_>,
    look: &mut FileAnalysis,
) {
    let (kind, value) = (view.kind, view.value);
    let Some(document) = view.document else { return };
    let severity = schema::severity_of;
    if pack.kinds[kind].merge_keys == Some(MergeKeys::Refuse) {
        let subject = ReportContext { phase: "schema", ..*subject };
        let violations = document.merge_keys().into_iter().map(refused_merge).collect();
        let (diagnostics, _) = into_findings(&subject, &severity, violations);
        look.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
    }
    if let Some(schema) = &pack.kinds[kind].schema {
        let subject = ReportContext { phase: "schema", ..*subject };
        match schema.get() {
            Ok(schema) => look_with_schema(schema, &subject, value, document, look),
            Err(why) => {
                let message = format!("not compared with its schema, which cannot be used: {why}");
                look.diagnostics.push(about_the_schema(&subject, "SCHEMA_INVALID", &message));
                look.unchecked.insert(Unchecked::UnusableSchema);
            }
        }
    }
    let reporter = RuleReporter { pack, snapshot: input.snapshot, parses: input.parses };
    for rule in pack.file_rules[kind].iter().map(|it| &pack.rules[*it]) {
        let found = rule.look_at_file(view).into_iter();
        let found: Vec<RuleFinding> = found.map(|it| it.in_document(subject.index)).collect();
        if !found.is_empty() {
            // A policy counts only where it is turned on, which is not known here; then its findings say it.
            if rule.tier != Tier::Policy && found.iter().any(RuleFinding::is_undecided) {
                look.unchecked.insert(Unchecked::UndecidedRule);
            }
            let (diagnostics, repairs) = reporter.report(rule, &found);
            look.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
            look.repairs.extend(repairs.into_iter().map(Arc::new));
        }
    }
    look.occurrences.extend(occurrences(pack, view, subject.index));
}

fn look_with_schema(
    schema: &CompiledSchema,
    subject: &ReportContext<'_>,
    value: &Value,
    document: &Document,
    look: &mut FileAnalysis,
) {
    // The value of a document with merge keys is not what stands there.
    let is_accepted = document.merge_keys().is_empty() && schema.accepts(document);
    let violations = if is_accepted { Vec::new() } else { schema.check(value, document) };
    look.unchecked.extend(schema.unchecked(&violations));
    let addresses: Vec<&str> = schema.remote().collect();
    if !addresses.is_empty() {
        let addresses = schema::quoted(&addresses.join("`, `"));
        let message = format!("what the schema says at {addresses} is remote and was not fetched");
        look.diagnostics.push(about_the_schema(subject, "SCHEMA_REMOTE", &message));
    }
    if let Some(message) = schema.later_keywords() {
        look.diagnostics.push(about_the_schema(subject, "SCHEMA_LATER_KEYWORD", &message));
    }
    let (diagnostics, repairs) = into_findings(subject, &schema::severity_of, violations);
    look.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
    look.repairs.extend(repairs.into_iter().map(Arc::new));
}

/// A finding about the schema of a file, not about the file.
fn about_the_schema(subject: &ReportContext<'_>, rule_id: &str, message: &str) -> Arc<Diagnostic> {
    let mut finding = [finding(subject, rule_id, schema::severity(rule_id), message)];
    assign_ids(&mut finding);
    let [finding] = finding;
    Arc::new(finding)
}

/// A merge where whoever reads the file knows none.
fn refused_merge(at: Pointer) -> SchemaViolation {
    SchemaViolation {
        rule_id: "SCHEMA_MERGE_KEY".to_owned(),
        at,
        anchor: MemberPart::Key,
        message: "the merge key `<<` is not supported in this kind of file; write the keys out"
            .to_owned(),
        is_harmless: false,
        details: BTreeMap::new(),
        proposals: Vec::new(),
    }
}

/// What the rules about the tree want to know of a file, in the order of rules and roles.
fn occurrences(pack: &Pack, view: &FileView<'_>, document: usize) -> Vec<OccurrenceList> {
    let rules = pack.occurrence_rules[view.kind].iter();
    let lists = rules.flat_map(|&rule| {
        let roles = pack.rules[rule].occurrences(view).into_iter();
        roles.map(move |(role, mut occurrences)| {
            occurrences.iter_mut().for_each(|it| it.document = document);
            OccurrenceList { rule, role, occurrences }
        })
    });
    lists.filter(|it| !it.occurrences.is_empty()).collect()
}

/// Whether a text that cannot be read may be of a kind: the keys that tell the kind apart are somewhere in it.
fn may_be(pack: &Pack, kind: usize, bytes: &[u8]) -> bool {
    let bytes = &*legible(bytes);
    let holds = |segment: &String| {
        let needle = segment.as_bytes();
        needle.is_empty() || bytes.windows(needle.len()).any(|it| it == needle)
    };
    pack.kinds[kind].has.as_ref().is_none_or(|has| has.segments().iter().all(holds))
}

/// The groups of rules that must be asked again, by their smallest rule.
fn dirty_rules(
    pack: &Pack,
    files: &BTreeMap<RelPath, Arc<FileAnalysis>>,
    since: PreviousRun<'_>,
) -> BTreeSet<usize> {
    let all = || pack.tree_rules.iter().map(|it| pack.comparison_group[*it]).collect();
    let Some((known, since)) = since else { return all() };
    let mut dirty = BTreeSet::new();
    for path in since.changed {
        let (old, new) = (known.files.get(path), files.get(path));
        let dark =
            |look: Option<&Arc<FileAnalysis>>| look.map(|it| it.dark.clone()).unwrap_or_default();
        let kinds =
            |look: Option<&Arc<FileAnalysis>>| look.map(|it| it.kinds.clone()).unwrap_or_default();
        // A file that cannot be read any more, or can be again, may concern every rule.
        if dark(old) != dark(new) {
            return all();
        }
        if kinds(old).is_empty() || kinds(old) != kinds(new) {
            let by_path = |rule: &PackRule| match &rule.body {
                RuleBody::Imports(it) => it.is_by_path(),
                RuleBody::Calls(_) => true,
                _ => false,
            };
            let asked = pack.tree_rules.iter().filter(|it| by_path(&pack.rules[**it]));
            dirty.extend(asked.map(|it| pack.comparison_group[*it]));
        }
        let old = old.map(|it| it.occurrences.as_slice()).unwrap_or_default();
        let new = new.map(|it| it.occurrences.as_slice()).unwrap_or_default();
        let differing = |left: &[OccurrenceList], right: &[OccurrenceList]| -> Vec<usize> {
            let twin = |it: &OccurrenceList| {
                let idx = right
                    .binary_search_by_key(&(it.rule, it.role), |it| (it.rule, it.role))
                    .ok()?;
                Some(&right[idx])
            };
            left.iter()
                .filter(|it| twin(it) != Some(it))
                .map(|it| pack.comparison_group[it.rule])
                .collect()
        };
        dirty.extend(differing(old, new));
        dirty.extend(differing(new, old));
    }
    dirty
}

fn look_at_tree(
    rule: usize,
    tree: &PackTree<'_>,
    reporter: &RuleReporter<'_>,
    is_dirty: bool,
    old: Option<(&RuleReport, &BTreeSet<RelPath>)>,
) -> Result<RuleReport, LookError> {
    let phase = reporter.pack.rules[rule].phase();
    let is_touched = |group: &Group, changed: &BTreeSet<RelPath>| {
        changed.iter().any(|it| group.files.contains(it))
    };
    let mut groups: BTreeMap<RelPath, Arc<Group>> = BTreeMap::new();
    let mut unreported: Vec<(RelPath, Vec<RuleFinding>)> = Vec::new();
    let (hidden, undecided) = match old {
        Some((old, changed)) if !is_dirty => {
            for (path, group) in &old.groups {
                if is_touched(group, changed) {
                    unreported.push((path.clone(), group.found.clone()));
                } else {
                    groups.insert(path.clone(), Arc::clone(group));
                }
            }
            (old.hidden.clone(), old.undecided.clone())
        }
        _ => {
            let looked = reporter.pack.rules[rule].look_at_tree(rule, tree);
            for (path, found) in by_file(looked.found) {
                let known = old.and_then(|(old, changed)| {
                    let group = old.groups.get(&path)?;
                    (group.found == found && !is_touched(group, changed)).then_some(group)
                });
                match known {
                    Some(group) => {
                        groups.insert(path, Arc::clone(group));
                    }
                    None => unreported.push((path, found)),
                }
            }
            (looked.hidden, looked.undecided)
        }
    };
    let reported: Option<Vec<Vec<_>>> = unreported
        .into_par_iter()
        .chunks(FILES_AT_ONCE)
        .map(|chunk| {
            let group = |(path, found)| (path, Arc::new(report_group(rule, reporter, found)));
            on_a_fitting_stack(reporter.pack, || chunk.into_iter().map(group).collect())
        })
        .collect();
    groups.extend(reported.ok_or_else(|| no_stack(reporter.pack))?.into_iter().flatten());
    Ok(RuleReport { phase, groups, hidden, undecided })
}

fn by_file(found: Vec<RuleFinding>) -> BTreeMap<RelPath, Vec<RuleFinding>> {
    let mut by_file: BTreeMap<RelPath, Vec<RuleFinding>> = BTreeMap::new();
    for it in found {
        by_file.entry(it.file.clone()).or_default().push(it);
    }
    by_file
}

/// To be called on a fitting stack.
fn report_group(rule: usize, reporter: &RuleReporter<'_>, found: Vec<RuleFinding>) -> Group {
    let (diagnostics, repairs) = reporter.report(&reporter.pack.rules[rule], &found);
    Group {
        files: found.iter().flat_map(RuleFinding::files).cloned().collect(),
        found,
        diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
        repairs: repairs.into_iter().map(Arc::new).collect(),
    }
}

#[cfg(test)]
mod tests;
