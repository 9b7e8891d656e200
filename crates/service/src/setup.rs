//! Everything that a look at the tree needs to know first: the configuration, the packs, the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use check::{Diagnostic, Environment, FailureKind, Parses, Provider, Stop};
use clank_repair::ClankCheck;
use document::{Limits, Pointer};
use edit::Text;
use engine::{IGNORE_SIGN, RuleLevel, Run, Sieve, Sources};
use pack::{LocalSchema, Pack, PackCheck, SCHEMA_SIGN, SyntaxCheck};
use protocol::v1;
use protocol::v1::LookFailure;
use snapshot::{Entry, File, RelPath, Snapshot, UnreadReason};
use workspace::{Reader, SkippedEntry, Survey, Workspace};

use crate::Frames;
use crate::assess::verdict;
use crate::commands::schemas;
use crate::commands::trust;
use crate::compiler::{ProvedClank, Prover, Z3_SOURCE};
use crate::config::nearest;
use crate::config::{self, Config, OwnSource, PackPlace, PackRef};
use crate::failure::Failure;
use crate::session::pool;
use crate::session::steady::ScanAttempt;
use crate::session::{Session, SessionAccess};
use crate::setup::baseline::Baseline;
use crate::setup::cache::DiskCache;
use crate::setup::registry::Registry;
use crate::toolbox::{self, Toolbox};
use crate::wire;

pub(crate) mod baseline;
pub(crate) mod cache;
pub(crate) mod own_rules;
pub(crate) mod packs;
pub(crate) mod registry;

/// How much longer than its own limit a tool is waited for.
const SLACK: Duration = Duration::from_secs(5);

/// Contents that stand in for those on disk.
pub(crate) type TreeOverlay = BTreeMap<RelPath, Vec<u8>>;

/// What is known before the files are looked at.
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) packs: Vec<Arc<Pack>>,
    /// Who can say something about the tree.
    pub(crate) registry: Registry,
    /// The same, to be asked.
    sources: Sources<'static>,
    pub(crate) baseline: Baseline,
    pub(crate) sieve: Sieve,
    pub(crate) parses: Arc<Parses>,
    /// What single files were found to be in an earlier run.
    pub(crate) cache: Arc<DiskCache>,
    /// The tools of the workspace; none before the tree was looked at.
    pub(crate) toolbox: Toolbox,
    /// Whether to go on without sources that are not available.
    pub(crate) tolerate: bool,
    /// The sources that the run goes on without.
    lost: Mutex<BTreeSet<LookFailure>>,
    /// Whether the answer is still wanted.
    pub(crate) stop: Stop,
    /// Opened anew where the configuration has another limit for the size of files.
    reopened: Option<Workspace>,
    /// The files that make up the tree, if not all do.
    tracked: Option<BTreeSet<RelPath>>,
}

/// The tree as it was read, with everything that is passed over left out.
pub(crate) struct ScannedTree {
    pub(crate) snapshot: Snapshot,
    /// The folders that the scan passed over, each with the reason.
    pub(crate) passed_over: Vec<(RelPath, String)>,
    /// What could not be read of it and may matter.
    pub(crate) failures: Vec<LookFailure>,
    /// Who reads its files.
    pub(crate) reader: Arc<Reader>,
    /// The tree as it lies on disk, with nothing in place of it and nothing left out that only git does not know.
    pub(crate) disk: Snapshot,
}

/// Reads the configuration, the packs it names, the baseline and the tree.
pub(crate) fn load(
    session: &Session,
    overlay: &TreeOverlay,
    no_baseline: bool,
    attempt: &mut ScanAttempt,
) -> Result<(Setup, ScannedTree), Failure> {
    load_with(session, overlay, no_baseline, &v1::LookRequest::default(), attempt)
}

/// The same, with the solver that a request asks for, and without what it can do without.
pub(crate) fn load_with(
    session: &Session,
    overlay: &TreeOverlay,
    no_baseline: bool,
    request: &v1::LookRequest,
    attempt: &mut ScanAttempt,
) -> Result<(Setup, ScannedTree), Failure> {
    let setup = load_rules(session, overlay, no_baseline, request)?;
    let reader = setup.workspace(session).reader();
    attempt.watch(&reader);
    let tree = setup.scan(session, overlay, &reader, attempt.suspects(), None)?;
    Ok((setup, tree))
}

