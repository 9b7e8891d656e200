//! Work that could not be done, as opposed to a patch that is wrong (AE-48): I/O, the lock, a damaged store.

use std::error::Error;
use std::io;

use crate::patch_trial::refusals;
use snapshot::{ApplyError, ChangeError};
use workspace::{
    CommitError, IndexLoadError, JournalError, LoadError, LockError, RecoverError, ScanError,
    StagingError, UndoError,
};

/// What to do about a Z3 that cannot be asked.
pub(crate) const INSTALL_Z3: &str = "install Z3 (Debian and Ubuntu: `apt install z3`; Homebrew: `brew install z3`) so that `z3` is on the PATH, or leave \
     it out: `--solver own`";

/// Why a request was not done. Unless its text says otherwise, no file was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The root cannot be opened.
    #[error("cannot open the workspace: {0}")]
    Open(#[source] io::Error),
    /// What an interrupted run left behind cannot be settled.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// A file cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The tree cannot be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The file index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexLoadError),
    /// The change was not committed.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The transaction was not undone, for a reason that is not the transaction's.
    #[error(transparent)]
    Undo(#[from] UndoError),
    /// The registry of proposals cannot be used.
    #[error(transparent)]
    Registry(#[from] govern::registry::RegistryError),
    /// An approved proposal could not be carried out, or nobody could be told.
    #[error(transparent)]
    Execute(#[from] govern::execute::ExecuteError),
    /// The whole point of the request is something that the user has not trusted.
    #[error("{message}")]
    Untrusted {
        /// What is not trusted.
        message: String,
    },
    /// The request makes no sense in this workspace: the command line is wrong.
    #[error("{message}")]
    Usage {
        /// What is wrong and what would be right.
        message: String,
    },
    /// The configuration or a pack is wrong.
    #[error("{what} cannot be used: {}", n_problems(.problems.len()))]
    Setup {
        /// `regreen.toml` or the pack.
        what: String,
        /// Everything that is wrong, with its place.
        problems: Vec<protocol::v1::Diagnostic>,
        /// What it takes to show the problems to people.
        frames: Box<crate::Frames>,
    },
    /// A file that regreen itself needs cannot be used.
    #[error("{path} cannot be used: {reason}")]
    Unusable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file or folder that must be looked at cannot be read.
    #[error("{message}")]
    Unreadable {
        /// Which, and what the system said.
        message: String,
    },
    /// Two files have the uid that a changeset names.
    #[error("{first} and {second} have the same uid {uid:?}; a changeset cannot name one of them")]
    TwoFiles {
        /// The uid.
        uid: String,
        /// One file.
        first: String,
        /// The other file.
        second: String,
    },
    /// A program could not be run to an end.
    #[error("{message}")]
    Engine {
        /// What happened.
        message: String,
    },
    /// Another solver was asked for and cannot be asked.
    #[error("{message}")]
    Solver {
        /// What happened.
        message: String,
    },
    /// The threads to work with cannot be started.
    #[error("the threads to work with cannot be started: {message}")]
    Threads {
        /// What the system said.
        message: String,
    },
    /// Files change faster than a patch can be applied to them.
    #[error("{path} keeps changing on disk; nothing was changed")]
    KeepsChanging {
        /// The file.
        path: String,
    },
    /// A diff cannot be made of a change that was made for the same texts. A defect.
    #[error("the change of {path} cannot be shown: {source}")]
    Diff {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: edit::EditError,
    },
    /// A change cannot be made to the snapshot it was made for. A defect.
    #[error("the change does not fit the files it was made for: {0}")]
    Unfit(#[from] ApplyError),
    /// A change contradicts itself. A defect.
    #[error(transparent)]
    Contradiction(#[from] ChangeError),
}

impl Failure {
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match self.area() {
            "io" if self.io_kind() == Some(io::ErrorKind::InvalidFilename) => "path_too_long",
            area => area,
        }
    }

    fn area(&self) -> &'static str {
        match self {
            Failure::Open(_) | Failure::Load(_) | Failure::Scan(_) => "io",
            Failure::Unreadable { .. } => "unreadable",
            Failure::Recover(error) => recover_code(error),
            Failure::Index(IndexLoadError::Step(_)) => "io",
            Failure::Index(_) => "bad_file_index",
            Failure::Commit(error) => commit_code(error),
            Failure::Journal(error) => journal_code(error),
            Failure::Undo(UndoError::Commit(error)) => commit_code(error),
            Failure::Undo(UndoError::DamagedImage { .. }) => "damaged_store",
            Failure::Undo(_) => "io",
            Failure::Usage { .. } => "usage",
            Failure::Untrusted { .. } => "untrusted",
            Failure::Setup { .. } => "bad_config",
            Failure::Unusable { .. } => "unusable",
            Failure::TwoFiles { .. } => "duplicate_uid",
            Failure::Engine { .. } => "engine",
            Failure::Registry(_) | Failure::Execute(_) => "registry",
            Failure::Solver { .. } => "solver",
            Failure::Threads { .. } => "io",
            Failure::KeepsChanging { .. } => "stale",
            Failure::Diff { .. } | Failure::Unfit(_) | Failure::Contradiction(_) => "internal",
        }
    }

    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        let help = match self.code() {
            "locked" => "wait for the other regreen to end, then run the command again",
            "pending" => "run `regreen recover`, which settles what was left behind",
            "no_state_folder" => {
                "set REGREEN_STATE_DIR to a folder of your own outside the workspace"
            }
            "damaged_store" | "newer_store" => {
                "look at `git status`, then move the folder `txn` that holds it aside to go on without its undo"
            }
            "stale" => "run the command again when nothing else writes to the workspace",
            "read_only" => "make the file writable, then run the command again",
            "path_too_long" => "choose a shorter path",
            "nested_repository" => "run regreen in that repository",
            "untrusted" => {
                "nothing was run or contacted; `regreen trust --show` says what it is, `regreen trust` allows it"
            }
            "refused" => "nothing was written; clear that up, then run the command again",
            "bad_file_index" => {
                "correct `.regreen/files.json`, or move it aside to name files by their paths again"
            }
            "duplicate_uid" => "give one of the files another uid, then run the command again",
            "bad_config" => {
                "correct what is named above; `regreen schema config` describes regreen.toml"
            }
            "solver" => INSTALL_Z3,
            "index_locked" => {
                "wait for it and run the command again; if no git is running, remove that file, as git says to do"
            }
            "unknown_index" => {
                "`git update-index --no-split-index` writes an index in one piece; `git fsck` says whether it is damaged"
            }
            "no_index" => {
                "`fix --staged` needs a repository whose git directory is `.git`, a linked worktree or a submodule"
            }
            "internal" => "this is a defect of regreen; please report it with the patch document",
            "io" => return self.io_help().map(str::to_owned),
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// The signal that ended the work before anything was changed.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Failure::Commit(CommitError::Interrupted { signal })
            | Failure::Undo(UndoError::Commit(CommitError::Interrupted { signal })) => {
                Some(*signal)
            }
            _ => None,
        }
    }

    /// Everything that is wrong with the configuration or a pack, where that is the reason.
    pub fn problems(&self) -> &[protocol::v1::Diagnostic] {
        match self {
            Failure::Setup { problems, .. } => problems,
            _ => &[],
        }
    }

    /// What it takes to show [`Failure::problems`] to people.
    pub fn frames(&self) -> Option<&crate::Frames> {
        match self {
            Failure::Setup { frames, .. } => Some(frames),
            _ => None,
        }
    }

    /// What the file system said.
    fn io_kind(&self) -> Option<io::ErrorKind> {
        let mut causes = std::iter::successors(self.source(), |it| (*it).source());
        causes.find_map(|it| it.downcast_ref::<io::Error>()).map(io::Error::kind)
    }

    /// What to do about what the file system said.
    fn io_help(&self) -> Option<&'static str> {
        match self.io_kind()? {
            io::ErrorKind::PermissionDenied => Some(
                "regreen must be allowed to read and write the files of the patch and the folders they are in",
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(
                "make room, then run the command again; `regreen log --prune N` forgets all but N transactions",
            ),
            io::ErrorKind::ReadOnlyFilesystem => {
                Some("the disk is mounted read-only; `--dry-run` and `--diff` write nothing")
            }
            _ => None,
        }
    }
}

fn n_problems(count: usize) -> String {
    if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") }
}

fn recover_code(error: &RecoverError) -> &'static str {
    match error {
        RecoverError::Lock(error) => lock_code(error),
        RecoverError::Journal(error) => journal_code(error),
        RecoverError::Pending { .. } => "pending",
        RecoverError::State(_) => "no_state_folder",
        RecoverError::Staging { error, .. } => staging_code(error),
        _ => "io",
    }
}

fn lock_code(error: &LockError) -> &'static str {
    match error {
        LockError::Busy { .. } => "locked",
        _ => "io",
    }
}

