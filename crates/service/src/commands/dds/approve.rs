//! A person's decision: signed with a key that was named, here or elsewhere, or typed at a terminal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use govern::approval::{
    self, Confirmation, Decision, Document, Endorsement, Key, SignatureEntry, Signed, SigningKey,
    Statement,
};
use govern::lifecycle::Event;
use govern::registry::{RecordDetails, RegistryEntry, Stored};
use govern::{Id, Status};
use protocol::v1;
use snapshot::{NewFile, RelPath, TreeChange};
use workspace::Meta;

use crate::commands::dds::decide::Judged;
use crate::commands::dds::statement::documents;
use crate::commands::dds::{ProposalRegistry, decision, now, reasons};
use crate::commands::log::TITLE;
use crate::commands::trust;
use crate::failure::Failure;

/// The key that a person named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyChoice {
    /// A private key, or the public key of one that the agent holds.
    File(PathBuf),
    /// The one that git signs with.
    Git,
}

/// What it takes to sign.
pub struct Signing<'a> {
    /// The key.
    pub key: KeyChoice,
    /// The name to approve under; by default the one that the file of allowed signers has for the key.
    pub principal: Option<String>,
    /// Where the SSH agent listens.
    pub socket: Option<PathBuf>,
    /// Asks for the passphrase of an encrypted key file.
    pub passphrase: &'a mut dyn FnMut() -> Option<String>,
}