/// Reads everything but the tree.
pub(crate) fn load_rules(
    session: &Session,
    overlay: &TreeOverlay,
    no_baseline: bool,
    request: &v1::LookRequest,
) -> Result<Setup, Failure> {
    let (mut config, config_text) = load_config(session, overlay)?;
    config.remembers_require_approval = trust::remembers_require_approval(session, &config);
    let reopened = session.reopened(config.max_file_size);
    let workspace = reopened.as_ref().unwrap_or(&session.workspace);
    let tolerate = request.tolerate_tools;
    let clank_roots = config.clank.roots.iter().map(ToString::to_string).collect();
    let prover = Prover::of(request.solver.unwrap_or(config.clank.solver));
    let cache = Arc::new(DiskCache::default());
    let mut providers: Vec<Arc<dyn Provider>> = vec![
        Arc::new(LocalSchema::with_cache(Arc::<DiskCache>::clone(&cache)).leaving_syntax()),
        Arc::new(ProvedClank::new(ClankCheck::new(clank_roots), prover)),
    ];
    let catalogue = schemas::catalogue(workspace, &config)?;
    let built_in = providers.iter().map(|it| it.card().name.as_str());
    let mut taken: Vec<&str> =
        built_in.chain([SyntaxCheck::SOURCE, Z3_SOURCE, own_rules::SOURCE]).collect();
    for tool in toolbox::reserved_names() {
        taken.push(tool);
    }
    let packs::LoadedPacks { packs, lost } =
        packs::load(session, workspace, &config, config_text.as_ref(), (&taken, tolerate))?;
    if let Some(catalogue) = catalogue {
        let schemas = LocalSchema::with_cache(Arc::<DiskCache>::clone(&cache)).leaving_syntax();
        providers[0] = Arc::new(schemas.with_catalogue(catalogue, packs.clone()));
    }
    for pack in &packs {
        let check = PackCheck::with_cache(Arc::clone(pack), Arc::<DiskCache>::clone(&cache));
        providers.push(Arc::new(check.leaving_syntax()));
    }
    // Last, so that it finds what the others have parsed.
    providers.push(Arc::new(SyntaxCheck::with_cache(Arc::<DiskCache>::clone(&cache))));
    let tools = toolbox::reserved_names().map(str::to_owned);
    let tools = tools.chain(config.sources.iter().map(|it| it.name.clone())).collect();
    let registry = Registry::new(providers).with_tools(tools);
    if let Some(text) = &config_text {
        let names = registry.cards().map(|it| it.name.as_str()).collect::<Vec<_>>();
        let problem = |it: &OwnSource| {
            let message = format!("`{}` is the name of another source", it.name);
            (it.at.join("name"), message)
        };
        let same = config.sources.iter().filter(|it| names.contains(&it.name.as_str()));
        let problems: Vec<(Pointer, String)> = same.map(problem).collect();
        if !problems.is_empty() {
            return Err(failure_at(problems, text));
        }
    }
    let (levels, unknown) = registry.levels(&config.levels());
    // A rule that is in no list may be one of a pack that is not there.
    if let Some(text) = config_text.as_ref().filter(|_| lost.is_empty() && !unknown.is_empty()) {
        return Err(unknown_rules(unknown, text));
    }
    let baseline = baseline::load(workspace, &config.baseline)?;
    let known = if no_baseline { BTreeSet::new() } else { baseline.ids().clone() };
    let sieve = Sieve { levels, baseline: known };
    let max_bytes = usize::try_from(workspace.options().max_file_size).unwrap_or(usize::MAX);
    let parses = Parses::new(Limits { max_bytes, ..Limits::DEFAULT })
        .with_languages(registry.languages())
        .with_signs(&[SCHEMA_SIGN, IGNORE_SIGN], Arc::<DiskCache>::clone(&cache));
    let sources = sources_of(session, &registry);
    Ok(Setup {
        config,
        packs,
        registry,
        sources,
        baseline,
        sieve,
        parses: Arc::new(parses),
        cache,
        toolbox: Toolbox::default(),
        tolerate,
        lost: Mutex::new(lost),
        stop: Stop::new(),
        reopened,
        tracked: request
            .tracked
            .as_ref()
            .map(|list| list.iter().filter_map(|it| RelPath::parse(it).ok()).collect()),
    })
}

fn sources_of(session: &Session, registry: &Registry) -> Sources<'static> {
    let environment = Environment { root: session.root().map(ToOwned::to_owned) };
    Sources::sharing(registry.providers(), environment)
}

