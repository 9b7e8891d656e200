//! The records of the journal, format versions 2 and 3. Unknown fields are refused, so that a field is only added together
//! with a new version; none is ever reused. Version 3 adds `staged`, and is written only where that is there.

use std::collections::{BTreeMap, BTreeSet};

use edit::ContentHash;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use snapshot::RelPath;

use super::TransactionId;
use crate::resolve::is_reserved;

/// The newest version.
pub(crate) const VERSION: u32 = 3;
/// The version of an intent that leaves the index of git alone.
const PLAIN: u32 = 2;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(crate) enum Record {
    Intent(Box<Intent>),
    Committed {},
    Done {},
}

/// Everything that a transaction is about to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Intent {
    pub(crate) version: u32,
    pub(crate) id: String,
    /// Part of the name of every temporary file.
    pub(crate) nonce: u64,
    pub(crate) command: String,
    pub(crate) time: Option<String>,
    pub(crate) notes: BTreeMap<String, String>,
    pub(crate) undoes: Option<String>,
    pub(crate) writes: Vec<WriteEntry>,
    pub(crate) deletes: Vec<DeleteEntry>,
    pub(crate) images: Vec<Image>,
    /// Parents before their children.
    pub(crate) new_directories: Vec<WirePath>,
    /// Directories to remove at the end if they are empty, children before their parents.
    pub(crate) old_directories: Vec<WirePath>,
    /// What changes in the index of git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) staged: Option<Staged>,
}

/// Entries of the index of git that get other objects. The index itself is not named: it is that of the repository, or, if
/// it is an alternate one, one that only the process knows that makes the transaction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Staged {
    pub(crate) is_alternate: bool,
    pub(crate) entries: Vec<StagedEntry>,
}

/// An entry: its name, its mode, and the object before and after, as git writes them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StagedEntry {
    pub(crate) name: String,
    pub(crate) mode: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A file that gets new contents by changing places with `temp`, where what it displaced stays until all is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteEntry {
    pub(crate) path: WirePath,
    pub(crate) temp: WirePath,
    /// Where the file stood before: `path` itself for an edit, another path for a rename, nowhere for a new file.
    pub(crate) from: Option<WirePath>,
    /// What stands at `path` before; nothing, if null.
    pub(crate) before: Option<WireHash>,
    pub(crate) after: WireHash,
    /// The number of bytes after.
    pub(crate) length: u64,
}

/// A path that is empty afterwards; what stood there stands at `temp` until all is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteEntry {
    pub(crate) path: WirePath,
    pub(crate) temp: WirePath,
    pub(crate) before: WireHash,
}

/// Where the bytes that a file had before stand in the undo file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    pub(crate) path: WirePath,
    pub(crate) hash: WireHash,
    pub(crate) mode: u32,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// Bits that change whom a program runs as have no place in an image.
const MODES: u32 = 0o1777;

impl Intent {
    /// J8, and that the intent is the one of this transaction.
    pub(crate) fn check(&self, id: TransactionId) -> Result<(), String> {
        if self.version != Intent::version_of(self.staged.as_ref()) {
            return Err(format!("it has format version {}", self.version));
        }
        if self.id != id.to_string() {
            return Err(format!("it is that of {}", self.id));
        }
        self.check_temporaries(id)?;
        self.check_paths()?;
        self.staged.as_ref().map_or(Ok(()), Staged::check)?;
        self.check_images()
    }

    /// The version of an intent with this.
    pub(crate) fn version_of(staged: Option<&Staged>) -> u32 {
        if staged.is_some() { VERSION } else { PLAIN }
    }

    /// Every temporary file has the name that follows from its number, beside its target.
    fn check_temporaries(&self, id: TransactionId) -> Result<(), String> {
        let writes = self.writes.iter().map(|it| (&it.path.0, &it.temp.0));
        let deletes = self.deletes.iter().map(|it| (&it.path.0, &it.temp.0));
        for (n, (path, temp)) in writes.chain(deletes).enumerate() {
            let beside = temp.parent() == path.parent();
            if !beside || temp.file_name() != super::temp_name(id, self.nonce, n) {
                return Err(format!("{temp} is not a temporary file of {id}"));
            }
        }
        Ok(())
    }

    /// Nothing of git's or ours is touched, and every path is a target once.
    fn check_paths(&self) -> Result<(), String> {
        let folders = [super::shared_folder(), super::receipts_folder()];
        let targets = self.targets().map(|it| (it, super::is_own_target(it)));
        let sources = self.writes.iter().filter_map(|it| it.from.as_ref()).map(|it| &it.0);
        let sources = sources.map(|it| (it, super::is_own_target(it)));
        let directories = self.new_directories.iter().chain(&self.old_directories);
        let directories = directories.map(|it| (&it.0, folders.contains(&it.0)));
        let mut all = targets.chain(sources).chain(directories);
        if let Some((path, _)) = all.find(|(path, is_ours)| !is_ours && is_reserved(path)) {
            return Err(format!("{path} cannot be a target of a transaction"));
        }
        let mut seen = BTreeSet::new();
        match self.targets().chain(self.temporaries()).find(|it| !seen.insert(*it)) {
            Some(path) => Err(format!("{path} is a target twice")),
            None => Ok(()),
        }
    }

    /// The images are those of what is replaced or removed, and tile the undo file.
    fn check_images(&self) -> Result<(), String> {
        let mut images = BTreeMap::new();
        let mut end = 0_u64;
        for image in &self.images {
            let path = &image.path.0;
            if image.mode & !MODES != 0 {
                return Err(format!("the image of {path} has the mode {:o}", image.mode));
            }
            if image.offset != end {
                return Err(format!("the image of {path} is not behind the one before it"));
            }
            end =
                end.checked_add(image.length).ok_or_else(|| "its images have no end".to_owned())?;
            if images.insert(path, image.hash.0).is_some() {
                return Err(format!("{path} has two images"));
            }
        }
        let writes = self.writes.iter().filter_map(|it| Some((&it.path.0, it.before?.0)));
        let deletes = self.deletes.iter().map(|it| (&it.path.0, it.before.0));
        let mut n_used = 0;
        for (path, before) in writes.chain(deletes) {
            if images.get(path) != Some(&before) {
                return Err(format!("there is no image of {path}"));
            }
            n_used += 1;
        }
        if n_used != self.images.len() {
            return Err("there are images of files that it does not change".to_owned());
        }
        Ok(())
    }

    /// Every path that is written or removed.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &RelPath> {
        let writes = self.writes.iter().map(|it| &it.path.0);
        writes.chain(self.deletes.iter().map(|it| &it.path.0))
    }

    /// Every temporary path that it names.
    pub(crate) fn temporaries(&self) -> impl Iterator<Item = &RelPath> {
        let writes = self.writes.iter().map(|it| &it.temp.0);
        writes.chain(self.deletes.iter().map(|it| &it.temp.0))
    }

    /// The sizes of the files before the transaction.
    pub(crate) fn lengths_before(&self) -> BTreeMap<&RelPath, u64> {
        self.images.iter().map(|it| (&it.path.0, it.length)).collect()
    }
}

/// A path on the wire: refused when it is not a path inside the workspace.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WirePath(pub(crate) RelPath);

impl Serialize for WirePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for WirePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WirePath, D::Error> {
        let text = String::deserialize(deserializer)?;
        RelPath::parse(&text).map(WirePath).map_err(D::Error::custom)
    }
}

/// A hash on the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct WireHash(pub(crate) ContentHash);

impl Serialize for WireHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WireHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WireHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(WireHash).map_err(D::Error::custom)
    }
}
