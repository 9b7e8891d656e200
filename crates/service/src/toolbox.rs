//! The tools that people already have, as sources of findings: which of them take part in a workspace, and why.
//!
//! `linters` knows what a tool is, what shows that a repository uses it, and how to read what it says; `launch` starts it.
//! Here both are joined. A tool takes part if its table in `regreen.toml` says so, if the repository shows that it uses it,
//! or, for the few whose findings are beyond taste, if it is installed and there are files for it. What would run code of
//! the repository takes part only if the user trusts the repository with it; whatever is left out is one line in the report.
//!
//! Nothing is started here: a tool is asked for its version when it is used.

mod answers;
mod ask;
mod environment;
mod own;
mod portions;
mod probe;
mod recall;
mod summary;
mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use check::{Provider, Trust as CardTrust};
use linters::{Adapter, LocalPrograms, ToolKind, ToolUses};
use protocol::v1::{OtherTool, ToolState, ToolSummary, TrustState};
use snapshot::{RelPath, Snapshot};

use crate::commands::trust::WorkspaceTrust;
use crate::config::{Config, Linter, OwnSource};
use crate::session::{Session, SessionAccess};
use crate::setup::{ScannedTree, Setup};

use environment::ToolEnvironment;
pub(crate) use summary::{of_check, of_fix};
pub(crate) use tool::page;
use tool::{ToolProvider, WorkspaceTool};

/// How long a tool of one's own may take, unless it says otherwise.
const OWN_LIMIT: Duration = Duration::from_secs(180);

/// The tools of a workspace.
#[derive(Default)]
pub(crate) struct Toolbox {
    /// In the order of their names.
    members: Vec<ToolMember>,
}

/// A tool that takes part, or would.
pub(crate) struct ToolMember {
    pub(crate) name: String,
    /// Why it takes part, for people.
    pub(crate) reason: String,
    /// Whether the run fails without it.
    pub(crate) required: bool,
    pub(crate) place: ToolAvailability,
}

/// What became of a tool.
pub(crate) enum ToolAvailability {
    /// It is asked.
    Ready(Arc<WorkspaceTool>),
    /// It is not, and why.
    Absent {
        state: ToolState,
        /// What would have to be done, for people.
        message: String,
    },
}

/// What a tool would run that came with the repository, for people who are to trust it.
pub(crate) struct RepositoryCode {
    pub(crate) name: String,
    pub(crate) what: String,
    /// The settings that can name what it runs, by file.
    pub(crate) settings: Vec<(RelPath, Vec<u8>)>,
}

/// The names under which a tool can report: no pack may have one of them.
pub(crate) fn reserved_names() -> impl Iterator<Item = &'static str> + use<> {
    linters::all().iter().map(|it| it.name)
}

/// What is known of a tool before it is decided whether it takes part.
struct Candidate {
    adapter: &'static Adapter,
    reason: String,
    is_presence: bool,
    is_named: bool,
    settings: Linter,
}

