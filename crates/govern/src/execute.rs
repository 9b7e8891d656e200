//! Carries out approved records, in the phases of the contract (DF-33): claim; validate; copy the workspace; open the
//! scope; run the tool in it; measure what changed; hold it against the constraints; write it in one transaction and
//! report. A correction is run like any other record (DF-34).
//!
//! Every phase that matters after a crash is written down before it starts, so that whoever takes over knows what can
//! have happened:
//!
//! ```text
//! lease      what can have happened           who takes over
//! claimed    nothing                          runs the record
//! running    the tool worked on its copy      reports an error; the tool is not started again
//! committing the workspace is old or new      asks the workspace's journal which, and reports that
//! ```
//!
//! What keeps a record from being started, or its result from being written because somebody saved a file meanwhile, is
//! a refusal: it is said, counted in the audit trail, and the record stays approved (X-70).

mod failure;
mod holder;
mod plan;
mod runs;
mod scratch;
mod tool;
mod trial;

use std::collections::BTreeMap;
use std::path::PathBuf;

use sandbox::{SandboxLevel, Tick};
use serde_json::{Value, json};
use snapshot::{Snapshot, TreeChange};
use workspace::{IndexUpdate, Meta, TransactionId, Workspace};

use crate::approval::sha256;
use crate::id::Id;
use crate::lifecycle::{Event, ExecutionOutcome, Phase, TransitionRefusal};
use crate::record::Record;
use crate::registry::{
    Expected, HappenError, RecordChange, RecordDetails, Registry, RegistryError, Stored,
};
use crate::report::{Report, ReportedChange};
use crate::sanitize::sanitize;
use crate::time::Moment;

pub use holder::Holder;
pub use plan::{Planned, Planner};
pub use tool::{BUILTIN, Tool};

use runs::RunFolders;
use scratch::Scratch;
use trial::{Stopped, ToolTrial};

/// The note of a transaction that says which record it carried out.
pub const DDS_NOTE: &str = "dds";

/// How long a claim lasts without being renewed, in seconds.
const LEASE: i64 = 60;
/// How long before its end a lease is renewed.
const RENEWED_BEFORE: i64 = 40;

/// Who runs records, on which workspace, with what.
pub struct Executor<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// A directory of our own, for copies of the workspace. It is made if it is not there, and must not be a link;
    /// beneath it no link is followed.
    pub runs: PathBuf,
    /// The tools, by name.
    pub tools: &'a BTreeMap<String, Tool>,
    /// The tool that is built in: what the attached patch would change, or why it does not apply.
    pub apply: &'a dyn Fn(&[u8]) -> Result<AppliedPatch, String>,
    /// Whether the approval of a record holds for these bytes, or why not.
    pub approval: &'a dyn Fn(&Record, &RecordDetails) -> Result<(), String>,
    /// Whether the programs of the repository that a tool runs are those that were approved, in the tree that is copied for
    /// it: whoever wrote one since the approval was looked at is found here.
    pub programs: &'a dyn Fn(&Record, &RecordDetails, &Snapshot) -> Result<(), String>,
    /// Uses the approval of a record up, or says why it cannot be used: called when the tool is about to start, or what is
    /// attached to be written. From then on no second run has it.
    pub spend: &'a dyn Fn(&Record, &RecordDetails) -> Result<(), String>,
    /// Gives the approval back, because nothing came of the run.
    pub unspend: &'a dyn Fn(&Record, &RecordDetails),
    /// The receipt of a run: the name of its file among those that travel, and its bytes. It is given the report and the hash
    /// of what came of the run.
    pub receipt: &'a MakeReceipt<'a>,
    /// Whether the record is one to carry out here and now. One that is not is not claimed and stays as it is.
    pub is_wanted: &'a dyn Fn(&Record) -> bool,
    /// What holds tools in their scope; `None` if this machine has nothing that does.
    pub level: Option<SandboxLevel>,
    /// This process, among all that run records.
    pub holder: Holder,
    /// The clock.
    pub clock: &'a dyn Fn() -> Moment,
    /// Hears of every step.
    pub on_step: &'a dyn Fn(&Id, RunStep),
}

/// Makes the receipt of a run, if its record travels.
pub type MakeReceipt<'a> =
    dyn Fn(&Record, &RecordDetails, &Report, &str) -> Option<(String, Vec<u8>)> + 'a;

/// What a patch would change.
pub struct AppliedPatch {
    /// The files that it is about, as they are.
    pub before: Snapshot,
    /// The change.
    pub change: TreeChange,
    /// What becomes of the index of files, if that changes.
    pub index: Option<IndexUpdate>,
}

