//! The provider `schema`: every file that names its own schema is checked against it, without any pack; and so is one that
//! the configuration maps to a schema, or that the lock has one for by its name, in this order.
//!
//! Only files that hold the bytes of a reference, or have a schema by their name, are parsed. One that does not parse is an
//! error, whether the reference can be read or not; so is a schema that is named and does not parse. A remote schema is
//! never fetched: it is used if the catalogue has it, else it is an info; one that is not there or cannot be used is a
//! warning at the reference. A file of a kind that a pack knows is left to the pack, unless it was mapped by hand. In all of these cases the file counts as not
//! checked. A later look checks again what changed and what depends on a schema that changed.

mod cache;
mod reference;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use check::{
    Cache, Card, Check, Cost, Coverage, Diagnostic, Input, Interest, Location, LookError, Page,
    Parsed, Parses, Reach, Repair, Report, RuleSet, Severity, Sign, Tier, Trust, Unchecked,
    assign_ids,
};
use document::{Document, Format, Value};
use rayon::prelude::*;
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::cache::{FileCache, WORTH_KEEPING};
use crate::catalogue::{self, Catalogue, Named};
use crate::finding::MemberPart;
use crate::legible::{legible, named_schema};
use crate::pack::Pack;
use crate::provider::{is_document, never_read};
use crate::report::{self, ReportContext};
use crate::schema::{self, CompiledSchema, SchemaLibrary};
use crate::syntax::without_syntax;
use reference::{Reference, ReferenceSite, ReferenceTarget};

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
    catalogue: Option<Arc<Catalogue>>,
    packs: Vec<Arc<Pack>>,
    compiled: Arc<Compiled>,
}

/// Schemas that no file of a workspace is part of: the lock says what they are, so that they are the same in every tree.
type Compiled = Mutex<BTreeMap<SchemaId, Arc<Slot>>>;

impl LocalSchema {
    /// The same, keeping what it finds out about single files from one process to the next.
    pub fn with_cache(cache: Arc<dyn Cache>) -> LocalSchema {
        let least = WORTH_KEEPING;
        LocalSchema { cache: Some(cache), least, ..LocalSchema::default() }
    }

    /// The same, and it leaves to [`SyntaxCheck`](crate::SyntaxCheck) to say which documents do not parse and which keys
    /// stand twice.
    #[must_use]
    pub fn leaving_syntax(self) -> LocalSchema {
        LocalSchema { leaves_syntax: true, ..self }
    }

    /// The same, and files have schemas by their names too, unless they are of a kind of one of these packs.
    #[must_use]
    pub fn with_catalogue(self, catalogue: Arc<Catalogue>, packs: Vec<Arc<Pack>>) -> LocalSchema {
        LocalSchema { catalogue: Some(catalogue), packs, compiled: Arc::default(), ..self }
    }

    fn names(&self) -> Names<'_> {
        Names { catalogue: self.catalogue.as_deref(), packs: &self.packs }
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
        let names = self.names();
        let schemas =
            documents.filter_map(|(path, file)| named_schema_of(&names, input.parses, path, file));
        let load = |schema: SchemaId| load(&names, input, &schema).depends_on;
        Reach::Files(schemas.flat_map(load).collect())
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        let since = input.earlier::<Remembered>();
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
        let usage = match &self.catalogue {
            None => "regreen local schema look v3".to_owned(),
            Some(it) => {
                let it = blake3::Hash::from_bytes(*it.fingerprint());
                format!("regreen local schema look v3 {it}")
            }
        };
        let context = CheckContext {
            input,
            names: self.names(),
            compiled: &self.compiled,
            cache: FileCache::new(self.cache.as_deref(), &usage, None, input.parses.limits()),
            schemas: Mutex::new(remembered.schemas),
            believed: Mutex::default(),
        };
        let looked: Vec<(RelPath, Option<SchemaReport>)> = todo
            .par_iter()
            .filter(|_| !input.stop.is_set())
            .map(|(path, file)| ((*path).clone(), cache::look(&context, path, file)))
            .collect();
        if input.stop.is_set() {
            return Err(LookError::stopped());
        }
        context.cache.write(self.least);
        remembered.schemas = context.schemas.into_inner().unwrap_or_else(PoisonError::into_inner);
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
        let files = report.remembered::<Remembered>().into_iter().flat_map(|it| it.files.values());
        let repairs: Vec<Arc<Repair>> = files.flat_map(|it| &it.repairs).cloned().collect();
        report.repairs.extend(repairs);
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        let memory = report.remembered::<Remembered>();
        let files = || memory.into_iter().flat_map(|it| &it.files);
        let mut coverage = Coverage::of_files(files().filter(|it| it.1.is_named).map(|it| it.0));
        for (path, looked) in files() {
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

/// What gives files a schema by their names.
#[derive(Clone, Copy)]
struct Names<'a> {
    catalogue: Option<&'a Catalogue>,
    packs: &'a [Arc<Pack>],
}

impl Names<'_> {
    /// Whether the file may have a schema by its name.
    fn may_name(&self, path: &RelPath) -> bool {
        self.catalogue.is_some_and(|it| it.may_name(path.as_str()))
    }

