//! Whether an approval holds: the bytes are those that were approved, every signature is one of them, every key is
//! allowed, and there are as many people as the policy asks for.
//!
//! A key is judged at the moment in the document, so that an approval outlives the time of the key that made it. That
//! moment is not signed, and who holds an expired key could write an earlier one: therefore a new approval is judged by
//! the clock as well, and an old one counts only because the registry's audit trail has it from when it was new.

use sshsig::{AllowedLine, AllowedSigners, Key, LineFault, SignatureError, allowed_line};

use super::confirm::Confirmation;
use super::document::{Document, Endorsement, SignatureEntry};
use super::keys::{NAMESPACE, check_signature};
use super::policy::{Policy, ScopeReach, Subject};
use super::statement::{Decision, Statement, expiry};
use super::{Approved, ValidApproval};
use crate::id::Id;
use crate::time::Moment;

/// A key that is allowed, under the name that it approved under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signer {
    /// The name.
    pub principal: String,
    /// The key, `SHA256:…`.
    pub fingerprint: String,
}

/// What an approved record or patch has become.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VoidReason {
    /// The record says something else.
    #[error("the record changed")]
    Record,
    /// The patch has other bytes.
    #[error("the attached patch changed")]
    Patch,
    /// The patch is gone.
    #[error("the attached patch was removed")]
    PatchGone,
    /// There was no patch.
    #[error("a patch was attached")]
    PatchAttached,
    /// The configuration says something else about the tool.
    #[error("the definition of its tool changed")]
    Tool,
    /// A program or script of the repository that the tool's command names has other bytes.
    #[error("a program that its tool runs changed")]
    Program,
    /// It was approved in another repository.
    #[error("the identity of the repository changed")]
    Repository,
    /// The record was removed and proposed once more.
    #[error("the record was proposed again")]
    Nonce,
    /// The statement says more or less than regreen writes.
    #[error("the statement changed")]
    Form,
}

