//! Small workspaces in a text, providers made of patterns, and a text that says all that a run did.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use check::{
    Card, Check, Compatibility, Concern, Confidence, Cost, Coverage, Diagnostic, Environment,
    Grounds, Input, Interest, Language, Location, LookError, Parses, Provider, Repair, RepairKind,
    RepairOp, Report, RuleInfo, RuleSet, Safety, Severity, Since, Stop, Tier, Trust, Unchecked,
    assign_repair_ids, sort_and_assign_ids,
};
use document::Limits;
use edit::{Edit, EditSet, LineIndex, Text};
use engine::{Assessment, Ending, Fixed, Options, Run, Sieve, Sources};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

pub(crate) const PHASES: [&str; 2] = ["early", "late"];

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// A tree from `//- path` headers and what is between them.
pub(crate) fn tree(text: &str) -> Snapshot {
    let mut entries = BTreeMap::new();
    for part in text.split("//- ").skip(1) {
        let (name, content) = part.split_once('\n').unwrap();
        let file = File::new(Text::new(content), 0o644);
        entries.insert(path(name), Entry::File(file));
    }
    Snapshot::new(entries).unwrap()
}

/// A rule that a text must not occur, and what is proposed to put in its place.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) rule: String,
    pub(crate) find: String,
    pub(crate) put: Option<String>,
    pub(crate) severity: Severity,
    pub(crate) tier: Tier,
    pub(crate) phase: &'static str,
    pub(crate) reveals: Vec<String>,
    pub(crate) is_step: bool,
}

pub(crate) fn rule(rule: &str, find: &str, put: &str) -> Pattern {
    Pattern {
        rule: rule.into(),
        find: find.into(),
        put: Some(put.into()),
        severity: Severity::Error,
        tier: Tier::Semantic,
        phase: PHASES[0],
        reveals: Vec::new(),
        is_step: false,
    }
}

impl Pattern {
    /// One of several steps of its source.
    pub(crate) fn step(self) -> Pattern {
        Pattern { is_step: true, ..self }
    }

    pub(crate) fn notes(self) -> Pattern {
        Pattern { severity: Severity::Info, ..self }
    }

    pub(crate) fn reveals(self, rules: &[&str]) -> Pattern {
        Pattern { reveals: rules.iter().map(|it| (*it).to_owned()).collect(), ..self }
    }

    pub(crate) fn warns(self) -> Pattern {
        Pattern { severity: Severity::Warning, ..self }
    }

    pub(crate) fn informs(self) -> Pattern {
        Pattern { severity: Severity::Info, ..self }
    }

    pub(crate) fn late(self) -> Pattern {
        Pattern { phase: PHASES[1], ..self }
    }

    pub(crate) fn without_repair(self) -> Pattern {
        Pattern { put: None, ..self }
    }
}

/// The card of a provider that looks at every file and has any rule.
pub(crate) fn card(name: &str, cost: Cost) -> Card {
    Card {
        name: name.to_owned(),
        phases: PHASES.map(str::to_owned).to_vec(),
        rules: RuleSet::Open,
        interest: Interest::everything(),
        cost,
        trust: Trust::Sealed,
        languages: Vec::new(),
    }
}

/// What a provider of the tests remembers.
struct Kept {
    snapshot: Snapshot,
    repairs: Vec<Arc<Repair>>,
}

/// Puts the repairs away until they are asked for.
fn keep_repairs(snapshot: &Snapshot, mut report: Report) -> Report {
    let repairs = std::mem::take(&mut report.repairs);
    report.memory = Some(Arc::new(Kept { snapshot: snapshot.clone(), repairs }));
    report
}

fn add_repairs(report: &mut Report) {
    let kept = report.memory.as_ref().and_then(|it| it.downcast_ref::<Kept>());
    report.repairs = kept.map(|it| it.repairs.clone()).unwrap_or_default();
}

/// Finds patterns in every file. In a file with `blocker` in it only the early phase runs.
pub(crate) struct Patterns {
    pub(crate) card: Card,
    pub(crate) name: String,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) blocker: Option<String>,
    pub(crate) is_reversed: bool,
    pub(crate) n_calls: AtomicUsize,
    /// How many files it was told to look at again.
    pub(crate) n_changed: AtomicUsize,
}

