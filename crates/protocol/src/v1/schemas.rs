//! Schemas that are known by address: what is asked of them, and what is reported.

use schemars::JsonSchema;
use serde::Serialize;

/// `schemas update`.
#[derive(Clone, Debug, Default)]
pub struct SchemasUpdate {
    /// A folder or an address to take the catalogue from, as it was typed.
    pub from: Option<String>,
    /// Put the schemas into the workspace.
    pub vendor: bool,
    /// Take what the lock names, and nothing else.
    pub locked: bool,
    /// How many seconds all of it may take.
    pub timeout: u64,
    /// Say what would be done and write nothing.
    pub dry_run: bool,
}

/// What `schemas` reports.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct SchemasReport {
    /// Whether every schema that is locked is there, or was taken.
    pub ok: bool,
    /// Where the catalogue is or was taken from; null if it was a folder, or if there is no lock.
    pub catalogue: Option<String>,
    /// The schemas that are locked, by address.
    pub schemas: Vec<SchemaLine>,
    /// What was not taken, and why.
    pub failed: Vec<SchemaFailure>,
    /// How many schemas are new or have other bytes than before.
    pub changed: usize,
    /// How many schemas were locked before and are not any more.
    pub removed: usize,
    /// The transaction that wrote the lock; null if none did.
    pub transaction: Option<String>,
}

/// A schema that is locked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SchemaLine {
    /// Where it is published.
    pub url: String,
    /// What people call it; empty for one that only other schemas refer to.
    pub name: String,
    /// The hash of its bytes.
    pub hash: String,
    /// The files that it is for, as the catalogue writes them.
    pub files: Vec<String>,
    /// Its licence, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Where it is in the workspace, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether its bytes are on this machine.
    pub present: bool,
}

/// A schema that was not taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct SchemaFailure {
    /// Where it should be.
    pub url: String,
    /// Why not.
    pub reason: String,
}

/// What `pack new` and `pack test` report.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct PackReport {
    /// Whether every case is as expected, or the pack was written.
    pub ok: bool,
    /// How many cases were run.
    pub cases: usize,
    /// The cases that are not as expected.
    pub wrong: Vec<WrongCase>,
    /// The files that were written, relative to the root.
    pub written: Vec<String>,
    /// The transaction that wrote them; null if none did.
    pub transaction: Option<String>,
}

/// A case that is not as expected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct WrongCase {
    /// Its file, relative to the root.
    pub case: String,
    /// What is wrong, in words.
    pub message: String,
    /// The case as it came out; null if it could not be run.
    pub actual: Option<String>,
}
