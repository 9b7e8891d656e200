//! What comes by git: records under the names and numbers that they have elsewhere. On a clash of names the one that stays is
//! for the caller to say; the other is kept under a new name. Of two corrections of one source the other is rejected.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::change::{self, RecordOrigin, mint_id};
use super::rows::{self, RecordRow};
use super::sql::{self, Database};
use super::{AddError, Expected, RecordChange, Registry, RegistryError, Stored, check_name};
use crate::audit::{Details, RENAME, content_hash};
use crate::id::{Id, IdForm};
use crate::lifecycle::{Event, step};
use crate::record::Status;
use crate::time::Moment;

/// A record that came by git.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// What it says.
    pub value: &'a Value,
    /// What is attached to it.
    pub patch: Option<&'a [u8]>,
    /// The number that its approvals are bound to.
    pub nonce: &'a str,
    /// Whether the record here that has its name gets another one.
    pub displaces: bool,
    /// What it is to another correction of the same source.
    pub twin: DuplicateCorrection<'a>,
}

/// What a correction is to another one of the same source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DuplicateCorrection<'a> {
    /// There is none.
    None,
    /// It stays, and the other is rejected for this reason.
    Stays(&'a str),
    /// It is rejected for this reason.
    Loses(&'a str),
}

impl Registry {
    /// Takes a record over. Gives it, and the new name of the one that it displaced.
    pub fn arrive(
        &mut self,
        arrival: &Arrival<'_>,
        actor: &str,
        now: Moment,
    ) -> Result<(Stored, Option<Id>), AddError> {
        check_name("the actor", actor)?;
        if arrival.patch.is_some_and(|it| it.len() > change::MAX_PATCH) {
            return Err(AddError::PatchTooLarge { limit: change::MAX_PATCH });
        }
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| {
            let stamp = RecordOrigin { scope: &scope, nonce: arrival.nonce, actor, now };
            let id = arrival.value.get("id").and_then(Value::as_str).unwrap_or_default();
            let displaced = match rows::by_id(db, &scope, id)?.filter(|_| arrival.displaces) {
                Some(row) => Some(displace(db, row, &stamp)?),
                None => None,
            };
            let source = arrival.value.get("source_dds").and_then(Value::as_str);
            let other = match source.filter(|_| arrival.twin != DuplicateCorrection::None) {
                Some(source) => rows::sibling(db, &scope, source)?,
                None => None,
            };
            if let Some(other) = &other {
                rows::forget_source(db, &other.key)?;
            }
            if let (Some(other), DuplicateCorrection::Stays(reason)) = (&other, arrival.twin) {
                reject(db, &other.id, reason, &stamp)?;
            }
            let mut stored = change::add(db, &stamp, arrival.value, arrival.patch, None)?;
            if let DuplicateCorrection::Loses(reason) = arrival.twin {
                let row = rows::by_id(db, &scope, id)?;
                if let Some(row) = &row {
                    rows::forget_source(db, &row.key)?;
                }
                reject(db, id, reason, &stamp)?;
                if let Some(RecordRow { key, source: Some(source), .. }) = &other {
                    rows::remember_source(db, key, source)?;
                }
                stored.state.status = Status::Rejected;
                stored.record.status = Status::Rejected;
            }
            Ok((stored, displaced))
        })
    }

    /// Lets all that is done until [`Registry::end_bulk`] reach the disk at once: each by itself would wait for it. Only for a
    /// registry in a file; on a server it is an error.
    pub fn begin_bulk(&mut self) -> Result<(), RegistryError> {
        self.db.begin_write()
    }

    /// Ends that: what was done is kept.
    pub fn end_bulk(&mut self) -> Result<(), RegistryError> {
        let ended = self.db.commit();
        if ended.is_err() {
            self.db.rollback();
        }
        ended
    }

    /// The files that were written or taken over.
    pub fn files(&mut self) -> Result<BTreeSet<String>, RegistryError> {
        sql::read(&mut *self.db, |db| Ok(rows::files(db)?.into_iter().collect()))
    }

    /// Writes down that these files were written or taken over.
    pub fn note_files(&mut self, names: &[String]) -> Result<(), RegistryError> {
        if names.is_empty() {
            return Ok(());
        }
        sql::write(&mut *self.db, |db| names.iter().try_for_each(|name| rows::note_file(db, name)))
    }
}

