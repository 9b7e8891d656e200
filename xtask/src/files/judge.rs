//! What regreen says of a document, and what another validator says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use check::{Environment, Parses, Provider, Safety, Severity, Stop};
use document::{Format, Limits, Value};
use edit::Text;
use engine::{Assessment, Options, Run, Sieve, Sources};
use jsonschema::{Retrieve, Uri, Validator};
use pack::{
    Catalogue, FileGlobs, LocalSchema, LockedSchema, MappedSchema, Mapping, SchemaBytes,
    SchemaLock, content_hash,
};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

const HOST: &str = "https://www.schemastore.org/";
/// Where a document stands beside the schemas, as in the repository that it came from: some name their schema by its path.
const FOLDER: &str = "test/document/";
const SCHEMAS: &str = "schemas/json/";

/// The schemas of the corpus.
pub(super) struct CorpusSchemas {
    folder: PathBuf,
    schemas: BTreeMap<String, Arc<Vec<u8>>>,
    lock: SchemaLock,
    bytes: Arc<Bytes>,
}

struct Bytes(BTreeMap<String, Arc<Vec<u8>>>);

impl SchemaBytes for Bytes {
    fn read(&self, hash: &str) -> Option<Vec<u8>> {
        self.0.get(hash).map(|it| it.to_vec())
    }

    fn has(&self, hash: &str) -> bool {
        self.0.contains_key(hash)
    }
}

impl CorpusSchemas {
    pub(super) fn read(folder: &Path) -> Result<CorpusSchemas> {
        let mut schemas = BTreeMap::new();
        let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|it| it.to_str()?.strip_suffix(".json"))
            else {
                continue;
            };
            schemas.insert(name.to_owned(), Arc::new(std::fs::read(&path)?));
        }
        let locked = schemas.iter().map(|(name, bytes)| LockedSchema {
            url: format!("{HOST}{name}.json"),
            hash: content_hash(bytes),
            name: name.clone(),
            files: Vec::new(),
            licence: None,
            path: None,
        });
        let lock = SchemaLock::new(None, locked.collect());
        let bytes = schemas.values().map(|it| (content_hash(it), Arc::clone(it))).collect();
        let folder = folder.to_owned();
        Ok(CorpusSchemas { folder, schemas, lock, bytes: Arc::new(Bytes(bytes)) })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.schemas.keys().map(String::as_str)
    }
}

/// Finds a schema of the corpus by the end of its address.
struct Beside(Arc<BTreeMap<String, Arc<Vec<u8>>>>);

impl Retrieve for Beside {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
        let address = uri.as_str().split('#').next().unwrap_or_default();
        let name = address.rsplit('/').next().unwrap_or_default().trim_end_matches(".json");
        let bytes = self.0.get(name).ok_or("it is not in the corpus")?;
        Ok(serde_json::from_slice(bytes)?)
    }
}

/// Judges documents by one schema.
pub(super) struct Judge<'a> {
    store: &'a CorpusSchemas,
    local: LocalSchema,
    other: Validator,
}

/// What became of a fault.
pub(super) struct FaultResult {
    pub(super) is_detected: bool,
    pub(super) is_offered: bool,
    pub(super) is_restored: bool,
    pub(super) is_changed_unasked: bool,
    pub(super) is_changed_allowed: bool,
    pub(super) n_comments_lost: usize,
    pub(super) shown: String,
}

