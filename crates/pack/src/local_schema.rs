//! The provider `schema`: every file that names its own schema is checked against it, without any pack.
//!
//! Only files that hold the bytes of a reference are parsed. One that does not parse is an error, whether the reference
//! can be read or not; so is a schema that is named and does not parse. A remote schema is never fetched, it is an info;
//! one that is not there or cannot be used is a warning at the reference. In all of these cases the file counts as not
//! checked. A later look checks again what changed and what depends on a schema that changed.

mod cache;
mod reference;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use check::{
    Cache, CacheKey, CacheKeys, Card, Check, Cost, Coverage, Diagnostic, Input, Interest, Location,
    LookError, Page, Parsed, Parses, Reach, Repair, Report, RuleSet, Severity, Sign, Tier, Trust,
    Unchecked, assign_ids,
};
use document::{Document, Format, Value};
use rayon::prelude::*;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::cache::keys_within;
use crate::finding::{Anchor, Violation};
use crate::legible::{legible, named_schema};
use crate::provider::{is_document, never_read};
use crate::report::{self, Subject};
use crate::schema::{self, Library, Schema};
use crate::syntax::without_syntax;
use reference::{Place, Reference, Target};

const PARSE: &str = "parse";
const SCHEMA: &str = "schema";

/// What every file shows that names a schema.
pub const SCHEMA_SIGN: Sign = Sign {
    name: "schema reference 1",
    is_in: |bytes| {
        let bytes = &*legible(bytes);
        [Format::Json, Format::Yaml, Format::Toml]
            .into_iter()
            .any(|format| reference::may_have_one(bytes, format))
    },
};

/// Checks every file that names a local schema.
#[derive(Clone, Default)]
pub struct LocalSchema {
    cache: Option<Arc<dyn Cache>>,
    /// Fewer looks than that are not kept.
    least: usize,
    leaves_syntax: bool,
}

impl LocalSchema {
    /// The same, keeping what it finds out about single files from one process to the next.
    pub fn with_cache(cache: Arc<dyn Cache>) -> LocalSchema {
        let least = cache::WORTH_KEEPING;
        LocalSchema { cache: Some(cache), least, ..LocalSchema::default() }
    }

    /// The same, and it leaves to [`SyntaxCheck`](crate::SyntaxCheck) to say which documents do not parse and which keys
    /// stand twice.
    #[must_use]
    pub fn leaving_syntax(self) -> LocalSchema {
        LocalSchema { leaves_syntax: true, ..self }
    }
}

static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    name: SCHEMA.to_owned(),
    phases: vec![PARSE.to_owned(), SCHEMA.to_owned()],
    rules: RuleSet::closed(schema::rules()),
    interest: Interest::documents(),
    cost: Cost::InProcess,
    trust: Trust::Sealed,
    languages: Vec::new(),
});

impl Check for LocalSchema {
    fn card(&self) -> &Card {
        &CARD
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        crate::page(rule_id, &[])
    }

    fn reach(&self, input: &Input<'_>) -> Reach {
        let Some(files) = part(input) else { return Reach::Tree };
        let documents = documents_among(files, input.snapshot);
        let schemas = documents.filter_map(|(path, file)| named_file(input.parses, path, file));
        let load = |schema: RelPath| load(input.snapshot, input.parses, &schema).depends_on;
        Reach::Files(schemas.flat_map(load).collect())
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let since = input.since.and_then(|it| {
            Some((it.report.memory.as_ref()?.downcast_ref::<Remembered>()?, it.changed))
        });
        let mut remembered = match since {
            Some((old, changed)) => old.without(changed),
            None => Remembered::default(),
        };
        let todo: Vec<(&RelPath, &File)> = match since {
            None => match part(input) {
                Some(files) => documents_among(files, input.snapshot).collect(),
                None => input.snapshot.files_at(is_document).collect(),
            },
            Some((old, changed)) => {
                let stale =
                    old.files.iter().filter(|(path, _)| !remembered.files.contains_key(*path));
                let paths: BTreeSet<&RelPath> = stale.map(|it| it.0).chain(changed).collect();
                paths.into_iter().filter_map(|it| Some((it, input.snapshot.file(it)?))).collect()
            }
        };
        let desk = Desk {
            input,
            cache: self.cache.as_deref(),
            keys: keys_within("regreen local schema look v2", input.parses.limits()),
            schemas: Mutex::new(remembered.schemas),
            believed: Mutex::default(),
            made: Mutex::default(),
        };
        let looked: Vec<(RelPath, Option<Looked>)> = todo
            .par_iter()
            .filter(|_| !input.stop.is_set())
            .map(|(path, file)| ((*path).clone(), cache::look(&desk, path, file)))
            .collect();
        if input.stop.is_set() {
            return Err(LookError::stopped());
        }
        cache::keep_all(&desk, self.least);
        remembered.schemas = desk.schemas.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = looked.into_iter().filter_map(|(path, it)| Some((path, it?)));
        remembered.files.extend(found.map(|(path, mut it)| {
            if self.leaves_syntax {
                without_syntax(&mut it.diagnostics);
            }
            (path, Arc::new(it))
        }));
        Ok(remembered.into_report(self.leaves_syntax))
    }

