//! One tool as a source of findings: an adapter, a program that was found, and the tree as the program sees it.
//!
//! A tool that works file by file is asked about the files that changed; one that works on a project is asked about all of
//! them. What it said before about the same bytes is taken from the cache, so that nothing is started for it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use check::{
    Cache as _, CacheKeys, Card, Coverage, Environment, FailureKind, Input, LookError, Looker,
    Opened, Page, Provider, Report, Safety, Stop, Unchecked,
};
use edit::Text;
use launch::{Capture, Isolation, Limits, Program, ProgramExit, TreeView, Wrote};
use linters::{
    Adapter, Garbled, Invocation, Job, Output, Scope, Texts, ToolKind, ToolReport, Uses, Version,
};
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::config::{Linter, OwnSource};
use crate::toolbox::OWN_LIMIT;
use crate::toolbox::desk::{Desk, Found};
use crate::toolbox::known::{FileKnown, Known};
use crate::toolbox::{own, portions};

/// What a tool may have written.
const MAX_WRITTEN: usize = 100_000;
const MAX_WRITTEN_BYTES: u64 = 1 << 30;
/// How many programs of one tool that takes one file at a time run side by side.
const SIDE_BY_SIDE: usize = 4;
/// Files that say which packages a project has.
const LOCKS: [&str; 12] = [
    "Cargo.lock",
    "Cargo.toml",
    "go.mod",
    "go.sum",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "tsconfig.json",
];

/// A tool that takes part.
pub(crate) struct Tool {
    pub(super) card: Card,
    work: Work,
    found: Found,
    args: Vec<String>,
    /// How long it may take for one look.
    pub(super) limit: Duration,
    safety: BTreeMap<String, Safety>,
    desk: Arc<Desk>,
    /// How long it has taken so far.
    spent: Mutex<Duration>,
}

enum Work {
    Known {
        adapter: &'static Adapter,
        /// Whether the repository does not show that it uses it.
        is_presence: bool,
        /// The folders that it is run in.
        projects: Vec<Option<RelPath>>,
    },
    Own(OwnSource),
}

impl Tool {
    /// A tool that regreen knows.
    pub(super) fn known(
        adapter: &'static Adapter,
        is_presence: bool,
        found: Found,
        settings: &Linter,
        uses: &Uses<'_>,
        desk: Arc<Desk>,
    ) -> Tool {
        let projects = adapter.projects(uses);
        let limit = Duration::from_secs(u64::from(adapter.limit.seconds()));
        Tool {
            card: adapter.card(uses),
            work: Work::Known { adapter, is_presence, projects },
            found,
            args: settings.args.clone(),
            limit: settings.timeout.unwrap_or(limit),
            safety: settings.safety.clone(),
            desk,
            spent: Mutex::default(),
        }
    }

    /// A tool of the workspace's own.
    pub(super) fn own(own: &OwnSource, found: Found, desk: Arc<Desk>) -> Tool {
        Tool {
            card: own::card(own),
            work: Work::Own(own.clone()),
            found,
            args: Vec::new(),
            limit: own.timeout.unwrap_or(OWN_LIMIT),
            safety: BTreeMap::new(),
            desk,
            spent: Mutex::default(),
        }
    }

