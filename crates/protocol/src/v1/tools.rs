//! What the tools of a workspace did: linters, formatters and type checkers that regreen ran.

use schemars::JsonSchema;
use serde::Serialize;

/// What one tool did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ToolSummary {
    /// Its name, which is the `source` of what it found.
    pub name: String,
    /// Its version, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What became of it.
    pub state: ToolState,
    /// Why it takes part.
    pub reason: String,
    /// Why it did not do its work, and what would help; left out if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How many files it looked at.
    pub files: usize,
    /// How much it found.
    pub findings: usize,
    /// How many of its repairs were made.
    pub fixed: usize,
    /// How many lost to another repair.
    pub conflicts: usize,
    /// How many were not made for another reason, such as that nobody has approved them.
    pub refused: usize,
    /// How many did not do what they claimed, or made something worse.
    pub unverified: usize,
    /// How many of what it offers would only hide a message.
    pub silencing: usize,
    /// What else is worth knowing, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What became of a tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// It was asked and has answered.
    Ran,
    /// It is not installed.
    Missing,
    /// It would run what came with the repository, and the user has not trusted it with that.
    Untrusted,
    /// It was asked and has failed.
    Failed,
    /// It was not asked: a build runs only programs that are among its inputs.
    Unchecked,
}

impl ToolState {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ToolState::Ran => "ran",
            ToolState::Missing => "missing",
            ToolState::Untrusted => "untrusted",
            ToolState::Failed => "failed",
            ToolState::Unchecked => "unchecked",
        }
    }
}

/// A tool that could take part and does not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct OtherTool {
    /// Its name.
    pub name: String,
    /// How many files there are for it.
    pub files: usize,
    /// The command that installs it; left out if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}