/// Its rules are a list, unless it is called `open`.
pub(crate) fn patterns(name: &str, patterns: Vec<Pattern>) -> Patterns {
    let info = |it: &Pattern| RuleInfo { id: it.rule.clone(), tier: it.tier, severity: None };
    let rules = match name {
        "open" => RuleSet::Open,
        _ => RuleSet::closed(patterns.iter().map(info)),
    };
    Patterns {
        card: Card { rules, ..card(name, Cost::InProcess) },
        name: name.into(),
        patterns,
        blocker: None,
        is_reversed: false,
        n_calls: AtomicUsize::new(0),
        n_changed: AtomicUsize::new(0),
    }
}

impl Patterns {
    fn find_in(&self, report: &mut Found, file: &RelPath, text: &Text) {
        let content = std::str::from_utf8(text.bytes()).unwrap();
        let is_blocked = self.blocker.as_ref().is_some_and(|it| content.contains(it.as_str()));
        if is_blocked {
            report.blocked.insert(file.clone(), PHASES[1].to_owned());
        }
        for pattern in self.patterns.iter().filter(|it| !is_blocked || it.phase == PHASES[0]) {
            for (at, _) in content.match_indices(pattern.find.as_str()) {
                let span = at as u32..(at + pattern.find.len()) as u32;
                report
                    .found
                    .push((diagnostic(&self.name, pattern, file, text, span.clone()), span));
                report.patterns.push(pattern.clone());
            }
        }
    }
}

#[derive(Default)]
struct Found {
    found: Vec<(Diagnostic, std::ops::Range<u32>)>,
    patterns: Vec<Pattern>,
    blocked: BTreeMap<RelPath, String>,
}

pub(crate) fn diagnostic(
    source: &str,
    pattern: &Pattern,
    file: &RelPath,
    text: &Text,
    span: std::ops::Range<u32>,
) -> Diagnostic {
    Diagnostic {
        diagnostic_id: String::new(),
        rule_id: pattern.rule.clone(),
        source: source.to_owned(),
        phase: pattern.phase.to_owned(),
        tier: pattern.tier,
        concern: Concern::Problem,
        severity: pattern.severity,
        message: format!("`{}` is not allowed", pattern.find),
        file: file.as_str().to_owned(),
        json_pointer: None,
        location: Location::new(&LineIndex::new(text.bytes()), span),
        anchor: Some(pattern.find.clone()),
        related: Vec::new(),
        details: BTreeMap::new(),
        repair_refs: Vec::new(),
    }
}