    /// How long it has taken so far.
    pub(super) fn spent(&self) -> Duration {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> &str {
        &self.card.name
    }

    /// Whether each file is looked at on its own.
    fn is_per_file(&self) -> bool {
        matches!(&self.work, Work::Known { adapter, .. } if adapter.scope == Scope::File)
    }

    /// Whether a change of the file changes what is said about others.
    fn is_setting(&self, path: &RelPath) -> bool {
        match &self.work {
            Work::Known { adapter, .. } => adapter.signs.is_setting(path.as_str()),
            Work::Own(_) => false,
        }
    }

    /// The files of a tree that it is about.
    pub(super) fn files(&self, snapshot: &Snapshot) -> Vec<RelPath> {
        let candidates = snapshot.files_at(|path| self.card.interest.covers(path.as_str()));
        let is_ours = |path: &RelPath, file: &File| match &self.work {
            Work::Known { adapter, .. } => {
                adapter.files.has_path(path.as_str())
                    || adapter.files.has(path.as_str(), file.text().bytes())
            }
            Work::Own(_) => true,
        };
        candidates.filter(|(path, file)| is_ours(path, file)).map(|it| it.0.clone()).collect()
    }

    /// The keys of what it says about files with the settings of this tree.
    fn keys(&self, snapshot: &Snapshot) -> Option<CacheKeys> {
        let (job, projects) = match &self.work {
            Work::Known { adapter, is_presence, projects } => {
                let jobs = [
                    Job::Check { files: &[] },
                    Job::CheckByPresence { files: &[] },
                    Job::Rewrite { files: &[] },
                ];
                let jobs = jobs.iter().map(|it| adapter.invocation(it));
                (format!("{:?} {is_presence}", jobs.collect::<Vec<_>>()), format!("{projects:?}"))
            }
            Work::Own(own) => (format!("{own:?}"), String::new()),
        };
        let mut settings = blake3::Hasher::new();
        let is_setting = |path: &RelPath| {
            self.is_setting(path) || (!self.is_per_file() && LOCKS.contains(&path.file_name()))
        };
        for (path, file) in snapshot.files_at(is_setting) {
            settings.update(path.as_str().as_bytes()).update(b"\0");
            settings.update(file.hash().as_bytes());
        }
        let args = self.args.join("\0");
        let parts = [
            self.name().as_bytes(),
            job.as_bytes(),
            projects.as_bytes(),
            args.as_bytes(),
            settings.finalize().as_bytes().as_slice(),
        ]
        .map(<[u8]>::to_vec);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Desk::keys("regreen tool answers v2", &self.found, &parts)
    }

    /// What it said, as others see it.
    fn report(&self, mut known: Known, snapshot: &Snapshot) -> Report {
        let (diagnostics, repairs) = known.report(&self.safety).to_check(self.name(), snapshot);
        let phase = self.card.phases.first().cloned().unwrap_or_default();
        let blocked = known.files.iter().filter(|it| it.1.is_blocked);
        let blocked = blocked.map(|(path, _)| (path.clone(), phase.clone())).collect();
        known.repairs = repairs.into_iter().map(Arc::new).collect();
        Report {
            diagnostics: diagnostics.into_iter().map(Arc::new).collect(),
            blocked,
            memory: Some(Arc::new(known)),
            ..Report::default()
        }
    }
}

/// What a tool made of the tree of a report.
fn known_of(report: &Report) -> Option<&Known> {
    report.memory.as_ref()?.downcast_ref()
}

/// A tool, to be opened.
pub(super) struct ToolProvider(pub(super) Arc<Tool>);

impl Provider for ToolProvider {
    fn card(&self) -> &Card {
        &self.0.card
    }

    fn open(&self, _environment: &Environment) -> Result<Opened<'_>, LookError> {
        let tool = Arc::clone(&self.0);
        Ok(Opened::Elsewhere(Box::new(ToolLooker { tool, view: None, about: None })))
    }

    fn coverage(&self, _snapshot: &Snapshot, report: &Report) -> Coverage {
        let mut coverage = Coverage::default();
        for (path, known) in known_of(report).into_iter().flat_map(|it| &it.files) {
            if known.has_failed {
                coverage.add_unchecked(path, Unchecked::UndecidedRule);
            } else if known.is_cut {
                coverage.add_unchecked(path, Unchecked::TooComplex);
            } else if known.is_blocked {
                coverage.add_unchecked(path, Unchecked::SyntaxError);
            } else {
                coverage.add(path);
            }
        }
        coverage
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        match &self.0.work {
            Work::Known { adapter, .. } => page(adapter, rule_id),
            Work::Own(_) => None,
        }
    }
}

/// The page about a rule of a tool.
pub(crate) fn page(adapter: &Adapter, rule_id: &str) -> Option<Page> {
    let page = adapter.page(rule_id)?;
    Some(Page {
        title: page.explanation,
        what: format!("A rule of {}. Its own page: <{}>", adapter.name, page.url),
        ..Page::default()
    })
}

