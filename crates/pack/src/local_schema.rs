//! The provider `schema`: every file that names its own schema is checked against it, without any pack.
//!
//! Only files that hold the bytes of a reference are parsed. A remote schema is never fetched, it is an info; one that
//! is not there or cannot be used is a warning at the reference. A later look checks again what changed and what
//! depends on a schema that changed.

mod reference;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use check::{
    Check, CheckError, Diagnostic, Input, Location, Parses, Repair, Report, Severity, Tier,
    assign_ids,
};
use document::{Document, Format, Value};
use rayon::prelude::*;
use snapshot::{File, RelPath, Snapshot};

use crate::finding::{Anchor, Violation};
use crate::report::{self, Subject};
use crate::schema::{self, Library, Schema};
use reference::{Place, Reference, Target};

const PARSE: &str = "parse";
const SCHEMA: &str = "schema";

/// Checks every file that names a local schema.
#[derive(Clone, Copy, Default, Debug)]
pub struct LocalSchema;

impl Check for LocalSchema {
    fn name(&self) -> &str {
        SCHEMA
    }

    fn phases(&self) -> &[&'static str] {
        &[PARSE, SCHEMA]
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, CheckError> {
        let since = input.since.and_then(|it| {
            Some((it.report.memory.as_ref()?.downcast_ref::<Remembered>()?, it.changed))
        });
        let mut remembered = match since {
            Some((old, changed)) => old.without(changed),
            None => Remembered::default(),
        };
        let todo: Vec<(&RelPath, &File)> = match since {
            None => input.snapshot.files().collect(),
            Some((old, changed)) => {
                let stale =
                    old.files.iter().filter(|(path, _)| !remembered.files.contains_key(*path));
                let paths: BTreeSet<&RelPath> = stale.map(|it| it.0).chain(changed).collect();
                paths.into_iter().filter_map(|it| Some((it, input.snapshot.file(it)?))).collect()
            }
        };
        let desk = Desk { input, schemas: Mutex::new(remembered.schemas) };
        let looked: Vec<(RelPath, Option<Looked>)> = todo
            .par_iter()
            .map(|(path, file)| ((*path).clone(), look(&desk, path, file)))
            .collect();
        remembered.schemas = desk.schemas.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = looked.into_iter().filter_map(|(path, it)| Some((path, Arc::new(it?))));
        remembered.files.extend(found);
        Ok(remembered.into_report())
    }
}

/// What was found out about a tree.
#[derive(Clone, Default)]
struct Remembered {
    /// Only the files that name a schema.
    files: BTreeMap<RelPath, Arc<Looked>>,
    schemas: BTreeMap<RelPath, Arc<OnceLock<Loaded>>>,
}

/// What was found out about one file.
#[derive(Default)]
struct Looked {
    diagnostics: Vec<Arc<Diagnostic>>,
    repairs: Vec<Arc<Repair>>,
    is_blocked: bool,
    /// The schema that it names, there or not.
    schema: Option<RelPath>,
}

/// A schema, or why there is none, and the files that the answer depends on.
struct Loaded {
    schema: Result<Schema, String>,
    depends_on: BTreeSet<RelPath>,
}

impl Remembered {
    /// What still holds when these paths have changed.
    fn without(&self, changed: &BTreeSet<RelPath>) -> Remembered {
        let holds = |it: &Arc<OnceLock<Loaded>>| {
            it.get().is_some_and(|it| it.depends_on.is_disjoint(changed))
        };
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

    fn into_report(mut self) -> Report {
        let used: BTreeSet<&RelPath> =
            self.files.values().filter_map(|it| it.schema.as_ref()).collect();
        self.schemas.retain(|path, _| used.contains(path));
        let files = self.files.iter();
        let blocked = files.clone().filter(|(_, it)| it.is_blocked);
        Report {
            diagnostics: files.clone().flat_map(|(_, it)| it.diagnostics.iter().cloned()).collect(),
            repairs: files.clone().flat_map(|(_, it)| it.repairs.iter().cloned()).collect(),
            blocked: blocked.map(|(path, _)| (path.clone(), SCHEMA)).collect(),
            memory: Some(Arc::new(self)),
        }
    }
}

/// What all threads of one look share. A schema is loaded by the first who needs it.
struct Desk<'a> {
    input: &'a Input<'a>,
    schemas: Mutex<BTreeMap<RelPath, Arc<OnceLock<Loaded>>>>,
}

impl Desk<'_> {
    fn schema(&self, path: &RelPath) -> Arc<OnceLock<Loaded>> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(schemas.entry(path.clone()).or_default());
        drop(schemas);
        slot.get_or_init(|| load(self.input.snapshot, self.input.parses, path));
        slot
    }
}

