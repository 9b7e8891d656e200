//! Which repository this is, and what the user has seen of it: the identity that is committed in `.regreen/repository.json`,
//! the origin under which the user met that identity first, and the numbers of approvals that were used up here.
//!
//! The last two are records in the user's own state folder, apart from every registry: one that was deleted, or brought
//! back from a copy, makes no approval good again.

use std::io;

use snapshot::RelPath;

use crate::fs::Attributes;
use crate::home::{HomeError, OpenHome, Placing};
use crate::os_fs::fill_random;
use crate::state::hashed;
use crate::step::{StepError, step};
use crate::{CommitError, Store, Workspace, journal, make_directory};

/// The most bytes of the file; what is larger is none.
const MAX_BYTES: u64 = 64 * 1024;

/// What the seal of a number that was used up is for.
const SPENT: &str = "regreen spent 1";

/// Where the identity of a repository is committed.
pub fn repository_path() -> RelPath {
    journal::shared_folder().join("repository.json").expect("a fixed name is a segment")
}

/// A number that nobody has seen before, as 32 hexadecimal digits.
pub fn random_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    fill_random(&mut bytes)?;
    Ok(bytes.iter().map(|it| format!("{it:02x}")).collect())
}

impl Workspace {
    /// The text of the file with the identity; `None` if there is none.
    pub fn read_repository_file(&self) -> Result<Option<Vec<u8>>, StepError> {
        let path = repository_path();
        if step("stat", &path, self.fs.stat(&path))?.is_none() {
            return Ok(None);
        }
        Ok(Some(step("read", &path, self.fs.read(&path, MAX_BYTES))?.0))
    }

    /// Makes that file, if it is still not there.
    pub fn create_repository_file(&self, bytes: &[u8]) -> Result<(), CommitError> {
        self.check_access()?;
        let (_lock, state) = self.begin_writing()?;
        let ctx = self.ctx(&*state);
        let path = repository_path();
        make_directory(&ctx, &journal::shared_folder(), 0o755)?;
        match self.fs.create(&path, bytes, &Attributes::Exact { mode: 0o644 }) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            created => step("write", &path, created)?,
        }
        ctx.sync_files(std::slice::from_ref(&path))?;
        ctx.sync_directories(&[Some(journal::shared_folder())])?;
        Ok(())
    }

    /// The origin under which the user met that identity first; `None` if never.
    pub fn known_origin(&self, identity: &str) -> Result<Option<String>, HomeError> {
        let Some(home) = self.open_home()? else { return Ok(None) };
        let bytes = home.read(&record("identities", identity))?;
        Ok(bytes.map(|it| String::from_utf8_lossy(&it).into_owned()))
    }

    /// Remembers that origin, unless there is one for the identity.
    pub fn remember_origin(&self, identity: &str, origin: &str) -> Result<(), CommitError> {
        self.keep(&record("identities", identity), origin.as_bytes()).map(drop)
    }

    /// Whether the approval with that number was used up by this user. What says so carries the seal of the user's key; one
    /// that does not was written by somebody else, and is an error rather than an answer.
    pub fn is_spent(&self, nonce: &str) -> Result<bool, HomeError> {
        let Some(home) = self.open_home()? else { return Ok(false) };
        let path = record("spent", nonce);
        let Some(bytes) = home.read(&path)? else { return Ok(false) };
        let damaged = || HomeError::Damaged { path: home.path().join(path.as_str()) };
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
        let (seal, note) = text.split_once('\n').ok_or_else(damaged)?;
        let key = home.key()?.ok_or_else(damaged)?;
        if seal == key.seal(SPENT, &[nonce.as_bytes(), note.as_bytes()]) {
            Ok(true)
        } else {
            Err(damaged())
        }
    }

    /// Uses the approval with that number up; `false` if it was before. The note says for what.
    pub fn spend(&self, nonce: &str, note: &str) -> Result<bool, CommitError> {
        self.check_access()?;
        let Store::Place(place) = &self.store else { return Err(state(HomeError::Missing)) };
        let home = place.home().open_or_create(place.root()).map_err(state)?;
        let key = home.key_or_create().map_err(state)?;
        let seal = key.seal(SPENT, &[nonce.as_bytes(), note.as_bytes()]);
        self.keep(&record("spent", nonce), format!("{seal}\n{note}").as_bytes())
    }

    /// Gives the number back, if it was used up with that note: nothing came of what it was used for. What another workspace
    /// of the user's used it for is not taken back.
    pub fn unspend(&self, nonce: &str, note: &str) -> Result<(), CommitError> {
        self.check_access()?;
        let Some(home) = self.open_home().map_err(state)? else { return Ok(()) };
        let path = record("spent", nonce);
        let kept = home.read(&path).map_err(state)?.unwrap_or_default();
        let kept = String::from_utf8_lossy(&kept);
        if kept.split_once('\n').is_some_and(|(_, there)| there == note) {
            home.remove(&path).map_err(state)?;
        }
        Ok(())
    }

    fn open_home(&self) -> Result<Option<OpenHome>, HomeError> {
        match &self.store {
            Store::Place(place) => place.home().open(place.root()),
            Store::None | Store::Given(_) => Ok(None),
        }
    }

    /// Writes a record; `false` if it already exists.
    fn keep(&self, path: &RelPath, bytes: &[u8]) -> Result<bool, CommitError> {
        self.check_access()?;
        let Store::Place(place) = &self.store else { return Err(state(HomeError::Missing)) };
        let home = place.home().open_or_create(place.root()).map_err(state)?;
        if let Some(folder) = path.parent() {
            home.make_folder(&folder).map_err(state)?;
        }
        match crate::home::place(&home.fs, path, bytes, Placing::New) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            kept => kept.map(|()| true).map_err(|error| state(home.error(error))),
        }
    }
}

