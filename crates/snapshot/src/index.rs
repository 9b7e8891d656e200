//! Which file is which, whatever its path: the value of `.regreen/files.json` (X-10, CS-34, CS-38).
//!
//! The text is `{"files": {UID: PATH}, "workspace_uid"?: UID}` with sorted members; members that start with `x_` are
//! kept. A file without an entry has the uid `path:` + its path, which is usable but does not survive a rename
//! made by other tools; a rename made through [`FileIndex::rename`] writes the entry that keeps it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use crate::path::{PathError, RelPath};

const PATH_UID: &str = "path:";

/// Why an index is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The text is not an index.
    #[error("the file index is not valid: {reason}")]
    Malformed {
        /// What is wrong, with the place.
        reason: String,
    },
    /// A uid is empty.
    #[error("the file index gives {path} an empty uid")]
    EmptyUid {
        /// The path that the uid stands for.
        path: RelPath,
    },
    /// A path in the index is not a path inside the workspace.
    #[error("the file index has a bad path for {uid:?}: {source}")]
    BadPath {
        /// The uid.
        uid: String,
        /// Why the path is refused.
        source: PathError,
    },
    /// Two files have one uid.
    #[error("{first} and {second} have the same uid {uid:?}")]
    TwoPaths {
        /// The uid.
        uid: String,
        /// One file.
        first: RelPath,
        /// The other file.
        second: RelPath,
    },
    /// One file has two uids.
    #[error("{path} has two uids, {first:?} and {second:?}")]
    TwoUids {
        /// The file.
        path: RelPath,
        /// One uid.
        first: String,
        /// The other uid.
        second: String,
    },
}

/// Uids and paths, one to one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileIndex {
    workspace_uid: Option<String>,
    paths: BTreeMap<String, RelPath>,
    /// The reverse of `paths`.
    uids: HashMap<RelPath, String>,
    extra: BTreeMap<String, Value>,
}

impl FileIndex {
    /// Reads the text of an index; a uid or a path that occurs twice is an error that names both.
    pub fn parse(text: &str) -> Result<FileIndex, IndexError> {
        let malformed =
            |error: serde_json::Error| IndexError::Malformed { reason: error.to_string() };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let raw = RawIndexSeed.deserialize(&mut deserializer).map_err(malformed)?;
        deserializer.end().map_err(malformed)?;
        let mut index = FileIndex {
            workspace_uid: raw.workspace_uid,
            extra: raw.extra,
            ..FileIndex::default()
        };
        for (uid, path) in raw.files {
            let path = RelPath::parse(&path)
                .map_err(|source| IndexError::BadPath { uid: uid.clone(), source })?;
            index.insert(&uid, &path)?;
        }
        Ok(index)
    }

    /// The canonical text: sorted, indented by two spaces, with a final newline.
    pub fn render(&self) -> String {
        let files =
            self.paths.iter().map(|(uid, path)| (uid.clone(), path.as_str().into())).collect();
        let mut members = serde_json::Map::new();
        members.insert("files".to_owned(), Value::Object(files));
        if let Some(uid) = &self.workspace_uid {
            members.insert("workspace_uid".to_owned(), uid.as_str().into());
        }
        members.extend(self.extra.clone());
        format!("{:#}\n", Value::Object(members))
    }

    /// The uid of the workspace, if it has one.
    pub fn workspace_uid(&self) -> Option<&str> {
        self.workspace_uid.as_deref()
    }

    /// The entries in the order of their uids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RelPath)> {
        self.paths.iter().map(|(uid, path)| (uid.as_str(), path))
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The uid that the index has for the path.
    pub fn indexed_uid(&self, path: &RelPath) -> Option<&str> {
        self.uids.get(path).map(String::as_str)
    }

    /// The uid of the file at the path: its entry, else `path:` + path; an error if an entry gives that uid to
    /// another file.
    pub fn uid_of(&self, path: &RelPath) -> Result<String, IndexError> {
        if let Some(uid) = self.uids.get(path) {
            return Ok(uid.clone());
        }
        let uid = format!("{PATH_UID}{path}");
        match self.paths.get(&uid) {
            Some(other) => {
                Err(IndexError::TwoPaths { uid, first: other.clone(), second: path.clone() })
            }
            None => Ok(uid),
        }
    }

    /// The path that a uid stands for: its entry, else the path of a `path:` uid unless an entry gives that path
    /// another uid. Whether a file is there is not asked.
    pub fn path_of(&self, uid: &str) -> Option<RelPath> {
        if let Some(path) = self.paths.get(uid) {
            return Some(path.clone());
        }
        let path = RelPath::parse(uid.strip_prefix(PATH_UID)?).ok()?;
        (!self.uids.contains_key(&path)).then_some(path)
    }

    /// Whether the uid is only the file's path, so that another tool's rename would lose it.
    pub fn is_unstable(&self, uid: &str) -> bool {
        uid.starts_with(PATH_UID) && !self.paths.contains_key(uid)
    }

    /// Gives the file at the path a uid. Doing so again is fine; a second uid or a second path is not.
    pub fn insert(&mut self, uid: &str, path: &RelPath) -> Result<(), IndexError> {
        if uid.is_empty() {
            return Err(IndexError::EmptyUid { path: path.clone() });
        }
        if let Some(first) = self.paths.get(uid).filter(|first| *first != path) {
            return Err(IndexError::TwoPaths {
                uid: uid.into(),
                first: first.clone(),
                second: path.clone(),
            });
        }
        if let Some(first) = self.uids.get(path).filter(|first| *first != uid) {
            return Err(IndexError::TwoUids {
                path: path.clone(),
                first: first.clone(),
                second: uid.into(),
            });
        }
        self.paths.insert(uid.to_owned(), path.clone());
        self.uids.insert(path.clone(), uid.to_owned());
        Ok(())
    }

