//! Adding records, and everything that happens to them.

use serde_json::{Map, Value, json};

use super::read;
use super::rows::{self, RecordRow};
use super::sql::{self, Database};
use super::{
    AddError, Expected, HappenError, MAX_DETAIL_LEVELS, RecordChange, RecordDetails, Registry,
    RegistryEntry, RegistryError, Scope, Stored, check_name,
};
use crate::accept::{Surroundings, accept};
use crate::audit::{Details, content_hash, event_json};
use crate::execute::Holder;
use crate::id::{Id, IdForm, NoFreeId, mint, minted_prefix};
use crate::legacy;
use crate::lifecycle::{Event, Lease, RecordState, step};
use crate::record::{Record, Status};
use crate::report::Report;
use crate::time::Moment;

/// The most bytes of an attached patch.
pub(crate) const MAX_PATCH: usize = 64 << 20;

impl Registry {
    /// Adds a record. One without the member `id` gets the next free one of the day.
    pub fn add(
        &mut self,
        value: &Value,
        patch: Option<&[u8]>,
        actor: &str,
        now: Moment,
    ) -> Result<Stored, AddError> {
        check_name("the actor", actor)?;
        if patch.is_some_and(|it| it.len() > MAX_PATCH) {
            return Err(AddError::PatchTooLarge { limit: MAX_PATCH });
        }
        let scope = self.scope.clone();
        let nonce = fresh_nonce()?;
        sql::write(&mut *self.db, |db| {
            let stamp = RecordOrigin { scope: &scope, nonce: &nonce, actor, now };
            add(db, &stamp, value, patch, None)
        })
    }

    /// Lets something happen to a record. An event that the state machine refuses leaves an audit line.
    pub fn happen(&mut self, change: &RecordChange<'_>) -> Result<Stored, HappenError> {
        check(change)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| happen(db, &scope, change))?
    }

    /// Lets happen what somebody decides by looking at the record as it stands. Nobody else writes between the look and what
    /// follows from it, so of many who decide at once each decides once. Who decides for nothing says why, and nothing is
    /// written.
    pub fn decide<R>(
        &mut self,
        id: &Id,
        actor: &str,
        now: Moment,
        judge: impl FnOnce(&RecordDetails) -> Result<(Event, Value), R>,
    ) -> Result<Result<Stored, R>, HappenError> {
        check_name("the actor", actor)?;
        let scope = self.scope.clone();
        let decided = sql::write(&mut *self.db, |db| {
            let Some(dossier) = read::dossier(db, &scope, id)? else {
                return Err(HappenError::Unknown { id: id.clone() });
            };
            let (event, details) = match judge(&dossier) {
                Ok(judged) => judged,
                Err(reason) => return Ok(Ok(Err(reason))),
            };
            let change = RecordChange {
                id,
                expected: Expected::Any,
                event: &event,
                actor,
                now,
                report: None,
                details: Some(&details),
            };
            check(&change)?;
            Ok(happen(db, &scope, &change)?.map(Ok))
        });
        decided?
    }

    /// Attaches what a tool would do to a record that waits for a decision, in place of what was attached before. Signatures
    /// that it has were of something else.
    pub fn attach(
        &mut self,
        id: &Id,
        expected: i64,
        bytes: &[u8],
        given: &Value,
        actor: &str,
        now: Moment,
    ) -> Result<Stored, HappenError> {
        check_name("the actor", actor)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| {
            let row = rows::by_id(db, &scope, id.as_str())?.filter(|it| !it.is_legacy);
            let Some(row) = row else { return Err(HappenError::Unknown { id: id.clone() }) };
            if row.version != expected {
                return Err(HappenError::Conflict { expected, found: row.version });
            }
            let mut stored = row.stored()?;
            let state = step(&stored.state, &Event::Plan)?;
            let details = Map::from_iter([
                (Details::EVENT.to_owned(), event_json(&Event::Plan)),
                (Details::PATCH.to_owned(), json!(content_hash(bytes))),
                (Details::GIVEN.to_owned(), given.clone()),
            ]);
            rows::set_patch(db, &row.key, bytes)?;
            let line = rows::draft(&row, actor, now, Event::Plan.name(), details)?;
            let changed = rows::append(db, &row.key, line)?;
            rows::advance(db, &row, &state, changed)?;
            stored.version = row.version.saturating_add(1);
            Ok(stored)
        })
    }

    /// Writes down that somebody tried what could not even be put as an event: to approve what is not proposed, without
    /// having signed anything.
    pub fn note_refusal(
        &mut self,
        id: &Id,
        event: &str,
        actor: &str,
        now: Moment,
        why: &str,
    ) -> Result<(), RegistryError> {
        check_name("the actor", actor)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| {
            let row = rows::by_id(db, &scope, id.as_str())?;
            let Some(row) = row else { return Ok(()) };
            let details = Map::from_iter([
                (Details::EVENT.to_owned(), json!({})),
                (Details::REFUSED.to_owned(), json!(why)),
            ]);
            let line = rows::draft(&row, actor, now, event, details)?;
            rows::append(db, &row.key, line)?;
            Ok(())
        })
    }

    /// Claims the oldest approved record that nobody runs, or whose lease has ended and which this holder can settle;
    /// `None` if there is none. Whoever looks also claims, so that of many who look at once each gets another record.
    pub fn claim_next(
        &mut self,
        holder: &Holder,
        now: Moment,
        until: Moment,
    ) -> Result<Option<Stored>, RegistryError> {
        self.claim_next_of(holder, now, until, &|_| true)
    }

    /// The same among the records that are wanted; the others stay as they are.
    pub fn claim_next_of(
        &mut self,
        holder: &Holder,
        now: Moment,
        until: Moment,
        is_wanted: &dyn Fn(&Stored) -> bool,
    ) -> Result<Option<Stored>, RegistryError> {
        let name = holder.name();
        check_name("the holder", &name)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| {
            let mut after = i64::MIN;
            let (row, stored) = loop {
                let found = rows::claimable(db, &scope, after, now, &holder.prefix())?;
                let Some(row) = found else { return Ok(None) };
                if !scope.can_run(&row) {
                    after = row.ord;
                    continue;
                }
                let stored = row.stored()?;
                if is_wanted(&stored) {
                    break (row, stored);
                }
                after = row.ord;
            };
            let id = row.id()?;
            let event = Event::Claim { holder: name.clone(), now, until };
            let state = step(&stored.state, &event).map_err(|it| row.damaged(&it.to_string()))?;
            let change = RecordChange {
                id: &id,
                expected: Expected::Any,
                event: &event,
                actor: &name,
                now,
                report: None,
                details: None,
            };
            proceed(db, &row, stored, state, &change).map(Some)
        })
    }
}

