//! The audit trail, pure: one line for everything that happened or was refused, each bound to the one before it by a
//! hash, so that a line that was changed, taken out, added or moved is found, with its place.
//!
//! A trail explains the registry: [`replay`] walks the lines of a record through the state machine and gives what must be
//! stored. Who can write to the database can also write a whole new trail; the hash of the last line, kept elsewhere,
//! tells that apart.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::id::Id;
use crate::lifecycle::{self, Event, ExecutionOutcome, Lease, RecordState};
use crate::record::{Status, canonical};
use crate::time::Moment;

/// One line of the trail.
#[derive(Clone, PartialEq, Debug)]
pub struct AuditLine {
    /// Its number, from 1, without gaps.
    pub seq: i64,
    /// When.
    pub at: Moment,
    /// Who.
    pub actor: String,
    /// The record that it is about.
    pub dds: Id,
    /// `add`, `import`, `rename` or the name of an event.
    pub event: String,
    /// The status before; `None` if there was no record.
    pub from: Option<String>,
    /// The status after. The same as before where the event was refused.
    pub to: String,
    /// What else there is to know. See [`Details`] for the members.
    pub details: Map<String, Value>,
    /// The hash of the record's text.
    pub body_hash: String,
    /// The hash of the line before; `None` in the first.
    pub previous: Option<String>,
    /// The hash of everything above.
    pub hash: String,
}

/// Names of the members of a line's details.
#[derive(Clone, Copy, Debug)]
pub struct Details;

impl Details {
    /// Who holds the lease, until when, how the run ended: what the event itself says.
    pub const EVENT: &'static str = "event";
    /// Why the event was refused.
    pub const REFUSED: &'static str = "refused";
    /// Hashes of the reports that came with it.
    pub const REPORTS: &'static str = "reports";
    /// The hash of the approval that came with it.
    pub const APPROVAL: &'static str = "approval";
    /// The hash of the attached patch.
    pub const PATCH: &'static str = "patch";
    /// The number that approvals are bound to, in the line of an addition.
    pub const NONCE: &'static str = "nonce";
    /// The repository that the record belongs to, in the line of an addition.
    pub const REPOSITORY: &'static str = "repository";
    /// What the caller adds.
    pub const GIVEN: &'static str = "given";
}

/// A place in the registry.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum AuditSubject {
    /// The file or server as a whole.
    Database,
    /// The line of that number.
    Line(i64),
    /// The end of the trail.
    Head,
    /// The record of that name.
    Record(String),
    /// The patch of that record.
    Patch(String),
    /// The reports of that record.
    Report(String),
    /// The approval of that record.
    Approval(String),
}

impl fmt::Display for AuditSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditSubject::Database => write!(f, "database"),
            AuditSubject::Line(seq) => write!(f, "audit line {seq}"),
            AuditSubject::Head => write!(f, "end of the audit trail"),
            AuditSubject::Record(id) => write!(f, "record {id}"),
            AuditSubject::Patch(id) => write!(f, "patch of {id}"),
            AuditSubject::Report(id) => write!(f, "report of {id}"),
            AuditSubject::Approval(id) => write!(f, "approval of {id}"),
        }
    }
}

/// Something that is not as it was written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flaw {
    /// Where.
    pub place: AuditSubject,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The hash of stored bytes, as lines have it.
pub fn content_hash(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes))
}

impl AuditLine {
    /// The line with its hash set to what its other members give.
    #[must_use]
    pub fn sealed(mut self) -> AuditLine {
        self.hash = self.expected_hash();
        self
    }

    /// What its hash must be.
    pub fn expected_hash(&self) -> String {
        let mut value = self.to_json();
        if let Value::Object(members) = &mut value {
            members.shift_remove("hash");
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"regreen audit line 1\n");
        hasher.update(&canonical(&value));
        format!("blake3:{}", hasher.finalize())
    }

    /// The line as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "seq": self.seq,
            "at": self.at.to_string(),
            "actor": self.actor,
            "dds": self.dds.as_str(),
            "event": self.event,
            "from": self.from,
            "to": self.to,
            "details": self.details,
            "body_hash": self.body_hash,
            "previous": self.previous,
            "hash": self.hash,
        })
    }

    /// Its text, the canonical JSON: the same line has one text only.
    pub fn text(&self) -> String {
        String::from_utf8(canonical(&self.to_json())).expect("canonical JSON is UTF-8")
    }

    /// Reads the text of a line; `None` if it is not exactly what [`AuditLine::text`] writes.
    pub fn parse(text: &str) -> Option<AuditLine> {
        let value: Value = serde_json::from_str(text).ok()?;
        let member = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let optional = |name: &str| match value.get(name)? {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => None,
        };
        let line = AuditLine {
            seq: value.get("seq")?.as_i64()?,
            at: Moment::parse(&member("at")?).ok()?,
            actor: member("actor")?,
            dds: Id::parse(&member("dds")?).ok()?,
            event: member("event")?,
            from: optional("from")?,
            to: member("to")?,
            details: value.get("details")?.as_object()?.clone(),
            body_hash: member("body_hash")?,
            previous: optional("previous")?,
            hash: member("hash")?,
        };
        (line.text() == text).then_some(line)
    }

    /// Why the event was refused, if it was.
    pub fn refused(&self) -> Option<&str> {
        self.details.get(Details::REFUSED).and_then(Value::as_str)
    }
}