impl Setup {
    /// Takes in the tools that the tree uses, of those that are wanted.
    pub(crate) fn equip(
        &mut self,
        session: &Session,
        tree: &ScannedTree,
        wanted: &dyn Fn(&str) -> bool,
    ) {
        let trees = (&tree.disk, &tree.snapshot);
        self.toolbox = Toolbox::new(session, &self.config, trees, &self.cache, wanted);
        self.registry.extend(self.toolbox.providers());
        let sources = sources_of(session, &self.registry);
        // Each of them keeps to a limit of its own.
        self.sources = match self.toolbox.limit() {
            Some(limit) => sources.with_limit(limit + SLACK),
            None => sources,
        };
    }

    /// Whether the run goes on although this source failed.
    pub(crate) fn tolerates(&self, source: &str, kind: FailureKind) -> bool {
        match self.toolbox.member(source) {
            Some(member) => self.tolerate || !member.required,
            None => self.tolerate && kind.is_absence(),
        }
    }

    /// The workspace with the limits of the configuration.
    pub(crate) fn workspace<'a>(&'a self, session: &'a Session) -> &'a Workspace {
        self.reopened.as_ref().unwrap_or(&session.workspace)
    }

    /// What the engine runs, until somebody wants to stop.
    pub(crate) fn run_until<'a>(&'a self, stop: &'a Stop) -> Run<'a> {
        Run { sources: &self.sources, parses: &self.parses, sieve: &self.sieve, stop, only: None }
    }