impl ProposalRegistry<'_> {
    /// Signs what an approval of the record says, and approves it if that is enough. A proposal that needs a second key keeps
    /// the first signature and stays proposed. `expected` is the hash of what was reviewed: nothing else is signed.
    pub fn approve_signed(
        &self,
        id: &str,
        mut signing: Signing<'_>,
        expected: &str,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let usage = |error: &dyn std::error::Error| Failure::Usage { message: chain(error) };
        let key = self.signing_key(&signing.key)?;
        let public = approval::public_half(&key).map_err(|error| usage(&error))?;
        let mut made: Option<(String, Signed)> = None;
        let principal = signing.principal.take();
        self.approve_by(id, principal, by, &mut |statements| {
            if let Some(problem) = self.distrusts(&public)? {
                return Ok(Err(problem));
            }
            let Some(statement) = statements.iter().find(|it| it.hash() == expected) else {
                return Ok(Err(not_reviewed(statements, expected)));
            };
            let signed = match made.take().filter(|(hash, _)| hash == expected) {
                Some((_, signed)) => signed,
                None => approval::sign(
                    &key,
                    &statement.bytes(),
                    signing.socket.as_deref(),
                    &mut *signing.passphrase,
                )
                .map_err(|error| usage(&error))?,
            };
            made = Some((expected.to_owned(), signed.clone()));
            Ok(Ok((statement.clone(), signed)))
        })
    }

    /// Approves with a signature that was made elsewhere, of what [`ProposalRegistry::approved_bytes`] gives.
    pub fn approve_with_signature(
        &self,
        id: &str,
        signature: &[u8],
        principal: Option<&str>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let armored = String::from_utf8_lossy(signature).into_owned();
        self.approve_by(id, principal.map(str::to_owned), by, &mut |statements| {
            let mut why = String::new();
            for statement in statements {
                match approval::check_signature(&armored, &statement.bytes()) {
                    Ok(key) => {
                        if let Some(problem) = self.distrusts(&key)? {
                            return Ok(Err(problem));
                        }
                        let signed = Signed { key, armored: armored.clone() };
                        return Ok(Ok((statement.clone(), signed)));
                    }
                    Err(error) => why = error.to_string(),
                }
            }
            Ok(Err(why))
        })
    }

    /// Exactly the bytes that an approval of the record signs.
    pub fn approved_bytes(&self, id: &str) -> Result<Vec<u8>, Failure> {
        let dossier = self.dossier(id)?;
        let stored = match &dossier.entry {
            RegistryEntry::Current(stored) => stored,
            RegistryEntry::Legacy(_) => {
                return Err(Failure::Usage { message: of_before(dossier.entry.id()) });
            }
        };
        // What was decided says for ever what was signed.
        let kept = documents(&dossier);
        let signed = kept.iter().rfind(|it| it.statement.decision() == Decision::Approval);
        match signed.filter(|_| stored.state.status != Status::Proposed) {
            Some(signed) => Ok(signed.statement.bytes()),
            None => {
                let statements = self.statements(stored, &dossier);
                let statements = statements.map_err(|message| Failure::Usage { message })?;
                Ok(statements.first().map(Statement::bytes).unwrap_or_default())
            }
        }
    }

    /// Why a signature of that key cannot count here, whatever it signs: what says so is not trusted.
    pub(super) fn distrusts(&self, key: &Key) -> Result<Option<String>, Failure> {
        if let Some(problem) =
            self.trust.forbids_govern().or_else(|| self.trust.forbids_repository())
        {
            return Ok(Some(problem));
        }
        let present = self.present_signers()?;
        let is_named = !present.of(key).is_empty();
        let is_trusted = !self.trust.signers(present).of(key).is_empty();
        let file = &self.govern.allowed_signers;
        Ok((is_named && !is_trusted).then(|| trust::not_trusted(&format!("this key in {file}"))))
    }

    /// Adds a signature to those that are there, and approves if that is enough. `sign` is given what can be signed.
    fn approve_by(
        &self,
        id: &str,
        principal: Option<String>,
        by: &str,
        sign: &mut Sign<'_>,
    ) -> Result<v1::DdsReport, Failure> {
        let allowed = self.allowed_signers()?;
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, "approve", by);
        };
        self.meet()?;
        let statements = match self.statements(stored, &dossier) {
            Ok(statements) => statements,
            Err(problem) => return Ok(undecided(stored, by, problem)),
        };
        let (statement, signed) = match sign(&statements)? {
            Ok(signed) => signed,
            Err(problem) => return Ok(undecided(stored, by, problem)),
        };
        let known = allowed.principal_of(&signed.key, approval::NAMESPACE).map(str::to_owned);
        let principal = principal.or(known).unwrap_or_else(|| by.to_owned());
        let entry = SignatureEntry::new(&principal, &signed);
        let document = Document::signed(&stored.record.id, statement, entry, now());
        self.keep(&document, &principal, |stored, dossier| {
            self.judge(&document, stored, dossier, &allowed)
        })
    }

    /// What is said of a record that somebody looked at and did not approve.
    pub fn not_approved(&self, id: &str, problem: &str) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        Ok(decision(dossier.entry.id(), dossier.entry.status(), "nobody", problem.to_owned()))
    }

    /// Approves what a person typed the id of. The policy may forbid it.
    pub fn approve_typed(
        &self,
        id: &str,
        typed: &str,
        expected: &str,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, "approve", by);
        };
        let confirmation = match Confirmation::typed(&stored.record.id, typed) {
            Ok(confirmation) => confirmation,
            Err(error) => return Ok(undecided(stored, by, error.to_string())),
        };
        if let Some(problem) = self.trust.forbids_repository() {
            return Ok(undecided(stored, by, problem));
        }
        self.meet()?;
        let statements = match self.statements(stored, &dossier) {
            Ok(statements) => statements,
            Err(problem) => return Ok(undecided(stored, by, problem)),
        };
        let Some(statement) = statements.iter().find(|it| it.hash() == expected) else {
            return Ok(undecided(stored, by, not_reviewed(&statements, expected)));
        };
        let document = Document::unsigned(statement.clone(), by, &confirmation, now());
        self.keep(&document, by, |stored, dossier| {
            let context = self.context(&stored.record, &stored.nonce)?;
            let (record, patch) = (&stored.record, dossier.patch.as_deref());
            let verdict = self.with_subject(record, patch, &context, |subject| {
                let (statement, at) = (statement.clone(), document.approved_at);
                approval::approve_unsigned(&confirmation, by, statement, subject, &self.policy, at)
            });
            let (approved, _) = verdict.map_err(|refusals| reasons(&refusals))?;
            Ok(Judged { event: Event::Approve(approved), missing: Vec::new() })
        })
    }

    /// Lets a key approve: one more line in the file of allowed signers, in a transaction.
    pub fn init_signing(
        &self,
        key: &KeyChoice,
        principal: Option<&str>,
    ) -> Result<v1::DdsReport, Failure> {
        let usage = |message: String| Failure::Usage { message };
        let key = approval::public_half(&self.signing_key(key)?).map_err(|it| usage(chain(&it)))?;
        let principal = match principal {
            Some(principal) => principal.to_owned(),
            None => approval::git_email(&self.root).ok().flatten().ok_or_else(|| {
                usage("name yourself with --as NAME: git has no user.email here".to_owned())
            })?,
        };
        let path = &self.govern.allowed_signers;
        let before = self.read(path)?;
        let text = before.as_deref().unwrap_or_default();
        let after =
            approval::with_signer(text, &principal, &key).map_err(|it| usage(it.to_string()))?;
        let changed = before.as_deref() != Some(&after);
        if changed {
            self.write(path, &after, &format!("{principal} may approve"))?;
        }
        Ok(v1::DdsReport::Signing(v1::DdsSigning {
            ok: true,
            file: path.to_string(),
            principal,
            fingerprint: key.fingerprint(),
            changed,
        }))
    }

    pub(super) fn signing_key(&self, key: &KeyChoice) -> Result<SigningKey, Failure> {
        match key {
            KeyChoice::File(path) => Ok(SigningKey::File(path.clone())),
            KeyChoice::Git => match approval::git_signing_key(&self.root) {
                Ok(Some(key)) => Ok(key),
                Ok(None) => Err(Failure::Usage {
                    message: "git signs with no SSH key here: set gpg.format to ssh and user.signingkey to your key"
                        .to_owned(),
                }),
                Err(error) => Err(Failure::Usage { message: chain(&error) }),
            },
        }
    }

    /// A record whose status does not allow a decision. The attempt is in the audit trail; nobody signs anything.
    pub(super) fn refuse_event(
        &self,
        dossier: &RecordDetails,
        event: &str,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let (id, status) = (dossier.entry.id(), dossier.entry.status());
        let problem = match &dossier.entry {
            RegistryEntry::Legacy(_) => of_before(id),
            RegistryEntry::Current(_) => {
                let done = if event == "approve" { "approved" } else { "decided about" };
                format!("a record that is {status} cannot be {done}")
            }
        };
        self.registry.borrow_mut().note_refusal(id, event, by, now(), &problem)?;
        Ok(decision(id, status, by, problem))
    }

    /// Writes a file of the workspace, in a transaction of its own.
    fn write(&self, path: &RelPath, text: &str, title: &str) -> Result<(), Failure> {
        let loaded = self.session.workspace.load(std::slice::from_ref(path))?;
        let new = NewFile { text: edit::Text::new(text.as_bytes().to_vec()), mode: 0o644 };
        let change = match loaded.snapshot.file(path) {
            None => TreeChange::new(
                BTreeMap::new(),
                BTreeMap::from([(path.clone(), new)]),
                BTreeMap::new(),
                BTreeMap::new(),
            )?,
            Some(_) => {
                let mut entries = loaded.snapshot.to_entries();
                let mode = loaded.snapshot.file(path).map_or(0o644, |it| it.mode);
                entries.insert(
                    path.clone(),
                    snapshot::Entry::File(snapshot::File::new(new.text, mode)),
                );
                let after = snapshot::Snapshot::new(entries).map_err(|error| {
                    Failure::Unusable { path: path.to_string(), reason: error.to_string() }
                })?;
                snapshot::diff(&loaded.snapshot, &after)
            }
        };
        let notes = BTreeMap::from([(TITLE.to_owned(), title.to_owned())]);
        let meta = Meta { command: "dds init-signing".to_owned(), time: None, notes };
        self.session.workspace.commit(&change, None, &meta)?;
        Ok(())
    }
}