/// How far a run came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RunStep {
    /// The lease is ours.
    Claimed,
    /// The record, its approval and its tool are in order.
    Validated,
    /// The copy of the workspace is there.
    Copied,
    /// The tool is about to be started.
    Begun,
    /// The tool has ended and its work is judged.
    Judged,
    /// The change is about to be written.
    Committing,
    /// The change is in the workspace.
    Committed,
    /// The report and the status are stored.
    Finished,
}

/// Why nothing could be run, or nobody could be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The registry does not answer.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The registry does not take what happened.
    #[error("the registry refused to store what happened to {id}: {source}")]
    Happen {
        /// The record.
        id: Id,
        /// Why.
        source: HappenError,
    },
    /// The journal of the workspace cannot be read.
    #[error(transparent)]
    Journal(#[from] workspace::JournalError),
    /// Somebody else settled the record meanwhile, and the change could not be taken back.
    #[error(
        "{id} was settled by another process while {transaction} was written, and taking it back failed: {source}"
    )]
    NotTakenBack {
        /// The record.
        id: Id,
        /// The transaction.
        transaction: TransactionId,
        /// Why not.
        source: Box<workspace::UndoError>,
    },
}

/// Claims and carries out one approved record, the oldest that nobody runs; `None` if there is none. Whatever comes of
/// it is in its report.
pub fn run_next(
    registry: &mut Registry,
    executor: &Executor<'_>,
) -> Result<Option<Report>, ExecuteError> {
    let started = (executor.clock)();
    let until = started.plus_seconds(LEASE);
    // Who takes over from a run that had begun starts no tool and asks nobody: it only says what happened.
    let is_wanted = |it: &Stored| {
        let has_begun = it.state.lease.as_ref().is_some_and(|it| it.phase != Phase::Claimed);
        has_begun || (executor.is_wanted)(&it.record)
    };
    let claimed = registry.claim_next_of(&executor.holder, started, until, &is_wanted)?;
    let Some(stored) = claimed else { return Ok(None) };
    let id = stored.record.id.clone();
    (executor.on_step)(&id, RunStep::Claimed);
    let Some(dossier) = registry.get(&id)? else { return Ok(None) };
    // A lease that is taken over keeps its phase.
    let left_at = stored.state.lease.as_ref().map_or(Phase::Claimed, |it| it.phase);
    let run = Run { executor, stored, dossier, started };
    // What killed runs left behind. A copy that cannot be removed is not a reason not to say what happened.
    let _ = RunFolders::existing(&executor.runs).and_then(|runs| runs.sweep());
    let report = match left_at {
        Phase::Claimed => run.execute(registry)?,
        Phase::Running => {
            let message =
                "the executor ended while the tool ran; nothing was written to the workspace";
            run.end(registry, run.stopped(&Stopped::new(ExecutionOutcome::Error, message)))?
        }
        Phase::Committing => run.settle(registry)?,
    };
    Ok(Some(report))
}

/// Tells the registry. A refusal is an answer; everything else is an error.
fn happen(
    registry: &mut Registry,
    executor: &Executor<'_>,
    id: &Id,
    event: &Event,
    report: Option<&Report>,
) -> Result<Result<Stored, TransitionRefusal>, ExecuteError> {
    tell(registry, executor, id, event, report, None)
}

/// The same with something worth keeping.
fn tell(
    registry: &mut Registry,
    executor: &Executor<'_>,
    id: &Id,
    event: &Event,
    report: Option<&Report>,
    details: Option<&Value>,
) -> Result<Result<Stored, TransitionRefusal>, ExecuteError> {
    let (actor, now) = (executor.holder.name(), (executor.clock)());
    let change =
        RecordChange { id, expected: Expected::Any, event, actor: &actor, now, report, details };
    match registry.happen(&change) {
        Ok(stored) => Ok(Ok(stored)),
        Err(HappenError::Refused(refusal)) => Ok(Err(refusal)),
        Err(HappenError::Registry(error)) => Err(error.into()),
        Err(source) => Err(ExecuteError::Happen { id: id.clone(), source }),
    }
}

/// A record whose lease is ours.
struct Run<'a> {
    executor: &'a Executor<'a>,
    stored: Stored,
    dossier: RecordDetails,
    started: Moment,
}

