//! An open workspace. What an interrupted transaction left behind is settled first by who may write, and reported by who
//! may not.

pub(crate) mod identity;
pub(crate) mod pool;
pub(crate) mod steady;
pub(crate) mod timer;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use protocol::v1::PendingTransaction;
use snapshot::RelPath;
use workspace::{Interrupts, ListedFiles, Options, Recovered, TransactionId, Workspace};

use crate::failure::Failure;

pub use workspace::Home;

/// The command that settles an unfinished transaction.
const SETTLE: &str = "regreen recover";

/// What a session may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionAccess {
    /// A build: no file is written, and nothing is read that the user keeps: no state, no cache, no trust.
    Build,
    /// No file of the tree is written; an unfinished transaction stays as it is.
    Look,
    /// Transactions may be made, and an unfinished one is settled first.
    Write,
}

/// Whose session it is.
#[derive(Clone, Debug)]
pub struct User {
    /// Where the user keeps state and caches.
    pub home: Home,
    /// What the process knows of signals.
    pub interrupts: Interrupts,
    /// Whether everything that needs trust is trusted in this run.
    pub is_trusting: bool,
    /// The user's own programs.
    pub programs: Programs,
    /// The programs that a build may run, by name. They are among its inputs, so whoever wrote the build trusts them.
    pub build_tools: BTreeMap<String, PathBuf>,
}

/// Where the user's own programs are, and what belongs to them. Without any, no tool is found.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// The folders in which programs are looked for, as `PATH` has them.
    pub path: OsString,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folder for what can be made again.
    pub cache: Option<PathBuf>,
    /// The variables of [`Programs::VARIABLES`] that are set.
    pub variables: BTreeMap<String, OsString>,
}

impl Programs {
    /// The variables that say where toolchains and packages are, and which toolchain is meant.
    pub const VARIABLES: [&str; 5] =
        ["CARGO_HOME", "GOMODCACHE", "GOPATH", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        self.variables.get(name).cloned()
    }
}

/// An open workspace.
pub struct Session {
    pub(crate) workspace: Workspace,
    root: Option<PathBuf>,
    access: SessionAccess,
    is_trusting: bool,
    programs: Programs,
    /// In a build, the programs that it may run, by name.
    build_tools: Option<BTreeMap<String, PathBuf>>,
    recovered: Recovered,
    pending: Option<TransactionId>,
}

impl Session {
    /// Opens the workspace at `root`, and settles it or looks whether there is something to settle.
    pub fn open(root: &Path, access: SessionAccess, user: &User) -> Result<Session, Failure> {
        let build_tools = (access == SessionAccess::Build).then(|| user.build_tools.clone());
        let user = (access != SessionAccess::Build).then_some(user);
        let is_trusting = user.is_some_and(|it| it.is_trusting);
        let programs = user.map(|it| it.programs.clone()).unwrap_or_default();
        let level = match access {
            SessionAccess::Build | SessionAccess::Look => workspace::OpenMode::ReadOnly,
            SessionAccess::Write => workspace::OpenMode::ReadWrite,
        };
        let workspace = open(root, user, Options::new(level))?;
        let root = Some(root.to_owned());
        Ok(Session {
            root,
            is_trusting,
            programs,
            build_tools,
            ..Session::over(workspace, access)?
        })
    }

    /// Opens the tree that a build lists: the path of each of its files, and where the file is on disk. Nothing else is
    /// read, no program runs but the `tools`, and nothing can be written.
    pub fn of_inputs(
        inputs: &BTreeMap<String, PathBuf>,
        tools: &BTreeMap<String, PathBuf>,
    ) -> Result<Session, Failure> {
        let parse = |(path, file): (&String, &PathBuf)| match RelPath::parse(path) {
            Ok(path) => Ok((path, file.clone())),
            Err(error) => Err(Failure::Usage { message: format!("the list of inputs: {error}") }),
        };
        let listing = inputs.iter().map(parse).collect::<Result<ListedFiles, Failure>>()?;
        let options = Options::new(workspace::OpenMode::ReadOnly);
        let workspace = Workspace::listed(listing, options)
            .map_err(|error| Failure::Unreadable { message: error.to_string() })?;
        let build_tools = Some(tools.clone());
        Ok(Session { build_tools, ..Session::over(workspace, SessionAccess::Build)? })
    }

