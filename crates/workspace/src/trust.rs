//! What the user trusts a repository with: one record per repository and root, in the user's own state folder. What is in
//! it is for others to say; here is only whose it is.
//!
//! A record belongs to the git common directory, so that every worktree of a repository shares it; without git it belongs
//! to the root. Both are known by path, inode and time of birth: another folder at the same path is another one.

use snapshot::RelPath;

use crate::home::HomeError;
use crate::os_fs::OsFs;
use crate::state::{StatePlace, hashed, identity};
use crate::{CommitError, Store, Workspace};

impl Workspace {
    /// What the user trusts this repository with; `None` if nothing was ever said, or cannot be read.
    pub fn read_trust(&self) -> Option<Vec<u8>> {
        let Store::Place(place) = &self.store else { return None };
        let home = place.home().open(place.root()).ok()??;
        home.read(&record(place)?).ok()?
    }

    /// Replaces what the user trusts this repository with.
    pub fn write_trust(&self, bytes: &[u8]) -> Result<(), CommitError> {
        let (place, record) = self.trust_place()?;
        let home = place.home().open_or_create(place.root()).map_err(state)?;
        home.write(&record, bytes).map_err(state)
    }

    /// Forgets what the user trusts this repository with; `false` if there was nothing.
    pub fn remove_trust(&self) -> Result<bool, CommitError> {
        let (place, record) = self.trust_place()?;
        match place.home().open(place.root()).map_err(state)? {
            Some(home) => home.remove(&record).map_err(state),
            None => Ok(false),
        }
    }

    fn trust_place(&self) -> Result<(&StatePlace, RelPath), CommitError> {
        self.check_access()?;
        let missing = || state(HomeError::Missing);
        let Store::Place(place) = &self.store else { return Err(missing()) };
        Ok((place, record(place).ok_or_else(missing)?))
    }
}

fn state(error: HomeError) -> CommitError {
    CommitError::State(error.into())
}

/// Where the record is.
fn record(place: &StatePlace) -> Option<RelPath> {
    let common = place.repository().and_then(|it| Some((it.common_directory()?, &it.top)));
    let (owner, inner) = match &common {
        Some((common, top)) => (common.as_path(), place.root().strip_prefix(top).ok()?),
        None => (place.root(), std::path::Path::new("")),
    };
    let stat = OsFs::open_real(owner).ok()?.root_stat().ok()?;
    let mut bytes = Vec::new();
    for part in [owner.as_os_str().as_encoded_bytes(), inner.as_os_str().as_encoded_bytes()] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes.extend(identity(&stat));
    RelPath::parse(&format!("trust/{}.json", hashed(&bytes))).ok()
}