impl Run<'_> {
    fn id(&self) -> &Id {
        &self.stored.record.id
    }

    /// Whether what is to be written is known: no tool is started then.
    fn is_frozen(&self) -> bool {
        self.stored.record.tool == BUILTIN || self.dossier.patch.is_some()
    }

    fn on_step(&self, step: RunStep) {
        (self.executor.on_step)(self.id(), step);
    }

    fn execute(&self, registry: &mut Registry) -> Result<Report, ExecuteError> {
        let record = &self.stored.record;
        if let Err(message) = (self.executor.approval)(record, &self.dossier) {
            return self
                .end(registry, self.stopped(&Stopped::new(ExecutionOutcome::Refused, message)));
        }
        let (trial, index) = if self.is_frozen() {
            match self.apply_attached() {
                Ok(tried) => tried,
                Err(stopped) => return self.end(registry, self.stopped(&stopped)),
            }
        } else {
            match self.run_tool(registry)? {
                Ok(trial) => (trial, None),
                Err(stopped) => return self.end(registry, self.stopped(&stopped)),
            }
        };
        self.on_step(RunStep::Judged);
        let mut report = self.report(&trial);
        let change = match trial.verdict {
            Ok(change) => change,
            Err(_) => return self.end(registry, report),
        };
        let commit = Event::Commit { holder: self.executor.holder.name() };
        if let Err(refusal) = happen(registry, self.executor, self.id(), &commit, None)? {
            return Ok(self.stopped(&Stopped::new(ExecutionOutcome::Error, refusal.to_string())));
        }
        if self.is_frozen()
            && let Err(message) = (self.executor.spend)(record, &self.dossier)
        {
            // Nothing was used up, so nothing is given back.
            let report = self.stopped(&Stopped::new(ExecutionOutcome::Refused, message));
            return self.release(registry, report);
        }
        self.on_step(RunStep::Committing);
        // What regreen itself writes counts for no scope and no limit: it is judged by now (X-110).
        let result = sha256(json!(trial.results).to_string().as_bytes());
        let receipt = (self.executor.receipt)(record, &self.dossier, &report, &result);
        let receipt =
            receipt.and_then(|(name, bytes)| Some((workspace::shared_path(&name).ok()?, bytes)));
        let committed = self.executor.workspace.commit_with_receipt(
            &change,
            index.as_ref(),
            receipt.as_ref(),
            &self.meta(),
        );
        match committed {
            Ok(transaction) => report.transaction = transaction.map(|it| it.to_string()),
            Err(error) => {
                let outcome = if is_refusal(&error) {
                    ExecutionOutcome::Refused
                } else {
                    ExecutionOutcome::Error
                };
                if outcome == ExecutionOutcome::Refused {
                    (self.executor.unspend)(record, &self.dossier);
                }
                let message = format!("the change was not written: {error}");
                return self.end(registry, self.stopped(&Stopped::new(outcome, message)));
            }
        }
        self.on_step(RunStep::Committed);
        self.end(registry, report)
    }

    /// What is attached needs no copy and no tool: what it would change is known before anything changes.
    fn apply_attached(&self) -> Result<(ToolTrial, Option<IndexUpdate>), Stopped> {
        let refused = |message: String| Stopped::new(ExecutionOutcome::Refused, message);
        let Some(patch) = &self.dossier.patch else {
            return Err(refused(format!("nothing is attached for the tool {BUILTIN} to apply")));
        };
        self.on_step(RunStep::Validated);
        let applied = (self.executor.apply)(patch).map_err(refused)?;
        let after = applied
            .before
            .apply(&applied.change)
            .map_err(|error| refused(format!("the attached patch does not apply: {error}")))?;
        let mut trial = trial::judge(&self.stored.record, &applied.before, &after);
        // The author's own edits, not those that a comparison would find.
        trial.verdict = trial.verdict.map(|_| applied.change);
        Ok((trial, applied.index))
    }

    fn run_tool(
        &self,
        registry: &mut Registry,
    ) -> Result<Result<ToolTrial, Stopped>, ExecuteError> {
        let record = &self.stored.record;
        let Some(tool) = self.executor.tools.get(&record.tool) else {
            let message =
                format!("no tool `{}` is configured: add [tools.{0}] to regreen.toml", record.tool);
            return Ok(Err(Stopped::new(ExecutionOutcome::Refused, message)));
        };
        let Some(level) = self.executor.level else {
            let message = "nothing on this machine can hold a tool in its scope: install bubblewrap, or use a kernel \
                           with Landlock (Linux 6.12 or newer)";
            let reasons = sandbox::obstacles().into_iter().map(|it| it.to_string());
            let message =
                [message.to_owned()].into_iter().chain(reasons).collect::<Vec<_>>().join("\n");
            return Ok(Err(Stopped::new(ExecutionOutcome::Refused, message)));
        };
        self.on_step(RunStep::Validated);
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let tree = match self.executor.workspace.scan(jobs) {
            Ok(scanned) => scanned.snapshot,
            Err(error) => {
                return Ok(Err(Stopped::new(ExecutionOutcome::Refused, error.to_string())));
            }
        };
        if let Err(message) = (self.executor.programs)(record, &self.dossier, &tree) {
            return Ok(Err(Stopped::new(ExecutionOutcome::Refused, message)));
        }
        let max_file_size = self.executor.workspace.options().max_file_size;
        let runs = &self.executor.runs;
        let scratch = match Scratch::new(runs, &tree, &record.allowed_paths, max_file_size) {
            Ok(scratch) => scratch,
            Err(error) => {
                return Ok(Err(Stopped::new(ExecutionOutcome::Refused, error.to_string())));
            }
        };
        self.on_step(RunStep::Copied);
        if let Err(refusal) = self.begin(registry)? {
            return Ok(Err(refusal));
        }
        // Another clone of the user's may have been faster. Nothing was started here.
        if let Err(message) = (self.executor.spend)(record, &self.dossier) {
            return Ok(Err(Stopped::new(ExecutionOutcome::Refused, message)));
        }
        let mut until = self.started.plus_seconds(LEASE);
        let mut broken = None;
        let mut on_tick = || {
            let now = (self.executor.clock)();
            if now < until.plus_seconds(-RENEWED_BEFORE) {
                return Tick::Continue;
            }
            until = now.plus_seconds(LEASE);
            let renew = Event::Renew { holder: self.executor.holder.name(), until };
            match happen(registry, self.executor, self.id(), &renew, None) {
                Ok(Ok(_)) => Tick::Continue,
                Ok(Err(_)) => Tick::Stop,
                Err(error) => {
                    broken = Some(error);
                    Tick::Stop
                }
            }
        };
        let trial = trial::run_tool(record, tool, &scratch, level, &mut on_tick);
        match broken {
            Some(error) => Err(error),
            None => Ok(Ok(trial)),
        }
    }

    /// Writes down that the tool is about to start.
    fn begin(&self, registry: &mut Registry) -> Result<Result<(), Stopped>, ExecuteError> {
        let begin = Event::Begin { holder: self.executor.holder.name() };
        Ok(match happen(registry, self.executor, self.id(), &begin, None)? {
            Ok(_) => {
                self.on_step(RunStep::Begun);
                Ok(())
            }
            Err(refusal) => Err(Stopped::new(ExecutionOutcome::Error, refusal.to_string())),
        })
    }

    /// After a crash while the change was written: the journal of the workspace knows whether it was.
    fn settle(&self, registry: &mut Registry) -> Result<Report, ExecuteError> {
        let log = self.executor.workspace.log()?;
        let written =
            log.iter().rev().filter(|it| it.undoes.is_none()).find(|it| {
                it.meta.notes.get(DDS_NOTE).is_some_and(|note| note == self.id().as_str())
            });
        let report = match written {
            Some(it) => Report {
                outcome: ExecutionOutcome::Success,
                error: String::new(),
                transaction: Some(it.id.to_string()),
                changes: it.touched.iter().map(reported_change).filter(is_of_the_tree).collect(),
                ..self.stopped(&Stopped::new(ExecutionOutcome::Error, ""))
            },
            None => {
                let message =
                    "the executor ended before the change was written; the workspace is as it was";
                // What is attached can be written now; a tool is not started again.
                let is_attached = self.is_frozen();
                let outcome =
                    if is_attached { ExecutionOutcome::Refused } else { ExecutionOutcome::Error };
                if is_attached {
                    (self.executor.unspend)(&self.stored.record, &self.dossier);
                }
                self.stopped(&Stopped::new(outcome, message))
            }
        };
        self.end(registry, report)
    }

    /// Gives the record back if nothing came of the run, else stores how it ended.
    fn end(&self, registry: &mut Registry, report: Report) -> Result<Report, ExecuteError> {
        match report.outcome {
            ExecutionOutcome::Refused => self.release(registry, report),
            _ => self.finish(registry, report),
        }
    }

    /// The record stays approved. Why is in the audit trail, and nowhere else: it has not run.
    fn release(&self, registry: &mut Registry, report: Report) -> Result<Report, ExecuteError> {
        let release = Event::Release { holder: self.executor.holder.name() };
        let why = json!({ "reason": report.error });
        match tell(registry, self.executor, self.id(), &release, None, Some(&why))? {
            Ok(_) => {
                self.on_step(RunStep::Finished);
                Ok(report)
            }
            Err(refusal) => {
                Ok(self.stopped(&Stopped::new(ExecutionOutcome::Error, refusal.to_string())))
            }
        }
    }

    /// Stores report and status together.
    fn finish(&self, registry: &mut Registry, report: Report) -> Result<Report, ExecuteError> {
        let holder = self.executor.holder.name();
        let finish = Event::Finish { holder, outcome: report.outcome };
        let finished = happen(registry, self.executor, self.id(), &finish, Some(&report))?;
        if let Err(refusal) = finished {
            return self.take_back(report, &refusal);
        }
        if report.outcome != ExecutionOutcome::Success {
            self.leave_receipt(&report);
        }
        self.on_step(RunStep::Finished);
        Ok(report)
    }

    /// A failure changed nothing, so its receipt goes without a transaction. One that cannot be written tells nobody else.
    fn leave_receipt(&self, report: &Report) {
        let record = &self.stored.record;
        let receipt = (self.executor.receipt)(record, &self.dossier, report, &sha256(b"{}"));
        if let Some((name, bytes)) = receipt {
            let _ = self.executor.workspace.write_shared(&name, &bytes);
        }
    }

    /// Somebody took the lease over while we were held up, and settled the record without our change.
    fn take_back(
        &self,
        report: Report,
        refusal: &TransitionRefusal,
    ) -> Result<Report, ExecuteError> {
        let transaction =
            report.transaction.as_deref().and_then(|it| it.parse::<TransactionId>().ok());
        if let Some(transaction) = transaction {
            let undone = self.executor.workspace.undo(Some(transaction), &self.meta());
            undone.map_err(|error| {
                let (id, source) = (self.id().clone(), Box::new(error));
                ExecuteError::NotTakenBack { id, transaction, source }
            })?;
        }
        Ok(self.stopped(&Stopped::new(ExecutionOutcome::Error, refusal.to_string())))
    }

    fn meta(&self) -> Meta {
        let record = &self.stored.record;
        let title = format!("{}: {}", record.id, record.goal.lines().next().unwrap_or_default());
        let notes = [("title", title), (DDS_NOTE, record.id.to_string())];
        Meta {
            command: "dds run".to_owned(),
            time: None,
            notes: notes.into_iter().map(|(name, note)| (name.to_owned(), note)).collect(),
        }
    }

    fn report(&self, trial: &ToolTrial) -> Report {
        let (outcome, error) = match &trial.verdict {
            Ok(_) => (ExecutionOutcome::Success, String::new()),
            Err(stopped) => (stopped.outcome, sanitize(&stopped.message)),
        };
        Report {
            dds: self.id().clone(),
            outcome,
            started_at: self.started,
            finished_at: (self.executor.clock)(),
            tool: self.stored.record.tool.clone(),
            sandbox: trial.level.map(|it| it.name().to_owned()),
            exit_code: trial.exit_code,
            error,
            changes: trial.changes.clone(),
            transaction: None,
        }
    }

    /// The report of a run that came to nothing.
    fn stopped(&self, stopped: &Stopped) -> Report {
        let verdict = Err(stopped.clone());
        self.report(&ToolTrial {
            verdict,
            level: None,
            exit_code: None,
            changes: Vec::new(),
            results: BTreeMap::new(),
        })
    }
}