/// The next free name of that form and day.
pub(crate) fn mint_id(
    db: &mut dyn Database,
    scope: &Scope,
    form: IdForm,
    now: Moment,
) -> Result<Result<Id, NoFreeId>, RegistryError> {
    let prefix = minted_prefix(form, &now.day()).expect("only forms that are minted are asked for");
    let highest = rows::highest(db, scope, &prefix)?;
    let taken: Vec<Id> = Id::parse(&format!("{prefix}{highest:03}")).into_iter().collect();
    Ok(mint(&prefix, &taken))
}

/// A record that a correction may name as its source, whether it is of today or of before.
pub(crate) fn source_record(
    db: &mut dyn Database,
    scope: &Scope,
    id: &str,
) -> Result<Option<Record>, RegistryError> {
    let Some(row) = rows::by_id(db, scope, id)? else { return Ok(None) };
    Ok(match row.entry()? {
        RegistryEntry::Current(stored) => Some(stored.record),
        RegistryEntry::Legacy(legacy) => legacy::as_record(&legacy),
    })
}

/// Whose a new record is, what its approvals are bound to, who adds it and when.
pub(crate) struct RecordOrigin<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) nonce: &'a str,
    pub(crate) actor: &'a str,
    pub(crate) now: Moment,
}

/// A number that nobody has seen before: what was signed for one record is never one of another.
pub(crate) fn fresh_nonce() -> Result<String, RegistryError> {
    workspace::random_id().map_err(|error| RegistryError::Database {
        place: "the system's random numbers".to_owned(),
        reason: error.to_string(),
    })
}

