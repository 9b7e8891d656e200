//! What follows from what a person said about a record: the same for who says it here and for a file that came by git. It is
//! found out while nobody else can write, so of many who decide at once each decides once, and all of them count.

use govern::Id;
use govern::approval::{self, AllowedSigners, ApprovalRefusal, Decision, Document};
use govern::lifecycle::Event;
use govern::registry::{HappenError, RecordDetails, Stored};
use protocol::v1;
use serde_json::Value;

use crate::commands::dds::approve::{decidable, signers};
use crate::commands::dds::statement::documents;
use crate::commands::dds::{ProposalRegistry, approval_name, decision, now, reasons, shared};
use crate::failure::Failure;

/// What follows from a document that holds.
pub(super) struct Judged {
    pub(super) event: Event,
    /// Who must say yes as well.
    pub(super) missing: Vec<ApprovalRefusal>,
}

/// What became of a document.
pub(super) enum Decided {
    /// It is kept, and this is what else is needed.
    Kept { status: &'static str, missing: Vec<ApprovalRefusal> },
    /// The record is over.
    Over,
    /// It does not hold, or does not fit what happened meanwhile.
    Refused(String),
}

impl ProposalRegistry<'_> {
    /// What follows from a document, with all that others said about the record as it stands.
    pub(super) fn judge(
        &self,
        document: &Document,
        stored: &Stored,
        dossier: &RecordDetails,
        allowed: &AllowedSigners,
    ) -> Result<Judged, String> {
        let (policy, now) = (&self.policy, now());
        let decided = document.statement.decision();
        let context = match decided {
            Decision::Approval => self.context(&stored.record, &stored.nonce)?,
            Decision::Rejection | Decision::Withdrawal => self.bare_context(&stored.nonce)?,
        };
        let others = self.unspent(others(dossier, document))?;
        let verdict =
            self.with_subject(&stored.record, dossier.patch.as_deref(), &context, |subject| {
                match decided {
                    Decision::Approval => {
                        let given = approval::verify_approval(
                            document, &others, subject, allowed, policy, now,
                        );
                        match given {
                            Ok(approved) => Ok((Event::Approve(approved), Vec::new())),
                            Err(missing) if missing.iter().all(waits) => Ok((Event::Sign, missing)),
                            Err(refusals) => Err(refusals),
                        }
                    }
                    Decision::Rejection | Decision::Withdrawal => {
                        let event = match decided {
                            Decision::Rejection => Event::Reject,
                            _ => Event::Withdraw,
                        };
                        let said = approval::verify_no(document, subject, allowed, policy, now);
                        said.map(|_| (event, Vec::new()))
                    }
                }
            });
        let (event, missing) = verdict.map_err(|refusals| reasons(&refusals))?;
        Ok(Judged { event, missing })
    }

    /// Stores a document with what others said, if it follows from the record as it stands then.
    pub(super) fn decide(
        &self,
        document: &Document,
        by: &str,
        judge: impl FnOnce(&Stored, &RecordDetails) -> Result<Judged, String>,
    ) -> Result<Decided, Failure> {
        let mut lacking = Vec::new();
        let decided = self.registry.borrow_mut().decide(&document.dds, by, now(), |dossier| {
            let stored = decidable(dossier).ok_or(None)?;
            let Judged { event, missing } = judge(stored, dossier).map_err(Some)?;
            lacking = missing;
            let mut said = others(dossier, document);
            said.push(document.clone());
            Ok((event, as_json(&said)))
        });
        Ok(match decided {
            Ok(Ok(stored)) => {
                Decided::Kept { status: stored.state.status.name(), missing: lacking }
            }
            Ok(Err(None)) => Decided::Over,
            Ok(Err(Some(problem))) => Decided::Refused(problem),
            Err(HappenError::Registry(error)) => return Err(error.into()),
            Err(error) => Decided::Refused(error.to_string()),
        })
    }

    /// Stores a document and then the file with it, and reports that.
    pub(super) fn keep(
        &self,
        document: &Document,
        by: &str,
        judge: impl FnOnce(&Stored, &RecordDetails) -> Result<Judged, String>,
    ) -> Result<v1::DdsReport, Failure> {
        let id: &Id = &document.dds;
        let (status, missing) = match self.decide(document, by, judge)? {
            Decided::Kept { status, missing } => (status, missing),
            Decided::Over => {
                let event = match document.statement.decision() {
                    Decision::Approval => "approve",
                    Decision::Rejection => "reject",
                    Decision::Withdrawal => "withdraw",
                };
                return self.refuse_event(&self.dossier(id.as_str())?, event, by);
            }
            Decided::Refused(problem) => {
                let dossier = self.dossier(id.as_str())?;
                return Ok(decision(id, dossier.entry.status(), by, problem));
            }
        };
        let mut report = decision(id, status, by, reasons(&missing));
        if let v1::DdsReport::Decide(decision) = &mut report {
            let name = approval_name(id, document);
            self.share(&name, document.write().as_bytes())?;
            decision.file = Some(shared(&name));
            decision.by = signers(document);
        }
        Ok(report)
    }
}

/// Documents as the registry keeps them.
fn as_json(documents: &[Document]) -> Value {
    let read = |it: &Document| {
        serde_json::from_str::<Value>(&it.write()).expect("an approval is written as JSON")
    };
    documents.iter().map(read).collect()
}

/// What was said before, without what the document takes the place of: an earlier yes of the same person.
fn others(dossier: &RecordDetails, document: &Document) -> Vec<Document> {
    let mut others = documents(dossier);
    if document.statement.decision() == Decision::Approval {
        others.retain(|it| {
            it.statement.decision() != Decision::Approval || it.person() != document.person()
        });
    }
    others
}

/// Whether a refusal only says that more people are needed.
pub(super) fn waits(refusal: &ApprovalRefusal) -> bool {
    matches!(refusal, ApprovalRefusal::SecondKey { .. } | ApprovalRefusal::Quorum { .. })
}
