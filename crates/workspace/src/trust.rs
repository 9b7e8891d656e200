//! What the user trusts a repository with: one record per repository and root, in the user's own state folder. What is in
//! it is for others to say; here is only whose it is.
//!
//! A record belongs to the git common directory, so that every worktree of a repository shares it; without git it belongs
//! to the root. Both are known by path, inode and time of birth: another folder at the same path is another one.
//!
//! Its first line is a seal of its name and contents, made with the user's key. A record that somebody else wrote, that was
//! moved to the name of another one or that was changed is not a record.

use std::path::Path;

use snapshot::RelPath;

use crate::home::{HomeError, Key};
use crate::os_fs::OsFs;
use crate::state::{StatePlace, hashed, identity};
use crate::{CommitError, Store, Workspace};

impl Workspace {
    /// What the user trusts this repository with; `None` if nothing was ever said. A workspace without a user has no such
    /// record.
    pub fn read_trust(&self) -> Result<Option<Vec<u8>>, HomeError> {
        let Store::Place(place) = &self.store else { return Ok(None) };
        let Some(home) = place.home().open(place.root())? else { return Ok(None) };
        let Some(record) = record(place) else { return Ok(None) };
        let Some(bytes) = home.read(&record)? else { return Ok(None) };
        let unsealed = home.key()?.and_then(|key| unsealed(&key, &record, &bytes));
        match unsealed {
            Some(contents) => Ok(Some(contents.to_vec())),
            None => Err(HomeError::Damaged { path: home.path().join(record.as_str()) }),
        }
    }

    /// Replaces what the user trusts this repository with.
    pub fn write_trust(&self, bytes: &[u8]) -> Result<(), CommitError> {
        let (place, record) = self.trust_place()?;
        let home = place.home().open_or_create(place.root()).map_err(state)?;
        let key = home.key_or_create().map_err(state)?;
        let sealed = [seal(&key, &record, bytes).as_bytes(), b"\n", bytes].concat();
        home.write(&record, &sealed).map_err(state)
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

fn seal(key: &Key, record: &RelPath, contents: &[u8]) -> String {
    key.seal("trust", &[record.as_str().as_bytes(), contents])
}

/// What is below the seal, if it is the seal of that.
fn unsealed<'a>(key: &Key, record: &RelPath, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let end = bytes.iter().position(|it| *it == b'\n')?;
    let (first, contents) = (&bytes[..end], &bytes[end + 1..]);
    (first == seal(key, record, contents).as_bytes()).then_some(contents)
}

fn state(error: HomeError) -> CommitError {
    CommitError::State(error.into())
}

/// Where the record is.
fn record(place: &StatePlace) -> Option<RelPath> {
    let common = place.repository().and_then(|it| Some((it.common_directory()?, &it.top)));
    let (owner, inner) = match &common {
        Some((common, top)) => (common.as_path(), place.root().strip_prefix(top).ok()?),
        None => (place.root(), Path::new("")),
    };
    let stat = OsFs::open_real(owner).ok()?.root_stat().ok()?;
    let mut bytes = Vec::new();
    for part in [owner.as_os_str().as_encoded_bytes(), inner.as_os_str().as_encoded_bytes()] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes.extend(identity(&stat));
    RelPath::parse(&format!("trust/{}", hashed(&bytes))).ok()
}