/// Adds a record in a transaction that has been started.
pub(crate) fn add(
    db: &mut dyn Database,
    stamp: &RecordOrigin<'_>,
    value: &Value,
    patch: Option<&[u8]>,
    given: Option<&Value>,
) -> Result<Stored, AddError> {
    let &RecordOrigin { scope, actor, now, .. } = stamp;
    let mut value = value.clone();
    let is_fix = value.get("type").and_then(Value::as_str) == Some("code_fix");
    if let Value::Object(members) = &mut value
        && !members.contains_key("id")
    {
        let form = if is_fix { IdForm::CodeFix } else { IdForm::CodeChange };
        let id = mint_id(db, scope, form, now)??;
        members.shift_insert(0, "id".to_owned(), Value::from(id.as_str()));
    }
    let id = value.get("id").and_then(Value::as_str).filter(|it| Id::parse(it).is_ok());
    let id_is_taken = match id {
        Some(id) => rows::by_id(db, scope, id)?.is_some(),
        None => false,
    };
    let source_id = value.get("source_dds").and_then(Value::as_str);
    let source_id = source_id.filter(|it| is_fix && Id::parse(it).is_ok());
    let (source, sibling) = match source_id {
        Some(id) => (source_record(db, scope, id)?, rows::sibling(db, scope, id)?),
        None => (None, None),
    };
    let sibling = sibling.and_then(|it| Id::parse(&it.id).ok());
    let around = Surroundings { id_is_taken, source: source.as_ref(), sibling: sibling.as_ref() };
    let record = accept(&value, around).map_err(|faults| AddError::Faults { faults })?;

    let mut details = Map::new();
    if let Some(bytes) = patch {
        details.insert(Details::PATCH.to_owned(), json!(content_hash(bytes)));
    }
    if let Some(given) = given {
        details.insert(Details::GIVEN.to_owned(), given.clone());
    }
    let mut row = RecordRow::new(&record.id, &value, Status::Proposed.name());
    own(stamp, &mut row, &mut details);
    let mut line = rows::draft(&row, actor, now, "add", details)?;
    line.from = None;
    Ok(rows::insert(db, scope, row, patch, line)?.stored()?)
}

/// Says in the row and in its first line whose it is and what its approvals are bound to.
pub(crate) fn own(stamp: &RecordOrigin<'_>, row: &mut RecordRow, details: &mut Map<String, Value>) {
    details.insert(Details::NONCE.to_owned(), json!(stamp.nonce));
    row.nonce = Some(stamp.nonce.to_owned());
    if let Some(repository) = stamp.scope.own() {
        details.insert(Details::REPOSITORY.to_owned(), json!(repository));
        row.repository = Some(repository.to_owned());
    }
}

/// What can be said about a change without looking at the record.
fn check(change: &RecordChange<'_>) -> Result<(), HappenError> {
    check_name("the actor", change.actor)?;
    match change.event {
        Event::Claim { holder, .. }
        | Event::Begin { holder }
        | Event::Commit { holder }
        | Event::Renew { holder, .. }
        | Event::Release { holder }
        | Event::Finish { holder, .. } => check_name("the holder", holder)?,
        Event::Approve(_) | Event::Sign | Event::Withdraw if change.details.is_none() => {
            return Err(HappenError::NoDocument);
        }
        // It comes with bytes: see [`Registry::attach`].
        Event::Plan => return Err(HappenError::NoDocument),
        Event::Approve(_)
        | Event::Sign
        | Event::Withdraw
        | Event::Reject
        | Event::Comment
        | Event::Close { .. } => {}
    }
    if change.details.is_some_and(|it| !is_within(it, MAX_DETAIL_LEVELS)) {
        return Err(HappenError::TooDeep);
    }
    let fits = match (change.event, change.report) {
        (Event::Finish { outcome, .. } | Event::Close { outcome }, Some(report)) => {
            &report.dds == change.id && report.outcome == *outcome
        }
        (Event::Finish { .. } | Event::Close { .. }, None) => false,
        (_, report) => report.is_none(),
    };
    if fits { Ok(()) } else { Err(HappenError::Report) }
}

fn is_within(value: &Value, n_levels: usize) -> bool {
    let Some(inner) = n_levels.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|it| is_within(it, inner)),
        Value::Object(members) => members.values().all(|it| is_within(it, inner)),
        _ => true,
    }
}

