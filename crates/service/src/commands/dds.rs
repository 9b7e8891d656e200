//! Proposals: what a front end can ask about them. Whoever opens a [`ProposalRegistry`] can add, look, carry out and check; only
//! its `approve` functions lead to an approval, and all of them need what only a person has: a key, a signature that it
//! made, or a terminal to type at.

mod approve;
mod decide;
mod exchange;
mod plan_run;
mod programs;
mod propose;
mod reject;
mod run;
mod shared_files;
mod show;
mod statement;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use govern::approval::{
    self, AllowedSigners, ApprovalRefusal, Context, Decision, Document, Policy, Stage, Subject,
    ValidApproval as Approvals, recheck,
};
use govern::lifecycle::Phase;
use govern::registry::{
    AddError, CorrectError, Location, RecordDetails, Registry, RegistryEntry, Scope, Stored,
};
use govern::{Id, Moment, Record, Status};
use protocol::v1;
use serde_json::Value;
use snapshot::RelPath;

use crate::commands::trust::{self, WorkspaceTrust};
use crate::config::{Govern, RegistryPlace};
use crate::failure::Failure;
use crate::session::Session;
use crate::session::identity;
use crate::setup;

pub use approve::{KeyChoice, Signing};
pub use exchange::Export;
pub use govern::execute::RunStep;
pub use govern::registry::is_database;
pub use propose::Proposals;
pub use reject::NegativeDecision;
pub use run::{Confinement, HeldLease};
pub use shared_files::has_files;
use statement::documents;

/// Why an approval does not count.
enum Unheld {
    /// It is not one of these bytes by somebody who may give one.
    Void(String),
    /// It would be, if the user trusted what the configuration says.
    Untrusted(String),
}

impl Unheld {
    fn message(self) -> String {
        match self {
            Unheld::Void(message) | Unheld::Untrusted(message) => message,
        }
    }
}

/// The proposals of one workspace.
pub struct ProposalRegistry<'a> {
    session: &'a Session,
    root: PathBuf,
    govern: Govern,
    /// What an approval must be, as far as the configuration counts.
    policy: Policy,
    trust: WorkspaceTrust,
    /// Why what was trusted before does not count.
    trust_note: Option<String>,
    registry: RefCell<Registry>,
    /// Whether others use the registry too.
    is_shared: bool,
    /// Which repository this is, if somebody has proposed anything in it.
    repository: RefCell<Option<String>>,
    /// What this process could not carry out, and when it tries again.
    refused: RefCell<BTreeMap<Id, run::Refusals>>,
    /// What came by git.
    news: RefCell<shared_files::SyncReport>,
}

/// What the configuration says about where the records are and what an approval must be.
struct RegistrySettings {
    root: PathBuf,
    govern: Govern,
    trust: WorkspaceTrust,
    trust_note: Option<String>,
    registry: Option<RegistryPlace>,
}

impl RegistrySettings {
    /// The registry that the user named for this run, else the one of the configuration, which must be trusted if it is
    /// more than a file of the user's own.
    fn find(session: &Session, registry: Option<&str>) -> Result<RegistrySettings, Failure> {
        let no_disk =
            || Failure::Usage { message: "proposals need a workspace on disk".to_owned() };
        let root = session.root().ok_or_else(no_disk)?.to_owned();
        let config = setup::load_config(session, &setup::TreeOverlay::new())?.0;
        let (trust, trust_note) = WorkspaceTrust::of(session, &config);
        let govern = config.govern;
        let registry = match registry.map(RegistryPlace::parse) {
            Some(Ok(named)) => Some(named),
            Some(Err(message)) => {
                return Err(Failure::Usage { message: format!("REGREEN_REGISTRY: {message}") });
            }
            None => match trust.forbids_registry() {
                Some(message) => return Err(Failure::Untrusted { message }),
                None => govern.registry.clone(),
            },
        };
        Ok(RegistrySettings { root, govern, trust, trust_note, registry })
    }

    /// The name of the file in the state folder; `None` for a server.
    fn file(&self) -> Option<Option<&RelPath>> {
        match &self.registry {
            Some(RegistryPlace::Postgres(_)) => None,
            Some(RegistryPlace::Sqlite(name)) => Some(Some(name)),
            None => Some(None),
        }
    }