/// What is known of the program itself.
#[derive(Clone, Debug)]
struct About {
    version: Option<String>,
    /// Whether places and edits can be relied on.
    fits: bool,
    note: Option<String>,
}

/// A tool that is asked.
struct ToolLooker {
    tool: Arc<Tool>,
    view: Option<TreeView>,
    about: Option<About>,
}

/// One look, as far as it concerns whoever runs a program.
struct Watch<'a> {
    snapshot: &'a Snapshot,
    stop: &'a Stop,
    deadline: Instant,
}

impl Looker for ToolLooker {
    fn look(&mut self, input: &Input<'_>) -> Result<Report, LookError> {
        let tool = Arc::clone(&self.tool);
        let began = Instant::now();
        let watch =
            Watch { snapshot: input.snapshot, stop: input.stop, deadline: began + tool.limit };
        let known = self.look_at(input, &watch);
        *tool.spent.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
        match known {
            Ok(known) => Ok(tool.report(known, input.snapshot)),
            Err(error) => Err(blamed(&tool, error, input)),
        }
    }

    fn repairs(
        &mut self,
        _input: &Input<'_>,
        of: &BTreeSet<String>,
        report: &mut Report,
    ) -> Result<(), LookError> {
        let repairs = known_of(report).map(|it| it.repairs.clone()).unwrap_or_default();
        report.repairs =
            repairs.into_iter().filter(|it| it.resolves.iter().any(|id| of.contains(id))).collect();
        Ok(())
    }
}

/// A tool that worked until its settings were changed was broken by that.
fn blamed(tool: &Tool, error: LookError, input: &Input<'_>) -> LookError {
    let changed = input.since.iter().flat_map(|it| it.changed);
    match changed.into_iter().find(|it| tool.is_setting(it)) {
        Some(file) if error.kind == FailureKind::Garbled => {
            LookError { kind: FailureKind::BrokenByTree, file: Some(file.clone()), ..error }
        }
        _ => error,
    }
}

fn too_much() -> LookError {
    LookError::new(FailureKind::Garbled, "more is found than is taken")
}

/// Whether it is about these files that the tool failed on before.
fn has_failed(files: &[RelPath], input: &Input<'_>) -> bool {
    let known = input.since.and_then(|it| known_of(it.report));
    let failed = |it: &RelPath| {
        known.is_some_and(|known| known.files.get(it).is_some_and(|it| it.has_failed))
    };
    files.iter().all(failed)
}

fn garbled(error: &Garbled) -> LookError {
    LookError::new(FailureKind::Garbled, error.to_string())
}

impl ToolLooker {
    fn look_at(&mut self, input: &Input<'_>, watch: &Watch<'_>) -> Result<Known, LookError> {
        let tool = Arc::clone(&self.tool);
        let mut files = tool.files(input.snapshot);
        if let Some(only) = input.only.filter(|_| tool.is_per_file()) {
            files.retain(|it| only.contains(it));
        }
        if files.is_empty() {
            return Ok(Known { fits: true, ..Known::default() });
        }
        let about = self.about(watch)?;
        let mut known = Known {
            version: about.version,
            fits: about.fits,
            notes: about.note.into_iter().collect(),
            ..Known::default()
        };
        let keys = tool.keys(input.snapshot);
        let todo = match tool.is_per_file() {
            true => self.recall_files(&files, input, keys.as_ref(), &mut known),
            false => match keys.as_ref().and_then(|it| recall_project(&tool, &files, watch, it)) {
                Some(said) => {
                    known.files = said;
                    Vec::new()
                }
                None => files.clone(),
            },
        };
        if todo.is_empty() {
            return Ok(known);
        }
        self.show(watch)?;
        match &tool.work {
            Work::Own(own) => {
                let report = self.ask_own(own, watch)?;
                known.add(&todo, report, input.snapshot);
            }
            Work::Known { adapter, is_presence, projects } => match adapter.kind {
                ToolKind::Formatter => self.format(adapter, &todo, watch, &mut known)?,
                ToolKind::Linter | ToolKind::Findings | ToolKind::Rewriter => {
                    let lint = |folder: Option<&RelPath>, files: &[RelPath]| {
                        self.lint(adapter, *is_presence, folder, files, watch)
                    };
                    match projects.as_slice() {
                        [None] if adapter.takes_files() => {
                            let blamed =
                                portions::ask(&todo, has_failed(&todo, input), &mut |files| {
                                    let report = lint(None, files)?;
                                    if report.n_more > 0 && files.len() > 1 {
                                        return Err(too_much());
                                    }
                                    known.add(files, report, input.snapshot);
                                    Ok(())
                                })?;
                            blamed.into_iter().for_each(|(file, error)| known.blame(file, &error));
                        }
                        projects => {
                            for folder in projects {
                                let report = lint(folder.as_ref(), &todo)?;
                                known.add(&todo, report, input.snapshot);
                            }
                        }
                    }
                }
            },
        }
        if let Some(keys) = &keys {
            self.remember(&files, &todo, &known, input.snapshot, keys);
        }
        Ok(known)
    }