/// The outer result is the transaction's, the inner one the event's: a refusal is written down and kept.
fn happen(
    db: &mut dyn Database,
    scope: &Scope,
    change: &RecordChange<'_>,
) -> Result<Result<Stored, HappenError>, HappenError> {
    let Some(row) = rows::by_id(db, scope, change.id.as_str())? else {
        return Err(HappenError::Unknown { id: change.id.clone() });
    };
    if let Expected::Version(expected) = change.expected
        && expected != row.version
    {
        return Err(HappenError::Conflict { expected, found: row.version });
    }
    if row.is_legacy {
        refuse(db, &row, change, "a legacy record cannot change")?;
        return Ok(Err(HappenError::Legacy { id: change.id.clone() }));
    }
    let stored = row.stored()?;
    if let Event::Approve(approved) = change.event {
        let patch = rows::patch(db, &row.key)?;
        if !approved.held().is_about(&stored.record, patch.as_deref()) {
            refuse(db, &row, change, "the approval is of other bytes")?;
            return Ok(Err(HappenError::OtherBytes { id: change.id.clone() }));
        }
    }
    match step(&stored.state, change.event) {
        Ok(state) => Ok(Ok(proceed(db, &row, stored, state, change)?)),
        Err(refusal) => {
            refuse(db, &row, change, &refusal.to_string())?;
            Ok(Err(HappenError::Refused(refusal)))
        }
    }
}

fn refuse(
    db: &mut dyn Database,
    row: &RecordRow,
    change: &RecordChange<'_>,
    why: &str,
) -> Result<(), RegistryError> {
    let mut details = Map::new();
    details.insert(Details::EVENT.to_owned(), event_json(change.event));
    details.insert(Details::REFUSED.to_owned(), json!(why));
    let line = rows::draft(row, change.actor, change.now, change.event.name(), details)?;
    rows::append(db, &row.key, line)?;
    Ok(())
}

/// Keeps what people said, and in the line its hash and the reason of the last of them, if there is one.
fn set_approval(
    db: &mut dyn Database,
    row: &RecordRow,
    documents: &Value,
    details: &mut Map<String, Value>,
) -> Result<(), RegistryError> {
    let body = documents.to_string();
    details.insert(Details::APPROVAL.to_owned(), json!(content_hash(body.as_bytes())));
    let last = documents.as_array().and_then(|it| it.last());
    let reason = last.and_then(|it| it.pointer("/statement/predicate/reason"));
    if let Some(reason) = reason {
        details.insert(Details::GIVEN.to_owned(), json!({ "reason": reason }));
    }
    rows::set_approval(db, &row.key, &body)
}

pub(super) fn proceed(
    db: &mut dyn Database,
    row: &RecordRow,
    mut stored: Stored,
    state: RecordState,
    change: &RecordChange<'_>,
) -> Result<Stored, RegistryError> {
    let mut details = Map::new();
    details.insert(Details::EVENT.to_owned(), event_json(change.event));
    if let Some(report) = change.report.map(Report::to_json) {
        let body = report.to_string();
        details.insert(Details::REPORTS.to_owned(), json!([content_hash(body.as_bytes())]));
        rows::add_report(db, &row.key, &body)?;
    }
    match (change.event, change.details) {
        (Event::Approve(_) | Event::Sign | Event::Withdraw, Some(documents)) => {
            set_approval(db, row, documents, &mut details)?;
        }
        (Event::Reject, Some(documents @ Value::Array(_))) => {
            set_approval(db, row, documents, &mut details)?;
        }
        (_, Some(given)) => {
            details.insert(Details::GIVEN.to_owned(), given.clone());
        }
        (_, None) => {}
    }
    let mut line = rows::draft(row, change.actor, change.now, change.event.name(), details)?;
    line.to = state.status.name().to_owned();
    let changed = rows::append(db, &row.key, line)?;
    // As it will be read again: to the microsecond.
    let lease = state.lease.map(|it| Lease { until: Moment::from_micros(it.until.micros()), ..it });
    let state = RecordState { lease, ..state };
    rows::advance(db, row, &state, changed)?;
    stored.record.status = state.status;
    stored.state = state;
    stored.version = row.version.saturating_add(1);
    Ok(stored)
}