fn journal_code(error: &JournalError) -> &'static str {
    match error {
        JournalError::Newer { .. } => "newer_store",
        JournalError::Corrupt { .. } | JournalError::NotADirectory { .. } => "damaged_store",
        _ => "io",
    }
}

fn staging_code(error: &StagingError) -> &'static str {
    match error {
        StagingError::Changed { .. } => "stale",
        StagingError::Locked { .. } => "index_locked",
        StagingError::Unknown { .. } | StagingError::Entry { .. } => "unknown_index",
        StagingError::Missing => "no_index",
        _ => "io",
    }
}

fn commit_code(error: &CommitError) -> &'static str {
    match error {
        CommitError::Lock(error) => lock_code(error),
        CommitError::Recover(error) => recover_code(error),
        CommitError::Journal(error) => journal_code(error),
        CommitError::Refused { reason, .. } => refusals::own_name(reason).unwrap_or("refused"),
        CommitError::Aliased { .. } => "refused",
        CommitError::StaleIndex | CommitError::ChangedMeanwhile { .. } | CommitError::Moving(_) => {
            "stale"
        }
        CommitError::Apply(_) => "stale",
        CommitError::Undecided { .. } | CommitError::Incomplete { .. } => "interrupted",
        CommitError::Interrupted { .. } => "signal",
        CommitError::State(_) => "no_state_folder",
        CommitError::ReadOnlyAccess => "action_mode",
        CommitError::Staging(error) => staging_code(error),
        _ => "io",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the file system said decides, however deep it stands, and not the words of the message.
    #[test]
    fn the_help_follows_from_what_the_file_system_said() {
        let failures = |kind: io::ErrorKind| {
            let step = || workspace::StepError { action: "write", path: None, source: kind.into() };
            let path = snapshot::RelPath::parse("a").unwrap();
            [
                Failure::Open(kind.into()),
                Failure::Load(LoadError::Io { path, source: kind.into() }),
                Failure::Commit(CommitError::Failed(step())),
                Failure::Commit(CommitError::Lock(LockError::Io { source: kind.into() })),
                Failure::Undo(UndoError::Step(step())),
                Failure::Index(IndexLoadError::Step(step())),
            ]
        };
        for (kind, part) in [
            (io::ErrorKind::PermissionDenied, "must be allowed to"),
            (io::ErrorKind::StorageFull, "make room"),
            (io::ErrorKind::ReadOnlyFilesystem, "mounted read-only"),
        ] {
            for failure in failures(kind) {
                let help = failure.help().unwrap_or_default();
                assert!(help.contains(part), "{failure:?}: {help}");
            }
        }
    }
}
