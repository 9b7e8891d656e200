//! Taking over records from files. All of them come in or none does, and none comes in approved: a person's word is bound
//! to a registry in which it was given (L2). What has ended (executed, failed, rejected) keeps how it ended, as history;
//! everything else comes in as a proposal, whatever its status was.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::change::{MAX_PATCH, RecordOrigin, fresh_nonce, own, source_record};
use super::rows::{self, RecordRow};
use super::sql::{self, Database};
use super::{Registry, RegistryError, Scope, check_name};
use crate::accept::{Surroundings, accept};
use crate::audit::{Details, content_hash};
use crate::exchange::{ExchangeFile, FileFault, Incoming};
use crate::id::Id;
use crate::legacy;
use crate::record::{Record, Status};
use crate::report::Report;
use crate::shape;
use crate::time::Moment;

/// What came in.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Imported {
    /// The records, in the order of the file.
    pub ids: Vec<Id>,
    /// Those of them that were further than proposed elsewhere and wait for an approval here, with the status that they had.
    pub reopened: Vec<(Id, String)>,
}

/// Why nothing came in.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The files have faults; all of them.
    #[error("the files have {} faults, nothing was imported", .faults.len())]
    Faults {
        /// What is wrong, and where.
        faults: Vec<FileFault>,
    },
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl Registry {
    /// Imports what was read from files.
    pub fn import(
        &mut self,
        incoming: &Incoming,
        actor: &str,
        now: Moment,
    ) -> Result<Imported, ImportError> {
        check_name("the actor", actor)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| {
            let mut faults = Vec::new();
            let arrivals = judge(db, &scope, incoming, &mut faults)?;
            let reports = judge_reports(incoming, &arrivals, &mut faults);
            judge_patches(incoming, &mut faults);
            if !faults.is_empty() {
                return Err(ImportError::Faults { faults });
            }
            Ok(store(db, &scope, incoming, &arrivals, &reports, actor, now)?)
        })
    }
}

/// A record that may come in.
struct Arrival<'a> {
    id: Id,
    value: Cow<'a, Value>,
    /// The status that it gets here.
    status: String,
    /// The status that it had there, where it is another one.
    had: Option<String>,
    is_legacy: bool,
}

fn put(faults: &mut Vec<FileFault>, file: ExchangeFile, pointer: String, message: String) {
    faults.push(FileFault { file, pointer, message });
}

/// The records, with every fault of every one of them.
fn judge<'a>(
    db: &mut dyn Database,
    scope: &Scope,
    incoming: &'a Incoming,
    faults: &mut Vec<FileFault>,
) -> Result<Vec<Arrival<'a>>, RegistryError> {
    let sources = sources_in(incoming);
    let mut arrivals = Vec::new();
    let mut seen = BTreeSet::new();
    let mut corrected: BTreeMap<&str, Id> = BTreeMap::new();
    for (pointer, value) in &incoming.proposals {
        let text =
            |name: &str| value.get(name).and_then(Value::as_str).filter(|it| Id::parse(it).is_ok());
        let id_is_taken = match text("id") {
            Some(id) => !seen.insert(id) || rows::by_id(db, scope, id)?.is_some(),
            None => false,
        };
        let judged = if legacy::is_legacy(value) {
            judge_legacy(value, id_is_taken)
        } else {
            let source_id = text("source_dds").filter(|_| is_fix(value));
            let mut source = None;
            let mut sibling = None;
            if let Some(id) = source_id {
                source = match sources.get(id) {
                    Some(record) => Some(record.clone()),
                    None => source_record(db, scope, id)?,
                };
                sibling = match corrected.get(id) {
                    Some(first) => Some(first.clone()),
                    None => rows::sibling(db, scope, id)?.and_then(|it| Id::parse(&it.id).ok()),
                };
            }
            let around =
                Surroundings { id_is_taken, source: source.as_ref(), sibling: sibling.as_ref() };
            judge_current(value, around)
        };
        if let (Some(source), Some(id)) = (text("source_dds").filter(|_| is_fix(value)), text("id"))
        {
            corrected.entry(source).or_insert_with(|| Id::parse(id).expect("it was parsed above"));
        }
        match judged {
            Ok(arrival) => arrivals.push(arrival),
            Err(found) => faults.extend(found.into_iter().map(|it| FileFault {
                file: ExchangeFile::Proposals,
                pointer: format!("{pointer}{}", it.pointer),
                message: it.message,
            })),
        }
    }
    Ok(arrivals)
}

fn is_fix(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str) == Some("code_fix")
}

/// The records of the files, as sources of others that may stand before them.
fn sources_in(incoming: &Incoming) -> BTreeMap<String, Record> {
    let records =
        incoming.proposals.iter().filter_map(|(_, value)| match legacy::is_legacy(value) {
            true => legacy::as_record(&legacy::read(value).ok()?),
            false => shape::read(value).record,
        });
    records.map(|it| (it.id.as_str().to_owned(), it)).collect()
}

fn judge_legacy(value: &Value, id_is_taken: bool) -> Result<Arrival<'_>, Vec<shape::RecordFault>> {
    let read = legacy::read(value)?;
    if id_is_taken {
        return Err(vec![shape::RecordFault {
            rule: shape::Rule::Duplicate,
            pointer: "/id".to_owned(),
            message: format!("a record {} is stored already", read.id),
        }]);
    }
    let (value, status) = (Cow::Borrowed(value), read.status);
    Ok(Arrival { id: read.id, value, status, had: None, is_legacy: true })
}