    /// Takes over what was said about files that are the same, in this process or in an earlier one; gives the others.
    fn recall_files(
        &self,
        files: &[RelPath],
        input: &Input<'_>,
        keys: Option<&CacheKeys>,
        known: &mut Known,
    ) -> Vec<RelPath> {
        let tool = &self.tool;
        let since = input.since.filter(|it| !it.changed.iter().any(|path| tool.is_setting(path)));
        let since = since.and_then(|it| Some((known_of(it.report)?, it.changed)));
        let mut todo = Vec::new();
        for path in files {
            let earlier = since.filter(|it| !it.1.contains(path));
            if let Some(same) = earlier.and_then(|it| it.0.files.get(path)) {
                known.files.insert(path.clone(), Arc::clone(same));
                continue;
            }
            let file = input.snapshot.file(path);
            let kept = keys.zip(file).and_then(|(keys, file)| {
                let bytes = tool.desk.cache.get(&keys.of(file.hash(), path.as_str().as_bytes()))?;
                FileKnown::from_value(&serde_json::from_slice(&bytes).ok()?, path, &file.text())
            });
            match kept {
                Some(kept) => drop(known.files.insert(path.clone(), Arc::new(kept))),
                None => todo.push(path.clone()),
            }
        }
        todo
    }

    /// Keeps what was said for the next process.
    fn remember(
        &self,
        files: &[RelPath],
        asked: &[RelPath],
        known: &Known,
        snapshot: &Snapshot,
        keys: &CacheKeys,
    ) {
        let cache = &self.tool.desk.cache;
        if self.tool.is_per_file() {
            for path in asked {
                let (Some(file), Some(said)) = (snapshot.file(path), known.files.get(path)) else {
                    continue;
                };
                if let Some(value) = said.to_value(path) {
                    let key = keys.of(file.hash(), path.as_str().as_bytes());
                    cache.put(key, value.to_string().into_bytes());
                }
            }
            return;
        }
        let said: Option<serde_json::Map<String, serde_json::Value>> = known
            .files
            .iter()
            .map(|(path, it)| Some((path.to_string(), it.to_value(path)?)))
            .collect();
        if let Some(said) = said {
            let key = project_key(files, snapshot, keys);
            cache.put(key, serde_json::Value::Object(said).to_string().into_bytes());
        }
    }

    /// What the program is. It is asked once for every program that there is.
    fn about(&mut self, watch: &Watch<'_>) -> Result<About, LookError> {
        if let Some(about) = &self.about {
            return Ok(about.clone());
        }
        let tool = Arc::clone(&self.tool);
        let Work::Known { adapter, .. } = &tool.work else {
            return Ok(About { version: None, fits: true, note: None });
        };
        let keys = Desk::keys("regreen tool identity v1", &tool.found, &[adapter.name.as_bytes()]);
        let key = keys.map(|it| it.of(edit::ContentHash::of(b""), b""));
        let kept = key.as_ref().and_then(|key| {
            let bytes = tool.desk.cache.get(key)?;
            let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
            let fits = value.get("fits")?.as_bool()?;
            Some(About { version: text("version"), fits, note: text("note") })
        });
        let about = match kept {
            Some(kept) => kept,
            None => {
                let about = self.find_out(adapter, watch)?;
                let value = serde_json::json!({
                    "version": about.version, "fits": about.fits, "note": about.note
                });
                if let Some(key) = key {
                    tool.desk.cache.put(key, value.to_string().into_bytes());
                }
                about
            }
        };
        self.about = Some(about.clone());
        Ok(about)
    }