/// Why an approval does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalRefusal {
    /// The scope or the patch reaches what no proposal may touch.
    #[error("{path} is in no scope: nothing that regreen runs may change .git or .regreen")]
    Never {
        /// The entry or path.
        path: String,
    },
    /// The document is about another record.
    #[error("this is the approval of {found}, not of {wanted}")]
    OtherRecord {
        /// The record in the document.
        found: Id,
        /// The record that is asked about.
        wanted: Id,
    },
    /// Something changed after the approval.
    #[error(
        "{difference} after it was approved, so the approval is void; it must be approved again"
    )]
    Void {
        /// What changed.
        difference: VoidReason,
    },
    /// It was given for a time, and that is over.
    #[error("the approval expired at {expires}; it must be approved again")]
    Outdated {
        /// When it ended.
        expires: Moment,
    },
    /// It says that it counts for longer than an approval may.
    #[error(
        "the approval says that it counts until {expires}, and [govern] approval_days ends it on {latest}; it must be \
         approved again"
    )]
    TooLong {
        /// When it says that it ends.
        expires: Moment,
        /// When one that was given then ends.
        latest: Moment,
    },
    /// The signature is none, or none of these bytes.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The document names another key than the signature does.
    #[error("the document says {written}, but the signature is by {found}")]
    OtherKey {
        /// The key in the document.
        written: String,
        /// The key in the signature.
        found: String,
    },
    /// The key is not in the allowed-signers file.
    #[error(
        "the key {fingerprint} is not allowed to approve; {who} can allow it with this line in {file}:\n{line}{}",
        also_unreadable(.unreadable)
    )]
    NotAllowed {
        /// The key.
        fingerprint: String,
        /// The allowed-signers file.
        file: String,
        /// The line that would allow it.
        line: String,
        /// Who can add it.
        who: String,
        /// What is wrong with lines of the file: the key may be on one of them.
        unreadable: Vec<LineFault>,
    },
    /// The key is allowed for other things.
    #[error(
        "line {line} allows the key {fingerprint} for {namespaces:?} only, not for regreen-dds"
    )]
    OtherNamespaces {
        /// The key.
        fingerprint: String,
        /// What it is allowed for.
        namespaces: String,
        /// The line of the allowed-signers file.
        line: usize,
    },
    /// The key is allowed under other names.
    #[error("line {line} allows the key {fingerprint} for {principals}, not for {principal:?}")]
    OtherPrincipal {
        /// The key.
        fingerprint: String,
        /// The name that it approved under.
        principal: String,
        /// The names that it may approve under.
        principals: String,
        /// The line of the allowed-signers file.
        line: usize,
    },
    /// The key is not allowed yet.
    #[error("line {line} allows the key {fingerprint} from {from} only, not at {at}")]
    NotYet {
        /// The key.
        fingerprint: String,
        /// When it becomes allowed.
        from: Moment,
        /// When it was used.
        at: Moment,
        /// The line of the allowed-signers file.
        line: usize,
    },
    /// The key is no longer allowed.
    #[error("line {line} allows the key {fingerprint} until {until} only, not at {at}")]
    Expired {
        /// The key.
        fingerprint: String,
        /// When it stopped being allowed.
        until: Moment,
        /// When it was used.
        at: Moment,
        /// The line of the allowed-signers file.
        line: usize,
    },
    /// The clock has not come there yet.
    #[error("the approval is dated {approved_at}, which is in the future")]
    Future {
        /// The moment in the document.
        approved_at: Moment,
    },
    /// The policy wants signatures.
    #[error("the policy requires a signature (require_signature), and this approval has none")]
    Unsigned,
    /// A typed word counts where it was typed, not where it is written.
    #[error("an unsigned approval is given by typing the id at a terminal, not by a document")]
    NotTyped,
    /// What was typed is about another record.
    #[error("{found} was typed, not {wanted}")]
    OtherConfirmation {
        /// What was typed.
        found: String,
        /// The record.
        wanted: Id,
    },
    /// Nobody said yes.
    #[error("nobody approved it")]
    Nobody,
    /// Who gave the word took it back.
    #[error("the approval was withdrawn; it must be approved again")]
    Withdrawn,
    /// Those who own what it could touch have not approved it, or not enough of them.
    #[error(
        "{path} needs {needed} approval{} by {}, and has {found} ([[govern.owners]])",
        if *.needed == 1 { "" } else { "s" },
        if .keys.is_empty() { "different people".to_owned() } else { .keys.join(", ") }
    )]
    Quorum {
        /// The entry or path.
        path: String,
        /// How many of them must.
        needed: usize,
        /// How many did.
        found: usize,
        /// Who they are, by name or fingerprint; anybody, if empty.
        keys: Vec<String>,
    },
    /// What governs proposals needs two people.
    #[error(
        "{path} could touch what governs proposals ({protected}): two different people must sign, each with a key of \
         their own, and {n_signers} did"
    )]
    SecondKey {
        /// The entry or path.
        path: String,
        /// What protects it.
        protected: String,
        /// How many did.
        n_signers: usize,
    },
}

/// Clocks of two machines may differ by so much.
const CLOCK_SKEW_SECONDS: i64 = 600;

/// Whether the record can still be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// It can.
    Open,
    /// It has ended: what it was to be carried out with may be another by now, and the time of its approval is over.
    Ended,
}

/// The word that a signed document carries, judged as one that is given now: its key must be allowed at the moment in the
/// document and by the clock. The documents that are there already count as [`recheck`] says; if all of them together are
/// not enough, what is missing is the only refusal. Every reason against the new one is said.
pub fn verify_approval(
    document: &Document,
    others: &[Document],
    subject: &Subject<'_>,
    allowed: &AllowedSigners,
    policy: &Policy,
    now: Moment,
) -> Result<Approved, Vec<ApprovalRefusal>> {
    let case = Case { document, subject, allowed, policy, now, stage: Stage::Open };
    let mut refusals = case.binding();
    if let Endorsement::Unsigned { .. } = &document.word {
        refusals.push(ApprovalRefusal::NotTyped);
    }
    let reach = policy.reach(subject);
    refusals.extend(never(&reach));
    if is_withdrawn(document, others) {
        refusals.push(ApprovalRefusal::Withdrawn);
    }
    let mut held = case.judge(&[document.approved_at, now], refusals)?;
    let mut lacking = missing(&held, &reach, allowed, policy);
    // Of those who said yes before, as many are asked as are needed: however many there are, one more costs the same.
    for other in others.iter().filter(|it| it.statement.decision() == Decision::Approval) {
        if lacking.is_empty() {
            break;
        }
        let case = Case { document: other, ..case };
        if let Ok(other) = case.judge_among(others) {
            held.add(other);
            lacking = missing(&held, &reach, allowed, policy);
        }
    }
    if lacking.is_empty() { Ok(Approved { held }) } else { Err(lacking) }
}

