//! What people say about a proposal beside yes: no, that a yes is taken back, or a comment. No and taking back ask for the
//! same proof of who somebody is as an approval does; a comment asks for none, and nothing follows from it.

use govern::approval::{
    self, Confirmation, Decision, Document, Endorsement, SignatureEntry, Statement,
};
use govern::lifecycle::Event;
use govern::registry::{Expected, HappenError, RecordChange, RecordDetails, Stored};
use govern::travel::CommentFile;
use protocol::v1;
use serde_json::json;

use crate::commands::dds::approve::{Signing, chain, decidable, undecided};
use crate::commands::dds::statement::documents;
use crate::commands::dds::{ProposalRegistry, decision, now, shared};
use crate::failure::Failure;

/// What somebody says instead of yes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NegativeDecision<'a> {
    /// No, for good, and why.
    Reject(&'a str),
    /// An earlier yes of the same person does not count any more, and why.
    Withdraw(&'a str),
}

impl NegativeDecision<'_> {
    fn event(self) -> Event {
        match self {
            NegativeDecision::Reject(_) => Event::Reject,
            NegativeDecision::Withdraw(_) => Event::Withdraw,
        }
    }
}

/// Makes the document of a statement, or says why there is none.
type Give<'a> = dyn FnMut(Statement) -> Result<Result<Document, String>, Failure> + 'a;

impl ProposalRegistry<'_> {
    /// Signs it with the key that was named.
    pub fn say_signed(
        &self,
        id: &str,
        saying: NegativeDecision<'_>,
        mut signing: Signing<'_>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let usage = |error: &dyn std::error::Error| Failure::Usage { message: chain(error) };
        let key = self.signing_key(&signing.key)?;
        let public = approval::public_half(&key).map_err(|error| usage(&error))?;
        let allowed = self.allowed_signers()?;
        let known = allowed.principal_of(&public, approval::NAMESPACE).map(str::to_owned);
        let principal = signing.principal.take().or(known).unwrap_or_else(|| by.to_owned());
        let dossier = self.dossier(id)?;
        let dds = dossier.entry.id().clone();
        let fingerprint = public.fingerprint();
        let is_own = |document: &Document| match &document.word {
            Endorsement::Signed(entries) => entries.iter().any(|it| it.fingerprint == fingerprint),
            Endorsement::Unsigned { .. } => false,
        };
        self.say(id, saying, by, &is_own, &mut |statement| {
            if let Some(problem) = self.distrusts(&public)? {
                return Ok(Err(problem));
            }
            let (bytes, socket) = (statement.bytes(), signing.socket.as_deref());
            let signed = approval::sign(&key, &bytes, socket, &mut *signing.passphrase);
            let signed = signed.map_err(|error| usage(&error))?;
            let entry = SignatureEntry::new(&principal, &signed);
            Ok(Ok(Document::signed(&dds, statement, entry, now())))
        })
    }

    /// Takes the id that a person typed for it. The policy may forbid that.
    pub fn say_typed(
        &self,
        id: &str,
        saying: NegativeDecision<'_>,
        typed: &str,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let confirmation = match Confirmation::typed(dossier.entry.id(), typed) {
            Ok(confirmation) => confirmation,
            Err(_) => return self.not_approved(id, "nothing was decided: the id was not typed"),
        };
        let is_own = |document: &Document| match &document.word {
            Endorsement::Unsigned { by: person, .. } => person == by,
            Endorsement::Signed(_) => false,
        };
        self.say(id, saying, by, &is_own, &mut |statement| {
            if let Some(problem) = self.trust.forbids_repository() {
                return Ok(Err(problem));
            }
            Ok(Ok(Document::unsigned(statement, by, &confirmation, now())))
        })
    }

    fn say(
        &self,
        id: &str,
        saying: NegativeDecision<'_>,
        by: &str,
        is_own: &dyn Fn(&Document) -> bool,
        give: &mut Give<'_>,
    ) -> Result<v1::DdsReport, Failure> {
        let allowed = self.allowed_signers()?;
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, saying.event().name(), by);
        };
        self.meet()?;
        let statement = match self.statement_of(saying, stored, &dossier, is_own) {
            Ok(statement) => statement,
            Err(problem) => return Ok(undecided(stored, by, problem)),
        };
        let document = match give(statement)? {
            Ok(document) => document,
            Err(problem) => return Ok(undecided(stored, by, problem)),
        };
        self.keep(&document, by, |stored, dossier| self.judge(&document, stored, dossier, &allowed))
    }

    fn statement_of(
        &self,
        saying: NegativeDecision<'_>,
        stored: &Stored,
        dossier: &RecordDetails,
        is_own: &dyn Fn(&Document) -> bool,
    ) -> Result<Statement, String> {
        let (record, patch) = (&stored.record, dossier.patch.as_deref());
        let context = self.bare_context(&stored.nonce)?;
        Ok(match saying {
            NegativeDecision::Reject(reason) => {
                Statement::rejection(record, patch, &context, reason)
            }
            NegativeDecision::Withdraw(reason) => {
                let kept = documents(dossier);
                // Others may have signed the same statement, and taken their word back.
                let withdrawn: Vec<&str> = kept
                    .iter()
                    .filter(|it| is_own(it))
                    .filter_map(|it| it.statement.withdraws())
                    .collect();
                let own = kept.iter().rfind(|it| {
                    it.statement.decision() == Decision::Approval
                        && is_own(it)
                        && !withdrawn.contains(&it.statement.hash().as_str())
                });
                let own = own.ok_or("there is no approval of yours to withdraw")?;
                let hash = own.statement.hash();
                Statement::withdrawal(record, patch, &context, &hash, reason)
            }
        })
    }

    /// Says something about a record. Nothing follows from it.
    pub fn comment(&self, id: &str, text: &str, by: &str) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let id = dossier.entry.id().clone();
        let status = dossier.entry.status().to_owned();
        let Some(comment) = CommentFile::new(&id, by, now(), text) else {
            return Ok(decision(&id, &status, by, "a comment must not be empty".to_owned()));
        };
        match self.store_comment(&comment)? {
            Ok(()) => {}
            Err(problem) => return Ok(decision(&id, &status, by, problem)),
        }
        let name = comment.name();
        self.share(&name, comment.write().as_bytes())?;
        let mut report = decision(&id, &status, by, String::new());
        if let v1::DdsReport::Decide(decision) = &mut report {
            decision.file = Some(shared(&name));
        }
        Ok(report)
    }

    /// Keeps a comment in the trail.
    pub(super) fn store_comment(
        &self,
        comment: &CommentFile,
    ) -> Result<Result<(), String>, Failure> {
        let details = json!({ "reason": comment.text, "said_at": comment.at.to_string() });
        let change = RecordChange {
            id: &comment.dds,
            expected: Expected::Any,
            event: &Event::Comment,
            actor: &comment.by,
            now: now(),
            report: None,
            details: Some(&details),
        };
        let happened = self.registry.borrow_mut().happen(&change);
        match happened {
            Ok(_) => Ok(Ok(())),
            Err(HappenError::Registry(error)) => Err(error.into()),
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}
