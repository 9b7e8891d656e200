//! A finding on the wire.

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Must be fixed: makes a command exit with 1.
    Error,
    /// Should be fixed.
    Warning,
    /// Good to know.
    Info,
}

/// What kind of rule found it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The shape of a document.
    Schema,
    /// What it means.
    Semantic,
    /// What a workspace has decided.
    Policy,
}

/// A place in a text. Bytes are half-open; lines and columns count from 1, columns in code points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Location {
    /// First byte.
    pub start_byte: u32,
    /// The byte after the last.
    pub end_byte: u32,
    /// Line of the first byte.
    pub start_line: u32,
    /// Column of the first byte.
    pub start_col: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end.
    pub end_col: u32,
    /// Which document of a YAML stream, from 0; only where the file holds several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<u32>,
}

/// Another place that a finding is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Related {
    /// The file, relative to the root.
    pub file: String,
    /// The place in the document.
    pub json_pointer: Option<String>,
    /// The place in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What it has to do with the finding.
    pub message: String,
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// `d_` and 12 hex digits; survives unrelated edits.
    pub diagnostic_id: String,
    /// The rule's stable name.
    pub rule_id: String,
    /// Who found it.
    pub source: String,
    /// The part of the source that owns it.
    pub phase: String,
    /// What kind of rule found it.
    pub tier: Tier,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The file, relative to the root; the patch document as it was named where the finding is about it.
    pub file: String,
    /// The place in the document; null where there is none.
    pub json_pointer: Option<String>,
    /// The place in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Other places that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// More about it, by name.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub details: std::collections::BTreeMap<String, serde_json::Value>,
    /// The repairs that would fix it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repair_refs: Vec<String>,
}