    /// Asks the program for its version, and holds its places against a text in which they are known.
    fn find_out(&self, adapter: &Adapter, watch: &Watch<'_>) -> Result<About, LookError> {
        let mut version = None;
        if let Some(invocation) = adapter.invocation(&Job::Version) {
            let (program, access) = self.program(&invocation, PathBuf::from("/"), watch)?;
            let ran = launch::run_confined(&program, Isolation::best(), &access, watch.stop)?;
            let said = [ran.stdout, ran.stderr].concat();
            version = Version::find(&String::from_utf8_lossy(&said));
            if version.is_none() && !ran.status.is_success() {
                let said = String::from_utf8_lossy(&said);
                let last = said.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or_default();
                let message = format!("does not say its version: {}", last.trim());
                return Err(LookError::new(FailureKind::Unavailable, message));
            }
        }
        let is_understood = version.is_some_and(|it| adapter.understands(it));
        let shown = version.map(|it| it.to_string());
        let name = shown.clone().unwrap_or_else(|| "an unknown version".to_owned());
        let landed = match &adapter.probe {
            Some(_) => self.probe(adapter, watch)?,
            None => Ok(()),
        };
        // Who writes whole files does not say where anything is.
        let is_placed = !matches!(adapter.kind, ToolKind::Formatter);
        let has_probe = adapter.probe.is_some();
        let (fits, note) = match (landed, is_understood) {
            (Err(why), _) => (
                false,
                Some(format!(
                    "{name}: its places do not fit, so that its fixes are not used: {why}"
                )),
            ),
            (Ok(()), true) => (true, None),
            (Ok(()), false) if has_probe || !is_placed => (
                true,
                Some(format!("{name} is not one of the versions that regreen was tried with")),
            ),
            (Ok(()), false) => (
                false,
                Some(format!(
                    "{name} is not one of the versions that are understood, so that its fixes are not used"
                )),
            ),
        };
        Ok(About { version: shown, fits, note })
    }

    /// What the tool says about its probe, held against what it should.
    fn probe(&self, adapter: &Adapter, watch: &Watch<'_>) -> Result<Result<(), String>, LookError> {
        let Some(probe) = &adapter.probe else { return Ok(Ok(())) };
        let unavailable =
            |error: std::io::Error| LookError::new(FailureKind::Unavailable, error.to_string());
        let folder = tempfile::Builder::new()
            .prefix("regreen-probe-")
            .tempdir_in(self.tool.desk.place())
            .map_err(unavailable)?;
        let root = std::fs::canonicalize(folder.path()).map_err(unavailable)?;
        let mut entries = BTreeMap::new();
        let mut first = None;
        for (name, text) in probe.files {
            let Ok(path) = RelPath::parse(name) else { continue };
            let at = root.join(name);
            if let Some(parent) = at.parent() {
                std::fs::create_dir_all(parent).map_err(unavailable)?;
            }
            std::fs::write(at, text).map_err(unavailable)?;
            entries.insert(path.clone(), Entry::File(File::new(Text::new(*text), 0o644)));
            first.get_or_insert(path);
        }
        let (Ok(snapshot), Some(first)) = (Snapshot::new(entries), first) else {
            return Ok(Err("the probe is no tree".to_owned()));
        };
        let view = self.tool.desk.view_of(&root, snapshot.clone());
        let view = view.map_err(|error| unavailable(std::io::Error::other(error.to_string())))?;
        let files = [first];
        let watch = Watch { snapshot: &snapshot, ..*watch };
        let Some(invocation) = adapter.invocation(&Job::Check { files: &files }) else {
            return Ok(Ok(()));
        };
        let output = self.run(&view, &invocation, None, &[], &watch)?;
        let place = view.place(invocation.writes);
        let texts = Texts::new(&snapshot, &place.to_string_lossy());
        Ok(match adapter.parse(&output, &texts) {
            Ok(report) => probe.judge(&report),
            Err(error) => Err(error.to_string()),
        })
    }

