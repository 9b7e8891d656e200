//! The records of the journal, format version 1. Unknown fields are refused, so that a field is only added together with
//! a new version; none is ever reused.

use std::collections::BTreeMap;

use edit::ContentHash;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use snapshot::RelPath;

use super::TransactionId;
use crate::resolve::is_reserved;

pub(crate) const VERSION: u32 = 1;

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
    pub(crate) command: String,
    pub(crate) time: Option<String>,
    pub(crate) notes: BTreeMap<String, String>,
    pub(crate) undoes: Option<String>,
    pub(crate) writes: Vec<Write>,
    pub(crate) deletes: Vec<Delete>,
    pub(crate) images: Vec<Image>,
    /// Parents before their children.
    pub(crate) new_directories: Vec<WirePath>,
    /// Directories to remove at the end if they are empty, children before their parents.
    pub(crate) old_directories: Vec<WirePath>,
}

/// A file that gets new contents by renaming `temp` to `path`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    pub(crate) path: WirePath,
    pub(crate) temp: WirePath,
    /// Where the file stood before: `path` itself for an edit, another path for a rename, nowhere for a new file.
    pub(crate) from: Option<WirePath>,
    /// What stands at `path` before; nothing, if null.
    pub(crate) before: Option<WireHash>,
    pub(crate) after: WireHash,
}

/// A path that is empty afterwards.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delete {
    pub(crate) path: WirePath,
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

impl Intent {
    /// J8, and that the intent is the one of this transaction.
    pub(crate) fn check(&self, id: TransactionId) -> Result<(), String> {
        if self.id != id.to_string() {
            return Err(format!("it is that of {}", self.id));
        }
        for (n, write) in self.writes.iter().enumerate() {
            let beside = write.temp.0.parent() == write.path.0.parent();
            if !beside || write.temp.0.file_name() != super::temp_name(id, n) {
                return Err(format!("{} is no temporary file of {id}", write.temp.0));
            }
        }
        let targets =
            self.writes.iter().map(|it| &it.path).chain(self.deletes.iter().map(|it| &it.path));
        let directories = self.new_directories.iter().chain(&self.old_directories);
        match targets
            .chain(directories)
            .find(|path| is_reserved(&path.0) && path.0 != super::index_path())
        {
            Some(path) => Err(format!("{} is no target of a transaction", path.0)),
            None => Ok(()),
        }
    }
}

/// A path on the wire: refused when it is no path inside the workspace.
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