    fn open(
        self,
        session: &Session,
        file: Option<PathBuf>,
    ) -> Result<ProposalRegistry<'_>, Failure> {
        let RegistrySettings { root, govern, trust, trust_note, registry } = self;
        let location = match (registry, file) {
            (Some(RegistryPlace::Postgres(url)), _) => Location::Postgres(url),
            (_, file) => Location::Sqlite(file.unwrap_or_default()),
        };
        let mut policy = trust.policy(&govern)?.with_files(&tool_programs(session, &root, &govern));
        // Once somebody can sign, a word that was only typed needs the policy's permission by name.
        let signers = setup::load_text(&session.workspace, &govern.allowed_signers)?;
        let signers = signers.map(|it| String::from_utf8_lossy(it.bytes()).into_owned());
        let signers = AllowedSigners::read(&signers.unwrap_or_default());
        let is_allowed = govern.allow_unsigned && trust.forbids_govern().is_none();
        // A table that nobody trusts cannot make that untrue by naming another file.
        let known = trust.known_signers(&signers);
        if !is_allowed && known.lines.iter().any(|it| it.is_for_namespace(approval::NAMESPACE)) {
            policy = policy.with_signatures_only();
        }
        policy = policy.with_second_key(known.has_two_people(approval::NAMESPACE));
        let repository = identity::read(session)?;
        let mut registry = Registry::open(&location)?;
        if let (Location::Sqlite(_), Some(repository), true) =
            (&location, &repository, session.may_write())
        {
            registry.adopt(repository)?;
        }
        registry.set_scope(Scope::Repository(repository.clone()));
        let proposals = ProposalRegistry {
            session,
            root,
            govern,
            policy,
            trust,
            trust_note,
            is_shared: matches!(location, Location::Postgres(_)),
            registry: RefCell::new(registry),
            repository: RefCell::new(repository),
            refused: RefCell::default(),
            news: RefCell::default(),
        };
        proposals.take_over()?;
        Ok(proposals)
    }
}

/// Whether the registry may be used, before anything else is done.
pub fn check_registry(session: &Session, registry: Option<&str>) -> Result<(), Failure> {
    RegistrySettings::find(session, registry).map(drop)
}

