//! An open workspace. What an interrupted transaction left behind is settled before anything else happens.

use std::path::{Path, PathBuf};

use workspace::{Options, Recovered, Workspace};

use crate::failure::Failure;

/// Whether a session may write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Nothing is written, `.regreen` included; an unfinished transaction is a failure.
    ReadOnly,
    /// Transactions may be made, and unfinished ones are settled.
    ReadWrite,
}

/// An open workspace.
pub struct Session {
    pub(crate) workspace: Workspace,
    root: Option<PathBuf>,
    recovered: Recovered,
}

impl Session {
    /// Opens the workspace at `root` and recovers it.
    pub fn open(root: &Path, access: Access) -> Result<Session, Failure> {
        let access = match access {
            Access::ReadOnly => workspace::Access::ReadOnly,
            Access::ReadWrite => workspace::Access::ReadWrite,
        };
        let workspace = Workspace::open(root, Options::new(access)).map_err(Failure::Open)?;
        Ok(Session { root: Some(root.to_owned()), ..Session::over(workspace)? })
    }

    /// Recovers a workspace that is open already.
    pub(crate) fn over(workspace: Workspace) -> Result<Session, Failure> {
        let recovered = workspace.recover()?;
        Ok(Session { workspace, root: None, recovered })
    }

    /// The same workspace with another limit for the size of files, if it is another.
    pub(crate) fn reopened(
        &self,
        max_file_size: Option<u64>,
    ) -> Result<Option<Workspace>, Failure> {
        let options = *self.workspace.options();
        match (max_file_size, &self.root) {
            (Some(max_file_size), Some(root)) if max_file_size != options.max_file_size => {
                let options = Options { max_file_size, ..options };
                Workspace::open(root, options).map(Some).map_err(Failure::Open)
            }
            _ => Ok(None),
        }
    }

    /// The folder on disk, if there is one.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// What was settled when the workspace was opened, in words; `None` if all was well.
    pub fn recovered(&self) -> Option<String> {
        match self.recovered {
            Recovered::Clean => None,
            Recovered::RolledBack(id) => Some(format!(
                "an earlier run was interrupted before it wrote anything; {id} was cleaned up"
            )),
            Recovered::Completed(id) => Some(format!(
                "an earlier run was interrupted while it wrote {id}; it was completed"
            )),
        }
    }
}

/// The root of the workspace that `start` lies in; `start` itself if it cannot be told.
pub fn find_root(start: &Path) -> PathBuf {
    workspace::find_root(start).unwrap_or_else(|_| start.to_owned())
}