    /// The schema that a document has by its name.
    fn of(&self, path: &RelPath, document: &Document) -> Option<(Reference, ReferenceTarget)> {
        let catalogue = self.catalogue?;
        // Most mappings look at the path alone, and a copy of a large document is not made for nothing.
        let value = LazyCell::new(|| document.value());
        let reference =
            |text: &str| Reference { text: text.to_owned(), place: ReferenceSite::Name };
        match catalogue.mapped(path.as_str(), || &*value) {
            Some(Named::File(schema)) => {
                return Some((
                    reference(schema.as_str()),
                    ReferenceTarget::Schema(SchemaId::File(schema.clone())),
                ));
            }
            Some(Named::Address(address)) => return Some((reference(address), self.at(address))),
            None => {}
        }
        let locked = catalogue.locked_for(path.as_str())?;
        let is_known = |pack: &Arc<Pack>| {
            let kinds = pack.kinds_of_path(path.as_str());
            !kinds.is_empty() && pack.kind_among(&kinds, &value).is_some()
        };
        if self.packs.iter().any(is_known) {
            return None;
        }
        Some((reference(&locked.url), self.at(&locked.url)))
    }

    /// What an address means.
    fn at(&self, address: &str) -> ReferenceTarget {
        match self.catalogue.and_then(|it| it.at(address)) {
            Some(_) => ReferenceTarget::Schema(SchemaId::Address(address.to_owned())),
            None => ReferenceTarget::Remote,
        }
    }

    /// What the reference of a file means for it.
    fn resolve(&self, reference: &str, path: &RelPath) -> ReferenceTarget {
        match reference::resolve(reference, path) {
            ReferenceTarget::Remote => self.at(reference),
            target => target,
        }
    }
}

/// A schema: a file of the workspace, or one that is locked by its address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum SchemaId {
    File(RelPath),
    Address(String),
}

impl SchemaId {
    fn as_str(&self) -> &str {
        match self {
            SchemaId::File(path) => path.as_str(),
            SchemaId::Address(address) => address,
        }
    }

    /// What [`SchemaId::as_str`] is of. No path looks like an address.
    fn parse(text: &str) -> Option<SchemaId> {
        match text.contains("://") {
            true => Some(SchemaId::Address(text.to_owned())),
            false => RelPath::parse(text).ok().map(SchemaId::File),
        }
    }
}

/// The schema of a file that parses.
fn named_schema_of(
    names: &Names<'_>,
    parses: &Parses,
    path: &RelPath,
    file: &File,
) -> Option<SchemaId> {
    let format = Format::of_path(path.as_str())?;
    let shows = parses.shows(file, &SCHEMA_SIGN);
    if !shows && !names.may_name(path) {
        return None;
    }
    let parsed = parses.of(file, format);
    let in_comments = reference::in_comments(&legible(parsed.text().bytes()), format);
    let own = in_comments.or_else(|| reference::in_key(&parsed));
    let target = match own.filter(|_| shows) {
        Some(reference) => names.resolve(&reference.text, path),
        None => names.of(path, parsed.document().ok()?)?.1,
    };
    match target {
        ReferenceTarget::Schema(schema) => Some(schema),
        ReferenceTarget::Remote | ReferenceTarget::MetaSchema | ReferenceTarget::Unusable(_) => {
            None
        }
    }
}