/// Whether a document by which somebody says no, or takes a yes back, is one about this record by somebody who may: who.
pub fn verify_no(
    document: &Document,
    subject: &Subject<'_>,
    allowed: &AllowedSigners,
    policy: &Policy,
    now: Moment,
) -> Result<String, Vec<ApprovalRefusal>> {
    let case = Case { document, subject, allowed, policy, now, stage: Stage::Open };
    let moments = [document.approved_at, now];
    case.judge(&moments, case.binding()).map(|held| held.by)
}

/// The word that somebody typed, and the document that records it.
pub fn approve_unsigned(
    confirmation: &Confirmation,
    by: &str,
    statement: Statement,
    subject: &Subject<'_>,
    policy: &Policy,
    now: Moment,
) -> Result<(Approved, Document), Vec<ApprovalRefusal>> {
    let document = Document::unsigned(statement, by, confirmation, now);
    let nobody = AllowedSigners::default();
    let stage = Stage::Open;
    let case = Case { document: &document, subject, allowed: &nobody, policy, now, stage };
    let reach = policy.reach(subject);
    let mut refusals = case.binding();
    refusals.extend(never(&reach));
    let judged = case.judge(&[now], refusals);
    let mut refusals = judged.as_ref().err().cloned().unwrap_or_default();
    let is_bound = !refusals
        .iter()
        .any(|it| matches!(it, ApprovalRefusal::Void { .. } | ApprovalRefusal::OtherRecord { .. }));
    let empty = case.held(Vec::new());
    if is_bound {
        refusals.extend(missing(judged.as_ref().unwrap_or(&empty), &reach, &nobody, policy));
    }
    match judged {
        Ok(held) if refusals.is_empty() => Ok((Approved { held }, document)),
        _ => Err(refusals),
    }
}

/// Whether the stored approvals of a record still hold, for the record and the patch as they are. It makes no word: nothing
/// becomes approved by being checked. Keys are judged at the moment in their document. A document that does not hold counts
/// for nothing; why not is said where the others are not enough.
pub fn recheck(
    documents: &[Document],
    subject: &Subject<'_>,
    allowed: &AllowedSigners,
    policy: &Policy,
    now: Moment,
    stage: Stage,
) -> Result<ValidApproval, Vec<ApprovalRefusal>> {
    let reach = policy.reach(subject);
    let (mut held, mut refusals) = valid(documents, subject, allowed, policy, now, stage);
    let mut all = held.drain(..);
    let Some(mut first) = all.next() else {
        refusals.extend(never(&reach));
        if refusals.is_empty() {
            refusals.push(ApprovalRefusal::Nobody);
        }
        return Err(refusals);
    };
    all.for_each(|it| first.add(it));
    let mut missing = missing(&first, &reach, allowed, policy);
    missing.extend(never(&reach));
    if missing.is_empty() {
        return Ok(first);
    }
    refusals.extend(missing);
    Err(refusals)
}

/// The approvals that hold, one per document, and everything that is wrong with the others.
fn valid(
    documents: &[Document],
    subject: &Subject<'_>,
    allowed: &AllowedSigners,
    policy: &Policy,
    now: Moment,
    stage: Stage,
) -> (Vec<ValidApproval>, Vec<ApprovalRefusal>) {
    let (mut held, mut refusals) = (Vec::new(), Vec::new());
    for document in documents.iter().filter(|it| it.statement.decision() == Decision::Approval) {
        let case = Case { document, subject, allowed, policy, now, stage };
        match case.judge_among(documents) {
            Ok(it) => held.push(it),
            Err(found) => refusals.extend(found),
        }
    }
    (held, refusals)
}

