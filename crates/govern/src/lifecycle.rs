//! The life of a record, pure: [`step`] is the only way from one state to the next, and refuses whatever is not listed.
//!
//! ```text
//!              Approve                 Claim, Begin, Commit, Renew, Release: the lease
//!  proposed ───────────▶ approved ◀───────────────────────────────────────────┐
//!     │ Reject       Reject │ └────────────────────────────────────────────────┘
//!     ▼  ◀──────────────────┤ Finish, or Close by a receipt (from proposed too)
//!  rejected                 ├──────────▶ executed   (success)
//!                           └──────────▶ failed     (anything else)
//! ```
//!
//! Sign, Withdraw and Plan change what an approval adds up to and not the status; a comment changes nothing (X-42).
//!
//! L1: a record runs at most once. Its lease says how far a run came; who takes over an expired lease after the tool
//!     was started settles what happened, and never starts the tool again.
//! L2: only [`Event::Approve`] leads to `approved`, and only an [`crate::approval::Approved`] makes one. The worker and
//!     the executor cannot make that value.
//! L3: `rejected`, `executed` and `failed` are final (DF-44).
//! L4: a refusal is not a failure. Whoever could not start, or found the files changed when the result was to be written,
//!     releases the record: it stays approved and can be run again (X-70).
//! L5: a receipt that came from a clone closes a record that nobody runs. It never approves or runs one (X-44).

use crate::approval::Approved;
use crate::record::Status;
use crate::time::Moment;

/// Where a record stands: its status and, while it runs, its lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordState {
    /// The status.
    pub status: Status,
    /// Who runs it, and how far that came. Only an approved record has one.
    pub lease: Option<Lease>,
}

/// The right to run a record, for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Who holds it.
    pub holder: String,
    /// When it may be taken over.
    pub until: Moment,
    /// How far the run came.
    pub phase: Phase,
}

/// How far a run came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Nothing was started.
    Claimed,
    /// The tool was started. Nothing was written to the workspace.
    Running,
    /// The result may be in the workspace: its journal knows.
    Committing,
}

impl Phase {
    /// Its name in the registry.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Claimed => "claimed",
            Phase::Running => "running",
            Phase::Committing => "committing",
        }
    }

    /// The phase of that name.
    pub fn named(name: &str) -> Option<Phase> {
        [Phase::Claimed, Phase::Running, Phase::Committing].into_iter().find(|it| it.name() == name)
    }
}

/// How a run ended (X-34). Never mixed with [`Status`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExecutionOutcome {
    /// The change is in the workspace.
    Success,
    /// The tool failed, timed out, changed nothing, or broke its scope or a constraint.
    Failed,
    /// It was not started, or its result not written: the approval does not hold, the bytes are stale, the tool is not
    /// configured, somebody saved a file meanwhile. Nothing happened, and the record stays as it was (X-70).
    Refused,
    /// The executor itself could not do its work, or ended on the way.
    Error,
}

impl ExecutionOutcome {
    /// All of them.
    pub const ALL: [ExecutionOutcome; 4] = [
        ExecutionOutcome::Success,
        ExecutionOutcome::Failed,
        ExecutionOutcome::Refused,
        ExecutionOutcome::Error,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ExecutionOutcome::Success => "success",
            ExecutionOutcome::Failed => "failed",
            ExecutionOutcome::Refused => "refused",
            ExecutionOutcome::Error => "error",
        }
    }

    /// The outcome of that name.
    pub fn named(name: &str) -> Option<ExecutionOutcome> {
        ExecutionOutcome::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The status that it leads to.
    pub fn status(self) -> Status {
        match self {
            ExecutionOutcome::Success => Status::Executed,
            ExecutionOutcome::Failed | ExecutionOutcome::Error => Status::Failed,
            ExecutionOutcome::Refused => Status::Approved,
        }
    }
}

/// What may happen to a record.
#[derive(Clone, Debug)]
pub enum Event {
    /// A person said yes, and that is enough. An approved record that nobody runs can be approved anew.
    Approve(Approved),
    /// A person said yes, and more people are needed.
    Sign,
    /// What a tool would do was found out and attached, in place of what was attached before.
    Plan,
    /// A person said no.
    Reject,
    /// A person took a yes back. An approved record stays approved; whether it can be run is for its approvals to say.
    Withdraw,
    /// A person said something about it.
    Comment,
    /// It was carried out in another clone.
    Close {
        /// How that ended.
        outcome: ExecutionOutcome,
    },
    /// Someone wants to run it, until then.
    Claim {
        /// Who.
        holder: String,
        /// The time now.
        now: Moment,
        /// When the lease ends.
        until: Moment,
    },
    /// The tool is about to be started.
    Begin {
        /// Who runs it.
        holder: String,
    },
    /// The result is about to be written to the workspace.
    Commit {
        /// Who runs it.
        holder: String,
    },
    /// The run goes on.
    Renew {
        /// Who runs it.
        holder: String,
        /// When the lease ends then.
        until: Moment,
    },
    /// The run came to nothing, for a reason that is not the record's: it may be run again.
    Release {
        /// Who gives it back.
        holder: String,
    },
    /// The run ended, as anything but a refusal.
    Finish {
        /// Who ran it.
        holder: String,
        /// How.
        outcome: ExecutionOutcome,
    },
}

impl Event {
    /// Its name in the audit trail.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Approve(_) => "approve",
            Event::Sign => "sign",
            Event::Plan => "plan",
            Event::Reject => "reject",
            Event::Withdraw => "withdraw",
            Event::Comment => "comment",
            Event::Close { .. } => "close",
            Event::Claim { .. } => "claim",
            Event::Begin { .. } => "begin",
            Event::Commit { .. } => "commit",
            Event::Renew { .. } => "renew",
            Event::Release { .. } => "release",
            Event::Finish { .. } => "finish",
        }
    }
}