impl<'a> ProposalRegistry<'a> {
    /// Opens the registry of the workspace; it is made if it is not there. `registry` overrides the configuration.
    pub fn open(
        session: &'a Session,
        registry: Option<&str>,
    ) -> Result<ProposalRegistry<'a>, Failure> {
        let place = RegistrySettings::find(session, registry)?;
        let file = match place.file() {
            Some(name) => Some(session.workspace.registry_file(name)?),
            None => None,
        };
        place.open(session, file)
    }

    /// Opens the registry of the workspace to look at it; `None` if nobody has proposed anything here.
    pub fn open_existing(
        session: &'a Session,
        registry: Option<&str>,
    ) -> Result<Option<ProposalRegistry<'a>>, Failure> {
        let place = RegistrySettings::find(session, registry)?;
        let file = match place.file() {
            Some(name) => match session.workspace.existing_registry_file(name) {
                Some(file) => Some(file),
                None => return Ok(None),
            },
            None => None,
        };
        place.open(session, file).map(Some)
    }

    /// What of the configuration does not count here, because the user has not trusted it.
    pub fn untrusted(&self) -> Vec<v1::UntrustedItem> {
        self.trust.untrusted()
    }

    /// Why what the user trusted before does not count; `None` if it does.
    pub fn trust_note(&self) -> Option<&str> {
        self.trust_note.as_deref()
    }

    /// Who runs the command, as far as git and the shell know; for the audit trail.
    pub fn person(&self, user: Option<&str>) -> String {
        let email = approval::git_email(&self.root).ok().flatten();
        email.or_else(|| user.map(str::to_owned)).unwrap_or_else(|| "somebody".to_owned())
    }

    /// Stores a record, or says everything that is wrong with it. One without an `id` is given the next free one.
    pub fn add(
        &self,
        record: &[u8],
        patch: Option<&[u8]>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let refused =
            |id: Option<String>, faults| v1::DdsReport::Add(v1::DdsAdd { ok: false, id, faults });
        let text = std::str::from_utf8(record).map_err(|_| "this is not UTF-8".to_owned());
        let value = match text.and_then(govern::exchange::parse_json) {
            Ok(value) => value,
            Err(problem) => return Ok(refused(None, vec![fault("form", &problem)])),
        };
        let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
        if let Some(problem) = self.other_project(&value) {
            return Ok(refused(id, vec![problem]));
        }
        self.identify()?;
        let added = self.registry.borrow_mut().add(&value, patch, by, now());
        match added {
            Ok(stored) => {
                let id = Some(stored.record.id.to_string());
                self.publish(&stored, patch)?;
                Ok(v1::DdsReport::Add(v1::DdsAdd { ok: true, id, faults: Vec::new() }))
            }
            Err(AddError::Faults { faults }) => {
                Ok(refused(id, faults.iter().map(wire_fault).collect()))
            }
            Err(AddError::Registry(error)) => Err(error.into()),
            Err(error) => Ok(refused(id, vec![fault("form", &error.to_string())])),
        }
    }

    /// Gives the repository an identity, if it has none.
    fn identify(&self) -> Result<(), Failure> {
        if self.repository.borrow().is_none() {
            let id = identity::read_or_create(self.session)?;
            let mut registry = self.registry.borrow_mut();
            if !self.is_shared {
                registry.adopt(&id)?;
            }
            registry.set_scope(Scope::Repository(Some(id.clone())));
            *self.repository.borrow_mut() = Some(id);
        }
        self.meet()
    }

    /// Remembers where the user met this repository, if it has an identity.
    fn meet(&self) -> Result<(), Failure> {
        match self.repository.borrow().as_deref() {
            Some(id) => identity::remember(self.session, id),
            None => Ok(()),
        }
    }

    /// That the record is of another project than the one that the repository declares.
    fn other_project(&self, value: &Value) -> Option<v1::DdsFault> {
        let declared = self.govern.project.as_deref()?;
        let named = value.get("project").and_then(Value::as_str);
        (named != Some(declared)).then(|| v1::DdsFault {
            rule: "project".to_owned(),
            pointer: "/project".to_owned(),
            message: format!("the project of this repository is {declared:?} ([govern] project)"),
        })
    }

    /// Proposes a correction of the oldest failure that has none.
    pub fn work(&self) -> Result<v1::DdsReport, Failure> {
        let corrected = match self.registry.borrow_mut().correct_oldest("worker", now()) {
            Ok(corrected) => corrected,
            Err(CorrectError::Registry(error)) => return Err(error.into()),
            Err(error) => return Err(Failure::Usage { message: error.to_string() }),
        };
        if let Some(stored) = &corrected {
            self.publish(stored, None)?;
        }
        let record = corrected.as_ref().map(|it| &it.record);
        Ok(v1::DdsReport::Worker(v1::DdsWork {
            ok: true,
            proposed: record.map(|it| it.id.to_string()),
            source: record.and_then(|it| it.source().map(ToString::to_string)),
        }))
    }

    /// Whether every approval and the whole audit trail hold, and whether history was only appended to since the trail
    /// ended at that hash.
    pub fn verify(&self, against: Option<&str>) -> Result<v1::DdsReport, Failure> {
        let verified = self.registry.borrow_mut().verify()?;
        let problem = |place: String, message: String| v1::DdsProblem { place, message };
        let mut problems: Vec<v1::DdsProblem> = verified
            .flaws
            .iter()
            .chain(against.and_then(|it| verified.since(it)).as_ref())
            .map(|it| problem(it.place.to_string(), it.message.clone()))
            .collect();
        problems.extend(self.unheld_files());
        let entries = self.registry.borrow_mut().readable()?;
        let mut n_approvals = 0;
        for entry in entries {
            let RegistryEntry::Current(stored) = entry else { continue };
            // What cannot be read is named above.
            let Ok(dossier) = self.dossier(stored.record.id.as_str()) else { continue };
            // One that waits for more people does not hold yet; one that was carried out elsewhere says so by its receipt.
            let is_given = dossier.approval.is_some() && stored.record.status != Status::Proposed;
            let is_closed = dossier.history.iter().any(|it| it.event == "close");
            if is_closed || (stored.record.status != Status::Approved && !is_given) {
                continue;
            }
            n_approvals += 1;
            let kept = documents(&dossier);
            let lost = kept.iter().map(|it| approval_name(&stored.record.id, it));
            for name in lost.collect::<BTreeSet<_>>() {
                let read = self.session.workspace.read_shared(&name);
                if read.map_err(workspace::CommitError::from)?.is_none() {
                    let message = "the file of the approval does not exist".to_owned();
                    problems.push(problem(shared(&name), message));
                }
            }
            if stored.record.status == Status::Rejected {
                continue;
            }
            if let Err(unheld) = self.approval_holds(&stored, &dossier) {
                problems.push(problem(stored.record.id.to_string(), unheld.message()));
            }
        }
        Ok(v1::DdsReport::Verify(v1::DdsVerification {
            ok: problems.is_empty(),
            records: verified.n_records,
            audit_lines: verified.n_lines,
            approvals: n_approvals,
            head: verified.head,
            problems,
        }))
    }

    /// Everything that is known about a record, or that there is none of that name.
    fn dossier(&self, id: &str) -> Result<RecordDetails, Failure> {
        let parsed = Id::parse(id).map_err(|_| unknown(id))?;
        self.registry.borrow_mut().get(&parsed)?.ok_or_else(|| unknown(id))
    }

    /// Whether the approvals of a record let it run: they stand, and no file contradicts them.
    fn approval_holds(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
    ) -> Result<Approvals, Unheld> {
        let held = self.approval_stands(stored, dossier)?;
        match self.contradiction(stored, dossier) {
            Some(problem) => Err(Unheld::Void(problem)),
            None => Ok(held),
        }
    }

    /// The file of somebody whose word is kept here, if it says something else now that does not hold. Whoever wrote
    /// that may have meant to take the word back, and nobody can tell.
    fn contradiction(&self, stored: &Stored, dossier: &RecordDetails) -> Option<String> {
        if !matches!(stored.record.status, Status::Proposed | Status::Approved) {
            return None;
        }
        let kept: BTreeSet<String> = documents(dossier)
            .iter()
            .map(|it| shared(&approval_name(&stored.record.id, it)))
            .collect();
        let unheld = self.unheld_files();
        let file = unheld.iter().find(|it| kept.contains(&it.place))?;
        Some(format!(
            "{} is not what was approved, and does not hold ({}); restore the file, or remove it",
            file.place, file.message
        ))
    }

    /// Whether the approvals of a record are ones of these bytes by people who may give them, or why not.
    fn approval_stands(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
    ) -> Result<Approvals, Unheld> {
        let record = &stored.record;
        let words = |error: Failure| Unheld::Void(error.to_string());
        let stage = match record.status {
            Status::Proposed | Status::Approved => Stage::Open,
            Status::Rejected | Status::Executed | Status::Failed => Stage::Ended,
        };
        let mut documents = documents(dossier);
        if documents.is_empty() {
            return Err(Unheld::Void("nobody approved it".to_owned()));
        }
        // Whoever runs it has used it up; so did who ran it.
        let has_begun = stored.state.lease.as_ref().is_some_and(|it| it.phase != Phase::Claimed);
        if stage == Stage::Open && !has_begun {
            documents = self.unspent(documents).map_err(Unheld::Void)?;
            if !documents.iter().any(|it| it.statement.decision() == Decision::Approval) {
                return Err(Unheld::Void(statement::USED.to_owned()));
            }
        }
        let present = self.present_signers().map_err(words)?;
        let context = match self.context(record, &stored.nonce) {
            Ok(context) => context,
            // What has ended needs no tool any more.
            Err(_) if stage == Stage::Ended => Context::default(),
            Err(problem) => return Err(Unheld::Void(problem)),
        };
        let patch = dossier.patch.as_deref();
        let judge = |allowed: &AllowedSigners, policy: &Policy| {
            self.with_subject(record, patch, &context, |subject| {
                recheck(&documents, subject, allowed, policy, now(), stage)
            })
        };
        let refusals = match judge(&self.trust.signers(present.clone()), &self.policy) {
            Ok(held) => return Ok(held),
            Err(refusals) => refusals,
        };
        let configured = trust::configured_policy(&self.govern).map_err(words)?;
        let configured = configured.with_second_key(present.has_two_people(approval::NAMESPACE));
        if !self.trust.untrusted().is_empty() && judge(&present, &configured).is_ok() {
            let what = match self.trust.forbids_govern() {
                Some(message) => message,
                None => trust::not_trusted("a key that signed it, in the allowed signers"),
            };
            return Err(Unheld::Untrusted(what));
        }
        Err(Unheld::Void(reasons(&refusals)))
    }

    /// A record with all that is needed to judge what it could touch.
    fn with_subject<T>(
        &self,
        record: &Record,
        patch: Option<&[u8]>,
        context: &Context,
        judge: impl FnOnce(&Subject<'_>) -> T,
    ) -> T {
        let applied = patch.map(|it| self.try_patch(it));
        let touched: Vec<RelPath> = match applied {
            Some(Ok(applied)) => applied.change.paths().into_iter().collect(),
            // What does not apply touches nothing; the scope is judged all the same.
            Some(Err(_)) | None => Vec::new(),
        };
        let is_directory = |path: &RelPath| self.root.join(path.as_str()).is_dir();
        judge(&Subject { record, patch, context, touched: &touched, is_directory: &is_directory })
    }

    /// Those who may approve, as far as the user trusts them.
    fn allowed_signers(&self) -> Result<AllowedSigners, Failure> {
        Ok(self.trust.signers(self.present_signers()?))
    }

    /// Those whom the file names.
    fn present_signers(&self) -> Result<AllowedSigners, Failure> {
        let text = self.read(&self.govern.allowed_signers)?;
        Ok(AllowedSigners::read(text.as_deref().unwrap_or_default()))
    }

    /// The text of a file of the workspace; `None` if it is not there.
    fn read(&self, path: &RelPath) -> Result<Option<String>, Failure> {
        let text = setup::load_text(&self.session.workspace, path)?;
        Ok(text.map(|it| String::from_utf8_lossy(it.bytes()).into_owned()))
    }
}