/// Names are hashed: what a repository says reaches no path.
fn record(folder: &str, name: &str) -> RelPath {
    let file = format!("{folder}/{}", hashed(name.as_bytes()));
    RelPath::parse(&file).expect("a fixed name and a hash are a path")
}

fn state(error: HomeError) -> CommitError {
    CommitError::State(error.into())
}

#[cfg(test)]
mod tests {
    use super::random_id;
    use crate::{Home, OpenMode, Options, Workspace};

    ///
    #[test]
    fn what_was_used_up_and_met_first_is_remembered_apart_from_the_root() {
        let directory = tempfile::tempdir().unwrap();
        let open = |root: &str, access: OpenMode| {
            let root = directory.path().join(root);
            std::fs::create_dir_all(&root).unwrap();
            let home = Home { state: Some(directory.path().join("state")), cache: None };
            Workspace::open(&root, Some(&home), Options::new(access)).unwrap()
        };
        let (one, other) = (open("one", OpenMode::ReadWrite), open("other", OpenMode::ReadWrite));
        assert!(!one.is_spent("n").unwrap());
        assert!(one.spend("n", "DDS-1").unwrap());
        assert!(!one.spend("n", "DDS-2").unwrap());
        assert!(other.is_spent("n").unwrap(), "it is the user's, not the root's");
        assert!(!other.is_spent("m").unwrap());
        other.unspend("n", "DDS-2").unwrap();
        assert!(one.is_spent("n").unwrap(), "it was used for something else");
        other.unspend("n", "DDS-1").unwrap();
        assert!(!one.is_spent("n").unwrap());
        one.remember_origin("id", "first").unwrap();
        other.remember_origin("id", "second").unwrap();
        assert_eq!(other.known_origin("id").unwrap().as_deref(), Some("first"));
        assert_eq!(one.read_repository_file().unwrap(), None);
        one.create_repository_file(b"{}").unwrap();
        one.create_repository_file(b"[]").unwrap();
        assert_eq!(one.read_repository_file().unwrap().as_deref(), Some(&b"{}"[..]));
        assert_ne!(random_id().unwrap(), random_id().unwrap());
        // What somebody else wrote there is no answer.
        assert!(one.spend("n", "DDS-1").unwrap());
        for entry in std::fs::read_dir(directory.path().join("state/spent")).unwrap() {
            std::fs::write(entry.unwrap().path(), "DDS-1").unwrap();
        }
        assert!(one.is_spent("n").is_err());
        let looking = open("third", OpenMode::ReadOnly);
        assert!(looking.spend("x", "").is_err() && looking.unspend("n", "DDS-1").is_err());
        assert!(looking.create_repository_file(b"{}").is_err());
        assert!(!directory.path().join("third/.regreen").exists());
    }
}