impl Toolbox {
    /// The tools of a tree. `disk` is the tree as it lies there, `tree` what is looked at. Only those that are `wanted` are
    /// looked for.
    pub(crate) fn new(
        session: &Session,
        config: &Config,
        (disk, tree): (&Snapshot, &Snapshot),
        cache: &Arc<crate::setup::cache::DiskCache>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Toolbox {
        let Some(environment) = ToolEnvironment::new(session, disk, cache) else {
            return Toolbox::default();
        };
        let environment = Arc::new(environment);
        let uses = ToolUses::read(tree);
        let candidates = candidates(config, &uses, &environment);
        let candidates: Vec<Candidate> =
            candidates.into_iter().filter(|it| wanted(it.adapter.name)).collect();
        let uses = match candidates.is_empty() {
            true => uses,
            false => environment.with_unlisted_settings(uses),
        };
        let code: Vec<RepositoryCode> =
            candidates.iter().filter_map(|it| repository_code(it, &uses, &environment)).collect();
        // Where nothing needs trust, nobody looks what is trusted.
        let needs_trust =
            !environment.is_build() && (!code.is_empty() || !config.sources.is_empty());
        let trust = needs_trust.then(|| WorkspaceTrust::of(session, config).0.with_tools(&code));
        let trust = trust.as_ref();
        let mut members: Vec<ToolMember> = Vec::new();
        for candidate in candidates {
            let code = code.iter().find(|it| it.name == candidate.adapter.name);
            members.push(member(candidate, code, &uses, &environment, trust));
        }
        for own in config.sources.iter().filter(|it| wanted(&it.name)) {
            members.push(own_member(own, &environment, trust));
        }
        members.sort_by(|left, right| left.name.cmp(&right.name));
        Toolbox { members }
    }

    /// What the tools of a tree would run that came with the repository.
    pub(crate) fn repository_code(
        session: &Session,
        config: &Config,
        tree: &Snapshot,
    ) -> Vec<RepositoryCode> {
        let cache = Arc::default();
        let Some(environment) = ToolEnvironment::new(session, tree, &cache) else {
            return Vec::new();
        };
        let uses = ToolUses::read(tree);
        let candidates = candidates(config, &uses, &environment);
        let uses = environment.with_unlisted_settings(uses);
        candidates.iter().filter_map(|it| repository_code(it, &uses, &environment)).collect()
    }

    /// Those that can be asked.
    pub(crate) fn providers(&self) -> impl Iterator<Item = Arc<dyn Provider>> {
        self.tools().map(|it| Arc::new(ToolProvider(Arc::clone(it))) as Arc<dyn Provider>)
    }

    fn tools(&self) -> impl Iterator<Item = &Arc<WorkspaceTool>> {
        self.members.iter().filter_map(|it| match &it.place {
            ToolAvailability::Ready(tool) => Some(tool),
            ToolAvailability::Absent { .. } => None,
        })
    }

    pub(crate) fn members(&self) -> &[ToolMember] {
        &self.members
    }

    pub(crate) fn member(&self, name: &str) -> Option<&ToolMember> {
        self.members.iter().find(|it| it.name == name)
    }

    /// The longest that one of them may take.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.tools().map(|it| it.limit).max()
    }

    /// Whether the file may decide which tools take part, and how.
    pub(crate) fn depends_on(path: &RelPath) -> bool {
        linters::all().iter().any(|it| it.signs.is_setting(path.as_str()))
    }
}

/// The tools that take part unless something is in the way, in the order of their names.
fn candidates(
    config: &Config,
    uses: &ToolUses<'_>,
    environment: &ToolEnvironment,
) -> Vec<Candidate> {
    let mut found: BTreeMap<&str, Candidate> = BTreeMap::new();
    for adapter in linters::all().iter().copied() {
        let settings = config.linters.get(adapter.name).cloned();
        let is_named = settings.is_some();
        let settings = settings.unwrap_or_default();
        if settings.enabled == Some(false) {
            continue;
        }
        let evidence = adapter.detect(uses).or_else(|| {
            // Files are looked at only for a tool that is there.
            let is_there = adapter.joins_on_presence && environment.find(adapter.program).is_some();
            is_there.then(|| adapter.takes_part(uses)).flatten()
        });
        let (reason, is_presence) = match (&evidence, is_named) {
            (Some(it), _) if !it.is_presence => (format!("{} has {}", it.file, it.what), false),
            (_, true) => (format!("{} names it", crate::config::PATH), false),
            (Some(it), false) => (format!("it is installed, and {} is {}", it.file, it.what), true),
            (None, false) => continue,
        };
        found.insert(adapter.name, Candidate { adapter, reason, is_presence, is_named, settings });
    }
    let superseded: BTreeSet<&str> = found
        .values()
        .filter(|it| environment.find(it.adapter.program).is_some())
        .flat_map(|it| it.adapter.supersedes.iter().copied())
        .collect();
    found.into_values().filter(|it| it.is_named || !superseded.contains(it.adapter.name)).collect()
}