    fn repairs(&self, _: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        let memory = report.memory.clone();
        let known = memory.as_ref().and_then(|it| it.downcast_ref::<Remembered>());
        let files = known.into_iter().flat_map(|it| it.files.values());
        report.repairs.extend(files.flat_map(|it| &it.repairs).cloned());
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        let memory = report.memory.as_ref().and_then(|it| it.downcast_ref::<Remembered>());
        let mut coverage = Coverage::default();
        for (path, looked) in memory.into_iter().flat_map(|it| &it.files) {
            if looked.is_named {
                coverage.add(path);
            }
            looked.unchecked.iter().for_each(|it| coverage.add_unchecked(path, *it));
        }
        for path in memory.iter().flat_map(|it| it.broken_schemas().into_keys()) {
            coverage.add_unchecked(path, Unchecked::SyntaxError);
        }
        // What a file that was not read names is not known.
        for (path, entry) in snapshot.iter_at(is_document) {
            if never_read(entry) == Some(Unchecked::TooLarge) {
                coverage.add_unchecked(path, Unchecked::TooLarge);
            }
        }
        coverage
    }
}

/// How many files are looked at by themselves; who asks about more is told about all.
const MAX_PART: usize = 64;

/// The files that are asked about, if they can be judged without the others. A file that does not parse cannot: that is a
/// finding if another one names it as its schema.
fn part<'a>(input: &Input<'a>) -> Option<&'a BTreeSet<RelPath>> {
    let files = input.only.filter(|it| it.len() <= MAX_PART)?;
    let is_sound = |path: &RelPath| {
        is_program(input.parses, path)
            || input.snapshot.file(path).is_none_or(|file| {
                let format = Format::of_path(path.as_str()).unwrap_or(Format::Json);
                input.parses.of(file, format).document().is_ok()
            })
    };
    files.iter().all(is_sound).then_some(files)
}

/// Whether the file is a program by its name. Who names one as a schema is wrong, and the program is not.
fn is_program(parses: &Parses, path: &RelPath) -> bool {
    path.extension().is_some_and(|it| parses.has_language(it))
}

fn documents_among<'a>(
    files: &'a BTreeSet<RelPath>,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = (&'a RelPath, &'a File)> {
    let documents = files.iter().filter(|path| is_document(path));
    documents.filter_map(|path| Some((path, snapshot.file(path)?)))
}

/// The file that a file that parses names as its schema.
fn named_file(parses: &Parses, path: &RelPath, file: &File) -> Option<RelPath> {
    let format = Format::of_path(path.as_str()).filter(|_| parses.shows(file, &SCHEMA_SIGN))?;
    let parsed = parses.of(file, format);
    let in_comments = reference::in_comments(&legible(parsed.text().bytes()), format);
    let reference = in_comments.or_else(|| reference::in_key(&parsed))?;
    match reference::resolve(&reference.text, path) {
        Target::File(schema) => Some(schema),
        Target::Remote | Target::MetaSchema | Target::Unusable(_) => None,
    }
}

/// What was found out about a tree.
#[derive(Clone, Default)]
struct Remembered {
    /// Only the files that name a schema.
    files: BTreeMap<RelPath, Arc<Looked>>,
    schemas: BTreeMap<RelPath, Arc<Slot>>,
}