impl<'a> Judge<'a> {
    /// `None` if the other validator cannot use the schema.
    pub(super) fn new(store: &'a CorpusSchemas, name: &str) -> Option<Judge<'a>> {
        let json: serde_json::Value = serde_json::from_slice(store.schemas.get(name)?).ok()?;
        let beside = Beside(Arc::new(store.schemas.clone()));
        let other = jsonschema::options()
            .with_retriever(beside)
            .should_validate_formats(false)
            .should_ignore_unknown_formats(true)
            .build(&json)
            .ok()?;
        let mut files = FileGlobs::default();
        files.add(&format!("{FOLDER}*")).ok()?;
        let schema = MappedSchema::Address(format!("{HOST}{name}.json"));
        let mapping = Mapping { files, conditions: pack::Conditions::default(), schema };
        let bytes = Arc::<Bytes>::clone(&store.bytes);
        let catalogue = Catalogue::new(vec![mapping], store.lock.clone(), bytes);
        let local = LocalSchema::default().with_catalogue(Arc::new(catalogue), Vec::new());
        Some(Judge { store, local, other })
    }

    /// The file of a schema.
    pub(super) fn schema_file(&self, name: &str) -> PathBuf {
        self.store.folder.join(format!("{name}.json"))
    }

    /// Whether the other validator refuses the document.
    pub(super) fn is_refused(&self, path: &Path, text: &str) -> bool {
        let Some(value) = value(path, text) else { return false };
        let Ok(mut json) = serde_json::from_str::<serde_json::Value>(&value.to_json()) else {
            return false;
        };
        // A reference to the schema itself is the editor's business.
        if let Some(members) = json.as_object_mut() {
            members.shift_remove("$schema");
        }
        !self.other.is_valid(&json)
    }

    /// Whether regreen finds an error in the document.
    pub(super) fn is_wrong(&self, path: &Path, text: &str) -> bool {
        let mut is_wrong = false;
        self.run(path, text, |run, snapshot| {
            is_wrong = has_error(&engine::assess(run, snapshot, None))
        });
        is_wrong
    }

    /// Whether regreen compares the document with all of a schema: not if it names one that is not in the corpus.
    pub(super) fn is_compared(&self, path: &Path, text: &str) -> bool {
        let mut is_compared = true;
        self.run(path, text, |run, snapshot| {
            let found = engine::assess(run, snapshot, None);
            let is_gap = |rule: &str| rule == "SCHEMA_REMOTE" || rule == "SCHEMA_INVALID";
            is_compared = !found.diagnostics.iter().any(|it| is_gap(&it.rule_id));
        });
        is_compared
    }

    /// What becomes of a document with a fault.
    pub(super) fn outcome(&self, path: &Path, text: &str, mutant: &str) -> FaultResult {
        let meant = value(path, text);
        let (mut is_detected, mut is_offered) = (false, false);
        let mut ends = Vec::new();
        self.run(path, mutant, |run, snapshot| {
            let start = engine::assess(run, snapshot, None);
            is_detected = has_error(&start);
            is_offered = !start.repairs.is_empty();
            for safety in [Safety::LikelyPreserving, Safety::BehaviorChanging] {
                let policy = Policy { safety, allow: BTreeSet::new() };
                let options = Options {
                    policy: &policy,
                    is_editable: &|_| true,
                    wants: &|_| true,
                    max_passes: 10,
                    max_rechecks: 200,
                };
                let fixed = engine::fix(run, &start, &options, &mut |_| ());
                let mut files = fixed.end.snapshot.files();
                let file = files.find(|it| it.0.as_str().starts_with(FOLDER)).map(|it| it.1.text());
                let bytes = file.map(|it| it.bytes().to_vec()).unwrap_or_default();
                ends.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        });
        let is_meant = |end: &String| {
            let found = value(path, end);
            found.zip(meant.as_ref()).is_some_and(|(found, meant)| found.equals(meant))
        };
        let (plain, all) = (&ends[0], &ends[1]);
        let lost = ends.iter().map(|it| comments(path, mutant).saturating_sub(comments(path, it)));
        FaultResult {
            is_detected,
            is_offered,
            is_restored: is_meant(all),
            is_changed_unasked: plain != mutant && !is_meant(plain),
            is_changed_allowed: all != mutant && !is_meant(all),
            n_comments_lost: lost.max().unwrap_or(0),
            shown: difference(mutant, if plain == mutant { all } else { plain }),
        }
    }

    fn run(&self, path: &Path, text: &str, work: impl FnOnce(&Run<'_>, &Snapshot)) {
        let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
        let file = |bytes: &[u8]| Entry::File(File::new(Text::new(bytes), 0o644));
        let Ok(path) = RelPath::parse(&format!("{FOLDER}{name}")) else { return };
        let mut files = BTreeMap::from([(path, file(text.as_bytes()))]);
        if let Some((_, rest)) = text.split_once(SCHEMAS)
            && let Some((name, _)) = rest.split_once(".json")
            && let Some(bytes) = self.store.schemas.get(name)
            && let Ok(path) = RelPath::parse(&format!("{SCHEMAS}{name}.json"))
        {
            files.insert(path, file(bytes));
        }
        let Ok(snapshot) = Snapshot::new(files) else { return };
        let providers: [&dyn Provider; 1] = [&self.local];
        let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
        let sources = Sources::new(&providers, Environment::default());
        let sieve = Sieve { levels: BTreeMap::new(), baseline: BTreeSet::new() };
        let run =
            Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
        work(&run, &snapshot);
    }
}

fn has_error(assessment: &Assessment) -> bool {
    assessment.diagnostics.iter().any(|it| it.severity == Severity::Error)
}

fn parsed(path: &Path, text: &str) -> Option<Arc<document::Document>> {
    let format = Format::of_path(&path.to_string_lossy())?;
    document::parse(&Text::new(text), format, &Limits::DEFAULT).ok()
}

fn value(path: &Path, text: &str) -> Option<Value> {
    parsed(path, text).map(|it| it.value())
}

fn comments(path: &Path, text: &str) -> usize {
    parsed(path, text).map_or(0, |it| it.comments().len())
}

/// The lines that differ.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.lines().collect(), after.lines().collect());
    let gone = before.lines().filter(|it| !new.contains(it)).map(|it| format!("  - {it}\n"));
    let come = after.lines().filter(|it| !old.contains(it)).map(|it| format!("  + {it}\n"));
    gone.take(4).chain(come.take(4)).collect()
}