/// What the tool would run of the repository, if it would.
fn repository_code(
    candidate: &Candidate,
    uses: &ToolUses<'_>,
    environment: &ToolEnvironment,
) -> Option<RepositoryCode> {
    let adapter = candidate.adapter;
    let name = adapter.name.to_owned();
    let what = if candidate.settings.names_command() {
        format!("[linters.{name}] says what is run")
    } else {
        match (adapter.trust)(uses) {
            CardTrust::RunsRepositoryCode { what } => what,
            CardTrust::Sealed if environment.find(adapter.program).is_some() => return None,
            // The repository brings the program itself.
            CardTrust::Sealed => {
                let local = local(adapter, uses, environment)?;
                let root = environment.root();
                let shown = local.strip_prefix(root).unwrap_or(&local).display().to_string();
                format!("{shown} comes with the repository")
            }
        }
    };
    Some(RepositoryCode { name, what, settings: adapter.settings(uses) })
}

/// The program of the tool in the repository.
fn local(adapter: &Adapter, uses: &ToolUses<'_>, environment: &ToolEnvironment) -> Option<PathBuf> {
    let folders: Vec<String> = match adapter.local {
        LocalPrograms::Nowhere => return None,
        LocalPrograms::Venv => vec![".venv/bin".to_owned(), "venv/bin".to_owned()],
        LocalPrograms::Node => {
            let beside = |path: &RelPath| match path.parent() {
                Some(folder) => format!("{folder}/node_modules/.bin"),
                None => "node_modules/.bin".to_owned(),
            };
            let mut folders: Vec<String> =
                uses.named(&["package.json"]).into_iter().map(beside).collect();
            folders.sort_by_key(|it| (it.len(), it.clone()));
            folders.insert(0, "node_modules/.bin".to_owned());
            folders
        }
    };
    folders.iter().find_map(|it| environment.find_in(it, adapter.program))
}

/// Why a tool is not asked, and whether the run fails for that.
struct Absence {
    state: ToolState,
    message: String,
    is_failure: bool,
}

impl Absence {
    /// That nobody has trusted it yet is not a failure, whoever named it.
    fn untrusted(what: &str) -> Absence {
        let message = format!("waits for `regreen trust`: {what}");
        Absence { state: ToolState::Untrusted, message, is_failure: false }
    }

    /// The same, of what was trusted and is not what it was.
    fn changed(what: &str) -> Absence {
        Absence::untrusted(&format!("its settings are not those that you trusted, and {what}"))
    }

    /// It is not installed. A build has what it was given, and that it lacks a program is no failure.
    fn missing(environment: &ToolEnvironment, message: String) -> Absence {
        if environment.is_build() {
            let message = "a build runs only programs that are among its inputs".to_owned();
            return Absence { state: ToolState::Unchecked, message, is_failure: false };
        }
        Absence { state: ToolState::Missing, message, is_failure: true }
    }

    /// A command of the configuration that is not there.
    fn missing_command(environment: &ToolEnvironment, command: &[String]) -> Absence {
        let program = command.first().map_or("", String::as_str);
        Absence::missing(environment, format!("{program:?} was not found"))
    }
}

fn member(
    candidate: Candidate,
    code: Option<&RepositoryCode>,
    uses: &ToolUses<'_>,
    environment: &Arc<ToolEnvironment>,
    trust: Option<&WorkspaceTrust>,
) -> ToolMember {
    let name = candidate.adapter.name.to_owned();
    let reason = candidate.reason.clone();
    let required = candidate.settings.required.unwrap_or(candidate.is_named);
    new_member(name, reason, required, || {
        let Candidate { adapter, is_presence, settings, .. } = candidate;
        // What a build runs is among its inputs: whoever wrote the build trusts it.
        if let Some(code) = code.filter(|_| !environment.is_build()) {
            match trust.map_or(TrustState::New, |it| it.of_linter(adapter.name)) {
                TrustState::Trusted => {}
                TrustState::Changed => return Err(Absence::changed(&code.what)),
                TrustState::New => return Err(Absence::untrusted(&code.what)),
            }
        }
        let found = match &settings.command {
            Some(command) => {
                let found = environment.named(command);
                found.ok_or_else(|| Absence::missing_command(environment, command))?
            }
            None => {
                let local = code.and_then(|_| local(adapter, uses, environment));
                let path =
                    local.or_else(|| environment.find(adapter.program)).ok_or_else(|| {
                        let message = match environment.shim(adapter.program) {
                            Some(shim) => shim_of(adapter, &shim),
                            None => format!("is not installed: {}", adapter.install),
                        };
                        Absence::missing(environment, message)
                    })?;
                environment.install(&path)
            }
        };
        Ok(WorkspaceTool::known(
            adapter,
            is_presence,
            found,
            &settings,
            uses,
            Arc::clone(environment),
        ))
    })
}

