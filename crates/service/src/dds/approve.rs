//! A person's decision: signed with a key that was named, here or elsewhere, or typed at a terminal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use govern::approval::{
    self, Approved, Confirmation, Document, Key, Refusal, SignatureEntry, Signed, SigningKey, Word,
};
use govern::lifecycle::Event;
use govern::registry::{Dossier, Entry, Expected, Stored};
use govern::{Id, Status};
use protocol::v1;
use serde_json::Value;
use snapshot::{NewFile, RelPath, TreeChange};
use workspace::Meta;

use super::{Desk, decision, now, reasons};
use crate::failure::Failure;
use crate::log::TITLE;
use crate::trust;

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

impl Desk<'_> {
    /// Signs exactly these bytes, and approves them if that is enough. A proposal that needs a second key keeps the first
    /// signature and stays proposed.
    pub fn approve_signed(
        &self,
        id: &str,
        signing: Signing<'_>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, by);
        };
        let patch = dossier.patch.as_deref();
        let key = self.signing_key(&signing.key)?;
        let public = approval::public_half(&key)
            .map_err(|error| Failure::Usage { message: chain(&error) })?;
        if let Some(problem) = self.distrusts(&public)? {
            return Ok(undecided(stored, by, problem));
        }
        let bytes = stored.record.approved_bytes(patch);
        let signed = approval::sign(&key, &bytes, signing.socket.as_deref(), signing.passphrase)
            .map_err(|error| Failure::Usage { message: chain(&error) })?;
        self.approve_by(stored, patch, &signed, signing.principal, by)
    }

    /// Approves with a signature that was made elsewhere, of what [`Desk::approved_bytes`] gives.
    pub fn approve_with_signature(
        &self,
        id: &str,
        signature: &[u8],
        principal: Option<&str>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, by);
        };
        let patch = dossier.patch.as_deref();
        let armored = String::from_utf8_lossy(signature).into_owned();
        match approval::check_signature(&armored, &stored.record.approved_bytes(patch)) {
            Ok(key) => {
                if let Some(problem) = self.distrusts(&key)? {
                    return Ok(undecided(stored, by, problem));
                }
                let signed = Signed { key, armored };
                self.approve_by(stored, patch, &signed, principal.map(str::to_owned), by)
            }
            Err(error) => Ok(refused(stored, by, &[error.into()])),
        }
    }

    /// Exactly the bytes that an approval of the record signs.
    pub fn approved_bytes(&self, id: &str) -> Result<Vec<u8>, Failure> {
        let dossier = self.dossier(id)?;
        match &dossier.entry {
            Entry::Current(stored) => Ok(stored.record.approved_bytes(dossier.patch.as_deref())),
            Entry::Legacy(_) => Err(Failure::Usage { message: of_before(dossier.entry.id()) }),
        }
    }

    /// Why a signature of that key cannot count here, whatever it signs: what says so is not trusted.
    fn distrusts(&self, key: &Key) -> Result<Option<String>, Failure> {
        if let Some(problem) = self.trust.forbids_govern() {
            return Ok(Some(problem));
        }
        let present = self.present_signers()?;
        let is_named = !present.of(key).is_empty();
        let is_trusted = !self.trust.signers(present).of(key).is_empty();
        let file = &self.govern.allowed_signers;
        Ok((is_named && !is_trusted).then(|| trust::not_trusted(&format!("this key in {file}"))))
    }

    /// Adds the signature to those that are there, and approves if that is enough.
    fn approve_by(
        &self,
        stored: &Stored,
        patch: Option<&[u8]>,
        signed: &Signed,
        principal: Option<String>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let allowed = self.allowed_signers()?;
        let known = allowed.principal_of(&signed.key).map(str::to_owned);
        let principal = principal.or(known).unwrap_or_else(|| by.to_owned());
        let entry = SignatureEntry::new(&principal, signed);
        let earlier = self.signed_before(stored)?;
        let (document, verdict) = self.with_subject(&stored.record, patch, |subject| {
            let fresh = Document::signed(subject, entry.clone(), now());
            let document = match earlier.filter(|it| it.payload_hash == fresh.payload_hash) {
                Some(earlier) => earlier.with_signature(entry, now()),
                None => fresh,
            };
            let verdict =
                approval::verify_approval(&document, subject, &allowed, &self.policy, now());
            (document, verdict)
        });
        match verdict {
            Ok(approved) => self.approved(stored, &document, approved, &principal),
            Err(refusals) => {
                let waits = refusals.iter().all(|it| matches!(it, Refusal::SecondKey { .. }));
                let mut report = refused(stored, by, &refusals);
                if let (true, v1::DdsReport::Decide(decision)) = (waits, &mut report) {
                    decision.file = Some(self.write_approval(&document)?);
                    decision.by = signers(&document);
                }
                Ok(report)
            }
        }
    }

    /// Approves what a person typed the id of. The policy may forbid it.
    pub fn approve_typed(&self, id: &str, typed: &str, by: &str) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let Some(stored) = decidable(&dossier) else {
            return self.refuse_event(&dossier, by);
        };
        let id = &stored.record.id;
        let confirmation = match Confirmation::typed(id, typed) {
            Ok(confirmation) => confirmation,
            Err(error) => {
                return Ok(undecided(stored, by, error.to_string()));
            }
        };
        let verdict = self.with_subject(&stored.record, dossier.patch.as_deref(), |subject| {
            approval::approve_unsigned(&confirmation, by, subject, &self.policy, now())
        });
        match verdict {
            Ok((approved, document)) => self.approved(stored, &document, approved, by),
            Err(refusals) => Ok(refused(stored, by, &refusals)),
        }
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

    fn signing_key(&self, key: &KeyChoice) -> Result<SigningKey, Failure> {
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

    /// The first signature of a proposal that waits for its second.
    fn signed_before(&self, stored: &Stored) -> Result<Option<Document>, Failure> {
        let text = self.approval_text(&stored.record.id)?;
        let document = text.and_then(|it| Document::read(&it).ok());
        Ok(document.filter(|it| it.dds == stored.record.id && matches!(it.word, Word::Signed(_))))
    }

    /// A record whose status does not allow a decision. The attempt is in the audit trail; nobody signs anything.
    fn refuse_event(&self, dossier: &Dossier, by: &str) -> Result<v1::DdsReport, Failure> {
        let (id, status) = (dossier.entry.id(), dossier.entry.status());
        let problem = match &dossier.entry {
            Entry::Legacy(_) => of_before(id),
            Entry::Current(_) => format!("a record that is {status} cannot be approved"),
        };
        self.registry.borrow_mut().note_refusal(id, "approve", by, now(), &problem)?;
        Ok(decision(id, status, by, problem))
    }

    /// The file first: an approval that nobody can check must not be in the registry. A file without its line in the
    /// registry approves nothing.
    fn approved(
        &self,
        stored: &Stored,
        document: &Document,
        approved: Approved,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let file = self.write_approval(document)?;
        let details: Value =
            serde_json::from_str(&document.write()).expect("an approval is written as JSON");
        let expected = Expected::Version(stored.version);
        let event = Event::Approve(approved);
        let mut report = self.decide(&stored.record.id, &event, by, Some(&details), expected)?;
        if let v1::DdsReport::Decide(decision) = &mut report {
            decision.file = Some(file);
            decision.by = signers(document);
        }
        Ok(report)
    }

    fn write_approval(&self, document: &Document) -> Result<String, Failure> {
        let bytes = document.write().into_bytes();
        Ok(self.session.workspace.write_approval(document.dds.as_str(), &bytes)?.to_string())
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

fn of_before(id: &Id) -> String {
    format!("{id} is a legacy record: it can be read and exported, nothing else")
}

/// The record, if somebody can decide about it.
fn decidable(dossier: &Dossier) -> Option<&Stored> {
    match &dossier.entry {
        Entry::Current(stored) if stored.state.status == Status::Proposed => Some(stored),
        _ => None,
    }
}

fn refused(stored: &Stored, by: &str, refusals: &[Refusal]) -> v1::DdsReport {
    undecided(stored, by, reasons(refusals))
}

fn undecided(stored: &Stored, by: &str, problem: String) -> v1::DdsReport {
    decision(&stored.record.id, stored.state.status.name(), by, problem)
}

fn signers(document: &Document) -> Vec<String> {
    match &document.word {
        Word::Signed(signatures) => {
            signatures.iter().map(|it| format!("{} ({})", it.principal, it.fingerprint)).collect()
        }
        Word::Unsigned { by, .. } => vec![by.clone()],
    }
}

/// An error with what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
