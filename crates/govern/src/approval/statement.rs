//! What an approval says, as an in-toto Statement v1: the record, the attached patch and the files that it was made
//! for, the tool's whole definition, the repository, a nonce and an end. What is signed is its canonical JSON, and nothing
//! else; `statement_hash` is the SHA-256 of these bytes, so that `sha256sum` gives the same.
//!
//! Who says no, or takes a yes back, signs a statement too ([`Statement::rejection`], [`Statement::withdrawal`]): it binds the
//! record, its patch and the repository, and needs no tool and no end.
//!
//! Two statements are compared part by part ([`Statement::difference`]), so that whoever is refused learns what changed.
//! The files are not part of that: other bytes in a file make what was approved stale, not void.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::verify::VoidReason;
use crate::record::{Record, canonical};
use crate::time::Moment;

/// The type of every in-toto Statement of version 1.
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// What ours are about: this, the kind of decision, and a version.
const PREDICATE_TYPE: &str = "https://github.com/regreen/regreen/";

/// What a statement decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Decision {
    /// Yes.
    Approval,
    /// No, for good.
    Rejection,
    /// The same person's yes does not count any more.
    Withdrawal,
}

impl Decision {
    const ALL: [Decision; 3] = [Decision::Approval, Decision::Rejection, Decision::Withdrawal];

    /// Its name in statements and reports.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Approval => "approval",
            Decision::Rejection => "rejection",
            Decision::Withdrawal => "withdrawal",
        }
    }

    fn predicate_type(self) -> String {
        format!("{PREDICATE_TYPE}{}/v1", self.name())
    }
}

/// Where and with what a record would be carried out: what an approval binds beside the record and its patch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Context {
    /// The identity of the repository.
    pub repository: String,
    /// The number that is used once.
    pub nonce: String,
    /// The definition of the tool.
    pub tool: ToolDefinition,
    /// The SHA-256 of each file that the attached patch was made for, in hexadecimal; `None` for one that is not there.
    pub files: BTreeMap<String, Option<String>>,
}

/// All that a configuration says about a tool. The built-in tool has nothing to say but its name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ToolDefinition {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether it may use the network.
    pub network: bool,
    /// The names of the variables that it sees.
    pub environment: Vec<String>,
    /// What it may read beside the workspace and the system.
    pub readable: Vec<String>,
    /// How long it may run, in seconds.
    pub timeout: u64,
    /// How much memory each of its processes may use, in bytes.
    pub memory: u64,
    /// How much it may write, in bytes.
    pub disk: u64,
    /// The SHA-256 of every program or script that its command names and that lies in the repository.
    pub programs: BTreeMap<String, String>,
}

/// An in-toto Statement v1 about a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    value: Value,
    decision: Decision,
    nonce: String,
    /// Only an approval has one.
    expires: Option<Moment>,
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect()
}

fn record_json(record: &Record) -> Value {
    let mut value = record.to_json();
    if let Value::Object(members) = &mut value {
        members.shift_remove("status");
    }
    value
}

impl Statement {
    /// The statement that says yes to a record until then.
    pub fn new(
        record: &Record,
        patch: Option<&[u8]>,
        context: &Context,
        expires: Moment,
    ) -> Statement {
        let digest = |hex: &str| json!({ "sha256": hex });
        let mut predicate = Map::new();
        let files = context
            .files
            .iter()
            .map(|(path, hash)| (path.clone(), hash.as_deref().map_or(Value::Null, &digest)));
        predicate.insert("files".to_owned(), Value::Object(files.collect()));
        let tool = &context.tool;
        let programs = tool.programs.iter().map(|(path, hex)| (path.clone(), digest(hex)));
        let tool = json!({
            "name": record.tool,
            "command": tool.command,
            "network": tool.network,
            "environment": tool.environment,
            "readable": tool.readable,
            "timeout_seconds": tool.timeout,
            "memory_bytes": tool.memory,
            "disk_bytes": tool.disk,
            "programs": Value::Object(programs.collect()),
        });
        predicate.insert("tool".to_owned(), tool);
        predicate.insert("expires".to_owned(), json!(expires.to_string()));
        let whole = Statement::of(Decision::Approval, record, patch, context, predicate);
        Statement { expires: Some(expires), ..whole }
    }