/// The files of the repository that the commands of tools run.
fn tool_programs(session: &Session, root: &Path, govern: &Govern) -> Vec<RelPath> {
    let named = govern.tools.values().flat_map(|it| programs::named(root, &it.command));
    let mut programs: Vec<RelPath> = named.collect::<BTreeSet<_>>().into_iter().collect();
    let is_file = |path: &RelPath| {
        let loaded = session.workspace.load(std::slice::from_ref(path));
        loaded.is_ok_and(|it| it.snapshot.file(it.resolved.get(path).unwrap_or(path)).is_some())
    };
    programs.retain(is_file);
    programs
}

/// What `list`, `show` and `verify` say where nobody has proposed anything.
pub fn nothing(asked: ProposalQuery<'_>) -> Result<v1::DdsReport, Failure> {
    match asked {
        ProposalQuery::List => {
            Ok(v1::DdsReport::List(v1::DdsList { ok: true, records: Vec::new() }))
        }
        ProposalQuery::Show(id) => Err(unknown(id)),
        ProposalQuery::Verify { against: Some(hash) } => Err(Failure::Usage {
            message: format!("there is no audit trail here, and so none that ended at {hash}"),
        }),
        ProposalQuery::Verify { against: None } => Ok(v1::DdsReport::Verify(v1::DdsVerification {
            ok: true,
            records: 0,
            audit_lines: 0,
            approvals: 0,
            head: None,
            problems: Vec::new(),
        })),
    }
}

