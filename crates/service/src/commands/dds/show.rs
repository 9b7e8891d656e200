//! Looking at proposals.

use govern::Status;
use govern::approval::{Decision, Endorsement, Statement};
use govern::audit::{AuditLine, Details};
use govern::registry::{Listed, RecordDetails, RegistryEntry, Stored};
use protocol::v1;
use serde_json::{Map, Value, json};

use crate::commands::dds::ProposalRegistry;
use crate::commands::dds::statement::documents;
use crate::failure::Failure;
use crate::wire::changes::file_changes;

impl ProposalRegistry<'_> {
    /// The records, oldest first, all or those in one status.
    pub fn list(&self, status: Option<&str>) -> Result<v1::DdsReport, Failure> {
        let listed = self.registry.borrow_mut().listed(status)?;
        let records = listed.into_iter().map(|it| wire_entry(it, None)).collect();
        Ok(v1::DdsReport::List(v1::DdsList { ok: true, records }))
    }

    /// One record, with all that is known about it.
    pub fn show(&self, id: &str) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let correction = self.registry.borrow_mut().correction_of(dossier.entry.id())?;
        let mut show = v1::DdsShow {
            ok: true,
            entry: entry(&dossier.entry, dossier.patch.as_deref()),
            diff: None,
            stale: None,
            approval: None,
            statement: None,
            statement_hash: None,
            unsignable: None,
            report: dossier.reports.last().cloned(),
            correction: correction.map(|it| it.to_string()),
            refusals: dossier.history.iter().filter(|it| it.event == "release").count(),
            history: dossier.history.iter().map(happened).collect(),
        };
        if let RegistryEntry::Current(stored) = &dossier.entry {
            show.approval = self.judged(stored, &dossier)?;
            let is_open = matches!(stored.state.status, Status::Proposed | Status::Approved);
            // A proposal that waits for its second key has an approval that does not hold yet.
            let is_decided = stored.state.status != Status::Proposed;
            show.ok = !is_decided || show.approval.as_ref().is_none_or(|it| it.holds);
            if is_open {
                match self.statements(stored, &dossier) {
                    Ok(statements) => {
                        let first = statements.first();
                        show.statement_hash = first.map(Statement::hash);
                        show.statement = first.map(|it| it.to_json().clone());
                    }
                    Err(problem) => show.unsignable = Some(problem),
                }
            }
            if let (Some(patch), true) = (&dossier.patch, is_open) {
                match self.try_patch(patch) {
                    Ok(applied) => {
                        let changes = file_changes(&applied.before, &applied.change)?;
                        let diff: Vec<u8> =
                            changes.iter().flat_map(|it| it.diff.iter().copied()).collect();
                        show.diff = Some(String::from_utf8_lossy(&diff).into_owned());
                    }
                    Err(reason) => show.stale = Some(reason),
                }
            }
        }
        Ok(v1::DdsReport::Show(Box::new(show)))
    }

    /// The approval of a record, judged anew; `None` if nobody gave one.
    fn judged(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
    ) -> Result<Option<v1::DdsApproval>, Failure> {
        let kept = documents(dossier);
        let approvals = kept.iter().filter(|it| it.statement.decision() == Decision::Approval);
        let (mut by, mut signed) = (Vec::new(), true);
        for document in approvals {
            match &document.word {
                Endorsement::Signed(signatures) => {
                    by.extend(signatures.iter().map(|it| it.principal.clone()));
                }
                Endorsement::Unsigned { by: person, .. } => {
                    by.push(person.clone());
                    signed = false;
                }
            }
        }
        // What was said of one that is rejected is history, and lets nothing run.
        let is_open = stored.record.status == Status::Approved;
        if stored.record.status == Status::Rejected || (by.is_empty() && !is_open) {
            return Ok(None);
        }
        let problem = match self.approval_holds(stored, dossier) {
            Ok(held) if stored.record.status == Status::Approved => self.is_stale(&held),
            Ok(_) => None,
            Err(unheld) => Some(unheld.message()),
        };
        let signed = signed && !by.is_empty();
        let problem = problem.unwrap_or_default();
        Ok(Some(v1::DdsApproval { holds: problem.is_empty(), by, signed, problem }))
    }
}

fn entry(entry: &RegistryEntry, patch: Option<&[u8]>) -> v1::DdsEntry {
    let (version, lease, is_legacy) = match entry {
        RegistryEntry::Current(stored) => (stored.version, stored.state.lease.clone(), false),
        RegistryEntry::Legacy(_) => (0, None, true),
    };
    wire_entry(Listed { value: entry.to_json(), version, lease, is_legacy }, patch)
}

fn wire_entry(listed: Listed, patch: Option<&[u8]>) -> v1::DdsEntry {
    let record = match listed.value {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let version = if listed.is_legacy { 0 } else { listed.version };
    v1::DdsEntry {
        record,
        version: u64::try_from(version).unwrap_or_default(),
        lease: listed.lease.map(|it| v1::DdsLease {
            holder: it.holder,
            until: it.until.to_string(),
            phase: it.phase.name().to_owned(),
        }),
        patch: patch.map(|it| format!("blake3:{}", blake3::hash(it))),
        legacy: listed.is_legacy,
    }
}

fn happened(line: &AuditLine) -> v1::DdsHappened {
    let refused = line.refused();
    let given = line.details.get(Details::GIVEN).cloned().unwrap_or(Value::Null);
    v1::DdsHappened {
        at: line.at.to_string(),
        actor: line.actor.clone(),
        event: line.event.clone(),
        from: line.from.clone(),
        to: Some(line.to.clone()).filter(|_| refused.is_none()),
        details: refused.map_or(given, |why| json!({ "reason": why })),
    }
}