/// What was found out about a tree.
#[derive(Clone, Default)]
struct Remembered {
    /// Only the files that name a schema.
    files: BTreeMap<RelPath, Arc<SchemaReport>>,
    schemas: BTreeMap<SchemaId, Arc<Slot>>,
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
struct SchemaReport {
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
    is_blocked: bool,
    /// Whether it names a schema, as far as can be told.
    is_named: bool,
    /// What kept it from being looked at completely.
    unchecked: BTreeSet<Unchecked>,
    /// The schema that it names, there or not.
    schema: Option<SchemaId>,
}

/// A schema, or why there is none, and the files that the answer depends on.
struct Loaded {
    schema: Result<CompiledSchema, Unusable>,
    depends_on: BTreeSet<RelPath>,
    /// What is wrong with those of them that do not parse.
    broken: BTreeMap<RelPath, Vec<Arc<Diagnostic>>>,
}

/// Why there is no schema.
struct Unusable {
    why: String,
    /// Whether it is locked and its bytes are not here.
    is_absent: bool,
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
        let used: BTreeSet<&SchemaId> =
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
struct CheckContext<'a> {
    input: &'a Input<'a>,
    names: Names<'a>,
    compiled: &'a Compiled,
    cache: FileCache<'a>,
    schemas: Mutex<BTreeMap<SchemaId, Arc<Slot>>>,
    /// Entries of the cache that are true of this tree, each with the schema: files of one schema share them.
    believed: Mutex<BTreeMap<Arc<[u8]>, SchemaId>>,
}

impl CheckContext<'_> {
    fn slot(&self, schema: &SchemaId) -> Arc<Slot> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = schemas.get(schema) {
            return Arc::clone(slot);
        }
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = compiled.get(schema).cloned().unwrap_or_default();
        Arc::clone(schemas.entry(schema.clone()).or_insert(slot))
    }

    fn schema(&self, schema: &SchemaId) -> Arc<Slot> {
        let slot = self.slot(schema);
        let mut is_new = false;
        let loaded = slot.loaded.get_or_init(|| {
            is_new = true;
            load(&self.names, self.input, schema)
        });
        if is_new && loaded.schema.is_ok() && loaded.depends_on.is_empty() {
            let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            compiled.insert(schema.clone(), Arc::clone(&slot));
        }
        slot
    }
}

/// Checks one file; `None` if it has no schema.
fn look(context: &CheckContext<'_>, path: &RelPath, file: &File) -> Option<SchemaReport> {
    let format = Format::of_path(path.as_str())?;
    let may_have_name = context.names.may_name(path);
    let shows = context.input.parses.shows(file, &SCHEMA_SIGN);
    if !shows && !may_have_name {
        return None;
    }
    let text = file.text();
    let bytes = &*legible(text.bytes());
    let shows = shows && reference::may_have_one(bytes, format);
    if !shows && !may_have_name {
        return None;
    }
    let parsed = context.input.parses.get(&text, format);
    let snapshot = context.input.snapshot;
    let in_comments = if shows { reference::in_comments(bytes, format) } else { None };
    let Ok(document) = parsed.document() else {
        let named = in_comments.map(|it| it.text).or_else(|| named_schema(bytes));
        let named =
            named.filter(|it| shows && reference::resolve(it, path) != ReferenceTarget::MetaSchema);
        let mut looked = SchemaReport { is_blocked: true, ..SchemaReport::default() };
        if named.is_some() || may_have_name {
            looked.is_named = true;
            looked.diagnostics = does_not_parse(snapshot, path, &parsed);
            looked.unchecked.extend(report::not_whole(&parsed));
        }
        return Some(looked);
    };
    let own = in_comments.or_else(|| reference::in_key(&parsed)).filter(|_| shows);
    let (reference, target) = match own {
        Some(reference) => {
            let target = context.names.resolve(&reference.text, path);
            (reference, target)
        }
        None => context.names.of(path, document)?,
    };
    if target == ReferenceTarget::MetaSchema {
        return None;
    }
    let subject = subject(SCHEMA, snapshot, path, &parsed);
    Some(compare(context, &subject, &reference, target, document))
}

