//! What every source of findings implements: packs, compilers, linters, language servers.
//!
//! Most sources are pure functions of a snapshot: they implement [`Check`] and are providers by that alone. What such a
//! source wants to remember between two snapshots travels in its [`Report`], not in the source, so that it can look at
//! many versions of a tree in any order. A source that runs elsewhere, as a process or a server, implements [`Provider`]
//! and gives a [`Looker`] when it is opened.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use snapshot::{RelPath, Snapshot};

use crate::card::{Card, Page};
use crate::coverage::Coverage;
use crate::diagnostic::Diagnostic;
use crate::parses::Parses;
use crate::repair::Repair;
use crate::stop::Stop;

/// A source of findings, before it is asked. Never writes.
pub trait Provider: Send + Sync {
    /// What it says about itself. Always the same.
    fn card(&self) -> &Card;

    /// Gets it ready to be asked.
    fn open(&self, environment: &Environment) -> Result<Opened<'_>, LookError>;

    /// What of the tree an answer about the files of [`Input::only`] depends on, as far as this part of the tree tells.
    /// Who does not know needs all of it.
    fn reach(&self, input: &Input<'_>) -> Reach {
        let _ = input;
        Reach::Tree
    }

    /// Which files of the tree it is about and how far it looked at each. The report is what it said of the same tree.
    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage;

    /// The page about one of its rules.
    fn page(&self, rule_id: &str) -> Option<Page>;

    /// How many files of the tree it knows, by what they are to it.
    fn kinds(&self, snapshot: &Snapshot, parses: &Parses) -> BTreeMap<String, usize> {
        let _ = (snapshot, parses);
        BTreeMap::new()
    }
}

/// A provider that can be asked.
pub enum Opened<'a> {
    /// A function in this process.
    Function(&'a dyn Check),
    /// Something that runs elsewhere. It is asked on a thread of its own, and left behind there if it does not come back.
    Elsewhere(Box<dyn Looker>),
}

/// What a provider needs to know of the world.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Where the tree stands on disk, if it does.
    pub root: Option<PathBuf>,
}

/// A provider that runs elsewhere and was opened. Dropping it ends what it started.
pub trait Looker: Send {
    /// What is wrong in the tree. Comes back soon after [`Input::stop`] is set.
    fn look(&mut self, input: &Input<'_>) -> Result<Report, LookError>;

    /// What would repair these findings of the tree, which it looked at last: adds it to the report. Asked only for
    /// trees that are kept.
    fn repairs(
        &mut self,
        input: &Input<'_>,
        of: &BTreeSet<String>,
        report: &mut Report,
    ) -> Result<(), LookError>;
}

/// A source that is a pure function of the tree. Never writes.
pub trait Check: Send + Sync {
    /// What it says about itself. Always the same.
    fn card(&self) -> &Card;

    /// Says what is wrong in the tree. The answer depends on the snapshot alone: `since` only saves work. May use the
    /// threads of the current rayon pool. Looks at [`Input::stop`] between two files.
    fn check(&self, input: &Input<'_>) -> Result<Report, LookError>;

    /// Adds to a report, which it made of the same input, what would repair what was found.
    fn repairs(&self, input: &Input<'_>, report: &mut Report) -> Result<(), LookError>;

    /// See [`Provider::reach`].
    fn reach(&self, input: &Input<'_>) -> Reach {
        let _ = input;
        Reach::Tree
    }

    /// See [`Provider::coverage`].
    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage;

    /// See [`Provider::page`].
    fn page(&self, rule_id: &str) -> Option<Page> {
        let _ = rule_id;
        None
    }

    /// See [`Provider::kinds`].
    fn kinds(&self, snapshot: &Snapshot, parses: &Parses) -> BTreeMap<String, usize> {
        let _ = (snapshot, parses);
        BTreeMap::new()
    }

    /// The findings and what would repair them.
    fn report(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let mut report = self.check(input)?;
        self.repairs(input, &mut report)?;
        Ok(report)
    }
}

impl<C: Check> Provider for C {
    fn card(&self) -> &Card {
        Check::card(self)
    }

    fn open(&self, _environment: &Environment) -> Result<Opened<'_>, LookError> {
        Ok(Opened::Function(self))
    }

    fn reach(&self, input: &Input<'_>) -> Reach {
        Check::reach(self, input)
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        Check::coverage(self, snapshot, report)
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        Check::page(self, rule_id)
    }

    fn kinds(&self, snapshot: &Snapshot, parses: &Parses) -> BTreeMap<String, usize> {
        Check::kinds(self, snapshot, parses)
    }
}

/// What a provider gets to look at.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The tree.
    pub snapshot: &'a Snapshot,
    /// An earlier look of the same provider, if there was one.
    pub since: Option<Since<'a>>,
    /// Parsed documents, shared by all providers.
    pub parses: &'a Parses,
    /// Whether the answer is still wanted.
    pub stop: &'a Stop,
    /// The files that somebody asks about, if not all. What is wrong with others may be left out.
    pub only: Option<&'a BTreeSet<RelPath>>,
}

impl<'a> Input<'a> {
    /// What the provider remembered of an earlier look, and the paths that have changed since.
    pub fn earlier<T: Any + Send + Sync>(&self) -> Option<(&'a T, &'a BTreeSet<RelPath>)> {
        let since = self.since?;
        Some((since.report.remembered()?, since.changed))
    }
}

/// What of a tree an answer depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// These files, there or not, and those that were asked about.
    Files(BTreeSet<RelPath>),
    /// All of it.
    Tree,
}

