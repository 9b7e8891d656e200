//! What is said about transactions that a crash left unfinished.

use schemars::JsonSchema;
use serde::Serialize;

/// What `recover` settled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RecoverReport {
    /// Whether the workspace is settled.
    pub ok: bool,
    /// The transaction that was unfinished; null if there was none.
    pub settled: Option<SettledTransaction>,
}

/// How an unfinished transaction ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SettledTransaction {
    /// Its id.
    pub id: String,
    /// `completed` or `rolled_back`.
    pub outcome: String,
    /// Files that somebody has saved since, which stayed as they were saved.
    pub kept: Vec<String>,
}
