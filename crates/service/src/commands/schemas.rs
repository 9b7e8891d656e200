//! Schemas by address: the lock of a workspace, the user's cache of their bytes, and the one command that fills both.
//!
//! Nothing else fetches anything. An address is fetched because the user typed it, because the catalogue that the user
//! typed lists it or a schema of it refers to it, or because the workspace names it and the user trusts that.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use edit::Text;
use fetch::Limits;
use pack::{Catalogue, LOCK, LockedSchema, MappedSchema, SchemaBytes, SchemaLock, content_hash};
use protocol::v1::{SchemaFailure, SchemaLine, SchemasReport, SchemasUpdate};
use snapshot::{NewFile, RelPath, TreeChange};
use workspace::{Meta, SchemaFolder, Workspace};

use crate::commands::log::TITLE;
use crate::commands::trust::WorkspaceTrust;
use crate::config::Config;
use crate::failure::Failure;
use crate::session::Session;
use crate::setup;
use crate::setup::TreeOverlay;
use source::SchemaSource;
pub(crate) use source::{host, is_public};

/// Where the public catalogue is.
pub const DEFAULT_CATALOGUE: &str = "https://www.schemastore.org/api/json/catalog.json";
/// Where schemas go that are put into a workspace.
const VENDOR_FOLDER: &str = "regreen.schemas";
/// The user's list of all schemas that were taken last.
const INDEX: &str = "index";

const MAX_SCHEMA_BYTES: u64 = 8 << 20;
const MAX_ALL_BYTES: u64 = 512 << 20;
const MAX_SCHEMAS: usize = 5000;
/// How far references are followed.
const MAX_ROUNDS: usize = 8;
const ONE_SECONDS: u64 = 30;

/// The user's cache, or nothing where there is none.
struct CachedSchemas(Option<SchemaFolder>);

impl SchemaBytes for CachedSchemas {
    fn read(&self, hash: &str) -> Option<Vec<u8>> {
        self.0.as_ref()?.read(&name(hash))
    }

    fn has(&self, hash: &str) -> bool {
        self.0.as_ref().is_some_and(|it| it.has(&name(hash)))
    }
}

/// The name of bytes in the cache.
fn name(hash: &str) -> String {
    hash.replace(':', "-")
}

fn lock_path() -> RelPath {
    RelPath::parse(LOCK).expect("the name of the lock is a path")
}

/// The lock of a workspace and its text; `None` if there is none.
pub(crate) fn load_lock(workspace: &Workspace) -> Result<Option<(SchemaLock, Text)>, Failure> {
    let Some(text) = setup::load_text(workspace, &lock_path())? else { return Ok(None) };
    match SchemaLock::parse(text.bytes()) {
        Ok(lock) => Ok(Some((lock, text))),
        Err(reason) => Err(Failure::Unusable { path: LOCK.to_owned(), reason }),
    }
}

/// The schemas that files of a workspace have by their names and addresses; `None` if nothing is known.
pub(crate) fn catalogue(
    workspace: &Workspace,
    config: &Config,
) -> Result<Option<Arc<Catalogue>>, Failure> {
    let folder = workspace.schema_folder();
    let mappings = config.schemas.clone();
    let catalogue = match load_lock(workspace)? {
        Some((lock, _)) => Catalogue::new(mappings, lock, Arc::new(CachedSchemas(folder))),
        None => {
            let known = folder.as_ref().and_then(|it| SchemaLock::parse(&it.read(INDEX)?).ok());
            if known.is_none() && mappings.is_empty() {
                return Ok(None);
            }
            Catalogue::unlocked(
                mappings,
                known.unwrap_or_default(),
                Arc::new(CachedSchemas(folder)),
            )
        }
    };
    Ok(Some(Arc::new(catalogue)))
}

/// What is locked, and whether it is there.
pub fn list_schemas(session: &Session) -> Result<SchemasReport, Failure> {
    let Some((lock, _)) = load_lock(&session.workspace)? else {
        return Ok(SchemasReport { ok: true, ..SchemasReport::default() });
    };
    let kept = CachedSchemas(session.workspace.schema_folder());
    let mut schemas = Vec::new();
    for schema in &lock.schemas {
        let is_present = match &schema.path {
            Some(path) => setup::load_text(&session.workspace, path)?
                .is_some_and(|it| content_hash(it.bytes()) == schema.hash),
            None => kept.has(&schema.hash),
        };
        schemas.push(line(schema, is_present));
    }
    Ok(SchemasReport {
        ok: schemas.iter().all(|it| it.present),
        catalogue: lock.catalogue,
        schemas,
        ..SchemasReport::default()
    })
}