/// The rules for new records hold, but for the status: what has not ended is proposed anew.
fn judge_current<'a>(
    value: &'a Value,
    around: Surroundings<'_>,
) -> Result<Arrival<'a>, Vec<shape::RecordFault>> {
    let had = value.get("status").and_then(Value::as_str).filter(|it| legacy::is_status(it));
    let mut as_new = value.clone();
    if let (Some(_), Value::Object(members)) = (had, &mut as_new) {
        members.insert("status".to_owned(), json!(Status::Proposed.name()));
    }
    let record = accept(&as_new, around)?;
    let (gets, value) = match had.map(Status::named) {
        Some(Some(it @ (Status::Executed | Status::Failed | Status::Rejected))) => {
            (it, Cow::Borrowed(value))
        }
        Some(Some(Status::Proposed | Status::Approved)) => (Status::Proposed, Cow::Borrowed(value)),
        // The text of a record has a status that is known.
        Some(None) | None => (Status::Proposed, Cow::Owned(as_new)),
    };
    let had = had.filter(|it| *it != gets.name()).map(str::to_owned);
    Ok(Arrival { id: record.id, value, status: gets.name().to_owned(), had, is_legacy: false })
}

/// The texts of the reports by the record that each is about, in the order of the file.
fn judge_reports(
    incoming: &Incoming,
    arrivals: &[Arrival<'_>],
    faults: &mut Vec<FileFault>,
) -> Vec<(String, String)> {
    let by_id: BTreeMap<&str, &Arrival<'_>> =
        arrivals.iter().map(|it| (it.id.as_str(), it)).collect();
    let named = names(incoming);
    let mut reported = BTreeSet::new();
    let mut reports = Vec::new();
    for (pointer, value) in &incoming.reports {
        let mut wrong = |place: &str, message: String| {
            put(faults, ExchangeFile::Reports, format!("{pointer}{place}"), message);
        };
        let named_by = ["dds_id", "dds", "id"].iter().find_map(|it| value.get(*it));
        let Some(id) = named_by.and_then(Value::as_str) else {
            wrong("/dds_id", "a report must name its record in dds_id".to_owned());
            continue;
        };
        let Some(arrival) = by_id.get(id) else {
            if !named.contains(id) {
                wrong(
                    "/dds_id",
                    format!("dds.json has no record {id:?}; import both files together"),
                );
            }
            continue;
        };
        if !arrival.is_legacy {
            match Report::from_json(value) {
                // What another program wrote about a record that is over is kept as it is.
                None if arrival.status != Status::Proposed.name() => {}
                None => wrong("", "not a valid report".to_owned()),
                Some(report) if report.outcome.status().name() != arrival.status => {
                    let message = format!(
                        "{id} is {}, which is not the outcome in the report",
                        arrival.status
                    );
                    wrong("/status", message);
                }
                Some(_) if !reported.insert(id) => {
                    wrong("/dds_id", format!("{id} has another report; a record runs once"));
                }
                Some(_) => {}
            }
        }
        reports.push((id.to_owned(), value.to_string()));
    }
    reports
}

fn judge_patches(incoming: &Incoming, faults: &mut Vec<FileFault>) {
    let named = names(incoming);
    for (id, (pointer, bytes)) in &incoming.patches {
        if bytes.len() > MAX_PATCH {
            let message = format!("the patch has more than {MAX_PATCH} bytes");
            put(faults, ExchangeFile::Proposals, pointer.clone(), message);
        }
        if !named.contains(id.as_str()) {
            let message = format!("the file has no record {id:?}");
            put(faults, ExchangeFile::Proposals, pointer.clone(), message);
        }
    }
}

/// The ids in the file, also those of records with faults.
fn names(incoming: &Incoming) -> BTreeSet<&str> {
    incoming.proposals.iter().filter_map(|(_, it)| it.get("id").and_then(Value::as_str)).collect()
}

fn store(
    db: &mut dyn Database,
    scope: &Scope,
    incoming: &Incoming,
    arrivals: &[Arrival<'_>],
    reports: &[(String, String)],
    actor: &str,
    now: Moment,
) -> Result<Imported, RegistryError> {
    let mut imported = Imported::default();
    let mut keys: BTreeMap<&str, String> = BTreeMap::new();
    let mut hashes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (id, body) in reports {
        hashes.entry(id.as_str()).or_default().push(content_hash(body.as_bytes()));
    }
    for arrival in arrivals {
        let id = arrival.id.as_str();
        let mut row = RecordRow::new(&arrival.id, &arrival.value, &arrival.status);
        if let Some(source) = row.source.as_deref().filter(|_| row.is_legacy)
            && rows::sibling(db, scope, source)?.is_some()
        {
            row.source = None;
        }
        let patch = incoming.patches.get(id).map(|(_, bytes)| bytes.as_slice());
        let mut details = Map::new();
        if let Some(bytes) = patch {
            details.insert(Details::PATCH.to_owned(), json!(content_hash(bytes)));
        }
        if let Some(hashes) = hashes.get(id) {
            details.insert(Details::REPORTS.to_owned(), json!(hashes));
        }
        if let Some(had) = &arrival.had {
            details.insert(Details::GIVEN.to_owned(), json!({ "status": had }));
            imported.reopened.push((arrival.id.clone(), had.clone()));
        }
        let nonce = fresh_nonce()?;
        own(&RecordOrigin { scope, nonce: &nonce, actor, now }, &mut row, &mut details);
        let mut line = rows::draft(&row, actor, now, "import", details)?;
        line.from = None;
        let row = rows::insert(db, scope, row, patch, line)?;
        keys.insert(id, row.key);
        imported.ids.push(arrival.id.clone());
    }
    for (id, body) in reports {
        rows::add_report(db, keys.get(id.as_str()).unwrap_or(id), body)?;
    }
    Ok(imported)
}