/// Whether the files are others than those that the change was made for: nothing is wrong with the record then.
fn is_refusal(error: &workspace::CommitError) -> bool {
    use workspace::CommitError as E;
    matches!(
        error,
        E::Lock(_)
            | E::Apply(_)
            | E::Moving(_)
            | E::StaleIndex
            | E::ChangedMeanwhile { .. }
            | E::Interrupted { .. }
    )
}

/// Whether it is a change of the record's, and not of what regreen writes beside it.
fn is_of_the_tree(change: &ReportedChange) -> bool {
    !change.path.starts_with(".regreen/")
}

/// What a transaction did to a file, as reports say it.
fn reported_change(touched: &workspace::Touched) -> ReportedChange {
    let change =
        |path: &snapshot::RelPath, kind: &str, from: Option<&snapshot::RelPath>| ReportedChange {
            path: path.to_string(),
            kind: kind.to_owned(),
            from: from.map(ToString::to_string),
        };
    match touched {
        workspace::Touched::Edited(path) => change(path, "modify", None),
        workspace::Touched::Added(path) => change(path, "create", None),
        workspace::Touched::Deleted(path) => change(path, "delete", None),
        workspace::Touched::Renamed { from, to } => change(to, "rename", Some(from)),
    }
}

#[cfg(test)]
mod tests;