/// A repair with text edits to one file of the tree.
pub(crate) fn repair(
    source: &str,
    rule: &str,
    resolves: &[&str],
    snapshot: &Snapshot,
    edits: &[(&str, Edit)],
) -> Repair {
    let mut by_file: BTreeMap<RelPath, Vec<Edit>> = BTreeMap::new();
    for (file, edit) in edits {
        by_file.entry(path(file)).or_default().push(edit.clone());
    }
    let op = |(file, edits): (RelPath, Vec<Edit>)| {
        let edits = EditSet::new(&snapshot.file(&file).unwrap().text(), edits).unwrap();
        RepairOp::Text { file, edits }
    };
    Repair {
        id: String::new(),
        title: format!("repair of {rule}"),
        rationale: String::new(),
        source: source.to_owned(),
        phase: PHASES[0].to_owned(),
        rule_id: rule.to_owned(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::BehaviorPreserving,
        kind: RepairKind::LocalFix,
        ops: by_file.into_iter().map(op).collect(),
        resolves: resolves.iter().map(|it| (*it).to_owned()).collect(),
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds { is_stated: true, ..Grounds::default() },
    }
}

impl Check for Patterns {
    fn card(&self) -> &Card {
        &self.card
    }

    fn repairs(&self, _: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        add_repairs(report);
        Ok(())
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        self.n_calls.fetch_add(1, Ordering::Relaxed);
        if let Some(since) = input.since {
            self.n_changed.fetch_add(since.changed.len(), Ordering::Relaxed);
            check_since(input.snapshot, &since);
        }
        let mut found = Found::default();
        for (file, content) in input.snapshot.files() {
            self.find_in(&mut found, file, &content.text());
        }
        let mut order: Vec<usize> = (0..found.found.len()).collect();
        order.sort_by(|left, right| found.found[*left].0.total_cmp(&found.found[*right].0));
        let mut diagnostics: Vec<Diagnostic> =
            order.iter().map(|idx| found.found[*idx].0.clone()).collect();
        sort_and_assign_ids(&mut diagnostics);
        let mut repairs = Vec::new();
        for (diagnostic, idx) in diagnostics.iter().zip(&order) {
            let (span, pattern) = (&found.found[*idx].1, &found.patterns[*idx]);
            let Some(put) = &pattern.put else { continue };
            let edit = Edit::replace(span.start, span.end, put.as_str());
            let edits = [(diagnostic.file.as_str(), edit)];
            let resolves = [diagnostic.diagnostic_id.as_str()];
            let made = repair(&self.name, &pattern.rule, &resolves, input.snapshot, &edits);
            let (severity, reveals) = (pattern.severity, pattern.reveals.clone());
            let grounds = Grounds { is_step: pattern.is_step, ..made.grounds };
            repairs.push(Repair { severity, reveals, grounds, ..made });
        }
        assign_repair_ids(&mut repairs, input.snapshot);
        if self.is_reversed {
            diagnostics.reverse();
            repairs.reverse();
        }
        let report = Report {
            diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
            repairs: repairs.into_iter().map(Arc::new).collect(),
            blocked: found.blocked,
            ..Report::default()
        };
        Ok(keep_repairs(input.snapshot, report))
    }

    fn coverage(&self, snapshot: &Snapshot, _: &Report) -> Coverage {
        let mut coverage = Coverage::default();
        snapshot.files().for_each(|(path, _)| coverage.add(path));
        coverage
    }
}

/// What a provider relies on: the paths that are not named as changed are as they were.
#[track_caller]
fn check_since(now: &Snapshot, since: &Since<'_>) {
    let Some(memory) = &since.report.memory else { return };
    let then = &memory.downcast_ref::<Kept>().unwrap().snapshot;
    for (path, _) in now.iter().chain(then.iter()) {
        assert!(now.get(path) == then.get(path) || since.changed.contains(path), "{path} changed");
    }
}

/// A provider that is a function, of findings and repairs.
pub(crate) struct Fake<F>(pub(crate) Card, F);

pub(crate) fn fake<F>(name: &'static str, check: F) -> Fake<F>
where
    F: Fn(&Input<'_>) -> Result<Report, LookError> + Send + Sync,
{
    Fake(card(name, Cost::InProcess), check)
}

impl<F: Fn(&Input<'_>) -> Result<Report, LookError> + Send + Sync> Check for Fake<F> {
    fn card(&self) -> &Card {
        &self.0
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        Ok(keep_repairs(input.snapshot, self.1(input)?))
    }

    fn repairs(&self, _: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        add_repairs(report);
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, _: &Report) -> Coverage {
        assert!(self.0.name != "shy", "nobody asks me");
        let mut coverage = Coverage::default();
        snapshot
            .files()
            .for_each(|(path, _)| coverage.add_unchecked(path, Unchecked::UndecidedRule));
        coverage
    }
}

/// Documents, and programs with line comments in which every line is a `let`.
fn parses() -> Parses {
    let language = Language {
        name: "Prog",
        extensions: &["prog"],
        comments: |text| {
            let text = std::str::from_utf8(text.bytes()).unwrap();
            let starts = text.match_indices("//").map(|it| it.0);
            let end = |start: usize| text[start..].find('\n').map_or(text.len(), |it| start + it);
            starts.map(|start| start as u32..end(start) as u32).collect()
        },
        fault: |text| {
            let text = std::str::from_utf8(text.bytes()).unwrap();
            let line = text.lines().find(|it| !it.starts_with("let "))?;
            Some(format!("`{line}` is no let"))
        },
    };
    Parses::new(Limits::DEFAULT).with_languages([language])
}

/// Does something with a run of these providers.
pub(crate) fn with_run<T>(
    providers: &[&dyn Provider],
    sieve: &Sieve,
    work: impl FnOnce(&Run<'_>) -> T,
) -> T {
    let sources = Sources::new(providers, Environment::default());
    let (parses, stop) = (Arc::new(parses()), Stop::new());
    work(&Run { sources: &sources, parses: &parses, sieve, stop: &stop, only: None })
}

pub(crate) fn assess(
    providers: &[&dyn Provider],
    sieve: &Sieve,
    snapshot: &Snapshot,
) -> Assessment {
    with_run(providers, sieve, |run| engine::assess(run, snapshot, None))
}

pub(crate) fn fix(providers: &[&dyn Provider], sieve: &Sieve, snapshot: &Snapshot) -> Fixed {
    fix_within(providers, sieve, snapshot, 10, 1000)
}

pub(crate) fn fix_within(
    providers: &[&dyn Provider],
    sieve: &Sieve,
    snapshot: &Snapshot,
    max_passes: usize,
    max_rechecks: usize,
) -> Fixed {
    let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
    fix_by(&policy, providers, sieve, snapshot, (max_passes, max_rechecks))
}

/// A fix that may also make the repairs with these ids.
pub(crate) fn fix_allowing(
    providers: &[&dyn Provider],
    snapshot: &Snapshot,
    allow: BTreeSet<String>,
) -> Fixed {
    let policy = Policy { safety: Safety::LikelyPreserving, allow };
    fix_by(&policy, providers, &Sieve::default(), snapshot, (10, 1000))
}

fn fix_by(
    policy: &Policy,
    providers: &[&dyn Provider],
    sieve: &Sieve,
    snapshot: &Snapshot,
    (max_passes, max_rechecks): (usize, usize),
) -> Fixed {
    let options =
        Options { policy, is_editable: &|_| true, wants: &|_| true, max_passes, max_rechecks };
    with_run(providers, sieve, |run| fix_in(run, snapshot, &options))
}

/// A fix in a run that somebody else made.
pub(crate) fn fix_in(run: &Run<'_>, snapshot: &Snapshot, options: &Options<'_>) -> Fixed {
    let start = engine::assess(run, snapshot, None);
    let fixed = engine::fix(run, &start, options, &mut |_| {});
    check_laws(&start, &fixed);
    fixed
}

/// What holds of every run, whatever the providers do.
#[track_caller]
fn check_laws(start: &Assessment, fixed: &Fixed) {
    let end = start.snapshot.apply(&fixed.change).unwrap();
    assert_eq!(end, fixed.end.snapshot, "the change leads to the end");
    assert!(!fixed.applied.is_empty() || fixed.change.is_empty());
    assert!(fixed.applied.iter().all(|it| it.verified));
    let applied: BTreeSet<&str> = fixed.applied.iter().map(|it| it.repair.id.as_str()).collect();
    assert!(fixed.rejected.iter().all(|it| !applied.contains(it.repair.id.as_str())));
    let touched: BTreeSet<&RelPath> = fixed.applied.iter().flat_map(|it| &it.files).collect();
    assert!(fixed.change.paths().iter().all(|it| touched.contains(it)));
}

/// All that a run did.
pub(crate) fn show(start: &Snapshot, fixed: &Fixed) -> String {
    let mut out = String::new();
    let ending = match &fixed.ending {
        Ending::Settled => "settled".to_owned(),
        Ending::Cycle { rules, period } => format!("cycle of {rules:?} every {period}"),
        Ending::PassBudget => "out of passes".to_owned(),
        Ending::RecheckBudget => "out of rechecks".to_owned(),
        Ending::TimeBudget => "out of time".to_owned(),
        Ending::Cancelled => "cancelled".to_owned(),
    };
    writeln!(out, "passes {}, rechecks {}, {ending}", fixed.passes, fixed.rechecks).unwrap();
    for it in &fixed.applied {
        let files: Vec<&str> = it.files.iter().map(RelPath::as_str).collect();
        writeln!(out, "applied {} in {} (pass {})", it.repair.rule_id, files.join(" "), it.pass)
            .unwrap();
    }
    for it in &fixed.rejected {
        let reason = it.rejection.reason.name();
        writeln!(out, "rejected {}: {reason}: {}", it.repair.rule_id, it.rejection.detail).unwrap();
    }
    for it in &fixed.end.failures {
        writeln!(out, "failure of {} ({:?}): {}", it.source, it.kind, it.message).unwrap();
    }
    out += &findings(&fixed.end);
    for (path, file) in fixed.end.snapshot.files() {
        if start.file(path) != Some(file) {
            writeln!(
                out,
                "//- {path}\n{}",
                String::from_utf8_lossy(file.text().bytes()).trim_end()
            )
            .unwrap();
        }
    }
    out
}

/// The findings, a line each.
pub(crate) fn findings(assessment: &Assessment) -> String {
    let mut out = String::new();
    for it in &assessment.diagnostics {
        let line = it.location.map_or(0, |it| it.start_line);
        let known = if assessment.baselined.contains(&it.diagnostic_id) { " (known)" } else { "" };
        let (severity, rule, file) = (it.severity.name(), &it.rule_id, &it.file);
        writeln!(out, "{severity} {rule} at {file}:{line}{known}").unwrap();
    }
    out
}
