//! Schemas that are known by their address: what a workspace has locked, which files each is for, and where its bytes are.
//!
//! A lock lists every schema with the hash of its bytes, so that two people check against the same ones. The bytes are
//! files of the workspace or come from whoever keeps them ([`SchemaBytes`]); bytes of another hash are none. Nothing is
//! parsed or compiled before a file needs it: a thousand schemas cost one list of names.

mod address;
mod listing;
mod lock;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use document::Value;
use snapshot::RelPath;

use crate::conditions::Conditions;
use crate::globs::FileGlobs;
use crate::path_glob::{PathGlob, PathIndex};
use crate::schema;
pub use listing::{CatalogueEntry, read_catalogue};
pub use lock::{LockedSchema, SchemaLock, content_hash};

/// The name of the lock file, at the root of a workspace.
pub const LOCK: &str = "regreen.schemas.lock";

/// Whoever keeps the bytes of schemas.
pub trait SchemaBytes: Send + Sync {
    /// The bytes with this hash, as [`content_hash`] writes it.
    fn read(&self, hash: &str) -> Option<Vec<u8>>;

    /// Whether there are some, whole or not.
    fn has(&self, hash: &str) -> bool;
}

/// A schema that the configuration names for some files.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The files.
    pub files: FileGlobs,
    /// What they must say, if that matters.
    pub conditions: Conditions,
    /// The schema.
    pub schema: MappedSchema,
}

/// A schema that the configuration names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MappedSchema {
    /// A file of the workspace.
    File(RelPath),
    /// An address.
    Address(String),
}

/// The schemas that a workspace knows by name.
pub struct Catalogue {
    mappings: Vec<Mapping>,
    lock: SchemaLock,
    /// Whether files are found by their names, and not only by the address that they give.
    is_locked: bool,
    by_address: BTreeMap<String, usize>,
    by_path: PathIndex,
    excluded: Vec<(PathGlob, usize)>,
    bytes: Arc<dyn SchemaBytes>,
    fingerprint: [u8; 32],
}

