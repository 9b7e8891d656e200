//! Where registries of proposals are in the state of a root: one file of its own, or those that the configuration names,
//! in a folder that holds nothing else. So a name that a repository chose meets no other file of the state.

use std::io;
use std::path::PathBuf;

use snapshot::RelPath;

use crate::fs::{EntryKind, Fs};
use crate::home::make_folder;
use crate::os_fs::OsFs;
use crate::{CommitError, StateError, Workspace};

impl Workspace {
    /// The file of the registry with that name, or of the one without a name. The folders that lead to it are made where
    /// they are missing, private, and no link is followed. No part of the path is a link.
    pub fn registry_file(&self, name: Option<&RelPath>) -> Result<PathBuf, CommitError> {
        let state = self.state_folder()?;
        let at = |source| CommitError::State(StateError::Io { path: state.clone(), source });
        let file = place(name).map_err(at)?;
        let folder = OsFs::open_real(&state).map_err(at)?;
        if let Some(inner) = file.parent() {
            make_folder(&folder, &inner).map_err(at)?;
        }
        Ok(state.canonicalize().map_err(at)?.join(file.as_str()))
    }

    /// The same file, if it is there.
    pub fn existing_registry_file(&self, name: Option<&RelPath>) -> Option<PathBuf> {
        let state = self.existing_state_folder()?;
        let file = place(name).ok()?;
        let stat = OsFs::open_real(&state).ok()?.stat(&file).ok()??;
        (stat.kind == EntryKind::File).then_some(state.canonicalize().ok()?.join(file.as_str()))
    }
}

fn place(name: Option<&RelPath>) -> io::Result<RelPath> {
    let file = match name {
        Some(name) => format!("registries/{name}"),
        None => "registry.db".to_owned(),
    };
    let invalid =
        |error: snapshot::PathError| io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
    RelPath::parse(&file).map_err(invalid)
}