/// Reads a whole trail, in the order of its numbers, and says where it is broken. Lines that cannot be read are left out.
pub fn check_chain(texts: &[(i64, String)]) -> (Vec<AuditLine>, Vec<Flaw>) {
    let mut lines: Vec<AuditLine> = Vec::with_capacity(texts.len());
    let mut flaws = Vec::new();
    let mut previous: Option<String> = None;
    let mut expected_seq = 1;
    for (seq, text) in texts {
        let mut flaw =
            |message: String| flaws.push(Flaw { place: AuditSubject::Line(*seq), message });
        match seq.saturating_sub(expected_seq) {
            0 => {}
            1 => flaw(format!("line {expected_seq} before it is missing")),
            2.. => {
                let last = seq.saturating_sub(1);
                flaw(format!("lines {expected_seq} to {last} before it are missing"));
            }
            _ => flaw("the first line must have number 1".to_owned()),
        }
        let follows_gap = *seq != expected_seq;
        expected_seq = seq.saturating_add(1);
        let Some(line) = AuditLine::parse(text) else {
            flaw("it cannot be read".to_owned());
            previous = None;
            continue;
        };
        if line.seq != *seq {
            flaw(format!("it claims to be line {}", line.seq));
        }
        if line.hash != line.expected_hash() {
            flaw("it was changed: its hash differs".to_owned());
        } else if line.previous != previous && !follows_gap && (previous.is_some() || *seq == 1) {
            flaw("it does not follow the line before it".to_owned());
        }
        previous = Some(line.hash.clone());
        lines.push(line);
    }
    (lines, flaws)
}

/// What the lines of one record say must be stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The line by which it came.
    pub added: i64,
    /// The status.
    pub status: String,
    /// The lease, if it runs.
    pub lease: Option<Lease>,
    /// The number of changes, the first being its addition.
    pub version: i64,
    /// The line of the last change.
    pub changed: i64,
    /// The hash of its text.
    pub body_hash: String,
    /// The hash of the attached patch.
    pub patch: Option<String>,
    /// Hashes of its reports, in order.
    pub reports: Vec<String>,
    /// The hash of its approval.
    pub approval: Option<String>,
    /// The number that its approvals are bound to, if the lines are so young.
    pub nonce: Option<String>,
    /// The repository that it belongs to, if the lines are so young.
    pub repository: Option<String>,
}

/// Walks the lines of one record, in order, through the state machine.
pub fn replay(lines: &[&AuditLine]) -> Result<Replayed, Flaw> {
    let mut replayed: Option<Replayed> = None;
    for line in lines {
        let flaw = |message: String| Flaw { place: AuditSubject::Line(line.seq), message };
        replayed = match replayed.take() {
            None => Some(first(line).map_err(flaw)?),
            // It goes on under another name; who comes next under this one is another record.
            Some(state) if line.event == RENAME && line.refused().is_none() => {
                let fits = line.body_hash == state.body_hash
                    && line.from.as_deref() == Some(state.status.as_str());
                match fits {
                    true => None,
                    false => {
                        return Err(flaw("it is about another record with that name".to_owned()));
                    }
                }
            }
            Some(state) => Some(following(state, line).map_err(flaw)?),
        };
    }
    replayed.ok_or(Flaw {
        place: AuditSubject::Head,
        message: "there are no lines to replay".to_owned(),
    })
}

/// The event by which a record gives its name to another one, and is kept under a new one.
pub(crate) const RENAME: &str = "rename";