/// A schema that was found for a file by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Named<'a> {
    File(&'a RelPath),
    Address(&'a str),
}

impl Catalogue {
    /// What the configuration maps and the workspace has locked.
    pub fn new(mappings: Vec<Mapping>, lock: SchemaLock, bytes: Arc<dyn SchemaBytes>) -> Catalogue {
        Catalogue { is_locked: true, ..Catalogue::of(mappings, lock, bytes) }
    }

    /// The same in a workspace without a lock: what the user's cache knows is found by address only.
    pub fn unlocked(
        mappings: Vec<Mapping>,
        known: SchemaLock,
        bytes: Arc<dyn SchemaBytes>,
    ) -> Catalogue {
        Catalogue { is_locked: false, ..Catalogue::of(mappings, known, bytes) }
    }

    fn of(mappings: Vec<Mapping>, lock: SchemaLock, bytes: Arc<dyn SchemaBytes>) -> Catalogue {
        let mut hasher = blake3::Hasher::new();
        hasher.update(lock.render().as_bytes());
        hasher.update(format!("{mappings:?}").as_bytes());
        let mut catalogue = Catalogue {
            mappings,
            is_locked: false,
            by_address: BTreeMap::new(),
            by_path: PathIndex::default(),
            excluded: Vec::new(),
            bytes,
            fingerprint: *hasher.finalize().as_bytes(),
            lock: SchemaLock::default(),
        };
        for (nth, schema) in lock.schemas.iter().enumerate() {
            catalogue.by_address.entry(address::normal(&schema.url)).or_insert(nth);
            for text in &schema.files {
                match text.strip_prefix('!').filter(|it| !it.starts_with('(')) {
                    Some(text) => {
                        let patterns = PathGlob::anywhere(text).into_iter();
                        catalogue.excluded.extend(patterns.map(|it| (it, nth)));
                    }
                    None => PathGlob::anywhere(text)
                        .into_iter()
                        .for_each(|it| catalogue.by_path.add(it, nth)),
                }
            }
        }
        catalogue.lock = lock;
        catalogue
    }

    /// Stands for all that the catalogue says: equal exactly for equal mappings and locks.
    pub(crate) fn fingerprint(&self) -> &[u8; 32] {
        &self.fingerprint
    }

    /// The files that are locked beside others in the workspace.
    pub fn vendored(&self) -> impl Iterator<Item = &RelPath> {
        self.lock.schemas.iter().filter_map(|it| it.path.as_ref())
    }

    /// Whether a file at this path may have a schema by its name.
    pub(crate) fn may_name(&self, path: &str) -> bool {
        self.mappings.iter().any(|it| it.files.matches(path)) || self.locked_for(path).is_some()
    }

    /// The schema that the configuration maps a document to.
    pub(crate) fn mapped<'v>(
        &self,
        path: &str,
        document: impl Fn() -> &'v Value,
    ) -> Option<Named<'_>> {
        let found = self.mappings.iter().find(|it| {
            it.files.matches(path)
                && (it.conditions.is_empty() || it.conditions.hold_for(document()))
        })?;
        Some(match &found.schema {
            MappedSchema::File(path) => Named::File(path),
            MappedSchema::Address(address) => Named::Address(address),
        })
    }

    /// The locked schema that a path belongs to: by its name, else by the pattern with the most plain characters. Two
    /// schemas with equal claims are none.
    pub(crate) fn locked_for(&self, path: &str) -> Option<&LockedSchema> {
        if !self.is_locked {
            return None;
        }
        let is_excluded =
            |nth: usize| self.excluded.iter().any(|it| it.1 == nth && it.0.matches(path));
        let claims = self.by_path.owners(path);
        let claims: BTreeSet<(usize, usize)> = claims.filter(|it| !is_excluded(it.1)).collect();
        let (best, nth) = *claims.last()?;
        let is_alone = claims.iter().filter(|it| it.0 == best).count() == 1;
        is_alone.then(|| &self.lock.schemas[nth])
    }

    /// The locked schema with an address, in any spelling.
    pub(crate) fn at(&self, address: &str) -> Option<&LockedSchema> {
        self.by_address.get(&address::normal(address)).map(|it| &self.lock.schemas[*it])
    }

    /// The bytes of a schema that is not a file of the workspace.
    pub(crate) fn read(&self, schema: &LockedSchema) -> Option<Vec<u8>> {
        self.bytes.read(&schema.hash).filter(|it| content_hash(it) == schema.hash)
    }

    /// Whether the schema with this address is a file of the workspace, or somebody keeps its bytes.
    pub(crate) fn has(&self, address: &str) -> bool {
        self.at(address).is_some_and(|it| it.path.is_some() || self.bytes.has(&it.hash))
    }

    /// Every schema, with whether its bytes are there. Those in the workspace are for the caller to look at.
    pub fn schemas(&self) -> impl Iterator<Item = (&LockedSchema, bool)> {
        self.lock.schemas.iter().map(|it| (it, self.bytes.has(&it.hash)))
    }
}

/// The addresses that a schema refers to outside itself, absolute and without fragments; or why it cannot be a schema.
pub fn references_of(address: &str, bytes: &[u8]) -> Result<BTreeSet<String>, String> {
    let json = schema_of(bytes)?;
    Ok(schema::referenced_documents(address, &json).into_iter().map(|it| it.0).collect())
}

/// The JSON of a schema.
pub(crate) fn schema_of(bytes: &[u8]) -> Result<serde_json::Value, String> {
    let text = edit::Text::new(bytes.to_vec());
    // Some published schemas have comments or are written in YAML; a document of ours is read as such.
    let parse = |format| document::parse(&text, format, &document::Limits::DEFAULT);
    let document = match parse(document::Format::Json) {
        Ok(document) => document,
        Err(error) if bytes.trim_ascii_start().starts_with(b"{") => return Err(error.to_string()),
        Err(_) => parse(document::Format::Yaml).map_err(|it| it.to_string())?,
    };
    match document.value() {
        value @ (Value::Object(_) | Value::Bool(_)) => Ok(schema::to_json(&value)),
        _ => Err("it is not an object".to_owned()),
    }
}

#[cfg(test)]
mod tests;