/// Rejects a record, unless it is over already or somebody runs it.
fn reject(
    db: &mut dyn Database,
    id: &str,
    reason: &str,
    stamp: &RecordOrigin<'_>,
) -> Result<(), RegistryError> {
    let Some(row) = rows::by_id(db, stamp.scope, id)? else { return Ok(()) };
    let stored = row.stored()?;
    let Ok(state) = step(&stored.state, &Event::Reject) else { return Ok(()) };
    let (id, details) = (row.id()?, json!({ "reason": reason }));
    let change = RecordChange {
        id: &id,
        expected: Expected::Any,
        event: &Event::Reject,
        actor: stamp.actor,
        now: stamp.now,
        report: None,
        details: Some(&details),
    };
    change::proceed(db, &row, stored, state, &change).map(drop)
}

/// Gives a record a new name. What was approved was another one, so it waits for a decision again; what is over stays so.
fn displace(
    db: &mut dyn Database,
    row: RecordRow,
    stamp: &RecordOrigin<'_>,
) -> Result<Id, AddError> {
    // Whoever runs it would look for it under the old name.
    if row.lease()?.is_some() {
        let place = db.place().to_owned();
        return Err(RegistryError::Busy { place }.into());
    }
    let old = row.id()?;
    let mut value = row.stored()?.to_json();
    let form = if row.kind == "code_fix" { IdForm::CodeFix } else { IdForm::CodeChange };
    let minted = mint_id(db, stamp.scope, form, stamp.now)??;
    if let Value::Object(members) = &mut value {
        members.insert("id".to_owned(), json!(minted.as_str()));
        members.insert("status".to_owned(), json!(Status::Proposed.name()));
    }
    let status = match row.status.as_str() {
        "approved" => Status::Proposed.name().to_owned(),
        status => status.to_owned(),
    };
    let given = json!({ "to": minted.as_str() });
    let details = Map::from_iter([
        (Details::EVENT.to_owned(), json!({})),
        (Details::GIVEN.to_owned(), given),
    ]);
    rows::append(db, &row.key, rows::draft(&row, stamp.actor, stamp.now, RENAME, details)?)?;
    let repository = row.repository.clone();
    let mut fresh = RecordRow { repository, ..RecordRow::new(&minted, &value, &status) };
    rows::place(db, &mut fresh)?;
    let mut details = Map::from_iter([
        (Details::EVENT.to_owned(), json!({})),
        (
            Details::GIVEN.to_owned(),
            json!({ "reason": format!("{old} is the name of another record") }),
        ),
    ]);
    if let Some(bytes) = rows::patch(db, &row.key)? {
        details.insert(Details::PATCH.to_owned(), json!(content_hash(&bytes)));
    }
    let reports = rows::reports(db, &row.key)?;
    let hashes: Vec<String> = reports.iter().map(|it| content_hash(it.as_bytes())).collect();
    if !hashes.is_empty() {
        details.insert(Details::REPORTS.to_owned(), json!(hashes));
    }
    let own = [(Details::NONCE, &row.nonce), (Details::REPOSITORY, &row.repository)];
    for (name, value) in own {
        if let Some(value) = value {
            details.insert(name.to_owned(), json!(value));
        }
    }
    let mut line = rows::draft(&fresh, stamp.actor, stamp.now, RENAME, details)?;
    line.from = None;
    let changed = rows::append(db, &fresh.key, line)?;
    rows::rename(db, &row.key, &RecordRow { changed, ..fresh })?;
    Ok(minted)
}