fn text_of(line: &AuditLine, name: &str) -> Option<String> {
    line.details.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn reports_of(line: &AuditLine) -> Vec<String> {
    let hashes = line.details.get(Details::REPORTS).and_then(Value::as_array);
    hashes.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

fn first(line: &AuditLine) -> Result<Replayed, String> {
    let is_fine = match line.event.as_str() {
        "add" => line.to == Status::Proposed.name(),
        // A current record never comes in as approved; a legacy one has whatever status it had, and cannot run.
        "import" => true,
        // What was approved was another name.
        RENAME => line.to != Status::Approved.name(),
        _ => false,
    };
    if !is_fine || line.from.is_some() || line.refused().is_some() {
        return Err(format!("the first line of {} does not add it", line.dds));
    }
    Ok(Replayed {
        added: line.seq,
        status: line.to.clone(),
        lease: None,
        version: 1,
        changed: line.seq,
        body_hash: line.body_hash.clone(),
        patch: text_of(line, Details::PATCH),
        reports: reports_of(line),
        approval: None,
        nonce: text_of(line, Details::NONCE),
        repository: text_of(line, Details::REPOSITORY),
    })
}

fn following(mut replayed: Replayed, line: &AuditLine) -> Result<Replayed, String> {
    if line.body_hash != replayed.body_hash {
        return Err(format!("it is about another text of {}", line.dds));
    }
    if line.from.as_deref() != Some(replayed.status.as_str()) {
        return Err(format!(
            "{} was {} then, which is not what the line says",
            line.dds, replayed.status
        ));
    }
    if line.refused().is_some() {
        return match line.to == replayed.status {
            true => Ok(replayed),
            false => Err("a rejected event changed the status".to_owned()),
        };
    }
    let status = Status::named(&replayed.status)
        .ok_or_else(|| format!("{} has a legacy status and cannot change", line.dds))?;
    let before = RecordState { status, lease: replayed.lease.take() };
    let after = match line.event.as_str() {
        // An approval cannot be made from a line, so this one step is written out.
        "approve"
            if before.lease.is_none() && [Status::Proposed, Status::Approved].contains(&status) =>
        {
            RecordState { status: Status::Approved, lease: None }
        }
        // Before X-70 a refusal ended a record. What was written then still counts as it did.
        "finish" if is_refusal_of_before(line) && before.lease.is_some() => {
            RecordState { status: Status::Failed, lease: None }
        }
        _ => {
            let event =
                event_of(line).ok_or("its event cannot be read, or is not possible here")?;
            lifecycle::step(&before, &event).map_err(|refusal| refusal.to_string())?
        }
    };
    if after.status.name() != line.to {
        return Err(format!("its event leads to {}, not to {}", after.status, line.to));
    }
    if let Some(hash) = text_of(line, Details::APPROVAL) {
        replayed.approval = Some(hash);
    }
    if let Some(hash) = text_of(line, Details::PATCH) {
        replayed.patch = Some(hash);
    }
    replayed.status = after.status.name().to_owned();
    replayed.lease = after.lease;
    replayed.version += 1;
    replayed.changed = line.seq;
    replayed.reports.extend(reports_of(line));
    Ok(replayed)
}

fn is_refusal_of_before(line: &AuditLine) -> bool {
    let outcome = line.details.get(Details::EVENT).and_then(|it| it.get("outcome"));
    outcome.and_then(Value::as_str) == Some(ExecutionOutcome::Refused.name())
}

/// What an event says, as a line keeps it. Moments are kept to the microsecond, as the registry does.
pub fn event_json(event: &Event) -> Value {
    let moment = |it: &Moment| Moment::from_micros(it.micros()).to_string();
    match event {
        Event::Approve(approved) => json!({ "by": approved.by() }),
        Event::Sign | Event::Plan | Event::Reject | Event::Withdraw | Event::Comment => json!({}),
        Event::Close { outcome } => json!({ "outcome": outcome.name() }),
        Event::Claim { holder, now, until } => {
            json!({ "holder": holder, "now": moment(now), "until": moment(until) })
        }
        Event::Begin { holder } | Event::Commit { holder } | Event::Release { holder } => {
            json!({ "holder": holder })
        }
        Event::Renew { holder, until } => json!({ "holder": holder, "until": moment(until) }),
        Event::Finish { holder, outcome } => json!({ "holder": holder, "outcome": outcome.name() }),
    }
}

fn event_of(line: &AuditLine) -> Option<Event> {
    let said = line.details.get(Details::EVENT)?;
    let text = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
    let moment = |name: &str| Moment::parse(&text(name)?).ok();
    Some(match line.event.as_str() {
        "sign" => Event::Sign,
        "plan" => Event::Plan,
        "reject" => Event::Reject,
        "withdraw" => Event::Withdraw,
        "comment" => Event::Comment,
        "close" => Event::Close { outcome: ExecutionOutcome::named(&text("outcome")?)? },
        "claim" => {
            Event::Claim { holder: text("holder")?, now: moment("now")?, until: moment("until")? }
        }
        "begin" => Event::Begin { holder: text("holder")? },
        "commit" => Event::Commit { holder: text("holder")? },
        "release" => Event::Release { holder: text("holder")? },
        "renew" => Event::Renew { holder: text("holder")?, until: moment("until")? },
        "finish" => Event::Finish {
            holder: text("holder")?,
            outcome: ExecutionOutcome::named(&text("outcome")?)?,
        },
        _ => return None,
    })
}