/// A schema that files name. It is not loaded while all that is known of them comes from the cache.
#[derive(Default)]
struct Slot {
    loaded: OnceLock<Loaded>,
    /// The files that it was made of when what is in the cache was found out, which they still are.
    kept: OnceLock<BTreeSet<RelPath>>,
}

impl Slot {
    /// The files that the schema is made of.
    fn depends_on(&self) -> Option<&BTreeSet<RelPath>> {
        self.loaded.get().map(|it| &it.depends_on).or_else(|| self.kept.get())
    }
}

/// What was found out about one file.
#[derive(Default)]
struct Looked {
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
    is_blocked: bool,
    /// Whether it names a schema, as far as can be told.
    is_named: bool,
    /// What kept it from being looked at completely.
    unchecked: BTreeSet<Unchecked>,
    /// The schema that it names, there or not.
    schema: Option<RelPath>,
}

/// A schema, or why there is none, and the files that the answer depends on.
struct Loaded {
    schema: Result<Schema, String>,
    depends_on: BTreeSet<RelPath>,
    /// What is wrong with those of them that do not parse.
    broken: BTreeMap<RelPath, Vec<Arc<Diagnostic>>>,
}

impl Remembered {
    /// What still holds when these paths have changed.
    fn without(&self, changed: &BTreeSet<RelPath>) -> Remembered {
        let holds =
            |it: &Arc<Slot>| it.depends_on().is_some_and(|files| files.is_disjoint(changed));
        let schemas = self.schemas.iter().filter(|(_, it)| holds(it));
        let schemas: BTreeMap<_, _> =
            schemas.map(|(path, it)| (path.clone(), Arc::clone(it))).collect();
        let files = self.files.iter().filter(|(path, it)| {
            !changed.contains(*path)
                && it.schema.as_ref().is_none_or(|schema| schemas.contains_key(schema))
        });
        Remembered {
            files: files.map(|(path, it)| (path.clone(), Arc::clone(it))).collect(),
            schemas,
        }
    }

    fn into_report(mut self, leaves_syntax: bool) -> Report {
        let used: BTreeSet<&RelPath> =
            self.files.values().filter_map(|it| it.schema.as_ref()).collect();
        self.schemas.retain(|path, _| used.contains(path));
        let broken = self.broken_schemas();
        let files = self.files.iter();
        let blocked = files.clone().filter(|(_, it)| it.is_blocked).map(|it| it.0);
        let of_files = files.clone().flat_map(|(_, it)| &it.diagnostics);
        let of_schemas = broken.iter().filter(|(path, _)| !leaves_syntax || !is_document(path));
        let of_schemas = of_schemas.flat_map(|it| it.1.iter());
        Report {
            diagnostics: of_files.chain(of_schemas).cloned().collect(),
            blocked: blocked
                .chain(broken.keys().copied())
                .map(|it| (it.clone(), SCHEMA.to_owned()))
                .collect(),
            memory: Some(Arc::new(self)),
            ..Report::default()
        }
    }

    /// The schemas that do not parse, each with what is wrong. One that names a schema itself has said so itself.
    fn broken_schemas(&self) -> BTreeMap<&RelPath, &Vec<Arc<Diagnostic>>> {
        let loaded = self.schemas.values().filter_map(|it| it.loaded.get());
        let has_said =
            |path: &RelPath| self.files.get(path).is_some_and(|it| !it.diagnostics.is_empty());
        loaded.flat_map(|it| &it.broken).filter(|it| !has_said(it.0)).collect()
    }
}

/// What all threads of one look share. A schema is loaded by the first who needs it.
struct Desk<'a> {
    input: &'a Input<'a>,
    cache: Option<&'a dyn Cache>,
    keys: CacheKeys,
    schemas: Mutex<BTreeMap<RelPath, Arc<Slot>>>,
    /// Entries of the cache that are true of this tree, each with the schema: files of one schema share them.
    believed: Mutex<BTreeMap<Arc<[u8]>, RelPath>>,
    /// What was found out and may be kept.
    made: Mutex<Vec<(CacheKey, Vec<u8>)>>,
}