    /// What the engine runs.
    pub(crate) fn run(&self) -> Run<'_> {
        self.run_until(&self.stop)
    }

    /// Gives sources that failed a new chance.
    pub(crate) fn renew(&self) {
        self.sources.renew();
    }

    /// The sources that the run goes on without.
    pub(crate) fn lost(&self) -> BTreeSet<LookFailure> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The packs and their versions in one line; one pack is just its version.
    pub(crate) fn pack_version(&self) -> Option<String> {
        match self.packs.as_slice() {
            [] => None,
            [pack] => Some(pack.version().to_owned()),
            packs => {
                let versions = packs.iter().map(|it| format!("{}@{}", it.name(), it.version()));
                Some(versions.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Whether the file is looked at.
    pub(crate) fn includes(&self, path: &RelPath) -> bool {
        let Config { include, exclude, .. } = &self.config;
        (include.is_empty() || include.matches(path))
            && (exclude.is_empty() || !exclude.matches(path))
            && self.tracked.as_ref().is_none_or(|it| it.contains(path))
    }

    /// Whether a change of the file may change the setup itself.
    pub(crate) fn depends_on(&self, path: &RelPath) -> bool {
        let packs = self.config.packs.iter().flatten();
        let mut folders = packs.filter_map(|it| match &it.place {
            PackPlace::Folder(folder) => Some(folder),
            PackPlace::Outside(_) | PackPlace::Builtin(_) => None,
        });
        path.as_str() == config::PATH
            || path.as_str() == pack::LOCK
            || *path == self.config.baseline
            || folders.any(|it| it == path || it.contains(path))
    }

    /// Lists the tree, or these files and folders of it.
    pub(crate) fn scan(
        &self,
        session: &Session,
        overlay: &TreeOverlay,
        reader: &Arc<Reader>,
        suspects: &BTreeSet<RelPath>,
        only: Option<&BTreeSet<RelPath>>,
    ) -> Result<ScannedTree, Failure> {
        let interests = self.registry.interests();
        let is_of_interest = |path: &RelPath| interests.cover(path.as_str()) && self.includes(path);
        let workspace = self.workspace(session);
        let jobs = pool::n_threads();
        let survey = Survey { jobs, is_of_interest: &is_of_interest, suspects, only };
        let scanned = workspace.survey(reader, &survey)?;
        let reader = Arc::clone(reader);
        let mut tree = self.tree(session, scanned.snapshot, &scanned.skipped, overlay, reader)?;
        let passed_over = scanned.passed_over.into_iter();
        // A folder whose name is not a path of ours has nothing in it that could be looked at.
        let passed_over =
            passed_over.filter_map(|it| Some((RelPath::parse(&it.path).ok()?, it.reason)));
        tree.passed_over = passed_over.filter(|(path, _)| self.includes_below(path)).collect();
        Ok(tree)
    }

    /// The names of all that is in the tree: nothing is found out about any of it before somebody asks.
    pub(crate) fn names(
        &self,
        session: &Session,
        overlay: &TreeOverlay,
        reader: &Arc<Reader>,
    ) -> Result<ScannedTree, Failure> {
        let suspects = BTreeSet::new();
        let survey = Survey {
            jobs: pool::n_threads(),
            is_of_interest: &|_| false,
            suspects: &suspects,
            only: None,
        };
        let scanned = self.workspace(session).survey(reader, &survey)?;
        self.tree(session, scanned.snapshot, &[], overlay, Arc::clone(reader))
    }

    /// Whether something in the folder may be looked at.
    fn includes_below(&self, folder: &RelPath) -> bool {
        self.config.exclude.is_empty() || !self.config.exclude.matches(folder)
    }

    /// Leaves out what is passed over and puts the overlay in place.
    fn tree(
        &self,
        session: &Session,
        scanned: Snapshot,
        skipped: &[SkippedEntry],
        overlay: &TreeOverlay,
        reader: Arc<Reader>,
    ) -> Result<ScannedTree, Failure> {
        let unread = skipped.iter().filter_map(|it| self.failure_of(session, it, overlay));
        let failures: Vec<LookFailure> = unread.collect();
        let is_all = self.config.include.is_empty()
            && self.config.exclude.is_empty()
            && self.tracked.is_none();
        let includes = |path: &RelPath| {
            let Config { include, exclude, .. } = &self.config;
            (include.is_empty() || include.matches(path))
                && (exclude.is_empty() || !exclude.matches(path))
        };
        let is_plain = self.config.include.is_empty() && self.config.exclude.is_empty();
        let disk = match is_plain {
            true => scanned.clone(),
            false => scanned.clone().only(includes),
        };
        // What stands on disk where the tree has something else must not be in its way.
        let scanned = match &self.tracked {
            Some(tracked) => scanned.only(|path| tracked.contains(path)),
            None => scanned,
        };
        let snapshot = if is_all && overlay.is_empty() && failures.is_empty() {
            scanned
        } else {
            // That a file is there is known, and that keeps rules from missing what it may hold.
            let is_covered = |it: &str| self.registry.covers(it);
            let hidden = failures.iter().filter(|it| it.file.as_deref().is_some_and(is_covered));
            let hidden = hidden.filter_map(|it| RelPath::parse(it.file.as_deref()?).ok());
            let hidden = hidden.filter(|it| !scanned.has(it)).collect::<Vec<_>>();
            let listed = || Entry::Unread { size: 0, reason: UnreadReason::Listed };
            let hidden = hidden.into_iter().map(|path| (path, listed()));
            let replaced = overlay.iter().map(|(path, bytes)| {
                let mode = scanned.file(path).map_or(0o644, |it| it.mode);
                (path.clone(), Entry::File(File::new(Text::new(bytes.clone()), mode)))
            });
            let added: Vec<(RelPath, Entry)> = hidden.chain(replaced).collect();
            let with_all = scanned.with(added).map_err(workspace::LoadError::Moving)?;
            with_all.only(|path| self.includes(path))
        };
        Ok(ScannedTree { snapshot, passed_over: Vec::new(), failures, reader, disk })
    }

    /// What could not be read, if a source may be about it or about something in it.
    fn failure_of(
        &self,
        session: &Session,
        skipped: &SkippedEntry,
        overlay: &TreeOverlay,
    ) -> Option<LookFailure> {
        let SkippedEntry { path: name, reason, has_bad_name, may_be_folder } = skipped;
        let path = RelPath::parse(name);
        let is_elsewhere =
            path.as_ref().is_ok_and(|it| !self.includes(it) || overlay.contains_key(it));
        if self.registry.covers(name) {
            return match is_elsewhere {
                true => None,
                false if *has_bad_name => Some(verdict::unsupported_name(name, reason)),
                false => Some(verdict::unreadable(name, false, reason)),
            };
        }
        let path = path.ok().filter(|it| *may_be_folder && self.may_hold_some(it))?;
        let loaded = self.workspace(session).load(std::slice::from_ref(&path));
        let is_folder = match loaded {
            Ok(loaded) => matches!(loaded.snapshot.get(&path), Some(Entry::Directory)),
            // Not even that can be told.
            Err(_) => true,
        };
        is_folder.then(|| verdict::unreadable(name, true, reason))
    }

    /// Whether there may be something to look at in a folder.
    fn may_hold_some(&self, folder: &RelPath) -> bool {
        let Config { include, exclude, .. } = &self.config;
        let inside = folder.join("x").ok();
        let is_excluded =
            exclude.matches(folder) || inside.as_ref().is_some_and(|it| exclude.matches(it));
        (include.is_empty() || include.may_match_in(folder)) && !is_excluded
    }

    /// What regreen itself has to say about a tree.
    pub(crate) fn own_findings(
        &self,
        session: &Session,
        snapshot: &Snapshot,
    ) -> Vec<Arc<Diagnostic>> {
        let limit = self.workspace(session).options().max_file_size;
        let mut found = Vec::new();
        let is_document = |path: &RelPath| document::Format::of_path(path.as_str()).is_some();
        for (path, entry) in snapshot.iter_at(is_document) {
            if let Entry::Unread { size, reason: UnreadReason::TooLarge } = entry {
                found.push(own_rules::too_large(path.as_str(), *size, limit));
            }
        }
        let own = self.sieve.levels.get(own_rules::SOURCE);
        found.retain_mut(|it| match own.and_then(|levels| levels.get(&it.rule_id)) {
            Some(RuleLevel::Off) => false,
            Some(RuleLevel::At(severity)) => {
                it.severity = *severity;
                true
            }
            None => true,
        });
        check::sort_and_assign_ids(&mut found);
        found.into_iter().map(Arc::new).collect()
    }
}

/// The configuration, and its text if there is one.
pub(crate) fn load_config(
    session: &Session,
    overlay: &TreeOverlay,
) -> Result<(Config, Option<Text>), Failure> {
    let path = RelPath::parse(config::PATH).expect("the name of the configuration is a path");
    let text = match overlay.get(&path) {
        Some(bytes) => Some(Text::new(bytes.clone())),
        None => load_text(&session.workspace, &path)?,
    };
    let Some(text) = text else { return Ok((Config::default(), None)) };
    match config::read(&text) {
        Ok(mut config) => {
            // A build runs no program that is not one of its inputs.
            if session.access() == SessionAccess::Build {
                config.clank.solver = v1::Solver::Own;
            }
            Ok((config, Some(text)))
        }
        Err(problems) => Err(config_failure(&problems, &text)),
    }
}

/// The text of a file; `None` if there is none.
pub(crate) fn load_text(workspace: &Workspace, path: &RelPath) -> Result<Option<Text>, Failure> {
    let loaded = workspace.load(std::slice::from_ref(path))?;
    if let Some(refusal) = loaded.refused.get(path) {
        return Err(Failure::Unusable { path: path.to_string(), reason: refusal.to_string() });
    }
    let place = loaded.resolved.get(path).unwrap_or(path);
    match loaded.snapshot.get(place) {
        Some(Entry::File(file)) => Ok(Some(file.text())),
        None => Ok(None),
        Some(_) => Err(Failure::Unusable {
            path: path.to_string(),
            reason: "it is not a file that can be read".to_owned(),
        }),
    }
}

/// Rules that nobody knows cannot be given a severity: a misspelled one would be passed over in silence.
fn unknown_rules(unknown: Vec<(String, String)>, text: &Text) -> Failure {
    let problem = |(rule, hint): (String, String)| {
        let at = Pointer::root().join("rules").join(&rule);
        (at, format!("there is no rule `{}`; {hint}", nearest::short(&rule)))
    };
    failure_at(unknown.into_iter().map(problem).collect(), text)
}

/// A failure about places in the configuration.
pub(crate) fn failure_at(problems: Vec<(Pointer, String)>, text: &Text) -> Failure {
    let document = document::parse(text, document::Format::Toml, &Limits::DEFAULT).ok();
    let lines = edit::LineIndex::new(text.bytes());
    let located = |(at, message): (Pointer, String)| {
        let found = document.as_ref().and_then(|it| it.locate(&at));
        let span = found.map(|it| it.key_span.unwrap_or(it.span));
        let location = span.and_then(|it| check::Location::new(&lines, it));
        own_rules::config_problem(Some(&at), location, message)
    };
    let mut problems: Vec<Diagnostic> = problems.into_iter().map(located).collect();
    check::sort_and_assign_ids(&mut problems);
    config_failure(&problems, text)
}

fn config_failure(problems: &[Diagnostic], text: &Text) -> Failure {
    let sources = BTreeMap::from([(config::PATH.to_owned(), text.bytes().to_vec())]);
    setup_failure(config::PATH, problems, sources)
}

/// A failure with everything that is wrong.
pub(crate) fn setup_failure(
    what: &str,
    problems: &[Diagnostic],
    sources: BTreeMap<String, Vec<u8>>,
) -> Failure {
    Failure::Setup {
        what: what.to_owned(),
        problems: problems.iter().map(wire::diagnostic).collect(),
        frames: Box::new(Frames { sources, ..Frames::default() }),
    }
}

/// Names where a pack is, for messages.
pub(crate) fn describe(pack: &PackRef) -> String {
    match &pack.place {
        PackPlace::Folder(folder) => format!("the pack in {folder}"),
        PackPlace::Outside(path) => format!("the pack in {path}"),
        PackPlace::Builtin(name) => format!("the built-in pack `{name}`"),
    }
}

#[cfg(test)]
mod tests;
