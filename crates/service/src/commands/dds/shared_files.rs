//! Proposals that travel by git: what is decided here is written to files under `.regreen` that are committed, and what a
//! pull brought is taken over. Every file is checked like a stranger's; one that does not hold is named and never acted on
//! (X-44, X-110).
//!
//! ```text
//! proposals/ID.HASH.json  a record, with .patch or .plan-HASH.json beside it   add, fix --propose, worker, plan
//! approvals/ID/WHO.json   what one person said last                           approve, reject, withdraw
//! comments/ID/HASH.json   what somebody said                                  comment
//! receipts/ID.HASH.json   how a run ended, written with its change            run
//! ```
//!
//! With a registry on a server that registry decides, and the files are only written.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use govern::approval::{
    self, AllowedSigners, ApprovalRefusal, Context, Decision, Document, Endorsement,
};
use govern::lifecycle::{Event, ExecutionOutcome};
use govern::registry::{
    AddError, Arrival, DuplicateCorrection, Expected, HappenError, RecordChange, RecordDetails,
    RegistryEntry, Stored,
};
use govern::travel::{CommentFile, ProposalFile, Receipt};
use govern::{Id, Record, Report, Status};
use protocol::v1;
use serde_json::json;

use crate::commands::dds::decide::{Decided, waits};
use crate::commands::dds::statement::documents;
use crate::commands::dds::{ProposalRegistry, now, shared};
use crate::failure::Failure;
use crate::session::Session;

/// Who takes over what a pull brought, in the audit trail.
const GIT: &str = "git";
/// How many files of one kind are taken over at once.
const MOST_FILES: usize = 100_000;

/// What came by git.
#[derive(Clone, Default, Debug)]
pub(super) struct SyncReport {
    /// What was taken over, each with the record.
    taken: Vec<v1::DdsTaken>,
    /// What does not hold, each with its file.
    problems: Vec<v1::DdsProblem>,
}

impl SyncReport {
    fn take(&mut self, id: &str, what: impl Into<String>) {
        self.taken.push(v1::DdsTaken { id: id.to_owned(), what: what.into() });
    }

    fn refuse(&mut self, name: &str, message: impl Into<String>) {
        self.problems.push(v1::DdsProblem { place: shared(name), message: message.into() });
    }
}

/// Whether the work tree has files that travel: what a command that only looks may have to take over first.
pub fn has_files(session: &Session) -> bool {
    session.workspace.has_shared()
}

/// What a person said, by the name of the file; or what is wrong with that.
type ReadEndorsement = (String, Result<Document, String>);

/// A proposal that came by git, whole.
struct Incoming {
    name: String,
    proposal: ProposalFile,
    record: Record,
    patch: Option<Vec<u8>>,
}

/// Who stays of two that cannot both: the one with a receipt, else with more approvals that hold, else with the lower hash.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    has_receipt: bool,
    n_approvals: usize,
    hash: std::cmp::Reverse<String>,
}

/// Many changes of the registry that reach the disk together. What was not settled when this goes out of use is lost with the
/// process, and taken over again by the next one.
struct Bulk<'a> {
    proposals: &'a ProposalRegistry<'a>,
    /// How many changes wait; `None` where each is settled by itself.
    n_waiting: Option<Cell<usize>>,
}

impl<'a> Bulk<'a> {
    /// How many changes wait before they are settled, so that others get their turn.
    const MOST: usize = 500;
    /// Fewer than so many are not worth holding up others.
    const LEAST: usize = 8;

    fn of(proposals: &'a ProposalRegistry<'a>, n_changes: usize) -> Result<Bulk<'a>, Failure> {
        let n_waiting = (n_changes >= Bulk::LEAST).then(|| Cell::new(0));
        if n_waiting.is_some() {
            proposals.registry.borrow_mut().begin_bulk()?;
        }
        Ok(Bulk { proposals, n_waiting })
    }

    /// One more change is about to be made.
    fn step(&self) -> Result<(), Failure> {
        let Some(n_waiting) = &self.n_waiting else { return Ok(()) };
        n_waiting.set(n_waiting.get() + 1);
        if n_waiting.get() > Bulk::MOST { self.settle() } else { Ok(()) }
    }

    /// Brings what waits to the disk.
    fn settle(&self) -> Result<(), Failure> {
        let Some(n_waiting) = &self.n_waiting else { return Ok(()) };
        n_waiting.set(0);
        let mut registry = self.proposals.registry.borrow_mut();
        registry.end_bulk()?;
        Ok(registry.begin_bulk()?)
    }

    fn end(self) -> Result<(), Failure> {
        if self.n_waiting.is_some() {
            self.proposals.registry.borrow_mut().end_bulk()?;
        }
        Ok(())
    }
}

