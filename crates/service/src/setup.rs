//! Everything that a look at the tree needs to know first: the configuration, the packs, the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::clank::ClankCheck;
use check::{Check, Diagnostic, Parses};
use document::{Limits, Pointer};
use edit::Text;
use engine::{Level, Run, Sieve};
use pack::{LocalSchema, Pack, PackCheck};
use protocol::v1;
use snapshot::{Entry, RelPath, Snapshot};
use workspace::{Skipped, Workspace};

use crate::baseline::{self, Baseline};
use crate::cache::Store;
use crate::catalog::Catalog;
use crate::clank::Prover;
use crate::config::{self, Config, PackPlace, PackRef};
use crate::failure::Failure;
use crate::session::Session;
use crate::{Frames, nearest, own_rules, pool, trust, wire};

mod packs;

/// Contents that stand in for those on disk.
pub(crate) type Overlay = BTreeMap<RelPath, Vec<u8>>;

/// What is known before the files are looked at.
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) packs: Vec<Arc<Pack>>,
    pub(crate) catalog: Catalog,
    pub(crate) baseline: Baseline,
    pub(crate) sieve: Sieve,
    pub(crate) parses: Parses,
    /// What single files were found to be in an earlier run.
    pub(crate) cache: Arc<Store>,
    /// Who proves goals of Clank programs.
    pub(crate) prover: Prover,
    checks: Vec<Box<dyn Check>>,
    /// Opened anew where the configuration has another limit for the size of files.
    reopened: Option<Workspace>,
}

/// The tree as it was read, with everything that is passed over left out.
pub(crate) struct Tree {
    pub(crate) snapshot: Snapshot,
    /// What regreen itself has to say about it.
    pub(crate) own: Vec<Arc<Diagnostic>>,
}

/// Reads the configuration, the packs it names, the baseline and the tree.
pub(crate) fn load(
    session: &Session,
    overlay: &Overlay,
    no_baseline: bool,
) -> Result<(Setup, Tree), Failure> {
    load_with(session, overlay, no_baseline, None)
}

/// The same, with another solver than the configuration's if one is given.
pub(crate) fn load_with(
    session: &Session,
    overlay: &Overlay,
    no_baseline: bool,
    solver: Option<v1::Solver>,
) -> Result<(Setup, Tree), Failure> {
    let setup = load_rules(session, overlay, no_baseline, solver)?;
    let tree = setup.scan(session, overlay)?;
    Ok((setup, tree))
}

/// Reads everything but the tree.
pub(crate) fn load_rules(
    session: &Session,
    overlay: &Overlay,
    no_baseline: bool,
    solver: Option<v1::Solver>,
) -> Result<Setup, Failure> {
    let (mut config, config_text) = load_config(session, overlay)?;
    config.remembers_require_approval = trust::remembers_require_approval(session, &config);
    let reopened = session.reopened(config.max_file_size);
    let workspace = reopened.as_ref().unwrap_or(&session.workspace);
    let packs = packs::load(workspace, &config, config_text.as_ref())?;
    let catalog = Catalog::new(&packs, &config.rules);
    if let Some(text) = &config_text {
        check_rules(&config, &catalog, text)?;
    }
    let baseline = baseline::load(workspace, &config.baseline)?;
    let known = if no_baseline { BTreeSet::new() } else { baseline.ids().clone() };
    let sieve = Sieve { levels: config.levels(), baseline: known };
    let max_bytes = usize::try_from(workspace.options().max_file_size).unwrap_or(usize::MAX);
    let parses = Parses::new(Limits { max_bytes, ..Limits::DEFAULT })
        .with_language("clank", crate::clank::LANGUAGE);
    let clank_roots = config.clank.roots.iter().map(ToString::to_string).collect();
    let prover = Prover::of(solver.unwrap_or(config.clank.solver));
    let clank = ClankCheck::new(clank_roots).with_oracle(prover.oracle());
    let mut checks: Vec<Box<dyn Check>> = vec![Box::new(LocalSchema), Box::new(clank)];
    let cache = Arc::new(Store::default());
    for pack in &packs {
        checks.push(Box::new(PackCheck::with_cache(Arc::clone(pack), Arc::<Store>::clone(&cache))));
    }
    Ok(Setup { config, packs, catalog, baseline, sieve, parses, cache, prover, checks, reopened })
}

impl Setup {
    /// The workspace with the limits of the configuration.
    pub(crate) fn workspace<'a>(&'a self, session: &'a Session) -> &'a Workspace {
        self.reopened.as_ref().unwrap_or(&session.workspace)
    }

    /// The sources of findings.
    pub(crate) fn checks(&self) -> Vec<&dyn Check> {
        self.checks.iter().map(|it| &**it).collect()
    }