fn line(schema: &LockedSchema, present: bool) -> SchemaLine {
    SchemaLine {
        url: schema.url.clone(),
        name: schema.name.clone(),
        hash: schema.hash.clone(),
        files: schema.files.clone(),
        licence: schema.licence.clone(),
        path: schema.path.as_ref().map(ToString::to_string),
        present,
    }
}

/// Takes a catalogue and its schemas, or those that are locked, into the user's cache; writes the lock.
pub fn update_schemas(
    session: &Session,
    directory: &Path,
    request: &SchemasUpdate,
) -> Result<SchemasReport, Failure> {
    let (config, _) = setup::load_config(session, &TreeOverlay::new())?;
    let trust = WorkspaceTrust::of(session, &config).0;
    let before = load_lock(&session.workspace)?;
    let limits = Limits {
        max_bytes: MAX_SCHEMA_BYTES,
        one: Duration::from_secs(ONE_SECONDS.min(request.timeout)),
        all: Duration::from_secs(request.timeout),
    };
    let from = from(request, &config, before.as_ref().map(|it| &it.0), &trust)?;
    let source = SchemaSource::open(&from, directory, limits)?;
    let taken = match (&before, request.locked) {
        (None, true) => {
            let message = format!("there is no {LOCK}; `regreen schemas update` makes one");
            return Err(Failure::Usage { message });
        }
        (Some((lock, _)), true) => take_locked(session, &source, lock)?,
        (_, false) => take_catalogue(&source, &config, &trust)?,
    };
    finish(session, request, before, taken)
}

/// Where to take schemas from: what was typed, what the configuration says, what the lock says, the public catalogue.
fn from(
    request: &SchemasUpdate,
    config: &Config,
    lock: Option<&SchemaLock>,
    trust: &WorkspaceTrust,
) -> Result<String, Failure> {
    if let Some(from) = &request.from {
        return Ok(from.clone());
    }
    if request.locked {
        if let Some(message) = trust.forbids_lock() {
            return Err(Failure::Untrusted { message });
        }
        let catalogue = lock.and_then(|it| it.catalogue.clone());
        return Ok(catalogue.unwrap_or_else(|| DEFAULT_CATALOGUE.to_owned()));
    }
    match &config.catalogue {
        Some(url) => match trust.forbids_schema(url) {
            Some(message) => Err(Failure::Untrusted { message }),
            None => Ok(url.clone()),
        },
        None => Ok(DEFAULT_CATALOGUE.to_owned()),
    }
}

/// What was taken.
#[derive(Default)]
struct SchemaUpdate {
    catalogue: Option<String>,
    schemas: Vec<LockedSchema>,
    /// The bytes by their hashes.
    bytes: BTreeMap<String, Vec<u8>>,
    failed: Vec<SchemaFailure>,
    /// Files that belong to the schemas: licences and notices, by name.
    notices: BTreeMap<String, Vec<u8>>,
    is_complete: bool,
}