/// Why an event was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransitionRefusal {
    /// The status has no such way out.
    #[error("a record that is {status} cannot be {}", past(.event))]
    Status {
        /// The status.
        status: Status,
        /// The event.
        event: &'static str,
    },
    /// Someone else runs it.
    #[error("{holder} runs it until {until}")]
    Leased {
        /// Who.
        holder: String,
        /// How long the lease lasts.
        until: Moment,
    },
    /// Only the holder of the lease says how the run goes.
    #[error("{holder:?} does not hold the lease")]
    NotHolder {
        /// Who said so.
        holder: String,
    },
    /// The run has not come that far, or came further.
    #[error("a run that is {} cannot {event}", .phase.name())]
    Phase {
        /// How far it came.
        phase: Phase,
        /// The event.
        event: &'static str,
    },
}

fn past(event: &str) -> &str {
    match event {
        "approve" => "approved",
        "sign" => "signed",
        "plan" => "planned",
        "reject" => "rejected",
        "withdraw" => "withdrawn",
        "comment" => "commented on",
        "close" => "closed",
        "claim" => "claimed",
        "begin" => "begun",
        "commit" => "committed",
        "renew" => "renewed",
        "release" => "released",
        "finish" => "finished",
        other => other,
    }
}

/// The state after an event, or why it is refused.
pub fn step(state: &RecordState, event: &Event) -> Result<RecordState, TransitionRefusal> {
    let refused = || TransitionRefusal::Status { status: state.status, event: event.name() };
    match (state.status, event) {
        (Status::Proposed | Status::Approved, Event::Approve(_)) => {
            unleased(state)?;
            Ok(RecordState { status: Status::Approved, lease: None })
        }
        (Status::Proposed, Event::Plan) | (_, Event::Comment) => Ok(state.clone()),
        (Status::Proposed | Status::Approved, Event::Sign | Event::Withdraw) => {
            unleased(state)?;
            Ok(state.clone())
        }
        (Status::Proposed | Status::Approved, Event::Reject) => {
            unleased(state)?;
            Ok(RecordState { status: Status::Rejected, lease: None })
        }
        (Status::Proposed | Status::Approved, Event::Close { outcome })
            if *outcome != ExecutionOutcome::Refused =>
        {
            unleased(state)?;
            Ok(RecordState { status: outcome.status(), lease: None })
        }
        (Status::Approved, Event::Claim { holder, now, until }) => {
            claim(state, holder, *now, *until)
        }
        (Status::Approved, Event::Begin { holder }) => {
            advance(state, holder, event, &[Phase::Claimed], Phase::Running)
        }
        // What is attached is written without a tool being started.
        (Status::Approved, Event::Commit { holder }) => {
            advance(state, holder, event, &[Phase::Claimed, Phase::Running], Phase::Committing)
        }
        (Status::Approved, Event::Renew { holder, until }) => {
            let lease = held(state, holder)?;
            let until = lease.until.max(*until);
            Ok(RecordState { status: state.status, lease: Some(Lease { until, ..lease.clone() }) })
        }
        // Only the holder knows whether anything came of what it was about to do.
        (Status::Approved, Event::Release { holder }) => {
            held(state, holder)?;
            Ok(RecordState { status: state.status, lease: None })
        }
        (Status::Approved, Event::Finish { holder, outcome }) => {
            let lease = held(state, holder)?;
            let is_possible = match outcome {
                ExecutionOutcome::Success => lease.phase == Phase::Committing,
                ExecutionOutcome::Failed | ExecutionOutcome::Error => true,
                ExecutionOutcome::Refused => false,
            };
            if !is_possible {
                return Err(TransitionRefusal::Phase { phase: lease.phase, event: event.name() });
            }
            Ok(RecordState { status: outcome.status(), lease: None })
        }
        _ => Err(refused()),
    }
}

/// What is being carried out is not changed meanwhile.
fn unleased(state: &RecordState) -> Result<(), TransitionRefusal> {
    match &state.lease {
        None => Ok(()),
        Some(it) => Err(TransitionRefusal::Leased { holder: it.holder.clone(), until: it.until }),
    }
}

/// An expired lease passes on with its phase: what was started is not forgotten (L1).
fn claim(
    state: &RecordState,
    holder: &str,
    now: Moment,
    until: Moment,
) -> Result<RecordState, TransitionRefusal> {
    let phase = match &state.lease {
        None => Phase::Claimed,
        Some(lease) if lease.until <= now => lease.phase,
        Some(lease) => {
            return Err(TransitionRefusal::Leased {
                holder: lease.holder.clone(),
                until: lease.until,
            });
        }
    };
    let lease = Lease { holder: holder.to_owned(), until, phase };
    Ok(RecordState { status: state.status, lease: Some(lease) })
}

fn held<'a>(state: &'a RecordState, holder: &str) -> Result<&'a Lease, TransitionRefusal> {
    match &state.lease {
        Some(lease) if lease.holder == holder => Ok(lease),
        _ => Err(TransitionRefusal::NotHolder { holder: holder.to_owned() }),
    }
}

fn advance(
    state: &RecordState,
    holder: &str,
    event: &Event,
    from: &[Phase],
    to: Phase,
) -> Result<RecordState, TransitionRefusal> {
    let lease = held(state, holder)?;
    if !from.contains(&lease.phase) {
        return Err(TransitionRefusal::Phase { phase: lease.phase, event: event.name() });
    }
    Ok(RecordState { status: state.status, lease: Some(Lease { phase: to, ..lease.clone() }) })
}

#[cfg(test)]
mod tests;