/// A question that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProposalQuery<'a> {
    /// Which records are there?
    List,
    /// What is known about this one?
    Show(&'a str),
    /// Does all of it hold?
    Verify {
        /// And was history only appended to since the trail ended here?
        against: Option<&'a str>,
    },
}

fn unknown(id: &str) -> Failure {
    Failure::Usage { message: format!("there is no record {id:?}; `regreen dds list` shows all") }
}

fn decision(id: &Id, status: &str, by: &str, problem: String) -> v1::DdsReport {
    v1::DdsReport::Decide(v1::DdsDecision {
        ok: problem.is_empty(),
        id: id.to_string(),
        status: status.to_owned(),
        file: None,
        by: vec![by.to_owned()],
        problem,
    })
}

fn reasons(refusals: &[ApprovalRefusal]) -> String {
    refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn fault(rule: &str, message: &str) -> v1::DdsFault {
    v1::DdsFault { rule: rule.to_owned(), pointer: String::new(), message: message.to_owned() }
}

fn wire_fault(fault: &govern::shape::RecordFault) -> v1::DdsFault {
    v1::DdsFault {
        rule: fault.rule.name().to_owned(),
        pointer: fault.pointer.clone(),
        message: fault.message.clone(),
    }
}

/// The name of the file with what a person said about a record, among those that travel.
fn approval_name(id: &Id, document: &Document) -> String {
    format!("approvals/{id}/{}.json", document.person())
}

/// Where the file of that name is, relative to the root.
fn shared(name: &str) -> String {
    workspace::shared_path(name).map_or_else(|_| name.to_owned(), |it| it.to_string())
}

/// The only clock: lifecycle and audit records carry a time, nothing else does.
fn now() -> Moment {
    let since =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Moment::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