/// Takes a catalogue, what it lists, what the configuration names, and what these refer to.
fn take_catalogue(
    source: &SchemaSource,
    config: &Config,
    trust: &WorkspaceTrust,
) -> Result<SchemaUpdate, Failure> {
    let unusable = |reason: String| Failure::Unusable { path: source.shown().to_owned(), reason };
    let entries = source.catalogue().map_err(unusable)?;
    let entries = pack::read_catalogue(&entries).map_err(unusable)?;
    let mut taken =
        SchemaUpdate { catalogue: source.address(), is_complete: true, ..SchemaUpdate::default() };
    let mut known: BTreeMap<String, (String, Vec<String>)> =
        entries.into_iter().map(|it| (it.url, (it.name, it.files))).collect();
    for mapping in &config.schemas {
        let MappedSchema::Address(url) = &mapping.schema else { continue };
        match trust.forbids_schema(url) {
            Some(_) if known.contains_key(url) => {}
            Some(reason) => taken.failed.push(SchemaFailure { url: url.clone(), reason }),
            None => {
                known.entry(url.clone()).or_default();
            }
        }
    }
    let mut open: BTreeSet<String> = known.keys().cloned().collect();
    let mut seen = open.clone();
    let mut n_bytes = 0;
    for round in 0..MAX_ROUNDS {
        let urls: Vec<String> = std::mem::take(&mut open).into_iter().collect();
        for (url, got) in source.get_all(&urls) {
            let got = got.and_then(|bytes| {
                n_bytes += bytes.len() as u64;
                if n_bytes > MAX_ALL_BYTES || taken.schemas.len() >= MAX_SCHEMAS {
                    return Err("the schemas are too large together".to_owned());
                }
                Ok((pack::references_of(&url, &bytes)?, bytes))
            });
            let (references, bytes) = match got {
                Ok(got) => got,
                // What only another schema refers to is said by a check that needs it.
                Err(_) if round > 0 => continue,
                Err(reason) => {
                    taken.failed.push(SchemaFailure { url, reason });
                    continue;
                }
            };
            open.extend(references.into_iter().filter(|it| seen.insert(it.clone())));
            let (name, files) = known.get(&url).cloned().unwrap_or_default();
            let hash = content_hash(&bytes);
            let licence = source.licence(&url);
            taken.bytes.insert(hash.clone(), bytes);
            taken.schemas.push(LockedSchema { url, hash, name, files, licence, path: None });
        }
        if open.is_empty() {
            break;
        }
    }
    if taken.schemas.is_empty() {
        return Err(unusable("none of its schemas could be taken".to_owned()));
    }
    taken.notices = source.notices();
    Ok(taken)
}

/// Takes exactly the bytes that are locked.
fn take_locked(
    session: &Session,
    source: &SchemaSource,
    lock: &SchemaLock,
) -> Result<SchemaUpdate, Failure> {
    let kept = CachedSchemas(session.workspace.schema_folder());
    let mut taken = SchemaUpdate {
        catalogue: lock.catalogue.clone(),
        is_complete: true,
        ..SchemaUpdate::default()
    };
    let absent = lock.schemas.iter().filter(|it| it.path.is_none() && !kept.has(&it.hash));
    let absent: Vec<String> = absent.map(|it| it.url.clone()).collect();
    let mut got: BTreeMap<String, Result<Vec<u8>, String>> = BTreeMap::new();
    got.extend(source.get_all(&absent));
    for schema in &lock.schemas {
        let bytes = match got.remove(&schema.url) {
            None => None,
            Some(Ok(bytes)) if content_hash(&bytes) == schema.hash => Some(bytes),
            Some(other) => {
                let reason = other.err().unwrap_or_else(|| {
                    "it has other bytes than were locked; `regreen schemas update` locks these"
                        .to_owned()
                });
                taken.failed.push(SchemaFailure { url: schema.url.clone(), reason });
                taken.is_complete = false;
                None
            }
        };
        if let Some(bytes) = bytes {
            taken.bytes.insert(schema.hash.clone(), bytes);
        }
        taken.schemas.push(schema.clone());
    }
    Ok(taken)
}