    /// Shows the tree of a look to programs.
    fn show(&mut self, watch: &Watch<'_>) -> Result<(), LookError> {
        let unavailable = |error: launch::ViewError| {
            let message = format!("{error}: {}", error.source);
            LookError::new(FailureKind::Unavailable, message)
        };
        let view = match &mut self.view {
            Some(view) => view,
            None => self.view.insert(self.tool.desk.view().map_err(unavailable)?),
        };
        view.show(watch.snapshot).map(drop).map_err(unavailable)
    }

    /// Asks a tool about files, or about the project in a folder.
    fn lint(
        &self,
        adapter: &Adapter,
        is_presence: bool,
        folder: Option<&RelPath>,
        files: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<ToolReport, LookError> {
        let job = match is_presence {
            true => Job::CheckByPresence { files },
            false => Job::Check { files },
        };
        let mut report = ToolReport::default();
        if let Some(invocation) = adapter.invocation(&job) {
            let (output, place) = self.ask(&invocation, folder, &[], watch)?;
            let texts = self.texts(watch, &place, folder);
            report = adapter.parse(&output, &texts).map_err(|it| garbled(&it))?;
        }
        if adapter.kind == ToolKind::Rewriter
            && let Some(invocation) = adapter.invocation(&Job::Rewrite { files })
        {
            let (output, place) = self.ask(&invocation, folder, files, watch)?;
            let texts = self.texts(watch, &place, folder);
            adapter.add_rewrites(&mut report, &output, &texts).map_err(|it| garbled(&it))?;
        }
        Ok(report)
    }

    fn texts<'a>(&self, watch: &Watch<'a>, place: &str, folder: Option<&RelPath>) -> Texts<'a> {
        let texts = Texts::new(watch.snapshot, place);
        match folder {
            Some(folder) => texts.in_folder(folder),
            None => texts,
        }
    }

    /// Asks a formatter about files: all at once where it can write them, and one by one where it cannot or where one of
    /// them keeps it from the others.
    fn format(
        &self,
        adapter: &Adapter,
        files: &[RelPath],
        watch: &Watch<'_>,
        known: &mut Known,
    ) -> Result<(), LookError> {
        let mut one_by_one = files.to_vec();
        let can_write = adapter.invocation(&Job::Rewrite { files }).is_some();
        if can_write {
            // What fails on the only file is asked once more, with its text.
            let blamed = portions::ask(files, files.len() == 1, &mut |files| {
                let Some(invocation) = adapter.invocation(&Job::Rewrite { files }) else {
                    return Ok(());
                };
                let (output, place) = self.ask(&invocation, None, files, watch)?;
                let texts = self.texts(watch, &place, None);
                let report = adapter.parse(&output, &texts).map_err(|it| garbled(&it))?;
                known.add(files, report, watch.snapshot);
                Ok(())
            })?;
            one_by_one = blamed.into_iter().map(|it| it.0).collect();
        }
        let all_failed = self.format_each(adapter, &one_by_one, watch, known)?;
        match all_failed {
            Some(error) if one_by_one.len() == files.len() && files.len() > 1 => {
                Err(garbled(&error))
            }
            _ => Ok(()),
        }
    }

    /// Asks about one file at a time. Gives the last failure, if there was nothing else.
    fn format_each(
        &self,
        adapter: &Adapter,
        files: &[RelPath],
        watch: &Watch<'_>,
        known: &mut Known,
    ) -> Result<Option<Garbled>, LookError> {
        let uses = Uses::read(watch.snapshot);
        let share = files.len().div_ceil(SIDE_BY_SIDE).max(1);
        let invocations: Vec<(RelPath, Invocation)> = files
            .iter()
            .filter_map(|file| {
                let text = watch.snapshot.file(file)?.text();
                let job = Job::Format { file, text: &text };
                Some((file.clone(), adapter.invocation_in(&job, &uses)?))
            })
            .collect();
        type Said = Vec<(RelPath, Result<Result<ToolReport, Garbled>, LookError>)>;
        let format = |invocations: &[(RelPath, Invocation)]| -> Said {
            let one = |(file, invocation): &(RelPath, Invocation)| {
                let said = self.ask(invocation, None, &[], watch).map(|(output, place)| {
                    let texts = Texts::new(watch.snapshot, &place).with_input(file);
                    adapter.parse(&output, &texts)
                });
                (file.clone(), said)
            };
            invocations.iter().map(one).collect()
        };
        let said: Vec<Said> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                invocations.chunks(share).map(|it| scope.spawn(|| format(it))).collect();
            threads.into_iter().map(|it| it.join().unwrap_or_default()).collect()
        });
        let mut n_failed = 0;
        let mut last = None;
        for (file, report) in said.into_iter().flatten() {
            match report? {
                Ok(report) => known.add(&[file], report, watch.snapshot),
                Err(error) => {
                    n_failed += 1;
                    known.note(format!("{file}: {error}"));
                    last = Some(error);
                    let blocked = FileKnown { is_blocked: true, ..FileKnown::default() };
                    known.files.insert(file, Arc::new(blocked));
                }
            }
        }
        Ok(last.filter(|_| n_failed == files.len()))
    }

    fn ask_own(&self, own: &OwnSource, watch: &Watch<'_>) -> Result<ToolReport, LookError> {
        let invocation = own::invocation(own);
        let wanted: Vec<RelPath> = match invocation.writes {
            true => self.tool.files(watch.snapshot),
            false => Vec::new(),
        };
        let (output, place) = self.ask(&invocation, None, &wanted, watch)?;
        let texts = Texts::new(watch.snapshot, &place);
        own::read(own, &output, &texts).map_err(|it| garbled(&it))
    }

    /// Runs a command in the tree, and says where it saw the tree.
    fn ask(
        &self,
        invocation: &Invocation,
        folder: Option<&RelPath>,
        wanted: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<(Output, String), LookError> {
        let missing = || LookError::new(FailureKind::Unavailable, "no tree is shown");
        let view = self.view.as_ref().ok_or_else(missing)?;
        let output = self.run(view, invocation, folder, wanted, watch)?;
        Ok((output, view.place(invocation.writes).to_string_lossy().into_owned()))
    }

    fn run(
        &self,
        view: &TreeView,
        invocation: &Invocation,
        folder: Option<&RelPath>,
        wanted: &[RelPath],
        watch: &Watch<'_>,
    ) -> Result<Output, LookError> {
        let cwd = match folder {
            Some(folder) => view.root().join(folder.as_str()),
            None => view.root().to_owned(),
        };
        let (program, access) = self.program(invocation, cwd, watch)?;
        if !invocation.writes {
            let ran = view.run(&program, &access, watch.stop)?;
            return Ok(output(ran, BTreeMap::new()));
        }
        let wanted: BTreeSet<&RelPath> = wanted.iter().chain(&invocation.answer).collect();
        let capture = Capture {
            wants: &|path| wanted.contains(path),
            max_entries: MAX_WRITTEN,
            max_bytes: MAX_WRITTEN_BYTES,
        };
        let (ran, changes) = view.run_rewriting(&program, &access, &capture, watch.stop)?;
        let changed = changes.paths.into_iter().map(|(path, wrote)| match wrote {
            Wrote::File { bytes, .. } => (path, Some(Text::new(bytes))),
            // What is not a file any more is gone for us.
            _ => (path, None),
        });
        Ok(output(ran, changed.collect()))
    }

    /// The program of a command, with what it may use.
    fn program(
        &self,
        invocation: &Invocation,
        cwd: PathBuf,
        watch: &Watch<'_>,
    ) -> Result<(Program, launch::Access), LookError> {
        let tool = &self.tool;
        let left = watch.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let message = format!("did not end within {} s", tool.limit.as_secs_f64());
            return Err(LookError::new(FailureKind::TimedOut, message));
        }
        let is_own_program = match &tool.work {
            Work::Known { adapter, .. } => invocation.program == adapter.program,
            Work::Own(_) => true,
        };
        let found = match is_own_program {
            true => tool.found.clone(),
            false => {
                let path = tool.desk.find(&invocation.program).ok_or_else(|| {
                    let message = format!("`{}` is not installed", invocation.program);
                    LookError::new(FailureKind::Unavailable, message)
                })?;
                tool.desk.install(&path)
            }
        };
        let (access, variables) = tool.desk.access(tool.name(), &found);
        let mut args: Vec<OsString> = found.first.iter().map(Into::into).collect();
        args.extend(with_more(invocation, &tool.args).into_iter().map(Into::into));
        let mut program = Program::new(&found.install.program, cwd).args(args);
        for (name, value) in variables {
            program = program.env(name, value);
        }
        for (name, value) in &invocation.env {
            program = program.env(name, value);
        }
        if let Some(text) = &invocation.stdin {
            program = program.stdin(text.bytes());
        }
        let disk = access.cache.is_none().then_some(1 << 30);
        let limits = Limits { time: left, disk, ..Limits::STANDARD };
        Ok((program.limits(limits), access))
    }
}