/// What to do about a program that only a version manager can find.
fn shim_of(adapter: &Adapter, shim: &std::path::Path) -> String {
    format!(
        "is a shim of a version manager ({}): name the program itself, as `command` of [linters.{}]",
        shim.display(),
        adapter.name
    )
}

fn own_member(
    own: &OwnSource,
    environment: &Arc<ToolEnvironment>,
    trust: Option<&WorkspaceTrust>,
) -> ToolMember {
    let reason = format!("{} names it", crate::config::PATH);
    new_member(own.name.clone(), reason, own.required, || {
        let is_trusted = trust.is_some_and(|it| it.forbids_source(&own.name).is_none());
        if !is_trusted && !environment.is_build() {
            return Err(Absence::untrusted(&format!("it runs `{}`", own.command.join(" "))));
        }
        let found = environment.named(&own.command);
        let found = found.ok_or_else(|| Absence::missing_command(environment, &own.command))?;
        Ok(WorkspaceTool::own(own, found, Arc::clone(environment)))
    })
}

/// A tool that is asked, unless `find` says why not.
fn new_member(
    name: String,
    reason: String,
    required: bool,
    find: impl FnOnce() -> Result<WorkspaceTool, Absence>,
) -> ToolMember {
    match find() {
        Ok(tool) => {
            ToolMember { name, reason, required, place: ToolAvailability::Ready(Arc::new(tool)) }
        }
        Err(Absence { state, message, is_failure }) => {
            let required = required && is_failure;
            ToolMember {
                name,
                reason,
                required,
                place: ToolAvailability::Absent { state, message },
            }
        }
    }
}

/// For `init`: the tools that take part or would, with nothing run, and those that know files of the tree and that the
/// repository does not show that it uses.
pub(crate) fn overview(
    session: &Session,
    setup: &Setup,
    tree: &ScannedTree,
) -> (Vec<ToolSummary>, Vec<OtherTool>) {
    let trees = (&tree.disk, &tree.snapshot);
    let toolbox = Toolbox::new(session, &setup.config, trees, &setup.cache, &|_| true);
    let uses = ToolUses::read(&tree.snapshot);
    let mut others = Vec::new();
    let environment = ToolEnvironment::new(session, &tree.disk, &setup.cache);
    for adapter in linters::all().iter().filter(|_| session.access() != SessionAccess::Build) {
        let table = setup.config.linters.get(adapter.name);
        let is_off = table.is_some_and(|it| it.enabled == Some(false));
        let is_for_all = adapter.files.extensions.contains(&"*");
        // Of what only finds things, and of what is about all files, there is always one more.
        let is_minor = is_for_all || adapter.kind == ToolKind::Findings;
        if is_off || is_minor || toolbox.member(adapter.name).is_some() {
            continue;
        }
        let files = uses.paths().filter(|it| adapter.files.has_path(it.as_str())).count();
        if files > 0 {
            let is_there =
                environment.as_ref().is_some_and(|it| it.find(adapter.program).is_some());
            let install = (!is_there).then(|| adapter.install.to_owned());
            others.push(OtherTool { name: adapter.name.to_owned(), files, install });
        }
    }
    (toolbox.members().iter().map(|it| summary::before(it, &tree.snapshot)).collect(), others)
}