/// Writes what was taken: the bytes into the cache, the lock into the workspace.
fn finish(
    session: &Session,
    request: &SchemasUpdate,
    before: Option<(SchemaLock, Text)>,
    mut taken: SchemaUpdate,
) -> Result<SchemasReport, Failure> {
    let mut files: BTreeMap<RelPath, Vec<u8>> = BTreeMap::new();
    if request.vendor {
        vendor(&mut taken, &mut files, session)?;
    }
    let lock = SchemaLock::new(taken.catalogue.take(), std::mem::take(&mut taken.schemas));
    files.insert(lock_path(), lock.render().into_bytes());
    let old: BTreeMap<&str, &str> = before
        .iter()
        .flat_map(|it| &it.0.schemas)
        .map(|it| (it.url.as_str(), it.hash.as_str()))
        .collect();
    let is_new = |it: &&LockedSchema| old.get(it.url.as_str()) != Some(&it.hash.as_str());
    let changed = lock.schemas.iter().filter(is_new).count();
    let new: BTreeSet<&str> = lock.schemas.iter().map(|it| it.url.as_str()).collect();
    let removed = old.keys().filter(|it| !new.contains(*it)).count();
    let mut transaction = None;
    if !request.dry_run {
        let folder = session.workspace.schema_folder();
        let named: Vec<(String, &[u8])> =
            taken.bytes.iter().map(|(hash, bytes)| (name(hash), bytes.as_slice())).collect();
        let index = lock.render();
        let all = named.iter().map(|(name, bytes)| (name.as_str(), *bytes));
        let all = all.chain([(INDEX, index.as_bytes())]);
        let is_kept = match &folder {
            Some(folder) => folder.write(all).map_err(Failure::Open)?,
            None => false,
        };
        if !is_kept && !request.vendor {
            let reason = "there is no cache folder of yours to keep schemas in; `--vendor` puts them into the workspace";
            return Err(Failure::Unusable { path: LOCK.to_owned(), reason: reason.to_owned() });
        }
        let title = format!("the schemas of {LOCK}");
        transaction = write(session, files, "schemas update", title)?;
    }
    let kept = CachedSchemas(session.workspace.schema_folder());
    let is_there = |it: &LockedSchema| {
        it.path.is_some() || taken.bytes.contains_key(&it.hash) || kept.has(&it.hash)
    };
    taken.failed.sort();
    Ok(SchemasReport {
        ok: taken.is_complete,
        schemas: lock.schemas.iter().map(|it| line(it, is_there(it))).collect(),
        catalogue: lock.catalogue,
        failed: taken.failed,
        changed,
        removed,
        transaction,
    })
}

/// Gives every schema a path in the workspace, and its licence.
fn vendor(
    taken: &mut SchemaUpdate,
    files: &mut BTreeMap<RelPath, Vec<u8>>,
    session: &Session,
) -> Result<(), Failure> {
    let kept = CachedSchemas(session.workspace.schema_folder());
    let path = |name: &str| RelPath::parse(&format!("{VENDOR_FOLDER}/{name}"));
    for schema in &mut taken.schemas {
        let bytes = taken.bytes.get(&schema.hash).cloned().or_else(|| kept.read(&schema.hash));
        let Some(bytes) = bytes else { continue };
        let plain =
            |it: char| if it.is_ascii_alphanumeric() || "-_.".contains(it) { it } else { '-' };
        let last = schema.url.rsplit('/').find(|it| !it.is_empty()).unwrap_or_default();
        let stem: String = last.trim_end_matches(".json").chars().map(plain).take(80).collect();
        let digits = schema.hash.rsplit(':').next().unwrap_or_default();
        let digits = digits.get(..8).unwrap_or_default();
        let Ok(path) = path(&format!("{}-{digits}.json", stem.trim_matches(['.', '-']))) else {
            continue;
        };
        files.insert(path.clone(), bytes);
        schema.path = Some(path);
    }
    for (name, bytes) in &taken.notices {
        if let Ok(path) = path(name) {
            files.insert(path, bytes.clone());
        }
    }
    Ok(())
}

/// Writes files as one transaction; those that are as they should be stay.
pub(crate) fn write(
    session: &Session,
    files: BTreeMap<RelPath, Vec<u8>>,
    command: &str,
    title: String,
) -> Result<Option<String>, Failure> {
    let (mut edits, mut adds) = (BTreeMap::new(), BTreeMap::new());
    for (path, bytes) in files {
        let new = Text::new(bytes);
        match setup::load_text(&session.workspace, &path)? {
            None => {
                adds.insert(path, NewFile { text: new, mode: 0o644 });
            }
            Some(old) => {
                let whole = u32::try_from(old.len()).unwrap_or(u32::MAX);
                let edit = edit::Edit::replace(0, whole, new.bytes());
                let edit = if old == new { Vec::new() } else { vec![edit] };
                let edit = edit::EditSet::new(&old, edit).map_err(|error| Failure::Unusable {
                    path: path.to_string(),
                    reason: error.to_string(),
                })?;
                edits.insert(path, edit);
            }
        }
    }
    let change = TreeChange::new(edits, adds, BTreeMap::new(), BTreeMap::new())?;
    let notes = BTreeMap::from([(TITLE.to_owned(), title)]);
    let meta = Meta { command: command.to_owned(), time: None, notes };
    Ok(session.workspace.commit(&change, None, &meta)?.map(|it| it.to_string()))
}