    /// Settles a workspace that is open already.
    pub(crate) fn over(workspace: Workspace, access: SessionAccess) -> Result<Session, Failure> {
        let (recovered, pending) = match access {
            SessionAccess::Build => (Recovered::Clean, None),
            SessionAccess::Look => (Recovered::Clean, workspace.pending()?),
            SessionAccess::Write => (workspace.recover()?, None),
        };
        let build_tools = (access == SessionAccess::Build).then(BTreeMap::new);
        let (root, is_trusting, programs) = (None, false, Programs::default());
        Ok(Session {
            workspace,
            root,
            access,
            is_trusting,
            programs,
            build_tools,
            recovered,
            pending,
        })
    }

    /// The same workspace with another limit for the size of files, if it is another.
    pub(crate) fn reopened(&self, max_file_size: Option<u64>) -> Option<Workspace> {
        let other = max_file_size.filter(|it| *it != self.workspace.options().max_file_size);
        other.map(|it| self.workspace.with_max_file_size(it))
    }

    /// The folder on disk, if there is one.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// What the session may do.
    pub fn access(&self) -> SessionAccess {
        self.access
    }

    /// Whether it may change anything.
    pub(crate) fn may_write(&self) -> bool {
        self.access == SessionAccess::Write
    }

    /// Whether the user said that everything is trusted in this run.
    pub(crate) fn is_trusting(&self) -> bool {
        self.is_trusting
    }

    /// The user's own programs.
    pub(crate) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// In a build, the programs that it may run, by name; `None` elsewhere.
    pub(crate) fn build_tools(&self) -> Option<&BTreeMap<String, PathBuf>> {
        self.build_tools.as_ref()
    }

    /// The transaction that a crash left unfinished and that this session may not settle.
    pub fn pending_transaction(&self) -> Option<PendingTransaction> {
        let id = self.pending?;
        Some(PendingTransaction { id: id.to_string(), settle: SETTLE.to_owned() })
    }

    /// What was settled when the workspace was opened, in words; `None` if all was well.
    pub fn recovered(&self) -> Option<String> {
        recovered_words(&self.recovered)
    }

    pub(crate) fn what_was_recovered(&self) -> &Recovered {
        &self.recovered
    }

    /// What people should know about where state is: what was set aside, and what an older regreen left in the tree.
    pub fn state_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.access == SessionAccess::Write
            && let Some(foreign) = self.workspace.foreign_state()
        {
            notes.push(format!(
                "{} was not made by you for this folder; it is not used, and set aside when files are written",
                foreign.display()
            ));
        }
        let former = match self.access {
            SessionAccess::Build => Vec::new(),
            SessionAccess::Look | SessionAccess::Write => self.workspace.former_state(),
        };
        if !former.is_empty() {
            let names: Vec<String> = former.iter().map(|it| format!("`.regreen/{it}`")).collect();
            let import = match former.iter().any(|it| it == "registry.db") {
                true => "; `regreen dds import .regreen/registry.db` takes its records over",
                false => "",
            };
            notes.push(format!(
                "{} {} from an older regreen and not used{import}",
                names.join(", "),
                if names.len() == 1 { "is" } else { "are" }
            ));
        }
        notes
    }
}

fn open(root: &Path, user: Option<&User>, options: Options) -> Result<Workspace, Failure> {
    let workspace = Workspace::open(root, user.map(|it| &it.home), options);
    let workspace = workspace.map_err(Failure::Open)?;
    Ok(match user {
        Some(user) => workspace.with_interrupts(user.interrupts.clone()),
        None => workspace,
    })
}

pub(crate) fn recovered_words(recovered: &Recovered) -> Option<String> {
    match recovered {
        Recovered::Clean => None,
        Recovered::RolledBack { id, kept } if kept.is_empty() => {
            Some(format!("an earlier run was interrupted; {id} was taken back"))
        }
        Recovered::RolledBack { id, kept } => {
            let kept: Vec<&str> = kept.iter().map(|it| it.as_str()).collect();
            Some(format!(
                "an earlier run was interrupted; {id} was taken back, and {} stayed as somebody saved it since",
                kept.join(", ")
            ))
        }
        Recovered::Completed(id) => {
            Some(format!("an earlier run was interrupted while it wrote {id}; it was completed"))
        }
    }
}

/// The root of the workspace that `start` lies in; `start` itself if it cannot be told.
pub fn find_root(start: &Path) -> PathBuf {
    workspace::find_root(start).unwrap_or_else(|_| start.to_owned())
}