/// Whether the same person took exactly this word back. Who takes a word back needs no permission any more, only the key.
fn is_withdrawn(document: &Document, documents: &[Document]) -> bool {
    let hash = document.statement.hash();
    documents.iter().any(|it| {
        it.statement.withdraws() == Some(&hash)
            && it.person() == document.person()
            && it.has_own_signatures()
    })
}

/// What no approval makes right.
fn never(reach: &ScopeReach) -> Vec<ApprovalRefusal> {
    reach.never.iter().map(|path| ApprovalRefusal::Never { path: path.clone() }).collect()
}

/// Who must approve as well.
fn missing(
    held: &ValidApproval,
    reach: &ScopeReach,
    allowed: &AllowedSigners,
    policy: &Policy,
) -> Vec<ApprovalRefusal> {
    let mut missing = Vec::new();
    let n_signers = n_people(allowed, held.signers.iter(), 2);
    if n_signers < 2 {
        missing.extend(reach.protected.iter().map(|(path, protected)| {
            ApprovalRefusal::SecondKey {
                path: path.clone(),
                protected: protected.clone(),
                n_signers,
            }
        }));
    }
    for (idx, owner) in policy.owners().iter().enumerate() {
        let Some((path, _)) = reach.owned.iter().find(|it| it.1 == idx) else { continue };
        let is_owner = |signer: &&Signer| {
            owner.keys.is_empty()
                || owner.keys.iter().any(|key| {
                    key.eq_ignore_ascii_case(&signer.principal) || *key == signer.fingerprint
                })
        };
        let found = n_people(allowed, held.signers.iter().filter(is_owner), owner.approvals);
        if found < owner.approvals {
            missing.push(ApprovalRefusal::Quorum {
                path: path.clone(),
                needed: owner.approvals,
                found,
                keys: owner.keys.clone(),
            });
        }
    }
    missing
}

/// How many different people signed, at least: who could be somebody that was counted already is not counted. Nobody is
/// counted beyond what is needed.
fn n_people<'a>(
    allowed: &AllowedSigners,
    signers: impl Iterator<Item = &'a Signer>,
    needed: usize,
) -> usize {
    let mut people: Vec<&Signer> = Vec::new();
    for signer in signers {
        if people.len() >= needed {
            break;
        }
        if people.iter().all(|it| are_different_people(allowed, it, signer)) {
            people.push(signer);
        }
    }
    people.len()
}

/// Two keys, and neither is allowed under the name of the other: a line for `*`, or for two names, is not proof that a second
/// person was there.
pub(super) fn are_different_people(allowed: &AllowedSigners, one: &Signer, other: &Signer) -> bool {
    let may_be = |key: &Signer, name: &Signer| {
        allowed
            .lines
            .iter()
            .filter(|it| it.key.fingerprint() == key.fingerprint)
            .any(|it| it.is_for(&name.principal))
    };
    one.fingerprint != other.fingerprint
        && !one.principal.eq_ignore_ascii_case(&other.principal)
        && !may_be(one, other)
        && !may_be(other, one)
}