    /// The statement that says no to a record.
    pub fn rejection(
        record: &Record,
        patch: Option<&[u8]>,
        context: &Context,
        reason: &str,
    ) -> Statement {
        let predicate = Map::from_iter([("reason".to_owned(), json!(reason))]);
        Statement::of(Decision::Rejection, record, patch, context, predicate)
    }

    /// The statement that takes an approval back, which had that hash.
    pub fn withdrawal(
        record: &Record,
        patch: Option<&[u8]>,
        context: &Context,
        withdrawn: &str,
        reason: &str,
    ) -> Statement {
        let predicate = Map::from_iter([
            ("reason".to_owned(), json!(reason)),
            ("withdraws".to_owned(), json!(withdrawn)),
        ]);
        Statement::of(Decision::Withdrawal, record, patch, context, predicate)
    }

    /// What all kinds say, and what this one adds.
    fn of(
        decision: Decision,
        record: &Record,
        patch: Option<&[u8]>,
        context: &Context,
        mut predicate: Map<String, Value>,
    ) -> Statement {
        let said = record_json(record);
        let digest = |hex: &str| json!({ "sha256": hex });
        let mut subject = vec![
            json!({ "name": record.id.as_str(), "digest": digest(&sha256(&canonical(&said))) }),
        ];
        predicate.insert("record".to_owned(), said);
        let patch = patch.map(sha256);
        if let Some(hex) = &patch {
            subject.push(json!({ "name": "patch", "digest": digest(hex) }));
        }
        predicate.insert("patch".to_owned(), patch.map_or(Value::Null, |hex| digest(&hex)));
        predicate.insert("repository".to_owned(), json!(context.repository));
        predicate.insert("nonce".to_owned(), json!(context.nonce));
        let value = json!({
            "_type": STATEMENT_TYPE,
            "subject": subject,
            "predicateType": decision.predicate_type(),
            "predicate": predicate,
        });
        Statement { value, decision, nonce: context.nonce.clone(), expires: None }
    }

    /// Reads one that was written before; `None` if it is none of this kind and version. Whatever else it says is for
    /// [`Statement::difference`] to find.
    pub fn from_json(value: &Value) -> Option<Statement> {
        let text = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
        let kind = text(value, "predicateType")?;
        let decision = Decision::ALL.into_iter().find(|it| it.predicate_type() == kind)?;
        let is_ours = text(value, "_type")? == STATEMENT_TYPE;
        let predicate = value.get("predicate").filter(|_| is_ours)?;
        let expires = match decision {
            Decision::Approval => {
                let written = text(predicate, "expires")?;
                Some(Moment::parse(&written).ok().filter(|it| it.to_string() == written)?)
            }
            Decision::Rejection | Decision::Withdrawal => None,
        };
        let nonce = text(predicate, "nonce")?;
        Some(Statement { value: value.clone(), decision, nonce, expires })
    }

    /// What it decides.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Why, where somebody says no or takes a yes back.
    pub fn reason(&self) -> Option<&str> {
        self.part("reason").as_str()
    }

    /// The hash of the approval that it takes back.
    pub fn withdraws(&self) -> Option<&str> {
        self.part("withdraws").as_str()
    }

    /// The repository that it is about.
    pub fn repository(&self) -> Option<&str> {
        self.part("repository").as_str()
    }

    /// The statement as JSON.
    pub fn to_json(&self) -> &Value {
        &self.value
    }

    /// The bytes that are signed: its canonical JSON.
    pub fn bytes(&self) -> Vec<u8> {
        canonical(&self.value)
    }

    /// The hash of these bytes.
    pub fn hash(&self) -> String {
        format!("sha256:{}", sha256(&self.bytes()))
    }

    /// The number that is used once.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// From when on it says nothing any more; `None` if it always does.
    pub fn expires(&self) -> Option<Moment> {
        self.expires
    }