    /// Forgets the file at the path.
    pub fn remove(&mut self, path: &RelPath) {
        if let Some(uid) = self.uids.remove(path) {
            self.paths.remove(&uid);
        }
    }

    /// Moves the uid of the file at `from`, indexed or not, to `to` (CS-34).
    pub fn rename(&mut self, from: &RelPath, to: &RelPath) -> Result<(), IndexError> {
        let uid = self.uid_of(from)?;
        if let Some(second) = self.uids.get(to).filter(|_| from != to) {
            return Err(IndexError::TwoUids {
                path: to.clone(),
                first: uid,
                second: second.clone(),
            });
        }
        self.remove(from);
        // A file that is back at the path of its `path:` uid needs no entry.
        if uid.strip_prefix(PATH_UID) == Some(to.as_str()) { Ok(()) } else { self.insert(&uid, to) }
    }
}

/// The members as written, before uids and paths are checked.
#[derive(Default)]
struct RawIndex {
    workspace_uid: Option<String>,
    files: Vec<(String, String)>,
    extra: BTreeMap<String, Value>,
}

struct RawIndexSeed;

impl<'de> DeserializeSeed<'de> for RawIndexSeed {
    type Value = RawIndex;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawIndex, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RawIndexSeed {
    type Value = RawIndex;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the member `files`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawIndex, A::Error> {
        let mut raw = RawIndex::default();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(member) = map.next_key::<String>()? {
            if !seen.insert(member.clone()) {
                return Err(A::Error::custom(format_args!("member {member:?} occurs twice")));
            }
            match member.as_str() {
                "files" => raw.files = map.next_value_seed(PairsSeed)?,
                "workspace_uid" => raw.workspace_uid = Some(map.next_value()?),
                extra if extra.starts_with("x_") => {
                    raw.extra.insert(member, map.next_value()?);
                }
                unknown => {
                    return Err(A::Error::custom(format_args!("unknown member {unknown:?}")));
                }
            }
        }
        if seen.contains("files") { Ok(raw) } else { Err(A::Error::missing_field("files")) }
    }
}

/// All members of an object, repeated ones included, so that a uid that occurs twice is seen.
struct PairsSeed;

impl<'de> DeserializeSeed<'de> for PairsSeed {
    type Value = Vec<(String, String)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PairsSeed {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from uids to paths")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match FileIndex::parse(text) {
            Ok(index) => {
                assert_eq!(FileIndex::parse(&index.render()).as_ref(), Ok(&index));
                index.render()
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    fn path(path: &str) -> RelPath {
        RelPath::parse(path).unwrap()
    }

    #[test]
    fn the_text_is_canonical() {
        check(r#"{"files":{}}"#, "{\n  \"files\": {}\n}\n");
        check(
            r#"{"x_note":[1],"workspace_uid":"w","files":{"b":"y","a":"x/z"}}"#,
            r#"{
  "files": {
    "a": "x/z",
    "b": "y"
  },
  "workspace_uid": "w",
  "x_note": [
    1
  ]
}
"#,
        );
    }

    /// X-10: duplicates are errors that name both.
    #[test]
    fn duplicates_and_bad_members_are_refused() {
        check(r#"{"files":{"a":"x","a":"y"}}"#, r#"x and y have the same uid "a""#);
        check(r#"{"files":{"a":"x","b":"x"}}"#, r#"x has two uids, "a" and "b""#);
        check(r#"{"files":{"":"x"}}"#, "the file index gives x an empty uid");
        check(
            r#"{"files":{"a":"../x"}}"#,
            r#"the file index has a bad path for "a": "../x" has a `..` segment"#,
        );
        check(
            r#"{"files":{},"files":{}}"#,
            r#"the file index is not valid: member "files" occurs twice at line 1 column 19"#,
        );
        check(
            r#"{"files":{},"paths":{}}"#,
            r#"the file index is not valid: unknown member "paths" at line 1 column 19"#,
        );
        check("{}", "the file index is not valid: missing field `files` at line 1 column 2");
        check(
            r#"{"files":{}} x"#,
            "the file index is not valid: trailing characters at line 1 column 14",
        );
        assert!(FileIndex::parse(&"[".repeat(100_000)).is_err());
    }

    /// CS-34: a rename keeps the uid, also one that was only the path.
    #[test]
    fn a_rename_keeps_the_uid() {
        let mut index = FileIndex::parse(r#"{"files":{"a":"x"}}"#).unwrap();
        index.rename(&path("x"), &path("y")).unwrap();
        assert_eq!(index.uid_of(&path("y")).unwrap(), "a");
        assert_eq!(index.path_of("a"), Some(path("y")));

        assert!(index.is_unstable("path:u"));
        index.rename(&path("u"), &path("v")).unwrap();
        assert!(!index.is_unstable("path:u"));
        assert_eq!(index.uid_of(&path("v")).unwrap(), "path:u");
        assert_eq!(index.path_of("path:u"), Some(path("v")));
        assert_eq!(index.path_of("path:v"), None);
        let error = index.uid_of(&path("u")).unwrap_err();
        assert_eq!(error.to_string(), r#"v and u have the same uid "path:u""#);

        index.rename(&path("v"), &path("u")).unwrap();
        assert_eq!(index.indexed_uid(&path("u")), None);
        assert_eq!(index.uid_of(&path("u")).unwrap(), "path:u");
        assert!(index.rename(&path("u"), &path("y")).is_err());
    }
}
