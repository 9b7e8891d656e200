//! A proposal as a value: DDS version 2, `code_change` and `code_fix`. The record is closed: members that the contract
//! does not name are refused, but for those that start with `x_`, which are kept as they are and signed with the rest.
//!
//! A record is read in two steps. [`crate::shape`] makes one of JSON or says everything that is wrong with its form;
//! [`crate::accept()`] adds the rules that need to know other records.

use std::fmt;

use measure::{Constraints, ScopeEntry};
use serde_json::{Map, Value, json};

use crate::id::Id;
use crate::time::Moment;

/// A proposal. What it says never changes after it was stored; only its status does.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Its name.
    pub id: Id,
    /// Change or correction.
    pub kind: RecordKind,
    /// The project that it is about.
    pub project: String,
    /// What is to be reached.
    pub goal: String,
    /// What to do, step by step.
    pub instructions: Vec<String>,
    /// Where it may write.
    pub allowed_paths: Vec<ScopeEntry>,
    /// The tool that does it, by its name in the configuration.
    pub tool: String,
    /// What the result must keep to.
    pub constraints: Constraints,
    /// Where it stands in its life.
    pub status: Status,
    /// Members that start with `x_`, in the order in which they stood.
    pub extra: Map<String, Value>,
}

/// What kind of proposal a record is.
#[derive(Clone, PartialEq, Debug)]
pub enum RecordKind {
    /// Something new.
    CodeChange,
    /// The correction of a record that failed.
    CodeFix {
        /// The record that failed.
        source: Id,
        /// How it failed.
        error: ErrorContext,
    },
}

impl RecordKind {
    /// The value of the member `type`.
    pub fn name(&self) -> &'static str {
        match self {
            RecordKind::CodeChange => "code_change",
            RecordKind::CodeFix { .. } => "code_fix",
        }
    }
}

/// How a record failed, as far as a correction needs to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorContext {
    /// What the tool or the executor said: never empty, at most 500 characters, sanitised.
    pub message: String,
    /// When it failed, in the words of the record.
    pub failed_at: Moment,
    /// The moment as it was written: a time without a zone is kept as it came.
    pub failed_at_text: String,
}

/// The most files that a correction may change, whatever its source allows (DF-17).
pub const MAX_FIX_FILES: u32 = 3;

/// The constraints of a correction of a record with these: never looser, and never loose (DF-17, DF-18, DF-19, DF-21).
pub(crate) fn inherited(source: &Constraints) -> Constraints {
    let max_files_changed = source.max_files_changed.unwrap_or(MAX_FIX_FILES).min(MAX_FIX_FILES);
    Constraints {
        max_files_changed: Some(max_files_changed),
        no_new_dependencies: Some(true),
        no_refactor: Some(true),
    }
}

fn constraints_to_json(constraints: &Constraints) -> Value {
    let mut members = Map::new();
    if let Some(n) = constraints.max_files_changed {
        members.insert("max_files_changed".to_owned(), json!(n));
    }
    if let Some(flag) = constraints.no_new_dependencies {
        members.insert("no_new_dependencies".to_owned(), json!(flag));
    }
    if let Some(flag) = constraints.no_refactor {
        members.insert("no_refactor".to_owned(), json!(flag));
    }
    Value::Object(members)
}

/// Where a record stands in its life. While it runs it stays approved and carries a lease.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Nobody has decided yet.
    Proposed,
    /// A person said yes to these bytes.
    Approved,
    /// A person said no.
    Rejected,
    /// It ran and its change is in the workspace.
    Executed,
    /// It ran and nothing changed.
    Failed,
}

impl Status {
    /// All of them, in the order of a life.
    pub const ALL: [Status; 5] =
        [Status::Proposed, Status::Approved, Status::Rejected, Status::Executed, Status::Failed];

    /// The value of the member `status`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proposed => "proposed",
            Status::Approved => "approved",
            Status::Rejected => "rejected",
            Status::Executed => "executed",
            Status::Failed => "failed",
        }
    }

    /// The status of that name.
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Record {
    /// The record as JSON, with the members in the order of the contract and the `x_` ones after them.
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| {
            members.insert(name.to_owned(), value);
        };
        put("id", json!(self.id.as_str()));
        put("version", json!(2));
        put("type", json!(self.kind.name()));
        put("project", json!(self.project));
        put("goal", json!(self.goal));
        put("instructions", json!(self.instructions));
        put("allowed_paths", self.allowed_paths.iter().map(|it| json!(it.to_string())).collect());
        put("tool", json!(self.tool));
        put("constraints", constraints_to_json(&self.constraints));
        put("status", json!(self.status.name()));
        if let RecordKind::CodeFix { source, error } = &self.kind {
            put("source_dds", json!(source.as_str()));
            put(
                "error_context",
                json!({
                    "original_dds": source.as_str(),
                    "error_message": error.message,
                    "failed_at": error.failed_at_text,
                }),
            );
        }
        for (name, value) in &self.extra {
            members.insert(name.clone(), value.clone());
        }
        Value::Object(members)
    }

    /// The record that it corrects.
    pub fn source(&self) -> Option<&Id> {
        match &self.kind {
            RecordKind::CodeChange => None,
            RecordKind::CodeFix { source, .. } => Some(source),
        }
    }
}

/// Canonical JSON (RFC 8785).
pub fn canonical(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value)
        .expect("a JSON value has string keys and finite numbers")
}