fn subject<'a>(
    phase: &'static str,
    snapshot: &'a Snapshot,
    file: &'a RelPath,
    parsed: &'a Parsed,
) -> ReportContext<'a> {
    ReportContext { source: SCHEMA, phase, tier: Tier::Schema, file, parsed, index: 0, snapshot }
}

fn does_not_parse(snapshot: &Snapshot, path: &RelPath, parsed: &Parsed) -> Vec<Arc<Diagnostic>> {
    let found = report::unreadable(&subject(PARSE, snapshot, path, parsed));
    found.into_iter().map(Arc::new).collect()
}

/// What the schema that a file names says of it.
fn compare(
    context: &CheckContext<'_>,
    subject: &ReportContext<'_>,
    reference: &Reference,
    target: ReferenceTarget,
    document: &Arc<Document>,
) -> SchemaReport {
    let mut looked = SchemaReport { is_named: true, ..SchemaReport::default() };
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
    let absent = || {
        let message = format!(
            "the schema {name} is locked but not in your cache; run `regreen schemas update --locked`"
        );
        Arc::new(at_reference(subject, reference, "SCHEMA_REMOTE", &message))
    };
    match target {
        ReferenceTarget::MetaSchema => {}
        ReferenceTarget::Remote => {
            looked.diagnostics.push(remote(&format!("the schema {name}")));
            looked.unchecked.insert(Unchecked::RemoteSchema);
        }
        ReferenceTarget::Unusable(why) => {
            looked.diagnostics.push(unusable(&why));
            looked.unchecked.insert(Unchecked::UnusableSchema);
        }
        ReferenceTarget::Schema(id) => {
            let slot = context.schema(&id);
            let loaded = slot.loaded.get().expect("`schema` filled the slot");
            match &loaded.schema {
                Err(Unusable { is_absent: true, .. }) => {
                    looked.diagnostics.push(absent());
                    looked.unchecked.insert(Unchecked::AbsentSchema);
                }
                Err(Unusable { why, .. }) => {
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
                    for document in document.all() {
                        check_document(schema, subject, &document, &mut looked);
                    }
                }
            }
            looked.schema = Some(id);
        }
    }
    let unreadable = report::unreadable(&ReportContext { phase: PARSE, ..*subject });
    looked.diagnostics.extend(unreadable.into_iter().map(Arc::new));
    looked
}

/// What a schema says of one document of a file.
fn check_document(
    schema: &CompiledSchema,
    subject: &ReportContext<'_>,
    document: &Document,
    looked: &mut SchemaReport,
) {
    let subject = ReportContext { index: document.index(), ..*subject };
    let violations = schema.check_document(document);
    looked.unchecked.extend(schema.unchecked(&violations));
    let severity = schema::severity_of;
    let (diagnostics, repairs) = report::into_findings(&subject, &severity, violations);
    looked.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
    looked.repairs.extend(repairs.into_iter().map(Arc::new));
}

