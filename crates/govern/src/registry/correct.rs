//! From a failure to its proposed correction, in one transaction: whoever looks for the oldest failure without one also
//! stores it, so that many workers make one correction each and never two of one source (DF-31, DF-40, X-32).

use serde_json::{Value, json};

use super::change::{self, mint_id};
use super::rows;
use super::sql::{self, Database};
use super::{AddError, Registry, RegistryError, Stored, check_name};
use crate::derive;
use crate::execute::BUILTIN;
use crate::id::{Form, Id, NoFreeId};
use crate::record::{Kind, Status};
use crate::report::Report;
use crate::shape::Fault;
use crate::time::Moment;

/// Why a failure got no correction.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorrectError {
    /// There is no such record.
    #[error("there is no record {id}")]
    Unknown {
        /// The name.
        id: Id,
    },
    /// It has not failed, is a correction itself, or is a legacy record.
    #[error("{id} gets no correction: only a code_change that failed does")]
    NotForIt {
        /// The name.
        id: Id,
    },
    /// It failed without a report that says how.
    #[error("{id} has no report that says how it failed")]
    NoReport {
        /// The name.
        id: Id,
    },
    /// It has one already, in whatever status.
    #[error("{by} corrects {id} already; a source has one correction, ever")]
    Corrected {
        /// The source.
        id: Id,
        /// Its correction.
        by: String,
    },
    /// What was derived breaks the rules.
    #[error("the correction of {id} breaks {} of the rules", .faults.len())]
    Faults {
        /// The source.
        id: Id,
        /// What is wrong.
        faults: Vec<Fault>,
    },
    /// No name is left for today.
    #[error(transparent)]
    NoFreeId(#[from] NoFreeId),
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl Registry {
    /// The failure that has waited longest for a correction and can get one.
    pub fn oldest_failure_without_correction(&mut self) -> Result<Option<Id>, RegistryError> {
        sql::read(&mut *self.db, oldest_failure)
    }

    /// Proposes the correction of a record that failed.
    pub fn add_correction(
        &mut self,
        source: &Id,
        actor: &str,
        now: Moment,
    ) -> Result<Stored, CorrectError> {
        check_name("the actor", actor)?;
        sql::write(&mut *self.db, |db| correct(db, source, actor, now))
    }

    /// Proposes the correction of the oldest failure without one; `None` if there is no such failure.
    pub fn correct_oldest(
        &mut self,
        actor: &str,
        now: Moment,
    ) -> Result<Option<Stored>, CorrectError> {
        check_name("the actor", actor)?;
        sql::write(&mut *self.db, |db| match oldest_failure(db)? {
            Some(source) => correct(db, &source, actor, now).map(Some),
            None => Ok(None),
        })
    }
}

fn last_report(db: &mut dyn Database, id: &str) -> Result<Option<Report>, RegistryError> {
    let texts = rows::reports(db, id)?;
    let value = texts.last().and_then(|it| serde_json::from_str::<Value>(it).ok());
    Ok(value.as_ref().and_then(Report::from_json))
}

/// Failures are told apart by when they became one, which is the order of the audit trail. One without a report that can
/// be read is passed over: it would hold up all the others for ever. So is one of the built-in tool, which has nothing
/// to do but what was attached.
fn oldest_failure(db: &mut dyn Database) -> Result<Option<Id>, RegistryError> {
    let found = db.query(
        "SELECT id FROM dds_records AS failed WHERE status = 'failed' AND legacy = 0 AND kind = 'code_change' \
         AND NOT EXISTS (SELECT 1 FROM dds_records AS other WHERE other.source = failed.id) ORDER BY changed",
        &[],
    )?;
    for row in &found {
        let id = row.text(0)?;
        if last_report(db, &id)?.is_some_and(|it| it.tool != BUILTIN)
            && let Ok(id) = Id::parse(&id)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn correct(
    db: &mut dyn Database,
    source: &Id,
    actor: &str,
    now: Moment,
) -> Result<Stored, CorrectError> {
    let id = || source.clone();
    let row =
        rows::by_id(db, source.as_str())?.ok_or_else(|| CorrectError::Unknown { id: id() })?;
    if row.is_legacy {
        return Err(CorrectError::NotForIt { id: id() });
    }
    let failed = row.stored()?.record;
    if failed.status != Status::Failed || failed.kind != Kind::CodeChange {
        return Err(CorrectError::NotForIt { id: id() });
    }
    if let Some(by) = rows::sibling(db, source.as_str())? {
        return Err(CorrectError::Corrected { id: id(), by });
    }
    let report = last_report(db, source.as_str())?;
    let report = report.ok_or_else(|| CorrectError::NoReport { id: id() })?;
    let minted = mint_id(db, Form::CodeFix, now)??;
    let correction = derive::correction(&failed, &report, minted)
        .ok_or_else(|| CorrectError::NotForIt { id: id() })?;
    let given = json!({ "source": source.as_str() });
    change::add(db, &correction.to_json(), None, actor, now, Some(&given)).map_err(|error| {
        match error {
            AddError::Faults { faults } => CorrectError::Faults { id: id(), faults },
            AddError::NoFreeId(error) => CorrectError::NoFreeId(error),
            AddError::Registry(error) => CorrectError::Registry(error),
            AddError::PatchTooLarge { .. } => unreachable!("a correction has no patch"),
        }
    })
}