impl Reach {
    /// What two answers depend on.
    #[must_use]
    pub fn and(self, other: Reach) -> Reach {
        match (self, other) {
            (Reach::Files(mut files), Reach::Files(more)) => {
                files.extend(more);
                Reach::Files(files)
            }
            _ => Reach::Tree,
        }
    }
}

/// An earlier look at another version of the tree.
#[derive(Clone, Copy)]
pub struct Since<'a> {
    /// What the provider said of it.
    pub report: &'a Report,
    /// The paths that are not as they were then: changed, added and removed ones.
    pub changed: &'a BTreeSet<RelPath>,
}

/// What a provider remembers about a tree it has looked at.
pub type Memory = Arc<dyn Any + Send + Sync>;

/// What a provider says about a tree. The order of the lists has no meaning.
#[derive(Clone, Default)]
pub struct Report {
    /// What is wrong, with ids assigned. All of it, not only what is new.
    pub diagnostics: Vec<Arc<Diagnostic>>,
    /// What would repair it, with ids assigned. Empty until somebody asks.
    pub repairs: Vec<Arc<Repair>>,
    /// The files in which not every phase could run, and the first phase that could not. What such a phase says later
    /// was hidden before, and is not new.
    pub blocked: BTreeMap<RelPath, String>,
    /// Whom the provider asked in turn and did not hear from, by their names.
    pub unheard: BTreeMap<String, LookError>,
    /// The ids of the findings that those could have settled: they may be no findings at all.
    pub doubtful: BTreeSet<String>,
    /// For the provider's own use with the next version of the tree.
    pub memory: Option<Memory>,
}

impl Report {
    /// What the provider remembers of the tree, if it is of this type.
    pub fn remembered<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.memory.as_ref()?.downcast_ref()
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("diagnostics", &self.diagnostics)
            .field("repairs", &self.repairs)
            .field("blocked", &self.blocked)
            .field("unheard", &self.unheard)
            .field("doubtful", &self.doubtful)
            .finish_non_exhaustive()
    }
}

/// Why a provider did not answer. Not what is wrong with the tree (AE-48), except for [`FailureKind::BrokenByTree`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct LookError {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The file that it is about, if it is about one.
    pub file: Option<RelPath>,
    /// What happened and what to do.
    pub message: String,
}

impl LookError {
    /// A failure that is not about a file.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> LookError {
        LookError { kind, file: None, message: message.into() }
    }

    /// The provider was asked to stop, and did.
    pub fn stopped() -> LookError {
        LookError::new(FailureKind::Stopped, "was stopped before it answered")
    }
}

/// The ways in which a provider can fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// It is not there, or cannot be started.
    Unavailable,
    /// It did not answer in time.
    TimedOut,
    /// It ended before it had answered.
    Died,
    /// Its answer does not make sense.
    Garbled,
    /// It panicked. A defect.
    Panicked,
    /// It was asked to stop.
    Stopped,
    /// A file of the tree keeps it from working: its configuration, most likely.
    BrokenByTree,
}

impl FailureKind {
    /// Whether the machine may be the reason rather than a defect: what a user can decide to put up with.
    pub fn is_absence(self) -> bool {
        matches!(self, FailureKind::Unavailable | FailureKind::TimedOut | FailureKind::Died)
    }

    /// Whether it says something about the tree. Any other failure says nothing about what was tried.
    pub fn is_evidence(self) -> bool {
        self == FailureKind::BrokenByTree
    }
}