impl ProposalRegistry<'_> {
    /// What was taken over when the registry was opened.
    pub fn taken(&self) -> Vec<v1::DdsTaken> {
        self.news.borrow().taken.clone()
    }

    /// The files that do not hold, each with the reason.
    pub fn unheld_files(&self) -> Vec<v1::DdsProblem> {
        self.news.borrow().problems.clone()
    }

    /// The repository and the number of the record, which is all that a no is bound to beside the record.
    pub(super) fn bare_context(&self, base: &str) -> Result<Context, String> {
        let repository = self.repository.borrow().clone();
        let repository = repository.ok_or_else(|| {
            format!(
                "{} does not exist, so the repository cannot be identified",
                workspace::repository_path()
            )
        })?;
        Ok(Context { repository, nonce: format!("{base}-0"), ..Context::default() })
    }

    /// Writes a file that travels, and remembers that it is ours.
    pub(super) fn share(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.session.workspace.write_shared(name, bytes)?;
        self.registry.borrow_mut().note_files(&[handled(name, bytes)])?;
        Ok(())
    }

    fn proposal(&self, stored: &Stored, patch: Option<&[u8]>) -> Option<ProposalFile> {
        let repository = self.repository.borrow().clone()?;
        Some(ProposalFile::new(&stored.record, patch, &repository, &stored.nonce))
    }

    /// Writes a proposal that was stored. What stands beside it comes first: whoever sees the proposal sees all of it.
    pub(super) fn publish(&self, stored: &Stored, patch: Option<&[u8]>) -> Result<(), Failure> {
        let Some(proposal) = self.proposal(stored, patch) else { return Ok(()) };
        if let Some(bytes) = patch {
            self.share(&proposal.patch_name(), bytes)?;
        }
        self.share(&proposal.name(), proposal.write().as_bytes())
    }

    /// Writes what was planned, in place of an earlier plan.
    pub(super) fn publish_plan(&self, stored: &Stored, plan: &[u8]) -> Result<(), Failure> {
        let Some(proposal) = self.proposal(stored, None) else { return Ok(()) };
        let name = proposal.plan_name(plan);
        self.share(&name, plan)?;
        for (earlier, _) in self.plans(&proposal)? {
            if earlier != name {
                self.session.workspace.remove_shared(&earlier)?;
            }
        }
        Ok(())
    }

    /// The plans beside a proposal, by the names of their files.
    fn plans(&self, proposal: &ProposalFile) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let stem = format!("{}.plan-", proposal.stem());
        let mut plans = Vec::new();
        for name in self.files_in("proposals")? {
            if !name.starts_with(&stem) {
                continue;
            }
            if let Some(bytes) = self.read_file(&name)?.filter(|it| proposal.plan_name(it) == name)
            {
                plans.push((name, bytes));
            }
        }
        Ok(plans)
    }

    /// The receipt of a run.
    pub(super) fn receipt(
        &self,
        record: &Record,
        dossier: &RecordDetails,
        report: &Report,
        result: &str,
    ) -> Option<(String, Vec<u8>)> {
        let RegistryEntry::Current(stored) = &dossier.entry else { return None };
        let is_plan = dossier.history.iter().any(|it| it.event == "plan");
        let patch = dossier.patch.as_deref().filter(|_| !is_plan);
        let said = documents(dossier);
        let approvals = said.iter().filter(|it| it.statement.decision() == Decision::Approval);
        let receipt = Receipt {
            proposal: self.proposal(stored, patch)?.hash(),
            statements: approvals
                .map(|it| it.statement.hash())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            result: result.to_owned(),
            report: Report { dds: record.id.clone(), transaction: None, ..report.clone() },
        };
        Some((receipt.name(), receipt.write().into_bytes()))
    }

    fn files_in(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let names = self.session.workspace.list_shared(folder);
        let names = names.map_err(workspace::CommitError::from)?;
        Ok(names.into_iter().take(MOST_FILES).map(|it| format!("{folder}/{it}")).collect())
    }

    fn read_file(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.session.workspace.read_shared(name).map_err(workspace::CommitError::from)?)
    }

    /// Takes over what is new, and names what does not hold.
    pub(super) fn take_over(&self) -> Result<(), Failure> {
        let is_own =
            self.repository.borrow().is_some() && self.trust.forbids_repository().is_none();
        if self.is_shared || !self.session.may_write() || !is_own || !has_files(self.session) {
            return Ok(());
        }
        let known = self.registry.borrow_mut().files()?;
        let receipts = self.new_receipts(&known)?;
        let mut new = self.files_in("proposals")?;
        new.retain(|it| !known.contains(it));
        let waiting = self.new_proposals(&new)?;
        // A clone of a repository that is old brings thousands at once.
        let bulk = Bulk::of(self, waiting.len() + receipts.len())?;
        self.take_new(&known, &new, waiting, &receipts, &bulk)?;
        bulk.end()
    }

    fn take_new(
        &self,
        known: &BTreeSet<String>,
        new: &[String],
        mut waiting: Vec<Incoming>,
        receipts: &[(String, Receipt)],
        bulk: &Bulk<'_>,
    ) -> Result<(), Failure> {
        // A correction waits for its source, which may come with it and be closed by a receipt.
        loop {
            let n_waiting = waiting.len();
            let mut left = Vec::new();
            for incoming in waiting {
                bulk.step()?;
                if let Some(incoming) = self.take_proposal(incoming, receipts, bulk)? {
                    left.push(incoming);
                }
            }
            self.take_words(known, new)?;
            bulk.step()?;
            self.take_receipts(receipts, bulk)?;
            waiting = left;
            if waiting.len() == n_waiting || waiting.is_empty() {
                break;
            }
        }
        for (incoming, problem) in waiting.iter().map(|it| (it, self.faults(it))) {
            let problem = problem.unwrap_or_else(|| "it waits for its source".to_owned());
            self.news.borrow_mut().refuse(&incoming.name, problem);
        }
        self.take_comments(known)
    }

    fn new_receipts(&self, known: &BTreeSet<String>) -> Result<Vec<(String, Receipt)>, Failure> {
        let mut receipts = Vec::new();
        for name in self.files_in("receipts")? {
            if known.contains(&name) || name.ends_with('/') {
                continue;
            }
            let Some(bytes) = self.read_file(&name)? else { continue };
            match Receipt::read(&name, &bytes) {
                Ok(receipt) => receipts.push((name, receipt)),
                Err(problem) => self.news.borrow_mut().refuse(&name, problem),
            }
        }
        Ok(receipts)
    }

    fn new_proposals(&self, new: &[String]) -> Result<Vec<Incoming>, Failure> {
        let mut found = Vec::new();
        for name in new.iter().filter(|it| it.ends_with(".json") && !it.contains(".plan-")) {
            let Some(bytes) = self.read_file(name)? else { continue };
            match self.read_proposal(name, &bytes)? {
                Ok(incoming) => found.push(incoming),
                Err(problem) => self.news.borrow_mut().refuse(name, problem),
            }
        }
        Ok(found)
    }

    /// A proposal with its patch, if it is one of this repository and whole.
    fn read_proposal(&self, name: &str, bytes: &[u8]) -> Result<Result<Incoming, String>, Failure> {
        let proposal = match ProposalFile::read(name, bytes) {
            Ok(proposal) => proposal,
            Err(problem) => return Ok(Err(problem)),
        };
        if self.repository.borrow().as_deref() != Some(&proposal.repository) {
            return Ok(Err(
                "it was made in another repository; propose it here, or take the file away"
                    .to_owned(),
            ));
        }
        if let Some(fault) = self.other_project(&proposal.record) {
            return Ok(Err(fault.message));
        }
        let read = govern::shape::read(&proposal.record);
        let Some(record) = read.record.filter(|_| read.faults.is_empty()) else {
            let faults: Vec<String> =
                read.faults.iter().map(|it| format!("{}: {}", it.pointer, it.message)).collect();
            return Ok(Err(faults.join("; ")));
        };
        let patch = match &proposal.patch {
            None => None,
            Some(hex) => match self.read_file(&proposal.patch_name())? {
                Some(bytes) if approval::sha256(&bytes) == *hex => Some(bytes),
                Some(_) => return Ok(Err("the patch beside it has other bytes".to_owned())),
                None => return Ok(Err("the patch beside it is missing".to_owned())),
            },
        };
        Ok(Ok(Incoming { name: name.to_owned(), proposal, record, patch }))
    }

    /// Stores a proposal that came; gives it back if it cannot be taken yet.
    fn take_proposal(
        &self,
        incoming: Incoming,
        receipts: &[(String, Receipt)],
        bulk: &Bulk<'_>,
    ) -> Result<Option<Incoming>, Failure> {
        let id = &incoming.record.id;
        let own = self.registry.borrow_mut().get(id)?;
        let mut displaces = false;
        if let Some(own) = own {
            let RegistryEntry::Current(stored) = &own.entry else {
                let problem = "a legacy record has its id";
                self.news.borrow_mut().refuse(&incoming.name, problem);
                return Ok(None);
            };
            let Some(there) = self.own_proposal(stored, &own) else { return Ok(None) };
            if there.hash() == incoming.proposal.hash() {
                self.registry.borrow_mut().note_files(std::slice::from_ref(&incoming.name))?;
                return Ok(None);
            }
            if self.rank_of_own(stored, &own, &there, receipts) > self.rank(&incoming, receipts)? {
                let problem = format!(
                    "its id belongs to another record, which keeps it; `regreen dds list`, run by the person who proposed this one, gives it a new id: {}",
                    shared(&there.name())
                );
                self.news.borrow_mut().refuse(&incoming.name, problem);
                return Ok(None);
            }
            displaces = true;
        }
        let twin = self.twin(&incoming, displaces, receipts)?;
        let twin = match &twin {
            None => DuplicateCorrection::None,
            Some((true, reason)) => DuplicateCorrection::Stays(reason),
            Some((false, reason)) => DuplicateCorrection::Loses(reason),
        };
        let arrival = Arrival {
            value: &incoming.proposal.record,
            patch: incoming.patch.as_deref(),
            nonce: &incoming.proposal.nonce,
            displaces,
            twin,
        };
        let arrived = self.registry.borrow_mut().arrive(&arrival, GIT, now());
        let displaced = match arrived {
            Ok((_, displaced)) => displaced,
            Err(AddError::Faults { .. }) => return Ok(Some(incoming)),
            Err(AddError::Registry(govern::registry::RegistryError::Busy { .. })) => {
                return Ok(Some(incoming));
            }
            Err(AddError::Registry(error)) => return Err(error.into()),
            Err(error) => {
                self.news.borrow_mut().refuse(&incoming.name, error.to_string());
                return Ok(None);
            }
        };
        self.registry.borrow_mut().note_files(std::slice::from_ref(&incoming.name))?;
        self.news.borrow_mut().take(id.as_str(), "proposed");
        if let Some(displaced) = displaced {
            // Files follow what is stored, and never the other way round.
            bulk.settle()?;
            self.republish(id, &displaced)?;
        }
        Ok(None)
    }

    /// Why a proposal cannot be stored.
    fn faults(&self, incoming: &Incoming) -> Option<String> {
        let source = incoming.record.source()?;
        match self.registry.borrow_mut().entry(source) {
            Ok(Some(entry)) if entry.status() != "failed" => {
                Some(format!("its source {source} is {}, and has not failed", entry.status()))
            }
            Ok(Some(_)) => Some(format!("it breaks the rules for corrections of {source}")),
            Ok(None) => Some(format!("its source {source} does not exist")),
            Err(_) => None,
        }
    }

    /// Writes a record of ours anew that had to give up its name, and takes its files away.
    fn republish(&self, old: &Id, new: &Id) -> Result<(), Failure> {
        let dossier = self.dossier(new.as_str())?;
        let RegistryEntry::Current(stored) = &dossier.entry else { return Ok(()) };
        let is_plan = dossier.history.iter().any(|it| it.event == "plan");
        let patch = dossier.patch.as_deref().filter(|_| !is_plan);
        self.publish(stored, patch)?;
        if let Some(plan) = dossier.patch.as_deref().filter(|_| is_plan) {
            self.publish_plan(stored, plan)?;
        }
        // Under the old name it would only be refused by everybody.
        if let Some(repository) = self.repository.borrow().as_deref() {
            let record = Record { id: old.clone(), ..stored.record.clone() };
            let former = ProposalFile::new(&record, patch, repository, &stored.nonce);
            self.session.workspace.remove_shared(&former.name())?;
            self.session.workspace.remove_shared(&former.patch_name())?;
            for (name, _) in self.plans(&former)? {
                self.session.workspace.remove_shared(&name)?;
            }
        }
        self.news
            .borrow_mut()
            .take(new.as_str(), format!("was {old}, which is the name of another"));
        Ok(())
    }

    fn own_proposal(&self, stored: &Stored, dossier: &RecordDetails) -> Option<ProposalFile> {
        let is_plan = dossier.history.iter().any(|it| it.event == "plan");
        self.proposal(stored, dossier.patch.as_deref().filter(|_| !is_plan))
    }

    fn rank_of_own(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
        proposal: &ProposalFile,
        receipts: &[(String, Receipt)],
    ) -> Rank {
        let is_over = matches!(stored.state.status, Status::Executed | Status::Failed);
        let n_approvals = match self.approval_stands(stored, dossier) {
            Ok(held) => held.statements().len(),
            Err(_) => 0,
        };
        Rank {
            has_receipt: is_over || has_receipt(receipts, proposal),
            n_approvals,
            hash: std::cmp::Reverse(proposal.hash()),
        }
    }

    fn rank(&self, incoming: &Incoming, receipts: &[(String, Receipt)]) -> Result<Rank, Failure> {
        let id = &incoming.record.id;
        let mut n_approvals = 0;
        for (_, document) in self.said(id)? {
            let is_held = document.is_ok_and(|document| {
                self.judge_word(&document, &[], incoming).is_ok_and(|it| it.is_empty())
            });
            n_approvals += usize::from(is_held);
        }
        Ok(Rank {
            has_receipt: has_receipt(receipts, &incoming.proposal),
            n_approvals,
            hash: std::cmp::Reverse(incoming.proposal.hash()),
        })
    }

    /// Whether an approval of a proposal that came holds; an empty list of refusals, or only that more people are needed.
    fn judge_word(
        &self,
        document: &Document,
        others: &[Document],
        incoming: &Incoming,
    ) -> Result<Vec<ApprovalRefusal>, String> {
        let context = self.context(&incoming.record, &incoming.proposal.nonce)?;
        let allowed = self.allowed_signers().map_err(|it| it.to_string())?;
        let patch = incoming.patch.as_deref();
        let verdict = self.with_subject(&incoming.record, patch, &context, |subject| {
            approval::verify_approval(document, others, subject, &allowed, &self.policy, now())
        });
        Ok(verdict.err().unwrap_or_default().into_iter().filter(|it| !waits(it)).collect())
    }

    /// Whether there is another correction of the same source, and which of the two stays, with the reason for the other.
    fn twin(
        &self,
        incoming: &Incoming,
        displaces: bool,
        receipts: &[(String, Receipt)],
    ) -> Result<Option<(bool, String)>, Failure> {
        let Some(source) = incoming.record.source() else { return Ok(None) };
        let other = self.registry.borrow_mut().correction_of(source)?;
        let Some(other) = other else { return Ok(None) };
        let reason = |kept: &Id| {
            format!("{kept} is the correction of {source}, and a failure can have only one")
        };
        if other == incoming.record.id {
            // It gives up its name as well.
            return Ok(displaces.then(|| (true, reason(&other))));
        }
        let dossier = self.dossier(other.as_str())?;
        let RegistryEntry::Current(stored) = &dossier.entry else { return Ok(None) };
        let Some(proposal) = self.own_proposal(stored, &dossier) else { return Ok(None) };
        let stays = self.rank(incoming, receipts)?
            > self.rank_of_own(stored, &dossier, &proposal, receipts);
        let kept = if stays { &incoming.record.id } else { &other };
        Ok(Some((stays, reason(kept))))
    }

    /// What people said about a record, by the names of the files.
    fn said(&self, id: &Id) -> Result<Vec<ReadEndorsement>, Failure> {
        let mut said = Vec::new();
        for name in self.files_in(&format!("approvals/{id}"))? {
            let Some(bytes) = self.read_file(&name)? else { continue };
            let read = read_word(id, &name, &bytes);
            said.push((name, read));
        }
        Ok(said)
    }

    /// Takes over plans, approvals, rejections and withdrawals of records that can still be decided about.
    fn take_words(&self, known: &BTreeSet<String>, new: &[String]) -> Result<(), Failure> {
        for name in new.iter().filter(|it| it.contains(".plan-")) {
            self.take_plan(name)?;
        }
        let open = self.registry.borrow_mut().decidable()?;
        for folder in self.files_in("approvals")? {
            let Some(id) = folder.strip_prefix("approvals/").and_then(|it| it.strip_suffix('/'))
            else {
                let problem = "an approval belongs in the folder of its record; this one was written by an older regreen";
                self.refuse_once(&folder, problem);
                continue;
            };
            match open.get(id) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    self.refuse_once(&folder, format!("there is no record {id}"));
                    continue;
                }
            }
            let Ok(id) = Id::parse(id) else { continue };
            for name in self.files_in(&format!("approvals/{id}"))? {
                let Some(bytes) = self.read_file(&name)? else { continue };
                if known.contains(&handled(&name, &bytes)) {
                    continue;
                }
                match read_word(&id, &name, &bytes) {
                    Ok(document) => self.take_word(&name, &bytes, &document)?,
                    Err(problem) => self.refuse_once(&name, problem),
                }
            }
        }
        Ok(())
    }

    fn refuse_once(&self, name: &str, problem: impl Into<String>) {
        let mut news = self.news.borrow_mut();
        let place = shared(name);
        if !news.problems.iter().any(|it| it.place == place) {
            news.refuse(name, problem);
        }
    }

    /// Attaches a plan that came, if nothing is attached or nobody signed what is; of two the one with the lower hash.
    fn take_plan(&self, name: &str) -> Result<(), Failure> {
        let id = name.strip_prefix("proposals/").and_then(|it| it.split('.').next());
        let Some(id) = id.and_then(|it| Id::parse(it).ok()) else { return Ok(()) };
        let Some(dossier) = self.registry.borrow_mut().get(&id)? else { return Ok(()) };
        let RegistryEntry::Current(stored) = &dossier.entry else { return Ok(()) };
        let Some(proposal) = self.own_proposal(stored, &dossier) else { return Ok(()) };
        if !name.starts_with(&format!("{}.plan-", proposal.stem())) {
            return Ok(());
        }
        let Some(bytes) = self.read_file(name)? else { return Ok(()) };
        if proposal.plan_name(&bytes) != name {
            self.refuse_once(name, "its content belongs to another name: it was changed");
            return Ok(());
        }
        let stays = match &dossier.patch {
            None => true,
            Some(there) if *there == bytes => {
                self.registry.borrow_mut().note_files(&[name.to_owned()])?;
                return Ok(());
            }
            Some(there) => dossier.approval.is_none() && proposal.plan_name(there).as_str() > name,
        };
        if !stays || stored.state.status != Status::Proposed {
            return Ok(());
        }
        let given = json!({ "reason": "planned in another clone" });
        let attached =
            self.registry.borrow_mut().attach(&id, stored.version, &bytes, &given, GIT, now());
        match attached {
            Ok(_) => {
                self.registry.borrow_mut().note_files(&[name.to_owned()])?;
                self.news.borrow_mut().take(id.as_str(), "planned");
                Ok(())
            }
            Err(HappenError::Registry(error)) => Err(error.into()),
            Err(error) => {
                self.refuse_once(name, error.to_string());
                Ok(())
            }
        }
    }

    fn take_word(&self, name: &str, bytes: &[u8], document: &Document) -> Result<(), Failure> {
        let id = &document.dds;
        let dossier = self.dossier(id.as_str())?;
        if documents(&dossier).contains(document) {
            return Ok(self.registry.borrow_mut().note_files(&[handled(name, bytes)])?);
        }
        let by = match &document.word {
            Endorsement::Signed(signatures) => signatures.first().map_or(GIT, |it| &it.principal),
            Endorsement::Unsigned { by, .. } => {
                let problem = format!("{by} typed it elsewhere, and it counts only there");
                self.refuse_once(name, problem);
                return Ok(());
            }
        };
        let allowed = self.allowed_signers()?;
        let mut what = "";
        let decided = self.decide(document, by, |stored, dossier| {
            let judged = self.judge(document, stored, dossier, &allowed)?;
            what = match judged.event {
                Event::Approve(_) => "approved",
                Event::Reject => "rejected",
                Event::Withdraw => "withdrew its approval",
                _ => "signed",
            };
            Ok(judged)
        })?;
        match decided {
            Decided::Kept { .. } => {
                self.registry.borrow_mut().note_files(&[handled(name, bytes)])?;
                self.news.borrow_mut().take(id.as_str(), format!("{by} {what}"));
            }
            Decided::Over => {}
            Decided::Refused(problem) => self.refuse_once(name, problem),
        }
        Ok(())
    }

    /// Closes what was carried out in another clone. It never runs or approves anything.
    fn take_receipts(
        &self,
        receipts: &[(String, Receipt)],
        bulk: &Bulk<'_>,
    ) -> Result<(), Failure> {
        for (name, receipt) in receipts {
            bulk.step()?;
            let id = &receipt.report.dds;
            let Some(dossier) = self.registry.borrow_mut().get(id)? else {
                self.refuse_once(name, format!("there is no record {id}"));
                continue;
            };
            let RegistryEntry::Current(stored) = &dossier.entry else { continue };
            let hash = self.own_proposal(stored, &dossier).map(|it| it.hash());
            if hash.as_deref() != Some(&receipt.proposal) {
                self.refuse_once(name, format!("it is the receipt of another record {id}"));
                continue;
            }
            if !matches!(stored.state.status, Status::Proposed | Status::Approved) {
                self.registry.borrow_mut().note_files(std::slice::from_ref(name))?;
                continue;
            }
            match self.is_allowed(receipt, stored, &dossier)? {
                Ok(()) => {}
                Err(problem) => {
                    self.refuse_once(name, problem);
                    continue;
                }
            }
            let outcome = receipt.report.outcome;
            let event = Event::Close { outcome };
            let change = RecordChange {
                id,
                expected: Expected::Version(stored.version),
                event: &event,
                actor: GIT,
                now: now(),
                report: Some(&receipt.report),
                details: None,
            };
            let happened = self.registry.borrow_mut().happen(&change);
            match happened {
                Ok(stored) => {
                    self.registry.borrow_mut().note_files(std::slice::from_ref(name))?;
                    self.spend_quietly(&dossier);
                    self.news.borrow_mut().problems.retain(|it| it.place != shared(name));
                    self.news.borrow_mut().take(id.as_str(), stored.state.status.name());
                }
                Err(HappenError::Registry(error)) => return Err(error.into()),
                Err(error) => self.refuse_once(name, error.to_string()),
            }
        }
        Ok(())
    }

    /// What was used elsewhere is used up here too.
    fn spend_quietly(&self, dossier: &RecordDetails) {
        for document in documents(dossier) {
            let note = format!("{} in another clone", document.dds);
            let _ = self.session.workspace.spend(document.statement.nonce(), &note);
        }
    }

    /// Whether a receipt names approvals of the record by people whose word counts here: keys that were allowed then, or, where
    /// no signature is asked for, ones that were typed there.
    fn is_allowed(
        &self,
        receipt: &Receipt,
        stored: &Stored,
        dossier: &RecordDetails,
    ) -> Result<Result<(), String>, Failure> {
        if !matches!(
            receipt.report.outcome,
            ExecutionOutcome::Success | ExecutionOutcome::Failed | ExecutionOutcome::Error
        ) {
            return Ok(Err("its report has no outcome of a run".to_owned()));
        }
        let mut said: BTreeMap<String, Document> = BTreeMap::new();
        let files = self.said(&stored.record.id)?.into_iter().filter_map(|(_, it)| it.ok());
        for document in files.chain(documents(dossier)) {
            said.insert(document.statement.hash(), document);
        }
        let named: Vec<&Document> =
            receipt.statements.iter().filter_map(|it| said.get(it)).collect();
        let is_about = |document: &&Document| {
            let statement = &document.statement;
            statement.decision() == Decision::Approval
                && statement.is_about(&stored.record, dossier.patch.as_deref())
        };
        if named.is_empty() || !named.iter().all(is_about) {
            return Ok(Err("the record does not have the approval that it names".to_owned()));
        }
        let allowed = self.allowed_signers()?;
        for document in named {
            if let Err(problem) = self.is_by_somebody(document, &allowed) {
                return Ok(Err(format!(
                    "an approval that it names does not count here: {problem}"
                )));
            }
        }
        Ok(Ok(()))
    }

    /// Whether what somebody said is by who it says it is by, and by somebody who might say so then.
    fn is_by_somebody(&self, document: &Document, allowed: &AllowedSigners) -> Result<(), String> {
        let entries = match &document.word {
            Endorsement::Signed(entries) if !entries.is_empty() => entries,
            Endorsement::Unsigned { .. } if !self.policy.require_signature() => return Ok(()),
            Endorsement::Signed(_) | Endorsement::Unsigned { .. } => {
                return Err("it has no signature".to_owned());
            }
        };
        let bytes = document.statement.bytes();
        for entry in entries {
            let (principal, at) = (Some(entry.principal.as_str()), [document.approved_at]);
            let signature = &entry.signature;
            let signer = approval::verify(signature, principal, &bytes, allowed, &self.policy, &at);
            let signer = signer.map_err(|it| it.to_string())?;
            if signer.fingerprint != entry.fingerprint {
                return Err(format!(
                    "it says {}, and is by {}",
                    entry.fingerprint, signer.fingerprint
                ));
            }
        }
        Ok(())
    }

    fn take_comments(&self, known: &BTreeSet<String>) -> Result<(), Failure> {
        for folder in self.files_in("comments")? {
            let Some(folder) = folder.strip_suffix('/') else { continue };
            for name in self.files_in(folder)? {
                if known.contains(&name) {
                    continue;
                }
                let Some(bytes) = self.read_file(&name)? else { continue };
                let comment = match CommentFile::read(&name, &bytes) {
                    Ok(comment) => comment,
                    Err(problem) => {
                        self.refuse_once(&name, problem);
                        continue;
                    }
                };
                match self.store_comment(&comment)? {
                    Ok(()) => {
                        self.registry.borrow_mut().note_files(&[name])?;
                        let what = format!("{} commented", comment.by);
                        self.news.borrow_mut().take(comment.dds.as_str(), what);
                    }
                    Err(problem) => self.refuse_once(&name, problem),
                }
            }
        }
        Ok(())
    }
}

/// What is remembered of a file: its name, and its content where that can change under the name.
fn handled(name: &str, bytes: &[u8]) -> String {
    match name.starts_with("approvals/") {
        true => format!("{name}#{}", approval::sha256(bytes)),
        false => name.to_owned(),
    }
}

fn has_receipt(receipts: &[(String, Receipt)], proposal: &ProposalFile) -> bool {
    receipts
        .iter()
        .any(|(_, it)| it.proposal == proposal.hash() && it.report.dds.as_str() == proposal.id())
}

/// What a person said, if the file is that of who said it.
fn read_word(id: &Id, name: &str, bytes: &[u8]) -> Result<Document, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let document = Document::read(text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    match crate::commands::dds::approval_name(id, &document) == name && document.dds == *id {
        true => Ok(document),
        false => Err("its name does not belong to its author".to_owned()),
    }
}
