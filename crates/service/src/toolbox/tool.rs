//! One tool as a source of findings: an adapter, a program that was found, and the tree as the program sees it.
//!
//! A tool that works file by file is asked about the files that changed; one that works on a project is asked about all of
//! them. How it is asked is in [`ask`](super::ask), what is kept of its answers in [`recall`](super::recall).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use check::{
    Card, Coverage, Environment, LookError, Opened, Page, Provider, Report, Safety, Unchecked,
};
use linters::{Adapter, Scope, ToolUses, Toolchain};
use snapshot::{File, RelPath, Snapshot};

use super::OWN_LIMIT;
use super::answers::ToolAnswers;
use super::ask::ToolLooker;
use super::environment::{InstalledProgram, ToolEnvironment};
use super::own;
use crate::config::{Linter, OwnSource};

/// A tool that takes part.
pub(crate) struct WorkspaceTool {
    pub(super) card: Card,
    pub(super) work: Work,
    pub(super) found: InstalledProgram,
    pub(super) args: Vec<String>,
    /// How long it may take for one look.
    pub(super) limit: Duration,
    pub(super) safety: BTreeMap<String, Safety>,
    pub(super) environment: Arc<ToolEnvironment>,
    /// How long it has taken so far.
    pub(super) spent: Mutex<Duration>,
}

pub(super) enum Work {
    Adapter {
        adapter: &'static Adapter,
        /// Whether the repository does not show that it uses it.
        is_presence: bool,
        /// The folders that it is run in.
        projects: Vec<Option<RelPath>>,
    },
    Own(OwnSource),
}

impl WorkspaceTool {
    /// A tool that regreen knows.
    pub(super) fn known(
        adapter: &'static Adapter,
        is_presence: bool,
        found: InstalledProgram,
        settings: &Linter,
        uses: &ToolUses<'_>,
        environment: Arc<ToolEnvironment>,
    ) -> WorkspaceTool {
        let projects = adapter.projects(uses);
        let limit = Duration::from_secs(u64::from(adapter.limit.seconds()));
        WorkspaceTool {
            card: adapter.card(uses),
            work: Work::Adapter { adapter, is_presence, projects },
            found,
            args: settings.args.clone(),
            limit: settings.timeout.unwrap_or(limit),
            safety: settings.safety.clone(),
            environment,
            spent: Mutex::default(),
        }
    }

    /// A tool of the workspace's own.
    pub(super) fn own(
        own: &OwnSource,
        found: InstalledProgram,
        environment: Arc<ToolEnvironment>,
    ) -> WorkspaceTool {
        WorkspaceTool {
            card: own::card(own),
            work: Work::Own(own.clone()),
            found,
            args: Vec::new(),
            limit: own.timeout.unwrap_or(OWN_LIMIT),
            safety: BTreeMap::new(),
            environment,
            spent: Mutex::default(),
        }
    }

    /// How long it has taken so far.
    pub(super) fn spent(&self) -> Duration {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn name(&self) -> &str {
        &self.card.name
    }

    /// The toolchain that it builds with.
    pub(super) fn toolchain(&self) -> Option<Toolchain> {
        match &self.work {
            Work::Adapter { adapter, .. } => adapter.toolchain,
            Work::Own(_) => None,
        }
    }

    /// Whether each file is looked at on its own.
    pub(super) fn is_per_file(&self) -> bool {
        matches!(&self.work, Work::Adapter { adapter, .. } if adapter.scope == Scope::File)
    }

    /// Whether a change of the file changes what is said about others.
    pub(super) fn is_setting(&self, path: &RelPath) -> bool {
        match &self.work {
            Work::Adapter { adapter, .. } => adapter.signs.is_setting(path.as_str()),
            Work::Own(_) => false,
        }
    }

    /// The files of a tree that it is about.
    pub(super) fn files(&self, snapshot: &Snapshot) -> Vec<RelPath> {
        let candidates = snapshot.files_at(|path| self.card.interest.covers(path.as_str()));
        let is_ours = |path: &RelPath, file: &File| match &self.work {
            Work::Adapter { adapter, .. } => {
                adapter.files.has_path(path.as_str())
                    || adapter.files.has(path.as_str(), file.text().bytes())
            }
            Work::Own(_) => true,
        };
        candidates.filter(|(path, file)| is_ours(path, file)).map(|it| it.0.clone()).collect()
    }

    /// What it said, as others see it.
    pub(super) fn report(&self, mut known: ToolAnswers, snapshot: &Snapshot) -> Report {
        let mut said = known.report(&self.safety);
        if let Work::Adapter { adapter, .. } = &self.work {
            adapter.review(&mut said, snapshot);
        }
        let (diagnostics, repairs) = said.to_check(self.name(), snapshot);
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
pub(super) fn answers_of(report: &Report) -> Option<&ToolAnswers> {
    report.memory.as_ref()?.downcast_ref()
}

/// A tool, to be opened.
pub(super) struct ToolProvider(pub(super) Arc<WorkspaceTool>);

impl Provider for ToolProvider {
    fn card(&self) -> &Card {
        &self.0.card
    }

    fn open(&self, _environment: &Environment) -> Result<Opened<'_>, LookError> {
        let tool = Arc::clone(&self.0);
        Ok(Opened::Elsewhere(Box::new(ToolLooker::new(tool))))
    }

    fn coverage(&self, _snapshot: &Snapshot, report: &Report) -> Coverage {
        let mut coverage = Coverage::default();
        for (path, known) in answers_of(report).into_iter().flat_map(|it| &it.files) {
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
            Work::Adapter { adapter, .. } => page(adapter, rule_id),
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