    /// What the engine runs.
    pub(crate) fn run<'a>(&'a self, checks: &'a [&'a dyn Check]) -> Run<'a> {
        Run { checks, parses: &self.parses, sieve: &self.sieve }
    }

    /// The names of the sources, regreen itself included.
    pub(crate) fn source_names(&self) -> Vec<&str> {
        let names = self.checks.iter().map(|it| it.name());
        names.chain([own_rules::SOURCE]).collect()
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
    }

    /// Whether a change of the file may change the setup itself.
    pub(crate) fn depends_on(&self, path: &RelPath) -> bool {
        let packs = self.config.packs.iter().flatten();
        let mut folders = packs.filter_map(|it| match &it.place {
            PackPlace::Folder(folder) => Some(folder),
            PackPlace::Builtin(_) => None,
        });
        path.as_str() == config::PATH
            || *path == self.config.baseline
            || folders.any(|it| it == path || it.contains(path))
    }

    /// Reads the tree.
    pub(crate) fn scan(&self, session: &Session, overlay: &Overlay) -> Result<Tree, Failure> {
        let scanned = self.workspace(session).scan(pool::n_threads())?;
        self.tree(session, scanned.snapshot, &scanned.skipped, overlay)
    }

    /// Leaves out what is passed over and puts the overlay in place.
    fn tree(
        &self,
        session: &Session,
        scanned: Snapshot,
        skipped: &[Skipped],
        overlay: &Overlay,
    ) -> Result<Tree, Failure> {
        let is_all = self.config.include.is_empty() && self.config.exclude.is_empty();
        let snapshot = if is_all && overlay.is_empty() {
            scanned
        } else {
            let mut entries = scanned.to_entries();
            for (path, bytes) in overlay {
                let mode = scanned.file(path).map_or(0o644, |it| it.mode);
                let text = Text::new(bytes.clone());
                entries.insert(path.clone(), Entry::File(snapshot::File { text, mode }));
            }
            entries.retain(|path, _| self.includes(path));
            Snapshot::new(entries).map_err(workspace::LoadError::Moving)?
        };
        let own = self.own_findings(session, &snapshot, skipped);
        Ok(Tree { snapshot, own })
    }

    /// Whether it is a folder in which there may be something to look at.
    fn is_wanted_folder(&self, session: &Session, path: &str) -> bool {
        let Ok(path) = RelPath::parse(path) else { return false };
        let loaded = self.workspace(session).load(std::slice::from_ref(&path));
        loaded.is_ok_and(|it| matches!(it.snapshot.get(&path), Some(Entry::Directory)))
            && (self.config.exclude.is_empty() || !self.config.exclude.matches(&path))
    }

    fn own_findings(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        skipped: &[Skipped],
    ) -> Vec<Arc<Diagnostic>> {
        let limit = self.workspace(session).options().max_file_size;
        let mut found = self.config.infos.clone();
        for (path, entry) in snapshot.iter() {
            if let Entry::Unread { size, reason: snapshot::UnreadReason::TooLarge } = entry
                && document::Format::of_path(path.as_str()).is_some()
            {
                found.push(own_rules::too_large(path.as_str(), *size, limit));
            }
        }
        for it in skipped {
            let is_passed_over = RelPath::parse(&it.path).is_ok_and(|path| !self.includes(&path));
            if document::Format::of_path(&it.path).is_some() && !is_passed_over {
                found.push(own_rules::unreadable(&it.path, "file", &it.reason));
            } else if self.is_wanted_folder(session, &it.path) {
                found.push(own_rules::unreadable(&it.path, "folder", &it.reason));
            }
        }
        found.retain_mut(|it| match self.config.rules.get(&it.rule_id) {
            Some(Level::Off) => false,
            Some(Level::At(severity)) => {
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
    overlay: &Overlay,
) -> Result<(Config, Option<Text>), Failure> {
    let path = RelPath::parse(config::PATH).expect("the name of the configuration is a path");
    let text = match overlay.get(&path) {
        Some(bytes) => Some(Text::new(bytes.clone())),
        None => load_text(&session.workspace, &path)?,
    };
    let Some(text) = text else { return Ok((Config::default(), None)) };
    match config::read(&text) {
        Ok(config) => Ok((config, Some(text))),
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
        Some(Entry::File(file)) => Ok(Some(file.text.clone())),
        None => Ok(None),
        Some(_) => Err(Failure::Unusable {
            path: path.to_string(),
            reason: "it is not a file that can be read".to_owned(),
        }),
    }
}

/// Rules that nobody knows cannot be given a severity: a misspelled one would be passed over in silence.
fn check_rules(config: &Config, catalog: &Catalog, text: &Text) -> Result<(), Failure> {
    let known: Vec<&str> = catalog.rule_ids().collect();
    let unknown = config.rules.keys().filter(|it| !catalog.has(it));
    let problem = |rule: &String| {
        let hint = match nearest::nearest(rule, &known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`regreen explain` lists the rules of this workspace".to_owned(),
        };
        let at = Pointer::root().join("rules").join(rule);
        (at, format!("there is no rule `{}`; {hint}", nearest::short(rule)))
    };
    let problems: Vec<_> = unknown.map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(failure_at(problems, text)) }
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
        frames: Box::new(Frames { sources, help: BTreeMap::new() }),
    }
}

/// Names where a pack is, for messages.
pub(crate) fn describe(pack: &PackRef) -> String {
    match &pack.place {
        PackPlace::Folder(folder) => format!("the pack in {folder}"),
        PackPlace::Builtin(name) => format!("the built-in pack `{name}`"),
    }
}

#[cfg(test)]
mod tests;