/// Checks one file; `None` if it names no schema.
fn look(desk: &Desk<'_>, path: &RelPath, file: &File) -> Option<Looked> {
    let format = Format::of_path(path.as_str())?;
    if !reference::may_have_one(file.text.bytes(), format) {
        return None;
    }
    let in_comments = reference::in_comments(file.text.bytes(), format);
    let parsed = desk.input.parses.get(&file.text, format);
    let snapshot = desk.input.snapshot;
    let subject = |phase| Subject {
        source: SCHEMA,
        phase,
        tier: Tier::Schema,
        file: path,
        parsed: &parsed,
        snapshot,
    };
    let reference = match in_comments {
        Some(reference) => reference,
        None if parsed.document().is_err() => {
            return Some(Looked { is_blocked: true, ..Looked::default() });
        }
        None => reference::in_key(&parsed)?,
    };
    let target = reference::resolve(&reference.text, path);
    if target == Target::MetaSchema {
        return None;
    }
    let Ok(document) = parsed.document() else {
        let unreadable = report::unreadable(&subject(PARSE)).into_iter().map(Arc::new);
        return Some(Looked {
            diagnostics: unreadable.collect(),
            is_blocked: true,
            ..Looked::default()
        });
    };
    Some(compare(desk, &subject(SCHEMA), &reference, target, document))
}

/// What the schema that a file names says of it.
fn compare(
    desk: &Desk<'_>,
    subject: &Subject<'_>,
    reference: &Reference,
    target: Target,
    document: &Document,
) -> Looked {
    let mut looked = Looked::default();
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
        Target::Remote => looked.diagnostics.push(remote(&format!("the schema {name}"))),
        Target::Unusable(why) => looked.diagnostics.push(unusable(&why)),
        Target::File(path) => {
            let slot = desk.schema(&path);
            let loaded = slot.get().expect("`Desk::schema` fills the slot");
            match &loaded.schema {
                Err(why) => looked.diagnostics.push(unusable(why)),
                Ok(schema) => {
                    let addresses: Vec<&str> = schema.remote().collect();
                    if !addresses.is_empty() {
                        let addresses = schema::quoted(&addresses.join("`, `"));
                        looked
                            .diagnostics
                            .push(remote(&format!("what the schema says at {addresses}")));
                    }
                    let violations = schema.check(&document.value(), document);
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
    let mut documents = BTreeMap::new();
    let mut open = vec![path.clone()];
    while let Some(next) = open.pop() {
        let document = match read(snapshot, parses, &next) {
            Ok(document) => document,
            Err(why) if next == *path => return Loaded { schema: Err(why), depends_on },
            // The library says which reference leads nowhere.
            Err(_) => continue,
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
    let schema = Library::new(documents)
        .and_then(|library| Schema::compile(&Arc::new(library), path.as_str()))
        .map_err(|error| error.to_string());
    Loaded { schema, depends_on }
}

fn read(snapshot: &Snapshot, parses: &Parses, path: &RelPath) -> Result<serde_json::Value, String> {
    let file = snapshot.file(path).ok_or_else(|| format!("there is no file `{path}`"))?;
    let format = Format::of_path(path.as_str()).unwrap_or(Format::Json);
    let parsed = parses.get(&file.text, format);
    match parsed.document() {
        Ok(document) => Ok(schema::to_json(&document.value())),
        Err(error) => Err(format!("`{path}` cannot be read: {error}")),
    }
}