impl Desk<'_> {
    fn slot(&self, path: &RelPath) -> Arc<Slot> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = schemas.get(path) {
            return Arc::clone(slot);
        }
        Arc::clone(schemas.entry(path.clone()).or_default())
    }

    fn schema(&self, path: &RelPath) -> Arc<Slot> {
        let slot = self.slot(path);
        slot.loaded.get_or_init(|| load(self.input.snapshot, self.input.parses, path));
        slot
    }
}

/// Checks one file; `None` if it names no schema.
fn look(desk: &Desk<'_>, path: &RelPath, file: &File) -> Option<Looked> {
    let format = Format::of_path(path.as_str())?;
    if !desk.input.parses.shows(file, &SCHEMA_SIGN) {
        return None;
    }
    let text = file.text();
    let bytes = &*legible(text.bytes());
    if !reference::may_have_one(bytes, format) {
        return None;
    }
    let parsed = desk.input.parses.get(&text, format);
    let snapshot = desk.input.snapshot;
    let in_comments = reference::in_comments(bytes, format);
    let Ok(document) = parsed.document() else {
        let named = in_comments.map(|it| it.text).or_else(|| named_schema(bytes));
        let named = named.filter(|it| reference::resolve(it, path) != Target::MetaSchema);
        let mut looked = Looked { is_blocked: true, ..Looked::default() };
        if named.is_some() {
            looked.is_named = true;
            looked.diagnostics = does_not_parse(snapshot, path, &parsed);
            looked.unchecked.extend(report::not_whole(&parsed));
        }
        return Some(looked);
    };
    let reference = match in_comments {
        Some(reference) => reference,
        None => reference::in_key(&parsed)?,
    };
    let target = reference::resolve(&reference.text, path);
    if target == Target::MetaSchema {
        return None;
    }
    let subject = subject(SCHEMA, snapshot, path, &parsed);
    Some(compare(desk, &subject, &reference, target, document))
}

fn subject<'a>(
    phase: &'static str,
    snapshot: &'a Snapshot,
    file: &'a RelPath,
    parsed: &'a Parsed,
) -> Subject<'a> {
    Subject { source: SCHEMA, phase, tier: Tier::Schema, file, parsed, snapshot }
}

fn does_not_parse(snapshot: &Snapshot, path: &RelPath, parsed: &Parsed) -> Vec<Arc<Diagnostic>> {
    let found = report::unreadable(&subject(PARSE, snapshot, path, parsed));
    found.into_iter().map(Arc::new).collect()
}

/// What the schema that a file names says of it.
fn compare(
    desk: &Desk<'_>,
    subject: &Subject<'_>,
    reference: &Reference,
    target: Target,
    document: &Document,
) -> Looked {
    let mut looked = Looked { is_named: true, ..Looked::default() };
    looked.unchecked.extend(report::not_whole(subject.parsed));
    let name = schema::quoted(&reference.text);
    let unusable = |why: &str| {
        let message = format!("the schema {name} cannot be used: {why}");
        Arc::new(at_reference(subject, reference, "SCHEMA_INVALID", &message))
    };
    let remote = |what: &str| {
        let message = format!("{what} is remote and was not fetched");
        Arc::new(at_reference(subject, reference, "SCHEMA_REMOTE", &message))
    };
    match target {
        Target::MetaSchema => {}
        Target::Remote => {
            looked.diagnostics.push(remote(&format!("the schema {name}")));
            looked.unchecked.insert(Unchecked::RemoteSchema);
        }
        Target::Unusable(why) => {
            looked.diagnostics.push(unusable(&why));
            looked.unchecked.insert(Unchecked::UnusableSchema);
        }
        Target::File(path) => {
            let slot = desk.schema(&path);
            let loaded = slot.loaded.get().expect("`Desk::schema` fills the slot");
            match &loaded.schema {
                Err(why) => {
                    looked.diagnostics.push(unusable(why));
                    looked.unchecked.insert(Unchecked::UnusableSchema);
                }
                Ok(schema) => {
                    let addresses: Vec<&str> = schema.remote().collect();
                    if !addresses.is_empty() {
                        let addresses = schema::quoted(&addresses.join("`, `"));
                        looked
                            .diagnostics
                            .push(remote(&format!("what the schema says at {addresses}")));
                    }
                    if let Some(message) = schema.later_keywords() {
                        let rule_id = "SCHEMA_LATER_KEYWORD";
                        let finding = at_reference(subject, reference, rule_id, &message);
                        looked.diagnostics.push(Arc::new(finding));
                    }
                    let violations = schema.check(&document.value(), document);
                    looked.unchecked.extend(schema.unchecked(&violations));
                    let severity = |it: &Violation| schema::severity(&it.rule_id);
                    let (diagnostics, repairs) =
                        report::into_findings(subject, &severity, violations);
                    looked.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
                    looked.repairs.extend(repairs.into_iter().map(Arc::new));
                }
            }
            looked.schema = Some(path);
        }
    }
    let unreadable = report::unreadable(&Subject { phase: PARSE, ..*subject });
    looked.diagnostics.extend(unreadable.into_iter().map(Arc::new));
    looked
}

