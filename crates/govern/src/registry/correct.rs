//! From a failure to its proposed correction, in one transaction: whoever looks for the oldest failure without one also
//! stores it, so that many workers make one correction each and never two of one source (DF-31, DF-40, X-32).

use serde_json::{Value, json};

use super::change::{self, mint_id};
use super::rows;
use super::sql::{self, Database};
use super::{AddError, Registry, RegistryError, Scope, Stored, check_name};
use crate::derive;
use crate::id::{Id, IdForm, NoFreeId};
use crate::lifecycle::ExecutionOutcome;
use crate::record::Record;
use crate::report::Report;
use crate::shape::RecordFault;
use crate::time::Moment;

/// Why a failure got no correction.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorrectError {
    /// What was derived breaks the rules.
    #[error("the correction of {id} breaks {} of the rules", .faults.len())]
    Faults {
        /// The source.
        id: Id,
        /// What is wrong.
        faults: Vec<RecordFault>,
    },
    /// No name is left for today.
    #[error(transparent)]
    NoFreeId(#[from] NoFreeId),
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl Registry {
    /// Proposes the correction of the oldest failure without one; `None` if there is no such failure.
    pub fn correct_oldest(
        &mut self,
        actor: &str,
        now: Moment,
    ) -> Result<Option<Stored>, CorrectError> {
        check_name("the actor", actor)?;
        let scope = self.scope.clone();
        sql::write(&mut *self.db, |db| correct_oldest(db, &scope, actor, now))
    }
}

/// A failure without a report that can be read is passed over: it would hold up all the others for ever. So is one that
/// gets no correction, such as one of the built-in tool.
fn correct_oldest(
    db: &mut dyn Database,
    scope: &Scope,
    actor: &str,
    now: Moment,
) -> Result<Option<Stored>, CorrectError> {
    for (row, text) in rows::uncorrected(db, scope)? {
        if !scope.can_run(&row) {
            continue;
        }
        let failed = row.stored()?.record;
        let report = serde_json::from_str::<Value>(&text).ok();
        let report = report.as_ref().and_then(Report::from_json);
        // An executor that died says nothing about the record that it carried out.
        let report = report.filter(|it| it.outcome == ExecutionOutcome::Failed);
        if let (Some(report), true) = (report, derive::gets_correction(&failed)) {
            return correct(db, scope, &failed, &report, actor, now);
        }
    }
    Ok(None)
}

fn correct(
    db: &mut dyn Database,
    scope: &Scope,
    failed: &Record,
    report: &Report,
    actor: &str,
    now: Moment,
) -> Result<Option<Stored>, CorrectError> {
    let minted = mint_id(db, scope, IdForm::CodeFix, now)??;
    let Some(correction) = derive::correction(failed, report, minted) else { return Ok(None) };
    let given = json!({ "source": failed.id.as_str() });
    let nonce = change::fresh_nonce()?;
    let stamp = change::RecordOrigin { scope, nonce: &nonce, actor, now };
    let added = change::add(db, &stamp, &correction.to_json(), None, Some(&given));
    added.map(Some).map_err(|error| match error {
        AddError::Faults { faults } => CorrectError::Faults { id: failed.id.clone(), faults },
        AddError::NoFreeId(error) => CorrectError::NoFreeId(error),
        AddError::Registry(error) => CorrectError::Registry(error),
        AddError::PatchTooLarge { .. } => unreachable!("a correction has no patch"),
    })
}