/// The arguments of a command with those of the configuration, before the files.
fn with_more(invocation: &Invocation, more: &[String]) -> Vec<String> {
    let mut args = invocation.args.clone();
    let is_version = args.iter().any(|it| it == "--version" || it == "version");
    if !more.is_empty() && !is_version {
        let is_operand = |it: &String| it == "--" || it.starts_with("./") || it == "-";
        let at = args.iter().position(is_operand).unwrap_or(args.len().min(1));
        args.splice(at..at, more.iter().cloned());
    }
    args
}

fn output(ran: launch::ProgramOutput, changed: BTreeMap<RelPath, Option<Text>>) -> Output {
    let status = match ran.status {
        ProgramExit::Code(code) => Some(code),
        ProgramExit::Signal(_) => None,
    };
    Output { status, stdout: ran.stdout, stderr: ran.stderr, changed }
}

/// What an earlier process heard about the same project.
fn recall_project(
    tool: &Tool,
    files: &[RelPath],
    watch: &Watch<'_>,
    keys: &CacheKeys,
) -> Option<BTreeMap<RelPath, Arc<FileKnown>>> {
    let bytes = tool.desk.cache.get(&project_key(files, watch.snapshot, keys))?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let of_file = |(path, value): (&String, &serde_json::Value)| {
        let path = RelPath::parse(path).ok()?;
        let text = watch.snapshot.file(&path)?.text();
        let known = FileKnown::from_value(value, &path, &text)?;
        Some((path, Arc::new(known)))
    };
    value.as_object()?.iter().map(of_file).collect()
}

fn project_key(files: &[RelPath], snapshot: &Snapshot, keys: &CacheKeys) -> check::CacheKey {
    let mut hasher = blake3::Hasher::new();
    for path in files {
        hasher.update(path.as_str().as_bytes()).update(b"\0");
        if let Some(file) = snapshot.file(path) {
            hasher.update(file.hash().as_bytes());
        }
    }
    keys.of(edit::ContentHash::of(b"project"), hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_configuration_come_before_files() {
        let files = [RelPath::parse("a.py").unwrap()];
        let ruff = linters::adapter("ruff").unwrap();
        let check = ruff.invocation(&Job::Check { files: &files }).unwrap();
        let args = with_more(&check, &["--preview".to_owned()]);
        assert_eq!(args[args.len() - 3..], ["--preview", "--", "a.py"]);
        let version = ruff.invocation(&Job::Version).unwrap();
        assert_eq!(with_more(&version, &["--preview".to_owned()]), ["--version"]);
    }
}