fn at_reference(
    subject: &Subject<'_>,
    reference: &Reference,
    rule_id: &str,
    message: &str,
) -> Diagnostic {
    let severity: Severity = schema::severity(rule_id);
    let mut diagnostic = report::finding(subject, rule_id, severity, message);
    match &reference.place {
        Place::Key => {
            diagnostic.json_pointer = Some(reference::key().to_string());
            diagnostic.location =
                report::location_of(subject.parsed, &reference::key(), Anchor::Value);
        }
        Place::Comment(span) => {
            diagnostic.anchor = Some(reference.text.clone());
            diagnostic.location = Location::new(subject.parsed.lines(), span.clone());
        }
    }
    let shown = Value::String(schema::cut(&reference.text));
    diagnostic.details.insert("schema".into(), shown);
    let mut diagnostics = [diagnostic];
    assign_ids(&mut diagnostics);
    let [diagnostic] = diagnostics;
    diagnostic
}

/// Reads a schema and all it refers to from the snapshot.
fn load(snapshot: &Snapshot, parses: &Parses, path: &RelPath) -> Loaded {
    let mut depends_on = BTreeSet::from([path.clone()]);
    let mut broken = BTreeMap::new();
    let mut documents = BTreeMap::new();
    let mut open = vec![path.clone()];
    let mut missing = None;
    while let Some(next) = open.pop() {
        let document = match read(snapshot, parses, &next) {
            Ok(document) => document,
            Err(Unread { why, diagnostics }) => {
                if !diagnostics.is_empty() {
                    broken.insert(next.clone(), diagnostics);
                }
                if next == *path {
                    missing = Some(why);
                }
                // Of what it refers to, the library says which reference leads nowhere.
                continue;
            }
        };
        for referenced in schema::referenced_paths(next.as_str(), &document) {
            if let Ok(referenced) = RelPath::parse(&referenced)
                && depends_on.insert(referenced.clone())
            {
                open.push(referenced);
            }
        }
        documents.insert(next.as_str().to_owned(), document);
    }
    if let Some(why) = missing {
        return Loaded { schema: Err(why), depends_on, broken };
    }
    let schema = Library::new(documents)
        .and_then(|library| Schema::compile(&Arc::new(library), path.as_str()))
        .map_err(|error| error.to_string());
    Loaded { schema, depends_on, broken }
}

/// Why a schema cannot be read, and what is wrong with it if it is there.
struct Unread {
    why: String,
    diagnostics: Vec<Arc<Diagnostic>>,
}

fn read(snapshot: &Snapshot, parses: &Parses, path: &RelPath) -> Result<serde_json::Value, Unread> {
    let Some(file) = snapshot.file(path) else {
        let why = match snapshot.get(path) {
            Some(Entry::Unread { .. }) => format!("`{path}` was not read"),
            _ => format!("there is no file `{path}`"),
        };
        return Err(Unread { why, diagnostics: Vec::new() });
    };
    let format = Format::of_path(path.as_str()).unwrap_or(Format::Json);
    let parsed = parses.get(&file.text(), format);
    match parsed.document() {
        Ok(document) => Ok(schema::to_json(&document.value())),
        Err(error) => Err(Unread {
            why: format!("`{path}` cannot be read: {error}"),
            diagnostics: match is_program(parses, path) {
                true => Vec::new(),
                false => does_not_parse(snapshot, path, &parsed),
            },
        }),
    }
}