fn at_reference(
    subject: &ReportContext<'_>,
    reference: &Reference,
    rule_id: &str,
    message: &str,
) -> Diagnostic {
    let severity: Severity = schema::severity(rule_id);
    let mut diagnostic = report::finding(subject, rule_id, severity, message);
    match &reference.place {
        ReferenceSite::Key => {
            diagnostic.json_pointer = Some(reference::key().to_string());
            diagnostic.location =
                report::location_of(subject.parsed, &reference::key(), MemberPart::Value);
        }
        // The file itself does not say it.
        ReferenceSite::Name => {}
        ReferenceSite::Comment(span) => {
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

/// How many documents one schema may be made of.
const MAX_DOCUMENTS: usize = 500;

/// Reads a schema and all it refers to: files of the snapshot, and what is locked.
fn load(names: &Names<'_>, input: &Input<'_>, id: &SchemaId) -> Loaded {
    let Input { snapshot, parses, .. } = *input;
    let mut depends_on = BTreeSet::new();
    let mut broken = BTreeMap::new();
    let mut documents = BTreeMap::new();
    let mut known = BTreeSet::from([id.clone()]);
    let mut open = vec![id.clone()];
    let mut missing = None;
    while let Some(next) = open.pop() {
        let read = match &next {
            SchemaId::File(path) => {
                depends_on.insert(path.clone());
                read(snapshot, parses, path)
            }
            SchemaId::Address(address) => read_locked(names, snapshot, address, &mut depends_on),
        };
        let document = match read {
            Ok(document) => document,
            Err(Unread { why, diagnostics, is_absent }) => {
                if let SchemaId::File(path) = &next
                    && !diagnostics.is_empty()
                {
                    broken.insert(path.clone(), diagnostics);
                }
                if next == *id {
                    missing = Some(Unusable { why, is_absent });
                }
                // Of what it refers to, the library says which reference leads nowhere.
                continue;
            }
        };
        for (address, path) in schema::referenced_documents(next.as_str(), &document) {
            let path = path.and_then(|it| RelPath::parse(&it).ok());
            let is_locked = || names.catalogue.is_some_and(|it| it.at(&address).is_some());
            let referenced = match path {
                Some(path) if snapshot.get(&path).is_some() || !is_locked() => SchemaId::File(path),
                _ if is_locked() => SchemaId::Address(address),
                _ => continue,
            };
            if known.len() < MAX_DOCUMENTS && known.insert(referenced.clone()) {
                open.push(referenced);
            }
        }
        documents.insert(next.as_str().to_owned(), document);
    }
    if let Some(why) = missing {
        return Loaded { schema: Err(why), depends_on, broken };
    }
    let schema = SchemaLibrary::new(documents)
        .and_then(|library| CompiledSchema::compile(&Arc::new(library), id.as_str()))
        .map_err(|error| Unusable { why: error.to_string(), is_absent: false });
    Loaded { schema, depends_on, broken }
}

/// A schema that is locked: a file of the workspace, or bytes that somebody keeps.
fn read_locked(
    names: &Names<'_>,
    snapshot: &Snapshot,
    address: &str,
    depends_on: &mut BTreeSet<RelPath>,
) -> Result<serde_json::Value, Unread> {
    let unread = |why: String, is_absent| Unread { why, is_absent, diagnostics: Vec::new() };
    let locked = names.catalogue.and_then(|it| Some((it, it.at(address)?)));
    let Some((catalogue, locked)) = locked else {
        return Err(unread("it is not locked".to_owned(), true));
    };
    let bytes = match &locked.path {
        Some(path) => {
            depends_on.insert(path.clone());
            let text = snapshot.file(path).map(|it| it.text());
            let text = text.filter(|it| catalogue::content_hash(it.bytes()) == locked.hash);
            let other = format!("`{path}` does not have the hash in {}", catalogue::LOCK);
            text.ok_or_else(|| unread(other, false))?.bytes().to_vec()
        }
        None => catalogue.read(locked).ok_or_else(|| unread(String::new(), true))?,
    };
    catalogue::schema_of(&bytes).map_err(|why| unread(format!("it cannot be read: {why}"), false))
}

/// Why a schema cannot be read, and what is wrong with it if it is there.
struct Unread {
    why: String,
    is_absent: bool,
    diagnostics: Vec<Arc<Diagnostic>>,
}

fn read(snapshot: &Snapshot, parses: &Parses, path: &RelPath) -> Result<serde_json::Value, Unread> {
    let Some(file) = snapshot.file(path) else {
        let why = match snapshot.get(path) {
            Some(Entry::Unread { .. }) => format!("`{path}` was not read"),
            _ => format!("cannot find file `{path}`"),
        };
        return Err(Unread { why, is_absent: false, diagnostics: Vec::new() });
    };
    let format = Format::of_path(path.as_str()).unwrap_or(Format::Json);
    let parsed = parses.get(&file.text(), format);
    match parsed.document() {
        Ok(document) => Ok(schema::to_json(&document.value())),
        Err(error) => Err(Unread {
            why: format!("`{path}` cannot be read: {error}"),
            is_absent: false,
            diagnostics: match is_program(parses, path) {
                true => Vec::new(),
                false => does_not_parse(snapshot, path, &parsed),
            },
        }),
    }
}