/// The key and name behind one signature, if it is one of the bytes and its key is allowed at all of the moments.
/// Without a name it is the first that the allowed-signers file has in full for the key.
pub fn verify(
    armored: &str,
    principal: Option<&str>,
    bytes: &[u8],
    allowed: &AllowedSigners,
    policy: &Policy,
    moments: &[Moment],
) -> Result<Signer, ApprovalRefusal> {
    let key = check_signature(armored, bytes)?;
    let fingerprint = key.fingerprint();
    let lines = allowed.of(&key);
    let Some(first) = lines.first() else {
        return Err(not_allowed(&key, principal, allowed, policy));
    };
    let for_approvals: Vec<&AllowedLine> =
        lines.iter().copied().filter(|it| it.is_for_namespace(NAMESPACE)).collect();
    let Some(first_for_approvals) = for_approvals.first() else {
        let namespaces = first.namespaces.clone().unwrap_or_default();
        return Err(ApprovalRefusal::OtherNamespaces {
            fingerprint,
            namespaces,
            line: first.number,
        });
    };
    let principal =
        principal.or_else(|| allowed.principal_of(&key, NAMESPACE)).unwrap_or_default().to_owned();
    let named: Vec<&AllowedLine> =
        for_approvals.iter().copied().filter(|it| it.is_for(&principal)).collect();
    if named.is_empty() {
        let principals = first_for_approvals.principals.clone();
        let line = first_for_approvals.number;
        return Err(ApprovalRefusal::OtherPrincipal { fingerprint, principal, principals, line });
    };
    let mut refusal = None;
    for line in named {
        match out_of_time(line, &fingerprint, moments) {
            None => return Ok(Signer { principal, fingerprint }),
            Some(found) => refusal = refusal.or(Some(found)),
        }
    }
    Err(refusal.unwrap_or_else(|| not_allowed(&key, Some(&principal), allowed, policy)))
}

fn not_allowed(
    key: &Key,
    principal: Option<&str>,
    allowed: &AllowedSigners,
    policy: &Policy,
) -> ApprovalRefusal {
    let names: Vec<&str> = allowed
        .lines
        .iter()
        .filter(|it| it.is_for_namespace(NAMESPACE))
        .map(|it| it.principals.as_str())
        .collect();
    let who = if names.is_empty() {
        "whoever owns the repository".to_owned()
    } else {
        format!("one of those who may approve ({})", names.join(", "))
    };
    let line = principal.and_then(|it| allowed_line(NAMESPACE, it, key).ok());
    let line = line.or_else(|| allowed_line(NAMESPACE, "NAME", key).ok()).unwrap_or_default();
    let file = policy.allowed_signers().to_string();
    let unreadable = allowed.faults.clone();
    ApprovalRefusal::NotAllowed { fingerprint: key.fingerprint(), file, line, who, unreadable }
}

fn also_unreadable(faults: &[LineFault]) -> String {
    let shown: Vec<String> = faults.iter().take(3).map(ToString::to_string).collect();
    if shown.is_empty() {
        return String::new();
    }
    format!("\nlines that cannot be read allow nobody: {}", shown.join("; "))
}

