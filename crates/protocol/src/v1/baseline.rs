//! The baseline file: findings that were there before, so that only new ones fail.

use schemars::JsonSchema;
use serde::Serialize;

/// A baseline file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Baseline {
    /// The version of the format: 1.
    pub regreen_baseline: u32,
    /// The findings, sorted.
    pub findings: Vec<BaselineEntry>,
}

/// A finding that was there before. Its id decides; the rest is for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct BaselineEntry {
    /// The file, relative to the root.
    pub file: String,
    /// The rule.
    pub rule_id: String,
    /// Who found it.
    pub source: String,
    /// The place in the document; null where there is none.
    pub json_pointer: Option<String>,
    /// The finding.
    pub diagnostic_id: String,
}