/// Gives the statement that it signed, out of those that can be, and its signature; or says why there is none.
type Sign<'a> =
    dyn FnMut(&[Statement]) -> Result<Result<(Statement, Signed), String>, Failure> + 'a;

fn not_reviewed(statements: &[Statement], expected: &str) -> String {
    let there = statements.first().map(Statement::hash).unwrap_or_default();
    format!(
        "what would be signed is {there}, not {expected}: something changed since you looked; look again with `regreen dds show`"
    )
}

fn of_before(id: &Id) -> String {
    format!("{id} is a legacy record: it can only be read and exported")
}

/// The record, if somebody can decide about it.
pub(super) fn decidable(dossier: &RecordDetails) -> Option<&Stored> {
    match &dossier.entry {
        RegistryEntry::Current(stored) => {
            let is_open = matches!(stored.state.status, Status::Proposed | Status::Approved);
            is_open.then_some(stored)
        }
        RegistryEntry::Legacy(_) => None,
    }
}

pub(super) fn undecided(stored: &Stored, by: &str, problem: String) -> v1::DdsReport {
    decision(&stored.record.id, stored.state.status.name(), by, problem)
}

pub(super) fn signers(document: &Document) -> Vec<String> {
    match &document.word {
        Endorsement::Signed(signatures) => {
            signatures.iter().map(|it| format!("{} ({})", it.principal, it.fingerprint)).collect()
        }
        Endorsement::Unsigned { by, .. } => vec![by.clone()],
    }
}

/// An error with what caused it.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