    /// The SHA-256 of the files that the patch was made for, as they were.
    pub fn files(&self) -> BTreeMap<String, Option<String>> {
        let hash = |it: &Value| it.get("sha256").and_then(Value::as_str).map(str::to_owned);
        let files = self.part("files").as_object();
        files.into_iter().flatten().map(|(path, it)| (path.clone(), hash(it))).collect()
    }

    /// The SHA-256 of the programs of the repository that the tool runs.
    pub fn programs(&self) -> BTreeMap<String, String> {
        let programs = self.part("tool").get("programs").and_then(Value::as_object);
        let hash = |it: &Value| Some(it.get("sha256")?.as_str()?.to_owned());
        let programs = programs.into_iter().flatten();
        programs.filter_map(|(path, it)| Some((path.clone(), hash(it)?))).collect()
    }

    /// Whether it is about this record with this patch, byte by byte.
    pub fn is_about(&self, record: &Record, patch: Option<&[u8]>) -> bool {
        let patch = patch.map_or(Value::Null, |it| json!({ "sha256": sha256(it) }));
        canonical(self.part("record")) == canonical(&record_json(record))
            && *self.part("patch") == patch
    }

    /// What was approved by this one and is another thing now, where `now` is the statement that would be made of what is
    /// there; the first part that differs.
    pub(super) fn difference(&self, now: &Statement) -> Option<VoidReason> {
        let differs = |name: &str| canonical(self.part(name)) != canonical(now.part(name));
        if differs("patch") {
            return Some(match (self.part("patch"), now.part("patch")) {
                (Value::Null, _) => VoidReason::PatchAttached,
                (_, Value::Null) => VoidReason::PatchGone,
                _ => VoidReason::Patch,
            });
        }
        if differs("record") {
            return Some(VoidReason::Record);
        }
        if differs("repository") {
            return Some(VoidReason::Repository);
        }
        if base(&self.nonce) != base(&now.nonce) {
            return Some(VoidReason::Nonce);
        }
        let programs = |it: &Statement| it.part("tool").get("programs").cloned();
        if differs("tool") {
            let mut without = self.part("tool").clone();
            if let (Value::Object(members), Some(there)) = (&mut without, programs(now)) {
                members.insert("programs".to_owned(), there);
            }
            let only_programs = canonical(&without) == canonical(now.part("tool"));
            return Some(if only_programs { VoidReason::Program } else { VoidReason::Tool });
        }
        // Everything else follows from these parts, or it is not a statement that regreen makes.
        let mut rest = now.value.clone();
        if let Some(Value::Object(members)) = rest.get_mut("predicate") {
            for name in ["nonce", "expires", "files"] {
                members.insert(name.to_owned(), self.part(name).clone());
            }
        }
        (canonical(&rest) != self.bytes()).then_some(VoidReason::Form)
    }

    /// Whether a no is about another record, repository or proposal.
    pub(super) fn other_matter(&self, record: &Record, context: &Context) -> Option<VoidReason> {
        if canonical(self.part("record")) != canonical(&record_json(record)) {
            return Some(VoidReason::Record);
        }
        if self.repository() != Some(&context.repository) {
            return Some(VoidReason::Repository);
        }
        (base(&self.nonce) != base(&context.nonce)).then_some(VoidReason::Nonce)
    }

    fn part(&self, name: &str) -> &Value {
        self.value.get("predicate").and_then(|it| it.get(name)).unwrap_or(&Value::Null)
    }
}

/// A nonce is the one of the proposal, and how often an approval of it was used: `BASE-N`.
fn base(nonce: &str) -> &str {
    nonce.rsplit_once('-').map_or(nonce, |(base, _)| base)
}

/// The first moment of the day after so many days: an approval of today counts until then. It is the same all day, so that
/// what was shown in the morning is what is signed in the afternoon.
pub fn expiry(now: Moment, days: u32) -> Moment {
    const DAY: i64 = 24 * 60 * 60;
    let seconds = now.micros().div_euclid(1_000_000);
    let midnight = seconds - seconds.rem_euclid(DAY);
    Moment::from_micros(0).plus_seconds(midnight + DAY * (i64::from(days) + 1))
}