/// What a line has against one of the moments.
fn out_of_time(
    line: &AllowedLine,
    fingerprint: &str,
    moments: &[Moment],
) -> Option<ApprovalRefusal> {
    let at = moments.iter().copied().find(|it| !line.holds_at(it.timestamp()))?;
    let (fingerprint, number) = (fingerprint.to_owned(), line.number);
    match (line.valid_after.map(Moment::of), line.valid_before.map(Moment::of)) {
        (Some(from), _) if at < from => {
            Some(ApprovalRefusal::NotYet { fingerprint, from, at, line: number })
        }
        (_, Some(until)) => Some(ApprovalRefusal::Expired { fingerprint, until, at, line: number }),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Case<'a> {
    document: &'a Document,
    subject: &'a Subject<'a>,
    allowed: &'a AllowedSigners,
    policy: &'a Policy,
    now: Moment,
    stage: Stage,
}

impl Case<'_> {
    /// What keeps the document from being one about this record and these bytes.
    fn binding(&self) -> Vec<ApprovalRefusal> {
        let (document, subject) = (self.document, self.subject);
        let (record, said) = (subject.record, &document.statement);
        if document.dds != record.id {
            let (found, wanted) = (document.dds.clone(), record.id.clone());
            return vec![ApprovalRefusal::OtherRecord { found, wanted }];
        }
        let difference = match said.decision() {
            Decision::Approval
                if self.stage == Stage::Ended && said.is_about(record, subject.patch) =>
            {
                None
            }
            Decision::Approval => {
                let expires = said.expires().unwrap_or(self.now);
                said.difference(&subject.statement(expires))
            }
            // A no is one of the record, whatever is attached to it since.
            Decision::Rejection | Decision::Withdrawal => {
                said.other_matter(record, subject.context)
            }
        };
        difference.map(|difference| ApprovalRefusal::Void { difference }).into_iter().collect()
    }

    /// Whether the document holds beside all that was said about the record, judged by the moment in it.
    fn judge_among(&self, documents: &[Document]) -> Result<ValidApproval, Vec<ApprovalRefusal>> {
        let mut refusals = self.binding();
        if is_withdrawn(self.document, documents) {
            refusals.push(ApprovalRefusal::Withdrawn);
        }
        self.judge(&[self.document.approved_at], refusals)
    }

    /// The signatures are looked at only where the document is about these bytes: else each would fail, and say less.
    fn judge(
        &self,
        moments: &[Moment],
        mut refusals: Vec<ApprovalRefusal>,
    ) -> Result<ValidApproval, Vec<ApprovalRefusal>> {
        if self.document.approved_at > self.now.plus_seconds(CLOCK_SKEW_SECONDS) {
            refusals.push(ApprovalRefusal::Future { approved_at: self.document.approved_at });
        }
        let expires = self.document.statement.expires().filter(|_| self.stage == Stage::Open);
        if let Some(expires) = expires.filter(|it| *it <= self.now) {
            refusals.push(ApprovalRefusal::Outdated { expires });
        }
        // Who signs says how long it counts, and the policy how long it may.
        let latest = expiry(self.document.approved_at, self.policy.approval_days());
        if let Some(expires) = expires.filter(|it| *it > latest) {
            refusals.push(ApprovalRefusal::TooLong { expires, latest });
        }
        let is_bound = !refusals.iter().any(|it| {
            matches!(it, ApprovalRefusal::Void { .. } | ApprovalRefusal::OtherRecord { .. })
        });
        let mut signers = Vec::new();
        match &self.document.word {
            Endorsement::Unsigned { confirmation, .. } => {
                if self.policy.require_signature() {
                    refusals.push(ApprovalRefusal::Unsigned);
                }
                if is_bound && confirmation != self.document.dds.as_str() {
                    let (found, wanted) = (confirmation.clone(), self.document.dds.clone());
                    refusals.push(ApprovalRefusal::OtherConfirmation { found, wanted });
                }
            }
            Endorsement::Signed(signatures) if signatures.is_empty() => {
                refusals.push(ApprovalRefusal::Unsigned)
            }
            Endorsement::Signed(signatures) if is_bound => {
                let bytes = self.document.statement.bytes();
                for entry in signatures {
                    match self.signer(entry, &bytes, moments) {
                        Ok(signer) => signers.push(signer),
                        Err(refusal) => refusals.push(refusal),
                    }
                }
            }
            Endorsement::Signed(_) => {}
        }
        if refusals.is_empty() { Ok(self.held(signers)) } else { Err(refusals) }
    }

    fn signer(
        &self,
        entry: &SignatureEntry,
        bytes: &[u8],
        moments: &[Moment],
    ) -> Result<Signer, ApprovalRefusal> {
        let principal = Some(entry.principal.as_str());
        let signer =
            verify(&entry.signature, principal, bytes, self.allowed, self.policy, moments)?;
        if signer.fingerprint != entry.fingerprint {
            let (written, found) = (entry.fingerprint.clone(), signer.fingerprint);
            return Err(ApprovalRefusal::OtherKey { written, found });
        }
        Ok(signer)
    }

    fn held(&self, signers: Vec<Signer>) -> ValidApproval {
        let by = match &self.document.word {
            Endorsement::Unsigned { by, .. } => by.clone(),
            Endorsement::Signed(_) => {
                signers.iter().map(|it| it.principal.as_str()).collect::<Vec<_>>().join(", ")
            }
        };
        ValidApproval {
            dds: self.document.dds.clone(),
            statements: vec![self.document.statement.clone()],
            by,
            signers,
            approved_at: self.document.approved_at,
        }
    }
}

impl ValidApproval {
    /// The approval together with that of somebody else.
    fn add(&mut self, other: ValidApproval) {
        self.statements.extend(other.statements);
        self.signers.extend(other.signers);
        self.by = format!("{}, {}", self.by, other.by);
        self.approved_at = self.approved_at.max(other.approved_at);
    }
}
